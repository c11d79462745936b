//! Holds what clients send against the schemas that they were given.
//!
//! In: a tool and JSON. Out: nothing, or an error that names the field. Invariant: what was sent is
//! not said again: it may be a secret.

use crate::error::ToolError;
use crate::tools::tools;
use browserlens_core::schema::Schema;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Checks arguments against the schema of a tool.
///
/// # Errors
/// [`ToolError::Arguments`].
pub fn check(tool: &str, arguments: &Value) -> Result<(), ToolError> {
    static SCHEMAS: LazyLock<HashMap<&'static str, Schema>> = LazyLock::new(|| {
        let mut all = tools();
        // The seed's name of a field is taken, and in no list.
        if let Some(tool) = all.iter_mut().find(|tool| tool.name == "snapshot") {
            let fields = &mut tool.arguments["properties"];
            fields["maxDepth"] = fields["depth"].clone();
        }
        all.iter().filter_map(|tool| Some((tool.name, Schema::new(&tool.arguments).ok()?))).collect()
    });
    // An old name of a field is in no schema.
    let Some(schema) = SCHEMAS.get(tool).filter(|_| tool != "query_knowledge_for_agent") else { return Ok(()) };
    let nothing = Value::Object(Map::new());
    let arguments = if arguments.is_null() { &nothing } else { arguments };
    let misfits = schema.misfits(arguments);
    let Some(misfit) = misfits.first() else { return Ok(()) };
    let place = misfit.place.trim_start_matches('/').replace('/', ".");
    // The only pattern there is.
    let is_no_ref = misfit.keyword == "pattern";
    let said = if is_no_ref { "value is no ref such as @e12".to_owned() } else { misfit.reason() };
    Err(ToolError::Arguments(if place.is_empty() { said } else { format!("{place}: {said}") }))
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
