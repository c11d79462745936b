//! What the marks do to the accessibility tree: an element with an ARIA attribute of its own is
//! never left out of it.
//!
//! In: the nodes of one frame without marks, the document, and the bids. Out: the nodes as they are
//! with marks. Invariants: only elements with a bid change, and only those whose role would be
//! written without properties: `generic` is passed over either way; nothing comes up that is
//! hidden, inert or not laid out. Why the marks matter: they bring up paragraphs, cells, images
//! without alternative text, table bodies and labels that Chromium leaves out. They also write
//! every `li`'s `value` property, which is 0 unless set: ordered lists count `0.`.

use super::ax::{AxNode, Ignored};
use super::layout::{Layout, NodeIndex};
use crate::dom::{Dom, Id};
use browserlens_core::page::{Flags, Visibility};
use serde_json::Value;
use std::collections::HashMap;

/// The nodes of one frame, joined with the document.
pub(super) struct Marked<'d, 'a> {
    pub dom: &'d Dom<'a>,
    pub bids: &'d HashMap<NodeIndex, String>,
    pub layout: &'d Layout,
    /// Number of the frame.
    pub frame: u32,
    pub nodes: Vec<AxNode>,
    /// Element or text of a backend node id.
    ids: HashMap<u32, Id>,
    /// First position that stands for a node of the document.
    place_of: HashMap<Id, usize>,
}

impl<'d, 'a> Marked<'d, 'a> {
    pub fn new(
        dom: &'d Dom<'a>,
        bids: &'d HashMap<NodeIndex, String>,
        layout: &'d Layout,
        frame: u32,
        nodes: Vec<AxNode>,
    ) -> Self {
        let number = |id: Id| dom.page.frames().get(usize::from(dom.node(id).frame.0)).map(|frame| frame.number);
        let of_frame = (0..dom.len() as Id).filter(|id| number(*id) == Some(frame));
        let ids: HashMap<u32, Id> = of_frame.map(|id| (dom.node(id).backend, id)).collect();
        let mut marked = Self { dom, bids, layout, frame, nodes, ids, place_of: HashMap::new() };
        for place in 0..marked.nodes.len() {
            if let Some(id) = marked.id(place) {
                marked.place_of.entry(id).or_insert(place);
            }
        }
        marked.bring_back();
        marked.insert();
        marked
    }

    fn id(&self, place: usize) -> Option<Id> {
        self.ids.get(&self.nodes[place].backend?).copied()
    }

    pub fn bid(&self, place: usize) -> Option<&str> {
        Some(self.bids.get(&(self.frame, self.nodes[place].backend?))?.as_str())
    }

    fn has_bid(&self, id: Id) -> bool {
        self.bids.contains_key(&(self.frame, self.dom.node(id).backend))
    }

    /// Gives the nodes that are there but ignored what they say once they are marked.
    fn bring_back(&mut self) {
        for place in 0..self.nodes.len() {
            let ignored = self.nodes[place].ignored;
            if matches!(ignored, Ignored::No | Ignored::Barred) {
                continue;
            }
            let Some(id) = self.id(place).filter(|id| self.has_bid(*id)) else { continue };
            let declared = matches!(self.dom.attribute(id, "role"), Some("none" | "presentation"));
            let Some(role) = native_role(self.dom.tag(id)).filter(|_| ignored == Ignored::Unmarked || declared) else {
                continue;
            };
            let properties = self.properties(id);
            let node = &mut self.nodes[place];
            role.clone_into(&mut node.role);
            node.name = Some(String::new());
            node.properties = properties;
        }
    }

    fn properties(&self, id: Id) -> Vec<(String, Value)> {
        if self.dom.tag(id) != "img" {
            return Vec::new();
        }
        let source = self.layout.sources.get(&(self.frame, self.dom.node(id).backend));
        let source = source.map(String::as_str).or_else(|| self.dom.attribute(id, "src"));
        source.map(|url| ("url".to_owned(), Value::from(url))).into_iter().collect()
    }

