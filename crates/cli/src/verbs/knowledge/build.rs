//! `knowledge build`: from traces, texts and live pages to a store.

use super::place::{StoreArgs, UNREADABLE, read};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_knowledge::translate::Profile;
use browserlens_knowledge::{
    ContentType, CrawlLimits, Document, KnowledgeId, Recording, Store, extract, fill_available_actions, ingest, renew,
};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{Trace, files_below};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    place: StoreArgs,
    /// Trace files, or folders of them
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Take from the scenarios in this folder what traces do not keep: where a drag ends, how far a
    /// scroll goes
    #[arg(long, value_name = "FOLDER")]
    scenarios: Option<PathBuf>,
    /// Crawl this website too, within limits (with Chromium)
    #[arg(long, value_name = "URL")]
    crawl: Option<String>,
    /// Before crawling, do there what this trace did, such as signing in; the crawl begins where
    /// that ends
    #[arg(long, value_name = "TRACE", requires = "crawl")]
    sign_in: Option<PathBuf>,
    /// Of that trace, do the steps up to this one only
    #[arg(long, value_name = "N", requires = "sign_in")]
    sign_in_steps: Option<u32>,
    /// Type the text of an environment variable into a field, in place of what the trace keeps:
    /// `Password=MY_PASSWORD`
    #[arg(long, value_name = "FIELD=NAME", requires = "sign_in")]
    secret: Vec<String>,
    /// Open at most so many pages while crawling
    #[arg(long, value_name = "N", default_value_t = 60)]
    crawl_pages: u32,
    /// Follow at most so many links in a row
    #[arg(long, value_name = "N", default_value_t = 4)]
    crawl_depth: u32,
    /// Open no further page after so many seconds
    #[arg(long, value_name = "S", default_value_t = 120)]
    crawl_seconds: u64,
    /// Use this Chromium
    #[arg(long, value_name = "FILE", env = "CHROME")]
    chrome: Option<PathBuf>,
    /// Run Chromium without its sandbox
    #[arg(long)]
    no_sandbox: bool,
    /// Read these texts too: documentation, API documentation, transcripts
    #[arg(long, value_name = "FILE")]
    text: Vec<PathBuf>,
    /// The website that the texts are about
    #[arg(long, value_name = "ID", default_value = "")]
    website: String,
    /// Take the texts for this kind: documentation, api_docs or video_transcript [default: what
    /// they are]
    #[arg(long, value_name = "KIND")]
    content_type: Option<String>,
}

pub(super) fn run(args: &BuildArgs) -> Ended {
    let place = &args.place;
    let kind_of = |name: &String| {
        let is_of_text = |kind: &ContentType| !matches!(kind, ContentType::WebUi | ContentType::Unknown);
        ContentType::from_name(name).filter(is_of_text).ok_or_else(|| {
            let hint = "known: documentation, api_docs, video_transcript";
            Failure::usage(format!("unknown kind of text {name:?}"), hint)
        })
    };
    let content_type = args.content_type.as_ref().map(kind_of).transpose()?;
    let scenarios = match &args.scenarios {
        None => Vec::new(),
        Some(folder) => Scenario::load_all(folder).map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?,
    };
    let limits = CrawlLimits {
        pages: args.crawl_pages,
        depth: args.crawl_depth,
        time_ms: args.crawl_seconds.saturating_mul(1000),
        ..CrawlLimits::default()
    };
    let mut recordings = Vec::new();
    let files = trace_files(&args.traces)?;
    let bar = Bar::over("knowledge", files.len(), "traces");
    for path in files {
        bar.message(&path.display().to_string());
        let trace = Trace::open(&path)?;
        let scenario = scenarios.iter().find(|scenario| scenario.name == trace.meta().scenario);
        recordings.push(Recording::read_with(&trace, scenario)?);
        bar.add(1);
    }
    bar.finish();
    if let Some(url) = &args.crawl {
        recordings.push(crawled(args, url, limits)?);
    }
    if recordings.is_empty() && args.text.is_empty() {
        return Err(Failure::usage("there is nothing to build from", "give traces, or folders of them, or --text"));
    }
    let mut store = Store::open(&place.store)?;
    let id = KnowledgeId::from(place.id.as_str());
    let mut knowledge = extract(id.clone(), &recordings);
    if store.knowledge_ids()?.contains(&id) {
        let earlier = store.load(&id)?;
        // With texts alone, what traces told stays as it is.
        if recordings.is_empty() {
            knowledge = earlier;
        } else {
            renew(&mut knowledge, &earlier);
        }
    }
    for path in &args.text {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let document = Document { name, website_id: args.website.as_str().into(), text: read(path)?, content_type };
        for (line, text) in ingest(&mut knowledge, &document).not_taken {
            let text = escaped_line(&text);
            output::status(&format!(
                "{}:{line}: not taken, it begins with no verb that is known or does two things: {text}",
                path.display()
            ));
        }
    }
    fill_available_actions(&mut knowledge, Profile::default());
    store.save(&knowledge)?;
    let counts = knowledge.statistics();
    let websites: BTreeSet<&str> = knowledge.screens.values().map(|screen| screen.website_id.as_str()).collect();
    output::data(&format!(
        "{}: knowledge {:?} of {} traces and {} texts\n  websites {}\n  web_ui_screens {}\n  documentation_screens {}\n\
        \x20 actionable_screens {}\n  non_actionable_screens {}\n  actions {}\n  transitions {}\n  tasks {}\n",
        place.store.display(),
        place.id,
        recordings.len(),
        args.text.len(),
        escaped_line(&websites.into_iter().collect::<Vec<_>>().join(", ")),
        counts.web_ui_screens,
        counts.documentation_screens,
        counts.actionable_screens,
        counts.non_actionable_screens,
        knowledge.actions.len(),
        knowledge.transitions.len(),
        knowledge.tasks.len()
    ))
}

