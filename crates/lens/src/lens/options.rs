//! How a lens is set: base, router and what it costs at most.

use crate::differ::SemanticFilter;
use crate::extract::{Grade, Representation};
use crate::format::Style;
use crate::router::Tier;
use browserlens_core::named;
use browserlens_core::tokens::{Encoding, ImageFormula};

named! {
    /// Which of the shown states a delta may start from.
    #[derive(Default)]
    pub enum Base {
        /// Whichever gives the shortest text.
        #[default]
        Any = "any",
        /// The last.
        Last = "last",
    }
}

named! {
    /// Which router chooses.
    #[derive(Default)]
    pub enum RouterKind {
        /// The seed's rule.
        #[default]
        Heuristic = "heuristic",
        /// Estimated tokens.
        Cost = "cost",
    }
}

/// How a lens works.
#[derive(Clone, Debug)]
pub struct LensOptions {
    /// The representation; none lets the router choose.
    pub representation: Option<Representation>,
    /// Which router chooses, where no representation is set.
    pub router: RouterKind,
    /// What class of models reads; none leaves the router's choice as it is.
    pub tier: Option<Tier>,
    /// Whether deltas are sent.
    pub delta: bool,
    /// What is noise.
    pub filter: SemanticFilter,
    /// Most tokens of a text under `encoding`; none for no limit.
    pub budget: Option<u32>,
    /// Longest name before it is cut, in characters; none for no limit.
    pub longest_name: Option<usize>,
    /// Share of the full text's tokens from which the full text is sent instead of a delta, in
    /// percent.
    pub delta_limit_percent: u32,
    /// Which state deltas start from.
    pub base: Base,
    /// Whether a delta ends with a line of what stayed; the seed's style always has it.
    pub unchanged: bool,
    /// Spelling.
    pub style: Style,
    /// What the distilled DOM keeps.
    pub grade: Grade,
    /// Encoding that the budget counts in.
    pub encoding: Encoding,
    /// What images cost; the largest image is sent at the size at which it is seen.
    pub image_formula: ImageFormula,
    /// Whether a screenshot bears a numbered mark on each node that can be acted on in it: mark `5`
    /// is ref `@e5`.
    pub marks: bool,
    /// Whether what happened beside the page is told: dialogs, downloads, tabs, a failed action,
    /// console errors.
    pub events: bool,
}

impl Default for LensOptions {
    fn default() -> Self {
        Self {
            representation: None,
            router: RouterKind::default(),
            tier: None,
            delta: true,
            filter: SemanticFilter::all(),
            budget: None,
            longest_name: None,
            delta_limit_percent: DELTA_LIMIT_PERCENT,
            base: Base::default(),
            unchanged: false,
            style: Style::DEFAULT,
            grade: Grade::All,
            encoding: Encoding::O200kBase,
            image_formula: ImageFormula::Claude28,
            marks: false,
            events: true,
        }
    }
}

/// Share of the full text's tokens from which a delta is not worth its risk, in percent.
pub const DELTA_LIMIT_PERCENT: u32 = 99;
