//! JSON held against a JSON Schema.
//!
//! In: a schema of ours, and a value of somebody else's. Out: [`Misfit`]s, each with its place.
//! Invariant: the value itself is not said again: it may be a secret.

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, ValidationError};
use serde_json::Value;
use std::fmt::{Display, Formatter};

/// A JSON Schema, of draft 2020-12 unless it says another.
pub struct Schema {
    schemas: Schemas,
    root: SchemaIndex,
}

/// One thing in a value that does not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where in the value, as a JSON pointer; empty for the value itself.
    pub place: String,
    /// The keyword of JSON Schema that is broken, such as `required`.
    pub keyword: &'static str,
    /// What the keyword wants: types, options as JSON, names of properties, a limit.
    pub wants: Vec<String>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong with it, in words; also where it refers to another document.
    pub fn new(schema: &Value) -> Result<Self, String> {
        const AT: &str = "schema:/it";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.use_loader(Box::new(boon::SchemeUrlLoader::new()));
        compiler.add_resource(AT, schema.clone()).map_err(|error| format!("{error:#}"))?;
        let root = compiler.compile(AT, &mut schemas).map_err(|error| format!("{error:#}"))?;
        Ok(Self { schemas, root })
    }

    /// Returns what of a value does not fit.
    pub fn misfits(&self, value: &Value) -> Vec<Misfit> {
        self.schemas.validate(value, self.root).map_or_else(|error| misfits(&error), |()| Vec::new())
    }

    /// Returns whether a value fits.
    pub fn fits(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.root).is_ok()
    }
}

crate::opaque_debug!(self: Schema {});

fn misfits(error: &ValidationError<'_, '_>) -> Vec<Misfit> {
    let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let number = |value: &dyn Display| vec![value.to_string()];
    let (keyword, wants) = match &error.kind {
        ErrorKind::AnyOf | ErrorKind::OneOf(None) => return of_meant(error),
        ErrorKind::Type { want, .. } => ("type", want.iter().map(|one| one.to_string()).collect()),
        ErrorKind::Enum { want } => ("enum", want.iter().map(Value::to_string).collect()),
        ErrorKind::Const { want } => ("const", number(want)),
        ErrorKind::Required { want } => ("required", texts(want)),
        ErrorKind::AdditionalProperties { got } => {
            ("additionalProperties", got.iter().map(|name| name.to_string()).collect())
        }
        ErrorKind::Pattern { want, .. } => ("pattern", texts(&[want])),
        ErrorKind::Minimum { want, .. } => ("minimum", number(want)),
        ErrorKind::ExclusiveMinimum { want, .. } => ("exclusiveMinimum", number(want)),
        ErrorKind::Maximum { want, .. } => ("maximum", number(want)),
        ErrorKind::ExclusiveMaximum { want, .. } => ("exclusiveMaximum", number(want)),
        ErrorKind::MinLength { want, .. } => ("minLength", number(want)),
        ErrorKind::MaxLength { want, .. } => ("maxLength", number(want)),
        ErrorKind::MinItems { want, .. } => ("minItems", number(want)),
        ErrorKind::MaxItems { want, .. } => ("maxItems", number(want)),
        _ if error.causes.is_empty() => ("", Vec::new()),
        _ => return error.causes.iter().flat_map(misfits).collect(),
    };
    vec![Misfit { place: error.instance_location.to_string(), keyword, wants }]
}

/// Returns what is wrong where one of several schemas is to fit: by the one that the value is meant
/// to be, or what it may be at all.
fn of_meant(error: &ValidationError<'_, '_>) -> Vec<Misfit> {
    let place = error.instance_location.to_string();
    let of = |misfit: &&Misfit, keywords: &[&str]| misfit.place == place && keywords.contains(&misfit.keyword);
    let branches: Vec<Vec<Misfit>> = error.causes.iter().map(misfits).collect();
    if let Some(meant) = branches.iter().find(|branch| !branch.iter().any(|one| of(&one, &["type", "enum", "const"]))) {
        return meant.clone();
    }
    let wanted = |keywords: &[&str]| -> Vec<String> {
        branches.iter().flatten().filter(|one| of(one, keywords)).flat_map(|one| one.wants.clone()).collect()
    };
    let options = wanted(&["enum", "const"]);
    let (keyword, wants) = if options.is_empty() { ("type", wanted(&["type"])) } else { ("enum", options) };
    vec![Misfit { place, keyword, wants }]
}

