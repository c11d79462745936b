//! `show`: exactly what an agent would be shown at one step.

use super::{replay_failure, strategies_failure, trace_failure};
use crate::args::ShowArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_replay::{Quiet, ReplayOptions, Tokenizer, strategies};
use browserlens_tokens::Encoding;
use browserlens_trace::Trace;
use std::sync::atomic::AtomicBool;

pub(crate) fn run(args: &ShowArgs) -> Ended {
    let all = strategies::load(&args.strategies_file).map_err(|error| strategies_failure(&error))?;
    let chosen = strategies::select(all, std::slice::from_ref(&args.strategy), &args.strategies_file)
        .map_err(|error| strategies_failure(&error))?;
    let steps = Trace::open(&args.trace).map_err(|error| trace_failure(&error))?.len();
    if args.step >= steps {
        let message = format!("{}: no step {}", args.trace.display(), args.step);
        return Err(Failure::words(
            Exit::Usage,
            message,
            format!("the trace has steps 0 to {}", steps.saturating_sub(1)),
        ));
    }
    let scratch = std::env::temp_dir().join(format!("browserlens-show-{}", std::process::id()));
    let result = browserlens_replay::replay(&ReplayOptions {
        traces: vec![args.trace.clone()],
        scenarios_dir: args.scenarios_dir.clone(),
        strategies: &chosen,
        threads: 1,
        cache_dir: scratch.join("cache"),
        out_dir: scratch.join("run"),
        encoding: Encoding::O200kBase,
        tokenizer: Tokenizer::Fast,
        date: String::new(),
        machine: String::new(),
        progress: &Quiet,
        cancel: &AtomicBool::new(false),
    });
    let shown = result.map_err(|error| replay_failure(&error)).and_then(|run| print(args, &run));
    if let Err(error) = std::fs::remove_dir_all(&scratch)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        output::status(&format!("note: {}: cannot be removed: {error}", scratch.display()));
    }
    shown
}

fn print(args: &ShowArgs, run: &browserlens_replay::RunResult) -> Ended {
    let row = run.measurements.iter().find(|row| row.step == args.step);
    if let Some(error) = row.and_then(|row| row.error()) {
        return Err(Failure::words(
            Exit::Input,
            format!("{}: {}: {error}", args.trace.display(), args.strategy),
            "see the error",
        ));
    }
    let trace = run.header.traces.first().map_or("", |trace| trace.id.as_str());
    let observation = run.observation(trace, &args.strategy, args.step).map_err(|error| replay_failure(&error))?;
    let Some(observation) = observation else {
        return Err(Failure::words(Exit::Input, "nothing was shown", "choose another step"));
    };
    output::data(&format!("{}\n", observation.text))?;
    for (request, answer) in &observation.answers {
        output::data(&format!("\n> {request}\n{answer}\n"))?;
    }
    if let Some(numbers) = row.and_then(|row| row.numbers()) {
        output::status(&format!(
            "{} text tokens, {} images, {} requests",
            numbers.observation.o200k,
            observation.images.len(),
            numbers.requests.len()
        ));
    }
    if let Some(folder) = &args.images {
        let failed = |error: std::io::Error| {
            Failure::words(
                Exit::Input,
                format!("{}: cannot be written: {error}", folder.display()),
                "name a writable folder",
            )
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        for (index, hash) in observation.images.iter().enumerate() {
            let png = run.store().image(hash).map_err(|error| replay_failure(&error))?;
            let path = folder.join(format!("step-{}-{index}.png", args.step));
            std::fs::write(&path, png).map_err(failed)?;
            output::status(&path.display().to_string());
        }
    }
    Ok(Exit::Success)
}
