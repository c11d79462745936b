//! What is missing where everything that others do is there already: something that was done twice.
//!
//! In: a gap on one screen, and the rest of its task. Out: what of that rest was done once more;
//! none if nothing speaks for it. A form that refuses what is sent is why people do a thing twice:
//! they fill a field, press the button, are refused, mend the field, and press it again. Invariant:
//! every step is one of the same task and the same screen. That it was done at this place is
//! invented: no recording shows it, so it is never sure enough to be stored.

use super::evidence::{Around, FromRecordings};
use super::{ActionGap, MOST_INVENTED};
use crate::model::{ScreenId, TaskStep};

pub(super) fn done_again(gap: &ActionGap, around: &Around<'_>) -> Option<FromRecordings> {
    let screen = gap.from_screen_id.as_ref()?;
    if gap.to_screen_id.as_ref() != Some(screen) {
        return None;
    }
    let led_here = |step: &&TaskStep| step.expected_screen_id.as_ref() == Some(screen);
    let is_here = |step: &&TaskStep| step.screen_id.as_ref() == Some(screen) && step.action_id.is_some();
    let before: Vec<&TaskStep> = around.before.iter().rev().take_while(led_here).filter(is_here).collect();
    let after: Vec<&TaskStep> = around.after.iter().take_while(is_here).collect();
    let one = |step: &TaskStep| vec![step.clone()];
    let (mut steps, why) = mended(&before, &after)
        .map(|step| (one(step), "it is mended after the form was refused, so it was filled before"))
        .or_else(|| Some((one(mending(&before, &after)?), "the form was refused, so what was filled last is mended")))
        .or_else(|| {
            Some((attempt(&before, &after, screen)?, "it is done again later, so it was refused the first time"))
        })
        .or_else(|| Some((one(repeated(&before, &after)?), "what is typed may be typed twice")))?;
    for step in &mut steps {
        step.expected_screen_id = Some(screen.clone());
    }
    Some(FromRecordings {
        steps,
        confidence: MOST_INVENTED,
        reasoning: format!("everything that others do is there; {why}"),
        evidence: around.task.map(ToString::to_string).unwrap_or_default(),
    })
}

fn is_same(one: &TaskStep, other: &TaskStep) -> bool {
    one.action_id == other.action_id
}

fn is_typed(step: &TaskStep) -> bool {
    step.action.parameters.contains_key("text")
}

fn is_button(step: &TaskStep) -> bool {
    step.action.action_type == "click" && step.action.target.to_lowercase().starts_with("button")
}

/// A field that is filled between two presses of one button after the gap, and nowhere before them.
fn mended<'t>(before: &[&'t TaskStep], after: &[&'t TaskStep]) -> Option<&'t TaskStep> {
    after.iter().enumerate().filter(|(_, step)| is_button(step)).find_map(|(at, press)| {
        let next = at + 1 + after[at + 1..].iter().position(|step| is_same(step, press))?;
        let earlier = || before.iter().chain(&after[..at]);
        after[at + 1..next].iter().find(|step| is_typed(step) && !earlier().any(|known| is_same(known, step))).copied()
    })
}

/// What was typed last before a button that is pressed again after the gap; `before` begins with
/// the latest step.
fn mending<'t>(before: &[&'t TaskStep], after: &[&'t TaskStep]) -> Option<&'t TaskStep> {
    let press = before.first().filter(|step| is_button(step))?;
    after.iter().find(|step| is_same(step, press))?;
    before.iter().find(|step| is_typed(step)).copied()
}

/// The button with which the screen is left later. Where it is pressed right after the gap,
/// something was mended between.
fn attempt(before: &[&TaskStep], after: &[&TaskStep], screen: &ScreenId) -> Option<Vec<TaskStep>> {
    let press = after.iter().find(|step| step.expected_screen_id.as_ref() != Some(screen) && is_button(step))?;
    let is_press = |step: Option<&&TaskStep>| step.is_some_and(|step| is_same(step, press));
    match (is_press(before.first()), is_press(after.first())) {
        (true, _) => None,
        (false, false) => Some(vec![(*press).clone()]),
        (false, true) => {
            let typed = before.iter().find(|step| is_typed(step))?;
            Some(vec![(*press).clone(), (*typed).clone()])
        }
    }
}

/// A field that is filled on one side of the gap.
fn repeated<'t>(before: &[&'t TaskStep], after: &[&'t TaskStep]) -> Option<&'t TaskStep> {
    [before.first(), after.first()].into_iter().flatten().find(|step| is_typed(step)).copied()
}
