//! Cuts markdown into chunks of a size that a context can hold.
//!
//! In: markdown and a maximum of tokens. Out: [`Chunk`]s. Invariants: the bodies of all chunks, put
//! one after the other, are the text byte for byte; [`Chunk::text`], with breadcrumbs and overlap,
//! costs at most the maximum, counted as it stands; a code block or a row of a table is cut only if
//! it is over the maximum alone, and the chunks that hold its pieces say so; a piece of a code
//! block stands in a fence of its own.
//!
//! Breadcrumbs count: the maximum is what may be sent. Where they do not fit beside what must stay
//! whole, the outermost are left out of the text, then the overlap, never the body. A chunk holds
//! the largest sections that fit: siblings are joined as long as they do, so its breadcrumbs are
//! those of its first line and hold for all of it.

mod documents;
mod split;

use crate::markdown::clean_title;
use browserlens_core::named;
use browserlens_core::tokens::{Encoding, Tokens};
pub use documents::{Document, documents};
use split::Unit;
#[cfg(test)]
pub(crate) use split::extensions;
use std::ops::Range;

/// How text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// The most tokens that a chunk costs.
    pub max: Tokens,
    /// The encoding that is counted under.
    pub encoding: Encoding,
    /// Whether chunks begin with the headings above them.
    pub breadcrumbs: bool,
    /// How many tokens of the text before a chunk are repeated in it, at most; whole words, none
    /// across a heading's section.
    pub overlap: Tokens,
}

impl ChunkOptions {
    /// Returns chunks of at most `max` tokens with breadcrumbs and no overlap.
    pub fn of(max: Tokens) -> Self {
        Self { max, encoding: Encoding::O200kBase, breadcrumbs: true, overlap: Tokens(0) }
    }
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Where its body stands in the document, in bytes.
    pub range: Range<usize>,
    /// The headings above its first line, outermost first; none if they were not asked for.
    pub breadcrumbs: Vec<String>,
    /// What it costs as [`Chunk::text`] stands.
    pub tokens: Tokens,
    /// What was cut because it was over the maximum alone.
    pub cut: Option<Cut>,
    text: String,
    body: Range<usize>,
}

/// Where a section of a page begins in a text.
#[derive(Debug)]
struct Region {
    at: usize,
    /// Its semantic path.
    path: String,
    /// The headings above it with their levels, outermost first, if they are told.
    above: Option<Vec<(u8, String)>>,
}

named! {
    /// What was cut although it should stay whole.
    pub enum Cut {
        /// A block of code.
        Code = "code",
        /// A row of a table.
        Row = "row",
    }
}

impl Chunk {
    /// Returns what is sent: breadcrumbs, overlap, body, and around a piece of code its fence.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the body: the chunk's own part of the document.
    pub fn body(&self) -> &str {
        &self.text[self.body.clone()]
    }
}

/// A text cannot be cut as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// The maximum is smaller than a character can be.
    #[error("a chunk of at most {max} tokens cannot hold every character; the smallest maximum is {SMALLEST_MAX}")]
    TooSmall {
        /// The maximum as given.
        max: Tokens,
    },
}

/// The smallest maximum: some characters cost this many tokens.
pub const SMALLEST_MAX: u32 = 8;

/// The maximum of who names none.
pub const DEFAULT_MAX: u32 = 512;

/// Cuts markdown.
///
/// # Errors
/// [`ChunkError::TooSmall`] for a maximum below [`SMALLEST_MAX`].
pub fn chunk(text: &str, options: ChunkOptions) -> Result<Vec<Chunk>, ChunkError> {
    cut(text, &[], options)
}

fn cut(text: &str, regions: &[Region], options: ChunkOptions) -> Result<Vec<Chunk>, ChunkError> {
    if options.max.0 < SMALLEST_MAX {
        return Err(ChunkError::TooSmall { max: options.max });
    }
    let layout = split::units(text, regions, options);
    let mut chunker = Chunker { text, options, units: &layout, out: Vec::new() };
    chunker.sections(0, layout.len());
    Ok(chunker.out)
}

struct Chunker<'t, 'u> {
    text: &'t str,
    options: ChunkOptions,
    units: &'u [Unit],
    out: Vec<Chunk>,
}

impl Chunker<'_, '_> {
    /// Returns an upper bound, or nearly one, of what units cost together.
    fn cost(&self, from: usize, to: usize) -> u64 {
        let total = || self.units.last().map_or(0, |unit| unit.before + u64::from(unit.tokens.0));
        let until = |at: usize| self.units.get(at).map_or_else(total, |unit| unit.before);
        until(to) - until(from)
    }

    /// Returns what is left for a body that begins at a unit.
    fn room(&self, at: usize) -> u64 {
        let ChunkOptions { max, overlap, .. } = self.options;
        // Long breadcrumbs are shortened when the chunk is written: they never take more than a
        // quarter here.
        u64::from(max.0 - self.units[at].breadcrumb_tokens.0.min(max.0 / 4) - overlap.0.min(max.0 / 4))
    }

    /// Whether units fit into one chunk, and the breadcrumbs of the first hold for all of them.
    fn fits(&self, from: usize, to: usize) -> bool {
        let above = &self.units[from].breadcrumbs;
        self.cost(from, to) <= self.room(from)
            && self.units[from..to].iter().all(|unit| unit.breadcrumbs.starts_with(above))
    }

