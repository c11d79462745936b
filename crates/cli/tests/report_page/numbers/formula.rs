//! The formulas of METHODOLOGY.md, written once more: averages, ratios, intervals, and how numbers
//! are spelled.
//!
//! Nothing of `browserlens-report` or of `browserlens-replay` is used here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What stands where there is no number.
pub const NONE: &str = "–";

/// A statistic over scenarios: its value, its 95 % interval, of how many scenarios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistic {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    pub n: usize,
}

const RESAMPLES: usize = 10_000;

thread_local! {
    /// Which scenarios each resample draws, by their number.
    static DRAWS: RefCell<HashMap<usize, Rc<Vec<usize>>>> = RefCell::default();
    /// Averages that were made, by the bits of their values: several tables show the same ones.
    static AVERAGES: RefCell<HashMap<Vec<u64>, Statistic>> = RefCell::default();
}

/// Returns a statistic of every resample, sorted.
fn resampled(n: usize, of: impl Fn(&[usize]) -> f64) -> Vec<f64> {
    let drawn = DRAWS.with_borrow_mut(|known| Rc::clone(known.entry(n).or_insert_with(|| Rc::new(draws(n)))));
    let mut found: Vec<f64> = drawn.chunks(n).map(of).collect();
    found.sort_unstable_by(f64::total_cmp);
    found
}

/// SplitMix64 from the seed that the report names; a number below n is the upper half of bits × n.
fn draws(n: usize) -> Vec<usize> {
    let mut state = 0x0b5e_17e5_ca1e_5eed_u64;
    let draw = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((u128::from(bits) * n as u128) >> 64) as usize
    };
    (0..RESAMPLES * n).map(draw).collect()
}

/// Σ x ÷ n with its percentile bootstrap interval; none of nothing.
pub fn average(values: &[f64]) -> Option<Statistic> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let value = values.iter().sum::<f64>() / n as f64;
    if n == 1 {
        return Some(Statistic { value, interval: None, n });
    }
    if values.iter().all(|other| other == &values[0]) {
        return Some(Statistic { value, interval: Some((values[0], values[0])), n });
    }
    let key: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
    if let Some(known) = AVERAGES.with_borrow(|known| known.get(&key).copied()) {
        return Some(known);
    }
    let means = resampled(n, |one| one.iter().map(|at| values[*at]).sum::<f64>() / n as f64);
    // 2.5 % of the resamples lie beyond each end: the 251st smallest, the 251st largest.
    let found = Statistic { value, interval: Some((means[250], means[RESAMPLES - 251])), n };
    AVERAGES.with_borrow_mut(|known| known.insert(key, found));
    Some(found)
}

/// exp(Σ ln(a ÷ b) ÷ n); none of nothing, and none where any number is 0.
pub fn ratio_of(pairs: &[(u64, u64)]) -> Option<Statistic> {
    if pairs.iter().any(|(a, b)| a * b == 0) {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|(a, b)| (*a as f64 / *b as f64).ln()).collect();
    let found = average(&logs)?;
    let interval = found.interval.map(|(low, high)| (low.exp(), high.exp()));
    Some(Statistic { value: found.value.exp(), interval, n: found.n })
}

/// The interval of Σ part ÷ Σ whole, scenarios drawn as for averages.
pub fn share_interval(parts: &[(u64, u64)]) -> Option<(f64, f64)> {
    let n = parts.len();
    if n < 2 {
        return None;
    }
    let share = |one: &[usize]| {
        let (part, whole) = one.iter().fold((0, 0), |sum, at| (sum.0 + parts[*at].0, sum.1 + parts[*at].1));
        part as f64 / whole as f64
    };
    let shares = resampled(n, share);
    Some((shares[250], shares[RESAMPLES - 251]))
}

/// Spearman's ρ, ties by the mean of their ranks, with its percentile bootstrap interval: a resample
/// without an order counts as 0. None of fewer than three pairs, or without an order on a side.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<Statistic> {
    let n = pairs.len();
    let value = if n < 3 { None } else { rho(pairs) }?;
    let resample = |one: &[usize]| rho(&one.iter().map(|at| pairs[*at]).collect::<Vec<_>>()).unwrap_or(0.0);
    let found = resampled(n, resample);
    Some(Statistic { value, interval: Some((found[250], found[RESAMPLES - 251])), n })
}

fn rho(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranked = |side: Vec<f64>| -> Vec<f64> {
        let mut sorted = side.clone();
        sorted.sort_by(f64::total_cmp);
        let place = |value: &f64| {
            let first = sorted.iter().position(|other| other == value).unwrap_or(0) + 1;
            let last = sorted.iter().rposition(|other| other == value).unwrap_or(0) + 1;
            (first + last) as f64 / 2.0
        };
        side.iter().map(place).collect()
    };
    let a = ranked(pairs.iter().map(|pair| pair.0).collect());
    let b = ranked(pairs.iter().map(|pair| pair.1).collect());
    let middle = (a.len() as f64 + 1.0) / 2.0;
    let moment = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    let spread = (moment(&a, &a) * moment(&b, &b)).sqrt();
    (spread > 0.0).then(|| moment(&a, &b) / spread)
}

