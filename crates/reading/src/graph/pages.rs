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
//! related to everything. Invariants: adding a page again replaces what it gave; the page's rows
//! and its concepts change in one transaction; vectors of different embedders are kept apart;
//! answers are the same for the same store. Why similarities are cosines here, and not
//! [`Embedder::similarity`]: that is made for a question beside a section, and here a name stands
//! beside a name.

use super::concepts::{FoundConcept, concepts};
use super::content::{ContentGraph, fold};
use super::cosine::{bytes, cosine};
use super::found::{ConceptHit, ConceptPath, RelatedPage};
use super::model::Model;
use super::schema::StoreError;
use super::store::{self, GraphStore, SeenAt};
use crate::blocks::{Block, blocks};
use crate::boilerplate::BoilerplateRule;
use crate::embed::Embedder;
use crate::terms::Terms;
use browserlens_core::page::Page;
use rusqlite::{OptionalExtension, params};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Cosine from which two concepts are one.
pub const SAME_CONCEPT: f32 = 0.95;

/// Cosine from which a concept answers a query.
pub const RELATED_CONCEPT: f32 = 0.7;

/// Concepts that a query is answered from.
pub const RELATED_LIMIT: usize = 10;

/// Concepts that a store keeps; beyond, the pages seen longest ago go.
pub const MAX_STORED_CONCEPTS: usize = 50_000;

/// Steps of the longest path that is looked for.
pub const PATH_STEPS: usize = 5;

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

/// Vectors of every concept of the store, in the order of their numbers.
#[derive(Debug, Default)]
struct Vectors {
    ids: Vec<i64>,
    numbers: Vec<f32>,
}

/// The cross-page graph.
pub struct PageGraph {
    store: GraphStore,
    embedder: Arc<dyn Embedder>,
    rule: BoilerplateRule,
    /// Both are what the store held at [`PageGraph::seen`], which counts the changes of other
    /// connections.
    vectors: Option<Vectors>,
    model: Option<Model>,
    seen: i64,
}

impl std::fmt::Debug for PageGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageGraph").field("store", &self.store).field("embedder", &self.embedder.id()).finish()
    }
}

impl PageGraph {
    /// Makes the graph over a store.
    pub fn new(store: GraphStore, embedder: Arc<dyn Embedder>) -> Self {
        Self { store, embedder, rule: BoilerplateRule::default(), vectors: None, model: None, seen: -1 }
    }

    /// Returns the store.
    pub fn store(&self) -> &GraphStore {
        &self.store
    }

    /// Adds a page, or replaces what is known under its address.
    ///
    /// # Errors
    /// [`StoreError`] if the store or the embedder refuses; then nothing has changed.
    pub fn add_page(&mut self, page: &Page, seen_at: SeenAt) -> Result<Added, StoreError> {
        let blocks = blocks(page);
        self.add_blocks(page, &blocks, seen_at)
    }

    /// Adds a page whose blocks are known already.
    ///
    /// # Errors
    /// As [`PageGraph::add_page`].
    pub fn add_blocks(&mut self, page: &Page, blocks: &[Block], seen_at: SeenAt) -> Result<Added, StoreError> {
        let graph = ContentGraph::of(page.url(), page.title(), blocks);
        self.add(&graph, &concepts(page, blocks), seen_at)
    }

