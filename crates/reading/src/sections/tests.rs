//! Sections of small pages and of any blocks.

use super::*;
use browserlens_core::page::{NodeId, PageBuilder};
use proptest::prelude::*;

fn shown(extraction: &Extraction) -> String {
    let line = |section: &Section| {
        format!(
            "{} level {} {:?} trail {:?} blocks {:?} {}\n  {:?}\n",
            section.position,
            section.level,
            section.heading,
            section.trail,
            section.blocks,
            section.xpath,
            section.content
        )
    };
    extraction.sections.iter().map(line).collect()
}

fn article() -> Page {
    PageBuilder::outline(
        r#"
        generic tag=body
          paragraph
            text "Skip to content"
          heading "A" tag=h1 level=1
            text "Guide"
          paragraph
            text "What it is."
          heading "B" tag=h2 level=2
            text "Install"
          paragraph
            text "Run this:"
          generic tag=pre
            text "make\nmake install"
          heading "C" tag=h4 level=4
            text "Windows"
          paragraph
            text "Not yet."
          heading "D" tag=h2 level=2
            text "Use"
        "#,
    )
}

#[test]
fn sections_at_every_level() {
    let extraction = extract(&article(), Cut::All);
    assert!(extraction.has_headings);
    assert_eq!(extraction.word_count, 17);
    insta::assert_snapshot!(shown(&extraction), @r#"
    0 level 0 "" trail [] blocks 0..1 /body/p[1]
      "Skip to content"
    1 level 1 "Guide" trail [] blocks 1..3 /body/h1
      "What it is."
    2 level 2 "Install" trail [1] blocks 3..6 /body/h2[1]
      "Run this:\n\nmake\nmake install"
    3 level 4 "Windows" trail [1, 2] blocks 6..8 /body/h4
      "Not yet."
    4 level 2 "Use" trail [1] blocks 8..9 /body/h2[2]
      ""
    "#);
}

#[test]
fn a_section_ends_at_a_landmark_and_goes_on_behind_it() {
    let page = PageBuilder::outline(
        r#"
        generic tag=body
          main tag=main
            heading "FAQ" tag=h2 level=2
              text "FAQ"
            paragraph
              text "Yes."
            complementary tag=aside
              heading "Related" tag=h3 level=3
                text "Related"
              paragraph
                text "Other pages."
            paragraph
              text "No."
            heading "More" tag=h3 level=3
              text "More"
          contentinfo tag=footer
            paragraph
              text "Imprint"
        "#,
    );
    let extraction = extract(&page, Cut::All);
    insta::assert_snapshot!(shown(&extraction), @r#"
    0 level 2 "FAQ" trail [] blocks 0..2 /body/main/h2
      "Yes."
    1 level 3 "Related" trail [] blocks 2..4 /body/main/aside/h3
      "Other pages."
    2 level 2 "FAQ" trail [0] blocks 4..5 /body/main/p[2]
      "No."
    3 level 3 "More" trail [0] blocks 5..6 /body/main/h3
      ""
    4 level 0 "" trail [] blocks 6..7 /body/footer/p
      "Imprint"
    "#);
    let part = extraction.part(&"section=faq".parse().expect("options")).expect("a part");
    assert_eq!(part.text, "## FAQ\n\nYes.\n\nNo.\n\n### More");
}

#[test]
fn a_long_page_without_headings_is_divided_by_sentences() {
    let text = "This sentence is one of very many. ".repeat(1_000);
    let extraction = extract(&PageBuilder::outline(&format!("paragraph\n  text \"{text}\"")), Cut::All);
    assert_eq!(extraction.full_text, text.trim_end());
    assert!(extraction.blocks.iter().all(|block| block.text.len() <= crate::LONGEST_BLOCK));
    assert!(extraction.sections.iter().all(|section| section.content.len() <= LONGEST_SECTION));
    assert!(extraction.sections.iter().all(|section| section.content.trim_end().ends_with('.')));
    assert_eq!(extraction.sections.iter().map(|section| section.content.as_str()).collect::<String>(), text.trim_end());
    let first = extraction.part(&"".parse().expect("options")).expect("a part");
    let shown = &extraction.sections[..first.next.expect("more")];
    assert!(first.text.chars().count() <= crate::DEFAULT_CHARS);
    assert_eq!(first.text, shown.iter().map(Section::marked).collect::<Vec<_>>().join("\n\n"));
    assert_eq!(extraction.find("3").expect("a part of it").part, 3);
}

#[test]
fn sections_down_to_the_third_level() {
    insta::assert_snapshot!(shown(&extract(&article(), Cut::H3)), @r#"
    0 level 0 "" trail [] blocks 0..1 /body/p[1]
      "Skip to content"
    1 level 1 "Guide" trail [] blocks 1..3 /body/h1
      "What it is."
    2 level 2 "Install" trail [1] blocks 3..8 /body/h2[1]
      "Run this:\n\nmake\nmake install\n\nWindows\n\nNot yet."
    3 level 2 "Use" trail [1] blocks 8..9 /body/h2[2]
      ""
    "#);
}

#[test]
fn a_page_without_headings_is_one_section_and_an_empty_one_has_none() {
    let extraction = extract(&PageBuilder::outline("paragraph\n  text \"a b\"\nparagraph\n  text \"c\""), Cut::All);
    assert_eq!((extraction.sections.len(), extraction.has_headings, extraction.word_count), (1, false, 3));
    assert_eq!(extraction.sections[0].content, "a b\n\nc");
    let empty = extract(&PageBuilder::outline(""), Cut::All);
    assert_eq!(empty, Extraction { title: "Test".into(), url: "https://test.test/".into(), ..Extraction::default() });
}

/// Every third run of six blocks lies beside the text.
fn kind_side(index: usize) -> bool {
    index / 6 % 3 == 1
}

fn any_blocks() -> impl Strategy<Value = Vec<Block>> {
    let kind = prop_oneof![
        (1u8..=7).prop_map(|level| BlockKind::Heading { level }),
        Just(BlockKind::Paragraph),
        Just(BlockKind::List),
        Just(BlockKind::Code),
    ];
    prop::collection::vec((kind, "[a-z]{1,5}( [a-z]{1,5}){0,4}"), 0..30).prop_map(|blocks| {
        let block = |(index, (kind, text)): (usize, (BlockKind, String))| Block {
            kind,
            text,
            xpath: format!("/p[{index}]"),
            position: index as u32,
            node: NodeId(index as u32),
            side: if kind_side(index) { 1 + index as u32 / 6 } else { 0 },
            navigation: false,
            continued: false,
        };
        blocks.into_iter().enumerate().map(block).collect()
    })
}

proptest! {
    #[test]
    fn sections_hold_every_block_once(blocks in any_blocks(), all in any::<bool>()) {
        let cut = if all { Cut::All } else { Cut::H3 };
        let extraction = Extraction::of("t", "u", blocks.clone(), cut);
        let mut next = 0;
        for section in &extraction.sections {
            prop_assert_eq!(section.blocks.start, next);
            prop_assert!(section.blocks.end > next);
            next = section.blocks.end;
            for above in &section.trail {
                let above = &extraction.sections[*above as usize];
                prop_assert!(above.position < section.position);
                prop_assert!(above.level < section.level || section.part > 0);
                prop_assert!(extraction.under(above.position).contains(&section));
            }
        }
        prop_assert_eq!(next, blocks.len());
        let texts: Vec<String> = extraction.sections.iter().map(Section::text).collect();
        prop_assert_eq!(texts.join("\n\n"), extraction.full_text.clone());
        let json = serde_json::to_string(&extraction).expect("serialises");
        prop_assert_eq!(serde_json::from_str::<Extraction>(&json).expect("reads back"), extraction);
    }
}
