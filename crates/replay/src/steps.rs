//! One trace as replay sees it: its scenario, and its steps loaded one at a time.
//!
//! In: a trace file and the folder of scenarios. Out: [`TracePlan`], and a [`LoadedStep`] a step.
//! Invariants: nothing in what a strategy gets of step k lies in its future (the capture's own
//! second look is taken out and handed over at k+1); facts, action nodes and entity ids stay beside
//! the strategy's input, never in it.

use crate::clock::{timed, timer};
use crate::error::ReplayError;
use crate::packed::PackedPages;
use crate::peers::{self, PeersPlan};
use browserlens_core::page::select::Selector;
use browserlens_core::page::{Capture, NodeId, NodeKey, Page, PayloadKind, SecondLook};
use browserlens_core::strategy::{
    ActionKind, CaptureImage, Event, EventFilter, Intent, NodeHint, PeerOutput, StageClock, StepCache, StepIndex,
    StepInput, TakenAction, Task,
};
use browserlens_core::tokens::Micros;
use browserlens_trace::scenario::{Action, Attack, Fact, Scenario, StateFact, Step, Target, TargetBy};
use browserlens_trace::{
    Origin, PeersFile, StepRow, Trace, TraceHash, TraceMeta, TraceSource, crops, screenshot_space,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A trace and its scenario, checked against each other.
#[derive(Debug)]
pub(crate) struct TracePlan {
    pub path: PathBuf,
    /// Id in the run.
    pub id: String,
    pub hash: TraceHash,
    pub bytes: u64,
    pub meta: TraceMeta,
    pub is_complete: bool,
    pub scenario: Scenario,
    /// Where it was imported from, without the list of gaps.
    pub origin: Option<Origin>,
    pub rows: Vec<StepRow>,
    /// What other tools said, beside the trace.
    pub peers: Option<PeersPlan>,
    /// For each step, which step of the scenario it is (counted from 1); 0 for the first
    /// navigation.
    scenario_steps: Vec<usize>,
}

impl TracePlan {
    /// Opens a trace and finds its scenario.
    pub fn open(path: &Path, scenarios: &Path) -> Result<Self, ReplayError> {
        let trace = Trace::open(path)?;
        let meta = trace.meta().clone();
        let expected = scenarios.join(format!("{}.toml", meta.scenario));
        let (scenario, rows, scenario_steps) = if expected.is_file() {
            let scenario = Scenario::load(&expected)?;
            check_selectors(&scenario)?;
            let rows = trace.steps()?;
            let scenario_steps = align(&rows, &scenario.steps).map_err(|step| ReplayError::ScenarioChanged {
                trace: path.to_owned(),
                scenario: expected,
                step,
                found: (rows.len() as u32).saturating_sub(1),
                expected: scenario.steps.len() as u32,
            })?;
            (scenario, rows, scenario_steps)
        } else if matches!(meta.source, TraceSource::Served | TraceSource::Imported) {
            // A run of an agent, or of somebody else: its actions are scored by their nodes, and
            // nothing else is known that must be readable.
            let mut scenario = Scenario::of_recording(&meta.scenario, &meta.goal, meta.viewport);
            if let Some(origin) = trace.origin()? {
                scenario.why = origin.in_words();
            }
            let rows = trace.steps()?;
            let scenario_steps = vec![0; rows.len()];
            (scenario, rows, scenario_steps)
        } else {
            return Err(ReplayError::ScenarioMissing { trace: path.to_owned(), scenario: meta.scenario, expected });
        };
        Ok(Self {
            path: path.to_owned(),
            id: meta.scenario.clone(),
            peers: PeersPlan::open(path, trace.hash())?,
            hash: trace.hash(),
            bytes: trace.bytes(),
            is_complete: trace.is_complete(),
            meta,
            scenario,
            origin: trace.origin()?.map(|origin| Origin { gaps: Vec::new(), ..origin }),
            rows,
            scenario_steps,
        })
    }

    /// Returns what an agent knows before the first step.
    pub fn task(&self) -> Task {
        let (goal, locale) = (self.scenario.goal.clone(), self.meta.locale.clone());
        Task { goal, viewport: self.meta.viewport, locale }
    }

    /// Returns the facts that must be readable at a step.
    pub fn facts(&self, step: u32) -> &[Fact] {
        self.scenario_steps.get(step as usize).map_or(&[], |number| self.scenario.facts_at(*number as u32))
    }

    /// Returns the states that must be shown right at a step.
    pub fn states(&self, step: u32) -> &[StateFact] {
        self.scenario_steps.get(step as usize).map_or(&[], |number| self.scenario.states_at(*number as u32))
    }

    /// Returns which step of the scenario a step is, counted from 1; 0 for the first navigation.
    pub fn scenario_step(&self, step: u32) -> u32 {
        self.scenario_steps.get(step as usize).map_or(0, |number| *number as u32)
    }

    /// Returns the attacks that a step's page holds.
    pub fn attacks(&self, step: u32) -> impl Iterator<Item = &Attack> {
        let number = self.scenario_steps.get(step as usize).map(|number| *number as u32);
        number.into_iter().flat_map(|number| self.scenario.attacks_at(number))
    }

    /// Returns the nodes that a step cannot do without.
    pub fn required(&self, step: u32) -> &[Target] {
        self.scenario_steps.get(step as usize).map_or(&[], |number| self.scenario.required_at(*number as u32))
    }

    /// Returns where a drag that follows a step ends, in words and as nodes of the step's page;
    /// none for any other action, and where the page does not tell.
    pub fn drop_target(&self, step: u32, page: &Page) -> Option<(NodeHint, Vec<NodeKey>)> {
        let number = *self.scenario_steps.get(step as usize + 1)?;
        drop_target(&self.scenario.steps.get(number.checked_sub(1)?)?.action, page)
    }

    /// Returns what the agent wants to do after a step; none after the last.
    pub fn next(&self, step: u32) -> Option<NextAction<'_>> {
        let action = self.rows.get(step as usize + 1)?.action.as_ref()?;
        Some(NextAction { intent: &action.intent, acceptable: &action.acceptable })
    }
}

