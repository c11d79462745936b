//! WebLINX 1.1: raw accessibility trees and DOM snapshots of demonstrations, with what a person
//! did.
//!
//! In: the data set's folder: `metadata.json` (split → demonstration → step) beside the files that
//! it names, or a folder that holds a part of it. Out: a [`Plan`] for each demonstration.
//! Invariants: a step of the data set is a page and what was done on it, so that the page after an
//! action is the next one's; after the last there is none, and its own is shown again; the data
//! set's licence goes into the trace.

use crate::archive::Archive;
use crate::cdp::{PairFiles, Pairs};
use crate::error::ImportError;
use crate::json::text;
use crate::limits::Limits;
use crate::plan::{Plan, PlannedAction, PlannedStep, TARGET, origin};
use browserlens_core::page::Viewport;
use browserlens_core::strategy::ActionKind;
use browserlens_core::sync::locked;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Licence of the data set, as its publisher states it.
const LICENCE: &str = "CC-BY-NC-SA-4.0";
/// The attribute by which the data set names elements, and the one of its later exports.
const IDS: [&str; 2] = ["data-webtasks-id", "bid"];

/// Reads every demonstration of a folder.
pub(crate) fn read(path: &Path, limits: Limits) -> Result<Vec<Plan>, ImportError> {
    let mut archive = Archive::open(path, limits)?;
    let Some(bytes) = archive.read("metadata.json")? else {
        return Err(ImportError::malformed(path, "the folder", "it has no metadata.json, which names every step"));
    };
    let splits: Map<String, Value> = serde_json::from_slice(&bytes)
        .map_err(|error| ImportError::malformed(path, "metadata.json", error.to_string()))?;
    let index = Arc::new(Index::of(&archive));
    let archive = Arc::new(Mutex::new(archive));
    let mut plans = Vec::new();
    for (split, demonstrations) in &splits {
        for (id, steps) in demonstrations.as_object().into_iter().flatten() {
            // A part of the data set holds the files of some demonstrations only.
            if index.demonstrations.contains(id) {
                plans.extend(plan(path, split, (id, steps), &index, &archive)?);
            }
        }
    }
    if plans.is_empty() {
        return Err(ImportError::empty(path, "metadata.json names no demonstration whose files are here"));
    }
    Ok(plans)
}

/// Which files there are, by the names that `metadata.json` gives them.
struct Index {
    /// Each name, whole and without one or two of its outer folders, and the name it stands for.
    names: HashMap<String, String>,
    /// Every folder.
    demonstrations: HashSet<String>,
}

impl Index {
    fn of(archive: &Archive) -> Self {
        let mut index = Self { names: HashMap::new(), demonstrations: HashSet::new() };
        for name in archive.names() {
            let mut tail = name;
            for _ in 0..3 {
                index.names.entry(tail.to_owned()).or_insert_with(|| name.to_owned());
                let Some((_, inner)) = tail.split_once('/') else { break };
                tail = inner;
            }
            let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
            index.demonstrations.extend(folders.split('/').map(str::to_owned));
        }
        index
    }
}

