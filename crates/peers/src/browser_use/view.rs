//! What the tool takes of an element from CDP: whether it is visible to it, scrolls, listens, and
//! what accessibility says.
//!
//! In: a [`Dom`] and the payloads. Out: a [`View`] with one answer a node. Invariant: without
//! payloads the answers come from the page's own states, in the order in which Chromium lists
//! properties.

use crate::dom::{Dom, Id};
use crate::payloads::{self, AxNode, AxValue};
use browserlens_core::page::{
    BoxInDocument, Capture, Clickability, Flags, FrameId, NodeKind, PayloadKind, States, Tri, Visibility,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// How far outside of the viewport the tool still looks, in CSS px, upwards and downwards.
pub(crate) const VIEWPORT_THRESHOLD: f32 = 1_000.0;
/// More elements than this, and the tool asks for no listeners.
const MOST_ELEMENTS: usize = 10_000;
/// More elements with listeners than this, and the tool takes none.
const MOST_LISTENERS: usize = 100;

#[derive(Debug)]
pub(super) struct View<'d, 'a> {
    pub dom: &'d Dom<'a>,
    ax: Option<HashMap<(u32, u32), AxNode>>,
    listening: HashSet<Id>,
    owners: Vec<Option<Id>>,
    visible: Vec<bool>,
}

/// Scroll offset, scroll size and visible size of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScrollBox {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
    pub client_width: f32,
    pub client_height: f32,
}

impl<'d, 'a> View<'d, 'a> {
    pub fn new(dom: &'d Dom<'a>, capture: &Capture) -> Self {
        let owners = (0..dom.documents.len()).map(|frame| dom.owner_of(FrameId(frame as u16))).collect();
        let mut view =
            Self { dom, ax: payloads::ax_nodes(capture), listening: HashSet::new(), owners, visible: Vec::new() };
        view.listening = view.find_listening(capture);
        view.visible = (0..dom.len() as Id).map(|id| view.is_shown(id) && view.is_near(id)).collect();
        view
    }

    /// The tool asks each target for the listeners of its top document: a frame in a process of its
    /// own is a target.
    fn find_listening(&self, capture: &Capture) -> HashSet<Id> {
        let frames = self.dom.page.frames();
        let is_target = |number: u32| capture.of_kind(PayloadKind::Snapshot).any(|snapshot| snapshot.frame == number);
        let targets = frames.iter().zip(&self.dom.documents).enumerate();
        targets
            .filter(|(ordinal, (frame, _))| *ordinal == 0 || is_target(frame.number))
            .filter_map(|(_, (frame, document))| document.map(|document| (frame.number, document)))
            .flat_map(|(number, document)| self.listening_in(capture, number, document))
            .collect()
    }

