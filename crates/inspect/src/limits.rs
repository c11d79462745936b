//! Every limit, in one place.
//!
//! In: defaults, a configuration, the environment, options. Out: [`Limits`]. Invariants: a limit
//! that is not named here does not exist; one that may be set has a bound, and a value beyond it is
//! refused with the bound.

use serde::{Deserialize, Serialize};

/// A limit that may be set from outside.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in a configuration: `max_html_size`. The environment has it in capitals behind
    /// `BROWSERLENS_`, the command line with `-` for `_` behind `--`.
    pub name: &'static str,
    /// The largest value.
    pub most: usize,
    field: fn(&mut Limits) -> &mut usize,
}

impl Setting {
    /// Returns its name in the environment.
    pub fn variable(&self) -> String {
        format!("BROWSERLENS_{}", self.name.to_ascii_uppercase())
    }
}

const MEGABYTE: usize = 1 << 20;

/// The limits that may be set: sizes in bytes up to a megabyte, nodes and rows up to what a query
/// may ask for.
pub const SETTINGS: [Setting; 7] = [
    Setting { name: "max_html_size", most: MEGABYTE, field: |limits| &mut limits.max_html_size },
    Setting { name: "max_text_size", most: MEGABYTE, field: |limits| &mut limits.max_text_size },
    Setting { name: "max_dom_nodes", most: 2_000, field: |limits| &mut limits.max_dom_nodes },
    Setting { name: "max_console_messages", most: 200, field: |limits| &mut limits.max_console_messages },
    Setting { name: "max_network_requests", most: 200, field: |limits| &mut limits.max_network_requests },
    Setting { name: "max_request_body_size", most: MEGABYTE, field: |limits| &mut limits.max_request_body_size },
    Setting { name: "max_response_body_size", most: MEGABYTE, field: |limits| &mut limits.max_response_body_size },
];

/// A limit cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// There is no such limit.
    #[error("{name}: it is no limit; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Every name.
        known: String,
    },
    /// It is no number within its bounds.
    #[error("{name}: {given:?} is out of bounds; allowed: 1 to {most}")]
    OutOfBounds {
        /// The name, as it was given.
        name: String,
        /// The value.
        given: String,
        /// The largest value.
        most: usize,
    },
    /// A configuration is no TOML of limits.
    #[error("limits: {0}")]
    Toml(String),
}

/// How much answers hold, by default and at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Most bytes of HTML.
    pub max_html_size: usize,
    /// Most bytes of text.
    pub max_text_size: usize,
    /// Nodes of a DOM snapshot, where the query names none.
    pub max_dom_nodes: usize,
    /// Most nodes that a query may ask for.
    pub max_dom_nodes_limit: usize,
    /// Depth of a DOM snapshot, where the query names none.
    pub dom_depth: usize,
    /// Deepest snapshot that a query may ask for.
    pub dom_depth_limit: usize,
    /// Console messages a page, where the query names no size.
    pub max_console_messages: usize,
    /// Requests a page, where the query names no size.
    pub max_network_requests: usize,
    /// Largest page that a query may ask for.
    pub page_size_limit: usize,
    /// Most bytes of a request's body.
    pub max_request_body_size: usize,
    /// Most bytes of a response's body.
    pub max_response_body_size: usize,
    /// How long a cursor lives, in milliseconds.
    pub cursor_life_ms: u64,
    /// Most bytes of a console message's text.
    pub max_message_size: usize,
    /// Most bytes of a URL.
    pub max_url_size: usize,
    /// Most bytes of an attribute or a text of the DOM.
    pub max_dom_text_size: usize,
    /// Largest body that is parsed for a JSON path or its shape, in bytes.
    pub max_parsed_body_size: usize,
    /// Most bytes of a body in a HAR export.
    pub max_har_body_size: usize,
    /// Longest lists of a summary.
    pub summary_entries: usize,
    /// From how many milliseconds on a request counts as slow in a summary.
    pub slow_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_html_size: 50 << 10,
            max_text_size: 30 << 10,
            max_dom_nodes: 500,
            max_dom_nodes_limit: 2_000,
            dom_depth: 5,
            dom_depth_limit: 15,
            max_console_messages: 50,
            max_network_requests: 50,
            page_size_limit: 200,
            max_request_body_size: 10 << 10,
            max_response_body_size: 10 << 10,
            cursor_life_ms: 5 * 60 * 1_000,
            max_message_size: 2 << 10,
            max_url_size: 500,
            max_dom_text_size: 300,
            max_parsed_body_size: 4 << 20,
            max_har_body_size: 1 << 20,
            summary_entries: 8,
            slow_ms: 1_000,
        }
    }
}

