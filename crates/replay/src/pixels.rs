//! Whether something on the page can be read in the images that are shown.
//!
//! In: a page, shown images, a box. Out: yes or no. Rules: the box lies wholly in one image, where
//! no later image replaced it; nothing opaque is painted over its middle or corners, and text is at
//! least [`MIN_TEXT_PX`] high after the image was scaled down as models do (the smallest scale of
//! the image-token table counts, so that a fact is never readable for one model family only). Why
//! not optical character recognition: it would measure the recogniser.

use browserlens_core::page::{BoxInDocument, NodeKind, NodeRef, Page};
use browserlens_core::strategy::ObservedImage;
use browserlens_core::tokens::{ImageFormula, ImageSize};

/// An image that the agent has before it, and what of it is old.
#[derive(Clone, Debug)]
pub struct SeenImage {
    /// The image as it was sent.
    pub image: ObservedImage,
    /// Where it shows what is there no more, in CSS px of the document: later images show that.
    pub replaced: Vec<BoxInDocument>,
}

impl From<ObservedImage> for SeenImage {
    fn from(image: ObservedImage) -> Self {
        Self { image, replaced: Vec::new() }
    }
}

/// Least height of text that counts as readable, in image pixels after downscaling.
pub const MIN_TEXT_PX: f32 = 8.0;

/// Text cannot stand in a box higher than this: a taller box holds a picture, or several lines.
const SLACK: f32 = 1.0;

/// Returns whether text of `text_height` CSS px in a box of a node lies uncovered and readable in
/// one of the images.
pub fn is_readable(
    page: &Page,
    images: &[SeenImage],
    node: NodeRef<'_>,
    bounds: BoxInDocument,
    text_height: f32,
) -> bool {
    let is_new = |seen: &SeenImage| !seen.replaced.iter().any(|old| !old.intersection(bounds).is_empty());
    lies_in(page, images.iter().filter(|seen| is_new(seen)), node, bounds, text_height)
}

fn lies_in<'i>(
    page: &Page,
    mut images: impl Iterator<Item = &'i SeenImage>,
    node: NodeRef<'_>,
    bounds: BoxInDocument,
    text_height: f32,
) -> bool {
    !bounds.is_empty()
        && node.is_visible()
        && images.any(|SeenImage { image, .. }| {
            let shown = image.space.in_document(page);
            shown.contains_box(bounds, SLACK) && text_height * scale(image, shown) >= MIN_TEXT_PX
        })
        && !is_covered(page, node, bounds)
}

/// Returns whether a node can be seen in one of the images, text or not; what of it was replaced,
/// later images show.
pub fn is_shown(page: &Page, images: &[SeenImage], node: NodeRef<'_>) -> bool {
    let bounds = node.bounds();
    lies_in(page, images.iter(), node, bounds, bounds.height.min(bounds.width).max(0.0))
}

/// Returns the height of text in a node: its font size where known, else that of its box.
pub fn text_height(node: NodeRef<'_>) -> f32 {
    let size = |node: NodeRef<'_>| {
        node.style("font-size").and_then(|size| size.strip_suffix("px")).and_then(|px| px.parse::<f32>().ok())
    };
    size(node).or_else(|| node.parent().and_then(size)).unwrap_or(node.bounds().height)
}

/// Returns image pixels per CSS px after downscaling.
fn scale(image: &ObservedImage, shown: BoxInDocument) -> f32 {
    let size = ImageSize { width: image.width, height: image.height };
    let seen = ImageFormula::ALL.iter().map(|formula| formula.seen_size(size).width).min().unwrap_or(image.width);
    if shown.width > 0.0 { seen as f32 / shown.width } else { 0.0 }
}

fn is_covered(page: &Page, node: NodeRef<'_>, bounds: BoxInDocument) -> bool {
    if let Some(cover) = node.covered_by()
        && cover.bounds().contains(bounds.center())
        && paints(cover)
    {
        return true;
    }
    let (x, y) = bounds.center();
    let points = [(x, y), (bounds.x + SLACK, bounds.y + SLACK), (bounds.right() - SLACK, bounds.bottom() - SLACK)];
    page.nodes().any(|other| {
        other.paint_order() > node.paint_order()
            && other.kind() == NodeKind::Element
            && other.is_visible()
            && points.iter().any(|point| other.bounds().contains(*point))
            && !node.holds(other.id())
            && !other.holds(node.id())
            && paints(other)
    })
}

