//! Parser of the JSON of `Accessibility.getFullAXTree`, one document a frame.
//!
//! In: one or more JSON values, one after the other (text between them is skipped); every object
//! with a `nodes` list is one tree. Out: nodes in the order of the tree's child lists; the handle
//! is the backend node id. Invariant: any text parses; a cycle or a missing child in the lists ends
//! a walk, it does not repeat it; the walk is iterative.

use super::node::{ReadNode, Reading};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Tree<'a> {
    #[serde(borrow)]
    nodes: Vec<AxNode<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AxNode<'a> {
    #[serde(borrow, default)]
    node_id: Cow<'a, str>,
    #[serde(default)]
    ignored: bool,
    #[serde(borrow, default)]
    role: Option<AxValue<'a>>,
    #[serde(borrow, default)]
    name: Option<AxValue<'a>>,
    #[serde(borrow, default)]
    description: Option<AxValue<'a>>,
    #[serde(borrow, default)]
    value: Option<AxValue<'a>>,
    #[serde(borrow, default)]
    properties: Vec<Property<'a>>,
    #[serde(borrow, default)]
    child_ids: Vec<Cow<'a, str>>,
    #[serde(rename = "backendDOMNodeId", default)]
    backend: Option<u64>,
}

#[derive(Deserialize)]
struct AxValue<'a> {
    #[serde(borrow, default)]
    value: Option<Scalar<'a>>,
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: AxValue<'a>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Truth(bool),
    Number(f64),
    Other(serde::de::IgnoredAny),
}

impl Scalar<'_> {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Truth(truth) => truth.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Other(_) => String::new(),
        }
    }
}

fn text(value: Option<&AxValue<'_>>) -> String {
    value.and_then(|value| value.value.as_ref()).map(Scalar::text).unwrap_or_default()
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
fn trees(text: &str) -> Option<(Vec<Tree<'_>>, usize)> {
    if text.starts_with('{') {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Tree<'_>>();
        let tree = stream.next()?.ok()?;
        Some((vec![tree], stream.byte_offset()))
    } else {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Vec<Tree<'_>>>();
        let trees = stream.next()?.ok()?;
        Some((trees, stream.byte_offset()))
    }
}

fn add(reading: &mut Reading, tree: &Tree<'_>) {
    let by_id: HashMap<&str, usize> =
        tree.nodes.iter().enumerate().map(|(index, node)| (node.node_id.as_ref(), index)).collect();
    let mut is_child = vec![false; tree.nodes.len()];
    for id in tree.nodes.iter().flat_map(|node| &node.child_ids) {
        if let Some(child) = by_id.get(id.as_ref()) {
            is_child[*child] = true;
        }
    }
    let mut seen = vec![false; tree.nodes.len()];
    for (root, _) in is_child.iter().enumerate().filter(|(_, is_child)| !**is_child) {
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
            for id in node.child_ids.iter().rev() {
                if let Some(child) = by_id.get(id.as_ref()) {
                    stack.push((*child, below));
                }
            }
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

fn read(node: &AxNode<'_>, role: String, parent: Option<usize>) -> ReadNode {
    let mut states = Vec::new();
    for property in &node.properties {
        let value = property.value.value.as_ref().map(Scalar::text).unwrap_or_default();
        if STATES.contains(&property.name.as_ref()) {
            states.push(super::tags::state(&property.name, &value));
        }
    }
    let description = text(node.description.as_ref());
    ReadNode {
        role,
        name: text(node.name.as_ref()),
        value: text(node.value.as_ref()),
        states,
        handle: node.backend.map(|backend| backend.to_string()),
        parent,
        text: description,
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
        fn any_text_parses(text in "[\\PC\\n{}\\[\\]\":,]{0,120}") {
            parse(&text);
        }

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
