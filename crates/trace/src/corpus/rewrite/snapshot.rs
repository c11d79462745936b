//! Texts and ids of a `DOMSnapshot.captureSnapshot`.
//!
//! In: the parsed result. Out: the same, rewritten. Invariant: an entry of the string table that is
//! a text in one place and something else in another (a tag, a class, an address) becomes two
//! entries, so that only texts change.

use super::{Reason, Sink, backend_of, index, list, list_mut};
use browserlens_core::page::capture::COMPUTED_STYLES;
use serde_json::Value;
use std::collections::HashMap;

/// Attributes that people read or hear.
const READ: [&str; 11] = [
    "title", "alt", "placeholder", "aria-label", "aria-description", "aria-valuetext", "aria-roledescription",
    "aria-placeholder", "aria-brailleLabel", "label", "summary",
];

/// Types of inputs whose value nobody reads.
const UNREAD_VALUES: [&str; 3] = ["checkbox", "radio", "hidden"];

fn string<'v>(strings: &'v [Value], place: &Value) -> &'v str {
    index(place).and_then(|at| strings.get(at)).and_then(Value::as_str).unwrap_or("")
}

/// One document's columns, read only.
#[derive(Clone, Copy)]
struct Nodes<'v> {
    strings: &'v [Value],
    nodes: &'v Value,
}

impl<'v> Nodes<'v> {
    fn string(&self, place: &Value) -> &'v str {
        string(self.strings, place)
    }

    fn column(&self, name: &str) -> &'v [Value] {
        list(self.nodes, name)
    }

    fn tag(&self, node: usize) -> &'v str {
        self.column("nodeName").get(node).map_or("", |name| self.string(name))
    }

    fn attributes(self, node: usize) -> impl Iterator<Item = (&'v str, &'v Value)> {
        let list = self.column("attributes").get(node).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.chunks_exact(2).map(move |pair| (self.string(&pair[0]), &pair[1]))
    }

    fn attribute(&self, node: usize, name: &str) -> &'v str {
        self.attributes(node).find(|(found, _)| *found == name).map_or("", |(_, value)| self.string(value))
    }

    fn is_secret(&self, node: usize) -> bool {
        let hints = self.attribute(node, "autocomplete");
        self.tag(node).eq_ignore_ascii_case("input")
            && (self.attribute(node, "type").eq_ignore_ascii_case("password")
                || hints.split_ascii_whitespace().any(|hint| {
                    hint.starts_with("cc-") || matches!(hint, "one-time-code" | "current-password" | "new-password")
                }))
    }

    /// Whether somebody reads the value of a field.
    fn has_read_value(&self, node: usize) -> bool {
        let kind = self.attribute(node, "type").to_ascii_lowercase();
        match self.tag(node) {
            "INPUT" => !UNREAD_VALUES.contains(&kind.as_str()),
            "OPTION" | "BUTTON" | "TEXTAREA" | "SELECT" => true,
            _ => false,
        }
    }

    fn is_read(&self, node: usize, attribute: &str) -> bool {
        match attribute {
            "value" => self.has_read_value(node),
            "content" => {
                let about = format!("{} {}", self.attribute(node, "name"), self.attribute(node, "property"));
                self.tag(node) == "META"
                    && ["description", "title", "site_name", "author"]
                        .iter()
                        .any(|word| about.ends_with(word) || about.contains(&format!("{word} ")))
            }
            _ => READ.contains(&attribute),
        }
    }
}

