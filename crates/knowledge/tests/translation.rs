//! Every action of the bundled recordings, said as calls of tools, on the page on which it was done.
//!
//! An action is translated twice: by the words in which the recording names its node, and by the node itself. The table in the README is written
//! by this test (`UPDATE_README=1`).

use browserlens_knowledge::translate::{ActionType, Context, Profile, TranslateError, translate};
use browserlens_knowledge::{ActionDefinition, BrowserUseAction, ElementTarget};
use browserlens_page::Page;
use browserlens_strategy::{ActionKind, NodeHint, StepIndex};
use browserlens_trace::{ActionRecord, Trace};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

fn traces() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "trace"))
        .collect();
    files.sort();
    files
}

fn target(hint: &NodeHint) -> ElementTarget {
    ElementTarget {
        role: hint.role.clone(),
        name: hint.name.clone(),
        within: hint.within.as_deref().map(|within| Box::new(target(within))),
        nth: hint.nth,
        ..ElementTarget::default()
    }
}

/// The action as knowledge holds it; the node by words, or by its id.
fn definition(record: &ActionRecord, page: &Page, by_words: bool) -> ActionDefinition {
    let taken = &record.taken;
    let text = Value::from(taken.text.as_str());
    let mut parameters: BTreeMap<String, Value> = match taken.kind {
        ActionKind::Goto => vec![("url", text)],
        ActionKind::Fill | ActionKind::Type => vec![("text", text)],
        ActionKind::Press => vec![("keys", text)],
        ActionKind::Select => vec![("option", text)],
        ActionKind::Check => vec![("checked", json!(taken.text == "true"))],
        ActionKind::Upload => vec![("files", json!(taken.text.split(", ").collect::<Vec<_>>()))],
        _ => Vec::new(),
    }
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let node = record.target.and_then(|key| page.find(key));
    if let (Some((x, y)), Some(node)) = (record.point, node) {
        parameters.insert("point".to_owned(), json!([x - node.bounds().x, y - node.bounds().y]));
    }
    if let (Some(node), false) = (node, by_words) {
        parameters.insert("index".to_owned(), json!(node.key().backend));
    }
    ActionDefinition {
        action_type: taken.kind.name().to_owned(),
        target: taken.node.as_ref().filter(|_| by_words).map(target),
        parameters,
        ..ActionDefinition::default()
    }
}

#[derive(Default)]
struct Row {
    recorded: usize,
    /// Per profile: translated, by their words, tools.
    profiles: BTreeMap<Profile, (usize, usize, BTreeSet<String>)>,
}

fn index(action: &BrowserUseAction) -> Option<u64> {
    action.parameters.get("index").and_then(Value::as_u64)
}

/// Whether an error says that the profile or the recording cannot tell the action, and not that the translation failed.
fn is_inexpressible(error: &TranslateError) -> bool {
    matches!(
        error,
        TranslateError::NotSupported { .. }
            | TranslateError::Unreachable { .. }
            | TranslateError::MissingParameter { .. }
            | TranslateError::BadParameter { parameter: "files", .. }
    )
}

#[test]
fn every_recorded_action_that_a_profile_can_express_translates_and_validates() {
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    let mut inexpressible: BTreeSet<String> = BTreeSet::new();
    let mut failed = Vec::new();
    let mut ambiguous = BTreeSet::new();
    for path in traces() {
        let trace = Trace::open(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut pages: Vec<Page> = Vec::new();
        for step in trace.steps().unwrap() {
            pages.push(trace.page(step.index).unwrap().0);
            let Some(record) = &step.action else { continue };
            let row = rows.entry(record.taken.kind.name()).or_default();
            row.recorded += 1;
            // The first navigation has no page before it.
            let before = (step.index > StepIndex(0)).then(|| &pages[record.resolved_in.0 as usize]);
            let page = before.unwrap_or(&pages[0]);
            let context = Context { page: before, base_url: Some(page.url()), ..Context::default() };
            for profile in Profile::ALL {
                let (translated, worded, tools) = row.profiles.entry(profile).or_default();
                match translate(&definition(record, page, false), profile, &context) {
                    Ok(actions) => {
                        *translated += 1;
                        for action in &actions {
                            profile.validate(action).unwrap();
                            tools.insert(action.tool_name.clone());
                            if let (Some(index), Some(target)) = (index(action), record.target)
                                && record.taken.kind != ActionKind::Upload
                            {
                                assert_eq!(index, u64::from(target.backend), "{name} step {}", step.index);
                            }
                        }
                    }
                    Err(error) if is_inexpressible(&error) => {
                        inexpressible.insert(format!("{profile} | {name} | {} | {error}", step.index));
                        continue;
                    }
                    Err(error) => failed.push(format!("{profile} {name} step {}: {error}", step.index)),
                }
                match translate(&definition(record, page, true), profile, &context) {
                    Ok(actions) => {
                        *worded += 1;
                        if let Some(index) = actions.iter().find_map(index)
                            && record.taken.kind != ActionKind::Upload
                        {
                            let is_right = record.acceptable.iter().any(|key| u64::from(key.backend) == index);
                            assert!(is_right, "{name} step {}: [{index}] is none of {:?}", step.index, record.acceptable);
                        }
                    }
                    Err(error) => {
                        ambiguous.insert(format!("{name} | {} | {error}", step.index));
                    }
                }
            }
        }
    }
    assert_eq!(failed, Vec::<String>::new());
    let table = table(&rows, &inexpressible, &ambiguous);
    println!("{table}");
}

fn table(rows: &BTreeMap<&'static str, Row>, inexpressible: &BTreeSet<String>, ambiguous: &BTreeSet<String>) -> String {
    let mut out = String::from(
        "| action | recorded | `seed`: translated | by words | tools | `browser-use-0.13`: translated | by words | tools |\n| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |\n",
    );
    let mut sums = [0; 5];
    for (kind, row) in rows {
        write!(out, "| {} → `{}` | {} |", kind, ActionType::parse(kind).unwrap().name(), row.recorded).unwrap();
        sums[0] += row.recorded;
        for (at, profile) in Profile::ALL.into_iter().enumerate() {
            let (translated, worded, tools) = &row.profiles[&profile];
            sums[1 + at * 2] += translated;
            sums[2 + at * 2] += worded;
            let tools: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
            write!(out, " {translated} | {worded} | {} |", tools.join(", ")).unwrap();
        }
        out.push('\n');
    }
    writeln!(out, "| all | {} | {} | {} | | {} | {} | |", sums[0], sums[1], sums[2], sums[3], sums[4]).unwrap();
    out.push_str("\nWhat a profile cannot express on the recordings:\n\n");
    for line in inexpressible {
        writeln!(out, "- {line}").unwrap();
    }
    out.push_str("\nWhat words alone do not tell, so that a selector or an index has to:\n\n");
    for line in ambiguous {
        writeln!(out, "- {line}").unwrap();
    }
    out
}
