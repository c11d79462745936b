//! The signs of all vectors of an index, in memory: what chooses the few whose cosines are worth
//! working out.
//!
//! In: vectors. Out: for a vector, the passages whose signs differ least from its own. Invariant:
//! equal distances stand in the order of the passages' numbers. Why not a virtual table: the signs
//! of 100,000 vectors are 13 MB, and one pass over them takes milliseconds; a table that is opened
//! and read in chunks takes a hundred times as long.

use super::ranking::Number;

/// One bit a component of a vector, 64 in a word.
#[derive(Debug, Default)]
pub(super) struct Codes {
    passages: Vec<Number>,
    bits: Vec<u64>,
    words: usize,
}

/// Which components of a vector are more than 0.
pub(super) fn signs(vector: &[f32]) -> Vec<u64> {
    let word = |part: &[f32]| part.iter().rev().fold(0, |word, x| word << 1 | u64::from(*x > 0.0));
    vector.chunks(64).map(word).collect()
}

/// Signs as they are stored.
pub(super) fn bytes(signs: &[u64]) -> Vec<u8> {
    signs.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Codes {
    /// Starts without any, of vectors of a dimension.
    pub fn new(dimension: usize) -> Self {
        Self { words: dimension.div_ceil(64), ..Self::default() }
    }

    /// Takes the stored signs of a passage's vector; those of another length are passed over.
    pub fn add(&mut self, passage: Number, stored: &[u8]) {
        if stored.len() == self.words * 8 {
            self.passages.push(passage);
            let (words, _) = stored.as_chunks::<8>();
            self.bits.extend(words.iter().map(|word| u64::from_le_bytes(*word)));
        }
    }

    /// Returns the passages whose signs differ least from those of a vector.
    pub fn nearest(&self, vector: &[f32], count: usize) -> Vec<Number> {
        let asked = signs(vector);
        if asked.len() != self.words || self.words == 0 || count == 0 {
            return Vec::new();
        }
        let differ = |code: &[u64]| code.iter().zip(&asked).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        let codes = self.bits.chunks_exact(self.words).zip(&self.passages);
        let mut near: Vec<(u32, Number)> = codes.map(|(code, passage)| (differ(code), *passage)).collect();
        if count < near.len() {
            near.select_nth_unstable(count - 1);
            near.truncate(count);
        }
        near.sort_unstable();
        near.into_iter().map(|(_, passage)| passage).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_are_those_whose_signs_differ_least() {
        let vector = |at: usize| (0..70).map(|x| if x < at { -1.0 } else { 1.0 }).collect::<Vec<f32>>();
        let mut codes = Codes::new(70);
        for at in [9, 3, 30, 0] {
            codes.add(at as Number, &bytes(&signs(&vector(at))));
        }
        codes.add(99, &[0; 3]);
        assert_eq!(codes.nearest(&vector(2), 3), [3, 0, 9]);
        assert_eq!(codes.nearest(&vector(2), 9), [3, 0, 9, 30]);
        assert_eq!(codes.nearest(&[1.0; 8], 3), [0; 0], "of another dimension");
    }

    #[test]
    fn equal_distances_stand_in_order() {
        let mut codes = Codes::new(64);
        for passage in [5, 2, 8, 1] {
            codes.add(passage, &bytes(&signs(&[1.0; 64])));
        }
        assert_eq!(codes.nearest(&[1.0; 64], 3), [1, 2, 5]);
    }
}
