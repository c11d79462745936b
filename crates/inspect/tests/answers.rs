//! What the tools answer: filters, bodies, the page, secrets.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::page::PageBuilder;
use browserlens_core::schema::Schema;
use browserlens_core::strategy::{EventKind, PageSource, RequestEvent, StepIndex};
use browserlens_inspect::{
    ConsoleQuery, HtmlQuery, Inspector, Limits, NetworkQuery, OneOrMany, Presets, SummaryQuery, TOOLS, TextQuery,
    UnixMillis, har, stream,
};
use browserlens_trace::{Outcome, Redactor, TraceWriter};
use common::trace_common::{self, planted};
use common::{Memory, NOW, answers, asked, bundled, console, inspector, open, request, traced};
use serde_json::{Value, json};

fn call(source: &mut dyn PageSource, tool: &str, arguments: Value) -> Value {
    inspector().call(source, tool, arguments, NOW).unwrap()
}

fn urls(answer: &Value) -> Vec<&str> {
    answer["data"].as_array().unwrap().iter().map(|row| row["url"].as_str().unwrap()).collect()
}

fn traffic() -> Vec<EventKind> {
    let slow = RequestEvent { duration_ms: 2_500, method: "POST".into(), ..request("http://api.a.test/orders", 201) };
    let broken = RequestEvent {
        failure: "net::ERR_ABORTED".into(),
        resource_type: "Image".into(),
        ..request("http://cdn.b.test/x.png", 0)
    };
    vec![
        asked("http://a.test/", 200),
        EventKind::Request(Box::new(slow)),
        asked("http://api.a.test/missing", 404),
        console("error", "boom"),
        EventKind::Request(Box::new(broken)),
        asked("http://api.a.test/down", 503),
    ]
}

#[test]
fn filters_compose_and_failed_requests_come_first() {
    let ((_folder, mut trace), mut memory) = (traced(traffic()), Memory::new(traffic()));
    let sources: [&mut dyn PageSource; 2] = [&mut trace, &mut memory];
    for source in sources {
        let mut ask = |arguments: Value| {
            let answer = call(source, "get_network_requests", arguments);
            urls(&answer).iter().map(|url| (*url).to_owned()).collect::<Vec<_>>().join(" ")
        };
        let (missing, down, image) = ("http://api.a.test/missing", "http://api.a.test/down", "http://cdn.b.test/x.png");
        let (page, slow) = ("http://a.test/", "http://api.a.test/orders");
        assert_eq!(ask(json!({})), format!("{missing} {image} {down} {page} {slow}"));
        assert_eq!(ask(json!({ "failedFirst": false })), format!("{page} {slow} {missing} {image} {down}"));
        assert_eq!(ask(json!({ "failedOnly": true, "domain": "API" })), format!("{missing} {down}"));
        assert_eq!(ask(json!({ "status": ["4xx", 201] })), format!("{missing} {slow}"));
        assert_eq!(ask(json!({ "status": "500-599" })), down);
        assert_eq!(ask(json!({ "status": 0, "resourceType": "image" })), image);
        assert_eq!(
            ask(json!({ "method": "post", "minDurationMs": 2_000, "domain": "api", "resourceType": ["xhr", "fetch"] })),
            slow
        );
        assert_eq!(ask(json!({ "searchTerm": "ERR_ABORTED" })), image);
        assert_eq!(ask(json!({ "preset": "slow" })), slow);
        assert_eq!(ask(json!({ "preset": "debug", "failedOnly": false, "status": "2xx" })), format!("{page} {slow}"));
        assert_eq!(ask(json!({ "tabId": 0, "since": 40 })), format!("{image} {down}"));
    }
}

