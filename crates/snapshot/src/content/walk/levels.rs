//! Containers of blocks that are open, and what becomes of them when they end.

use super::{Found, Leave, Walk};
use crate::content::table::{self, CellData};
use crate::markdown::{self, Block, Definition, Inline, InlineContext, Item, List, PieceKind, build};
use browserlens_core::page::{NodeId, NodeRef};

/// A container of blocks that is open.
pub(super) enum Kind {
    Section(NodeId),
    Heading(u8),
    Quote,
    List(Option<u32>),
    Item(Option<bool>),
    Table,
    Cell { columns: Option<String>, rows: Option<String> },
    Definitions,
    Term,
    Meaning,
}

pub(super) struct Level {
    pub(super) kind: Kind,
    pub(super) blocks: Vec<Block>,
    pub(super) items: Vec<Item>,
    pub(super) rows: Vec<Vec<CellData>>,
    pub(super) definitions: Vec<Definition>,
}

impl Level {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, blocks: Vec::new(), items: Vec::new(), rows: Vec::new(), definitions: Vec::new() }
    }

    /// The definition that is open; one without a term if there is none yet.
    fn last_definition(&mut self) -> &mut Definition {
        if self.definitions.is_empty() {
            self.definitions.push(Definition::default());
        }
        let last = self.definitions.len() - 1;
        &mut self.definitions[last]
    }
}

impl Walk<'_, '_> {
    pub(super) fn begin(&mut self, node: NodeRef<'_>, kind: Kind) -> bool {
        self.flush();
        self.nested += 1;
        self.tables += usize::from(matches!(kind, Kind::Table));
        self.levels.push(Level::new(kind));
        self.leave(node, Leave::Level);
        true
    }

    pub(super) fn is_at_top(&self) -> bool {
        self.nested == 0
    }

    pub(super) fn begin_section(&mut self, node: NodeRef<'_>) {
        if !self.is_at_top() {
            self.flush();
            self.leave(node, Leave::Block);
            return;
        }
        self.flush_all();
        self.emit();
        self.levels.push(Level::new(Kind::Section(node.id())));
        self.leave(node, Leave::Level);
    }

    /// Hands out what the innermost section has said since the last time.
    pub(super) fn emit(&mut self) {
        if let Some(Level { kind: Kind::Section(node), blocks, .. }) = self.levels.last_mut() {
            let node = *node;
            let blocks = std::mem::take(blocks);
            let begins = self.begins.take().unwrap_or(node);
            if self.words.is_some() {
                return;
            }
            let blocks = markdown::normalise_built(blocks);
            if !blocks.is_empty() {
                self.out.push(Found { node, begins, blocks });
            }
        }
    }

    /// Ends the line that is being read.
    pub(super) fn flush(&mut self) {
        if self.held.is_none() {
            self.flush_all();
        }
    }

    /// Ends the line, even if it is only a box that waits for its label.
    pub(super) fn flush_all(&mut self) {
        (self.last, self.held) = (None, None);
        self.count(self.at, "\n");
        if self.run.is_empty() {
            return;
        }
        // These are one line: a block within them is only another word.
        if matches!(self.levels.last(), Some(Level { kind: Kind::Heading(_) | Kind::Term, .. })) {
            self.push_piece(PieceKind::Break);
            return;
        }
        let content = build(std::mem::take(&mut self.run), InlineContext::Paragraph);
        if !content.is_empty() {
            self.push_block(Block::Paragraph(content));
        }
    }

    pub(super) fn push_block(&mut self, block: Block) {
        let Some(level) = self.levels.last_mut() else { return };
        match level.kind {
            Kind::List(_) => level.items.push(Item { task: None, blocks: vec![block] }),
            Kind::Definitions => {
                // What stands between terms and meanings belongs to the last meaning.
                let last = level.last_definition();
                match last.definitions.last_mut() {
                    Some(meaning) => meaning.push(block),
                    None => last.definitions.push(vec![block]),
                }
            }
            Kind::Table if !level.rows.is_empty() => {
                // Something between rows: a row of its own keeps the order.
                level.rows.push(vec![CellData::new(vec![block], None, None)]);
            }
            _ => level.blocks.push(block),
        }
    }

    pub(super) fn end_level(&mut self) {
        let line = match self.levels.last().map(|level| &level.kind) {
            Some(Kind::Heading(_) | Kind::Term) => {
                self.count(self.at, "\n");
                build(std::mem::take(&mut self.run), InlineContext::Line)
            }
            _ => {
                self.flush_all();
                Vec::new()
            }
        };
        self.held = None;
        if matches!(self.levels.last(), Some(Level { kind: Kind::Section(_), .. })) {
            self.emit();
        }
        let Some(level) = self.levels.pop() else { return };
        self.nested -= usize::from(!matches!(level.kind, Kind::Section(_)));
        self.tables -= usize::from(matches!(level.kind, Kind::Table));
        match level.kind {
            Kind::Section(_) => return,
            Kind::Heading(number) => return self.push_block(Block::Heading { level: number, content: line }),
            Kind::Quote => return self.push_block(Block::Quote(level.blocks)),
            Kind::List(_) if level.items.is_empty() => return,
            Kind::List(start) => return self.push_block(Block::List(List { start, items: level.items })),
            Kind::Table => {
                level.blocks.into_iter().for_each(|block| self.push_block(block));
                return self.push_block(Block::Table(table::layout(level.rows)));
            }
            Kind::Definitions => return self.push_block(Block::Definitions(level.definitions)),
            _ => {}
        }
        let Some(above) = self.levels.last_mut() else { return };
        match level.kind {
            Kind::Item(task) => above.items.push(Item { task, blocks: level.blocks }),
            Kind::Cell { columns, rows } => {
                let cell = CellData::new(level.blocks, columns.as_deref(), rows.as_deref());
                match above.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => above.rows.push(vec![cell]),
                }
            }
            Kind::Term => above.definitions.push(Definition { term: line, definitions: Vec::new() }),
            _ => above.last_definition().definitions.push(level.blocks),
        }
    }

    pub(super) fn end_figure(&mut self, from: usize) {
        self.flush_all();
        let Some(level) = self.levels.last_mut() else { return };
        if level.blocks.len() == from + 2
            && let Some(Block::Paragraph(content)) = level.blocks.get(from)
            && let [Inline::Image(image)] = content.as_slice()
            && let Some(Block::Paragraph(caption)) = level.blocks.get(from + 1)
        {
            let figure = Block::Figure { image: image.clone(), caption: caption.clone() };
            level.blocks.truncate(from);
            level.blocks.push(figure);
        }
    }
}
