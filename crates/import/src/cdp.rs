//! Raw answers of the browser's protocol: `Accessibility.getFullAXTree` and
//! `DOMSnapshot.captureSnapshot`, as they were.
//!
//! In: one pair a page. Out: a capture, like one of our own but for what no pair has: listeners,
//! probes, the session's frame tree. Invariants: frames are those of the snapshot; a node of a
//! merged accessibility tree belongs to the frame of the nearest root above it; two pages of one
//! document (same frame, same document node) keep their nodes' numbers.

use crate::archive::Archive;
use crate::error::ImportError;
use crate::json::list;
use crate::plan::{Marks, Pages};
use crate::scene::Scene;
use browserlens_core::page::{Capture, NodeKey, Payload, PayloadKind, Viewport, raw};
use browserlens_core::sync::locked;
use browserlens_trace::Canonicalizer;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Documents of one snapshot.
pub(crate) const MOST_DOCUMENTS: usize = 500;

type Snapshot = raw::Snapshot<IgnoredAny>;
type Document = raw::Document<IgnoredAny>;

#[derive(Deserialize)]
struct AxTree<'a> {
    #[serde(borrow)]
    nodes: Vec<&'a RawValue>,
}

/// What tells where a node of an accessibility tree stands; anything may be anywhere.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Head {
    node_id: Value,
    frame_id: Value,
    child_ids: Value,
}

impl Head {
    fn frame(&self) -> Option<&str> {
        self.frame_id.as_str()
    }

    fn children(&self) -> &[Value] {
        self.child_ids.as_array().map_or(&[], Vec::as_slice)
    }
}

/// Levels that a node can be nested without a look at them: fewer than a reader of JSON takes.
const MOST_NESTED: usize = 100;

/// One page as a pair of answers.
pub(crate) struct Pair<'a> {
    pub(crate) snapshot: &'a str,
    pub(crate) ax: &'a str,
    /// Picture of the viewport, as PNG.
    pub(crate) screenshot: Option<Vec<u8>>,
    pub(crate) viewport: (u32, u32),
    /// Attribute and value of nodes that are marked, and the mark.
    pub(crate) marks: Vec<(String, String, String)>,
}

impl Pair<'_> {
    /// Makes the capture, and finds the marked nodes.
    pub(crate) fn capture(
        self,
        canonicalizer: &mut Canonicalizer,
    ) -> Result<(Capture, Vec<(String, NodeKey)>), String> {
        let read: Snapshot = serde_json::from_str(self.snapshot).map_err(|error| misshapen(self.snapshot, &error))?;
        if read.documents.is_empty() {
            return Err("the snapshot has no document".to_owned());
        }
        if read.documents.len() > MOST_DOCUMENTS {
            return Err(format!("the snapshot has more than {MOST_DOCUMENTS} documents"));
        }
        let frames = frame_ids(&read);
        let mut payloads = Vec::new();
        let said = |error: browserlens_trace::CanonicalError| error.to_string();
        let tree = canonicalizer.frames(&frame_tree(&read, &frames), None).map_err(said)?;
        let number = canonicalizer.frame_number(&frames[0]);
        let mut push =
            |kind, frame, node, body: Vec<u8>| payloads.push(Payload { kind, frame, node, body: body.into() });
        push(PayloadKind::Frames, number, 0, tree.into_bytes());
        let snapshot = with_frame_ids(self.snapshot, &read, &frames)?;
        let snapshot = canonicalizer.snapshot(&snapshot).map_err(said)?;
        push(PayloadKind::Snapshot, number, 0, snapshot.into_bytes());
        let metrics = canonicalizer.metrics(&metrics(&read.documents[0], self.viewport)).map_err(said)?;
        push(PayloadKind::Metrics, number, 0, metrics.into_bytes());
        for (frame, nodes) in by_frame(self.ax, &frames)? {
            let ax = canonicalizer.ax(&frame, &nodes).map_err(said)?;
            push(PayloadKind::Ax, canonicalizer.frame_number(&frame), 0, ax.into_bytes());
        }
        if let Some(png) = self.screenshot.filter(|png| png.starts_with(b"\x89PNG\r\n\x1a\n")) {
            push(PayloadKind::Screenshot, 0, 0, png);
        }
        let marks = marked(&read, &frames, &self.marks, canonicalizer);
        Ok((Capture { payloads }, marks))
    }
}

