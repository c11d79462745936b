//! What nobody sees is in no answer: a page, its console, its requests, its dialogs and what is
//! known of it hold every kind of it, every tool is called, and so are the errors of tools.

mod common;
#[path = "common/http.rs"]
mod http;

use browserlens_inspect::CursorKey;
use browserlens_knowledge::protocol::InstructionType;
use browserlens_knowledge::{Document, Knowledge, Store, ingest};
use browserlens_page::text::{count_unseen, is_unseen};
use browserlens_page::{BoxInDocument, Capture, Flags, NodeKey, NodeSpec, Page, PageBuilder};
use browserlens_serve::{
    Act, HttpOptions, KnowledgeBase, Opener, Policy, Shared, Source, TabLine, ToolError, Undone, serve_http, tools,
};
use browserlens_strategy::{
    ActError, BodyHead, BodySide, CaptureImage, ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event,
    EventFilter, EventKind, EventTally, PageSource, RequestEvent, SourceError, SourceId, StepIndex, TabEvent,
};
use common::Mcp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Every unseen character there is, or those at the ends of their ranges.
fn unseen(all: bool) -> Vec<char> {
    let is = |code: u32| char::from_u32(code).is_some_and(is_unseen);
    (0..=0x0010_ffff)
        .filter(|code| is(*code) && (all || !is(code.wrapping_sub(1)) || !is(code + 1)))
        .filter_map(char::from_u32)
        .collect()
}

/// A page with hidden characters in all that a page can say; the number makes it another page.
fn page(hidden: &str, number: u32) -> Page {
    let said = |what: &str| format!("{what} {hidden}{number} x{hidden}y");
    let text = said("Text");
    let mut builder = PageBuilder::new(&format!("https://shop.test/{hidden}?q={hidden}#{hidden}"), &said("Title"));
    let id = format!("id{hidden}");
    let tag = format!("x-{hidden}");
    let seen = Flags::IN_VIEWPORT;
    let open = |builder: &mut PageBuilder, tag: &str, role: &str, name: &str, value: &str| {
        let attributes = vec![
            ("id", id.as_str()),
            ("class", id.as_str()),
            ("title", name),
            ("alt", name),
            ("placeholder", name),
            ("href", name),
            (tag, name),
        ];
        let description = format!("description {name}");
        builder.open(NodeSpec {
            tag,
            role,
            name,
            value,
            description: &description,
            attributes,
            flags: seen,
            ..NodeSpec::default()
        });
    };
    open(&mut builder, "main", "main", &said("Main"), "");
    for (tag, role) in [
        ("h1", "heading"),
        ("h2", "heading"),
        ("p", "paragraph"),
        ("pre", "code"),
        ("blockquote", "blockquote"),
        ("a", "link"),
        ("button", "button"),
        ("li", "listitem"),
        ("img", "image"),
        ("section", "region"),
        ("div", "alert"),
        ("div", "status"),
        (tag.as_str(), hidden),
    ] {
        open(&mut builder, tag, role, &said(tag), "");
        builder.text(&text);
        builder.text(hidden);
        builder.close();
    }
    open(&mut builder, "input", "textbox", &said("Field"), &said("value"));
    builder.close();
    open(&mut builder, "select", "combobox", &said("Choice"), &said("chosen"));
    open(&mut builder, "option", "option", &said("Option"), "");
    builder.close().close();
    open(&mut builder, "table", "table", &said("Table"), "");
    for _ in 0..2 {
        open(&mut builder, "tr", "row", "", "");
        for _ in 0..2 {
            open(&mut builder, "td", "cell", &text, "");
            builder.text(&text);
            builder.close();
        }
        builder.close();
    }
    builder.finish()
}

