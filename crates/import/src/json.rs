//! Reading JSON of unknown origin.
//!
//! In: one JSON text. Out: its top level, or values of bounded depth. Invariant: nothing here
//! recurses deeper than serde_json's own limit; what is nested deeper is an error of the one value
//! that is.

use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The members of an object, unread.
pub(crate) type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// Returns the string under a key; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Returns the list under a key; an empty one if there is none.
pub(crate) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the number under a key.
pub(crate) fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(Value::as_f64)
}
