//! What is known of screens: which one is meant or shown, what can be done on it, where that leads.

use super::super::messages::{AgentInstruction, AgentResponse, Candidate, ExpectedResult, InstructionContext};
use super::plan::Planned;
use super::{Agent, Answer, Environment, MOST, profile, refused};
use crate::model::{ActionDefinition, ActionId, ContentType, Provenance, ScreenDefinition, ScreenId};
use crate::recognise::THRESHOLD;
use crate::translate::nearest::likeness;
use crate::translate::{Context, shown, translate};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn candidate(id: &impl ToString, name: &str, score: f64) -> Candidate {
    Candidate { id: id.to_string(), name: name.to_owned(), score }
}

impl<'k> Agent<'k> {
    pub(super) fn find_screen(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let (context, target) = (&instruction.context, instruction.target.trim());
        let is_text = context.content_type.is_some_and(|kind| kind != ContentType::WebUi);
        if is_text && !target.is_empty() {
            return self.find_text(target, context);
        }
        let recognition = match target {
            "" => self.recognised(context, environment),
            url if url.contains("://") => {
                Some(self.recogniser.summary(url, context.dom_summary.as_deref().unwrap_or_default()))
            }
            words => Some(self.recogniser.description(words)),
        };
        let Some(recognition) = recognition else {
            let hint = "give a URL or a description as `target`, or `current_url` with `dom_summary`, or a page";
            return Err(refused("there is nothing to find a screen by", hint));
        };
        let found = recognition.screen_id.as_ref().and_then(|id| self.knowledge.screens.get(id));
        let passes = |id: &ScreenId| self.knowledge.screens.get(id).is_some_and(|screen| self.passes(screen, context));
        let nearest = recognition.nearest.iter().filter(|near| passes(&near.screen_id));
        let candidates: Vec<Candidate> =
            nearest.map(|near| candidate(&near.screen_id, &near.screen_name, near.confidence)).collect();
        let Some(screen) = found.filter(|screen| self.passes(screen, context)) else {
            let mut response = AgentResponse::failed(
                recognition.message.clone().unwrap_or_else(|| "no screen matches".to_owned()),
                "see the candidates, or give more of the page in `dom_summary`",
            );
            response.tell("confidence", json!(recognition.confidence));
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
        response.tell("confidence", json!(recognition.confidence));
        response.tell("screen_name", json!(screen.name));
        if let Some(tie) = &recognition.tie {
            response.tell("tie", json!(tie));
        }
        Ok(response)
    }

    /// The section of a text that is called so or says so; nothing leads a browser there.
    fn find_text(&self, target: &str, context: &InstructionContext) -> Answer {
        let scores = self.described.scores(target).into_iter().map(|(at, score)| (score, self.texts[at as usize]));
        let mut ranked: Vec<(f64, &ScreenDefinition)> =
            scores.filter(|(_, screen)| self.passes(screen, context)).collect();
        if let Some(named) = self.knowledge.screens.get(target).filter(|screen| self.passes(screen, context)) {
            ranked.insert(0, (1.0, named));
        }
        // By id among equals: scores come in that order.
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let best = ranked.iter().take(MOST);
        let candidates: Vec<Candidate> =
            best.map(|(score, screen)| candidate(&screen.screen_id, &screen.name, *score)).collect();
        let Some((score, screen)) = ranked.first().copied().filter(|(score, _)| *score > THRESHOLD) else {
            let candidates = if candidates.is_empty() { self.near(target, context) } else { candidates };
            let error = format!("no text of this kind says {:?}", shown(target));
            let hint = "see the candidates, or ask without `content_type`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(candidates)));
        };
        let mut response = AgentResponse { success: true, candidates, ..AgentResponse::default() };
        let screen_id = Some(screen.screen_id.clone());
        response.expected_result = Some(ExpectedResult { screen_id, ..ExpectedResult::default() });
        response.tell("confidence", json!(score));
        response.tell("screen_name", json!(screen.name));
        response.tell("content_type", json!(screen.content_type));
        response.tell("is_actionable", json!(screen.is_actionable));
        response.tell("text", json!(screen.description));
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
            let best = known.iter().take(MOST);
            let candidates = best.map(|(score, action)| candidate(&action.action_id, &action.name, *score)).collect();
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
            let planned = Planned::new(action, Some(screen.screen_id.clone()));
            let context = Context { page, refs: environment.refs, late: true, ..Context::default() };
            let calls = translate(&planned.with_values(&instruction.context.values), profile, &context);
            let mut step = planned.told(order, calls);
            step.expected_screen = self.leads_to(&screen.screen_id, &action.action_id).and_then(|to| self.expected(to));
            unsaid.extend(step.error.iter().map(|error| (action.action_id.to_string(), error.clone())));
            response.actions.extend(step.actions.iter().cloned());
            response.steps.push(step);
        }
        response.expected_screen = self.expected(&screen.screen_id);
        if !unsaid.is_empty() {
            response.tell("not_translated", json!(unsaid));
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
        response.tell("screen", json!(screen));
        response.tell("business_functions", json!(screen.business_functions));
        response.tell("user_flows", json!(screen.user_flows));
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
        response.tell("leads_to", Value::Array(ways(true)));
        response.tell("reached_from", Value::Array(ways(false)));
        let trace = |source: &'k Provenance| match source {
            Provenance::Trace { trace_hash, .. } => Some(trace_hash.as_str()),
            _ => None,
        };
        let traces: BTreeSet<&str> = screen.provenance.iter().filter_map(trace).collect();
        response.tell("seen_in_traces", json!(traces.len()));
        Ok(response)
    }
}
