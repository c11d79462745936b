//! Blocks of small pages, of deep pages, and of any page.

use super::*;
use crate::graph::ContentKind;
use browserlens_core::page::{Flags, Frame, NodeSpec, PageBuilder};
use proptest::prelude::*;

/// One line a block.
fn shown(page: &Page) -> String {
    let line = |block: &Block| {
        let level = block.kind.level().map_or(String::new(), |level| format!(" {level}"));
        format!("{}{level} {:?} {}\n", ContentKind::from(block.kind), block.text, block.xpath)
    };
    blocks(page).iter().map(line).collect()
}

/// What is seen, without white space.
fn seen(page: &Page) -> String {
    page.nodes()
        .filter(|node| matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && node.is_seen())
        .filter(|node| node.tag() != "::marker")
        .flat_map(|node| node.text().chars())
        .filter(|c| !c.is_whitespace() && !is_invisible(*c))
        .collect()
}

fn said(page: &Page) -> String {
    blocks(page).iter().flat_map(|block| block.text.chars()).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn every_kind_of_block_is_told_apart() {
    let page = PageBuilder::outline(
        r#"
        generic tag=html
          generic tag=body
            text "Before all."
            heading "T" tag=h1 level=1
              text "Title "
              generic tag=em
                text "here"
            paragraph
              text "One "
              generic tag=b
                text "bold"
              text " word, half-"
              generic tag=i
                text "bold"
              text "."
            list
              listitem
                text "first"
                list tag=ol
                  listitem
                    text "inner"
              listitem
                text "second"
                generic tag=pre
                  text "  let x = 1;\n\n  x\n"
              listitem
                text "third"
            generic tag=blockquote
              paragraph
                text "To be"
              paragraph
                text "or not."
            table
              row
                cell
                  text "a"
                cell
                  paragraph
                    text "b"
                  paragraph
                    text "c"
              row
                cell
                  text "d"
            heading "By role" tag=div level=4
              generic tag=div
                text "By"
              generic tag=div
                text "role"
            generic hidden
              text "never" hidden
            button "Go"
              text "Go"
            button "Stop"
              text "Stop"
        "#,
    );
    insta::assert_snapshot!(shown(&page), @r#"
    paragraph "Before all." /html/body
    heading 1 "Title here" /html/body/h1
    paragraph "One bold word, half-bold." /html/body/p
    list "first\ninner\nsecond" /html/body/ul
    code "  let x = 1;\n\n  x" /html/body/ul/li[2]/pre
    list "third" /html/body/ul
    quote "To be\nor not." /html/body/blockquote
    table "a\tb c\nd" /html/body/table
    heading 4 "By role" /html/body/div[1]
    paragraph "Go Stop" /html/body
    "#);
}

#[test]
fn a_heading_in_a_list_is_a_heading_and_parts_the_list() {
    let page = PageBuilder::outline(
        r#"
        list
          listitem
            heading "A" tag=h3 level=3
              text "A"
            paragraph
              text "of a"
          listitem
            heading "B" tag=h3 level=3
              text "B"
            paragraph
              text "of b"
        "#,
    );
    insta::assert_snapshot!(shown(&page), @r#"
    heading 3 "A" /ul/li[1]/h3
    list "of a" /ul
    heading 3 "B" /ul/li[2]/h3
    list "of b" /ul
    "#);
}

#[test]
fn frames_and_shadow_trees_are_read_in_place() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "x-card", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "h2", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
    builder.leaf(NodeSpec { flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::text_node("in the shadow") });
    builder.close();
    builder.open(NodeSpec { tag: "slot", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "p", flags: Flags::SLOTTED, ..NodeSpec::default() });
    builder.text("slotted");
    builder.close().close().close();
    builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, ..NodeSpec::default() });
    builder.open_frame(Frame { number: 2, loader: 2, url: "https://test.test/frame".to_owned(), ..Frame::default() });
    builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "h1", role: "heading", level: 1, ..NodeSpec::default() });
    builder.text("in the frame");
    insta::assert_snapshot!(shown(&builder.finish()), @r#"
    heading 2 "in the shadow" #shadow-root[1]/h2
    paragraph "slotted" /body/x-card/p
    heading 1 "in the frame" #document[1]/h1
    "#);
}