fn events(hidden: &str) -> Vec<Event> {
    let said = |what: &str| format!("{what} {hidden} {what}");
    let body = Some(
        json!({ format!("key{hidden}"): said("in JSON"), "list": [said("item")], "rest": "x".repeat(400) }).to_string(),
    );
    let request = RequestEvent {
        method: said("GET"),
        url: format!("https://shop.test/{hidden}"),
        resource_type: said("Fetch"),
        status: 500,
        mime_type: said("text/html"),
        request_headers: vec![(said("name"), said("value"))],
        response_headers: vec![(said("name"), said("value"))],
        request_body: body.clone(),
        response_bytes: body.as_ref().map_or(0, |body| body.len() as u64),
        response_body: body,
        failure: said("failed"),
        duration_ms: 5_000,
        ..RequestEvent::default()
    };
    // With a NUL, or a control in every twenty characters, it would count as binary.
    let text = said("plain body").replace('\0', "") + &"x".repeat(2_000);
    let plain = RequestEvent { response_body: Some(text), ..request.clone() };
    let lost = RequestEvent { response_body: None, request_body: None, failure: said("lost"), ..request.clone() };
    let console = |level: &str| {
        EventKind::Console(ConsoleMessage {
            level: level.to_owned(),
            text: said("message"),
            url: said("https://shop.test/a.js"),
            line: 3,
            stack: format!("{}\n{}", said("f https://shop.test/a.js:1"), said("g https://shop.test/a.js:2")),
        })
    };
    let kinds = vec![
        console("error"),
        console("log"),
        EventKind::Request(Box::new(request)),
        EventKind::Request(Box::new(plain)),
        EventKind::Request(Box::new(lost)),
        EventKind::Dialog(DialogEvent {
            kind: DialogKind::Prompt,
            message: said("Sure?"),
            accepted: Some(true),
            typed: said("typed"),
        }),
        EventKind::Tab(TabEvent { what: "opened".to_owned(), url: said("https://shop.test"), title: said("Tab") }),
        EventKind::Download(DownloadEvent {
            url: said("https://shop.test/d"),
            file_name: said("d.csv"),
            bytes: 3,
            state: "completed".to_owned(),
        }),
    ];
    (0..).zip(kinds).map(|(position, kind)| Event { position, step: 0, tab: 0, at_ms: position * 10, kind }).collect()
}

/// A source that says only what hides something, and refuses every other action.
struct Hostile {
    hidden: String,
    page: Arc<Page>,
    events: Vec<Event>,
    acts: u32,
    has_dialog: bool,
}

impl PageSource for Hostile {
    fn step(&self) -> StepIndex {
        StepIndex(self.acts)
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        Ok((Arc::clone(&self.page), Arc::new(Capture::default())))
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        let later = |event: &&Event| after.is_none_or(|after| event.position > after) && filter.passes(event);
        Ok(self.events.iter().filter(later).take(limit).map(|event| filter.parts.of(event)).collect())
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        let found = self.events(filter, after, usize::MAX)?;
        Ok(EventTally { count: found.len() as u64, last: found.last().map(|event| event.position) })
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        let EventKind::Request(request) = &self.events[position as usize].kind else { return Ok(None) };
        let body = match side {
            BodySide::Request => &request.request_body,
            BodySide::Response => &request.response_body,
        };
        Ok(body
            .as_ref()
            .map(|body| BodyHead { head: body.as_bytes()[..limit.min(body.len())].to_vec(), bytes: body.len() as u64 }))
    }

    fn identity(&self) -> SourceId {
        SourceId::Live([7; 16])
    }

    fn now_ms(&mut self) -> Result<u64, SourceError> {
        Ok(1_000)
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        Ok(vec![0])
    }

    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if tab == 0 { self.page() } else { Err(SourceError::NotAvailable { what: self.hidden.clone() }) }
    }

    fn crop(&mut self, _: BoxInDocument) -> Result<CaptureImage, SourceError> {
        Err(SourceError::NotAvailable { what: format!("a crop{}", self.hidden) })
    }
}

impl Source for Hostile {
    fn pages(&mut self) -> &mut dyn PageSource {
        self
    }

