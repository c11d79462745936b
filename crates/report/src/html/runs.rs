//! The data of the viewer of runs: every call with its answer, cut so that the page stays small.
//!
//! In: the records of a report. Out: one compressed data block a run and one a picture, which the
//! script unpacks when a run is looked at. Invariants: the blocks are at most as large as the room
//! that they were given; an answer that is cut says so, and how long it was.

use super::embed::{self, CUTS, TAGS, Text, block_of};
use super::viewer::label;
use crate::numbers::thousands;
use crate::preview;
use crate::{AgentRun, ReportError, ReportInput};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::escaped;
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_trace::agents::{CallCosts, Waste};
use rayon::prelude::*;
use serde::Serialize;

/// Share of the room that pictures may take, in percent.
const PICTURES_PERCENT: usize = 50;
/// Most bytes of a call's arguments, and of what the model said before it.
const LONGEST_WORDS: usize = 4_096;

/// The blocks, and what they lack.
#[derive(Default)]
pub(super) struct RunsData {
    /// Data blocks: `run-N` and `run-picture-N`.
    pub blocks: String,
    /// What was left out, one sentence each.
    pub left_out: Vec<String>,
}

#[derive(Serialize)]
struct Block {
    /// The trace of the run's pages; none if it names none.
    trace: Option<String>,
    cut: Option<String>,
    calls: Vec<Call>,
    pages: Vec<Page>,
}

#[derive(Serialize)]
struct Call {
    call: u32,
    turn: u32,
    name: String,
    arguments: Text,
    said: Option<Text>,
    answer: Text,
    /// Why it brought nothing.
    waste: Option<String>,
    refused: bool,
    tokens: u64,
    image_tokens: u64,
    ms: Option<u64>,
    /// Shares of the run: of its time, of what was read because of the call.
    shares: [Option<f64>; 2],
    step: Option<u32>,
}

#[derive(Serialize)]
struct Page {
    step: u32,
    action: String,
    url: String,
    title: String,
    picture: Option<usize>,
}

/// Collects the data of the viewer of runs into at most `room` bytes.
///
/// # Errors
/// [`ReportError::Viewer`] if a block cannot be written as JSON, [`ReportError::Packing`] if it
/// cannot be compressed.
pub(super) fn collect(input: &ReportInput<'_>, room: usize) -> Result<RunsData, ReportError> {
    let mut data = RunsData::default();
    let mut blocks: Vec<Block> = input.agents.par_iter().map(|run| block(run, input.formula)).collect();
    let (mut pictures, mut missing) = (0, 0_u64);
    for (run, block) in input.agents.iter().zip(&mut blocks) {
        for (page, entry) in run.pages.iter().zip(&mut block.pages) {
            let Some(bytes) = page.picture.as_deref().filter(|bytes| bytes.starts_with(preview::JPEG)) else {
                continue;
            };
            let picture = STANDARD.encode(bytes);
            if data.blocks.len() + picture.len() + TAGS > room * PICTURES_PERCENT / 100 {
                missing += 1;
                continue;
            }
            block_of(&mut data.blocks, &format!("run-picture-{pictures}"), &picture);
            entry.picture = Some(pictures);
            pictures += 1;
        }
    }
    if missing > 0 {
        let missing = thousands(missing);
        data.left_out.push(format!("Pages of runs: {missing} pictures are not in the page, to keep it small."));
    }
    let left = room - data.blocks.len();
    let (_, dropped) = embed::fit(&mut data.blocks, "run", &mut blocks, left, |block, cut| {
        block.calls.iter_mut().for_each(|call| call.answer.shorten(cut));
    })?;
    let answers = blocks.iter().flat_map(|block| &block.calls).filter(|call| call.answer.cut.is_some()).count() as u64;
    if answers > 0 {
        let answers = thousands(answers);
        data.left_out
            .push(format!("Answers to agents: {answers} are cut in the viewer of runs; their records are whole."));
    }
    if dropped > 0 {
        let dropped = thousands(dropped);
        data.left_out.push(format!(
            "Runs: {dropped} are not in the viewer of runs, since the page would grow too large; their records are \
                whole."
        ));
    }
    Ok(data)
}

fn block(run: &AgentRun, formula: ImageFormula) -> Block {
    let record = &run.record;
    let costs = CallCosts::of(record, Encoding::O200kBase, formula);
    let (read, time) = (costs.read(), record.calls.iter().map(|call| call.ms).sum::<Option<u64>>());
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let calls = record.calls.iter().zip(&costs.calls).map(|(call, cost)| Call {
        call: call.call,
        turn: call.turn,
        name: label(&call.name),
        arguments: Text::of(call.arguments.to_string(), LONGEST_WORDS),
        said: call.said.as_deref().filter(|said| !said.is_empty()).map(|said| Text::of(said.to_owned(), LONGEST_WORDS)),
        answer: Text::of(call.answer.clone(), CUTS[0]),
        waste: cost.waste.map(Waste::words),
        refused: call.is_error,
        tokens: cost.answered,
        image_tokens: cost.image_tokens,
        ms: call.ms,
        shares: [call.ms.zip(time).and_then(|(ms, time)| share(ms, time)), share(cost.carried(), read)],
        step: call.step,
    });
    let pages = run.pages.iter().map(|page| Page {
        step: page.step,
        action: label(&page.action),
        url: label(&page.url),
        title: label(&page.title),
        picture: None,
    });
    Block {
        trace: record.header.trace.as_deref().map(label),
        cut: record.cut.as_deref().map(|cut| escaped(cut).into_owned()),
        calls: calls.collect(),
        pages: pages.collect(),
    }
}
