//! What changed in observations, grouped by what one would have to undo.
//!
//! In: a text before and after, a pair a step. Out: [`ChangeGroup`]s: edits that are the same once
//! names, numbers and refs are left out, with the steps they touch and one example. Invariants:
//! equal texts are in no group; groups depend on the set of pairs, not on their order; work is
//! bounded whatever the texts are. Why by edit: one change of a formatter touches hundreds of
//! steps, each at many places, beside others.

use browserlens_core::page::text::cut;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};

/// Most pieces on both sides of a hunk that are compared one by one; larger ones count as
/// rewritten.
const LARGEST_HUNK: usize = 20_000;
/// Most characters of an edit's side.
const LONGEST_SIDE: usize = 160;
/// Most lines of an example.
const LONGEST_EXAMPLE: usize = 12;
/// Most characters of a line of an example.
const LONGEST_LINE: usize = 200;

/// A step's text before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedText {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// The text before.
    pub before: String,
    /// The text after.
    pub after: String,
    /// Tokens (o200k_base) of the step before and after.
    pub tokens: (u64, u64),
}

/// One edit, wherever it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeGroup {
    /// What is gone, with `"…"` for names, `0` for numbers and `@…` for refs; empty where something
    /// was only added.
    pub removed: String,
    /// What came in its place, in the same form; both are equal where only names, numbers or refs
    /// changed.
    pub added: String,
    /// At how many places.
    pub places: u32,
    /// In how many steps, every strategy's counted.
    pub steps: u32,
    /// The scenarios that it touches.
    pub traces: BTreeSet<String>,
    /// The strategies that it touches.
    pub strategies: BTreeSet<String>,
    /// Tokens of those steps before and after, other edits in them included.
    pub tokens: (u64, u64),
    /// One place where it was made.
    pub example: ChangeExample,
}

/// One place of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeExample {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// The lines before (`-`) and after (`+`).
    pub diff: String,
}

/// Groups changes; the groups that touch the most steps come first.
pub fn group_changes(changes: &[ChangedText]) -> Vec<ChangeGroup> {
    let mut sorted: Vec<&ChangedText> = changes.iter().collect();
    sorted.sort_by(|a, b| (&a.trace, &a.strategy, a.step).cmp(&(&b.trace, &b.strategy, b.step)));
    let mut groups: BTreeMap<Edit, ChangeGroup> = BTreeMap::new();
    for change in sorted {
        let mut here: BTreeMap<Edit, (u32, String)> = BTreeMap::new();
        for hunk in hunks(&change.before, &change.after) {
            for edit in edits(&hunk) {
                here.entry(edit).or_insert_with(|| (0, hunk.in_words())).0 += 1;
            }
        }
        for (edit, (places, diff)) in here {
            let group = groups.entry(edit).or_insert_with_key(|edit| ChangeGroup {
                removed: edit.removed.clone(),
                added: edit.added.clone(),
                example: ChangeExample {
                    trace: change.trace.clone(),
                    strategy: change.strategy.clone(),
                    step: change.step,
                    diff,
                },
                ..ChangeGroup::default()
            });
            group.places += places;
            group.steps += 1;
            group.traces.insert(change.trace.clone());
            group.strategies.insert(change.strategy.clone());
            group.tokens.0 += change.tokens.0;
            group.tokens.1 += change.tokens.1;
        }
    }
    let mut groups: Vec<ChangeGroup> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.steps, group.places)));
    groups
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    removed: String,
    added: String,
}

struct Hunk<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
}

impl Hunk<'_> {
    fn in_words(&self) -> String {
        let sides = [("-", &self.before), ("+", &self.after)];
        let mut lines: Vec<String> = Vec::new();
        for (sign, side) in sides {
            let most = LONGEST_EXAMPLE / 2;
            lines.extend(
                side.iter().take(most).map(|line| format!("{sign}{}", cut(line.trim_end_matches('\n'), LONGEST_LINE))),
            );
            if side.len() > most {
                lines.push(format!("{sign}… {} more lines", side.len() - most));
            }
        }
        lines.join("\n")
    }
}

/// The lines that differ, neighbours together.
fn hunks<'a>(before: &'a str, after: &'a str) -> Vec<Hunk<'a>> {
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before, after);
    let (old, new) = (diff.old_slices(), diff.new_slices());
    diff.ops()
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| Hunk { before: old[op.old_range()].to_vec(), after: new[op.new_range()].to_vec() })
        .collect()
}

fn edits(hunk: &Hunk<'_>) -> Vec<Edit> {
    let (before, after) = (hunk.before.concat(), hunk.after.concat());
    let (old, new) = (pieces(&before), pieces(&after));
    if old.len() + new.len() > LARGEST_HUNK {
        let said = |side: &[&str]| if side.is_empty() { String::new() } else { "(many lines)".to_owned() };
        return vec![Edit { removed: said(&hunk.before), added: said(&hunk.after) }];
    }
    let (masked_old, masked_new): (Vec<&str>, Vec<&str>) =
        (old.iter().map(|piece| mask(piece)).collect(), new.iter().map(|piece| mask(piece)).collect());
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &masked_old, &masked_new) {
        let (from, to) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            let changed = old[from.clone()].iter().zip(&new[to]).zip(&masked_old[from]);
            edits.extend(
                changed
                    .filter(|((was, is), _)| was != is)
                    .map(|(_, masked)| Edit { removed: (*masked).to_owned(), added: (*masked).to_owned() }),
            );
        } else {
            edits.push(Edit { removed: side(&masked_old[from]), added: side(&masked_new[to]) });
        }
    }
    edits
}

