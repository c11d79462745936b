//! Whether the states that a step names are shown right, shown wrong, or not shown.

use super::Shown;
use crate::measure::FreshScore;
use crate::reader::{ReadNode, find};
use crate::steps::resolve;
use browserlens_core::page::{Flags, NodeKey};
use browserlens_core::strategy::NodeHint;
use browserlens_trace::scenario::StateFact;

impl Shown<'_> {
    /// Compares the states that the step names with what is shown of them.
    pub fn fresh(&self, states: &[StateFact]) -> FreshScore {
        let mut score = FreshScore::default();
        for fact in states {
            match self.is_shown_right(fact) {
                Some(true) => score.right += 1,
                Some(false) => score.wrong += 1,
                None => score.missing += 1,
            }
        }
        score
    }

    fn is_shown_right(&self, fact: &StateFact) -> Option<bool> {
        let node = self.node_of(fact)?;
        let value = fact.value.as_ref().and_then(|value| {
            let is_secret =
                resolve(&fact.on, self.page).into_iter().any(|id| self.page.node(id).flags().has(Flags::SECRET));
            match value.as_str() {
                "filled" | "empty" if is_secret => self.reading.shows_state(node, value),
                _ if is_secret => None,
                _ => self.reading.shows_value(node, value),
            }
        });
        let state = fact.state.as_ref().and_then(|state| self.reading.shows_state(node, state));
        match (fact.value.is_some(), fact.state.is_some()) {
            (true, true) => Some(value? && state?),
            (true, false) => value,
            (false, true) => state,
            (false, false) => None,
        }
    }

    fn node_of(&self, fact: &StateFact) -> Option<&ReadNode> {
        let keys: Vec<NodeKey> = resolve(&fact.on, self.page).into_iter().map(|id| self.page.node(id).key()).collect();
        let by_key = self.keys.iter().position(|key| key.is_some_and(|key| keys.contains(&key)));
        let index = by_key.or_else(|| {
            let id = resolve(&fact.on, self.page).first().copied()?;
            let node = self.page.node(id);
            let hint = NodeHint { role: node.role().to_owned(), name: node.name().to_owned(), ..NodeHint::default() };
            let found = find(self.reading, &hint);
            found.is_single().then(|| found.choice()).flatten()
        })?;
        self.reading.nodes.get(index)
    }
}
