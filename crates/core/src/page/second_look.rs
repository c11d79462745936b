//! What changed on a page by itself: two parsed pages compared by node key.
//!
//! In: a page, and the same page later without an action between. Out: a [`SecondLook`]. Invariant:
//! nodes are listed in the order of the look that holds them; equal pages give a quiet second look.

use crate::page::capture::ChangedAlone;
use crate::page::{NodeId, NodeKey, NodeRef, Page, SecondLook};
use foldhash::fast::RandomState;
use std::collections::HashMap;

impl SecondLook {
    /// Compares two looks at one page, `waited_ms` apart.
    pub fn between(first: &Page, second: &Page, waited_ms: u32) -> Self {
        let keyed = |page: &Page| -> HashMap<NodeKey, NodeId, RandomState> {
            page.nodes().map(|node| (node.key(), node.id())).collect()
        };
        let (before, after) = (keyed(first), keyed(second));
        let mut look = Self { waited_ms, nodes: first.len() as u32, ..Self::default() };
        for node in first.nodes() {
            match after.get(&node.key()) {
                None => look.removed.push(node.key()),
                Some(later) => {
                    let fields = differing(node, second.node(*later));
                    if !fields.is_empty() {
                        look.changed.push(ChangedAlone { key: node.key(), fields });
                    }
                }
            }
        }
        look.added = second.nodes().map(|node| node.key()).filter(|key| !before.contains_key(key)).collect();
        look
    }
}

fn differing(a: NodeRef<'_>, b: NodeRef<'_>) -> Vec<String> {
    let fields = [
        ("role", a.role() != b.role()),
        ("name", a.name() != b.name()),
        ("value", a.value() != b.value() || a.is_filled() != b.is_filled()),
        ("text", a.text() != b.text()),
        ("states", a.states() != b.states()),
        ("description", a.description() != b.description()),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;

    #[test]
    fn what_changed_came_and_went_is_told_by_key() {
        let first = PageBuilder::outline("timer \"10:00\" #10\nbutton \"Buy\" #11\nstatus \"Saved\" #12");
        let second = PageBuilder::outline("timer \"10:10\" #10\nbutton \"Buy\" #11 disabled\nalert \"New\" #13");
        let look = SecondLook::between(&first, &second, 10_000);
        let changed: Vec<(u32, Vec<String>)> =
            look.changed.iter().map(|changed| (changed.key.backend, changed.fields.clone())).collect();
        assert_eq!(changed, [(10, vec!["name".to_owned()]), (11, vec!["states".to_owned()])]);
        assert_eq!(look.removed.iter().map(|key| key.backend).collect::<Vec<_>>(), [12]);
        assert_eq!(look.added.iter().map(|key| key.backend).collect::<Vec<_>>(), [13]);
        assert!(SecondLook::between(&first, &first, 10_000).is_quiet());
    }
}