impl Misfit {
    /// Returns what is wrong, without the place.
    pub fn reason(&self) -> String {
        // That nothing may stand there too helps nobody.
        let said: Vec<&str> = self.wants.iter().map(String::as_str).filter(|one| *one != "null").collect();
        let names = || said.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        match (self.keyword, said.join(", ")) {
            ("type", _) => format!("value is not of type {}", said.join(" or ")),
            ("enum" | "const", options) => format!("value is not one of {options}"),
            ("required", _) => format!("{} is missing", names()),
            ("additionalProperties", _) => format!("{} is not known here", names()),
            ("pattern", pattern) => format!("value does not match {pattern}"),
            ("minimum", least) => format!("value is less than {least}"),
            ("exclusiveMinimum", limit) => format!("value is not more than {limit}"),
            ("maximum", most) => format!("value is more than {most}"),
            ("exclusiveMaximum", limit) => format!("value is not less than {limit}"),
            ("minLength", least) => format!("value has fewer than {least} characters"),
            ("maxLength", most) => format!("value has more than {most} characters"),
            ("minItems", least) => format!("value has fewer than {least} items"),
            ("maxItems", most) => format!("value has more than {most} items"),
            _ => "value does not fit".to_owned(),
        }
    }
}

impl Display for Misfit {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.reason())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_said_with_its_place_and_without_the_value() {
        let schema = Schema::new(&json!({
            "$defs": { "mode": { "enum": ["a", "b", null] } },
            "type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
                "id": { "type": "integer", "minimum": 1, "exclusiveMaximum": 9 },
                "mode": { "anyOf": [{ "$ref": "#/$defs/mode" }, { "type": "null" }] },
                "find": { "anyOf": [{ "type": "string", "maxLength": 3 }, {
                    "type": "object", "required": ["text"], "properties": { "text": { "pattern": "^x" } }
                }] },
                "list": { "type": ["array", "null"], "minItems": 2, "items": { "type": "string" } }
            }
        }))
        .expect("a schema");
        let said = |value: Value| {
            let all = schema.misfits(&value);
            assert_eq!(schema.fits(&value), all.is_empty());
            all.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ")
        };
        for (value, expected) in [
            (json!({ "id": 8, "mode": "a", "find": "abc", "list": ["a", "b"] }), ""),
            (json!({ "id": 1, "mode": null, "find": { "text": "xy" }, "list": null }), ""),
            (json!([]), "value is not of type object"),
            (json!({}), "'id' is missing"),
            (json!({ "id": 0 }), "/id: value is less than 1"),
            (json!({ "id": 9 }), "/id: value is not less than 9"),
            (json!({ "id": "hunter2", "x": "hunter2" }), "/id: value is not of type integer; 'x' is not known here"),
            (json!({ "id": 1, "mode": "hunter2" }), "/mode: value is not one of \"a\", \"b\""),
            (json!({ "id": 1, "find": "hunter2" }), "/find: value has more than 3 characters"),
            (json!({ "id": 1, "find": {} }), "/find: 'text' is missing"),
            (json!({ "id": 1, "find": { "text": "hunter2" } }), "/find/text: value does not match ^x"),
            (json!({ "id": 1, "find": 5 }), "/find: value is not of type string or object"),
            (json!({ "id": 1, "list": "hunter2" }), "/list: value is not of type array"),
            (
                json!({ "id": 1, "list": [1] }),
                "/list: value has fewer than 2 items; /list/0: value is not of type string",
            ),
        ] {
            let mut found: Vec<_> = said(value.clone()).split("; ").map(str::to_owned).collect();
            let mut expected: Vec<_> = expected.split("; ").map(str::to_owned).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{value}");
        }
    }

    #[test]
    fn a_schema_that_is_none_or_lies_elsewhere_is_refused() {
        for schema in [json!({ "type": "thing" }), json!({ "$ref": "https://a.test/b" }), json!({ "$ref": "#/no" })] {
            assert!(Schema::new(&schema).is_err(), "{schema}");
        }
    }
}
