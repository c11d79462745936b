//! `knowledge`: built from bundled traces, asked, and refused with the exit code and what to do.

mod common;

use common::{browserlens, root};
use rusqlite::Connection;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use std::sync::OnceLock;
use tempfile::TempDir;

const TRACES: [&str; 3] =
    ["traces/tiny-newsletter-signup.trace", "traces/login-wrong-then-right.trace", "traces/spa-plan-a-release.trace"];

fn knowledge(arguments: &[&str]) -> Output {
    browserlens()
        .arg("knowledge")
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .expect("the command starts")
}

fn shown(arguments: &[&str]) -> String {
    let output = knowledge(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&shown(arguments)).expect("is JSON")
}

/// Returns exit code and message of what is refused; the store's folder is left out of it.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = knowledge(arguments);
    let message = String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", folder.display()), "");
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), message.trim_end())
}

/// A store of three bundled traces with their scenarios, made once.
fn store() -> &'static (TempDir, String) {
    static STORE: OnceLock<(TempDir, String)> = OnceLock::new();
    STORE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.sqlite").display().to_string();
        let mut arguments = vec!["build", "--store", &path, "--scenarios", "traces/scenarios"];
        arguments.extend(TRACES);
        let said = shown(&arguments);
        assert!(said.contains("knowledge \"default\" of 3 traces and 0 texts"), "{said}");
        (folder, path)
    })
}

fn copy(name: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name).display().to_string();
    std::fs::copy(&store().1, &path).expect("copied");
    (folder, path)
}

