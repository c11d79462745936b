//! A page's text in sections: what stands under each heading.
//!
//! In: a [`Page`] and where to cut. Out: an [`Extraction`]: title, counts, sections, blocks and the
//! full text, whole. Invariants: every block belongs to exactly one section; sections are in
//! document order; text before the first heading is a section of level 0; the sections' texts
//! joined by an empty line are the full text, as far as none goes on with a divided block. Nothing
//! is cut off.
//!
//! A section ends at a heading, and where a landmark begins that its heading does not stand in:
//! navigation, aside or footer ([`Block::side`]). Behind an aside it goes on, in a further section
//! of the same heading ([`Section::part`]). So does a section of more than [`LONGEST_SECTION`]
//! characters: each part of a page is short enough to be asked for by its number, whether the page
//! has headings or not.

use crate::blocks::{Block, BlockKind, blocks};
use browserlens_core::named;
use browserlens_core::page::Page;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What parts blocks from each other in a text.
const BETWEEN: &str = "\n\n";

/// Most characters of a section's content; what is longer goes on in further parts.
pub const LONGEST_SECTION: usize = 6_000;

named! {
    /// Which headings begin a section.
    #[derive(Default)]
    pub enum Cut {
        /// Levels 1 to 3; deeper headings are content.
        H3 = "h3",
        /// Every level.
        #[default]
        All = "all",
    }
}

impl Cut {
    /// Returns the deepest level that begins a section.
    pub fn deepest(self) -> u8 {
        match self {
            Self::H3 => 3,
            Self::All => u8::MAX,
        }
    }
}

/// What stands under one heading, up to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading's text; empty where there is none: before the first one, in an aside.
    pub heading: String,
    /// The heading's level; 0 where there is no heading.
    pub level: u8,
    /// 0 where the section begins; from 1 where it goes on, without its heading being said again.
    pub part: u32,
    /// The blocks' texts, without the heading's.
    pub content: String,
    /// Where the heading stands; before the first heading, where the first block does.
    pub xpath: String,
    /// Its number among the sections, from 0.
    pub position: u32,
    /// The positions of the sections that it lies in, outermost first; where it goes on, the one
    /// where it begins is the last.
    pub trail: Vec<u32>,
    /// Its blocks, the heading first.
    pub blocks: Range<usize>,
}

impl Section {
    /// Returns heading and content; content alone where the section goes on.
    pub fn text(&self) -> String {
        match (self.heading.is_empty() || self.part > 0, self.content.is_empty()) {
            (true, _) => self.content.clone(),
            (_, true) => self.heading.clone(),
            _ => [&self.heading, BETWEEN, &self.content].concat(),
        }
    }
}

/// What a page says, in its structure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    /// Title of the page.
    pub title: String,
    /// URL of the page.
    pub url: String,
    /// Words of the full text.
    pub word_count: u64,
    /// Whether a heading was found.
    pub has_headings: bool,
    /// The sections.
    pub sections: Vec<Section>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The blocks' texts, an empty line between two.
    pub full_text: String,
}

/// Reads a page into sections.
pub fn extract(page: &Page, cut: Cut) -> Extraction {
    Extraction::of(page.title(), page.url(), blocks(page), cut)
}

impl Extraction {
    /// Cuts blocks into sections.
    pub fn of(title: &str, url: &str, blocks: Vec<Block>, cut: Cut) -> Self {
        let words = blocks.iter().map(|block| block.text.split_whitespace().count() as u64).sum();
        Self::counted(title.to_owned(), url.to_owned(), blocks, cut, words)
    }

    /// Cuts blocks into sections, their words counted before.
    pub(crate) fn counted(title: String, url: String, blocks: Vec<Block>, cut: Cut, word_count: u64) -> Self {
        let mut cutter = Cutter { deepest: cut.deepest(), ..Cutter::default() };
        blocks.iter().enumerate().for_each(|(index, block)| cutter.take(index, block));
        let sections = cutter.sections;
        let mut full_text = String::with_capacity(blocks.iter().map(|block| block.text.len() + BETWEEN.len()).sum());
        blocks.iter().for_each(|block| join(&mut full_text, block));
        Self {
            title,
            url,
            word_count,
            has_headings: blocks.iter().any(|block| block.kind.level().is_some()),
            sections,
            blocks,
            full_text,
        }
    }

