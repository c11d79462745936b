//! The tool's tree of one document: roles, names, text and refs, before anything is folded.
//!
//! In: an [`Aria`] and the refs that the document's elements already have. Out: an arena of
//! [`AriaNode`]s, node 0 a fragment that holds the body. Invariant: refs are numbered in the order
//! of the walk, over all nodes that get one, also those that folding removes later; the walk is a
//! stack of tasks.

use super::aria::{Aria, is_true};
use super::name::Names;
use super::refs::DocumentRefs;
use crate::dom::{Id, push_reversed};
use browserlens_core::page::NodeKind;
use std::collections::HashSet;

/// A child of a node: text or a node of the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Child {
    Text(String),
    Node(usize),
}

/// One node of the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct AriaNode {
    pub role: &'static str,
    pub name: String,
    pub children: Vec<Child>,
    pub url: Option<String>,
    pub placeholder: Option<String>,
    pub aria_hidden: bool,
    pub active: bool,
    /// Its states as they are written.
    pub states: String,
    pub pointer: bool,
    /// The ref as it is written.
    pub reference: Option<String>,
    pub element: Id,
    /// Elements with a ref of their own that gave the name.
    pub named_by: Vec<Id>,
}

impl AriaNode {
    /// Whether the node has lines of its own such as `/url`.
    pub fn has_props(&self) -> bool {
        self.url.is_some() || self.placeholder.is_some() || self.aria_hidden
    }

    /// A ref and a pointer: the node that a person would click.
    pub fn is_click_target(&self) -> bool {
        self.reference.is_some() && self.pointer
    }
}

enum Task {
    Visit { into: usize, node: Id, parent_visible: bool },
    Leave { into: usize, element: Id, block: bool },
}

/// The walk over one document.
struct Walk<'w> {
    refs: &'w mut DocumentRefs,
    prefix: &'w str,
    nodes: Vec<AriaNode>,
    /// Elements that have a ref so far.
    with_ref: HashSet<Id>,
    tasks: Vec<Task>,
}

impl Walk<'_> {
    fn text(&mut self, into: usize, text: impl Into<String>) {
        self.nodes[into].children.push(Child::Text(text.into()));
    }
}

/// Builds the trees of one page's documents.
pub(super) struct TreeBuilder<'r, 'd, 'a> {
    aria: &'r Aria<'d, 'a>,
    names: Names<'r, 'd, 'a>,
    /// Elements with the focus: one a document on the way to the focused frame.
    active: &'r [Id],
    visited: Vec<bool>,
}

impl<'r, 'd, 'a> TreeBuilder<'r, 'd, 'a> {
    pub fn new(aria: &'r Aria<'d, 'a>, active: &'r [Id]) -> Self {
        Self { aria, names: Names::new(aria), active, visited: vec![false; aria.dom.len()] }
    }

    /// Returns the tree below a body; node 0 is its fragment.
    pub fn build(&mut self, body: Id, refs: &mut DocumentRefs, prefix: &str) -> Vec<AriaNode> {
        let nodes = vec![AriaNode { role: "fragment", element: body, ..AriaNode::default() }];
        let tasks = vec![Task::Visit { into: 0, node: body, parent_visible: true }];
        let mut walk = Walk { refs, prefix, nodes, with_ref: HashSet::new(), tasks };
        while let Some(task) = walk.tasks.pop() {
            match task {
                Task::Visit { into, node, parent_visible } => self.visit(&mut walk, into, node, parent_visible),
                Task::Leave { into, element, block } => self.leave(&mut walk, into, element, block),
            }
        }
        walk.nodes
    }

