//! What a client does through a live page of ours is a trace like any other.

mod common;

use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActionKind, Actor, PageSource, TakenAction};
use browserlens_recorder::{ClientRecorder, ClientRecorderOptions, LiveBrowser, LiveOptions};
use browserlens_trace::{Outcome, Trace, TraceSource, verify};
use common::{by_id, page_at, serve};

fn does(live: &mut LiveBrowser, tape: &mut ClientRecorder, kind: ActionKind, id: &str, text: &str) {
    let node: Option<NodeKey> = (!id.is_empty()).then(|| by_id(&live.page().expect("a page").0, id).key());
    let action = TakenAction { kind, node: None, text: text.to_owned(), error: None };
    tape.before(live, node).expect("is written");
    live.act(&action, node).expect("is done");
    tape.after(live, &action, node).expect("is written");
}

#[test]
fn a_clients_run_is_a_trace_with_the_node_of_each_action() {
    let server = serve("fixtures");
    let url = |page: &str| server.url(page);
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("client.trace");
    let mut live = LiveBrowser::open(&url("follow-form.html"), &LiveOptions::default()).expect("opens");
    let mut options = ClientRecorderOptions::new(&path);
    options.goal = "order".to_owned();
    let mut tape = ClientRecorder::create(&options, &mut live).expect("is created");
    does(&mut live, &mut tape, ActionKind::Fill, "name", "Ann");
    does(&mut live, &mut tape, ActionKind::Fill, "secret", "hunter2-and-more");
    // What the page brings by itself is a step of its own, so that the next action's node is in the
    // capture before it.
    live.evaluate("document.body.insertAdjacentHTML('afterbegin', '<button id=late>Late</button>')")
        .expect("evaluates");
    does(&mut live, &mut tape, ActionKind::Click, "late", "");
    does(&mut live, &mut tape, ActionKind::Goto, "", &url("action-click.html"));
    let steps = tape.finish(Outcome::Complete).expect("is finished");
    assert_eq!(steps.len(), 6);
    let checked = verify(&path).expect("a trace");
    assert!(checked.is_ok() && checked.sealed && checked.complete, "{checked:?}");
    let trace = Trace::open(&path).expect("opens");
    assert_eq!((trace.meta().source, trace.meta().goal.as_str()), (TraceSource::Served, "order"));
    let rows = trace.steps().expect("steps");
    let told: Vec<String> = rows[1..]
        .iter()
        .map(|row| {
            let action = row.action.as_ref().expect("an action");
            let before = page_at(&trace, row.index.0 - 1);
            let id = action.target.and_then(|key| before.find(key)?.attribute("id").map(str::to_owned));
            format!("{} {}", action.taken.kind, id.unwrap_or_default())
        })
        .collect();
    assert_eq!(told, ["fill name", "fill secret", "wait_for ", "click late", "goto "]);
    let typed = &rows[2].action.as_ref().expect("an action").taken.text;
    assert!(typed != "hunter2-and-more" && typed.len() == "hunter2-and-more".len(), "{typed}");
}
