//! What the parsers of indented outlines share: parents by indentation, and what the lines below
//! say about a node.
//!
//! In: nodes with their indentation, in the order of the text. Out: a [`Reading`]. Invariants: a
//! parent stands before its child; all passes are linear in the nodes. A line belongs to the last
//! line one level further out, also where a shallower one stands between: values with line breaks
//! put foreign lines into some formats, and these must not cut the page in two.

use super::node::{ReadNode, Reading, join};
use super::tags;
use browserlens_core::page::role as roles;
use std::collections::BTreeMap;

/// How many levels up a text names what it stands in.
pub(crate) const NAMED_LEVELS: usize = 6;
/// How many levels a selected option may lie below its combobox, and a field's text below the
/// field.
const FIELD_LEVELS: usize = 4;

/// An outline while it is read.
#[derive(Debug)]
pub(crate) struct Outline {
    nodes: Vec<ReadNode>,
    /// Indentation and the last node that had it.
    last: BTreeMap<usize, usize>,
    /// Indentation of one level.
    unit: usize,
    /// States that the format never writes.
    silent: &'static [&'static str],
}

impl Outline {
    /// Starts an outline; `unit` is the indentation of one level.
    pub fn new(unit: usize, silent: &'static [&'static str]) -> Self {
        Self { nodes: Vec::new(), last: BTreeMap::new(), unit, silent }
    }

    /// Adds a node.
    pub fn add(&mut self, indent: usize, mut node: ReadNode) {
        let above = indent.checked_sub(self.unit).and_then(|at| self.last.get(&at));
        node.parent = above.or_else(|| self.last.range(..indent).next_back().map(|(_, index)| index)).copied();
        self.last.insert(indent, self.nodes.len());
        self.nodes.push(node);
    }

    /// Adds a line that is not in the grammar.
    pub fn loose(&mut self, line: &str) {
        let text = line.trim();
        self.nodes.extend((!text.is_empty()).then(|| ReadNode::loose(text)));
    }

    /// Returns the node added last.
    pub fn last_mut(&mut self) -> Option<&mut ReadNode> {
        self.nodes.last_mut()
    }

    /// Returns whether a node up to `levels` above says these words itself.
    pub fn is_said_above(&self, indent: usize, words: &str, levels: usize) -> bool {
        let nearest = self.last.range(..indent).next_back().map(|(_, index)| *index);
        let mut above = std::iter::successors(nearest, |at| self.nodes[*at].parent).take(levels);
        above.any(|at| {
            let node = &self.nodes[at];
            node.name.contains(words) || node.text.contains(words) || node.value.contains(words)
        })
    }

    /// Takes the text below a field for its value, where the format writes values nowhere else.
    pub fn fill_fields(&mut self) {
        for index in 0..self.nodes.len() {
            if !is_text(&self.nodes[index].role) {
                continue;
            }
            let words = words_of(&self.nodes[index]).to_owned();
            if let Some(field) = self.above(index, FIELD_LEVELS, |node| roles::is_text_field(&node.role)) {
                join(&mut self.nodes[field].value, &words);
            }
        }
    }

    fn above(&self, index: usize, levels: usize, is_it: impl Fn(&ReadNode) -> bool) -> Option<usize> {
        let above = std::iter::successors(self.nodes[index].parent, |at| self.nodes[*at].parent);
        above.take(levels).find(|at| is_it(&self.nodes[*at]))
    }

    /// Ends the outline: nodes without a name take it from what they hold, a select its value from
    /// the selected option. `generics`: whether a generic with a handle is named so too.
    pub fn finish(mut self, generics: bool) -> Reading {
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            if is_text(&node.role) {
                let words = words_of(node).trim().to_owned();
                self.name_above(index, &words, generics);
            } else if node.role == "option" && node.has_state("selected") {
                let name = node.name.clone();
                let list = self.above(index, FIELD_LEVELS, |node| node.role == "combobox");
                if let Some(list) = list.filter(|list| self.nodes[*list].value.is_empty()) {
                    self.nodes[list].value = name;
                    self.nodes[list].value_unsaid = false;
                }
            }
        }
        Reading { nodes: self.nodes, marks: Vec::new(), silent: self.silent }
    }

    fn name_above(&mut self, index: usize, words: &str, generics: bool) {
        let mut at = self.nodes[index].parent;
        for _ in 0..NAMED_LEVELS {
            let Some(here) = at.filter(|_| !words.is_empty()) else { return };
            let node = &mut self.nodes[here];
            let takes = tags::is_named_by_content(&node.role)
                || (generics && node.handle.is_some() && roles::is_generic(&node.role));
            if takes {
                node.name_by(words);
            }
            at = node.parent;
        }
    }
}

fn is_text(role: &str) -> bool {
    matches!(role, "text" | "StaticText")
}

fn words_of(node: &ReadNode) -> &str {
    if node.text.is_empty() { &node.name } else { &node.text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(role: &str, name: &str) -> ReadNode {
        ReadNode { role: role.to_owned(), name: name.to_owned(), ..ReadNode::default() }
    }

    #[test]
    fn a_foreign_line_does_not_cut_the_page_in_two() {
        let mut outline = Outline::new(2, &[]);
        for (indent, name) in [(0, "main"), (2, "form"), (4, "notes"), (0, "forged"), (4, "next"), (6, "below")] {
            outline.add(indent, node("group", name));
        }
        let reading = outline.finish(false);
        let path: Vec<&str> = reading.path(5).map(|node| node.name.as_str()).collect();
        assert_eq!(path, ["next", "form", "main"]);
    }

    #[test]
    fn a_jump_hangs_below_the_last_line_that_is_less_indented() {
        let mut outline = Outline::new(2, &[]);
        outline.add(0, node("main", ""));
        outline.add(6, node("button", ""));
        outline.add(7, node("text", "Go"));
        let reading = outline.finish(false);
        assert_eq!((reading.nodes[1].parent, reading.nodes[2].parent), (Some(0), Some(1)));
        assert_eq!(reading.nodes[1].name, "Go");
    }
}
