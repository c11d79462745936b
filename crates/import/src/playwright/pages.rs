//! The pages of a trace, reconstructed.
//!
//! In: a [`Model`] and the archive. Out: the [`Scene`] of each step: its documents as HTML, and the
//! resources that were loaded before its moment. Invariant: a URL answers what it had answered last
//! before the snapshot was taken, the same frame's request first.

use super::attributes::Marked;
use super::model::{Model, Snapshot, is_shown};
use super::tree;
use crate::archive::Archive;
use crate::error::ImportError;
use crate::json::{list, text};
use crate::limits::Limits;
use crate::plan::Pages;
use crate::scene::{Answer, FrameContent, Resources, Scene, without_fragment};
use browserlens_core::page::Viewport;
use browserlens_core::sync::locked;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Frames inside frames.
const MOST_NESTED: usize = 16;
/// Documents of one page: a frame can stand in itself, many times at each level.
const MOST_FRAMES: usize = 500;

/// One moment of one page.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) call: String,
    pub(crate) phase: String,
    pub(crate) page: String,
    pub(crate) tab: u32,
    pub(crate) url: String,
    frame: String,
    place: usize,
}

impl Shown {
    /// Returns the moment of a call.
    pub(crate) fn of(model: &Model, call: &str, phase: &str) -> Option<Self> {
        let all = model.by_call.get(&(call.to_owned(), phase.to_owned()))?;
        let snapshot = |(frame, place): &(String, usize)| model.snapshot_at(frame, *place).filter(|found| found.main);
        let (main, found) = all.iter().rev().find_map(|at| Some((at, snapshot(at)?)))?;
        // An empty page is where every tab begins; nobody acts on it.
        if found.url == "about:blank" && phase == "before" {
            return None;
        }
        Some(Self {
            call: call.to_owned(),
            phase: phase.to_owned(),
            page: found.page.clone(),
            tab: model.tab_of(&found.page),
            url: found.url.clone(),
            frame: main.0.clone(),
            place: main.1,
        })
    }

    /// Returns the last moment of a page.
    pub(crate) fn latest(model: &Model, page: &str) -> Option<Self> {
        let of_page = |snapshot: &&Snapshot| snapshot.main && snapshot.page == page;
        let mut all: Vec<&Snapshot> = model.frames.values().flatten().filter(of_page).collect();
        all.sort_by(|a, b| a.timestamp.total_cmp(&b.timestamp));
        all.into_iter().rev().find_map(|snapshot| Self::of(model, &snapshot.call, &snapshot.phase))
    }
}

/// Reconstructs the pages of a trace.
pub(crate) struct RecordedPages {
    path: PathBuf,
    shared: Arc<Shared>,
    shown: Vec<Shown>,
    limits: Limits,
}

struct Shared {
    model: Model,
    archive: Arc<Mutex<Archive>>,
    /// Requests by URL, in order of time.
    by_url: HashMap<String, Vec<usize>>,
}

impl RecordedPages {
    pub(crate) fn new(
        path: &Path,
        model: Model,
        archive: Arc<Mutex<Archive>>,
        shown: Vec<Shown>,
        limits: Limits,
    ) -> Self {
        let mut by_url: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, resource) in model.resources.iter().enumerate() {
            by_url.entry(without_fragment(resource.url()).to_owned()).or_default().push(index);
        }
        Self { path: path.to_owned(), shared: Arc::new(Shared { model, archive, by_url }), shown, limits }
    }
}

