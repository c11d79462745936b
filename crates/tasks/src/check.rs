//! What must be true of a site for a task to be done.
//!
//! In: conditions, and the state of a site as JSON. Out: the conditions that do not hold, in words.
//! Invariants: nothing that an agent says is looked at; a condition about what is not there does
//! not hold, unless it says `absent`.

use browserlens_core::page::text::{cut, folded};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// About a place of the state.
    At {
        /// JSON pointer, such as `/local/ww.cart/0/sku`.
        at: String,
        /// What must be there.
        must: Must,
    },
    /// About requests of the pages.
    Sent {
        /// Method, in capitals.
        method: String,
        /// Path, with its query where the condition has one.
        path: String,
        /// What the body must hold, members of objects at least.
        with: Option<Value>,
        /// How many there must be; one at least if not said.
        times: Option<usize>,
    },
}

/// What must be at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Must {
    /// This value; blanks of text count as one.
    Be(Value),
    /// A text that holds this, or a list that has it as an item.
    Hold(String),
    /// A text or a list that does not, or nothing.
    NotHold(String),
    /// So many items.
    Count(usize),
    /// Nothing, null included.
    BeAbsent,
}

/// A condition as files write it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RawCondition {
    /// A place in the state of the site, as a JSON pointer; or `sent`
    at: Option<String>,
    /// What stands there
    is: Option<Value>,
    /// A text that it holds
    has: Option<String>,
    /// A text that it does not hold
    lacks: Option<String>,
    /// How many items it has
    count: Option<usize>,
    /// That there is nothing
    absent: bool,
    /// A request that the page made; or `at`
    sent: Option<String>,
    /// What its body held
    with: Option<Value>,
    /// How often
    times: Option<usize>,
}

impl TryFrom<RawCondition> for Condition {
    type Error = String;

    fn try_from(raw: RawCondition) -> Result<Self, String> {
        match (raw.at, raw.sent) {
            (Some(at), None) => {
                if !at.starts_with('/') {
                    return Err(format!("at = {at:?} is no JSON pointer: it begins with /"));
                }
                if raw.with.is_some() || raw.times.is_some() {
                    return Err("with and times go with sent".to_owned());
                }
                let mut musts: Vec<Must> = [
                    raw.is.map(Must::Be),
                    raw.has.map(Must::Hold),
                    raw.lacks.map(Must::NotHold),
                    raw.count.map(Must::Count),
                    raw.absent.then_some(Must::BeAbsent),
                ]
                .into_iter()
                .flatten()
                .collect();
                match (musts.pop(), musts.is_empty()) {
                    (Some(must), true) => Ok(Self::At { at, must }),
                    (None, _) => Err(format!("at = {at:?} says nothing: add is, has, lacks, count or absent")),
                    (Some(_), false) => Err(format!("at = {at:?} says several things: write a condition each")),
                }
            }
            (None, Some(sent)) => {
                let is_method = |method: &str| !method.is_empty() && method.chars().all(|c| c.is_ascii_uppercase());
                let words = sent.split_once(' ');
                let words =
                    words.filter(|(method, path)| is_method(method) && path.starts_with('/') && !path.contains(' '));
                let (method, path) = words.ok_or_else(|| format!("sent = {sent:?} is not \"METHOD /path\""))?;
                let is_other = raw.is.is_some() || raw.has.is_some() || raw.lacks.is_some() || raw.count.is_some();
                if is_other || raw.absent {
                    return Err("is, has, lacks, count and absent go with at".to_owned());
                }
                let (method, path) = (method.to_owned(), path.to_owned());
                Ok(Self::Sent { method, path, with: raw.with, times: raw.times })
            }
            (None, None) => Err("a condition needs at or sent".to_owned()),
            (Some(_), Some(_)) => Err("a condition has at or sent, not both".to_owned()),
        }
    }
}

impl Condition {
    /// Returns what is wrong with a state, in words; none if the condition holds.
    pub fn unmet(&self, state: &Value) -> Option<String> {
        match self {
            Self::At { at, must } => {
                let found = state.pointer(at).unwrap_or(&Value::Null);
                must.unmet(found).map(|why| format!("{at} {why}"))
            }
            Self::Sent { method, path, with, times } => {
                let sent = state["sent"].as_array().into_iter().flatten();
                let fits = |request: &&Value| {
                    let asked = request["path"].as_str().unwrap_or_default();
                    let asked = if path.contains('?') { asked } else { asked.split('?').next().unwrap_or_default() };
                    request["method"] == method.as_str()
                        && asked == path
                        && with.as_ref().is_none_or(|with| holds(&request["body"], with))
                };
                let count = sent.filter(fits).count();
                let like = with.as_ref().map(|with| format!(" with {with}")).unwrap_or_default();
                match times {
                    Some(times) if count != *times => {
                        Some(format!("{method} {path}{like} was sent {count} times, not {times}"))
                    }
                    None if count == 0 => Some(format!("{method} {path}{like} was not sent")),
                    _ => None,
                }
            }
        }
    }
}

