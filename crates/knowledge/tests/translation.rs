//! Every action of the bundled recordings, said as calls of tools, on the page on which it was
//! done.
//!
//! An action is translated twice: as the knowledge made of all recordings holds it (words,
//! selector), and by the id of its node. The table in PROTOCOL.md is written by this test
//! (`UPDATE_README=1`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{ActionKind, StepIndex};
use browserlens_knowledge::translate::{ActionType, Context, Profile, Refs, TranslateError, as_done, translate};
use browserlens_knowledge::{ActionDefinition, BrowserUseAction, Knowledge, Provenance, Recording, extract};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{ActionRecord, Trace};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The action of a step as knowledge holds it, with what was typed in that step.
fn known(knowledge: &Knowledge, trace_hash: &str, step: u32) -> Option<ActionDefinition> {
    let source = Provenance::Trace { trace_hash: trace_hash.to_owned(), step };
    let step =
        knowledge.tasks.values().flat_map(|task| &task.steps).find(|step| step.provenance.as_ref() == Some(&source))?;
    Some(as_done(knowledge.actions.get(step.action_id.as_ref()?)?, &step.action))
}

/// The action with its node by id.
fn definition(record: &ActionRecord, page: &Page, known: Option<&ActionDefinition>) -> ActionDefinition {
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
    if let Some(node) = node {
        parameters.insert("index".to_owned(), json!(node.key().backend));
    }
    // What the trace does not keep and the scenario tells.
    for told in ["to", "to_point", "by"] {
        if let Some(value) = known.and_then(|known| known.parameters.get(told)) {
            parameters.insert(told.to_owned(), value.clone());
        }
    }
    ActionDefinition { action_type: taken.kind.name().to_owned(), parameters, ..ActionDefinition::default() }
}

#[derive(Default)]
struct Row {
    recorded: usize,
    /// Per profile: translated by node, from knowledge, tools.
    profiles: BTreeMap<Profile, (usize, usize, BTreeSet<String>)>,
}

fn index(action: &BrowserUseAction) -> Option<u64> {
    let said = |value: &Value| value.as_u64().or_else(|| value.as_str()?.strip_prefix("@e")?.parse().ok());
    let field = action.parameters.get("fields").and_then(|fields| fields.get(0)?.get("ref"));
    ["index", "ref", "from"].into_iter().find_map(|name| action.parameters.get(name)).or(field).and_then(said)
}

/// Whether an error says that the profile or the recording cannot tell the action, and not that the
/// translation failed.
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
    let mut wrong = Vec::new();
    let mut ambiguous = BTreeSet::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/scenarios");
    let scenarios = Scenario::load_all(&folder).unwrap();
    let recordings: Vec<Recording> = common::traces()
        .iter()
        .map(|path| {
            let trace = Trace::open(path).unwrap();
            let scenario = scenarios.iter().find(|scenario| scenario.name == trace.meta().scenario);
            Recording::read_with(&trace, scenario).unwrap()
        })
        .collect();
    let knowledge = extract("all", &recordings);
    for (path, recording) in common::traces().iter().zip(&recordings) {
        let trace = Trace::open(path).unwrap();
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
            let given = |key: NodeKey| Some(format!("@e{}", key.backend));
            let refs = Some(Refs(&given));
            let context = Context { page: before, refs, base_url: Some(page.url()), ..Context::default() };
            let known = known(&knowledge, &recording.trace_hash, step.index.0);
            for profile in Profile::ALL {
                let (translated, worded, tools) = row.profiles.entry(profile).or_default();
                match translate(&definition(record, page, known.as_ref()), profile, &context) {
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
                let Some(action) = &known else {
                    ambiguous.insert(format!("{name} | {} | is not in the knowledge", step.index));
                    continue;
                };
                match translate(action, profile, &context) {
                    Ok(actions) => {
                        *worded += 1;
                        if let Some(index) = actions.iter().find_map(index)
                            && record.taken.kind != ActionKind::Upload
                        {
                            let is_right = record.acceptable.iter().any(|key| u64::from(key.backend) == index);
                            if !is_right {
                                wrong.push(format!(
                                    "{name} step {}: [{index}] is none of {:?}",
                                    step.index, record.acceptable
                                ));
                            }
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
    assert_eq!(wrong, Vec::<String>::new());
    common::readme("translation", &table);
}

fn table(rows: &BTreeMap<&'static str, Row>, inexpressible: &BTreeSet<String>, ambiguous: &BTreeSet<String>) -> String {
    let mut out = String::from(
        "| action | recorded | `seed`: by node | from knowledge | tools | `browser-use-0.13`: by node | from knowledge \
            | tools | `browserlens`: by node | from knowledge | tools |\n| --- | ---: | ---: | ---: | --- | ---: | \
            ---: | \
            --- | ---: | ---: | --- |\n",
    );
    let mut sums = [0; 7];
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
    writeln!(
        out,
        "| all | {} | {} | {} | | {} | {} | | {} | {} | |",
        sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]
    )
    .unwrap();
    out.push_str("\nWhat a profile cannot express on the recordings:\n\n");
    for line in inexpressible {
        writeln!(out, "- {line}").unwrap();
    }
    out.push_str("\nWhat the knowledge does not tell, so that an index has to:\n\n");
    for line in ambiguous {
        writeln!(out, "- {line}").unwrap();
    }
    out
}
