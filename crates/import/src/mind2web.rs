//! Mind2Web: saved pages of tasks, with what a person did on each.
//!
//! In: the data set's JSON (a list of tasks, or one task a line), read task by task. Out: a [`Plan`] for each. Invariants: one task is in memory at a
//! time; the nodes that are acceptable are those of `pos_candidates` and the one that the data set marked for the action, found by the
//! attributes that it added, which are taken off the page; the URL of a page is not in the data set.

use crate::error::ImportError;
use crate::limits::Limits;
use crate::plan::{ALSO, Marks, Pages, Plan, PlannedAction, PlannedStep, TARGET};
use crate::scene::{Answer, Resources, Scene};
use browserlens_page::{Capture, Viewport};
use browserlens_strategy::ActionKind;
use browserlens_trace::{Canonicalizer, Origin};
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Licence of the data set, as its publisher states it.
const LICENCE: &str = "CC-BY-4.0 (the publisher asks not to redistribute it)";

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Task {
    annotation_id: String,
    website: String,
    domain: String,
    subdomain: String,
    confirmed_task: String,
    action_reprs: Vec<String>,
    actions: Vec<Action>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Action {
    action_uid: String,
    raw_html: String,
    operation: Operation,
    pos_candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Operation {
    op: String,
    original_op: String,
    value: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
struct Candidate {
    backend_node_id: Text,
    is_original_target: bool,
}

/// A text that some releases wrote as a number.
#[derive(Clone, Debug, Default, Serialize)]
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

/// Reads a file task by task.
pub(crate) fn read(
    path: &Path,
    limits: &Limits,
    take: impl FnMut(Plan) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let file = File::open(path).map_err(ImportError::io(path, "open the file"))?;
    read_from(path, file, limits, take)
}

pub(crate) fn read_from(
    path: &Path,
    source: impl Read,
    limits: &Limits,
    mut take: impl FnMut(Plan) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut reader = BufReader::new(source.take(limits.total_bytes));
    let head = reader.fill_buf().map_err(ImportError::io(path, "read the file"))?;
    if head.first() == Some(&0x80) {
        return Err(ImportError::Pickle { path: path.to_owned() });
    }
    if head.starts_with(b"PAR1") {
        return Err(ImportError::malformed(
            path,
            "the file",
            "it is Parquet, which this build does not read: export it as JSON lines",
        ));
    }
    let is_list = head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let mut failed = None;
    let mut count = 0;
    let mut each = |task: Task| -> Result<(), String> {
        count += 1;
        let place = format!("task {count}");
        let taken = plan(path, &place, task, limits).and_then(|plan| plan.map_or(Ok(()), &mut take));
        taken.map_err(|error| {
            failed = Some(error);
            String::new()
        })
    };
    let read = if is_list {
        let mut json = serde_json::Deserializer::from_reader(reader);
        Tasks(&mut each).deserialize(&mut json).and_then(|()| json.end())
    } else {
        serde_json::Deserializer::from_reader(reader)
            .into_iter::<Task>()
            .try_for_each(|task| each(task?).map_err(serde_json::Error::custom))
    };
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => {
            Err(ImportError::malformed(path, format!("task {}, line {}", count + 1, error.line()), error.to_string()))
        }
        (None, Ok(())) if count == 0 => {
            Err(ImportError::Empty { path: path.to_owned(), reason: "it has no tasks".to_owned() })
        }
        (None, Ok(())) => Ok(()),
    }
}

/// Hands on the tasks of a list one by one.
struct Tasks<'f, F>(&'f mut F);

impl<'de, F: FnMut(Task) -> Result<(), String>> DeserializeSeed<'de> for Tasks<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Task) -> Result<(), String>> Visitor<'de> for Tasks<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tasks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(task) = seq.next_element::<Task>()? {
            (self.0)(task).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

