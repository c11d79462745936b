//! What every other crate speaks in: a page as it was captured, what tokens cost, and the interface
//! of strategies with the observations that they write.

pub mod page;
pub mod strategy;
pub mod tokens;
