//! Puts tokens back together without blanks, and escapes of texts.

use super::Token;
use std::borrow::Cow;

/// Puts tokens back together, without blanks.
#[derive(Default)]
pub(crate) struct Writer {
    out: String,
    /// Whether the next token at this place needs a comma before it.
    comma: bool,
}

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), comma: false }
    }

    /// Writes a token as it stands.
    pub(crate) fn token(&mut self, token: Token<'_>) {
        if self.comma && !matches!(token, Token::CloseObject | Token::CloseArray) {
            self.out.push(',');
        }
        match token {
            Token::OpenObject => self.out.push('{'),
            Token::CloseObject => self.out.push('}'),
            Token::OpenArray => self.out.push('['),
            Token::CloseArray => self.out.push(']'),
            Token::Key(key) => self.quoted(key, "\":"),
            Token::Text(text) => self.quoted(text, "\""),
            Token::Plain(word) => self.out.push_str(word),
        }
        self.comma = !matches!(token, Token::OpenObject | Token::OpenArray | Token::Key(_));
    }

    fn quoted(&mut self, raw: &str, end: &str) {
        self.out.push('"');
        self.out.push_str(raw);
        self.out.push_str(end);
    }

    /// Writes a string value, escaping it.
    pub(crate) fn text(&mut self, text: &str) {
        self.token(Token::Text(&escape(text)));
    }

    /// Writes a number.
    pub(crate) fn number(&mut self, number: u64) {
        let (mut digits, mut from, mut rest) = ([b'0'; 20], 20, number);
        loop {
            from -= 1;
            digits[from] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.token(Token::Plain(std::str::from_utf8(&digits[from..]).unwrap_or("0")));
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// Returns what a raw string means; a lone surrogate becomes U+FFFD.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let code = rest.as_bytes().get(at + 1).copied();
        let mut used = 2;
        match code {
            Some(b'b') => out.push('\u{8}'),
            Some(b'f') => out.push('\u{c}'),
            Some(b'n') => out.push('\n'),
            Some(b'r') => out.push('\r'),
            Some(b't') => out.push('\t'),
            Some(b'u') => {
                let unit = |from: usize| rest.get(from..from + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                let first = unit(at + 2).unwrap_or(0xfffd);
                used = 6;
                let low = || (rest.get(at + 6..at + 8) == Some("\\u")).then(|| unit(at + 8)).flatten();
                let joined = match (first, (0xd800..0xdc00).contains(&first).then(low).flatten()) {
                    (high, Some(low)) if (0xdc00..0xe000).contains(&low) => {
                        used = 12;
                        0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
                    }
                    (single, _) => single,
                };
                out.push(char::from_u32(joined).unwrap_or('\u{fffd}'));
            }
            Some(other) if other.is_ascii() => out.push(char::from(other)),
            _ => used = 1,
        }
        rest = rest.get(at + used..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns a text as it stands between quotes: only what must be escaped is.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) {
        return Cow::Borrowed(text);
    }
    let mut quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.pop();
    quoted.remove(0);
    Cow::Owned(quoted)
}
