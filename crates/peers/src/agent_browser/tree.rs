//! The tree that is printed: texts joined, repeated texts dropped, hidden fields given to what
//! stands for them.
//!
//! In: the nodes of one frame and the marks of its elements. Out: a [`Tree`] with its roots.
//! Invariant: positions stay as the browser sent them, because refs are numbered in that order.

use super::ax::AxNode;
use super::marks::Mark;
use std::collections::HashMap;

/// Roles that get a ref with or without a name.
const ALWAYS: [&str; 22] = [
    "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
    "menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "Iframe", "cell",
    "gridcell", "columnheader", "rowheader",
];

/// Roles that get a ref if they have a name.
const IF_NAMED: [&str; 6] = ["heading", "listitem", "article", "region", "main", "navigation"];

/// The nodes of one frame.
#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<AxNode>,
    /// Nodes that are nobody's child, in order.
    pub roots: Vec<usize>,
}

impl Tree {
    /// Prepares the nodes of a frame; `marks` are by backend node id.
    pub fn new(mut nodes: Vec<AxNode>, marks: &HashMap<u32, Mark>) -> Self {
        for parent in 0..nodes.len() {
            if !nodes[parent].role.is_empty() && !nodes[parent].children.is_empty() {
                join_texts(&mut nodes, parent);
            }
        }
        let mut is_child = vec![false; nodes.len()];
        for child in nodes.iter().flat_map(|node| &node.children) {
            is_child[*child] = true;
        }
        let roots = (0..nodes.len()).filter(|place| !is_child[*place]).collect();
        for node in &mut nodes {
            let mark = node.backend.and_then(|backend| marks.get(&backend));
            if let Some(mark) = mark {
                promote(node, mark);
            }
        }
        Self { nodes, roots }
    }

    /// Positions of the nodes that get a ref, in the order of numbering.
    pub fn referable<'t>(&'t self, marks: &'t HashMap<u32, Mark>) -> impl Iterator<Item = usize> + 't {
        let earns = |node: &AxNode| {
            let role = node.role.as_str();
            ALWAYS.contains(&role)
                || (IF_NAMED.contains(&role) && !node.name.is_empty())
                || node.backend.is_some_and(|backend| marks.contains_key(&backend))
        };
        self.nodes.iter().enumerate().filter(move |(_, node)| earns(node)).map(|(place, _)| place)
    }
}

/// Joins runs of texts below a node into their first, and drops the only child if it repeats the
/// node's name.
fn join_texts(nodes: &mut [AxNode], parent: usize) {
    let children = nodes[parent].children.clone();
    let mut at = 0;
    while at < children.len() {
        let run = children[at..].iter().take_while(|child| nodes[**child].is_text()).count();
        if run > 1 {
            let joined = children[at..at + run].iter().map(|child| nodes[*child].name.as_str()).collect();
            for child in &children[at + 1..at + run] {
                nodes[*child] = AxNode::default();
            }
            nodes[children[at]].name = joined;
        }
        at += run.max(1);
    }
    if let [only] = children[..]
        && nodes[only].is_text()
        && nodes[only].name == nodes[parent].name
    {
        nodes[only] = AxNode::default();
    }
}

/// A label or box around a radio button or checkbox that is not displayed stands for it.
fn promote(node: &mut AxNode, mark: &Mark) {
    let Some(hidden) = &mark.hidden_input else { return };
    if !matches!(node.role.as_str(), "LabelText" | "generic") {
        return;
    }
    node.role = hidden.role.to_owned();
    if node.name.is_empty() {
        node.name.clone_from(&mark.text);
    }
    node.checked = Some(hidden.checked.to_owned());
}
