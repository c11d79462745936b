//! The way to a screen.
//!
//! In: a target. Out: the cheapest path there, with the fields that are filled before a button is pressed. Invariant: only navigable screens are led to.

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
            let error = format!(
                "screen {:?} is of content type {}: no browser can be led there",
                target.screen_id.as_str(),
                target.content_type
            );
            let only = InstructionContext {
                content_type: Some(ContentType::WebUi),
                actionable_only: Some(true),
                ..context.clone()
            };
            let hint = "choose a screen of type `web_ui` that is actionable";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(&target.name, &only))));
        }
        let from = self.current(context, environment)?;
        let Some(path) = self.graph.path(from.as_ref(), &target.screen_id) else {
            let error = match &from {
                Some(from) => {
                    format!("no known way leads from screen {:?} to {:?}", from.as_str(), target.screen_id.as_str())
                }
                None => format!(
                    "the current screen is not known, and no recording opens a way to {:?}",
                    target.screen_id.as_str()
                ),
            };
            let reachable = from.as_ref().map(|from| self.graph.reachable(from)).unwrap_or_default();
            let mut near = self.near(&target.name, context);
            near.retain(|candidate| reachable.iter().any(|screen| screen.as_str() == candidate.id));
            let hint = "say where you are (`current_url`, `dom_summary` or `current_screen_id`), record a way there, or fill the gap: `browserlens knowledge gaps`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(near)));
        };
        let plan = self.plan(&path);
        let mut response = self.carried_out(&plan, instruction, environment);
        let expected = self.expected(&target.screen_id);
        response.expected_result = Some(ExpectedResult {
            screen_id: Some(target.screen_id.clone()),
            verification: expected.as_ref().map(|screen| screen.verification.clone()),
            ..ExpectedResult::default()
        });
        response.expected_screen = expected;
        response.metadata.insert("from_screen_id".to_owned(), json!(from));
        response.metadata.insert("confidence".to_owned(), json!(path.confidence));
        if path.steps.is_empty() {
            response.metadata.insert("message".to_owned(), json!("the screen is already shown"));
        } else if from.is_some() && path.from.is_none() {
            let message = "the way begins by opening a URL: what the open page holds is given up";
            response.metadata.insert("message".to_owned(), json!(message));
        }
        Ok(response)
    }

    /// The steps of a path, each with the fields that are filled before it.
    pub(super) fn plan(&self, path: &Path) -> Vec<Planned<'k>> {
        let mut plan = Vec::new();
        let mut at = path.from.clone();
        for (edge, to) in &path.steps {
            let Some(action) = self.knowledge.actions.get(&edge.action_id) else { continue };
            if let Some(from) = &at {
                for step in self.fields_before(from, action, to) {
                    let action = step.action_id.as_ref().and_then(|id| self.knowledge.actions.get(id));
                    plan.extend(action.map(|action| Planned {
                        action,
                        step: Some(step),
                        screen: at.clone(),
                        expected: Some(from.clone()),
                        metadata: step.metadata.clone(),
                    }));
                }
            }
            let metadata = Metadata { inferred: edge.inferred, confidence: edge.confidence, ..Metadata::default() };
            plan.push(Planned { action, step: None, screen: at.clone(), expected: Some(to.clone()), metadata });
            at = Some(to.clone());
        }
        plan
    }

    /// What was filled in on a screen before an action led away from it, in the recording with the fewest such steps.
    pub(super) fn fields_before(&self, from: &ScreenId, action: &ActionDefinition, to: &ScreenId) -> Vec<&'k TaskStep> {
        // A link, a tab, an entry of a menu leads on whatever the fields hold.
        let is_button = action.target.as_ref().is_some_and(|target| target.role == "button");
        let sends = match ActionType::parse(&action.action_type) {
            Ok(ActionType::Click) => is_button,
            kind => matches!(kind, Ok(ActionType::SendKeys | ActionType::SubmitForm)),
        };
        if !sends {
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
                let mut seen = BTreeSet::new();
                let mut fields: Vec<&TaskStep> = task.steps[..position]
                    .iter()
                    .rev()
                    .take_while(|step| {
                        step.screen_id.as_ref() == Some(from) && step.expected_screen_id.as_ref() == Some(from)
                    })
                    .filter(|step| sets_a_field(&step.action.action_type))
                    // What was filled last counts.
                    .filter(|step| seen.insert(step.action_id.as_ref()))
                    .collect();
                fields.reverse();
                if best.as_ref().is_none_or(|best| fields.len() < best.len()) {
                    best = Some(fields);
                }
            }
        }
        best.unwrap_or_default()
    }
}

fn sets_a_field(action_type: &str) -> bool {
    use ActionType as A;
    matches!(
        ActionType::parse(action_type),
        Ok(A::Input | A::Type | A::TypeSlowly | A::Clear | A::SelectDropdown | A::Check | A::Uncheck | A::Toggle)
    )
}
