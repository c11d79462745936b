//! Rows and cells of a page as a table of markdown.
//!
//! In: cells as they were read, with their spans. Out: a rectangle. Invariants: each cell's text
//! stands once, at its first row and column; what a cell spans beyond is empty; blocks in a cell
//! are lines of it.

use crate::markdown::{Block, Inline, Table, clean_line};

/// The most columns or rows that a cell is believed to span.
const WIDEST_SPAN: usize = 1_000;

/// A cell as it was read.
#[derive(Debug)]
pub(super) struct CellData {
    pub content: Vec<Inline>,
    pub columns: usize,
    pub rows: usize,
}

impl CellData {
    pub(super) fn new(blocks: Vec<Block>, columns: Option<&str>, rows: Option<&str>) -> Self {
        let span = |text: Option<&str>| {
            text.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(1).clamp(1, WIDEST_SPAN)
        };
        let mut content = Vec::new();
        flatten(blocks, &mut content);
        Self { content, columns: span(columns), rows: span(rows) }
    }
}

/// Lays cells out; the first row is the header, as GFM tables must have one.
pub(super) fn layout(rows: Vec<Vec<CellData>>) -> Table {
    let mut grid: Vec<Vec<Vec<Inline>>> = Vec::with_capacity(rows.len());
    // For each column: how many further rows a cell above reaches into.
    let mut reaching: Vec<usize> = Vec::new();
    for row in rows {
        let mut line: Vec<Vec<Inline>> = Vec::new();
        let mut column = 0;
        let mut next: Vec<usize> = reaching.iter().map(|rows| rows.saturating_sub(1)).collect();
        for cell in row {
            while reaching.get(column).is_some_and(|rows| *rows > 0) {
                line.push(Vec::new());
                column += 1;
            }
            line.push(cell.content);
            line.extend((1..cell.columns).map(|_| Vec::new()));
            if next.len() < column + cell.columns {
                next.resize(column + cell.columns, 0);
            }
            next[column..column + cell.columns].fill(cell.rows - 1);
            column += cell.columns;
        }
        reaching = next;
        grid.push(line);
    }
    // Columns in which nothing stands, as spans leave them behind, are not told.
    let width = grid.iter().map(|row| row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)).max();
    grid.iter_mut().for_each(|row| row.truncate(width.unwrap_or(0)));
    let header = if grid.is_empty() { Vec::new() } else { grid.remove(0) };
    Table { header, rows: grid }
}

/// Writes blocks as lines.
pub(super) fn flatten(blocks: Vec<Block>, out: &mut Vec<Inline>) {
    for block in blocks {
        if !out.is_empty() && out.last() != Some(&Inline::Break) {
            out.push(Inline::Break);
        }
        match block {
            Block::Heading { content, .. } | Block::Paragraph(content) => out.extend(content),
            Block::Figure { image, caption } => {
                out.push(Inline::Image(image));
                if !caption.is_empty() {
                    out.push(Inline::Break);
                    out.extend(caption);
                }
            }
            Block::List(list) => list.items.into_iter().for_each(|item| flatten(item.blocks, out)),
            Block::Code { text, .. } => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    out.push(Inline::Code(clean_line(line)));
                    out.push(Inline::Break);
                }
            }
            Block::Quote(inner) => flatten(inner, out),
            Block::Table(table) => {
                for row in std::iter::once(table.header).chain(table.rows) {
                    for cell in row {
                        out.extend(cell);
                        out.push(Inline::text(" "));
                    }
                    out.push(Inline::Break);
                }
            }
            Block::Definitions(definitions) => {
                for definition in definitions {
                    if !out.is_empty() && out.last() != Some(&Inline::Break) {
                        out.push(Inline::Break);
                    }
                    out.extend(definition.term);
                    definition.definitions.into_iter().for_each(|meaning| flatten(meaning, out));
                }
            }
            Block::Rule => {}
        }
    }
}
