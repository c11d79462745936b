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

/// Declares what may be given to a query, each field by itself; what is not given is not written.
macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$of])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }
    )+};
}

queries! {
    /// Which console messages are wanted.
    ConsoleQuery {
        /// Tab, counted from 0; all tabs if not given.
        tab_id: i64,
        /// Take what is not given here from this preset: debug (errors and warnings), or one that was added.
        preset: String,
        /// Levels: error, warn, info, log, debug, or all. Default: error and warn.
        log_levels: OneOrMany<String>,
        /// Text that must occur in the message or its URL, ignoring case.
        search_term: String,
        /// Page time in milliseconds; only messages from then on.
        since: i64,
        /// Rows a page, 1 to 200. Default: 50.
        page_size: i64,
        /// Where to go on.
        cursor: String,
    }
    /// Which requests are wanted.
    NetworkQuery {
        /// Tab, counted from 0; all tabs if not given.
        tab_id: i64,
        #[doc = " Take what is not given here from this preset: debug (failed ones, with what came back), api (xhr and \
            fetch, with\nbodies), slow (a second and more), or one that was added."]
        preset: String,
        /// Methods, such as POST.
        method: OneOrMany<String>,
        /// Statuses: 404, "4xx", "500-503".
        status: OneOrMany<StatusFilter>,
        /// Resource types: document, stylesheet, image, media, font, script, xhr, fetch and others.
        resource_type: OneOrMany<String>,
        /// Text that must occur in the host, ignoring case.
        domain: String,
        /// Text that must occur in the URL or the reason of a failure, ignoring case.
        search_term: String,
        /// Only requests that failed: status 400 and above, or no whole response. Default: false.
        failed_only: bool,
        /// Failed requests first, else in order of arrival. Default: true.
        failed_first: bool,
        /// Only requests that took at least so many milliseconds.
        min_duration_ms: i64,
        /// Page time in milliseconds; only requests sent from then on.
        since: i64,
        /// Rows a page, 1 to 200. Default: 50.
        page_size: i64,
        /// Where to go on.
        cursor: String,
        /// Give what was sent, up to 10 KB. Default: false.
        include_request_bodies: bool,
        /// Give what came back, up to 10 KB. Default: false.
        include_response_bodies: bool,
        /// Of bodies that are JSON, give only what this JSONPath (RFC 9535) finds.
        body_path: String,
        /// Of bodies that are JSON, give the schema of their shape instead. Default: false.
        body_shape: bool,
    }
    /// Which part of the page is wanted as a tree.
    DomQuery {
        /// Tab, counted from 0; the current one if not given.
        tab_id: i64,
        /// Take what is not given here from this preset that was added.
        preset: String,
        /// CSS selector, or a ref such as `@e5`; the whole page if not given.
        selector: String,
        /// The node of the ref, where the selector is one: who gave the refs knows it.
        #[serde(skip)]
        node: NodeKey,
        /// Deepest nesting below what was selected, 0 to 15. Default: 5.
        max_depth: i64,
        /// Most nodes, 1 to 2000. Default: 500.
        max_nodes: i64,
        /// Give computed styles. Default: false.
        include_styles: bool,
        /// Leave script elements out. Default: true.
        exclude_scripts: bool,
        /// Leave style elements and style sheets out. Default: true.
        exclude_styles: bool,
        /// Where to go on.
        cursor: String,
    }
    /// Which part of the page is wanted as HTML.
    HtmlQuery {
        /// Tab, counted from 0; the current one if not given.
        tab_id: i64,
        /// CSS selector, or a ref such as `@e5`; the whole page if not given.
        selector: String,
        /// The node of the ref, where the selector is one: who gave the refs knows it.
        #[serde(skip)]
        node: NodeKey,
        /// Give what is hidden too. Default: false.
        include_hidden: bool,
        /// Where to go on.
        cursor: String,
    }
    /// Which part of the page is wanted as text.
    TextQuery {
        /// Tab, counted from 0; the current one if not given.
        tab_id: i64,
        /// CSS selector, or a ref such as `@e5`; the whole page if not given.
        selector: String,
        /// The node of the ref, where the selector is one: who gave the refs knows it.
        #[serde(skip)]
        node: NodeKey,
        /// Where to go on.
        cursor: String,
    }
    /// Of what a summary is wanted.
    SummaryQuery {
        /// Tab, counted from 0; all tabs if not given.
        tab_id: i64,
        /// Page time in milliseconds; only what happened from then on.
        since: i64,
    }
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
    let tab = u32::try_from(given).ok().filter(|tab| tabs.contains(tab));
    tab.map(Some).ok_or_else(|| {
        let known: Vec<String> = tabs.iter().map(u32::to_string).collect();
        InspectError::bad("tabId", format!("there is no tab {given}"), known.join(", "))
    })
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
