//! The tool's simplified tree: what is kept, what is covered, what is contained, what has an index.
//!
//! In: a [`View`] and the nodes that had an index at the step before. Out: an arena of [`Simple`]
//! nodes, node 0 the root. Invariant: passes run in the tool's order (keep, paint order, prune,
//! containment, indices), each over the whole tree, none recursive; children come after their
//! parent in the arena.

use super::attributes;
use super::view::{View, has_internal_shadow};
use crate::dom::{Id, Shadow, push_reversed};
use crate::rects::{Rect, RectUnion};
use browserlens_core::page::{BoxInDocument, FrameId, NodeKey, NodeKind};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a simplified node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Element(Id),
    Text(Id),
    /// The shadow root of a host.
    ShadowRoot(Id),
    /// The shadow root that the browser itself gave a field.
    InternalRoot(Id),
    /// An element of the browser's own that wraps a field's editor.
    Wrapper(Id),
    /// The browser's own element that holds a field's text.
    Editor(Id),
}

impl Origin {
    pub fn id(self) -> Id {
        match self {
            Self::Element(id)
            | Self::Text(id)
            | Self::ShadowRoot(id)
            | Self::InternalRoot(id)
            | Self::Wrapper(id)
            | Self::Editor(id) => id,
        }
    }

    pub fn element(self) -> Option<Id> {
        match self {
            Self::Element(id) => Some(id),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Simple {
    pub origin: Origin,
    pub children: Vec<usize>,
    pub shadow_host: bool,
    /// `compound_components=…`.
    pub compound: Option<String>,
    pub index: Option<u32>,
    pub new: bool,
    pub covered: bool,
    pub excluded: bool,
}

#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Simple>,
    pub root: Option<usize>,
    /// Index and element of everything that can be acted on.
    pub selectors: Vec<(u32, Id)>,
    /// Fields whose inner editor can be acted on: its own node id is in no capture.
    pub editors: Vec<Id>,
}

enum Task {
    Enter(Origin, Option<usize>),
    Leave(usize, Option<usize>),
}

/// Builds the tree of a page.
pub(super) fn build(view: &View<'_, '_>, before: &HashSet<NodeKey>, editors_before: &HashSet<NodeKey>) -> Tree {
    let mut tree = Tree { nodes: Vec::new(), root: None, selectors: Vec::new(), editors: Vec::new() };
    tree.simplify(view);
    tree.find_covered(view);
    tree.prune(view);
    tree.find_contained(view);
    tree.give_indices(view, before, editors_before);
    tree
}

impl Tree {
    fn simplify(&mut self, view: &View<'_, '_>) {
        let dom = view.dom;
        let Some(document) = dom.main_document() else { return };
        // The first child of the document that is kept is the root.
        for child in dom.children(document).filter(|child| dom.is_element(*child)) {
            let mut tasks = vec![Task::Enter(Origin::Element(child), None)];
            while let Some(task) = tasks.pop() {
                match task {
                    Task::Enter(origin, parent) => self.enter(view, origin, parent, &mut tasks),
                    Task::Leave(at, parent) => self.leave(view, at, parent),
                }
            }
            if self.root.is_some() {
                return;
            }
        }
    }

    fn keep(&mut self, at: usize, parent: Option<usize>) {
        match parent {
            Some(parent) => self.nodes[parent].children.push(at),
            None => self.root = self.root.or(Some(at)),
        }
    }

    fn enter(&mut self, view: &View<'_, '_>, origin: Origin, parent: Option<usize>, tasks: &mut Vec<Task>) {
        let dom = view.dom;
        let id = origin.id();
        let mut shadow_host = false;
        let mut editor = None;
        let children: Vec<Origin> = match origin {
            Origin::Editor(_) => Vec::new(),
            Origin::InternalRoot(_) | Origin::Wrapper(_) => return,
            Origin::Text(_) => {
                let long = view.is_visible(id) && dom.node(id).text.trim().chars().nth(1).is_some();
                if !long {
                    return;
                }
                Vec::new()
            }
            Origin::ShadowRoot(host) => {
                origins(view, dom.children(host).filter(|child| !dom.node(*child).slotted && dom.scope(*child) == host))
            }
            Origin::Element(_) => {
                let excluded = dom.attribute(id, "data-browser-use-exclude");
                if is_dropped(dom.tag(id)) || excluded.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
                    return;
                }
                if let Some(document) = frame_content(view, id) {
                    origins(view, dom.children(document))
                } else {
                    let host = dom.is_host(id);
                    shadow_host = host || has_internal_shadow(view, id);
                    let below = dom.light_children(id).into_iter();
                    let below = below.filter(|child| dom.tag(id) != "slot" || !dom.node(*child).slotted);
                    let mut children = origins(view, below);
                    children.extend(host.then_some(Origin::ShadowRoot(id)));
                    editor = view.scrolling_editor(id);
                    children
                }
            }
        };
        let at = self.push(origin, shadow_host);
        if let Some(depth) = editor {
            self.add_editor(at, id, depth);
        }
        tasks.push(Task::Leave(at, parent));
        push_reversed(tasks, children.into_iter().map(|child| Task::Enter(child, Some(at))));
    }

    fn push(&mut self, origin: Origin, shadow_host: bool) -> usize {
        self.nodes.push(Simple {
            origin,
            children: Vec::new(),
            shadow_host,
            compound: None,
            index: None,
            new: false,
            covered: false,
            excluded: false,
        });
        self.nodes.len() - 1
    }

    /// Adds the browser's own tree in a field, down to the editor.
    fn add_editor(&mut self, field: usize, id: Id, depth: usize) {
        let mut parent = field;
        for level in 0..=depth {
            let origin = match level {
                0 => Origin::InternalRoot(id),
                _ if level == depth => Origin::Editor(id),
                _ => Origin::Wrapper(id),
            };
            let at = self.push(origin, false);
            self.nodes[parent].children.push(at);
            parent = at;
        }
    }

    fn leave(&mut self, view: &View<'_, '_>, at: usize, parent: Option<usize>) {
        let Origin::Element(id) = self.nodes[at].origin else { return self.keep(at, parent) };
        if frame_content(view, id).is_some() {
            return self.keep(at, parent);
        }
        self.nodes[at].compound = attributes::compound_words(view, id);
        let mut names = view.dom.node(id).attributes.iter().map(|(name, _)| name);
        let forced =
            is_file_input(view, id) || names.any(|name| name.starts_with("aria-") || name.starts_with("pseudo"));
        if view.is_visible(id) || forced || view.is_scrollable(id) || !self.nodes[at].children.is_empty() {
            self.keep(at, parent);
        }
    }

    /// Nodes of the tree in document order.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut todo: Vec<usize> = self.root.into_iter().collect();
        while let Some(next) = todo.pop() {
            order.push(next);
            todo.extend(self.nodes[next].children.iter().rev());
        }
        order
    }

