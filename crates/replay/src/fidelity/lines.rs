//! The longest common subsequence of two texts' lines, and what stands between.
//!
//! In: two lists of lines. Out: how many lines are equal, and the [`Hunk`]s: runs of lines of
//! either side between equal ones. Invariant: the number of equal lines is exactly the length of a
//! longest common subsequence; no heuristic and no deadline cuts it short.
//!
//! Myers' algorithm of the `similar` crate, in linear space: 10,000 lines of which none is equal
//! take a fraction of a second.

use similar::algorithms::{Capture, diff_slices};
use similar::{Algorithm, DiffOp};
use std::collections::HashMap;
use std::ops::Range;

/// Lines of both sides that stand between equal ones; one of the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub ours: Range<usize>,
    pub recorded: Range<usize>,
}

/// What two texts have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Length of a longest common subsequence.
    pub equal: usize,
    /// What is not in it, in order.
    pub hunks: Vec<Hunk>,
}

impl Common {
    /// Compares two lists of lines.
    pub fn of(ours: &[String], recorded: &[String]) -> Self {
        // Numbers instead of texts: each line is hashed once and compared in one instruction.
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut number = |line| {
            let next = numbers.len() as u32;
            *numbers.entry(line).or_insert(next)
        };
        let ours: Vec<u32> = ours.iter().map(|line| number(line.as_str())).collect();
        let recorded: Vec<u32> = recorded.iter().map(|line| number(line.as_str())).collect();
        // As the algorithm finds them: what `similar` captures by itself is compacted for reading, and its ranges are
        // not exact.
        let mut found = Capture::new();
        let Ok(()) = diff_slices(Algorithm::Myers, &mut found, &ours, &recorded);
        let equal = found.ops().iter().filter_map(|op| match *op {
            DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
            _ => None,
        });
        let mut common = Self::default();
        let (mut our_end, mut recorded_end) = (0, 0);
        for (our_start, recorded_start, length) in equal.chain([(ours.len(), recorded.len(), 0)]) {
            // An empty run at the end closes the last hunk.
            let hunk = Hunk { ours: our_end..our_start, recorded: recorded_end..recorded_start };
            if !hunk.ours.is_empty() || !hunk.recorded.is_empty() {
                common.hunks.push(hunk);
            }
            common.equal += length;
            (our_end, recorded_end) = (our_start + length, recorded_start + length);
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    /// The textbook's table: slow and obvious.
    fn slow(ours: &[String], recorded: &[String]) -> usize {
        let mut table = vec![vec![0; recorded.len() + 1]; ours.len() + 1];
        for (i, left) in ours.iter().enumerate() {
            for (j, right) in recorded.iter().enumerate() {
                table[i + 1][j + 1] =
                    if left == right { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[ours.len()][recorded.len()]
    }

    #[test]
    fn textbook_examples_come_out_as_in_the_textbook() {
        for (ours, recorded, equal) in [
            ("ABCBDAB", "BDCABA", 4),
            ("AGGTAB", "GXTXAYB", 4),
            ("ABC", "ABC", 3),
            ("ABC", "XYZ", 0),
            ("", "ABC", 0),
            ("ABC", "", 0),
            ("", "", 0),
        ] {
            assert_eq!(Common::of(&lines(ours), &lines(recorded)).equal, equal, "{ours} {recorded}");
        }
    }

    #[test]
    fn what_differs_stands_in_hunks_between_equal_lines() {
        let common = Common::of(&lines("aXbcYZ"), &lines("abQcR"));
        assert_eq!(common.equal, 3);
        let hunk = |ours, recorded| Hunk { ours, recorded };
        assert_eq!(common.hunks, [hunk(1..2, 1..1), hunk(3..3, 2..3), hunk(4..6, 4..5)]);
    }

    #[test]
    fn many_lines_without_a_common_one_are_compared_to_the_end() {
        let ours: Vec<String> = (0..1_200).map(|at| format!("ours {at}")).collect();
        let mut recorded: Vec<String> = (0..1_200).map(|at| format!("recorded {at}")).collect();
        assert_eq!(Common::of(&ours, &recorded).equal, 0);
        recorded[1_199].clone_from(&ours[0]);
        assert_eq!(Common::of(&ours, &recorded).equal, 1);
    }

    proptest! {
        #[test]
        fn equal_lines_are_as_many_as_the_slow_table_says(ours in "[abcd]{0,40}", recorded in "[abcde]{0,40}") {
            let (ours, recorded) = (lines(&ours), lines(&recorded));
            let common = Common::of(&ours, &recorded);
            prop_assert_eq!(common.equal, slow(&ours, &recorded));
            let (mut left, mut right): (usize, usize) = (0, 0);
            for hunk in &common.hunks {
                prop_assert_eq!(hunk.ours.start - left, hunk.recorded.start - right);
                prop_assert_eq!(&ours[left..hunk.ours.start], &recorded[right..hunk.recorded.start]);
                (left, right) = (hunk.ours.end, hunk.recorded.end);
            }
            prop_assert_eq!(&ours[left..], &recorded[right..]);
        }
    }
}