    /// Adds a page by its graph and concepts.
    ///
    /// # Errors
    /// As [`PageGraph::add_page`].
    pub fn add(&mut self, graph: &ContentGraph, found: &[FoundConcept], seen_at: SeenAt) -> Result<Added, StoreError> {
        self.refresh()?;
        let known = self.known()?;
        // The texts that no page has had, in the order of the page: each gets a vector, and may be
        // one of the known ones.
        let mut fresh: BTreeMap<String, usize> = BTreeMap::new();
        let mut texts: Vec<&str> = Vec::new();
        for concept in found {
            let folded = fold(&concept.text);
            if !known.contains_key(&folded) && !fresh.contains_key(&folded) {
                fresh.insert(folded, texts.len());
                texts.push(&concept.text);
            }
        }
        let vectors = self.embed(&texts)?;
        let places = self.places(&vectors)?;
        let embedder = self.embedder.id();
        let max_pages = self.store.max_pages();
        let (added, dropped, own) = self.store.change(|change| {
            let page = store::insert_page(change, graph, seen_at)?;
            let mut add_concept =
                change.prepare_cached("INSERT INTO concept (text, folded) VALUES (?1, ?2) RETURNING id")?;
            let mut add_vector = change.prepare_cached(
                "INSERT OR IGNORE INTO concept_vector (concept, embedder, vector) VALUES (?1, ?2, ?3)",
            )?;
            let mut add_mention = change.prepare_cached(
                "INSERT OR IGNORE INTO mention (page, position, concept, kind, weight, target)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut find = change.prepare_cached("SELECT id FROM concept WHERE folded = ?1")?;
            let mut is_there = change.prepare_cached("SELECT 1 FROM concept WHERE id = ?1")?;
            // What the new texts became; only now, because another process may have written since
            // they were compared.
            let mut ids: Vec<Option<i64>> = vec![None; texts.len()];
            let mut own: Vec<(i64, Option<usize>)> = Vec::new();
            let mut added = Added::default();
            let mut distinct = std::collections::BTreeSet::new();
            for concept in found {
                let folded = fold(&concept.text);
                let at = fresh.get(&folded).copied();
                let id = match (find.query_row([&folded], |row| row.get(0)).optional()?, at.and_then(|at| ids[at])) {
                    (Some(id), _) | (None, Some(id)) => id,
                    (None, None) => {
                        let like = match at.map(|at| places[at]) {
                            Some(ConceptMatch::Known(id)) if is_there.exists([id])? => Some(id),
                            Some(ConceptMatch::Fresh(other)) => ids[other],
                            _ => None,
                        };
                        let id = match like {
                            Some(id) => id,
                            None => {
                                let id = add_concept.query_row(params![concept.text, folded], |row| row.get(0))?;
                                if let Some(at) = at {
                                    add_vector.execute(params![id, embedder, bytes(&vectors[at])])?;
                                }
                                own.push((id, at));
                                id
                            }
                        };
                        added.new += usize::from(like.is_none());
                        added.merged += usize::from(like.is_some());
                        if let Some(at) = at {
                            ids[at] = Some(id);
                        }
                        id
                    }
                };
                distinct.insert(id);
                add_mention.execute(params![
                    page,
                    concept.position,
                    id,
                    concept.kind.name(),
                    concept.weight,
                    concept.target
                ])?;
            }
            added.concepts = distinct.len();
            store::prune(change, max_pages)?;
            let mut dropped = store::drop_unmentioned(change)?;
            dropped += store::prune_concepts(change, MAX_STORED_CONCEPTS, page)?;
            Ok((added, dropped, own))
        })?;
        self.model = None;
        match &mut self.vectors {
            Some(known) if dropped == 0 && own.iter().all(|(_, at)| at.is_some()) => {
                for (id, at) in own.into_iter().filter_map(|(id, at)| Some((id, at?))) {
                    known.ids.push(id);
                    known.numbers.extend_from_slice(&vectors[at]);
                }
            }
            vectors => *vectors = None,
        }
        Ok(added)
    }

    /// Forgets a page.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses; then nothing has changed.
    pub fn remove_page(&mut self, url: &str) -> Result<bool, StoreError> {
        (self.vectors, self.model) = (None, None);
        self.store.remove(url)
    }

    /// Returns the concepts that a query resembles, the most similar first.
    ///
    /// # Errors
    /// [`StoreError`] if the store or the embedder refuses.
    pub fn find_concepts(&mut self, query: &str, least: f32, limit: usize) -> Result<Vec<ConceptHit>, StoreError> {
        let found = self.hits(query, least, limit)?;
        let model = self.model()?;
        Ok(found.into_iter().map(|(at, similarity)| model.hit(at, similarity)).collect())
    }

    /// Returns the pages that hold a concept that the query resembles: at most `limit` concepts
    /// with a cosine of at least `least`, and the pages of each, the most similar first; then pages
    /// of which only a text has all its words.
    ///
    /// # Errors
    /// As [`PageGraph::find_concepts`].
    pub fn find_related_pages(
        &mut self,
        query: &str,
        least: f32,
        limit: usize,
    ) -> Result<Vec<RelatedPage>, StoreError> {
        let found = self.hits(query, least, limit)?;
        let model = self.model()?;
        let mut pages: Vec<RelatedPage> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (at, similarity) in found {
            for page in model.pages_of(at) {
                if seen.insert(page) {
                    let page = model.page(page);
                    let (url, title) = (page.url.clone(), page.title.clone());
                    pages.push(RelatedPage { url, title, concept: model.text(at).to_owned(), similarity });
                }
            }
        }
        let terms = Terms::default();
        let words = |text: &str| terms.of(text).into_iter().map(|term| term.stem).collect::<Vec<_>>();
        let asked = words(query);
        // Most texts are passed over without being cut into words.
        let starts: Vec<String> = asked.iter().map(|word| word.chars().take(3).collect()).collect();
        let Some(model) = &self.model else { return Ok(pages) };
        let passages =
            if pages.len() < limit { self.store.read(|connection| model.passages(connection))? } else { Vec::new() };
        for passage in &passages {
            let folded = fold(&passage.text);
            let may = pages.len() < limit && starts.iter().all(|start| folded.contains(start.as_str()));
            if !may || pages.iter().any(|known| known.url == passage.url) {
                continue;
            }
            let said = words(&passage.text);
            if !asked.is_empty() && asked.iter().all(|word| said.contains(word)) {
                let concept = passage.headings.last().cloned().unwrap_or_default();
                let (url, title) = (passage.url.clone(), passage.title.clone());
                pages.push(RelatedPage { url, title, concept, similarity: 0.0 });
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
    pub fn find_concept_path(&mut self, from: &str, to: &str) -> Result<Option<ConceptPath>, StoreError> {
        let (Some(from), Some(to)) = (self.named(from)?, self.named(to)?) else { return Ok(None) };
        Ok(self.model()?.path(from, to, PATH_STEPS))
    }

    /// The concept of this text, else the most similar one.
    fn named(&mut self, text: &str) -> Result<Option<usize>, StoreError> {
        match self.model()?.by_text(&fold(text)) {
            Some(at) => Ok(Some(at)),
            None => Ok(self.hits(text, RELATED_CONCEPT, 1)?.first().map(|(at, _)| *at)),
        }
    }

    /// Returns what the pages say about something, in at most `limit` characters.
    ///
    /// # Errors
    /// As [`PageGraph::find_concepts`].
    pub fn about(&mut self, what: &str, limit: usize) -> Result<super::about::About, StoreError> {
        let found: Vec<usize> =
            self.hits(what, RELATED_CONCEPT, RELATED_LIMIT)?.into_iter().map(|(at, _)| at).collect();
        self.model()?;
        let Some(model) = &self.model else { return Ok(super::about::About::default()) };
        let places = found.iter().flat_map(|at| model.places(*at)).collect();
        let passages = self.store.read(|connection| model.passages(connection))?;
        Ok(super::about::about(what, &passages, &places, limit))
    }

    /// Concepts by index of the model, with the cosine; one of equal text first.
    fn hits(&mut self, query: &str, least: f32, limit: usize) -> Result<Vec<(usize, f32)>, StoreError> {
        self.model()?;
        let wanted = self.embed(&[query])?;
        let Some(wanted) = wanted.first() else { return Ok(Vec::new()) };
        self.load_vectors()?;
        let (Some(model), Some(vectors)) = (&self.model, &self.vectors) else { return Ok(Vec::new()) };
        let same = model.by_text(&fold(query));
        let mut found: Vec<(usize, f32)> = vectors
            .ids
            .iter()
            .zip(vectors.numbers.chunks_exact(wanted.len().max(1)))
            .filter_map(|(id, vector)| {
                let at = model.by_id(*id)?;
                let similarity = if same == Some(at) { 1.0 } else { cosine(wanted, vector, least)?.min(1.0) };
                (similarity >= least).then_some((at, similarity))
            })
            .collect();
        // A concept of equal text stands before one whose vector happens to be the same.
        found.sort_by(|a, b| {
            b.1.total_cmp(&a.1).then_with(|| (same != Some(a.0)).cmp(&(same != Some(b.0)))).then(a.0.cmp(&b.0))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// Forgets what is in memory if another connection has changed the store.
    fn refresh(&mut self) -> Result<(), StoreError> {
        let now: i64 =
            self.store.read(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0)))?;
        if now != self.seen {
            (self.vectors, self.model, self.seen) = (None, None, now);
        }
        Ok(())
    }

    fn model(&mut self) -> Result<&Model, StoreError> {
        self.refresh()?;
        let model = match self.model.take() {
            Some(model) => model,
            None => {
                let rule = self.rule;
                self.store.read(|connection| Model::read(connection, rule))?
            }
        };
        Ok(self.model.insert(model))
    }

    /// Every concept of the store: its number by its folded text.
    fn known(&self) -> Result<HashMap<String, i64>, StoreError> {
        self.store.read(|connection| {
            let mut rows = connection.prepare_cached("SELECT folded, id FROM concept")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Reads the vectors of this embedder, and makes those that are missing.
    fn load_vectors(&mut self) -> Result<(), StoreError> {
        if self.vectors.is_some() {
            return Ok(());
        }
        let (embedder, dimension) = (self.embedder.id(), self.embedder.dimension());
        let missing: Vec<(i64, String)> = self.store.read(|connection| {
            let mut rows = connection.prepare_cached(
                "SELECT id, text FROM concept WHERE NOT EXISTS
                 (SELECT 1 FROM concept_vector WHERE concept = id AND embedder = ?1) ORDER BY id",
            )?;
            rows.query_map([&embedder], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        for part in missing.chunks(256) {
            let texts: Vec<&str> = part.iter().map(|(_, text)| text.as_str()).collect();
            let made = self.embed(&texts)?;
            self.store.change(|change| {
                for ((id, _), vector) in part.iter().zip(&made) {
                    // A concept that another process has removed meanwhile needs none.
                    let there = "SELECT 1 FROM concept WHERE id = ?1";
                    if change.query_row(there, [id], |_| Ok(())).optional()?.is_some() {
                        let add =
                            "INSERT OR IGNORE INTO concept_vector (concept, embedder, vector) VALUES (?1, ?2, ?3)";
                        change.execute(add, params![id, embedder, bytes(vector)])?;
                    }
                }
                Ok(())
            })?;
        }
        let vectors = self.store.read(|connection| {
            let mut rows = connection
                .prepare_cached("SELECT concept, vector FROM concept_vector WHERE embedder = ?1 ORDER BY concept")?;
            let mut rows = rows.query([&embedder])?;
            let mut vectors = Vectors::default();
            while let Some(row) = rows.next()? {
                let stored = row.get_ref(1)?.as_blob()?;
                // A vector of another length is none of this embedder's.
                if stored.len() == dimension * 4 {
                    vectors.ids.push(row.get(0)?);
                    let numbers =
                        stored.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
                    vectors.numbers.extend(numbers);
                }
            }
            Ok(vectors)
        })?;
        self.vectors = Some(vectors);
        Ok(())
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, StoreError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let fail = |reason: String| StoreError::Embedder { embedder: self.embedder.id(), reason };
        let vectors = self.embedder.embed(texts).map_err(|error| fail(error.to_string()))?;
        if vectors.len() != texts.len() {
            return Err(fail(format!("{} vectors for {} texts", vectors.len(), texts.len())));
        }
        let dimension = self.embedder.dimension();
        if let Some(other) = vectors.iter().find(|vector| vector.len() != dimension) {
            return Err(fail(format!("a vector of {} numbers, expected {dimension}", other.len())));
        }
        Ok(vectors)
    }

    /// Says for each new vector whether it is a known concept's, an earlier new one's, or its own.
    fn places(&mut self, fresh: &[Vec<f32>]) -> Result<Vec<ConceptMatch>, StoreError> {
        if fresh.is_empty() {
            return Ok(Vec::new());
        }
        self.load_vectors()?;
        let empty = Vectors::default();
        let known = self.vectors.as_ref().unwrap_or(&empty);
        let mut places: Vec<ConceptMatch> = Vec::with_capacity(fresh.len());
        for (at, vector) in fresh.iter().enumerate() {
            let mut best = (SAME_CONCEPT, ConceptMatch::Own);
            let mut offer = |similarity: f32, place: ConceptMatch| {
                if similarity > best.0 || (similarity == best.0 && matches!(best.1, ConceptMatch::Own)) {
                    best = (similarity, place);
                }
            };
            for (id, other) in known.ids.iter().zip(known.numbers.chunks_exact(vector.len().max(1))) {
                if let Some(similarity) = cosine(vector, other, SAME_CONCEPT) {
                    offer(similarity, ConceptMatch::Known(*id));
                }
            }
            for (other, place) in places.iter().enumerate().take(at) {
                if matches!(place, ConceptMatch::Own)
                    && let Some(similarity) = cosine(vector, &fresh[other], SAME_CONCEPT)
                {
                    offer(similarity, ConceptMatch::Fresh(other));
                }
            }
            places.push(best.1);
        }
        Ok(places)
    }
}

/// Which concept a new text belongs to.
#[derive(Clone, Copy)]
enum ConceptMatch {
    /// One of the store.
    Known(i64),
    /// An earlier one of the same page.
    Fresh(usize),
    /// One of its own.
    Own,
}
