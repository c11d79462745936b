//! The baseline: the text that a script in the page reads with a tree walker.
//!
//! In: a [`Capture`]. Out: the trimmed data of the text nodes below `body` whose parent element has
//! an `offsetParent`, in document order, joined by newlines; as in
//!
//! ```js
//! const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, { acceptNode: (node) =>
//!     node.parentElement && node.parentElement.offsetParent !== null && node.textContent.trim()
//!         ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT });
//! ```
//!
//! Invariants: the text is the document's own, before the browser collapses white space or changes
//! case; frames and shadow trees give nothing, for a tree walker does not enter them, and slotted
//! text counts below its host. Why not from a [`browserlens_core::page::Page`]: it holds what is
//! rendered.
//!
//! What `offsetParent` is: null for what has no box, for `body` and `html`, and for what is fixed
//! to the viewport. SVG and MathML elements have no such property, and `undefined !== null`: their
//! text counts whether it is rendered or not. A closed `details` has boxes as soon as a script asks
//! for them.
//!
//! What a capture does not hold and the script reads all the same: the markup between the tags of
//! `textarea`, `progress`, `meter`, `video` and the like, which is shown only where the element is
//! not supported, and children of a shadow host that are slotted nowhere. Slotted text stands where
//! its slot is.

use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::raw::{Document, Nodes, Snapshot};
use browserlens_core::page::{Capture, PayloadKind, js_trim};

/// The script whose result [`read_text`] gives, uncut: an expression.
pub const READ_TEXT_SCRIPT: &str = "(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) =>
      node.parentElement && node.parentElement.offsetParent !== null && node.textContent.trim()
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_REJECT,
  });
  const out = [];
  while (walker.nextNode()) out.push(walker.currentNode.textContent.trim());
  return out.join('\\n');
})()";

/// The capture holds no DOM snapshot of the frame, or one that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// There is none.
    #[error("the capture has no DOM snapshot of frame {frame}")]
    Missing {
        /// Recording-wide number of the frame.
        frame: u32,
    },
    /// It is no JSON of that shape.
    #[error("the DOM snapshot cannot be read")]
    Malformed(#[source] serde_json::Error),
}

/// What the walk needs to know of a node that was passed.
#[derive(Clone, Copy)]
struct Passed {
    in_body: bool,
    /// The nearest node of the document itself that holds it, or it itself.
    light: usize,
    /// It stands in a closed `details`, outside of the summary.
    folded: bool,
    /// An element around it is what fixed boxes below it are fixed to.
    holds_fixed: bool,
    counts: bool,
}

/// Returns the text of the document of a frame (`page.frames()[0].number` for the page's own),
/// uncut.
///
/// # Errors
/// [`BaselineError`] if the capture has no snapshot of the frame.
pub fn read_text(capture: &Capture, frame: u32) -> Result<String, BaselineError> {
    let payload = capture.get(PayloadKind::Snapshot, frame).ok_or(BaselineError::Missing { frame })?;
    let snapshot: Snapshot = serde_json::from_slice(&payload.body).map_err(BaselineError::Malformed)?;
    let Some(document) = snapshot.documents.first() else { return Err(BaselineError::Missing { frame }) };
    Ok(walk(document, &|index| snapshot.text(index)))
}

fn style(name: &str) -> usize {
    COMPUTED_STYLES.iter().position(|known| *known == name).unwrap_or(usize::MAX)
}

fn walk<'s>(document: &Document, string: &impl Fn(i64) -> &'s str) -> String {
    let nodes = &document.nodes;
    let count = nodes.parent_index.len();
    let mut layout_of: Vec<Option<usize>> = vec![None; count];
    for (at, node) in document.layout.node_index.iter().enumerate() {
        if let Some(slot) = usize::try_from(*node).ok().and_then(|node| layout_of.get_mut(node)) {
            slot.get_or_insert(at);
        }
    }
    let mut in_shadow = vec![false; count];
    for index in &nodes.shadow_root_type.index {
        if let Some(slot) = usize::try_from(*index).ok().and_then(|index| in_shadow.get_mut(index)) {
            *slot = true;
        }
    }
    let (position, transform, filter) = (style("position"), style("transform"), style("filter"));
    let styled = |layout: Option<usize>, name: usize| {
        let styles = layout.and_then(|layout| document.layout.styles.get(layout));
        styles.and_then(|styles| styles.get(name)).map_or("", |value| string(*value))
    };
    let mut passed: Vec<Passed> = Vec::with_capacity(count);
    let mut body: Option<usize> = None;
    let mut text = String::new();
    for index in 0..count {
        let parent = usize::try_from(nodes.parent_index[index]).ok().filter(|parent| *parent < index);
        let above = parent.map(|parent| passed[parent]);
        let name = string(nodes.node_name.get(index).copied().unwrap_or(-1));
        let kind = nodes.node_type.get(index).copied().unwrap_or(1);
        let layout = layout_of[index];
        let is_body = body.is_none()
            && matches!(name, "BODY" | "FRAMESET")
            && parent.is_some_and(|parent| string(nodes.node_name[parent]) == "HTML");
        if is_body {
            body = Some(index);
        }
        let own_shadow = in_shadow[index];
        let holder = above.map_or(index, |above| above.light);
        let mut node = Passed {
            in_body: is_body || above.is_some_and(|above| above.in_body),
            light: if own_shadow { holder } else { index },
            folded: above.is_some_and(|above| above.folded),
            holds_fixed: above.is_some_and(|above| above.holds_fixed),
            counts: false,
        };
        if kind == 1 {
            let parent_name = parent.map_or("", |parent| string(nodes.node_name[parent]));
            let in_closed = parent_name == "DETAILS"
                && name != "SUMMARY"
                && parent.is_some_and(|parent| !has_attribute(nodes, parent, "open", string));
            node.folded |= in_closed;
            let is_html = !name.bytes().any(|byte| byte.is_ascii_lowercase());
            let is_fixed = styled(layout, position) == "fixed" && !node.holds_fixed;
            node.counts = !is_html
                || ((layout.is_some() || node.folded) && !is_fixed && !is_body && !matches!(name, "HTML" | "BODY"));
            let makes_room = |name| !matches!(styled(layout, name), "" | "none");
            node.holds_fixed |= makes_room(transform) || makes_room(filter);
        } else if kind == 3 && node.in_body && !own_shadow {
            let parent = above.map(|above| passed[above.light]);
            let own = js_trim(string(nodes.node_value.get(index).copied().unwrap_or(-1)));
            if parent.is_some_and(|parent| parent.counts && parent.in_body) && !own.is_empty() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(own);
            }
        }
        passed.push(node);
    }
    text
}

fn has_attribute<'s>(nodes: &Nodes, node: usize, name: &str, string: &impl Fn(i64) -> &'s str) -> bool {
    nodes.attributes.get(node).is_some_and(|list| list.chunks(2).any(|pair| string(pair[0]) == name))
}
