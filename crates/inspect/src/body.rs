//! Bodies: as much of them as is wanted, and how much there is.
//!
//! In: the head of a body, what its request says of it. Out: a [`Body`]. Invariants: what is no
//! text is not shown as text; the size is said whether or not there is a body; a body is parsed
//! only where it is small enough to be read whole; its bytes are given as they are, and how many
//! characters in them nobody sees is said.

use crate::answer::{cut, is_zero};
use crate::error::InspectError;
use browserlens_core::page::text::{count_unseen, escaped_line};
use browserlens_core::strategy::{BodySide, PageSource, RequestEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_json_path::JsonPath;
use std::collections::{BTreeMap, BTreeSet};

/// A body, as much of it as was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Body {
    /// Bytes of the whole.
    pub bytes: u64,
    /// The text, cut at the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What a JSONPath found in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Vec<Value>>,
    /// The schema of its shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Value>,
    /// Whether something was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Why there is no text, or not what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many characters of what is given of it nobody sees: controls, tags, what has no width or
    /// turns the direction of text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_characters: u64,
}

impl Body {
    /// Counts the unseen characters of what is given of it.
    fn counted(mut self) -> Self {
        self.unseen_characters =
            self.text.as_deref().map_or(0, count_unseen) + self.json.iter().flatten().map(unseen_in).sum::<u64>();
        self
    }

    /// Bytes that are returned of it.
    pub(crate) fn returned(&self) -> u64 {
        let json = |value: &Value| value.to_string().len() as u64;
        self.text.as_ref().map_or(0, |text| text.len() as u64)
            + self.json.as_ref().map_or(0, |found| found.iter().map(json).sum())
            + self.shape.as_ref().map_or(0, json)
    }
}

/// Counts the unseen characters in the names and texts of a value.
pub(crate) fn unseen_in(value: &Value) -> u64 {
    match value {
        Value::String(text) => count_unseen(text),
        Value::Array(items) => items.iter().map(unseen_in).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| count_unseen(name) + unseen_in(value)).sum(),
        _ => 0,
    }
}

/// What is wanted of bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub path: Option<JsonPath>,
    pub shape: bool,
    pub limit: usize,
    pub parse_limit: usize,
}

/// Reads a JSONPath.
pub(crate) fn path(given: Option<&String>) -> Result<Option<JsonPath>, InspectError> {
    const LONGEST: usize = 1_000;
    let Some(text) = given else { return Ok(None) };
    if text.len() > LONGEST {
        let problem = format!("it has {} bytes", text.len());
        return Err(InspectError::bad("bodyPath", problem, format!("up to {LONGEST} bytes")));
    }
    JsonPath::parse(text).map(Some).map_err(|error| {
        let problem = format!("{text:?} is no JSONPath: {}", error.message());
        InspectError::bad("bodyPath", problem, "a JSONPath of RFC 9535, such as $.items[*].id")
    })
}

/// Returns the body of a request; none where there is nothing to tell of.
pub(crate) fn of(
    source: &mut dyn PageSource,
    position: u64,
    request: &RequestEvent,
    side: BodySide,
    wanted: &Wanted,
) -> Result<Option<Body>, InspectError> {
    let parses = wanted.path.is_some() || wanted.shape;
    // One byte more than is shown tells whether the rest was cut; a character is cut at most three
    // bytes early.
    let room = if parses { wanted.parse_limit } else { wanted.limit };
    let Some(found) = source.body(position, side, room.saturating_add(4))? else {
        return Ok(missing(request, side));
    };
    let mut body = Body { bytes: found.bytes, ..Body::default() };
    let whole = found.head.len() as u64 == found.bytes;
    let mut text = match readable(found.head, whole) {
        Ok(text) => text,
        Err(why) => {
            body.note = Some(why.to_owned());
            return Ok(Some(body));
        }
    };
    if parses && whole {
        parsed(&text, wanted, &mut body);
        if body.note.is_none() {
            return Ok(Some(body.counted()));
        }
    } else if parses {
        body.note = Some(format!("too large to be parsed: over {} bytes", wanted.parse_limit));
    }
    body.truncated = cut(&mut text, wanted.limit).is_some() || !whole;
    body.text = Some(text);
    Ok(Some(body.counted()))
}