/// Files of one page.
#[derive(Clone, Debug)]
pub(crate) struct PairFiles {
    pub(crate) snapshot: String,
    pub(crate) ax: String,
    pub(crate) screenshot: Option<String>,
    pub(crate) marks: Vec<(String, String, String)>,
}

/// Pages whose pairs lie in an archive; what comes after the last shows that one again.
pub(crate) struct Pairs {
    pub(crate) path: PathBuf,
    pub(crate) archive: Arc<Mutex<Archive>>,
    pub(crate) pages: Vec<PairFiles>,
    pub(crate) viewport: Viewport,
}

impl Pages for Pairs {
    fn needs_rendering(&self) -> bool {
        false
    }

    fn scene(&self, step: usize) -> Result<Scene, ImportError> {
        Err(ImportError::malformed(&self.path, format!("step {step}"), "it needs no rendering"))
    }

    fn capture(&self, step: usize, canonicalizer: &mut Canonicalizer) -> Option<Result<(Capture, Marks), ImportError>> {
        Some(self.page(step, canonicalizer))
    }
}

impl Pairs {
    fn page(&self, step: usize, canonicalizer: &mut Canonicalizer) -> Result<(Capture, Marks), ImportError> {
        let Some(files) = self.pages.get(step).or(self.pages.last()) else {
            return Err(ImportError::malformed(&self.path, format!("step {step}"), "it has no page"));
        };
        let mut archive = locked(&self.archive);
        let mut read = |name: &str| -> Result<String, ImportError> {
            let bytes = archive.read(name)?.unwrap_or_default();
            String::from_utf8(bytes).map_err(|_| ImportError::malformed(&self.path, name, "it is not UTF-8"))
        };
        let (snapshot, ax) = (read(&files.snapshot)?, read(&files.ax)?);
        let screenshot = files.screenshot.as_ref().map_or(Ok(None), |name| archive.read(name))?;
        drop(archive);
        let (viewport, marks) = ((self.viewport.width, self.viewport.height), files.marks.clone());
        let pair = Pair { snapshot: &snapshot, ax: &ax, screenshot, viewport, marks };
        pair.capture(canonicalizer).map_err(|reason| ImportError::malformed(&self.path, &files.snapshot, reason))
    }
}

/// Says what is wrong with a snapshot that cannot be read.
fn misshapen(snapshot: &str, error: &serde_json::Error) -> String {
    let value: Value = serde_json::from_str(snapshot).unwrap_or_default();
    // Of a list, an error tells only that it has too few members.
    if value.is_array() {
        return "the snapshot has no strings".to_owned();
    }
    match list(&value, "documents").iter().position(Value::is_array) {
        Some(index) => format!("document {index} of the snapshot is no object"),
        None => format!("the snapshot: {error}"),
    }
}

/// Returns a frame id for each document; one that has none, or one of another, gets one made up.
fn frame_ids(snapshot: &Snapshot) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = |(index, document): (usize, &Document)| {
        let id = snapshot.text(document.frame_id);
        if !id.is_empty() && seen.insert(id.to_owned()) { id.to_owned() } else { format!("BROWSERLENS0FRAME{index}") }
    };
    snapshot.documents.iter().enumerate().map(named).collect()
}

