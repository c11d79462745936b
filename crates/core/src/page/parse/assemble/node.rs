//! What the arrays of a snapshot say of one node: its box, styles, attributes, shadow tree, scrolling and what it does
//! when clicked.

use super::{Open, Walk};
use crate::page::build::PageBuilder;
use crate::page::node::{BoxInDocument, Clickability, Flags, NodeKind, ScrollOffset};
use crate::page::parse::geometry::{Cursor, Style};
use crate::page::parse::raw::Rect;
use crate::page::tree::Sym;

pub(super) fn bounds_of(walk: &Walk<'_, '_>, layout: Option<usize>) -> BoxInDocument {
    let rect = layout.and_then(|layout| walk.document.layout.bounds.get(layout)).copied().unwrap_or(Rect::default());
    let numbers = rect.0.map(|number| number as f32);
    if !rect.is_present() || numbers.iter().any(|number| !number.is_finite()) {
        return BoxInDocument::default();
    }
    let [x, y, width, height] = numbers;
    BoxInDocument {
        x: x + walk.origin.0 - walk.frame_scroll().x,
        y: y + walk.origin.1 - walk.frame_scroll().y,
        width,
        height,
    }
}

pub(super) fn paint_order(walk: &Walk<'_, '_>, layout: Option<usize>) -> u32 {
    layout
        .and_then(|layout| walk.document.layout.paint_orders.get(layout))
        .and_then(|order| u32::try_from(*order).ok())
        .unwrap_or(0)
}

pub(super) fn attributes_of<'d>(walk: &Walk<'d, '_>, index: usize) -> Vec<(&'d str, &'d str)> {
    let Some(list) = walk.document.nodes.attributes.get(index) else { return Vec::new() };
    list.chunks_exact(2)
        .map(|pair| {
            let value = walk.string(pair[1]);
            let end = value.floor_char_boundary(LONGEST_ATTRIBUTE);
            (walk.string(pair[0]), &value[..end])
        })
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// Says in which kind of shadow tree a node lies and whether it is slotted, and marks its parent as
/// the host.
pub(super) fn shadow_of(walk: &Walk<'_, '_>, index: usize, above: &Open, builder: &mut PageBuilder) -> Flags {
    let (shadow, host) = match walk.rare.shadow.get(&index).map(|kind| walk.string(*kind)) {
        Some("open") => (Flags::IN_OPEN_SHADOW, Flags::SHADOW_HOST_OPEN),
        Some("closed") => (Flags::IN_CLOSED_SHADOW, Flags::SHADOW_HOST_CLOSED),
        _ if above.is_slot && above.shadow != Flags::NONE => return Flags::SLOTTED,
        _ => return Flags::NONE,
    };
    if let Some(parent) = above.node
        && !above.shadow.has(shadow)
    {
        builder.flag(parent, host);
    }
    shadow
}

pub(super) fn clickability_of(
    walk: &Walk<'_, '_>,
    index: usize,
    backend: u32,
    tag: &str,
    attributes: &[(&str, &str)],
    style: &Style,
    above: &Open,
) -> Clickability {
    let mut why = Clickability::NONE;
    let is_edited = |(name, value): &(&str, &str)| *name == "contenteditable" && !value.eq_ignore_ascii_case("false");
    why.set(Clickability::EDITABLE, attributes.iter().any(is_edited));
    if matches!(tag, "html" | "body") {
        // Listeners here are delegation: they make nothing on the page more clickable than the
        // rest.
        return why;
    }
    let listens = match walk.listeners {
        Some(listeners) => listeners.get(&backend).copied().unwrap_or(false),
        None => {
            !matches!(tag, "input" | "a" | "select" | "textarea" | "button" | "label" | "option")
                && walk.rare.clickable.binary_search(&index).is_ok()
        }
    };
    why.set(Clickability::LISTENER, listens);
    let begins = style.cursor != Cursor::Silent && style.cursor != above.style.cursor;
    why.set(Clickability::POINTER, begins && !matches!(tag, "label" | "option"));
    for (name, value) in attributes {
        match *name {
            "tabindex" => why.set(Clickability::TABINDEX, value.trim().parse::<i32>().is_ok_and(|index| index >= 0)),
            "draggable" if value.eq_ignore_ascii_case("true") && !matches!(tag, "a" | "img") => {
                why.set(Clickability::HANDLER, true);
            }
            "onclick" | "onmousedown" | "onmouseup" | "onpointerdown" | "onpointerup" | "ondblclick"
            | "ontouchstart" => {
                why.set(Clickability::HANDLER, true);
            }
            _ => {}
        }
    }
    why
}

pub(super) fn scrolled_of(
    walk: &Walk<'_, '_>,
    layout: Option<usize>,
    style: &Style,
    flags: &mut Flags,
    kind: NodeKind,
) -> Option<(ScrollOffset, f32, f32)> {
    if kind != NodeKind::Element || !style.scrolls {
        return None;
    }
    let layout = layout?;
    let scroll = walk.document.layout.scroll_rects.get(layout).copied().filter(|rect| rect.is_present())?;
    let client = walk.document.layout.client_rects.get(layout).copied().filter(|rect| rect.is_present())?;
    let [x, y, width, height] = scroll.0.map(|number| number as f32);
    let more = width > client.0[2] as f32 + 1.0 || height > client.0[3] as f32 + 1.0;
    flags.set(Flags::SCROLLER, more);
    more.then_some((ScrollOffset { x, y }, width, height))
}

/// Attribute values longer than this are cut: data URLs and inline styles are not what anybody
/// reads.
const LONGEST_ATTRIBUTE: usize = 2_000;

/// Computed styles that many nodes have in common.
#[derive(Default)]
pub(super) struct Styles<'d> {
    pub(super) named: Vec<(u8, &'d str)>,
    /// The same as the builder knows them, once a node was given them.
    pub(super) known: Option<Vec<(u8, Sym)>>,
}
