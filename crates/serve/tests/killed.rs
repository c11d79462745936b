//! Chromium ends under a live client: the client is told, and can start it again.

mod common;

use browserlens_lens::ShownState;
use browserlens_recorder::SiteServer;
use browserlens_session::Policy;
use common::{Mcp, live, sites};
use serde_json::json;
use std::collections::HashSet;
use std::process::Command;
use std::sync::Arc;

/// Processes that this one started, whatever between.
fn descendants() -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        parents.extend(parent.map(|parent| (pid, parent)));
    }
    let mut known = HashSet::from([std::process::id()]);
    loop {
        let before = known.len();
        known.extend(
            parents.iter().filter(|(_, parent)| known.contains(parent)).map(|(pid, _)| *pid).collect::<Vec<_>>(),
        );
        if known.len() == before {
            break;
        }
    }
    known.remove(&std::process::id());
    known.into_iter().collect()
}

fn browsers() -> Vec<u32> {
    let is_browser = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("--user-data-dir=") && !line.contains("--type=")
    };
    descendants().into_iter().filter(is_browser).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_whose_browser_was_killed_is_told_and_starts_it_again() {
    let server = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let shared = live(policy);
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    let page = json!({ "url": format!("http://{host}/action-click.html") });
    let mut shown = ShownState::default();
    shown.apply(&mcp.call("navigate", page.clone()).await).expect("parses");
    let go = shown.nodes().find(|node| node.name() == "Go").and_then(|node| node.reference()).expect("a button");

    let killed = browsers();
    assert_eq!(killed.len(), 1, "one Chromium: {killed:?}");
    assert!(Command::new("kill").args(["-KILL", &killed[0].to_string()]).status().expect("kill").success());
    let told = mcp.try_call("click", json!({ "ref": go.to_string() })).await.expect_err("it is gone");
    assert!(told.starts_with("the browser is gone: ") && told.contains("call `navigate`"), "{told}");
    let again = mcp.try_call("observe", json!({})).await.expect_err("still gone");
    assert!(again.starts_with("the browser is gone: "), "{again}");

    let anew = mcp.call("navigate", page).await;
    assert!(anew.starts_with("[FULL PAGE STATE"), "{anew}");
    let mut after = ShownState::default();
    after.apply(&anew).expect("parses");
    let now = after.nodes().find(|node| node.name() == "Go").and_then(|node| node.reference()).expect("a button");
    let said = mcp.call("click", json!({ "ref": now.to_string() })).await;
    assert!(said.contains("click Go"), "{said}");
}
