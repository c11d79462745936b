//! The engine over traces that the real writer wrote.
#![allow(missing_docs, reason = "a test has no readers")]

mod common;

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_core::tokens::Encoding;
use browserlens_replay::{FUSED_WAY, Measurement, Progress, ReplayError, RunResult, find_traces, strategies};
use common::{Behaviour, Request, SHARED, World, configured, configured_version};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn bytes(run: &RunResult) -> Vec<u8> {
    std::fs::read(run.folder.join("run.json")).expect("the run is written")
}

#[test]
fn a_good_strategy_finds_every_node_and_fact() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = [configured("test/good", Behaviour::Good), configured("test/hides", Behaviour::HidesFacts)];
    let run = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    assert_eq!(run.measurements.len(), 6);
    let task = &run.tasks[0];
    assert!(task.success && task.finished, "{task:?}");
    assert_eq!((task.scores.facts.total, task.scores.facts.read), (2, 2));
    assert_eq!((task.scores.refs.surviving, task.scores.refs.kept, task.scores.refs.wrong_rebinds), (4, 4, 0));
    assert_eq!(task.legend.o200k, u64::from(Encoding::O200kBase.count("refs act").0));
    let first = run.measurements[0].numbers().expect("observed");
    assert_eq!(first.target.resolved, Some(true));
    assert_eq!(run.measurements[1].numbers().expect("observed").legend.o200k, 0, "the legend is counted once a task");
    assert_eq!(task.definitions.o200k, u64::from(Encoding::O200kBase.count("one tool that clicks").0));
    let shown: u64 = run.measurements[..3].iter().filter_map(|row| row.numbers()).map(|n| n.observation.o200k).sum();
    assert_eq!(task.cost.o200k, shown + task.legend.o200k, "definitions are in no sum");
    assert_eq!(
        (
            task.scores.probes.nodes,
            task.scores.probes.nodes_found,
            task.scores.probes.texts,
            task.scores.probes.texts_found
        ),
        (7, 7, 3, 3)
    );
    let hides = run.tasks[1].scores.probes;
    assert_eq!((hides.nodes_found, hides.texts_found), (7, 0));
    assert_eq!(run.measurements[5].numbers().expect("observed").facts_read, [false]);
    assert!(!run.tasks[1].success && run.tasks[1].scores.facts.read == 0);
    let shown = run.observation("shop/lamp", "test/good", 2).expect("stored").expect("observed");
    assert!(shown.text.contains("- link \"Oak lamp\" [ref=e4]"), "{}", shown.text);
    assert_eq!(run.steps[1].action, "fill searchbox \"Search\"");
    assert_eq!(run.steps[0].targets.len(), 1);
}

#[test]
fn what_strategies_share_is_in_the_latency_of_each_whoever_came_first() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let shares = |name| configured(name, Behaviour::Shares);
    let strategies = [shares("test/one"), shares("test/two"), shares("test/three"), shares("test/four")];
    let run = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    for timing in &run.timings {
        assert!(u128::from(timing.observe.0) >= SHARED.as_micros(), "{timing:?}");
        assert!(u128::from(timing.stages["extract"].0) >= SHARED.as_micros(), "{timing:?}");
    }
}

#[test]
fn what_was_made_for_an_answer_is_charged_to_whoever_uses_it_in_an_observation() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = [configured("test/asked", Behaviour::SharesInAnswer), configured("test/user", Behaviour::Shares)];
    let run = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    let asked =
        |step| run.measurement("shop/lamp", "test/asked", step).and_then(Measurement::numbers).expect("observed");
    assert_eq!([0, 1].map(|step| asked(step).requests.len()), [1, 1]);
    for timing in run.timings.iter().filter(|timing| timing.strategy == "test/user") {
        assert!(u128::from(timing.observe.0) >= SHARED.as_micros(), "{timing:?}");
    }
}

