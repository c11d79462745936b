//! Commands as strategies, in whole runs: the bundled example succeeds, faults are rows, and only
//! what says that it is deterministic is kept.
#![allow(missing_docs, reason = "a test has no readers")]

mod common;

use browserlens_replay::{ConfiguredStrategy, Measurement, ReplayOptions, RunResult, replay, strategies};
use common::{Behaviour, Request, World, configured};
use std::path::{Path, PathBuf};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../replay/examples/lister.py")
}

/// Declares commands in the world's folder.
fn declared(world: &World, text: &str) -> Vec<ConfiguredStrategy> {
    let path = world.path("strategies.toml");
    std::fs::write(&path, text).expect("written");
    strategies::load(&path).expect("loads")
}

#[test]
fn the_example_of_thirty_lines_finds_its_way_through_a_bundled_trace() {
    let script = std::fs::read_to_string(example()).expect("the example");
    assert!(script.lines().count() <= 30, "{} lines", script.lines().count());
    let imports: Vec<&str> =
        script.lines().filter(|line| line.starts_with("import ") || line.starts_with("from ")).collect();
    assert_eq!(imports, ["import json", "import sys"], "the standard library only");

    let world = World::new();
    std::fs::copy(example(), world.path("lister.py")).expect("copied");
    let strategies = declared(
        &world,
        "[[external]]\nname = \"mine/lister\"\nwhy = \"the example\"\ncommand = [\"python3\", \"lister.py\"]\nformat = \
            \"playwright-aria\"\nversion = \"1\"\ntimeout_ms = 120000\nstart_timeout_ms = 120000\n",
    );
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let trace = traces.join("tiny-newsletter-signup.trace");
    let options = ReplayOptions::new(vec![trace], traces.join("scenarios"), &strategies, world.folder.path());
    let run = replay(&options).expect("replays");
    let errors: Vec<Option<&str>> = run.measurements.iter().map(Measurement::error).collect();
    assert!(errors.iter().all(Option::is_none), "{errors:?}");
    let task = &run.tasks[0];
    assert!(task.success && task.successful_steps == task.steps && task.steps > 1, "{task:?}");
    let resolved = run.measurements.iter().filter_map(Measurement::numbers).filter(|numbers| numbers.target.needed);
    assert!(resolved.clone().count() > 0 && resolved.clone().all(|numbers| numbers.target.resolved == Some(true)));
    assert_eq!(task.scores.refs.wrong_rebinds, 0);
}

