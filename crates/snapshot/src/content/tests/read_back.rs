//! What is written as a tree is read back.

use super::*;

/// What the tree format keeps of blocks.
fn plain(blocks: Vec<Block>) -> Vec<Block> {
    let line = |content: &[Inline]| -> Vec<Inline> {
        let text = plain_text(content);
        let lines = text.split('\n').map(|line| (!line.is_empty()).then(|| Inline::text(line)));
        let mut out = Vec::new();
        for (number, line) in lines.enumerate() {
            if number > 0 {
                out.push(Inline::Break);
            }
            out.extend(line);
        }
        out
    };
    let one = |block| match block {
        Block::Heading { level, content } => Block::Heading { level, content: line(&content) },
        Block::Paragraph(content) => Block::Paragraph(line(&content)),
        Block::Figure { image, caption } => {
            let caption = if caption.is_empty() { line(&[Inline::text(image.alt)]) } else { line(&caption) };
            Block::Figure { image: Image::default(), caption }
        }
        Block::List(list) => {
            let items = list.items.into_iter().map(|item| Item { task: item.task, blocks: plain(item.blocks) });
            Block::List(List { start: list.start, items: items.collect() })
        }
        Block::Code { language, text } => Block::Code { language, text },
        Block::Quote(inner) => Block::Quote(plain(inner)),
        Block::Table(table) => {
            let row = |row: Vec<Vec<Inline>>| row.iter().map(|cell| line(cell)).collect();
            Block::Table(Table {
                columns: vec![Align::None; table.columns.len()],
                header: row(table.header),
                rows: table.rows.into_iter().map(row).collect(),
            })
        }
        Block::Definitions(definitions) => Block::Definitions(
            definitions
                .into_iter()
                .map(|definition| Definition {
                    term: line(&definition.term),
                    definitions: vec![plain(definition.definitions.concat())],
                })
                .collect(),
        ),
        Block::Rule => Block::Rule,
    };
    blocks.into_iter().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_format_is_read_back(document in crate::markdown::tests::document(), truncated in prop::bool::ANY) {
        let sections: Vec<Section> = normalise(document)
            .parts
            .into_iter()
            .map(|part| Section {
                node: NodeId::ROOT,
                begins: NodeId::ROOT,
                headings: None,
                path: part.path.clone().unwrap_or_else(|| "/".to_owned()),
                words: part.words(),
                kept_words: part.words(),
                characters: 0,
                blocks: part.blocks,
                truncated,
                partial: false,
            })
            .collect();
        let header = Header { url: "https://a.test/", title: "A | \"title\"", grep: Some("main|h[1-3]"), cut: None };
        let text = write_tree(&header, &sections);
        let read = read_tree(&text);
        let read = read.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read.sections.len(), sections.len());
        prop_assert_eq!((read.title.as_str(), read.grep.as_deref()), (header.title, header.grep));
        for (read, section) in read.sections.into_iter().zip(sections) {
            prop_assert_eq!(&read.path, &crate::markdown::clean_line(&section.path));
            prop_assert_eq!((read.words, read.truncated), (section.words, section.truncated));
            prop_assert_eq!(read.blocks, plain(section.blocks), "written as\n{}", text);
        }
    }

    #[test]
    fn any_text_is_no_tree_or_one(text in "PAGE: a \\| b\nCONTENT: sections=1 words=1\n\nSECTION / \\[1 words\\]\n(  \
        (TEXT|LIST \\[1 items\\]|QUOTE|CODE \\[2 lines\\]|- |\\PC){0,4}\n){0,6}") {
        let _ = read_tree(&text);
    }
}

#[test]
fn a_heading_far_in_stays_beside_its_text() {
    use crate::markdown::{Block, Inline, Item, List};
    let mut blocks = vec![Block::Heading { level: 1, content: vec![Inline::Text("00<http://a.b>".to_owned())] }];
    for _ in 0..3 {
        let item = Item { task: None, blocks };
        blocks = vec![Block::List(List { start: Some(999_999_998), items: vec![item] })];
    }
    let section = Section {
        node: NodeId::ROOT,
        begins: NodeId::ROOT,
        headings: None,
        path: "/".to_owned(),
        words: 1,
        blocks,
        truncated: false,
        partial: false,
        kept_words: 1,
        characters: 15,
    };
    let text = write_tree(&Header { url: "https://a.test/", title: "A", grep: None, cut: None }, &[section]);
    assert!(text.contains("HEADING level=1 \"00<http://a.b>\""), "{text}");
}