#[test]
fn what_nobody_sees_is_in_no_block() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.leaf(NodeSpec { flags: Flags::CAMOUFLAGED, ..NodeSpec::text_node("white on white") });
    builder.leaf(NodeSpec { flags: Flags::PAINTED_OVER, ..NodeSpec::text_node("under a picture") });
    builder.leaf(NodeSpec { visibility: Visibility::Clipped, ..NodeSpec::text_node("clipped") });
    builder.leaf(NodeSpec { kind: NodeKind::Pseudo, tag: "::marker", text: "1. ", ..NodeSpec::default() });
    builder.text("\u{feff}so\u{ad}ft\u{200b}");
    assert_eq!(blocks(&builder.finish()).iter().map(|block| block.text.as_str()).collect::<Vec<_>>(), ["soft"]);
}

#[test]
fn a_page_nested_ten_thousand_deep_is_read_in_one_pass() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    for at in 0..10_000 {
        builder.open(NodeSpec { tag: ["div", "ul", "blockquote", "span"][at % 4], ..NodeSpec::default() });
        builder.text("x ");
    }
    let page = builder.finish();
    let found = blocks(&page);
    assert_eq!(said(&page).len(), 10_000);
    assert!(found.iter().all(|block| block.xpath.len() < 100));
}

/// A page of any shape: depth of each node below the last, tag, text, whether it is hidden.
fn any_page() -> impl proptest::strategy::Strategy<Value = Page> {
    let tags = prop::sample::select(vec![
        "div", "p", "span", "b", "h1", "h2", "h4", "ul", "li", "pre", "code", "blockquote", "table", "tr", "td", "br",
        "section", "button", "a", "dl", "dt", "dd",
    ]);
    let node = (0usize..4, tags, "[ a-z\n\u{ad}\u{a0}é]{0,12}", 0u8..8, any::<bool>());
    prop::collection::vec(node, 0..60).prop_map(|nodes| {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        let mut depth = 0;
        for (up, tag, text, sort, has_role) in nodes {
            for _ in 0..up.min(depth) {
                builder.close();
                depth -= 1;
            }
            let role = if has_role && tag == "div" { "heading" } else { "" };
            let attributes = if sort == 7 { vec![("id", tag)] } else { Vec::new() };
            builder.open(NodeSpec { tag, role, attributes, ..NodeSpec::default() });
            depth += 1;
            let visibility = if sort == 0 { Visibility::Hidden } else { Visibility::Visible };
            let flags = if sort == 1 { Flags::CAMOUFLAGED } else { Flags::NONE };
            builder.leaf(NodeSpec { visibility, flags, ..NodeSpec::text_node(&text) });
        }
        builder.finish()
    })
}

proptest! {
    #[test]
    fn the_blocks_say_what_is_seen_once_and_in_order(page in any_page()) {
        prop_assert_eq!(said(&page), seen(&page));
        let found = blocks(&page);
        for (index, block) in found.iter().enumerate() {
            prop_assert_eq!(block.position as usize, index);
            prop_assert!(!block.text.trim().is_empty());
            prop_assert_eq!(block.text.trim_end(), &block.text);
            let is_heading = block.kind.level().is_some();
            prop_assert!(!(is_heading && block.text.contains('\n')));
        }
    }

    #[test]
    fn no_two_elements_have_one_xpath(page in any_page()) {
        let xpaths = Xpaths::of(&page);
        let elements = page.nodes().filter(|node| node.kind() == NodeKind::Element);
        let all: Vec<String> = elements.map(|node| xpaths.xpath(node.id())).collect();
        let distinct: std::collections::HashSet<&String> = all.iter().collect();
        prop_assert_eq!(distinct.len(), all.len(), "{:?}", all);
    }

    #[test]
    fn words_that_the_page_parts_stay_parted(
        words in prop::collection::vec("[a-z]{1,6}", 1..20),
        tag in prop::sample::select(vec!["p", "li", "td", "div"]),
    ) {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for word in &words {
            builder.open(NodeSpec { tag, ..NodeSpec::default() });
            builder.text(word);
            builder.close();
        }
        let found = blocks(&builder.finish());
        let said: Vec<&str> = found.iter().flat_map(|block| block.text.split_whitespace()).collect();
        prop_assert_eq!(said, words);
    }
}

#[test]
fn words_that_stand_apart_by_a_margin_are_two_words() {
    let mut page = PageBuilder::new("https://test.test/", "Test");
    for (text, x) in [("un", 0.0), ("broken", 30.0), ("12", 66.0), ("Mon", 100.0)] {
        let bounds = BoxInDocument { x, y: 0.0, width: 30.0, height: 18.0 };
        page.leaf(NodeSpec { bounds, ..NodeSpec::text_node(text) });
    }
    assert_eq!(blocks(&page.finish())[0].text, "unbroken 12 Mon");
}
