//! A live browser and one reader of it.
//!
//! In: a URL or a browser, and actions by ref. Out: observations: the first in full, later ones as
//! what changed. Invariant: an action is carried out on the element that its ref was shown for, or
//! not at all.

use crate::action::{Action, DropAt, TabAction};
use crate::error::{LiveError, Meant, of_ref};
use crate::session::Session;
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActError, ActionKind, Actor, CaptureImage, Observation, Request, TakenAction, Task};
use browserlens_recorder::{AttachTab, DragEnd, LiveBrowser, LiveOptions, Wait};
use serde_json::Value;

/// The strategy that is the whole system.
const DEFAULT: &str = "lens/delta";

/// A live page as an agent sees it.
#[derive(Debug)]
pub struct LiveLens {
    browser: LiveBrowser,
    session: Session,
    task: Task,
    action: Option<TakenAction>,
}

impl LiveLens {
    /// Starts a browser and opens a URL.
    ///
    /// # Errors
    /// [`LiveError::Browser`] if there is no browser or the URL cannot be opened.
    pub fn open(url: &str, options: &LiveOptions) -> Result<Self, LiveError> {
        Self::over(LiveBrowser::open(url, options)?, options)
    }

    /// Attaches to a browser that runs, by the address of its protocol; it stays when this is
    /// dropped.
    ///
    /// # Errors
    /// [`LiveError::Browser`] if no browser answers there or it has no such tab.
    pub fn attach(address: &str, tab: &AttachTab, options: &LiveOptions) -> Result<Self, LiveError> {
        Self::over(LiveBrowser::attach(address, tab, options)?, options)
    }

    fn over(browser: LiveBrowser, options: &LiveOptions) -> Result<Self, LiveError> {
        let task = Task { goal: String::new(), viewport: options.viewport, locale: options.locale.clone() };
        let session = Session::named(DEFAULT, &Value::Null, task.clone())?;
        Ok(Self { browser, session, task, action: None })
    }

    /// Takes another strategy, with options as in `traces/strategies.toml`; what was shown is
    /// forgotten.
    ///
    /// # Errors
    /// [`LiveError::UnknownStrategy`] if there is none of that name or an option is wrong.
    pub fn strategy(mut self, name: &str, options: &Value) -> Result<Self, LiveError> {
        self.session = Session::named(name, options, self.task.clone())?;
        Ok(self)
    }

    /// Limits every observation to this many tokens.
    ///
    /// # Errors
    /// [`LiveError::UnknownStrategy`] if the strategy knows no budget.
    pub fn budget(self, tokens: u32) -> Result<Self, LiveError> {
        let name = self.session.strategy().name().to_owned();
        self.strategy(&name, &serde_json::json!({ "budget": tokens }))
    }

    /// Returns the browser, for what is no observation: events, tabs, dialogs.
    pub fn browser(&mut self) -> &mut LiveBrowser {
        &mut self.browser
    }

    /// Returns the reader.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns what the agent is shown of the page now: in full first, then what changed.
    ///
    /// # Errors
    /// [`LiveError::Blocked`] while a dialog is open, [`LiveError::BrowserGone`] after the browser
    /// ended.
    pub fn observe(&mut self) -> Result<Observation, LiveError> {
        if let Some(dialog) = self.browser.dialog() {
            return Err(LiveError::Blocked { message: dialog.message });
        }
        let observation = self.session.observe(&mut self.browser, self.action.as_ref())?;
        self.action = None;
        Ok(observation)
    }

    /// Answers a request about the page observed last.
    ///
    /// # Errors
    /// [`LiveError::Strategy`] if the strategy knows no such request or not that handle.
    pub fn request(&mut self, request: &Request) -> Result<Observation, LiveError> {
        self.session.request(request)
    }

    /// Starts the browser anew after it ended; the next observation is full.
    ///
    /// # Errors
    /// [`LiveError::Browser`] if it cannot be started.
    pub fn restart(&mut self) -> Result<(), LiveError> {
        self.browser.restart()?;
        self.session.reset();
        Ok(())
    }

    /// Returns the pixels of the viewport, or of the element of a ref.
    ///
    /// # Errors
    /// [`LiveError`] if the ref is unknown or its element has no box.
    pub fn screenshot(&mut self, reference: Option<&str>) -> Result<CaptureImage, LiveError> {
        let key = reference.map(|reference| self.session.key_of(reference)).transpose()?;
        Ok(self.browser.screenshot(key)?)
    }

    /// Carries out an action and waits until the page settled.
    ///
    /// # Errors
    /// [`LiveError`] saying what is wrong with the ref's element; nothing was done then, or the
    /// reason says what.
    pub fn act(&mut self, action: &Action) -> Result<(), LiveError> {
        if let Some(dialog) = self.browser.dialog()
            && !matches!(action, Action::Dialog { .. } | Action::Tab(_))
        {
            return Err(LiveError::Blocked { message: dialog.message });
        }
        let taken = act(&mut self.browser, &self.session, action)?;
        self.action = taken;
        Ok(())
    }
}

