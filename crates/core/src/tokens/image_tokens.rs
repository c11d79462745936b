//! What an image costs, by model family: a named, versioned table instead of a constant.
//!
//! In: the size of an image in pixels. Out: tokens under one [`ImageFormula`]. Invariant: formulas
//! are pure integer arithmetic; a changed formula bumps [`IMAGE_TOKEN_TABLE_VERSION`].

use crate::tokens::Tokens;
use serde::{Deserialize, Serialize};

/// Version of the table of formulas; part of every cache key that holds image tokens.
pub const IMAGE_TOKEN_TABLE_VERSION: u32 = 1;

/// Width and height of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ImageSize {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// How one family of models turns an image into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageFormula {
    /// ⌈w/28⌉ × ⌈h/28⌉, after the long edge was scaled to at most 1,568 px. Source: fitted exactly
    /// to a published table of measured image costs of Claude models, prompt subtracted.
    Claude28,
    /// ⌈w/32⌉ × ⌈h/32⌉ × 1.2. Source: fitted exactly to the same table's rows of OpenAI patch
    /// models.
    OpenAiPatch32,
    /// 85 + 170 a tile of 512 px, inside 2,048 px and with a short side of 768 px. Source: OpenAI's
    /// documentation of 4o and 4.1.
    OpenAiTile4o,
    /// 1,101 for any image at default media resolution. Source: the same table's rows of Gemini 3.
    GeminiFlat,
}

impl ImageFormula {
    /// Every formula, in the order in which tables list them.
    pub const ALL: [Self; 4] = [Self::Claude28, Self::OpenAiPatch32, Self::OpenAiTile4o, Self::GeminiFlat];

    /// Returns the name that measurements carry.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude28 => "claude-28px",
            Self::OpenAiPatch32 => "openai-patch-32px",
            Self::OpenAiTile4o => "openai-tile-4o",
            Self::GeminiFlat => "gemini-flat",
        }
    }

    /// Returns what an image of `size` costs; an empty image costs nothing.
    pub fn tokens(self, size: ImageSize) -> Tokens {
        if size.width == 0 || size.height == 0 {
            return Tokens(0);
        }
        let seen = self.seen_size(size);
        let (w, h) = (u64::from(seen.width), u64::from(seen.height));
        let count = match self {
            Self::Claude28 => w.div_ceil(28) * h.div_ceil(28),
            Self::OpenAiPatch32 => (w.div_ceil(32) * h.div_ceil(32) * 12).div_ceil(10),
            Self::OpenAiTile4o => 85 + 170 * w.div_ceil(512) * h.div_ceil(512),
            Self::GeminiFlat => 1_101,
        };
        Tokens(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Returns the size at which the model sees an image of `size`.
    pub fn seen_size(self, size: ImageSize) -> ImageSize {
        let ImageSize { width, height } = size;
        match self {
            Self::Claude28 => size.scaled(width.max(height), 1_568),
            Self::OpenAiTile4o => {
                let inside = size.scaled(width.max(height), 2_048);
                inside.scaled(inside.width.min(inside.height), 768)
            }
            Self::OpenAiPatch32 | Self::GeminiFlat => size,
        }
    }
}

impl ImageSize {
    /// Makes it so small that an edge of this length has at most `limit` pixels.
    fn scaled(self, edge: u32, limit: u32) -> Self {
        if edge <= limit {
            return self;
        }
        let scaled = |side: u32| (u64::from(side) * u64::from(limit) / u64::from(edge)).max(1);
        let [width, height] = [self.width, self.height].map(|side| u32::try_from(scaled(side)).unwrap_or(u32::MAX));
        Self { width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(formula: ImageFormula, width: u32, height: u32) -> u32 {
        formula.tokens(ImageSize { width, height }).0
    }

    #[test]
    fn known_viewports_cost_what_was_measured() {
        assert_eq!(cost(ImageFormula::Claude28, 1280, 720), 1_196);
        assert_eq!(cost(ImageFormula::Claude28, 1366, 768), 1_372);
        assert_eq!(cost(ImageFormula::OpenAiPatch32, 1280, 720), 1_104);
        assert_eq!(cost(ImageFormula::OpenAiPatch32, 1920, 1080), 2_448);
        assert_eq!(cost(ImageFormula::OpenAiTile4o, 1280, 720), 1_105);
        assert_eq!(cost(ImageFormula::OpenAiTile4o, 1920, 1080), 1_105);
        assert_eq!(cost(ImageFormula::GeminiFlat, 1280, 720), 1_101);
    }

    #[test]
    fn an_empty_image_is_free_and_a_thin_one_is_not() {
        for formula in ImageFormula::ALL {
            assert_eq!(cost(formula, 0, 400), 0);
            assert!(cost(formula, 1, 1_000_000) > 0);
        }
    }
}
