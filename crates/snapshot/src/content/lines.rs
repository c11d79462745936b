//! Blocks line by line, and what of them a pattern keeps.
//!
//! In: blocks in normal form. Out: [`Line`]s, and the blocks again with some of their lines only.
//! Invariants: a heading, a paragraph, an item, a row, a definition and a block of code is one line
//! each; a list, table, quote and set of definitions has a line above them that stands for all; what
//! is kept stands in what it stood in, a row below the header of its table; the lines of
//! [`lines`] are those of [`keep`], in the same order.

use crate::grep::Grep;
use crate::markdown::{Block, Inline, Item, List, normalise_blocks, plain_text};

/// A line of content.
pub(super) struct Line {
    /// What it says, as the tree format has it but unbroken; of code, line by line.
    texts: Vec<String>,
    /// Where in it the page's words begin.
    begins: usize,
    /// How many of the lines after it are in it.
    holds: usize,
}

impl Line {
    fn new(role: &str, words: &str) -> Self {
        Self { texts: vec![format!("{role}{words}").replace('\n', " ")], begins: role.len(), holds: 0 }
    }

    /// Returns the words of the page in it.
    pub(super) fn words(&self) -> &str {
        self.texts.first().and_then(|text| text.get(self.begins..)).unwrap_or_default()
    }
}

/// Appends the lines of blocks.
pub(super) fn lines(blocks: &[Block], out: &mut Vec<Line>) {
    for block in blocks {
        match block {
            Block::Heading { level, content } => {
                out.push(Line::new(&format!("HEADING level={level} "), &plain_text(content)));
            }
            Block::Paragraph(content) => out.push(Line::new("TEXT ", &plain_text(content))),
            Block::Figure { image, caption } => {
                let caption = plain_text(caption);
                out.push(Line::new("FIGURE ", if caption.is_empty() { &image.alt } else { &caption }));
            }
            Block::Code { language, text } => {
                let mut line = Line::new(&format!("CODE {language} "), text.lines().next().unwrap_or_default());
                line.texts.extend(text.lines().skip(1).map(str::to_owned));
                out.push(line);
            }
            Block::Quote(inner) => holding(Line::new("QUOTE", ""), out, |out| lines(inner, out)),
            Block::List(list) => {
                let head = Line::new(&format!("LIST [{} items]", list.items.len()), "");
                holding(head, out, |out| list.items.iter().for_each(|item| item_lines(item, out)));
            }
            Block::Table(table) => {
                let head = format!("TABLE [{} rows, {} columns]", table.rows.len() + 1, table.header.len());
                holding(Line::new(&head, ""), out, |out| {
                    for row in table.all_rows() {
                        out.push(Line::new("", &row_text(row)));
                    }
                });
            }
            Block::Definitions(definitions) => {
                let head = Line::new(&format!("DEFINITIONS [{} items]", definitions.len()), "");
                holding(head, out, |out| {
                    for definition in definitions {
                        let mut line = Line::new("", &plain_text(&definition.term));
                        for meaning in definition.definitions.iter().flatten() {
                            line.texts.extend(meaning.plain_text().lines().map(str::to_owned));
                        }
                        out.push(line);
                    }
                });
            }
            Block::Rule => out.push(Line::new("SEPARATOR", "")),
        }
    }
}

fn holding(head: Line, out: &mut Vec<Line>, inner: impl FnOnce(&mut Vec<Line>)) {
    let at = out.len();
    out.push(head);
    inner(out);
    out[at].holds = out.len() - at - 1;
}

fn item_lines(item: &Item, out: &mut Vec<Line>) {
    let marker = match item.task {
        Some(true) => "- [x] ",
        Some(false) => "- [ ] ",
        None => "- ",
    };
    match item.blocks.split_first() {
        Some((Block::Paragraph(content), rest)) => {
            out.push(Line::new(marker, &plain_text(content)));
            lines(rest, out);
        }
        _ => {
            out.push(Line::new(marker, ""));
            lines(&item.blocks, out);
        }
    }
}

fn row_text(row: &[Vec<Inline>]) -> String {
    row.iter().map(|cell| plain_text(cell)).collect::<Vec<_>>().join(" | ")
}

/// Says which lines a pattern keeps for what they say.
pub(super) fn matching(lines: &[Line], grep: &Grep) -> Vec<bool> {
    let says: Vec<bool> = lines.iter().map(|line| line.texts.iter().any(|text| grep.says(text))).collect();
    if !grep.is_inverted() {
        return says;
    }
    // A head is kept with what it holds, and left out with it.
    let mut kept: Vec<bool> = lines.iter().zip(&says).map(|(line, says)| line.holds == 0 && !says).collect();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| says[*at]) {
        kept[at..=at + line.holds].fill(false);
    }
    kept
}

/// Says which lines are shown: those of `around`, and all that a head holds that matches itself.
pub(super) fn kept(lines: &[Line], around: &[bool], matching: &[bool], inverted: bool) -> Vec<bool> {
    let mut kept = around.to_vec();
    for (at, line) in lines.iter().enumerate().filter(|(at, _)| matching[*at] && !inverted) {
        kept[at..=at + line.holds].fill(true);
    }
    kept
}

/// Keeps some lines of blocks, and what they stand in.
pub(super) fn keep(blocks: Vec<Block>, kept: &[bool]) -> Vec<Block> {
    normalise_blocks(Keeper { kept, at: 0 }.blocks(blocks))
}

struct Keeper<'k> {
    kept: &'k [bool],
    at: usize,
}

impl Keeper<'_> {
    fn next(&mut self) -> bool {
        self.at += 1;
        self.kept.get(self.at - 1).copied().unwrap_or(false)
    }

    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::new();
        for block in blocks {
            // Of what holds lines, the line above them says nothing of its own.
            let is_kept = self.next();
            match block {
                Block::Quote(inner) => {
                    let inner = self.blocks(inner);
                    out.extend((!inner.is_empty()).then_some(Block::Quote(inner)));
                }
                Block::List(list) => self.list(list, &mut out),
                Block::Table(mut table) => {
                    let header = self.next();
                    let rows = std::mem::take(&mut table.rows);
                    table.rows = rows.into_iter().filter(|_| self.next()).collect();
                    out.extend((header || !table.rows.is_empty()).then_some(Block::Table(table)));
                }
                Block::Definitions(definitions) => {
                    let kept: Vec<_> = definitions.into_iter().filter(|_| self.next()).collect();
                    out.extend((!kept.is_empty()).then_some(Block::Definitions(kept)));
                }
                block => out.extend(is_kept.then_some(block)),
            }
        }
        out
    }

    /// Items keep their numbers: where one is left out, another list begins.
    fn list(&mut self, list: List, out: &mut Vec<Block>) {
        let mut run = List::default();
        for (number, item) in list.items.into_iter().enumerate() {
            let is_kept = self.next();
            let mut blocks = item.blocks;
            let first = match blocks.first() {
                Some(Block::Paragraph(_)) => Some(blocks.remove(0)),
                _ => None,
            };
            let below = self.blocks(blocks);
            if !is_kept && below.is_empty() {
                if list.start.is_some() && !run.items.is_empty() {
                    out.push(Block::List(std::mem::take(&mut run)));
                }
                continue;
            }
            if run.items.is_empty() {
                run.start = list.start.map(|start| start.saturating_add(u32::try_from(number).unwrap_or(u32::MAX)));
            }
            run.items.push(Item { task: item.task, blocks: first.into_iter().chain(below).collect() });
        }
        if !run.items.is_empty() {
            out.push(Block::List(run));
        }
    }
}
