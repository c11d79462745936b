//! `serve` as agents' own programs use it: the official MCP clients for JavaScript and Python list
//! and call every tool, over standard input and output and over HTTP, on a trace and on a live
//! site; schemathesis finds nothing against the OpenAPI document.
//!
//! Those need `scripts/install-clients`: `./just clients` installs and runs them.
#![cfg(all(feature = "serve", feature = "record"))]

mod common;

use browserlens_recorder::SiteServer;
use common::{Mcp, Ran, at_home, at_root, browserlens, root, run, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn tools() -> PathBuf {
    let tools = root().join(".tools/clients");
    assert!(tools.join("venv/bin/python").exists(), "run scripts/install-clients first");
    tools
}

/// A server over HTTP, ended when it is dropped.
struct Server {
    child: Child,
    address: String,
    log: Arc<Mutex<String>>,
}

impl Server {
    fn start(arguments: &[String]) -> Self {
        let mut child = browserlens()
            .args(["serve", "--http", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr")).lines();
        let address = loop {
            let line = lines.next().expect("it listens").expect("a line");
            if let Some((_, rest)) = line.split_once("listening on http://") {
                break rest.split(',').next().expect("an address").to_owned();
            }
        };
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().expect("not poisoned").push_str(&format!("{line}\n"));
            }
        });
        Self { child, address, log }
    }

    /// Sends a request with a further line of the header, or none; returns the whole answer.
    fn ask(&self, line: &str, more: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connects");
        let (address, length) = (&self.address, body.len());
        let head = format!("Host: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n{more}");
        write!(stream, "{line} HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{body}").expect("sends");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("answers");
        reply
    }

    /// Begins a session; returns the line of a header that names it.
    fn session(&self) -> String {
        let reply = self.ask("POST /v1/sessions", "", "");
        let begun: Value = serde_json::from_str(reply.rsplit("\r\n\r\n").next().expect("a body")).expect("JSON");
        format!("Browserlens-Session: {}\r\n", begun["session"].as_str().expect("an id"))
    }

    /// Asks it to end, as service managers do; returns whether it ended well.
    fn stop(mut self) -> bool {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        for _ in 0..300 {
            if let Some(status) = self.child.try_wait().expect("waits") {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A call of every tool, and whether it is a failure: true, false, or null where both will do.
fn plan(is_live: bool, url: &str) -> Vec<(&'static str, Value, Option<bool>)> {
    let on_trace = Some(!is_live);
    let mut plan = vec![];
    if is_live {
        plan.push(("navigate", json!({ "url": url }), Some(false)));
    }
    plan.extend([
        ("observe", json!({}), Some(false)),
        ("find", json!({ "text": "", "role": "button" }), Some(false)),
        ("snapshot", json!({ "mode": "outline" }), Some(false)),
        ("read_text", json!({ "nocache": true }), Some(false)),
        ("get_console_messages", json!({}), Some(false)),
        ("get_network_requests", json!({ "pageSize": 5 }), Some(false)),
        ("get_dom_snapshot", json!({ "selector": "body", "maxDepth": 1 }), Some(false)),
        ("get_summary", json!({}), Some(false)),
        ("get_html", json!({ "selector": "body" }), Some(false)),
        ("get_text", json!({}), Some(false)),
        ("query_knowledge_for_agent", json!({ "instruction_type": "find_screen", "target": "x" }), Some(true)),
        ("fill_action_gaps", json!({ "knowledge_id": "default" }), Some(true)),
        ("expand", json!({ "handle": "@m999" }), Some(true)),
        ("screenshot", json!({}), Some(false)),
        ("tabs", json!({}), Some(false)),
        ("type", json!({ "ref": "$textbox:Name", "text": "Mira Osei" }), Some(false)),
        ("type", json!({ "ref": "$textbox:Email", "text": "mira.osei@example" }), Some(false)),
        ("click", json!({ "ref": "$checkbox:Send me" }), Some(false)),
        // On the trace another action was recorded here.
        ("fill", json!({ "fields": [{ "ref": "$textbox:Name", "value": "Mira" }] }), on_trace),
        ("hover", json!({ "ref": "$button:Sign up" }), on_trace),
        ("press", json!({ "key": "Tab" }), on_trace),
        ("scroll", json!({ "y": 10 }), on_trace),
        ("select", json!({ "ref": "$button:Sign up", "option": "none" }), Some(true)),
        ("drag", json!({ "from": "$button:Sign up", "to": "$textbox:Name" }), None),
        ("upload", json!({ "ref": "$button:Sign up", "files": ["a"] }), Some(true)),
        ("wait", json!({ "ms": 1 }), on_trace),
        ("dialog", json!({ "accept": true }), Some(true)),
    ]);
    if is_live {
        plan.push(("evaluate", json!({ "expression": "document.title" }), Some(false)));
        plan.push(("navigate", json!({ "url": format!("{url}?again") }), Some(false)));
    }
    plan.extend([("back", json!({}), on_trace), ("forward", json!({}), on_trace)]);
    if !is_live {
        plan.push(("navigate", json!({ "url": "https://example.com/" }), Some(true)));
    }
    plan
}

/// Runs a client over a plan and checks what it prints.
fn check(client: &[&str], how: &[String], plan: &[(&'static str, Value, Option<bool>)], label: &str) {
    let calls: Vec<Value> = plan.iter().map(|(tool, arguments, _)| json!([tool, arguments])).collect();
    let mut command = at_home(Command::new(client[0]));
    command.args(&client[1..]).arg(Value::from(calls).to_string()).args(how).env("BROWSERLENS_CLIENTS", tools());
    let ran = Ran::of(&mut command);
    assert_eq!(ran.code, 0, "{label}: {}", ran.said());
    let printed = ran.out;
    let rows: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let listed: BTreeSet<&str> = rows[0]["tools"].as_array().expect("tools").iter().filter_map(Value::as_str).collect();
    let called: BTreeSet<&str> = plan.iter().map(|(tool, ..)| *tool).collect();
    assert_eq!(listed, called, "{label}: every tool that is listed is called");
    assert_eq!(rows.len() - 1, plan.len(), "{label}");
    for ((tool, arguments, fails), row) in plan.iter().zip(&rows[1..]) {
        assert_eq!(row["tool"], json!(tool), "{label}");
        let text = row["text"].as_str().expect("text");
        assert!(!text.is_empty(), "{label}: {tool}");
        if let Some(fails) = fails {
            assert_eq!(row["failed"], json!(fails), "{label}: {tool} {arguments}: {text}");
        }
        if *tool == "screenshot" {
            assert_eq!(row["images"], json!(1), "{label}");
        }
    }
}

fn with_both_clients(source: &[String], plan: &[(&'static str, Value, Option<bool>)], label: &str) {
    let python = tools().join("venv/bin/python").display().to_string();
    let scripts = ["client.mjs", "client.py"].map(|name| at_root(&format!("crates/serve/clients/{name}")));
    for (name, client) in [("JavaScript", ["node", scripts[0].as_str()]), ("Python", [python.as_str(), &scripts[1]])] {
        let mut how = vec!["stdio".to_owned(), env!("CARGO_BIN_EXE_browserlens").to_owned(), "serve".to_owned()];
        how.extend(source.iter().cloned());
        check(&client, &how, plan, &format!("{label}, {name}, stdio"));
        let server = Server::start(source);
        let how = ["http".to_owned(), format!("http://{}/mcp", server.address)];
        check(&client, &how, plan, &format!("{label}, {name}, HTTP"));
        assert!(server.stop(), "{label}, {name}: it ends well when asked to");
    }
}

fn trace() -> String {
    at_root("traces/tiny-newsletter-signup.trace")
}

#[test]
#[ignore = "needs scripts/install-clients; run by `./just clients`"]
fn official_clients_list_and_call_every_tool_on_a_trace() {
    with_both_clients(&["--trace".to_owned(), trace()], &plan(false, ""), "trace");
}

#[test]
#[ignore = "needs scripts/install-clients; run by `./just clients`"]
fn official_clients_list_and_call_every_tool_on_a_live_site() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let site = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "tiny")).expect("serves");
    let host = format!("127.0.0.1:{}", site.port());
    let options = ["--allow-host".to_owned(), host.clone(), "--allow-evaluate".to_owned()];
    with_both_clients(&options, &plan(true, &format!("http://{host}/")), "live");
}

/// Runs schemathesis with so many threads; returns whether it found nothing, and what it said.
fn schemathesis(workers: &str) -> (bool, String) {
    let server = Server::start(&["--trace".to_owned(), trace(), "--max-clients".to_owned(), "1000".to_owned()]);
    let session = server.session();
    let cases = "--phases examples,coverage,fuzzing --max-examples 10 --seed 1 --suppress-health-check all";
    let how = format!("--no-color --continue-on-failure --workers {workers} --header '{}'", session.trim_end());
    let mut command = at_home(Command::new(tools().join("venv/bin/schemathesis")));
    command.args(words(&format!("run http://{}/openapi.json {cases} {how}", server.address)));
    let ran = Ran::of(command.current_dir(tempfile::tempdir().expect("a folder").path()));
    (ran.code == 0, format!("{}\n{}", ran.out, ran.err))
}

#[test]
#[ignore = "needs scripts/install-clients; run by `./just clients`"]
fn schemathesis_finds_no_failure_against_the_document() {
    let (found_nothing, said) = schemathesis("1");
    assert!(found_nothing, "{said}");
}

/// With threads of its own it may end with an error that is none of the server's: before Python 3.11.8
/// `ast.parse` fails at times when threads call it (CPython's gh-106905), which Hypothesis does
/// while it makes cases. What it sent must have passed all the same.
#[test]
#[ignore = "needs scripts/install-clients; run by `./just clients`"]
fn every_case_that_schemathesis_sends_from_several_threads_passes() {
    let (found_nothing, said) = schemathesis("4");
    let count = |word: &str| {
        let line = said.lines().find(|line| line.contains(" generated, ")).unwrap_or_else(|| panic!("{said}"));
        let part = line.split(", ").find(|part| part.ends_with(word)).unwrap_or_else(|| panic!("{said}"));
        part.split_whitespace().next().and_then(|count| count.parse::<u32>().ok()).expect("a number")
    };
    assert!(count("generated") > 1_000, "{said}");
    assert_eq!(count("generated"), count("passed"), "{said}");
    assert!(found_nothing || said.contains("recursion depth mismatch"), "{said}");
}

#[test]
fn a_served_trace_answers_logs_nothing_that_was_typed_and_ends_when_asked_to() {
    let server = Server::start(&["--trace".to_owned(), trace(), "--log-json".to_owned()]);
    let own = server.session();
    assert!(server.ask("GET /health", &own, "").ends_with("{\"status\":\"ok\"}"));
    server.ask("POST /v1/observe", &own, "{}");
    for body in [
        "{\"ref\":\"@e1\",\"text\":\"hunter2-typed\"}",
        "{\"ref\":\"@e1\",\"text\":[\"hunter2-list\"]}",
        "{\"ref\":\"hunter2-ref\",\"text\":\"\"}",
        "{\"ref\":\"@e1\",\"text\":\"x\",\"submit\":\"hunter2-flag\"}",
        "hunter2-no-json",
    ] {
        let said = server.ask("POST /v1/type", &own, body);
        let is_own = body.contains("hunter2-typed");
        assert!(is_own || !said.contains("hunter2"), "nor is it said again: {said}");
    }
    let log = Arc::clone(&server.log);
    assert!(server.stop());
    let log = log.lock().expect("not poisoned");
    assert!(log.contains("\"tool\":\"type\"") && log.contains("\"outcome\":\"arguments\""), "{log}");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn an_open_address_without_a_token_is_bad_usage() {
    let refused = run(&format!("serve --trace {} --http 0.0.0.0:0", trace()));
    refused.ends(2, &["a bearer token of at least 16 characters is needed", "--token-env"]);
}

#[test]
fn a_recorded_run_is_whole_after_a_stop_and_opens_after_a_kill() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let site = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "tiny")).expect("serves");
    let host = format!("127.0.0.1:{}", site.port());
    let folder = tempfile::tempdir().expect("a folder");
    for (signal, is_whole) in [("-TERM", true), ("-KILL", false)] {
        let file = folder.path().join(format!("run{signal}.trace"));
        let serve = || {
            let mut command = browserlens();
            command.args(["serve", "--allow-host", &host, "--goal", "the letter", "--record"]).arg(&file);
            command.env("XDG_CONFIG_HOME", folder.path()).stderr(Stdio::null());
            command
        };
        let mut client = Mcp::start(&mut serve());
        client.call("navigate", &json!({ "url": format!("http://{host}/") }));
        client.call("press", &json!({ "key": "Tab" }));
        let pid = client.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
        client.child.wait().expect("it ends");
        let checked = browserlens_trace::verify(&file).unwrap_or_else(|error| panic!("{signal}: {error}"));
        assert_eq!((checked.is_ok(), checked.complete), (true, is_whole), "{signal}: {checked:?}");
        let trace = browserlens_trace::Trace::open(&file).expect("opens");
        assert_eq!((trace.len(), trace.meta().goal.as_str()), (2, "the letter"), "{signal}");
        // A trace that stands there is not written over.
        let again = Ran::of(serve().stdin(Stdio::null()).stderr(Stdio::piped()));
        assert!(again.code != 0 && again.err.contains("run-"), "{again:?}");
    }
}
