//! The paths of one page: from elements to paths and back.
//!
//! In: a page. Out: [`Paths`]. Invariants: one forward pass; siblings are counted below the place
//! that the last step names, in document order.

use super::name::{in_series, is_heading, tag_of, takes_class};
use super::{Kind, Label, MOST_STEPS, MOST_STEPS_ABOVE_ID, MOST_STEPS_BY_CLASS, Path, Step, is_name, is_tag};
use crate::class::{is_meaningful_id, meaningful_class};
use browserlens_core::page::{Flags, NodeId, NodeKind, NodeRef, Page};
use rustc_hash::FxHashMap as HashMap;

const NONE: u32 = u32::MAX;

/// How the step of a node is spelled: interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spelling<'p> {
    Document,
    Element(&'p str, Label<&'p str>),
}

/// What is known of one node.
#[derive(Clone, Copy)]
struct NodePosition {
    /// The place below which what lies in the node counts: a node, twice its number; its shadow
    /// tree, one more.
    inside: u32,
    /// The same for sectioning elements: a `div` that only a class names is passed over.
    sections_inside: u32,
    /// The same for landmarks: every `div` is passed over.
    landmarks_inside: u32,
    /// The nearest landmark, frame, shadow tree or the page, below which elements with an id count
    /// where their path would be long.
    anchor: u32,
    /// Host of the shadow tree that the node lies in, or [`NONE`].
    host: u32,
    /// Row in `named`, or [`NONE`].
    named: u32,
    /// Nearest named node at or above, or [`NONE`].
    nearest: u32,
}

#[derive(Clone, Copy)]
struct Named<'p> {
    node: u32,
    /// The place that it counts below.
    below: u32,
    spelling: Spelling<'p>,
    index: u32,
    /// Row of what is spelled alike at that place.
    series: u32,
    /// Number of steps.
    depth: u8,
}

/// The paths of one page.
#[derive(Clone)]
pub struct Paths<'p> {
    places: Vec<NodePosition>,
    named: Vec<Named<'p>>,
    series: Vec<Vec<u32>>,
    by_spelling: HashMap<(u32, Spelling<'p>), u32>,
}

