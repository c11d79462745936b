//! What the tool, and the browser for it, read off the layout: what is mostly in view, what reacts
//! to clicks, and the boxes that a line of text is broken into.
//!
//! In: the `DOMSnapshot.captureSnapshot` payload of the main session. Out: a [`Layout`] by frame
//! number and backend node id. Invariants: frames of other sessions are not in it, as the tool asks
//! the main one only; lists that do not match in length read as absent. Visible is what an
//! `IntersectionObserver` without margins would report: at least half of the border box (rounded to
//! a hundredth) left by the viewport, the frames and the clips above it. Opacity, covers and
//! `visibility` do not count.

use crate::payloads;
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::raw::{self, Styles, TextBoxes};
use browserlens_core::page::{Capture, Page, PayloadKind};
use std::collections::{HashMap, HashSet};

/// Frame number and backend node id.
pub(super) type NodeIndex = (u32, u32);

#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Numbers of the frames that the session shows, the main one first.
    pub frames: Vec<u32>,
    pub visible: HashSet<NodeIndex>,
    pub clickable: HashSet<NodeIndex>,
    /// Elements that have a box.
    pub laid_out: HashSet<NodeIndex>,
    /// Text of the boxes of a text node, one a line.
    pub lines: HashMap<NodeIndex, Vec<String>>,
    /// What an image shows, as an absolute URL.
    pub sources: HashMap<NodeIndex, String>,
}

type Snapshot = raw::Snapshot<Styles, TextBoxes>;
type Document = raw::Document<Styles, TextBoxes>;

/// A rectangle in CSS px of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Rect {
    const EVERYWHERE: Self = Self { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };

    fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    fn meet(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// Negative where the sides are crossed over.
    fn is_crossed(self) -> bool {
        self.right < self.left || self.bottom < self.top
    }

    fn area(self) -> f64 {
        (self.right - self.left) * (self.bottom - self.top)
    }

    /// Share of the box that a clip leaves; a box without area is left whole if it touches the
    /// clip.
    fn share_in(self, clip: Self) -> f64 {
        let left = self.meet(clip);
        if left.is_crossed() {
            0.0
        } else if self.area() <= 0.0 {
            1.0
        } else {
            left.area() / self.area()
        }
    }
}

/// The clips that hold for what is below an element: by position.
#[derive(Clone, Copy)]
struct Clips {
    flow: Rect,
    absolute: Rect,
    fixed: Rect,
}

/// Share from which the tool calls an element visible, before it is rounded to a hundredth.
const HALF: f64 = 0.495;

impl Layout {
    /// Reads the layout; none if the capture has no snapshot of the main frame's session, or one
    /// that does not parse.
    pub fn new(page: &Page, capture: &Capture) -> Option<Self> {
        let payload = capture
            .get(PayloadKind::Snapshot, page.document().0)
            .or_else(|| capture.of_kind(PayloadKind::Snapshot).next())?;
        let snapshot: Snapshot = payloads::parse(payload)?;
        let mut layout = Self::default();
        for document in &snapshot.documents {
            layout.frames.push(snapshot.frame_number(document).unwrap_or(0));
            layout.add_nodes(&snapshot, document);
            layout.add_lines(&snapshot, document);
        }
        let viewport = page.viewport();
        layout.find_visible(&snapshot, Rect::new(0.0, 0.0, f64::from(viewport.width), f64::from(viewport.height)));
        Some(layout)
    }

    fn add_nodes(&mut self, snapshot: &Snapshot, document: &Document) {
        let place = |at: usize| place(snapshot, document, at);
        self.clickable.extend(document.nodes.is_clickable.nodes().filter_map(place));
        let laid_out = document.layout.node_index.iter().filter_map(|at| usize::try_from(*at).ok());
        self.laid_out.extend(laid_out.filter_map(place));
        let sources = document.nodes.current_source_url.pairs();
        self.sources.extend(sources.filter_map(|(at, url)| Some((place(at)?, snapshot.text(url).to_owned()))));
    }

