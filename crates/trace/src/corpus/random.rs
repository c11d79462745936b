//! Seeded draws: the same on every machine and from version to version.
//!
//! In: a seed and what it is for, in words. Out: numbers. Invariant: draws for one purpose do not
//! depend on how many were made for another.

use browserlens_core::random::SplitMix64;

/// Starts the draws for a purpose, seeded by a hash over the seed and what is drawn.
pub(crate) fn draws(seed: u64, purpose: &str) -> SplitMix64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(purpose.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    SplitMix64::new(u64::from_le_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_what_it_shuffles_and_follows_from_seed_and_purpose() {
        let shuffled = |seed, purpose| {
            let mut list: Vec<u32> = (0..50).collect();
            draws(seed, purpose).shuffle(&mut list);
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
