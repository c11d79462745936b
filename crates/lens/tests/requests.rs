//! What is left out under a budget is brought by `more` and `expand`, within the same budget.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::{Observation, Request, Run, StepIndex};
use browserlens_core::tokens::Encoding;
use browserlens_lens::{Lens, LensOptions, ShownState};
use browserlens_trace::Trace;
use common::{a11y, lines, observe, owed, page, read, says};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn tokens(text: &str) -> u32 {
    Encoding::O200kBase.count(text).0
}

/// What an agent asks of a page under a budget, and what it knows.
struct Asker {
    lens: Lens,
    shown: ShownState,
    page: Arc<Page>,
    budget: u32,
}

impl Asker {
    fn of(page: Arc<Page>, budget: u32) -> Self {
        let mut lens = Lens::new(LensOptions { budget: Some(budget), ..a11y() });
        let shown = read([observe(&mut lens, 0, &page).text.as_str()]);
        Self { lens, shown, page, budget }
    }

    /// A list of which each item says its number.
    fn of_list(items: u32, budget: u32) -> Self {
        let rows =
            lines(items, |n| format!("    listitem\n      link \"Product {}\"\n      text \"${}.99\"\n", n + 1, n + 1));
        let outline = format!("main\n  heading \"Results\"\n  list \"All\"\n{rows}");
        Self::of(page("https://shop.test/", "Shop", 1, &outline), budget)
    }