    fn visit(&mut self, walk: &mut Walk<'_>, into: usize, id: Id, parent_visible: bool) {
        let dom = self.aria.dom;
        let node = dom.node(id);
        if std::mem::replace(&mut self.visited[id as usize], true) {
            return;
        }
        if node.kind == NodeKind::Text {
            if parent_visible && walk.nodes[into].role != "textbox" && !node.text.is_empty() {
                walk.text(into, node.text);
            }
            return;
        }
        if node.kind != NodeKind::Element {
            return;
        }
        let visible = !self.aria.is_hidden(id) || self.aria.visible_box(id).0;
        let mut target = into;
        if let Some(made) = visible.then(|| self.make(walk, id)).flatten() {
            target = walk.nodes.len();
            if made.reference.is_some() {
                walk.with_ref.insert(id);
            }
            walk.nodes.push(made);
            walk.nodes[into].children.push(Child::Node(target));
        }
        let block = self.aria.display(id) != "inline" || node.tag == "br";
        if block {
            walk.text(target, " ");
        }
        if let Some(before) = self.aria.css_content(id, "::before") {
            walk.text(target, before);
        }
        walk.tasks.push(Task::Leave { into: target, element: id, block });
        let owned = dom.attribute(id, "aria-owns").map(|names| self.owned(id, names)).unwrap_or_default();
        let children = self.aria.script_children(id).into_iter().chain(owned);
        push_reversed(
            &mut walk.tasks,
            children.map(|node| Task::Visit { into: target, node, parent_visible: visible }),
        );
    }

    /// The elements of the document that `aria-owns` names.
    fn owned(&self, id: Id, names: &str) -> Vec<Id> {
        let dom = self.aria.dom;
        let document = std::iter::successors(Some(id), |id| dom.node(*id).parent).last().unwrap_or(id);
        names.split(browserlens_core::page::is_js_space).filter_map(|name| dom.by_id(document, name)).collect()
    }

    fn leave(&mut self, walk: &mut Walk<'_>, into: usize, element: Id, block: bool) {
        let dom = self.aria.dom;
        if let Some(after) = self.aria.css_content(element, "::after") {
            walk.text(into, after);
        }
        if block {
            walk.text(into, " ");
        }
        let node = &mut walk.nodes[into];
        if node.element == element {
            node.named_by.retain(|source| *source != element && walk.with_ref.contains(source));
        }
        if matches!(&node.children[..], [Child::Text(only)] if *only == node.name) {
            node.children.clear();
        }
        if node.role == "link"
            && let Some(href) = dom.attribute(element, "href")
        {
            node.url = Some(without_data(href));
        }
        if node.role == "textbox"
            && let Some(placeholder) = dom.attribute(element, "placeholder").filter(|text| *text != node.name)
        {
            node.placeholder = Some(placeholder.to_owned());
        }
    }

    /// The node of an element; none where the element has no line of its own.
    fn make(&mut self, walk: &mut Walk<'_>, id: Id) -> Option<AriaNode> {
        let dom = self.aria.dom;
        let (visible, inline) = self.aria.visible_box(id);
        let frame = matches!(dom.tag(id), "iframe" | "frame");
        let role = if frame { "iframe" } else { self.aria.role(id).unwrap_or("generic") };
        if matches!(role, "presentation" | "none") {
            return None;
        }
        let active = self.active.contains(&id);
        let mut node = AriaNode {
            role,
            element: id,
            active,
            aria_hidden: is_true(dom.attribute(id, "aria-hidden")),
            states: self.aria.states(id, role, active),
            pointer: self.aria.has_pointer(id),
            ..AriaNode::default()
        };
        if frame {
            node.reference = visible.then(|| walk.refs.give(dom.node(id).backend, role, "", walk.prefix));
            return Some(node);
        }
        if role == "generic" && inline && self.holds_only_text(id) {
            return None;
        }
        let (name, sources) = self.names.name(id);
        node.name = name;
        if visible && self.aria.receives_pointer(id) {
            node.reference = Some(walk.refs.give(dom.node(id).backend, role, &node.name, walk.prefix));
            node.named_by = sources;
        }
        let has_value = match dom.tag(id) {
            "textarea" => true,
            "input" => !matches!(self.aria.input_type(id).as_str(), "checkbox" | "radio" | "file"),
            _ => false,
        };
        if has_value {
            node.children.push(Child::Text(self.aria.live_value(id).to_owned()));
        }
        Some(node)
    }

    fn holds_only_text(&self, id: Id) -> bool {
        matches!(self.aria.dom.light_children(id)[..], [only] if self.aria.dom.node(only).kind == NodeKind::Text)
    }
}

/// A URL without the bytes of a `data:` one.
fn without_data(href: &str) -> String {
    match href.find(',') {
        Some(comma) if href.starts_with("data:") => format!("{}…", &href[..=comma]),
        _ => href.to_owned(),
    }
}
