//! What answers cost beside the messages of the protocol that they are made of.
//!
//! `cargo test -p browserlens-inspect --test sizes -- --nocapture` prints the table. Traces hold no
//! messages of the protocol as they came: they are written anew from what was kept of them, without
//! what was not (timings, security details, call frames of requests), so they are smaller here than
//! they were.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod common;

use browserlens_core::page::{NodeKind, NodeRef};
use browserlens_core::strategy::{ConsoleMessage, EventFilter, EventKind, PageSource, RequestEvent, RequestParts};
use browserlens_core::tokens::Encoding;
use browserlens_inspect::compact;
use browserlens_trace::TracePages;
use common::{NOW, answers, inspector, open};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut traces: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "trace")).collect();
    traces.sort();
    traces
}

fn events(source: &mut TracePages, kind: &str) -> Vec<(u64, EventKind)> {
    let filter = EventFilter { kinds: vec![kind.to_owned()], parts: RequestParts::Headers, ..EventFilter::default() };
    let found = source.events(&filter, None, usize::MAX).unwrap();
    found.into_iter().map(|event| (event.at_ms, event.kind)).collect()
}

/// `Runtime.consoleAPICalled`.
fn console(at_ms: u64, said: &ConsoleMessage) -> Value {
    let place = format!(" {}:{}:0", said.url, said.line);
    let stack = if said.stack.is_empty() { place } else { said.stack.clone() };
    let frame = |frame: &str| {
        let (function, url) = frame.rsplit_once(' ').unwrap_or(("", frame));
        let mut parts = url.rsplitn(3, ':');
        let (column, line, url) = (parts.next(), parts.next(), parts.next());
        json!({ "functionName": function, "scriptId": "12", "url": url,
            "lineNumber": line.and_then(|n| n.parse::<u32>().ok()),
            "columnNumber": column.and_then(|n| n.parse::<u32>().ok()) })
    };
    let frames: Vec<Value> = stack.lines().map(frame).collect();
    json!({ "method": "Runtime.consoleAPICalled", "sessionId": "0123456789ABCDEF0123456789ABCDEF", "params": {
        "type": said.level, "args": [{ "type": "string", "value": said.text }], "executionContextId": 1,
        "timestamp": at_ms, "stackTrace": { "callFrames": frames } } })
}

/// `Network.requestWillBeSent`, `Network.responseReceived` and `Network.loadingFinished`.
fn network(at_ms: u64, request: &RequestEvent) -> [Value; 3] {
    let headers = |pairs: &[(String, String)]| pairs.iter().cloned().collect::<std::collections::BTreeMap<_, _>>();
    let message = |method: &str, params: Value| {
        let session = "0123456789ABCDEF0123456789ABCDEF";
        json!({ "method": method, "sessionId": session, "params": params })
    };
    let id = format!("1000.{}", request.id);
    [
        message(
            "Network.requestWillBeSent",
            json!({ "requestId": id, "loaderId": "0123456789ABCDEF", "timestamp": at_ms,
            "wallTime": at_ms, "type": request.resource_type, "frameId": "0123456789ABCDEF0123456789ABCDEF",
            "request": { "url": request.url, "method": request.method,
                "headers": headers(&request.request_headers) } }),
        ),
        message(
            "Network.responseReceived",
            json!({ "requestId": id, "loaderId": "0123456789ABCDEF", "timestamp": at_ms,
            "type": request.resource_type, "frameId": "0123456789ABCDEF0123456789ABCDEF",
            "response": { "url": request.url, "status": request.status, "statusText": "", "mimeType": request.mime_type,
                "headers": headers(&request.response_headers), "encodedDataLength": request.response_bytes } }),
        ),
        message(
            "Network.loadingFinished",
            json!({ "requestId": id, "timestamp": at_ms + request.duration_ms,
            "encodedDataLength": request.response_bytes }),
        ),
    ]
}

/// `DOM.getDocument` with `depth: -1` and `pierce: true`.
fn document(node: NodeRef<'_>, ids: &mut u32) -> Value {
    *ids += 1;
    let id = *ids;
    let kind = match node.kind() {
        NodeKind::Document => 9,
        NodeKind::Text => 3,
        _ => 1,
    };
    let attributes: Vec<&str> = node.attributes().flat_map(|(name, value)| [name, value]).collect();
    let children: Vec<Value> = node.children().map(|child| document(child, ids)).collect();
    json!({ "nodeId": id, "backendNodeId": node.key().backend, "nodeType": kind, "nodeName": node.tag().to_uppercase(),
        "localName": node.tag(), "nodeValue": node.text(), "childNodeCount": children.len(), "children": children,
        "attributes": attributes })
}

