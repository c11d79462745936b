//! The pixels of an observation: the screenshot, or crops of what text cannot tell.
//!
//! In: a page, its screenshot and crops. Out: [`Picture`]s. Invariant: an image says which part of
//! the page it shows; a region without pixels stays a mark in the text.
//!
//! A crop is sent at the size that costs the fewest tokens of those at which its text is still
//! legible: of all widths from the crop's own down to [`MIN_SCALE`] image pixels per CSS px (height
//! in proportion), the one with the fewest tokens, and of equals the largest.

use super::pixels::{self, Part, piece, size_of};
use super::shared::{self, Known};
use crate::extract::{ExtractOptions, Region, Representation};
use crate::format::ImageNote;
use browserlens_core::page::{BoxInDocument, NodeKey, Page};
use browserlens_core::strategy::{CaptureImage, ImageSpace, ObservedImage, StepInput, StrategyError};
use browserlens_core::tokens::{ImageFormula, ImageSize};
use std::collections::HashSet;
use std::sync::Arc;

/// How far a crop may differ from its region, in CSS px.
const SLACK: f32 = 2.0;

/// Least image pixels per CSS px of a crop. Text is drawn into a canvas at 10 px where a page asks
/// for nothing else, and counts as legible from 8 pixels on.
const MIN_SCALE: f32 = 0.8;

/// How much of what lies beside a change, and above and below it, is shown with it, in CSS px: a
/// changed digit is read with its number.
const CONTEXT: (f32, f32) = (48.0, 16.0);

/// What the line about an image costs, about.
const NOTE_TOKENS: u32 = 20;

/// One image and the region it shows.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub key: NodeKey,
    pub role: &'static str,
    pub name: String,
    /// By how many nodes the region is drawn.
    pub nodes: usize,
    /// Whether the whole region is in the image.
    pub whole: bool,
    /// Whether only what changed of it is.
    pub changed: bool,
    pub image: ObservedImage,
    pub pixels: Pixels,
}

/// Where the pixels of an image come from, and what of the page they show.
#[derive(Clone, Debug)]
pub(super) struct Pixels {
    png: Arc<[u8]>,
    part: Part,
    bounds: BoxInDocument,
}

impl Picture {
    /// Returns the line that says what the image shows.
    fn note(&self, number: u32) -> ImageNote {
        let round = |x: f32| if x.is_finite() { x.round() as i64 } else { 0 };
        let BoxInDocument { x, y, width, height } = self.pixels.bounds;
        let bounds = [x, y, width, height].map(round).map(|x| x.clamp(-1_000_000_000, 1_000_000_000));
        ImageNote { number, changed: self.changed, role: self.role.to_owned(), name: self.name.clone(), bounds }
    }

    /// Returns the images of what changed since `before` was sent: none where nothing did, this one
    /// where the parts would not cost less.
    pub fn changed(&self, before: Option<&Pixels>, known: Known<'_>, formula: ImageFormula) -> Vec<Self> {
        let whole = || vec![self.clone()];
        let now = &self.pixels;
        let Some(before) = before else { return whole() };
        if before.part == now.part && before.bounds == now.bounds && before.png == now.png {
            return Vec::new();
        }
        // What moved, or shows another part of its region, is another picture: what was said of the
        // first one's place is no more true.
        let same_place = before.part.size == now.part.size && before.bounds == now.bounds;
        let changed = same_place.then(|| pixels::changed(known, (&before.png, before.part), (&now.png, now.part)));
        let Some(changed) = changed.flatten() else { return whole() };
        if changed.is_empty() {
            return Vec::new();
        }
        let scale = (now.part.size.width as f32 / now.bounds.width, now.part.size.height as f32 / now.bounds.height);
        let cut = |part: Part| {
            let bounds = BoxInDocument {
                x: now.bounds.x + part.left as f32 / scale.0,
                y: now.bounds.y + part.top as f32 / scale.1,
                width: part.size.width as f32 / scale.0,
                height: part.size.height as f32 / scale.1,
            };
            let part = Part { left: now.part.left + part.left, top: now.part.top + part.top, ..part };
            let pixels = Pixels { png: Arc::clone(&now.png), part, bounds };
            let image = cheapest_piece(known, &pixels, formula)?;
            Some(Self { changed: true, image, pixels, ..self.clone() })
        };
        let context = (CONTEXT.0 * scale.0, CONTEXT.1 * scale.1);
        let cost = |part: Part| {
            let css = BoxInDocument { width: part.size.width as f32 / scale.0, ..now.bounds };
            formula.tokens(cheapest(part.size, css, formula)).0 + NOTE_TOKENS
        };
        let parts = pixels::joined(changed, context, now.part.size, cost);
        let Some(parts) = parts.into_iter().map(cut).collect::<Option<Vec<_>>>() else { return whole() };
        let with_notes = |pictures: &[Self]| tokens(pictures, formula) + NOTE_TOKENS * pictures.len() as u32;
        if with_notes(&parts) < with_notes(std::slice::from_ref(self)) { parts } else { whole() }
    }
}

