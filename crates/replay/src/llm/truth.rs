//! What the handles of a stored run meant, and which nodes were acceptable.
//!
//! In: a run, the traces it was made from, the strategies. Out: per trace, strategy and step the
//! map from handle to node, and per trace and step the acceptable nodes. A run's folder keeps
//! neither. So the traces are replayed with a listener around each strategy, and a step counts only
//! where the text is, by its hash, the one that the run shows. Invariant: what cannot be proved to
//! belong to the run is not known: another trace, another text. Why not a map in the run's folder:
//! it would be larger than the observations, and only this reader wants it.

use super::error::LlmReadError;
use super::score::same_handle;
use crate::engine::{Quiet, ReplayOptions, replay};
use crate::error::ReplayError;
use crate::measure::Tokenizer;
use crate::packed::PackedPages;
use crate::run::RunResult;
use crate::steps::resolve;
use crate::store::content_hash;
use crate::strategies::ConfiguredStrategy;
use crate::trace_files::find_traces;
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{
    ActionChannel, Observation, ObservationKind, Request, Run, StepIndex, StepInput, Strategy, StrategyError, Task,
    TextFormat,
};
use browserlens_core::tokens::Encoding;
use browserlens_trace::Trace;
use browserlens_trace::scenario::{ExamAnswer, ExamQuestion, Scenario};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Handles and the nodes they mean.
pub(crate) type Handles = BTreeMap<String, NodeKey>;

/// Where the evidence of a run lies.
#[derive(Clone, Copy, Debug)]
pub struct TruthSource<'a> {
    /// Folder of the traces, or one trace.
    pub traces: &'a Path,
    /// Folder of the scenarios.
    pub scenarios_dir: &'a Path,
    /// An empty folder that may be filled and is not needed afterwards.
    pub scratch: &'a Path,
}

/// What is known about the handles of a run.
#[derive(Debug, Default)]
pub struct Truth {
    /// By trace, strategy and step: what was in the map before the step's requests were answered.
    handles: HashMap<(String, String, u32), Handles>,
    /// By trace and step: the nodes that the next action may act on.
    acceptable: HashMap<(String, u32), Vec<NodeKey>>,
    /// By trace and question of its exam: the controls whose refs are right.
    exam: HashMap<(String, String), Vec<NodeKey>>,
}

impl Truth {
    /// Returns the map of a step and its acceptable nodes; none where they are not known.
    pub(crate) fn of(&self, trace: &str, strategy: &str, step: u32) -> Option<(&Handles, &[NodeKey])> {
        let handles = self.handles.get(&(trace.to_owned(), strategy.to_owned(), step))?;
        let acceptable = self.acceptable.get(&(trace.to_owned(), step))?;
        Some((handles, acceptable))
    }

    /// Returns whether an answer is a ref of the control that a question of the exam asks for.
    pub(crate) fn means(&self, trace: &str, strategy: &str, question: &ExamQuestion, answer: &str) -> bool {
        let handles = self.handles.get(&(trace.to_owned(), strategy.to_owned(), question.step));
        let controls = self.exam.get(&(trace.to_owned(), question.id.clone()));
        let (Some(handles), Some(controls)) = (handles, controls) else { return false };
        handles.iter().any(|(handle, key)| controls.contains(key) && same_handle(handle, answer))
    }

    /// Finds out what the handles of a run meant; what cannot be found out is left unknown.
    ///
    /// # Errors
    /// [`LlmReadError::Replay`] if a trace of the run cannot be replayed.
    pub fn find(
        run: &RunResult,
        strategies: Vec<ConfiguredStrategy>,
        source: &TruthSource<'_>,
    ) -> Result<Self, LlmReadError> {
        let mut truth = Self::default();
        let shared: Vec<Shared> = strategies.into_iter().map(Shared::of).collect();
        let paths = match find_traces(source.traces) {
            Ok(paths) => paths,
            Err(ReplayError::NoTraces { .. } | ReplayError::File { .. }) => return Ok(truth),
            Err(error) => return Err(error.into()),
        };
        for (at, path) in paths.iter().enumerate() {
            // A trace that does not open is not the one that the run was made from.
            let Ok(trace) = Trace::open(path) else { continue };
            let hash = trace.hash().to_string();
            let Some(info) = run.header.traces.iter().find(|info| info.hash == hash) else { continue };
            let rows = trace.steps().map_err(ReplayError::from)?;
            for row in &rows {
                if let (Some(action), Some(before)) = (&row.action, row.index.0.checked_sub(1)) {
                    truth.acceptable.insert((info.id.clone(), before), action.acceptable.clone());
                }
            }
            truth.controls(&info.id, &trace, source)?;
            truth.listen(run, &info.id, path.clone(), &shared, source, at)?;
        }
        Ok(truth)
    }

