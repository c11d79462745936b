//! A reader of CommonMark takes what is written for what was meant, whatever is in it.

use super::write::write_blocks;
use super::*;
use crate::chunk::extensions;
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// What a text or tree says: words, and between them marks in characters that no text has.
#[derive(Default)]
struct Told(String);

/// Where a line ends: at both ends of every block, once between two.
const END: char = '\u{e000}';
const OPEN: char = '\u{e001}';
const CLOSE: char = '\u{e002}';
const BREAK: char = '\u{e003}';
const DONE: char = '\u{e004}';
const TO_DO: char = '\u{e005}';

impl Told {
    fn end_line(&mut self) {
        if !self.0.ends_with([END, DONE, TO_DO]) {
            self.0.push(END);
        }
    }

    fn open(&mut self, what: &str) {
        self.end_line();
        self.mark(what);
        self.0.push(END);
    }

    fn close(&mut self) {
        self.end_line();
        self.0.extend([CLOSE, END]);
    }

    fn mark(&mut self, what: &str) {
        self.0.push(OPEN);
        self.0.push_str(what);
        self.0.push(END);
    }

    fn within(&mut self, what: &str, inner: impl FnOnce(&mut Self)) {
        self.open(what);
        inner(self);
        self.close();
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, content } => self.within(&format!("h{level}"), |told| told.inlines(content)),
            Block::Paragraph(content) => {
                self.end_line();
                self.inlines(content);
                self.end_line();
            }
            Block::Figure { image, caption } => {
                let end = (!caption.is_empty()).then_some(Inline::Break);
                let line = [Inline::Image(image.clone())].into_iter().chain(end).chain(caption.iter().cloned());
                self.block(&Block::Paragraph(line.collect()));
            }
            Block::List(list) => self.within(&format!("list {:?}", list.start.map(u64::from)), |told| {
                for item in &list.items {
                    told.within("item", |told| {
                        told.0.extend(item.task.map(|done| if done { DONE } else { TO_DO }));
                        told.blocks(&item.blocks);
                    });
                }
            }),
            Block::Code { language, text } => self.within(&format!("code {language}"), |told| told.0.push_str(text)),
            Block::Quote(inner) => self.within("quote", |told| told.blocks(inner)),
            Block::Table(table) => self.within("table", |told| {
                for row in table.all_rows() {
                    told.within("row", |told| row.iter().for_each(|cell| told.within("cell", |t| t.inlines(cell))));
                }
            }),
            Block::Definitions(definitions) => self.within("definitions", |told| {
                for definition in definitions {
                    told.within("term", |told| told.inlines(&definition.term));
                    definition.definitions.iter().for_each(|meaning| told.within("meaning", |t| t.blocks(meaning)));
                }
            }),
            Block::Rule => self.within("rule", |_| {}),
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            let (mark, content) = match inline {
                Inline::Text(text) => {
                    self.0.push_str(text);
                    continue;
                }
                Inline::Break => {
                    self.0.push(BREAK);
                    continue;
                }
                Inline::Code(text) => ("`".to_owned(), &vec![Inline::text(text)]),
                Inline::Image(image) => (format!("image {}", image.url), &vec![Inline::text(&image.alt)]),
                Inline::Emphasis(content) => ("_".to_owned(), content),
                Inline::Strong(content) => ("**".to_owned(), content),
                Inline::Strike(content) => ("~~".to_owned(), content),
                Inline::Link { url, content } => (format!("link {url}"), content),
            };
            self.mark(&mark);
            self.inlines(content);
            self.0.push(CLOSE);
        }
    }
}

/// What blocks say.
pub(crate) fn told<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> String {
    let mut told = Told::default();
    blocks.into_iter().for_each(|block| told.block(block));
    told.0
}

