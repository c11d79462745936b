//! The HTTP API: sessions, tools, limits, who may speak to it, and its end.

mod common;
#[path = "common/http.rs"]
mod http;

use browserlens_serve::{Access, HttpOptions, serve_http};
use common::on_trace;
use http::{begin, raw, send, start};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const TRACE: &str = "login-wrong-then-right";

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_begun_used_and_ended() {
    let (address, listening, stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    let (one, other) = (begin(address).await, begin(address).await);
    let observe = |session: String, body: &'static str| async move {
        send(address, "POST", "/v1/observe", &[("Browserlens-Session", &session)], Some(body)).await
    };
    let first = observe(one.clone(), "{}").await;
    assert_eq!(first.status, 200);
    assert!(first.json()["text"].as_str().expect("text").starts_with("[FULL PAGE STATE"));
    assert_eq!(first.json()["untrusted"], json!(true));
    let again = observe(one.clone(), "{}").await.json();
    assert!(again["text"].as_str().expect("text").starts_with("[DELTA"), "{again}");
    let others = observe(other.clone(), "{}").await.json();
    assert_eq!(others["text"], first.json()["text"], "the other session has seen nothing yet");
    let wrong = send(address, "POST", "/v1/click", &[("Browserlens-Session", &one)], Some("{\"ref\":\"@e999\"}")).await;
    assert_eq!((wrong.status, &wrong.json()["error"]["kind"]), (409, &json!("unknown_ref")));
    let ended = send(address, "DELETE", &format!("/v1/sessions/{one}"), &[], None).await;
    assert_eq!(ended.status, 204);
    assert_eq!(observe(one, "{}").await.status, 404);
    let metrics = send(address, "GET", "/metrics", &[], None).await;
    assert!(
        metrics.body.contains("browserlens_calls_total{tool=\"observe\",channel=\"http\",outcome=\"ok\"} 3"),
        "{metrics:?}"
    );
    assert!(metrics.body.contains("browserlens_clients 1\n"), "{metrics:?}");
    stop.cancel();
    listening.finished().await.expect("ends well");
    assert!(
        raw(address, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", Duration::from_secs(5)).await.is_none(),
        "nobody listens any more"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_request_has_its_status() {
    let options = HttpOptions { most_bytes: 4_096, most_clients: 2, ..HttpOptions::default() };
    let (address, _listening, _stop) = start(Arc::new(on_trace(TRACE)), options).await;
    let session = begin(address).await;
    let own = [("Browserlens-Session", session.as_str())];
    let post = |path: &'static str, body: String| async move { send(address, "POST", path, &own, Some(&body)).await };
    assert_eq!(send(address, "GET", "/health", &[], None).await.json(), json!({ "status": "ok" }));
    let long = format!("{{\"strategy\":\"{}\"}}", "x".repeat(5_000));
    let deep = "[".repeat(4_000);
    for (path, body, status) in [
        ("/v1/observe", "{", 400),
        ("/v1/observe", "null", 400),
        ("/v1/observe", &deep, 400),
        ("/v1/observe", &long, 413),
        ("/v1/observe", r#"{"fulll":true}"#, 400),
        ("/v1/get_console_messages", r#"{"pageSize":900}"#, 400),
        ("/v1/get_console_messages", r#"{"logLevels":["loud"]}"#, 400),
        ("/v1/get_dom_snapshot", r#"{"maxDepth":99}"#, 400),
        ("/v1/get_html", r#"{"selector":"a["}"#, 400),
        ("/v1/get_network_requests", r#"{"status":"9xx"}"#, 400),
        ("/v1/get_text", r#"{"selector":"h9"}"#, 409),
        ("/v1/nonsense", "{}", 404),
        ("/nowhere", "{}", 404),
        ("/knowledge/none/query", r#"{"instruction_type":"find_screen","target":"x"}"#, 404),
    ] {
        let reply = post(path, body.to_owned()).await;
        assert_eq!(reply.status, status, "{path} {body}: {reply:?}");
        if path.starts_with("/v1/get_") && status == 400 {
            assert_eq!(reply.json()["error"]["kind"], "arguments", "{path} {body}");
        }
    }
    let answer = post("/v1/get_network_requests", "{\"pageSize\":2}".to_owned()).await.json();
    assert_eq!((&answer["json"]["count"], answer.get("text")), (&json!(2), None), "JSON is no string: {answer}");
    for field in ["data", "total", "hasMore", "nextCursor", "filters", "message"] {
        assert!(answer["json"].get(field).is_some(), "{field}: {answer}");
    }
    let plain = send(address, "POST", "/v1/observe", &[own[0], ("Content-Type", "text/plain")], Some("{}")).await;
    assert_eq!(plain.status, 415);
    let get = send(address, "GET", "/v1/observe", &[], None).await;
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));
    assert_eq!(send(address, "POST", "/v1/observe", &[], Some("{}")).await.status, 400, "no session");
    begin(address).await;
    let third = send(address, "POST", "/v1/sessions", &[], None).await;
    assert_eq!((third.status, third.header("retry-after")), (429, Some("1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn web_pages_and_strangers_are_refused() {
    let token = "0123456789abcdef";
    let access = Access { token: Some(token.to_owned()), ..Access::default() };
    let (address, _listening, _stop) =
        start(Arc::new(on_trace(TRACE)), HttpOptions { access, ..HttpOptions::default() }).await;
    let bearer = format!("Bearer {token}");
    let own = ("Authorization", bearer.as_str());
    let evil = ("Origin", "http://evil.example");
    for (headers, status) in [
        (&[][..], 401),
        (&[("Authorization", "Bearer wrong")], 401),
        (&[own], 200),
        (&[own, ("Host", "rebound.example")], 403),
        (&[own, evil], 403),
    ] {
        assert_eq!(send(address, "GET", "/metrics", headers, None).await.status, status, "{headers:?}");
    }
    assert_eq!(send(address, "POST", "/mcp", &[evil, own], Some("{}")).await.status, 403, "MCP too");
    let open: SocketAddr = "0.0.0.0:0".parse().expect("an address");
    let refused = serve_http(Arc::new(on_trace(TRACE)), open, HttpOptions::default(), CancellationToken::new()).await;
    assert!(refused.expect_err("no token").to_string().contains("a bearer token of at least 16 characters is needed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_is_served_under_its_path_with_a_client_a_session() {
    let (address, _listening, _stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    let accept = ("Accept", "application/json, text/event-stream");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" } } });
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let reply = send(address, "POST", "/mcp", &[accept], Some(&hello.to_string())).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let id = reply.header("mcp-session-id").expect("a session").to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        assert_eq!(send(address, "POST", "/mcp", &[accept, ("Mcp-Session-Id", &id)], Some(&ready)).await.status, 202);
        sessions.push(id);
    }
    let observe =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "observe", "arguments": {} } })
            .to_string();
    for expected in ["[FULL PAGE STATE", "[DELTA"] {
        for id in &sessions {
            let reply = send(address, "POST", "/mcp", &[accept, ("Mcp-Session-Id", id)], Some(&observe)).await;
            let data =
                reply.body.lines().filter_map(|line| line.strip_prefix("data:")).find(|data| data.contains("result"));
            let message: Value = serde_json::from_str(data.unwrap_or_else(|| panic!("{reply:?}"))).expect("JSON");
            let text = message["result"]["content"][0]["text"].as_str().expect("text").to_owned();
            assert!(text.starts_with(expected), "{text}");
        }
    }
    let deep = "[".repeat(100_000);
    assert_eq!(send(address, "POST", "/mcp", &[accept], Some(&deep)).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_ends() {
    let options = HttpOptions { idle: Duration::from_millis(400), ..HttpOptions::default() };
    let (address, _listening, _stop) = start(Arc::new(on_trace(TRACE)), options).await;
    let session = begin(address).await;
    let gone = async {
        while !send(address, "GET", "/metrics", &[], None).await.body.contains("browserlens_clients 0\n") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("it ends");
    let late = send(address, "POST", "/v1/observe", &[("Browserlens-Session", &session)], Some("{}")).await;
    assert_eq!(late.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_knows_nothing_is_told_how_to_begin() {
    let (address, _listening, _stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    let get = async |path: &str| send(address, "GET", path, &[], None).await;
    let guide = get("/").await;
    assert_eq!(guide.status, 200);
    for told in
        ["POST /v1/sessions", "Browserlens-Session", "[DELTA ", "\nclick: ", "\n  fields [object]", "\nchunks: "]
    {
        assert!(guide.body.contains(told), "{told}: {}", guide.body);
    }
    let tokens = browserlens_core::tokens::Encoding::O200kBase.count(&guide.body).0;
    assert!(tokens <= 2_000, "{tokens}");
    let tool = get("/help/snapshot").await;
    assert!(tool.status == 200 && tool.body.contains("\n  selector? string: CSS or @e5\n"), "{}", tool.body);
    let unknown = get("/help/teleport").await;
    assert!(unknown.status == 404 && unknown.body.contains("GET / tells what there is"), "{}", unknown.body);
    let nowhere = get("/v2").await;
    assert!(nowhere.status == 404 && nowhere.body.contains("GET / tells what there is"), "{}", nowhere.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_names_every_tool_with_its_schema() {
    let (address, _listening, _stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    let document = send(address, "GET", "/openapi.json", &[], None).await.json();
    for tool in browserlens_session::tools() {
        if tool.only_allowed {
            // This server was not told to allow it.
            assert!(document["paths"][format!("/v1/{}", tool.name)].is_null(), "{}", tool.name);
            continue;
        }
        let post = &document["paths"][format!("/v1/{}", tool.name)]["post"];
        let schema = &post["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["properties"], tool.arguments["properties"], "{}", tool.name);
    }
    assert!(document["paths"]["/knowledge/{id}/query"]["post"].is_object());
    // Every status that is named leads to its answer.
    for path in document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values()) {
        for (status, answer) in path["responses"].as_object().unwrap() {
            let named = answer["$ref"].as_str().map(|name| document.pointer(&name[1..]));
            assert!(answer["description"].is_string() || named.flatten().is_some(), "{status} {answer}");
        }
    }
}
