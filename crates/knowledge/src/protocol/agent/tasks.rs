//! The steps of a task.

use super::super::messages::{AgentInstruction, AgentResponse, ExpectedResult};
use super::plan::{Planned, UNKNOWN};
use super::which::most_alike;
use super::{Agent, Answer, Environment};
use crate::model::{TaskDefinition, TaskStep};
use crate::translate::shown;

impl<'k> Agent<'k> {
    pub(super) fn execute(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let target = instruction.target.trim();
        let task = self.task(target)?;
        let known = |step: &TaskStep| self.knowledge.actions.get(step.action_id.as_ref()?);
        let planned = |step| Planned::as_done(known(step).unwrap_or(&UNKNOWN), step);
        let plan: Vec<Planned<'_>> = task.steps.iter().map(planned).collect();
        let mut response = self.carried_out(&plan, instruction, environment);
        if plan.is_empty() {
            response.success = false;
            response.error = Some(format!("task {:?} has no steps", task.task_id.as_str()));
            response.hint = Some("record the task again, or fill its gaps: `browserlens knowledge gaps`".to_owned());
        }
        response.expected_result = Some(ExpectedResult {
            screen_id: task.success_criteria.screen_id.clone(),
            task_id: Some(task.task_id.clone()),
            success_criteria: Some(task.success_criteria.clone()),
            ..ExpectedResult::default()
        });
        response.expected_screen = task.success_criteria.screen_id.as_ref().and_then(|id| self.expected(id));
        Ok(response)
    }

    pub(super) fn task(&self, target: &str) -> Result<&'k TaskDefinition, Box<AgentResponse>> {
        if let Some(task) = self.knowledge.tasks.get(target) {
            return Ok(task);
        }
        // By its name, or by the goal that it was recorded for.
        let is_called = |said: &str| !target.is_empty() && said.trim().eq_ignore_ascii_case(target);
        let mut named =
            self.knowledge.tasks.values().filter(|task| is_called(&task.name) || is_called(&task.description));
        if let (Some(task), None) = (named.next(), named.next()) {
            return Ok(task);
        }
        let known = self.knowledge.tasks.values();
        let near = most_alike(target, known.map(|it| [it.task_id.as_str(), it.name.as_str(), it.description.as_str()]));
        let error = format!("task {:?} is not known", shown(target));
        let hint = match near.is_empty() {
            true => "no task is known: describe it, or build knowledge from recordings of it",
            false => "use the id of one of the candidates",
        };
        Err(Box::new(AgentResponse::failed(error, hint).with_candidates(near)))
    }
}
