//! Finds the parts of a page that text cannot tell: canvases and images without a name.
//!
//! In: a page. Out: [`Region`]s in document order. Invariants: only what is seen and is larger than
//! an icon counts; tiles that lie edge to edge are one region, as far as it is not clipped.

use browserlens_core::page::{BoxInDocument, Flags, NodeId, NodeKey, NodeKind, NodeRef, Page};

/// Side in CSS px under which an image without a name counts as decoration.
const ICON_SIDE: f32 = 48.0;
/// Fewest pictures under one parent that may be tiles.
const FEWEST_TILES: usize = 4;
/// Least part of the box around tiles that they fill.
const FILLED: f32 = 0.9;

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
    /// How many nodes it is drawn by: tiles of a map are several.
    pub nodes: usize,
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
    let mut found: Vec<(Option<NodeId>, Region)> = Vec::new();
    for node in seen {
        let Some(role) = role_of(node) else { continue };
        let name = super::names::collapse(node.name());
        let region = Region { key: node.key(), role, name, bounds: node.bounds(), nodes: 1 };
        found.push((node.parent().map(|parent| parent.id()), region));
    }
    let alike = |a: &(Option<NodeId>, Region), b: &(Option<NodeId>, Region)| {
        a.0 == b.0 && a.1.role == b.1.role && a.1.name.is_empty() && b.1.name.is_empty()
    };
    let mut regions = Vec::with_capacity(found.len());
    for pictures in found.chunk_by(alike) {
        match pictures[0].0.and_then(|parent| tiled(page.node(parent), pictures)) {
            Some(region) => regions.push(region),
            None => regions.extend(pictures.iter().map(|(_, region)| region.clone())),
        }
    }
    regions
}

/// Returns what tiles under one parent show together; none if they are pictures of their own.
fn tiled(parent: NodeRef<'_>, tiles: &[(Option<NodeId>, Region)]) -> Option<Region> {
    if tiles.len() < FEWEST_TILES {
        return None;
    }
    let boxes = || tiles.iter().map(|(_, tile)| tile.bounds);
    let (left, top) = boxes().fold((f32::MAX, f32::MAX), |(x, y), tile| (x.min(tile.x), y.min(tile.y)));
    let (right, bottom) =
        boxes().fold((f32::MIN, f32::MIN), |(x, y), tile| (x.max(tile.right()), y.max(tile.bottom())));
    let around = BoxInDocument { x: left, y: top, width: right - left, height: bottom - top };
    if boxes().map(BoxInDocument::area).sum::<f32>() < around.area() * FILLED {
        return None;
    }
    let clips = |node: &NodeRef<'_>| {
        !matches!(node.tag(), "html" | "body")
            && ["overflow-x", "overflow-y"].iter().any(|name| !matches!(node.style(name), None | Some("" | "visible")))
    };
    let clipped = std::iter::once(parent).chain(parent.ancestors()).filter(clips);
    let bounds = clipped.fold(around, |seen, clip| seen.intersection(clip.bounds()));
    let role = tiles[0].1.role;
    (!bounds.is_empty()).then(|| Region { key: parent.key(), role, name: String::new(), bounds, nodes: tiles.len() })
}
