//! What a site repeats: the rule, and what it says of a documentation.

mod graph_common;

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_reading::{BoilerplateIndex, Cut, PagePlace, Repeatable, blocks, extract};
use browserlens_trace::Trace;
use graph_common::page;
use proptest::prelude::*;
use std::collections::BTreeMap;

const ORIGIN: &str = "https://a.test";

fn text(text: &str) -> Repeatable<'_> {
    Repeatable { heading: None, text, by_lines: false }
}

fn list(text: &str) -> Repeatable<'_> {
    Repeatable { heading: None, text, by_lines: true }
}

fn heading(level: u8, text: &str) -> Repeatable<'_> {
    Repeatable { heading: Some(level), text, by_lines: false }
}

fn index_of(pages: &[&[Repeatable<'_>]]) -> BoilerplateIndex {
    let mut index = BoilerplateIndex::default();
    for (at, page) in pages.iter().enumerate() {
        index.add_page(&format!("{ORIGIN}/{at}"), page.iter().copied());
    }
    index
}

#[test]
fn a_text_on_three_pages_and_a_third_of_them_is_boilerplate() {
    let own: Vec<String> = (0..20).map(|at| format!("Own text {at}")).collect();
    let mut index = BoilerplateIndex::default();
    for (at, own) in own.iter().enumerate().take(2) {
        index.add_page(&format!("{ORIGIN}/{at}"), [text("© Example"), text(own)]);
        assert!(!index.is_boilerplate(ORIGIN, text("© Example")), "two pages prove nothing");
    }
    index.add_page(&format!("{ORIGIN}/2"), [text("©  EXAMPLE "), text(&own[2])]);
    assert!(index.is_boilerplate(ORIGIN, text("© Example")), "case and white space do not matter");
    assert!(!index.is_boilerplate(ORIGIN, text("Own text 2")));
    assert!(!index.is_boilerplate("https://b.test", text("© Example")), "of this origin only");
    assert_eq!((index.references(ORIGIN, "© example"), index.pages(ORIGIN)), (3, 3));
    for (at, own) in own.iter().enumerate().skip(3).take(7) {
        index.add_page(&format!("{ORIGIN}/{at}"), [text(own)]);
    }
    assert!(index.is_boilerplate(ORIGIN, text("© Example")), "three of ten are thirty percent");
    index.add_page(&format!("{ORIGIN}/10"), [text(&own[10])]);
    assert!(!index.is_boilerplate(ORIGIN, text("© Example")), "three of eleven are not");
}

#[test]
fn pages_are_told_apart_by_path_and_counted_again_when_seen_again() {
    let mut index = BoilerplateIndex::default();
    for url in ["?q=a", "?q=b", "?q=c", "?q=c", "?q=c#top"] {
        index.add_page(&format!("{ORIGIN}/search{url}"), [text("Results")]);
    }
    assert_eq!((index.pages(ORIGIN), index.references(ORIGIN, "Results")), (1, 1));
    index.remove_page(&format!("{ORIGIN}/search?q=a"));
    assert_eq!(index.references(ORIGIN, "Results"), 1);
    for url in ["?q=b#top", "?q=c"] {
        index.remove_page(&format!("{ORIGIN}/search{url}"));
    }
    assert_eq!((index.pages(ORIGIN), index.references(ORIGIN, "Results")), (0, 0));
}

#[test]
fn a_navigation_that_unfolds_is_taken_by_its_lines() {
    let index = index_of(&[
        &[list("Home\nGuides\nGuide A"), text("A")],
        &[list("Home\nGuides\nGuide B"), text("B")],
        &[list("Home\nGuides"), text("C")],
    ]);
    assert!(index.is_boilerplate(ORIGIN, list("Guides\nHome")));
    assert!(!index.is_boilerplate(ORIGIN, list("Home\nGuides\nGuide A")), "ten of seventeen characters");
    assert!(index.is_boilerplate(ORIGIN, list("Home\nGuides\nOwn")), "ten of thirteen");
    assert!(!index.is_boilerplate(ORIGIN, list("\n \n")) && !index.is_boilerplate(ORIGIN, text("  ")));
}

#[test]
fn a_repeated_heading_stays_where_something_of_its_own_stands_under_it() {
    let pages: Vec<Vec<Repeatable<'_>>> = ["One", "Two", "Three"]
        .into_iter()
        .map(|own| vec![heading(2, "Examples"), text(own), heading(3, "Feedback"), text("Was this useful?")])
        .collect();
    let index = index_of(&pages.iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert_eq!(index.kept(ORIGIN, pages[0].iter().copied()), [true, true, false, false]);
    let swapped = [heading(2, "Feedback"), text("Was this useful?"), heading(2, "Examples"), text("One")];
    assert_eq!(index.kept(ORIGIN, swapped), [false, false, true, true]);
    let deeper = [heading(2, "Examples"), heading(3, "Feedback"), text("One"), heading(2, "Feedback")];
    assert_eq!(index.kept(ORIGIN, deeper), [true, true, true, false]);
}

#[test]
fn a_page_of_nothing_but_repeated_text_keeps_it() {
    let same = [text("Not found"), text("© Example")];
    let index = index_of(&[&same, &same, &same]);
    assert_eq!(index.kept(ORIGIN, same), [true, true]);
    assert_eq!(index.kept(ORIGIN, [text("Not found"), text("Something else")]), [false, true]);
    assert_eq!(index.kept(ORIGIN, []), Vec::<bool>::new());
}

#[test]
fn addresses_without_a_host_are_sites_of_their_own() {
    assert_eq!(PagePlace::of("https://A.test:443/x/y?q#f").origin, "https://a.test");
    assert_eq!(PagePlace::of("https://a.test/x/y?q#f").path, "/x/y");
    assert_eq!(PagePlace::of("about:blank#1"), PagePlace { origin: "about:blank".into(), path: String::new() });
    assert_eq!(PagePlace::of("not an address").origin, "not an address");
}

#[test]
fn retrieval_is_given_what_the_page_says_of_its_own() {
    let source = |own: &str| format!("Example Inc.\n# Guide\nAbout {own}.\nWas this useful?\n## Legal\n© Example Inc.");
    let mut index = BoilerplateIndex::default();
    let pages = ["amber", "basalt", "copper"].map(|own| page(&format!("{ORIGIN}/{own}"), own, &source(own)));
    for page in &pages {
        index.add_page(page.url(), blocks(page).iter().map(Repeatable::from));
    }
    let extraction = extract(&pages[1], Cut::All);
    let own = index.own_sections(&extraction);
    let said: Vec<(&str, &str)> = own.sections.iter().map(|s| (s.heading.as_str(), s.content.as_str())).collect();
    assert_eq!(said, [("", ""), ("Guide", "About basalt."), ("Legal", "")]);
    assert_eq!(own.leave_out, [0, 2]);
    let fresh = BoilerplateIndex::default().own_sections(&extraction);
    assert_eq!((fresh.sections, fresh.leave_out), (extraction.sections, Vec::new()), "of an unknown site, all");
}

#[test]
fn most_of_a_documentation_is_not_boilerplate_and_some_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/docs-combine-three-documents.trace");
    let trace = Trace::open(path).expect("opens");
    let pages: Vec<Page> =
        (0..trace.len()).map(|step| trace.page(StepIndex(step)).expect("a page").0.clone()).collect();
    let mut index = BoilerplateIndex::default();
    for page in &pages {
        index.add_page(page.url(), blocks(page).iter().map(Repeatable::from));
    }
    let (mut kept, mut dropped) = (0, 0);
    for page in &pages {
        let blocks = blocks(page);
        let keep = index.kept(&PagePlace::of(page.url()).origin, blocks.iter().map(Repeatable::from));
        for (block, keep) in blocks.iter().zip(keep) {
            *if keep { &mut kept } else { &mut dropped } += block.text.chars().count();
        }
    }
    assert!(kept > dropped && dropped > 0, "{kept} {dropped}");
}

proptest! {
    #[test]
    fn the_order_of_adding_changes_nothing(
        pages in prop::collection::vec((0_u8..5, prop::collection::vec(0_u8..6, 0..5)), 0..12),
    ) {
        let add = |index: &mut BoilerplateIndex, (page, texts): &(u8, Vec<u8>)| {
            let texts: Vec<String> = texts.iter().map(|text| format!("text {text}")).collect();
            index.add_page(&format!("{ORIGIN}/{page}"), texts.iter().map(|one| text(one)));
        };
        let mut all = BoilerplateIndex::default();
        pages.iter().for_each(|page| add(&mut all, page));
        // Only the last state of each page counts, in any order.
        let last: BTreeMap<u8, Vec<u8>> = pages.iter().cloned().collect();
        let mut fresh = BoilerplateIndex::default();
        last.into_iter().rev().for_each(|page| add(&mut fresh, &page));
        for number in 0..6 {
            let one = format!("text {number}");
            prop_assert_eq!(all.references(ORIGIN, &one), fresh.references(ORIGIN, &one));
            prop_assert_eq!(all.is_boilerplate(ORIGIN, text(&one)), fresh.is_boilerplate(ORIGIN, text(&one)));
        }
        prop_assert_eq!(all.pages(ORIGIN), fresh.pages(ORIGIN));
    }
}
