//! One pass over the nodes of a page that builds the blocks of its sections.
//!
//! In: a node and options. Out: what each section says, in document order. Invariants: nodes are
//! visited once, in order, with what is open on a stack of our own; blanks are kept where the
//! browser renders one; where a box starts a line, so does a block. What is open, the
//! line being read and the marks are one state that every step changes.

mod levels;
mod line;

use super::ContentOptions;
use super::boxes::{flow, is_punctuation, is_section, list_start};
use super::fields;
use crate::markdown::{self, Block, MAX_NESTING, Mark, Piece};
use browserlens_core::page::{BoxInDocument, Flow, NodeId, NodeKind, NodeRef, Page, Visibility, role};
use levels::{Kind, Level};
use rustc_hash::FxHashSet;

/// What a section says in one go.
pub(super) struct Found {
    /// The section.
    pub node: NodeId,
    /// Where its text begins.
    pub begins: NodeId,
    /// What it says, in normal form.
    pub blocks: Vec<Block>,
}

/// Reads everything below a node, without the nodes of `skipped`, and appends it.
pub(super) fn read(root: NodeRef<'_>, options: &ContentOptions, skipped: &FxHashSet<NodeId>, out: &mut Vec<Found>) {
    walk(root, options, skipped, None, out);
}

/// Counts the words that are read of each node of a page: a word belongs to the node in which its
/// first letter or digit stands.
pub(super) fn count(page: &Page, options: &ContentOptions) -> Vec<u32> {
    let mut words = Words { of: vec![0; page.len()], told: false };
    walk(page.node(NodeId::ROOT), options, &FxHashSet::default(), Some(&mut words), &mut Vec::new());
    words.of
}

/// Words while they are counted.
struct Words {
    of: Vec<u32>,
    /// Whether the word that is open was counted.
    told: bool,
}

impl Words {
    fn add(&mut self, node: NodeId, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.told = false;
            } else if !self.told && c.is_alphanumeric() {
                self.told = true;
                if let Some(count) = self.of.get_mut(node.index()) {
                    *count += 1;
                }
            }
        }
    }
}

fn walk(
    root: NodeRef<'_>,
    options: &ContentOptions,
    skipped: &FxHashSet<NodeId>,
    words: Option<&mut Words>,
    out: &mut Vec<Found>,
) {
    let mut walk = Walk {
        options,
        out,
        skipped,
        words,
        at: root.id(),
        begins: None,
        open: Vec::new(),
        levels: vec![Level::new(Kind::Section(root.id()))],
        nested: 0,
        tables: 0,
        run: Vec::new(),
        marks: Vec::new(),
        code: None,
        last: None,
        held: None,
    };
    let page = root.page();
    let mut index = root.id().0;
    while index < root.end() {
        walk.close_before(index);
        let node = page.node(NodeId(index));
        index = if walk.enter(node, index == root.id().0) { index + 1 } else { node.end() };
    }
    walk.close_before(u32::MAX);
    walk.end_level();
}

/// What is done when the walk leaves a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// A block ends: what follows is on a new line.
    Block,
    /// A box within a line ends: what follows is another word.
    Blank,
    /// The innermost level ends.
    Level,
    /// The innermost mark ends.
    Mark,
    /// Code within a line ends.
    Code,
    /// A figure ends that began at this number of blocks.
    Figure(usize),
}

struct Walk<'o, 'w> {
    options: &'o ContentOptions,
    out: &'w mut Vec<Found>,
    /// What is not read.
    skipped: &'o FxHashSet<NodeId>,
    /// The words, if nothing but they are wanted.
    words: Option<&'w mut Words>,
    /// The node that is visited.
    at: NodeId,
    /// The node with which the section begins that is being read.
    begins: Option<NodeId>,
    /// Nodes that are open: one past their subtree, and what is done there.
    open: Vec<(u32, Leave)>,
    levels: Vec<Level>,
    /// How many of the levels are no sections.
    nested: usize,
    /// How many of the levels are tables.
    tables: usize,
    /// The line that is being read.
    run: Vec<Piece>,
    marks: Vec<Mark>,
    /// The `code` element that text belongs to.
    code: Option<u32>,
    /// Where the last text stands, if nothing has parted it from what comes.
    last: Option<BoxInDocument>,
    /// Where the checkbox or radio button stands that is all the run holds; it waits for its label.
    held: Option<BoxInDocument>,
}

