//! What is written is read back, whatever is in it.

use super::*;
use proptest::prelude::*;

/// Text made of what markdown reads as markup.
fn hostile() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z0-9]{1,6}",
        3 => prop::sample::select(vec![
            "*", "**", "_", "__", "`", "``", "```", "~~", "~~~", "#", "##", ">", "-", "+", "1.", "2)", "---", "===", "|", "a|b", "\\", "\\|",
            "[x]", "[ ]", "[a](b)", "![a](b)", "<b>", "<!--", "-->", "<!-- xpath: /x -->", "<!-- end: 9 words extracted -->", "&amp;", "&#35;",
            "&", ":", ": x", ":--", "|---|", "<http://a.b>", "http://a.b", "[^1]", "[a]:", "!", "$x$", "a_b", "_a_", "*a*", "**a**b", "{#id}",
            "\"q\"", "(", ")", "\u{a0}", "é", "日本", "「", "Ⓐ", "😀", "\u{200b}", "\u{2028}", "\t", "\r", "\n", "\u{0}", "\u{1}", "\u{2}", "<br>", "</div>",
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
        2 => (prop::collection::vec(0usize..4, 0..4), prop::collection::vec(prop::collection::vec(inlines(), 0..4), 0..4))
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
            3 => (start, prop::collection::vec(item, 0..4)).prop_map(|(start, items)| Block::List(List { start, items })),
            1 => prop::collection::vec((inlines(), prop::collection::vec(blocks, 0..3)), 0..3).prop_map(|definitions| {
                Block::Definitions(
                    definitions.into_iter().map(|(term, definitions)| Definition { term, definitions }).collect(),
                )
            }),
        ]
    })
}

fn document() -> impl Strategy<Value = Document> {
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
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn inlines_are_read_back_as_they_were_written(content in inlines(), width in prop::option::of(1usize..30)) {
        let parts = vec![Part { path: None, blocks: vec![Block::Paragraph(content)] }];
        round_trip(&Document { parts, ..Document::default() }, width)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(document in document(), width in prop::option::of(1usize..100)) {
        round_trip(&document, width)?;
    }

    #[test]
    fn any_text_is_read_and_read_again(text in "(\\PC|[\\n #>*_`~|:\\[\\]()<!-]){0,120}") {
        let read = parse(&text);
        round_trip(&read, Some(80))?;
        outline(&text, browserlens_tokens::Encoding::O200kBase);
    }
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
