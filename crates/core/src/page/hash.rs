//! The page hash: whether two captures show the same page to an agent.
//!
//! In: a [`Page`]. Out: a BLAKE3 hash over structure, role, name, state, value and text of the
//! nodes that are visible or in the accessibility tree. Boxes, hover, focus and other attributes
//! are left out: peers write attributes and move focus, and that must not make their output count
//! as one of another page.

use crate::hex_hash;
use crate::page::node::{Flags, NodeKind, States};
use crate::page::tree::{NodeRef, Page};
use std::fmt;

hex_hash! {
    /// Hash of what a page shows.
    pub struct PageHash;
}

/// One node as the hash sees it.
struct Shown<'p> {
    node: NodeRef<'p>,
    states: States,
    text: &'p str,
}

impl<'p> Shown<'p> {
    /// What the hash covers: depth, role, name, states, value and text.
    fn covered(&self) -> (u32, &'p str, &'p str, u32, &'p str, &'p str) {
        let node = self.node;
        (node.depth(), node.role(), node.name(), self.states.0, node.value(), self.text)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (depth, role, name, states, value, text) = self.covered();
        let short = |text: &str| text.chars().take(60).collect::<String>();
        write!(f, "<{}> {role} {:?}", self.node.tag(), short(if text.is_empty() { name } else { text }))?;
        if !value.is_empty() {
            write!(f, " value {:?}", short(value))?;
        }
        let hidden = if self.node.is_visible() { "" } else { ", hidden" };
        write!(f, " (states {states:#x}, depth {depth}{hidden})")
    }
}

impl Page {
    /// Returns the hash of structure, role, name, state, value and text.
    pub fn hash(&self) -> PageHash {
        let mut hasher = blake3::Hasher::new();
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(self.url().as_bytes());
        field(self.title().as_bytes());
        for (depth, role, name, states, value, text) in self.shown_nodes().map(|node| node.covered()) {
            field(&depth.to_le_bytes());
            field(role.as_bytes());
            field(name.as_bytes());
            field(&states.to_le_bytes());
            field(value.as_bytes());
            field(text.as_bytes());
        }
        PageHash(*hasher.finalize().as_bytes())
    }

    /// Says where this page first differs from another in what the hash covers; none if the hashes
    /// are equal.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        if self.url() != other.url() {
            return Some(format!("the URL is {:?} and not {:?}", other.url(), self.url()));
        }
        if self.title() != other.title() {
            return Some(format!("the title is {:?} and not {:?}", other.title(), self.title()));
        }
        let (mut ours, mut theirs) = (self.shown_nodes(), other.shown_nodes());
        let mut index = 0_u32;
        loop {
            index += 1;
            match (ours.next(), theirs.next()) {
                (None, None) => return None,
                (Some(ours), Some(theirs)) if ours.covered() == theirs.covered() => {}
                (Some(ours), Some(theirs)) => return Some(format!("node {index} is {theirs} and not {ours}")),
                (Some(ours), None) => return Some(format!("node {index}, {ours}, is missing, and all after it")),
                (None, Some(theirs)) => return Some(format!("node {index}, {theirs}, is there beyond the last one")),
            }
        }
    }

    fn shown_nodes(&self) -> impl Iterator<Item = Shown<'_>> {
        let unstable = States::FOCUSED.with(States::FOCUSABLE);
        self.nodes().filter(|node| node.is_visible() || !node.flags().has(Flags::AX_IGNORED)).map(move |node| {
            let mut states = node.states();
            states.set(unstable, false);
            let has_text = matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo);
            Shown { node, states, text: if has_text { node.text() } else { "" } }
        })
    }
}
