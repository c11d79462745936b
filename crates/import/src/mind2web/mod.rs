//! Mind2Web and Multimodal-Mind2Web: saved pages of tasks, with what a person did on each.
//!
//! In: the data sets' files: JSON ([`tasks`]) or Parquet ([`rows`]). Out: a [`Plan`] for each task.
//! Invariants: the nodes that are acceptable are those of `pos_candidates` and the one that the
//! data set marked for the action, found by the attributes that it added, which are taken off the
//! page; an action whose page cannot be had is passed over and said; the URL of a page is not in
//! the data sets.

mod page;
mod rows;
mod tasks;

use crate::error::ImportError;
use crate::limits::Limits;
use crate::plan::{Pages, Plan, PlannedAction, PlannedStep, origin};
use browserlens_core::page::Viewport;
use browserlens_core::strategy::ActionKind;
use serde::{Deserialize, Deserializer};
use std::path::Path;

pub(crate) use rows::read as read_rows;
pub(crate) use rows::{files as tables, read_from as read_rows_from};
pub(crate) use tasks::read as read_tasks;
pub(crate) use tasks::read_from as read_tasks_from;

/// Viewport of the recordings.
const VIEWPORT: Viewport = Viewport { width: 1280, height: 720, scale: 1.0 };
/// Most candidates of one action that are looked for.
const MOST_CANDIDATES: usize = 1_000;

/// One of the two data sets.
struct DataSet {
    format: &'static str,
    name: &'static str,
    /// As its publisher states it.
    licence: &'static str,
}

/// What is said of a task as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct About {
    annotation_id: String,
    website: String,
    domain: String,
    subdomain: String,
    confirmed_task: String,
}

/// What was done on one page.
#[derive(Clone, Debug, Default)]
struct Done {
    uid: String,
    operation: Operation,
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Operation {
    op: String,
    original_op: String,
    value: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Candidate {
    backend_node_id: Text,
    is_original_target: bool,
}

/// A text that some releases wrote as a number.
#[derive(Clone, Debug, Default)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Self(text),
            serde_json::Value::Number(number) => Self(number.to_string()),
            _ => Self::default(),
        })
    }
}

/// One action of a task, and its page as far as it was looked at.
struct Told {
    done: Done,
    /// Whether an acceptable node is on the page; or why there is no page.
    page: Result<bool, String>,
}

/// Makes a plan; none if no action of the task has a page. `pages` is given the places of the
/// actions that are steps.
fn plan(
    set: &DataSet,
    place: &str,
    about: About,
    told: &[Told],
    mut gaps: Vec<String>,
    pages: impl FnOnce(Vec<usize>, String) -> Box<dyn Pages>,
) -> Option<Plan> {
    gaps.push("URLs, events and resources of the pages are not in the data set".to_owned());
    gaps.push("after the last action no page was recorded: its own is shown again".to_owned());
    let mut steps = vec![PlannedStep::default()];
    let mut kept = Vec::new();
    for (at, Told { done, page }) in told.iter().enumerate() {
        let number = at + 1;
        let is_marked = match page {
            Ok(is_marked) => *is_marked,
            Err(reason) => {
                gaps.push(format!("action {number} has no page: passed over: {reason}"));
                continue;
            }
        };
        let Some(action) = action(&done.operation) else {
            gaps.push(format!("action {number}: {:?} is no operation: passed over", done.operation.op));
            continue;
        };
        match (done.candidates.is_empty(), is_marked) {
            (_, false) => gaps.push(format!("action {number}: no acceptable node is on its page")),
            (true, true) => {
                gaps.push(format!("action {number}: no candidates are named; its node is the one that was marked"));
            }
            (false, true) => {}
        }
        if done.candidates.len() > MOST_CANDIDATES {
            gaps.push(format!("action {number}: only the first {MOST_CANDIDATES} candidates are looked for"));
        }
        steps.push(PlannedStep { tab: 0, action: Some(action) });
        kept.push(at);
    }
    if kept.is_empty() {
        return None;
    }
    let host: String = about.website.chars().filter(char::is_ascii_alphanumeric).take(63).collect();
    let host = if host.is_empty() { "site".to_owned() } else { host };
    let id = if about.annotation_id.is_empty() { place.replace(' ', "-") } else { about.annotation_id.clone() };
    let name = format!("mind2web-{id}");
    let source = [set.name, &about.domain, &about.subdomain, &about.website, &about.annotation_id];
    Some(Plan {
        goal: if about.confirmed_task.is_empty() { name.clone() } else { about.confirmed_task.clone() },
        viewport: VIEWPORT,
        browser: "Chromium (Mind2Web)".to_owned(),
        ..Plan::new(
            name,
            origin(set.format, source.join(", "), set.licence, gaps),
            steps,
            pages(kept, format!("https://{host}.mind2web.invalid/")),
        )
    })
}

fn action(operation: &Operation) -> Option<PlannedAction> {
    let (kind, text) = match (operation.op.as_str(), operation.original_op.as_str()) {
        (_, "HOVER") => (ActionKind::Hover, String::new()),
        (_, "ENTER") => (ActionKind::Press, "Enter".to_owned()),
        ("CLICK", _) => (ActionKind::Click, String::new()),
        ("TYPE", _) => (ActionKind::Fill, operation.value.clone()),
        ("SELECT", _) => (ActionKind::Select, operation.value.clone()),
        _ => return None,
    };
    Some(PlannedAction::new(kind, text))
}

/// Checks the HTML of an action before anything is made of it.
fn checked(html: &str, limits: &Limits) -> Result<(), String> {
    if html.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if html.len() > limits.page_bytes {
        return Err(format!("it has {} bytes, and {} is the limit", html.len(), limits.page_bytes));
    }
    Ok(())
}

/// Returns whether a file is Parquet, by its first bytes.
pub(crate) fn is_table(path: &Path) -> Result<bool, ImportError> {
    use std::io::Read;
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map_err(ImportError::io(path, "open the file"))?;
    file.take(4).read_to_end(&mut head).map_err(ImportError::io(path, "read the file"))?;
    Ok(head == crate::columns::MAGIC)
}