    fn is_live(&self) -> bool {
        false
    }

    fn evaluate(&mut self, expression: &str) -> Result<Value, ToolError> {
        Ok(json!({ format!("name{}", self.hidden): format!("{expression}{}", self.hidden) }))
    }

    fn dialog(&mut self) -> Option<String> {
        self.has_dialog.then(|| format!("Sure?{}", self.hidden))
    }

    fn open_tab(&mut self, url: &str) -> Result<(), Undone> {
        Err(Undone::Other(ToolError::Internal(format!("{url}{}", self.hidden))))
    }

    fn tabs(&mut self) -> Result<Vec<TabLine>, ToolError> {
        let line = |index| TabLine { index, url: format!("https://shop.test/{}", self.hidden), is_current: index == 0 };
        Ok(vec![line(0), line(1)])
    }

    fn picture(&mut self, _: Option<NodeKey>) -> Result<CaptureImage, ToolError> {
        Err(ToolError::NotThere { message: format!("no picture{}", self.hidden), hint: "ask for something else" })
    }

    fn act(&mut self, act: &Act) -> Result<(), Undone> {
        self.acts += 1;
        self.has_dialog = self.acts.is_multiple_of(7);
        let reason = format!("covered by \"{}\"", self.hidden);
        match (self.acts % 3, act.node) {
            (1, Some(key)) => Err(ActError::NotActionable { key, reason }.into()),
            (1, None) => Err(ActError::Source(SourceError::Gone { reason }).into()),
            (2, _) => {
                let cause = Box::<dyn std::error::Error + Send + Sync>::from(reason.clone());
                Err(ActError::Source(SourceError::Failed { context: reason, cause }).into())
            }
            _ => {
                self.page = Arc::new(page(&self.hidden, self.acts));
                let position = self.events.len() as u64;
                let again = Event { position, ..self.events[0].clone() };
                self.events.push(again);
                Ok(())
            }
        }
    }
}

struct HostileOpener(String);

impl Opener for HostileOpener {
    fn is_live(&self) -> bool {
        false
    }

