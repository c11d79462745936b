//! A page's text in blocks: headings, paragraphs, lists, code, quotes and tables.
//!
//! In: a [`Page`]. Out: [`Block`]s in document order, frames and shadow trees in place. Invariants:
//! each text that a person sees stands in exactly one block, and blocks hold nothing else: but for
//! white space, the blocks' texts in order are the seen texts in order. One forward pass with a
//! stack of its own; xpaths are short however deep a page nests.
//!
//! What a person sees: [`NodeRef::is_seen`], so no text that is not rendered, clipped away,
//! transparent, painted over or in the colour behind it; and no list markers and no characters
//! without a glyph (soft hyphens, zero-width blanks, marks of direction).
//!
//! What wins where blocks nest: a heading or a frame's document ends what is around it, so does
//! code in a list or quote and a table in a list or quote; what else lies in a list, table or quote
//! belongs to the outermost one. Parts of one list on both sides of a heading in it are two blocks
//! of one xpath.
//!
//! White space: one line for each item of a list, row of a table (cells are separated by tabs),
//! line of code, paragraph of a quote and hard line break; everything else is one blank. A heading
//! is one line.
//!
//! What is very long is divided: a block of more than [`LONGEST_BLOCK`] characters is several, cut
//! behind a line if there is one, else behind a sentence, else at a blank. Each begins where the one
//! before ends, to the character.

use crate::parts::divided;
use crate::xpath::Xpaths;
use browserlens_core::page::text::{beginning, would_join};
use browserlens_core::page::{BoxInDocument, Flow, NodeId, NodeKind, NodeRef, Page, Visibility};
use serde::{Deserialize, Serialize};

/// Most characters of a block; what is longer is divided.
pub const LONGEST_BLOCK: usize = 4_000;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// A heading: `h1` to `h6`, or an element of the accessibility role `heading`.
    Heading {
        /// Its level, from 1: of the accessibility tree, or of the tag.
        level: u8,
    },
    /// Text of a box that is nothing else.
    Paragraph,
    /// A list, of any kind.
    List,
    /// Preformatted code.
    Code,
    /// A quotation.
    Quote,
    /// A table of data; a table for layout is paragraphs.
    Table,
}

impl BlockKind {
    /// Returns the level of a heading; none for anything else.
    pub fn level(self) -> Option<u8> {
        if let Self::Heading { level } = self { Some(level) } else { None }
    }

    /// Returns whether each line is a part of its own: of a list or a table.
    pub fn is_by_lines(self) -> bool {
        matches!(self, Self::List | Self::Table)
    }
}

/// One block of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text; never empty.
    pub text: String,
    /// Where its element stands (see [`crate::Xpaths`]).
    pub xpath: String,
    /// Its number among the blocks, from 0.
    pub position: u32,
    /// Its element in the page that it was read from.
    pub node: NodeId,
    /// Which landmark beside the main text it lies in (navigation, aside or footer), from 1 in
    /// document order; 0 for none.
    pub side: u32,
    /// Whether that landmark is navigation.
    pub navigation: bool,
    /// Whether it goes on with the block before it, without anything between the two.
    pub continued: bool,
}

/// Returns the blocks of a page in document order.
pub fn blocks(page: &Page) -> Vec<Block> {
    let xpaths = Xpaths::of(page);
    let mut walk = Walk {
        xpaths: &xpaths,
        out: Vec::new(),
        owners: vec![OUTERMOST],
        open: Vec::new(),
        sides: 0,
        side: None,
        text: String::new(),
        last: BoxInDocument::default(),
        gap: Gap::None,
    };
    for node in page.nodes() {
        walk.leave_before(node.id().0);
        walk.enter(node);
    }
    walk.leave_before(u32::MAX);
    walk.flush();
    walk.out
}

/// Returns the level of a heading; none if the node is none.
pub(crate) fn heading_level(node: NodeRef<'_>) -> Option<u8> {
    let of_tag = match node.tag().as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    };
    if node.role() == "heading" { Some(node.level().or(of_tag).unwrap_or(2).max(1)) } else { of_tag }
}

/// Returns whether a character has no glyph and parts no words.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

/// What stands between the text so far and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Blank,
    Tab,
    Line,
}

/// The block that text goes to.
#[derive(Clone, Copy)]
struct Owner {
    kind: BlockKind,
    node: NodeId,
    side: u32,
    navigation: bool,
}

/// What owns text that stands in nothing else.
const OUTERMOST: Owner = Owner { kind: BlockKind::Paragraph, node: NodeId::ROOT, side: 0, navigation: false };

