//! One chat request a step: what an agent that keeps the last full observation would send.
//!
//! In: the stored observations of one trace and strategy. Out: a [`ChatRequest`] a step: the system
//! message of the prompt, then goal, actions so far in words, and every observation since the last
//! full one. Invariants: nothing of a later step, and nothing that depends on the step's own
//! intent: answers to the deterministic reader's requests of *earlier* steps are shown, because
//! later deltas build on them; those of the step itself are not.

use super::prompt::Prompt;
use crate::error::ReplayError;
use crate::measure::{Cost, Measurement, Outcome, RowKind};
use crate::reader::simple_steps;
use crate::run::{RunResult, StepInfo, StoredObservation, TraceInfo};
use crate::store::Store;
use crate::strategies::StrategyInfo;
use browserlens_core::strategy::{ActionKind, Intent};
use browserlens_llm::{ChatRequest, Message, Part, ResponseFormat, Role, Schema};
use serde_json::{Map, Value};

/// Which model is asked, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ReaderOptions {
    /// Name of the model, as the endpoint knows it.
    pub model: String,
    /// Which class of models it stands for, in the user's words: `small`, `large`, …
    pub tier: Option<String>,
    /// Whether images are sent.
    pub images: bool,
    /// How the endpoint is told that the answer is JSON.
    pub response_format: ResponseFormat,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// Temperature.
    pub temperature: f64,
    /// More parameters of the request.
    pub extra: Map<String, Value>,
    /// Only these strategies; empty for all of the run.
    pub strategies: Vec<String>,
}

impl ReaderOptions {
    /// Returns the usual options for a model: no images, answers of at most 512 tokens, temperature 0.
    pub fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            tier: None,
            images: false,
            response_format: ResponseFormat::JsonSchema,
            max_tokens: 512,
            temperature: 0.0,
            extra: Map::new(),
            strategies: Vec::new(),
        }
    }

    /// Returns a request by these options.
    pub(super) fn request(&self, system: String, parts: Vec<Part>, schema: Schema) -> ChatRequest {
        ChatRequest {
            model: self.model.clone(),
            messages: vec![Message::text(Role::System, system), Message { role: Role::User, parts }],
            schema,
            response_format: self.response_format,
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            extra: self.extra.clone(),
        }
    }
}

/// What was shown at one step.
pub(crate) struct Shown {
    pub kind: RowKind,
    pub cost: Cost,
    pub stored: StoredObservation,
}

/// One step of a unit.
pub(crate) struct UnitStep<'a> {
    pub info: &'a StepInfo,
    /// What was shown, or the error of the strategy.
    pub shown: Result<Shown, String>,
}

impl UnitStep<'_> {
    /// Returns the action that the model has to find: one on an element.
    pub fn asked(&self) -> Option<&Intent> {
        self.info.next.as_ref().filter(|next| next.node.is_some() && next.action != ActionKind::WaitFor)
    }
}

/// One trace and strategy, with everything that was shown.
pub(crate) struct Unit<'a> {
    pub trace: &'a TraceInfo,
    pub strategy: &'a StrategyInfo,
    pub steps: Vec<UnitStep<'a>>,
}

impl<'a> Unit<'a> {
    pub fn load(
        run: &'a RunResult,
        store: &Store,
        trace: &'a TraceInfo,
        strategy: &'a StrategyInfo,
    ) -> Result<Self, ReplayError> {
        let rows = run.measurements.iter().filter(|row| row.trace == trace.id && row.strategy == strategy.name);
        let rows: Vec<&Measurement> = rows.collect();
        let mut steps = Vec::new();
        for info in run.steps.iter().filter(|step| step.trace == trace.id) {
            let row = rows.iter().find(|row| row.step == info.step);
            let shown = match row.map(|row| &row.outcome) {
                Some(Outcome::Observed(numbers)) => {
                    let stored = StoredObservation::of(numbers, store)?;
                    Ok(Shown { kind: numbers.kind, cost: numbers.observation, stored })
                }
                Some(Outcome::Failed { error }) => Err(error.clone()),
                None => Err("the run has no such row".to_owned()),
            };
            steps.push(UnitStep { info, shown });
        }
        Ok(Self { trace, strategy, steps })
    }

    /// Returns the steps whose observations are in the context of the step at `at`: those since the
    /// last full one, or since the one before the page that a delta among them changes.
    pub fn context(&self, at: usize) -> impl Iterator<Item = (usize, &Shown)> {
        let is_full = |step: &UnitStep<'_>| step.shown.as_ref().is_ok_and(|shown| shown.kind == RowKind::Full);
        let last_full = |at: usize| self.steps.iter().take(at + 1).rposition(is_full).unwrap_or(0);
        let mut first = last_full(at);
        let mut seen = at + 1;
        while first < seen {
            let bases = self.steps[first..seen].iter().filter_map(|step| {
                let number: u32 = simple_steps(&step.shown.as_ref().ok()?.stored.text).0.parse().ok()?;
                self.steps.iter().position(|step| step.info.step == number)
            });
            let earliest = bases.map(last_full).min().unwrap_or(first);
            seen = first;
            first = first.min(earliest);
        }
        let steps = self.steps.iter().enumerate().take(at + 1).skip(first);
        steps.filter_map(|(index, step)| step.shown.as_ref().ok().map(|shown| (index, shown)))
    }

    /// Returns the request for the step at `at`.
    pub fn request(
        &self,
        at: usize,
        options: &ReaderOptions,
        prompt: &Prompt,
        legend: Option<&str>,
        store: &Store,
    ) -> Result<ChatRequest, ReplayError> {
        let system = prompt.render(self.strategy.channel, legend);
        let mut text = format!("Goal: {}\n\nActions so far:\n", self.trace.goal);
        let mut number = 0;
        for step in self.steps.iter().take(at + 1).filter(|step| !step.info.action.is_empty()) {
            number += 1;
            text.push_str(&format!("{number}. {}\n", step.info.action));
        }
        if number == 0 {
            text.push_str("none\n");
        }
        let mut parts = Vec::new();
        for (index, shown) in self.context(at) {
            let when = match self.steps.get(index).map(|step| step.info.step) {
                _ if index == at => "Observation now".to_owned(),
                Some(0) | None => "Observation before the first action".to_owned(),
                Some(step) => format!("Observation after action {step}"),
            };
            text.push_str(&format!("\n## {when}\n\n{}\n", shown.stored.text.trim_end()));
            if options.images {
                for hash in &shown.stored.images {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Png(store.image(hash)?.into()));
                }
            }
            // What is asked for at the step itself depends on the intent, which the model must
            // find.
            if index < at {
                for (request, answer) in &shown.stored.answers {
                    text.push_str(&format!("\n> {request}\n{}\n", answer.trim_end()));
                }
            }
        }
        text.push_str("\nThe next action, as JSON:");
        parts.push(Part::Text(text));
        Ok(options.request(system, parts, super::answer::schema()))
    }
}
