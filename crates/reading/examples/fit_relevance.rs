//! Fits how sure an answer is, and tests it on sites that it was not fitted on.
//!
//! ```text
//! cargo run --release -p browserlens-reading --example fit_relevance            figures and coefficients
//! cargo run --release -p browserlens-reading --example fit_relevance -- --rows  what they are worked out from
//! ```
//!
//! In: the questions beside the bundled scenarios, asked of the recorded pages as `read` asks.
//! Out: for each design the Brier score and the share of unanswerable questions that are refused
//! where 95 % of the answerable ones are kept, each site by a fit without it; then the coefficients
//! of a fit on all. Invariant: deterministic. Questions that are marked `held_out` take no part in
//! any fit: they are counted at the end.

#![allow(clippy::print_stdout, reason = "an example")]

use browserlens_reading::embed::Lexical;
use browserlens_reading::retrieval::relevance::{COUNT, NAMES, Signals};
use browserlens_reading::retrieval::{SearchOptions, rank_with};
use browserlens_reading::{BoilerplateIndex, Cut, extract};
use browserlens_scenario::{Question, Scenario};
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which share of answerable questions a threshold keeps.
const KEPT: f64 = 0.95;
/// Steps of the descent.
const STEPS: usize = 3_000;
/// Rounds of choosing each question's best hit by the fit before.
const ROUNDS: usize = 3;

/// A question, and how its first hits meet it.
struct Row {
    site: String,
    id: String,
    ask: String,
    answered: bool,
    near: bool,
    held_out: bool,
    hits: Vec<Signals>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows = rows()?;
    if std::env::args().any(|argument| argument == "--rows") {
        println!("site\tid\task\tanswered\tnear\theld out\thit\t{}", NAMES.join("\t"));
        for row in &rows {
            for (at, signals) in row.hits.iter().enumerate() {
                let values: Vec<String> = signals.iter().map(|value| format!("{value:.4}")).collect();
                let Row { site, id, ask, answered, near, held_out, .. } = row;
                println!("{site}\t{id}\t{ask}\t{answered}\t{near}\t{held_out}\t{at}\t{}", values.join("\t"));
            }
        }
        return Ok(());
    }
    let (apart, fitted): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.held_out);
    let answered = fitted.iter().filter(|row| row.answered).count();
    println!("{} questions, {answered} answerable; {} more held out\n", fitted.len(), apart.len());
    for design in Design::ALL {
        leave_one_out(design, &fitted);
    }
    let model = Design::Logistic(&ALL_SIGNALS).fit(&fitted);
    let Model::Logistic { constant, weights } = &model else { return Ok(()) };
    println!("\npub const COEFFICIENTS: (f64, Signals) = (\n    {constant:.3},\n    [");
    for (weight, name) in weights.iter().zip(NAMES) {
        println!("        {weight:.3}, // {name}");
    }
    println!("    ],\n);");
    let threshold = threshold(&model, &fitted);
    let kept = apart.iter().filter(|row| model.best(row) >= threshold).count();
    println!("keeps {:.0} % at {threshold:.3}; of the held-out questions {kept} of {}", KEPT * 100.0, apart.len());
    Ok(())
}

const ALL_SIGNALS: [usize; COUNT] = {
    let mut all = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = at;
        at += 1;
    }
    all
};

#[derive(Clone, Copy)]
enum Design {
    /// A logistic regression over some signals.
    Logistic(&'static [usize]),
    /// Boosted decision stumps over all signals.
    Stumps,
}

impl Design {
    const ALL: [Self; 5] = [
        Self::Logistic(&ALL_SIGNALS),
        Self::Logistic(&[0, 2, 6, 7, 8, 10]),
        Self::Logistic(&[0]),
        Self::Logistic(&[10]),
        Self::Stumps,
    ];

    fn name(self) -> String {
        match self {
            Self::Logistic(signals) if signals.len() == COUNT => "logistic regression, all signals".to_owned(),
            Self::Logistic(signals) => {
                let names: Vec<&str> = signals.iter().map(|at| NAMES[*at]).collect();
                format!("logistic regression: {}", names.join(", "))
            }
            Self::Stumps => "boosted stumps, all signals".to_owned(),
        }
    }

