//! Knowledge: what recordings make known of websites, asked about recordings that it was not made
//! of.
//!
//! In: the traces of a run, the variants beside them (`variants/*.trace`), and what a person calls
//! each screen (`screens.toml`). Out: one [`KnownInfo`] a trace, over it and its variants.
//! Invariants: a pass of its own, outside of the measured runs, cached by website: traces, labels
//! and versions; nothing of what is held back is in the knowledge that is asked; a website is asked
//! about its own pages alone.
//!
//! A variant is called like its scenario and what differs: `shop/laptop-to-cart/other-order`.
//! Without labels nothing is measured.

use crate::cache::Cache;
use crate::error::ReplayError;
use crate::info::{KnownInfo, TranslatedCount};
use crate::run::TraceInfo;
use crate::steps::{PageLoader, TracePlan};
use crate::store::{content_hash, files_in};
use crate::trace_files::VARIANTS;
use browserlens_core::page::{PACKED_FORMAT_VERSION, Page};
use browserlens_knowledge::gaps::recall;
use browserlens_knowledge::score::{Given, HeldBack, Labels, score_by_website};
use browserlens_knowledge::translate::{Context, Profile, as_done, translate};
use browserlens_knowledge::{Knowledge, Recording, extract};
use browserlens_trace::Trace;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Version of what is computed here and of the knowledge it is computed from; part of the key.
const VERSION: u32 = 1;
/// What a person calls each screen, beside the traces.
const LABELS: &str = "screens.toml";

/// The recordings of one website.
struct Website<'p> {
    plans: Vec<&'p TracePlan>,
    variants: Vec<PathBuf>,
}

/// Notes in the description of each trace what came of it.
pub(crate) fn tell(
    infos: &mut [TraceInfo],
    plans: &[TracePlan],
    folder: &Path,
    cache: &Cache,
) -> Result<(), ReplayError> {
    let known = run(plans, folder, cache)?;
    infos.iter_mut().for_each(|info| info.known = known.get(&info.id).copied());
    Ok(())
}

/// Returns what came of each trace, by its id, from the cache where it is there.
fn run(plans: &[TracePlan], folder: &Path, cache: &Cache) -> Result<BTreeMap<String, KnownInfo>, ReplayError> {
    let Some(beside) = plans.first().and_then(|plan| plan.path.parent()) else { return Ok(BTreeMap::new()) };
    let path = beside.join(LABELS);
    if !path.is_file() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(&path).map_err(ReplayError::file(&path, "read the labels"))?;
    let labels: Labels = toml::from_str(&text).map_err(|error| ReplayError::damaged(&path)(error.message()))?;
    let websites = websites(plans, &labels, &beside.join(VARIANTS))?;
    let found: Result<Vec<Vec<(String, KnownInfo)>>, ReplayError> = websites
        .par_iter()
        .with_max_len(1)
        .map(|website| cache.measured("known", &key(website, &labels)?, || measure(website, &labels, folder, &path)))
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// Groups what has labels by website. A trace of a website that none of the run's traces is of is
/// left out.
fn websites<'p>(plans: &'p [TracePlan], labels: &Labels, variants: &Path) -> Result<Vec<Website<'p>>, ReplayError> {
    let mut websites: BTreeMap<&str, Website<'p>> = BTreeMap::new();
    for plan in plans.iter().filter(|plan| labels.contains_key(&plan.meta.scenario)) {
        let site = plan.meta.site.as_deref().unwrap_or_default();
        let website = websites.entry(site).or_insert_with(|| Website { plans: Vec::new(), variants: Vec::new() });
        website.plans.push(plan);
    }
    let paths = if variants.is_dir() { files_in(variants, "trace")? } else { Vec::new() };
    for (site, website) in &mut websites {
        // Traces are called like their scenario, which begins with the site.
        let is_of = |path: &&PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{site}-")))
        };
        website.variants = paths.iter().filter(is_of).cloned().collect();
    }
    Ok(websites.into_values().collect())
}

