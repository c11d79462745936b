//! What stands in quotation marks in a text.
//!
//! In: a text. Out: each quotation with what stands before and after it, in order. Invariant: the
//! three are parts of the text; an apostrophe within a word opens nothing.

/// Returns what stands in quotation marks, with what stands before and after it.
pub(crate) fn quoted(text: &str) -> Vec<(&str, &str, &str)> {
    const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`')];
    let mut found = Vec::new();
    let mut at = 0;
    let opened =
        |(at, c): (usize, char)| MARKS.iter().find(|(open, _)| *open == c).map(|(open, close)| (at, open, *close));
    while let Some((start, open, close)) = text[at..].char_indices().find_map(opened) {
        let start = at + start;
        let inner = start + open.len_utf8();
        let before = text[..start].chars().next_back();
        // An apostrophe opens nothing.
        let end = text[inner..].find(close).filter(|_| *open != '\'' || before.is_none_or(|c| !c.is_alphanumeric()));
        let Some(end) = end else {
            at = inner;
            continue;
        };
        let after = inner + end + close.len_utf8();
        found.push((&text[..start], &text[inner..inner + end], &text[after..]));
        at = after;
    }
    found
}
