//! Small copies of screenshots, as the page embeds them.
//!
//! In: PNG bytes. Out: JPEG bytes of a fixed width at most, written anew from the pixels: nothing
//! of the file that was read comes along. Why JPEG: the screenshots of the bundled suite take 21 MB
//! as PNG, and the page has room for a third of that.

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

/// Bits of a weight behind the point.
const BITS: u32 = 14;

/// Which pixels make one of a shorter row, and how much of each; the weights sum up to 1 <<
/// [`BITS`].
struct Taps {
    first: usize,
    weights: Vec<i32>,
}

/// Weights of a triangle as wide as two of the new pixels, as `image` takes for its filter of that
/// name; in integers it takes an eighth of the time.
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let step = f64::from(from) / f64::from(to);
    let tap = |at: u32| {
        let centre = (f64::from(at) + 0.5) * step - 0.5;
        let first = (centre - step).ceil().max(0.0) as usize;
        let last = ((centre + step).floor() as usize).min(from as usize - 1);
        let weight = |at: usize| (1.0 - (at as f64 - centre).abs() / step).max(0.0);
        let sum: f64 = (first..=last).map(weight).sum();
        let mut weights: Vec<i32> =
            (first..=last).map(|at| (weight(at) / sum * f64::from(1 << BITS)).round() as i32).collect();
        // What rounding took or gave falls on the middle, where nobody sees it.
        let middle = weights.len() / 2;
        let rest = (1 << BITS) - weights.iter().sum::<i32>();
        if let Some(weight) = weights.get_mut(middle) {
            *weight += rest;
        }
        Taps { first, weights }
    };
    (0..to).map(tap).collect()
}

/// Makes a picture smaller; none if its pixels do not fit its size.
fn shrunk(pixels: &RgbImage, width: u32, height: u32) -> Option<RgbImage> {
    let (columns, rows) = (taps(pixels.width(), width), taps(pixels.height(), height));
    let row_length = width as usize * 3;
    let half = 1 << (BITS - 1);
    // Across first: each row becomes narrow; then rows are put together, whole rows at a time.
    let mut narrow: Vec<u8> = Vec::with_capacity(row_length * pixels.height() as usize);
    for row in pixels.as_raw().chunks_exact(pixels.width() as usize * 3) {
        for Taps { first, weights } in &columns {
            let mut sums = [half; 3];
            for (pixel, weight) in row[first * 3..].chunks_exact(3).zip(weights) {
                for (sum, part) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(*part) * weight;
                }
            }
            narrow.extend(sums.map(|sum| (sum >> BITS) as u8));
        }
    }
    let mut out: Vec<u8> = Vec::with_capacity(row_length * height as usize);
    let mut sums = vec![0_i32; row_length];
    for Taps { first, weights } in &rows {
        sums.fill(half);
        for (row, weight) in narrow[first * row_length..].chunks_exact(row_length).zip(weights) {
            for (sum, part) in sums.iter_mut().zip(row) {
                *sum += i32::from(*part) * weight;
            }
        }
        out.extend(sums.iter().map(|sum| (sum >> BITS) as u8));
    }
    RgbImage::from_raw(width, height, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    #[test]
    fn a_smaller_picture_is_that_of_the_slow_filter_but_for_rounding() {
        let large = image::load_from_memory(&made_up::png(1_283, 411)).unwrap().to_rgb8();
        for (width, height) in [(720, 230), (400, 128), (1_282, 410), (1, 1)] {
            let slow = image::imageops::resize(&large, width, height, image::imageops::FilterType::Triangle);
            let fast = shrunk(&large, width, height).unwrap();
            let worst = slow.as_raw().iter().zip(fast.as_raw()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(worst <= Some(2), "{width} × {height}: {worst:?}");
        }
        let white = RgbImage::from_pixel(1_280, 800, image::Rgb([255, 0, 128]));
        assert!(shrunk(&white, 720, 450).unwrap().pixels().all(|pixel| pixel.0 == [255, 0, 128]));
    }

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
