//! A page as a Python object.
//!
//! In: one parsed capture. Out: its address, its nodes as a table, snapshots and text of it.
//! Invariant: it never changes, and looking at it asks no browser.

use crate::errors::{Raised, Result};
use crate::tables::{Table, nodes};
use browserlens_page::text::escaped_line;
use browserlens_reading::{ReadOptions, Searcher, answer_of, extract};
use browserlens_snapshot::{Format, GrepOptions, Mode, SnapshotOptions, snapshot};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// A page: one capture as one tree.
#[pyclass(frozen, module = "browserlens")]
pub struct Page {
    pub(crate) page: Arc<browserlens_page::Page>,
}

/// Reads the arguments of a snapshot.
pub(crate) fn snapshot_options(
    mode: Option<&str>,
    format: Option<&str>,
    grep: Option<String>,
    selector: Option<String>,
    max_depth: Option<usize>,
    include_hidden: bool,
) -> Result<SnapshotOptions> {
    fn named<T: std::str::FromStr<Err: std::fmt::Display>>(name: Option<&str>) -> Result<Option<T>> {
        let wrong = |error: T::Err| Raised::options(error.to_string(), "use one of the names that there are");
        name.map(str::parse).transpose().map_err(wrong)
    }
    Ok(SnapshotOptions {
        mode: named::<Mode>(mode)?,
        format: named::<Format>(format)?.unwrap_or_default(),
        grep: grep.map(|pattern| GrepOptions { pattern, ..GrepOptions::default() }),
        selector,
        max_depth,
        include_hidden,
        ..SnapshotOptions::default()
    })
}

/// Reads the arguments of reading.
pub(crate) fn read_options(
    query: Option<String>,
    section: Option<String>,
    graph: bool,
    limit: Option<usize>,
    offset: usize,
) -> ReadOptions {
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    ReadOptions { query: said(query), section: said(section), graph, limit, offset, ..ReadOptions::default() }
}

#[pymethods]
impl Page {
    /// Address of the document.
    #[getter]
    fn url(&self) -> Cow<'_, str> {
        escaped_line(self.page.url())
    }

    /// Title of the document.
    #[getter]
    fn title(&self) -> Cow<'_, str> {
        escaped_line(self.page.title())
    }

    /// Width and height of the viewport in CSS px, and device pixels a CSS px.
    #[getter]
    fn viewport(&self) -> (u32, u32, f32) {
        let viewport = self.page.viewport();
        (viewport.width, viewport.height, viewport.scale)
    }

    /// How far the document is scrolled, in CSS px.
    #[getter]
    fn scroll(&self) -> (f32, f32) {
        let scroll = self.page.scroll();
        (scroll.x, scroll.y)
    }

    fn __len__(&self) -> usize {
        self.page.len()
    }

    fn __repr__(&self) -> String {
        format!("<Page {} \"{}\", {} nodes>", self.url(), self.title(), self.page.len())
    }

    /// Every node in document order, as an Arrow table.
    fn nodes(&self, py: Python<'_>) -> PyResult<Table> {
        Ok(py.detach(|| nodes(&self.page))?)
    }

    /// Lists what can be acted on, the outline or the content; refs are those that the lens gives
    /// the page as a first one.
    #[pyo3(signature = (mode = None, *, format = None, grep = None, selector = None, max_depth = None, include_hidden = false))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn snapshot(
        &self,
        py: Python<'_>,
        mode: Option<&str>,
        format: Option<&str>,
        grep: Option<String>,
        selector: Option<String>,
        max_depth: Option<usize>,
        include_hidden: bool,
    ) -> PyResult<String> {
        let options = snapshot_options(mode, format, grep, selector, max_depth, include_hidden)?;
        Ok(py.detach(|| snapshot(&self.page, &options).map_err(Raised::from))?)
    }

    /// Reads the page's text: all of it, a section, or what answers a query.
    #[pyo3(signature = (query = None, *, section = None, graph = false, limit = None, offset = 0))]
    fn read_text(
        &self,
        py: Python<'_>,
        query: Option<String>,
        section: Option<String>,
        graph: bool,
        limit: Option<usize>,
        offset: usize,
    ) -> PyResult<String> {
        let options = read_options(query, section, graph, limit, offset);
        Ok(py.detach(|| {
            let extraction = extract(&self.page, options.cut);
            answer_of(&extraction, &Searcher::default(), &options).map(|answer| answer.text).map_err(Raised::from)
        })?)
    }
}
