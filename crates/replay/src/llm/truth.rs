//! What the handles of a stored run meant, and which nodes were acceptable.
//!
//! In: a run, the traces it was made from, the strategies. Out: per trace, strategy and step the
//! map from handle to node, and per trace and step the acceptable nodes. A run's folder keeps
//! neither. So the traces are replayed, and a step counts only where the text is, by its hash, the
//! one that the run shows. Invariant: what cannot be proved to belong to the run is not known:
//! another trace, another text. Why not a map in the run's folder: it would be larger than the
//! observations, and only this reader wants it.

use super::error::LlmReadError;
use super::score::same_handle;
use crate::error::ReplayError;
use crate::measure::Measurement;
use crate::peers;
use crate::run::RunResult;
use crate::steps::{PageLoader, TracePlan, resolve};
use crate::store::Store;
use crate::strategies::ConfiguredStrategy;
use crate::trace_files::find_traces;
use crate::unit::{self, Handles};
use browserlens_core::page::NodeKey;
use browserlens_trace::Trace;
use browserlens_trace::scenario::{ExamAnswer, ExamQuestion};
use std::collections::HashMap;
use std::path::Path;

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
        strategies: &[ConfiguredStrategy],
        source: &TruthSource<'_>,
    ) -> Result<Self, LlmReadError> {
        let mut truth = Self::default();
        let paths = match find_traces(source.traces) {
            Ok(paths) => paths,
            Err(ReplayError::NoTraces { .. } | ReplayError::File { .. }) => return Ok(truth),
            Err(error) => return Err(error.into()),
        };
        for path in paths {
            // A trace that does not open is not the one that the run was made from.
            let Ok(trace) = Trace::open(&path) else { continue };
            let hash = trace.hash().to_string();
            if let Some(info) = run.header.traces.iter().find(|info| info.hash == hash) {
                truth.look(run, &info.id, &path, strategies, source)?;
            }
        }
        Ok(truth)
    }

    /// Replays one trace and takes what it proves.
    fn look(
        &mut self,
        run: &RunResult,
        id: &str,
        path: &Path,
        strategies: &[ConfiguredStrategy],
        source: &TruthSource<'_>,
    ) -> Result<(), ReplayError> {
        let (plan, cache_dir) = (TracePlan::open(path, source.scenarios_dir)?, source.scratch.join("cache"));
        for row in &plan.rows {
            if let (Some(action), Some(before)) = (&row.action, row.index.0.checked_sub(1)) {
                self.acceptable.insert((id.to_owned(), before), action.acceptable.clone());
            }
        }
        let mut pages = PageLoader::new(&plan, &cache_dir);
        for question in &plan.scenario.exam {
            if let ExamAnswer::Ref(target) = &question.answer
                && (question.step as usize) < plan.rows.len()
            {
                let page = pages.page(question.step)?;
                let keys = resolve(target, &page).into_iter().map(|id| page.node(id).key()).collect();
                self.exam.insert((id.to_owned(), question.id.clone()), keys);
            }
        }
        let was_recorded = |output: &str| usize::from(plan.peers.as_ref().is_some_and(|peers| peers.has(output)));
        let in_play = peers::in_play(strategies, 1, was_recorded);
        let store = Store::open(source.scratch.join("observations"));
        unit::look(&plan, &in_play, u32::MAX, &cache_dir, &store, |step, units| {
            let step = step.index.0;
            for (unit, strategy) in units.iter().zip(&in_play) {
                let Some((numbers, handles)) = unit.noted() else { continue };
                let shown = run.measurement(id, &strategy.name, step).and_then(Measurement::numbers);
                if shown.is_some_and(|shown| shown.text == numbers.text) {
                    self.handles.insert((id.to_owned(), strategy.name.clone(), step), handles.clone());
                }
            }
        })?;
        Ok(())
    }
}
