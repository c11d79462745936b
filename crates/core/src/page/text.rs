//! Text of pages on its way out: what nobody sees is written so that it is seen.
//!
//! In: any text. Out: the same text with every [unseen](is_unseen) character as an escape:
//! `\u{e0041}`, and `\n`, `\r`, `\t` where they may not stand as they are. Invariants: nothing
//! unseen is in the result but the line ends and tabs that were asked to stay; text without such
//! characters is borrowed; what was escaped is not escaped again. Why escapes and not nothing:
//! whoever reads the text is told that something was hidden there. Backslashes of the page stay as
//! they are, since these texts are not read back; what is (observations of the lens) doubles them.

use std::borrow::Cow;

/// Returns whether a character has no glyph of its own, or changes how others are shown: controls
/// (line ends and tabs among them), tags, what has no width or turns the direction of text,
/// fillers, separators of lines and paragraphs, and what selects variants of other characters. Only
/// U+FE0F, which stands behind most emoji, is passed over.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0e}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Appends the escape of a character: `\n`, `\r`, `\t` or `\u{…}` with its code in hexadecimal
/// digits.
pub fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.extend(c.escape_unicode()),
    }
}

/// Returns text of several lines with what is unseen escaped; line ends (`\n`) and tabs stay.
pub fn escaped(text: &str) -> Cow<'_, str> {
    written(text, |c| is_unseen(c) && !matches!(c, '\n' | '\t'))
}

/// Returns text on one line with what is unseen escaped, line ends and tabs too.
pub fn escaped_line(text: &str) -> Cow<'_, str> {
    written(text, is_unseen)
}

/// Returns text on one line: white space of any kind as single blanks, none at the ends, and what
/// else is unseen escaped.
pub fn one_line(text: &str) -> String {
    spaced(text, |line, word| line.push_str(&escaped_line(word)))
}

/// Returns whether two texts are one word where nothing stands between them.
pub fn would_join(before: &str, after: &str) -> bool {
    let is_word = |end: Option<char>| end.is_some_and(char::is_alphanumeric);
    is_word(before.chars().next_back()) && is_word(after.chars().next())
}

/// Returns text with white space of any kind as single blanks, and none at the ends.
pub fn folded(text: &str) -> String {
    spaced(text, String::push_str)
}

/// Returns the words of a text as they are written, with a blank between two.
fn spaced(text: &str, write: impl Fn(&mut String, &str)) -> String {
    let mut line = String::with_capacity(text.len().min(4_096));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        write(&mut line, word);
    }
    line
}

/// Returns the first characters of a text, so many of them.
pub fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Returns the first characters of a text, so many of them, and `…` behind them where there are
/// more.
pub fn cut(text: &str, most: usize) -> String {
    let kept = beginning(text, most);
    if kept.len() < text.len() { format!("{kept}…") } else { kept.to_owned() }
}

/// Returns at most so many characters of a text; where it has more, the last one is `…`.
pub fn cut_within(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_some() { cut(text, limit.saturating_sub(1)) } else { text.to_owned() }
}

/// Returns text as it may stand in an element or a quoted attribute of HTML and XML.
pub fn escaped_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let escapes = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    push_replaced(&mut out, text, &escapes);
    out
}

/// Appends text in which some characters are written as what stands beside them.
pub fn push_replaced(out: &mut String, text: &str, written: &[(char, &str)]) {
    for c in text.chars() {
        match written.iter().find(|(known, _)| *known == c) {
            Some((_, written)) => out.push_str(written),
            None => out.push(c),
        }
    }
}

/// Returns text as a double-quoted string of the DOT language; backslashes are doubled, so that no
/// escape of Graphviz' own works inside.
pub fn quoted_dot(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn written(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&is_hidden) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_hidden(c) {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns JSON whose strings hold nothing unseen but line ends and tabs: as if each had been
/// [`escaped`] before it was written.
///
/// Of the JSON it is only known that it is well-formed: it may be compact or indented, and spell
/// characters as themselves or by their code.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_unseen(c) && !matches!(c, '\n' | '\t');
    if !json.contains(|c| c == '\\' || hidden(c)) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    let mut push = |c: char, raw: &str| {
        if hidden(c) {
            // The escape's own backslash is one of a JSON string.
            out.push('\\');
            push_escape(&mut out, c);
        } else {
            out.push_str(raw);
        }
    };
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let (meant, length) = if c == '\\' { spelled(rest) } else { (c, c.len_utf8()) };
        let (raw, after) = rest.split_at(length);
        // As itself it stands between strings only, before a line end.
        if raw != "\r" {
            push(meant, raw);
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// Returns the character that an escape of a JSON string means, and the bytes that it takes; half
/// of a pair is taken for a backslash.
fn spelled(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match text.as_bytes().get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'r') => ('\r', 2),
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (char::from_u32(code).unwrap_or('\\'), 12)
            }
            (Some(code), _) => (char::from_u32(code).unwrap_or('\\'), 6),
            (None, _) => ('\\', 2),
        },
        Some(byte) if byte.is_ascii_graphic() => ('\\', 2),
        _ => ('\\', 1),
    }
}