impl Limits {
    /// Sets a limit; `shown` is what an error calls it.
    ///
    /// # Errors
    /// [`LimitError`] if there is no such limit or the value is out of bounds.
    pub fn set(&mut self, name: &str, value: usize, shown: &str) -> Result<(), LimitError> {
        let setting = setting(name)?;
        if !(1..=setting.most).contains(&value) {
            let (name, given) = (shown.to_owned(), value.to_string());
            return Err(LimitError::OutOfBounds { name, given, most: setting.most });
        }
        *(setting.field)(self) = value;
        Ok(())
    }

    /// Sets what a configuration names: lines such as `max_html_size = 20000`.
    ///
    /// # Errors
    /// [`LimitError`].
    pub fn add_toml(&mut self, text: &str) -> Result<(), LimitError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| LimitError::Toml(error.to_string()))?;
        for (name, value) in table {
            let setting = setting(&name)?;
            let number = value.as_integer().and_then(|value| usize::try_from(value).ok());
            let Some(number) = number else {
                return Err(LimitError::OutOfBounds { name, given: value.to_string(), most: setting.most });
            };
            self.set(&name, number, &name)?;
        }
        Ok(())
    }

    /// Sets what the environment names: `BROWSERLENS_MAX_HTML_SIZE=20000`.
    ///
    /// # Errors
    /// [`LimitError::OutOfBounds`].
    pub fn add_env(&mut self, variable: impl Fn(&str) -> Option<String>) -> Result<(), LimitError> {
        for setting in SETTINGS {
            let name = setting.variable();
            let Some(given) = variable(&name) else { continue };
            match given.trim().parse() {
                Ok(number) => self.set(setting.name, number, &name)?,
                Err(_) => return Err(LimitError::OutOfBounds { name, given, most: setting.most }),
            }
        }
        Ok(())
    }
}

fn setting(name: &str) -> Result<Setting, LimitError> {
    SETTINGS.into_iter().find(|setting| setting.name == name).ok_or_else(|| LimitError::Unknown {
        name: name.to_owned(),
        known: SETTINGS.map(|setting| setting.name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_contract() {
        let limits = Limits::default();
        assert_eq!((limits.max_html_size, limits.max_text_size), (51_200, 30_720));
        assert_eq!((limits.max_dom_nodes, limits.max_dom_nodes_limit), (500, 2_000));
        assert_eq!((limits.dom_depth, limits.dom_depth_limit), (5, 15));
        assert_eq!((limits.max_console_messages, limits.max_network_requests, limits.page_size_limit), (50, 50, 200));
        assert_eq!((limits.max_request_body_size, limits.max_response_body_size), (10_240, 10_240));
        assert_eq!(limits.cursor_life_ms, 300_000);
    }

    #[test]
    fn limits_are_set_within_their_bounds_or_refused_with_them() {
        let mut limits = Limits::default();
        limits.add_toml("max_html_size = 100\nmax_dom_nodes = 2000").unwrap();
        limits.add_env(|name| (name == "BROWSERLENS_MAX_TEXT_SIZE").then(|| "200".to_owned())).unwrap();
        limits.set("max_console_messages", 7, "--max-console-messages").unwrap();
        assert_eq!((limits.max_html_size, limits.max_text_size, limits.max_dom_nodes), (100, 200, 2_000));
        assert_eq!(limits.max_console_messages, 7);
        let unchanged = limits.clone();
        let said = |result: Result<(), LimitError>| result.unwrap_err().to_string();
        assert_eq!(
            said(limits.set("max_html_size", 2 << 20, "--max-html-size")),
            "--max-html-size: \"2097152\" is out of bounds; allowed: 1 to 1048576"
        );
        assert_eq!(
            said(limits.add_env(|name| (name == "BROWSERLENS_MAX_DOM_NODES").then(|| "many".to_owned()))),
            "BROWSERLENS_MAX_DOM_NODES: \"many\" is out of bounds; allowed: 1 to 2000"
        );
        assert!(said(limits.add_toml("max_html_size = -1")).starts_with("max_html_size: \"-1\" is out of bounds"));
        assert!(said(limits.add_toml("max_everything = 1")).contains("there are max_html_size, "));
        assert!(said(limits.add_toml("max_html_size")).starts_with("limits: "));
        assert_eq!(limits, unchanged);
    }
}
