//! What can be had of a page without a browser: its DOM, and nothing that layout or accessibility
//! would tell.
//!
//! In: a [`Scene`]. Out: a capture with the frame tree and a DOM snapshot without boxes, and the
//! marked nodes. Invariants: there is no accessibility tree and no layout in it, so that strategies
//! which read those fail instead of showing an empty page; a document stands in one place; parsing
//! stops at [`Limits::nodes`].

use crate::cdp::{MOST_DOCUMENTS, frame_tree_of};
use crate::dom::{Markup, parse};
use crate::error::ImportError;
use crate::html::OURS;
use crate::limits::Limits;
use crate::plan::Marks;
use crate::scene::{FrameContent, Scene, without_fragment};
use browserlens_core::page::raw::{Document, RareFlag, Snapshot, Styles, TextBoxes};
use browserlens_core::page::{Capture, Payload, PayloadKind, Viewport};
use browserlens_trace::Canonicalizer;
use markup5ever_rcdom::{Handle, NodeData};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Attributes that a data set wrote onto its pages: they tell which nodes count.
const NOTES: [&str; 4] =
    ["data_pw_testid_buckeye", "data_pw_testid_buckeye_candidate", "backend_node_id", "bounding_box_rect"];

/// What traces say of pages that were not rendered.
pub(crate) const GAP: &str =
    "pages were not rendered: they have the DOM only, and strategies that read layout or accessibility fail on them";

/// Makes the capture of a step.
pub(crate) fn capture(
    path: &Path,
    step: usize,
    scene: &Scene,
    limits: &Limits,
    canonicalizer: &mut Canonicalizer,
) -> Result<(Capture, Marks), ImportError> {
    let place = || format!("step {step}");
    let mut derived = Derived::of(scene, limits).map_err(|reason| ImportError::malformed(path, place(), reason))?;
    let said = |error: browserlens_trace::CanonicalError| ImportError::malformed(path, place(), error.to_string());
    let frames = canonicalizer.frames(&derived.frame_tree(step), None).map_err(said)?;
    let number = canonicalizer.frame_number(&frame_id(0));
    let marks = std::mem::take(&mut derived.marks);
    let dom = derived.json().map_err(|error| ImportError::malformed(path, place(), error.to_string()))?;
    let dom = canonicalizer.snapshot(&dom).map_err(said)?;
    let payload = |kind, body: String| Payload { kind, frame: number, node: 0, body: body.into_bytes().into() };
    let marks = marks.into_iter().filter_map(|(mark, document, backend)| {
        let frame = canonicalizer.known_frame(&frame_id(document))?;
        Some((mark, canonicalizer.key(frame, backend)?))
    });
    let marks = marks.collect();
    Ok((Capture { payloads: vec![payload(PayloadKind::Frames, frames), payload(PayloadKind::Snapshot, dom)] }, marks))
}

/// Derives a page of one document, for fuzzing.
pub(crate) fn try_one(html: &str, limits: &Limits) {
    let scene = Scene::of("http://page.test/", html.to_owned(), Viewport::default());
    if let Ok((capture, _)) = capture(Path::new("page.html"), 0, &scene, limits, &mut Canonicalizer::new()) {
        drop(browserlens_core::page::Page::parse(&capture));
    }
}

fn frame_id(document: usize) -> String {
    format!("BROWSERLENS0DERIVED{document}")
}

/// A snapshot as it is made; what is 0 or empty is not known without a browser.
#[derive(Default)]
struct Derived {
    snapshot: Snapshot<Styles, TextBoxes>,
    known: HashMap<String, i64>,
    /// URL of each document, and the document that holds it.
    frames: Vec<(String, usize)>,
    /// Mark, document and node.
    marks: Vec<(String, usize, i64)>,
    nodes: i64,
}

/// A document that is still to be read: its URL, its HTML, and the document and node that hold it.
struct Wanted {
    url: String,
    html: String,
    holder: Option<(usize, i64)>,
}