#[test]
fn no_strategy_frees_what_all_kept_of_the_step_before() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = [configured("test/one", Behaviour::Keeps), configured("test/two", Behaviour::Keeps)];
    let run = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    let errors: Vec<_> = run.measurements.iter().filter_map(Measurement::error).collect();
    assert!(run.measurements.len() == 6 && errors.is_empty(), "{errors:?}");
}

#[test]
fn an_agents_own_run_is_scored_by_its_action_nodes_alone() {
    let world = World::new();
    let trace = world.trace("agent", browserlens_trace::TraceSource::Served);
    let strategies = [configured("test/good", Behaviour::Good), configured("test/hides", Behaviour::HidesFacts)];
    let run = world.replay(Request::new(&[trace], &strategies)).expect("replays without a scenario");
    let rows: Vec<_> = run.measurements[..3].iter().filter_map(Measurement::numbers).collect();
    assert_eq!(
        rows.iter().map(|row| (row.target.needed, row.target.resolved)).collect::<Vec<_>>()[..2],
        [(true, Some(true)); 2]
    );
    for task in &run.tasks {
        assert!(task.success && task.finished && task.scores.facts.total == 0, "{task:?}");
    }
}

#[test]
fn one_thread_and_two_give_the_same_bytes_and_the_same_folder() {
    let world = World::new();
    let traces: Vec<_> = ["a/one", "b/two", "c/three", "d/four"].into_iter().map(|name| world.task(name)).collect();
    let strategies = [
        configured("test/good", Behaviour::Good),
        configured("test/verbose", Behaviour::Verbose),
        configured("test/fails", Behaviour::FailsAtOne),
    ];
    let one = world.replay(Request { cache: "cache-one", ..Request::new(&traces, &strategies) }).expect("replays");
    let reversed: Vec<_> = traces.iter().rev().cloned().collect();
    let two = world
        .replay(Request { cache: "cache-two", threads: 2, ..Request::new(&reversed, &strategies) })
        .expect("replays");
    assert_eq!(bytes(&one), bytes(&two));
    assert_eq!(one.folder, two.folder);
    let order: Vec<(&str, &str, u32)> =
        one.measurements.iter().map(|row| (row.trace.as_str(), row.strategy.as_str(), row.step)).collect();
    assert_eq!(
        order[..4],
        [("a/one", "test/good", 0), ("a/one", "test/good", 1), ("a/one", "test/good", 2), ("a/one", "test/verbose", 0)]
    );
    assert_eq!(RunResult::load(&one.folder).expect("loads").measurements, one.measurements);
}

#[test]
fn a_second_run_comes_from_the_cache_with_the_timings_last_measured() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = [configured("test/good", Behaviour::Good)];
    let first = world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect("replays");
    let second = world
        .replay(Request { date: "2026-02-02", ..Request::new(std::slice::from_ref(&trace), &strategies) })
        .expect("replays");
    assert_eq!((first.cached_units, second.cached_units), (0, 1));
    assert_eq!(bytes(&first), bytes(&second));
    assert!(second.timings.iter().all(|timing| timing.cached && timing.date == "2026-01-01"));
    // A changed scenario, and a changed version of the strategy, are other keys.
    let newer = [configured_version("test/good", "2", Behaviour::Good)];
    assert_eq!(world.replay(Request::new(std::slice::from_ref(&trace), &newer)).expect("replays").cached_units, 0);
    let scenario = world.path("scenarios/shop/lamp.toml");
    let text = std::fs::read_to_string(&scenario).expect("read").replace("3 of 142", "4 of 142");
    std::fs::write(&scenario, text).expect("written");
    let changed = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    assert_eq!((changed.cached_units, changed.tasks[0].success), (0, false));
    assert_ne!(changed.folder, first.folder, "no run is ever overwritten");
}

