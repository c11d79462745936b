//! Passages: the parts of a section that are ranked, and the part of it that is shown.
//!
//! In: a section's content. Out: byte ranges of it. Invariants: ranges begin and end at characters;
//! passages follow each other without a gap and together are the content; no passage is longer than
//! a limit, whatever the content; one pass over the text. Why not whole sections: a long section
//! has a word of every query in it somewhere, and its vector points nowhere.

use crate::parts::{divided, floor_boundary};
use std::ops::Range;

/// Longest unit, in bytes: a line, or a sentence of a longer line.
const LONGEST_UNIT: usize = 400;

/// Cuts a text into units: lines, long lines into sentences, long sentences at a blank, what has no
/// blanks anywhere.
pub(super) fn units(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut end = within.start;
    let units = divided(&text[within], unit_length).map(|unit| {
        let start = end;
        end += unit.len();
        start..end
    });
    units.collect()
}

/// The length of the unit that a text begins with; more than 0.
fn unit_length(rest: &str) -> usize {
    let head = &rest[..floor_boundary(rest, LONGEST_UNIT)];
    let line = head.find('\n').map(|at| at + head[at..].len() - head[at..].trim_start_matches('\n').len());
    let line_end = line.or((head.len() == rest.len()).then_some(rest.len()));
    if let Some(end) = line_end.filter(|end| *end <= LONGEST_UNIT / 2) {
        return end;
    }
    let head = &head[..line_end.unwrap_or(head.len())];
    sentence_end(head)
        .or(line_end)
        .or_else(|| head.rfind(char::is_whitespace).filter(|at| *at > 0).map(|at| at + width_at(head, at)))
        .unwrap_or(head.len())
}

/// Where the last sentence that ends in a text does, the blank after it included.
fn sentence_end(text: &str) -> Option<usize> {
    let mut end = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = at + c.len_utf8();
        match c {
            '。' | '！' | '？' | '।' | '؟' => end = Some(after),
            '.' | '!' | '?' | ';' if characters.peek().is_some_and(|(_, next)| next.is_whitespace()) => {
                end = Some(after + width_at(text, after));
                // Short sentences are units too, so that what is shown can begin and end with any.
                if after > LONGEST_UNIT / 8 {
                    return end;
                }
            }
            _ => {}
        }
        if end.is_some_and(|end| end > LONGEST_UNIT / 8) {
            return end;
        }
    }
    end
}

fn width_at(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Packs a text into passages of about `length` bytes; a text without a character is one empty
/// passage.
pub(super) fn passages(text: &str, length: usize) -> Vec<Range<usize>> {
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for unit in units(text, 0..text.len()) {
        match &mut open {
            Some(passage) if unit.end - passage.start <= length => passage.end = unit.end,
            Some(passage) => {
                passages.push(std::mem::replace(passage, unit));
            }
            None => open = Some(unit),
        }
    }
    passages.extend(open);
    if passages.is_empty() {
        passages.push(0..0);
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts<'a>(text: &'a str, ranges: &[Range<usize>]) -> Vec<&'a str> {
        ranges.iter().map(|range| &text[range.clone()]).collect()
    }

    #[test]
    fn units_are_lines_and_sentences() {
        let text = "One line\nNext line\n\nA paragraph.";
        assert_eq!(parts(text, &units(text, 0..text.len())), ["One line\n", "Next line\n\n", "A paragraph."]);
        let long = format!(
            "{} Then it ends. {}",
            "A sentence that is fairly long, to say the least of it.",
            "word ".repeat(60)
        );
        let found = units(&long, 0..long.len());
        assert_eq!(&long[found[0].clone()], "A sentence that is fairly long, to say the least of it. ");
        assert!(found.iter().all(|unit| unit.len() <= LONGEST_UNIT));
    }

    #[test]
    fn passages_hold_neighbouring_units() {
        let text = (0..40).map(|number| format!("Line number {number}\n")).collect::<String>();
        let found = passages(&text, 100);
        assert!(found.len() > 5 && found.iter().all(|passage| passage.len() <= 100));
        assert!(matches!(passages("", 100).as_slice(), [whole] if *whole == (0..0)));
    }

    #[test]
    fn ten_megabytes_without_a_blank_are_cut_too() {
        let text = "長".repeat(3_500_000);
        let found = passages(&text, 600);
        assert!(found.len() > 10_000 && found.iter().all(|passage| passage.len() <= 600));
    }

    proptest! {
        #[test]
        fn passages_are_the_text_without_gaps(text in "[a-z .\n。東é]{0,1500}", length in 1usize..700) {
            let found = passages(&text, length);
            prop_assert_eq!(found.iter().map(|range| &text[range.clone()]).collect::<String>(), text.clone());
            prop_assert!(found.iter().all(|passage| passage.len() <= length.max(LONGEST_UNIT)));
        }
    }
}
