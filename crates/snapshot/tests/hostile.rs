//! Bad input: clear errors or sensible output, never a panic.

mod common;

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_snapshot::{Format, GrepOptions, Mode, RefLens, SnapshotError, SnapshotOptions, snapshot, snapshot_in};
use common::article;
use std::sync::Arc;

/// Every mode in every format.
fn every() -> impl Iterator<Item = SnapshotOptions> {
    Mode::ALL.into_iter().flat_map(|mode| {
        Format::ALL.into_iter().map(move |format| SnapshotOptions { format, ..SnapshotOptions::of(mode) })
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
    let mut lens = RefLens::new();
    lens.look(&first).expect("shown");
    let take = |lens: &RefLens, page: &Page, selector: &str| {
        let options = SnapshotOptions { format: Format::Html, ..selecting(selector) };
        snapshot_in(lens, page, &options).map_err(|error| error.to_string())
    };
    assert_eq!(take(&lens, &first, "@e2"), Ok("<button>Cart</button>".to_owned()));
    lens.look(&second).expect("shown");
    assert_eq!(take(&lens, &second, "@ref:1"), Ok("<a>Home</a>".to_owned()));
    assert_eq!(
        take(&lens, &second, "@e2"),
        Err("selector \"@e2\": the ref is not on the page: @e1 to @e1 are".to_owned())
    );
}

#[test]
fn a_bad_pattern_is_an_error_with_its_place() {
    for mode in Mode::ALL {
        let options = SnapshotOptions { grep: Some("section[".into()), ..SnapshotOptions::of(mode) };
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
    for mode in Mode::ALL {
        let options = SnapshotOptions { grep: Some("main".into()), ..SnapshotOptions::of(mode) };
        let text = snapshot(&page, &options).expect("taken");
        assert!(
            text.contains(if mode == Mode::Interactive { "Buy" } else { "Offers" }) && !text.contains("Home"),
            "{mode}: {text}"
        );
        let inverted = GrepOptions { invert: true, ..GrepOptions::from("main") };
        let text = snapshot(&page, &SnapshotOptions { grep: Some(inverted), ..options }).expect("taken");
        assert!(!text.contains("Offers") && !text.contains("Buy"), "{mode}: {text}");
        assert!(text.contains(if mode == Mode::Outline { "BANNER" } else { "Home" }), "{mode}: {text}");
    }
}

#[test]
fn grep_searches_text_and_roles_in_every_mode_and_format() {
    let page = Arc::new(PageBuilder::outline(
        "banner\n  link \"Home\" href=\"/\"\n    text \"Home\"\nmain\n  heading \"Offers\" level=1 tag=h1 block\n    \
            text \"Offers\"\n  paragraph tag=p block\n    text \"It is 42 dollars\"\n  heading \"Terms\" level=2 \
            tag=h2 \
            block\n    text \"Terms\"\n  button \"Buy\"\n    text \"Buy\"",
    ));
    let take = |mode, format, grep: GrepOptions| {
        snapshot(&page, &SnapshotOptions { grep: Some(grep), format, ..SnapshotOptions::of(mode) })
    };
    for format in [Format::Tree, Format::Html, Format::Markdown] {
        let text = take(Mode::Content, format, "42".into()).expect("matches");
        assert!(text.contains("42 dollars") && !text.contains("Terms") && !text.contains("Buy"), "{format}: {text}");
        let text = take(Mode::Content, format, "^HEADING".into()).expect("matches");
        assert!(text.contains("Terms") && text.contains("Offers") && !text.contains("42 dollars"), "{format}: {text}");
        let around = GrepOptions { context: 1, ..GrepOptions::from("42") };
        let text = take(Mode::Content, format, around).expect("matches");
        assert!(text.contains("Terms") && text.contains("Offers") && !text.contains("Buy"), "{format}: {text}");
        let without = GrepOptions { invert: true, ignore_case: true, ..GrepOptions::from("DOLLARS|buy") };
        let text = take(Mode::Content, format, without).expect("something is left");
        assert!(text.contains("Terms") && !text.contains("dollars") && !text.contains("Buy"), "{format}: {text}");
        let text = take(Mode::Outline, format, "^HEADING.*Terms".into()).expect("matches");
        assert!(text.contains("Terms") && !text.contains("Offers"), "{format}: {text}");
    }
    let text = take(Mode::Content, Format::Tree, "42".into()).expect("matches");
    assert!(text.contains("SECTION /main [4 of 7 words]"), "{text}");
    let text = take(Mode::Interactive, Format::Tree, "Buy".into()).expect("matches");
    assert!(text.contains("Buy") && !text.contains("Home"), "{text}");
    let text = take(Mode::Interactive, Format::Tree, "^link".into()).expect("matches");
    assert!(text.contains("Home") && !text.contains("Buy"), "{text}");
}

#[test]
fn a_pattern_that_matches_nothing_is_an_error_with_what_comes_nearest() {
    let mut told = String::new();
    for options in
        every().filter(|options| (options.mode, options.format) != (Some(Mode::Interactive), Format::Markdown))
    {
        told.push_str(&format!("{}\n", error(&SnapshotOptions { grep: Some("Undrstanding".into()), ..options })));
    }
    let all = GrepOptions { invert: true, ..GrepOptions::from("") };
    told.push_str(&error(&SnapshotOptions { grep: Some(all), ..SnapshotOptions::of(Mode::Outline) }));
    insta::assert_snapshot!(told);
}

#[test]
fn an_option_that_does_nothing_is_refused() {
    let tell = |mode, format| SnapshotOptions { format, ..SnapshotOptions::of(mode) };
    insta::assert_snapshot!(
        [
            error(&SnapshotOptions { include_links: true, ..tell(Mode::Outline, Format::Tree) }),
            error(&SnapshotOptions { include_images: true, ..tell(Mode::Interactive, Format::Tree) }),
            error(&SnapshotOptions { max_length: Some(5), ..tell(Mode::Outline, Format::Html) }),
        ]
        .join("\n")
    );
}

#[test]
fn links_and_images_stand_below_their_lines_in_a_tree() {
    let page = Arc::new(PageBuilder::outline(
        "main\n  paragraph tag=p block\n    text \"See \"\n    link \"prices\" href=\"/price.html\"\n      text \
            \"prices\"\n    image \"A \\\"map\\\"\" src=\"/m.png\" alt=\"A map\" tag=img",
    ));
    let options = SnapshotOptions { include_links: true, include_images: true, ..SnapshotOptions::of(Mode::Content) };
    insta::assert_snapshot!(snapshot(&page, &options).expect("taken"));
}

#[test]
fn what_is_cut_is_told_in_every_format_and_no_word_is_broken() {
    let mut told = String::new();
    for format in [Format::Tree, Format::Markdown, Format::Html] {
        let options = SnapshotOptions {
            max_length: Some(40),
            format,
            grep: Some("section.intro|h1".into()),
            ..SnapshotOptions::of(Mode::Content)
        };
        told.push_str(&format!("== {format}\n{}\n", snapshot(&article(), &options).expect("taken")));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_lies_too_deep_is_told_in_every_mode_and_format() {
    let mut told = String::new();
    for options in every().filter(|options| options.mode != Some(Mode::Interactive)) {
        let options = SnapshotOptions { max_depth: Some(1), ..options };
        let text = snapshot(&article(), &options).expect("taken");
        let cut = text.lines().rfind(|line| line.to_ascii_lowercase().contains("cut")).unwrap_or_default();
        told.push_str(&format!("{} {}: {cut}\n", options.mode.expect("set"), options.format));
        let all = cut.split_once("max depth ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        let all = SnapshotOptions { max_depth: Some(all.expect("a depth")), ..options };
        let whole = SnapshotOptions { max_depth: None, ..all.clone() };
        assert_eq!(snapshot(&article(), &all), snapshot(&article(), &whole));
    }
    let page = Arc::new(PageBuilder::outline("link \"Home\" href=\"/\"\nmain\n  form \"Find\"\n    button \"Go\""));
    for format in [Format::Tree, Format::Html] {
        let options = SnapshotOptions { max_depth: Some(0), format, ..SnapshotOptions::of(Mode::Interactive) };
        told.push_str(&format!("== interactive {format}\n{}\n", snapshot(&page, &options).expect("taken")));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_header_says_how_its_pattern_is_read() {
    let grep = GrepOptions { invert: true, ignore_case: true, ..GrepOptions::from("REVIEWS") };
    for mode in [Mode::Outline, Mode::Content] {
        let options = SnapshotOptions { grep: Some(grep.clone()), ..SnapshotOptions::of(mode) };
        let text = snapshot(&article(), &options).expect("taken");
        let header = text.lines().nth(1).expect("a header");
        assert!(header.ends_with(" grep=REVIEWS (inverted, ignoring case)"), "{header}");
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
                max_length: (mode == Mode::Content).then_some(0),
                max_depth: Some(3),
                include_hidden: true,
                grep: Some("main|section|/".into()),
                ..options
            };
            let limited = snapshot(&page, &limited);
            let nothing = matches!(limited, Err(SnapshotError::NothingMatches { .. }));
            assert!(limited.is_ok() == shown.is_ok() || nothing && mode == Mode::Interactive, "{name} {mode}");
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
fn headings_are_whole_up_to_200_characters_and_a_cut_is_said() {
    let outline_of = |heading: &str| {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "h1", role: "heading", level: 1, ..NodeSpec::default() });
        builder.text(heading);
        snapshot(&Arc::new(builder.finish()), &SnapshotOptions::of(Mode::Outline)).expect("taken")
    };
    let whole = "Results for hardly anything ".repeat(7);
    assert!(outline_of(&whole).ends_with(&format!("HEADING level=1 \"{}\" /h1", whole.trim())));
    let cut = outline_of(&"Ergebnisse für überhaupt nichts ".repeat(40));
    assert!(cut.ends_with("...\" [preview] /h1"), "{cut}");
    assert!(cut.lines().last().is_some_and(|line| (180..240).contains(&line.chars().count())), "{cut}");
}

#[test]
fn the_direct_children_of_a_path_have_lines_even_where_they_would_give_way() {
    let page = Arc::new(PageBuilder::outline(
        "main\n  article tag=article\n    heading \"Offers\" level=1 tag=h1 block\n      text \"Offers\"\n    region \
            \"Intro\" tag=section class=intro\n      paragraph tag=p block\n        text \"Some words\"",
    ));
    let take = |grep: &str| {
        snapshot(&page, &SnapshotOptions { grep: Some(grep.into()), ..SnapshotOptions::of(Mode::Outline) }).expect(grep)
    };
    assert_eq!(
        take("/main/").lines().skip(3).collect::<Vec<_>>(),
        ["MAIN [3 words] /main", "  ARTICLE [3 words] /main/article"]
    );
    let text = take("/article/");
    assert!(text.contains("/main/article/h1") && text.ends_with("/main/article/section.intro"), "{text}");
}

#[test]
fn text_of_a_page_forges_no_line() {
    let mut builder = PageBuilder::new("https://test.test/?a= | b", "Title | viewport=1x1\nOUTLINE: landmarks=9");
    builder.open(NodeSpec { tag: "h1", role: "heading", level: 1, ..NodeSpec::default() });
    builder.text("x\" [9 words] /main\nMAIN /main @e1 \u{202e}");
    let page = Arc::new(builder.finish());
    let text = snapshot(&page, &SnapshotOptions::of(Mode::Outline)).expect("taken");
    assert_eq!(text.lines().count(), 4, "{text}");
    insta::assert_snapshot!(text, @r#"
    PAGE: https://test.test/?a= \| b | Title \| viewport=1x1\nOUTLINE: landmarks=9 | viewport=1280x800
    OUTLINE: landmarks=0 sections=0 headings=1 words=7

    HEADING level=1 "x\" [9 words] /main MAIN /main \@e1 \u{202e}" /h1
    "#);
}
