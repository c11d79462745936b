//! What another element hides for good: text that is painted over, text in the colour behind it,
//! controls that no click reaches.
//!
//! In: a page whose boxes, styles and paint orders are known. Out: [`Flags::PAINTED_OVER`] and
//! [`Flags::CAMOUFLAGED`] on texts, [`Flags::COVERED`] on what can be acted on. Invariants: only
//! what scrolling cannot undo counts, so these flags do not change when a page is scrolled; an open
//! popup hides no text and covers no control, since it is there to be closed (a dialog covers
//! controls); where a picture, a gradient or a half-transparent colour may decide, nothing is
//! hidden; the work is bounded, and what lies beyond the bound counts as seen. Why not
//! [`Visibility`]: that is what other tools' reproductions and page hashes go by. Rounded corners
//! and shadows are not captured: boxes are taken as rectangles.

use super::styles::style;
use crate::node::{BoxInDocument, Flags, NodeId, NodeKind};
use crate::page::{NO_NODE, NodeRef, Page};

const DISPLAY: usize = style("display");
const POSITION: usize = style("position");
const OPACITY: usize = style("opacity");
const FILTER: usize = style("filter");
const CLIP_PATH: usize = style("clip-path");
const TRANSFORM: usize = style("transform");
const COLOUR: usize = style("color");
const BACKGROUND_COLOUR: usize = style("background-color");
const BACKGROUND_IMAGE: usize = style("background-image");
const OVERFLOW_X: usize = style("overflow-x");
const OVERFLOW_Y: usize = style("overflow-y");

/// Height of the bands that boxes are sorted into, in CSS px.
const BAND: f32 = 256.0;
/// Boxes in more bands than this stand in a list of their own.
const TALL: i32 = 64;
/// Most pairs of boxes that are compared on one page.
const MOST_PAIRS: u32 = 8_000_000;
/// By how much text may stick out of what paints it over, in CSS px: its box is that of the line,
/// not of the ink.
const SLACK: f32 = 1.0;
/// Roles of what closes as soon as one clicks elsewhere; its control says that it is expanded.
const POPUPS: &[&str] = &["menu", "listbox", "tooltip"];
/// The same, and what has a button to close it.
const POPUPS_OVER_TEXT: &[&str] = &["menu", "listbox", "tooltip", "dialog", "alertdialog"];
const WHITE: &str = "rgb(255, 255, 255)";
const EVERYWHERE: BoxInDocument = BoxInDocument { x: -1e9, y: -1e9, width: 2e9, height: 2e9 };

/// What a node's ancestors mean for where it is painted.
#[derive(Clone, Copy)]
struct Place {
    /// Nearest fixed or sticky element, itself included.
    pin: u32,
    /// Whether that is fixed.
    fixed: bool,
    /// Nearest scroller that holds it.
    scroller: u32,
    /// What hard clips leave of it.
    clip: BoxInDocument,
    /// Whether its box is painted as it is: nothing fades, filters, clips or turns it.
    solid: bool,
}

/// Boxes by the bands of the document that they reach into.
struct Bands {
    low: i32,
    bands: Vec<Vec<u32>>,
    tall: Vec<u32>,
}

impl Bands {
    /// Sorts boxes into bands, each band by paint order, last first.
    fn of(page: &Page, mut ids: Vec<u32>) -> Self {
        ids.sort_by_key(|id| std::cmp::Reverse(page.nodes.paint_order[*id as usize]));
        let reach = |id: u32| {
            let bounds = page.nodes.bounds[id as usize];
            ((bounds.y / BAND).floor() as i32, (bounds.bottom() / BAND).floor() as i32)
        };
        let short = |id: &u32| {
            let (from, to) = reach(*id);
            to.saturating_sub(from) < TALL && from > -4_096 && to < 65_536
        };
        let low = ids.iter().copied().filter(|id| short(id)).map(|id| reach(id).0).min().unwrap_or(0);
        let high = ids.iter().copied().filter(|id| short(id)).map(|id| reach(id).1).max().unwrap_or(-1);
        let mut this = Self { low, bands: vec![Vec::new(); (high - low + 1).max(0) as usize], tall: Vec::new() };
        for id in ids {
            if short(&id) {
                let (from, to) = reach(id);
                (from..=to).for_each(|band| this.bands[(band - low) as usize].push(id));
            } else {
                this.tall.push(id);
            }
        }
        this
    }

