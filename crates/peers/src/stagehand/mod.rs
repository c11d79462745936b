//! `stagehand@3.7.3`: what its `page.snapshot()` really said, as recorded; nothing is reproduced.

mod read;

use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, RecordedOutput, Tool};

/// The text of `page.snapshot()`.
pub(crate) static TREE: Format = Format::new("stagehand", || TextReader::Standing(read::parse));

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Npm(include_str!("package.json")),
    harnesses: &[Harness::looking("stagehand@3.7.3", "stagehand/harness.mjs")],
    recorded: &[RecordedOutput::whole("stagehand@3.7.3/full:recorded", &TREE)],
    reproductions: &[],
    formats: &[&TREE],
};
