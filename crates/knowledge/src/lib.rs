//! Knowledge of websites: screens, actions, transitions and tasks, each with where it was seen.
//!
//! In: recorded traces, documents, crawled pages. Out: a [`Knowledge`] value that is stored in one
//! SQLite file, recognises screens, and is drawn as a site map. Invariants: the same traces in any
//! order give the same knowledge; every claim names the trace and step, document or inference it
//! comes from; page text never becomes a regex, a selector or a script unescaped.

mod available;
mod carry_out;
mod classify;
mod crawl;
mod described;
mod error;
mod extract;
pub mod gaps;
mod ingest;
mod json;
mod map;
mod model;
pub mod protocol;
mod purpose;
mod quoted;
mod recognise;
mod renew;
pub mod score;
mod store;
pub mod translate;
mod validate;
mod written;

pub use available::fill_available_actions;
pub use carry_out::carry_out;
pub use crawl::{CrawlEnd, CrawlLimits, CrawlReport, crawl, opener};
pub use error::KnowledgeError;
pub use extract::{Recording, extract};
pub use ingest::{Document, Ingested, content_type_of, ingest};
pub use json::{from_json, schema, to_json};
pub use map::{MapOptions, site_map_dot, site_map_figure, site_map_svg};
pub use model::{
    ActionDefinition, ActionId, BrowserUseAction, ContentType, ElementTarget, Form, FormField, Indicator,
    IndicatorKind, Inference, Knowledge, KnowledgeId, Metadata, Provenance, Region, ScreenDefinition, ScreenId,
    StateSignature, Statistics, StepAction, SuccessCriteria, TaskDefinition, TaskId, TaskStep, TransitionDefinition,
    TransitionId, WebsiteId,
};
pub use recognise::{Candidate, Recogniser, Recognition, THRESHOLD};
pub use renew::renew;
pub use store::{STORE_VERSION, Store};
pub use validate::{MAX_INDICATOR_CHARS, validate};
