//! `lab llm` without an endpoint: what it says before anything is sent, and what it refuses.

mod common;

use common::{Ran, at_root, browserlens_alone, words};
use std::path::Path;

const KEY: &str = "sk-a-key-that-must-not-appear";

/// Runs a command line that knows the bundled strategies and scenarios, and a key.
fn browserlens(folder: &Path, line: &str) -> Ran {
    let traces = at_root("traces");
    let places = format!("--strategies-file {traces}/strategies.toml --scenarios-dir {traces}/scenarios");
    let mut command = browserlens_alone();
    command.args(words(&format!("{line} {places}"))).current_dir(folder).env("OPENAI_API_KEY", KEY);
    Ran::of(&mut command)
}

/// A stored run of one bundled trace in a folder of its own.
fn stored_run() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = at_root("traces/login-wrong-then-right.trace");
    let run = browserlens(folder.path(), &format!("bench --no-report {trace} --strategies lens/delta")).good();
    (folder, run.trim().to_owned())
}

fn llm(folder: &Path, run: &str, more: &str) -> Ran {
    browserlens(folder, &format!("lab llm {run} --model m {more}"))
}

#[test]
fn nothing_is_sent_before_the_estimate_is_agreed_to() {
    let (folder, run) = stored_run();
    let llm = |more: &str| llm(folder.path(), &run, more);
    let estimate = llm("--estimate --price-in 1 --price-out 2");
    estimate.ends(0, &["m: 5 steps, 5 requests to make", "cost: at most 0.0"]);
    let refused = llm("--base-url http://127.0.0.1:9/v1");
    refused.ends(2, &["5 requests would be sent", "--yes"]);
    assert!(!refused.err.contains(KEY), "{}", refused.err);
    llm("").ends(2, &["cassette.jsonl: no answers, and no endpoint to ask"]);
    assert!(!folder.path().join(run).join("llm.json").exists(), "what was not read is not in the report");
}

#[test]
fn a_cassette_of_another_prompt_version_is_refused_with_the_remedy() {
    let (folder, run) = stored_run();
    let header = "{\"format\":\"browserlens-cassette\",\"version\":1,\"prompt\":\"0123456789abcdef\"}\n";
    std::fs::write(folder.path().join("old.jsonl"), header).expect("written");
    let old = "error: old.jsonl: made with prompt version 0123456789abcdef, the prompt is now version";
    let remedy = " hint: give the prompt that it was made with by `--prompt`";
    llm(folder.path(), &run, "--cassette old.jsonl").ends(3, &[old, remedy]);
}

#[test]
fn an_exam_without_a_model_says_what_is_told_beside_its_owner() {
    let (folder, run) = stored_run();
    let exam = |more: &str| browserlens(folder.path(), &format!("lab exam {run} {more}"));
    let table = exam("--missed").good();
    let row = table.lines().find(|line| line.starts_with("lens/delta")).expect("a row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((cells[1], cells[2], cells[3], cells[6]), ("16", "16", "16", "6/6"), "{table}");
    exam("--model m --estimate").ends(0, &["m: 16 questions, 16 requests to make"]);
    exam("--model m").ends(2, &["exam-cassette.jsonl: no answers, and no endpoint to ask"]);
}
