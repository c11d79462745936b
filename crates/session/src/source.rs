//! What a session looks at and acts on: a trace or a live browser, behind one trait.
//!
//! In: resolved actions. Out: done, or why not. Invariants: an action that was refused has done
//! nothing; a trace goes on by one step only when the action is the one that was recorded there.

use crate::error::ToolError;
use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, NodeKey, Page, SecondLook, States, Tri, Viewport};
use browserlens_core::strategy::{ActError, ActionKind, CaptureImage, PageSource, StepIndex, TakenAction};
use browserlens_trace::{ActionRecord, StepRow, TracePages, screenshot_space};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// An action with its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The action in words.
    pub taken: TakenAction,
    /// The node it is carried out on.
    pub node: Option<NodeKey>,
    /// Where a drag ends.
    pub to: Option<DragTo>,
    /// The point of the node, in CSS px from the upper left corner of its box; where it can be
    /// reached if not said.
    pub at: Option<(f32, f32)>,
}

impl Act {
    /// An action without a node.
    pub(crate) fn bare(taken: TakenAction) -> Self {
        Self { taken, node: None, to: None, at: None }
    }
}

/// Where a drag ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragTo {
    /// On a node.
    On(NodeKey),
    /// Before a node, in its row or column.
    Before(NodeKey),
    /// After it.
    After(NodeKey),
    /// So many CSS px further.
    By(f32, f32),
}

/// Why an action was not carried out.
#[derive(Debug)]
pub enum Undone {
    /// The page does not let it.
    Act(ActError),
    /// The trace has another action here, or none.
    NotRecorded(Option<Box<ActionRecord>>),
    /// Anything else.
    Other(ToolError),
}

impl From<ActError> for Undone {
    fn from(error: ActError) -> Self {
        Self::Act(error)
    }
}

/// One open tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabLine {
    /// Its number.
    pub index: u32,
    /// URL of its page.
    pub url: String,
    /// Whether it is the one that is looked at.
    pub is_current: bool,
}

/// What a browser is and how it was started, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// Viewport.
    pub viewport: Option<Viewport>,
    /// Locale.
    pub locale: String,
    /// Time zone.
    pub timezone: String,
    /// Name and version.
    pub browser: String,
}

/// An action in words, without a node.
pub fn taken(kind: ActionKind, text: &str) -> TakenAction {
    TakenAction { kind, node: None, text: text.to_owned(), error: None }
}

/// Returns whether an action types a text.
pub(crate) fn types(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Fill | ActionKind::Type)
}

/// Returns whether what is typed is a secret: into a node, or into what has the focus where none is
/// named.
pub(crate) fn takes_secret(page: &Page, into: Option<NodeKey>) -> bool {
    let has = |flags: Flags| flags.has(Flags::SECRET);
    match into {
        Some(key) => page.find(key).is_some_and(|node| has(node.flags())),
        None => page.nodes().any(|node| has(node.flags()) && node.states().has(States::FOCUSED)),
    }
}

/// A page source that can be acted on.
pub trait Source: Send {
    /// Returns where pages and events come from.
    fn pages(&mut self) -> &mut dyn PageSource;

    /// Returns the browser, if it is one.
    #[cfg(feature = "live")]
    fn browser(&mut self) -> Option<&mut browserlens_recorder::LiveBrowser> {
        None
    }

    /// Returns what the browser is and how it was started.
    fn setting(&mut self) -> Setting {
        Setting::default()
    }

    /// Returns whether the page may change by itself.
    fn is_live(&self) -> bool;

    /// Returns whether its connections go past the server's checks, as those of a browser do that
    /// somebody else started.
    fn connects_unchecked(&self) -> bool {
        false
    }

    /// Returns whether the current tab is somebody else's: one that was there before and stays.
    fn is_kept(&mut self) -> bool {
        false
    }

    /// Returns what the last click hit, in words, if that was not what was meant: neither the
    /// element nor what lies in it or is its label.
    fn hit_instead(&mut self) -> Option<String> {
        None
    }

    /// Returns whether the last click opened a file chooser.
    fn asks_for_files(&mut self) -> bool {
        false
    }

    /// Returns where in an element its text says some words, in CSS px from the corner of its box;
    /// none if it does not say them, or nobody can tell.
    fn place_of(&mut self, _node: NodeKey, _words: &str) -> Option<[f32; 2]> {
        None
    }

    /// Returns what is selected of a text that can be edited: `selected` and the text; or `caret`
    /// and its line, with a bar where the caret is.
    fn selected_text(&mut self) -> Option<(String, String)> {
        None
    }

    /// Returns URL and number of the document that is shown, without looking at it; none if that
    /// is not known.
    fn document(&self) -> Option<(String, String)> {
        None
    }

    /// Makes the next look read the page as it stands.
    fn refresh(&mut self) {}

    /// Returns whether the browser is there.
    fn is_alive(&self) -> bool {
        true
    }

    /// Starts the browser anew after it ended.
    ///
    /// # Errors
    /// [`ToolError`] if it cannot be started.
    fn restart(&mut self) -> Result<(), ToolError> {
        Ok(())
    }