    /// Puts the elements that are not there at all to where the document has them.
    fn insert(&mut self) {
        // By the position of the node that they come to stand below, in document order.
        let mut groups: Vec<(usize, Vec<Id>)> = Vec::new();
        let mut group_of: HashMap<usize, usize> = HashMap::new();
        let mut missing: Vec<Id> = self.ids.values().copied().filter(|id| self.is_missing(*id)).collect();
        missing.sort_unstable();
        for id in missing {
            let Some(parent) = self.place_above(id) else { continue };
            let Some(role) = native_role(self.dom.tag(id)) else { continue };
            let node = AxNode {
                role: role.to_owned(),
                name: Some(String::new()),
                properties: self.properties(id),
                backend: Some(self.dom.node(id).backend),
                ..AxNode::default()
            };
            self.place_of.insert(id, self.nodes.len());
            self.nodes.push(node);
            let group = *group_of.entry(parent).or_insert_with(|| {
                groups.push((parent, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(id);
        }
        if groups.is_empty() {
            return;
        }
        let ends = self.dom.ends();
        // An element that was put in takes its children from above before others are put into it.
        groups.sort_by_key(|(parent, _)| self.id(*parent));
        for (parent, ids) in groups {
            let children = std::mem::take(&mut self.nodes[parent].children);
            let mut merged = Vec::with_capacity(children.len() + ids.len());
            let mut coming = ids.into_iter().peekable();
            let mut at = None;
            for child in children {
                at = self.id(child).or(at);
                while let Some(next) = coming.next_if(|next| at.is_some_and(|at| ends[*next as usize] <= at)) {
                    merged.push(self.place_of[&next]);
                }
                match coming.peek().filter(|next| at.is_some_and(|at| **next < at)) {
                    Some(next) => {
                        let holder = self.place_of[next];
                        self.nodes[holder].children.push(child);
                    }
                    None => merged.push(child),
                }
            }
            merged.extend(coming.map(|next| self.place_of[&next]));
            self.nodes[parent].children = merged;
        }
    }

    fn is_missing(&self, id: Id) -> bool {
        let shown = |id: Id| self.dom.node(id).page.is_none_or(|page| page.visibility() != Visibility::Hidden);
        self.dom.is_element(id)
            && native_role(self.dom.tag(id)).is_some()
            && !self.place_of.contains_key(&id)
            && self.has_bid(id)
            && self.layout.laid_out.contains(&(self.frame, self.dom.node(id).backend))
            && shown(id)
    }

    /// Position of the nearest node above that is in the tree; none if something on the way keeps
    /// what is below out.
    fn place_above(&self, id: Id) -> Option<usize> {
        let mut at = id;
        loop {
            let barred = self.dom.attribute(at, "aria-hidden") == Some("true")
                || self.dom.attribute(at, "inert").is_some()
                || self.dom.node(at).page.is_some_and(|page| page.flags().any(Flags::ARIA_HIDDEN.with(Flags::INERT)));
            if barred {
                return None;
            }
            at = self.dom.node(at).parent?;
            if let Some(place) = self.place_of.get(&at) {
                return (self.nodes[*place].ignored != Ignored::Barred).then_some(*place);
            }
        }
    }

    /// Whether a marked element that says nothing has come between a text and the node above it.
    pub fn is_text_apart(&self, place: usize) -> bool {
        let parent = |id: &Id| self.dom.node(*id).parent;
        let above = std::iter::successors(self.id(place).as_ref().and_then(parent), parent);
        above.take_while(|id| !self.place_of.contains_key(id)).any(|id| self.has_bid(id))
    }

    /// What a list marker says once its item's `value` is written: its number is 0 unless the page
    /// gave one.
    pub fn marker(&self, place: usize, name: &str) -> Option<String> {
        let item = self.dom.node(self.id(place)?).parent?;
        let counted = self.dom.tag(item) == "li" && self.has_bid(item) && self.dom.attribute(item, "value").is_none();
        let style = self.dom.style(item, "list-style-type").filter(|_| counted)?;
        let zero = match style {
            "decimal-leading-zero" => "00",
            "decimal" | "lower-alpha" | "upper-alpha" | "lower-latin" | "upper-latin" | "lower-roman"
            | "upper-roman" | "lower-greek" => "0",
            _ => return None,
        };
        let number = name.trim_start();
        Some(format!("{zero}{}", number.trim_start_matches(char::is_alphanumeric)))
    }

    /// The frame that an `iframe` node shows.
    pub fn content(&self, place: usize) -> Option<u32> {
        let document = self.dom.content_of(self.id(place)?)?;
        Some(self.dom.key(document).frame)
    }
}

/// Role of an element that has no other and no name; none where that is `generic`, or where there
/// would be a name. Lists and items are in the tree where they have that role: those that are not
/// are in a menu or a log, and generic.
fn native_role(tag: &str) -> Option<&'static str> {
    const SAME: [&str; 5] = ["blockquote", "code", "figure", "mark", "time"];
    Some(match tag {
        "p" => "paragraph",
        "tbody" | "thead" | "tfoot" => "rowgroup",
        "tr" => "row",
        "canvas" => "Canvas",
        "img" | "svg" => "image",
        "label" => "LabelText",
        "dl" => "DescriptionList",
        "dd" => "definition",
        "dt" => "term",
        "figcaption" => "Figcaption",
        "em" => "emphasis",
        "strong" => "strong",
        "del" | "s" => "deletion",
        "ins" => "insertion",
        "sub" => "subscript",
        "sup" => "superscript",
        _ => return SAME.into_iter().find(|same| *same == tag),
    })
}