#[test]
fn faults_are_rows_with_clear_messages_and_the_run_goes_on() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let command = |name: &str, script: &str| {
        format!(
            "[[external]]\nname = \"mine/{name}\"\nwhy = \"a fault\"\ncommand = [\"sh\", \"-c\", \
                '''{script}''']\nformat = \"plain\"\nchannel = \"none\"\ntimeout_ms = 4000\n"
        )
    };
    let ready = "read hello; echo '{\"type\": \"ready\", \"protocol\": 1}';";
    let shown = "read step; echo '{\"type\": \"observation\", \"step\": 0, \"text\": \"Type to search\"}';";
    let text = [
        "[[external]]\nname = \"mine/gone\"\nwhy = \"a fault\"\ncommand = [\"browserlens-no-such-command\"]\nformat = \
            \"plain\"\n"
            .to_owned(),
        command("crashes", &format!("{ready}{shown} read step; echo broken >&2; exit 4")),
        command("hangs", &format!("{ready}{shown} sleep 600")),
        command("garbage", &format!("{ready}{shown} read step; echo Loading; sleep 600")),
        command(
            "other",
            &format!(
                "{ready}{shown} read step; echo '{{\"type\": \"observation\", \"step\": 7, \"text\": \
            \"\"}}'"
            ),
        ),
        command(
            "ref",
            &format!(
                "{ready} read step; echo '{{\"type\": \"observation\", \"step\": 0, \"text\": \"\", \
            \"refs\": {{\"e1\": \"1.1.77\"}}}}'; read step; exit 0"
            ),
        ),
    ]
    .concat();
    let mut strategies = declared(&world, &text);
    strategies.push(configured("test/good", Behaviour::Good));
    let run = world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect("replays");
    let error = |strategy: &str, step: u32| {
        run.measurement("shop/lamp", strategy, step).and_then(Measurement::error).unwrap_or_default().to_owned()
    };
    assert!(error("mine/gone", 0).contains("\"browserlens-no-such-command\" cannot be started: "));
    assert_eq!(error("mine/gone", 1), "step 1: given up: the command failed at step 0");
    for (name, expected) in [
        ("mine/crashes", "it ended (exit status 4); its standard error ends: broken"),
        ("mine/hangs", "it took longer than 4000 ms and was ended"),
        ("mine/garbage", "it wrote a line that is no answer"),
        ("mine/other", "it answered for step 7 when it was asked about step 1"),
    ] {
        assert_eq!(error(name, 0), "", "{name}");
        assert!(error(name, 1).contains(expected), "{name}: {}", error(name, 1));
        assert!(error(name, 2).contains("given up"), "{name}");
    }
    assert!(error("mine/ref", 0).contains("its ref \"e1\" names node \"1.1.77\""));
    assert!(error("mine/ref", 1).contains("it ended (exit status 0)"), "{}", error("mine/ref", 1));
    let good = run.tasks.iter().find(|task| task.strategy == "test/good").expect("a row");
    assert!(good.finished && good.success, "{good:?}");
    assert!(run.tasks.iter().filter(|task| task.strategy.starts_with("mine/")).all(|task| !task.finished));
    assert_eq!(RunResult::load(&run.folder).expect("is stored").measurements, run.measurements);
}

#[test]
fn a_failure_at_a_request_spoils_its_step() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    let script = "read hello; echo '{\"type\": \"ready\", \"protocol\": 1, \"requests\": true}'; read step; echo \
        '{\"type\": \"observation\", \"step\": 0, \"text\": \"nothing of use\"}'; read request; sleep 600";
    let text = format!(
        "[[external]]\nname = \"mine/silent\"\nwhy = \"a fault\"\ncommand = [\"sh\", \"-c\", '''{script}''']\nformat = \
            \"plain\"\ntimeout_ms = 4000\n"
    );
    let run = world.replay(Request::new(&[trace], &declared(&world, &text))).expect("replays");
    let first = run.measurements[0].error().expect("the request was never answered");
    assert!(first.contains("it took longer than 4000 ms"), "{first}");
}

#[test]
fn only_a_deterministic_command_is_kept_until_a_file_of_it_changes() {
    let world = World::new();
    let trace = world.task("shop/lamp");
    std::fs::copy(example(), world.path("lister.py")).expect("copied");
    let text = |more: &str| {
        format!(
            "[[external]]\nname = \"mine/lister\"\nwhy = \"w\"\ncommand = [\"python3\", \"lister.py\"]\nformat = \
                \"playwright-aria\"\ntimeout_ms = 60000\n{more}"
        )
    };
    let cached = |more: &str| {
        let strategies = declared(&world, &text(more));
        let run = world.replay(Request::new(std::slice::from_ref(&trace), &strategies)).expect("replays");
        assert!(run.tasks[0].success, "{:?}", run.tasks[0]);
        run.cached_units
    };
    assert_eq!((cached(""), cached("")), (0, 0), "nothing says that it is deterministic");
    let deterministic = "version = \"1\"\ndeterministic = true\n";
    assert_eq!((cached(deterministic), cached(deterministic)), (0, 1));
    assert_eq!(cached(&format!("{deterministic}options = {{ lines = 3 }}\n")), 0, "other options are another key");
    let script = std::fs::read_to_string(example()).expect("the example");
    std::fs::write(world.path("lister.py"), format!("{script}# changed\n")).expect("written");
    assert_eq!((cached(deterministic), cached(deterministic)), (0, 1), "another script is another key");
}
