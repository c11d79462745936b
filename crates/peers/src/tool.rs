//! What there is of one tool, and of one text format. A tool is a folder beside this file; its
//! `TOOL` says what it has.

use crate::lines::LineRules;
use crate::read::TextReader;
use browserlens_core::strategy::{
    ActionChannel, OptionsError, OptionsReader, Run, StepInput, Strategy, StrategyError, Task, TextFormat,
};
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

impl Harness {
    /// One that only looks at pages that others act on.
    pub(crate) const fn looking(name: &'static str, script: &'static str) -> Self {
        Self { name, script, acts: false, events: false }
    }
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

impl RecordedOutput {
    /// One of the whole page.
    pub(crate) const fn whole(name: &'static str, format: &'static Format) -> Self {
        Self { name, format, viewport_margin: None }
    }
}

/// One strategy that computes what a tool says.
#[derive(Debug)]
pub struct Reproduction {
    /// Name of the strategy: `tool@version/variant`.
    pub name: &'static str,
    /// Builds it from its options.
    pub(crate) build: fn(&Value) -> Result<PeerStrategy, OptionsError>,
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

/// Starts a run of a task.
type Start = dyn Fn(&Task) -> Box<dyn Run> + Send + Sync;

/// A strategy of this crate, with its options read.
pub(crate) struct PeerStrategy {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) channel: ActionChannel,
    pub(crate) format: TextFormat,
    pub(crate) viewport_margin: Option<f32>,
    pub(crate) reads_dom_only: bool,
    pub(crate) start: Box<Start>,
}

impl PeerStrategy {
    /// One that shows the whole page with refs to act by.
    pub(crate) fn new<R: Run + 'static>(
        name: &'static str,
        version: &'static str,
        format: &Format,
        start: impl Fn(&Task) -> R + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            version,
            channel: ActionChannel::Ref,
            format: format.text_format(),
            viewport_margin: None,
            reads_dom_only: false,
            start: Box::new(move |task| Box::new(start(task))),
        }
    }
}

impl Strategy for PeerStrategy {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> &str {
        self.version
    }

    fn channel(&self) -> ActionChannel {
        self.channel
    }

    fn format(&self) -> TextFormat {
        self.format.clone()
    }

    fn viewport_margin(&self) -> Option<f32> {
        self.viewport_margin
    }

    fn reads_dom_only(&self) -> bool {
        self.reads_dom_only
    }

    fn start(&self, task: &Task) -> Box<dyn Run> {
        (self.start)(task)
    }
}

/// Reads options where there are none: any is an error.
pub(crate) fn no_options(options: &Value) -> Result<(), OptionsError> {
    OptionsReader::new(options)?.finish()
}

/// The error of a step whose capture has not what a strategy reads.
pub(crate) fn missing(input: &StepInput<'_>, what: &str, strategy: &str) -> StrategyError {
    StrategyError::Missing { step: input.step, what: what.to_owned(), strategy: strategy.to_owned() }
}
