//! Building knowledge again without losing what does not come from recordings.
//!
//! In: knowledge of recordings, newly made, and what was stored before. Out: the new one with what
//! the old one had from elsewhere. Invariants: what was observed is never replaced by what was read
//! or inferred; an inferred way whose screens are gone is left out.

use crate::model::{ContentType, Knowledge, ScreenId};
use crate::purpose::{fill_purposes, is_read};
use std::collections::{BTreeMap, BTreeSet};

/// Adds to newly made knowledge what the earlier one had from texts, from before content types, and
/// by inference.
pub fn renew(new: &mut Knowledge, earlier: &Knowledge) {
    keep(&mut new.screens, &earlier.screens, |screen| {
        screen.content_type == ContentType::Unknown || screen.metadata.inferred || is_read(&screen.provenance)
    });
    let known: BTreeSet<ScreenId> = new.screens.keys().cloned().collect();
    for screen in new.screens.values_mut() {
        screen.parent_screen_id.take_if(|parent| !known.contains(parent));
    }
    keep(&mut new.actions, &earlier.actions, |action| {
        action.metadata.inferred && action.screen_ids.iter().all(|screen| known.contains(screen))
    });
    keep(&mut new.transitions, &earlier.transitions, |way| {
        let is_done = way.action_id.as_ref().is_none_or(|action| new.actions.contains_key(action));
        way.metadata.inferred && is_done && known.contains(&way.from_screen_id) && known.contains(&way.to_screen_id)
    });
    keep(&mut new.tasks, &earlier.tasks, |task| is_read(&task.provenance));
    fill_purposes(new);
}

/// Adds what is wanted of the earlier ones and not there.
fn keep<K: Clone + Ord, T: Clone>(new: &mut BTreeMap<K, T>, earlier: &BTreeMap<K, T>, is_wanted: impl Fn(&T) -> bool) {
    for (id, one) in earlier.iter().filter(|(_, one)| is_wanted(one)) {
        new.entry(id.clone()).or_insert_with(|| one.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActionDefinition, Metadata, Provenance, ScreenDefinition, TransitionDefinition};
    use crate::validate::validate;

    fn way(id: &str, from: &str, to: &str) -> TransitionDefinition {
        TransitionDefinition {
            transition_id: id.into(),
            from_screen_id: from.into(),
            to_screen_id: to.into(),
            action_id: Some("guess".into()),
            metadata: Metadata { inferred: true, confidence: 0.8, reasoning: String::new() },
            ..TransitionDefinition::default()
        }
    }

    #[test]
    fn what_was_read_and_inferred_stays_and_what_leads_nowhere_goes() {
        let mut earlier = Knowledge::new("k");
        for id in ["home", "gone"] {
            earlier.screens.insert(id.into(), ScreenDefinition::example(id));
        }
        let text = vec![Provenance::Document { name: "m.md".to_owned(), line: 3 }];
        earlier
            .screens
            .insert("read".into(), ScreenDefinition { provenance: text, ..ScreenDefinition::example("read") });
        let old = ScreenDefinition { content_type: ContentType::Unknown, ..ScreenDefinition::example("old") };
        earlier.screens.insert("old".into(), old);
        let guess = ActionDefinition {
            action_id: "guess".into(),
            action_type: "click".to_owned(),
            screen_ids: vec!["home".into()],
            metadata: Metadata { inferred: true, confidence: 0.8, reasoning: String::new() },
            ..ActionDefinition::default()
        };
        earlier.actions.insert("guess".into(), guess);
        for (id, to) in [("w1", "read"), ("w2", "gone")] {
            earlier.transitions.insert(id.into(), way(id, "home", to));
        }
        let mut new = Knowledge::new("k");
        new.screens.insert(
            "home".into(),
            ScreenDefinition { name: "seen again".to_owned(), ..ScreenDefinition::example("home") },
        );
        renew(&mut new, &earlier);
        assert_eq!(new.screens.keys().map(|id| id.as_str()).collect::<Vec<_>>(), ["home", "old", "read"]);
        assert_eq!(new.screens["home"].name, "seen again");
        assert_eq!(new.transitions.keys().map(|id| id.as_str()).collect::<Vec<_>>(), ["w1"]);
        assert!(new.actions.contains_key("guess"));
        validate(&new, &["old".into()].into()).unwrap();
    }
}
