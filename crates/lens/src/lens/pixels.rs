//! Decoded images, and the pieces made of them.
//!
//! In: PNG bytes as captures hold them. Out: pixels, and PNGs of parts of them at another size.
//! Invariants: what comes out depends on nothing but what went in; at a step an image is decoded
//! once, and a piece encoded once, for all strategies that look.

use super::shared::Known;
use browserlens_core::tokens::ImageSize;
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType as Kernel, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageBuffer, ImageFormat, Pixel, PixelWithColorType, RgbImage, RgbaImage, imageops};
use std::io::Cursor;
use std::sync::Arc;

/// Pixels are compared in cells of this many by as many.
const CELL: u32 = 8;

/// Most images that a change of one is told in.
const MOST_PARTS: usize = 4;

/// Most parts among which those are looked for that cost less together; more are one.
const MOST_TRIED: usize = 24;

/// A part of an image in its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub left: u32,
    pub top: u32,
    pub size: ImageSize,
}

impl Part {
    /// Returns all of an image.
    pub(super) fn all(size: ImageSize) -> Self {
        Self { left: 0, top: 0, size }
    }

    fn is_in(self, pixels: &RgbaImage) -> bool {
        self.right() <= pixels.width() && self.bottom() <= pixels.height()
    }

    fn right(self) -> u32 {
        self.left.saturating_add(self.size.width)
    }

    fn bottom(self) -> u32 {
        self.top.saturating_add(self.size.height)
    }

    fn meets(self, other: Self) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }

    /// Returns the smallest part that holds both.
    fn with(self, other: Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { left, top, size: ImageSize { width: right - left, height: bottom - top } }
    }

    /// Returns this part with what lies around it, as far as there is something.
    fn grown(self, (x, y): (u32, u32), within: ImageSize) -> Self {
        let (left, top) = (self.left.saturating_sub(x), self.top.saturating_sub(y));
        let (right, bottom) =
            (self.right().saturating_add(x).min(within.width), self.bottom().saturating_add(y).min(within.height));
        Self { left, top, size: ImageSize { width: right.saturating_sub(left), height: bottom.saturating_sub(top) } }
    }
}

struct PixelsOf(Arc<[u8]>);

impl PartialEq for PixelsOf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(PartialEq)]
struct PieceOf {
    png: PixelsOf,
    part: Part,
    size: ImageSize,
}

fn decoded((shared, clock): Known<'_>, png: &Arc<[u8]>) -> Arc<Option<RgbaImage>> {
    shared.get_or_make(clock, PixelsOf(Arc::clone(png)), || rgba(png))
}

/// Returns a part of a PNG at a size, as a PNG; none if it cannot be read or the part is not in it.
pub(super) fn piece((shared, clock): Known<'_>, png: &Arc<[u8]>, part: Part, size: ImageSize) -> Option<Arc<[u8]>> {
    let pixels = decoded((shared, clock), png);
    let of = PieceOf { png: PixelsOf(Arc::clone(png)), part, size };
    let piece = shared.get_or_make(clock, of, || {
        let pixels = Option::as_ref(&pixels)?;
        let ImageSize { width, height } = part.size;
        if !part.is_in(pixels) || width == 0 || height == 0 {
            return None;
        }
        let cut = imageops::crop_imm(pixels, part.left, part.top, width, height).to_image();
        if size == part.size { encode(&cut) } else { encode(&shrunk(cut, size)?) }
    });
    Option::clone(&piece)
}

/// Returns where a part of one PNG differs from a part of another of the same size: boxes in the
/// part, one for each cell of pixels that changed; none if either cannot be read.
pub(super) fn changed(
    known: Known<'_>,
    (before, from): (&Arc<[u8]>, Part),
    (now, to): (&Arc<[u8]>, Part),
) -> Option<Vec<Part>> {
    let (before, now) = (decoded(known, before), decoded(known, now));
    let (before, now) = (Option::as_ref(&before)?, Option::as_ref(&now)?);
    if !from.is_in(before) || !to.is_in(now) {
        return None;
    }
    let ImageSize { width, height } = to.size;
    let row = |pixels: &RgbaImage, part: Part, left: u32, y: u32, count: u32| {
        let at = ((part.top + y) as usize * pixels.width() as usize + (part.left + left) as usize) * 4;
        at..at + count as usize * 4
    };
    let mut cells = Vec::new();
    for top in (0..height).step_by(CELL as usize) {
        for left in (0..width).step_by(CELL as usize) {
            let size = ImageSize { width: CELL.min(width - left), height: CELL.min(height - top) };
            let differs = (top..top + size.height).any(|y| {
                let (was, is) = (row(before, from, left, y, size.width), row(now, to, left, y, size.width));
                before.as_raw()[was] != now.as_raw()[is]
            });
            if differs {
                cells.push(Part { left, top, size });
            }
        }
    }
    Some(cells)
}

