//! Selectors over small pages.

use super::*;
use crate::page::{Flags, NodeSpec, PageBuilder, Visibility};

fn page() -> Page {
    PageBuilder::outline(
        r#"
        generic tag=html
          generic tag=body
            main id="top"
              heading "One" level=1 tag=h1
                text "One"
              list class="results wide"
                listitem
                  link "A" href="/a"
                listitem
                  button "B" disabled
                listitem
                  checkbox "C" checked data-Kind="x"
        "#,
    )
}

fn found(selector: &str) -> Vec<String> {
    let page = page();
    let selector: Selector = selector.parse().unwrap_or_else(|error| panic!("{selector}: {error}"));
    selector.find(&page).iter().map(|id| format!("{}{}", page.node(*id).tag(), page.node(*id).name())).collect()
}

#[test]
fn selectors_match_as_in_a_browser() {
    for (selector, expected) in [
        ("#top > h1", "h1One"),
        ("ul.results li:nth-child(2) > *", "buttonB"),
        ("a[href^='/']", "aA"),
        (":disabled", "buttonB"),
        ("input:checked", "inputC"),
        ("li:has(a)", "li"),
        ("li:last-child input, h1", "h1One inputC"),
        ("h1 + ul > li:not(:has(a, button)) *", "inputC"),
        ("body h1:first-child", "h1One"),
        ("h1:empty", ""),
        (":root", "html"),
        ("UL > LI:first-of-type a:link", "aA"),
        (".RESULTS", ""),
    ] {
        assert_eq!(found(selector).join(" "), expected, "{selector}");
    }
}

#[test]
fn what_is_no_selector_is_an_error_with_its_place() {
    let error = |text: &str| text.parse::<Selector>().expect_err(text).to_string();
    insta::assert_snapshot!(
        [
            "", "h1 >", "div..x", "a[", "a[href=]", ":hover-card", "p::before", "li:nth-child(x)", "h1,,h2", "1a",
            "@e", "h1 { }", ":not(",
        ]
        .map(|text| format!("{text:?}: {}", error(text)))
        .join("\n")
    );
    assert!("a ".repeat(3_000).parse::<Selector>().is_err());
    let deep = ":not(".repeat(600) + "a" + &")".repeat(600);
    let _ = deep.parse::<Selector>();
}

#[test]
fn each_shadow_tree_and_frame_is_a_document_of_its_own_and_slotted_nodes_are_children_of_the_host() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "x-card", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
    let flags = Flags::IN_OPEN_SHADOW;
    builder.open(NodeSpec { tag: "p", flags, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "slot", flags, visibility: Visibility::NotRendered, ..NodeSpec::default() });
    builder.leaf(NodeSpec { tag: "b", flags: Flags::SLOTTED, ..NodeSpec::default() });
    builder.close().close();
    builder.leaf(NodeSpec { tag: "i", flags, ..NodeSpec::default() });
    let page = builder.finish();
    let tags = |selector: &str| {
        let selector: Selector = selector.parse().expect("a selector");
        selector.find(&page).iter().map(|id| page.node(*id).tag()).collect::<Vec<_>>()
    };
    assert_eq!(tags("x-card > b"), ["b"]);
    assert_eq!(tags("x-card p"), [""; 0], "a selector does not cross into a shadow tree");
    assert_eq!(tags("p > slot"), ["slot"]);
    assert_eq!(tags("p + i"), ["i"], "children of one shadow root are siblings");
}

#[test]
fn a_page_nested_ten_thousand_deep_is_searched() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    for _ in 0..10_000 {
        builder.open(NodeSpec::default());
    }
    builder.leaf(NodeSpec { tag: "b", ..NodeSpec::default() });
    let page = builder.finish();
    let find = |selector: &str| selector.parse::<Selector>().expect("a selector").find(&page).len();
    assert_eq!((find("b"), find("div > b"), find("div b:first-child")), (1, 1, 1));
}
