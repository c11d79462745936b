//! Replay for Python: whole runs on this machine, parts of runs for many.
//!
//! In: traces, strategies as TOML and where their files lie. Out: a [`Run`], or a [`Part`] that is
//! later merged into one. Invariants: nothing is measured here that the crate `replay` does not
//! measure; Python's lock is released while it does; what a strategy does wrong is a row of the
//! tables, never an exception.

use crate::errors::{Raised, Result};
use crate::tables::Table;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt32Array, UInt64Array};
use browserlens_core::tokens::Encoding;
use browserlens_replay::table::{Cells, measurements, timings};
use browserlens_replay::{
    ConfiguredStrategy, Merge, PlannedTrace, ReplayError, ReplayOptions, RunResult, Store, StrategiesError, Tokenizer,
    find_traces, merge, read_parts, strategies,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The strategies that the bench comes with.
const BUNDLED: &str = include_str!("../../../traces/strategies.toml");

impl From<ReplayError> for Raised {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Trace(error) => error.into(),
            ReplayError::NoStrategies | ReplayError::Parts { .. } => Self::options(error.to_string(), error.hint()),
            error => Self::new("BrowserLensError", error.to_string(), error.hint()),
        }
    }
}

impl From<StrategiesError> for Raised {
    fn from(error: StrategiesError) -> Self {
        Self::options(error.to_string(), error.hint())
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Raised::mistake(error.to_string()))
}

pub(crate) fn encoding_of(name: &str) -> Result<Encoding> {
    name.parse().map_err(|error| {
        Raised::options(format!("encoding {name:?}: {error}"), "use \"o200k_base\" or \"cl100k_base\"")
    })
}

fn planned_of(text: &str) -> Result<PlannedTrace> {
    serde_json::from_str(text).map_err(|error| Raised::options(error.to_string(), "hand over what plan_trace returned"))
}

fn as_table(table: browserlens_replay::table::Table) -> Result<Table> {
    let columns = table.columns.into_iter().map(|column| {
        let cells: ArrayRef = match column.cells {
            Cells::Text(cells) => Arc::new(StringArray::from_iter(cells)),
            Cells::Small(cells) => Arc::new(UInt32Array::from(cells)),
            Cells::Large(cells) => Arc::new(UInt64Array::from(cells)),
            Cells::Real(cells) => Arc::new(Float64Array::from(cells)),
            Cells::Truth(cells) => Arc::new(BooleanArray::from(cells)),
        };
        (column.name, cells)
    });
    Table::with_gaps(columns.collect())
}

/// Strategies that were read and built.
#[pyclass(frozen, module = "browserlens")]
pub struct Strategies {
    all: Arc<Vec<ConfiguredStrategy>>,
}

#[pymethods]
impl Strategies {
    /// Builds strategies of TOML texts, each with the path that it stands at, or would; files that
    /// a text names lie beside that path.
    ///
    /// None for a text stands for the bundled strategies. With names, only those are kept.
    #[new]
    #[pyo3(signature = (sources, names = None))]
    fn new(py: Python<'_>, sources: Vec<(Option<String>, PathBuf)>, names: Option<Vec<String>>) -> Result<Self> {
        py.detach(|| {
            let mut all: Vec<ConfiguredStrategy> = Vec::new();
            for (text, path) in sources {
                for strategy in strategies::parse(text.as_deref().unwrap_or(BUNDLED), &path)? {
                    if all.iter().any(|known| known.name == strategy.name) {
                        return Err(Raised::options(
                            format!("strategy {:?} is given twice", strategy.name),
                            "give one of them another name",
                        ));
                    }
                    all.push(strategy);
                }
            }
            if let Some(names) = names {
                all = strategies::select(all, &names, Path::new("strategies"))?;
            }
            Ok(Self { all: Arc::new(all) })
        })
    }

