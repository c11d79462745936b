//! One unit of a run: one strategy over one trace, step by step.
//!
//! In: loaded steps in order. Out: a [`Measurement`] and a [`Timing`] a step. Invariants: a
//! strategy that fails or panics on a step is a row with its error and no numbers; after a panic
//! its run is not trusted any more and the rest are such rows too; the reader's requests are
//! decided before anything is scored.

use crate::clock::{StopWatch, timed};
use crate::error::ReplayError;
use crate::measure::{
    AskedRequest, Cost, ExamScore, FreshScore, ImageCost, Measurement, Outcome, RowKind, Scores, ScrollScore,
    StepNumbers, TargetScore, Timing, Tokenizer,
};
use crate::oracle::RefOracle;
use crate::pixels::SeenImage;
use crate::reader::{Reader, Reading, SimpleText, policy, simple_steps};
use crate::retained::Painted;
use crate::score::{self, AttackInput, Band, FactReading, Missing, PageIndex, Shown, Told};
use crate::steps::{LoadedStep, StepLoader, TracePlan};
use crate::store::Store;
use crate::strategies::ConfiguredStrategy;
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{NodeHint, Observation, ObservationKind, Request, Run, StrategyError, TextFormat};
use browserlens_core::tokens::{ImageSize, Micros};
use browserlens_lens::ShownState;
use browserlens_peers::RECORDED_SUFFIX;
use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Handles and the nodes they mean.
pub(crate) type Handles = BTreeMap<String, NodeKey>;

/// What all units of a run share.
pub(crate) struct Shared<'a> {
    pub store: &'a Store,
    pub tokenizer: Tokenizer,
    pub date: &'a str,
    pub machine: &'a str,
    /// What texts of the trace cost, by their content, and how long counting took: many strategies
    /// say the same.
    pub counted: RefCell<HashMap<String, (Cost, Micros)>>,
}

impl Shared<'_> {
    /// Returns the cost of a text by its content hash; the time is that of counting it, whoever
    /// counted it first.
    fn cost(&self, hash: &str, text: &str) -> (Cost, Micros) {
        if let Some(known) = self.counted.borrow().get(hash) {
            return *known;
        }
        let counted = timed(|| self.tokenizer.cost(text));
        self.counted.borrow_mut().insert(hash.to_owned(), counted);
        counted
    }

    /// Stores an observation; returns the content hashes of its text and images, and what it costs.
    /// The time of counting its text is added to `counting`.
    fn keep(
        &self,
        observation: &Observation,
        counting: &mut Micros,
    ) -> Result<(String, Vec<String>, Cost), ReplayError> {
        let text = self.store.put_text(&observation.text)?;
        let images =
            observation.images.iter().map(|image| self.store.put_image(&image.png)).collect::<Result<_, _>>()?;
        let (mut cost, time) = self.cost(&text, &observation.text);
        *counting += time;
        for image in &observation.images {
            let size = ImageSize { width: image.width, height: image.height };
            cost += Cost { images: ImageCost::of(size), ..Cost::default() };
        }
        Ok((text, images, cost))
    }
}

/// One strategy over one trace.
pub(crate) struct Unit<'a> {
    plan: &'a TracePlan,
    configured: &'a ConfiguredStrategy,
    /// The run, or why it is not trusted any more.
    run: Result<Box<dyn Run>, String>,
    /// How the run failed at a request of the current step, where it did more than not answer it.
    failed_at_request: Option<String>,
    reader: Reader,
    handles: Handles,
    /// Images since the last full observation: part of the shown state while they still show what
    /// is there.
    images: Vec<SeenImage>,
    oracle: RefOracle,
    legend_counted: bool,
    /// The simple reader, of the lens' grammar alone.
    simple: Option<SimpleText>,
    /// The texts since the last full one, kept where the scenario has an exam.
    told: Vec<String>,
    /// The same at earlier steps, by their number: a delta may change an earlier page.
    told_at: BTreeMap<String, Vec<String>>,
    /// What the handles meant before the reader's requests of the current step; kept for looking at.
    noted: Option<Handles>,
    /// The texts of the current step, kept where its page holds attacks.
    said: Vec<String>,
    /// What the observation and the answers of the current step say of themselves.
    scores: Scores,
    pub rows: Vec<Measurement>,
    pub timings: Vec<Timing>,
}