#[test]
fn an_answer_tells_counts_sizes_filters_and_cuts() {
    let mut source = Memory::new(traffic());
    let query = NetworkQuery { failed_only: Some(true), page_size: Some(2), ..NetworkQuery::default() };
    let answer = inspector().network(&mut source, &query, NOW).unwrap();
    assert_eq!((answer.count, answer.total, answer.has_more, answer.size.original_count), (2, 3, true, 5));
    assert_eq!(answer.message, "2 of 3 requests that pass the filters, of 5; nextCursor gives more");
    assert_eq!(serde_json::to_value(&answer.filters).unwrap(), json!({ "failedOnly": true, "failedFirst": true }));
    let console = inspector().console(&mut source, &ConsoleQuery::default(), NOW).unwrap();
    assert_eq!(serde_json::to_value(&console.filters).unwrap(), json!({ "logLevels": ["error", "warn"] }));
    assert_eq!(console.message, "all 1 console messages that pass the filters, of 1");
}

#[test]
fn folded_messages_are_fewer_rows_and_sizes_are_of_all_pages() {
    let kinds = ["a", "a", "b", "a", "c"].map(|text| console("error", text));
    let mut source = Memory::new([kinds.to_vec(), vec![console("log", &"x".repeat(3_000))]].concat());
    let whole = call(&mut source, "get_console_messages", json!({ "logLevels": "All" }));
    assert_eq!((&whole["count"], &whole["messages"], &whole["total"]), (&json!(4), &json!(6), &json!(6)));
    let said = "all 6 console messages that pass the filters, of 6, in 4 rows; 1 text was cut";
    assert_eq!((&whole["message"], &whole["size"]["returnedCount"]), (&json!(said), &json!(4)));
    let mut bytes = 1;
    for answer in answers(&mut source, "get_console_messages", json!({ "logLevels": ["all"], "pageSize": 1 })) {
        assert_eq!(answer["size"]["originalBytes"], whole["size"]["originalBytes"], "the same on each page");
        assert_eq!(answer["size"]["returnedBytes"], answer["data"].to_string().len());
        bytes += answer["data"].to_string().len() - 1;
    }
    // One to a page, nothing is folded; a text was cut at 2,048 bytes.
    assert_eq!(whole["size"]["originalBytes"], bytes + 3_000 - 2_048);
}

#[test]
fn users_add_presets() {
    let mut presets = Presets::default();
    presets.add_toml("[shop]\nwhy = \"orders\"\n[shop.network]\ndomain = \"api\"\nmethod = \"POST\"\n").unwrap();
    let inspector = inspector().with_presets(presets);
    let query = NetworkQuery { preset: Some("shop".into()), ..NetworkQuery::default() };
    let answer = inspector.network(&mut Memory::new(traffic()), &query, NOW).unwrap();
    assert_eq!((answer.total, answer.data[0].url.as_str()), (1, "http://api.a.test/orders"));
    assert_eq!(answer.filters.domain.as_deref(), Some("api"), "what a preset gave stands in the filters");
}

fn body(kind: RequestEvent, mut arguments: Value) -> Value {
    let (_folder, mut source) = traced(vec![EventKind::Request(Box::new(kind))]);
    arguments["includeResponseBodies"] = true.into();
    let answer = call(&mut source, "get_network_requests", arguments);
    answer["data"][0]["responseBody"].clone()
}

#[test]
fn bodies_of_every_kind_have_their_size_and_nothing_is_decoded_into_garbage() {
    let of = |mime: &str, bytes: u64, body: Option<&str>| RequestEvent {
        mime_type: mime.into(),
        response_bytes: bytes,
        response_body: body.map(str::to_owned),
        ..request("http://a.test/x", 200)
    };
    let said = |event: RequestEvent| {
        let body = body(event, json!({}));
        (body["bytes"].as_u64(), body["text"].as_str().map(str::len), body["note"].as_str().unwrap_or("").to_owned())
    };
    assert_eq!(said(of("image/png", 777, None)), (Some(777), None, "not kept: image/png is no text".into()));
    assert!(said(of("text/html; charset=shift_jis", 500, None)).2.contains("of another charset"));
    assert!(said(of("application/json", 104_857_600, None)).2.contains("over the limit"));
    assert!(said(of("text/plain", 40, Some("\u{1}\u{2}\u{fffd}\u{fffd}\0junk"))).2.contains("binary"));
    assert!(said(of("text/event-stream", 0, None)).0.is_none(), "a stream that has not ended has no body yet");
    let mut aborted = of("application/json", 12, None);
    aborted.failure = "net::ERR_ABORTED".into();
    assert_eq!(said(aborted), (Some(12), None, "no body: net::ERR_ABORTED".into()));
    let short = body(of("text/plain", 5, Some("Größe")), json!({}));
    assert_eq!(short, json!({ "bytes": 7, "text": "Größe" }));
}