    /// Returns the boxes that may reach to a height, each list by paint order, last first.
    fn at(&self, y: f32) -> [&[u32]; 2] {
        let band = usize::try_from((y / BAND).floor() as i32 - self.low).ok();
        [band.and_then(|band| self.bands.get(band)).map_or(&[], Vec::as_slice), &self.tall]
    }
}

struct Look<'p> {
    page: &'p Page,
    places: Vec<Place>,
    view: BoxInDocument,
    pairs: u32,
}

/// Sets the flags of what cannot be seen or reached.
pub(super) fn mark(page: &mut Page) {
    let found = {
        let mut look = Look::of(page);
        let mut found = look.painted_over();
        found.extend(look.camouflaged());
        found.extend(look.covered());
        found
    };
    for (id, flag) in found {
        page.nodes.flags[id as usize].set(flag, true);
    }
}

impl<'p> Look<'p> {
    fn of(page: &'p Page) -> Self {
        let mut places: Vec<Place> = Vec::with_capacity(page.len());
        for node in page.nodes() {
            let at = node.id().index();
            let Some(parent) = node.parent().map(|parent| parent.id().index()) else {
                places.push(Place { pin: NO_NODE, fixed: false, scroller: NO_NODE, clip: EVERYWHERE, solid: true });
                continue;
            };
            let mut place = places[parent];
            if page.nodes.flags[parent].has(Flags::SCROLLER) {
                place.scroller = parent as u32;
            }
            if page.nodes.kind[at] == NodeKind::Element {
                let above = page.node(NodeId(parent as u32));
                let clips = |name| matches!(said(above, name), "hidden" | "clip");
                if !matches!(above.tag(), "html" | "body") && (clips(OVERFLOW_X) || clips(OVERFLOW_Y)) {
                    place.clip = place.clip.intersection(above.bounds());
                }
                match said(node, POSITION) {
                    "fixed" => {
                        place = Place { pin: at as u32, fixed: true, scroller: NO_NODE, ..place };
                    }
                    "sticky" => place = Place { pin: at as u32, fixed: false, ..place },
                    _ => {}
                }
                place.solid &= paints_its_box(node);
            }
            places.push(place);
        }
        let view = BoxInDocument {
            x: page.scroll.x,
            y: page.scroll.y,
            width: page.viewport.width as f32,
            height: page.viewport.height as f32,
        };
        Self { page, places, view, pairs: MOST_PAIRS }
    }

    fn place(&self, id: u32) -> Place {
        self.places[id as usize]
    }

    fn spend(&mut self) -> bool {
        self.pairs = self.pairs.saturating_sub(1);
        self.pairs > 0
    }

    /// Returns the box that a cover has to reach over to lie above a thing however one scrolls;
    /// none if one can scroll it away.
    fn to_reach(&self, thing: u32, cover: u32) -> Option<BoxInDocument> {
        let (below, above) = (self.place(thing), self.place(cover));
        if below.pin != above.pin && !(below.fixed && above.fixed) {
            return above.fixed.then_some(self.view);
        }
        let mut box_of = thing;
        let mut scroller = below.scroller;
        while scroller != above.scroller {
            if scroller == NO_NODE {
                return None;
            }
            box_of = scroller;
            scroller = self.place(scroller).scroller;
        }
        Some(self.page.nodes.bounds[box_of as usize])
    }

    /// Returns what can be seen of a cover, hard clips taken off.
    fn reach_of(&self, cover: u32) -> BoxInDocument {
        self.page.nodes.bounds[cover as usize].intersection(self.place(cover).clip)
    }

    /// Returns the cover that lies over the whole of a thing for good.
    fn hidden_under(&mut self, thing: NodeRef<'_>, covers: &Bands) -> bool {
        let id = thing.id().0;
        let order = thing.paint_order();
        for list in covers.at(thing.bounds().y).into_iter().chain([self.whole_view(covers)]) {
            for cover in list {
                if self.page.nodes.paint_order[*cover as usize] <= order || !self.spend() {
                    break;
                }
                let above = self.page.node(NodeId(*cover));
                if above.frame() != thing.frame() || above.holds(thing.id()) || thing.holds(above.id()) {
                    continue;
                }
                let target = self.to_reach(id, *cover).filter(|target| !target.is_empty());
                if target.is_some_and(|target| self.reach_of(*cover).contains_box(target, SLACK))
                    && !opens_and_closes(thing, above, POPUPS_OVER_TEXT)
                {
                    return true;
                }
            }
        }
        false
    }

