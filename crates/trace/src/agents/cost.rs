//! What a run cost, counted from its record alone.
//!
//! In: a [`RunRecord`], an encoding, a formula for images. Out: [`RunCosts`], integers in base
//! units. Invariant: a pure function of its inputs.
//!
//! What an agent *reads*: at each turn of the model everything that was said before is read again,
//! so the context of turn k is instructions, tool list and goal, and all words, calls and answers
//! of turns before k. *Read* is the sum of these contexts, *new* what no earlier turn had read: the
//! last context. A cache of prompts that always hits charges *new* in full and the rest as cached.

use crate::agents::call_cost::{CallCost, CallCosts, Waste};
use crate::agents::record::{RunRecord, Usage};
use browserlens_core::tokens::{Encoding, ImageFormula};
use serde::Serialize;
use std::collections::BTreeMap;

/// Tokens that a call takes where the model's own words were not kept: name, arguments, a sentence.
pub const OWN_WORDS: u64 = 60;

/// Why a tool refused a call, told from its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The element that was named is not there, or not any more.
    NotFound,
    /// Something lies over the element, or it is hidden or disabled.
    NotActionable,
    /// It took too long.
    Timeout,
    /// The call itself is wrong: an unknown function, arguments that do not fit.
    BadCall,
    /// None of these.
    Other,
}

impl ErrorKind {
    /// Every kind, in the order in which tables list them.
    pub const ALL: [Self; 5] = [Self::NotFound, Self::NotActionable, Self::Timeout, Self::BadCall, Self::Other];

    /// Returns the name that tables carry.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not found",
            Self::NotActionable => "not actionable",
            Self::Timeout => "timeout",
            Self::BadCall => "bad call",
            Self::Other => "other",
        }
    }

    /// Returns the kind of an error by its words. The more exact words come first: a timeout of a
    /// tool that waits for an element says what it waited for as well.
    pub fn of(answer: &str) -> Self {
        const BAD_CALL: &[&str] = &[
            "missing argument", "unknown command", "unknown tool", "unknown option", "invalid argument",
            "does not match \"", "arguments:", "usage:", "invalid input", "required parameter", "invalid_type",
        ];
        const NOT_ACTIONABLE: &[&str] = &[
            "intercepts pointer",
            "covered by",
            "cannot be acted on",
            "not visible",
            "outside of the viewport",
            "not enabled",
            "is disabled",
            "not editable",
            "not interactable",
        ];
        const NOT_FOUND: &[&str] = &[
            "not on the page", "not found", "no element", "was not shown", "another document", "stale", "none match",
            "does not exist", "no node", "did not match", "no longer", "nothing matches",
        ];
        let answer = answer.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| answer.contains(word));
        let kinds = [
            (Self::BadCall, BAD_CALL),
            (Self::NotActionable, NOT_ACTIONABLE),
            (Self::Timeout, &["timeout", "timed out"]),
            (Self::NotFound, NOT_FOUND),
        ];
        kinds.into_iter().find(|(_, words)| has(words)).map_or(Self::Other, |(kind, _)| kind)
    }
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunCosts {
    /// Calls of the tool.
    pub calls: u32,
    /// Turns of the model that made calls.
    pub turns: u32,
    /// Tokens of all answers, images included.
    pub answered: u64,
    /// Of them of images.
    pub image_tokens: u64,
    /// Tokens read over all turns.
    pub read: u64,
    /// Of them read for the first time.
    pub new: u64,
    /// Tokens of the model's own words and calls; assumed to be [`OWN_WORDS`] a call where they
    /// were not kept.
    pub own: u64,
    /// Whether `own` is assumed.
    pub is_own_assumed: bool,
    /// What the endpoint counted; none if no turn says.
    pub usage: Option<Usage>,
    /// Milliseconds that the tool took; none if a call does not say.
    pub tool_ms: Option<u64>,
    /// Milliseconds of the whole run; none if it is not known.
    pub ms: Option<u64>,
    /// Calls that the tool refused, by reason.
    pub errors: BTreeMap<ErrorKind, u32>,
    /// Looks whose answer was word for word that of the same look before it.
    pub repeated: u32,
    /// Actions of which the tool says that nothing changed.
    pub no_effect: u32,
}

impl RunCosts {
    /// Counts a run.
    pub fn of(record: &RunRecord, encoding: Encoding, images: ImageFormula) -> Self {
        let end = record.end.clone().unwrap_or_default();
        let calls = CallCosts::of(record, encoding, images);
        let sum = |of: fn(&CallCost) -> u64| calls.calls.iter().map(of).sum::<u64>();
        let mut costs = Self {
            calls: u32::try_from(record.calls.len()).unwrap_or(u32::MAX),
            turns: calls.turns,
            answered: sum(|call| call.answered),
            image_tokens: sum(|call| call.image_tokens),
            read: calls.read(),
            new: calls.last_context,
            own: sum(|call| call.own),
            is_own_assumed: calls.is_own_assumed,
            tool_ms: record.calls.iter().map(|call| call.ms).sum(),
            ms: end.ms,
            ..Self::default()
        };
        if calls.stopped {
            costs.own += end.said.as_deref().map_or(0, |said| u64::from(encoding.count(said).0));
        }
        for usage in record.calls.iter().filter_map(|call| call.usage).chain(end.usage) {
            *costs.usage.get_or_insert_default() += usage;
        }
        for waste in calls.calls.iter().filter_map(|call| call.waste) {
            match waste {
                Waste::Refused(kind) => *costs.errors.entry(kind).or_default() += 1,
                Waste::Repeated => costs.repeated += 1,
                Waste::NoEffect => costs.no_effect += 1,
            }
        }
        costs
    }

    /// Returns how many calls the tool refused.
    pub fn refused(&self) -> u32 {
        self.errors.values().sum()
    }

    /// Returns how many calls brought nothing: refused, repeated, without effect.
    pub fn wasted(&self) -> u32 {
        self.refused() + self.repeated + self.no_effect
    }
}
