//! What there is of one tool, and of one text format. A tool is a folder beside this file; its
//! `TOOL` says what it has.

use crate::lines::LineRules;
use crate::read::TextReader;
use browserlens_core::strategy::{OptionsError, Strategy, TextFormat};
use serde_json::Value;

/// One tool of others.
#[derive(Debug)]
pub struct Tool {
    /// What has to be installed, in pinned versions.
    pub packages: Packages,
    /// How the real tool is asked, one a version.
    pub harnesses: &'static [Harness],
    /// What the real tool says, as recorded beside a trace.
    pub recorded: &'static [RecordedOutput],
    /// What it would say, computed from a page.
    pub reproductions: &'static [Reproduction],
    /// The formats of its texts that no other tool has.
    pub formats: &'static [&'static Format],
}

/// Packages of a registry.
#[derive(Debug)]
pub enum Packages {
    /// The text of a `package.json`.
    Npm(&'static str),
    /// The text of a `requirements.txt`.
    Pip(&'static str),
}

/// How one version of a tool is asked; see the README for the protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct Harness {
    /// Name and version, such as `playwright-mcp@0.0.83`.
    pub name: &'static str,
    /// Its script below the folder of the tools: `*.mjs` runs in Node, `*.py` in Python.
    pub script: &'static str,
    /// Whether its own action tools perform the actions: it answers them with deltas.
    pub acts: bool,
    /// Whether it has console and network tools.
    pub events: bool,
}

/// One output that the recorder asks for.
#[derive(Debug)]
pub struct RecordedOutput {
    /// Name of its strategy: `tool@version/variant:recorded`.
    pub name: &'static str,
    /// The format of its texts.
    pub format: &'static Format,
    /// How far beyond the viewport the tool looks, in CSS pixels; none if it looks everywhere.
    pub viewport_margin: Option<f32>,
}

/// One strategy that computes what a tool says.
#[derive(Debug)]
pub struct Reproduction {
    /// Name of the strategy: `tool@version/variant`.
    pub name: &'static str,
    /// Builds it from its options.
    pub build: fn(&Value) -> Result<Box<dyn Strategy>, OptionsError>,
}

/// How the texts of a format are read and compared.
#[derive(Debug)]
pub struct Format {
    /// Its name in strategies, run headers and `strategies.toml`.
    pub name: &'static str,
    /// Starts reading the texts of a run.
    pub reader: fn() -> TextReader,
    /// Whether a text says only what changed, so that it needs those before it.
    pub is_delta: fn(&str) -> bool,
    /// Whether a line is a statement of its own. Such a line can be forged by page text.
    pub has_lines: bool,
    /// How two texts are compared line by line.
    pub lines: LineRules,
}

impl Format {
    /// Returns its name as strategies give it.
    pub const fn text_format(&self) -> TextFormat {
        TextFormat::named(self.name)
    }

    /// A format of lines of which each text stands alone.
    pub(crate) const fn new(name: &'static str, reader: fn() -> TextReader) -> Self {
        Self { name, reader, is_delta: |_| false, has_lines: true, lines: LineRules::PLAIN }
    }

    /// A format whose line breaks mean nothing.
    pub(crate) const fn without_lines(name: &'static str, reader: fn() -> TextReader) -> Self {
        Self { has_lines: false, ..Self::new(name, reader) }
    }

    pub(crate) const fn compared_by(self, lines: LineRules) -> Self {
        Self { lines, ..self }
    }

    pub(crate) const fn with_deltas(self, is_delta: fn(&str) -> bool) -> Self {
        Self { is_delta, ..self }
    }
}

/// Returns a strategy as the one who asked for a name gets it.
pub(crate) fn boxed<S: Strategy + 'static>(
    strategy: Result<S, OptionsError>,
) -> Result<Box<dyn Strategy>, OptionsError> {
    strategy.map(|strategy| Box::new(strategy) as Box<dyn Strategy>)
}