#[test]
fn a_body_of_a_hundred_megabytes_is_cut_at_ten_kilobytes() {
    let text = "{\"items\":[1,2,3]},".repeat(105_000_000 / 18);
    let event = RequestEvent {
        mime_type: "application/json".into(),
        response_bytes: text.len() as u64,
        response_body: Some(text),
        ..request("http://a.test/x", 200)
    };
    let (_folder, mut source) = traced(vec![EventKind::Request(Box::new(event))]);
    let answer = call(&mut source, "get_network_requests", json!({ "includeResponseBodies": true }));
    let body = &answer["data"][0]["responseBody"];
    assert_eq!(body["text"].as_str().map(str::len), Some(10_240));
    assert_eq!((&body["bytes"], &body["truncated"]), (&json!(104_999_994), &json!(true)));
    assert_eq!(
        answer["truncated"],
        json!([{ "what": "data[0].responseBody", "original": 104_999_994, "returned": 10_240 }])
    );
    let size = |name: &str| answer["size"][name].as_u64().unwrap();
    assert!((104_999_994..105_001_000).contains(&size("originalBytes")), "{}", answer["size"]);
    assert!((10_240..11_000).contains(&size("returnedBytes")), "{}", answer["size"]);
    let answer = call(&mut source, "get_network_requests", json!({ "bodyPath": "$.items" }));
    assert!(answer["data"][0]["responseBody"]["note"].as_str().unwrap().contains("too large to be parsed"));
}

