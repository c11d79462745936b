//! Semantic paths: where a part of a page stands, in the page's own words.
//!
//! In: a [`Page`]. Out: a [`Paths`]: for each element that means something its [`Path`], and for each path its element.
//! Invariants: `resolve(path(node)) == node`; a path has at most [`MOST_STEPS`] steps, however deep the page nests; one forward pass, no
//! recursion.
//!
//! ```text
//! path  = "/" | 1*( "/" step )
//! step  = "#document" | "#shadow-root" | tag [ "#" name | "." name ] [ "[" N "]" ]
//! tag   = a lower-case letter, then letters, digits, "-"            name = a letter, then letters, digits, "-", "_"
//! ```
//!
//! A step names an element by its tag, or by the tag that its ARIA role stands for (`<div role="main">` is `main`), and by its id or the first
//! class of it that says what it is ([`crate::class`]). Elements without meaning are no steps: `html`, `body`, `div` and `span` without
//! such an id or class, inline formatting. `[n]` counts the siblings that are spelled alike below the same step, in document
//! order; the first goes without a number, except of what comes in series (`article`, `li`, `tr`, …), where it has one if there are several.
//! Content of a frame lies below `iframe/#document`, content of a shadow tree below its host and `#shadow-root`; what is slotted lies below
//! the host itself, as in the document. Landmarks (`main`, `header`, `footer`, `nav`, `aside`) do not count below a `div`, and sections (`section`, `article`, `form`,
//! `dialog`) not below one that only a class names: a wrapper says nothing of them.
//!
//! Containers named by a class alone are steps of what lies in them down to the third step, others down to the last but one; what lies
//! deeper counts from there. An element with an id that would have two steps or more above it (a section three) counts below its
//! landmark. So a path stays short, and still leads to one element.

use crate::class::{is_meaningful_id, meaningful_class};
use browserlens_page::{Flags, NodeId, NodeKind, NodeRef, Page};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// Most steps of a path.
pub const MOST_STEPS: usize = 7;
/// Steps down to which a container that only a class names is a step of what lies in it.
const MOST_STEPS_BY_CLASS: usize = 3;
/// Steps from which an element with an id counts below its landmark; one more for sections.
const MOST_STEPS_ABOVE_ID: usize = 2;
/// Longest text that is parsed as a path, in bytes.
const LONGEST_TEXT: usize = 4_096;

/// How a step names its element beside the tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Label {
    /// Not at all.
    #[default]
    None,
    /// By its id.
    Id(String),
    /// By a class.
    Class(String),
}

/// What a step names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The document in a frame.
    Document,
    /// The shadow tree of a host.
    ShadowRoot,
    /// An element.
    Element {
        /// Tag, or the tag that the role stands for.
        tag: String,
        /// Id or class.
        label: Label,
    },
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it names.
    pub kind: Kind,
    /// Which of the siblings spelled alike, counted from 1; none where the number is not written, which means the first.
    pub index: Option<u32>,
}

/// A semantic path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// The steps from the page down; none for the page itself.
    pub steps: Vec<Step>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Document => f.write_str("#document")?,
            Kind::ShadowRoot => f.write_str("#shadow-root")?,
            Kind::Element { tag, label } => {
                f.write_str(tag)?;
                match label {
                    Label::None => {}
                    Label::Id(id) => write!(f, "#{id}")?,
                    Label::Class(class) => write!(f, ".{class}")?,
                }
            }
        }
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("/");
        }
        self.steps.iter().try_for_each(|step| write!(f, "/{step}"))
    }
}

/// A text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no path at character {at}: {expected}")]
pub struct MalformedPath {
    /// Where, in characters from 1.
    pub at: usize,
    /// What is expected there.
    pub expected: &'static str,
}

impl FromStr for Path {
    type Err = MalformedPath;

