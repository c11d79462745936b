//! What every other crate speaks in: a page as it was captured, what tokens cost, the interface of
//! strategies with the observations that they write, and how texts are ranked for a query.

pub mod bm25;
mod named;
pub mod page;
pub mod strategy;
pub mod tokens;
