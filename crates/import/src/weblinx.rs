//! WebLINX 1.1: raw accessibility trees and DOM snapshots of demonstrations, with what a person
//! did.
//!
//! In: the data set's folder: `metadata.json` (split → demonstration → step) beside the files that
//! it names, or a folder that holds a part of it. Out: a [`Plan`] for each demonstration.
//! Invariants: a step of the data set is a page and what was done on it, so that the page after an
//! action is the next one's; after the last there is none, and its own is shown again; the data
//! set's licence goes into the trace.

use crate::archive::Archive;
use crate::cdp::Pair;
use crate::error::ImportError;
use crate::json::text;
use crate::limits::Limits;
use crate::plan::{Marks, Pages, Plan, PlannedAction, PlannedStep, TARGET};
use crate::scene::Scene;
use browserlens_core::page::{Capture, Viewport};
use browserlens_core::strategy::ActionKind;
use browserlens_trace::{Canonicalizer, Origin};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Licence of the data set, as its publisher states it.
const LICENCE: &str = "CC-BY-NC-SA-4.0";
/// The attribute by which the data set names elements, and the one of its later exports.
const IDS: [&str; 2] = ["data-webtasks-id", "bid"];

/// One turn of a demonstration that has a page.
#[derive(Clone, Debug)]
struct Turn {
    ax: String,
    snapshot: String,
    screenshot: String,
    /// Element that was acted on.
    element: String,
    tab: u32,
    action: Option<PlannedAction>,
}

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
        let reason = "metadata.json names no demonstration whose files are here".to_owned();
        return Err(ImportError::Empty { path: path.to_owned(), reason });
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
            for folder in
                folders.split('/').filter(|folder| !index.demonstrations.contains(*folder)).collect::<Vec<_>>()
            {
                index.demonstrations.insert(folder.to_owned());
            }
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
    let (mut goal, mut turns): (Vec<String>, Vec<Turn>) = (Vec::new(), Vec::new());
    let file = |step: &Value, key: &str| index.names.get(text(step, key)).cloned().unwrap_or_default();
    for (number, step) in numbered {
        let intent = text(step, "intent");
        let args = &step["args"];
        if intent == "say" {
            if ["instructor", "user"].contains(&text(args, "speaker")) {
                goal.push(text(args, "utterance").to_owned());
            }
            continue;
        }
        let (ax, snapshot) = (file(step, "axtree_path"), file(step, "dom_object_path"));
        if ax.is_empty() || snapshot.is_empty() {
            gaps.push(format!("turn {number} ({intent}) has no accessibility tree or no DOM snapshot: passed over"));
            continue;
        }
        let Some(action) = action(intent, args) else {
            gaps.push(format!("turn {number} ({intent}) is no action of a trace: passed over"));
            continue;
        };
        let attributes = &step["element"]["attributes"];
        let element = IDS.iter().map(|id| text(attributes, id)).chain([text(args, "uid")]).find(|id| !id.is_empty());
        turns.push(Turn {
            ax,
            snapshot,
            screenshot: file(step, "screenshot_path"),
            element: element.unwrap_or("").to_owned(),
            tab: step["tab"].as_u64().map_or(0, |tab| tab as u32),
            action: Some(action),
        });
    }
    if turns.is_empty() {
        return Ok(None);
    }
    gaps.push("after the last action no page was recorded: its own is shown again".to_owned());
    gaps.push("the publisher made accessibility trees and snapshots by rendering saved pages anew".to_owned());
    let record = match index.names.get(&format!("demonstrations/{id}/metadata.json")) {
        Some(name) => archive.lock().unwrap_or_else(PoisonError::into_inner).read(name)?,
        None => None,
    };
    let record: Value = record.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let side =
        |keys: [&str; 2]| keys.iter().find_map(|key| record[*key].as_u64()).and_then(|side| u32::try_from(side).ok());
    let viewport = match (side(["viewportWidth", "width"]), side(["viewportHeight", "height"])) {
        (Some(width), Some(height)) if width > 0 && height > 0 => Viewport { width, height, ..Viewport::default() },
        _ => Viewport::default(),
    };
    let mut tabs: Vec<u32> = turns.iter().map(|turn| turn.tab).collect();
    tabs.sort_unstable();
    tabs.dedup();
    let tab = |turn: &Turn| tabs.iter().position(|tab| *tab == turn.tab).unwrap_or(0) as u32;
    let mut steps = vec![PlannedStep { tab: tab(&turns[0]), action: None }];
    for (at, turn) in turns.iter().enumerate() {
        steps.push(PlannedStep { tab: tab(turns.get(at + 1).unwrap_or(turn)), action: turn.action.clone() });
    }
    Ok(Some(Plan {
        name: format!("weblinx-{id}"),
        goal: if goal.is_empty() { id.to_owned() } else { goal.join(" ") },
        viewport,
        locale: "en-US".to_owned(),
        timezone: "UTC".to_owned(),
        browser: "Chromium (WebLINX 1.1)".to_owned(),
        recorded_at: None,
        origin: Origin {
            format: "weblinx 1.1".to_owned(),
            source: format!("McGill-NLP/weblinx-browsergym, {split}, {id}"),
            licence: LICENCE.to_owned(),
            importer: concat!("browserlens-import ", env!("CARGO_PKG_VERSION")).to_owned(),
            rendered: false,
            gaps,
        },
        secrets: Vec::new(),
        steps,
        events: Vec::new(),
        visits: Vec::new(),
        pages: Box::new(Turns {
            path: path.to_owned(),
            archive: Arc::clone(archive),
            turns,
            viewport: (viewport.width, viewport.height),
        }),
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

/// The pages of one demonstration.
struct Turns {
    path: PathBuf,
    archive: Arc<Mutex<Archive>>,
    turns: Vec<Turn>,
    viewport: (u32, u32),
}

impl Pages for Turns {
    fn needs_rendering(&self) -> bool {
        false
    }

    fn scene(&self, step: usize) -> Result<Scene, ImportError> {
        Err(ImportError::malformed(&self.path, format!("step {step}"), "it needs no rendering"))
    }

    fn capture(&self, step: usize, canonicalizer: &mut Canonicalizer) -> Option<Result<(Capture, Marks), ImportError>> {
        Some(self.pair(step, canonicalizer))
    }
}

impl Turns {
    fn pair(&self, step: usize, canonicalizer: &mut Canonicalizer) -> Result<(Capture, Marks), ImportError> {
        let Some(turn) = self.turns.get(step.min(self.turns.len() - 1)) else {
            return Err(ImportError::malformed(&self.path, format!("step {step}"), "it has no page"));
        };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = |name: &str| -> Result<String, ImportError> {
            let bytes = archive.read(name)?.unwrap_or_default();
            String::from_utf8(bytes).map_err(|_| ImportError::malformed(&self.path, name, "it is not UTF-8"))
        };
        let (snapshot, ax) = (read(&turn.snapshot)?, read(&turn.ax)?);
        let screenshot = if turn.screenshot.is_empty() { None } else { archive.read(&turn.screenshot)? };
        drop(archive);
        let marks = IDS.iter().filter(|_| !turn.element.is_empty());
        let marks = marks.map(|id| ((*id).to_owned(), turn.element.clone(), TARGET.to_owned())).collect();
        let pair = Pair { snapshot: &snapshot, ax: &ax, screenshot, viewport: self.viewport, marks };
        pair.capture(canonicalizer).map_err(|reason| ImportError::malformed(&self.path, turn.snapshot.clone(), reason))
    }
}
