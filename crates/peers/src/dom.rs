//! The document as a script in the page would walk it: raw text, attributes, shadow trees, ids,
//! labels.
//!
//! In: a [`Page`] and, where the capture has one, the snapshot payload (which also holds whitespace
//! nodes, unrendered text and live field values). Out: a [`Dom`]: one arena over all documents,
//! joined with the page's nodes. Invariant: a parent precedes its children; a document's node is
//! never a child of its `iframe` (see [`Dom::content_of`]); without a payload the page's own nodes
//! are the document.

use crate::payloads;
use browserlens_core::page::raw::{self, RareFlag, Rect};
use browserlens_core::page::{
    BoxInDocument, Capture, Flags, FrameId, NodeId, NodeKey, NodeKind, NodeRef, Page, PayloadKind, Visibility,
};
use serde::de::IgnoredAny;
use std::collections::{HashMap, HashSet};

/// Index of a node in a [`Dom`].
pub(crate) type Id = u32;

const NONE: Id = u32::MAX;

/// Which kind of shadow tree a node lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shadow {
    Light,
    Open,
    Closed,
}

#[derive(Debug)]
pub(crate) struct DomNode<'a> {
    pub kind: NodeKind,
    /// Tag in lower case.
    pub tag: String,
    /// Raw text of a text node; content of a pseudo-element.
    pub text: &'a str,
    pub parent: Option<Id>,
    pub frame: FrameId,
    pub backend: u32,
    pub attributes: Vec<(&'a str, &'a str)>,
    /// The page's node, if it keeps one.
    pub page: Option<NodeRef<'a>>,
    pub shadow: Shadow,
    /// Assigned to the slot that is its parent.
    pub slotted: bool,
    /// Live value of a field, if the capture has it.
    pub input_value: Option<&'a str>,
    /// Whether a checkbox or radio button is on by the document, which knows it behind a modal
    /// dialog too.
    pub checked: Option<bool>,
    /// Whether an `option` is selected by the document.
    pub selected: Option<bool>,
    /// Width and height of the padding box without scroll bars.
    pub client: Option<(f32, f32)>,
    /// Width and height of what the element holds; of a field, of its text.
    pub content: Option<(f32, f32)>,
}

/// Where a node's children begin and end, and what follows it.
#[derive(Debug)]
struct Links {
    first_child: Id,
    last_child: Id,
    next_sibling: Id,
}

/// All documents of a page.
#[derive(Debug)]
pub(crate) struct Dom<'a> {
    pub page: &'a Page,
    nodes: Vec<DomNode<'a>>,
    links: Vec<Links>,
    /// Document node of each frame.
    pub documents: Vec<Option<Id>>,
    /// Frame whose document an element holds.
    content: HashMap<Id, FrameId>,
    /// Document or shadow host that is the root of each node's tree.
    scope: Vec<Id>,
    ids: HashMap<(Id, &'a str), Id>,
    /// In a closed `details`: not shown, although something may have made the browser lay it out.
    folded: Vec<bool>,
}

/// A snapshot without styles: those of a page's nodes are the page's.
pub(crate) type Snapshot = raw::Snapshot<IgnoredAny>;

/// The snapshots of a capture, which a [`Dom`] borrows from; those that do not parse are left out.
pub(crate) fn snapshots(capture: &Capture) -> Vec<Snapshot> {
    capture.of_kind(PayloadKind::Snapshot).filter_map(payloads::parse).collect()
}