/// Carries out an action of a session; returns what was done.
pub(crate) fn act(
    browser: &mut LiveBrowser,
    session: &Session,
    action: &Action,
) -> Result<Option<TakenAction>, LiveError> {
    let on = |browser: &mut LiveBrowser, kind: ActionKind, reference: Option<&str>, text: &str| {
        let taken = TakenAction { kind, node: None, text: text.to_owned(), error: None };
        let key = reference.map(|reference| session.key_of(reference)).transpose()?;
        match browser.act(&taken, key) {
            Ok(()) => Ok(Some(taken)),
            Err(error) => Err(explained(error, browser, session, kind.name(), reference, key)),
        }
    };
    let plain =
        |browser: &LiveBrowser, name: &str, error: ActError| explained(error, browser, session, name, None, None);
    match action {
        Action::Navigate { url } => on(browser, ActionKind::Goto, None, url),
        Action::Click { reference } => on(browser, ActionKind::Click, Some(reference), ""),
        Action::DoubleClick { reference } => on(browser, ActionKind::DoubleClick, Some(reference), ""),
        Action::RightClick { reference } => on(browser, ActionKind::RightClick, Some(reference), ""),
        Action::Hover { reference } => on(browser, ActionKind::Hover, Some(reference), ""),
        Action::Type { reference, text } => on(browser, ActionKind::Fill, Some(reference), text),
        Action::TypeKeys { reference, text } => on(browser, ActionKind::Type, Some(reference), text),
        Action::Press { reference, key } => on(browser, ActionKind::Press, reference.as_deref(), key),
        Action::Select { reference, option } => on(browser, ActionKind::Select, Some(reference), option),
        Action::Check { reference, on: wanted } => {
            on(browser, ActionKind::Check, Some(reference), if *wanted { "true" } else { "false" })
        }
        Action::Scroll { reference, x, y } => {
            on(browser, ActionKind::Scroll, reference.as_deref(), &format!("{x}, {y}"))
        }
        Action::Upload { reference, files } => {
            let files: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
            on(browser, ActionKind::Upload, Some(reference), &files.join(", "))
        }
        Action::Back => on(browser, ActionKind::Back, None, ""),
        Action::Forward => on(browser, ActionKind::Forward, None, ""),
        Action::Drag { from, to } => {
            let first = session.key_of(from)?;
            let (end, other) = match to {
                DropAt::On(other) => (DragEnd::On { node: session.key_of(other)?, point: None }, Some(other)),
                DropAt::Before(other) => (DragEnd::Beside { node: session.key_of(other)?, after: false }, Some(other)),
                DropAt::After(other) => (DragEnd::Beside { node: session.key_of(other)?, after: true }, Some(other)),
                DropAt::By(x, y) => (DragEnd::By(*x, *y), None),
            };
            match browser.drag(first, end, None) {
                Ok(()) => {
                    Ok(Some(TakenAction { kind: ActionKind::Drag, node: None, text: String::new(), error: None }))
                }
                Err(error) => {
                    let (reference, key) = match (&error, other) {
                        (ActError::NodeGone { key }, Some(other)) if session.key_of(other)? == *key => (other, *key),
                        _ => (from, first),
                    };
                    Err(explained(error, browser, session, "drag", Some(reference), Some(key)))
                }
            }
        }
        Action::Wait(wait) => match browser.wait(wait)? {
            true => Ok(None),
            false => {
                let what = match wait {
                    Wait::Text(text) => format!("{text:?} did not appear in time"),
                    Wait::Gone(text) => format!("{text:?} did not go in time"),
                    Wait::Time(_) => "it took too long".to_owned(),
                };
                Err(LiveError::NotPossible { action: "wait".to_owned(), reason: what })
            }
        },
        Action::Tab(TabAction::New { url }) => {
            browser.new_tab(url).map_err(|error| plain(browser, "new_tab", error))?;
            Ok(None)
        }
        Action::Tab(TabAction::Switch { index }) => on(browser, ActionKind::SwitchTab, None, &index.to_string()),
        Action::Tab(TabAction::Close { index }) => {
            let before = browser.open_tabs().into_iter().find(|tab| tab.current).map(|tab| tab.index);
            let other = index.filter(|index| Some(*index) != before);
            if let Some(index) = other {
                on(browser, ActionKind::SwitchTab, None, &index.to_string())?;
            }
            let closed = on(browser, ActionKind::CloseTab, None, "");
            if let (Some(_), Some(before)) = (other, before) {
                on(browser, ActionKind::SwitchTab, None, &before.to_string())?;
            }
            closed
        }
        Action::Dialog { accept, text } => {
            browser.answer_dialog(*accept, text.as_deref()).map_err(|error| plain(browser, "dialog", error))?;
            Ok(None)
        }
    }
}

fn explained(
    error: ActError,
    browser: &LiveBrowser,
    session: &Session,
    action: &str,
    reference: Option<&str>,
    key: Option<NodeKey>,
) -> LiveError {
    match (reference, error) {
        (Some(reference), error) => {
            let other = key.filter(|key| !browser.shows_document_of(*key)).map(|_| browser.url());
            of_ref(error, Meant { reference, said: session.said(reference) }, other)
        }
        (None, ActError::Source(error)) => error.into(),
        (None, ActError::NotActionable { reason, .. }) => LiveError::NotPossible { action: action.to_owned(), reason },
        (None, error) => LiveError::NotPossible { action: action.to_owned(), reason: error.to_string() },
    }
}
