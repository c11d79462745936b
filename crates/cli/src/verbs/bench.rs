//! `bench`: replay, report, summary, or only the run or only the report; the comparison with the
//! accepted run, and its move.

use super::kept_report::Shelf;
use super::report_input::Sources;
use super::{agent_runs, replay as replaying, report as reporting};
use crate::args::{BenchArgs, SCENARIOS_DIR};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_replay::{
    AcceptedRun, AcceptedTexts, ExamScore, GateReport, History, PastRun, ReplayError, RunResult, Tolerances, accept,
    check,
};
use browserlens_report::{add_change, change_entry, gate_junit, gate_markdown, gate_words};
use browserlens_trace::whole;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: BenchArgs) -> Ended {
    if args.from.is_some() {
        return output::data(&format!("{}\n", only_report(args)?.display()));
    }
    let args = &with_own_scenarios(args);
    let tolerances = Tolerances::load(&args.tolerances)?;
    let run = replaying::replay(&args.traces, &args.selection, "bench")?;
    if args.no_report {
        return without_report(args, &run);
    }
    let (index, table) = report(args, &run)?;
    output::json_or(args.json, &run.tasks, || format!("{table}\n"))?;
    output::status(&replaying::said(&run));
    if let Some(line) = exam_in_words(&run) {
        output::status(&line);
    }
    output::status(&format!("report: {}", index.display()));
    let runs_dir = &args.selection.runs_dir;
    let past = PastRun::of(&run, replaying::measured(args.selection.threads));
    let history = History::load(runs_dir)?;
    let ended = if args.accept {
        accept_run(args, &run)
    } else if args.check {
        check_run(args, &run, &tolerances, &history, &past)
    } else {
        Ok(Exit::Success)
    };
    // A run that was cached whole says nothing new, except of which revision it is.
    let said = |known: &PastRun| known.run == past.run && known.revision == past.revision && past.observe.is_empty();
    if !history.runs.iter().any(said) {
        History::append(runs_dir, &past)?;
    }
    ended
}

/// Writes the report of traces, or of a stored run, and returns its page; nothing is said, compared
/// or noted.
pub(super) fn only_report(args: BenchArgs) -> Result<PathBuf, Failure> {
    let args = with_own_scenarios(args);
    let run = match &args.from {
        Some(stored) => RunResult::load(stored)?,
        None => replaying::replay(&args.traces, &args.selection, "report")?,
    };
    Ok(report(&args, &run)?.0)
}

/// A corpus has its scenarios beside its traces: they are meant where none are named.
fn with_own_scenarios(mut args: BenchArgs) -> BenchArgs {
    let own = args.traces.join("scenarios");
    if args.selection.scenarios_dir == Path::new(SCENARIOS_DIR) && own.is_dir() {
        args.selection.scenarios_dir = own;
    }
    args
}

/// Says where the run is stored, or what was measured.
fn without_report(args: &BenchArgs, run: &RunResult) -> Ended {
    if args.json {
        let mut lines = String::new();
        for row in &run.measurements {
            lines.push_str(&serde_json::to_string(row)?);
            lines.push('\n');
        }
        output::json(&lines)?;
    } else {
        output::data(&format!("{}\n", run.folder.display()))?;
    }
    output::status(&replaying::said(run));
    Ok(Exit::Success)
}

/// What the exam says of the default strategy, where the run has it.
fn exam_in_words(run: &RunResult) -> Option<String> {
    let tasks: Vec<_> = run.tasks.iter().filter(|task| task.strategy == "lens/delta").collect();
    let exam = tasks.iter().fold(ExamScore::default(), |mut sum, task| {
        sum += task.scores.exam;
        sum
    });
    let simple: u32 = tasks.iter().map(|task| task.simple_steps).sum();
    let strict: u32 = tasks.iter().map(|task| task.successful_steps).sum();
    (exam.asked > 0).then(|| {
        format!(
            "exam: lens/delta tells {} of {} answers beside their owner; the simple reader finishes {simple} of the \
                strict one's {strict} steps; \
             `browserlens lab exam {}` has the rest",
            exam.local,
            exam.asked,
            run.folder.display()
        )
    })
}

