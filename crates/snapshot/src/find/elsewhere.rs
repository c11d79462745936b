//! Where what was not found may be: closed, clipped, not drawn yet.
//!
//! In: a page or what the lens shows of it. Out: words to go on with, empty where there is nothing
//! to say.

use super::near::{write_quoted, write_words};
use super::{ABOVE, FindOptions, LONGEST, MOST_NEAR};
use crate::interactive::RefLens;
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeKey, NodeKind, NodeRef, Page, Visibility};
use browserlens_lens::tree::StateSet;
use browserlens_lens::{ShownNode, ShownState};
use std::fmt::Write as _;

/// Most things that are closed, and words that they are closed in, which are named.
const MOST_CLOSED: usize = 3;

/// Counts what says a text outside of what its box shows, else names links and buttons that say it
/// and are not drawn now, and the words before what they lie in, as of a menu, from the inside.
pub fn closed(lens: &RefLens, page: &Page, text: &str) -> String {
    let wanted = folded(text).to_lowercase();
    let text_of = |node: NodeRef<'_>| {
        let texts = node.subtree().filter(|part| part.kind() == NodeKind::Text).map(|part| folded(part.text()));
        texts.take(MOST_NEAR).collect::<Vec<_>>().join(" ").trim().to_owned()
    };
    let is_closed = |node: &NodeRef<'_>| {
        let is_control = node.tag() == "a" && node.attribute("href").is_some()
            || node.tag() == "button"
            || matches!(node.attribute("role"), Some("menuitem" | "link" | "button" | "tab"));
        let is_unseen = !node.is_visible() && node.visibility() != Visibility::Clipped;
        is_control && is_unseen && text_of(*node).to_lowercase().contains(&wanted)
    };
    let mut out = String::new();
    if wanted.is_empty() {
        return out;
    }
    let outside = clipped(page, &wanted, None).len();
    if outside > 0 {
        let _ = write!(out, "; {outside} outside of what its box shows: `click` by that text scrolls there");
        return out;
    }
    for (at, node) in page.nodes().filter(is_closed).take(MOST_CLOSED).enumerate() {
        out.push_str(if at == 0 { "; closed: " } else { ", " });
        write_quoted(&mut out, &text_of(node));
        let mut inner = node;
        let mut words = 0;
        for above in node.ancestors() {
            let before = above.children().take_while(|part| part.id() != inner.id());
            let word = before.filter(|part| matches!(part.kind(), NodeKind::Element | NodeKind::Text)).last();
            inner = above;
            let Some((word, text)) = word.map(|word| (word, text_of(word))) else { continue };
            if !matches!(above.tag(), "li" | "details") || text.is_empty() || text.len() > LONGEST {
                continue;
            }
            out.push_str(" in ");
            write_quoted(&mut out, &text);
            lens.reference(word.key()).into_iter().for_each(|on| out.push_str(&format!(" {on}")));
            words += 1;
            if words == MOST_CLOSED {
                break;
            }
        }
    }
    if !out.is_empty() {
        out.push_str(": `hover` or `click` the last word first");
    }
    out
}

/// Names what draws only a part of its items, in which the text may be all the same.
pub(super) fn where_more_is(shown: &ShownState, options: &FindOptions) -> String {
    let is_in = |node: &ShownNode<'_>| {
        options.within.is_none_or(|within| {
            node.reference() == Some(within) || node.ancestors().any(|above| above.reference() == Some(within))
        })
    };
    let partial = shown.nodes().filter(|node| shown.tree().item(node.id()).states.has(StateSet::PARTIAL)).filter(is_in);
    let mut out = String::new();
    for (at, node) in partial.take(ABOVE).enumerate() {
        out.push_str(if at == 0 { " in what is drawn; `scroll` with `until` draws more of " } else { ", " });
        write_words(&mut out, node.role(), node.name());
        node.reference().into_iter().for_each(|reference| out.push_str(&format!(" {reference}")));
    }
    out
}

/// Smallest box that is there to be filled, in CSS px.
const LEAST_BOX: (f32, f32) = (200.0, 100.0);

/// Says how many boxes outside of the viewport hold nothing: a page fills them as it is scrolled.
pub(super) fn unfilled(page: &Page) -> String {
    let is_empty = |node: &NodeRef<'_>| {
        let bounds = node.bounds();
        matches!(node.tag(), "div" | "section" | "article" | "li")
            && node.is_visible()
            && !node.in_viewport()
            && bounds.width >= LEAST_BOX.0
            && bounds.height >= LEAST_BOX.1
            && node.descendants().all(|below| !below.is_seen() && !below.is_visible())
    };
    match page.nodes().filter(is_empty).count() {
        0 => String::new(),
        1 => "; 1 box outside of the viewport is empty: `scroll` with `until` may fill it".to_owned(),
        count => format!("; {count} boxes outside of the viewport are empty: `scroll` with `until` may fill them"),
    }
}

/// Returns the elements that say exactly a text, in lower case, outside of what a box around them
/// shows: they are scrolled to when they are acted on.
pub(super) fn clipped(page: &Page, wanted: &str, within: Option<NodeRef<'_>>) -> Vec<NodeKey> {
    let is_out = |text: &NodeRef<'_>| text.kind() == NodeKind::Text && text.visibility() == Visibility::Clipped;
    // What is for readers of the screen alone has no room.
    let has_room = |text: &NodeRef<'_>| {
        text.ancestors().take(ABOVE).all(|above| above.bounds().width >= 2.0 && above.bounds().height >= 2.0)
    };
    let says = |text: &NodeRef<'_>| is_out(text) && folded(text.text()).to_lowercase() == wanted && has_room(text);
    let texts = page.nodes().filter(|text| within.is_none_or(|within| within.holds(text.id())) && says(text));
    texts.filter_map(|text| text.parent()).take(MOST_NEAR).map(|element| element.key()).collect()
}
