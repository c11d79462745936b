//! Which calls of the API are steps, and what they do.
//!
//! In: the calls of a trace. Out: those that act on a page, in order, and what a plan says of them.
//! Invariant: a call that is no step is either one that only looks, or a gap.

use super::model::{Call, Model};
use super::pages::Shown;
use crate::json::{list, text};
use crate::plan::PlannedAction;
use browserlens_core::strategy::ActionKind;
use serde_json::Value;

/// Calls that only look, wait or prepare: they are no steps, and leaving them out loses nothing.
const LOOKING: [&str; 12] =
    ["wait", "query", "eval", "text", "inner", "get", "is", "content", "expect", "screenshot", "title", "set"];

/// Returns what a call does to a page, if it does anything that can be a step.
fn kind_of(call: &Call) -> Option<ActionKind> {
    let params = &call.params;
    let twice = params["clickCount"].as_u64() == Some(2);
    let right = params["button"] == "right";
    if !matches!(call.class.as_str(), "Frame" | "Page" | "ElementHandle" | "Locator") {
        return None;
    }
    Some(match call.method.as_str() {
        "goto" | "reload" => ActionKind::Goto,
        "click" | "tap" | "mouseClick" if right => ActionKind::RightClick,
        "click" | "tap" | "mouseClick" if twice => ActionKind::DoubleClick,
        "click" | "tap" | "mouseClick" | "touchscreenTap" => ActionKind::Click,
        "dblclick" => ActionKind::DoubleClick,
        "hover" => ActionKind::Hover,
        "fill" => ActionKind::Fill,
        "type" | "keyboardType" | "keyboardInsertText" => ActionKind::Type,
        "press" | "keyboardPress" => ActionKind::Press,
        "check" | "uncheck" => ActionKind::Check,
        "selectOption" => ActionKind::Select,
        "setInputFiles" | "setInputFilePaths" => ActionKind::Upload,
        "dragAndDrop" => ActionKind::Drag,
        "mouseWheel" => ActionKind::Scroll,
        "goBack" => ActionKind::Back,
        "goForward" => ActionKind::Forward,
        _ => return None,
    })
}

/// Returns the calls that are steps, in order of time; what failed and what cannot be one is said.
pub(super) fn user_actions<'m>(model: &'m Model, gaps: &mut Vec<String>) -> Vec<&'m Call> {
    let mut found = Vec::new();
    for call in &model.calls {
        match kind_of(call) {
            Some(_) if call.error.is_some() => gaps.push(format!("{} failed: passed over", call.title())),
            Some(_) => found.push(call),
            None => {
                let on_page = matches!(call.class.as_str(), "Frame" | "Page" | "ElementHandle");
                let looks = LOOKING.iter().any(|prefix| call.method.starts_with(prefix));
                if on_page && !looks {
                    gaps.push(format!("{} is no action of a trace: passed over", call.title()));
                }
            }
        }
    }
    found
}

/// The action of going to another tab.
pub(super) fn switch_tab(tab: u32) -> PlannedAction {
    PlannedAction::new(ActionKind::SwitchTab, tab.to_string())
}

impl Call {
    pub(super) fn is_navigation(&self) -> bool {
        matches!(kind_of(self), Some(ActionKind::Goto | ActionKind::Back | ActionKind::Forward))
    }

    pub(super) fn title(&self) -> String {
        format!("{}.{}", self.class, self.method)
    }

    /// Returns the page on which the call began: with its target marked, if it has one.
    pub(super) fn start_page(&self, model: &Model) -> Option<Shown> {
        ["action", "before"].iter().find_map(|phase| Shown::of(model, &self.id, phase))
    }

    /// Returns the page that the call led to.
    pub(super) fn end_page(&self, model: &Model) -> Option<Shown> {
        Shown::of(model, &self.id, "after")
    }

    pub(super) fn planned(&self, model: &Model) -> PlannedAction {
        let kind = kind_of(self).unwrap_or(ActionKind::Click);
        let params = &self.params;
        let url_before = || self.start_page(model).map(|page| page.url).unwrap_or_default();
        let text = match kind {
            ActionKind::Goto if self.method == "reload" => url_before(),
            ActionKind::Goto => text(params, "url").to_owned(),
            ActionKind::Fill => text(params, "value").to_owned(),
            ActionKind::Type => text(params, "text").to_owned(),
            ActionKind::Press => text(params, "key").to_owned(),
            ActionKind::Check => if self.method == "check" { "true" } else { "false" }.to_owned(),
            ActionKind::Select => chosen(params),
            ActionKind::Upload => files(params),
            ActionKind::Scroll => {
                let by = |key: &str| params[key].as_f64().unwrap_or(0.0);
                format!("{},{}", by("deltaX"), by("deltaY"))
            }
            _ => String::new(),
        };
        let on_canvas =
            matches!(self.method.as_str(), "mouseClick" | "touchscreenTap") || params["position"].is_object();
        let given = || {
            let at = |key: &str| params[key].as_f64().map(|value| value as f32);
            at("x").zip(at("y"))
        };
        PlannedAction {
            point: on_canvas.then(|| self.point.or_else(given)).flatten(),
            ..PlannedAction::new(kind, text)
        }
    }
}

/// Returns the option that was chosen: its label if it was chosen by that, else its value or place.
fn chosen(params: &Value) -> String {
    let said = list(params, "options").iter().filter_map(|option| {
        ["label", "valueOrLabel", "value"]
            .iter()
            .find_map(|key| option[*key].as_str())
            .map(str::to_owned)
            .or_else(|| option["index"].as_u64().map(|index| index.to_string()))
    });
    said.collect::<Vec<_>>().join(", ")
}

fn files(params: &Value) -> String {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let named = params["payloads"].as_array().or(params["files"].as_array()).into_iter().flatten();
    let mut names: Vec<String> = named.filter_map(|file| file["name"].as_str()).map(last).collect();
    names.extend(list(params, "localPaths").iter().filter_map(Value::as_str).map(last));
    names.join(", ")
}
