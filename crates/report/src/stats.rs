//! Statistics over scenarios: averages, ratios, paired bootstrap intervals. Pure functions of
//! numbers.
//!
//! In: one value a scenario. Out: an [`Estimate`]: the statistic, its 95 % interval and how many
//! scenarios it is made of. Formulas, with n scenarios, x the value of each, a and b the tokens of
//! two strategies on the same scenario:
//! - *macro average*: Σ x ÷ n. Every scenario weighs the same, however many steps it has.
//! - *geometric mean of ratios*: exp(Σ ln(a ÷ b) ÷ n).
//! - *share of sums*: Σ part ÷ Σ whole, where the number shown is that share and not an average.
//! - *paired difference*: Σ (x − y) ÷ n, x and y of two strategies on the same scenario.
//! - *interval*: [`RESAMPLES`] times, n scenarios are drawn with replacement and the statistic is
//!   made of them; the interval runs from the 251st smallest to the 251st largest (percentile
//!   bootstrap). The draws depend on n alone, so that all strategies are compared on the same ones.
//!
//! What an interval is not: our scenarios were chosen, not drawn from the web. It says how much the
//! statistic hangs on single scenarios. Fewer than two scenarios have no interval. Equal values
//! have an interval without width; few scenarios have one that is too narrow.

use crate::share::Share;
use browserlens_core::sync::locked;
use browserlens_replay::SplitMix64;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

/// How often scenarios are drawn again.
pub const RESAMPLES: usize = 10_000;
/// Seed of the draws.
const SEED: u64 = 0x0b5e_17e5_ca1e_5eed;
/// How many resamples lie beyond the interval on each side: 2.5 %.
const TAIL: usize = RESAMPLES / 40;

/// A statistic over scenarios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The statistic.
    pub value: f64,
    /// Its 95 % interval; none of fewer than two scenarios.
    pub interval: Option<(f64, f64)>,
    /// How many scenarios it is made of.
    pub n: usize,
}

impl Estimate {
    /// Returns the macro average of one value a scenario; none of nothing.
    pub fn average(values: &[f64]) -> Option<Self> {
        Some(Self { value: mean(values)?, interval: interval(values), n: values.len() })
    }

    /// Returns the geometric mean of a ÷ b, a pair a scenario; none of nothing, and none if any of
    /// the numbers is 0.
    pub fn ratio(pairs: &[(u64, u64)]) -> Option<Self> {
        if pairs.iter().any(|(a, b)| *a == 0 || *b == 0) {
            return None;
        }
        let logarithms: Vec<f64> = pairs.iter().map(|(a, b)| (*a as f64 / *b as f64).ln()).collect();
        let average = Self::average(&logarithms)?;
        let interval = average.interval.map(|(low, high)| (low.exp(), high.exp()));
        Some(Self { value: average.value.exp(), interval, n: average.n })
    }

    /// Returns the share Σ part ÷ Σ whole, a part and a whole a scenario; none of nothing.
    pub fn share(parts: &[Share]) -> Option<Self> {
        let share_of = |drawn: &mut dyn Iterator<Item = usize>| {
            let mut sum = Share::default();
            drawn.for_each(|at| sum.add(parts[at].part, parts[at].whole));
            sum.value()
        };
        let value = share_of(&mut (0..parts.len()))?;
        let ends = resampled(parts.len(), |drawn| share_of(&mut drawn.iter().copied()).unwrap_or(value));
        Some(Self { value, interval: ends, n: parts.len() })
    }

