//! Arguments that several tools take: refs, modes, formats, filters, and what fields are set to.

use browserlens_core::page::text::{escaped_line, folded};
use browserlens_core::strategy::Ref;
use browserlens_snapshot::GrepOptions;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::borrow::Cow;

/// The schema of an argument that is read by hand: it stands where the argument is asked for.
macro_rules! schema {
    ($argument:ident, $schema:tt) => {
        impl JsonSchema for $argument {
            fn schema_name() -> Cow<'static, str> {
                stringify!($argument).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

/// A ref such as `@e12`, as observations write it; `e12`, `12`, `[@e12]`, `@ref:12` and `[ref=e12]`
/// are taken too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefArg(pub Ref);

impl<'de> Deserialize<'de> for RefArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // As other notations of ours and of others have it: `[@e12]`, `@ref:12`, `[ref=e12]`.
        let trimmed = text.trim().trim_start_matches('[').trim_end_matches(']');
        let trimmed = ["@ref:", "ref="].into_iter().find_map(|mark| trimmed.strip_prefix(mark)).unwrap_or(trimmed);
        let written = match trimmed.chars().next() {
            Some('e') => format!("@{trimmed}"),
            // In a row a ref is only its number.
            Some('0'..='9') => format!("@e{trimmed}"),
            _ => trimmed.to_owned(),
        };
        written.parse().map(Self).map_err(|error: browserlens_core::strategy::MalformedRef| D::Error::custom(error))
    }
}

schema!(RefArg, { "type": "string",
    "pattern": "^\\[?(@ref:|ref=)?(@?e)?(0|[1-9][0-9]{0,8})(\\.[1-9][0-9]{0,3})?\\]?$" });

/// What a search is kept within: an element by its ref, or what shares its part of the page with a
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InArg {
    /// In the element of this ref.
    Ref(RefArg),
    /// In the row, card or other part that says this.
    Text(String),
}

impl InArg {
    /// Returns the ref, if it is one.
    pub fn reference(&self) -> Option<Ref> {
        match self {
            Self::Ref(reference) => Some(reference.0),
            Self::Text(_) => None,
        }
    }
}

impl std::fmt::Display for InArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ref(reference) => reference.0.fmt(f),
            Self::Text(text) => escaped_line(&format!("{text:?}")).fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for InArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let reference = RefArg::deserialize(Value::from(text.as_str()));
        Ok(reference.map_or(Self::Text(text), Self::Ref))
    }
}

schema!(InArg, { "type": "string", "minLength": 1, "maxLength": 1000 });

/// How a snapshot is taken.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ModeArg {
    /// What can be acted on.
    Interactive,
    /// How the page is built.
    Outline,
    /// What it says.
    Content,
}

/// How a snapshot is written.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum FormatArg {
    /// One line an element.
    Tree,
    /// Cleaned HTML.
    Html,
    /// Markdown, of content.
    Markdown,
}

/// How refs of a snapshot are written.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RefsArg {
    /// `@e5`.
    Lens,
    /// `@ref:5`.
    Seed,
}

/// What a snapshot is searched for: a pattern, or a pattern and how it is read.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum GrepArg {
    /// A pattern.
    Pattern(String),
    /// A pattern and how it is read.
    Options(GrepOptions),
}

pub(super) fn grep_schema(_: &mut SchemaGenerator) -> Schema {
    let switch = || json_schema!({ "type": "boolean" });
    json_schema!({
        "type": ["string", "object", "null"],
        "maxLength": 1000,
        "properties": {
            "pattern": { "type": "string", "maxLength": 1000 },
            "ignoreCase": switch(),
            "invert": switch(),
            "fixedStrings": switch(),
            "context": { "type": "integer", "minimum": 0, "maximum": 10_000 },
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}

/// How a click is made.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ClickArg {
    /// Once, with the main button.
    #[default]
    Left,
    /// Once, with the secondary button.
    Right,
    /// Twice.
    Double,
    /// Once, with Shift held.
    Shift,
    /// Once, with Control held.
    Control,
}

/// Where a drag ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PlaceArg {
    /// On it.
    #[default]
    On,
    /// Before it, in its row or column.
    Before,
    /// After it.
    After,
}

/// One option or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OptionArg {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl OptionArg {
    /// Returns the names, a line each.
    pub fn lines(&self) -> String {
        match self {
            Self::One(name) => folded(name),
            Self::Several(names) => names.iter().map(|name| folded(name)).collect::<Vec<_>>().join("\n"),
        }
    }
}

schema!(OptionArg, { "type": ["string", "array"], "items": { "type": "string" }, "maxLength": 10_000,
    "maxItems": 100 });

/// What a field is set to: a text or an option, whether it is checked, several options.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ValueArg {
    /// Whether it is checked.
    Checked(bool),
    /// A number is typed as it is written.
    Number(serde_json::Number),
    /// Text, or the name of an option.
    Text(String),
    /// Names of options.
    Options(Vec<String>),
}

/// One field of a form.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "WrittenField")]
pub struct FieldArg {
    /// Its ref, or what it is called.
    pub reference: InArg,
    /// What it is set to.
    pub value: ValueArg,
}

/// A field as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct WrittenField {
    /// Its ref, or what it is called.
    #[serde(rename = "ref")]
    reference: Option<InArg>,
    /// Or what it is called.
    text: Option<InArg>,
    /// Text, true or false, option or options.
    #[schemars(schema_with = "value_schema")]
    value: ValueArg,
}

impl JsonSchema for FieldArg {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        WrittenField::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        WrittenField::json_schema(generator)
    }
}

impl TryFrom<WrittenField> for FieldArg {
    type Error = &'static str;

    fn try_from(written: WrittenField) -> Result<Self, Self::Error> {
        let WrittenField { reference, text, value } = written;
        let reference = reference.or(text).ok_or("a field is {ref, value}: its ref, or what it is called")?;
        Ok(Self { reference, value })
    }
}

fn value_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "boolean", "number", "array"], "items": { "type": "string" },
        "maxLength": 100_000, "maxItems": 100 })
}

pub(super) fn strategy_schema(_: &mut SchemaGenerator) -> Schema {
    let mut names: Vec<Value> = browserlens_lens::names().iter().map(|name| Value::from(*name)).collect();
    names.push(Value::Null);
    json_schema!({ "enum": names })
}
