//! A model over a run: plan, estimate, ask, score.
//!
//! In: a run, the strategies as configured, a prompt, something to ask. Out: an [`Estimate`] before
//! anything is asked, then an [`LlmReader`]. Invariants: units go in the order of the run, steps in
//! order, one request at a time; what an [`Ask`] fails at is a row, until three in a row fail.

use super::answer::parse;
use super::error::LlmReadError;
use super::prompt::Prompt;
use super::question::{ReaderOptions, Unit, UnitStep};
use super::results::{LeftOut, LlmReader, LlmRow, RowOutcome, Settings};
use super::score::{ElementScore, OperationScore, Step};
use super::truth::Truth;
use crate::measure::RowKind;
use crate::reader::Reader;
use crate::run::{RunResult, TraceInfo};
use crate::store::Store;
use crate::strategies::{ConfiguredStrategy, StrategyInfo};
use browserlens_core::strategy::{ActionChannel, Intent, ObservationKind};
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_llm::{Answer, Ask, Cassette, ChatRequest, EndpointError, LlmError, Part, RequestHash};
use std::collections::{BTreeMap, HashSet};

/// After so many failures in a row nothing more is asked.
const FAILURES_IN_A_ROW: u32 = 3;
/// Which observations the model sees.
const CONTEXT: &str = "keep-last-full";

/// What reading a run will take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Steps that are asked about.
    pub steps: u64,
    /// Of these, the ones whose answer is in the cassette.
    pub in_cassette: u64,
    /// Requests that have to be made: different ones without an answer in the cassette.
    pub requests: u64,
    /// Text tokens of these requests, under `o200k_base`.
    pub text_tokens: u64,
    /// Image tokens of these requests, under [`ImageFormula::OpenAiPatch32`].
    pub image_tokens: u64,
    /// Most tokens of all answers.
    pub answer_tokens_at_most: u64,
}

impl Estimate {
    /// Returns what the requests cost at most, in the currency of the prices, which are per million
    /// tokens.
    pub fn cost_at_most(&self, price_in: f64, price_out: f64) -> f64 {
        let input = (self.text_tokens + self.image_tokens) as f64;
        (input * price_in + self.answer_tokens_at_most as f64 * price_out) / 1e6
    }

    /// Adds a request, without its images; returns whether it has to be made, being neither in the cassette nor
    /// among those `seen`.
    pub(super) fn add(&mut self, request: &ChatRequest, cassette: &Cassette, seen: &mut HashSet<RequestHash>) -> bool {
        let hash = request.hash();
        if cassette.get(&hash).is_some() {
            self.in_cassette += 1;
            return false;
        }
        let is_new = seen.insert(hash);
        if is_new {
            self.requests += 1;
            self.text_tokens += text_tokens(request);
            self.answer_tokens_at_most += u64::from(request.max_tokens);
        }
        is_new
    }
}

/// A model about to read a run.
#[derive(Debug)]
pub struct LlmRun<'a> {
    pub(super) run: &'a RunResult,
    pub(super) store: Store,
    pub(super) prompt: &'a Prompt,
    pub(super) options: &'a ReaderOptions,
    pub(super) pairs: Vec<(&'a TraceInfo, &'a StrategyInfo)>,
    pub(super) legends: BTreeMap<String, String>,
    left_out: Vec<LeftOut>,
}

