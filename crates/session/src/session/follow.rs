//! Following a known way: the calls that the knowledge gives, carried out as the session's own.
//!
//! In: a task or a screen of the knowledge. Out: which calls were done, where it stopped and why,
//! and the page as it is then. Invariants: each step is translated for the page that is open when
//! its turn comes, and done by the same tools as a session's calls, under the same policy; where
//! another screen is shown than the step expects, nothing more is done; a secret is never typed as
//! its placeholder.

use super::Session;
use crate::answer::Answer;
use crate::args;
use crate::error::ToolError;
use browserlens_core::page::text::escaped_line;
use browserlens_knowledge::protocol::{
    Agent, AgentInstruction, AgentResponse, Environment, InstructionContext, InstructionType, PlanStep,
};
use browserlens_knowledge::translate::{Profile, Refs, TranslateError};
use browserlens_knowledge::{BrowserUseAction, Knowledge, KnowledgeId, Recogniser, ScreenId};
use browserlens_lens::format::escape;
use serde_json::Value;
use std::time::Duration;

/// Most candidates that an error names.
const CANDIDATES: usize = 5;
/// How the knowledge writes a text that was a secret.
const SECRET: &str = "{{secret:";

/// How long what a step acts on may take to be there: where no recording says how long it took, and
/// at most.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks for it: at first, and at most; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Why a way is not followed further.
struct Stopped {
    why: String,
    hint: String,
    possible: Possible,
}

/// Whether a step that was not done may be done yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Possible {
    /// What it acts on may come to be there.
    Later,
    /// Not on this page, or not by these tools; what only prepares may be left out.
    No,
    /// Something else is needed first, of the session's.
    Never,
}

impl From<bool> for Possible {
    /// Returns whether a step is possible later, or not here.
    fn from(later: bool) -> Self {
        if later { Self::Later } else { Self::No }
    }
}

impl From<ToolError> for Stopped {
    fn from(error: ToolError) -> Self {
        let possible = matches!(error, ToolError::NotActionable { .. }).into();
        Self { why: error.message(), hint: error.hint().to_owned(), possible }
    }
}

impl From<TranslateError> for Stopped {
    fn from(error: TranslateError) -> Self {
        let possible = matches!(error, TranslateError::Missing { .. } | TranslateError::NoRef { .. }).into();
        Self { why: escaped_line(&error.to_string()).into_owned(), hint: error.hint().to_owned(), possible }
    }
}

/// The screen that is shown while a way is followed.
struct Shown<'w> {
    id: Option<&'w ScreenId>,
    /// How long was waited for on it. The time between is not counted: the page's clock may be its
    /// own.
    waited: Duration,
    /// Steps that only prepare, and whose elements were not there.
    passed: Vec<&'w PlanStep>,
}

impl Session {
    pub(super) fn knowledge(&mut self, instruction: &AgentInstruction) -> Result<Answer, ToolError> {
        let knowledge = self.shared.knowledge.load(instruction.knowledge_id.as_str())?;
        let agent = Agent::new(&knowledge)?;
        let response = self.asked(&agent, instruction)?.once();
        super::json_answer(&response)
    }

    fn asked(&mut self, agent: &Agent<'_>, instruction: &AgentInstruction) -> Result<AgentResponse, ToolError> {
        self.in_environment(|environment| agent.answer(instruction, environment))
    }

