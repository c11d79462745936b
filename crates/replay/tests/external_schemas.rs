//! The published schemas are those of the types, and real messages pass them.
#![allow(missing_docs, reason = "a test has no readers")]

use browserlens_core::schema::Schema;
use browserlens_replay::external::protocol::{self, FromCommand};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn the_published_schemas_are_made_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    for (name, schema) in protocol::schemas() {
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
        let path = folder.join(name);
        if std::env::var_os("BROWSERLENS_WRITE").is_some() {
            std::fs::write(&path, &text).expect("written");
        }
        let stands = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stands == text, "{}: not that of the types: write it with BROWSERLENS_WRITE=1", path.display());
    }
}

fn validator(name: &str) -> Schema {
    let schema = protocol::schemas().into_iter().find(|(known, _)| *known == name).expect("a schema").1;
    Schema::new(&schema).expect("a good schema")
}

#[test]
fn schema_and_reader_agree_about_answers() {
    let schema = validator("from-command.json");
    let full = json!({
        "type": "observation", "step": 3, "text": "- button \"Go\" \
            [ref=e1]", "kind": "delta", "reason": "", "refs": {"e1": "1.1.2"},
        "images": [{"path": "a.png", "space": {"document": {"x": 0, "y": 1.5, "width": 2, "height": 3}}}],
        "representation": "a11y"
    });
    let answers = [
        (json!({"type": "ready", "protocol": 1}), true),
        (json!({"type": "ready", "protocol": 1, "version": "1", "requests": true}), true),
        (full, true),
        (json!({"type": "observation", "step": 0, "text": ""}), true),
        (json!({"type": "unanswerable", "step": 1}), true),
        (json!({"type": "error", "step": 1, "message": "no"}), true),
        (json!({"type": "ready"}), false),
        (json!({"type": "observation", "step": 0}), false),
        (json!({"type": "observation", "step": -1, "text": ""}), false),
        (json!({"type": "observation", "step": 0, "text": "", "ref": {}}), false),
        (json!({"type": "observation", "step": 0, "text": "", "kind": "answer"}), false),
        (json!({"type": "error", "step": 1}), false),
        (json!({"type": "bye"}), false),
        (json!(["observation"]), false),
    ];
    for (answer, is_good) in answers {
        let read = serde_json::from_value::<FromCommand>(answer.clone());
        assert_eq!((schema.fits(&answer), read.is_ok()), (is_good, is_good), "{answer}");
    }
}

#[test]
fn the_protocol_document_names_every_message_and_field() {
    let text = include_str!("../PROTOCOL.md");
    for (_, schema) in protocol::schemas() {
        let mut names = Vec::new();
        collect(&schema, &mut names);
        for name in names {
            assert!(text.contains(&format!("`{name}`")), "PROTOCOL.md does not name `{name}`");
        }
    }
}

fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                names.extend(properties.keys().cloned());
            }
            names.extend(fields.get("const").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}
