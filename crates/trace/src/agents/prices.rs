//! What tokens cost, from a table of the user's.
//!
//! In: a TOML file with a date and a table a model. Out: dollars of a run. No prices are bundled:
//! they change, and a number without its date would be wrong unseen.

use crate::agents::AgentsError;
use crate::agents::cost::RunCosts;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Prices of models on a day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The day, as the table says it.
    pub date: String,
    /// A price a model, by its exact name.
    pub models: BTreeMap<String, Price>,
}

/// Dollars a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Read for the first time.
    pub input: f64,
    /// Read from the endpoint's cache.
    pub cached: f64,
    /// Written.
    pub output: f64,
}

const HINT: &str = "write `date = \"2026-01-31\"` and a table a model: [models.\"name\"] with input, cached and \
    output, in dollars a million tokens";

impl Prices {
    /// Reads a table.
    ///
    /// # Errors
    /// [`AgentsError`] if it cannot be read, is no such table, or holds a price below zero.
    pub fn load(path: &Path) -> Result<Self, AgentsError> {
        let text = std::fs::read_to_string(path).map_err(AgentsError::io(path, "read"))?;
        let wrong = |what: String| {
            let what = format!("no table of prices: {what}");
            AgentsError::Wrong { path: path.to_owned(), what, hint: HINT }
        };
        let prices: Self = toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
        let is_price = |dollars: f64| dollars.is_finite() && dollars >= 0.0;
        let is_whole = |price: &Price| [price.input, price.cached, price.output].into_iter().all(is_price);
        match prices.models.iter().find(|(_, price)| !is_whole(price)) {
            Some((model, _)) => Err(wrong(format!("models.{model:?} has a price below zero"))),
            None => Ok(prices),
        }
    }
}

impl Price {
    /// Returns the dollars of a run: by what the endpoint counted where it did, else by our count
    /// with a cache that always hits.
    pub fn dollars(self, costs: &RunCosts) -> f64 {
        let (new, cached, written) = match costs.usage {
            Some(usage) => (usage.input.saturating_sub(usage.cached), usage.cached, usage.output),
            None => (costs.new, costs.read.saturating_sub(costs.new), costs.own),
        };
        let million = |tokens: u64, dollars: f64| tokens as f64 * dollars / 1e6;
        million(new, self.input) + million(cached, self.cached) + million(written, self.output)
    }
}