    /// Runs something with the page that is open, if there is one, and with its refs.
    fn in_environment<T>(&mut self, what: impl FnOnce(&Environment<'_>) -> T) -> Result<T, ToolError> {
        let bare = Environment { profile: Profile::BrowserLens, ..Environment::default() };
        if self.page.is_none() {
            return Ok(what(&bare));
        }
        self.with_whole_page(|lens, page| {
            let given = |key| lens.reference(key).map(|reference| reference.to_string());
            Ok(what(&Environment { page: Some(page), refs: Some(Refs(&given)), ..bare }))
        })
    }

    pub(super) fn follow(&mut self, wanted: args::Follow) -> Result<Answer, ToolError> {
        let knowledge = self.shared.knowledge.load(wanted.id.as_deref().unwrap_or_default())?;
        let agent = Agent::new(&knowledge)?;
        let recogniser = Recogniser::new(&knowledge)?;
        let (instruction, way) = self.way(&agent, &wanted)?;
        let mut told = String::new();
        let mut stopped = None;
        let mut done = 0;
        let mut shown = Shown { id: None, waited: Duration::ZERO, passed: Vec::new() };
        for step in &way.steps {
            let id = step.screen_id.as_ref();
            if shown.id != id {
                shown = Shown { id, waited: Duration::ZERO, passed: Vec::new() };
            }
            let place = match self.follow_in_time(&agent, step, &instruction, &mut shown, &mut told) {
                Ok(()) => self.strayed(&knowledge, &recogniser, step.expected_screen.as_ref().map(|it| &it.screen_id)),
                Err(place) => Some(place),
            };
            if let Some(place) = place {
                let on = id.and_then(|id| knowledge.screens.get(id));
                let on = on.map(|screen| format!(" on {}", quoted(&screen.name))).unwrap_or_default();
                let words = escaped_line(&step.description);
                stopped = Some(format!(
                    "stopped at step {} of {}{on} ({words}): {}\nhint: {}\n",
                    step.order + 1,
                    way.steps.len(),
                    place.why,
                    place.hint
                ));
                break;
            }
            done += 1;
        }
        let what = quoted(wanted.knowledge.trim());
        let mut text = match way.steps.len() {
            0 => format!("{what} is shown already\n"),
            all => format!("{what}: {done} of {all} steps done\n{told}"),
        };
        let is_undone = stopped.is_some();
        text.push_str(&stopped.unwrap_or_default());
        if self.source.as_ref().is_none_or(|source| !source.is_alive()) {
            self.lose();
            return Ok(Answer { is_undone, ..Answer::text(&text) });
        }
        // What came between was not told: the page is shown whole.
        self.lens.forget();
        self.pending.clear();
        let shown = self.observe(&args::Observe { full: true, budget: None, strategy: None, why: false })?;
        Ok(Answer { text: Answer::text(&text).text + &shown.text, is_undone, ..shown })
    }

    /// Returns the way to what is meant: the steps of a task, or the way to a screen.
    fn way(
        &mut self,
        agent: &Agent<'_>,
        wanted: &args::Follow,
    ) -> Result<(AgentInstruction, AgentResponse), ToolError> {
        let mut candidates = Vec::new();
        let mut said = None;
        for instruction_type in [InstructionType::ExecuteTask, InstructionType::NavigateToScreen] {
            let instruction = AgentInstruction {
                instruction_type,
                target: wanted.knowledge.clone(),
                knowledge_id: KnowledgeId::default(),
                context: InstructionContext {
                    values: wanted.values.clone(),
                    profile: Some(Profile::BrowserLens),
                    ..InstructionContext::default()
                },
            };
            let way = self.asked(agent, &instruction)?;
            // A step that cannot be said for this page may be said for the one that is there then.
            if !way.steps.is_empty() || way.success {
                return Ok((instruction, way));
            }
            said = way.error.or(said);
            candidates.extend(way.candidates);
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let named: Vec<String> = candidates
            .iter()
            .take(CANDIDATES)
            .map(|it| format!("{} ({})", quoted(&it.id), escaped_line(&it.name)))
            .collect();
        let mut message = format!("no way is known to {}", quoted(wanted.knowledge.trim()));
        if !named.is_empty() {
            message.push_str(&format!("; nearest: {}", named.join(", ")));
        } else if let Some(said) = said {
            message.push_str(&format!(": {}", escaped_line(&said)));
        }
        let hint =
            "give the id or name of a task or screen; `query_knowledge_for_agent` with `explore_website` lists them";
        Err(ToolError::NotThere { message, hint })
    }

    /// Does one step, as soon as it is possible: what it acts on may be there only after a while, or
    /// after a step that was passed over. One that only prepares is not waited for.
    fn follow_in_time<'w>(
        &mut self,
        agent: &Agent<'_>,
        step: &'w PlanStep,
        instruction: &AgentInstruction,
        shown: &mut Shown<'w>,
        told: &mut String,
    ) -> Result<(), Stopped> {
        let recorded = step.shown_ms.map_or(Duration::ZERO, Duration::from_millis);
        let patience = recorded.clamp(PATIENCE, MOST_PATIENCE);
        let mut pause = FIRST_PAUSE;
        let before = shown.waited;
        loop {
            let mut now = String::new();
            let stopped = match self.follow_step(agent, step, instruction, &mut now) {
                Err(stopped) if step.optional && stopped.possible != Possible::Never => {
                    // What was done of it is not done again.
                    if stopped.possible == Possible::Later && now.is_empty() {
                        shown.passed.push(step);
                    }
                    told.push_str(&now);
                    told.push_str(&format!("{}. passed over: {}\n", step.order + 1, stopped.why));
                    return Ok(());
                }
                Err(stopped) => stopped,
                Ok(()) => {
                    if shown.waited > before {
                        let seconds = (shown.waited - before).as_secs_f64();
                        told.push_str(&format!("waited {seconds:.1} s for step {}\n", step.order + 1));
                    }
                    told.push_str(&now);
                    return Ok(());
                }
            };
            // A dialog, a page that is gone: waiting brings nothing; nor is half a step done twice.
            if stopped.possible != Possible::Later || !now.is_empty() || shown.waited >= patience {
                told.push_str(&now);
                return Err(stopped);
            }
            self.source()?.wait(pause)?;
            shown.waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let passed = std::mem::take(&mut shown.passed);
            for earlier in passed {
                match self.follow_step(agent, earlier, instruction, told) {
                    Ok(()) => {}
                    Err(stopped) if stopped.possible == Possible::Later => shown.passed.push(earlier),
                    // It only prepares.
                    Err(stopped) if stopped.possible == Possible::No => {}
                    Err(stopped) => return Err(stopped),
                }
            }
        }
    }

    /// Does one step on the page that is open now.
    fn follow_step(
        &mut self,
        agent: &Agent<'_>,
        step: &PlanStep,
        instruction: &AgentInstruction,
        told: &mut String,
    ) -> Result<(), Stopped> {
        let calls = self.in_environment(|environment| agent.anew(step, instruction, environment))??;
        let number = step.order + 1;
        if calls.is_empty() {
            told.push_str(&format!("{number}. nothing to do: {}\n", escaped_line(&step.description)));
        }
        for call in calls {
            if let Some(field) = secret_in(&call) {
                return Err(Stopped {
                    why: format!("the text of {} is a secret that the knowledge does not hold", quoted(&field)),
                    hint: format!("call `follow` with values: {{\"{}\": …}}", escaped_line(&field)),
                    possible: Possible::Never,
                });
            }
            let answer = self.answer(&call.tool_name, serde_json::json!(call.parameters))?;
            if answer.is_undone {
                let why = answer.text.lines().next().unwrap_or_default().to_owned();
                return Err(Stopped { why, hint: "see the page below".to_owned(), possible: Possible::Never });
            }
            told.push_str(&format!("{number}. {}\n", in_words(&call)));
        }
        Ok(())
    }

    /// Says where one is, if that is a known screen and not the one that was to be shown.
    fn strayed(
        &mut self,
        knowledge: &Knowledge,
        recogniser: &Recogniser<'_>,
        expected: Option<&ScreenId>,
    ) -> Option<Stopped> {
        let expected = knowledge.screens.get(expected?)?;
        let page = self.page.clone()?;
        let found = recogniser.page(&page).screen_id?;
        let found = knowledge.screens.get(&found)?;
        // A dialog is a state of the screen that it lies over.
        let is_it = found.screen_id == expected.screen_id
            || found.parent_screen_id.as_ref() == Some(&expected.screen_id)
            || expected.parent_screen_id.as_ref() == Some(&found.screen_id);
        (!is_it).then(|| Stopped {
            why: format!("it leads to {}, not to {}", quoted(&found.name), quoted(&expected.name)),
            hint: "go on from the page below, or ask for the way from here".to_owned(),
            possible: Possible::Never,
        })
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    escape::quote_beginning(&mut out, text, 100);
    out
}

/// Returns the field whose text would be the placeholder of a secret.
fn secret_in(call: &BrowserUseAction) -> Option<String> {
    fn placeholder(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => text.strip_prefix(SECRET)?.strip_suffix("}}").map(str::to_owned),
            Value::Array(items) => items.iter().find_map(placeholder),
            Value::Object(fields) => fields.values().find_map(placeholder),
            _ => None,
        }
    }
    call.parameters.values().find_map(placeholder)
}

/// Says a call as a session would write it.
fn in_words(call: &BrowserUseAction) -> String {
    let mut text = call.tool_name.clone();
    for (name, value) in &call.parameters {
        let value = match value {
            Value::String(text) if text.starts_with('@') => text.clone(),
            Value::String(text) => quoted(text),
            other => escaped_line(&other.to_string()).into_owned(),
        };
        text.push_str(&format!(" {name}: {value}"));
    }
    if !call.description.is_empty() {
        text.push_str(&format!(" ({})", escaped_line(&call.description)));
    }
    text
}
