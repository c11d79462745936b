//! The tools of each profile, with the JSON schema of each tool's parameters.
//!
//! In: the name of a profile, a tool's name and parameters. Out: whether the profile has the tool
//! and takes the parameters. Invariant: the schemas (`schemas/*.json`) allow no parameter that the
//! tool does not know. `browser-use-0.13` is the registry of browser-use 0.13.14 as it was printed
//! by the installed package (24 tools); `seed` is the list of tools that this crate was asked for,
//! of no released version: an element may be given there by index or by CSS selector;
//! `browserlens` is what our own server takes of an action, which a test there compares.

use super::error::{TranslateError, shown};
use super::profile::Profile;
use crate::model::BrowserUseAction;
use browserlens_core::schema::Schema;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

impl std::str::FromStr for Profile {
    type Err = TranslateError;

    fn from_str(name: &str) -> Result<Self, TranslateError> {
        Self::from_name(name).ok_or_else(|| TranslateError::UnknownProfile { name: shown(name) })
    }
}

#[derive(serde::Deserialize)]
struct CatalogFile {
    ends_sequence: Vec<String>,
    tools: BTreeMap<String, ToolFile>,
}

#[derive(serde::Deserialize)]
struct ToolFile {
    description: String,
    parameters: Value,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// What it does.
    pub description: String,
    /// JSON schema of its parameters.
    pub parameters: Value,
    /// Whether an agent has to look at the page anew after it.
    pub ends_sequence: bool,
    schema: Option<Schema>,
}

impl Profile {
    /// Returns the tools by name.
    pub fn tools(self) -> &'static BTreeMap<String, Tool> {
        static TOOLS: [LazyLock<BTreeMap<String, Tool>>; 3] = [
            LazyLock::new(|| load(include_str!("schemas/seed.json"))),
            LazyLock::new(|| load(include_str!("schemas/browser-use-0.13.json"))),
            LazyLock::new(|| load(include_str!("schemas/browserlens.json"))),
        ];
        &TOOLS[self as usize]
    }

    /// Checks an action against the schema of its tool.
    ///
    /// # Errors
    /// [`TranslateError::UnknownTool`], [`TranslateError::Invalid`].
    pub fn validate(self, action: &BrowserUseAction) -> Result<(), TranslateError> {
        let Some(tool) = self.tools().get(&action.tool_name) else {
            let names = self.tools().keys().map(String::as_str);
            let nearest = super::nearest::nearest(&action.tool_name, names, 3);
            return Err(TranslateError::UnknownTool { profile: self, name: shown(&action.tool_name), nearest });
        };
        let parameters = Value::from_iter(action.parameters.clone());
        let reason = match tool.schema.as_ref().map(|schema| schema.misfits(&parameters)).as_deref() {
            None => "its schema cannot be read".to_owned(),
            Some([]) => return Ok(()),
            Some([misfit, ..]) => shown(&misfit.to_string()),
        };
        Err(TranslateError::Invalid { profile: self, tool: action.tool_name.clone(), reason })
    }
}

/// The files are part of the build: that they load is tested below.
fn load(text: &str) -> BTreeMap<String, Tool> {
    let Ok(file) = serde_json::from_str::<CatalogFile>(text) else { return BTreeMap::new() };
    let tool = |(name, tool): (String, ToolFile)| {
        let ends_sequence = file.ends_sequence.contains(&name);
        let schema = Schema::new(&tool.parameters).ok();
        (name, Tool { description: tool.description, parameters: tool.parameters, ends_sequence, schema })
    };
    file.tools.into_iter().map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn action(tool: &str, parameters: Value) -> BrowserUseAction {
        serde_json::from_value(json!({ "tool_name": tool, "parameters": parameters })).unwrap()
    }

    #[test]
    fn every_profile_loads_whole() {
        for (profile, count) in [(Profile::Seed, 34), (Profile::BrowserUse013, 24), (Profile::BrowserLens, 19)] {
            assert_eq!(profile.tools().len(), count, "{profile}");
            for (name, tool) in profile.tools() {
                assert!(tool.schema.is_some() && !tool.description.is_empty(), "{name}");
                assert_eq!(tool.parameters["additionalProperties"], false, "{name}");
            }
            assert_eq!(profile.name().parse::<Profile>().unwrap(), profile);
        }
        let ends: Vec<&str> = Profile::BrowserUse013
            .tools()
            .iter()
            .filter(|(_, tool)| tool.ends_sequence)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(ends, ["evaluate", "go_back", "navigate", "search", "switch"]);
    }

    #[test]
    fn wrong_tools_and_parameters_are_refused_with_the_reason() {
        let profile = Profile::BrowserUse013;
        profile.validate(&action("click", json!({ "index": 5 }))).unwrap();
        for (tool, parameters) in [
            ("click", json!({})),
            ("click", json!({ "index": 0 })),
            ("click", json!({ "index": "5" })),
            ("click", json!({ "index": 5, "selector": "#a" })),
            ("input", json!({ "index": 5 })),
            ("switch", json!({ "tab_id": "12345" })),
            ("scroll", json!({ "pages": 0 })),
        ] {
            assert!(
                matches!(profile.validate(&action(tool, parameters)), Err(TranslateError::Invalid { .. })),
                "{tool}"
            );
        }
        let error = profile.validate(&action("hovr", json!({}))).unwrap_err().to_string();
        assert!(error.contains("browser-use-0.13"), "{error}");
        Profile::Seed.validate(&action("click", json!({ "selector": "#a" }))).unwrap();
        assert!(Profile::Seed.validate(&action("drag_drop", json!({ "index": 1 }))).is_err());
        assert!(Profile::Seed.validate(&action("drag_drop", json!({ "index": 1, "target_index": 2 }))).is_ok());
        assert!("browser-use-0.1".parse::<Profile>().unwrap_err().hint().contains("browser-use-0.13"));
    }
}
