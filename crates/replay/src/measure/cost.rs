//! What something costs: tokens under every encoding and formula.
//!
//! In: texts, image sizes. Out: [`Cost`], whose arithmetic is exact. Invariant: no rounding but
//! that of [`Cost::discounted`], which says how.

use browserlens_core::tokens::{Encoding, ImageFormula, ImageSize};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::AddAssign;
use std::str::FromStr;

/// Which implementation counts text tokens; both give the same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokenizer {
    /// The fast one.
    #[default]
    Fast,
    /// The slower reference.
    Reference,
}

impl Tokenizer {
    /// Returns the tokens of `text` under one encoding.
    pub fn count(self, encoding: Encoding, text: &str) -> u64 {
        match self {
            Self::Fast => u64::from(encoding.count(text).0),
            Self::Reference => u64::from(encoding.count_reference(text).0),
        }
    }

    /// Returns the tokens of `text` under both encodings.
    pub fn cost(self, text: &str) -> Cost {
        let count = |encoding: Encoding| self.count(encoding, text);
        Cost { o200k: count(Encoding::O200kBase), cl100k: count(Encoding::Cl100kBase), images: ImageCost::default() }
    }
}

/// Image tokens under every formula of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageCost {
    /// Under [`ImageFormula::Claude28`].
    pub claude28: u64,
    /// Under [`ImageFormula::OpenAiPatch32`].
    pub openai_patch32: u64,
    /// Under [`ImageFormula::OpenAiTile4o`].
    pub openai_tile4o: u64,
    /// Under [`ImageFormula::GeminiFlat`].
    pub gemini_flat: u64,
}

impl ImageCost {
    /// Returns what an image costs.
    pub fn of(size: ImageSize) -> Self {
        let mut cost = Self::default();
        for formula in ImageFormula::ALL {
            *cost.slot(formula) = u64::from(formula.tokens(size).0);
        }
        cost
    }

    fn slot(&mut self, formula: ImageFormula) -> &mut u64 {
        match formula {
            ImageFormula::Claude28 => &mut self.claude28,
            ImageFormula::OpenAiPatch32 => &mut self.openai_patch32,
            ImageFormula::OpenAiTile4o => &mut self.openai_tile4o,
            ImageFormula::GeminiFlat => &mut self.gemini_flat,
        }
    }

    /// Returns the tokens under one formula.
    pub fn under(mut self, formula: ImageFormula) -> u64 {
        *self.slot(formula)
    }
}

/// What something costs: text tokens under both encodings, image tokens under every formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Text tokens under `o200k_base`.
    pub o200k: u64,
    /// Text tokens under `cl100k_base`.
    pub cl100k: u64,
    /// Image tokens.
    pub images: ImageCost,
}

impl Cost {
    /// Returns the text tokens under one encoding.
    pub fn text(self, encoding: Encoding) -> u64 {
        match encoding {
            Encoding::O200kBase => self.o200k,
            Encoding::Cl100kBase => self.cl100k,
        }
    }

    /// Returns text and image tokens together.
    pub fn total(self, encoding: Encoding, formula: ImageFormula) -> u64 {
        self.text(encoding) + self.images.under(formula)
    }

    fn each(self, other: Self, both: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            o200k: both(self.o200k, other.o200k),
            cl100k: both(self.cl100k, other.cl100k),
            images: ImageCost {
                claude28: both(self.images.claude28, other.images.claude28),
                openai_patch32: both(self.images.openai_patch32, other.images.openai_patch32),
                openai_tile4o: both(self.images.openai_tile4o, other.images.openai_tile4o),
                gemini_flat: both(self.images.gemini_flat, other.images.gemini_flat),
            },
        }
    }

    /// Returns the cost of the same thing `times` times.
    pub fn times(self, times: u32) -> Self {
        self.each(self, |tokens, _| tokens * u64::from(times))
    }

    /// Returns the tokens of a context, in tokens at full price, when its `prefix` is cheaper by
    /// `discount`: context − ⌊prefix × discount⌋.
    pub fn discounted(self, prefix: Self, discount: PerMille) -> Self {
        self.each(prefix, |context, prefix| context.saturating_sub(prefix * u64::from(discount.0) / 1_000))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = self.each(other, |own, other| own + other);
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |sum, cost| sum.each(cost, |own, other| own + other))
    }
}

/// A share between nothing and all, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PerMille(u32);

impl PerMille {
    /// The discount on what a prompt cache holds that reports assume: 90 %, the list price of the
    /// vendors that have one in 2026 at its best.
    pub const DEFAULT_CACHE_DISCOUNT: Self = Self(900);

    /// Returns the thousandths, 0 to 1,000.
    pub fn thousandths(self) -> u32 {
        self.0
    }
}

/// A text that is no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a share: expected a number from 0 to 1 with at most three decimals, such as 0.9")]
pub struct UnknownShare {
    /// The text as given.
    pub text: String,
}

impl FromStr for PerMille {
    type Err = UnknownShare;
    fn from_str(text: &str) -> Result<Self, UnknownShare> {
        let unknown = || UnknownShare { text: text.to_owned() };
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 3 || whole.len() > 1 {
            return Err(unknown());
        }
        let thousandths = format!("{whole}{decimals:0<3}").parse::<u32>().map_err(|_| unknown())?;
        if thousandths > 1_000 { Err(unknown()) } else { Ok(Self(thousandths)) }
    }
}

impl fmt::Display for PerMille {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.0) / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_parses_exactly_or_not_at_all() {
        let parsed = ["0", "0.9", "0.05", "0.125", "1", "1.000"].map(|text| text.parse().map(PerMille::thousandths));
        assert_eq!(parsed, [Ok(0), Ok(900), Ok(50), Ok(125), Ok(1_000), Ok(1_000)]);
        for bad in ["", ".9", "0.", "1.1", "0.1234", "-0.1", "90%", "2", "0,9"] {
            assert!(bad.parse::<PerMille>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_discount_matches_hand_worked_numbers() {
        let cost = |o200k| Cost { o200k, cl100k: 2 * o200k, images: ImageCost::default() };
        let discount = |text: &str| text.parse::<PerMille>().expect("a share");
        // 563 tokens of context, 391 of them prefix: 563 − ⌊391 × 0.9⌋ = 563 − 351.
        assert_eq!(
            cost(563).discounted(cost(391), discount("0.9")),
            Cost { o200k: 212, cl100k: 1_126 - 703, ..cost(0) }
        );
        assert_eq!(cost(563).discounted(cost(391), discount("0")), cost(563));
        assert_eq!(cost(563).discounted(cost(391), discount("1")).o200k, 172);
        assert_eq!(cost(0).discounted(cost(0), discount("0.9")), cost(0));
        assert_eq!(cost(7).times(3).o200k, 21);
    }
}