impl<'a> Dom<'a> {
    /// Joins page and snapshots.
    pub fn new(page: &'a Page, snapshots: &'a [Snapshot]) -> Self {
        let mut dom = Self {
            page,
            nodes: Vec::with_capacity(page.len()),
            links: Vec::with_capacity(page.len()),
            documents: vec![None; page.frames().len()],
            content: HashMap::new(),
            scope: Vec::new(),
            ids: HashMap::new(),
            folded: Vec::new(),
        };
        snapshots.iter().for_each(|snapshot| dom.add_snapshot(snapshot));
        if dom.main_document().is_none() {
            dom.nodes.clear();
            dom.links.clear();
            dom.add_page();
        }
        let of_page = |(id, node): (usize, &DomNode<'_>)| Some((node.page?.id(), id as Id));
        let id_of: HashMap<NodeId, Id> = dom.nodes.iter().enumerate().filter_map(of_page).collect();
        for (ordinal, frame) in page.frames().iter().enumerate().skip(1) {
            if let Some(owner) = frame.owner.and_then(|owner| id_of.get(&owner)) {
                dom.content.insert(*owner, FrameId(ordinal as u16));
            }
        }
        dom.find_scopes();
        for id in 0..dom.len() as Id {
            let folded = dom.node(id).parent.is_some_and(|parent| dom.folded[parent as usize] || dom.folds(parent, id));
            dom.folded.push(folded);
        }
        dom
    }

    fn push(&mut self, node: DomNode<'a>) -> Id {
        let id = self.nodes.len() as Id;
        if let Some(parent) = node.parent {
            match std::mem::replace(&mut self.links[parent as usize].last_child, id) {
                NONE => self.links[parent as usize].first_child = id,
                last => self.links[last as usize].next_sibling = id,
            }
        }
        self.links.push(Links { first_child: NONE, last_child: NONE, next_sibling: NONE });
        self.nodes.push(node);
        id
    }

    fn add_snapshot(&mut self, snapshot: &'a Snapshot) {
        for document in &snapshot.documents {
            let Some(number) = snapshot.frame_number(document) else { continue };
            let Some(ordinal) = self.page.frames().iter().position(|frame| frame.number == number) else { continue };
            if self.documents[ordinal].is_some() {
                continue;
            }
            let of_frame = self.page.nodes().filter(|node| usize::from(node.frame().0) == ordinal);
            let page_nodes: HashMap<u32, NodeRef<'a>> = of_frame.map(|node| (node.key().backend, node)).collect();
            let nodes = &document.nodes;
            let shadows: HashMap<usize, i64> = nodes.shadow_root_type.pairs().collect();
            let values: HashMap<usize, i64> = nodes.text_value.pairs().chain(nodes.input_value.pairs()).collect();
            let clients = sizes(&document.layout.node_index, &document.layout.client_rects);
            let contents = sizes(&document.layout.node_index, &document.layout.scroll_rects);
            let set = |flag: &RareFlag| flag.nodes().collect::<HashSet<usize>>();
            let checked = nodes.input_checked.as_ref().map(set);
            let selected = nodes.option_selected.as_ref().map(set);
            let base = self.nodes.len();
            let mut id_at: Vec<Option<Id>> = vec![None; nodes.node_type.len()];
            for (index, node_type) in nodes.node_type.iter().enumerate() {
                let at = |list: &[i64]| list.get(index).copied().unwrap_or(-1);
                let raw_name = snapshot.text(at(&nodes.node_name));
                let kind = match node_type {
                    1 if raw_name.starts_with("::") => NodeKind::Pseudo,
                    1 => NodeKind::Element,
                    3 => NodeKind::Text,
                    9 if index == 0 => NodeKind::Document,
                    _ => continue,
                };
                let parent = usize::try_from(at(&nodes.parent_index)).ok();
                let parent = parent.and_then(|parent| id_at.get(parent).copied().flatten());
                if parent.is_none() && self.nodes.len() > base {
                    continue;
                }
                let tag = if kind == NodeKind::Document { "#document" } else { raw_name };
                let backend = u32::try_from(at(&nodes.backend_node_id)).unwrap_or(0);
                let page = page_nodes.get(&backend).copied();
                let text = match kind {
                    NodeKind::Text => snapshot.text(at(&nodes.node_value)),
                    NodeKind::Pseudo => page.map_or("", |node| node.text()),
                    _ => "",
                };
                let attributes = nodes.attributes.get(index).map(Vec::as_slice).unwrap_or(&[]);
                let attributes: Vec<(&str, &str)> =
                    attributes.chunks_exact(2).map(|pair| (snapshot.text(pair[0]), snapshot.text(pair[1]))).collect();
                let shadow = match shadows.get(&index).map(|kind| snapshot.text(*kind)) {
                    Some("open") => Shadow::Open,
                    Some("closed") => Shadow::Closed,
                    _ => Shadow::Light,
                };
                let slotted =
                    parent.is_some_and(|parent| is_slotted(shadow, &attributes, &self.nodes[parent as usize]));
                let node = DomNode {
                    kind,
                    tag: tag.to_ascii_lowercase(),
                    text,
                    parent,
                    frame: FrameId(ordinal as u16),
                    backend,
                    attributes,
                    page,
                    shadow,
                    slotted,
                    input_value: values.get(&index).map(|value| snapshot.text(*value)),
                    checked: checked.as_ref().map(|checked| checked.contains(&index)),
                    selected: selected.as_ref().map(|selected| selected.contains(&index)),
                    client: clients.get(&index).copied(),
                    content: contents.get(&index).copied(),
                };
                let id = self.push(node);
                id_at[index] = Some(id);
                if kind == NodeKind::Document {
                    self.documents[ordinal] = Some(id);
                }
            }
        }
    }

    fn add_page(&mut self) {
        let mut id_of: HashMap<NodeId, Id> = HashMap::new();
        for node in self.page.nodes() {
            let is_document = node.kind() == NodeKind::Document;
            let parent =
                if is_document { None } else { node.parent().and_then(|parent| id_of.get(&parent.id()).copied()) };
            let flags = node.flags();
            let shadow = if flags.has(Flags::IN_CLOSED_SHADOW) {
                Shadow::Closed
            } else if flags.has(Flags::IN_OPEN_SHADOW) {
                Shadow::Open
            } else {
                Shadow::Light
            };
            let attributes: Vec<(&str, &str)> = node.attributes().collect();
            let slotted = parent.is_some_and(|parent| is_slotted(shadow, &attributes, &self.nodes[parent as usize]));
            let value = node.value();
            let dom_node = DomNode {
                kind: node.kind(),
                tag: node.tag().to_owned(),
                text: node.text(),
                parent,
                frame: node.frame(),
                backend: node.key().backend,
                attributes,
                page: Some(node),
                shadow,
                slotted: flags.has(Flags::SLOTTED) || slotted,
                input_value: (matches!(node.tag(), "input" | "textarea") && !value.is_empty()).then_some(value),
                checked: None,
                selected: None,
                client: None,
                content: None,
            };
            let id = self.push(dom_node);
            id_of.insert(node.id(), id);
            if is_document {
                self.documents[usize::from(node.frame().0)].get_or_insert(id);
            }
        }
    }

    fn find_scopes(&mut self) {
        self.scope = Vec::with_capacity(self.nodes.len());
        for id in 0..self.nodes.len() as Id {
            let node = &self.nodes[id as usize];
            let scope = match node.parent {
                None => id,
                // A slotted node belongs to the tree that the slot's host is in.
                Some(parent) if node.slotted => self.scope[self.scope[parent as usize] as usize],
                Some(parent) => {
                    let above = &self.nodes[parent as usize];
                    // In a shadow tree, custom elements are taken for hosts.
                    let other = node.shadow != above.shadow || is_host(above) || above.tag.contains('-');
                    let enters = node.shadow != Shadow::Light && above.kind == NodeKind::Element && other;
                    if enters { parent } else { self.scope[parent as usize] }
                }
            };
            self.scope.push(scope);
            if let Some(name) = self.attribute(id, "id").filter(|name| !name.is_empty()) {
                self.ids.entry((scope, name)).or_insert(id);
            }
        }
    }

    pub fn node(&self, id: Id) -> &DomNode<'a> {
        &self.nodes[id as usize]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Identity of the node over captures.
    pub fn key(&self, id: Id) -> NodeKey {
        let node = self.node(id);
        let frame = &self.page.frames()[usize::from(node.frame.0)];
        NodeKey { frame: frame.number, loader: frame.loader, backend: node.backend }
    }

    pub fn attribute(&self, id: Id, name: &str) -> Option<&'a str> {
        self.node(id).attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    pub fn is_element(&self, id: Id) -> bool {
        self.node(id).kind == NodeKind::Element
    }

    pub fn tag(&self, id: Id) -> &str {
        &self.node(id).tag
    }

    /// The document node of the main frame.
    pub fn main_document(&self) -> Option<Id> {
        self.documents.first().copied().flatten()
    }

    /// By node: the first node that comes after everything in it.
    pub fn ends(&self) -> Vec<Id> {
        let mut ends: Vec<Id> = (1..=self.len() as Id).collect();
        for (id, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                ends[parent as usize] = ends[parent as usize].max(ends[id]);
            }
        }
        ends
    }

