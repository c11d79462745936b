//! Schemas of arguments: whole, and in fewest words.
//!
//! In: a type, or a schema made of one. Out: JSON schemas. Invariant: what is reduced takes the same arguments.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Returns the schema of a type, whole and without references.
pub fn of<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<A>().to_value()
}

/// Returns the schema with one type an argument, and without the arguments that are seldom given: what the command
/// line takes, and what a model reads.
pub fn reduced(schema: &Value, seldom: &[&str], keeps_words: bool) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let kept = properties.filter(|(name, _)| !seldom.contains(&name.as_str()));
    let properties = kept.map(|(name, property)| (name.clone(), short(property, keeps_words))).collect();
    let mut out = Map::new();
    out.insert("type".to_owned(), json!("object"));
    out.insert("properties".to_owned(), Value::Object(properties));
    out.extend(schema.get("required").map(|required| ("required".to_owned(), required.clone())));
    out
}

/// Leaves out of a property's schema what a model does not need.
fn short(schema: &Value, keeps_words: bool) -> Value {
    let Some(schema) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    if let Some(values) = one_of_words(schema) {
        out.insert("enum".to_owned(), values);
    } else if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let mut kept: Vec<Value> = choices
            .iter()
            .filter(|choice| choice.get("type") != Some(&json!("null")))
            .map(|choice| short(choice, false))
            .collect();
        // One value is as good as a list of them.
        if let Some(at) = kept.iter().position(|choice| choice.get("type") == Some(&json!("array"))) {
            kept = vec![kept.swap_remove(at)];
        }
        match kept.as_mut_slice() {
            [Value::Object(one)] => out.append(one),
            _ => return json!({}),
        }
    } else {
        let kind = match schema.get("type") {
            // A text, or an object that its description names.
            Some(Value::Array(kinds)) if kinds.contains(&json!("object")) => Some(json!(["string", "object"])),
            Some(Value::Array(kinds)) => kinds.iter().find(|kind| **kind != json!("null")).cloned(),
            kind => kind.cloned(),
        };
        if let Some(kind) = kind {
            out.insert("type".to_owned(), kind);
        }
        if let Some(items) = schema.get("items") {
            let items = short(items, false);
            if items != json!({}) {
                out.insert("items".to_owned(), items);
            }
        }
    }
    // Words that may be chosen say themselves what they are for.
    let is_choice = out.contains_key("enum");
    if let Some(words) = schema.get("description").filter(|_| keeps_words && !is_choice) {
        out.insert("description".to_owned(), words.clone());
    }
    Value::Object(out)
}

/// Returns the words of an enumeration.
fn one_of_words(schema: &Map<String, Value>) -> Option<Value> {
    if let Some(values) = schema.get("enum") {
        let words: Vec<&Value> = values.as_array()?.iter().filter(|value| !value.is_null()).collect();
        return Some(json!(words));
    }
    let choices = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let mut words = Vec::new();
    for choice in choices {
        if choice.get("type") == Some(&json!("null")) {
            continue;
        }
        match (choice.get("const"), choice.as_object()) {
            (Some(word), _) => words.push(word.clone()),
            (None, Some(choice)) => words.extend(one_of_words(choice)?.as_array()?.clone()),
            (None, None) => return None,
        }
    }
    (!words.is_empty()).then_some(Value::Array(words))
}
