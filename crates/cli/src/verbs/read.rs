//! `read`: what a page says: whole, in parts, by question, or as a graph; of a trace, a file or a
//! live page. And what several pages say together: by question, by concept, and twice.

use super::live_url;
use crate::args::{DEFAULT_CACHE, GraphFormat, ReadArgs};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::Page;
use browserlens_core::page::text::escaped_json;
use browserlens_core::strategy::StepIndex;
use browserlens_reading::graph::{
    ContentGraph, FoundConcept, Together, answer_together, around, concepts, to_dot, to_json, to_svg,
};
use browserlens_reading::{
    Cache, CacheOptions, Cut, Extraction, Outcome, ReadError, ReadOptions, Searcher, answer_of, answer_of_many,
    extract, normal_url, place_in,
};
use browserlens_trace::Trace;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A page that was read.
struct Read {
    /// What it is called in answers from several pages.
    name: String,
    /// None if what it says was in the cache.
    page: Option<Arc<Page>>,
    extraction: Extraction,
}

pub(crate) fn run(args: &ReadArgs) -> Ended {
    // What is wrong with the options is said before a browser starts.
    let options = options(args)?;
    let is_together = args.related.is_some() || args.path.is_some() || args.about.is_some() || args.duplicates;
    if args.sources.len() == 1 && !is_together {
        return one(args, &options);
    }
    if options.query.is_none() && !is_together {
        let message = format!("{} pages: nothing is asked of them", args.sources.len());
        let hint = "say what with --query, --related, --path, --about or --duplicates, or read one at a time";
        return Err(Failure::usage(message, hint));
    }
    if options.section.is_some() || options.within.is_some() || options.graph || args.preview || args.graph.is_some() {
        let message = "several pages have no sections or graph in common";
        return Err(Failure::usage(message, "read one page, or leave these options out"));
    }
    many(args, &options)
}

/// Reads one page.
fn one(args: &ReadArgs, options: &ReadOptions) -> Ended {
    let source = &args.sources[0];
    let Read { extraction, .. } = reading(args, options, source, false)?;
    let mut searcher = searcher(args)?;
    look_back(args, options, &mut searcher)?;
    searcher.add(&extraction);
    let failure = |error: ReadError| {
        let (exit, hint) = match &error {
            ReadError::NoSection(_) | ReadError::BehindEnd(_) => (Exit::Usage, "see what there is with --preview"),
            ReadError::NoPlace => (Exit::Usage, "name a place with --section or --query"),
            other => (Exit::Input, other.hint()),
        };
        Failure::words(exit, format!("{source}: {error}"), hint)
    };
    let text = if let Some(format) = args.graph {
        let mut graph = ContentGraph::of(&extraction.url, &extraction.title, &extraction.blocks);
        match place_in(&graph, &extraction, &searcher, options).map_err(failure)? {
            Some((place, note)) => {
                note.lines().for_each(output::status);
                graph = around(&graph, place, options.within).graph(&graph);
            }
            None if options.within.is_some() => return Err(failure(ReadError::NoPlace)),
            None => {}
        }
        match format {
            GraphFormat::Dot => to_dot(&graph),
            GraphFormat::Json => escaped_json(&to_json(&graph)).into_owned(),
            GraphFormat::Svg => to_svg(&graph),
        }
    } else if args.preview {
        extraction.preview()
    } else {
        let answer = answer_of(&extraction, &searcher, options).map_err(failure)?;
        if let Some(left_out) = answer.left_out(|option, value| format!("--{option} {value}")) {
            output::status(&left_out);
        }
        answer.text
    };
    let ended = output::data(&format!("{}\n", text.trim_end()))?;
    super::say_step(source, args.step, false);
    Ok(ended)
}

