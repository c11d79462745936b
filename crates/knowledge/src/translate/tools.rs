//! From action to tool calls, for both profiles.
//!
//! In: an [`ActionDefinition`] and a [`Context`]. Out: [`BrowserUseAction`]s, in order. Invariants: every one of them is valid by its schema; an
//! action that was inferred never opens a script of its own; a check that is already as wanted gives no call at all.
//!
//! What a tool does itself is as sure as the action; what a script does in its place is taken at [`BY_SCRIPT`] of that, because events made by a
//! script are not trusted by the browser: they set no `:hover` and open no native menu.

use super::error::{TranslateError, shown};
use super::locate;
use super::resolve::{Wanted, resolve};
use super::script::{Operation, Place, Words, place_value, script};
use super::{ActionType, Profile};
use crate::model::{ActionDefinition, BrowserUseAction, ElementTarget, StepAction};
use browserlens_page::{NodeRef, Page};
use browserlens_snapshot::select::Selector;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use url::Url;

/// How sure an action is by a script, as a part of how sure it is by trusted input.
pub const BY_SCRIPT: f64 = 0.8;
/// CSS px of a page where none is given: what browser-use takes a viewport to be.
const USUAL_HEIGHT: f64 = 720.0;
/// Most fields of one form.
const MOST_FIELDS: usize = 100;

/// What an action is translated for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The page on which the action is to be done, live or recorded.
    pub page: Option<&'a Page>,
    /// Where relative URLs begin, if not at the page.
    pub base_url: Option<&'a str>,
    /// Ids of the open tabs, in order of opening.
    pub tabs: &'a [String],
    /// Which of them is shown.
    pub tab: usize,
    /// Whether a script may look for a node where no page is given; else that is [`TranslateError::NeedsPage`].
    pub late: bool,
    /// Whether scripts that the knowledge holds may be run.
    pub trust_scripts: bool,
}

/// How the node of an action is named to a tool.
enum At<'p> {
    Node(NodeRef<'p>),
    Selector(String),
    Words(Box<Words>),
}

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
    let calls = work.calls()?;
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

