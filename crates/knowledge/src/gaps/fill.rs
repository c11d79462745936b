//! All of it: each gap from recordings, and where they say nothing from a model.
//!
//! In: a [`Knowledge`], a request, a model if there is one. Out: what was inferred, and what went
//! wrong gap by gap. Invariants: the knowledge is not changed; a gap that names what is not known
//! is an error with the nearest names, and no reason to leave the others out.

use super::{ActionGap, ExtrapolationRequest, ExtrapolationResult, by_model, by_recordings, identify};
use crate::model::{ActionId, Knowledge, ScreenId};
use crate::translate::nearest::nearest;
use crate::translate::{list, shown};
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
        let (asked, own) = (shown(request.knowledge_id.as_str()), knowledge.knowledge_id.as_str());
        result.errors.push(format!("knowledge {asked:?} is not the one that is asked ({own:?}): open that one"));
        return result;
    }
    let found = if request.gaps.is_empty() { identify(knowledge, &request.website_id) } else { Vec::new() };
    for gap in request.gaps.iter().chain(&found) {
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
            return Err(unknown("action", id.as_str(), knowledge.actions.keys().map(ActionId::as_str)));
        }
    }
    for id in gap.from_screen_id.iter().chain(&gap.to_screen_id) {
        if !knowledge.screens.contains_key(id) {
            return Err(unknown("screen", id.as_str(), knowledge.screens.keys().map(ScreenId::as_str)));
        }
    }
    Ok(())
}

fn unknown<'k>(kind: &str, id: &str, known: impl Iterator<Item = &'k str>) -> String {
    format!("{kind} {:?} is not known; nearest: {}", shown(id), list(&nearest(id, known, 3), "none"))
}
