//! A small made-up run whose every aggregate can be worked out by hand.
//!
//! Three scenarios (2, 3 and 2 steps), four strategies. `raw/html` fails on the last step of
//! `docs/answer`, so rankings use `login/wrong-password` and `shop/cart` only.

use crate::AgentRun;
use crate::input::*;
use browserlens_core::page::BoxInViewport;
use browserlens_core::strategy::{ActionChannel, Request, TextFormat};
use browserlens_core::tokens::{ImageFormula, ImageSize, Micros};
use browserlens_replay::{
    AskedRequest, Cost, ExamScore, FactScore, ImageCost, MarkScore, Measurement, Outcome, PerMille, ProbeScore,
    RequiredScore, RowKind, Scores, ScrollScore, StepNumbers, StrategyInfo, TargetScore, TaskMeasurement, Timing,
    TraceInfo,
};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

/// The run and all that belongs to it.
pub(crate) struct Run {
    pub measurements: Vec<Measurement>,
    pub tasks: Vec<TaskMeasurement>,
    pub timings: Vec<Timing>,
    pub traces: Vec<TraceInfo>,
    pub steps: Vec<StepInfo>,
    pub strategies: Vec<StrategyInfo>,
    pub texts: BTreeMap<String, String>,
    pub images: BTreeMap<String, Vec<u8>>,
    pub agents: Vec<AgentRun>,
    pub about: About,
}

impl Observations for Run {
    fn text(&self, hash: &str) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
        if hash == "damaged" { Err("the store's entry is damaged".into()) } else { Ok(self.texts.get(hash).cloned()) }
    }

    fn image(&self, hash: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Ok(self.images.get(hash).cloned())
    }
}

impl Run {
    pub fn input(&self) -> ReportInput<'_> {
        ReportInput {
            measurements: &self.measurements,
            tasks: &self.tasks,
            timings: &self.timings,
            traces: &self.traces,
            steps: &self.steps,
            strategies: &self.strategies,
            observations: self,
            baseline: "playwright-mcp/full",
            formula: ImageFormula::Claude28,
            cache_discount: PerMille::DEFAULT_CACHE_DISCOUNT,
            knowledge: None,
            agents: &self.agents,
            about: &self.about,
        }
    }

    /// Makes the task rows of the measurements again.
    pub fn sum_up(&mut self) {
        let keys: BTreeSet<(String, String)> =
            self.measurements.iter().map(|row| (row.trace.clone(), row.strategy.clone())).collect();
        self.tasks = keys
            .into_iter()
            .map(|(trace, strategy)| {
                let own = |row: &&Measurement| row.trace == trace && row.strategy == strategy;
                let rows: Vec<Measurement> = self.measurements.iter().filter(own).cloned().collect();
                TaskMeasurement::of(&trace, &strategy, &rows, true)
            })
            .collect();
    }
}

/// A picture with some colours.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let pixels = image::RgbImage::from_fn(width, height, |x, y| image::Rgb([(x % 251) as u8, (y % 241) as u8, 200]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    pixels.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

pub(crate) fn text_cost(tokens: u64) -> Cost {
    Cost { o200k: tokens, cl100k: tokens + 1, images: ImageCost::default() }
}

pub(crate) fn observed(
    trace: &str,
    strategy: &str,
    step: u32,
    tokens: u64,
    change: impl FnOnce(&mut StepNumbers),
) -> Measurement {
    let mut numbers = StepNumbers {
        reason: "first observation".to_owned(),
        bytes: tokens * 4,
        observation: text_cost(tokens),
        definitions: if strategy.starts_with("playwright") && step == 0 { text_cost(4_000) } else { Cost::default() },
        target: TargetScore { needed: true, resolved: Some(true), ..TargetScore::NOT_NEEDED },
        scores: Scores {
            facts: FactScore { total: 2, read: 2, by_pixels: 0 },
            probes: ProbeScore {
                nodes: 20,
                nodes_found: if strategy == "raw/html" { 10 } else { 20 },
                texts: 10,
                texts_found: 10,
            },
            exam: ExamScore { asked: 2, told: 2, local: 1 },
            marks: strategy.starts_with("lens/").then_some(MarkScore { shown: 30, elided: 10, volatile: 4 }),
            unmarked_differences: strategy.starts_with("lens/").then_some(0),
            ..Scores::default()
        },
        required: if trace == "shop/cart" && step == 1 {
            RequiredScore { total: 3, shown: if strategy == "raw/html" { 2 } else { 3 } }
        } else {
            RequiredScore::default()
        },
        success: true,
        simple: true,
        exam_missed: vec!["price".to_owned()],
        text: format!("{strategy} at {trace}@{step}"),
        ..StepNumbers::default()
    };
    change(&mut numbers);
    let facts = numbers.scores.facts;
    numbers.facts_read = (0..facts.total).map(|at| at < facts.read).collect();
    if numbers.scrolls.scrolls == 0 {
        numbers.scrolls.success = numbers.success;
    }
    Measurement {
        trace: trace.to_owned(),
        strategy: strategy.to_owned(),
        step,
        outcome: Outcome::Observed(Box::new(numbers)),
    }
}