#[test]
fn questions_beside_a_scenario_are_asked_and_measure_nothing_anew() {
    let world = World::new();
    let traces = [world.task("shop/lamp"), world.task("shop/other")];
    let strategies = [configured("test/good", Behaviour::Good)];
    let without = world.replay(Request::new(&traces, &strategies)).expect("replays");
    assert!(without.header.traces.iter().all(|trace| trace.asked.is_empty()));
    let question = "[[ask]]\nid = \"count\"\nstep = 2\nask = \"How many results are there?\"\nwords = \"page\"\ntext = \
        \"3 of 142 results\"\n";
    std::fs::write(world.path("scenarios/shop/lamp.ask.toml"), question).expect("written");
    let with = world.replay(Request { threads: 2, ..Request::new(&traces, &strategies) }).expect("replays");
    assert_eq!(with.cached_units, 2, "a question is in no unit's key");
    assert_ne!(with.folder, without.folder, "and is in the run");
    let asked = &with.header.traces[0].asked;
    assert_eq!((asked.len(), asked[0].id.as_str(), asked[0].step, asked[0].answerable), (1, "count", 2, true));
    assert!(asked[0].ways.iter().any(|way| way.way == FUSED_WAY && way.told[0]), "{asked:?}");
    assert!(with.header.traces[1].asked.is_empty());
    assert_eq!(RunResult::load(&with.folder).expect("loads").header, with.header);
    // Another question is another key.
    let misses = question.replace("3 of 142", "4 of 142");
    std::fs::write(world.path("scenarios/shop/lamp.ask.toml"), misses).expect("written");
    let missed = world.replay(Request::new(&traces, &strategies)).expect("replays");
    assert!(missed.header.traces[0].asked[0].ways.iter().all(|way| !way.told.contains(&true)));
}

#[test]
fn a_strategy_that_fails_or_panics_is_a_row_with_its_error_and_no_numbers() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let strategies = [
        configured("test/fails", Behaviour::FailsAtOne),
        configured("test/panics", Behaviour::PanicsAtOne),
        configured("test/good", Behaviour::Good),
    ];
    let run = world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect("replays");
    let errors: Vec<Option<&str>> = run.measurements.iter().map(Measurement::error).collect();
    assert_eq!(errors[..3], [None, Some("step 1: cannot"), None]);
    assert_eq!(errors[3], None);
    assert_eq!(errors[4], Some("step 1: the strategy panicked: a mistake in the strategy"));
    assert_eq!(errors[5], Some("given up: the strategy panicked at step 1"));
    assert_eq!(errors[6..], [None, None, None]);
    assert!(run.measurements[4].numbers().is_none());
    let finished: Vec<bool> = run.tasks.iter().map(|task| task.finished).collect();
    assert_eq!(finished, [false, false, true]);
    // Failures are not cached: a mended strategy runs again.
    let again = world.replay(Request::new(&[trace], &strategies)).expect("replays");
    assert_eq!(again.cached_units, 1);
}

