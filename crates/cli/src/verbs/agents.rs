//! `agents`: what agents did, from records of their runs.

use super::key_of_user;
use crate::args::{AgentsCompareArgs, AgentsImportArgs, AgentsTableArgs, AgentsVerb};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::text::{cut, escaped_line, folded};
use browserlens_core::tokens::ImageFormula;
use browserlens_report::{agents_comparison, agents_table, compared_agents, measured_runs};
use browserlens_trace::agents::{EndReason, Format, Given, Prices, RunRecord, import, link};
use browserlens_trace::{RedactionOptions, Redactor};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Most characters of an answer in the list of a run's calls.
const SHORT: usize = 160;

/// How images are counted.
pub(super) const IMAGES: ImageFormula = ImageFormula::Claude28;

pub(crate) fn run(verb: &AgentsVerb) -> Ended {
    match verb {
        AgentsVerb::Import(args) => take_in(args),
        AgentsVerb::Table(args) => table(args),
        AgentsVerb::Compare(args) => compare(args),
        AgentsVerb::Counterfactual(args) => super::agents_retold::run(args),
        AgentsVerb::Validity(args) => super::agents_validity::run(args),
        AgentsVerb::Show { run, call } => show(run, *call),
        #[cfg(feature = "record")]
        AgentsVerb::Tasks(args) => super::agents_play::tasks(args),
        #[cfg(feature = "record")]
        AgentsVerb::Run(args) => super::agents_play::run(args),
        AgentsVerb::Verify { runs } => verify(runs),
    }
}

fn take_in(args: &AgentsImportArgs) -> Ended {
    let format_of = |name: &String| {
        let known = || format!("formats: {}", Format::ALL.map(Format::name).join(", "));
        Format::from_name(name).ok_or_else(|| Failure::usage(format!("no format is called {name:?}"), known()))
    };
    let format = args.format.as_ref().map(format_of).transpose()?;
    let known = secrets(&args.secret)?;
    if args.reward.is_some_and(|reward| !reward.is_finite()) {
        return Err(Failure::usage("--reward: no number", "give one, such as 1"));
    }
    let given = Given {
        task: args.task.clone(),
        level: args.level,
        tool: args.tool.clone(),
        reward: args.reward,
        only: args.only.clone(),
    };
    let mut runs = Vec::new();
    for file in &args.files {
        runs.extend(import(file, format, &given)?);
    }
    let hint = format!("name a folder that can be written in place of {}", args.out.display());
    std::fs::create_dir_all(&args.out).map_err(|error| Failure::new(Exit::Input, &error, hint))?;
    if let Some(trace) = &args.trace {
        if runs.len() != 1 {
            let message = format!("--trace: {} runs were read, and a trace is of one", runs.len());
            let hint = "import one transcript at a time, or keep the calls of one tool with --only";
            return Err(Failure::usage(message, hint));
        }
        runs.iter_mut().try_for_each(|run| link(run, trace))?;
    }
    let options = RedactionOptions { key: key_of_user()?, known, ..RedactionOptions::default() };
    for run in &runs {
        let path = free_path(&args.out, &run.header.task, &run.header.tool);
        run.write(&path, Redactor::new(options.clone()))?;
        let judged = run.is_success().map_or("not judged", |success| if success { "succeeded" } else { "failed" });
        let line = format!("{}: {}, {} calls, {judged}", path.display(), run.header.tool, run.calls.len());
        output::data(&format!("{}\n", escaped_line(&line)))?;
    }
    Ok(Exit::Success)
}

/// Returns the secrets that environment variables hold.
pub(super) fn secrets(variables: &[String]) -> Result<Vec<String>, Failure> {
    let hint = "name a variable that holds the secret";
    let held =
        |name: &String| std::env::var(name).map_err(|_| Failure::usage(format!("--secret: {name} is not set"), hint));
    variables.iter().map(held).collect()
}

/// Returns a path at which nothing is: task and tool, and a number from the second run on.
pub(super) fn free_path(folder: &Path, task: &str, tool: &str) -> PathBuf {
    let plain = |text: &str| {
        let words: Vec<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let mut name = words.join("-");
        name.truncate(60);
        if name.is_empty() { "run".to_owned() } else { name }
    };
    let stem = format!("{}--{}", plain(task), plain(tool));
    let named = |number: u32| if number < 2 { format!("{stem}.run") } else { format!("{stem}--{number}.run") };
    (1..).map(|number| folder.join(named(number))).find(|path| !path.exists()).expect("numbers do not end")
}

/// Returns every record of some paths, folders searched for `*.run`, in the order of their names.
pub(super) fn paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in given {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(Failure::file("read", path, "check the path"))?;
        let is_run = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "run");
        let mut runs: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_run).collect();
        if runs.is_empty() {
            let message = format!("{}: holds no run record", path.display());
            let hint = "turn transcripts into records: browserlens agents import FILE --out FOLDER";
            return Err(Failure::input(message, hint));
        }
        runs.sort_unstable();
        found.append(&mut runs);
    }
    Ok(found)
}

pub(super) fn records(given: &[PathBuf]) -> Result<Vec<RunRecord>, Failure> {
    paths(given)?.par_iter().map(|path| RunRecord::read(path).map_err(Failure::from)).collect()
}