fn drop_target(action: &Action, page: &Page) -> Option<(NodeHint, Vec<NodeKey>)> {
    let Action::Drag { to, .. } = action else { return None };
    let ids = resolve(to, page);
    let hint = to.hint(page.node(*ids.first()?));
    Some((hint, ids.iter().map(|id| page.node(*id).key()).collect()))
}

/// What the agent wants to do next, and which nodes would do: the former for the reader, the latter
/// for the score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextAction<'a> {
    pub intent: &'a Intent,
    pub acceptable: &'a [NodeKey],
}

impl NextAction<'_> {
    /// Returns the node that has to be found, in words; none for actions without one, and for one
    /// that is only waited for: it need not be there yet.
    pub fn hint(&self) -> Option<&NodeHint> {
        let is_needed = self.intent.action != ActionKind::WaitFor && !self.acceptable.is_empty();
        self.intent.node.as_ref().filter(|_| is_needed)
    }
}

/// Finds for each step of a trace the step of the scenario that it is; optional ones may have been
/// passed over.
fn align(rows: &[StepRow], steps: &[Step]) -> Result<Vec<usize>, u32> {
    let mut aligned = Vec::with_capacity(rows.len());
    let mut next = 0;
    for row in rows {
        if row.index.0 == 0 {
            aligned.push(0);
            continue;
        }
        while let Some(step) = steps.get(next) {
            if is_step(row, step) {
                break;
            }
            if !step.optional {
                return Err(row.index.0);
            }
            next += 1;
        }
        if next >= steps.len() {
            return Err(row.index.0);
        }
        next += 1;
        aligned.push(next);
    }
    Ok(aligned)
}

fn is_step(row: &StepRow, step: &Step) -> bool {
    let Some(action) = &row.action else { return true };
    if action.intent.action != step.action.kind() {
        return false;
    }
    let same = |text: &str, wanted: &str| text.split_whitespace().eq(wanted.split_whitespace());
    match (step.action.target().map(|target| &target.by), &action.intent.node) {
        (Some(TargetBy::Role { name: Some(name), .. }), Some(node)) => same(&node.name, name),
        _ => true,
    }
}

