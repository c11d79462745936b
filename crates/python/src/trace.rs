//! A trace as a Python object.
//!
//! In: the path of a trace. Out: its steps, pages and events. Invariant: the file is only read.

use crate::errors::{Raised, Result};
use crate::observation::Observation;
use crate::page::Page;
use crate::tables::{Table, texts};
use arrow_array::{ArrayRef, UInt32Array, UInt64Array};
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::{EventFilter, EventKind, StepIndex};
use browserlens_core::sync::locked;
use browserlens_session::Session;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// A recording of one run of one scenario.
#[pyclass(frozen, module = "browserlens")]
pub struct Trace {
    /// The file.
    #[pyo3(get)]
    pub(crate) path: PathBuf,
    trace: Mutex<browserlens_trace::Trace>,
}

impl Trace {
    pub(crate) fn trace(&self) -> MutexGuard<'_, browserlens_trace::Trace> {
        locked(&self.trace)
    }
}

#[pymethods]
impl Trace {
    /// Opens a trace.
    #[new]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let trace = py.detach(|| browserlens_trace::Trace::open(&path).map_err(Raised::from))?;
        Ok(Self { path, trace: Mutex::new(trace) })
    }

    /// Scenario, goal, browser and the like.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let trace = self.trace();
        let (meta, out) = (trace.meta(), PyDict::new(py));
        out.set_item("scenario", escaped_line(&meta.scenario))?;
        out.set_item("goal", escaped_line(&meta.goal))?;
        out.set_item("site", meta.site.as_deref().map(escaped_line))?;
        out.set_item("source", meta.source.name())?;
        out.set_item("locale", escaped_line(&meta.locale))?;
        out.set_item("timezone", escaped_line(&meta.timezone))?;
        out.set_item("browser", escaped_line(&meta.browser))?;
        out.set_item("tool", escaped_line(&meta.tool))?;
        out.set_item("recorded_at", meta.recorded_at.as_deref().map(escaped_line))?;
        out.set_item("viewport", (meta.viewport.width, meta.viewport.height, meta.viewport.scale))?;
        Ok(out)
    }

    /// Hash of the file, in hexadecimal digits.
    #[getter]
    fn hash(&self) -> String {
        self.trace().hash().to_string()
    }

    /// Whether the recording came to its end.
    #[getter]
    fn complete(&self) -> bool {
        self.trace().is_complete()
    }

    fn __len__(&self) -> usize {
        self.trace().len() as usize
    }

    fn __repr__(&self) -> String {
        let trace = self.trace();
        let path = self.path.display().to_string();
        let (path, scenario) = (escaped_line(&path), escaped_line(&trace.meta().scenario));
        format!("<Trace {path} \"{scenario}\", {} steps>", trace.len())
    }

    /// The page after a step.
    fn page(&self, py: Python<'_>, step: u32) -> PyResult<Page> {
        let (page, _) = py.detach(|| self.trace().page(StepIndex(step)).map_err(Raised::from))?;
        Ok(Page { page: Arc::new(page) })
    }

    /// The steps, as an Arrow table.
    fn steps(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(py.detach(|| steps(&self.trace()))?)
    }

    /// Console messages, requests, dialogs, tabs and downloads, as an Arrow table.
    fn events(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(py.detach(|| events(&self.trace()))?)
    }

    /// What a strategy of the lens says at every step; options are JSON.
    #[pyo3(signature = (strategy = "lens/delta", options = "{}"))]
    fn observe(&self, py: Python<'_>, strategy: &str, options: &str) -> PyResult<Vec<Observation>> {
        let options = given(options, "options")?;
        Ok(py.detach(|| observations(self, strategy, &options))?)
    }

    /// Asks console, network or DOM as they stand at a step; query and answer are JSON.
    #[pyo3(signature = (tool, query = "{}", step = None))]
    fn inspect(&self, py: Python<'_>, tool: &str, query: &str, step: Option<u32>) -> PyResult<String> {
        let query = given(query, "query")?;
        Ok(py.detach(|| -> Result<String> {
            let mut session = Session::over_trace(&self.path)?;
            session.set_step(StepIndex(step.unwrap_or_else(|| self.trace().len().saturating_sub(1))))?;
            Ok(session.inspection(tool, query)?)
        })?)
    }
}

fn given(text: &str, what: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Raised::options(format!("{what}: {error}"), "give a JSON object"))
}

fn observations(trace: &Trace, strategy: &str, options: &Value) -> Result<Vec<Observation>> {
    let mut session = Session::over_trace(&trace.path)?;
    session.use_strategy(strategy, options)?;
    let rows = trace.trace().steps()?;
    let mut shown = Vec::new();
    for row in rows {
        session.set_step(row.index)?;
        let observation = session.observation(false, row.action.as_ref().map(|action| &action.taken))?;
        shown.push(Observation::of(observation, &session));
    }
    Ok(shown)
}

fn steps(trace: &browserlens_trace::Trace) -> Result<Table> {
    let rows = trace.steps()?;
    let taken = || rows.iter().map(|row| row.action.as_ref().map(|action| &action.taken));
    Table::of(vec![
        ("step", Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.index.0))) as ArrayRef),
        ("tab", Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.tab)))),
        ("action", texts(taken().map(|taken| taken.map_or("", |taken| taken.kind.name())))),
        ("text", texts(taken().map(|taken| taken.map_or("", |taken| &taken.text)))),
        ("settled", texts(rows.iter().map(|row| row.settled.reason.as_str()))),
        ("waited_ms", Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.settled.waited_ms)))),
    ])
}

fn events(trace: &browserlens_trace::Trace) -> Result<Table> {
    let events = trace.events(&EventFilter::default(), None, usize::MAX)?;
    let said: Vec<(String, String)> = events
        .iter()
        .map(|event| match &event.kind {
            EventKind::Console(message) => (message.text.clone(), message.url.clone()),
            EventKind::Request(request) => (format!("{} {}", request.method, request.status), request.url.clone()),
            EventKind::Dialog(dialog) => (dialog.message.clone(), String::new()),
            EventKind::Tab(tab) => (tab.what.clone(), tab.url.clone()),
            EventKind::Download(download) => (download.file_name.clone(), download.url.clone()),
        })
        .collect();
    Table::of(vec![
        ("position", Arc::new(UInt64Array::from_iter_values(events.iter().map(|event| event.position))) as ArrayRef),
        ("step", Arc::new(UInt32Array::from_iter_values(events.iter().map(|event| event.step)))),
        ("tab", Arc::new(UInt32Array::from_iter_values(events.iter().map(|event| event.tab)))),
        ("at_ms", Arc::new(UInt64Array::from_iter_values(events.iter().map(|event| event.at_ms)))),
        ("kind", texts(events.iter().map(|event| event.kind.name()))),
        ("text", texts(said.iter().map(|(text, _)| text.as_str()))),
        ("url", texts(said.iter().map(|(_, url)| url.as_str()))),
    ])
}
