//! One pass over the nodes of a page that builds the blocks of its sections.
//!
//! In: a node and options. Out: what each section says, in document order. Invariants: nodes are
//! visited once, in order, with what is open on a stack of our own; blanks are kept where the
//! browser renders one; where a box starts a line, so does a block. The file is long because what
//! is open, the line being read and the marks are one state that every step changes.

use super::ContentOptions;
use super::boxes::{Flow, flow, is_invisible, is_picture, is_punctuation, is_section, language, list_start};
use super::fields;
use super::table::{self, CellData};
use crate::markdown::{
    self, Block, Definition, Image, Inline, Item, List, MAX_NESTING, Mark, Piece, PieceKind, Place, build, clean_code,
};
use browserlens_page::{BoxInDocument, NodeId, NodeKind, NodeRef, Page, Visibility};
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

/// How wide a gap between two texts is a blank, as a share of the line's height.
const NARROWEST_BLANK: f32 = 0.12;

/// How far from its box a label may begin, in CSS px.
const FARTHEST_LABEL: f32 = 32.0;

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

/// A container of blocks that is open.
enum Kind {
    Section(NodeId),
    Heading(u8),
    Quote,
    List(Option<u32>),
    Item(Option<bool>),
    Table,
    Cell,
    Definitions,
    Term,
    Meaning,
}

struct Level {
    kind: Kind,
    blocks: Vec<Block>,
    items: Vec<Item>,
    rows: Vec<Vec<CellData>>,
    definitions: Vec<Definition>,
    spans: (Option<String>, Option<String>),
}

