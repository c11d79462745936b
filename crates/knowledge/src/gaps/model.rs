//! Asks a language model what is in a gap.
//!
//! In: a gap, the name of a model, and something that answers: an endpoint, a cassette, both. Out:
//! what was inferred, as a result of one gap. Invariants: the prompt is one file, whose holes are
//! filled with JSON alone; every foreign text in it is shortened; equal gaps make equal requests,
//! so that a cassette answers a second time.

use super::answer::{SCHEMA, allowed_names, checked};
use super::{ActionGap, ExtrapolationRequest, ExtrapolationResult};
use crate::model::{ActionDefinition, ActionId, IndicatorKind, Knowledge, ScreenDefinition, ScreenId};
use crate::translate::shown;
use browserlens_llm::{Answer, Ask, ChatRequest, Message, ResponseFormat, Role, Schema};
use serde_json::{Map, Value, json};

/// The prompt; its version is part of every cassette.
const PROMPT: &str = include_str!("../../prompts/extrapolate.txt");
/// Version of the prompt.
pub const PROMPT_VERSION: &str = "extrapolate-1";
const TEMPERATURE: f64 = 0.3;
const MAX_TOKENS: u32 = 2_000;
/// Most screens, actions, texts and fields that a prompt names.
const SCREENS: usize = 10;
const ACTIONS: usize = 20;
const TEXTS: usize = 8;
const FIELDS: usize = 12;

/// Asks a model what is in a gap.
///
/// # Errors
/// Why there is no answer, or why it is refused, with what to do.
pub fn by_model(
    knowledge: &Knowledge,
    gap: &ActionGap,
    extrapolation: &ExtrapolationRequest,
    ask: &mut dyn Ask,
    model: &str,
) -> Result<ExtrapolationResult, String> {
    let request = request(knowledge, gap, extrapolation, model);
    let said = match ask.ask(&request) {
        Ok(Answer::Said(said)) => said,
        Ok(Answer::Refused { status, message }) => {
            return Err(format!("the model refused (status {status}): {}", shown(&message)));
        }
        Err(error) => return Err(format!("{error}; {}", error.hint())),
    };
    let mut result = checked(knowledge, gap, extrapolation, &said.content).map_err(|error| {
        let cut = if said.finish_reason == "length" { "; it was cut at its length limit" } else { "" };
        format!("{error}{cut}; nothing of it is used")
    })?;
    for transition in &mut result.inferred_transitions {
        transition.evidence = request.hash().to_string();
    }
    Ok(result)
}

/// Returns the request for a gap.
pub fn request(
    knowledge: &Knowledge,
    gap: &ActionGap,
    extrapolation: &ExtrapolationRequest,
    model: &str,
) -> ChatRequest {
    let types = allowed_names().collect::<Vec<_>>().join(", ");
    let data = serde_json::to_string_pretty(&data(knowledge, gap)).unwrap_or_default();
    // The data comes in last: what it holds fills no hole.
    let most = extrapolation.max_intermediate_steps.to_string();
    let parts = PROMPT.split("{data}").map(|part| part.replace("{types}", &types).replace("{most}", &most));
    let filled = parts.collect::<Vec<_>>().join(&data);
    ChatRequest {
        model: model.to_owned(),
        messages: vec![Message::text(Role::User, filled)],
        schema: Schema { name: "extrapolation".to_owned(), schema: SCHEMA.clone() },
        response_format: ResponseFormat::JsonObject,
        max_tokens: MAX_TOKENS,
        temperature: TEMPERATURE,
        extra: Map::new(),
    }
}

fn data(knowledge: &Knowledge, gap: &ActionGap) -> Value {
    let screen = |id: &Option<ScreenId>| id.as_ref().and_then(|id| knowledge.screens.get(id));
    let (from, to) = (screen(&gap.from_screen_id), screen(&gap.to_screen_id));
    let website = from.or(to).map(|screen| &screen.website_id);
    let others = knowledge.navigable_screens().filter(|screen| {
        website.is_none_or(|website| screen.website_id == *website)
            && from.is_none_or(|own| own.screen_id != screen.screen_id)
            && to.is_none_or(|own| own.screen_id != screen.screen_id)
    });
    let mut screens: Vec<&ScreenDefinition> = from.into_iter().chain(to).collect();
    screens.dedup_by(|a, b| a.screen_id == b.screen_id);
    screens.extend(others);
    screens.truncate(SCREENS);
    let known: Vec<Value> = knowledge
        .actions
        .values()
        .filter(|action| {
            action.screen_ids.iter().any(|id| [&gap.from_screen_id, &gap.to_screen_id].contains(&&Some(id.clone())))
        })
        .take(ACTIONS)
        .map(|action| {
            json!({ "action_type": action.action_type, "name": shown(&action.name),
            "screen_id": action.screen_id() })
        })
        .collect();
    json!({
        "start": action_data(knowledge, &gap.from_action_id, from),
        "end": action_data(knowledge, &gap.to_action_id, to),
        "screens": screens.into_iter().map(screen_data).collect::<Vec<_>>(),
        "known_actions": known,
        "missing_fields": gap.context.get("missing_fields"),
    })
}

fn action_data(knowledge: &Knowledge, id: &ActionId, screen: Option<&ScreenDefinition>) -> Value {
    let action = knowledge.actions.get(id);
    let words = |action: &ActionDefinition| {
        let target = action.target.as_ref();
        let name = target.map(|target| shown(target.called()));
        json!({
            "action_id": id,
            "action_type": action.action_type,
            "name": shown(&action.name),
            "target": name.or(action.target_selector.as_deref().map(shown)),
            "screen_id": screen.map(|screen| &screen.screen_id),
            "screen": screen.map(|screen| shown(&screen.name)),
        })
    };
    action.map_or(Value::Null, words)
}

fn screen_data(screen: &ScreenDefinition) -> Value {
    let texts = screen.state_signature.required_indicators.iter().filter_map(|indicator| {
        indicator.value.as_deref().filter(|_| indicator.kind == IndicatorKind::DomContains).map(shown)
    });
    let fields = screen
        .forms
        .iter()
        .flat_map(|form| &form.fields)
        .take(FIELDS)
        .map(|field| json!({ "role": field.role, "name": shown(&field.name), "required": field.required }));
    json!({
        "screen_id": screen.screen_id,
        "name": shown(&screen.name),
        "url": screen.example_urls.first().map(|url| shown(url)),
        "texts": texts.take(TEXTS).collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(),
    })
}
