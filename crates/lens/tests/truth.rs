//! The counter of unmarked differences counts, and deep and large pages go through.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Flags, NodeSpec, Page, PageBuilder};
use browserlens_core::strategy::{ObservationKind, Request, Run};
use browserlens_lens::{Lens, LensOptions};
use common::{a11y, lines, look, observe, owed, page, read, try_observe};
use std::sync::Arc;

const CART: &str = r#"
main
  heading "Cart"
  button "Pay" disabled
  text "Total 42.00"
  list "Items"
    listitem
      link "Lamp"
      text "12.00"
    listitem
      link "Desk"
      text "30.00"
"#;

const TOLD: &str = r#"[FULL PAGE STATE] Shop | https://a.test/
- main: heading "Cart", button "Pay" @e1 disabled, "Total 42.00"
  - list "Items":
    - listitem: link "Lamp" @e2 "12.00"
    - listitem: link "Desk" @e3 "30.00""#;

/// What a reader of a text owes to the cart.
fn differences(text: &str) -> u32 {
    owed(&read([text]), &page("https://a.test/", "Shop", 1, CART))
}

#[test]
fn what_is_told_in_full_differs_in_nothing() {
    assert_eq!(differences(TOLD), 0);
}

#[test]
fn every_kind_of_lie_is_counted() {
    for (truth, lie) in [
        ("Shop |", "Shops |"),
        ("a.test/", "b.test/"),
        ("\"Cart\"", "\"Basket\""),
        (" disabled", ""),
        (" disabled", " disabled focused"),
        ("42.00", "41.00"),
        ("\"Pay\" @e1", "\"Pay\""),
        ("\"Pay\" @e1 disabled", "\"Pay\" @e1 disabled value: \"1\""),
        ("link \"Lamp\" @e2 \"12.00\"", "link \"Lamp\" @e2"),
        (", \"Total 42.00\"", ""),
        (", \"Total 42.00\"", ", \"Total 42.00\", \"extra\""),
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", ""),
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", "\n    - … 2 more items @m1"),
        ("\"Total 42.00\"", "\"Tot\"… +7 chars @m1"),
        ("button \"Pay\" @e1 disabled", "button \"Pay\" @e1 volatile"),
    ] {
        let text = TOLD.replacen(truth, lie, 1);
        assert_ne!(text, TOLD, "{truth}");
        assert!(differences(&text) > 0, "not counted: {truth} → {lie}");
    }
}

#[test]
fn marks_cover_what_they_say_and_no_more() {
    for (truth, marked) in [
        ("\n    - listitem: link \"Desk\" @e3 \"30.00\"", "\n    - … 1 more item @m1"),
        ("\"Total 42.00\"", "\"Tot\"… +8 chars @m1"),
        ("\"Total 42.00\"", "\"Total 41.00\" volatile"),
        (TOLD, "…"),
        (TOLD, "… @m4"),
    ] {
        assert_eq!(differences(&TOLD.replacen(truth, marked, 1)), 0, "{marked}");
    }
}

fn nested(depth: u32, named: bool) -> Arc<Page> {
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
            assert!(read([first.text.as_str()]).find_text("Bottom"));
        }
        let mut lens = Lens::new(LensOptions { budget: Some(80), ..a11y() });
        observe(&mut lens, 0, &nested(10_000, true));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_clock_is_hidden_by_evidence_counted_and_marked_once() {
    let at = |time: &str, total: &str| {
        let links = lines(30, |n| format!("  link \"Topic {n}\" #{}\n", 100 + n));
        let outline = format!("main #2\n  text \"{time}\" #3\n  heading \"Order\" #4\n  text \"{total}\" #5\n{links}");
        page("https://a.test/", "Clock", 1, &outline)
    };
    let mut lens = Lens::new(a11y());
    observe(&mut lens, 0, &at("12:00", "Total 1"));
    let mut texts = Vec::new();
    for (step, total) in [(1, "Total 1"), (2, "Total 2"), (3, "Total 2")] {
        let told = try_observe(&mut lens, step, &at(&format!("12:0{step}"), total), Some(&look(&[3]))).unwrap();
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
    let rows = lines(30, |item| {
        format!("    listitem\n      link \"Product {item}\" offscreen\n      text \"${item}.99\" offscreen\n")
    });
    let outline = format!("main\n  heading \"Results\"\n  list \"All\"\n{rows}");
    let page = page("https://shop.test/", "Shop", 1, &outline);
    let mut lens = Lens::new(LensOptions { budget: Some(150), ..a11y() });
    let first = observe(&mut lens, 0, &page);
    let mut shown = read([first.text.as_str()]);
    let handle = shown.elided()[0].handle.unwrap().to_string();
    let more = lens.request(&Request::More { handle, from: 11, to: 12 }).unwrap();
    assert_eq!(more.unmarked_differences, Some(0));
    shown.apply(&more.text).unwrap();
    insta::assert_snapshot!(format!("{}\n\n{}", first.text, more.text), @r#"
    [FULL PAGE STATE 0] Shop | https://shop.test/
    - main: heading "Results"
      - list "All": 11 × listitem (link "Product {1}" @, "${2}"):
    1|0 |0.99
    2|1 |1.99
    3|2 |2.99
    4|3 |3.99
    5|4 |4.99
    6|5 |5.99
    7|6 |6.99
    8|7 |7.99
    9|8 |8.99
    10|9 |9.99
    11|10 |10.99
        - … 19 more items @m1

    [ANSWER more \@m1 11-12]
    ELIDED: … 10 more items @m1
    ADDED in list "All":
      - 2 × like @e1:
    12|21 |21.99
    13|22 |22.99
      - … 7 more items @m2
    "#);
    assert!(lens.request(&Request::Expand { handle: "@m99".to_owned() }).is_err());
    let found = lens.request(&Request::Query { text: "product 27".to_owned() }).unwrap();
    shown.apply(&found.text).unwrap();
    assert!(shown.find_text("Product 27 $27.99"), "{}", found.text);
}

#[test]
fn text_is_found_as_an_agent_reads_it() {
    let shown = read([r#"[FULL PAGE STATE] a | b
- main: "See the", link "terms" @e1 "of 2026.", "Next", "block"
  - row: cell "Total", cell "42.00"
  - row: cell "VAT", textbox "Rate" @e2 value: "19 %""#]);
    for found in ["See the terms of 2026.", "the  terms\nof", "Total 42.00", "19 %", "termsof"] {
        assert!(shown.find_text(found), "{found:?}");
    }
    for absent in ["Next block", "42.00 VAT", "terms 2026", "see the"] {
        assert!(!shown.find_text(absent), "{absent:?}");
    }
}

#[test]
fn a_list_that_draws_a_part_is_a_group_whether_or_not_the_browser_gives_it_a_role() {
    for role in ["", "generic", "rowgroup"] {
        let mut builder = PageBuilder::new("https://a.test/", "Rows");
        builder.document(1, 1);
        let flags = Flags::IN_VIEWPORT.with(Flags::PARTIAL).with(Flags::SCROLLER);
        builder.open(NodeSpec { role, flags, ..NodeSpec::default() });
        for name in ["One", "Two"] {
            builder.leaf(NodeSpec { flags: Flags::IN_VIEWPORT, ..NodeSpec::with_role("button", name) });
        }
        let told = observe(&mut Lens::new(a11y()), 0, &Arc::new(builder.finish()));
        assert!(told.text.contains("group @e1 partial: button \"One\" @e2"), "{role}: {}", told.text);
    }
}
