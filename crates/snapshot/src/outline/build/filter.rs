//! What of a page that was seen stays in its outline: parts that are something, and what a search
//! found.

use super::{LEAST_LOOSE, NOT, Walk};
use crate::grep::Grep;
use crate::nearest::Choice;
use crate::outline::Role;
use crate::outline::costs::Costs;

impl Walk<'_, '_> {
    /// Drops entries that say nothing; what holds a kept one stays.
    pub(super) fn filter(&mut self) {
        for at in (1..self.entries.len()).rev() {
            let entry = &self.entries[at];
            let holds = entry.children.iter().any(|child| self.entries[*child].kept);
            let says = match entry.role {
                None => false,
                Some(Role::Text) => entry.count >= LEAST_LOOSE,
                Some(Role::List | Role::Table) => entry.count > 0,
                Some(_) => true,
            };
            let kept = holds || says;
            self.entries[at].kept = kept;
            let of_weight = self.entries[at].rich
                || self.entries[at].role.is_some_and(|role| role == Role::Heading || role.is_part());
            let parent = self.entries[at].parent;
            if kept && of_weight && parent != NOT {
                self.entries[parent].rich = true;
            }
        }
    }

    /// Keeps the lines that match, those around them, and what they stand in. Returns what could
    /// have been matched if nothing is.
    pub(super) fn grep(&mut self, grep: &Grep) -> Option<Vec<Choice>> {
        let mut by_path = vec![false; self.page.len()];
        for node in self.paths.named() {
            by_path[node.index()] = self.paths.path(node).is_some_and(|path| grep.matches(&path.to_string()));
        }
        for at in 1..self.entries.len() {
            let node = self.entries[at].node;
            self.entries[at].matched = by_path[node.index()] && !grep.is_inverted();
        }
        // The lines of the outline in their order; below a preview there are none.
        let mut hidden = vec![false; self.entries.len()];
        let mut order = Vec::new();
        let mut has_line = vec![false; self.page.len()];
        for at in 1..self.entries.len() {
            let parent = self.entries[at].parent;
            hidden[at] = parent != NOT && parent != 0 && (hidden[parent] || self.is_preview(parent));
            if self.entries[at].kept && !hidden[at] && !self.is_silent(at) {
                order.push(at);
                has_line[self.entries[at].node.index()] = true;
            }
        }
        // Where what matches has no line, the nearest lines in it stand for it.
        for node in self.page.nodes() {
            let Some(parent) = node.parent().map(|parent| parent.id().index()) else { continue };
            by_path[node.id().index()] |= by_path[parent] && !has_line[parent];
        }
        let mut costs = Costs::default();
        let mut by_words = Vec::with_capacity(order.len());
        let mut matching = Vec::with_capacity(order.len());
        for at in &order {
            let node = self.entries[*at].node;
            let path = by_path[node.index()] || by_path[self.paths.nearest(node).index()] && !self.paths.is_named(node);
            let words = grep.says(&self.says(*at, &mut costs)) || grep.says(&self.whole_name(*at));
            by_words.push(words && !path && !grep.is_inverted());
            matching.push((path || words) != grep.is_inverted());
        }
        if !matching.contains(&true) {
            self.entries.iter_mut().for_each(|entry| entry.kept = false);
            let path = |at: &usize| Choice::Path(self.paths.path_near(self.entries[*at].node).to_string());
            let choices = order.iter().flat_map(|at| [Choice::Name(self.whole_name(*at)), path(at)]);
            return Some(choices.collect());
        }
        self.entries.iter_mut().skip(1).for_each(|entry| entry.kept = false);
        for ((at, kept), words) in order.iter().zip(grep.with_context(&matching)).zip(by_words) {
            (self.entries[*at].kept, self.entries[*at].by_words) = (kept, words);
        }
        for at in (1..self.entries.len()).rev() {
            let (parent, kept, words) = (self.entries[at].parent, self.entries[at].kept, self.entries[at].by_words);
            if let Some(above) = self.entries.get_mut(parent) {
                (above.kept, above.by_words) = (above.kept || kept, above.by_words || words);
            }
        }
        None
    }
}
