//! One client: what it was shown, what its refs mean, and what it looks at.
//!
//! In: a tool and its arguments. Out: an [`Answer`]. Invariants: nothing of one client is known to
//! another; a ref is resolved on the page as it stands when it is acted on, and never to another
//! element than the one it was given for; what was observed is told once, in order. Calls block:
//! each client has a thread of its own ([`crate::worker`]).

mod act;
mod follow;
mod look;
mod show;
mod ticks;
mod view;

use crate::answer::{Answer, Pending};
use crate::args;
use crate::check::check;
use crate::error::ToolError;
use crate::shared::{Shared, Witness};
use crate::source::Source;
use browserlens_core::page::{Page, SecondLook};
use browserlens_core::strategy::{NodeHint, Ref};
use browserlens_inspect::Inspector;
use browserlens_knowledge::gaps::ExtrapolationRequest;
use browserlens_lens::format::escape;
use browserlens_lens::{LensOptions, lens_options};
use browserlens_reading::{Searcher, Visited};
use browserlens_snapshot::Session;
use browserlens_trace::Mask;
use serde_json::Value;
use show::json_answer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use ticks::Ticks;
pub use view::{SeenRef, View};

/// The strategy of a client that names none.
pub const DEFAULT_STRATEGY: &str = "lens/delta";

/// Most tokens of an observation for a client that names no budget: on the bundled tasks 2,000 tell
/// 99 % of what is asked for without a further question, at three fifths of the tokens, and what is
/// left out has a handle and is found by `find`.
pub const DEFAULT_BUDGET: u32 = 2_000;

/// Most tokens of what is read (`read_text`, `snapshot`) for a client that names no budget: a text
/// was asked for, and programs that agents run in cut longer answers or put them into files (Claude
/// Code at 25,000 tokens or 50,000 characters).
pub(crate) const DEFAULT_READING: u32 = 10_000;

/// One client.
pub struct Client {
    shared: Arc<Shared>,
    source: Option<Box<dyn Source>>,
    session: Session,
    options: LensOptions,
    strategy: String,
    /// Budget that the client named; 0 is none.
    budget: Option<u32>,
    /// Number of the last observation that was told.
    step: u32,
    page: Option<Arc<Page>>,
    /// The page as it was observed last: text that has only ticked since then is not told.
    observed: Option<Arc<Page>>,
    /// When the page on hand was looked at.
    looked_at: Option<Instant>,
    /// What changed between the last two looks between which nobody acted.
    second_look: Option<SecondLook>,
    ticks: Ticks,
    /// What a click hit in the place of what was meant.
    hit: Option<String>,
    /// Whether the page on hand was looked at as it stands.
    is_current: bool,
    last_event: Option<u64>,
    pending: Pending,
    /// What refs were given for, in words; the oldest are forgotten.
    known: BTreeMap<Ref, String>,
    inspector: Inspector,
    searcher: Searcher,
    /// The pages that were read.
    visited: Visited,
    /// Counts what may have changed the page: actions, and looks that found another one.
    touched: u64,
    witness: Option<Box<dyn Witness>>,
    /// What was seen of secrets: whatever is said passes it.
    mask: Mask,
    /// What came of what a person did who looks on, until the client is told.
    by_hand: Answer,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("step", &self.step).field("strategy", &self.strategy).finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client that has looked at nothing.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if the lens does not know its strategy.
    pub fn new(shared: Arc<Shared>) -> Result<Self, ToolError> {
        let options = options_of(DEFAULT_STRATEGY, None)?;
        let inspector = Inspector::new(shared.limits.clone(), shared.cursor_key);
        let witness = shared.witness.as_ref().and_then(|make| make());
        Ok(Self {
            source: None,
            session: Session::with_options(options.clone()),
            options,
            strategy: DEFAULT_STRATEGY.to_owned(),
            budget: None,
            step: 0,
            page: None,
            observed: None,
            looked_at: None,
            second_look: None,
            ticks: Ticks::default(),
            hit: None,
            is_current: false,
            last_event: None,
            pending: Pending::default(),
            known: BTreeMap::new(),
            inspector,
            searcher: Searcher::default(),
            visited: Visited::default(),
            touched: 0,
            witness,
            mask: Mask::default(),
            by_hand: Answer::default(),
            shared,
        })
    }

