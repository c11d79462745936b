//! What was found at a step: one small struct of counts a metric, and all of them together.
//!
//! A count is declared once, with its unit and what it means: its documentation, its column and its
//! sum over steps come from that. Invariant: counts only; shares are made when they are printed, so
//! that a wrong formula can be mended without a new run.

use crate::table::Columns;
use browserlens_core::strategy::Observation;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Lets counts be added up, field by field.
macro_rules! adds_up {
    ($counts:ty: $($field:ident),+) => {
        impl std::ops::AddAssign for $counts {
            fn add_assign(&mut self, other: Self) {
                $(self.$field = self.$field.saturating_add(other.$field);)+
            }
        }
    };
}
pub(crate) use adds_up;

/// A count: the end of its column's name, its unit, what it means, and the count itself.
pub(crate) type Count<C> = (&'static str, &'static str, &'static str, fn(&C) -> u32);

/// Declares counts that add up.
macro_rules! counts {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $unit:literal, $meaning:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $(#[doc = $meaning] pub $field: u32,)+
        }

        adds_up!($name: $($field),+);

        impl $name {
            pub(crate) const COUNTS: &[Count<Self>] =
                &[$((stringify!($field), $unit, $meaning, |counts| counts.$field)),+];
        }
    };
}

counts! {
    /// How many of the step's named states are shown right, shown wrong or not shown.
    FreshScore {
        right: "states", "states that the step names and that are shown right";
        wrong: "states", "… shown wrong";
        missing: "states", "… not shown";
    }
}

counts! {
    /// How the step's facts were read.
    FactScore {
        total: "facts", "facts that the scenario names";
        read: "facts", "of those, the ones that can be read";
        by_pixels: "facts", "of those, the ones that can be read in images only";
    }
}

counts! {
    /// How many probes of the page are in the shown state: nodes and texts that no scenario named.
    ProbeScore {
        nodes: "nodes", "interactive nodes drawn from the page";
        nodes_found: "nodes", "of those, the ones in the shown state";
        texts: "texts", "texts drawn from the page";
        texts_found: "texts", "of those, the ones that can be read";
    }
}

counts! {
    /// What became of the questions that the exam puts after a step.
    ExamScore {
        asked: "questions", "questions of the exam whose answer can be looked for";
        told: "questions", "of those, the ones whose answer was told since the last whole telling";
        local: "questions", "of those, the ones whose answer one observation says at most one line from its owner";
    }
}

counts! {
    /// What the shown state says of itself: only the grammar of the lens has such marks.
    MarkScore {
        shown: "items", "nodes and texts in the shown state; null for formats without marks";
        elided: "items", "siblings that elided marks stand for; what lies below them is not counted";
        volatile: "items", "nodes and texts whose words may be old";
    }
}

counts! {
    /// Refs over time, checked against the recorded entity ids.
    RefScore {
        shown: "refs", "handles in the shown state that are known to mean a node";
        surviving: "refs", "entities that had a handle at the step before and have one now";
        kept: "refs", "of those, the ones with the same handle";
        wrong_rebinds: "refs", "handles that came to mean another entity";
    }
}

impl ProbeScore {
    /// Returns what was drawn, nodes and texts together.
    pub fn drawn(self) -> u32 {
        self.nodes + self.texts
    }

    /// Returns how many of those were found.
    pub fn found(self) -> u32 {
        self.nodes_found + self.texts_found
    }
}

impl RefScore {
    /// Entities that stayed, under another ref.
    pub fn churned(&self) -> u32 {
        self.surviving.saturating_sub(self.kept)
    }
}

/// Everything that is counted at a step and adds up over steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scores {
    /// How the step's named states are shown.
    #[serde(default)]
    pub fresh: FreshScore,
    /// How the step's facts were read.
    pub facts: FactScore,
    /// Nodes and texts that no scenario named.
    pub probes: ProbeScore,
    /// What the exam asks after the step.
    #[serde(default)]
    pub exam: ExamScore,
    /// What the shown state says is elided or may be old; none for other grammars than the lens's.
    pub marks: Option<MarkScore>,
    /// Refs over time.
    pub refs: RefScore,
    /// Differences between shown state and page that no mark covers; none where not counted.
    pub unmarked_differences: Option<u32>,
}

impl Scores {
    /// Takes in what an observation, or an answer after it, says of itself.
    pub(crate) fn take_in(&mut self, told: &Observation) {
        self.unmarked_differences = told.unmarked_differences.or(self.unmarked_differences);
    }

    /// Adds a column a count to a table; `sum` is what each column means where they are summed.
    pub fn columns<'a, R>(table: &mut Columns<'a, R>, sum: Option<&str>, of: impl Fn(&'a R) -> &'a Self) {
        table.counts(sum, "fresh", FreshScore::COUNTS, |row| Some(&of(row).fresh));
        table.counts(sum, "facts", FactScore::COUNTS, |row| Some(&of(row).facts));
        table.counts(sum, "probe", ProbeScore::COUNTS, |row| Some(&of(row).probes));
        table.counts(sum, "exam", ExamScore::COUNTS, |row| Some(&of(row).exam));
        table.counts(sum, "marks", MarkScore::COUNTS, |row| of(row).marks.as_ref());
        table.counts(sum, "refs", RefScore::COUNTS, |row| Some(&of(row).refs));
        let unmarked = sum.unwrap_or("between shown state and page, covered by no mark; null where not counted");
        table.small("unmarked_differences", "differences", unmarked, |row| of(row).unmarked_differences);
    }
}

impl AddAssign for Scores {
    fn add_assign(&mut self, other: Self) {
        self.fresh += other.fresh;
        self.facts += other.facts;
        self.probes += other.probes;
        self.exam += other.exam;
        if let Some(marks) = other.marks {
            *self.marks.get_or_insert_default() += marks;
        }
        self.refs += other.refs;
        if let Some(unmarked) = other.unmarked_differences {
            let sum = self.unmarked_differences.get_or_insert_default();
            *sum = sum.saturating_add(unmarked);
        }
    }
}

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
