//! `knowledge`: build it from traces and texts, recognise a screen, export it and its site map.

use super::{json_failure, trace_failure};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_knowledge::translate::Profile;
use browserlens_knowledge::{
    ContentType, CrawlLimits, Document, Knowledge, KnowledgeError, KnowledgeId, MapOptions, Recogniser, Recognition,
    Recording, Store, WebsiteId, extract, fill_available_actions, ingest, renew, schema, site_map_dot, site_map_svg,
    to_json,
};
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct KnowledgeArgs {
    #[command(subcommand)]
    what: KnowledgeVerb,
}

/// Where knowledge lies.
#[derive(Args)]
pub(super) struct Place {
    /// Keep knowledge in this file
    #[arg(long, value_name = "FILE", default_value = "knowledge.sqlite")]
    pub(super) store: PathBuf,
    /// Which knowledge in it
    #[arg(long, value_name = "ID", default_value = "default")]
    id: String,
}

#[derive(Subcommand)]
enum KnowledgeVerb {
    /// Make knowledge of traces and texts; give all traces, those of earlier builds too
    Build {
        #[command(flatten)]
        place: Place,
        /// Trace files, or folders of them
        #[arg(value_name = "TRACE")]
        traces: Vec<PathBuf>,
        /// Crawl this website too, within limits (with Chromium)
        #[arg(long, value_name = "URL")]
        crawl: Option<String>,
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
        /// Take the texts for this kind: documentation, api_docs or video_transcript [default: what they are]
        #[arg(long, value_name = "KIND")]
        content_type: Option<String>,
    },
    /// Say which known screen a page is
    Recognise {
        #[command(flatten)]
        place: Place,
        /// A trace with the page in it
        #[arg(value_name = "TRACE")]
        trace: Option<PathBuf>,
        /// The step of the trace
        #[arg(long, value_name = "N", default_value_t = 0)]
        step: u32,
        /// The URL of the page, in place of a trace
        #[arg(long, conflicts_with = "trace")]
        url: Option<String>,
        /// A file with a summary of the page at the URL, in any form
        #[arg(long, value_name = "FILE", requires = "url")]
        summary: Option<PathBuf>,
        /// What the screen is called or for, in place of a page
        #[arg(long, value_name = "WORDS", conflicts_with_all = ["trace", "url"])]
        description: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask as an agent would: the way to a screen, the steps of a task, what can be done
    Query(super::knowledge_ask::QueryArgs),
    /// Infer what was done between known actions where no recording tells it
    Gaps(super::knowledge_ask::GapsArgs),
    /// Write the knowledge or its site map
    Export {
        #[command(flatten)]
        place: Place,
        /// What to write
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// Draw only this website
        #[arg(long, value_name = "ID")]
        website: Option<String>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything
    Json,
    /// The site map as a picture
    Svg,
    /// The site map for Graphviz
    Dot,
    /// The JSON schema of `json`
    Schema,
}

pub(crate) fn run(args: &KnowledgeArgs) -> Ended {
    match &args.what {
        KnowledgeVerb::Build {
            place,
            traces,
            crawl,
            crawl_pages,
            crawl_depth,
            crawl_seconds,
            chrome,
            no_sandbox,
            text,
            website,
            content_type,
        } => {
            let limits = CrawlLimits {
                pages: *crawl_pages,
                depth: *crawl_depth,
                time_ms: crawl_seconds.saturating_mul(1000),
                ..CrawlLimits::default()
            };
            let crawled = crawl.as_deref().map(|url| crawled(url, limits, chrome.clone(), *no_sandbox)).transpose()?;
            build(place, traces, crawled, text, website, content_type.as_deref())
        }
        KnowledgeVerb::Recognise { place, trace, step, url, summary, description, json } => {
            let knowledge = load(place)?;
            let recogniser = Recogniser::new(&knowledge).map_err(|error| failure(&error))?;
            let found = match (trace, url, description) {
                (Some(trace), _, _) => {
                    let trace = Trace::open(trace).map_err(|error| trace_failure(&error))?;
                    recogniser.page(&trace.page(StepIndex(*step)).map_err(|error| trace_failure(&error))?.0)
                }
                (_, Some(url), _) => {
                    recogniser.summary(url, &summary.as_deref().map(read).transpose()?.unwrap_or_default())
                }
                (_, _, Some(words)) => recogniser.description(words),
                _ => {
                    let hint = "give a trace with --step, --url with --summary, or --description";
                    return Err(Failure::words(Exit::Usage, "nothing to recognise was given", hint));
                }
            };
            if *json {
                let text = serde_json::to_string_pretty(&found).map_err(|error| json_failure(&error))?;
                output::data(&format!("{text}\n"))?;
            } else {
                output::data(&in_words(&found))?;
            }
            Ok(Exit::Success)
        }
        KnowledgeVerb::Query(args) => super::knowledge_ask::query(args),
        KnowledgeVerb::Gaps(args) => super::knowledge_ask::gaps(args),
        KnowledgeVerb::Export { format: Format::Schema, .. } => {
            let text = serde_json::to_string_pretty(&schema()).map_err(|error| json_failure(&error))?;
            output::data(&format!("{text}\n"))?;
            Ok(Exit::Success)
        }
        KnowledgeVerb::Export { place, format, website } => {
            let knowledge = load(place)?;
            let options = MapOptions {
                website_id: website.as_deref().map(WebsiteId::from),
                title: website.clone().unwrap_or_else(|| format!("Site map of {}", place.id)),
            };
            let text = match format {
                Format::Svg => site_map_svg(&knowledge, &options),
                Format::Dot => site_map_dot(&knowledge, &options),
                Format::Json | Format::Schema => to_json(&knowledge).map_err(|error| json_failure(&error))?,
            };
            output::data(&text)?;
            Ok(Exit::Success)
        }
    }
}

fn build(
    place: &Place,
    traces: &[PathBuf],
    crawled: Option<Recording>,
    texts: &[PathBuf],
    website: &str,
    content_type: Option<&str>,
) -> Ended {
    let content_type = match content_type {
        None => None,
        Some(name) => {
            let kind =
                ContentType::from_name(name).filter(|kind| !matches!(kind, ContentType::WebUi | ContentType::Unknown));
            Some(kind.ok_or_else(|| {
                let hint = "known: documentation, api_docs, video_transcript";
                Failure::words(Exit::Usage, format!("unknown kind of text {name:?}"), hint)
            })?)
        }
    };
    let mut recordings = Vec::new();
    for path in trace_files(traces)? {
        let trace = Trace::open(&path).map_err(|error| trace_failure(&error))?;
        recordings.push(Recording::read(&trace).map_err(|error| failure(&error))?);
    }
    recordings.extend(crawled);
    if recordings.is_empty() && texts.is_empty() {
        return Err(Failure::words(
            Exit::Usage,
            "there is nothing to build from",
            "give traces, or folders of them, or --text",
        ));
    }
    let mut store = Store::open(&place.store).map_err(|error| failure(&error))?;
    let id = KnowledgeId::from(place.id.as_str());
    let mut knowledge = extract(id.clone(), &recordings);
    if store.knowledge_ids().map_err(|error| failure(&error))?.contains(&id) {
        let earlier = store.load(&id).map_err(|error| failure(&error))?;
        // With texts alone, what traces told stays as it is.
        if recordings.is_empty() {
            knowledge = earlier;
        } else {
            renew(&mut knowledge, &earlier);
        }
    }
    for path in texts {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let document = Document { name, website_id: website.into(), text: read(path)?, content_type };
        ingest(&mut knowledge, &document);
    }
    fill_available_actions(&mut knowledge, Profile::default());
    store.save(&knowledge).map_err(|error| failure(&error))?;
    let counts = knowledge.statistics();
    output::data(&format!(
        "{}: knowledge {:?} of {} traces and {} texts\n  web_ui_screens {}\n  documentation_screens {}\n  actionable_screens {}\n  non_actionable_screens {}\n  actions {}\n  transitions {}\n  tasks {}\n",
        place.store.display(),
        place.id,
        recordings.len(),
        texts.len(),
        counts.web_ui_screens,
        counts.documentation_screens,
        counts.actionable_screens,
        counts.non_actionable_screens,
        knowledge.actions.len(),
        knowledge.transitions.len(),
        knowledge.tasks.len()
    ))?;
    Ok(Exit::Success)
}

/// Crawls a live website.
#[cfg(feature = "record")]
fn crawled(url: &str, limits: CrawlLimits, chrome: Option<PathBuf>, no_sandbox: bool) -> Result<Recording, Failure> {
    use browserlens_knowledge::{ActorBrowser, CrawlEnd, crawl};
    use browserlens_recorder::{LiveBrowser, LiveOptions};
    let options = LiveOptions { chrome, no_sandbox, ..LiveOptions::default() };
    let browser = LiveBrowser::open(url, &options);
    let browser = browser.map_err(|error| Failure::new(Exit::Browser, &error, error.hint()))?;
    let began = std::time::Instant::now();
    let mut browser =
        ActorBrowser::new(browser, move || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
    let (recording, report) = crawl(&mut browser, url, limits).map_err(|error| failure(&error))?;
    let end = match report.end {
        CrawlEnd::Done => "nothing is left to open",
        CrawlEnd::Pages => "the limit of pages was reached",
        CrawlEnd::Time => "the limit of time was reached",
    };
    let (opened, failed, left) = (report.opened.len(), report.failed.len(), report.left_out);
    output::status(&format!("{url}: {opened} pages opened, {failed} failed, {left} links left out; {end}"));
    for (url, reason) in &report.failed {
        output::status(&crate::exit::one_line(&format!("  {url}: {reason}")));
    }
    Ok(recording)
}

#[cfg(not(feature = "record"))]
fn crawled(url: &str, _: CrawlLimits, _: Option<PathBuf>, _: bool) -> Result<Recording, Failure> {
    let message = format!("{url}: this build opens no live pages");
    Err(Failure::words(Exit::Usage, message, "build with `--features record`, or name a trace"))
}

/// Returns the files that were named and the traces in the folders that were, sorted.
fn trace_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
        for entry in entries {
            let found = entry.map_err(|error| unreadable(path, &error))?.path();
            if found.extension().is_some_and(|extension| extension == "trace") {
                files.push(found);
            }
        }
    }
    files.sort();
    Ok(files)
}

pub(super) fn read(path: impl AsRef<Path>) -> Result<String, Failure> {
    std::fs::read_to_string(path.as_ref()).map_err(|error| unreadable(path.as_ref(), &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::words(Exit::Input, format!("{}: cannot be read: {error}", path.display()), "check the path and its rights")
}

pub(super) fn load(place: &Place) -> Result<Knowledge, Failure> {
    if !place.store.exists() {
        let message = format!("{}: there is no such store", place.store.display());
        return Err(Failure::words(Exit::Input, message, "build it first: browserlens knowledge build traces"));
    }
    let store = Store::open(&place.store).map_err(|error| failure(&error))?;
    store.load(&KnowledgeId::from(place.id.as_str())).map_err(|error| failure(&error))
}

pub(super) fn failure(error: &KnowledgeError) -> Failure {
    let exit = match error {
        KnowledgeError::NoKnowledge { .. } | KnowledgeError::UnknownId { .. } => Exit::Usage,
        KnowledgeError::Trace(error) => super::exit_of(error.exit_class()),
        _ => Exit::Input,
    };
    Failure::new(exit, error, error.hint())
}

fn in_words(found: &Recognition) -> String {
    let mut text = match (&found.screen_name, &found.screen_id) {
        (Some(name), Some(id)) => format!("{name} ({id}), confidence {:.2}\n", found.confidence),
        _ => format!("{}, best {:.2}\n", found.message.as_deref().unwrap_or("nothing"), found.confidence),
    };
    for indicator in &found.matched_indicators {
        let told = indicator.value.as_deref().or(indicator.pattern.as_deref()).unwrap_or("");
        text.push_str(&format!("  there: {told:?}\n"));
    }
    for action in &found.available_actions {
        text.push_str(&format!("  can: {} [{}]\n", crate::exit::one_line(&action.description), action.tool_name));
    }
    if let Some(tie) = &found.tie {
        text.push_str(&format!("  tie: {tie}\n"));
    }
    if found.screen_id.is_none() {
        for near in &found.nearest {
            text.push_str(&format!("  near: {} ({}) {:.2}\n", near.screen_name, near.screen_id, near.confidence));
        }
    }
    text
}
