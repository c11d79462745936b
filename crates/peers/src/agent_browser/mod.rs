//! `agent-browser@0.41.2/full` and `/interactive`: `snapshot` and `snapshot -i` of agent-browser 0.41.2.
//!
//! In: the accessibility payload of every frame, and the DOM snapshot. Out: the text that the
//! command prints, without the newline at its end; a handle is `@e5`, as the tool's commands take
//! what is printed as `ref=e5`. Invariants: both variants number alike; only the main frame's own
//! frames are opened, not theirs. Follows: what is written and how ([`mod@write`]), what gets a ref
//! ([`tree`]), when refs last ([`refs`]), and which elements are marked as clickable ([`marks`]),
//! written anew from the behaviour of that version. Known to differ: see [`marks`]. Frames of
//! another process are written as by a tool that was there before the page; one that came later
//! shows them empty. A snapshot a step is numbered, while a real session may take more. Nodes of
//! cyclic trees are written once.

mod ax;
mod marks;
mod read;
mod read_delta;
mod refs;
mod tree;
mod write;

use crate::dom::{self, Dom};
use crate::lines::{LineRules, outline, reference, replace};
use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, PeerStrategy, RecordedOutput, Reproduction, Tool, missing, no_options};
use browserlens_core::page::{Capture, NodeKey, Page};
use browserlens_core::strategy::{Observation, OptionsError, RefTarget, Run, Stage, StepInput, StrategyError};
use marks::Mark;
use refs::Refs;
use std::collections::HashMap;
use tree::Tree;
use write::Extent;

const FULL: &str = "agent-browser@0.41.2/full";
const INTERACTIVE: &str = "agent-browser@0.41.2/interactive";

/// `snapshot`, full or interactive.
pub(crate) static TEXT: Format =
    Format::new("agent-browser", || TextReader::Standing(read::parse)).compared_by(LineRules {
        normalise: |line, _| replace(&replace(line, "[ref=", reference), ", ref=", reference),
        parts: outline,
        ..LineRules::PLAIN
    });
/// `snapshot --delta`: a full text, then JSON with one splice of lines, or `unchanged`.
static DELTA: Format = Format::new("agent-browser-delta", || TextReader::Held(Box::<read_delta::DeltaText>::default()))
    .with_deltas(|text| text.starts_with('{') || text.starts_with("unchanged"));

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Npm(include_str!("package.json")),
    harnesses: &[Harness::looking("agent-browser@0.41.2", "agent_browser/harness.mjs")],
    recorded: &[
        RecordedOutput::whole("agent-browser@0.41.2/full:recorded", &TEXT),
        RecordedOutput::whole("agent-browser@0.41.2/interactive:recorded", &TEXT),
        RecordedOutput::whole("agent-browser@0.41.2/delta:recorded", &DELTA),
        RecordedOutput::whole("agent-browser@0.41.2/interactive-delta:recorded", &DELTA),
    ],
    reproductions: &[
        Reproduction { name: FULL, build: |options| strategy(Extent::Full, options) },
        Reproduction { name: INTERACTIVE, build: |options| strategy(Extent::Interactive, options) },
    ],
    formats: &[&TEXT, &DELTA],
};

fn strategy(extent: Extent, options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    no_options(options)?;
    Ok(PeerStrategy::new(extent.name(), "0.41.2+bl1", &TEXT, move |_| AgentBrowserRun::new(extent)))
}

impl Extent {
    fn name(self) -> &'static str {
        match self {
            Self::Full => FULL,
            Self::Interactive => INTERACTIVE,
        }
    }

    /// What the tool says of a page, or a frame, without a line.
    fn nothing(self) -> &'static str {
        match self {
            Self::Full => "(empty page)",
            Self::Interactive => "(no interactive elements)",
        }
    }
}

#[derive(Debug)]
struct AgentBrowserRun {
    extent: Extent,
    refs: Refs,
}

