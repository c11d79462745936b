//! What all strategies share: the traits, what goes in at a step and what comes out.
//!
//! In: a [`StepInput`] a step (page, raw payloads, action just taken, events, images, recorded peer
//! output). Out: an
//! [`Observation`]: what the agent would be shown. Invariants: no strategy is defined here; a run
//! is a deterministic function of the inputs it was given (stage times go through [`StageClock`],
//! so that no strategy reads a clock); nothing in a [`StepInput`] lies in the future of its step,
//! and nothing in it tells facts or action nodes.

mod action;
mod event;
mod observation;
mod options;
mod source;
mod step_cache;

pub use action::{ActionKind, Intent, NodeHint, StepIndex, TakenAction};
pub use event::{
    BodyHead, BodySide, ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventFilter, EventKind,
    EventTally, RequestEvent, RequestParts, TabEvent, host_of,
};
pub use observation::{ImageSpace, MalformedRef, Observation, ObservationKind, ObservedImage, Ref, RefTarget, Request};
pub use options::{OptionsError, OptionsReader};
pub use source::{ActError, Actor, PageSource, SourceError, SourceId};
pub use step_cache::{StepCache, Timer};

use crate::named;
use crate::page::{Capture, Page, SecondLook, Viewport};
use crate::tokens::Micros;
use std::borrow::Cow;
use std::sync::Arc;

/// What an agent knows before the first step.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The goal in the user's words.
    pub goal: String,
    /// The viewport of the browser.
    pub viewport: Viewport,
    /// The locale, such as `en-US`.
    pub locale: String,
}

named! {
    /// How an agent acts on what a strategy shows.
    pub enum ActionChannel {
        /// By a ref written in the observation.
        Ref = "ref",
        /// By a selector that can be derived from the observation.
        Selector = "selector",
        /// By role and accessible name, where these single a node out.
        RoleName = "role+name",
        /// By a point in an image.
        Point = "point",
        /// Not at all: only recall is measured.
        None = "none",
    }
}

/// Name of the format of a strategy's texts, by which a reader of it is found: kebab-case, such as
/// `lens`, `markdown` or one of a tool's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct TextFormat(Cow<'static, str>);

impl TextFormat {
    /// The lens grammar (`crates/lens/GRAMMAR.md`): deltas change the shown state.
    pub const LENS: Self = Self::named("lens");
    /// JSON of `Accessibility.getFullAXTree`.
    pub const AX_JSON: Self = Self::named("ax-json");
    /// HTML.
    pub const HTML: Self = Self::named("html");
    /// Markdown.
    pub const MARKDOWN: Self = Self::named("markdown");
    /// Text without structure.
    pub const PLAIN: Self = Self::named("plain");

    /// The format of a name.
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

named! {
    /// A stage of perception whose time is measured, in the order in which they run.
    pub enum Stage {
        /// Choosing the representation.
        Route = "route",
        /// Building the tree of a representation.
        Extract = "extract",
        /// Finding what changed.
        Diff = "diff",
        /// Writing text, budget included.
        Format = "format",
    }
}

/// Where a strategy says which stage it enters; the caller reads the clock.
pub trait StageClock: Send + Sync {
    /// Ends the stage before and begins `stage`; `None` ends without a new one.
    fn enter(&self, stage: Option<Stage>);

    /// Adds to the stage what the shared value number `value` of the step cost whoever made it; a
    /// value counts once a step.
    fn charge(&self, _value: usize, _cost: Micros) {}
}

/// A [`StageClock`] that measures nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl StageClock for NoClock {
    fn enter(&self, _stage: Option<Stage>) {}
}

/// One image of a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureImage {
    /// PNG bytes.
    pub png: Arc<[u8]>,
    /// Where its pixels lie.
    pub space: ImageSpace,
}

/// What a recorded peer said at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerOutput {
    /// Name and version, such as `playwright-mcp@0.0.83/full`.
    pub peer: String,
    /// Its text, redacted, else verbatim.
    pub text: String,
    /// Wall time that it took, in microseconds.
    pub micros: u64,
    /// What the handles in the text mean, as far as the tool tells.
    pub refs: Vec<RefTarget>,
    /// Why the text does not count: the page that the tool saw was another. Then the text is empty.
    pub dropped: Option<String>,
}

