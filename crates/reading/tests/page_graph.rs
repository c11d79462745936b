//! The graph of concepts across pages.

mod graph_common;

use browserlens_core::page::Page;
use browserlens_reading::embed::{EmbedError, Embedder, Lexical};
use browserlens_reading::graph::{
    Added, ConceptKind, LinkKind, PATH_STEPS, PageGraph, RELATED_CONCEPT, RELATED_LIMIT, SeenAt, concepts,
};
use graph_common::{graph, page};
use proptest::prelude::*;
use std::sync::Arc;

fn lexical() -> Arc<dyn Embedder> {
    Arc::new(Lexical::with_dimension(512))
}

fn empty() -> PageGraph {
    PageGraph::new(lexical())
}

fn site() -> Vec<Page> {
    let around =
        |body: &str| format!("Example docs\n- [Home](/)\n- [Search](/search)\n{body}\n# Legal\n© Example Inc.");
    vec![
        page(
            "https://docs.test/react",
            "React",
            &around(
                "# React\nA library for *components*.\n## State\nState lives in *hooks*.\nSee [Vue](/vue) for another \
                    way.",
            ),
        ),
        page(
            "https://docs.test/vue",
            "Vue",
            &around("# Vue\nA framework.\n## Reactivity\nBuilt on *proxies*; *components* are files."),
        ),
        page(
            "https://docs.test/graphql",
            "GraphQL",
            &around(
                "# GraphQL API\nAsk for what you need.\n## Pricing\nThe GraphQL API is free up to 5,000 calls a day.",
            ),
        ),
        page(
            "https://docs.test/plans",
            "Plans",
            &around(
                "# Plans\nEvery plan has the *GraphQL API*.\n## Pricing\nThe Team plan costs 10 euros.\nPrices are \
                    without tax.",
            ),
        ),
    ]
}

fn filled() -> PageGraph {
    let mut graph = empty();
    for (at, page) in site().iter().enumerate() {
        graph.add_page(page, SeenAt(at as i64)).expect("added");
    }
    graph
}

