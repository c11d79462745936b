//! Several pages at once: answers from all of them, and what their concepts have to do with each
//! other.
//!
//! In: pages, each with a name. Out: text that names its sources, tuples. Invariant: the pages do
//! not change, and looking at them asks no browser.

use crate::errors::{Raised, Result};
use crate::page::Page;
use browserlens_core::page::text::escaped_line;
use browserlens_reading::graph::{ConceptError, PageGraph, SeenAt};
use browserlens_reading::{Extraction, ReadOptions, Searcher, answer_of_many, duplicates, extract};
use pyo3::prelude::*;
use std::sync::Arc;

/// Pages that are answered from together.
#[pyclass(frozen, module = "browserlens")]
pub struct Pages {
    pages: Vec<(String, Arc<browserlens_core::page::Page>, Extraction)>,
}

fn store(error: ConceptError) -> Raised {
    let hint = error.hint();
    Raised::new("ReadError", error.to_string(), hint)
}

pub(crate) fn share(name: &str, value: f32) -> Result<f32> {
    let wrong = || Raised::options(format!("{name} is {value}, expected a number from 0 to 1"), "give such a number");
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(wrong()) }
}

impl Pages {
    fn graph(&self) -> Result<PageGraph> {
        let mut graph = PageGraph::new(Searcher::default().embedder());
        for (at, (_, page, extraction)) in self.pages.iter().enumerate() {
            graph.add_blocks(page, &extraction.blocks, SeenAt(at as i64)).map_err(store)?;
        }
        Ok(graph)
    }
}

#[pymethods]
impl Pages {
    /// Takes pages; names stand in answers for their addresses.
    #[new]
    #[pyo3(signature = (pages, names = None))]
    fn new(py: Python<'_>, pages: Vec<Py<Page>>, names: Option<Vec<String>>) -> PyResult<Self> {
        if let Some(names) = names.as_ref().filter(|names| names.len() != pages.len()) {
            let message = format!("{} names for {} pages", names.len(), pages.len());
            return Err(Raised::options(message, "give as many names as pages, or none").into());
        }
        let pages: Vec<_> = pages.iter().map(|page| Arc::clone(&page.get().page)).collect();
        let names = names.unwrap_or_else(|| pages.iter().map(|page| page.url().to_owned()).collect());
        let cut = ReadOptions::default().cut;
        let pages = py.detach(|| {
            let read = names.into_iter().zip(pages).map(|(name, page)| {
                let extraction = extract(&page, cut);
                (name, page, extraction)
            });
            read.collect()
        });
        Ok(Self { pages })
    }

    fn __len__(&self) -> usize {
        self.pages.len()
    }

    fn __repr__(&self) -> String {
        format!("<Pages {}>", self.pages.len())
    }

    /// Gives the sections of all pages that answer a query, best first, each with the name of its
    /// page.
    #[pyo3(signature = (query, *, limit = None, offset = 0, min_relevance = None))]
    fn read_text(
        &self,
        py: Python<'_>,
        query: &str,
        limit: Option<usize>,
        offset: usize,
        min_relevance: Option<f32>,
    ) -> PyResult<String> {
        let min_relevance = min_relevance.map(|least| share("min_relevance", least)).transpose()?;
        let usual = ReadOptions::default();
        let options = ReadOptions { query: Some(query.to_owned()), limit, offset, min_relevance, ..usual };
        Ok(py.detach(|| {
            let pages: Vec<(String, &Extraction)> =
                self.pages.iter().map(|(name, _, extraction)| (name.clone(), extraction)).collect();
            let answer = answer_of_many(&pages, query, &Searcher::default(), &options).map_err(Raised::from)?;
            Ok::<_, Raised>(crate::page::told(answer))
        })?)
    }

    /// Gives the pages that have a concept like this, most similar first: address, title, concept
    /// and similarity, which is 0 where only a text has the words.
    #[pyo3(signature = (what, *, similarity = 0.7, limit = 10))]
    fn related(
        &self,
        py: Python<'_>,
        what: &str,
        similarity: f32,
        limit: usize,
    ) -> Result<Vec<(String, String, String, f32)>> {
        let least = share("similarity", similarity)?;
        py.detach(|| {
            let found = self.graph()?.find_related_pages(what, least, limit).map_err(store)?;
            let plain = |text: &str| escaped_line(text).into_owned();
            let row =
                found.iter().map(|page| (plain(&page.url), plain(&page.title), plain(&page.concept), page.similarity));
            Ok(row.collect())
        })
    }

    /// Gives the concepts on the shortest path from one to another; None if there is no path of at
    /// most five steps.
    fn path(&self, py: Python<'_>, start: &str, end: &str) -> PyResult<Option<Vec<String>>> {
        Ok(py.detach(|| {
            let found = self.graph()?.find_concept_path(start, end).map_err(store)?;
            let plain = |text: &String| escaped_line(text).into_owned();
            Ok::<_, Raised>(found.map(|path| path.concepts.iter().map(plain).collect()))
        })?)
    }

    /// Gives what all pages say about something, each text once, in at most so many characters.
    #[pyo3(signature = (what, *, chars = 20_000))]
    fn about(&self, py: Python<'_>, what: &str, chars: usize) -> PyResult<String> {
        Ok(py.detach(|| {
            let about = self.graph()?.about(what, chars).map_err(store)?;
            Ok::<_, Raised>(browserlens_core::page::text::escaped(&about.to_text()).into_owned())
        })?)
    }

    /// Gives what the pages say twice: pages that are alike, and texts that stand on several.
    fn duplicates(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let names: Vec<String> = self.pages.iter().map(|(name, ..)| name.clone()).collect();
            let pages: Vec<&Extraction> = self.pages.iter().map(|(_, _, extraction)| extraction).collect();
            duplicates(&pages).to_text(&names)
        })
    }
}
