//! Chunks hold their promises, whatever the text.

use super::*;
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

fn check(text: &str, options: ChunkOptions) -> Vec<Chunk> {
    let chunks = chunk(text, options).expect("the maximum is large enough");
    let joined: String = chunks.iter().map(Chunk::body).collect();
    assert_eq!(joined, text, "chunks are not the document");
    let mut end = 0;
    for chunk in &chunks {
        assert_eq!(chunk.range.start, end, "chunks leave a gap");
        end = chunk.range.end;
        assert_eq!(&text[chunk.range.clone()], chunk.body());
        assert_eq!(chunk.tokens, options.encoding.count(chunk.text()));
        assert!(chunk.tokens <= options.max, "{} tokens are over {}: {:?}", chunk.tokens, options.max, chunk.text());
        assert!(!chunk.body().is_empty());
    }
    assert_eq!(end, text.len());
    chunks
}

fn options(max: u32) -> ChunkOptions {
    ChunkOptions::of(Tokens(max))
}

const GUIDE: &str = "# Guide\n\nAbout it.\n\n## Install\n\nRun this:\n\n```sh\nmake\nmake install\n```\n\n## \
    Use\n\n### First steps\n\n\
Open it. Close it. Open it again and look at what it says.\n\n### Tables\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | \
4 |\n";

#[test]
fn a_document_that_fits_is_one_chunk() {
    let chunks = check(GUIDE, options(500));
    assert_eq!(chunks.len(), 1);
    assert!(chunks[0].breadcrumbs.is_empty());
}

#[test]
fn sections_are_cut_at_headings_and_say_where_they_stand() {
    let chunks = check(GUIDE, options(40));
    let shown: Vec<String> = chunks
        .iter()
        .map(|chunk| format!("{} | {}", chunk.breadcrumbs.join(" > "), chunk.body().lines().next().unwrap_or_default()))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r####"
     | # Guide
    Guide | ## Use
    Guide > Use | ### Tables
    "####);
}

#[test]
fn code_stays_whole_up_to_the_maximum_and_says_so_beyond() {
    let code = format!("Text before it, some words.\n\n```rust\n{}```\n\nText after it.\n", "let a = 1;\n".repeat(20));
    let block = &code[code.find("```").expect("a fence")..code.rfind("```").expect("a fence") + 3];
    let size = Encoding::O200kBase.count(block);
    let chunks = check(&code, ChunkOptions::of(size));
    assert!(chunks.iter().any(|chunk| chunk.body().contains(block)), "a block of exactly the maximum was cut");
    assert!(chunks.iter().all(|chunk| chunk.cut.is_none()));
    let chunks = check(&code, ChunkOptions::of(Tokens(size.0 - 1)));
    assert!(chunks.iter().filter(|chunk| chunk.cut == Some(Cut::Code)).count() > 1);
    // It is cut at ends of lines.
    assert!(chunks.iter().filter(|chunk| chunk.cut.is_some()).all(|chunk| chunk.body().ends_with('\n')));
}

#[test]
fn a_piece_of_code_stands_in_a_fence_of_its_own_below_its_headings() {
    let lines = "    let a = \"some words\";\n".repeat(60);
    for (before, marks) in [("", "```"), ("- ", "````"), ("> ", "~~~")] {
        let rest = before.replace('-', " ");
        let code = format!("{before}{marks}rust\n{lines}{marks}\n").replace('\n', &format!("\n{rest}"));
        let text = format!("# Guide\n\n## Code\n\n{}\n\nText after it.\n", code.trim_end());
        let chunks = check(&text, options(160));
        let pieces: Vec<&Chunk> = chunks.iter().filter(|chunk| chunk.cut == Some(Cut::Code)).collect();
        assert!(pieces.len() > 3, "{}", chunks.len());
        let mut all = String::new();
        for piece in pieces {
            let is_first = piece.text().starts_with("# Guide");
            assert!(is_first || piece.text().starts_with(&breadcrumb_line(&piece.breadcrumbs)), "{}", piece.text());
            assert!(is_first || piece.breadcrumbs.starts_with(&["Guide".to_owned()]));
            let mut languages = Vec::new();
            for event in Parser::new_ext(piece.text(), extensions()) {
                match event {
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => languages.push(language),
                    Event::Text(code) if code.contains("let a") => all.push_str(&code),
                    _ => {}
                }
            }
            assert_eq!(languages.iter().map(|language| &**language).collect::<Vec<_>>(), ["rust"], "{}", piece.text());
        }
        assert_eq!(all, lines, "{before}");
    }
}

#[test]
fn rows_stay_whole_up_to_the_maximum_and_say_so_beyond() {
    let cell = "word ".repeat(30);
    let table = format!("| a |\n| --- |\n| {cell}|\n| {cell}|\n| {cell}|\n");
    let chunks = check(&table, options(60));
    assert!(chunks.len() > 1);
    assert!(chunks.iter().all(|chunk| chunk.cut.is_none() && chunk.body().ends_with("|\n")));
    let chunks = check(&table, options(20));
    assert!(chunks.iter().any(|chunk| chunk.cut == Some(Cut::Row)));
}

#[test]
fn overlap_repeats_the_words_before_within_a_section() {
    let text = format!("# One\n\n{}\n\n# Two\n\n{}\n", "alpha beta gamma. ".repeat(30), "delta epsilon. ".repeat(30));
    let chunks = check(&text, ChunkOptions { overlap: Tokens(8), ..options(64) });
    let overlap = |chunk: &Chunk| {
        let before = chunk.text().len() - chunk.body().len();
        chunk.text()[..before].lines().last().unwrap_or_default().to_owned()
    };
    assert!(chunks[1].text().contains("gamma."), "{:?}", overlap(&chunks[1]));
    assert!(Encoding::O200kBase.count(&overlap(&chunks[1])) <= Tokens(8));
    let second =
        chunks.iter().find(|chunk| chunk.body().starts_with("# Two")).expect("the second section begins a chunk");
    assert_eq!(second.text(), second.body());
}

#[test]
fn breadcrumbs_cannot_be_forged_by_a_heading() {
    let text = format!("# a --> b\n\n## <!-- xpath: /x -->\n\n{}\n", "word ".repeat(200));
    let chunks = check(&text, options(64));
    let last = chunks.last().expect("chunks");
    assert_eq!(last.breadcrumbs, ["a --› b"]);
    assert!(last.text().starts_with("<!-- headings: a --› b -->\n\nword"), "{}", last.text());
}

#[test]
fn a_maximum_that_holds_no_character_is_an_error() {
    assert!(chunk("x", options(0)).is_err());
    assert!(chunk("", options(8)).expect("fits").is_empty());
}

#[test]
fn one_long_word_and_one_long_paragraph_are_cut() {
    check(&"a".repeat(30_000), options(100));
    check(&"word ".repeat(20_000), options(1000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_cut_without_loss_within_the_maximum(
        text in "(\\PC|[\\n #>*_`~|:-]|# [a-z]{1,8}\n\n|## [a-z]{1,8}\n|```\n|\\| a \\| b \\|\n|- [a-z \
            ]{1,20}\n|[a-z]{1,9}[. ]){0,200}",
        max in 8u32..80,
        overlap in 0u32..12,
        breadcrumbs in prop::bool::ANY,
    ) {
        check(&text, ChunkOptions { overlap: Tokens(overlap), breadcrumbs, ..options(max) });
    }
}
