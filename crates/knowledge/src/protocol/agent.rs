//! Answers instructions out of a body of knowledge.
//!
//! In: a [`Knowledge`], an [`AgentInstruction`], an [`Environment`]. Out: an [`AgentResponse`], always: what is wrong is said in it. Invariants: only the first step
//! that is still to be done is translated for the page that is open; later ones name their nodes by scripts that look for them, since
//! an index of a page that is not open yet does not exist.
//!
//! A way that leaves a form by its button takes its fields along: what was filled, chosen and checked on that screen before the same action in the
//! recording. A way uploads nothing: a script cannot, and a task should say so.

use super::graph::{NavigationGraph, Path};
use super::messages::{
    AgentInstruction, AgentResponse, Candidate, ExpectedResult, ExpectedScreen, InstructionContext, InstructionType,
    PlanStep, Verification,
};
use crate::error::KnowledgeError;
use crate::model::{
    ActionDefinition, ActionId, ContentType, IndicatorKind, Knowledge, Metadata, Provenance, ScreenDefinition,
    ScreenId, TaskDefinition, TaskStep,
};
use crate::recognise::{Recogniser, Recognition};
use crate::translate::nearest::likeness;
use crate::translate::{ActionType, Context, Profile, as_done, shown, translate};
use browserlens_page::Page;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Most candidates of an answer.
const MOST: usize = 5;
/// Most texts by which a screen is to be checked.
const MOST_TEXTS: usize = 8;

/// What the agent has in front of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment<'a> {
    /// The page that is open.
    pub page: Option<&'a Page>,
    /// Ids of the open tabs.
    pub tabs: &'a [String],
    /// Which tools it has, where the instruction does not say.
    pub profile: Profile,
}

/// Answers instructions.
#[derive(Debug)]
pub struct Agent<'k> {
    knowledge: &'k Knowledge,
    graph: NavigationGraph,
    recogniser: Recogniser<'k>,
}

/// An answer, or why there is none.
type Answer = Result<AgentResponse, Box<AgentResponse>>;

fn refused(error: impl Into<String>, hint: &str) -> Box<AgentResponse> {
    Box::new(AgentResponse::failed(error, hint))
}

impl<'k> Agent<'k> {
    /// Makes an agent's partner of a body of knowledge.
    ///
    /// # Errors
    /// [`KnowledgeError`] if a screen cannot be recognised: it has no signature, or a pattern that is none.
    pub fn new(knowledge: &'k Knowledge) -> Result<Self, KnowledgeError> {
        Ok(Self { knowledge, graph: NavigationGraph::new(knowledge), recogniser: Recogniser::new(knowledge)? })
    }

    /// Returns the graph that ways are looked for in.
    pub fn graph(&self) -> &NavigationGraph {
        &self.graph
    }

