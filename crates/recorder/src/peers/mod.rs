//! Peers: the scenario is performed again, once per tool, and the real tool is asked what it shows.
//!
//! In: a trace, its scenario, and a folder with the installed tools and their harness. Out: the
//! trace's peers' file (`*.peers`) and a [`PeersReport`]. Invariants: each pass has a fresh browser
//! with the tool attached before the first navigation; a text counts only if the pass's own capture
//! has the trace's page hash at that step, else its row says what differed; a tool that is missing,
//! hangs, fails or crashes the page is said and never faked, and does not keep the others from
//! being asked; the trace itself is not touched.

pub(crate) mod pass;
mod process;
mod step;

use crate::capture_session::CaptureSession;
use crate::error::RecordError;
use crate::options::{Progress, RecordOptions};
use crate::record::{Recording, Taker};
use crate::setup::{open, redactor};
use browserlens_peers::{Harness, TOOLS};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{Fault, PeerPass, PeerText, PeersFile, Redactor, Trace, TraceError, peers_path, write_peers};
use pass::Pass;
use process::{HarnessError, Process};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Every tool, in the order in which they are asked.
pub fn harnesses() -> impl Iterator<Item = &'static Harness> {
    TOOLS.iter().flat_map(|tool| tool.harnesses)
}

/// How peers are asked.
#[derive(Clone, Debug)]
pub struct PeerOptions {
    /// The folder that `scripts/install-peers` filled.
    pub folder: PathBuf,
    /// The tools to ask; all of them if empty.
    pub peers: Vec<&'static Harness>,
    /// Longest time for one answer.
    pub limit: Duration,
}

impl PeerOptions {
    /// Returns options for every tool in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), peers: Vec::new(), limit: Duration::from_secs(60) }
    }
}

/// What became of the passes.
#[derive(Clone, Debug, Default)]
pub struct PeersReport {
    /// Per tool: its name, how many texts count, and what went wrong.
    pub passes: Vec<PassReport>,
    /// The file.
    pub path: PathBuf,
}

/// What became of one pass.
#[derive(Clone, Debug)]
pub struct PassReport {
    /// Name and version of the tool.
    pub peer: String,
    /// Texts of observations that count.
    pub kept: u32,
    /// Texts that were dropped, with step and cause.
    pub dropped: Vec<(u32, String)>,
    /// Actions of the scenario that the recorder had to do because the tool's own action tools
    /// could not, with the reason.
    pub by_recorder: Vec<String>,
    /// Why the pass did not reach the end.
    pub failure: Option<String>,
    /// Wall time, in milliseconds.
    pub millis: u64,
}