    fn add_lines(&mut self, snapshot: &Snapshot, document: &Document) {
        let (boxes, layout) = (&document.text_boxes, &document.layout);
        let row_of: HashMap<i64, usize> =
            layout.node_index.iter().enumerate().map(|(row, at)| (*at, row)).rev().collect();
        // Text has no style of its own: its parent's counts.
        let keeps_blanks = |row: usize| {
            let own = layout.styles.get(row).filter(|styles| !styles.is_empty());
            let styles = own.or_else(|| {
                let at = usize::try_from(*layout.node_index.get(row)?).ok()?;
                layout.styles.get(*row_of.get(document.nodes.parent_index.get(at)?)?)
            });
            styles.is_some_and(|styles| !matches!(style(snapshot, styles, "white-space-collapse"), "" | "collapse"))
        };
        // Row, top edge and end in the source of the piece before.
        let mut last: Option<(i64, f64, i64)> = None;
        for (index, row) in boxes.layout_index.iter().enumerate() {
            let found = usize::try_from(*row).ok().and_then(|row| {
                let at = usize::try_from(*layout.node_index.get(row)?).ok()?;
                let text = snapshot.text(*layout.text.get(row)?);
                let (start, length) = (*boxes.start.get(index)?, *boxes.length.get(index)?);
                let top = boxes.bounds.get(index).filter(|rect| rect.1 > 1)?.0[1];
                Some((row, place(snapshot, document, at)?, utf16_slice(text, start, length), start, length, top))
            });
            let Some((at, place, part, start, length, top)) = found else { continue };
            let keeps = keeps_blanks(at);
            let part = if keeps { part.to_owned() } else { one_blank(part) };
            // Where blanks collapse, one line of a text comes in several pieces with a gap between
            // them. Pieces without one are boxes of their own: another direction of writing begins.
            let continues = !keeps
                && last
                    .is_some_and(|(before, height, end)| before == *row && (height - top).abs() < 1.0 && end < start);
            let lines = self.lines.entry(place).or_default();
            match lines.last_mut().filter(|_| continues) {
                Some(line) => line.push_str(&part),
                None => lines.push(part),
            }
            last = Some((*row, top, start.saturating_add(length)));
        }
    }

    fn find_visible(&mut self, snapshot: &Snapshot, viewport: Rect) {
        let mut todo = vec![(0, (0.0, 0.0), viewport)];
        let mut seen = HashSet::new();
        while let Some((index, origin, clip)) = todo.pop() {
            // A document that holds itself is no tree.
            let Some(document) = snapshot.documents.get(index).filter(|_| seen.insert(index)) else { continue };
            self.find_visible_in(snapshot, document, origin, clip, &mut todo);
        }
    }

    fn find_visible_in(
        &mut self,
        snapshot: &Snapshot,
        document: &Document,
        origin: (f64, f64),
        clip: Rect,
        todo: &mut Vec<(usize, (f64, f64), Rect)>,
    ) {
        let (nodes, layout) = (&document.nodes, &document.layout);
        let row_of: HashMap<i64, usize> =
            layout.node_index.iter().enumerate().map(|(row, at)| (*at, row)).rev().collect();
        let content: HashMap<usize, i64> = nodes.content_document_index.pairs().collect();
        let top = Clips { flow: clip, absolute: clip, fixed: clip };
        let mut clips: Vec<Clips> = Vec::with_capacity(nodes.node_type.len());
        for (at, kind) in nodes.node_type.iter().enumerate() {
            let parent = nodes.parent_index.get(at).and_then(|parent| usize::try_from(*parent).ok());
            let above = parent.and_then(|parent| clips.get(parent)).copied().unwrap_or(top);
            let row = row_of.get(&(at as i64)).copied().filter(|_| *kind == 1);
            let bounds = row.and_then(|row| layout.bounds.get(row));
            let (Some(row), Some([x, y, width, height])) = (row, bounds.and_then(|rect| rect.exactly())) else {
                clips.push(above);
                continue;
            };
            let styles = layout.styles.get(row).map_or(&[][..], Vec::as_slice);
            let style = |name: &str| style(snapshot, styles, name);
            let border_box = Rect::new(
                x + origin.0 - document.scroll_offset_x,
                y + origin.1 - document.scroll_offset_y,
                width,
                height,
            );
            let own = match style("position") {
                "fixed" => above.fixed,
                "absolute" => above.absolute,
                _ => above.flow,
            };
            let own = own.meet(own_clip(border_box, style("position"), style("clip"), style("clip-path")));
            if border_box.share_in(own) >= HALF
                && !matches!(style("display"), "contents" | "none")
                && let Some(place) = place(snapshot, document, at)
            {
                self.visible.insert(place);
            }
            let client = layout.client_rects.get(row).and_then(|rect| rect.exactly());
            let [inset_x, inset_y, inner_width, inner_height] = client.unwrap_or([0.0, 0.0, width, height]);
            let inner = Rect::new(border_box.left + inset_x, border_box.top + inset_y, inner_width, inner_height);
            let tag = snapshot.text(nodes.node_name.get(at).copied().unwrap_or(-1));
            // Overflow of the root and the body is the viewport's.
            let is_root = tag.eq_ignore_ascii_case("html") || tag.eq_ignore_ascii_case("body");
            let mut below = own;
            if !is_root && style("display") != "inline" {
                if !matches!(style("overflow-x"), "visible" | "") {
                    below = below.meet(Rect { left: inner.left, right: inner.right, ..Rect::EVERYWHERE });
                }
                if !matches!(style("overflow-y"), "visible" | "") {
                    below = below.meet(Rect { top: inner.top, bottom: inner.bottom, ..Rect::EVERYWHERE });
                }
            }
            let moved = !matches!(style("transform"), "none" | "");
            let holds = moved || !matches!(style("position"), "static" | "");
            clips.push(Clips {
                flow: below,
                absolute: if holds { below } else { above.absolute },
                fixed: if moved { below } else { above.fixed },
            });
            if let Some(document) = content.get(&at).and_then(|index| usize::try_from(*index).ok()) {
                todo.push((document, (inner.left, inner.top), own.meet(inner)));
            }
        }
    }
}