/// Returns whether an element paints an opaque box of its own.
fn paints(node: NodeRef<'_>) -> bool {
    if matches!(node.tag(), "img" | "canvas" | "video" | "iframe") {
        return true;
    }
    let opacity = node.style("opacity").and_then(|opacity| opacity.parse::<f32>().ok()).unwrap_or(1.0);
    let background = node.style("background-color").unwrap_or("");
    let alpha = match background.rsplit_once(',') {
        Some((_, alpha)) if background.starts_with("rgba") => {
            alpha.trim_end_matches(')').trim().parse::<f32>().unwrap_or(1.0)
        }
        Some(_) => 1.0,
        None => 0.0,
    };
    let picture = node.style("background-image").is_some_and(|image| image != "none" && !image.is_empty());
    opacity >= 0.5 && (alpha >= 0.5 || picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::capture::COMPUTED_STYLES;
    use browserlens_core::page::{BoxInViewport, NodeSpec, PageBuilder};
    use browserlens_core::strategy::ImageSpace;

    fn screenshot(width: u32, height: u32, css_width: f32, css_height: f32) -> SeenImage {
        let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: css_width, height: css_height });
        ObservedImage { png: Vec::new().into(), width, height, space }.into()
    }

    fn page(cover: bool) -> Page {
        let mut builder = PageBuilder::new("https://a.test/", "A");
        let bounds = |x, y, width, height| BoxInDocument { x, y, width, height };
        builder.leaf(NodeSpec {
            tag: "canvas",
            role: "Canvas",
            bounds: bounds(0.0, 0.0, 600.0, 400.0),
            paint_order: 1,
            ..NodeSpec::default()
        });
        if cover {
            let background =
                COMPUTED_STYLES.iter().position(|style| *style == "background-color").expect("captured") as u8;
            builder.leaf(NodeSpec {
                tag: "div",
                bounds: bounds(100.0, 100.0, 300.0, 200.0),
                paint_order: 5,
                styles: vec![(background, "rgb(255, 255, 255)")],
                ..NodeSpec::default()
            });
        }
        builder.finish()
    }

    fn canvas(page: &Page) -> NodeRef<'_> {
        page.nodes().find(|node| node.tag() == "canvas").expect("the canvas is there")
    }

    fn fact(x: f32, y: f32) -> BoxInDocument {
        BoxInDocument { x, y, width: 60.0, height: 14.0 }
    }

    #[test]
    fn a_box_in_a_shown_image_is_read_and_one_outside_is_not() {
        let page = page(false);
        let images = [screenshot(1280, 800, 1280.0, 800.0)];
        assert!(is_readable(&page, &images, canvas(&page), fact(20.0, 20.0), 14.0));
        assert!(!is_readable(&page, &images, canvas(&page), fact(1270.0, 20.0), 14.0));
        assert!(!is_readable(&page, &[], canvas(&page), fact(20.0, 20.0), 14.0));
    }

    #[test]
    fn a_covered_box_is_not_read() {
        let page = page(true);
        let images = [screenshot(1280, 800, 1280.0, 800.0)];
        assert!(!is_readable(&page, &images, canvas(&page), fact(150.0, 150.0), 14.0));
        assert!(is_readable(&page, &images, canvas(&page), fact(20.0, 20.0), 14.0));
    }

    #[test]
    fn text_that_downscaling_makes_too_small_is_not_read() {
        let page = page(false);
        let images = [screenshot(1280, 3200, 1280.0, 3200.0)];
        // 3,200 px are scaled to at most 1,568: 14 px text becomes less than 7.
        assert!(!is_readable(&page, &images, canvas(&page), fact(20.0, 20.0), 14.0));
        assert!(is_readable(&page, &images, canvas(&page), fact(20.0, 20.0), 24.0));
    }
}
