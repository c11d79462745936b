//! What was found at a step: one small struct of counts a metric.
//!
//! Invariant: counts only; shares are made when they are printed, so that a wrong formula can be
//! mended without a new run.

use serde::{Deserialize, Serialize};

/// Lets counts be added up, field by field.
macro_rules! adds_up {
    ($counts:ty: $($field:ident),+) => {
        impl std::ops::AddAssign for $counts {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
            }
        }
    };
}
pub(crate) use adds_up;

adds_up!(FactScore: total, read, by_pixels);
adds_up!(RefScore: shown, surviving, kept, wrong_rebinds);
adds_up!(ProbeScore: nodes, nodes_found, texts, texts_found);
adds_up!(ExamScore: asked, told, local);
adds_up!(MarkScore: shown, elided, volatile);

/// What the reader made of the next action's node; all true where the action has no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetScore {
    /// Whether there was a node to find; false for `goto`, `back` and the like, and after the last
    /// step.
    pub needed: bool,
    /// An acceptable action node is in the shown state.
    pub recall: bool,
    /// … through the strategy's action channel.
    pub addressable: bool,
    /// … and role, name and path single it out.
    pub discriminable: bool,
    /// … and the handle maps to an acceptable node; none where the map is not known.
    pub resolved: Option<bool>,
}

impl Default for TargetScore {
    fn default() -> Self {
        Self::NOT_NEEDED
    }
}

impl TargetScore {
    /// The score of a step whose next action needs no node.
    pub const NOT_NEEDED: Self =
        Self { needed: false, recall: true, addressable: true, discriminable: true, resolved: None };

    /// Returns whether the agent could act.
    pub fn is_actionable(self) -> bool {
        self.addressable && self.discriminable && self.resolved != Some(false)
    }
}

/// How many of the step's named states are shown right, shown wrong or not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshScore {
    /// Shown as they are.
    pub right: u32,
    /// Shown as they are not.
    pub wrong: u32,
    /// Not shown.
    pub missing: u32,
}

/// How the step's facts were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactScore {
    /// Facts of the step.
    pub total: u32,
    /// Facts that can be read in text or images.
    pub read: u32,
    /// Of those, the ones that can be read in images only.
    pub by_pixels: u32,
}

/// Refs over time, checked against the recorded entity ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefScore {
    /// Handles in the shown state that are known to mean a node.
    pub shown: u32,
    /// Entities that had a handle at the step before and have one now.
    pub surviving: u32,
    /// Of those, the ones with the same handle.
    pub kept: u32,
    /// Handles that came to mean another entity.
    pub wrong_rebinds: u32,
}

/// How many probes of the page are in the shown state: nodes and texts that no scenario named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeScore {
    /// Interactive nodes that were drawn.
    pub nodes: u32,
    /// Of those, the ones that are in the shown state.
    pub nodes_found: u32,
    /// Texts that were drawn.
    pub texts: u32,
    /// Of those, the ones that can be read.
    pub texts_found: u32,
}

/// What became of the questions that the exam puts after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamScore {
    /// Questions whose answer can be looked for.
    pub asked: u32,
    /// Of those, the ones whose answer stands in what was told since the last whole telling.
    pub told: u32,
    /// Of those, the ones whose answer one observation says beside its owner, at most one line
    /// apart.
    pub local: u32,
}

/// What the shown state says of itself: only the grammar of the lens has such marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkScore {
    /// Nodes and runs of text in the shown state.
    pub shown: u32,
    /// Siblings that elided marks stand for; what lies below them is not counted.
    pub elided: u32,
    /// Nodes and runs of text whose words may be old.
    pub volatile: u32,
}

/// The nodes that the step cannot do without; all or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredScore {
    /// Nodes of the set; 0 where the scenario declares none.
    pub total: u32,
    /// Of those, the ones that are in the shown state.
    pub shown: u32,
}

impl RequiredScore {
    /// Returns whether the whole set is in the shown state; none where there is no set.
    pub fn is_covered(self) -> Option<bool> {
        (self.total > 0).then_some(self.shown == self.total)
    }
}

/// What scrolling would cost and bring, for a strategy that shows only what lies near the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScrollScore {
    /// Scrolls of one viewport that it takes to bring what the step misses and scrolling can bring;
    /// 0 if nothing does.
    pub scrolls: u32,
    /// Whether the step succeeds after them; the same as success where nothing is scrolled.
    pub success: bool,
}

impl RefScore {
    /// Entities that stayed, under another ref.
    pub fn churned(&self) -> u32 {
        self.surviving.saturating_sub(self.kept)
    }
}
