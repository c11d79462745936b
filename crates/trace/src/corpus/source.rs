//! A trace that synthetic ones are made of.
//!
//! In: a trace file and its scenario. Out: [`Source`]: its words, its node ids, and what must stay
//! as it is. Invariant: a source is read once a batch of copies, one step at a time; what is kept
//! of it are words and ids, never payloads.

use crate::corpus::error::CorpusError;
use crate::corpus::random::draws;
use crate::corpus::rewrite::{self, Sink};
use crate::corpus::scenario;
use crate::corpus::words::{Exchange, Words};
use crate::scenario::{Scenario, Target, TargetBy};
use crate::{Origin, Outcome, Trace, TraceMeta, TraceSource};
use browserlens_core::strategy::{NodeHint, StepIndex};
use std::collections::{BTreeSet, HashMap};
use std::iter::successors;
use std::path::{Path, PathBuf};

/// A trace and its scenario.
pub(crate) struct Source {
    pub path: PathBuf,
    pub meta: TraceMeta,
    pub steps: u32,
    pub outcome: Outcome,
    pub origin: Option<Origin>,
    /// TOML of the scenario; none for recordings without one.
    pub scenario: Option<String>,
    /// Texts that the scenario wants to be readable.
    pub facts: Vec<String>,
    /// Whether lists may be put into another order: not where an action or a fact counts in
    /// document order.
    pub may_reorder: bool,
}

impl Source {
    /// Opens a trace and finds its scenario.
    pub(crate) fn open(path: &Path, scenarios: &Path) -> Result<Self, CorpusError> {
        let trace = Trace::open(path)?;
        let meta = trace.meta().clone();
        if trace.is_empty() {
            return Err(CorpusError::Empty(path.to_owned()));
        }
        let expected = scenarios.join(format!("{}.toml", meta.scenario));
        let mut counts = false;
        let mut facts = Vec::new();
        let text = if expected.is_file() {
            let scenario = Scenario::load(&expected)?;
            facts = facts_of(&scenario);
            counts = targets_of(&scenario).any(counts_in_order);
            Some(std::fs::read_to_string(&expected).map_err(CorpusError::io(&expected, "read the file"))?)
        } else if matches!(meta.source, TraceSource::Recorded) {
            return Err(CorpusError::ScenarioMissing { trace: path.to_owned(), scenario: meta.scenario, expected });
        } else {
            None
        };
        for step in trace.steps()? {
            let hint = step.action.and_then(|action| action.intent.node);
            counts |= hint.as_ref().is_some_and(hint_counts);
        }
        Ok(Self {
            path: path.to_owned(),
            steps: trace.len(),
            outcome: trace.outcome(),
            origin: trace.origin()?,
            scenario: text,
            facts,
            may_reorder: !counts,
            meta,
        })
    }

    /// Reads words and ids of every step.
    pub(crate) fn profile(&self) -> Result<Profile, CorpusError> {
        let mut gathered = Gathered::default();
        let trace = Trace::open(&self.path)?;
        for step in 0..trace.len() {
            let mut record = trace.record(StepIndex(step))?;
            rewrite::step(&mut record, None, &mut gathered, &self.path)?;
        }
        gathered.text(&self.meta.goal);
        if let Some(text) = &self.scenario {
            scenario::rewrite(text, "", &mut gathered).map_err(|reason| self.scenario_form(reason))?;
        }
        let Gathered { words, kept, ids } = gathered;
        Ok(Profile { words, kept, ids: ids.into_iter().collect() })
    }

    pub(crate) fn scenario_form(&self, reason: String) -> CorpusError {
        CorpusError::ScenarioForm { path: PathBuf::from(format!("{}.toml", self.meta.scenario)), reason }
    }
}

fn facts_of(scenario: &Scenario) -> Vec<String> {
    let steps = 0..=u32::try_from(scenario.steps.len()).unwrap_or(u32::MAX);
    let facts = steps.flat_map(|step| scenario.facts_at(step).iter().map(|fact| fact.text.clone()));
    facts.collect::<BTreeSet<_>>().into_iter().collect()
}

fn targets_of(scenario: &Scenario) -> impl Iterator<Item = &Target> {
    let steps = scenario.steps.iter().flat_map(|step| {
        let named = step.action.target().into_iter().chain(&step.require).chain(&step.acceptable);
        named.chain(step.fresh.iter().map(|state| &state.on))
    });
    steps.chain(&scenario.start_require)
}

fn counts_in_order(target: &Target) -> bool {
    let counts = |by: &TargetBy| matches!(by, TargetBy::Css { selector, .. } if selector.contains([':', '+', '~']));
    successors(Some(target), |target| target.within.as_deref()).any(|target| target.nth.is_some() || counts(&target.by))
}

fn hint_counts(hint: &NodeHint) -> bool {
    successors(Some(hint), |hint| hint.within.as_deref()).any(|hint| hint.nth.is_some())
}

/// Words and ids of a source.
pub(crate) struct Profile {
    pub words: Words,
    kept: Words,
    /// Sorted.
    ids: Vec<u32>,
}

impl Profile {
    /// Draws what becomes of words and ids in one synthetic trace.
    pub(crate) fn draw(&self, seed: u64, trace: &str, others: &Words) -> Replaced {
        let words = Exchange::draw(&mut draws(seed, &format!("words of {trace}")), &self.words, others, &self.kept);
        let mut new = self.ids.clone();
        draws(seed, &format!("nodes of {trace}")).shuffle(&mut new);
        Replaced { words, ids: self.ids.iter().copied().zip(new).collect(), texts: HashMap::new() }
    }
}

/// Gathers words and ids, and changes nothing.
#[derive(Default)]
struct Gathered {
    words: Words,
    kept: Words,
    ids: BTreeSet<u32>,
}

impl Sink for Gathered {
    fn text(&mut self, text: &str) -> String {
        self.words.add(text);
        text.to_owned()
    }

    fn backend(&mut self, backend: u32) -> u32 {
        self.ids.insert(backend);
        backend
    }

    fn secret(&mut self, text: &str) {
        self.kept.add(text);
    }
}

/// What becomes of words and ids.
pub(crate) struct Replaced {
    words: Exchange,
    ids: HashMap<u32, u32>,
    /// Texts that were rewritten before: most come again in every step.
    texts: HashMap<String, String>,
}

/// How many texts are remembered.
const REMEMBERED: usize = 20_000;

impl Sink for Replaced {
    fn text(&mut self, text: &str) -> String {
        if let Some(new) = self.texts.get(text) {
            return new.clone();
        }
        let new = self.words.text(text);
        if self.texts.len() < REMEMBERED && text.len() < 256 {
            self.texts.insert(text.to_owned(), new.clone());
        }
        new
    }

    fn backend(&mut self, backend: u32) -> u32 {
        self.ids.get(&backend).copied().unwrap_or(backend)
    }
}
