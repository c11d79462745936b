//! Outlines of any page are whole: every landmark and heading has a line or is counted by a note.

use browserlens_core::page::{Flags, NodeId, NodeSpec, Page, PageBuilder, Visibility};
use browserlens_core::tokens::Encoding;
use browserlens_snapshot::outline::{MOST_TOKENS, OutlineOptions, Role, build, write};
use browserlens_snapshot::path::Paths;
use proptest::prelude::*;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What a line of an outline can be, below its two lines of heading.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    let count = r"(\d+ (words|items|paragraphs|links|lines)|preview)";
    let line = format!(r#"^ *[A-Z]+( level=[1-6])?( "([^"\\]|\\.)*")?( \[{count}(, {count})*\])?( /\S*)?$"#);
    Regex::new(&line).expect("a pattern")
});

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

const TEXTS: [&str; 4] = ["one", "two words", "", "ten words are what a text needs to get a line"];

fn grown(plan: &[(u8, u8)], texts: [&str; 4], name: &str) -> Page {
    let mut builder = PageBuilder::new("https://test.test/", name);
    let mut depth = 0_usize;
    for (up, kind) in plan {
        for _ in 0..usize::from(up % 4).min(depth) {
            builder.close();
            depth -= 1;
        }
        if kind % 5 == 0 {
            builder.text(texts[usize::from(kind % 4)]);
            continue;
        }
        let (tag, role, class) = ELEMENTS[usize::from(*kind) % ELEMENTS.len()];
        builder.open(NodeSpec {
            tag,
            role,
            name: if role == "region" { name } else { "" },
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
        let page = grown(&plan, TEXTS, "News");
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

    #[test]
    fn no_text_forges_a_line_of_an_outline(
        plan in proptest::collection::vec((0_u8..6, 0_u8..=255), 0..40),
        texts in proptest::array::uniform3("(?s).{0,40}|[\\\\\"\n\r\\[\\]/|@ a]{0,20}"),
    ) {
        let [name, one, other] = &texts;
        let page = grown(&plan, [one, other, "", one], name);
        let built = build(&page, &Paths::of(&page), &OutlineOptions::default());
        let text = write(&built.outline);
        let lines: Vec<&str> = text.split('\n').collect();
        let whole = 2 + usize::from(!built.outline.lines.is_empty()) + built.outline.lines.len();
        prop_assert_eq!(lines.len(), whole, "{}", text);
        prop_assert!(lines[0].ends_with(" | viewport=1280x800") && lines[1].starts_with("OUTLINE: "), "{}", text);
        for line in &lines[3.min(lines.len())..] {
            prop_assert!(LINE.is_match(line), "{:?} in\n{}", line, text);
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
