//! What the program leaves in its user's home: one key, in the folder of settings; and that many
//! who start at once in a home that is empty agree on it.

#![cfg(all(feature = "serve", feature = "record"))]

mod common;

use browserlens_recorder::SiteServer;
use common::{Mcp, Ran, browserlens, root, words};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How many start at once, and how often.
const AT_ONCE: usize = 16;
const ROUNDS: usize = 30;
const TINY: &str = "traces/tiny-newsletter-signup.trace";

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

fn import(recording: &Path, out: &Path, home: &Path) -> Command {
    let mut command = browserlens();
    command.args(["import", "mind2web", "--no-render", "--out"]).args([out, recording]).env("HOME", home);
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

/// Starts a command so many times at once; returns what came of each.
fn at_once(count: usize, command: impl Fn(usize) -> Command) -> Vec<Ran> {
    let start = |number| {
        let mut command = command(number);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the command starts")
    };
    let started: Vec<Child> = (0..count).map(start).collect();
    started.into_iter().map(|child| child.wait_with_output().expect("it ends").into()).collect()
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
        let ended = at_once(AT_ONCE, |number| import(&recording, &out(number), &home));
        ended.iter().for_each(|ran| ran.ends(0, &[]));
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
    let mut ended = at_once(8, |_| import(&recording, &out, &home));
    ended.sort_by_key(|ran| ran.code);
    ended[0].ends(0, &[]);
    ended[1..].iter().for_each(|ran| ran.ends(2, &["mind2web-a1.trace", "exists"]));
    assert_eq!(below(&out), ["mind2web-a1.trace".to_owned()].into());
    assert!(browserlens_trace::verify(out.join("mind2web-a1.trace")).expect("opens").is_ok());
}

#[test]
fn benches_that_end_at_once_write_a_report_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let ended = at_once(3, |_| {
        let places = format!("--cache-dir {} --runs-dir {}", at("cache"), at("reports/runs"));
        let mut command = browserlens();
        command.args(words(&format!("bench {TINY} --strategies lens/delta {places}"))).current_dir(root());
        command
    });
    ended.iter().for_each(|ran| ran.ends(0, &[]));
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
    let mut command = browserlens();
    command.args(["serve", "--allow-host", &host, "--goal", "the letter", "--record"]).arg(trace);
    let mut client = Mcp::start(command.env("HOME", home).env("XDG_CONFIG_HOME", config).stderr(Stdio::null()));
    client.call("navigate", &json!({ "url": format!("http://{host}/") }));
    assert!(client.end().success());
}

#[test]
fn nothing_that_the_program_does_leaves_anything_in_the_home_but_the_key_among_the_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (home, config) = (at("home"), at("config"));
    std::fs::create_dir(&home).expect("a home");
    let recording = recording(folder.path());
    let place = folder.path().display();
    for line in [
        format!("import mind2web --out {place}/imported {}", recording.display()),
        format!("record tiny/newsletter-signup --out {place}/recorded"),
        format!("page {TINY} text --cache {place}/pages.cache"),
        format!(
            "bench {TINY} --strategies lens/delta,raw/html --cache-dir {place}/cache --runs-dir {place}/runs --out \
                {place}/report"
        ),
        "doctor".to_owned(),
    ] {
        let mut command = browserlens();
        command.args(words(&line)).current_dir(root()).env("HOME", &home).env("XDG_CONFIG_HOME", &config);
        Ran::of(&mut command).ends(0, &[]);
        assert_eq!(below(&home), BTreeSet::new(), "{line}");
    }
    serve_and_look(&home, &config, &at("served.trace"));
    assert_eq!(below(&home), BTreeSet::new(), "serve");
    assert_eq!(below(&config), ["browserlens", "browserlens/redaction.key"].map(Into::into).into());
}
