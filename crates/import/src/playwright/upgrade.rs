//! The chain of upgrades: what a version of the format says, in the words of the next.
//!
//! In: lines of a trace of version 3 to 10, in order. Out: the same events as version 10 has them.
//! Invariant: a line that lacks what a step of the chain reads passes as it is; what is unknown is
//! left for the reader to pass over.
//!
//! | step | what changes |
//! | --- | --- |
//! | 3 → 4 | `action` and `event` lose their `metadata` wrapper; internal calls and those of tracing itself go |
//! | 4 → 5 | console messages, which were objects with a later event, become `console` events with their text |
//! | 5 → 6 | log lines of an `after` become events, which nobody reads here |
//! | 6 → 7 | a missing `context-options` is made up; its `origin`, which nobody reads here, is the library |
//! | 7 → 8 | `apiName` becomes `title` |
//! | 8 → 9 | names of snapshots become a call and a phase; SHA-1 names become files below `resources/` |
//! | 9 → 10 | calls are named by `stepId` where that differed from `callId` |

use serde_json::{Value, json};
use std::collections::HashMap;

/// The oldest version that is read, and the newest.
pub(crate) const OLDEST: u64 = 3;
pub(crate) const NEWEST: u64 = 10;
/// Traces that name no version are of this one: the runner of that time wrote no header.
const UNNAMED: u64 = 6;

/// What the chain remembers from line to line.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    version: Option<u64>,
    console: HashMap<String, Value>,
    phases: HashMap<String, (String, &'static str)>,
    calls: HashMap<String, String>,
}

impl Chain {
    /// Returns the version of the trace, as far as it was read.
    pub(crate) fn version(&self) -> Option<u64> {
        self.version
    }

    /// Upgrades one event; none of one that says nothing any more. The header must come first, where there is one.
    pub(crate) fn upgrade(&mut self, event: Value) -> Option<Value> {
        let mut from = self.version.unwrap_or(UNNAMED);
        if event["type"] == "context-options" {
            from = event["version"].as_u64().unwrap_or(UNNAMED);
            self.version = Some(from);
        } else if self.version.is_none() {
            self.version = Some(UNNAMED);
        }
        (from..NEWEST).try_fold(event, |event, version| match version {
            3 => three(event),
            4 => self.four(event),
            7 => Some(seven(event)),
            8 => Some(self.eight(event)),
            9 => Some(self.nine(event)),
            _ => Some(event),
        })
    }

    fn four(&mut self, event: Value) -> Option<Value> {
        let guid = |value: &Value| value.as_str().map(str::to_owned);
        if event["type"] == "object" {
            if event["class"] == "ConsoleMessage"
                && let Some(guid) = guid(&event["guid"])
            {
                self.console.insert(guid, event["initializer"].clone());
            }
            return None;
        }
        if event["type"] == "event" && event["method"] == "console" {
            let message = self.console.get(event["params"]["message"]["guid"].as_str()?)?;
            return Some(json!({
                "type": "console", "time": event["time"], "pageId": event["pageId"],
                "messageType": message["type"], "text": message["text"], "location": message["location"],
            }));
        }
        Some(event)
    }

    fn eight(&mut self, mut event: Value) -> Value {
        let call = event["callId"].as_str().unwrap_or("").to_owned();
        for (key, phase) in [("beforeSnapshot", "before"), ("inputSnapshot", "action"), ("afterSnapshot", "after")] {
            if let Some(name) = event[key].as_str() {
                self.phases.insert(name.to_owned(), (call.clone(), phase));
            }
        }
        if let Some(snapshot) = event.get_mut("snapshot") {
            if let Some(name) = snapshot["snapshotName"].as_str().map(str::to_owned) {
                // Version 3 tells of a call after its snapshots, so the name itself has to tell
                // what it is.
                let known = self.phases.get(&name).cloned().or_else(|| phase_of_name(&name));
                if let Some((call, phase)) = known {
                    snapshot["phase"] = json!(phase);
                    if snapshot["callId"].as_str().is_none() {
                        snapshot["callId"] = json!(call);
                    }
                }
            }
            if let Some(overrides) = snapshot.get_mut("resourceOverrides").and_then(Value::as_array_mut) {
                overrides.iter_mut().for_each(|each| resource(each, "sha1", "file"));
            }
            for pointer in ["/request/postData", "/response/content"] {
                if let Some(held) = snapshot.pointer_mut(pointer) {
                    resource(held, "_sha1", "_file");
                }
            }
        }
        event
    }

    fn nine(&mut self, mut event: Value) -> Value {
        let call = event["callId"].as_str().unwrap_or("").to_owned();
        if (event["type"] == "before" || event["type"] == "action")
            && let Some(step) = event["stepId"].as_str().filter(|step| *step != call)
            // Before version 8 a step was named by its title and time, which says nothing to
            // anybody else.
            && self.version.is_some_and(|version| version >= 8)
        {
            self.calls.insert(call.clone(), step.to_owned());
        }
        if let Some(step) = self.calls.get(&call) {
            event["callId"] = json!(step);
        }
        let held = event["snapshot"]["callId"].as_str().and_then(|call| self.calls.get(call)).cloned();
        if let Some(step) = held {
            event["snapshot"]["callId"] = json!(step);
        }
        event
    }
}

/// `after@call@7` is the phase `after` of `call@7`.
fn phase_of_name(name: &str) -> Option<(String, &'static str)> {
    let (phase, call) = name.split_once('@')?;
    let phase = match phase {
        "before" => "before",
        "input" | "action" => "action",
        "after" => "after",
        _ => return None,
    };
    Some((call.to_owned(), phase))
}

