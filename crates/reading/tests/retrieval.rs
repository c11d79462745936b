//! The index as a whole: what is found, what is not, and that no document, query or file breaks it.

use browserlens_reading::embed::{EmbedError, Embedder, Lexical};
use browserlens_reading::retrieval::{
    By, DEFAULT_RELEVANCE, Hit, Index, IndexError, PageIndex, SearchOptions, answer, rank, rank_with, refusal,
};
use browserlens_reading::{Extraction, OwnSections, Section};
use proptest::prelude::*;
use rusqlite::Connection;
use std::sync::Arc;

fn section(position: u32, level: u8, heading: &str, content: &str, trail: &[u32]) -> Section {
    Section {
        heading: heading.to_owned(),
        level,
        part: 0,
        content: content.to_owned(),
        xpath: format!("/html/body/h{level}[{position}]"),
        position,
        trail: trail.to_vec(),
        blocks: 0..0,
    }
}

fn page(sections: Vec<Section>) -> Extraction {
    let full_text = sections.iter().map(Section::text).collect::<Vec<_>>().join("\n\n");
    Extraction { url: "https://shop.test/help".to_owned(), sections, full_text, ..Extraction::default() }
}

fn help() -> Extraction {
    page(vec![
        section(0, 1, "Help", "", &[]),
        section(1, 2, "Shipping", "Parcels leave our store within two working days.", &[0]),
        section(2, 3, "Express", "Orders before noon arrive on the next day.", &[0, 1]),
        section(3, 2, "Returns", "Send it back within 30 days; the refund follows in a week.", &[0]),
        section(4, 2, "返品について", "商品到着後三十日以内に返品できます。", &[0]),
        section(5, 2, "Company", "Shipping, returns, press, careers", &[0]),
    ])
}

fn lexical() -> Arc<dyn Embedder> {
    Arc::new(Lexical::default())
}

fn headings(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.heading.as_str()).collect()
}

fn find(query: &str, by: By) -> Vec<Hit> {
    rank(&help(), query, &SearchOptions { by, ..SearchOptions::default() }).expect("ranks")
}

#[test]
fn every_ranking_finds_what_is_asked_for() {
    for by in [By::Bm25, By::Vectors, By::Fused] {
        assert_eq!(find("How do I return an item and get the refund?", by)[0].heading, "Returns", "{by:?}");
        assert_eq!(find("express", by)[0].heading, "Express", "{by:?}");
        assert_eq!(find("商品の返品", by)[0].heading, "返品について", "{by:?}");
    }
}

#[test]
fn an_answer_is_written_as_the_seed_does() {
    insta::assert_snapshot!(answer("express orders", &find("express orders", By::Fused)), @r"
    ## Express

    Orders before noon arrive on the next day.

    (Relevance: 84%)
    ");
}

#[test]
fn who_wants_to_be_sure_gets_no_answer_that_misses_the_rarest_word() {
    let said = |query: &str, least: f32| {
        let hits = find(query, By::Fused);
        assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.relevance)) && !hits.is_empty(), "{hits:?}");
        refusal(query, &hits[..1], least)
    };
    assert_eq!(said("Do orders before noon arrive on the next day?", 0.8), None);
    assert_eq!(said("Is there a sandwich before noon on the next day?", DEFAULT_RELEVANCE), None);
    let refused = said("Is there a sandwich before noon on the next day?", 0.8).expect("no sandwich");
    assert!(refused.starts_with("Nothing here seems to answer") && refused.contains("Express"), "{refused}");
}

#[test]
fn what_lacks_the_kind_of_answer_or_a_name_that_is_asked_for_does_not_answer() {
    let refused = |query: &str| refusal(query, &find(query, By::Fused), DEFAULT_RELEVANCE).is_some();
    assert!(refused("What is the phone number of the store?") && !refused("How soon do parcels leave the store?"));
    assert!(refused("Do parcels go to Canada by your store?") && !refused("Do parcels go to Friday's store?"));
}

