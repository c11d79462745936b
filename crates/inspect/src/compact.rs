//! Compact JSON: what is said once need not be said again.
//!
//! In: an answer as JSON. Out: the same in fewest words, as the guide describes it. Invariants:
//! `count`, `total`, `hasMore`, `nextCursor`, `filters` and `message` stand in every answer; every
//! value of every row can be told from it. Rows are lists under one list of `columns`, shorter
//! where their last values are null; a value that all rows share stands once in `every`; long
//! values that come again stand once in `said`, by column, and in the rows as their index from 0;
//! `base` goes before each URL that begins with `/`. A tree is JsonML: `[tag, attributes, children
//! …]`, where what is no attribute has a name with a blank. Of what else an answer may hold only
//! what is there is said; of `size`, `returnedCount` is `count`, and `originalCount` is `total` where
//! it is not said. Few rows stay as they are where that is shorter.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What stands in every answer, also where it is null or false.
const ENVELOPE: [&str; 7] = ["data", "count", "total", "hasMore", "nextCursor", "filters", "message"];
/// Columns that hold URLs; of a source the URL stands behind the last blank.
const URLS: [&str; 2] = ["url", "source"];
/// Columns that are never indices: what they hold is read.
const READ: [&str; 2] = ["text", "url"];
/// Shortest mean of values for which an index is shorter, in bytes.
const LONG: usize = 12;

type Row = Map<String, Value>;

/// Writes an answer in fewest words: rows as lists under one list of `columns`, trees as JsonML.
pub fn compact(answer: Value) -> Value {
    let Value::Object(mut fields) = answer else { return answer };
    leave_out(&mut fields);
    let Some(Value::Array(data)) = fields.get("data") else { return Value::Object(fields) };
    if data.iter().any(|node| node.get("tag").is_some()) {
        let trees = data.iter().map(tree).collect();
        fields.insert("data".to_owned(), trees);
        return Value::Object(fields);
    }
    let rows: Option<Vec<Row>> = data.iter().map(|row| row.as_object().cloned()).collect();
    let Some(mut rows) = rows.filter(|rows| rows.len() > 1) else { return Value::Object(fields) };
    let plain = Value::Object(fields.clone());
    let mut compact = Map::new();
    if let Some(base) = without_base(&mut rows) {
        compact.insert("base".to_owned(), Value::String(base));
    }
    let every = shared(&mut rows);
    if !every.is_empty() {
        compact.insert("every".to_owned(), Value::Object(every));
    }
    let columns = columns(&rows);
    let said = indexed(&mut rows, &columns);
    if !said.is_empty() {
        compact.insert("said".to_owned(), Value::Object(said));
    }
    let list = |row: &Row| {
        let mut values: Vec<Value> =
            columns.iter().map(|column| row.get(column).cloned().unwrap_or_default()).collect();
        while values.pop_if(|value| value.is_null()).is_some() {}
        Value::Array(values)
    };
    fields.insert("data".to_owned(), rows.iter().map(list).collect());
    compact.insert("columns".to_owned(), columns.into_iter().map(Value::String).collect());
    compact.extend(fields);
    let compact = Value::Object(compact);
    // Few rows cost less as they are.
    if plain.to_string().len() < compact.to_string().len() { plain } else { compact }
}

/// Removes what is not there, and counts that are said already.
fn leave_out(fields: &mut Row) {
    let total = fields.get("total").cloned();
    if let Some(Value::Object(size)) = fields.get_mut("size") {
        size.remove("returnedCount");
        if size.get("originalCount") == total.as_ref() {
            size.remove("originalCount");
        }
    }
    fields
        .retain(|name, value| ENVELOPE.contains(&name.as_str()) || !matches!(value, Value::Null | Value::Bool(false)));
}

/// Returns the columns, those that most rows fill first: at the end nothing need be said.
fn columns(rows: &[Row]) -> Vec<String> {
    let mut columns: Vec<(String, usize)> = Vec::new();
    for row in rows {
        for (name, value) in row {
            let filled = usize::from(!value.is_null());
            match columns.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += filled,
                None => columns.push((name.clone(), filled)),
            }
        }
    }
    columns.sort_by_key(|(_, filled)| std::cmp::Reverse(*filled));
    columns.into_iter().map(|(name, _)| name).collect()
}