    /// Their names, in the order of the texts.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.all.iter().map(|strategy| strategy.name.clone()).collect()
    }

    /// Decides for planned traces (JSON, as `plan_trace` returns it) what they decide together: ids
    /// and strategies in play; as JSON.
    fn decide(&self, planned: Vec<String>) -> Result<String> {
        let planned = planned.iter().map(|text| planned_of(text)).collect::<Result<Vec<_>>>()?;
        json(&browserlens_replay::decide(&planned, &self.all)?)
    }

    /// Returns the name of the part of a planned trace.
    fn part_name(&self, planned: &str, id: &str, encoding: &str) -> Result<String> {
        let planned = planned_of(planned)?;
        let infos: Vec<_> = self.all.iter().map(ConfiguredStrategy::describe).collect();
        Ok(planned.part_name(id, &infos, encoding_of(encoding)?, Tokenizer::Fast))
    }
}

/// What came of one trace.
#[pyclass(frozen, module = "browserlens")]
pub struct Part {
    part: browserlens_replay::Part,
    cache_dir: PathBuf,
}

#[pymethods]
impl Part {
    /// Replays one trace on this thread.
    #[new]
    #[pyo3(signature = (
        trace, id, scenarios_dir, strategies, cache_dir, *, encoding = "o200k_base", date = "", machine = ""
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        trace: PathBuf,
        id: &str,
        scenarios_dir: PathBuf,
        strategies: &Strategies,
        cache_dir: PathBuf,
        encoding: &str,
        date: &str,
        machine: &str,
    ) -> Result<Self> {
        let encoding = encoding_of(encoding)?;
        py.detach(|| {
            let (date, machine) = (date.to_owned(), machine.to_owned());
            let usual = ReplayOptions::new(Vec::new(), scenarios_dir, &strategies.all, Path::new(""));
            let options = ReplayOptions { cache_dir: cache_dir.clone(), encoding, date, machine, ..usual };
            let part = browserlens_replay::Part::make(&trace, id, &options)?;
            Ok(Self { part, cache_dir })
        })
    }

    /// The rows of measurements.
    #[getter]
    fn measurements(&self) -> Result<Table> {
        as_table(measurements(&self.part.run.measurements))
    }

    /// The rows of timings.
    #[getter]
    fn timings(&self) -> Result<Table> {
        as_table(timings(&self.part.timings))
    }

    /// How many steps the trace has.
    #[getter]
    fn steps(&self) -> usize {
        self.part.run.steps.len()
    }

    /// How many rows there are.
    #[getter]
    fn rows(&self) -> usize {
        self.part.run.measurements.len()
    }

    /// How many of them are errors.
    #[getter]
    fn failed_rows(&self) -> usize {
        self.part.failed_rows()
    }

    /// The part as bytes: what `merge_parts` reads.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.part.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Brings what was shown into a store.
    fn keep_observations(&self, py: Python<'_>, store: PathBuf) -> Result<()> {
        py.detach(|| Ok(self.part.keep_observations(&self.cache_dir, &Store::open(store))?))
    }
}

/// A stored run: what `browserlens bench --from` makes a report of.
#[pyclass(frozen, module = "browserlens")]
pub struct Run {
    run: RunResult,
}