/// Joins boxes until each stands alone with so much around it, then those that cost no more
/// together: few, and none beyond `within`.
pub(super) fn joined(
    cells: Vec<Part>,
    context: (f32, f32),
    within: ImageSize,
    cost: impl Fn(Part) -> u32,
) -> Vec<Part> {
    let context = (context.0.ceil() as u32, context.1.ceil() as u32);
    let mut parts: Vec<Part> = Vec::new();
    let join = |parts: &mut Vec<Part>, mut part: Part| {
        while let Some(at) = parts.iter().position(|other| other.meets(part)) {
            part = parts.swap_remove(at).with(part);
        }
        parts.push(part);
    };
    for cell in cells {
        join(&mut parts, cell.grown(context, within));
        if parts.len() > MOST_TRIED {
            // What changed nearly everywhere is looked at no closer.
            return vec![Part::all(within)];
        }
    }
    loop {
        let pairs = (0..parts.len()).flat_map(|one| (one + 1..parts.len()).map(move |other| (one, other)));
        let saves = |(one, other): (usize, usize)| {
            let apart = cost(parts[one]) + cost(parts[other]);
            (i64::from(apart) - i64::from(cost(parts[one].with(parts[other]))), one, other)
        };
        let Some((saved, one, other)) = pairs.map(saves).max() else { break };
        if saved < 0 && parts.len() <= MOST_PARTS {
            break;
        }
        let other = parts.swap_remove(other);
        let one = parts.swap_remove(one);
        join(&mut parts, one.with(other));
    }
    parts.sort_by_key(|part| (part.top, part.left));
    parts
}

/// Returns the pixels of a PNG; none if it cannot be read.
pub fn rgba(png: &[u8]) -> Option<RgbaImage> {
    match image::load_from_memory_with_format(png, ImageFormat::Png).ok()? {
        // What browsers paint has no alpha. The library's own conversion looks at colour spaces,
        // pixel by pixel.
        DynamicImage::ImageRgb8(image) => {
            let (width, height) = image.dimensions();
            let mut pixels = vec![u8::MAX; width as usize * height as usize * 4];
            for (to, from) in pixels.chunks_exact_mut(4).zip(image.as_raw().chunks_exact(3)) {
                to[..3].copy_from_slice(from);
            }
            RgbaImage::from_raw(width, height, pixels)
        }
        other => Some(other.into_rgba8()),
    }
}

/// Returns pixels at another size, as an image is sent; none if either has no area.
pub fn shrunk(image: RgbaImage, size: ImageSize) -> Option<RgbaImage> {
    let (width, height) = image.dimensions();
    // The kind of pixel is named: left open, all thirteen are compiled, half of this crate's build.
    let from = TypedImageRef::<U8x4>::from_buffer(width, height, image.as_raw()).ok()?;
    let mut pixels = vec![0; size.width as usize * size.height as usize * 4];
    let mut to = TypedImage::<U8x4>::from_buffer(size.width, size.height, &mut pixels).ok()?;
    // What is not opaque in a picture of a page is an image's own business: channels are averaged
    // as they are.
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(Kernel::Bilinear)).use_alpha(false);
    Resizer::new().resize_typed(&from, &mut to, &options).ok()?;
    RgbaImage::from_raw(size.width, size.height, pixels)
}

/// Returns the pixels of a PNG without their alpha; none if it cannot be read.
pub(super) fn opaque(png: &[u8]) -> Option<RgbImage> {
    Some(image::load_from_memory_with_format(png, ImageFormat::Png).ok()?.into_rgb8())
}

/// Returns the PNG of pixels.
pub(super) fn encode<P>(image: &ImageBuffer<P, Vec<u8>>) -> Option<Arc<[u8]>>
where
    P: Pixel<Subpixel = u8> + PixelWithColorType,
{
    let mut bytes = Vec::new();
    // Most of a page is plain: one filter does as well as a choice of five, and takes half the
    // time.
    image.write_with_encoder(PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up)).ok()?;
    Some(bytes.into())
}

