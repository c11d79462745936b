//! Folding the tree: what repeats or only groups goes.
//!
//! In: the arena of [`super::tree`]. Out: the same arena with shorter lists of children. The rules
//! run on each node when its children are done, in this order: merge texts, drop nameless images,
//! drop names that the content shows in full, take the text of an only generic child, drop a
//! generic child that only repeats its parent's name, unwrap generics with at most one child.
//! Invariant: no node is visited twice, and the walk is a stack.

use super::name::normalize;
use super::tree::{AriaNode, Child};
use crate::dom::Id;
use std::collections::HashSet;

struct Open {
    node: usize,
    left: std::vec::IntoIter<Child>,
    done: Vec<Child>,
}

enum Verdict {
    Keep,
    Remove,
    Unwrap,
}

struct Distiller<'t> {
    nodes: &'t mut Vec<AriaNode>,
    /// Elements that gave a name and are not seen with a line of their own.
    pending: HashSet<Id>,
    /// How many open nodes are click targets.
    click_targets: usize,
}

/// Folds the tree below node 0.
pub(super) fn distill(nodes: &mut Vec<AriaNode>) {
    let mut distiller = Distiller { nodes, pending: HashSet::new(), click_targets: 0 };
    let mut open = vec![distiller.open(0)];
    while let Some(top) = open.last_mut() {
        match top.left.next() {
            Some(Child::Text(text)) => top.done.push(Child::Text(text)),
            Some(Child::Node(child)) => {
                let child = distiller.open(child);
                open.push(child);
            }
            None => {
                let Some(closed) = open.pop() else { break };
                distiller.close(closed, open.last_mut());
            }
        }
    }
}

impl Distiller<'_> {
    fn open(&mut self, node: usize) -> Open {
        self.enter(node);
        self.click_targets += usize::from(self.nodes[node].is_click_target());
        let left = std::mem::take(&mut self.nodes[node].children).into_iter();
        Open { node, left, done: Vec::new() }
    }

    fn close(&mut self, closed: Open, parent: Option<&mut Open>) {
        let at = closed.node;
        self.click_targets -= usize::from(self.nodes[at].is_click_target());
        self.nodes[at].children = closed.done;
        let verdict = self.exit(at, parent.as_ref().map(|parent| parent.node));
        let Some(parent) = parent else { return };
        match verdict {
            Verdict::Keep => parent.done.push(Child::Node(at)),
            Verdict::Remove => {}
            Verdict::Unwrap => parent.done.append(&mut self.nodes[at].children),
        }
    }

    fn enter(&mut self, at: usize) {
        let node = &self.nodes[at];
        if node.reference.is_none() {
            return;
        }
        self.pending.extend(&node.named_by);
        let leaf_generic = node.role == "generic" && node.children.iter().all(|child| matches!(child, Child::Text(_)));
        if !leaf_generic {
            self.pending.remove(&node.element);
        }
    }

    fn exit(&mut self, at: usize, parent: Option<usize>) -> Verdict {
        merge_texts(&mut self.nodes[at]);
        let click_root = self.nodes[at].is_click_target() && self.click_targets == 0;
        let node = &mut self.nodes[at];
        if node.role == "img" && node.name.is_empty() && node.children.is_empty() && !click_root {
            return Verdict::Remove;
        }
        if node.reference.is_some() && !node.named_by.is_empty() {
            if node.named_by.iter().any(|source| self.pending.contains(source)) {
                for source in &node.named_by {
                    self.pending.remove(source);
                }
            } else {
                node.name.clear();
            }
        }
        self.inline_text(at);
        let node = &self.nodes[at];
        if let Some(parent) = parent.map(|parent| &self.nodes[parent])
            && !parent.name.is_empty()
            && node.role == "generic"
            && !node.active
            && !node.has_props()
        {
            let text = match (&node.children[..], node.name.is_empty()) {
                ([], false) => Some(&node.name),
                ([Child::Text(text)], true) => Some(text),
                _ => None,
            };
            if text.is_some_and(|text| *text == parent.name) {
                if node.reference.is_some() {
                    self.pending.insert(node.element);
                }
                return Verdict::Remove;
            }
        }
        let referenced = |child: &Child| matches!(child, Child::Node(child) if self.nodes[*child].reference.is_some());
        let unwraps = node.role == "generic"
            && node.name.is_empty()
            && node.children.len() <= 1
            && node.children.iter().all(referenced);
        if unwraps && !(node.children.is_empty() && click_root) { Verdict::Unwrap } else { Verdict::Keep }
    }

    fn inline_text(&mut self, at: usize) {
        let node = &self.nodes[at];
        let [Child::Node(child)] = node.children[..] else { return };
        let child = &self.nodes[child];
        if node.role != "generic"
            || node.has_props()
            || child.role != "generic"
            || !child.name.is_empty()
            || child.active
            || child.has_props()
        {
            return;
        }
        if let [Child::Text(text)] = &child.children[..] {
            self.nodes[at].children = vec![Child::Text(text.clone())];
        }
    }
}

fn merge_texts(node: &mut AriaNode) {
    let mut merged = Vec::with_capacity(node.children.len());
    let mut run = String::new();
    let flush = |run: &mut String, merged: &mut Vec<Child>| {
        let text = normalize(run);
        run.clear();
        if !text.is_empty() {
            merged.push(Child::Text(text));
        }
    };
    for child in std::mem::take(&mut node.children) {
        match child {
            Child::Text(text) => run.push_str(&text),
            Child::Node(child) => {
                flush(&mut run, &mut merged);
                merged.push(Child::Node(child));
            }
        }
    }
    flush(&mut run, &mut merged);
    if matches!(&merged[..], [Child::Text(only)] if *only == node.name) {
        merged.clear();
    }
    node.children = merged;
}