/// Counts the unseen characters of a text that is given as it is; line ends, also those of a
/// carriage return and a line feed, and tabs do not count.
pub fn count_unseen(text: &str) -> u64 {
    let ends = text.matches("\r\n").count();
    let all = text.chars().filter(|c| is_unseen(*c) && !matches!(c, '\n' | '\t')).count();
    (all - ends) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn some_text() -> impl Strategy<Value = String> {
        let odd = "[\u{0}-\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}\u{17b4}\u{180e}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}\
            -\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0000}-\u{e007f}\u{e0100}]";
        proptest::collection::vec(prop_oneof![Just("\\".to_owned()), Just("\"".to_owned()), ".{0,4}", odd], 0..12)
            .prop_map(|parts| parts.concat())
    }

    #[test]
    fn what_nobody_sees_is_written_so_that_it_is_seen() {
        let text = "a\u{e0041}\u{200b}b\u{202e}\n\tc\u{7}\r\u{ad}";
        assert_eq!(escaped(text), "a\\u{e0041}\\u{200b}b\\u{202e}\n\tc\\u{7}\\r\\u{ad}");
        assert_eq!(escaped_line(text), "a\\u{e0041}\\u{200b}b\\u{202e}\\n\\tc\\u{7}\\r\\u{ad}");
        assert_eq!(one_line(text), "a\\u{e0041}\\u{200b}b\\u{202e} c\\u{7} \\u{ad}");
        assert_eq!(count_unseen(text), 6);
        assert_eq!(count_unseen("a\r\nb\n\t"), 0);
    }

    #[test]
    fn what_is_cut_says_so_and_keeps_its_limit() {
        assert_eq!(folded(" a\n\tb\u{a0} c "), "a b c");
        assert_eq!([2, 3, 4].map(|most| cut("äbcd", most)), ["äb…", "äbc…", "äbcd"]);
        assert_eq!([1, 3, 4].map(|limit| cut_within("äbcd", limit)), ["…", "äb…", "äbcd"]);
    }

    #[test]
    fn text_that_is_seen_is_borrowed() {
        for text in ["", "plain \\u{202e}", "Größe 日本 ❤\u{fe0f} 😀", "two\n\tlines"] {
            assert!(matches!(escaped(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        assert!(matches!(escaped_line("one line"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_is_escaped_however_its_strings_are_spelled() {
        let json = "{\"a\u{202e}\":\"\u{7f}\\u001b\\b\\f\\r\\n\\t\\\\u202e\\u202e\\udb40\\udc41\\ud800\\\\\\\"\",\r\n \
            \"b\": 1}";
        let out = escaped_json(json);
        assert_eq!(
            out,
            "{\"a\\\\u{202e}\":\"\\\\u{7f}\\\\u{1b}\\\\u{8}\\\\u{c}\\\\r\\n\\t\\\\u202e\\\\u{202e}\\\\u{e0041}\
                \\ud800\\\\\\\"\",\n \"b\": 1}"
        );
        assert!(matches!(escaped_json("{\"a\": [1, \"é\"]}"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_unseen_stays_and_nothing_else_changes(text in some_text()) {
            let (lines, line) = (escaped(&text), escaped_line(&text));
            prop_assert!(!lines.contains(|c| is_unseen(c) && c != '\n' && c != '\t'), "{lines:?}");
            prop_assert!(!line.contains(is_unseen), "{line:?}");
            prop_assert_eq!(escaped(&lines), &*lines, "once is enough");
            prop_assert_eq!(escaped_line(&line), &*line);
            prop_assert_eq!(count_unseen(&lines), 0);
            let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
            prop_assert!(line.len() >= seen.len());
            let folded = one_line(&text);
            prop_assert!(!folded.contains(is_unseen) && !folded.contains("  ") && folded.trim() == folded,
                "{folded:?}");
            prop_assert_eq!(folded.contains(' '), text.split_whitespace().nth(1).is_some());
            prop_assert_eq!(text.contains(is_unseen), matches!(line, Cow::Owned(_)));
        }

        #[test]
        fn json_says_what_its_strings_say_when_they_are_escaped(text in some_text(), key in some_text()) {
            let value = serde_json::json!({ &*key: [&text, 1, null], "z": { "inner": &text } });
            let expected = serde_json::json!({ &*escaped(&key): [escaped(&text), 1, null],
                "z": { "inner": escaped(&text) } });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let out = escaped_json(&json);
                prop_assert!(!out.contains(|c| is_unseen(c) && c != '\n'), "{out:?}");
                let read: Value = serde_json::from_str(&out).unwrap();
                prop_assert_eq!(&read, &expected, "{}", &out);
                prop_assert_eq!(&*escaped_json(&out), &*out, "once is enough");
            }
        }

        #[test]
        fn any_text_at_all_is_taken_for_json_without_a_panic(text in any::<String>()) {
            drop(escaped_json(&text));
            drop(escaped_json(&format!("\\u{text}")));
            drop(escaped_json(&format!("\\udb40\\u{text}")));
        }
    }
}
