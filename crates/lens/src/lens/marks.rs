//! Marks on a picture: which ref means which node, drawn where it can be read.
//!
//! In: pixels, what part of the page they show, and boxes with their refs. Out: the pixels with a frame and a label
//! for each. Invariants: integer arithmetic on the same inputs gives the same bytes; a label lies
//! in the image, and on another label only where every place around its box is taken; of the free
//! places it takes the one that hides least text. Why glyphs of our own: eleven of them need no font
//! file, and look the same on every machine.

use super::images::Picture;
use super::pixels::{encode, opaque};
use super::{Current, Lens};
use crate::extract::View;
use browserlens_core::page::{BoxInDocument, NodeKind, Page};
use browserlens_core::strategy::{CaptureImage, Ref, RefTarget};
use image::{Rgb, RgbImage};
use std::sync::Arc;

/// Side in CSS px from which the seen part of a node is worth a mark.
const LEAST_SIDE: f32 = 3.0;
/// Width and height of a digit, the gap to the next, and the margin around them, in image pixels.
const DIGIT: (i32, i32) = (6, 10);
const GAP: i32 = 2;
const MARGIN: i32 = 2;

/// Dark enough for white digits (contrast of at least 4.5), and unlike each other.
const INKS: [[u8; 3]; 6] = [[200, 0, 0], [0, 92, 190], [0, 120, 40], [140, 0, 160], [160, 80, 0], [0, 110, 120]];

#[rustfmt::skip]
const DIGITS: [[&[u8; 6]; 10]; 10] = [
    [b".####.", b"######", b"##..##", b"##..##", b"##..##", b"##..##", b"##..##", b"##..##", b"######", b".####."],
    [b"..##..", b".###..", b"####..", b"..##..", b"..##..", b"..##..", b"..##..", b"..##..", b"######", b"######"],
    [b".####.", b"######", b"##..##", b"....##", b"...###", b"..###.", b".###..", b"###...", b"######", b"######"],
    [b".####.", b"######", b"##..##", b"....##", b"..###.", b"..###.", b"....##", b"##..##", b"######", b".####."],
    [b"...##.", b"..###.", b".####.", b"##.##.", b"##.##.", b"######", b"######", b"...##.", b"...##.", b"...##."],
    [b"######", b"######", b"##....", b"#####.", b"######", b"....##", b"....##", b"##..##", b"######", b".####."],
    [b"..###.", b".####.", b"###...", b"##....", b"#####.", b"######", b"##..##", b"##..##", b"######", b".####."],
    [b"######", b"######", b"....##", b"...##.", b"...##.", b"..##..", b"..##..", b".##...", b".##...", b".##..."],
    [b".####.", b"######", b"##..##", b"##..##", b".####.", b".####.", b"##..##", b"##..##", b"######", b".####."],
    [b".####.", b"######", b"##..##", b"##..##", b"######", b".#####", b"....##", b"...###", b".####.", b".###.."],
];
#[rustfmt::skip]
const DOT: [&[u8; 6]; 10] =
    [b"......", b"......", b"......", b"......", b"......", b"......", b"......", b"......", b"..##..", b"..##.."];

/// A rectangle in image pixels; right and bottom are outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rect {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Rect {
    fn overlap(self, other: Self) -> i64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }

    fn is_in(self, width: i32, height: i32) -> bool {
        self.left >= 0 && self.top >= 0 && self.right <= width && self.bottom <= height
    }
}

impl Lens {
    /// Draws the refs of what can be acted on into the screenshot, and returns what they mean.
    pub(super) fn mark(&mut self, page: &Page, view: &View, pictures: &mut [Picture]) -> Vec<RefTarget> {
        let mut numbers = Vec::new();
        let mut targets = Vec::new();
        for id in markable(page, view) {
            let meta = view.meta[id as usize];
            let known = self.refs.get(id).or_else(|| self.refs.wants(id).then(|| Ref::new(self.refs.next())));
            // With marks no row shares its number.
            let Some(reference) = known.filter(|known| known.part == 0) else { continue };
            self.refs.give(id, reference);
            numbers.push((reference, page.node(meta.node).bounds()));
            targets.push(RefTarget { handle: reference.to_string(), key: meta.key });
        }
        for picture in pictures {
            let image = &mut picture.image;
            image.png = draw(page, &image.png, image.space.in_document(page), &numbers)
                .unwrap_or_else(|| Arc::clone(&image.png));
        }
        targets
    }

    /// Draws the refs of what can be acted on and seen into a picture of the page observed last; returns the
    /// PNG and how many refs it shows, or none if the picture cannot be read.
    pub fn annotated(&self, picture: &CaptureImage) -> Option<(Arc<[u8]>, usize)> {
        let Current { page, view, .. } = self.memory.current.as_ref()?;
        let shown = picture.space.in_document(page);
        let marks = markable(page, view).into_iter().filter_map(|id| {
            let bounds = page.node(view.meta[id as usize].node).bounds();
            let seen = bounds.intersection(shown);
            (seen.width > 0.0 && seen.height > 0.0).then(|| Some((self.refs.get(id)?, bounds)))?
        });
        let marks: Vec<_> = marks.collect();
        Some((draw(page, &picture.png, shown, &marks)?, marks.len()))
    }
}

