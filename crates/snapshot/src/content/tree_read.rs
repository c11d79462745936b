//! Reads the tree format back.
//!
//! In: text as [`super::write_tree`] writes it. Out: header and sections. Invariants: whatever the
//! text, no panic and no deep recursion; a line that is not of the grammar is an error with its
//! number. Marks, links and images are not in the format, so blocks hold plain text.

use crate::markdown::{Block, Definition, Image, Inline, Item, List, Table};

/// How deep blocks may nest.
const DEEPEST: usize = 64;

/// What the tree format says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Words in all sections, as shown.
    pub words: usize,
    /// The pattern that sections were filtered by.
    pub grep: Option<String>,
    /// The sections.
    pub sections: Vec<TreeSection>,
}

/// One section of the tree format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeSection {
    /// Its semantic path.
    pub path: String,
    /// Words in it.
    pub words: usize,
    /// Words in the lines that `grep` keeps, if it left some out.
    pub shown: Option<usize>,
    /// Whether something was cut off.
    pub truncated: bool,
    /// Its blocks, of plain text.
    pub blocks: Vec<Block>,
}

/// A text is not in the tree format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found:?}")]
pub struct TreeError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What may stand there.
    pub expected: &'static str,
    /// What stands there; its beginning.
    pub found: String,
}

/// Reads the tree format.
///
/// # Errors
/// [`TreeError`] for the first line that is not of the grammar.
pub fn read_tree(text: &str) -> Result<Tree, TreeError> {
    let mut reader = Reader { lines: text.lines().collect(), at: 0 };
    let mut tree = Tree::default();
    let page = reader.next().and_then(|line| line.strip_prefix("PAGE: ")).and_then(|rest| rest.split_once(" | "));
    let Some((url, title)) = page else { return reader.fail_before("PAGE: {url} | {title}") };
    (tree.url, tree.title) = (url.to_owned(), title.to_owned());
    let counts = reader.next().and_then(|line| line.strip_prefix("CONTENT: sections=")).and_then(content_line);
    let Some((count, words, grep)) = counts else { return reader.fail_before("CONTENT: sections={n} words={n}") };
    (tree.words, tree.grep) = (words, grep);
    while reader.peek().is_some() {
        if !reader.next().is_some_and(str::is_empty) {
            return reader.fail_before("an empty line before a section");
        }
        if reader.peek().is_some_and(|line| line.starts_with("CUT [")) && reader.at + 1 == reader.lines.len() {
            break;
        }
        let Some(mut section) = reader.next().and_then(section_line) else {
            return reader.fail_before("SECTION {path} [{n} words]");
        };
        section.blocks = reader.blocks(2, 0)?;
        if reader.at_indent(2).is_some_and(|rest| rest.starts_with("CUT [")) {
            reader.at += 1;
        }
        tree.sections.push(section);
    }
    if tree.sections.len() != count { reader.fail_before("as many sections as the header says") } else { Ok(tree) }
}

fn content_line(rest: &str) -> Option<(usize, usize, Option<String>)> {
    let (count, rest) = rest.split_once(" words=")?;
    let (words, grep) = match rest.split_once(" grep=") {
        Some((words, grep)) => (words, Some(grep.to_owned())),
        None => (rest, None),
    };
    Some((count.parse().ok()?, words.parse().ok()?, grep))
}

