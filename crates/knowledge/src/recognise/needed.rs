//! Literal texts without which a pattern cannot match.
//!
//! In: a pattern. Out: sets of texts; every match holds a text of each set. Invariants: nothing
//! that matches lacks one; what is not plain to see (a class of characters, something that may be
//! left out) says nothing. Read from the pattern as the `regex` crate itself reads it, not by
//! looking at its characters.

use regex_syntax::hir::{Hir, HirKind};
use std::collections::BTreeSet;

/// Texts of one set, and sets of one pattern, at most: more of them tell less than they cost.
const MOST: usize = 16;
/// Shortest text that tells anything, in bytes.
const LEAST: usize = 2;

/// Texts of which one has to be there.
pub(super) type AnyOf = BTreeSet<Vec<u8>>;

/// Returns what a pattern needs; nothing for what cannot be read.
pub(super) fn needed(pattern: &str) -> Vec<AnyOf> {
    let read = regex_syntax::Parser::new().parse(pattern);
    let mut sets = read.map(|read| of(&read)).unwrap_or_default();
    sets.retain(|set| set.iter().all(|text| text.len() >= LEAST));
    sets
}

fn of(part: &Hir) -> Vec<AnyOf> {
    match part.kind() {
        HirKind::Literal(literal) => vec![AnyOf::from([literal.0.to_vec()])],
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => of(&repetition.sub),
        HirKind::Concat(parts) => {
            let mut sets: Vec<AnyOf> = parts.iter().flat_map(of).collect();
            sets.truncate(MOST);
            sets
        }
        // One set of each alternative, the most telling: a match is of one of them.
        HirKind::Alternation(parts) => {
            let best = |part: &Hir| of(part).into_iter().max_by_key(|set| set.iter().map(Vec::len).min());
            let all: Option<Vec<AnyOf>> = parts.iter().map(best).collect();
            all.map(|sets| sets.into_iter().flatten().collect::<AnyOf>())
                .into_iter()
                .filter(|set| set.len() <= MOST)
                .collect()
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) | HirKind::Repetition(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_match_holds_is_found() {
        let told = |pattern: &str| -> Vec<Vec<String>> {
            let sets = needed(pattern);
            sets.iter().map(|set| set.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()).collect()
        };
        assert_eq!(
            told(r"^https?://a\.test/[a-z]+/[^/?#]+/(?:edit|view7)$"),
            [vec!["http"], vec!["://a.test/"], vec!["edit", "view7"]]
        );
        assert_eq!(told("(?:ab|c*)x+yz"), [vec!["yz"]]);
        assert_eq!(told("(?:abc){2,3}(?:de)?"), [vec!["abc"]]);
        assert_eq!(told("(?i)abc|.*"), Vec::<Vec<String>>::new());
        assert_eq!(told("("), Vec::<Vec<String>>::new());
    }
}
