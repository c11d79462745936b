//! What can be asked, and the check of it.
//!
//! In: JSON arguments or typed queries, a preset. Out: queries whose every field holds what it may.
//! Invariant: a field that is wrong is named in the error, with the allowed values; a field that is
//! not given has its default in the filters of the answer.

use crate::cursor::{Short, short};
use crate::error::InspectError;
use crate::limits::Limits;
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::PageSource;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One value, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several; none of them is not a filter.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl<T> From<T> for OneOrMany<T> {
    fn from(one: T) -> Self {
        Self::One(one)
    }
}

/// A status: a number such as 404, a class such as `"4xx"`, or a range such as `"500-503"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StatusFilter {
    /// A number.
    Code(i64),
    /// A class or a range.
    Class(String),
}

const LOWEST: u16 = 100;
const HIGHEST: u16 = 599;
const STATUSES: &str = "a status from 100 to 599 or 0 (no response), a class from \"1xx\" to \"5xx\", a range such as \
    \"500-503\", or a list of these";

impl StatusFilter {
    /// Returns the first and last status that are meant.
    pub(crate) fn range(&self) -> Result<(u16, u16), InspectError> {
        let bad = |shown: String| InspectError::bad("status", format!("{shown} is no status"), STATUSES);
        match self {
            Self::Code(code) => match u16::try_from(*code) {
                Ok(code) if code == 0 || (LOWEST..=HIGHEST).contains(&code) => Ok((code, code)),
                _ => Err(bad(code.to_string())),
            },
            Self::Class(text) => {
                let found = parse_range(text.trim());
                found
                    .filter(|(from, to)| from <= to && *to <= HIGHEST && (*from == 0 || *from >= LOWEST))
                    .ok_or_else(|| bad(format!("{text:?}")))
            }
        }
    }
}

fn parse_range(text: &str) -> Option<(u16, u16)> {
    if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let class: u16 = class.parse().ok().filter(|class| (1..=5).contains(class))?;
        return Some((class * 100, class * 100 + 99));
    }
    match text.split_once('-') {
        Some((from, to)) => Some((from.trim().parse().ok()?, to.trim().parse().ok()?)),
        None => text.parse().ok().map(|code| (code, code)),
    }
}

/// Which console messages are wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsoleQuery {
    /// Tab, counted from 0; all tabs if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// Take what is not given here from this preset: debug (errors and warnings), or one that was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Levels: error, warn, info, log, debug, or all. Default: error and warn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_levels: Option<OneOrMany<String>>,
    /// Text that must occur in the message or its URL, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_term: Option<String>,
    /// Page time in milliseconds; only messages from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Rows a page, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<i64>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which requests are wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkQuery {
    /// Tab, counted from 0; all tabs if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// Take what is not given here from this preset: debug (failed ones, with what came back), api (xhr and fetch, with
    /// bodies), slow (a second and more), or one that was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Methods, such as POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<OneOrMany<String>>,
    /// Statuses: 404, "4xx", "500-503".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<OneOrMany<StatusFilter>>,
    /// Resource types: document, stylesheet, image, media, font, script, xhr, fetch and others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<OneOrMany<String>>,
    /// Text that must occur in the host, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Text that must occur in the URL or the reason of a failure, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_term: Option<String>,
    /// Only requests that failed: status 400 and above, or no whole response. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_only: Option<bool>,
    /// Failed requests first, else in order of arrival. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_first: Option<bool>,
    /// Only requests that took at least so many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_duration_ms: Option<i64>,
    /// Page time in milliseconds; only requests sent from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Rows a page, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<i64>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Give what was sent, up to 10 KB. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_request_bodies: Option<bool>,
    /// Give what came back, up to 10 KB. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_response_bodies: Option<bool>,
    /// Of bodies that are JSON, give only what this JSONPath (RFC 9535) finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_path: Option<String>,
    /// Of bodies that are JSON, give the schema of their shape instead. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_shape: Option<bool>,
}

/// Which part of the page is wanted as a tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct DomQuery {
    /// Tab, counted from 0; the current one if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// Take what is not given here from this preset that was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// CSS selector, or a ref such as `@e5`; the whole page if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The node of the ref, where the selector is one: who gave the refs knows it.
    #[serde(skip)]
    pub node: Option<NodeKey>,
    /// Deepest nesting below what was selected, 0 to 15. Default: 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<i64>,
    /// Most nodes, 1 to 2000. Default: 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<i64>,
    /// Give computed styles. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_styles: Option<bool>,
    /// Leave script elements out. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_scripts: Option<bool>,
    /// Leave style elements and style sheets out. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_styles: Option<bool>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which part of the page is wanted as HTML.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct HtmlQuery {
    /// Tab, counted from 0; the current one if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// CSS selector, or a ref such as `@e5`; the whole page if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The node of the ref, where the selector is one: who gave the refs knows it.
    #[serde(skip)]
    pub node: Option<NodeKey>,
    /// Give what is hidden too. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_hidden: Option<bool>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which part of the page is wanted as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct TextQuery {
    /// Tab, counted from 0; the current one if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// CSS selector, or a ref such as `@e5`; the whole page if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The node of the ref, where the selector is one: who gave the refs knows it.
    #[serde(skip)]
    pub node: Option<NodeKey>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Of what a summary is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SummaryQuery {
    /// Tab, counted from 0; all tabs if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<i64>,
    /// Page time in milliseconds; only what happened from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
}

