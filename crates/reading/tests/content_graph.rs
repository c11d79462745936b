//! Content graphs: structure, questions, short form, exports.

mod graph_common;

use browserlens_core::page::{NodeSpec, PageBuilder};
use browserlens_reading::graph::{
    ContentGraph, ContentId, ContentKind, HeadingMatch, JSON_FORMAT, Relation, SVG_ROWS, summary, to_dot, to_json,
    to_svg,
};
use graph_common::{GUIDE, graph, node, page};
use proptest::prelude::*;
use std::collections::HashSet;

fn guide() -> ContentGraph {
    graph(&page("https://widgets.test/guide", "Widget guide", GUIDE))
}

fn texts(graph: &ContentGraph, ids: &[ContentId]) -> Vec<String> {
    ids.iter().map(|id| graph.node(*id).expect("a node").text.clone()).collect()
}

#[test]
fn blocks_become_nodes_and_headings_contain_what_stands_under_them() {
    let graph = guide();
    let outline: Vec<String> = graph
        .nodes()
        .map(|node| {
            let depth = graph.trail(ContentId(node.position)).len();
            let level = node.level.map_or(String::new(), |level| level.to_string());
            format!("{}{}{level} {:?} {}", "  ".repeat(depth), node.kind.name(), node.text, node.xpath)
        })
        .collect();
    insta::assert_snapshot!(outline.join("\n"), @r#"
    paragraph "Skip to content" /html/body/p[1]
    heading1 "Widget guide" /html/body/h1
      paragraph "How to use widgets well." /html/body/p[2]
      heading2 "Install" /html/body/h2[1]
        paragraph "Get the package from the download page." /html/body/p[3]
        code "npm install widget" /html/body/pre
        heading3 "On Linux" /html/body/h3
          paragraph "Use your package manager." /html/body/p[4]
          list "apt\ndnf" /html/body/ul
      heading2 "Pricing" /html/body/h2[2]
        quote "Free for small teams." /html/body/blockquote
        paragraph "The Team plan costs 10 euros a month." /html/body/p[5]
    "#);
    assert_eq!(graph.edges().filter(|(_, _, relation)| *relation == Relation::Follows).count(), graph.len() - 1);
}

#[test]
fn everything_under_a_heading_is_found_exactly_then_without_case_then_nearest_and_said_which() {
    let graph = guide();
    let exact = graph.under("Install").expect("found");
    assert_eq!(exact.matched, HeadingMatch::Exact);
    assert_eq!(
        texts(&graph, &exact.nodes),
        [
            "Get the package from the download page.",
            "npm install widget",
            "On Linux",
            "Use your package manager.",
            "apt\ndnf"
        ]
    );
    let folded = graph.under("  INSTALL ").expect("found");
    assert_eq!((folded.matched, folded.nodes), (HeadingMatch::IgnoringCase, exact.nodes.clone()));
    let near = graph.under("installation").expect("found");
    assert!(matches!(near.matched, HeadingMatch::Nearest(score) if (0.3..1.0).contains(&score)), "{near:?}");
    assert_eq!(near.heading, exact.heading);
    assert_eq!(graph.under("quantum chromodynamics"), None);
    assert_eq!(graph.under(""), None);
    insta::assert_snapshot!(graph.text_under(&exact), @r"
    ## Install

    Get the package from the download page.

    npm install widget

    ### On Linux

    Use your package manager.

    apt
    dnf
    ");
}

#[test]
fn headings_of_the_same_text_are_told_of() {
    let nodes = ["Usage", "Example", "Options", "Example"].map(|text| node(ContentKind::Heading, Some(2), text));
    let graph = ContentGraph::of_nodes("https://a.test/", "", nodes);
    let found = graph.under("Example").expect("found");
    assert_eq!((found.heading, found.others), (ContentId(1), vec![ContentId(3)]));
}

#[test]
fn neighbours_are_those_within_so_many_steps_nearest_first() {
    let graph = guide();
    let pricing = graph.under("Pricing").expect("found").heading;
    let contains = [Relation::Contains];
    let near = |steps, over: &[Relation]| graph.neighbours(pricing, steps, over);
    assert_eq!(near(0, &[]), []);
    let one = near(1, &contains);
    let ids: Vec<ContentId> = one.iter().map(|(id, _)| *id).collect();
    assert_eq!(texts(&graph, &ids), ["Widget guide", "Free for small teams.", "The Team plan costs 10 euros a month."]);
    let two = near(2, &contains);
    assert_eq!(two.len(), 5, "and the paragraph and the other section of the guide: {two:?}");
    assert!(two.iter().all(|(_, away)| *away <= 2) && two.is_sorted_by_key(|(id, away)| (*away, *id)));
    assert_eq!(near(100, &[]).len(), graph.len() - 1, "along the order everything is reached");
    assert_eq!(graph.neighbours(ContentId(999), 3, &[]), []);
}

#[test]
fn sections_related_to_a_query_are_what_resembles_it_and_its_neighbours() {
    let graph = guide();
    let lexical = browserlens_reading::embed::Lexical::default();
    let found = graph.resembling("pricing", &lexical, 0.5, 3).expect("embedded");
    assert_eq!(texts(&graph, &[found[0].0]), ["Pricing"]);
    assert!(found[0].1 > 0.99 && found.is_sorted_by(|a, b| a.1 >= b.1), "{found:?}");
    assert_eq!(graph.resembling("zebra", &lexical, 0.5, 3).expect("embedded"), []);
    assert_eq!(graph.resembling("pricing", &lexical, 0.0, 0).expect("embedded"), []);
}

#[test]
fn the_summary_is_the_headings_of_level_two_and_three_with_their_first_paragraphs() {
    insta::assert_snapshot!(summary(&guide(), 1_000), @r"
    Widget guide
    ## Install
    Get the package from the download page.
    ### On Linux
    Use your package manager.
    ## Pricing
    The Team plan costs 10 euros a month.
    ");
}

#[test]
fn a_summary_that_is_short_of_space_cuts_paragraphs_evenly_and_then_counts_headings() {
    let graph = guide();
    insta::assert_snapshot!(summary(&graph, 120), @r"
    Widget guide
    ## Install
    Get the package from the download page.
    ### On Linux
    Use your package manager.
    ## Pricing
    ");
    insta::assert_snapshot!(summary(&graph, 45), @r"
    Widget guide
    ## Install
    … 2 more headings
    ");
    for limit in 0..200 {
        let text = summary(&graph, limit);
        assert!(text.chars().count() <= limit, "{limit}: {text}");
    }
}

#[test]
fn a_summary_of_a_page_without_those_levels_takes_what_there_is() {
    let only_top = graph(&page("https://a.test/", "T", "# One\nFirst.\n# Two\nSecond."));
    assert_eq!(summary(&only_top, 100), "T\n# One\nFirst.\n# Two\nSecond.");
    let none = graph(&page("https://a.test/", "T", "First words.\n- a\n- b"));
    assert_eq!(summary(&none, 100), "T\nFirst words.\na b");
    let empty = graph(&page("https://a.test/", "", ""));
    assert_eq!(summary(&empty, 100), "");
}

#[test]
fn exports_show_the_guide() {
    let graph = guide();
    insta::assert_snapshot!("guide_dot", to_dot(&graph));
    insta::assert_snapshot!("guide_json", to_json(&graph));
    insta::assert_snapshot!("guide_svg", to_svg(&graph));
}

#[test]
fn what_a_page_says_stays_data_in_every_export() {
    let bad = "\"]; evil [label=\"</text><script>alert(1)</script>&\\\" \u{0}\u{1b}\u{202e}<img onerror=x>]]>";
    let graph = ContentGraph::of_nodes(
        &format!("https://a.test/{bad}"),
        bad,
        [node(ContentKind::Heading, Some(1), bad), node(ContentKind::Code, None, "\\N\\G\\\nnext \"line\"")],
    );
    let svg = to_svg(&graph);
    for inert in ["<script", "<img", "</text><", "]]>", "\u{0}", "\u{1b}", "\u{202e}"] {
        let own = svg.matches("</text><").count();
        assert!(!svg.contains(inert) || (inert == "</text><" && own == 0), "{inert}: {svg}");
    }
    let allowed = ["svg", "title", "rect", "text", "tspan", "path", "circle"];
    for element in svg.split('<').skip(1) {
        let name = element.trim_start_matches('/').split([' ', '>', '/']).next().unwrap_or_default();
        assert!(allowed.contains(&name), "{name}");
        assert_eq!(element.matches('>').count(), 1, "{element}");
    }
    let dot = to_dot(&graph);
    // Outside of strings nothing but the language is left.
    let mut outside = String::new();
    let (mut inside, mut escaped) = (false, false);
    for character in dot.chars() {
        match (inside, character) {
            (true, '\\') if !escaped => escaped = true,
            (true, '"') if !escaped => inside = false,
            (true, _) => escaped = false,
            (false, '"') => inside = true,
            (false, other) => outside.push(other),
        }
    }
    assert!(!inside && !outside.contains("evil") && !outside.contains('\\'), "{outside}");
    assert!(dot.contains(r#"\\N\\G\\ next \"line\""#), "{dot}");
    said_by_json(&graph);
}

/// Every node and edge stands in the JSON of a graph, and nothing else.
fn said_by_json(graph: &ContentGraph) {
    let json: serde_json::Value = serde_json::from_str(&to_json(graph)).expect("JSON");
    let head = [&json["format"], &json["url"], &json["title"]].map(|text| text.as_str().expect("text"));
    assert_eq!(head, [JSON_FORMAT, graph.url(), graph.title()]);
    assert_eq!(json["nodes"].as_object().expect("nodes").len(), graph.len());
    for node in graph.nodes() {
        let read = &json["nodes"][format!("n{}", node.position)];
        assert_eq!(*read, serde_json::to_value(node).expect("JSON"));
        assert_eq!((&read["type"], &read["text"]), (&node.kind.name().into(), &node.text.as_str().into()));
    }
    let edges = json["edges"].as_object().expect("edges");
    assert_eq!(edges.values().map(|to| to.as_array().expect("edges").len()).sum::<usize>(), graph.edges().count());
    for (from, to, relation) in graph.edges() {
        let edge = serde_json::json!({ "to": format!("n{}", to.0), "type": relation.name() });
        assert!(edges[&format!("n{}", from.0)].as_array().expect("edges").contains(&edge), "{edge}");
    }
}

#[test]
fn a_drawing_has_a_bound_and_says_what_it_leaves_out() {
    let many = (0..SVG_ROWS + 234).map(|at| node(ContentKind::Paragraph, None, &format!("p{at}")));
    let svg = to_svg(&ContentGraph::of_nodes("https://a.test/", "", many));
    assert!(svg.contains("… 234 more nodes") && svg.contains("p999") && !svg.contains("p1000"));
}

#[test]
fn an_empty_page_and_a_huge_paragraph_and_fifty_thousand_headings_are_graphs_like_any() {
    let empty = graph(&PageBuilder::new("https://a.test/", "").finish());
    assert!(empty.is_empty() && empty.under("x").is_none() && to_svg(&empty).ends_with("</svg>\n"));
    let mut builder = PageBuilder::new("https://a.test/big", "Big");
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text(&"word ".repeat(2_000_000));
    let big = graph(&builder.finish());
    assert_eq!(big.len(), 10_000_000 / 4_000);
    assert!(summary(&big, 500).chars().count() <= 500 && to_svg(&big).len() < 1_000_000);
    assert!(to_dot(&big).len() < 500 * big.len());
    let many = (0..50_000_u32).map(|at| node(ContentKind::Heading, Some((at % 6 + 1) as u8), &format!("Heading {at}")));
    let many = ContentGraph::of_nodes("https://a.test/many", "Many", many);
    assert_eq!(many.under("heading 49998").expect("found").nodes.len(), 1, "one of level 1 with one below");
    assert!(matches!(many.under("Heading number 777").expect("found").matched, HeadingMatch::Nearest(_)));
    let text = summary(&many, 2_000);
    assert!(text.chars().count() <= 2_000 && text.ends_with("more headings"), "{}", &text[text.len() - 40..]);
}

#[test]
fn ten_thousand_nested_elements_are_walked_without_recursion() {
    let mut builder = PageBuilder::new("https://a.test/deep", "Deep");
    for level in 0..10_000 {
        builder.open(NodeSpec { tag: if level % 2 == 0 { "b" } else { "div" }, ..NodeSpec::default() });
    }
    builder.open(NodeSpec { tag: "h2", role: "heading", level: 2, ..NodeSpec::default() });
    builder.text("At the bottom");
    let page = builder.finish();
    let graph = graph(&page);
    assert_eq!(graph.len(), 1);
    let found = browserlens_reading::graph::concepts(&page, &browserlens_reading::blocks(&page));
    assert_eq!(found.iter().filter(|concept| concept.text == "At the bottom").count(), 1, "{found:?}");
}

fn any_nodes() -> impl Strategy<Value = Vec<(u8, u8, String)>> {
    prop::collection::vec((0_u8..6, 1_u8..8, "[a-c \n\"\\\\<>&\u{1}é]{0,12}"), 0..60)
}

fn build(nodes: &[(u8, u8, String)]) -> ContentGraph {
    let made = nodes.iter().map(|(kind, level, text)| {
        let kind = ContentKind::ALL[usize::from(*kind)];
        node(kind, (kind == ContentKind::Heading).then_some(*level), text)
    });
    ContentGraph::of_nodes("https://a.test/", "any", made)
}

proptest! {
    #[test]
    fn containment_is_a_forest_and_order_a_path(nodes in any_nodes()) {
        let graph = build(&nodes);
        let mut parents = vec![0; graph.len()];
        let mut follows = Vec::new();
        for (from, to, relation) in graph.edges() {
            prop_assert!(from < to, "edges lead on, so there is no circle");
            match relation {
                Relation::Contains => {
                    parents[to.0 as usize] += 1;
                    let (above, below) = (graph.node(from).expect("node"), graph.node(to).expect("node"));
                    prop_assert_eq!(above.kind, ContentKind::Heading);
                    prop_assert!(below.level.is_none_or(|level| Some(level) > above.level));
                }
                Relation::Follows => follows.push((from.0, to.0)),
            }
        }
        prop_assert!(parents.iter().all(|count| *count <= 1));
        follows.sort_unstable();
        let path: Vec<(u32, u32)> = (1..graph.len() as u32).map(|at| (at - 1, at)).collect();
        prop_assert_eq!(follows, path);
        // Roots and what is below them are all nodes, each once.
        let mut seen = HashSet::new();
        for root in (0..graph.len() as u32).map(ContentId).filter(|id| graph.parent(*id).is_none()) {
            prop_assert!(seen.insert(root));
            for id in graph.descendants(root) {
                prop_assert!(seen.insert(id));
            }
        }
        prop_assert_eq!(seen.len(), graph.len());
    }

    #[test]
    fn under_is_all_up_to_the_next_heading_as_high(nodes in any_nodes()) {
        let graph = build(&nodes);
        let all: Vec<_> = graph.nodes().collect();
        for (at, heading) in all.iter().enumerate().filter(|(_, node)| node.kind == ContentKind::Heading) {
            let end = all[at + 1..]
                .iter()
                .position(|node| node.level.is_some_and(|level| Some(level) <= heading.level))
                .map_or(all.len(), |next| at + 1 + next);
            let expected: Vec<ContentId> = (at + 1..end).map(|id| ContentId(id as u32)).collect();
            prop_assert_eq!(graph.descendants(ContentId(at as u32)), expected);
        }
    }

    #[test]
    fn json_says_the_whole_graph(nodes in any_nodes()) {
        said_by_json(&build(&nodes));
    }

    #[test]
    fn a_summary_keeps_its_limit(nodes in any_nodes(), limit in 0_usize..400) {
        prop_assert!(summary(&build(&nodes), limit).chars().count() <= limit);
    }
}