    /// Answers an instruction.
    pub fn answer(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> AgentResponse {
        let answer = self.checked(instruction).and_then(|()| self.answered(instruction, environment));
        let mut response = answer.unwrap_or_else(|refused| *refused);
        response.metadata.insert("instruction_type".to_owned(), json!(instruction.instruction_type.name()));
        response.metadata.insert("profile".to_owned(), json!(profile(instruction, environment).name()));
        response
    }

    /// Answers an instruction as JSON.
    pub fn answer_json(&self, instruction: &str, environment: &Environment<'_>) -> AgentResponse {
        let mut reader = serde_json::Deserializer::from_str(instruction);
        match serde_path_to_error::deserialize::<_, AgentInstruction>(&mut reader) {
            Ok(instruction) => self.answer(&instruction, environment),
            Err(error) => {
                let types = InstructionType::ALL.map(InstructionType::name).join(", ");
                let error = format!("no instruction: at {}: {}", error.path(), shown(&error.inner().to_string()));
                AgentResponse::failed(
                    error,
                    &format!("give {{instruction_type, target, knowledge_id, context}}; types are {types}"),
                )
            }
        }
    }

    fn checked(&self, instruction: &AgentInstruction) -> Result<(), Box<AgentResponse>> {
        let (asked, own) = (&instruction.knowledge_id, &self.knowledge.knowledge_id);
        if !asked.as_str().is_empty() && asked != own {
            let error =
                format!("knowledge {:?} is not the one that is asked ({:?})", shown(asked.as_str()), own.as_str());
            return Err(refused(error, "leave `knowledge_id` out, or open the knowledge of that id"));
        }
        if self.knowledge.is_empty() {
            return Err(refused("nothing is known yet", "build knowledge first: `browserlens knowledge build`"));
        }
        Ok(())
    }

    fn answered(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let target = instruction.target.trim();
        match instruction.instruction_type {
            InstructionType::NavigateToScreen => self.navigate(instruction, environment),
            InstructionType::ExecuteTask => self.execute(instruction, environment),
            InstructionType::FindScreen => self.find_screen(instruction, environment),
            InstructionType::GetActions => self.actions(instruction, environment, ""),
            InstructionType::FindElement if target.is_empty() => {
                Err(refused("`target` is empty", "say in words which element is looked for"))
            }
            InstructionType::FindElement => self.actions(instruction, environment, target),
            InstructionType::GetScreenContext => self.screen_context(instruction, environment),
            InstructionType::ExploreWebsite => self.explore(instruction, environment),
            InstructionType::AgentQuery => {
                let meant = instruction.context.query_type.unwrap_or(InstructionType::FindScreen);
                if meant == InstructionType::AgentQuery {
                    return Err(refused(
                        "an `agent_query` of type `agent_query` means nothing",
                        "say what is wanted in `context.query_type`",
                    ));
                }
                self.answered(&AgentInstruction { instruction_type: meant, ..instruction.clone() }, environment)
            }
        }
    }

    // Which screen.

    fn passes(&self, screen: &ScreenDefinition, context: &InstructionContext) -> bool {
        context.content_type.is_none_or(|kind| screen.content_type == kind)
            && (!context.actionable_only.unwrap_or(false) || screen.is_actionable)
            && context.website_id.as_ref().is_none_or(|website| screen.website_id == *website)
    }

    /// The screens that are nearest to a text.
    fn near(&self, text: &str, context: &InstructionContext) -> Vec<Candidate> {
        let mut scored: Vec<Candidate> = self
            .knowledge
            .screens
            .values()
            .filter(|screen| self.passes(screen, context))
            .map(|screen| {
                let score = [screen.screen_id.as_str(), &screen.name, &screen.description]
                    .into_iter()
                    .chain(screen.example_urls.iter().map(String::as_str))
                    .map(|known| likeness(text, known))
                    .fold(0.0, f64::max);
                Candidate { id: screen.screen_id.to_string(), name: screen.name.clone(), score }
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scored.truncate(MOST);
        scored
    }

    fn recognised(&self, context: &InstructionContext, environment: &Environment<'_>) -> Option<Recognition> {
        match (environment.page, &context.current_url) {
            (Some(page), _) => Some(self.recogniser.page(page)),
            (None, Some(url)) => Some(self.recogniser.summary(url, context.dom_summary.as_deref().unwrap_or_default())),
            (None, None) => None,
        }
    }

    /// The screen that is shown, as far as it is known.
    fn current(
        &self,
        context: &InstructionContext,
        environment: &Environment<'_>,
    ) -> Result<Option<ScreenId>, Box<AgentResponse>> {
        if let Some(id) = &context.current_screen_id {
            if self.knowledge.screens.contains_key(id) {
                return Ok(Some(id.clone()));
            }
            let error = format!("screen {:?}, said to be the current one, is not known", shown(id.as_str()));
            let hint =
                "leave `current_screen_id` out and give `current_url` and `dom_summary`: the screen is recognised then";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(id.as_str(), context))));
        }
        Ok(self.recognised(context, environment).and_then(|recognition| recognition.screen_id))
    }

