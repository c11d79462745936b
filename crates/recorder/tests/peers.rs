//! Peers' passes on real Chromium, with a tool of our own behind the harness's protocol: what it
//! says is kept, and whatever it does wrong is said and harms nothing.
//!
//! The tool is this program again: a script in the place of the Python interpreter starts it with
//! the test `fake_tool` alone.

mod common;

use browserlens_recorder::{PeerOptions, PeersReport, RecordOptions, find_peers, record_peers};
use browserlens_trace::{PeerText, PeersFile, Trace, peers_path};
use common::{Recorded, fixture, recorded_with, scenario, sites, wait_until_gone};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KIND: &str = "BROWSERLENS_FAKE_TOOL";
const SECRET: &str = "hunter2-and-more";

/// Not a test: the tool, when the script below starts this program.
#[test]
fn fake_tool() {
    let Ok(kind) = std::env::var(KIND) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
    let mut page = String::new();
    let mut asked = 0;
    println!("a library says hello, which is no answer");
    for line in std::io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line.expect("a line")) else { continue };
        let result = match request["method"].as_str().unwrap_or_default() {
            "attach" => {
                let endpoint = request["params"]["endpoint"].as_str().expect("endpoint");
                let target = request["params"]["target"].as_str().expect("target");
                page = format!("{}/devtools/page/{target}", endpoint.replace("http:", "ws:"));
                json!({ "tool": "browser-use", "version": "0.13.14" })
            }
            "observe" => {
                asked += 1;
                match kind.as_str() {
                    "hangs" => std::thread::sleep(Duration::from_secs(600)),
                    "ends" => panic!("the tool is broken"),
                    "crashes the page" => runtime.block_on(call(&page, "Page.crash", json!({}))),
                    "meddles" if asked == 1 => {
                        let script = json!({ "expression": "document.body.prepend('meddled')" });
                        runtime.block_on(call(&page, "Runtime.evaluate", script));
                    }
                    _ => {}
                }
                let text = match kind.as_str() {
                    "is silent" => String::new(),
                    _ => format!("[1]<button />\n\tobservation {asked} {SECRET}"),
                };
                json!({ "outputs": [{ "variant": "dom", "text": text, "micros": 7, "refs": [["1", null, ""]] }] })
            }
            _ => json!({}),
        };
        if kind == "babbles" && request["method"] == "observe" {
            println!("{{\"id\":{},\"ok\":true,\"result\":{{\"outputs\":7}}}}", request["id"]);
            continue;
        }
        println!("{}", json!({ "id": request["id"], "ok": true, "result": result }));
        std::io::stdout().flush().expect("flushes");
        if request["method"] == "close" {
            return;
        }
    }
}

async fn call(address: &str, method: &str, params: Value) {
    use futures::{SinkExt, StreamExt};
    let (mut socket, _) = tokio_tungstenite::connect_async(address).await.expect("the page's socket");
    let message = json!({ "id": 1, "method": method, "params": params }).to_string();
    socket.send(message.into()).await.expect("is sent");
    // A page that crashes never answers.
    drop(tokio::time::timeout(Duration::from_secs(5), socket.next()).await);
}

/// Makes a folder that looks as `scripts/install-peers` leaves it, with our tool in the
/// interpreter's place.
fn folder_with(kind: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let bin = folder.path().join("venv/bin");
    std::fs::create_dir_all(&bin).expect("folder");
    std::fs::create_dir(folder.path().join("harness")).expect("folder");
    std::fs::write(folder.path().join("harness/harness.py"), "").expect("harness");
    let program = std::env::current_exe().expect("this program");
    let script = format!(
        "#!/bin/sh\nexport {KIND}='{kind}'\nexec '{}' --exact fake_tool --nocapture --test-threads 1\n",
        program.display()
    );
    let python = bin.join("python");
    std::fs::write(&python, script).expect("script");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("mode");
    folder
}

fn with_secret(options: &mut RecordOptions) {
    options.env = std::sync::Arc::new(|name| (name == "TEST_SECRET").then(|| SECRET.to_owned()));
}

fn options_of(recorded: &Recorded) -> RecordOptions {
    let mut options = RecordOptions::new(sites(), &recorded.path);
    with_secret(&mut options);
    options
}

fn two_steps() -> String {
    fixture("/action-click.html", "\n[[step]]\nclick = { css = \"button\", nth = 0 }\n")
}

async fn ask(recorded: &Recorded, toml: &str, tools: &Path, limit: Duration) -> PeersReport {
    let mut peers = PeerOptions::new(tools);
    peers.peers = find_peers("browser-use");
    peers.limit = limit;
    record_peers(&scenario(toml), &options_of(recorded), &peers).await.expect("the passes themselves succeed")
}

