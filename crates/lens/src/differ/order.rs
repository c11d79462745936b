//! The longest increasing subsequence: which of some reordered siblings need not be said to have
//! moved.
//!
//! In: positions, all different. Out: whether each belongs to one longest increasing subsequence.
//! Invariant: O(n log n).

/// Marks one longest increasing subsequence.
pub(super) fn longest_increasing(positions: &[u32]) -> Vec<bool> {
    if positions.is_sorted() {
        return vec![true; positions.len()];
    }
    // Index of the smallest last position of an increasing subsequence, by its length less one.
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; positions.len()];
    for (index, position) in positions.iter().enumerate() {
        let length = tails.partition_point(|tail| positions[*tail] < *position);
        if length > 0 {
            before[index] = tails[length - 1];
        }
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut marked = vec![false; positions.len()];
    let mut at = tails.last().copied();
    while let Some(index) = at {
        marked[index] = true;
        at = Some(before[index]).filter(|index| *index != usize::MAX);
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::longest_increasing;

    #[test]
    fn only_what_jumped_has_moved() {
        assert_eq!(longest_increasing(&[0, 1, 2]), [true, true, true]);
        assert_eq!(longest_increasing(&[3, 0, 1, 2]), [false, true, true, true]);
        assert_eq!(longest_increasing(&[1, 2, 3, 0]), [true, true, true, false]);
        assert_eq!(longest_increasing(&[2, 1, 0]).iter().filter(|kept| **kept).count(), 1);
        assert!(longest_increasing(&[]).is_empty());
    }
}
