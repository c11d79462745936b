//! `read`: what a page says: whole, in parts, by question, or as a graph; of a trace, or of a live
//! page.

use super::trace_failure;
use crate::args::{GraphFormat, ReadArgs};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_page::Page;
use browserlens_page::text::escaped_json;
use browserlens_reading::graph::{ContentGraph, to_dot, to_json, to_svg};
use browserlens_reading::{
    Cache, CacheError, CacheOptions, Cut, Extraction, Outcome, ReadError, ReadOptions, Searcher, answer_of, extract,
};
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn run(args: &ReadArgs) -> Ended {
    // What is wrong with the options is said before a browser starts.
    let options = options(args)?;
    let page = if is_url(&args.source) { live(args)? } else { recorded(args)? };
    let extraction = read(args, &options, &page)?;
    let mut searcher = searcher(args)?;
    look_back(args, &options, &mut searcher)?;
    searcher.add(&extraction);
    let text = if let Some(format) = args.graph {
        let graph = ContentGraph::of(&extraction.url, &extraction.title, &extraction.blocks);
        match format {
            GraphFormat::Dot => to_dot(&graph),
            GraphFormat::Json => escaped_json(&to_json(&graph)).into_owned(),
            GraphFormat::Svg => to_svg(&graph),
        }
    } else if args.preview {
        extraction.preview()
    } else {
        let answer = answer_of(&extraction, &searcher, &options).map_err(|error| {
            let (exit, hint) = match &error {
                ReadError::NoSection(_) => (Exit::Usage, "see what there is with --preview"),
                other => (Exit::Input, other.hint()),
            };
            Failure::words(exit, format!("{}: {error}", args.source), hint)
        })?;
        if let Some(next) = answer.next {
            output::status(&format!(
                "sections from {} on, of {}; go on with --offset {next}",
                options.offset, answer.of
            ));
        }
        answer.text
    };
    output::data(&format!("{}\n", text.trim_end()))?;
    Ok(Exit::Success)
}

fn options(args: &ReadArgs) -> Result<ReadOptions, Failure> {
    let said = args.options.as_deref().unwrap_or_default().parse::<ReadOptions>();
    let mut options = said.map_err(|error| {
        Failure::new(Exit::Usage, &error, "for example --options 'query=\"installation requirements\" limit=5'")
    })?;
    options.query = args.query.clone().or(options.query);
    options.section = args.section.clone().or(options.section);
    options.limit = args.limit.map(|limit| limit.get()).or(options.limit);
    options.offset = args.offset.unwrap_or(options.offset);
    options.cut = if args.h3 { Cut::H3 } else { options.cut };
    options.similarity = args.similarity.unwrap_or(options.similarity);
    options.cache &= !args.no_cache;
    Ok(options)
}

/// Reads the page, by way of the cache unless it is not wanted.
fn read(args: &ReadArgs, options: &ReadOptions, page: &Page) -> Result<Extraction, Failure> {
    if !options.cache {
        return Ok(extract(page, options.cut));
    }
    let failure = |error: CacheError| Failure::new(Exit::Input, &error, error.hint());
    if let Some(folder) = args.cache.parent().filter(|folder| *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("{}: cannot be made: {error}", folder.display());
            Failure::words(Exit::Input, message, "name another file with --cache, or read with --no-cache")
        })?;
    }
    let mut cache = Cache::open(&args.cache, CacheOptions::default()).map_err(failure)?;
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let reading = cache.read(page, options.cut, since_epoch.as_millis() as u64).map_err(failure)?;
    if let Some(why) = cache.rebuilt() {
        output::status(why);
    }
    output::status(match reading.outcome {
        Outcome::Hit => "from the cache",
        Outcome::Revalidated => "from the cache, where it had expired; the page reads as it did",
        Outcome::Changed => "read anew: the page changed",
        Outcome::Miss | Outcome::Bypassed => "read anew",
    });
    Ok(reading.extraction)
}

fn is_url(source: &str) -> bool {
    ["http://", "https://", "file://", "data:", "about:"].iter().any(|scheme| source.starts_with(scheme))
}