/// Returns an action as one step of a task does it: with what was typed then, and on the node that was meant then, where its name varies.
pub fn as_done(action: &ActionDefinition, step: &StepAction) -> ActionDefinition {
    let mut action = action.clone();
    action.action_type.clone_from(&step.action_type);
    action.parameters.extend(step.parameters.iter().map(|(key, value)| (key.clone(), value.clone())));
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

/// One call of a tool.
struct Call {
    tool: &'static str,
    parameters: BTreeMap<String, Value>,
}

type Calls = Result<Vec<Call>, TranslateError>;

fn call(tool: &'static str, parameters: Value) -> Call {
    let parameters = match parameters {
        Value::Object(map) => map.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => BTreeMap::new(),
    };
    Call { tool, parameters }
}

fn one(tool: &'static str, parameters: Value) -> Calls {
    Ok(vec![call(tool, parameters)])
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn by_script(operation: Operation, at: Option<&Place>, values: Value) -> Call {
    call("evaluate", json!({ "code": script(operation, at, object(values)) }))
}

struct Work<'a, 'p> {
    action: &'a ActionDefinition,
    profile: Profile,
    context: &'a Context<'p>,
    kind: ActionType,
}

impl<'p> Work<'_, 'p> {
    fn is_seed(&self) -> bool {
        self.profile == Profile::Seed
    }

    fn in_words(&self) -> String {
        let wanted = Wanted::of(self.action);
        if wanted.is_empty() {
            self.kind.name().to_owned()
        } else {
            format!("{} {}", self.kind.name(), wanted.in_words())
        }
    }

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
            A::GoForward => Ok(vec![by_script(Operation::Forward, None, json!({}))]),
            A::Refresh if self.is_seed() => one("refresh", json!({})),
            A::Refresh => Ok(vec![by_script(Operation::Reload, None, json!({}))]),
            A::Wait => {
                let seconds = self.number("seconds")?.or(self.number("ms")?.map(|ms| ms / 1000.0)).unwrap_or(3.0);
                let seconds = self.within("seconds", seconds, 0.0, 600.0)?;
                // Tools wait for whole seconds.
                one("wait", json!({ "seconds": seconds.ceil() as u64 }))
            }
            A::WaitFor => {
                let seconds = self.within("seconds", self.number("seconds")?.unwrap_or(10.0), 0.0, 600.0)?;
                let place = self.words_place()?;
                Ok(vec![by_script(Operation::WaitFor, Some(&place), json!({ "seconds": seconds }))])
            }
            A::Click => self.click(),
            A::RightClick => self.pointed("right_click", Operation::RightClick),
            A::DoubleClick => self.pointed("double_click", Operation::DoubleClick),
            A::Hover => self.pointed("hover", Operation::Hover),
            A::DragDrop => self.drag(),
            A::Focus => {
                let place = self.place(&self.at()?)?;
                Ok(vec![by_script(Operation::Focus, Some(&place), json!({}))])
            }
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
            A::ScrollToElement => {
                let place = self.place(&self.at()?)?;
                Ok(vec![by_script(Operation::ScrollTo, Some(&place), json!({}))])
            }
            A::FindText => self.find_text(),
            A::SearchPage => {
                self.only_browser_use("it has no search in the page")?;
                // A pattern of the knowledge is a text, never a regular expression.
                one("search_page", json!({ "pattern": self.needed("pattern", &["text", "query"])?, "regex": false }))
            }
            A::FindElements => {
                self.only_browser_use("it has no tool that lists elements")?;
                let selector = self.needed("selector", &[]).or_else(|error| {
                    self.action.target_selector.clone().filter(|text| !text.is_empty()).ok_or(error)
                })?;
                checked(&selector)?;
                one("find_elements", json!({ "selector": selector }))
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
            A::Evaluate => {
                if self.action.metadata.inferred || !self.context.trust_scripts {
                    return Err(TranslateError::ScriptNotTrusted);
                }
                one("evaluate", json!({ "code": self.needed("code", &["script"])? }))
            }
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

    // What an action says.

    fn lacks(&self, parameter: &'static str) -> TranslateError {
        TranslateError::MissingParameter { action_type: self.kind.name(), parameter }
    }

    fn bad(&self, parameter: &'static str, problem: impl Into<String>) -> TranslateError {
        TranslateError::BadParameter { action_type: self.kind.name(), parameter, problem: problem.into() }
    }

    fn unsupported(&self, reason: &'static str) -> TranslateError {
        TranslateError::NotSupported { profile: self.profile, action_type: self.kind.name(), reason }
    }

    fn only_browser_use(&self, reason: &'static str) -> Result<(), TranslateError> {
        if self.is_seed() { Err(self.unsupported(reason)) } else { Ok(()) }
    }

    fn text(&self, name: &'static str) -> Result<Option<String>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(self.bad(name, "is no text")),
        }
    }

    fn needed(&self, name: &'static str, others: &[&'static str]) -> Result<String, TranslateError> {
        for name in std::iter::once(&name).chain(others) {
            if let Some(text) = self.text(name)? {
                return Ok(text);
            }
        }
        Err(self.lacks(name))
    }

    fn number(&self, name: &'static str) -> Result<Option<f64>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64().filter(|number| number.is_finite())),
            Some(Value::String(text)) => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.bad(name, "is no number")),
            },
            Some(_) => Err(self.bad(name, "is no number")),
        }
    }

    fn within(&self, name: &'static str, value: f64, least: f64, most: f64) -> Result<f64, TranslateError> {
        if (least..=most).contains(&value) {
            Ok(value)
        } else {
            Err(self.bad(name, format!("is {value}; allowed: {least} to {most}")))
        }
    }

    fn flag(&self, name: &'static str) -> Result<Option<bool>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(Some(text == "true")),
            Some(_) => Err(self.bad(name, "is neither true nor false")),
        }
    }

    /// Two numbers: `[x, y]`.
    fn pair(&self, name: &'static str) -> Result<Option<[f64; 2]>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(items)) => match items.iter().map(Value::as_f64).collect::<Vec<_>>().as_slice() {
                [Some(x), Some(y)] if x.abs() < 1e6 && y.abs() < 1e6 => Ok(Some([*x, *y])),
                _ => Err(self.bad(name, "is no pair of numbers")),
            },
            Some(_) => Err(self.bad(name, "is no pair of numbers")),
        }
    }

    fn file_name(&self) -> Result<Option<String>, TranslateError> {
        let name = self.text("file_name")?;
        if name.as_ref().is_some_and(|name| name.contains(['/', '\\']) || name.contains("..")) {
            return Err(self.bad("file_name", "names a folder"));
        }
        Ok(name)
    }

    /// An address of the web; nothing that runs or reads something on the machine.
    fn url(&self) -> Result<String, TranslateError> {
        let text = self.needed("url", &["target"])?;
        if text.trim().is_empty() {
            return Err(self.bad("url", "is empty"));
        }
        let base = self.context.base_url.or(self.context.page.map(Page::url)).and_then(|base| Url::parse(base).ok());
        let url = match (Url::parse(text.trim()), base) {
            (Ok(url), _) => url,
            (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => base
                .join(text.trim())
                .map_err(|error| self.bad("url", format!("{:?} is no address: {error}", shown(&text))))?,
            (Err(error), _) => return Err(self.bad("url", format!("{:?} is no address: {error}", shown(&text)))),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(self.bad("url", format!("{:?} is no http or https address", shown(&text))));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.bad("url", "holds credentials"));
        }
        Ok(url.into())
    }

    fn tab(&self, current_by_default: bool) -> Result<String, TranslateError> {
        let index = self.number("index")?.or(self.number("tab")?);
        let id = match (self.text("tab_id")?, index) {
            (Some(id), _) => Some(id),
            (None, Some(index)) if index >= 0.0 => self.context.tabs.get(index as usize).cloned(),
            (None, Some(_)) => None,
            (None, None) if current_by_default => self.context.tabs.get(self.context.tab).cloned(),
            (None, None) => None,
        };
        id.ok_or_else(|| self.lacks("the id of a tab (`tab_id`, or `index` with the open tabs given)"))
    }

    // Where its node is.

    fn at(&self) -> Result<At<'p>, TranslateError> {
        self.at_of(&Wanted::of(self.action))
    }

    fn at_of(&self, wanted: &Wanted) -> Result<At<'p>, TranslateError> {
        if wanted.is_empty() {
            return Err(self.lacks("a node: `target`, `target_selector` or `index`"));
        }
        if let Some(page) = self.context.page {
            return resolve(page, self.kind, wanted).map(At::Node);
        }
        if let Some(selector) = &wanted.selector {
            checked(selector)?;
            // Which of the two tells the node better is not known without a page; a stored selector is of this very node.
            if self.is_seed() || self.context.late {
                return Ok(At::Selector(selector.clone()));
            }
        }
        match &wanted.target {
            Some(target) if self.context.late => Ok(At::Words(Box::new(words(target, 0)))),
            _ => Err(TranslateError::NeedsPage { action_type: self.kind.name(), wanted: wanted.in_words() }),
        }
    }

    /// The node for a script.
    fn place(&self, at: &At<'p>) -> Result<Place, TranslateError> {
        match at {
            At::Node(node) => match locate::path(*node) {
                Ok(path) => Ok(Place::Path(path)),
                Err(no_path) => Err(TranslateError::Unreachable {
                    action_type: self.kind.name(),
                    wanted: Wanted::of(self.action).in_words(),
                    place: no_path.place(),
                }),
            },
            At::Selector(selector) => Ok(Place::Path(vec![selector.clone()])),
            At::Words(words) => Ok(Place::Words((**words).clone())),
        }
    }

    /// What is waited for is not there yet: it is named as it is known, not by a page.
    fn words_place(&self) -> Result<Place, TranslateError> {
        let wanted = Wanted::of(self.action);
        if let Some(target) = &wanted.target {
            return Ok(Place::Words(words(target, 0)));
        }
        if let Some(selector) = &wanted.selector {
            checked(selector)?;
            return Ok(Place::Path(vec![selector.clone()]));
        }
        let text = self.needed("text", &[])?;
        Ok(Place::Words(Words { text, ..Words::default() }))
    }

    fn index(&self, at: &At<'p>) -> Result<u32, TranslateError> {
        match at {
            At::Node(node) => Ok(node.key().backend),
            _ => Err(TranslateError::NeedsPage {
                action_type: self.kind.name(),
                wanted: Wanted::of(self.action).in_words(),
            }),
        }
    }

    /// A call of a tool that takes an element, or a script where the tool cannot be told which.
    fn with_element(&self, tool: &'static str, at: &At<'p>, more: Value, operation: Operation, values: Value) -> Calls {
        let mut parameters = object(more);
        match at {
            At::Node(node) => {
                parameters.insert("index".to_owned(), Value::from(node.key().backend));
            }
            At::Selector(selector) if self.is_seed() => {
                parameters.insert("selector".to_owned(), Value::from(selector.as_str()));
            }
            _ => return Ok(vec![by_script(operation, Some(&self.place(at)?), values)]),
        }
        one(tool, Value::Object(parameters))
    }

    // What is done.

    /// Where on its node: `point` from the node's top left corner, or `coordinate_x` and `coordinate_y` on the page.
    fn point(&self, at: &At<'p>) -> Result<Option<Value>, TranslateError> {
        if let Some(point) = self.pair("point")? {
            return Ok(Some(json!({ "point": point })));
        }
        let (Some(x), Some(y)) = (self.number("coordinate_x")?, self.number("coordinate_y")?) else { return Ok(None) };
        Ok(Some(match at {
            At::Node(node) => {
                let corner = node.bounds();
                json!({ "point": [x - f64::from(corner.x), y - f64::from(corner.y)] })
            }
            _ => json!({ "page": [x, y] }),
        }))
    }

    fn click(&self) -> Calls {
        let at = self.at()?;
        if let Some(point) = self.point(&at)? {
            return Ok(vec![by_script(Operation::Click, Some(&self.place(&at)?), point)]);
        }
        self.with_element("click", &at, json!({}), Operation::Click, json!({}))
    }

    /// Tools of the one profile, scripts of the other.
    fn pointed(&self, tool: &'static str, operation: Operation) -> Calls {
        let at = self.at()?;
        match self.point(&at)? {
            None if self.is_seed() => self.with_element(tool, &at, json!({}), operation, json!({})),
            point => Ok(vec![by_script(operation, Some(&self.place(&at)?), point.unwrap_or_else(|| json!({})))]),
        }
    }

    fn drag(&self) -> Calls {
        let at = self.at()?;
        let to = match self.action.parameters.get("to") {
            None | Some(Value::Null) => None,
            Some(Value::String(selector)) => Some(Wanted { selector: Some(selector.clone()), ..Wanted::default() }),
            Some(value) => {
                let target = serde_json::from_value::<ElementTarget>(value.clone())
                    .map_err(|error| self.bad("to", format!("names no node: {}", shown(&error.to_string()))))?;
                Some(Wanted { target: Some(target), ..Wanted::default() })
            }
        };
        let by = self.pair("by")?;
        let point = self.point(&at)?;
        let to_point = self.pair("to_point")?;
        let Some(to) = to else {
            let by = by.ok_or(self.lacks("where the node is dropped: `to` (a node) or `by` (CSS px)"))?;
            let mut values = point.unwrap_or_else(|| json!({}));
            values["by"] = json!(by);
            return Ok(vec![by_script(Operation::Drag, Some(&self.place(&at)?), values)]);
        };
        let to = self.at_of(&to)?;
        if self.is_seed() && point.is_none() && to_point.is_none() {
            let mut parameters = Map::new();
            for (at, index, selector) in [(&at, "index", "selector"), (&to, "target_index", "target_selector")] {
                match at {
                    At::Node(node) => parameters.insert(index.to_owned(), Value::from(node.key().backend)),
                    At::Selector(text) => parameters.insert(selector.to_owned(), Value::from(text.as_str())),
                    At::Words(_) => None,
                };
            }
            if parameters.len() == 2 {
                return one("drag_drop", Value::Object(parameters));
            }
        }
        let mut values = point.unwrap_or_else(|| json!({}));
        values["to"] = place_value(&self.place(&to)?);
        values["toPoint"] = json!(to_point);
        Ok(vec![by_script(Operation::Drag, Some(&self.place(&at)?), values)])
    }

    fn input(&self) -> Calls {
        let clears = match self.kind {
            ActionType::Input => self.flag("clear")?.unwrap_or(true),
            ActionType::Clear => true,
            _ => self.flag("clear")?.unwrap_or(false),
        };
        let text = match self.kind {
            ActionType::Clear => String::new(),
            _ => self.needed("text", &["value"])?,
        };
        if Wanted::of(self.action).is_empty() && self.kind != ActionType::Clear {
            return self.type_into_focus(&text);
        }
        let at = self.at()?;
        let text = if self.is_seed() { text } else { secret_for_browser_use(&text) };
        let values = json!({ "text": text, "add": !clears });
        let (tool, parameters) = match (self.is_seed(), self.kind) {
            (true, ActionType::Clear) => ("clear", json!({})),
            (true, ActionType::TypeSlowly) => ("type_slowly", json!({ "text": text })),
            _ => ("input", json!({ "text": text, "clear": clears })),
        };
        self.with_element(tool, &at, parameters, Operation::SetText, values)
    }

    /// Types into what has the focus. `send_keys` reads `+` as a chord and some words as keys: these go by a script.
    fn type_into_focus(&self, text: &str) -> Calls {
        if text.is_empty() {
            return Err(self.bad("text", "is empty, and no node is named"));
        }
        if text.contains('+') || is_key(text) {
            return Ok(vec![by_script(
                Operation::SetText,
                Some(&Place::Focused),
                json!({ "text": text, "add": true }),
            )]);
        }
        one("send_keys", json!({ "keys": text }))
    }

    fn key(&self) -> Result<String, TranslateError> {
        let keys = self.needed("keys", &["key", "text"])?;
        chord(&keys).ok_or_else(|| self.bad("keys", format!("{:?} is no key or chord", shown(&keys))))
    }

    /// Presses keys; where a node is named that has not the focus, it gets it first.
    fn keys(&self, keys: &str) -> Calls {
        let mut calls = Vec::new();
        if !Wanted::of(self.action).is_empty() {
            let at = self.at()?;
            let has_focus = matches!(&at, At::Node(node) if node.page().focused() == Some(*node));
            if !has_focus {
                calls.push(by_script(Operation::Focus, Some(&self.place(&at)?), json!({})));
            }
        }
        calls.push(call("send_keys", json!({ "keys": keys })));
        Ok(calls)
    }

    fn chord(&self, tool: &'static str, keys: &str) -> Calls {
        if !self.is_seed() {
            return self.keys(keys);
        }
        if Wanted::of(self.action).is_empty() {
            return one(tool, json!({}));
        }
        match self.at()? {
            At::Node(node) => one(tool, json!({ "index": node.key().backend })),
            At::Selector(selector) => one(tool, json!({ "selector": selector })),
            at @ At::Words(_) => {
                Ok(vec![by_script(Operation::Focus, Some(&self.place(&at)?), json!({})), call(tool, json!({}))])
            }
        }
    }

    fn select(&self) -> Calls {
        let text = self.needed("option", &["text", "value"])?;
        let at = self.at()?;
        self.with_element("select_dropdown", &at, json!({ "text": text }), Operation::Choose, json!({ "text": text }))
    }

    /// `wanted` is none for "the other state".
    fn check(&self, wanted: Option<bool>) -> Calls {
        let at = self.at()?;
        if let (At::Node(node), Some(wanted)) = (&at, wanted)
            && let Some(checked) = node.checked()
            && (checked == browserlens_page::Tri::True) == wanted
        {
            return Ok(Vec::new());
        }
        // Without a page a click might undo what is already so: a script looks first.
        if matches!(at, At::Selector(_)) && wanted.is_some() {
            return Ok(vec![by_script(Operation::SetChecked, Some(&self.place(&at)?), json!({ "on": wanted }))]);
        }
        self.with_element("click", &at, json!({}), Operation::SetChecked, json!({ "on": wanted }))
    }

    fn upload(&self) -> Calls {
        let files = match self.action.parameters.get("files").or(self.action.parameters.get("paths")) {
            Some(Value::Array(files)) => files.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => vec![self.needed("path", &["file", "text"])?],
        };
        let [path] = files.as_slice() else {
            return Err(self.bad("files", "are not exactly one; the tool hands over one file"));
        };
        let at = self.at()?;
        match &at {
            At::Selector(selector) if self.is_seed() => {
                one("upload_file", json!({ "selector": selector, "path": path }))
            }
            At::Node(node) => one("upload_file", json!({ "index": file_input(*node).key().backend, "path": path })),
            _ => Err(TranslateError::NeedsPage {
                action_type: self.kind.name(),
                wanted: Wanted::of(self.action).in_words(),
            }),
        }
    }

    fn fill_form(&self) -> Calls {
        let fields = match self.action.parameters.get("fields") {
            Some(Value::Array(fields)) if !fields.is_empty() => fields,
            _ => return Err(self.lacks("fields: a list of {target, selector or index, text}")),
        };
        if fields.len() > MOST_FIELDS {
            return Err(self.bad("fields", format!("are {}; allowed: {MOST_FIELDS}", fields.len())));
        }
        let mut seed = Vec::new();
        let mut calls = Vec::new();
        for field in fields {
            let field = field.as_object().ok_or_else(|| self.bad("fields", "hold something else than objects"))?;
            let text = field.get("text").or(field.get("value")).and_then(Value::as_str);
            let text = text.ok_or_else(|| self.bad("fields", "hold one without `text`"))?;
            let target = field.get("target").map(|target| serde_json::from_value::<ElementTarget>(target.clone()));
            let wanted = Wanted {
                index: field.get("index").and_then(Value::as_u64).and_then(|index| u32::try_from(index).ok()),
                selector: field.get("selector").and_then(Value::as_str).map(str::to_owned),
                target: target
                    .transpose()
                    .map_err(|error| self.bad("fields", format!("name no node: {}", shown(&error.to_string()))))?,
            };
            let work = Work { kind: ActionType::Input, ..*self };
            let at = work.at_of(&wanted)?;
            let mut more = json!({ "text": text });
            match &at {
                At::Node(node) => more["index"] = Value::from(node.key().backend),
                At::Selector(selector) => more["selector"] = Value::from(selector.as_str()),
                At::Words(_) => {}
            }
            seed.push(more);
            let clear = json!({ "text": text, "clear": true });
            calls.extend(work.with_element(
                "input",
                &at,
                clear,
                Operation::SetText,
                json!({ "text": text, "add": false }),
            )?);
        }
        let is_named = seed.iter().all(|field| field.get("index").is_some() || field.get("selector").is_some());
        if self.is_seed() && is_named {
            return one("fill_form", json!({ "fields": seed }));
        }
        Ok(calls)
    }

    fn form(&self, tool: &'static str, operation: Operation) -> Calls {
        let is_named = !Wanted::of(self.action).is_empty();
        if self.is_seed() && !is_named {
            return one(tool, json!({}));
        }
        if !is_named {
            // The form of the field that has the focus.
            return Ok(vec![by_script(operation, Some(&Place::Focused), json!({}))]);
        }
        let at = self.at()?;
        if self.is_seed() {
            return self.with_element(tool, &at, json!({}), operation, json!({}));
        }
        Ok(vec![by_script(operation, Some(&self.place(&at)?), json!({}))])
    }

    fn scroll(&self) -> Calls {
        let height = self.context.page.map_or(USUAL_HEIGHT, |page| f64::from(page.viewport().height).max(1.0));
        let direction = match self.kind {
            ActionType::ScrollUp => "up".to_owned(),
            ActionType::ScrollDown => "down".to_owned(),
            _ => self.text("direction")?.unwrap_or_else(|| "down".to_owned()),
        };
        let amount = match (self.number("pages")?, self.number("amount")?.or(self.number("pixels")?)) {
            (Some(pages), _) => self.within("pages", pages, 0.01, 1000.0)? * height,
            (None, Some(amount)) => self.within("amount", amount, 1.0, 1e6)?,
            (None, None) => height,
        };
        let (x, y) = match self.pair("by")? {
            Some([x, y]) => (x, y),
            None => match direction.as_str() {
                "down" => (0.0, amount),
                "up" => (0.0, -amount),
                "right" => (amount, 0.0),
                "left" => (-amount, 0.0),
                other => {
                    return Err(self.bad("direction", format!("is {:?}; allowed: up, down, left, right", shown(other))));
                }
            },
        };
        if x == 0.0 && y == 0.0 {
            return Err(self.bad("by", "is no way at all"));
        }
        let at = if Wanted::of(self.action).is_empty() { None } else { Some(self.at()?) };
        let is_straight = x == 0.0 || y == 0.0;
        let index = match &at {
            Some(At::Node(node)) => Some(node.key().backend),
            _ => None,
        };
        let selector = match &at {
            Some(At::Selector(selector)) => Some(selector.clone()),
            _ => None,
        };
        if self.is_seed() && is_straight && (at.is_none() || index.is_some() || selector.is_some()) {
            let direction = match (x, y) {
                (0.0, y) if y > 0.0 => "down",
                (0.0, _) => "up",
                (x, _) if x > 0.0 => "right",
                _ => "left",
            };
            let amount = (x + y).abs();
            return one(
                "scroll",
                json!({ "direction": direction, "amount": amount, "index": index, "selector": selector }),
            );
        }
        if !self.is_seed() && x == 0.0 && (at.is_none() || index.is_some()) {
            let pages = (y.abs() / height * 100.0).round().max(1.0) / 100.0;
            return one("scroll", json!({ "down": y > 0.0, "pages": pages, "index": index }));
        }
        let place = at.as_ref().map(|at| self.place(at)).transpose()?;
        Ok(vec![by_script(Operation::ScrollBy, place.as_ref(), json!({ "x": x, "y": y }))])
    }

    fn find_text(&self) -> Calls {
        let text = self.needed("text", &["query"])?;
        if !self.is_seed() {
            return one("find_text", json!({ "text": text }));
        }
        let place = Place::Words(Words { text, ..Words::default() });
        Ok(vec![by_script(Operation::ScrollTo, Some(&place), json!({}))])
    }

    fn media(&self, tool: &'static str, what: &str, value: Option<(&'static str, f64)>) -> Calls {
        let at = if Wanted::of(self.action).is_empty() { None } else { Some(self.at()?) };
        let more = value.map_or_else(|| json!({}), |(name, value)| json!({ name: value }));
        let values = json!({ "what": what, "value": value.map(|(_, value)| value) });
        match at {
            None if self.is_seed() => one(tool, more),
            None => Ok(vec![by_script(Operation::Media, Some(&Place::Path(vec!["video".to_owned()])), values)]),
            Some(at) if self.is_seed() => self.with_element(tool, &at, more, Operation::Media, values),
            Some(at) => Ok(vec![by_script(Operation::Media, Some(&self.place(&at)?), values)]),
        }
    }
}

