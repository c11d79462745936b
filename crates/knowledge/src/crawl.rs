//! A crawler of one website, within limits, over any browser.
//!
//! In: what opens a URL, a clock, and where to begin. Out: a [`Recording`] of the pages that were seen, in the
//! order in which they were, and [`CrawlReport`]. Invariants: only the origin of the first page is
//! visited; no control is used but links that lead to a page (nothing is sent, bought or signed
//! out); pages, depth and time have limits, and the report says which was reached. The browser may
//! have signed in before: the crawler adds nothing to that.
//!
//! A live browser is any [`Actor`], such as the recorder's, by [`opener`]. Nothing here reads a clock.

use crate::error::KnowledgeError;
use crate::extract::Recording;
use crate::extract::nodes;
use crate::extract::urls::{Parts, looks_like_id, origin_of};
use crate::model::WebsiteId;
use browserlens_core::page::{NodeKind, Page};
use browserlens_core::strategy::{ActError, ActionKind, Actor, Intent, NodeHint, SourceError, StepIndex, TakenAction};
use browserlens_trace::ActionRecord;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use url::{Origin, Url};

/// Returns what opens URLs with whatever can act on a page.
pub fn opener<A: Actor>(actor: &mut A) -> impl FnMut(&str) -> Result<Arc<Page>, SourceError> {
    |url| {
        let goto = TakenAction { kind: ActionKind::Goto, node: None, text: url.to_owned(), error: None };
        actor.act(&goto, None).map_err(|error| match error {
            ActError::Source(error) => error,
            other => SourceError::Failed { context: format!("{url} cannot be opened"), cause: Box::new(other) },
        })?;
        actor.look()
    }
}

/// How far a crawl goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrawlLimits {
    /// Pages that are opened at most.
    pub pages: u32,
    /// Links that are followed in a row at most.
    pub depth: u32,
    /// Milliseconds after which no further page is opened.
    pub time_ms: u64,
    /// Pages of one form of URL that are opened at most: 142 products teach no more than a few.
    pub pages_of_one_form: u32,
}

impl Default for CrawlLimits {
    fn default() -> Self {
        Self { pages: 60, depth: 4, time_ms: 120_000, pages_of_one_form: 4 }
    }
}

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CrawlEnd {
    /// Nothing is left to open.
    #[default]
    Done,
    /// The limit of pages was reached.
    Pages,
    /// The limit of time was reached.
    Time,
}

/// What a crawl did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlReport {
    /// URLs of the pages that were opened, in order.
    pub opened: Vec<String>,
    /// URLs that could not be opened, or led off the website, with the reason.
    pub failed: Vec<(String, String)>,
    /// Links of the website that were left out by a limit.
    pub left_out: u32,
    /// Why it ended.
    pub end: CrawlEnd,
}

/// Words in links that end a session or change something: such links are not followed.
const HARMFUL: [&str; 12] = [
    "logout", "log-out", "signout", "sign-out", "log_out", "sign_out", "delete", "remove", "unsubscribe", "cancel",
    "destroy", "deactivate",
];

struct Link {
    url: String,
    name: String,
    from: Option<Arc<Page>>,
    depth: u32,
}

/// Crawls a website from a URL on. `open` leads a browser to a URL, and returns the page once that has
/// settled; `elapsed_ms` tells how long the crawl has taken.
///
/// # Errors
/// [`KnowledgeError`] if the first page cannot be opened; later ones are told in the report.
pub fn crawl(
    mut open: impl FnMut(&str) -> Result<Arc<Page>, SourceError>,
    elapsed_ms: impl Fn() -> u64,
    start: &str,
    limits: CrawlLimits,
) -> Result<(Recording, CrawlReport), KnowledgeError> {
    let first = open(start)?;
    let no_website = || KnowledgeError::Invalid {
        kind: "crawl",
        id: start.to_owned(),
        problem: format!("{:?} is no page of a website (http or https)", first.url()),
    };
    let website = Parts::of(first.url()).ok_or_else(no_website)?.host;
    let origin = origin_of(first.url());
    let hash = format!("crawl-{}", &blake3::hash(start.as_bytes()).to_hex()[..16]);
    let mut crawl = Crawl {
        recording: Recording::crawled(WebsiteId(website), &hash),
        report: CrawlReport::default(),
        seen: BTreeSet::new(),
        forms: BTreeMap::new(),
        waiting: VecDeque::new(),
        origin,
        limits,
        step: 0,
    };
    crawl.seen.insert(without_fragment(start));
    crawl.visited(&first, None, 0);
    while let Some(link) = crawl.waiting.pop_front() {
        if crawl.report.opened.len() as u32 >= limits.pages {
            crawl.stop(CrawlEnd::Pages);
            break;
        }
        if elapsed_ms() >= limits.time_ms {
            crawl.stop(CrawlEnd::Time);
            break;
        }
        match open(&link.url) {
            Ok(page) => crawl.arrived(&page, link),
            Err(error) => crawl.report.failed.push((link.url, error.to_string())),
        }
    }
    Ok((crawl.recording, crawl.report))
}

