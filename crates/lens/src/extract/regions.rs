//! Finds the parts of a page that text cannot tell: canvases and images without a name.
//!
//! In: a page. Out: [`Region`]s in document order. Invariant: only what is seen and is larger than
//! an icon counts.

use browserlens_core::page::{BoxInDocument, Flags, NodeKey, NodeKind, Page};

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

/// Returns the regions of a page.
pub(super) fn regions(page: &Page) -> Vec<Region> {
    let mut regions = Vec::new();
    for node in page.nodes() {
        if node.kind() != NodeKind::Element || !node.is_visible() {
            continue;
        }
        let canvas = node.flags().has(Flags::CANVAS);
        let bounds = node.bounds();
        let image = node.tag() == "img"
            && node.name().trim().is_empty()
            && bounds.width >= ICON_SIDE
            && bounds.height >= ICON_SIDE;
        if (canvas && !bounds.is_empty()) || image {
            let role = if canvas { "canvas" } else { "image" };
            regions.push(Region { key: node.key(), role, name: super::names::collapse(node.name()), bounds });
        }
    }
    regions
}