/// What a reader of CommonMark takes a text for, without the comments in it.
pub(crate) fn read(text: &str) -> String {
    let mut told = Told::default();
    let mut html = String::new();
    for event in Parser::new_ext(text, extensions()) {
        match event {
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => told.end_line(),
            Event::Start(Tag::HtmlBlock) => html.clear(),
            Event::End(TagEnd::HtmlBlock) => {
                let is_comment = |line: &str| line.starts_with("<!-- ") && line.find("-->") == Some(line.len() - 3);
                if !html.lines().all(is_comment) {
                    told.within("html", |told| told.0.push_str(&html));
                }
            }
            Event::Html(line) => html.push_str(&line),
            Event::Start(Tag::Emphasis) => told.mark("_"),
            Event::Start(Tag::Strong) => told.mark("**"),
            Event::Start(Tag::Strikethrough) => told.mark("~~"),
            Event::Start(Tag::Link { dest_url, .. }) => told.mark(&format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => told.mark(&format!("image {dest_url}")),
            Event::Start(Tag::Heading { level, .. }) => told.open(&level.to_string()),
            Event::Start(Tag::BlockQuote(_)) => told.open("quote"),
            Event::Start(Tag::List(start)) => told.open(&format!("list {start:?}")),
            Event::Start(Tag::Item) => told.open("item"),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => told.open(&format!("code {language}")),
            Event::Start(Tag::Table(_)) => told.open("table"),
            Event::Start(Tag::TableHead | Tag::TableRow) => told.open("row"),
            Event::Start(Tag::TableCell) => told.open("cell"),
            Event::Start(Tag::DefinitionList) => told.open("definitions"),
            Event::Start(Tag::DefinitionListTitle) => told.open("term"),
            Event::Start(Tag::DefinitionListDefinition) => told.open("meaning"),
            Event::Start(other) => told.open(&format!("{other:?}")),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image) => {
                told.0.push(CLOSE)
            }
            Event::End(TagEnd::CodeBlock) => {
                told.0.truncate(told.0.strip_suffix('\n').unwrap_or(&told.0).len());
                told.close();
            }
            Event::End(_) => told.close(),
            Event::Code(text) => {
                told.mark("`");
                told.0.push_str(&text);
                told.0.push(CLOSE);
            }
            Event::InlineHtml(tag) if &*tag == "<br>" => told.0.push(BREAK),
            Event::HardBreak => told.0.push(BREAK),
            Event::SoftBreak => told.0.push(' '),
            Event::Rule => told.within("rule", |_| {}),
            Event::TaskListMarker(done) => told.0.push(if done { DONE } else { TO_DO }),
            Event::Text(text) | Event::InlineHtml(text) => told.0.push_str(&text),
            other => told.open(&format!("{other:?}")),
        }
    }
    told.0
}

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
        2 => prop::collection::vec(prop::collection::vec(inlines(), 0..4), 0..4).prop_map(|mut rows| {
            let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
            Block::Table(Table { header, rows })
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

pub(crate) fn blocks() -> impl Strategy<Value = Vec<Block>> {
    prop::collection::vec(block(), 0..5)
}

/// Checks that blocks are brought into normal form, and written so that they are taken for it.
fn check(blocks: Vec<Block>, width: Option<usize>) -> Result<(), TestCaseError> {
    let normal = normalise_blocks(blocks);
    prop_assert_eq!(&normalise_blocks(normal.clone()), &normal, "the normal form is not one");
    let mut lines = Vec::new();
    write_blocks(&normal, 0, width.unwrap_or(usize::MAX), &mut lines);
    let text = lines.join("\n") + "\n";
    prop_assert_eq!(read(&text), told(&normal), "written as\n{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_shrink_iters: 20_000, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn inlines_are_taken_for_what_they_are(content in inlines(), width in prop::option::of(1usize..30)) {
        check(vec![Block::Paragraph(content)], width)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, max_shrink_iters: 20_000, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn blocks_are_taken_for_what_they_are(blocks in blocks(), width in prop::option::of(1usize..100)) {
        check(blocks, width)?;
    }

    #[test]
    fn comments_hold_whatever_they_are_given(source in hostile(), path in hostile(), blocks in blocks()) {
        let (blocks, mut text) = (normalise_blocks(blocks), String::new());
        write_source(&mut text, &source);
        write_part(&mut text, &path, &blocks);
        write_note(&mut text, &path);
        write_end(&mut text, 9);
        prop_assert_eq!(read(&text), told(&blocks), "written as\n{}", text);
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
        check(blocks, width)?;
    }
}

#[test]
fn code_in_a_link_that_would_end_a_label_is_text() {
    let link = Inline::Link { url: String::new(), content: vec![Inline::Code("]:".to_owned())] };
    let quote = Block::Quote(vec![Block::Paragraph(vec![link])]);
    let list = vec![Block::List(List { start: None, items: vec![Item { task: None, blocks: vec![quote] }] })];
    let mut lines = Vec::new();
    write_blocks(&normalise_blocks(list.clone()), 0, 79, &mut lines);
    assert_eq!(lines, ["- > [\\]:]()"]);
    check(list, None).expect("is taken for it");
}

#[test]
fn a_letter_written_as_a_reference_is_no_letter_for_its_other_neighbour() {
    let marked = vec![Inline::Emphasis(vec![Inline::text("a")]), Inline::text("a")];
    check(vec![Block::Paragraph(vec![Inline::Strong(marked), Inline::text("a")])], None).expect("is taken for it");
}

/// Found by the properties above: marks in another order were taken for other marks.
#[test]
fn marks_are_the_same_in_whatever_order_they_were_opened() {
    let code = || vec![Inline::Code("a".to_owned())];
    let content = vec![Inline::Strong(vec![Inline::Strike(code())]), Inline::Strike(vec![Inline::Strong(code())])];
    check(vec![Block::Paragraph(content)], None).expect("is taken for it");
}
