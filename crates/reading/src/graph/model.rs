//! What a store holds of concepts, in memory: concepts as nodes, and how they hang together.
//!
//! In: the rows of a store. Out: [`Model`]: mentions, links, shortest paths, passages. Invariants:
//! concepts only of text that its site does not repeat have mentions, links and a place in answers;
//! of the words that a page uses, only those that tell it from the others are concepts ([`TERMS`] a
//! page, by frequency and IDF); pages are in the order of addresses, so that answers do not depend
//! on the order of adding.

use super::about::StoredPassage;
use super::concepts::ConceptKind;
use super::content::{ContentId, fold};
use super::found::{ConceptHit, ConceptPath, LinkKind, Mention, PathLink};
use super::store::{self, SeenAt, StoredPage};
use crate::address::normal_url;
use crate::boilerplate::{self, BoilerplateRule, PagePlace, TextHash};
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Terms of a page that are concepts.
const TERMS: usize = 12;

struct ModelPage {
    row: i64,
    page: StoredPage,
    /// For each block: whether its site does not repeat it.
    kept: Vec<bool>,
    /// For each block: the heading that it stands directly under.
    parents: Vec<Option<u32>>,
}

struct ConceptRow {
    page: usize,
    position: u32,
    kind: ConceptKind,
    weight: u32,
    target: Option<String>,
}

struct Concept {
    id: i64,
    text: String,
    mentions: Vec<ConceptRow>,
}

/// The concepts of a store.
pub(super) struct Model {
    pages: Vec<ModelPage>,
    concepts: Vec<Concept>,
    by_id: HashMap<i64, usize>,
    by_text: HashMap<String, usize>,
    /// By page and block: the concept of a heading.
    headings: HashMap<(usize, u32), usize>,
    /// Texts of headings, for contexts.
    heading_texts: HashMap<(usize, u32), String>,
    graph: UnGraph<(), (LinkKind, usize)>,
}