pub fn mean(values: &[u64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<u64>() as f64 / values.len() as f64)
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[u64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let n = sorted.len();
    match n {
        0 => None,
        n if n % 2 == 1 => Some(sorted[n / 2] as f64),
        n => Some((sorted[n / 2 - 1] + sorted[n / 2]) as f64 / 2.0),
    }
}

/// The nearest rank: the smallest value that at least `percent` of them do not exceed.
pub fn percentile(values: &[u64], percent: usize) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// The interval of Wilson of a share, 95 %.
pub fn wilson(part: u64, whole: u64) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let (p, n, z) = (part as f64 / whole as f64, whole as f64, 1.959_963_984_540_054_f64);
    let denominator = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / denominator;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / denominator;
    Some((if part == 0 { 0.0 } else { centre - half }, if part == whole { 1.0 } else { centre + half }))
}

/// A comma every three digits.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let lead = digits.len() % 3;
    let mut groups: Vec<&str> = Vec::new();
    if lead > 0 {
        groups.push(&digits[..lead]);
    }
    groups.extend((lead..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.join(",")
}

pub fn rounded(value: f64) -> String {
    thousands(value.round() as u64)
}

pub fn rounded_or_none(value: Option<f64>) -> String {
    value.map_or(NONE.to_owned(), rounded)
}

/// One decimal; 100.0 and 0.0 only of all and nothing.
pub fn percent_of(share: f64) -> String {
    match share {
        share if share >= 1.0 => "100.0".to_owned(),
        share if share <= 0.0 => "0.0".to_owned(),
        share => format!("{:.1}", (share * 100.0).clamp(0.1, 99.9)),
    }
}

pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { NONE.to_owned() } else { percent_of(part as f64 / whole as f64) }
}

pub fn range(range: Option<(f64, f64)>) -> String {
    range.map_or(NONE.to_owned(), |(low, high)| format!("{}–{}", percent_of(low), percent_of(high)))
}

pub fn fraction(part: u64, whole: u64) -> String {
    format!("{}/{}", thousands(part), thousands(whole))
}

pub fn ratio(value: f64) -> String {
    if value < 0.095 {
        format!("{value:.3}×")
    } else if value < 999.5 {
        format!("{value:.2}×")
    } else {
        format!("{}×", rounded(value))
    }
}

pub fn ratio_or_none(found: Option<Statistic>) -> String {
    found.map_or(NONE.to_owned(), |found| ratio(found.value))
}

pub fn ratio_range(found: Option<Statistic>) -> String {
    let interval = found.and_then(|found| found.interval);
    interval.map_or(NONE.to_owned(), |(low, high)| format!("{}–{}", ratio(low).trim_end_matches('×'), ratio(high)))
}

/// Percentage points with their sign.
pub fn points(found: Option<Statistic>) -> String {
    let signed = |value: f64| {
        let tenths = (value * 1_000.0).round() as i64;
        let sign = ["−", "", "+"][(tenths.signum() + 1) as usize];
        format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
    };
    match found {
        None => NONE.to_owned(),
        Some(Statistic { value, interval: None, .. }) => signed(value),
        Some(Statistic { value, interval: Some((low, high)), .. }) => {
            format!("{} ({} to {})", signed(value), signed(low), signed(high))
        }
    }
}

/// Microseconds as milliseconds with two decimals.
pub fn milliseconds(micros: Option<f64>) -> String {
    let Some(micros) = micros else { return NONE.to_owned() };
    let hundredths = (micros / 10.0).round() as u64;
    format!("{}.{:02}", thousands(hundredths / 100), hundredths % 100)
}

/// Every number in a text, as it is spelled: digits with the commas and the point within.
pub fn numbers_in(text: &str) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let from = at;
        while at < chars.len()
            && (chars[at].is_ascii_digit()
                || (matches!(chars[at], ',' | '.') && chars.get(at + 1).is_some_and(char::is_ascii_digit)))
        {
            at += 1;
        }
        numbers.push(chars[from..at].iter().collect());
    }
    numbers
}

#[test]
fn formulas_match_numbers_worked_by_hand() {
    assert_eq!(average(&[1.0, 0.5, 0.0]).map(|found| (found.value, found.n)), Some((0.5, 3)));
    assert_eq!(average(&[0.0, 1.0]).and_then(|found| found.interval), Some((0.0, 1.0)));
    assert!((ratio_of(&[(50, 100), (100, 800)]).map_or(0.0, |found| found.value) - 0.25).abs() < 1e-12);
    assert_eq!(ratio_of(&[(10, 20), (0, 20)]), None);
    assert_eq!(
        (median(&[9, 1, 5]), median(&[9, 1, 5, 2]), percentile(&[4, 3, 2, 1], 95)),
        (Some(5.0), Some(3.5), Some(4))
    );
    // Newcombe 1998, table I, method 3: 81 of 263.
    let (low, high) = wilson(81, 263).expect("an interval");
    assert_eq!((percent_of(low), percent_of(high)), ("25.5".to_owned(), "36.6".to_owned()));
    assert_eq!(thousands(1_234_567) + &thousands(999), "1,234,567999");
    assert_eq!(numbers_in("1,050 of 12.5 %, and 3. Then v2"), ["1,050", "12.5", "3", "2"]);
}
