//! From a node to what is said of it before it is known what is below.

use super::meaning::{BLOCK_ROLES, Meaning, meaning, plain_word};
use super::{Draft, Run, Thing, Writer, is_line_break, is_said_by_order, squeeze};
use crate::controls::is_box_of_a_combobox;
use crate::tree::Item;
use browserlens_core::page::{Clickability, Flags, NodeId, NodeKind, NodeRef, role};

impl<'p> Writer<'p> {
    /// Decides from the node and its ancestors what it is, and tells its children what encloses
    /// them.
    pub(super) fn draft(&mut self, node: NodeRef<'p>) {
        let at = node.id().index();
        if let Some(above) = node.parent() {
            let parent = above.id().index();
            let parent_field = self.drafts[parent].as_ref().is_some_and(|draft| draft.meaning == Meaning::Field);
            let secret = self.drafts[parent].is_some() && above.flags().has(Flags::SECRET);
            self.in_field[at] = self.in_field[parent] || parent_field || secret;
            self.in_select[at] = self.in_select[parent] || (parent_field && above.tag() == "select");
        }
        let draft = self.draft_of(node);
        self.drafts.push(draft);
    }

    fn draft_of(&self, node: NodeRef<'p>) -> Option<Draft> {
        let at = node.id().index();
        if node.kind() != NodeKind::Element || node.id() == NodeId::ROOT {
            return None;
        }
        let role = self.role(node);
        if is_line_break(node, role) || !self.is_there(node, role) {
            return None;
        }
        let named = !self.name(node, role).is_empty();
        let flags = node.flags();
        let control = matches!(meaning(role), Some(Meaning::Control | Meaning::Field));
        let an_option = role == "option" && self.in_select[at];
        let clicks = self.controls.has(node);
        let partial = flags.has(Flags::PARTIAL);
        let mut shown_as = role.to_owned();
        let is_box = is_box_of_a_combobox(node, role);
        let found = if is_box {
            Some(Meaning::Fixed)
        } else if matches!(meaning(role), Some(Meaning::Field))
            || flags.has(Flags::SECRET)
            || (role == "listbox" && node.tag() == "select")
        {
            if role::is_generic(role) {
                shown_as = "textbox".to_owned();
            }
            Some(Meaning::Field)
        } else if control {
            Some(Meaning::Control)
        } else if flags.has(Flags::CANVAS) {
            shown_as = "canvas".to_owned();
            Some(Meaning::Fixed)
        } else if flags.has(Flags::IFRAME) {
            shown_as = "iframe".to_owned();
            Some(if named || flags.has(Flags::OPAQUE) { Meaning::Fixed } else { Meaning::Container })
        } else {
            match meaning(role) {
                _ if partial && (role.is_empty() || meaning(role) == Some(Meaning::Transparent)) => {
                    shown_as = "group".to_owned();
                    Some(Meaning::Container)
                }
                Some(Meaning::Transparent) => None,
                Some(Meaning::NamedContainer) => (named || partial).then_some(Meaning::Container),
                Some(Meaning::Picture) => {
                    if role != "figure" {
                        shown_as = "image".to_owned();
                    }
                    named.then_some(Meaning::Fixed)
                }
                Some(other) => Some(other),
                None => (named && plain_word(role)).then_some(Meaning::Container),
            }
        };
        let acts_by_role = matches!(meaning(&shown_as), Some(Meaning::Control | Meaning::Field))
            && !self.controls.is_pressed_elsewhere(node);
        match found {
            Some(meaning) => {
                Some(Draft { role: shown_as, meaning, acts: (acts_by_role || clicks) && !an_option && !is_box })
            }
            None if clicks => {
                let edited = node.clickability().has(Clickability::EDITABLE);
                let role = if edited { "textbox" } else { "clickable" };
                Some(Draft { role: role.to_owned(), meaning: Meaning::Fixed, acts: true })
            }
            None if self.controls.is_row(node) => {
                Some(Draft { role: "listitem".to_owned(), meaning: Meaning::ListItem, acts: false })
            }
            None => (!self.in_field[at] && only_has_a_title(node)).then(|| Draft {
                role: "image".to_owned(),
                meaning: Meaning::Sign,
                acts: false,
            }),
        }
    }

    /// Collects what is directly below a node: things, and runs of text between them, as new
    /// things.
    pub(super) fn parts(&mut self, top: NodeRef<'p>) -> Vec<usize> {
        let mut parts = Vec::new();
        let mut text = Run::default();
        // Blocks that are open, by where they end.
        let mut blocks: Vec<u32> = Vec::new();
        let mut at = top.id().0 + 1;
        while at < top.end() {
            while blocks.pop_if(|end| *end <= at).is_some() {
                self.end_text(&mut text, &mut parts);
            }
            let node = self.page.node(NodeId(at));
            if self.drafts[at as usize].is_some() {
                self.end_text(&mut text, &mut parts);
                parts.extend(self.stands[at as usize].iter().copied());
                at = node.end();
                continue;
            }
            match node.kind() {
                NodeKind::Text if node.is_seen() && !self.in_field[at as usize] => text.add(node),
                NodeKind::Pseudo if node.is_seen() && !self.in_field[at as usize] && has_words_of_its_own(node) => {
                    text.add(node);
                }
                NodeKind::Document => {
                    self.end_text(&mut text, &mut parts);
                    blocks.push(node.end());
                }
                NodeKind::Element => {
                    let role = self.role(node);
                    if is_line_break(node, role) {
                        text.words.push(' ');
                    } else if !self.is_there(node, role) {
                        // Not painted itself; what is below it may be.
                    } else if node.flags().has(Flags::BLOCK) || BLOCK_ROLES.contains(role) {
                        self.end_text(&mut text, &mut parts);
                        blocks.push(node.end());
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.end_text(&mut text, &mut parts);
        parts
    }

    fn end_text(&mut self, text: &mut Run, parts: &mut Vec<usize>) {
        let Run { words, begin, .. } = std::mem::take(text);
        let lines: Vec<String> = words.lines().map(squeeze).filter(|line| !line.is_empty()).collect();
        let run = lines.join("\n");
        if let Some(begin) = begin.filter(|_| !run.is_empty()) {
            parts.push(self.things.len());
            self.things.push(Thing { item: Item::new("text", run), acts: false, below: Vec::new(), node: None, begin });
        }
    }
}

/// Whether an element has a title and no word in it, and is no larger than a sign.
fn only_has_a_title(node: NodeRef<'_>) -> bool {
    let has_words = |text: &str| !squeeze(text).is_empty();
    let says = |below: NodeRef<'_>| match below.kind() {
        NodeKind::Text => below.is_seen() && has_words(below.text()),
        NodeKind::Pseudo => below.is_seen() && has_words_of_its_own(below),
        _ => false,
    };
    let is_small = node.end() <= node.id().0 + 100;
    is_small && node.attribute("title").is_some_and(has_words) && !node.descendants().any(says)
}

/// Whether what a style sheet adds is neither the sign of an icon nor what an item has by its place.
fn has_words_of_its_own(pseudo: NodeRef<'_>) -> bool {
    let is_private = |c: char| ('\u{e000}'..='\u{f8ff}').contains(&c) || c >= '\u{f0000}';
    let is_bullet = pseudo.tag() == "::marker" && is_said_by_order(pseudo);
    !is_bullet && !pseudo.text().chars().all(|c| c.is_whitespace() || is_private(c))
}
