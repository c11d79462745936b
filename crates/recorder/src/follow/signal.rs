//! What the listener in a page says of an event, and of the elements that it names.
//!
//! In: the payloads of its binding. Out: [`ListenerMessage`], [`Spot`]. Invariant: every field but the serial
//! and the kind may be missing.

use crate::follow::describe::Described;
use browserlens_core::page::NodeKey;
use serde::Deserialize;

/// What the listener says of one event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ListenerMessage {
    #[serde(rename = "s")]
    pub(crate) serial: u64,
    #[serde(rename = "k")]
    pub(crate) kind: String,
    #[serde(default, rename = "n")]
    pub(crate) place: Option<Told>,
    /// Where a drag ended.
    #[serde(default)]
    pub(crate) to: Option<Told>,
    /// The event in whose task it came.
    #[serde(default)]
    pub(crate) by: u64,
    #[serde(default, rename = "v")]
    pub(crate) value: String,
    /// Kind of the field.
    #[serde(default, rename = "c")]
    pub(crate) control: String,
    #[serde(default, rename = "sec")]
    pub(crate) secret: bool,
    #[serde(default, rename = "u")]
    pub(crate) untrusted: bool,
    #[serde(default)]
    pub(crate) follows: bool,
    /// Whether it will be told that the page got it (`reached`) or that whoever drives the browser
    /// took it back before that (`held`).
    #[serde(default)]
    pub(crate) undecided: bool,
    #[serde(default)]
    pub(crate) detail: u32,
    #[serde(default)]
    pub(crate) at: Option<(f32, f32)>,
}

/// An element as the listener tells it: by its number in the last capture, or held until the next.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Told {
    #[serde(default)]
    pub(crate) tag: String,
    /// Epoch and ordinal.
    #[serde(default, rename = "n")]
    pub(crate) number: Option<(u32, u32)>,
    #[serde(default, rename = "h")]
    pub(crate) held: Option<u64>,
    /// The nearest element around it that has a number.
    #[serde(default)]
    pub(crate) near: Option<(u32, u32)>,
    /// What it was and where it stood, if it has no number.
    #[serde(default, rename = "d")]
    pub(crate) described: Option<Described>,
}

/// An element of a document, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) session: String,
    /// Execution context of the listener: one document's.
    pub(crate) context: i64,
    pub(crate) tag: String,
    pub(crate) key: Option<NodeKey>,
    pub(crate) held: Option<u64>,
    pub(crate) near: Option<NodeKey>,
    pub(crate) described: Option<Described>,
}

impl Spot {
    /// Returns whether both are one element.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.key.is_some() && self.key == other.key)
            || (self.held.is_some()
                && (&self.session, self.context, self.held) == (&other.session, other.context, other.held))
    }
}