#[test]
fn bodies_are_asked_for_by_path_or_shape() {
    let event = || RequestEvent {
        mime_type: "application/json".into(),
        response_body: Some(r#"{"items":[{"id":1,"name":"a"},{"id":2}],"next":null}"#.into()),
        ..request("http://a.test/x", 200)
    };
    assert_eq!(body(event(), json!({ "bodyPath": "$.items[*].id" }))["json"], json!([1, 2]));
    let shape = &body(event(), json!({ "bodyShape": true }))["shape"];
    assert_eq!(
        shape["object"]["items"]["array"],
        json!({ "length": 2, "items": { "object": { "id": "integer", "name?": "string" } } })
    );
    let of_part = &body(event(), json!({ "bodyShape": true, "bodyPath": "$.items[0]" }))["shape"];
    assert_eq!(of_part["object"], json!({ "id": "integer", "name": "string" }));
    let plain = RequestEvent { response_body: Some("not json".into()), ..event() };
    let answer = body(plain, json!({ "bodyPath": "$.a" }));
    assert_eq!((&answer["note"], &answer["text"]), (&json!("it is no JSON"), &json!("not json")));
}

fn page() -> browserlens_core::page::Page {
    PageBuilder::outline(
        r#"
        generic tag=html
          generic tag=script
            text "alert(1)"
          generic tag=style
            text "p { }"
          generic tag=body
            main id="top"
              heading "One" level=1 tag=h1
                text "One"
              list class="results"
                listitem
                  link "A" href="/a"
                    text "A"
                listitem
                  button "B"
                    text "B"
              textbox "Key" secret value="•" tag=input type="password"
        "#,
    )
}

#[test]
fn a_part_of_the_page_is_a_tree_that_says_what_was_cut() {
    let mut source = Memory::with_page(page());
    let answer = call(&mut source, "get_dom_snapshot", json!({ "selector": ".results > li" }));
    insta::assert_snapshot!(answer["data"],
        @"[{\"children\":[{\"attributes\":{\"href\":\"/a\"},\"tag\":\"a\",\"text\":\"A\"}],\"tag\":\"li\"},\
            {\"children\":[{\"tag\":\"button\",\"text\":\"B\"}],\"tag\":\"li\"}]");
    assert_eq!(answer["message"], "all 6 nodes of 2 matching elements");
    let whole = call(&mut source, "get_dom_snapshot", json!({ "selector": "main", "maxDepth": 15 }));
    let bytes = json!(whole["data"].to_string().len());
    assert_eq!((&whole["size"]["originalBytes"], &whole["size"]["returnedBytes"]), (&bytes, &bytes));
    let cut = call(&mut source, "get_dom_snapshot", json!({ "selector": "main", "maxDepth": 1 }));
    assert_eq!((&cut["count"], &cut["total"], &cut["hasMore"]), (&json!(4), &json!(11), &json!(true)));
    assert_eq!(cut["data"][0]["children"][1]["cut"], 2, "two items of the list were cut");
    let few = call(&mut source, "get_dom_snapshot", json!({ "selector": "main", "maxNodes": 3 }));
    assert_eq!(few["count"], 3);
    let said = |of: &str| format!("{of}; nextCursor gives more, a selector less");
    assert_eq!(cut["message"], said("4 of 11 nodes of 1 matching element, cut at depth 1"));
    assert_eq!(few["message"], said("3 of 11 nodes of 1 matching element, cut at 3 nodes"));
    // The limits stand in the cursor; others belong to another paging.
    let mut asked = json!({ "selector": "main", "cursor": few["nextCursor"] });
    assert_eq!(call(&mut source, "get_dom_snapshot", asked.clone())["filters"]["maxNodes"], 3);
    asked["maxNodes"] = json!(4);
    let other = inspector().call(&mut source, "get_dom_snapshot", asked, NOW).unwrap_err();
    assert!(other.to_string().starts_with("cursor: it goes on with maxDepth 5 and maxNodes 3"), "{other}");
    // The pages of a tree give every node once, and say where each part of it lies.
    for (nodes, depth) in [(1, 15), (3, 15), (3, 1), (4, 0), (500, 1)] {
        let asked = json!({ "selector": "main", "maxNodes": nodes, "maxDepth": depth });
        let pages = answers(&mut source, "get_dom_snapshot", asked);
        for answer in &pages {
            assert_eq!(answer["size"]["originalBytes"], bytes);
            assert_eq!(answer["size"]["returnedBytes"], answer["data"].to_string().len());
        }
        let seen: u64 = pages.iter().map(|answer| answer["count"].as_u64().unwrap()).sum();
        assert_eq!(seen, 11, "{nodes} nodes, {depth} levels, {} pages", pages.len());
        assert!(pages.len() > 1);
    }
    let next = json!({ "selector": "main", "maxDepth": 1, "cursor": cut["nextCursor"] });
    let next = call(&mut source, "get_dom_snapshot", next);
    let items: Vec<&Value> = next["data"].as_array().unwrap().iter().filter(|node| node["tag"] == "li").collect();
    let under = items[0]["under"].as_str().unwrap();
    let there = call(&mut source, "get_dom_snapshot", json!({ "selector": under, "maxDepth": 0 }));
    assert_eq!((&there["data"][0]["tag"], items.len(), items[1].get("under")), (&json!("ul"), 2, None));
    for (selector, said) in [("aside", "matches nothing on the page"), ("script", "excludeScripts")] {
        let asked = json!({ "selector": selector });
        let error = inspector().call(&mut source, "get_dom_snapshot", asked, NOW).unwrap_err();
        assert_eq!(error.field(), Some("selector"));
        assert!(error.to_string().contains(said), "{error}");
    }
    let whole = call(&mut source, "get_dom_snapshot", json!({})).to_string();
    assert!(!whole.contains("script") && !whole.contains("p { }"));
    let all = call(&mut source, "get_dom_snapshot", json!({ "excludeScripts": false, "excludeStyles": false }));
    assert!(all["data"].to_string().contains("alert(1)") && all["data"].to_string().contains("p { }"));
}

#[test]
fn scripts_that_are_not_left_out_have_their_text() {
    let mut source = bundled("shop-laptop-to-cart");
    let asked = json!({ "selector": "script", "excludeScripts": false });
    let answer = call(&mut source, "get_dom_snapshot", asked);
    let scripts = answer["data"].as_array().unwrap();
    let inline: Vec<&Value> = scripts.iter().filter(|script| script["attributes"].get("src").is_none()).collect();
    assert!(!inline.is_empty());
    for script in inline {
        assert!(script["text"].as_str().is_some_and(|text| text.trim().len() > 1), "{script}");
    }
}

#[test]
fn html_and_text_are_cut_at_their_limits() {
    let mut source = Memory::with_page(page());
    let limits = Limits { max_html_size: 40, max_text_size: 3, ..Limits::default() };
    let small = Inspector::new(limits, browserlens_inspect::CursorKey::new(b"x"));
    let html = small.html(&mut source, &HtmlQuery::default(), NOW).unwrap();
    assert!(html.has_more && html.data.len() <= 40 && html.message.starts_with("the first 40 of "), "{}", html.message);
    let text = small.text(&mut source, &TextQuery::default(), NOW).unwrap();
    assert_eq!((text.data.as_str(), text.truncated[0].returned), ("One", 3));
    // The parts of a text are the text.
    let whole = inspector().html(&mut source, &HtmlQuery::default(), NOW).unwrap();
    assert!(!whole.has_more && whole.next_cursor.is_none());
    let (mut joined, mut part) = (html.data.clone(), html);
    while let Some(cursor) = part.next_cursor {
        part = small.html(&mut source, &HtmlQuery { cursor: Some(cursor), ..HtmlQuery::default() }, NOW).unwrap();
        joined.push_str(&part.data);
        assert_eq!((part.size.original_bytes, part.size.returned_bytes), (whole.size.original_bytes, part.count));
    }
    assert_eq!((joined, part.has_more), (whole.data, false));
    let cursor = text.next_cursor;
    let mut other = Memory::with_page(PageBuilder::outline("main\n  text \"Two, and more\""));
    let changed = small.text(&mut other, &TextQuery { cursor, ..TextQuery::default() }, NOW).unwrap_err();
    assert!(changed.to_string().starts_with("cursor: the page changed since"), "{changed}");
    let none = HtmlQuery { selector: Some("h9".into()), ..HtmlQuery::default() };
    let none = small.html(&mut source, &none, NOW).unwrap_err();
    assert_eq!(none.to_string(), "selector: \"h9\" matches nothing on the page");
    assert_eq!(call(&mut source, "get_text", json!({ "selector": "ul" }))["data"], "A B");
    assert_eq!(call(&mut source, "get_html", json!({ "selector": "h1" }))["data"], "<h1>One</h1>");
}

#[test]
fn a_summary_counts_and_says_where_to_drill_down() {
    let answer = inspector().summary(&mut Memory::new(traffic()), &SummaryQuery::default()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer.data).unwrap());
    assert_eq!(
        answer.message,
        "1 console messages, 1 of them errors; 5 requests, 3 of them failed; get_console_messages tells the errors; \
            get_network_requests with failedOnly tells the failures; its preset slow tells what took long"
    );
}