fn section_line(line: &str) -> Option<TreeSection> {
    let (path, size) = line.strip_prefix("SECTION ")?.strip_suffix(']')?.rsplit_once(" [")?;
    let (size, truncated) = match size.strip_suffix(", cut") {
        Some(size) => (size, true),
        None => (size, false),
    };
    let (shown, words) = match size.strip_suffix(" words")?.split_once(" of ") {
        Some((shown, words)) => (Some(shown.parse().ok()?), words),
        None => (None, size.strip_suffix(" words")?),
    };
    Some(TreeSection { path: path.to_owned(), words: words.parse().ok()?, shown, truncated, blocks: Vec::new() })
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        let line = self.peek();
        self.at += 1;
        line
    }

    /// Returns the rest of the next line if it is indented by exactly `indent`.
    fn at_indent(&self, indent: usize) -> Option<&'t str> {
        let line = self.peek()?;
        let rest = line.trim_start_matches(' ');
        (!rest.is_empty() && line.len() - rest.len() == indent).then_some(rest)
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, TreeError> {
        let found = self.peek().unwrap_or("the end");
        Err(TreeError { line: self.at + 1, expected, found: found.chars().take(60).collect() })
    }

    fn fail_before<T>(&mut self, expected: &'static str) -> Result<T, TreeError> {
        self.at = self.at.saturating_sub(1);
        self.fail(expected)
    }

    fn blocks(&mut self, indent: usize, depth: usize) -> Result<Vec<Block>, TreeError> {
        let mut blocks = Vec::new();
        loop {
            // Links and images stand below the line they are in.
            self.pass_references(indent);
            self.pass_references(indent + 2);
            let Some(rest) = self.at_indent(indent).filter(|rest| !rest.starts_with("CUT [")) else { break };
            if depth > DEEPEST {
                return self.fail("blocks that nest less deep");
            }
            blocks.push(self.block(rest, indent, depth)?);
        }
        Ok(blocks)
    }

    fn pass_references(&mut self, indent: usize) {
        while self.at_indent(indent).is_some_and(|rest| rest.starts_with("LINK \"") || rest.starts_with("IMAGE \"")) {
            self.at += 1;
        }
    }

    fn block(&mut self, rest: &'t str, indent: usize, depth: usize) -> Result<Block, TreeError> {
        if rest.starts_with("TEXT \"") {
            return Ok(Block::Paragraph(self.quoted("TEXT ", indent)?));
        }
        if rest.starts_with("FIGURE \"") {
            let caption = self.quoted("FIGURE ", indent)?;
            return Ok(Block::Figure { image: Image::default(), caption });
        }
        if let Some(level) = rest.strip_prefix("HEADING level=").and_then(|rest| rest.get(..1)) {
            let Ok(level @ 1..=6) = level.parse::<u8>() else { return self.fail("a level from 1 to 6") };
            let content = self.quoted(&format!("HEADING level={level} "), indent)?;
            return Ok(Block::Heading { level, content });
        }
        self.at += 1;
        if let Some(count) = counted(rest, "LIST [", " items]") {
            return self.list(count, indent, depth);
        }
        if let Some(said) = rest.strip_prefix("CODE [").and_then(|rest| rest.strip_suffix(" lines]")) {
            let (language, count) = said.rsplit_once(", ").unwrap_or(("", said));
            let Ok(count) = count.parse::<usize>() else { return self.fail_before("CODE [{language}, {n} lines]") };
            let mut lines = Vec::new();
            for _ in 0..count {
                let Some(line) = self.next() else { return self.fail_before("a line of code") };
                let code =
                    line.get(indent + 2..).filter(|_| line.as_bytes()[..indent + 2].iter().all(|byte| *byte == b' '));
                match code {
                    Some(code) => lines.push(code),
                    None if line.is_empty() => lines.push(""),
                    None => return self.fail_before("an indented line of code"),
                }
            }
            return Ok(Block::Code { language: language.to_owned(), text: lines.join("\n") });
        }
        if rest == "QUOTE" {
            return Ok(Block::Quote(self.blocks(indent + 2, depth + 1)?));
        }
        if rest == "SEPARATOR" {
            return Ok(Block::Rule);
        }
        if let Some(size) = rest.strip_prefix("TABLE [").and_then(|rest| rest.strip_suffix(" columns]")) {
            return self.table(size, indent);
        }
        if let Some(count) = counted(rest, "DEFINITIONS [", " items]") {
            let mut definitions = Vec::new();
            for _ in 0..count {
                if self.at_indent(indent + 2).is_none() {
                    return self.fail("a term");
                }
                let term = self.quoted("", indent + 2)?;
                definitions.push(Definition { term, definitions: vec![self.blocks(indent + 4, depth + 1)?] });
            }
            return Ok(Block::Definitions(definitions));
        }
        self.fail_before("a block")
    }

    fn list(&mut self, count: usize, indent: usize, depth: usize) -> Result<Block, TreeError> {
        let mut list = List::default();
        for number in 0..count {
            let Some(rest) = self.at_indent(indent + 2) else { return self.fail("an item") };
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let marker = match rest.as_bytes().get(digits) {
                Some(b'-') if digits == 0 => 1,
                Some(b'.') if digits > 0 => digits + 1,
                _ => return self.fail("an item"),
            };
            if number == 0 && digits > 0 {
                let Ok(start) = rest[..digits].parse() else { return self.fail("a number") };
                list.start = Some(start);
            }
            let after = rest[marker..].trim_start();
            let task = if after.starts_with("[x]") {
                Some(true)
            } else if after.starts_with("[ ]") {
                Some(false)
            } else {
                None
            };
            let said = after.get(if task.is_some() { 3 } else { 0 }..).unwrap_or_default().trim_start();
            let mut blocks = Vec::new();
            if said.is_empty() {
                self.at += 1;
            } else {
                let before = rest.len() - said.len();
                blocks.push(Block::Paragraph(self.quoted(&rest[..before], indent + 2)?));
            }
            blocks.extend(self.blocks(indent + 2 + marker + 1, depth + 1)?);
            list.items.push(Item { task, blocks });
        }
        Ok(Block::List(list))
    }

    fn table(&mut self, size: &str, indent: usize) -> Result<Block, TreeError> {
        let size =
            size.split_once(" rows, ").and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
        let Some((rows, columns)): Option<(usize, usize)> = size else {
            return self.fail_before("TABLE [{n} rows, {n} columns]");
        };
        let mut found = Vec::new();
        for _ in 0..rows {
            let Some(mut rest) = self.at_indent(indent + 2) else { return self.fail("a row") };
            let mut cells = Vec::new();
            loop {
                let Some((cell, after)) = unquote(rest) else { return self.fail("a cell in quotes") };
                cells.push(cell);
                match after.strip_prefix(" | ") {
                    Some(next) => rest = next,
                    None if after.is_empty() => break,
                    None => return self.fail("the end of a row"),
                }
            }
            if cells.len() != columns {
                return self.fail("as many cells as the table has columns");
            }
            self.at += 1;
            self.pass_references(indent + 4);
            found.push(cells);
        }
        let header = if found.is_empty() { Vec::new() } else { found.remove(0) };
        Ok(Block::Table(Table { columns: vec![Default::default(); columns], header, rows: found }))
    }

    /// Reads a quoted text that may go on over lines.
    fn quoted(&mut self, before: &str, indent: usize) -> Result<Vec<Inline>, TreeError> {
        let mut text = String::new();
        let start = self.at;
        loop {
            let Some(line) = self.next() else {
                self.at = start;
                return self.fail("the end of a quoted text");
            };
            let rest = line.get(indent..).unwrap_or_default();
            if text.is_empty() {
                text.push_str(rest.strip_prefix(before).unwrap_or(rest));
            } else {
                text.push(' ');
                text.push_str(rest);
            }
            if !ends_open(&text) {
                break;
            }
        }
        match unquote(&text) {
            Some((content, "")) => Ok(content),
            _ => {
                self.at = start;
                self.fail("one quoted text")
            }
        }
    }
}

fn counted(line: &str, before: &str, after: &str) -> Option<usize> {
    line.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// Returns whether a text that begins with a quote does not end it.
fn ends_open(text: &str) -> bool {
    let Some(inner) = text.strip_suffix('"') else { return true };
    let escapes = inner.len() - inner.trim_end_matches('\\').len();
    text.len() == 1 || escapes % 2 == 1
}

/// Reads the quoted text that a line begins with and returns it with the rest.
fn unquote(text: &str) -> Option<(Vec<Inline>, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut content = Vec::new();
    let mut held = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                if !held.is_empty() {
                    content.push(Inline::Text(held));
                }
                return Some((content, &inner[at + 1..]));
            }
            '\\' => match chars.next()?.1 {
                'n' => {
                    if !held.is_empty() {
                        content.push(Inline::Text(std::mem::take(&mut held)));
                    }
                    content.push(Inline::Break);
                }
                c => held.push(c),
            },
            c => held.push(c),
        }
    }
    None
}
