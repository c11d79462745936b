//! Graphs over what pages say.
//!
//! In: pages and their blocks. Out: the content graph of a page ([`ContentGraph`]), its short form
//! ([`summary`]) and its drawings ([`to_dot`], [`to_json`], [`to_svg`]), and the graph of concepts
//! across pages ([`PageGraph`]). Invariant: nothing here reads a clock; times are given.

mod about;
mod around;
mod concepts;
mod content;
mod cosine;
mod export;
mod found;
mod model;
mod pages;
mod summary;
mod together;

pub use about::{About, AboutPage, Passage};
pub use around::{Around, around};
pub use concepts::{ConceptKind, FoundConcept, LONGEST, MAX_CONCEPTS, MAX_TERMS, SHORTEST, concepts};
pub use content::{ContentGraph, ContentId, ContentKind, ContentNode, HeadingMatch, NEAREST_HEADING, Relation, Under};
pub use export::{JSON_FORMAT, SVG_ROWS, to_dot, to_json, to_svg};
pub use found::{ConceptHit, ConceptPath, LinkKind, Mention, PathLink, RelatedPage};
pub use pages::{
    Added, ConceptError, MAX_STORED_CONCEPTS, PATH_STEPS, PageGraph, RELATED_CONCEPT, RELATED_LIMIT, SAME_CONCEPT,
    SeenAt,
};
pub use summary::summary;
pub use together::{OfMany, Together, answer_together};
