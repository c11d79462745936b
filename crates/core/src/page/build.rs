//! Builds a page node by node: for the parser, for importers and for tests.
//!
//! In: nodes opened and closed in document order ([`PageBuilder::open`], [`PageBuilder::close`]),
//! or an indented outline ([`PageBuilder::outline`]). Out: a [`Page`]. Invariant: whatever the
//! order of calls, the page is well formed; unclosed nodes are closed by `finish`.

mod outline;

use crate::page::node::{
    BoxInDocument, Clickability, Flags, NodeId, NodeKind, ScrollOffset, States, Viewport, Visibility,
};
use crate::page::role;
use crate::page::tree::{Columns, Frame, Interner, NO_NODE, Page, Secrets, Sym};

/// What a node is built from; everything has a plain default.
#[derive(Clone, Debug)]
pub struct NodeSpec<'a> {
    /// What the node is.
    pub kind: NodeKind,
    /// Tag in lower case.
    pub tag: &'a str,
    /// Role; empty for none.
    pub role: &'a str,
    /// Accessible name.
    pub name: &'a str,
    /// Accessible description.
    pub description: &'a str,
    /// Value.
    pub value: &'a str,
    /// Own text of a text node or pseudo-element.
    pub text: &'a str,
    /// Backend node id; 0 takes the next free one.
    pub backend: u32,
    /// States.
    pub states: States,
    /// Level, 0 for none.
    pub level: u8,
    /// Box in document CSS px.
    pub bounds: BoxInDocument,
    /// Paint order.
    pub paint_order: u32,
    /// Visibility.
    pub visibility: Visibility,
    /// Why it can be clicked; an interactive role adds `ROLE` by itself.
    pub clickability: Clickability,
    /// Flags.
    pub flags: Flags,
    /// Attributes in source order.
    pub attributes: Vec<(&'a str, &'a str)>,
    /// Computed styles: index in [`crate::page::capture::COMPUTED_STYLES`] and value.
    pub styles: Vec<(u8, &'a str)>,
    /// Scroll offset, scroll width and height, if the node scrolls.
    pub scrolled: Option<(ScrollOffset, f32, f32)>,
}

impl Default for NodeSpec<'_> {
    fn default() -> Self {
        Self {
            kind: NodeKind::Element,
            tag: "div",
            role: "",
            name: "",
            description: "",
            value: "",
            text: "",
            backend: 0,
            states: States::NONE,
            level: 0,
            bounds: BoxInDocument { x: 0.0, y: 0.0, width: 100.0, height: 20.0 },
            paint_order: 1,
            visibility: Visibility::Visible,
            clickability: Clickability::NONE,
            flags: Flags::IN_VIEWPORT,
            attributes: Vec::new(),
            styles: Vec::new(),
            scrolled: None,
        }
    }
}

impl<'a> NodeSpec<'a> {
    /// Returns a visible text node.
    pub fn text_node(text: &'a str) -> Self {
        Self { kind: NodeKind::Text, tag: "#text", role: "StaticText", text, ..Self::default() }
    }

    /// Returns a visible element with a role and an accessible name.
    pub fn with_role(role: &'a str, name: &'a str) -> Self {
        Self { role, name, tag: tag_of(role), ..Self::default() }
    }
}

fn tag_of(role: &str) -> &'static str {
    match role {
        "button" => "button",
        "link" => "a",
        "textbox" | "searchbox" | "checkbox" | "radio" | "spinbutton" | "slider" => "input",
        "combobox" => "select",
        "option" => "option",
        "heading" => "h2",
        "navigation" => "nav",
        "main" => "main",
        "banner" => "header",
        "contentinfo" => "footer",
        "list" => "ul",
        "listitem" => "li",
        "table" => "table",
        "row" => "tr",
        "cell" => "td",
        "paragraph" => "p",
        "image" => "img",
        "Canvas" => "canvas",
        _ => "div",
    }
}

/// Builds a [`Page`].
#[derive(Debug)]
pub struct PageBuilder {
    viewport: Viewport,
    scroll: ScrollOffset,
    content: (f32, f32),
    frames: Vec<Frame>,
    frame_stack: Vec<u16>,
    open: Vec<u32>,
    next_backend: u32,
    strings: Interner,
    nodes: Columns,
    secrets: Vec<String>,
}

