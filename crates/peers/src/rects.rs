//! A union of rectangles, to ask whether another rectangle lies wholly under it.
//!
//! In: opaque boxes in paint order. Out: whether a box is covered. Invariant: the kept rectangles
//! never overlap; beyond [`MOST`] of them nothing more is added, so that layered pages cost bounded
//! time and cover less.

use browserlens_core::page::BoxInDocument;

/// Most rectangles that are kept.
const MOST: usize = 5_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl From<BoxInDocument> for Rect {
    fn from(bounds: BoxInDocument) -> Self {
        Self { left: bounds.x, top: bounds.y, right: bounds.right(), bottom: bounds.bottom() }
    }
}

impl Rect {
    fn meets(self, other: Self) -> bool {
        self.right > other.left && other.right > self.left && self.bottom > other.top && other.bottom > self.top
    }

    fn contains(self, other: Self) -> bool {
        self.left <= other.left && self.top <= other.top && self.right >= other.right && self.bottom >= other.bottom
    }

    /// What is left of `self` outside of `hole`, as up to four rectangles.
    fn without(self, hole: Self, out: &mut Vec<Self>) {
        if self.top < hole.top {
            out.push(Self { bottom: hole.top, ..self });
        }
        if hole.bottom < self.bottom {
            out.push(Self { top: hole.bottom, ..self });
        }
        let top = self.top.max(hole.top);
        let bottom = self.bottom.min(hole.bottom);
        if self.left < hole.left {
            out.push(Self { right: hole.left, top, bottom, ..self });
        }
        if hole.right < self.right {
            out.push(Self { left: hole.right, top, bottom, ..self });
        }
    }
}

/// Rectangles that do not overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct RectUnion {
    rects: Vec<Rect>,
}

impl RectUnion {
    /// The parts of `rect` that no kept rectangle covers.
    fn uncovered(&self, rect: Rect) -> Vec<Rect> {
        let mut pieces = vec![rect];
        let mut next = Vec::new();
        for kept in self.rects.iter().filter(|kept| kept.meets(rect)) {
            for piece in pieces.drain(..) {
                if piece.meets(*kept) {
                    if !kept.contains(piece) {
                        piece.without(*kept, &mut next);
                    }
                } else {
                    next.push(piece);
                }
            }
            std::mem::swap(&mut pieces, &mut next);
            if pieces.is_empty() {
                break;
            }
        }
        pieces
    }

    /// Whether a box lies wholly under the union.
    pub fn covers(&self, rect: Rect) -> bool {
        // A box without area meets nothing; it is covered only where one rectangle holds it.
        if rect.left >= rect.right || rect.top >= rect.bottom {
            return self.rects.iter().any(|kept| kept.contains(rect));
        }
        !self.rects.is_empty() && self.uncovered(rect).is_empty()
    }

    /// Adds a box, unless there are too many.
    pub fn add(&mut self, rect: Rect) {
        if self.rects.len() < MOST {
            let pieces = self.uncovered(rect);
            self.rects.extend(pieces);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rect(left: f32, top: f32, right: f32, bottom: f32) -> Rect {
        Rect { left, top, right, bottom }
    }

    #[test]
    fn two_halves_cover_the_whole_and_a_gap_does_not() {
        let mut union = RectUnion::default();
        union.add(rect(0.0, 0.0, 5.0, 10.0));
        assert!(!union.covers(rect(0.0, 0.0, 10.0, 10.0)));
        union.add(rect(5.0, 0.0, 10.0, 10.0));
        assert!(union.covers(rect(0.0, 0.0, 10.0, 10.0)));
        assert!(!union.covers(rect(0.0, 0.0, 10.0, 10.5)));
    }

    proptest! {
        #[test]
        fn the_union_covers_exactly_the_cells_that_were_added(boxes in prop::collection::vec((0u8..8, 0u8..8, 1u8..5,
            1u8..5), 0..8), ask in (0u8..8, 0u8..8, 1u8..5, 1u8..5)) {
            let mut union = RectUnion::default();
            let mut cells = [[false; 16]; 16];
            let all = |(x, y, w, h): (u8, u8, u8,
                u8)| (x..x + w).flat_map(move |x| (y..y + h).map(move |y| (usize::from(x), usize::from(y))));
            let of = |(x, y, w, h): (u8, u8, u8, u8)| rect(f32::from(x), f32::from(y), f32::from(x + w),
                f32::from(y + h));
            for given in boxes {
                union.add(of(given));
                all(given).for_each(|(x, y)| cells[x][y] = true);
            }
            prop_assert_eq!(union.covers(of(ask)), all(ask).all(|(x, y)| cells[x][y]));
        }
    }
}
