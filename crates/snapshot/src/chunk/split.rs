//! Cuts markdown into units that chunks are filled with.
//!
//! In: markdown, where its regions begin, and options. Out: [`Unit`]s. Invariants: units follow
//! each other without a gap and cover the text; each costs at most the maximum alone; code blocks
//! and rows are whole unless they would not.

use super::{ChunkOptions, Cut, Region};
use crate::markdown::clean_title;
use browserlens_core::tokens::Tokens;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use std::rc::Rc;

/// A stretch of text that stays together.
#[derive(Debug)]
pub(super) struct Unit {
    pub start: usize,
    pub tokens: Tokens,
    /// What all units before it cost.
    pub before: u64,
    /// The level of the heading that it is, or of the section that ends before it.
    pub heading: Option<u8>,
    /// What it is a piece of that should have stayed whole.
    pub cut: Option<Cut>,
    /// The headings above it.
    pub breadcrumbs: Rc<[String]>,
    pub breadcrumb_tokens: Tokens,
    /// The lines that make a piece of code a block again.
    pub open: Option<Rc<str>>,
    pub close: Option<Rc<str>>,
}

/// What a block is for cutting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Cut at sentences and words.
    Text,
    /// A block of code with or without fences.
    Code {
        fenced: bool,
    },
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

/// What the writer of [`crate::markdown`] knows beside CommonMark.
pub(crate) fn extensions() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_DEFINITION_LIST
}