/// What happens where an element ends.
#[derive(Clone, Copy)]
enum Leave {
    /// The block ends.
    Owner,
    /// A gap follows.
    Gap(Gap),
}

struct Walk<'w> {
    xpaths: &'w Xpaths<'w>,
    out: Vec<Block>,
    owners: Vec<Owner>,
    /// Index one past the subtree, and what happens there; nested.
    open: Vec<(u32, Leave)>,
    /// Landmarks beside the main text so far.
    sides: u32,
    /// The outermost one that the walk is in, the index one past it, and whether it is navigation.
    side: Option<(u32, u32, bool)>,
    text: String,
    /// Where the last text stands.
    last: BoxInDocument,
    gap: Gap,
}

impl Walk<'_> {
    fn owner(&self) -> Owner {
        self.owners.last().copied().unwrap_or(OUTERMOST)
    }

    fn leave_before(&mut self, index: u32) {
        while let Some((_, leave)) = self.open.pop_if(|(end, _)| *end <= index) {
            match leave {
                Leave::Gap(gap) => self.part(gap),
                Leave::Owner => {
                    self.flush();
                    self.owners.pop();
                }
            }
        }
        self.side = self.side.filter(|(_, end, _)| *end > index);
    }

    fn enter(&mut self, node: NodeRef<'_>) {
        match node.kind() {
            NodeKind::Text => {
                if node.is_seen() {
                    // A margin as wide as a blank is one.
                    if would_join(&self.text, node.text()) && node.bounds().is_apart_from(self.last) {
                        self.part(Gap::Blank);
                    }
                    self.push(node.text());
                    self.last = node.bounds();
                }
            }
            NodeKind::Pseudo => {
                if node.is_seen() && node.tag() != "::marker" {
                    self.push(node.text());
                }
            }
            NodeKind::Document => self.own(node, BlockKind::Paragraph),
            NodeKind::Element => self.element(node),
        }
    }

    fn element(&mut self, node: NodeRef<'_>) {
        if node.tag() == "br" {
            self.part(Gap::Line);
            return;
        }
        let begins_side = self.side.is_none() && is_side(node);
        if begins_side {
            self.sides += 1;
            self.side = Some((self.sides, node.end(), node.role() == "navigation" || node.tag() == "nav"));
        }
        let flow = flow(node);
        let within = self.owner().kind;
        let opens = structure(node, flow).filter(|kind| match (within, kind) {
            (BlockKind::Heading { .. } | BlockKind::Code, _) => false,
            (BlockKind::Paragraph, _) | (_, BlockKind::Heading { .. }) => true,
            (BlockKind::List | BlockKind::Quote, BlockKind::Code | BlockKind::Table) => true,
            _ => false,
        });
        if let Some(kind) = opens {
            self.own(node, kind);
            return;
        }
        let gap = match (within, flow) {
            (BlockKind::Paragraph, _) if begins_side => {
                self.own(node, BlockKind::Paragraph);
                return;
            }
            (_, Flow::Inline) => return,
            (BlockKind::Paragraph, Flow::Block | Flow::Row | Flow::Cell) => {
                self.own(node, BlockKind::Paragraph);
                return;
            }
            (_, Flow::Box) => Gap::Blank,
            (BlockKind::Table, Flow::Cell) => Gap::Tab,
            (BlockKind::Table, Flow::Block) => Gap::Blank,
            _ => Gap::Line,
        };
        self.part(gap);
        self.open.push((node.end(), Leave::Gap(gap)));
    }

    /// Begins a block.
    fn own(&mut self, node: NodeRef<'_>, kind: BlockKind) {
        self.flush();
        let (side, _, navigation) = self.side.unwrap_or_default();
        self.owners.push(Owner { kind, node: node.id(), side, navigation });
        self.open.push((node.end(), Leave::Owner));
    }

    fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn push(&mut self, text: &str) {
        let kind = self.owner().kind;
        if kind == BlockKind::Code {
            if self.gap == Gap::Line && !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.gap = Gap::None;
            self.text.extend(text.chars().filter(|c| !is_invisible(*c)));
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                // A line end that the browser kept is one that it draws.
                self.part(if c == '\n' { Gap::Line } else { Gap::Blank });
            } else if !is_invisible(c) {
                if self.gap != Gap::None && !self.text.is_empty() {
                    let in_line = matches!(kind, BlockKind::Heading { .. });
                    self.text.push(match self.gap {
                        Gap::Line if !in_line => '\n',
                        Gap::Tab => '\t',
                        _ => ' ',
                    });
                }
                self.gap = Gap::None;
                self.text.push(c);
            }
        }
    }

    /// Ends the block that is being read, if it has text.
    fn flush(&mut self) {
        self.gap = Gap::None;
        let text = std::mem::take(&mut self.text);
        let owner = self.owner();
        let text = if owner.kind == BlockKind::Code { trim_code(&text) } else { text };
        if text.is_empty() {
            return;
        }
        let xpath = self.xpaths.xpath(owner.node);
        for (at, piece) in pieces(&text).enumerate() {
            let kind = match owner.kind {
                // A heading is its first piece; nobody reads the others as one.
                BlockKind::Heading { .. } if at > 0 => BlockKind::Paragraph,
                kind => kind,
            };
            let (text, xpath, position) = (piece.to_owned(), xpath.clone(), self.out.len() as u32);
            self.out.push(Block {
                kind,
                text,
                xpath,
                position,
                node: owner.node,
                side: owner.side,
                navigation: owner.navigation,
                continued: at > 0,
            });
        }
    }
}

