//! JSON as a flat run of tokens: read, changed and written without building a tree.
//!
//! In: JSON text, as a browser gave it. Out: [`Token`]s that borrow from it, and a `Writer` that
//! puts tokens back together without blanks. Invariants: no recursion (a document nested a million
//! deep costs a million bits, no stack); only well-formed JSON passes; a token that is written back
//! unchanged keeps its bytes. Why not `serde_json::Value`: a 3 MB accessibility tree takes 19 ms to
//! become one and more to be written again, and what canonical form and redaction change is a few
//! fields among many that must stay as they are.

mod writer;

use serde::de::IgnoredAny;
pub use writer::unescape;
pub(crate) use writer::{Writer, escape};

/// One token; texts are as they stand between the quotes, escapes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `{`
    OpenObject,
    /// `}`
    CloseObject,
    /// `[`
    OpenArray,
    /// `]`
    CloseArray,
    /// The name of a member.
    Key(&'a str),
    /// A string value.
    Text(&'a str),
    /// A number, `true`, `false` or `null`.
    Plain(&'a str),
}

/// Text that is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not JSON at byte {offset}: {expected}")]
pub struct JsonError {
    /// Byte offset of the first byte that does not fit.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrClose,
    KeyOrClose,
    Key,
    CommaOrClose,
    End,
}

/// Reads tokens off a text.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// One entry per open container: whether it is an object.
    open: Vec<bool>,
    expect: Expect,
}

impl<'a> Scanner<'a> {
    /// Begins before the first token of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new(), expect: Expect::Value }
    }

    /// Number of containers that are open after the token read last.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Byte offset behind the token read last.
    pub fn at(&self) -> usize {
        self.at
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, JsonError> {
        Err(JsonError { offset: self.at, expected })
    }

    fn skip_blanks(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Reads the string whose opening quote stands at `at`; returns what is between the quotes.
    fn string(&mut self) -> Result<&'a str, JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        loop {
            let fail = |expected| Err(JsonError { offset: at, expected });
            at += match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(&self.text[start..at]);
                }
                Some(b'\\') => match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                    Some(b'u')
                        if bytes.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
                    {
                        6
                    }
                    _ => return fail("a valid escape"),
                },
                Some(0..=0x1f) => return fail("no raw control character in a string"),
                Some(_) => {
                    let plain = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
                    plain.unwrap_or(bytes.len() - at)
                }
                None => return fail("the end of a string"),
            };
        }
    }

    fn plain(&mut self) -> Result<&'a str, JsonError> {
        let bytes = &self.text.as_bytes()[self.at..];
        // Most values of a snapshot are small whole numbers.
        let digits = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
        let is_whole = digits == 1 || (digits > 1 && bytes[0] != b'0');
        if is_whole && matches!(bytes.get(digits), None | Some(b',' | b']' | b'}')) {
            let word = &self.text[self.at..self.at + digits];
            self.at += digits;
            return Ok(word);
        }
        let length = bytes
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-'))
            .unwrap_or(bytes.len());
        let word = &self.text[self.at..self.at + length];
        // Without quotes and brackets only a number, a truth value or null can be JSON.
        if serde_json::from_str::<IgnoredAny>(word).is_err() {
            return self.fail("a value");
        }
        self.at += length;
        Ok(word)
    }

    /// Passes over the rest of the innermost container without looking whether it is JSON: for a
    /// pass that looks for something else, of a text that another pass reads whole.
    pub(crate) fn skip_rest(&mut self) {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    if self.string().is_err() {
                        self.at = bytes.len();
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => {
                    self.close();
                    return;
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn enter(&mut self, is_object: bool) -> Token<'a> {
        self.at += 1;
        self.open.push(is_object);
        self.expect = if is_object { Expect::KeyOrClose } else { Expect::ValueOrClose };
        if is_object { Token::OpenObject } else { Token::OpenArray }
    }

    fn close(&mut self) -> Token<'a> {
        self.at += 1;
        let was_object = self.open.pop() == Some(true);
        self.after_value();
        if was_object { Token::CloseObject } else { Token::CloseArray }
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() { Expect::End } else { Expect::CommaOrClose };
    }

    /// Returns the next token; none at the end of the text.
    ///
    /// # Errors
    /// [`JsonError`] where the text is no JSON.
    #[expect(clippy::should_implement_trait, reason = "an iterator would go on after an error")]
    pub fn next(&mut self) -> Result<Option<Token<'a>>, JsonError> {
        loop {
            let Some(byte) = self.skip_blanks() else {
                return if self.expect == Expect::End { Ok(None) } else { self.fail("more text") };
            };
            let in_object = self.open.last().copied();
            match self.expect {
                Expect::End => return self.fail("nothing after the value"),
                Expect::CommaOrClose => match (byte, in_object) {
                    (b',', _) => {
                        self.at += 1;
                        self.expect = if in_object == Some(true) { Expect::Key } else { Expect::Value };
                    }
                    (b'}', Some(true)) | (b']', Some(false)) => return Ok(Some(self.close())),
                    _ => return self.fail("a comma or the end of the list"),
                },
                Expect::Key | Expect::KeyOrClose => {
                    if byte == b'}' && self.expect == Expect::KeyOrClose {
                        return Ok(Some(self.close()));
                    }
                    if byte != b'"' {
                        return self.fail("a member name");
                    }
                    let key = self.string()?;
                    if self.skip_blanks() != Some(b':') {
                        return self.fail("a colon");
                    }
                    self.at += 1;
                    self.expect = Expect::Value;
                    return Ok(Some(Token::Key(key)));
                }
                Expect::Value | Expect::ValueOrClose => {
                    return match byte {
                        b']' if self.expect == Expect::ValueOrClose => Ok(Some(self.close())),
                        b'{' | b'[' => Ok(Some(self.enter(byte == b'{'))),
                        _ => {
                            let is_text = byte == b'"';
                            let value = if is_text { Token::Text(self.string()?) } else { Token::Plain(self.plain()?) };
                            self.after_value();
                            Ok(Some(value))
                        }
                    };
                }
            }
        }
    }
}

