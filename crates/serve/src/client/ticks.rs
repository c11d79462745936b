//! Text that only ticks: timers, counters, rotating tips.
//!
//! In: two looks at a page. Out: whether nothing but such text lies between them. Invariants: what changed while an action was carried out ticks only if it
//! was seen to change by itself before; anything else that can be told, such as a state, a name or a place, is no tick.

use browserlens_page::{NodeKey, NodeKind, NodeRef, Page};
use std::collections::HashMap;

/// Most elements that are known to tick.
const MOST: usize = 1_000;
/// Most elements that tick at once: where more change, something else is going on.
const MOST_AT_ONCE: usize = 100;
/// How often a text has to change by itself until it ticks, if not only its numbers change.
const TIMES: u32 = 2;

/// Which elements' texts change by themselves, and how often they were seen to.
#[derive(Debug, Default)]
pub(super) struct Ticks(HashMap<NodeKey, u32>);

impl Ticks {
    /// Learns from two looks between which nobody acted; returns whether nothing but ticking text lies between them.
    pub(super) fn by_itself(&mut self, before: &Page, now: &Page) -> bool {
        let Some(changed) = changed_texts(before, now) else { return false };
        if self.0.len() + changed.len() > MOST {
            self.0.clear();
        }
        let mut only_ticks = true;
        for (key, is_number) in changed {
            let times = self.0.entry(key).or_default();
            *times += 1;
            only_ticks &= is_number || *times >= TIMES;
        }
        only_ticks
    }

    /// Returns whether nothing but text that is known to tick lies between two looks; not where nothing at all does.
    pub(super) fn are_all(&self, before: &Page, now: &Page) -> bool {
        changed_texts(before, now)
            .is_some_and(|changed| !changed.is_empty() && changed.iter().all(|(key, _)| self.0.contains_key(key)))
    }
}

/// Returns the elements whose own text changed, and whether only its numbers did; none if anything else changed that can be told.
fn changed_texts(before: &Page, now: &Page) -> Option<Vec<(NodeKey, bool)>> {
    if before.url() != now.url() || unnumbered(before.title()) != unnumbered(now.title()) {
        return None;
    }
    fn elements(page: &Page) -> impl Iterator<Item = NodeRef<'_>> {
        page.nodes().filter(|node| node.kind() != NodeKind::Text)
    }
    let mut changed: Vec<(NodeRef<'_>, bool)> = Vec::new();
    let mut renamed: Vec<NodeRef<'_>> = Vec::new();
    let mut was = elements(before);
    for node in elements(now) {
        let was = was.next().filter(|was| is_same(*was, node))?;
        let (old, new) = (own_text(was), own_text(node));
        if old != new {
            if changed.len() == MOST_AT_ONCE {
                return None;
            }
            changed.push((node, unnumbered(&old) == unnumbered(&new)));
        }
        if was.name() != node.name() {
            renamed.push(node);
        }
    }
    let is_theirs =
        |node: &NodeRef<'_>| changed.iter().any(|(ticking, _)| node.holds(ticking.id()) || node.id() == ticking.id());
    (was.next().is_none() && renamed.iter().all(is_theirs))
        .then(|| changed.iter().map(|(node, is_number)| (node.key(), *is_number)).collect())
}

fn is_same(was: NodeRef<'_>, is: NodeRef<'_>) -> bool {
    was.key() == is.key()
        && was.role() == is.role()
        && was.states() == is.states()
        && was.value() == is.value()
        && was.description() == is.description()
        && was.visibility() == is.visibility()
        && was.is_seen() == is.is_seen()
        && was.attribute("href") == is.attribute("href")
        && was.scrolled().map(|(offset, ..)| offset) == is.scrolled().map(|(offset, ..)| offset)
}

fn own_text(node: NodeRef<'_>) -> String {
    if node.kind() == NodeKind::Pseudo {
        return node.text().to_owned();
    }
    node.children().filter(|child| child.kind() == NodeKind::Text).map(|child| child.text()).collect()
}

/// Returns a text with each number as one digit.
fn unnumbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            _ => out.push(letter),
        }
    }
    out
}
