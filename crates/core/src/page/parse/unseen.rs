//! What another element hides for good: text that is painted over, text in the colour behind it,
//! controls that no click reaches.
//!
//! In: a page whose boxes, styles and paint orders are known. Out: [`Flags::PAINTED_OVER`] and
//! [`Flags::CAMOUFLAGED`] on texts, [`Flags::COVERED`] on what can be acted on. Invariants: only
//! what scrolling cannot undo counts, so these flags do not change when a page is scrolled; an open
//! popup (by its role or class) hides no text and covers no control, since it is there to be closed
//! (a dialog covers controls), nor does a small box with controls that floats over the flow hide
//! text; where a picture, a gradient or a half-transparent colour may decide, nothing is
//! hidden; the work is bounded, and what lies beyond the bound counts as seen. Why not
//! `Visibility`: that is what other tools' reproductions and page hashes go by. Rounded corners
//! and shadows are not captured: boxes are taken as rectangles.

use super::geometry::EVERYWHERE;
use super::styles::{
    BACKGROUND_COLOUR, BACKGROUND_IMAGE, CLIP_PATH, COLOUR, DISPLAY, FILTER, OPACITY, OVERFLOW_X, OVERFLOW_Y, POSITION,
    TRANSFORM,
};
use crate::page::node::{BoxInDocument, Flags, NodeId, NodeKind};
use crate::page::tree::{NO_NODE, NodeRef, Page};

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
/// Largest part of the viewport that a menu takes.
const FLOATING: f32 = 0.25;
/// Among how many nodes of it a control is looked for.
const MOST_IN_A_MENU: usize = 500;
/// How classes call what opens over a page and closes again, where no role says it.
const CALLED_POPUPS: &[&str] = &[
    "menu", "dropdown", "popup", "popover", "popper", "tooltip", "picker", "calendar", "autocomplete", "suggestions",
    "flyout", "toast",
];
const WHITE: &str = "rgb(255, 255, 255)";