impl<'a> LlmRun<'a> {
    /// Plans which strategies and traces of a run are read.
    ///
    /// `configured` are the strategies as they are now: their legends are what the model is told.
    ///
    /// # Errors
    /// [`LlmReadError`] if a strategy is not in the run, is not configured as it was, or nothing is
    /// left to ask.
    pub fn plan(
        run: &'a RunResult,
        configured: &[ConfiguredStrategy],
        prompt: &'a Prompt,
        options: &'a ReaderOptions,
    ) -> Result<Self, LlmReadError> {
        let header = &run.header;
        for name in &options.strategies {
            if !header.strategies.iter().any(|strategy| strategy.name == *name) {
                let known = header.strategies.iter().map(|strategy| strategy.name.clone()).collect();
                return Err(LlmReadError::NoSuchStrategy { folder: run.folder.clone(), name: name.clone(), known });
            }
        }
        let (mut left_out, mut legends, mut read) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut leave_out = |what: &str, reason: &str| {
            left_out.push(LeftOut { what: what.to_owned(), reason: reason.to_owned() });
        };
        let is_chosen =
            |strategy: &&StrategyInfo| options.strategies.is_empty() || options.strategies.contains(&strategy.name);
        for strategy in header.strategies.iter().filter(is_chosen) {
            match strategy.channel {
                ActionChannel::None => leave_out(&strategy.name, "its text cannot be acted on"),
                ActionChannel::Point if !options.images => {
                    leave_out(&strategy.name, "it shows images, which are not sent")
                }
                _ => {
                    let now = same_as_configured(run, strategy, configured)?;
                    if let Some(legend) = now.strategy.legend() {
                        legends.insert(strategy.name.clone(), legend.to_owned());
                    }
                    read.push(strategy);
                }
            }
        }
        let mut pairs = Vec::new();
        for trace in &header.traces {
            if trace.complete {
                pairs.extend(read.iter().map(|strategy| (trace, *strategy)));
            } else {
                leave_out(&trace.id, "its recording did not reach its end");
            }
        }
        if pairs.is_empty() {
            let reason = match left_out.first() {
                Some(left) => format!("{}: {}", left.what, left.reason),
                None => "the run is empty".to_owned(),
            };
            return Err(LlmReadError::NothingToAsk { folder: run.folder.clone(), reason });
        }
        Ok(Self { run, store: run.store(), prompt, options, pairs, legends, left_out })
    }

    /// Returns the names of the strategies that are read.
    pub fn strategies(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        self.pairs.iter().map(|(_, strategy)| strategy.name.as_str()).filter(|name| seen.insert(*name)).collect()
    }

    fn request(&self, unit: &Unit<'_>, at: usize) -> Result<ChatRequest, LlmReadError> {
        let legend = self.legends.get(&unit.strategy.name).map(String::as_str);
        Ok(unit.request(at, self.options, self.prompt, legend, &self.store)?)
    }

    /// Counts what has to be asked, beside what a cassette holds.
    ///
    /// # Errors
    /// [`LlmReadError::Replay`] if an observation of the run cannot be read.
    pub fn estimate(&self, cassette: &Cassette) -> Result<Estimate, LlmReadError> {
        let mut estimate = Estimate::default();
        let mut seen = HashSet::new();
        for (trace, strategy) in &self.pairs {
            let unit = Unit::load(self.run, &self.store, trace, strategy)?;
            for (at, step) in unit.steps.iter().enumerate().filter(|(_, step)| step.asked().is_some()) {
                estimate.steps += 1;
                let is_new = step.shown.is_ok() && estimate.add(&self.request(&unit, at)?, cassette, &mut seen);
                if is_new && self.options.images {
                    let images =
                        unit.context(at).map(|(_, shown)| shown.cost.images.under(ImageFormula::OpenAiPatch32));
                    estimate.image_tokens += images.sum::<u64>();
                }
            }
        }
        Ok(estimate)
    }