fn table(args: &AgentsTableArgs) -> Ended {
    let records = records(&args.runs)?;
    let prices = args.prices.as_deref().map(Prices::load).transpose()?;
    if let Some(prices) = &prices {
        output::status(&format!("prices of {}", prices.date));
        let models: BTreeSet<&str> = records.iter().filter_map(|run| run.header.agent.model.as_deref()).collect();
        let unknown: Vec<&str> = models.into_iter().filter(|model| !prices.models.contains_key(*model)).collect();
        if !unknown.is_empty() {
            output::status(&format!("no price of {}", unknown.join(", ")));
        }
    }
    let runs = measured_runs(&records, &args.by, args.encoding, IMAGES, prices.as_ref());
    output::json_or(args.json, &runs, || agents_table(&runs, &args.by, args.markdown))
}

fn compare(args: &AgentsCompareArgs) -> Ended {
    let set = |name: &String| -> Result<Vec<RunRecord>, Failure> {
        let Some(folder) = &args.within else { return records(&[PathBuf::from(name)]) };
        let all = records(std::slice::from_ref(folder))?;
        let mut tools: Vec<String> = all.iter().map(|run| run.header.tool.clone()).collect();
        let of: Vec<RunRecord> = all.into_iter().filter(|run| run.header.tool == *name).collect();
        if of.is_empty() {
            tools.sort_unstable();
            tools.dedup();
            let message = format!("{}: no run of {name:?}", folder.display());
            return Err(Failure::usage(message, format!("tools: {}", tools.join(", "))));
        }
        Ok(of)
    };
    let measured = |runs: Vec<RunRecord>| measured_runs(&runs, &[], args.encoding, IMAGES, None);
    let compared = compared_agents(&measured(set(&args.first)?), &measured(set(&args.second)?));
    output::data(&agents_comparison(&compared, (&args.first, &args.second), args.markdown))
}

fn show(path: &Path, call: Option<u32>) -> Ended {
    let run = RunRecord::read(path)?;
    if let Some(number) = call {
        let Some(call) = run.calls.iter().find(|call| call.call == number) else {
            let message = format!("{}: no call {number}", path.display());
            return Err(Failure::usage(message, format!("the run has {} calls", run.calls.len())));
        };
        return output::data(&format!("{} {}\n{}\n", escaped_line(&call.name), call.arguments, call.answer));
    }
    output::data(&in_words(&run, false))
}

/// Returns a run call by call, with all that was answered.
#[cfg(feature = "serve")]
pub(super) fn whole(path: &Path) -> Result<String, Failure> {
    Ok(in_words(&RunRecord::read(path)?, true))
}

/// Tells a run call by call; answers in one short line each, or whole.
fn in_words(run: &RunRecord, whole: bool) -> String {
    let header = &run.header;
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{}", escaped_line(&words));
    };
    line(format!("task   {}", header.task));
    line(format!("goal   {}", header.goal));
    line(format!("tool   {}", header.tool));
    if let Some(model) = &header.agent.model {
        line(format!("model  {model}"));
    }
    if let Some(script) = &header.agent.script {
        line(format!("script {script}"));
    }
    for call in &run.calls {
        if let Some(said) = call.said.as_deref().filter(|said| !said.is_empty()) {
            line(format!("     “{}”", short(said)));
        }
        let mark = if call.is_error { "!" } else { " " };
        let ms = call.ms.map(|ms| format!(", {ms} ms")).unwrap_or_default();
        line(format!(
            "{:3} {mark}{} {} → {} tokens{ms}",
            call.call,
            call.name,
            short(&call.arguments.to_string()),
            call.tokens.o200k_base
        ));
        if whole {
            call.answer.lines().for_each(|told| line(format!("     {told}")));
        } else {
            line(format!("     {}", short(&call.answer)));
        }
    }
    let reward = |end: &browserlens_trace::agents::End| {
        end.reward.map_or_else(|| "not judged".to_owned(), |reward| format!("reward {reward}"))
    };
    match (&run.cut, &run.end) {
        (Some(cut), _) => line(format!("the record {cut}")),
        (None, Some(end)) => {
            let why = match end.end {
                EndReason::Stopped | EndReason::Unknown => "",
                EndReason::Limit => ", at the limit of calls",
                EndReason::Failed => ", because the tool or the endpoint failed",
            };
            let said = end.said.as_deref().map(|said| format!(": {}", short(said))).unwrap_or_default();
            line(format!("end    {}{why}{said}", reward(end)));
        }
        (None, None) => {}
    }
    text
}

fn short(text: &str) -> String {
    cut(&folded(text), SHORT)
}

fn verify(given: &[PathBuf]) -> Ended {
    let mut broken = 0;
    for path in paths(given)? {
        let said = match RunRecord::read(&path) {
            Ok(RunRecord { cut: None, calls, .. }) => format!("{}: whole, {} calls", path.display(), calls.len()),
            Ok(RunRecord { cut, .. }) => {
                broken += 1;
                format!("{}: not sealed: {}", path.display(), cut.unwrap_or_default())
            }
            Err(error) => {
                broken += 1;
                error.to_string()
            }
        };
        output::data(&format!("{}\n", escaped_line(&said)))?;
    }
    if broken > 0 {
        return Err(Failure::words(
            Exit::Verification,
            format!("records that are not as they were sealed: {broken}"),
            "restore them, or import their transcripts again",
        ));
    }
    Ok(Exit::Success)
}