impl Shared {
    /// Writes a frame's document, and those of the frames in it.
    fn document(
        &self,
        of: &Making<'_>,
        frame: &str,
        place: usize,
        nested: usize,
        out: &mut Documents,
    ) -> Result<String, String> {
        if nested > MOST_NESTED {
            return Err(format!("frames are nested deeper than {MOST_NESTED}"));
        }
        out.written += 1;
        if out.written > MOST_FRAMES {
            return Err(format!("the page has more than {MOST_FRAMES} frames"));
        }
        let history = self.model.trees.get(frame).and_then(|trees| trees.get(..=place)).unwrap_or(&[]);
        let Some(snapshot) = self.model.snapshot_at(frame, place) else {
            return Err("a frame has no snapshot".to_owned());
        };
        // Frames are written after this document: each has to be told what the gaps and names
        // before it are.
        let mut wanted: Vec<(String, usize)> = Vec::new();
        let has_url = is_served(&snapshot.url) || nested == 0;
        let (targets, base) = (of.targets.as_slice(), has_url.then_some(snapshot.url.as_str()));
        let mut failed = None;
        let page = {
            let mut marked = Marked {
                targets,
                base,
                frame: Box::new(|id| {
                    let at = self.frame_at(of.shown, id)?;
                    let child = self.model.snapshot_at(id, at)?;
                    if is_served(&child.url) && !out.html.contains_key(without_fragment(&child.url)) {
                        // Its place is taken, so that the next frame of this URL is written in
                        // place.
                        out.html.insert(without_fragment(&child.url).to_owned(), String::new());
                        wanted.push((id.to_owned(), at));
                        return Some(FrameContent::Url(child.url.clone()));
                    }
                    match self.document(of, id, at, nested + 1, out) {
                        Ok(html) => Some(FrameContent::Inline(html)),
                        Err(reason) => {
                            failed = Some(reason);
                            None
                        }
                    }
                }),
            };
            tree::write(history, snapshot.doctype.as_deref(), &of.limits, &mut marked)?
        };
        // A document that stands in an attribute is written once more, longer, by each one around
        // it.
        let most = if nested == 0 { of.limits.page_bytes } else { of.limits.page_bytes / 8 };
        if page.html.len() > most {
            return Err(format!("a document has more than {most} bytes"));
        }
        out.gaps.extend(failed);
        out.gaps.extend(page.gaps);
        out.defined.extend(page.defined);
        for (id, at) in wanted {
            let url = self.model.snapshot_at(&id, at).map(|child| child.url.clone()).unwrap_or_default();
            match self.document(of, &id, at, nested + 1, out) {
                Ok(html) => drop(out.html.insert(without_fragment(&url).to_owned(), html)),
                Err(reason) => out.gaps.push(reason),
            }
        }
        Ok(page.html)
    }

    /// Returns the place of a frame's snapshot of a moment.
    fn frame_at(&self, shown: &Shown, frame: &str) -> Option<usize> {
        let all = self.model.by_call.get(&(shown.call.clone(), shown.phase.clone()))?;
        all.iter().rev().find(|(of, _)| of == frame).map(|(_, place)| *place)
    }

    /// Returns what a URL answered before a snapshot.
    fn answer(&self, frame: &str, place: usize, url: &str) -> Option<Answer> {
        let snapshot = self.model.snapshot_at(frame, place)?;
        let known = self.by_url.get(url)?;
        let before = known.iter().rev().filter_map(|index| self.model.resources.get(*index)).filter(|resource| {
            let status = resource.entry["response"]["status"].as_i64().unwrap_or(0);
            resource.time < snapshot.timestamp
                && (200..600).contains(&status)
                && status != 304
                && resource.entry["request"]["method"].as_str().is_none_or(|method| method == "GET")
        });
        let found = before.clone().find(|resource| resource.frame == frame).or_else(|| before.clone().next())?;
        let response = &found.entry["response"];
        let content = &response["content"];
        let file = self.changed(frame, place, url).or_else(|| content["_file"].as_str().map(str::to_owned));
        let body = match file {
            Some(file) => self.read(&file)?,
            None => crate::request::body_text(content).unwrap_or_default().into_bytes(),
        };
        let header = |name: &str| {
            let mut named =
                list(response, "headers").iter().filter(|header| text(header, "name").eq_ignore_ascii_case(name));
            named.find_map(|header| header["value"].as_str())
        };
        let mime = header("content-type").or(content["mimeType"].as_str()).unwrap_or("application/octet-stream");
        Some(Answer {
            status: response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200),
            mime: mime.to_owned(),
            location: header("location").map(str::to_owned),
            body,
        })
    }

    /// Returns the file of a style sheet that scripts had changed.
    fn changed(&self, frame: &str, place: usize, url: &str) -> Option<String> {
        let of = |place: usize| {
            let overrides = &self.model.snapshot_at(frame, place)?.overrides;
            overrides.iter().find(|(known, _)| known == url).map(|(_, content)| content)
        };
        match of(place)? {
            Ok(file) => Some(file.clone()),
            Err(ago) => of(place.checked_sub(*ago)?)?.as_ref().ok().cloned(),
        }
    }

    fn read(&self, file: &str) -> Option<Vec<u8>> {
        locked(&self.archive).read(file).ok().flatten()
    }
}

