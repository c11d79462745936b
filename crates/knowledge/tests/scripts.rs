//! What the scripts do in a real Chromium, on a page of its own.
//!
//! Needs Chromium on the `PATH`, or named by `CHROME`, as the recorder's tests do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use browserlens_knowledge::translate::{Context, Profile, translate};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const PAGE: &str = include_str!("data/scripts.html");

/// What is done on the page, and what comes of it.
#[derive(serde::Deserialize)]
struct Case {
    /// The action as knowledge holds it.
    #[serde(flatten)]
    action: Map<String, Value>,
    /// What the script answers.
    says: String,
    /// An expression that is looked at afterwards, and what it is then.
    see: String,
    then: String,
}

fn chromium() -> PathBuf {
    if let Some(path) = std::env::var_os("CHROME").filter(|path| !path.is_empty()) {
        return path.into();
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
        .expect("Chromium on the PATH, or named by CHROME")
}

#[test]
fn scripts_do_in_a_browser_what_they_say() {
    let cases: Vec<Case> =
        include_str!("data/scripts.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut html = format!("{PAGE}<script>setTimeout(async()=>{{const told=[];let r;\n");
    let context = Context { late: true, ..Context::default() };
    for Case { action, see, .. } in &cases {
        let mut whole = json!({ "action_id": "a", "name": "" });
        whole.as_object_mut().unwrap().extend(action.clone());
        let calls = translate(&serde_json::from_value(whole).unwrap(), Profile::BrowserUse013, &context).unwrap();
        let [call] = calls.as_slice() else { panic!("{action:?}: one call") };
        let code = call.parameters["code"].as_str().unwrap();
        assert!(!code.contains("</"), "it can stand in a page");
        writeln!(html, "log='';r=await {code};await new Promise(q=>setTimeout(q,30));told.push([r,String({see})]);")
            .unwrap();
    }
    html.push_str(
        "document.getElementById('out').textContent=encodeURIComponent(JSON.stringify(told));},100)</script>",
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(chromium())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=15000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .env("HOME", folder.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = dom.split_once("<pre id=\"out\">").expect("the page was loaded");
    let (said, _) = rest.split_once("</pre>").unwrap();
    let url = url::Url::parse(&format!("x:?v={said}")).unwrap();
    let (_, json) = url.query_pairs().next().unwrap();
    let told: Vec<(String, String)> = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json:?}"));
    for (Case { action, says, then, .. }, found) in cases.iter().zip(&told) {
        assert_eq!((&found.0, &found.1), (says, then), "{action:?}");
    }
    assert_eq!(told.len(), cases.len());
}
