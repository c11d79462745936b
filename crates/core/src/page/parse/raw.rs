//! `DOMSnapshot.captureSnapshot` as columns, listeners, and what an accessibility tree says of a
//! node: declared here for all who read them.
//!
//! In: JSON text, or columns that a live look keeps and changes. Out: the same, typed. Invariant:
//! every column may be shorter than it should be and every index may point nowhere; what reads them
//! passes that over. Fields are called as the protocol calls them.

use crate::page::node::States;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Computed styles of each box, as indices of texts.
pub type Styles = Vec<Vec<i64>>;

/// A snapshot of one session: its documents, and the table that all their texts are indices into.
///
/// `S` is what is kept of styles and `T` of text boxes: [`IgnoredAny`] only skips them. Styles are
/// two fifths of a snapshot; text boxes, which no page needs, are a twentieth. All else is read
/// always: the one other column that no page needs has only images in it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(bound(deserialize = "S: Default + Deserialize<'de>, T: Default + Deserialize<'de>"))]
pub struct Snapshot<S = Styles, T = IgnoredAny> {
    /// Which styles of the capture contract each row of styles holds, by index; all, in order,
    /// where it does not say.
    #[serde(default, rename = "computedStyles", skip_serializing_if = "Option::is_none")]
    pub computed_styles: Option<Vec<u8>>,
    /// The documents, that of the session's root frame first.
    pub documents: Vec<Document<S, T>>,
    /// The texts.
    pub strings: Vec<Arc<str>>,
}

impl<S, T> Snapshot<S, T> {
    /// Returns a text of the table; empty for an index that points nowhere.
    pub fn text(&self, index: i64) -> &str {
        usize::try_from(index).ok().and_then(|index| self.strings.get(index)).map_or("", |text| text.as_ref())
    }

    /// Returns the number of a document's frame, in canonical form (`F3`).
    pub fn frame_number(&self, document: &Document<S, T>) -> Option<u32> {
        super::number_of(self.text(document.frame_id), 'F')
    }
}

/// One document.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document<S = Styles, T = IgnoredAny> {
    /// Its URL.
    #[serde(rename = "documentURL", default = "minus_one")]
    pub document_url: i64,
    /// Its title.
    #[serde(default = "minus_one")]
    pub title: i64,
    /// Id of its frame.
    #[serde(default = "minus_one")]
    pub frame_id: i64,
    /// Its nodes, in flat-tree order.
    pub nodes: Nodes,
    /// Their boxes.
    #[serde(default)]
    pub layout: Layout<S>,
    /// The pieces that lines break their text into.
    #[serde(default)]
    pub text_boxes: T,
    /// How far it is scrolled.
    #[serde(default)]
    pub scroll_offset_x: f64,
    /// How far it is scrolled.
    #[serde(default)]
    pub scroll_offset_y: f64,
    /// Width of its content.
    #[serde(default)]
    pub content_width: f64,
    /// Height of its content.
    #[serde(default)]
    pub content_height: f64,
}

fn minus_one() -> i64 {
    -1
}

/// Columns of a document's nodes.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Nodes {
    /// Node that holds each.
    pub parent_index: Vec<i64>,
    /// Kind, as the DOM numbers kinds.
    pub node_type: Vec<i64>,
    /// Kind of the shadow tree that a node lies in.
    pub shadow_root_type: RareIndex,
    /// Tag or other name.
    pub node_name: Vec<i64>,
    /// Text of a text node.
    pub node_value: Vec<i64>,
    /// Backend node id.
    pub backend_node_id: Vec<i64>,
    /// Names and values, in turns.
    pub attributes: Vec<Vec<i64>>,
    /// What a `textarea` holds.
    pub text_value: RareIndex,
    /// What an `input` holds.
    pub input_value: RareIndex,
    /// Which `input`s are checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_checked: Option<RareFlag>,
    /// Which `option`s are selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_selected: Option<RareFlag>,
    /// Which document a frame element shows.
    pub content_document_index: RareIndex,
    /// Kind of a pseudo-element.
    pub pseudo_type: RareIndex,
    /// What has listeners of the pointer.
    pub is_clickable: RareFlag,
    /// URL of what an image shows.
    #[serde(rename = "currentSourceURL")]
    pub current_source_url: RareIndex,
}

