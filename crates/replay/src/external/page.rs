//! Pages, actions and events as messages.
//!
//! In: what every strategy gets. Out: the types of [`crate::external::protocol`]. Invariants: document order
//! is kept, and a node's place in `nodes` is its place in the page's arena; nothing is told that a
//! strategy in this house would not be given; values of secret fields are not told.

use crate::external::protocol::{Action, Event, Hint, Node, NodeKind, Page, Rect, Space};
use browserlens_core::page::{Flags, NodeRef, States, Tri};
use browserlens_core::strategy::{EventKind, ImageSpace, NodeHint, TakenAction};

/// Names of states that are true or not there.
const PLAIN: [(States, &str); 13] = [
    (States::DISABLED, "disabled"),
    (States::REQUIRED, "required"),
    (States::INVALID, "invalid"),
    (States::READONLY, "readonly"),
    (States::FOCUSED, "focused"),
    (States::FOCUSABLE, "focusable"),
    (States::MODAL, "modal"),
    (States::MULTILINE, "multiline"),
    (States::MULTISELECTABLE, "multiselectable"),
    (States::HAS_POPUP, "has_popup"),
    (States::BUSY, "busy"),
    (States::EDITABLE, "editable"),
    (States::CURRENT, "current"),
];

fn states(node: NodeRef<'_>) -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        PLAIN.iter().filter(|(state, _)| node.states().has(*state)).map(|(_, name)| *name).collect();
    names.extend(node.checked().map(|checked| match checked {
        Tri::True => "checked",
        Tri::False => "unchecked",
        Tri::Mixed => "mixed",
    }));
    names.extend(node.pressed().and_then(|pressed| match pressed {
        Tri::True => Some("pressed"),
        Tri::False => None,
        Tri::Mixed => Some("pressed_mixed"),
    }));
    names.extend(node.expanded().map(|expanded| if expanded { "expanded" } else { "collapsed" }));
    names.extend(node.selected().filter(|selected| *selected).map(|_| "selected"));
    names
}

fn node(node: NodeRef<'_>) -> Node {
    let bounds = node.bounds();
    Node {
        key: node.key().to_string(),
        parent: node.parent().map(|parent| parent.id().0),
        kind: match node.kind() {
            browserlens_core::page::NodeKind::Document => NodeKind::Document,
            browserlens_core::page::NodeKind::Element => NodeKind::Element,
            browserlens_core::page::NodeKind::Text => NodeKind::Text,
            browserlens_core::page::NodeKind::Pseudo => NodeKind::Pseudo,
        },
        tag: node.tag().to_owned(),
        role: node.role().to_owned(),
        name: node.name().to_owned(),
        description: node.description().to_owned(),
        value: node.value().to_owned(),
        filled: node.is_filled(),
        text: node.text().to_owned(),
        states: states(node),
        level: node.level(),
        visible: node.is_seen(),
        in_viewport: node.in_viewport(),
        interactive: node.is_interactive() && node.can_be_acted_on(),
        covered: node.flags().has(Flags::COVERED),
        ignored: node.flags().has(Flags::AX_IGNORED),
        bounds: (!bounds.is_empty()).then_some([bounds.x, bounds.y, bounds.width, bounds.height]),
        paint_order: Some(node.paint_order()).filter(|order| *order > 0),
        attributes: node.attributes().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

/// Writes a page.
pub(crate) fn page(page: &browserlens_core::page::Page) -> Page {
    let (scroll, (width, height)) = (page.scroll(), page.content_size());
    Page {
        url: page.url().to_owned(),
        title: page.title().to_owned(),
        scroll: [scroll.x, scroll.y],
        size: [width, height],
        nodes: page.nodes().map(node).collect(),
    }
}

fn hint(hint: &NodeHint) -> Hint {
    Hint {
        role: hint.role.clone(),
        name: hint.name.clone(),
        within: hint.within.as_deref().map(|within| Box::new(self::hint(within))),
        nth: hint.nth,
    }
}

/// Writes an action.
pub(crate) fn action(action: &TakenAction) -> Action {
    Action {
        kind: action.kind.name().to_owned(),
        node: action.node.as_ref().map(hint),
        text: action.text.clone(),
        error: action.error.clone(),
    }
}

/// Writes an event.
pub(crate) fn event(event: &browserlens_core::strategy::Event) -> Event {
    let mut told = Event { kind: event.kind.name().to_owned(), at_ms: event.at_ms, ..Event::default() };
    match &event.kind {
        EventKind::Console(message) => {
            (told.label, told.text, told.url) = (message.level.clone(), message.text.clone(), message.url.clone());
        }
        EventKind::Request(request) => {
            (told.label, told.url) = (request.method.clone(), request.url.clone());
            (told.status, told.failure) = (Some(request.status), request.failure.clone());
        }
        EventKind::Dialog(dialog) => {
            (told.label, told.text) = (format!("{:?}", dialog.kind).to_lowercase(), dialog.message.clone());
        }
        EventKind::Tab(tab) => {
            (told.label, told.text, told.url) = (tab.what.clone(), tab.title.clone(), tab.url.clone())
        }
        EventKind::Download(download) => {
            (told.label, told.text) = (download.state.clone(), download.file_name.clone());
            told.url.clone_from(&download.url);
        }
    }
    told
}

/// Writes where pixels lie.
pub(crate) fn space(space: ImageSpace) -> Space {
    match space {
        ImageSpace::Viewport(at) => Space::Viewport(Rect { x: at.x, y: at.y, width: at.width, height: at.height }),
        ImageSpace::Document(at) => Space::Document(Rect { x: at.x, y: at.y, width: at.width, height: at.height }),
    }
}
