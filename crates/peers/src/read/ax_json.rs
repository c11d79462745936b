//! Parser of the JSON of `Accessibility.getFullAXTree`, one document a frame.
//!
//! In: one or more JSON values, one after the other (text between them is skipped); every object
//! with a `nodes` list is one tree. Out: nodes in the order of the tree's child lists; the handle
//! is the backend node id. Invariant: any text parses; a cycle or a missing child in the lists ends
//! a walk, it does not repeat it; the walk is iterative.

use super::node::{ReadNode, Reading};
use crate::payloads::{AxTree, Sent, SentValue};
use serde::Deserialize;
use serde_json::Value;

fn text(value: Option<&SentValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(truth)) => truth.to_string(),
        Some(Value::Number(number)) => number.as_f64().map(|number| number.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Properties that are states.
const STATES: [&str; 12] = [
    "checked", "selected", "pressed", "expanded", "disabled", "required", "invalid", "readonly", "focused", "level",
    "busy", "modal",
];

/// Parses accessibility trees as JSON.
pub fn parse(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        rest = &rest[start..];
        match trees(rest) {
            Some((trees, read)) => {
                trees.iter().for_each(|tree| add(&mut reading, tree));
                rest = rest.get(read..).unwrap_or("");
            }
            // Not a tree: go on at the next line, so that a heading between trees does no harm.
            None => rest = rest.find('\n').and_then(|at| rest.get(at + 1..)).unwrap_or(""),
        }
    }
    reading
}

/// Reads one JSON value: a tree or a list of trees. Out: the trees and the bytes read.
fn trees(text: &str) -> Option<(Vec<AxTree<'_>>, usize)> {
    if text.starts_with('{') {
        let (tree, read) = first(text)?;
        return Some((vec![tree], read));
    }
    first(text)
}

fn first<'t, T: Deserialize<'t>>(text: &'t str) -> Option<(T, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter();
    Some((stream.next()?.ok()?, stream.byte_offset()))
}

fn add(reading: &mut Reading, tree: &AxTree<'_>) {
    let children = tree.children();
    let mut is_child = vec![false; children.len()];
    children.iter().flatten().for_each(|child| is_child[*child] = true);
    let mut seen = vec![false; children.len()];
    for root in (0..children.len()).filter(|node| !is_child[*node]) {
        // Stack of: tree index, index of the parent in the reading.
        let mut stack = vec![(root, None)];
        while let Some((index, parent)) = stack.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let node = &tree.nodes[index];
            let role = text(node.role.as_ref());
            let below = if node.ignored || role == "InlineTextBox" {
                parent
            } else {
                reading.nodes.push(read(node, role, parent));
                let here = reading.nodes.len() - 1;
                mark_repeated(&mut reading.nodes, here);
                Some(here)
            };
            stack.extend(children[index].iter().rev().map(|child| (*child, below)));
        }
    }
}

/// Marks the ancestors of a text whose names only repeat it.
fn mark_repeated(nodes: &mut [ReadNode], index: usize) {
    if nodes[index].role != "StaticText" || nodes[index].name.is_empty() {
        return;
    }
    let words = nodes[index].name.clone();
    let mut at = nodes[index].parent;
    for _ in 0..4 {
        let Some(here) = at else { break };
        if nodes[here].name.contains(words.trim()) {
            nodes[here].named_by_content = true;
        }
        at = nodes[here].parent.filter(|parent| *parent < here);
    }
}

