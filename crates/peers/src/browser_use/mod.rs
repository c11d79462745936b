//! `browser-use@0.13.14/dom`: the element list of `browser-use` 0.13.14 and the part of its prompt
//! around it.
//!
//! In: the page, with the snapshot, accessibility and listener payloads where there are some. Out:
//! the text between `<browser_state>` marks of its prompt. Invariant: an index is the backend node
//! id, a `*` marks what had no index at the step before, and the list is cut blindly at 40,000
//! characters. Follows: its rules of what is interactive ([`clickable`]), what is kept ([`tree`]),
//! attributes ([`attributes`]), lines ([`mod@write`]) and what a tab is called ([`titles`]),
//! written anew from the behaviour of that version. Known to differ: backend node ids are the
//! recording's (small numbers, and unique only within one document: where two documents share one,
//! the later takes a free number, as the tool does on a clash); tab ids are made up from the
//! frame's number; other tabs and requests in flight are not told; images that show their
//! alternative text are guessed; shadow trees of the browser's own controls give the mark but no
//! lines, save for the editor of a text field that scrolls (its number is made up); inside a shadow
//! tree, hosts of a tree of the same kind are known only if they are custom elements.

mod attributes;
mod clickable;
mod lines;
mod read;
mod titles;
mod tree;
mod view;
mod write;

use crate::dom::{self, Dom, Id};
use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, PeerStrategy, RecordedOutput, Reproduction, Tool};
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{
    EventKind, Observation, OptionsError, OptionsReader, RefTarget, Run, Stage, StepInput, StrategyError,
};
use std::collections::HashSet;
use std::fmt::Write as _;
use titles::Titles;
use tree::Tree;
use view::View;

const NAME: &str = "browser-use@0.13.14/dom";

/// The element list.
pub(crate) static ELEMENTS: Format =
    Format::new("browser-use", || TextReader::Standing(read::parse)).compared_by(lines::RULES);

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Pip(include_str!("requirements.txt")),
    harnesses: &[Harness::looking("browser-use@0.13.14", "browser_use/harness.py")],
    recorded: &[RecordedOutput {
        viewport_margin: Some(view::VIEWPORT_THRESHOLD),
        ..RecordedOutput::whole("browser-use@0.13.14/dom:recorded", &ELEMENTS)
    }],
    reproductions: &[Reproduction { name: NAME, build: strategy }],
    formats: &[&ELEMENTS],
};

/// Where the list is cut, in characters.
const MAX_CHARS: usize = 40_000;
/// Most characters of a tab's title.
const LONGEST_TITLE: usize = 30;

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    /// Whether the prompt's page statistics, tabs and page marks are written around the list.
    wrapper: bool,
    /// Where the list is cut, in characters.
    max_chars: usize,
}

fn strategy(options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    let mut reader = OptionsReader::new(options)?;
    let options = Options { wrapper: reader.flag("wrapper", true)?, max_chars: reader.number("max_chars", MAX_CHARS)? };
    reader.finish()?;
    let strategy = PeerStrategy::new(NAME, "0.13.14+bl2", &ELEMENTS, move |_| BrowserUseRun::new(options));
    Ok(PeerStrategy { viewport_margin: Some(view::VIEWPORT_THRESHOLD), ..strategy })
}

#[derive(Debug, Default)]
struct BrowserUseRun {
    options: Options,
    /// Elements that had an index at the step before.
    before: HashSet<NodeKey>,
    /// Fields whose inner editor had one.
    editors_before: HashSet<NodeKey>,
    titles: Titles,
    /// Dialogs of the browser that were closed so far.
    dialogs: Vec<String>,
}

impl Run for BrowserUseRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let snapshots = dom::snapshots(input.capture);
        let dom = Dom::new(input.page, &snapshots);
        let view = View::new(&dom, input.capture);
        let tree = tree::build(&view, &self.before, &self.editors_before);
        self.before = tree.selectors.iter().map(|(_, id)| dom.key(*id)).collect();
        self.editors_before = tree.editors.iter().map(|id| dom.key(*id)).collect();
        let title: String =
            self.titles.enter(input.page, input.action.map(|action| action.kind)).chars().take(LONGEST_TITLE).collect();
        self.note_dialogs(input);
        input.clock.enter(Some(Stage::Format));
        let mut list = write::write(&view, &tree);
        if tree.root.is_none() {
            "Empty DOM tree (you might have to wait for the page to load)".clone_into(&mut list.text);
        }
        let end = list.text.char_indices().nth(self.options.max_chars).map(|(end, _)| end);
        list.text.truncate(end.unwrap_or(list.text.len()));
        let shown = list.text.len();
        let text =
            if self.options.wrapper { self.wrap(&view, &tree, &title, &list.text, end.is_some()) } else { list.text };
        input.clock.enter(None);
        let mut observation = Observation::full_text(text, crate::REPRODUCED);
        let refs = list.indices.iter().filter(|(end, ..)| *end <= shown);
        observation.refs =
            refs.map(|(_, index, id)| RefTarget { handle: index.to_string(), key: dom.key(*id) }).collect();
        Ok(observation)
    }
}