impl Level {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            blocks: Vec::new(),
            items: Vec::new(),
            rows: Vec::new(),
            definitions: Vec::new(),
            spans: (None, None),
        }
    }
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
            Flow::Block => {
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
        let is_cell = matches!(tag, "td" | "th") || matches!(role, "cell" | "gridcell" | "columnheader" | "rowheader");
        if let Some(Level { kind: Kind::Table, rows, .. }) = self.levels.last_mut() {
            if tag == "tr" || role == "row" {
                rows.push(Vec::new());
                return None;
            }
            if is_cell {
                if !self.is_there(node) {
                    return Some(false);
                }
                let span = |name: &str| node.attribute(name).map(str::to_owned);
                let spans = (
                    span("colspan").or_else(|| span("aria-colspan")),
                    span("rowspan").or_else(|| span("aria-rowspan")),
                );
                self.begin(node, Kind::Cell);
                if let Some(level) = self.levels.last_mut() {
                    level.spans = spans;
                }
                return Some(true);
            }
        }
        None
    }

    fn begin(&mut self, node: NodeRef<'_>, kind: Kind) -> bool {
        self.flush();
        self.nested += 1;
        self.tables += usize::from(matches!(kind, Kind::Table));
        self.levels.push(Level::new(kind));
        self.leave(node, Leave::Level);
        true
    }

    fn is_at_top(&self) -> bool {
        self.nested == 0
    }

    fn begin_section(&mut self, node: NodeRef<'_>) {
        if !self.is_at_top() {
            self.flush();
            self.leave(node, Leave::Block);
            return;
        }
        self.flush_all();
        self.emit();
        self.levels.push(Level::new(Kind::Section(node.id())));
        self.leave(node, Leave::Level);
    }

    /// Hands out what the innermost section has said since the last time.
    fn emit(&mut self) {
        if let Some(Level { kind: Kind::Section(node), blocks, .. }) = self.levels.last_mut() {
            let node = *node;
            let blocks = std::mem::take(blocks);
            let begins = self.begins.take().unwrap_or(node);
            if self.words.is_some() {
                return;
            }
            let blocks = markdown::normalise_built(blocks);
            if !blocks.is_empty() {
                self.out.push(Found { node, begins, blocks });
            }
        }
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

    fn text(&mut self, node: NodeRef<'_>) {
        let text = node.text();
        // A blank alone has no box where a line wraps at it, and parts words all the same.
        if text.trim_matches([' ', '\t', '\n', '\r', '\u{c}']).is_empty() {
            if !text.is_empty() {
                self.blank();
            }
            return;
        }
        if self.is_shown(node) {
            self.part(node);
            self.push_text(text);
            self.last = Some(node.bounds());
        }
    }

    /// Parts words that stand apart by a margin, with no blank between them in the document.
    fn part(&mut self, node: NodeRef<'_>) {
        if let Some(held) = self.held.take() {
            // Its label stands beside it.
            let next = node.bounds();
            let beside = held.y < next.bottom() && next.y < held.bottom();
            let gap = (next.x - held.right()).max(held.x - next.right());
            if beside && gap < FARTHEST_LABEL {
                self.blank();
            } else {
                self.flush_all();
            }
        }
        let Some(last) = self.last.take() else { return };
        let next = node.bounds();
        let is_line = |a: f32, b: f32| a > 0.0 && a < b * 1.6;
        let on_one_line = is_line(last.height, next.height)
            && is_line(next.height, last.height)
            && (last.y - next.y).abs() < last.height.min(next.height) / 2.0;
        let gap = (next.x - last.right()).max(last.x - next.right());
        let ends_word = match self.run.last() {
            Some(Piece { kind: PieceKind::Text(text) | PieceKind::Code(text), .. }) => {
                text.chars().next_back().is_some_and(char::is_alphanumeric)
            }
            _ => false,
        };
        let begins_word = node.text().chars().next().is_some_and(char::is_alphanumeric);
        if on_one_line && ends_word && begins_word && gap > last.height.min(next.height) * NARROWEST_BLANK {
            self.blank();
        }
    }

    /// Appends text; line ends that are still in it are rendered.
    fn push_text(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.line_break();
            }
            self.push_line(line);
        }
    }

    fn push_line(&mut self, line: &str) {
        let cleaned: String;
        let line = if line.is_ascii() || !line.contains(|c| is_picture(c) || is_invisible(c)) {
            line
        } else {
            cleaned = line.chars().filter(|c| !is_invisible(*c)).map(|c| if is_picture(c) { ' ' } else { c }).collect();
            &cleaned
        };
        if line.is_empty() {
            return;
        }
        let Some(_) = self.code else {
            self.push_piece(PieceKind::Text(line.to_owned()));
            return;
        };
        // Blanks at the edges of code are the line's.
        if line.starts_with(char::is_whitespace) {
            self.blank();
        }
        let inner = line.trim();
        if !inner.is_empty() {
            match self.run.last_mut() {
                Some(Piece { kind: PieceKind::Code(held), marks }) if *marks == self.marks => {
                    held.push_str(inner);
                    self.count(self.at, inner);
                }
                _ => self.push_piece(PieceKind::Code(inner.to_owned())),
            }
        }
        if line.ends_with(char::is_whitespace) {
            self.blank();
        }
    }

    fn count(&mut self, node: NodeId, text: &str) {
        if let Some(words) = &mut self.words {
            words.add(node, text);
        }
    }

    fn push_piece(&mut self, kind: PieceKind) {
        self.begins.get_or_insert(self.at);
        match &kind {
            PieceKind::Text(text) | PieceKind::Code(text) => self.count(self.at, text),
            PieceKind::Break => self.count(self.at, "\n"),
            PieceKind::Image(_) => {}
        }
        let mut marks = self.marks.clone();
        // A sign alone is not emphasised: delimiters around it would stand within a word.
        if let PieceKind::Text(text) = &kind
            && !text.contains(char::is_alphanumeric)
        {
            marks.retain(|mark| matches!(mark, Mark::Link(_)));
        }
        self.run.push(Piece { kind, marks });
    }

    fn blank(&mut self) {
        self.last = None;
        match self.run.last_mut() {
            None | Some(Piece { kind: PieceKind::Break, .. }) => {}
            Some(Piece { kind: PieceKind::Text(text), .. }) if text.ends_with(' ') => {}
            _ => self.push_piece(PieceKind::Text(" ".to_owned())),
        }
    }

    fn line_break(&mut self) {
        self.last = None;
        // Two breaks leave an empty line: a new paragraph.
        if matches!(self.run.last(), Some(Piece { kind: PieceKind::Break, .. })) {
            self.flush();
        } else {
            self.push_piece(PieceKind::Break);
        }
    }

    fn image(&mut self, node: NodeRef<'_>, alt: &str, source: &str) {
        if !self.options.include_images || !self.is_shown(node) {
            // A picture parts words.
            if self.flow(node) == Flow::Block {
                self.flush()
            } else {
                self.blank()
            }
            return;
        }
        let url = if source.trim_start().starts_with("data:") { "" } else { source };
        let is_block = self.flow(node) == Flow::Block;
        if is_block {
            self.flush();
        }
        self.push_piece(PieceKind::Image(Image { url: url.to_owned(), alt: alt.to_owned() }));
        if is_block {
            self.flush();
        }
    }

    fn field(&mut self, node: NodeRef<'_>) {
        let is_block = self.flow(node) == Flow::Block;
        if is_block {
            self.flush()
        } else {
            self.blank()
        }
        if self.is_shown(node) {
            // The box that begins an item makes it a task.
            if let (Some(done), true, Some(Level { kind: Kind::Item(task), blocks, .. })) =
                (fields::checkbox(node), self.run.iter().all(is_blank), self.levels.last_mut())
                && blocks.is_empty()
                && task.is_none()
            {
                *task = Some(done);
            } else if let Some(text) = fields::text(node) {
                if self.held.is_some() {
                    self.flush_all();
                }
                let is_first = self.run.iter().all(is_blank);
                self.push_text(&text);
                self.held = (is_first && fields::is_box(node)).then(|| node.bounds());
            }
        }
        if is_block { self.flush() } else { self.blank() }
    }

    /// Reads an element whose text is laid out as it stands.
    fn code_block(&mut self, node: NodeRef<'_>) -> bool {
        self.flush_all();
        self.begins.get_or_insert(node.id());
        let mut text = String::new();
        let mut ends: Vec<u32> = Vec::new();
        for inner in node.descendants() {
            while ends.last().is_some_and(|end| *end <= inner.id().0) {
                ends.pop();
                end_line(&mut text);
                self.count(node.id(), "\n");
            }
            let says = match inner.kind() {
                NodeKind::Text => self.is_shown(inner) || inner.text().trim().is_empty(),
                NodeKind::Pseudo => self.is_shown(inner) && inner.tag() != "::marker",
                _ => false,
            };
            if says {
                text.push_str(inner.text());
                self.count(inner.id(), inner.text());
            } else if inner.tag() == "br" {
                text.push('\n');
                self.count(node.id(), "\n");
            } else if inner.kind() == NodeKind::Element && self.flow(inner) == Flow::Block {
                end_line(&mut text);
                ends.push(inner.end());
                self.count(node.id(), "\n");
            }
        }
        self.count(node.id(), "\n");
        if !clean_code(&text).is_empty() {
            self.push_block(Block::Code { language: language(node), text });
        }
        false
    }

    /// Ends the line that is being read.
    fn flush(&mut self) {
        if self.held.is_none() {
            self.flush_all();
        }
    }

    /// Ends the line, even if it is only a box that waits for its label.
    fn flush_all(&mut self) {
        (self.last, self.held) = (None, None);
        self.count(self.at, "\n");
        if self.run.is_empty() {
            return;
        }
        // These are one line: a block within them is only another word.
        if matches!(self.levels.last(), Some(Level { kind: Kind::Heading(_) | Kind::Term, .. })) {
            self.push_piece(PieceKind::Break);
            return;
        }
        let content = build(std::mem::take(&mut self.run), Place::Paragraph);
        if !content.is_empty() {
            self.push_block(Block::Paragraph(content));
        }
    }

    fn push_block(&mut self, block: Block) {
        let Some(level) = self.levels.last_mut() else { return };
        match level.kind {
            Kind::List(_) => level.items.push(Item { task: None, blocks: vec![block] }),
            Kind::Definitions => {
                // What stands between terms and meanings belongs to the last meaning.
                match level.definitions.last_mut() {
                    Some(last) => match last.definitions.last_mut() {
                        Some(meaning) => meaning.push(block),
                        None => last.definitions.push(vec![block]),
                    },
                    None => level.definitions.push(Definition { term: Vec::new(), definitions: vec![vec![block]] }),
                }
            }
            Kind::Table if !level.rows.is_empty() => {
                // Something between rows: a row of its own keeps the order.
                level.rows.push(vec![CellData::new(vec![block], None, None)]);
            }
            _ => level.blocks.push(block),
        }
    }

    fn end_level(&mut self) {
        let line = match self.levels.last().map(|level| &level.kind) {
            Some(Kind::Heading(_) | Kind::Term) => {
                self.count(self.at, "\n");
                build(std::mem::take(&mut self.run), Place::Line)
            }
            _ => {
                self.flush_all();
                Vec::new()
            }
        };
        self.held = None;
        if matches!(self.levels.last(), Some(Level { kind: Kind::Section(_), .. })) {
            self.emit();
        }
        let Some(level) = self.levels.pop() else { return };
        self.nested -= usize::from(!matches!(level.kind, Kind::Section(_)));
        self.tables -= usize::from(matches!(level.kind, Kind::Table));
        match level.kind {
            Kind::Section(_) => {}
            Kind::Heading(number) => self.push_block(Block::Heading { level: number, content: line }),
            Kind::Quote => self.push_block(Block::Quote(level.blocks)),
            Kind::List(start) => {
                if !level.items.is_empty() {
                    self.push_block(Block::List(List { start, items: level.items }));
                }
            }
            Kind::Item(task) => {
                if let Some(above) = self.levels.last_mut() {
                    above.items.push(Item { task, blocks: level.blocks });
                }
            }
            Kind::Table => {
                level.blocks.into_iter().for_each(|block| self.push_block(block));
                let table = table::layout(level.rows);
                self.push_block(Block::Table(table));
            }
            Kind::Cell => {
                let cell = CellData::new(level.blocks, level.spans.0.as_deref(), level.spans.1.as_deref());
                if let Some(above) = self.levels.last_mut() {
                    match above.rows.last_mut() {
                        Some(row) => row.push(cell),
                        None => above.rows.push(vec![cell]),
                    }
                }
            }
            Kind::Definitions => self.push_block(Block::Definitions(level.definitions)),
            Kind::Term => {
                if let Some(above) = self.levels.last_mut() {
                    above.definitions.push(Definition { term: line, definitions: Vec::new() });
                }
            }
            Kind::Meaning => {
                if let Some(above) = self.levels.last_mut() {
                    match above.definitions.last_mut() {
                        Some(last) => last.definitions.push(level.blocks),
                        None => {
                            above.definitions.push(Definition { term: Vec::new(), definitions: vec![level.blocks] })
                        }
                    }
                }
            }
        }
    }

    fn end_figure(&mut self, from: usize) {
        self.flush_all();
        let Some(level) = self.levels.last_mut() else { return };
        if level.blocks.len() == from + 2
            && let Some(Block::Paragraph(content)) = level.blocks.get(from)
            && let [Inline::Image(image)] = content.as_slice()
            && let Some(Block::Paragraph(caption)) = level.blocks.get(from + 1)
        {
            let figure = Block::Figure { image: image.clone(), caption: caption.clone() };
            level.blocks.truncate(from);
            level.blocks.push(figure);
        }
    }
}

fn is_blank(piece: &Piece) -> bool {
    match &piece.kind {
        PieceKind::Text(text) => text.trim().is_empty(),
        PieceKind::Break => true,
        _ => false,
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn is_script(url: &str) -> bool {
    url.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}
