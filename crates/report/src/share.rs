//! A part of a whole: counts that stay counts until they are printed.

/// A part of a whole, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many of them.
    pub part: u64,
    /// Of how many.
    pub whole: u64,
}

impl Share {
    /// Returns the share between 0 and 1; none of nothing.
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }

    /// Returns the 95 % interval of Wilson; none of nothing. Shape: lower and upper end, between 0
    /// and 1.
    ///
    /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    /// inference", 1927. It holds where a share is near 0 or 1 and counts are small.
    pub fn wilson(self) -> Option<(f64, f64)> {
        const Z: f64 = 1.959_963_984_540_054;
        let (share, n) = (self.value()?, self.whole as f64);
        let shrink = 1.0 + Z * Z / n;
        let centre = (share + Z * Z / (2.0 * n)) / shrink;
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / shrink;
        let low = if self.part == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if self.part == self.whole { 1.0 } else { (centre + half).min(1.0) };
        Some((low, high))
    }

    pub(crate) fn add(&mut self, part: u64, whole: u64) {
        self.part += part;
        self.whole += whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilsons_interval_is_that_of_the_books() {
        let interval = |part, whole| {
            let (low, high) = Share { part, whole }.wilson().expect("of something");
            ((low * 1e4).round() / 1e4, (high * 1e4).round() / 1e4)
        };
        // R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I,
        // method 3.
        assert_eq!(interval(81, 263), (0.2553, 0.3662));
        assert_eq!(interval(15, 148), (0.0624, 0.1605));
        assert_eq!(interval(0, 20), (0.0, 0.1611));
        assert_eq!(interval(1, 29), (0.0061, 0.1718));
        assert_eq!(Share { part: 0, whole: 0 }.wilson(), None);
    }
}
