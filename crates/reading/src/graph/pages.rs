//! Graph of the concepts of many pages: which pages are about what, and how two concepts hang
//! together.
//!
//! In: pages as they are seen, an [`Embedder`]. Out: related pages, shortest paths between
//! concepts, and what all pages say about something.
//!
//! Two concepts are one if their texts are equal but for case, or their vectors have a cosine of at
//! least [`SAME_CONCEPT`]. Two concepts are linked if one is a heading and the other stands under
//! it with no concept's heading between (what stands under none hangs on the page's first heading),
//! or if a link of the one's text leads to a page whose first heading is the other. Concepts in
//! text that a site repeats link nothing, and are found nowhere: a menu would make everything
//! related to everything. Invariants: adding a page again replaces what it gave; answers depend on
//! the pages that are held, and not on the order in which they came. Why similarities are cosines
//! here, and not [`Embedder::similarity`]: that is made for a question beside a section, and here a
//! name stands beside a name.

use super::about::{About, StoredPassage, about};
use super::concepts::{ConceptKind, FoundConcept, concepts};
use super::content::{ContentGraph, ContentId, ContentKind, fold};
use super::cosine::cosine;
use super::found::{ConceptHit, ConceptPath, Mention, RelatedPage};
use super::model::Model;
use crate::address::normal_url;
use crate::blocks::{Block, blocks};
use crate::boilerplate::{BoilerplateIndex, MAX_PAGES, PagePlace, Repeatable};
use crate::embed::Embedder;
use crate::terms::Terms;
use browserlens_core::page::Page;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Cosine from which two concepts are one.
pub const SAME_CONCEPT: f32 = 0.95;

/// Cosine from which a concept answers a query.
pub const RELATED_CONCEPT: f32 = 0.7;

/// Concepts that a query is answered from.
pub const RELATED_LIMIT: usize = 10;

/// Concepts that are kept; beyond, the pages seen longest ago go.
pub const MAX_STORED_CONCEPTS: usize = 50_000;

/// Steps of the longest path that is looked for.
pub const PATH_STEPS: usize = 5;

/// An embedder failed, or gave vectors that are none.
#[derive(Debug, thiserror::Error)]
#[error("embedder {embedder}: {reason}")]
pub struct ConceptError {
    /// Name of the embedder.
    pub embedder: String,
    /// What went wrong.
    pub reason: String,
}

impl ConceptError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        "check the embedder's settings, or use the built-in one"
    }
}

/// When a page was seen, in any unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeenAt(pub i64);

/// What was added with a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Concepts of the page.
    pub concepts: usize,
    /// Of these, the ones that no page had before.
    pub new: usize,
    /// Of these, the ones that were merged with one of another text.
    pub merged: usize,
}

/// A page that was added.
pub(super) struct SeenPage {
    /// Its [normal address](normal_url), which pages are told apart by.
    pub(super) address: String,
    /// When it was seen, and how many pages were added before it.
    seen: (SeenAt, usize),
    pub(super) graph: ContentGraph,
    pub(super) mentions: Vec<Mentioned>,
}

/// A concept at a place of a page.
pub(super) struct Mentioned {
    pub(super) concept: usize,
    pub(super) position: u32,
    pub(super) kind: ConceptKind,
    pub(super) weight: u32,
    pub(super) target: Option<String>,
}

pub(super) struct Concept {
    /// As the first page had it.
    pub(super) text: String,
    vector: Vec<f32>,
}

impl SeenPage {
    fn repeatable(&self) -> impl Iterator<Item = Repeatable<'_>> {
        self.graph.nodes().map(|node| Repeatable {
            heading: node.level,
            text: &node.text,
            by_lines: matches!(node.kind, ContentKind::List | ContentKind::Table),
        })
    }

    /// For each block: whether its site does not repeat it.
    pub(super) fn kept(&self, site: &BoilerplateIndex) -> Vec<bool> {
        site.kept(&PagePlace::of(self.graph.url()).origin, self.repeatable())
    }

    /// Texts of the headings above a block, outermost first.
    fn trail(&self, node: ContentId) -> Vec<String> {
        let above = self.graph.trail(node).into_iter();
        above.filter_map(|heading| Some(self.graph.node(heading)?.text.clone())).collect()
    }
}