    fn open(&self, _: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError> {
        let hidden = self.0.clone();
        let (page, events) = (Arc::new(page(&hidden, 0)), events(&hidden));
        Ok(Some(Box::new(Hostile { page, events, hidden, acts: 0, has_dialog: false })))
    }
}

/// Knowledge of a text that hides something in all that it names.
fn knowledge(hidden: &str, folder: &std::path::Path) -> PathBuf {
    let mut knowledge = Knowledge::new("default");
    let text = format!(
        "# Shop {hidden}\n\n## How to {hidden} order\n\n1. Go to https://shop.test/cart{hidden}\n2. Click the \
            \"Buy{hidden} now\" button\n3. Type \"abc{hidden}\" into \"Name{hidden}\"\n\n## Cart{hidden} page\n\nIt \
            shows {hidden} things.\n"
    );
    let document = Document { name: format!("guide{hidden}.md"), website_id: "shop".into(), text, content_type: None };
    ingest(&mut knowledge, &document);
    let path = folder.join("knowledge.sqlite");
    Store::open(&path).expect("opens").save(&knowledge).expect("saved");
    path
}

fn shared(hidden: &str, folder: &std::path::Path) -> Arc<Shared> {
    let mut shared =
        common::shared(Box::new(HostileOpener(hidden.to_owned())), Policy { evaluate: true, ..Policy::default() });
    shared.knowledge = KnowledgeBase::new(Some(knowledge(hidden, folder)));
    shared.cursor_key = CursorKey::new(b"test");
    Arc::new(shared)
}

/// Every tool, with all that it can be asked for; what is asked hides something too.
fn calls(hidden: &str, reference: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("observe", json!({})),
        ("observe", json!({ "full": true, "budget": 0 })),
        ("observe", json!({ "budget": 200 })),
        ("expand", json!({ "handle": "@m1" })),
        ("expand", json!({ "handle": format!("@m1{hidden}") })),
        ("find", json!({ "text": "", "limit": 1000 })),
        ("find", json!({ "text": hidden, "role": hidden })),
        ("read_text", json!({})),
        ("read_text", json!({ "query": "text message", "limit": 5 })),
        ("read_text", json!({ "query": format!("zebra {hidden}") })),
        ("read_text", json!({ "section": format!("nowhere{hidden}") })),
        ("read_text", json!({ "graph": true })),
        ("chunks", json!({ "maxTokens": 64, "includeLinks": true })),
        ("snapshot", json!({ "grep": "main|x" })),
        ("snapshot", json!({ "mode": "outline", "grep": format!("main|{}", hidden.replace(['\n', '\r'], "")) })),
        ("snapshot", json!({ "mode": "content", "grep": format!("(?x)\n main # {hidden}") })),
        ("snapshot", json!({ "selector": format!("#nowhere{hidden}") })),
        ("snapshot", json!({ "selector": format!("@e9{hidden}") })),
        ("get_summary", json!({})),
        ("get_text", json!({})),
        ("get_text", json!({ "selector": format!("main, .x{hidden}") })),
        ("get_html", json!({ "selector": format!("#nowhere{hidden}") })),
        ("get_console_messages", json!({ "logLevels": [] })),
        ("get_console_messages", json!({ "searchTerm": "message" })),
        ("get_console_messages", json!({ "searchTerm": hidden })),
        ("get_console_messages", json!({ "preset": hidden })),
        ("get_network_requests", json!({})),
        ("get_network_requests", json!({ "searchTerm": hidden, "domain": hidden })),
        ("get_network_requests", json!({ "bodyPath": format!("$[{hidden}") })),
        ("get_dom_snapshot", json!({ "includeStyles": true })),
        ("get_dom_snapshot", json!({ "selector": format!("main, .x{hidden}") })),
        ("navigate", json!({ "url": format!("https://shop.test/{hidden}") })),
        ("tabs", json!({})),
        ("tabs", json!({ "open": format!("https://shop.test/{hidden}") })),
        ("tabs", json!({ "switch": 1 })),
        ("tabs", json!({ "close": true })),
        ("screenshot", json!({})),
        ("screenshot", json!({ "ref": reference })),
        ("wait", json!({ "text": hidden })),
        ("press", json!({ "key": "Enter", "ref": reference })),
        ("press", json!({ "key": hidden.chars().take(90).collect::<String>() })),
        ("upload", json!({ "ref": reference, "files": [hidden] })),
        ("dialog", json!({ "accept": true, "text": hidden })),
        (Box::leak(format!("tool{hidden}").into_boxed_str()), json!({})),
        ("click", json!({ "ref": hidden })),
        ("observe", json!({ hidden: hidden })),
        ("observe", json!({ "strategy": hidden })),
    ];
    for (mode, format) in [("interactive", "tree"), ("outline", "tree"), ("outline", "markdown"), ("content", "tree")] {
        calls.push(("snapshot", json!({ "mode": mode, "format": format })));
    }
    calls.push(("snapshot", json!({ "format": "markdown" })));
    for tool in ["click", "hover", "scroll"] {
        for _ in 0..4 {
            calls.push((tool, json!({ "ref": reference })));
            calls.push(("observe", json!({})));
        }
    }
    for _ in 0..4 {
        calls.push(("type", json!({ "ref": reference, "text": hidden })));
        calls.push(("select", json!({ "ref": reference, "option": hidden })));
        calls.push(("drag", json!({ "from": reference, "to": reference })));
        calls.push((
            "fill",
            json!({ "fields": [{ "ref": reference, "value": hidden }, { "ref": hidden, "value": true }] }),
        ));
        calls.push(("evaluate", json!({ "expression": hidden })));
        calls.push(("back", json!({})));
        calls.push(("forward", json!({})));
    }
    for kind in InstructionType::ALL {
        for target in ["shop", "How to order", hidden] {
            calls.push(("query_knowledge_for_agent", json!({ "instruction_type": kind, "target": target })));
        }
    }
    calls.push(("query_knowledge_for_agent", json!({ "instruction_type": hidden, "target": hidden })));
    let unknown = json!({ "instruction_type": "find_screen", "target": "x", "knowledge_id": hidden });
    calls.push(("query_knowledge_for_agent", unknown));
    calls.push(("fill_action_gaps", json!({ "knowledge_id": "default" })));
    for target in ["How to order", hidden] {
        calls.push(("follow", json!({ "knowledge": target, "values": { hidden: hidden } })));
    }
    calls.push(("fill_action_gaps", json!({ "knowledge_id": hidden })));
    calls
}