/// Writes the report of the run, or names the one that is there, and returns its page and the table
/// for a terminal.
fn report(args: &BenchArgs, run: &RunResult) -> Result<(PathBuf, String), Failure> {
    let agent_runs = agent_runs::folder(args.agent_runs.as_deref(), &args.traces);
    let from = Sources {
        traces: &args.traces,
        scenarios_dir: &args.selection.scenarios_dir,
        strategies_file: &args.selection.strategies_file,
        cache_dir: &args.selection.cache_dir,
        agent_runs: agent_runs.as_deref(),
    };
    // Who names a folder wants the report there.
    let shelf = if args.out.is_none() { Shelf::of(run, from, args.pricing) } else { None };
    if let Some(kept) = shelf.as_ref().and_then(Shelf::kept) {
        return Ok((kept.index, kept.table));
    }
    let (paths, table) = loop {
        let out = args.out.clone().unwrap_or_else(|| fresh_folder(&run.folder));
        match reporting::write(run, from, args.pricing, &out) {
            // Another process took the name in the meantime.
            Err(_) if args.out.is_none() && out.exists() => {}
            written => break written?,
        }
    };
    if let Some(shelf) = shelf {
        shelf.keep(&paths, &table);
    }
    Ok((paths.index, table))
}

fn load_accepted(args: &BenchArgs) -> Result<Option<AcceptedRun>, Failure> {
    let mut accepted = AcceptedRun::load(&args.accepted_dir)?;
    if let Some(accepted) = &mut accepted {
        let chosen = replaying::Chosen::of(&args.selection.strategies, &args.selection.scenarios)?;
        accepted.only(|trace, strategy| chosen.scenario(trace) && chosen.strategy(strategy));
    }
    Ok(accepted)
}

fn gate(run: &RunResult, accepted: &AcceptedRun) -> Result<GateReport, ReplayError> {
    let mut gate = check(run, accepted);
    gate.explain(run, &AcceptedTexts::of(accepted))?;
    Ok(gate)
}

fn check_run(args: &BenchArgs, run: &RunResult, tolerances: &Tolerances, history: &History, past: &PastRun) -> Ended {
    let Some(accepted) = load_accepted(args)? else {
        let message = format!("{}: no accepted run to compare against", args.accepted_dir.display());
        return Err(Failure::input(message, "accept one with `browserlens bench --accept --why …`"));
    };
    let mut gate = gate(run, &accepted)?;
    gate.slower = history.slower(past);
    gate.tolerate(tolerances);
    output::status(&gate_words(&gate));
    if let Some(path) = &args.markdown {
        let written = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(gate_markdown(&gate).as_bytes()));
        written.map_err(Failure::file("written", path, "name a writable file"))?;
    }
    if let Some(path) = &args.junit {
        let cases: BTreeSet<_> = run.tasks.iter().map(|task| (task.strategy.clone(), task.trace.clone())).collect();
        let xml = gate_junit(&gate, &cases)?;
        whole::write(path, xml.as_bytes()).map_err(Failure::file("written", path, "name a writable file"))?;
    }
    Ok(if gate.passes() { Exit::Success } else { Exit::Regression })
}

fn accept_run(args: &BenchArgs, run: &RunResult) -> Ended {
    let chosen = &args.selection;
    if !chosen.strategies.is_empty() || !chosen.scenarios.is_empty() {
        let message = "a part of a run cannot become the accepted run".to_owned();
        return Err(Failure::usage(message, "leave out --strategies and --scenarios"));
    }
    let earlier = load_accepted(args)?;
    let mut entry = None;
    if let Some(earlier) = &earlier {
        let gate = gate(run, earlier)?;
        output::status(&gate_words(&gate));
        let title = replaying::now().chars().take(10).collect::<String>();
        let why = args.why.as_deref().map(str::trim).filter(|why| !why.is_empty());
        entry = change_entry(earlier, &AcceptedRun::of(run), &gate, &title, why.unwrap_or_default());
        if entry.is_some() && why.is_none() {
            let message = "the accepted run would change, and nothing says why".to_owned();
            return Err(Failure::usage(message, "say it: `browserlens bench --accept --why 'rows are folded'`"));
        }
    }
    accept(run, &args.accepted_dir)?;
    if let Some(entry) = entry {
        let path = args.accepted_dir.with_file_name("CHANGES.md");
        add_change(&path, &entry)?;
        output::status(&format!("changes: {}", path.display()));
    }
    output::status(&format!("accepted: {}", args.accepted_dir.display()));
    Ok(Exit::Success)
}

/// A folder below `reports/` that is not there yet: the time and the run's id.
fn fresh_folder(run: &std::path::Path) -> PathBuf {
    let id = run.file_name().map_or_else(String::new, |name| name.to_string_lossy().chars().take(8).collect());
    let stamp: String = replaying::now().chars().filter(char::is_ascii_digit).collect();
    let parent = run.parent().and_then(std::path::Path::parent).unwrap_or(std::path::Path::new("."));
    let name = format!("report-{stamp}-{id}");
    (0..1_000)
        .map(|again| parent.join(if again == 0 { name.clone() } else { format!("{name}-{again}") }))
        .find(|path| !path.exists())
        .unwrap_or_else(|| parent.join(name))
}