    fn find_covered(&mut self, view: &View<'_, '_>) {
        let mut by_paint_order: BTreeMap<u32, Vec<(usize, Id, BoxInDocument)>> = BTreeMap::new();
        for at in self.in_order() {
            let id = self.nodes[at].origin.id();
            if !matches!(self.nodes[at].origin, Origin::Element(_) | Origin::Text(_)) {
                continue;
            }
            if let Some((bounds, page)) = view.bounds(id).zip(view.dom.node(id).page) {
                by_paint_order.entry(page.paint_order()).or_default().push((at, id, bounds));
            }
        }
        let mut unions: HashMap<FrameId, RectUnion> = HashMap::new();
        for layer in by_paint_order.into_values().rev() {
            for (at, id, bounds) in &layer {
                let union = unions.entry(view.dom.node(*id).frame).or_default();
                self.nodes[*at].covered = union.covers(Rect::from(*bounds));
            }
            for (_, id, bounds) in layer {
                if is_opaque(view, id) {
                    unions.entry(view.dom.node(id).frame).or_default().add(Rect::from(bounds));
                }
            }
        }
    }

    fn prune(&mut self, view: &View<'_, '_>) {
        for at in self.in_order().into_iter().rev() {
            let children = std::mem::take(&mut self.nodes[at].children);
            self.nodes[at].children = children.into_iter().filter(|child| self.is_meaningful(view, *child)).collect();
        }
        self.root = self.root.filter(|root| self.is_meaningful(view, *root));
    }

