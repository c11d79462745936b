//! What is written is read back, whatever is in it.

use super::*;
use proptest::prelude::*;

/// Text made of what markdown reads as markup.
fn hostile() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z0-9]{1,6}",
        3 => prop::sample::select(vec![
            "*", "**", "_", "__", "`", "``", "```", "~~", "~~~", "#", "##", ">", "-", "+", "1.", "2)", "---", "===",
            "|", "a|b", "\\", "\\|",
            "[x]", "[ ]", "[a](b)", "![a](b)", "<b>", "<!--", "-->", "<!-- xpath: /x -->", "<!-- end: 9 words \
                extracted -->", "&amp;", "&#35;",
            "&", ":", ": x", ":--", "|---|", "<http://a.b>", "http://a.b", "[^1]", "[a]:", "!", "$x$", "a_b", "_a_",
            "*a*", "**a**b", "{#id}",
            "\"q\"", "(", ")", "\u{a0}", "é", "日本", "「", "Ⓐ", "😀", "\u{200b}", "\u{2028}", "\t", "\r", "\n", "\u{0}",
            "\u{1}", "\u{2}", "<br>", "</div>",
            "<script>", "<?", "<![CDATA[", "10000000000.", "\\\n", "+++", "~", "^", "%%",
        ])
        .prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec((word, prop::bool::ANY), 0..6).prop_map(|words| {
        let mut text = String::new();
        for (word, blank) in words {
            text.push_str(&word);
            if blank {
                text.push(' ');
            }
        }
        text
    })
}

fn inline() -> impl Strategy<Value = Inline> {
    let leaf = prop_oneof![
        6 => hostile().prop_map(Inline::Text),
        2 => hostile().prop_map(Inline::Code),
        1 => (hostile(), hostile()).prop_map(|(url, alt)| Inline::Image(Image { url, alt })),
        1 => Just(Inline::Break),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let content = prop::collection::vec(inner, 0..4);
        prop_oneof![
            content.clone().prop_map(Inline::Emphasis),
            content.clone().prop_map(Inline::Strong),
            content.clone().prop_map(Inline::Strike),
            (hostile(), content).prop_map(|(url, content)| Inline::Link { url, content }),
        ]
    })
}

fn inlines() -> impl Strategy<Value = Vec<Inline>> {
    prop::collection::vec(inline(), 0..5)
}

fn code() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![hostile(), "[ \\t]{0,5}[a-z]{0,4}", Just("```".to_owned()), Just("    ".to_owned())],
        0..5,
    )
    .prop_map(|lines| lines.join("\n"))
}

fn block() -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        5 => inlines().prop_map(Block::Paragraph),
        2 => (0u8..9, inlines()).prop_map(|(level, content)| Block::Heading { level, content }),
        2 => (hostile(), code()).prop_map(|(language, text)| Block::Code { language, text }),
        1 => Just(Block::Rule),
        1 => (hostile(), hostile(), inlines())
            .prop_map(|(url, alt, caption)| Block::Figure { image: Image { url, alt }, caption }),
        2 => (prop::collection::vec(0usize..4, 0..4),
            prop::collection::vec(prop::collection::vec(inlines(), 0..4), 0..4))
            .prop_map(|(columns, mut rows)| {
                let columns = columns
                    .into_iter()
                    .map(|align| [Align::None, Align::Left, Align::Center, Align::Right][align])
                    .collect();
                let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
                Block::Table(Table { columns, header, rows })
            }),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let blocks = prop::collection::vec(inner, 0..4);
        let task = prop_oneof![3 => Just(None), 1 => prop::bool::ANY.prop_map(Some)];
        let item = (task, blocks.clone()).prop_map(|(task, blocks)| Item { task, blocks });
        let start = prop_oneof![Just(None), (0u32..12).prop_map(Some), Just(Some(u32::MAX))];
        prop_oneof![
            2 => blocks.clone().prop_map(Block::Quote),
            3 => (start,
                prop::collection::vec(item, 0..4)).prop_map(|(start, items)| Block::List(List { start, items })),
            1 => prop::collection::vec((inlines(), prop::collection::vec(blocks, 0..3)), 0..3).prop_map(|definitions| {
                Block::Definitions(
                    definitions.into_iter().map(|(term, definitions)| Definition { term, definitions }).collect(),
                )
            }),
        ]
    })
}