/// Crawls a live website.
#[cfg(feature = "record")]
fn crawled(args: &BuildArgs, url: &str, limits: CrawlLimits) -> Result<Recording, Failure> {
    use browserlens_core::strategy::PageSource;
    use browserlens_knowledge::{CrawlEnd, KnowledgeError, carry_out, crawl, opener};
    use browserlens_recorder::{LiveBrowser, LiveOptions};
    let defaults = LiveOptions::default();
    let timeout = defaults.timeout.min(std::time::Duration::from_millis(limits.time_ms.max(15_000)));
    let options = LiveOptions { chrome: args.chrome.clone(), no_sandbox: args.no_sandbox, timeout, ..defaults };
    let secrets = secrets(&args.secret)?;
    let sign_in = args.sign_in.as_ref().map(Trace::open).transpose()?;
    let mut browser = LiveBrowser::open(url, &options)?;
    let mut start = url.to_owned();
    if let Some(trace) = &sign_in {
        let secret = |field: &str| secrets.iter().find(|(name, _)| name == field).map(|(_, text)| text.clone());
        let steps = carry_out(&mut browser, trace, args.sign_in_steps, &secret)?;
        let page = browser.page().map_err(KnowledgeError::from)?.0;
        page.url().clone_into(&mut start);
        output::status(&format!("{steps} steps were done before the crawl, which begins at {start}"));
    }
    let began = std::time::Instant::now();
    let elapsed = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (recording, report) = crawl(opener(&mut browser), elapsed, &start, limits)?;
    let end = match report.end {
        CrawlEnd::Done => "nothing is left to open",
        CrawlEnd::Pages => "the limit of pages was reached",
        CrawlEnd::Time => "the limit of time was reached",
    };
    let (opened, failed, left) = (report.opened.len(), report.failed.len(), report.left_out);
    output::status(&format!("{start}: {opened} pages opened, {failed} failed, {left} links left out; {end}"));
    for (url, reason) in &report.failed {
        output::status(&escaped_line(&format!("  {url}: {reason}")));
    }
    Ok(recording)
}

/// Reads what is typed in place of what a trace keeps: fields, each with the text of an environment
/// variable.
#[cfg(feature = "record")]
fn secrets(named: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let read = |text: &String| {
        let hint = "write it as FIELD=NAME, and set the environment variable NAME";
        let (field, name) = text
            .rsplit_once('=')
            .filter(|(field, name)| !field.is_empty() && !name.is_empty())
            .ok_or_else(|| Failure::usage("a --secret is not FIELD=NAME", hint))?;
        match std::env::var(name) {
            Ok(value) if !value.is_empty() => Ok((field.to_owned(), value)),
            _ => Err(Failure::usage(format!("the environment variable {name:?} is not set"), hint)),
        }
    };
    named.iter().map(read).collect()
}

#[cfg(not(feature = "record"))]
fn crawled(args: &BuildArgs, url: &str, _: CrawlLimits) -> Result<Recording, Failure> {
    let _only_live = (&args.sign_in, args.sign_in_steps, &args.secret, &args.chrome, args.no_sandbox);
    let message = format!("{url}: this build opens no live pages");
    Err(Failure::usage(message, "build with `--features record`, or name a trace"))
}

/// Returns the files that were named and the traces in the folders that were, sorted.
fn trace_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let found = files_below(path, "trace", |_| false);
        files.extend(found.map_err(|(path, error)| Failure::file("read", &path, UNREADABLE)(error))?);
    }
    files.sort();
    Ok(files)
}