/// A node that is still to be read.
struct Todo {
    node: Handle,
    parent: i64,
    in_shadow: bool,
}

impl Derived {
    fn of(scene: &Scene, limits: &Limits) -> Result<Self, String> {
        let html = scene.documents.get(without_fragment(&scene.url)).cloned().unwrap_or_default();
        let mut derived = Self::default();
        derived.string("");
        let mut entered = HashSet::from([without_fragment(&scene.url).to_owned()]);
        let mut open = vec![Wanted { url: scene.url.clone(), html, holder: None }];
        while let Some(wanted) = open.pop() {
            if derived.frames.len() >= MOST_DOCUMENTS {
                break;
            }
            let index = derived.frames.len();
            if let Some((holder, node)) = wanted.holder {
                derived.snapshot.documents[holder].nodes.content_document_index.set(node, index as i64);
            }
            let left = limits.nodes.saturating_sub(usize::try_from(derived.nodes).unwrap_or(usize::MAX));
            let markup = parse(&wanted.html, left)?;
            let inner = derived.document(&wanted, &markup, limits)?;
            for (node, frame) in inner {
                let (url, html) = match frame {
                    FrameContent::Url(url) => {
                        let key = without_fragment(&url).to_owned();
                        let Some(html) = scene.documents.get(&key).filter(|_| entered.insert(key)) else { continue };
                        (url, html.clone())
                    }
                    FrameContent::Inline(html) => ("about:srcdoc".to_owned(), html),
                };
                open.push(Wanted { url, html, holder: Some((index, node)) });
            }
        }
        Ok(derived)
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let index = self.snapshot.strings.len() as i64;
        self.snapshot.strings.push(text.into());
        self.known.insert(text.to_owned(), index);
        index
    }

    /// Adds a document; returns the frames in it.
    fn document(
        &mut self,
        wanted: &Wanted,
        markup: &Markup,
        limits: &Limits,
    ) -> Result<Vec<(i64, FrameContent)>, String> {
        let number = self.frames.len();
        self.frames.push((wanted.url.clone(), wanted.holder.map_or(0, |(holder, _)| holder)));
        let mut document = Document { document_url: self.string(&wanted.url), ..Document::default() };
        (document.nodes.input_checked, document.nodes.option_selected) =
            (Some(RareFlag::default()), Some(RareFlag::default()));
        let mut frames = Vec::new();
        let mut open = vec![Todo { node: markup.document(), parent: -1, in_shadow: false }];
        while let Some(Todo { node, parent, in_shadow }) = open.pop() {
            if self.nodes as usize >= limits.nodes {
                return Err(format!("the page has more than {} nodes", limits.nodes));
            }
            let index = document.nodes.parent_index.len() as i64;
            let mut element = None;
            let (kind, name, value) = match &node.data {
                NodeData::Document => (9, self.string("#document"), -1),
                NodeData::Text { contents } => (3, self.string("#text"), self.string(&contents.borrow())),
                NodeData::Element { name, attrs, template_contents, .. } => {
                    let local = name.local.to_string();
                    if local == "script" {
                        continue;
                    }
                    let attributes: Vec<(String, String)> =
                        attrs.borrow().iter().map(|one| (one.name.local.to_string(), one.value.to_string())).collect();
                    let get = |wanted: &str| {
                        attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
                    };
                    if local == "template" && get("shadowrootmode").is_some() {
                        // What a shadow tree holds stands in its host.
                        let inner = template_contents.borrow().as_ref().map(|inner| inner.children.borrow().clone());
                        let inner = inner.unwrap_or_default();
                        open.extend(inner.into_iter().rev().map(|node| Todo { node, parent, in_shadow: true }));
                        continue;
                    }
                    if get("browserlens-sheet").is_some() {
                        continue;
                    }
                    let tag = if name.ns.contains("xhtml") { local.to_ascii_uppercase() } else { local };
                    let name = self.string(&tag);
                    element = Some((tag, attributes));
                    (1, name, -1)
                }
                _ => continue,
            };
            self.nodes += 1;
            document.nodes.parent_index.push(parent);
            document.nodes.node_type.push(kind);
            document.nodes.node_name.push(name);
            document.nodes.node_value.push(value);
            document.nodes.backend_node_id.push(self.nodes);
            document.nodes.attributes.push(Vec::new());
            if in_shadow {
                document.nodes.shadow_root_type.set(index, 0);
            }
            if let Some((tag, attributes)) = element {
                frames.extend(self.element(&mut document, number, index, &tag, attributes));
                if tag == "TITLE" && document.title == 0 {
                    let words: String = node.children.borrow().iter().filter_map(text_of).collect();
                    document.title = self.string(words.trim());
                }
            }
            let children = node.children.borrow();
            open.extend(children.iter().rev().map(|node| Todo { node: node.clone(), parent: index, in_shadow }));
        }
        // The kind of shadow root that its nodes name.
        let kind = self.string("open");
        document.nodes.shadow_root_type.value.fill(kind);
        self.snapshot.documents.push(document);
        Ok(frames)
    }

