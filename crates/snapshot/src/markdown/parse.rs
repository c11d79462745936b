//! Reads markdown into the typed tree.
//!
//! In: CommonMark with GFM tables, task lists and struck text, and `: definition` lists. Out: a
//! [`Document`] in normal form. Invariants: any text is read, without a panic and without recursion
//! on its depth; comments of our own become metadata where they stand alone at the top level, other
//! comments are left out, other HTML blocks are code of the language `html`.

use super::inline::clean_line;
use super::normal;
use super::tree::{Align, Block, Definition, Document, Image, Inline, Item, List, Part, Table};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// How many containers and marks the parser holds open; what is deeper belongs to the last one.
const DEEPEST: usize = 64;

pub(crate) fn extensions() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_DEFINITION_LIST
}

/// Reads a document.
pub fn parse(text: &str) -> Document {
    let mut reader = Reader::default();
    let mut depth = 0usize;
    let mut html: Option<(usize, String)> = None;
    for (event, range) in Parser::new_ext(text, extensions()).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                html = Some((depth, String::new()));
                depth += 1;
            }
            Event::End(TagEnd::HtmlBlock) => {
                depth = depth.saturating_sub(1);
                if let Some((depth, block)) = html.take() {
                    reader.html(&block, depth == 0);
                }
            }
            Event::Html(line) if html.is_some() => {
                if let Some((_, block)) = &mut html {
                    block.push_str(&line);
                }
            }
            event => {
                match &event {
                    Event::Start(_) => depth += 1,
                    Event::End(_) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                reader.event(event, range);
            }
        }
    }
    normal::normalise(reader.finish())
}

/// What a comment of ours says.
pub(super) enum Comment {
    Source(String),
    Path(String),
    Headings(Vec<String>),
    End(u64),
    Other,
}

/// Reads the comment that a text begins with and returns it with the rest.
pub(super) fn comment(text: &str) -> Option<(Comment, &str)> {
    let inner = text.trim_start().strip_prefix("<!--")?;
    let end = inner.find("-->")?;
    let (said, rest) = (inner[..end].trim(), &inner[end + 3..]);
    let of =
        |key: &str| said.strip_prefix(key).map(str::trim).filter(|value| !value.is_empty() && !value.contains('\n'));
    let comment = if let Some(source) = of("source:") {
        Comment::Source(source.to_owned())
    } else if let Some(path) = of("xpath:") {
        Comment::Path(path.to_owned())
    } else if let Some(titles) = of("headings:") {
        Comment::Headings(titles.split(" > ").map(str::to_owned).collect())
    } else if let Some(words) =
        of("end:").and_then(|rest| rest.strip_suffix("words extracted")).and_then(|words| words.trim().parse().ok())
    {
        Comment::End(words)
    } else {
        Comment::Other
    };
    Some((comment, rest))
}

/// A container that is open.
enum Open {
    Heading(u8),
    Paragraph,
    Quote,
    List(Option<u32>),
    Item(Option<bool>),
    Code(String),
    Table(Vec<Align>),
    Row { header: bool },
    Cell,
    Definitions,
    Term,
    Meaning,
    Emphasis,
    Strong,
    Strike,
    Link(String),
    Image(String),
}

/// What has been read of an open container.
struct Level {
    open: Open,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Item>,
    cells: Vec<Vec<Inline>>,
    header: Vec<Vec<Inline>>,
    rows: Vec<Vec<Vec<Inline>>>,
    definitions: Vec<Definition>,
    text: String,
}

impl Level {
    fn new(open: Open) -> Self {
        Self {
            open,
            blocks: Vec::new(),
            inlines: Vec::new(),
            items: Vec::new(),
            cells: Vec::new(),
            header: Vec::new(),
            rows: Vec::new(),
            definitions: Vec::new(),
            text: String::new(),
        }
    }

    /// Text that stands without a paragraph, as in tight lists, is one.
    fn flush(&mut self) {
        if !self.inlines.is_empty() {
            self.blocks.push(Block::Paragraph(std::mem::take(&mut self.inlines)));
        }
    }
}

#[derive(Default)]
struct Reader {
    document: Document,
    stack: Vec<Level>,
    /// Whether each container that is open has a level; what is in one without belongs to the one
    /// above it.
    opened: Vec<bool>,
}

impl Reader {
    fn part(&mut self) -> &mut Part {
        if self.document.parts.is_empty() {
            self.document.parts.push(Part::default());
        }
        let last = self.document.parts.len() - 1;
        &mut self.document.parts[last]
    }

    fn block(&mut self, block: Block) {
        match self.stack.last_mut() {
            Some(level) => {
                level.flush();
                level.blocks.push(block);
            }
            None => self.part().blocks.push(block),
        }
    }

    fn inline(&mut self, inline: Inline) {
        match self.stack.last_mut() {
            Some(level) => level.inlines.push(inline),
            None => self.part().blocks.push(Block::Paragraph(vec![inline])),
        }
    }

    fn html(&mut self, block: &str, is_top: bool) {
        let mut rest = block;
        while let Some((said, after)) = comment(rest) {
            rest = after;
            match said {
                _ if !is_top => {}
                Comment::Source(source) => self.document.source = Some(source),
                Comment::Path(path) => self.document.parts.push(Part { path: Some(path), blocks: Vec::new() }),
                Comment::Headings(titles) => self.document.breadcrumbs = titles,
                Comment::End(words) => self.document.end = Some(words),
                Comment::Other => {}
            }
        }
        if !rest.trim().is_empty() {
            self.block(Block::Code { language: "html".to_owned(), text: rest.to_owned() });
        }
    }

