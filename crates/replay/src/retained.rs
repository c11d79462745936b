//! Images of earlier observations that still show what is there.
//!
//! In: images shown since the last full observation, and the images of a later step. Out: those
//! that a delta may leave unsaid. Invariant: an image counts as shown only while every pixel of it
//! is the page's, or lies in a later image that is shown; what it shows there is old. One that was
//! sent smaller than the page paints it is compared with what the page paints now, made smaller in
//! the same way. Why not trust the strategy: an old screenshot of a page that changed would count
//! as reading what it no longer shows.

use crate::pixels::SeenImage;
use crate::steps::LoadedStep;
use crate::store::content_hash;
use browserlens_core::page::BoxInDocument;
use browserlens_core::strategy::{CaptureImage, ObservedImage};
use browserlens_core::tokens::ImageSize;
use browserlens_lens::{rgba, shrunk};
use image::{RgbaImage, imageops};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// Pixels are compared in cells of this many by as many: each that differs is told apart.
const CELL: u32 = 8;

/// How far what an image shows may reach over a later one, in CSS px.
const SLACK: f32 = 1.0;

/// An image by the hash of its content, and its box in bits.
type Placed = (String, [u32; 4]);

/// The pixels of one step, decoded once for all strategies, and what was asked of them.
pub(crate) struct Painted<'a> {
    step: &'a LoadedStep,
    regions: OnceCell<Vec<Region>>,
    /// Where each image that was asked for is old; none if it cannot be told.
    known: RefCell<HashMap<Placed, Option<Vec<BoxInDocument>>>>,
}

impl<'a> Painted<'a> {
    /// Looks at nothing yet.
    pub fn of(step: &'a LoadedStep) -> Self {
        Self { step, regions: OnceCell::new(), known: RefCell::default() }
    }

    /// Drops the images that show what is there no more, but where a later one shows it; the last
    /// `new` ones were sent at this step.
    pub fn keep_true(&self, images: &mut Vec<SeenImage>, new: usize) {
        let mut later: Vec<BoxInDocument> = Vec::new();
        let first_new = images.len().saturating_sub(new);
        let mut kept: Vec<SeenImage> = Vec::with_capacity(images.len());
        for (at, mut seen) in std::mem::take(images).into_iter().enumerate().rev() {
            if at < first_new {
                let Some(old) = self.old_parts(&seen.image) else { continue };
                let is_replaced = |part: &BoxInDocument| later.iter().any(|shown| shown.contains_box(*part, SLACK));
                if !old.iter().all(is_replaced) {
                    continue;
                }
                seen.replaced = old;
            }
            later.push(seen.image.space.in_document(&self.step.page));
            kept.push(seen);
        }
        kept.reverse();
        *images = kept;
    }

    fn old_parts(&self, image: &ObservedImage) -> Option<Vec<BoxInDocument>> {
        let bounds = image.space.in_document(&self.step.page);
        let place = [bounds.x, bounds.y, bounds.width, bounds.height].map(f32::to_bits);
        let key = (content_hash(&image.png), place);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let old = rgba(&image.png).and_then(|old| {
            let parts = self.regions().iter().filter_map(|region| region.old_parts(&old, bounds));
            parts.min_by_key(Vec::len)
        });
        self.known.borrow_mut().insert(key, old.clone());
        old
    }

    fn regions(&self) -> &[Region] {
        self.regions.get_or_init(|| {
            let images = self.step.screenshot.iter().chain(&self.step.crops);
            images.filter_map(|image| Region::decode(self.step, image)).collect()
        })
    }
}

struct Region {
    image: RgbaImage,
    bounds: BoxInDocument,
}

impl Region {
    fn decode(step: &LoadedStep, image: &CaptureImage) -> Option<Self> {
        Some(Self { image: rgba(&image.png)?, bounds: image.space.in_document(&step.page) })
    }

