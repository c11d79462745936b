//! A folder of raw pairs: `axtrees/*.json` and `dom_snapshots/*.json` of the same names, in the
//! order of their names.
//!
//! In: the folder; `actions.json` beside them, as the exporter of BrowserGym runs writes it, tells
//! what was done. Out: one [`Plan`] whose steps are pages. Invariant: a page without its other half
//! is a gap, and so is an action that is not one of BrowserGym's.

use crate::archive::Archive;
use crate::browsergym;
use crate::cdp::{PairFiles, Pairs};
use crate::error::ImportError;
use crate::json::text;
use crate::limits::Limits;
use crate::plan::{Plan, PlannedStep, TARGET, file_name, origin, stem};
use browserlens_core::page::Viewport;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Reads a folder or a zip file of pairs.
pub(crate) fn read(path: &Path, limits: Limits) -> Result<Vec<Plan>, ImportError> {
    let mut archive = Archive::open(path, limits)?;
    let told = told(path, &mut archive)?;
    let names: BTreeSet<String> = archive.names().map(str::to_owned).collect();
    let mut gaps = Vec::new();
    let mut pages: Vec<PairFiles> = Vec::new();
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
        let screenshot = names.contains(&picture).then_some(picture);
        pages.push(PairFiles { snapshot, ax: ax.clone(), screenshot, marks: Vec::new() });
    }
    pages.sort_by_cached_key(|page| natural(&page.ax));
    if pages.is_empty() {
        let reason = "it has no axtrees/*.json with dom_snapshots/*.json of the same names";
        return Err(ImportError::empty(path, reason));
    }
    gaps.push("such pairs tell no events and no listeners".to_owned());
    let number = |ax: &str| natural(ax).into_iter().rev().map(|(number, _)| number).find(|number| *number != u64::MAX);
    let mut steps = vec![PlannedStep::default()];
    let by_step: HashMap<u64, &Value> =
        told.iter().rev().filter_map(|one| Some((one["step"].as_u64()?, one))).collect();
    for at in 1..pages.len() {
        let said = number(&pages[at].ax).and_then(|step| by_step.get(&step));
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
        // The element lies on the page before.
        pages[at - 1].marks.extend(element.flatten().map(|bid| ("bid".to_owned(), bid, TARGET.to_owned())));
    }
    if told.is_empty() {
        gaps.push("such pairs tell no actions".to_owned());
    }
    let goal = told.iter().map(|one| text(one, "goal")).find(|goal| !goal.is_empty());
    let name = stem(path, "pages");
    let goal = goal.unwrap_or(&name).to_owned();
    let archive = Arc::new(Mutex::new(archive));
    let pairs = Pairs { path: path.to_owned(), archive, pages, viewport: Viewport::default() };
    let origin = origin("cdp pairs", file_name(path), "", gaps);
    Ok(vec![Plan { goal, ..Plan::new(name, origin, steps, Box::new(pairs)) }])
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

#[cfg(test)]
mod tests {
    #[test]
    fn pages_come_in_the_order_a_person_would_count_them() {
        let mut names = ["page-10-0", "page-2-1", "page-2-0", "page"];
        names.sort_by_cached_key(|name| super::natural(name));
        assert_eq!(names, ["page", "page-2-0", "page-2-1", "page-10-0"]);
    }
}
