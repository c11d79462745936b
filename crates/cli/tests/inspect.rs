//! `inspect`: tables and JSON of a trace, cursors across processes, HAR, a live page, and every
//! error with its exit code.

mod common;

use common::{Ran, browserlens, root, run, serve_page, words};
use serde_json::Value;
use std::collections::BTreeSet;

const PORTAL: &str = "traces/portal-move-a-patient-appointment.trace";

/// Asks `what source options…`.
fn inspect(line: &str) -> Ran {
    let (what, rest) = line.split_once(' ').expect("a source");
    let (source, options) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut command = browserlens();
    command.args(["page", source, what]).args(words(options)).current_dir(root()).env("NO_COLOR", "1");
    Ran::of(command.env_remove("BROWSERLENS_CURSOR_KEY"))
}

/// Asks of the portal's trace.
fn portal(what: &str, options: &str) -> Ran {
    inspect(&format!("{what} {PORTAL} {options}"))
}

fn refused(line: &str) -> String {
    let ran = inspect(line);
    assert!(ran.out.is_empty());
    ran.ended()
}

#[test]
fn tables_are_for_people() {
    let shown = |what: &str, options: &str| portal(what, options).good();
    let summary = shown("summary", "");
    let network = shown("network", "--failed-only --response-bodies");
    let console = shown("console", "");
    let parts = ["dom", "get_text", "html"].map(|what| shown(what, "--selector h1"));
    insta::assert_snapshot!([&[summary, network, console], &parts[..]].concat().join("\n"));
}

#[test]
fn a_ref_is_a_selector_of_the_step_that_gave_it() {
    let found = inspect(&format!("find {PORTAL} --step 2 --role button --limit 1")).good();
    let button = found.split_whitespace().find(|word| word.starts_with("@e")).expect("a ref");
    let of = |what: &str| portal(what, &format!("--step 2 --selector {button}")).good();
    assert!(of("html").starts_with("<button") && of("dom").starts_with("button"));
    assert!(found.contains(of("get_text").trim()), "{found}");
    portal("dom", "--selector @e9999").ends(2, &["@e9999", "@e1 to @e"]);
    portal("html", "--selector @main").ends(2, &["@main", "hint: "]);
}

#[test]
fn a_cursor_works_in_another_process_and_gives_every_row_once() {
    let network = |options: &str| portal("network", &format!("--json --by-arrival {options}")).json();
    let positions = |answer: &Value| -> Vec<u64> {
        let rows = answer["data"].as_array().expect("rows");
        rows.iter().map(|row| row["position"].as_u64().expect("a position")).collect()
    };
    let all = network("--page-size 200");
    let mut answer = network("--page-size 7");
    let mut seen = positions(&answer);
    while let Some(cursor) = answer["nextCursor"].as_str() {
        answer = network(&format!("--page-size 7 --cursor {cursor}"));
        seen.extend(positions(&answer));
    }
    assert!(seen.len() > 14);
    assert_eq!(seen, positions(&all));
    let lines = portal("network", "--stream --by-arrival").good();
    let rows = lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(positions(&serde_json::json!({ "data": Value::Array(rows) })), seen);
}

#[test]
fn the_cursor_of_a_tree_keeps_its_limits_and_all_levels_are_a_word() {
    let first = portal("dom", "--max-nodes 10 --json").json();
    let cursor = first["nextCursor"].as_str().expect("a cursor");
    let next = portal("dom", &format!("--json --cursor {cursor}")).json();
    assert_eq!((&next["count"], &next["size"]["originalBytes"]), (&first["count"], &first["size"]["originalBytes"]));
    let all = portal("console", "--levels all --json").json();
    assert_eq!((&all["total"], &all["size"]["originalCount"]), (&all["messages"], &all["messages"]));
    assert!(portal("dom", "--selector h1 --max-depth 0").good().contains(" … 1 child cut"));
}

