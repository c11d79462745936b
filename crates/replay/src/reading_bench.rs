//! Reading: how much of a page must be read until its questions are answered.
//!
//! In: a trace and the questions about its pages. Out: one [`AskedInfo`] a question, with what each
//! way of reading gave. Invariants: a pass of its own, outside of the measured runs, cached by
//! trace, questions and versions; all ways are asked the same questions of the same pages, and none
//! is shown the answers; recall is counted from the text that an agent would get, not from what a
//! ranking says of itself.

mod ways;

pub use ways::FUSED;

use crate::cache::Cache;
use crate::error::ReplayError;
use crate::info::{AskedInfo, DEPTH, ReadInfo};
use crate::measure::Tokenizer;
use crate::steps::{PageLoader, TracePlan};
use browserlens_core::page::Page;
use browserlens_core::tokens::Encoding;
use browserlens_reading::{BoilerplateIndex, Extraction, retrieval::PageIndex};
use browserlens_trace::scenario::Question;
use std::path::Path;

/// Version of what is computed here; part of the key.
const VERSION: u32 = 2;

/// What an agent gets to read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reply {
    text: String,
    /// Whether it says anything of the page, or that there is nothing.
    found: bool,
}

/// A page that is asked.
struct AskedPage<'a> {
    page: &'a Page,
    extraction: Extraction,
    index: PageIndex,
}

/// A way of reading a page.
trait Way: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Returns what an agent gets for one section, for two, up to [`DEPTH`].
    fn replies(&self, page: &AskedPage<'_>, question: &str) -> Result<[Reply; DEPTH], String>;
}

/// Returns the version of what is computed here and of the ways of reading.
pub(crate) fn version() -> String {
    format!("{VERSION} {}", ways::version())
}

/// Returns what came of the questions about a trace, from the cache where it is there.
pub(crate) fn run(
    plan: &TracePlan,
    folder: &Path,
    cache: &Cache,
    encoding: Encoding,
    tokenizer: Tokenizer,
) -> Result<Vec<AskedInfo>, ReplayError> {
    if plan.scenario.questions.is_empty() {
        return Ok(Vec::new());
    }
    let key = Cache::asked_key(plan, &version(), encoding, tokenizer);
    cache.measured("asked", &key, || measure(plan, folder, &|text| tokenizer.count(encoding, text)))
}

fn measure(plan: &TracePlan, folder: &Path, count: &dyn Fn(&str) -> u64) -> Result<Vec<AskedInfo>, ReplayError> {
    let ways = ways::all();
    let ways: Vec<&dyn Way> = ways.iter().map(AsRef::as_ref).collect();
    let mut infos = Vec::with_capacity(plan.scenario.questions.len());
    let mut site = BoilerplateIndex::default();
    pages(plan, folder, |step, page, questions| {
        let extraction = ways::read(page);
        site.add(&extraction);
        if !questions.is_empty() {
            let page = ways::prepare(page, extraction, &site).map_err(ReplayError::damaged(&plan.path))?;
            infos.extend(ask(&ways, step, &page, questions, count).map_err(ReplayError::damaged(&plan.path))?);
        }
        Ok(())
    })?;
    Ok(infos)
}

/// Loads each page, with its questions, in the order of steps; questions about steps that the trace
/// does not have are passed over.
fn pages(
    plan: &TracePlan,
    folder: &Path,
    mut each: impl FnMut(u32, &Page, &[&Question]) -> Result<(), ReplayError>,
) -> Result<(), ReplayError> {
    let mut loader = PageLoader::new(plan, folder);
    for row in &plan.rows {
        let step = row.index.0;
        let questions: Vec<&Question> = plan.scenario.questions_at(plan.scenario_step(step)).collect();
        let page = loader.page(step)?;
        each(step, &page, &questions)?;
    }
    Ok(())
}

/// Asks all ways all questions about one page.
fn ask(
    ways: &[&dyn Way],
    step: u32,
    page: &AskedPage<'_>,
    questions: &[&Question],
    count: &dyn Fn(&str) -> u64,
) -> Result<Vec<AskedInfo>, String> {
    let whole = count(&page.extraction.full_text);
    let each = questions.iter().map(|question| {
        let answer = question.text.as_deref().map(Words::of);
        let ways = ways.iter().map(|way| {
            let replies = way.replies(page, &question.ask)?;
            let told = |reply: &Reply| answer.as_ref().is_some_and(|answer| Words::of(&reply.text).tell(answer));
            Ok(ReadInfo {
                way: way.name().to_owned(),
                told: replies.each_ref().map(told),
                found: replies[DEPTH - 1].found,
                tokens: replies.each_ref().map(|reply| count(&reply.text)),
            })
        });
        Ok(AskedInfo {
            id: question.id.clone(),
            step,
            words: question.words,
            answerable: question.text.is_some(),
            held_out: question.held_out,
            page: whole,
            ways: ways.collect::<Result<_, String>>()?,
        })
    });
    each.collect()
}

/// The words of a text: what stays of it however its blocks, cells and inline tags are joined.
#[derive(Debug, PartialEq, Eq)]
struct Words(String);

impl Words {
    fn of(text: &str) -> Self {
        let mut words = String::from(" ");
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            words.push_str(word);
            words.push(' ');
        }
        Self(words)
    }

    /// Whether the words of an answer stand here, one after another.
    fn tell(&self, answer: &Self) -> bool {
        self.0.contains(&answer.0)
    }
}

#[cfg(test)]
mod tests;
