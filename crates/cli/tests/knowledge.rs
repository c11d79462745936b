//! `knowledge`: built from bundled traces, asked, and refused with the exit code and what to do.

mod common;

use common::{Ran, run};
use rusqlite::Connection;
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

const TRACES: [&str; 3] =
    ["traces/tiny-newsletter-signup.trace", "traces/login-wrong-then-right.trace", "traces/spa-plan-a-release.trace"];

fn knowledge(line: &str) -> Ran {
    run(&format!("knowledge {line}"))
}

/// Asks of a store: `verb options…`.
fn of(store: &str, line: &str) -> Ran {
    let (verb, options) = line.split_once(' ').unwrap_or((line, ""));
    knowledge(&format!("{verb} --store {store} {options}"))
}

/// Returns exit code and message of what is refused; the store's folder is left out of it.
fn refused(folder: &Path, store: &str, line: &str) -> String {
    of(store, line).ended().replace(&format!("{}/", folder.display()), "")
}

/// A store of three bundled traces with their scenarios, made once.
fn store() -> &'static (TempDir, String) {
    static STORE: OnceLock<(TempDir, String)> = OnceLock::new();
    STORE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.sqlite").display().to_string();
        let said = of(&path, &format!("build --scenarios traces/scenarios {}", TRACES.join(" "))).good();
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
    let of = |line: &str| of(&store().1, line);
    let known = of("export").json();
    let tasks = known["tasks"].as_object().expect("tasks");
    assert_eq!(tasks.len(), 3);
    let drag =
        known["actions"].as_object().expect("actions").values().find(|action| action["action_type"] == "drag_drop");
    assert_eq!(drag.expect("a drag")["parameters"]["to"]["name"], "Done", "the scenario tells where it ends");
    let screens = known["screens"].as_object().expect("screens").values();
    let functions = screens.map(|screen| screen["business_functions"].as_array().map_or(0, Vec::len));
    assert!(functions.sum::<usize>() >= 3);

    let recognise = format!("recognise {} --step 0", TRACES[1]);
    let found = of(&format!("{recognise} --json")).json();
    assert!(found["confidence"].as_f64().expect("a number") > 0.7, "{found}");
    let words = of(&recognise).good();
    assert!(words.starts_with(found["screen_name"].as_str().expect("a name")), "{words}");

    let task = tasks.iter().find(|(_, task)| task["name"] == "login/wrong-then-right").expect("the task").0;
    let answer = of(&format!("query execute_task {task}")).json();
    assert_eq!(answer["actions"][0]["tool_name"], "navigate");
    let last = tasks[task]["success_criteria"]["screen_id"].as_str().expect("a screen");
    let way = of(&format!("query navigate_to_screen {last} --trace {} --profile seed", TRACES[1])).json();
    assert_eq!(way["expected_screen"]["screen_id"], last);
    assert!(way["actions"].as_array().expect("actions").len() >= 2, "{way}");

    let folder = tempfile::tempdir().expect("a folder");
    let instruction = folder.path().join("i.json");
    std::fs::write(&instruction, format!(r#"{{"query_type": "navigate_to", "target": "{last}", "context": null}}"#))
        .expect("written");
    let same = of(&format!("query --instruction {}", instruction.display())).json();
    assert_eq!(same["expected_screen"]["screen_id"], last);
}

#[test]
fn the_site_map_is_a_picture_and_the_schema_is_one() {
    let of = |line: &str| of(&store().1, line).good();
    let svg = of("export --format svg --website spa");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("prefers-color-scheme"));
    assert_eq!(svg, of("export --format svg --website spa"));
    assert!(of("export --format dot").starts_with("digraph site {"));
    assert_eq!(knowledge("export --format schema").json()["title"], "Knowledge");
}

#[test]
fn gaps_are_told_and_kept_only_when_asked() {
    let (_folder, path) = copy("gaps.sqlite");
    let before = of(&path, "export").good();
    let told = of(&path, "gaps --max-steps 5").json();
    for field in ["gaps_filled", "inferred_actions", "inferred_transitions", "confidence_scores", "errors"] {
        assert!(told.get(field).is_some(), "{field}: {told}");
    }
    assert_eq!(of(&path, "export").good(), before);
    let kept = of(&path, "gaps --keep").json();
    assert!(kept["stored"].is_object(), "{kept}");
}

#[test]
fn texts_are_added_and_stay_when_traces_are_built_again() {
    let (folder, path) = copy("texts.sqlite");
    let text = folder.path().join("manual.md");
    std::fs::write(&text, "# Refund policy\n\nMoney comes back within ten days.\n").expect("written");
    let with_text = format!("build --text {}", text.display());
    for line in [&format!("{with_text} --website spa"), &format!("build {}", TRACES[0])] {
        let said = of(&path, line).good();
        assert!(said.contains("documentation_screens 1"), "{said}");
    }
    of(&path, &format!("{with_text} --content-type poem")).ends(2, &["\"poem\"", "api_docs"]);
}

#[test]
fn what_cannot_be_answered_says_why_and_what_to_do() {
    let (folder, path) = copy("errors.sqlite");
    let folder = folder.path();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("written");
        format!("query --instruction {}", folder.join(name).display())
    };
    let lines = [
        "query navigate_to_screen no-such-screen-anywhere",
        "query execute_task no-such-task",
        "query fly x",
        "query find_screen x --profile browser-use-9",
        &file("bad.json", r#"{"instruction_type": "fly"}"#),
        &file("torn.json", r#"{"instruction_type": "find_screen", "#),
        "query --instruction no/such/file.json",
        "query get_actions '' --screen nowhere",
        "recognise",
        &format!("recognise {} --step 99", TRACES[0]),
        "recognise traces/no-such.trace",
        "export --id other",
        "build",
        "build traces/scenarios/spa/plan-a-release.toml",
        &format!("build {} --scenarios no/such/folder", TRACES[0]),
    ];
    insta::assert_snapshot!(lines.map(|line| refused(folder, &path, line)).join("\n\n"));
}

#[test]
fn stores_that_cannot_be_used_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let ask = |name: &str| refused(folder.path(), &at(name), "query explore_website");
    let change = |name: &str, statements: &str| {
        Connection::open(at(name)).and_then(|file| file.execute_batch(statements)).expect("changed");
    };

    std::fs::write(at("text.sqlite"), "this is a text and no database, and long enough to be seen as one".repeat(40))
        .expect("written");
    change("other.sqlite", "CREATE TABLE t (a); PRAGMA application_id = 7;");
    for (name, statements) in [
        ("newer.sqlite", "PRAGMA user_version = 99;"),
        ("orphan.sqlite", "PRAGMA foreign_keys = OFF; DELETE FROM action;"),
        ("body.sqlite", "UPDATE task SET body = '{\"task_id\": 4}';"),
    ] {
        std::fs::copy(&store().1, at(name)).expect("copied");
        change(name, statements);
    }
    let bytes = std::fs::read(&store().1).expect("read");
    std::fs::write(at("cut.sqlite"), &bytes[..bytes.len() / 2]).expect("cut");
    std::fs::write(at("empty.sqlite"), "").expect("written");

    let names = ["missing", "empty", "text", "other", "newer", "orphan", "body"];
    let mut told = Vec::from(names.map(|name| ask(&format!("{name}.sqlite"))));
    // Which page SQLite finds missing first is its own affair.
    let cut = ask("cut.sqlite");
    assert!(cut.contains("is damaged") && cut.contains("knowledge build"), "{cut}");
    told.push(cut.lines().next().unwrap_or_default().to_owned());
    insta::assert_snapshot!(told.join("\n\n"));
}
