//! Other people's recordings become traces, and their scripts scenarios.
//!
//! In: files of one [`Format`]. Out: trace files (or scenarios in TOML) and an [`ImportReport`]
//! that says what could not be carried over. Invariants: nothing of the input is executed,
//! unpickled or fetched; memory, depth, sizes and ratios are bounded by [`Limits`]; secrets are
//! replaced before anything is written; what is missing is an error that names file, place and
//! remedy, or a said gap.

#![cfg_attr(not(feature = "render"), expect(dead_code, reason = "pictures and resources are only for rendering"))]

mod archive;
mod browsergym;
mod cdp;
mod columns;
mod derive;
mod dom;
mod error;
mod har;
mod html;
mod json;
mod limits;
mod mind2web;
mod options;
mod plan;
mod playwright;
mod raw;
#[cfg(feature = "render")]
mod render;
mod request;
mod run;
mod scene;
mod script;
mod weblinx;
mod write;

#[doc(hidden)]
pub mod fuzzing;

pub use error::ImportError;
pub use limits::Limits;
pub use options::ImportOptions;
pub use run::{Format, ImportReport, ImportedScenario, ImportedTrace, import};