    /// Adds the attributes and the state of an element; returns what it shows if it is a frame.
    fn element(
        &mut self,
        document: &mut Document<Styles, TextBoxes>,
        number: usize,
        index: i64,
        tag: &str,
        attributes: Vec<(String, String)>,
    ) -> Option<(i64, FrameContent)> {
        let nodes = &mut document.nodes;
        let mut frame = None;
        let mut kept = Vec::new();
        for (name, value) in attributes {
            match name.as_str() {
                "browserlens-mark" => self.marks.push((value, number, self.nodes)),
                "browserlens-value" => {
                    let value = self.string(&value);
                    let list = if tag == "TEXTAREA" { &mut nodes.text_value } else { &mut nodes.input_value };
                    list.set(index, value);
                }
                "browserlens-checked" if value == "true" => {
                    nodes.input_checked.get_or_insert_default().index.push(index);
                }
                "browserlens-selected" if value == "true" => {
                    nodes.option_selected.get_or_insert_default().index.push(index);
                }
                "src" if matches!(tag, "IFRAME" | "FRAME") && frame.is_none() => frame = Some(FrameContent::Url(value)),
                "srcdoc" if tag == "IFRAME" => frame = Some(FrameContent::Inline(value)),
                other if other.starts_with(OURS) || NOTES.contains(&other) => {}
                _ => {
                    if tag == "INPUT" && name == "value" && nodes.input_value.index.last() != Some(&index) {
                        let value = self.string(&value);
                        nodes.input_value.set(index, value);
                    }
                    if name == "checked" {
                        nodes.input_checked.get_or_insert_default().index.push(index);
                    }
                    kept.extend([self.string(&name), self.string(&value)]);
                }
            }
        }
        if let Some(last) = nodes.attributes.last_mut() {
            *last = kept;
        }
        frame.map(|frame| (index, frame))
    }

    /// Each page is a document of its own: its nodes are those of no other step.
    fn frame_tree(&self, step: usize) -> String {
        let frames = self
            .frames
            .iter()
            .enumerate()
            .map(|(index, (url, holder))| (frame_id(index), format!("{step}:{index}"), url.as_str(), *holder));
        frame_tree_of(&frames.collect::<Vec<_>>())
    }

    /// Returns the snapshot as the protocol has it.
    fn json(mut self) -> Result<String, serde_json::Error> {
        for (index, document) in self.snapshot.documents.iter_mut().enumerate() {
            document.frame_id = self.snapshot.strings.len() as i64;
            self.snapshot.strings.push(frame_id(index).into());
        }
        serde_json::to_string(&self.snapshot)
    }
}

fn text_of(node: &Handle) -> Option<String> {
    match &node.data {
        NodeData::Text { contents } => Some(contents.borrow().to_string()),
        _ => None,
    }
}
