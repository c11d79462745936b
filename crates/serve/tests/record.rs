//! What a client does through the server is a trace like any other: whole, with a node for every
//! action, and replayed as recordings are.

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_core::tokens::Encoding;
use browserlens_lens::ShownState;
use browserlens_recorder::SiteServer;
use browserlens_replay::{Quiet, ReplayOptions, Tokenizer, replay, strategies};
use browserlens_session::{Policy, RecordingOptions, Shared, TraceOpener, recording};
use browserlens_trace::{Trace, TraceSource, verify};
use common::{Mcp, Served, apply, shared};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio_util::sync::CancellationToken;

/// A bundled site, and what clients share that are recorded there.
async fn on_site(site: &str, record: &Path) -> (SiteServer, Arc<Shared>, String) {
    let (server, live, base) = common::on_site(site).await;
    let options = RecordingOptions {
        goal: "the letter".to_owned(),
        now: Some(Box::new(|| "2026-01-02T03:04:05Z".to_owned())),
        ..RecordingOptions::new(record)
    };
    let witness = Some(recording(options).expect("nothing stands there"));
    (server, Arc::new(Shared { witness, ..live }), base)
}

/// A client that takes refs from what it was shown.
struct Agent {
    mcp: Mcp,
    shown: ShownState,
}

impl Agent {
    async fn start(shared: Arc<Shared>, stop: CancellationToken) -> (Self, Served) {
        let (mcp, served) = Mcp::start_until(shared, stop).await;
        (Self { mcp, shown: ShownState::default() }, served)
    }

    async fn does(&mut self, tool: &str, role: &str, name: &str, mut arguments: serde_json::Value) -> String {
        if !role.is_empty() {
            let found = self.shown.nodes().find(|node| node.role() == role && node.name().starts_with(name));
            let reference = found.and_then(|node| node.reference()).unwrap_or_else(|| panic!("no {role} {name:?}"));
            arguments["ref"] = json!(reference.to_string());
        }
        let answer = self.mcp.call(tool, arguments).await;
        apply(&mut self.shown, &answer);
        answer
    }

    async fn signs_up(&mut self) -> String {
        self.does("type", "textbox", "Name", json!({ "text": "Mira Osei" })).await;
        self.does("type", "textbox", "Email", json!({ "text": "mira.osei@example" })).await;
        self.does("click", "checkbox", "Send me", json!({})).await;
        self.does("click", "button", "Sign up", json!({})).await;
        self.does("type", "textbox", "Email", json!({ "text": "mira.osei@example.test" })).await;
        self.does("click", "button", "Sign up", json!({})).await
    }
}

/// Returns the actions of a trace, each with the node of it in the capture before.
fn actions(path: &Path) -> Vec<String> {
    let trace = Trace::open(path).expect("opens");
    let rows = trace.steps().expect("steps");
    let line = |row: &browserlens_trace::StepRow| {
        let action = row.action.as_ref().expect("an action");
        let before = Page::parse(&trace.capture(StepIndex(row.index.0 - 1)).expect("capture")).expect("parses");
        let node = action.target.map(|key| before.find(key).expect("its node is in the capture before it"));
        let node = node.map_or(String::new(), |node| format!(" {} {:?}", node.role(), node.name()));
        format!("{}{node} {}", action.taken.kind, action.taken.text).trim_end().to_owned()
    };
    rows[1..].iter().map(line).collect()
}

fn is_whole(path: &Path) {
    let checked = verify(path).unwrap_or_else(|error| panic!("{error}"));
    assert!(checked.is_ok() && checked.sealed && checked.complete, "{checked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_task_is_a_trace_that_replays_and_can_be_served_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.trace");
    let (_server, shared_live, base) = on_site("tiny", &path).await;
    let (mut agent, served) = Agent::start(shared_live, CancellationToken::new()).await;
    agent.does("navigate", "", "", json!({ "url": format!("{base}/") })).await;
    assert!(agent.signs_up().await.contains("Thank you, Mira Osei."));
    drop(agent);
    served.await.expect("no panic").expect("ends well");

    is_whole(&path);
    let expected = [
        "fill textbox \"Name\" Mira Osei",
        "fill textbox \"Email\" mira.osei@example",
        "click checkbox \"Send me the letter by email\"",
        "click button \"Sign up\"",
        "fill textbox \"Email\" mira.osei@example.test",
        "click button \"Sign up\"",
    ];
    assert_eq!(actions(&path), expected);
    let trace = Trace::open(&path).expect("opens");
    let meta = trace.meta();
    assert_eq!((meta.source, meta.goal.as_str(), meta.locale.as_str()), (TraceSource::Served, "the letter", "en-US"));
    assert_eq!(meta.recorded_at.as_deref(), Some("2026-01-02T03:04:05Z"));
    assert!(meta.browser.contains("Chrom"), "{}", meta.browser);
    for step in 0..trace.len() {
        assert!(trace.capture(StepIndex(step)).expect("capture").screenshot().is_some(), "step {step}");
    }

    // It replays as bundled recordings do.
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/strategies.toml"));
    let all = strategies::load(file).expect("strategies");
    let chosen: Vec<_> = all.into_iter().filter(|strategy| strategy.name == "lens/delta").collect();
    let run = replay(&ReplayOptions {
        traces: vec![path.clone()],
        scenarios_dir: folder.path().to_owned(),
        strategies: &chosen,
        threads: 1,
        cache_dir: folder.path().join("cache"),
        out_dir: folder.path().join("runs"),
        encoding: Encoding::O200kBase,
        tokenizer: Tokenizer::Fast,
        date: String::new(),
        machine: String::new(),
        progress: &Quiet,
        cancel: &AtomicBool::new(false),
    })
    .expect("replays");
    assert_eq!((run.tasks.len(), run.measurements.len()), (1, 7));
    assert!(run.tasks[0].success && run.tasks[0].finished, "{:?}", run.tasks[0]);
    let found = run.measurements.iter().filter_map(|row| row.numbers());
    let found: Vec<_> = found.filter(|numbers| numbers.target.needed).map(|numbers| numbers.target.resolved).collect();
    assert_eq!(found, [Some(true); 6], "every action's node is found by its ref");

    // And the same client does its task on it, without a browser.
    let on_it = shared(Box::new(TraceOpener::new(&path, 0).expect("a trace")), Policy::default());
    let (mut again, _served) = Agent::start(Arc::new(on_it), CancellationToken::new()).await;
    again.does("observe", "", "", json!({})).await;
    assert!(again.signs_up().await.contains("Thank you, Mira Osei."));
}

