//! Secret fields of a DOM snapshot: which they are, what they hold, and the snapshot without it.
//!
//! Strings of a snapshot are shared by index: the value of a code box, `4`, may be the same entry
//! as a price elsewhere. So a field's value gets an entry of its own where the old one is used by
//! others.

use super::Redactor;
use super::names::{is_one_time_code, is_token_field};
use crate::canonical::{Part, SnapshotPlace};
use crate::json::{JsonError, Scanner, Token, rewrite, unescape};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A reference to the string table: the index, and which number of the whole payload it is.
#[derive(Clone, Copy, Debug)]
struct StringRef {
    index: usize,
    ordinal: usize,
}

#[derive(Debug, Default)]
struct Node {
    tag: Option<usize>,
    backend: Option<u32>,
    attributes: Vec<StringRef>,
}

#[derive(Debug, Default)]
struct Document {
    frame: Option<usize>,
    nodes: Vec<Node>,
    /// `inputValue` and `textValue`: node index and value, each in its own list.
    value_nodes: Vec<usize>,
    values: Vec<StringRef>,
}

/// What a snapshot says about its fields.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    documents: Vec<Document>,
    strings: Vec<&'a str>,
    /// Whether there are texts outside the string table.
    has_others: bool,
}

/// Whether numbers at this place are indices of the string table.
fn refers_to_strings(place: &SnapshotPlace<'_>, key: &str) -> bool {
    match place.of_document {
        "documentURL" | "title" | "baseURL" | "contentLanguage" | "encodingName" | "publicId" | "systemId"
        | "frameId" => true,
        "nodes" => match place.of_part {
            "nodeName" | "nodeValue" | "attributes" => true,
            "shadowRootType" | "textValue" | "inputValue" | "pseudoType" | "pseudoIdentifier" | "currentSourceURL"
            | "originURL" => key == "value",
            _ => false,
        },
        "layout" => matches!(place.of_part, "styles" | "text"),
        _ => false,
    }
}

