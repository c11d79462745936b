//! The shape that every answer has.
//!
//! In: data and what is known of what it was taken from. Out: [`Answer`]. Invariants: `count`,
//! `total` and the sizes speak of the same filters and the same moment; what was cut is listed;
//! what nobody sees is written as an escape, but in bodies and HTML, which say how much of it they
//! hold.

use crate::cursor::{Cursors, Position};
use crate::error::InspectError;
use browserlens_core::page::text::escaped_json;
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// An answer: a page of data and how it stands to the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", bound(serialize = "D: Serialize, F: Serialize"))]
pub struct Answer<D, F> {
    /// The page of data.
    pub data: D,
    /// How many rows, nodes or characters it holds.
    pub count: u64,
    /// How many messages the rows stand for, where equal ones are folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// How many there are that pass the filters.
    pub total: u64,
    /// Whether there are more that pass.
    pub has_more: bool,
    /// Where to go on; null if done.
    pub next_cursor: Option<String>,
    /// The filters that were applied, defaults included.
    #[serde(serialize_with = "as_seen")]
    #[schemars(with = "F")]
    pub filters: F,
    /// What this is, in words.
    pub message: String,
    /// Counts and sizes before and after filtering and cutting.
    pub size: Sizes,
    /// What was cut, and how much of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truncated: Vec<Truncation>,
    /// What came after paging began, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<Newer>,
    /// How many characters nobody sees are in data that is given as it is (HTML): controls, tags,
    /// what has no width or turns the direction of text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_characters: u64,
}

impl<D, F> Answer<D, F> {
    /// An answer after which nothing comes, with nothing cut.
    pub(crate) fn of(data: D, total: u64, filters: F, message: String, size: Sizes) -> Self {
        Self {
            data,
            count: size.returned_count,
            messages: None,
            total,
            has_more: false,
            next_cursor: None,
            filters,
            message,
            size,
            truncated: Vec::new(),
            newer: None,
            unseen_characters: 0,
        }
    }

    /// The same answer, with a place to go on from where there is more.
    pub(crate) fn to(mut self, next: Option<&Position>, cursors: &Cursors<'_>) -> Result<Self, InspectError> {
        self.has_more = next.is_some();
        self.next_cursor = next.map(|place| cursors.write(place)).transpose()?;
        Ok(self)
    }
}

/// Whether there is nothing to tell of.
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Writes filters with what nobody sees in their texts as escapes; cursors are made of what was
/// really asked.
fn as_seen<F: Serialize, S: Serializer>(filters: &F, serializer: S) -> Result<S::Ok, S::Error> {
    let json = serde_json::to_string(filters).map_err(S::Error::custom)?;
    let escaped = escaped_json(&json);
    if *escaped == *json {
        return filters.serialize(serializer);
    }
    serde_json::from_str::<Value>(&escaped).map_err(S::Error::custom)?.serialize(serializer)
}

/// Counts and sizes before and after filtering and cutting. Bytes are those of HTML and text, else
/// of the rows or nodes as JSON, and of bodies that were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// Rows or nodes without any filter; characters of HTML and text.
    pub original_count: u64,
    /// As `count`.
    pub returned_count: u64,
    /// Bytes of all that passes the filters, on every page of it, with nothing folded or cut.
    pub original_bytes: u64,
    /// Bytes of `data`.
    pub returned_bytes: u64,
}

/// A text that was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// Which, as a path in the answer.
    pub what: String,
    /// Bytes (or nodes, for a tree) of the whole.
    pub original: u64,
    /// Bytes (or nodes) that are left.
    pub returned: u64,
}

/// Rows that came after paging began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Newer {
    /// How many pass the filters.
    pub count: u64,
    /// A cursor that gives them.
    pub cursor: String,
}

/// Cuts a text at a limit of bytes, between characters; returns how long it was if it was cut.
pub(crate) fn cut(text: &mut String, limit: usize) -> Option<u64> {
    if text.len() <= limit {
        return None;
    }
    let before = text.len() as u64;
    text.truncate(text.floor_char_boundary(limit));
    Some(before)
}

/// Returns how many bytes a value takes as JSON.
pub(crate) fn json_bytes<T: Serialize>(value: &T) -> u64 {
    serde_json::to_string(value).map_or(0, |json| json.len() as u64)
}

/// Returns a number with its noun.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Notes what was cut on the way to an answer, and sizes of rows.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    pub truncated: Vec<Truncation>,
    /// Of rows uncut and unfolded, each with a comma.
    pub original_bytes: u64,
    /// Of rows as they are, each with a comma.
    pub returned_bytes: u64,
}

impl Cuts {
    /// Cuts a text and notes the cut where there was one.
    pub(crate) fn text(&mut self, text: &mut String, limit: usize, what: impl FnOnce() -> String) {
        let before = cut(text, limit);
        self.note(before.unwrap_or(text.len() as u64), text.len() as u64, what);
    }

    /// Notes a cut, where there was one.
    pub(crate) fn note(&mut self, original: u64, returned: u64, what: impl FnOnce() -> String) {
        if returned < original {
            self.truncated.push(Truncation { what: what(), original, returned });
        }
    }
}
