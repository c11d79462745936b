//! How observations are spelled.
//!
//! In: a choice. Out: the few spellings that differ. Invariant: every style parses by the one
//! parser, back to the same data; a style only ever changes tokens.

/// Spelling of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Style {
    /// `[@e5]` instead of `@e5`.
    pub bracketed_refs: bool,
    /// `text "…"` instead of `"…"` for a run of text.
    pub text_word: bool,
    /// Text directly after an item with a ref is not set off by a comma.
    pub text_follows: bool,
    /// Whether what is added stands one item a line.
    pub added_by_line: bool,
    /// `[DELTA — 3 changes from previous state]`, `→ value: "…"` and `— all stable`, as the seed
    /// writes them.
    pub seed_phrases: bool,
    /// Whether headings get refs, as in the seed.
    pub heading_refs: bool,
    /// Whether what repeats is said once: a pattern, and a line a row.
    pub fold: bool,
    /// Whether what all values of a column begin or end with stands in the pattern.
    pub units: bool,
    /// Whether the refs of a folded row are written one by one; else its first stands for all.
    pub every_ref: bool,
}

impl Style {
    /// The default: fewest tokens as measured under o200k_base.
    pub const DEFAULT: Self = Self {
        bracketed_refs: false,
        text_word: false,
        text_follows: true,
        added_by_line: false,
        seed_phrases: false,
        heading_refs: false,
        fold: true,
        units: true,
        every_ref: false,
    };

    /// The default, with every ref and every value written out.
    pub const LITERAL: Self = Self { units: false, every_ref: true, ..Self::DEFAULT };

    /// The default without folding.
    pub const PLAIN: Self = Self { fold: false, ..Self::DEFAULT };

    /// The seed's own spelling.
    pub const SEED: Self = Self {
        bracketed_refs: true,
        text_word: true,
        text_follows: false,
        added_by_line: true,
        seed_phrases: true,
        heading_refs: true,
        fold: false,
        units: false,
        every_ref: true,
    };

    /// Every style by its name.
    pub const NAMED: [(&str, Self); 4] =
        [("default", Self::DEFAULT), ("literal", Self::LITERAL), ("plain", Self::PLAIN), ("seed", Self::SEED)];
}

impl Default for Style {
    fn default() -> Self {
        Self::DEFAULT
    }
}
