//! Compact JSON: what is said once need not be said again.
//!
//! In: an answer as JSON. Out: the same with rows as lists under one list of `columns`, and without
//! members that follow from others. Invariants: every value of every row is there, a row lacks a
//! field where the list holds null; a member that is not there is null, false or 0, a `total` is
//! then the `count`, a `count` the number of rows, and without `size` nothing was filtered out or
//! cut.

use serde_json::{Map, Value};

/// Writes the rows of an answer as lists under one list of `columns`, and leaves out what follows
/// from the rest.
pub fn compact(answer: Value) -> Value {
    let Value::Object(mut fields) = answer else { return answer };
    leave_out(&mut fields);
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

/// Removes what is null or false, and counts and sizes that others tell.
fn leave_out(fields: &mut Map<String, Value>) {
    let same =
        |of: &Map<String, Value>, one: &str, other: &str| of.get(one).is_some_and(|one| Some(one) == of.get(other));
    let whole = |size: &Map<String, Value>| {
        same(size, "originalCount", "returnedCount") && same(size, "originalBytes", "returnedBytes")
    };
    if same(fields, "total", "count") {
        fields.remove("total");
    }
    let rows = fields.get("data").and_then(Value::as_array).map(Vec::len);
    if rows.is_some() && rows.map(|rows| rows as u64) == fields.get("count").and_then(Value::as_u64) {
        fields.remove("count");
    }
    if fields.get("size").and_then(Value::as_object).is_some_and(whole) {
        fields.remove("size");
    }
    fields.retain(|_, value| !matches!(value, Value::Null | Value::Bool(false)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_become_lists_under_one_list_of_columns() {
        let answer = json!({ "data": [{ "a": 1, "b": "x" }, { "a": 2, "c": true }, { "a": 3 }], "count": 3 });
        let expected = json!({ "columns": ["a", "b", "c"], "data": [[1, "x"], [2, null, true], [3]] });
        assert_eq!(compact(answer), expected);
    }

    #[test]
    fn what_follows_from_the_rest_is_left_out_and_nothing_else() {
        let size = |counts: [u64; 4]| {
            let [a, b, c, d] = counts;
            json!({ "originalCount": a, "returnedCount": b, "originalBytes": c, "returnedBytes": d })
        };
        let of = |count: u64, total: u64, size: Value| {
            compact(
                json!({ "data": [], "count": count, "total": total, "hasMore": total > count, "nextCursor": null, "message": "m", "size": size }),
            )
        };
        assert_eq!(of(0, 0, size([0, 0, 0, 0])), json!({ "data": [], "message": "m" }));
        assert_eq!(of(0, 0, size([4, 0, 0, 0])), json!({ "data": [], "message": "m", "size": size([4, 0, 0, 0]) }));
        assert_eq!(of(0, 0, size([0, 0, 9, 5])), json!({ "data": [], "message": "m", "size": size([0, 0, 9, 5]) }));
        assert_eq!(of(0, 3, size([0, 0, 0, 0])), json!({ "data": [], "total": 3, "hasMore": true, "message": "m" }));
        // A folded row stands for several.
        let folded = json!({ "data": [{ "times": 2 }], "count": 2, "total": 2 });
        assert_eq!(compact(folded), json!({ "data": [{ "times": 2 }], "count": 2 }));
    }

    #[test]
    fn an_answer_without_rows_stays() {
        for answer in [json!({ "data": "text" }), json!({ "data": [{ "a": 1 }] }), json!([1])] {
            assert_eq!(compact(answer.clone()), answer);
        }
    }
}
