//! Why an action cannot be said as a call of a tool.
//!
//! In: an action, a profile, a page. Out: a [`TranslateError`] that names what is wrong and what
//! there is instead. Invariant: text of pages, documents and models stands in messages only
//! shortened, and what nobody sees of it as escapes.

use super::Profile;
use browserlens_core::page::text::one_line;

/// Most characters of a foreign text in a message.
const LONGEST: usize = 80;

/// Makes foreign text fit a message: one line, short, nothing unseen.
pub(crate) fn shown(text: &str) -> String {
    let line = one_line(&text.chars().take(LONGEST * 4).collect::<String>());
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() || text.chars().nth(LONGEST * 4).is_some() {
        short.push('…');
    }
    short
}

pub(crate) fn list(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(", ") }
}

/// An action cannot be translated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TranslateError {
    /// The action type is not known.
    #[error("action type {name:?} is not known; nearest: {}", list(.nearest, "none"))]
    UnknownType {
        /// The name.
        name: String,
        /// Names like it.
        nearest: Vec<String>,
    },
    /// The profile is not known.
    #[error("profile {name:?} is not known")]
    UnknownProfile {
        /// The name.
        name: String,
    },
    /// The profile has no such tool.
    #[error("profile {profile} has no tool {name:?}; nearest: {}", list(.nearest, "none"))]
    UnknownTool {
        /// The profile.
        profile: Profile,
        /// The tool.
        name: String,
        /// Names like it.
        nearest: Vec<String>,
    },
    /// The parameters do not fit the tool's schema.
    #[error("{tool} of profile {profile}: {reason}")]
    Invalid {
        /// The profile.
        profile: Profile,
        /// The tool.
        tool: String,
        /// What is wrong.
        reason: String,
    },
    /// The profile has no tool for the action, and no script does the same.
    #[error("{action_type} is not supported by profile {profile}: {reason}")]
    NotSupported {
        /// The profile.
        profile: Profile,
        /// The action type.
        action_type: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The action lacks a parameter.
    #[error("{action_type} lacks {parameter}")]
    MissingParameter {
        /// The action type.
        action_type: &'static str,
        /// What is missing.
        parameter: &'static str,
    },
    /// A parameter cannot be used.
    #[error("{action_type}: {parameter} {problem}")]
    BadParameter {
        /// The action type.
        action_type: &'static str,
        /// Its name.
        parameter: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// A selector is none.
    #[error("selector {selector:?} cannot be used: {reason}")]
    BadSelector {
        /// The selector.
        selector: String,
        /// What is wrong.
        reason: String,
    },
    /// No node of the page is meant.
    #[error("{wanted} is not on the page; nearest: {}", list(.candidates, "nothing like it"))]
    Missing {
        /// What was looked for.
        wanted: String,
        /// What is like it.
        candidates: Vec<String>,
    },
    /// Several nodes of the page may be meant.
    #[error("{wanted} may be any of {count} nodes: {}", list(.candidates, "none"))]
    Ambiguous {
        /// What was looked for.
        wanted: String,
        /// How many there are.
        count: usize,
        /// The first of them.
        candidates: Vec<String>,
    },
    /// The node can only be named on a page.
    #[error("{action_type} on {wanted} needs a page to find its node")]
    NeedsPage {
        /// The action type.
        action_type: &'static str,
        /// What is to be found.
        wanted: String,
    },
    /// No script reaches the node.
    #[error("{action_type} has to be done by a script, and none reaches {wanted}: it lies in {place}")]
    Unreachable {
        /// The action type.
        action_type: &'static str,
        /// The node.
        wanted: String,
        /// Where it lies.
        place: &'static str,
    },
    /// The node has no ref on the page.
    #[error("{action_type} on {wanted} needs a ref, and it has none on this page")]
    NoRef {
        /// The action type.
        action_type: &'static str,
        /// The node.
        wanted: String,
    },
    /// The knowledge holds a script, and scripts of others are not run.
    #[error("the action holds a script of its own")]
    ScriptNotTrusted,
}

impl TranslateError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownType { .. } => "use one of the named action types",
            Self::UnknownProfile { .. } => "use `browserlens`, `browser-use-0.13` or `seed`",
            Self::UnknownTool { .. } | Self::Invalid { .. } => {
                "see the profile's schemas for its tools and their parameters"
            }
            Self::NotSupported { .. } => "choose another profile, or do this step by other means",
            Self::MissingParameter { .. } | Self::BadParameter { .. } => {
                "give the parameter in the action's `parameters`"
            }
            Self::BadSelector { .. } => "give a CSS selector, or name the node by role and name",
            Self::Missing { .. } => "give the page on which the action is done, or name one of the nearest nodes",
            Self::Ambiguous { .. } => "say more of the node: `within`, `nth`, a selector, or its `index`",
            Self::NeedsPage { .. } => "give the page, or allow scripts that find the node themselves",
            Self::Unreachable { .. } => "act on it by hand, or by a tool with trusted input",
            Self::NoRef { .. } => "press what holds it, with `at`, or ask in a session in which the page is open",
            Self::ScriptNotTrusted => "allow stored scripts if you have read it; nothing inferred is ever run",
        }
    }
}
