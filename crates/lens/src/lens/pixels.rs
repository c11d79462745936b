//! Decoded images, and the pieces made of them.
//!
//! In: PNG bytes as captures hold them. Out: pixels, and PNGs of parts of them at another size. Invariants: what comes out depends on
//! nothing but what went in; an image is decoded once, and a piece encoded once, as long as its bytes are alive on this thread.
//! Why a memory of the thread: several strategies look at the same screenshot one after the other, and decoding it is most
//! of what pixels cost.

use browserlens_tokens::ImageSize;
use fast_image_resize::images::Image;
use fast_image_resize::{FilterType as Kernel, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageBuffer, ImageFormat, Pixel, PixelWithColorType, RgbImage, RgbaImage, imageops};
use std::cell::RefCell;
use std::io::Cursor;
use std::sync::{Arc, Weak};

/// Most images that a thread remembers: the screenshot and the crops of one page.
const REMEMBERED: usize = 4;

/// A part of an image in its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub left: u32,
    pub top: u32,
    pub size: ImageSize,
}

struct Known {
    of: Weak<[u8]>,
    pixels: RgbaImage,
    pieces: Vec<(Part, ImageSize, Arc<[u8]>)>,
}

thread_local! {
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// Returns a part of a PNG at a size, as a PNG; none if it cannot be read or the part is not in it.
pub(super) fn piece(png: &Arc<[u8]>, part: Part, size: ImageSize) -> Option<Arc<[u8]>> {
    with_known(png, |known| {
        if let Some((_, _, made)) = known.pieces.iter().find(|(of, at, _)| *of == part && *at == size) {
            return Some(Arc::clone(made));
        }
        let ImageSize { width, height } = part.size;
        let inside = part.left.checked_add(width)? <= known.pixels.width()
            && part.top.checked_add(height)? <= known.pixels.height();
        if !inside || width == 0 || height == 0 {
            return None;
        }
        let cut = imageops::crop_imm(&known.pixels, part.left, part.top, width, height).to_image();
        let made = if size == part.size { encode(&cut)? } else { encode(&shrunk(cut, size)?)? };
        known.pieces.push((part, size, Arc::clone(&made)));
        Some(made)
    })
    .flatten()
}

fn with_known<T>(png: &Arc<[u8]>, work: impl FnOnce(&mut Known) -> T) -> Option<T> {
    KNOWN.with_borrow_mut(|all| {
        // An address says which bytes they are only while they are alive.
        all.retain(|known| known.of.strong_count() > 0);
        let at = all.iter().position(|known| std::ptr::addr_eq(known.of.as_ptr(), Arc::as_ptr(png)));
        let known = match at {
            Some(at) => all.remove(at),
            None => {
                let pixels = rgba(png)?;
                Known { of: Arc::downgrade(png), pixels, pieces: Vec::new() }
            }
        };
        all.truncate(REMEMBERED - 1);
        all.insert(0, known);
        all.first_mut().map(work)
    })
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
    use image::Rgba;

    fn decoded(png: &Arc<[u8]>) -> Option<RgbaImage> {
        with_known(png, |known| known.pixels.clone())
    }

    fn png(shade: u8) -> Arc<[u8]> {
        let image = RgbaImage::from_fn(40, 30, |x, y| Rgba([x as u8, y as u8, shade, 255]));
        encode(&image).expect("encodes")
    }

    #[test]
    fn a_piece_is_made_once_while_the_bytes_of_its_image_live() {
        let bytes = png(1);
        let part = Part { left: 3, top: 4, size: ImageSize { width: 10, height: 5 } };
        let piece_of = |bytes| piece(bytes, part, part.size).expect("inside");
        assert!(Arc::ptr_eq(&piece_of(&bytes), &piece_of(&bytes)));
    }

    #[test]
    fn other_bytes_are_another_image_whatever_lies_at_their_address() {
        for shade in 0..20 {
            let bytes = png(shade);
            assert_eq!(decoded(&bytes).expect("a PNG").get_pixel(7, 8).0, [7, 8, shade, 255]);
        }
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
        let cut = decoded(&piece(&bytes, part, part.size).expect("inside")).expect("a PNG");
        assert_eq!((cut.dimensions(), cut.get_pixel(9, 4).0), ((10, 5), [12, 8, 9, 255]));
        let small = ImageSize { width: 5, height: 3 };
        assert_eq!(size_of(&piece(&bytes, part, small).expect("inside")), Some(small));
        let outside = Part { left: 35, ..part };
        assert_eq!(piece(&bytes, outside, outside.size), None);
        assert!(decoded(&Arc::from(&b"no PNG"[..])).is_none());
    }
}
