//! What several tests need: bundled and made recordings, what people call their screens, and tables in
//! PROTOCOL.md.

#![allow(dead_code, reason = "each test is a program of its own and uses a part")]

use browserlens_core::page::{Page, PageBuilder};
use browserlens_core::strategy::{ActionKind, Intent, NodeHint, StepIndex, TakenAction};
use browserlens_knowledge::score::{Labels, Score};
use browserlens_knowledge::{Knowledge, Provenance, Recording};
use browserlens_trace::{ActionRecord, Trace};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The bundled recordings, sorted by name.
pub fn traces() -> Vec<PathBuf> {
    below("../../traces")
}

/// The variants of some of them, sorted by name.
pub fn variants() -> Vec<PathBuf> {
    below("../../traces/variants")
}

fn below(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("bundled files are there")
        .map(|entry| entry.expect("bundled files are there").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "trace"))
        .collect();
    files.sort();
    files
}

/// Reads recordings.
pub fn recordings(paths: &[PathBuf]) -> Vec<Recording> {
    paths.iter().map(|path| Recording::read(&Trace::open(path).expect("a trace")).expect("a recording")).collect()
}

/// What people call the screen of each step.
pub fn labels() -> Labels {
    toml::from_str(include_str!("../../../../traces/screens.toml")).expect("labels")
}

/// A score in words, with every page that was not recognised.
pub fn told(score: &Score) -> String {
    let (accuracy, asked, wrong) = (100.0 * score.accuracy(), score.asked(), 100.0 * score.wrong());
    let (held_back, given, all) = (score.held_back, score.given, score.rows.len());
    let mut text =
        format!("{held_back:?}, given a {given:?}: {accuracy:.1} % of {asked} right, {wrong:.1} % of {all} wrong\n");
    for row in score.rows.iter().filter(|row| !row.is_right()) {
        let (step, found) = (row.step, row.recognised.as_deref().unwrap_or("nothing"));
        let seen = if row.known { "seen before" } else { "not seen before" };
        text.push_str(&format!(
            "  {} step {step}: {:?}, {seen}, taken for {found:?} at {:.2}\n",
            row.scenario, row.label, row.confidence
        ));
    }
    text
}

/// The screens of each website that people call alike; no screen is one that they call differently.
pub fn called<'k>(
    knowledge: &'k Knowledge,
    recordings: &[Recording],
) -> BTreeMap<(&'k str, String), BTreeSet<&'k str>> {
    let labels = labels();
    let scenarios: BTreeMap<&str, &str> =
        recordings.iter().map(|recording| (recording.trace_hash.as_str(), recording.scenario.as_str())).collect();
    let mut screens: BTreeMap<(&str, String), BTreeSet<&str>> = BTreeMap::new();
    for screen in knowledge.screens.values() {
        let label = |known: &Provenance| match known {
            Provenance::Trace { trace_hash, step } => labels[scenarios[trace_hash.as_str()]][*step as usize].clone(),
            other => panic!("{other:?}"),
        };
        let called: BTreeSet<String> = screen.provenance.iter().map(label).collect();
        assert_eq!(called.len(), 1, "{} holds {called:?}", screen.screen_id);
        for label in called {
            screens.entry((screen.website_id.as_str(), label)).or_default().insert(screen.screen_id.as_str());
        }
    }
    screens
}

/// Compares a table with what stands between its marks in PROTOCOL.md, or writes it there
/// (`UPDATE_README=1`).
pub fn readme(name: &str, table: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("PROTOCOL.md");
    let text = std::fs::read_to_string(&path).expect("bundled files are there");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = text.find(&begin).expect("PROTOCOL.md has the mark of the table") + begin.len();
    let to = from + text[from..].find(&end).expect("PROTOCOL.md has the end of the table");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..from], &text[to..])).expect("bundled files are there");
    } else {
        assert_eq!(&text[from..to], table, "run this test with UPDATE_README=1");
    }
}

/// Makes a page of an outline.
pub fn page(url: &str, title: &str, outline: &str) -> Page {
    let mut builder = PageBuilder::new(url, title);
    builder.add_outline(outline);
    builder.finish()
}

