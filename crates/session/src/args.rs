//! Arguments of the tools: one type a tool, for MCP and HTTP alike.
//!
//! In: JSON. Out: typed arguments, or an error that names the field. Invariant: the schemas that
//! clients are given are made of these types.

mod values;

pub use values::{
    ClickArg, FieldArg, FormatArg, GrepArg, InArg, ModeArg, OptionArg, PlaceArg, RefArg, RefsArg, ValueArg,
};

use crate::error::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use values::{grep_schema, strategy_schema};

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),* $(,)? })+) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* })+
    };
}

arguments! {
    /// Of an observation.
    Observe {
        /// Everything, not what changed
        #[serde(default)]
        full: bool,
        /// Most tokens from now on (2000); 0: no limit
        #[schemars(range(max = 1_000_000))]
        budget: Option<u32>,
        /// From now on
        #[serde(default)]
        #[schemars(schema_with = "strategy_schema")]
        strategy: Option<String>,
        /// Say why it is shown so
        #[serde(default)]
        why: bool,
    }
    /// Of what an elided mark stands for.
    Expand {
        /// @m3
        #[schemars(length(max = 100))]
        handle: String,
        /// First item, from 1
        #[schemars(range(max = 1_000_000_000))]
        from: Option<u32>,
        /// Last item
        #[schemars(range(max = 1_000_000_000))]
        to: Option<u32>,
    }
    /// Of a snapshot.
    Snapshot {
        mode: Option<ModeArg>,
        format: Option<FormatArg>,
        /// Regex on paths, roles, text; or {pattern, ignoreCase, invert, fixedStrings, context}
        #[serde(default)]
        #[schemars(schema_with = "grep_schema")]
        grep: Option<GrepArg>,
        /// With grep: upper and lower case alike
        #[serde(default)]
        ignore_case: bool,
        /// With grep: what does not match
        #[serde(default)]
        invert: bool,
        /// With grep: plain text
        #[serde(default)]
        fixed_strings: bool,
        /// With grep: so many lines before and after
        #[schemars(range(max = 10_000))]
        context: Option<u32>,
        /// CSS or @e5
        #[schemars(length(max = 1000))]
        selector: Option<String>,
        #[serde(alias = "maxDepth")]
        #[schemars(range(max = 100))]
        depth: Option<u32>,
        /// Characters a section
        #[schemars(range(max = 1_000_000_000))]
        max_length: Option<u32>,
        #[serde(default)]
        include_links: bool,
        #[serde(default)]
        include_images: bool,
        /// Hidden nodes too
        #[serde(default)]
        include_hidden: bool,
        /// How refs are written
        refs: Option<RefsArg>,
        /// Most tokens
        #[schemars(range(max = 1_000_000))]
        budget: Option<u32>,
        /// Characters to pass over
        #[schemars(range(max = 1_000_000_000))]
        skip: Option<u32>,
    }
    /// Of chunks.
    Chunks {
        /// Tokens a chunk (512)
        #[schemars(range(min = 8, max = 1_000_000))]
        max_tokens: Option<u32>,
        /// Tokens repeated of the chunk before
        #[schemars(range(max = 100_000))]
        overlap: Option<u32>,
        /// Leave out the headings above
        #[serde(default)]
        no_breadcrumbs: bool,
        /// As in snapshot
        #[serde(default)]
        #[schemars(schema_with = "grep_schema")]
        grep: Option<GrepArg>,
        #[schemars(length(max = 1000))]
        selector: Option<String>,
        #[serde(default)]
        include_links: bool,
        #[serde(default)]
        include_images: bool,
        #[schemars(range(min = 1, max = 100_000))]
        limit: Option<u32>,
        /// Chunks to pass over
        #[schemars(range(max = 1_000_000_000))]
        offset: Option<u32>,
    }
    /// Of reading.
    ReadText {
        /// Sections that answer this
        #[schemars(length(max = 1000))]
        query: Option<String>,
        /// Heading or number
        #[schemars(length(max = 1000))]
        section: Option<String>,
        #[serde(default)]
        nocache: bool,
        /// How the content hangs together
        #[serde(default)]
        graph: bool,
        /// Steps around section or query in the graph
        #[schemars(range(min = 1, max = 100))]
        within: Option<u32>,
        /// Least probability of an answer
        #[schemars(range(min = 0, max = 1))]
        min_relevance: Option<f32>,
        /// Query all pages read so far
        #[serde(default)]
        visited: bool,
        /// Which of all pages read so far have to do with this
        #[schemars(length(max = 1000))]
        related: Option<String>,
        /// Least similarity of what is related
        #[schemars(range(min = 0, max = 1))]
        similarity: Option<f32>,
        /// From one concept to another, over all pages read so far
        path: Option<[String; 2]>,
        /// What all pages read so far say of this
        #[schemars(length(max = 1000))]
        about: Option<String>,
        /// What all pages read so far say twice
        #[serde(default)]
        duplicates: bool,
        /// Most sections
        #[schemars(range(min = 1, max = 10_000))]
        limit: Option<u32>,
        /// Sections to pass over
        #[schemars(range(max = 1_000_000_000))]
        offset: Option<u32>,
        /// Characters to pass over
        #[schemars(range(max = 1_000_000_000))]
        skip: Option<u32>,
    }
    /// Of a search in the page.
    Find {
        #[serde(default)]
        #[schemars(length(max = 1000))]
        text: String,
        #[serde(default)]
        #[schemars(length(max = 100))]
        role: String,
        /// Ref or text beside it
        #[serde(rename = "in")]
        within: Option<InArg>,
        #[schemars(range(min = 1, max = 1000))]
        limit: Option<u32>,
    }
    /// Of a navigation.
    Navigate {
        #[schemars(length(max = 8000))]
        url: String,
    }
    /// Of a click.
    Click {
        #[serde(rename = "ref")]
        reference: Option<RefArg>,
        /// Or what it says
        #[schemars(length(max = 1000))]
        text: Option<String>,
        #[schemars(length(max = 100))]
        role: Option<String>,
        /// Ref or text beside it
        #[serde(rename = "in")]
        within: Option<InArg>,
        /// [x, y] in CSS px from its corner, or the viewport's
        at: Option<[f32; 2]>,
        #[serde(default)]
        kind: ClickArg,
    }
    /// Of a form.
    Fill {
        #[schemars(length(min = 1, max = 100))]
        fields: Vec<FieldArg>,
    }
    /// Of typing.
    Type {
        /// Else into what has the focus
        #[serde(rename = "ref")]
        reference: Option<InArg>,
        #[schemars(length(max = 100_000))]
        text: String,
        /// Key by key, added to what is there
        #[serde(default)]
        keys: bool,
        /// Press Enter after
        #[serde(default)]
        submit: bool,
    }
    /// Of a choice.
    Select {
        #[serde(rename = "ref")]
        reference: InArg,
        /// Its name, or several; a path of lists within lists: A / B
        option: OptionArg,
    }
    /// Of the pointer.
    Hover {
        #[serde(rename = "ref")]
        target: InArg,
        #[serde(rename = "in")]
        within: Option<InArg>,
    }
    /// Of a key.
    Press {
        /// Enter, Control+A, Home End*2
        #[schemars(length(max = 500))]
        key: String,
        #[serde(rename = "ref")]
        reference: Option<InArg>,
        #[schemars(range(min = 1, max = 500))]
        times: Option<u32>,
    }
    /// Of scrolling.
    Scroll {
        #[serde(rename = "ref")]
        target: Option<InArg>,
        #[serde(default)]
        #[schemars(range(min = -1_000_000, max = 1_000_000))]
        x: i32,
        #[serde(default)]
        #[schemars(range(min = -1_000_000, max = 1_000_000))]
        y: i32,
        /// Until this text comes
        #[schemars(length(max = 1000))]
        until: Option<String>,
    }
    /// Of a drag.
    Drag {
        from: Option<InArg>,
        to: Option<InArg>,
        #[serde(default)]
        place: PlaceArg,
        /// Or [x, y] px
        by: Option<[f32; 2]>,
        /// Where it is taken
        at: Option<[f32; 2]>,
    }
    /// Of an upload.
    Upload {
        #[serde(rename = "ref")]
        reference: InArg,
        #[schemars(length(max = 100))]
        files: Vec<String>,
    }
    /// Of a known way.
    Follow {
        /// Task or screen: id or name
        #[schemars(length(min = 1, max = 1000))]
        knowledge: String,
        /// Texts by field
        #[serde(default)]
        values: BTreeMap<String, String>,
        /// Which store of knowledge
        #[schemars(length(max = 100))]
        id: Option<String>,
    }
    /// Of nothing.
    Nothing {}
    /// Of waiting.
    Wait {
        /// Until the page says this
        #[schemars(length(max = 1000))]
        text: Option<String>,
        /// Until it does not
        #[schemars(length(max = 1000))]
        gone: Option<String>,
        #[serde(rename = "ref")]
        reference: Option<RefArg>,
        /// Of ref: enabled, checked, expanded, gone, …
        #[schemars(length(max = 40))]
        state: Option<String>,
        /// Until requests end
        #[serde(default)]
        network: bool,
        /// At most
        #[schemars(range(max = 120_000))]
        ms: Option<u32>,
    }
    /// Of an expression.
    Evaluate {
        #[schemars(length(max = 100_000))]
        expression: String,
    }
    /// Of tabs.
    Tabs {
        /// URL
        #[schemars(length(max = 8000))]
        open: Option<String>,
        #[serde(rename = "switch")]
        #[schemars(range(max = 1_000_000_000))]
        switch_to: Option<u32>,
        /// Close the current one
        #[serde(default)]
        close: bool,
    }
    /// Of a dialog.
    Dialog {
        accept: bool,
        /// For a prompt
        #[schemars(length(max = 10_000))]
        text: Option<String>,
    }
    /// Of a screenshot.
    Screenshot {
        #[serde(rename = "ref")]
        reference: Option<RefArg>,
        /// With refs drawn in
        #[serde(default)]
        annotate: bool,
    }
}