    fn fit(self, rows: &[&Row]) -> Model {
        let mut model: Option<Model> = None;
        for _ in 0..ROUNDS {
            let of = |row: &&Row| match &model {
                Some(model) => model.choose(row),
                None => row.hits.first().copied(),
            };
            let chosen: Vec<(Signals, f64)> =
                rows.iter().filter_map(|row| Some((of(row)?, f64::from(u8::from(row.answered))))).collect();
            model = Some(match self {
                Self::Logistic(signals) => logistic(&chosen, signals),
                Self::Stumps => stumps(&chosen),
            });
        }
        model.expect("a round")
    }
}

enum Model {
    Logistic { constant: f64, weights: Signals },
    Stumps { constant: f64, all: Vec<(usize, f64, f64, f64)> },
}

impl Model {
    fn of(&self, signals: &Signals) -> f64 {
        let sum = match self {
            Self::Logistic { constant, weights } => {
                constant + signals.iter().zip(weights).map(|(signal, weight)| signal * weight).sum::<f64>()
            }
            Self::Stumps { constant, all } => {
                let each = all.iter().map(|(at, least, below, above)| if signals[*at] < *least { below } else { above });
                constant + each.sum::<f64>()
            }
        };
        1.0 / (1.0 + (-sum).exp())
    }

    fn choose(&self, row: &Row) -> Option<Signals> {
        row.hits.iter().copied().max_by(|a, b| self.of(a).total_cmp(&self.of(b)))
    }

