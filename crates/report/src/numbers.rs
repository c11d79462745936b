//! How numbers are printed: one spelling for the terminal, Markdown, charts and the page.
//!
//! Invariant: a share prints as 100.0 only if it is whole and as 0.0 only if it is nothing.

use crate::{Estimate, Share};

/// What stands where there is no number.
pub(crate) const NONE: &str = "–";

/// Writes an integer with a comma every three digits.
pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes a non-negative number rounded to an integer, with separators.
pub(crate) fn rounded(value: f64) -> String {
    thousands(value.round().max(0.0) as u64)
}

/// Writes an optional number with [`rounded`].
pub(crate) fn rounded_or_none(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), rounded)
}

/// Writes a share in percent with one decimal.
pub(crate) fn percent(share: Share) -> String {
    share.value().map_or_else(|| NONE.to_owned(), share_in_percent)
}

/// Writes a number between 0 and 1 in percent with one decimal.
pub(crate) fn share_in_percent(value: f64) -> String {
    if value >= 1.0 {
        "100.0".to_owned()
    } else if value <= 0.0 {
        "0.0".to_owned()
    } else {
        format!("{:.1}", (value * 100.0).clamp(0.1, 99.9))
    }
}

/// Writes an average of shares in percent with one decimal.
pub(crate) fn average(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| NONE.to_owned(), |estimate| share_in_percent(estimate.value))
}

/// Writes the interval of an average of shares in percent with one decimal: `42.9–100.0`.
pub(crate) fn percent_interval(estimate: Option<Estimate>) -> String {
    percent_range(estimate.and_then(|estimate| estimate.interval))
}

/// Writes a range of shares in percent with one decimal: `42.9–100.0`.
pub(crate) fn percent_range(range: Option<(f64, f64)>) -> String {
    range.map_or_else(|| NONE.to_owned(), |(low, high)| format!("{}–{}", share_in_percent(low), share_in_percent(high)))
}

/// Writes the interval of a ratio: `0.12–0.38×`.
pub(crate) fn ratio_interval(estimate: Option<Estimate>) -> String {
    let Some((low, high)) = estimate.and_then(|estimate| estimate.interval) else { return NONE.to_owned() };
    format!("{}–{}", ratio(Some(low)).trim_end_matches('×'), ratio(Some(high)))
}

/// Writes a difference of averages in percentage points with its sign and interval:
/// `+4.2 (−1.0 to +9.5)`.
pub(crate) fn points(estimate: Option<Estimate>) -> String {
    let Some(estimate) = estimate else { return NONE.to_owned() };
    let signed = |value: f64| {
        let tenths = (value * 1_000.0).round();
        let sign = match tenths {
            tenths if tenths > 0.0 => "+",
            tenths if tenths < 0.0 => "−",
            _ => "",
        };
        format!("{sign}{:.1}", tenths.abs() / 10.0)
    };
    match estimate.interval {
        Some((low, high)) => format!("{} ({} to {})", signed(estimate.value), signed(low), signed(high)),
        None => signed(estimate.value),
    }
}

/// Writes a share as a fraction.
pub(crate) fn fraction(share: Share) -> String {
    format!("{}/{}", thousands(share.part), thousands(share.whole))
}

/// Writes a ratio with two decimals, with three where two would hide most of it.
pub(crate) fn ratio(value: Option<f64>) -> String {
    match value {
        None => NONE.to_owned(),
        Some(value) if value < 0.095 => format!("{value:.3}×"),
        Some(value) if value < 999.5 => format!("{value:.2}×"),
        Some(value) => format!("{}×", rounded(value)),
    }
}

/// Writes microseconds as milliseconds with two decimals.
pub(crate) fn milliseconds(micros: Option<f64>) -> String {
    let Some(micros) = micros else { return NONE.to_owned() };
    let hundredths = (micros / 10.0).round().max(0.0) as u64;
    format!("{}.{:02}", thousands(hundredths / 100), hundredths % 100)
}

/// Writes a token count in at most four characters or so, for axes: `950`, `1.5k`, `20k`, `3M`.
pub(crate) fn compact(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v >= 999_500.0 => (v / 1e6, "M"),
        v if v >= 999.5 => (v / 1e3, "k"),
        v => (v, ""),
    };
    if scaled < 9.95 && (scaled - scaled.round()).abs() > 0.05 {
        format!("{scaled:.1}{unit}")
    } else {
        format!("{scaled:.0}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_get_a_comma_every_three_digits() {
        let spelled = [0, 7, 999, 1_000, 12_345, 1_234_567].map(thousands);
        assert_eq!(spelled, ["0", "7", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn shares_never_round_to_all_or_nothing() {
        let spelled = |part, whole| percent(Share { part, whole });
        assert_eq!(spelled(9_999, 10_000), "99.9");
        assert_eq!(spelled(1, 10_000), "0.1");
        assert_eq!(spelled(2, 3), "66.7");
        assert_eq!((spelled(3, 3), spelled(0, 3), spelled(0, 0)), ("100.0".into(), "0.0".into(), "–".into()));
    }

    #[test]
    fn estimates_are_written_with_their_intervals() {
        let estimate = |value, low, high| Some(Estimate { value, interval: Some((low, high)), n: 14 });
        assert_eq!(average(estimate(0.9999, 0.9, 1.0)), "99.9");
        assert_eq!(percent_interval(estimate(0.75, 0.4286, 0.9999)), "42.9–99.9");
        assert_eq!(percent_interval(estimate(1.0, 1.0, 1.0)), "100.0–100.0");
        assert_eq!(ratio_interval(estimate(0.2, 0.123, 0.4)), "0.12–0.40×");
        assert_eq!(points(estimate(0.042, -0.01, 0.095)), "+4.2 (−1.0 to +9.5)");
        let single = Some(Estimate { value: 0.0, interval: None, n: 1 });
        assert_eq!(
            [percent_interval(single), ratio_interval(single), points(single), points(None)],
            ["–", "–", "0.0", "–"]
        );
    }

    #[test]
    fn ratios_times_and_axis_labels_keep_what_matters() {
        assert_eq!(
            [0.0123, 0.5, 12.0, 4_321.0].map(|value| ratio(Some(value))),
            ["0.012×", "0.50×", "12.00×", "4,321×"]
        );
        assert_eq!([4.0, 840.0, 1_234_560.0].map(|micros| milliseconds(Some(micros))), ["0.00", "0.84", "1,234.56"]);
        assert_eq!([950.0, 1_000.0, 1_500.0, 20_000.0, 2_000_000.0].map(compact), ["950", "1k", "1.5k", "20k", "2M"]);
    }
}
