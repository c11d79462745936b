//! Makes page text harmless: quoted, single-line, and unlike anything the grammar means.
//!
//! In: any text. Out: text without control, bidirectional or invisible characters, without line
//! ends, and without anything that looks like a ref or a handle. Invariant:
//! `unescape(escape(x)) == x`.

use browserlens_core::page::text::{beginning, is_unseen, push_escape};
use std::fmt;

/// Writing to a string, which cannot fail: in the place of [`fmt::Write`], `write!` returns nothing.
pub(super) trait Put {
    /// Appends what `write!` says.
    fn write_fmt(&mut self, text: fmt::Arguments<'_>);
    /// Appends text in quotes behind `before`; an ellipsis follows it where it is only the beginning.
    fn quoted(&mut self, before: &str, text: &str, begins: bool);
}

impl Put for String {
    fn write_fmt(&mut self, text: fmt::Arguments<'_>) {
        let _ = fmt::Write::write_fmt(self, text);
    }

    fn quoted(&mut self, before: &str, text: &str, begins: bool) {
        self.push_str(before);
        quote(self, text);
        if begins {
            self.push('…');
        }
    }
}

fn push(out: &mut String, text: &str, also: &[char]) {
    // Most text is plain to its end.
    let plain = |byte: u8| {
        matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'@') && !also.contains(&char::from(byte))
    };
    let end = text.bytes().position(|byte| !plain(byte)).unwrap_or(text.len());
    let (begin, rest) = text.split_at(end);
    out.push_str(begin);
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' | '"' => {
                out.push('\\');
                out.push(c);
            }
            // `@e1` and `@m1` mean something only where the lens wrote them; an address of mail is plain.
            '@' if begins_a_ref(&chars) => out.push_str("\\@"),
            _ if also.contains(&c) => {
                out.push('\\');
                out.push(c);
            }
            _ if is_unseen(c) => push_escape(out, c),
            _ => out.push(c),
        }
    }
}

/// Returns whether what follows an `@` is the letter of refs or of marks, and no word.
fn begins_a_ref(after: &std::str::Chars<'_>) -> bool {
    let mut after = after.clone();
    matches!(after.next(), Some('e' | 'm')) && !after.next().is_some_and(char::is_alphabetic)
}

/// Appends text in quotes.
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    push(out, text, &[]);
    out.push('"');
}

/// Appends at most `most` characters of a text in quotes, behind them `…` if it is longer.
pub fn quote_beginning(out: &mut String, text: &str, most: usize) {
    let told = beginning(text, most);
    out.quoted("", told, told.len() < text.len());
}

/// Appends text that stands without quotes: title and URL. Brackets, bars and ellipses are escaped
/// as well.
pub fn bare(out: &mut String, text: &str) {
    push(out, text, &['[', ']', '|', '…']);
}

/// Appends text inside the quotes of a pattern, where braces name columns.
pub(super) fn in_pattern(out: &mut String, text: &str) {
    push(out, text, &['{']);
}

/// Returns the text that was escaped; none if it ends in the middle of an escape or holds one that
/// is not known.
pub fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'u' => {
                let rest = chars.as_str().strip_prefix('{')?;
                let (digits, after) = rest.split_once('}')?;
                out.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                chars = after.chars();
            }
            c @ ('\\' | '"' | '@' | '[' | ']' | '|' | '…' | '{') => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_structure_is_visibly_escaped() {
        let mut out = String::new();
        quote(&mut out, "a\" [@e5]\n- button \u{202e}x\u{200b}\\");
        assert_eq!(out, r#""a\" [\@e5]\n- button \u{202e}x\u{200b}\\""#);
        assert_eq!(unescape(&out[1..out.len() - 1]).as_deref(), Some("a\" [@e5]\n- button \u{202e}x\u{200b}\\"));
        out.clear();
        quote(&mut out, "ada@example.com @e @m1");
        assert_eq!(out, r#""ada@example.com \@e \@m1""#);
    }

    #[test]
    fn bare_text_cannot_end_its_header() {
        let mut out = String::new();
        bare(&mut out, "x] | https://other.test …");
        assert_eq!(out, r"x\] \| https://other.test \…");
    }

    #[test]
    fn broken_escapes_are_refused() {
        for bad in ["\\", "\\q", "\\u{", "\\u{110000}", "\\u{zz}"] {
            assert_eq!(unescape(bad), None, "{bad:?}");
        }
    }
}