    /// Returns what the dialog says that blocks the page, if one does.
    fn dialog(&mut self) -> Option<String> {
        None
    }

    /// Lets some time go by.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone.
    fn wait(&mut self, _time: Duration) -> Result<(), ToolError> {
        Ok(())
    }

    /// Returns whether nothing is loaded, whatever moves on the page.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone.
    fn is_network_quiet(&mut self) -> Result<bool, ToolError> {
        Ok(true)
    }

    /// Evaluates an expression as the page's own scripts would.
    ///
    /// # Errors
    /// [`ToolError`] if it throws, the page is gone, or there is no browser.
    fn evaluate(&mut self, _expression: &str) -> Result<serde_json::Value, ToolError> {
        Err(ToolError::NotThere {
            message: "a recording evaluates nothing".to_owned(),
            hint: "serve a live browser for `evaluate`",
        })
    }

    /// Opens a tab and makes it the current one.
    ///
    /// # Errors
    /// [`Undone`] if the URL cannot be opened.
    fn open_tab(&mut self, url: &str) -> Result<(), Undone>;

    /// Returns the tabs that are open.
    ///
    /// # Errors
    /// [`ToolError`] if they cannot be read.
    fn tabs(&mut self) -> Result<Vec<TabLine>, ToolError>;

    /// Returns the pixels of the viewport, or of a node.
    ///
    /// # Errors
    /// [`ToolError`] if there are none.
    fn picture(&mut self, of: Option<NodeKey>) -> Result<CaptureImage, ToolError>;

    /// Carries out an action and waits until the page settled.
    ///
    /// # Errors
    /// [`Undone`]; nothing was done then.
    fn act(&mut self, act: &Act) -> Result<(), Undone>;

    /// Goes to a step of a recording.
    ///
    /// # Errors
    /// [`ToolError`] if it has no such step, or it is a browser.
    fn set_step(&mut self, _step: StepIndex) -> Result<(), ToolError> {
        Err(ToolError::Arguments("a browser has no steps".to_owned()))
    }

    /// Returns what changed by itself after the step before this one, where that is known.
    fn earlier_second_look(&mut self) -> Option<SecondLook> {
        None
    }
}

/// Opens what sessions look at: each session gets its own.
pub trait Opener: Send + Sync {
    /// Returns whether a browser is opened, not a recording.
    fn is_live(&self) -> bool;

    /// Opens a source for one session, at a URL if it is a browser; none if there is nothing to look
    /// at before a URL is given.
    ///
    /// # Errors
    /// [`ToolError`] if there is no such trace or no browser.
    fn open(&self, url: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError>;
}

/// Opens a trace.
#[derive(Debug)]
pub struct TraceOpener {
    path: PathBuf,
    step: StepIndex,
}

impl TraceOpener {
    /// Takes a trace and the step that sessions begin at, and checks that both can be opened.
    ///
    /// # Errors
    /// As [`TracePages::open`] and [`TracePages::set_step`].
    pub fn new(path: &Path, step: u32) -> Result<Self, browserlens_trace::TraceError> {
        let step = StepIndex(step);
        TracePages::open(path)?.set_step(step)?;
        Ok(Self { path: path.to_owned(), step })
    }
}

impl Opener for TraceOpener {
    fn is_live(&self) -> bool {
        false
    }

    fn open(&self, _url: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError> {
        let mut pages = TracePages::open(&self.path)?;
        pages.set_step(self.step)?;
        let rows = pages.trace().steps()?;
        Ok(Some(Box::new(TraceSource { pages, rows })))
    }
}

/// A trace that goes on when it is acted on as it was.
#[derive(Debug)]
struct TraceSource {
    pages: TracePages,
    rows: Vec<StepRow>,
}

impl Source for TraceSource {
    fn pages(&mut self) -> &mut dyn PageSource {
        &mut self.pages
    }

    fn is_live(&self) -> bool {
        false
    }

    fn document(&self) -> Option<(String, String)> {
        // A recorded page is what it is: its step tells it from the others.
        Some((format!("step {}", self.pages.step().0), String::new()))
    }

    fn open_tab(&mut self, _url: &str) -> Result<(), Undone> {
        let next = self.pages.step().0 as usize + 1;
        let recorded = self.rows.get(next).and_then(|row| row.action.as_ref());
        Err(Undone::NotRecorded(recorded.cloned().map(Box::new)))
    }

    fn tabs(&mut self) -> Result<Vec<TabLine>, ToolError> {
        let current = self.rows.get(self.pages.step().0 as usize).map(|row| row.tab);
        let tabs = self.pages.tabs()?;
        let line = |index| {
            let url = self.pages.page_of(index).map(|(page, _)| page.url().to_owned()).unwrap_or_default();
            TabLine { index, url, is_current: Some(index) == current }
        };
        Ok(tabs.into_iter().map(line).collect())
    }