struct Crawl {
    recording: Recording,
    report: CrawlReport,
    seen: BTreeSet<String>,
    /// How many pages of each form of URL were taken.
    forms: BTreeMap<String, u32>,
    waiting: VecDeque<Link>,
    origin: Option<Origin>,
    limits: CrawlLimits,
    step: u32,
}

impl Crawl {
    fn stop(&mut self, end: CrawlEnd) {
        self.report.end = end;
        self.report.left_out += 1 + self.waiting.len() as u32;
    }

    /// A link was followed.
    fn arrived(&mut self, page: &Arc<Page>, link: Link) {
        if origin_of(page.url()) != self.origin {
            self.report.failed.push((link.url, format!("it leads to another website, {}", page.url())));
            return;
        }
        let depth = link.depth;
        self.visited(page, Some(link), depth);
    }

    fn visited(&mut self, page: &Arc<Page>, link: Option<Link>, depth: u32) {
        self.report.opened.push(page.url().to_owned());
        self.seen.insert(without_fragment(page.url()));
        // What is told is that the link stands on the page before and leads here: so that page
        // comes first again.
        if let Some((link, from)) = link.and_then(|mut link| link.from.take().map(|from| (link, from))) {
            if self.step > 0 {
                self.recording.push(self.step, &from, None);
                self.step += 1;
            }
            let action = followed(&link, &from);
            self.recording.push(self.step, page, Some((&action, &from)));
        } else {
            self.recording.push(self.step, page, None);
        }
        self.step += 1;
        if depth >= self.limits.depth {
            self.report.left_out += links(page, &self.origin).len() as u32;
            return;
        }
        for (url, name) in links(page, &self.origin) {
            if self.seen.contains(&without_fragment(&url)) || is_harmful(&url, &name) {
                continue;
            }
            let of_form = self.forms.entry(form(&url)).or_default();
            if *of_form >= self.limits.pages_of_one_form {
                self.report.left_out += 1;
                continue;
            }
            *of_form += 1;
            self.seen.insert(without_fragment(&url));
            self.waiting.push_back(Link { url, name, from: Some(Arc::clone(page)), depth: depth + 1 });
        }
    }
}

/// Says that a link was clicked.
fn followed(link: &Link, from: &Page) -> ActionRecord {
    let hint = NodeHint { role: "link".to_owned(), name: link.name.clone(), within: None, nth: None };
    let node = from
        .nodes()
        .find(|node| node.tag() == "a" && resolved(from, node.attribute("href")).as_deref() == Some(&link.url));
    ActionRecord {
        taken: TakenAction { kind: ActionKind::Click, node: Some(hint.clone()), text: String::new(), error: None },
        intent: Intent { action: ActionKind::Click, node: Some(hint), text: String::new() },
        target: node.map(|node| node.key()),
        acceptable: Vec::new(),
        resolved_in: StepIndex(0),
        point: None,
    }
}

/// Returns the links of a page to its own origin, in document order, each URL once, with what they
/// are called.
fn links(page: &Page, origin: &Option<Origin>) -> Vec<(String, String)> {
    let labels = nodes::Labels::of(page);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut links = Vec::new();
    for node in page.nodes().filter(|node| node.kind() == NodeKind::Element && node.tag() == "a" && node.is_visible()) {
        let Some(url) = resolved(page, node.attribute("href")) else { continue };
        // A download or a link to another window is no page of the tour.
        if origin_of(&url) == *origin && node.attribute("download").is_none() && seen.insert(without_fragment(&url)) {
            links.push((url, nodes::name_of(node, &labels)));
        }
    }
    links
}

fn resolved(page: &Page, href: Option<&str>) -> Option<String> {
    let url = Url::parse(page.url()).ok()?.join(href?).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

/// Returns a URL without a fragment that only names a place on its page.
fn without_fragment(url: &str) -> String {
    match url.split_once('#') {
        Some((page, route)) if !route.starts_with(['/', '!']) => page.to_owned(),
        _ => url.to_owned(),
    }
}

/// Returns what URLs that teach the same have in common: the path, with ids and the last of several
/// segments left open, and the names of parameters.
fn form(url: &str) -> String {
    let Some(parts) = Parts::of(url) else { return url.to_owned() };
    let last = parts.segments.len().saturating_sub(1);
    let open = |(at, segment): (usize, &String)| {
        let is_open = looks_like_id(segment) || (at == last && last > 0);
        if is_open { "*".to_owned() } else { segment.clone() }
    };
    let path: Vec<String> = parts.segments.iter().enumerate().map(open).collect();
    let keys: Vec<&str> = parts.query.keys().map(String::as_str).collect();
    format!("{}?{}", path.join("/"), keys.join("&"))
}

fn is_harmful(url: &str, name: &str) -> bool {
    let text = format!("{} {}", url.to_lowercase(), name.to_lowercase().replace(' ', "-"));
    HARMFUL.iter().any(|word| text.contains(word))
}

#[cfg(test)]
#[path = "crawl_tests.rs"]
mod tests;