fn plan(
    path: &Path,
    split: &str,
    (id, steps): (&str, &Value),
    index: &Index,
    archive: &Arc<Mutex<Archive>>,
) -> Result<Option<Plan>, ImportError> {
    let mut gaps = Vec::new();
    let mut numbered: Vec<(u64, &Value)> = match steps {
        Value::Object(steps) => steps.iter().filter_map(|(number, step)| Some((number.parse().ok()?, step))).collect(),
        Value::Array(steps) => steps.iter().enumerate().map(|(number, step)| (number as u64, step)).collect(),
        _ => return Err(ImportError::malformed(path, format!("demonstration {id}"), "its steps are no list")),
    };
    numbered.sort_by_key(|(number, _)| *number);
    let mut goal: Vec<String> = Vec::new();
    // Of each turn that has a page: its tab, what was done, and the page.
    let mut turns: Vec<(u32, PlannedAction)> = Vec::new();
    let mut pages: Vec<PairFiles> = Vec::new();
    let file = |step: &Value, key: &str| index.names.get(text(step, key)).cloned();
    for (number, step) in numbered {
        let intent = text(step, "intent");
        let args = &step["args"];
        if intent == "say" {
            if ["instructor", "user"].contains(&text(args, "speaker")) {
                goal.push(text(args, "utterance").to_owned());
            }
            continue;
        }
        let Some((ax, snapshot)) = file(step, "axtree_path").zip(file(step, "dom_object_path")) else {
            gaps.push(format!("turn {number} ({intent}) has no accessibility tree or no DOM snapshot: passed over"));
            continue;
        };
        let Some(action) = action(intent, args) else {
            gaps.push(format!("turn {number} ({intent}) is no action of a trace: passed over"));
            continue;
        };
        let attributes = &step["element"]["attributes"];
        let element = IDS.iter().map(|id| text(attributes, id)).chain([text(args, "uid")]).find(|id| !id.is_empty());
        let mark = |id: &str| Some((id.to_owned(), element?.to_owned(), TARGET.to_owned()));
        let marks = IDS.into_iter().filter_map(mark).collect();
        turns.push((step["tab"].as_u64().map_or(0, |tab| tab as u32), action));
        pages.push(PairFiles { snapshot, ax, screenshot: file(step, "screenshot_path"), marks });
    }
    if turns.is_empty() {
        return Ok(None);
    }
    gaps.push("after the last action no page was recorded: its own is shown again".to_owned());
    gaps.push("the publisher made accessibility trees and snapshots by rendering saved pages anew".to_owned());
    let record = match index.names.get(&format!("demonstrations/{id}/metadata.json")) {
        Some(name) => locked(archive).read(name)?,
        None => None,
    };
    let record: Value = record.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let side =
        |keys: [&str; 2]| keys.iter().find_map(|key| record[*key].as_u64()).and_then(|side| u32::try_from(side).ok());
    let viewport = match (side(["viewportWidth", "width"]), side(["viewportHeight", "height"])) {
        (Some(width), Some(height)) if width > 0 && height > 0 => Viewport { width, height, ..Viewport::default() },
        _ => Viewport::default(),
    };
    let tabs: BTreeSet<u32> = turns.iter().map(|(tab, _)| *tab).collect();
    let tab = |at: usize| tabs.iter().position(|tab| *tab == turns[at.min(turns.len() - 1)].0).unwrap_or(0) as u32;
    let mut steps = vec![PlannedStep { tab: tab(0), action: None }];
    for (at, (_, action)) in turns.iter().enumerate() {
        steps.push(PlannedStep { tab: tab(at + 1), action: Some(action.clone()) });
    }
    let source = format!("McGill-NLP/weblinx-browsergym, {split}, {id}");
    let pairs = Pairs { path: path.to_owned(), archive: Arc::clone(archive), pages, viewport };
    Ok(Some(Plan {
        goal: if goal.is_empty() { id.to_owned() } else { goal.join(" ") },
        viewport,
        browser: "Chromium (WebLINX 1.1)".to_owned(),
        ..Plan::new(format!("weblinx-{id}"), origin("weblinx 1.1", source, LICENCE, gaps), steps, Box::new(pairs))
    }))
}

fn action(intent: &str, args: &Value) -> Option<PlannedAction> {
    let (kind, key) = match intent.to_ascii_lowercase().as_str() {
        "click" => (ActionKind::Click, ""),
        "text_input" | "textinput" => (ActionKind::Fill, "text"),
        "change" => (ActionKind::Select, "value"),
        "hover" => (ActionKind::Hover, ""),
        "submit" => (ActionKind::Press, ""),
        "load" => (ActionKind::Goto, "url"),
        "scroll" => (ActionKind::Scroll, ""),
        "tabswitch" => (ActionKind::SwitchTab, "target"),
        "tabremove" => (ActionKind::CloseTab, ""),
        _ => return None,
    };
    let text = match kind {
        ActionKind::Press => "Enter".to_owned(),
        ActionKind::Scroll => {
            let by = |key: &str| args[key].as_f64().unwrap_or(0.0);
            format!("{},{}", by("x"), by("y"))
        }
        _ => match &args[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        },
    };
    Some(PlannedAction::new(kind, text))
}