impl<'a> Unit<'a> {
    pub fn start(plan: &'a TracePlan, configured: &'a ConfiguredStrategy) -> Self {
        Self {
            plan,
            configured,
            run: guarded(|| configured.strategy.start(&plan.task())),
            failed_at_request: None,
            reader: Reader::new(&configured.strategy.format()),
            handles: Handles::new(),
            images: Vec::new(),
            oracle: RefOracle::default(),
            legend_counted: false,
            simple: (configured.strategy.format() == TextFormat::LENS).then(SimpleText::default),
            told: Vec::new(),
            told_at: BTreeMap::new(),
            noted: None,
            said: Vec::new(),
            scores: Scores::default(),
            rows: Vec::new(),
            timings: Vec::new(),
        }
    }

    /// Advances over the next step.
    pub fn step(
        &mut self,
        shared: &Shared<'_>,
        step: &LoadedStep,
        index: &PageIndex,
        painted: &Painted<'_>,
    ) -> Result<(), ReplayError> {
        let watch = StopWatch::default();
        let (observed, spent) = timed(|| self.observe(step, &watch));
        let (mut stages, charged) = watch.finish();
        let observe = spent + charged;
        if let Some(micros) = self.own_time(step) {
            stages.insert("peer".to_owned(), micros);
        }
        let mut counting = Micros(0);
        let outcome = match observed {
            Ok(observation) => {
                let numbers = self.measure(shared, step, (index, painted), observation, &mut counting)?;
                match self.failed_at_request.take() {
                    Some(error) => Outcome::Failed { error },
                    None => Outcome::Observed(Box::new(numbers)),
                }
            }
            Err(error) => Outcome::Failed { error },
        };
        let (trace, strategy, step_index) = (self.plan.id.clone(), self.configured.name.clone(), step.index.0);
        self.timings.push(Timing {
            trace: trace.clone(),
            strategy: strategy.clone(),
            step: step_index,
            load: step.load,
            stages,
            observe,
            count: counting,
            cached: false,
            date: shared.date.to_owned(),
            machine: shared.machine.to_owned(),
        });
        self.rows.push(Measurement { trace, strategy, step: step_index, outcome });
        Ok(())
    }

    /// Returns how long a recorded tool took for what it said at a step.
    fn own_time(&self, step: &LoadedStep) -> Option<Micros> {
        let output = self.configured.name.strip_suffix(RECORDED_SUFFIX)?;
        step.peers.iter().find(|said| said.peer == output).map(|said| Micros(said.micros))
    }

    /// Returns what a tool tells of its own tools; of a recorded one, as it was recorded.
    fn definitions(&self) -> Option<&str> {
        let output = self.configured.name.strip_suffix(RECORDED_SUFFIX);
        let recorded = output.and_then(|output| self.plan.peers.as_ref()?.definitions(output));
        recorded.or_else(|| self.configured.strategy.definitions())
    }

    /// Returns what is shown now, where the grammar has a shown state.
    pub fn shown(&self) -> Option<&ShownState> {
        self.reader.shown()
    }

    /// Returns what the handles mean.
    pub fn handles(&self) -> &Handles {
        &self.handles
    }

    /// Returns the last row, if the step did not fail, and what the handles meant at its observation.
    pub fn noted(&self) -> Option<(&StepNumbers, &Handles)> {
        Some((self.rows.last()?.numbers()?, self.noted.as_ref()?))
    }

    /// Returns why the last step is shown as it is, where the strategy says it.
    pub fn why(&self) -> Option<String> {
        self.run.as_ref().ok()?.why()
    }

