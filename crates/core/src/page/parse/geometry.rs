//! What can be seen: styles passed down the tree, clips, visibility, covers.
//!
//! In: computed styles and boxes of a node and what its ancestors passed on. Out: its visibility
//! with the reason, whether it lies in the viewport, what covers it. Invariant: one pass down, one
//! pass up, one pass over what is in the viewport; nothing here is quadratic in the number of nodes
//! for real pages. Two clips are kept: *hard* ones (overflow hidden, clip) hide for good; *soft*
//! ones (scrollers, frames, the viewport) only say what is not in view now. What scrolling brings
//! into a scroller that can be seen is not hidden by what clips the scroller.

use super::styles::{
    BACKGROUND_COLOUR, BACKGROUND_IMAGE, CLIP, CLIP_PATH, COLOUR, CONTENT_VISIBILITY, CURSOR, DIRECTION, DISPLAY,
    FILTER, OPACITY, OVERFLOW_X, OVERFLOW_Y, POINTER_EVENTS, POSITION, TRANSFORM, VISIBILITY, WHITE_SPACE,
};
use super::unseen::{is_clear, is_opaque};
use crate::page::node::{BoxInDocument, Flags, NodeId, NodeKind, ScrollOffset, Visibility};
use crate::page::tree::{NO_NODE, Page};

pub(super) const EVERYWHERE: BoxInDocument = BoxInDocument { x: -1e9, y: -1e9, width: 2e9, height: 2e9 };

/// What scrolling reaches in a document that begins here: all that lies right of it and below.
fn from(x: f32, y: f32) -> BoxInDocument {
    BoxInDocument { x, y, ..EVERYWHERE }
}

/// Boxes up to this many square px show nothing: the one-pixel boxes of screen-reader-only text.
const NOTHING_TO_SEE: f32 = 1.0;

/// Clip rectangles for the two kinds of descendants that see different ones.
#[derive(Clone, Copy, Default)]
struct Clips {
    /// For static and relative descendants.
    flow: BoxInDocument,
    /// For absolutely positioned descendants: the clips down to their containing block only.
    absolute: BoxInDocument,
    /// For fixed descendants: those of the frame only.
    fixed: BoxInDocument,
}

impl Clips {
    fn all(clip: BoxInDocument) -> Self {
        Self { flow: clip, absolute: clip, fixed: clip }
    }

    fn positioned(self, position: &str) -> BoxInDocument {
        match position {
            "absolute" => self.absolute,
            "fixed" => self.fixed,
            _ => self.flow,
        }
    }
}

/// Boxes of an element that may scroll.
#[derive(Clone, Copy, Default)]
pub(super) struct ScrollBoxes {
    /// Its padding box, where its content is clipped.
    pub client: Option<BoxInDocument>,
    /// What scrolling can bring into that, where it lies now.
    pub content: Option<BoxInDocument>,
}

/// What a node's styles mean, its ancestors' included.
#[derive(Clone, Default)]
pub(super) struct Style {
    hidden: bool,
    transparent: bool,
    /// Its text is painted in no colour, or in that of its own background.
    colourless: bool,
    skipped: bool,
    /// A closed `details`: what is below it is skipped, but its summary.
    folded: bool,
    block: bool,
    rtl: bool,
    /// Clips of the node itself.
    own_hard: BoxInDocument,
    own_soft: BoxInDocument,
    /// Clips of what is below it.
    hard: Clips,
    soft: Clips,
    frame_origin: (f32, f32),
    pub cursor: Cursor,
    pub no_pointer_events: bool,
    pub preserves_whitespace: bool,
    pub scrolls: bool,
}

/// What the cursor says of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cursor {
    #[default]
    Silent,
    Presses,
    Drags,
}

fn get<'s>(styles: &[(u8, &'s str)], name: usize) -> Option<&'s str> {
    styles.iter().find(|(style, _)| usize::from(*style) == name).map(|(_, value)| *value)
}

/// Returns whether an element's text runs from right to left.
pub(super) fn reads_leftwards(styles: &[(u8, &str)]) -> bool {
    get(styles, DIRECTION) == Some("rtl")
}

impl Style {
    /// The style above a main document seen through a viewport.
    pub(super) fn root(viewport: BoxInDocument) -> Self {
        Self {
            block: true,
            own_hard: from(0.0, 0.0),
            own_soft: viewport,
            hard: Clips::all(from(0.0, 0.0)),
            soft: Clips::all(viewport),
            ..Self::default()
        }
    }

