//! Named presets: fields of queries under one name.
//!
//! In: the built-in `presets.toml` and what users add in the same form. Out: [`Presets`].
//! Invariants: a field that a query gives wins over its preset's; a preset is checked when it is
//! added, by reading it as a query.

use crate::error::InspectError;
use crate::query::{self, ConsoleQuery, DomQuery, NetworkQuery};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Fields of queries under one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preset {
    /// What it is for.
    pub why: String,
    /// Fields of `get_console_messages`.
    pub console: Map<String, Value>,
    /// Fields of `get_network_requests`.
    pub network: Map<String, Value>,
    /// Fields of `get_dom_snapshot`.
    pub dom: Map<String, Value>,
}

impl Preset {
    fn check(&self) -> Result<(), InspectError> {
        let fields = |fields: &Map<String, Value>| Value::Object(fields.clone());
        query::read::<ConsoleQuery>(fields(&self.console))?;
        query::read::<NetworkQuery>(fields(&self.network))?;
        query::read::<DomQuery>(fields(&self.dom))?;
        Ok(())
    }
}

/// Presets could not be added.
#[derive(Debug, thiserror::Error)]
pub enum PresetsError {
    /// The text is no TOML of presets.
    #[error("presets: {0}")]
    Toml(#[from] toml::de::Error),
    /// A preset holds what no query may.
    #[error("preset {name:?}: {cause}")]
    Bad {
        /// Its name.
        name: String,
        /// What is wrong.
        cause: InspectError,
    },
}

/// Presets by name.
#[derive(Clone, Debug)]
pub struct Presets {
    named: BTreeMap<String, Preset>,
}

impl Default for Presets {
    fn default() -> Self {
        let named = toml::from_str(include_str!("presets.toml")).unwrap_or_default();
        Self { named }
    }
}

impl Presets {
    /// Adds presets from TOML: one table a name, with `why`, `console`, `network`, `dom`; a name
    /// that is there gives way.
    ///
    /// # Errors
    /// [`PresetsError`] if the text is no TOML or a preset holds a field that no query has.
    pub fn add_toml(&mut self, text: &str) -> Result<(), PresetsError> {
        let added: BTreeMap<String, Preset> = toml::from_str(text)?;
        for (name, preset) in &added {
            preset.check().map_err(|cause| PresetsError::Bad { name: name.clone(), cause })?;
        }
        self.named.extend(added);
        Ok(())
    }

    /// Returns a preset.
    pub fn get(&self, name: &str) -> Option<&Preset> {
        self.named.get(name)
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }
}

/// Fills the fields that are not given from the query's preset, of which `fields` are the tool's.
pub(crate) fn with_preset<Q: Serialize + DeserializeOwned + Clone>(
    given: &Q,
    name: Option<&String>,
    fields: fn(&Preset) -> &Map<String, Value>,
    presets: &Presets,
) -> Result<Q, InspectError> {
    let Some(name) = name else { return Ok(given.clone()) };
    let Some(preset) = presets.get(name) else {
        let known: Vec<String> = presets.names().map(|name| format!("{name:?}")).collect();
        return Err(InspectError::bad("preset", format!("{name:?} is not known"), known.join(", ")));
    };
    let mut fields = fields(preset).clone();
    if let Value::Object(given) = serde_json::to_value(given)? {
        fields.extend(given);
    }
    query::read(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_presets_are_there_and_sound() {
        let presets = Presets::default();
        assert_eq!(presets.names().collect::<Vec<_>>(), ["api", "debug", "slow"]);
        for name in ["api", "debug", "slow"] {
            presets.get(name).unwrap().check().unwrap();
        }
    }

    #[test]
    fn users_add_presets_and_a_wrong_one_is_named() {
        let mut presets = Presets::default();
        presets.add_toml("[mine]\nwhy = \"x\"\n[mine.network]\ndomain = \"api\"\n").unwrap();
        assert_eq!(presets.get("mine").unwrap().network["domain"], "api");
        let error = presets.add_toml("[bad.console]\nlevels = [\"error\"]\n").unwrap_err().to_string();
        assert!(error.starts_with("preset \"bad\": levels: it is not known; allowed: "), "{error}");
        assert!(presets.add_toml("[x").is_err());
    }
}