/// Returns the items of a view that can be acted on and seen in the viewport, uncovered; in
/// document order.
fn markable(page: &Page, view: &View) -> Vec<u32> {
    let viewport = page.view();
    let is_large = |seen: BoxInDocument| seen.width >= LEAST_SIDE && seen.height >= LEAST_SIDE;
    let wanted = |id: &u32| {
        let meta = view.meta[*id as usize];
        let node = page.node(meta.node);
        meta.interactive
            && view.tree.item(*id).mark.is_none()
            && node.is_visible()
            && node.in_viewport()
            && node.covered_by().is_none()
            && is_large(node.bounds().intersection(viewport))
    };
    (1..view.tree.len() as u32).filter(wanted).collect()
}

/// Draws a mark for each box; returns no PNG if the one that was given cannot be read or shows nothing.
fn draw(page: &Page, png: &[u8], shown: BoxInDocument, marks: &[(Ref, BoxInDocument)]) -> Option<Arc<[u8]>> {
    let mut canvas = opaque(png)?;
    if shown.width <= 0.0 || shown.height <= 0.0 {
        return None;
    }
    let scale = (canvas.width() as f32 / shown.width, canvas.height() as f32 / shown.height);
    let rect = |bounds: BoxInDocument| {
        let seen = bounds.intersection(shown);
        Rect {
            left: ((seen.x - shown.x) * scale.0).round() as i32,
            top: ((seen.y - shown.y) * scale.1).round() as i32,
            right: ((seen.right() - shown.x) * scale.0).round() as i32,
            bottom: ((seen.bottom() - shown.y) * scale.1).round() as i32,
        }
    };
    let texts: Vec<Rect> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Text && node.in_viewport() && node.is_visible())
        .map(|node| rect(node.bounds()))
        .collect();
    // As it is written, but for what all refs begin with.
    let said = |reference: &Ref| reference.to_string().trim_start_matches("@e").to_owned();
    let boxes: Vec<(String, Rect)> = marks.iter().map(|(mark, bounds)| (said(mark), rect(*bounds))).collect();
    let labels = place(&boxes, &texts, canvas.width() as i32, canvas.height() as i32);
    for (index, (_, bounds)) in boxes.iter().enumerate() {
        frame(&mut canvas, *bounds, ink(index));
    }
    for (index, ((text, _), at)) in boxes.iter().zip(&labels).enumerate() {
        label(&mut canvas, *at, text, ink(index));
    }
    encode(&canvas)
}

fn ink(index: usize) -> Rgb<u8> {
    let [red, green, blue] = INKS[index % INKS.len()];
    Rgb([red, green, blue])
}

fn label_size(text: &str) -> (i32, i32) {
    (text.len() as i32 * (DIGIT.0 + GAP) - GAP + 2 * MARGIN, DIGIT.1 + 2 * MARGIN)
}

/// Finds a place for each label: around its box, then in it, then ever farther below and beside it.
fn place(boxes: &[(String, Rect)], texts: &[Rect], width: i32, height: i32) -> Vec<Rect> {
    let mut placed: Vec<Rect> = Vec::with_capacity(boxes.len());
    for (text, bounds) in boxes {
        let (w, h) = label_size(text);
        let at = |left: i32, top: i32| Rect { left, top, right: left + w, bottom: top + h };
        let middle = (bounds.top + bounds.bottom - h) / 2;
        let mut places = vec![
            at(bounds.left, bounds.top - h),
            at(bounds.right - w, bounds.top - h),
            at(bounds.left - w, middle),
            at(bounds.right, middle),
            at(bounds.left, bounds.bottom),
            at(bounds.right - w, bounds.bottom),
            at(bounds.right - w, bounds.top),
            at(bounds.left, bounds.top),
            at(bounds.right - w, bounds.bottom - h),
            at(bounds.left, bounds.bottom - h),
        ];
        for step in 1..=3 {
            places.extend([
                at(bounds.left, bounds.top - h * (step + 1)),
                at(bounds.right, middle + h * step),
                at(bounds.left, bounds.bottom + h * step),
                at(bounds.left - w * (step + 1), middle),
                at(bounds.right + w * step, middle),
            ]);
        }
        // What does not fit is pushed into the image.
        places.push(at(bounds.left.min(width - w).max(0), bounds.top.min(height - h).max(0)));
        let cost = |place: &Rect| {
            let on_labels: i64 = placed.iter().map(|other| place.overlap(*other)).sum();
            let on_text: i64 = texts.iter().map(|text| place.overlap(*text)).sum();
            (on_labels, on_text)
        };
        // The first of equals is the nearest.
        let usable = places.iter().enumerate();
        let usable = usable.filter(|(index, place)| place.is_in(width, height) || *index + 1 == places.len());
        let best = usable.min_by_key(|(_, place)| cost(place)).map(|(_, place)| *place);
        placed.extend(best);
    }
    placed
}

