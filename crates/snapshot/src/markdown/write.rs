//! Writes a tree as CommonMark with GFM tables.
//!
//! In: blocks in normal form. Out: text. Invariants: a reader takes it for the same blocks; text
//! cannot become markup, a comment or a fence: everything that could be read so is escaped, and
//! fences are longer than any run of backticks inside.
//!
//! Emphasis is `_`, strong `**`, so that delimiters of two kinds never run together; where the
//! characters around a delimiter would keep it from being one, the neighbour is written as a
//! character reference.

use super::normal;
use super::tree::{Block, Definition, Inline, List, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Where paragraphs are wrapped, in characters, as far as words allow it.
const WIDTH: usize = 79;

/// A blank at which no line may end; normal text has no control characters.
const HARD_BLANK: char = '\u{1}';
/// A hard line break.
const BREAK: char = '\u{2}';

/// Writes `<!-- source: … -->`.
pub(crate) fn write_source(out: &mut String, source: &str) {
    let _ = writeln!(out, "<!-- source: {} -->", normal::clean_comment(source));
}

/// Writes `<!-- end: N words extracted -->`.
pub(crate) fn write_end(out: &mut String, words: u64) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "<!-- end: {words} words extracted -->");
}

/// Writes a comment below what was written, apart from it.
pub(crate) fn write_note(out: &mut String, note: &str) {
    if !out.is_empty() && !out.ends_with("-->\n") {
        out.push('\n');
    }
    let _ = writeln!(out, "<!-- {} -->", normal::clean_comment(note));
}

/// Writes the comment of a part and its blocks, which are in normal form.
pub(crate) fn write_part(out: &mut String, path: &str, blocks: &[Block]) {
    // The first comment stands right below the source, the others apart from what is before them.
    write_note(out, &format!("xpath: {path}"));
    let mut lines = Vec::new();
    write_blocks(blocks, 0, WIDTH, &mut lines);
    if !lines.is_empty() {
        out.push('\n');
    }
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
}

/// Writes blocks in normal form, parted by empty lines.
pub(super) fn write_blocks(blocks: &[Block], depth: usize, width: usize, lines: &mut Vec<String>) {
    let mut before: Option<&Block> = None;
    // Lists that follow each other would be one; their markers alternate.
    let mut second_marker = false;
    for block in blocks {
        if before.is_some() {
            lines.push(String::new());
        }
        second_marker = match (before, block) {
            (Some(Block::List(a)), Block::List(b)) if a.start.is_some() == b.start.is_some() => !second_marker,
            _ => false,
        };
        match block {
            Block::Heading { level, content } => {
                let mut text = line(content, false).replace([HARD_BLANK, BREAK], " ");
                if text.ends_with('#') {
                    text.insert(text.len() - 1, '\\');
                }
                lines.push(format!("{} {text}", "#".repeat(usize::from(*level))));
            }
            Block::Paragraph(content) => lines.extend(wrap(&line(content, false), width)),
            Block::Figure { image, caption } => {
                let mut text = line(&[Inline::Image(image.clone())], false);
                if !caption.is_empty() {
                    text.push(BREAK);
                    text.push_str(&line(caption, false));
                }
                lines.extend(wrap(&text, width));
            }
            Block::List(list) => write_list(list, second_marker, depth, width, lines),
            Block::Code { language, text } => {
                let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
                lines.push(format!("{fence}{language}"));
                lines.extend(text.split('\n').map(str::to_owned));
                lines.push(fence);
            }
            Block::Quote(inner) => {
                let below = blocks_below(inner, depth, width.saturating_sub(2));
                lines.extend(
                    below.into_iter().map(|line| if line.is_empty() { ">".into() } else { format!("> {line}") }),
                );
            }
            Block::Table(table) => write_table(table, lines),
            Block::Definitions(definitions) => write_definitions(definitions, depth, width, lines),
            Block::Rule => lines.push(if depth == 0 { "---" } else { "***" }.to_owned()),
        }
        before = Some(block);
    }
}

/// Returns the lines of blocks in a block.
fn blocks_below(blocks: &[Block], depth: usize, width: usize) -> Vec<String> {
    let mut below = Vec::new();
    write_blocks(blocks, depth + 1, width, &mut below);
    below
}

