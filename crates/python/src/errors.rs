//! Errors as exceptions of `browserlens.errors`.
//!
//! In: errors of every crate below. Out: an exception of the class for its area. Invariant: its
//! text and its hint are the error's own (what nobody sees escaped), and its place says as data
//! what the text says in words: file, table, row, step, URL.

use browserlens::with_causes;
use browserlens_core::page::text::{escaped, escaped_line};
use browserlens_core::strategy::{SourceError, StrategyError};
use browserlens_reading::ReadError;
use browserlens_recorder::RecordError;
use browserlens_session::{PartError, ToolError};
use browserlens_snapshot::SnapshotError;
use browserlens_trace::{Fault, TraceError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Where something went wrong.
#[derive(Clone, Debug, Default, IntoPyObject)]
pub(crate) struct ErrorLocation {
    pub(crate) file: Option<String>,
    pub(crate) table: Option<String>,
    pub(crate) row: Option<i64>,
    pub(crate) step: Option<u32>,
    pub(crate) url: Option<String>,
}

/// An error on its way to Python.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    class: &'static str,
    text: String,
    hint: String,
    /// Boxed, so that what goes well need not carry its size.
    place: Box<ErrorLocation>,
}

pub(crate) type Result<T, E = Raised> = std::result::Result<T, E>;

impl Raised {
    pub(crate) fn new(class: &'static str, text: impl Into<String>, hint: &str) -> Self {
        Self { class, text: text.into(), hint: hint.to_owned(), place: Box::default() }
    }

    /// The page is closed or cannot be reached.
    pub(crate) fn page(text: impl Into<String>, hint: &str) -> Self {
        Self::new("PageError", text, hint)
    }

    /// Something that cannot be went wrong.
    pub(crate) fn mistake(text: impl Into<String>) -> Self {
        Self::new("BrowserLensError", text, "this is a mistake in the package: report it")
    }

    /// An argument is wrong.
    pub(crate) fn options(text: impl Into<String>, hint: &str) -> Self {
        Self::new("OptionsError", text, hint)
    }

    pub(crate) fn at_url(mut self, url: &str) -> Self {
        if !url.is_empty() {
            self.place.url = Some(escaped_line(url).into_owned());
        }
        self
    }

    fn build<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let module = py.import("browserlens.errors")?;
        let place = module.getattr("Place")?.call((), Some(&(*self.place).clone().into_pyobject(py)?))?;
        let [text, hint] = [&self.text, &self.hint].map(|text| PyString::new(py, &escaped(text)));
        module.getattr(self.class)?.call1((text, place, hint))
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        Python::attach(|py| match raised.build(py) {
            Ok(exception) => Self::from_value(exception),
            Err(error) => error,
        })
    }
}

impl From<TraceError> for Raised {
    fn from(error: TraceError) -> Self {
        let mut raised = Self::new("TraceError", error.to_string(), error.hint());
        raised.place.file = Some(error.path.display().to_string());
        match &error.fault {
            Fault::Damaged { place, .. }
            | Fault::Missing { place, .. }
            | Fault::DiskFull { place, .. }
            | Fault::Sqlite { place, .. } => {
                raised.place.table = Some(place.table.to_owned());
                raised.place.row = place.row;
            }
            Fault::NoStep { step, .. }
            | Fault::Unparsable { step, .. }
            | Fault::NotCanonical { step, .. }
            | Fault::OutOfOrder { step, .. }
            | Fault::EventOutOfOrder { step, .. } => raised.place.step = Some(step.0),
            _ => {}
        }
        raised
    }
}

impl From<SourceError> for Raised {
    fn from(error: SourceError) -> Self {
        if let SourceError::Failed { cause, .. } = &error {
            if let Some(trace) = cause.downcast_ref::<TraceError>() {
                return Self::new("TraceError", with_causes(&error), trace.hint());
            }
            if let Some(record) = cause.downcast_ref::<RecordError>() {
                return Self::page(with_causes(record), "observe again once the page has settled");
            }
        }
        Self::page(with_causes(&error), "observe again; open the page again if it stays")
    }
}

impl From<ToolError> for Raised {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Part(PartError::Source(error)) => error.into(),
            ToolError::Part(PartError::Trace(error)) => error.into(),
            ToolError::Part(PartError::Strategy(error)) => error.into(),
            ToolError::Part(PartError::Snapshot(error)) => error.into(),
            ToolError::Part(PartError::Read(error)) => error.into(),
            ToolError::Part(PartError::Inspect(error)) => Self::new("InspectError", with_causes(&error), error.hint()),
            ToolError::Arguments(text) => match text.split_once("; ") {
                Some((wrong, known)) => Self::options(wrong, known),
                None => Self::options(text, "see the options of crates/lens/GRAMMAR.md"),
            },
            ToolError::UnknownRef { reference } => Self::page(
                format!("{reference} was not shown in this session"),
                "use a ref of the last observation, as it is written there, such as @e12",
            ),
            ToolError::NotThere { message, hint } => Self::page(message, hint),
            error => Self::page(with_causes(&error), "observe again; open the page again if it stays"),
        }
    }
}

impl From<RecordError> for Raised {
    fn from(error: RecordError) -> Self {
        Self::page(with_causes(&error), error.hint())
    }
}

impl From<StrategyError> for Raised {
    fn from(error: StrategyError) -> Self {
        let (step, hint) = match &error {
            StrategyError::Missing { step, .. } => (Some(step.0), "use a strategy that reads what this page has"),
            StrategyError::Unanswerable { .. } => {
                (None, "use a handle of the last observation, as it is written there, such as @m3")
            }
            StrategyError::Failed { step, .. } => (Some(step.0), "observe again"),
        };
        let mut raised = Self::new("StrategyError", error.to_string(), hint);
        raised.place.step = step;
        raised
    }
}

impl From<SnapshotError> for Raised {
    fn from(error: SnapshotError) -> Self {
        Self::new("SnapshotError", error.to_string(), error.hint())
    }
}

impl From<ReadError> for Raised {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Source(error) => error.into(),
            error => Self::new("ReadError", with_causes(&error), error.hint()),
        }
    }
}
