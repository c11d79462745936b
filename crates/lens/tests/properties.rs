//! What must hold of every run, on pages that change as real ones do.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Flags, NodeSpec, PageBuilder};
use browserlens_lens::budget::ranking;
use browserlens_lens::differ::SemanticFilter;
use browserlens_lens::extract::{ExtractOptions, Grade, extract};
use browserlens_lens::format::write;
use browserlens_lens::{LensOptions, Representation, ShownState, Style, parse};
use common::site::{Op, Site};
use common::witness::{any_lines, budget, run, says_nothing_twice, story};
use common::{a11y, always_delta};
use proptest::prelude::*;
use std::collections::HashSet;

/// `PROPTEST_CASES` asks for more.
fn cases(count: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { count };
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
    fn with_filters_off_and_no_budget_the_shown_state_is_the_reference(
        (site, ops) in story(), limit in prop::sample::select(&[60, 100_000]),
    ) {
        let options = LensOptions { filter: SemanticFilter::default(), delta_limit_percent: limit, ..a11y() };
        run(&options, site, &ops, None, true)?;
    }

    #[test]
    fn under_filters_budgets_and_requests_nothing_is_wrong_without_a_mark(
        (site, ops) in story(), budget in budget(), pick in 0..8usize, seed in any::<bool>(),
    ) {
        // The seed's style gives refs to headings as well, which the generator has no entities for.
        let style = Style { heading_refs: false, ..if seed { Style::SEED } else { Style::DEFAULT } };
        run(&LensOptions { budget: Some(budget), style, ..always_delta() }, site, &ops, Some(pick), false)?;
    }

    #[test]
    fn under_filters_alone_nothing_is_wrong_without_a_mark_and_alerts_are_told(
        (site, ops) in story(), pick in 0..8usize,
    ) {
        run(&always_delta(), site, &ops, Some(pick), false)?;
    }

    #[test]
    fn long_names_are_cut_and_brought_back((site, ops) in story(), limit in 3..40usize, pick in 0..8usize) {
        run(&LensOptions { longest_name: Some(limit), ..always_delta() }, site, &ops, Some(pick), false)?;
    }

    #[test]
    fn every_grade_of_the_distilled_dom_keeps_to_its_reference(
        (site, ops) in story(), grade in prop::sample::select(&Grade::ALL), pick in 0..4usize,
    ) {
        let options = LensOptions { representation: Some(Representation::Dom), grade, ..always_delta() };
        run(&options, site, &ops, Some(pick), false)?;
    }

    #[test]
    fn the_same_page_again_is_no_change((site, ops) in story(), budget in budget()) {
        says_nothing_twice(site, &ops, budget)?;
    }

    #[test]
    fn no_text_makes_the_parser_panic_or_lie(lines in any_lines()) {
        let text = lines.join("\n");
        if let Ok(read) = parse(&text) {
            prop_assert_eq!(parse(&write(&read, Style::DEFAULT)), Ok(read.clone()));
            let mut shown = ShownState::default();
            let _ = shown.apply("[FULL PAGE STATE] a | b\n- main: link \"a\" @e1, \"x\", … 2 more items @m1");
            let before = shown.clone();
            // A text that does not apply changes nothing.
            if shown.apply_observed(&read).is_err() {
                prop_assert_eq!(&shown, &before, "a trace of\n{}", text);
            }
            let _ = shown.find_text("x y");
        }
    }
}

/// Found by the properties above: a renamed region that was known to change by itself covered the
/// marks in it.
#[test]
fn a_container_is_not_volatile_for_its_name() {
    let site = Site::new(0, false, "a".to_owned());
    let ops = vec![vec![Op::Insert(0, "a 0a".to_owned())], vec![Op::Section("a".to_owned())]];
    let options = LensOptions { budget: Some(57), ..always_delta() };
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
        let options = LensOptions { budget: Some(budget), ..always_delta() };
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
        let told = says_nothing_twice(site.clone(), &ops, budget);
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
