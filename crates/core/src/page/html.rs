//! Cleaned HTML: the markup of a part of a page without what nobody reads.
//!
//! In: a page, roots, what is kept. Out: HTML, one block a line. Invariants: text and attributes of
//! the page are escaped, so that they are never markup; hidden nodes, scripts and styles are left
//! out, secret values always; iterative; shadow trees stand in place of what their host holds,
//! frames inside their `iframe`.

use super::text::push_replaced;
use super::{Flags, NodeId, NodeKind, NodeRef, Page};

/// Attributes that say something to a reader.
const KEPT: &[&str] = &[
    "id", "class", "href", "src", "alt", "title", "role", "name", "type", "value", "placeholder", "for", "colspan",
    "rowspan", "lang", "dir", "datetime", "open", "checked", "disabled", "selected", "required", "start", "reversed",
    "scope", "label", "tabindex", "contenteditable", "target",
];
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
/// Longest value of an attribute, in bytes: data URLs are no reading.
const LONGEST_VALUE: usize = 300;

/// What is written.
#[derive(Clone, Copy)]
pub struct HtmlOptions<'a> {
    /// Whether hidden nodes are written too.
    pub include_hidden: bool,
    /// Whether links keep their targets.
    pub include_links: bool,
    /// Whether images are written.
    pub include_images: bool,
    /// Deepest nesting of elements below a root; none for no limit.
    pub max_depth: Option<usize>,
    /// Which nodes are written, by index; none for all.
    pub kept: Option<&'a [bool]>,
}