#[test]
fn a_query_in_the_words_of_a_heading_is_never_refused() {
    let all = [
        "Refund policy",
        "Refund Policy for Members",
        "Who we are",
        "When is it due?",
        "How much is a parcel to Canada?",
        "What is the phone number of Merlin Oak in 2024?",
    ];
    for heading in all {
        let text = "Ask at the desk, and read what is written on the wall beside it.";
        let other = section(3, 1, "Desk", "It is open to all who come.", &[]);
        let below = page(vec![section(0, 1, heading, text, &[]), other.clone()]);
        let further = page(vec![section(0, 1, heading, "", &[]), section(1, 2, "Details", text, &[0]), other]);
        for page in [below, further] {
            for query in [heading.to_owned(), heading.to_lowercase()] {
                let hits = rank(&page, &query, &SearchOptions::default()).expect("ranks");
                assert!(!hits.is_empty(), "{query}");
                assert_eq!(refusal(&query, &hits, DEFAULT_RELEVANCE), None, "{hits:?}");
            }
        }
    }
}

#[test]
fn the_similarity_of_each_ranking_is_what_the_rule_says() {
    let words = find("returns and the refund", By::Bm25);
    assert!((words[0].similarity - 1.0).abs() < 1e-6);
    for hit in &words {
        let share = (hit.score / words[0].score).sqrt();
        assert!((f64::from(hit.similarity) - share).abs() < 1e-5 && hit.similarity >= 0.5, "{hit:?}");
    }
    let embedder = Lexical::default();
    for hit in find("returns and the refund", By::Vectors) {
        assert!((hit.similarity - embedder.similarity(hit.score as f32)).abs() < 1e-6 && hit.similarity >= 0.5);
    }
    for hit in find("returns and the refund", By::Fused) {
        assert!((f64::from(hit.similarity) - hit.score * 61.0 / 2.0).abs() < 1e-6 && hit.similarity >= 0.5);
    }
    let strict = SearchOptions { min_similarity: 1.0, by: By::Bm25, ..SearchOptions::default() };
    assert_eq!(rank(&help(), "returns", &strict).expect("ranks").len(), 1);
}

#[test]
fn a_heading_that_only_holds_others_is_no_hit() {
    assert!(find("help", By::Bm25).iter().all(|hit| !hit.text.is_empty()));
    let alone = page(vec![section(0, 1, "Sold out", "", &[])]);
    let hits = rank(&alone, "is it sold out", &SearchOptions::default()).expect("ranks");
    assert_eq!(headings(&hits), ["Sold out"], "a heading without a section below is what there is");
}

#[test]
fn sections_are_left_out_where_asked() {
    let options = SearchOptions::default();
    assert!(headings(&rank(&help(), "press and careers", &options).expect("ranks")).contains(&"Company"));
    let own = OwnSections { sections: help().sections, leave_out: vec![5] };
    let hits = rank_with(lexical(), &help(), &own, "press and careers", &options).expect("ranks");
    assert!(!headings(&hits).contains(&"Company"));
}

#[test]
fn bad_queries_have_an_answer() {
    let none = |query: &str| {
        for by in [By::Bm25, By::Vectors, By::Fused] {
            assert_eq!(find(query, by), [], "{query:?} {by:?}");
        }
        answer(query, &[])
    };
    assert_eq!(none(""), "No content found matching query: \"\"");
    none(" \n\t");
    none("…?!");
    none("зебра");
    assert_eq!(none("zebra"), "No content found matching query: \"zebra\"");
    assert!(!find("within", By::Bm25).is_empty(), "a word of the page that is no stop word");
    assert!(
        find("the our", By::Bm25).iter().any(|hit| hit.heading == "Returns"),
        "stop words alone are searched as they stand"
    );
    let long = format!("{} refund", "nothing like this ".repeat(6_000));
    assert!(long.len() > 100_000);
    assert_eq!(find(&long, By::Fused)[0].heading, "Returns");
}

