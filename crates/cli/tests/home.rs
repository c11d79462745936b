//! What the program leaves in its user's home: one key, in the folder of settings; and that many
//! who start at once in a home that is empty agree on it.

#![cfg(all(feature = "serve", feature = "record"))]

mod common;

use browserlens_recorder::SiteServer;
use common::{browserlens, root};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How many start at once, and how often.
const AT_ONCE: usize = 16;
const ROUNDS: usize = 30;

/// A recording of somebody else's with a password in it: the trace has a placeholder in its place,
/// which depends on the key.
fn recording(folder: &Path) -> PathBuf {
    let page = "<html><body><main><h1>Sign in</h1><form><input backend_node_id=\"5\" type=\"password\" \
        aria-label=\"Password\" value=\"Zq7-planted-kWx93Lm\">\
                <button backend_node_id=\"7\" data_pw_testid_buckeye=\"u1\">Go</button></form></main></body></html>";
    let task = json!([{ "annotation_id": "a1", "website": "united", "domain": "Travel", "subdomain": "Airlines",
        "confirmed_task": "Sign in", "action_reprs": [],
        "actions": [{ "action_uid": "u1", "raw_html": page, "cleaned_html": "",
            "operation": { "op": "CLICK", "original_op": "CLICK", "value": "" },
            "pos_candidates": [{ "tag": "x", "backend_node_id": "7", "is_original_target": true }],
            "neg_candidates": [] }] }]);
    let path = folder.join("train.json");
    std::fs::write(&path, task.to_string()).expect("written");
    path
}

fn import(recording: &Path, out: &Path) -> Command {
    let mut command = browserlens();
    command.args(["import", "mind2web", "--no-render", "--out"]).args([out, recording]);
    command
}

