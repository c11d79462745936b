//! Outlines of any page are whole: every landmark and heading has a line or is counted by a note.

use browserlens_core::page::{Flags, NodeId, NodeSpec, Page, PageBuilder, Visibility};
use browserlens_core::tokens::Encoding;
use browserlens_snapshot::outline::{MOST_TOKENS, OutlineOptions, Role, build, write};
use browserlens_snapshot::path::Paths;
use proptest::prelude::*;
use std::collections::HashSet;

/// A tag, its role, a class.
const ELEMENTS: [(&str, &str, &str); 22] = [
    ("main", "main", ""),
    ("nav", "navigation", ""),
    ("header", "banner", ""),
    ("footer", "contentinfo", ""),
    ("aside", "complementary", ""),
    ("section", "region", "news"),
    ("section", "generic", "mt-4"),
    ("article", "article", ""),
    ("form", "form", ""),
    ("ul", "list", "menu"),
    ("li", "listitem", ""),
    ("li", "listitem", ""),
    ("table", "table", ""),
    ("tr", "row", ""),
    ("td", "cell", ""),
    ("div", "generic", "card"),
    ("div", "generic", ""),
    ("h2", "heading", ""),
    ("h3", "heading", ""),
    ("p", "paragraph", ""),
    ("pre", "", ""),
    ("button", "button", ""),
];

fn grown(plan: &[(u8, u8)]) -> Page {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    let mut depth = 0_usize;
    for (up, kind) in plan {
        for _ in 0..usize::from(up % 4).min(depth) {
            builder.close();
            depth -= 1;
        }
        if kind % 5 == 0 {
            builder
                .text(["one", "two words", "", "ten words are what a text needs to get a line"][usize::from(kind % 4)]);
            continue;
        }
        let (tag, role, class) = ELEMENTS[usize::from(*kind) % ELEMENTS.len()];
        builder.open(NodeSpec {
            tag,
            role,
            name: if role == "region" { "News" } else { "" },
            level: u8::from(role == "heading") * 2,
            flags: Flags::BLOCK,
            visibility: if kind % 29 == 28 { Visibility::NotRendered } else { Visibility::Visible },
            attributes: vec![("class", class)],
            ..NodeSpec::default()
        });
        depth += 1;
    }
    builder.finish()
}

fn is_heading(page: &Page, node: NodeId) -> bool {
    let node = page.node(node);
    node.role() == "heading" && node.descendants().any(|below| below.is_visible() && !below.text().trim().is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn every_landmark_and_heading_of_any_page_has_a_line_or_is_counted(plan in proptest::collection::vec((0_u8..6,
        0_u8..=255), 0..120)) {
        let page = grown(&plan);
        let paths = Paths::of(&page);
        let built = build(&page, &paths, &OutlineOptions::default());
        let text = write(&built.outline);
        prop_assert_eq!(text.lines().skip(3).count(), built.outline.lines.len(), "{}", text);
        let mut said = HashSet::new();
        let mut folded = Vec::new();
        for (line, nodes) in built.outline.lines.iter().zip(&built.nodes) {
            if let Some(path) = &line.path {
                said.extend(nodes.iter().copied());
                prop_assert!(paths.resolve(path).is_some(), "{}", path);
                if line.role != Role::Text {
                    prop_assert_eq!(paths.resolve(path), nodes.first().map(|node| paths.nearest(*node)), "{}", text);
                }
            } else {
                folded.extend(nodes.iter().copied());
            }
        }
        for node in page.nodes() {
            let landmark = browserlens_core::page::role::is_landmark(node.role()) && node.is_visible();
            let heading = is_heading(&page, node.id());
            let in_heading = node.ancestors().any(|above| is_heading(&page, above.id()));
            if (landmark || heading) && !in_heading {
                let counted = folded.iter().any(|root| page.node(*root).holds(node.id()));
                prop_assert!(said.contains(&node.id()) || (counted && !landmark), "{:?} is missing in\n{}", node, text);
            }
        }
        for (text, line) in text.lines().skip(3).zip(&built.outline.lines) {
            // Only a path may cost more, where everything else was left out, and a heading.
            let bare = line.name.is_empty() && line.meta.is_empty() || line.role == Role::Heading;
            prop_assert!(bare || Encoding::O200kBase.count(text).0 <= MOST_TOKENS, "{}", text);
        }
    }
}

#[test]
fn a_heading_in_an_item_without_a_box_of_its_own_has_a_line() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "ul", role: "list", flags: Flags::BLOCK, ..NodeSpec::default() });
    let boxless = NodeSpec { visibility: Visibility::NotRendered, ..NodeSpec::default() };
    builder.open(NodeSpec { tag: "li", role: "listitem", ..boxless });
    builder.open(NodeSpec { tag: "h2", role: "heading", level: 2, flags: Flags::BLOCK, ..NodeSpec::default() });
    builder.text("Plans");
    let page = builder.finish();
    let built = build(&page, &Paths::of(&page), &OutlineOptions::default());
    assert_eq!(built.outline.totals.headings, 1, "{}", write(&built.outline));
}