    /// Answers a call.
    ///
    /// # Errors
    /// [`ToolError`]: wrong arguments, an element or page that is not there, what is not allowed.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        check(tool, &arguments).map_err(|error| error.with_names(tool))?;
        self.hit = None;
        let answer = self.answer(tool, arguments).map_err(|error| error.with_names(tool));
        if let Err(ToolError::BrowserGone(_)) = &answer {
            self.lose();
        }
        // All that is said of a page leaves here, through whatever door.
        match answer {
            Ok(mut answer) => {
                if answer.is_json {
                    answer.text = self.masked_json(&answer.text);
                } else {
                    self.mask.mask(&mut answer.text);
                }
                Ok(answer)
            }
            Err(error) => Err(error.masked(&mut self.mask)),
        }
    }

    /// Masks JSON value by value, as it is written: what a page calls a secret must not take the
    /// form apart, and text that was asked for as it is stays so.
    fn masked_json(&mut self, json: &str) -> String {
        let (mut out, mut at) = (String::with_capacity(json.len()), 0);
        while let Some(quote) = json[at..].find('"') {
            let begin = at + quote;
            let mut end = begin + 1;
            while let Some(byte) = json.as_bytes().get(end).filter(|byte| **byte != b'"') {
                end += if *byte == b'\\' { 2 } else { 1 };
            }
            let end = (end + 1).min(json.len());
            out.push_str(&json[at..begin]);
            let text = &json[begin..end];
            if json[end..].trim_start().starts_with(':') {
                out.push_str(text);
            } else {
                // As the value of a member: of those also what is short is masked.
                let member = format!(":{text}");
                let masked = self.mask.text(&member);
                // A secret that begins or ends with a quote would take that with it.
                let kept = masked.strip_prefix(':').filter(|kept| kept.starts_with('"') && kept.ends_with('"'));
                out.push_str(kept.unwrap_or("\"••••••\""));
            }
            at = end;
        }
        out.push_str(&json[at..]);
        out
    }

    fn answer(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        match tool {
            "observe" => self.observe(&args::read(arguments)?),
            "expand" => self.expand(&args::read(arguments)?),
            "snapshot" => self.snapshot(&args::read(arguments)?),
            "chunks" => self.chunks(&args::read(arguments)?),
            "read_text" => self.read_text(args::read(arguments)?),
            "find" => self.find(args::read(arguments)?),
            "get_summary"
            | "get_console_messages"
            | "get_network_requests"
            | "get_dom_snapshot"
            | "get_html"
            | "get_text" => self.inspect(tool, arguments),
            "query_knowledge_for_agent" => self.knowledge(&args::read(arguments)?),
            "fill_action_gaps" => {
                let request: ExtrapolationRequest = args::read(arguments)?;
                json_answer(&self.shared.knowledge.gaps(&request)?)
            }
            "screenshot" => self.screenshot(&args::read(arguments)?),
            _ => {
                self.touched += 1;
                match tool {
                    "navigate" => self.navigate(args::read(arguments)?),
                    "tabs" => self.tabs(&args::read(arguments)?),
                    "wait" => self.wait(args::read(arguments)?),
                    "follow" => self.follow(args::read(arguments)?),
                    _ => self.action(tool, arguments),
                }
            }
        }
    }

    /// The browser ended: what was shown of it is no longer there. The source stays: it numbers
    /// nodes, also of the browser that is started next.
    fn lose(&mut self) {
        self.page = None;
        self.observed = None;
        self.is_current = false;
        self.pending.clear();
        self.session.forget();
    }

    fn source(&mut self) -> Result<&mut Box<dyn Source>, ToolError> {
        if self.source.is_none() {
            let url = self.shared.start_url.clone();
            if let Some(url) = &url {
                self.shared.policy.url(url)?;
            }
            self.source = self.shared.opener.open(url.as_deref())?;
        }
        match self.source.as_mut() {
            Some(source) if source.is_alive() => Ok(source),
            Some(_) => Err(ToolError::BrowserGone("Chromium or the page's process ended".to_owned())),
            None => Err(ToolError::NotThere {
                message: "no page is open yet".to_owned(),
                hint: "call `navigate` with a URL",
            }),
        }
    }

    fn is_live(&self) -> bool {
        self.shared.opener.is_live()
    }
}

/// Returns how the lens works for a strategy and a budget.
fn options_of(strategy: &str, budget: Option<u32>) -> Result<LensOptions, ToolError> {
    let known = || {
        let names = browserlens_lens::names().join(", ");
        ToolError::Arguments(format!("strategy: {strategy:?} is not known; there are {names}"))
    };
    let options = lens_options(strategy, &Value::Null).ok_or_else(known)?.map_err(|_| known())?;
    let budget = match budget {
        None => options.budget.or(Some(DEFAULT_BUDGET)),
        Some(tokens) => Some(tokens).filter(|tokens| *tokens > 0),
    };
    Ok(LensOptions { budget, ..options })
}

fn said(node: &NodeHint) -> String {
    let mut text = node.role.clone();
    if !node.name.is_empty() {
        text.push(' ');
        escape::quote(&mut text, &node.name);
    }
    text
}
