//! The gate over runs of the engine.
#![allow(missing_docs, reason = "a test has no readers")]

mod common;

use browserlens_replay::{AcceptedRun, AcceptedTexts, EarlierTexts, GateReport, RunResult, accept, check};
use common::{Behaviour, Request, World, configured};
use std::collections::BTreeMap;
use std::path::Path;

fn run(world: &World, cache: &str, behaviour: Behaviour) -> RunResult {
    let trace = world.task_once("shop/lamp");
    let strategies = [configured("lens/test", behaviour), configured("test/other", Behaviour::Good)];
    world.replay(Request { cache, ..Request::new(&[trace], &strategies) }).expect("replays")
}

trait Once {
    fn task_once(&self, name: &str) -> std::path::PathBuf;
}

impl Once for World {
    fn task_once(&self, name: &str) -> std::path::PathBuf {
        let path = self.path("traces").join(format!("{name}.trace"));
        if path.exists() { path } else { self.task(name) }
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("listed") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").display().to_string();
                files.insert(name, std::fs::read(&path).expect("read"));
            }
        }
    }
    files
}

fn gate(world: &World, now: &RunResult) -> GateReport {
    let accepted = AcceptedRun::load(&world.path("accepted")).expect("loads").expect("is there");
    check(now, &accepted)
}

#[test]
fn the_accepted_run_passes_its_own_gate_and_is_written_the_same_twice() {
    let world = World::new();
    let good = run(&world, "a", Behaviour::Good);
    assert_eq!(AcceptedRun::load(&world.path("accepted")).expect("nothing there"), None);
    accept(&good, &world.path("accepted")).expect("accepted");
    let first = files(&world.path("accepted"));
    accept(&good, &world.path("accepted")).expect("accepted");
    assert_eq!(files(&world.path("accepted")), first);
    let report = gate(&world, &good);
    assert!(report.passes() && report == GateReport::default(), "{report:?}");
    let accepted = AcceptedRun::load(&world.path("accepted")).expect("loads").expect("is there");
    let texts = AcceptedTexts::of(&accepted);
    let (text, _) = texts.text("shop/lamp", "lens/test", 2).expect("read").expect("texts of lens/* are kept");
    assert!(text.contains("3 of 142 results"));
    assert_eq!(texts.text("shop/lamp", "test/other", 2).expect("read"), None, "of the rest only hashes are kept");
}

#[test]
fn more_tokens_are_a_regression_and_fewer_an_improvement() {
    let world = World::new();
    let (good, verbose) = (run(&world, "a", Behaviour::Good), run(&world, "b", Behaviour::Verbose));
    accept(&good, &world.path("accepted")).expect("accepted");
    let report = gate(&world, &verbose);
    assert!(!report.passes());
    assert_eq!(report.regressions.len(), 6, "both encodings at three steps");
    assert!(
        report.regressions[0].to_string().starts_with("shop/lamp lens/test step 0: o200k tokens "),
        "{}",
        report.regressions[0]
    );
    assert_eq!(report.changed_texts.len(), 3);
    accept(&verbose, &world.path("accepted")).expect("accepted");
    let report = gate(&world, &good);
    assert!(report.passes() && report.improvements.len() == 6);
}

#[test]
fn cheaper_because_it_lost_a_fact_does_not_pass() {
    let world = World::new();
    accept(&run(&world, "a", Behaviour::Good), &world.path("accepted")).expect("accepted");
    let report = gate(&world, &run(&world, "b", Behaviour::HidesFacts));
    let what: Vec<&str> = report.regressions.iter().map(|finding| finding.what.as_str()).collect();
    assert!(
        what.contains(&"facts read") && what.contains(&"step success") && what.contains(&"task success"),
        "{what:?}"
    );
}

#[test]
fn a_new_failure_is_a_regression_and_new_or_gone_rows_are_said() {
    let world = World::new();
    let good = run(&world, "a", Behaviour::Good);
    accept(&good, &world.path("accepted")).expect("accepted");
    let report = gate(&world, &run(&world, "b", Behaviour::FailsAtOne));
    assert!(report.regressions.iter().any(|finding| finding.what == "outcome" && finding.now == "failed"));
    let mut fewer = good.clone();
    let gone = fewer.measurements.pop().expect("a row");
    let report = gate(&world, &fewer);
    assert_eq!(report.removed_rows, [(gone.trace.clone(), gone.strategy.clone(), gone.step)]);
    assert!(!report.passes());
    accept(&fewer, &world.path("accepted")).expect("accepted");
    let report = gate(&world, &good);
    assert_eq!(report.new_rows, [(gone.trace, gone.strategy, gone.step)]);
    assert!(report.passes());
}

#[test]
fn runs_of_other_metrics_are_not_compared() {
    let world = World::new();
    let good = run(&world, "a", Behaviour::Good);
    let mut accepted = accept(&good, &world.path("accepted")).expect("accepted");
    accepted.metric_version += 1;
    let report = check(&good, &accepted);
    assert!(!report.passes() && report.incomparable.is_some());
}

#[test]
fn of_two_that_accept_at_once_the_rows_and_the_texts_of_one_stay() {
    let world = World::new();
    let (good, verbose) = (run(&world, "a", Behaviour::Good), run(&world, "b", Behaviour::Verbose));
    let folder = world.path("accepted");
    for _ in 0..5 {
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for run in [&good, &verbose, &good, &verbose] {
                let (start, folder) = (&start, &folder);
                scope.spawn(move || {
                    start.wait();
                    accept(run, folder).expect("accepted");
                });
            }
        });
        let accepted = AcceptedRun::load(&folder).expect("loads").expect("is there");
        let texts = AcceptedTexts::of(&accepted);
        let (text, _) = texts.text("shop/lamp", "lens/test", 2).expect("read").expect("there are texts");
        let is_verbose = accepted.rows == AcceptedRun::of(&verbose).rows;
        assert!(is_verbose || accepted.rows == AcceptedRun::of(&good).rows);
        assert_eq!(text.contains("nobody asked for"), is_verbose);
        let mut left: Vec<_> =
            std::fs::read_dir(&folder).expect("listed").map(|entry| entry.expect("listed").file_name()).collect();
        left.sort();
        assert_eq!(left, ["accepted.json", "texts"]);
    }
}
