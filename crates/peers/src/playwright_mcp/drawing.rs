//! Which shapes of a drawing have no extent for a script, although the browser paints something of
//! them.
//!
//! In: a [`Dom`] and a shape. Out: whether `getBoundingClientRect` has no area. Invariant: what
//! cannot be decided from the attributes (curves, transforms) has an extent. Why not the captured
//! box: it takes in the stroke, which the script's box leaves out, so that a straight line has one.

use crate::dom::{Dom, Id};

/// Whether the element only holds shapes that others refer to, so that nothing in it has a place on
/// the page.
pub(super) fn is_store(tag: &str) -> bool {
    matches!(tag, "symbol" | "defs" | "clippath" | "mask" | "marker" | "pattern" | "lineargradient" | "radialgradient")
}

/// Whether a shape is a straight line along an axis, or a point.
pub(super) fn is_flat(dom: &Dom<'_>, id: Id) -> bool {
    if dom.attribute(id, "transform").is_some() || dom.style(id, "transform").is_some_and(|value| value != "none") {
        return false;
    }
    let get = |name: &str| dom.attribute(id, name);
    let points = match dom.tag(id) {
        "path" => get("d").and_then(path_points),
        "polyline" | "polygon" => get("points").and_then(listed_points),
        "line" => {
            let number = |name: &str| get(name).map_or(Some(0.0), |value| value.trim().parse::<f64>().ok());
            let (from, to) = (number("x1").zip(number("y1")), number("x2").zip(number("y2")));
            from.zip(to).map(|(from, to)| vec![from, to])
        }
        _ => None,
    };
    points.is_some_and(|points| is_along_an_axis(&points))
}

fn is_along_an_axis(points: &[(f64, f64)]) -> bool {
    // Relative moves add up, with the error of a decimal fraction. What is no number differs from nothing.
    let differs = |a: f64, b: f64| (a - b).abs() > 1e-6;
    let Some((x, y)) = points.first() else { return true };
    !points.iter().any(|point| differs(point.0, *x)) || !points.iter().any(|point| differs(point.1, *y))
}

fn listed_points(list: &str) -> Option<Vec<(f64, f64)>> {
    let mut numbers = Numbers(list);
    let mut points = Vec::new();
    while let Some(x) = numbers.next() {
        points.push((x, numbers.next()?));
    }
    numbers.0.is_empty().then_some(points)
}

/// None if the path has a curve, or cannot be read.
fn path_points(path: &str) -> Option<Vec<(f64, f64)>> {
    let mut numbers = Numbers(path);
    let mut points = Vec::new();
    let (mut x, mut y) = (0.0, 0.0);
    let mut start = (0.0, 0.0);
    let mut command = None;
    loop {
        numbers.skip_blanks();
        let Some(next) = numbers.0.chars().next() else { return Some(points) };
        if next.is_ascii_alphabetic() {
            numbers.0 = &numbers.0[1..];
            command = Some(next);
            if matches!(next, 'Z' | 'z') {
                (x, y) = start;
                command = None;
                continue;
            }
        }
        let relative = command?.is_ascii_lowercase();
        let from = |at: f64| if relative { at } else { 0.0 };
        match command?.to_ascii_lowercase() {
            kind @ ('m' | 'l') => {
                x = from(x) + numbers.next()?;
                y = from(y) + numbers.next()?;
                if kind == 'm' {
                    start = (x, y);
                    // What follows a move without a letter of its own is a line.
                    command = Some(if relative { 'l' } else { 'L' });
                }
            }
            'h' => x = from(x) + numbers.next()?,
            'v' => y = from(y) + numbers.next()?,
            _ => return None,
        }
        points.push((x, y));
    }
}

/// The numbers of a list, with whatever separates them.
struct Numbers<'t>(&'t str);

impl Numbers<'_> {
    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    }
}

impl Iterator for Numbers<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.skip_blanks();
        let mut end = 0;
        let mut dot = false;
        let mut exponent = false;
        let mut before = None;
        for (at, c) in self.0.char_indices() {
            let sign = matches!(c, '+' | '-') && (before.is_none() || matches!(before, Some('e' | 'E')));
            let fraction = c == '.' && !dot && !exponent;
            let power = matches!(c, 'e' | 'E') && !exponent && before.is_some();
            if !(c.is_ascii_digit() || sign || fraction || power) {
                break;
            }
            dot |= fraction;
            exponent |= power;
            before = Some(c);
            end = at + 1;
        }
        let number = self.0[..end].parse().ok()?;
        self.0 = &self.0[end..];
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn straight_lines_along_an_axis_are_flat_and_all_else_is_not() {
        for flat in
            ["M9 4.5v5.5M9 12.5v1.2", "M3 13.5h10", "m4,6 16,0", "M1 1L1 9Z", "M5-3V.5.25", "M.1.2h.2h-.2zm0 0h3", ""]
        {
            assert!(path_points(flat).is_some_and(|points| is_along_an_axis(&points)), "{flat}");
        }
        for wide in ["M28 42h70M28 66h112", "M0 0l1 1", "M1 1h5zm0 1h5"] {
            assert!(path_points(wide).is_some_and(|points| !is_along_an_axis(&points)), "{wide}");
        }
        for unknown in ["M0 0c0 1 0 2 0 3", "M0", "9 9", "M0 0 q", "M0 0 \u{e4}"] {
            assert!(path_points(unknown).is_none(), "{unknown}");
        }
        assert!(listed_points("1,2 1,5 1,9").is_some_and(|points| is_along_an_axis(&points)));
        assert!(listed_points("1,2 3").is_none());
    }

    proptest! {
        #[test]
        fn no_path_panics(path in "[MLHVZCmlhvzc0-9eE., +-]{0,40}", text in any::<String>()) {
            _ = path_points(&path);
            _ = path_points(&text);
            _ = listed_points(&text);
        }
    }
}
