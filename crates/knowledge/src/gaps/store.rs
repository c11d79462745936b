//! Adds what was inferred to the knowledge.
//!
//! In: an [`ExtrapolationResult`], from here or from a file. Out: the knowledge with more in it,
//! and what was added. Invariants: nothing that was there is changed; nothing that was observed is
//! added a second time; what is added is sure by more than
//! [`LEAST_CONFIDENCE`](super::LEAST_CONFIDENCE), is marked as inferred, and was checked here
//! again.

use super::answer::definition;
use super::{ExtrapolationResult, LEAST_CONFIDENCE};
use crate::model::{ActionId, Knowledge, Metadata, Provenance, ScreenDefinition, TransitionDefinition, TransitionId};
use serde::Serialize;

/// What was added.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stored {
    /// Actions.
    pub actions: Vec<ActionId>,
    /// Transitions.
    pub transitions: Vec<TransitionId>,
    /// What was not sure enough.
    pub unsure: usize,
    /// What was known already.
    pub known: usize,
    /// What could not be used, in words.
    pub refused: Vec<String>,
}

fn is_sure(confidence: f64) -> bool {
    confidence > LEAST_CONFIDENCE && confidence <= 1.0
}

fn hashed(prefix: &str, parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("{prefix}_{}", &hasher.finalize().to_hex()[..12])
}

/// Adds what was inferred.
pub fn store(knowledge: &mut Knowledge, result: &ExtrapolationResult) -> Stored {
    let mut stored = Stored::default();
    let mut ids: Vec<Option<ActionId>> = Vec::new();
    for (at, inferred) in result.inferred_actions.iter().enumerate() {
        let known = inferred.action_id.clone().filter(|id| knowledge.actions.contains_key(id));
        let is_said_sure = is_sure(inferred.confidence);
        if let Some(id) = known {
            stored.known += 1;
            ids.push(Some(id).filter(|_| is_said_sure));
            continue;
        }
        if !is_said_sure {
            stored.unsure += 1;
            ids.push(None);
            continue;
        }
        let mut action = match definition(knowledge, at + 1, inferred) {
            Ok(Some(action)) if is_sure(action.metadata.confidence) => action,
            // No recording shows it, whatever the result says.
            Ok(Some(_)) => {
                stored.unsure += 1;
                ids.push(None);
                continue;
            }
            Ok(None) => {
                stored.known += 1;
                ids.push(None);
                continue;
            }
            Err(error) => {
                stored.refused.push(error.to_string());
                ids.push(None);
                continue;
            }
        };
        let screen = inferred.screen_id.as_ref().map_or("", |screen| screen.as_str());
        let id =
            ActionId(hashed("inferred", &[action.website_id.as_str(), screen, &action.action_type, &inferred.target]));
        ids.push(Some(id.clone()));
        if knowledge.actions.contains_key(&id) {
            stored.known += 1;
            continue;
        }
        action.action_id = id.clone();
        action.knowledge_id = knowledge.knowledge_id.clone();
        action.provenance = vec![Provenance::Inferred { by: inferred.by, evidence: inferred.gap.clone() }];
        knowledge.actions.insert(id.clone(), action);
        stored.actions.push(id);
    }
    for transition in &result.inferred_transitions {
        let from_list = transition.action.and_then(|at| ids.get(at).cloned().flatten());
        let action_id =
            from_list.or_else(|| transition.action_id.clone().filter(|id| knowledge.actions.contains_key(id)));
        let (from, to) = (&transition.from_screen_id, &transition.to_screen_id);
        let navigable = |id| knowledge.screens.get(id).is_some_and(ScreenDefinition::is_navigable);
        if !is_sure(transition.confidence) {
            stored.unsure += 1;
            continue;
        }
        let Some(action_id) = action_id.filter(|_| navigable(from) && navigable(to)) else {
            stored.refused.push(format!("a way from {from} to {to}: its action or a screen is not known"));
            continue;
        };
        let is_known = knowledge.transitions.values().any(|known| {
            known.from_screen_id == *from && known.to_screen_id == *to && known.action_id.as_ref() == Some(&action_id)
        });
        if is_known {
            stored.known += 1;
            continue;
        }
        let id = TransitionId(hashed("inferred", &[from.as_str(), to.as_str(), action_id.as_str()]));
        if knowledge.transitions.contains_key(&id) {
            stored.known += 1;
            continue;
        }
        let website_id = knowledge.screens.get(from).map(|screen| screen.website_id.clone()).unwrap_or_default();
        knowledge.transitions.insert(
            id.clone(),
            TransitionDefinition {
                transition_id: id.clone(),
                knowledge_id: knowledge.knowledge_id.clone(),
                website_id,
                from_screen_id: from.clone(),
                to_screen_id: to.clone(),
                action_id: Some(action_id),
                count: 0,
                provenance: vec![Provenance::Inferred { by: transition.by, evidence: transition.evidence.clone() }],
                metadata: Metadata {
                    inferred: true,
                    confidence: transition.confidence,
                    reasoning: transition.trigger_action.clone(),
                },
            },
        );
        stored.transitions.push(id);
    }
    stored
}