fn plan(path: &Path, place: &str, task: Task, limits: &Limits) -> Result<Option<Plan>, ImportError> {
    let mut gaps = vec![
        "URLs, events and resources of the pages are not in the data set".to_owned(),
        "after the last action no page was recorded: its own is shown again".to_owned(),
    ];
    if task.actions.is_empty() {
        return Err(ImportError::malformed(path, place, "it has no actions"));
    }
    if let Some(large) = task.actions.iter().find(|action| action.raw_html.len() > limits.page_bytes) {
        let place = format!("{place}, action {}", large.action_uid);
        return Err(ImportError::too_large(path, place, "its page", limits.page_bytes as u64));
    }
    let mut steps = vec![PlannedStep::default()];
    let mut pages = Vec::new();
    for (at, action) in task.actions.into_iter().enumerate() {
        if action.raw_html.trim().is_empty() {
            gaps.push(format!("action {} has no page: passed over", at + 1));
            continue;
        }
        let Some(done) = done(&action.operation) else {
            gaps.push(format!("action {}: {:?} is no operation: passed over", at + 1, action.operation.op));
            continue;
        };
        let (html, marked) = marked(&action);
        match (action.pos_candidates.is_empty(), marked) {
            (_, false) => gaps.push(format!("action {}: no acceptable node is on its page", at + 1)),
            (true, true) => {
                gaps.push(format!("action {}: no candidates are named; its node is the one that was marked", at + 1))
            }
            (false, true) => {}
        }
        steps.push(PlannedStep { tab: 0, action: Some(done) });
        pages.push(html);
    }
    if pages.is_empty() {
        return Ok(None);
    }
    let host: String = task.website.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = if task.annotation_id.is_empty() {
        format!("mind2web-{}", place.replace(' ', "-"))
    } else {
        format!("mind2web-{}", task.annotation_id)
    };
    Ok(Some(Plan {
        goal: if task.confirmed_task.is_empty() { name.clone() } else { task.confirmed_task },
        origin: Origin {
            format: "mind2web".to_owned(),
            source: format!(
                "osunlp/Mind2Web, {}, {}, {}, {}",
                task.domain, task.subdomain, task.website, task.annotation_id
            ),
            licence: LICENCE.to_owned(),
            importer: concat!("browserlens-import ", env!("CARGO_PKG_VERSION")).to_owned(),
            rendered: true,
            gaps,
        },
        name,
        viewport: Viewport { width: 1280, height: 720, scale: 1.0 },
        locale: "en-US".to_owned(),
        timezone: "UTC".to_owned(),
        browser: "Chromium (Mind2Web)".to_owned(),
        recorded_at: None,
        secrets: Vec::new(),
        steps,
        events: Vec::new(),
        visits: Vec::new(),
        pages: Box::new(Saved { path: path.to_owned(), url: format!("https://{host}.mind2web.invalid/"), pages }),
    }))
}

fn done(operation: &Operation) -> Option<PlannedAction> {
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

/// Marks the acceptable nodes of a page, and takes away what would lead to another one.
fn marked(action: &Action) -> (String, bool) {
    let mut html = neutral(&action.raw_html);
    let mut found = false;
    let mut mark = |attribute: String, mark: &str| {
        if html.contains(&attribute) {
            found = true;
            html = html.replace(&attribute, &format!("{attribute} browserlens-mark=\"{mark}\""));
        }
    };
    if !action.action_uid.is_empty() && !action.action_uid.contains('"') {
        mark(format!("data_pw_testid_buckeye=\"{}\"", action.action_uid), TARGET);
    }
    for candidate in &action.pos_candidates {
        let id = &candidate.backend_node_id.0;
        if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            mark(format!("backend_node_id=\"{id}\""), if candidate.is_original_target { TARGET } else { ALSO });
        }
    }
    (html, found)
}

/// A page that cannot lead elsewhere by itself, and brings no marks of its own.
fn neutral(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    let lower = html.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = ["http-equiv", crate::html::OURS].iter().filter_map(|word| lower[from..].find(word)).min() {
        out.push_str(&rest[..at]);
        out.push_str("x-");
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
        from += at + 1;
    }
    out.push_str(rest);
    out
}

struct NoResources;

impl Resources for NoResources {
    fn answer(&self, _url: &str) -> Option<Answer> {
        None
    }
}

struct Saved {
    path: PathBuf,
    url: String,
    pages: Vec<String>,
}

impl Pages for Saved {
    fn scene(&self, step: usize) -> Result<Scene, ImportError> {
        let Some(html) = self.pages.get(step.min(self.pages.len().saturating_sub(1))) else {
            return Err(ImportError::malformed(&self.path, format!("step {step}"), "it has no page"));
        };
        Ok(Scene {
            url: self.url.clone(),
            documents: HashMap::from([(self.url.clone(), html.clone())]),
            resources: Arc::new(NoResources),
            defined: Vec::new(),
            viewport: Viewport { width: 1280, height: 720, scale: 1.0 },
            screenshot: None,
            aria: None,
            gaps: Vec::new(),
        })
    }

