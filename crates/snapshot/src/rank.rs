//! Which sections a query means.
//!
//! In: texts and the words of a query. Out: the texts that share words with it, the best first
//! (BM25, k₁ = 1.2, b = 0.75). Invariants: deterministic: equal scores keep the order of the texts;
//! a text without any word of the query is never ranked.

use std::collections::HashMap;

const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Returns the positions of the texts that share words with a query, the best first.
pub fn rank(texts: &[String], query: &str) -> Vec<usize> {
    let wanted: Vec<String> = {
        let mut words = words(query);
        words.sort_unstable();
        words.dedup();
        words
    };
    let counted: Vec<(usize, HashMap<String, u32>)> = texts
        .iter()
        .map(|text| {
            let mut counts = HashMap::new();
            let words = words(text);
            let length = words.len();
            for word in words {
                *counts.entry(word).or_insert(0) += 1;
            }
            (length, counts)
        })
        .collect();
    let total: usize = counted.iter().map(|(length, _)| length).sum();
    let average = (total as f64 / counted.len().max(1) as f64).max(1.0);
    let mut scored: Vec<(f64, usize)> = Vec::new();
    for (at, (length, counts)) in counted.iter().enumerate() {
        let mut score = 0.0;
        for word in &wanted {
            let Some(count) = counts.get(word) else { continue };
            let holders = counted.iter().filter(|(_, counts)| counts.contains_key(word)).count() as f64;
            let rarity = (1.0 + (counted.len() as f64 - holders + 0.5) / (holders + 0.5)).ln();
            let count = f64::from(*count);
            let long = SATURATION * (1.0 - LENGTH + LENGTH * *length as f64 / average);
            score += rarity * count * (SATURATION + 1.0) / (count + long);
        }
        if score > 0.0 {
            scored.push((score, at));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, at)| at).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_short_texts_win_and_strangers_are_not_ranked() {
        let texts: Vec<String> =
            ["what the weather does to a cart, told at length", "Cart", "the weather"].map(str::to_owned).into();
        assert_eq!(rank(&texts, "my cart, the cart"), [1, 0, 2]);
        assert_eq!(rank(&texts, "zebra"), [0_usize; 0]);
        assert_eq!(rank(&[], "cart"), [0_usize; 0]);
    }
}