    /// Returns whether any step failed; such a unit is not cached, so that a mended strategy is run
    /// again.
    pub fn has_failed(&self) -> bool {
        self.rows.iter().any(|row| row.error().is_some())
    }

    fn observe(&mut self, step: &LoadedStep, watch: &StopWatch) -> Result<Observation, String> {
        let run = self.run.as_mut().map_err(|why| why.clone())?;
        if step.capture.is_dom_only() && !self.configured.strategy.reads_dom_only() {
            let (what, strategy) = ("layout and no accessibility tree".to_owned(), self.configured.name.clone());
            return Err(StrategyError::Missing { step: step.index, what, strategy }.to_string());
        }
        let input = step.input(watch);
        match guarded(|| run.observe(&input)) {
            Ok(observed) => observed.map_err(|error| error.to_string()),
            Err(panic) => Err(self.abandon(step, &panic)),
        }
    }

    fn abandon(&mut self, step: &LoadedStep, panic: &str) -> String {
        self.run = Err(format!("given up: the strategy panicked at step {}", step.index));
        format!("step {}: the strategy panicked: {panic}", step.index)
    }

    fn measure(
        &mut self,
        shared: &Shared<'_>,
        step: &LoadedStep,
        (index, painted): (&PageIndex, &Painted<'_>),
        observation: Observation,
        counting: &mut Micros,
    ) -> Result<StepNumbers, ReplayError> {
        let (text, images, cost) = shared.keep(&observation, counting)?;
        let once = |text: Option<&str>| {
            text.filter(|_| !self.legend_counted).map_or_else(Cost::default, |text| shared.tokenizer.cost(text))
        };
        let legend = once(self.configured.strategy.legend());
        let definitions = once(self.definitions());
        self.legend_counted = true;
        let bytes = observation.text.len() as u64;
        let (kind, reason) = match &observation.kind {
            ObservationKind::Full { reason } => {
                self.handles.clear();
                self.images.clear();
                (RowKind::Full, reason.clone())
            }
            ObservationKind::Delta | ObservationKind::Answer => (RowKind::Delta, String::new()),
        };
        let before = self.images.len();
        let representation = observation.representation.clone();
        let number = step.index.0;
        self.said.clear();
        self.scores = Scores::default();
        self.take_in(number, observation);
        if let Some(noted) = &mut self.noted {
            noted.clone_from(&self.handles);
        }
        let dropped = self.plan.drop_target(number, &step.page);
        let drop_hint = dropped.as_ref().map(|(hint, _)| hint);
        let requests = self.ask(shared, step, drop_hint, counting)?;
        let new = self.images.len() - before;
        painted.keep_true(&mut self.images, new);

        let reading = self.reader.reading();
        let channel = self.configured.strategy.channel();
        let shown = Shown::new(&step.page, index, reading, &self.handles, &self.images, channel);
        let needed = Needed::of(self.plan, number, dropped.as_ref(), &shown);
        let success = needed.is_met();
        let required = shown.required(self.plan.required(number));
        let probes = shown.probes();
        let scrolls = match self.configured.strategy.viewport_margin() {
            Some(margin) if !success => {
                let band = Band::of(&step.page, margin);
                let mut missing: Vec<Missing> = Vec::new();
                let unread = self.plan.facts(number).iter().zip(&needed.facts.read).filter(|(_, read)| !**read);
                missing.extend(unread.map(|(fact, _)| shown.missing_fact(fact, &band)));
                let acceptable = self.plan.next(number).map_or(&[][..], |next| next.acceptable);
                missing.extend(shown.missing_target(needed.target, acceptable, &band));
                let dropped = dropped.as_ref().map_or(&[][..], |(_, acceptable)| acceptable);
                missing.extend(shown.missing_target(needed.drop_target, dropped, &band));
                let brings_all = missing.iter().all(|missing| matches!(missing, Missing::OffScreen(_)));
                ScrollScore { scrolls: score::walk(&missing), success: needed.fresh.wrong == 0 && brings_all }
            }
            _ => ScrollScore { scrolls: 0, success },
        };
        let simple_reading = self.simple.as_ref().map(SimpleText::reading);
        let simple = simple_reading.as_ref().map_or(success, |reading| {
            let shown = Shown::new(&step.page, index, reading, &self.handles, &self.images, channel);
            Needed::of(self.plan, number, dropped.as_ref(), &shown).is_met()
        });
        let (exam, exam_missed) = self.exam(&step.page, number, simple_reading.as_ref().unwrap_or(reading));
        let format = self.configured.strategy.format();
        let attacks =
            AttackInput { page: &step.page, reading, texts: &self.said, format }.successes(self.plan.attacks(number));
        let marks = self.reader.shown().map(score::marks);
        let refs = self.oracle.step(&shown_handles(reading, &self.handles), &step.entities);
        let (fresh, facts) = (needed.fresh, needed.facts.score);
        Ok(StepNumbers {
            kind,
            reason,
            representation,
            bytes,
            observation: cost,
            legend,
            definitions,
            requests,
            target: needed.target,
            drop_target: needed.drop_target,
            scores: Scores { fresh, facts, probes, exam, marks, refs, ..self.scores },
            facts_read: needed.facts.read,
            required,
            scrolls,
            success,
            simple,
            exam_missed,
            attacks,
            text,
            images,
        })
    }

    /// Scores the questions that the exam puts after a step; also gives the ids of those that are
    /// missed.
    fn exam(&self, page: &Page, step: u32, believed: &Reading) -> (ExamScore, Vec<String>) {
        let mut questions = self.plan.scenario.exam_at(self.plan.scenario_step(step)).peekable();
        if questions.peek().is_none() {
            return (ExamScore::default(), Vec::new());
        }
        let simple = self.simple.as_ref();
        let told = Told::new(&self.told, |line| simple.map_or_else(Vec::new, |simple| simple.said_on(line)));
        let lines_of = |handle: &str| simple.map_or_else(Vec::new, |simple| simple.lines_of(handle));
        told.exam(questions, page, &self.handles, lines_of, believed)
    }

    fn take_in(&mut self, step: u32, observation: Observation) {
        self.reader.read(&observation.text, &observation.kind);
        self.scores.take_in(&observation);
        if let Some(simple) = &mut self.simple {
            simple.read(&observation.text, matches!(observation.kind, ObservationKind::Full { .. }));
        }
        if !self.plan.scenario.exam.is_empty() {
            let is_answer = matches!(observation.kind, ObservationKind::Answer);
            match &observation.kind {
                ObservationKind::Full { .. } => self.told.clear(),
                ObservationKind::Delta if self.simple.is_some() => {
                    if let Some(told) = self.told_at.get(simple_steps(&observation.text).0) {
                        self.told.clone_from(told);
                    }
                }
                _ => {}
            }
            self.told.push(observation.text.clone());
            if self.simple.is_some() && !is_answer {
                self.told_at.insert(simple_steps(&observation.text).1.to_owned(), self.told.clone());
            }
        }
        if self.plan.attacks(step).next().is_some() {
            self.said.push(observation.text);
        }
        self.handles.extend(observation.refs.into_iter().map(|target| (target.handle, target.key)));
        self.images.extend(observation.images.into_iter().map(SeenImage::from));
    }

    /// Lets the reader ask for what it cannot find: the next action's node, then the one that a
    /// drag ends on.
    fn ask(
        &mut self,
        shared: &Shared<'_>,
        step: &LoadedStep,
        drop_hint: Option<&NodeHint>,
        counting: &mut Micros,
    ) -> Result<Vec<AskedRequest>, ReplayError> {
        let mut requests = Vec::new();
        let next = self.plan.next(step.index.0);
        let hints = [next.as_ref().and_then(|next| next.hint()), drop_hint];
        let mut asked = policy::Asked::default();
        while let Some(request) = hints
            .into_iter()
            .flatten()
            .find_map(|hint| policy::next(self.reader.reading(), hint, &self.plan.scenario.goal, &asked))
        {
            let answer = self.request(step, &request);
            asked.note(&request, answer.is_some());
            let Some(answer) = answer else { continue };
            let (text, images, cost) = shared.keep(&answer, counting)?;
            self.take_in(step.index.0, Observation { kind: ObservationKind::Answer, ..answer });
            requests.push(AskedRequest { request, cost, text, images });
        }
        Ok(requests)
    }

    /// Returns the answer; none if the strategy has no such request, or failed at it, which spoils
    /// the step.
    fn request(&mut self, step: &LoadedStep, request: &Request) -> Option<Observation> {
        let run = self.run.as_mut().ok()?;
        let failed = match guarded(|| run.request(request)) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(StrategyError::Unanswerable { .. })) => return None,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => self.abandon(step, &panic),
        };
        self.failed_at_request = Some(failed);
        None
    }
}

