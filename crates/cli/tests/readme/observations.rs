//! Observations of the bundled traces, pinned: `lens/full` and `lens/delta` on every scenario, the
//! other families on two, `raw/*` never.
//!
//! One readable file a scenario and strategy under `snapshots/`.

use super::bench;
use browserlens_replay::RunResult;
use std::sync::OnceLock;

/// Scenarios on which every strategy but `raw/*` is pinned: a small page and a canvas.
const PINNED_FOR_ALL: [&str; 2] = ["login/wrong-then-right", "sheet/budget-and-dashboard"];
/// Strategies that are pinned on every scenario.
const PINNED_EVERYWHERE: [&str; 2] = ["lens/full", "lens/delta"];

/// The run of the one bench, read back.
fn run() -> &'static RunResult {
    static RUN: OnceLock<RunResult> = OnceLock::new();
    RUN.get_or_init(|| {
        let mut runs = std::fs::read_dir(&bench().runs).expect("the bench keeps its run").flatten();
        let folder = runs.find(|entry| entry.path().is_dir()).expect("one run").path();
        RunResult::load(&folder).expect("a run")
    })
}

/// Everything that a strategy showed over a trace, answers to requests included.
fn shown(trace: &str, strategy: &str) -> String {
    let run = run();
    let mut text = String::new();
    for row in run.measurements.iter().filter(|row| row.trace == trace && row.strategy == strategy) {
        let step =
            &run.steps.iter().find(|step| step.trace == trace && step.step == row.step).expect("the step is described");
        text.push_str(&format!("=== step {} {}\n", row.step, step.action));
        if let Some(error) = row.error() {
            text.push_str(&format!("error: {error}\n"));
            continue;
        }
        let observation = run.observation(trace, strategy, row.step).expect("stored").expect("observed");
        text.push_str(&observation.text);
        text.push('\n');
        for image in &observation.images {
            text.push_str(&format!("--- image {image}\n"));
        }
        for (request, answer) in &observation.answers {
            text.push_str(&format!("--- {request}\n{answer}\n"));
        }
    }
    text
}

fn pin(trace: &str, strategy: &str) {
    // No colon: some file systems have none in names.
    let name = format!("{}@{}", trace.replace('/', "__"), strategy.replace(['/', ':'], "__"));
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, shown(trace, strategy));
    });
}

fn trace_ids() -> Vec<String> {
    run().header.traces.iter().map(|trace| trace.id.clone()).collect()
}

#[test]
fn every_bundled_scenario_is_shown_by_the_lens_as_pinned() {
    for trace in trace_ids() {
        for strategy in PINNED_EVERYWHERE {
            pin(&trace, strategy);
        }
    }
}

#[test]
fn two_scenarios_are_shown_by_every_strategy_as_pinned() {
    let traces = trace_ids();
    for trace in PINNED_FOR_ALL {
        assert!(traces.contains(&trace.to_owned()), "{trace} is among the bundled traces {traces:?}");
        for strategy in run().header.strategies.iter().map(|strategy| strategy.name.as_str()) {
            if !strategy.starts_with("raw/") && !PINNED_EVERYWHERE.contains(&strategy) {
                pin(trace, strategy);
            }
        }
    }
}

#[test]
fn entity_ids_occur_in_no_observation_of_any_strategy() {
    let mut searched = 0;
    for trace in trace_ids() {
        for strategy in run().header.strategies.iter().map(|strategy| strategy.name.as_str()) {
            let text = shown(&trace, strategy);
            assert!(!text.contains("ent~"), "{strategy} on {trace} shows an entity id");
            searched += 1;
        }
    }
    assert!(searched > 0, "there is something to search");
}

#[test]
fn the_truth_rule_and_the_rebind_rule_hold_on_every_step() {
    let mut counted = 0;
    for row in run().measurements.iter().filter(|row| row.strategy.starts_with("lens/")) {
        let place = format!("{} {} step {}", row.trace, row.strategy, row.step);
        let numbers = row.numbers().unwrap_or_else(|| panic!("{place} failed: {:?}", row.error()));
        assert_eq!(numbers.scores.refs.wrong_rebinds, 0, "{place}");
        if let Some(unmarked) = numbers.scores.unmarked_differences {
            assert_eq!(unmarked, 0, "{place}");
            counted += 1;
        }
    }
    assert!(counted > 0, "unmarked differences are counted somewhere");
}

#[test]
fn every_fact_of_every_scenario_can_be_read_by_some_strategy() {
    for step in &run().steps {
        let rows: Vec<_> =
            run().measurements.iter().filter(|row| row.trace == step.trace && row.step == step.step).collect();
        let best = rows.iter().filter_map(|row| row.numbers()).map(|numbers| numbers.scores.facts.read).max();
        assert_eq!(best, Some(step.facts.len() as u32), "{} step {}: {:?}", step.trace, step.step, step.facts);
    }
}