    /// The probability of the best hit; 0 without one.
    fn best(&self, row: &Row) -> f64 {
        self.choose(row).map_or(0.0, |signals| self.of(&signals))
    }
}

fn logistic(rows: &[(Signals, f64)], signals: &[usize]) -> Model {
    let count = rows.len() as f64;
    let mut mean = [0.0; COUNT];
    let mut spread = [1.0; COUNT];
    for at in 0..COUNT {
        mean[at] = rows.iter().map(|(row, _)| row[at]).sum::<f64>() / count;
        let variance = rows.iter().map(|(row, _)| (row[at] - mean[at]).powi(2)).sum::<f64>() / count;
        spread[at] = variance.sqrt().max(1e-6);
    }
    let (mut constant, mut scaled) = (0.0, [0.0; COUNT]);
    for _ in 0..STEPS {
        let (mut of_constant, mut gradient) = (0.0, [0.0; COUNT]);
        for (row, label) in rows {
            let mut sum = constant;
            for at in signals {
                sum += scaled[*at] * (row[*at] - mean[*at]) / spread[*at];
            }
            let off = 1.0 / (1.0 + (-sum).exp()) - label;
            of_constant += off / count;
            for at in signals {
                gradient[*at] += off * (row[*at] - mean[*at]) / spread[*at] / count;
            }
        }
        constant -= 0.3 * of_constant;
        for at in signals {
            scaled[*at] -= 0.3 * (gradient[*at] + 0.02 * scaled[*at]);
        }
    }
    let mut weights = [0.0; COUNT];
    for at in signals {
        weights[*at] = scaled[*at] / spread[*at];
        constant -= weights[*at] * mean[*at];
    }
    Model::Logistic { constant, weights }
}

/// Boosts forty stumps, each a tenth of its best step.
fn stumps(rows: &[(Signals, f64)]) -> Model {
    let share = rows.iter().map(|(_, label)| label).sum::<f64>() / rows.len() as f64;
    let constant = (share / (1.0 - share)).ln();
    let mut sums = vec![constant; rows.len()];
    let mut all = Vec::new();
    for _ in 0..40 {
        let mut best: Option<(f64, usize, f64, f64, f64)> = None;
        for at in 0..COUNT {
            let mut values: Vec<f64> = rows.iter().map(|(row, _)| row[at]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for tenth in 1..10 {
                let least = values[values.len() * tenth / 10];
                let mut sides = [(0.0, 2.0), (0.0, 2.0)];
                for ((row, label), sum) in rows.iter().zip(&sums) {
                    let told = 1.0 / (1.0 + (-sum).exp());
                    let side = &mut sides[usize::from(row[at] >= least)];
                    side.0 += label - told;
                    side.1 += told * (1.0 - told);
                }
                let gain: f64 = sides.iter().map(|(off, weight)| off * off / weight).sum();
                if best.as_ref().is_none_or(|best| gain > best.0) {
                    let step = |side: (f64, f64)| 0.2 * side.0 / side.1;
                    best = Some((gain, at, least, step(sides[0]), step(sides[1])));
                }
            }
        }
        let Some((_, at, least, below, above)) = best else { break };
        for ((row, _), sum) in rows.iter().zip(&mut sums) {
            *sum += if row[at] < least { below } else { above };
        }
        all.push((at, least, below, above));
    }
    Model::Stumps { constant, all }
}

/// The probability that keeps the wanted share of answerable questions.
fn threshold(model: &Model, rows: &[&Row]) -> f64 {
    let mut told: Vec<f64> = rows.iter().filter(|row| row.answered).map(|row| model.best(row)).collect();
    told.sort_by(f64::total_cmp);
    told[((1.0 - KEPT) * told.len() as f64) as usize]
}

fn leave_one_out(design: Design, rows: &[&Row]) {
    let sites: BTreeSet<&str> = rows.iter().map(|row| row.site.as_str()).collect();
    let mut brier = 0.0;
    let mut told: Vec<(f64, &Row)> = Vec::new();
    let (mut kept, mut refused) = (0, [0; 2]);
    println!("{}", design.name());
    for site in sites {
        let (here, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.site == site);
        let model = design.fit(&others);
        let least = threshold(&model, &others);
        let mut line = (0, 0, 0.0);
        for row in here.iter().copied() {
            let p = model.best(row);
            let off = (p - f64::from(u8::from(row.answered))).powi(2);
            brier += off;
            line.2 += off;
            told.push((p, row));
            match (row.answered, p < least) {
                (true, false) => (kept, line.0) = (kept + 1, line.0 + 1),
                (false, true) => {
                    refused[usize::from(row.near)] += 1;
                    line.1 += 1;
                }
                _ => {}
            }
        }
        let answered = here.iter().filter(|row| row.answered).count();
        let brier = line.2 / here.len() as f64;
        println!(
            "  {site}: Brier {brier:.3}; kept {} of {answered}; refused {} of {}",
            line.0,
            line.1,
            here.len() - answered
        );
    }
    let answered = rows.iter().filter(|row| row.answered).count();
    let of = |near: bool| rows.iter().filter(|row| !row.answered && row.near == near).count();
    let base = answered as f64 / rows.len() as f64;
    println!(
        "  all: Brier {:.3} ({:.3} by always saying {base:.2}); kept {kept} of {answered}; refused {} of {} about \
         something else, {} of {} near misses",
        brier / rows.len() as f64,
        base * (1.0 - base),
        refused[0],
        of(false),
        refused[1],
        of(true)
    );
    // Over all held-out answers at once: one threshold for all sites.
    let mut good: Vec<f64> = told.iter().filter(|(_, row)| row.answered).map(|(p, _)| *p).collect();
    good.sort_by(f64::total_cmp);
    let share = |kept: f64| {
        let least = good[((1.0 - kept) * good.len() as f64) as usize];
        let bad = told.iter().filter(|(_, row)| !row.answered);
        let refused = bad.clone().filter(|(p, _)| *p < least).count();
        format!("{:.0} % refused at {:.0} % kept", 100.0 * refused as f64 / bad.count() as f64, kept * 100.0)
    };
    println!("  one threshold for all: {}, {}, {}", share(0.95), share(0.9), share(0.8));
}

fn rows() -> Result<Vec<Row>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut files: Vec<PathBuf> = Vec::new();
    for site in std::fs::read_dir(root.join("scenarios"))? {
        for file in std::fs::read_dir(site?.path())? {
            let file = file?.path();
            if file.to_string_lossy().ends_with(".ask.toml") {
                files.push(file);
            }
        }
    }
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        let scenario_file = file.to_string_lossy().replace(".ask.toml", ".toml");
        let scenario = Scenario::load(Path::new(&scenario_file))?;
        let site = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let name = Path::new(&scenario_file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let trace = Trace::open(root.join(format!("{site}-{name}.trace")))?;
        let mut seen = BoilerplateIndex::default();
        for step in 0..trace.len() {
            let page = extract(&trace.page(StepIndex(step))?.0, Cut::default());
            seen.add(&page);
            let own = seen.own_sections(&page);
            let all = scenario.questions.iter().chain(&scenario.relevance);
            for Question { id, ask, text, near, held_out, .. } in all.filter(|question| question.step == step) {
                let options = SearchOptions { relevance: true, ..SearchOptions::default() };
                let hits = rank_with(Arc::new(Lexical::default()), &page, &own, ask, &options)?;
                let hits = hits.iter().filter_map(|hit| hit.signals).collect();
                let (id, ask, answered) = (format!("{name} {id}"), ask.clone(), text.is_some());
                rows.push(Row { site: site.clone(), id, ask, answered, near: *near, held_out: *held_out, hits });
            }
        }
    }
    Ok(rows)
}
