//! A small world for tests: traces written by the real writer, pages from outlines, and strategies
//! that behave or do not.

use browserlens_core::page::{Capture, NodeKey, Page, PageBuilder, Viewport};
use browserlens_core::strategy::{
    ActionChannel, ActionKind, Intent, NoClock, NodeHint, Observation, RefTarget, Run, Stage, StepCache, StepIndex,
    StepInput, Strategy, StrategyError, TakenAction, Task, TextFormat,
};
use browserlens_replay::{ConfiguredStrategy, PackedPages, Progress, ReplayError, ReplayOptions, RunResult, replay};
use browserlens_trace::{
    ActionRecord, Outcome, RedactionOptions, Redactor, Settled, StepRecord, Trace, TraceMeta, TraceSource, TraceWriter,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A folder with scenarios and traces.
pub struct World {
    pub folder: tempfile::TempDir,
}

/// The pages of the made-up task: a search, its results, the cart.
pub fn pages() -> Vec<Page> {
    [
        "main\n  searchbox \"Search\" #1\n  button \"Go\" #2\n  text \"Type to search\" #3",
        "main\n  searchbox \"Search\" #1 value=\"lamp\"\n  button \"Go\" #2\n  text \"Type to search\" #3",
        "main\n  searchbox \"Search\" #1 value=\"lamp\"\n  button \"Go\" #2\n  link \"Oak lamp\" #4\n  text \"3 of 142 \
            results\" #5",
    ]
    .into_iter()
    .map(PageBuilder::outline)
    .collect()
}

fn key(backend: u32) -> NodeKey {
    NodeKey { frame: 1, loader: 1, backend }
}

fn action(kind: ActionKind, role: &str, name: &str, backend: u32, step: u32) -> ActionRecord {
    let node = Some(NodeHint { role: role.into(), name: name.into(), ..NodeHint::default() });
    ActionRecord {
        taken: TakenAction { kind, node: node.clone(), text: String::new(), error: None },
        intent: Intent { action: kind, node, text: String::new() },
        target: Some(key(backend)),
        acceptable: vec![key(backend)],
        resolved_in: StepIndex(step - 1),
        point: None,
    }
}

impl World {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes scenario and trace of the made-up task under a name.
    pub fn task(&self, name: &str) -> PathBuf {
        let scenario = self.path("scenarios").join(format!("{name}.toml"));
        std::fs::create_dir_all(scenario.parent().expect("a parent")).expect("made");
        let text = format!(
            "name = \"{name}\"\ngoal = \"Find the oak lamp\"\nwhy = \"a test\"\nsite = \"shop\"\nstart_facts = [\"Type \
                to search\"]\n\
             [[step]]\nfill = {{ role = \"searchbox\", name = \"Search\" }}\ntext = \"lamp\"\n\
             [[step]]\nclick = {{ role = \"button\", name = \"Go\" }}\nfacts = [\"3 of 142 results\"]\n"
        );
        std::fs::write(&scenario, text).expect("written");
        self.trace(name, TraceSource::Recorded)
    }

    /// Writes the trace alone; that of an agent's own run (`Served`) has no scenario behind it.
    pub fn trace(&self, name: &str, source: TraceSource) -> PathBuf {
        let path = self.path("traces").join(format!("{name}.trace"));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        let meta = TraceMeta {
            scenario: name.to_owned(),
            goal: "Find the oak lamp".to_owned(),
            site: Some("shop".to_owned()),
            source,
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            browser: "Chromium".to_owned(),
            tool: "test".to_owned(),
            recorded_at: None,
        };
        let mut writer =
            TraceWriter::create(&path, &meta, Redactor::new(RedactionOptions::default())).expect("created");
        for step in 0..3u32 {
            let action = match step {
                1 => Some(action(ActionKind::Fill, "searchbox", "Search", 1, 1)),
                2 => Some(action(ActionKind::Click, "button", "Go", 2, 2)),
                _ => None,
            };
            let record = StepRecord {
                index: StepIndex(step),
                tab: 0,
                action,
                capture: Capture::default(),
                events: Vec::new(),
                entities: vec![(key(1), format!("{}search", "ent~")), (key(2), format!("{}go", "ent~"))],
                timings: vec![("snapshot".to_owned(), 7)],
                settled: Settled { quiet: true, waited_ms: 1, reason: "quiet".to_owned() },
                torn_retries: 0,
            };
            writer.write_step(record).expect("written");
        }
        writer.finish(Outcome::Complete).expect("finished");
        path
    }

    /// Puts the pages of the task where replay looks before it parses; the captures of these tests
    /// are empty.
    pub fn pack(&self, trace: &Path, cache: &str, pages: &[Page]) {
        let pages_of_trace = PackedPages::open(&self.path(cache), Trace::open(trace).expect("opens").hash());
        for (step, page) in pages.iter().enumerate() {
            pages_of_trace.keep(step as u32, page).expect("kept");
        }
    }

    pub fn replay(&self, request: Request<'_>) -> Result<RunResult, ReplayError> {
        for trace in &request.traces {
            if let Ok(opened) = Trace::open(trace) {
                drop(opened);
                self.pack(trace, request.cache, &request.pages);
            }
        }
        let folder = self.folder.path();
        replay(&ReplayOptions {
            threads: request.threads,
            cache_dir: self.path(request.cache),
            date: request.date.to_owned(),
            machine: "here".to_owned(),
            progress: request.progress,
            cancel: request.cancel,
            ..ReplayOptions::new(request.traces, self.path("scenarios"), request.strategies, folder)
        })
    }
}

/// One replay of a test.
pub struct Request<'a> {
    pub traces: Vec<PathBuf>,
    pub strategies: &'a [ConfiguredStrategy],
    pub threads: usize,
    pub cache: &'a str,
    pub date: &'a str,
    pub progress: &'a dyn Progress,
    pub cancel: &'a AtomicBool,
    pub pages: Vec<Page>,
}

