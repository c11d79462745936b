//! What every importer makes of its input: a recording in our own terms, page by page.
//!
//! In: nothing. Out: a [`Plan`]. Invariants: the node of step k's action is marked in the page of
//! step k - 1, as [`TARGET`] or [`ALSO`]; a page is made when it is asked for, so that a plan of
//! many steps stays small.

use crate::error::ImportError;
use crate::har::Visit;
use crate::scene::Scene;
use browserlens_core::page::{Capture, Viewport};
use browserlens_core::strategy::{ActionKind, EventKind};
use browserlens_trace::{Canonicalizer, Origin};
use std::path::Path;

/// Mark of the node that was acted on.
pub(crate) const TARGET: &str = "target";
/// Mark of nodes that would have done as well.
pub(crate) const ALSO: &str = "also";

/// A recording in our own terms.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) goal: String,
    pub(crate) viewport: Viewport,
    pub(crate) locale: String,
    pub(crate) timezone: String,
    pub(crate) browser: String,
    pub(crate) recorded_at: Option<String>,
    pub(crate) origin: Origin,
    /// Values known to be secret.
    pub(crate) secrets: Vec<String>,
    pub(crate) steps: Vec<PlannedStep>,
    pub(crate) events: Vec<PlannedEvent>,
    /// Requests of an attached HAR file, which go with the steps that show their documents.
    pub(crate) visits: Vec<Visit>,
    pub(crate) pages: Box<dyn Pages>,
}

impl Plan {
    /// A plan of steps and their pages; what its source does not tell is as it mostly is.
    pub(crate) fn new(name: String, origin: Origin, steps: Vec<PlannedStep>, pages: Box<dyn Pages>) -> Self {
        Self {
            goal: name.clone(),
            name,
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            browser: "unknown".to_owned(),
            recorded_at: None,
            origin,
            secrets: Vec::new(),
            steps,
            events: Vec::new(),
            visits: Vec::new(),
            pages,
        }
    }
}

/// Where a plan comes from; whether its pages were rendered is known when it is written.
pub(crate) fn origin(format: impl Into<String>, source: String, licence: &str, gaps: Vec<String>) -> Origin {
    Origin {
        format: format.into(),
        source,
        licence: licence.to_owned(),
        importer: concat!("browserlens-import ", env!("CARGO_PKG_VERSION")).to_owned(),
        rendered: false,
        gaps,
    }
}

/// Returns the name of a file, for people.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of a file without its extension; another one where it has none.
pub(crate) fn stem(path: &Path, otherwise: &str) -> String {
    path.file_stem().map_or_else(|| otherwise.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// One step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlannedStep {
    pub(crate) tab: u32,
    pub(crate) action: Option<PlannedAction>,
}

/// What was done.
#[derive(Clone, Debug)]
pub(crate) struct PlannedAction {
    pub(crate) kind: ActionKind,
    pub(crate) text: String,
    /// Where it was acted, in CSS px of the viewport.
    pub(crate) point: Option<(f32, f32)>,
    /// What went wrong, if it failed.
    pub(crate) error: Option<String>,
}

impl PlannedAction {
    pub(crate) fn new(kind: ActionKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), point: None, error: None }
    }
}

/// What happened beside the page.
#[derive(Clone, Debug)]
pub(crate) struct PlannedEvent {
    pub(crate) step: u32,
    pub(crate) tab: u32,
    pub(crate) at_ms: u64,
    pub(crate) kind: EventKind,
}

/// Makes the pages of a plan.
pub(crate) trait Pages: Send + Sync {
    /// Returns whether a step's page has to be rendered; if not, [`Pages::capture`] gives it whole.
    fn needs_rendering(&self) -> bool {
        true
    }

    /// Returns the page after a step, to be rendered.
    fn scene(&self, step: usize) -> Result<Scene, ImportError>;

    /// Returns the page whole, and the keys of marked nodes; what needs rendering is derived from
    /// its scene.
    fn capture(
        &self,
        _step: usize,
        _canonicalizer: &mut Canonicalizer,
    ) -> Option<Result<(Capture, Marks), ImportError>> {
        None
    }
}

/// Marked nodes, by mark.
pub(crate) type Marks = Vec<(String, browserlens_core::page::NodeKey)>;