impl Run for AgentBrowserRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let observation = self.reproduce(input);
        input.clock.enter(None);
        observation
    }
}

impl AgentBrowserRun {
    fn new(extent: Extent) -> Self {
        Self { extent, refs: Refs::default() }
    }

    fn reproduce(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let missing = |what: &str| missing(input, what, self.extent.name());
        input.clock.enter(Some(Stage::Extract));
        if !dom::has_snapshot(input.capture) {
            return Err(missing("DOM snapshot"));
        }
        let nodes = ax::nodes(input.capture, input.page.document().0).ok_or_else(|| missing("accessibility tree"))?;
        let snapshots = dom::snapshots(input.capture);
        let marks = marks::marks(&Dom::new(input.page, &snapshots), input.capture);
        let mut snapshot = Snapshot { page: input.page, capture: input.capture, run: self, targets: Vec::new() };
        let (tree, mut text, numbers) = snapshot.frame(0, nodes, &marks);
        input.clock.enter(Some(Stage::Format));
        snapshot.frames_below(&tree, &numbers, &mut text);
        let mut observation = Observation::full_text(snapshot.or_nothing(&text), crate::REPRODUCED);
        observation.refs = snapshot.targets;
        Ok(observation)
    }
}

/// One snapshot in the making.
struct Snapshot<'s> {
    page: &'s Page,
    capture: &'s Capture,
    run: &'s mut AgentBrowserRun,
    targets: Vec<RefTarget>,
}

impl Snapshot<'_> {
    /// Numbers and writes one frame.
    fn frame(
        &mut self,
        ordinal: usize,
        nodes: Vec<ax::AxNode>,
        marks: &HashMap<u32, Mark>,
    ) -> (Tree, String, HashMap<usize, u32>) {
        let (tab, _) = self.page.document();
        let (frame, loader) = self.page.frames().get(ordinal).map_or((0, 0), |frame| (frame.number, frame.loader));
        self.run.refs.enter(tab, (frame, loader));
        let tree = Tree::new(nodes, marks);
        let mut numbers = HashMap::new();
        for place in tree.referable(marks) {
            let backend = tree.nodes[place].backend;
            let number = self.run.refs.give(tab, frame, backend);
            numbers.insert(place, number);
            let key = backend.map(|backend| NodeKey { frame, loader, backend });
            self.targets.extend(key.map(|key| RefTarget { handle: format!("@e{number}"), key }));
        }
        let text = write::write(&tree, &numbers, marks, self.run.extent);
        (tree, text, numbers)
    }

    /// Writes the frames that the main frame holds below their elements.
    fn frames_below(&mut self, tree: &Tree, numbers: &HashMap<usize, u32>, text: &mut String) {
        let (main, _) = self.page.document();
        let mut owners = HashMap::new();
        for (ordinal, frame) in self.page.frames().iter().enumerate().skip(1) {
            let owner = frame.owner.map(|owner| self.page.node(owner).key()).filter(|key| key.frame == main);
            owners.extend(owner.map(|key| (key.backend, ordinal)));
        }
        let mut below = Vec::new();
        for (place, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.role == "Iframe") {
            let Some(number) = numbers.get(&place).copied() else { continue };
            let Some(ordinal) = node.backend.and_then(|backend| owners.get(&backend)).copied() else { continue };
            let Some(nodes) = ax::nodes(self.capture, self.page.frames()[ordinal].number) else { continue };
            // The script that finds marks looks at the main document only.
            let (_, inner, _) = self.frame(ordinal, nodes, &HashMap::new());
            if !inner.trim().is_empty() {
                below.push((number, inner.trim().to_owned()));
            }
        }
        for (number, inner) in below {
            write::insert_frame(text, number, &inner);
        }
    }

    fn or_nothing(&self, text: &str) -> String {
        match text.trim() {
            "" => self.run.extent.nothing().to_owned(),
            text => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
