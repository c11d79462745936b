//! The site map: screens and the ways between them as a picture and as DOT.
//!
//! In: a [`Knowledge`](crate::Knowledge). Out: text. Invariants: those of its parts.

mod dot;
mod graph;
mod svg;

pub use dot::site_map_dot;
pub use graph::MapOptions;
pub use svg::{site_map_figure, site_map_svg};

#[cfg(test)]
mod tests;
