//! What a thing is called, and what it stands near: what tells it from others of the same words.
//!
//! In: nodes of a page. Out: words, quoted as a page's.

use super::{LONGEST, MOST_NEAR};
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeKind, NodeRef, Page};
use browserlens_lens::format::escape;
use std::collections::{HashMap, HashSet};

/// What things are near whose words do not tell them apart.
pub(super) struct Near<'p> {
    nodes: Vec<Option<NodeRef<'p>>>,
    words: Vec<(String, String)>,
    counts: HashMap<(String, String), usize>,
}

impl<'p> Near<'p> {
    pub(super) fn of(nodes: impl Iterator<Item = Option<NodeRef<'p>>>) -> Self {
        let nodes: Vec<Option<NodeRef<'p>>> = nodes.take(MOST_NEAR).collect();
        let words: Vec<(String, String)> = nodes.iter().map(|node| node.map(words).unwrap_or_default()).collect();
        let mut counts = HashMap::new();
        for words in &words {
            *counts.entry(words.clone()).or_insert(0) += 1;
        }
        Self { nodes, words, counts }
    }

    /// Says what stands in the largest element that holds the node and none of the others: its row
    /// or card. Only where another has the same words.
    pub(super) fn write(&self, out: &mut String, at: usize) {
        let (Some(Some(node)), Some(own)) = (self.nodes.get(at), self.words.get(at)) else { return };
        if self.counts.get(own).is_none_or(|count| *count < 2) {
            return;
        }
        let others = self.nodes.iter().enumerate().filter(|(other, _)| *other != at).filter_map(|(_, node)| *node);
        let holds_none = |above: &NodeRef<'_>| !others.clone().any(|other| above.holds(other.id()));
        let Some(above) = node.ancestors().take_while(holds_none).last() else { return };
        let text = joined(above, LONGEST * 4);
        if text.is_empty() || text == own.1 {
            return;
        }
        out.push_str(" near ");
        write_quoted(out, &text);
        // What it begins with may be another's words: a comment that this one answers.
        let begins_with_it = text.char_indices().nth(LONGEST).is_none_or(|(end, _)| text[..end].contains(&own.1));
        let mut cards =
            node.ancestors().take_while(|card| card.id() != above.id()).map(|card| joined(card, LONGEST * 4));
        if !begins_with_it && let Some(card) = cards.find(|card| card.chars().count() >= LONGEST) {
            out.push_str(" and ");
            write_quoted(out, &card);
        }
    }
}

/// Returns what is seen in an element, its pieces joined by blanks, up to about `most` bytes.
pub(super) fn joined(element: NodeRef<'_>, most: usize) -> String {
    let mut text = String::new();
    for part in element.descendants().filter(|node| node.kind() == NodeKind::Text && node.is_seen()) {
        text.push_str(&folded(part.text()));
        if text.len() > most {
            break;
        }
        text.push(' ');
    }
    folded(&text)
}

/// Returns the role of a node, and its name or else its text.
pub(super) fn words(node: NodeRef<'_>) -> (String, String) {
    (node.role().to_owned(), node.name_or_text())
}

pub(super) fn write_words(out: &mut String, role: &str, name: &str) {
    out.push_str(role);
    if !name.is_empty() {
        out.push(' ');
        write_quoted(out, name);
    }
}

/// Writes a text as a page's, cut if it is long.
pub(super) fn write_quoted(out: &mut String, text: &str) {
    escape::quote_beginning(out, text, LONGEST);
}

/// Says where a node is that a script puts there, such as a mark on a map or a bar of a plan: its
/// middle in CSS px of the viewport, as points to click are given.
pub(super) fn write_place(out: &mut String, page: &Page, node: Option<NodeRef<'_>>) {
    let is_put = |node: &NodeRef<'_>| {
        let style = node.attribute("style").unwrap_or_default();
        node.in_viewport() && (style.contains("translate") || style.contains("left:"))
    };
    let element = node.and_then(|node| if node.kind() == NodeKind::Text { node.parent() } else { Some(node) });
    if let Some(node) = element.filter(is_put) {
        let ((x, y), scroll) = (node.bounds().center(), page.scroll());
        out.push_str(&format!(" at {:.0}, {:.0}", x - scroll.x, y - scroll.y));
    }
}

/// Returns the ids of a node and of all that it lies in, from the inside.
pub(super) fn chain(node: NodeRef<'_>) -> Vec<u32> {
    [node.id().0].into_iter().chain(node.ancestors().map(|above| above.id().0)).collect()
}

/// Returns which of several things share the smallest part of the page with what says something;
/// each is its id and those of what it lies in, from the inside. What `is_of_many` is shared by
/// all, unless it says so itself.
pub(super) fn sharing(things: &[Vec<u32>], saying: &[Vec<u32>], is_of_many: impl Fn(u32) -> bool) -> Vec<bool> {
    let says: HashSet<u32> = saying.iter().filter_map(|chain| chain.first().copied()).collect();
    let holds: HashSet<u32> = saying.iter().flatten().copied().collect();
    let shared: Vec<Option<usize>> = things
        .iter()
        .map(|chain| {
            let at = chain.iter().position(|id| holds.contains(id))?;
            (says.contains(&chain[at]) || !is_of_many(chain[at])).then_some(at)
        })
        .collect();
    let parts = || things.iter().zip(&shared).filter_map(|(chain, at)| Some((chain, (*at)?)));
    let outer: HashSet<u32> = parts().flat_map(|(chain, at)| &chain[at + 1..]).copied().collect();
    things.iter().zip(&shared).map(|(chain, at)| at.is_some_and(|at| !outer.contains(&chain[at]))).collect()
}

/// Levels of a page down which a text of several pieces is followed.
const DEEPEST: u32 = 200;

/// Returns the element itself, or what a slot is in: a slot has no box, whatever is shown in it.
pub(super) fn around_slots(node: NodeRef<'_>) -> NodeRef<'_> {
    std::iter::once(node).chain(node.ancestors()).find(|element| element.tag() != "slot").unwrap_or(node)
}

/// Returns the elements below one that say something of which nothing below them does.
pub(super) fn innermost<'p>(node: NodeRef<'p>, says: impl Fn(NodeRef<'p>) -> bool) -> Vec<NodeRef<'p>> {
    let mut found = Vec::new();
    let mut open = vec![(node, 0)];
    while let Some((node, depth)) = open.pop() {
        let elements = node.children().filter(|child| child.kind() != NodeKind::Text && child.is_visible());
        let below: Vec<NodeRef<'p>> = elements.filter(|child| says(*child)).collect();
        // Each level reads the page once more.
        match below.is_empty() || depth == DEEPEST {
            true if node.kind() == NodeKind::Element && says(node) => found.push(around_slots(node)),
            true => {}
            false => open.extend(below.into_iter().map(|below| (below, depth + 1))),
        }
    }
    found
}
