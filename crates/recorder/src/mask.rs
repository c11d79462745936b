//! Paints over secrets in screenshots, and says what is to be cropped.
//!
//! In: a PNG and the parsed page. Out: the PNG with black boxes. Invariant: a box of a secret
//! field, and of any text that holds a known secret, has no pixel of the page left; a picture
//! without secrets keeps its bytes.

use browserlens_core::page::{BoxInDocument, Capture, Flags, NodeId, NodeKind, NodeRef, Page, PayloadKind};
use image::{ImageFormat, Rgba};
use std::io::Cursor;

/// Widest and highest crop in CSS px: more is no picture an agent is shown.
const MOST_SIDE: f32 = 2_000.0;
const MOST_CROPS: usize = 24;

/// Returns the boxes to paint over, in document px.
pub(crate) fn secret_boxes(page: &Page, known: &[String]) -> Vec<BoxInDocument> {
    let holds = |text: &str| known.iter().any(|secret| !secret.is_empty() && text.contains(secret.as_str()));
    page.nodes()
        .filter(|node| {
            let is_field = node.flags().has(Flags::SECRET) && node.is_filled();
            is_field
                || holds(node.value())
                || (matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && holds(node.text()))
        })
        .map(|node| node.bounds())
        .filter(|bounds| !bounds.is_empty())
        .collect()
}

/// Paints boxes black; `origin` is where the picture's top left corner lies in the document.
///
/// # Errors
/// The reason, if the bytes are no PNG.
pub(crate) fn paint_over(
    png: Vec<u8>,
    boxes: &[BoxInDocument],
    origin: (f32, f32),
    scale: f32,
) -> Result<Vec<u8>, String> {
    if boxes.is_empty() {
        return Ok(png);
    }
    let mut picture =
        image::load_from_memory_with_format(&png, ImageFormat::Png).map_err(|error| error.to_string())?.to_rgba8();
    let (width, height) = picture.dimensions();
    let mut painted = false;
    for bounds in boxes {
        // One pixel more on each side: text may bleed over its box.
        let left = ((bounds.x - origin.0) * scale - 1.0).floor().clamp(0.0, width as f32) as u32;
        let top = ((bounds.y - origin.1) * scale - 1.0).floor().clamp(0.0, height as f32) as u32;
        let right = ((bounds.right() - origin.0) * scale + 1.0).ceil().clamp(0.0, width as f32) as u32;
        let bottom = ((bounds.bottom() - origin.1) * scale + 1.0).ceil().clamp(0.0, height as f32) as u32;
        for y in top..bottom {
            for x in left..right {
                picture.put_pixel(x, y, Rgba([0, 0, 0, 255]));
                painted = true;
            }
        }
    }
    if !painted {
        return Ok(png);
    }
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Returns the nodes whose pixels text cannot tell and the screenshot does not show whole, with
/// their boxes.
pub(crate) fn to_crop(page: &Page) -> Vec<(NodeId, BoxInDocument)> {
    let (scroll, viewport) = (page.scroll(), page.viewport());
    let shown =
        BoxInDocument { x: scroll.x, y: scroll.y, width: viewport.width as f32, height: viewport.height as f32 };
    page.nodes()
        .filter(|node| node.kind() == NodeKind::Element && node.is_visible())
        .filter(|node| node.flags().has(Flags::CANVAS) || is_unlabelled_image(*node))
        .map(|node| (node.id(), node.bounds()))
        .filter(|(_, bounds)| {
            bounds.width >= 8.0 && bounds.height >= 8.0 && bounds.width <= MOST_SIDE && bounds.height <= MOST_SIDE
        })
        .filter(|(_, bounds)| !shown.contains_box(*bounds, 0.5))
        .take(MOST_CROPS)
        .collect()
}

/// An image that nothing names; one that the author calls decoration, or that stands in a control
/// with a name, tells nothing more.
fn is_unlabelled_image(node: NodeRef<'_>) -> bool {
    let is_image = matches!(node.tag(), "img" | "svg" | "canvas") && node.name().is_empty();
    is_image
        && !node.flags().has(Flags::ARIA_HIDDEN)
        && node.attribute("alt") != Some("")
        && !node.ancestors().any(|above| {
            above.flags().has(Flags::ARIA_HIDDEN) || (above.has_interactive_role() && !above.name().is_empty())
        })
}

/// Paints over the secret fields of a page in the picture of its viewport, for captures that others
/// made.
///
/// # Errors
/// In words, if a picture cannot be read; it is then as it was.
pub fn mask_pictures(capture: &mut Capture, page: &Page, known: &[String]) -> Result<(), String> {
    paint_screenshots(capture, page, &secret_boxes(page, known), page.viewport().scale)
}

/// Paints over boxes in the picture of a page's viewport.
pub(crate) fn paint_screenshots(
    capture: &mut Capture,
    page: &Page,
    boxes: &[BoxInDocument],
    scale: f32,
) -> Result<(), String> {
    let scroll = page.scroll();
    for payload in capture.payloads.iter_mut().filter(|payload| payload.kind == PayloadKind::Screenshot) {
        payload.body = paint_over(payload.body.to_vec(), boxes, (scroll.x, scroll.y), scale)?.into();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn white(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        image::RgbaImage::from_pixel(width, height, Rgba([255, 255, 255, 255]))
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .expect("png");
        bytes
    }

    #[test]
    fn secret_fields_and_texts_with_a_secret_are_painted_black_and_nothing_else() {
        let page = PageBuilder::outline(
            "textbox \"Password\" secret value=\"x\" box=10,20,30,10\ntext \"code 4711\" box=0,0,5,5\ntext \"other\" \
                box=60,60,5,5",
        );
        let boxes = secret_boxes(&page, &["4711".to_owned()]);
        assert_eq!(boxes.len(), 2);
        let painted = paint_over(white(100, 100), &boxes, (0.0, 0.0), 1.0).expect("painted");
        let picture = image::load_from_memory(&painted).expect("png").to_rgba8();
        assert_eq!(picture.get_pixel(20, 25).0, [0, 0, 0, 255]);
        assert_eq!(picture.get_pixel(2, 2).0, [0, 0, 0, 255]);
        assert_eq!(picture.get_pixel(62, 62).0, [255, 255, 255, 255]);
    }

    #[test]
    fn a_picture_without_secrets_keeps_its_bytes() {
        let png = white(10, 10);
        assert_eq!(paint_over(png.clone(), &[], (0.0, 0.0), 1.0).expect("kept"), png);
        let far = BoxInDocument { x: 500.0, y: 500.0, width: 5.0, height: 5.0 };
        assert_eq!(paint_over(png.clone(), &[far], (0.0, 0.0), 1.0).expect("kept"), png);
    }
}