/// Cuts a text into units.
pub(super) fn units(text: &str, regions: &[Region], options: ChunkOptions) -> Vec<Unit> {
    let mut splitter =
        Splitter { text, options, units: Vec::new(), before: 0, crumbs: Rc::from([]), crumb_tokens: Tokens(0) };
    let mut regions = regions.iter().peekable();
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
        let mut ends = None;
        while let Some(region) = regions.next_if(|region| region.at <= leaf.range.start) {
            let Some(above) = &region.above else { continue };
            let same = stack.iter().zip(above).take_while(|(known, told)| known == told).count();
            let other = stack.get(same).into_iter().chain(above.get(same)).map(|(level, _)| *level).min();
            ends = ends.into_iter().chain(other).min();
            stack.clone_from(above);
        }
        if let Kind::Heading(level) = leaf.kind {
            ends = ends.into_iter().chain([level]).min();
            while stack.last().is_some_and(|(above, _)| *above >= level) {
                stack.pop();
            }
        }
        splitter.set_breadcrumbs(&stack);
        splitter.add(start..end, leaf, ends);
        if let Kind::Heading(level) = leaf.kind {
            stack.push((level, leaf.title.clone()));
        }
    }
    if leaves.is_empty() && !text.is_empty() {
        splitter.add(0..text.len(), &Leaf { range: 0..text.len(), kind: Kind::Text, title: String::new() }, None);
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
    let lines = |range: Range<usize>| text[..range.start].rfind('\n').map_or(0, |end| end + 1)..range.end;
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
                    // Its first line begins before the fence where it is indented.
                    Tag::CodeBlock(kind) => {
                        push(lines(range), Kind::Code { fenced: matches!(kind, CodeBlockKind::Fenced(_)) });
                    }
                    Tag::TableHead | Tag::TableRow => drop(push(lines(range), Kind::Row)),
                    Tag::HtmlBlock if top && text[range.clone()].starts_with("<!--") => {
                        push(range, Kind::Comment);
                    }
                    Tag::Paragraph | Tag::BlockQuote(_) | Tag::HtmlBlock if top => drop(push(range, Kind::Text)),
                    Tag::Item | Tag::DefinitionListTitle | Tag::Paragraph => drop(push(lines(range), Kind::Text)),
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
            Event::Rule => drop(push(lines(range), Kind::Text)),
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
    options: ChunkOptions,
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
        self.crumb_tokens = if self.crumbs.is_empty() || !self.options.breadcrumbs {
            Tokens(0)
        } else {
            self.options.encoding.count(&super::breadcrumb_line(&self.crumbs))
        };
    }

    fn push(&mut self, start: usize, tokens: Tokens, heading: Option<u8>, cut: Option<Cut>) {
        self.units.push(Unit {
            start,
            tokens,
            before: self.before,
            heading,
            cut,
            breadcrumbs: Rc::clone(&self.crumbs),
            breadcrumb_tokens: self.crumb_tokens,
            open: None,
            close: None,
        });
        self.before += u64::from(tokens.0);
    }

    /// Adds a block with what stands behind it; `heading`: the level of the section that begins, or
    /// ends, with it.
    fn add(&mut self, range: Range<usize>, leaf: &Leaf, heading: Option<u8>) {
        let ChunkOptions { encoding, max, .. } = self.options;
        if let Some(tokens) = encoding.count_within(&self.text[range.clone()], max) {
            self.push(range.start, tokens, heading, None);
            return;
        }
        // Only the blank lines after it may be too much.
        let body = leaf.range.end.clamp(range.start, range.end);
        let trimmed = range.start + self.text[range.start..body].trim_end().len();
        if trimmed > range.start
            && let Some(tokens) = encoding.count_within(&self.text[range.start..trimmed], max)
        {
            self.push(range.start, tokens, heading, None);
            self.pieces(trimmed..range.end, None, None);
            return;
        }
        let (cut, fence) = match leaf.kind {
            Kind::Code { fenced: true } => (Some(Cut::Code), fence(&self.text[leaf.range.clone()])),
            Kind::Code { fenced: false } => (Some(Cut::Code), None),
            Kind::Row => (Some(Cut::Row), None),
            Kind::Text | Kind::Heading(_) | Kind::Comment => (None, None),
        };
        let from = self.units.len();
        self.pieces(range, cut, fence);
        if let Some(first) = self.units.get_mut(from) {
            first.heading = heading;
        }
    }

    /// Cuts what is over the maximum: at the last end of a line, sentence or word that fits, else
    /// between characters. Breadcrumbs and what else stands beside a piece have room.
    fn pieces(&mut self, range: Range<usize>, cut: Option<Cut>, fence: Option<(Rc<str>, Rc<str>)>) {
        let ChunkOptions { encoding, max, overlap, .. } = self.options;
        let quarter = max.0 / 4;
        let closing = fence.as_ref().map_or(0, |(_, close)| encoding.count(close).0 + 1);
        let framed = fence.as_ref().map_or(0, |(open, _)| encoding.count(open).0 + closing);
        let (fence, closing, framed) = if framed <= quarter { (fence, closing, framed) } else { (None, 0, 0) };
        let beside = if fence.is_some() { framed } else { overlap.0.min(quarter) };
        let room = Tokens(max.0 - self.crumb_tokens.0.min(quarter) - beside);
        let mut start = range.start;
        while start < range.end {
            let rest = &self.text[start..range.end];
            // The last piece of a fence has the end of it already.
            let is_last = fence.is_some() && encoding.count_within(rest, Tokens(room.0 + closing)).is_some();
            let prefix = if is_last { rest } else { encoding.prefix_within(rest, room) };
            let mut end = prefix.len();
            if end < rest.len() {
                let lines = prefix.rfind('\n').map(|at| at + 1);
                let sentences = if cut.is_none() { prefix.rfind(". ").map(|at| at + 2) } else { None };
                let words = prefix.rfind(' ').map(|at| at + 1);
                // A place in the first half would leave pieces too small.
                let good = [lines, sentences, words].into_iter().flatten().find(|at| *at * 2 > prefix.len());
                end = good.unwrap_or(end);
            }
            if end == 0 {
                end = rest.chars().next().map_or(rest.len(), char::len_utf8);
            }
            let tokens = Tokens(encoding.count(&rest[..end]).0 + framed);
            self.push(start, tokens, None, cut);
            if let (Some((open, close)), Some(unit)) = (&fence, self.units.last_mut()) {
                unit.open = (start > range.start).then(|| Rc::clone(open));
                unit.close = (end < rest.len()).then(|| Rc::clone(close));
            }
            start += end;
        }
    }
}

/// Returns the lines that open and close a block of code anew, where its own stand: what a list
/// puts before the first line is blank in the others.
fn fence(block: &str) -> Option<(Rc<str>, Rc<str>)> {
    let line = block.lines().next()?;
    let (before, fence) = line.split_at(line.find(["```", "~~~"].iter().find(|sign| line.contains(**sign))?)?);
    let marks = &fence[..fence.len() - fence.trim_start_matches(fence.chars().next()?).len()];
    let before: String = before.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect();
    Some((format!("{before}{fence}\n").into(), format!("{before}{marks}\n").into()))
}