/// Says why there is no body, where there should be one.
fn missing(request: &RequestEvent, side: BodySide) -> Option<Body> {
    if side == BodySide::Request {
        return None;
    }
    let bytes = request.response_bytes;
    let mime = request.mime_type.as_str();
    let note = if !request.failure.is_empty() {
        format!("no body: {}", escaped_line(&request.failure))
    } else if request.status == 0 {
        "no response came".to_owned()
    } else if bytes == 0 {
        return None;
    } else if is_text(mime) {
        "not kept: streamed, of another charset, or over the limit of the recording".to_owned()
    } else {
        format!("not kept: {} is no text", if mime.is_empty() { "its type".into() } else { escaped_line(mime) })
    };
    Some(Body { bytes, note: Some(note), ..Body::default() })
}

fn is_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || ["json", "xml", "javascript", "x-www-form-urlencoded"].iter().any(|part| mime.contains(part))
}

/// Takes bytes as text, unless they are none: compressed, binary, or of another charset.
fn readable(mut bytes: Vec<u8>, whole: bool) -> Result<String, &'static str> {
    if !whole {
        // The head may end within a character.
        let end = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        bytes.truncate(end);
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err("not shown: it is compressed (gzip)");
    }
    let text = String::from_utf8(bytes).map_err(|_| "not shown: it is no UTF-8 text")?;
    let (mut odd, mut all) = (0usize, 0usize);
    for c in text.chars() {
        all += 1;
        odd += usize::from(c == '\u{fffd}' || (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')));
    }
    // A stray control character makes no text binary; one in twenty does, and so does a NUL.
    if odd * 20 > all || text.contains('\0') {
        return Err("not shown: it is binary, compressed or of another charset");
    }
    Ok(text)
}

fn parsed(text: &str, wanted: &Wanted, body: &mut Body) {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        body.note = Some("it is no JSON".to_owned());
        return;
    };
    let found = wanted.path.as_ref().map(|path| path.query(&value).all());
    if wanted.shape {
        let shape = match &found {
            Some(found) => found.iter().map(|value| shape_of(value)).reduce(merge).unwrap_or(Value::Null),
            None => shape_of(&value),
        };
        let size = shape.to_string().len();
        if size > wanted.limit {
            body.truncated = true;
            body.note = Some(format!("its shape takes {size} bytes: ask for a part of it by bodyPath"));
        } else {
            body.shape = Some(shape);
        }
        return;
    }
    let Some(found) = found else { return };
    let (mut kept, mut size) = (Vec::new(), 0);
    for value in &found {
        size += value.to_string().len();
        if size > wanted.limit {
            body.truncated = true;
            break;
        }
        kept.push((*value).clone());
    }
    if kept.is_empty() && !found.is_empty() {
        body.note = Some(format!("the path finds {} values, the first of over {} bytes", found.len(), wanted.limit));
    }
    body.json = Some(kept);
}

/// Returns the shape of a value: names of types, objects by member, arrays as their length and the
/// shape of what they hold.
fn shape_of(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Number(number) if number.is_f64() => "number".into(),
        Value::Number(_) => "integer".into(),
        Value::String(_) => "string".into(),
        Value::Array(items) => array(items.len() as u64, items.iter().map(shape_of).reduce(merge)),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (escaped_line(name).into_owned(), shape_of(value)));
            object(members.collect())
        }
    }
}

/// Returns the shape of arrays up to this length.
fn array(length: u64, items: Option<Value>) -> Value {
    let mut shape = Map::from_iter([("length".to_owned(), length.into())]);
    shape.extend(items.map(|items| ("items".to_owned(), items)));
    Value::Object(Map::from_iter([("array".to_owned(), Value::Object(shape))]))
}

