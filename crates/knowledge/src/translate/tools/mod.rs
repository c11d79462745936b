//! From action to tool calls, for every profile.
//!
//! In: an [`ActionDefinition`] and a [`Context`]. Out: [`BrowserUseAction`]s, in order. Invariants:
//! every one of them is valid by its schema; an action that was inferred never opens a script of
//! its own; a check that is already as wanted gives no call at all.
//!
//! What a tool does itself is as sure as the action; what a script does in its place is taken at
//! [`BY_SCRIPT`] of that, because events made by a script are not trusted by the browser: they set
//! no `:hover` and open no native menu.

mod fields;
mod keys;
mod ours;
mod parameters;
mod place;
mod pointer;
mod view;
mod work;

pub use fields::{PlaceholderFile, placeholder};
pub use keys::chord;
pub(crate) use work::object;
pub use work::{Context, Refs};

use super::error::TranslateError;
use super::script::Operation;
use super::{ActionType, Profile};
use crate::model::{ActionDefinition, BrowserUseAction, ElementTarget, StepAction};
use serde_json::{Value, json};
use work::{Calls, Work, by_script, one};

/// How sure an action is by a script, as a part of how sure it is by trusted input.
pub const BY_SCRIPT: f64 = 0.8;
/// Longest wait, in seconds.
const LONGEST_WAIT: f64 = 600.0;

/// Translates an action.
///
/// # Errors
/// [`TranslateError`].
pub fn translate(
    action: &ActionDefinition,
    profile: Profile,
    context: &Context<'_>,
) -> Result<Vec<BrowserUseAction>, TranslateError> {
    let kind = ActionType::parse(&action.action_type)?;
    let work = Work { action, profile, context, kind };
    let calls = if profile == Profile::BrowserLens { work.ours()? } else { work.calls()? };
    let confidence = action.metadata.confidence.clamp(0.0, 1.0);
    let description = if action.name.trim().is_empty() { work.in_words() } else { action.name.clone() };
    let actions: Vec<BrowserUseAction> = calls
        .into_iter()
        .map(|call| BrowserUseAction {
            confidence: if call.tool == "evaluate" && kind != ActionType::Evaluate {
                confidence * BY_SCRIPT
            } else {
                confidence
            },
            tool_name: call.tool.to_owned(),
            parameters: call.parameters,
            description: description.clone(),
            screen_id: action.screen_id().cloned(),
        })
        .collect();
    actions.iter().try_for_each(|action| profile.validate(action))?;
    Ok(actions)
}

/// Returns an action as one step of a task does it: with what was typed then, and on the node that
/// was meant then, where its name varies.
pub fn as_done(action: &ActionDefinition, step: &StepAction) -> ActionDefinition {
    let mut action = action.clone();
    action.action_type.clone_from(&step.action_type);
    action.parameters.extend(step.parameters.iter().map(|(key, value)| (key.clone(), value.clone())));
    if action.target.is_none() && action.target_selector.is_none() {
        name_target(&mut action, step.target.trim());
    }
    if let Some(target) = action.target.as_mut().filter(|target| target.name_varies) {
        // Steps name their node as `role "name"`.
        let called =
            step.target.strip_prefix(target.role.as_str()).and_then(|rest| rest.trim_start().strip_prefix('"'));
        if let Some(called) = called.and_then(|rest| rest.strip_suffix('"')).filter(|called| !called.is_empty()) {
            if target.name.is_empty() {
                called.clone_into(&mut target.text);
            } else if target.name != called {
                called.clone_into(&mut target.name);
                // It was found by an example of another name.
                action.target_selector = None;
            }
        }
    }
    action
}

/// Takes the node from the words of a step that is no doing of a known action, such as one of a
/// text: a number, `role "name"`, a name, or an address.
fn name_target(action: &mut ActionDefinition, said: &str) {
    if said.is_empty() {
        return;
    }
    let is_address = said.starts_with("http://") || said.starts_with("https://") || said.starts_with('/');
    if is_address || matches!(ActionType::parse(&action.action_type), Ok(ActionType::Navigate | ActionType::NewTab)) {
        action.parameters.entry("url".to_owned()).or_insert_with(|| Value::from(said));
        return;
    }
    if let Ok(index) = said.parse::<u32>() {
        action.parameters.entry("index".to_owned()).or_insert_with(|| Value::from(index));
        return;
    }
    let called = said.split_once(' ').and_then(|(role, rest)| Some((role, rest.strip_prefix('"')?.strip_suffix('"')?)));
    let (role, name) = called.unwrap_or(("", said));
    action.target = Some(ElementTarget { role: role.to_owned(), name: name.to_owned(), ..ElementTarget::default() });
}

