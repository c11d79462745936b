//! A session as Rust and Python use it, over a trace and over a browser: what it is shown is told
//! once, its tools share its refs, and what is asked beside it changes nothing.

#![cfg(feature = "live")]

use browserlens_core::strategy::{ActionKind, ObservationKind, StepIndex, TakenAction};
use browserlens_reading::ReadOptions;
use browserlens_recorder::{LiveBrowser, LiveOptions, SiteServer};
use browserlens_session::{PartError, Session, ToolError};
use browserlens_snapshot::{Mode, SnapshotOptions, snapshot_in};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

/// The first trace of a bundled scenario.
fn trace(name: &str) -> PathBuf {
    traces().join(format!("{name}.trace"))
}

fn over_trace() -> Session {
    let mut session = Session::over_trace(&trace("docs-combine-three-documents")).expect("a bundled trace");
    session.use_strategy("lens/delta", &Value::Null).expect("a strategy");
    session
}

/// Returns the ref behind a text, as an agent reads it.
fn ref_of(text: &str, said: &str) -> String {
    let at = text.find(said).unwrap_or_else(|| panic!("{said:?} is not in\n{text}")) + said.len();
    let at = at + text[at..].find("@e").unwrap_or_else(|| panic!("no ref behind {said:?}"));
    text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '.')).collect()
}

#[test]
fn each_step_of_a_trace_is_told_once_and_what_is_asked_beside_changes_nothing() {
    let (mut plain, mut asked) = (over_trace(), over_trace());
    for step in 0..4 {
        for session in [&mut plain, &mut asked] {
            session.set_step(StepIndex(step)).expect("a step");
        }
        let one = plain.observation(false, None).expect("shown");
        // Of the page that comes next, in every other way.
        let outline = SnapshotOptions::of(Mode::Outline);
        let text = asked.beside(|lens, page| snapshot_in(lens, page, &outline)).expect("looked").expect("an outline");
        assert!(text.starts_with("PAGE: "), "{text}");
        assert!(!asked.read(&ReadOptions::default()).expect("read").text.is_empty());
        let requests: Value =
            serde_json::from_str(&asked.inspection("get_network_requests", json!({})).expect("asked")).expect("JSON");
        assert!(requests["count"].is_u64(), "{requests}");
        let other = asked.observation(false, None).expect("shown");
        assert_eq!((&one.text, one.refs.len()), (&other.text, other.refs.len()), "step {step}");
        assert_eq!(plain.step(), step);
        assert_eq!(matches!(one.kind, ObservationKind::Full { .. }), one.text.starts_with("[FULL"), "{}", one.text);
        for target in &one.refs {
            assert_eq!(plain.node_of(&target.handle).expect("given"), target.key, "{}", target.handle);
        }
    }
    let again = plain.observation(true, None).expect("shown");
    assert!(matches!(again.kind, ObservationKind::Full { .. }), "{}", again.text);
}

#[test]
fn what_is_wrong_is_said_by_the_part_that_knows_it() {
    let mut session = over_trace();
    let error = session.use_strategy("lens/nothing", &Value::Null).expect_err("unknown");
    assert!(matches!(&error, ToolError::Arguments(text) if text.contains("lens/delta")), "{error}");
    let error = session.use_strategy("lens/delta", &json!({ "budgit": 3 })).expect_err("no option");
    assert!(matches!(&error, ToolError::Arguments(text) if text.contains("budgit")), "{error}");
    let error = session.set_step(StepIndex(999)).expect_err("no step");
    assert!(matches!(error, ToolError::Part(PartError::Trace(_))), "{error}");
    let error = session.node_of("@e1").expect_err("nothing was shown");
    assert!(matches!(error, ToolError::UnknownRef { .. }), "{error}");
    let error = session.node_of("button").expect_err("no ref");
    assert!(matches!(&error, ToolError::NotThere { hint, .. } if hint.contains("@e12")), "{error}");
    session.observation(false, None).expect("shown");
    let error = session.expansion("@m999", None, None).expect_err("no handle");
    assert!(matches!(error, ToolError::Part(PartError::Strategy(_))), "{error}");
    let error = session.read(&ReadOptions { offset: 9_999, ..ReadOptions::default() }).expect_err("behind the end");
    assert!(matches!(error, ToolError::Part(PartError::Read(_))), "{error}");
    let error = session.inspection("get_console_messages", json!({ "pageSize": "many" })).expect_err("no number");
    assert!(matches!(error, ToolError::Part(PartError::Inspect(_))), "{error}");
    // The tools say the same in their own words, and name the next tool.
    let error = session.call("expand", json!({ "handle": "@m999" })).expect_err("no handle");
    assert!(matches!(&error, ToolError::NotThere { hint, .. } if hint.contains("`observe`")), "{error}");
    assert!(Session::over_trace(&traces().join("none.trace")).is_err());
}

#[test]
fn what_somebody_else_does_to_the_browser_is_told_and_refs_stay() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let site = runtime.block_on(SiteServer::start(&traces().join("sites"), "fixtures")).expect("serves");
    let options = LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() };
    let url = format!("http://127.0.0.1:{}/action-click.html", site.port());
    let mut session = Session::over(LiveBrowser::open(&url, &options).expect("opens"), options).expect("a session");
    let full = session.observation(false, None).expect("shown");
    let go = ref_of(&full.text, "button \"Go\"");
    let clicked = session.call("click", json!({ "ref": go })).expect("clicked");
    assert!(clicked.text.contains("click Go detail=1 trusted=true"), "{}", clicked.text);
    // By its own script, as a program does that has the browser.
    let script = "document.querySelector('button').textContent = 'Gone on'; 1";
    session.browser().expect("a browser").evaluate(script).expect("runs");
    let done = TakenAction { kind: ActionKind::Click, node: None, text: String::new(), error: None };
    let delta = session.observation(false, Some(&done)).expect("shown");
    assert_eq!(delta.kind, ObservationKind::Delta, "{}", delta.text);
    assert!(delta.text.contains("Gone on") && delta.text.contains(&go), "{}", delta.text);
    let nothing = session.observation(false, None).expect("shown");
    assert!(!nothing.text.contains("Gone on"), "{}", nothing.text);
    // What a tool met on its way is told with the next observation, in its order.
    let browser = session.browser().expect("a browser");
    browser.evaluate("document.querySelector('button').textContent = 'Met first'; 1").expect("runs");
    assert!(session.call("find", json!({ "text": "Met first" })).expect("asked").text.contains(&go));
    let browser = session.browser().expect("a browser");
    browser.evaluate("document.title = 'Met later'; 1").expect("runs");
    let both = session.observation(false, None).expect("shown");
    let (first, later) = (both.text.find("Met first"), both.text.find("Met later"));
    assert!(first.is_some() && first < later, "{}", both.text);
    assert!(both.refs.iter().any(|target| target.handle == go), "{:?}", both.refs);
    // Who has the browser may go anywhere with it.
    let page = "data:text/html,<title>Own</title><button>Here</button>";
    let own = session.call("navigate", json!({ "url": page })).expect("went");
    assert!(own.text.contains("button \"Here\""), "{}", own.text);
    let error = session.set_step(StepIndex(1)).expect_err("no recording");
    assert!(error.to_string().contains("no steps"), "{error}");
}
