//! `playwright-mcp@0.0.83/full`: what `browser_snapshot` of `@playwright/mcp` 0.0.83 answers.
//!
//! In: the page, with the snapshot payload where there is one. Out: the tool's whole reply: page
//! section, then the snapshot as YAML. Invariant: one element or text is one line; refs follow the
//! tool's rule (see [`refs`]). Follows: its role and name computation ([`role`], [`name`]), its
//! states ([`state`]), its walk ([`tree`]), its folding ([`distill`]) and its YAML ([`yaml`]),
//! written anew from the behaviour of that version. Known to differ: documents that came and went
//! between two steps take no prefix; `### Open tabs` is left out, as it names what a capture does
//! not hold; the file of console entries is named by a made-up moment; console counts are those of
//! the recorded events; children of a shadow host that no slot takes are not in a capture;
//! generated content of what is not rendered is known only if it was rendered before.

mod aria;
mod distill;
mod drawing;
mod labels;
mod lines;
mod name;
mod read;
mod read_incremental;
mod refs;
mod role;
mod state;
mod tree;
mod yaml;

use crate::dom::{self, Dom, Id, Shadow};
use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, PeerStrategy, RecordedOutput, Reproduction, Tool};
use aria::{Aria, Generated};
use browserlens_core::page::{FrameProbe, NodeKind, Page, PayloadKind, States};
use browserlens_core::strategy::{
    ConsoleMessage, Event, EventKind, Observation, OptionsError, OptionsReader, RefTarget, Run, Stage, StepInput,
    StrategyError,
};
use refs::Refs;
use tree::TreeBuilder;

const NAME: &str = "playwright-mcp@0.0.83/full";

/// Playwright's aria snapshot YAML.
pub(crate) static ARIA: Format =
    Format::new("playwright-aria", || TextReader::Standing(read::parse)).compared_by(lines::RULES);
/// Replies of 0.0.68 to actions: full aria snapshots and, between them, changed parts with `[unchanged]` refs.
static INCREMENTAL: Format =
    Format::new("playwright-incremental", || TextReader::Held(Box::<read_incremental::IncrementalText>::default()))
        .compared_by(lines::RULES)
        .with_deltas(read_incremental::is_delta);

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Npm(include_str!("package.json")),
    harnesses: &[
        Harness { events: true, ..Harness::looking("playwright-mcp@0.0.83", "playwright_mcp/harness.mjs") },
        Harness { acts: true, ..Harness::looking("playwright-mcp@0.0.68", "playwright_mcp/harness_acting.mjs") },
    ],
    recorded: &[
        RecordedOutput::whole("playwright-mcp@0.0.83/full:recorded", &ARIA),
        RecordedOutput::whole("playwright-mcp@0.0.68/incremental:recorded", &INCREMENTAL),
    ],
    reproductions: &[Reproduction { name: NAME, build: strategy }],
    formats: &[&ARIA, &INCREMENTAL],
};

/// Option `wrapper`: whether the reply's page section and code fence are written around the snapshot.
fn strategy(options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    let mut reader = OptionsReader::new(options)?;
    let wrapper = reader.flag("wrapper", true)?;
    reader.finish()?;
    Ok(PeerStrategy::new(NAME, "0.0.83+bl2", &ARIA, move |_| PlaywrightRun::new(wrapper)))
}

/// Where the tool says that it logs the console; the real name holds the time at which the tab was
/// opened.
const CONSOLE_LOG: &str = ".playwright-mcp/console-2026-01-01T00-00-00-000Z.log";

/// Console messages of the main frame's document, and the lines of the log, which outlives
/// documents.
#[derive(Debug, Default)]
struct Console {
    document: Option<(u32, u32)>,
    errors: usize,
    warnings: usize,
    /// Lines of the log that were told of, and lines that are in it.
    told: usize,
    lines: usize,
}

impl Console {
    fn enter(&mut self, page: &Page, events: &[Event]) {
        let document = Some(page.document());
        if self.document != document {
            *self = Self { document, told: self.told, lines: self.lines, ..Self::default() };
        }
        for event in events {
            if let EventKind::Console(message) = &event.kind {
                self.errors += usize::from(matches!(message.level.as_str(), "error" | "exception"));
                self.warnings += usize::from(message.level == "warning");
                self.lines += logged_lines(message);
            }
        }
    }

    /// The lines of the log since it was told of last, as a reply names them; none if there are no
    /// new ones.
    fn news(&mut self) -> Option<String> {
        let first = std::mem::replace(&mut self.told, self.lines) + 1;
        match self.lines {
            last if last < first => None,
            last if last == first => Some(format!("{CONSOLE_LOG}#L{last}")),
            last => Some(format!("{CONSOLE_LOG}#L{first}-L{last}")),
        }
    }
}

/// How many lines a message takes in the log: none if it is below its level.
fn logged_lines(message: &ConsoleMessage) -> usize {
    match message.level.as_str() {
        "clear" | "debug" | "endGroup" | "profile" | "profileEnd" | "startGroup" | "startGroupCollapsed" | "trace" => 0,
        _ => 1 + message.text.matches('\n').count(),
    }
}

