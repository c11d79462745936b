//! Required sets: the nodes that a step cannot do without, all or nothing.
//!
//! In: the targets that a scenario requires at a step. Out: a [`RequiredScore`]. Rules: a target is
//! shown if a handle means one of the nodes that it resolves to; or role and name are found in a
//! node whose handle means no other; or its text can be read, where it is named by text or can only
//! be read; or one of the nodes lies readable in a shown image. A target that resolves to no node
//! of the page is not shown.

use super::Shown;
use crate::measure::{RequiredScore, count};
use crate::steps::resolve;
use browserlens_core::page::{NodeId, NodeKey};
use browserlens_trace::scenario::{Target, TargetBy};
use std::collections::HashSet;

impl Shown<'_> {
    /// Counts the required nodes that are in the shown state.
    pub fn required(&self, targets: &[Target]) -> RequiredScore {
        if targets.is_empty() {
            return RequiredScore::default();
        }
        let keys: HashSet<&NodeKey> = self.keys.iter().flatten().collect();
        let is_shown = |target: &&Target| {
            let ids = resolve(target, self.page);
            ids.iter().any(|id| keys.contains(&self.page.node(*id).key())) || self.is_told(target, &ids)
        };
        RequiredScore { total: count(targets.len()), shown: count(targets.iter().filter(is_shown).count()) }
    }

    fn is_told(&self, target: &Target, ids: &[NodeId]) -> bool {
        let Some(first) = ids.first().map(|id| self.page.node(*id)) else { return false };
        let acceptable: HashSet<_> = ids.iter().map(|id| self.page.node(*id).key()).collect();
        let hint = target.hint(first);
        if !hint.name.is_empty() {
            let found = crate::reader::find(self.reading, &hint);
            let is_no_other =
                |index: &usize| self.keys.get(*index).copied().flatten().is_none_or(|key| acceptable.contains(&key));
            if found.candidates.iter().any(is_no_other) {
                return true;
            }
        }
        let is_text = matches!(target.by, TargetBy::Text(_)) || !first.is_interactive();
        (is_text && self.haystack.holds(&first.visible_text())) || self.is_in_image(ids)
    }
}