    /// Returns the boxes at the top of the viewport: what is fixed there lies over everything that
    /// scrolls.
    fn whole_view<'b>(&self, covers: &'b Bands) -> &'b [u32] {
        covers.at(self.view.y)[0]
    }

    fn painted_over(&mut self) -> Vec<(u32, Flags)> {
        let page = self.page;
        let covers: Vec<u32> = page
            .nodes()
            .filter(|node| {
                node.kind() == NodeKind::Element
                    && node.is_visible()
                    && node.paint_order() > 0
                    && self.place(node.id().0).solid
                    && is_opaque(said(*node, BACKGROUND_COLOUR))
                    && has_a_box(*node)
                    && !node.bounds().is_empty()
            })
            .map(|node| node.id().0)
            .collect();
        if covers.is_empty() {
            return Vec::new();
        }
        let covers = Bands::of(page, covers);
        let mut found = Vec::new();
        let mut until = 0;
        for node in page.nodes() {
            let is_frame = node.flags().has(Flags::IFRAME);
            if !node.is_visible() || !(is_frame || is_text(node)) {
                continue;
            }
            if node.id().0 < until {
                found.push((node.id().0, Flags::PAINTED_OVER));
            } else if self.hidden_under(node, &covers) {
                if is_frame {
                    until = node.end();
                } else {
                    found.push((node.id().0, Flags::PAINTED_OVER));
                }
            }
        }
        found
    }

    fn camouflaged(&mut self) -> Vec<(u32, Flags)> {
        let page = self.page;
        let candidates: Vec<(NodeRef<'_>, u32)> = page
            .nodes()
            .filter(|node| is_text(*node) && node.is_visible() && !has_own_colours(node.text()))
            .filter_map(|node| Some((node, background_alike(node)?)))
            .collect();
        if candidates.is_empty() {
            return Vec::new();
        }
        let painters: Vec<u32> = page
            .nodes()
            .filter(|node| node.kind() == NodeKind::Element && node.is_visible() && paints(*node))
            .map(|node| node.id().0)
            .collect();
        let painters = Bands::of(page, painters);
        let mut found = Vec::new();
        for (text, ground) in candidates {
            let bounds = text.bounds();
            let under = if ground == NO_NODE { 0 } else { page.nodes.paint_order[ground as usize] };
            let mut other = false;
            // A text that spans bands is rare; its first and last line are looked at.
            for list in [bounds.y, bounds.bottom()].into_iter().flat_map(|y| painters.at(y)) {
                for painter in list {
                    let order = page.nodes.paint_order[*painter as usize];
                    if !self.spend() {
                        other = true;
                    }
                    if other || order < under {
                        break;
                    }
                    let node = page.node(NodeId(*painter));
                    if order <= text.paint_order()
                        && !node.holds(text.id())
                        && (ground == NO_NODE || !node.holds(NodeId(ground)))
                        && node.frame() == text.frame()
                        && node.bounds().intersection(bounds).area() > 0.0
                    {
                        other = true;
                        break;
                    }
                }
            }
            if !other {
                found.push((text.id().0, Flags::CAMOUFLAGED));
            }
        }
        found
    }

    fn covered(&mut self) -> Vec<(u32, Flags)> {
        let page = self.page;
        let takes_clicks = |node: &NodeRef<'_>| {
            node.kind() == NodeKind::Element
                && node.is_visible()
                && node.paint_order() > 0
                && !node.flags().has(Flags::NO_POINTER_EVENTS)
                && has_a_box(*node)
                && !node.bounds().is_empty()
        };
        let covers = Bands::of(page, page.nodes().filter(takes_clicks).map(|node| node.id().0).collect());
        let mut found = Vec::new();
        let mut until = 0;
        for node in page.nodes() {
            let is_frame = node.flags().has(Flags::IFRAME);
            if !node.is_visible() || !(is_frame || node.is_interactive()) {
                continue;
            }
            if node.id().0 < until {
                if !is_frame {
                    found.push((node.id().0, Flags::COVERED));
                }
            } else if is_frame {
                until = if self.hidden_under(node, &covers) { node.end() } else { until };
            } else if self.is_out_of_reach(node, &covers) {
                found.push((node.id().0, Flags::COVERED));
            }
        }
        found
    }

    /// Returns whether a click on the middle of a node lands on another for good.
    fn is_out_of_reach(&mut self, node: NodeRef<'_>, covers: &Bands) -> bool {
        let (id, order) = (node.id().0, node.paint_order());
        let middle = node.bounds().center();
        for list in covers.at(middle.1).into_iter().chain([self.whole_view(covers)]) {
            for cover in list {
                if self.page.nodes.paint_order[*cover as usize] <= order || !self.spend() {
                    break;
                }
                let above = self.page.node(NodeId(*cover));
                if above.frame() != node.frame() || above.holds(node.id()) || node.holds(above.id()) {
                    continue;
                }
                let Some(target) = self.to_reach(id, *cover) else { continue };
                let reach = self.reach_of(*cover);
                let over =
                    if target == node.bounds() { reach.contains(middle) } else { reach.contains_box(target, 0.0) };
                if over && !is_part_of_the_same(node, above) && !opens_and_closes(node, above, POPUPS) {
                    return true;
                }
            }
        }
        false
    }
}

