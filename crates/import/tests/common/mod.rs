//! What the tests share: real Playwright on the bundled sites, our own recording of the same, and
//! how alike two pages are.

#![allow(dead_code, reason = "each test file uses a part of it")]

use browserlens_core::page::{Page, States};
use browserlens_core::strategy::StepIndex;
use browserlens_import::{Format, ImportOptions, ImportedTrace, import};
use browserlens_recorder::{RecordOptions, SiteServer, find_chrome, record};
use browserlens_trace::scenario::{Action, Scenario, Target, TargetBy};
use browserlens_trace::{Trace, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time for one driver.
const LIMIT: Duration = Duration::from_secs(300);

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

/// The release that the peers are installed with.
pub fn newest() -> PathBuf {
    let folder = root().join(".tools/peers/npm/playwright-mcp-0-0-83/node_modules/playwright-core");
    assert!(folder.exists(), "{} is not there: install the peers (`./just peers`)", folder.display());
    folder
}

/// A release of `just playwrights`.
pub fn older(version: &str) -> PathBuf {
    let folder = root().join(".tools/playwright").join(version).join("package");
    assert!(folder.exists(), "{} is not there: install it (`./just playwrights`)", folder.display());
    folder
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime")
}

/// Runs a driver; returns where its trace is.
pub fn driven(core: &Path, site: &str, options: &Value, out: &Path) {
    let runtime = runtime();
    let server = runtime.block_on(SiteServer::start(&root().join("traces/sites"), site)).expect("serves");
    let said = out.with_extension("said");
    let file = std::fs::File::create(&said).expect("file");
    let home = tempfile::tempdir().expect("a home");
    let mut child = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drivers/playwright.mjs"))
        .arg(core)
        .arg(find_chrome(None).expect("Chromium"))
        .arg(server.port().to_string())
        .arg(out)
        .arg(options.to_string())
        .env("HOME", home.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .stdin(Stdio::null())
        .stdout(file.try_clone().expect("file"))
        .stderr(file)
        .spawn()
        .expect("node starts");
    let deadline = Instant::now() + LIMIT;
    let ended = loop {
        match child.try_wait().expect("the driver's state") {
            Some(status) => break status.success(),
            None if Instant::now() > deadline => {
                drop(child.kill());
                drop(child.wait());
                break false;
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    assert!(ended, "the driver failed: {}", std::fs::read_to_string(&said).unwrap_or_default());
}

/// Says a scenario's steps in the words of the driver.
pub fn said(scenario: &Scenario, start: &str) -> Value {
    let steps: Vec<Value> = scenario
        .steps
        .iter()
        .map(|step| {
            let text = step.action.text().resolve(&|_| None).expect("no environment");
            let what = match &step.action {
                Action::Check { checked: false, .. } => "uncheck",
                other => other.kind().name(),
            };
            json!({ "do": what, "on": step.action.target().map(target), "text": text })
        })
        .collect();
    json!({ "start": start, "steps": steps })
}

fn target(target: &Target) -> Value {
    let mut said = match &target.by {
        TargetBy::Role { role, name } => json!({ "role": role, "name": name }),
        TargetBy::Css { selector, .. } => json!({ "css": selector }),
        other => panic!("the driver does not know {other:?}"),
    };
    if let Some(within) = &target.within {
        said["within"] = self::target(within);
    }
    if let Some(nth) = target.nth {
        said["nth"] = json!(nth);
    }
    said
}

pub fn recorded(scenario: &Scenario, folder: &Path) -> Trace {
    let path = folder.join("recorded.trace");
    let mut options = RecordOptions::new(root().join("traces/sites"), &path);
    options.second_look = false;
    runtime().block_on(record(scenario, &options)).unwrap_or_else(|error| panic!("{error}"));
    Trace::open(&path).expect("opens")
}

/// Imports one file with rendering; checks the trace.
pub fn imported(input: &Path, out: &Path) -> (ImportedTrace, Trace) {
    let mut options = ImportOptions::new(out);
    options.licence = "CC0-1.0".to_owned();
    let report = import(Format::Playwright, &[input.to_owned()], &options)
        .unwrap_or_else(|error| panic!("{error}\nhint: {}", error.hint()));
    let made = report.traces.into_iter().next().expect("one trace");
    let checked = verify(&made.path).expect("verifies");
    assert!(checked.is_ok() && checked.complete, "{checked:?}");
    let trace = Trace::open(&made.path).expect("opens");
    (made, trace)
}

pub fn page(trace: &Trace, step: u32) -> Page {
    Page::parse(&trace.capture(StepIndex(step)).expect("capture")).expect("parses")
}

/// Interactive nodes as role, name, states and value, each with how often it is there. Who has the
/// focus no recording of Playwright tells.
pub fn interactive(page: &Page) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for node in page.nodes().filter(|node| node.has_interactive_role() && node.is_visible()) {
        let mut states = node.states();
        states.set(States::FOCUSED, false);
        let line = format!(
            "{} {:?} {states:?} {:?} {:?} {:?} {:?} {:?}",
            node.role(),
            node.name(),
            node.checked(),
            node.pressed(),
            node.expanded(),
            node.selected(),
            node.value()
        );
        *found.entry(line).or_default() += 1;
    }
    found
}

/// How many interactive nodes there are, how many of them both pages have alike, and what differs.
pub fn alike(ours: &Page, theirs: &Page) -> (i64, i64, Vec<String>) {
    let (ours, theirs) = (interactive(ours), interactive(theirs));
    let all = ours.values().sum::<i64>().max(theirs.values().sum());
    let mut same = 0;
    let mut differs = Vec::new();
    for (line, count) in &ours {
        let other = theirs.get(line).copied().unwrap_or(0);
        same += other.min(*count);
        if other != *count {
            differs.push(format!("ours {count}, theirs {other}: {line}"));
        }
    }
    let only = theirs.iter().filter(|(line, _)| !ours.contains_key(*line));
    differs.extend(only.map(|(line, count)| format!("theirs alone {count}: {line}")));
    (all, same, differs)
}

/// Holds an imported trace against our own recording: at least 99 % of interactive nodes alike,
/// every action with its node.
pub fn assert_alike(ours: &Trace, theirs: &Trace) {
    assert_eq!(ours.len(), theirs.len());
    let (mut all, mut same, mut differs) = (0, 0, Vec::new());
    for step in 0..ours.len() {
        let (here, there, different) = alike(&page(ours, step), &page(theirs, step));
        all += here;
        same += there;
        differs.extend(different.into_iter().map(|line| format!("step {step}: {line}")));
        let action = |trace: &Trace| trace.step(StepIndex(step)).expect("row").action;
        let (Some(ours), Some(theirs_action)) = (action(ours), action(theirs)) else { continue };
        assert_eq!(
            (ours.taken.kind, &ours.taken.text),
            (theirs_action.taken.kind, &theirs_action.taken.text),
            "step {step}"
        );
        assert_eq!(ours.target.is_some(), theirs_action.target.is_some(), "step {step}: {:?}", theirs_action);
        let words = |hint: &Option<browserlens_core::strategy::NodeHint>| {
            hint.as_ref().map(|hint| (hint.role.clone(), hint.name.clone()))
        };
        assert_eq!(words(&ours.taken.node), words(&theirs_action.taken.node), "step {step}");
        if let Some(key) = theirs_action.target {
            assert!(page(theirs, step - 1).find(key).is_some(), "step {step}: its node is in the capture before it");
        }
    }
    let share = same as f64 / all.max(1) as f64;
    println!("{same} of {all} interactive nodes are alike ({:.2} %)", share * 100.0);
    let shown = differs.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    println!("{shown}");
    assert!(share >= 0.99, "{same} of {all} interactive nodes are alike:\n{shown}");
}
