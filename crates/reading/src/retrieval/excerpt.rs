//! What is shown of a section that is longer than its part of an answer.
//!
//! In: a section's content, and the passages of it that were found. Out: byte ranges of it.
//! Invariants: ranges begin and end at characters, are in order and do not touch; together with the
//! marks of what is left out between them they keep to a limit; what lies far from the passages is
//! not looked at.

use super::passage::units;
use crate::parts::floor_boundary;
use std::ops::Range;

/// How many bytes a mark of what is left out takes.
const MARK: usize = 4;

/// What a word is worth that is shown already, against the first time.
const AGAIN: f32 = 0.3;
/// How much of a unit's worth depends on that of its passage.
const PASSAGE: f32 = 0.5;
/// Longest piece of a text that is looked at for the beginning of a word.
const LOOKED_AT: usize = 400;

/// A passage that was found.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub range: Range<usize>,
    /// How good it is against the best one of its section, 0 to 1.
    pub worth: f32,
}

/// A line or sentence that may be shown.
struct Unit {
    range: Range<usize>,
    /// What its words are worth, each by its number.
    words: Vec<(usize, f32)>,
    /// What the passage that it stands in is worth.
    passage: f32,
    is_shown: bool,
}

/// Returns the parts of a text of at most `most` bytes that say most of what was asked for: `worth`
/// gives what a unit's words are worth, each word by its number.
pub(super) fn excerpt(
    text: &str,
    windows: &[Window],
    most: usize,
    worth: impl Fn(&str) -> Vec<(usize, f32)>,
) -> Vec<Range<usize>> {
    if text.len() <= most {
        return std::iter::once(0..text.len()).collect();
    }
    let mut units = near(text, windows, most, worth);
    let mut shown: Vec<usize> = Vec::new();
    let mut left = most;
    let mut first = None;
    // The unit that adds most, as long as one adds anything.
    while let Some((at, cost)) = next(&units, &shown, left, first) {
        for (word, _) in &units[at].words {
            if shown.len() <= *word {
                shown.resize(word + 1, 0);
            }
            shown[*word] += 1;
        }
        units[at].is_shown = true;
        left -= cost;
        first = first.or(Some(at));
    }
    let Some(first) = first else {
        // Found by what the words of no unit say.
        let start = windows.first().map_or(0, |window| window.range.start);
        return std::iter::once(start..start + floor_boundary(&text[start..], most)).collect();
    };
    spread(&mut units, first, left);
    let mut parts: Vec<Range<usize>> = Vec::new();
    for unit in units.iter().filter(|unit| unit.is_shown) {
        match parts.last_mut() {
            Some(part) if part.end == unit.range.start => part.end = unit.range.end,
            _ => parts.push(unit.range.clone()),
        }
    }
    parts
}

/// The units of the passages and of what lies around the best, in order.
fn near(text: &str, windows: &[Window], most: usize, worth: impl Fn(&str) -> Vec<(usize, f32)>) -> Vec<Unit> {
    // Around: as much as could be shown.
    let (mut at, end) = windows.first().map_or((0, 0), |best| {
        let before = floor_at_unit(text, text.floor_char_boundary(best.range.start.saturating_sub(most)));
        (before.min(best.range.start), text.floor_char_boundary(best.range.end + most))
    });
    let mut passages: Vec<&Window> = windows.iter().collect();
    passages.sort_by_key(|window| window.range.start);
    let mut ranges: Vec<(Range<usize>, f32)> = Vec::with_capacity(2 * passages.len() + 1);
    for window in passages {
        if at < window.range.start.min(end) {
            ranges.push((at..window.range.start.min(end), 0.0));
        }
        ranges.push((window.range.clone(), window.worth));
        at = at.max(window.range.end);
    }
    if at < end {
        ranges.push((at..end, 0.0));
    }
    let units =
        ranges.into_iter().flat_map(|(range, passage)| units(text, range).into_iter().map(move |unit| (unit, passage)));
    units.map(|(range, passage)| Unit { words: worth(&text[range.clone()]), range, passage, is_shown: false }).collect()
}

/// The unit that adds most, and what it costs; none if none adds anything or has room.
fn next(units: &[Unit], shown: &[usize], left: usize, first: Option<usize>) -> Option<(usize, usize)> {
    let mut best: Option<(f32, usize, usize)> = None;
    for (at, unit) in units.iter().enumerate().filter(|(_, unit)| !unit.is_shown) {
        let touches = |other: Option<&Unit>, end: bool| {
            other.is_some_and(|other| {
                other.is_shown
                    && if end { other.range.end == unit.range.start } else { other.range.start == unit.range.end }
            })
        };
        let is_next =
            touches(at.checked_sub(1).and_then(|at| units.get(at)), true) || touches(units.get(at + 1), false);
        let cost = unit.range.len() + if is_next || first.is_none() { 0 } else { MARK };
        if cost > left {
            continue;
        }
        let mut value = 0.0;
        for (nth, (word, worth)) in unit.words.iter().enumerate() {
            let before = unit.words[..nth].iter().filter(|(other, _)| other == word).count();
            let times = shown.get(*word).copied().unwrap_or_default() + before;
            value += worth * AGAIN.powi(times.min(64) as i32);
        }
        if value <= 0.0 {
            continue;
        }
        value *= 1.0 - PASSAGE + PASSAGE * unit.passage;
        if best.is_none_or(|(known, ..)| value > known) {
            best = Some((value, at, cost));
        }
    }
    best.map(|(_, at, cost)| (at, cost))
}

