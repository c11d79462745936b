//! Holds what clients send against the schemas that they were given.
//!
//! In: a tool and JSON. Out: nothing, or an error that names the field. Invariant: what was sent is
//! not said again: it may be a secret.

use crate::error::ToolError;
use crate::tools::{tools, words_of};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Checks arguments against the schema of a tool.
///
/// # Errors
/// [`ToolError::Arguments`].
pub fn check(tool: &str, arguments: &Value) -> Result<(), ToolError> {
    static VALIDATORS: LazyLock<HashMap<&'static str, Validator>> = LazyLock::new(|| {
        let mut all = tools();
        // The seed's name of a field is taken, and in no list.
        if let Some(tool) = all.iter_mut().find(|tool| tool.name == "snapshot") {
            let fields = &mut tool.arguments["properties"];
            fields["maxDepth"] = fields["depth"].clone();
        }
        all.iter().filter_map(|tool| Some((tool.name, jsonschema::validator_for(&tool.arguments).ok()?))).collect()
    });
    // An old name of a field is in no schema.
    let Some(validator) = VALIDATORS.get(tool).filter(|_| tool != "query_knowledge_for_agent") else { return Ok(()) };
    let nothing = Value::Object(Map::new());
    let arguments = if arguments.is_null() { &nothing } else { arguments };
    validator.validate(arguments).map_err(|error| {
        let place = error.instance_path().to_string();
        let place = place.trim_start_matches('/').replace('/', ".");
        // What the client sent is not said again: it may be a secret.
        let said = match error.kind() {
            ValidationErrorKind::Enum { options } => {
                let options = options.as_array().into_iter().flatten().filter(|one| !one.is_null());
                format!("value is not one of {}", options.map(Value::to_string).collect::<Vec<_>>().join(", "))
            }
            ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. }
                if words_of(tool, &place).is_some() =>
            {
                format!("value is not one of {}", words_of(tool, &place).unwrap_or_default().join(", "))
            }
            // The only pattern there is.
            ValidationErrorKind::Pattern { .. } => "value is no ref such as @e12".to_owned(),
            _ => error.masked().to_string(),
        };
        ToolError::Arguments(if place.is_empty() { said } else { format!("{place}: {said}") })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_word_that_is_none_is_answered_with_those_there_are() {
        let said = |arguments: Value| check("snapshot", &arguments).expect_err("wrong").to_string();
        assert_eq!(
            said(json!({ "mode": "bogus" })),
            "arguments: mode: value is not one of \"interactive\", \"outline\", \"content\""
        );
        assert_eq!(said(json!({ "refs": "no" })), "arguments: refs: value is not one of \"lens\", \"seed\"");
        assert!(check("snapshot", &json!({ "grep": { "pattern": "a", "ignoreCase": true, "context": 2 } })).is_ok());
        assert!(check("snapshot", &json!({ "grep": "a", "maxLength": 5, "invert": true, "context": 1 })).is_ok());
        assert!(said(json!({ "grep": { "ignoreCase": true } })).contains("pattern"), "the pattern is missing");
        assert!(said(json!({ "grep": { "pattern": "a", "x": 1 } })).contains("'x'"));
    }
}