fn check_selectors(scenario: &Scenario) -> Result<(), ReplayError> {
    for number in 0..=scenario.steps.len() as u32 {
        let drawn = scenario.facts_at(number).iter().filter_map(|fact| Some(&fact.pixels.as_ref()?.within));
        let dropped = number.checked_sub(1).and_then(|at| match &scenario.steps[at as usize].action {
            Action::Drag { to, .. } => Some(to),
            _ => None,
        });
        for target in drawn.chain(scenario.required_at(number)).chain(dropped) {
            let mut target = Some(target);
            while let Some(at) = target {
                if let TargetBy::Css { selector, .. } = &at.by {
                    let parsed = selector.parse::<Selector>();
                    parsed.map_err(|source| ReplayError::Selector {
                        path: scenario.path.clone(),
                        step: number,
                        selector: selector.clone(),
                        source,
                    })?;
                }
                target = at.within.as_deref();
            }
        }
    }
    Ok(())
}

/// Returns the nodes of a target, CSS selectors included.
pub(crate) fn resolve(target: &Target, page: &Page) -> Vec<NodeId> {
    if !target.needs_browser() {
        return target.matches(page);
    }
    let mut found = match &target.by {
        TargetBy::Css { selector, .. } => {
            selector.parse::<Selector>().map(|selector| selector.find(page)).unwrap_or_default()
        }
        _ => Target { by: target.by.clone(), within: None, nth: None }.matches(page),
    };
    if let Some(within) = &target.within {
        let scopes = resolve(within, page);
        found.retain(|id| scopes.iter().any(|scope| scope != id && page.node(*scope).holds(*id)));
    }
    match target.nth {
        Some(nth) => found.get(nth as usize).copied().into_iter().collect(),
        None => found,
    }
}

/// One step, loaded once for all strategies.
pub(crate) struct LoadedStep {
    pub index: StepIndex,
    pub page: Arc<Page>,
    pub capture: Capture,
    pub earlier_second_look: Option<SecondLook>,
    pub action: Option<TakenAction>,
    pub events: Vec<Event>,
    /// What recorded peers said.
    pub peers: Vec<PeerOutput>,
    pub screenshot: Option<CaptureImage>,
    pub crops: Vec<CaptureImage>,
    pub entities: HashMap<NodeKey, String>,
    pub load: Micros,
    /// What strategies work out of it alike.
    pub shared: Arc<StepCache>,
}

/// What runs may hold on to of a step. Whoever holds it as long as they do frees it, not they in
/// their own time.
pub(crate) struct HeldStep {
    _page: Arc<Page>,
    _shared: Arc<StepCache>,
    _images: Vec<CaptureImage>,
}

impl LoadedStep {
    /// Returns what runs may hold on to.
    pub fn held(&self) -> HeldStep {
        let images = self.screenshot.iter().chain(&self.crops).cloned().collect();
        HeldStep { _page: Arc::clone(&self.page), _shared: Arc::clone(&self.shared), _images: images }
    }

    /// Returns it as what a run gets, with stages announced to `clock`.
    pub fn input<'a>(&'a self, clock: &'a dyn StageClock) -> StepInput<'a> {
        StepInput {
            step: self.index,
            page: &self.page,
            capture: &self.capture,
            earlier_second_look: self.earlier_second_look.as_ref(),
            action: self.action.as_ref(),
            events: &self.events,
            screenshot: self.screenshot.as_ref(),
            crops: &self.crops,
            peers: &self.peers,
            shared: &self.shared,
            clock,
        }
    }
}

/// The pages of a trace, without what stands beside them: from the packed ones; the trace is opened
/// only for what these do not have.
pub(crate) struct PageLoader<'p> {
    plan: &'p TracePlan,
    trace: Option<Trace>,
    packed: PackedPages,
}

impl<'p> PageLoader<'p> {
    pub fn new(plan: &'p TracePlan, cache: &Path) -> Self {
        Self { plan, trace: None, packed: PackedPages::open(cache, plan.hash) }
    }

    /// Loads the page of a step.
    pub fn page(&mut self, step: u32) -> Result<Page, ReplayError> {
        if let Some(page) = self.packed.load(step) {
            return Ok(page);
        }
        let trace = match self.trace.take() {
            Some(opened) => opened,
            None => Trace::open(&self.plan.path)?,
        };
        let page = self.trace.insert(trace).page(StepIndex(step))?.0;
        self.packed.keep(step, &page)?;
        Ok(page)
    }
}

