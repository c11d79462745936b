//! What can be had of a page without a browser: its DOM, and nothing that layout or accessibility
//! would tell.
//!
//! In: a [`Scene`]. Out: a capture with the frame tree and a DOM snapshot without boxes, and the
//! marked nodes. Invariants: there is no accessibility tree and no layout in it, so that strategies
//! which read those fail instead of showing an empty page; a document stands in one place; parsing
//! stops at [`Limits::nodes`].

use crate::dom::{Markup, parse};
use crate::error::ImportError;
use crate::html::OURS;
use crate::limits::Limits;
use crate::plan::Marks;
use crate::scene::{Scene, without_fragment};
use browserlens_core::page::{Capture, Payload, PayloadKind, Viewport};
use browserlens_trace::Canonicalizer;
use markup5ever_rcdom::{Handle, NodeData};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Documents of one page.
const MOST_DOCUMENTS: usize = 500;
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
    let mut snapshot = Snapshot::of(scene, limits).map_err(|reason| ImportError::malformed(path, place(), reason))?;
    let said = |error: browserlens_trace::CanonicalError| ImportError::malformed(path, place(), error.to_string());
    let frames = canonicalizer.frames(&snapshot.frame_tree(step), None).map_err(said)?;
    let number = canonicalizer.frame_number(&frame_id(0));
    let marks = std::mem::take(&mut snapshot.marks);
    let dom = snapshot.json().map_err(|error| ImportError::malformed(path, place(), error.to_string()))?;
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

/// The arrays of a snapshot.
#[derive(Default)]
struct Snapshot {
    strings: Vec<String>,
    known: HashMap<String, i64>,
    documents: Vec<Document>,
    /// Mark, document and node.
    marks: Vec<(String, usize, i64)>,
    nodes: i64,
}

/// A document, under the names of the protocol; what is 0 or empty is not known without a browser.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(rename = "documentURL")]
    url: i64,
    #[serde(skip)]
    url_text: String,
    #[serde(skip)]
    holder: usize,
    title: i64,
    #[serde(rename = "baseURL")]
    base: i64,
    content_language: i64,
    encoding_name: i64,
    public_id: i64,
    system_id: i64,
    #[serde(rename = "frameId")]
    frame: usize,
    nodes: Nodes,
    layout: Layout,
    text_boxes: TextBoxes,
    scroll_offset_x: i64,
    scroll_offset_y: i64,
    content_width: i64,
    content_height: i64,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Layout {
    node_index: [i64; 0],
    styles: [i64; 0],
    bounds: [i64; 0],
    text: [i64; 0],
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct TextBoxes {
    layout_index: [i64; 0],
    bounds: [i64; 0],
}

/// The nodes of a document, under the names of the protocol.
#[derive(Default, Serialize)]
struct Nodes {
    #[serde(rename = "parentIndex")]
    parents: Vec<i64>,
    #[serde(rename = "nodeType")]
    types: Vec<i64>,
    #[serde(rename = "shadowRootType")]
    shadow: Rare,
    #[serde(rename = "nodeName")]
    names: Vec<i64>,
    #[serde(rename = "nodeValue")]
    values: Vec<i64>,
    #[serde(rename = "backendNodeId")]
    backends: Vec<i64>,
    attributes: Vec<Vec<i64>>,
    #[serde(rename = "textValue")]
    texts: Rare,
    #[serde(rename = "inputValue")]
    typed: Rare,
    #[serde(rename = "inputChecked")]
    checked: Flagged,
    #[serde(rename = "optionSelected")]
    selected: Flagged,
    #[serde(rename = "contentDocumentIndex")]
    content: Rare,
}

/// What few nodes have.
#[derive(Default)]
struct Rare(BTreeMap<i64, i64>);

impl Serialize for Rare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (index, value): (Vec<i64>, Vec<i64>) = self.0.iter().unzip();
        let mut members = serializer.serialize_struct("Rare", 2)?;
        members.serialize_field("index", &index)?;
        members.serialize_field("value", &value)?;
        members.end()
    }
}

/// Which nodes a thing is said of.
#[derive(Default, Serialize)]
struct Flagged {
    index: Vec<i64>,
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

impl Snapshot {
    fn of(scene: &Scene, limits: &Limits) -> Result<Self, String> {
        let html = scene.documents.get(without_fragment(&scene.url)).cloned().unwrap_or_default();
        let mut snapshot = Self::default();
        snapshot.string("");
        let mut entered = HashSet::from([without_fragment(&scene.url).to_owned()]);
        let mut open = vec![Wanted { url: scene.url.clone(), html, holder: None }];
        while let Some(wanted) = open.pop() {
            if snapshot.documents.len() >= MOST_DOCUMENTS {
                break;
            }
            let index = snapshot.documents.len();
            if let Some((holder, node)) = wanted.holder {
                snapshot.documents[holder].nodes.content.0.insert(node, index as i64);
            }
            let left = limits.nodes.saturating_sub(usize::try_from(snapshot.nodes).unwrap_or(usize::MAX));
            let markup = parse(&wanted.html, left)?;
            let inner = snapshot.document(&wanted, &markup, limits)?;
            for (node, frame) in inner {
                let (url, html) = match frame {
                    Frame::Url(url) => {
                        let key = without_fragment(&url).to_owned();
                        let Some(html) = scene.documents.get(&key).filter(|_| entered.insert(key)) else { continue };
                        (url, html.clone())
                    }
                    Frame::Inline(html) => ("about:srcdoc".to_owned(), html),
                };
                open.push(Wanted { url, html, holder: Some((index, node)) });
            }
        }
        Ok(snapshot)
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        self.strings.push(text.to_owned());
        let index = self.strings.len() as i64 - 1;
        self.known.insert(text.to_owned(), index);
        index
    }

