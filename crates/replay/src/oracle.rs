//! The oracle: what became of refs, checked against the recorded entity ids.
//!
//! In: which node each handle of the shown state means, and which entity each node is (only replay
//! knows). Out: a [`RefScore`]. Rules: an entity survives from one step to the next if it has a
//! handle in the shown state at both; it keeps its ref if the handle is the same. A handle that
//! once meant an entity and now means another is a wrong rebind, counted at the step where it
//! happens. Nodes without an entity id say nothing.

use crate::measure::{RefScore, count};
use browserlens_core::page::NodeKey;
use std::collections::{BTreeMap, HashMap};

/// Follows the refs of one run.
#[derive(Debug, Default)]
pub struct RefOracle {
    /// What each handle has come to mean, over the whole run.
    meant: HashMap<String, String>,
    /// The handles of each entity at the step before.
    before: BTreeMap<String, Vec<String>>,
}

impl RefOracle {
    /// Scores the next step.
    ///
    /// `handles` is the shown state's map, `entities` the step's nodes and their entity ids.
    pub fn step(&mut self, handles: &BTreeMap<String, NodeKey>, entities: &HashMap<NodeKey, String>) -> RefScore {
        let mut now: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut score = RefScore { shown: count(handles.len()), ..RefScore::default() };
        for (handle, key) in handles {
            let Some(entity) = entities.get(key) else { continue };
            now.entry(entity.clone()).or_default().push(handle.clone());
            let earlier = self.meant.insert(handle.clone(), entity.clone());
            score.wrong_rebinds += u32::from(earlier.is_some_and(|earlier| earlier != *entity));
        }
        for (entity, handles) in &now {
            if let Some(earlier) = self.before.get(entity) {
                score.surviving += 1;
                score.kept += u32::from(earlier.iter().any(|handle| handles.contains(handle)));
            }
        }
        self.before = now;
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(backend: u32) -> NodeKey {
        NodeKey { frame: 1, loader: 1, backend }
    }

    fn handles(pairs: &[(&str, u32)]) -> BTreeMap<String, NodeKey> {
        pairs.iter().map(|(handle, backend)| ((*handle).to_owned(), key(*backend))).collect()
    }

    fn entities(pairs: &[(u32, &str)]) -> HashMap<NodeKey, String> {
        pairs.iter().map(|(backend, entity)| (key(*backend), (*entity).to_owned())).collect()
    }

    #[test]
    fn a_ref_that_survives_a_re_render_is_kept() {
        let mut oracle = RefOracle::default();
        oracle.step(&handles(&[("@e1", 1), ("@e2", 2)]), &entities(&[(1, "cart"), (2, "add")]));
        let score = oracle.step(&handles(&[("@e1", 7), ("@e3", 8), ("@e9", 9)]), &entities(&[(7, "cart"), (8, "add")]));
        assert_eq!((score.shown, score.surviving, score.kept, score.wrong_rebinds), (3, 2, 1, 0));
    }

    #[test]
    fn a_ref_that_comes_to_mean_another_entity_is_a_wrong_rebind_even_later() {
        let mut oracle = RefOracle::default();
        oracle.step(&handles(&[("@e1", 1)]), &entities(&[(1, "first")]));
        oracle.step(&handles(&[]), &entities(&[(1, "first")]));
        let score = oracle.step(&handles(&[("@e1", 2)]), &entities(&[(2, "second")]));
        assert_eq!((score.wrong_rebinds, score.surviving), (1, 0));
        let again = oracle.step(&handles(&[("@e1", 2)]), &entities(&[(2, "second")]));
        assert_eq!((again.wrong_rebinds, again.kept), (0, 1));
    }
}