/// Divides a text into pieces of at most [`LONGEST_BLOCK`] characters; joined they are the text.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    divided(text, |rest| {
        let head = beginning(rest, LONGEST_BLOCK);
        if head.len() == rest.len() { head.len() } else { end_of_piece(head) }
    })
}

/// Where a text is best cut that has to be cut: behind its last line, sentence or word that leaves
/// half of it or more, else at its end.
fn end_of_piece(head: &str) -> usize {
    let line = head.rfind('\n').map(|at| at + 1);
    let sentence = || {
        let ends = head.char_indices().rev().find(|(at, c)| match c {
            '。' | '！' | '？' | '।' | '؟' => true,
            '.' | '!' | '?' => head[at + c.len_utf8()..].starts_with(' '),
            _ => false,
        });
        ends.map(|(at, c)| at + c.len_utf8() + usize::from(c.is_ascii()))
    };
    let word = || head.rfind(' ').map(|at| at + 1);
    let is_far = |end: &usize| *end >= head.len() / 2;
    line.filter(is_far).or_else(|| sentence().filter(is_far)).or_else(|| word().filter(is_far)).unwrap_or(head.len())
}

/// Returns whether an element is a landmark whose text is not part of the text around it. A banner
/// is none: often it holds the title of all that follows.
fn is_side(node: NodeRef<'_>) -> bool {
    match node.role() {
        "complementary" | "contentinfo" | "navigation" => true,
        "" => matches!(node.tag(), "aside" | "footer" | "nav"),
        _ => false,
    }
}

/// Takes empty lines off both ends, and blanks off the end.
fn trim_code(text: &str) -> String {
    let text = text.trim_end();
    let indent = text.len() - text.trim_start().len();
    let start = text[..indent].rfind('\n').map_or(0, |at| at + 1);
    text[start..].to_owned()
}

/// Returns what an element is by its meaning; none for a mere box.
fn structure(node: NodeRef<'_>, flow: Flow) -> Option<BlockKind> {
    if let Some(level) = heading_level(node) {
        return Some(BlockKind::Heading { level });
    }
    let (tag, role) = (node.tag(), node.role());
    match tag {
        "pre" => Some(BlockKind::Code),
        "code" if flow == Flow::Block => Some(BlockKind::Code),
        "blockquote" => Some(BlockKind::Quote),
        "ul" | "ol" | "menu" | "dl" => Some(BlockKind::List),
        "table" if !matches!(role, "LayoutTable" | "none" | "presentation" | "generic") => Some(BlockKind::Table),
        _ => match role {
            "list" => Some(BlockKind::List),
            "blockquote" => Some(BlockKind::Quote),
            "table" | "grid" | "treegrid" => Some(BlockKind::Table),
            _ => None,
        },
    }
}

/// Returns how a box stands among others; what its role says of a table counts unless its box is a
/// part of one.
fn flow(node: NodeRef<'_>) -> Flow {
    if node.visibility() == Visibility::NotRendered {
        return Flow::Inline;
    }
    match (Flow::of(node.style("display"), node.tag()), node.role()) {
        (flow @ (Flow::Row | Flow::Cell), _) => flow,
        (_, "row") => Flow::Row,
        (_, "cell" | "gridcell" | "columnheader" | "rowheader") => Flow::Cell,
        (flow, _) => flow,
    }
}

#[cfg(test)]
mod tests;