fn recorded(args: &ReadArgs) -> Result<Arc<Page>, Failure> {
    let source = &args.source;
    let trace = Trace::open(source).map_err(|error| trace_failure(&error))?;
    let step = args.step.unwrap_or(0);
    if step >= trace.len() {
        let hint = match trace.len() {
            0 => "the trace has no steps".to_owned(),
            steps => format!("the trace has steps 0 to {}", steps - 1),
        };
        return Err(Failure::words(Exit::Usage, format!("{source}: no step {step}"), hint));
    }
    let capture = trace.capture(StepIndex(step)).map_err(|error| trace_failure(&error))?;
    if capture.is_dom_only() {
        return Err(super::not_rendered(source));
    }
    let page = Page::parse(&capture).map_err(|error| {
        Failure::words(
            Exit::Input,
            format!("{source}: the page cannot be read: {error}"),
            "check it with `browserlens trace verify`",
        )
    })?;
    Ok(Arc::new(page))
}

/// Reads the steps of a trace before the one that is asked, so that a query passes over what all
/// pages of the site repeat.
fn look_back(args: &ReadArgs, options: &ReadOptions, searcher: &mut Searcher) -> Result<(), Failure> {
    if options.query.is_none() || is_url(&args.source) {
        return Ok(());
    }
    let trace = Trace::open(&args.source).map_err(|error| trace_failure(&error))?;
    for step in 0..args.step.unwrap_or(0).min(trace.len()) {
        let capture = trace.capture(StepIndex(step)).map_err(|error| trace_failure(&error))?;
        // A page that cannot be read is not asked here.
        if let Ok(page) = Page::parse(&capture) {
            searcher.add(&extract(&page, options.cut));
        }
    }
    Ok(())
}

fn searcher(args: &ReadArgs) -> Result<Searcher, Failure> {
    Ok(match (endpoint(args)?, folder(args)?) {
        (Some(searcher), _) | (None, Some(searcher)) => searcher,
        (None, None) => Searcher::default(),
    })
}

#[cfg(feature = "llm")]
fn endpoint(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    use browserlens_llm::{ApiKey, BaseUrl, ClientOptions};
    use browserlens_reading::embed::{Http, HttpOptions};
    let (Some(url), Some(model), Some(dimension)) =
        (&args.embeddings_url, &args.embeddings_model, args.embeddings_dimension)
    else {
        return Ok(None);
    };
    let base_url = BaseUrl::parse(url).map_err(|error| Failure::new(Exit::Usage, &error, error.hint()))?;
    let key = std::env::var(&args.embeddings_key_env).ok().and_then(|key| ApiKey::new(&key));
    let embedder = Http::new(HttpOptions::new(ClientOptions::new(base_url, key), model, dimension.get()), None);
    let embedder = embedder.map_err(|error| Failure::new(Exit::Usage, &error, error.hint()))?;
    Ok(Some(Searcher::new(Arc::new(embedder))))
}

#[cfg(not(feature = "llm"))]
fn endpoint(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    let _only_for_endpoints = (&args.embeddings_model, args.embeddings_dimension, &args.embeddings_key_env);
    match &args.embeddings_url {
        None => Ok(None),
        Some(_) => Err(Failure::words(
            Exit::Usage,
            "this build speaks to no endpoint",
            "build the command with its default features",
        )),
    }
}

#[cfg(feature = "local")]
fn folder(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    let Some(folder) = &args.embeddings_folder else { return Ok(None) };
    let embedder = browserlens_reading::embed::Local::open(folder);
    let embedder = embedder.map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    Ok(Some(Searcher::new(Arc::new(embedder))))
}

#[cfg(not(feature = "local"))]
fn folder(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    match &args.embeddings_folder {
        None => Ok(None),
        Some(_) => {
            Err(Failure::words(Exit::Usage, "this build loads no models", "build the command with `--features local`"))
        }
    }
}

#[cfg(feature = "record")]
fn live(args: &ReadArgs) -> Result<Arc<Page>, Failure> {
    use browserlens_recorder::{LiveBrowser, LiveOptions};
    use browserlens_strategy::PageSource as _;
    if args.step.is_some() {
        return Err(Failure::words(
            Exit::Usage,
            format!("{}: a live page has no steps", args.source),
            "leave --step out, or name a trace",
        ));
    }
    let options = LiveOptions { chrome: args.chrome.clone(), no_sandbox: args.no_sandbox, ..LiveOptions::default() };
    let mut browser =
        LiveBrowser::open(&args.source, &options).map_err(|error| Failure::new(Exit::Browser, &error, error.hint()))?;
    let (page, _) = browser.page().map_err(|error| Failure::new(Exit::Browser, &error, "try again"))?;
    Ok(page)
}

#[cfg(not(feature = "record"))]
fn live(args: &ReadArgs) -> Result<Arc<Page>, Failure> {
    Err(Failure::words(
        Exit::Usage,
        format!("{}: this build looks at no live pages", args.source),
        "build with `--features record`, or name a trace",
    ))
}
