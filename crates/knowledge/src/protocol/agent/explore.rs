//! What is known of a website, and where to begin.

use super::super::messages::{AgentInstruction, AgentResponse, Candidate};
use super::{Agent, Answer, Environment, MOST, profile};
use crate::extract::urls::same_origin;
use crate::model::{ScreenDefinition, ScreenId, TransitionDefinition, WebsiteId};
use crate::translate::nearest::likeness;
use crate::translate::{Context, shown, translate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Agent<'_> {
    pub(super) fn explore(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let (context, target) = (&instruction.context, instruction.target.trim());
        let is_of = |screen: &&ScreenDefinition| {
            target.is_empty()
                || screen.website_id.as_str() == target
                || screen.example_urls.iter().any(|url| same_origin(url, target))
        };
        let screens: Vec<&ScreenDefinition> =
            self.knowledge.screens.values().filter(|screen| self.passes(screen, context)).filter(is_of).collect();
        if screens.is_empty() {
            let known: BTreeSet<&str> =
                self.knowledge.screens.values().map(|screen| screen.website_id.as_str()).collect();
            let candidate = |id: &str| Candidate { id: id.into(), name: id.into(), score: likeness(target, id) };
            let candidates = known.into_iter().take(MOST).map(candidate).collect();
            let error = format!("no screen of {:?} is known", shown(target));
            let hint = "name one of the known websites, or crawl this one: `browserlens knowledge build --crawl URL`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(candidates)));
        }
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        let ids: BTreeSet<&ScreenId> = screens.iter().map(|screen| &screen.screen_id).collect();
        // Where a recording began: that can be opened.
        let opening = self.knowledge.tasks.values().filter_map(|task| task.steps.first()).find(|step| {
            step.screen_id.is_none() && step.expected_screen_id.as_ref().is_some_and(|screen| ids.contains(screen))
        });
        let action = opening.and_then(|step| self.knowledge.actions.get(step.action_id.as_ref()?));
        let profile = profile(instruction, environment);
        let calls = action.map(|action| translate(action, profile, &Context::default()));
        response.actions = calls.and_then(Result::ok).unwrap_or_default();
        let list: Vec<Value> = screens
            .iter()
            .map(|screen| {
                json!({
                    "screen_id": screen.screen_id,
                    "name": screen.name,
                    "content_type": screen.content_type,
                    "is_actionable": screen.is_actionable,
                    "url_patterns": screen.url_patterns,
                    "actions": self.knowledge.actions_on(&screen.screen_id).count(),
                })
            })
            .collect();
        // A way to or from another website is one of both.
        let is_of = |way: &&TransitionDefinition| ids.contains(&way.from_screen_id) || ids.contains(&way.to_screen_id);
        let ways = self.knowledge.transitions.values().filter(is_of).count();
        let websites: BTreeSet<&WebsiteId> = screens.iter().map(|screen| &screen.website_id).collect();
        let tasks = self.knowledge.tasks.values().filter(|task| !task.websites(self.knowledge).is_disjoint(&websites));
        response.tell("tasks", tasks.map(|task| json!({ "task_id": task.task_id, "name": task.name })).collect());
        response.tell("screens", Value::Array(list));
        response.tell("transitions", json!(ways));
        Ok(response)
    }
}