    /// Returns the average of a − b, a pair a scenario; none of nothing.
    pub fn difference(pairs: &[(f64, f64)]) -> Option<Self> {
        Self::average(&pairs.iter().map(|(a, b)| a - b).collect::<Vec<_>>())
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn interval(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|value| value.to_bits() == values[0].to_bits()) {
        return Some((values[0], values[0]));
    }
    resampled(values.len(), |drawn| drawn.iter().map(|at| values[*at]).sum::<f64>() / values.len() as f64)
}

/// Draws scenarios again and again and returns the ends between which 95 % of their statistics lie;
/// none of fewer than two.
pub(crate) fn resampled(n: usize, statistic: impl Fn(&[usize]) -> f64) -> Option<(f64, f64)> {
    if n < 2 {
        return None;
    }
    let mut found: Vec<f64> = draws(n).chunks_exact(n).map(statistic).collect();
    let (_, low, above) = found.select_nth_unstable_by(TAIL, f64::total_cmp);
    let low = *low;
    let (_, high, _) = above.select_nth_unstable_by(RESAMPLES - 2 - 2 * TAIL, f64::total_cmp);
    Some((low, *high))
}

/// Returns which scenarios each resample is made of, one resample after the other; they depend on n
/// alone and are drawn once.
fn draws(n: usize) -> Arc<[usize]> {
    static KNOWN: LazyLock<Mutex<BTreeMap<usize, Arc<[usize]>>>> = LazyLock::new(Mutex::default);
    let mut known = locked(&KNOWN);
    let drawn = known.entry(n).or_insert_with(|| {
        let mut random = SplitMix64::new(SEED);
        (0..RESAMPLES * n).map(|_| random.below(n)).collect()
    });
    Arc::clone(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    #[test]
    fn averages_and_ratios_match_hand_worked_numbers() {
        // (1 + 0.5 + 0) ÷ 3.
        assert!(close(Estimate::average(&[1.0, 0.5, 0.0]).unwrap().value, 0.5));
        // √(0.5 × 0.125) = 0.25; ratios of sums would give 150 ÷ 900.
        let ratio = Estimate::ratio(&[(50, 100), (100, 800)]).unwrap();
        assert!(close(ratio.value, 0.25) && ratio.n == 2);
        // (0.2 + 0.4) ÷ 2.
        assert!(close(Estimate::difference(&[(0.9, 0.7), (0.6, 0.2)]).unwrap().value, 0.3));
    }

    #[test]
    fn the_interval_of_two_scenarios_is_worked_by_hand() {
        // Four equally likely resamples of {0, 1}: means 0, ½, ½, 1; more than 2.5 % of them are 0,
        // as many are 1.
        assert_eq!(Estimate::average(&[0.0, 1.0]).unwrap().interval, Some((0.0, 1.0)));
        // Five scenarios, one of them 1: a resample has none of them with (4 ÷ 5)⁵ = 33 %; three or
        // more with 5.8 %, four or more with 0.67 %.
        let (low, high) = Estimate::average(&[0.0, 0.0, 1.0, 0.0, 0.0]).unwrap().interval.unwrap();
        assert!(close(low, 0.0) && close(high, 0.6), "{low} {high}");
        // The ends of a ratio's interval are those of its logarithms: the four resamples of {¼, 1}
        // give ¼, ½, ½, 1.
        let (low, high) = Estimate::ratio(&[(1, 4), (7, 7)]).unwrap().interval.unwrap();
        assert!(close(low, 0.25) && close(high, 1.0), "{low} {high}");
    }

    #[test]
    fn the_share_of_sums_is_drawn_by_scenario() {
        let parts = [Share { part: 0, whole: 10 }, Share { part: 30, whole: 30 }];
        let found = Estimate::share(&parts).unwrap();
        // 30 of 40; the four resamples are 0, ¾, ¾ and 1.
        assert!(close(found.value, 0.75) && found.interval == Some((0.0, 1.0)) && found.n == 2);
        let one = Estimate::share(&parts[..1]).unwrap();
        assert!(close(one.value, 0.0) && one.interval.is_none());
        assert_eq!(Estimate::share(&[]), None);
    }

    #[test]
    fn pairing_removes_what_scenarios_have_in_common() {
        // The strategies differ by 0.1 on every scenario, though scenarios differ by much more.
        let difference = Estimate::difference(&[(0.25, 0.125), (0.75, 0.625), (1.0, 0.875)]).unwrap();
        assert_eq!(difference, Estimate { value: 0.125, interval: Some((0.125, 0.125)), n: 3 });
    }

    #[test]
    fn degenerate_inputs_have_no_statistic_or_no_interval() {
        assert_eq!((Estimate::average(&[]), Estimate::ratio(&[]), Estimate::difference(&[])), (None, None, None));
        assert_eq!(Estimate::average(&[0.75]), Some(Estimate { value: 0.75, interval: None, n: 1 }));
        assert_eq!(Estimate::average(&[0.1; 7]).unwrap().interval, Some((0.1, 0.1)), "equal values do not vary");
        assert_eq!(Estimate::ratio(&[(10, 20), (0, 20)]), None, "nothing was shown: there is no ratio");
        assert_eq!(Estimate::ratio(&[(10, 0)]), None, "nothing to compare with");
        let one = Estimate::ratio(&[(10, 20)]).unwrap();
        assert!(close(one.value, 0.5) && one.interval.is_none() && one.n == 1);
    }

    #[test]
    fn an_interval_holds_its_statistic_and_is_the_same_each_time() {
        let values: Vec<f64> = (0..14).map(|n| f64::from(n * n % 11) / 10.0).collect();
        let estimate = Estimate::average(&values).unwrap();
        let (low, high) = estimate.interval.unwrap();
        assert!(low < estimate.value && estimate.value < high);
        assert_eq!(Estimate::average(&values), Some(estimate));
        // The normal approximation, ± 1.96 × s ÷ √n, is close for so many values.
        let variance = values.iter().map(|x| (x - estimate.value).powi(2)).sum::<f64>() / 14.0;
        let half = 1.96 * (variance / 14.0).sqrt();
        assert!(((high - low) / 2.0 - half).abs() < 0.02, "{low} {high} {half}");
    }
}
