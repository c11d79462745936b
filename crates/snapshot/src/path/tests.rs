//! Paths of small pages, and of any page.

use super::*;
use browserlens_core::page::{Flags, Frame, NodeKind, NodeSpec, Page, PageBuilder};
use proptest::prelude::*;

fn paths_of(page: &Page) -> Vec<String> {
    let paths = Paths::of(page);
    paths.named().map(|node| paths.path(node).expect("named").to_string()).collect()
}

#[test]
fn a_path_has_landmarks_semantic_tags_ids_meaningful_classes_and_numbers_and_nothing_else() {
    let page = PageBuilder::outline(
        r#"
        generic tag=html
          generic tag=body class="antialiased bg-white"
            generic class="page-wrapper"
              banner
                navigation
              main tag=div class="css-1q2w3e"
                article
                  heading "A" tag=h1 level=1
                  generic tag=section class="mt-4 intro"
                    paragraph
                    paragraph
                  generic tag=section class="content" id=":r1:"
                    heading "B" tag=h2 level=2
                    heading "C" tag=h2 level=2
                    generic class="flex gap-2"
                      generic class="offers"
                        generic tag=span class="price"
                  generic tag=section id="reviews"
                    article
                    article
            generic id="offers"
              list
                listitem
                  link "x" href="/"
                listitem
        "#,
    );
    insta::assert_snapshot!(paths_of(&page).join("\n"), @r"
    /header
    /header/nav
    /main
    /main/article
    /main/article/h1
    /main/article/section.intro
    /main/article/section.intro/p
    /main/article/section.intro/p[2]
    /main/article/section.content
    /main/article/section.content/h2
    /main/article/section.content/h2[2]
    /main/article/section.content/div.offers
    /main/article/section#reviews
    /main/article/section#reviews/article[1]
    /main/article/section#reviews/article[2]
    /div#offers
    /div#offers/ul
    /div#offers/ul/li[1]
    /div#offers/ul/li[1]/a
    /div#offers/ul/li[2]
    ");
}

#[test]
fn frames_shadow_trees_and_slots_have_paths() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "main", role: "main", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "div", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "section", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "slot", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
    builder.leaf(NodeSpec { tag: "h2", flags: Flags::SLOTTED, ..NodeSpec::default() });
    builder.close().close().close();
    builder.open(NodeSpec {
        tag: "iframe",
        flags: Flags::IFRAME,
        attributes: vec![("id", "pay")],
        ..NodeSpec::default()
    });
    builder.open_frame(Frame { number: 2, loader: 2, url: "https://test.test/frame".to_owned(), ..Frame::default() });
    builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
    builder.leaf(NodeSpec { tag: "h1", ..NodeSpec::default() });
    let page = builder.finish();
    assert_eq!(
        paths_of(&page),
        [
            "/main",
            "/main/div",
            "/main/div/#shadow-root/section",
            "/main/div/h2",
            "/main/iframe#pay",
            "/main/iframe#pay/#document",
            "/main/iframe#pay/#document/h1"
        ]
    );
    let paths = Paths::of(&page);
    for node in paths.named() {
        assert_eq!(paths.resolve(&paths.path(node).expect("named")), Some(node));
    }
}

#[test]
fn a_text_that_is_no_path_is_refused_with_its_place() {
    let error = |text: &str| text.parse::<Path>().expect_err(text).to_string();
    insta::assert_snapshot!(
        [
            "", "main", "//", "/main/", "/Main", "/p[0]", "/p[x]", "/p[1", "/p[01]", "/a.", "/a#1", "/a.b.c", "/é",
            "/#doc"
        ]
        .map(|text| format!("{text:?}: {}", error(text)))
        .join("\n")
    );
}

#[test]
fn a_page_nested_ten_thousand_deep_has_short_paths() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    for _ in 0..10_000 {
        builder.open(NodeSpec { tag: "blockquote", ..NodeSpec::default() });
    }
    let page = builder.finish();
    let paths = Paths::of(&page);
    for node in paths.named() {
        let path = paths.path(node).expect("named");
        assert!(path.steps.len() <= MOST_STEPS);
        assert_eq!(paths.resolve(&path), Some(node), "{path}");
    }
}

/// A page of nested elements from a list of depths and kinds.
fn grown(plan: &[(u8, u8)]) -> Page {
    const TAGS: [&str; 12] =
        ["div", "section", "article", "main", "ul", "li", "p", "h2", "x-card", "iframe", "span", "nav"];
    const CLASSES: [&str; 5] = ["", "content", "mt-4 flex", "card__title wide", "css-1a2b3c"];
    const IDS: [&str; 4] = ["", "top", "top", ":r1:"];
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    let mut depth = 0_usize;
    for (up, kind) in plan {
        for _ in 0..usize::from(up % 4).min(depth) {
            builder.close();
            depth -= 1;
        }
        let kind = usize::from(*kind);
        let flags = match kind % 7 {
            0 => Flags::SHADOW_HOST_OPEN,
            1 => Flags::IN_OPEN_SHADOW,
            2 => Flags::SLOTTED,
            _ => Flags::NONE,
        };
        let is_document = kind % 31 == 30;
        builder.open(NodeSpec {
            kind: if is_document { NodeKind::Document } else { NodeKind::Element },
            tag: if is_document { "#document" } else { TAGS[kind % TAGS.len()] },
            flags,
            attributes: vec![("class", CLASSES[kind / 3 % 5]), ("id", IDS[kind / 5 % 4])],
            ..NodeSpec::default()
        });
        depth += 1;
    }
    builder.finish()
}

proptest! {
    #[test]
    fn a_path_leads_back_to_exactly_its_node(plan in proptest::collection::vec((0_u8..6, 0_u8..=255), 0..80)) {
        let page = grown(&plan);
        let paths = Paths::of(&page);
        let mut seen = std::collections::HashSet::new();
        for node in paths.named() {
            let path = paths.path(node).expect("a named node has a path");
            prop_assert_eq!(paths.resolve(&path), Some(node), "{}", path);
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path.clone()));
            prop_assert!(path.steps.len() <= MOST_STEPS, "{}", path);
            prop_assert!(seen.insert(path.to_string()), "{} stands for two", path);
        }
        for node in page.nodes() {
            prop_assert!(paths.resolve(&paths.path_near(node.id())).is_some());
        }
    }

    #[test]
    fn any_text_is_a_path_or_refused(text in "[/#.a-z0-9A-Zé\\[\\] -]{0,40}") {
        match text.parse::<Path>() {
            Ok(path) => prop_assert_eq!(path.to_string(), text),
            Err(error) => prop_assert!(error.at >= 1 && error.at <= text.chars().count() + 1),
        }
    }
}
