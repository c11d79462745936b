//! `lab scenario`: what the steps of a scenario cannot do without.

use crate::args::ScenarioVerb;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_replay::{MinimalSet, find_traces, minimise};
use browserlens_trace::Trace;
use std::path::{Path, PathBuf};

pub(crate) fn run(verb: &ScenarioVerb) -> Ended {
    let ScenarioVerb::Minimise { name, trace, traces, scenarios_dir, cache_dir } = verb;
    let trace = match trace {
        Some(trace) => trace.clone(),
        None => trace_of(name, traces)?,
    };
    let recorded = Trace::open(&trace)?.meta().scenario.clone();
    if recorded != *name {
        let message = format!("{}: is a trace of {recorded:?}, not of {name:?}", trace.display());
        return Err(Failure::usage(message, "name the trace's own scenario, or another trace"));
    }
    let sets = minimise(&trace, scenarios_dir, cache_dir)?;
    output::data(&in_toml(&sets))?;
    output::status(&format!("paste the keys into {}", scenarios_dir.join(format!("{name}.toml")).display()));
    Ok(Exit::Success)
}

fn trace_of(name: &str, folder: &Path) -> Result<PathBuf, Failure> {
    for path in find_traces(folder)? {
        if Trace::open(&path)?.meta().scenario == name {
            return Ok(path);
        }
    }
    let message = format!("{}: no trace of the scenario {name:?} here", folder.display());
    Err(Failure::usage(message, "record it first, or name a trace with --trace"))
}

/// The sets as keys of the scenario's TOML; what belongs to which step, and what is left out, as
/// comments.
fn in_toml(sets: &[MinimalSet]) -> String {
    let mut out = String::new();
    for set in sets {
        let (key, place) = match set.scenario_step {
            0 => ("start_require", "at the top of the file: the first navigation".to_owned()),
            number => ("require", format!("in [[step]] number {number}")),
        };
        out.push_str(&format!("# step {}, {place}\n", set.step));
        for beyond in &set.beyond {
            out.push_str(&format!(
                "# not found by the reader even in the whole observation: {}\n",
                escaped_line(beyond)
            ));
        }
        for unnamed in &set.unnamed {
            out.push_str(&format!("# belongs to the set, but nothing names it: {}\n", escaped_line(unnamed)));
        }
        match set.targets.as_slice() {
            [] => out.push_str("# nothing is needed\n"),
            targets => {
                let lines: Vec<String> = targets.iter().map(|target| format!("  {},\n", toml(target))).collect();
                out.push_str(&format!("{key} = [\n{}]\n", lines.concat()));
            }
        }
        out.push('\n');
    }
    out
}

/// A target as it is written in TOML: strings are escaped as JSON escapes them, which TOML reads.
fn toml(target: &browserlens_trace::scenario::Target) -> String {
    use browserlens_trace::scenario::TargetBy;
    let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    let mut parts = match &target.by {
        TargetBy::Role { role, name } => {
            let name = name.as_ref().map(|name| format!("name = {}", quoted(name)));
            [Some(format!("role = {}", quoted(role))), name].into_iter().flatten().collect::<Vec<_>>()
        }
        TargetBy::Css { selector, .. } => vec![format!("css = {}", quoted(selector))],
        TargetBy::Text(text) => vec![format!("text = {}", quoted(text))],
    };
    parts.extend(target.within.as_deref().map(|within| format!("within = {}", toml(within))));
    parts.extend(target.nth.map(|nth| format!("nth = {nth}")));
    format!("{{ {} }}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_trace::scenario::{Scenario, Target};

    #[test]
    fn what_is_printed_is_read_back_as_the_same_targets() {
        let hostile = Target { nth: Some(2), ..Target::role("link", "a \"b\" \\ \u{202e}\u{7f}\n[[step]]") };
        let inner = Target { within: Some(Box::new(Target::role("main", "m"))), ..Target::role("button", "Go") };
        let set = |step, targets: &[Target]| MinimalSet {
            step,
            scenario_step: step,
            targets: targets.to_vec(),
            unnamed: vec!["text \"x\ny\"".to_owned()],
            beyond: vec!["fact \"z\"".to_owned()],
        };
        let text = in_toml(&[set(0, std::slice::from_ref(&hostile)), set(1, &[inner.clone(), hostile.clone()])]);
        let (start, step) = text.split_once("# step 1").expect("two steps");
        let head = "name = \"a\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"s\"\n";
        let text = format!("{head}{start}[[step]]\nback = true\n# step 1{step}");
        let scenario = Scenario::parse(&text, Path::new("a.toml")).expect("parses");
        assert_eq!(scenario.required_at(0), std::slice::from_ref(&hostile));
        assert_eq!(scenario.required_at(1), [inner, hostile]);
    }
}
