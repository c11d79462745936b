//! Decoded images, and the pieces made of them.
//!
//! In: PNG bytes as captures hold them. Out: pixels, and PNGs of parts of them at another size. Invariants: what comes out depends on
//! nothing but what went in; at a step an image is decoded once, and a piece encoded once, for all strategies that look.

use browserlens_strategy::{StageClock, StepCache};
use browserlens_tokens::ImageSize;
use fast_image_resize::images::Image;
use fast_image_resize::{FilterType as Kernel, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageBuffer, ImageFormat, Pixel, PixelWithColorType, RgbImage, RgbaImage, imageops};
use std::io::Cursor;
use std::sync::Arc;

/// A part of an image in its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub left: u32,
    pub top: u32,
    pub size: ImageSize,
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

/// Returns a part of a PNG at a size, as a PNG; none if it cannot be read or the part is not in it.
pub(super) fn piece(
    (shared, clock): (&StepCache, &dyn StageClock),
    png: &Arc<[u8]>,
    part: Part,
    size: ImageSize,
) -> Option<Arc<[u8]>> {
    let pixels = shared.get_or_make(clock, PixelsOf(Arc::clone(png)), || rgba(png));
    let of = PieceOf { png: PixelsOf(Arc::clone(png)), part, size };
    let piece = shared.get_or_make(clock, of, || {
        let pixels = Option::as_ref(&pixels)?;
        let ImageSize { width, height } = part.size;
        let inside =
            part.left.checked_add(width)? <= pixels.width() && part.top.checked_add(height)? <= pixels.height();
        if !inside || width == 0 || height == 0 {
            return None;
        }
        let cut = imageops::crop_imm(pixels, part.left, part.top, width, height).to_image();
        if size == part.size { encode(&cut) } else { encode(&shrunk(cut, size)?) }
    });
    Option::clone(&piece)
}

/// Returns the pixels of a PNG; none if it cannot be read.
pub fn rgba(png: &[u8]) -> Option<RgbaImage> {
    match image::load_from_memory_with_format(png, ImageFormat::Png).ok()? {
        // What browsers paint has no alpha. The library's own conversion looks at colour spaces, pixel by pixel.
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
    let from = Image::from_vec_u8(width, height, image.into_raw(), PixelType::U8x4).ok()?;
    let mut to = Image::new(size.width, size.height, PixelType::U8x4);
    // What is not opaque in a picture of a page is an image's own business: channels are averaged as they are.
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(Kernel::Bilinear)).use_alpha(false);
    Resizer::new().resize(&from, &mut to, &options).ok()?;
    RgbaImage::from_raw(size.width, size.height, to.into_vec())
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
    // Most of a page is plain: one filter does as well as a choice of five, and takes half the time.
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
    use browserlens_strategy::NoClock;
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