/// Says which region each image shows.
pub(super) fn notes(pictures: &[Picture]) -> Vec<ImageNote> {
    pictures.iter().zip(1..).map(|(picture, number)| picture.note(number)).collect()
}

/// Returns what pictures cost.
pub(super) fn tokens(pictures: &[Picture], formula: ImageFormula) -> u32 {
    let size = |picture: &Picture| ImageSize { width: picture.image.width, height: picture.image.height };
    pictures.iter().map(|picture| formula.tokens(size(picture)).0).sum()
}

/// Returns how many nodes are shown by pictures of their whole region.
pub(super) fn whole(pictures: &[Picture]) -> usize {
    pictures.iter().filter(|picture| picture.whole).map(|picture| picture.nodes).sum()
}

/// Returns the images of a representation.
pub(super) fn pictures(
    page: &Page,
    representation: Representation,
    input: &StepInput<'_>,
    formula: ImageFormula,
) -> Result<Vec<Picture>, StrategyError> {
    let known: Known<'_> = (input.shared, input.clock);
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
            // Seen as the model sees it: larger costs no more tokens, and shows no more.
            let sizes = [formula.seen_size(size), size].into_iter();
            let mut seen =
                sizes.filter_map(|seen| sized(known, &screenshot.png, Part::all(size), seen, screenshot.space));
            let image = seen.next().ok_or_else(|| missing("readable screenshot"))?;
            let pixels = Pixels { png: Arc::clone(&screenshot.png), part: Part::all(size), bounds: page.view() };
            let (key, role, name) = (page.root().key(), "page", String::new());
            Ok(vec![Picture { key, role, name, nodes: 1, whole: true, changed: false, image, pixels }])
        }
        Representation::Hybrid => {
            let view = shared::view(known, page, &HashSet::new(), ExtractOptions::default());
            Ok(crops(known, page, &view.regions, (input.screenshot, input.crops), formula))
        }
    }
}

/// Returns the crop of each region that there are pixels of.
pub(super) fn crops(
    known: Known<'_>,
    page: &Page,
    regions: &[Region],
    (screenshot, crops): (Option<&CaptureImage>, &[CaptureImage]),
    formula: ImageFormula,
) -> Vec<Picture> {
    let picture = |region: &Region| {
        let ready = crops.iter().find_map(|crop| match crop.space {
            ImageSpace::Document(bounds) => {
                let fits = bounds.contains_box(region.bounds, SLACK) && region.bounds.contains_box(bounds, SLACK);
                fits.then_some((&crop.png, bounds))
            }
            ImageSpace::Viewport(_) => None,
        });
        let (pixels, whole) = match ready {
            Some((png, bounds)) => (Pixels { png: Arc::clone(png), part: Part::all(size_of(png)?), bounds }, true),
            None => cut_out(page, region, screenshot?)?,
        };
        let image = cheapest_piece(known, &pixels, formula)?;
        let Region { key, role, nodes, .. } = *region;
        Some(Picture { key, role, name: region.name.clone(), nodes, whole, changed: false, image, pixels })
    };
    regions.iter().filter_map(picture).collect()
}

/// Returns the part of the screenshot that shows a region, as far as it is in the viewport, and
/// whether that is all of it.
fn cut_out(page: &Page, region: &Region, shot: &CaptureImage) -> Option<(Pixels, bool)> {
    let ImageSpace::Viewport(_) = shot.space else { return None };
    let seen_part = shot.space.in_document(page);
    let bounds = region.bounds.intersection(seen_part);
    if bounds.width < 1.0 || bounds.height < 1.0 || seen_part.width <= 0.0 {
        return None;
    }
    let pixels = size_of(&shot.png)?;
    let scale = pixels.width as f32 / seen_part.width;
    let at = |from: f32, limit: u32| ((from * scale).round().max(0.0) as u32).min(limit);
    let (left, top) = (at(bounds.x - seen_part.x, pixels.width), at(bounds.y - seen_part.y, pixels.height));
    let (right, bottom) =
        (at(bounds.right() - seen_part.x, pixels.width), at(bounds.bottom() - seen_part.y, pixels.height));
    if right <= left || bottom <= top {
        return None;
    }
    let part = Part { left, top, size: ImageSize { width: right - left, height: bottom - top } };
    let whole = seen_part.contains_box(region.bounds, SLACK);
    Some((Pixels { png: Arc::clone(&shot.png), part, bounds }, whole))
}

