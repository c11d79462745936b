//! How much of what was taken away was found again.
//!
//! In: the actions that were removed, and those that were inferred in their place. Out: how many
//! were recovered in order: the length of their longest common subsequence. Invariant: never more
//! than were removed.

use crate::model::ActionId;
use serde::Serialize;

/// A count of removed actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// Actions that were removed.
    pub removed: usize,
    /// Of them, found again in order.
    pub recovered: usize,
    /// Actions that were inferred and had not been there.
    pub made_up: usize,
}

impl Recovered {
    /// Returns the share that was recovered, from 0 to 1; 1 of nothing.
    pub fn share(self) -> f64 {
        if self.removed == 0 { 1.0 } else { self.recovered as f64 / self.removed as f64 }
    }
}

impl std::ops::AddAssign for Recovered {
    fn add_assign(&mut self, other: Self) {
        self.removed += other.removed;
        self.recovered += other.recovered;
        self.made_up += other.made_up;
    }
}

/// Compares what was removed with what was inferred.
pub fn recovered(removed: &[ActionId], inferred: &[ActionId]) -> Recovered {
    let mut row = vec![0; inferred.len() + 1];
    for one in removed {
        let mut before = 0;
        for (at, other) in inferred.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if one == other { before + 1 } else { row[at + 1].max(row[at]) };
            before = above;
        }
    }
    let found = row[inferred.len()];
    Recovered { removed: removed.len(), recovered: found, made_up: inferred.len() - found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_order_counts() {
        let ids = |text: &str| text.chars().map(|c| ActionId(c.to_string())).collect::<Vec<_>>();
        for (removed, inferred, expected) in
            [("abc", "abc", 3), ("abc", "cba", 1), ("abc", "xaxbx", 2), ("", "a", 0), ("a", "", 0), ("aab", "ab", 2)]
        {
            let found = recovered(&ids(removed), &ids(inferred));
            assert_eq!(found.recovered, expected, "{removed} {inferred}");
            assert_eq!(found.made_up, inferred.len() - expected);
        }
        assert_eq!(recovered(&[], &[]).share(), 1.0);
    }
}
