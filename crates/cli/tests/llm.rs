//! `lab llm` without an endpoint: what it says before anything is sent, and what it refuses.

mod common;

use common::{browserlens_alone, root};
use std::path::Path;
use std::process::Output;

const KEY: &str = "sk-a-key-that-must-not-appear";

fn browserlens(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = browserlens_alone();
    command.args(arguments).current_dir(folder).env("OPENAI_API_KEY", KEY).output().expect("the command starts")
}

/// A stored run of one bundled trace in a folder of its own.
fn stored_run() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| root().join(name).display().to_string();
    let (trace, scenarios, strategies) =
        (path("traces/login-wrong-then-right.trace"), path("traces/scenarios"), path("traces/strategies.toml"));
    let output = browserlens(
        folder.path(),
        &[
            "bench", "--no-report", &trace, "--scenarios-dir", &scenarios, "--strategies-file", &strategies,
            "--strategies", "lens/delta",
        ],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn llm(folder: &Path, run: &str, more: &[&str]) -> (Option<i32>, String) {
    let strategies = root().join("traces/strategies.toml").display().to_string();
    let mut arguments = vec!["lab", "llm", run, "--model", "m", "--strategies-file", &strategies];
    arguments.extend(more);
    let output = browserlens(folder, &arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn nothing_is_sent_before_the_estimate_is_agreed_to() {
    let (folder, run) = stored_run();
    let (exit, text) = llm(folder.path(), &run, &["--estimate", "--price-in", "1", "--price-out", "2"]);
    assert_eq!(exit, Some(0), "{text}");
    assert!(text.contains("m: 5 steps, 5 requests to make") && text.contains("cost: at most 0.0"), "{text}");
    let (exit, text) = llm(folder.path(), &run, &["--base-url", "http://127.0.0.1:9/v1"]);
    assert_eq!(exit, Some(2), "{text}");
    assert!(text.contains("5 requests would be sent") && text.contains("--yes") && !text.contains(KEY), "{text}");
    let (exit, text) = llm(folder.path(), &run, &[]);
    assert_eq!(exit, Some(2), "{text}");
    assert!(text.contains("cassette.jsonl: no answers, and no endpoint to ask"), "{text}");
    assert!(!folder.path().join(run).join("llm.json").exists(), "what was not read is not in the report");
}

#[test]
fn a_cassette_of_another_prompt_version_is_refused_with_the_remedy() {
    let (folder, run) = stored_run();
    let header = "{\"format\":\"browserlens-cassette\",\"version\":1,\"prompt\":\"0123456789abcdef\"}\n";
    std::fs::write(folder.path().join("old.jsonl"), header).expect("written");
    let (exit, text) = llm(folder.path(), &run, &["--cassette", "old.jsonl"]);
    assert_eq!(exit, Some(3), "{text}");
    assert!(text.contains("error: old.jsonl: made with prompt version 0123456789abcdef, the prompt is now version"));
    assert!(text.contains(" hint: give the prompt that it was made with by `--prompt`"), "{text}");
}

#[test]
fn an_exam_without_a_model_says_what_is_told_beside_its_owner() {
    let (folder, run) = stored_run();
    let scenarios = root().join("traces/scenarios").display().to_string();
    let exam = |more: &[&str]| {
        let mut arguments = vec!["lab", "exam", &run, "--scenarios-dir", &scenarios];
        arguments.extend(more);
        let output = browserlens(folder.path(), &arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (exit, table, errors) = exam(&["--missed"]);
    assert_eq!(exit, Some(0), "{errors}");
    let row = table.lines().find(|line| line.starts_with("lens/delta")).expect("a row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((cells[1], cells[2], cells[3], cells[6]), ("16", "16", "16", "6/6"), "{table}");
    let strategies = root().join("traces/strategies.toml").display().to_string();
    let (exit, _, errors) = exam(&["--model", "m", "--strategies-file", &strategies, "--estimate"]);
    assert_eq!(exit, Some(0), "{errors}");
    assert!(errors.contains("m: 16 questions, 16 requests to make"), "{errors}");
    let (exit, _, errors) = exam(&["--model", "m", "--strategies-file", &strategies]);
    assert_eq!(exit, Some(2), "{errors}");
    assert!(errors.contains("exam-cassette.jsonl: no answers, and no endpoint to ask"), "{errors}");
}