/// Writes lines behind a marker; those after the first are indented by its width.
fn marked(marker: &str, below: Vec<String>, lines: &mut Vec<String>) {
    let indent = " ".repeat(marker.len());
    for (number, line) in below.into_iter().enumerate() {
        let before = if number == 0 { marker } else { &indent };
        lines.push(if line.is_empty() { line } else { format!("{before}{line}") });
    }
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn write_list(list: &List, second_marker: bool, depth: usize, width: usize, lines: &mut Vec<String>) {
    // A list below a paragraph needs an empty line between them unless it starts with 1.
    let is_tight = list.items.iter().all(|item| match item.blocks.as_slice() {
        [_] => true,
        [Block::Paragraph(_), Block::List(below)] => matches!(below.start, None | Some(1)),
        _ => false,
    });
    for (at, item) in list.items.iter().enumerate() {
        let marker = match (list.start, second_marker) {
            (None, false) => "- ".to_owned(),
            (None, true) => "+ ".to_owned(),
            (Some(start), false) => format!("{}. ", u64::from(start) + at as u64),
            (Some(start), true) => format!("{}) ", u64::from(start) + at as u64),
        };
        let width = width.saturating_sub(marker.len());
        // Between a tight item and a list in it stands no empty line.
        let parts = item.blocks.chunks(if is_tight { 1 } else { item.blocks.len().max(1) });
        let mut below: Vec<String> = parts.flat_map(|part| blocks_below(part, depth, width)).collect();
        if let (Some(done), Some(first)) = (item.task, below.first_mut()) {
            first.insert_str(0, if done { "[x] " } else { "[ ] " });
        }
        if at > 0 && !is_tight {
            lines.push(String::new());
        }
        marked(&marker, below, lines);
    }
}

fn write_definitions(definitions: &[Definition], depth: usize, width: usize, lines: &mut Vec<String>) {
    for (at, definition) in definitions.iter().enumerate() {
        if at > 0 {
            lines.push(String::new());
        }
        lines.extend(wrap(&line(&definition.term, false), usize::MAX));
        for inner in &definition.definitions {
            marked(": ", blocks_below(inner, depth, width.saturating_sub(2)), lines);
        }
    }
}

fn write_table(table: &Table, lines: &mut Vec<String>) {
    let row = |cells: &[Vec<Inline>]| {
        let mut out = "|".to_owned();
        for cell in cells {
            let text = line(cell, true).replace(HARD_BLANK, " ").replace(BREAK, "<br>");
            let _ = write!(out, " {text}{}|", if text.is_empty() { "" } else { " " });
        }
        out
    };
    lines.push(row(&table.header));
    lines.push(format!("|{}", " --- |".repeat(table.header.len())));
    lines.extend(table.rows.iter().map(|cells| row(cells)));
}

/// Breaks a line of inlines into lines and escapes what would open a block at the start of one.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let parts = text.split(BREAK).count();
    for (number, part) in text.split(BREAK).enumerate() {
        let mut line = String::new();
        let mut length = 0;
        for word in part.split(' ') {
            let long = word.chars().count();
            if !line.is_empty() && length + 1 + long > width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            if line.is_empty() {
                push_at_line_start(word, &mut line);
            } else {
                line.push(' ');
                length += 1;
                line.push_str(word);
            }
            length += long;
        }
        if number + 1 < parts {
            line.push('\\');
        }
        lines.push(line);
    }
    lines.iter_mut().for_each(|line| *line = line.replace(HARD_BLANK, " "));
    lines
}

fn push_at_line_start(word: &str, line: &mut String) {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = word.get(digits..).unwrap_or_default();
    if digits > 0 && (rest == "." || rest == ")") {
        line.push_str(&word[..digits]);
        line.push('\\');
        line.push_str(rest);
        return;
    }
    let first = word.chars().next();
    let is_rule = word.chars().all(|c| matches!(c, '-' | '=' | ':' | '|' | '+' | '\\'));
    let is_heading = word.chars().all(|c| c == '#');
    if first == Some('>')
        || first == Some(':')
        || (!word.is_empty() && !word.starts_with('\\') && (is_rule || is_heading))
    {
        line.push('\\');
    }
    line.push_str(word);
}

/// Writes inlines as one line: blanks at which it may be broken are blanks, others [`HARD_BLANK`],
/// breaks [`BREAK`].
fn line(inlines: &[Inline], in_table: bool) -> String {
    let mut writer = Line { out: String::new(), delimiters: Vec::new(), in_table, nested: 0 };
    writer.inlines(inlines);
    writer.finish()
}

struct Line {
    out: String,
    /// Where delimiters stand, how long they are, whether they open and whether they are
    /// underscores.
    delimiters: Vec<Delimiter>,
    in_table: bool,
    /// How many marks and links are open.
    nested: usize,
}

struct Delimiter {
    at: usize,
    length: usize,
    opens: bool,
    underscore: bool,
}

impl Line {
    fn inlines(&mut self, inlines: &[Inline]) {
        for (at, inline) in inlines.iter().enumerate() {
            match inline {
                Inline::Text(text) => {
                    let opens_link = matches!(inlines.get(at + 1), Some(Inline::Link { .. }));
                    let edges = (!self.out.is_empty(), self.nested > 0 || at + 1 < inlines.len());
                    self.text(text, opens_link, edges);
                }
                Inline::Emphasis(content) => self.marked("_", content),
                Inline::Strong(content) => self.marked("**", content),
                Inline::Strike(content) => self.marked("~~", content),
                Inline::Code(text) => self.code(text),
                Inline::Link { url, content } => {
                    self.out.push('[');
                    self.nested += 1;
                    self.inlines(content);
                    self.nested -= 1;
                    self.out.push_str("](");
                    self.url(url);
                    self.out.push(')');
                }
                Inline::Image(image) => {
                    self.out.push_str("![");
                    let from = self.out.len();
                    self.text(&image.alt, false, (true, true));
                    let alt = self.out.split_off(from).replace(' ', "\u{1}");
                    self.out.push_str(&alt);
                    self.out.push_str("](");
                    self.url(&image.url);
                    self.out.push(')');
                }
                Inline::Break => self.out.push(BREAK),
            }
        }
    }

