//! The engine: every strategy over every trace.
//!
//! In: trace files, the folder of scenarios, strategies. Out: a [`RunResult`]. Traces go in
//! parallel, the largest first, each on one thread; in a trace the steps go in order, each is
//! loaded once and all runs advance over it in lockstep. Units (trace and strategy) that were
//! measured before come from the cache; a trace whose units all do is not loaded at all.
//! Invariants: results are the same for any number of threads, because nothing is shared between
//! traces but the content-addressed store and the order of rows is made at the end; memory holds
//! one step a thread, whatever the corpus. Why not rayon's parallel iterator over traces: it halves
//! the list, and the two largest traces may fall into one half.

use crate::cache::Cache;
use crate::error::ReplayError;
use crate::inspect_bench;
use crate::measure::{METRIC_VERSION, Measurement, TaskMeasurement, Timing, Tokenizer};
use crate::peers::{self, PeersPlan};
use crate::retained::Painted;
use crate::run::{AttackInfo, RunHeader, RunResult, StepInfo, TraceInfo, action_in_words};
use crate::score::PageIndex;
use crate::steps::{HeldStep, LoadedStep, StepLoader, TracePlan};
use crate::store::Store;
use crate::strategies::{ConfiguredStrategy, StrategyInfo};
use crate::unit::{Shared, Unit};
use crate::{knowledge_bench, reading_bench};
use browserlens_core::tokens::{Encoding, IMAGE_TOKEN_TABLE_VERSION};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Name and version of the tool, as headers of runs have it.
pub(crate) const TOOL: &str = concat!("browserlens ", env!("CARGO_PKG_VERSION"));

/// Is told how far a replay is; every method may be called from any thread.
pub trait Progress: Sync {
    /// The work is known: so many traces, and steps that have to be replayed.
    fn planned(&self, _traces: usize, _steps: usize) {}
    /// A unit came from the cache.
    fn cached(&self, _trace: &str, _strategy: &str) {}
    /// All strategies have seen a step.
    fn step_done(&self, _trace: &str, _step: u32) {}
    /// A row was measured.
    fn row(&self, _row: &Measurement) {}
}

/// A [`Progress`] that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {}

/// What to replay, and how.
pub struct ReplayOptions<'a> {
    /// The trace files; see [`crate::find_traces`].
    pub traces: Vec<PathBuf>,
    /// The folder below which a trace's scenario is `<name>.toml`.
    pub scenarios_dir: PathBuf,
    /// The strategies, in the order in which results list them.
    pub strategies: &'a [ConfiguredStrategy],
    /// Number of threads; 0 for as many as there are processors.
    pub threads: usize,
    /// The folder for packed pages, results and blobs; may be deleted at any time between runs.
    pub cache_dir: PathBuf,
    /// The folder in which the run gets a folder of its own.
    pub out_dir: PathBuf,
    /// The encoding that tables and rankings use; both are always counted.
    pub encoding: Encoding,
    /// What counts.
    pub tokenizer: Tokenizer,
    /// When the run is made, for timing rows; libraries read no calendar.
    pub date: String,
    /// On which machine, for timing rows.
    pub machine: String,
    /// Is told how far it is.
    pub progress: &'a dyn Progress,
    /// Stops the replay when set; finished units are kept.
    pub cancel: &'a AtomicBool,
}

impl<'a> ReplayOptions<'a> {
    /// Replays these on one thread, with a cache and runs below a folder; nobody is told how far it
    /// is, and nothing stops it.
    pub fn new(
        traces: Vec<PathBuf>,
        scenarios_dir: PathBuf,
        strategies: &'a [ConfiguredStrategy],
        folder: &Path,
    ) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self {
            traces,
            scenarios_dir,
            strategies,
            threads: 1,
            cache_dir: folder.join("cache"),
            out_dir: folder.join("runs"),
            encoding: Encoding::O200kBase,
            tokenizer: Tokenizer::Fast,
            date: String::new(),
            machine: String::new(),
            progress: &Quiet,
            cancel: &NEVER,
        }
    }
}

/// What came of one trace.
struct TraceResult {
    /// Per strategy: rows, timings, whether they came from the cache.
    units: Vec<(Vec<Measurement>, Vec<Timing>, bool)>,
    steps: Vec<StepInfo>,
}