/// Returns the size of a PNG without decoding it; none if it is no PNG.
pub(super) fn size_of(png: &[u8]) -> Option<ImageSize> {
    let reader = image::ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    reader.into_dimensions().ok().map(|(width, height)| ImageSize { width, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::strategy::{NoClock, StageClock, StepCache};
    use image::Rgba;

    fn png(shade: u8) -> Arc<[u8]> {
        let image = RgbaImage::from_fn(40, 30, |x, y| Rgba([x as u8, y as u8, shade, 255]));
        encode(&image).expect("encodes")
    }

    fn piece_of(png: &Arc<[u8]>, part: Part, size: ImageSize) -> Option<Arc<[u8]>> {
        piece((&StepCache::default(), &NoClock), png, part, size)
    }

    #[test]
    fn pixels_without_alpha_are_opaque() {
        let image = image::RgbImage::from_fn(7, 5, |x, y| image::Rgb([x as u8, y as u8, 200]));
        let mut bytes = Vec::new();
        image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).expect("encodes");
        let pixels = rgba(&bytes).expect("a PNG");
        assert_eq!(pixels, DynamicImage::ImageRgb8(image).to_rgba8());
        assert!(rgba(b"no PNG").is_none());
    }

    #[test]
    fn what_changed_is_found_and_told_in_few_parts_that_hold_all_of_it() {
        let before = RgbaImage::from_pixel(400, 300, Rgba([255; 4]));
        let mut now = before.clone();
        for (x, y) in [(20, 20), (26, 22), (390, 290)] {
            now.put_pixel(x, y, Rgba([0, 0, 0, 255]));
        }
        let [before, now] = [before, now].map(|image| encode(&image).expect("encodes"));
        let all = Part { left: 0, top: 0, size: ImageSize { width: 400, height: 300 } };
        let known = (&StepCache::default(), &NoClock as &dyn StageClock);
        assert_eq!(changed(known, (&before, all), (&before, all)), Some(Vec::new()));
        let cells = changed(known, (&before, all), (&now, all)).expect("both can be read");
        assert_eq!(
            cells.iter().map(|cell| (cell.left, cell.top)).collect::<Vec<_>>(),
            [(16, 16), (24, 16), (384, 288)]
        );
        let area = |part: Part| part.size.width * part.size.height;
        let parts = joined(cells, (12.0, 12.0), all.size, area);
        let size = |width, height| ImageSize { width, height };
        assert_eq!(
            parts,
            [Part { left: 4, top: 4, size: size(40, 32) }, Part { left: 372, top: 276, size: size(28, 24) }]
        );
        // Where a part of its own has a price of its own, one is enough.
        let apart = vec![Part { left: 0, top: 0, size: size(8, 8) }, Part { left: 100, top: 0, size: size(8, 8) }];
        assert_eq!(joined(apart.clone(), (0.0, 0.0), all.size, |part| 5_000 + area(part)).len(), 1);
        assert_eq!(joined(apart, (0.0, 0.0), all.size, area).len(), 2);
        let many: Vec<Part> = (0..20).map(|n| Part { left: n * 20, top: 0, size: size(8, 8) }).collect();
        let few = joined(many.clone(), (0.0, 0.0), all.size, area);
        assert!(few.len() <= MOST_PARTS, "{few:?}");
        assert!(many.iter().all(|cell| few.iter().any(|part| part.with(*cell) == *part)), "{few:?}");
        // What changed nearly everywhere is all of it, and found at once.
        let dots = (0..40).flat_map(|x| (0..40).map(move |y| Part { left: x * 50, top: y * 50, size: size(8, 8) }));
        let within = size(2_000, 2_000);
        let one = joined(dots.collect(), (4.0, 4.0), within, |_| unreachable!("no part is priced"));
        assert_eq!(one, [Part { left: 0, top: 0, size: within }]);
        assert_eq!(changed(known, (&Arc::from(&b"no PNG"[..]), all), (&now, all)), None);
        assert_eq!(changed(known, (&before, Part { left: 1, ..all }), (&now, all)), None);
    }

    #[test]
    fn a_piece_is_the_part_and_nothing_else() {
        let bytes = png(9);
        let part = Part { left: 3, top: 4, size: ImageSize { width: 10, height: 5 } };
        let cut = rgba(&piece_of(&bytes, part, part.size).expect("inside")).expect("a PNG");
        assert_eq!((cut.dimensions(), cut.get_pixel(9, 4).0), ((10, 5), [12, 8, 9, 255]));
        let small = ImageSize { width: 5, height: 3 };
        assert_eq!(size_of(&piece_of(&bytes, part, small).expect("inside")), Some(small));
        let outside = Part { left: 35, ..part };
        assert_eq!(piece_of(&bytes, outside, outside.size), None);
        assert_eq!(piece_of(&Arc::from(&b"no PNG"[..]), part, part.size), None);
    }
}
