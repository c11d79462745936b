//! Scoring: what an agent could do and read with what it was shown.
//!
//! In: the shown state as read, the handles' map, the shown images; and, from the trace and the
//! scenario, the next action, facts, states and required nodes. Out: one score a metric. Invariant:
//! the reader chose before anything here was known to it.
//!
//! * *Recall*: a node of the shown state has a handle that means an acceptable node; or, where it
//!   has no handle or the map is not known, it is what role and name say; or the acceptable node
//!   lies uncovered in a shown image; or, in plain text, its name can be read.
//! * *Addressable*: the same through the strategy's channel alone; a mark drawn on a shown image
//!   points at its node as the place itself does.
//! * *Discriminable*: the reader's rules leave one candidate, or only acceptable ones.
//! * *Resolved*: the handle of the reader's choice means an acceptable node; none where the map is
//!   not known.

mod attacks;
mod exam;
mod facts;
mod index;
mod marks;
mod probes;
mod required;
mod scrolls;
mod states;

pub(crate) use attacks::AttackInput;
pub(crate) use exam::Told;
pub(crate) use facts::FactReading;
pub(crate) use index::PageIndex;
pub(crate) use marks::marks;
pub(crate) use scrolls::{Band, Missing, walk};

use crate::measure::TargetScore;
use crate::pixels::{self, SeenImage};
use crate::reader::{Haystack, ReadNode, Reading, find};
use crate::steps::NextAction;
use browserlens_core::page::{NodeId, NodeKey, NodeKind, Page};
use browserlens_core::strategy::{ActionChannel, NodeHint};
use std::collections::{BTreeMap, HashSet};

/// What is shown at a step.
pub(crate) struct Shown<'a> {
    page: &'a Page,
    index: &'a PageIndex,
    reading: &'a Reading,
    haystack: Haystack,
    /// Whether any handle's meaning is known.
    has_map: bool,
    /// What the handle of each node of the reading means.
    keys: Vec<Option<NodeKey>>,
    images: &'a [SeenImage],
    /// What handles mean that no text bears: they stand as marks in the images.
    drawn: Vec<NodeKey>,
    channel: ActionChannel,
}

impl<'a> Shown<'a> {
    /// Takes what is shown together; `handles` is what the handles mean, as far as that is known.
    pub fn new(
        page: &'a Page,
        index: &'a PageIndex,
        reading: &'a Reading,
        handles: &BTreeMap<String, NodeKey>,
        images: &'a [SeenImage],
        channel: ActionChannel,
    ) -> Self {
        let key = |node: &ReadNode| node.handle.as_ref().and_then(|handle| handles.get(handle)).copied();
        Self {
            page,
            index,
            reading,
            haystack: reading.haystack(),
            has_map: !handles.is_empty(),
            keys: reading.nodes.iter().map(key).collect(),
            images,
            drawn: drawn(reading, handles, images, channel),
            channel,
        }
    }

    /// Scores the reader's search for the next action's node.
    pub fn target(&self, next: Option<NextAction<'_>>) -> TargetScore {
        next.and_then(|next| Some(self.node(next.hint()?, next.acceptable))).unwrap_or(TargetScore::NOT_NEEDED)
    }

    /// Scores the reader's search for a node in words, of which the `acceptable` ones will do.
    pub fn node(&self, hint: &NodeHint, acceptable: &[NodeKey]) -> TargetScore {
        let ids: Vec<NodeId> = acceptable.iter().filter_map(|key| self.index.node(self.page, *key)).collect();
        let found = find(self.reading, hint);
        let key = |index: usize| self.keys.get(index).copied().flatten();
        let texts = self.texts_in(&ids);
        let will_do = |key: NodeKey| acceptable.contains(&key) || texts.contains(&key);
        let is_acceptable = |index: usize| key(index).is_some_and(will_do);
        let by_handle = self.has_map && self.keys.iter().flatten().any(|key| will_do(*key));
        // Words count where no handle contradicts them.
        let by_words = found.candidates.iter().any(|index| key(*index).is_none() || is_acceptable(*index));
        let by_pixels = self.is_in_image(&ids);
        let by_mark = self.drawn.iter().any(|key| will_do(*key));
        let by_text = self.channel == ActionChannel::None && !hint.name.is_empty() && self.haystack.holds(&hint.name);
        let has_handle = found.candidates.iter().any(|index| self.reading.nodes[*index].handle.is_some());
        let addressable = match self.channel {
            ActionChannel::Ref if !self.has_map => has_handle,
            ActionChannel::Ref => by_handle,
            ActionChannel::Selector => by_words,
            ActionChannel::RoleName => by_words && (!hint.name.is_empty() || found.is_single()),
            ActionChannel::Point => by_pixels || by_mark,
            ActionChannel::None => false,
        };
        let single = found.is_single()
            || (!found.candidates.is_empty() && found.candidates.iter().all(|index| is_acceptable(*index)));
        let by_point = self.channel == ActionChannel::Point;
        TargetScore {
            needed: true,
            recall: by_handle || by_words || by_pixels || by_mark || by_text,
            addressable,
            // In pixels the place itself singles a node out, and so does the mark on it.
            discriminable: addressable && (by_point || single),
            resolved: if by_point { None } else { found.choice().and_then(key).map(will_do) },
        }
    }

    /// Returns the texts right in acceptable nodes: some tools number texts, and who acts on the
    /// text acts on its node.
    fn texts_in(&self, acceptable: &[NodeId]) -> Vec<NodeKey> {
        let children = acceptable.iter().flat_map(|id| self.page.node(*id).children());
        children.filter(|child| child.kind() == NodeKind::Text).map(|text| text.key()).collect()
    }

    /// Returns whether one of these nodes lies uncovered in a shown image.
    fn is_in_image(&self, ids: &[NodeId]) -> bool {
        let is_shown = |id: &NodeId| pixels::is_shown(self.page, self.images, self.page.node(*id));
        !self.images.is_empty() && ids.iter().any(is_shown)
    }
}

/// Returns what the handles mean that no text bears, where they can stand in an image.
fn drawn(
    reading: &Reading,
    handles: &BTreeMap<String, NodeKey>,
    images: &[SeenImage],
    channel: ActionChannel,
) -> Vec<NodeKey> {
    if channel != ActionChannel::Point || images.is_empty() {
        return Vec::new();
    }
    let said: HashSet<&str> = reading.nodes.iter().filter_map(|node| node.handle.as_deref()).collect();
    handles.iter().filter(|(handle, _)| !said.contains(handle.as_str())).map(|(_, key)| *key).collect()
}

#[cfg(test)]
mod tests;