#[test]
fn the_syntax_of_fts5_means_nothing() {
    for query in
        ["refund\" OR \"x", "body: refund*", "NEAR(refund week, 1)", "-refund AND NOT ^refund", "{heading} : refund"]
    {
        assert_eq!(find(query, By::Bm25)[0].heading, "Returns", "{query}");
    }
}

#[test]
fn fifty_thousand_headings_are_searched() {
    let sections =
        (0..50_000).map(|at| section(at, 2, &format!("Topic {at}"), &format!("Details of item {at}."), &[])).collect();
    let hits = rank(&page(sections), "topic 31415", &SearchOptions::default()).expect("ranks");
    assert_eq!(hits[0].heading, "Topic 31415");
}

#[test]
fn one_paragraph_of_ten_megabytes_is_shown_around_what_was_found() {
    let mut text = "Nothing is said here that anybody would ask for. ".repeat(210_000);
    text.insert_str(6_000_000 / 49 * 49, "The lighthouse was painted in 1871 by a sailor. ");
    assert!(text.len() > 10_000_000);
    let hits =
        rank(&page(vec![section(0, 0, "", &text, &[])]), "Who painted the lighthouse?", &SearchOptions::default());
    let hits = hits.expect("ranks");
    assert_eq!(hits.len(), 1);
    assert!(hits[0].is_cut && hits[0].text.len() < 2_100, "{}", hits[0].text.len());
    assert!(hits[0].text.contains("painted in 1871 by a sailor"), "{}", hits[0].text);
}

#[test]
fn an_empty_page_has_nothing() {
    assert_eq!(rank(&page(Vec::new()), "refund", &SearchOptions::default()).expect("ranks"), []);
}

#[test]
fn pages_are_replaced_and_taken_out_as_a_whole() {
    let mut index = Index::in_memory(lexical()).expect("opens");
    let options = SearchOptions::default();
    index.add("a", &help().sections, &[]).expect("adds");
    let before = index.passages().expect("counts");
    index.add("a", &help().sections, &[]).expect("adds again");
    assert_eq!(index.passages().expect("counts"), before);
    index.add("b", &[section(0, 1, "Refunds", "A refund takes a week.", &[])], &[]).expect("adds");
    let hits = index.search("refund", &options).expect("searches");
    assert!(hits[0].page == "b" && hits[1..].iter().all(|hit| hit.page == "a") && hits.len() > 1, "{hits:?}");
    index.remove("b").expect("removes");
    index.remove("c").expect("nothing to remove");
    assert!(index.search("refund", &options).expect("searches").iter().all(|hit| hit.page == "a"));
    index.remove("a").expect("removes");
    assert_eq!((index.passages().expect("counts"), index.search("refund", &options).expect("searches")), (0, vec![]));
}

