//! Cuts blocks to a number of characters.
//!
//! In: blocks in normal form. Out: their beginning, in normal form, and whether something is
//! missing. Invariant: at most `length` characters of text are kept; words are kept whole unless
//! the first word of all is longer.

use crate::markdown::{Block, Definition, Inline, Item, List, normalise_blocks};

/// Counts the characters of text, as [`cut`] counts them.
pub(super) fn characters(blocks: &[Block]) -> usize {
    let line = |content: &[Inline]| -> usize {
        let mut rest: Vec<&Inline> = content.iter().collect();
        let mut sum = 0;
        while let Some(inline) = rest.pop() {
            match inline {
                Inline::Text(text) | Inline::Code(text) => sum += text.chars().count(),
                Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Strike(inner) => rest.extend(inner),
                Inline::Link { content, .. } => rest.extend(content),
                Inline::Image(_) | Inline::Break => {}
            }
        }
        sum
    };
    let of = |block: &Block| match block {
        Block::Heading { content, .. } | Block::Paragraph(content) => line(content),
        Block::Figure { caption, .. } => line(caption),
        Block::Code { text, .. } => text.chars().count(),
        Block::Quote(inner) => characters(inner),
        Block::List(list) => list.items.iter().map(|item| characters(&item.blocks)).sum(),
        Block::Table(table) => std::iter::once(&table.header)
            .chain(&table.rows)
            .flatten()
            .map(|cell| crate::markdown::plain_text(cell).chars().count())
            .sum(),
        Block::Definitions(definitions) => definitions
            .iter()
            .map(|definition| {
                let meanings: usize = definition.definitions.iter().map(|meaning| characters(meaning)).sum();
                line(&definition.term) + meanings
            })
            .sum(),
        Block::Rule => 0,
    };
    blocks.iter().map(of).sum()
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
    fn blocks(&mut self, given: Vec<Block>) -> Vec<Block> {
        let mut kept = Vec::new();
        for block in given {
            if self.cut || self.left == 0 {
                self.cut = true;
                break;
            }
            kept.extend(self.block(block));
        }
        kept
    }

    fn block(&mut self, block: Block) -> Option<Block> {
        match block {
            Block::Heading { level, content } => {
                let content = self.inlines(content);
                (!content.is_empty()).then_some(Block::Heading { level, content })
            }
            Block::Paragraph(content) => {
                let content = self.inlines(content);
                (!content.is_empty()).then_some(Block::Paragraph(content))
            }
            Block::Figure { image, caption } => Some(Block::Figure { image, caption: self.inlines(caption) }),
            Block::Code { language, text } => {
                let text = self.lines(text);
                (!text.is_empty()).then_some(Block::Code { language, text })
            }
            Block::Quote(inner) => Some(self.blocks(inner)).filter(|inner| !inner.is_empty()).map(Block::Quote),
            Block::List(list) => {
                let mut items = Vec::new();
                for item in list.items {
                    if self.cut || self.left == 0 {
                        self.cut = true;
                        break;
                    }
                    let blocks = self.blocks(item.blocks);
                    if !blocks.is_empty() {
                        items.push(Item { task: item.task, blocks });
                    }
                }
                (!items.is_empty()).then_some(Block::List(List { start: list.start, items }))
            }
            Block::Table(mut table) => {
                let size = |row: &Vec<Vec<Inline>>| -> usize {
                    row.iter().map(|cell| crate::markdown::plain_text(cell).chars().count()).sum()
                };
                let header = size(&table.header);
                if header > self.left {
                    self.cut = true;
                    return None;
                }
                self.left -= header;
                self.begun = true;
                let mut fitting = 0;
                for row in &table.rows {
                    let size = size(row);
                    if size > self.left {
                        self.cut = true;
                        break;
                    }
                    self.left -= size;
                    fitting += 1;
                }
                table.rows.truncate(fitting);
                Some(Block::Table(table))
            }
            Block::Definitions(definitions) => {
                let mut kept: Vec<Definition> = Vec::new();
                for definition in definitions {
                    if self.cut || self.left == 0 {
                        self.cut = true;
                        break;
                    }
                    let term = self.inlines(definition.term);
                    let mut meanings = Vec::new();
                    for meaning in definition.definitions {
                        let meaning = self.blocks(meaning);
                        if !meaning.is_empty() {
                            meanings.push(meaning);
                        }
                    }
                    if !term.is_empty() && !meanings.is_empty() {
                        kept.push(Definition { term, definitions: meanings });
                    } else {
                        self.cut = true;
                    }
                }
                (!kept.is_empty()).then_some(Block::Definitions(kept))
            }
            Block::Rule => Some(Block::Rule),
        }
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
        crate::markdown::clean_code(&text[..end])
    }

    fn inlines(&mut self, given: Vec<Inline>) -> Vec<Inline> {
        let mut kept = Vec::new();
        for inline in given {
            if self.cut {
                break;
            }
            match inline {
                Inline::Text(text) => {
                    let text = self.words(text);
                    if !text.is_empty() {
                        kept.push(Inline::Text(text));
                    }
                }
                Inline::Code(text) => {
                    let text = self.words(text);
                    if !text.is_empty() {
                        kept.push(Inline::Code(text));
                    }
                }
                Inline::Emphasis(content) => self.marked(content, Inline::Emphasis, &mut kept),
                Inline::Strong(content) => self.marked(content, Inline::Strong, &mut kept),
                Inline::Strike(content) => self.marked(content, Inline::Strike, &mut kept),
                Inline::Link { url, content } => {
                    self.marked(content, |content| Inline::Link { url, content }, &mut kept);
                }
                Inline::Image(image) => kept.push(Inline::Image(image)),
                Inline::Break => kept.push(Inline::Break),
            }
        }
        if self.cut {
            trim_end(&mut kept);
        }
        kept
    }

    fn marked(&mut self, content: Vec<Inline>, mark: impl FnOnce(Vec<Inline>) -> Inline, kept: &mut Vec<Inline>) {
        let content = self.inlines(content);
        if !content.is_empty() {
            kept.push(mark(content));
        }
    }

    fn words(&mut self, text: String) -> String {
        let Some((end, is_first)) = self.end_of(&text) else { return text };
        let at_blank = text[end..].starts_with(' ');
        let end = match text[..end].rfind(' ') {
            _ if at_blank => end,
            Some(blank) => blank,
            None if is_first => end,
            None => 0,
        };
        text[..end].trim_end().to_owned()
    }
}

/// Removes breaks and blanks from the end of what was cut.
fn trim_end(kept: &mut Vec<Inline>) {
    loop {
        match kept.last_mut() {
            Some(Inline::Break) => {
                kept.pop();
            }
            Some(Inline::Text(text)) if text.trim_end().is_empty() => {
                kept.pop();
            }
            Some(Inline::Text(text)) => {
                text.truncate(text.trim_end().len());
                return;
            }
            _ => return,
        }
    }
}