impl<'a> Fields<'a> {
    pub(super) fn read(json: &'a str) -> Result<Self, JsonError> {
        let (mut scanner, mut place, mut fields) = (Scanner::new(json), SnapshotPlace::default(), Self::default());
        let (mut ordinal, mut entry, mut key) = (0, 0usize, "");
        while let Some(token) = scanner.next()? {
            place.take(&scanner, token);
            let depth = scanner.depth();
            match token {
                Token::Key(name) => {
                    key = name;
                    entry = 0;
                }
                Token::OpenObject if depth == 3 && place.top == "documents" => {
                    fields.documents.push(Document::default())
                }
                Token::CloseArray if depth == 5 => entry += 1,
                Token::Text(text) if place.is_string(&scanner) => fields.strings.push(text),
                Token::Text(_) => fields.has_others = true,
                Token::Plain(number) => {
                    ordinal += 1;
                    if let Some(document) = fields.documents.last_mut().filter(|_| place.part != Part::Other) {
                        let index = number.parse::<usize>().ok();
                        document.take(&place, key, depth, &mut entry, index, ordinal);
                    }
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    fn string(&self, index: usize) -> Cow<'a, str> {
        self.strings.get(index).map(|raw| unescape(raw)).unwrap_or_default()
    }
}

impl Document {
    fn node(&mut self, index: usize) -> &mut Node {
        // No page has as many; a damaged one may claim any number, but each entry costs it at least
        // two bytes.
        if index >= self.nodes.len() {
            self.nodes.resize_with(index + 1, Node::default);
        }
        &mut self.nodes[index]
    }

    fn take(
        &mut self,
        place: &SnapshotPlace<'_>,
        key: &str,
        depth: usize,
        entry: &mut usize,
        index: Option<usize>,
        ordinal: usize,
    ) {
        // What is no index points nowhere.
        let reference = StringRef { index: index.unwrap_or(usize::MAX), ordinal };
        match (place.part, depth, key) {
            (Part::FrameId, 3, _) => self.frame = index,
            (Part::NodeName, 5, _) => self.node(*entry).tag = index,
            (Part::BackendNodeId, 5, _) => {
                self.node(*entry).backend = index.and_then(|number| u32::try_from(number).ok());
            }
            (Part::Attributes, 6, _) => self.node(*entry).attributes.push(reference),
            (Part::Value, 6, "index") => self.value_nodes.push(reference.index),
            (Part::Value, 6, "value") => self.values.push(reference),
            _ => {}
        }
        *entry += usize::from(matches!((place.part, depth), (Part::NodeName | Part::BackendNodeId, 5)));
    }

    /// The values of a node: what was typed, and its attribute `value`.
    fn values_of<'d>(&'d self, node: usize, fields: &'d Fields<'_>) -> impl Iterator<Item = StringRef> + 'd {
        let typed =
            self.value_nodes.iter().zip(&self.values).filter(move |(of, _)| **of == node).map(|(_, value)| *value);
        let attributes = self.nodes.get(node).map_or(&[][..], |node| &node.attributes);
        let given =
            attributes.chunks_exact(2).filter(|pair| fields.string(pair[0].index) == "value").map(|pair| pair[1]);
        typed.chain(given)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    Field,
    HiddenToken,
}

fn secrecy(node: &Node, fields: &Fields<'_>) -> Option<Secrecy> {
    let tag = fields.string(node.tag?);
    if !tag.eq_ignore_ascii_case("input") && !tag.eq_ignore_ascii_case("textarea") {
        return None;
    }
    let attribute = |name: &str| {
        let mut pairs = node.attributes.chunks_exact(2);
        pairs
            .find(|pair| fields.string(pair[0].index).eq_ignore_ascii_case(name))
            .map(|pair| fields.string(pair[1].index))
    };
    let kind = attribute("type").unwrap_or_default().to_ascii_lowercase();
    let names = || ["name", "id"].into_iter().filter_map(attribute);
    if kind == "hidden" {
        return names().any(|name| is_token_field(&name)).then_some(Secrecy::HiddenToken);
    }
    let takes_text = matches!(kind.as_str(), "" | "text" | "tel" | "number" | "password");
    let autocomplete = attribute("autocomplete").unwrap_or_default().to_ascii_lowercase();
    let said = autocomplete
        .split_ascii_whitespace()
        .any(|word| matches!(word, "one-time-code" | "current-password" | "new-password"));
    (kind == "password" || said || (takes_text && names().any(|name| is_one_time_code(&name))))
        .then_some(Secrecy::Field)
}

impl Redactor {
    /// Learns which fields of a snapshot are secret, and what they hold.
    pub(super) fn learn_fields(&mut self, fields: &Fields<'_>, loaders: &HashMap<u32, u32>) {
        for document in &fields.documents {
            let loader = loader_of(document, fields, loaders);
            // Digits of a code that is typed into a row of boxes.
            let mut row = String::new();
            for (index, node) in document.nodes.iter().enumerate() {
                let known = node.backend.is_some_and(|backend| self.fields.contains(&(loader, backend)));
                let Some(secrecy) = secrecy(node, fields).or(known.then_some(Secrecy::Field)) else { continue };
                if let Some(backend) = node.backend {
                    self.fields.insert((loader, backend));
                }
                for reference in document.values_of(index, fields) {
                    let value = fields.string(reference.index);
                    if value.is_empty() || self.public.contains(value.as_ref()) {
                        continue;
                    }
                    let count = value.chars().count();
                    if secrecy == Secrecy::Field || count >= 8 {
                        self.learn_text(&value);
                    }
                    self.values.insert(value.clone().into_owned());
                    if count < super::SHORTEST_PART
                        && reference.ordinal
                            == document.values_of(index, fields).next().map_or(0, |first| first.ordinal)
                    {
                        row.push_str(&value);
                    }
                }
            }
            self.learn_text(&row);
        }
    }

    /// Redacts a snapshot, whose fields were read; none if nothing in it is secret.
    pub(super) fn snapshot(
        &self,
        json: &str,
        fields: &Fields<'_>,
        loaders: &HashMap<u32, u32>,
    ) -> Result<Option<String>, JsonError> {
        let mut table = self.redacted_strings(fields);
        let moved = self.move_field_values(json, fields, loaders, &mut table)?;
        if table.changed.is_empty() && moved.is_empty() && !fields.has_others {
            return Ok(None);
        }
        let mut place = SnapshotPlace::default();
        let (mut ordinal, mut string) = (0, 0);
        let rewritten = rewrite(json, |scanner, token, writer| {
            place.take(scanner, token);
            match token {
                Token::Plain(_) => {
                    ordinal += 1;
                    match moved.get(&ordinal) {
                        Some(index) => writer.number(*index as u64),
                        None => writer.token(token),
                    }
                }
                Token::Text(_) if place.is_string(scanner) => {
                    match table.changed.get(&string) {
                        Some(text) => writer.text(text),
                        None => writer.token(token),
                    }
                    string += 1;
                }
                Token::CloseArray if scanner.depth() == 1 && place.top == "strings" => {
                    table.added.iter().for_each(|text| writer.text(text));
                    writer.token(token);
                }
                token => self.write_redacted(writer, token),
            }
            Ok(())
        });
        rewritten.map(Some)
    }

    fn redacted_strings(&self, fields: &Fields<'_>) -> Table {
        let mut changed = HashMap::new();
        for (index, raw) in fields.strings.iter().enumerate() {
            let text = unescape(raw);
            if let Cow::Owned(redacted) = self.text(&text, super::Source::Page) {
                changed.insert(index, redacted);
            }
        }
        Table { changed, added: Vec::new(), first_added: fields.strings.len() }
    }

    /// Gives the values of secret fields entries of their own where redacting the table does not
    /// hide them wholly. Returns the new index per number of the payload.
    fn move_field_values(
        &self,
        json: &str,
        fields: &Fields<'_>,
        loaders: &HashMap<u32, u32>,
        table: &mut Table,
    ) -> Result<HashMap<usize, usize>, JsonError> {
        let mut references: Vec<StringRef> = Vec::new();
        for document in &fields.documents {
            let loader = loader_of(document, fields, loaders);
            for (index, node) in document.nodes.iter().enumerate() {
                if node.backend.is_some_and(|backend| self.fields.contains(&(loader, backend))) {
                    references.extend(document.values_of(index, fields));
                }
            }
        }
        let mut moved = HashMap::new();
        for reference in &references {
            let value = fields.string(reference.index);
            let hidden = self.hide(&value);
            if hidden != value && table.changed.get(&reference.index) != Some(&hidden) {
                moved.insert(reference.ordinal, table.add(hidden));
            }
        }
        if !moved.is_empty() {
            // An entry that nobody uses any more must not stay readable.
            let used = used_strings(json, &moved)?;
            for reference in references.iter().filter(|reference| moved.contains_key(&reference.ordinal)) {
                if !used.contains(&reference.index) {
                    table.changed.insert(reference.index, self.hide(&fields.string(reference.index)));
                }
            }
        }
        Ok(moved)
    }
}

/// The string table as it will be written.
struct Table {
    changed: HashMap<usize, String>,
    added: Vec<String>,
    first_added: usize,
}

impl Table {
    fn add(&mut self, text: String) -> usize {
        let at = self.added.iter().position(|added| *added == text).unwrap_or_else(|| {
            self.added.push(text);
            self.added.len() - 1
        });
        self.first_added + at
    }
}

/// Returns the entries of the string table that are referred to from anywhere but the numbers that
/// moved.
fn used_strings(json: &str, moved: &HashMap<usize, usize>) -> Result<HashSet<usize>, JsonError> {
    let (mut scanner, mut place) = (Scanner::new(json), SnapshotPlace::default());
    let (mut ordinal, mut key, mut used) = (0, "", HashSet::new());
    while let Some(token) = scanner.next()? {
        place.take(&scanner, token);
        match token {
            Token::Key(name) => key = name,
            Token::Plain(number) => {
                ordinal += 1;
                if !moved.contains_key(&ordinal) && place.top == "documents" && refers_to_strings(&place, key) {
                    used.extend(number.parse::<usize>().ok());
                }
            }
            _ => {}
        }
    }
    Ok(used)
}

fn loader_of(document: &Document, fields: &Fields<'_>, loaders: &HashMap<u32, u32>) -> u32 {
    let frame = document.frame.map(|index| fields.string(index)).and_then(|frame| crate::frames::number(&frame, 'F'));
    frame.and_then(|frame| loaders.get(&frame)).copied().unwrap_or(0)
}
