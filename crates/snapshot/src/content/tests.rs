//! Pages in, both formats out.

mod structure;

use super::*;
use crate::markdown::tests::{blocks, read, told};
use crate::markdown::{Inline, Item, List, normalise_blocks};
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::{BoxInDocument, Flags, Frame, NodeKind, NodeSpec, PageBuilder, Visibility};
use proptest::prelude::*;

/// The path of a node, told by the tags that mean something and their classes.
fn path(node: NodeRef<'_>) -> String {
    let mut steps: Vec<String> = std::iter::once(node)
        .chain(node.ancestors())
        .filter(|node| {
            matches!(node.tag(), "main" | "article" | "section" | "header" | "nav" | "aside" | "footer" | "body" | "h2")
        })
        .map(|node| match (node.attribute("id"), node.attribute("class")) {
            (Some(id), _) => format!("/{}#{id}", node.tag()),
            (_, Some(class)) => format!("/{}.{class}", node.tag()),
            _ => format!("/{}", node.tag()),
        })
        .collect();
    steps.reverse();
    steps.concat()
}

fn all(page: &Page, options: &ContentOptions) -> Vec<Section> {
    sections(page, &[NodeId::ROOT], options, path)
}

fn tree(page: &Page) -> String {
    write_tree(&Header::of(page), &all(page, &ContentOptions::default()))
}

/// The markdown of a page, which must be taken for its blocks.
fn markdown_with(page: &Page, options: &ContentOptions) -> String {
    let sections = all(page, options);
    let text = write_markdown(&Header::of(page), &sections);
    assert_eq!(read(&text), told(sections.iter().flat_map(|section| &section.blocks)), "written as\n{text}");
    text
}

fn markdown(page: &Page) -> String {
    markdown_with(page, &ContentOptions::default())
}

