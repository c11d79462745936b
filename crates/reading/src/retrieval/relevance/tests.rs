//! Fits the steps from the questions beside the scenarios, and asks on sites that took no part.
//!
//! `cargo test -p browserlens-reading --lib relevance -- --nocapture` prints figures and numbers.

use super::*;
use crate::embed::Lexical;
use crate::retrieval::{SearchOptions, rank_with};
use crate::{BoilerplateIndex, Cut, extract};
use browserlens_core::strategy::StepIndex;
use browserlens_trace::Trace;
use browserlens_trace::scenario::Scenario;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many steps are taken, which part of its best height each goes, and what holds the height
/// down where few questions are.
const COUNT: usize = 20;
const RATE: f64 = 0.2;
const HOLD: f64 = 5.0;
/// Fewest questions on either side of a step, and how many parts a signal's values are cut into.
const LEAST: usize = 8;
const PARTS: usize = 20;
/// All signals.
const ALL: [usize; 3] = [0, 1, 2];

/// A question, and how its first hits meet it.
struct Judged {
    site: String,
    is_answered: bool,
    is_near: bool,
    is_held_out: bool,
    hits: Vec<Signals>,
}

struct Model {
    constant: f64,
    steps: Vec<(usize, f64, f64)>,
}

impl Model {
    /// The probability of the hit that has the highest; 0 without one.
    fn best(&self, row: &Judged) -> f64 {
        row.hits.iter().map(|hit| by_steps(self.constant, &self.steps, hit)).fold(0.0, f64::max)
    }
}

/// Boosts steps of a logistic model over some signals of the first hits.
fn fit<'r>(rows: impl Iterator<Item = &'r Judged>, signals: &[usize]) -> Model {
    let rows: Vec<(Signals, f64)> =
        rows.filter_map(|row| Some((*row.hits.first()?, f64::from(u8::from(row.is_answered))))).collect();
    let mut cuts = Vec::new();
    for signal in signals {
        let mut values: Vec<f64> = rows.iter().map(|(row, _)| row[*signal]).collect();
        values.sort_by(f64::total_cmp);
        let mut from: Vec<f64> = (1..PARTS).map(|part| values[values.len() * part / PARTS]).collect();
        from.dedup();
        from.retain(|from| (LEAST..=values.len() - LEAST).contains(&values.partition_point(|value| value < from)));
        cuts.extend(from.into_iter().map(|from| (*signal, from)));
    }
    let share = rows.iter().map(|(_, label)| label).sum::<f64>() / rows.len() as f64;
    let mut model = Model { constant: (share / (1.0 - share)).ln(), steps: Vec::new() };
    for _ in 0..COUNT {
        let told: Vec<f64> = rows.iter().map(|(row, _)| by_steps(model.constant, &model.steps, row)).collect();
        let gain = |(signal, from): (usize, f64)| {
            let mut sides = [(0.0, HOLD); 2];
            for ((row, label), told) in rows.iter().zip(&told) {
                let side = &mut sides[usize::from(row[signal] >= from)];
                *side = (side.0 + label - told, side.1 + told * (1.0 - told));
            }
            let [below, above] = sides.map(|(off, weight)| RATE * off / weight);
            (sides.iter().map(|(off, weight)| off * off / weight).sum::<f64>(), below, above)
        };
        // What lowers the odds where more of a question is there tells how the questions were made.
        let all = cuts.iter().map(|cut| (*cut, gain(*cut))).filter(|(_, (_, below, above))| above > below);
        let best = all.max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
        let ((signal, from), (_, below, above)) = best.expect("a signal with two sides");
        model.constant += below;
        match model.steps.iter_mut().find(|step| (step.0, step.1) == (signal, from)) {
            Some((.., adds)) => *adds += above - below,
            None => model.steps.push((signal, from, above - below)),
        }
    }
    model.steps.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    model
}

fn rows() -> Vec<Judged> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let folder = |path: &Path| -> Vec<PathBuf> {
        let mut all: Vec<_> =
            std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a name").path()).collect();
        all.sort();
        all
    };
    let mut rows = Vec::new();
    for file in folder(&root.join("scenarios")).iter().flat_map(|site| folder(site)) {
        let Some(file) = file.to_str().and_then(|file| file.strip_suffix(".ask.toml")) else { continue };
        let scenario = Scenario::load(Path::new(&format!("{file}.toml"))).expect("a scenario");
        let path = Path::new(file);
        let site = path.parent().and_then(Path::file_name).expect("a site").to_str().expect("a name").to_owned();
        let name = path.file_name().expect("a file").to_str().expect("a name");
        let trace = Trace::open(root.join(format!("{site}-{name}.trace"))).expect("a bundled trace");
        let mut seen = BoilerplateIndex::default();
        for step in 0..trace.len() {
            let page = extract(&trace.page(StepIndex(step)).expect("a page").0, Cut::default());
            seen.add(&page);
            let own = seen.own_sections(&page);
            let all = scenario.questions.iter().chain(&scenario.relevance);
            for question in all.filter(|question| question.step == step) {
                let hits =
                    rank_with(Arc::new(Lexical::default()), &page, &own, &question.ask, &SearchOptions::default());
                rows.push(Judged {
                    site: site.clone(),
                    is_answered: question.text.is_some(),
                    is_near: question.near,
                    is_held_out: question.held_out,
                    hits: hits.expect("ranks").iter().map(|hit| hit.signals).collect(),
                });
            }
        }
    }
    rows
}