    /// The screen that a target means: by id, by URL, or by a description that means one.
    fn meant(&self, target: &str, context: &InstructionContext) -> Result<&'k ScreenDefinition, Box<AgentResponse>> {
        if target.is_empty() {
            let error = "`target` is empty".to_owned();
            return Err(refused(error, "give the id of a screen, a URL, or a description"));
        }
        if let Some(screen) = self.knowledge.screens.get(target) {
            return Ok(screen);
        }
        let by_url = || {
            self.knowledge.screens.values().find(|screen| screen.example_urls.iter().any(|url| url == target)).or_else(
                || {
                    let recognition = self.recogniser.summary(target, "");
                    let best = recognition.nearest.first().filter(|_| target.contains("://"))?;
                    let is_alone = recognition.nearest.get(1).is_none_or(|next| next.confidence < best.confidence);
                    // A URL alone is 40 % of a screen: enough to mean it where no other screen has as much.
                    (is_alone && best.confidence > 0.39).then(|| self.knowledge.screens.get(&best.screen_id)).flatten()
                },
            )
        };
        let by_name = || {
            let mut named = self
                .knowledge
                .screens
                .values()
                .filter(|screen| screen.name.eq_ignore_ascii_case(target) && self.passes(screen, context));
            named.next().filter(|_| named.next().is_none())
        };
        let by_words = || {
            let found = self.recogniser.description(target);
            found.screen_id.and_then(|id| self.knowledge.screens.get(&id))
        };
        by_url().or_else(by_name).or_else(by_words).ok_or_else(|| {
            let error = format!("screen {:?} is not known", shown(target));
            let hint = "use the id of one of the candidates, or look for the screen with `find_screen`";
            Box::new(AgentResponse::failed(error, hint).with_candidates(self.near(target, context)))
        })
    }

    fn expected(&self, id: &ScreenId) -> Option<ExpectedScreen> {
        let screen = self.knowledge.screens.get(id)?;
        let mut verification =
            Verification { url_matches: screen.url_patterns.first().cloned(), ..Verification::default() };
        for indicator in &screen.state_signature.required_indicators {
            if let (IndicatorKind::DomContains, Some(value)) = (indicator.kind, &indicator.value)
                && verification.dom_contains.len() < MOST_TEXTS
            {
                verification.dom_contains.push(value.clone());
            }
        }
        Some(ExpectedScreen {
            screen_id: screen.screen_id.clone(),
            name: screen.name.clone(),
            url_patterns: screen.url_patterns.clone(),
            verification,
        })
    }

    // The way to a screen.

    fn navigate(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
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
    fn plan(&self, path: &Path) -> Vec<Planned<'k>> {
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
    fn fields_before(&self, from: &ScreenId, action: &ActionDefinition, to: &ScreenId) -> Vec<&'k TaskStep> {
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

    /// Translates a plan.
    fn carried_out(
        &self,
        plan: &[Planned<'_>],
        instruction: &AgentInstruction,
        environment: &Environment<'_>,
    ) -> AgentResponse {
        let profile = profile(instruction, environment);
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        let mut failed = Vec::new();
        // The page that is open is that of the steps up to the first one that leads elsewhere.
        let mut is_open = environment.page.is_some();
        for (order, planned) in plan.iter().enumerate() {
            let action = planned.with_values(&instruction.context.values);
            let page = if is_open { environment.page } else { None };
            let base_url = instruction.context.current_url.as_deref().or(environment.page.map(Page::url));
            let context = Context { page, base_url, tabs: environment.tabs, late: true, ..Context::default() };
            let translated = translate(&action, profile, &context);
            is_open &= planned.expected == planned.screen && planned.screen.is_some();
            let (actions, error) = match translated {
                Ok(actions) => (actions, None),
                Err(error) => {
                    failed.push((order, format!("{error}; {}", error.hint())));
                    (Vec::new(), Some(error.to_string()))
                }
            };
            let actions: Vec<_> = actions
                .into_iter()
                .map(|mut call| {
                    call.confidence *= planned.metadata.confidence;
                    call.screen_id = planned.screen.clone().or(call.screen_id);
                    call
                })
                .collect();
            response.actions.extend(actions.iter().cloned());
            let expects = planned.expected.as_ref().and_then(|id| self.expected(id));
            response.steps.push(PlanStep {
                order: order as u32,
                action_id: Some(planned.action.action_id.clone()).filter(|id| !id.as_str().is_empty()),
                description: planned.description(),
                screen_id: planned.screen.clone(),
                actions,
                expected_screen: expects,
                confidence: planned.metadata.confidence * planned.action.metadata.confidence,
                inferred: planned.metadata.inferred || planned.action.metadata.inferred,
                error,
            });
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

    // Tasks.

    fn execute(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let target = instruction.target.trim();
        let task = self.task(target)?;
        let plan: Vec<Planned<'_>> = task.steps.iter().map(|step| self.planned(step)).collect();
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

    fn task(&self, target: &str) -> Result<&'k TaskDefinition, Box<AgentResponse>> {
        if let Some(task) = self.knowledge.tasks.get(target) {
            return Ok(task);
        }
        let mut named = self.knowledge.tasks.values().filter(|task| !target.is_empty() && task.name == target);
        if let (Some(task), None) = (named.next(), named.next()) {
            return Ok(task);
        }
        let mut scored: Vec<Candidate> = self
            .knowledge
            .tasks
            .values()
            .map(|task| {
                let words = [task.task_id.as_str(), &task.name, &task.description];
                let score = words.into_iter().map(|known| likeness(target, known)).fold(0.0, f64::max);
                Candidate { id: task.task_id.to_string(), name: task.name.clone(), score }
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        scored.truncate(MOST);
        let error = format!("task {:?} is not known", shown(target));
        let hint = "use the id of one of the candidates";
        Err(Box::new(AgentResponse::failed(error, hint).with_candidates(scored)))
    }

    fn planned(&self, step: &'k TaskStep) -> Planned<'k> {
        let action = step.action_id.as_ref().and_then(|id| self.knowledge.actions.get(id)).unwrap_or(&UNKNOWN);
        Planned {
            action,
            step: Some(step),
            screen: step.screen_id.clone(),
            expected: step.expected_screen_id.clone(),
            metadata: step.metadata.clone(),
        }
    }

    // What is known.

    fn find_screen(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let (context, target) = (&instruction.context, instruction.target.trim());
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

    /// The screen of the target, or the one that is shown.
    fn here(
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
    fn actions(&self, instruction: &AgentInstruction, environment: &Environment<'_>, wanted: &str) -> Answer {
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
            };
            let context = Context { page, tabs: environment.tabs, late: true, ..Context::default() };
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
                action_id: Some(action.action_id.clone()),
                description: planned.description(),
                screen_id: planned.screen.clone(),
                actions,
                expected_screen: self.leads_to(&screen.screen_id, &action.action_id).and_then(|to| self.expected(to)),
                confidence: action.metadata.confidence,
                inferred: action.metadata.inferred,
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
    fn leads_to(&self, from: &ScreenId, action: &ActionId) -> Option<&'k ScreenId> {
        let ways = self.knowledge.transitions.values();
        let ways = ways.filter(|way| way.from_screen_id == *from && way.action_id.as_ref() == Some(action));
        ways.max_by(|a, b| {
            a.metadata.confidence.total_cmp(&b.metadata.confidence).then(b.to_screen_id.cmp(&a.to_screen_id))
        })
        .map(|way| &way.to_screen_id)
    }

    fn screen_context(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
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

    fn explore(&self, instruction: &AgentInstruction, environment: &Environment<'_>) -> Answer {
        let (context, target) = (&instruction.context, instruction.target.trim());
        let is_of = |screen: &&ScreenDefinition| {
            target.is_empty()
                || screen.website_id.as_str() == target
                || screen.example_urls.iter().any(|url| same_host(url, target))
        };
        let screens: Vec<&ScreenDefinition> =
            self.knowledge.screens.values().filter(|screen| self.passes(screen, context)).filter(is_of).collect();
        if screens.is_empty() {
            let known: BTreeSet<&str> =
                self.knowledge.screens.values().map(|screen| screen.website_id.as_str()).collect();
            let candidates = known.into_iter().map(|id| Candidate {
                id: id.to_owned(),
                name: id.to_owned(),
                score: likeness(target, id),
            });
            let error = format!("no screen of {:?} is known", shown(target));
            let hint = "name one of the known websites, or crawl this one: `browserlens knowledge build --crawl URL`";
            return Err(Box::new(AgentResponse::failed(error, hint).with_candidates(candidates.take(MOST).collect())));
        }
        let mut response = AgentResponse { success: true, ..AgentResponse::default() };
        let ids: BTreeSet<&ScreenId> = screens.iter().map(|screen| &screen.screen_id).collect();
        // Where a recording began: that can be opened.
        let opening = self.knowledge.tasks.values().filter_map(|task| task.steps.first()).find(|step| {
            step.screen_id.is_none() && step.expected_screen_id.as_ref().is_some_and(|screen| ids.contains(screen))
        });
        if let Some(action) =
            opening.and_then(|step| step.action_id.as_ref()).and_then(|id| self.knowledge.actions.get(id))
        {
            let context = Context { tabs: environment.tabs, ..Context::default() };
            if let Ok(actions) = translate(action, profile(instruction, environment), &context) {
                response.actions = actions;
            }
        }
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
        let ways = self.knowledge.transitions.values().filter(|way| ids.contains(&way.from_screen_id)).count();
        let tasks =
            self.knowledge.tasks.values().filter(|task| screens.iter().any(|s| s.website_id == task.website_id));
        response.metadata.insert(
            "tasks".to_owned(),
            tasks.map(|task| json!({ "task_id": task.task_id, "name": task.name })).collect(),
        );
        response.metadata.insert("screens".to_owned(), Value::Array(list));
        response.metadata.insert("transitions".to_owned(), json!(ways));
        Ok(response)
    }
}

fn same_host(one: &str, other: &str) -> bool {
    match (url::Url::parse(one), url::Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

fn profile(instruction: &AgentInstruction, environment: &Environment<'_>) -> Profile {
    instruction.context.profile.unwrap_or(environment.profile)
}

fn sets_a_field(action_type: &str) -> bool {
    use ActionType as A;
    matches!(
        ActionType::parse(action_type),
        Ok(A::Input | A::Type | A::TypeSlowly | A::Clear | A::SelectDropdown | A::Check | A::Uncheck | A::Toggle)
    )
}

/// For steps without an action of the knowledge.
static UNKNOWN: std::sync::LazyLock<ActionDefinition> = std::sync::LazyLock::new(ActionDefinition::default);

/// One step before it is translated.
struct Planned<'a> {
    action: &'a ActionDefinition,
    /// As a task does it, with what was typed then.
    step: Option<&'a TaskStep>,
    screen: Option<ScreenId>,
    expected: Option<ScreenId>,
    metadata: Metadata,
}

impl Planned<'_> {
    fn description(&self) -> String {
        match self.step {
            Some(step) if !step.description.is_empty() => step.description.clone(),
            _ => self.action.name.clone(),
        }
    }

    /// The action with what is typed this time.
    fn with_values(&self, values: &BTreeMap<String, String>) -> ActionDefinition {
        let mut action = match self.step {
            Some(step) => as_done(self.action, &step.action),
            None => self.action.clone(),
        };
        if let Some(step) = self.step.filter(|step| !step.description.is_empty()) {
            action.name.clone_from(&step.description);
        }
        let name = action.target.as_ref().map_or("", |target| target.name.as_str());
        let given = values.get(action.action_id.as_str()).or_else(|| values.get(name).filter(|_| !name.is_empty()));
        if let Some(text) = given {
            let parameter = if action.parameters.contains_key("path") { "path" } else { "text" };
            action.parameters.insert(parameter.to_owned(), Value::String(text.clone()));
        }
        action
    }
}