/// Returns the shape of objects with these members.
fn object(members: Map<String, Value>) -> Value {
    Value::Object(Map::from_iter([("object".to_owned(), Value::Object(members))]))
}

/// Joins two shapes; a member that one of them lacks gets a question mark.
fn merge(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (one.get("object"), other.get("object")) {
        // By name: the shape, and whether it may be missing.
        let members = |of: &Map<String, Value>| -> BTreeMap<String, (Value, bool)> {
            let member = |(name, shape): (&String, &Value)| {
                let plain = name.strip_suffix('?');
                (plain.unwrap_or(name).to_owned(), (shape.clone(), plain.is_some()))
            };
            of.iter().rev().map(member).collect()
        };
        let (mut a, mut b) = (members(a), members(b));
        let names: BTreeSet<String> = a.keys().chain(b.keys()).cloned().collect();
        let join = |name: String| {
            let (shape, may) = match (a.remove(&name), b.remove(&name)) {
                (Some((left, left_may)), Some((right, right_may))) => (merge(left, right), left_may || right_may),
                (left, right) => (left.or(right)?.0, true),
            };
            Some((if may { format!("{name}?") } else { name }, shape))
        };
        return object(names.into_iter().filter_map(join).collect());
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) = (one.get("array"), other.get("array")) {
        let length = |of: &Map<String, Value>| of.get("length").and_then(Value::as_u64).unwrap_or(0);
        let items = match (a.get("items").cloned(), b.get("items").cloned()) {
            (Some(a), Some(b)) => Some(merge(a, b)),
            (a, b) => a.or(b),
        };
        return array(length(a).max(length(b)), items);
    }
    // Several types in one place.
    let list = |value: Value| match value {
        Value::Array(several) => several,
        one => vec![one],
    };
    let mut several = list(one);
    for shape in list(other) {
        let like = |known: &Value| match (known, &shape) {
            (Value::Object(a), Value::Object(b)) => a.keys().next() == b.keys().next(),
            _ => false,
        };
        match several.iter().position(like) {
            Some(at) => {
                let known = several.swap_remove(at);
                several.push(merge(known, shape));
            }
            None if several.contains(&shape) => {}
            None => several.push(shape),
        }
    }
    several.sort_by_key(Value::to_string);
    Value::Array(several)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_shape_of_a_list_of_records_is_that_of_one_with_what_varies_marked() {
        let value = json!({
            "items": [{ "id": 1, "name": "x" }, { "id": 2.5, "tags": [] }, { "id": null, "tags": ["a"] }],
            "next": null });
        assert_eq!(
            shape_of(&value),
            json!({ "object": {
                "items": { "array": { "length": 3, "items": { "object": {
                    "id": ["integer", "null", "number"],
                    "name?": "string",
                    "tags?": { "array": { "length": 1, "items": "string" } }
                } } } },
                "next": "null"
            } })
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_not_shown_as_text() {
        assert!(readable(b"\x1f\x8b\x08\0rest".to_vec(), true).unwrap_err().contains("gzip"));
        assert!(readable(b"\x89PNG\r\n\x1a\n".to_vec(), true).is_err());
        assert!(readable(b"Gr\xf6\xdfe".to_vec(), true).unwrap_err().contains("UTF-8"), "ISO 8859-1");
        assert!(readable("ab\0cd".into(), true).is_err());
        assert!(readable("\u{fffd}\u{fffd}x".into(), true).is_err());
        assert_eq!(readable("Größe\n\t".into(), true).unwrap(), "Größe\n\t");
        assert_eq!(readable("Grö".as_bytes()[..3].to_vec(), false).unwrap(), "Gr", "the head ends within a character");
        assert!(readable("Grö".as_bytes()[..3].to_vec(), true).is_err());
    }
}
