//! The data of the step viewer: what each strategy showed at each step, cut so that the page stays
//! small.
//!
//! In: rows, scenarios and the observation store. Out: one compressed data block a scenario and one
//! a picture, what the page's overview says of each scenario, and in words what was left out. The
//! script unpacks a scenario when it is looked at: a page of many scenarios opens as fast as one of
//! few. Invariant: the blocks are at most as large as the room that they were given; a text that is
//! cut says so and how long it was; what the store cannot give is said in the text's place, and
//! spoils nothing else.

use super::embed::{self, TAGS, Text, block_of};
use crate::{ReportError, ReportInput, StepInfo, StrategySummary, Summary};
use browserlens_core::page::BoxInViewport;
use browserlens_core::page::text::escaped;
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_replay::{Measurement, StepNumbers, TargetScore, TraceInfo};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Names, facts and error messages are cut here, in characters: the tables have them whole.
const LONGEST_LABEL: usize = 2_000;
/// Share of the room that pictures may take, in percent.
const PICTURES_PERCENT: usize = 58;
/// Most refs that are drawn for a strategy at a step.
const MOST_REFS: usize = 400;

/// The blocks, and what they lack.
#[derive(Clone, Debug, Default)]
pub(super) struct ViewerData {
    /// Data blocks: `scenario-N` and `picture-N`.
    pub blocks: String,
    /// What the overview says of each scenario that has a block.
    pub scenarios: Vec<Known>,
    /// Indices of the strategies that are shown first.
    pub shown: [usize; 2],
    /// What was left out, one sentence each.
    pub left_out: Vec<String>,
}

/// What is known of a scenario before its block is unpacked.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Known {
    name: String,
    goal: String,
    why: String,
    complete: bool,
    steps: usize,
}

#[derive(Serialize)]
struct Block<'a> {
    steps: Vec<Step<'a>>,
    texts: Vec<Text>,
}

#[derive(Serialize)]
struct Step<'a> {
    step: u32,
    action: String,
    next: String,
    url: String,
    title: String,
    facts: Vec<Fact>,
    picture: Option<usize>,
    viewport: Option<(u32, u32)>,
    targets: Vec<[i32; 4]>,
    /// By the index of the strategy: handles and boxes.
    refs: BTreeMap<usize, Vec<(String, [i32; 4])>>,
    events: Vec<[String; 4]>,
    more_events: usize,
    /// One a strategy, in the order of the overview; null where it was not run.
    rows: Vec<Option<StepView<'a>>>,
}

#[derive(Serialize)]
struct Fact {
    text: String,
    pixels: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum StepView<'a> {
    Failed { error: String },
    Shown(Box<Shown<'a>>),
}

#[derive(Serialize)]
struct Shown<'a> {
    kind: &'static str,
    reason: String,
    representation: Option<String>,
    /// Everything that the step added.
    tokens: u64,
    image_tokens: u64,
    legend_tokens: u64,
    /// Recall, addressable, discriminable; null where the next action needs no node.
    target: Option<[bool; 3]>,
    resolved: Option<bool>,
    /// States shown right, wrong, not at all.
    fresh: [u32; 3],
    /// Facts of the step, read, of those by pixels.
    facts: [u32; 3],
    /// For each fact of the step, whether it was read.
    facts_read: &'a [bool],
    /// Where the next action is a drag: recall, addressable, discriminable of the node that it ends
    /// on.
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_target: Option<[bool; 3]>,
    /// Probes that are in the shown state, and all.
    probes: [u32; 2],
    /// Nodes of the required set that are shown, and all; null where there is no set.
    required: Option<[u32; 2]>,
    /// Scrolls that would bring what is missed.
    scrolls: u32,
    success_with_scrolls: bool,
    success: bool,
    text: usize,
    images: Vec<usize>,
    requests: Vec<Asked>,
}

#[derive(Serialize)]
struct Asked {
    request: String,
    tokens: u64,
    text: usize,
}

/// What is referred to by place, in the order in which it is first needed.
#[derive(Default)]
struct Places<'a> {
    hashes: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn place(&mut self, hash: &'a str) -> usize {
        *self.places.entry(hash).or_insert_with(|| {
            self.hashes.push(hash);
            self.hashes.len() - 1
        })
    }
}

/// Pictures that all blocks refer to.
#[derive(Default)]
struct Pictures<'a> {
    all: Places<'a>,
    screenshots: HashSet<usize>,
}

