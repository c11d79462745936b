//! What is left out under a budget is brought by `more` and `expand`, within the same budget.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::laws;
use proptest::prelude::*;

#[test]
fn more_31_to_142_brings_those_items() {
    for (from, to) in [(1, 1), (31, 142), (5, 9), (100, 100)] {
        laws::more_brings_what_was_asked_for(142, 1_500, from, to).unwrap();
        laws::more_brings_what_was_asked_for(142, 300, from, to).unwrap();
    }
}

#[test]
fn expanding_again_and_again_brings_everything() {
    for (items, budget) in [(12, 90), (40, 120), (142, 1_500), (142, 200)] {
        laws::expanding_brings_everything(items, budget).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_brings_what_was_asked_for(items in 10..60u32, budget in 90..200u32, from in 1..40u32, more in 0..6u32) {
        laws::more_brings_what_was_asked_for(items, budget, from, from + more).map_err(TestCaseError::fail)?;
    }
}
