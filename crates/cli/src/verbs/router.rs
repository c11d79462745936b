//! `router train`: what each representation made of the traces in, a model in words out.

use super::{json_failure, replay as replaying, replay_failure, strategies_failure};
use crate::args::{RouterArgs, RouterVerb, Selection};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_lens::router::FEATURES;
use browserlens_replay::routing::FIXED;
use browserlens_replay::strategies;
use browserlens_replay::train::{CrossValidation, Example, TrainError, cross_validate, examples, labels, train};
use browserlens_tokens::ImageFormula;
use browserlens_trace::whole;
use std::path::Path;

pub(crate) fn run(args: &RouterArgs) -> Ended {
    let RouterVerb::Train { traces, out, json, selection } = &args.verb;
    let examples = gather(traces, selection)?;
    if *json {
        let mut lines = String::new();
        for example in &examples {
            lines.push_str(&serde_json::to_string(&as_json(example)).map_err(|error| json_failure(&error))?);
            lines.push('\n');
        }
        output::json(&lines)?;
    }
    let hint = "name traces of at least two scenarios whose steps succeed";
    let refused = |error: TrainError| Failure::new(Exit::Input, &error, hint);
    let tree = train(&examples).map_err(refused)?;
    let worth = cross_validate(&examples).map_err(refused)?;
    let said = in_words(&examples, worth);
    whole::write(out, tree.to_text(&said).as_bytes()).map_err(|error| {
        Failure::words(Exit::Input, format!("{}: cannot be written: {error}", out.display()), "name a writable --out")
    })?;
    if !*json {
        output::data(&format!("{}\n", said.join("\n")))?;
    }
    output::status(&format!("model: {}", out.display()));
    Ok(Exit::Success)
}

/// Measures the four fixed strategies and reads the signals.
fn gather(traces: &Path, selection: &Selection) -> Result<Vec<Example>, Failure> {
    if !selection.strategies.is_empty() {
        let names: Vec<&str> = FIXED.iter().map(|(name, _)| *name).collect();
        let message = "router train takes no --strategies: every representation has to be measured".to_owned();
        return Err(Failure::words(Exit::Usage, message, format!("it replays {}", names.join(", "))));
    }
    let traces = replaying::select_traces(traces, &selection.scenarios)?;
    let text: String =
        FIXED.iter().map(|(name, _)| format!("[[strategy]]\nname = \"{name}\"\nwhy = \"training\"\n")).collect();
    let fixed = strategies::parse(&text, Path::new("router train")).map_err(|error| strategies_failure(&error))?;
    let run = replaying::replay_with(traces.clone(), &fixed, selection, "train")?;
    let (rows, formula) = (&run.measurements, ImageFormula::Claude28);
    examples(rows, &traces, &selection.scenarios_dir, &selection.cache_dir, formula)
        .map_err(|error| replay_failure(&error))
}

fn as_json(example: &Example) -> serde_json::Value {
    let signals: serde_json::Map<String, serde_json::Value> =
        FEATURES.iter().map(|(name, read)| ((*name).to_owned(), read(&example.signals).into())).collect();
    let outcomes: serde_json::Map<String, serde_json::Value> = FIXED
        .iter()
        .zip(example.outcomes)
        .map(|((_, name), outcome)| {
            ((*name).to_owned(), serde_json::json!({"tokens": outcome.tokens, "success": outcome.success}))
        })
        .collect();
    let label = example.label().map(|at| FIXED[at].1);
    serde_json::json!({"trace": example.trace, "step": example.step, "signals": signals, "outcomes": outcomes, "label": label})
}

fn in_words(examples: &[Example], worth: CrossValidation) -> Vec<String> {
    let labels: Vec<String> =
        FIXED.iter().zip(labels(examples)).map(|((_, name), count)| format!("{count} {name}")).collect();
    let percent = |part: u32| 100.0 * f64::from(part) / f64::from(worth.n.max(1));
    vec![
        format!("n = {} steps of {} scenarios; what hindsight chose: {}.", worth.n, worth.folds, labels.join(", ")),
        format!(
            "Leave one scenario out: {} of {} right ({:.1} %), always the most frequent {} ({:.1} %); {} missed successes, {} tokens over hindsight.",
            worth.right,
            worth.n,
            percent(worth.right),
            worth.right_by_majority,
            percent(worth.right_by_majority),
            worth.missed,
            worth.extra_tokens
        ),
        format!(
            "Steps of one scenario resemble each other: this is nearer to {} examples than to {}.",
            worth.folds, worth.n
        ),
    ]
}
