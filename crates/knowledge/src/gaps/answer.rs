//! What a model said about a gap, checked part by part.
//!
//! In: the text of an answer. Out: an [`ExtrapolationResult`] of one gap, or why the answer is
//! refused. Invariants: one wrong action refuses the whole answer, because a sequence with a hole
//! in it is another sequence; screens are known ones; a URL is of http or https and of an origin at
//! which the website was seen; a target is a known element, or a selector that parsed, or plain
//! words; nothing is run, uploaded, saved or closed.

use super::{
    ActionGap, ExtrapolationRequest, ExtrapolationResult, InferredAction, InferredTransition, MOST_INVENTED,
    USUAL_CONFIDENCE,
};
use crate::model::{
    ActionDefinition, ActionId, ElementTarget, Inference, Knowledge, Metadata, ScreenDefinition, ScreenId,
};
use crate::translate::{ActionType, shown};
use browserlens_core::page::select::Selector;
use browserlens_core::page::text::one_line;
use browserlens_core::schema::Schema;
use browserlens_llm::json_object;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use url::Url;

/// Longest answer that is read, in bytes.
const LONGEST: usize = 64 << 10;
/// Longest words of a target, in characters.
const LONGEST_TARGET: usize = 200;

/// JSON schema of an answer.
pub(super) static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("answer.json")).unwrap_or(Value::Bool(false)));
static VALIDATOR: LazyLock<Option<Schema>> = LazyLock::new(|| Schema::new(&SCHEMA).ok());

/// Why an answer is refused, in words.
type Refusal = String;

#[derive(Deserialize)]
struct AnswerJson {
    actions: Vec<SaidAction>,
    transitions: Option<Vec<SaidTransition>>,
    confidence: Option<f64>,
}

#[derive(Deserialize)]
struct SaidAction {
    action_type: String,
    target: Option<String>,
    description: Option<String>,
    confidence: f64,
    reasoning: Option<String>,
    screen_id: Option<ScreenId>,
}

#[derive(Deserialize)]
struct SaidTransition {
    from_screen_id: ScreenId,
    to_screen_id: ScreenId,
    trigger_action: Option<String>,
}

/// Checks an answer; what is left out of it is told among the errors.
///
/// # Errors
/// Why it is refused.
pub fn checked(
    knowledge: &Knowledge,
    gap: &ActionGap,
    request: &ExtrapolationRequest,
    text: &str,
) -> Result<ExtrapolationResult, Refusal> {
    if text.len() > LONGEST {
        return Err(format!("the answer has {} bytes; allowed: {LONGEST}", text.len()));
    }
    let object = json_object(text).ok_or_else(|| format!("the answer is no JSON object: {:?}", shown(text)))?;
    let value = Value::Object(object);
    let wrong = |place: &str, reason: &str| {
        format!("the answer does not fit its schema: at {:?}: {}", shown(place), shown(reason))
    };
    let validator = VALIDATOR.as_ref().ok_or_else(|| wrong("", "the schema cannot be read"))?;
    if let Some(misfit) = validator.misfits(&value).first() {
        return Err(wrong(&misfit.place, &misfit.reason()));
    }
    let said: AnswerJson = serde_json::from_value(value).map_err(|error| wrong("", &error.to_string()))?;
    let (count, most) = (said.actions.len(), request.max_intermediate_steps);
    if count > most {
        return Err(format!("the answer holds {count} actions; allowed: {most}"));
    }
    let confidence = said.confidence.unwrap_or(USUAL_CONFIDENCE);
    let mut result = ExtrapolationResult::default();
    for (number, action) in (1..).zip(said.actions) {
        let action = action_of(knowledge, gap, action).map_err(|why| format!("action {number}: {why}"))?;
        result.inferred_actions.push(action);
    }
    for transition in said.transitions.into_iter().flatten().filter(|_| request.include_screens) {
        match transition_of(knowledge, &result.inferred_actions, confidence, transition) {
            Ok(transition) => result.inferred_transitions.push(transition),
            Err(note) => result.errors.push(format!("gap {}: {note}", gap.key())),
        }
    }
    // That nothing is between is an answer too, and fills nothing.
    if !result.inferred_actions.is_empty() {
        result.gaps_filled = 1;
        result.confidence_scores.insert(gap.key(), confidence);
    }
    Ok(result)
}

