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
#[cfg(feature = "record")]
mod recording;
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

use crate::exit::{Exit, Failure};
use browserlens_trace::{ExitClass, RedactionKey, TraceError};
use std::path::{Path, PathBuf};

fn exit_of(class: ExitClass) -> Exit {
    match class {
        ExitClass::BadUsage => Exit::Usage,
        ExitClass::Unreadable => Exit::Input,
        ExitClass::VerificationFailed => Exit::Verification,
    }
}

fn replay_failure(error: &browserlens_replay::ReplayError) -> Failure {
    Failure::new(exit_of(error.exit_class()), error, error.hint())
}

fn trace_failure(error: &browserlens_trace::TraceError) -> Failure {
    Failure::new(exit_of(error.exit_class()), error, error.hint())
}

fn strategies_failure(error: &browserlens_replay::StrategiesError) -> Failure {
    Failure::new(Exit::Usage, error, error.hint())
}

fn report_failure(error: &browserlens_report::ReportError) -> Failure {
    Failure::new(Exit::Input, error, "name a folder that can be written")
}

/// What is said of a page that has neither layout nor accessibility tree.
fn not_rendered(source: &str) -> Failure {
    Failure::words(
        Exit::Input,
        format!("{source}: the page was imported without being rendered: it holds the DOM only"),
        "import it again without --no-render",
    )
}

fn json_failure(error: &serde_json::Error) -> Failure {
    Failure::new(Exit::Input, error, "this is a mistake in the tool: report it with the command")
}

/// The user's key of placeholders, made when it is first needed; it never stands in a trace.
fn key_of_user() -> Result<RedactionKey, Failure> {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")))
        .ok_or_else(|| {
            Failure::words(
                Exit::Input,
                "neither XDG_CONFIG_HOME nor HOME is set",
                "set one: the key that hides secrets is kept there",
            )
        })?;
    let path = config.join("browserlens").join("redaction.key");
    RedactionKey::load_or_make(&path).map_err(|error: TraceError| trace_failure(&error))
}

/// Returns whether this is the administrator, as whom Chromium refuses to start with its sandbox.
#[cfg(feature = "record")]
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
}

/// Returns whether a source is the URL of a live page.
fn is_url(source: &str) -> bool {
    ["http://", "https://", "file://", "data:", "about:"].iter().any(|scheme| source.starts_with(scheme))
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
