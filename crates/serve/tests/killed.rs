//! Chromium ends under a live client: the client is told, and can start it again.

mod common;

use common::{Mcp, on_site, reference, shown};
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
    let (_server, shared, base) = on_site("fixtures").await;
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    let page = json!({ "url": format!("{base}/action-click.html") });
    let go = reference(&shown(&mcp.call("navigate", page.clone()).await), "button", "Go");

    let killed = browsers();
    assert_eq!(killed.len(), 1, "one Chromium: {killed:?}");
    assert!(Command::new("kill").args(["-KILL", &killed[0].to_string()]).status().expect("kill").success());
    mcp.refuses("click", json!({ "ref": go }), &["^the browser is gone: ", "call `navigate`"]).await;
    mcp.refuses("observe", json!({}), &["^the browser is gone: "]).await;

    let anew = mcp.says("navigate", page, &["^[FULL PAGE STATE"]).await;
    let now = reference(&shown(&anew), "button", "Go");
    mcp.says("click", json!({ "ref": now }), &["click Go"]).await;
}
