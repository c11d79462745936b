//! Graphs over what pages say.
//!
//! In: the blocks of pages. Out: the content graph of a page ([`ContentGraph`]), its short form ([`summary`]) and its
//! drawings, and the graph of concepts across pages.

mod content;
mod export;
mod store;
mod summary;

pub use content::{ContentGraph, ContentId, ContentKind, ContentNode, HeadingMatch, NEAREST_HEADING, Relation, Under};
pub use export::{
    JSON_FORMAT, JsonEdge, JsonGraph, JsonGraphError, NodeName, SVG_ROWS, from_json, json_graph, json_graph_schema, to_dot,
    to_json, to_svg,
};
pub use store::{GraphStore, STORE_VERSION, SeenAt, StoreError, StoredPage};
pub use summary::summary;