/// Asks each site of a fit on the others; returns the probabilities with their questions.
fn asked_apart<'r>(rows: &[&'r Judged], signals: &[usize]) -> Vec<(f64, &'r Judged)> {
    let sites: BTreeSet<&str> = rows.iter().map(|row| row.site.as_str()).collect();
    let of = |site: &str| {
        let model = fit(rows.iter().filter(|row| row.site != site).copied(), signals);
        rows.iter().filter(|row| row.site == site).map(|row| (model.best(row), *row)).collect::<Vec<_>>()
    };
    sites.into_iter().flat_map(of).collect()
}

/// The highest probability that keeps a share of the questions that are answered.
fn keeping(told: &[(f64, &Judged)], share: f64) -> f64 {
    let mut good: Vec<f64> = told.iter().filter(|(_, row)| row.is_answered).map(|(p, _)| *p).collect();
    good.sort_by(f64::total_cmp);
    good[((1.0 - share) * good.len() as f64) as usize]
}

/// Asks each site of a fit on the others, from the probability that keeps 95 % of these where each
/// of them is asked of a fit on the rest. Returns how many answered ones and others are kept.
fn chosen_apart(rows: &[&Judged]) -> ((usize, usize), (usize, usize)) {
    let sites: BTreeSet<&str> = rows.iter().map(|row| row.site.as_str()).collect();
    let (mut kept, mut left) = ((0, 0), (0, 0));
    for site in sites {
        let (own, others): (Vec<&Judged>, Vec<&Judged>) = rows.iter().partition(|row| row.site == site);
        let least = keeping(&asked_apart(&others, &ALL), 0.95);
        let model = fit(others.iter().copied(), &ALL);
        let told: Vec<(f64, &Judged)> = own.iter().map(|row| (model.best(row), *row)).collect();
        let add = |sum: &mut (usize, usize), (reached, of)| *sum = (sum.0 + reached, sum.1 + of);
        add(&mut kept, reach(&told, least, |row| row.is_answered));
        add(&mut left, reach(&told, least, |row| !row.is_answered));
    }
    (kept, left)
}

fn brier(told: &[(f64, &Judged)]) -> f64 {
    let off = told.iter().map(|(p, row)| (p - f64::from(u8::from(row.is_answered))).powi(2));
    off.sum::<f64>() / told.len() as f64
}

/// How many of the questions that `is` picks have at least a probability, and of how many.
fn reach(told: &[(f64, &Judged)], least: f64, is: impl Fn(&Judged) -> bool) -> (usize, usize) {
    let all: Vec<f64> = told.iter().filter(|(_, row)| is(row)).map(|(p, _)| *p).collect();
    (all.iter().filter(|p| **p >= least).count(), all.len())
}

#[test]
fn the_steps_are_those_of_the_questions_and_hold_on_other_sites() {
    let rows = rows();
    let (apart, fitted): (Vec<&Judged>, Vec<&Judged>) = rows.iter().partition(|row| row.is_held_out);
    let share = fitted.iter().filter(|row| row.is_answered).count() as f64 / fitted.len() as f64;
    println!("always {share:.2}: Brier {:.3}", share * (1.0 - share));
    let least = f64::from(DEFAULT_RELEVANCE);
    let mut told = Vec::new();
    for signals in [&[0][..], &[1], &[0, 1], &[2], &ALL] {
        told = asked_apart(&fitted, signals);
        print!("signals {signals:?}: Brier {:.3}", brier(&told));
        for kept in [0.95, 0.9, 0.8] {
            let least = keeping(&told, kept);
            let (left, of) = reach(&told, least, |row| !row.is_answered);
            print!("; {:.0} % refused at {kept} ({least:.3})", 100.0 * (of - left) as f64 / of as f64);
        }
        println!();
    }
    let kept = reach(&told, least, |row| row.is_answered);
    let (near, other) =
        (reach(&told, least, |row| row.is_near), reach(&told, least, |row| !row.is_answered && !row.is_near));
    println!("from {least}: answerable {kept:?}, near misses {near:?}, about something else {other:?}");
    assert!(kept.0 * 100 >= kept.1 * 95, "{kept:?}");
    assert!((near.0 + other.0) * 100 <= (near.1 + other.1) * 60, "{near:?}, {other:?}");
    assert!(brier(&told) < share * (1.0 - share) - 0.05, "{}", brier(&told));
    let (kept, left) = chosen_apart(&fitted);
    println!("with the least probability chosen on the other sites too: answerable {kept:?}, others {left:?}");
    assert!(kept.0 * 100 >= kept.1 * 95 && left.0 * 100 <= left.1 * 60, "{kept:?}, {left:?}");
    let model = fit(fitted.iter().copied(), &ALL);
    let held_out: Vec<(f64, &Judged)> = apart.iter().map(|row| (model.best(row), *row)).collect();
    println!("held out {:?}", reach(&held_out, least, |row| row.is_answered));
    println!("{:.3}", model.constant);
    model.steps.iter().for_each(|(signal, from, adds)| println!("    ({signal}, {from:.3}, {adds:.3}),"));
    // A signal is told apart from a step to three digits.
    let same = |a: f64, b: f64| (a - b).abs() < 0.001;
    assert!(same(model.constant, CONSTANT) && model.steps.len() == STEPS.len());
    for (fitted, (signal, from, adds)) in model.steps.iter().zip(STEPS) {
        assert!(fitted.0 == signal && same(fitted.1, from) && same(fitted.2, adds), "{fitted:?}");
    }
}