impl Work<'_, '_> {
    fn calls(&self) -> Calls {
        use ActionType as A;
        match self.kind {
            A::Navigate => one("navigate", json!({ "url": self.url()? })),
            A::NewTab => one("navigate", json!({ "url": self.url()?, "new_tab": true })),
            A::Search => {
                self.only_browser_use("it has no search")?;
                one("search", json!({ "query": self.needed("query", &["text"])? }))
            }
            A::GoBack => one("go_back", json!({})),
            A::GoForward if self.is_seed() => one("go_forward", json!({})),
            A::GoForward => by_script(Operation::Forward, None, json!({})),
            A::Refresh if self.is_seed() => one("refresh", json!({})),
            A::Refresh => by_script(Operation::Reload, None, json!({})),
            // Tools wait for whole seconds.
            A::Wait => one("wait", json!({ "seconds": self.seconds(LONGEST_WAIT)?.ceil() as u64 })),
            A::WaitFor => {
                let (seconds, place) = (self.seconds_for(LONGEST_WAIT)?, self.words_place()?);
                by_script(Operation::WaitFor, Some(&place), json!({ "seconds": seconds }))
            }
            A::Click => self.click(),
            A::RightClick => self.pointed("right_click", Operation::RightClick),
            A::DoubleClick => self.pointed("double_click", Operation::DoubleClick),
            A::Hover => self.pointed("hover", Operation::Hover),
            A::DragDrop => self.drag(),
            A::Focus => self.scripted(Operation::Focus, &self.at()?, json!({})),
            A::Input | A::Type | A::TypeSlowly | A::Clear => self.input(),
            A::SendKeys => self.keys(&self.key()?),
            A::SelectAll => self.chord("select_all", "Control+a"),
            A::Copy => self.chord("copy", "Control+c"),
            A::Paste => self.chord("paste", "Control+v"),
            A::Cut => self.chord("cut", "Control+x"),
            A::Undo => self.keys("Control+z"),
            A::Redo => self.keys("Control+Shift+z"),
            A::SelectDropdown => self.select(),
            A::DropdownOptions => {
                self.only_browser_use("it has no tool that lists options")?;
                let at = self.at()?;
                one("dropdown_options", json!({ "index": self.index(&at)? }))
            }
            A::Check => self.check(Some(self.flag("checked")?.unwrap_or(true))),
            A::Uncheck => self.check(Some(false)),
            A::Toggle => self.check(None),
            A::UploadFile => self.upload(),
            A::FillForm => self.fill_form(),
            A::SubmitForm => self.form("submit_form", Operation::Submit),
            A::ResetForm => self.form("reset_form", Operation::Reset),
            A::Scroll | A::ScrollUp | A::ScrollDown => self.scroll(),
            A::ScrollToTop => self.keys("Control+Home"),
            A::ScrollToBottom => self.keys("Control+End"),
            A::ScrollToElement => self.scripted(Operation::ScrollTo, &self.at()?, json!({})),
            A::FindText => self.find_text(),
            A::SearchPage => {
                self.only_browser_use("it has no search in the page")?;
                // A pattern of the knowledge is a text, never a regular expression.
                one("search_page", json!({ "pattern": self.needed("pattern", &["text", "query"])?, "regex": false }))
            }
            A::FindElements => {
                self.only_browser_use("it has no tool that lists elements")?;
                one("find_elements", json!({ "selector": self.selector()? }))
            }
            A::PlayVideo => self.media("play_video", "play", None),
            A::PauseVideo => self.media("pause_video", "pause", None),
            A::SeekVideo => {
                let seconds = self.number("seconds")?.or(self.number("position")?).or(self.number("time")?);
                let seconds = self.within("seconds", seconds.ok_or(self.lacks("seconds"))?, 0.0, 1e6)?;
                self.media("seek_video", "seek", Some(("seconds", seconds)))
            }
            A::AdjustVolume => {
                let volume = self.number("volume")?.or(self.number("level")?).ok_or(self.lacks("volume"))?;
                // Either a share or a percentage.
                let volume = if volume > 1.0 { self.within("volume", volume, 0.0, 100.0)? / 100.0 } else { volume };
                self.media("adjust_volume", "volume", Some(("volume", self.within("volume", volume, 0.0, 1.0)?)))
            }
            A::ToggleMute => self.media("toggle_mute", "mute", None),
            A::Screenshot => one("screenshot", json!({ "file_name": self.file_name()? })),
            A::SaveAsPdf => {
                self.only_browser_use("it cannot save")?;
                one("save_as_pdf", json!({ "file_name": self.file_name()? }))
            }
            A::Evaluate => one("evaluate", json!({ "code": self.trusted_script()? })),
            A::Extract => {
                let query = self.needed("query", &["text", "goal"])?;
                one("extract", json!({ "query": query, "extract_links": self.flag("extract_links")? }))
            }
            A::Switch => one("switch", json!({ "tab_id": self.tab(false)? })),
            A::Close => one("close", json!({ "tab_id": self.tab(true)? })),
            A::AcceptDialog | A::DismissDialog | A::Dialog => {
                Err(self.unsupported("no tool answers the browser's own dialogs; browser-use closes them by itself"))
            }
            A::Done => {
                self.only_browser_use("it has no tool that ends a task")?;
                one("done", json!({ "text": self.needed("text", &[])?, "success": self.flag("success")? }))
            }
        }
    }
}
