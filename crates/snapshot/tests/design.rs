//! The pages of the design's examples, in exactly its grammar.

mod common;

use browserlens_core::tokens::Tokens;
use browserlens_snapshot::chunk::{ChunkOptions, documents};
use browserlens_snapshot::{Format, GrepOptions, Mode, SnapshotOptions, snapshot};
use common::{article, documentation};

fn options(mode: Mode, format: Format, grep: &str) -> SnapshotOptions {
    let grep = (!grep.is_empty()).then(|| GrepOptions::from(grep));
    SnapshotOptions { format, grep, ..SnapshotOptions::of(mode) }
}

fn taken(options: &SnapshotOptions) -> String {
    snapshot(&article(), options).expect("taken")
}

#[test]
fn the_outline_of_the_article() {
    insta::assert_snapshot!(taken(&SnapshotOptions::of(Mode::Outline)));
}

#[test]
fn the_outline_of_the_documentation() {
    insta::assert_snapshot!(snapshot(&documentation(), &SnapshotOptions::of(Mode::Outline)).expect("taken"));
}

#[test]
fn the_outline_filtered_by_paths_keeps_what_matches_readable() {
    insta::assert_snapshot!(taken(&options(Mode::Outline, Format::Tree, "h[1-3]")));
    insta::assert_snapshot!("children_of_main", taken(&options(Mode::Outline, Format::Tree, "/article/")));
    insta::assert_snapshot!("reviews_or_comments", taken(&options(Mode::Outline, Format::Tree, "reviews\\|comments")));
    let inverted = GrepOptions { invert: true, ..GrepOptions::from("nav|footer|section") };
    insta::assert_snapshot!(
        "inverted",
        taken(&SnapshotOptions { grep: Some(inverted), ..SnapshotOptions::of(Mode::Outline) })
    );
}

#[test]
fn the_content_of_two_sections() {
    let text = snapshot(&documentation(), &options(Mode::Content, Format::Markdown, "section#overview|section#auth"));
    insta::assert_snapshot!("content_markdown", text.expect("taken"));
    let text = snapshot(&documentation(), &options(Mode::Content, Format::Tree, "section#overview|section#auth"));
    insta::assert_snapshot!("content_tree", text.expect("taken"));
}

#[test]
fn chunks_stand_below_the_headings_that_reach_them() {
    let chunks = |grep: &str, max| {
        let text = taken(&SnapshotOptions { headings: true, ..options(Mode::Content, Format::Markdown, grep) });
        let found = documents(&text, "https://example.com/article", ChunkOptions::of(Tokens(max))).expect("cut");
        let comments = found.iter().flat_map(|chunk| chunk.text.lines()).filter(|line| line.starts_with("<!-- "));
        assert!(comments.clone().all(|line| line.starts_with("<!-- headings: ")), "{:?}", comments.collect::<Vec<_>>());
        let mut told: Vec<String> =
            found.iter().map(|chunk| format!("{} {:?}", chunk.path, chunk.breadcrumbs)).collect();
        told.dedup();
        told.join("\n")
    };
    insta::assert_snapshot!(chunks("", 300), @r#"
    /header/nav []
    /main/article/section.intro ["Understanding AI Agents"]
    /main/article/section.content ["Understanding AI Agents"]
    /main/article/section.content ["Understanding AI Agents", "What are AI Agents?"]
    /main/article/section.content ["Understanding AI Agents"]
    /main/article/section.content ["Understanding AI Agents", "How They Work"]
    /main/article/section.reviews ["Understanding AI Agents"]
    /main/article/section.reviews/article[10] ["Understanding AI Agents", "Reader Comments"]
    /aside []
    /footer []
    "#);
    insta::assert_snapshot!(chunks("section.content", 300), @r#"
    /main/article/section.content ["Understanding AI Agents"]
    /main/article/section.content ["Understanding AI Agents", "What are AI Agents?"]
    /main/article/section.content ["Understanding AI Agents"]
    /main/article/section.content ["Understanding AI Agents", "How They Work"]
    "#);
    assert_eq!(chunks("", 10_000), "/header/nav []");
}

#[test]
fn outlines_as_markdown_and_as_html() {
    insta::assert_snapshot!(
        "outline_markdown",
        snapshot(&documentation(), &options(Mode::Outline, Format::Markdown, "")).expect("taken")
    );
    insta::assert_snapshot!(
        "outline_html",
        snapshot(&documentation(), &options(Mode::Outline, Format::Html, "")).expect("taken")
    );
}
