//! A view of one node: what it is, where it stands, what it says and what can be done on it.

use super::{NO_NODE, Page, Sym};
use crate::page::node::{
    BoxInDocument, Clickability, Flags, FrameId, NodeId, NodeKey, NodeKind, ScrollOffset, States, Tri, Visibility,
};
use crate::page::role;
use crate::page::text::folded;
use std::str::SplitAsciiWhitespace;

/// How many elements above the field of a list are looked at for the box around it, and most nodes of
/// such a box.
const BOXES_ABOVE: usize = 2;
const MOST_IN_A_BOX: u32 = 100;

/// View of one node of a [`Page`].
#[derive(Clone, Copy)]
pub struct NodeRef<'p> {
    pub(super) page: &'p Page,
    pub(super) id: NodeId,
}

impl std::fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{} <{}> {} {:?}", self.id.0, self.tag(), self.role(), self.name())
    }
}

impl PartialEq for NodeRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.page, other.page)
    }
}

impl<'p> NodeRef<'p> {
    fn at<T: Copy>(&self, column: &[T]) -> T {
        column[self.id.index()]
    }

    fn string(&self, column: &[Sym]) -> &'p str {
        self.page.strings.get(self.at(column))
    }

    /// Returns the page of the node.
    pub fn page(&self) -> &'p Page {
        self.page
    }

    /// Returns the index in the arena.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Returns what the node is.
    pub fn kind(&self) -> NodeKind {
        self.at(&self.page.nodes.kind)
    }

    /// Returns the ordinal of the frame whose document holds the node.
    pub fn frame(&self) -> FrameId {
        FrameId(self.at(&self.page.nodes.frame))
    }

    /// Returns the identity of the node over captures.
    pub fn key(&self) -> NodeKey {
        let frame = &self.page.frames[usize::from(self.frame().0)];
        NodeKey { frame: frame.number, loader: frame.loader, backend: self.at(&self.page.nodes.backend) }
    }

    /// Returns the parent; none for the root.
    pub fn parent(&self) -> Option<NodeRef<'p>> {
        let parent = self.at(&self.page.nodes.parent);
        (parent != NO_NODE).then_some(NodeRef { page: self.page, id: NodeId(parent) })
    }

    /// Returns the ancestors, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = NodeRef<'p>> + Clone + use<'p> {
        std::iter::successors(self.parent(), NodeRef::parent)
    }

    /// Returns the children in document order.
    pub fn children(&self) -> impl Iterator<Item = NodeRef<'p>> + Clone + use<'p> {
        let page = self.page;
        let end = self.end();
        let first = (self.id.0 + 1 < end).then_some(self.id.0 + 1);
        std::iter::successors(first, move |child| {
            let next = page.nodes.end[*child as usize];
            (next < end).then_some(next)
        })
        .map(move |index| NodeRef { page, id: NodeId(index) })
    }

    /// Returns the node and everything below it, in document order.
    pub fn subtree(&self) -> impl DoubleEndedIterator<Item = NodeRef<'p>> + Clone + use<'p> {
        let page = self.page;
        (self.id.0..self.end()).map(move |index| NodeRef { page, id: NodeId(index) })
    }

    /// Returns everything below the node, in document order.
    pub fn descendants(&self) -> impl DoubleEndedIterator<Item = NodeRef<'p>> + Clone + use<'p> {
        let page = self.page;
        (self.id.0 + 1..self.end()).map(move |index| NodeRef { page, id: NodeId(index) })
    }

    /// Returns the arena index one past the subtree.
    pub fn end(&self) -> u32 {
        self.at(&self.page.nodes.end)
    }

    /// Returns whether `other` lies below this node (or is it).
    pub fn holds(&self, other: NodeId) -> bool {
        other.0 >= self.id.0 && other.0 < self.end()
    }

    /// Returns the number of ancestors.
    pub fn depth(&self) -> u32 {
        self.at(&self.page.nodes.depth)
    }

    /// Returns the tag in lower case; `#text`, `#document` or `::before` for other kinds.
    pub fn tag(&self) -> &'p str {
        self.string(&self.page.nodes.tag)
    }

    /// Returns the role of the accessibility tree; empty where the tree ignores the node or has
    /// none.
    pub fn role(&self) -> &'p str {
        self.string(&self.page.nodes.role)
    }

    /// Returns the role; where the tree gives none, as under `aria-hidden`, the first that the
    /// `role` attribute says.
    pub fn role_or_attribute(&self) -> &'p str {
        let said = || self.attribute("role").and_then(|roles| roles.split_ascii_whitespace().next());
        if self.role().is_empty() { said().unwrap_or("") } else { self.role() }
    }

    /// Returns whether it is under `aria-hidden` with all of a part of the page that an open dialog
    /// or menu sets aside, not by itself.
    pub fn is_set_aside(&self) -> bool {
        let hides = |node: &NodeRef<'p>| node.attribute("aria-hidden") == Some("true");
        let hidden = std::iter::once(*self).chain(self.ancestors()).find(hides);
        hidden.is_some_and(|part| {
            part.attribute("data-aria-hidden").is_some() || part.parent().is_some_and(|above| above.tag() == "body")
        })
    }

    /// Returns the accessible name.
    pub fn name(&self) -> &'p str {
        self.string(&self.page.nodes.name)
    }

    /// Returns the accessible description.
    pub fn description(&self) -> &'p str {
        self.string(&self.page.nodes.description)
    }

    /// Returns the value: of a field, of a range (its text), of a select (the chosen option's
    /// label). Empty for a secret field: whether that is filled is in [`NodeRef::is_filled`].
    pub fn value(&self) -> &'p str {
        if self.flags().has(Flags::SECRET) { "" } else { self.string(&self.page.nodes.value) }
    }

    /// Returns whether a field holds a value; true also for a filled secret field.
    pub fn is_filled(&self) -> bool {
        self.at(&self.page.nodes.value) != Sym::EMPTY
    }

    /// Returns the own text of a text node or pseudo-element as rendered, whitespace collapsed
    /// unless preformatted.
    pub fn text(&self) -> &'p str {
        self.string(&self.page.nodes.text)
    }

    /// Returns the states.
    pub fn states(&self) -> States {
        self.at(&self.page.nodes.states)
    }

    /// Returns the checked state; none if the node has none.
    pub fn checked(&self) -> Option<Tri> {
        let states = self.states();
        states.has(States::CHECKABLE).then(|| tri(states.has(States::CHECKED), states.has(States::CHECKED_MIXED)))
    }

    /// Returns the pressed state; none if the node has none.
    pub fn pressed(&self) -> Option<Tri> {
        let states = self.states();
        states.has(States::PRESSABLE).then(|| tri(states.has(States::PRESSED), states.has(States::PRESSED_MIXED)))
    }

    /// Returns the expanded state; none if the node has none.
    pub fn expanded(&self) -> Option<bool> {
        let states = self.states();
        states.has(States::EXPANDABLE).then(|| states.has(States::EXPANDED))
    }

    /// Returns the selected state; none if the node has none.
    pub fn selected(&self) -> Option<bool> {
        let states = self.states();
        states.has(States::SELECTABLE).then(|| states.has(States::SELECTED))
    }

    /// Returns the level of a heading or tree item; none if it has none.
    pub fn level(&self) -> Option<u8> {
        let level = self.at(&self.page.nodes.level);
        (level > 0).then_some(level)
    }

    /// Returns the bounding box in document CSS px; empty if the node has no layout.
    pub fn bounds(&self) -> BoxInDocument {
        self.at(&self.page.nodes.bounds)
    }

    /// Returns the paint order; 0 if the node is not painted.
    pub fn paint_order(&self) -> u32 {
        self.at(&self.page.nodes.paint_order)
    }

    /// Returns whether the node can be seen, and if not, why not.
    pub fn visibility(&self) -> Visibility {
        self.at(&self.page.nodes.visibility)
    }

    /// Returns whether the node can be seen (scrolling allowed).
    pub fn is_visible(&self) -> bool {
        self.visibility().is_visible()
    }

    /// Returns whether a person sees the node (scrolling allowed): it is visible, and not painted
    /// over or in the colour behind it.
    pub fn is_seen(&self) -> bool {
        self.is_visible() && !self.flags().any(Flags::PAINTED_OVER.with(Flags::CAMOUFLAGED))
    }

    /// Returns whether the node lies in the viewport.
    pub fn in_viewport(&self) -> bool {
        self.flags().has(Flags::IN_VIEWPORT)
    }

    /// Returns the node painted over the middle of what is in the viewport of this one, if one is.
    /// Whether scrolling changes that is in [`Flags::COVERED`].
    pub fn covered_by(&self) -> Option<NodeRef<'p>> {
        let cover = self.at(&self.page.nodes.covered_by);
        (cover != NO_NODE).then_some(NodeRef { page: self.page, id: NodeId(cover) })
    }

    /// Returns why the node can be clicked.
    pub fn clickability(&self) -> Clickability {
        self.at(&self.page.nodes.clickability)
    }

    /// Returns whether an agent can act on the node: an interactive role, or a listener, pointer,
    /// handler or editing of its own.
    pub fn is_interactive(&self) -> bool {
        self.kind() == NodeKind::Element && self.clickability() != Clickability::NONE
    }

    /// Returns whether an agent can act on the node although it may not be seen: a control that the
    /// page draws by other means (`opacity: 0` over a picture of a checkbox, a clipped input in its
    /// label) still takes input.
    pub fn can_be_acted_on(&self) -> bool {
        let drawn_otherwise =
            matches!(self.visibility(), Visibility::Transparent | Visibility::Clipped | Visibility::ZeroSize)
                && self.has_interactive_role()
                && !self.bounds().is_empty();
        self.is_visible() || drawn_otherwise
    }

    /// Returns whether the role is one of the interactive ones.
    pub fn has_interactive_role(&self) -> bool {
        role::is_interactive(self.role())
    }

    /// Returns the flags.
    pub fn flags(&self) -> Flags {
        self.at(&self.page.nodes.flags)
    }

    /// Returns the attributes in source order.
    pub fn attributes(&self) -> impl Iterator<Item = (&'p str, &'p str)> + use<'p> {
        let page = self.page;
        range(&page.nodes.attributes_start, self.id, page.nodes.attributes.len())
            .map(move |index| page.nodes.attributes[index])
            .map(move |(name, value)| (page.strings.get(name), page.strings.get(value)))
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&'p str> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the classes, in the order of the attribute.
    pub fn classes(&self) -> SplitAsciiWhitespace<'p> {
        self.attribute("class").unwrap_or_default().split_ascii_whitespace()
    }

    /// Returns a computed style of [`crate::page::capture::COMPUTED_STYLES`]; none if the node has no
    /// layout or the style is not captured.
    pub fn style(&self, name: &str) -> Option<&'p str> {
        self.style_at(crate::page::capture::COMPUTED_STYLES.iter().position(|known| *known == name)?)
    }

    /// Returns the computed style at an index of the capture contract.
    pub(crate) fn style_at(&self, wanted: usize) -> Option<&'p str> {
        let page = self.page;
        range(&page.nodes.styles_start, self.id, page.nodes.styles.len())
            .map(|index| page.nodes.styles[index])
            .find(|(style, _)| usize::from(*style) == wanted)
            .map(|(_, value)| page.strings.get(value))
    }

    /// Returns scroll offset, scroll width and scroll height of a scroller.
    pub fn scrolled(&self) -> Option<(ScrollOffset, f32, f32)> {
        let rows = &self.page.nodes.scrolled;
        let index = rows.binary_search_by_key(&self.id.0, |row| row.0).ok()?;
        Some((rows[index].1, rows[index].2, rows[index].3))
    }

    /// Returns what a field without a value asks for: its `placeholder`, or of a list that a page
    /// makes itself what an attribute or a class calls so, in it or in the box around its field.
    pub fn placeholder(&self) -> Option<String> {
        let of_field = self.attribute("placeholder").filter(|text| !text.trim().is_empty());
        if of_field.is_some() || !(self.role() == "combobox" || self.attribute("role") == Some("combobox")) {
            return of_field.map(str::to_owned);
        }
        if self.attribute("data-placeholder").is_some() {
            return Some(self.visible_text()).filter(|text| !text.is_empty());
        }
        let is_called_so = |node: &NodeRef<'_>| {
            let class = node.attribute("class").filter(|_| node.is_visible());
            class.is_some_and(|class| class.to_ascii_lowercase().contains("placeholder"))
        };
        let boxes = std::iter::once(*self).chain(self.boxes_of_field());
        let mut within = std::iter::once(*self).chain(boxes.flat_map(|around| around.descendants()));
        let asks = within.find(is_called_so).map(|node| node.visible_text());
        asks.filter(|text| !text.is_empty())
    }

    /// Returns the small boxes in which a page draws a list around its `input`, the inner one first.
    pub(crate) fn boxes_of_field(&self) -> impl Iterator<Item = NodeRef<'p>> + use<'p> {
        let is_field = self.tag() == "input";
        let is_box = |above: &NodeRef<'_>| above.end() - above.id().0 <= MOST_IN_A_BOX;
        self.ancestors().take(BOXES_ABOVE).take_while(is_box).filter(move |_| is_field)
    }

    /// Returns the visible text below the node, runs joined by a blank where a box or block starts.
    pub fn visible_text(&self) -> String {
        let mut text = String::new();
        for node in self.subtree() {
            if matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && node.is_visible() {
                if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                    text.push(' ');
                }
                text.push_str(node.text().trim());
            }
        }
        text
    }

    /// Returns what is chosen of a list that says nothing, since a dialog hides it from readers of the
    /// screen; none of anything else.
    fn chosen_value(&self) -> Option<String> {
        let is_hidden = |node: &NodeRef<'_>| node.attribute("aria-hidden") == Some("true");
        if !self.role().is_empty() || is_hidden(self) || self.is_filled() {
            return None;
        }
        let is_option = |node: NodeRef<'p>| node.selected() == Some(true) && self.tag() == "select";
        let is_shown = |node: NodeRef<'p>| {
            let below = || std::iter::once(node).chain(node.ancestors()).take_while(|above| above.id() != self.id());
            node.kind() == NodeKind::Text && node.is_visible() && !below().any(|above| is_hidden(&above))
        };
        let says = match (self.tag(), self.role_or_attribute()) {
            ("select", _) => {
                self.descendants().filter(|node| is_option(*node)).map(|node| node.name_or_text()).collect()
            }
            ("input", _) => return None,
            (_, "combobox") => {
                self.descendants().filter(|node| is_shown(*node)).map(|node| node.text().to_owned()).collect()
            }
            _ => Vec::new(),
        };
        Some(folded(&says.join(" "))).filter(|text| !text.is_empty())
    }

    /// Returns what an editor holds, line by line as it was written, or what is chosen of a list, where
    /// the browser does not say it as it is; none of anything else. Paragraphs stand two line ends
    /// apart, other blocks one; controls in it say nothing of it. The browser tells an empty line as
    /// two, and nothing where a dialog hides the field from readers of the screen.
    pub fn edited_value(&self) -> Option<String> {
        if let Some(chosen) = self.chosen_value() {
            return Some(chosen);
        }
        if !self.clickability().has(Clickability::EDITABLE) || self.flags().has(Flags::SECRET) {
            return None;
        }
        let mut text = String::new();
        let (mut last, mut breaks) = (None, 0);
        let mut past = 0;
        for node in self.descendants() {
            if matches!(node.tag(), "button" | "select" | "textarea") {
                past = past.max(node.end());
            }
            let is_text = node.kind() == NodeKind::Text && node.is_visible() && !node.text().is_empty();
            if node.id().0 < past || !(is_text || node.tag() == "br") {
                continue;
            }
            let block = node.ancestors().find(|above| above.flags().has(Flags::BLOCK)).unwrap_or(*self);
            match last {
                Some(last) if last != block.id() => {
                    let is_paragraph = |id: NodeId| self.page.node(id).tag() == "p";
                    text.push_str(if is_paragraph(last) || is_paragraph(block.id()) { "\n\n" } else { "\n" });
                }
                // One that ends its block keeps an empty line open.
                Some(_) => (0..breaks).for_each(|_| text.push('\n')),
                None => {}
            }
            breaks = u32::from(!is_text);
            text.push_str(if is_text { node.text() } else { "" });
            last = Some(block.id());
        }
        Some(text.trim_end_matches('\n').to_owned())
    }

    /// Returns the name, or else the visible text, white space folded.
    pub fn name_or_text(&self) -> String {
        if self.name().is_empty() { folded(&self.visible_text()) } else { folded(self.name()) }
    }
}

fn tri(on: bool, mixed: bool) -> Tri {
    match (on, mixed) {
        (_, true) => Tri::Mixed,
        (true, false) => Tri::True,
        (false, false) => Tri::False,
    }
}

pub(super) fn range(starts: &[u32], id: NodeId, total: usize) -> std::ops::Range<usize> {
    let start = starts[id.index()] as usize;
    let end = starts.get(id.index() + 1).map_or(total, |next| *next as usize);
    start..end
}
