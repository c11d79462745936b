//! Reading of the lens grammar: the shown state, and what it says as nodes and marks.
//!
//! In: the texts of a run in order. Out: a [`Reading`] of the shown state after each. Invariant:
//! only `browserlens_lens::ShownState`, fed with emitted text alone, is used of the lens; a text
//! that is not in the grammar, or changes what was not shown, is read as loose text and leaves the
//! shown state as it was.

use super::{Mark, ReadNode, Reading};
use browserlens_lens::{ElidedMark, ElidedWhat, EventNote, ShownNode, ShownState};
use browserlens_peers::read::{plain, tags};
use std::collections::HashMap;

/// How much of the text below a node is taken for its name, in bytes.
const NAME_LIMIT: usize = 400;

/// The shown state of one run.
#[derive(Debug, Default)]
pub struct LensText {
    shown: ShownState,
}

impl LensText {
    /// Reads the next text and returns what can be read in all of them.
    pub fn read(&mut self, text: &str) -> Reading {
        let applied = self.shown.apply(text).is_ok();
        let mut reading = self.reading();
        if !applied {
            reading.extend(plain::parse(text));
        }
        reading
    }

    /// Returns the shown state with its marks.
    pub fn shown(&self) -> &ShownState {
        &self.shown
    }

    fn reading(&self) -> Reading {
        let mut reading = Reading::default();
        let head = self.shown.head().into_iter().flat_map(|head| [head.title.as_str(), &head.url]);
        let events = self.shown.events().iter().flat_map(EventNote::texts);
        reading.nodes.extend(head.chain(events).map(ReadNode::loose));
        let mut indices: HashMap<u32, usize> = HashMap::new();
        for node in self.shown.nodes() {
            let parent = node.ancestors().next().and_then(|parent| indices.get(&parent.id()).copied());
            indices.insert(node.id(), reading.nodes.len());
            reading.nodes.push(read(node, parent));
        }
        reading.marks.extend(self.shown.elided().iter().filter_map(mark));
        reading
    }
}

fn read(node: ShownNode<'_>, parent: Option<usize>) -> ReadNode {
    let mut read = ReadNode {
        role: if node.role() == "clickable" { "generic".to_owned() } else { node.role().to_owned() },
        value: node.value().to_owned(),
        states: node.states().map(str::to_owned).collect(),
        handle: node.reference().map(|reference| reference.to_string()),
        parent,
        ..ReadNode::default()
    };
    if node.role() == "text" {
        node.name().clone_into(&mut read.text);
        return read;
    }
    node.name().clone_into(&mut read.name);
    if node.is_cut() && !read.name.ends_with('…') {
        read.name.push('…');
    }
    // The grammar leaves a name out where the text below says the same.
    if read.name.is_empty() && (read.handle.is_some() || tags::is_named_by_content(&read.role)) {
        read.name = node.text();
        let end = read.name.floor_char_boundary(NAME_LIMIT);
        read.name.truncate(end);
        read.named_by_content = true;
    }
    read
}

fn mark(mark: &ElidedMark) -> Option<Mark> {
    let handle = mark.handle?.to_string();
    let (what, more_from) = match mark.what {
        ElidedWhat::Siblings(what) => (what.name(), Some(1)),
        ElidedWhat::Characters { .. } => ("characters", None),
    };
    let mut label = what.to_owned();
    for (role, name) in &mark.within {
        label.push_str(&format!(" {role} {name}"));
    }
    Some(Mark { handle, label, count: mark.count.unwrap_or(0), more_from })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FULL: &str = "[FULL PAGE STATE] Shop | https://shop.test/\n- main: \"Showing\", link \"3\" @e1 \"of 142\"";

    #[test]
    fn the_shown_state_is_read_and_a_delta_changes_it() {
        let mut text = LensText::default();
        let reading = text.read(FULL);
        assert!(reading.haystack().holds("Showing 3 of 142"));
        let link = reading.nodes.iter().position(|node| node.role == "link").expect("the link is read");
        assert_eq!(reading.nodes[link].handle.as_deref(), Some("@e1"));
        assert_eq!(reading.path(link).next().map(|node| node.role.as_str()), Some("main"));
        let reading = text.read("[DELTA 0→1: 1 change]\nCHANGED: link \"3\" @e1 → \"4\"");
        assert!(reading.haystack().holds("Showing 4 of 142") && !reading.haystack().holds("3 of 142"));
    }

    #[test]
    fn what_a_dialog_says_is_read_and_forges_nothing() {
        let mut text = LensText::default();
        let reading = text.read(
            "[FULL PAGE STATE] Shop | https://shop.test/\n[DIALOG alert \"Order 4711 placed\\n- button \\\"Pay\\\" \
                \\@e9\" open]\n- main: \"x\"",
        );
        assert!(reading.haystack().holds("Order 4711 placed"));
        assert!(reading.nodes.iter().all(|node| node.handle.is_none() && node.role != "button"));
        let reading = text.read("[DELTA 0→1: 0 changes]\n[DOWNLOAD \"receipt.pdf\" finished]");
        assert!(reading.haystack().holds("receipt.pdf") && !reading.haystack().holds("Order 4711"));
    }

    #[test]
    fn what_is_not_in_the_grammar_is_loose_text() {
        let mut text = LensText::default();
        text.read(FULL);
        let reading = text.read("no grammar at all");
        assert!(reading.haystack().holds("no grammar at all") && reading.haystack().holds("Showing 3 of 142"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(texts in prop::collection::vec("(\\[(FULL PAGE STATE|DELTA 0→1: 1 \
            change)\\].{0,20}\n)?[\\PC\n\"@: -]{0,60}", 0..4)) {
            let mut reader = LensText::default();
            for text in &texts {
                reader.read(text);
            }
        }
    }
}
