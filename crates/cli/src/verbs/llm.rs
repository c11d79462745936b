//! `lab llm`: a stored run, a model and its cassette in; what the model would have done, out.

use super::replay as replaying;
use crate::args::{EndpointArgs, LlmArgs};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_llm::{Answers, Cassette};
use browserlens_replay::llm::{Estimate, LlmResults, LlmRun, Prompt, ReaderOptions, Truth, TruthSource};
use browserlens_replay::{RunResult, StrategyInfo, strategies};
use browserlens_report::llm_terminal_table;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &LlmArgs) -> Ended {
    let run = load(&args.run, &args.endpoint)?;
    let prompt = match &args.prompt {
        Some(path) => Prompt::load(path)?,
        None => Prompt::default(),
    };
    let options = ReaderOptions {
        tier: args.tier.clone(),
        images: args.images,
        ..options(&args.endpoint, &args.model, &args.run, &run)?
    };
    let configured = strategies::load(&args.endpoint.strategies_file)?;
    let plan = LlmRun::plan(&run, &configured, &prompt, &options)?;
    let (cassette, path) = cassette(&args.endpoint, &run, &prompt, "cassette.jsonl")?;
    let estimate = plan.estimate(&cassette)?;
    if !may_ask(&args.endpoint, &options, &estimate, "steps")? {
        return Ok(Exit::Success);
    }
    let strategies: Vec<String> = plan.strategies().into_iter().map(str::to_owned).collect();
    let truth = truth(&args.endpoint, &run, &strategies)?;
    let mut answers = answers(&args.endpoint, cassette)?;
    let bar = Bar::over(&options.model, usize::try_from(estimate.steps).unwrap_or(usize::MAX), "steps");
    let read = plan.read(&truth, &mut answers, &mut |done| bar.position(done));
    bar.finish();
    let reader = read?;
    let mut results = LlmResults::load(&run.folder)?.unwrap_or_default();
    results.add(reader);
    results.save(&run.folder)?;
    output::data(&llm_terminal_table(Some(&results)))?;
    output::status(&format!("cassette: {} ({} answers)", path.display(), answers.cassette().len()));
    output::status(&format!(
        "results: {}; `browserlens bench --from` shows them",
        run.folder.join("llm.json").display()
    ));
    Ok(Exit::Success)
}

/// Loads a run, of the scenarios that were asked for.
pub(super) fn load(folder: &Path, args: &EndpointArgs) -> Result<RunResult, Failure> {
    let mut run = RunResult::load(folder)?;
    if !args.scenarios.is_empty() {
        let names: Vec<String> = run.header.traces.iter().map(|trace| trace.id.clone()).collect();
        let place = folder.display().to_string();
        let chosen = super::replay::matching(&names, &args.scenarios, "scenario", &place)?;
        run.header.traces.retain(|trace| chosen.contains(&trace.id));
        run.measurements.retain(|row| chosen.contains(&row.trace));
        run.tasks.retain(|task| chosen.contains(&task.trace));
    }
    Ok(run)
}

/// Opens the cassette that was named, or the run's own.
pub(super) fn cassette(
    args: &EndpointArgs,
    run: &RunResult,
    prompt: &Prompt,
    name: &str,
) -> Result<(Cassette, PathBuf), Failure> {
    let path = args.cassette.clone().unwrap_or_else(|| run.folder.join(name));
    let cassette = Cassette::open(&path, prompt.version())?;
    if args.base_url.is_none() && cassette.is_empty() && !args.estimate {
        let message = format!("{}: no answers, and no endpoint to ask", path.display());
        let hint = "name a cassette by `--cassette`, or an endpoint by `--base-url`";
        return Err(Failure::usage(message, hint));
    }
    Ok((cassette, path))
}

/// Says what would be sent; whether it may be.
pub(super) fn may_ask(
    args: &EndpointArgs,
    options: &ReaderOptions,
    estimate: &Estimate,
    what: &str,
) -> Result<bool, Failure> {
    for line in in_words(args, options, estimate, what) {
        output::status(&line);
    }
    if estimate.requests > 0 && args.base_url.is_some() && !args.yes && !args.estimate {
        let message = format!("{} requests would be sent, which may cost money", estimate.requests);
        return Err(Failure::usage(message, "say `--yes` to send them, or `--estimate` to stop here"));
    }
    Ok(!args.estimate)
}

pub(super) fn options(
    args: &EndpointArgs,
    model: &str,
    folder: &Path,
    run: &RunResult,
) -> Result<ReaderOptions, Failure> {
    let names: Vec<String> = run.header.strategies.iter().map(|StrategyInfo { name, .. }| name.clone()).collect();
    let strategies = if args.strategies.is_empty() {
        Vec::new()
    } else {
        super::replay::matching(&names, &args.strategies, "strategy", &folder.display().to_string())?
    };
    let extra = match &args.extra {
        None => serde_json::Map::new(),
        Some(json) => serde_json::from_str(json).map_err(|error| {
            Failure::usage(format!("--extra: {error}"), "give a JSON object, such as '{\"seed\": 1}'")
        })?,
    };
    Ok(ReaderOptions {
        response_format: args.response_format,
        max_tokens: args.max_tokens,
        temperature: args.temperature,
        extra,
        strategies,
        ..ReaderOptions::new(model)
    })
}

/// Finds out what the handles of the run meant, in a folder of its own that is removed afterwards.
pub(super) fn truth(args: &EndpointArgs, run: &RunResult, read: &[String]) -> Result<Truth, Failure> {
    let chosen = strategies::select(strategies::load(&args.strategies_file)?, read, &args.strategies_file)?;
    let scratch = replaying::scratch(&std::env::temp_dir(), "browserlens-llm-", "let TMPDIR name a writable folder")?;
    let source = TruthSource { traces: &args.traces, scenarios_dir: &args.scenarios_dir, scratch: scratch.path() };
    let truth = Truth::find(run, &chosen, &source);
    replaying::sweep(scratch);
    truth.map_err(Failure::from)
}

pub(super) fn answers(args: &EndpointArgs, cassette: Cassette) -> Result<Answers, Failure> {
    use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions};
    let Some(url) = &args.base_url else { return Ok(Answers::replayed(cassette)) };
    let key = std::env::var(&args.key_env).ok().and_then(|key| ApiKey::new(&key));
    let client = Client::new(ClientOptions {
        timeout: std::time::Duration::from_secs(args.timeout.into()),
        max_requests_per_minute: args.max_requests_per_minute,
        proxy: args.proxy.clone(),
        ..ClientOptions::new(BaseUrl::parse(url)?, key)
    })?;
    Ok(Answers::live(cassette, Box::new(client)))
}

fn in_words(args: &EndpointArgs, options: &ReaderOptions, estimate: &Estimate, what: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} {what}, {} requests to make, {} {what} are answered by the cassette",
        options.model, estimate.steps, estimate.requests, estimate.in_cassette
    )];
    if estimate.requests > 0 {
        let images =
            if options.images { format!(" and {} image tokens", estimate.image_tokens) } else { String::new() };
        lines.push(format!(
            "input: {} text tokens (o200k_base){images}; output: at most {} tokens",
            estimate.text_tokens, estimate.answer_tokens_at_most
        ));
        lines.push(match (args.price_in, args.price_out) {
            (None, None) => "cost: not known; give --price-in and --price-out, each per million tokens".to_owned(),
            (input, output) => {
                let cost = estimate.cost_at_most(input.unwrap_or(0.0), output.unwrap_or(0.0));
                format!("cost: at most {cost:.4}, in the currency of the prices")
            }
        });
    }
    lines
}