impl PageBuilder {
    /// Starts a page; its root document is open.
    pub fn new(url: &str, title: &str) -> Self {
        let mut builder = Self::bare();
        builder.begin(url, title);
        builder
    }

    /// Opens the main frame and its root document.
    fn begin(&mut self, url: &str, title: &str) {
        let frame = Frame { number: 1, loader: 1, url: url.to_owned(), title: title.to_owned(), ..Frame::default() };
        self.open_frame(frame);
        let (tag, role) = ("#document", "RootWebArea");
        self.open(NodeSpec { kind: NodeKind::Document, tag, role, name: title, ..NodeSpec::default() });
    }

    pub(crate) fn bare() -> Self {
        Self {
            viewport: Viewport::default(),
            scroll: ScrollOffset::default(),
            content: (0.0, 0.0),
            frames: Vec::new(),
            frame_stack: Vec::new(),
            open: Vec::new(),
            next_backend: 1,
            strings: Interner::new(),
            nodes: Columns::default(),
            secrets: Vec::new(),
        }
    }

    /// Notes what a secret field holds.
    pub fn secret(&mut self, value: &str) -> &mut Self {
        if !value.is_empty() && !self.secrets.iter().any(|known| known == value) {
            self.secrets.push(value.to_owned());
        }
        self
    }

    /// Sets the viewport.
    pub fn viewport(&mut self, viewport: Viewport) -> &mut Self {
        self.viewport = viewport;
        self
    }

    /// Sets how far the main document is scrolled, and how large its content is, in CSS px.
    pub fn scroll(&mut self, scroll: ScrollOffset, content_width: f32, content_height: f32) -> &mut Self {
        self.scroll = scroll;
        self.content = (content_width, content_height);
        if let Some(main) = self.frames.first_mut() {
            main.scroll = scroll;
        }
        self
    }

    /// Sets the recording-wide numbers of the main frame and its document: a new loader is a new
    /// document.
    pub fn document(&mut self, frame: u32, loader: u32) -> &mut Self {
        if let Some(main) = self.frames.first_mut() {
            main.number = frame;
            main.loader = loader;
        }
        self
    }

    pub(crate) fn viewport_size(&self) -> (f32, f32) {
        (self.viewport.width as f32, self.viewport.height as f32)
    }

