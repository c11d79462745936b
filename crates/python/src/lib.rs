//! `browserlens._native`: what the Python package is made of, over the crates that the command line
//! is made of.
//!
//! In: Python objects. Out: observations, pages, traces and tables as Python objects. Invariants:
//! nothing here has logic of its own; Python's lock is released while pages are read, parsed and
//! written; every error is an exception with text, place and hint.

mod agents;
mod command;
mod errors;
mod feed;
mod json;
mod lens;
mod observation;
mod page;
mod pages;
mod replay;
mod tables;
mod trace;
mod wire;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::agents::agent_runs;
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::lens::Lens;
    #[pymodule_export]
    use crate::observation::{Image, Observation};
    #[pymodule_export]
    use crate::page::Page;
    #[pymodule_export]
    use crate::pages::Pages;
    #[pymodule_export]
    use crate::replay::{Part, Run, Strategies, merge_parts, plan_trace, replay_traces, scenario_of, trace_files};
    #[pymodule_export]
    use crate::tables::{Table, looks};
    #[pymodule_export]
    use crate::trace::Trace;

    /// The text that explains the grammar to a model; to be told once.
    #[pymodule_export]
    const LEGEND: &str = include_str!("../../lens/legend.txt");
}