    fn marked(&mut self, delimiter: &str, content: &[Inline]) {
        let underscore = delimiter == "_";
        let length = delimiter.len();
        self.delimiters.push(Delimiter { at: self.out.len(), length, opens: true, underscore });
        self.out.push_str(delimiter);
        self.nested += 1;
        self.inlines(content);
        self.nested -= 1;
        self.delimiters.push(Delimiter { at: self.out.len(), length, opens: false, underscore });
        self.out.push_str(delimiter);
    }

    /// Escapes text. Characters at `edges` may be written as references later, and so are as good
    /// as punctuation.
    fn text(&mut self, text: &str, before_link: bool, edges: (bool, bool)) {
        let mut before: Option<char> = None;
        let first = if edges.0 { text.chars().next().map_or(0, char::len_utf8) } else { 0 };
        let last = if edges.1 { text.chars().next_back().map_or(0, char::len_utf8) } else { 0 };
        let inner = first..text.len().saturating_sub(last).max(first);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let escape = match c {
                '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
                '_' => {
                    let stands = |c: Option<char>, at: usize| c.is_some_and(|c| is_letter(c) && inner.contains(&at));
                    let start = at.saturating_sub(before.map_or(0, char::len_utf8));
                    !(stands(before, start) && stands(next, at + 1))
                }
                '!' => before_link && next.is_none(),
                '&' => is_reference(&text[at..]),
                '|' => self.in_table,
                _ => false,
            };
            if escape {
                self.out.push('\\');
            }
            self.out.push(c);
            before = Some(c);
        }
    }

    fn code(&mut self, text: &str) {
        // The shortest fence that no run inside has.
        let runs: BTreeSet<usize> = text.split(|c| c != '`').map(str::len).collect();
        let fence = (1..).find(|length| !runs.contains(length)).unwrap_or(1);
        let fence = "`".repeat(fence);
        let pad = if text.starts_with('`') || text.ends_with('`') { "\u{1}" } else { "" };
        let _ = write!(self.out, "{fence}{pad}{}{pad}{fence}", text.replace(' ', "\u{1}"));
    }

    fn url(&mut self, url: &str) {
        for (at, c) in url.char_indices() {
            if c == '&' && is_reference(&url[at..]) {
                self.out.push('\\');
            }
            self.out.push(c);
        }
    }

    /// Makes every delimiter one: a neighbour that would prevent it is written as a reference,
    /// which begins and ends with punctuation.
    fn finish(self) -> String {
        let mut replaced: BTreeMap<usize, usize> = BTreeMap::new();
        // A character that is replaced for one delimiter is no letter any more for another on its
        // other side.
        loop {
            let known = replaced.len();
            for delimiter in &self.delimiters {
                let (start, end) = (delimiter.at, delimiter.at + delimiter.length);
                let before = self.out[..start].chars().next_back().map(|c| (start - c.len_utf8(), c));
                let after = self.out[end..].chars().next().map(|c| (end, c));
                let (inner, outer) = if delimiter.opens { (after, before) } else { (before, after) };
                let Some((at, c)) = outer else { continue };
                let is_fine = c.is_ascii_punctuation()
                    || matches!(c, ' ' | HARD_BLANK | BREAK)
                    || (!delimiter.underscore
                        && inner.is_some_and(|(at, c)| is_letter(c) && !replaced.contains_key(&at)));
                if !is_fine {
                    replaced.insert(at, c.len_utf8());
                }
            }
            if replaced.len() == known {
                break;
            }
        }
        let mut out = String::with_capacity(self.out.len() + replaced.len() * 6);
        let mut from = 0;
        for (start, length) in replaced {
            let c = self.out[start..].chars().next().unwrap_or(' ');
            let _ = write!(out, "{}&#{};", &self.out[from..start], c as u32);
            from = start + length;
        }
        out.push_str(&self.out[from..]);
        out
    }
}

/// Returns whether a character is neither blank nor punctuation for CommonMark; letters in circles
/// are symbols there.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{2460}'..='\u{24ff}' | '\u{1f100}'..='\u{1f2ff}')
}

/// Returns whether a text begins with what could be a character reference.
fn is_reference(text: &str) -> bool {
    let body = text[1..].bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'#'));
    body.is_some_and(|end| end > 0 && text.as_bytes().get(end + 1) == Some(&b';'))
}
