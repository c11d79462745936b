//! One capture as one tree: flat columns, interned strings, arena order = document order.
//!
//! In: columns filled by [`crate::page::parse`] or [`crate::page::PageBuilder`]. Out: read-only views
//! ([`NodeRef`]). Invariants: the root is node 0 and a document; a parent precedes its children;
//! the subtree of a node is the contiguous range `id..end`; every symbol, parent and frame index is
//! in range (the codec checks that on load). Why columns and not boxes: a pass over one property of
//! 10,000 nodes touches one array.

mod node_ref;

pub use node_ref::NodeRef;

use crate::page::node::{
    BoxInDocument, Clickability, Flags, NodeId, NodeKey, NodeKind, ScrollOffset, States, Viewport, Visibility,
};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// An interned string of one page; [`Sym::EMPTY`] is the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sym(pub u32);

impl Sym {
    /// The empty string, in every page.
    pub const EMPTY: Self = Self(0);
}

/// The strings of one page: one buffer and where each string ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strings {
    pub(crate) text: String,
    pub(crate) ends: Vec<u32>,
}

impl Strings {
    /// Returns the string of a symbol, or the empty string if the symbol is of another page.
    pub fn get(&self, sym: Sym) -> &str {
        let index = sym.0 as usize;
        let start = if index == 0 { 0 } else { self.ends.get(index - 1).copied().unwrap_or(0) as usize };
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or("")
    }

    /// Adds a string to those of a page that is built.
    pub(crate) fn push(&mut self, text: &str) -> Sym {
        let sym = Sym(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        sym
    }

    /// Returns how many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether only the empty string is there.
    pub fn is_empty(&self) -> bool {
        self.ends.len() <= 1
    }
}

/// Collects strings while a page is built.
#[derive(Debug)]
pub(crate) struct Interner {
    strings: Strings,
    known: HashMap<Box<str>, Sym, RandomState>,
}

impl Interner {
    pub(crate) fn new() -> Self {
        let mut interner =
            Self { strings: Strings { text: String::new(), ends: Vec::new() }, known: HashMap::default() };
        interner.intern("");
        interner
    }

    pub(crate) fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.known.get(text) {
            return *sym;
        }
        let sym = self.strings.push(text);
        self.known.insert(text.into(), sym);
        sym
    }

    pub(crate) fn finish(self) -> Strings {
        self.strings
    }
}

/// One frame of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Recording-wide number of the frame; part of [`NodeKey`].
    pub number: u32,
    /// Recording-wide number of the document in it; part of [`NodeKey`].
    pub loader: u32,
    /// URL of the document.
    pub url: String,
    /// Title of the document.
    pub title: String,
    /// The `iframe` element that holds it; none for the main frame.
    pub owner: Option<NodeId>,
    /// The document node; none where the content is opaque.
    pub document: Option<NodeId>,
    /// Scroll offset of the document.
    pub scroll: ScrollOffset,
    /// Rendered text of the document as the browser gives it (`innerText` of the body).
    pub rendered_text: String,
}

macro_rules! columns {
    ($($column:ident: $of:ty,)+) => {
        /// The columns of the arena, all of one length, and the lists that they begin in.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(crate) struct Columns {
            $(pub $column: Vec<$of>,)+
            pub attributes_start: Vec<u32>,
            pub attributes: Vec<(Sym, Sym)>,
            pub styles_start: Vec<u32>,
            pub styles: Vec<(u8, Sym)>,
            pub scrolled: Vec<(u32, ScrollOffset, f32, f32)>,
        }

        impl Columns {
            /// Returns whether every column has so many rows.
            pub(crate) fn are_of(&self, rows: usize) -> bool {
                let starts = [self.attributes_start.len(), self.styles_start.len()];
                [$(self.$column.len()),+].iter().chain(&starts).all(|length| *length == rows)
            }
        }
    };
}

columns! {
    kind: NodeKind,
    parent: u32,
    end: u32,
    depth: u32,
    frame: u16,
    backend: u32,
    tag: Sym,
    role: Sym,
    name: Sym,
    description: Sym,
    value: Sym,
    text: Sym,
    states: States,
    level: u8,
    bounds: BoxInDocument,
    paint_order: u32,
    visibility: Visibility,
    covered_by: u32,
    clickability: Clickability,
    flags: Flags,
}

pub(crate) const NO_NODE: u32 = u32::MAX;

/// One capture parsed into one tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    pub(crate) viewport: Viewport,
    pub(crate) scroll: ScrollOffset,
    pub(crate) content_width: f32,
    pub(crate) content_height: f32,
    pub(crate) frames: Vec<Frame>,
    pub(crate) strings: Strings,
    pub(crate) nodes: Columns,
    /// What its secret fields hold: neither written down nor compared.
    #[serde(skip)]
    pub(crate) secrets: Secrets,
}

/// What secret fields hold.
#[derive(Clone, Default)]
pub(crate) struct Secrets(pub(crate) Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

/// Pages that say the same are the same.
impl PartialEq for Secrets {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Page {
    /// Returns what the secret fields of a page that was just parsed hold, so that it can be masked
    /// where it stands elsewhere; nothing for a page that was read back from bytes.
    pub fn secrets(&self) -> &[String] {
        &self.secrets.0
    }

    /// Returns the URL of the main frame's document.
    pub fn url(&self) -> &str {
        self.frames.first().map_or("", |frame| &frame.url)
    }

    /// Returns the title of the main frame's document.
    pub fn title(&self) -> &str {
        self.frames.first().map_or("", |frame| &frame.title)
    }

    /// Returns the viewport that the page was captured in.
    pub fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// Returns how far the main document is scrolled.
    pub fn scroll(&self) -> ScrollOffset {
        self.scroll
    }

    /// Returns what of the main document is in the viewport.
    pub fn view(&self) -> BoxInDocument {
        let (width, height) = (self.viewport.width as f32, self.viewport.height as f32);
        BoxInDocument { x: self.scroll.x, y: self.scroll.y, width, height }
    }

    /// Returns the width and height of the main document's content, in CSS px.
    pub fn content_size(&self) -> (f32, f32) {
        (self.content_width, self.content_height)
    }

    /// Returns what the main frame shows: number of the frame and of its loader.
    pub fn document(&self) -> (u32, u32) {
        self.frames().first().map_or((0, 0), |frame| (frame.number, frame.loader))
    }

    /// Returns the frames; the first is the main frame.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns how many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.parent.len()
    }

    /// Returns whether the page has no node below its root.
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Returns the root.
    pub fn root(&self) -> NodeRef<'_> {
        self.node(NodeId::ROOT)
    }

    /// Returns the view of a node.
    ///
    /// # Panics
    /// If `id` is not of this page; ids only come from the page itself.
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        assert!(id.index() < self.len(), "node {} is not of this page of {} nodes", id.0, self.len());
        NodeRef { page: self, id }
    }

    /// Returns every node in document order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeRef<'_>> + Clone {
        (0..self.len() as u32).map(|index| NodeRef { page: self, id: NodeId(index) })
    }

    /// Returns the node with this key, by a scan; build a map where many are looked up.
    pub fn find(&self, key: NodeKey) -> Option<NodeRef<'_>> {
        self.nodes().find(|node| node.key() == key)
    }

    /// Returns the node that has the focus, if one has.
    pub fn focused(&self) -> Option<NodeRef<'_>> {
        self.nodes().rfind(|node| node.states().has(States::FOCUSED) && node.kind() == NodeKind::Element)
    }

    /// Returns the string table.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }
}