async fn asked(kind: &str, limit: Duration) -> (Recorded, PathBuf, PeersReport) {
    let toml = two_steps();
    let recorded = recorded_with(&toml, |_| {}).await;
    let tools = folder_with(kind);
    let before = std::fs::read(&recorded.path).expect("the trace");
    let report = ask(&recorded, &toml, tools.path(), limit).await;
    assert_eq!(std::fs::read(&recorded.path).expect("the trace"), before, "the trace is not touched");
    let left = wait_until_gone(&tools.path().to_string_lossy());
    assert!(left.is_empty(), "{kind}: processes {left:?} are left");
    let path = peers_path(&recorded.path);
    (recorded, path, report)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_says_is_kept_step_by_step_beside_the_trace() {
    let (recorded, path, report) = asked("is well", Duration::from_secs(20)).await;
    assert_eq!((report.passes[0].kept, &report.passes[0].failure), (2, &None));
    let file = PeersFile::open(&path).expect("opens");
    assert_eq!(file.trace(), recorded.trace.hash());
    let (peer, row) = &file.outputs(1).expect("reads")[0];
    assert_eq!(
        (*peer, row.kind, row.variant.as_str(), row.micros),
        ("browser-use@0.13.14", PeerText::Observation, "dom", 7)
    );
    assert!(row.text.starts_with("[1]<button />\n\tobservation 2"), "{}", row.text);
    let variants = file.variants().expect("lists");
    assert_eq!((variants[0].kept, variants[0].dropped), (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_hangs_ends_prints_nothing_or_babbles_is_said_and_nothing_is_made_up() {
    for (kind, limit, expected) in [
        ("hangs", 2, "observe was not answered within 2 s; the tool was ended"),
        ("ends", 20, "it ended during observe"),
        ("is silent", 20, "dom is empty"),
        ("babbles", 20, "not in the protocol"),
    ] {
        let (_recorded, path, report) = asked(kind, Duration::from_secs(limit)).await;
        let failure = report.passes[0].failure.clone().unwrap_or_default();
        assert!(failure.contains(expected) && failure.starts_with("step 0: "), "{kind}: {failure}");
        let file = PeersFile::open(&path).expect("opens");
        assert_eq!(file.outputs(0).expect("reads"), [], "{kind}");
        assert_eq!(file.passes().next().and_then(|pass| pass.failure.clone()), Some(failure));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_crashes_the_page_is_said_and_the_pass_ends() {
    let (_recorded, _path, report) = asked("crashes the page", Duration::from_secs(20)).await;
    let failure = report.passes[0].failure.clone().unwrap_or_default();
    assert!(failure.contains("crash"), "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_another_page_is_dropped_with_its_cause() {
    let (_recorded, path, report) = asked("meddles", Duration::from_secs(20)).await;
    let pass = &report.passes[0];
    assert_eq!((pass.kept, pass.dropped.len(), pass.dropped[0].0), (1, 1, 1));
    assert!(pass.dropped[0].1.contains("meddled"), "{:?}", pass.dropped);
    let row = PeersFile::open(&path).expect("opens").outputs(1).expect("reads").remove(0).1;
    assert_eq!((row.text.as_str(), row.dropped.is_some()), ("", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_installed_is_said_with_the_remedy() {
    let toml = two_steps();
    let recorded = recorded_with(&toml, |_| {}).await;
    let report = ask(&recorded, &toml, Path::new("/nowhere"), Duration::from_secs(5)).await;
    let failure = report.passes[0].failure.clone().unwrap_or_default();
    assert!(failure.contains("install the peers"), "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_a_tool_prints_is_not_written() {
    let toml = fixture(
        "/capture-secrets.html",
        "\n[[step]]\nfill = { css = \"input[type=password]\", nth = 0 }\ntext = { env = \"TEST_SECRET\" }\n",
    );
    let recorded = recorded_with(&toml, with_secret).await;
    let tools = folder_with("is well");
    let report = ask(&recorded, &toml, tools.path(), Duration::from_secs(20)).await;
    assert_eq!(report.passes[0].kept, 2, "{report:?}");
    let path = peers_path(&recorded.path);
    let text = PeersFile::open(&path).expect("opens").outputs(0).expect("reads").remove(0).1.text;
    assert!(text.starts_with("[1]<button />\n\tobservation 1 ") && !text.contains(SECRET), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peers_file_of_another_recording_is_replaced_and_a_damaged_one_refused() {
    let (recorded, path, _) = asked("is well", Duration::from_secs(20)).await;
    let mut bytes = std::fs::read(&path).expect("reads");
    let other = Trace::open(&recorded.path).expect("opens").hash();
    assert_eq!(PeersFile::open(&path).expect("opens").trace(), other);
    let name = b"browser-use@0.13.14";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("the peer's name stands in the file");
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    let toml = two_steps();
    let peers = PeerOptions { peers: find_peers("browser-use"), ..PeerOptions::new("/nowhere") };
    let error = record_peers(&scenario(&toml), &options_of(&recorded), &peers).await.expect_err("is damaged");
    assert!(error.to_string().contains("test.peers"), "{error}");
}
