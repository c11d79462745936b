//! Adds what was inferred to the knowledge.
//!
//! In: an [`ExtrapolationResult`], from here or from a file. Out: the knowledge with more in it,
//! and what was added. Invariants: nothing that was there is changed; nothing that was observed is
//! added a second time; what is added is sure by more than
//! [`LEAST_CONFIDENCE`](super::LEAST_CONFIDENCE), is marked as inferred, and was checked here
//! again.

use super::answer::definition;
use super::{ExtrapolationResult, InferredAction, InferredTransition, LEAST_CONFIDENCE};
use crate::extract::ids;
use crate::model::{
    ActionDefinition, ActionId, Knowledge, Metadata, Provenance, ScreenDefinition, TransitionDefinition, TransitionId,
};
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

fn hashed(parts: &[&str]) -> String {
    format!("inferred_{}", &ids::hash(parts)[..12])
}

/// Adds what was inferred.
pub fn store(knowledge: &mut Knowledge, result: &ExtrapolationResult) -> Stored {
    let mut stored = Stored::default();
    let actions = result.inferred_actions.iter().enumerate();
    let ids: Vec<Option<ActionId>> =
        actions.map(|(at, inferred)| add_action(knowledge, &mut stored, at + 1, inferred)).collect();
    for transition in &result.inferred_transitions {
        let from_list = transition.action.and_then(|at| ids.get(at).cloned().flatten());
        add_transition(knowledge, &mut stored, transition, from_list);
    }
    stored
}

/// Adds an action; returns the id of the one that it is, for transitions by it, if it is sure.
fn add_action(
    knowledge: &mut Knowledge,
    stored: &mut Stored,
    number: usize,
    inferred: &InferredAction,
) -> Option<ActionId> {
    let is_said_sure = is_sure(inferred.confidence);
    if let Some(id) = inferred.action_id.as_ref().filter(|id| knowledge.actions.contains_key(*id)) {
        stored.known += 1;
        return is_said_sure.then(|| id.clone());
    }
    if !is_said_sure {
        stored.unsure += 1;
        return None;
    }
    let action = match definition(knowledge, inferred) {
        Ok(Some(action)) if is_sure(action.metadata.confidence) => action,
        other => {
            match other {
                // No recording shows it, whatever the result says.
                Ok(Some(_)) => stored.unsure += 1,
                Ok(None) => stored.known += 1,
                Err(error) => stored.refused.push(format!("action {number}: {error}")),
            }
            return None;
        }
    };
    let screen = inferred.screen_id.as_ref().map_or("", |screen| screen.as_str());
    let id = ActionId(hashed(&[action.website_id.as_str(), screen, &action.action_type, &inferred.target]));
    if knowledge.actions.contains_key(&id) {
        stored.known += 1;
        return Some(id);
    }
    let action = ActionDefinition {
        action_id: id.clone(),
        knowledge_id: knowledge.knowledge_id.clone(),
        provenance: vec![Provenance::Inferred { by: inferred.by, evidence: inferred.gap.clone() }],
        ..action
    };
    knowledge.actions.insert(id.clone(), action);
    stored.actions.push(id.clone());
    Some(id)
}

fn add_transition(
    knowledge: &mut Knowledge,
    stored: &mut Stored,
    inferred: &InferredTransition,
    from_list: Option<ActionId>,
) {
    if !is_sure(inferred.confidence) {
        stored.unsure += 1;
        return;
    }
    let (from, to) = (&inferred.from_screen_id, &inferred.to_screen_id);
    let is_navigable = |id| knowledge.screens.get(id).is_some_and(ScreenDefinition::is_navigable);
    let known = || inferred.action_id.clone().filter(|id| knowledge.actions.contains_key(id));
    let Some(action_id) = from_list.or_else(known).filter(|_| is_navigable(from) && is_navigable(to)) else {
        stored.refused.push(format!("a way from {from} to {to}: its action or a screen is not known"));
        return;
    };
    let id = TransitionId(hashed(&[from.as_str(), to.as_str(), action_id.as_str()]));
    let is_it = |known: &TransitionDefinition| {
        known.from_screen_id == *from && known.to_screen_id == *to && known.action_id.as_ref() == Some(&action_id)
    };
    if knowledge.transitions.contains_key(&id) || knowledge.transitions.values().any(is_it) {
        stored.known += 1;
        return;
    }
    let transition = TransitionDefinition {
        transition_id: id.clone(),
        knowledge_id: knowledge.knowledge_id.clone(),
        website_id: knowledge.screens.get(from).map(|screen| screen.website_id.clone()).unwrap_or_default(),
        from_screen_id: from.clone(),
        to_screen_id: to.clone(),
        action_id: Some(action_id),
        count: 0,
        provenance: vec![Provenance::Inferred { by: inferred.by, evidence: inferred.evidence.clone() }],
        metadata: Metadata {
            inferred: true,
            confidence: inferred.confidence,
            reasoning: inferred.trigger_action.clone(),
        },
    };
    knowledge.transitions.insert(id.clone(), transition);
    stored.transitions.push(id);
}