pub(crate) fn document() -> impl Strategy<Value = Document> {
    let part = (prop::option::of(hostile()), prop::collection::vec(block(), 0..5))
        .prop_map(|(path, blocks)| Part { path, blocks });
    (
        prop::option::of(hostile()),
        prop::collection::vec(hostile(), 0..3),
        prop::collection::vec(part, 0..3),
        prop::option::of(0u64..9999),
    )
        .prop_map(|(source, breadcrumbs, parts, end)| Document { source, breadcrumbs, parts, end })
}

fn round_trip(document: &Document, width: Option<usize>) -> Result<(), TestCaseError> {
    let normal = normalise(document.clone());
    prop_assert_eq!(&normalise(normal.clone()), &normal, "the normal form is not one");
    let text = write(&normal, WriteOptions { width });
    let read = parse(&text);
    prop_assert_eq!(&read, &normal, "written as\n{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_shrink_iters: 20_000, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn inlines_are_read_back_as_they_were_written(content in inlines(), width in prop::option::of(1usize..30)) {
        let parts = vec![Part { path: None, blocks: vec![Block::Paragraph(content)] }];
        round_trip(&Document { parts, ..Document::default() }, width)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, max_shrink_iters: 20_000, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(document in document(), width in prop::option::of(1usize..100)) {
        round_trip(&document, width)?;
    }

    #[test]
    fn any_text_is_read_and_read_again(text in "(\\PC|[\\n #>*_`~|:\\[\\]()<!-]){0,120}") {
        let read = parse(&text);
        round_trip(&read, Some(80))?;
        outline(&text, browserlens_core::tokens::Encoding::O200kBase);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 20_000, failure_persistence: None,
        ..ProptestConfig::default() })]

    /// Code has no escapes, and the label of a definition ends at a bracket wherever it stands.
    #[test]
    fn a_link_at_the_start_defines_nothing(
        links in prop::collection::vec(("[a:]{0,2}",
            prop::collection::vec((prop::bool::ANY, "[]\\[:a\"' \\\\`<>()^]{1,5}"), 1..4)), 1..3),
        mark in prop::option::of(0u8..3),
        width in prop::option::of(1usize..30),
    ) {
        let links = links.into_iter().map(|(url, content)| {
            let content = content.into_iter().map(|(code,
                text)| if code { Inline::Code(text) } else { Inline::text(&text) });
            Inline::Link { url, content: content.collect() }
        });
        let content: Vec<Inline> = links.collect();
        let content = match mark {
            None => content,
            Some(0) => vec![Inline::Strong(content)],
            Some(1) => vec![Inline::Emphasis(content)],
            Some(_) => vec![Inline::Strike(content)],
        };
        let term = Definition { term: content.clone(), definitions: vec![vec![Block::Paragraph(content.clone())]] };
        let item = Item { task: Some(true), blocks: vec![Block::Paragraph(content.clone())] };
        let list = List { start: None, items: vec![item] };
        let blocks = vec![
            Block::Paragraph(content.clone()),
            Block::Heading { level: 2, content },
            Block::List(list),
            Block::Definitions(vec![term]),
        ];
        round_trip(&Document { parts: vec![Part { path: None, blocks }], ..Document::default() }, width)?;
    }
}

#[test]
fn code_in_a_link_that_would_end_a_label_is_text() {
    let link = Inline::Link { url: String::new(), content: vec![Inline::Code("]:".to_owned())] };
    let quote = Block::Quote(vec![Block::Paragraph(vec![link])]);
    let list = Block::List(List { start: None, items: vec![Item { task: None, blocks: vec![quote] }] });
    let document = Document { parts: vec![Part { path: None, blocks: vec![list] }], ..Document::default() };
    assert_eq!(write(&document, WriteOptions::default()), "- > [\\]:]()\n");
    round_trip(&document, None).expect("is read back");
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    for text in [
        ">".repeat(20_000),
        "- ".repeat(20_000) + "x",
        "*a ".repeat(20_000),
        "[".repeat(20_000),
        "> - ".repeat(5_000) + "x",
    ] {
        let read = parse(&text);
        write(&read, WriteOptions::default());
    }
}

#[test]
fn a_letter_written_as_a_reference_is_no_letter_for_its_other_neighbour() {
    let marked = vec![Inline::Emphasis(vec![Inline::text("a")]), Inline::text("a")];
    let content = vec![Inline::Strong(marked), Inline::text("a")];
    let parts = vec![Part { path: None, blocks: vec![Block::Paragraph(content)] }];
    round_trip(&Document { parts, ..Document::default() }, None).expect("is read back");
}

