//! What a script of the tool finds in the main document: elements that look as if they could be
//! clicked, focused or edited.
//!
//! In: a [`Dom`] and the capture. Out: a [`Mark`] a found element, by backend node id. Invariants:
//! only elements below the main document's `body` and outside of shadow trees are looked at;
//! elements and roles that are controls anyway have none. Known to differ: handlers set by
//! `element.onclick = …` look in a capture like any other listener, and are not seen; children of a
//! shadow host that no slot takes are not in a capture; the cursor of an element without a box is
//! that of its parent, unless it is a link.

use crate::dom::{Dom, Id, Snapshot};
use crate::payloads;
use browserlens_core::page::raw::RareFlag;
use browserlens_core::page::{BoxInDocument, Capture, FrameProbe, NodeKind, PayloadKind, is_js_space, utf16_prefix};
use std::collections::{HashMap, HashSet};

/// Most UTF-16 units of an element's text.
const LONGEST_TEXT: usize = 100;

/// An element that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pointer: bool,
    onclick: bool,
    tabindex: bool,
    editable: bool,
    /// Text of the element and everything in it.
    pub text: String,
    pub hidden_input: Option<HiddenInput>,
}

/// The first radio button or checkbox in an element, if it is not displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HiddenInput {
    pub role: &'static str,
    pub checked: &'static str,
}

impl Mark {
    pub fn kind(&self) -> &'static str {
        match (self.pointer || self.onclick, self.editable) {
            (true, _) => "clickable",
            (false, true) => "editable",
            (false, false) => "focusable",
        }
    }

    pub fn hints(&self) -> Vec<&'static str> {
        let hints = [
            (self.pointer, "cursor:pointer"),
            (self.onclick, "onclick"),
            (self.tabindex, "tabindex"),
            (self.editable, "contenteditable"),
        ];
        hints.into_iter().filter(|(on, _)| *on).map(|(_, hint)| hint).collect()
    }
}

/// Finds the marks of the main document.
pub(super) fn marks(dom: &Dom<'_>, capture: &Capture) -> HashMap<u32, Mark> {
    let mut marks = HashMap::new();
    let Some(document) = dom.main_document() else { return marks };
    let Some(body) = dom.body_of(document) else { return marks };
    let pointers = pointers(dom);
    let order = Order::new(dom, document);
    let mut checks = None;
    let mut hidden = vec![false; dom.len()];
    let mut below = vec![false; dom.len()];
    for id in 0..dom.len() as Id {
        let parent = dom.parent_element(id);
        let above = parent.map(|parent| parent as usize);
        hidden[id as usize] = above.is_some_and(|above| hidden[above]) || hides(dom, id);
        below[id as usize] = parent == Some(body) || above.is_some_and(|above| below[above]);
        let looked_at = below[id as usize] && dom.is_element(id) && dom.scope(id) == document && !hidden[id as usize];
        if !looked_at || is_control(dom, id) {
            continue;
        }
        let parent_points = parent.is_some_and(|parent| pointers[parent as usize]);
        let Some(mut mark) = mark_of(dom, id, pointers[id as usize], parent_points) else { continue };
        mark.text = order.text_of(dom, id);
        if let Some(input) = order.first_check(id).filter(|input| is_undisplayed(dom, *input)) {
            let checks = checks.get_or_insert_with(|| Checks::new(dom, document, capture));
            let role = if is_input(dom, input, "radio") { "radio" } else { "checkbox" };
            mark.hidden_input = Some(HiddenInput { role, checked: checks.of(dom, input) });
        }
        marks.insert(dom.node(id).backend, mark);
    }
    marks
}

fn hides(dom: &Dom<'_>, id: Id) -> bool {
    dom.attribute(id, "hidden").is_some() || dom.attribute(id, "aria-hidden") == Some("true")
}

/// Elements and roles that the accessibility tree tells as controls.
fn is_control(dom: &Dom<'_>, id: Id) -> bool {
    matches!(dom.tag(id), "a" | "button" | "input" | "select" | "textarea" | "details" | "summary")
        // The tool looks roles up in a script's object, which has two lower-case names of its own.
        || dom.attribute(id, "role").is_some_and(|role| {
            ["button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox",
                "menuitemradio", "option", "searchbox", "slider", "spinbutton", "switch", "tab", "treeitem",
                "constructor", "__proto__"].contains(&role.to_lowercase().as_str())
        })
}

fn mark_of(dom: &Dom<'_>, id: Id, pointer: bool, parent_points: bool) -> Option<Mark> {
    let onclick = dom.attribute(id, "onclick").is_some();
    let tabindex = dom.attribute(id, "tabindex").is_some_and(|index| index != "-1");
    let editable = dom.attribute(id, "contenteditable").is_some_and(|value| matches!(value, "" | "true"));
    let inherits = pointer && parent_points;
    if !onclick && !tabindex && !editable && (!pointer || inherits) {
        return None;
    }
    let bounds =
        dom.node(id).page.filter(|_| dom.has_layout(id)).map_or(BoxInDocument::default(), |page| page.bounds());
    let has_area = bounds.width > 0.0 && bounds.height > 0.0;
    has_area.then(|| Mark { pointer, onclick, tabindex, editable, text: String::new(), hidden_input: None })
}

