//! A small seeded generator: the same numbers on every machine, from version to version.
//!
//! In: a seed. Out: numbers. Why not the crate `rand`: its generators may change between versions,
//! and a draw must not.

/// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit state, stepped by the golden ratio, mixed
/// twice.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`, which is at least 1: the upper 64 bits of bits × limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// Puts a list into a drawn order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.below(at + 1);
            list.swap(at, other);
        }
    }

    /// Draws at most `count` of the indices below `length` without repetition, sorted: the first
    /// ones of a Fisher-Yates shuffle.
    pub fn draw(&mut self, length: usize, count: usize) -> Vec<usize> {
        let mut indices: Vec<usize> = (0..length).collect();
        let count = count.min(length);
        for at in 0..count {
            let other = at + self.below(length - at);
            indices.swap(at, other);
        }
        indices.truncate(count);
        indices.sort_unstable();
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [random.bits(), random.bits(), random.bits()];
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_draw_is_sorted_without_repetition_and_the_same_for_a_seed() {
        let draw = |seed, length| SplitMix64::new(seed).draw(length, 20);
        let drawn = draw(7, 1_000);
        assert_eq!(drawn.len(), 20);
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn[19] < 1_000);
        assert_eq!(drawn, draw(7, 1_000));
        assert_ne!(drawn, draw(8, 1_000));
        assert_eq!(draw(7, 3), [0, 1, 2]);
        assert!(draw(7, 0).is_empty());
    }

    #[test]
    fn every_index_is_drawn_about_equally_often() {
        let mut counts = [0_u32; 10];
        let mut random = SplitMix64::new(1);
        for _ in 0..10_000 {
            random.draw(10, 2).into_iter().for_each(|index| counts[index] += 1);
        }
        assert!(counts.iter().all(|count| (1_850..=2_150).contains(count)), "{counts:?}");
    }
}