/// What a run gets at one step.
#[derive(Clone)]
pub struct StepInput<'a> {
    /// Index of the step; 0 is the first navigation.
    pub step: StepIndex,
    /// The page after the action settled.
    pub page: &'a Arc<Page>,
    /// The payloads that the page was parsed from.
    pub capture: &'a Capture,
    /// What changed by itself after the step *before* this one, if that was looked at; never this
    /// step's own.
    pub earlier_second_look: Option<&'a SecondLook>,
    /// The action that led here; none at step 0.
    pub action: Option<&'a TakenAction>,
    /// What happened since the step before: console, requests, dialogs, tabs, downloads.
    pub events: &'a [Event],
    /// The viewport's screenshot.
    pub screenshot: Option<&'a CaptureImage>,
    /// Crops of canvases and unlabelled images outside the viewport.
    pub crops: &'a [CaptureImage],
    /// What recorded peers said at this step.
    pub peers: &'a [PeerOutput],
    /// What is worked out of this step alike, for whoever looks at it.
    pub shared: &'a Arc<StepCache>,
    /// Where stages are announced.
    pub clock: &'a dyn StageClock,
}

/// What a [`StepInput`] borrows beside its page, where nothing else is known of a step.
#[derive(Debug, Default)]
pub struct PageAlone {
    capture: Capture,
    shared: Arc<StepCache>,
}

impl PageAlone {
    /// Returns the step of a page: without pixels, events, action, recorded peers and clock.
    pub fn input<'a>(&'a self, step: u32, page: &'a Arc<Page>) -> StepInput<'a> {
        StepInput {
            step: StepIndex(step),
            page,
            capture: &self.capture,
            earlier_second_look: None,
            action: None,
            events: &[],
            screenshot: None,
            crops: &[],
            peers: &[],
            shared: &self.shared,
            clock: &NoClock,
        }
    }
}

/// A strategy, a run of it or a step failed; the step becomes a row with this error and no numbers.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StrategyError {
    /// The capture lacks something that the strategy reads.
    #[error("step {step}: the capture has no {what}, which {strategy} reads")]
    Missing {
        /// The step.
        step: StepIndex,
        /// What is missing.
        what: String,
        /// Name of the strategy.
        strategy: String,
    },
    /// A request that the run does not know or cannot answer.
    #[error("request {request} cannot be answered: {reason}")]
    Unanswerable {
        /// The request in words.
        request: String,
        /// Why.
        reason: String,
    },
    /// Anything else.
    #[error("step {step}: {message}")]
    Failed {
        /// The step.
        step: StepIndex,
        /// What went wrong.
        message: String,
    },
}

/// A named recipe for what an agent is shown.
pub trait Strategy: Send + Sync {
    /// Returns the name, `family/variant`.
    fn name(&self) -> &str;

    /// Returns the version of what the strategy writes; part of every cache key. Changes whenever
    /// output may change.
    fn version(&self) -> &str;

    /// Returns how an agent acts on what is shown.
    fn channel(&self) -> ActionChannel;

    /// Returns how the text is parsed.
    fn format(&self) -> TextFormat;

    /// Returns the text that explains the format to an LLM; counted once per task.
    fn legend(&self) -> Option<&str> {
        None
    }

    /// Returns the definitions of the tools that an agent is given with what is shown, such as an
    /// MCP server's answer to `tools/list`; counted once per task, beside the cost.
    fn definitions(&self) -> Option<&str> {
        None
    }

    /// Returns how far beyond the viewport, upwards and downwards and in CSS px, the strategy shows
    /// the page; none if it does not look at the viewport. What lies farther costs scrolls.
    fn viewport_margin(&self) -> Option<f32> {
        None
    }

    /// Returns whether the DOM is all that the strategy reads of a page. Any other fails on
    /// captures that hold nothing else, instead of showing a page on which nothing is visible.
    fn reads_dom_only(&self) -> bool {
        false
    }

    /// Returns whether equal inputs give equal observations, so that results may be kept; false for
    /// what is not known to.
    fn is_cacheable(&self) -> bool {
        true
    }

    /// Starts a stateful pass over one trace.
    fn start(&self, task: &Task) -> Box<dyn Run>;
}

/// One stateful pass of a strategy over one trace.
pub trait Run: Send {
    /// Returns what the agent is shown at a step; steps come in order, each once.
    ///
    /// # Errors
    /// [`StrategyError`] if the capture lacks what the strategy reads.
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError>;

    /// Answers a request of the reader about the page observed last.
    ///
    /// # Errors
    /// [`StrategyError::Unanswerable`] if the strategy has no such request, or not that handle.
    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        Err(StrategyError::Unanswerable {
            request: request.to_string(),
            reason: "this strategy answers no requests".to_owned(),
        })
    }

    /// Returns why the step observed last is shown as it is, in lines of words; none of a strategy
    /// that has no choice.
    fn why(&self) -> Option<String> {
        None
    }
}