impl TraceResult {
    fn add_to(self, run: &mut RunResult, plan: &TracePlan, strategies: &[&ConfiguredStrategy]) {
        run.steps.extend(self.steps);
        for (configured, (rows, timings, cached)) in strategies.iter().zip(self.units) {
            run.tasks.push(TaskMeasurement::of(&plan.id, &configured.name, &rows, plan.is_complete));
            run.measurements.extend(rows);
            run.timings.extend(timings);
            run.cached_units += u32::from(cached);
        }
    }
}

/// Replays every strategy over every trace.
///
/// # Errors
/// [`ReplayError`] if a trace or scenario cannot be read or nothing can be written; a strategy that
/// fails is a row, no error.
pub fn replay(options: &ReplayOptions<'_>) -> Result<RunResult, ReplayError> {
    if options.strategies.is_empty() {
        return Err(ReplayError::NoStrategies);
    }
    let plans = plan(&options.traces, &options.scenarios_dir)?;
    let cache = Cache::open(&options.cache_dir);
    let having =
        |output: &str| plans.iter().filter(|plan| plan.peers.as_ref().is_some_and(|peers| peers.has(output))).count();
    let strategies = peers::in_play(options.strategies, plans.len(), having);
    if strategies.is_empty() {
        return Err(ReplayError::NoStrategies);
    }
    let mut run = RunResult::of(header(&strategies, options));
    let jobs: Vec<Job<'_>> =
        plans.iter().map(|plan| Job::new(plan, &strategies, &run.header.strategies, &cache, options)).collect();
    options.progress.planned(jobs.len(), jobs.iter().map(Job::steps_to_do).sum());
    if jobs.iter().any(|job| job.steps_to_do() > 0) {
        Encoding::warm_up();
    }
    let results = run_jobs(&jobs, options, &cache)?;
    run.header.traces = describe_all(&plans, &cache, options)?;
    for (plan, result) in plans.iter().zip(results) {
        result.add_to(&mut run, plan, &strategies);
    }
    run.save(&options.out_dir, Some(&cache.store))?;
    Ok(run)
}

fn header(strategies: &[&ConfiguredStrategy], options: &ReplayOptions<'_>) -> RunHeader {
    RunHeader {
        tool: TOOL.to_owned(),
        encoding: options.encoding,
        tokenizer: options.tokenizer,
        metric_version: METRIC_VERSION,
        image_token_table_version: IMAGE_TOKEN_TABLE_VERSION,
        strategies: strategies.iter().map(|strategy| strategy.describe()).collect(),
        traces: Vec::new(),
        notes: Vec::new(),
    }
}

/// Replays one trace by all of `options.strategies`, under the id `id`, and writes no run: rows,
/// timings, and what the header says of it.
///
/// # Errors
/// As [`replay`].
pub(crate) fn replay_one(mut plan: TracePlan, id: &str, options: &ReplayOptions<'_>) -> Result<RunResult, ReplayError> {
    id.clone_into(&mut plan.id);
    let cache = Cache::open(&options.cache_dir);
    let strategies: Vec<&ConfiguredStrategy> = options.strategies.iter().collect();
    let mut run = RunResult::of(header(&strategies, options));
    Encoding::warm_up();
    // What a trace does in parallel within itself stays on one thread too: a cluster counts
    // processors by tasks.
    let (result, info) = pool(1)?.install(|| {
        let job = Job::new(&plan, &strategies, &run.header.strategies, &cache, options);
        Ok::<_, ReplayError>((run_job(&job, options, &cache)?, describe(&plan, &cache, options)?))
    })?;
    run.header.traces.push(info);
    result.add_to(&mut run, &plan, &strategies);
    Ok(run)
}

/// Opens every trace and its scenario, sorted by id: what is damaged is found before anything is
/// measured.
pub(crate) fn plan(traces: &[PathBuf], scenarios_dir: &Path) -> Result<Vec<TracePlan>, ReplayError> {
    if traces.is_empty() {
        return Err(ReplayError::NoTraces { path: PathBuf::from("traces") });
    }
    let mut plans = traces.iter().map(|path| TracePlan::open(path, scenarios_dir)).collect::<Result<Vec<_>, _>>()?;
    let ids = ids(plans.iter().map(|plan| (plan.id.as_str(), stem(&plan.path))));
    plans.iter_mut().zip(ids).for_each(|(plan, id)| plan.id = id);
    plans.sort_by(|a, b| (&a.id, &a.path).cmp(&(&b.id, &b.path)));
    Ok(plans)
}

