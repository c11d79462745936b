//! Writes sections as an indented tree.
//!
//! In: sections. Out: text. Invariants: every line of a page's text is quoted (or, in code, counted
//! and indented), so no text can forge a line; wrapped text goes on at the indentation of its line.
//!
//! ```text
//! PAGE: {url} | {title}
//! CONTENT: sections={n} words={n}[ grep={pattern}]
//!
//! SECTION {path} [{n} words]
//!   HEADING level={n} "{text}"
//!   TEXT "{text}"
//!   LIST [{n} items]
//!     - "{text}"
//!     1. "{text}"
//!     - [x] "{text}"
//!   CODE [{language}, {n} lines]
//!     {line}
//!   QUOTE
//!   TABLE [{n} rows, {n} columns]
//!     "{cell}" | "{cell}"
//!   DEFINITIONS [{n} items]
//!     "{term}"
//!   FIGURE "{caption}"
//!   SEPARATOR
//!   CUT [{n} words, {n} characters left; max length {n} shows all]
//!
//! CUT [{n} sections, {n} words left; max depth {n} shows all]
//! ```
//!
//! Where links and images are asked for, `LINK "{text}" "{url}"` and `IMAGE "{alt}" "{url}"` stand
//! below the line they are in, one step further in.
//!
//! Within quotes `"` and `\` stand after a `\`, and a line break of the page is `\n`.
//! `[{n} words, cut]` says that a section goes on, `[{n} of {n} words]` that only the lines that
//! `grep` keeps are here.

use super::{Header, Section};
use crate::markdown::{Block, Image, Inline, List, clean_line, plain_text};
use browserlens_core::page::text::push_replaced;
use std::fmt::Write as _;

/// Where text is wrapped.
const WIDTH: usize = 72;

/// Writes sections as a tree.
pub fn write_tree(header: &Header<'_>, sections: &[Section]) -> String {
    let words: usize = sections.iter().map(Section::shown_words).sum();
    let mut out = format!("PAGE: {} | {}\n", clean_line(header.url), clean_line(header.title));
    let _ = write!(out, "CONTENT: sections={} words={words}", sections.len());
    if let Some(grep) = header.grep {
        let _ = write!(out, " grep={}", clean_line(grep));
    }
    out.push('\n');
    for section in sections {
        let cut = if section.truncated { ", cut" } else { "" };
        let of = if section.partial { format!("{} of ", section.shown_words()) } else { String::new() };
        let _ = write!(out, "\nSECTION {} [{of}{} words{cut}]\n", clean_line(&section.path), section.words);
        write_blocks(&section.blocks, 2, &mut out);
        if let Some(left) = section.left() {
            let _ = writeln!(out, "  CUT [{left}]");
        }
    }
    if let Some(cut) = header.cut {
        let _ = writeln!(out, "\nCUT [{cut}]");
    }
    out
}

/// Writes a line for each link and image of a line.
fn references(content: &[Inline], indent: usize, out: &mut String) {
    for inline in content {
        match inline {
            Inline::Link { url, content } => {
                let _ = writeln!(out, "{}LINK {} {}", " ".repeat(indent), quote(&plain_text(content)), quote(url));
                references(content, indent, out);
            }
            Inline::Image(image) => reference_image(image, indent, out),
            Inline::Emphasis(content) | Inline::Strong(content) | Inline::Strike(content) => {
                references(content, indent, out);
            }
            Inline::Text(_) | Inline::Code(_) | Inline::Break => {}
        }
    }
}

fn reference_image(image: &Image, indent: usize, out: &mut String) {
    let _ = writeln!(out, "{}IMAGE {} {}", " ".repeat(indent), quote(&image.alt), quote(&image.url));
}

fn write_blocks(blocks: &[Block], indent: usize, out: &mut String) {
    for block in blocks {
        write_block(block, indent, out);
    }
}

fn write_block(block: &Block, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match block {
        Block::Heading { level, content } => {
            quoted(&format!("HEADING level={level} "), content, indent, out);
            references(content, indent + 2, out);
        }
        Block::Paragraph(content) => {
            quoted("TEXT ", content, indent, out);
            references(content, indent + 2, out);
        }
        Block::Figure { image, caption } => {
            let alt = [Inline::text(image.alt.clone())];
            quoted("FIGURE ", if caption.is_empty() { &alt } else { caption }, indent, out);
            reference_image(image, indent + 2, out);
            references(caption, indent + 2, out);
        }
        Block::List(list) => write_list(list, indent, out),
        Block::Code { language, text } => {
            let language = if language.is_empty() { String::new() } else { format!("{language}, ") };
            let _ = writeln!(out, "{pad}CODE [{language}{} lines]", text.split('\n').count());
            let code_pad = format!("{pad}  ");
            for line in text.split('\n') {
                let _ = writeln!(out, "{}{line}", if line.is_empty() { "" } else { &code_pad });
            }
        }
        Block::Quote(inner) => {
            let _ = writeln!(out, "{pad}QUOTE");
            write_blocks(inner, indent + 2, out);
        }
        Block::Table(table) => {
            let _ = writeln!(out, "{pad}TABLE [{} rows, {} columns]", table.rows.len() + 1, table.header.len());
            for row in table.all_rows() {
                let cells: Vec<String> = row.iter().map(|cell| quote(&plain_text(cell))).collect();
                let _ = writeln!(out, "{pad}  {}", cells.join(" | "));
                row.iter().for_each(|cell| references(cell, indent + 4, out));
            }
        }
        Block::Definitions(definitions) => {
            let _ = writeln!(out, "{pad}DEFINITIONS [{} items]", definitions.len());
            for definition in definitions {
                quoted("", &definition.term, indent + 2, out);
                references(&definition.term, indent + 4, out);
                definition.definitions.iter().for_each(|meaning| write_blocks(meaning, indent + 4, out));
            }
        }
        Block::Rule => {
            let _ = writeln!(out, "{pad}SEPARATOR");
        }
    }
}

fn write_list(list: &List, indent: usize, out: &mut String) {
    let _ = writeln!(out, "{}LIST [{} items]", " ".repeat(indent), list.items.len());
    for (at, item) in list.items.iter().enumerate() {
        let mut marker = match list.start {
            Some(start) => format!("{}. ", u64::from(start) + at as u64),
            None => "- ".to_owned(),
        };
        let below = indent + 2 + marker.len();
        if let Some(done) = item.task {
            marker.push_str(if done { "[x] " } else { "[ ] " });
        }
        match item.blocks.split_first() {
            Some((Block::Paragraph(content), rest)) => {
                quoted(&marker, content, indent + 2, out);
                references(content, below, out);
                write_blocks(rest, below, out);
            }
            _ => {
                let _ = writeln!(out, "{}{}", " ".repeat(indent + 2), marker.trim_end());
                write_blocks(&item.blocks, below, out);
            }
        }
    }
}

/// Quotes a text: it can neither end its quotes nor its line.
fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_replaced(&mut out, text, &[('"', "\\\""), ('\\', "\\\\"), ('\n', "\\n")]);
    out.push('"');
    out
}

/// Writes a line with a quoted text, wrapped at blanks.
fn quoted(before: &str, content: &[Inline], indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    // What says what the text is never stands without its beginning, however deep it is.
    out.push_str(&pad);
    out.push_str(before);
    let mut length = indent + before.chars().count();
    for (at, word) in quote(&plain_text(content)).split(' ').enumerate() {
        let long = word.chars().count();
        if at > 0 && length + 1 + long > WIDTH {
            out.push('\n');
            out.push_str(&pad);
            length = indent;
        } else if at > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += long;
    }
    out.push('\n');
}
