//! Images of earlier observations that still show what is there.
//!
//! In: images shown since the last full observation, and the images of a later step. Out: those that a delta may leave unsaid, because
//! their pixels are still the page's. Invariant: an image counts as shown only while every pixel of it is right; one that was sent smaller than
//! the page paints it is compared with what the page paints now, made smaller in the same way.
//! Why not trust the strategy: an old screenshot of a page that changed would count as reading what it no longer shows.

use crate::pixels;
use crate::steps::LoadedStep;
use crate::store::content_hash;
use browserlens_lens::{rgba, shrunk};
use browserlens_page::BoxInDocument;
use browserlens_strategy::{CaptureImage, ObservedImage};
use browserlens_tokens::ImageSize;
use image::{RgbaImage, imageops};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// The pixels of one step, decoded once for all strategies, and what was asked of them.
pub(crate) struct Painted<'a> {
    step: &'a LoadedStep,
    regions: OnceCell<Vec<Region>>,
    /// Whether an image, by its content and place, is still there.
    known: RefCell<HashMap<(String, [u32; 4]), bool>>,
}

impl<'a> Painted<'a> {
    /// Looks at nothing yet.
    pub fn of(step: &'a LoadedStep) -> Self {
        Self { step, regions: OnceCell::new(), known: RefCell::default() }
    }

    /// Drops the images that no longer show what is there.
    pub fn keep_true(&self, images: &mut Vec<ObservedImage>) {
        images.retain(|image| self.shows(image));
    }

    fn shows(&self, image: &ObservedImage) -> bool {
        let bounds = pixels::in_document(&self.step.page, image.space);
        let place = [bounds.x, bounds.y, bounds.width, bounds.height].map(f32::to_bits);
        let key = (content_hash(&image.png), place);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let shows = rgba(&image.png).is_some_and(|old| self.regions().iter().any(|region| region.shows(&old, bounds)));
        self.known.borrow_mut().insert(key, shows);
        shows
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
        Some(Self { image: rgba(&image.png)?, bounds: pixels::in_document(&step.page, image.space) })
    }

    /// Returns whether the part at `bounds` is the old image, pixel by pixel.
    fn shows(&self, old: &RgbaImage, bounds: BoxInDocument) -> bool {
        let (width, height) = self.image.dimensions();
        if self.bounds.width <= 0.0 || self.bounds.height <= 0.0 {
            return false;
        }
        let scale = (width as f32 / self.bounds.width, height as f32 / self.bounds.height);
        let at = ((bounds.x - self.bounds.x) * scale.0, (bounds.y - self.bounds.y) * scale.1);
        let (old_width, old_height) = old.dimensions();
        let full = (bounds.width * scale.0, bounds.height * scale.1);
        if (old_width as f32) < full.0 - 1.0 || (old_height as f32) < full.1 - 1.0 {
            return self.shows_smaller(old, at, (at.0 + full.0, at.1 + full.1));
        }
        // A crop of a box between pixels was rounded outwards, or to the nearest: either will do.
        [(at.0.floor(), at.1.floor()), (at.0.round(), at.1.round())].into_iter().any(|(left, top)| {
            left >= 0.0
                && top >= 0.0
                && (left as u32).saturating_add(old_width) <= width
                && (top as u32).saturating_add(old_height) <= height
                && old
                    .enumerate_pixels()
                    .all(|(x, y, pixel)| self.image.get_pixel(left as u32 + x, top as u32 + y) == pixel)
        })
    }

    /// Returns whether the part between two corners is the old image once it is as small.
    fn shows_smaller(&self, old: &RgbaImage, from: (f32, f32), to: (f32, f32)) -> bool {
        let (width, height) = self.image.dimensions();
        let inside = |x: f32, limit: u32| (x.max(0.0) as u32).min(limit);
        let outwards = (from.0.floor(), from.1.floor(), to.0.ceil(), to.1.ceil());
        let nearest = (from.0.round(), from.1.round(), to.0.round(), to.1.round());
        let corners = if outwards == nearest { &[outwards][..] } else { &[outwards, nearest] };
        corners.iter().any(|&(left, top, right, bottom)| {
            if left < 0.0 || top < 0.0 || right > width as f32 || bottom > height as f32 {
                return false;
            }
            let (left, top) = (inside(left, width), inside(top, height));
            let (right, bottom) = (inside(right, width), inside(bottom, height));
            let part = imageops::crop_imm(&self.image, left, top, right - left, bottom - top).to_image();
            let size = ImageSize { width: old.width(), height: old.height() };
            shrunk(part, size).is_some_and(|now| now == *old)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::{BoxInViewport, Capture, PageBuilder};
    use browserlens_strategy::{ImageSpace, StepIndex};
    use browserlens_tokens::Micros;
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

    fn keep_true(images: &mut Vec<ObservedImage>, step: &LoadedStep) {
        Painted::of(step).keep_true(images);
    }

    fn old(width: u32, height: u32) -> Vec<ObservedImage> {
        vec![ObservedImage {
            png: png(width, height, None),
            width,
            height,
            space: viewport(width as f32, height as f32),
        }]
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
            vec![ObservedImage { png: bytes.into_inner().into(), width: 32, height: 24, space }]
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