    /// Adds a document; returns the frames in it.
    fn document(&mut self, wanted: &Wanted, markup: &Markup, limits: &Limits) -> Result<Vec<(i64, Frame)>, String> {
        let number = self.documents.len();
        let url = self.string(&wanted.url);
        let mut document = Document {
            url,
            base: url,
            url_text: wanted.url.clone(),
            holder: wanted.holder.map_or(0, |(holder, _)| holder),
            ..Document::default()
        };
        let mut frames = Vec::new();
        let mut open = vec![Todo { node: markup.document(), parent: -1, in_shadow: false }];
        while let Some(Todo { node, parent, in_shadow }) = open.pop() {
            if self.nodes as usize >= limits.nodes {
                return Err(format!("the page has more than {} nodes", limits.nodes));
            }
            let index = document.nodes.parents.len() as i64;
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
            document.nodes.parents.push(parent);
            document.nodes.types.push(kind);
            document.nodes.names.push(name);
            document.nodes.values.push(value);
            document.nodes.backends.push(self.nodes);
            document.nodes.attributes.push(Vec::new());
            if in_shadow {
                document.nodes.shadow.0.insert(index, 0);
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
        document.nodes.shadow.0.values_mut().for_each(|value| *value = kind);
        self.documents.push(document);
        Ok(frames)
    }

    /// Adds the attributes and the state of an element; returns what it shows if it is a frame.
    fn element(
        &mut self,
        document: &mut Document,
        number: usize,
        index: i64,
        tag: &str,
        attributes: Vec<(String, String)>,
    ) -> Option<(i64, Frame)> {
        let mut frame = None;
        let mut kept = Vec::new();
        for (name, value) in attributes {
            match name.as_str() {
                "browserlens-mark" => self.marks.push((value, number, self.nodes)),
                "browserlens-value" => {
                    let value = self.string(&value);
                    let list = if tag == "TEXTAREA" { &mut document.nodes.texts } else { &mut document.nodes.typed };
                    list.0.insert(index, value);
                }
                "browserlens-checked" if value == "true" => document.nodes.checked.index.push(index),
                "browserlens-selected" if value == "true" => document.nodes.selected.index.push(index),
                "src" if matches!(tag, "IFRAME" | "FRAME") && frame.is_none() => frame = Some(Frame::Url(value)),
                "srcdoc" if tag == "IFRAME" => frame = Some(Frame::Inline(value)),
                other if other.starts_with(OURS) || NOTES.contains(&other) => {}
                _ => {
                    if tag == "INPUT" && name == "value" && !document.nodes.typed.0.contains_key(&index) {
                        let value = self.string(&value);
                        document.nodes.typed.0.insert(index, value);
                    }
                    if name == "checked" {
                        document.nodes.checked.index.push(index);
                    }
                    kept.extend([self.string(&name), self.string(&value)]);
                }
            }
        }
        if let Some(last) = document.nodes.attributes.last_mut() {
            *last = kept;
        }
        frame.map(|frame| (index, frame))
    }

    /// Each page is a document of its own: its nodes are those of no other step.
    fn frame_tree(&self, step: usize) -> String {
        let mut trees: Vec<Value> = self
            .documents
            .iter()
            .enumerate()
            .map(|(index, document)| {
                let mut frame = json!({ "id": frame_id(index), "loaderId": format!("{step}:{index}"),
                    "url": document.url_text, "mimeType": "text/html" });
                if index > 0 {
                    frame["parentId"] = json!(frame_id(document.holder));
                }
                json!({ "frame": frame, "childFrames": [] })
            })
            .collect();
        for index in (1..trees.len()).rev() {
            let tree = trees[index].take();
            if let Some(children) = trees[self.documents[index].holder]["childFrames"].as_array_mut() {
                children.insert(0, tree);
            }
        }
        json!({ "frameTree": trees.first() }).to_string()
    }

    /// Returns the snapshot as the protocol has it.
    fn json(mut self) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct Whole {
            documents: Vec<Document>,
            strings: Vec<String>,
        }
        for (index, document) in self.documents.iter_mut().enumerate() {
            document.frame = self.strings.len();
            self.strings.push(frame_id(index));
        }
        serde_json::to_string(&Whole { documents: self.documents, strings: self.strings })
    }
}

/// What a frame shows.
enum Frame {
    Url(String),
    Inline(String),
}

fn text_of(node: &Handle) -> Option<String> {
    match &node.data {
        NodeData::Text { contents } => Some(contents.borrow().to_string()),
        _ => None,
    }
}