/// What is asked for as it is.
fn calls_for_bytes() -> Vec<(&'static str, Value)> {
    vec![
        ("snapshot", json!({ "mode": "content", "format": "html" })),
        ("snapshot", json!({ "mode": "outline", "format": "html" })),
        ("snapshot", json!({ "mode": "interactive", "format": "html" })),
        ("get_network_requests", json!({ "includeResponseBodies": true, "includeRequestBodies": true })),
        ("get_network_requests", json!({ "bodyPath": "$.list[*]" })),
        // What is no JSON has no shape: it comes whole.
        ("get_network_requests", json!({ "bodyShape": true })),
        ("get_html", json!({})),
    ]
}

/// Checks every text and name of a value.
fn is_seen(value: &Value, about: &str) {
    match value {
        Value::String(text) => {
            let found = text.chars().find(|c| is_unseen(*c) && !matches!(c, '\n' | '\t'));
            assert_eq!(found, None, "{about}: {text:?}");
        }
        Value::Array(items) => items.iter().for_each(|item| is_seen(item, about)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            is_seen(&Value::from(name.as_str()), about);
            is_seen(value, about);
        }),
        _ => {}
    }
}

/// Checks that an answer to who asks for bytes says how many unseen characters each part of it
/// holds.
fn is_counted(tool: &str, text: &str) {
    if tool == "snapshot" {
        let count = count_unseen(text);
        // An outline cuts names before what is hidden in them.
        assert!(count > 0 || text.contains(" words -->"), "{text:?}");
        assert_eq!(text.contains(&format!("<!-- unseen characters: {count} -->")), count > 0, "{count}: {text:?}");
        return;
    }
    let mut answer: Value = serde_json::from_str(text).expect("JSON");
    if tool == "get_html" {
        let html = answer["data"].take();
        let count = count_unseen(html.as_str().expect("HTML"));
        assert!(count > 0 && answer["unseenCharacters"] == json!(count), "{count}: {answer}");
        return is_seen(&answer, "beside the HTML");
    }
    fn bodies(value: &mut Value, found: &mut u64) {
        match value {
            Value::Object(body) if body.contains_key("unseenCharacters") => {
                let [text, json] = ["text", "json"].map(|part| body.remove(part).unwrap_or_default());
                fn count(value: &Value) -> u64 {
                    match value {
                        Value::String(text) => count_unseen(text),
                        Value::Array(items) => items.iter().map(count).sum(),
                        Value::Object(members) => {
                            members.iter().map(|(name, value)| count_unseen(name) + count(value)).sum()
                        }
                        _ => 0,
                    }
                }
                assert_eq!(body["unseenCharacters"], json!(count(&text) + count(&json)));
                *found += 1;
            }
            Value::Object(members) => members.values_mut().for_each(|value| bodies(value, found)),
            Value::Array(items) => items.iter_mut().for_each(|value| bodies(value, found)),
            _ => {}
        }
    }
    let mut found = 0;
    bodies(&mut answer, &mut found);
    assert!(found > 0, "no body says what it hides: {text:?}");
    is_seen(&answer, "beside the bodies");
}