/// Returns the name of a file without what follows its last dot.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the ids of traces in a run, of their scenarios and files: the scenario's name, with the
/// file's where several have the same.
pub(crate) fn ids<'a>(traces: impl Iterator<Item = (&'a str, String)> + Clone) -> Vec<String> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    traces.clone().for_each(|(scenario, _)| *count.entry(scenario).or_default() += 1);
    let is_alone = |scenario: &str| count.get(scenario).is_none_or(|count| *count < 2);
    traces
        .map(|(scenario, stem)| if is_alone(scenario) { scenario.to_owned() } else { format!("{scenario} ({stem})") })
        .collect()
}

/// Describes every trace, in parallel: what goes by a pass of its own is measured here.
fn describe_all(
    plans: &[TracePlan],
    cache: &Cache,
    options: &ReplayOptions<'_>,
) -> Result<Vec<TraceInfo>, ReplayError> {
    pool(options.threads)?.install(|| {
        let described: Vec<_> = plans.par_iter().with_max_len(1).map(|plan| describe(plan, cache, options)).collect();
        let mut infos = described.into_iter().collect::<Result<Vec<TraceInfo>, ReplayError>>()?;
        knowledge_bench::tell(&mut infos, plans, &options.cache_dir, cache)?;
        Ok(infos)
    })
}

pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, ReplayError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("replay-{index}"))
        .build()
        .map_err(|error| ReplayError::Threads { threads, reason: error.to_string() })
}

fn describe(plan: &TracePlan, cache: &Cache, options: &ReplayOptions<'_>) -> Result<TraceInfo, ReplayError> {
    Ok(TraceInfo {
        id: plan.id.clone(),
        scenario: plan.meta.scenario.clone(),
        goal: plan.scenario.goal.clone(),
        why: plan.scenario.why.clone(),
        browser: plan.meta.browser.clone(),
        hash: plan.hash.to_string(),
        steps: plan.rows.len() as u32,
        complete: plan.is_complete,
        bytes: plan.bytes,
        origin: plan.origin.clone(),
        peers: plan.peers.as_ref().map(PeersPlan::describe).transpose()?.unwrap_or_default(),
        attacks: attacks_of(plan),
        answers: inspect_bench::run(plan, cache, options.encoding, options.tokenizer)?,
        asked: reading_bench::run(plan, &options.cache_dir, cache, options.encoding, options.tokenizer)?,
        known: None,
    })
}

/// Lists the attacks by the trace's own steps.
fn attacks_of(plan: &TracePlan) -> Vec<AttackInfo> {
    let steps = |id: &str| -> Vec<u32> {
        let all = plan.rows.iter().map(|row| row.index.0);
        all.filter(|step| plan.attacks(*step).any(|attack| attack.id == id)).collect()
    };
    let attacks = plan.scenario.attacks.iter();
    attacks
        .map(|attack| AttackInfo { id: attack.id.clone(), kind: attack.kind, steps: steps(&attack.id) })
        .filter(|attack| !attack.steps.is_empty())
        .collect()
}

/// One trace, and what of it is in the cache.
struct Job<'a> {
    plan: &'a TracePlan,
    strategies: &'a [&'a ConfiguredStrategy],
    keys: Vec<String>,
    cached: Vec<Option<(Vec<Measurement>, Vec<Timing>)>>,
    steps: Option<Vec<StepInfo>>,
}

impl<'a> Job<'a> {
    fn new(
        plan: &'a TracePlan,
        strategies: &'a [&'a ConfiguredStrategy],
        infos: &[StrategyInfo],
        cache: &Cache,
        options: &ReplayOptions<'_>,
    ) -> Self {
        let keys: Vec<String> =
            infos.iter().map(|info| Cache::unit_key(plan, info, options.encoding, options.tokenizer)).collect();
        let cached = keys
            .iter()
            .zip(infos)
            .zip(strategies)
            .map(|((key, info), configured)| {
                if !configured.strategy.is_cacheable() {
                    return None;
                }
                let known = cache.unit(key, &plan.id).filter(|(rows, _)| rows.len() == plan.rows.len())?;
                options.progress.cached(&plan.id, &info.name);
                Some(known)
            })
            .collect();
        Self { plan, strategies, keys, cached, steps: cache.steps(plan) }
    }

    fn is_done(&self) -> bool {
        self.steps.is_some() && self.cached.iter().all(Option::is_some)
    }

    fn steps_to_do(&self) -> usize {
        if self.is_done() { 0 } else { self.plan.rows.len() }
    }
}