    fn listening_in(&self, capture: &Capture, number: u32, document: Id) -> HashSet<Id> {
        let elements =
            (0..self.dom.len() as Id).filter(|id| self.dom.is_element(*id) && self.dom.scope(*id) == document);
        if elements.clone().count() > MOST_ELEMENTS {
            return HashSet::new();
        }
        let known = payloads::listeners(capture, number);
        let click = |kind: &Cow<'_, str>| {
            matches!(kind.as_ref(), "click" | "mousedown" | "mouseup" | "pointerdown" | "pointerup")
        };
        let found: HashSet<Id> = elements
            .filter(|id| match &known {
                Some(known) => known.get(&self.dom.node(*id).backend).is_some_and(|types| types.iter().any(click)),
                None => self.dom.node(*id).page.is_some_and(|page| page.clickability().has(Clickability::LISTENER)),
            })
            .collect();
        if found.len() > MOST_LISTENERS { HashSet::new() } else { found }
    }

    /// Whether the tool found a click listener on the element.
    pub fn listens(&self, id: Id) -> bool {
        self.listening.contains(&id)
    }

    pub fn bounds(&self, id: Id) -> Option<BoxInDocument> {
        self.dom.node(id).page.filter(|_| self.dom.has_layout(id)).map(|page| page.bounds())
    }

    /// Whether style lets the node show: it has a box and is neither hidden nor fully transparent
    /// by its own style.
    pub fn is_shown(&self, id: Id) -> bool {
        if !self.dom.has_layout(id) {
            return false;
        }
        let visibility = self.dom.node(id).page.map(|page| page.visibility());
        let hidden = match self.dom.style(id, "visibility") {
            Some(value) => value == "hidden",
            None => visibility == Some(Visibility::Hidden),
        };
        let transparent = match self.dom.style(id, "opacity") {
            Some(value) => value.parse::<f32>().is_ok_and(|opacity| opacity <= 0.0),
            None => visibility == Some(Visibility::Transparent),
        };
        !hidden && !transparent && self.dom.style(id, "display") != Some("none")
    }

    /// Whether the node lies in, or near above or below, the viewport of each frame that it is in.
    fn is_near(&self, id: Id) -> bool {
        let Some(bounds) = self.bounds(id) else { return false };
        let mut frame = self.dom.node(id).frame;
        // Frames nest at most as deep as there are frames; hostile owners cannot make a circle of
        // this.
        for _ in 0..=self.owners.len() {
            let owner = self.owners.get(usize::from(frame.0)).copied().flatten();
            let (x, y, width, height) = match owner {
                None => {
                    let viewport = self.dom.page.viewport();
                    let scroll = self.dom.page.scroll();
                    (scroll.x, scroll.y, viewport.width as f32, viewport.height as f32)
                }
                Some(owner) => {
                    let outer = self.bounds(owner).unwrap_or_default();
                    let (width, height) = self.dom.node(owner).client.unwrap_or((outer.width, outer.height));
                    (outer.x, outer.y, width, height)
                }
            };
            let (left, top) = (bounds.x - x, bounds.y - y);
            let near = left < width
                && left + bounds.width > 0.0
                && top < height + VIEWPORT_THRESHOLD
                && top + bounds.height > -VIEWPORT_THRESHOLD;
            if !near {
                return false;
            }
            match owner {
                None => return true,
                Some(owner) => frame = self.dom.node(owner).frame,
            }
        }
        true
    }

    /// Whether the tool takes the node as visible.
    pub fn is_visible(&self, id: Id) -> bool {
        self.visible[id as usize]
    }

    /// Shown by style, but too far from the viewport.
    pub fn is_beyond(&self, id: Id) -> bool {
        !self.is_visible(id) && self.is_shown(id)
    }

    /// Scroll geometry of an element that has more content than room.
    pub fn scroll_box(&self, id: Id) -> Option<ScrollBox> {
        let node = self.dom.node(id);
        let (offset, width, height) = node.page?.scrolled()?;
        let bounds = self.bounds(id)?;
        let (client_width, client_height) = node.client.unwrap_or((bounds.width, bounds.height));
        Some(ScrollBox { left: offset.x, top: offset.y, width, height, client_width, client_height })
    }

    pub fn is_scrollable(&self, id: Id) -> bool {
        let Some(scroll) = self.scroll_box(id) else { return false };
        let more = scroll.height > scroll.client_height + 1.0 || scroll.width > scroll.client_width + 1.0;
        let scrolls = |value: Option<&str>| matches!(value, Some("auto" | "scroll" | "overlay"));
        let overflow = self.dom.style(id, "overflow-x");
        let allowed = match overflow {
            Some(_) => scrolls(overflow) || scrolls(self.dom.style(id, "overflow-y")),
            None => self.dom.node(id).page.is_some_and(|page| page.flags().has(Flags::SCROLLER)),
        };
        more && allowed
    }

    /// How many elements the browser puts between a text field and what its inner editor holds, if
    /// the text is wider than the field, so that the editor scrolls.
    pub fn scrolling_editor(&self, id: Id) -> Option<usize> {
        let node = self.dom.node(id);
        if node.tag != "input" || !self.is_visible(id) {
            return None;
        }
        let depth = match self.dom.attribute(id, "type").unwrap_or("text").to_ascii_lowercase().as_str() {
            // What stands beside the text (a button to clear, arrows) has the editor wrapped twice.
            "search" | "number" => 3,
            "checkbox" | "radio" | "hidden" | "button" | "submit" | "reset" | "image" | "file" | "range" | "color"
            | "date" | "time" | "datetime-local" | "month" | "week" => return None,
            _ if self.dom.attribute(id, "list").is_some() => 3,
            _ => 1,
        };
        let (client, content) = node.client.zip(node.content)?;
        (content.0 > client.0).then_some(depth)
    }

    /// The accessibility node of an element.
    pub fn ax(&self, id: Id) -> Option<Cow<'_, AxNode>> {
        let key = self.dom.key(id);
        match &self.ax {
            Some(nodes) => nodes.get(&(key.frame, key.backend)).map(Cow::Borrowed),
            None => self.ax_of_page(id).map(Cow::Owned),
        }
    }

    fn ax_of_page(&self, id: Id) -> Option<AxNode> {
        let page = self.dom.node(id).page?;
        if page.kind() != NodeKind::Element {
            return None;
        }
        let states = page.states();
        let tag = self.dom.tag(id);
        let field = matches!(tag, "input" | "select" | "textarea");
        let word = |text: &str| AxValue::Text(text.to_owned());
        let on = |state: States| states.has(state).then_some(AxValue::Bool(true));
        let said = |state: States, text: &str| states.has(state).then(|| word(text));
        let tri = |value: Tri| match value {
            Tri::False => word("false"),
            Tri::True => word("true"),
            Tri::Mixed => word("mixed"),
        };
        let is_number = tag == "input" && matches!(self.dom.attribute(id, "type"), Some("number" | "range"));
        let limit = |name: &str| self.dom.attribute(id, name).filter(|_| is_number).map(word);
        let typed = Some(page.value()).filter(|value| is_number && !value.is_empty());
        let properties = [
            ("disabled", on(States::DISABLED)),
            ("invalid", said(States::INVALID, "true")),
            ("focusable", on(States::FOCUSABLE)),
            ("editable", said(States::EDITABLE, "plaintext")),
            ("level", page.level().map(|level| word(&level.to_string()))),
            ("required", field.then_some(AxValue::Bool(states.has(States::REQUIRED)))),
            ("valuemin", limit("min")),
            ("valuemax", limit("max")),
            ("valuetext", typed.map(word)),
            ("checked", page.checked().map(tri)),
            ("expanded", page.expanded().map(AxValue::Bool)),
            ("pressed", page.pressed().map(tri)),
            ("selected", page.selected().map(AxValue::Bool)),
            ("multiselectable", on(States::MULTISELECTABLE)),
            ("live", said(States::LIVE_POLITE, "polite").or_else(|| said(States::LIVE_ASSERTIVE, "assertive"))),
            ("busy", on(States::BUSY)),
        ];
        let properties = properties.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let has_children = page.children().next().is_some();
        Some(AxNode { role: page.role().to_owned(), name: page.name().to_owned(), properties, has_children })
    }

    /// The attributes that the tool works with: those of the document, with the live value and
    /// state of fields.
    pub fn attributes(&self, id: Id) -> Vec<(&'a str, &'a str)> {
        let node = self.dom.node(id);
        let mut attributes = node.attributes.clone();
        if !matches!(node.tag.as_str(), "input" | "textarea") {
            return attributes;
        }
        let mut set = |name: &'static str, value: &'a str| match attributes.iter_mut().find(|(known, _)| *known == name)
        {
            Some((_, known)) => *known = value,
            None => attributes.push((name, value)),
        };
        let on = node.checked.unwrap_or_else(|| node.page.is_some_and(|page| page.states().has(States::CHECKED)));
        if let Some(value) = node.input_value.filter(|_| !is_sensitive(node.attributes.as_slice())) {
            set("value", value);
        }
        if on {
            set("checked", "true");
        } else {
            attributes.retain(|(name, _)| *name != "checked");
        }
        attributes
    }
}

/// Fields whose live value the tool never takes.
fn is_sensitive(attributes: &[(&str, &str)]) -> bool {
    attributes.iter().any(|(name, value)| {
        let value = value.to_ascii_lowercase();
        match name.to_ascii_lowercase().as_str() {
            "type" => matches!(value.as_str(), "password" | "file" | "hidden"),
            "autocomplete" => value.starts_with("cc-") || value.starts_with("one-time-code"),
            _ => false,
        }
    })
}

/// Whether the browser gives the element a shadow tree of its own, which the tool counts as an open
/// one.
pub(super) fn has_internal_shadow(view: &View<'_, '_>, id: Id) -> bool {
    let dom = view.dom;
    match dom.tag(id) {
        "input" => !dom
            .attribute(id, "type")
            .is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "checkbox" | "radio" | "hidden")),
        // Only images that show their alternative text have one. A capture does not say which do;
        // these surely.
        "img" => {
            dom.attribute(id, "src").is_none_or(str::is_empty) || view.bounds(id).is_some_and(BoxInDocument::is_empty)
        }
        "select" | "textarea" | "details" | "meter" | "progress" | "video" | "audio" | "option" | "optgroup" => true,
        _ => false,
    }
}
