//! MCP on a trace: what is observed, and how actions go on along what was recorded.

mod common;

use browserlens_core::tokens::Encoding;
use common::{Mcp, on_trace, reference, shown};
use serde_json::json;
use std::sync::Arc;

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
    let mut shown = shown(&mcp.says("observe", json!({}), &["^[FULL PAGE STATE"]).await);
    let search = reference(&shown, "textbox", "Search");
    let answer = mcp.says("type", json!({ "ref": search, "text": "laptop" }), &["^[DELTA 0→1"]).await;
    shown.apply(&answer).expect("follows");
    mcp.refuses("click", json!({ "ref": search }), &["it goes on with click on button \"Go\" @e"]).await;
    let go = reference(&shown, "button", "Go");
    shown.apply(&mcp.call("click", json!({ "ref": go })).await).expect("follows");
    let sixteen = shown.nodes().find(|node| node.role() == "checkbox" && node.name().starts_with("16 GB"));
    let sixteen = sixteen.and_then(|node| node.reference()).expect("the filter").to_string();
    // A check by a form is the click that was recorded.
    let unchecked = json!({ "fields": [{ "ref": sixteen, "value": false }] });
    // It is so already.
    let told = mcp.says("fill", unchecked, &[&format!("^{sixteen} unchecked\n[DELTA")]).await;
    let told = told.split_once('\n').expect("two lines").1.trim_end_matches(" nothing changed");
    shown.apply(told).expect("follows");
    let answer = mcp.call("fill", json!({ "fields": [{ "ref": sixteen, "value": true }] })).await;
    shown.apply(answer.strip_prefix(&format!("{sixteen} checked\n")).expect("what was done")).expect("follows");
    let sort = reference(&shown, "combobox", "Sort by");
    shown.apply(&mcp.call("select", json!({ "ref": sort, "option": "Price: low to high" })).await).expect("follows");
    mcp.says("observe", json!({}), &["^[DELTA 5→6", "!\n"]).await;
    let full = mcp.call("observe", json!({ "full": true })).await;
    assert_eq!(reference(&common::shown(&full), "combobox", "Sort by"), sort, "refs stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn refs_that_are_gone_or_were_never_given_are_told_apart() {
    let mut mcp = Mcp::start(Arc::new(on_trace("login-wrong-then-right"))).await;
    mcp.call("observe", json!({})).await;
    mcp.refuses("click", json!({ "ref": "@e9999" }), &["@e9999 was never given", "hint: "]).await;
    mcp.refuses("click", json!({ "ref": "button" }), &["^arguments: ref: ", "no ref such as @e12"]).await;
    // Also those that the list of tools leaves out.
    mcp.refuses("get_html", json!({ "hidden": true }), &["get_html takes cursor, includeHidden, selector, tabId"])
        .await;
    // All are named.
    mcp.refuses("observe", json!({ "strategy": "hunter2" }), &["\"lens/delta\"", "\"lens/vision-marks\"", "!hunter2"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_that_looks_answers_on_a_trace() {
    let mut mcp = Mcp::start(Arc::new(on_trace("docs-combine-three-documents"))).await;
    mcp.call("observe", json!({ "budget": 800 })).await;
    mcp.says("find", json!({ "text": "a", "role": "link", "limit": 3 }), &[" found\n- link \"", "@e"]).await;
    let outline = mcp.says("snapshot", json!({ "mode": "outline", "depth": 2 }), &["main"]).await;
    assert_eq!(mcp.call("snapshot", json!({ "mode": "outline", "maxDepth": 2 })).await, outline);
    let searched = json!({ "mode": "outline", "grep": { "pattern": "^heading", "ignoreCase": true, "context": 1 } });
    let searched = mcp.says("snapshot", searched, &["HEADING level=1"]).await;
    let flat = json!({ "mode": "outline", "grep": "^heading", "ignoreCase": true, "context": 1 });
    assert_eq!(mcp.call("snapshot", flat).await, searched, "options beside the pattern are those in it");
    mcp.says("snapshot", json!({ "refs": "seed" }), &["@ref:", "! @e1"]).await;
    mcp.says("snapshot", json!({ "mode": "content", "maxLength": 20 }), &["characters left; max length"]).await;
    mcp.refuses("snapshot", json!({ "grep": "Laptosp" }), &["grep \"Laptosp\": nothing", "nearest"]).await;
    mcp.refuses("snapshot", json!({ "invert": true }), &["grep is missing"]).await;
    let chunks = mcp.call("chunks", json!({ "maxTokens": 64, "limit": 2 })).await;
    for line in chunks.lines().take(2) {
        let document: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert!(document["tokens"].as_u64().is_some_and(|tokens| tokens <= 64), "{line}");
    }
    assert!(chunks.lines().last().is_some_and(|line| line.contains("\"offset\":2")), "{chunks}");
    mcp.says("snapshot", json!({ "grep": "nav" }), &["@e"]).await;
    let content = mcp.call("snapshot", json!({ "mode": "content", "format": "markdown" })).await;
    assert!(content.starts_with("[PAGE TEXT ") && content.trim_end().ends_with(']'), "{content}");
    let markdown = mcp.call("snapshot", json!({ "format": "markdown" })).await;
    let lines = |text: &str| {
        text.lines().skip(1).filter(|line| !line.starts_with("[END ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&markdown), lines(&content), "Markdown is of the content");
    mcp.says("read_text", json!({ "query": "price", "limit": 1 }), &["^[PAGE TEXT "]).await;
    mcp.says("get_console_messages", json!({}), &["^{"]).await;
    mcp.says("get_network_requests", json!({ "pageSize": 2 }), &["^{"]).await;
    mcp.says("get_dom_snapshot", json!({ "selector": "main", "maxDepth": 1 }), &["main"]).await;
    let found = mcp.call("find", json!({ "role": "link", "limit": 1 })).await;
    let link = found.split_whitespace().find(|word| word.starts_with("@e")).expect("a ref");
    mcp.says("get_dom_snapshot", json!({ "selector": link }), &["[[\"a\",", "of 1 matching element"]).await;
    let by_preset = json!({ "selector": link, "preset": "debug" });
    mcp.says("get_dom_snapshot", by_preset, &["of 1 matching element"]).await;
    mcp.says("get_html", json!({ "selector": link }), &["\"data\":\"<a "]).await;
    let text = mcp.says("get_text", json!({ "selector": link }), &["\"data\":\""]).await;
    assert!(found.contains(text.split("\"data\":").nth(1).and_then(|rest| rest.split('"').nth(1)).expect("a text")));
    mcp.refuses("get_html", json!({ "selector": "@e9999" }), &["@e9999 was never given", "hint: "]).await;
    mcp.refuses("get_text", json!({ "selector": "@main" }), &["\"@main\" is not a ref", "hint: "]).await;
    let why = mcp.call("observe", json!({ "why": true })).await;
    let (_, why) = why.split_once("\n[WHY]\nchosen: ").expect("why");
    assert!(why.contains("\ndynamic share: ") && why.contains("\nwould cost about: a11y "), "{why}");
    mcp.says("tabs", json!({}), &["^1 tab\n- 0 current "]).await;
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
    let shown = shown(&first);
    let user = shown.nodes().find(|node| node.role() == "textbox").and_then(|node| node.reference()).expect("a field");
    one.refuses("type", json!({ "ref": user.to_string(), "text": "x" }), &["it goes on with fill"]).await;
    other.says("observe", json!({}), &["!\n"]).await;
    // A client that was shown nothing has no refs, whatever others were given.
    let mut third = Mcp::start(Arc::clone(&shared)).await;
    for (tool, arguments) in [
        ("click", json!({ "ref": user.to_string() })),
        ("drag", json!({ "from": user.to_string(), "to": user.to_string() })),
        ("screenshot", json!({ "ref": "@e99999" })),
    ] {
        third.refuses(tool, arguments, &["was never given"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_takes_nothing_from_what_was_told_and_gives_refs_for_what_is_left_out() {
    let mut mcp = Mcp::start(Arc::new(on_trace("shop-laptop-to-cart"))).await;
    let mut shown = shown(&mcp.call("observe", json!({ "budget": 600 })).await);
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
    mcp.refuses("click", json!({ "ref": left_out }), &["it goes on with fill"]).await;
    shown.apply(&nothing).expect("follows");
    shown.apply(&mcp.call("type", json!({ "ref": search, "text": "laptop" })).await).expect("follows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_forges_nothing_in_answers() {
    let mut mcp = Mcp::start(Arc::new(on_trace("hostile-moderate-a-post"))).await;
    let shown = shown(&mcp.call("observe", json!({})).await);
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
