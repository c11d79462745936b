//! `inspect`: tables and JSON of a trace, cursors across processes, HAR, a live page, and every
//! error with its exit code.

mod common;

use common::{browserlens, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Output;

const PORTAL: &str = "traces/portal-move-a-patient-appointment.trace";

/// Asks `[what, source, options…]`.
fn inspect(arguments: &[&str]) -> Output {
    let asked = match arguments {
        [what, source, options @ ..] => [&["page", source, what], options].concat(),
        other => [&["inspect"], other].concat(),
    };
    browserlens()
        .args(asked)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .env_remove("BROWSERLENS_CURSOR_KEY")
        .output()
        .expect("the command starts")
}

fn shown(arguments: &[&str]) -> String {
    let output = inspect(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&shown(arguments)).expect("is JSON")
}

fn refused(arguments: &[&str]) -> String {
    let output = inspect(arguments);
    assert!(output.stdout.is_empty());
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).trim_end())
}

#[test]
fn tables_are_for_people() {
    let summary = shown(&["summary", PORTAL]);
    let network = shown(&["network", PORTAL, "--failed-only", "--response-bodies"]);
    let console = shown(&["console", PORTAL]);
    let dom = shown(&["dom", PORTAL, "--selector", "h1"]);
    let text = shown(&["get_text", PORTAL, "--selector", "h1"]);
    let html = shown(&["html", PORTAL, "--selector", "h1"]);
    insta::assert_snapshot!([summary, network, console, dom, text, html].join("\n"));
}

#[test]
fn a_cursor_works_in_another_process_and_gives_every_row_once() {
    let all = json(&["network", PORTAL, "--json", "--page-size", "200", "--by-arrival"]);
    let positions = |answer: &Value| -> Vec<u64> {
        let rows = answer["data"].as_array().expect("rows");
        rows.iter().map(|row| row["position"].as_u64().expect("a position")).collect()
    };
    let mut answer = json(&["network", PORTAL, "--json", "--page-size", "7", "--by-arrival"]);
    let mut seen = positions(&answer);
    while let Some(cursor) = answer["nextCursor"].as_str().map(str::to_owned) {
        answer = json(&["network", PORTAL, "--json", "--page-size", "7", "--by-arrival", "--cursor", &cursor]);
        seen.extend(positions(&answer));
    }
    assert!(seen.len() > 14);
    assert_eq!(seen, positions(&all));
    let lines = shown(&["network", PORTAL, "--stream", "--by-arrival"]);
    let streamed: Vec<u64> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("a line of JSON")["position"].as_u64().expect("a position")
        })
        .collect();
    assert_eq!(streamed, seen);
}

#[test]
fn the_cursor_of_a_tree_keeps_its_limits_and_all_levels_are_a_word() {
    let first = json(&["dom", PORTAL, "--max-nodes", "10", "--json"]);
    let next = json(&["dom", PORTAL, "--json", "--cursor", first["nextCursor"].as_str().expect("a cursor")]);
    assert_eq!((&next["count"], &next["size"]["originalBytes"]), (&first["count"], &first["size"]["originalBytes"]));
    let all = json(&["console", PORTAL, "--levels", "all", "--json"]);
    assert_eq!((&all["total"], &all["size"]["originalCount"]), (&all["messages"], &all["messages"]));
    assert!(shown(&["dom", PORTAL, "--selector", "h1", "--max-depth", "0"]).contains(" … 1 child cut"));
}

