//! All of it: each gap from recordings, and where they say nothing from a model.
//!
//! In: a [`Knowledge`], a request, a model if there is one. Out: what was inferred, and what went
//! wrong gap by gap. Invariants: the knowledge is not changed; a gap that names what is not known
//! is an error with the nearest names, and no reason to leave the others out.

use super::{ActionGap, ExtrapolationRequest, ExtrapolationResult, by_model, by_recordings, identify};
use crate::model::{ActionId, Knowledge, ScreenId};
use crate::translate::nearest::nearest;
use crate::translate::shown;
use browserlens_llm::Ask;

/// Infers what is in the gaps: from recordings, and where they say nothing from a model, if there
/// is one. The knowledge is not changed.
pub fn fill_gaps(
    knowledge: &Knowledge,
    request: &ExtrapolationRequest,
    mut model: Option<(&mut dyn Ask, &str)>,
) -> ExtrapolationResult {
    let mut result = ExtrapolationResult::default();
    if knowledge.is_empty() {
        result.errors.push("nothing is known yet: build knowledge first, `browserlens knowledge build`".to_owned());
        return result;
    }
    if request.knowledge_id != knowledge.knowledge_id {
        let (asked, own) = (request.knowledge_id.as_str(), knowledge.knowledge_id.as_str());
        result
            .errors
            .push(format!("knowledge {:?} is not the one that is asked ({own:?}): open that one", shown(asked)));
        return result;
    }
    let found;
    let gaps = if request.gaps.is_empty() {
        found = identify(knowledge, &request.website_id);
        &found
    } else {
        &request.gaps
    };
    for gap in gaps {
        if let Err(unknown) = known(knowledge, gap) {
            result.errors.push(format!("gap {}: {unknown}", gap.key()));
            continue;
        }
        if let Some(found) = by_recordings(knowledge, gap, request) {
            result.take(found.into_result(knowledge, gap, request));
            continue;
        }
        match &mut model {
            Some((ask, name)) => match by_model(knowledge, gap, request, *ask, name) {
                Ok(found) => result.take(found),
                Err(error) => result.errors.push(format!("gap {}: {error}", gap.key())),
            },
            None => result.errors.push(format!(
                "gap {}: no other recording connects these actions; record a way, or name a model to infer one \
                    (`--model`)",
                gap.key()
            )),
        }
    }
    result
}

/// Checks that a gap names what is known.
fn known(knowledge: &Knowledge, gap: &ActionGap) -> Result<(), String> {
    for id in [&gap.from_action_id, &gap.to_action_id] {
        if !knowledge.actions.contains_key(id) {
            let names = knowledge.actions.keys().map(ActionId::as_str);
            let near = nearest(id.as_str(), names, 3).join(", ");
            let id = shown(id.as_str());
            return Err(format!(
                "action {id:?} is not known; nearest: {}",
                if near.is_empty() { "none" } else { &near }
            ));
        }
    }
    for id in gap.from_screen_id.iter().chain(&gap.to_screen_id) {
        if !knowledge.screens.contains_key(id) {
            let names = knowledge.screens.keys().map(ScreenId::as_str);
            let near = nearest(id.as_str(), names, 3).join(", ");
            let id = shown(id.as_str());
            return Err(format!(
                "screen {id:?} is not known; nearest: {}",
                if near.is_empty() { "none" } else { &near }
            ));
        }
    }
    Ok(())
}
