//! What happened beside the page: console, requests, dialogs, tabs, downloads.
//!
//! In: a [`Model`]. Out: events with the step during which they came, and the secrets that the
//! trace names openly. Invariant: order is that of time; a body that is no text, or larger than a
//! recording would keep, is left out.

use super::model::{Model, Resource};
use crate::archive::Archive;
use crate::json::{list, number, text};
use crate::plan::PlannedEvent;
use crate::request::{BODY_LIMIT, request_of};
use browserlens_core::strategy::{
    ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, EventKind, RequestEvent, TabEvent,
};
use browserlens_core::sync::locked;
use browserlens_trace::redact::names::ONE_TIME_CODE_FIELDS;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// Returns the events of a trace. `times` holds when each step began.
pub(super) fn planned(model: &Model, archive: &Arc<Mutex<Archive>>, times: &[f64]) -> Vec<PlannedEvent> {
    let mut found: Vec<(f64, u32, EventKind)> = Vec::new();
    for event in &model.happened {
        let time = number(event, "time").unwrap_or(0.0);
        let page = event["pageId"].as_str().or(event["params"]["pageId"].as_str()).unwrap_or("");
        found.extend(happened(event).map(|kind| (time, model.tab_of(page), kind)));
    }
    let mut numbers = 0;
    for resource in &model.resources {
        numbers += 1;
        let page = text(&resource.entry, "pageref");
        let kind = EventKind::Request(Box::new(request(resource, numbers, archive)));
        found.push((resource.time, model.tab_of(page), kind));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let start = found
        .first()
        .map_or(0.0, |first| first.0)
        .min(times.iter().copied().find(|time| *time > f64::MIN).unwrap_or(f64::MAX));
    let step_of = |time: f64| times.partition_point(|began| *began <= time).saturating_sub(1) as u32;
    found
        .into_iter()
        .map(|(time, tab, kind)| PlannedEvent { step: step_of(time), tab, at_ms: (time - start).max(0.0) as u64, kind })
        .collect()
}

fn happened(event: &Value) -> Option<EventKind> {
    let params = &event["params"];
    if text(event, "type") == "console" {
        let place = &event["location"];
        return Some(EventKind::Console(ConsoleMessage {
            level: text(event, "messageType").to_owned(),
            text: text(event, "text").to_owned(),
            url: text(place, "url").to_owned(),
            line: line_of(&place["lineNumber"]),
            stack: String::new(),
        }));
    }
    Some(match text(event, "method") {
        "pageError" => {
            let error = &params["error"];
            let inner = if error["error"].is_object() { &error["error"] } else { error };
            EventKind::Console(ConsoleMessage {
                level: "exception".to_owned(),
                text: format!("{}: {}", text(inner, "name"), text(inner, "message")),
                url: text(&params["location"], "url").to_owned(),
                line: line_of(&params["location"]["line"]),
                stack: text(inner, "stack").to_owned(),
            })
        }
        "dialog" => EventKind::Dialog(DialogEvent {
            kind: match text(params, "type") {
                "confirm" => DialogKind::Confirm,
                "prompt" => DialogKind::Prompt,
                "beforeunload" => DialogKind::BeforeUnload,
                _ => DialogKind::Alert,
            },
            message: text(params, "message").to_owned(),
            accepted: None,
            typed: String::new(),
        }),
        "download" => EventKind::Download(DownloadEvent {
            url: text(params, "url").to_owned(),
            file_name: text(params, "suggestedFilename").to_owned(),
            bytes: 0,
            state: "completed".to_owned(),
        }),
        what @ ("page" | "pageClosed") => EventKind::Tab(TabEvent {
            what: if what == "page" { "opened" } else { "closed" }.to_owned(),
            url: String::new(),
            title: String::new(),
        }),
        _ => return None,
    })
}

/// Returns the number of a line, counted from 1; 0 if it is not told.
fn line_of(told: &Value) -> u32 {
    told.as_u64().map_or(0, |line| u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1))
}

fn request(resource: &Resource, id: u32, archive: &Arc<Mutex<Archive>>) -> RequestEvent {
    let read = |file: &str| {
        let bytes = locked(archive).read(file).ok().flatten()?;
        (bytes.len() <= BODY_LIMIT).then(|| String::from_utf8(bytes).ok()).flatten()
    };
    request_of(&resource.entry, id, &read)
}

/// Returns what the trace names openly as secret: stored cookies, credentials, headers of every
/// request, storage.
pub(super) fn secrets(model: &Model) -> Vec<String> {
    let options = &model.header.options;
    let mut found: Vec<String> = Vec::new();
    let mut take = |value: &Value| found.extend(value.as_str().filter(|value| value.len() >= 4).map(str::to_owned));
    take(&options["httpCredentials"]["password"]);
    take(&options["proxy"]["password"]);
    let state = &options["storageState"];
    let stored = list(state, "origins").iter().flat_map(|origin| list(origin, "localStorage"));
    list(state, "cookies").iter().chain(stored).for_each(|item| take(&item["value"]));
    for call in &model.calls {
        match call.method.as_str() {
            "addCookies" => list(&call.params, "cookies").iter().for_each(|cookie| take(&cookie["value"])),
            "setHTTPCredentials" | "setHttpCredentials" => take(&call.params["httpCredentials"]["password"]),
            _ => {}
        }
    }
    for resource in &model.resources {
        let sides = ["request", "response"].iter().flat_map(|side| list(&resource.entry[*side], "cookies"));
        sides.for_each(|cookie| take(&cookie["value"]));
    }
    // What a secret field ever held is known before the first page is written.
    for tree in model.trees.values().flatten() {
        tree.each_element(|name, get| {
            if !name.eq_ignore_ascii_case("input") || !is_secret_field(get) {
                return;
            }
            let values = [get("__playwright_value_"), get("value")].into_iter().flatten();
            found.extend(values.filter(|value| value.chars().count() >= 4).map(str::to_owned));
        });
    }
    found.sort();
    found.dedup();
    found
}

/// Returns whether a field holds a secret by what its author says of it.
fn is_secret_field<'t>(get: &dyn Fn(&str) -> Option<&'t str>) -> bool {
    let is = |key: &str, values: &[&str]| {
        get(key).is_some_and(|found| values.iter().any(|value| found.eq_ignore_ascii_case(value)))
    };
    is("type", &["password"])
        || is("autocomplete", &["current-password", "new-password", "one-time-code"])
        || is("name", ONE_TIME_CODE_FIELDS)
        || is("id", ONE_TIME_CODE_FIELDS)
}