impl Walk<'_, '_> {
    fn close_before(&mut self, index: u32) {
        while let Some((end, leave)) = self.open.last().copied() {
            if end > index {
                return;
            }
            self.open.pop();
            match leave {
                Leave::Block => self.flush(),
                Leave::Blank => self.blank(),
                Leave::Level => self.end_level(),
                Leave::Mark => {
                    self.marks.pop();
                }
                Leave::Code => self.code = None,
                Leave::Figure(from) => self.end_figure(from),
            }
        }
    }

    fn leave(&mut self, node: NodeRef<'_>, leave: Leave) {
        self.open.push((node.end(), leave));
    }

    /// Returns whether the children are visited.
    fn enter(&mut self, node: NodeRef<'_>, is_root: bool) -> bool {
        self.at = node.id();
        if !is_root && self.skipped.contains(&node.id()) {
            // It stands between what is before and behind it.
            if self.flow(node) == Flow::Inline {
                self.blank();
            } else {
                self.flush_all();
                if self.is_at_top() {
                    self.emit();
                }
            }
            return false;
        }
        match node.kind() {
            NodeKind::Text => {
                self.text(node);
                false
            }
            NodeKind::Pseudo => {
                // Markers are written as markers of lists; glyphs of private use are pictures.
                if node.tag() != "::marker" && self.is_shown(node) {
                    // A sign that a style adds stands for itself, unless it is punctuation of the
                    // text.
                    let is_sign = node.text().trim().chars().all(|c| !c.is_alphanumeric() && !is_punctuation(c));
                    if is_sign {
                        self.blank();
                    }
                    self.part(node);
                    self.push_text(node.text());
                    self.last = Some(node.bounds());
                    if is_sign {
                        self.blank();
                    }
                }
                false
            }
            NodeKind::Document => {
                if !is_root {
                    self.begin_section(node);
                }
                true
            }
            NodeKind::Element => self.element(node, is_root),
        }
    }

    fn flow(&self, node: NodeRef<'_>) -> Flow {
        flow(node, self.options.include_hidden)
    }

    fn is_shown(&self, node: NodeRef<'_>) -> bool {
        self.options.include_hidden || node.is_visible()
    }

    /// Whether an item or a cell is there: its own box may be missing (`display: contents`), as
    /// long as something in it is shown.
    fn is_there(&self, node: NodeRef<'_>) -> bool {
        node.visibility() != Visibility::NotRendered
            || self.options.include_hidden
            || node.descendants().any(|below| below.is_visible())
    }

    fn element(&mut self, node: NodeRef<'_>, is_root: bool) -> bool {
        let tag = node.tag();
        match tag {
            "script" | "style" | "template" | "noscript" | "head" | "title" | "datalist" => return false,
            "br" => {
                if node.visibility() != Visibility::NotRendered
                    || node.parent().is_some_and(|parent| self.is_shown(parent))
                {
                    self.line_break();
                }
                return false;
            }
            "hr" => {
                self.flush_all();
                if self.is_shown(node) {
                    self.push_block(Block::Rule);
                }
                return false;
            }
            "img" => {
                self.image(node, node.attribute("alt").unwrap_or_default(), node.attribute("src").unwrap_or_default());
                return false;
            }
            "input" | "select" | "textarea" if fields::is_field(node) => {
                self.field(node);
                return false;
            }
            _ => {}
        }
        // What has no box and holds nothing that has one says nothing.
        if node.visibility() == Visibility::NotRendered
            && !self.options.include_hidden
            && node.children().next().is_none()
        {
            return false;
        }
        let flow = self.flow(node);
        let role = node.role();
        if !is_root && is_section(node, tag, role) && self.marks.is_empty() && self.is_at_top() {
            self.begin_section(node);
            return true;
        }
        if let Some(visited) = self.structure(node, tag, role, flow) {
            return visited;
        }
        match flow {
            Flow::Block | Flow::Row | Flow::Cell => {
                self.flush();
                self.leave(node, Leave::Block);
            }
            Flow::Box => {
                self.blank();
                self.leave(node, Leave::Blank);
            }
            Flow::Inline => {}
        }
        self.mark(node, tag);
        true
    }