/// Every file and folder below a folder, by its path.
fn below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("lists") {
            let path = entry.expect("an entry").path();
            found.insert(path.strip_prefix(folder).expect("below").display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

fn ended(child: Child) {
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn all_who_start_at_once_in_an_empty_home_use_one_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = recording(folder.path());
    let mut keys = BTreeSet::new();
    let mut traces = BTreeSet::new();
    for _ in 0..ROUNDS {
        let round = tempfile::tempdir().expect("a folder");
        let home = round.path().join("home");
        std::fs::create_dir(&home).expect("a home");
        let out = |number: usize| round.path().join(number.to_string());
        let start = |number: usize| {
            let mut command = import(&recording, &out(number));
            command.env("HOME", &home).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts")
        };
        let started: Vec<Child> = (0..AT_ONCE).map(start).collect();
        started.into_iter().for_each(ended);
        let written = |number: usize| std::fs::read(out(number).join("mind2web-a1.trace")).expect("a trace");
        let first = written(0);
        for number in 1..AT_ONCE {
            assert!(written(number) == first, "they used different keys");
        }
        traces.insert(first);
        let key = std::fs::read(home.join(".config/browserlens/redaction.key")).expect("a key");
        assert_eq!(key.len(), 32);
        keys.insert(key);
        assert_eq!(
            below(&home),
            [".config", ".config/browserlens", ".config/browserlens/redaction.key"].map(Into::into).into()
        );
    }
    assert_eq!((keys.len(), traces.len()), (ROUNDS, ROUNDS), "each home has a key of its own, and traces tell");
}

#[test]
fn of_those_who_import_one_recording_into_one_folder_at_once_one_writes_and_the_others_say_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = recording(folder.path());
    let home = folder.path().join("home");
    std::fs::create_dir(&home).expect("a home");
    let out = folder.path().join("out");
    let start = |_| {
        let mut command = import(&recording, &out);
        command.env("HOME", &home).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts")
    };
    let started: Vec<Child> = (0..8).map(start).collect();
    let outputs: Vec<_> = started.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
    let good = outputs.iter().filter(|output| output.status.success()).count();
    let told = outputs.iter().filter(|output| {
        let said = String::from_utf8_lossy(&output.stderr);
        output.status.code() == Some(2) && said.contains("mind2web-a1.trace") && said.contains("exists")
    });
    assert_eq!((good, told.count()), (1, 7), "{outputs:?}");
    assert_eq!(below(&out), ["mind2web-a1.trace".to_owned()].into());
    assert!(browserlens_trace::verify(out.join("mind2web-a1.trace")).expect("opens").is_ok());
}

#[test]
fn benches_that_end_at_once_write_a_report_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let tiny = root().join("traces/tiny-newsletter-signup.trace").display().to_string();
    let start = |_| {
        let (cache, runs) = (at("cache"), at("reports/runs"));
        let mut command = browserlens();
        command.args(["bench", &tiny, "--strategies", "lens/delta", "--cache-dir", &cache, "--runs-dir", &runs]);
        command.current_dir(root()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts")
    };
    let started: Vec<Child> = (0..3).map(start).collect();
    started.into_iter().for_each(ended);
    let entries = std::fs::read_dir(at("reports")).expect("lists").map(|entry| entry.expect("an entry").path());
    let reports: Vec<PathBuf> = entries.filter(|path| !path.ends_with("runs")).collect();
    assert_eq!(reports.len(), 3, "{reports:?}");
    assert!(reports.iter().all(|report| report.join("index.html").is_file()), "{reports:?}");
    let history = std::fs::read_to_string(folder.path().join("reports/runs/history.jsonl")).expect("a history");
    assert!(
        history.lines().count() == 3
            && history.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
}

/// A server over standard input and output that drives a browser, ended by its input's end.
fn serve_and_look(home: &Path, config: &Path, trace: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let site = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "tiny")).expect("serves");
    let host = format!("127.0.0.1:{}", site.port());
    let mut child = browserlens()
        .args(["serve", "--allow-host", &host, "--goal", "the letter", "--record"])
        .arg(trace)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", config)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("stdin");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    let mut ask = |method: &str, params: serde_json::Value| {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
            .expect("it reads");
        let answer = lines.next().expect("an answer").expect("a line");
        assert!(answer.contains("\"result\"") && !answer.contains("\"isError\":true"), "{answer}");
    };
    ask(
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } }),
    );
    ask("tools/call", json!({ "name": "navigate", "arguments": { "url": format!("http://{host}/") } }));
    drop(input);
    ended(child);
}

#[test]
fn nothing_that_the_program_does_leaves_anything_in_the_home_but_the_key_among_the_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (home, config) = (at("home"), at("config"));
    std::fs::create_dir(&home).expect("a home");
    let recording = recording(folder.path());
    let tiny = root().join("traces/tiny-newsletter-signup.trace").display().to_string();
    let text = |name: &str| at(name).display().to_string();
    let run = |arguments: &[&str]| {
        let mut command = browserlens();
        command.args(arguments).current_dir(root()).env("HOME", &home).env("XDG_CONFIG_HOME", &config);
        ended(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts"));
        assert_eq!(below(&home), BTreeSet::new(), "{arguments:?}");
    };
    let recording = recording.display().to_string();
    run(&["import", "mind2web", "--out", &text("imported"), &recording]);
    run(&["record", "tiny/newsletter-signup", "--out", &text("recorded")]);
    run(&["page", &tiny, "text", "--cache", &text("pages.cache")]);
    let (cache, runs, report) = (text("cache"), text("runs"), text("report"));
    run(&[
        "bench", &tiny, "--strategies", "lens/delta,raw/html", "--cache-dir", &cache, "--runs-dir", &runs, "--out",
        &report,
    ]);
    run(&["doctor"]);
    serve_and_look(&home, &config, &at("served.trace"));
    assert_eq!(below(&home), BTreeSet::new(), "serve");
    assert_eq!(below(&config), ["browserlens", "browserlens/redaction.key"].map(Into::into).into());
}