async fn every_answer(hidden: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mcp = Mcp::start(shared(hidden, folder.path())).await;
    let first = mcp.call("observe", json!({ "budget": 10_000 })).await;
    let reference = first.split([' ', '\n']).find(|word| word.starts_with("@e")).expect("a ref").to_owned();
    let mut called = BTreeSet::new();
    for (tool, arguments) in calls(hidden, &reference) {
        let answer = mcp.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        is_seen(&answer, &format!("{tool} {arguments}"));
        called.insert(tool);
    }
    let missing: Vec<&str> = tools().iter().map(|tool| tool.name).filter(|name| !called.contains(name)).collect();
    assert!(missing.is_empty(), "never called: {missing:?}");
    for (tool, arguments) in calls_for_bytes() {
        is_counted(tool, &mcp.call(tool, arguments).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_of_any_tool_holds_what_nobody_sees() {
    every_answer(&unseen(false).into_iter().collect::<String>()).await;
    every_answer("\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}").await;
    every_answer("\u{202e}").await;
    every_answer("\u{7f}").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_unseen_character_is_escaped_by_the_tools_that_read() {
    for part in unseen(true).chunks(700) {
        let hidden: String = part.iter().collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut mcp = Mcp::start(shared(&hidden, folder.path())).await;
        for (tool, arguments) in [
            ("observe", json!({})),
            ("read_text", json!({})),
            ("snapshot", json!({ "mode": "content" })),
            ("snapshot", json!({ "format": "markdown" })),
            ("snapshot", json!({ "mode": "outline" })),
            ("get_console_messages", json!({ "logLevels": [] })),
            ("get_dom_snapshot", json!({})),
        ] {
            let answer = mcp.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            assert!(answer["result"]["isError"] != json!(true), "{tool}: {answer}");
            is_seen(&answer, tool);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_over_http_holds_what_nobody_sees() {
    // A NUL and line ends may not stand in a path.
    let hidden: String = unseen(false).into_iter().collect();
    let folder = tempfile::tempdir().expect("a folder");
    let stop = CancellationToken::new();
    let any = "127.0.0.1:0".parse().expect("an address");
    let listening =
        serve_http(shared(&hidden, folder.path()), any, HttpOptions::default(), stop.clone()).await.expect("listens");
    let address = listening.address;
    let begun = http::send(address, "POST", "/v1/sessions", &[], None).await;
    let session = begun.json()["session"].as_str().expect("an id").to_owned();
    let headers = [("Browserlens-Session", session.as_str())];
    for (tool, arguments) in calls(&hidden, "@e1") {
        if tools().iter().any(|known| known.name == tool) {
            let reply =
                http::send(address, "POST", &format!("/v1/{tool}"), &headers, Some(&arguments.to_string())).await;
            is_seen(&reply.json(), &format!("{tool} {arguments}"));
            assert!(!reply.body.contains(is_unseen), "{tool}: {:?}", reply.body);
        }
    }
    for (kind, target) in [("find_screen", "shop"), ("execute_task", hidden.as_str()), (hidden.as_str(), "")] {
        let body = json!({ "instruction_type": kind, "target": target }).to_string();
        for id in ["default", "other%E2%80%AE%F3%A0%81%A1"] {
            let path = format!("/knowledge/{id}/query");
            let reply = http::send(address, "POST", &path, &[], Some(&body)).await;
            is_seen(&reply.json(), &path);
        }
    }
    for path in ["/v1/tool%E2%80%AE%F3%A0%81%A1", "/%E2%80%AE", "/openapi.json"] {
        let method = if path.starts_with("/v1") { "POST" } else { "GET" };
        let reply = http::send(address, method, path, &headers, (method == "POST").then_some("{}")).await;
        is_seen(&reply.json(), path);
    }
    stop.cancel();
    listening.finished().await.expect("ends well");
}