#[test]
fn limits_are_set_by_options_and_what_they_cut_goes_on() {
    let whole = json(&["html", PORTAL, "--json", "--max-html-size", "1000000"]);
    let mut answer = json(&["html", PORTAL, "--json", "--max-html-size", "5000"]);
    let mut joined = String::new();
    loop {
        let part = answer["data"].as_str().expect("text");
        assert!(part.len() <= 5_000);
        joined.push_str(part);
        assert_eq!(answer["hasMore"], Value::Bool(answer["nextCursor"].is_string()));
        let Some(cursor) = answer["nextCursor"].as_str().map(str::to_owned) else { break };
        answer = json(&["html", PORTAL, "--json", "--max-html-size", "5000", "--cursor", &cursor]);
    }
    assert_eq!(joined, whole["data"].as_str().expect("text"));
    let output = browserlens()
        .args(["page", PORTAL, "get_text", "--json"])
        .current_dir(root())
        .env("BROWSERLENS_MAX_TEXT_SIZE", "100")
        .output()
        .expect("the command starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
    assert!(answer["data"].as_str().is_some_and(|text| text.len() <= 100), "{answer}");
}

#[test]
fn a_cursor_of_another_query_or_trace_is_refused_with_the_reason() {
    let answer = json(&["network", PORTAL, "--json", "--page-size", "7"]);
    let cursor = answer["nextCursor"].as_str().expect("a cursor");
    let other = refused(&["network", PORTAL, "--failed-only", "--cursor", cursor]);
    assert!(other.starts_with("exit 2\n") && other.contains("a query with other filters"), "{other}");
    let other = refused(&["network", "traces/shop-laptop-to-cart.trace", "--cursor", cursor]);
    assert!(other.starts_with("exit 2\n") && other.contains("cursor: it belongs to"), "{other}");
}

#[test]
fn har_is_of_the_format_s_shape_and_compact_is_smaller() {
    let har = json(&["har", PORTAL]);
    assert_eq!(har["log"]["version"], "1.2");
    assert!(har["log"]["entries"].as_array().is_some_and(|entries| entries.len() == 38));
    let (whole, compact) = (shown(&["network", PORTAL, "--json"]), shown(&["network", PORTAL, "--compact"]));
    assert!(compact.len() * 2 < whole.len(), "{} and {} bytes", compact.len(), whole.len());
}

#[test]
fn the_tools_are_listed_with_their_schemas() {
    let tools = {
        let output = browserlens().args(["schema", "tools"]).output().expect("the command starts");
        serde_json::from_slice::<Value>(&output.stdout).expect("is JSON")
    };
    let names: BTreeSet<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    let known =
        ["get_summary", "get_console_messages", "get_network_requests", "get_dom_snapshot", "get_html", "get_text"];
    assert_eq!(names, BTreeSet::from(known));
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let cases: [&[&str]; 14] = [
        &["console", "traces/nowhere.trace"],
        &["console", PORTAL, "--step", "99"],
        &["console", PORTAL, "--levels", "fatal"],
        &["console", PORTAL, "--page-size", "0"],
        &["network", PORTAL, "--page-size", "201"],
        &["network", PORTAL, "--status", "9000"],
        &["network", PORTAL, "--cursor", "AAAA"],
        &["network", PORTAL, "--since", "999999999"],
        &["network", PORTAL, "--preset", "unheard"],
        &["dom", PORTAL, "--max-depth=-1"],
        &["dom", PORTAL, "--selector", "h1["],
        &["console", PORTAL, "--tab", "9"],
        &["html", PORTAL, "--selector", "h9"],
        &["html", PORTAL, "--max-html-size", "2000000"],
    ];
    insta::assert_snapshot!(cases.map(refused).join("\n"));
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_answers_like_a_recorded_one() {
    use std::io::{Read, Write};
    let html = "<!doctype html><title>Live</title><link rel=icon href='data:,'><h1>Tides</h1><script>console.error('no \
        tide', {hour: 9}); fetch('/missing')</script>";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).unwrap_or(0);
            let status = if asked[..read].starts_with(b"GET / ") { "200 OK" } else { "404 Not Found" };
            let length = html.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: \
                    close\r\n\r\n{html}"
            );
        }
    });
    let console = shown(&["console", &url]);
    assert!(console.contains("no tide {\"hour\":9}"), "{console}");
    let network = shown(&["network", &url, "--failed-only"]);
    assert!(network.contains("404") && network.contains("/missing"), "{network}");
    assert!(shown(&["get_text", &url]).contains("Tides"));
    let first = json(&["network", &url, "--page-size", "1", "--json"]);
    assert!(first["nextCursor"].is_null() && first["message"].as_str().is_some_and(|said| said.contains("page open")));
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    let refused_there = refused(&["get_text", &format!("http://{free}/")]);
    assert!(
        refused_there.starts_with("exit 5\n") && refused_there.contains("whether the server is running"),
        "{refused_there}"
    );
    let steps = refused(&["console", &url, "--step", "1"]);
    assert!(steps.starts_with("exit 2\n") && steps.contains("a live page has no steps"), "{steps}");
}
