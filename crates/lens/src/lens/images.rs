//! The pixels of an observation: the screenshot, or crops of what text cannot tell.
//!
//! In: a page, its screenshot and crops. Out: [`Picture`]s. Invariant: an image says which part of the page it shows; a
//! region without pixels stays a mark in the text.

use crate::extract::{ExtractOptions, Region, Representation, extract};
use crate::format::ImageNote;
use browserlens_page::{BoxInDocument, NodeKey, Page};
use browserlens_strategy::{CaptureImage, ImageSpace, ObservedImage, StepInput, StrategyError};
use browserlens_tokens::{ImageFormula, ImageSize};
use image::{ImageFormat, RgbaImage, imageops};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::sync::Arc;

/// How far a crop may differ from its region, in CSS px.
const SLACK: f32 = 2.0;

/// One image and the region it shows.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub key: NodeKey,
    pub role: &'static str,
    pub name: String,
    pub bounds: BoxInDocument,
    /// Whether the whole region is in the image.
    pub whole: bool,
    pub hash: u64,
    pub image: ObservedImage,
}

impl Picture {
    /// Returns the line that says what the image shows.
    pub fn note(&self, number: u32) -> ImageNote {
        let round = |x: f32| if x.is_finite() { x.round() as i64 } else { 0 };
        let bounds = [self.bounds.x, self.bounds.y, self.bounds.width, self.bounds.height].map(round);
        let within = |x: i64| x.clamp(-1_000_000_000, 1_000_000_000);
        ImageNote { number, role: self.role.to_owned(), name: self.name.clone(), bounds: bounds.map(within) }
    }
}

/// Returns how many pictures show their whole region.
pub(super) fn whole(pictures: &[Picture]) -> usize {
    pictures.iter().filter(|picture| picture.whole).count()
}

/// Returns the images of a representation.
pub(super) fn pictures(
    page: &Page,
    representation: Representation,
    input: &StepInput<'_>,
    formula: ImageFormula,
) -> Result<Vec<Picture>, StrategyError> {
    match representation {
        Representation::A11y | Representation::Dom => Ok(Vec::new()),
        Representation::Vision => {
            let missing = |what: &str| StrategyError::Missing {
                step: input.step,
                what: what.to_owned(),
                strategy: "lens/vision".to_owned(),
            };
            let screenshot = input.screenshot.ok_or_else(|| missing("screenshot"))?;
            let size = size_of(&screenshot.png).ok_or_else(|| missing("readable screenshot"))?;
            let viewport = page.viewport();
            let bounds = BoxInDocument {
                x: page.scroll().x,
                y: page.scroll().y,
                width: viewport.width as f32,
                height: viewport.height as f32,
            };
            let image = seen(&screenshot.png, size, screenshot.space, formula);
            Ok(vec![Picture {
                key: page.root().key(),
                role: "page",
                name: String::new(),
                bounds,
                whole: true,
                hash: hash(&image.png),
                image,
            }])
        }
        Representation::Hybrid => {
            let regions = extract(page, &HashSet::new(), &ExtractOptions::default()).regions;
            Ok(crops(page, &regions, input.screenshot, input.crops, formula))
        }
    }
}

/// Returns the crop of each region that there are pixels of.
pub(super) fn crops(
    page: &Page,
    regions: &[Region],
    screenshot: Option<&CaptureImage>,
    crops: &[CaptureImage],
    formula: ImageFormula,
) -> Vec<Picture> {
    let mut decoded: Option<RgbaImage> = None;
    let mut pictures = Vec::new();
    for region in regions {
        let ready = crops.iter().find(|crop| match crop.space {
            ImageSpace::Document(bounds) => {
                bounds.contains_box(region.bounds, SLACK) && region.bounds.contains_box(bounds, SLACK)
            }
            ImageSpace::Viewport(_) => false,
        });
        let image = match ready {
            Some(crop) => size_of(&crop.png).map(|size| (seen(&crop.png, size, crop.space, formula), true)),
            None => screenshot.and_then(|shot| cut_out(page, region, shot, &mut decoded, formula)),
        };
        if let Some((image, whole)) = image {
            let (role, name) = (region.role, region.name.clone());
            pictures.push(Picture {
                key: region.key,
                role,
                name,
                bounds: region.bounds,
                whole,
                hash: hash(&image.png),
                image,
            });
        }
    }
    pictures
}

/// Cuts a region out of the screenshot, as far as it is in the viewport.
fn cut_out(
    page: &Page,
    region: &Region,
    shot: &CaptureImage,
    decoded: &mut Option<RgbaImage>,
    formula: ImageFormula,
) -> Option<(ObservedImage, bool)> {
    let ImageSpace::Viewport(shown) = shot.space else { return None };
    let scroll = page.scroll();
    let seen_part =
        BoxInDocument { x: shown.x + scroll.x, y: shown.y + scroll.y, width: shown.width, height: shown.height };
    let part = region.bounds.intersection(seen_part);
    if part.width < 1.0 || part.height < 1.0 || shown.width <= 0.0 {
        return None;
    }
    if decoded.is_none() {
        *decoded = image::load_from_memory_with_format(&shot.png, ImageFormat::Png).ok().map(|image| image.to_rgba8());
    }
    let pixels = decoded.as_ref()?;
    let scale = pixels.width() as f32 / shown.width;
    let at = |from: f32, limit: u32| ((from * scale).round().max(0.0) as u32).min(limit);
    let (left, top) = (at(part.x - seen_part.x, pixels.width()), at(part.y - seen_part.y, pixels.height()));
    let (right, bottom) =
        (at(part.right() - seen_part.x, pixels.width()), at(part.bottom() - seen_part.y, pixels.height()));
    if right <= left || bottom <= top {
        return None;
    }
    let cut = imageops::crop_imm(pixels, left, top, right - left, bottom - top).to_image();
    let png = encode(&cut)?;
    let size = ImageSize { width: cut.width(), height: cut.height() };
    let whole = seen_part.contains_box(region.bounds, SLACK);
    Some((seen(&png, size, ImageSpace::Document(part), formula), whole))
}

/// Returns an image at the size at which the model sees it: larger costs no more tokens, and shows no more.
fn seen(png: &Arc<[u8]>, size: ImageSize, space: ImageSpace, formula: ImageFormula) -> ObservedImage {
    let wanted = formula.seen_size(size);
    if wanted != size
        && let Ok(image) = image::load_from_memory_with_format(png, ImageFormat::Png)
    {
        let small = imageops::resize(&image.to_rgba8(), wanted.width, wanted.height, imageops::FilterType::Triangle);
        if let Some(png) = encode(&small) {
            return ObservedImage { png, width: wanted.width, height: wanted.height, space };
        }
    }
    ObservedImage { png: Arc::clone(png), width: size.width, height: size.height, space }
}

fn encode(image: &RgbaImage) -> Option<Arc<[u8]>> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).ok()?;
    Some(bytes.into())
}

fn size_of(png: &[u8]) -> Option<ImageSize> {
    let reader = image::ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    reader.into_dimensions().ok().map(|(width, height)| ImageSize { width, height })
}

fn hash(png: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    png.hash(&mut hasher);
    hasher.finish()
}
