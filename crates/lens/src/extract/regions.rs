//! Finds the parts of a page that text cannot tell: canvases and images without a name.
//!
//! In: a page. Out: [`Region`]s in document order. Invariant: only what is seen and is larger than
//! an icon counts.

use browserlens_core::page::{BoxInDocument, Flags, NodeKey, NodeKind, NodeRef, Page};

/// Side in CSS px under which an image without a name counts as decoration.
const ICON_SIDE: f32 = 48.0;

/// A part of a page that text cannot tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The node.
    pub key: NodeKey,
    /// `canvas` or `image`.
    pub role: &'static str,
    /// Accessible name, if it has one.
    pub name: String,
    /// Where it is.
    pub bounds: BoxInDocument,
}

/// Returns the role of a visible node that text cannot tell; none of any other.
pub(crate) fn role_of(node: NodeRef<'_>) -> Option<&'static str> {
    let bounds = node.bounds();
    let is_large = bounds.width >= ICON_SIDE && bounds.height >= ICON_SIDE;
    if node.flags().has(Flags::CANVAS) {
        return (!bounds.is_empty()).then_some("canvas");
    }
    (node.tag() == "img" && is_large && node.name().trim().is_empty()).then_some("image")
}

/// Returns the regions of a page.
pub(super) fn regions(page: &Page) -> Vec<Region> {
    let seen = page.nodes().filter(|node| node.kind() == NodeKind::Element && node.is_visible());
    let region = |node: NodeRef<'_>| {
        let role = role_of(node)?;
        Some(Region { key: node.key(), role, name: super::names::collapse(node.name()), bounds: node.bounds() })
    };
    seen.filter_map(region).collect()
}

/// Returns the part of a page that is in the viewport.
pub(crate) fn viewport(page: &Page) -> BoxInDocument {
    let (scroll, size) = (page.scroll(), page.viewport());
    BoxInDocument { x: scroll.x, y: scroll.y, width: size.width as f32, height: size.height as f32 }
}
