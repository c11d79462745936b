//! `agents`: bundled records, imported transcripts, and what is refused.

mod common;

use common::{Ran, at_root, browserlens, root, run, run_in};

#[test]
fn the_bundled_runs_by_tool() {
    insta::assert_snapshot!(run("agents table --markdown").out);
    let compared = run("agents compare 'browserlens serve (MCP)' '@playwright/mcp 0.0.83' --in traces/runs");
    insta::assert_snapshot!(compared.out);
    let whole = run("agents verify traces/runs").out;
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
        Ran::of(command.args(["agents", "table", ".", "--by", "tool,task", "--json"])).out
    };
    let one = with("1");
    assert!(one.len() > 100_000 && one == with("5"));
}

#[test]
fn a_transcript_becomes_a_record_that_is_shown_and_priced() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| run_in(folder.path(), line);
    let sample = at_root("crates/trace/tests/samples/codex.jsonl");
    let import = format!("agents import {sample} --task lamp --level 2 --reward 1 --out runs");
    assert_eq!(run(&import).out, "runs/lamp--browser.run: browser, 3 calls, succeeded\n");
    assert_eq!(run(&import).out, "runs/lamp--browser--2.run: browser, 3 calls, succeeded\n");
    insta::assert_snapshot!(run("agents show runs/lamp--browser.run").out);
    let call = run("agents show runs/lamp--browser.run --call 2").out;
    assert_eq!(call, "mcp__browser__click {\"ref\":\"e9\"}\nThere is no element e9 on this page.\n");
    let model = std::fs::read_to_string(folder.path().join("runs/lamp--browser.run")).unwrap();
    let model = serde_json::from_str::<serde_json::Value>(model.lines().next().unwrap()).unwrap();
    let model = model["agent"]["model"].as_str().unwrap();
    let prices = format!("date = \"2026-01-31\"\n[models.\"{model}\"]\ninput = 1\ncached = 0.1\noutput = 10\n");
    std::fs::write(folder.path().join("prices.toml"), prices).unwrap();
    let table = run("agents table runs --by agent,level --prices prices.toml");
    assert_eq!((table.err.as_str(), table.code), ("prices of 2026-01-31\n", 0));
    // 3,000 anew, 18,900 from the cache, 185 written.
    assert!(table.out.contains("0.0067"), "{}", table.out);
}

#[test]
fn secrets_of_a_variable_are_in_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let sample = at_root("crates/trace/tests/samples/codex.jsonl");
    let mut command = browserlens();
    command.current_dir(folder.path()).env("LAMP", "green lamp");
    Ran::of(command.args(["agents", "import", &sample, "--secret", "LAMP", "--out", "runs"])).good();
    let record = std::fs::read_to_string(folder.path().join("runs/codex--browser.run")).unwrap();
    assert!(!record.contains("green lamp"), "{record}");
}

#[test]
fn each_mistake_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    std::fs::write(folder.path().join("a.json"), "{\"a\":1}").unwrap();
    let record = at_root("traces/runs-miniwob/mw-click-pie--browserlens-serve-mcp.run");
    let changed = std::fs::read_to_string(&record).unwrap().replacen("\"reward\":1.0", "\"reward\":0.0", 1);
    std::fs::write(folder.path().join("changed.run"), changed).unwrap();
    let compare = format!("compare lens browser --in {}", at_root("traces/runs"));
    let import = format!("import {record} --out runs");
    let mistakes: [(&str, i32, &[&str]); 11] = [
        ("table", 3, &["traces/runs"]),
        ("table empty", 3, &["holds no run record", "agents import"]),
        ("table a.json", 3, &["no run record"]),
        ("import a.json --out runs", 3, &["no transcript of a known format", "--format lines|"]),
        ("import a.json --format word --out runs", 2, &["no format is called \"word\"", "claude-code"]),
        ("import a.json --secret NOT_SET_HERE --out runs", 2, &["NOT_SET_HERE is not set"]),
        (&import, 3, &["is a run record already", "agents show"]),
        ("import changed.run --out runs", 3, &["is a run record already", "agents show"]),
        (&compare, 2, &["no run of \"lens\"", "@playwright/mcp 0.0.83"]),
        ("show changed.run", 4, &["changed after it was sealed"]),
        ("verify changed.run", 4, &["records that are not as they were sealed: 1"]),
    ];
    for (line, code, parts) in mistakes {
        run_in(folder.path(), &format!("agents {line}")).ends(code, parts);
    }
}
