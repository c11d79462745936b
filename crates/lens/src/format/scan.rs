//! A cursor over one line of an observation.
//!
//! In: a line. Out: its tokens, one by one. Invariant: never panics and never moves past the end,
//! whatever the text.

use super::escape::unescape;
use crate::tree::Handle;
use browserlens_core::strategy::Ref;

/// A cursor over one line.
#[derive(Clone, Debug)]
pub(super) struct Scan<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    pub fn new(line: &'t str) -> Self {
        Self { line, at: 0 }
    }

    /// Returns how many characters were read, for error messages.
    pub fn column(&self) -> usize {
        self.line[..self.at].chars().count() + 1
    }

    pub fn rest(&self) -> &'t str {
        &self.line[self.at..]
    }

    pub fn at_end(&self) -> bool {
        self.at == self.line.len()
    }

    /// Reads `token` if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        let comes = self.rest().starts_with(token);
        if comes {
            self.at += token.len();
        }
        comes
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let taken = &self.line[self.at..self.at + bytes];
        self.at += bytes;
        taken
    }

    /// Reads a role or another word: a letter, then letters, digits, `-` or `_`.
    pub fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
        Some(self.take(length))
    }

    /// Reads a decimal number without sign or leading zero.
    pub fn number(&mut self) -> Option<u32> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = &rest[..length];
        if length > 1 && digits.starts_with('0') {
            return None;
        }
        let number = digits.parse().ok()?;
        self.at += length;
        Some(number)
    }

    /// Reads a number that may be negative.
    pub fn signed(&mut self) -> Option<i64> {
        let sign = if self.eat("-") { -1 } else { 1 };
        self.number().map(|number| sign * i64::from(number))
    }

    /// Reads a quoted string.
    pub fn quoted(&mut self) -> Option<String> {
        let rest = self.rest().strip_prefix('"')?;
        let mut escaped = false;
        for (index, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    let text = unescape(&rest[..index])?;
                    self.at += index + 2;
                    return Some(text);
                }
                _ => {}
            }
        }
        None
    }

    /// Reads bare text up to (not including) an unescaped `stop` or the end.
    pub fn bare(&mut self, stops: &[char]) -> Option<String> {
        let rest = self.rest();
        let mut escaped = false;
        let mut end = rest.len();
        for (index, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if stops.contains(&c) => {
                    end = index;
                    break;
                }
                _ => {}
            }
        }
        unescape(self.take(end))
    }

    /// Reads text of a pattern up to (not including) an unescaped brace or quote.
    pub fn pattern_text(&mut self) -> Option<String> {
        let rest = self.rest();
        let mut at = 0;
        while let Some(c) = rest[at..].chars().next() {
            match c {
                '{' | '"' => break,
                '\\' if rest[at..].starts_with("\\u{") => at += rest[at..].find('}')? + 1,
                '\\' => at += 1 + rest[at + 1..].chars().next()?.len_utf8(),
                _ => at += c.len_utf8(),
            }
        }
        unescape(self.take(at))
    }

    /// Reads a ref, bracketed or not.
    pub fn reference(&mut self) -> Option<Ref> {
        let mut ahead = self.clone();
        let bracketed = ahead.eat("[");
        if !ahead.eat("@e") {
            return None;
        }
        let mut reference = Ref::new(ahead.number()?);
        let mut part = ahead.clone();
        if part.eat(".")
            && let Some(number) = part.number()
        {
            reference.part = u16::try_from(number).ok().filter(|number| *number > 0)?;
            ahead = part;
        }
        if bracketed && !ahead.eat("]") {
            return None;
        }
        *self = ahead;
        Some(reference)
    }

    /// Reads a handle.
    pub fn handle(&mut self) -> Option<Handle> {
        let mut ahead = self.clone();
        if !ahead.eat("@m") {
            return None;
        }
        let handle = Handle(ahead.number()?);
        *self = ahead;
        Some(handle)
    }
}