    /// The style of an element with a layout box, or of one without (then it only passes on).
    pub(super) fn of(
        above: &Self,
        styles: &[(u8, &str)],
        bounds: BoxInDocument,
        ScrollBoxes { client, content }: ScrollBoxes,
        tag: &str,
    ) -> Self {
        let mut own = above.clone();
        own.scrolls = false;
        own.skipped = above.skipped || (above.folded && tag != "summary");
        own.folded = false;
        if styles.is_empty() {
            return own;
        }
        let text = |name| get(styles, name).unwrap_or("");
        own.hidden = matches!(text(VISIBILITY), "hidden" | "collapse");
        own.transparent = above.transparent
            || text(OPACITY).parse::<f32>().is_ok_and(|opacity| opacity <= 0.0)
            || text(FILTER).contains("opacity(0)");
        own.colourless = is_colourless(text(COLOUR), text(BACKGROUND_COLOUR), text(BACKGROUND_IMAGE));
        own.block = ![
            "", "inline", "inline-block", "inline-flex", "inline-grid", "inline-table", "contents", "ruby", "ruby-text",
        ]
        .contains(&text(DISPLAY));
        own.cursor = match text(CURSOR) {
            "pointer" => Cursor::Presses,
            "grab" | "grabbing" | "-webkit-grab" | "move" => Cursor::Drags,
            _ => Cursor::Silent,
        };
        own.no_pointer_events = text(POINTER_EVENTS) == "none";
        own.preserves_whitespace = matches!(text(WHITE_SPACE), "preserve" | "break-spaces");
        if tag == "html" && reads_leftwards(styles) {
            own.rtl = true;
            // Such a document goes on to the left.
            own.hard = Clips::all(BoxInDocument { x: EVERYWHERE.x, ..above.hard.flow });
        }
        let above_hard = own.hard;
        let position = text(POSITION);
        own.own_hard = above_hard.positioned(position);
        own.own_soft = above.soft.positioned(position);
        if clips_everything(text(CLIP), text(CLIP_PATH)) {
            own.own_hard = BoxInDocument { width: 0.0, height: 0.0, ..bounds };
        }
        // The viewport takes over the overflow of the document element and the body.
        let is_root = matches!(tag, "html" | "body");
        let (x, y) = (text(OVERFLOW_X), text(OVERFLOW_Y));
        let inner = client.unwrap_or(bounds);
        let [hard_x, hard_y] = [x, y].map(|overflow| !is_root && matches!(overflow, "hidden" | "clip"));
        let [scrolls_x, scrolls_y] = [x, y].map(|overflow| !is_root && matches!(overflow, "auto" | "scroll"));
        own.scrolls = scrolls_x || scrolls_y;
        let cut = |clip: BoxInDocument, on_x: bool, on_y: bool| {
            let mut by = EVERYWHERE;
            if on_x {
                (by.x, by.width) = (inner.x, inner.width);
            }
            if on_y {
                (by.y, by.height) = (inner.y, inner.height);
            }
            clip.intersection(by)
        };
        let fixed_here = !matches!(text(TRANSFORM), "" | "none");
        let positioned = fixed_here || !matches!(position, "" | "static");
        let pass = |own_clip: BoxInDocument, above: Clips, on_x: bool, on_y: bool| {
            let flow = cut(own_clip, on_x, on_y);
            Clips {
                flow,
                absolute: if positioned { flow } else { above.absolute },
                fixed: if fixed_here { flow } else { above.fixed },
            }
        };
        let mut hard = own.own_hard;
        if let Some(content) = content.filter(|_| hard.intersection(inner).area() > NOTHING_TO_SEE) {
            if scrolls_x {
                (hard.x, hard.width) = (content.x, content.width);
            }
            if scrolls_y {
                (hard.y, hard.height) = (content.y, content.height);
            }
        }
        own.hard = pass(hard, above_hard, hard_x, hard_y);
        own.soft = pass(own.own_soft, above.soft, hard_x || scrolls_x, hard_y || scrolls_y);
        if text(CONTENT_VISIBILITY) == "hidden" {
            own.skipped = true;
        }
        own
    }

    /// The style of text in an element of this style.
    pub(super) fn for_text(&self) -> Self {
        let skipped = self.skipped || self.folded;
        Self { own_hard: self.hard.flow, own_soft: self.soft.flow, skipped, ..self.clone() }
    }

