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
mod model;
mod pages;
mod summary;
mod together;

pub use about::{About, AboutPage, Passage};
pub use around::{Around, around};
pub use concepts::{ConceptKind, FoundConcept, concepts};
pub use content::{ContentGraph, ContentId, ContentKind, ContentNode, HeadingMatch, Relation};
pub use export::{to_dot, to_json, to_svg};
pub use model::{ConceptPath, LinkKind, PathLink};
pub use pages::{ConceptError, PATH_STEPS, PageGraph, RELATED_CONCEPT, RELATED_LIMIT, RelatedPage, SeenAt};
pub use summary::summary;
pub use together::{OfMany, Together, answer_together};