/// Returns whether a cover is a part of a popup that the thing is not in.
fn opens_and_closes(thing: NodeRef<'_>, cover: NodeRef<'_>, popups: &[&str]) -> bool {
    std::iter::once(cover).chain(cover.ancestors()).take_while(|above| !above.holds(thing.id())).any(|above| {
        let role = above.attribute("role").unwrap_or_else(|| above.role());
        popups.contains(&role) || above.attribute("popover").is_some()
    })
}

/// Returns whether a click on `cover` is a click on the control all the same: its label, or a part
/// of what holds it.
fn is_part_of_the_same(control: NodeRef<'_>, cover: NodeRef<'_>) -> bool {
    let mut above = std::iter::once(cover).chain(cover.ancestors());
    above
        .find(|above| above.tag() == "label" || above.is_interactive())
        .is_some_and(|above| above.tag() == "label" || above.holds(control.id()))
}

fn said(node: NodeRef<'_>, name: usize) -> &str {
    node.style_at(name).unwrap_or("")
}

fn is_text(node: NodeRef<'_>) -> bool {
    matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo)
}

/// Inline boxes are several rectangles; the page's canvas takes over the background of the document
/// element and the body.
fn has_a_box(node: NodeRef<'_>) -> bool {
    !matches!(said(node, DISPLAY), "" | "inline" | "contents") && !matches!(node.tag(), "html" | "body")
}

fn paints_its_box(node: NodeRef<'_>) -> bool {
    let faded = said(node, OPACITY).parse::<f32>().is_ok_and(|opacity| opacity < 1.0);
    let plain = |name| matches!(said(node, name), "" | "none");
    // A matrix whose first four numbers are those of the identity only moves.
    let moves = said(node, TRANSFORM).starts_with("matrix(1, 0, 0, 1,");
    !faded && plain(FILTER) && plain(CLIP_PATH) && (plain(TRANSFORM) || moves)
}

fn is_opaque(colour: &str) -> bool {
    colour.starts_with("rgb(")
}

fn is_clear(colour: &str) -> bool {
    matches!(colour, "" | "transparent") || (colour.starts_with("rgba(") && colour.ends_with(", 0)"))
}

fn paints(node: NodeRef<'_>) -> bool {
    !is_clear(said(node, BACKGROUND_COLOUR))
        || !matches!(said(node, BACKGROUND_IMAGE), "" | "none")
        || matches!(node.tag(), "img" | "canvas" | "video" | "svg" | "iframe" | "frame" | "object" | "embed" | "input")
}

/// Emoji have colours of their own.
fn has_own_colours(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'))
}

