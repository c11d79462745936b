//! Steps in order, translated.
//!
//! In: steps before they are translated. Out: an answer with their calls. Invariants: only the
//! first step on the page that is open gets an index; a list with a hole is no success and has no
//! calls.

use super::super::messages::{AgentInstruction, AgentResponse, PlanStep};
use super::{Agent, Environment, profile};
use crate::model::{ActionDefinition, BrowserUseAction, Metadata, ScreenId, TaskStep};
use crate::translate::{Context, Profile, TranslateError, as_done, placeholder, shown, translate};
use browserlens_core::page::Page;
use serde_json::Value;
use std::collections::BTreeMap;

impl Agent<'_> {
    /// Translates a plan.
    pub(super) fn carried_out(
        &self,
        plan: &[Planned<'_>],
        instruction: &AgentInstruction,
        environment: &Environment<'_>,
    ) -> AgentResponse {
        let profile = profile(instruction, environment);
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        let mut failed = Vec::new();
        // The page that is open is that of the first step that has something to do: what it does
        // may draw the page anew, and an index of before is then of nothing.
        let mut is_open = environment.page.is_some();
        for (order, planned) in plan.iter().enumerate() {
            let action = planned.with_values(&instruction.context.values);
            let Environment { page, refs, .. } = *environment;
            let base_url = instruction.context.current_url.as_deref().or(page.map(Page::url));
            let page = page.filter(|_| is_open);
            let context = Context { page, refs, base_url, late: true, ..Context::default() };
            let mut translated = translate(&action, profile, &context);
            if planned.optional && translated.is_err() {
                // It may come to be there, or not be needed.
                translated = Ok(translate(&action, profile, &Context { page: None, ..context }).unwrap_or_default());
            }
            is_open &= planned.expected == planned.screen && planned.screen.is_some();
            is_open &= translated.as_ref().is_ok_and(Vec::is_empty);
            if let Err(error) = &translated {
                failed.push((order, format!("{error}; {}", error.hint())));
            }
            let calls = translated.map(|calls| planned.with_file(calls, profile, &instruction.context.values));
            let mut step = planned.told(order, calls);
            for call in &mut step.actions {
                call.confidence *= planned.metadata.confidence;
                call.screen_id = planned.screen.clone().or(call.screen_id.take());
            }
            step.expected_screen = planned.expected.as_ref().and_then(|id| self.expected(id));
            response.actions.extend(step.actions.iter().cloned());
            response.steps.push(step);
        }
        if let Some((order, error)) = failed.first() {
            response.success = false;
            response.error = Some(format!("step {order} cannot be said in profile {profile}: {error}"));
            response.hint = Some("see `steps`: the others are translated".to_owned());
            // A list with a hole must not be carried out as if it had none.
            response.actions.clear();
        }
        response
    }

    /// Translates one step of an answer anew, for the page on which it is done, once that is there:
    /// its calls name their nodes by index then. No call where there is nothing left to do.
    ///
    /// # Errors
    /// [`TranslateError`], such as a node that is not on the page.
    pub fn anew(
        &self,
        step: &PlanStep,
        instruction: &AgentInstruction,
        environment: &Environment<'_>,
    ) -> Result<Vec<BrowserUseAction>, TranslateError> {
        let known = step.action_id.as_ref().and_then(|id| self.knowledge.actions.get(id));
        let done = step.done.as_ref().map(|done| TaskStep {
            action: done.clone(),
            description: step.description.clone(),
            ..TaskStep::default()
        });
        let planned = Planned {
            step: done.as_ref(),
            optional: step.optional,
            ..Planned::new(known.unwrap_or(&UNKNOWN), step.screen_id.clone())
        };
        let context = Context { page: environment.page, refs: environment.refs, ..Context::default() };
        let (values, profile) = (&instruction.context.values, profile(instruction, environment));
        let calls = translate(&planned.with_values(values), profile, &context)?;
        Ok(planned.with_file(calls, profile, values))
    }
}

/// For steps without an action of the knowledge.
pub(super) static UNKNOWN: std::sync::LazyLock<ActionDefinition> = std::sync::LazyLock::new(ActionDefinition::default);