impl Model {
    pub(super) fn read(connection: &Connection, rule: BoilerplateRule) -> rusqlite::Result<Self> {
        let (pages, heading_texts) = read_pages(connection, rule)?;
        let numbers: HashMap<i64, usize> = pages.iter().enumerate().map(|(at, page)| (page.row, at)).collect();
        let mut rows = connection.prepare("SELECT id, text FROM concept ORDER BY id")?;
        let mut concepts: Vec<Concept> = rows
            .query_map([], |row| Ok(Concept { id: row.get(0)?, text: row.get(1)?, mentions: Vec::new() }))?
            .collect::<rusqlite::Result<_>>()?;
        let all: HashMap<i64, usize> = concepts.iter().enumerate().map(|(at, concept)| (concept.id, at)).collect();
        let mut rows = connection.prepare("SELECT page, position, concept, kind, weight, target FROM mention")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let position: u32 = row.get(1)?;
            let (Some(page), Some(concept)) = (numbers.get(&row.get(0)?), all.get(&row.get(2)?)) else { continue };
            let kept = pages[*page].kept.get(position as usize).copied().unwrap_or(false);
            if let Some(kind) = ConceptKind::from_name(row.get_ref(3)?.as_str()?).filter(|_| kept) {
                let row = ConceptRow { page: *page, position, kind, weight: row.get(4)?, target: row.get(5)? };
                concepts[*concept].mentions.push(row);
            }
        }
        drop_common_terms(&mut concepts, pages.len());
        concepts.retain(|concept| !concept.mentions.is_empty());
        for concept in &mut concepts {
            concept.mentions.sort_by_key(|mention| (mention.page, mention.position, mention.kind));
        }
        let mut model = Self {
            by_id: concepts.iter().enumerate().map(|(at, concept)| (concept.id, at)).collect(),
            by_text: concepts.iter().enumerate().map(|(at, concept)| (fold(&concept.text), at)).collect(),
            headings: HashMap::new(),
            heading_texts,
            graph: UnGraph::default(),
            pages,
            concepts,
        };
        model.link();
        Ok(model)
    }

    /// Builds the graph: under headings, and along links.
    fn link(&mut self) {
        let mentions =
            || self.concepts.iter().enumerate().flat_map(|(at, of)| of.mentions.iter().map(move |m| (at, m)));
        let mut headings = HashMap::new();
        // The first heading of each page says what the page is about; a page without one, its first
        // concept.
        let mut first: BTreeMap<usize, (bool, u32, usize)> = BTreeMap::new();
        for (at, mention) in mentions() {
            let is_heading = mention.kind == ConceptKind::Heading;
            if is_heading {
                headings.insert((mention.page, mention.position), at);
            }
            let place = (!is_heading, mention.position, at);
            let known = first.entry(mention.page).or_insert(place);
            *known = (*known).min(place);
        }
        let by_address: HashMap<String, usize> =
            self.pages.iter().enumerate().map(|(at, page)| (normal_url(&page.page.url), at)).collect();
        let mut links: BTreeSet<(usize, usize, LinkKind, usize)> = BTreeSet::new();
        let mut add = |a: usize, b: usize, kind: LinkKind, page: usize| {
            if a != b {
                links.insert((a.min(b), a.max(b), kind, page));
            }
        };
        for (at, mention) in mentions() {
            let parents = &self.pages[mention.page].parents;
            let parent = |position: u32| parents.get(position as usize).copied().flatten();
            // The nearest heading above that is a concept itself.
            let above = std::iter::successors(parent(mention.position), |heading| parent(*heading))
                .find_map(|heading| headings.get(&(mention.page, heading)));
            let above = above.or_else(|| first.get(&mention.page).map(|(_, _, at)| at));
            if let Some(above) = above {
                add(at, *above, LinkKind::Under, mention.page);
            }
            let target = mention.target.as_deref().and_then(|target| by_address.get(target));
            if let Some((_, _, about)) = target.and_then(|target| first.get(target)) {
                add(at, *about, LinkKind::LeadsTo, mention.page);
            }
        }
        let mut graph = UnGraph::with_capacity(self.concepts.len(), links.len());
        (0..self.concepts.len()).for_each(|_| {
            graph.add_node(());
        });
        let mut last = None;
        for (a, b, kind, page) in links {
            // One link a pair: the first page that says so.
            if last != Some((a, b)) {
                graph.add_edge(NodeIndex::new(a), NodeIndex::new(b), (kind, page));
            }
            last = Some((a, b));
        }
        (self.graph, self.headings) = (graph, headings);
    }

    pub(super) fn by_id(&self, id: i64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    pub(super) fn by_text(&self, folded: &str) -> Option<usize> {
        self.by_text.get(folded).copied()
    }

    pub(super) fn text(&self, concept: usize) -> &str {
        &self.concepts[concept].text
    }

    pub(super) fn page(&self, page: usize) -> &StoredPage {
        &self.pages[page].page
    }

    /// Pages of a concept, each once, in order.
    pub(super) fn pages_of(&self, concept: usize) -> BTreeSet<usize> {
        self.concepts[concept].mentions.iter().map(|mention| mention.page).collect()
    }

    /// Pages and blocks of a concept.
    pub(super) fn places(&self, concept: usize) -> impl Iterator<Item = (usize, u32)> {
        self.concepts[concept].mentions.iter().map(|mention| (mention.page, mention.position))
    }

    pub(super) fn hit(&self, concept: usize, similarity: f32) -> ConceptHit {
        let of = &self.concepts[concept];
        let mention = |row: &ConceptRow| {
            let page = &self.pages[row.page].page;
            Mention {
                url: page.url.clone(),
                seen_at: page.seen_at,
                kind: row.kind,
                node: ContentId(row.position),
                context: self.trail(row.page, row.position),
            }
        };
        ConceptHit { concept: of.text.clone(), similarity, mentions: of.mentions.iter().map(mention).collect() }
    }

    /// Texts of the headings above a block, outermost first.
    fn trail(&self, page: usize, position: u32) -> Vec<String> {
        let parents = &self.pages[page].parents;
        let parent = |position: u32| parents.get(position as usize).copied().flatten();
        let mut trail: Vec<String> = std::iter::successors(parent(position), |heading| parent(*heading))
            .filter_map(|heading| self.heading_texts.get(&(page, heading)).cloned())
            .collect();
        trail.reverse();
        trail
    }

    /// The shortest path; of several, the one whose concepts have been known longest.
    pub(super) fn path(&self, from: usize, to: usize, steps: usize) -> Option<ConceptPath> {
        // Breadth first from the end, so that walking back gives the path from the start.
        let mut before: HashMap<usize, (usize, LinkKind, usize)> = HashMap::new();
        let mut open = VecDeque::from([(to, 0)]);
        while let Some((at, away)) = open.pop_front() {
            if at == from || away == steps {
                break;
            }
            let mut next: Vec<_> = self
                .graph
                .edges(NodeIndex::new(at))
                .map(|edge| {
                    let other = if edge.source().index() == at { edge.target() } else { edge.source() };
                    (other.index(), *edge.weight())
                })
                .collect();
            next.sort_unstable_by_key(|(other, _)| *other);
            for (other, (kind, page)) in next {
                if other != to && !before.contains_key(&other) {
                    before.insert(other, (at, kind, page));
                    open.push_back((other, away + 1));
                }
            }
        }
        let mut path = ConceptPath { concepts: vec![self.text(from).to_owned()], links: Vec::new() };
        let mut at = from;
        while at != to {
            let (next, kind, page) = *before.get(&at)?;
            path.concepts.push(self.text(next).to_owned());
            path.links.push(PathLink { kind, url: self.pages[page].page.url.clone() });
            at = next;
        }
        Some(path)
    }

    /// Every block that is kept, but headings, in order.
    pub(super) fn passages(&self, connection: &Connection) -> rusqlite::Result<Vec<StoredPassage>> {
        let mut passages = Vec::new();
        for (at, page) in self.pages.iter().enumerate() {
            for node in store::read_nodes(connection, page.row)?.unwrap_or_default() {
                if node.level.is_none() && page.kept.get(node.position as usize).copied().unwrap_or(false) {
                    passages.push(StoredPassage {
                        page: at,
                        position: node.position,
                        url: page.page.url.clone(),
                        title: page.page.title.clone(),
                        headings: self.trail(at, node.position),
                        text: node.text,
                    });
                }
            }
        }
        Ok(passages)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("pages", &self.pages.len()).field("concepts", &self.concepts.len()).finish()
    }
}

