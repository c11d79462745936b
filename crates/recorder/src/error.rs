//! What can go wrong while recording, and what to do about it.
//!
//! In: causes of every layer below. Out: one [`RecordError`] that names step and node, with a hint
//! and an exit code. Invariant: steps that were finished before the error stay in the trace.

use browserlens_trace::TraceError;
use browserlens_trace::scenario::ScenarioError;
use std::path::PathBuf;

/// A recording that failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// No Chromium was found.
    #[error("Chromium was not found (looked at {looked_at})")]
    ChromiumMissing {
        /// Where it was looked for.
        looked_at: String,
    },
    /// Chromium was found but did not start.
    #[error("{}: Chromium did not start: {reason}", .path.display())]
    LaunchFailed {
        /// The program.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// No browser answers at an address, or it has no such tab.
    #[error("{url}: cannot be attached to: {reason}")]
    AttachFailed {
        /// The address as given.
        url: String,
        /// Why.
        reason: String,
    },
    /// Chromium ended in the middle.
    #[error("step {step}: Chromium ended while it was {doing}")]
    BrowserGone {
        /// The step that was being recorded.
        step: u32,
        /// What was being done.
        doing: String,
    },
    /// A call of the browser's protocol failed or took too long.
    #[error("step {step}: {method}: {message}")]
    Protocol {
        /// The step.
        step: u32,
        /// Method of the protocol.
        method: String,
        /// What the browser said.
        message: String,
    },
    /// A target matches no node, or several.
    #[error("step {step}: {action} {target} matches {found} nodes{}", list(.candidates))]
    Target {
        /// The step.
        step: u32,
        /// The action.
        action: String,
        /// The target as in TOML.
        target: String,
        /// How many nodes match.
        found: usize,
        /// Up to ten nodes that match, or come near, with role and name.
        candidates: Vec<String>,
    },
    /// The target meant one node when the capture was taken and another when the action was carried
    /// out.
    #[error("step {step}: {action} {target} was {captured} in the capture and is {acting} when acting")]
    TargetMoved {
        /// The step.
        step: u32,
        /// The action.
        action: String,
        /// The target as in TOML.
        target: String,
        /// The node in the capture.
        captured: String,
        /// The node when acting.
        acting: String,
    },
    /// The node cannot be acted on.
    #[error("step {step}: {action} {target} cannot be done: {reason}")]
    NotActionable {
        /// The step.
        step: u32,
        /// The action.
        action: String,
        /// The target as in TOML; empty for actions without one.
        target: String,
        /// Why.
        reason: String,
    },
    /// A fact is not readable on the page.
    #[error("step {step}: the fact {fact:?} is not in the rendered text of {url}; of its beginning, {read:?} is")]
    FactMissing {
        /// The step.
        step: u32,
        /// The fact.
        fact: String,
        /// The longest beginning of it, in whole words, that is there.
        read: String,
        /// URL of the page.
        url: String,
    },
    /// A page of a bundled site never came to rest.
    #[error("step {step}: {url} never settles: {reason}")]
    NeverSettles {
        /// The step.
        step: u32,
        /// URL of the page.
        url: String,
        /// What did not come to rest.
        reason: String,
    },
    /// The action took longer than the scenario allows.
    #[error("step {step}: {action} took longer than {timeout_ms} ms")]
    TimedOut {
        /// The step.
        step: u32,
        /// The action.
        action: String,
        /// The limit.
        timeout_ms: u64,
    },
    /// The scenario cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario says something that the recorder cannot do.
    #[error("{scenario}: {reason}")]
    Unusable {
        /// Name of the scenario.
        scenario: String,
        /// Why.
        reason: String,
    },
    /// The files of a bundled site cannot be served.
    #[error("{}: {reason}", .path.display())]
    Site {
        /// File or folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A page that was read makes no sense.
    #[error("step {step}: the capture cannot be parsed: {reason}")]
    Capture {
        /// The step.
        step: u32,
        /// Why.
        reason: String,
    },
    /// A temporary file or a socket failed.
    #[error("{context}")]
    Io {
        /// What was being done.
        context: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The caller asked for the end.
    #[error("step {step}: cancelled")]
    Cancelled {
        /// The step that was being recorded.
        step: u32,
    },
}

fn list(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!("; candidates: {}", candidates.join(", ")) }
}

impl RecordError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ChromiumMissing { .. } => {
                "install it (Debian, Ubuntu: apt-get install chromium; Fedora: dnf install chromium; macOS: brew \
                    install --cask chromium), \
                 or name it with --chrome PATH or $CHROME"
            }
            Self::LaunchFailed { .. } => {
                "start it by hand with --headless to see its message; in a container without user namespaces record as \
                    root or pass --no-sandbox"
            }
            Self::AttachFailed { .. } => {
                "start the browser with --remote-debugging-port=9222 (and, for Chrome, a --user-data-dir of its own) \
                    and give http://127.0.0.1:9222"
            }
            Self::BrowserGone { .. } => {
                "finished steps are in the trace; see whether memory ran out, and record again with --force"
            }
            Self::Protocol { .. } => {
                "record again with --force; if it fails again, this version of Chromium may be too old or too new"
            }
            Self::Target { .. } => "name the node by role and its exact accessible name, and narrow with within or nth",
            Self::TargetMoved { .. } => {
                "name the node by something that does not change by itself while the page is left alone"
            }
            Self::NotActionable { reason, .. } if reason.contains("ERR_NAME_NOT_RESOLVED") => {
                "check the name of the host"
            }
            Self::NotActionable { reason, .. } if reason.contains("ERR_CONNECTION_REFUSED") => {
                "check the port, and whether the server is running"
            }
            Self::NotActionable { reason, .. } if reason.contains("net::ERR_") => {
                "check the URL, and whether it can be reached from here"
            }
            Self::NotActionable { .. } => "wait for the node, scroll to it or close what covers it in a step before",
            Self::FactMissing { .. } => "correct the fact, or give it a box (in, box) if it exists only as pixels",
            Self::NeverSettles { .. } => "end the loop of requests or mutations in the page's script",
            Self::TimedOut { .. } => "raise timeout_ms of the step or the scenario",
            Self::Scenario(error) => error.hint(),
            Self::Unusable { .. } => "see \"How to write a scenario\" in README.md",
            Self::Site { .. } => "check the site's folder and its site.toml",
            Self::Trace(error) => error.hint(),
            Self::Capture { .. } => "record again with --force, and report this with the page if it stays",
            Self::Io { .. } => "check free space and permissions of the temporary folder",
            Self::Cancelled { .. } => "finished steps are in the trace, marked incomplete; record again with --force",
        }
    }

    /// Returns the exit code of the command line: 2 bad usage, 3 unreadable input, 5 browser
    /// trouble.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unusable { .. } | Self::Target { .. } => 2,
            Self::Scenario(ScenarioError::MissingEnv { .. }) => 2,
            Self::Scenario(_) | Self::Site { .. } | Self::Trace(_) => 3,
            _ => 5,
        }
    }
}
