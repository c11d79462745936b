//! Text as JavaScript sees it, for recipes that are scripts by nature.
//!
//! In: text. Out: what `trim()`, `\s` and `substring()` of ECMAScript make of it. Why not Rust's
//! own: `char::is_whitespace` counts U+0085 and not U+FEFF, and JavaScript counts UTF-16 units.

/// Returns whether JavaScript's `\s` matches the character (and `trim()` removes it).
pub fn is_js_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Returns what `text.trim()` gives.
pub fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Returns the longest prefix of at most `limit` UTF-16 units; a surrogate pair is not split.
pub fn utf16_prefix(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > limit {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimming_follows_ecmascript() {
        assert_eq!(js_trim("\u{feff} \u{a0}a b\u{2028}"), "a b");
        assert_eq!(js_trim("\u{85}a"), "\u{85}a");
    }

    #[test]
    fn a_prefix_counts_utf16_units_and_splits_no_pair() {
        assert_eq!(utf16_prefix("a😀b", 1), "a");
        assert_eq!(utf16_prefix("a😀b", 2), "a");
        assert_eq!(utf16_prefix("a😀b", 3), "a😀");
        assert_eq!(utf16_prefix("éé", 2), "éé");
    }
}
