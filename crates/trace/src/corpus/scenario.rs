//! The scenario of a synthetic trace: the source's, in the new words.
//!
//! In: the TOML of a scenario. Out: TOML that loads, whose facts and names are those of the
//! rewritten pages. Invariant: keys, roles, states, selectors, addresses, keys of the keyboard and
//! files stay as they are.

use crate::corpus::rewrite::Sink;
use toml::{Table, Value};

/// Keys whose texts are no words of a page.
const AS_IT_IS: [&str; 21] = [
    "why", "site", "url", "start", "locale", "timezone", "storage_state", "goto", "press", "css", "role", "state",
    "env", "files", "id", "kind", "handle", "line", "raw", "dialog", "in",
];

/// Rewrites a scenario under a new name.
pub(crate) fn rewrite(text: &str, name: &str, sink: &mut dyn Sink) -> Result<String, String> {
    let mut scenario: Table = text.parse::<Table>().map_err(|error| error.message().to_owned())?;
    // What an attack forges must stay what it forges.
    for attack in scenario.get("attack").and_then(Value::as_array).into_iter().flatten() {
        for key in ["line", "raw", "handle", "name", "text"] {
            attack.get(key).and_then(Value::as_str).into_iter().for_each(|text| sink.secret(text));
        }
    }
    for (key, value) in scenario.iter_mut() {
        match (key.as_str(), value) {
            ("name", value) => *value = Value::String(name.to_owned()),
            ("event", Value::Array(events)) => events.iter_mut().for_each(|event| rewrite_event(event, sink)),
            (key, value) => rewrite_value(key, value, sink),
        }
    }
    toml::to_string(&scenario).map_err(|error| error.to_string())
}

/// Requests keep their texts, so facts about them do.
fn rewrite_event(event: &mut Value, sink: &mut dyn Sink) {
    let Value::Table(event) = event else { return };
    if event.get("in").and_then(Value::as_str) == Some("console")
        && let Some(says) = event.get_mut("says")
    {
        rewrite_value("says", says, sink);
    }
}

/// Rewrites the texts below a key. Scenarios nest as deep as their `within`, which the loader reads
/// recursively as well.
fn rewrite_value(key: &str, value: &mut Value, sink: &mut dyn Sink) {
    if AS_IT_IS.contains(&key) && !value.is_table() {
        return;
    }
    match value {
        // `type = "focus"`, `scroll = "page"`.
        Value::String(_) if matches!(key, "type" | "scroll") => {}
        Value::String(text) => *text = sink.text(text),
        Value::Array(list) => list.iter_mut().for_each(|value| rewrite_value(key, value, sink)),
        Value::Table(table) => table.iter_mut().for_each(|(key, value)| rewrite_value(key, value, sink)),
        _ => {}
    }
}