/// Runs strategies over a trace up to a step, for looking at, and stores nothing but what they show;
/// `each` sees every step after they did.
pub(crate) fn look<'a>(
    plan: &'a TracePlan,
    strategies: &[&'a ConfiguredStrategy],
    last: u32,
    cache_dir: &Path,
    store: &Store,
    mut each: impl FnMut(&LoadedStep, &[Unit<'a>]),
) -> Result<Vec<Unit<'a>>, ReplayError> {
    let shared = Shared { store, tokenizer: Tokenizer::Fast, date: "", machine: "", counted: RefCell::default() };
    let mut loader = StepLoader::open(plan, cache_dir)?;
    let start = |configured: &&'a _| Unit { noted: Some(Handles::new()), ..Unit::start(plan, configured) };
    let mut units: Vec<Unit<'_>> = strategies.iter().map(start).collect();
    for row in plan.rows.iter().take_while(|row| row.index.0 <= last) {
        let step = loader.load(row.index.0)?;
        let (index, painted) = (PageIndex::default(), Painted::of(&step));
        units.iter_mut().try_for_each(|unit| unit.step(&shared, &step, &index, &painted))?;
        each(&step, &units);
    }
    Ok(units)
}

/// What a step needs, as an agent finds it in what is shown.
struct Needed {
    target: TargetScore,
    drop_target: TargetScore,
    fresh: FreshScore,
    facts: FactReading,
}

impl Needed {
    fn of(plan: &TracePlan, step: u32, dropped: Option<&(NodeHint, Vec<NodeKey>)>, shown: &Shown<'_>) -> Self {
        Self {
            target: shown.target(plan.next(step)),
            drop_target: dropped.map_or(TargetScore::NOT_NEEDED, |(hint, acceptable)| shown.node(hint, acceptable)),
            fresh: shown.fresh(plan.states(step)),
            facts: shown.facts(plan.facts(step)),
        }
    }

    /// Returns whether the step succeeds.
    fn is_met(&self) -> bool {
        let all_read = self.facts.score.read == self.facts.score.total;
        self.target.is_actionable() && self.drop_target.is_actionable() && self.fresh.wrong == 0 && all_read
    }
}

/// Returns the handles that stand in the shown state; all of them where the text names none (marks
/// in an image).
fn shown_handles(reading: &Reading, handles: &Handles) -> Handles {
    let shown: Handles = reading
        .nodes
        .iter()
        .filter_map(|node| node.handle.as_ref())
        .filter_map(|handle| handles.get(handle).map(|key| (handle.clone(), *key)))
        .collect();
    if shown.is_empty() { handles.clone() } else { shown }
}

/// Runs foreign code; a panic becomes its message.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| panic_message(payload.as_ref()))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let message = payload.downcast_ref::<&str>().copied();
    message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message").to_owned()
}
