//! Where labels of points stand.
//!
//! In: points with the size of what is written beside them, the frame, and lines that run through.
//! Out: a place for each label, in the order of the points. Invariant: where there is room, no
//! label covers another, a point that is not its own, or a line; places near the point are tried
//! first.

use super::canvas::Frame;

/// What wants a label: where it lies, and the size of its label in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Labelled {
    pub at: (f64, f64),
    pub width: f64,
    pub height: f64,
}

/// Where a label stands: its left end and its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Label {
    pub left: f64,
    pub y: f64,
    of: Labelled,
}

impl Label {
    pub fn frame(self) -> Frame {
        let half = self.of.height / 2.0;
        Frame {
            left: self.left - 3.0,
            top: self.y - half,
            right: self.left + self.of.width + 3.0,
            bottom: self.y + half,
        }
    }

    /// Returns the place of the label's frame that is nearest to the point, where that is too far
    /// away to be seen as one.
    pub fn leader(self) -> Option<(f64, f64)> {
        let (frame, (x, y)) = (self.frame(), self.of.at);
        let edge = (x.clamp(frame.left, frame.right), y.clamp(frame.top, frame.bottom));
        ((edge.0 - x).hypot(edge.1 - y) > 16.0).then_some(edge)
    }
}

/// Returns whether a straight line from `a` to `b` runs through a frame.
fn crosses(frame: Frame, a: (f64, f64), b: (f64, f64)) -> bool {
    // The part of the line, from 0 to 1, that lies between the sides is cut down by each of the
    // four.
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, way, low, high) in
        [(a.0, b.0 - a.0, frame.left, frame.right), (a.1, b.1 - a.1, frame.top, frame.bottom)]
    {
        if way == 0.0 {
            if start <= low || start >= high {
                return false;
            }
        } else {
            let (one, other) = ((low - start) / way, (high - start) / way);
            (from, to) = (from.max(one.min(other)), to.min(one.max(other)));
        }
    }
    from < to
}

/// Places labels of points within a frame, around lines.
pub(super) fn place(points: &[Labelled], within: Frame, lines: &[Vec<(f64, f64)>]) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::with_capacity(points.len());
    for &of in points {
        let candidates = candidates(of);
        let inside = |label: &&Label| {
            let frame = label.frame();
            frame.left >= within.left
                && frame.right <= within.right
                && frame.top >= within.top
                && frame.bottom <= within.bottom
        };
        let free = |label: &&Label| {
            let frame = label.frame();
            let covers_point = points.iter().any(|&Labelled { at: (x, y), .. }| {
                x > frame.left - 5.0
                    && x < frame.right + 5.0
                    && y > frame.top - 5.0
                    && y < frame.bottom + 5.0
                    && (x, y) != of.at
            });
            let covers_label = labels.iter().any(|other| {
                let other = other.frame();
                frame.left < other.right
                    && other.left < frame.right
                    && frame.top < other.bottom
                    && other.top < frame.bottom
            });
            let covers_line =
                lines.iter().flat_map(|line| line.windows(2)).any(|part| crosses(frame, part[0], part[1]));
            !covers_point && !covers_label && !covers_line
        };
        let chosen = candidates.iter().filter(inside).find(free).or(candidates.first());
        labels.push(chosen.copied().unwrap_or(Label { left: of.at.0, y: of.at.1, of }));
    }
    labels
}

/// Places around a point, the nearest first: to its right, to its left, above and below, in rings.
fn candidates(of: Labelled) -> Vec<Label> {
    let (x, y) = of.at;
    let mut all = Vec::new();
    for ring in 0..9_u32 {
        let far = f64::from(ring) * (of.height * 0.55);
        for dy in if ring == 0 { vec![0.0] } else { vec![far, -far] } {
            for left in [x + 11.0, x - 11.0 - of.width, x - of.width / 2.0] {
                // A label straight above or below must clear its own point.
                if dy.abs() > of.height / 2.0 + 6.0 || left > x || left + of.width < x {
                    all.push(Label { left, y: y + dy, of });
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Frame = Frame { left: 74.0, top: 0.0, right: 960.0, bottom: 436.0 };

    fn apart(a: Frame, b: Frame) -> bool {
        a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom
    }

    #[test]
    fn labels_of_crowded_points_do_not_overlap() {
        for (width, height, count) in [(110.0, 31.0, 8_u8), (14.0, 14.0, 20)] {
            let points: Vec<Labelled> =
                (0..count).map(|at| Labelled { at: (400.0 + f64::from(at) * 6.0, 60.0), width, height }).collect();
            let labels = place(&points, WITHIN, &[]);
            for (at, a) in labels.iter().enumerate() {
                for b in &labels[at + 1..] {
                    assert!(apart(a.frame(), b.frame()), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn a_sloping_line_crosses_a_frame_only_where_it_runs_through() {
        let frame = Frame { left: 10.0, top: 10.0, right: 20.0, bottom: 20.0 };
        assert!(crosses(frame, (0.0, 0.0), (30.0, 30.0)) && crosses(frame, (15.0, 0.0), (15.0, 12.0)));
        assert!(!crosses(frame, (0.0, 15.0), (15.0, 30.0)) && !crosses(frame, (0.0, 0.0), (9.0, 9.0)));
        assert!(!crosses(frame, (0.0, 10.0), (30.0, 10.0)), "along a side");
    }

    #[test]
    fn a_label_stays_inside_off_the_line_and_near() {
        let point = Labelled { at: (950.0, 100.0), width: 80.0, height: 14.0 };
        let line = vec![(74.0, 100.0), (945.0, 100.0)];
        let label = place(&[point], WITHIN, &[line])[0];
        let frame = label.frame();
        assert!(frame.right <= WITHIN.right && (frame.bottom <= 100.0 || frame.top >= 100.0), "{label:?}");
        assert_eq!(label.leader(), None);
    }
}