    /// Returns where the part at `bounds` is not the old image any more; none if the part is not in
    /// these pixels.
    fn old_parts(&self, old: &RgbaImage, bounds: BoxInDocument) -> Option<Vec<BoxInDocument>> {
        let (width, height) = self.image.dimensions();
        if self.bounds.width <= 0.0 || self.bounds.height <= 0.0 {
            return None;
        }
        let scale = (width as f32 / self.bounds.width, height as f32 / self.bounds.height);
        let at = ((bounds.x - self.bounds.x) * scale.0, (bounds.y - self.bounds.y) * scale.1);
        let (old_width, old_height) = old.dimensions();
        let full = (bounds.width * scale.0, bounds.height * scale.1);
        let smaller = (old_width as f32) < full.0 - 1.0 || (old_height as f32) < full.1 - 1.0;
        // A crop of a box between pixels was rounded outwards, or to the nearest: either will do.
        let outwards = |from: f32, length: f32| (from.floor(), (from + length).ceil());
        let nearest = |from: f32, length: f32| (from.round(), (from + length).round());
        let of = |rounded: &dyn Fn(f32, f32) -> (f32, f32)| {
            let ((left, right), (top, bottom)) = (rounded(at.0, full.0), rounded(at.1, full.1));
            let size = if smaller { (right - left, bottom - top) } else { (old_width as f32, old_height as f32) };
            (left, top, size.0, size.1)
        };
        let parts = [of(&outwards), of(&nearest)].into_iter().filter_map(|(left, top, part_width, part_height)| {
            if left < 0.0 || top < 0.0 || left + part_width > width as f32 || top + part_height > height as f32 {
                return None;
            }
            let (left, top) = (left as u32, top as u32);
            let now = imageops::crop_imm(&self.image, left, top, part_width as u32, part_height as u32).to_image();
            let size = ImageSize { width: old_width, height: old_height };
            let now = if smaller { shrunk(now, size)? } else { now };
            Some(differences(old, &now))
        });
        let cells = parts.min_by_key(Vec::len)?;
        let css = (bounds.width / old_width as f32, bounds.height / old_height as f32);
        Some(
            cells
                .into_iter()
                .map(|[left, top, right, bottom]| BoxInDocument {
                    x: bounds.x + left as f32 * css.0,
                    y: bounds.y + top as f32 * css.1,
                    width: (right - left) as f32 * css.0,
                    height: (bottom - top) as f32 * css.1,
                })
                .collect(),
        )
    }
}