#[test]
fn rows_are_streamed_as_json_lines() {
    let kinds: Vec<EventKind> = (0..1_234).map(|n| asked(&format!("http://a.test/{n}"), 200)).collect();
    let (_folder, mut source) = traced(kinds);
    let mut out = Vec::new();
    let written = stream::network(&mut source, &NetworkQuery::default(), &Limits::default(), &mut out).unwrap();
    let lines = std::str::from_utf8(&out).unwrap().lines();
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((written, lines.len()), (1_234, 1_234));
    assert_eq!(lines[1_233]["url"], "http://a.test/1233");
    let (mut source, query) = (Memory::new(traffic()), ConsoleQuery::default());
    assert_eq!(stream::console(&mut source, &query, &Limits::default(), &mut Vec::new()).unwrap(), 1);
}

#[test]
fn the_har_export_is_har() {
    // A HAR 1.2 document as the specification has it: required fields, types, and no field that it does not know.
    let schema: Value = serde_json::from_str(include_str!("data/har-1.2.schema.json")).unwrap();
    let schema = Schema::new(&schema).unwrap();
    for name in
        ["live-last-minute-ticket", "spa-plan-a-release", "portal-move-a-patient-appointment", "shop-laptop-to-cart"]
    {
        let mut source = bundled(name);
        let mut out = Vec::new();
        let entries = har::write(&mut source, UnixMillis(1_700_000_000_123), &Limits::default(), &mut out).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        let wrong: Vec<String> = schema.misfits(&value).iter().map(|one| one.to_string()).collect();
        assert_eq!(wrong, Vec::<String>::new(), "{name}");
        let log = value["log"]["entries"].as_array().unwrap();
        assert!(entries > 5 && log.len() as u64 == entries);
        let failed = log.iter().filter(|entry| entry["response"]["status"].as_u64() >= Some(400)).count();
        assert_eq!(failed > 0, name != "shop-laptop-to-cart", "{name}");
    }
    let mut broken = json!({ "log": { "version": "1.2" } });
    assert!(!schema.fits(&broken), "the schema refuses what is no HAR");
    broken["log"]["entries"] = json!([]);
    assert!(!schema.fits(&broken));
}

