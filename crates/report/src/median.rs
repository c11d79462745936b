//! Small statistics with one definition each.

/// Returns the median: the middle value, or the mean of the two in the middle; none of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = u64>) -> Option<f64> {
    let mut values: Vec<u64> = values.into_iter().collect();
    values.sort_unstable();
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 { Some(upper as f64) } else { Some((values[middle - 1] as f64 + upper as f64) / 2.0) }
}

/// Returns the arithmetic mean; none of nothing.
pub(crate) fn mean(values: impl IntoIterator<Item = u64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0_u128, 0_u64), |(sum, n), value| (sum + u128::from(value), n + 1));
    (count > 0).then(|| sum as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_the_middle_or_the_mean_of_two() {
        assert_eq!(median([]), None);
        assert_eq!(median([7]), Some(7.0));
        assert_eq!(median([9, 1, 5]), Some(5.0));
        assert_eq!(median([9, 1, 5, 2]), Some(3.5));
    }

    #[test]
    fn means_are_sums_over_counts() {
        assert_eq!(mean([]), None);
        assert_eq!(mean([100, 200, 600]), Some(300.0));
    }
}