/// Reads arguments; an error names the field and what it may hold.
///
/// # Errors
/// [`ToolError::Arguments`].
pub fn read<A: DeserializeOwned>(arguments: Value) -> Result<A, ToolError> {
    let mut arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    whole(&mut arguments);
    if !arguments.is_object() {
        return Err(ToolError::Arguments("they are no JSON object".to_owned()));
    }
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner().to_string());
        // What the client sent is not said again: it may be a secret.
        let inner = without_values(&inner);
        ToolError::Arguments(if path == "." { inner } else { format!("{path}: {inner}") })
    })
}

/// Makes whole numbers of what is one: to JSON schemas `3.0` is an integer. Bodies are nested no
/// deeper than the server allows.
pub(crate) fn whole(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or(f64::NAN);
            // Up to here every whole number has a float of its own.
            if float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0 {
                *number = serde_json::Number::from(float as i64);
            }
        }
        _ => {}
    }
}

/// Leaves out what serde quotes of strings that it did not expect.
fn without_values(message: &str) -> String {
    let Some(rest) = message.strip_prefix("invalid type: string \"") else { return message.to_owned() };
    let expected = rest.rfind("\", expected ").map_or("", |at| &rest[at + 1..]);
    format!("invalid type: a string{expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_is_named_and_what_was_typed_is_not_said_again() {
        let error = read::<Type>(json!({ "ref": "@e5", "text": "hunter2", "submit": "hunter2" })).expect_err("no bool");
        assert_eq!(error.to_string(), "arguments: submit: invalid type: a string, expected a boolean");
        assert!(matches!(
            read::<Select>(json!({ "ref": "@e5", "option": ["a", "b"] })).expect("two").option,
            OptionArg::Several(_)
        ));
        let error = read::<Click>(json!({ "ref": "button" })).expect_err("no ref");
        assert!(error.to_string().contains("\"@e12\""), "{error}");
        for written in ["@e12", "e12", "12", "[@e12]", "@ref:12", "[ref=e12]"] {
            let upload = read::<Upload>(json!({ "ref": written, "files": ["a"] })).expect(written);
            assert_eq!(upload.reference.to_string(), "@e12", "{written}");
        }
        let error = read::<Click>(json!({ "ref": "@e5", "reff": 1 })).expect_err("unknown");
        assert!(error.to_string().contains("unknown field `reff`"), "{error}");
        assert!(read::<Nothing>(json!([])).is_err() && read::<Nothing>(Value::Null).is_ok());
        assert_eq!(read::<Find>(json!({ "text": "", "limit": 3.0 })).expect("a whole number").limit, Some(3));
        assert_eq!(
            read::<Upload>(json!({ "ref": "e5.2", "files": ["a"] })).expect("fine").reference.to_string(),
            "@e5.2"
        );
    }
}