/// A column that few nodes have a value in.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct RareIndex {
    /// The nodes.
    pub index: Vec<i64>,
    /// Their values.
    pub value: Vec<i64>,
}

impl RareIndex {
    /// Says a value of a node, in place of what was said of it.
    pub fn set(&mut self, node: i64, value: i64) {
        match self.index.binary_search(&node) {
            Ok(at) if at < self.value.len() => self.value[at] = value,
            Ok(at) | Err(at) => {
                self.index.insert(at, node);
                self.value.insert(at.min(self.value.len()), value);
            }
        }
    }

    /// Returns the nodes, each with its value.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.index.iter().zip(&self.value).filter_map(|(node, value)| Some((usize::try_from(*node).ok()?, *value)))
    }
}

/// Nodes of which something is true.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct RareFlag {
    /// The nodes.
    pub index: Vec<i64>,
}

impl RareFlag {
    /// Returns the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.index.iter().filter_map(|node| usize::try_from(*node).ok())
    }
}

/// Columns of a document's boxes.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Layout<S = Styles> {
    /// Node of each box.
    pub node_index: Vec<i64>,
    /// Computed styles.
    pub styles: S,
    /// Boxes in CSS px of the document.
    pub bounds: Vec<Rect>,
    /// Text as it is rendered.
    pub text: Vec<i64>,
    /// Place in the order in which layers are painted.
    pub paint_orders: Vec<i64>,
    /// What is scrolled, and how far.
    pub scroll_rects: Vec<Rect>,
    /// Padding boxes, from the border box's corner.
    pub client_rects: Vec<Rect>,
}

/// Columns of the boxes that lines break text into.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TextBoxes {
    /// Row of [`Layout`] whose text it is a piece of.
    pub layout_index: Vec<i64>,
    /// Boxes in CSS px of the document.
    pub bounds: Vec<Rect>,
    /// First UTF-16 unit of the piece.
    pub start: Vec<i64>,
    /// Number of its UTF-16 units.
    pub length: Vec<i64>,
}

/// The first four numbers, and how many there are; missing ones are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect(pub [f64; 4], pub u8);

impl<'de> Deserialize<'de> for Rect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RectVisitor;
        impl<'de> Visitor<'de> for RectVisitor {
            type Value = Rect;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rectangle of four numbers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rect, A::Error> {
                let mut rect = Rect::default();
                while let Some(number) = seq.next_element::<f64>()? {
                    if let Some(slot) = rect.0.get_mut(usize::from(rect.1)) {
                        *slot = number;
                    }
                    rect.1 = rect.1.saturating_add(1);
                }
                Ok(rect)
            }
        }
        deserializer.deserialize_seq(RectVisitor)
    }
}

impl Serialize for Rect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0[..usize::from(self.1).min(4)].serialize(serializer)
    }
}

impl Rect {
    /// A rectangle of four numbers.
    pub fn of(numbers: [f64; 4]) -> Self {
        Self(numbers, 4)
    }

    /// Returns whether there is a rectangle; numbers after it do no harm.
    pub fn is_present(self) -> bool {
        self.1 >= 4
    }

    /// Returns the numbers where there are four and no more.
    pub fn exactly(self) -> Option<[f64; 4]> {
        (self.1 == 4).then_some(self.0)
    }
}

/// What an accessibility tree says of a node.
#[derive(Clone, Debug, Default)]
pub struct AxNodeInfo<'a> {
    /// Whether the tree passes it over.
    pub ignored: bool,
    /// Role.
    pub role: Cow<'a, str>,
    /// Accessible name.
    pub name: Cow<'a, str>,
    /// Accessible description.
    pub description: Cow<'a, str>,
    /// Value.
    pub value: Cow<'a, str>,
    /// States.
    pub states: States,
    /// Level; 0 for none.
    pub level: u8,
}

/// The listeners of a frame, in canonical form.
#[derive(Debug, Deserialize)]
pub struct Listeners<'a> {
    /// The nodes that have any.
    #[serde(borrow, default)]
    pub listeners: Vec<NodeListeners<'a>>,
}

/// What one node listens to.
#[derive(Debug, Deserialize)]
pub struct NodeListeners<'a> {
    /// Backend node id.
    pub node: u32,
    /// Types of events.
    #[serde(borrow, default)]
    pub types: Vec<Cow<'a, str>>,
}
