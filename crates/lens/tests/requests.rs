//! What is left out under a budget is brought by `more` and `expand`, within the same budget.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::{Request, Run, StepIndex};
use browserlens_core::tokens::Encoding;
use browserlens_lens::extract::Grade;
use browserlens_lens::reference::{Reference, unmarked_differences};
use browserlens_lens::{Lens, LensOptions, Representation, ShownState};
use browserlens_trace::Trace;
use common::{a11y, laws, observe, page};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

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

/// The bundled listing of 142 cards under the budget of `lens/budget-1500`: every mark that stands
/// for items can be asked for.
#[test]
fn what_a_budget_leaves_out_of_the_recorded_listing_is_brought() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let page = Arc::new(Trace::open(&path).unwrap().page(StepIndex(2)).unwrap().0);
    let reference = Reference::of(&page, Representation::A11y, Grade::All, 0);
    let mut lens = Lens::new(LensOptions { budget: Some(1_500), ..a11y() });
    let mut shown = ShownState::default();
    shown.apply(&observe(&mut lens, 0, &page).text).unwrap();
    let most = shown.elided().into_iter().max_by_key(|mark| mark.count).unwrap();
    let (handle, count) = (most.handle.unwrap().to_string(), most.count.unwrap());
    assert!(count > 31, "of 142 cards {count} are left out");
    for request in
        [Request::More { handle: handle.clone(), from: 31, to: 142 }, Request::Query { text: "add to cart".to_owned() }]
    {
        let before = shown.nodes().count();
        let answer = lens.request(&request).unwrap();
        let cost = Encoding::O200kBase.count(&answer.text).0;
        assert!(cost <= 1_500, "{request}: {cost} tokens");
        shown.apply(&answer.text).unwrap();
        assert!(shown.nodes().count() > before, "{request} brings nothing:\n{}", answer.text);
        assert_eq!(unmarked_differences(&shown, &reference), 0, "{request}:\n{}", answer.text);
    }
}

/// A document of 60 paragraphs of which six lie in the viewport, from `top` on.
fn scrolled_to(top: usize) -> Arc<Page> {
    let paragraph = |n: usize| {
        let place = if (top..top + 6).contains(&n) { "" } else { " offscreen" };
        format!(
            "  paragraph #{}{place}\n    text \"Paragraph {n} of the manual says what to do about part {n}.\" \
                #{}{place}\n",
            100 + n,
            300 + n
        )
    };
    let paragraphs: String = (0..60).map(paragraph).collect();
    page("https://docs.test/manual", "Manual", 1, &format!("main #1\n{paragraphs}"))
}

#[test]
fn what_is_scrolled_into_view_is_told_as_far_as_there_is_room() {
    let mut lens = Lens::new(LensOptions { budget: Some(400), ..a11y() });
    let mut shown = ShownState::default();
    shown.apply(&observe(&mut lens, 0, &scrolled_to(0)).text).unwrap();
    let jumped = observe(&mut lens, 1, &scrolled_to(40)).text;
    shown.apply(&jumped).unwrap();
    for n in 40..46 {
        assert!(jumped.contains(&format!("Paragraph {n} of")), "{jumped}");
    }
    assert!(jumped.starts_with("[DELTA 0→1]") && !jumped.contains("Paragraph 39 of"), "{jumped}");
    // What was told is not told again, and nothing is scrolled into view where nothing moved.
    assert_eq!(observe(&mut lens, 2, &scrolled_to(40)).text, "[DELTA 1→2: 0 changes]");
    // Where there is no room for all of it, the first of it is told.
    let mut lens = Lens::new(LensOptions { budget: Some(120), ..a11y() });
    observe(&mut lens, 0, &scrolled_to(0));
    let jumped = observe(&mut lens, 1, &scrolled_to(40)).text;
    assert!(jumped.contains("Paragraph 40 of") && !jumped.contains("Paragraph 45 of"), "{jumped}");
    assert!(Encoding::O200kBase.count(&jumped).0 <= 120, "{jumped}");
}