    /// Cuts units at their headings: sections that fit are joined, one that does not is cut at the
    /// headings inside it.
    fn sections(&mut self, from: usize, to: usize) {
        let mut ranges = vec![(from, to)];
        while let Some((from, to)) = ranges.pop() {
            if from >= to {
                continue;
            }
            if self.fits(from, to) {
                self.emit(from, to);
                continue;
            }
            // The highest heading inside; one that the range begins with is above what it holds.
            let Some(level) = (from + 1..to).filter_map(|at| self.units[at].heading).min() else {
                self.blocks(from, to);
                continue;
            };
            let mut starts = vec![from];
            starts.extend((from + 1..to).filter(|at| self.units[*at].heading == Some(level)));
            starts.push(to);
            let mut packed: Vec<(usize, usize)> = Vec::new();
            for pair in starts.windows(2) {
                let (start, end) = (pair[0], pair[1]);
                match packed.last_mut() {
                    Some((first, last)) if *last == start && self.fits(*first, end) => *last = end,
                    _ => packed.push((start, end)),
                }
            }
            if packed.len() == 1 {
                self.blocks(from, to);
                continue;
            }
            ranges.extend(packed.into_iter().rev());
        }
    }

    /// Fills chunks with units one after the other; a heading goes with what follows it.
    fn blocks(&mut self, from: usize, to: usize) {
        let mut start = from;
        while start < to {
            let mut end = start + 1;
            while end < to && self.cost(start, end + 1) <= self.room(start) {
                end += 1;
            }
            let mut kept = end;
            while end < to && kept > start + 1 && self.units[kept - 1].heading.is_some() {
                kept -= 1;
            }
            self.emit(start, kept);
            start = kept;
        }
    }

    /// Writes a chunk of units, or two where they cost more together than apart.
    fn emit(&mut self, from: usize, to: usize) {
        let mut from = from;
        while from < to {
            let mut end = to;
            loop {
                if let Some(chunk) = self.compose(from, end) {
                    self.out.push(chunk);
                    break;
                }
                // A unit alone is within the maximum: it was cut to be.
                end = if end - from > 8 { from + (end - from) * 7 / 8 } else { end - 1 };
                if end == from {
                    end = from + 1;
                    let chunk = self.bare(from, end);
                    self.out.push(chunk);
                    break;
                }
            }
            from = end;
        }
    }

    fn range(&self, from: usize, to: usize) -> Range<usize> {
        let end = self.units.get(to).map_or(self.text.len(), |unit| unit.start);
        self.units[from].start..end
    }

    fn cut_of(&self, from: usize, to: usize) -> Option<Cut> {
        self.units[from..to].iter().find_map(|unit| unit.cut)
    }

    /// The chunk with as much of breadcrumbs and overlap as fits; none if not even its body does.
    fn compose(&self, from: usize, to: usize) -> Option<Chunk> {
        let range = self.range(from, to);
        let body = &self.text[range.clone()];
        let encoding = self.options.encoding;
        let breadcrumbs = self.breadcrumbs(from);
        let open = self.units[from].open.as_deref().unwrap_or_default();
        let close = self.units[to - 1].close.as_deref().unwrap_or_default();
        let overlap = if open.is_empty() { self.overlap(from) } else { "" };
        for (dropped, overlap) in
            (0..=breadcrumbs.len()).map(|dropped| (dropped, overlap)).chain([(breadcrumbs.len(), "")])
        {
            let kept = &breadcrumbs[dropped..];
            let mut text = String::with_capacity(body.len() + overlap.len() + 64);
            if !kept.is_empty() {
                text.push_str(&breadcrumb_line(kept));
            }
            text.push_str(overlap);
            text.push_str(open);
            let start = text.len();
            text.push_str(body);
            if !close.is_empty() && !body.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(close);
            if let Some(tokens) = encoding.count_within(&text, self.options.max) {
                let cut = self.cut_of(from, to);
                let place = start..start + body.len();
                return Some(Chunk { range, breadcrumbs: breadcrumbs.to_vec(), tokens, cut, text, body: place });
            }
        }
        None
    }

    fn bare(&self, from: usize, to: usize) -> Chunk {
        let range = self.range(from, to);
        let text = self.text[range.clone()].to_owned();
        let tokens = self.options.encoding.count(&text);
        let (breadcrumbs, body) = (self.breadcrumbs(from).to_vec(), 0..text.len());
        Chunk { range, breadcrumbs, tokens, cut: self.cut_of(from, to), text, body }
    }

    fn breadcrumbs(&self, at: usize) -> &[String] {
        if self.options.breadcrumbs { &self.units[at].breadcrumbs } else { &[] }
    }

    /// The end of what stands before a unit: whole words of at most the asked number of tokens.
    fn overlap(&self, at: usize) -> &str {
        let limit = self.options.overlap;
        let end = self.units[at].start;
        if limit.0 == 0 || self.units[at].heading.is_some() {
            return "";
        }
        // No word is shorter than a quarter of a token; no further back than the section begins.
        let first =
            self.units[..at].iter().rposition(|unit| unit.heading.is_some()).map_or(0, |unit| self.units[unit].start);
        let floor = end.saturating_sub(limit.0 as usize * 16).max(first);
        let window = &self.text[self.text.ceil_char_boundary(floor)..end];
        let mut starts: Vec<usize> = window
            .match_indices(char::is_whitespace)
            .map(|(at, blank)| at + blank.len())
            .filter(|at| *at < window.len())
            .collect();
        if floor == first {
            starts.insert(0, 0);
        }
        // The longest tail that fits: tails grow to the left.
        let fits =
            starts.partition_point(|start| self.options.encoding.count_within(&window[*start..], limit).is_none());
        starts.get(fits).map_or("", |start| &window[*start..])
    }
}

/// The comment that says which headings a chunk stands below.
fn breadcrumb_line(titles: &[String]) -> String {
    let told: Vec<String> = titles.iter().map(|title| clean_title(title)).filter(|title| !title.is_empty()).collect();
    if told.is_empty() { "\n".to_owned() } else { format!("<!-- headings: {} -->\n\n", told.join(" > ")) }
}

#[cfg(test)]
mod tests;
