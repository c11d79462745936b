//! What the graph of pages answers with.

use super::concepts::ConceptKind;
use super::content::ContentId;
use super::pages::SeenAt;

/// A concept that a query resembles.
#[derive(Clone, Debug, PartialEq)]
pub struct ConceptHit {
    /// Its text, as the first page had it.
    pub concept: String,
    /// Cosine with the query; 1 if the texts are equal but for case.
    pub similarity: f32,
    /// Where it stands, in the order of addresses and of each page.
    pub mentions: Vec<Mention>,
}

/// A place where a concept stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Address of the page.
    pub url: String,
    /// When the page was seen.
    pub seen_at: SeenAt,
    /// Why it is a concept there.
    pub kind: ConceptKind,
    /// Place of the block it stands in.
    pub node: ContentId,
    /// The headings it stands under, outermost first; for a heading, those above it.
    pub context: Vec<String>,
}

/// A page that a query resembles.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedPage {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// The concept it was found by; where it is only in a text of the page, the heading above.
    pub concept: String,
    /// That concept's cosine with the query; 0 where only a text has it.
    pub similarity: f32,
}

/// How one concept of a path leads to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// One stands under the other, a heading.
    Under,
    /// A link of the one's text leads to the page of the other.
    LeadsTo,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathLink {
    /// How the two hang together.
    pub kind: LinkKind,
    /// The page that says so.
    pub url: String,
}

/// The shortest way from one concept to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConceptPath {
    /// The concepts, both ends included.
    pub concepts: Vec<String>,
    /// The steps between them: one fewer than concepts.
    pub links: Vec<PathLink>,
}
