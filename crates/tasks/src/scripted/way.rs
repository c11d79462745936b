//! Follows a task's way, step by step.

use super::{Action, GaveUp, Hand, Places, Step};
use std::path::PathBuf;

/// How often a step is tried whose action was refused: what it acts on may be busy or have moved.
const TRIES: u32 = 3;

pub(super) async fn follow(
    mut hand: Hand,
    steps: Vec<Step>,
    base: String,
    files: Option<PathBuf>,
) -> Result<(), GaveUp> {
    let at = Places { base: &base, files: files.as_deref() };
    for (number, step) in steps.iter().enumerate() {
        let failed = |GaveUp(why): GaveUp| GaveUp(format!("step {}: {why}", number + 1));
        take(&mut hand, step, &at).await.map_err(failed)?;
    }
    Ok(())
}

async fn take(hand: &mut Hand, step: &Step, at: &Places<'_>) -> Result<(), GaveUp> {
    let action = &step.action;
    if let Action::WaitFor { on } = action {
        hand.wait_for(on, step.timeout_ms).await?;
        return Ok(());
    }
    let mut refused = String::new();
    for _ in 0..TRIES {
        // Looked for anew at each try: a ref may have gone stale.
        let found = match action.target() {
            Some(target) => Some(hand.find(target).await?),
            None => None,
        };
        let to = match action {
            Action::Drag { to, on } if to != on && !is_same_canvas(on, to) => Some(hand.find(to).await?),
            _ => None,
        };
        let Some(wanted) = hand.speech.act(action, found.as_ref(), to.as_ref(), at) else {
            return Err(GaveUp(format!("the tool has no function for {}", action.kind().name())));
        };
        let mut answered = hand.call(wanted).await?;
        if let Some(answer) = hand.speech.asked_back(&answered.call.answer, action, found.as_ref()) {
            answered = hand.call(answer).await?;
        }
        if !answered.call.is_error {
            return Ok(());
        }
        refused = answered.call.answer.chars().take(200).collect();
    }
    Err(GaveUp(format!("{} was refused: {refused}", action.kind().name())))
}

/// Two points of one element: the drag goes by the difference.
fn is_same_canvas(from: &super::Target, to: &super::Target) -> bool {
    use browserlens_trace::scenario::TargetBy::Css;
    matches!((&from.by, &to.by), (Css { selector: a, point: Some(_) }, Css { selector: b, point: Some(_) }) if a == b)
}
