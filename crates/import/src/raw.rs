//! A folder of raw pairs: `axtrees/*.json` and `dom_snapshots/*.json` of the same names, in the
//! order of their names.
//!
//! In: the folder; `actions.json` beside them, as the exporter of BrowserGym runs writes it, tells
//! what was done. Out: one [`Plan`] whose steps are pages. Invariant: a page without its other half
//! is a gap, and so is an action that is not one of BrowserGym's.

use crate::archive::Archive;
use crate::browsergym;
use crate::cdp::Pair;
use crate::error::ImportError;
use crate::json::text;
use crate::limits::Limits;
use crate::plan::{Marks, Pages, Plan, PlannedStep, TARGET};
use crate::scene::Scene;
use browserlens_core::page::{Capture, Viewport};
use browserlens_trace::{Canonicalizer, Origin};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Reads a folder or a zip file of pairs.
pub(crate) fn read(path: &Path, limits: Limits) -> Result<Vec<Plan>, ImportError> {
    let mut archive = Archive::open(path, limits)?;
    let told = told(path, &mut archive)?;
    let names: BTreeSet<String> = archive.names().map(str::to_owned).collect();
    let mut gaps = Vec::new();
    let mut pairs: Vec<(String, String, String)> = Vec::new();
    for ax in names
        .iter()
        .filter(|name| name.ends_with(".json") && (name.starts_with("axtrees/") || name.contains("/axtrees/")))
    {
        let snapshot = ax.replace("axtrees/", "dom_snapshots/");
        if !names.contains(&snapshot) {
            gaps.push(format!("{ax} has no {snapshot}: passed over"));
            continue;
        }
        let picture = ax.replace("axtrees/", "screenshots/").replace(".json", ".png");
        pairs.push((ax.clone(), snapshot, if names.contains(&picture) { picture } else { String::new() }));
    }
    pairs.sort_by_cached_key(|(ax, _, _)| natural(ax));
    if pairs.is_empty() {
        let reason = "it has no axtrees/*.json with dom_snapshots/*.json of the same names".to_owned();
        return Err(ImportError::Empty { path: path.to_owned(), reason });
    }
    gaps.push("such pairs tell no events and no listeners".to_owned());
    let number = |ax: &str| natural(ax).into_iter().rev().map(|(number, _)| number).find(|number| *number != u64::MAX);
    let mut steps = Vec::new();
    let mut elements = Vec::new();
    let by_step: HashMap<u64, &Value> =
        told.iter().rev().filter_map(|one| Some((one["step"].as_u64()?, one))).collect();
    for (at, (ax, _, _)) in pairs.iter().enumerate() {
        let said = number(ax).filter(|_| at > 0).and_then(|step| by_step.get(&step));
        let done = said.and_then(|one| {
            let call = text(one, "last_action");
            let done = browsergym::action(call);
            if done.is_none() && !call.is_empty() {
                gaps.push(format!("step {at}: {call:?} is no action of a trace"));
            }
            let (mut action, element) = done?;
            action.error = Some(text(one, "last_action_error").to_owned()).filter(|error| !error.is_empty());
            Some((action, element))
        });
        let (action, element) = done.unzip();
        steps.push(PlannedStep { tab: 0, action });
        elements.push(element.flatten());
    }
    if told.is_empty() {
        gaps.push("such pairs tell no actions".to_owned());
    }
    let goal = told.iter().map(|one| text(one, "goal")).find(|goal| !goal.is_empty());
    let viewport = Viewport::default();
    let name = path.file_stem().map_or_else(|| "pages".to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(vec![Plan {
        goal: goal.map_or_else(|| name.clone(), str::to_owned),
        origin: Origin {
            format: "cdp pairs".to_owned(),
            source: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            licence: String::new(),
            importer: concat!("browserlens-import ", env!("CARGO_PKG_VERSION")).to_owned(),
            rendered: false,
            gaps,
        },
        name,
        viewport,
        locale: "en-US".to_owned(),
        timezone: "UTC".to_owned(),
        browser: "unknown".to_owned(),
        recorded_at: None,
        secrets: Vec::new(),
        steps,
        events: Vec::new(),
        visits: Vec::new(),
        pages: Box::new(Pairs { path: path.to_owned(), archive: Mutex::new(archive), pairs, elements, viewport }),
    }])
}

/// Reads what was done, where it is told.
fn told(path: &Path, archive: &mut Archive) -> Result<Vec<Value>, ImportError> {
    let Some(bytes) = archive.read("actions.json")? else { return Ok(Vec::new()) };
    serde_json::from_slice(&bytes).map_err(|error| ImportError::malformed(path, "actions.json", error.to_string()))
}

/// Sorts `page-2` before `page-10`.
fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let words = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (word, after) = after.split_at(words);
        parts.push((number.parse().unwrap_or(u64::MAX), word.to_owned()));
        rest = after;
    }
    parts
}

struct Pairs {
    path: PathBuf,
    archive: Mutex<Archive>,
    pairs: Vec<(String, String, String)>,
    /// The element of the action that led to each page.
    elements: Vec<Option<String>>,
    viewport: Viewport,
}

impl Pages for Pairs {
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

impl Pairs {
    fn pair(&self, step: usize, canonicalizer: &mut Canonicalizer) -> Result<(Capture, Marks), ImportError> {
        let Some((ax, snapshot, picture)) = self.pairs.get(step) else {
            return Err(ImportError::malformed(&self.path, format!("step {step}"), "it has no page"));
        };
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read = |name: &str| -> Result<String, ImportError> {
            let bytes = archive.read(name)?.unwrap_or_default();
            String::from_utf8(bytes).map_err(|_| ImportError::malformed(&self.path, name, "it is not UTF-8"))
        };
        let (dom, tree) = (read(snapshot)?, read(ax)?);
        let screenshot = if picture.is_empty() { None } else { archive.read(picture)? };
        drop(archive);
        let viewport = (self.viewport.width, self.viewport.height);
        let next = self.elements.get(step + 1).cloned().flatten();
        let marks = next.map(|bid| ("bid".to_owned(), bid, TARGET.to_owned())).into_iter().collect();
        let pair = Pair { snapshot: &dom, ax: &tree, screenshot, viewport, marks };
        pair.capture(canonicalizer).map_err(|reason| ImportError::malformed(&self.path, snapshot.clone(), reason))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn pages_come_in_the_order_a_person_would_count_them() {
        let mut names = ["page-10-0", "page-2-1", "page-2-0", "page"];
        names.sort_by_cached_key(|name| super::natural(name));
        assert_eq!(names, ["page", "page-2-0", "page-2-1", "page-10-0"]);
    }
}