/// Whether the cursor over each node is a hand.
fn pointers(dom: &Dom<'_>) -> Vec<bool> {
    let mut pointers = vec![false; dom.len()];
    for id in 0..dom.len() as Id {
        let inherited = dom.node(id).parent.is_some_and(|parent| pointers[parent as usize]);
        pointers[id as usize] = match dom.style(id, "cursor") {
            Some(cursor) => cursor == "pointer",
            None => inherited || (dom.tag(id) == "a" && dom.attribute(id, "href").is_some()),
        };
    }
    pointers
}

/// The texts, radio buttons and checkboxes of one document, shadow trees left out, in document
/// order. Everything in an element stands between it and its end, slotted nodes too.
struct Order {
    /// By node: the first node that comes after everything in it.
    ends: Vec<Id>,
    texts: Vec<Id>,
    checks: Vec<Id>,
}

impl Order {
    fn new(dom: &Dom<'_>, document: Id) -> Self {
        let inside = (0..dom.len() as Id).filter(|id| dom.scope(*id) == document);
        let plain = |id: &Id| dom.node(*id).parent.is_some_and(|parent| dom.is_element(parent));
        let texts = inside.clone().filter(|id| dom.node(*id).kind == NodeKind::Text).filter(plain).collect();
        let checks = inside.filter(|id| is_input(dom, *id, "radio") || is_input(dom, *id, "checkbox")).collect();
        Self { ends: dom.ends(), texts, checks }
    }

    fn within<'o>(&self, list: &'o [Id], id: Id) -> &'o [Id] {
        let start = list.partition_point(|other| *other <= id);
        let end = list.partition_point(|other| *other < self.ends[id as usize]);
        &list[start..end]
    }

    /// The first radio button or checkbox in an element.
    fn first_check(&self, id: Id) -> Option<Id> {
        self.within(&self.checks, id).first().copied()
    }

    /// What a script gets as text of an element: of scripts and of what is not rendered too, at
    /// most [`LONGEST_TEXT`] units.
    fn text_of(&self, dom: &Dom<'_>, id: Id) -> String {
        let mut text = String::new();
        let mut units = 0;
        for piece in self.within(&self.texts, id).iter().map(|id| dom.node(*id).text) {
            let piece = if text.is_empty() { piece.trim_start_matches(is_js_space) } else { piece };
            text.push_str(piece);
            units += piece.encode_utf16().count();
            if units >= LONGEST_TEXT {
                break;
            }
        }
        utf16_prefix(text.trim_end_matches(is_js_space), LONGEST_TEXT).trim().to_owned()
    }
}

fn is_input(dom: &Dom<'_>, id: Id, kind: &str) -> bool {
    dom.tag(id) == "input" && dom.attribute(id, "type").is_some_and(|given| given.eq_ignore_ascii_case(kind))
}

/// Whether the field itself, not only something around it, is kept from being displayed.
fn is_undisplayed(dom: &Dom<'_>, input: Id) -> bool {
    if dom.attribute(input, "hidden").is_some() {
        return true;
    }
    match dom.style(input, "display") {
        Some(display) => display == "none" || dom.style(input, "visibility") == Some("hidden"),
        // Without a box its style is not known: where the parent has one, the field's own style
        // took it away.
        None => !dom.has_layout(input) && dom.parent_or_host(input).is_none_or(|parent| dom.has_layout(parent)),
    }
}

/// Live states of fields that have no accessibility node.
#[derive(Debug)]
struct Checks {
    checked: HashSet<u32>,
    indeterminate: HashSet<Id>,
}

impl Checks {
    fn new(dom: &Dom<'_>, document: Id, capture: &Capture) -> Self {
        let (main, _) = dom.page.document();
        let snapshot: Option<Snapshot> = capture.get(PayloadKind::Snapshot, main).and_then(payloads::parse);
        // The first document of a snapshot is that of the session's root frame.
        let nodes = snapshot.iter().filter_map(|snapshot| snapshot.documents.first()).map(|document| &document.nodes);
        let backends = nodes.flat_map(|nodes| {
            let checked = nodes.input_checked.iter().flat_map(RareFlag::nodes);
            checked.filter_map(|place| nodes.backend_node_id.get(place))
        });
        let probe = capture.get(PayloadKind::Probe, main).and_then(payloads::parse::<FrameProbe>);
        let paths = probe.map(|probe| probe.indeterminate).unwrap_or_default();
        Self {
            checked: backends.filter_map(|backend| u32::try_from(*backend).ok()).collect(),
            indeterminate: paths.iter().filter_map(|path| at_path(dom, document, path)).collect(),
        }
    }

    fn of(&self, dom: &Dom<'_>, input: Id) -> &'static str {
        if self.indeterminate.contains(&input) {
            "mixed"
        } else if self.checked.contains(&dom.node(input).backend) {
            "true"
        } else {
            "false"
        }
    }
}

/// The element that a path of a [`FrameProbe`] names; none in shadow trees.
fn at_path(dom: &Dom<'_>, document: Id, path: &str) -> Option<Id> {
    let root = dom.light_elements(document).next()?;
    path.split('/').try_fold(root, |at, step| dom.light_elements(at).nth(step.parse().ok()?))
}
