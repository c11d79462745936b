//! Known ways, followed through MCP in real Chromium on the bundled sites.
//!
//! The knowledge of a site is read from its recordings. One in ten of its pairs of connected screens
//! is followed: first from nothing to the one screen, then on to the other; whether one has arrived
//! is asked of the recogniser. `just ways` follows all of them.
#![allow(clippy::print_stdout, reason = "the figures are what one runs it for")]

mod common;
#[path = "../../recorder/tests/common/known.rs"]
mod known;

use browserlens_knowledge::{Knowledge, Recording, ScreenId, Store, extract};
use browserlens_recorder::LiveOptions;
use browserlens_session::{KnowledgeBase, LiveOpener, Policy, Shared};
use browserlens_trace::Trace;
use common::{Mcp, shared, sites};
use known::{assert_bar, pairs, secret, traces};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const STORE: &str = "knowledge.sqlite";
const SITES: [&str; 11] =
    ["board", "docs", "intl", "live", "login", "portal", "results", "sheet", "shop", "spa", "table"];

/// What the recordings of a site say.
fn knowledge(site: &str) -> Knowledge {
    let read = |path: &PathBuf| {
        let trace = Trace::open(path).expect("opens");
        (trace.meta().site.as_deref() == Some(site)).then(|| Recording::read(&trace).expect("is read"))
    };
    let recordings: Vec<Recording> = traces().iter().filter_map(read).collect();
    extract("default", &recordings)
}

struct Site {
    name: &'static str,
    folder: TempDir,
}

impl Site {
    fn of(name: &'static str, knowledge: &Knowledge) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Store::open(folder.path().join(STORE)).expect("a store").save(knowledge).expect("saves");
        // Files that a recording handed over, as an agent would have them.
        for action in knowledge.actions.values() {
            let named = ["path", "files"].into_iter().filter_map(|name| action.parameters.get(name));
            for file in named.filter_map(Value::as_str) {
                let path = folder.path().join(file.trim_start_matches('/'));
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes");
                std::fs::write(path, "made for the test").expect("writes");
            }
        }
        Self { name, folder }
    }

    /// Begins with an empty storage.
    async fn client(&self) -> Mcp {
        let upload_root = Some(self.folder.path().to_owned());
        let policy = Policy { private: true, upload_root, ..Policy::default() };
        let opener = LiveOpener::on_site(sites(), self.name.to_owned(), LiveOptions::default());
        let knowledge = KnowledgeBase::new(Some(self.folder.path().join(STORE)));
        Mcp::start(Arc::new(Shared { knowledge, ..shared(Box::new(opener), policy) })).await
    }

    fn values(&self) -> Value {
        secret(self.name).map_or_else(|| json!({}), |secret| json!({ "Password": secret }))
    }

    async fn follow(&self, mcp: &mut Mcp, to: &str) -> Result<(), String> {
        let answer = mcp.try_call("follow", json!({ "knowledge": to, "values": self.values() })).await;
        let way =
            |text: &str| text.lines().take_while(|line| !line.starts_with('[')).collect::<Vec<_>>().join("\n    ");
        match answer {
            Ok(text) if !text.contains("\nstopped at step ") => Ok(()),
            Ok(text) | Err(text) => Err(way(&text)),
        }
    }

    async fn is_at(&self, mcp: &mut Mcp, screen: &ScreenId) -> Result<(), String> {
        let asked = json!({ "instruction_type": "find_screen" });
        let found = mcp.call("query_knowledge_for_agent", asked).await;
        let found: Value = serde_json::from_str(&found).expect("JSON");
        match found["expected_result"]["screen_id"].as_str() {
            Some(id) if id == screen.as_str() => Ok(()),
            other => Err(format!("arrived at {other:?}: {}", found["error"])),
        }
    }

    async fn pair(&self, from: &ScreenId, to: &ScreenId) -> Result<(), String> {
        let mut mcp = self.client().await;
        self.follow(&mut mcp, from.as_str()).await.map_err(|error| format!("to the beginning: {error}"))?;
        self.follow(&mut mcp, to.as_str()).await?;
        self.is_at(&mut mcp, to).await
    }
}

/// Follows one in so many pairs of every site; returns how many were followed and what failed.
async fn follow_all(sites: &[&'static str], one_of: usize) -> (usize, Vec<String>) {
    let (mut followed, mut failed) = (0, Vec::new());
    for name in sites.iter().copied() {
        let knowledge = knowledge(name);
        let site = Site::of(name, &knowledge);
        let all = pairs(&knowledge);
        let mut arrived = 0;
        let wanted: Vec<_> = all.iter().skip(one_of / 2).step_by(one_of).collect();
        for (from, to) in &wanted {
            match site.pair(from, to).await {
                Ok(()) => arrived += 1,
                Err(error) => {
                    println!("{name}: {from} -> {to}: {error}");
                    failed.push(format!("{name}: {from} -> {to}: {error}"));
                }
            }
        }
        println!("{name}: {arrived} of {} ways arrived, of {} pairs", wanted.len(), all.len());
        followed += wanted.len();
    }
    (followed, failed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_known_ways_of_each_site_are_followed_to_their_end() {
    let (followed, failed) = follow_all(&SITES, 10).await;
    assert_bar(followed, &failed, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "all pairs take minutes: `just ways`"]
async fn every_known_way_is_followed_to_its_end() {
    let (followed, failed) = follow_all(&SITES, 1).await;
    assert_bar(followed, &failed, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_stops_where_the_page_differs_and_says_where() {
    let known = knowledge("login");
    let site = Site::of("login", &known);
    let task = known.tasks.keys().next().expect("a task").to_string();

    // The password is a placeholder in the knowledge: it is asked for, and nothing is typed.
    let mut mcp = site.client().await;
    mcp.says("follow", json!({ "knowledge": task }), &["stopped at step ", "values: {\"Password\"", "!{{secret"]).await;

    // With a wrong one the site says so, and the way does not go on as if it had been right.
    let mut mcp = site.client().await;
    let wrong = json!({ "knowledge": task, "values": { "Password": "wrong" } });
    let told = mcp.says("follow", wrong, &["stopped at step "]).await;
    assert!(told.contains("[FULL") || told.contains("PAGE"), "the page is shown: {told}");

    // What is not known is an error that names what is like it.
    mcp.refuses("follow", json!({ "knowledge": "qqq" }), &["no way is known to \"qqq\""]).await;
}
