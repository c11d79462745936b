//! Pages that are empty, endless, flat or without structure.

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_reading::{Cache, CacheOptions, Cut, Outcome, ReadOptions, blocks, content_hash, extract};

/// Reads a page, keeps it, and reads it from the cache.
fn kept(page: &Page) -> browserlens_reading::Extraction {
    let folder = tempfile::tempdir().expect("a folder");
    let mut cache = Cache::open(&folder.path().join("pages.cache"), CacheOptions::default()).expect("opens");
    let first = cache.read(page, Cut::All, 0).expect("reads");
    assert_eq!(first.outcome, Outcome::Miss);
    let second = cache.read(page, Cut::All, 1).expect("reads");
    assert_eq!(second.outcome, Outcome::Hit);
    assert_eq!(first.extraction, second.extraction);
    assert_eq!(first.hash, content_hash(page));
    first.extraction
}

#[test]
fn an_empty_page_has_nothing_to_say() {
    let extraction = kept(&PageBuilder::new("", "").finish());
    assert!(extraction.sections.is_empty() && extraction.full_text.is_empty() && !extraction.has_headings);
    assert_eq!(extraction.pieces(10).count(), 0);
    assert_eq!(extraction.part(&ReadOptions::default()).expect("a part").text, "");
    let error = extraction.find("0").expect_err("nothing there");
    assert_eq!(error.to_string(), "no section \"0\"; the page has no text");
}

#[test]
fn a_page_without_headings_is_one_section() {
    let extraction = kept(&PageBuilder::outline("paragraph\n  text \"one\"\nlist\n  listitem\n    text \"two\""));
    assert_eq!((extraction.sections.len(), extraction.sections[0].level, extraction.word_count), (1, 0, 2));
    let error = extraction.find("price").expect_err("no headings");
    assert_eq!(error.to_string(), "no section \"price\"; the page has no headings, and sections 0 to 0");
}

#[test]
fn a_paragraph_of_ten_megabytes_is_kept_whole_and_streamed() {
    let text = "lorem ipsum ".repeat(10_000_000 / 12);
    let mut builder = PageBuilder::new("https://test.test/long", "Long");
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text(&text);
    let extraction = kept(&builder.finish());
    assert_eq!(extraction.full_text, text.trim_end());
    assert_eq!(extraction.word_count, 2 * (10_000_000 / 12));
    assert!(extraction.pieces(20_000).all(|piece| piece.len() <= 20_000));
    assert_eq!(extraction.pieces(20_000).map(str::len).sum::<usize>(), extraction.full_text.len());
}

#[test]
fn fifty_thousand_headings_are_fifty_thousand_sections() {
    let mut builder = PageBuilder::new("https://test.test/headings", "Headings");
    builder.open(NodeSpec { tag: "main", ..NodeSpec::default() });
    for number in 0..50_000 {
        let tag = ["h1", "h2", "h3", "h4", "h5", "h6"][number % 6];
        builder.open(NodeSpec { tag, ..NodeSpec::default() });
        builder.text(&format!("Heading {number}"));
        builder.close();
    }
    let page = builder.finish();
    let extraction = kept(&page);
    assert_eq!(extraction.sections.len(), 50_000);
    assert_eq!(extraction.find("heading 49999").expect("found").position, 49_999);
    assert_eq!(extraction.sections[49_999].trail.len(), 1);
    assert_eq!(extraction.under(0).len(), 6);
    assert_eq!(extract(&page, Cut::H3).sections.len(), 25_001);
    assert_eq!(blocks(&page)[49_999].xpath, "/main/h2[8334]");
}
