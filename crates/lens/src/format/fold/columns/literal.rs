//! Literal text of names: where it is cut, and the unit that all values end in.

use super::Piece;

/// Returns what comes most often and how often, the first of equals: order decides and nothing
/// else. There are few different ones.
pub(in crate::format) fn commonest<T: PartialEq>(said: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: Vec<(T, usize)> = Vec::new();
    for one in said {
        match counts.iter_mut().find(|(known, _)| *known == one) {
            Some((_, count)) => *count += 1,
            None => counts.push((one, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count)
}

/// Cuts a value out of a literal wherever it stands as words of its own.
pub(super) fn split_at_word(literal: String, value: &str, source: usize) -> Vec<Piece> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut pieces = Vec::new();
    let mut rest = 0;
    for (at, _) in literal.match_indices(value) {
        let (before, after) = (&literal[..at], &literal[at + value.len()..]);
        let inside = (is_word(before.chars().next_back()) && is_word(value.chars().next()))
            || (is_word(after.chars().next()) && is_word(value.chars().next_back()));
        if at < rest || inside {
            continue;
        }
        pieces.push(Piece::Literal(literal[rest..at].to_owned()));
        pieces.push(Piece::NameOf(source));
        rest = at + value.len();
    }
    pieces.push(Piece::Literal(literal[rest..].to_owned()));
    pieces
}

/// Returns what all values begin and end with, without a part of a word or number.
pub(super) fn unit(values: &[&str]) -> (String, String) {
    let none = Default::default();
    if values.len() < FEWEST_FOR_UNIT || values.iter().any(|value| value.is_empty()) {
        return none;
    }
    let first = values[0];
    let mut before = first.len();
    for value in values {
        let common = first.chars().zip(value.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        before = before.min(common);
    }
    while before > 0 && values.iter().any(|value| cuts_word(value, before)) {
        before = first[..before].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    let left = |value: &str| value.len() - before;
    let mut after = values.iter().map(|value| left(value)).min().unwrap_or(0);
    for value in values {
        let pairs = first.chars().rev().zip(value.chars().rev());
        let common = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        after = after.min(common);
    }
    let tail = |value: &str, after: usize| value.len() - after;
    while after > 0
        && values
            .iter()
            .any(|value| !value.is_char_boundary(tail(value, after)) || cuts_word(value, tail(value, after)))
    {
        after -= 1;
    }
    let (before, after) = (&first[..before], &first[tail(first, after)..]);
    // A full stop is no unit, and a single sign pays in long lists alone.
    let said = before.len() + after.len();
    if said < 2 && (said == 0 || values.len() <= 8 || matches!(after, "." | "," | ";" | ":" | "!" | "?")) {
        return none;
    }
    (before.to_owned(), after.to_owned())
}

/// Whether a cut at `at` would go through a word, a number or a character.
fn cuts_word(value: &str, at: usize) -> bool {
    if !value.is_char_boundary(at) {
        return true;
    }
    let (before, after) = (value[..at].chars().next_back(), value[at..].chars().next());
    let number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // A separator between digits belongs to the number.
    let separated =
        matches!(before, Some('.' | ',' | ':')) && number(after) && number(value[..at].chars().rev().nth(1));
    let separates = matches!(after, Some('.' | ',' | ':')) && number(before) && number(value[at..].chars().nth(1));
    (word(before) && word(after)) || separated || separates
}

/// Fewest rows in which a unit is taken out of a column.
pub(super) const FEWEST_FOR_UNIT: usize = 4;