/// Makes the frame tree that such a pair lacks: which document lies in which is in the snapshot.
fn frame_tree(snapshot: &Snapshot, frames: &[String]) -> String {
    let mut parents: HashMap<usize, usize> = HashMap::new();
    for (holder, document) in snapshot.documents.iter().enumerate() {
        for held in document.nodes.content_document_index.value.iter().filter_map(|held| usize::try_from(*held).ok()) {
            // Only a document that comes later can be held: no circle can be made of such.
            if held > holder && held < frames.len() {
                parents.entry(held).or_insert(holder);
            }
        }
    }
    let frame = |(index, (id, document)): (usize, (&String, &Document))| {
        let root = document.nodes.backend_node_id.first().copied().unwrap_or(0);
        let url = snapshot.text(document.document_url);
        (id.clone(), format!("{id}:{root}:{url}"), url, parents.get(&index).copied().unwrap_or(0))
    };
    frame_tree_of(&frames.iter().zip(&snapshot.documents).enumerate().map(frame).collect::<Vec<_>>())
}

/// Makes a frame tree: of each frame its id, its loader and its URL, and which one before it holds it.
pub(crate) fn frame_tree_of(frames: &[(String, String, &str, usize)]) -> String {
    let tree = |(index, (id, loader, url, holder)): (usize, &(String, String, &str, usize))| {
        let mut frame = json!({ "id": id, "loaderId": loader, "url": url, "mimeType": "text/html" });
        if index > 0 {
            frame["parentId"] = json!(frames[*holder].0);
        }
        json!({ "frame": frame, "childFrames": [] })
    };
    let mut trees: Vec<Value> = frames.iter().enumerate().map(tree).collect();
    // From the last to the first: children are whole before they are put into their parent.
    for index in (1..trees.len()).rev() {
        let tree = trees[index].take();
        if let Some(children) = trees[frames[index].3]["childFrames"].as_array_mut() {
            children.insert(0, tree);
        }
    }
    json!({ "frameTree": trees.first() }).to_string()
}

/// Puts made-up frame ids into a snapshot that lacks them.
fn with_frame_ids<'r>(raw: &'r str, snapshot: &Snapshot, frames: &[String]) -> Result<Cow<'r, str>, String> {
    let told = snapshot.documents.iter().zip(frames).all(|(document, frame)| snapshot.text(document.frame_id) == frame);
    if told {
        return Ok(Cow::Borrowed(raw));
    }
    let mut value: Value = serde_json::from_str(raw).map_err(|error| error.to_string())?;
    for (index, frame) in frames.iter().enumerate() {
        let Some(strings) = value.get_mut("strings").and_then(Value::as_array_mut) else {
            return Err("the snapshot has no strings".to_owned());
        };
        strings.push(json!(frame));
        let at = strings.len() - 1;
        let document = value.get_mut("documents").and_then(|documents| documents.get_mut(index));
        // A list reads as a document whose fields have no names.
        let Some(document) = document.and_then(Value::as_object_mut) else {
            return Err(format!("document {index} of the snapshot is no object"));
        };
        document.insert("frameId".to_owned(), json!(at));
    }
    Ok(Cow::Owned(value.to_string()))
}

fn metrics(main: &Document, (width, height): (u32, u32)) -> String {
    let (x, y) = (main.scroll_offset_x, main.scroll_offset_y);
    let layout = json!({ "pageX": x, "pageY": y, "clientWidth": width, "clientHeight": height });
    let visual = json!({ "offsetX": 0, "offsetY": 0, "pageX": x, "pageY": y, "clientWidth": width,
        "clientHeight": height, "scale": 1, "zoom": 1 });
    let content = json!({ "x": 0, "y": 0, "width": main.content_width, "height": main.content_height });
    json!({
        "layoutViewport": layout, "visualViewport": visual, "contentSize": content,
        "cssLayoutViewport": layout, "cssVisualViewport": visual, "cssContentSize": content,
    })
    .to_string()
}

