//! `agents counterfactual` and `agents validity`: what runs would have cost, and what the offline
//! numbers are worth, on records that are made to fit recorded pages.

mod common;

use common::{browserlens, root};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

const TRACE: &str = "traces/tiny-newsletter-signup.trace";

fn browserlens_in(folder: &Path, arguments: &[&str]) -> Output {
    browserlens().current_dir(folder).args(arguments).output().expect("the command starts")
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was said on standard error, and the exit code.
fn failed(output: &Output) -> (String, i32) {
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().expect("a code"))
}

fn line(folder: &Path, values: &[Value]) -> String {
    let text: String = values.iter().map(|value| format!("{value}\n")).collect();
    let path = folder.join("transcript.jsonl");
    std::fs::write(&path, text).expect("writes");
    path.display().to_string()
}

/// The actions of the trace as calls of a tool, each answered with what `lens/delta` says.
fn transcript(folder: &Path) -> String {
    let trace = browserlens_trace::Trace::open(root().join(TRACE)).expect("a trace");
    let mut values = vec![json!({ "run": "signup", "tool": "a tool", "goal": "Get the letter", "reward": 1.0 })];
    for row in trace.steps().expect("steps") {
        let step = row.index.0.to_string();
        let text = out(&browserlens_in(&root(), &["show", TRACE, "--step", &step, "--strategy", "lens/delta"]));
        let (name, arguments) = match &row.action {
            Some(action) if row.index.0 > 0 => (action.taken.kind.name(), json!({ "text": action.taken.text })),
            _ => ("navigate", json!({ "url": "http://tiny.test/" })),
        };
        let call = row.index.0 + 1;
        let text = text.strip_suffix('\n').expect("a line's end");
        values.push(
            json!({ "run": "signup", "call": call, "name": name, "arguments": arguments, "text": text, "ms": 5 }),
        );
    }
    line(folder, &values)
}

fn import(folder: &Path, transcript: &str) -> Output {
    let trace = root().join(TRACE).display().to_string();
    browserlens_in(folder, &["agents", "import", transcript, "--trace", &trace, "--out", "runs"])
}

/// The arguments of `counterfactual` on the runs of a folder.
fn counterfactual(folder: &Path, more: &[&str]) -> Output {
    let at = |name: &str| root().join(name).display().to_string();
    let (traces, strategies, scenarios) = (at("traces"), at("traces/strategies.toml"), at("traces/scenarios"));
    let places = ["--strategies-file", &strategies, "--traces", &traces, "--scenarios-dir", &scenarios];
    let given = [&["agents", "counterfactual", "runs"][..], &places].concat();
    browserlens_in(folder, &[&given[..], more].concat())
}

#[test]
fn a_run_with_its_pages_is_told_again_by_other_strategies() {
    let folder = tempfile::tempdir().expect("a folder");
    out(&import(folder.path(), &transcript(folder.path())));
    let bundled = root().join("traces/runs-miniwob/mw-click-pie--browserlens-serve-mcp.run");
    std::fs::copy(bundled, folder.path().join("runs/without-pages.run")).expect("copies");
    insta::assert_snapshot!(out(&counterfactual(folder.path(), &["--markdown"])));

    // As it was told, a run costs what it cost; the legend is said and not counted.
    let text = out(&counterfactual(folder.path(), &["--strategies", "lens/delta", "--json"]));
    let runs: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    assert_eq!(runs[0]["retold"], runs[0]["recorded"]);
    let legend = browserlens_core::tokens::Encoding::O200kBase.count(browserlens_lens::LEGEND).0;
    assert_eq!(runs[0]["legend"], u64::from(legend));

    let bytes = |threads: &str| out(&counterfactual(folder.path(), &["--json", "--threads", threads]));
    assert_eq!(bytes("1"), bytes("5"));
}

#[test]
fn what_has_no_pages_is_not_told_again() {
    let told = out(&browserlens_in(&root(), &["agents", "counterfactual"]));
    assert_eq!(
        told,
        "No run can be retold.\n72 of 72 records name no trace: nothing is said of what they would have cost.\n"
    );
}