/// What `clip` and `clip-path` leave of an element's own box, as far as they hide it: the recipes
/// for screen readers.
fn own_clip(bounds: Rect, position: &str, clip: &str, path: &str) -> Rect {
    let mut left = Rect::EVERYWHERE;
    let sides = clip.strip_prefix("rect(").and_then(|sides| sides.strip_suffix(')'));
    if let Some(sides) = sides.filter(|_| matches!(position, "absolute" | "fixed")) {
        let sides: Vec<f64> =
            sides.split(',').filter_map(|side| side.trim().trim_end_matches("px").parse().ok()).collect();
        if let [top, right, bottom, start] = sides[..] {
            left = Rect {
                left: bounds.left + start,
                top: bounds.top + top,
                right: bounds.left + right,
                bottom: bounds.top + bottom,
            };
        }
    }
    if path.starts_with("inset(50%") || path.starts_with("inset(100%") {
        let (x, y) = (f64::midpoint(bounds.left, bounds.right), f64::midpoint(bounds.top, bounds.bottom));
        left = left.meet(Rect { left: x, top: y, right: x, bottom: y });
    }
    left
}

fn place(snapshot: &Snapshot, document: &Document, at: usize) -> Option<NodeIndex> {
    let backend = document.nodes.backend_node_id.get(at).and_then(|id| u32::try_from(*id).ok())?;
    Some((snapshot.frame_number(document).unwrap_or(0), backend))
}

fn style<'s>(snapshot: &'s Snapshot, styles: &[i64], name: &str) -> &'s str {
    let at = COMPUTED_STYLES.iter().position(|known| *known == name);
    at.and_then(|at| styles.get(at)).map_or("", |index| snapshot.text(*index))
}

/// A part of a text, counted in UTF-16 units; what lies outside of it is left out.
fn utf16_slice(text: &str, start: i64, length: i64) -> &str {
    let start = usize::try_from(start).unwrap_or(0);
    let end = start.saturating_add(usize::try_from(length).unwrap_or(0));
    if text.is_ascii() {
        return text.get(start.min(text.len())..end.min(text.len())).unwrap_or("");
    }
    let mut units = 0;
    let (mut from, mut to) = (text.len(), text.len());
    for (at, c) in text.char_indices() {
        if units >= start {
            from = from.min(at);
        }
        if units >= end {
            to = at;
            break;
        }
        units += c.len_utf16();
    }
    text.get(from.min(to)..to).unwrap_or("")
}

/// The text with every run of collapsible blanks as one blank.
fn one_blank(text: &str) -> String {
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_blank(c) {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_in_utf16_units_and_never_outside() {
        assert_eq!(utf16_slice("abc", 1, 1), "b");
        assert_eq!(utf16_slice("a😀b", 1, 2), "😀");
        assert_eq!(utf16_slice("a😀b", 3, 9), "b");
        assert_eq!(utf16_slice("ä", 5, 2), "");
        assert_eq!(utf16_slice("abc", -1, i64::MAX), "abc");
    }

    #[test]
    fn a_box_is_left_by_the_share_of_its_area() {
        let clip = Rect::new(0.0, 0.0, 100.0, 100.0);
        assert!((Rect::new(50.0, 0.0, 100.0, 10.0).share_in(clip) - 0.5).abs() < 1e-9);
        assert!(Rect::new(150.0, 0.0, 10.0, 10.0).share_in(clip) <= 0.0);
        assert!((Rect::new(100.0, 0.0, 0.0, 0.0).share_in(clip) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_clips_of_screen_reader_text_leave_nothing() {
        let bounds = Rect::new(10.0, 10.0, 40.0, 20.0);
        let share = |position: &str, clip: &str, path: &str| bounds.share_in(own_clip(bounds, position, clip, path));
        assert!(share("absolute", "rect(0px, 0px, 0px, 0px)", "none") < HALF);
        assert!(share("static", "rect(0px, 0px, 0px, 0px)", "none") > HALF);
        assert!(share("static", "auto", "inset(50%)") < HALF);
        assert!(share("absolute", "rect(auto, auto, auto, auto)", "none") > HALF);
    }

    #[test]
    fn blanks_collapse_to_one() {
        assert_eq!(one_blank(" a \n\t b"), " a b");
    }
}