#[test]
fn limits_are_set_by_options_and_what_they_cut_goes_on() {
    let html = |options: &str| portal("html", &format!("--json {options}")).json();
    let whole = html("--max-html-size 1000000");
    let mut answer = html("--max-html-size 5000");
    let mut joined = String::new();
    loop {
        let part = answer["data"].as_str().expect("text");
        assert!(part.len() <= 5_000);
        joined.push_str(part);
        assert_eq!(answer["hasMore"], Value::Bool(answer["nextCursor"].is_string()));
        let Some(cursor) = answer["nextCursor"].as_str() else { break };
        answer = html(&format!("--max-html-size 5000 --cursor {cursor}"));
    }
    assert_eq!(joined, whole["data"].as_str().expect("text"));
    let mut command = browserlens();
    command.args(["page", PORTAL, "get_text", "--json"]).current_dir(root()).env("BROWSERLENS_MAX_TEXT_SIZE", "100");
    let answer = Ran::of(&mut command).json();
    assert!(answer["data"].as_str().is_some_and(|text| text.len() <= 100), "{answer}");
}

#[test]
fn a_cursor_of_another_query_or_trace_is_refused_with_the_reason() {
    let answer = portal("network", "--json --page-size 7").json();
    let cursor = answer["nextCursor"].as_str().expect("a cursor");
    portal("network", &format!("--failed-only --cursor {cursor}")).ends(2, &["a query with other filters"]);
    let other = format!("network traces/shop-laptop-to-cart.trace --cursor {cursor}");
    inspect(&other).ends(2, &["cursor: it belongs to"]);
}

#[test]
fn har_is_of_the_format_s_shape_and_compact_is_smaller() {
    let har = portal("har", "").json();
    assert_eq!(har["log"]["version"], "1.2");
    assert!(har["log"]["entries"].as_array().is_some_and(|entries| entries.len() == 38));
    let [whole, compact] = ["--json", "--compact"].map(|form| portal("network", form).good().len());
    assert!(compact * 2 < whole, "{whole} and {compact} bytes");
}

#[test]
fn the_tools_are_listed_with_their_schemas() {
    let tools = run("schema tools").json();
    let names: BTreeSet<&str> =
        tools.as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    let known =
        ["get_summary", "get_console_messages", "get_network_requests", "get_dom_snapshot", "get_html", "get_text"];
    assert_eq!(names, BTreeSet::from(known));
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let of_the_portal = [
        "console --step 99",
        "console --levels fatal",
        "console --page-size 0",
        "network --page-size 201",
        "network --status 9000",
        "network --cursor AAAA",
        "network --since 999999999",
        "network --preset unheard",
        "dom --max-depth=-1",
        "dom --selector h1[",
        "console --tab 9",
        "html --selector h9",
        "html --max-html-size 2000000",
    ];
    let lines = of_the_portal.map(|line| line.replacen(' ', &format!(" {PORTAL} "), 1));
    let told: Vec<String> = lines.iter().map(|line| refused(line)).collect();
    insta::assert_snapshot!(format!("{}\n{}", refused("console traces/nowhere.trace"), told.join("\n")));
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_answers_like_a_recorded_one() {
    let url = serve_page(
        "<!doctype html><title>Live</title><link rel=icon href='data:,'><h1>Tides</h1><script>console.error('no \
        tide', {hour: 9}); fetch('/missing')</script>",
    ) + "/";
    let of = |what: &str, options: &str| inspect(&format!("{what} {url} {options}"));
    let console = of("console", "").good();
    assert!(console.contains("no tide {\"hour\":9}"), "{console}");
    let network = of("network", "--failed-only").good();
    assert!(network.contains("404") && network.contains("/missing"), "{network}");
    assert!(of("get_text", "").good().contains("Tides"));
    let first = of("network", "--page-size 1 --json").json();
    assert!(first["nextCursor"].is_null() && first["message"].as_str().is_some_and(|said| said.contains("page open")));
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    inspect(&format!("get_text http://{free}/")).ends(5, &["whether the server is running"]);
    of("console", "--step 1").ends(2, &["a live page has no steps"]);
}
