//! What pages say together: concepts as nodes, and how they hang together.
//!
//! In: pages with the concepts that they mention, and what their sites repeat. Out: [`Model`]:
//! where concepts stand, links, shortest paths. Invariants: concepts only of text that its site does
//! not repeat have places, links and a part in answers; of the words that a page uses, only those
//! that tell it from the others are concepts ([`TERMS`] a page, by frequency and IDF); pages are in
//! the order of addresses, so that answers do not depend on the order of adding.

use super::concepts::ConceptKind;
use super::content::ContentId;
use super::found::{ConceptPath, LinkKind, PathLink};
use super::pages::{Concept, Mentioned, SeenPage};
use crate::boilerplate::BoilerplateIndex;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Terms of a page that are concepts.
const TERMS: usize = 12;

/// The concepts of pages, by their numbers.
pub(super) struct Model {
    /// Page and block of each place where a concept stands, and why it is one there, in order.
    places: HashMap<usize, Vec<(usize, u32, ConceptKind)>>,
    links: Links,
}

/// For each concept those that it is linked with: how it comes about, and the first page that says
/// so.
type Links = HashMap<usize, BTreeMap<usize, (LinkKind, usize)>>;

impl Model {
    pub(super) fn of(pages: &[SeenPage], concepts: &BTreeMap<usize, Concept>, site: &BoilerplateIndex) -> Self {
        let mut mentions: Vec<(usize, &Mentioned)> = Vec::new();
        for (at, page) in pages.iter().enumerate() {
            let kept = page.kept(site);
            let of_page = page.mentions.iter().filter(|mention| kept.get(mention.position as usize) == Some(&true));
            mentions.extend(of_page.map(|mention| (at, mention)));
        }
        mentions.sort_by_key(|(page, mention)| (*page, mention.position, mention.kind));
        drop_common_terms(&mut mentions, pages.len(), concepts);
        let mut places: HashMap<usize, Vec<(usize, u32, ConceptKind)>> = HashMap::new();
        for (page, mention) in &mentions {
            places.entry(mention.concept).or_default().push((*page, mention.position, mention.kind));
        }
        Self { places, links: links(pages, &mentions) }
    }

    /// Whether a concept stands somewhere.
    pub(super) fn knows(&self, concept: usize) -> bool {
        self.places.contains_key(&concept)
    }

    /// Pages and blocks of a concept, and why it is one there.
    pub(super) fn places(&self, concept: usize) -> impl Iterator<Item = (usize, u32, ConceptKind)> {
        self.places.get(&concept).into_iter().flatten().copied()
    }

    /// Pages of a concept, each once, in order.
    pub(super) fn pages_of(&self, concept: usize) -> BTreeSet<usize> {
        self.places(concept).map(|(page, ..)| page).collect()
    }

    /// The shortest path; of several, the one whose concepts have been known longest.
    pub(super) fn path(
        &self,
        pages: &[SeenPage],
        concepts: &BTreeMap<usize, Concept>,
        (from, to): (usize, usize),
        steps: usize,
    ) -> Option<ConceptPath> {
        // Breadth first from the end, so that walking back gives the path from the start.
        let mut before: HashMap<usize, (usize, LinkKind, usize)> = HashMap::new();
        let mut open = VecDeque::from([(to, 0)]);
        while let Some((at, away)) = open.pop_front() {
            if at == from || away == steps {
                break;
            }
            for (other, (kind, page)) in self.links.get(&at).into_iter().flatten() {
                if *other != to && !before.contains_key(other) {
                    before.insert(*other, (at, *kind, *page));
                    open.push_back((*other, away + 1));
                }
            }
        }
        let mut path = ConceptPath { concepts: vec![concepts[&from].text.clone()], links: Vec::new() };
        let mut at = from;
        while at != to {
            let (next, kind, page) = *before.get(&at)?;
            path.concepts.push(concepts[&next].text.clone());
            path.links.push(PathLink { kind, url: pages[page].graph.url().to_owned() });
            at = next;
        }
        Some(path)
    }
}

/// Links concepts: under headings, and along links of the pages.
fn links(pages: &[SeenPage], mentions: &[(usize, &Mentioned)]) -> Links {
    let mut headings: HashMap<(usize, ContentId), usize> = HashMap::new();
    // The first heading of each page says what the page is about; a page without one, its first
    // concept.
    let mut first: BTreeMap<usize, (bool, u32, usize)> = BTreeMap::new();
    for (page, mention) in mentions {
        let is_heading = mention.kind == ConceptKind::Heading;
        if is_heading {
            headings.insert((*page, ContentId(mention.position)), mention.concept);
        }
        let place = (!is_heading, mention.position, mention.concept);
        let known = first.entry(*page).or_insert(place);
        *known = (*known).min(place);
    }
    let about = |page: &usize| first.get(page).map(|(.., concept)| *concept);
    let by_address: HashMap<&str, usize> =
        pages.iter().enumerate().map(|(at, page)| (page.address.as_str(), at)).collect();
    let mut all: BTreeSet<(LinkKind, usize, usize, usize)> = BTreeSet::new();
    for (page, mention) in mentions {
        // The nearest heading above that is a concept itself.
        let trail = pages[*page].graph.trail(ContentId(mention.position));
        let above = trail.into_iter().rev().find_map(|heading| headings.get(&(*page, heading)).copied());
        let target = mention.target.as_deref().and_then(|target| by_address.get(target));
        let under = above.or_else(|| about(page)).map(|other| (other, LinkKind::Under));
        let leads_to = target.and_then(about).map(|other| (other, LinkKind::LeadsTo));
        for (other, kind) in under.into_iter().chain(leads_to).filter(|(other, _)| *other != mention.concept) {
            all.insert((kind, *page, mention.concept, other));
        }
    }
    let mut links = Links::new();
    for (kind, page, a, b) in all {
        for (from, to) in [(a, b), (b, a)] {
            links.entry(from).or_default().entry(to).or_insert((kind, page));
        }
    }
    links
}

/// Leaves each page the terms that tell it from the others: by frequency times IDF over the pages.
fn drop_common_terms(mentions: &mut Vec<(usize, &Mentioned)>, pages: usize, concepts: &BTreeMap<usize, Concept>) {
    let mut on: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for (page, mention) in mentions.iter() {
        on.entry(mention.concept).or_default().insert(*page);
    }
    let mut of_page: HashMap<usize, BTreeMap<usize, f64>> = HashMap::new();
    for (page, mention) in mentions.iter().filter(|(_, mention)| mention.kind == ConceptKind::Term) {
        let idf = ((1 + pages) as f64 / on[&mention.concept].len() as f64).ln();
        of_page.entry(*page).or_default().insert(mention.concept, f64::from(mention.weight) * idf);
    }
    let mut telling: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (page, terms) in of_page {
        let mut ranked: Vec<(usize, f64)> = terms.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| concepts[&a.0].text.cmp(&concepts[&b.0].text)));
        telling.extend(ranked.into_iter().take(TERMS).map(|(concept, _)| (page, concept)));
    }
    mentions.retain(|(page, mention)| mention.kind != ConceptKind::Term || telling.contains(&(*page, mention.concept)));
}
