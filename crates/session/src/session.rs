//! One session: what it was shown, what its refs mean, and what it looks at.
//!
//! In: a tool and its arguments. Out: an [`Answer`]. Invariants: nothing of one session is known to
//! another; a ref is resolved on the page as it stands when it is acted on, and never to another
//! element than the one it was given for; what was observed is told once, in order. Calls block.

mod act;
mod follow;
mod look;
mod show;
mod ticks;
mod values;
mod view;

use crate::answer::{Answer, Pending};
use crate::args::{self, RefArg};
use crate::check::check;
use crate::error::ToolError;
#[cfg(feature = "live")]
use crate::live::LiveOpener;
use crate::policy::Policy;
use crate::shared::{Shared, Witness};
use crate::source::{Source, TraceOpener};
use browserlens_core::page::{NodeKey, Page, SecondLook};
use browserlens_core::strategy::{NodeHint, Ref, StepIndex};
use browserlens_inspect::Inspector;
use browserlens_knowledge::gaps::ExtrapolationRequest;
use browserlens_lens::format::escape;
use browserlens_lens::{LensOptions, lens_options};
use browserlens_reading::{Searcher, Visited};
#[cfg(feature = "live")]
use browserlens_recorder::{LiveBrowser, LiveOptions};
use browserlens_snapshot::RefLens;
use browserlens_trace::Mask;
use serde::Deserialize as _;
use serde_json::Value;
use show::json_answer;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use ticks::Ticks;
pub use view::{SeenRef, View};

/// The strategy of a session that names none.
pub const DEFAULT_STRATEGY: &str = "lens/delta";

/// Most tokens of an observation for a session that names no budget: on the bundled tasks 2,000 tell
/// 99 % of what is asked for without a further question, at three fifths of the tokens, and what is
/// left out has a handle and is found by `find`.
pub const DEFAULT_BUDGET: u32 = 2_000;

/// Most tokens of what is read (`read_text`, `snapshot`) for a session that names no budget: a text
/// was asked for, and programs that agents run in cut longer answers or put them into files (Claude
/// Code at 25,000 tokens or 50,000 characters).
pub(crate) const DEFAULT_READING: u32 = 10_000;

/// One reader of a browser or a trace, who may act: the lens, its refs, its place in the events, and
/// the tools of [`tools`](crate::tools).
pub struct Session {
    shared: Arc<Shared>,
    source: Option<Box<dyn Source>>,
    lens: RefLens,
    options: LensOptions,
    strategy: String,
    /// Budget that the session named; 0 is none.
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
    /// Lines before an answer: what a click hit in the place of what was meant, and what it changed
    /// that only a class tells.
    notes: String,
    /// What the last action clicked: a menu may say what becomes of that.
    clicked: Option<NodeKey>,
    /// Whether the page on hand was looked at as it stands.
    is_current: bool,
    /// Whether looks tell nothing: a form is told once it is filled in.
    is_silent: bool,
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
    /// What came of what a person did who looks on, until the session is told.
    by_hand: Answer,
}

browserlens_core::opaque_debug!(self: Session { step: self.step, strategy: self.strategy });

