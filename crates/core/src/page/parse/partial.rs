//! What draws only a part of its items: lists that make rows as one scrolls to them.
//!
//! In: a page whose boxes and styles are known. Out: [`Flags::PARTIAL`] on the list, or on what
//! scrolls where no list is around. A scroller counts whose content leaves more than a screen of it
//! empty before or after what is drawn, as does a list that says itself that it has more items
//! (`aria-rowcount`, `aria-setsize`).

use super::styles::{OVERFLOW_X, OVERFLOW_Y};
use crate::page::node::{BoxInDocument, Flags, NodeId, NodeKind, Visibility};
use crate::page::role;
use crate::page::tree::{NodeRef, Page};

/// Roles of what holds rows or items.
const LISTS: &[&str] = &["grid", "treegrid", "table", "listbox", "list", "tree", "feed", "log"];
/// What is drawn without a text.
const DRAWN: &[&str] = &["img", "svg", "canvas", "video", "picture", "iframe", "object", "input", "select", "textarea"];
/// How far a list may lie above or below what scrolls, in nodes.
const FAR: usize = 8;
/// Smallest gap that counts, in CSS px: padding is less.
const GAP: f32 = 200.0;
/// Most nodes that are looked at on one page: lists within lists are looked through for each.
const MOST_NODES: u32 = 4_000_000;

pub(super) fn mark(page: &mut Page) {
    let mut left = MOST_NODES;
    let found: Vec<NodeId> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Element && node.is_visible())
        .filter_map(|node| match node.flags().has(Flags::SCROLLER) && leaves_empty(page, node, &mut left) {
            true => Some(list_of(node).id()),
            false => has_more(node, &mut left).then_some(node.id()),
        })
        .collect();
    for node in found {
        page.nodes.flags[node.index()].set(Flags::PARTIAL, true);
    }
}

/// From where to where something reaches on an axis.
#[derive(Clone, Copy)]
struct Span(f32, f32);

impl Span {
    const NONE: Self = Self(f32::INFINITY, f32::NEG_INFINITY);

    fn of(bounds: BoxInDocument, is_down: bool) -> Self {
        if is_down { Self(bounds.y, bounds.bottom()) } else { Self(bounds.x, bounds.right()) }
    }

    fn and(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.max(other.1))
    }

    fn size(self) -> f32 {
        self.1 - self.0
    }
}

/// Returns whether all that is in a node may still be looked at.
fn spend(node: NodeRef<'_>, left: &mut u32) -> bool {
    *left = left.saturating_sub(node.end() - node.id().0);
    *left > 0
}

/// Returns whether more than a screen of what scrolls is empty, and the rest is filled.
fn leaves_empty(page: &Page, scroller: NodeRef<'_>, left: &mut u32) -> bool {
    let scrolls = |name: usize| matches!(scroller.style_at(name), Some("auto" | "scroll"));
    [(OVERFLOW_Y, true), (OVERFLOW_X, false)].into_iter().any(|(overflow, is_down)| {
        if !scrolls(overflow) || !spend(scroller, left) {
            return false;
        }
        let view = Span::of(scroller.bounds(), is_down);
        let (mut content, mut drawn) = (Span::NONE, Span::NONE);
        // Scrollers around a node and what can be seen through them: what they hold reaches no further.
        let mut within: Vec<(u32, BoxInDocument)> = Vec::new();
        for id in scroller.id().0 + 1..scroller.end() {
            let node = page.node(NodeId(id));
            while within.pop_if(|(end, _)| *end <= id).is_some() {}
            if matches!(node.visibility(), Visibility::NotRendered | Visibility::Unreachable) {
                continue;
            }
            let bounds = within.last().map_or(node.bounds(), |(_, clip)| node.bounds().intersection(*clip));
            let span = Span::of(bounds, is_down);
            if bounds.is_empty() {
                continue;
            }
            content = content.and(span);
            let says = match node.kind() {
                NodeKind::Element => DRAWN.contains(&node.tag()) || role::is_interactive(node.role()),
                _ => !node.text().trim().is_empty(),
            };
            if says && node.is_visible() {
                drawn = drawn.and(span);
            }
            if node.flags().has(Flags::SCROLLER) {
                within.push((node.end(), bounds));
            }
        }
        let gap = (drawn.0 - content.0).max(content.1 - drawn.1);
        gap > view.size().max(GAP) && drawn.size() * 2.0 > view.size()
    })
}

