//! Knowledge as JSON, and its schema.
//!
//! In and out: text. Invariant: what is written is read back as it was; what is no knowledge is an
//! error with its place.

use crate::error::KnowledgeError;
use crate::model::Knowledge;

/// Writes the knowledge as JSON, indented.
///
/// # Errors
/// If a number in it is none that JSON has.
pub fn to_json(knowledge: &Knowledge) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(knowledge).map(|mut text| {
        text.push('\n');
        text
    })
}

/// Returns the JSON schema of knowledge.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Knowledge).to_value()
}

/// Reads knowledge from JSON, of this shape or the old one.
///
/// # Errors
/// [`KnowledgeError::Json`], with the place of what cannot be read.
pub fn from_json(origin: &str, text: &str) -> Result<Knowledge, KnowledgeError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| KnowledgeError::Json { origin: origin.to_owned(), reason: error.to_string() })
}