/// Splits a merged accessibility tree by frame, in the order of the frames.
fn by_frame(ax: &str, frames: &[String]) -> Result<Vec<(String, String)>, String> {
    let said = |error: serde_json::Error| format!("the accessibility tree: {error}");
    let tree: AxTree<'_> = serde_json::from_str(ax).map_err(said)?;
    // What is nested deeper than anything that is read is refused here, where it is known which
    // half it stands in.
    for raw in tree.nodes.iter().filter(|raw| opened(raw) > MOST_NESTED) {
        serde_json::from_str::<Value>(raw.get()).map_err(said)?;
    }
    if let [main] = frames {
        let nodes: Vec<&str> = tree.nodes.iter().map(|raw| raw.get()).collect();
        return Ok(if nodes.is_empty() { Vec::new() } else { vec![(main.clone(), joined(&nodes))] });
    }
    let heads: Vec<Head> =
        tree.nodes.iter().map(|raw| serde_json::from_str(raw.get()).map_err(said)).collect::<Result<_, _>>()?;
    let known: HashMap<&str, usize> = frames.iter().enumerate().rev().map(|(at, frame)| (frame.as_str(), at)).collect();
    let mut frame_of: Vec<Option<usize>> = heads.iter().map(|head| known.get(head.frame()?).copied()).collect();
    let index: HashMap<&str, usize> =
        heads.iter().enumerate().filter_map(|(at, head)| Some((head.node_id.as_str()?, at))).collect();
    let child_of = |child: &Value| index.get(child.as_str()?).copied();
    // In their order: a node that two roots claim belongs to the first.
    let roots: Vec<usize> = (0..heads.len()).filter(|at| frame_of[*at].is_some()).collect();
    for root in &roots {
        let mut open = vec![*root];
        while let Some(at) = open.pop() {
            for child in heads[at].children().iter().filter_map(child_of) {
                if frame_of[child].is_none() {
                    frame_of[child] = frame_of[*root];
                    open.push(child);
                }
            }
        }
    }
    let mut grouped: BTreeMap<usize, Vec<Cow<'_, str>>> = BTreeMap::new();
    for (at, raw) in tree.nodes.iter().enumerate() {
        let frame = frame_of[at].unwrap_or(0);
        let group = grouped.entry(frame).or_default();
        // A root of another frame is no child of the element that holds the frame.
        let foreign = |child: &Value| child_of(child).is_some_and(|other| frame_of[other].unwrap_or(0) != frame);
        if !heads[at].children().iter().any(foreign) {
            group.push(Cow::Borrowed(raw.get()));
            continue;
        }
        let mut whole: Value = serde_json::from_str(raw.get()).map_err(said)?;
        if let Some(list) = whole.get_mut("childIds").and_then(Value::as_array_mut) {
            list.retain(|child| !foreign(child));
        }
        group.push(Cow::Owned(whole.to_string()));
    }
    Ok(grouped.into_iter().map(|(frame, nodes)| (frames[frame].clone(), joined(&nodes))).collect())
}

/// How many brackets are opened in a node: it cannot be nested deeper.
fn opened(node: &RawValue) -> usize {
    node.get().bytes().filter(|byte| matches!(byte, b'[' | b'{')).count()
}

fn joined(nodes: &[impl Borrow<str>]) -> String {
    format!("{{\"nodes\":[{}]}}", nodes.join(","))
}

/// Finds nodes by an attribute.
fn marked(
    snapshot: &Snapshot,
    frames: &[String],
    marks: &[(String, String, String)],
    canonicalizer: &Canonicalizer,
) -> Vec<(String, NodeKey)> {
    let mut found = Vec::new();
    for (document, frame) in snapshot.documents.iter().zip(frames) {
        let Some(number) = canonicalizer.known_frame(frame) else { continue };
        for (attributes, backend) in document.nodes.attributes.iter().zip(&document.nodes.backend_node_id) {
            let pairs = attributes.chunks_exact(2).map(|pair| (snapshot.text(pair[0]), snapshot.text(pair[1])));
            for (name, value) in pairs {
                let wanted = marks.iter().filter(|(wanted, is, _)| wanted == name && is == value);
                found.extend(
                    wanted.filter_map(|(_, _, mark)| Some((mark.clone(), canonicalizer.key(number, *backend)?))),
                );
            }
        }
    }
    found
}
