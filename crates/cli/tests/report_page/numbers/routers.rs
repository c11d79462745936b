//! Routers against hindsight, from the rows alone.

use super::run::{FIXED, Run};
use std::collections::BTreeMap;

/// Tokens of a whole observation, and whether the step succeeds with it.
type Outcome = (u64, bool);

/// A line of the table.
#[derive(Clone, Debug, Default)]
pub struct Router {
    pub name: String,
    pub chosen: [u64; 4],
    pub steps: u64,
    pub agreed: u64,
    pub tasks: (u64, u64),
    pub tokens: u64,
    pub extra: u64,
    pub missed: u64,
    pub hopeless: u64,
}

impl Router {
    pub fn per_task(&self, tokens: u64) -> f64 {
        tokens as f64 / self.tasks.1.max(1) as f64
    }
}

/// The cheapest of the representations that succeed, among the first `of`; of equals the earlier.
fn best(step: &[Outcome; 4], of: usize) -> Option<usize> {
    (0..of).filter(|at| step[*at].1).min_by_key(|at| (step[*at].0, *at))
}

/// Every line; none where some representation was not run alone.
pub fn routers(run: &Run<'_>) -> Option<Vec<Router>> {
    let mut known: BTreeMap<(&str, u64), [Option<Outcome>; 4]> = BTreeMap::new();
    let mut choices: BTreeMap<&str, BTreeMap<(&str, u64), usize>> = BTreeMap::new();
    for row in run.files.rows("measurements").filter(|row| row.lacks("error")) {
        let step = (row.text("trace"), row.count("step").expect("a step"));
        if let Some(at) = FIXED.iter().position(|(name, _)| *name == row.text("strategy")) {
            let tokens = row.sum(&["text_o200k", "image_claude28", "request_o200k", "request_claude28"]);
            known.entry(step).or_default()[at] = Some((tokens, row.is("success")));
        }
        if let Some(at) = FIXED.iter().position(|(_, name)| *name == row.text("representation")) {
            choices.entry(row.text("strategy")).or_default().insert(step, at);
        }
    }
    let whole: BTreeMap<(&str, u64), [Outcome; 4]> =
        known.into_iter().filter_map(|(step, [a, b, c, d])| Some((step, [a?, b?, c?, d?]))).collect();
    if whole.is_empty() {
        return None;
    }
    let line = |name: &str, choices: &BTreeMap<(&str, u64), usize>| {
        let mut line = Router { name: name.to_owned(), ..Router::default() };
        let mut tasks: BTreeMap<&str, bool> = BTreeMap::new();
        for (step, at) in choices {
            let Some(outcomes) = whole.get(step) else { continue };
            let (tokens, success) = outcomes[*at];
            line.chosen[*at] += 1;
            line.steps += 1;
            line.tokens += tokens;
            *tasks.entry(step.0).or_insert(true) &= success;
            match best(outcomes, 3) {
                None => line.hopeless += 1,
                Some(_) if !success => line.missed += 1,
                Some(best) => {
                    let extra = tokens.saturating_sub(outcomes[best].0);
                    line.extra += extra;
                    line.agreed += u64::from(extra == 0);
                }
            }
        }
        line.tasks = (tasks.values().filter(|done| **done).count() as u64, tasks.len() as u64);
        line
    };
    let mut lines: Vec<Router> = choices.iter().map(|(name, choices)| line(name, choices)).collect();
    for (name, of) in [("hindsight, by refs", 3), ("hindsight, by points", 4)] {
        let cheapest = |outcomes: &[Outcome; 4]| (0..3).min_by_key(|at| (outcomes[*at].0, *at)).unwrap_or(0);
        let taken =
            whole.iter().map(|(step, outcomes)| (*step, best(outcomes, of).unwrap_or_else(|| cheapest(outcomes))));
        lines.push(line(name, &taken.collect()));
    }
    Some(lines)
}