/// Writes a text anew: what `each` writes of every token.
pub(crate) fn rewrite<'a>(
    json: &'a str,
    mut each: impl FnMut(&mut Scanner<'a>, Token<'a>, &mut Writer) -> Result<(), JsonError>,
) -> Result<String, JsonError> {
    let (mut scanner, mut writer) = (Scanner::new(json), Writer::with_capacity(json.len()));
    while let Some(token) = scanner.next()? {
        each(&mut scanner, token, &mut writer)?;
    }
    Ok(writer.finish())
}

/// Writes a text anew without blanks.
pub(crate) fn compact(json: &str) -> Result<String, JsonError> {
    rewrite(json, |_, token, writer| {
        writer.token(token);
        Ok(())
    })
}

/// Checks that a text is JSON.
pub(crate) fn check(text: &str) -> Result<(), JsonError> {
    let mut scanner = Scanner::new(text);
    while scanner.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blanks_go_and_everything_else_stays() {
        let text = " { \"a\" : [ 1 , -2.5e+3 , \"x\\u0041\\n\" , { } , [ ] , null ] , \"b\" : true } ";
        assert_eq!(compact(text).expect("JSON"), r#"{"a":[1,-2.5e+3,"x\u0041\n",{},[],null],"b":true}"#);
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_breaks() {
        for bad in [
            "", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "[1 2]", "01", "1.", "-", "1e", "tru", "\"\\x\"", "\"a", "[}",
            "1 1", "\"\\u00g0\"", "\"\n\"", "nulll", "+1",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert_eq!(check("[1,x]").expect_err("bad").offset, 3);
    }

    #[test]
    fn what_is_skipped_ends_where_it_closes() {
        let mut scanner = Scanner::new(r#"{"a":{"b":[1,"]}\"",{}],"c":2},"d":[3]}"#);
        let mut keys = Vec::new();
        while let Some(token) = scanner.next().expect("JSON") {
            if let Token::Key(key) = token {
                keys.push(key);
            }
            if token == Token::OpenObject && scanner.depth() == 2 {
                scanner.skip_rest();
                assert_eq!(scanner.depth(), 1);
            }
        }
        assert_eq!(keys, ["a", "d"]);
        for broken in ["[", "[\"", "[[]", "[}"] {
            let mut scanner = Scanner::new(broken);
            scanner.next().expect("opens");
            scanner.skip_rest();
            assert!(!matches!(scanner.next(), Ok(Some(_))), "{broken}");
        }
    }

    #[test]
    fn a_million_levels_do_not_touch_the_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(compact(&deep).expect("JSON"), deep);
    }

    #[test]
    fn surrogates_join_and_lone_ones_are_replaced() {
        assert_eq!(unescape("\\ud83d\\ude00!"), "😀!");
        assert_eq!(unescape("\\ud83d!"), "\u{fffd}!");
        assert_eq!(unescape("\\ud83d\\u0041"), "\u{fffd}A");
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_what_is_json(text in "[\\[\\]{}:,\"a1.eE\\\\u0 -]{0,12}") {
            prop_assert_eq!(check(&text).is_ok(), serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(), "{}",
                text);
        }

        #[test]
        fn a_number_is_written_as_it_is_printed(number in any::<u64>()) {
            let mut writer = Writer::default();
            writer.number(number);
            prop_assert_eq!(writer.finish(), number.to_string());
        }

        #[test]
        fn escaping_is_undone_by_unescaping(text in any::<String>()) {
            let escaped = escape(&text).into_owned();
            let quoted = format!("\"{escaped}\"");
            prop_assert_eq!(unescape(&escaped), text.clone());
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).expect("JSON"), text);
        }
    }
}