/// Takes out what all rows have alike.
fn shared(rows: &mut [Row]) -> Row {
    let Some((first, rest)) = rows.split_first() else { return Row::new() };
    let alike = |name: &String, value: &Value| rest.iter().all(|row| row.get(name) == Some(value));
    let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    let every: Row = first
        .iter()
        .filter(|(name, value)| is_plain(value) && !READ.contains(&name.as_str()) && alike(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    rows.iter_mut().for_each(|row| row.retain(|name, _| !every.contains_key(name)));
    every
}

/// Puts indices in place of long values that come again; returns the values by column.
fn indexed(rows: &mut [Row], columns: &[String]) -> Row {
    let mut said = Row::new();
    for column in columns.iter().filter(|column| !READ.contains(&column.as_str())) {
        let values: Vec<&str> = rows.iter().filter_map(|row| row.get(column)).filter_map(Value::as_str).collect();
        let given = rows.iter().filter(|row| row.get(column).is_some_and(|value| !value.is_null())).count();
        let mut different: Vec<&str> = Vec::new();
        for value in &values {
            if !different.contains(value) {
                different.push(value);
            }
        }
        let length = |values: &[&str]| values.iter().map(|value| value.len()).sum::<usize>();
        let comes_again = values.len() >= different.len() + 2 && length(&values) >= LONG * values.len();
        if given != values.len() || !comes_again {
            continue;
        }
        let different: Vec<String> = different.into_iter().map(str::to_owned).collect();
        for row in rows.iter_mut() {
            if let Some(value) = row.get_mut(column)
                && let Some(index) = different.iter().position(|known| Some(known.as_str()) == value.as_str())
            {
                *value = json!(index);
            }
        }
        said.insert(column.clone(), json!(different));
    }
    said
}

/// Returns where the URL of a value begins.
fn url_at(value: &str) -> usize {
    value.rfind(' ').map_or(0, |blank| blank + 1)
}

/// Returns scheme and host of a URL that a path follows.
fn origin(url: &str) -> Option<&str> {
    let host = url.find("://")? + 3;
    let path = host + url[host..].find('/')?;
    (!url[host..path].contains(['?', '#'])).then(|| &url[..path])
}

/// Takes the commonest origin off the URLs that have it; none if a URL has none already.
fn without_base(rows: &mut [Row]) -> Option<String> {
    let values = |row: &Row| -> Vec<String> {
        URLS.iter().filter_map(|name| row.get(*name)?.as_str().map(str::to_owned)).collect()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for value in rows.iter().flat_map(values) {
        let url = &value[url_at(&value)..];
        if url.starts_with('/') {
            return None;
        }
        if let Some(origin) = origin(url) {
            *counts.entry(origin.to_owned()).or_default() += 1;
        }
    }
    let (base, _) = counts.into_iter().filter(|(_, count)| *count > 1).max_by_key(|(_, count)| *count)?;
    for row in rows {
        for name in URLS {
            let Some(Value::String(value)) = row.get_mut(name) else { continue };
            let at = url_at(value);
            if origin(&value[at..]) == Some(&base) {
                value.replace_range(at..at + base.len(), "");
            }
        }
    }
    Some(base)
}

/// Writes a node and what is below it as JsonML.
fn tree(node: &Value) -> Value {
    let text = |name: &str| node.get(name).and_then(Value::as_str);
    let mut attributes = node.get("attributes").and_then(Value::as_object).cloned().unwrap_or_default();
    // No attribute has a blank in its name.
    for (name, told) in [
        ("value", "is value"),
        ("hidden", "is hidden"),
        ("styles", "has styles"),
        ("cut", "children cut"),
        ("under", "lies under"),
    ] {
        if let Some(value) = node.get(name) {
            attributes.insert(told.to_owned(), value.clone());
        }
    }
    if text("tag") == Some("#text") && attributes.is_empty() {
        return Value::from(text("text").unwrap_or_default());
    }
    let mut out = vec![Value::from(text("tag").unwrap_or_default())];
    if !attributes.is_empty() {
        out.push(Value::Object(attributes));
    }
    out.extend(text("text").map(Value::from));
    out.extend(node.get("children").and_then(Value::as_array).into_iter().flatten().map(tree));
    Value::Array(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rows that a compact answer tells.
    fn rows_of(answer: &Value) -> Vec<Value> {
        let data = answer["data"].as_array().unwrap();
        let Some(columns) = answer.get("columns") else { return data.clone() };
        let row = |values: &Value| {
            let mut row = answer.get("every").and_then(Value::as_object).cloned().unwrap_or_default();
            for (column, value) in columns.as_array().unwrap().iter().zip(values.as_array().unwrap()) {
                let column = column.as_str().unwrap();
                let said = answer.get("said").and_then(|said| said.get(column));
                let value = said.map_or(value, |said| value.as_u64().map_or(value, |at| &said[at as usize])).clone();
                if !value.is_null() {
                    row.insert(column.to_owned(), value);
                }
            }
            for name in URLS {
                if let (Some(base), Some(text)) = (answer.get("base"), row.get(name).and_then(Value::as_str))
                    && text[url_at(text)..].starts_with('/')
                {
                    let (before, path) = text.split_at(url_at(text));
                    let whole = format!("{before}{}{path}", base.as_str().unwrap());
                    row.insert(name.to_owned(), json!(whole));
                }
            }
            Value::Object(row)
        };
        data.iter().map(row).collect()
    }

    #[test]
    fn rows_become_lists_and_what_comes_again_is_said_once() {
        let row =
            |at: u64, text: &str, source: &str| json!({ "level": "error", "text": text, "atMs": at, "source": source });
        let data = [
            row(1, "a", "http://a.test/app.js:1"),
            row(2, "b", "http://a.test/app.js:1"),
            row(3, "c", "save http://a.test/app.js:9"),
            row(4, "c", "http://a.test/app.js:1"),
        ];
        let whole = json!({ "data": data, "count": 4, "total": 4, "hasMore": false, "nextCursor": null });
        let expected = json!({
            "base": "http://a.test",
            "every": { "level": "error" },
            "columns": ["atMs", "source", "text"],
            "data": [[1, "/app.js:1", "a"], [2, "/app.js:1", "b"], [3, "save /app.js:9", "c"], [4, "/app.js:1", "c"]],
            "count": 4,
            "total": 4,
            "hasMore": false,
            "nextCursor": null,
        });
        assert_eq!(compact(whole.clone()), expected);
        assert_eq!(rows_of(&expected), data);
        let long: Vec<Value> =
            (0..4).map(|at| row(at, "a", &format!("http://a.test/a/long/path/{}", at % 2))).collect();
        let answer = compact(json!({ "data": long }));
        assert_eq!(answer["said"], json!({ "source": ["/a/long/path/0", "/a/long/path/1"] }));
        assert_eq!(answer["data"][3], json!([3, 1, "a"]));
        assert_eq!(rows_of(&answer), long);
    }

    #[test]
    fn the_envelope_stays_and_what_is_not_there_is_left_out() {
        let size = |counts: [u64; 4]| {
            let [a, b, c, d] = counts;
            json!({ "originalCount": a, "returnedCount": b, "originalBytes": c, "returnedBytes": d })
        };
        let of = |size: Value| {
            compact(json!({ "data": [], "count": 0, "total": 3, "hasMore": true, "nextCursor": null, "size": size }))
        };
        let bare = json!({ "data": [], "count": 0, "total": 3, "hasMore": true, "nextCursor": null });
        assert_eq!(of(Value::Null), bare);
        let bytes = json!({ "originalBytes": 9, "returnedBytes": 5 });
        assert_eq!(of(size([3, 0, 9, 5]))["size"], bytes);
        assert_eq!(of(size([4, 0, 9, 5]))["size"]["originalCount"], 4);
    }

    #[test]
    fn an_answer_without_rows_stays() {
        for answer in [json!({ "data": "text" }), json!({ "data": [{ "a": 1 }] }), json!([1])] {
            assert_eq!(compact(answer.clone()), answer);
        }
    }

    #[test]
    fn a_tree_is_json_ml() {
        let node = json!({
            "tag": "ul", "attributes": { "class": "x" }, "cut": 2, "hidden": true,
            "children": [{ "tag": "li", "text": "One" }, { "tag": "#text", "text": "and" }],
        });
        let expected = json!([["ul", { "class": "x", "is hidden": true, "children cut": 2 }, ["li", "One"], "and"]]);
        assert_eq!(compact(json!({ "data": [node] }))["data"], expected);
    }

    proptest! {
        #[test]
        fn every_value_can_be_told(rows in prop::collection::vec(
            prop::collection::btree_map("url|source|mime|n", "(f )?http://[ab]\\.test(/[a-z ]{0,16})?|/x|[a-z]{12}",
                0..4), 2..9,
        )) {
            let data: Vec<Value> = rows.iter().map(|row| json!(row)).collect();
            prop_assert_eq!(rows_of(&compact(json!({ "data": data }))), data);
        }
    }
}