/// Renames a SHA-1 to the file it stands for.
fn resource(value: &mut Value, from: &str, to: &str) {
    if let Some(object) = value.as_object_mut()
        && let Some(Value::String(name)) = object.remove(from)
    {
        object.insert(to.to_owned(), Value::String(format!("resources/{name}")));
    }
}

fn three(event: Value) -> Option<Value> {
    let kind = event["type"].as_str().unwrap_or("");
    if kind != "action" && kind != "event" {
        return Some(event);
    }
    let data = &event["metadata"];
    if data["internal"] == true || data["method"].as_str().is_some_and(|method| method.starts_with("tracing")) {
        return None;
    }
    if kind == "event" {
        if data["method"] == "__create__" && data["type"] == "ConsoleMessage" {
            return Some(json!({
                "type": "object", "class": data["type"], "guid": data["params"]["guid"],
                "initializer": data["params"]["initializer"],
            }));
        }
        return Some(json!({
            "type": "event", "time": data["startTime"], "class": data["type"], "method": data["method"],
            "params": data["params"], "pageId": data["pageId"],
        }));
    }
    let name = |titles: [&str; 2]| {
        let list = data["snapshots"].as_array();
        let found = list.into_iter().flatten().find(|one| titles.iter().any(|title| one["title"] == *title));
        found.map_or(Value::Null, |one| one["snapshotName"].clone())
    };
    Some(json!({
        "type": "action", "callId": data["id"], "startTime": data["startTime"], "apiName": data["apiName"],
        "class": data["type"], "method": data["method"], "params": data["params"],
        "beforeSnapshot": name(["before", "before"]), "inputSnapshot": name(["input", "action"]),
        "afterSnapshot": name(["after", "after"]), "error": data["error"]["error"], "point": data["point"],
        "pageId": data["pageId"],
    }))
}

fn seven(mut event: Value) -> Value {
    if let Some(name) = event.as_object_mut().and_then(|object| object.remove("apiName")) {
        event["title"] = name;
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[Value]) -> Vec<Value> {
        let mut chain = Chain::default();
        lines.iter().flat_map(|line| chain.upgrade(line.clone())).collect()
    }

    #[test]
    fn version_3_becomes_version_10() {
        let events = all(&[
            json!({ "type": "context-options", "version": 3, "browserName": "chromium" }),
            json!({ "type": "frame-snapshot",
                "snapshot": { "snapshotName": "action@call@7", "resourceOverrides": [{ "url": "a", "sha1": "b" }] } }),
            json!({ "type": "event",
                "metadata": { "type": "ConsoleMessage", "method": "__create__",
                    "params": { "guid": "c", "initializer": { "type": "log", "text": "hi" } } } }),
            json!({ "type": "event",
                "metadata": { "type": "Page", "method": "console", "startTime": 5,
                    "params": { "message": { "guid": "c" } } } }),
            json!({ "type": "action",
                "metadata": { "id": "call@7", "type": "Frame", "method": "click", "apiName": "page.click",
                    "params": { "selector": "a" },
                "snapshots": [{ "title": "action", "snapshotName": "action@call@7" }],
                "error": { "error": { "message": "no" } } } }),
            json!({ "type": "action", "metadata": { "internal": true, "method": "x" } }),
        ]);
        assert_eq!(events.len(), 4);
        assert_eq!(
            (&events[1]["snapshot"]["callId"], &events[1]["snapshot"]["phase"]),
            (&json!("call@7"), &json!("action"))
        );
        assert_eq!(events[1]["snapshot"]["resourceOverrides"][0]["file"], "resources/b");
        assert_eq!((&events[2]["type"], &events[2]["text"]), (&json!("console"), &json!("hi")));
        assert_eq!((&events[3]["title"], &events[3]["error"]["message"]), (&json!("page.click"), &json!("no")));
    }

    #[test]
    fn versions_8_and_9_name_phases_and_files() {
        let eight = all(&[
            json!({ "type": "context-options", "version": 8 }),
            json!({ "type": "before", "callId": "call@2", "stepId": "pw:api@2", "beforeSnapshot": "before@call@2" }),
            json!({ "type": "frame-snapshot", "snapshot": { "callId": "call@2", "snapshotName": "before@call@2" } }),
            json!({ "type": "resource-snapshot", "snapshot": { "response": { "content": { "_sha1": "x.css" } } } }),
        ]);
        assert_eq!(
            (&eight[2]["snapshot"]["phase"], &eight[2]["snapshot"]["callId"]),
            (&json!("before"), &json!("pw:api@2"))
        );
        assert_eq!(eight[3]["snapshot"]["response"]["content"]["_file"], "resources/x.css");
        let nine = all(&[
            json!({ "type": "context-options", "version": 9 }),
            json!({ "type": "before", "callId": "a", "stepId": "b" }),
            json!({ "type": "after", "callId": "a" }),
        ]);
        assert_eq!(nine[2]["callId"], "b");
    }

    #[test]
    fn nothing_is_too_strange_for_the_chain() {
        for version in 0..=11_u64 {
            let odd = [
                json!(null),
                json!([1]),
                json!({ "type": 3, "snapshot": 1 }),
                json!({ "type": "action" }),
                json!({ "type": "event", "method": "console" }),
                json!({ "type": "after", "log": 3 }),
                json!({ "type": "frame-snapshot", "snapshot": { "resourceOverrides": 1 } }),
            ];
            let mut chain = Chain::default();
            chain.upgrade(json!({ "type": "context-options", "version": version }));
            odd.into_iter().for_each(|line| drop(chain.upgrade(line)));
        }
    }
}
