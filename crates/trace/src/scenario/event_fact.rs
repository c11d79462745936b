//! Facts about what happens beside the page: console messages and requests that an agent must be
//! able to find.
//!
//! In: `[[event]]` tables. Out: [`EventFact`]s. Invariant: each names a step that there is and at
//! least one text; all its texts stand in one message or request.

use crate::scenario::error::check_step;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a fact stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventPlace {
    /// Among the console messages.
    Console,
    /// Among the requests.
    Network,
}

/// A message or request that an agent must be able to find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventFact {
    /// The step from which on it is there; 0 is the first navigation.
    pub step: u32,
    /// Where it stands.
    #[serde(rename = "in")]
    pub place: EventPlace,
    /// Texts that all stand in it.
    pub says: Vec<String>,
}

impl EventFact {
    /// Checks a fact; `steps` is how many steps follow the first navigation.
    pub(crate) fn check(&self, steps: usize) -> Result<(), String> {
        check_step("event", self.step, steps)?;
        if self.says.is_empty() || self.says.iter().any(|text| text.trim().is_empty()) {
            return Err("event: says must name at least one text, and none that is empty".to_owned());
        }
        Ok(())
    }

    /// Returns whether a line of an answer tells the fact.
    pub fn is_told_by(&self, line: &str) -> bool {
        self.says.iter().all(|text| line.contains(text.as_str()))
    }
}