/// Shows what lies around the parts as long as there is room: what follows explains more often than
/// what stands before.
fn spread(units: &mut [Unit], first: usize, mut left: usize) {
    let mut order: Vec<usize> = (0..units.len()).filter(|at| units[*at].is_shown && *at != first).collect();
    order.insert(0, first);
    for start in order {
        let (mut begin, mut end) = (start, start);
        loop {
            let after =
                (end + 1 < units.len() && units[end + 1].range.start == units[end].range.end).then_some(end + 1);
            let before = (begin > 0 && units[begin - 1].range.end == units[begin].range.start).then(|| begin - 1);
            let fits = |at: usize| units[at].is_shown || units[at].range.len() <= left;
            let Some(at) = after.filter(|at| fits(*at)).or(before.filter(|at| fits(*at))) else { break };
            if !units[at].is_shown {
                left -= units[at].range.len();
                units[at].is_shown = true;
            }
            if at > end { end = at } else { begin = at }
        }
    }
}

/// The next beginning of a line or word at or after `at`, so that a part does not begin within a
/// word.
fn floor_at_unit(text: &str, at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    let window = &text[at..text.floor_char_boundary(at + LOOKED_AT)];
    window.char_indices().find(|(_, c)| c.is_whitespace()).map_or(at, |(blank, c)| at + blank + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::super::passage::passages;
    use super::*;
    use proptest::prelude::*;

    fn windows(ranges: &[Range<usize>]) -> Vec<Window> {
        let worth = |at: usize| 1.0 / (at + 1) as f32;
        ranges.iter().enumerate().map(|(at, range)| Window { range: range.clone(), worth: worth(at) }).collect()
    }

    /// A text, and the passages of it that hold one of some words.
    fn found(text: &str, words: &[&str]) -> Vec<Range<usize>> {
        passages(text, 400)
            .into_iter()
            .filter(|range| words.iter().any(|word| text[range.clone()].contains(word)))
            .collect()
    }

    #[test]
    fn an_excerpt_is_about_what_was_asked_for() {
        let text = (0..60).map(|number| format!("Sentence {number} says nothing. ")).collect::<String>();
        let text = text.replace("Sentence 31 says nothing", "Refunds take ten days");
        let worth = |unit: &str| if unit.contains("Refunds") { vec![(0, 1.0)] } else { Vec::new() };
        let parts = excerpt(&text, &windows(&found(&text, &["Refunds"])), 160, worth);
        assert_eq!(parts.len(), 1);
        let shown = &text[parts[0].clone()];
        assert!(shown.contains("Refunds take ten days. "), "{shown}");
        assert!(shown.len() <= 160 && shown.len() > 100, "{shown}");
        let whole: Vec<_> = std::iter::once(0..5).collect();
        assert_eq!(excerpt("short", &windows(&whole), 120, worth), whole);
    }

    #[test]
    fn what_stands_apart_is_shown_together() {
        let text = (0..90).map(|number| format!("row.{number}\ttext\tnothing that matters here\n")).collect::<String>();
        let text = text.replace("row.10\ttext", "colour\tred").replace("row.70\ttext", "size\tlarge");
        let worth = |unit: &str| {
            [("colour", 0), ("size", 1)]
                .into_iter()
                .filter(|(word, _)| unit.contains(word))
                .map(|(_, at)| (at, 1.0))
                .collect()
        };
        let parts = excerpt(&text, &windows(&found(&text, &["colour", "size"])), 200, worth);
        let shown: Vec<&str> = parts.iter().map(|part| &text[part.clone()]).collect();
        assert!(shown.len() == 2 && shown[0].contains("colour\tred") && shown[1].contains("size\tlarge"), "{shown:?}");
    }

    #[test]
    fn without_a_word_of_the_query_the_best_passage_is_shown() {
        let text = (0..60).map(|number| format!("Sentence {number} says nothing. ")).collect::<String>();
        let best = passages(&text, 400)[2].clone();
        assert_eq!(
            excerpt(&text, &windows(std::slice::from_ref(&best)), 100, |_| Vec::new()),
            std::iter::once(best.start..best.start + 100).collect::<Vec<_>>()
        );
    }

    #[test]
    fn ten_megabytes_are_not_looked_through() {
        let text = "長".repeat(3_500_000);
        let all = passages(&text, 600);
        let parts = excerpt(&text, &windows(&all[all.len() / 2..][..1]), 300, |_| vec![(0, 1.0)]);
        assert!(parts.iter().map(Range::len).sum::<usize>() <= 300);
    }

    proptest! {
        #[test]
        fn an_excerpt_keeps_to_its_limit(
            text in "[a-z .\n。東é]{0,1500}",
            length in 50usize..700,
            most in 8usize..900,
            picks in prop::collection::vec(0usize..99, 1..4),
            worthless in any::<bool>(),
        ) {
            let all = passages(&text, length);
            let mut picked: Vec<usize> = picks.iter().map(|pick| pick % all.len()).collect();
            picked.dedup();
            let mut ranges: Vec<Range<usize>> = Vec::new();
            for at in picked {
                if !ranges.contains(&all[at]) {
                    ranges.push(all[at].clone());
                }
            }
            let bytes = |unit: &str| unit.bytes().map(|byte| (usize::from(byte), 1.0)).collect();
            let worth = |unit: &str| if worthless { Vec::new() } else { bytes(unit) };
            let parts = excerpt(&text, &windows(&ranges), most, worth);
            let length: usize = parts.iter().map(Range::len).sum::<usize>() + MARK * parts.len().saturating_sub(1);
            prop_assert!(length <= most, "{} {:?}", length, parts);
            prop_assert!(text.is_empty() || length > 0);
            prop_assert!(parts.windows(2).all(|pair| pair[0].end < pair[1].start));
            prop_assert!(parts.iter().all(|part| text.get(part.clone()).is_some()));
        }
    }
}