    /// Returns a section and everything that lies in it: itself first, then its further parts and
    /// the sections under it. An aside that stands between them is none of it.
    pub fn under(&self, position: u32) -> Vec<&Section> {
        let Some(section) = self.sections.get(position as usize) else { return Vec::new() };
        let after = &self.sections[position as usize + 1..];
        let inner = after.iter().filter(|inner| inner.trail.contains(&position));
        std::iter::once(section).chain(inner).collect()
    }
}

/// Adds a block to a text that may hold the one before it.
fn join(text: &mut String, block: &Block) {
    if !text.is_empty() && !block.continued {
        text.push_str(BETWEEN);
    }
    text.push_str(&block.text);
}

/// Cuts blocks into sections, one after the other.
#[derive(Default)]
struct Cutter {
    deepest: u8,
    sections: Vec<Section>,
    /// By landmark: position and level of the sections that its next block lies in.
    open: FxHashMap<u32, Vec<(u32, u8)>>,
    /// Where the last section begins, its landmark and its characters.
    begin: u32,
    side: u32,
    length: usize,
    /// By where a section begins: how many further parts it has.
    parts: FxHashMap<u32, u32>,
}

impl Cutter {
    fn take(&mut self, index: usize, block: &Block) {
        match block.kind {
            BlockKind::Heading { level } if level <= self.deepest => {
                let open = self.open.entry(block.side).or_default();
                while open.pop_if(|(_, above)| *above >= level).is_some() {}
                let trail = open.iter().map(|(position, _)| *position).collect();
                open.push((self.sections.len() as u32, level));
                self.begin(index, block, level, trail);
                self.sections.last_mut().into_iter().for_each(|section| section.heading.clone_from(&block.text));
            }
            _ => self.content(index, block),
        }
    }

    fn content(&mut self, index: usize, block: &Block) {
        let length = block.text.chars().count();
        let above = self.open.get(&block.side).and_then(|open| open.last()).map(|(position, _)| *position);
        let is_headed = self.sections.get(self.begin as usize).is_some_and(|begin| begin.level > 0);
        let goes_on = match above {
            Some(above) => !self.sections.is_empty() && self.begin == above,
            // Before the first heading landmarks are not told apart.
            None => {
                let no_heading_yet = self.open.values().all(Vec::is_empty);
                !self.sections.is_empty() && !is_headed && (self.side == block.side || no_heading_yet)
            }
        };
        let begins_at = if goes_on { Some(self.begin) } else { above };
        let has_room = self.length == 0 || self.length + length <= LONGEST_SECTION;
        if !goes_on || !has_room {
            match begins_at {
                Some(begin) => self.go_on(index, block, begin),
                None => self.begin(index, block, 0, Vec::new()),
            }
        }
        self.length += length;
        if let Some(section) = self.sections.last_mut() {
            if section.content.is_empty() {
                section.content.push_str(&block.text);
            } else {
                join(&mut section.content, block);
            }
            section.blocks.end = index + 1;
        }
    }

    fn begin(&mut self, index: usize, block: &Block, level: u8, trail: Vec<u32>) {
        let position = self.sections.len() as u32;
        (self.begin, self.side, self.length) = (position, block.side, 0);
        self.sections.push(Section {
            heading: String::new(),
            level,
            part: 0,
            content: String::new(),
            xpath: block.xpath.clone(),
            position,
            trail,
            blocks: index..index + usize::from(level > 0),
        });
    }

    /// Goes on with a section in a further part.
    fn go_on(&mut self, index: usize, block: &Block, begin: u32) {
        let Some(of) = self.sections.get(begin as usize) else { return };
        let (heading, level) = (of.heading.clone(), of.level);
        let trail = of.trail.iter().copied().chain([begin]).collect();
        let part = self.parts.entry(begin).or_insert(0);
        *part += 1;
        let part = *part;
        self.begin(index, block, level, trail);
        self.begin = begin;
        if let Some(section) = self.sections.last_mut() {
            (section.heading, section.part, section.blocks) = (heading, part, index..index);
        }
    }
}

#[cfg(test)]
mod tests;