    /// Marks a closed `details`. Its content may have boxes all the same: a script that asked for
    /// one made the browser lay it out.
    pub(super) fn folding(mut self, folded: bool) -> Self {
        self.folded = folded;
        self
    }

    /// The style above the document of a frame whose content box is `client`, scrolled so far.
    pub(super) fn for_frame(&self, client: BoxInDocument, scroll: ScrollOffset) -> Self {
        let is_seen = self.own_hard.intersection(client).area() > NOTHING_TO_SEE;
        let frame_origin = (client.x - scroll.x, client.y - scroll.y);
        let hard = if is_seen { from(frame_origin.0, frame_origin.1) } else { self.own_hard };
        let Self { hidden, transparent, skipped, .. } = *self;
        let root = Self::root(self.own_soft.intersection(client));
        Self { hidden, transparent, skipped, hard: Clips::all(hard), own_hard: hard, frame_origin, ..root }
    }

    pub(super) fn is_block(&self) -> bool {
        self.block
    }

    /// Returns whether a part of the box lies in view.
    pub(super) fn shows(&self, bounds: BoxInDocument) -> bool {
        bounds.intersection(self.own_soft).area() > 0.0
    }

    /// Returns whether a node of this style can be seen; containers get a second look in
    /// [`finish`].
    pub(super) fn visibility(&self, kind: NodeKind, bounds: BoxInDocument, has_layout: bool) -> Visibility {
        if kind == NodeKind::Document {
            return Visibility::Visible;
        }
        if !has_layout || self.skipped {
            return Visibility::NotRendered;
        }
        if self.hidden {
            return Visibility::Hidden;
        }
        if self.transparent || (self.colourless && kind == NodeKind::Text) {
            return Visibility::Transparent;
        }
        if bounds.area() <= NOTHING_TO_SEE {
            return Visibility::ZeroSize;
        }
        if bounds.intersection(self.own_hard).area() <= NOTHING_TO_SEE {
            // What lies before the document's own start is out of reach.
            let left = bounds.right() <= self.frame_origin.0 && !self.rtl;
            let is_before = left || bounds.bottom() <= self.frame_origin.1;
            return if is_before { Visibility::Unreachable } else { Visibility::Clipped };
        }
        Visibility::Visible
    }
}

/// Returns whether text of this colour cannot be seen on its own background.
///
/// Only the element's own background is looked at: what lies behind it may be painted by anything.
/// A background image may be clipped to the text and so be its colour.
fn is_colourless(colour: &str, background: &str, image: &str) -> bool {
    matches!(image, "" | "none")
        && !colour.is_empty()
        && (is_clear(colour) || (colour == background && is_opaque(colour)))
}

