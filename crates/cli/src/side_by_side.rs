//! Two texts side by side, line by line.
//!
//! In: two texts and a width. Out: rows of two columns, with `<` for a line of the left text alone,
//! `>` for one of the right, `|` for two that stand at the same place and differ. Invariants: no
//! row is wider than asked, whatever the script; nothing of a line is lost: a long one goes on in
//! the next row; control characters are visible; colours only where asked.

use browserlens_core::page::text::escaped_line;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::io::IsTerminal;
use unicode_width::UnicodeWidthChar;

/// Columns where nobody says how many there are.
const WIDTH: usize = 160;
/// Least columns that two texts can stand in.
const LEAST: usize = 24;

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

/// How rows are laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Columns of the terminal that a row may take.
    pub width: usize,
    /// Whether lines that differ are coloured.
    pub colours: bool,
}

impl Layout {
    /// Returns the layout for standard output: `width` columns if that is said, else the
    /// terminal's.
    pub(crate) fn of_output(width: Option<u16>) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let seen = terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0);
        let width = width.or(seen).map_or(WIDTH, usize::from);
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { width, colours: terminal && !no_colour }
    }
}

/// Returns the rows of two texts, each with its title.
pub(crate) fn write([left, right]: [(&str, &str); 2], layout: Layout) -> String {
    let titles = [left.0, right.0];
    let [left, right] = [left.1, right.1].map(|text| text.lines().collect::<Vec<_>>());
    let mut rows = Rows { out: String::new(), each: (layout.width.max(LEAST) - 3) / 2, layout };
    rows.pair(' ', Some(titles[0]), Some(titles[1]));
    let rule = "─".repeat(rows.each);
    rows.pair(' ', Some(&rule), Some(&rule));
    for op in capture_diff_slices(Algorithm::Myers, &left, &right) {
        let (old, new) = (&left[op.old_range()], &right[op.new_range()]);
        let of_both = if matches!(op, DiffOp::Equal { .. }) { ' ' } else { '|' };
        for index in 0..old.len().max(new.len()) {
            let sign = match (old.get(index), new.get(index)) {
                (Some(_), None) => '<',
                (None, Some(_)) => '>',
                _ => of_both,
            };
            rows.pair(sign, old.get(index).copied(), new.get(index).copied());
        }
    }
    rows.out
}

struct Rows {
    out: String,
    /// Columns of one text.
    each: usize,
    layout: Layout,
}

impl Rows {
    fn pair(&mut self, sign: char, left: Option<&str>, right: Option<&str>) {
        let [left, right] = [left, right].map(|line| line.map_or_else(Vec::new, |line| wrapped(line, self.each)));
        for index in 0..left.len().max(right.len()).max(1) {
            let of = |parts: &[(String, usize)]| parts.get(index).cloned().unwrap_or_default();
            let ((left, left_width), (right, _)) = (of(&left), of(&right));
            let (left_ink, right_ink) = match sign {
                _ if !self.layout.colours => ("", ""),
                '<' => (RED, ""),
                '>' => ("", GREEN),
                '|' => (YELLOW, YELLOW),
                _ => ("", ""),
            };
            let mut row = String::new();
            row.push_str(&inked(&left, left_ink));
            row.push_str(&" ".repeat(self.each - left_width));
            row.push_str(&format!(" {sign} "));
            row.push_str(&inked(&right, right_ink));
            self.out.push_str(row.trim_end());
            self.out.push('\n');
        }
    }
}

fn inked(text: &str, ink: &str) -> String {
    if ink.is_empty() || text.is_empty() { text.to_owned() } else { format!("{ink}{text}{PLAIN}") }
}

/// Returns a line in pieces of at most `width` columns, each with the columns that it takes.
fn wrapped(line: &str, width: usize) -> Vec<(String, usize)> {
    let mut pieces = vec![(String::new(), 0)];
    for c in escaped_line(line).chars() {
        let wide = c.width().unwrap_or(0);
        if pieces.last().is_some_and(|(_, taken)| taken + wide > width) {
            pieces.push((String::new(), 0));
        }
        if let Some((piece, taken)) = pieces.last_mut() {
            piece.push(c);
            *taken += wide;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn rows(left: &str, right: &str, width: usize, colours: bool) -> String {
        write([("a/b", left), ("c/d", right)], Layout { width, colours })
    }

    #[test]
    fn equal_lines_stand_side_by_side_and_others_are_signed() {
        insta::assert_snapshot!(rows("one\ntwo\nthree\nfive", "one\n2\nthree\nfour\nfive\nsix", 27, false), @r"
        a/b            c/d
        ────────────   ────────────
        one            one
        two          | 2
        three          three
                     > four
        five           five
                     > six
        ");
    }

    #[test]
    fn no_row_is_wider_than_asked_and_nothing_is_lost() {
        let left = "日本語の長い行がここにあります\u{1b}[31m\nabc def ghi jkl mno";
        for width in [1, 24, 25, 40, 80] {
            let text = rows(left, "x", width, false);
            assert!(text.lines().all(|row| row.width() <= width.max(LEAST)), "{text}");
            let said: String = text.lines().skip(2).flat_map(str::chars).filter(|c| !" x|<".contains(*c)).collect();
            assert_eq!(said, "日本語の長い行がここにあります\\u{1b}[31mabcdefghijklmno", "{text}");
            assert!(!text.contains('\u{1b}'), "an escape of the page is not carried out: {text:?}");
        }
    }

    #[test]
    fn colours_are_only_written_where_asked() {
        assert!(!rows("a\nb", "a\nc", 40, false).contains('\u{1b}'));
        let text = rows("a\nb\nx", "a\nc", 40, true);
        assert!(text.contains("\u{1b}[33mb\u{1b}[0m") && text.contains("\u{1b}[31mx\u{1b}[0m"), "{text:?}");
    }
}
