//! Bad input: clear errors or sensible output, never a panic.

mod common;

use browserlens_page::{NodeSpec, Page, PageBuilder};
use browserlens_snapshot::{Format, GrepOptions, Mode, Session, SnapshotOptions, snapshot, snapshot_in};
use common::article;
use std::sync::Arc;

/// Every mode in every format.
fn every() -> impl Iterator<Item = SnapshotOptions> {
    Mode::NAMES.iter().flat_map(|(_, mode)| {
        Format::NAMES.iter().map(|(_, format)| SnapshotOptions { format: *format, ..SnapshotOptions::of(*mode) })
    })
}

fn error(options: &SnapshotOptions) -> String {
    let error = snapshot(&article(), options).expect_err("an error");
    format!("{error}\n hint: {}", error.hint())
}

fn selecting(selector: &str) -> SnapshotOptions {
    SnapshotOptions { selector: Some(selector.to_owned()), ..SnapshotOptions::of(Mode::Content) }
}

#[test]
fn every_mode_has_every_format_or_a_clear_error() {
    let mut table = String::new();
    for options in every() {
        let (mode, format) = (options.mode.expect("set"), options.format);
        let begins = match snapshot(&article(), &options) {
            Ok(text) => text.lines().next().unwrap_or_default().to_owned(),
            Err(error) => format!("error: {error}"),
        };
        table.push_str(&format!("{mode} {format}: {begins}\n"));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_selector_that_is_none_or_finds_nothing_is_an_error() {
    let selectors = ["#nowhere", "h2[", "div >", ":hover", "", "@e99", "@ref:99", "@x5", "@e", "@ref:", "@e5.", "@"];
    insta::assert_snapshot!(selectors.map(|selector| error(&selecting(selector))).join("\n"));
}

#[test]
fn a_ref_that_left_the_page_is_gone_and_one_that_stayed_is_found() {
    let shop = |with_cart: bool| {
        let cart = if with_cart { "\n  button \"Cart\" #20\n    text \"Cart\" #21" } else { "" };
        Arc::new(PageBuilder::outline(&format!("main #2\n  link \"Home\" href=\"/\" #10\n    text \"Home\" #11{cart}")))
    };
    let (first, second) = (shop(true), shop(false));
    let mut session = Session::new();
    session.look(&first).expect("shown");
    let take = |session: &Session, page: &Page, selector: &str| {
        let options = SnapshotOptions { format: Format::Html, ..selecting(selector) };
        snapshot_in(session, page, &options).map_err(|error| error.to_string())
    };
    assert_eq!(take(&session, &first, "@e2"), Ok("<button>Cart</button>".to_owned()));
    session.look(&second).expect("shown");
    assert_eq!(take(&session, &second, "@ref:1"), Ok("<a>Home</a>".to_owned()));
    assert_eq!(
        take(&session, &second, "@e2"),
        Err("selector \"@e2\": the ref is not on the page: @e1 to @e1 are".to_owned())
    );
}

#[test]
fn a_bad_pattern_is_an_error_with_its_place() {
    for (_, mode) in Mode::NAMES {
        let options = SnapshotOptions { grep: Some("section[".into()), ..SnapshotOptions::of(*mode) };
        assert!(
            error(&options).starts_with("grep \"section[\": no pattern at character 8: unclosed character class"),
            "{}",
            error(&options)
        );
    }
}

#[test]
fn grep_filters_every_mode_by_paths() {
    let page = Arc::new(PageBuilder::outline(
        "banner\n  link \"Home\" href=\"/\"\n    text \"Home\"\nmain\n  heading \"Offers\" level=1 tag=h1 block\n    \
            text \"Offers\"\n  button \"Buy\"\n    text \"Buy\"",
    ));
    for (_, mode) in Mode::NAMES {
        let options = SnapshotOptions { grep: Some("main".into()), ..SnapshotOptions::of(*mode) };
        let text = snapshot(&page, &options).expect("taken");
        assert!(
            text.contains(if *mode == Mode::Interactive { "Buy" } else { "Offers" }) && !text.contains("Home"),
            "{mode}: {text}"
        );
        let inverted = GrepOptions { invert: true, ..GrepOptions::from("main") };
        let text = snapshot(&page, &SnapshotOptions { grep: Some(inverted), ..options }).expect("taken");
        assert!(!text.contains("Offers") && !text.contains("Buy"), "{mode}: {text}");
        assert!(text.contains(if *mode == Mode::Outline { "BANNER" } else { "Home" }), "{mode}: {text}");
    }
}

#[test]
fn an_empty_page_is_told_as_one() {
    let empty = Arc::new(PageBuilder::new("", "").finish());
    let mut texts = String::new();
    for options in every() {
        if let Ok(text) = snapshot(&empty, &options) {
            texts.push_str(&format!("== {} {}\n{text}\n", options.mode.expect("set"), options.format));
        }
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn hostile_pages_are_shown_without_a_panic() {
    let mut text = PageBuilder::new("https://test.test/", "Test");
    text.open(NodeSpec { tag: "main", role: "main", ..NodeSpec::default() });
    text.text(&"word ".repeat(1_000_000));
    let mut deep = PageBuilder::new("https://test.test/", "Test");
    for at in 0..10_000 {
        deep.open(NodeSpec { tag: ["div", "section", "ul", "article", "blockquote"][at % 5], ..NodeSpec::default() });
    }
    deep.text("at the bottom");
    for (name, page) in [("5 MB of text", text.finish()), ("10,000 nested elements", deep.finish())] {
        let page = Arc::new(page);
        for options in every() {
            let mode = options.mode.expect("set");
            let shown = snapshot(&page, &options);
            assert!(shown.is_ok() || (mode, options.format) == (Mode::Interactive, Format::Markdown), "{name} {mode}");
            if mode == Mode::Interactive && options.format != Format::Tree {
                continue;
            }
            let limited = SnapshotOptions {
                max_length: Some(0),
                max_depth: Some(3),
                include_hidden: true,
                grep: Some("main|section|/".into()),
                ..options
            };
            assert_eq!(snapshot(&page, &limited).is_ok(), shown.is_ok(), "{name} {mode}");
        }
    }
}

#[test]
fn content_of_no_length_keeps_where_it_is() {
    let options = SnapshotOptions {
        max_length: Some(0),
        grep: Some("section.intro".into()),
        ..SnapshotOptions::of(Mode::Content)
    };
    insta::assert_snapshot!(snapshot(&article(), &options).expect("taken"));
}

#[test]
fn text_of_a_page_forges_no_line() {
    let mut builder = PageBuilder::new("https://test.test/?a= | b", "Title | viewport=1x1\nOUTLINE: landmarks=9");
    builder.open(NodeSpec { tag: "h1", role: "heading", level: 1, ..NodeSpec::default() });
    builder.text("x\" [9 words] /main\nMAIN /main @e1 \u{202e}");
    let page = Arc::new(builder.finish());
    let text = snapshot(&page, &SnapshotOptions::of(Mode::Outline)).expect("taken");
    assert_eq!(text.lines().count(), 4, "{text}");
    let parsed = browserlens_snapshot::outline::parse(&text).expect("in the grammar");
    assert_eq!(parsed.title, page.title());
    assert_eq!(parsed.lines.len(), 1);
    assert!(parsed.lines[0].name.starts_with("x\" [9 words] /main MAIN"), "{:?}", parsed.lines);
}
