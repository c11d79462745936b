//! The line that is being read: its pieces, and where words and lines part.

use super::Walk;
use super::levels::{Kind, Level};
use crate::content::boxes::{is_invisible, is_picture, language};
use crate::content::fields;
use crate::markdown::{Block, Image, Mark, Piece, PieceKind, clean_code};
use browserlens_core::page::text::would_join;
use browserlens_core::page::{Flow, NodeId, NodeKind, NodeRef};

/// How far from its box a label may begin, in CSS px.
const FARTHEST_LABEL: f32 = 32.0;

fn is_blank(piece: &Piece) -> bool {
    match &piece.kind {
        PieceKind::Text(text) => text.trim().is_empty(),
        PieceKind::Break => true,
        _ => false,
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

impl Walk<'_, '_> {
    pub(super) fn text(&mut self, node: NodeRef<'_>) {
        let text = node.text();
        // A blank alone has no box where a line wraps at it, and parts words all the same.
        if text.trim_matches([' ', '\t', '\n', '\r', '\u{c}']).is_empty() {
            if !text.is_empty() {
                self.blank();
            }
            return;
        }
        if self.is_shown(node) {
            self.part(node);
            self.push_text(text);
            self.last = Some(node.bounds());
        }
    }

    /// Parts words that stand apart by a margin, with no blank between them in the document.
    pub(super) fn part(&mut self, node: NodeRef<'_>) {
        if let Some(held) = self.held.take() {
            // Its label stands beside it.
            let next = node.bounds();
            let beside = held.y < next.bottom() && next.y < held.bottom();
            let gap = (next.x - held.right()).max(held.x - next.right());
            if beside && gap < FARTHEST_LABEL {
                self.blank();
            } else {
                self.flush_all();
            }
        }
        let Some(last) = self.last.take() else { return };
        let Some(Piece { kind: PieceKind::Text(text) | PieceKind::Code(text), .. }) = self.run.last() else { return };
        if would_join(text, node.text()) && node.bounds().is_apart_from(last) {
            self.blank();
        }
    }

    /// Appends text; line ends that are still in it are rendered.
    pub(super) fn push_text(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.line_break();
            }
            self.push_line(line);
        }
    }

    fn push_line(&mut self, line: &str) {
        let cleaned: String;
        let line = if line.is_ascii() || !line.contains(|c| is_picture(c) || is_invisible(c)) {
            line
        } else {
            cleaned = line.chars().filter(|c| !is_invisible(*c)).map(|c| if is_picture(c) { ' ' } else { c }).collect();
            &cleaned
        };
        if line.is_empty() {
            return;
        }
        let Some(_) = self.code else {
            self.push_piece(PieceKind::Text(line.to_owned()));
            return;
        };
        // Blanks at the edges of code are the line's.
        if line.starts_with(char::is_whitespace) {
            self.blank();
        }
        let inner = line.trim();
        if !inner.is_empty() {
            match self.run.last_mut() {
                Some(Piece { kind: PieceKind::Code(held), marks }) if *marks == self.marks => {
                    held.push_str(inner);
                    self.count(self.at, inner);
                }
                _ => self.push_piece(PieceKind::Code(inner.to_owned())),
            }
        }
        if line.ends_with(char::is_whitespace) {
            self.blank();
        }
    }

    pub(super) fn count(&mut self, node: NodeId, text: &str) {
        if let Some(words) = &mut self.words {
            words.add(node, text);
        }
    }

    pub(super) fn push_piece(&mut self, kind: PieceKind) {
        self.begins.get_or_insert(self.at);
        match &kind {
            PieceKind::Text(text) | PieceKind::Code(text) => self.count(self.at, text),
            PieceKind::Break => self.count(self.at, "\n"),
            PieceKind::Image(_) => {}
        }
        let mut marks = self.marks.clone();
        // A sign alone is not emphasised: delimiters around it would stand within a word.
        if let PieceKind::Text(text) = &kind
            && !text.contains(char::is_alphanumeric)
        {
            marks.retain(|mark| matches!(mark, Mark::Link(_)));
        }
        self.run.push(Piece { kind, marks });
    }

    pub(super) fn blank(&mut self) {
        self.last = None;
        match self.run.last_mut() {
            None | Some(Piece { kind: PieceKind::Break, .. }) => {}
            Some(Piece { kind: PieceKind::Text(text), .. }) if text.ends_with(' ') => {}
            _ => self.push_piece(PieceKind::Text(" ".to_owned())),
        }
    }

    pub(super) fn line_break(&mut self) {
        self.last = None;
        // Two breaks leave an empty line: a new paragraph.
        if matches!(self.run.last(), Some(Piece { kind: PieceKind::Break, .. })) {
            self.flush();
        } else {
            self.push_piece(PieceKind::Break);
        }
    }

    /// What is behind the edge of a box is on a new line, or another word.
    fn end_box(&mut self, is_block: bool) {
        if is_block { self.flush() } else { self.blank() }
    }

    pub(super) fn image(&mut self, node: NodeRef<'_>, alt: &str, source: &str) {
        if !self.options.include_images || !self.is_shown(node) {
            // A picture parts words.
            self.end_box(self.flow(node) == Flow::Block);
            return;
        }
        let url = if source.trim_start().starts_with("data:") { "" } else { source };
        let is_block = self.flow(node) == Flow::Block;
        if is_block {
            self.flush();
        }
        self.push_piece(PieceKind::Image(Image { url: url.to_owned(), alt: alt.to_owned() }));
        if is_block {
            self.flush();
        }
    }

    pub(super) fn field(&mut self, node: NodeRef<'_>) {
        let is_block = self.flow(node) == Flow::Block;
        self.end_box(is_block);
        if self.is_shown(node) {
            // The box that begins an item makes it a task.
            if let (Some(done), true, Some(Level { kind: Kind::Item(task), blocks, .. })) =
                (fields::checkbox(node), self.run.iter().all(is_blank), self.levels.last_mut())
                && blocks.is_empty()
                && task.is_none()
            {
                *task = Some(done);
            } else if let Some(text) = fields::text(node) {
                if self.held.is_some() {
                    self.flush_all();
                }
                let is_first = self.run.iter().all(is_blank);
                self.push_text(&text);
                self.held = (is_first && fields::is_box(node)).then(|| node.bounds());
            }
        }
        self.end_box(is_block);
    }

    /// Reads an element whose text is laid out as it stands.
    pub(super) fn code_block(&mut self, node: NodeRef<'_>) -> bool {
        self.flush_all();
        self.begins.get_or_insert(node.id());
        let mut text = String::new();
        let mut ends: Vec<u32> = Vec::new();
        for inner in node.descendants() {
            while ends.last().is_some_and(|end| *end <= inner.id().0) {
                ends.pop();
                end_line(&mut text);
                self.count(node.id(), "\n");
            }
            let says = match inner.kind() {
                NodeKind::Text => self.is_shown(inner) || inner.text().trim().is_empty(),
                NodeKind::Pseudo => self.is_shown(inner) && inner.tag() != "::marker",
                _ => false,
            };
            if says {
                text.push_str(inner.text());
                self.count(inner.id(), inner.text());
            } else if inner.tag() == "br" {
                text.push('\n');
                self.count(node.id(), "\n");
            } else if inner.kind() == NodeKind::Element && self.flow(inner) == Flow::Block {
                end_line(&mut text);
                ends.push(inner.end());
                self.count(node.id(), "\n");
            }
        }
        self.count(node.id(), "\n");
        if !clean_code(&text).is_empty() {
            self.push_block(Block::Code { language: language(node), text });
        }
        false
    }
}