fn side(pieces: &[&str]) -> String {
    cut(&pieces.concat(), LONGEST_SIDE)
}

/// Cuts a text into quoted names, refs, numbers, words, runs of spaces, and single other
/// characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let run =
            |wanted: &dyn Fn(char) -> bool| first.len_utf8() + after.find(|c: char| !wanted(c)).unwrap_or(after.len());
        let length = match first {
            '"' => quoted(rest),
            '@' => run(&|c| c.is_ascii_alphanumeric() || c == '.'),
            c if c.is_ascii_digit() => run(&|c| c.is_ascii_digit() || matches!(c, '.' | ',')),
            c if c.is_alphabetic() => run(&|c| c.is_alphanumeric() || matches!(c, '-' | '_')),
            ' ' | '\t' => run(&|c| matches!(c, ' ' | '\t')),
            _ => first.len_utf8(),
        };
        let (piece, left) = rest.split_at(length);
        pieces.push(piece);
        rest = left;
    }
    pieces
}

/// Returns the length of the quoted name at the beginning, within its line; of the quote alone if
/// it does not end.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return 1,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    1
}

/// Returns what stands for a piece where its value does not count.
fn mask(piece: &str) -> &str {
    match piece.chars().next() {
        Some('"') if piece.len() > 1 => "\"…\"",
        Some('@') if piece.len() > 1 => "@…",
        Some(c) if c.is_ascii_digit() => "0",
        _ => piece,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn changed(step: u32, before: &str, after: &str) -> ChangedText {
        let tokens = (before.len() as u64, after.len() as u64);
        let (before, after) = (before.to_owned(), after.to_owned());
        ChangedText { trace: "shop/lamp".to_owned(), strategy: "lens/full".to_owned(), step, before, after, tokens }
    }

    #[test]
    fn one_change_of_a_formatter_is_one_group_however_many_steps_it_touches() {
        let page = |step: u32, word: &str| {
            (0..40).map(|row| format!("  - {word} \"Lamp {row} of {step}\" @e{row}\n")).collect::<String>()
        };
        let changes: Vec<_> = (0..400).map(|step| changed(step, &page(step, "button"), &page(step, "btn"))).collect();
        let groups = group_changes(&changes);
        assert_eq!(groups.len(), 1, "{groups:?}");
        let group = &groups[0];
        assert_eq!((group.removed.as_str(), group.added.as_str()), ("button", "btn"));
        assert_eq!((group.steps, group.places), (400, 16_000));
        assert!(group.example.diff.starts_with("-  - button \"Lamp 0 of 0\" @e0\n"), "{}", group.example.diff);
        assert!(group.tokens.1 < group.tokens.0);
    }

    #[test]
    fn edits_of_two_kinds_in_the_same_steps_are_two_groups() {
        let changes = [
            changed(0, "- link \"A\" @e1 [open]\n- text 5\n", "- link \"A\" @e1 (open)\n- text 5\n"),
            changed(1, "- link \"B\" @e2 [open]\n- text 5\n", "- link \"B\" @e2 (open)\n- text 7\n"),
        ];
        let groups: Vec<_> =
            group_changes(&changes).into_iter().map(|group| (group.removed, group.added, group.steps)).collect();
        assert_eq!(
            groups,
            [("[".into(), "(".into(), 2), ("]".into(), ")".into(), 2), ("0".into(), "0".into(), 1)]
                as [(String, String, u32); 3]
        );
    }

    #[test]
    fn a_line_that_came_is_told_without_its_values() {
        let groups = group_changes(&[changed(0, "- main\n", "- main\n  - alert \"Card 41 refused\"\n")]);
        assert_eq!((groups[0].removed.as_str(), groups[0].added.as_str()), ("", "  - alert \"…\"\n"));
        assert_eq!(groups[0].example.diff, "+  - alert \"Card 41 refused\"");
    }

    #[test]
    fn equal_texts_are_in_no_group_and_huge_ones_are_told_in_bounded_work() {
        assert_eq!(group_changes(&[changed(0, "same\n", "same\n")]), []);
        let lines = |word: &str| format!("{word} a b c d e f\n").repeat(5_000);
        let groups = group_changes(&[changed(0, &lines("x"), &lines("y"))]);
        assert_eq!((groups.len(), groups[0].removed.as_str()), (1, "(many lines)"));
        assert!(groups[0].example.diff.contains("… 4994 more lines"), "{}", groups[0].example.diff);
    }

    const TEXT: &str = "[a-c\"@0-2 \\n\\[\\]é]{0,40}";

    proptest! {
        #[test]
        fn whatever_changed_is_in_a_group_and_order_does_not_matter(
            texts in prop::collection::vec((TEXT, TEXT), 1..6),
        ) {
            let pairs = texts.iter().enumerate();
            let mut changes: Vec<_> =
                pairs.map(|(step, (before, after))| changed(step as u32, before, after)).collect();
            let groups = group_changes(&changes);
            let differ = texts.iter().any(|(before, after)| before != after);
            prop_assert_eq!(differ, !groups.is_empty());
            changes.reverse();
            prop_assert_eq!(group_changes(&changes), groups);
        }

        #[test]
        fn pieces_join_to_the_text(text in "\\PC{0,60}|[\"@\\\\0-9a-f \\n]{0,60}") {
            prop_assert_eq!(pieces(&text).concat(), text);
        }
    }
}