/// One step before it is translated.
pub(super) struct Planned<'a> {
    pub(super) action: &'a ActionDefinition,
    /// As a task does it, with what was typed then.
    pub(super) step: Option<&'a TaskStep>,
    pub(super) screen: Option<ScreenId>,
    pub(super) expected: Option<ScreenId>,
    pub(super) metadata: Metadata,
    /// Whether it may be passed over where its element is not there.
    pub(super) optional: bool,
}

impl<'a> Planned<'a> {
    /// An action on a screen, as it is known.
    pub(super) fn new(action: &'a ActionDefinition, screen: Option<ScreenId>) -> Self {
        Self { action, step: None, screen, expected: None, metadata: Metadata::default(), optional: false }
    }

    /// An action as a task does it.
    pub(super) fn as_done(action: &'a ActionDefinition, step: &'a TaskStep) -> Self {
        Self {
            step: Some(step),
            expected: step.expected_screen_id.clone(),
            metadata: step.metadata.clone(),
            ..Self::new(action, step.screen_id.clone())
        }
    }

    /// The step of an answer, with its calls or why there are none.
    pub(super) fn told(&self, order: usize, calls: Result<Vec<BrowserUseAction>, TranslateError>) -> PlanStep {
        PlanStep {
            order: order as u32,
            action_id: Some(self.action.action_id.clone()).filter(|id| !id.as_str().is_empty()),
            description: self.description(),
            done: self.step.map(|step| step.action.clone()),
            screen_id: self.screen.clone(),
            confidence: self.metadata.confidence * self.action.metadata.confidence,
            inferred: self.metadata.inferred || self.action.metadata.inferred,
            optional: self.optional,
            shown_ms: self.step.and_then(|step| step.shown_ms),
            error: calls.as_ref().err().map(ToString::to_string),
            actions: calls.unwrap_or_default(),
            ..PlanStep::default()
        }
    }

    fn description(&self) -> String {
        match self.step {
            Some(step) if !step.description.is_empty() => step.description.clone(),
            _ => self.action.name.clone(),
        }
    }

    /// The action with what is typed this time.
    pub(super) fn with_values(&self, values: &BTreeMap<String, String>) -> ActionDefinition {
        let mut action = match self.step {
            Some(step) => as_done(self.action, &step.action),
            None => self.action.clone(),
        };
        if let Some(step) = self.step.filter(|step| !step.description.is_empty()) {
            action.name.clone_from(&step.description);
        }
        if let Some(text) = given(&action, values) {
            let parameter = if action.parameters.contains_key("path") { "path" } else { "text" };
            action.parameters.insert(parameter.to_owned(), Value::String(text.clone()));
        }
        action
    }

    /// What only prepares takes any file: where none is given, the agent makes one of the recorded
    /// name before it hands it over.
    fn with_file(
        &self,
        calls: Vec<BrowserUseAction>,
        profile: Profile,
        values: &BTreeMap<String, String>,
    ) -> Vec<BrowserUseAction> {
        if !self.optional || profile != Profile::BrowserUse013 || given(self.action, values).is_some() {
            return calls;
        }
        let with_file = |mut call: BrowserUseAction| {
            let path = call.parameters.get("path").and_then(Value::as_str).filter(|_| call.tool_name == "upload_file");
            let Some(file) = path.map(placeholder) else { return vec![call] };
            let made = BrowserUseAction {
                tool_name: "write_file".to_owned(),
                parameters: BTreeMap::from([
                    ("file_name".to_owned(), Value::String(file.name.clone())),
                    ("content".to_owned(), Value::String(file.text)),
                ]),
                description: format!("Make a file that stands in for {}", shown(&file.name)),
                ..call.clone()
            };
            call.parameters.insert("path".to_owned(), Value::String(file.name));
            vec![made, call]
        };
        calls.into_iter().flat_map(with_file).collect()
    }
}

/// What is typed or handed over this time, by the id of the action or the name of its node.
fn given<'v>(action: &ActionDefinition, values: &'v BTreeMap<String, String>) -> Option<&'v String> {
    let name = action.target.as_ref().map_or("", |target| target.name.as_str());
    values.get(action.action_id.as_str()).or_else(|| values.get(name).filter(|_| !name.is_empty()))
}
