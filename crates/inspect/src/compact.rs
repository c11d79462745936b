//! Compact JSON: what is said once need not be said again.
//!
//! In: an answer as JSON. Out: the same with rows as lists under one list of `columns`, without what is null. Invariant: every value of
//! every row is there; a row lacks a field where the list holds null.

use serde_json::{Map, Value};

/// Writes the rows of an answer as lists under one list of `columns`; an answer without rows stays as it is.
pub fn compact(answer: Value) -> Value {
    let Value::Object(mut fields) = answer else { return answer };
    let rows: Option<Vec<Map<String, Value>>> = match fields.get("data") {
        Some(Value::Array(rows)) if rows.len() > 1 => rows.iter().map(|row| row.as_object().cloned()).collect(),
        _ => None,
    };
    let Some(rows) = rows else { return Value::Object(fields) };
    let mut columns: Vec<String> = Vec::new();
    for row in &rows {
        columns.extend(row.keys().filter(|key| !columns.contains(key)).cloned().collect::<Vec<_>>());
    }
    let data = rows
        .iter()
        .map(|row| {
            let mut values: Vec<Value> =
                columns.iter().map(|column| row.get(column).cloned().unwrap_or(Value::Null)).collect();
            while values.last().is_some_and(Value::is_null) {
                values.pop();
            }
            Value::Array(values)
        })
        .collect();
    fields.insert("data".to_owned(), Value::Array(data));
    let mut compact = Map::new();
    compact.insert("columns".to_owned(), columns.into_iter().map(Value::String).collect());
    compact.extend(fields);
    Value::Object(compact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_become_lists_under_one_list_of_columns() {
        let answer = json!({ "data": [{ "a": 1, "b": "x" }, { "a": 2, "c": true }, { "a": 3 }], "count": 3 });
        let expected = json!({ "columns": ["a", "b", "c"], "data": [[1, "x"], [2, null, true], [3]], "count": 3 });
        assert_eq!(compact(answer), expected);
    }

    #[test]
    fn an_answer_without_rows_stays() {
        for answer in [json!({ "data": "text" }), json!({ "data": [{ "a": 1 }] }), json!([1])] {
            assert_eq!(compact(answer.clone()), answer);
        }
    }
}