/// Values of a sparse column, with the nodes that have them.
fn sparse<'v>(nodes: &'v Value, name: &str) -> impl Iterator<Item = (usize, &'v Value)> + use<'v> {
    let column = nodes.get(name).unwrap_or(&Value::Null);
    list(column, "index").iter().filter_map(index).zip(list(column, "value"))
}

/// As [`sparse`], to be changed.
fn sparse_mut<'v>(nodes: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> + use<'v> {
    let count = sparse(nodes, name).count();
    nodes.get_mut(name).into_iter().flat_map(|column| list_mut(column, "value")).take(count)
}

/// Tells a sink the values of secret fields.
pub(super) fn secrets(value: &Value, sink: &mut dyn Sink) {
    for nodes in list(value, "documents").iter().filter_map(|document| document.get("nodes")) {
        let read = Nodes { strings: list(value, "strings"), nodes };
        for (node, text) in sparse(nodes, "inputValue") {
            if read.is_secret(node) {
                sink.secret(read.string(text));
            }
        }
        for node in 0..read.column("nodeName").len() {
            if read.is_secret(node) {
                sink.secret(read.attribute(node, "value"));
            }
        }
    }
}

/// What an entry of the string table is used for.
#[derive(Clone, Copy, Default)]
struct Use {
    as_text: bool,
    as_other: bool,
}

/// Gives every place that names a string, each once, with whether it is a text. What tells whether
/// it is one is no text itself, so that places may be changed on the way.
fn each_place(value: &mut Value, mut each: impl FnMut(&mut Value, bool)) {
    let Some(table) = value.get_mut("strings") else { return };
    let table = table.take();
    let strings = table.as_array().map_or(&[][..], Vec::as_slice);
    for document in list_mut(value, "documents").filter(|document| document.get("nodes").is_some()) {
        for member in
            ["documentURL", "baseURL", "contentLanguage", "encodingName", "publicId", "systemId", "frameId", "title"]
        {
            document.get_mut(member).into_iter().for_each(|index| each(index, member == "title"));
        }
        if let Some(nodes) = document.get_mut("nodes") {
            each_of_nodes(nodes, strings, &mut each);
        }
        let Some(layout) = document.get_mut("layout") else { continue };
        list_mut(layout, "text").for_each(|index| each(index, true));
        for styles in list_mut(layout, "styles").filter_map(Value::as_array_mut) {
            for (style, place) in COMPUTED_STYLES.iter().zip(styles) {
                // Generated text stands in quotes; what has none is a keyword, a counter or an image.
                let is_text = *style == "content" && string(strings, place).starts_with('"');
                each(place, is_text);
            }
        }
    }
    value["strings"] = table;
}

fn each_of_nodes(nodes: &mut Value, strings: &[Value], each: &mut impl FnMut(&mut Value, bool)) {
    let read = Nodes { strings, nodes };
    let parents = read.column("parentIndex");
    let is_said = |node: usize| {
        let parent = parents.get(node).and_then(index);
        let is_code = parent.is_some_and(|parent| matches!(read.tag(parent), "SCRIPT" | "STYLE"));
        !is_code && read.tag(node) != "#comment"
    };
    let values: Vec<bool> = (0..read.column("nodeValue").len()).map(is_said).collect();
    let is_read = |node| read.attributes(node).map(move |(name, _)| read.is_read(node, name));
    let attributes: Vec<Vec<bool>> = (0..read.column("attributes").len()).map(|node| is_read(node).collect()).collect();
    let inputs: Vec<bool> = sparse(nodes, "inputValue").map(|(node, _)| read.has_read_value(node)).collect();
    list_mut(nodes, "nodeValue").zip(values).for_each(|(index, is_text)| each(index, is_text));
    list_mut(nodes, "nodeName").for_each(|index| each(index, false));
    for (list, are_read) in list_mut(nodes, "attributes").zip(attributes) {
        let list = list.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
        for (pair, is_read) in list.chunks_exact_mut(2).zip(are_read) {
            each(&mut pair[0], false);
            each(&mut pair[1], is_read);
        }
    }
    sparse_mut(nodes, "textValue").for_each(|index| each(index, true));
    sparse_mut(nodes, "inputValue").zip(inputs).for_each(|(index, is_text)| each(index, is_text));
    for column in ["shadowRootType", "pseudoType", "pseudoIdentifier", "currentSourceURL", "originURL"] {
        sparse_mut(nodes, column).for_each(|index| each(index, false));
    }
}

/// Rewrites texts and ids.
pub(super) fn rewrite(value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let mut uses: Vec<Use> = vec![Use::default(); list(value, "strings").len()];
    each_place(value, |place, is_text| {
        if let Some(used) = index(place).and_then(|at| uses.get_mut(at)) {
            used.as_text |= is_text;
            used.as_other |= !is_text;
        }
    });
    let Some(Value::Array(table)) = value.get_mut("strings") else { return Err("it has no strings".to_owned()) };
    let mut split: HashMap<usize, usize> = HashMap::new();
    for (at, used) in uses.iter().enumerate().filter(|(_, used)| used.as_text) {
        let Some(Value::String(text)) = table.get_mut(at) else { return Err(format!("string {at} is none")) };
        let new = sink.text(text);
        if !used.as_other {
            *text = new;
        } else if *text != new {
            split.insert(at, table.len());
            table.push(Value::String(new));
        }
    }
    if !split.is_empty() {
        // Places that are texts get entries of their own.
        each_place(value, |place, is_text| {
            if let Some(new) = index(place).filter(|_| is_text).and_then(|at| split.get(&at)) {
                *place = Value::from(*new);
            }
        });
    }
    for nodes in list_mut(value, "documents").filter_map(|document| document.get_mut("nodes")) {
        for id in list_mut(nodes, "backendNodeId") {
            *id = Value::from(sink.backend(backend_of(id)?));
        }
    }
    Ok(())
}
