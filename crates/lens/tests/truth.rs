//! The counter of unmarked differences counts, and deep and large pages go through.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::capture::ChangedAlone;
use browserlens_core::page::{NodeKey, NodeSpec, PageBuilder, SecondLook};
use browserlens_core::strategy::{ObservationKind, Request, Run};
use browserlens_lens::{Lens, LensOptions, ShownState};
use common::laws::{self, TOLD, differences};
use common::{a11y, observe, page, try_observe};
use std::sync::Arc;

#[test]
fn what_is_told_in_full_differs_in_nothing() {
    assert_eq!(differences(TOLD), 0);
}

#[test]
fn every_kind_of_lie_is_counted() {
    laws::every_kind_of_lie_is_counted().unwrap();
}

#[test]
fn marks_cover_what_they_say_and_no_more() {
    for (truth, marked) in [
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", "\n    - … 1 more item @m1"),
        ("\"Total 42.00\"", "\"Tot\"… +8 chars @m1"),
        ("\"Total 42.00\"", "\"Total 41.00\" volatile"),
    ] {
        assert_eq!(differences(&TOLD.replacen(truth, marked, 1)), 0, "{marked}");
    }
    assert_eq!(differences("…"), 0);
    assert_eq!(differences("… @m4"), 0);
}

fn nested(depth: u32, named: bool) -> Arc<browserlens_core::page::Page> {
    let mut builder = PageBuilder::new("https://deep.test/", "Deep");
    for level in 0..depth {
        let role = if named { "group" } else { "generic" };
        builder.open(NodeSpec::with_role(role, if named { "g" } else { "" }));
        if named && level % 100 == 0 {
            builder.text("x");
        }
    }
    builder.leaf(NodeSpec::with_role("button", "Bottom"));
    Arc::new(builder.finish())
}

#[test]
fn a_page_nested_ten_thousand_deep_fits_a_small_stack() {
    let work = || {
        for named in [false, true] {
            let mut lens = Lens::new(a11y());
            let first = observe(&mut lens, 0, &nested(10_000, named));
            assert!(first.text.contains("button \"Bottom\""), "{named}");
            assert!(first.text.len() < 2_000_000, "{}", first.text.len());
            observe(&mut lens, 1, &nested(9_999, named));
            let mut shown = ShownState::default();
            shown.apply(&first.text).unwrap();
            assert!(shown.find_text("Bottom"));
        }
        let mut lens = Lens::new(LensOptions { budget: Some(80), ..a11y() });
        observe(&mut lens, 0, &nested(10_000, true));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_clock_is_hidden_by_evidence_counted_and_marked_once() {
    let at = |time: &str, total: &str| {
        let links: String = (0..30).map(|n| format!("  link \"Topic {n}\" #{}\n", 100 + n)).collect();
        let outline = format!("main #2\n  text \"{time}\" #3\n  heading \"Order\" #4\n  text \"{total}\" #5\n{links}");
        page("https://a.test/", "Clock", 1, &outline)
    };
    let key = NodeKey { frame: 1, loader: 1, backend: 3 };
    let look = SecondLook {
        waited_ms: 10_000,
        changed: vec![ChangedAlone { key, fields: vec!["text".to_owned()] }],
        ..SecondLook::default()
    };
    let mut lens = Lens::new(a11y());
    observe(&mut lens, 0, &at("12:00", "Total 1"));
    let mut texts = Vec::new();
    for (step, total) in [(1, "Total 1"), (2, "Total 2"), (3, "Total 2")] {
        let told = try_observe(&mut lens, step, &at(&format!("12:0{step}"), total), Some(&look)).unwrap();
        assert_eq!((told.unmarked_differences, &told.kind), (Some(0), &ObservationKind::Delta));
        texts.push(told.text);
    }
    insta::assert_snapshot!(texts.join("\n\n"), @r#"
    [DELTA 0→1]
    CHANGED: text "12:00" → "12:01"

    [DELTA 1→2, 1 volatile hidden]
    CHANGED: text "Total 1" → "Total 2"
    VOLATILE: text "12:01"

    [DELTA 2→3, 1 volatile hidden]
    "#);
}

#[test]
fn what_a_budget_cut_is_brought_back_by_its_handle() {
    let mut outline = String::from("main\n  heading \"Results\"\n  list \"All\"\n");
    for item in 0..30 {
        outline +=
            &format!("    listitem\n      link \"Product {item}\" offscreen\n      text \"${item}.99\" offscreen\n");
    }
    let page = page("https://shop.test/", "Shop", 1, &outline);
    let mut lens = Lens::new(LensOptions { budget: Some(150), ..a11y() });
    let first = observe(&mut lens, 0, &page);
    let mut shown = ShownState::default();
    shown.apply(&first.text).unwrap();
    let handle = shown.elided()[0].handle.unwrap().to_string();
    let more = lens.request(&Request::More { handle, from: 11, to: 12 }).unwrap();
    assert_eq!(more.unmarked_differences, Some(0));
    shown.apply(&more.text).unwrap();
    insta::assert_snapshot!(format!("{}\n\n{}", first.text, more.text), @r#"
    [FULL PAGE STATE 0] Shop | https://shop.test/
    - main: heading "Results"
      - list "All": 8 × listitem (link "Product {1}" @, "{2}"):
    1|0 | $0.99
    2|1 | $1.99
    3|2 | $2.99
    4|3 | $3.99
    5|4 | $4.99
    6|5 | $5.99
    7|6 | $6.99
    8|7 | $7.99
        - … 22 more items @m1

    [ANSWER more \@m1 11-12]
    ELIDED: … 10 more items @m1
    ADDED in list "All":
      - 2 × like @e1:
    9|18 | $18.99
    10|19 | $19.99
      - … 10 more items @m2
    "#);
    assert!(lens.request(&Request::Expand { handle: "@m99".to_owned() }).is_err());
    let found = lens.request(&Request::Query { text: "product 27".to_owned() }).unwrap();
    shown.apply(&found.text).unwrap();
    assert!(shown.find_text("Product 27 $27.99"), "{}", found.text);
}

#[test]
fn text_is_found_as_an_agent_reads_it() {
    let mut shown = ShownState::default();
    shown
        .apply(
            "[FULL PAGE STATE] a | b\n- main: \"See the\", link \"terms\" @e1 \"of 2026.\", \"Next\", \"block\"\n  - \
                row: cell \"Total\", cell \"42.00\"\n  - row: cell \"VAT\", textbox \"Rate\" @e2 value: \"19 %\"",
        )
        .unwrap();
    for found in ["See the terms of 2026.", "the  terms\nof", "Total 42.00", "19 %", "termsof"] {
        assert!(shown.find_text(found), "{found:?}");
    }
    for absent in ["Next block", "42.00 VAT", "terms 2026", "see the"] {
        assert!(!shown.find_text(absent), "{absent:?}");
    }
}