fn fill(canvas: &mut RgbImage, area: Rect, ink: Rgb<u8>) {
    let (width, height) = (canvas.width() as i32, canvas.height() as i32);
    for y in area.top.max(0)..area.bottom.min(height) {
        for x in area.left.max(0)..area.right.min(width) {
            canvas.put_pixel(x as u32, y as u32, ink);
        }
    }
}

/// Draws a frame in its ink with a white line inside, so that it stands out on any ground.
fn frame(canvas: &mut RgbImage, bounds: Rect, ink: Rgb<u8>) {
    for (inset, ink) in [(0, ink), (1, Rgb([255; 3]))] {
        let Rect { left, top, right, bottom } = bounds;
        let (left, top, right, bottom) = (left + inset, top + inset, right - inset, bottom - inset);
        if right - left < 3 || bottom - top < 3 {
            continue;
        }
        for line in [
            Rect { left, top, right, bottom: top + 1 },
            Rect { left, top: bottom - 1, right, bottom },
            Rect { left, top, right: left + 1, bottom },
            Rect { left: right - 1, top, right, bottom },
        ] {
            fill(canvas, line, ink);
        }
    }
}

fn label(canvas: &mut RgbImage, at: Rect, text: &str, ink: Rgb<u8>) {
    fill(canvas, at, ink);
    let mut left = at.left + MARGIN;
    for letter in text.bytes() {
        let glyph = if letter.is_ascii_digit() { DIGITS[usize::from(letter - b'0')] } else { DOT };
        for (row, line) in glyph.iter().enumerate() {
            for (column, dot) in line.iter().enumerate() {
                if *dot == b'#' {
                    let (x, y) = (left + column as i32, at.top + MARGIN + row as i32);
                    fill(canvas, Rect { left: x, top: y, right: x + 1, bottom: y + 1 }, Rgb([255; 3]));
                }
            }
        }
        left += DIGIT.0 + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(left: i32, top: i32, width: i32, height: i32) -> Rect {
        Rect { left, top, right: left + width, bottom: top + height }
    }

    #[test]
    fn labels_of_a_grid_of_small_buttons_do_not_cover_each_other() {
        let boxes: Vec<(String, Rect)> =
            (0..120).map(|n: i32| ((n + 1).to_string(), rect(40 + n % 12 * 40, 40 + n / 12 * 30, 24, 24))).collect();
        let labels = place(&boxes, &[], 640, 480);
        assert_eq!(labels.len(), boxes.len());
        for (index, label) in labels.iter().enumerate() {
            assert!(label.is_in(640, 480), "{label:?}");
            let others = labels.iter().enumerate().filter(|(other, _)| *other != index);
            assert_eq!(others.map(|(_, other)| label.overlap(*other)).sum::<i64>(), 0, "label {index}");
        }
    }

    #[test]
    fn a_label_gives_way_to_text_where_there_is_room() {
        let above = rect(100, 70, 200, 30);
        let labels = place(&[("7".to_owned(), rect(100, 100, 60, 20))], &[above], 640, 480);
        assert_eq!(labels[0].overlap(above), 0, "{labels:?}");
    }

    #[test]
    fn a_box_at_the_edge_keeps_its_label_in_the_image() {
        for bounds in [rect(0, 0, 640, 480), rect(0, 0, 4, 4), rect(636, 476, 4, 4), rect(600, 0, 40, 480)] {
            let labels = place(&[("123".to_owned(), bounds)], &[], 640, 480);
            assert!(labels[0].is_in(640, 480), "{bounds:?}: {labels:?}");
        }
    }

    #[test]
    fn white_digits_are_readable_on_every_ink() {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        for [red, green, blue] in INKS {
            let light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
            assert!(1.05 / (light + 0.05) >= 4.5, "{red},{green},{blue}: {}", 1.05 / (light + 0.05));
        }
    }

    #[test]
    fn the_digits_of_a_label_can_be_read_back() {
        for number in [0, 7, 41, 123, 456, 890, 1_234] {
            let text = number.to_string();
            let (width, height) = label_size(&text);
            let mut canvas = RgbImage::from_pixel(80, 30, Rgb([90; 3]));
            label(&mut canvas, rect(5, 6, width, height), &text, ink(1));
            let read: String = text
                .bytes()
                .enumerate()
                .map(|(index, _)| {
                    let left = 5 + MARGIN + index as i32 * (DIGIT.0 + GAP);
                    let same = |digit: &usize| {
                        DIGITS[*digit].iter().enumerate().all(|(row, line)| {
                            line.iter().enumerate().all(|(column, dot)| {
                                let (x, y) = (left + column as i32, 6 + MARGIN + row as i32);
                                (*dot == b'#') == (canvas.get_pixel(x as u32, y as u32).0 == [255; 3])
                            })
                        })
                    };
                    let found: Vec<usize> = (0..10).filter(same).collect();
                    assert_eq!(found.len(), 1, "digit {index} of {number}");
                    char::from(b'0' + found[0] as u8)
                })
                .collect();
            assert_eq!(read, text);
        }
    }
}