/// What a node's ancestors mean for where it is painted.
#[derive(Clone, Copy)]
struct PaintContext {
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
    places: Vec<PaintContext>,
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
        let mut places: Vec<PaintContext> = Vec::with_capacity(page.len());
        for node in page.nodes() {
            let at = node.id().index();
            let Some(parent) = node.parent().map(|parent| parent.id().index()) else {
                let (pin, scroller) = (NO_NODE, NO_NODE);
                places.push(PaintContext { pin, fixed: false, scroller, clip: EVERYWHERE, solid: true });
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
                        place = PaintContext { pin: at as u32, fixed: true, scroller: NO_NODE, ..place };
                    }
                    "sticky" => place = PaintContext { pin: at as u32, fixed: false, ..place },
                    _ => {}
                }
                place.solid &= paints_its_box(node);
            }
            places.push(place);
        }
        Self { page, places, view: page.view(), pairs: MOST_PAIRS }
    }

    fn place(&self, id: u32) -> PaintContext {
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

    /// Returns whether one of the covers that are painted after a thing, and that no scrolling takes away from it, lies
    /// over it; `is_over` is given the cover and the box that it has to reach over.
    fn is_under(
        &mut self,
        thing: NodeRef<'_>,
        y: f32,
        covers: &Bands,
        is_over: impl Fn(&Self, NodeRef<'_>, BoxInDocument) -> bool,
    ) -> bool {
        for list in covers.at(y).into_iter().chain([self.whole_view(covers)]) {
            for cover in list {
                if self.page.nodes.paint_order[*cover as usize] <= thing.paint_order() || !self.spend() {
                    break;
                }
                let above = self.page.node(NodeId(*cover));
                if above.frame() != thing.frame() || above.holds(thing.id()) || thing.holds(above.id()) {
                    continue;
                }
                if self.to_reach(thing.id().0, *cover).is_some_and(|target| is_over(self, above, target)) {
                    return true;
                }
            }
        }
        false
    }

    /// Returns whether a cover lies over the whole of a thing for good.
    fn hidden_under(&mut self, thing: NodeRef<'_>, covers: &Bands) -> bool {
        self.is_under(thing, thing.bounds().y, covers, |look, above, target| {
            !target.is_empty()
                && look.reach_of(above.id().0).contains_box(target, SLACK)
                && !opens_and_closes(thing, above, POPUPS_OVER_TEXT)
                && !look.floats_over(thing, above)
        })
    }

    /// Returns whether a cover is, or is in, a small box with controls that is out of the flow,
    /// while the thing is in it: a menu that says so in no other way. Of slides that lie upon each
    /// other none is in the flow.
    fn floats_over(&self, thing: NodeRef<'_>, cover: NodeRef<'_>) -> bool {
        let is_out = |node: &NodeRef<'_>| matches!(said(*node, POSITION), "absolute" | "fixed");
        let most = self.view.area() * FLOATING;
        let around = |node| std::iter::once(node).chain(NodeRef::ancestors(&node));
        let is_floating = |above: NodeRef<'_>| {
            is_out(&above)
                && above.bounds().area() <= most
                && above.subtree().take(MOST_IN_A_MENU).any(|below| below.is_interactive() && below.is_visible())
        };
        around(cover).take_while(|above| !above.holds(thing.id())).any(is_floating)
            && !around(thing).take_while(|above| !above.holds(cover.id())).any(|above| is_out(&above))
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
        self.lost(Flags::PAINTED_OVER, &covers, is_text, |look, node| look.hidden_under(node, &covers))
    }

    /// Returns the nodes of a kind that are lost, each with the flag that says so: by themselves, or with a frame that
    /// lies under a cover as a whole.
    fn lost(
        &mut self,
        flag: Flags,
        covers: &Bands,
        is_meant: fn(NodeRef<'p>) -> bool,
        is_lost: impl Fn(&mut Self, NodeRef<'p>) -> bool,
    ) -> Vec<(u32, Flags)> {
        let page = self.page;
        let mut found = Vec::new();
        let mut until = 0;
        for node in page.nodes() {
            let is_frame = node.flags().has(Flags::IFRAME);
            if !node.is_visible() || !(is_frame || is_meant(node)) {
                continue;
            }
            let is_within = node.id().0 < until;
            if is_frame && !is_within {
                until = if self.hidden_under(node, covers) { node.end() } else { until };
                continue;
            }
            // Of what lies within a frame, no further frame is a control.
            let is_found = if is_within { !is_frame || flag == Flags::PAINTED_OVER } else { is_lost(self, node) };
            if is_found {
                found.push((node.id().0, flag));
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
        let is_control = |node: NodeRef<'p>| node.is_interactive();
        self.lost(Flags::COVERED, &covers, is_control, |look, node| look.is_out_of_reach(node, &covers))
    }

    /// Returns whether a click on the middle of a node lands on another for good.
    fn is_out_of_reach(&mut self, node: NodeRef<'_>, covers: &Bands) -> bool {
        let middle = node.bounds().center();
        self.is_under(node, middle.1, covers, |look, above, target| {
            let reach = look.reach_of(above.id().0);
            let over = if target == node.bounds() { reach.contains(middle) } else { reach.contains_box(target, 0.0) };
            over && !is_part_of_the_same(node, above) && !opens_and_closes(node, above, POPUPS)
        })
    }
}

/// Returns whether a cover is a part of a popup that the thing is not in.
fn opens_and_closes(thing: NodeRef<'_>, cover: NodeRef<'_>, popups: &[&str]) -> bool {
    std::iter::once(cover).chain(cover.ancestors()).take_while(|above| !above.holds(thing.id())).any(|above| {
        let role = above.attribute("role").unwrap_or_else(|| above.role());
        popups.contains(&role) || above.attribute("popover").is_some() || is_called_a_popup(above)
    })
}

/// Returns whether a class calls a box that is out of the flow a popup: `dropdown-menu`,
/// `ContextMenu`, `flatpickr-calendar`.
fn is_called_a_popup(node: NodeRef<'_>) -> bool {
    let is_a_word = |part: &str| {
        let part = part.to_ascii_lowercase();
        CALLED_POPUPS.iter().any(|word| part.ends_with(word))
    };
    matches!(said(node, POSITION), "absolute" | "fixed")
        && node.attribute("class").is_some_and(|class| class.split(|c: char| !c.is_alphanumeric()).any(is_a_word))
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

pub(super) fn is_opaque(colour: &str) -> bool {
    colour.starts_with("rgb(")
}

pub(super) fn is_clear(colour: &str) -> bool {
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
mod tests;