/// Asks peers about the trace at `options.out`; passes of tools that are not asked now stay in the
/// file.
///
/// # Errors
/// [`RecordError`] if trace or file cannot be read or written, the site cannot be served, or no
/// Chromium starts. What goes wrong with a tool is in the report.
pub async fn record_peers(
    scenario: &Scenario,
    options: &RecordOptions,
    peers: &PeerOptions,
) -> Result<PeersReport, RecordError> {
    let hash = Trace::open(&options.out)?.hash();
    let path = peers_path(&options.out);
    let mut passes = match PeersFile::open(&path) {
        Ok(file) if file.trace() == hash => file.whole_passes()?,
        // It tells of another recording, or there is none.
        Ok(_) => Vec::new(),
        Err(TraceError { fault: Fault::Io { source, .. }, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Vec::new()
        }
        Err(error) => return Err(error.into()),
    };
    let asked = if peers.peers.is_empty() { harnesses().collect() } else { peers.peers.clone() };
    let mut report = PeersReport { passes: Vec::new(), path: path.clone() };
    for peer in asked {
        if options.cancel.is_cancelled() {
            return Err(RecordError::Cancelled { step: 0 });
        }
        let began = Instant::now();
        let (done, redactor, by_recorder) = perform(scenario, options, peers, peer).await?;
        let observed = || done.rows.iter().filter(|row| row.kind == PeerText::Observation);
        report.passes.push(PassReport {
            peer: peer.name.to_owned(),
            kept: observed().filter(|row| row.dropped.is_none()).count() as u32,
            dropped: observed().filter_map(|row| Some((row.step, row.dropped.clone()?))).collect(),
            by_recorder,
            failure: done.failure.clone(),
            millis: began.elapsed().as_millis() as u64,
        });
        passes.retain(|pass| pass.peer != done.peer);
        passes.push(done);
        let order = |pass: &PeerPass| harnesses().position(|peer| peer.name == pass.peer);
        passes.sort_by_key(order);
        // After each pass, so that a recorder that is killed loses one at the most.
        write_peers(&path, hash, &scenario.name, &passes, &redactor)?;
    }
    Ok(report)
}

/// Performs the scenario once with one tool attached.
async fn perform(
    scenario: &Scenario,
    options: &RecordOptions,
    peers: &PeerOptions,
    peer: &'static Harness,
) -> Result<(PeerPass, Redactor, Vec<String>), RecordError> {
    let (mut stage, server) = open(scenario, options).await?;
    let mut done = PeerPass {
        peer: peer.name.to_owned(),
        browser: stage.driver.browser_name.clone(),
        failure: None,
        tools: None,
        rows: Vec::new(),
    };
    let redactor = redactor(scenario, options, &stage.secrets);
    options.tell(Progress::Started { steps: scenario.steps.len() as u32 + 1 });
    let mut harness = match attach(scenario, peers, peer, &stage).await {
        Ok(harness) => harness,
        Err(error) => {
            stage.driver.close().await;
            done.failure = Some(error.to_string());
            return Ok((done, redactor, Vec::new()));
        }
    };
    if let Ok(tools) = harness.ask::<Value>("tools", json!({}), peers.limit).await {
        done.tools = tools["text"].as_str().map(str::to_owned);
    }
    let mut pass = Pass {
        peer,
        harness,
        trace: Trace::open(&options.out)?,
        limit: peers.limit,
        redactor,
        rows: Vec::new(),
        failure: None,
        acted: None,
        by_recorder: Vec::new(),
    };
    let taker = Taker::Peer(&mut pass);
    let recording = Recording { scenario, options, stage: &mut stage, server: server.as_ref(), taker };
    let result = recording.run().await;
    let Pass { harness, rows, failure, redactor, by_recorder, .. } = pass;
    harness.close().await;
    stage.driver.close().await;
    done.rows = rows;
    // The tool's own failure explains the recording's: a page that it crashed, say.
    done.failure = failure.or_else(|| result.as_ref().err().map(ToString::to_string));
    match result {
        Err(error @ RecordError::Cancelled { .. }) => Err(error),
        _ => Ok((done, redactor, by_recorder)),
    }
}

async fn attach(
    scenario: &Scenario,
    peers: &PeerOptions,
    peer: &'static Harness,
    stage: &CaptureSession,
) -> Result<Process, HarnessError> {
    let folder = std::path::absolute(&peers.folder).unwrap_or_else(|_| peers.folder.clone());
    let (program, script) = if peer.script.ends_with(".py") {
        (folder.join("venv").join("bin").join("python"), folder.join("harness/harness.py"))
    } else {
        (PathBuf::from("node"), folder.join("harness/harness.mjs"))
    };
    if let Some(absent) = [&script, &program].into_iter().find(|path| path.is_absolute() && !path.exists()) {
        let message = format!("{} is not there: install the peers (`./just peers`)", absent.display());
        return Err(HarnessError::Refused { method: "start".to_owned(), message });
    }
    let mut harness = Process::start(&program, &[script.as_os_str(), peer.name.as_ref(), peer.script.as_ref()])?;
    let endpoint = endpoint(&stage.driver.chrome.address());
    let viewport = json!({ "width": scenario.viewport.width, "height": scenario.viewport.height });
    let mut params = json!({ "endpoint": endpoint, "viewport": viewport, "target": stage.driver.target() });
    if peer.acts {
        // After an action the tool waits in the page's own time, which stands still: it waits for
        // our word instead.
        params["wait"] = "host".into();
    }
    if let Err(error) = harness.ask::<Value>("attach", params, peers.limit).await {
        harness.close().await;
        return Err(error);
    }
    Ok(harness)
}

/// Returns the HTTP address of a browser's protocol from its WebSocket address.
fn endpoint(address: &str) -> String {
    let host = address.trim_start_matches("ws://").split('/').next().unwrap_or_default();
    format!("http://{host}")
}

/// Returns the tool of a name, with or without its version, if it is known; a name without a
/// version means every version.
pub fn find_peers(name: &str) -> Vec<&'static Harness> {
    harnesses().filter(|peer| peer.name == name || peer.name.split('@').next() == Some(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_the_host_and_port_of_the_browsers_address() {
        assert_eq!(endpoint("ws://127.0.0.1:4123/devtools/browser/abc"), "http://127.0.0.1:4123");
    }

    #[test]
    fn a_name_without_a_version_means_every_version() {
        assert_eq!(find_peers("playwright-mcp").len(), 2);
        assert_eq!(find_peers("playwright-mcp@0.0.68").len(), 1);
        assert!(find_peers("playwright").is_empty());
    }
}