/// Returns the ancestor whose opaque background has the colour of the text ([`NO_NODE`]: the
/// canvas); none if there is none, or if that cannot be known.
fn background_alike(text: NodeRef<'_>) -> Option<u32> {
    // The element of a text carries its colour; what has no layout of its own (`display: contents`)
    // has none.
    let colour = text.ancestors().map(|above| said(above, COLOUR)).find(|colour| !colour.is_empty())?;
    if !is_opaque(colour) {
        return None;
    }
    let own = (text.kind() == NodeKind::Pseudo).then_some(text);
    for above in own.into_iter().chain(text.ancestors()) {
        if !matches!(said(above, BACKGROUND_IMAGE), "" | "none") {
            return None;
        }
        let ground = said(above, BACKGROUND_COLOUR);
        if is_clear(ground) {
            continue;
        }
        return (ground == colour).then_some(above.id().0);
    }
    // With a dark colour scheme the canvas is not white; text that nobody coloured is white then.
    let root = text.ancestors().filter(|above| above.tag() == "html").last()?;
    (colour == WHITE && said(root, COLOUR) != WHITE).then_some(NO_NODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::ScrollOffset;
    use crate::{NodeSpec, PageBuilder};

    const BLACK: &str = "rgb(0, 0, 0)";
    const RED: &str = "rgb(200, 0, 0)";

    /// One line of a page: depth, tag (`#text` for text), box, paint order, styles.
    type Line<'a> = (usize, &'a str, [f32; 4], u32, &'a [(usize, &'a str)]);

    fn flags(lines: &[Line<'_>]) -> Vec<Flags> {
        scrolled(lines, 0.0)
    }

    fn scrolled(lines: &[Line<'_>], y: f32) -> Vec<Flags> {
        let mut builder = PageBuilder::new("http://a.test/", "A");
        builder.scroll(ScrollOffset { x: 0.0, y }, 1280.0, 4_000.0);
        for (depth, tag, [x, y, width, height], paint_order, styles) in lines {
            builder.close_to(depth + 1);
            let mut flags = Flags::NONE;
            flags.set(Flags::SCROLLER, styles.contains(&(OVERFLOW_Y, "auto")));
            builder.open(NodeSpec {
                kind: if *tag == "#text" { NodeKind::Text } else { NodeKind::Element },
                tag,
                role: if matches!(*tag, "button" | "menu" | "dialog") { tag } else { "" },
                text: if *tag == "#text" { "some words" } else { "" },
                bounds: BoxInDocument { x: *x, y: *y, width: *width, height: *height },
                paint_order: *paint_order,
                flags,
                styles: styles.iter().map(|(name, value)| (u8::try_from(*name).expect("32 styles"), *value)).collect(),
                ..NodeSpec::default()
            });
        }
        let mut page = builder.finish();
        mark(&mut page);
        page.nodes().skip(1).map(|node| node.flags()).collect()
    }

    const BLOCK: (usize, &str) = (DISPLAY, "block");
    const ON_WHITE: (usize, &str) = (BACKGROUND_COLOUR, WHITE);

    #[test]
    fn text_under_an_opaque_box_is_hidden_and_beside_it_is_not() {
        let under = |cover: &[(usize, &str)], at: [f32; 4], order: u32| {
            let styles: Vec<_> = [BLOCK].iter().chain(cover).copied().collect();
            flags(&[
                (0, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK, (COLOUR, BLACK)]),
                (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
                (0, "div", at, order, &styles),
            ])[1]
                .has(Flags::PAINTED_OVER)
        };
        let over = [0.0, 0.0, 300.0, 40.0];
        assert!(under(&[ON_WHITE], over, 2));
        assert!(!under(&[ON_WHITE], over, 1), "painted together, or before");
        assert!(!under(&[ON_WHITE], [0.0, 0.0, 80.0, 40.0], 2), "over a part of it");
        for glass in [
            [(BACKGROUND_COLOUR, "rgba(255, 255, 255, 0.9)"), BLOCK],
            [ON_WHITE, (OPACITY, "0.9")],
            [ON_WHITE, (TRANSFORM, "matrix(0.7, 0.7, -0.7, 0.7, 0, 0)")],
            [ON_WHITE, (CLIP_PATH, "circle(30%)")],
            [(BACKGROUND_IMAGE, "linear-gradient(red, blue)"), BLOCK],
        ] {
            assert!(!under(&glass, over, 2), "{glass:?}");
        }
        assert!(under(&[ON_WHITE, (TRANSFORM, "matrix(1, 0, 0, 1, 0, 5)")], over, 2), "it is only moved");
    }

    #[test]
    fn an_open_popup_hides_no_text() {
        let hidden = |tag: &str| {
            flags(&[
                (0, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
                (0, tag, [0.0, 0.0, 300.0, 40.0], 2, &[BLOCK]),
                (1, "div", [0.0, 0.0, 300.0, 40.0], 2, &[BLOCK, ON_WHITE]),
            ])[0]
                .has(Flags::PAINTED_OVER)
        };
        assert!(!hidden("menu") && !hidden("dialog") && hidden("aside"));
    }

    #[test]
    fn what_scrolling_brings_out_is_not_hidden() {
        let page = |height: f32, y: f32| {
            let bar = [0.0, y, 1280.0, height];
            let lines: [Line<'_>; 5] = [
                (0, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK]),
                (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
                (0, "button", [10.0, 1_500.0, 80.0, 20.0], 1, &[BLOCK]),
                (1, "#text", [10.0, 1_500.0, 80.0, 18.0], 1, &[]),
                (0, "div", bar, 2, &[BLOCK, ON_WHITE, (POSITION, "fixed")]),
            ];
            scrolled(&lines, y)
        };
        for y in [0.0, 5.0, 1_490.0] {
            let bar = page(60.0, y);
            assert!(bar.iter().all(|flags| !flags.any(Flags::PAINTED_OVER.with(Flags::COVERED))), "at {y}: {bar:?}");
            let all = page(800.0, y);
            assert!(all[1].has(Flags::PAINTED_OVER) && all[3].has(Flags::PAINTED_OVER), "at {y}");
            assert!(all[2].has(Flags::COVERED), "at {y}");
        }
        let inner = |cover: [f32; 4]| {
            flags(&[
                (0, "div", [0.0, 0.0, 300.0, 100.0], 1, &[BLOCK, (OVERFLOW_Y, "auto")]),
                (1, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
                (0, "div", cover, 2, &[BLOCK, ON_WHITE, (POSITION, "absolute")]),
            ])[1]
                .has(Flags::PAINTED_OVER)
        };
        assert!(!inner([0.0, 0.0, 300.0, 50.0]), "the list scrolls below it");
        assert!(inner([0.0, 0.0, 300.0, 100.0]), "the whole list is under it");
    }

    #[test]
    fn a_control_whose_middle_another_box_takes_is_covered_and_one_under_its_label_is_not() {
        let covered = |tag: &str, styles: &[(usize, &str)]| {
            flags(&[(0, "button", [10.0, 10.0, 80.0, 20.0], 1, &[BLOCK]), (0, tag, [0.0, 0.0, 300.0, 40.0], 2, styles)])
                [0]
            .has(Flags::COVERED)
        };
        assert!(covered("div", &[BLOCK]), "it need not be opaque");
        assert!(covered("dialog", &[BLOCK]));
        assert!(!covered("menu", &[BLOCK]), "it closes");
        assert!(!covered("label", &[BLOCK]));
        assert!(!covered("span", &[(DISPLAY, "inline")]), "an inline box is not one rectangle");
    }

    #[test]
    fn text_in_the_colour_behind_it_is_hidden_wherever_the_colours_are_said() {
        let hidden = |outer: &[(usize, &str)], inner: &[(usize, &str)]| {
            let outer: Vec<_> = [BLOCK].iter().chain(outer).copied().collect();
            flags(&[
                (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, BLACK)]),
                (1, "section", [0.0, 0.0, 400.0, 100.0], 1, &outer),
                (2, "span", [10.0, 10.0, 200.0, 20.0], 1, inner),
                (3, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
            ])[3]
                .has(Flags::CAMOUFLAGED)
        };
        assert!(hidden(&[(BACKGROUND_COLOUR, RED)], &[(COLOUR, RED)]));
        assert!(hidden(&[], &[(COLOUR, WHITE)]), "the canvas is white");
        assert!(!hidden(&[(BACKGROUND_COLOUR, BLACK)], &[(COLOUR, WHITE)]));
        assert!(!hidden(&[(BACKGROUND_COLOUR, RED), (BACKGROUND_IMAGE, "url(a.png)")], &[(COLOUR, RED)]));
        assert!(!hidden(&[(BACKGROUND_COLOUR, "rgba(200, 0, 0, 0.5)")], &[(COLOUR, RED)]), "half of it is unknown");
    }

    #[test]
    fn text_that_something_else_may_lie_behind_is_not_hidden() {
        let on_picture = |tag: &str, at: [f32; 4]| {
            flags(&[
                (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, BLACK)]),
                (1, tag, at, 1, &[BLOCK]),
                (1, "p", [10.0, 10.0, 200.0, 20.0], 2, &[BLOCK, (COLOUR, WHITE)]),
                (2, "#text", [10.0, 10.0, 120.0, 18.0], 2, &[]),
            ])[3]
                .has(Flags::CAMOUFLAGED)
        };
        assert!(!on_picture("img", [0.0, 0.0, 400.0, 100.0]));
        assert!(on_picture("img", [0.0, 400.0, 400.0, 100.0]));
        assert!(on_picture("div", [0.0, 0.0, 400.0, 100.0]), "it paints nothing");
        let dark_scheme = flags(&[
            (0, "html", [0.0, 0.0, 1280.0, 800.0], 1, &[BLOCK, (COLOUR, WHITE)]),
            (1, "p", [10.0, 10.0, 200.0, 20.0], 1, &[BLOCK, (COLOUR, WHITE)]),
            (2, "#text", [10.0, 10.0, 120.0, 18.0], 1, &[]),
        ]);
        assert!(!dark_scheme[2].has(Flags::CAMOUFLAGED));
    }
}