/// The cross-page graph.
pub struct PageGraph {
    embedder: Arc<dyn Embedder>,
    max_pages: usize,
    /// How many pages and concepts were ever added: what tells them apart.
    numbers: (usize, usize),
    /// In the order of their addresses.
    pages: Vec<SeenPage>,
    /// By number, in the order in which they came.
    concepts: BTreeMap<usize, Concept>,
    /// The numbers of concepts by their folded texts.
    by_text: HashMap<String, usize>,
    /// What the pages repeat.
    site: BoilerplateIndex,
    /// What the pages say together, once something was asked since the last change.
    model: OnceCell<Model>,
}

browserlens_core::opaque_debug!(self: PageGraph {
    pages: self.pages.len(), concepts: self.concepts.len(), embedder: self.embedder.id()
});

impl PageGraph {
    /// Makes the graph of no page yet.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            embedder,
            max_pages: MAX_PAGES,
            numbers: (0, 0),
            pages: Vec::new(),
            concepts: BTreeMap::new(),
            by_text: HashMap::new(),
            site: BoilerplateIndex::default(),
            model: OnceCell::new(),
        }
    }

    /// Adds a page, or replaces what is known under its address.
    ///
    /// # Errors
    /// [`ConceptError`] if the embedder refuses; then nothing has changed.
    pub fn add_page(&mut self, page: &Page, seen_at: SeenAt) -> Result<Added, ConceptError> {
        self.add_blocks(page, &blocks(page), seen_at)
    }

    /// Adds a page whose blocks are known already.
    ///
    /// # Errors
    /// As [`PageGraph::add_page`].
    pub fn add_blocks(&mut self, page: &Page, blocks: &[Block], seen_at: SeenAt) -> Result<Added, ConceptError> {
        let graph = ContentGraph::of(page.url(), page.title(), blocks);
        self.add(graph, &concepts(page, blocks), seen_at)
    }

    /// Adds a page by its graph and concepts.
    ///
    /// # Errors
    /// As [`PageGraph::add_page`].
    pub fn add(&mut self, graph: ContentGraph, found: &[FoundConcept], seen_at: SeenAt) -> Result<Added, ConceptError> {
        let known = self.concepts.len();
        let merged = self.take_in(found)?;
        let new = self.concepts.len() - known;
        let mut once = HashSet::new();
        let mention = |found: &FoundConcept| {
            let folded = fold(&found.text);
            let concept = *self.by_text.get(&folded).or_else(|| merged.get(&folded))?;
            once.insert((found.position, concept, found.kind)).then(|| Mentioned {
                concept,
                position: found.position,
                kind: found.kind,
                weight: found.weight,
                target: found.target.clone(),
            })
        };
        let mentions: Vec<Mentioned> = found.iter().filter_map(mention).collect();
        let concepts = mentions.iter().map(|mention| mention.concept).collect::<HashSet<_>>().len();
        self.numbers.0 += 1;
        let number = self.numbers.0;
        let page = SeenPage { address: normal_url(graph.url()), seen: (seen_at, number), graph, mentions };
        let place = self.pages.binary_search_by(|known| known.address.cmp(&page.address));
        match place {
            Ok(at) => self.pages[at] = page,
            Err(at) => self.pages.insert(at, page),
        }
        let is_over = self.pages.len() > self.max_pages;
        while self.pages.len() > self.max_pages {
            self.remove_oldest(None);
        }
        if place.is_ok() || is_over {
            self.drop_unmentioned();
        }
        while self.concepts.len() > MAX_STORED_CONCEPTS && self.remove_oldest(Some(number)) {
            self.drop_unmentioned();
        }
        if let Some(page) = self.pages.iter().find(|page| page.seen.1 == number) {
            self.site.add_page(page.graph.url(), page.repeatable());
        }
        self.model.take();
        Ok(Added { concepts, new, merged: merged.len() })
    }

    /// Makes concepts of the texts that no page has had, in the order of the page; returns those
    /// that are one with another, by their folded texts.
    fn take_in(&mut self, found: &[FoundConcept]) -> Result<HashMap<String, usize>, ConceptError> {
        let mut texts: Vec<(&str, String)> = Vec::new();
        let mut fresh: HashSet<String> = HashSet::new();
        for concept in found {
            let folded = fold(&concept.text);
            if !self.by_text.contains_key(&folded) && fresh.insert(folded.clone()) {
                texts.push((&concept.text, folded));
            }
        }
        let vectors = self.embed(&texts.iter().map(|(text, _)| *text).collect::<Vec<_>>())?;
        let mut merged = HashMap::new();
        for ((text, folded), vector) in texts.into_iter().zip(vectors) {
            if let Some(same) = self.same(&vector) {
                merged.insert(folded, same);
                continue;
            }
            self.numbers.1 += 1;
            self.by_text.insert(folded, self.numbers.1);
            self.concepts.insert(self.numbers.1, Concept { text: text.to_owned(), vector });
        }
        Ok(merged)
    }

    /// The concept that a vector is one with: the nearest, of several the first.
    fn same(&self, vector: &[f32]) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (number, known) in &self.concepts {
            if let Some(similarity) = cosine(vector, &known.vector, SAME_CONCEPT)
                && best.is_none_or(|(most, _)| similarity > most)
            {
                best = Some((similarity, *number));
            }
        }
        best.map(|(_, number)| number)
    }

    /// Removes the page seen longest ago, but not the one that is to be kept; returns whether there
    /// was one.
    fn remove_oldest(&mut self, keep: Option<usize>) -> bool {
        let others = self.pages.iter().enumerate().filter(|(_, page)| Some(page.seen.1) != keep);
        let Some((oldest, _)) = others.min_by_key(|(_, page)| page.seen) else { return false };
        self.remove(oldest);
        true
    }

    fn remove(&mut self, at: usize) {
        let page = self.pages.remove(at);
        self.site.remove_page(page.graph.url());
    }

    fn drop_unmentioned(&mut self) {
        let mentioned: HashSet<usize> =
            self.pages.iter().flat_map(|page| &page.mentions).map(|mention| mention.concept).collect();
        self.concepts.retain(|number, _| mentioned.contains(number));
        self.by_text.retain(|_, number| mentioned.contains(number));
    }

    /// Forgets a page; returns whether there was one.
    pub fn remove_page(&mut self, url: &str) -> bool {
        let address = normal_url(url);
        let Ok(at) = self.pages.binary_search_by(|known| known.address.cmp(&address)) else { return false };
        self.remove(at);
        self.drop_unmentioned();
        self.model.take();
        true
    }

    /// Returns the concepts that a query resembles, the most similar first.
    ///
    /// # Errors
    /// [`ConceptError`] if the embedder refuses.
    pub fn find_concepts(&self, query: &str, least: f32, limit: usize) -> Result<Vec<ConceptHit>, ConceptError> {
        let mention = |(page, position, kind): (usize, u32, ConceptKind)| {
            let of = &self.pages[page];
            let (url, seen_at, node) = (of.graph.url().to_owned(), of.seen.0, ContentId(position));
            Mention { url, seen_at, kind, node, context: of.trail(node) }
        };
        let hit = |(concept, similarity): (usize, f32)| {
            let mentions = self.model().places(concept).map(mention).collect();
            ConceptHit { concept: self.concepts[&concept].text.clone(), similarity, mentions }
        };
        Ok(self.hits(query, least, limit)?.into_iter().map(hit).collect())
    }

    /// Returns the pages that hold a concept that the query resembles: at most `limit` concepts
    /// with a cosine of at least `least`, and the pages of each, the most similar first; then pages
    /// of which only a text has all its words.
    ///
    /// # Errors
    /// As [`PageGraph::find_concepts`].
    pub fn find_related_pages(&self, query: &str, least: f32, limit: usize) -> Result<Vec<RelatedPage>, ConceptError> {
        let model = self.model();
        let mut pages: Vec<RelatedPage> = Vec::new();
        let mut seen = HashSet::new();
        for (concept, similarity) in self.hits(query, least, limit)? {
            for page in model.pages_of(concept).into_iter().filter(|page| seen.insert(*page)) {
                let graph = &self.pages[page].graph;
                let (url, title) = (graph.url().to_owned(), graph.title().to_owned());
                pages.push(RelatedPage { url, title, concept: self.concepts[&concept].text.clone(), similarity });
            }
        }
        let terms = Terms::default();
        let words = |text: &str| terms.of(text).into_iter().map(|term| term.stem).collect::<Vec<_>>();
        let asked = words(query);
        // Most texts are passed over without being cut into words.
        let starts: Vec<String> = asked.iter().map(|word| word.chars().take(3).collect()).collect();
        let passages = if pages.len() < limit && !asked.is_empty() { self.passages() } else { Vec::new() };
        for passage in passages {
            let folded = fold(&passage.text);
            let may = pages.len() < limit && starts.iter().all(|start| folded.contains(start.as_str()));
            if !may || pages.iter().any(|known| known.url == passage.url) {
                continue;
            }
            let said = words(&passage.text);
            if asked.iter().all(|word| said.contains(word)) {
                let concept = passage.headings.last().cloned().unwrap_or_default();
                pages.push(RelatedPage { url: passage.url, title: passage.title, concept, similarity: 0.0 });
            }
        }
        Ok(pages)
    }

    /// Returns the shortest path between two concepts of at most [`PATH_STEPS`] steps; none if
    /// there is none.
    ///
    /// A concept that no page has by this text is taken for the most similar one with a cosine of
    /// at least [`RELATED_CONCEPT`]. The path of a concept to itself has no step.
    ///
    /// # Errors
    /// As [`PageGraph::find_concepts`].
    pub fn find_concept_path(&self, from: &str, to: &str) -> Result<Option<ConceptPath>, ConceptError> {
        let (Some(from), Some(to)) = (self.named(from)?, self.named(to)?) else { return Ok(None) };
        Ok(self.model().path(&self.pages, &self.concepts, (from, to), PATH_STEPS))
    }

    /// Returns what the pages say about something, in at most `limit` characters.
    ///
    /// # Errors
    /// As [`PageGraph::find_concepts`].
    pub fn about(&self, what: &str, limit: usize) -> Result<About, ConceptError> {
        let found = self.hits(what, RELATED_CONCEPT, RELATED_LIMIT)?;
        let places = found.iter().flat_map(|(concept, _)| self.model().places(*concept));
        let places = places.map(|(page, position, _)| (page, position)).collect();
        Ok(about(what, &self.passages(), &places, limit))
    }

    fn model(&self) -> &Model {
        self.model.get_or_init(|| Model::of(&self.pages, &self.concepts, &self.site))
    }

    /// The concept of this text that some page tells of, else none.
    fn equal(&self, text: &str) -> Option<usize> {
        self.by_text.get(&fold(text)).copied().filter(|concept| self.model().knows(*concept))
    }

    /// The concept of this text, else the most similar one.
    fn named(&self, text: &str) -> Result<Option<usize>, ConceptError> {
        match self.equal(text) {
            Some(concept) => Ok(Some(concept)),
            None => Ok(self.hits(text, RELATED_CONCEPT, 1)?.first().map(|(concept, _)| *concept)),
        }
    }

    /// Concepts with their cosine, the most similar first; of equal ones that of equal text, then
    /// the one known longest.
    fn hits(&self, query: &str, least: f32, limit: usize) -> Result<Vec<(usize, f32)>, ConceptError> {
        let Some(wanted) = self.embed(&[query])?.pop() else { return Ok(Vec::new()) };
        let same = self.equal(query);
        let known = self.concepts.iter().filter(|(number, _)| self.model().knows(**number));
        let near = known.filter_map(|(number, concept)| {
            let is_same = same == Some(*number);
            let cosine = if is_same { 1.0 } else { cosine(&wanted, &concept.vector, least)?.min(1.0) };
            (cosine >= least).then_some((*number, cosine))
        });
        let mut found: Vec<(usize, f32)> = near.collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| (same != Some(a.0)).cmp(&(same != Some(b.0)))));
        found.truncate(limit);
        Ok(found)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ConceptError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let fail = |reason: String| ConceptError { embedder: self.embedder.id(), reason };
        let vectors = self.embedder.embed(texts).map_err(|error| fail(error.to_string()))?;
        if vectors.len() != texts.len() {
            return Err(fail(format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        let dimension = self.embedder.dimension();
        match vectors.iter().find(|vector| vector.len() != dimension) {
            Some(other) => Err(fail(format!("a vector of {} numbers, expected {dimension}", other.len()))),
            None => Ok(vectors),
        }
    }

    /// Every block that no site repeats, but headings, in order.
    fn passages(&self) -> Vec<StoredPassage> {
        let mut passages = Vec::new();
        for (at, page) in self.pages.iter().enumerate() {
            let kept = page.kept(&self.site);
            for node in page.graph.nodes().filter(|node| node.level.is_none() && kept[node.position as usize]) {
                passages.push(StoredPassage {
                    page: at,
                    position: node.position,
                    url: page.graph.url().to_owned(),
                    title: page.graph.title().to_owned(),
                    headings: page.trail(ContentId(node.position)),
                    text: node.text.clone(),
                });
            }
        }
        passages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Lexical;
    use crate::graph::ContentNode;

    fn added(graph: &mut PageGraph, at: i64, name: &str) {
        let node = ContentNode {
            kind: ContentKind::Heading,
            level: Some(1),
            text: name.to_owned(),
            xpath: String::new(),
            position: 0,
            side: 0,
        };
        let concept =
            FoundConcept { kind: ConceptKind::Heading, text: name.to_owned(), position: 0, weight: 1, target: None };
        let page = ContentGraph::of_nodes(&format!("https://{name}.test/"), "", [node]);
        graph.add(page, &[concept], SeenAt(at)).expect("added");
    }

    #[test]
    fn the_pages_seen_longest_ago_go_first_and_take_their_concepts_with_them() {
        let mut graph = PageGraph { max_pages: 2, ..PageGraph::new(Arc::new(Lexical::default())) };
        for (seen, name) in [(50, "amber"), (10, "basalt"), (40, "copper"), (20, "diamond")] {
            added(&mut graph, seen, name);
        }
        let names: Vec<&str> = graph.concepts.values().map(|concept| concept.text.as_str()).collect();
        // The last one is older than those that are there: it goes at once.
        assert_eq!((names, graph.pages.len(), graph.by_text.len()), (vec!["amber", "copper"], 2, 2));
        assert_eq!(graph.find_concepts("basalt", 0.9, 5).expect("asked"), []);
        assert_eq!(graph.find_concepts("copper", 0.9, 5).expect("asked").len(), 1);
        added(&mut graph, 60, "copper");
        assert!(graph.remove_oldest(Some(5)) && !graph.remove_oldest(Some(5)), "never the one to be kept");
        assert_eq!(graph.pages[0].address, "https://copper.test/");
    }
}
