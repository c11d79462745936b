//! Brings blocks into the normal form that survives writing and reading.
//!
//! In: any blocks. Out: the same content without what markdown cannot say: empty blocks, marks
//! within marks of their kind, blanks at edges, containers nested too deep. Invariant: what is in
//! normal form stays as it is.

use super::inline::{self, InlineContext, Piece, PieceKind, clean_line};
use super::tree::{Block, Definition, Inline, Item, List, MAX_NESTING, Table};

/// The largest number that a list may start with.
const LARGEST_START: u32 = 999_999_999;

/// Returns a text as it may stand in a comment: on one line, and unable to end it.
pub(crate) fn clean_comment(text: &str) -> String {
    clean_line(text).replace('>', "%3E").replace('<', "%3C")
}

/// Returns a heading's text as it may stand among breadcrumbs.
pub(crate) fn clean_title(text: &str) -> String {
    clean_line(&text.replace('>', "›").replace('<', "‹"))
}

/// Brings blocks into normal form.
pub(crate) fn normalise_blocks(given: Vec<Block>) -> Vec<Block> {
    blocks(given, At { depth: 0, lines_are_normal: false })
}

/// Brings blocks into normal form whose headings and paragraphs were built in it.
pub(crate) fn normalise_built(given: Vec<Block>) -> Vec<Block> {
    blocks(given, At { depth: 0, lines_are_normal: true })
}

/// Where blocks stand.
#[derive(Clone, Copy)]
struct At {
    /// The number of containers above.
    depth: usize,
    /// Headings and paragraphs are in normal form already.
    lines_are_normal: bool,
}