    fn from_str(text: &str) -> Result<Self, MalformedPath> {
        let wrong = |byte: usize, expected| MalformedPath {
            at: text.get(..byte).map_or(0, |before| before.chars().count()) + 1,
            expected,
        };
        if text.len() > LONGEST_TEXT {
            return Err(wrong(0, "a path of at most 4,096 bytes"));
        }
        let Some(rest) = text.strip_prefix('/') else { return Err(wrong(0, "a path begins with \"/\"")) };
        if rest.is_empty() {
            return Ok(Self::default());
        }
        let mut steps = Vec::new();
        let mut at = 1;
        for part in rest.split('/') {
            steps.push(step(part).map_err(|(inner, expected)| wrong(at + inner, expected))?);
            at += part.len() + 1;
        }
        Ok(Self { steps })
    }
}

fn step(part: &str) -> Result<Step, (usize, &'static str)> {
    let (spelled, index) = match part.split_once('[') {
        None => (part, None),
        Some((spelled, number)) => {
            let at = spelled.len() + 1;
            let expected = "a number from 1 on and \"]\"";
            let digits = number.strip_suffix(']').ok_or((part.len(), expected))?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
            let index = digits.parse::<u32>().ok().filter(|_| plain).ok_or((at, expected))?;
            (spelled, Some(index))
        }
    };
    let kind = match spelled {
        "#document" => Kind::Document,
        "#shadow-root" => Kind::ShadowRoot,
        _ => {
            let end = spelled.find(['#', '.']).unwrap_or(spelled.len());
            let (tag, label) = spelled.split_at(end);
            if !is_tag(tag) {
                return Err((0, "a tag in lower case, \"#document\" or \"#shadow-root\""));
            }
            let name = label.get(1..).unwrap_or("");
            if !label.is_empty() && !is_name(name) {
                return Err((end + 1, "a name of letters, digits, \"-\" and \"_\" that begins with a letter"));
            }
            let label = match label.as_bytes().first() {
                None => Label::None,
                Some(b'#') => Label::Id(name.to_owned()),
                Some(_) => Label::Class(name.to_owned()),
            };
            Kind::Element { tag: tag.to_owned(), label }
        }
    };
    Ok(Step { kind, index })
}

fn is_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Returns the tag that a step of an element has, and how much it means.
fn tag_of<'p>(node: NodeRef<'p>, role: &'p str) -> Option<&'p str> {
    let by_role = || -> Option<&'p str> {
        Some(match role {
            "main" => "main",
            "banner" => "header",
            "navigation" => "nav",
            "contentinfo" => "footer",
            "complementary" => "aside",
            "region" => "section",
            "article" => "article",
            "search" => "search",
            "form" => "form",
            "dialog" | "alertdialog" => "dialog",
            "heading" => match node.level() {
                Some(1) => "h1",
                Some(3) => "h3",
                Some(4) => "h4",
                Some(5) => "h5",
                Some(6) => "h6",
                _ => "h2",
            },
            "list" => "ul",
            "listitem" => "li",
            "paragraph" => "p",
            "button" => "button",
            "link" => "a",
            "table" | "grid" | "treegrid" => "table",
            "row" => "tr",
            "cell" | "gridcell" => "td",
            "columnheader" | "rowheader" => "th",
            "image" | "img" => "img",
            "figure" => "figure",
            "textbox" | "searchbox" => "input",
            _ => return None,
        })
    };
    match node.tag() {
        "div" | "span" | "center" | "font" => by_role(),
        "ul" | "ol" | "nav" | "section" | "article" | "aside" | "header" | "footer" | "form" | "a" | "p" | "li" | "td" | "tr" => {
            // A written role says more than the tag.
            if node.attribute("role").is_some() { by_role().or(Some(node.tag())) } else { Some(node.tag()) }
        }
        tag @ ("main" | "search" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dl" | "dt" | "dd" | "pre" | "code" | "blockquote" | "table" | "th"
        | "caption" | "figure" | "figcaption" | "img" | "video" | "audio" | "canvas" | "iframe" | "frame" | "object" | "details" | "summary" | "dialog"
        | "fieldset" | "legend" | "button" | "input" | "select" | "textarea" | "option" | "address" | "menu" | "hgroup" | "hr" | "output"
        | "progress" | "meter" | "time" | "svg" | "math" | "listing" | "xmp") => Some(tag),
        tag if tag.contains('-') && is_tag(tag) => Some(tag),
        _ => None,
    }
}

