//! `chrome-devtools-mcp@1.11.0`: what its `take_snapshot` really said, as recorded; nothing is reproduced.

mod read;

use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, RecordedOutput, Tool};

/// The text of `take_snapshot`.
pub(crate) static TREE: Format = Format::new("chrome-devtools", || TextReader::Standing(read::parse));

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Npm(include_str!("package.json")),
    harnesses: &[Harness {
        events: true,
        ..Harness::looking("chrome-devtools-mcp@1.11.0", "chrome_devtools/harness.mjs")
    }],
    recorded: &[RecordedOutput::whole("chrome-devtools-mcp@1.11.0/full:recorded", &TREE)],
    reproductions: &[],
    formats: &[&TREE],
};