fn read(node: &Sent<'_>, role: String, parent: Option<usize>) -> ReadNode {
    let states = node.properties.iter().filter(|property| STATES.contains(&property.name.as_ref()));
    ReadNode {
        role,
        name: text(node.name.as_ref()),
        value: text(node.value.as_ref()),
        states: states.map(|state| super::tags::state(&state.name, &text(state.value.as_ref()))).collect(),
        handle: node.backend().map(|backend| backend.to_string()),
        parent,
        text: text(node.description.as_ref()),
        ..ReadNode::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TREE: &str = r#"{"nodes":[
      {"nodeId":"n1","ignored":false,"role":{"type":"internalRole","value":"RootWebArea"},
       "name":{"type":"computedString","value":"Shop"},"backendDOMNodeId":1,"childIds":["n2","n4"]},
      {"nodeId":"n4","parentId":"n1","ignored":false,"role":{"value":"checkbox"},"name":{"value":"16 GB"},
       "properties":[{"name":"checked","value":{"type":"tristate","value":"true"}},
        {"name":"focusable","value":{"value":true}}],"backendDOMNodeId":4,"childIds":[]},
      {"nodeId":"n2","parentId":"n1","ignored":true,"role":{"value":"none"},"childIds":["n3"],"backendDOMNodeId":2},
      {"nodeId":"n3","parentId":"n2","ignored":false,"role":{"value":"link"},
       "name":{"value":"Cart (1)"},"backendDOMNodeId":3,"childIds":["x1"]},
      {"nodeId":"x1","ignored":false,"role":{"value":"StaticText"},"name":{"value":"Cart (1)"},"childIds":[]}
    ]}"#;

    #[test]
    fn nodes_are_read_in_the_order_of_the_tree() {
        let reading = parse(TREE);
        let names: Vec<(&str, &str)> =
            reading.nodes.iter().map(|node| (node.role.as_str(), node.name.as_str())).collect();
        assert_eq!(
            names,
            [("RootWebArea", "Shop"), ("link", "Cart (1)"), ("StaticText", "Cart (1)"), ("checkbox", "16 GB")]
        );
        assert_eq!(reading.nodes[3].states, ["checked"]);
        assert_eq!(reading.nodes[1].handle.as_deref(), Some("3"));
        assert_eq!(reading.path(1).map(|node| node.name.as_str()).collect::<Vec<_>>(), ["Shop"]);
        assert!(reading.nodes[1].named_by_content && !reading.nodes[3].named_by_content);
    }

    #[test]
    fn several_trees_with_headings_between_them_are_read() {
        let reading = parse(&format!("frame 1\n{TREE}\nframe 2 {{\n{TREE}\n[{TREE}]"));
        assert_eq!(reading.nodes.len(), 12);
    }

    #[test]
    fn a_cycle_ends() {
        let looped = r#"{"nodes":[{"nodeId":"0","childIds":["1"]},{"nodeId":"1","childIds":["2"]},
            {"nodeId":"2","childIds":["1","9"]}]}"#;
        assert_eq!(parse(looped).nodes.len(), 3);
    }

    #[test]
    fn a_chain_of_ten_thousand_does_not_overflow_the_stack() {
        let nodes: Vec<String> =
            (0..10_000).map(|index| format!(r#"{{"nodeId":"{index}","childIds":["{}"]}}"#, index + 1)).collect();
        assert_eq!(parse(&format!(r#"{{"nodes":[{}]}}"#, nodes.join(","))).nodes.len(), 10_000);
        parse(&"[".repeat(100_000));
        parse(&"{\"nodes\":".repeat(50_000));
    }

    proptest! {
        #[test]
        fn any_children_lists_parse(lists in prop::collection::vec(prop::collection::vec(0usize..8, 0..4), 0..8)) {
            let node = |(id, list): (usize, &Vec<usize>)| {
                let children: Vec<String> = list.iter().map(ToString::to_string).collect();
                format!(r#"{{"nodeId":"{id}","childIds":{children:?}}}"#)
            };
            let nodes: Vec<String> = lists.iter().enumerate().map(node).collect();
            let reading = parse(&format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")));
            prop_assert!(reading.nodes.len() <= lists.len());
            for index in 0..reading.nodes.len() {
                prop_assert!(reading.path(index).count() < lists.len());
            }
        }
    }
}
