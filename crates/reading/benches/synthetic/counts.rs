//! What reading a generated page comes to in nodes, bytes and tokens: the same on every machine.
//!
//! In: a size. Out: counts, and the cells that tables show of them.

#![allow(dead_code, reason = "each user needs a part of it")]

use crate::synthetic::{self, Size, topic};
use browserlens_core::page::{utf16_prefix, visible_text};
use browserlens_core::tokens::Encoding;
use browserlens_reading::embed::Lexical;
use browserlens_reading::graph::{ContentGraph, summary};
use browserlens_reading::retrieval::{PageIndex, SearchOptions, answer};
use browserlens_reading::{Cut, Extraction, MAX_CHARS, extract};
use std::error::Error;
use std::sync::Arc;

/// Characters of a summary.
const SUMMARY: usize = 4_000;

/// Above the table of [`PageCounts::cells`].
pub const TITLE: &str = "Benchmark Data: what an agent reads, in tokens";

/// The columns of [`PageCounts::cells`].
pub const HEADERS: [&str; 6] =
    ["page", "full text", "first 20,000 characters", "answer to a question (top 3)", "under a heading", "summary"];

/// Counts of one page.
pub struct PageCounts {
    pub nodes: usize,
    /// Bytes of the plain text, and of what is cut off it.
    pub text: usize,
    pub lost: usize,
    /// Tokens.
    pub full: u32,
    pub first: u32,
    pub answer: u32,
    pub section: u32,
    pub summary: u32,
}

/// A question about a section in the middle.
pub fn question(page: &Extraction) -> String {
    let (aspect, subject) = topic(page.sections.len() / 2);
    format!("what about the {aspect} of {subject}?")
}

/// Counts the page of a size; an error if the question about it is not answered.
pub fn of(size: Size) -> Result<PageCounts, Box<dyn Error>> {
    let url = synthetic::address(size);
    let page = synthetic::page(&url, size.name, size.nodes, size.text);
    let text = visible_text(&page);
    let first = utf16_prefix(&text, MAX_CHARS);
    let extraction = extract(&page, Cut::All);
    let query = question(&extraction);
    let index = PageIndex::of(Arc::new(Lexical::default()), &url, &extraction.sections, &[])?;
    let found = answer(&query, &index.search(&query, &SearchOptions::default())?);
    let (aspect, subject) = topic(extraction.sections.len() / 2);
    if !found.contains(&format!("The {aspect} of {subject}")) {
        Err(format!("{}: the answer to {query:?} misses its section:\n{found}", size.name))?;
    }
    let graph = ContentGraph::of(&url, size.name, &extraction.blocks);
    let under = graph.under(&format!("the {aspect} of {subject}")).ok_or("no heading")?;
    let count = |text: &str| Encoding::O200kBase.count(text).0;
    Ok(PageCounts {
        nodes: page.len() - 3,
        text: text.len(),
        lost: text.len() - first.len(),
        full: count(&extraction.full_text),
        first: count(first),
        answer: count(&found),
        section: count(&graph.text_under(&under)),
        summary: count(&summary(&graph, SUMMARY)),
    })
}

/// By how much a part is less than the whole, in percent.
pub fn percent_fewer(part: u32, whole: u32) -> f64 {
    100.0 * (1.0 - f64::from(part) / f64::from(whole.max(1)))
}

fn kb(bytes: usize) -> String {
    format!("{:.0} KB", bytes as f64 / 1_000.0)
}

impl PageCounts {
    pub fn text_in_kb(&self) -> String {
        kb(self.text)
    }

    pub fn lost_in_kb(&self) -> String {
        if self.lost == 0 { "no".to_owned() } else { format!("{} lost", kb(self.lost)) }
    }

    /// A row of the table of tokens.
    pub fn cells(&self, name: &str) -> Vec<String> {
        let part = |tokens: u32| format!("{tokens} (−{:.1} %)", percent_fewer(tokens, self.full));
        let mut cells = vec![name.to_owned(), self.full.to_string(), self.first.to_string()];
        cells.extend([self.answer, self.section, self.summary].map(part));
        cells
    }
}
