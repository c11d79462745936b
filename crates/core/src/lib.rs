//! What every other crate speaks in: a page as it was captured, what tokens cost, the interface of
//! strategies with the observations that they write, how texts are ranked for a query, and how JSON is
//! held against a schema.

pub mod bm25;
mod named;
pub mod page;
pub mod random;
pub mod schema;
mod shown;
pub mod strategy;
pub mod sync;
pub mod tokens;