browserlens_core::opaque_debug!(self: Paths<'_> { named: self.named.len() });

/// The place of the page itself.
const PAGE: u32 = 0;

impl<'p> Paths<'p> {
    /// Names the elements of a page.
    pub fn of(page: &'p Page) -> Self {
        let mut paths = Self {
            places: Vec::with_capacity(page.len()),
            named: Vec::new(),
            series: Vec::new(),
            by_spelling: HashMap::default(),
        };
        let mut classes: HashMap<&'p str, Option<&'p str>> = HashMap::default();
        let mut ids: HashMap<&'p str, bool> = HashMap::default();
        for node in page.nodes() {
            paths.add(node, &mut classes, &mut ids);
        }
        paths
    }

    fn add(
        &mut self,
        node: NodeRef<'p>,
        classes: &mut HashMap<&'p str, Option<&'p str>>,
        ids: &mut HashMap<&'p str, bool>,
    ) {
        let id = node.id().0;
        let Some(parent) = node.parent() else {
            self.places.push(NodePosition {
                inside: PAGE,
                sections_inside: PAGE,
                landmarks_inside: PAGE,
                anchor: PAGE,
                host: NONE,
                named: NONE,
                nearest: NONE,
            });
            return;
        };
        let shadow = Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW);
        let hosts = Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED);
        // Place and host by the document, not by the flat tree that the arena is.
        let mut place = NodePosition { named: NONE, ..self.places[parent.id().index()] };
        if node.flags().has(Flags::SLOTTED) && place.host != NONE {
            place = NodePosition { named: NONE, ..self.places[place.host as usize] };
        } else if parent.flags().any(hosts) && node.flags().any(shadow) {
            place.host = parent.id().0;
            // A host too deep to open holds its shadow tree where it stands itself.
            if place.inside == place.host * 2 {
                place.inside += 1;
            }
            (place.sections_inside, place.landmarks_inside, place.anchor) = (place.inside, place.inside, place.inside);
        }
        let mut inside = place.inside;
        if let Some((spelling, opens)) = self.spelling(node, inside, classes, ids) {
            let generic = matches!(spelling, Spelling::Element("div" | "span", _));
            let by_class = generic && matches!(spelling, Spelling::Element(_, Label::Class(_)));
            match spelling {
                Spelling::Element("main" | "header" | "footer" | "nav" | "aside", _) => inside = place.landmarks_inside,
                Spelling::Element("section" | "article" | "form" | "dialog", _) => inside = place.sections_inside,
                _ => {}
            }
            if let Spelling::Element(tag, Label::Id(_)) = spelling {
                let sectioning = matches!(tag, "section" | "article" | "form" | "dialog" | "nav" | "aside");
                if usize::from(self.depth(inside)) >= MOST_STEPS_ABOVE_ID + usize::from(sectioning) {
                    inside = place.anchor;
                }
            }
            let depth = self.depth(inside) + if inside & 1 == 1 { 2 } else { 1 };
            let row = self.named.len() as u32;
            let series = *self.by_spelling.entry((inside, spelling)).or_insert_with(|| {
                self.series.push(Vec::new());
                self.series.len() as u32 - 1
            });
            let siblings = &mut self.series[series as usize];
            siblings.push(id);
            let index = siblings.len() as u32;
            self.named.push(Named { node: id, below: inside, spelling, index, series, depth });
            place.named = row;
            place.nearest = id;
            if opens {
                place.inside = id * 2;
                if !by_class {
                    place.sections_inside = place.inside;
                }
                if !generic {
                    place.landmarks_inside = place.inside;
                }
                let is_landmark = |tag: &str| matches!(tag, "main" | "header" | "footer" | "nav" | "aside" | "dialog");
                if !matches!(spelling, Spelling::Element(tag, _) if !is_landmark(tag)) {
                    place.anchor = place.inside;
                }
            }
        }
        self.places.push(place);
    }

    /// Number of steps of a place.
    fn depth(&self, place: u32) -> u8 {
        let node = self.places.get((place / 2) as usize).map_or(NONE, |place| place.named);
        self.named.get(node as usize).map_or(0, |named| named.depth)
    }

    /// How a node is spelled, and whether what lies in it counts below it; none if it means
    /// nothing.
    fn spelling(
        &self,
        node: NodeRef<'p>,
        inside: u32,
        classes: &mut HashMap<&'p str, Option<&'p str>>,
        ids: &mut HashMap<&'p str, bool>,
    ) -> Option<(Spelling<'p>, bool)> {
        let depth = usize::from(self.depth(inside)) + usize::from(inside & 1 == 1);
        // A host needs two steps more for what lies in its shadow tree.
        let room = depth + 3 <= MOST_STEPS;
        match node.kind() {
            NodeKind::Text | NodeKind::Pseudo => return None,
            NodeKind::Document => return Some((Spelling::Document, room)),
            NodeKind::Element => {}
        }
        let meant = tag_of(node, node.role());
        let mut id = None;
        let mut class = None;
        let tag = meant.unwrap_or_else(|| node.tag());
        if tag == "html" || tag == "body" || tag == "head" || tag == "slot" {
            return None;
        }
        let generic = meant.is_none();
        if tag != "main" {
            for (name, value) in node.attributes() {
                if name == "id" && !value.is_empty() && !is_heading(tag) {
                    id = ids.entry(value).or_insert_with(|| is_meaningful_id(value) && is_name(value)).then_some(value);
                } else if name == "class" && takes_class(tag) {
                    class =
                        *classes.entry(value).or_insert_with(|| meaningful_class(value).filter(|class| is_name(class)));
                    class = class.filter(|class| *class != tag);
                }
            }
        }
        let must = node.flags().any(Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED).with(Flags::IFRAME));
        let label = match (id, class) {
            (Some(id), _) => Label::Id(id),
            (None, Some(class)) => Label::Class(class),
            (None, None) if generic && !must => return None,
            (None, None) => Label::None,
        };
        let by_class = generic && id.is_none() && !must;
        if !is_tag(tag) || (by_class && tag != "div") {
            return None;
        }
        let opens = room && (!by_class || depth < MOST_STEPS_BY_CLASS);
        Some((Spelling::Element(tag, label), opens))
    }

    /// Returns the path of a node; none if it means nothing by itself.
    pub fn path(&self, node: NodeId) -> Option<Path> {
        let mut row = self.places.get(node.index())?.named;
        if row == NONE {
            return (node == NodeId::ROOT).then(Path::default);
        }
        let mut steps = Vec::new();
        while let Some(named) = self.named.get(row as usize) {
            let several = self.series[named.series as usize].len() > 1;
            let (kind, series) = match named.spelling {
                Spelling::Document => (Kind::Document, false),
                Spelling::Element(tag, label) => {
                    (Kind::Element { tag: tag.to_owned(), label: label.map(|text| (*text).to_owned()) }, in_series(tag))
                }
            };
            let numbered = named.index > 1 || (several && series);
            steps.push(Step { kind, index: numbered.then_some(named.index) });
            if named.below & 1 == 1 {
                steps.push(Step { kind: Kind::ShadowRoot, index: None });
            }
            if named.below == PAGE {
                break;
            }
            row = self.places.get((named.below / 2) as usize).map_or(NONE, |place| place.named);
        }
        steps.reverse();
        Some(Path { steps })
    }

    /// Returns the node at or above a node that has a path: the page itself if no other has.
    pub fn nearest(&self, node: NodeId) -> NodeId {
        match self.places.get(node.index()).map(|place| place.nearest) {
            Some(nearest) if nearest != NONE => NodeId(nearest),
            _ => NodeId::ROOT,
        }
    }

    /// Returns the path of a node, or of the nearest above it that has one.
    pub fn path_near(&self, node: NodeId) -> Path {
        self.path(self.nearest(node)).unwrap_or_default()
    }

    /// Returns whether a node has a path of its own.
    pub fn is_named(&self, node: NodeId) -> bool {
        self.places.get(node.index()).is_some_and(|place| place.named != NONE)
    }

    /// Returns the nodes that have a path of their own, in document order.
    pub fn named(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.named.iter().map(|named| NodeId(named.node))
    }

    /// Returns the tag, and the meaningful id or class, by which the step of a node is spelled.
    pub fn spelled(&self, node: NodeId) -> Option<(&'p str, Label)> {
        let named = self.named.get(self.places.get(node.index())?.named as usize)?;
        match named.spelling {
            Spelling::Document => None,
            Spelling::Element(tag, label) => Some((tag, label.map(|text| (*text).to_owned()))),
        }
    }

    /// Returns the node that a path leads to.
    pub fn resolve(&self, path: &Path) -> Option<NodeId> {
        let known: &HashMap<(u32, Spelling<'_>), u32> = &self.by_spelling;
        let mut place = PAGE;
        let mut node = NodeId::ROOT;
        for (at, step) in path.steps.iter().enumerate() {
            let spelling = match &step.kind {
                Kind::ShadowRoot => {
                    if place & 1 == 1
                        || node == NodeId::ROOT
                        || step.index.is_some_and(|index| index != 1)
                        || at + 1 == path.steps.len()
                    {
                        return None;
                    }
                    place = node.0 * 2 + 1;
                    continue;
                }
                Kind::Document => Spelling::Document,
                Kind::Element { tag, label } => Spelling::Element(tag, label.map(String::as_str)),
            };
            let series = *known.get(&(place, spelling))?;
            let index = step.index.unwrap_or(1).checked_sub(1)? as usize;
            node = NodeId(*self.series.get(series as usize)?.get(index)?);
            place = node.0 * 2;
        }
        Some(node)
    }
}