    fn is_meaningful(&self, view: &View<'_, '_>, at: usize) -> bool {
        let node = &self.nodes[at];
        match node.origin {
            Origin::Text(_) | Origin::Editor(_) => true,
            Origin::ShadowRoot(_) | Origin::InternalRoot(_) | Origin::Wrapper(_) => !node.children.is_empty(),
            Origin::Element(id) => {
                view.is_visible(id) || view.is_scrollable(id) || !node.children.is_empty() || is_file_input(view, id)
            }
        }
    }

    fn find_contained(&mut self, view: &View<'_, '_>) {
        let mut todo: Vec<(usize, Option<BoxInDocument>)> = self.root.map(|root| (root, None)).into_iter().collect();
        while let Some((at, outer)) = todo.pop() {
            let origin = self.nodes[at].origin;
            let mut inner = outer;
            if let Some(id) = origin.element() {
                if let Some(outer) = outer {
                    self.nodes[at].excluded = is_contained(view, id, outer);
                }
                if spreads_bounds(view, id) {
                    inner = view.bounds(id).or(outer);
                }
            }
            todo.extend(self.nodes[at].children.iter().map(|child| (*child, inner)));
        }
    }

    fn give_indices(&mut self, view: &View<'_, '_>, before: &HashSet<NodeKey>, editors_before: &HashSet<NodeKey>) {
        let order = self.in_order();
        let elements = order.iter().filter_map(|at| self.nodes[*at].origin.element());
        let interactive: HashSet<Id> = elements.filter(|id| view.is_interactive(*id)).collect();
        let is_interactive = |origin: Origin| origin.element().is_some_and(|id| interactive.contains(&id));
        let mut holds_interactive = vec![false; self.nodes.len()];
        for at in order.iter().rev() {
            let mut children = self.nodes[*at].children.iter();
            holds_interactive[*at] =
                children.any(|child| holds_interactive[*child] || is_interactive(self.nodes[*child].origin));
        }
        let reserved: HashSet<u32> =
            order.iter().map(|at| view.dom.node(self.nodes[*at].origin.id()).backend).collect();
        let mut free = reserved.iter().max().map_or(1, |most| most.saturating_add(1));
        let mut taken = HashSet::new();
        for at in order {
            let node = &self.nodes[at];
            if let Origin::Editor(field) = node.origin {
                let new = !before.is_empty() && !editors_before.contains(&view.dom.key(field));
                taken.insert(free);
                self.nodes[at].index = Some(free);
                self.nodes[at].new = new;
                self.editors.push(field);
                free = free.saturating_add(1);
                continue;
            }
            let Some(id) = node.origin.element().filter(|_| !node.excluded && !node.covered) else { continue };
            let wanted = if view.is_scrollable(id) {
                is_dropdown(view, id) || !holds_interactive[at]
            } else {
                is_interactive(node.origin) && (view.is_visible(id) || is_file_input(view, id))
            };
            if !wanted {
                continue;
            }
            let backend = view.dom.node(id).backend;
            let index = if taken.insert(backend) {
                backend
            } else {
                let next = free;
                free = free.saturating_add(1);
                taken.insert(next);
                next
            };
            let node = &mut self.nodes[at];
            node.index = Some(index);
            // Compound controls are marked on every step.
            node.new = node.compound.is_some() || (!before.is_empty() && !before.contains(&view.dom.key(id)));
            self.selectors.push((index, id));
        }
    }
}

