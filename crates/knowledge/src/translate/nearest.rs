//! What was probably meant: the names nearest to one that is not there.
//!
//! In: a text and the names there are. Out: the most alike, best first. Invariant: linear in the
//! number of names; no name is looked at beyond its first 200 characters, whoever wrote it.

use std::collections::BTreeMap;

/// Most characters of a name that are compared.
const LONGEST: usize = 200;

/// Returns how alike two texts are, from 0 to 1: shared pairs of characters (Dice), ignoring case.
pub(crate) fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (pairs(a), pairs(b));
    let all: u32 = a.values().sum::<u32>() + b.values().sum::<u32>();
    let shared: u32 = a.iter().map(|(pair, count)| (*count).min(b.get(pair).copied().unwrap_or(0))).sum();
    if all == 0 { 0.0 } else { f64::from(2 * shared) / f64::from(all) }
}

fn pairs(text: &str) -> BTreeMap<(char, char), u32> {
    let mut pairs = BTreeMap::new();
    let mut before = ' ';
    let plain = text.chars().take(LONGEST).flat_map(char::to_lowercase);
    for c in plain.map(|c| if c.is_alphanumeric() { c } else { ' ' }).chain([' ']) {
        if before != ' ' || c != ' ' {
            *pairs.entry((before, c)).or_insert(0) += 1;
        }
        before = c;
    }
    pairs
}

/// Returns the names most like a text, best first; equal ones in their order.
pub(crate) fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut scored: Vec<(f64, &str)> =
        names.map(|name| (likeness(text, name), name)).filter(|(score, _)| *score > 0.2).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by_key(|scored| scored.1);
    scored.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_most_like_itself() {
        assert!((likeness("Add to cart", "add  to CART") - 1.0).abs() < 1e-9);
        assert!(likeness("Add to cart", "Add to list") > likeness("Add to cart", "Delete"));
        assert_eq!(likeness("", "x"), 0.0);
        assert_eq!(nearest("clik", ["wait", "click", "close"].into_iter(), 1), ["click"]);
    }
}
