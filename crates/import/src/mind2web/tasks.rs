//! The data set's JSON: a list of tasks, or one task a line.
//!
//! In: a file, read task by task. Out: a [`Plan`] for each. Invariant: one task is in memory at a
//! time.

use super::page::marked;
use super::{About, Candidate, DataSet, Done, Operation, Told, VIEWPORT, checked, plan};
use crate::error::ImportError;
use crate::limits::Limits;
use crate::plan::{Pages, Plan};
use crate::scene::Scene;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

const SET: DataSet = DataSet {
    format: "mind2web",
    name: "osunlp/Mind2Web",
    licence: "CC-BY-4.0 (the publisher asks not to redistribute it)",
};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Task {
    annotation_id: String,
    website: String,
    domain: String,
    subdomain: String,
    confirmed_task: String,
    actions: Vec<Action>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Action {
    action_uid: String,
    raw_html: String,
    operation: Operation,
    pos_candidates: Vec<Candidate>,
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
    let left = Cell::new(limits.entry_bytes);
    let source = Bounded { from: source.take(limits.total_bytes), left: &left, most: limits.entry_bytes };
    let mut reader = BufReader::new(source);
    let head = reader.fill_buf().map_err(ImportError::io(path, "read the file"))?;
    if head.first() == Some(&0x80) {
        return Err(ImportError::Pickle(path.to_owned()));
    }
    let is_list = head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let mut failed = None;
    let mut count = 0;
    let mut each = |task: Task| -> Result<(), String> {
        count += 1;
        left.set(limits.entry_bytes);
        let place = format!("task {count}");
        let taken = task_plan(path, &place, task, limits).and_then(|plan| plan.map_or(Ok(()), &mut take));
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
        (None, Ok(())) if count == 0 => Err(ImportError::empty(path, "it has no tasks")),
        (None, Ok(())) => Ok(()),
    }
}

/// Reads no more than a task may have, until it is told that the next one begins.
struct Bounded<'c, R> {
    from: R,
    left: &'c Cell<u64>,
    most: u64,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left.get() == 0 {
            return Err(std::io::Error::other(format!("one task has more than {} bytes", self.most)));
        }
        let read = self.from.read(into)?;
        self.left.set(self.left.get().saturating_sub(read as u64));
        Ok(read)
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

fn task_plan(path: &Path, place: &str, task: Task, limits: &Limits) -> Result<Option<Plan>, ImportError> {
    let Task { annotation_id, website, domain, subdomain, confirmed_task, actions } = task;
    if actions.is_empty() {
        return Err(ImportError::malformed(path, place, "it has no actions"));
    }
    let mut told = Vec::with_capacity(actions.len());
    let mut pages = Vec::with_capacity(actions.len());
    for action in actions {
        let done = Done { uid: action.action_uid, operation: action.operation, candidates: action.pos_candidates };
        let page = checked(&action.raw_html, limits).map(|()| {
            let (html, is_marked) = marked(&action.raw_html, &done);
            pages.push(html);
            is_marked
        });
        if page.is_err() {
            pages.push(String::new());
        }
        told.push(Told { done, page });
    }
    let about = About { annotation_id, website, domain, subdomain, confirmed_task };
    Ok(plan(&SET, place, about, &told, Vec::new(), |kept, url| {
        let pages = kept.into_iter().map(|at| std::mem::take(&mut pages[at])).collect();
        Box::new(Saved { path: path.to_owned(), url, pages })
    }))
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
        Ok(Scene::of(&self.url, html.clone(), VIEWPORT))
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

    const TASK: &str = concat!(
        r#"{"annotation_id":"a1","website":"united","domain":"Travel","subdomain":"Airlines",
        "confirmed_task":"Find a flight","action_reprs":["[link] Go -> CLICK"],
        "actions":[{"action_uid":"u1",
        "raw_html":"<html><head><meta HTTP-EQUIV=refresh content=0></head><body>"#,
        r#"<a backend_node_id=\"12\" data_pw_testid_buckeye=\"u1\">Go</a><b backend_node_id=\"13\">x</b></body></html>",
            "cleaned_html":"",
            "operation":{"op":"CLICK","original_op":"CLICK","value":""},"pos_candidates":[{"tag":"a",
            "backend_node_id":"12","is_original_target":true},{"backend_node_id":13}],"neg_candidates":[{}]},
          {"action_uid":"u2","raw_html":"<p data_pw_testid_buckeye=\"u2\">y</p>","operation":{"op":"TYPE",
              "original_op":"TYPE","value":"Rome"},"pos_candidates":[]},
          {"action_uid":"u3","raw_html":"<p>z</p>","operation":{"op":"SELECT","value":"2"}}]}"#
    );

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
}