/// A recording that is made step by step.
pub struct Walk {
    recording: Recording,
    before: Page,
}

impl Walk {
    /// Begins on a page.
    pub fn new(website: &str, name: &str, first: &Page) -> Self {
        let mut recording = Recording::new(website, name, name, name);
        recording.push(0, first, None);
        Self { recording, before: first.clone() }
    }

    /// Presses the button of a name, which leads to a page.
    pub fn click(self, name: &str, after: &Page) -> Self {
        self.acted(ActionKind::Click, name, "", after)
    }

    /// Types into the field of a name, which leads to a page.
    pub fn fill(self, name: &str, text: &str, after: &Page) -> Self {
        self.acted(ActionKind::Fill, name, text, after)
    }

    fn acted(mut self, action: ActionKind, name: &str, text: &str, after: &Page) -> Self {
        let target = self.before.nodes().find(|node| node.name() == name).expect("the page has it");
        let (key, role) = (target.key(), target.role().to_owned());
        let node = Some(NodeHint { role, name: name.to_owned(), within: None, nth: None });
        let record = ActionRecord {
            taken: TakenAction { kind: action, node: node.clone(), text: text.to_owned(), error: None },
            intent: Intent { action, node, text: text.to_owned() },
            target: Some(key),
            acceptable: vec![key],
            resolved_in: StepIndex(0),
            point: None,
        };
        let step = self.recording.len() as u32;
        self.recording.push(step, after, Some((&record, &self.before)));
        self.before = after.clone();
        self
    }

    /// Ends the recording.
    pub fn end(self) -> Recording {
        self.recording
    }
}

/// A screen of a made-up website.
pub fn screen(id: &str, url: &str, text: &str) -> Value {
    json!({
        "screen_id": id, "knowledge_id": "k", "website_id": "w", "name": format!("The {id} screen"),
        "content_type": "web_ui", "is_actionable": true,
        "url_patterns": [format!("^{}$", url.replace('.', "\\."))], "example_urls": [url],
        "state_signature": { "required_indicators": [{ "type": "dom_contains", "value": text, "reason": "heading" }] },
    })
}

/// An action on one of its screens.
pub fn action(id: &str, on: &str, kind: &str, role: &str, name: &str) -> Value {
    json!({
        "action_id": id, "knowledge_id": "k", "website_id": "w", "name": format!("{kind} {name}"), "action_type": kind,
        "target": { "role": role, "name": name }, "screen_ids": [on], "count": 1,
    })
}

/// A way between two of its screens; without an action it is a gap.
pub fn way(from: &str, to: &str, action: Option<&str>, confidence: f64) -> Value {
    json!({
        "transition_id": format!("{from}_{to}_{}", action.unwrap_or("gap")), "knowledge_id": "k", "website_id": "w",
        "from_screen_id": from, "to_screen_id": to, "action_id": action, "count": 1,
        "metadata": { "confidence": confidence },
    })
}

/// A step of a task on it.
pub fn step(order: u32, action: &str, kind: &str, from: Option<&str>, to: &str) -> Value {
    json!({ "order": order, "action": { "action_type": kind }, "action_id": action, "screen_id": from,
        "expected_screen_id": to })
}

/// All of it; actions and ways are known from the lines of a walkthrough.
pub fn site(screens: Vec<Value>, actions: Vec<Value>, ways: Vec<Value>, tasks: Vec<Value>) -> Knowledge {
    let by_id = |items: Vec<Value>, key: &str| -> Value {
        let with_source = |(line, mut item): (usize, Value)| {
            if matches!(key, "action_id" | "transition_id") {
                item["provenance"] = json!([{ "source": "document", "name": "walkthrough", "line": line }]);
            }
            (item[key].as_str().expect("an id").to_owned(), item)
        };
        Value::Object((1..).zip(items).map(with_source).collect())
    };
    let all = json!({
        "knowledge_id": "k", "screens": by_id(screens, "screen_id"), "actions": by_id(actions, "action_id"),
        "transitions": by_id(ways, "transition_id"), "tasks": by_id(tasks, "task_id"),
    });
    serde_json::from_value(all).expect("knowledge")
}