    /// Everything below a node in document order.
    pub fn descendants(&self, root: Id) -> impl Iterator<Item = Id> + '_ {
        let mut todo = Vec::new();
        push_reversed(&mut todo, self.children(root));
        std::iter::from_fn(move || {
            let next = todo.pop()?;
            push_reversed(&mut todo, self.children(next));
            Some(next)
        })
    }

    /// Children in the flat tree: slotted nodes below their slot.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + Clone + '_ {
        let some = |id: Id| (id != NONE).then_some(id);
        let after = move |child: &Id| some(self.links[*child as usize].next_sibling);
        std::iter::successors(some(self.links[id as usize].first_child), after)
    }

    /// Whether a shadow tree hangs from the element.
    pub fn is_host(&self, id: Id) -> bool {
        self.is_element(id) && self.children(id).any(|child| self.scope(child) == id)
    }

    /// The child nodes of an element in its own tree, pseudo-elements left out: for a host those
    /// that its slots hold.
    pub fn light_children(&self, id: Id) -> Vec<Id> {
        let plain = |id: &Id| self.node(*id).kind != NodeKind::Pseudo;
        if !self.is_host(id) {
            return self.children(id).filter(plain).collect();
        }
        let mut found = Vec::new();
        let mut todo: Vec<Id> = self.children(id).collect();
        while let Some(next) = todo.pop() {
            if self.node(next).slotted && self.parent_or_host(next) == Some(id) {
                found.push(next);
            } else {
                todo.extend(self.children(next));
            }
        }
        found.sort_unstable();
        found
    }

    /// The elements among [`Dom::light_children`].
    pub fn light_elements(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.light_children(id).into_iter().filter(move |child| self.is_element(*child))
    }

    /// Parent element in the document; for the top of a shadow tree, and for slotted nodes, the
    /// host.
    pub fn parent_or_host(&self, id: Id) -> Option<Id> {
        let node = self.node(id);
        let parent = if node.slotted { self.scope[node.parent? as usize] } else { node.parent? };
        self.is_element(parent).then_some(parent)
    }

    /// Parent element in the same tree: none across a shadow root.
    pub fn parent_element(&self, id: Id) -> Option<Id> {
        let parent = self.parent_or_host(id)?;
        (self.scope[parent as usize] == self.scope[id as usize]).then_some(parent)
    }

    /// The document or shadow host that a node's tree hangs from.
    pub fn scope(&self, id: Id) -> Id {
        self.scope[id as usize]
    }

    /// The element with an id, in the tree of another node.
    pub fn by_id(&self, near: Id, name: &str) -> Option<Id> {
        self.ids.get(&(self.scope(near), name)).copied()
    }

    /// The elements that a list of ids names, without repetitions.
    pub fn id_refs(&self, near: Id, names: &str) -> Vec<Id> {
        let mut found = Vec::new();
        for id in names.split(' ').filter(|name| !name.is_empty()).filter_map(|name| self.by_id(near, name)) {
            if !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// Nearest element from `id` up, shadow hosts included, that passes.
    pub fn closest(&self, id: Id, passes: impl Fn(Id) -> bool) -> Option<Id> {
        std::iter::successors(Some(id), |id| self.parent_or_host(*id)).find(|id| passes(*id))
    }

    /// Document node of the frame that an element holds.
    pub fn content_of(&self, id: Id) -> Option<Id> {
        let frame = self.content.get(&id)?;
        self.documents[usize::from(frame.0)]
    }

    /// The element that holds a frame.
    pub fn owner_of(&self, frame: FrameId) -> Option<Id> {
        self.content.iter().find(|(_, content)| **content == frame).map(|(owner, _)| *owner)
    }

    /// The `body` or `frameset` of a document.
    pub fn body_of(&self, document: Id) -> Option<Id> {
        let html = self.children(document).find(|child| self.is_element(*child))?;
        self.children(html).find(|child| matches!(self.tag(*child), "body" | "frameset"))
    }

    /// A computed style; text nodes share their parent's.
    pub fn style(&self, id: Id, name: &str) -> Option<&'a str> {
        let node = self.node(id);
        let styled = node.parent.filter(|_| node.kind == NodeKind::Text).map_or(node, |parent| self.node(parent));
        styled.page?.style(name)
    }

    /// Whether a closed `details` does not show this child: it shows only its first `summary`.
    fn folds(&self, parent: Id, child: Id) -> bool {
        self.tag(parent) == "details"
            && self.attribute(parent, "open").is_none()
            && self.children(parent).find(|other| self.tag(*other) == "summary") != Some(child)
    }

    /// Whether the node has a box: elements with `display: contents` and what is not rendered have
    /// none.
    pub fn has_layout(&self, id: Id) -> bool {
        let page = self.node(id).page.filter(|_| !self.folded[id as usize]);
        page.is_some_and(|page| match page.style("display") {
            Some(display) => display != "none",
            None => page.visibility() != Visibility::NotRendered && page.bounds() != BoxInDocument::default(),
        })
    }
}

