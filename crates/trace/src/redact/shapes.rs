//! Secrets that are known by their shape or by the name before them.
//!
//! In: a text. Out: byte ranges of it that are secret: JSON Web Tokens, bearer tokens, values of
//! URL parameters, passwords in URLs, values in text that holds JSON, parts of multipart bodies.
//! Invariants: ranges lie on character boundaries; nothing is decoded.

use super::names::is_sensitive;
use std::ops::Range;

/// What kind of text is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A string of a page: a text, an attribute. Only words that are URLs are searched for
    /// parameters: prose about `?token=` stays the same in every payload that holds it or a part of
    /// it.
    Page,
    /// A body, header or message, which may be a form.
    Message,
    /// What is shown of pages and answers: as of a page, but that its JSON has names which are not those of secrets.
    Shown,
}

/// Returns the ranges of a text that are secret by shape.
pub(crate) fn find(text: &str, source: Source, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if bytes.len() < 4 {
        return;
    }
    tokens(text, found);
    bearers(text, found);
    if bytes.contains(&b'=') || text.contains("%3D") || text.contains("%3d") {
        let before = found.len();
        words(text).for_each(|word| parameters(text, word, source, found));
        if source == Source::Shown {
            // What brackets a URL is not of it.
            for range in &mut found[before..] {
                let value = text.get(range.clone()).unwrap_or_default();
                range.end = range.start + value.trim_end_matches([']', '}', '…']).len();
            }
            found.retain(|range| !range.is_empty());
        }
    }
    if text.contains("://") && bytes.contains(&b'@') {
        passwords(text, found);
    }
    let has_members = match source {
        Source::Shown => false,
        Source::Page => text.trim_start().starts_with(['{', '[']),
        Source::Message => true,
    };
    if has_members && bytes.contains(&b'"') {
        members(text, found);
    }
    if source == Source::Message && text.contains("name=\"") {
        parts(text, found);
    }
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| {
        let from = word.as_ptr() as usize - start;
        from..from + word.len()
    })
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// JSON Web Tokens: base64url parts joined by dots, the first of which encodes `{"`.
fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    const SHORTEST: usize = "eyJabcde.abcdefgh".len();
    let bytes = text.as_bytes();
    if bytes.len() < SHORTEST {
        return;
    }
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("eyJ")).map(|at| at + from) {
        from = at + 3;
        if at > 0 && is_token_byte(bytes[at - 1]) {
            continue;
        }
        // Two long parts first: looking further at every `eyJ` would take quadratic time on a text
        // made of them.
        let part = |from: usize| {
            bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| is_token_byte(**byte)).count())
        };
        let first = part(at);
        let second = if bytes.get(at + first) == Some(&b'.') { part(at + first + 1) } else { 0 };
        if first >= 8 && second >= 8 {
            let length = bytes[at..].iter().take_while(|byte| is_token_byte(**byte) || **byte == b'.').count();
            let end = at + text[at..at + length].trim_end_matches('.').len();
            found.push(at..end);
            from = end;
        }
    }
}

/// `Bearer` and a token that no word of prose is.
fn bearers(text: &str, found: &mut Vec<Range<usize>>) {
    const WORD: &[u8] = b"bearer ";
    let bytes = text.as_bytes();
    for at in (0..bytes.len().saturating_sub(WORD.len())).filter(|at| matches!(bytes[*at], b'b' | b'B')) {
        if !bytes[at..at + WORD.len()].eq_ignore_ascii_case(WORD) {
            continue;
        }
        let start = at + WORD.len();
        let token: &[u8] = &bytes[start..];
        let length = token
            .iter()
            .take_while(|byte| is_token_byte(**byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'='))
            .count();
        let has_digit = token[..length].iter().any(u8::is_ascii_digit);
        if (length >= 8 && has_digit) || length >= 24 {
            found.push(start..start + length);
        }
    }
}

/// Parameters of a URL or form, percent-encoded ones included (a URL in a parameter of a URL).
fn parameters(text: &str, word: Range<usize>, source: Source, found: &mut Vec<Range<usize>>) {
    let content = &text[word.clone()];
    let is_url = content.contains("://") || content.starts_with(['/', '?', '#', '.']);
    if source != Source::Message && !is_url {
        return;
    }
    let bytes = content.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let encoded = bytes.get(at..at + 3).is_some_and(|code| code.eq_ignore_ascii_case(b"%3d"));
        if bytes[at] != b'=' && !encoded {
            at += 1;
            continue;
        }
        let is_name = |byte: u8| is_token_byte(byte) || matches!(byte, b'.' | b'[' | b']');
        let mut name_start = at - bytes[..at].iter().rev().take_while(|byte| is_name(**byte)).count();
        // In `%3Ftoken%3D` the two digits of the separator look like the beginning of the name.
        let after_code = name_start > 0 && bytes[name_start - 1] == b'%' && name_start + 2 <= at;
        let separated = if after_code {
            let code = [bytes[name_start].to_ascii_uppercase(), bytes[name_start + 1].to_ascii_uppercase()];
            name_start += 2;
            matches!(&code, b"3F" | b"26" | b"23" | b"3B")
        } else {
            match name_start.checked_sub(1).map(|before| bytes[before]) {
                None => source == Source::Message,
                Some(before) => matches!(before, b'?' | b'&' | b'#' | b';'),
            }
        };
        let value_start = at + if encoded { 3 } else { 1 };
        at = value_start;
        if !separated || !is_sensitive(&content[name_start..value_start - if encoded { 3 } else { 1 }]) {
            continue;
        }
        let length = bytes[value_start..]
            .iter()
            .enumerate()
            .position(|(index, byte)| {
                let code = bytes.get(value_start + index..value_start + index + 3);
                matches!(byte, b'&' | b'#' | b';' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b')' | b',')
                    || code.is_some_and(|code| encoded && (code == b"%26" || code == b"%23"))
            })
            .unwrap_or(bytes.len() - value_start);
        if length > 0 {
            let start = word.start + value_start;
            found.push(start..start + length);
        }
        at = value_start + length;
    }
}