fn delta(numbers: &mut StepNumbers) {
    numbers.kind = RowKind::Delta;
    numbers.reason.clear();
}

fn last(numbers: &mut StepNumbers) {
    numbers.target = TargetScore::NOT_NEEDED;
}

/// Tokens per task: `lens/delta` 600, 1,100, 1,000; `playwright-mcp/full` 1,500, 5,500, 2,500.
pub(crate) fn run() -> Run {
    let (login, shop, docs) = ("login/wrong-password", "shop/cart", "docs/answer");
    let mut rows = Vec::new();
    for (trace, tokens) in [(shop, vec![900, 60, 40]), (docs, vec![500, 300]), (login, vec![400, 100])] {
        let end = tokens.len() - 1;
        for (step, &count) in tokens.iter().enumerate() {
            rows.push(observed(trace, "lens/delta", step as u32, count, |numbers| {
                if step == 0 {
                    numbers.legend = text_cost(100);
                } else {
                    delta(numbers);
                }
                if step == end {
                    last(numbers);
                }
                if trace == docs && step == 1 {
                    let request = Request::Section { name: "Limits".to_owned() };
                    numbers.requests.push(AskedRequest {
                        request,
                        cost: text_cost(100),
                        text: "answer".to_owned(),
                        images: Vec::new(),
                    });
                }
            }));
        }
    }
    for (trace, tokens) in [(shop, vec![2_000, 1_800, 1_700]), (docs, vec![1_500, 1_000]), (login, vec![800, 700])] {
        let end = tokens.len() - 1;
        for (step, &count) in tokens.iter().enumerate() {
            rows.push(observed(trace, "playwright-mcp/full", step as u32, count, |numbers| {
                if step == end {
                    last(numbers);
                }
            }));
        }
    }
    for (trace, steps) in [(shop, 3), (docs, 2), (login, 2)] {
        for step in 0..steps {
            rows.push(observed(trace, "lens/vision", step, 4, |numbers| {
                numbers.observation.images = ImageCost::of(ImageSize { width: 1_280, height: 720 });
                numbers.images = vec![format!("shot of {trace}@{step}")];
                numbers.scores.facts = FactScore { total: 2, read: 1, by_pixels: 1 };
                numbers.success = false;
                if step == steps - 1 {
                    last(numbers);
                } else {
                    numbers.target.addressable = false;
                }
            }));
        }
    }
    for (trace, tokens) in [(shop, vec![10_000, 9_000, 8_000]), (docs, vec![30_000]), (login, vec![3_000, 2_000])] {
        for (step, &count) in tokens.iter().enumerate() {
            rows.push(observed(trace, "raw/html", step as u32, count, |numbers| {
                numbers.target.resolved = None;
                if trace == shop && step == 1 {
                    let target = &mut numbers.target;
                    (target.recall, target.addressable, target.discriminable) = (false, false, false);
                    numbers.success = false;
                    numbers.scrolls = ScrollScore { scrolls: 2, success: true };
                }
                if trace != docs && step == tokens.len() - 1 {
                    last(numbers);
                }
            }));
        }
    }
    let error = "step 1: the capture has no ax payload".to_owned();
    rows.push(Measurement {
        trace: docs.to_owned(),
        strategy: "raw/html".to_owned(),
        step: 1,
        outcome: Outcome::Failed { error },
    });

    let texts = rows
        .iter()
        .filter_map(|row| row.numbers())
        .map(|numbers| (numbers.text.clone(), format!("[FULL PAGE STATE] {}\n- button \"Go\" [@e1]\n", numbers.text)))
        .chain([("answer".to_owned(), "- heading \"Limits\"".to_owned())]);
    let timings = rows
        .iter()
        .filter(|row| row.numbers().is_some())
        .map(|row| timing(&row.trace, &row.strategy, row.step))
        .collect();
    let traces = [(docs, 2), (login, 2), (shop, 3)];
    let mut run = Run {
        texts: texts.collect(),
        images: BTreeMap::new(),
        agents: Vec::new(),
        tasks: Vec::new(),
        timings,
        traces: traces.map(|(id, steps)| trace(id, steps)).to_vec(),
        steps: traces
            .into_iter()
            .flat_map(|(id, steps)| (0..steps).map(move |step| self::step(id, step, steps)))
            .collect(),
        strategies: Vec::new(),
        about: About {
            tool: "browserlens 0.1.0".to_owned(),
            command: "just bench".to_owned(),
            date: "2026-11-22".to_owned(),
            machine: "2 cores".to_owned(),
            store: "observations/".to_owned(),
            recorded: vec!["Gap: no recorded output of stagehand@3.7.3/full on docs/research.".to_owned()],
            revision: "0123456789ab".to_owned(),
            tokenizer: "bpe-openai".to_owned(),
            fidelity: String::new(),
        },
        measurements: rows,
    };
    run.sum_up();
    // The order of `replay`: the first task row is `shop/cart` of `lens/delta`.
    run.tasks.sort_by_key(|task| (task.strategy.clone(), std::cmp::Reverse(task.trace.clone())));
    run
}