/// The markdown of a page of one section, without its comments.
fn body(outline: &str) -> String {
    let text = markdown_with(
        &PageBuilder::outline(outline),
        &ContentOptions { include_links: true, include_images: true, ..ContentOptions::default() },
    );
    text.lines().filter(|line| !line.starts_with("<!--")).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn style(name: &str) -> u8 {
    COMPUTED_STYLES.iter().position(|known| *known == name).expect("a captured style") as u8
}

/// An article in sections with lists and code.
fn article() -> Page {
    let mut builder = PageBuilder::new("https://example.com/article", "Article Title");
    builder.add_outline(
        &r#"
        main tag=main
          article tag=article
            region tag=section class="intro"
              heading "Introduction" tag=h2 level=2
                text "Introduction"
              paragraph
                text "{agents}"
            region tag=section class="content"
              heading "Parts" tag=h2 level=2
                text "What are its parts?"
              paragraph
                text "Such an agent has several parts:"
              list
                listitem
                  generic tag=strong
                    text "Perception"
                  text ": what it can see of the world"
                listitem
                  generic tag=strong
                    text "Action"
                  text ": what it can do"
              heading "How" tag=h2 level=2
                text "How they work"
              paragraph
                text "In a loop:"
              list tag=ol
                listitem
                  text "Look"
                listitem
                  text "Act"
              generic tag=pre
                generic tag=code class="language-python"
                  text "class Agent:\n    def run(self):\n        while not self.done:\n            self.act()\n"
        "#
        .replace(
            "{agents}",
            "Agents of this kind are programs that look at where they are, decide what to do next, and act to come \
             closer to a goal. Other programs follow a script; these adapt.",
        ),
    );
    builder.finish()
}

#[test]
fn an_article_as_a_tree() {
    insta::assert_snapshot!(tree(&article()), @r####"
    PAGE: https://example.com/article | Article Title
    CONTENT: sections=2 words=72

    SECTION /main/article/section.intro [33 words]
      HEADING level=2 "Introduction"
      TEXT "Agents of this kind are programs that look at where they are,
      decide what to do next, and act to come closer to a goal. Other
      programs follow a script; these adapt."

    SECTION /main/article/section.content [39 words]
      HEADING level=2 "What are its parts?"
      TEXT "Such an agent has several parts:"
      LIST [2 items]
        - "Perception: what it can see of the world"
        - "Action: what it can do"
      HEADING level=2 "How they work"
      TEXT "In a loop:"
      LIST [2 items]
        1. "Look"
        2. "Act"
      CODE [python, 4 lines]
        class Agent:
            def run(self):
                while not self.done:
                    self.act()
    "####);
}

#[test]
fn an_article_as_markdown() {
    insta::assert_snapshot!(markdown(&article()), @r####"
    <!-- source: https://example.com/article -->
    <!-- xpath: /main/article/section.intro -->

    ## Introduction

    Agents of this kind are programs that look at where they are, decide what to do
    next, and act to come closer to a goal. Other programs follow a script; these
    adapt.

    <!-- xpath: /main/article/section.content -->

    ## What are its parts?

    Such an agent has several parts:

    - **Perception**: what it can see of the world
    - **Action**: what it can do

    ## How they work

    In a loop:

    1. Look
    2. Act

    ```python
    class Agent:
        def run(self):
            while not self.done:
                self.act()
    ```

    <!-- end: 72 words extracted -->
    "####);
}

#[test]
fn text_cannot_become_markup_a_comment_or_a_fence() {
    let page = PageBuilder::outline(
        r##"
        generic tag=p
          text "# no heading"
        generic tag=p
          text "<!-- end: 99 words extracted -->"
        generic tag=p
          text "--- - 1. > ```"
        generic tag=p
          text "1. [a](b) *c* _d_ | e"
        generic tag=pre
          text "```\n<!-- xpath: /main -->\n````"
        "##,
    );
    let text = markdown(&page);
    insta::assert_snapshot!(text, @r####"
    <!-- source: https://test.test/ -->
    <!-- xpath: / -->

    \# no heading

    \<!-- end: 99 words extracted -->

    \--- - 1. > \`\`\`

    1\. \[a\](b) \*c\* \_d\_ | e

    `````
    ```
    <!-- xpath: /main -->
    ````
    `````

    <!-- end: 14 words extracted -->
    "####);
    assert_eq!(all(&page, &ContentOptions::default())[0].words, 14);
    insta::assert_snapshot!(tree(&page), @r####"
    PAGE: https://test.test/ | Test
    CONTENT: sections=1 words=14

    SECTION / [14 words]
      TEXT "# no heading"
      TEXT "<!-- end: 99 words extracted -->"
      TEXT "--- - 1. > ```"
      TEXT "1. [a](b) *c* _d_ | e"
      CODE [3 lines]
        ```
        <!-- xpath: /main -->
        ````
    "####);
}

#[test]
fn hidden_text_is_left_out_and_secrets_are_dots() {
    let page = PageBuilder::outline(
        r#"
        generic
          text "seen "
          generic hidden
            text "unseen" hidden
          textbox "Name" value="Ada"
          textbox "Mail" placeholder="you@example.test"
          textbox "Password" type="password" value="hunter2" secret
          combobox "Size" value="Large"
          button "Save" tag=input type="submit"
          text " end"
        "#,
    );
    let text = markdown(&page);
    assert!(text.contains("\nseen Ada you@example.test •••••••• Large Submit end\n"), "{text}");
    assert!(!text.contains("hunter2") && !text.contains("unseen"));
    let text = markdown_with(&page, &ContentOptions { include_hidden: true, ..ContentOptions::default() });
    assert!(text.contains("unseen") && !text.contains("hunter2"));
}

#[test]
fn frames_are_sections_and_shadow_trees_are_read_in_place() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "x-card", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "p", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
    builder.leaf(NodeSpec { flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::text_node("in the shadow ") });
    builder.leaf(NodeSpec { flags: Flags::SLOTTED, ..NodeSpec::text_node("slotted") });
    builder.close().close();
    builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, ..NodeSpec::default() });
    builder.open_frame(Frame { number: 2, loader: 2, url: "https://test.test/frame".to_owned(), ..Frame::default() });
    builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text("in the frame");
    builder.close().close().close_frame().close();
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text("after it");
    let page = builder.finish();
    let texts: Vec<String> = all(&page, &ContentOptions::default())
        .iter()
        .map(|section| section.blocks.iter().map(Block::plain_text).collect())
        .collect();
    assert_eq!(texts, ["in the shadow slotted\n", "in the frame\n", "after it\n"]);
}

#[test]
fn blanks_breaks_and_boxes_part_words_as_rendered() {
    insta::assert_snapshot!(body(r#"
        generic tag=div
          text " a"
          generic tag=span
            text "b "
          text " c"
          generic tag=br
          text "d"
          generic tag=br
          generic tag=br
          text "e"
        generic tag=div
          button "one"
            text "one"
          button "two"
            text "two"
        generic tag=div
          text "poem\n  of two lines"
        "#), @r####"
        ab c\
        d

        e

        one two

        poem\
        of two lines
        "####);
}

#[test]
fn words_a_margin_parts_are_two_and_signs_of_styles_stand_alone() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    let at = |x: f32, width: f32| BoxInDocument { x, y: 0.0, width, height: 20.0 };
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.leaf(NodeSpec { bounds: at(0.0, 30.0), ..NodeSpec::text_node("step") });
    builder.leaf(NodeSpec { bounds: at(40.0, 10.0), ..NodeSpec::text_node("1") });
    builder.leaf(NodeSpec { bounds: at(50.0, 10.0), ..NodeSpec::text_node("a") });
    builder.close();
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    for (tag, text) in [("::before", "›"), ("#text", "Laptops"), ("::after", ":")] {
        let kind = if tag == "#text" { NodeKind::Text } else { NodeKind::Pseudo };
        builder.leaf(NodeSpec { kind, tag, text, ..NodeSpec::default() });
    }
    assert!(markdown(&builder.finish()).contains("step 1a\n\n› Laptops:\n"));
}

#[test]
fn a_box_goes_with_the_label_beside_it_and_a_sign_is_not_emphasised() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    let at = |x: f32, y: f32| BoxInDocument { x, y, width: 20.0, height: 20.0 };
    for (y, label) in [(0.0, 0.0), (40.0, 80.0)] {
        let attributes = vec![("type", "radio")];
        builder.leaf(NodeSpec {
            tag: "input",
            attributes,
            bounds: at(0.0, y),
            styles: vec![(style("display"), "block")],
            ..NodeSpec::default()
        });
        builder.open(NodeSpec { tag: "div", ..NodeSpec::default() });
        builder.leaf(NodeSpec { bounds: at(30.0, label), ..NodeSpec::text_node("label") });
        builder.close();
    }
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    builder.text("Wattle");
    builder.open(NodeSpec { tag: "b", ..NodeSpec::default() });
    builder.text("&");
    builder.close();
    builder.text("Wire");
    assert!(markdown(&builder.finish()).contains("\n○ label\n\n○\n\nlabel\n\nWattle&Wire\n"));
}

#[test]
fn a_hidden_paragraph_is_a_text_of_its_own_where_it_is_asked_for() {
    let page = PageBuilder::outline(
        "paragraph tag=p hidden\n  text \"Secret paragraph.\" hidden\nbutton \"Subscribe\" tag=button\n  text \
            \"Subscribe\"\ngeneric tag=span hidden\n  text \" now\" hidden",
    );
    let options = ContentOptions { include_hidden: true, ..ContentOptions::default() };
    let text = write_tree(&Header::of(&page), &all(&page, &options));
    assert!(text.contains("TEXT \"Secret paragraph.\"\n  TEXT \"Subscribe now\"\n"), "{text}");
}

#[test]
fn display_decides_and_not_the_tag() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    for (display, text) in [("inline", "a"), ("inline", "b"), ("inline-block", "c"), ("flex", "d")] {
        builder.open(NodeSpec { tag: "div", styles: vec![(style("display"), display)], ..NodeSpec::default() });
        builder.text(text);
        builder.close();
    }
    assert!(markdown(&builder.finish()).contains("\nab c\n\nd\n"));
}

#[test]
fn a_section_is_cut_to_a_number_of_characters() {
    let page = article();
    let cut = |max_length| {
        let options = ContentOptions { max_length: Some(max_length), ..ContentOptions::default() };
        write_tree(&Header::of(&page), &all(&page, &options))
    };
    insta::assert_snapshot!(cut(40), @r####"
    PAGE: https://example.com/article | Article Title
    CONTENT: sections=2 words=14

    SECTION /main/article/section.intro [33 words, cut]
      HEADING level=2 "Introduction"
      TEXT "Agents of this kind are"
      CUT [27 words, 141 characters left; max length 176 shows all]

    SECTION /main/article/section.content [39 words, cut]
      HEADING level=2 "What are its parts?"
      TEXT "Such an agent has"
      CUT [31 words, 190 characters left; max length 226 shows all]
    "####);
    insta::assert_snapshot!(cut(0), @r####"
    PAGE: https://example.com/article | Article Title
    CONTENT: sections=2 words=0

    SECTION /main/article/section.intro [33 words, cut]
      CUT [33 words, 176 characters left; max length 176 shows all]

    SECTION /main/article/section.content [39 words, cut]
      CUT [39 words, 226 characters left; max length 226 shows all]
    "####);
    assert_eq!(cut(10_000), tree(&page));
    for length in 0..400 {
        let options = ContentOptions { max_length: Some(length), ..ContentOptions::default() };
        for section in all(&page, &options) {
            let text: String = section.blocks.iter().map(Block::plain_text).collect();
            assert!(text.chars().filter(|c| *c != '\n').count() <= length, "{length}: {text:?}");
            assert_eq!(normalise_blocks(section.blocks.clone()), section.blocks);
        }
    }
}

#[test]
fn roots_within_roots_are_read_once() {
    let page = article();
    let intro = page.nodes().find(|node| node.attribute("class") == Some("intro")).expect("there").id();
    let heading = page.nodes().find(|node| node.tag() == "h2").expect("there").id();
    let of = |roots: &[NodeId]| -> Vec<String> {
        sections(&page, roots, &ContentOptions::default(), path).into_iter().map(|section| section.path).collect()
    };
    assert_eq!(of(&[heading, intro]), ["/main/article/section.intro"]);
    assert_eq!(of(&[heading]), ["/main/article/section.intro/h2"]);
    assert_eq!(of(&[NodeId(999_999)]), [""; 0]);
}

#[test]
fn an_empty_page_has_no_sections() {
    let page = PageBuilder::new("https://test.test/", "Test").finish();
    insta::assert_snapshot!(markdown(&page), @r####"
    <!-- source: https://test.test/ -->

    <!-- end: 0 words extracted -->
    "####);
    insta::assert_snapshot!(tree(&page), @r####"
    PAGE: https://test.test/ | Test
    CONTENT: sections=0 words=0
    "####);
}

#[test]
fn ten_thousand_nested_elements_and_five_megabytes_of_text_are_read() {
    for tag in ["div", "b", "ul", "li", "blockquote", "section", "table", "a", "dl", "figure", "h2", "td", "code"] {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for _ in 0..10_000 {
            builder.open(NodeSpec { tag, attributes: vec![("href", "/x")], ..NodeSpec::default() });
        }
        builder.text("deep");
        let page = builder.finish();
        assert!(
            markdown_with(&page, &ContentOptions { include_links: true, ..ContentOptions::default() }).contains("deep"),
            "{tag}"
        );
        assert!(tree(&page).contains("deep"));
    }
    let long = "a word `and` *one* more <b> ".repeat(5_000_000 / 28);
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.leaf(NodeSpec { visibility: Visibility::Visible, ..NodeSpec::text_node(&long) });
    let page = builder.finish();
    assert!(write_markdown(&Header::of(&page), &all(&page, &ContentOptions::default())).len() > long.len());
}

/// A section of blocks that stand for themselves.
fn section_of(blocks: Vec<Block>) -> Section {
    let words = blocks.iter().map(Block::words).sum();
    Section {
        node: NodeId::ROOT,
        begins: NodeId::ROOT,
        path: "/".to_owned(),
        headings: None,
        words,
        blocks,
        truncated: false,
        partial: false,
        kept_words: words,
        characters: 0,
    }
}

/// A tree without what stands within its quotes, and without its lines of code.
fn bare(tree: &str) -> String {
    let mut out = String::new();
    let (mut lines, mut in_quotes) = (tree.lines(), false);
    while let Some(line) = lines.next() {
        let mut escaped = false;
        for c in line.chars() {
            let is_quote = c == '"' && !escaped;
            if !in_quotes {
                out.push(c);
            }
            in_quotes ^= is_quote;
            escaped = c == '\\' && !escaped;
        }
        if in_quotes {
            continue;
        }
        out.push('\n');
        let code = line.trim_start().strip_prefix("CODE [").and_then(|said| said.strip_suffix(" lines]"));
        let count: usize = code.map_or(0, |said| said.rsplit(", ").next().unwrap_or(said).parse().expect("a number"));
        for _ in 0..count {
            lines.next();
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_forges_a_line_of_a_tree(blocks in blocks()) {
        let line = regex::Regex::new(concat!(
            r#"^ *(SECTION / \[\d+ words\]|((TEXT|FIGURE|HEADING level=[1-6]) )?"|"( \| ")*|(LINK|IMAGE) " "|"#,
            r#"(-|\d+\.)( \[[ x]\])?( ")?|LIST \[\d+ items\]|DEFINITIONS \[\d+ items\]|QUOTE|SEPARATOR|"#,
            r"TABLE \[\d+ rows, \d+ columns\]|CODE \[([\w+#.-]+, )?\d+ lines\])$",
        ));
        let line = line.expect("a pattern");
        let header = Header { url: "https://a.test/", title: "A", grep: Some("main|h[1-3]"), cut: None };
        let text = write_tree(&header, &[section_of(normalise_blocks(blocks))]);
        for said in bare(&text).lines().skip(3) {
            prop_assert!(line.is_match(said), "{said:?} in\n{text}");
        }
    }
}

#[test]
fn a_heading_far_in_stays_beside_its_text() {
    let mut blocks = vec![Block::Heading { level: 1, content: vec![Inline::Text("00<http://a.b>".to_owned())] }];
    for _ in 0..3 {
        let item = Item { task: None, blocks };
        blocks = vec![Block::List(List { start: Some(999_999_998), items: vec![item] })];
    }
    let header = Header { url: "https://a.test/", title: "A", grep: None, cut: None };
    let text = write_tree(&header, &[section_of(blocks)]);
    assert!(text.contains("HEADING level=1 \"00<http://a.b>\""), "{text}");
}