/// Headings need no id: their section has it, or their number says which.
fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether elements of a tag come in series, so that the first of several has a number too.
fn in_series(tag: &str) -> bool {
    matches!(tag, "article" | "li" | "tr" | "option" | "dt" | "dd" | "td" | "th")
}

fn takes_class(tag: &str) -> bool {
    matches!(tag, "section" | "nav" | "aside" | "form" | "div" | "ul" | "ol" | "dl" | "table" | "figure" | "fieldset" | "details" | "dialog")
}

const NONE: u32 = u32::MAX;

/// How the step of a node is spelled: interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spelling<'p> {
    Document,
    Element(&'p str, Mark, &'p str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mark {
    None,
    Id,
    Class,
}

/// What is known of one node.
#[derive(Clone, Copy)]
struct Place {
    /// The place below which what lies in the node counts: a node, twice its number; its shadow tree, one more.
    inside: u32,
    /// The same for sectioning elements: a `div` that only a class names is passed over.
    sections_inside: u32,
    /// The same for landmarks: every `div` is passed over.
    landmarks_inside: u32,
    /// The nearest landmark, frame, shadow tree or the page, below which elements with an id count where their path would be long.
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
    page: &'p Page,
    places: Vec<Place>,
    named: Vec<Named<'p>>,
    series: Vec<Vec<u32>>,
    by_spelling: HashMap<(u32, Spelling<'p>), u32>,
}

impl fmt::Debug for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paths").field("named", &self.named.len()).finish_non_exhaustive()
    }
}

/// The place of the page itself.
const PAGE: u32 = 0;

impl<'p> Paths<'p> {
    /// Names the elements of a page.
    pub fn of(page: &'p Page) -> Self {
        let mut paths = Self {
            page,
            places: Vec::with_capacity(page.len()),
            named: Vec::new(),
            series: Vec::new(),
            by_spelling: HashMap::new(),
        };
        let mut classes: HashMap<&'p str, Option<&'p str>> = HashMap::new();
        let mut ids: HashMap<&'p str, bool> = HashMap::new();
        for node in page.nodes() {
            paths.add(node, &mut classes, &mut ids);
        }
        paths
    }