fn timing(trace: &str, strategy: &str, step: u32) -> Timing {
    let mut stages = BTreeMap::new();
    if strategy.starts_with("lens/") {
        stages.extend([
            ("route".to_owned(), Micros(20)),
            ("extract".to_owned(), Micros(200)),
            ("format".to_owned(), Micros(100)),
        ]);
    }
    Timing {
        trace: trace.to_owned(),
        strategy: strategy.to_owned(),
        step,
        load: Micros(900),
        stages,
        observe: Micros(400 + u64::from(step) * 100),
        count: Micros(50),
        cached: false,
        date: "2026-11-22".to_owned(),
        machine: "2 cores".to_owned(),
    }
}

/// What a strategy says of itself that says little.
pub(crate) fn strategy(name: &str) -> StrategyInfo {
    StrategyInfo {
        name: name.to_owned(),
        why: String::new(),
        version: String::new(),
        options: serde_json::json!({}),
        channel: ActionChannel::Ref,
        format: TextFormat::PLAIN,
        sweep: None,
    }
}

fn trace(id: &str, steps: u32) -> TraceInfo {
    TraceInfo {
        id: id.to_owned(),
        scenario: id.to_owned(),
        goal: format!("Do what {id} says"),
        why: "small".to_owned(),
        browser: "Chrome/148".to_owned(),
        hash: "0123456789abcdef".to_owned(),
        steps,
        complete: true,
        bytes: 1_000,
        origin: None,
        peers: Vec::new(),
        attacks: Vec::new(),
        answers: Vec::new(),
        asked: Vec::new(),
        known: None,
    }
}

fn step(trace: &str, step: u32, steps: u32) -> StepInfo {
    StepInfo {
        trace: trace.to_owned(),
        step,
        action: if step == 0 { "goto /".to_owned() } else { format!("click button \"Go {step}\"") },
        next: if step + 1 < steps { format!("click button \"Go {}\"", step + 1) } else { String::new() },
        url: format!("https://site.test/{trace}/{step}"),
        title: "A page".to_owned(),
        facts: vec![
            FactInfo { text: "Total 42.00".to_owned(), pixels: false },
            FactInfo { text: "Thank you".to_owned(), pixels: true },
        ],
        screenshot: None,
        viewport: Some((1_280, 800)),
        targets: vec![BoxInViewport { x: 10.0, y: 20.0, width: 90.0, height: 30.0 }],
        refs: vec![StrategyRefs {
            strategy: "lens/delta".to_owned(),
            boxes: vec![("@e1".to_owned(), BoxInViewport { x: 10.0, y: 20.0, width: 90.0, height: 30.0 })],
        }],
        events: vec![EventInfo {
            kind: "console".to_owned(),
            label: "error".to_owned(),
            text: "it broke".to_owned(),
            is_error: true,
        }],
        more_events: 0,
    }
}