    /// Number of open nodes.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Closes nodes until `depth` are open.
    pub(crate) fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth.max(1) {
            self.close_one();
        }
    }

    pub(crate) fn flag(&mut self, node: NodeId, flags: Flags) {
        if let Some(slot) = self.nodes.flags.get_mut(node.index()) {
            *slot = slot.with(flags);
        }
    }

    /// Opens a frame: nodes until [`PageBuilder::close_frame`] belong to it. The open node is its
    /// `iframe` element; the next node that is opened is its document.
    pub fn open_frame(&mut self, mut frame: Frame) -> &mut Self {
        frame.owner = self.open.last().map(|id| NodeId(*id));
        frame.document = Some(NodeId(self.nodes.parent.len() as u32));
        self.frames.push(frame);
        self.frame_stack.push((self.frames.len() - 1) as u16);
        self
    }

    /// Closes the frame opened last.
    pub fn close_frame(&mut self) -> &mut Self {
        if self.frame_stack.len() > 1 {
            self.frame_stack.pop();
        }
        self
    }

    /// Opens a node below the open one and returns its id.
    pub fn open(&mut self, spec: NodeSpec<'_>) -> NodeId {
        let id = self.nodes.parent.len() as u32;
        let backend = if spec.backend == 0 { self.next_backend } else { spec.backend };
        self.next_backend = self.next_backend.max(backend.saturating_add(1));
        let strings = &mut self.strings;
        let nodes = &mut self.nodes;
        nodes.kind.push(spec.kind);
        nodes.parent.push(self.open.last().copied().unwrap_or(NO_NODE));
        nodes.end.push(id + 1);
        nodes.depth.push(self.open.len() as u32);
        nodes.frame.push(self.frame_stack.last().copied().unwrap_or(0));
        nodes.backend.push(backend);
        nodes.tag.push(strings.intern(spec.tag));
        nodes.role.push(strings.intern(spec.role));
        nodes.name.push(strings.intern(spec.name));
        nodes.description.push(strings.intern(spec.description));
        nodes.value.push(strings.intern(spec.value));
        nodes.text.push(strings.intern(spec.text));
        nodes.states.push(spec.states);
        nodes.level.push(spec.level);
        nodes.bounds.push(spec.bounds);
        nodes.paint_order.push(spec.paint_order);
        nodes.visibility.push(spec.visibility);
        nodes.covered_by.push(NO_NODE);
        let by_role = if role::is_interactive(spec.role) { Clickability::ROLE } else { Clickability::NONE };
        nodes.clickability.push(spec.clickability.with(by_role));
        nodes.flags.push(spec.flags);
        nodes.attributes_start.push(nodes.attributes.len() as u32);
        for (name, value) in &spec.attributes {
            let pair = (strings.intern(name), strings.intern(value));
            nodes.attributes.push(pair);
        }
        nodes.styles_start.push(nodes.styles.len() as u32);
        for (style, value) in &spec.styles {
            let value = strings.intern(value);
            nodes.styles.push((*style, value));
        }
        if let Some((offset, width, height)) = spec.scrolled {
            nodes.scrolled.push((id, offset, width, height));
        }
        self.open.push(id);
        NodeId(id)
    }

    /// Gives the node opened last computed styles, as [`NodeSpec::styles`] would; what they are
    /// called here is kept in `known`.
    pub(crate) fn style(&mut self, styles: &[(u8, &str)], known: &mut Option<Vec<(u8, Sym)>>) {
        let strings = &mut self.strings;
        let known =
            known.get_or_insert_with(|| styles.iter().map(|(style, value)| (*style, strings.intern(value))).collect());
        self.nodes.styles.extend_from_slice(known);
    }

    /// Closes the open node; the root stays open.
    pub fn close(&mut self) -> &mut Self {
        if self.open.len() > 1 {
            self.close_one();
        }
        self
    }

    fn close_one(&mut self) {
        if let Some(id) = self.open.pop() {
            self.nodes.end[id as usize] = self.nodes.parent.len() as u32;
        }
    }

    /// Adds a node without children.
    pub fn leaf(&mut self, spec: NodeSpec<'_>) -> NodeId {
        let id = self.open(spec);
        self.close();
        id
    }

    /// Adds a visible text node.
    pub fn text(&mut self, text: &str) -> NodeId {
        self.leaf(NodeSpec::text_node(text))
    }

    /// Ends the page; open nodes are closed.
    pub fn finish(mut self) -> Page {
        if self.nodes.parent.is_empty() {
            self.begin("", "");
        }
        while !self.open.is_empty() {
            self.close_one();
        }
        Page {
            viewport: self.viewport,
            scroll: self.scroll,
            content_width: self.content.0,
            content_height: self.content.1,
            frames: self.frames,
            strings: self.strings.finish(),
            nodes: self.nodes,
            secrets: Secrets(self.secrets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_becomes_a_tree_in_document_order() {
        let page = PageBuilder::outline(
            r#"
            main
              heading "Search" level=1
              generic
                button "Go" disabled #40 box=8,8,24,24
                text "two words"
              textbox "Query" value="a b" focused
            "#,
        );
        let shape: Vec<(u32, &str, &str)> = page.nodes().map(|node| (node.depth(), node.role(), node.name())).collect();
        assert_eq!(
            shape,
            [
                (0, "RootWebArea", "Test"),
                (1, "main", ""),
                (2, "heading", "Search"),
                (2, "generic", ""),
                (3, "button", "Go"),
                (3, "StaticText", ""),
                (2, "textbox", "Query"),
            ]
        );
        let go = page.nodes().find(|node| node.name() == "Go").expect("the button is there");
        assert!(go.states().has(States::DISABLED) && go.is_interactive());
        assert_eq!(go.key().backend, 40);
        assert_eq!(page.focused().map(|node| node.value()), Some("a b"));
        let main = page.root().children().next().expect("main is there");
        assert_eq!(main.children().count(), 3);
        assert_eq!(main.visible_text(), "two words");
    }
}