#[test]
fn no_planted_secret_is_found_through_any_tool() {
    let (steps, options, secrets) = planted::recording();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let mut writer = TraceWriter::create(&path, &trace_common::meta(), Redactor::new(options)).unwrap();
    steps.into_iter().for_each(|step| writer.write_step(step).unwrap());
    writer.finish(Outcome::Complete).unwrap();
    let mut source = open(&path);
    let mut answers = Vec::new();
    for step in 0..4 {
        source.set_step(StepIndex(step)).unwrap();
        for tool in TOOLS {
            let arguments: &[Value] = match tool {
                "get_console_messages" => &[json!({ "logLevels": [] })],
                "get_network_requests" => &[
                    json!({ "includeResponseBodies": true, "includeRequestBodies": true }),
                    json!({ "bodyPath": "$..*", "includeRequestBodies": true, "includeResponseBodies": true }),
                    json!({ "bodyShape": true }),
                ],
                "get_dom_snapshot" => &[json!({ "excludeScripts": false, "includeStyles": true, "maxDepth": 15 })],
                "get_html" => &[json!({ "includeHidden": true })],
                _ => &[json!({})],
            };
            for arguments in arguments {
                answers.push(call(&mut source, tool, arguments.clone()).to_string());
            }
        }
        let mut out = Vec::new();
        har::write(&mut source, NOW, &Limits::default(), &mut out).unwrap();
        let all = ConsoleQuery { log_levels: Some(OneOrMany::Many(vec![])), ..ConsoleQuery::default() };
        stream::console(&mut source, &all, &Limits::default(), &mut out).unwrap();
        answers.push(String::from_utf8(out).unwrap());
    }
    assert!(answers.iter().any(|answer| answer.contains("grant") || answer.contains("user")), "bodies were looked at");
    assert!(answers.iter().any(|answer| answer.contains("login.test/api")));
    for secret in secrets {
        for answer in &answers {
            assert!(!answer.contains(&secret), "{secret:?} in {answer}");
        }
    }
}

#[test]
fn a_live_page_s_secret_field_is_not_shown() {
    let answer = call(&mut Memory::with_page(page()), "get_dom_snapshot", json!({ "selector": "input" }));
    assert_eq!(answer["data"], json!([{ "tag": "input", "attributes": { "type": "password" } }]));
}
