//! Small copies of screenshots, as the page embeds them.
//!
//! In: PNG bytes. Out: JPEG bytes of a fixed width at most, written anew from the pixels: nothing
//! of the file that was read comes along. Why JPEG: the screenshots of the bundled suite take 21 MB
//! as PNG, and the page has room for a third of that.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat, ImageReader, Limits, RgbImage};
use std::io::Cursor;

/// What every JPEG begins with.
pub(crate) const JPEG: &[u8] = &[0xff, 0xd8, 0xff];
/// No picture with longer sides is read, in px.
const LONGEST_SIDE: u32 = 20_000;

/// How large a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// At most 720 px wide: text can be read.
    Wide,
    /// At most 400 px wide: where there are too many.
    Narrow,
}

impl Size {
    /// Returns the largest width, in px.
    pub fn width(self) -> u32 {
        match self {
            Self::Wide => 720,
            Self::Narrow => 400,
        }
    }

    fn quality(self) -> u8 {
        match self {
            Self::Wide => 52,
            Self::Narrow => 45,
        }
    }
}

/// Makes the small copy of a PNG; none if it is no PNG that can be read.
pub fn preview(png: &[u8], size: Size) -> Option<Vec<u8>> {
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LONGEST_SIDE), Some(LONGEST_SIDE));
    reader.limits(limits);
    let image = reader.decode().ok()?;
    let mut pixels = flat(&image);
    if pixels.width() > size.width() {
        let height = (u64::from(pixels.height()) * u64::from(size.width()) / u64::from(pixels.width())).max(1);
        pixels = shrunk(&pixels, size.width(), u32::try_from(height).ok()?)?;
    }
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, size.quality())
        .write_image(pixels.as_raw(), pixels.width(), pixels.height(), ExtendedColorType::Rgb8)
        .ok()?;
    Some(bytes)
}

/// Lays transparent pixels on white: JPEG has none.
fn flat(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let pixels = image.to_rgba8();
    let mut flat = RgbImage::new(pixels.width(), pixels.height());
    for (to, from) in flat.pixels_mut().zip(pixels.pixels()) {
        let [r, g, b, a] = from.0;
        let on_white = |part: u8| ((u32::from(part) * u32::from(a) + 255 * (255 - u32::from(a))) / 255) as u8;
        to.0 = if a == 255 { [r, g, b] } else { [r, g, b].map(on_white) };
    }
    flat
}

/// Makes a picture smaller; none if its pixels do not fit its size.
fn shrunk(pixels: &RgbImage, width: u32, height: u32) -> Option<RgbImage> {
    let from = TypedImageRef::<U8x3>::from_buffer(pixels.width(), pixels.height(), pixels.as_raw()).ok()?;
    let mut shrunk = RgbImage::new(width, height);
    let mut to = TypedImage::<U8x3>::from_buffer(width, height, &mut shrunk).ok()?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear));
    Resizer::new().resize_typed(&from, &mut to, &options).ok()?;
    Some(shrunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    #[test]
    fn a_copy_is_narrow_keeps_its_shape_and_is_no_other_file() {
        for (size, width, height) in [(Size::Wide, 720, 450), (Size::Narrow, 400, 250)] {
            let copy = preview(&made_up::png(1_280, 800), size).unwrap();
            assert!(copy.starts_with(JPEG));
            let read = image::load_from_memory(&copy).unwrap();
            assert_eq!((read.width(), read.height()), (width, height));
        }
        let small = image::load_from_memory(&preview(&made_up::png(20, 10), Size::Wide).unwrap()).unwrap();
        assert_eq!((small.width(), small.height()), (20, 10));
        assert_eq!(preview(b"<svg onload=alert(1)>", Size::Wide), None);
    }
}