#[test]
fn what_was_built_is_exported_recognised_and_asked() {
    let store = store().1.as_str();
    let known = json(&["export", "--store", store]);
    let tasks = known["tasks"].as_object().expect("tasks");
    assert_eq!(tasks.len(), 3);
    let drag =
        known["actions"].as_object().expect("actions").values().find(|action| action["action_type"] == "drag_drop");
    assert_eq!(drag.expect("a drag")["parameters"]["to"]["name"], "Done", "the scenario tells where it ends");
    let functions = known["screens"]
        .as_object()
        .expect("screens")
        .values()
        .map(|screen| screen["business_functions"].as_array().map_or(0, Vec::len));
    assert!(functions.sum::<usize>() >= 3);

    let found = json(&["recognise", "--store", store, TRACES[1], "--step", "0", "--json"]);
    assert!(found["confidence"].as_f64().expect("a number") > 0.7, "{found}");
    let words = shown(&["recognise", "--store", store, TRACES[1], "--step", "0"]);
    assert!(words.starts_with(found["screen_name"].as_str().expect("a name")), "{words}");

    let task = tasks.iter().find(|(_, task)| task["name"] == "login/wrong-then-right").expect("the task").0;
    let answer = json(&["query", "--store", store, "execute_task", task]);
    assert_eq!(answer["actions"][0]["tool_name"], "navigate");
    let last = tasks[task]["success_criteria"]["screen_id"].as_str().expect("a screen");
    let way = json(&["query", "--store", store, "navigate_to_screen", last, "--trace", TRACES[1], "--profile", "seed"]);
    assert_eq!(way["expected_screen"]["screen_id"], last);
    assert!(way["actions"].as_array().expect("actions").len() >= 2, "{way}");

    let folder = tempfile::tempdir().expect("a folder");
    let instruction = folder.path().join("i.json");
    std::fs::write(&instruction, format!(r#"{{"query_type": "navigate_to", "target": "{last}", "context": null}}"#))
        .expect("written");
    let same = json(&["query", "--store", store, "--instruction", &instruction.display().to_string()]);
    assert_eq!(same["expected_screen"]["screen_id"], last);
}

#[test]
fn the_site_map_is_a_picture_and_the_schema_is_one() {
    let store = store().1.as_str();
    let svg = shown(&["export", "--store", store, "--format", "svg", "--website", "spa"]);
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("prefers-color-scheme"));
    assert_eq!(svg, shown(&["export", "--store", store, "--format", "svg", "--website", "spa"]));
    assert!(shown(&["export", "--store", store, "--format", "dot"]).starts_with("digraph site {"));
    assert_eq!(json(&["export", "--format", "schema"])["title"], "Knowledge");
}

#[test]
fn gaps_are_told_and_kept_only_when_asked() {
    let (_folder, path) = copy("gaps.sqlite");
    let before = shown(&["export", "--store", &path]);
    let told = json(&["gaps", "--store", &path, "--max-steps", "5"]);
    for field in ["gaps_filled", "inferred_actions", "inferred_transitions", "confidence_scores", "errors"] {
        assert!(told.get(field).is_some(), "{field}: {told}");
    }
    assert_eq!(shown(&["export", "--store", &path]), before);
    let kept = json(&["gaps", "--store", &path, "--keep"]);
    assert!(kept["stored"].is_object(), "{kept}");
}

#[test]
fn texts_are_added_and_stay_when_traces_are_built_again() {
    let (folder, path) = copy("texts.sqlite");
    let text = folder.path().join("manual.md");
    std::fs::write(&text, "# Refund policy\n\nMoney comes back within ten days.\n").expect("written");
    let said = shown(&["build", "--store", &path, "--text", &text.display().to_string(), "--website", "spa"]);
    assert!(said.contains("documentation_screens 1"), "{said}");
    let said = shown(&["build", "--store", &path, TRACES[0]]);
    assert!(said.contains("documentation_screens 1"), "{said}");
    let error = refused(
        folder.path(),
        &["build", "--store", &path, "--text", &text.display().to_string(), "--content-type", "poem"],
    );
    assert!(error.contains("\"poem\"") && error.contains("api_docs"), "{error}");
}

#[test]
fn what_cannot_be_answered_says_why_and_what_to_do() {
    let (folder, path) = copy("errors.sqlite");
    let folder = folder.path();
    let with = |more: &[&str]| {
        let mut arguments = vec![more[0], "--store", path.as_str()];
        arguments.extend(&more[1..]);
        refused(folder, &arguments)
    };
    let bad = folder.join("bad.json");
    std::fs::write(&bad, r#"{"instruction_type": "fly"}"#).expect("written");
    let torn = folder.join("torn.json");
    std::fs::write(&torn, r#"{"instruction_type": "find_screen", "#).expect("written");
    let told = [
        with(&["query", "navigate_to_screen", "no-such-screen-anywhere"]),
        with(&["query", "execute_task", "no-such-task"]),
        with(&["query", "fly", "x"]),
        with(&["query", "find_screen", "x", "--profile", "browser-use-9"]),
        with(&["query", "--instruction", &bad.display().to_string()]),
        with(&["query", "--instruction", &torn.display().to_string()]),
        with(&["query", "--instruction", "no/such/file.json"]),
        with(&["query", "get_actions", "", "--screen", "nowhere"]),
        with(&["recognise"]),
        with(&["recognise", TRACES[0], "--step", "99"]),
        with(&["recognise", "traces/no-such.trace"]),
        with(&["export", "--id", "other"]),
        with(&["build"]),
        with(&["build", "traces/scenarios/spa/plan-a-release.toml"]),
        with(&["build", TRACES[0], "--scenarios", "no/such/folder"]),
    ];
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn stores_that_cannot_be_used_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let ask = |name: &str| refused(folder.path(), &["query", "--store", &at(name), "explore_website"]);

    std::fs::write(at("text.sqlite"), "this is a text and no database, and long enough to be seen as one".repeat(40))
        .expect("written");
    Connection::open(at("other.sqlite"))
        .and_then(|file| file.execute_batch("CREATE TABLE t (a); PRAGMA application_id = 7;"))
        .expect("made");
    std::fs::copy(&store().1, at("newer.sqlite")).expect("copied");
    Connection::open(at("newer.sqlite"))
        .and_then(|file| file.execute_batch("PRAGMA user_version = 99;"))
        .expect("marked");
    std::fs::copy(&store().1, at("orphan.sqlite")).expect("copied");
    Connection::open(at("orphan.sqlite"))
        .and_then(|file| file.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM action;"))
        .expect("damaged");
    std::fs::copy(&store().1, at("body.sqlite")).expect("copied");
    Connection::open(at("body.sqlite"))
        .and_then(|file| file.execute_batch("UPDATE task SET body = '{\"task_id\": 4}';"))
        .expect("damaged");
    let bytes = std::fs::read(&store().1).expect("read");
    std::fs::write(at("cut.sqlite"), &bytes[..bytes.len() / 2]).expect("cut");
    std::fs::write(at("empty.sqlite"), "").expect("written");

    let mut told: Vec<String> = [
        "missing.sqlite", "empty.sqlite", "text.sqlite", "other.sqlite", "newer.sqlite", "orphan.sqlite", "body.sqlite",
    ]
    .map(ask)
    .into();
    // Which page SQLite finds missing first is its own affair.
    let cut = ask("cut.sqlite");
    assert!(cut.contains("is damaged") && cut.contains("knowledge build"), "{cut}");
    told.push(cut.lines().next().unwrap_or_default().to_owned());
    insta::assert_snapshot!(told.join("\n\n"));
}