fn origins(view: &View<'_, '_>, ids: impl Iterator<Item = Id>) -> Vec<Origin> {
    ids.filter_map(|id| match view.dom.node(id).kind {
        NodeKind::Element => Some(Origin::Element(id)),
        NodeKind::Text => Some(Origin::Text(id)),
        _ => None,
    })
    .collect()
}

/// Document of a frame that the tool can read.
pub(super) fn frame_content(view: &View<'_, '_>, id: Id) -> Option<Id> {
    matches!(view.dom.tag(id), "iframe" | "frame").then(|| view.dom.content_of(id)).flatten()
}

fn is_dropped(tag: &str) -> bool {
    [
        "style", "script", "head", "meta", "link", "title", "path", "rect", "g", "circle", "ellipse", "line",
        "polyline", "polygon", "use", "defs", "mask", "pattern", "image", "text", "tspan",
    ]
    .contains(&tag)
}

fn is_file_input(view: &View<'_, '_>, id: Id) -> bool {
    view.dom.tag(id) == "input" && view.dom.attribute(id, "type") == Some("file")
}

/// Whether what lies below the node cannot be seen through it.
fn is_opaque(view: &View<'_, '_>, id: Id) -> bool {
    let painted = view.dom.style(id, "background-color").is_some_and(|color| color != "rgba(0, 0, 0, 0)");
    let opacity = view.dom.style(id, "opacity").and_then(|opacity| opacity.parse::<f32>().ok());
    painted && opacity.is_none_or(|opacity| opacity >= 0.8)
}

/// Whether everything inside of the element counts as part of it.
fn spreads_bounds(view: &View<'_, '_>, id: Id) -> bool {
    let role = view.dom.attribute(id, "role");
    match view.dom.tag(id) {
        "a" | "button" => true,
        "div" | "span" => matches!(role, Some("button" | "combobox")),
        "input" => role == Some("combobox"),
        _ => false,
    }
}

fn is_contained(view: &View<'_, '_>, id: Id, outer: BoxInDocument) -> bool {
    let Some(bounds) = view.bounds(id) else { return false };
    let area = bounds.width * bounds.height;
    if area == 0.0 || bounds.intersection(outer).area() / area < 0.99 {
        return false;
    }
    let role = view.dom.attribute(id, "role");
    let own = matches!(view.dom.tag(id), "input" | "select" | "textarea" | "label")
        || spreads_bounds(view, id)
        || view.dom.attribute(id, "onclick").is_some()
        || view.dom.attribute(id, "aria-label").is_some_and(|label| !label.trim().is_empty())
        || matches!(role, Some("button" | "link" | "checkbox" | "radio" | "tab" | "menuitem" | "option"));
    !own
}

fn is_dropdown(view: &View<'_, '_>, id: Id) -> bool {
    let role = view.dom.attribute(id, "role").unwrap_or("").to_lowercase();
    let class = view.dom.attribute(id, "class").unwrap_or("").to_lowercase();
    let has = |word: &str| class.split_whitespace().any(|known| known == word);
    matches!(role.as_str(), "listbox" | "menu" | "combobox" | "menubar" | "tree" | "grid")
        || view.dom.tag(id) == "select"
        || ["dropdown", "dropdown-menu", "select-menu"].into_iter().any(has)
        || (has("ui") && class.contains("dropdown"))
}

/// Whether one of a host's kept shadow roots is closed.
pub(super) fn has_closed_root(view: &View<'_, '_>, nodes: &[Simple], at: usize) -> bool {
    let mut children = nodes[at].children.iter();
    children.any(|child| matches!(nodes[*child].origin, Origin::ShadowRoot(host) if is_closed(view, host)))
}

/// Whether a host's shadow root is closed.
pub(super) fn is_closed(view: &View<'_, '_>, host: Id) -> bool {
    view.dom.children(host).any(|child| view.dom.node(child).shadow == Shadow::Closed)
}
