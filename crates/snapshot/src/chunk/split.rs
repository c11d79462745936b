//! Cuts markdown into units that chunks are filled with.
//!
//! In: markdown, an encoding and the maximum. Out: [`Unit`]s. Invariants: units follow each other
//! without a gap and cover the text; each costs at most the maximum alone; code blocks and rows are
//! whole unless they would not.

use crate::markdown::{clean_title, extensions};
use browserlens_tokens::{Encoding, Tokens};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;
use std::rc::Rc;

/// A stretch of text that stays together.
#[derive(Debug)]
pub(super) struct Unit {
    pub start: usize,
    pub tokens: Tokens,
    /// What all units before it cost.
    pub before: u64,
    /// The level of the heading that it is.
    pub heading: Option<u8>,
    pub atom: Atom,
    /// The headings above it.
    pub breadcrumbs: Rc<[String]>,
    pub breadcrumb_tokens: Tokens,
}

/// Whether a unit is a piece of something that should have stayed whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Whole,
    PieceOfCode,
    PieceOfRow,
}

/// What a block is for cutting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Cut at sentences and words.
    Text,
    Code,
    Row,
    Heading(u8),
    /// A comment, which goes with the heading below it.
    Comment,
}

/// A block at which text may be cut before and after.
struct Leaf {
    range: Range<usize>,
    kind: Kind,
    title: String,
}

/// Cuts a text into units.
pub(super) fn units(text: &str, encoding: Encoding, max: Tokens) -> Vec<Unit> {
    let mut splitter =
        Splitter { text, encoding, max, units: Vec::new(), before: 0, crumbs: Rc::from([]), crumb_tokens: Tokens(0) };
    let mut stack: Vec<(u8, String)> = Vec::new();
    let leaves = leaves(text);
    let mut from = 0;
    for (at, leaf) in leaves.iter().enumerate() {
        // What stands between blocks goes with the block before it; what is before the first, with
        // the first.
        let start = if at == 0 { 0 } else { from };
        let end = leaves.get(at + 1).map_or(text.len(), |next| next.range.start).max(start);
        from = end;
        if start == end {
            continue;
        }
        if let Kind::Heading(level) = leaf.kind {
            while stack.last().is_some_and(|(above, _)| *above >= level) {
                stack.pop();
            }
        }
        splitter.set_breadcrumbs(&stack);
        splitter.add(start..end, leaf.range.end.clamp(start, end), leaf.kind);
        if let Kind::Heading(level) = leaf.kind {
            stack.push((level, leaf.title.clone()));
        }
    }
    if leaves.is_empty() && !text.is_empty() {
        splitter.add(0..text.len(), text.len(), Kind::Text);
    }
    splitter.units
}

/// Finds the blocks at which text is cut: those at the top, items of lists, rows of tables, code
/// wherever it stands.
fn leaves(text: &str) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut depth = 0usize;
    let mut title: Option<(usize, String)> = None;
    let mut push = |range: Range<usize>, kind: Kind| {
        // A block that begins where its container does takes its place.
        if let Some(last) = leaves.last_mut()
            && last.range.start >= range.start
        {
            if last.range.start == range.start {
                last.kind = kind;
                last.range.end = range.end;
            }
            return leaves.len() - 1;
        }
        leaves.push(Leaf { range, kind, title: String::new() });
        leaves.len() - 1
    };
    let mut titles: Vec<(usize, String)> = Vec::new();
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    for (event, range) in Parser::new_ext(text, extensions()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                let top = depth == 0;
                depth += 1;
                match tag {
                    Tag::Heading { level, .. } if top => {
                        let at = push(range, Kind::Heading(level as u8));
                        title = Some((at, String::new()));
                    }
                    Tag::CodeBlock(_) => {
                        // Its first line begins before the fence where it is indented.
                        let start = line_start(range.start);
                        push(start..range.end, Kind::Code);
                    }
                    Tag::TableHead | Tag::TableRow => {
                        let start = line_start(range.start);
                        push(start..range.end, Kind::Row);
                    }
                    Tag::Item | Tag::DefinitionListTitle => {
                        let start = line_start(range.start);
                        push(start..range.end, Kind::Text);
                    }
                    Tag::HtmlBlock if top && text[range.clone()].starts_with("<!--") => {
                        push(range, Kind::Comment);
                    }
                    Tag::Paragraph | Tag::BlockQuote(_) | Tag::HtmlBlock if top => {
                        push(range, Kind::Text);
                    }
                    Tag::Paragraph => {
                        let start = line_start(range.start);
                        push(start..range.end, Kind::Text);
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if matches!(end, TagEnd::Heading(_))
                    && let Some(title) = title.take()
                {
                    titles.push(title);
                }
            }
            Event::Text(said) | Event::Code(said) => {
                if let Some((_, title)) = &mut title {
                    title.push_str(&said);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, title)) = &mut title {
                    title.push(' ');
                }
            }
            Event::Rule => {
                push(line_start(range.start)..range.end, Kind::Text);
            }
            _ => {}
        }
    }
    for (at, title) in titles {
        if let Some(leaf) = leaves.get_mut(at) {
            leaf.title = clean_title(&title);
        }
    }
    let mut joined: Vec<Leaf> = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        match joined.last_mut() {
            Some(last) if last.kind == Kind::Comment && matches!(leaf.kind, Kind::Heading(_) | Kind::Comment) => {
                *last = Leaf { range: last.range.start..leaf.range.end, ..leaf };
            }
            _ => joined.push(leaf),
        }
    }
    joined
}

