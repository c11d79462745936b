//! Checks that knowledge makes sense before it is stored.
//!
//! In: a [`Knowledge`]. Out: nothing, or the first thing that is wrong with it, in the order of
//! ids. Holds afterwards: every id that is referred to is there; parents of screens form no cycle;
//! confidences are numbers from 0 to 1; every pattern compiles and runs in linear time; a screen
//! that a browser can be led to has a signature.

use crate::error::KnowledgeError;
use crate::model::{ActionId, ContentType, Indicator, IndicatorKind, Knowledge, Metadata, ScreenDefinition, ScreenId};
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
    // By itself it is read first, and not compiled: `a)|(?:b` would make sense within brackets, and
    // match anywhere.
    let alone =
        RegexBuilder::new(pattern).size_limit(1).build().err().filter(|error| matches!(error, regex::Error::Syntax(_)));
    // A match counts from the beginning of the URL on only, as Python's `re.match` has it.
    let anchored = format!("^(?:{pattern})");
    let compiled = alone.map_or_else(|| RegexBuilder::new(&anchored).size_limit(MAX_PATTERN_BYTES).build(), Err);
    compiled.map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(limit) => format!("it is larger than {limit} bytes when compiled"),
            other => {
                let text = other.to_string();
                text.lines().last().unwrap_or(&text).trim().trim_start_matches("error: ").to_owned()
            }
        };
        KnowledgeError::InvalidPattern { screen: screen.to_string(), pattern: pattern.to_owned(), reason }
    })
}

/// Checks everything; screens in `of_old_shape` may stay of unknown content type.
///
/// # Errors
/// The first thing that is wrong.
pub fn validate(knowledge: &Knowledge, of_old_shape: &BTreeSet<ScreenId>) -> Result<(), KnowledgeError> {
    for (id, screen) in &knowledge.screens {
        let checked = Checked { knowledge, kind: "screen", id: id.as_str() };
        checked.calls_itself(screen.screen_id.as_str())?;
        validate_screen(&checked, screen, of_old_shape.contains(id))?;
        check_parents(&checked, screen)?;
    }
    for (id, action) in &knowledge.actions {
        let checked = Checked { knowledge, kind: "action", id: id.as_str() };
        checked.calls_itself(action.action_id.as_str())?;
        checked.says("action_type", &action.action_type)?;
        checked.is_share(&action.metadata)?;
        checked.know_screens(&action.screen_ids)?;
    }
    for (id, transition) in &knowledge.transitions {
        let checked = Checked { knowledge, kind: "transition", id: id.as_str() };
        checked.calls_itself(transition.transition_id.as_str())?;
        checked.is_share(&transition.metadata)?;
        checked.know_screens([&transition.from_screen_id, &transition.to_screen_id])?;
        checked.knows_action(transition.action_id.as_ref())?;
        if transition.metadata.inferred && transition.count > 0 {
            return Err(checked.wrong("it is marked inferred, yet was observed"));
        }
    }
    for (id, task) in &knowledge.tasks {
        let checked = Checked { knowledge, kind: "task", id: id.as_str() };
        checked.calls_itself(task.task_id.as_str())?;
        checked.is_share(&task.metadata)?;
        for (position, step) in task.steps.iter().enumerate() {
            if step.order as usize != position {
                return Err(checked.wrong(format!("step {position} says it is step {}", step.order)));
            }
            checked.is_share(&step.metadata)?;
            checked.knows_action(step.action_id.as_ref())?;
            checked.know_screens(step.screen_id.iter().chain(&step.expected_screen_id))?;
        }
        checked.know_screens(&task.success_criteria.screen_id)?;
    }
    Ok(())
}

/// What is checked: a thing of a kind with its id.
struct Checked<'k> {
    knowledge: &'k Knowledge,
    kind: &'static str,
    id: &'k str,
}