/// Puts what comes next onto a stack, so that the first of it is taken first.
pub(crate) fn push_reversed<T>(stack: &mut Vec<T>, next: impl IntoIterator<Item = T>) {
    let below = stack.len();
    stack.extend(next);
    stack[below..].reverse();
}

/// Width and height of rectangles by the index of their node; those without area are left out.
fn sizes(nodes: &[i64], rects: &[Rect]) -> HashMap<usize, (f32, f32)> {
    let mut sizes = HashMap::new();
    for (node, rect) in nodes.iter().zip(rects) {
        if let (Ok(node), Some([_, _, width, height])) = (usize::try_from(*node), rect.exactly()) {
            sizes.entry(node).or_insert((width as f32, height as f32));
        }
    }
    sizes.retain(|_, (width, height)| *width > 0.0 && *height > 0.0);
    sizes
}

/// Whether a node is assigned to the slot that is its parent: it lies in another kind of tree, or
/// names the slot. Where both trees are of one kind and the slot has no name, assigned content
/// looks like the slot's own, and is taken for that.
fn is_slotted(shadow: Shadow, attributes: &[(&str, &str)], parent: &DomNode<'_>) -> bool {
    if parent.shadow == Shadow::Light {
        return false;
    }
    let named = |attributes: &[(&str, &str)], wanted: &str| {
        let found = attributes.iter().find(|(name, value)| *name == wanted && !value.is_empty());
        found.map(|(_, value)| (*value).to_owned())
    };
    let assigned = || named(attributes, "slot").is_some_and(|slot| named(&parent.attributes, "name") == Some(slot));
    shadow == Shadow::Light || (parent.tag == "slot" && (shadow != parent.shadow || assigned()))
}

/// Whether the page says that an element hosts a shadow tree, or one of its children lies in one.
fn is_host(node: &DomNode<'_>) -> bool {
    node.page.is_some_and(|page| page.flags().any(Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED)))
}

/// Whether a capture has the payload that a [`Dom`] prefers.
pub(crate) fn has_snapshot(capture: &Capture) -> bool {
    capture.of_kind(PayloadKind::Snapshot).next().is_some()
}