#[derive(Debug, Default)]
struct PlaywrightRun {
    wrapper: bool,
    refs: Refs,
    console: Console,
    generated: Generated,
}

impl Run for PlaywrightRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let snapshots = dom::snapshots(input.capture);
        let dom = Dom::new(input.page, &snapshots);
        let aria = Aria::new(&dom, &self.generated);
        let active = active_elements(&dom, window_focus(input));
        self.refs.enter(input.page);
        self.console.enter(input.page, input.events);
        let mut builder = TreeBuilder::new(&aria, &active);
        let mut trees = Vec::with_capacity(dom.documents.len());
        for (ordinal, document) in dom.documents.iter().enumerate() {
            let body = document.and_then(|document| dom.body_of(document));
            let (prefix, refs) = self.refs.of(input.page, ordinal);
            let mut nodes = body.map(|body| builder.build(body, refs, &prefix)).unwrap_or_default();
            if !nodes.is_empty() {
                distill::distill(&mut nodes);
            }
            trees.push(nodes);
        }
        input.clock.enter(Some(Stage::Format));
        let written = yaml::write(&trees, |owner| {
            let document = dom.content_of(owner)?;
            Some(usize::from(dom.node(document).frame.0))
        });
        let seen = Generated::seen(&aria);
        self.generated.enter(seen);
        let text = if self.wrapper { self.wrap(input.page, &written.text) } else { written.text };
        input.clock.enter(None);
        let mut observation = Observation::full_text(text, crate::REPRODUCED);
        observation.refs =
            written.refs.into_iter().map(|(handle, id)| RefTarget { handle, key: dom.key(id) }).collect();
        Ok(observation)
    }
}

impl PlaywrightRun {
    fn new(wrapper: bool) -> Self {
        Self { wrapper, ..Self::default() }
    }

    fn wrap(&mut self, page: &Page, snapshot: &str) -> String {
        let mut lines = vec!["### Page".to_owned(), format!("- Page URL: {}", one_line(page.url()))];
        let title = one_line(page.title());
        if !title.is_empty() {
            lines.push(format!("- Page Title: {title}"));
        }
        let Console { errors, warnings, .. } = self.console;
        if errors + warnings > 0 {
            lines.push(format!("- Console: {errors} errors, {warnings} warnings"));
        }
        lines.extend(["### Snapshot".to_owned(), "```yaml".to_owned(), snapshot.to_owned(), "```".to_owned()]);
        if let Some(news) = self.console.news() {
            lines.extend(["### Events".to_owned(), format!("- New console entries: {news}")]);
        }
        lines.join("\n")
    }
}

/// `document.title` and URLs come from the browser with their blanks collapsed; pages built
/// otherwise may not.
fn one_line(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The frame whose document has the focus of the window, by the probes; the main one if nothing is
/// known: the tool emulates focus. None if no document has it.
fn window_focus(input: &StepInput<'_>) -> Option<usize> {
    let mut probes = input
        .capture
        .of_kind(PayloadKind::Probe)
        .filter_map(|payload| Some((payload.frame, crate::payloads::parse::<FrameProbe>(payload)?)))
        .peekable();
    if probes.peek().is_none() {
        return Some(0);
    }
    let focused: Vec<u32> = probes.filter(|(_, probe)| probe.focused).map(|(frame, _)| frame).collect();
    // With a document, those around it have the focus too; frames come after the frame that holds
    // them.
    let innermost = input.page.frames().iter().rposition(|frame| focused.contains(&frame.number));
    innermost.or((!focused.is_empty()).then_some(0))
}

/// `document.activeElement` of each document that has the focus, from the innermost out.
fn active_elements(dom: &Dom<'_>, focus: Option<usize>) -> Vec<Id> {
    let focused = (0..dom.len() as Id)
        .rfind(|id| dom.is_element(*id) && dom.node(*id).page.is_some_and(|page| page.states().has(States::FOCUSED)));
    let document = focus.and_then(|frame| dom.documents.get(frame).copied().flatten());
    let body = document.and_then(|document| dom.body_of(document));
    // An active frame hands the focus to its document.
    let within = |owner: Id| body.is_some_and(|body| dom.owner_of(dom.node(body).frame) == Some(owner));
    let focused = focused.filter(|id| !within(*id));
    let Some(mut at) = focused.or(body) else { return Vec::new() };
    let mut active = Vec::new();
    loop {
        // Seen from its document, what is focused inside a shadow tree is the host.
        while dom.node(at).shadow != Shadow::Light && dom.node(dom.scope(at)).kind == NodeKind::Element {
            at = dom.scope(at);
        }
        active.push(at);
        match dom.owner_of(dom.node(at).frame) {
            Some(owner) if !active.contains(&owner) => at = owner,
            _ => return active,
        }
    }
}

#[cfg(test)]
mod tests;