/// Reads arguments as a query.
///
/// # Errors
/// [`InspectError::BadField`], which names the field and what it may hold.
pub fn read<Q: DeserializeOwned>(arguments: Value) -> Result<Q, InspectError> {
    let arguments = if arguments.is_null() { Value::Object(Map::new()) } else { arguments };
    if !arguments.is_object() {
        return Err(InspectError::bad("arguments", "they are no JSON object", "a JSON object"));
    }
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let message = error.inner().to_string();
        // An unknown field stands in the message, not in the path.
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "));
        match unknown {
            Some((field, known)) => InspectError::bad(field, "it is not known", known),
            None => {
                let (problem, allowed) = match message.split_once(", expected ") {
                    Some((problem, "i64")) => (problem, "a whole number"),
                    Some(both) => both,
                    None => (
                        "it is of a wrong type",
                        "one value of the field's type, or a list of them where it takes several",
                    ),
                };
                InspectError::bad(&error.path().to_string(), problem, allowed)
            }
        }
    })
}

/// Returns a hash of what a query asks for: everything but where its pages begin and end.
pub(crate) fn hash<F: Serialize>(tool: &str, filters: &F) -> Result<Short, InspectError> {
    let json = serde_json::to_vec(&(tool, filters))?;
    Ok(short(&json))
}

/// Checks a number against its bounds.
pub(crate) fn number(
    field: &str,
    given: Option<i64>,
    default: usize,
    least: usize,
    most: usize,
) -> Result<usize, InspectError> {
    let Some(given) = given else { return Ok(default) };
    match usize::try_from(given) {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(InspectError::bad(field, format!("{given} is out of bounds"), format!("{least} to {most}"))),
    }
}

pub(crate) fn page_size(given: Option<i64>, default: usize, limits: &Limits) -> Result<usize, InspectError> {
    number("pageSize", given, default, 1, limits.page_size_limit)
}

/// Checks a tab against those that there are.
pub(crate) fn tab(given: Option<i64>, source: &mut dyn PageSource) -> Result<Option<u32>, InspectError> {
    let Some(given) = given else { return Ok(None) };
    let tabs = source.tabs()?;
    match u32::try_from(given).ok().filter(|tab| tabs.contains(tab)) {
        Some(tab) => Ok(Some(tab)),
        None => {
            let known: Vec<String> = tabs.iter().map(u32::to_string).collect();
            Err(InspectError::bad("tabId", format!("there is no tab {given}"), known.join(", ")))
        }
    }
}

/// Checks a time against the present of the source.
pub(crate) fn since(given: Option<i64>, source: &mut dyn PageSource) -> Result<Option<u64>, InspectError> {
    let Some(given) = given else { return Ok(None) };
    let now = source.now_ms()?;
    let allowed = format!("0 to {now} (milliseconds of page time; the latter is now)");
    match u64::try_from(given) {
        Ok(since) if since <= now => Ok(Some(since)),
        Ok(since) => Err(InspectError::bad("since", format!("{since} is in the future"), allowed)),
        Err(_) => Err(InspectError::bad("since", format!("{given} is before the beginning"), allowed)),
    }
}

/// Checks words against a list; gives them back in the list's spelling and order.
pub(crate) fn words(field: &str, given: &[String], known: &[&'static str]) -> Result<Vec<&'static str>, InspectError> {
    for word in given {
        if !known.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return Err(InspectError::bad(field, format!("{word:?} is not known"), known.join(", ")));
        }
    }
    Ok(known.iter().copied().filter(|known| given.iter().any(|word| known.eq_ignore_ascii_case(word))).collect())
}

/// Checks a text that is searched for.
pub(crate) fn search(field: &str, given: Option<&String>) -> Result<Option<String>, InspectError> {
    const LONGEST: usize = 1_000;
    match given {
        Some(text) if text.is_empty() || text.len() > LONGEST => {
            let problem =
                if text.is_empty() { "it is empty".to_owned() } else { format!("it has {} bytes", text.len()) };
            Err(InspectError::bad(field, problem, format!("a text of 1 to {LONGEST} bytes")))
        }
        given => Ok(given.cloned()),
    }
}
