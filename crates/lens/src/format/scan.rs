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

    /// Reads `token`, which must come next.
    pub fn expect(&mut self, token: &str) -> Option<()> {
        self.eat(token).then_some(())
    }

    /// Reads what `read` reads, or nothing at all where that is not there.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = self.clone();
        let found = read(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    /// Reads what must follow `token`, if that comes next; none within if it does not.
    pub fn after<T>(&mut self, token: &str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.eat(token) { read(self).map(Some) } else { Some(None) }
    }

    /// Reads a quoted string behind `before`, if both come next; none within if they do not.
    pub fn quoted_after(&mut self, before: &str) -> Option<Option<String>> {
        let comes = self.rest().strip_prefix(before).is_some_and(|rest| rest.starts_with('"'));
        if comes { self.after(before, Self::quoted) } else { Some(None) }
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

    /// Reads a number and `token`, which must follow it.
    pub fn number_before(&mut self, token: &str) -> Option<u32> {
        let number = self.number()?;
        self.expect(token).map(|()| number)
    }

    /// Reads a number and what is counted, in the singular or the plural.
    pub fn counted(&mut self, what: &str) -> Option<u32> {
        let count = self.number_before(what)?;
        self.eat("s");
        Some(count)
    }

    /// Reads a number that may be negative.
    pub fn signed(&mut self) -> Option<i64> {
        let sign = if self.eat("-") { -1 } else { 1 };
        self.number().map(|number| sign * i64::from(number))
    }

    /// Reads a quoted string.
    pub fn quoted(&mut self) -> Option<String> {
        let rest = self.rest().strip_prefix('"')?;
        let end = unescaped(rest, &['"'])?;
        let text = unescape(&rest[..end])?;
        self.at += end + 2;
        Some(text)
    }

    /// Reads bare text up to (not including) an unescaped `stop` or the end.
    pub fn bare(&mut self, stops: &[char]) -> Option<String> {
        let end = unescaped(self.rest(), stops).unwrap_or(self.rest().len());
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
        self.attempt(|scan| {
            let bracketed = scan.eat("[");
            scan.expect("@e")?;
            let mut reference = Ref::new(scan.number()?);
            let part = scan.attempt(|scan| scan.expect(".").and_then(|()| scan.number()));
            if let Some(part) = part {
                reference.part = u16::try_from(part).ok().filter(|part| *part > 0)?;
            }
            scan.expect(if bracketed { "]" } else { "" })?;
            Some(reference)
        })
    }

    /// Reads a handle.
    pub fn handle(&mut self) -> Option<Handle> {
        self.attempt(|scan| scan.expect("@m").and_then(|()| scan.number()).map(Handle))
    }
}

/// Returns the handle that a text is.
pub(crate) fn handle_of(text: &str) -> Option<Handle> {
    let mut scan = Scan::new(text);
    scan.handle().filter(|_| scan.at_end())
}

/// Returns where the first of `stops` stands that is not escaped.
pub(super) fn unescaped(text: &str, stops: &[char]) -> Option<usize> {
    let mut escaped = false;
    let is_stop = |(_, c): &(usize, char)| {
        let plain = !escaped;
        escaped = plain && *c == '\\';
        plain && stops.contains(c)
    };
    text.char_indices().find(is_stop).map(|(at, _)| at)
}
