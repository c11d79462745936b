//! What must hold of every run, on pages that change as real ones do.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Flags, NodeSpec, PageBuilder};
use browserlens_lens::LensOptions;
use browserlens_lens::budget::ranking;
use browserlens_lens::extract::{ExtractOptions, extract};
use common::a11y;
use common::site::{Op, Site};
use common::witness::{self, any_lines, budget, run, story};
use proptest::prelude::*;
use std::collections::HashSet;

/// `PROPTEST_CASES` asks for more.
fn cases(count: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if asked { default.cases } else { count };
    // Some properties pass over many cases: the more are asked for, the more of those.
    ProptestConfig {
        cases,
        max_global_rejects: default.max_global_rejects.max(16 * cases),
        failure_persistence: None,
        ..default
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn with_filters_off_and_no_budget_the_shown_state_is_the_reference(case in (story(), any::<bool>())) {
        witness::is_the_reference(case)?;
    }

    #[test]
    fn under_filters_budgets_and_requests_nothing_is_wrong_without_a_mark(case in (story(), budget(), 0..8usize,
        any::<bool>())) {
        witness::holds_under_budgets(case)?;
    }

    #[test]
    fn under_filters_alone_nothing_is_wrong_without_a_mark_and_alerts_are_told(case in (story(), 0..8usize)) {
        witness::holds_under_filters(case)?;
    }

    #[test]
    fn long_names_are_cut_and_brought_back(case in (story(), 3..40usize, 0..8usize)) {
        witness::cuts_names_and_brings_them_back(case)?;
    }

    #[test]
    fn every_grade_of_the_distilled_dom_keeps_to_its_reference(case in (story(), 0..3usize, 0..4usize)) {
        witness::keeps_to_every_grade(case)?;
    }

    #[test]
    fn the_same_page_again_is_no_change(case in (story(), budget())) {
        witness::says_nothing_twice(case)?;
    }

    #[test]
    fn no_text_makes_the_parser_panic_or_lie(lines in any_lines()) {
        witness::refuses_without_a_trace(lines)?;
    }
}

/// Found by the properties above: a renamed region that was known to change by itself covered the
/// marks in it.
#[test]
fn a_container_is_not_volatile_for_its_name() {
    let site = Site::new(0, false, "a".to_owned());
    let ops = vec![vec![Op::Insert(0, "a 0a".to_owned())], vec![Op::Section("a".to_owned())]];
    let options = LensOptions { budget: Some(57), delta_limit_percent: 100_000, ..a11y() };
    run(&options, site, &ops, Some(4), false).unwrap();
}

/// Found by the properties above: after a text that had room for nothing, a delta from an earlier
/// state was read as one from that nothing.
#[test]
fn after_a_text_that_says_nothing_a_delta_starts_from_the_step_it_names() {
    for budget in 1..120 {
        let site = Site::new(0, false, "a".to_owned());
        let fill = |text: &str| vec![Op::Fill(text.to_owned())];
        let ops = vec![vec![Op::Dialog], fill("\u{1b51}ஒ🕀aເ🕀 𞣇¡ "), fill("a")];
        let options = LensOptions { budget: Some(budget), delta_limit_percent: 100_000, ..a11y() };
        run(&options, site, &ops, Some(0), false).unwrap_or_else(|error| panic!("budget {budget}: {error}"));
    }
}

/// Found by the properties above: title and URL had no room the first time, and were the one thing
/// a delta had to say.
#[test]
fn a_head_that_was_cut_is_said_in_full_as_soon_as_it_fits() {
    let site = Site::new(0, false, "a".to_owned());
    let url = " a0\u{11680}a¡🌀Σ🕀\u{16fc0}0\u{20d0}🉐A0🩰\u{fb38}0\u{1d440}".to_owned();
    let ops = vec![vec![Op::Fill(url)], vec![Op::Tick, Op::Navigate(0, "aAAaA jv5m".to_owned())]];
    for budget in 0..60 {
        // Budgets without room for a full text say nothing here, and are passed over.
        let told = witness::says_nothing_twice(((site.clone(), ops.clone()), budget));
        assert!(!matches!(&told, Err(TestCaseError::Fail(_))), "budget {budget}: {told:?}");
    }
}

/// Found by the properties above: a name with an `s` of its own was taken for a time, so that the
/// row did not say what it is.
#[test]
fn a_recycled_row_is_another_thing_whatever_words_its_name_has() {
    for name in ["men's shoes", "a minute hand", "5 minutes away"] {
        let site = Site::new(3, false, "a".to_owned());
        let ops = vec![
            vec![Op::Rename(2, name.to_owned())],
            vec![Op::Toggle(0), Op::Recycle(1), Op::Insert(7, "new".to_owned())],
        ];
        run(&a11y(), site, &ops, Some(4), true).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// What a budget keeps first, of what was in sight before and what came out of sight.
#[test]
fn what_is_new_out_of_sight_is_worth_more_than_a_known_text_in_sight() {
    let mut page = PageBuilder::new("https://test.test/", "Test");
    let block = |flags| NodeSpec { flags, ..NodeSpec::default() };
    for (text, flags) in [("Known here", Flags::IN_VIEWPORT), ("Known there", Flags::NONE), ("New there", Flags::NONE)]
    {
        page.open(block(flags.with(Flags::BLOCK)));
        page.leaf(NodeSpec { flags, ..NodeSpec::text_node(text) });
        page.close();
    }
    page.open(NodeSpec { flags: Flags::BLOCK, ..NodeSpec::with_role("list", "") });
    for at in 0..14 {
        page.leaf(NodeSpec { flags: Flags::BLOCK, ..NodeSpec::with_role("listitem", &format!("Item {at}")) });
    }
    page.close();
    let view = extract(&page.finish(), &HashSet::new(), &ExtractOptions::default());
    let is_new = |name: &str| name.starts_with("New") || name == "Item 13";
    let new = view.tree.items().filter(|(_, item)| is_new(&item.name)).map(|(id, _)| id).collect();
    let names: Vec<&str> = ranking(&view, &new).iter().map(|id| &*view.tree.item(*id).name).collect();
    assert_eq!(names[..4], ["New there", "Known here", "Known there", "Item 0"]);
    // Of a long list the rest comes last, what is new of it before what was known.
    assert_eq!(names[14..], ["Item 11", "Item 13", "Item 12"]);
}