/// `https://user:password@host`.
fn passwords(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let authority = &text[start..];
        let end = authority
            .find(|character: char| matches!(character, '/' | '?' | '#' | '"' | '<') || character.is_whitespace())
            .unwrap_or(authority.len());
        let Some(host) = authority[..end].rfind('@') else { continue };
        if let Some(colon) = authority[..host].find(':')
            && colon + 1 < host
        {
            found.push(start + colon + 1..start + host);
        }
    }
}

/// `"token": "value"` in text that holds JSON, escaped or not.
fn members(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let backslashes = |quote: usize| bytes[..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
    let next_quote =
        |from: usize| bytes.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'"')).map(|at| at + from);
    let mut open = next_quote(0);
    while let Some(start) = open {
        let Some(end) = next_quote(start + 1) else { return };
        open = Some(end);
        let blanks = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let colon = blanks(end + 1);
        if bytes.get(colon) != Some(&b':') || !is_sensitive(text[start + 1..end].trim_end_matches('\\')) {
            continue;
        }
        let value = blanks(colon + 1);
        let quote = value + bytes[value..].iter().take_while(|byte| **byte == b'\\').count();
        if bytes.get(quote) == Some(&b'"') {
            let level = quote - value;
            let mut close = next_quote(quote + 1);
            while let Some(at) = close.filter(|at| backslashes(*at) != level) {
                close = next_quote(at + 1);
            }
            let close = close.unwrap_or(bytes.len());
            let end_of_value = close.saturating_sub(level).max(quote + 1);
            if end_of_value > quote + 1 {
                found.push(quote + 1..end_of_value);
            }
            open = next_quote(close + 1);
        } else {
            let digits = bytes[value..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            // A number may not begin with zero, which a placeholder might: the first digit stays.
            if digits > 1 {
                found.push(value + 1..value + digits);
            }
            open = next_quote(value);
        }
    }
}

/// Parts of a multipart body: `name="password"`, an empty line, the value, the boundary.
fn parts(text: &str, found: &mut Vec<Range<usize>>) {
    /// Most bytes of a part's head after its name.
    const LONGEST_HEAD: usize = 512;
    for (at, mark) in text.match_indices("name=\"") {
        let name_start = at + mark.len();
        let head = &text.as_bytes()[name_start..text.len().min(name_start + LONGEST_HEAD)];
        let find = |wanted: &[u8]| head.windows(wanted.len()).position(|window| window == wanted);
        let Some(name) = find(b"\"").and_then(|end| text.get(name_start..name_start + end)) else { continue };
        if !is_sensitive(name) {
            continue;
        }
        let Some(blank) = find(b"\r\n\r\n") else { continue };
        let start = name_start + blank + 4;
        let length = text[start..].find("\r\n--").unwrap_or(text.len() - start);
        if length > 0 {
            found.push(start..start + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(text: &str, source: Source) -> Vec<&str> {
        let mut found = Vec::new();
        find(text, source, &mut found);
        found.sort_by_key(|range| range.start);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn tokens_in_urls_are_found_also_in_a_url_inside_a_url() {
        assert_eq!(secrets("https://a.test/p?q=1&access_token=abc123#id_token=xyz", Source::Page), ["abc123", "xyz"]);
        assert_eq!(secrets("/go?next=https%3A%2F%2Fb.test%3Ftoken%3Dabc%26q%3D1", Source::Page), ["abc"]);
        assert_eq!(secrets("https://ann:pw-1@a.test/", Source::Page), ["pw-1"]);
        assert!(secrets("write ?token=abc after token=abc", Source::Page).contains(&"abc"));
        assert!(secrets("set token=abc and keyword=x", Source::Page).is_empty());
    }

    #[test]
    fn forms_and_json_in_text_are_read_by_their_names() {
        assert_eq!(secrets("user=ann&password=pw%201&page=2", Source::Message), ["pw%201"]);
        assert_eq!(
            secrets(r#"login {"token" : "a\"b", "n": 1, "otp": 123456}"#, Source::Message),
            [r#"a\"b"#, "23456"]
        );
        assert_eq!(secrets(r#"{\"token\":\"abc\",\"name\":\"x\"}"#, Source::Message), ["abc"]);
        assert_eq!(
            secrets(
                "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--x--",
                Source::Message
            ),
            ["hunter2"]
        );
    }

    #[test]
    fn tokens_are_known_by_their_shape_and_prose_is_not() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
        assert_eq!(secrets(&format!("see {jwt}."), Source::Page), [jwt]);
        assert_eq!(secrets("Authorization: bearer abcd1234efgh", Source::Page), ["abcd1234efgh"]);
        assert!(secrets("a bearer certificate, bearer authentication", Source::Page).is_empty());
    }

    #[test]
    fn texts_made_to_be_slow_are_not() {
        for piece in [".eyJ", "name=\"x\" ", "\"a\":\"", "?a=%3D", "bearer ", "://a@", "\"token\":\"\\"] {
            let text = piece.repeat(400_000 / piece.len());
            secrets(&text, Source::Message);
        }
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in [
            "", "\"", "\"\\", "=\"", "%3D", "?%3", "%", "://@", "://:@", "name=\"", "{\"token\":", "{\"token\":\"",
            "{\"token\":\"\\", "ü=ü?token=ü", "?token=", "\u{0}=%3d%3D==&&",
        ] {
            secrets(text, Source::Page);
            secrets(text, Source::Message);
        }
    }
}