/// Returns a part of an image at its cheapest legible size.
fn cheapest_piece(known: Known<'_>, pixels: &Pixels, formula: ImageFormula) -> Option<ObservedImage> {
    let Pixels { png, part, bounds } = pixels;
    sized(known, png, *part, cheapest(part.size, *bounds, formula), ImageSpace::Document(*bounds))
}

/// Returns a part of an image at a size; none if it cannot be made.
fn sized(known: Known<'_>, png: &Arc<[u8]>, part: Part, size: ImageSize, space: ImageSpace) -> Option<ObservedImage> {
    let whole = part.left == 0 && part.top == 0 && size_of(png) == Some(size);
    let png = if whole { Arc::clone(png) } else { piece(known, png, part, size)? };
    Some(ObservedImage { png, width: size.width, height: size.height, space })
}

/// Returns the size with the fewest tokens at which what an image of `size` shows of `bounds` is
/// legible; never a larger one.
fn cheapest(size: ImageSize, bounds: BoxInDocument, formula: ImageFormula) -> ImageSize {
    let seen = formula.seen_size(size);
    let least = ((bounds.width * MIN_SCALE).ceil().max(1.0) as u32).min(seen.width);
    let scaled = |width: u32| {
        let height = (u64::from(width) * u64::from(size.height) + u64::from(size.width) / 2) / u64::from(size.width);
        ImageSize { width, height: u32::try_from(height).unwrap_or(u32::MAX).max(1) }
    };
    // The first of equals is kept: the largest.
    let sizes = std::iter::once(seen).chain((least..seen.width).rev().map(scaled));
    sizes.min_by_key(|size| formula.tokens(*size)).unwrap_or(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheapest_of(width: u32, height: u32, css: (f32, f32), formula: ImageFormula) -> (u32, u32, u32) {
        let bounds = BoxInDocument { x: 0.0, y: 0.0, width: css.0, height: css.1 };
        let size = cheapest(ImageSize { width, height }, bounds, formula);
        (size.width, size.height, formula.tokens(size).0)
    }

    #[test]
    fn a_crop_takes_the_fewest_tokens_at_which_its_text_is_legible() {
        // 200×100 costs 8 × 4 patches; 0.84 of it fills 6 × 3, and at 0.8 it would cost the same.
        assert_eq!(cheapest_of(200, 100, (200.0, 100.0), ImageFormula::Claude28), (168, 84, 18));
        // Twice as many pixels as CSS px show no more than the text needs.
        assert_eq!(cheapest_of(400, 200, (200.0, 100.0), ImageFormula::Claude28), (168, 84, 18));
        // One tile stays one tile: nothing to gain, nothing lost.
        assert_eq!(cheapest_of(300, 200, (300.0, 200.0), ImageFormula::OpenAiTile4o), (300, 200, 255));
        assert_eq!(cheapest_of(600, 300, (600.0, 300.0), ImageFormula::OpenAiTile4o), (512, 256, 255));
        assert_eq!(cheapest_of(300, 200, (300.0, 200.0), ImageFormula::GeminiFlat), (300, 200, 1_101));
        assert_eq!(cheapest_of(1, 1, (1.0, 1.0), ImageFormula::Claude28), (1, 1, 1));
    }

    #[test]
    fn no_crop_is_enlarged_nor_made_smaller_than_is_legible_where_that_costs_nothing_more() {
        for formula in ImageFormula::ALL {
            for width in (1..900).step_by(37) {
                for height in (1..900).step_by(53) {
                    let size = ImageSize { width, height };
                    let bounds = BoxInDocument { x: 0.0, y: 0.0, width: width as f32, height: height as f32 };
                    let chosen = cheapest(size, bounds, formula);
                    assert!(formula.tokens(chosen) <= formula.tokens(size), "{size:?} {formula:?}");
                    assert!(chosen.width <= width && chosen.height <= height, "{size:?} becomes {chosen:?}");
                    let seen = formula.seen_size(size);
                    assert!(chosen.width as f32 >= (width as f32 * MIN_SCALE).min(seen.width as f32), "{size:?}");
                }
            }
        }
    }
}