fn action_of(knowledge: &Knowledge, gap: &ActionGap, said: SaidAction) -> Result<InferredAction, Refusal> {
    let kind = allowed(&said.action_type)?;
    let screen = screen_of(knowledge, said.screen_id.as_ref().filter(|id| !id.as_str().is_empty()))?;
    let target = said.target.unwrap_or_default();
    let meant = meant(knowledge, screen, kind, &target)?;
    let most = meant.most(knowledge, screen);
    Ok(InferredAction {
        action_type: kind.name().to_owned(),
        target: shown_long(&target),
        parameters: BTreeMap::new(),
        description: shown_long(&said.description.unwrap_or_default()),
        confidence: said.confidence.min(most),
        reasoning: shown_long(&said.reasoning.unwrap_or_default()),
        screen_id: screen.map(|screen| screen.screen_id.clone()),
        action_id: match meant {
            Meant::Known(id) => Some(id),
            _ => None,
        },
        by: Inference::Llm,
        gap: gap.key(),
    })
}

fn screen_of<'k>(knowledge: &'k Knowledge, id: Option<&ScreenId>) -> Result<Option<&'k ScreenDefinition>, Refusal> {
    let wrong = |id: &ScreenId| format!("screen {:?} is not known", shown(id.as_str()));
    id.map(|id| knowledge.screens.get(id).ok_or_else(|| wrong(id))).transpose()
}

/// Foreign words that are kept: what nobody sees as escapes, and not endless.
fn shown_long(text: &str) -> String {
    one_line(&text.chars().take(LONGEST_TARGET).collect::<String>())
}

/// Kinds of action that a model may not say: what runs code, reads or writes files, or ends things,
/// and what a person does not do on a page.
const FORBIDDEN: [ActionType; 14] = {
    use ActionType::*;
    [
        Evaluate, UploadFile, SaveAsPdf, Done, Close, Switch, NewTab, Search, FillForm, AcceptDialog, DismissDialog,
        Dialog, Extract, FindElements,
    ]
};

fn allowed(name: &str) -> Result<ActionType, Refusal> {
    let kind = ActionType::parse(name).map_err(|error| error.to_string())?;
    let forbidden = || format!("{} is never taken from a model", kind.name());
    if FORBIDDEN.contains(&kind) { Err(forbidden()) } else { Ok(kind) }
}

/// Names of the action types that a model may say.
pub(super) fn allowed_names() -> impl Iterator<Item = &'static str> {
    ActionType::ALL.iter().filter(|kind| !FORBIDDEN.contains(kind)).map(|kind| kind.name())
}

/// What a target means.
enum Meant {
    Nothing,
    Url(String),
    Known(ActionId),
    Element { selector: Option<String>, target: Option<ElementTarget> },
}

impl Meant {
    /// How sure it is at most: less where no recording shows what is acted on.
    fn most(&self, knowledge: &Knowledge, screen: Option<&ScreenDefinition>) -> f64 {
        if self.is_shown(knowledge, screen) { 1.0 } else { MOST_INVENTED }
    }