/// Answers from several pages.
fn many(args: &ReadArgs, options: &ReadOptions) -> Ended {
    let needs_pages = args.related.is_some() || args.path.is_some() || args.about.is_some();
    let mut all = Vec::new();
    for source in &args.sources {
        if live_url(source).is_some() || args.step.is_some() {
            all.push(reading(args, options, source, needs_pages)?);
        } else {
            all.extend(pages_of_trace(options, source)?);
        }
    }
    let searcher = searcher(args)?;
    let text = if let Some(query) = &options.query {
        let pages: Vec<(String, &Extraction)> = all.iter().map(|read| (read.name.clone(), &read.extraction)).collect();
        let answer = answer_of_many(&pages, query, &searcher, options)
            .map_err(|error| Failure::usage(error.to_string(), error.hint()))?;
        if let Some(left_out) = answer.left_out(|option, value| format!("--{option} {value}")) {
            output::status(&left_out);
        }
        answer.text
    } else {
        let concepts: Vec<Vec<FoundConcept>> = all
            .iter()
            .map(|read| read.page.as_ref().filter(|_| needs_pages).map(|page| concepts(page, &read.extraction.blocks)))
            .map(Option::unwrap_or_default)
            .collect();
        let pages = all.iter().zip(&concepts).map(|(read, own)| (read.name.clone(), &read.extraction, own.as_slice()));
        answer_together(&pages.collect::<Vec<_>>(), &asked(args), args.similarity, &searcher, options)
            .map_err(|error| Failure::input(error.to_string(), error.hint()))?
            .text
    };
    output::data(&format!("{}\n", text.trim_end()))
}

/// What is asked of the concepts of all pages.
fn asked(args: &ReadArgs) -> Together {
    match (&args.related, args.path.as_deref(), &args.about) {
        (Some(what), ..) => Together::Related(what.clone()),
        (None, Some([from, to]), _) => Together::Path(from.clone(), to.clone()),
        (None, _, Some(what)) => Together::About(what.clone()),
        _ => Together::Duplicates,
    }
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
    options.min_relevance = args.min_relevance.or(options.min_relevance);
    options.cache &= !args.no_cache;
    options.within = args.within.map(|steps| steps.get()).or(options.within);
    options.chars = args.chars.unwrap_or(options.chars);
    options.skip = args.skip.unwrap_or(options.skip);
    Ok(options)
}

/// Reads a page, by way of the cache unless it is not wanted. One that was read within the last
/// five minutes under the same address is not opened, unless the page itself is needed.
fn reading(args: &ReadArgs, options: &ReadOptions, source: &str, needs_page: bool) -> Result<Read, Failure> {
    let address = live_url(source);
    let name = source.to_owned();
    let mut cache = if options.cache { Some(open_cache(args)?) } else { None };
    let now_ms = now_ms();
    if let (Some(cache), Some(address), false) = (&mut cache, &address, needs_page) {
        // Only what is live has an address; what a step of a trace says is in the trace.
        super::no_steps(source, args.step)?;
        let known = cache.latest(address, options.cut, now_ms)?;
        // A file tells when it was changed; a page on the web does not.
        let is_same = |ago: u64| changed_ms(source).is_none_or(|changed| changed < now_ms.saturating_sub(ago));
        if let Some((extraction, ago)) = known.filter(|(_, ago)| is_same(*ago)) {
            cache.rebuilt().into_iter().for_each(output::status);
            output::status(&format!("from the cache, as read {} s ago; --no-cache reads anew", ago / 1_000));
            return Ok(Read { name, page: None, extraction });
        }
    }
    let page = match &address {
        Some(address) => super::live_page(&args.live, address, args.step)?,
        None => recorded(args, source)?,
    };
    let Some(mut cache) = cache else {
        let extraction = extract(&page, options.cut);
        return Ok(Read { name, page: Some(page), extraction });
    };
    let reading = cache.read(&page, options.cut, now_ms)?;
    if let Some(address) = &address {
        cache.visit(address, &reading, now_ms)?;
    }
    cache.rebuilt().into_iter().for_each(output::status);
    output::status(match reading.outcome {
        Outcome::Hit => "from the cache",
        Outcome::Revalidated => "from the cache, where it had expired; the page reads as it did",
        Outcome::Changed => "read anew: the page changed",
        Outcome::Miss | Outcome::Bypassed => "read anew",
    });
    Ok(Read { name, page: Some(page), extraction: reading.extraction })
}

