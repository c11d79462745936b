//! The tables of an encoding, packed to what the others follow from: 5 MB where `bpe` has 47.
//!
//! In: tokens, how each was merged, and the automaton of longest tokens. Out: the tables as `bpe`
//! reads them. The build packs and compares; the program unpacks.

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// What is stored.
#[derive(Serialize, Deserialize)]
pub(crate) struct Packed {
    /// All tokens, one behind the other.
    pub all_tokens: ByteBuf,
    /// Bytes of each token.
    pub lengths: ByteBuf,
    /// Bytes of the first of the two tokens that each was merged from; 0 for one that was not.
    pub first_lengths: ByteBuf,
    /// Bytes of the longest other token that each begins with; 0 where there is none. Looking for
    /// it would take a program's start twice as long.
    pub prefix_lengths: ByteBuf,
    pub longest_searcher: ByteBuf,
    /// The automaton of overlapping tokens, which counting never asks: an empty one.
    pub overlapping_searcher: ByteBuf,
    pub hash_factor: u64,
}

/// The tables by the names that `bpe` gives them, which keeps them to itself.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tables {
    pub all_tokens: Vec<u8>,
    pub token_starts: Vec<u32>,
    pub bytes_hash_to_token: FxHashMap<u32, u32>,
    pub split_table: Vec<(u32, u32)>,
    pub pair_lookup: FxHashMap<(u32, u32), u32>,
    pub longest_searcher: ByteBuf,
    pub overlapping_searcher: ByteBuf,
    pub overlapping_searcher_rev: ByteBuf,
    pub next_prefix_match: Vec<u32>,
    pub hash_factor: u64,
}

/// The bytes of each token, and which token they are.
pub(crate) type Ids = FxHashMap<&'static [u8], u32>;

impl Packed {
    /// Returns the tables, and the tokens, which stay for as long as the process lives; None if a
    /// token was merged from what is no token.
    pub fn unpacked(self) -> Option<(Tables, Ids)> {
        let all_tokens: &'static [u8] = self.all_tokens.into_vec().leak();
        let mut token_starts = vec![0];
        let mut end = 0;
        for length in &self.lengths {
            end += u32::from(*length);
            token_starts.push(end);
        }
        let tokens: Option<Vec<_>> =
            token_starts.windows(2).map(|at| all_tokens.get(at[0] as usize..at[1] as usize)).collect();
        let tokens = tokens?;
        let ids: Ids = tokens.iter().copied().zip(0..).collect();
        let mut split_table = Vec::with_capacity(tokens.len());
        let mut pair_lookup = FxHashMap::with_capacity_and_hasher(tokens.len(), FxBuildHasher);
        for ((token, first), id) in tokens.iter().zip(&self.first_lengths).zip(0..) {
            if *first == 0 {
                split_table.push((id, id));
                continue;
            }
            let (first, second) = token.split_at_checked(usize::from(*first))?;
            let pair = (*ids.get(first)?, *ids.get(second)?);
            split_table.push(pair);
            pair_lookup.insert(pair, id);
        }
        let prefix = |(token, length): (&&[u8], &u8)| match length {
            0 => Some(u32::MAX),
            _ => token.get(..usize::from(*length)).and_then(|prefix| ids.get(prefix)).copied(),
        };
        let next_prefix_match = tokens.iter().zip(&self.prefix_lengths).map(prefix).collect::<Option<_>>()?;
        let tables = Tables {
            token_starts,
            bytes_hash_to_token: FxHashMap::default(),
            split_table,
            pair_lookup,
            longest_searcher: self.longest_searcher,
            overlapping_searcher: self.overlapping_searcher.clone(),
            overlapping_searcher_rev: self.overlapping_searcher,
            next_prefix_match,
            hash_factor: self.hash_factor,
            all_tokens: all_tokens.to_vec(),
        };
        Some((tables, ids))
    }
}
