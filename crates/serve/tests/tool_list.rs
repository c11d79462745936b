//! The list of tools: what it costs, and its table in the README.
//!
//! `UPDATE_README=1 cargo test -p browserlens-serve --test tool_list` writes the table anew.

use browserlens_core::tokens::Encoding;
use browserlens_session::{INSTRUCTIONS, Policy, ToolGroup, short_schema, tool_list, tools};
use std::fmt::Write as _;

const MOST: u32 = 2_000;
const BEGIN: &str = "<!-- tools: begin -->\n";
const END: &str = "<!-- tools: end -->";

/// The list where everything is allowed.
fn whole() -> serde_json::Value {
    tool_list(&Policy { evaluate: true, ..Policy::default() })
}

fn count(text: &str) -> u32 {
    Encoding::O200kBase.count(text).0
}

#[test]
fn the_whole_list_costs_at_most_2_000_tokens() {
    let list = whole().to_string();
    let tokens = count(&list);
    println!("all tools: {tokens} tokens");
    assert!(tokens <= MOST, "{tokens} tokens:\n{list}");
}

#[test]
fn the_core_is_16_tools_for_less_than_1_200_tokens() {
    let core = tool_list(&Policy { groups: vec![ToolGroup::Core], ..Policy::default() });
    let names = core["tools"].as_array().expect("a list").len();
    let tokens = count(&core.to_string());
    println!("core tools: {tokens} tokens");
    assert!(names == 16 && tokens < 1_200, "{names} tools, {tokens} tokens");
}

#[test]
fn groups_are_disjoint_and_together_all() {
    use ToolGroup::{Core, Inspect, Knowledge, Page};
    let of = |groups: &[ToolGroup]| {
        let list = tool_list(&Policy { groups: groups.to_vec(), ..Policy::default() });
        list["tools"].as_array().expect("a list").len()
    };
    let parts = [Core, Page, Inspect, Knowledge].map(|group| of(&[group]));
    assert!(parts.iter().all(|count| *count > 0), "{parts:?}");
    assert_eq!(parts.iter().sum::<usize>(), of(&[]));
    assert_eq!(of(&[Core, Inspect]), parts[0] + parts[2]);
}

#[test]
fn what_the_server_does_not_allow_is_not_listed() {
    let has = |list: serde_json::Value| {
        list["tools"].as_array().is_some_and(|all| all.iter().any(|tool| tool["name"] == "evaluate"))
    };
    assert!(has(whole()) && !has(tool_list(&Policy::default())));
}

#[test]
fn the_readme_has_every_tool_and_what_it_costs() {
    let mut table = String::from("| tool | what it is for | arguments | tokens |\n| --- | --- | --- | ---: |\n");
    for tool in tools() {
        let schema = short_schema(&tool);
        let names: Vec<&str> =
            schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect();
        let all = whole();
        let listed = all["tools"].as_array().expect("a list").iter().find(|listed| listed["name"] == tool.name);
        let tokens = listed.map_or_else(|| "–".to_owned(), |listed| count(&listed.to_string()).to_string());
        let only = match listed {
            _ if tool.only_allowed => "; listed with `--allow-evaluate` only",
            None if tool.name == "select" => "; not listed over MCP, where `fill` does it",
            None => "; not listed over MCP, where `navigate` does it",
            Some(_) => "",
        };
        let group = match tool.group() {
            ToolGroup::Core => "",
            ToolGroup::Page => " (`page`)",
            ToolGroup::Inspect => " (`inspect`)",
            ToolGroup::Knowledge => " (`knowledge`)",
        };
        writeln!(table, "| `{}`{group} | {}{only} | {} | {tokens} |", tool.name, tool.why, names.join(", "))
            .expect("writes");
    }
    let (all, words) = (count(&tool_list(&Policy::default()).to_string()), count(INSTRUCTIONS));
    let core = tool_list(&Policy { groups: vec![ToolGroup::Core], ..Policy::default() });
    writeln!(table, "| **the core** | what is listed unless told otherwise | | **{}** |", count(&core.to_string()))
        .expect("writes");
    writeln!(table, "| **the whole list** | as `tools/list` sends it | | **{all}** |").expect("writes");
    writeln!(table, "| instructions | the grammar's legend, sent once | | {words} |").expect("writes");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("README.md");
    let begin = readme.find(BEGIN).expect("the begin mark") + BEGIN.len();
    let end = begin + readme[begin..].find(END).expect("the end mark");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(path, format!("{}{table}{}", &readme[..begin], &readme[end..])).expect("writes");
    } else {
        assert_eq!(readme[begin..end], table, "run `UPDATE_README=1 cargo test -p browserlens-serve --test tool_list`");
    }
}