    fn add(&mut self, node: NodeRef<'p>, classes: &mut HashMap<&'p str, Option<&'p str>>, ids: &mut HashMap<&'p str, bool>) {
        let id = node.id().0;
        let Some(parent) = node.parent() else {
            self.places.push(Place { inside: PAGE, sections_inside: PAGE, landmarks_inside: PAGE, anchor: PAGE, host: NONE, named: NONE, nearest: NONE });
            return;
        };
        let above = self.places[parent.id().index()];
        let shadow = Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW);
        let hosts = Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED);
        // Place and host by the document, not by the flat tree that the arena is.
        let (mut inside, mut host, mut nearest) = (above.inside, above.host, above.nearest);
        let (mut sections_inside, mut landmarks_inside) = (above.sections_inside, above.landmarks_inside);
        let mut anchor = above.anchor;
        if node.flags().has(Flags::SLOTTED) && above.host != NONE {
            let around = self.places[above.host as usize];
            (inside, host, nearest) = (around.inside, around.host, around.nearest);
            (sections_inside, landmarks_inside) = (around.sections_inside, around.landmarks_inside);
            anchor = around.anchor;
        } else if parent.flags().any(hosts) && node.flags().any(shadow) {
            host = parent.id().0;
            // A host too deep to open holds its shadow tree where it stands itself.
            if above.inside == host * 2 {
                inside = host * 2 + 1;
            }
            (sections_inside, landmarks_inside, anchor) = (inside, inside, inside);
        }
        let mut place = Place { inside, sections_inside, landmarks_inside, anchor, host, named: NONE, nearest };
        if let Some((spelling, opens)) = self.spelling(node, inside, classes, ids) {
            let generic = matches!(spelling, Spelling::Element("div" | "span", ..));
            let by_class = generic && matches!(spelling, Spelling::Element(_, Mark::Class, _));
            match spelling {
                Spelling::Element("main" | "header" | "footer" | "nav" | "aside", ..) => inside = landmarks_inside,
                Spelling::Element("section" | "article" | "form" | "dialog", ..) => inside = sections_inside,
                _ => {}
            }
            if let Spelling::Element(tag, Mark::Id, _) = spelling {
                let sectioning = matches!(tag, "section" | "article" | "form" | "dialog" | "nav" | "aside");
                if usize::from(self.depth(inside)) >= MOST_STEPS_ABOVE_ID + usize::from(sectioning) {
                    inside = anchor;
                }
            }
            let depth = self.depth(inside) + if inside & 1 == 1 { 2 } else { 1 };
            let row = self.named.len() as u32;
            let series = match self.by_spelling.entry((inside, spelling)) {
                std::collections::hash_map::Entry::Occupied(known) => *known.get(),
                std::collections::hash_map::Entry::Vacant(free) => {
                    let series = self.series.len() as u32;
                    self.series.push(Vec::new());
                    *free.insert(series)
                }
            };
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
                if matches!(spelling, Spelling::Document | Spelling::Element("main" | "header" | "footer" | "nav" | "aside" | "dialog", ..)) {
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

    /// How a node is spelled, and whether what lies in it counts below it; none if it means nothing.
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
        let of_document = inside == PAGE || tag != "main";
        if of_document && tag != "main" {
            for (name, value) in node.attributes() {
                if name == "id" && !value.is_empty() && !is_heading(tag) {
                    id = ids.entry(value).or_insert_with(|| is_meaningful_id(value) && is_name(value)).then_some(value);
                } else if name == "class" && takes_class(tag) {
                    class = *classes.entry(value).or_insert_with(|| meaningful_class(value).filter(|class| is_name(class)));
                    class = class.filter(|class| *class != tag);
                }
            }
        }
        let must = node.flags().any(Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED).with(Flags::IFRAME));
        let (mark, label) = match (id, class) {
            (Some(id), _) => (Mark::Id, id),
            (None, Some(class)) => (Mark::Class, class),
            (None, None) if generic && !must => return None,
            (None, None) => (Mark::None, ""),
        };
        if !is_tag(tag) || (generic && tag != "div" && mark != Mark::Id && !must) {
            return None;
        }
        let by_class = generic && mark != Mark::Id && !must;
        let opens = room && (!by_class || depth < MOST_STEPS_BY_CLASS);
        Some((Spelling::Element(tag, mark, label), opens))
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
                Spelling::Element(tag, mark, label) => {
                    let label = match mark {
                        Mark::None => Label::None,
                        Mark::Id => Label::Id(label.to_owned()),
                        Mark::Class => Label::Class(label.to_owned()),
                    };
                    (Kind::Element { tag: tag.to_owned(), label }, in_series(tag))
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
            Spelling::Element(tag, mark, label) => Some((
                tag,
                match mark {
                    Mark::None => Label::None,
                    Mark::Id => Label::Id(label.to_owned()),
                    Mark::Class => Label::Class(label.to_owned()),
                },
            )),
        }
    }

    /// Returns the node that a path leads to.
    pub fn resolve(&self, path: &Path) -> Option<NodeId> {
        let mut place = PAGE;
        let mut node = NodeId::ROOT;
        for (at, step) in path.steps.iter().enumerate() {
            let spelling = match &step.kind {
                Kind::ShadowRoot => {
                    if place & 1 == 1 || node == NodeId::ROOT || step.index.is_some_and(|index| index != 1) || at + 1 == path.steps.len() {
                        return None;
                    }
                    place = node.0 * 2 + 1;
                    continue;
                }
                Kind::Document => Spelling::Document,
                Kind::Element { tag, label } => match label {
                    Label::None => Spelling::Element(tag, Mark::None, ""),
                    Label::Id(id) => Spelling::Element(tag, Mark::Id, id),
                    Label::Class(class) => Spelling::Element(tag, Mark::Class, class),
                },
            };
            let series = self.lookup(place, spelling)?;
            let index = step.index.unwrap_or(1).checked_sub(1)? as usize;
            node = NodeId(*self.series.get(series as usize)?.get(index)?);
            place = node.0 * 2;
        }
        Some(node)
    }

    fn lookup<'s>(&'s self, place: u32, spelling: Spelling<'s>) -> Option<u32> {
        let known: &HashMap<(u32, Spelling<'s>), u32> = &self.by_spelling;
        known.get(&(place, spelling)).copied()
    }

    /// Returns the page.
    pub fn page(&self) -> &'p Page {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::{Frame, NodeSpec, PageBuilder, ScrollOffset};
    use proptest::prelude::*;

    fn paths_of(page: &Page) -> Vec<String> {
        let paths = Paths::of(page);
        paths.named().map(|node| paths.path(node).expect("named").to_string()).collect()
    }

    #[test]
    fn a_path_has_landmarks_semantic_tags_ids_meaningful_classes_and_numbers_and_nothing_else() {
        let page = PageBuilder::outline(
            r#"
            generic tag=html
              generic tag=body class="antialiased bg-white"
                generic class="page-wrapper"
                  banner
                    navigation
                  main tag=div class="css-1q2w3e"
                    article
                      heading "A" tag=h1 level=1
                      generic tag=section class="mt-4 intro"
                        paragraph
                        paragraph
                      generic tag=section class="content" id=":r1:"
                        heading "B" tag=h2 level=2
                        heading "C" tag=h2 level=2
                        generic class="flex gap-2"
                          generic class="offers"
                            generic tag=span class="price"
                      generic tag=section id="reviews"
                        article
                        article
                generic id="app"
                  list
                    listitem
                      link "x" href="/"
                    listitem
            "#,
        );
        insta::assert_snapshot!(paths_of(&page).join("\n"), @r"
        /header
        /header/nav
        /main
        /main/article
        /main/article/h1
        /main/article/section.intro
        /main/article/section.intro/p
        /main/article/section.intro/p[2]
        /main/article/section.content
        /main/article/section.content/h2
        /main/article/section.content/h2[2]
        /main/article/section.content/div.offers
        /main/article/section#reviews
        /main/article/section#reviews/article[1]
        /main/article/section#reviews/article[2]
        /div#app
        /div#app/ul
        /div#app/ul/li[1]
        /div#app/ul/li[1]/a
        /div#app/ul/li[2]
        ");
    }

    #[test]
    fn frames_shadow_trees_and_slots_have_paths() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "main", role: "main", ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "div", flags: Flags::SHADOW_HOST_OPEN, ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "section", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
        builder.open(NodeSpec { tag: "slot", flags: Flags::IN_OPEN_SHADOW, ..NodeSpec::default() });
        builder.leaf(NodeSpec { tag: "h2", flags: Flags::SLOTTED, ..NodeSpec::default() });
        builder.close().close().close();
        builder.open(NodeSpec { tag: "iframe", flags: Flags::IFRAME, attributes: vec![("id", "pay")], ..NodeSpec::default() });
        builder.open_frame(Frame {
            number: 2,
            loader: 2,
            url: "https://test.test/frame".to_owned(),
            title: String::new(),
            owner: None,
            document: None,
            scroll: ScrollOffset::default(),
            rendered_text: String::new(),
        });
        builder.open(NodeSpec { kind: NodeKind::Document, tag: "#document", ..NodeSpec::default() });
        builder.leaf(NodeSpec { tag: "h1", ..NodeSpec::default() });
        let page = builder.finish();
        assert_eq!(
            paths_of(&page),
            [
                "/main",
                "/main/div",
                "/main/div/#shadow-root/section",
                "/main/div/h2",
                "/main/iframe#pay",
                "/main/iframe#pay/#document",
                "/main/iframe#pay/#document/h1"
            ]
        );
        let paths = Paths::of(&page);
        for node in paths.named() {
            assert_eq!(paths.resolve(&paths.path(node).expect("named")), Some(node));
        }
    }

    #[test]
    fn a_text_that_is_no_path_is_refused_with_its_place() {
        let error = |text: &str| text.parse::<Path>().expect_err(text).to_string();
        insta::assert_snapshot!(
            ["", "main", "//", "/main/", "/Main", "/p[0]", "/p[x]", "/p[1", "/p[01]", "/a.", "/a#1", "/a.b.c", "/é", "/#doc"]
                .map(|text| format!("{text:?}: {}", error(text)))
                .join("\n")
        );
    }

    #[test]
    fn a_page_nested_ten_thousand_deep_has_short_paths() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for _ in 0..10_000 {
            builder.open(NodeSpec { tag: "blockquote", ..NodeSpec::default() });
        }
        let page = builder.finish();
        let paths = Paths::of(&page);
        for node in paths.named() {
            let path = paths.path(node).expect("named");
            assert!(path.steps.len() <= MOST_STEPS);
            assert_eq!(paths.resolve(&path), Some(node), "{path}");
        }
    }

    /// A page of nested elements from a list of depths and kinds.
    fn grown(plan: &[(u8, u8)]) -> Page {
        const TAGS: [&str; 12] = ["div", "section", "article", "main", "ul", "li", "p", "h2", "x-card", "iframe", "span", "nav"];
        const CLASSES: [&str; 5] = ["", "content", "mt-4 flex", "card__title wide", "css-1a2b3c"];
        const IDS: [&str; 4] = ["", "top", "top", ":r1:"];
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        let mut depth = 0_usize;
        for (up, kind) in plan {
            for _ in 0..usize::from(up % 4).min(depth) {
                builder.close();
                depth -= 1;
            }
            let kind = usize::from(*kind);
            let flags = match kind % 7 {
                0 => Flags::SHADOW_HOST_OPEN,
                1 => Flags::IN_OPEN_SHADOW,
                2 => Flags::SLOTTED,
                _ => Flags::NONE,
            };
            let is_document = kind % 31 == 30;
            builder.open(NodeSpec {
                kind: if is_document { NodeKind::Document } else { NodeKind::Element },
                tag: if is_document { "#document" } else { TAGS[kind % TAGS.len()] },
                flags,
                attributes: vec![("class", CLASSES[kind / 3 % 5]), ("id", IDS[kind / 5 % 4])],
                ..NodeSpec::default()
            });
            depth += 1;
        }
        builder.finish()
    }

    proptest! {
        #[test]
        fn a_path_leads_back_to_exactly_its_node(plan in proptest::collection::vec((0_u8..6, 0_u8..=255), 0..80)) {
            let page = grown(&plan);
            let paths = Paths::of(&page);
            let mut seen = std::collections::HashSet::new();
            for node in paths.named() {
                let path = paths.path(node).expect("a named node has a path");
                prop_assert_eq!(paths.resolve(&path), Some(node), "{}", path);
                prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path.clone()));
                prop_assert!(path.steps.len() <= MOST_STEPS, "{}", path);
                prop_assert!(seen.insert(path.to_string()), "{} stands for two", path);
            }
            for node in page.nodes() {
                prop_assert!(paths.resolve(&paths.path_near(node.id())).is_some());
            }
        }

        #[test]
        fn any_text_is_a_path_or_refused(text in "[/#.a-z0-9A-Zé\\[\\] -]{0,40}") {
            match text.parse::<Path>() {
                Ok(path) => prop_assert_eq!(path.to_string(), text),
                Err(error) => prop_assert!(error.at >= 1 && error.at <= text.chars().count() + 1),
            }
        }
    }
}