    /// Asks and scores every step; `progress` is told after each how many steps are done.
    ///
    /// # Errors
    /// [`LlmReadError`] if an answer is missing in a cassette without an endpoint, the endpoint
    /// refuses all requests, or three in a row fail.
    pub fn read(
        &self,
        truth: &Truth,
        asked: &mut dyn Ask,
        progress: &mut dyn FnMut(u64),
    ) -> Result<LlmReader, LlmReadError> {
        let mut rows = Vec::new();
        let mut failures = 0;
        for (trace, strategy) in &self.pairs {
            let unit = Unit::load(self.run, &self.store, trace, strategy)?;
            let mut reader = Reader::new(&strategy.format);
            for (at, step) in unit.steps.iter().enumerate() {
                take_in(&mut reader, step);
                if let Some(intent) = step.asked() {
                    let row = self.row(&unit, at, intent, &reader, truth, &mut failures, asked)?;
                    rows.push(row);
                    progress(rows.len() as u64);
                }
                for (_, answer) in step.shown.iter().flat_map(|shown| &shown.stored.answers) {
                    reader.read(answer, &ObservationKind::Answer);
                }
            }
        }
        Ok(LlmReader {
            model: self.options.model.clone(),
            tier: self.options.tier.clone(),
            prompt: self.prompt.version().to_owned(),
            settings: self.settings(),
            rows,
            left_out: self.left_out.clone(),
        })
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            context: CONTEXT.to_owned(),
            images: self.options.images,
            response_format: self.options.response_format,
            max_tokens: self.options.max_tokens,
            temperature: self.options.temperature,
            extra: self.options.extra.clone(),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the loop's state, handed to its body")]
    fn row(
        &self,
        unit: &Unit<'_>,
        at: usize,
        intent: &Intent,
        reader: &Reader,
        truth: &Truth,
        failures: &mut u32,
        asked: &mut dyn Ask,
    ) -> Result<LlmRow, LlmReadError> {
        let (trace, strategy) = (&unit.trace.id, &unit.strategy.name);
        let step = &unit.steps[at];
        let (mut prompt_tokens, mut completion_tokens) = (None, None);
        let outcome = match &step.shown {
            Err(error) => RowOutcome::NotObserved { error: error.clone() },
            Ok(_) => match asked.ask(&self.request(unit, at)?) {
                Ok(Answer::Said(said)) => {
                    *failures = 0;
                    (prompt_tokens, completion_tokens) = (said.prompt_tokens, said.completion_tokens);
                    parse(&said.content, &said.finish_reason).map_or_else(RowOutcome::NoAnswer, RowOutcome::Answered)
                }
                Ok(Answer::Refused { status, message }) => {
                    *failures = 0;
                    RowOutcome::Refused { status, message }
                }
                Err(error @ LlmError::Endpoint(EndpointError::NoAnswer { .. })) => {
                    *failures += 1;
                    if *failures >= FAILURES_IN_A_ROW {
                        return Err(error.into());
                    }
                    RowOutcome::Failed { error: error.to_string() }
                }
                Err(error) => return Err(error.into()),
            },
        };
        let action = match &outcome {
            RowOutcome::Answered(action) => Some(action),
            _ => None,
        };
        let known = Step {
            channel: unit.strategy.channel,
            intent,
            reading: reader.reading(),
            truth: truth.of(trace, strategy, step.info.step),
            targets: &step.info.targets,
        };
        let element = action.map_or(ElementScore::NONE, |action| known.element(action));
        let said = action.map(|action| (action.action, action.text.as_deref().unwrap_or_default()));
        let operation = OperationScore::of(said, (intent.action, &intent.text));
        Ok(LlmRow {
            trace: trace.clone(),
            strategy: strategy.clone(),
            step: step.info.step,
            outcome,
            element,
            operation,
            prompt_tokens,
            completion_tokens,
        })
    }
}

fn take_in(reader: &mut Reader, step: &UnitStep<'_>) {
    if let Ok(shown) = &step.shown {
        let kind = match shown.kind {
            RowKind::Full => ObservationKind::Full { reason: String::new() },
            RowKind::Delta => ObservationKind::Delta,
        };
        reader.read(&shown.stored.text, &kind);
    }
}

fn same_as_configured<'c>(
    run: &RunResult,
    strategy: &StrategyInfo,
    configured: &'c [ConfiguredStrategy],
) -> Result<&'c ConfiguredStrategy, LlmReadError> {
    let changed = |configured: String| LlmReadError::StrategyChanged {
        folder: run.folder.clone(),
        strategy: strategy.name.clone(),
        found: strategy.version.clone(),
        configured,
    };
    let Some(now) = configured.iter().find(|now| now.name == strategy.name) else {
        return Err(changed("none of that name".to_owned()));
    };
    if now.strategy.version() != strategy.version {
        return Err(changed(format!("version {:?}", now.strategy.version())));
    }
    if now.options != strategy.options {
        return Err(changed("the same version with other options".to_owned()));
    }
    Ok(now)
}

fn text_tokens(request: &ChatRequest) -> u64 {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .map(|part| match part {
            Part::Text(text) => u64::from(Encoding::O200kBase.count(text).0),
            Part::Png(_) => 0,
        })
        .sum()
}