    fn capture(&self, step: usize, _: &mut Canonicalizer) -> Result<(Capture, Marks), ImportError> {
        let reason = "saved HTML has neither layout nor accessibility tree: it has to be rendered";
        Err(ImportError::malformed(&self.path, format!("step {step}"), reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn plans(bytes: &[u8]) -> Result<Vec<Plan>, ImportError> {
        let mut file = tempfile::NamedTempFile::new().expect("file");
        file.write_all(bytes).expect("writes");
        let mut found = Vec::new();
        read(file.path(), &Limits::default(), |plan| {
            found.push(plan);
            Ok(())
        })?;
        Ok(found)
    }

    const TASK: &str = r#"{"annotation_id":"a1","website":"united","domain":"Travel","subdomain":"Airlines","confirmed_task":"Find a flight","action_reprs":["[link] Go -> CLICK"],
        "actions":[{"action_uid":"u1","raw_html":"<html><head><meta HTTP-EQUIV=refresh content=0></head><body><a backend_node_id=\"12\" data_pw_testid_buckeye=\"u1\">Go</a><b backend_node_id=\"13\">x</b></body></html>","cleaned_html":"",
            "operation":{"op":"CLICK","original_op":"CLICK","value":""},"pos_candidates":[{"tag":"a","backend_node_id":"12","is_original_target":true},{"backend_node_id":13}],"neg_candidates":[{}]},
          {"action_uid":"u2","raw_html":"<p data_pw_testid_buckeye=\"u2\">y</p>","operation":{"op":"TYPE","original_op":"TYPE","value":"Rome"},"pos_candidates":[]},
          {"action_uid":"u3","raw_html":"<p>z</p>","operation":{"op":"SELECT","value":"2"}}]}"#;

    #[test]
    fn a_task_is_pages_with_what_was_done_on_them() {
        for text in [format!("[{TASK},{TASK}]"), format!("{TASK}\n{TASK}\n")] {
            let found = plans(text.as_bytes()).expect("reads");
            assert_eq!((found.len(), found[0].steps.len(), found[0].goal.as_str()), (2, 4, "Find a flight"));
            let kinds: Vec<_> =
                found[0].steps.iter().filter_map(|step| Some(step.action.as_ref()?.kind.name())).collect();
            assert_eq!(kinds, ["click", "fill", "select"]);
            let html =
                |step| found[0].pages.scene(step).map(|scene| scene.documents[&scene.url].clone()).expect("a page");
            assert!(
                html(0).contains("data_pw_testid_buckeye=\"u1\" browserlens-mark=\"target\"")
                    && html(0).contains("\"13\" browserlens-mark=\"also\""),
                "{}",
                html(0)
            );
            assert!(html(0).contains("x-HTTP-EQUIV") && html(3) == html(2), "{}", html(0));
            let gaps = found[0].origin.gaps.join("\n");
            assert!(
                gaps.contains("action 2: no candidates are named") && gaps.contains("action 3: no acceptable node"),
                "{gaps}"
            );
        }
    }

    #[test]
    fn damaged_files_say_where_they_are() {
        let cases: [(&[u8], &str); 7] = [
            (b"", "no tasks"),
            (b"[]", "no tasks"),
            (b"[{\"actions\":[]}]", "task 1: it has no actions"),
            (b"[{\"actions\":3}]", "task 1, line 1"),
            (b"[{\"annotation_id\":\"\xff\"}]", "task 1"),
            (b"\x80\x04x", "pickle"),
            (b"PAR1", "Parquet"),
        ];
        for (bytes, said) in cases {
            let error = plans(bytes).err().expect("an error");
            assert!(error.to_string().contains(said), "{error}");
        }
        let cut = &TASK.as_bytes()[..TASK.len() / 2];
        assert!(plans(cut).err().expect("an error").to_string().contains("task 1"));
    }

    #[test]
    fn a_page_cannot_bring_marks_along() {
        assert_eq!(neutral("<a BrowserLens-mark=target Ähttp-equiv>"), "<a x-BrowserLens-mark=target Äx-http-equiv>");
    }
}