fn run_jobs(jobs: &[Job<'_>], options: &ReplayOptions<'_>, cache: &Cache) -> Result<Vec<TraceResult>, ReplayError> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(jobs[*index].plan.bytes));
    let slots: Vec<OnceLock<Result<TraceResult, ReplayError>>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let work = || {
        while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            let result = run_job(&jobs[*index], options, cache);
            if result.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            drop(slots[*index].set(result));
        }
    };
    if jobs.iter().all(Job::is_done) {
        work();
    } else {
        pool(options.threads)?.broadcast(|_| work());
    }
    let mut finished: Vec<_> =
        slots.into_iter().map(|slot| slot.into_inner().unwrap_or(Err(ReplayError::Cancelled))).collect();
    // The first real error in the order of traces; jobs that were not begun because of it have
    // none.
    let is_real = |result: &Result<_, _>| matches!(result, Err(error) if !matches!(error, ReplayError::Cancelled));
    match finished.iter().position(is_real) {
        Some(at) => finished.swap_remove(at).map(|result| vec![result]),
        None => finished.into_iter().collect(),
    }
}

fn run_job(job: &Job<'_>, options: &ReplayOptions<'_>, cache: &Cache) -> Result<TraceResult, ReplayError> {
    let shared = Shared {
        store: &cache.store,
        tokenizer: options.tokenizer,
        date: &options.date,
        machine: &options.machine,
        counted: RefCell::default(),
    };
    let mut units: Vec<Option<Unit<'_>>> = job
        .strategies
        .iter()
        .zip(&job.cached)
        .map(|(configured, cached)| cached.is_none().then(|| Unit::start(job.plan, configured)))
        .collect();
    let mut steps = job.steps.clone().unwrap_or_default();
    if !job.is_done() {
        let mut loader = StepLoader::open(job.plan, &options.cache_dir)?;
        steps.clear();
        let mut changing = HashSet::new();
        // Runs keep the step before until they see the next: it is let go after them, so that
        // freeing it is in nobody's latency.
        let mut before: Option<HeldStep> = None;
        for row in &job.plan.rows {
            let step = loader.load(row.index.0)?;
            changing.extend(step.earlier_second_look.iter().flat_map(|look| &look.changed).map(|changed| changed.key));
            let (index, painted) = (PageIndex::knowing(changing.clone()), Painted::of(&step));
            steps.push(step_info(job.plan, &step, &cache.store)?);
            for unit in units.iter_mut().flatten() {
                if options.cancel.load(Ordering::Relaxed) {
                    return Err(ReplayError::Cancelled);
                }
                unit.step(&shared, &step, &index, &painted)?;
                if let Some(row) = unit.rows.last() {
                    options.progress.row(row);
                }
            }
            before.replace(step.held());
            options.progress.step_done(&job.plan.id, row.index.0);
        }
        cache.keep_steps(job.plan, &steps)?;
    }
    let mut results = Vec::with_capacity(units.len());
    for (((unit, cached), key), configured) in units.into_iter().zip(&job.cached).zip(&job.keys).zip(job.strategies) {
        match (unit, cached) {
            (Some(unit), _) => {
                if !unit.has_failed() && configured.strategy.is_cacheable() {
                    cache.keep_unit(key, &unit.rows, &unit.timings)?;
                }
                results.push((unit.rows, unit.timings, false));
            }
            (None, Some((rows, timings))) => results.push((rows.clone(), timings.clone(), true)),
            (None, None) => {}
        }
    }
    Ok(TraceResult { units: results, steps })
}

fn step_info(plan: &TracePlan, step: &LoadedStep, store: &Store) -> Result<StepInfo, ReplayError> {
    let number = step.index.0;
    let next = plan.next(number);
    let row = plan.rows.get(number as usize);
    let scroll = step.page.scroll();
    let targets = next.map_or_else(Vec::new, |next| {
        next.acceptable
            .iter()
            .filter_map(|key| step.page.find(*key))
            .map(|node| node.bounds().to_viewport(scroll))
            .collect()
    });
    let screenshot = step.screenshot.as_ref().map(|image| store.put_image(&image.png)).transpose()?;
    Ok(StepInfo {
        trace: plan.id.clone(),
        step: number,
        url: step.page.url().to_owned(),
        title: step.page.title().to_owned(),
        nodes: step.page.len() as u32,
        action: step
            .action
            .as_ref()
            .map(|action| action_in_words(action.kind, action.node.as_ref(), &action.text))
            .unwrap_or_default(),
        next: next.map(|next| next.intent.clone()),
        targets,
        facts: plan.facts(number).iter().map(|fact| fact.text.clone()).collect(),
        screenshot,
        capture_micros: row.map_or(0, |row| row.timings.iter().map(|(_, micros)| *micros).sum()),
    })
}
