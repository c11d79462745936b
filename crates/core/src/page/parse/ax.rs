//! What the accessibility tree says of one node, in the page's own words.
//!
//! In: one AX node of `Accessibility.getFullAXTree`. Out: role, name, value, states, level.
//! Invariant: a property or value that is not known changes nothing.

use super::payload::{AxNode, AxValue};
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

/// Reads the states and the level of a node.
fn states_of(node: &AxNode<'_>) -> (States, u8) {
    let mut states = States::NONE;
    let mut level = 0;
    for property in &node.properties {
        let value = &property.value;
        let on = value.is_true();
        match property.name.as_ref() {
            "disabled" => states.set(States::DISABLED, on),
            "checked" => {
                states.set(States::CHECKABLE, true);
                let mixed = is_mixed(value);
                states.set(States::CHECKED, on && !mixed);
                states.set(States::CHECKED_MIXED, mixed);
            }
            "pressed" => {
                states.set(States::PRESSABLE, true);
                let mixed = is_mixed(value);
                states.set(States::PRESSED, on && !mixed);
                states.set(States::PRESSED_MIXED, mixed);
            }
            "expanded" => {
                states.set(States::EXPANDABLE, true);
                states.set(States::EXPANDED, on);
            }
            "selected" => {
                states.set(States::SELECTABLE, true);
                states.set(States::SELECTED, on);
            }
            "required" => states.set(States::REQUIRED, on),
            "invalid" => states.set(States::INVALID, on),
            "readonly" => states.set(States::READONLY, on),
            "focused" => states.set(States::FOCUSED, on),
            "focusable" => states.set(States::FOCUSABLE, on),
            "modal" => states.set(States::MODAL, on),
            "multiline" => states.set(States::MULTILINE, on),
            "multiselectable" => states.set(States::MULTISELECTABLE, on),
            "hasPopup" => states.set(States::HAS_POPUP, on),
            "busy" => states.set(States::BUSY, on),
            "editable" => states.set(States::EDITABLE, on),
            "live" => match value.text().as_ref() {
                "polite" => states.set(States::LIVE_POLITE, true),
                "assertive" => states.set(States::LIVE_ASSERTIVE, true),
                _ => {}
            },
            "level" => {
                if let AxValue::Number(number) = value {
                    level = number.clamp(0.0, 255.0) as u8;
                }
            }
            _ => {}
        }
    }
    (states, level)
}

fn is_mixed(value: &AxValue<'_>) -> bool {
    matches!(value, AxValue::Text(text) if text == "mixed")
}