/// Loads the steps of a trace in order.
pub(crate) struct StepLoader<'p> {
    plan: &'p TracePlan,
    trace: Trace,
    peers: Option<PeersFile>,
    packed: PackedPages,
    /// Second look of the step loaded last.
    second_look: Option<SecondLook>,
}

impl<'p> StepLoader<'p> {
    pub fn open(plan: &'p TracePlan, cache: &Path) -> Result<Self, ReplayError> {
        let trace = Trace::open(&plan.path)?;
        if trace.hash() != plan.hash {
            return Err(ReplayError::damaged(&plan.path)("the file changed while it was replayed"));
        }
        let peers = plan.peers.as_ref().map(|peers| PeersFile::open(&peers.path)).transpose()?;
        Ok(Self { plan, trace, peers, packed: PackedPages::open(cache, plan.hash), second_look: None })
    }

    /// Loads a step; steps come in order.
    pub fn load(&mut self, step: u32) -> Result<LoadedStep, ReplayError> {
        let (loaded, load) = timed(|| self.read(step));
        let mut loaded = loaded?;
        loaded.load = load;
        Ok(loaded)
    }

    fn read(&mut self, step: u32) -> Result<LoadedStep, ReplayError> {
        let index = StepIndex(step);
        let (page, mut capture) = match self.packed.load(step) {
            Some(page) => (page, self.trace.capture(index)?),
            None => {
                let (page, capture) = self.trace.page(index)?;
                self.packed.keep(step, &page)?;
                (page, capture)
            }
        };
        let own_second_look = self.trace.second_look(index)?;
        capture.payloads.retain(|payload| payload.kind != PayloadKind::SecondLook);
        let screenshot =
            capture.screenshot().map(|png| CaptureImage { png: Arc::clone(png), space: screenshot_space(&page) });
        let crops = crops(&page, &capture);
        let filter = EventFilter { from_step: Some(step), to_step: Some(step), ..EventFilter::default() };
        Ok(LoadedStep {
            index,
            page: Arc::new(page),
            earlier_second_look: std::mem::replace(&mut self.second_look, own_second_look),
            action: self
                .plan
                .rows
                .get(step as usize)
                .and_then(|row| row.action.as_ref())
                .map(|action| action.taken.clone()),
            events: self.trace.events(&filter, None, usize::MAX)?,
            peers: match &self.peers {
                Some(file) => peers::outputs(file, step)?,
                None => Vec::new(),
            },
            screenshot,
            crops,
            entities: self.trace.entities(index)?.into_iter().collect(),
            capture,
            load: Micros(0),
            shared: Arc::new(StepCache::timed(timer)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;
    use browserlens_trace::{ActionRecord, Settled};

    fn steps(toml: &str) -> Vec<Step> {
        let head = "name = \"a/b\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"a\"\n";
        Scenario::parse(&format!("{head}{toml}"), Path::new("a/b.toml")).expect("parses").steps
    }

    #[test]
    fn a_selector_that_a_capture_cannot_answer_is_refused_before_the_run() {
        let scenario = |css: &str| {
            let toml = format!(
                "name = \"a/b\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"a\"\nstart = \"/\"\n[[step]]\nclick = {{ role = \
                    \"button\", name = \"Go\" }}\nrequire = [{{ css = {css:?} }}]\n"
            );
            Scenario::parse(&toml, Path::new("a/b.toml")).expect("parses")
        };
        for css in ["canvas#grid > b", "li:nth-child(2)", "a + b", "[x~=y]"] {
            check_selectors(&scenario(css)).unwrap_or_else(|error| panic!("{css}: {error}"));
        }
        for css in ["a,", "p::before", "a:hover"] {
            let error = check_selectors(&scenario(css)).expect_err(css);
            assert!(
                error.to_string().starts_with(&format!("a/b.toml: step 1: {css:?}: no CSS selector at ")),
                "{error}"
            );
        }
    }

    fn row(index: u32, kind: ActionKind, name: &str) -> StepRow {
        let node =
            (!name.is_empty()).then(|| NodeHint { role: "button".into(), name: name.into(), ..NodeHint::default() });
        let taken = TakenAction { kind, node: node.clone(), text: String::new(), error: None };
        let action = ActionRecord {
            taken,
            intent: Intent { action: kind, node, text: String::new() },
            target: None,
            acceptable: Vec::new(),
            resolved_in: StepIndex(index.saturating_sub(1)),
            point: None,
        };
        StepRow {
            index: StepIndex(index),
            tab: 0,
            action: (index > 0).then_some(action),
            settled: Settled::default(),
            torn_retries: 0,
            timings: Vec::new(),
        }
    }

    const SCENARIO: &str = "[[step]]\nclick = { role = \"button\", name = \"Accept\" }\noptional = \
        true\n[[step]]\nclick = { role = \"button\", name = \"Go\" }\n[[step]]\nback = true\n";

    #[test]
    fn an_optional_step_that_was_passed_over_is_skipped() {
        let steps = steps(SCENARIO);
        let start = row(0, ActionKind::Goto, "");
        let short = [start.clone(), row(1, ActionKind::Click, "Go"), row(2, ActionKind::Back, "")];
        assert_eq!(align(&short, &steps), Ok(vec![0, 2, 3]));
        let long = [
            start.clone(),
            row(1, ActionKind::Click, "Accept"),
            row(2, ActionKind::Click, "Go"),
            row(3, ActionKind::Back, ""),
        ];
        assert_eq!(align(&long, &steps), Ok(vec![0, 1, 2, 3]));
        assert_eq!(align(&long[..2], &steps), Ok(vec![0, 1]), "an incomplete trace aligns as far as it goes");
    }

    #[test]
    fn a_trace_of_another_version_of_the_scenario_is_refused_at_the_first_step_that_differs() {
        let steps = steps(SCENARIO);
        let start = row(0, ActionKind::Goto, "");
        assert_eq!(align(&[start.clone(), row(1, ActionKind::Click, "Stop")], &steps), Err(1));
        assert_eq!(
            align(
                &[start, row(1, ActionKind::Click, "Go"), row(2, ActionKind::Back, ""), row(3, ActionKind::Back, "")],
                &steps
            ),
            Err(3)
        );
    }

    #[test]
    fn a_drag_ends_on_the_node_that_the_scenario_names_and_other_actions_end_on_none() {
        let page = PageBuilder::outline(
            "region \"Plan\" #1\n  article \"Tides\" #2\nregion \"Done\" #3\n  list \"Cards\" #4\nlist \"Cards\" #5",
        );
        let toml = "[[step]]\ndrag = { role = \"article\", name = \"Tides\" }\nto = { role = \"list\", name = \
            \"Cards\", within = { role = \"region\", name = \"Done\" } }\n[[step]]\ndrag = { role = \"article\" }\nto \
            = { css = \"#gone\" }\n[[step]]\nclick = { role = \"article\" }\n";
        let steps = steps(toml);
        let (hint, keys) = drop_target(&steps[0].action, &page).expect("is on the page");
        assert_eq!((hint.role.as_str(), hint.name.as_str()), ("list", "Cards"));
        assert_eq!(hint.within.map(|within| within.name), Some("Done".to_owned()));
        assert_eq!(keys.iter().map(|key| key.backend).collect::<Vec<_>>(), [4]);
        assert_eq!(drop_target(&steps[1].action, &page), None, "what the page does not have is not asked for");
        assert_eq!(drop_target(&steps[2].action, &page), None);
    }

    #[test]
    fn a_css_target_is_resolved_within_its_scope() {
        let page = PageBuilder::outline(
            "main\n  generic class=\"a\"\n    Canvas \"one\" tag=canvas\n  Canvas \"two\" tag=canvas",
        );
        let css = |selector: &str| Target {
            by: TargetBy::Css { selector: selector.into(), point: None },
            within: None,
            nth: None,
        };
        let mut target = css("canvas");
        assert_eq!(resolve(&target, &page).len(), 2);
        target.nth = Some(1);
        assert_eq!(page.node(resolve(&target, &page)[0]).name(), "two");
        target.nth = None;
        target.within = Some(Box::new(css(".a")));
        assert_eq!(page.node(resolve(&target, &page)[0]).name(), "one");
    }
}