    fn picture(&mut self, of: Option<NodeKey>) -> Result<CaptureImage, ToolError> {
        let (page, capture) = self.pages.page()?;
        let missing = |what: &str| ToolError::NotThere {
            message: format!("{what} is not in this trace"),
            hint: "ask for the viewport, or for something that lies in it",
        };
        let Some(key) = of else {
            let png = capture.screenshot().ok_or_else(|| missing("a screenshot"))?;
            return Ok(CaptureImage { png: Arc::clone(png), space: screenshot_space(&page) });
        };
        let bounds = page.find(key).map(|node| node.bounds()).ok_or_else(|| missing("a picture of it"))?;
        self.pages.crop(bounds).map_err(|_| missing("a picture of it"))
    }

    fn act(&mut self, act: &Act) -> Result<(), Undone> {
        let next = StepIndex(self.pages.step().0 + 1);
        let (page, _) = self.pages.page().map_err(|error| Undone::Other(error.into()))?;
        let recorded = self.rows.get(next.0 as usize).and_then(|row| row.action.as_ref());
        let Some(recorded) = recorded else { return Err(Undone::NotRecorded(None)) };
        if !is_same(act, recorded, &page) {
            if act.taken.kind == ActionKind::Check && checked(act, &page) == Some(wants(&act.taken)) {
                // It is so already: nothing is to be done, on a live page either.
                return Ok(());
            }
            return Err(Undone::NotRecorded(Some(Box::new(recorded.clone()))));
        }
        self.pages.set_step(next).map_err(|error| Undone::Other(error.into()))
    }

    fn set_step(&mut self, step: StepIndex) -> Result<(), ToolError> {
        Ok(self.pages.set_step(step)?)
    }

    fn earlier_second_look(&mut self) -> Option<SecondLook> {
        let before = self.pages.step().0.checked_sub(1)?;
        self.pages.trace().second_look(StepIndex(before)).ok().flatten()
    }
}

/// Returns whether an action is the recorded one: kind, node, and what was typed or chosen.
fn is_same(act: &Act, ActionRecord { taken: recorded, acceptable, .. }: &ActionRecord, page: &Page) -> bool {
    let on_it = match act.node {
        None => true,
        // What lies in the node that was clicked is hit by the same click.
        Some(node) => acceptable.iter().any(|key| {
            *key == node
                || page
                    .find(*key)
                    .zip(page.find(node))
                    .is_some_and(|(known, node)| known.holds(node.id()) && !node.is_interactive())
        }),
    };
    let says = folded(&act.taken.text) == folded(&recorded.text);
    let is_secret = acceptable.iter().filter_map(|key| page.find(*key)).any(|node| node.flags().has(Flags::SECRET));
    use ActionKind as K;
    match (act.taken.kind, recorded.kind) {
        (K::Click, K::Click | K::Check) | (K::DoubleClick, K::DoubleClick) | (K::RightClick, K::RightClick) => {
            act.node.is_some() && on_it
        }
        (K::Check, K::Check) => act.node.is_some() && on_it && wants(&act.taken) == wants(recorded),
        // The click that sets it.
        (K::Check, K::Click) => on_it && checked(act, page) == Some(!wants(&act.taken)),
        (K::Hover, K::Hover) => act.node.is_some() && on_it,
        (K::Fill | K::Type, K::Fill | K::Type) => act.node.is_some() && on_it && (says || is_secret),
        (K::Select, K::Select) => act.node.is_some() && on_it && says,
        // What a drag ended on, how far was scrolled and which files were taken stand in no trace
        // in a form that can be compared.
        (K::Upload, K::Upload) | (K::Drag, K::Drag) => act.node.is_some() && on_it,
        (K::Scroll, K::Scroll) => on_it,
        (K::Press, K::Press) => on_it && act.taken.text.eq_ignore_ascii_case(&recorded.text),
        (K::Goto, K::Goto) => says || is_same_place(&act.taken.text, &recorded.text, page.url()),
        (K::Dialog, K::Dialog) => (act.taken.text == "dismiss") == (recorded.text == "dismiss"),
        (K::SwitchTab, K::SwitchTab) => says,
        (K::Back, K::Back) | (K::Forward, K::Forward) | (K::CloseTab, K::CloseTab) | (K::WaitFor, K::WaitFor) => true,
        _ => false,
    }
}

/// Returns whether a check is to be set or taken away.
fn wants(taken: &TakenAction) -> bool {
    taken.text != "false"
}

/// Returns whether what an action is on is checked; none if it cannot be.
fn checked(act: &Act, page: &Page) -> Option<bool> {
    Some(page.find(act.node?)?.checked()? == Tri::True)
}

/// Returns whether two URLs lead to the same place, the second one perhaps written without its
/// host.
fn is_same_place(asked: &str, recorded: &str, current: &str) -> bool {
    let base = Url::parse(current).ok();
    let parse = |text: &str| match &base {
        Some(base) => base.join(text).ok(),
        None => Url::parse(text).ok(),
    };
    match (parse(asked), parse(recorded)) {
        (Some(asked), Some(recorded)) => {
            asked == recorded || (asked.path() == recorded.path() && asked.query() == recorded.query())
        }
        _ => false,
    }
}