impl At {
    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Brings blocks into normal form.
fn blocks(given: Vec<Block>, at: At) -> Vec<Block> {
    let mut out = Vec::with_capacity(given.len());
    for block in given {
        add(block, at, &mut out);
    }
    out
}

fn add(given: Block, at: At, out: &mut Vec<Block>) {
    match given {
        Block::Paragraph(content)
            if at.lines_are_normal && !matches!(content.first(), None | Some(Inline::Image(_))) =>
        {
            out.push(Block::Paragraph(content));
        }
        Block::Heading { level, content } if at.lines_are_normal && !content.is_empty() => {
            out.push(Block::Heading { level: level.clamp(1, 6), content });
        }
        Block::Heading { level, content } => {
            let content = inline::build(inline::pieces(content), InlineContext::Line);
            if !content.is_empty() {
                out.push(Block::Heading { level: level.clamp(1, 6), content });
            }
        }
        Block::Paragraph(content) => paragraph(inline::pieces(content), out),
        Block::Figure { image, caption } => {
            let mut pieces = vec![Piece { kind: PieceKind::Image(image), marks: Vec::new() }];
            pieces.push(Piece { kind: PieceKind::Break, marks: Vec::new() });
            pieces.extend(inline::pieces(caption));
            paragraph(pieces, out);
        }
        Block::List(list) => add_list(list, at, out),
        Block::Code { language, text } => {
            let text = clean_code(&text);
            if !text.is_empty() {
                out.push(Block::Code { language: clean_language(&language), text });
            }
        }
        Block::Quote(inner) => {
            if at.depth >= MAX_NESTING {
                return inner.into_iter().for_each(|block| add(block, at, out));
            }
            let inner = blocks(inner, at.below());
            if !inner.is_empty() {
                out.push(Block::Quote(inner));
            }
        }
        Block::Table(table) => {
            if let Some(table) = rectangle(table) {
                out.push(Block::Table(table));
            }
        }
        Block::Definitions(definitions) => add_definitions(definitions, at, out),
        Block::Rule => out.push(Block::Rule),
    }
}

fn paragraph(pieces: Vec<Piece>, out: &mut Vec<Block>) {
    let mut content = inline::build(pieces, InlineContext::Paragraph);
    match content.as_slice() {
        [] => {}
        [Inline::Image(_)] | [Inline::Image(_), Inline::Break, ..] => {
            let Inline::Image(image) = content.remove(0) else { return };
            if !content.is_empty() {
                content.remove(0);
            }
            out.push(Block::Figure { image, caption: content });
        }
        _ => out.push(Block::Paragraph(content)),
    }
}

fn add_list(list: List, at: At, out: &mut Vec<Block>) {
    if at.depth >= MAX_NESTING {
        return list.items.into_iter().flat_map(|item| item.blocks).for_each(|block| add(block, at, out));
    }
    let mut items = Vec::with_capacity(list.items.len());
    for item in list.items {
        let inner = blocks(item.blocks, at.below());
        let is_text = matches!(inner.first(), Some(Block::Paragraph(_) | Block::Figure { .. }));
        if !inner.is_empty() {
            items.push(Item { task: item.task.filter(|_| is_text), blocks: inner });
        }
    }
    if !items.is_empty() {
        let most = LARGEST_START.saturating_sub(u32::try_from(items.len()).unwrap_or(LARGEST_START));
        out.push(Block::List(List { start: list.start.map(|start| start.min(most)), items }));
    }
}

fn add_definitions(given: Vec<Definition>, at: At, out: &mut Vec<Block>) {
    let mut held: Vec<Definition> = Vec::new();
    let mut rest: Vec<Block> = Vec::new();
    for definition in given {
        let term = inline::build(inline::pieces(definition.term), InlineContext::Line);
        let too_deep = at.depth >= MAX_NESTING || term.is_empty();
        let mut definitions: Vec<Vec<Block>> = Vec::new();
        for inner in definition.definitions {
            let inner = blocks(inner, if too_deep { at } else { at.below() });
            if !inner.is_empty() {
                definitions.push(inner);
            }
        }
        if !too_deep && !definitions.is_empty() {
            held.push(Definition { term, definitions });
            continue;
        }
        // A term without a definition, or the other way round, is only text.
        if !held.is_empty() {
            rest.push(Block::Definitions(std::mem::take(&mut held)));
        }
        if !term.is_empty() {
            paragraph(inline::pieces(term), &mut rest);
        }
        rest.extend(definitions.into_iter().flatten());
    }
    if !held.is_empty() {
        rest.push(Block::Definitions(held));
    }
    for block in rest {
        match (out.last_mut(), block) {
            (Some(Block::Definitions(last)), Block::Definitions(more)) => last.extend(more),
            (_, block) => out.push(block),
        }
    }
}

/// Makes a table a rectangle; none if nothing is in it.
fn rectangle(table: Table) -> Option<Table> {
    let cell = |cell: Vec<Inline>| inline::build(inline::pieces(cell), InlineContext::Cell);
    let row = |row: Vec<Vec<Inline>>| row.into_iter().map(cell).collect::<Vec<_>>();
    let mut header = row(table.header);
    let mut rows: Vec<_> = table.rows.into_iter().map(row).collect();
    let width = rows.iter().map(Vec::len).chain([header.len()]).max().unwrap_or(0);
    let is_empty = |row: &Vec<Vec<Inline>>| row.iter().all(Vec::is_empty);
    rows.retain(|row| !is_empty(row));
    if width == 0 || (rows.is_empty() && is_empty(&header)) {
        return None;
    }
    header.resize(width, Vec::new());
    rows.iter_mut().for_each(|row| row.resize(width, Vec::new()));
    Some(Table { header, rows })
}

/// Returns code with `\n` as its only line end, without blank lines around it.
pub(crate) fn clean_code(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.retain(|c| matches!(c, '\n' | '\t') || !c.is_control());
    let lines: Vec<&str> = text.split('\n').collect();
    let is_told = |line: &&str| !line.trim_matches([' ', '\t']).is_empty();
    let first = lines.iter().position(is_told).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_told).map_or(first, |last| last + 1);
    lines[first..end].join("\n")
}

/// Returns the name of a language: the characters that names of languages have.
fn clean_language(language: &str) -> String {
    let word = language.split_whitespace().next().unwrap_or_default();
    word.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_')).take(40).collect()
}
