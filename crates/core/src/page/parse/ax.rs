//! What the accessibility tree says of one node, in the page's own words.
//!
//! In: one AX node of `Accessibility.getFullAXTree`. Out: role, name, value, states, level.
//! Invariant: a property or value that is not known changes nothing.

use super::payload::{AxNode, AxProperty, AxValue};
use super::raw::AxNodeInfo;
use crate::page::node::States;
use std::collections::HashMap;

/// What the accessibility tree of one frame says of its nodes, by backend node id.
pub(super) struct AxTree<'a> {
    nodes: Vec<AxNodeInfo<'a>>,
    by_backend: HashMap<u32, u32>,
}

impl<'a> AxTree<'a> {
    pub(super) fn new(nodes: Vec<AxNode<'a>>) -> Self {
        let said = nodes.into_iter().filter_map(|node| {
            let backend = u32::try_from(node.backend?).ok()?;
            let (states, level) = states_of(&node);
            let AxNode { ignored, role, name, description, value, .. } = node;
            let [role, name, description, value] = [role, name, description, value].map(AxValue::into_text);
            Some((backend, AxNodeInfo { ignored, role, name, description, value, states, level }))
        });
        Self::of(said)
    }

    /// Of several that are said of one node the first counts.
    pub(super) fn of(said: impl Iterator<Item = (u32, AxNodeInfo<'a>)>) -> Self {
        let (mut nodes, mut by_backend) = (Vec::new(), HashMap::new());
        for (backend, said) in said {
            by_backend.entry(backend).or_insert(nodes.len() as u32);
            nodes.push(said);
        }
        Self { nodes, by_backend }
    }

    pub(super) fn get(&self, backend: u32) -> Option<&AxNodeInfo<'a>> {
        self.by_backend.get(&backend).map(|index| &self.nodes[*index as usize])
    }
}

/// Properties that are one state each.
const PLAIN: [(&str, States); 12] = [
    ("disabled", States::DISABLED),
    ("required", States::REQUIRED),
    ("invalid", States::INVALID),
    ("readonly", States::READONLY),
    ("focused", States::FOCUSED),
    ("focusable", States::FOCUSABLE),
    ("modal", States::MODAL),
    ("multiline", States::MULTILINE),
    ("multiselectable", States::MULTISELECTABLE),
    ("hasPopup", States::HAS_POPUP),
    ("busy", States::BUSY),
    ("editable", States::EDITABLE),
];

/// Properties that say whether there is a state at all, whether it is on, and whether it is mixed, where it can be.
const SWITCHED: [(&str, States, States, States); 4] = [
    ("checked", States::CHECKABLE, States::CHECKED, States::CHECKED_MIXED),
    ("pressed", States::PRESSABLE, States::PRESSED, States::PRESSED_MIXED),
    ("expanded", States::EXPANDABLE, States::EXPANDED, States::NONE),
    ("selected", States::SELECTABLE, States::SELECTED, States::NONE),
];

/// Reads the states and the level of a node.
fn states_of(node: &AxNode<'_>) -> (States, u8) {
    let mut states = States::NONE;
    let mut level = 0;
    for AxProperty { name, value } in &node.properties {
        if let Some((_, state)) = PLAIN.iter().find(|(known, _)| known == name) {
            states.set(*state, value.is_true());
        } else if let Some((_, has, on, mixed)) = SWITCHED.iter().find(|(known, ..)| known == name) {
            let is_mixed = *mixed != States::NONE && value.is("mixed");
            states.set(*has, true);
            states.set(*on, value.is_true() && !is_mixed);
            states.set(*mixed, is_mixed);
        } else if name == "live" && value.is("polite") {
            states.set(States::LIVE_POLITE, true);
        } else if name == "live" && value.is("assertive") {
            states.set(States::LIVE_ASSERTIVE, true);
        } else if let ("level", AxValue::Number(number)) = (name.as_ref(), value) {
            level = number.clamp(0.0, 255.0) as u8;
        }
    }
    (states, level)
}