#[test]
fn concepts_are_headings_links_emphasised_words_and_frequent_terms() {
    let page = &site()[0];
    let found = concepts(page, &browserlens_reading::blocks(page));
    let said: Vec<String> = found
        .iter()
        .filter(|concept| concept.kind != ConceptKind::Term)
        .map(|c| {
            format!("{} {:?} in {} {}", c.kind.name(), c.text, c.position, c.target.as_deref().unwrap_or_default())
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    link "Home" in 1 https://docs.test/
    link "Search" in 1 https://docs.test/search
    heading "React" in 2 
    emphasis "components" in 3 
    heading "State" in 4 
    emphasis "hooks" in 5 
    link "Vue" in 6 https://docs.test/vue
    heading "Legal" in 7
    "#);
    let terms: Vec<(&str, u32)> = found
        .iter()
        .filter(|concept| concept.kind == ConceptKind::Term)
        .map(|concept| (concept.text.as_str(), concept.weight))
        .collect();
    assert_eq!(terms[..2], [("example", 2), ("example", 2)], "in the header and at the end: {terms:?}");
    assert!(terms.contains(&("components", 1)) && !terms.iter().any(|(word, _)| ["for", "is", "the"].contains(word)));
}

#[test]
fn related_pages_are_those_with_a_concept_like_the_query() {
    let graph = filled();
    let pages = graph.find_related_pages("GraphQL API", RELATED_CONCEPT, RELATED_LIMIT).expect("found");
    let urls: Vec<&str> = pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["https://docs.test/graphql", "https://docs.test/plans"], "{pages:?}");
    assert!(pages.iter().all(|page| page.similarity > 0.999 && page.concept == "GraphQL API"), "{pages:?}");
    let near = graph.find_related_pages("the graphql apis", RELATED_CONCEPT, RELATED_LIMIT).expect("found");
    assert_eq!(near.len(), 2, "{near:?}");
    assert_eq!(graph.find_related_pages("gardening in winter", RELATED_CONCEPT, RELATED_LIMIT).expect("none"), []);
    assert_eq!(graph.find_related_pages("", RELATED_CONCEPT, RELATED_LIMIT).expect("none"), []);
    assert_eq!(graph.find_related_pages("GraphQL API", RELATED_CONCEPT, 0).expect("none"), []);
}

#[test]
fn a_concept_is_one_across_pages_and_knows_where_it_stands() {
    let graph = filled();
    let hits = graph.find_concepts("graphql api", 0.99, 10).expect("found");
    assert_eq!(hits.len(), 1, "{hits:?}");
    let places: Vec<String> = hits[0]
        .mentions
        .iter()
        .map(|m| format!("{} {} under {:?} at {}", m.url, m.kind.name(), m.context, m.seen_at.0))
        .collect();
    insta::assert_snapshot!(places.join("\n"), @r#"
    https://docs.test/graphql heading under [] at 2
    https://docs.test/plans emphasis under ["Plans"] at 3
    "#);
}

#[test]
fn what_the_site_repeats_is_no_concept() {
    let graph = filled();
    for menu in ["Home", "Search", "Legal"] {
        assert_eq!(graph.find_related_pages(menu, RELATED_CONCEPT, 10).expect("none"), [], "{menu}");
    }
    let mut young = empty();
    young.add_page(&site()[0], SeenAt(0)).expect("added");
    assert_eq!(young.find_related_pages("Legal", 0.9, 10).expect("found").len(), 1, "one page repeats nothing yet");
}

#[test]
fn a_path_between_concepts_is_the_shortest_and_says_by_which_pages() {
    let graph = filled();
    let path = graph.find_concept_path("hooks", "proxies").expect("asked").expect("a path");
    let mut steps = path.concepts[0].clone();
    for (concept, link) in path.concepts[1..].iter().zip(&path.links) {
        steps.push_str(&format!(" -{:?} {}-> {concept}", link.kind, link.url.rsplit('/').next().unwrap_or_default()));
    }
    insta::assert_snapshot!(steps, @"hooks -Under react-> State -Under react-> Vue -Under vue-> Reactivity -Under \
        vue-> proxies");
    let back = graph.find_concept_path("proxies", "hooks").expect("asked").expect("a path");
    assert_eq!(back.links.len(), path.links.len());
    let itself = graph.find_concept_path("hooks", "Hooks").expect("asked").expect("a path");
    assert_eq!((itself.concepts.len(), itself.links.len()), (1, 0));
    assert_eq!(graph.find_concept_path("hooks", "no such thing").expect("asked"), None);
    assert_eq!(graph.find_concept_path("hooks", "Team plan").expect("asked"), None, "nothing leads there");
}

#[test]
fn a_link_leads_to_what_the_page_behind_it_is_about() {
    let mut graph = empty();
    graph.add_page(&page("https://a.test/x/", "", "# Amber\nSee [details](../y#top)."), SeenAt(0)).expect("added");
    graph.add_page(&page("https://a.test/y", "", "Before.\n# Basalt\nText."), SeenAt(0)).expect("added");
    let path = graph.find_concept_path("details", "basalt").expect("asked").expect("a path");
    assert_eq!(path.links.len(), 1);
    assert_eq!((path.links[0].kind, path.links[0].url.as_str()), (LinkKind::LeadsTo, "https://a.test/x/"));
}

#[test]
fn a_path_of_more_than_five_steps_is_none() {
    let chain = |length: usize| {
        let mut graph = empty();
        for at in 0..length {
            let source = format!("# Place number{at}\nGo to [Place number{}](/{}).", at + 1, at + 1);
            // Without "Place" in common the names would be one concept by their vectors, or terms
            // would shorten the way.
            let names = ["amber", "basalt", "copper", "diamond", "emerald", "flint", "granite", "helium"];
            let source = (0..=at + 1).rev().fold(source, |s, n| s.replace(&format!("Place number{n}"), names[n]));
            graph.add_page(&page(&format!("https://{}.test/{at}", names[at]), "", &source), SeenAt(0)).expect("added");
        }
        graph
    };
    let graph = chain(PATH_STEPS);
    let path = graph.find_concept_path("amber", "flint").expect("asked").expect("five steps");
    assert_eq!(path.concepts, ["amber", "basalt", "copper", "diamond", "emerald", "flint"]);
    assert_eq!(chain(PATH_STEPS + 1).find_concept_path("amber", "granite").expect("asked"), None);
}

#[test]
fn texts_with_the_same_vector_are_one_concept_and_others_are_not() {
    let mut graph = empty();
    let first = graph.add_page(&page("https://a.test/1", "", "# Configuring access tokens"), SeenAt(0)).expect("added");
    let count = |added: Added| (added.new, added.merged);
    assert_eq!(first.merged, 0);
    let same =
        graph.add_page(&page("https://b.test/1", "", "# Configuring the access tokens"), SeenAt(0)).expect("added");
    assert_eq!(count(same), (0, 1), "an article does not make another concept");
    let other = graph.add_page(&page("https://c.test/1", "", "# Revoking access tokens"), SeenAt(0)).expect("added");
    assert!(other.new >= 1 && other.merged == 0, "{other:?}");
    let hits = graph.find_concepts("Configuring access tokens", 0.95, 10).expect("found");
    assert_eq!(hits.len(), 1);
    let urls: Vec<&str> = hits[0].mentions.iter().map(|mention| mention.url.as_str()).collect();
    assert_eq!(urls, ["https://a.test/1", "https://b.test/1"]);
}

#[test]
fn a_page_added_again_replaces_itself() {
    let (mut graph, once) = (filled(), filled());
    let found = |graph: &PageGraph, what: &str| graph.find_concepts(what, 0.0, 100).expect("asked");
    let places = |graph: &PageGraph| -> Vec<_> {
        let hits = found(graph, "GraphQL API").into_iter();
        hits.map(|hit| (hit.concept, hit.mentions.into_iter().map(|m| (m.url, m.node)).collect::<Vec<_>>())).collect()
    };
    for page in &site() {
        let added = graph.add_page(page, SeenAt(9)).expect("added");
        assert_eq!((added.new, added.merged), (0, 0));
    }
    assert_eq!(places(&graph), places(&once));
    graph.add_page(&page("https://docs.test/react", "React", "# Closed\nNothing here."), SeenAt(10)).expect("added");
    assert_eq!(graph.find_related_pages("hooks", RELATED_CONCEPT, 10).expect("asked"), []);
    for page in &site() {
        assert!(graph.remove_page(page.url()) && !graph.remove_page(page.url()));
    }
    assert_eq!(found(&graph, "GraphQL API"), []);
    assert!(format!("{graph:?}").contains("pages: 0, concepts: 0"), "{graph:?}");
}

/// Fails, or gives vectors of another dimension than it says.
struct Broken(bool);

impl Embedder for Broken {
    fn id(&self) -> String {
        "broken".to_owned()
    }

    fn dimension(&self) -> usize {
        4
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.0 {
            true => Err(EmbedError::Count { expected: texts.len(), found: 0 }),
            false => Ok(texts.iter().map(|_| vec![1.0; 3]).collect()),
        }
    }
}

#[test]
fn an_embedder_that_fails_changes_nothing() {
    for fails in [true, false] {
        let mut graph = PageGraph::new(Arc::new(Broken(fails)));
        let error = graph.add_page(&site()[0], SeenAt(0)).expect_err("refused");
        assert!(error.embedder == "broken" && error.to_string().starts_with("embedder broken: "), "{error}");
        assert!(format!("{graph:?}").contains("pages: 0, concepts: 0"), "{graph:?}");
    }
}

#[test]
fn what_all_pages_say_about_something_is_told_with_page_and_heading_and_once() {
    let mut graph = filled();
    let again = page("https://other.test/", "Copy", "# Costs\nThe Team plan costs 10 euros.");
    graph.add_page(&again, SeenAt(9)).expect("added");
    let about = graph.about("pricing", 2_000).expect("asked");
    insta::assert_snapshot!(about.to_text(), @r"
    # Plans — https://docs.test/plans

    ## Plans › Pricing

    The Team plan costs 10 euros.

    Prices are without tax.

    # GraphQL — https://docs.test/graphql

    ## GraphQL API › Pricing

    The GraphQL API is free up to 5,000 calls a day.
    ");
    let team = graph.about("team plan", 2_000).expect("asked");
    assert_eq!(team.to_text().matches("The Team plan costs 10 euros.").count(), 1, "{}", team.to_text());
    assert!(team.to_text().contains("(also on "), "{}", team.to_text());
    assert_eq!(graph.about("gardening", 2_000).expect("asked").to_text(), "");
    for limit in 0..600 {
        let text = graph.about("pricing", limit).expect("asked").to_text();
        assert!(text.chars().count() <= limit, "{limit}: {text}");
    }
    let short = graph.about("pricing", 200).expect("asked");
    assert!(short.left_out > 0 && short.to_text().ends_with("more passages"), "{}", short.to_text());
}

#[test]
fn empty_pages_and_pages_without_headings_are_added() {
    let mut graph = empty();
    graph.add_page(&page("https://a.test/empty", "", ""), SeenAt(0)).expect("added");
    let plain = page("https://a.test/plain", "", "See the *manual* of [widgets](https://w.test/).\nAnd the *index*.");
    graph.add_page(&plain, SeenAt(0)).expect("added");
    let path = graph.find_concept_path("widgets", "index").expect("asked").expect("both are on the page");
    assert_eq!(path.links.len(), 2, "by what the page names first: {path:?}");
    assert_eq!(empty().about("x", 100).expect("asked").to_text(), "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_depend_on_what_is_stored_and_not_on_how(
        pages in prop::collection::vec((0_u8..4, prop::collection::vec(0_usize..8, 1..5)), 1..8),
    ) {
        let words = ["amber", "basalt", "copper", "diamond", "emerald", "flint", "granite", "helium"];
        let make = |(number, texts): &(u8, Vec<usize>)| {
            let line = |(at, word): (usize, &usize)| match at % 2 {
                0 => format!("# {}", words[*word]),
                _ => format!("*{}*", words[*word]),
            };
            let lines: Vec<String> = texts.iter().enumerate().map(line).collect();
            page(&format!("https://a.test/{number}"), "", &lines.join("\n"))
        };
        let mut all = empty();
        for one in &pages {
            all.add_page(&make(one), SeenAt(0)).expect("added");
        }
        let last: std::collections::BTreeMap<u8, Vec<usize>> = pages.iter().cloned().collect();
        let mut fresh = empty();
        for one in last.into_iter().rev() {
            fresh.add_page(&make(&one), SeenAt(0)).expect("added");
        }
        for word in words {
            let concepts = |graph: &PageGraph| graph.find_concepts(word, 0.7, 10).expect("asked");
            prop_assert_eq!(concepts(&all), concepts(&fresh));
            prop_assert_eq!(all.about(word, 500).expect("asked"), fresh.about(word, 500).expect("asked"));
            let path = |graph: &PageGraph| graph.find_concept_path("amber", word).expect("asked");
            prop_assert_eq!(path(&all).map(|path| path.links.len()), path(&fresh).map(|path| path.links.len()));
        }
        let page = make(&pages[0]);
        prop_assert_eq!(graph(&page).len(), page.nodes().filter(|node| matches!(node.tag(), "h1" | "p")).count());
    }
}
