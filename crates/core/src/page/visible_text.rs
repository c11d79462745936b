//! What is visible of a page's main document, as plain text.

use super::{Flags, NodeKind, NodeRef, Page, Visibility, js_trim};

/// Returns the text of the main document as rendered, one text node a line, uncut. Frames and
/// shadow trees give nothing, as to a script with a tree walker; slotted text is in the document.
pub fn visible_text(page: &Page) -> String {
    let mut text = String::new();
    let root = page.root();
    let is_body =
        |node: &NodeRef<'_>| node.kind() == NodeKind::Element && node.tag() == "body" && node.frame() == root.frame();
    for node in page.nodes().find(is_body).unwrap_or(root).subtree() {
        if node.kind() != NodeKind::Text || node.frame() != root.frame() || in_shadow(node) {
            continue;
        }
        let Some(parent) = parent_element(node) else { continue };
        if !has_offset_parent(parent) {
            continue;
        }
        let own = js_trim(node.text());
        if !own.is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(own);
        }
    }
    text
}

fn in_shadow(node: NodeRef<'_>) -> bool {
    node.flags().any(Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW))
}

/// The parent in the document: for a slotted node the host, which holds the slot.
fn parent_element(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let host = Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED);
    let parent = if node.flags().has(Flags::SLOTTED) {
        node.ancestors().find(|ancestor| ancestor.flags().any(host) && !in_shadow(*ancestor))
    } else {
        node.parent()
    };
    parent.filter(|parent| parent.kind() == NodeKind::Element)
}

/// Whether `element.offsetParent` is not null: it has a box, is not fixed, and is neither `body`
/// nor `html`.
fn has_offset_parent(element: NodeRef<'_>) -> bool {
    let display = element.style("display");
    let rendered = match display {
        Some(display) => !matches!(display, "none" | "contents"),
        None => element.visibility() != Visibility::NotRendered,
    };
    rendered && element.style("position") != Some("fixed") && !matches!(element.tag(), "body" | "html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::capture::COMPUTED_STYLES;
    use crate::page::{NodeSpec, PageBuilder};

    fn style(name: &str) -> u8 {
        COMPUTED_STYLES.iter().position(|known| *known == name).expect("a captured style") as u8
    }

    #[test]
    fn reads_rendered_text_of_the_body_and_nothing_else() {
        let page = PageBuilder::outline(
            r#"
            generic tag=html
              generic tag=body
                text "directly in the body"
                heading "x"
                  text "  Title "
                paragraph
                  text "One"
                  generic tag=b
                    text "two"
                  text "   "
                generic hidden
                  text "not rendered"
                button "Go"
                  text "Go"
            "#,
        );
        insta::assert_snapshot!(visible_text(&page), @r"
        Title
        One
        two
        Go
        ");
    }

    #[test]
    fn a_fixed_element_has_no_offset_parent_but_its_children_have() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
        let styles = vec![(style("display"), "block"), (style("position"), "fixed")];
        builder.open(NodeSpec { styles, ..NodeSpec::default() });
        builder.text("of the fixed bar itself");
        builder.open(NodeSpec { tag: "span", ..NodeSpec::default() });
        builder.text("in the bar");
        assert_eq!(visible_text(&builder.finish()), "in the bar");
    }

    #[test]
    fn frames_and_shadow_trees_are_not_walked_but_slotted_text_is() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "x-card", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
        let flags = Flags::IN_OPEN_SHADOW;
        builder.open(NodeSpec { tag: "p", flags, ..NodeSpec::default() });
        builder.leaf(NodeSpec { flags, ..NodeSpec::text_node("in the shadow") });
        builder.open(NodeSpec { tag: "slot", flags, visibility: Visibility::NotRendered, ..NodeSpec::default() });
        builder.leaf(NodeSpec { flags: Flags::SLOTTED, ..NodeSpec::text_node("slotted") });
        builder.close().close().close();
        builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, ..NodeSpec::default() });
        builder.open_frame(crate::page::Frame { number: 2, loader: 2, ..crate::page::Frame::default() });
        builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
        builder.text("in the frame");
        assert_eq!(visible_text(&builder.finish()), "slotted");
    }

    #[test]
    fn a_page_nested_ten_thousand_deep_is_read() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for _ in 0..10_000 {
            builder.open(NodeSpec::default());
        }
        builder.text("deep");
        assert_eq!(visible_text(&builder.finish()), "deep");
    }
}