impl<'a> Pictures<'a> {
    fn screenshot(&mut self, hash: &'a str) -> usize {
        let at = self.all.place(hash);
        self.screenshots.insert(at);
        at
    }

    /// Screenshots, and what only observations show.
    fn in_groups(&self) -> [Vec<&'a str>; 2] {
        let hashes = || self.all.hashes.iter().enumerate();
        [true, false].map(|wanted| {
            hashes().filter(|(at, _)| self.screenshots.contains(at) == wanted).map(|(_, hash)| *hash).collect()
        })
    }
}

struct Collector<'c, 'a> {
    /// Texts of one block.
    texts: &'c mut Places<'a>,
    pictures: &'c mut Pictures<'a>,
}

impl<'a> Collector<'_, 'a> {
    fn row(&mut self, row: &'a Measurement, formula: ImageFormula) -> StepView<'a> {
        match row.numbers() {
            Some(numbers) => StepView::Shown(Box::new(self.shown(numbers, formula))),
            None => StepView::Failed { error: label(row.error().unwrap_or_default()) },
        }
    }

    fn shown(&mut self, numbers: &'a StepNumbers, formula: ImageFormula) -> Shown<'a> {
        let (target, fresh, facts, probes) =
            (numbers.target, numbers.scores.fresh, numbers.scores.facts, numbers.scores.probes);
        Shown {
            kind: numbers.kind.name(),
            reason: label(&numbers.reason),
            representation: numbers.representation.as_deref().map(label),
            tokens: numbers.cost().total(Encoding::O200kBase, formula),
            image_tokens: numbers.cost().images.under(formula),
            legend_tokens: numbers.legend.total(Encoding::O200kBase, formula),
            target: target.needed.then_some(found(target)),
            resolved: target.resolved,
            fresh: [fresh.right, fresh.wrong, fresh.missing],
            facts: [facts.total, facts.read, facts.by_pixels],
            facts_read: &numbers.facts_read,
            drop_target: numbers.drop_target.needed.then_some(found(numbers.drop_target)),
            probes: [probes.found(), probes.drawn()],
            required: numbers.required.is_covered().map(|_| [numbers.required.shown, numbers.required.total]),
            scrolls: numbers.scrolls.scrolls,
            success_with_scrolls: numbers.scrolls.success,
            success: numbers.success,
            text: self.texts.place(&numbers.text),
            images: numbers.images.iter().map(|hash| self.pictures.all.place(hash)).collect(),
            requests: numbers
                .requests
                .iter()
                .map(|asked| Asked {
                    request: label(&asked.request.to_string()),
                    tokens: asked.cost.total(Encoding::O200kBase, formula),
                    text: self.texts.place(&asked.text),
                })
                .collect(),
        }
    }
}

/// Collects the data of the step viewer into at most `room` bytes.
///
/// # Errors
/// [`ReportError::Viewer`] if a block cannot be written as JSON, [`ReportError::Packing`] if it
/// cannot be compressed.
pub(super) fn collect(input: &ReportInput<'_>, summary: &Summary, room: usize) -> Result<ViewerData, ReportError> {
    let mut data = ViewerData { shown: shown_first(summary), ..ViewerData::default() };
    let mut rows: BTreeMap<&str, BTreeMap<u32, HashMap<&str, &Measurement>>> = BTreeMap::new();
    for row in input.measurements {
        rows.entry(&row.trace).or_default().entry(row.step).or_default().insert(&row.strategy, row);
    }
    let places: HashMap<&str, usize> =
        summary.strategies.iter().enumerate().map(|(at, row)| (row.strategy.as_str(), at)).collect();
    let told: HashMap<(&str, u32), &StepInfo> =
        input.steps.iter().map(|told| ((told.trace.as_str(), told.step), told)).collect();

    let mut pictures = Pictures::default();
    let mut blocks: Vec<(Block<'_>, Vec<&str>)> = Vec::new();
    for (&trace, steps) in &rows {
        let mut texts = Places::default();
        let mut block = Block { steps: Vec::new(), texts: Vec::new() };
        for (&step, by_strategy) in steps {
            let told = told.get(&(trace, step)).copied();
            let mut entry = step_entry(step, told, &places);
            entry.picture = told.and_then(|told| told.screenshot.as_deref()).map(|hash| pictures.screenshot(hash));
            let mut collector = Collector { texts: &mut texts, pictures: &mut pictures };
            let row_of =
                |row: &StrategySummary| Some(collector.row(by_strategy.get(row.strategy.as_str())?, input.formula));
            entry.rows = summary.strategies.iter().map(row_of).collect();
            block.steps.push(entry);
        }
        let info = input.traces.iter().find(|info| info.id == trace);
        data.scenarios.push(known(trace, info, block.steps.len()));
        blocks.push((block, texts.hashes));
    }

    let [screenshots, others] = pictures.in_groups();
    let room_of_pictures = room * PICTURES_PERCENT / 100;
    let embedded = embed::pictures(input.observations, [&screenshots, &others], room_of_pictures, &mut data.left_out);
    let mut used = 0;
    for (hash, picture) in screenshots.iter().chain(&others).zip(&embedded) {
        if let (Some(picture), Some(at)) = (picture, pictures.all.places.get(hash)) {
            used += picture.len() + TAGS;
            block_of(&mut data.blocks, &format!("picture-{at}"), picture);
        }
    }

    let mut blocks: Vec<Block<'_>> = blocks
        .into_par_iter()
        .map(|(mut block, hashes)| {
            block.texts = hashes.into_iter().map(|hash| Text::read(input.observations, hash)).collect();
            block.texts.iter_mut().for_each(Text::count);
            block
        })
        .collect();
    let (cut, dropped) =
        embed::fit(&mut data.blocks, "scenario", &mut blocks, room.saturating_sub(used), |block, cut| {
            block.texts.iter_mut().for_each(|text| text.shorten(cut));
        })?;
    if let Some(cut) = cut {
        embed::texts_in_words(input, blocks.iter().flat_map(|block| &block.texts), cut, &mut data.left_out);
    }
    if dropped > 0 {
        data.left_out.push(format!(
            "{dropped} scenarios are not in the step viewer, since the page would grow too large: their numbers stand \
                in the tables and in measurements.csv."
        ));
    }
    Ok(data)
}

/// Returns the strategies that are shown first: the first of the table, and the baseline or the
/// second.
fn shown_first(summary: &Summary) -> [usize; 2] {
    let baseline = summary.strategies.iter().position(|row| Some(&row.strategy) == summary.baseline.as_ref());
    [0, baseline.filter(|&at| at != 0).unwrap_or(usize::from(summary.strategies.len() > 1))]
}

fn known(trace: &str, info: Option<&TraceInfo>, steps: usize) -> Known {
    Known {
        name: label(trace),
        goal: info.map_or_else(String::new, |info| label(&info.goal)),
        why: info.map_or_else(String::new, |info| label(&info.why)),
        complete: info.is_none_or(|info| info.complete),
        steps,
    }
}

fn step_entry<'a>(step: u32, told: Option<&StepInfo>, places: &HashMap<&str, usize>) -> Step<'a> {
    let nothing = StepInfo::default();
    let told = told.unwrap_or(&nothing);
    let refs = told.refs.iter().filter_map(|refs| {
        let boxes = refs.boxes.iter().take(MOST_REFS).map(|(handle, bounds)| (label(handle), rounded(*bounds)));
        Some((*places.get(refs.strategy.as_str())?, boxes.collect()))
    });
    let events = told.events.iter().map(|event| {
        let mark = if event.is_error { "error" } else { "" };
        [label(&event.kind), label(&event.label), label(&event.text), mark.to_owned()]
    });
    Step {
        step,
        action: label(&told.action),
        next: label(&told.next),
        url: label(&told.url),
        title: label(&told.title),
        facts: told.facts.iter().map(|fact| Fact { text: label(&fact.text), pixels: fact.pixels }).collect(),
        picture: None,
        viewport: told.viewport,
        targets: told.targets.iter().map(|bounds| rounded(*bounds)).collect(),
        refs: refs.collect(),
        events: events.collect(),
        more_events: told.more_events,
        rows: Vec::new(),
    }
}

fn rounded(bounds: BoxInViewport) -> [i32; 4] {
    [bounds.x, bounds.y, bounds.width, bounds.height].map(|side| side.round() as i32)
}

fn found(target: TargetScore) -> [bool; 3] {
    [target.recall, target.addressable, target.discriminable]
}

pub(super) fn label(text: &str) -> String {
    let text = escaped(text);
    if text.len() <= LONGEST_LABEL {
        return text.into_owned();
    }
    text.chars().take(LONGEST_LABEL).chain(['…']).collect()
}