    /// Whether a recording shows what is acted on: the page that is opened, the field that is
    /// filled, the button by which the screen is told.
    fn is_shown(&self, knowledge: &Knowledge, screen: Option<&ScreenDefinition>) -> bool {
        match self {
            Self::Nothing => false,
            Self::Known(_) => true,
            Self::Url(url) => seen_urls(knowledge).any(|known| known.as_str() == url),
            Self::Element { selector, target } => {
                let fields = || screen.iter().flat_map(|screen| &screen.forms).flat_map(|form| &form.fields);
                let is_field =
                    |target: &ElementTarget| fields().any(|it| it.role == target.role && it.name == target.name);
                let is_selector = |text: &String| fields().any(|it| it.selector.as_ref() == Some(text));
                let names = screen.iter().flat_map(|screen| &screen.state_signature.required_indicators);
                let mut names = names.filter_map(|indicator| indicator.value.as_ref());
                let mut is_name = |target: &ElementTarget| names.any(|name| name.eq_ignore_ascii_case(&target.text));
                let is_element = |target: &ElementTarget| is_field(target) || is_name(target);
                target.as_ref().is_some_and(is_element) || selector.as_ref().is_some_and(is_selector)
            }
        }
    }
}

fn meant(
    knowledge: &Knowledge,
    screen: Option<&ScreenDefinition>,
    kind: ActionType,
    text: &str,
) -> Result<Meant, Refusal> {
    let text = text.trim();
    let wrong = |problem: &str| Err(format!("target {:?} {problem}", shown(text)));
    if text.chars().count() > LONGEST_TARGET {
        return wrong("is too long");
    }
    if text.chars().any(char::is_control) || text.contains(['<', '>']) && text.contains("</") {
        return wrong("holds markup or control characters");
    }
    if kind == ActionType::Navigate {
        return match Url::parse(text) {
            Ok(url) if !matches!(url.scheme(), "http" | "https") => wrong("is no http or https address"),
            Ok(url) if !url.username().is_empty() || url.password().is_some() => wrong("holds credentials"),
            Ok(url) if is_seen(knowledge, &url) => Ok(Meant::Url(url.into())),
            Ok(_) => wrong("leads to an origin that was never seen on this website"),
            Err(_) => wrong("is no address"),
        };
    }
    if text.is_empty() {
        return if kind.needs_target() { wrong("is empty") } else { Ok(Meant::Nothing) };
    }
    if let Some(known) = known_action(knowledge, screen, kind, text) {
        return Ok(Meant::Known(known));
    }
    if let Some(target) = screen.and_then(|screen| known_field(screen, text)) {
        return Ok(Meant::Element { selector: None, target: Some(target) });
    }
    // Words are no selectors, although most words parse as one (`Login` is a tag).
    let is_marked = text.contains(['#', '.', '[', '>', ':']) && !text.contains("://");
    if is_marked && text.parse::<Selector>().is_ok() {
        return Ok(Meant::Element { selector: Some(text.to_owned()), target: None });
    }
    if text.to_ascii_lowercase().starts_with("javascript:") || text.contains(['{', '}', ';', '`', '<', '\\']) {
        return wrong("is neither words nor a selector");
    }
    let target = ElementTarget { text: text.to_owned(), ..ElementTarget::default() };
    Ok(Meant::Element { selector: None, target: Some(target) })
}

/// Whether a URL is of an origin at which a screen was seen.
fn is_seen(knowledge: &Knowledge, url: &Url) -> bool {
    seen_urls(knowledge).any(|known| known.origin() == url.origin())
}

/// The URLs at which screens were seen, and those that were opened.
fn seen_urls(knowledge: &Knowledge) -> impl Iterator<Item = Url> {
    let seen = knowledge.screens.values().flat_map(|screen| &screen.example_urls);
    let observed = knowledge.actions.values().filter(|action| !action.metadata.inferred);
    let opened = observed.filter_map(|action| action.parameters.get("url")?.as_str());
    seen.map(String::as_str).chain(opened).filter_map(|known| Url::parse(known).ok())
}