impl Session {
    /// Makes a session that has looked at nothing.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if the lens does not know its strategy.
    pub fn new(shared: Arc<Shared>) -> Result<Self, ToolError> {
        let options = options_of(DEFAULT_STRATEGY, None)?;
        let inspector = Inspector::new(shared.limits.clone(), shared.cursor_key);
        let witness = shared.witness.as_ref().and_then(|make| make());
        Ok(Self {
            source: None,
            lens: RefLens::with_options(options.clone()),
            options,
            strategy: DEFAULT_STRATEGY.to_owned(),
            budget: None,
            step: 0,
            page: None,
            observed: None,
            looked_at: None,
            second_look: None,
            ticks: Ticks::default(),
            notes: String::new(),
            clicked: None,
            is_current: false,
            is_silent: false,
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

    /// Makes a session over a browser that is there already. Who has the browser may go anywhere
    /// with it: nothing is refused.
    ///
    /// # Errors
    /// As [`Session::new`].
    #[cfg(feature = "live")]
    pub fn over(browser: LiveBrowser, options: LiveOptions) -> Result<Self, ToolError> {
        let opener = LiveOpener::new(options.clone(), &Policy::anything());
        let opener = opener.map_err(|error| ToolError::Internal(error.to_string()))?;
        let mut session = Self::new(Arc::new(Shared::alone(Box::new(opener), Policy::anything())?))?;
        session.source = Some(LiveOpener::opened(browser, options));
        Ok(session)
    }

    /// Makes a session over a trace, at its first step.
    ///
    /// # Errors
    /// [`ToolError::Part`] if it cannot be read.
    pub fn over_trace(path: &Path) -> Result<Self, ToolError> {
        let opener = Box::new(TraceOpener::new(path, 0)?);
        Self::new(Arc::new(Shared::alone(opener, Policy::default())?))
    }

    /// Goes to a step of a trace; nothing is told by it.
    ///
    /// # Errors
    /// [`ToolError::Part`] if it has no such step.
    pub fn set_step(&mut self, step: StepIndex) -> Result<(), ToolError> {
        self.is_current = false;
        self.source()?.set_step(step)
    }

    /// Returns the node that a ref means, as it is written in an answer or the way others write it.
    ///
    /// # Errors
    /// [`ToolError`] if it is no ref or was never given.
    pub fn node_of(&self, reference: &str) -> Result<NodeKey, ToolError> {
        let reference = written(reference)?;
        self.lens.node(reference).ok_or(ToolError::UnknownRef { reference })
    }

    /// Returns the browser, for what no tool does.
    #[cfg(feature = "live")]
    pub fn browser(&mut self) -> Option<&mut LiveBrowser> {
        self.source.as_mut()?.browser()
    }

    /// Takes another strategy of the family `lens/*`, with options as `traces/strategies.toml` has
    /// them.
    ///
    /// # Errors
    /// [`ToolError::Arguments`] if there is none of that name or an option is wrong.
    pub fn use_strategy(&mut self, name: &str, options: &Value) -> Result<(), ToolError> {
        let options = lens_options(name, options)
            .ok_or_else(|| unknown_strategy(name))?
            .map_err(|error| ToolError::Arguments(format!("strategy {name:?}: {error}")))?;
        (self.strategy, self.budget) = (name.to_owned(), Some(options.budget.unwrap_or(0)));
        self.options = options.clone();
        self.lens.set_options(options);
        self.pending.clear();
        Ok(())
    }

    /// Returns the page that was looked at last.
    pub fn page(&self) -> Option<&Arc<Page>> {
        self.page.as_ref()
    }

    /// Returns the number of the last observation, from 0.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Answers a call of a tool; [`tools`](crate::tools) lists them with their arguments.
    ///
    /// # Errors
    /// [`ToolError`]: wrong arguments, an element or page that is not there, what is not allowed.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        check(tool, &arguments).map_err(|error| error.of_tool(tool))?;
        self.notes.clear();
        let answer = self.answer(tool, arguments).map_err(|error| error.of_tool(tool));
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
        self.lens.forget();
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
        self.source.as_ref().map_or_else(|| self.shared.opener.is_live(), |source| source.is_live())
    }
}

fn unknown_strategy(name: &str) -> ToolError {
    let names = browserlens_lens::names().join(", ");
    ToolError::Arguments(format!("strategy: {name:?} is not known; there are {names}"))
}

/// Returns how the lens works for a strategy and a budget.
fn options_of(strategy: &str, budget: Option<u32>) -> Result<LensOptions, ToolError> {
    let unknown = || unknown_strategy(strategy);
    let options = lens_options(strategy, &Value::Null).ok_or_else(unknown)?.map_err(|_| unknown())?;
    let budget = match budget {
        None => options.budget.or(Some(DEFAULT_BUDGET)),
        Some(tokens) => Some(tokens).filter(|tokens| *tokens > 0),
    };
    Ok(LensOptions { budget, ..options })
}

/// Reads a ref as it is written in an answer, or the way others write it.
fn written(reference: &str) -> Result<Ref, ToolError> {
    let read = RefArg::deserialize(Value::from(reference)).map_err(|error| ToolError::NotThere {
        message: error.to_string(),
        hint: "use a ref of the last observation, as it is written there, such as @e12",
    });
    read.map(|RefArg(reference)| reference)
}

fn said(node: &NodeHint) -> String {
    let mut text = node.role.clone();
    if !node.name.is_empty() {
        text.push(' ');
        escape::quote(&mut text, &node.name);
    }
    text
}
