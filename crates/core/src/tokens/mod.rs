//! Counts what an observation costs: text tokens, image tokens, and the units that hold them.
//!
//! In: text, or the pixel size of an image, and the name of an encoding or of an image-token
//! formula. Out: [`Tokens`]. Invariant: a count never depends on thread, order or earlier calls.
//! `bpe-openai` counts (about twice the speed); `tiktoken-rs` is the reference that the tests and
//! [`Encoding::count_reference`] use: the two agree exactly, or a test fails.

mod encodings;
mod image_tokens;
mod packed;

pub use image_tokens::{IMAGE_TOKEN_TABLE_VERSION, ImageFormula, ImageSize};

use crate::named;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Token count under the encoding or formula named beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tokens(pub u32);

impl Add for Tokens {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self(0), Add::add)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Elapsed wall-clock time, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Micros(pub u64);

impl From<std::time::Duration> for Micros {
    fn from(elapsed: std::time::Duration) -> Self {
        Self(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
    }
}

impl Add for Micros {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Micros {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

named! {
    /// A byte-pair encoding that text is counted under.
    pub enum Encoding {
        /// `o200k_base`, of the GPT-4o family and later.
        O200kBase = "o200k_base",
        /// `cl100k_base`, of the GPT-4 family.
        Cl100kBase = "cl100k_base",
    }
}

/// No encoding has the name that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("unknown encoding {name:?}: known are \"o200k_base\" and \"cl100k_base\"")]
pub struct UnknownEncoding {
    /// The name as given.
    pub name: String,
}

impl std::str::FromStr for Encoding {
    type Err = UnknownEncoding;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::from_name(name).ok_or_else(|| UnknownEncoding { name: name.to_owned() })
    }
}

impl Encoding {
    fn fast(self) -> &'static encodings::Fast {
        match self {
            Self::O200kBase => &encodings::O200K,
            Self::Cl100kBase => &encodings::CL100K,
        }
    }

    /// Returns the number of tokens of `text`; text that looks like a special token is plain text.
    pub fn count(self, text: &str) -> Tokens {
        Tokens(saturate(self.fast().count(text)))
    }

    /// Returns the same number as [`Encoding::count`] from `tiktoken-rs`, the slower reference.
    pub fn count_reference(self, text: &str) -> Tokens {
        let reference = match self {
            Self::O200kBase => tiktoken_rs::o200k_base_singleton(),
            Self::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        };
        Tokens(saturate(reference.encode_ordinary(text).len()))
    }

    /// Returns the number of tokens of `text` if that is at most `limit`; reads no further than the
    /// limit.
    pub fn count_within(self, text: &str, limit: Tokens) -> Option<Tokens> {
        let fast = self.fast();
        let limit = limit.0 as usize;
        let count =
            fast.tokenizer.split(text).try_fold(0, |count, piece| Some(count + fast.within(piece, limit - count)?));
        count.map(|count| Tokens(saturate(count)))
    }

    /// Returns as much of the beginning of `text` as its first `limit` tokens say, cut at a
    /// character boundary; it costs at most `limit` tokens itself. Reads no further than the limit.
    pub fn prefix_within(self, text: &str, limit: Tokens) -> &str {
        let fast = self.fast();
        let tokenizer = &fast.tokenizer;
        let (mut end, mut left) = (0, limit.0 as usize);
        for piece in tokenizer.split(text) {
            match fast.within(piece, left) {
                Some(count) => (end, left) = (end + piece.len(), left - count),
                None => {
                    let tokens = tokenizer.bpe.encode_via_backtracking(piece.as_bytes());
                    end += tokens.into_iter().take(left).map(|token| tokenizer.bpe.token_len(token)).sum::<usize>();
                    break;
                }
            }
        }
        end = text.floor_char_boundary(end);
        // Alone, the last word may break into other tokens than with what followed it.
        while self.count_within(&text[..end], limit).is_none() {
            end = text.floor_char_boundary(end - 1);
        }
        &text[..end]
    }

    /// Builds the tables of both encodings, so that the first counted text does not pay for them.
    pub fn warm_up() {
        for encoding in Self::ALL {
            encoding.count("warm");
        }
    }
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_known_texts_as_published() {
        assert_eq!(Encoding::O200kBase.count("hello world"), Tokens(2));
        assert_eq!(Encoding::Cl100kBase.count("hello world"), Tokens(2));
        assert_eq!(Encoding::O200kBase.count(""), Tokens(0));
    }

    #[test]
    fn special_token_text_is_plain_text() {
        assert!(Encoding::O200kBase.count("<|endoftext|>") > Tokens(1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn both_tokenizers_agree(text in "\\PC{0,200}|[ \\t\\r\\n]{0,60}|[a-z0-9@\\[\\]\"\\-: \\n]{0,300}") {
            for encoding in Encoding::ALL {
                prop_assert_eq!(encoding.count(&text), encoding.count_reference(&text));
            }
        }

        #[test]
        fn tables_without_what_counting_never_asks_count_as_the_whole_ones(text in "\\PC{0,200}|[ \
            \\t\\r\\n]{0,60}|[a-z0-9@'\\[\\]\"\\-: \\n]{0,300}", limit in 0usize..80) {
            for (encoding, whole) in [(Encoding::O200kBase, bpe_openai::o200k_base()),
                (Encoding::Cl100kBase, bpe_openai::cl100k_base())] {
                let kept = &encoding.fast().tokenizer;
                prop_assert_eq!(kept.split(&text).collect::<Vec<_>>(), whole.split(&text).collect::<Vec<_>>());
                for piece in whole.split(&text).map(str::as_bytes) {
                    let tokens = whole.bpe.encode_via_backtracking(piece);
                    prop_assert_eq!(kept.bpe.count_till_limit(piece, limit), whole.bpe.count_till_limit(piece, limit));
                    let is_kept = |&token: &u32| kept.bpe.token_bytes(token) == whole.bpe.token_bytes(token);
                    prop_assert!(tokens.iter().all(is_kept));
                    prop_assert_eq!(kept.bpe.encode_via_backtracking(piece), tokens);
                }
            }
        }

        #[test]
        fn a_prefix_never_costs_more_than_its_limit(text in "\\PC{0,120}|[ \\n\\ta-z']{0,80}", limit in 0u32..40) {
            let prefix = Encoding::O200kBase.prefix_within(&text, Tokens(limit));
            prop_assert!(text.starts_with(prefix));
            prop_assert!(Encoding::O200kBase.count(prefix) <= Tokens(limit));
            let whole = Encoding::O200kBase.count(&text);
            prop_assert_eq!(prefix == text, whole <= Tokens(limit));
            prop_assert_eq!(Encoding::O200kBase.count_within(&text, Tokens(limit)),
                (whole <= Tokens(limit)).then_some(whole));
        }
    }
}
