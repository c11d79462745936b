//! Playwright's `trace.zip`, versions 3 to 10.
//!
//! In: a zip file, or the folder it was unpacked to. Out: a [`Plan`] for each browser context that
//! has steps. Invariants: older versions pass through one chain of upgrades ([`upgrade`]) and are
//! read once, as the newest; the page after an action is the one on which the next action began,
//! because that is how far it had come when somebody looked at it again; the last action's page is
//! the last that was seen of it.

mod actions;
#[cfg(any(feature = "render", test))]
pub(crate) mod aria;
pub(crate) mod attributes;
mod events;
mod model;
mod pages;
pub(crate) mod tree;
pub(crate) mod upgrade;

use crate::archive::Archive;
use crate::error::ImportError;
use crate::limits::Limits;
use crate::plan::{Plan, PlannedStep, file_name, origin, stem};
use browserlens_core::page::Viewport;
use model::Model;
use pages::{RecordedPages, Shown};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Reads a trace.
pub(crate) fn read(path: &Path, limits: Limits) -> Result<Vec<Plan>, ImportError> {
    plans(path, Archive::open(path, limits)?, limits)
}

/// Makes the plans of an archive that is open.
pub(crate) fn plans(path: &Path, mut archive: Archive, limits: Limits) -> Result<Vec<Plan>, ImportError> {
    let names: Vec<String> = archive
        .names()
        .filter(|name| name.ends_with(".trace") && !name.contains("resources/"))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return Err(ImportError::malformed(path, "the archive", "it holds no .trace file"));
    }
    let read = |name: &String| Ok((name.clone(), Model::read(&mut archive, name, &limits)?));
    let models = names.iter().map(read).collect::<Result<Vec<_>, ImportError>>()?;
    let archive = Arc::new(Mutex::new(archive));
    let mut plans = Vec::new();
    let mut reasons = Vec::new();
    for (name, model) in models {
        match plan(path, &name, model, &archive, &limits) {
            Ok(plan) => plans.push(plan),
            Err(reason) => reasons.push(format!("{name}: {reason}")),
        }
    }
    if plans.is_empty() {
        return Err(ImportError::empty(path, reasons.join("; ")));
    }
    Ok(plans)
}

/// Turns what one context recorded into steps.
fn plan(
    path: &Path,
    entry: &str,
    mut model: Model,
    archive: &Arc<Mutex<Archive>>,
    limits: &Limits,
) -> Result<Plan, String> {
    if model.frames.is_empty() {
        return Err("it was recorded without snapshots of the DOM".to_owned());
    }
    let mut gaps = std::mem::take(&mut model.gaps);
    gaps.push("listeners, focus and closed shadow trees are not in such a recording".to_owned());
    let calls = actions::user_actions(&model, &mut gaps);
    let mut steps: Vec<PlannedStep> = Vec::new();
    let mut shown: Vec<Shown> = Vec::new();
    let mut times: Vec<f64> = Vec::new();
    // The page before the first action, where it was not an empty one.
    let first = calls.iter().position(|call| call.start_page(&model).is_some() || call.end_page(&model).is_some());
    let Some(first) = first else { return Err("no action of it has a snapshot of its page".to_owned()) };
    let first_is_goto = calls[first].is_navigation();
    if !first_is_goto && let Some(page) = calls[first].start_page(&model) {
        steps.push(PlannedStep { tab: page.tab, action: None });
        shown.push(page);
        times.push(f64::MIN);
    }
    for (at, call) in calls.iter().enumerate().skip(first) {
        let next = calls.get(at + 1);
        let own = call.end_page(&model).or_else(|| call.start_page(&model));
        let after = next.and_then(|next| next.start_page(&model));
        let Some(own) = own.or_else(|| after.clone()) else {
            gaps.push(format!("{} has no snapshot of its page: passed over", call.title()));
            continue;
        };
        // Only an action on the same page says how far that page had come.
        let same = match next {
            Some(_) => after.clone().filter(|after| after.page == own.page),
            // Nobody acted again, but somebody may have looked.
            None => Shown::latest(&model, &own.page),
        };
        let action = (!steps.is_empty()).then(|| call.planned(&model));
        if steps.is_empty() && !first_is_goto {
            return Err("its first action has no snapshot of its page".to_owned());
        }
        steps.push(PlannedStep { tab: own.tab, action });
        times.push(call.start);
        shown.push(same.unwrap_or(own.clone()));
        if let Some(elsewhere) = after.filter(|after| after.page != own.page) {
            steps.push(PlannedStep { tab: elsewhere.tab, action: Some(actions::switch_tab(elsewhere.tab)) });
            times.push(next.map_or(call.start, |next| next.start));
            shown.push(elsewhere);
        }
    }
    let events = events::planned(&model, archive, &times);
    let secrets = events::secrets(&model);
    let header = &model.header;
    let stem = stem(path, "trace");
    let context = entry.strip_suffix(".trace").unwrap_or(entry);
    let name = if context == "trace" { stem } else { format!("{stem}-{context}") };
    let origin = origin(format!("playwright-trace {}", model.version), file_name(path), "", gaps);
    Ok(Plan {
        goal: if header.title.is_empty() { name.clone() } else { header.title.clone() },
        viewport: Viewport { scale: header.scale, ..model.viewport() },
        locale: header.locale.clone(),
        timezone: header.timezone.clone(),
        browser: header.browser.clone(),
        recorded_at: header.recorded_at.clone(),
        secrets,
        events,
        ..Plan::new(name, origin, steps, Box::new(RecordedPages::new(path, model, Arc::clone(archive), shown, *limits)))
    })
}
