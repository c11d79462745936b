//! JSON tokens as the tool writes them; lone surrogates, which are legal there, are replaced.

/// Reads JSON tokens.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Reader<'_> {
    /// Returns the next byte that is no blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return Err(format!("byte {}: {:?} was expected", self.at, byte as char));
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(format!("byte {start}: a text was expected"));
        }
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(format!("byte {start}: a text has no end")),
            }
        }
        self.at += 1;
        let token = self.text.get(start..self.at).unwrap_or("");
        // Half of a surrogate pair is legal in the browser's strings and not in ours.
        serde_json::from_str(token).or_else(|error| lossy(token).ok_or_else(|| format!("byte {start}: {error}")))
    }

    pub(super) fn scalar(&mut self) -> Result<String, String> {
        self.peek();
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'))
        {
            self.at += 1;
        }
        if start == self.at {
            return Err(format!("byte {start}: a value was expected"));
        }
        Ok(self.text.get(start..self.at).unwrap_or("").to_owned())
    }

    pub(super) fn number(&mut self) -> Result<u32, String> {
        let at = self.at;
        self.scalar()?.parse().map_err(|_| format!("byte {at}: a reference has no number"))
    }
}

/// Reads a string token with lone surrogates, which become replacement characters.
fn lossy(token: &str) -> Option<String> {
    let mut fixed = String::with_capacity(token.len());
    let mut rest = token;
    while let Some(at) = rest.find('\\') {
        fixed.push_str(&rest[..at]);
        let escape = &rest[at..];
        let code = |text: &str| {
            let digits = text.strip_prefix("\\u").and_then(|text| text.get(..4))?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match code(escape) {
            Some(high) if (0xD800..0xDC00).contains(&high) => {
                let low = escape.get(6..).and_then(code);
                if low.is_some_and(|low| (0xDC00..0xE000).contains(&low)) {
                    fixed.push_str(escape.get(..12)?);
                    12
                } else {
                    fixed.push_str("\\ufffd");
                    6
                }
            }
            Some(low) if (0xDC00..0xE000).contains(&low) => {
                fixed.push_str("\\ufffd");
                6
            }
            _ => {
                // The escaped character, whatever its length.
                let length = 1 + escape.chars().nth(1)?.len_utf8();
                fixed.push_str(escape.get(..length)?);
                length
            }
        };
        rest = escape.get(length..)?;
    }
    fixed.push_str(rest);
    serde_json::from_str(&fixed).ok()
}