/// Does something on the page with a form that has a password; returns the actions of its trace,
/// which has what was typed there in no part.
async fn typed_secretly(does: impl AsyncFnOnce(&mut Agent)) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.trace");
    let (_server, shared, base) = on_site("fixtures", &path).await;
    let (mut agent, served) = Agent::start(shared, CancellationToken::new()).await;
    agent.does("navigate", "", "", json!({ "url": format!("{base}/follow-form.html") })).await;
    does(&mut agent).await;
    drop(agent);
    served.await.expect("no panic").expect("ends well");
    is_whole(&path);
    let trace = Trace::open(&path).expect("opens");
    let has = |bytes: &[u8]| bytes.windows(7).any(|window| window == b"hunter2");
    assert!(!has(&std::fs::read(&path).expect("the file")));
    for (step, row) in (0..).zip(trace.steps().expect("steps")) {
        let capture = trace.capture(StepIndex(step)).expect("capture");
        assert!(capture.payloads.iter().filter(|payload| payload.kind.is_text()).all(|payload| !has(&payload.body)));
        assert!(!format!("{row:?}").contains("hunter2"), "{row:?}");
    }
    actions(&path)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_into_secret_fields_is_in_no_part_of_the_trace() {
    let told = typed_secretly(async |agent| {
        agent.does("type", "textbox", "Password", json!({ "text": "hunter2-and-more" })).await;
        agent.does("type", "textbox", "Name", json!({ "text": "Ann hunter2-and-more", "keys": true })).await;
        agent.does("click", "link", "Next page", json!({})).await;
        agent.does("back", "", "", json!({})).await;
    })
    .await;
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[0].starts_with("fill textbox \"Password\" ") && told[1].starts_with("type textbox \"Name\" Ann "));
    assert!(told[2].starts_with("click link \"Next page\"") && told[3] == "back", "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_into_a_secret_field_that_has_the_focus_is_in_no_part_of_the_trace() {
    let told = typed_secretly(async |agent| {
        agent.does("click", "textbox", "Password", json!({})).await;
        agent.does("type", "", "", json!({ "text": "hunter2-unnamed" })).await;
        agent.does("click", "textbox", "Name", json!({})).await;
        agent.does("type", "", "", json!({ "text": "Ann" })).await;
    })
    .await;
    assert!(told.len() == 4 && told[1].starts_with("type ") && told[3] == "type Ann", "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_client_has_a_trace_of_its_own_that_is_whole_also_when_the_server_is_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.trace");
    let (_server, shared, base) = on_site("fixtures", &path).await;
    let stop = CancellationToken::new();
    let mut agents = Vec::new();
    let mut served = Vec::new();
    for _ in 0..3 {
        let (agent, server) = Agent::start(Arc::clone(&shared), stop.clone()).await;
        agents.push(agent);
        served.push(server);
    }
    // The second opens no page.
    let url = json!({ "url": format!("{base}/action-click.html") });
    agents[0].does("navigate", "", "", url.clone()).await;
    agents[2].does("navigate", "", "", url).await;
    agents[2].does("click", "button", "Go", json!({})).await;
    agents[0].does("press", "", "", json!({ "key": "Tab" })).await;
    stop.cancel();
    for server in served {
        server.await.expect("no panic").expect("ends well");
    }
    let second = folder.path().join("run-2.trace");
    is_whole(&path);
    is_whole(&second);
    assert_eq!(actions(&path), ["press Tab"]);
    assert_eq!(actions(&second), ["click button \"Go\""]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 2, "one that did nothing leaves nothing");
    let refused = recording(RecordingOptions::new(&path)).err().expect("a trace stands there");
    assert!(refused.to_string().contains("run.trace"), "{refused}");
    assert!(recording(RecordingOptions { force: true, ..RecordingOptions::new(&path) }).is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_cannot_be_written_stops_no_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, shared, base) = on_site("fixtures", &folder.path().join("missing/run.trace")).await;
    let mut mcp = Mcp::start(shared).await;
    mcp.says("navigate", json!({ "url": format!("{base}/action-click.html") }), &["^[FULL PAGE STATE"]).await;
    assert!(mcp.call("press", json!({ "key": "Tab" })).await.starts_with("[DELTA"));
}
