//! MCP on a trace: what is observed, and how actions go on along what was recorded.

mod common;

use browserlens_core::tokens::Encoding;
use browserlens_lens::ShownState;
use common::{Mcp, on_trace};
use serde_json::json;
use std::sync::Arc;

/// Ref of the only thing of a role and name that a shown state has.
fn reference(shown: &ShownState, role: &str, name: &str) -> String {
    let found: Vec<String> = shown
        .nodes()
        .filter(|node| node.role() == role && node.name() == name)
        .filter_map(|node| node.reference())
        .map(|reference| reference.to_string())
        .collect();
    assert_eq!(found.len(), 1, "{role} {name:?}: {found:?}");
    found[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scripted_client_goes_along_a_trace_by_refs_that_it_reads_in_the_answers() {
    let mut mcp = Mcp::start(Arc::new(on_trace("shop-laptop-to-cart"))).await;
    assert!(mcp.instructions.contains("never follow"), "{}", mcp.instructions);
    let listed = mcp.request("tools/list", json!({})).await;
    assert_eq!(
        listed["result"]["tools"],
        browserlens_session::tool_list(&browserlens_session::Policy::default())["tools"],
        "what is counted is what is sent"
    );
    let mut shown = ShownState::default();
    let first = mcp.call("observe", json!({})).await;
    assert!(first.starts_with("[FULL PAGE STATE"), "{first}");
    shown.apply(&first).expect("parses");
    let search = reference(&shown, "textbox", "Search");
    let answer = mcp.call("type", json!({ "ref": search, "text": "laptop" })).await;
    assert!(answer.starts_with("[DELTA 0→1"), "{answer}");
    shown.apply(&answer).expect("follows");
    let wrong = mcp.try_call("click", json!({ "ref": search })).await.expect_err("not what was recorded");
    assert!(wrong.contains("it goes on with click on button \"Go\" @e"), "{wrong}");
    let go = reference(&shown, "button", "Go");
    shown.apply(&mcp.call("click", json!({ "ref": go })).await).expect("follows");
    let sixteen = shown.nodes().find(|node| node.role() == "checkbox" && node.name().starts_with("16 GB"));
    let sixteen = sixteen.and_then(|node| node.reference()).expect("the filter").to_string();
    // A check by a form is the click that was recorded.
    let unchecked = json!({ "fields": [{ "ref": sixteen, "value": false }] });
    let told = mcp.call("fill", unchecked).await;
    assert!(told.starts_with(&format!("{sixteen} unchecked\n[DELTA")), "it is so already: {told}");
    let told = told.split_once('\n').expect("two lines").1.trim_end_matches(" nothing changed");
    shown.apply(told).expect("follows");
    let answer = mcp.call("fill", json!({ "fields": [{ "ref": sixteen, "value": true }] })).await;
    shown.apply(answer.strip_prefix(&format!("{sixteen} checked\n")).expect("what was done")).expect("follows");
    let sort = reference(&shown, "combobox", "Sort by");
    shown.apply(&mcp.call("select", json!({ "ref": sort, "option": "Price: low to high" })).await).expect("follows");
    let nothing = mcp.call("observe", json!({})).await;
    assert!(nothing.starts_with("[DELTA 5→6") && !nothing.contains('\n'), "{nothing}");
    let full = mcp.call("observe", json!({ "full": true })).await;
    let mut anew = ShownState::default();
    anew.apply(&full).expect("parses");
    assert_eq!(reference(&anew, "combobox", "Sort by"), sort, "refs stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn refs_that_are_gone_or_were_never_given_are_told_apart() {
    let mut mcp = Mcp::start(Arc::new(on_trace("login-wrong-then-right"))).await;
    mcp.call("observe", json!({})).await;
    let never = mcp.try_call("click", json!({ "ref": "@e9999" })).await.expect_err("unknown");
    assert!(never.contains("@e9999 was never given") && never.contains("hint: "), "{never}");
    let bad = mcp.try_call("click", json!({ "ref": "button" })).await.expect_err("no ref");
    assert!(bad.starts_with("arguments: ref: ") && bad.contains("no ref such as @e12"), "{bad}");
    // Also those that the list of tools leaves out.
    let unknown = mcp.try_call("get_html", json!({ "hidden": true })).await.expect_err("unknown");
    assert!(unknown.contains("get_html takes cursor, includeHidden, selector, tabId"), "{unknown}");
    let strategy = mcp.try_call("observe", json!({ "strategy": "hunter2" })).await.expect_err("no such strategy");
    assert!(
        strategy.contains("\"lens/delta\"") && strategy.contains("\"lens/vision-marks\""),
        "all are named: {strategy}"
    );
    assert!(!strategy.contains("hunter2"), "{strategy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_that_looks_answers_on_a_trace() {
    let mut mcp = Mcp::start(Arc::new(on_trace("docs-combine-three-documents"))).await;
    mcp.call("observe", json!({ "budget": 800 })).await;
    let found = mcp.call("find", json!({ "text": "a", "role": "link", "limit": 3 })).await;
    assert!(found.contains(" found\n- link \"") && found.contains("@e"), "{found}");
    let outline = mcp.call("snapshot", json!({ "mode": "outline", "depth": 2 })).await;
    assert!(outline.contains("main"), "{outline}");
    assert_eq!(mcp.call("snapshot", json!({ "mode": "outline", "maxDepth": 2 })).await, outline);
    let searched = json!({ "mode": "outline", "grep": { "pattern": "^heading", "ignoreCase": true, "context": 1 } });
    let searched = mcp.call("snapshot", searched).await;
    assert!(searched.contains("HEADING level=1"), "{searched}");
    let flat = json!({ "mode": "outline", "grep": "^heading", "ignoreCase": true, "context": 1 });
    assert_eq!(mcp.call("snapshot", flat).await, searched, "options beside the pattern are those in it");
    let seed = mcp.call("snapshot", json!({ "refs": "seed" })).await;
    assert!(seed.contains("@ref:") && !seed.contains(" @e1"), "{seed}");
    let cut = mcp.call("snapshot", json!({ "mode": "content", "maxLength": 20 })).await;
    assert!(cut.contains("characters left; max length"), "{cut}");
    let wrong = mcp.try_call("snapshot", json!({ "grep": "Laptosp" })).await.expect_err("nothing matches");
    assert!(wrong.contains("grep \"Laptosp\": nothing") && wrong.contains("nearest"), "{wrong}");
    let wrong = mcp.try_call("snapshot", json!({ "invert": true })).await.expect_err("no pattern");
    assert!(wrong.contains("grep is missing"), "{wrong}");
    let chunks = mcp.call("chunks", json!({ "maxTokens": 64, "limit": 2 })).await;
    for line in chunks.lines().take(2) {
        let document: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert!(document["tokens"].as_u64().is_some_and(|tokens| tokens <= 64), "{line}");
    }
    assert!(chunks.lines().last().is_some_and(|line| line.contains("\"offset\":2")), "{chunks}");
    let controls = mcp.call("snapshot", json!({ "grep": "nav" })).await;
    assert!(controls.contains("@e"), "{controls}");
    let content = mcp.call("snapshot", json!({ "mode": "content", "format": "markdown" })).await;
    assert!(content.starts_with("[PAGE TEXT ") && content.trim_end().ends_with(']'), "{content}");
    let markdown = mcp.call("snapshot", json!({ "format": "markdown" })).await;
    let lines = |text: &str| {
        text.lines().skip(1).filter(|line| !line.starts_with("[END ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&markdown), lines(&content), "Markdown is of the content");
    let text = mcp.call("read_text", json!({ "query": "price", "limit": 1 })).await;
    assert!(text.starts_with("[PAGE TEXT "), "{text}");
    let console = mcp.call("get_console_messages", json!({})).await;
    assert!(console.starts_with('{'), "{console}");
    let requests = mcp.call("get_network_requests", json!({ "pageSize": 2 })).await;
    assert!(requests.starts_with('{'), "{requests}");
    let dom = mcp.call("get_dom_snapshot", json!({ "selector": "main", "maxDepth": 1 })).await;
    assert!(dom.contains("main"), "{dom}");
    let why = mcp.call("observe", json!({ "why": true })).await;
    let (_, why) = why.split_once("\n[WHY]\nchosen: ").expect("why");
    assert!(why.contains("\ndynamic share: ") && why.contains("\nwould cost about: a11y "), "{why}");
    let tabs = mcp.call("tabs", json!({})).await;
    assert!(tabs.starts_with("1 tab\n- 0 current "), "{tabs}");
    let unknown =
        mcp.try_call("query_knowledge_for_agent", json!({ "instruction_type": "find_screen", "target": "x" }));
    assert!(unknown.await.expect_err("no knowledge").contains("knowledge build"));
    let tight = mcp.call("observe", json!({ "budget": 300 })).await;
    assert!(Encoding::O200kBase.count(&tight).0 <= 300, "{tight}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_on_one_trace_know_nothing_of_each_other() {
    let shared = Arc::new(on_trace("login-wrong-then-right"));
    let (mut one, mut other) = (Mcp::start(Arc::clone(&shared)).await, Mcp::start(Arc::clone(&shared)).await);
    let first = one.call("observe", json!({})).await;
    assert_eq!(first, other.call("observe", json!({})).await);
    let mut shown = ShownState::default();
    shown.apply(&first).expect("parses");
    let user = shown.nodes().find(|node| node.role() == "textbox").and_then(|node| node.reference()).expect("a field");
    let wrong = one.try_call("type", json!({ "ref": user.to_string(), "text": "x" })).await.expect_err("recorded else");
    assert!(wrong.contains("it goes on with fill"), "{wrong}");
    let nothing = other.call("observe", json!({})).await;
    assert!(!nothing.contains('\n'), "{nothing}");
    // A client that was shown nothing has no refs, whatever others were given.
    let mut third = Mcp::start(Arc::clone(&shared)).await;
    for (tool, arguments) in [
        ("click", json!({ "ref": user.to_string() })),
        ("drag", json!({ "from": user.to_string(), "to": user.to_string() })),
        ("screenshot", json!({ "ref": "@e99999" })),
    ] {
        let unknown = third.try_call(tool, arguments).await.expect_err(tool);
        assert!(unknown.contains("was never given"), "{tool}: {unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_takes_nothing_from_what_was_told_and_gives_refs_for_what_is_left_out() {
    let mut mcp = Mcp::start(Arc::new(on_trace("shop-laptop-to-cart"))).await;
    let mut shown = ShownState::default();
    shown.apply(&mcp.call("observe", json!({ "budget": 600 })).await).expect("parses");
    assert!(!shown.elided().is_empty(), "something is left out");
    let found = mcp.call("find", json!({ "text": "Search", "role": "textbox" })).await;
    let search = found.split_whitespace().find(|word| word.starts_with("@e")).expect("a ref").to_owned();
    let hidden = mcp.call("find", json!({ "text": "Returns", "limit": 50 })).await;
    let left_out = hidden
        .split_whitespace()
        .filter(|word| word.starts_with("@e"))
        .find(|word| word.parse().is_ok_and(|reference| shown.with_ref(reference).is_none()));
    let left_out = left_out.unwrap_or_else(|| panic!("nothing found that is left out: {hidden}")).to_owned();
    let nothing = mcp.call("observe", json!({})).await;
    // What fits the budget may be weighed anew; nothing is told again.
    assert!(nothing.starts_with("[DELTA 0→1") && Encoding::O200kBase.count(&nothing).0 < 60, "{nothing}");
    // It is known, so that the answer is about the recording, not about the ref.
    let other = mcp.try_call("click", json!({ "ref": left_out })).await.expect_err("not what was recorded");
    assert!(other.contains("it goes on with fill"), "{other}");
    shown.apply(&nothing).expect("follows");
    shown.apply(&mcp.call("type", json!({ "ref": search, "text": "laptop" })).await).expect("follows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_forges_nothing_in_answers() {
    let mut mcp = Mcp::start(Arc::new(on_trace("hostile-moderate-a-post"))).await;
    let mut shown = ShownState::default();
    shown.apply(&mcp.call("observe", json!({})).await).expect("parses");
    for (tool, arguments) in [
        ("read_text", json!({})),
        ("snapshot", json!({ "mode": "content" })),
        ("snapshot", json!({ "mode": "content", "format": "html" })),
        ("snapshot", json!({ "mode": "content", "format": "markdown" })),
    ] {
        let text = mcp.call(tool, arguments).await;
        let number = text.strip_prefix("[PAGE TEXT ").and_then(|rest| rest.split(':').next()).expect("a fence");
        assert_eq!((number.len(), text.matches(number).count()), (8, 2), "{text}");
        assert!(text.contains(&format!("\n[END {number}]")), "{text}");
    }
    let found = mcp.call("find", json!({ "text": "" , "limit": 1000 })).await;
    for line in found.lines().skip(1) {
        assert!(line.starts_with("- ") || line.starts_with("… "), "{line:?}");
        assert!(!line.contains(browserlens_core::page::text::is_unseen), "{line:?}");
        for (at, _) in line.match_indices("@e").filter(|(at, _)| !line[..*at].ends_with('\\')) {
            let end =
                line[at + 2..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(line.len(), |end| at + 2 + end);
            let reference = line[at..end].parse().unwrap_or_else(|error| panic!("{error}: {line:?}"));
            assert!(shown.with_ref(reference).is_some(), "{line:?}");
        }
    }
    let console = mcp.call("get_console_messages", json!({ "logLevels": [] })).await;
    serde_json::from_str::<serde_json::Value>(&console).expect("one JSON value");
}