crate::opaque_debug!(self: HtmlOptions<'_> { max_depth: self.max_depth });

/// Appends text as HTML.
pub fn escape_text(out: &mut String, text: &str) {
    push_replaced(out, text, &[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;")]);
}

/// Appends text inside a quoted attribute.
pub fn escape_attribute(out: &mut String, text: &str) {
    push_replaced(out, text, &[('&', "&amp;"), ('"', "&quot;"), ('<', "&lt;"), ('\n', "&#10;")]);
}

/// Returns the cleaned HTML of parts of a page.
pub fn write(page: &Page, roots: &[NodeId], options: HtmlOptions<'_>) -> String {
    write_within(page, roots, options, None)
}

/// Returns the cleaned HTML of parts of a page, of each at most so many characters of text; a
/// comment says how many are left.
pub fn write_within(page: &Page, roots: &[NodeId], options: HtmlOptions<'_>, most: Option<usize>) -> String {
    let mut out = String::new();
    // Visible nodes before each: whether something in a subtree can be seen is one subtraction.
    let mut seen = Vec::with_capacity(page.len() + 1);
    seen.push(0);
    let mut visible = 0_u32;
    for node in page.nodes() {
        visible += u32::from(node.is_visible());
        seen.push(visible);
    }
    for root in roots {
        let root = page.node(*root);
        part(root, options, most.unwrap_or(usize::MAX), &seen, &mut out);
        if options.max_depth.is_some() {
            let all = |options| part(root, options, usize::MAX, &seen, &mut String::new());
            let ((elements, deepest), (shown, _)) = (all(HtmlOptions { max_depth: None, ..options }), all(options));
            if elements > shown {
                let left = elements - shown;
                out.push_str(&format!("<!-- cut: {left} elements left; max depth {deepest} shows all -->\n"));
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

struct Open<'p> {
    end: u32,
    tag: &'p str,
    block: bool,
    depth: usize,
}

/// Writes a root; returns how many elements that are not left out it has, and how deep the deepest
/// lies.
fn part<'p>(
    root: NodeRef<'p>,
    options: HtmlOptions<'_>,
    most: usize,
    seen: &[u32],
    out: &mut String,
) -> (usize, usize) {
    let (mut elements, mut deepest) = (0, 0);
    let mut open: Vec<Open<'p>> = Vec::new();
    let mut skip = 0;
    let (mut length, mut shown) = (0_usize, 0_usize);
    for node in root.subtree() {
        let id = node.id().0;
        while open.last().is_some_and(|open| open.end <= id) {
            close(&mut open, out);
        }
        if id < skip || options.kept.is_some_and(|kept| !kept.get(id as usize).copied().unwrap_or(false)) {
            continue;
        }
        match node.kind() {
            NodeKind::Text => {
                if options.include_hidden || node.is_visible() {
                    let whole = length == shown;
                    let (text, own) = (node.text(), node.text().chars().count());
                    length += own;
                    if whole {
                        let text = beginning(text, own, most - shown, shown == 0);
                        shown += text.chars().count();
                        escape_text(out, text);
                    }
                }
            }
            NodeKind::Element => {
                let depth = open.last().map_or(0, |open| open.depth + 1);
                let deep = options.max_depth.is_some_and(|deepest| depth > deepest);
                if deep || is_left_out(node, options, seen) {
                    skip = node.end();
                    continue;
                }
                (elements, deepest) = (elements + 1, deepest.max(depth));
                // What stands behind the end is counted and not written.
                if !is_transparent(node) && (length == shown && (most > shown || length == 0)) {
                    begin(node, depth, options, &mut open, out);
                }
            }
            NodeKind::Document | NodeKind::Pseudo => {}
        }
    }
    while !open.is_empty() {
        close(&mut open, out);
    }
    line(out);
    if length > shown {
        let left = length - shown;
        out.push_str(&format!("<!-- cut: {left} characters left; max length {length} shows all -->\n"));
    }
    (elements, deepest)
}

/// Returns the beginning of a text: whole words, but for a first word that is longer.
fn beginning(text: &str, length: usize, most: usize, is_first: bool) -> &str {
    if length <= most {
        return text;
    }
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    if text[end..].starts_with(char::is_whitespace) {
        return &text[..end];
    }
    match text[..end].rfind(char::is_whitespace) {
        Some(blank) => &text[..blank],
        None if is_first => &text[..end],
        None => "",
    }
}

fn is_left_out(node: NodeRef<'_>, options: HtmlOptions<'_>, seen: &[u32]) -> bool {
    if matches!(node.tag(), "script" | "style" | "noscript" | "template" | "head" | "link" | "meta") {
        return true;
    }
    if !options.include_images && matches!(node.tag(), "img" | "svg" | "picture" | "canvas" | "video") {
        return true;
    }
    // What is hidden with all that is in it; `display: contents` and slots have no box but hold
    // what has.
    !options.include_hidden && seen[node.end() as usize] == seen[node.id().index()]
}

/// Elements that only wrap: the page's own frame.
fn is_transparent(node: NodeRef<'_>) -> bool {
    matches!(node.tag(), "html" | "body" | "slot")
}

fn begin<'p>(node: NodeRef<'p>, depth: usize, options: HtmlOptions<'_>, open: &mut Vec<Open<'p>>, out: &mut String) {
    let tag = node.tag();
    // A tag is what a parser took for one; anything else could forge markup.
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic())
        || tag.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '/' | '"' | '='))
    {
        return;
    }
    let block = node.flags().has(Flags::BLOCK)
        || matches!(tag, "li" | "tr" | "p" | "section" | "article" | "ul" | "ol" | "table" | "div" | "main");
    if block {
        line(out);
    }
    out.push('<');
    out.push_str(tag);
    for (name, value) in node.attributes() {
        let kept = KEPT.contains(&name) || name.starts_with("aria-");
        let secret = name == "value" && node.flags().has(Flags::SECRET);
        if !kept || secret || (name == "href" && !options.include_links) {
            continue;
        }
        out.push(' ');
        out.push_str(name);
        if !value.is_empty() {
            out.push_str("=\"");
            escape_attribute(out, &value[..value.floor_char_boundary(LONGEST_VALUE)]);
            out.push('"');
        }
    }
    out.push('>');
    if VOID.contains(&tag) {
        return;
    }
    open.push(Open { end: node.end(), tag, block, depth });
}

fn close(open: &mut Vec<Open<'_>>, out: &mut String) {
    if let Some(closed) = open.pop() {
        out.push_str("</");
        out.push_str(closed.tag);
        out.push('>');
        if closed.block {
            line(out);
        }
    }
}

fn line(out: &mut String) {
    while out.ends_with(' ') {
        out.pop();
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;

    const ALL: HtmlOptions<'_> =
        HtmlOptions { include_hidden: false, include_links: true, include_images: true, max_depth: None, kept: None };

    fn page() -> Page {
        PageBuilder::outline(
            r#"
            main class="x" style="color:red" onclick="go()"
              paragraph block
                text "a < b & "
                link "c" href="/c?x=1&y=\"2\""
                  text "c"
              generic tag=script
                text "alert(1)"
              generic hidden
                text "not seen" hidden
              textbox "Key" secret value="•" tag=input type="password"
              image "Map" src="/m.png" alt="Map"
            "#,
        )
    }

    #[test]
    fn markup_is_cleaned_and_text_is_escaped() {
        insta::assert_snapshot!(write(&page(), &[NodeId(1)], ALL), @r#"
        <main class="x">
        <p>a &lt; b &amp; <a href="/c?x=1&amp;y=&quot;2&quot;">c</a></p>
        <input type="password"><img src="/m.png" alt="Map"></main>
        "#);
    }

    #[test]
    fn links_images_depth_and_hidden_text_are_options() {
        let options = HtmlOptions { include_links: false, include_images: false, include_hidden: true, ..ALL };
        let html = write(&page(), &[NodeId(1)], options);
        assert!(!html.contains("href") && !html.contains("img") && html.contains("not seen"), "{html}");
        let html = write(&page(), &[NodeId(1)], HtmlOptions { max_depth: Some(1), ..ALL });
        assert!(html.contains("a &lt; b") && !html.contains("<a"), "{html}");
    }

    #[test]
    fn what_is_cut_is_told_with_how_much_is_left() {
        let cut = |most| write_within(&page(), &[NodeId(1)], ALL, Some(most));
        assert_eq!(
            cut(3),
            "<main class=\"x\">\n<p>a &lt;</p>\n</main>\n<!-- cut: 6 characters left; max length 9 shows all -->"
        );
        assert!(!cut(9).contains("cut:"), "{}", cut(9));
        assert!(cut(0).ends_with("<!-- cut: 9 characters left; max length 9 shows all -->"), "{}", cut(0));
    }

    #[test]
    fn ten_thousand_nested_elements_are_written() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for _ in 0..10_000 {
            builder.open(crate::page::NodeSpec::default());
        }
        builder.text("deep");
        let html = write(&builder.finish(), &[NodeId::ROOT], ALL);
        assert_eq!((html.matches("<div>").count(), html.matches("</div>").count()), (10_000, 10_000));
    }
}