/// What a page is made with.
struct Making<'a> {
    shown: &'a Shown,
    targets: Vec<&'a str>,
    limits: Limits,
}

/// What is made.
#[derive(Default)]
struct Documents {
    html: HashMap<String, String>,
    defined: Vec<String>,
    gaps: Vec<String>,
    written: usize,
}

/// The resources of one page.
struct AtMoment {
    shared: Arc<Shared>,
    frame: String,
    place: usize,
}

impl Resources for AtMoment {
    fn answer(&self, url: &str) -> Option<Answer> {
        self.shared.answer(&self.frame, self.place, url)
    }
}

impl Pages for RecordedPages {
    fn scene(&self, step: usize) -> Result<Scene, ImportError> {
        let Some(shown) = self.shown.get(step) else {
            return Err(ImportError::malformed(&self.path, format!("step {step}"), "it has no page"));
        };
        let names =
            [format!("action@{}", shown.call), format!("input@{}", shown.call), format!("before@{}", shown.call)];
        // The newest recorders mark without a name; older ones by call or by name of the snapshot.
        let mut targets = vec![shown.call.as_str()];
        targets.extend(names.iter().map(String::as_str));
        if shown.phase != "after" {
            targets.push("");
        }
        let making = Making { shown, targets, limits: self.limits };
        let mut documents = Documents::default();
        // Its place is taken: a frame of the same URL is written in place.
        documents.html.insert(without_fragment(&shown.url).to_owned(), String::new());
        let html = self.shared.document(&making, &shown.frame, shown.place, 0, &mut documents).map_err(|reason| {
            ImportError::malformed(&self.path, format!("the snapshot {} of {}", shown.phase, shown.call), reason)
        })?;
        let snapshot = self.shared.model.snapshot_at(&shown.frame, shown.place);
        let (width, height) = snapshot.map_or((0, 0), |snapshot| snapshot.viewport);
        let scale = self.shared.model.header.scale;
        let viewport = if is_shown(width, height, scale) {
            Viewport { width, height, scale }
        } else {
            if (width, height) != (0, 0) {
                documents.gaps.push(format!("a viewport of {width} x {height} is not shown: the recording's own is"));
            }
            Viewport { scale, ..self.shared.model.viewport() }
        };
        let url = if is_served(&shown.url) { shown.url.clone() } else { "https://page.invalid/".to_owned() };
        if url != shown.url {
            documents.gaps.push(format!("a page of {:?} is shown under {url}", scheme(&shown.url)));
        }
        documents.html.insert(without_fragment(&url).to_owned(), html);
        let at = (shown.call.clone(), shown.phase.clone());
        let screenshot = self.shared.model.pictures.get(&at).and_then(|file| self.shared.read(file));
        let aria = self.shared.model.aria.get(&at).and_then(|file| self.shared.read(file));
        let resources = AtMoment { shared: Arc::clone(&self.shared), frame: shown.frame.clone(), place: shown.place };
        Ok(Scene {
            url,
            documents: documents.html,
            resources: Arc::new(resources),
            defined: documents.defined,
            viewport,
            screenshot,
            aria,
            gaps: documents.gaps,
        })
    }
}

/// Returns whether a document can be shown under its own URL.
fn is_served(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn scheme(url: &str) -> &str {
    url.split(':').next().unwrap_or("")
}
