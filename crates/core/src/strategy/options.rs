//! Options of a strategy, as `strategies.toml` gives them.
//!
//! In: a JSON object (or null for none). Out: typed values with defaults. Invariant: every key that
//! was given was asked for, or [`OptionsReader::finish`] names it as unknown.

use serde_json::{Map, Value};

/// An option of a strategy is unknown or has a wrong value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {option:?}: {reason}")]
pub struct OptionsError {
    /// The option's key; empty if the options as a whole are meant.
    pub option: String,
    /// What is wrong, and what was expected.
    pub reason: String,
}

/// Reads options one by one and finds the ones that nobody asked for.
#[derive(Debug)]
pub struct OptionsReader<'a> {
    given: Option<&'a Map<String, Value>>,
    known: Vec<&'static str>,
}

impl<'a> OptionsReader<'a> {
    /// Starts reading.
    ///
    /// # Errors
    /// [`OptionsError`] if `options` is neither an object nor null.
    pub fn new(options: &'a Value) -> Result<Self, OptionsError> {
        match options {
            Value::Null => Ok(Self { given: None, known: Vec::new() }),
            Value::Object(given) => Ok(Self { given: Some(given), known: Vec::new() }),
            other => {
                Err(OptionsError { option: String::new(), reason: format!("options are {other}, expected a table") })
            }
        }
    }

    /// Returns a whole number, or the default.
    ///
    /// # Errors
    /// [`OptionsError`] if the value is no whole number of at least 0.
    pub fn number(&mut self, option: &'static str, default: usize) -> Result<usize, OptionsError> {
        self.read(option, default, "a whole number of at least 0", |value| usize::try_from(value.as_u64()?).ok())
    }

    /// Returns a share, or the default.
    ///
    /// # Errors
    /// [`OptionsError`] if the value is no number from 0 to 1.
    pub fn share(&mut self, option: &'static str, default: f32) -> Result<f32, OptionsError> {
        let share =
            |value: &Value| value.as_f64().filter(|share| (0.0..=1.0).contains(share)).map(|share| share as f32);
        self.read(option, default, "a number from 0 to 1", share)
    }

    /// Returns true or false, or the default.
    ///
    /// # Errors
    /// [`OptionsError`] if the value is neither.
    pub fn flag(&mut self, option: &'static str, default: bool) -> Result<bool, OptionsError> {
        self.read(option, default, "true or false", Value::as_bool)
    }

    fn read<T>(
        &mut self,
        option: &'static str,
        default: T,
        expected: &str,
        of: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, OptionsError> {
        self.known.push(option);
        let Some(value) = self.given.and_then(|given| given.get(option)) else { return Ok(default) };
        of(value).ok_or_else(|| OptionsError {
            option: option.to_owned(),
            reason: format!("is {value}, expected {expected}"),
        })
    }

    /// Ends reading.
    ///
    /// # Errors
    /// [`OptionsError`] that names the first key that was not asked for, and the known ones.
    pub fn finish(self) -> Result<(), OptionsError> {
        let unknown = self.given.and_then(|given| given.keys().find(|key| !self.known.contains(&key.as_str())));
        match unknown {
            None => Ok(()),
            Some(key) => {
                let known: Vec<String> = self.known.iter().map(|known| format!("{known:?}")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Err(OptionsError { option: key.clone(), reason: format!("is not known; known are {known}") })
            }
        }
    }
}
