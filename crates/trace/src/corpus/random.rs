//! Seeded draws: the same on every machine and from version to version.
//!
//! In: a seed and what it is for, in words. Out: numbers. Invariant: draws for one purpose do not
//! depend on how many were made for another.

/// SplitMix64, seeded by a hash over the seed and what is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    /// Starts the draws for a purpose.
    pub(crate) fn of(seed: u64, purpose: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(purpose.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Self(u64::from_le_bytes(first))
    }

    /// Returns the next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`, which is at least 1.
    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// Puts a list into a drawn order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.below(at + 1);
            list.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_what_it_shuffles_and_follows_from_seed_and_purpose() {
        let shuffled = |seed, purpose| {
            let mut list: Vec<u32> = (0..50).collect();
            Draws::of(seed, purpose).shuffle(&mut list);
            list
        };
        assert_eq!(shuffled(1, "a"), shuffled(1, "a"));
        assert_ne!(shuffled(1, "a"), shuffled(1, "b"));
        assert_ne!(shuffled(1, "a"), shuffled(2, "a"));
        let mut sorted = shuffled(1, "a");
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }
}
