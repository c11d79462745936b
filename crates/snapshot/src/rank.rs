//! Which sections a query means.
//!
//! In: texts and the words of a query. Out: the texts that share words with it, the best first, by
//! [BM25](bm25). Invariants: deterministic: equal scores keep the order of the texts; a text
//! without any word of the query is never ranked.

use browserlens_core::bm25::bm25;

/// Returns the positions of the texts that share words with a query, the best first.
pub fn rank(texts: &[String], query: &str) -> Vec<usize> {
    let texts: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let scored = bm25(&texts, words(query)).into_iter().enumerate();
    let mut scored: Vec<(usize, f64)> = scored.filter(|(_, score)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.into_iter().map(|(at, _)| at).collect()
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
