//! One file a verb: arguments to a call of a crate, its answer to text.

mod agent_runs;
pub(crate) mod agents;
#[cfg(feature = "record")]
mod agents_play;
mod agents_retold;
mod agents_validity;
pub(crate) mod bench;
pub(crate) mod chunks;
pub(crate) mod ci;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod corpus;
pub(crate) mod doctor;
pub(crate) mod exam;
pub(crate) mod fidelity;
#[cfg(feature = "record")]
pub(crate) mod import;
pub(crate) mod inspect;
mod kept_report;
pub(crate) mod knowledge;
pub(crate) mod llm;
pub(crate) mod man;
mod model;
pub(crate) mod new;
#[cfg(feature = "serve")]
pub(crate) mod page;
pub(crate) mod read;
#[cfg(feature = "record")]
pub(crate) mod record;
#[cfg(feature = "record")]
mod record_attach;
pub(crate) mod replay;
pub(crate) mod report;
mod report_input;
pub(crate) mod scenario;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod show;
#[cfg(feature = "serve")]
pub(crate) mod skill;
pub(crate) mod snapshot;
pub(crate) mod trace;
#[cfg(feature = "serve")]
pub(crate) mod watch;

pub(crate) use model::ModelArgs;

use crate::args::LiveArgs;
#[cfg(feature = "record")]
use crate::exit::Exit;
use crate::exit::Failure;
use browserlens_core::page::{Capture, Page};
use browserlens_core::strategy::StepIndex;
use browserlens_trace::{RedactionKey, Trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the folder of what this user keeps for the command; none where the environment names none.
fn configuration_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")))?;
    Some(folder.join("browserlens"))
}

/// The user's key of placeholders, made when it is first needed; it never stands in a trace.
fn key_of_user() -> Result<RedactionKey, Failure> {
    let folder = configuration_folder().ok_or_else(|| {
        let hint = "set one: the key that hides secrets is kept there";
        Failure::input("neither XDG_CONFIG_HOME nor HOME is set", hint)
    })?;
    Ok(RedactionKey::load_or_make(&folder.join("redaction.key"))?)
}

#[cfg(any(feature = "record", feature = "serve"))]
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::browser(format!("cannot start the runtime: {error}"), "free some memory or threads"))
}

/// Returns whether this is the administrator, as whom Chromium refuses to start with its sandbox.
#[cfg(feature = "record")]
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
}

/// Refuses a step of what has none.
fn no_steps(source: &str, step: Option<u32>) -> Result<(), Failure> {
    match step {
        None => Ok(()),
        Some(_) => {
            let message = format!("{source}: a live page has no steps");
            Err(Failure::usage(message, "leave --step out, or name a trace"))
        }
    }
}

/// Says which step of a trace was asked, where nobody said: its last, or its first.
fn say_step(source: &str, given: Option<u32>, is_last: bool) {
    if given.is_none()
        && Path::new(source).is_file()
        && let Ok(trace) = Trace::open(source)
        && let Some(last) = trace.len().checked_sub(1).filter(|last| *last > 0)
    {
        crate::output::status(&format!("step {} of 0 to {last}", if is_last { last } else { 0 }));
    }
}

/// Says that a trace has no such step, and which it has.
fn no_step(source: &str, step: u32, steps: u32) -> Failure {
    let hint = match steps {
        0 => "the trace has no steps".to_owned(),
        steps => format!("the trace has steps 0 to {}", steps - 1),
    };
    Failure::usage(format!("{source}: no step {step}"), hint)
}

/// Returns a step of a trace, unless it holds a DOM alone.
fn rendered(trace: &Trace, source: &str, step: u32) -> Result<Capture, Failure> {
    let capture = trace.capture(StepIndex(step))?;
    if capture.is_dom_only() {
        let message = format!("{source}: the page was imported without being rendered: it holds the DOM only");
        return Err(Failure::input(message, "import it again without --no-render"));
    }
    Ok(capture)
}

/// Returns a live page as it is once it is open.
#[cfg(feature = "record")]
fn live_page(how: &LiveArgs, url: &str, step: Option<u32>) -> Result<Arc<Page>, Failure> {
    use browserlens_core::strategy::PageSource as _;
    use browserlens_recorder::{LiveBrowser, LiveOptions};
    no_steps(url, step)?;
    let options = LiveOptions { chrome: how.chrome.clone(), no_sandbox: how.no_sandbox, ..LiveOptions::default() };
    let mut browser = LiveBrowser::open(url, &options)?;
    let (page, _) = browser.page().map_err(|error| Failure::new(Exit::Browser, &error, "try again"))?;
    Ok(page)
}

#[cfg(not(feature = "record"))]
fn live_page(_: &LiveArgs, url: &str, step: Option<u32>) -> Result<Arc<Page>, Failure> {
    no_steps(url, step)?;
    Err(not_live(url))
}

/// Says that this build opens no browser to look at a page.
#[cfg(not(feature = "record"))]
fn not_live(url: &str) -> Failure {
    let hint = "build with `--features record`, or name a trace";
    Failure::usage(format!("{url}: this build looks at no live pages"), hint)
}

/// Returns whether a source is the URL of a live page.
fn is_url(source: &str) -> bool {
    ["http://", "https://", "file://", "data:", "about:"].iter().any(|scheme| source.starts_with(scheme))
}

/// Returns the URL of a live page, also of one in a file of HTML; none of a trace.
fn live_url(source: &str) -> Option<String> {
    if is_url(source) { Some(source.to_owned()) } else { html_file(source) }
}

/// Returns the URL of a file that is there.
fn file_url(path: &Path) -> Option<String> {
    Some(url::Url::from_file_path(path.canonicalize().ok()?).ok()?.into())
}

/// Returns the URL of a file of HTML that is there; none of anything else.
pub(crate) fn html_file(source: &str) -> Option<String> {
    let path = Path::new(source);
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    if !matches!(ending.as_str(), "html" | "htm" | "xhtml") { None } else { file_url(path) }
}
