//! Content graph of a page: what stands under which heading, and in which order.
//!
//! In: blocks in document order. Out: a [`ContentGraph`] with a node a block, `contains` edges from
//! a heading to what stands directly under it, and `follows` edges from each node to the next.
//! Invariants: a node's id is its place in the document; only headings contain, and only deeper
//! headings of their landmark; `contains` is a forest and `follows` one path over all nodes; the edges are a function
//! of the nodes. Why headings nest by level and not by their place in the DOM: pages rarely wrap a
//! section in an element of its own.

use crate::blocks::{Block, BlockKind};
use crate::embed::{EmbedError, Embedder};
use browserlens_core::named;
use browserlens_core::page::text::beginning;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

named! {
    /// What a node of a content graph is.
    pub enum ContentKind {
        /// A heading; it contains what follows, up to the next heading of its level or above.
        Heading = "heading",
        /// Running text.
        Paragraph = "paragraph",
        /// A list; one item a line.
        List = "list",
        /// Preformatted text.
        Code = "code",
        /// A quotation.
        Quote = "quote",
        /// A table; one row a line.
        Table = "table",
    }
}

impl From<BlockKind> for ContentKind {
    fn from(kind: BlockKind) -> Self {
        match kind {
            BlockKind::Heading { .. } => Self::Heading,
            BlockKind::Paragraph => Self::Paragraph,
            BlockKind::List => Self::List,
            BlockKind::Code => Self::Code,
            BlockKind::Quote => Self::Quote,
            BlockKind::Table => Self::Table,
        }
    }
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContentNode {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ContentKind,
    /// Level of a heading, from 1; none for anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// What it says.
    pub text: String,
    /// Where it stands in the document.
    pub xpath: String,
    /// Its place among the blocks of the page, from 0.
    pub position: u32,
    /// Which landmark beside the main text it lies in (navigation, aside or footer), from 1; 0 for
    /// none.
    #[serde(skip_serializing_if = "is_main")]
    pub side: u32,
}

fn is_main(side: &u32) -> bool {
    *side == 0
}

named! {
    /// How two nodes hang together.
    pub enum Relation {
        /// From a heading to what stands directly under it.
        Contains = "contains",
        /// From a node to the next one of the document.
        Follows = "follows",
    }
}

/// Id of a node: its place in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub u32);

/// How a heading was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeadingMatch {
    /// Its text is the one asked for.
    Exact,
    /// Its text is the one asked for but for case and white space.
    IgnoringCase,
    /// No heading has the text; this one is the most similar, by this much (0 to 1).
    Nearest(f64),
}

/// What stands under a heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    /// The heading.
    pub heading: ContentId,
    /// How it was found.
    pub matched: HeadingMatch,
    /// Headings that match as well as this one and stand later.
    pub others: Vec<ContentId>,
    /// Everything under it, at any depth, in document order; without the heading.
    pub nodes: Vec<ContentId>,
}

/// Least similarity of a heading that [`ContentGraph::under`] takes for the one meant.
pub const NEAREST_HEADING: f64 = 0.3;

/// Queries are compared by their first characters only.
const MAX_COMPARED: usize = 256;

/// The blocks of a page and how they hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentGraph {
    url: String,
    title: String,
    nodes: Vec<ContentNode>,
    /// Of each node the heading that contains it.
    parents: Vec<Option<ContentId>>,
    /// Of each node what it contains, in document order.
    children: Vec<Vec<ContentId>>,
}

impl ContentGraph {
    /// Builds the graph of blocks in document order; positions are given anew, and only headings
    /// keep a level.
    pub fn of_nodes(url: &str, title: &str, nodes: impl IntoIterator<Item = ContentNode>) -> Self {
        let mut nodes: Vec<ContentNode> = nodes.into_iter().collect();
        let (mut parents, mut children) = (vec![None; nodes.len()], vec![Vec::new(); nodes.len()]);
        // Headings that are open, by landmark: each contains the next. Levels rise from first to
        // last.
        let mut of_sides: HashMap<u32, Vec<(u8, ContentId)>> = HashMap::new();
        for (at, node) in nodes.iter_mut().enumerate() {
            let id = ContentId(at as u32);
            node.position = id.0;
            node.level = (node.kind == ContentKind::Heading).then(|| node.level.unwrap_or(1).max(1));
            let open = of_sides.entry(node.side).or_default();
            if let Some(level) = node.level {
                while open.pop_if(|(above, _)| *above >= level).is_some() {}
            }
            if let Some((_, heading)) = open.last() {
                parents[at] = Some(*heading);
                children[heading.0 as usize].push(id);
            }
            open.extend(node.level.map(|level| (level, id)));
        }
        Self { url: url.to_owned(), title: title.to_owned(), nodes, parents, children }
    }