    /// Asks, and reads the answer, which keeps to the budget and hides nothing without a mark.
    fn ask(&mut self, request: &Request) -> Observation {
        let answer = self.lens.request(request).unwrap();
        let text = &answer.text;
        assert!(tokens(text) <= self.budget, "{request} is over a budget of {}:\n{text}", self.budget);
        self.shown.apply(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        assert_eq!(owed(&self.shown, &self.page), 0, "{request}:\n{text}");
        answer
    }

    fn products(&self) -> BTreeSet<u32> {
        let links = self.shown.nodes().filter(|node| node.role() == "link");
        links.filter_map(|node| node.name().strip_prefix("Product ")?.parse().ok()).collect()
    }
}

/// `more @m1 31-142` brings these items and no others: all of them, or the first of them where the
/// budget is too small for all, and never none while there is room for one.
fn more_brings_what_was_asked_for(items: u32, budget: u32, from: u32, to: u32) {
    let mut asker = Asker::of_list(items, budget);
    let before = asker.products();
    let marks = asker.shown.elided().into_iter().filter(|mark| mark.count.is_some_and(|count| count > 1));
    let [mark] = &marks.collect::<Vec<_>>()[..] else { return };
    let (handle, count) = (mark.handle.unwrap().to_string(), mark.count.unwrap());
    // Items are cut from the end.
    let first = items - count + 1;
    assert_eq!(before, (1..first).collect());
    let (from, to) = (from.min(count), to.min(count));
    let answer = asker.ask(&Request::More { handle, from, to });
    let brought: Vec<u32> = asker.products().difference(&before).copied().collect();
    let asked: Vec<u32> = (first + from - 1..first + to).collect();
    assert!(!brought.is_empty() && asked.starts_with(&brought), "{asked:?}: {brought:?} in\n{}", answer.text);
    let refs: BTreeSet<String> = answer.refs.iter().map(|target| target.handle.clone()).collect();
    let shown = asker.shown.nodes().filter_map(|node| node.reference());
    assert!(shown.into_iter().all(|shown| refs.contains(&shown.to_string())), "{}", answer.text);
}

#[test]
fn more_31_to_142_brings_those_items() {
    for (from, to) in [(1, 1), (31, 142), (5, 9), (100, 100)] {
        more_brings_what_was_asked_for(142, 1_500, from, to);
        more_brings_what_was_asked_for(142, 300, from, to);
    }
}

#[test]
fn expanding_again_and_again_brings_everything() {
    for (items, budget) in [(12, 90), (40, 120), (142, 1_500), (142, 200)] {
        let mut asker = Asker::of_list(items, budget);
        for _ in 0..=items {
            let Some(handle) = asker.shown.elided().first().and_then(|mark| mark.handle) else { break };
            asker.ask(&Request::Expand { handle: handle.to_string() });
        }
        assert_eq!((asker.products(), asker.shown.elided()), ((1..=items).collect(), Vec::new()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_brings_what_was_asked_for_of_any_list(
        items in 10..60u32, budget in 90..200u32, from in 1..40u32, more in 0..6u32,
    ) {
        more_brings_what_was_asked_for(items, budget, from, from + more);
    }
}

/// The bundled listing of 142 cards under the budget of `lens/budget-1500`: every mark that stands
/// for items can be asked for.
#[test]
fn what_a_budget_leaves_out_of_the_recorded_listing_is_brought() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let page = Arc::new(Trace::open(&path).unwrap().page(StepIndex(2)).unwrap().0);
    let mut asker = Asker::of(page, 1_500);
    let most = asker.shown.elided().into_iter().max_by_key(|mark| mark.count).unwrap();
    let (handle, count) = (most.handle.unwrap().to_string(), most.count.unwrap());
    assert!(count > 31, "of 142 cards {count} are left out");
    for request in [Request::More { handle, from: 31, to: 142 }, Request::Query { text: "add to cart".to_owned() }] {
        let before = asker.shown.nodes().count();
        let answer = asker.ask(&request);
        assert!(asker.shown.nodes().count() > before, "{request} brings nothing:\n{}", answer.text);
    }
}

/// A document of 60 paragraphs of which six lie in the viewport, from `top` on.
fn scrolled_to(top: u32) -> Arc<Page> {
    let paragraphs = lines(60, |n| {
        let place = if (top..top + 6).contains(&n) { "" } else { " offscreen" };
        format!(
            "  paragraph #{}{place}\n    text \"Paragraph {n} of the manual says what to do about part {n}.\" \
                #{}{place}\n",
            100 + n,
            300 + n
        )
    });
    page("https://docs.test/manual", "Manual", 1, &format!("main #1\n{paragraphs}"))
}

#[test]
fn what_is_scrolled_into_view_is_told_as_far_as_there_is_room() {
    let jumped = |budget: u32| {
        let mut lens = Lens::new(LensOptions { budget: Some(budget), ..a11y() });
        observe(&mut lens, 0, &scrolled_to(0));
        let jumped = observe(&mut lens, 1, &scrolled_to(40)).text;
        (lens, jumped)
    };
    let (mut lens, told) = jumped(400);
    (40..46).for_each(|n| says(&told, &format!("Paragraph {n} of")));
    assert!(told.starts_with("[DELTA 0→1]") && !told.contains("Paragraph 39 of"), "{told}");
    // What was told is not told again, and nothing is scrolled into view where nothing moved.
    assert_eq!(observe(&mut lens, 2, &scrolled_to(40)).text, "[DELTA 1→2: 0 changes]");
    // Where there is no room for all of it, the first of it is told.
    let (_, told) = jumped(120);
    assert!(told.contains("Paragraph 40 of") && !told.contains("Paragraph 45 of"), "{told}");
    assert!(tokens(&told) <= 120, "{told}");
}

#[test]
fn what_is_urgent_comes_before_the_rest_under_a_small_budget() {
    let links = lines(80, |n| format!("  link \"Topic number {n}\"\n"));
    for urgent in
        ["alert\n  text \"The card was refused\"\n", "dialog \"The card was refused\" modal\n  button \"OK\"\n"]
    {
        let page = page("https://a.test/", "Pay", 1, &format!("main\n{links}{urgent}"));
        let told = observe(&mut Lens::new(LensOptions { budget: Some(100), ..a11y() }), 0, &page).text;
        says(&told, "The card was refused");
        says(&told, "more item");
    }
}