/// Returns, of each cell in which two images of a size differ, the pixels that do: left, top,
/// right, bottom.
fn differences(old: &RgbaImage, now: &RgbaImage) -> Vec<[u32; 4]> {
    let (width, height) = old.dimensions();
    if old.as_raw() == now.as_raw() {
        return Vec::new();
    }
    let mut cells: Vec<[u32; 4]> = Vec::new();
    for top in (0..height).step_by(CELL as usize) {
        for left in (0..width).step_by(CELL as usize) {
            let mut cell: Option<[u32; 4]> = None;
            for y in top..(top + CELL).min(height) {
                for x in left..(left + CELL).min(width) {
                    if old.get_pixel(x, y) != now.get_pixel(x, y) {
                        let [left, top, right, bottom] = cell.unwrap_or([x, y, x + 1, y + 1]);
                        cell = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
                    }
                }
            }
            cells.extend(cell);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{BoxInViewport, Capture, PageBuilder};
    use browserlens_core::strategy::{ImageSpace, StepIndex};
    use browserlens_core::tokens::Micros;
    use image::{DynamicImage, ImageFormat};
    use std::collections::HashMap;
    use std::io::Cursor;
    use std::sync::Arc;

    fn png(width: u32, height: u32, dot: Option<(u32, u32)>) -> Arc<[u8]> {
        let mut image =
            image::RgbaImage::from_fn(width, height, |x, y| image::Rgba([(x % 7) as u8, (y % 5) as u8, 9, 255]));
        if let Some((x, y)) = dot {
            image.put_pixel(x, y, image::Rgba([255, 0, 0, 255]));
        }
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgba8(image).write_to(&mut bytes, ImageFormat::Png).expect("encodes");
        bytes.into_inner().into()
    }

    fn viewport(width: f32, height: f32) -> ImageSpace {
        ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width, height })
    }

    fn step(screenshot: Arc<[u8]>) -> LoadedStep {
        LoadedStep {
            index: StepIndex(1),
            page: Arc::new(PageBuilder::outline("main")),
            capture: Capture::default(),
            earlier_second_look: None,
            action: None,
            events: Vec::new(),
            screenshot: Some(CaptureImage { png: screenshot, space: viewport(64.0, 48.0) }),
            crops: Vec::new(),
            peers: Vec::new(),
            entities: HashMap::new(),
            load: Micros(0),
            shared: Arc::default(),
        }
    }

    fn keep_true(images: &mut Vec<SeenImage>, step: &LoadedStep) {
        Painted::of(step).keep_true(images, 0);
    }

    fn old(width: u32, height: u32) -> Vec<SeenImage> {
        let space = viewport(width as f32, height as f32);
        vec![ObservedImage { png: png(width, height, None), width, height, space }.into()]
    }

    #[test]
    fn an_image_stays_where_a_later_one_shows_what_changed_and_is_old_there() {
        let now = step(png(64, 48, Some((40, 20))));
        let part = |left: u32| {
            let full = image::load_from_memory(&png(64, 48, Some((40, 20)))).expect("decodes").to_rgba8();
            let mut bytes = Cursor::new(Vec::new());
            let cut = imageops::crop_imm(&full, left, 14, 12, 12).to_image();
            DynamicImage::ImageRgba8(cut).write_to(&mut bytes, ImageFormat::Png).expect("encodes");
            let bounds = BoxInViewport { x: left as f32, y: 14.0, width: 12.0, height: 12.0 };
            let space = ImageSpace::Viewport(bounds);
            SeenImage::from(ObservedImage { png: bytes.into_inner().into(), width: 12, height: 12, space })
        };
        let mut images = old(64, 48);
        images.push(part(34));
        Painted::of(&now).keep_true(&mut images, 1);
        assert_eq!(images.len(), 2, "the part shows what changed");
        assert_eq!(images[0].replaced, [BoxInDocument { x: 40.0, y: 20.0, width: 1.0, height: 1.0 }]);
        assert!(images[1].replaced.is_empty());
        let mut images = old(64, 48);
        images.push(part(42));
        Painted::of(&now).keep_true(&mut images, 1);
        assert_eq!(images.len(), 1, "a part beside it does not");
        // The part itself is old once the page is painted otherwise there.
        let mut images = vec![part(34)];
        keep_true(&mut images, &step(png(64, 48, None)));
        assert!(images.is_empty());
    }

    #[test]
    fn an_image_that_was_sent_smaller_stays_while_what_it_shows_is_there() {
        let smaller = |dot| {
            let full = image::load_from_memory(&png(64, 48, dot)).expect("decodes").to_rgba8();
            let part = imageops::crop_imm(&full, 10, 8, 40, 30).to_image();
            let small = shrunk(part, ImageSize { width: 32, height: 24 }).expect("has an area");
            let mut bytes = Cursor::new(Vec::new());
            DynamicImage::ImageRgba8(small).write_to(&mut bytes, ImageFormat::Png).expect("encodes");
            let bounds = BoxInViewport { x: 10.0, y: 8.0, width: 40.0, height: 30.0 };
            let space = ImageSpace::Viewport(bounds);
            vec![SeenImage::from(ObservedImage { png: bytes.into_inner().into(), width: 32, height: 24, space })]
        };
        let mut images = smaller(None);
        keep_true(&mut images, &step(png(64, 48, Some((2, 2)))));
        assert_eq!(images.len(), 1, "a change beside it does not matter");
        keep_true(&mut images, &step(png(64, 48, Some((30, 20)))));
        assert!(images.is_empty());
    }

    #[test]
    fn an_image_stays_while_its_pixels_are_right_and_goes_when_one_is_not() {
        let mut images = old(30, 20);
        keep_true(&mut images, &step(png(64, 48, Some((40, 5)))));
        assert_eq!(images.len(), 1, "a change beside it does not matter");
        keep_true(&mut images, &step(png(64, 48, Some((29, 19)))));
        assert!(images.is_empty());
        let mut images = old(65, 20);
        keep_true(&mut images, &step(png(64, 48, None)));
        assert!(images.is_empty(), "what is not there now cannot be checked");
    }
}
