//! What an action says beside its node.
//!
//! In: the `parameters` of an action. Out: texts, numbers, flags, addresses, tabs, or why one is
//! none. Invariants: what is not there is told apart from what cannot be used; an address is of
//! http or https and holds no credentials; a file's name names no folder.

use super::work::Work;
use crate::translate::{TranslateError, shown};
use browserlens_core::page::Page;
use serde_json::Value;
use url::Url;

impl Work<'_, '_> {
    pub(super) fn lacks(&self, parameter: &'static str) -> TranslateError {
        TranslateError::MissingParameter { action_type: self.kind.name(), parameter }
    }

    pub(super) fn bad(&self, parameter: &'static str, problem: impl Into<String>) -> TranslateError {
        TranslateError::BadParameter { action_type: self.kind.name(), parameter, problem: problem.into() }
    }

    pub(super) fn unsupported(&self, reason: &'static str) -> TranslateError {
        TranslateError::NotSupported { profile: self.profile, action_type: self.kind.name(), reason }
    }

    pub(super) fn only_browser_use(&self, reason: &'static str) -> Result<(), TranslateError> {
        if self.is_seed() { Err(self.unsupported(reason)) } else { Ok(()) }
    }

    pub(super) fn text(&self, name: &'static str) -> Result<Option<String>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(self.bad(name, "is no text")),
        }
    }

    pub(super) fn needed(&self, name: &'static str, others: &[&'static str]) -> Result<String, TranslateError> {
        for name in std::iter::once(&name).chain(others) {
            if let Some(text) = self.text(name)? {
                return Ok(text);
            }
        }
        Err(self.lacks(name))
    }

    pub(super) fn number(&self, name: &'static str) -> Result<Option<f64>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64().filter(|number| number.is_finite())),
            Some(Value::String(text)) => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.bad(name, "is no number")),
            },
            Some(_) => Err(self.bad(name, "is no number")),
        }
    }

    pub(super) fn within(&self, name: &'static str, value: f64, least: f64, most: f64) -> Result<f64, TranslateError> {
        if (least..=most).contains(&value) {
            Ok(value)
        } else {
            Err(self.bad(name, format!("is {value}; allowed: {least} to {most}")))
        }
    }

    /// How long is waited, in seconds.
    pub(super) fn seconds(&self, most: f64) -> Result<f64, TranslateError> {
        let seconds = self.number("seconds")?.or(self.number("ms")?.map(|ms| ms / 1000.0));
        self.within("seconds", seconds.unwrap_or(3.0), 0.0, most)
    }

    /// How long something is waited for, in seconds.
    pub(super) fn seconds_for(&self, most: f64) -> Result<f64, TranslateError> {
        self.within("seconds", self.number("seconds")?.unwrap_or(10.0), 0.0, most)
    }

    pub(super) fn flag(&self, name: &'static str) -> Result<Option<bool>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(Some(text == "true")),
            Some(_) => Err(self.bad(name, "is neither true nor false")),
        }
    }

    /// Two numbers: `[x, y]`.
    pub(super) fn pair(&self, name: &'static str) -> Result<Option<[f64; 2]>, TranslateError> {
        match self.action.parameters.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match serde_json::from_value::<[f64; 2]>(value.clone()) {
                Ok([x, y]) if x.abs() < 1e6 && y.abs() < 1e6 => Ok(Some([x, y])),
                _ => Err(self.bad(name, "is no pair of numbers")),
            },
        }
    }

    /// A script that the knowledge holds; nothing inferred is ever run.
    pub(super) fn trusted_script(&self) -> Result<String, TranslateError> {
        if self.action.metadata.inferred || !self.context.trust_scripts {
            return Err(TranslateError::ScriptNotTrusted);
        }
        self.needed("code", &["script"])
    }

    pub(super) fn file_name(&self) -> Result<Option<String>, TranslateError> {
        let name = self.text("file_name")?;
        if name.as_ref().is_some_and(|name| name.contains(['/', '\\']) || name.contains("..")) {
            return Err(self.bad("file_name", "names a folder"));
        }
        Ok(name)
    }

    /// An address of the web; nothing that runs or reads something on the machine.
    pub(super) fn url(&self) -> Result<String, TranslateError> {
        let text = self.needed("url", &["target"])?;
        if text.trim().is_empty() {
            return Err(self.bad("url", "is empty"));
        }
        let base = self.context.base_url.or(self.context.page.map(Page::url)).and_then(|base| Url::parse(base).ok());
        let parsed = match (Url::parse(text.trim()), base) {
            (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => base.join(text.trim()),
            (parsed, _) => parsed,
        };
        let url = parsed.map_err(|error| self.bad("url", format!("{:?} is no address: {error}", shown(&text))))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(self.bad("url", format!("{:?} is no http or https address", shown(&text))));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.bad("url", "holds credentials"));
        }
        Ok(url.into())
    }

    pub(super) fn tab(&self, current_by_default: bool) -> Result<String, TranslateError> {
        let index = self.number("index")?.or(self.number("tab")?);
        let id = match (self.text("tab_id")?, index) {
            (Some(id), _) => Some(id),
            (None, Some(index)) if index >= 0.0 => self.context.tabs.get(index as usize).cloned(),
            (None, None) if current_by_default => self.context.tabs.first().cloned(),
            (None, _) => None,
        };
        id.ok_or_else(|| self.lacks("the id of a tab (`tab_id`, or `index` with the open tabs given)"))
    }
}
