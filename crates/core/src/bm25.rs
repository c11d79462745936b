//! Okapi BM25: how much a text has of the words of a query.
//!
//! In: texts as their words. Out: a score each. Invariant: deterministic: sums go in the order of
//! the words.

use std::collections::HashMap;

/// How soon more of a word stops counting.
const K1: f64 = 1.2;
/// How much long texts are held back.
const B: f64 = 0.75;

/// Returns what `count` of a word are worth in a text of `length` words, where texts have `average`
/// words.
pub fn saturated(count: f64, length: f64, average: f64) -> f64 {
    (count * (K1 + 1.0)) / (count + K1 * (1.0 - B + B * length / average))
}

/// Scores texts for a query, all given as their words. The rarity of a word is ln(1 + (N - n + 0.5)
/// / (n + 0.5)); a word that the query repeats counts once.
pub fn bm25(texts: &[Vec<String>], query: impl IntoIterator<Item = String>) -> Vec<f64> {
    let mut query: Vec<String> = query.into_iter().collect();
    query.sort_unstable();
    query.dedup();
    let mut holders = vec![0.0; query.len()];
    let counts: Vec<HashMap<usize, f64>> = texts
        .iter()
        .map(|words| {
            let mut counts = HashMap::new();
            for at in words.iter().filter_map(|word| query.binary_search(word).ok()) {
                *counts.entry(at).or_insert(0.0) += 1.0;
            }
            counts.keys().for_each(|at| holders[*at] += 1.0);
            counts
        })
        .collect();
    let total = texts.len() as f64;
    let average = texts.iter().map(|words| words.len() as f64).sum::<f64>() / total.max(1.0);
    let score = |(words, counts): (&Vec<String>, &HashMap<usize, f64>)| {
        let of_word = |(at, holders): (usize, &f64)| {
            let count = counts.get(&at)?;
            let rarity = (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln();
            Some(rarity * saturated(*count, words.len() as f64, average))
        };
        // A sum of nothing is -0.
        holders.iter().enumerate().filter_map(of_word).fold(0.0, |sum, score| sum + score)
    };
    texts.iter().zip(&counts).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_worked_out_by_hand() {
        // Lengths 2, 3, 1: the mean is 2. "cart" stands in two of three texts: ln(1 + 1.5 / 2.5) =
        // ln 1.6 = 0.470004; "add" in one: ln(1 + 2.5 / 1.5) = ln 2.666667 = 0.980829. Text 1:
        // length 2 / mean 2 leaves 1.2 as it is: both words give their rarity times 2.2 / 2.2 = 1.
        // Text 2: "cart" twice, length 3: 1.2 × (0.25 + 0.75 × 1.5) = 1.65; 0.470004 × 2 × 2.2 / 3.65 = 0.566580.
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let scores = bm25(&["add cart", "cart cart now", "other"].map(words), words("add to cart cart"));
        let expected = [0.470_004 + 0.980_829, 0.566_580, 0.0];
        for (score, expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-5, "{scores:?}");
        }
        assert_eq!(bm25(&[], words("cart")), [0.0; 0]);
    }
}
