//! `read-text/visible`: every rendered text node of the main document, one a line.
//!
//! In: a step. Out: what [`crate::read_text`] reads of its capture, cut at 20,000 UTF-16 units.
//! Where a page has no capture (one that was built, not recorded), [`visible_text`] reads the page
//! itself, which differs from the script as far as a page differs from its DOM: text is as
//! rendered, and what has no box is not told apart. Invariant: frames and shadow trees give
//! nothing: the recipe is a script in the main document, and a tree walker does not enter them.
//! Slotted text is in the document and counts.

use crate::{BaselineError, OptionsError, OptionsReader, js_trim, read_text, utf16_prefix};
use browserlens_core::page::{Flags, NodeKind, NodeRef, Page, Visibility};
use browserlens_core::strategy::{
    ActionChannel, Observation, Run, Stage, StepInput, Strategy, StrategyError, Task, TextFormat,
};

/// Name of the strategy.
pub(crate) const NAME: &str = "read-text/visible";

/// Where the recipe cuts, in UTF-16 units.
pub const MAX_CHARS: usize = 20_000;

/// Returns the text of the main document as rendered, uncut; of a recorded page
/// [`crate::read_text`] gives exactly what the script does.
pub fn visible_text(page: &Page) -> String {
    let mut text = String::new();
    let root = page.root();
    let mut body_end = 0;
    let mut body = None;
    // The main document's body: the first one that is a child of the document element.
    for node in page.nodes() {
        if node.kind() == NodeKind::Element && node.tag() == "body" && node.frame() == root.frame() {
            body = Some(node);
            body_end = node.end();
            break;
        }
    }
    let start = body.map_or(0, |body| body.id().0);
    let end = if body.is_some() { body_end } else { page.len() as u32 };
    for node in root.subtree().skip(start as usize).take(end.saturating_sub(start) as usize) {
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

/// The strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTextVisible {
    /// Where the text is cut, in UTF-16 units.
    pub max_chars: usize,
}

impl Default for ReadTextVisible {
    fn default() -> Self {
        Self { max_chars: MAX_CHARS }
    }
}

impl ReadTextVisible {
    /// Reads the options: `max_chars`.
    ///
    /// # Errors
    /// [`OptionsError`] for an unknown option or a value of the wrong kind.
    pub fn from_options(options: &serde_json::Value) -> Result<Self, OptionsError> {
        let mut reader = OptionsReader::new(options)?;
        let max_chars = reader.number("max_chars", MAX_CHARS)?;
        reader.finish()?;
        Ok(Self { max_chars })
    }
}

impl Strategy for ReadTextVisible {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> &str {
        "2"
    }

    fn channel(&self) -> ActionChannel {
        ActionChannel::None
    }

    fn format(&self) -> TextFormat {
        TextFormat::PLAIN
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(*self)
    }
}

impl Run for ReadTextVisible {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let frame = input.page.frames().first().map_or(0, |frame| frame.number);
        let mut text = match read_text(input.capture, frame) {
            Ok(text) => text,
            Err(BaselineError::Missing { .. }) => visible_text(input.page),
            Err(error @ BaselineError::Malformed(_)) => {
                return Err(StrategyError::Failed { step: input.step, message: error.to_string() });
            }
        };
        input.clock.enter(Some(Stage::Format));
        text.truncate(utf16_prefix(&text, self.max_chars).len());
        input.clock.enter(None);
        Ok(Observation::full_text(text, "every observation is full"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::capture::COMPUTED_STYLES;
    use browserlens_core::page::{NodeSpec, PageBuilder};
    use browserlens_core::strategy::PageAlone;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn style(name: &str) -> u8 {
        COMPUTED_STYLES.iter().position(|known| *known == name).expect("a captured style") as u8
    }

    fn observe(page: Page, max_chars: usize) -> String {
        let page = Arc::new(page);
        let alone = PageAlone::default();
        let input = alone.input(0, &page);
        ReadTextVisible { max_chars }.observe(&input).expect("never fails").text
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
        builder.open(NodeSpec { tag: "p", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
        builder.leaf(NodeSpec { flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::text_node("in the shadow") });
        builder.open(NodeSpec {
            tag: "slot",
            flags: Flags::IN_OPEN_SHADOW,
            visibility: Visibility::NotRendered,
            ..NodeSpec::default()
        });
        builder.leaf(NodeSpec { flags: Flags::SLOTTED, ..NodeSpec::text_node("slotted") });
        builder.close().close().close();
        builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, ..NodeSpec::default() });
        builder.open_frame(browserlens_core::page::Frame {
            number: 2,
            loader: 2,
            url: "https://test.test/frame".to_owned(),
            title: String::new(),
            owner: None,
            document: None,
            scroll: browserlens_core::page::ScrollOffset::default(),
            rendered_text: String::new(),
        });
        builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
        builder.text("in the frame");
        assert_eq!(visible_text(&builder.finish()), "slotted");
    }

    #[test]
    fn text_is_cut_at_the_limit() {
        let long = "word ".repeat(9_000);
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
        builder.text(&long);
        let page = builder.finish();
        assert_eq!(observe(page.clone(), MAX_CHARS).len(), 20_000);
        assert_eq!(observe(page, 7), "word wo");
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

    proptest! {
        #[test]
        fn any_text_is_read_and_cut_without_a_panic(text in "\\PC{0,60}", limit in 0usize..80) {
            let mut builder = PageBuilder::new("https://test.test/", "Test");
            builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
            builder.text(&text);
            let read = observe(builder.finish(), limit);
            prop_assert!(js_trim(&text).starts_with(&read));
            prop_assert!(read.encode_utf16().count() <= limit);
        }
    }
}
