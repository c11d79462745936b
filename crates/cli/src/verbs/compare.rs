//! `compare`: what changed from one stored run to another.

use super::replay::Chosen;
use crate::args::CompareArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::tokens::ImageFormula;
use browserlens_replay::{AcceptedRun, History, RunResult, check};
use browserlens_report::{comparison_table, comparisons, gate_markdown, gate_words, scenario_comparisons};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &CompareArgs) -> Ended {
    let chosen = Chosen::of(&args.strategies, &args.scenarios)?;
    let load = |name: &str| RunResult::load(&find(name, &args.runs_dir)?).map_err(Failure::from);
    let (mut earlier, mut later) = (load(&args.earlier)?, load(&args.later)?);
    let both = || earlier.tasks.iter().chain(&later.tasks);
    let place = format!("{} and {}", args.earlier, args.later);
    names_match(both().map(|task| &task.strategy), &args.strategies, "strategy", &place)?;
    names_match(both().map(|task| &task.trace), &args.scenarios, "scenario", &place)?;
    for run in [&mut earlier, &mut later] {
        run.measurements.retain(|row| chosen.scenario(&row.trace) && chosen.strategy(&row.strategy));
        run.tasks.retain(|task| chosen.scenario(&task.trace) && chosen.strategy(&task.strategy));
    }
    let mut gate = check(&later, &AcceptedRun::of(&earlier));
    gate.explain(&later, &earlier)?;
    if args.json {
        output::pretty(&gate)?;
        return Ok(exit(gate.passes()));
    }
    if gate.incomparable.is_none() {
        let by_strategy = comparisons(&earlier.tasks, &later.tasks, ImageFormula::Claude28);
        let by_scenario = scenario_comparisons(&earlier.tasks, &later.tasks, ImageFormula::Claude28);
        output::data(&format!("{}\n", comparison_table(&by_strategy, &by_scenario, args.markdown)))?;
    }
    output::data(&if args.markdown { gate_markdown(&gate) } else { format!("{}\n", gate_words(&gate)) })?;
    Ok(exit(gate.passes()))
}

/// A pattern that matches nothing of either run is an error that lists what there is: nothing
/// compared would look like nothing changed.
fn names_match<'a>(
    names: impl Iterator<Item = &'a String>,
    patterns: &[String],
    what: &str,
    place: &str,
) -> Result<(), Failure> {
    let names: BTreeSet<&String> = names.collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    super::replay::matching(&names, patterns, what, place).map(drop)
}

fn exit(passes: bool) -> Exit {
    if passes { Exit::Success } else { Exit::Regression }
}

/// Finds a stored run by its folder, its id, or the git revision that it was made of.
fn find(name: &str, runs_dir: &Path) -> Result<PathBuf, Failure> {
    let folder = PathBuf::from(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let plain = Path::new(name).components().count() == 1;
    if plain && runs_dir.join(name).is_dir() {
        return Ok(runs_dir.join(name));
    }
    let history = History::load(runs_dir)?;
    let revision = super::replay::resolved_revision(name);
    let of = |revision: &str| history.run_of_revision(runs_dir, revision);
    revision.as_deref().and_then(of).or_else(|| of(name)).ok_or_else(|| {
        let message = format!("{name}: no run is stored under this folder, id or git revision");
        let hint =
            format!("`browserlens bench` stores runs below {}; check the revision out and run it", runs_dir.display());
        Failure::input(message, hint)
    })
}
