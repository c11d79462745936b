//! A page as a Python object.
//!
//! In: one parsed capture. Out: its address, its nodes as a table, snapshots and text of it.
//! Invariant: it never changes, and looking at it asks no browser.

use crate::errors::{Raised, Result};
use crate::pages::share;
use crate::tables::{Table, nodes};
use browserlens_core::page::text::{escaped_json, escaped_line};
use browserlens_core::tokens::Tokens;
use browserlens_reading::{Answer, DEFAULT_CHARS, ReadOptions, Searcher, answer_of, extract};
use browserlens_snapshot::chunk::{ChunkOptions, DEFAULT_MAX, documents};
use browserlens_snapshot::{Format, GrepOptions, Mode, RefStyle, SnapshotOptions, snapshot};
use pyo3::prelude::*;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::Arc;

/// A page: one capture as one tree.
#[pyclass(frozen, module = "browserlens")]
pub struct Page {
    pub(crate) page: Arc<browserlens_core::page::Page>,
}

/// The arguments of a snapshot, as Python gives them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SnapshotAsked {
    mode: Option<String>,
    format: Option<String>,
    grep: Option<String>,
    ignore_case: bool,
    invert: bool,
    fixed_strings: bool,
    context: usize,
    selector: Option<String>,
    max_depth: Option<usize>,
    max_length: Option<usize>,
    include_hidden: bool,
    include_links: bool,
    include_images: bool,
    refs: Option<String>,
}

impl SnapshotAsked {
    /// Reads the arguments.
    pub(crate) fn options(self) -> Result<SnapshotOptions> {
        fn named<T: std::str::FromStr<Err: std::fmt::Display>>(name: Option<String>) -> Result<Option<T>> {
            let wrong = |error: T::Err| Raised::options(error.to_string(), "use one of the names that there are");
            name.map(|name| name.parse()).transpose().map_err(wrong)
        }
        if self.grep.is_none() && (self.ignore_case || self.invert || self.fixed_strings || self.context > 0) {
            let wrong = "ignore_case, invert, fixed_strings and context belong to grep, which is missing";
            return Err(Raised::options(wrong, "give grep, or leave them out"));
        }
        let Self { ignore_case, invert, fixed_strings, context, .. } = self;
        Ok(SnapshotOptions {
            mode: named::<Mode>(self.mode)?,
            format: named::<Format>(self.format)?.unwrap_or_default(),
            grep: self.grep.map(|pattern| GrepOptions { pattern, ignore_case, invert, fixed_strings, context }),
            selector: self.selector,
            max_depth: self.max_depth,
            max_length: self.max_length,
            include_hidden: self.include_hidden,
            include_links: self.include_links,
            include_images: self.include_images,
            refs: named::<RefStyle>(self.refs)?.unwrap_or_default(),
            ..SnapshotOptions::default()
        })
    }
}

/// The arguments of reading.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    pub(crate) query: Option<String>,
    pub(crate) section: Option<String>,
    pub(crate) graph: bool,
    pub(crate) limit: Option<usize>,
    pub(crate) offset: usize,
    pub(crate) within: Option<usize>,
    pub(crate) min_relevance: Option<f32>,
    pub(crate) chars: usize,
    pub(crate) skip: usize,
}

impl Reading {
    /// Checks them.
    pub(crate) fn options(self) -> Result<ReadOptions> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let Self { query, section, graph, limit, offset, within, min_relevance, chars, skip } = self;
        let min_relevance = min_relevance.map(|least| share("min_relevance", least)).transpose()?;
        let (query, section) = (said(query), said(section));
        let usual = ReadOptions::default();
        Ok(ReadOptions { query, section, graph, limit, offset, within, min_relevance, chars, skip, ..usual })
    }
}

/// Returns the text of an answer, with what is left out and how to go on behind it.
pub(crate) fn told(answer: Answer) -> String {
    let left_out = answer.left_out(|option, value| format!("{option}={value}"));
    let mut text = answer.text;
    if let Some(line) = left_out {
        text.push_str("\n\n");
        text.push_str(&line);
    }
    text
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
    #[pyo3(signature = (
        mode = None, *, format = None, grep = None, ignore_case = false, invert = false, fixed_strings = false,
        context = 0, selector = None, max_depth = None, max_length = None, include_hidden = false,
        include_links = false, include_images = false, refs = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn snapshot(
        &self,
        py: Python<'_>,
        mode: Option<String>,
        format: Option<String>,
        grep: Option<String>,
        ignore_case: bool,
        invert: bool,
        fixed_strings: bool,
        context: usize,
        selector: Option<String>,
        max_depth: Option<usize>,
        max_length: Option<usize>,
        include_hidden: bool,
        include_links: bool,
        include_images: bool,
        refs: Option<String>,
    ) -> PyResult<String> {
        let asked = SnapshotAsked {
            mode,
            format,
            grep,
            ignore_case,
            invert,
            fixed_strings,
            context,
            selector,
            max_depth,
            max_length,
            include_hidden,
            include_links,
            include_images,
            refs,
        };
        let options = asked.options()?;
        Ok(py.detach(|| snapshot(&self.page, &options).map_err(Raised::from))?)
    }

    /// Cuts the page's content into chunks for a vector store: documents as JSON, one a line.
    #[pyo3(signature = (max_tokens = DEFAULT_MAX, *, overlap = 0, breadcrumbs = true, selector = None, grep = None))]
    fn chunks(
        &self,
        py: Python<'_>,
        max_tokens: u32,
        overlap: u32,
        breadcrumbs: bool,
        selector: Option<String>,
        grep: Option<String>,
    ) -> PyResult<String> {
        let format = Some(Format::Markdown.to_string());
        let asked =
            SnapshotAsked { mode: Some(Mode::Content.to_string()), format, selector, grep, ..SnapshotAsked::default() };
        let options = SnapshotOptions { headings: true, ..asked.options()? };
        let chunks = ChunkOptions { overlap: Tokens(overlap), breadcrumbs, ..ChunkOptions::of(Tokens(max_tokens)) };
        Ok(py.detach(|| -> Result<String> {
            let text = snapshot(&self.page, &options).map_err(Raised::from)?;
            let found = documents(&text, self.page.url(), chunks)
                .map_err(|error| Raised::options(error.to_string(), "give a greater max_tokens"))?;
            let lines: Vec<String> = found.iter().map(|document| escaped_json(&document.json()).into_owned()).collect();
            Ok(lines.join("\n"))
        })?)
    }

    /// Reads the page's text: all of it, a section, or what answers a query; at most 20,000
    /// characters unless `chars` says otherwise (0 for all), and what is left out is told.
    #[pyo3(signature = (
        query = None, *, section = None, graph = false, limit = None, offset = 0, within = None,
        min_relevance = None, chars = DEFAULT_CHARS, skip = 0
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn read_text(
        &self,
        py: Python<'_>,
        query: Option<String>,
        section: Option<String>,
        graph: bool,
        limit: Option<usize>,
        offset: usize,
        within: Option<usize>,
        min_relevance: Option<f32>,
        chars: usize,
        skip: usize,
    ) -> PyResult<String> {
        let reading = Reading { query, section, graph, limit, offset, within, min_relevance, chars, skip };
        let options = reading.options()?;
        Ok(py.detach(|| {
            let extraction = extract(&self.page, options.cut);
            answer_of(&extraction, &Searcher::default(), &options).map(told).map_err(Raised::from)
        })?)
    }
}
