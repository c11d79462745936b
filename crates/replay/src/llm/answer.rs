//! What the model wants to do next, out of what it said.
//!
//! In: the answer of an endpoint. Out: a [`NextAction`], or why there is none. Rules: the JSON
//! object that the text is, or its last fenced block ([`browserlens_llm::json_object`]); `action`
//! is a name of [`ActionKind`], ignoring case; `target` and `text` are texts, null or absent.
//! Invariant: nothing is guessed: a wrong name or type is no answer, and counts as a wrong step.

use browserlens_core::strategy::ActionKind;
use browserlens_llm::{Schema, json_object};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The next action as the model names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextAction {
    /// What to do.
    pub action: ActionKind,
    /// On which element, as the model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What to type, choose or press.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why an answer names no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum NoAnswer {
    /// There is no JSON object in it.
    #[error("no JSON object")]
    NoObject,
    /// It was cut off before the object was whole.
    #[error("cut off")]
    CutOff,
    /// `action` is missing or no known name.
    #[error("no known action")]
    UnknownAction,
    /// `target` or `text` is neither text nor null.
    #[error("target or text is no text")]
    WrongType,
}

/// Parses what a model said; `finish_reason` tells whether it was cut off.
///
/// # Errors
/// [`NoAnswer`] if it names no action.
pub fn parse(content: &str, finish_reason: &str) -> Result<NextAction, NoAnswer> {
    let Some(object) = json_object(content) else {
        return Err(if finish_reason == "length" { NoAnswer::CutOff } else { NoAnswer::NoObject });
    };
    let action = object
        .get("action")
        .and_then(Value::as_str)
        .and_then(|name| ActionKind::from_name(&name.trim().to_lowercase()))
        .ok_or(NoAnswer::UnknownAction)?;
    let text = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        // Some handles are bare numbers.
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(NoAnswer::WrongType),
    };
    Ok(NextAction { action, target: text("target")?, text: text("text")? })
}

/// Returns the schema of an answer.
pub(crate) fn schema() -> Schema {
    let text_or_null = json!({ "type": ["string", "null"] });
    Schema {
        name: "next_action".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ActionKind::ALL.map(ActionKind::name) },
                "target": text_or_null,
                "text": text_or_null,
            },
            "required": ["action", "target", "text"],
            "additionalProperties": false,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(kind: ActionKind, target: Option<&str>, text: Option<&str>) -> Result<NextAction, NoAnswer> {
        Ok(NextAction { action: kind, target: target.map(Into::into), text: text.map(Into::into) })
    }

    #[test]
    fn plain_and_fenced_answers_are_read() {
        let plain = r#"{"action": "fill", "target": "@e5", "text": "laptop"}"#;
        assert_eq!(parse(plain, "stop"), action(ActionKind::Fill, Some("@e5"), Some("laptop")));
        let fenced = "The search box is @e5.\n```json\n{\"action\": \"CLICK\", \"target\": 12}\n```";
        assert_eq!(parse(fenced, "stop"), action(ActionKind::Click, Some("12"), None));
        assert_eq!(parse(r#"{"action":"back","target":null,"text":null}"#, ""), action(ActionKind::Back, None, None));
    }

    #[test]
    fn what_does_not_fit_the_schema_is_no_answer() {
        for (content, finish, why) in [
            ("Click the button {\"action\": \"click\"} please", "stop", NoAnswer::NoObject),
            ("", "stop", NoAnswer::NoObject),
            ("{\"action\": \"fill\", \"target\": \"@e", "length", NoAnswer::CutOff),
            ("{\"action\": \"teleport\"}", "stop", NoAnswer::UnknownAction),
            ("{\"target\": \"@e1\"}", "stop", NoAnswer::UnknownAction),
            ("{\"action\": \"click\", \"target\": {\"ref\": \"@e1\"}}", "stop", NoAnswer::WrongType),
        ] {
            assert_eq!(parse(content, finish), Err(why), "{content:?}");
        }
    }

    #[test]
    fn the_schema_lists_every_action() {
        let schema = schema().schema;
        assert_eq!(schema["properties"]["action"]["enum"].as_array().map(Vec::len), Some(ActionKind::ALL.len()));
    }
}