impl BrowserUseRun {
    fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    fn note_dialogs(&mut self, input: &StepInput<'_>) {
        for event in input.events {
            if let EventKind::Dialog(dialog) = &event.kind {
                let kind = dialog.kind.name().replace('_', "");
                self.dialogs.push(format!("[{kind}] {}", dialog.message));
            }
        }
    }

    fn wrap(&self, view: &View<'_, '_>, tree: &Tree, title: &str, list: &str, cut: bool) -> String {
        let page = view.dom.page;
        let (above, below) = pages(page);
        let list = match list {
            "" => "empty page".to_owned(),
            list => {
                let start = if above > 0.0 { "" } else { "[Start of page]\n" };
                let end = if below > 0.0 { "" } else { "\n[End of page]" };
                format!("{start}{list}{end}")
            }
        };
        let more = if below > 0.2 { " — scroll down to reveal more content" } else { "" };
        let tab = tab_id(page);
        let mut text = format!(
            "{}\nCurrent tab: {tab:04X}\nAvailable tabs:\nTab {tab:04X}: {} - {title}\n\n",
            statistics(view, tree),
            page.url()
        );
        _ = writeln!(text, "<page_info>{above:.1} pages above, {below:.1} pages below{more}</page_info>\n");
        if !self.dialogs.is_empty() {
            text.push_str("Auto-closed JavaScript dialogs:\n");
            for dialog in &self.dialogs {
                _ = writeln!(text, "  - {dialog}");
            }
            text.push('\n');
        }
        let cut = if cut { format!(" (truncated to {} characters)", self.options.max_chars) } else { String::new() };
        _ = writeln!(text, "Interactive elements{cut}:\n{list}");
        text
    }
}

/// The last four characters of a tab's target id: made up, so that they read like one.
fn tab_id(page: &Page) -> u32 {
    // Odd, so that no two of the first 65,536 tabs share an id.
    page.document().0.wrapping_mul(0x9e37) & 0xffff
}

/// How many viewports of content lie above and below, from whole pixels.
fn pages(page: &Page) -> (f32, f32) {
    let height = page.viewport().height as f32;
    let above = page.scroll().y.trunc();
    let below = (page.content_size().1.trunc() - height - above).max(0.0);
    if height > 0.0 { (above / height, below / height) } else { (0.0, 0.0) }
}

fn statistics(view: &View<'_, '_>, tree: &Tree) -> String {
    let order = tree.in_order();
    let elements: Vec<(usize, Id)> =
        order.iter().filter_map(|at| tree.nodes[*at].origin.element().map(|id| (*at, id))).collect();
    let tagged = |tags: &[&str]| elements.iter().filter(|(_, id)| tags.contains(&view.dom.tag(*id))).count();
    let hosts = elements.iter().copied().filter(|(at, _)| tree.nodes[*at].shadow_host);
    let (closed, open): (Vec<_>, Vec<_>) = hosts.partition(|(at, _)| tree::has_closed_root(view, &tree.nodes, *at));
    let mut text = "<page_stats>".to_owned();
    if order.len() < 10 {
        text.push_str("Page appears empty - consider waiting - ");
    }
    let interactive = tree.selectors.len() + tree.editors.len();
    _ = write!(text, "{} links, {interactive} interactive, {} iframes", tagged(&["a"]), tagged(&["iframe", "frame"]));
    if open.len() + closed.len() > 0 {
        _ = write!(text, ", {} shadow(open), {} shadow(closed)", open.len(), closed.len());
    }
    let images = tagged(&["img"]);
    if images > 0 {
        _ = write!(text, ", {images} images");
    }
    _ = write!(text, ", {} total elements</page_stats>", order.len());
    text
}

#[cfg(test)]
mod tests;