/// Leaves each page the terms that tell it from the others: by frequency times IDF over the pages.
fn drop_common_terms(concepts: &mut [Concept], pages: usize) {
    let mut of_page: HashMap<usize, BTreeMap<usize, f64>> = HashMap::new();
    for (at, concept) in concepts.iter().enumerate() {
        let on: BTreeSet<usize> = concept.mentions.iter().map(|mention| mention.page).collect();
        let idf = ((1 + pages) as f64 / on.len() as f64).ln();
        for mention in concept.mentions.iter().filter(|mention| mention.kind == ConceptKind::Term) {
            of_page.entry(mention.page).or_default().insert(at, f64::from(mention.weight) * idf);
        }
    }
    let mut telling: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (page, terms) in of_page {
        let mut ranked: Vec<(usize, f64)> = terms.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| concepts[a.0].text.cmp(&concepts[b.0].text)));
        telling.extend(ranked.into_iter().take(TERMS).map(|(at, _)| (page, at)));
    }
    for (at, concept) in concepts.iter_mut().enumerate() {
        concept.mentions.retain(|row| row.kind != ConceptKind::Term || telling.contains(&(row.page, at)));
    }
}

type Headings = HashMap<(usize, u32), String>;

type Parts = Vec<(usize, bool)>;

fn read_pages(connection: &Connection, rule: BoilerplateRule) -> rusqlite::Result<(Vec<ModelPage>, Headings)> {
    let index = store::read_boilerplate(connection, rule)?;
    let mut texts = connection.prepare("SELECT id, body FROM text")?;
    let hashes: HashMap<i64, (usize, TextHash)> = texts
        .query_map([], |row| {
            let text = row.get_ref(1)?.as_str()?;
            Ok((row.get(0)?, (text.len(), TextHash::of(text))))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let empty = TextHash::of("");
    let mut rows = connection.prepare("SELECT id, url, title, seen_at FROM page ORDER BY address")?;
    let found: Vec<(i64, StoredPage)> = rows
        .query_map([], |row| {
            Ok((row.get(0)?, StoredPage { url: row.get(1)?, title: row.get(2)?, seen_at: SeenAt(row.get(3)?) }))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut parts = connection.prepare(
        "SELECT node.position, level, text, (SELECT source FROM edge WHERE edge.page = node.page
           AND target = node.position AND relation = 'contains') FROM node
         LEFT JOIN node_text ON node_text.page = node.page AND node_text.position = node.position
         WHERE node.page = ?1 ORDER BY node.position, part",
    )?;
    let mut heading_texts = connection.prepare(
        "SELECT node.position, body FROM node
         JOIN node_text ON node_text.page = node.page AND node_text.position = node.position
         JOIN text ON text.id = node_text.text WHERE node.page = ?1 AND level IS NOT NULL",
    )?;
    let (mut pages, mut headings) = (Vec::with_capacity(found.len()), HashMap::new());
    for (at, (row, page)) in found.into_iter().enumerate() {
        let origin = PagePlace::of(&page.url).origin;
        // Level, and the parts with text: their lengths, and whether they repeat.
        let mut nodes: Vec<(Option<u8>, Parts)> = Vec::new();
        let mut parents = Vec::new();
        let mut rows = parts.query([row])?;
        while let Some(row) = rows.next()? {
            let position = row.get::<_, u32>(0)? as usize;
            if position == nodes.len() {
                nodes.push((row.get(1)?, Vec::new()));
                parents.push(row.get(3)?);
            }
            let text = row.get::<_, Option<i64>>(2)?.and_then(|text| hashes.get(&text));
            if let (Some((length, hash)), Some((_, parts))) =
                (text.filter(|(_, hash)| *hash != empty), nodes.get_mut(position))
            {
                parts.push((*length, index.repeats(&origin, *hash)));
            }
        }
        let kept =
            boilerplate::keep(nodes.into_iter().map(|(level, parts)| (level, boilerplate::share_repeats(parts))));
        let mut rows = heading_texts.query([row])?;
        while let Some(row) = rows.next()? {
            headings.insert((at, row.get(0)?), row.get(1)?);
        }
        pages.push(ModelPage { row, page, kept, parents });
    }
    Ok((pages, headings))
}