/// An embedder that knows one direction for each first letter.
struct Letters(&'static str, usize);

impl Embedder for Letters {
    fn id(&self) -> String {
        format!("{}/{}", self.0, self.1)
    }

    fn dimension(&self) -> usize {
        self.1
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &str| {
            let mut vector = vec![0.0; self.1];
            if let Some(first) = text.bytes().next() {
                vector[usize::from(first) % self.1] = 1.0;
            }
            vector
        };
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

#[test]
fn vectors_of_two_embedders_never_mix_and_missing_ones_are_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let options = SearchOptions { by: By::Vectors, ..SearchOptions::default() };
    let mut index = Index::open(&path, lexical()).expect("opens");
    index.add("a", &help().sections, &[]).expect("adds");
    drop(index);
    let mut index = Index::open(&path, Arc::new(Letters("letters", 13))).expect("opens, and embeds what is there");
    let hits = index.search("Sunday", &options).expect("searches");
    assert_eq!(headings(&hits), ["Shipping"], "by the first letter alone");
    assert!((hits[0].similarity - 1.0).abs() < 1e-5, "a cosine is taken as it is");
    index.add("b", &[section(0, 1, "Swift refund", "In a week.", &[])], &[]).expect("adds");
    assert_eq!(index.search("Sunday", &options).expect("searches").len(), 2);
    drop(index);
    let index = Index::open(&path, lexical()).expect("opens again");
    let hits = index.search("refund within a week", &options).expect("searches");
    assert!(
        headings(&hits).contains(&"Swift refund"),
        "what was added under the other embedder is embedded too: {hits:?}"
    );
    drop(index);
    let db = Connection::open(&path).expect("opens");
    let names: i64 = db.query_row("select count(*) from embedder", [], |row| row.get(0)).expect("counts");
    assert_eq!(names, 2);
}

#[test]
fn a_query_vector_of_another_dimension_is_an_error() {
    struct Broken;
    impl Embedder for Broken {
        fn id(&self) -> String {
            "broken/8".to_owned()
        }
        fn dimension(&self) -> usize {
            8
        }
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Ok(vec![vec![1.0; 9]; texts.len()])
        }
    }
    let mut index = Index::in_memory(Arc::new(Broken)).expect("opens");
    let error = index.add("a", &help().sections, &[]).expect_err("refused");
    assert!(matches!(error, IndexError::Embed(EmbedError::Dimension { expected: 8, found: 9 })), "{error}");
    assert_eq!(index.passages().expect("counts"), 0, "nothing was added");
}

#[test]
fn files_that_are_no_index_are_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other");
    Connection::open(&other).expect("opens").execute_batch("create table x (y)").expect("a table");
    let error = Index::open(&other, lexical()).expect_err("refused");
    assert!(matches!(error, IndexError::NotAnIndex { .. }), "{error}");
    let newer = folder.path().join("newer");
    drop(Index::open(&newer, lexical()).expect("opens"));
    Connection::open(&newer).expect("opens").execute_batch("pragma user_version = 99").expect("sets");
    let error = Index::open(&newer, lexical()).expect_err("refused");
    assert!(error.to_string().ends_with("index version 99, this build reads 2"), "{error}");
    let garbage = folder.path().join("garbage");
    std::fs::write(&garbage, "no database at all, but long enough to be looked at ".repeat(40)).expect("writes");
    let error = Index::open(&garbage, lexical()).expect_err("refused");
    assert!(matches!(error, IndexError::Sqlite { .. }) && error.hint().contains("delete"), "{error}");
    assert!(std::fs::read_to_string(&garbage).expect("reads").starts_with("no database"));
}

#[test]
fn two_writers_of_one_file_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    drop(Index::open(&path, lexical()).expect("opens"));
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut index = Index::open(path, lexical()).expect("opens");
                for round in 0..5 {
                    index.add(&format!("{writer}/{round}"), &help().sections, &[]).expect("adds");
                }
            });
        }
    });
    let index = Index::open(&path, lexical()).expect("opens");
    assert_eq!(index.passages().expect("counts"), 4 * 5 * 5);
}

