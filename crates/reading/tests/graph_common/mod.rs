//! Pages made by hand, for the tests of graphs.

#![allow(dead_code, missing_docs, reason = "each test file uses some of it")]

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_reading::graph::{ContentGraph, ContentKind, ContentNode};

/// Builds a page from lines: `# heading`, `- item`, `> quote`, `| table`, a code line with four
/// blanks, else a paragraph. In paragraphs and items `*word*` is emphasised and `[text](href)` a
/// link.
pub fn page(url: &str, title: &str, source: &str) -> Page {
    let mut builder = PageBuilder::new(url, title);
    open(&mut builder, "html", "", "block");
    open(&mut builder, "body", "", "block");
    let mut lines = source
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line).trim_end())
        .filter(|line| !line.trim().is_empty())
        .peekable();
    while let Some(line) = lines.next() {
        if let Some(code) = line.strip_prefix("    ") {
            open(&mut builder, "pre", "", "block");
            builder.text(code);
            builder.close();
            continue;
        }
        let line = line.trim();
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if level > 0 {
            builder.open(NodeSpec {
                tag: &format!("h{level}"),
                role: "heading",
                level: level as u8,
                styles: display("block"),
                ..NodeSpec::default()
            });
            builder.text(line[level..].trim());
            builder.close();
        } else if let Some(item) = line.strip_prefix("- ") {
            open(&mut builder, "ul", "list", "block");
            let mut item = Some(item.to_owned());
            while let Some(text) = item {
                open(&mut builder, "li", "listitem", "list-item");
                inline(&mut builder, &text);
                builder.close();
                item = lines.next_if(|next| next.trim().starts_with("- ")).map(|next| next.trim()[2..].to_owned());
            }
            builder.close();
        } else if let Some(quote) = line.strip_prefix("> ") {
            open(&mut builder, "blockquote", "blockquote", "block");
            inline(&mut builder, quote);
            builder.close();
        } else {
            open(&mut builder, "p", "paragraph", "block");
            inline(&mut builder, line);
            builder.close();
        }
    }
    builder.finish()
}

fn open(builder: &mut PageBuilder, tag: &str, role: &str, shown: &'static str) {
    builder.open(NodeSpec { tag, role, styles: display(shown), ..NodeSpec::default() });
}

fn display(shown: &'static str) -> Vec<(u8, &'static str)> {
    let at =
        browserlens_core::page::capture::COMPUTED_STYLES.iter().position(|name| *name == "display").expect("captured");
    vec![(at as u8, shown)]
}

fn inline(builder: &mut PageBuilder, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['*', '[']) {
        if at > 0 {
            builder.text(&rest[..at]);
        }
        let (tag, role, body, href, end) = if rest[at..].starts_with('*') {
            let end = at + 1 + rest[at + 1..].find('*').expect("closed");
            ("strong", "strong", &rest[at + 1..end], "", end + 1)
        } else {
            let middle = at + rest[at..].find("](").expect("a link");
            let end = middle + rest[middle..].find(')').expect("closed");
            ("a", "link", &rest[at + 1..middle], &rest[middle + 2..end], end + 1)
        };
        let attributes = if href.is_empty() { Vec::new() } else { vec![("href", href)] };
        builder.open(NodeSpec { tag, role, name: body, attributes, styles: display("inline"), ..NodeSpec::default() });
        builder.text(body);
        builder.close();
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        builder.text(rest);
    }
}

pub fn graph(page: &Page) -> ContentGraph {
    ContentGraph::of(page.url(), page.title(), &browserlens_reading::blocks(page))
}

/// A node by hand; a level makes a heading.
pub fn node(kind: ContentKind, level: Option<u8>, text: &str) -> ContentNode {
    ContentNode { kind, level, text: text.to_owned(), xpath: "/html[1]/body[1]".to_owned(), position: 0, side: 0 }
}

pub const GUIDE: &str = "
    Skip to content
    # Widget guide
    How to use *widgets* well.
    ## Install
    Get the package from the [download page](/download).
        npm install widget
    ### On Linux
    Use your package manager.
    - apt
    - dnf
    ## Pricing
    > Free for small teams.
    The *Team plan* costs 10 euros a month.
";
