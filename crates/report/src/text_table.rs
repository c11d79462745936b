//! Tables of text: the same cells as Markdown and for a terminal.
//!
//! In: headers, alignments, cells. Out: text whose columns line up in a fixed-width font.
//! Invariant: a cell is one line in which nothing is unseen, and in Markdown it cannot end its cell
//! or become markup.

use browserlens_core::page::text::escaped_line;

/// A table of text cells.
#[derive(Clone, Debug)]
pub(crate) struct TextTable {
    headers: Vec<String>,
    /// How many columns, from the first on, line up on the left; the others do on the right.
    left: usize,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Makes a table whose first column lines up on the left and whose others do on the right.
    pub fn new<S: Into<String>>(headers: impl IntoIterator<Item = S>) -> Self {
        Self { headers: headers.into_iter().map(Into::into).collect(), left: 1, rows: Vec::new() }
    }

    /// Lines up the first columns on the left.
    pub fn left(mut self, columns: usize) -> Self {
        self.left = self.left.max(columns);
        self
    }

    /// Adds a row; cells that are missing are empty.
    pub fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.headers.len(), String::new());
        self.rows.push(cells);
    }

    /// Returns the headers and the rows.
    pub fn cells(&self) -> (impl Iterator<Item = &str>, &[Vec<String>]) {
        (self.headers.iter().map(String::as_str), &self.rows)
    }

    /// Writes the table as Markdown, lined up.
    pub fn markdown(&self) -> String {
        let (mut lines, widths) = self.lined_up(escape_markdown);
        let rule = |(at, width): (usize, &usize)| {
            let dashes = "-".repeat(width - 1);
            if at < self.left { format!(":{dashes}") } else { format!("{dashes}:") }
        };
        lines.insert(1, widths.iter().enumerate().map(rule).collect());
        lines.iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
    }

    /// Writes the table for a terminal: two spaces between columns, one rule below the headers.
    pub fn terminal(&self) -> String {
        let (mut lines, widths) = self.lined_up(one_line);
        lines.insert(1, vec!["─".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1))]);
        lines.iter().map(|cells| format!("{}\n", cells.join("  ").trim_end())).collect()
    }

    /// Writes the table as Markdown, or for a terminal.
    pub fn written(&self, markdown: bool) -> String {
        if markdown { self.markdown() } else { self.terminal() }
    }

    /// Returns headers and rows as they are written, lined up, and the widths of the columns.
    fn lined_up(&self, written: fn(&str) -> String) -> (Vec<Vec<String>>, Vec<usize>) {
        let headers = self.headers.iter().map(|name| written(name)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| written(cell)).collect());
        let mut lines: Vec<Vec<String>> = std::iter::once(headers).chain(rows).collect();
        let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..self.headers.len()).map(width).collect();
        for line in &mut lines {
            for (at, (cell, &width)) in line.iter_mut().zip(&widths).enumerate() {
                *cell = if at < self.left { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            }
        }
        (lines, widths)
    }

    /// Returns how wide [`Self::terminal`] is, in characters.
    pub fn width(&self) -> usize {
        self.terminal().lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }
}

/// A column of rows: its header, and how a cell of it is written.
type Column<'c, R> = (&'c str, &'c dyn Fn(&R) -> String);

/// Rows that a table is made of.
pub(crate) trait Tabled: Iterator + Sized {
    /// Makes a table of the rows, a column each.
    fn table<const N: usize>(self, columns: [Column<'_, Self::Item>; N]) -> TextTable {
        let mut table = TextTable::new(columns.map(|(name, _)| name));
        self.for_each(|row| table.row(columns.iter().map(|(_, cell)| cell(&row)).collect()));
        table
    }
}

impl<I: Iterator> Tabled for I {}

/// Makes any text one line: line ends and tabs become spaces, what else nobody sees is escaped.
pub(crate) fn one_line(text: &str) -> String {
    escaped_line(&text.replace(['\n', '\r', '\t'], " ")).into_owned()
}

/// Makes any text one line of plain Markdown text.
pub(crate) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '[' | ']' | '~' | '!' | '#' => {
                out.push('\\');
                out.push(c);
            }
            // Underscores inside words are plain text; at their edges they would be emphasis.
            '_' if out.chars().next_back().is_none_or(|before| !before.is_alphanumeric()) => out.push_str("\\_"),
            // A scheme makes a bare link of what follows it.
            ':' if out.ends_with("http") || out.ends_with("https") || out.ends_with("mailto") => out.push_str("&#58;"),
            c => out.push(c),
        }
    }
    out
}

/// Writes a paragraph as Markdown, or for a terminal of 100 columns.
pub(crate) fn paragraph(text: &str, markdown: bool) -> String {
    if markdown { escape_markdown(text) } else { wrap(&one_line(text), 100, "  ") }
}

/// Breaks a text into lines of at most `width` characters, later ones indented; a longer word
/// stands alone.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let needed = word.chars().count();
        if length > 0 && length + 1 + needed > width {
            out.push('\n');
            out.push_str(indent);
            length = indent.chars().count();
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += needed;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_in_both_forms() {
        let mut table = TextTable::new(["strategy", "tokens"]);
        table.row(vec!["lens/delta".into(), "1,050".into()]);
        table.row(vec!["raw/html".into(), "27,000".into()]);
        insta::assert_snapshot!(table.terminal(), @r"
        strategy    tokens
        ──────────────────
        lens/delta   1,050
        raw/html    27,000
        ");
        insta::assert_snapshot!(table.markdown(), @r"
        | strategy   | tokens |
        | :--------- | -----: |
        | lens/delta |  1,050 |
        | raw/html   | 27,000 |
        ");
        assert_eq!(table.width(), 18);
    }

    #[test]
    fn hostile_cells_stay_cells() {
        let mut table = TextTable::new(["a"]);
        table.row(vec!["x | y\n<script>alert(1)</script> \u{1b}[31m \u{202e}evil [l](https://e.test)".into()]);
        assert!(!table.terminal().contains('\u{1b}') && !table.terminal().contains('\u{202e}'));
        let markdown = table.markdown();
        assert!(markdown.contains(r"x \| y &lt;script&gt;alert(1)&lt;/script&gt;"), "{markdown}");
        assert!(markdown.contains(r"\[l\](https&#58;//e.test)"), "{markdown}");
        assert_eq!(markdown.lines().count(), 3);
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("incomprehensibilities a", 5, ""), "incomprehensibilities\na");
    }
}
