//! Texts and ids of an `Accessibility.getFullAXTree`.
//!
//! In: the parsed result. Out: the same, rewritten. Invariant: names, descriptions, values and what
//! they were computed from are texts; roles, states, addresses and references are not.

use super::{Reason, Sink, id_member, list_mut, text_member};
use serde_json::Value;

/// Properties whose value is read to people.
const READ: [&str; 2] = ["roledescription", "valuetext"];

/// Returns the id that canonical form gives to a node of another backend node id: `n12`, `n12-2`;
/// others stay.
fn renamed(id: &str, sink: &mut dyn Sink) -> String {
    let Some(rest) = id.strip_prefix('n') else { return id.to_owned() };
    let (number, twin) = rest.find('-').map_or((rest, ""), |at| rest.split_at(at));
    match number.parse() {
        Ok(backend) => format!("n{}{twin}", sink.backend(backend)),
        Err(_) => id.to_owned(),
    }
}

/// Rewrites texts and ids.
pub(super) fn rewrite(value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let Some(Value::Array(nodes)) = value.get_mut("nodes") else { return Err("it has no nodes".to_owned()) };
    let rename = |id: &mut Value, sink: &mut dyn Sink| {
        if let Value::String(id) = id {
            *id = renamed(id, sink);
        }
    };
    for node in nodes {
        for member in ["nodeId", "parentId"] {
            node.get_mut(member).into_iter().for_each(|id| rename(id, sink));
        }
        list_mut(node, "childIds").for_each(|id| rename(id, sink));
        id_member(node, "backendDOMNodeId", sink)?;
        for member in ["name", "description", "value"] {
            node.get_mut(member).map_or(Ok(()), |said| texts(said, sink))?;
        }
        for property in list_mut(node, "properties") {
            let is_read = property.get("name").and_then(Value::as_str).is_some_and(|name| READ.contains(&name));
            let Some(said) = property.get_mut("value") else { continue };
            if is_read { texts(said, sink)? } else { references(said, sink)? }
        }
    }
    Ok(())
}

/// Rewrites a computed text and what it was computed from. Such values nest a few levels, whatever
/// the page.
fn texts(said: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let is_text = !matches!(
        said.get("type").and_then(Value::as_str),
        Some("idref" | "idrefList" | "nodeList" | "node" | "token" | "tokenList")
    );
    if let (true, Some(Value::String(text))) = (is_text, said.get_mut("value")) {
        *text = sink.text(text);
    }
    references(said, sink)?;
    for source in list_mut(said, "sources") {
        for member in ["value", "attributeValue", "nativeSourceValue"] {
            source.get_mut(member).map_or(Ok(()), |said| texts(said, sink))?;
        }
    }
    Ok(())
}

/// Rewrites the nodes that a value refers to, and what is said of them.
fn references(said: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    list_mut(said, "relatedNodes").try_for_each(|node| {
        id_member(node, "backendDOMNodeId", sink)?;
        text_member(node, "text", sink)
    })
}