    fn event(&mut self, event: Event<'_>, _range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => match self.stack.last_mut() {
                Some(Level { open: Open::Code(_), text: held, .. }) => held.push_str(&text),
                _ => self.inline(Inline::Text(text.into_string())),
            },
            Event::Code(text) => self.inline(Inline::Code(text.into_string())),
            Event::InlineHtml(tag) | Event::Html(tag) => {
                let name = tag.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                if name.eq_ignore_ascii_case("br") {
                    self.inline(Inline::Break);
                } else if !tag.starts_with("<!--") {
                    self.inline(Inline::Text(tag.into_string()));
                }
            }
            Event::SoftBreak => self.inline(Inline::text(" ")),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(done) => {
                if let Some(Level { open: Open::Item(task), .. }) =
                    self.stack.iter_mut().rev().find(|level| matches!(level.open, Open::Item(_)))
                {
                    *task = Some(done);
                }
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.inline(Inline::Text(text.into_string()));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let open = match tag {
            Tag::Paragraph => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(level as u8),
            Tag::BlockQuote(_) => Open::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                Open::Code(info.split_whitespace().next().unwrap_or_default().to_owned())
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => Open::Code(String::new()),
            Tag::List(start) => Open::List(start.map(|start| u32::try_from(start).unwrap_or(u32::MAX))),
            Tag::Item => Open::Item(None),
            Tag::Table(columns) => Open::Table(
                columns
                    .into_iter()
                    .map(|align| match align {
                        Alignment::None => Align::None,
                        Alignment::Left => Align::Left,
                        Alignment::Center => Align::Center,
                        Alignment::Right => Align::Right,
                    })
                    .collect(),
            ),
            Tag::TableHead => Open::Row { header: true },
            Tag::TableRow => Open::Row { header: false },
            Tag::TableCell => Open::Cell,
            Tag::DefinitionList => Open::Definitions,
            Tag::DefinitionListTitle => Open::Term,
            Tag::DefinitionListDefinition => Open::Meaning,
            Tag::Emphasis => Open::Emphasis,
            Tag::Strong => Open::Strong,
            Tag::Strikethrough => Open::Strike,
            Tag::Link { dest_url, .. } => Open::Link(dest_url.into_string()),
            Tag::Image { dest_url, .. } => Open::Image(dest_url.into_string()),
            _ => {
                self.opened.push(false);
                return;
            }
        };
        let depth = self.stack.len();
        let nests = matches!(
            open,
            Open::Quote | Open::Definitions | Open::Emphasis | Open::Strong | Open::Strike | Open::Link(_)
        );
        // A list too deep loses its items' structure with its own.
        let is_part = matches!(open, Open::Item(_) | Open::Term | Open::Meaning);
        let is_ignored = (depth >= DEEPEST && (nests || matches!(open, Open::List(_))))
            || (is_part && self.opened.last() == Some(&false));
        self.opened.push(!is_ignored);
        if !is_ignored {
            self.stack.push(Level::new(open));
        }
    }

    fn end(&mut self) {
        if self.opened.pop() == Some(false) {
            if let Some(level) = self.stack.last_mut()
                && matches!(level.open, Open::Quote | Open::Item(_) | Open::Meaning)
            {
                level.flush();
            }
            return;
        }
        let Some(mut level) = self.stack.pop() else { return };
        match level.open {
            Open::Heading(number) => self.block(Block::Heading { level: number, content: level.inlines }),
            Open::Paragraph => self.block(Block::Paragraph(level.inlines)),
            Open::Quote => {
                level.flush();
                self.block(Block::Quote(level.blocks));
            }
            Open::List(start) => self.block(Block::List(List { start, items: level.items })),
            Open::Item(task) => {
                level.flush();
                let item = Item { task, blocks: level.blocks };
                self.above(|above| above.items.push(item));
            }
            Open::Code(language) => self.block(Block::Code { language, text: level.text }),
            Open::Table(columns) => {
                self.block(Block::Table(Table { columns, header: level.header, rows: level.rows }));
            }
            Open::Row { header } => {
                let cells = level.cells;
                self.above(|above| if header { above.header = cells } else { above.rows.push(cells) });
            }
            Open::Cell => self.above(|above| above.cells.push(level.inlines)),
            Open::Definitions => self.block(Block::Definitions(level.definitions)),
            Open::Term => {
                level.flush();
                let term = match level.blocks.pop() {
                    Some(Block::Paragraph(term)) => term,
                    _ => Vec::new(),
                };
                self.above(|above| above.definitions.push(Definition { term, definitions: Vec::new() }));
            }
            Open::Meaning => {
                level.flush();
                self.above(|above| {
                    if above.definitions.is_empty() {
                        above.definitions.push(Definition::default());
                    }
                    if let Some(last) = above.definitions.last_mut() {
                        last.definitions.push(level.blocks);
                    }
                });
            }
            Open::Emphasis => self.inline(Inline::Emphasis(level.inlines)),
            Open::Strong => self.inline(Inline::Strong(level.inlines)),
            Open::Strike => self.inline(Inline::Strike(level.inlines)),
            Open::Link(url) => self.inline(Inline::Link { url, content: level.inlines }),
            Open::Image(url) => {
                let alt = clean_line(&super::tree::plain_text(&level.inlines));
                self.inline(Inline::Image(Image { url, alt }));
            }
        }
    }

    fn above(&mut self, change: impl FnOnce(&mut Level)) {
        if let Some(above) = self.stack.last_mut() {
            change(above);
        }
    }

    fn finish(mut self) -> Document {
        while !self.opened.is_empty() {
            self.end();
        }
        self.document
    }
}