/// Stops the replay after so many steps.
struct StopAfter<'a> {
    steps: usize,
    seen: AtomicUsize,
    cancel: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn step_done(&self, _trace: &str, _step: u32) {
        if self.seen.fetch_add(1, Ordering::Relaxed) + 1 == self.steps {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_where_it_stopped() {
    let world = World::new();
    let traces: Vec<_> = ["a/one", "b/two", "c/three"].into_iter().map(|name| world.task(name)).collect();
    let strategies = [configured("test/good", Behaviour::Good), configured("test/verbose", Behaviour::Verbose)];
    let cancel = AtomicBool::new(false);
    let stop = StopAfter { steps: 4, seen: AtomicUsize::new(0), cancel: &cancel };
    let error = world
        .replay(Request { progress: &stop, cancel: &cancel, ..Request::new(&traces, &strategies) })
        .expect_err("stopped");
    assert!(matches!(error, ReplayError::Cancelled), "{error}");
    let resumed = world.replay(Request::new(&traces, &strategies)).expect("replays");
    assert_eq!(resumed.cached_units, 2, "the one trace that was finished comes from the cache");
    let fresh = world.replay(Request { cache: "other", ..Request::new(&traces, &strategies) }).expect("replays");
    assert_eq!(bytes(&resumed), bytes(&fresh));
}

#[test]
fn what_cannot_be_replayed_is_named_with_a_remedy() {
    let world = World::new();
    let strategies = [configured("test/good", Behaviour::Good)];
    let empty = world.path("empty");
    std::fs::create_dir(&empty).expect("made");
    let error = find_traces(&empty).expect_err("nothing there");
    assert_eq!(error.to_string(), format!("{}: no trace (*.trace) here", empty.display()));
    assert!(error.hint().contains("record"));

    let trace = world.task("shop/lamp");
    let error = world.replay(Request::new(std::slice::from_ref(&trace), &[])).expect_err("no strategy");
    assert!(matches!(error, ReplayError::NoStrategies));

    let mut damaged = std::fs::read(&trace).expect("read");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x10;
    let bad = world.path("traces/bad.trace");
    std::fs::write(&bad, &damaged).expect("written");
    let error = world.replay(Request::new(&[trace.clone(), bad.clone()], &strategies)).expect_err("damaged");
    assert!(error.to_string().starts_with(&bad.display().to_string()), "{error}");

    std::fs::remove_file(world.path("scenarios/shop/lamp.toml")).expect("removed");
    let error =
        world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect_err("no scenario").to_string();
    assert!(error.contains(&trace.display().to_string()) && error.contains("scenarios/shop/lamp.toml"), "{error}");
}

#[test]
fn two_traces_of_one_scenario_keep_apart() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let copy = world.path("traces/lamp-again.trace");
    std::fs::copy(&trace, &copy).expect("copied");
    let strategies = [configured("test/good", Behaviour::Good)];
    let run = world.replay(Request::new(&[copy, trace], &strategies)).expect("replays");
    let ids: Vec<&str> = run.header.traces.iter().map(|trace| trace.id.as_str()).collect();
    assert_eq!(ids, ["shop/lamp (lamp)", "shop/lamp (lamp-again)"]);
    assert_eq!(run.measurements.len(), 6);
}

/// A page of 100,000 elements, with a chain that is 10,000 deep.
fn large_page() -> Page {
    let mut builder = PageBuilder::new("https://shop.test/", "Large");
    builder.open(NodeSpec { tag: "html", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    builder.add_outline(
        "main\n  searchbox \"Search\" #1 tag=input aria-label=\"Search\"\n  button \"Go\" #2 aria-label=\"Go\"\n  \
            paragraph block\n    text \"Type to search\" #3\n  paragraph block\n    text \"3 of 142 results\" #4",
    );
    for _ in 0..10_000 {
        builder.open(NodeSpec { role: "generic", ..NodeSpec::default() });
    }
    builder.text("deep below");
    for _ in 0..10_000 {
        builder.close();
    }
    for index in 0..45_000 {
        let name = format!("Product {index}");
        builder.open(NodeSpec::with_role("link", &name));
        builder.text(&name);
        builder.close();
    }
    builder.finish()
}

#[test]
fn a_page_of_100_000_elements_nested_10_000_deep_is_replayed_by_every_family() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let names =
        ["playwright-mcp@0.0.83/full", "browser-use@0.13.14/dom", "read-text/visible", "lens/full", "lens/delta"];
    let text: String = names.iter().map(|name| format!("[[strategy]]\nname = \"{name}\"\nwhy = \"\"\n")).collect();
    let strategies = strategies::parse(&text, Path::new("strategies.toml")).expect("builds");
    let pages = vec![large_page(), large_page(), common::pages().remove(2)];
    assert!(pages[0].len() > 100_000);
    let run = world.replay(Request { pages, ..Request::new(&[trace], &strategies) }).expect("replays");
    for row in &run.measurements {
        assert_eq!(row.error(), None, "{} step {}", row.strategy, row.step);
    }
    for name in ["playwright-mcp@0.0.83/full", "lens/full", "lens/delta"] {
        let full = run.measurement("shop/lamp", name, 0).and_then(Measurement::numbers).expect("observed");
        assert!(
            full.target.is_actionable() && full.scores.facts.read == 1,
            "{name}: {:?} {:?}",
            full.target,
            full.scores.facts
        );
    }
}