impl Checked<'_> {
    fn wrong(&self, problem: impl Into<String>) -> KnowledgeError {
        KnowledgeError::Invalid { kind: self.kind, id: self.id.to_owned(), problem: problem.into() }
    }

    fn calls_itself(&self, id: &str) -> Result<(), KnowledgeError> {
        self.says("id", self.id)?;
        if self.id == id { Ok(()) } else { Err(self.wrong(format!("it calls itself {id:?}"))) }
    }

    fn says(&self, field: &str, value: &str) -> Result<(), KnowledgeError> {
        if value.trim().is_empty() { Err(self.wrong(format!("its {field} is empty"))) } else { Ok(()) }
    }

    fn is_share(&self, metadata: &Metadata) -> Result<(), KnowledgeError> {
        let confidence = metadata.confidence;
        let wrong = || self.wrong(format!("confidence {confidence} is not between 0 and 1"));
        (0.0..=1.0).contains(&confidence).then_some(()).ok_or_else(wrong)
    }

    fn know_screens<'s>(&self, screens: impl IntoIterator<Item = &'s ScreenId>) -> Result<(), KnowledgeError> {
        match screens.into_iter().find(|screen| !self.knowledge.screens.contains_key(*screen)) {
            Some(screen) => Err(self.wrong(format!("it refers to screen {:?}, which is not known", screen.as_str()))),
            None => Ok(()),
        }
    }

    fn knows_action(&self, action: Option<&ActionId>) -> Result<(), KnowledgeError> {
        match action.filter(|action| !self.knowledge.actions.contains_key(*action)) {
            Some(action) => Err(self.wrong(format!("it refers to action {:?}, which is not known", action.as_str()))),
            None => Ok(()),
        }
    }
}

fn validate_screen(checked: &Checked<'_>, screen: &ScreenDefinition, of_old_shape: bool) -> Result<(), KnowledgeError> {
    checked.says("name", &screen.name)?;
    checked.is_share(&screen.metadata)?;
    if screen.content_type == ContentType::Unknown && !of_old_shape {
        let problem = "content_type is unknown, which only rows of the old shape may be: say what it is";
        return Err(checked.wrong(problem));
    }
    if screen.is_actionable && !matches!(screen.content_type, ContentType::WebUi | ContentType::Unknown) {
        return Err(checked.wrong(format!("it is actionable, yet of content type {}", screen.content_type)));
    }
    // What the old shape holds may be anything; it is never matched.
    if screen.content_type == ContentType::Unknown {
        return Ok(());
    }
    for pattern in &screen.url_patterns {
        compile(&screen.screen_id, pattern)?;
    }
    for indicator in &screen.state_signature.required_indicators {
        check_indicator(checked, indicator)?;
    }
    if screen.is_navigable() && !has_signature(screen) {
        return Err(KnowledgeError::NoSignature { screen: screen.screen_id.to_string() });
    }
    Ok(())
}

/// Returns whether there is anything by which a screen is told.
pub(crate) fn has_signature(screen: &ScreenDefinition) -> bool {
    !screen.url_patterns.is_empty() || !screen.state_signature.required_indicators.is_empty()
}

fn check_indicator(checked: &Checked<'_>, indicator: &Indicator) -> Result<(), KnowledgeError> {
    let problem = match (indicator.kind, &indicator.value, &indicator.pattern) {
        (IndicatorKind::DomContains, Some(value), _) if !value.trim().is_empty() => {
            if value.chars().count() <= MAX_INDICATOR_CHARS {
                return Ok(());
            }
            format!("indicator {value:?} is longer than {MAX_INDICATOR_CHARS} characters")
        }
        (IndicatorKind::DomContains, _, _) => "an indicator dom_contains has no value".to_owned(),
        (IndicatorKind::UrlMatches, _, Some(pattern)) => return compile(&checked.id.into(), pattern).map(drop),
        (IndicatorKind::UrlMatches, _, None) => "an indicator url_matches has no pattern".to_owned(),
        (IndicatorKind::Other, _, _) => "an indicator is of a kind that is not known".to_owned(),
    };
    Err(checked.wrong(problem))
}

/// Goes up from a screen: every parent is known, and none comes twice.
fn check_parents(checked: &Checked<'_>, screen: &ScreenDefinition) -> Result<(), KnowledgeError> {
    let mut seen = BTreeSet::from([&screen.screen_id]);
    let mut at = screen;
    while let Some(parent) = &at.parent_screen_id {
        let Some(next) = checked.knowledge.screens.get(parent) else {
            return Err(checked.wrong(format!("its parent {:?} is not known", parent.as_str())));
        };
        if !seen.insert(parent) {
            return Err(checked.wrong(format!("its parents form a cycle through {:?}", parent.as_str())));
        }
        at = next;
    }
    Ok(())
}
