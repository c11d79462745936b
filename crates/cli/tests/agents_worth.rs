//! `agents counterfactual` and `agents validity`: what runs would have cost, and what the offline
//! numbers are worth, on records that are made to fit recorded pages.

mod common;

use common::{Ran, at_root, root, run, run_in};
use serde_json::{Value, json};
use std::path::Path;

const TRACE: &str = "traces/tiny-newsletter-signup.trace";

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
        let text = run(&format!("show {TRACE} --step {} --strategy lens/delta", row.index.0)).good();
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

fn import(folder: &Path, transcript: &str) -> Ran {
    run_in(folder, &format!("agents import {transcript} --trace {} --out runs", at_root(TRACE)))
}

/// Runs `counterfactual` on the runs of a folder.
fn counterfactual(folder: &Path, more: &str) -> Ran {
    let (traces, scenarios) = (at_root("traces"), at_root("traces/scenarios"));
    let places = format!("--strategies-file {traces}/strategies.toml --traces {traces} --scenarios-dir {scenarios}");
    run_in(folder, &format!("agents counterfactual runs {places} {more}"))
}

#[test]
fn a_run_with_its_pages_is_told_again_by_other_strategies() {
    let folder = tempfile::tempdir().expect("a folder");
    import(folder.path(), &transcript(folder.path())).good();
    let bundled = root().join("traces/runs-miniwob/mw-click-pie--browserlens-serve-mcp.run");
    std::fs::copy(bundled, folder.path().join("runs/without-pages.run")).expect("copies");
    insta::assert_snapshot!(counterfactual(folder.path(), "--markdown").good());

    // As it was told, a run costs what it cost; the legend is said and not counted.
    let runs = counterfactual(folder.path(), "--strategies lens/delta --json").json();
    assert_eq!(runs[0]["retold"], runs[0]["recorded"]);
    let legend = browserlens_core::tokens::Encoding::O200kBase.count(browserlens_lens::LEGEND).0;
    assert_eq!(runs[0]["legend"], u64::from(legend));

    let bytes = |threads: u32| counterfactual(folder.path(), &format!("--json --threads {threads}")).good();
    assert_eq!(bytes(1), bytes(5));
}

#[test]
fn what_has_no_pages_is_not_told_again() {
    let told = run("agents counterfactual").good();
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
    let said = import(folder.path(), &other);
    said.ends(3, &["call 2 (drag) has no step: next in the trace is: fill", "--traces"]);

    // Linked with its own, and another trace under the same name.
    import(folder.path(), &transcript(folder.path())).good();
    let copy = folder.path().join("runs").join(Path::new(TRACE).file_name().expect("a name"));
    std::fs::copy(root().join("traces/login-wrong-then-right.trace"), &copy).expect("copies");
    counterfactual(folder.path(), "").ends(3, &["is not the trace of this run"]);
    // Not there at all.
    std::fs::remove_file(copy).expect("removes");
    let nowhere = format!("agents counterfactual runs --strategies-file {}", at_root("traces/strategies.toml"));
    run_in(folder.path(), &nowhere).ends(3, &["its trace \"tiny-newsletter-signup.trace\" is not there"]);
    counterfactual(folder.path(), "--strategies none/*").ends(2, &["no strategy matches"]);
}

#[test]
fn rewards_stand_beside_what_the_bench_found_on_the_same_tasks() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = |line: &str| run_in(folder.path(), line);
    let at = folder.path().display();
    let chosen = "--scenarios tiny/*,login/*,hostile/* --strategies lens/delta,playwright-mcp@0.0.83/full";
    let bench = run(&format!("bench --no-report {chosen} --cache-dir {at}/cache --runs-dir {at}/bench")).good();
    let bench = bench.trim();

    // The bundled runs are of tasks that nobody replayed.
    insta::assert_snapshot!(run(&format!("agents validity --bench {bench}")).good());

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
            own(&format!("agents import {} --out runs", line(folder.path(), &[run, call]))).good();
        }
    }
    let validity = format!("agents validity runs --bench {bench}");
    insta::assert_snapshot!(own(&format!("{validity} --markdown")).good());
    own(&format!("{validity} --tool x=y")).ends(2, &["no such tool in the records", "lens/delta"]);
    own(&format!("{validity} --tool x")).ends(2, &["no `=`"]);
    own("agents validity runs --runs-dir nowhere").ends(3, &["no stored run of the bench"]);
}