struct Splitter<'t> {
    text: &'t str,
    encoding: Encoding,
    max: Tokens,
    units: Vec<Unit>,
    before: u64,
    crumbs: Rc<[String]>,
    crumb_tokens: Tokens,
}

impl Splitter<'_> {
    fn set_breadcrumbs(&mut self, stack: &[(u8, String)]) {
        if self.crumbs.len() == stack.len() && self.crumbs.iter().zip(stack).all(|(known, (_, title))| known == title) {
            return;
        }
        self.crumbs = stack.iter().map(|(_, title)| title.clone()).filter(|title| !title.is_empty()).collect();
        self.crumb_tokens =
            if self.crumbs.is_empty() { Tokens(0) } else { self.encoding.count(&super::breadcrumb_line(&self.crumbs)) };
    }

    fn push(&mut self, start: usize, tokens: Tokens, heading: Option<u8>, atom: Atom) {
        self.units.push(Unit {
            start,
            tokens,
            before: self.before,
            heading,
            atom,
            breadcrumbs: Rc::clone(&self.crumbs),
            breadcrumb_tokens: self.crumb_tokens,
        });
        self.before += u64::from(tokens.0);
    }

    /// Adds a block; `body` is where it ends and blank lines begin.
    fn add(&mut self, range: Range<usize>, body: usize, kind: Kind) {
        let heading = match kind {
            Kind::Heading(level) => Some(level),
            _ => None,
        };
        if let Some(tokens) = self.encoding.count_within(&self.text[range.clone()], self.max) {
            self.push(range.start, tokens, heading, Atom::Whole);
            return;
        }
        // Only the blank lines after it may be too much.
        let trimmed = range.start + self.text[range.start..body.max(range.start)].trim_end().len();
        if trimmed > range.start
            && let Some(tokens) = self.encoding.count_within(&self.text[range.start..trimmed], self.max)
        {
            self.push(range.start, tokens, heading, Atom::Whole);
            self.pieces(trimmed..range.end, Atom::Whole);
            return;
        }
        let atom = match kind {
            Kind::Code => Atom::PieceOfCode,
            Kind::Row => Atom::PieceOfRow,
            Kind::Text | Kind::Heading(_) | Kind::Comment => Atom::Whole,
        };
        let from = self.units.len();
        self.pieces(range, atom);
        if let Some(first) = self.units.get_mut(from) {
            first.heading = heading;
        }
    }

    /// Cuts what is over the maximum: at the last end of a line, sentence or word that fits, else
    /// between characters.
    fn pieces(&mut self, range: Range<usize>, atom: Atom) {
        let mut start = range.start;
        while start < range.end {
            let rest = &self.text[start..range.end];
            let prefix = self.encoding.prefix_within(rest, self.max);
            let mut end = prefix.len();
            if end < rest.len() {
                let lines = prefix.rfind('\n').map(|at| at + 1);
                let sentences = if atom == Atom::Whole { prefix.rfind(". ").map(|at| at + 2) } else { None };
                let words = prefix.rfind(' ').map(|at| at + 1);
                // A place in the first half would leave pieces too small.
                let good = [lines, sentences, words].into_iter().flatten().find(|at| *at * 2 > prefix.len());
                end = good.unwrap_or(end);
            }
            if end == 0 {
                end = rest.chars().next().map_or(rest.len(), char::len_utf8);
            }
            let tokens = self.encoding.count(&rest[..end]);
            self.push(start, tokens, None, atom);
            start += end;
        }
    }
}