impl Must {
    fn unmet(&self, found: &Value) -> Option<String> {
        let short = || cut(&found.to_string(), 80);
        let said = match self {
            Self::Be(wanted) if !same(found, wanted) => format!("is {}, not {wanted}", short()),
            Self::Hold(wanted) if !says(found, wanted) => format!("is {}, which does not hold {wanted:?}", short()),
            Self::NotHold(wanted) if says(found, wanted) => format!("holds {wanted:?}"),
            Self::Count(wanted) if count(found) != Some(*wanted) => format!("is {}, not {wanted} items", short()),
            Self::BeAbsent if !found.is_null() => format!("is {}, not absent", short()),
            _ => return None,
        };
        Some(said)
    }
}

fn count(found: &Value) -> Option<usize> {
    match found {
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    }
}

fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::String(found), Value::String(wanted)) => folded(found) == folded(wanted),
        (Value::Number(found), Value::Number(wanted)) => found.as_f64() == wanted.as_f64(),
        (found, wanted) => found == wanted,
    }
}

fn says(found: &Value, wanted: &str) -> bool {
    match found {
        Value::String(text) => folded(text).contains(&folded(wanted)),
        Value::Array(items) => {
            items.iter().any(|item| item.as_str().is_some_and(|item| folded(item) == folded(wanted)))
        }
        _ => false,
    }
}

/// Returns whether a value holds another: objects at least its members, the rest the same.
fn holds(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| found.get(name).is_some_and(|found| holds(found, wanted)))
        }
        (found, wanted) => same(found, wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn condition(toml: &str) -> Result<Condition, String> {
        toml::from_str::<RawCondition>(toml).map_err(|error| error.message().to_owned())?.try_into()
    }

    fn unmet(toml: &str, state: &Value) -> Option<String> {
        condition(toml).expect("well formed").unmet(state)
    }

    #[test]
    fn conditions_hold_or_say_what_is_there_instead() {
        let state = json!({
            "local": { "cart": [{ "sku": "A1", "count": 2 }] }, "text": "Thank  you,\nMira", "gone": null,
            "sent": [{ "method": "POST", "path": "/api/a?b=1", "body": { "x": 1, "y": { "z": "q", "w": 2 } } }],
        });
        for held in [
            "at = '/local/cart/0/sku'\nis = 'A1'",
            "at = '/local/cart/0/count'\nis = 2.0",
            "at = '/local/cart'\ncount = 1",
            "at = '/text'\nhas = 'you, Mira'",
            "at = '/text'\nlacks = 'error'",
            "at = '/nothing/there'\nlacks = 'error'",
            "at = '/gone'\nabsent = true",
            "sent = 'POST /api/a'\nwith = { y = { z = 'q' } }",
            "sent = 'POST /api/a?b=1'\ntimes = 1",
            "sent = 'GET /api/a'\ntimes = 0",
        ] {
            assert_eq!(unmet(held, &state), None, "{held}");
        }
        for (not_held, said) in [
            ("at = '/local/cart/0/sku'\nis = 'B2'", "/local/cart/0/sku is \"A1\", not \"B2\""),
            ("at = '/local/cart/7/sku'\nis = 'B2'", "/local/cart/7/sku is null, not \"B2\""),
            ("at = '/text'\nhas = 'Otto'", "which does not hold \"Otto\""),
            ("at = '/text'\nlacks = 'Mira'", "/text holds \"Mira\""),
            ("at = '/local/cart'\ncount = 2", "not 2 items"),
            ("at = '/text'\nabsent = true", "not absent"),
            ("sent = 'POST /api/a'\nwith = { x = 2 }", "POST /api/a with {\"x\":2} was not sent"),
            ("sent = 'POST /api/a?b=2'", "POST /api/a?b=2 was not sent"),
            ("sent = 'POST /api/a'\ntimes = 2", "was sent 1 times, not 2"),
        ] {
            let found = unmet(not_held, &state).unwrap_or_default();
            assert!(found.contains(said), "{not_held}: {found}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_what_it_lacks() {
        for (wrong, said) in [
            ("", "needs at or sent"),
            ("at = '/a'\nsent = 'GET /'", "not both"),
            ("at = 'a'\nis = 1", "begins with /"),
            ("at = '/a'", "says nothing"),
            ("at = '/a'\nis = 1\nhas = 'b'", "several things"),
            ("at = '/a'\nis = 1\ntimes = 1", "go with sent"),
            ("sent = '/a'", "METHOD /path"),
            ("sent = 'post /a'", "METHOD /path"),
            ("sent = 'POST a'", "METHOD /path"),
            ("sent = 'POST /a'\nis = 1", "go with at"),
            ("at = '/a'\nequals = 1", "unknown field"),
        ] {
            let error = condition(wrong).expect_err(wrong);
            assert!(error.contains(said), "{wrong}: {error}");
        }
    }
}
