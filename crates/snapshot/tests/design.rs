//! The pages of the design's examples, in exactly its grammar.

mod common;

use browserlens_snapshot::{Format, GrepOptions, Mode, SnapshotOptions, lines, outline, snapshot};
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
    let text = taken(&SnapshotOptions::of(Mode::Outline));
    insta::assert_snapshot!(text);
    let parsed = outline::parse(&text).expect("in the grammar");
    assert_eq!(outline::write(&parsed), text);
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
    insta::assert_snapshot!("inverted", taken(&SnapshotOptions { grep: Some(inverted), ..SnapshotOptions::of(Mode::Outline) }));
}

#[test]
fn the_content_of_two_sections() {
    let text = snapshot(&documentation(), &options(Mode::Content, Format::Markdown, "section#overview|section#auth"));
    insta::assert_snapshot!("content_markdown", text.expect("taken"));
    let text = snapshot(&documentation(), &options(Mode::Content, Format::Tree, "section#overview|section#auth"));
    insta::assert_snapshot!("content_tree", text.expect("taken"));
}

#[test]
fn outlines_as_markdown_and_as_html() {
    insta::assert_snapshot!("outline_markdown", snapshot(&documentation(), &options(Mode::Outline, Format::Markdown, "")).expect("taken"));
    insta::assert_snapshot!("outline_html", snapshot(&documentation(), &options(Mode::Outline, Format::Html, "")).expect("taken"));
}

#[test]
fn the_lines_are_the_text() {
    for (_, mode) in Mode::NAMES {
        for (_, format) in Format::NAMES {
            let options = options(*mode, *format, "");
            let Ok(text) = snapshot(&article(), &options) else { continue };
            let lines: Vec<String> = lines(&article(), &options).expect("taken").collect();
            assert!(lines.join("\n") == text, "{mode} {format}");
        }
    }
}
