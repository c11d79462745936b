//! Cuts blocks to a number of characters.
//!
//! In: blocks in normal form. Out: their beginning, in normal form, and whether something is
//! missing. Invariant: at most `length` characters of text are kept; words are kept whole unless
//! the first word of all is longer.

use crate::markdown::{Block, Definition, Inline, Item, List, clean_code, normalise_blocks, plain_text};

/// Counts the characters of text, as [`cut`] counts them.
pub(super) fn characters(blocks: &[Block]) -> usize {
    let line = |content: &[Inline]| plain_text(content).chars().filter(|c| *c != '\n').count();
    let of = |block: &Block| match block {
        Block::Heading { content, .. } | Block::Paragraph(content) => line(content),
        Block::Figure { caption, .. } => line(caption),
        Block::Code { text, .. } => text.chars().count(),
        Block::Quote(inner) => characters(inner),
        Block::List(list) => list.items.iter().map(|item| characters(&item.blocks)).sum(),
        Block::Table(table) => table.all_rows().map(|row| size(row)).sum(),
        Block::Definitions(definitions) => definitions
            .iter()
            .map(|one| line(&one.term) + one.definitions.iter().map(|meaning| characters(meaning)).sum::<usize>())
            .sum(),
        Block::Rule => 0,
    };
    blocks.iter().map(of).sum()
}

/// Characters of a row, ends of lines within its cells included.
fn size(row: &[Vec<Inline>]) -> usize {
    row.iter().map(|cell| plain_text(cell).chars().count()).sum()
}

/// Keeps the first `length` characters.
pub(super) fn cut(given: Vec<Block>, length: usize) -> (Vec<Block>, bool) {
    let mut cutter = Cutter { left: length, cut: false, begun: false };
    let kept = cutter.blocks(given);
    (normalise_blocks(kept), cutter.cut)
}

struct Cutter {
    left: usize,
    cut: bool,
    /// Whether something was kept: only the first word of all is broken.
    begun: bool,
}

impl Cutter {
    /// Whether there is room for more; if not, something is cut off.
    fn has_room(&mut self) -> bool {
        self.cut |= self.left == 0;
        !self.cut
    }

    /// Keeps what fits of each as long as there is room.
    fn each<T>(&mut self, given: Vec<T>, keep: impl Fn(&mut Self, T) -> Option<T>) -> Vec<T> {
        let mut kept = Vec::new();
        for one in given {
            if !self.has_room() {
                break;
            }
            kept.extend(keep(self, one));
        }
        kept
    }

    fn blocks(&mut self, given: Vec<Block>) -> Vec<Block> {
        self.each(given, Self::block)
    }

    /// Keeps what fits of a block; none if nothing is left of it.
    fn block(&mut self, block: Block) -> Option<Block> {
        match block {
            Block::Heading { level, content } => self.line(content).map(|content| Block::Heading { level, content }),
            Block::Paragraph(content) => self.line(content).map(Block::Paragraph),
            Block::Figure { image, caption } => Some(Block::Figure { image, caption: self.inlines(caption) }),
            Block::Code { language, text } => {
                Some(self.lines(text)).filter(|text| !text.is_empty()).map(|text| Block::Code { language, text })
            }
            Block::Quote(inner) => Some(self.blocks(inner)).filter(|inner| !inner.is_empty()).map(Block::Quote),
            Block::List(list) => {
                let items = self.each(list.items, |cutter, item| {
                    let blocks = cutter.blocks(item.blocks);
                    (!blocks.is_empty()).then_some(Item { task: item.task, blocks })
                });
                (!items.is_empty()).then_some(Block::List(List { start: list.start, items }))
            }
            Block::Table(mut table) => {
                let fitting = table.all_rows().take_while(|row| self.takes(size(row))).count();
                self.begun |= fitting > 0;
                table.rows.truncate(fitting.checked_sub(1)?);
                Some(Block::Table(table))
            }
            Block::Definitions(definitions) => {
                let kept = self.each(definitions, |cutter, definition| {
                    let term = cutter.inlines(definition.term);
                    let mut definitions: Vec<_> =
                        definition.definitions.into_iter().map(|meaning| cutter.blocks(meaning)).collect();
                    definitions.retain(|meaning| !meaning.is_empty());
                    let is_told = !term.is_empty() && !definitions.is_empty();
                    cutter.cut |= !is_told;
                    is_told.then_some(Definition { term, definitions })
                });
                (!kept.is_empty()).then_some(Block::Definitions(kept))
            }
            Block::Rule => Some(Block::Rule),
        }
    }

    /// Takes what is kept or left out as a whole.
    fn takes(&mut self, size: usize) -> bool {
        self.cut |= size > self.left;
        self.left -= if self.cut { 0 } else { size };
        !self.cut
    }

    fn line(&mut self, content: Vec<Inline>) -> Option<Vec<Inline>> {
        Some(self.inlines(content)).filter(|content| !content.is_empty())
    }

    /// Counts a text; returns where it ends if it is more than what is left, and whether it is the
    /// first.
    fn end_of(&mut self, text: &str) -> Option<(usize, bool)> {
        let length = text.chars().count();
        let is_first = !std::mem::replace(&mut self.begun, true);
        if length <= self.left {
            self.left -= length;
            return None;
        }
        self.cut = true;
        let end = text.char_indices().nth(self.left).map_or(text.len(), |(at, _)| at);
        self.left = 0;
        Some((end, is_first))
    }

    fn lines(&mut self, text: String) -> String {
        let Some((end, is_first)) = self.end_of(&text) else { return text };
        let end = text[..end].rfind('\n').unwrap_or(if is_first { end } else { 0 });
        clean_code(&text[..end])
    }

    fn inlines(&mut self, given: Vec<Inline>) -> Vec<Inline> {
        let mut kept = Vec::new();
        for inline in given {
            if self.cut {
                break;
            }
            kept.extend(match inline {
                Inline::Text(text) => self.words(text).map(Inline::Text),
                Inline::Code(text) => self.words(text).map(Inline::Code),
                Inline::Emphasis(content) => self.line(content).map(Inline::Emphasis),
                Inline::Strong(content) => self.line(content).map(Inline::Strong),
                Inline::Strike(content) => self.line(content).map(Inline::Strike),
                Inline::Link { url, content } => self.line(content).map(|content| Inline::Link { url, content }),
                Inline::Image(_) | Inline::Break => Some(inline),
            });
        }
        if self.cut {
            trim_end(&mut kept);
        }
        kept
    }

    /// Keeps the whole words that fit; none if not even one does.
    fn words(&mut self, text: String) -> Option<String> {
        let Some((end, is_first)) = self.end_of(&text) else { return Some(text) };
        let at_blank = text[end..].starts_with(' ');
        let end = match text[..end].rfind(' ') {
            _ if at_blank => end,
            Some(blank) => blank,
            None if is_first => end,
            None => 0,
        };
        Some(text[..end].trim_end().to_owned()).filter(|text| !text.is_empty())
    }
}

/// Removes breaks and blanks from the end of what was cut.
fn trim_end(kept: &mut Vec<Inline>) {
    while let Some(last) = kept.last_mut() {
        match last {
            Inline::Text(text) => text.truncate(text.trim_end().len()),
            Inline::Break => {}
            _ => return,
        }
        if matches!(last, Inline::Text(text) if !text.is_empty()) {
            return;
        }
        kept.pop();
    }
}