const GUIDE: &str = "<!-- source: https://a.test/guide -->
<!-- xpath: /main -->

# Guide

About the guide,
in two lines.

<!-- xpath: /main/section#use -->

## Use *it*

- [x] one
- two
  1. three

### Deep

```sh
# no heading
make
```

## End

| a | b |
|:-:|--:|
| 1 | `2` |

Term
: Meaning

![Alt](/i.png)
<!-- a comment of nobody -->

<div>
text
</div>

<!-- end: 12 words extracted -->
";

#[test]
fn comments_are_metadata_and_blocks_are_typed() {
    let read = parse(GUIDE);
    assert_eq!(read.source.as_deref(), Some("https://a.test/guide"));
    assert_eq!(read.end, Some(12));
    assert_eq!(
        read.parts.iter().map(|part| part.path.as_deref()).collect::<Vec<_>>(),
        [Some("/main"), Some("/main/section#use")]
    );
    assert_eq!(
        read.parts[0].blocks,
        [
            Block::Heading { level: 1, content: vec![Inline::text("Guide")] },
            Block::Paragraph(vec![Inline::text("About the guide, in two lines.")]),
        ]
    );
    let blocks: Vec<String> = read.parts[1].blocks.iter().map(|block| format!("{block:?}")).collect();
    insta::assert_snapshot!(blocks.join("\n"), @"
    Heading { level: 2, content: [Text(\"Use \"), Emphasis([Text(\"it\")])] }
    List(List { start: None, items: [Item { task: Some(true), blocks: [Paragraph([Text(\"one\")])] }, Item { task: \
        None, blocks: [Paragraph([Text(\"two\")]), List(List { start: Some(1), items: [Item { task: None, blocks: \
        [Paragraph([Text(\"three\")])] }] })] }] })
    Heading { level: 3, content: [Text(\"Deep\")] }
    Code { language: \"sh\", text: \"# no heading\\nmake\" }
    Heading { level: 2, content: [Text(\"End\")] }
    Table(Table { columns: [Center, Right], header: [[Text(\"a\")], [Text(\"b\")]], rows: [[[Text(\"1\")], \
        [Code(\"2\")]]] })
    Definitions([Definition { term: [Text(\"Term\")], definitions: [[Paragraph([Text(\"Meaning\")])]] }])
    Figure { image: Image { url: \"/i.png\", alt: \"Alt\" }, caption: [] }
    Code { language: \"html\", text: \"<div>\\ntext\\n</div>\" }
    ");
}

#[test]
fn sections_nest_by_heading_with_words_and_tokens() {
    fn show(sections: &[Section], depth: usize, out: &mut String) {
        for section in sections {
            let path = section.path.as_deref().unwrap_or("-");
            out.push_str(&format!(
                "{}{} {:?} {path} {} words\n",
                "  ".repeat(depth),
                section.level,
                section.title,
                section.words
            ));
            show(&section.sections, depth + 1, out);
        }
    }
    let encoding = browserlens_core::tokens::Encoding::O200kBase;
    let sections = outline(GUIDE, encoding);
    let mut shown = String::new();
    show(&sections, 0, &mut shown);
    insta::assert_snapshot!(shown, @r####"
    1 "Guide" /main 7 words
      2 "Use it" /main/section#use 5 words
        3 "Deep" /main/section#use 4 words
      2 "End" /main/section#use 7 words
    "####);
    let mut flat = Vec::new();
    let mut todo: Vec<&Section> = sections.iter().rev().collect();
    while let Some(section) = todo.pop() {
        assert_eq!(section.tokens, encoding.count(&GUIDE[section.range.clone()]));
        flat.push(section.range.clone());
        todo.extend(section.sections.iter().rev());
    }
    // They follow each other to the end.
    assert!(flat.windows(2).all(|pair| pair[0].end == pair[1].start), "{flat:?}");
    assert_eq!(flat.last().map(|range| range.end), Some(GUIDE.len()));
}

/// Found by the properties above: marks in another order were taken for other marks.
#[test]
fn marks_are_the_same_in_whatever_order_they_were_opened() {
    let code = || vec![Inline::Code("a".to_owned())];
    let content = vec![Inline::Strong(vec![Inline::Strike(code())]), Inline::Strike(vec![Inline::Strong(code())])];
    let parts = vec![Part { path: None, blocks: vec![Block::Paragraph(content)] }];
    round_trip(&Document { parts, ..Document::default() }, None).expect("it is read back");
}
