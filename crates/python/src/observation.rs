//! An observation as a Python object.
//!
//! In: what the lens wrote. Out: text, images, refs and what it cost. Invariant: it never changes.

use crate::errors::Raised;
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::{ImageSpace, Observation as Shown, ObservationKind, ObservedImage};
use browserlens_core::tokens::{Encoding, UnknownEncoding};
use browserlens_session::Session;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};

/// What an agent is shown of a page.
#[pyclass(frozen, module = "browserlens")]
pub struct Observation {
    pub(crate) shown: Shown,
    /// Step of the reader, from 0.
    #[pyo3(get)]
    step: u32,
    /// URL of the page.
    #[pyo3(get)]
    url: String,
    /// How long which part took, in microseconds.
    timings: Vec<(&'static str, u64)>,
    /// How the page was read: `whole`, `patched`, `unchanged`, or `again: <why>`; empty where no
    /// browser was asked.
    #[pyo3(get)]
    way: String,
}

impl Observation {
    /// What a session was just shown.
    pub(crate) fn of(shown: Shown, session: &Session) -> Self {
        let url = session.page().map_or("", |page| page.url());
        let url = escaped_line(url).into_owned();
        Self { shown, step: session.step(), url, timings: Vec::new(), way: String::new() }
    }

    pub(crate) fn timed(mut self, timings: Vec<(&'static str, u64)>, way: String) -> Self {
        (self.timings, self.way) = (timings, way);
        self
    }
}

#[pymethods]
impl Observation {
    /// The text for the model.
    #[getter]
    fn text(&self) -> &str {
        &self.shown.text
    }

    /// `full`, `delta` or `answer`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.shown.kind {
            ObservationKind::Full { .. } => "full",
            ObservationKind::Delta => "delta",
            ObservationKind::Answer => "answer",
        }
    }

    /// Why it is full; None for other kinds.
    #[getter]
    fn reason(&self) -> Option<&str> {
        match &self.shown.kind {
            ObservationKind::Full { reason } => Some(reason),
            _ => None,
        }
    }

    /// The representation that it was made from: `a11y`, `dom`, `vision`, `hybrid`.
    #[getter]
    fn representation(&self) -> Option<&str> {
        self.shown.representation.as_deref()
    }

    /// The refs in the text, and the node that each means: `{"@e12": "0.1.57"}`.
    #[getter]
    fn refs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shown.refs.iter().map(|target| (&target.handle, target.key.to_string())).into_py_dict(py)
    }

    /// The pictures.
    #[getter]
    fn images(&self) -> Vec<Image> {
        self.shown.images.iter().cloned().map(|image| Image { image }).collect()
    }

    /// How long each part took, in microseconds.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.timings.iter().copied().into_py_dict(py)
    }

    /// Counts the tokens of the text; images are not counted.
    #[pyo3(signature = (encoding = "o200k_base"))]
    fn tokens(&self, py: Python<'_>, encoding: &str) -> PyResult<u32> {
        let encoding: Encoding = encoding
            .parse()
            .map_err(|error: UnknownEncoding| Raised::options(error.to_string(), "use o200k_base or cl100k_base"))?;
        Ok(py.detach(|| encoding.count(&self.shown.text).0))
    }

    fn __str__(&self) -> &str {
        &self.shown.text
    }

    fn __repr__(&self) -> String {
        let (kind, characters) = (self.kind(), self.shown.text.chars().count());
        format!("<Observation {kind} step {} of {}, {characters} characters>", self.step, self.url)
    }
}

/// A picture of an observation.
#[pyclass(frozen, module = "browserlens")]
pub struct Image {
    image: ObservedImage,
}

#[pymethods]
impl Image {
    /// PNG bytes.
    #[getter]
    fn png<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.image.png)
    }

    /// Width in pixels.
    #[getter]
    fn width(&self) -> u32 {
        self.image.width
    }

    /// Height in pixels.
    #[getter]
    fn height(&self) -> u32 {
        self.image.height
    }

    /// Where its pixels lie, in CSS px: `viewport` or `document`, x, y, width, height.
    #[getter]
    fn area(&self) -> (&'static str, f32, f32, f32, f32) {
        match self.image.space {
            ImageSpace::Viewport(area) => ("viewport", area.x, area.y, area.width, area.height),
            ImageSpace::Document(area) => ("document", area.x, area.y, area.width, area.height),
        }
    }

    /// The PNG in base64.
    fn base64(&self) -> String {
        self.image.base64()
    }

    /// The PNG as a `data:` URL.
    fn data_url(&self) -> String {
        self.image.data_url()
    }

    fn __repr__(&self) -> String {
        format!("<Image {}x{}>", self.image.width, self.image.height)
    }
}