/// An observed action of the screen with this target.
fn known_action(
    knowledge: &Knowledge,
    screen: Option<&ScreenDefinition>,
    kind: ActionType,
    text: &str,
) -> Option<ActionId> {
    let screen = screen?;
    let is_text = |known: &str| !known.is_empty() && known.eq_ignore_ascii_case(text);
    let mut found = knowledge.actions_on(&screen.screen_id).filter(|action| {
        ActionType::parse(&action.action_type).is_ok_and(|own| own == kind)
            && (action.action_id.as_str() == text
                || is_text(&action.name)
                || action.target_selector.as_deref() == Some(text)
                || action.target.as_ref().is_some_and(|target| is_text(&target.name) || is_text(&target.text)))
    });
    let first = found.next().filter(|_| found.next().is_none())?;
    Some(first.action_id.clone())
}

fn known_field(screen: &ScreenDefinition, text: &str) -> Option<ElementTarget> {
    let mut found =
        screen.forms.iter().flat_map(|form| &form.fields).filter(|field| field.name.eq_ignore_ascii_case(text));
    let field = found.next().filter(|_| found.next().is_none())?;
    Some(ElementTarget { role: field.role.clone(), name: field.name.clone(), ..ElementTarget::default() })
}

fn transition_of(
    knowledge: &Knowledge,
    actions: &[InferredAction],
    confidence: f64,
    said: SaidTransition,
) -> Result<InferredTransition, String> {
    for id in [&said.from_screen_id, &said.to_screen_id] {
        if !knowledge.screens.get(id).is_some_and(ScreenDefinition::is_navigable) {
            return Err(format!(
                "a transition was left out: screen {:?} is not known or cannot be led to",
                shown(id.as_str())
            ));
        }
    }
    let trigger = shown_long(&said.trigger_action.unwrap_or_default());
    let by_words = actions.iter().position(|action| {
        !trigger.is_empty()
            && (action.description.eq_ignore_ascii_case(&trigger) || action.target.eq_ignore_ascii_case(&trigger))
    });
    // Else the last one that is done where the transition begins.
    let by_screen = || actions.iter().rposition(|action| action.screen_id.as_ref() == Some(&said.from_screen_id));
    let Some(action) = by_words.or_else(by_screen) else {
        return Err(format!("a transition was left out: none of the actions is {:?}", shown(&trigger)));
    };
    Ok(InferredTransition {
        from_screen_id: said.from_screen_id,
        to_screen_id: said.to_screen_id,
        trigger_action: trigger,
        action: Some(action),
        action_id: actions[action].action_id.clone(),
        confidence: confidence.min(actions[action].confidence),
        by: Inference::Llm,
        evidence: String::new(),
    })
}

/// Returns the action as the knowledge would hold it; none if it is a known one.
///
/// # Errors
/// Why it cannot be used, because a result may come from anywhere.
pub(super) fn definition(
    knowledge: &Knowledge,
    inferred: &InferredAction,
) -> Result<Option<ActionDefinition>, Refusal> {
    if let Some(id) = &inferred.action_id
        && knowledge.actions.contains_key(id)
    {
        return Ok(None);
    }
    let kind = allowed(&inferred.action_type)?;
    let screen = screen_of(knowledge, inferred.screen_id.as_ref())?;
    let named = || format!("{} {}", kind.name(), inferred.target);
    let name = if inferred.description.is_empty() { named() } else { inferred.description.clone() };
    let mut action = ActionDefinition {
        name: shown_long(&name),
        action_type: kind.name().to_owned(),
        screen_ids: screen.map(|screen| screen.screen_id.clone()).into_iter().collect(),
        website_id: screen.map(|screen| screen.website_id.clone()).unwrap_or_default(),
        ..ActionDefinition::default()
    };
    let meant = meant(knowledge, screen, kind, &inferred.target)?;
    let most = meant.most(knowledge, screen);
    action.metadata =
        Metadata { inferred: true, confidence: inferred.confidence.min(most), reasoning: inferred.reasoning.clone() };
    match meant {
        Meant::Known(_) => return Ok(None),
        Meant::Nothing => {}
        Meant::Url(url) => action.parameters = BTreeMap::from([("url".to_owned(), Value::String(url))]),
        Meant::Element { selector, target } => {
            action.target_selector = selector;
            action.target = target;
        }
    }
    Ok(Some(action))
}