    /// Finds the controls that the exam asks for.
    fn controls(&mut self, id: &str, trace: &Trace, source: &TruthSource<'_>) -> Result<(), LlmReadError> {
        let path = source.scenarios_dir.join(format!("{}.toml", trace.meta().scenario));
        if !path.is_file() {
            return Ok(());
        }
        let packed = PackedPages::open(&source.scratch.join("cache"), trace.hash());
        for question in Scenario::load(&path).map_err(ReplayError::from)?.exam {
            let ExamAnswer::Ref(target) = &question.answer else { continue };
            if question.step >= trace.len() {
                continue;
            }
            let page = match packed.load(question.step) {
                Some(page) => page,
                None => trace.page(StepIndex(question.step)).map_err(ReplayError::from)?.0,
            };
            let keys = resolve(target, &page).into_iter().map(|id| page.node(id).key()).collect();
            self.exam.insert((id.to_owned(), question.id), keys);
        }
        Ok(())
    }

    fn listen(
        &mut self,
        run: &RunResult,
        id: &str,
        path: PathBuf,
        shared: &[Shared],
        source: &TruthSource<'_>,
        at: usize,
    ) -> Result<(), LlmReadError> {
        let heard: Vec<Heard> = shared.iter().map(|_| Heard::default()).collect();
        let listeners: Vec<ConfiguredStrategy> =
            shared.iter().zip(&heard).map(|(strategy, heard)| strategy.listener(heard)).collect();
        replay(&ReplayOptions {
            traces: vec![path],
            scenarios_dir: source.scenarios_dir.to_owned(),
            strategies: &listeners,
            threads: 1,
            cache_dir: source.scratch.join("cache"),
            out_dir: source.scratch.join(format!("run-{at}")),
            encoding: Encoding::O200kBase,
            tokenizer: Tokenizer::Fast,
            date: String::new(),
            machine: String::new(),
            progress: &Quiet,
            cancel: &AtomicBool::new(false),
        })?;
        for (strategy, heard) in shared.iter().zip(heard) {
            let heard = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
            for (step, (text, handles)) in heard {
                let shown = run.measurement(id, &strategy.name, step).and_then(|row| row.numbers());
                if shown.is_some_and(|numbers| numbers.text == text) {
                    self.handles.insert((id.to_owned(), strategy.name.clone(), step), handles);
                }
            }
        }
        Ok(())
    }
}

/// By step: the hash of the text and the map.
type Heard = Arc<Mutex<BTreeMap<u32, (String, Handles)>>>;

/// A configured strategy that several listeners may stand around.
struct Shared {
    name: String,
    why: String,
    options: serde_json::Value,
    strategy: Arc<dyn Strategy>,
}

impl Shared {
    fn of(configured: ConfiguredStrategy) -> Self {
        let ConfiguredStrategy { name, why, options, strategy, sweep: _ } = configured;
        Self { name, why, options, strategy: strategy.into() }
    }

    fn listener(&self, heard: &Heard) -> ConfiguredStrategy {
        let strategy = Box::new(Listener { inner: Arc::clone(&self.strategy), heard: Arc::clone(heard) });
        let (name, why, options) = (self.name.clone(), self.why.clone(), self.options.clone());
        ConfiguredStrategy { name, why, options, strategy, sweep: None }
    }
}

/// A strategy that behaves as the one inside and notes what its handles mean.
struct Listener {
    inner: Arc<dyn Strategy>,
    heard: Heard,
}

impl Strategy for Listener {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn version(&self) -> &str {
        self.inner.version()
    }

    fn channel(&self) -> ActionChannel {
        self.inner.channel()
    }

    fn format(&self) -> TextFormat {
        self.inner.format()
    }

    fn legend(&self) -> Option<&str> {
        self.inner.legend()
    }

    fn is_cacheable(&self) -> bool {
        self.inner.is_cacheable()
    }

    fn start(&self, task: &Task) -> Box<dyn Run> {
        let (inner, heard) = (self.inner.start(task), Arc::clone(&self.heard));
        Box::new(ListenerRun { inner, heard, handles: Handles::new() })
    }
}

struct ListenerRun {
    inner: Box<dyn Run>,
    heard: Heard,
    handles: Handles,
}

impl ListenerRun {
    fn note(&mut self, observation: &Observation) {
        self.handles.extend(observation.refs.iter().map(|target| (target.handle.clone(), target.key)));
    }
}

impl Run for ListenerRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let observation = self.inner.observe(input)?;
        if matches!(observation.kind, ObservationKind::Full { .. }) {
            self.handles.clear();
        }
        self.note(&observation);
        let entry = (content_hash(observation.text.as_bytes()), self.handles.clone());
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).insert(input.step.0, entry);
        Ok(observation)
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let answer = self.inner.request(request)?;
        self.note(&answer);
        Ok(answer)
    }
}
