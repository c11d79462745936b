//! Checks that knowledge makes sense before it is stored.
//!
//! In: a [`Knowledge`]. Out: nothing, or the first thing that is wrong with it, in the order of
//! ids. Holds afterwards: every id that is referred to is there; parents of screens form no cycle;
//! confidences are numbers from 0 to 1; every pattern compiles and runs in linear time; a screen
//! that a browser can be led to has a signature.

use crate::error::KnowledgeError;
use crate::model::{ContentType, Indicator, IndicatorKind, Knowledge, Metadata, ScreenDefinition, ScreenId};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// Longest text of an element that tells a screen, in characters.
pub const MAX_INDICATOR_CHARS: usize = 50;

/// Largest compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 18;

/// Compiles a stored pattern; matching takes time linear in the URL.
///
/// # Errors
/// [`KnowledgeError::InvalidPattern`], which names the screen.
pub(crate) fn compile(screen: &ScreenId, pattern: &str) -> Result<Regex, KnowledgeError> {
    let invalid = |reason: String| KnowledgeError::InvalidPattern {
        screen: screen.to_string(),
        pattern: pattern.to_owned(),
        reason,
    };
    // By itself it is read first, and not compiled: `a)|(?:b` would make sense within brackets, and
    // match anywhere.
    let alone =
        RegexBuilder::new(pattern).size_limit(1).build().err().filter(|error| matches!(error, regex::Error::Syntax(_)));
    let compiled =
        alone.map_or_else(|| RegexBuilder::new(&anchored(pattern)).size_limit(MAX_PATTERN_BYTES).build(), Err);
    compiled.map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(limit) => format!("it is larger than {limit} bytes when compiled"),
            other => {
                let text = other.to_string();
                text.lines().last().unwrap_or(&text).trim().trim_start_matches("error: ").to_owned()
            }
        };
        invalid(reason)
    })
}

/// A match counts from the beginning of the URL on only, as Python's `re.match` has it.
pub(crate) fn anchored(pattern: &str) -> String {
    format!("^(?:{pattern})")
}

/// Checks everything; screens in `of_old_shape` may stay of unknown content type.
///
/// # Errors
/// The first thing that is wrong.
pub fn validate(knowledge: &Knowledge, of_old_shape: &BTreeSet<ScreenId>) -> Result<(), KnowledgeError> {
    for (id, screen) in &knowledge.screens {
        same_id("screen", id.as_str(), screen.screen_id.as_str())?;
        validate_screen(screen, of_old_shape.contains(id))?;
        check_parents(knowledge, screen)?;
    }
    let known_screen = |kind: &'static str, owner: &str, screen: &ScreenId| {
        if knowledge.screens.contains_key(screen) {
            return Ok(());
        }
        Err(invalid(kind, owner, format!("it refers to screen {:?}, which is not known", screen.as_str())))
    };
    for (id, action) in &knowledge.actions {
        same_id("action", id.as_str(), action.action_id.as_str())?;
        non_empty("action", id.as_str(), "action_type", &action.action_type)?;
        check_metadata("action", id.as_str(), &action.metadata)?;
        for screen in &action.screen_ids {
            known_screen("action", id.as_str(), screen)?;
        }
    }
    for (id, transition) in &knowledge.transitions {
        same_id("transition", id.as_str(), transition.transition_id.as_str())?;
        check_metadata("transition", id.as_str(), &transition.metadata)?;
        known_screen("transition", id.as_str(), &transition.from_screen_id)?;
        known_screen("transition", id.as_str(), &transition.to_screen_id)?;
        check_action(knowledge, "transition", id.as_str(), transition.action_id.as_ref())?;
        if transition.metadata.inferred && transition.count > 0 {
            return Err(invalid("transition", id.as_str(), "it is marked inferred, yet was observed".to_owned()));
        }
    }
    for (id, task) in &knowledge.tasks {
        same_id("task", id.as_str(), task.task_id.as_str())?;
        check_metadata("task", id.as_str(), &task.metadata)?;
        for (position, step) in task.steps.iter().enumerate() {
            if step.order as usize != position {
                let problem = format!("step {position} says it is step {}", step.order);
                return Err(invalid("task", id.as_str(), problem));
            }
            check_metadata("task", id.as_str(), &step.metadata)?;
            check_action(knowledge, "task", id.as_str(), step.action_id.as_ref())?;
            for screen in step.screen_id.iter().chain(&step.expected_screen_id) {
                known_screen("task", id.as_str(), screen)?;
            }
        }
        if let Some(screen) = &task.success_criteria.screen_id {
            known_screen("task", id.as_str(), screen)?;
        }
    }
    Ok(())
}