fn tokens(values: &[Value]) -> u64 {
    values.iter().map(|value| u64::from(Encoding::O200kBase.count(&value.to_string()).0)).sum()
}

#[test]
fn answers_cost_less_than_the_messages_that_they_tell_and_leave_none_out() {
    // Tokens of the protocol, of the default answer, of all that there is.
    let mut sums = [[0u64; 3]; 3];
    for path in traces() {
        let mut source = open(&path);
        let said: Vec<Value> = events(&mut source, "console")
            .iter()
            .filter_map(|(at, kind)| if let EventKind::Console(said) = kind { Some(console(*at, said)) } else { None })
            .collect();
        let requests: Vec<(u64, EventKind)> = events(&mut source, "request");
        let sent: Vec<Value> = requests
            .iter()
            .filter_map(|(at, kind)| if let EventKind::Request(sent) = kind { Some(network(*at, sent)) } else { None })
            .flatten()
            .collect();
        let (page, _) = source.page().unwrap();
        let document = json!({ "id": 1, "result": { "root": document(page.root(), &mut 0) } });
        let all = [
            answers(&mut source, "get_console_messages", json!({ "logLevels": [], "pageSize": 200 })),
            answers(&mut source, "get_network_requests", json!({ "pageSize": 200 })),
            answers(&mut source, "get_dom_snapshot", json!({ "maxDepth": 15, "maxNodes": 2_000 })),
        ];
        for (at, count) in [(0, said.len()), (1, requests.len())] {
            let told = all[at].iter().map(|answer| answer.get("messages").unwrap_or(&answer["count"]));
            let told: u64 = told.map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(told, count as u64, "{}: every message is told", path.display());
        }
        let nodes: u64 = all[2].iter().map(|answer| answer["count"].as_u64().unwrap()).sum();
        assert_eq!(nodes, all[2][0]["total"].as_u64().unwrap(), "{}: every node is told", path.display());
        let tools = ["get_console_messages", "get_network_requests", "get_dom_snapshot"];
        for (at, protocol) in [said, sent, vec![document]].iter().enumerate() {
            let first = inspector().call(&mut source, tools[at], json!({}), NOW).unwrap();
            let whole: Vec<Value> = all[at].iter().cloned().map(compact).collect();
            for (sum, more) in sums[at].iter_mut().zip([tokens(protocol), tokens(&[compact(first)]), tokens(&whole)]) {
                *sum += more;
            }
        }
    }
    for (name, [protocol, default, whole]) in ["console", "network", "DOM"].into_iter().zip(sums) {
        let less = |tokens: u64| 100.0 - 100.0 * tokens as f64 / protocol as f64;
        println!(
            "{name:8} protocol {protocol:8}  default {default:7} ({:.1} % less)  all {whole:7} ({:.1} % less)",
            less(default),
            less(whole)
        );
        assert!(default < protocol && whole < protocol, "{name}");
    }
}

/// A console as a page under work has it: a hundred messages of four scripts, each with a stack of
/// five frames, every third one again.
#[test]
fn a_busy_console_costs_a_tenth_of_its_messages() {
    let said = |n: usize| {
        let n = if n % 3 == 2 { n - 1 } else { n };
        let script = ["cart", "search", "account", "router"][n % 4];
        let url = format!("http://127.0.0.1:8877/assets/{script}.bundle.js");
        let frame = |of: &str, line: usize| format!("{of} {url}:{line}:{}", line % 40);
        ConsoleMessage {
            level: ["error", "warning"][n % 2].to_owned(),
            text: format!("Request {n} for /api/{script} failed with status {}", 400 + n % 5),
            stack: [
                frame("load", 10 + n % 4),
                frame("retry", 88),
                frame("update", 310),
                frame("flush", 17),
                frame("run", 4),
            ]
            .join("\n"),
            url,
            line: 10 + (n % 4) as u32,
        }
    };
    let messages: Vec<ConsoleMessage> = (0..100).map(said).collect();
    let protocol: Vec<Value> = messages.iter().enumerate().map(|(at, said)| console(at as u64, said)).collect();
    let mut source = common::Memory::new(messages.into_iter().map(EventKind::Console).collect());
    let answer = inspector().call(&mut source, "get_console_messages", json!({ "pageSize": 200 }), NOW).unwrap();
    assert_eq!(answer["messages"], 100);
    let (protocol, whole, small) =
        (tokens(&protocol), tokens(std::slice::from_ref(&answer)), tokens(&[compact(answer)]));
    let less = 100.0 - 100.0 * small as f64 / protocol as f64;
    println!("busy console: protocol {protocol}, whole answer {whole}, compact {small} ({less:.1} % less)");
    assert!(small * 10 <= protocol, "{small} of {protocol}");
}
