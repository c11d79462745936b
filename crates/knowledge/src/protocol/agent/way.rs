//! The way to a screen.
//!
//! In: a target. Out: the cheapest path there, with the fields that are filled before a button is
//! pressed. Invariant: only navigable screens are led to.

use super::super::graph::Path;
use super::super::messages::{AgentInstruction, AgentResponse, ExpectedResult, InstructionContext};
use super::plan::Planned;
use super::{Agent, Answer, Environment};
use crate::model::{ActionDefinition, ContentType, Metadata, ScreenId, TaskStep};
use crate::translate::ActionType;
use serde_json::json;
use std::collections::BTreeSet;

impl<'k> Agent<'k> {
    pub(super) fn navigate(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let context = &instruction.context;
        let target = self.meant(instruction.target.trim(), context)?;
        if !target.is_navigable() {
            let (id, kind) = (target.screen_id.as_str(), target.content_type);
            let error = format!("screen {id:?} is of content type {kind}: no browser can be led there");
            let (content_type, actionable_only) = (Some(ContentType::WebUi), Some(true));
            let only = InstructionContext { content_type, actionable_only, ..context.clone() };
            let hint = "choose a screen of type `web_ui` that is actionable";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(&target.name, &only))));
        }
        let from = self.current(context, environment)?;
        let Some(path) = self.graph.path(from.as_ref(), &target.screen_id) else {
            let to = target.screen_id.as_str();
            let error = match &from {
                Some(from) => format!("no known way leads from screen {:?} to {to:?}", from.as_str()),
                None => format!("the current screen is not known, and no recording opens a way to {to:?}"),
            };
            let reachable = from.as_ref().map(|from| self.graph.reachable(from)).unwrap_or_default();
            let mut near = self.near(&target.name, context);
            near.retain(|candidate| reachable.iter().any(|screen| screen.as_str() == candidate.id));
            let hint = "say where you are (`current_url`, `dom_summary` or `current_screen_id`), record a way there, \
                or fill the gap: `browserlens knowledge gaps`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(near)));
        };
        let plan = match self.as_recorded(path.from.as_ref(), &target.screen_id) {
            Some(plan) if !path.steps.is_empty() => plan,
            _ => self.plan(&path),
        };
        let mut response = self.carried_out(&plan, instruction, environment);
        let expected = self.expected(&target.screen_id);
        response.expected_result = Some(ExpectedResult {
            screen_id: Some(target.screen_id.clone()),
            verification: expected.as_ref().map(|screen| screen.verification.clone()),
            ..ExpectedResult::default()
        });
        response.expected_screen = expected;
        response.tell("from_screen_id", json!(from));
        response.tell("confidence", json!(path.confidence));
        if path.steps.is_empty() {
            response.tell("message", json!("the screen is already shown"));
        } else if from.is_some() && path.from.is_none() {
            let message = "the way begins by opening a URL: what the open page holds is given up";
            response.tell("message", json!(message));
        }
        Ok(response)
    }

    /// The shortest stretch of one recording that leads there, from the beginning of a visit to the
    /// first screen, or of the recording. It is taken before any other way: what a page holds
    /// (which document is open, what lies in the cart) is right for the next step only where the
    /// steps before it were done too.
    fn as_recorded(&self, from: Option<&ScreenId>, to: &ScreenId) -> Option<Vec<Planned<'k>>> {
        let mut best: Option<Vec<Planned<'k>>> = None;
        for task in self.knowledge.tasks.values() {
            let steps = task.steps.as_slice();
            let arrivals = (0..steps.len()).filter(|at| {
                steps[*at].expected_screen_id.as_ref() == Some(to) && steps[*at].screen_id.as_ref() != Some(to)
            });
            for end in arrivals {
                let begin = match from {
                    None => 0,
                    Some(from) => {
                        let is_there = |at: &usize| steps[*at].screen_id.as_ref() == Some(from);
                        let Some(last) = (0..=end).rev().find(is_there) else { continue };
                        let stays = |at: &usize| is_there(at) && steps[*at].expected_screen_id.as_ref() == Some(from);
                        last - (0..last).rev().take_while(stays).count()
                    }
                };
                if best.as_ref().is_none_or(|best| end + 1 - begin < best.len()) {
                    best = self.stretch(&steps[begin..=end]).or(best);
                }
            }
        }
        best
    }

    /// Steps as they were recorded, without attempts that were refused and what prepares nothing;
    /// none where one that leads on cannot be carried out.
    fn stretch(&self, steps: &'k [TaskStep]) -> Option<Vec<Planned<'k>>> {
        let mut plan = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let action = step.action_id.as_ref().and_then(|id| self.knowledge.actions.get(id));
            let stays = step.screen_id.is_some() && step.screen_id == step.expected_screen_id;
            let again = steps[at + 1..].iter().any(|later| later.action_id == step.action_id);
            match action {
                Some(_) if stays && (again || !prepares(&step.action.action_type)) => {}
                None if stays => {}
                action => plan.push(Planned { optional: stays, ..Planned::as_done(action?, step) }),
            }
        }
        Some(plan)
    }

    /// The steps of a path, each with what is done before it.
    pub(super) fn plan(&self, path: &Path) -> Vec<Planned<'k>> {
        let mut plan = Vec::new();
        let mut at = path.from.clone();
        for (edge, to) in &path.steps {
            let Some(action) = self.knowledge.actions.get(&edge.action_id) else { continue };
            if let Some(from) = &at {
                for step in self.done_before(from, action, to) {
                    let action = step.action_id.as_ref().and_then(|id| self.knowledge.actions.get(id));
                    plan.extend(action.map(|action| Planned { optional: true, ..Planned::as_done(action, step) }));
                }
            }
            let metadata = Metadata { inferred: edge.inferred, confidence: edge.confidence, ..Metadata::default() };
            plan.push(Planned { expected: Some(to.clone()), metadata, ..Planned::new(action, at) });
            at = Some(to.clone());
        }
        plan
    }

    /// What was done on a screen before an action led away from it, in the recording with the
    /// fewest such steps: fields that a form needs, and menus, filters and groups without which the
    /// element of the action is not on the page.
    pub(super) fn done_before(&self, from: &ScreenId, action: &ActionDefinition, to: &ScreenId) -> Vec<&'k TaskStep> {
        let leads_anywhere = [ActionType::GoBack, ActionType::GoForward, ActionType::Navigate];
        if ActionType::is_one_of(&action.action_type, &leads_anywhere) {
            return Vec::new();
        }
        let mut best: Option<Vec<&TaskStep>> = None;
        for task in self.knowledge.tasks.values() {
            let leaves = |step: &TaskStep| {
                step.action_id.as_ref() == Some(&action.action_id)
                    && step.screen_id.as_ref() == Some(from)
                    && step.expected_screen_id.as_ref() == Some(to)
            };
            for (position, _) in task.steps.iter().enumerate().filter(|(_, step)| leaves(step)) {
                let mut seen = BTreeSet::from([Some(&action.action_id)]);
                let stays = |step: &&TaskStep| {
                    step.screen_id.as_ref() == Some(from) && step.expected_screen_id.as_ref() == Some(from)
                };
                let here = task.steps[..position].iter().rev().take_while(stays);
                // What was filled last counts; what the action itself did before was refused.
                let mut done: Vec<&TaskStep> = here
                    .filter(|step| prepares(&step.action.action_type) && seen.insert(step.action_id.as_ref()))
                    .collect();
                done.reverse();
                if best.as_ref().is_none_or(|best| done.len() < best.len()) {
                    best = Some(done);
                }
            }
        }
        best.unwrap_or_default()
    }
}

/// Returns whether an action changes what a page shows, holds or sends, so that a later one may not
/// be possible without it. What is only looked at, and what leads elsewhere, prepares nothing.
fn prepares(action_type: &str) -> bool {
    use ActionType::*;
    let kinds = [
        Input, Type, TypeSlowly, Clear, FillForm, SubmitForm, SelectDropdown, Check, Uncheck, Toggle, UploadFile,
        SendKeys, Click, DoubleClick, RightClick, Hover, DragDrop, Scroll, WaitFor,
    ];
    ActionType::is_one_of(action_type, &kinds)
}
