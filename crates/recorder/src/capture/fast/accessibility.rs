//! What the script of a fast look says of elements: role, name, states; and which have listeners.
//!
//! In: its rows, by the place of an element in the flat tree. Out: what the accessibility tree says
//! of nodes. Invariant: bits mean what the script's list of them says.

use super::order::Elements;
use super::value_of;
use crate::capture::Heard;
use crate::socket::Reply;
use browserlens_core::page::States;
use browserlens_core::page::raw::AxNodeInfo;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Index, role, name, description, value, states, level.
#[derive(Deserialize)]
pub(crate) struct AxRow(usize, String, String, String, String, u32, u32);

impl AxRow {
    pub(crate) fn heard(self) -> (usize, Arc<Heard>) {
        let Self(index, role, name, description, value, bits, level) = self;
        (index, Arc::new(Heard { role, name, description, value, bits, level }))
    }
}

/// What the script read of one frame.
#[derive(Deserialize)]
pub(crate) struct Collected {
    pub(crate) count: usize,
    pub(crate) hash: i32,
    pub(crate) rows: Vec<AxRow>,
    /// Which of the frame elements the tree leaves out.
    pub(crate) hidden: Vec<usize>,
}

impl Collected {
    /// Returns whether the script saw the elements that the snapshot has.
    pub(crate) fn fits(&self, elements: &Elements) -> bool {
        self.count == elements.backends.len() && self.hash == elements.hash
    }
}

/// States by the script's bits; those that say more than yes or no are read apart.
const STATES: [(u32, States); 14] = [
    (0, States::DISABLED),
    (11, States::REQUIRED),
    (12, States::INVALID),
    (13, States::READONLY),
    (14, States::FOCUSED),
    (15, States::FOCUSABLE),
    (16, States::MODAL),
    (17, States::MULTILINE),
    (18, States::MULTISELECTABLE),
    (19, States::HAS_POPUP),
    (20, States::BUSY),
    (21, States::EDITABLE),
    (22, States::LIVE_POLITE),
    (23, States::LIVE_ASSERTIVE),
];

fn states(bits: u32) -> States {
    let has = |bit: u32| bits & (1 << bit) != 0;
    let mut states = States::NONE;
    for (bit, state) in STATES {
        states.set(state, has(bit));
    }
    for (able, on, [is_able, is_on]) in [
        (1, has(2) && !has(3), [States::CHECKABLE, States::CHECKED]),
        (1, has(3), [States::CHECKABLE, States::CHECKED_MIXED]),
        (4, has(5) && !has(6), [States::PRESSABLE, States::PRESSED]),
        (4, has(6), [States::PRESSABLE, States::PRESSED_MIXED]),
        (7, has(8), [States::EXPANDABLE, States::EXPANDED]),
        (9, has(10), [States::SELECTABLE, States::SELECTED]),
    ] {
        states.set(is_able, has(able));
        states.set(is_on, has(able) && on);
    }
    states
}

impl Heard {
    /// Returns it as a page takes it.
    pub(crate) fn said(&self) -> AxNodeInfo<'_> {
        AxNodeInfo {
            ignored: false,
            role: self.role.as_str().into(),
            name: self.name.as_str().into(),
            description: self.description.as_str().into(),
            value: self.value.as_str().into(),
            states: states(self.bits),
            level: self.level.min(255) as u8,
        }
    }
}

/// The listeners payload of a frame; none where the main world saw other elements than the
/// snapshot.
pub(crate) fn listeners(reply: &Reply, backends: &[i64]) -> Option<String> {
    #[derive(Deserialize)]
    struct Found {
        count: usize,
        found: Vec<(usize, Vec<String>)>,
    }
    let Found { count, found } = value_of(reply)?;
    if count != backends.len() {
        return None;
    }
    let nodes: Option<Vec<Value>> =
        found.into_iter().map(|(at, types)| Some(json!({ "node": backends.get(at)?, "types": types }))).collect();
    serde_json::to_string(&json!({ "listeners": nodes? })).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::raw::Snapshot;

    #[test]
    fn rows_are_of_the_nodes_of_the_snapshot_only_where_both_saw_the_same_elements() {
        let snapshot = r##"{"documents":[{"frameId":0,"nodes":{"nodeType":[9,1,1,3,1],"nodeName":[1,2,3,4,5],
            "backendNodeId":[1,2,3,4,5]}}],
            "strings":["F","#document","HTML","BODY","#text","::before"]}"##;
        let snapshot: Snapshot = serde_json::from_str(snapshot).expect("reads");
        let elements = Elements::of_frame(&snapshot, "F").expect("the frame");
        assert_eq!(elements.backends, [2, 3], "neither text nor pseudo-elements");
        let hash = (4 * 131 + i32::from(b'h')) * 31 + 4 * 131 + i32::from(b'b');
        assert_eq!(elements.hash, hash);
        let text = format!(r#"{{"count":2,"hash":{hash},"rows":[[1,"checkbox","Gift","","",6,0]],"hidden":[]}}"#);
        let mut collected: Collected = serde_json::from_str(&text).expect("reads");
        assert!(collected.fits(&elements));
        let (at, heard) = collected.rows.pop().expect("a row").heard();
        let said = heard.said();
        assert_eq!((at, said.role.as_ref(), said.name.as_ref()), (1, "checkbox", "Gift"));
        assert_eq!(said.states, States::CHECKABLE.with(States::CHECKED));
        collected.count = 3;
        assert!(!collected.fits(&elements));
    }

    #[test]
    fn what_is_mixed_is_not_on_and_what_cannot_be_is_neither() {
        assert_eq!(states(0b1110), States::CHECKABLE.with(States::CHECKED_MIXED));
        assert_eq!(states(1 << 8 | 1 << 10), States::NONE);
        assert_eq!(states(1 << 4 | 1 << 5), States::PRESSABLE.with(States::PRESSED));
    }
}