/// Placeholders of secrets, `{{secret:name}}`, as browser-use writes them: it fills in what it was given under that name.
fn secret_for_browser_use(text: &str) -> String {
    match text.strip_prefix("{{secret:").and_then(|rest| rest.strip_suffix("}}")) {
        Some(name) if !name.contains(['<', '>', '{', '}']) => format!("<secret>{name}</secret>"),
        _ => text.to_owned(),
    }
}

fn checked(selector: &str) -> Result<(), TranslateError> {
    selector
        .parse::<Selector>()
        .map(drop)
        .map_err(|error| TranslateError::BadSelector { selector: shown(selector), reason: shown(&error.to_string()) })
}

fn words(target: &ElementTarget, depth: usize) -> Words {
    let within = target.within.as_deref().filter(|_| depth < 8);
    Words {
        role: target.role.clone(),
        name: target.name.clone(),
        text: target.text.clone(),
        nth: target.nth,
        within: within.map(|within| Box::new(words(within, depth + 1))),
    }
}

/// A button that a page shows in place of its file input stands beside it: the tool wants the input.
fn file_input(node: NodeRef<'_>) -> NodeRef<'_> {
    let is_input = |node: &NodeRef<'_>| node.tag() == "input" && node.attribute("type") == Some("file");
    if is_input(&node) {
        return node;
    }
    std::iter::once(node)
        .chain(node.ancestors().take(3))
        .find_map(|around| around.descendants().find(is_input))
        .unwrap_or(node)
}

/// Names of keys as browser-use knows them.
const KEYS: [&str; 34] = [
    "Enter",
    "Tab",
    "Delete",
    "Backspace",
    "Escape",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "PageUp",
    "PageDown",
    "Home",
    "End",
    "Control",
    "Alt",
    "Meta",
    "Shift",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F11",
    "F12",
    "Space",
    "Up",
    "Down",
    "Left",
    "Right",
];
/// Other names of keys.
const OTHER_KEYS: [(&str, &str); 9] = [
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("option", "Alt"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
];

fn is_key(text: &str) -> bool {
    key(text.trim()).is_some()
}

fn key(text: &str) -> Option<&'static str> {
    let known = KEYS.iter().find(|key| key.eq_ignore_ascii_case(text)).copied();
    known.or_else(|| OTHER_KEYS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, key)| *key))
}

/// Returns a key or chord in the one spelling that tools know; none if it is neither. `Space` is written as it is named: a blank is cut by some.
fn chord(keys: &str) -> Option<String> {
    let keys = keys.trim_matches(|c: char| c.is_control());
    let parts: Vec<&str> = match keys {
        "+" => return Some("+".to_owned()),
        " " => return Some("Space".to_owned()),
        keys => keys.trim().split('+').map(str::trim).collect(),
    };
    let (last, modifiers) = parts.split_last()?;
    let mut out: Vec<String> = Vec::new();
    for modifier in modifiers {
        match key(modifier)? {
            name @ ("Control" | "Alt" | "Meta" | "Shift") => out.push(name.to_owned()),
            _ => return None,
        }
    }
    let mut characters = last.chars();
    match (key(last), characters.next(), characters.next()) {
        (Some(name), ..) => out.push(name.to_owned()),
        (None, Some(c), None) if !c.is_control() => {
            out.push(if modifiers.is_empty() { c.to_string() } else { c.to_lowercase().to_string() });
        }
        _ => return None,
    }
    Some(out.join("+"))
}