/// When a file was changed last; none of what is no file.
fn changed_ms(source: &str) -> Option<u64> {
    let changed = std::fs::metadata(source).ok()?.modified().ok()?;
    Some(changed.duration_since(UNIX_EPOCH).ok()?.as_millis() as u64)
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// Opens the cache. Its folder is made only where none was named.
fn open_cache(args: &ReadArgs) -> Result<Cache, Failure> {
    if args.cache == Path::new(DEFAULT_CACHE)
        && let Some(folder) = args.cache.parent()
    {
        let hint = "name another file with --cache, or read with --no-cache";
        std::fs::create_dir_all(folder).map_err(Failure::file("made", folder, hint))?;
    }
    let folder = args.cache.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let message = format!("{}: no such folder", folder.display());
        return Err(Failure::input(message, "make it, name another file with --cache, or read with --no-cache"));
    }
    Ok(Cache::open(&args.cache, CacheOptions::default())?)
}

fn recorded(args: &ReadArgs, source: &str) -> Result<Arc<Page>, Failure> {
    let trace = Trace::open(source)?;
    let step = args.step.unwrap_or(0);
    if step >= trace.len() {
        return Err(super::no_step(source, step, trace.len()));
    }
    Ok(Arc::new(page_of(&trace, source, step)?))
}

fn page_of(trace: &Trace, source: &str, step: u32) -> Result<Page, Failure> {
    let capture = super::rendered(trace, source, step)?;
    let hint = "check it with `browserlens trace verify`";
    Page::parse(&capture).map_err(|error| Failure::input(format!("{source}: the page cannot be read: {error}"), hint))
}

/// Reads the pages of a trace, each address as it was left.
fn pages_of_trace(options: &ReadOptions, source: &str) -> Result<Vec<Read>, Failure> {
    let trace = Trace::open(source)?;
    let mut all: Vec<Read> = Vec::new();
    for step in 0..trace.len() {
        let page = Arc::new(page_of(&trace, source, step)?);
        let address = normal_url(page.url());
        all.retain(|read| normal_url(&read.extraction.url) != address);
        let extraction = extract(&page, options.cut);
        let name = format!("{source} step {step}, {}", page.url());
        all.push(Read { name, page: Some(page), extraction });
    }
    Ok(all)
}

/// Reads the steps of a trace before the one that is asked, so that a query passes over what all
/// pages of the site repeat.
fn look_back(args: &ReadArgs, options: &ReadOptions, searcher: &mut Searcher) -> Result<(), Failure> {
    let source = &args.sources[0];
    if options.query.is_none() || live_url(source).is_some() {
        return Ok(());
    }
    let trace = Trace::open(source)?;
    for step in 0..args.step.unwrap_or(0).min(trace.len()) {
        let capture = trace.capture(StepIndex(step))?;
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

fn endpoint(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    use browserlens_llm::{ApiKey, BaseUrl, ClientOptions};
    use browserlens_reading::embed::{EmbedError, Http, HttpOptions, VectorCache};
    let (Some(url), Some(model), Some(dimension)) =
        (&args.embeddings_url, &args.embeddings_model, args.embeddings_dimension)
    else {
        return Ok(None);
    };
    let base_url = BaseUrl::parse(url)?;
    let key = std::env::var(&args.embeddings_key_env).ok().and_then(|key| ApiKey::new(&key));
    let failure = |error: EmbedError| Failure::new(Exit::Usage, &error, error.hint());
    let cache = args.embeddings_cache.as_deref().map(VectorCache::open).transpose().map_err(failure)?;
    let options = HttpOptions::new(ClientOptions::new(base_url, key), model, dimension.get());
    let embedder = Http::new(options, cache).map_err(failure)?;
    Ok(Some(Searcher::new(Arc::new(embedder))))
}

#[cfg(feature = "local")]
fn folder(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    let Some(folder) = &args.embeddings_folder else { return Ok(None) };
    let embedder = browserlens_embedding::Local::open(folder);
    let embedder = embedder.map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    Ok(Some(Searcher::new(Arc::new(embedder))))
}

#[cfg(not(feature = "local"))]
fn folder(args: &ReadArgs) -> Result<Option<Searcher>, Failure> {
    match &args.embeddings_folder {
        None => Ok(None),
        Some(_) => Err(Failure::usage("this build loads no models", "build the command with `--features local`")),
    }
}
