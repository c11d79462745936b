//! What is known of screens: which one is meant or shown, what can be done on it, where that leads.

use super::super::messages::{
    AgentInstruction, AgentResponse, Candidate, ExpectedResult, InstructionContext, PlanStep,
};
use super::plan::Planned;
use super::{Agent, Answer, Environment, MOST, profile, refused};
use crate::model::{ActionDefinition, ActionId, ContentType, Metadata, Provenance, ScreenDefinition, ScreenId};
use crate::recognise::THRESHOLD;
use crate::translate::nearest::likeness;
use crate::translate::{Context, shown, translate};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl<'k> Agent<'k> {
    pub(super) fn find_screen(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let (context, target) = (&instruction.context, instruction.target.trim());
        let is_text = context.content_type.is_some_and(|kind| kind != ContentType::WebUi);
        if is_text && !target.is_empty() {
            return self.find_text(target, context);
        }
        let by_target = if target.is_empty() {
            None
        } else if target.contains("://") {
            Some(self.recogniser.summary(target, context.dom_summary.as_deref().unwrap_or_default()))
        } else {
            Some(self.recogniser.description(target))
        };
        let Some(recognition) = by_target.or_else(|| self.recognised(context, environment)) else {
            let hint = "give a URL or a description as `target`, or `current_url` with `dom_summary`, or a page";
            return Err(refused("there is nothing to find a screen by", hint));
        };
        let found = recognition.screen_id.as_ref().and_then(|id| self.knowledge.screens.get(id));
        let candidates: Vec<Candidate> = recognition
            .nearest
            .iter()
            .filter(|near| {
                self.knowledge.screens.get(&near.screen_id).is_some_and(|screen| self.passes(screen, context))
            })
            .map(|near| Candidate {
                id: near.screen_id.to_string(),
                name: near.screen_name.clone(),
                score: near.confidence,
            })
            .collect();
        let Some(screen) = found.filter(|screen| self.passes(screen, context)) else {
            let mut response = AgentResponse::failed(
                recognition.message.clone().unwrap_or_else(|| "no screen matches".to_owned()),
                "see the candidates, or give more of the page in `dom_summary`",
            );
            response.metadata.insert("confidence".to_owned(), json!(recognition.confidence));
            let candidates = if candidates.is_empty() { self.near(target, context) } else { candidates };
            return Err(Box::new(response.with_candidates(candidates)));
        };
        let mut response = AgentResponse { success: true, candidates, ..AgentResponse::default() };
        response.expected_screen = self.expected(&screen.screen_id);
        response.expected_result = Some(ExpectedResult {
            screen_id: Some(screen.screen_id.clone()),
            matched_indicators: recognition.matched_indicators.clone(),
            ..ExpectedResult::default()
        });
        response.actions = recognition.available_actions.clone();
        response.metadata.insert("confidence".to_owned(), json!(recognition.confidence));
        response.metadata.insert("screen_name".to_owned(), json!(screen.name));
        if let Some(tie) = &recognition.tie {
            response.metadata.insert("tie".to_owned(), json!(tie));
        }
        Ok(response)
    }

    /// The section of a text that is called so or says so; nothing leads a browser there.
    fn find_text(&self, target: &str, context: &InstructionContext) -> Answer {
        let mut ranked: Vec<(f64, &ScreenDefinition)> = self
            .described
            .scores(target)
            .into_iter()
            .map(|(at, score)| (score, self.texts[at as usize]))
            .filter(|(_, screen)| self.passes(screen, context))
            .collect();
        if let Some(named) = self.knowledge.screens.get(target).filter(|screen| self.passes(screen, context)) {
            ranked.insert(0, (1.0, named));
        }
        // By id among equals: scores come in that order.
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let candidates = ranked.iter().take(MOST).map(|(score, screen)| Candidate {
            id: screen.screen_id.to_string(),
            name: screen.name.clone(),
            score: *score,
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let Some((score, screen)) = ranked.first().copied().filter(|(score, _)| *score > THRESHOLD) else {
            let candidates = if candidates.is_empty() { self.near(target, context) } else { candidates };
            let error = format!("no text of this kind says {:?}", shown(target));
            let hint = "see the candidates, or ask without `content_type`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(candidates)));
        };
        let mut response = AgentResponse { success: true, candidates, ..AgentResponse::default() };
        let screen_id = Some(screen.screen_id.clone());
        response.expected_result = Some(ExpectedResult { screen_id, ..ExpectedResult::default() });
        for (key, value) in [
            ("confidence", json!(score)),
            ("screen_name", json!(screen.name)),
            ("content_type", json!(screen.content_type)),
            ("is_actionable", json!(screen.is_actionable)),
            ("text", json!(screen.description)),
        ] {
            response.metadata.insert(key.to_owned(), value);
        }
        Ok(response)
    }

    /// The screen of the target, or the one that is shown.
    pub(super) fn here(
        &self,
        target: &str,
        context: &InstructionContext,
        environment: &Environment<'_>,
    ) -> Result<&'k ScreenDefinition, Box<AgentResponse>> {
        if !target.is_empty() {
            return self.meant(target, context);
        }
        match self.current(context, environment)? {
            Some(id) => {
                self.knowledge.screens.get(&id).ok_or_else(|| refused("the screen is not known", "use `find_screen`"))
            }
            None => {
                let hint = "give the screen as `target`, or `current_screen_id`, or `current_url` with `dom_summary`";
                Err(refused("the current screen is neither given nor recognised", hint))
            }
        }
    }

    /// What can be done on a screen; `wanted` keeps what is called like it.
    pub(super) fn actions(
        &self,
        instruction: &AgentInstruction,
        environment: &Environment<'_>,
        wanted: &str,
    ) -> Answer {
        let context = &instruction.context;
        let target = if wanted.is_empty() { instruction.target.trim() } else { "" };
        let screen = self.here(target, context, environment)?;
        let current = self.current(context, environment)?;
        let is_open = environment.page.is_some() && (current.is_none() || current.as_ref() == Some(&screen.screen_id));
        let page = environment.page.filter(|_| is_open);
        let mut known: Vec<(f64, &ActionDefinition)> = self
            .knowledge
            .actions_on(&screen.screen_id)
            .map(|action| {
                let target = action.target.as_ref();
                let names = [action.name.as_str(), target.map_or("", |t| &t.name), target.map_or("", |t| &t.text)];
                let score = names.into_iter().map(|name| likeness(wanted, name)).fold(0.0, f64::max);
                (if wanted.is_empty() { 1.0 } else { score }, action)
            })
            .collect();
        known.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then(b.1.count.cmp(&a.1.count)).then(a.1.action_id.cmp(&b.1.action_id))
        });
        if !wanted.is_empty() {
            let candidates = known.iter().take(MOST).map(|(score, action)| Candidate {
                id: action.action_id.to_string(),
                name: action.name.clone(),
                score: *score,
            });
            let candidates: Vec<Candidate> = candidates.collect();
            known.retain(|(score, _)| *score >= 0.5);
            if known.is_empty() {
                let error =
                    format!("no known action of screen {:?} is on {:?}", screen.screen_id.as_str(), shown(wanted));
                let hint = "see the candidates, or ask for all with `get_actions`";
                return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(candidates)));
            }
        }
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        let profile = profile(instruction, environment);
        let mut unsaid = BTreeMap::new();
        for (order, (_, action)) in known.into_iter().enumerate() {
            let planned = Planned {
                action,
                step: None,
                screen: Some(screen.screen_id.clone()),
                expected: None,
                metadata: Metadata::default(),
                optional: false,
            };
            let (refs, tabs) = (environment.refs, environment.tabs);
            let context = Context { page, refs, tabs, late: true, ..Context::default() };
            let (actions, error) = match translate(&planned.with_values(&instruction.context.values), profile, &context)
            {
                Ok(actions) => (actions, None),
                Err(error) => {
                    unsaid.insert(action.action_id.to_string(), error.to_string());
                    (Vec::new(), Some(error.to_string()))
                }
            };
            response.actions.extend(actions.iter().cloned());
            response.steps.push(PlanStep {
                order: order as u32,
                calls: None,
                action_id: Some(action.action_id.clone()),
                description: planned.description(),
                done: None,
                screen_id: planned.screen.clone(),
                actions,
                expected_screen: self.leads_to(&screen.screen_id, &action.action_id).and_then(|to| self.expected(to)),
                confidence: action.metadata.confidence,
                inferred: action.metadata.inferred,
                optional: false,
                shown_ms: None,
                error,
            });
        }
        response.expected_screen = self.expected(&screen.screen_id);
        if !unsaid.is_empty() {
            response.metadata.insert("not_translated".to_owned(), json!(unsaid));
        }
        Ok(response)
    }

    /// Where an action most surely leads from a screen.
    pub(super) fn leads_to(&self, from: &ScreenId, action: &ActionId) -> Option<&'k ScreenId> {
        let ways = self.knowledge.transitions.values();
        let ways = ways.filter(|way| way.from_screen_id == *from && way.action_id.as_ref() == Some(action));
        ways.max_by(|a, b| {
            a.metadata.confidence.total_cmp(&b.metadata.confidence).then(b.to_screen_id.cmp(&a.to_screen_id))
        })
        .map(|way| &way.to_screen_id)
    }

    pub(super) fn screen_context(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let screen = self.here(instruction.target.trim(), &instruction.context, environment)?;
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        response.actions = screen.available_browser_use_actions.clone();
        response.expected_screen = self.expected(&screen.screen_id);
        let tell = |value: &ScreenDefinition| serde_json::to_value(value).unwrap_or(Value::Null);
        response.metadata.insert("screen".to_owned(), tell(screen));
        response.metadata.insert("business_functions".to_owned(), json!(screen.business_functions));
        response.metadata.insert("user_flows".to_owned(), json!(screen.user_flows));
        let ways = |is_out: bool| -> Vec<Value> {
            let ways = self.knowledge.transitions.values().filter(|way| {
                if is_out { way.from_screen_id == screen.screen_id } else { way.to_screen_id == screen.screen_id }
            });
            let told = ways.map(|way| {
                json!({
                    "screen_id": if is_out { &way.to_screen_id } else { &way.from_screen_id },
                    "action_id": way.action_id,
                    "confidence": way.metadata.confidence,
                    "inferred": way.metadata.inferred,
                })
            });
            told.collect()
        };
        response.metadata.insert("leads_to".to_owned(), Value::Array(ways(true)));
        response.metadata.insert("reached_from".to_owned(), Value::Array(ways(false)));
        let traces: BTreeSet<&str> = screen
            .provenance
            .iter()
            .filter_map(|source| match source {
                Provenance::Trace { trace_hash, .. } => Some(trace_hash.as_str()),
                _ => None,
            })
            .collect();
        response.metadata.insert("seen_in_traces".to_owned(), json!(traces.len()));
        Ok(response)
    }
}