fn validate_screen(screen: &ScreenDefinition, of_old_shape: bool) -> Result<(), KnowledgeError> {
    let id = screen.screen_id.as_str();
    non_empty("screen", id, "name", &screen.name)?;
    check_metadata("screen", id, &screen.metadata)?;
    if screen.content_type == ContentType::Unknown && !of_old_shape {
        let problem = "content_type is unknown, which only rows of the old shape may be: say what it is";
        return Err(invalid("screen", id, problem.to_owned()));
    }
    if screen.is_actionable && !matches!(screen.content_type, ContentType::WebUi | ContentType::Unknown) {
        let problem = format!("it is actionable, yet of content type {}", screen.content_type);
        return Err(invalid("screen", id, problem));
    }
    // What the old shape holds may be anything; it is never matched.
    if screen.content_type == ContentType::Unknown {
        return Ok(());
    }
    for pattern in &screen.url_patterns {
        compile(&screen.screen_id, pattern)?;
    }
    for indicator in &screen.state_signature.required_indicators {
        check_indicator(screen, indicator)?;
    }
    if screen.is_navigable() && !has_signature(screen) {
        return Err(KnowledgeError::NoSignature { screen: id.to_owned() });
    }
    Ok(())
}

/// Returns whether there is anything by which a screen is told.
pub(crate) fn has_signature(screen: &ScreenDefinition) -> bool {
    !screen.url_patterns.is_empty() || !screen.state_signature.required_indicators.is_empty()
}

fn check_indicator(screen: &ScreenDefinition, indicator: &Indicator) -> Result<(), KnowledgeError> {
    let wrong = |problem: String| Err(invalid("screen", screen.screen_id.as_str(), problem));
    match (indicator.kind, &indicator.value, &indicator.pattern) {
        (IndicatorKind::DomContains, Some(value), _) if !value.trim().is_empty() => {
            if value.chars().count() > MAX_INDICATOR_CHARS {
                return wrong(format!("indicator {value:?} is longer than {MAX_INDICATOR_CHARS} characters"));
            }
            Ok(())
        }
        (IndicatorKind::DomContains, _, _) => wrong("an indicator dom_contains has no value".to_owned()),
        (IndicatorKind::UrlMatches, _, Some(pattern)) => compile(&screen.screen_id, pattern).map(drop),
        (IndicatorKind::UrlMatches, _, None) => wrong("an indicator url_matches has no pattern".to_owned()),
        (IndicatorKind::Other, _, _) => wrong("an indicator is of a kind that is not known".to_owned()),
    }
}

/// Goes up from a screen: every parent is known, and none comes twice.
fn check_parents(knowledge: &Knowledge, screen: &ScreenDefinition) -> Result<(), KnowledgeError> {
    let id = screen.screen_id.as_str();
    let mut seen = BTreeSet::from([&screen.screen_id]);
    let mut at = screen;
    while let Some(parent) = &at.parent_screen_id {
        let Some(next) = knowledge.screens.get(parent) else {
            return Err(invalid("screen", id, format!("its parent {:?} is not known", parent.as_str())));
        };
        if !seen.insert(parent) {
            return Err(invalid("screen", id, format!("its parents form a cycle through {:?}", parent.as_str())));
        }
        at = next;
    }
    Ok(())
}

fn check_action(
    knowledge: &Knowledge,
    kind: &'static str,
    owner: &str,
    action: Option<&crate::model::ActionId>,
) -> Result<(), KnowledgeError> {
    match action {
        Some(action) if !knowledge.actions.contains_key(action) => {
            Err(invalid(kind, owner, format!("it refers to action {:?}, which is not known", action.as_str())))
        }
        _ => Ok(()),
    }
}

fn check_metadata(kind: &'static str, id: &str, metadata: &Metadata) -> Result<(), KnowledgeError> {
    if (0.0..=1.0).contains(&metadata.confidence) {
        return Ok(());
    }
    Err(invalid(kind, id, format!("confidence {} is not between 0 and 1", metadata.confidence)))
}

fn same_id(kind: &'static str, key: &str, id: &str) -> Result<(), KnowledgeError> {
    non_empty(kind, key, "id", key)?;
    if key == id { Ok(()) } else { Err(invalid(kind, key, format!("it calls itself {id:?}"))) }
}

fn non_empty(kind: &'static str, id: &str, field: &str, value: &str) -> Result<(), KnowledgeError> {
    if value.trim().is_empty() { Err(invalid(kind, id, format!("its {field} is empty"))) } else { Ok(()) }
}

fn invalid(kind: &'static str, id: &str, problem: String) -> KnowledgeError {
    KnowledgeError::Invalid { kind, id: id.to_owned(), problem }
}
