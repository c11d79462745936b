//! Concepts of a page: what its author set apart, and the words that it uses most.
//!
//! In: a [`Page`] and its blocks. Out: [`FoundConcept`]s, each with the block it stands in.
//! Invariants: at most [`MAX_CONCEPTS`] of each kind but terms, [`MAX_TERMS`] of those; texts are
//! one line of [`SHORTEST`] to [`LONGEST`] characters; a concept of one kind is given once a block.
//! Which of the frequent words tell a page from others is known only beside others: that choice is
//! made where pages meet.

use super::content::fold;
use crate::address::normal_url;
use crate::blocks::{Block, BlockKind};
use crate::terms::Terms;
use browserlens_core::named;
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeKind, NodeRef, Page};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Concepts of one kind that a page gives; the first ones.
pub const MAX_CONCEPTS: usize = 400;

/// Terms that a page gives: the most frequent ones.
pub const MAX_TERMS: usize = 48;

/// Blocks of a page that a term is linked to: the first ones.
const BLOCKS_OF_TERM: usize = 4;

/// Fewest characters of a concept.
pub const SHORTEST: usize = 2;

/// Most characters of a concept; what is longer is a sentence.
pub const LONGEST: usize = 80;

/// Nodes below an element that its text is sought in.
const MAX_NODES: usize = 64;

named! {
    /// Why a text is a concept.
    pub enum ConceptKind {
        /// A heading.
        Heading = "heading",
        /// The text of a link.
        Link = "link",
        /// An emphasised term: `strong`, `em`, `dfn`, `code` and the like.
        Emphasis = "emphasis",
        /// A word that the page uses often and others do not.
        Term = "term",
    }
}

/// A concept where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundConcept {
    /// Why it is one.
    pub kind: ConceptKind,
    /// What it says.
    pub text: String,
    /// Position of the block it stands in.
    pub position: u32,
    /// How often the page has it.
    pub weight: u32,
    /// Where a link leads, in the [normal form](crate::normal_url); none for anything else.
    pub target: Option<String>,
}

/// Returns the concepts of a page, in document order, terms last.
pub fn concepts(page: &Page, blocks: &[Block]) -> Vec<FoundConcept> {
    let mut found = Vec::new();
    let mut once: HashSet<(ConceptKind, u32, String)> = HashSet::new();
    let mut count: HashMap<ConceptKind, usize> = HashMap::new();
    let mut add = |kind, text: String, position, target| {
        let Some(text) = named(text) else { return };
        let many = count.entry(kind).or_insert(0);
        if *many < MAX_CONCEPTS && once.insert((kind, position, fold(&text))) {
            *many += 1;
            found.push(FoundConcept { kind, text, position, weight: 1, target });
        }
    };
    let base = Url::parse(page.url()).ok();
    // Blocks that the walk is in; a block of a node's own stands above those around it.
    let mut next = 0;
    let mut within: Vec<(u32, usize)> = Vec::new();
    let mut by_node: Vec<usize> = (0..blocks.len()).collect();
    by_node.sort_by_key(|at| blocks[*at].node);
    for node in page.nodes() {
        let id = node.id().0;
        while within.pop_if(|(end, _)| *end <= id).is_some() {}
        while let Some(at) = by_node.get(next).copied().filter(|at| blocks[*at].node.0 <= id) {
            let own = page.node(blocks[at].node);
            if own.end() > id {
                within.push((own.end(), at));
            }
            if blocks[at].kind.level().is_some() {
                add(ConceptKind::Heading, blocks[at].text.clone(), blocks[at].position, None);
            }
            next += 1;
        }
        let Some((_, at)) = within.last().copied() else { continue };
        let block = &blocks[at];
        if block.kind == BlockKind::Code || node.kind() != NodeKind::Element {
            continue;
        }
        match node.tag() {
            "a" => {
                if let Some(href) = node.attribute("href") {
                    add(ConceptKind::Link, text_of(node), block.position, resolved(base.as_ref(), href));
                }
            }
            "strong" | "b" | "em" | "i" | "dfn" | "mark" | "code" | "kbd" | "abbr" => {
                add(ConceptKind::Emphasis, text_of(node), block.position, None);
            }
            _ => {}
        }
    }
    found.extend(terms(blocks));
    found
}

/// A text that names something: one line, short, with a letter in it.
fn named(text: String) -> Option<String> {
    if text.len() > LONGEST * 8 {
        return None;
    }
    let line = folded(&text);
    let length = line.chars().count();
    ((SHORTEST..=LONGEST).contains(&length) && line.chars().any(char::is_alphabetic)).then_some(line)
}

fn text_of(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    for below in node.subtree().take(MAX_NODES).filter(|below| below.kind() == NodeKind::Text && below.is_seen()) {
        text.push_str(below.text());
        if text.len() > LONGEST * 8 {
            break;
        }
    }
    text
}

fn resolved(base: Option<&Url>, href: &str) -> Option<String> {
    let url = match base {
        Some(base) => base.join(href).ok()?,
        None => Url::parse(href).ok()?,
    };
    matches!(url.scheme(), "http" | "https" | "file").then(|| normal_url(url.as_str()))
}

/// The most frequent words, each with the first blocks it stands in.
fn terms(blocks: &[Block]) -> Vec<FoundConcept> {
    struct Count<'b> {
        word: String,
        times: u32,
        first: u32,
        blocks: Vec<&'b Block>,
    }
    let splitter = Terms::default();
    let mut counts: HashMap<String, Count<'_>> = HashMap::new();
    for block in blocks.iter().filter(|block| block.kind != BlockKind::Code) {
        for term in splitter.of(&block.text) {
            if !is_telling(&term.word) {
                continue;
            }
            let next = counts.len() as u32;
            let count = counts.entry(term.stem).or_insert_with(|| Count {
                word: term.word,
                times: 0,
                first: next,
                blocks: Vec::new(),
            });
            count.times += 1;
            if count.blocks.len() < BLOCKS_OF_TERM
                && count.blocks.last().is_none_or(|last| last.position != block.position)
            {
                count.blocks.push(block);
            }
        }
    }
    let mut ranked: Vec<Count<'_>> = counts.into_values().collect();
    ranked.sort_unstable_by_key(|count| (std::cmp::Reverse(count.times), count.first));
    ranked
        .into_iter()
        .take(MAX_TERMS)
        .flat_map(|Count { word, times, blocks, .. }| {
            blocks.into_iter().map(move |block| FoundConcept {
                kind: ConceptKind::Term,
                text: word.clone(),
                position: block.position,
                weight: times,
                target: None,
            })
        })
        .collect()
}

/// Words of at least three letters, two where a script writes whole words with them.
fn is_telling(word: &str) -> bool {
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    (letters >= 3 || (letters >= 2 && !word.is_ascii())) && !crate::terms::is_stop_word(word)
}