#[pymethods]
impl Run {
    /// Loads a run from its folder.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> Result<Self> {
        py.detach(|| Ok(Self { run: RunResult::load(&folder)? }))
    }

    /// The folder of the run.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.run.folder.clone()
    }

    /// Its id: a hash of everything but timings.
    #[getter]
    fn id(&self) -> Result<String> {
        Ok(self.run.id()?)
    }

    /// The ids of its traces.
    #[getter]
    fn traces(&self) -> Vec<String> {
        self.run.header.traces.iter().map(|trace| trace.id.clone()).collect()
    }

    /// The names of its strategies.
    #[getter]
    fn strategies(&self) -> Vec<String> {
        self.run.header.strategies.iter().map(|strategy| strategy.name.clone()).collect()
    }

    /// What is to be said of it, such as what it leaves out.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.run.header.notes.clone()
    }

    /// One row a trace, strategy and step; columns as in `reports/SCHEMA.md`.
    #[getter]
    fn measurements(&self) -> Result<Table> {
        as_table(measurements(&self.run.measurements))
    }

    /// Latencies, one row a trace, strategy and step.
    #[getter]
    fn timings(&self) -> Result<Table> {
        as_table(timings(&self.run.timings))
    }

    /// Returns what a strategy showed at a step; None if it failed there or there is no such row.
    fn observation(&self, py: Python<'_>, trace: &str, strategy: &str, step: u32) -> Result<Option<String>> {
        py.detach(|| Ok(self.run.observation(trace, strategy, step)?.map(|shown| shown.text)))
    }

    fn __repr__(&self) -> String {
        let RunResult { header, measurements, .. } = &self.run;
        let (traces, strategies) = (header.traces.len(), header.strategies.len());
        format!("<Run {traces} traces, {strategies} strategies, {} rows>", measurements.len())
    }
}

/// Returns the traces below a folder, sorted.
#[pyfunction]
pub fn trace_files(py: Python<'_>, path: PathBuf) -> Result<Vec<PathBuf>> {
    py.detach(|| Ok(find_traces(&path)?))
}

/// Opens a trace and its scenario, and returns as JSON what has to be known of it before it is
/// decided what a run does with it.
#[pyfunction]
pub fn plan_trace(py: Python<'_>, trace: PathBuf, scenarios_dir: PathBuf) -> Result<String> {
    py.detach(|| json(&PlannedTrace::open(&trace, &scenarios_dir)?))
}

/// Returns the name of a trace's scenario.
#[pyfunction]
pub fn scenario_of(py: Python<'_>, trace: PathBuf) -> Result<String> {
    py.detach(|| Ok(browserlens_trace::Trace::open(&trace)?.meta().scenario.clone()))
}

/// Puts the parts of a folder together and stores the run.
#[pyfunction]
#[pyo3(signature = (
    parts, out_dir, cache_dir, *, observations = None, traces = None, scenarios_dir = None, notes = Vec::new()
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn merge_parts(
    py: Python<'_>,
    parts: PathBuf,
    out_dir: PathBuf,
    cache_dir: PathBuf,
    observations: Option<PathBuf>,
    traces: Option<Vec<PathBuf>>,
    scenarios_dir: Option<PathBuf>,
    notes: Vec<String>,
) -> Result<Run> {
    py.detach(|| {
        let store = observations.map(Store::open);
        let scenarios_dir = scenarios_dir.unwrap_or_default();
        let traces = traces.as_deref().map(|traces| (traces, scenarios_dir.as_path()));
        let (out_dir, cache_dir) = (out_dir.as_path(), cache_dir.as_path());
        let into = Merge { out_dir, observations: store.as_ref(), traces, cache_dir, notes };
        Ok(Run { run: merge(read_parts(&parts)?, &into)? })
    })
}

/// Replays strategies over traces on this machine and stores the run.
#[pyfunction]
#[pyo3(signature = (
    traces, strategies, scenarios_dir, out_dir, cache_dir, *, threads = 0, encoding = "o200k_base", date = "",
    machine = ""
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn replay_traces(
    py: Python<'_>,
    traces: Vec<PathBuf>,
    strategies: &Strategies,
    scenarios_dir: PathBuf,
    out_dir: PathBuf,
    cache_dir: PathBuf,
    threads: usize,
    encoding: &str,
    date: &str,
    machine: &str,
) -> Result<Run> {
    let encoding = encoding_of(encoding)?;
    py.detach(|| {
        let (date, machine) = (date.to_owned(), machine.to_owned());
        let usual = ReplayOptions::new(traces, scenarios_dir, &strategies.all, Path::new(""));
        let options = ReplayOptions { threads, cache_dir, out_dir, encoding, date, machine, ..usual };
        Ok(Run { run: browserlens_replay::replay(&options)? })
    })
}
