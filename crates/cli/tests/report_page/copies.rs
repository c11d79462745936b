//! Suites of many copies of one run, and texts that try what they can.

use super::*;

/// What a report is made of, out of a run whose traces are told `copies` times.
pub(super) struct Copies {
    run: RunResult,
    pub(super) steps: Vec<StepInfo>,
    agents: Vec<AgentRun>,
    about: About,
}

impl Copies {
    pub(super) fn of(run: &Path, copies: usize, words: &str) -> Self {
        let mut run = RunResult::load(run).expect("a run");
        let named = |trace: &str, copy: usize| format!("{trace} {copy}{words}");
        let rows = |copy: usize| {
            let copied = run.measurements.iter().map(move |row| (row, copy));
            copied.map(|(row, copy)| Measurement { trace: named(&row.trace, copy), ..row.clone() })
        };
        let measurements: Vec<Measurement> = (0..copies).flat_map(rows).collect();
        let task = |copy: usize| {
            let copied = run.tasks.iter().map(move |task| (task, copy));
            copied.map(|(task, copy)| TaskMeasurement { trace: named(&task.trace, copy), ..task.clone() })
        };
        let tasks: Vec<TaskMeasurement> = (0..copies).flat_map(task).collect();
        let trace = |copy: usize| {
            let copied = run.header.traces.iter().map(move |trace| (trace, copy));
            copied.map(|(trace, copy)| TraceInfo {
                id: named(&trace.id, copy),
                goal: format!("{}{words}", trace.goal),
                why: format!("{}{words}", trace.why),
                // Tables of their own, which grow with the copies.
                attacks: Vec::new(),
                answers: Vec::new(),
                asked: Vec::new(),
                ..trace.clone()
            })
        };
        let traces: Vec<TraceInfo> = (0..copies).flat_map(trace).collect();
        let step = |copy: usize| {
            let copied = run.steps.iter().map(move |step| (step, copy));
            copied.map(|(step, copy)| StepInfo { trace: named(&step.trace, copy), ..told(step, words) })
        };
        let steps: Vec<StepInfo> = (0..copies).flat_map(step).collect();
        run.header.strategies.iter_mut().for_each(|strategy| strategy.why.push_str(words));
        (run.measurements, run.tasks, run.header.traces) = (measurements, tasks, traces);
        let about = About { tool: format!("a test{words}"), store: words.to_owned(), ..About::default() };
        let agents = if words.is_empty() { Vec::new() } else { vec![agent(words)] };
        Self { run, steps, agents, about }
    }

    /// Writes the report and returns its page.
    pub(super) fn write(&self, folder: &Path) -> PathBuf {
        let store = self.run.store();
        let input = ReportInput {
            knowledge: None,
            agents: &self.agents,
            measurements: &self.run.measurements,
            tasks: &self.run.tasks,
            timings: &self.run.timings,
            traces: &self.run.header.traces,
            steps: &self.steps,
            strategies: &self.run.header.strategies,
            observations: &store,
            baseline: "raw/html",
            formula: ImageFormula::Claude28,
            cache_discount: PerMille::DEFAULT_CACHE_DISCOUNT,
            about: &self.about,
        };
        write_report(&input, &folder.join("report")).expect("a report").index
    }
}

/// A record of a run whose every word is the same.
fn agent(words: &str) -> AgentRun {
    let said = || words.to_owned();
    let header = Header { task: said(), goal: said(), tool: said(), trace: Some(said()), ..Header::default() };
    let call = |at: u32| Call {
        call: at,
        turn: at,
        name: said(),
        arguments: serde_json::json!({ words: words }),
        answer: said(),
        is_error: at == 2,
        said: Some(said()),
        ms: Some(5),
        step: Some(0),
        ..Call::default()
    };
    let end = End { reward: Some(1.0), ..End::default() };
    let record = RunRecord { header, calls: vec![call(1), call(2)], end: Some(end), cut: Some(said()) };
    let page = AgentPage {
        step: 0,
        action: said(),
        url: format!("javascript:pwned=1//{words}"),
        title: said(),
        picture: None,
    };
    AgentRun { name: said(), record, pages: vec![page] }
}

fn told(step: &RecordedStep, words: &str) -> StepInfo {
    let with = |text: &str| format!("{text}{words}");
    let bounds = step.targets.first().copied().unwrap_or_default();
    StepInfo {
        trace: step.trace.clone(),
        step: step.step,
        action: with(&step.action),
        next: with("next"),
        url: format!("javascript:pwned=1//{words}"),
        title: with(&step.title),
        facts: vec![FactInfo { text: with("fact"), pixels: false }],
        screenshot: step.screenshot.clone(),
        viewport: Some((1_280, 800)),
        targets: step.targets.clone(),
        refs: vec![StrategyRefs { strategy: "lens/delta".to_owned(), boxes: vec![(with("@e1"), bounds)] }],
        events: vec![EventInfo { kind: with("console"), label: with("log"), text: with("text"), is_error: true }],
        more_events: 1,
    }
}