/// Returns the list that a scroller is the body of, or the scroller.
fn list_of(scroller: NodeRef<'_>) -> NodeRef<'_> {
    let is_list = |node: &NodeRef<'_>| LISTS.contains(&node.role_or_attribute());
    let below = || scroller.subtree().filter(|node| node.kind() == NodeKind::Element).take(FAR).find(is_list);
    let most = scroller.bounds().height * 2.0;
    let above = || scroller.ancestors().take(FAR).find(|node| is_list(node) && node.bounds().height <= most);
    below().or_else(above).unwrap_or(scroller)
}

/// Returns whether a list says that it has more items than are there.
fn has_more(list: NodeRef<'_>, left: &mut u32) -> bool {
    let count = |node: NodeRef<'_>, name| node.attribute(name).and_then(|count| count.trim().parse::<i64>().ok());
    let mut is_more = |count: i64, role: &str| {
        count == -1
            || spend(list, left)
                && count > list.descendants().filter(|node| node.role_or_attribute() == role).count() as i64
    };
    match list.role_or_attribute() {
        "grid" | "treegrid" | "table" => count(list, "aria-rowcount").is_some_and(|rows| is_more(rows, "row")),
        "listbox" | "list" | "feed" => {
            let item = list.descendants().take(FAR).find(|node| node.attribute("aria-setsize").is_some());
            item.is_some_and(|item| {
                count(item, "aria-setsize").is_some_and(|items| is_more(items, item.role_or_attribute()))
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{NodeSpec, PageBuilder};

    /// A node: depth, role or tag, box as y and height, attribute.
    type Line<'a> = (usize, &'a str, [f32; 2], Option<(&'a str, &'a str)>);

    fn partial(lines: &[Line<'_>]) -> Vec<String> {
        let mut builder = PageBuilder::new("http://a.test/", "A");
        for (depth, what, [y, height], attribute) in lines {
            builder.close_to(depth + 1);
            let is_scroller = *what == "scroller";
            let mut flags = Flags::NONE;
            flags.set(Flags::SCROLLER, is_scroller);
            builder.open(NodeSpec {
                kind: if *what == "#text" { NodeKind::Text } else { NodeKind::Element },
                tag: what,
                role: if LISTS.contains(what) || matches!(*what, "row" | "option") { what } else { "" },
                text: if *what == "#text" { "some words" } else { "" },
                bounds: BoxInDocument { x: 0.0, y: *y, width: 400.0, height: *height },
                flags,
                styles: if is_scroller { vec![(OVERFLOW_Y as u8, "auto")] } else { Vec::new() },
                attributes: attribute.iter().copied().collect(),
                ..NodeSpec::default()
            });
        }
        let mut page = builder.finish();
        mark(&mut page);
        page.nodes().filter(|node| node.flags().has(Flags::PARTIAL)).map(|node| node.tag().to_owned()).collect()
    }

    #[test]
    fn a_scroller_is_partial_that_is_empty_for_a_screen_before_or_after_what_is_drawn() {
        let list = |begin: f32, size: f32, rows: f32| {
            partial(&[
                (0, "grid", [0.0, 320.0], None),
                (1, "scroller", [0.0, 300.0], None),
                (2, "div", [begin, size], None),
                (3, "#text", [0.0, rows], None),
            ])
        };
        assert_eq!(list(0.0, 12_000.0, 320.0), ["grid"], "its rows are drawn as one scrolls");
        assert_eq!(list(-11_000.0, 11_320.0, 320.0), ["grid"], "scrolled to its end");
        let set_aside = [
            (0, "div", [0.0, 320.0], Some(("role", "grid"))),
            (1, "scroller", [0.0, 300.0], None),
            (2, "div", [0.0, 12_000.0], None),
            (3, "#text", [0.0, 320.0], None),
        ];
        assert_eq!(partial(&set_aside), ["div"], "a grid that only its attribute calls so");
        assert!(list(0.0, 12_000.0, 12_000.0).is_empty(), "all of it is drawn");
        assert!(list(0.0, 550.0, 320.0).is_empty(), "padding");
        assert!(list(0.0, 12_000.0, 40.0).is_empty(), "mostly empty: no list that fills its view");
    }

    #[test]
    fn what_a_scroller_in_it_holds_reaches_no_further_than_it_does() {
        let lines = |inner: f32| {
            partial(&[
                (0, "scroller", [0.0, 300.0], None),
                (1, "#text", [0.0, 300.0], None),
                (1, "scroller", [300.0, inner], None),
                (2, "#text", [300.0, 9_000.0], None),
            ])
        };
        assert!(lines(200.0).is_empty());
        assert!(lines(9_000.0).is_empty());
    }

    #[test]
    fn a_list_that_says_that_it_has_more_is_partial() {
        let grid = |count: &str| {
            partial(&[
                (0, "grid", [0.0, 320.0], Some(("aria-rowcount", count))),
                (1, "row", [0.0, 20.0], None),
                (1, "row", [20.0, 20.0], None),
            ])
        };
        assert_eq!((grid("3").len(), grid("-1").len(), grid("2").len(), grid("x").len()), (1, 1, 0, 0));
        let options = |count: &str| {
            let option = (1, "option", [0.0, 20.0], Some(("aria-setsize", count)));
            partial(&[(0, "listbox", [0.0, 320.0], None), option, option])
        };
        assert_eq!((options("9").len(), options("2").len()), (1, 0));
    }
}