fn key(website: &Website<'_>, labels: &Labels) -> Result<String, ReplayError> {
    let mut text = format!("known {VERSION} {PACKED_FORMAT_VERSION}");
    for plan in &website.plans {
        text.push_str(&format!(" {} {:?}", plan.hash, labels.get(&plan.meta.scenario)));
    }
    for path in &website.variants {
        let bytes = std::fs::read(path).map_err(ReplayError::file(path, "read the variant"))?;
        text.push_str(&format!(" {}", content_hash(&bytes)));
    }
    let site = website.plans.first().and_then(|plan| plan.meta.site.as_deref()).unwrap_or_default();
    let of_variants = labels.iter().filter(|(name, _)| name.starts_with(&format!("{site}/")));
    text.push_str(&format!(" {:?}", of_variants.collect::<Vec<_>>()));
    Ok(content_hash(text.as_bytes()))
}

fn measure(
    website: &Website<'_>,
    labels: &Labels,
    folder: &Path,
    labels_path: &Path,
) -> Result<Vec<(String, KnownInfo)>, ReplayError> {
    let of_run = website.plans.iter().map(|plan| read(plan, folder));
    let variant = |path: &PathBuf| Recording::read(&Trace::open(path)?).map_err(ReplayError::damaged(path));
    let recordings: Vec<Recording> =
        of_run.chain(website.variants.iter().map(variant)).collect::<Result<_, ReplayError>>()?;
    let scores = score_by_website(&recordings, labels).map_err(ReplayError::damaged(labels_path))?;
    let knowledge = extract("bench", &recordings);
    let has_variants =
        |name: &str| recordings.iter().filter(|other| scenario(&other.scenario) == scenario(name)).count() > 1;
    let recalls = recall(&knowledge, |task| has_variants(&task.name));
    let mut infos = Vec::new();
    for plan in &website.plans {
        let own = plan.meta.scenario.as_str();
        let is_own = |name: &str| scenario(name) == own;
        let mut info = KnownInfo {
            recordings: recordings.iter().filter(|recording| is_own(&recording.scenario)).count() as u32,
            translated: translated(&knowledge, &is_own),
            ..KnownInfo::default()
        };
        for score in scores.iter().filter(|score| score.given == Given::Page) {
            let count = match score.held_back {
                HeldBack::Steps => &mut info.steps,
                HeldBack::Recording => &mut info.whole,
            };
            for row in score.rows.iter().filter(|row| is_own(&row.scenario)) {
                count.pages += 1;
                count.asked += u32::from(row.known);
                count.right += u32::from(row.known && row.is_right());
                count.wrong += u32::from(row.is_wrong());
            }
        }
        recalls.iter().filter(|recall| is_own(&recall.task)).for_each(|recall| info.gaps += recall.all());
        infos.push((plan.id.clone(), info));
    }
    Ok(infos)
}

/// The scenario that a recording is one of several of.
fn scenario(name: &str) -> &str {
    let end = name.match_indices('/').nth(1).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// Reads a trace by its packed pages.
fn read(plan: &TracePlan, folder: &Path) -> Result<Recording, ReplayError> {
    let mut loader = PageLoader::new(plan, folder);
    let site = plan.meta.site.clone().unwrap_or_default();
    let mut recording = Recording::new(site, &plan.hash.to_string(), &plan.meta.scenario, &plan.meta.goal);
    let mut before: Option<Page> = None;
    for row in &plan.rows {
        let step = row.index.0;
        let page = loader.page(step)?;
        recording.push(step, &page, row.action.as_ref().zip(before.as_ref()));
        before = Some(page);
    }
    Ok(recording)
}

/// How many recorded actions can be said in each profile, from the knowledge alone.
fn translated(knowledge: &Knowledge, is_own: &impl Fn(&str) -> bool) -> TranslatedCount {
    let mut count = TranslatedCount::default();
    let context = Context { late: true, ..Context::default() };
    let steps = knowledge.tasks.values().filter(|task| is_own(&task.name)).flat_map(|task| &task.steps);
    for step in steps.filter(|step| step.screen_id.is_some()) {
        let Some(action) = step.action_id.as_ref().and_then(|id| knowledge.actions.get(id)) else { continue };
        let action = as_done(action, &step.action);
        count.actions += 1;
        count.seed += u32::from(translate(&action, Profile::Seed, &context).is_ok());
        count.browser_use += u32::from(translate(&action, Profile::BrowserUse013, &context).is_ok());
    }
    count
}

#[cfg(test)]
mod tests;