pub static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Request<'a> {
    pub fn new(traces: &[PathBuf], strategies: &'a [ConfiguredStrategy]) -> Self {
        let progress = &browserlens_replay::Quiet;
        Self {
            traces: traces.to_vec(),
            strategies,
            threads: 1,
            cache: "cache",
            date: "2026-01-01",
            progress,
            cancel: &NEVER,
            pages: pages(),
        }
    }
}

/// How a test strategy behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    Good,
    Verbose,
    FailsAtOne,
    PanicsAtOne,
    HidesFacts,
    /// Takes [`SHARED`] to work out something of the page that others of its kind use too.
    Shares,
    /// Shows no node, and does that work when it is asked for more, as others do when they observe.
    SharesInAnswer,
    /// Keeps what is shared of a step until it sees the next, and a value in it that must not be
    /// freed while anybody observes.
    Keeps,
}

/// How long the shared work of [`Behaviour::Shares`] takes.
pub const SHARED: std::time::Duration = std::time::Duration::from_millis(30);

#[derive(PartialEq)]
struct Slow;

#[derive(PartialEq)]
struct KeptOf;

/// Tells who frees it in the time of a strategy.
struct Kept;

thread_local! {
    static OBSERVING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl Drop for Kept {
    fn drop(&mut self) {
        assert!(!OBSERVING.get(), "freed in the time of a strategy");
    }
}

/// Shows every interactive node and text as an aria snapshot.
#[derive(Clone, Debug)]
pub struct Lister {
    pub name: &'static str,
    pub version: &'static str,
    pub behaviour: Behaviour,
    shared: Option<Arc<StepCache>>,
}

pub fn configured(name: &'static str, behaviour: Behaviour) -> ConfiguredStrategy {
    configured_version(name, "1", behaviour)
}

pub fn configured_version(name: &'static str, version: &'static str, behaviour: Behaviour) -> ConfiguredStrategy {
    let strategy = Box::new(Lister { name, version, behaviour, shared: None });
    let (name, why, options) = (name.to_owned(), "a test".to_owned(), serde_json::json!({}));
    ConfiguredStrategy { name, why, options, strategy, sweep: None }
}

impl Strategy for Lister {
    fn name(&self) -> &str {
        self.name
    }
    fn version(&self) -> &str {
        self.version
    }
    fn channel(&self) -> ActionChannel {
        ActionChannel::Ref
    }
    fn format(&self) -> TextFormat {
        TextFormat::named("playwright-aria")
    }
    fn legend(&self) -> Option<&str> {
        Some("refs act")
    }
    fn definitions(&self) -> Option<&str> {
        Some("one tool that clicks")
    }
    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(self.clone())
    }
}

impl Run for Lister {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        if input.step.0 == 1 && self.behaviour == Behaviour::FailsAtOne {
            return Err(StrategyError::Failed { step: input.step, message: "cannot".to_owned() });
        }
        assert!(input.step.0 != 1 || self.behaviour != Behaviour::PanicsAtOne, "a mistake in the strategy");
        if self.behaviour == Behaviour::Shares {
            input.clock.enter(Some(Stage::Extract));
            input.shared.get_or_make(input.clock, Slow, || std::thread::sleep(SHARED));
            input.clock.enter(None);
        }
        if self.behaviour == Behaviour::Keeps {
            OBSERVING.set(true);
            input.shared.get_or_make(input.clock, KeptOf, || Kept);
            self.shared = Some(Arc::clone(input.shared));
            OBSERVING.set(false);
        }
        if self.behaviour == Behaviour::SharesInAnswer {
            self.shared = Some(Arc::clone(input.shared));
            return Ok(Observation::full_text("- text: nothing to see".to_owned(), "always"));
        }
        let mut text = String::new();
        let mut refs = Vec::new();
        for node in input.page.nodes() {
            if node.is_interactive() {
                let handle = format!("e{}", node.key().backend);
                text.push_str(&format!("- {} {:?} [ref={handle}]: {}\n", node.role(), node.name(), node.value()));
                refs.push(RefTarget { handle, key: node.key() });
            } else if !node.text().is_empty() && self.behaviour != Behaviour::HidesFacts {
                text.push_str(&format!("- text: {}\n", node.text()));
            }
        }
        if self.behaviour == Behaviour::Verbose {
            text.push_str("- text: and much more that nobody asked for\n");
        }
        Ok(Observation { refs, ..Observation::full_text(text, "always") })
    }

    fn request(&mut self, request: &browserlens_core::strategy::Request) -> Result<Observation, StrategyError> {
        let refused =
            || StrategyError::Unanswerable { request: request.to_string(), reason: "not this one".to_owned() };
        let shared =
            self.shared.as_ref().filter(|_| self.behaviour == Behaviour::SharesInAnswer).ok_or_else(refused)?;
        shared.get_or_make(&NoClock, Slow, || std::thread::sleep(SHARED));
        Ok(Observation::full_text("- text: still nothing".to_owned(), "asked"))
    }
}
