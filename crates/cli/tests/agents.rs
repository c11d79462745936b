//! `agents`: bundled records, imported transcripts, and what is refused.

mod common;

use common::{browserlens, root};
use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    browserlens().current_dir(folder).arg("agents").args(arguments).output().expect("the command starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was said on standard error, and the exit code.
fn failed(output: &Output) -> (String, i32) {
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().expect("a code"))
}

#[test]
fn the_bundled_runs_by_tool() {
    insta::assert_snapshot!(out(&run(&root(), &["table", "--markdown"])));
    let compared = ["compare", "browserlens serve (MCP)", "@playwright/mcp 0.0.83", "--in", "traces/runs"];
    insta::assert_snapshot!(out(&run(&root(), &compared)));
    let whole = out(&run(&root(), &["verify", "traces/runs"]));
    assert_eq!(whole.lines().filter(|line| line.contains(": whole, ")).count(), 72, "{whole}");
}

#[test]
fn a_thousand_records_give_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<_> =
        std::fs::read_dir(root().join("traces/runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for at in 0..1_000 {
        std::fs::copy(&records[at % records.len()], folder.path().join(format!("{at}.run"))).unwrap();
    }
    let with = |threads: &str| {
        let mut command = browserlens();
        command.current_dir(folder.path()).env("RAYON_NUM_THREADS", threads);
        out(&command.args(["agents", "table", ".", "--by", "tool,task", "--json"]).output().unwrap())
    };
    let one = with("1");
    assert!(one.len() > 100_000 && one == with("5"));
}

#[test]
fn a_transcript_becomes_a_record_that_is_shown_and_priced() {
    let folder = tempfile::tempdir().unwrap();
    let sample = root().join("crates/trace/tests/samples/codex.jsonl").display().to_string();
    let import = ["import", &sample, "--task", "lamp", "--level", "2", "--reward", "1", "--out", "runs"];
    assert_eq!(out(&run(folder.path(), &import)), "runs/lamp--browser.run: browser, 3 calls, succeeded\n");
    assert_eq!(out(&run(folder.path(), &import)), "runs/lamp--browser--2.run: browser, 3 calls, succeeded\n");
    insta::assert_snapshot!(out(&run(folder.path(), &["show", "runs/lamp--browser.run"])));
    let call = out(&run(folder.path(), &["show", "runs/lamp--browser.run", "--call", "2"]));
    assert_eq!(call, "mcp__browser__click {\"ref\":\"e9\"}\nThere is no element e9 on this page.\n");
    let model = std::fs::read_to_string(folder.path().join("runs/lamp--browser.run")).unwrap();
    let model = serde_json::from_str::<serde_json::Value>(model.lines().next().unwrap()).unwrap();
    let model = model["agent"]["model"].as_str().unwrap();
    let prices = format!("date = \"2026-01-31\"\n[models.\"{model}\"]\ninput = 1\ncached = 0.1\noutput = 10\n");
    std::fs::write(folder.path().join("prices.toml"), prices).unwrap();
    let table = run(folder.path(), &["table", "runs", "--by", "agent,level", "--prices", "prices.toml"]);
    assert_eq!(failed(&table), ("prices of 2026-01-31\n".to_owned(), 0));
    // 3,000 anew, 18,900 from the cache, 185 written.
    assert!(out(&table).contains("0.0067"), "{}", out(&table));
}

#[test]
fn a_record_is_no_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let record = root().join("traces/runs-miniwob/mw-click-pie--playwright-mcp-0-0-83.run").display().to_string();
    let (said, code) = failed(&run(folder.path(), &["import", &record, "--out", "runs"]));
    assert!(code == 3 && said.contains("is a run record already") && said.contains("agents show"), "{code} {said}");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(folder.path().join("changed.run"), text.replacen("click", "press", 1)).unwrap();
    let (said, code) = failed(&run(folder.path(), &["import", "changed.run", "--out", "runs"]));
    assert!(code == 3 && said.contains("is a run record already"), "{code} {said}");
}

#[test]
fn secrets_of_a_variable_are_in_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let sample = root().join("crates/trace/tests/samples/codex.jsonl").display().to_string();
    let mut command = browserlens();
    command.current_dir(folder.path()).env("LAMP", "green lamp");
    assert!(
        command.args(["agents", "import", &sample, "--secret", "LAMP", "--out", "runs"]).status().unwrap().success()
    );
    let record = std::fs::read_to_string(folder.path().join("runs/codex--browser.run")).unwrap();
    assert!(!record.contains("green lamp"), "{record}");
}

#[test]
fn each_mistake_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| failed(&run(folder.path(), arguments));
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    std::fs::write(folder.path().join("a.json"), "{\"a\":1}").unwrap();
    let (text, code) = said(&["table"]);
    assert!(text.contains("traces/runs") && code == 3, "{text}");
    let (text, code) = said(&["table", "empty"]);
    assert!(text.contains("holds no run record") && text.contains("agents import") && code == 3, "{text}");
    let (text, code) = said(&["table", "a.json"]);
    assert!(text.contains("no run record") && code == 3, "{text}");
    let (text, code) = said(&["import", "a.json", "--out", "runs"]);
    assert!(
        text.contains("no transcript of a known format") && text.contains("--format lines|") && code == 3,
        "{text}"
    );
    let (text, code) = said(&["import", "a.json", "--format", "word", "--out", "runs"]);
    assert!(text.contains("no format is called \"word\"") && text.contains("claude-code") && code == 2, "{text}");
    let (text, code) = said(&["import", "a.json", "--secret", "NOT_SET_HERE", "--out", "runs"]);
    assert!(text.contains("NOT_SET_HERE is not set") && code == 2, "{text}");
    let bundled = root().join("traces/runs").display().to_string();
    let (text, code) = said(&["compare", "lens", "browser", "--in", &bundled]);
    assert!(text.contains("no run of \"lens\"") && text.contains("@playwright/mcp 0.0.83") && code == 2, "{text}");
    let record = root().join("traces/runs-miniwob/mw-click-pie--browserlens-serve-mcp.run");
    let changed = std::fs::read_to_string(record).unwrap().replacen("\"reward\":1.0", "\"reward\":0.0", 1);
    std::fs::write(folder.path().join("changed.run"), changed).unwrap();
    let (text, code) = said(&["show", "changed.run"]);
    assert!(text.contains("changed after it was sealed") && code == 4, "{text}");
    let (text, code) = said(&["verify", "changed.run"]);
    assert!(text.contains("records that are not as they were sealed: 1") && code == 4, "{text}");
}