#[test]
fn many_passages_are_chosen_by_signs_and_found_as_well() {
    let mut index = Index::in_memory(lexical()).expect("opens");
    let words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "jetty", "knoll"];
    let sections: Vec<Section> = (0..6_000_u32)
        .map(|at| {
            let word = |shift: u32| words[((at / shift) % 11) as usize];
            section(
                at,
                2,
                &format!("Part {at}"),
                &format!("{} {} {} {}", word(1), word(11), word(121), word(1331)),
                &[],
            )
        })
        .collect();
    index.add("a", &sections, &[]).expect("adds");
    for at in [17, 2_345, 5_999] {
        let options = SearchOptions { by: By::Vectors, ..SearchOptions::default() };
        let hits = index.search(&sections[at].text(), &options).expect("searches");
        assert_eq!(hits[0].position as usize, at);
    }
    // The signs in memory are of the file as it is now.
    let own = [section(0, 2, "Quartz", "quartz umber zinc", &[])];
    index.add("b", &own, &[]).expect("adds");
    let options = SearchOptions { by: By::Vectors, ..SearchOptions::default() };
    assert_eq!(index.search("quartz umber zinc", &options).expect("searches")[0].page, "b");
    index.remove("b").expect("removes");
    assert!(index.search("quartz umber zinc", &options).expect("searches").iter().all(|hit| hit.page == "a"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_page_and_query_give_hits_within_the_limits(
        contents in prop::collection::vec("[a-d東京é .\\n\"*:]{0,300}", 0..8),
        query in "[a-e東é \"*:^()-]{0,40}",
        top_k in 0usize..5,
        max_bytes in 0usize..700,
    ) {
        let one = |(at, text): (usize, &String)| section(at as u32, 2, "ab", text, &[]);
        let sections: Vec<Section> = contents.iter().enumerate().map(one).collect();
        let page = page(sections);
        for by in [By::Bm25, By::Vectors, By::Fused] {
            let options = SearchOptions { by, top_k, max_bytes, ..SearchOptions::default() };
            let hits = rank(&page, &query, &options).expect("ranks");
            prop_assert_eq!(&hits, &rank(&page, &query, &options).expect("ranks"), "deterministic");
            prop_assert!(hits.len() <= top_k);
            prop_assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
            // Three bytes are each mark of a cut, four the widest character of a part that has no
            // room for any.
            prop_assert!(hits.iter().map(|hit| hit.text.len()).sum::<usize>() <= max_bytes + hits.len() * 10);
            for hit in &hits {
                for shown in hit.text.split('…') {
                    prop_assert!(contents[hit.position as usize].contains(shown.trim()));
                }
                prop_assert!((0.5..=1.0001).contains(&hit.similarity), "{}", hit.similarity);
            }
        }
    }

    #[test]
    fn a_page_in_memory_is_ranked_as_the_file_ranks_it(
        contents in prop::collection::vec(("(alpha|beta|gamma delta|東京|£5|the|) ?(beta|5 \
            kg|mu)?", "((alpha|beta|gamma|delta|東京|the|17:30|costs) ?){0,90}"), 0..24),
        levels in prop::collection::vec(1u8..4, 24),
        query in "((alpha|beta|gamma|delta|東京|the|nu|how much) ){0,6}",
    ) {
        let mut open: Vec<(u32, u8)> = Vec::new();
        let mut sections: Vec<Section> = Vec::new();
        for (at, (heading, text)) in contents.iter().enumerate() {
            let level = levels[at];
            open.retain(|(_, above)| *above < level);
            let trail: Vec<u32> = open.iter().map(|(position, _)| *position).collect();
            sections.push(section(at as u32, level, heading, text, &trail));
            open.push((at as u32, level));
        }
        let memory = PageIndex::of(lexical(), "a", &sections, &[3]).expect("indexes");
        let mut file = Index::in_memory(lexical()).expect("opens");
        file.add("a", &sections, &[3]).expect("adds");
        prop_assert_eq!(memory.passages() as u64, file.passages().expect("counts"));
        let both = |by, top_k| {
            let options = SearchOptions { by, top_k, min_similarity: 0.0, max_bytes: 4_000 };
            (memory.search(&query, &options).expect("searches"), file.search(&query, &options).expect("searches"))
        };
        // Every section, in the same order, those of equal scores included, and the same words
        // shown of each.
        let (mine, its) = both(By::Bm25, 100);
        let shown = |hit: &Hit| (hit.position, hit.text.clone(), hit.is_cut);
        prop_assert_eq!(mine.iter().map(shown).collect::<Vec<_>>(), its.iter().map(shown).collect::<Vec<_>>());
        for (mine, its) in mine.iter().zip(&its) {
            prop_assert!((mine.score - its.score).abs() <= 1e-12 * its.score.abs(), "{} {}", mine.score, its.score);
        }
        // sqlite-vec sums in another order, so cosines are equal but for the last of five digits.
        let (mine, its) = both(By::Vectors, 100);
        prop_assert_eq!(mine.len(), its.len());
        for (mine, its) in mine.iter().zip(&its) {
            prop_assert!((mine.score - its.score).abs() < 2e-5, "{} {}", mine.score, its.score);
        }
    }
}
