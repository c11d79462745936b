//! The list of tools: what it costs, and its table in the README.
//!
//! `UPDATE_README=1 cargo test -p browserlens-serve --test tool_list` writes the table anew.

use browserlens_serve::{INSTRUCTIONS, short_schema, tool_list, tools};
use browserlens_tokens::Encoding;
use std::fmt::Write as _;

const MOST: u32 = 2_500;
const BEGIN: &str = "<!-- tools: begin -->\n";
const END: &str = "<!-- tools: end -->";

fn count(text: &str) -> u32 {
    Encoding::O200kBase.count(text).0
}

#[test]
fn the_whole_list_costs_at_most_2_500_tokens() {
    let list = tool_list(true).to_string();
    let tokens = count(&list);
    assert!(tokens <= MOST, "{tokens} tokens:\n{list}");
}

#[test]
fn the_readme_has_every_tool_and_what_it_costs() {
    let mut table = String::from("| tool | what it is for | arguments | tokens |\n| --- | --- | --- | ---: |\n");
    for tool in tools() {
        let schema = short_schema(&tool);
        let names: Vec<&str> =
            schema["properties"].as_object().expect("properties").keys().map(String::as_str).collect();
        let all = tool_list(true);
        let listed = all["tools"].as_array().expect("a list").iter().find(|listed| listed["name"] == tool.name);
        let tokens = count(&listed.expect("it is listed").to_string());
        writeln!(table, "| `{}` | {} | {} | {tokens} |", tool.name, tool.why, names.join(", ")).expect("writes");
    }
    let (all, words) = (count(&tool_list(true).to_string()), count(INSTRUCTIONS));
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