    /// Opens what markdown has a structure for; none if it is only a box.
    fn structure(&mut self, node: NodeRef<'_>, tag: &str, role: &str, flow: Flow) -> Option<bool> {
        let may_nest = self.nested < MAX_NESTING;
        let inner = self.levels.last().map(|level| &level.kind);
        let in_line = matches!(inner, Some(Kind::Heading(_) | Kind::Term));
        let heading = match tag.as_bytes() {
            [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
            _ if role == "heading" => Some(node.level().unwrap_or(2)),
            _ => None,
        };
        if let Some(level) = heading.filter(|_| !in_line) {
            return Some(self.begin(node, Kind::Heading(level)));
        }
        match tag {
            "pre" if !in_line => return Some(self.code_block(node)),
            "code" if flow == Flow::Block && !in_line => return Some(self.code_block(node)),
            "code" | "kbd" | "samp" | "tt" if self.code.is_none() && flow != Flow::Block => {
                self.code = Some(node.id().0);
                self.leave(node, Leave::Code);
                return Some(true);
            }
            "blockquote" if may_nest && !in_line => return Some(self.begin(node, Kind::Quote)),
            "dl" if may_nest && !in_line => return Some(self.begin(node, Kind::Definitions)),
            "dt" if matches!(inner, Some(Kind::Definitions)) => return Some(self.begin(node, Kind::Term)),
            "dd" if matches!(inner, Some(Kind::Definitions)) => return Some(self.begin(node, Kind::Meaning)),
            "figure" => {
                self.flush();
                let from = self.levels.last().map_or(0, |level| level.blocks.len());
                self.leave(node, Leave::Figure(from));
                return Some(true);
            }
            _ => {}
        }
        let is_list = matches!(tag, "ul" | "ol" | "menu") || (role == "list" && tag != "dl");
        if is_list && may_nest && !in_line {
            return Some(self.begin(node, Kind::List(list_start(node, tag))));
        }
        if matches!(inner, Some(Kind::List(_))) && (tag == "li" || role == "listitem") {
            if !self.is_there(node) {
                return Some(false);
            }
            return Some(self.begin(node, Kind::Item(None)));
        }
        let in_table = self.tables > 0;
        let is_table = matches!(role, "table" | "grid" | "treegrid")
            || (tag == "table" && !matches!(role, "LayoutTable" | "none" | "presentation" | "generic"));
        if is_table && !in_table && !in_line && may_nest {
            return Some(self.begin(node, Kind::Table));
        }
        let in_rows = matches!(self.levels.last(), Some(Level { kind: Kind::Table, .. }));
        if in_rows && (tag == "tr" || role == "row") {
            // What is still open stands above the row.
            self.flush();
        }
        let is_cell = matches!(tag, "td" | "th") || role::is_cell(role);
        if let Some(Level { kind: Kind::Table, rows, .. }) = self.levels.last_mut() {
            if tag == "tr" || role == "row" {
                rows.push(Vec::new());
                return None;
            }
            if is_cell {
                if !self.is_there(node) {
                    return Some(false);
                }
                let span = |names: [&str; 2]| names.iter().find_map(|name| node.attribute(name)).map(str::to_owned);
                let (columns, rows) = (span(["colspan", "aria-colspan"]), span(["rowspan", "aria-rowspan"]));
                return Some(self.begin(node, Kind::Cell { columns, rows }));
            }
        }
        None
    }

    fn mark(&mut self, node: NodeRef<'_>, tag: &str) {
        let mark = match tag {
            "b" | "strong" => Mark::Strong,
            "i" | "em" => Mark::Emphasis,
            "s" | "del" | "strike" => Mark::Strike,
            "a" if self.options.include_links => match node.attribute("href").map(str::trim) {
                Some(url) if !url.is_empty() && !is_script(url) => Mark::Link(markdown::clean_url(url)),
                _ => return,
            },
            _ => return,
        };
        // In a heading everything is strong.
        let in_heading = matches!(self.levels.last(), Some(Level { kind: Kind::Heading(_), .. }));
        if (in_heading && mark == Mark::Strong)
            || self.marks.iter().any(|known| std::mem::discriminant(known) == std::mem::discriminant(&mark))
        {
            return;
        }
        self.marks.push(mark);
        self.leave(node, Leave::Mark);
    }
}

fn is_script(url: &str) -> bool {
    url.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}
