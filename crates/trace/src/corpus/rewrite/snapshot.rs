//! Texts and ids of a `DOMSnapshot.captureSnapshot`.
//!
//! In: the parsed result. Out: the same, rewritten. Invariant: an entry of the string table that is
//! a text in one place and something else in another (a tag, a class, an address) becomes two
//! entries, so that only texts change.

use super::{Reason, Sink, backend_of};
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

/// One document's columns, read only.
struct Nodes<'v> {
    strings: &'v [Value],
    nodes: &'v Value,
}

impl<'v> Nodes<'v> {
    fn string(&self, index: &Value) -> &'v str {
        let at = index.as_u64().and_then(|index| usize::try_from(index).ok());
        at.and_then(|at| self.strings.get(at)).and_then(Value::as_str).unwrap_or("")
    }

    fn column(&self, name: &str) -> &'v [Value] {
        self.nodes.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn tag(&self, node: usize) -> &'v str {
        self.column("nodeName").get(node).map_or("", |name| self.string(name))
    }

    fn attributes(&self, node: usize) -> impl Iterator<Item = (&'v str, &'v Value)> {
        let list = self.column("attributes").get(node).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.chunks_exact(2).map(|pair| (self.string(&pair[0]), &pair[1]))
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

fn documents(value: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let documents = value.get("documents").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    documents.iter().filter_map(|document| Some((document, document.get("nodes")?)))
}

fn strings(value: &Value) -> &[Value] {
    value.get("strings").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Values of a sparse column, with the nodes that have them.
fn sparse<'v>(nodes: &'v Value, name: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    let column = nodes.get(name);
    let of = |part: &str| {
        column.and_then(|column| column.get(part)).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
    };
    of("index").iter().filter_map(|node| usize::try_from(node.as_u64()?).ok()).zip(of("value"))
}

/// Tells a sink the values of secret fields.
pub(super) fn secrets(value: &Value, sink: &mut dyn Sink) {
    for (_, nodes) in documents(value) {
        let read = Nodes { strings: strings(value), nodes };
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

/// Where strings are named in a document: each place once, with whether it is a text.
fn each_use(value: &Value, mut each: impl FnMut(&Value, bool)) {
    for (document, nodes) in documents(value) {
        let read = Nodes { strings: strings(value), nodes };
        for member in ["documentURL", "baseURL", "contentLanguage", "encodingName", "publicId", "systemId", "frameId"] {
            document.get(member).into_iter().for_each(|index| each(index, false));
        }
        document.get("title").into_iter().for_each(|index| each(index, true));
        let parents = read.column("parentIndex");
        for (node, index) in read.column("nodeValue").iter().enumerate() {
            let parent = parents.get(node).and_then(Value::as_u64).and_then(|parent| usize::try_from(parent).ok());
            let is_code = parent.is_some_and(|parent| matches!(read.tag(parent), "SCRIPT" | "STYLE"));
            each(index, !is_code && read.tag(node) != "#comment");
        }
        read.column("nodeName").iter().for_each(|index| each(index, false));
        for node in 0..read.column("attributes").len() {
            let list = read.column("attributes")[node].as_array().map_or(&[][..], Vec::as_slice);
            for pair in list.chunks_exact(2) {
                each(&pair[0], false);
                each(&pair[1], read.is_read(node, read.string(&pair[0])));
            }
        }
        for (_, index) in sparse(nodes, "textValue") {
            each(index, true);
        }
        for (node, index) in sparse(nodes, "inputValue") {
            each(index, read.has_read_value(node));
        }
        for column in ["shadowRootType", "pseudoType", "pseudoIdentifier", "currentSourceURL", "originURL"] {
            sparse(nodes, column).for_each(|(_, index)| each(index, false));
        }
        let Some(layout) = document.get("layout") else { continue };
        let column = |name: &str| layout.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        column("text").iter().for_each(|index| each(index, true));
        for styles in column("styles").iter().filter_map(Value::as_array) {
            for (style, index) in COMPUTED_STYLES.iter().zip(styles) {
                // Generated text stands in quotes; what has none is a keyword, a counter or an
                // image.
                each(index, *style == "content" && read.string(index).starts_with('"'));
            }
        }
    }
}

/// Rewrites texts and ids.
pub(super) fn rewrite(value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let mut uses: Vec<Use> = vec![Use::default(); strings(value).len()];
    each_use(value, |index, is_text| {
        let at = index.as_u64().and_then(|index| usize::try_from(index).ok());
        if let Some(used) = at.and_then(|at| uses.get_mut(at)) {
            used.as_text |= is_text;
            used.as_other |= !is_text;
        }
    });
    let Some(Value::Array(table)) = value.get_mut("strings") else { return Err("it has no strings".to_owned()) };
    let mut split: HashMap<u64, u64> = HashMap::new();
    for (at, used) in uses.iter().enumerate().filter(|(_, used)| used.as_text) {
        let Some(Value::String(text)) = table.get_mut(at) else { return Err(format!("string {at} is none")) };
        let new = sink.text(text);
        if !used.as_other {
            *text = new;
        } else if *text != new {
            split.insert(at as u64, table.len() as u64);
            table.push(Value::String(new));
        }
    }
    if !split.is_empty() {
        apply_split(value, &split);
    }
    for document in value.get_mut("documents").and_then(Value::as_array_mut).into_iter().flatten() {
        let ids = document.get_mut("nodes").and_then(|nodes| nodes.get_mut("backendNodeId"));
        for id in ids.and_then(Value::as_array_mut).into_iter().flatten() {
            *id = Value::from(sink.backend(backend_of(id)?));
        }
    }
    Ok(())
}

/// Points the places that are texts to their own entries.
fn apply_split(value: &mut Value, split: &HashMap<u64, u64>) {
    // The walk over places reads the whole; what it finds is noted in its order and set in a second
    // walk over the same places.
    let mut targets: Vec<Option<u64>> = Vec::new();
    each_use(value, |index, is_text| {
        targets.push(index.as_u64().filter(|_| is_text).and_then(|index| split.get(&index).copied()));
    });
    let mut targets = targets.into_iter();
    each_place(value, |index| {
        if let Some(Some(new)) = targets.next() {
            *index = Value::from(new);
        }
    });
}

/// The places of [`each_use`], in the same order, to be changed.
fn each_place(value: &mut Value, mut each: impl FnMut(&mut Value)) {
    let documents = value.get_mut("documents").and_then(Value::as_array_mut);
    for document in documents.into_iter().flatten().filter(|document| document.get("nodes").is_some()) {
        for member in
            ["documentURL", "baseURL", "contentLanguage", "encodingName", "publicId", "systemId", "frameId", "title"]
        {
            document.get_mut(member).into_iter().for_each(&mut each);
        }
        if let Some(nodes) = document.get_mut("nodes") {
            for column in ["nodeValue", "nodeName"] {
                nodes.get_mut(column).and_then(Value::as_array_mut).into_iter().flatten().for_each(&mut each);
            }
            for list in nodes.get_mut("attributes").and_then(Value::as_array_mut).into_iter().flatten() {
                let list = list.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
                list.chunks_exact_mut(2).flatten().for_each(&mut each);
            }
            for column in [
                "textValue", "inputValue", "shadowRootType", "pseudoType", "pseudoIdentifier", "currentSourceURL",
                "originURL",
            ] {
                let Some(column) = nodes.get_mut(column) else { continue };
                // As in `sparse`: a value without a node is none.
                let nodes = column
                    .get("index")
                    .and_then(Value::as_array)
                    .map_or(0, |index| index.iter().filter(|node| node.as_u64().is_some()).count());
                column
                    .get_mut("value")
                    .and_then(Value::as_array_mut)
                    .into_iter()
                    .flatten()
                    .take(nodes)
                    .for_each(&mut each);
            }
        }
        let Some(layout) = document.get_mut("layout") else { continue };
        layout.get_mut("text").and_then(Value::as_array_mut).into_iter().flatten().for_each(&mut each);
        for styles in layout.get_mut("styles").and_then(Value::as_array_mut).into_iter().flatten() {
            let styles = styles.as_array_mut().map_or(&mut [][..], Vec::as_mut_slice);
            styles.iter_mut().take(COMPUTED_STYLES.len()).for_each(&mut each);
        }
    }
}