fn clips_everything(clip: &str, clip_path: &str) -> bool {
    let numbers = |text: &str| -> Vec<f32> {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    if let Some(rect) = clip.strip_prefix("rect(")
        && let [top, right, bottom, left] = numbers(rect)[..]
        && (right <= left + 1.0 || bottom <= top + 1.0)
    {
        return true;
    }
    if let Some(inset) = clip_path.strip_prefix("inset(") {
        let all_percent = inset.split_whitespace().next().is_some_and(|first| first.contains('%'));
        return all_percent && numbers(inset).first().is_some_and(|percent| *percent >= 50.0);
    }
    clip_path.starts_with("circle(0") && !clip_path.starts_with("circle(0.")
}

/// Finishes visibility of containers (bottom up) and finds what covers what in the viewport.
pub(super) fn finish(page: &mut Page) {
    let len = page.len();
    let mut shows_something = vec![false; len];
    for index in (0..len).rev() {
        let visibility = page.nodes.visibility[index];
        let container = page.nodes.kind[index] == NodeKind::Element
            && matches!(
                visibility,
                Visibility::NotRendered | Visibility::ZeroSize | Visibility::Unreachable | Visibility::Hidden
            );
        if container && shows_something[index] {
            page.nodes.visibility[index] = Visibility::Visible;
        }
        let visible = page.nodes.visibility[index].is_visible();
        if !visible {
            page.nodes.flags[index].set(Flags::IN_VIEWPORT, false);
        }
        let parent = page.nodes.parent[index];
        if parent != NO_NODE && (visible || shows_something[index]) {
            shows_something[parent as usize] = true;
        }
    }
    find_covers(page);
    super::unseen::mark(page);
    super::modal::mark(page);
    super::partial::mark(page);
}

const CELL: f32 = 64.0;

/// Marks interactive nodes whose middle is painted over by a node that is neither above nor below
/// them in the tree.
fn find_covers(page: &mut Page) {
    let view = page.view();
    if view.is_empty() {
        return;
    }
    let [columns, rows] = [view.width, view.height].map(|size| (size / CELL).ceil().clamp(1.0, 512.0) as usize);
    let mut cells: Vec<Vec<u32>> = vec![Vec::new(); columns * rows];
    let cell_range = |from: f32, to: f32, start: f32, count: usize| {
        let cell = |at: f32| ((at - start) / CELL).floor().clamp(0.0, count as f32 - 1.0) as usize;
        cell(from)..=cell(to)
    };
    let mut sorted: Vec<u32> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Element && node.in_viewport() && node.paint_order() > 0)
        .filter(|node| !node.flags().has(Flags::NO_POINTER_EVENTS) && node.style("display") != Some("inline"))
        .map(|node| node.id().0)
        .collect();
    let order = |id: u32| (page.nodes.frame[id as usize], page.nodes.paint_order[id as usize], id);
    sorted.sort_unstable_by_key(|id| std::cmp::Reverse(order(*id)));
    for id in sorted {
        let bounds = page.nodes.bounds[id as usize].intersection(view);
        for row in cell_range(bounds.y, bounds.bottom(), view.y, rows) {
            for column in cell_range(bounds.x, bounds.right(), view.x, columns) {
                cells[row * columns + column].push(id);
            }
        }
    }
    let mut covers: Vec<(NodeId, NodeId)> = Vec::new();
    for node in page.nodes().filter(|node| node.is_interactive() && node.in_viewport()) {
        let seen = node.bounds().intersection(view);
        let point = seen.center();
        let row = *cell_range(point.1, point.1, view.y, rows).start();
        let column = *cell_range(point.0, point.0, view.x, columns).start();
        for other in &cells[row * columns + column] {
            if page.nodes.frame[*other as usize] != node.frame().0 {
                continue;
            }
            if page.nodes.paint_order[*other as usize] <= node.paint_order() {
                break;
            }
            let cover = page.node(NodeId(*other));
            if cover.bounds().contains(point) && !cover.holds(node.id()) && !node.holds(cover.id()) {
                covers.push((node.id(), cover.id()));
                break;
            }
        }
    }
    for (node, cover) in covers {
        page.nodes.covered_by[node.index()] = cover.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_no_colour_or_in_that_of_its_own_background_cannot_be_seen() {
        let clear = "rgba(0, 0, 0, 0)";
        for (colour, background, image) in [
            (clear, "rgb(255, 255, 255)", "none"),
            ("rgba(12, 12, 12, 0)", clear, "none"),
            ("rgb(255, 255, 255)", "rgb(255, 255, 255)", "none"),
        ] {
            assert!(is_colourless(colour, background, image), "{colour} on {background}, {image}");
        }
        for (colour, background, image) in [
            ("rgb(255, 255, 255)", clear, "none"),
            ("rgb(255, 255, 255)", "rgb(255, 255, 254)", "none"),
            ("rgba(0, 0, 0, 0.5)", clear, "none"),
            (clear, clear, "linear-gradient(red, blue)"),
            ("", "", ""),
        ] {
            assert!(!is_colourless(colour, background, image), "{colour} on {background}, {image}");
        }
    }

    #[test]
    fn only_the_text_of_such_an_element_is_hidden_and_a_filter_hides_all() {
        let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 90.0, height: 20.0 };
        let style = |name: usize, value: &'static str| (u8::try_from(name).expect("32 styles"), value);
        let of = |styles: &[(u8, &str)]| Style::of(&Style::root(bounds), styles, bounds, ScrollBoxes::default(), "p");
        let white = "rgb(255, 255, 255)";
        let same = of(&[style(DISPLAY, "block"), style(COLOUR, white), style(BACKGROUND_COLOUR, white)]);
        assert_eq!(same.for_text().visibility(NodeKind::Text, bounds, true), Visibility::Transparent);
        assert_eq!(same.visibility(NodeKind::Element, bounds, true), Visibility::Visible);
        let filtered = of(&[style(DISPLAY, "block"), style(FILTER, "blur(2px) opacity(0)")]);
        assert_eq!(filtered.visibility(NodeKind::Element, bounds, true), Visibility::Transparent);
        let half = of(&[style(DISPLAY, "block"), style(FILTER, "opacity(0.5)")]);
        assert_eq!(half.visibility(NodeKind::Element, bounds, true), Visibility::Visible);
    }
}
