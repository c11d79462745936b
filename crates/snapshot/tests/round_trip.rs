//! `parse(write(x)) == x` for outlines.

use browserlens_snapshot::outline::{Line, Meta, Outline, Role, Totals, parse, write};
use browserlens_snapshot::path::Path;
use proptest::prelude::*;

fn meta() -> impl Strategy<Value = Meta> {
    prop_oneof![
        any::<u32>().prop_map(Meta::Words),
        any::<u32>().prop_map(Meta::Items),
        any::<u32>().prop_map(Meta::Paragraphs),
        any::<u32>().prop_map(Meta::Links),
        any::<u32>().prop_map(Meta::Lines),
        Just(Meta::Preview),
    ]
}

fn line() -> impl Strategy<Value = Line> {
    let path = proptest::option::of("(/(main|h2|section[.#][a-z]{1,6}|x-card|#document|p\\[[1-9]\\])){1,5}");
    let parts = (
        0_usize..20,
        0..Role::WORDS.len(),
        proptest::option::of(1_u8..=6),
        ".{0,30}",
        proptest::collection::vec(meta(), 0..3),
        path,
    );
    parts.prop_map(|(depth, role, level, name, meta, path)| Line {
        depth,
        role: Role::WORDS[role].0,
        level,
        name,
        meta,
        path: path.map(|path| path.parse::<Path>().expect("a path")),
    })
}

proptest! {
    #[test]
    fn an_outline_is_read_back(
        url in ".{0,30}",
        title in ".{0,30}",
        viewport in any::<(u32, u32)>(),
        counts in any::<(u32, u32, u32, u32)>(),
        grep in "[a-z/|\\\\\\[\\] =.]{0,12}",
        lines in proptest::collection::vec(line(), 0..8),
        deeper in any::<Option<(u32, u32)>>(),
    ) {
        let (landmarks, sections, headings, words) = counts;
        let deeper = deeper.map(|(lines, depth)| (lines as usize, depth as usize));
        let totals = Totals { landmarks, sections, headings, words };
        let outline = Outline { url, title, viewport, totals, grep, lines, deeper };
        let text = write(&outline);
        prop_assert_eq!(parse(&text), Ok(outline), "{}", text);
    }

    #[test]
    fn any_text_is_an_outline_or_refused_with_a_line(text in "(PAGE: a \\| b \\| viewport=1x2\nOUTLINE: landmarks=1 \
        sections=1 headings=1 words=1\n\n)?[ A-Z\\[\\]\"\\\\a-z0-9/=,.\n]{0,60}") {
        match parse(&text) {
            Ok(outline) => prop_assert_eq!(write(&outline), text),
            Err(error) => prop_assert!(error.line >= 1 && error.line <= text.split('\n').count()),
        }
    }
}