#[test]
fn a_trace_of_another_run_is_told_by_its_own_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = line(
        folder.path(),
        &[
            json!({ "run": "other", "tool": "a tool", "goal": "g", "reward": 1.0 }),
            json!({ "run": "other", "call": 1, "name": "navigate", "arguments": {}, "text": "a page" }),
            json!({ "run": "other", "call": 2, "name": "drag", "arguments": {}, "text": "done" }),
        ],
    );
    let (said, code) = failed(&import(folder.path(), &other));
    assert!(said.contains("call 2 (drag) has no step: next in the trace is: fill") && code == 3, "{said}");
    assert!(said.contains("--traces"), "{said}");

    // Linked with its own, and another trace under the same name.
    out(&import(folder.path(), &transcript(folder.path())));
    let name = Path::new(TRACE).file_name().expect("a name");
    std::fs::copy(root().join("traces/login-wrong-then-right.trace"), folder.path().join("runs").join(name))
        .expect("copies");
    let (said, code) = failed(&counterfactual(folder.path(), &[]));
    assert!(said.contains("is not the trace of this run") && code == 3, "{said}");
    // Not there at all.
    std::fs::remove_file(folder.path().join("runs").join(name)).expect("removes");
    let strategies = root().join("traces/strategies.toml").display().to_string();
    let nowhere = ["agents", "counterfactual", "runs", "--strategies-file", &strategies];
    let (said, code) = failed(&browserlens_in(folder.path(), &nowhere));
    assert!(said.contains("its trace \"tiny-newsletter-signup.trace\" is not there") && code == 3, "{said}");
    let (said, code) = failed(&counterfactual(folder.path(), &["--strategies", "none/*"]));
    assert!(said.contains("no strategy matches") && code == 2, "{said}");
}

#[test]
fn rewards_stand_beside_what_the_bench_found_on_the_same_tasks() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let chosen = ["--scenarios", "tiny/*,login/*,hostile/*", "--strategies", "lens/delta,playwright-mcp@0.0.83/full"];
    let kept = ["--cache-dir", &at("cache"), "--runs-dir", &at("bench")];
    let bench = out(&browserlens_in(&root(), &[&["bench", "--no-report"], &chosen[..], &kept[..]].concat()));
    let bench = bench.trim();

    // The bundled runs are of tasks that nobody replayed.
    let bundled = out(&browserlens_in(&root(), &["agents", "validity", "--bench", bench]));
    insta::assert_snapshot!(bundled);

    // Runs of the bench's own tasks, by two tools.
    let rewards = [
        ("tiny/newsletter-signup", 1.0, 1.0),
        ("login/wrong-then-right", 1.0, 0.5),
        ("hostile/moderate-a-post", 0.5, 0.0),
    ];
    for (task, ours, theirs) in rewards {
        for (tool, reward) in [("browserlens serve (MCP)", ours), ("@playwright/mcp 0.0.83", theirs)] {
            let run = json!({ "run": task, "tool": tool, "goal": "g", "reward": reward });
            let call = json!({ "run": task, "call": 1, "name": "observe", "arguments": {}, "text": "a page" });
            let path = line(folder.path(), &[run, call]);
            out(&browserlens_in(folder.path(), &["agents", "import", &path, "--out", "runs"]));
        }
    }
    let own = out(&browserlens_in(folder.path(), &["agents", "validity", "runs", "--bench", bench, "--markdown"]));
    insta::assert_snapshot!(own);

    let (said, code) =
        failed(&browserlens_in(folder.path(), &["agents", "validity", "runs", "--bench", bench, "--tool", "x=y"]));
    assert!(said.contains("no such tool in the records") && said.contains("lens/delta") && code == 2, "{said}");
    let (said, code) =
        failed(&browserlens_in(folder.path(), &["agents", "validity", "runs", "--bench", bench, "--tool", "x"]));
    assert!(said.contains("no `=`") && code == 2, "{said}");
    let (said, code) = failed(&browserlens_in(folder.path(), &["agents", "validity", "runs", "--runs-dir", "nowhere"]));
    assert!(said.contains("no stored run of the bench") && code == 3, "{said}");
}
