//! The signs of all vectors of an index: what chooses the few whose cosines are worth working out.
//!
//! In: vectors. Out: for a vector, the passages whose signs differ least from its own. Invariant:
//! equal distances stand in the order of the passages.

/// One bit a component of a vector, 64 in a word.
#[derive(Debug)]
pub(super) struct Codes {
    passages: Vec<usize>,
    bits: Vec<u64>,
    words: usize,
}

/// Which components of a vector are more than 0.
fn signs(vector: &[f32]) -> impl Iterator<Item = u64> {
    let word = |part: &[f32]| part.iter().rev().fold(0, |word, x| word << 1 | u64::from(*x > 0.0));
    vector.chunks(64).map(word)
}

impl Codes {
    /// Starts without any, of vectors of a dimension.
    pub fn new(dimension: usize) -> Self {
        Self { passages: Vec::new(), bits: Vec::new(), words: dimension.div_ceil(64).max(1) }
    }

    /// Takes the vector of a passage.
    pub fn add(&mut self, passage: usize, vector: &[f32]) {
        self.passages.push(passage);
        self.bits.extend(signs(vector));
    }

    /// Returns the passages that have a vector.
    pub fn passages(&self) -> &[usize] {
        &self.passages
    }

    /// Returns the passages whose signs differ least from those of a vector.
    pub fn nearest(&self, vector: &[f32], count: usize) -> Vec<usize> {
        let asked: Vec<u64> = signs(vector).collect();
        let differ = |code: &[u64]| code.iter().zip(&asked).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        let codes = self.bits.chunks_exact(self.words).zip(&self.passages);
        let mut near: Vec<(u32, usize)> = codes.map(|(code, passage)| (differ(code), *passage)).collect();
        if count < near.len() {
            near.select_nth_unstable(count);
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
            codes.add(at, &vector(at));
        }
        assert_eq!(codes.nearest(&vector(2), 3), [3, 0, 9]);
        assert_eq!(codes.nearest(&vector(2), 9), [3, 0, 9, 30]);
    }

    #[test]
    fn equal_distances_stand_in_order() {
        let mut codes = Codes::new(64);
        for passage in [5, 2, 8, 1] {
            codes.add(passage, &[1.0; 64]);
        }
        assert_eq!(codes.nearest(&[1.0; 64], 3), [1, 2, 5]);
    }
}