    /// Builds the graph of a page's blocks, as [`crate::extract`] gives them.
    pub fn of(url: &str, title: &str, blocks: &[Block]) -> Self {
        let node = |block: &Block| ContentNode {
            kind: block.kind.into(),
            level: block.kind.level(),
            text: block.text.clone(),
            xpath: block.xpath.clone(),
            position: block.position,
            side: block.side,
        };
        Self::of_nodes(url, title, blocks.iter().map(node))
    }

    /// Returns the address of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the title of the page.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns how many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the page has no block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a node; none if the id is not one of this graph.
    pub fn node(&self, id: ContentId) -> Option<&ContentNode> {
        self.nodes.get(id.0 as usize)
    }

    /// Returns the nodes in document order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &ContentNode> + DoubleEndedIterator + Clone {
        self.nodes.iter()
    }

    /// Returns the edges in the order of their targets, `contains` first.
    pub fn edges(&self) -> impl Iterator<Item = (ContentId, ContentId, Relation)> {
        (0..).map(ContentId).zip(&self.parents).flat_map(|(id, parent)| {
            let contains = parent.map(|parent| (parent, id, Relation::Contains));
            contains.into_iter().chain(id.0.checked_sub(1).map(|before| (ContentId(before), id, Relation::Follows)))
        })
    }

    /// Returns the heading that a node stands directly under.
    pub fn parent(&self, id: ContentId) -> Option<ContentId> {
        *self.parents.get(id.0 as usize)?
    }

    /// Returns what stands directly under a heading, in document order.
    pub fn children(&self, id: ContentId) -> &[ContentId] {
        self.children.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the headings that a node stands under, outermost first.
    pub fn trail(&self, id: ContentId) -> Vec<ContentId> {
        let mut trail: Vec<_> = std::iter::successors(self.parent(id), |above| self.parent(*above)).collect();
        trail.reverse();
        trail
    }

    /// Returns everything under the heading with this text: exact, else but for case, else the most
    /// similar one.
    ///
    /// None if there is no heading that resembles it by at least [`NEAREST_HEADING`].
    pub fn under(&self, heading: &str) -> Option<Under> {
        let (matched, mut found) = self.find_heading(heading)?;
        let others = found.split_off(1);
        let heading = *found.first()?;
        Some(Under { heading, matched, others, nodes: self.descendants(heading) })
    }

    /// Finds headings by text; at least one if any.
    fn find_heading(&self, text: &str) -> Option<(HeadingMatch, Vec<ContentId>)> {
        let headings = || self.nodes().filter(|node| node.kind == ContentKind::Heading);
        let id = |node: &ContentNode| ContentId(node.position);
        let exact: Vec<_> = headings().filter(|node| node.text == text).map(id).collect();
        if !exact.is_empty() {
            return Some((HeadingMatch::Exact, exact));
        }
        let folded = fold(text);
        if folded.is_empty() {
            return None;
        }
        let same: Vec<_> = headings().filter(|node| fold(&node.text) == folded).map(id).collect();
        if !same.is_empty() {
            return Some((HeadingMatch::IgnoringCase, same));
        }
        let wanted = trigrams(&folded);
        let mut best: Option<(f64, Vec<ContentId>)> = None;
        for node in headings() {
            let score = dice(&wanted, &trigrams(&fold(&node.text)));
            match &mut best {
                Some((top, ids)) if *top == score => ids.push(id(node)),
                Some((top, _)) if *top > score => {}
                _ => best = Some((score, vec![id(node)])),
            }
        }
        best.filter(|(score, _)| *score >= NEAREST_HEADING).map(|(score, ids)| (HeadingMatch::Nearest(score), ids))
    }

    /// Returns everything under a node, at any depth, in document order.
    pub fn descendants(&self, id: ContentId) -> Vec<ContentId> {
        let mut found = Vec::new();
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            found.extend(self.children(next));
            open.extend(self.children(next));
        }
        found.sort_unstable();
        found
    }

    /// Returns the nodes at most so many steps away along edges in either direction, nearest first,
    /// then in document order.
    ///
    /// `over` names the edges that may be walked; empty stands for all. The node itself is not
    /// among them.
    pub fn neighbours(&self, id: ContentId, steps: usize, over: &[Relation]) -> Vec<(ContentId, usize)> {
        let mut found = Vec::new();
        if self.node(id).is_none() {
            return found;
        }
        let mut seen = HashSet::from([id]);
        let mut open = VecDeque::from([(id, 0)]);
        while let Some((from, away)) = open.pop_front().filter(|(_, away)| *away < steps) {
            let before = from.0.checked_sub(1).map(ContentId);
            let after = Some(ContentId(from.0 + 1)).filter(|id| self.node(*id).is_some());
            let along = before.into_iter().chain(after).map(|other| (other, Relation::Follows));
            let nested = self.parent(from).into_iter().chain(self.children(from).iter().copied());
            for (other, relation) in along.chain(nested.map(|other| (other, Relation::Contains))) {
                if (over.is_empty() || over.contains(&relation)) && seen.insert(other) {
                    found.push((other, away + 1));
                    open.push_back((other, away + 1));
                }
            }
        }
        found.sort_unstable_by_key(|(id, away)| (*away, *id));
        found
    }

    /// Returns the nodes that a query resembles, the most similar first, with the similarity as the
    /// embedder reads it ([`Embedder::similarity`]); at most `limit`, and none below `least`. What
    /// stands around them, [`ContentGraph::neighbours`] tells.
    ///
    /// # Errors
    /// [`EmbedError`] if the embedder refuses.
    pub fn resembling(
        &self,
        query: &str,
        embedder: &dyn Embedder,
        least: f32,
        limit: usize,
    ) -> Result<Vec<(ContentId, f32)>, EmbedError> {
        let wanted = embedder.embed_query(query, &|_| 1.0)?;
        let texts: Vec<&str> = self.nodes().map(|node| node.text.as_str()).collect();
        let mut found = Vec::new();
        for (part, texts) in texts.chunks(256).enumerate() {
            for (at, vector) in embedder.embed(texts)?.iter().enumerate() {
                let similarity = embedder.similarity(wanted.iter().zip(vector).map(|(x, y)| x * y).sum());
                if similarity >= least && similarity > 0.0 {
                    found.push((ContentId((part * 256 + at) as u32), similarity));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        Ok(found)
    }

    /// Returns the graph of some of the nodes and of the headings that they stand under, numbered
    /// anew.
    pub fn only(&self, nodes: impl IntoIterator<Item = ContentId>) -> Self {
        let mut kept = BTreeSet::new();
        for id in nodes {
            kept.extend(self.trail(id));
            kept.insert(id);
        }
        Self::of_nodes(&self.url, &self.title, kept.into_iter().filter_map(|id| self.node(id).cloned()))
    }

    /// Returns the text of what [`ContentGraph::under`] found: the heading, then each block, a
    /// blank line between them.
    pub fn text_under(&self, under: &Under) -> String {
        let mut text = String::new();
        for id in std::iter::once(&under.heading).chain(&under.nodes) {
            let Some(node) = self.node(*id) else { continue };
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            if let Some(level) = node.level {
                text.extend(std::iter::repeat_n('#', usize::from(level.min(6))));
                text.push(' ');
            }
            text.push_str(&node.text);
        }
        text
    }
}

/// Lower case, runs of white space as one space, none at the ends.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

/// The runs of three characters of each word, with one space before and after it.
fn trigrams(folded: &str) -> HashSet<[char; 3]> {
    let mut found = HashSet::new();
    let words = beginning(folded, MAX_COMPARED).split(|character: char| !character.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
        found.extend(padded.windows(3).map(|run| [run[0], run[1], run[2]]));
    }
    found
}

/// Dice coefficient of two sets: 0 if they share nothing, 1 if they are equal.
fn dice(a: &HashSet<[char; 3]>, b: &HashSet<[char; 3]>) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let shared = few.iter().filter(|run| many.contains(*run)).count();
    2.0 * shared as f64 / (a.len() + b.len()) as f64
}
