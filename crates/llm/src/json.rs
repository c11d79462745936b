//! JSON out of what a model said.
//!
//! In: the text of an answer. Out: the one JSON object in it. Invariant: either the text is an
//! object, or a fenced block of it is one; an object in the middle of a sentence is no answer,
//! because which of several was meant would be a guess.

use serde_json::{Map, Value};

/// Returns the JSON object that a text is, or that its last fenced block holds; thoughts up to
/// `</think>` are passed over.
pub fn json_object(text: &str) -> Option<Map<String, Value>> {
    let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after);
    let parse = |text: &str| serde_json::from_str::<Map<String, Value>>(text.trim()).ok();
    parse(text).or_else(|| fenced(text).into_iter().rev().find_map(|block| parse(&block)))
}

/// Returns the contents of the fenced blocks, in order; one that does not end is none.
fn fenced(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (&mut open, is_fence) {
            (None, true) => open = Some(String::new()),
            (Some(_), true) => blocks.extend(open.take()),
            (Some(block), false) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(text: &str) -> Option<i64> {
        json_object(text).and_then(|object| object.get("a").and_then(Value::as_i64))
    }

    #[test]
    fn an_object_or_a_fenced_one_is_an_answer() {
        assert_eq!(a(" {\"a\": 1}\n"), Some(1));
        assert_eq!(a("I would click it.\n```json\n{\"a\": 2}\n```\nDone."), Some(2));
        assert_eq!(a("First\n```\n{\"a\": 3}\n```\nno, rather\n```json\n{\n\"a\": 4\n}\n```"), Some(4));
        assert_eq!(a("<think>{\"a\": 5}</think>\n{\"a\": 6}"), Some(6));
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "", "click @e3", "so {\"a\": 1} it is", "{\"a\": 1", "[1]", "```json\n{\"a\": 1}", "```json\n{\"a\":\n```",
            "null",
        ] {
            assert_eq!(a(text), None, "{text:?}");
        }
    }
}
