//! The tools, over any source.
//!
//! In: a source, a query, the time. Out: answers. Invariants: an answer does not depend on what was
//! asked before, remembered or not; the clock and the key are the caller's; how often each filter
//! was used is counted, and nothing else of a query is kept.

use crate::answer::{Answer, Newer};
use crate::cache::{Cache, Remembered};
use crate::console::{self, ConsoleAnswer};
use crate::cursor::{CursorKey, Cursors, Short, UnixMillis, source_tag};
use crate::dom::{self, DomAnswer};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::markup::{self, HtmlAnswer, TextAnswer};
use crate::network::{self, NetworkAnswer};
use crate::pages::Paging;
use crate::presets::{self, Presets, Tool};
use crate::query::{self, ConsoleQuery, DomQuery, HtmlQuery, NetworkQuery, SummaryQuery, TextQuery};
use crate::summary::{self, SummaryAnswer};
use browserlens_core::page::{Capture, Page};
use browserlens_core::strategy::{PageSource, SourceError, SourceId, host_of};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names of the tools, in the order in which an agent needs them.
pub const TOOLS: [&str; 6] =
    ["get_summary", "get_console_messages", "get_network_requests", "get_dom_snapshot", "get_html", "get_text"];

/// A tool with the JSON schemas of its arguments and its answer.
#[derive(Clone, Debug)]
pub struct ToolSchema {
    /// Name.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub why: &'static str,
    /// Schema of the arguments.
    pub arguments: Value,
    /// Schema of the answer.
    pub answer: Value,
}

/// Returns every tool with its schemas.
pub fn tools() -> Vec<ToolSchema> {
    fn tool<Q: schemars::JsonSchema, A: schemars::JsonSchema>(name: &'static str, why: &'static str) -> ToolSchema {
        let (arguments, answer) = (schemars::schema_for!(Q).to_value(), schemars::schema_for!(A).to_value());
        ToolSchema { name, why, arguments, answer }
    }
    vec![
        tool::<SummaryQuery, SummaryAnswer>(TOOLS[0], "Counts of console messages and requests, to begin with"),
        tool::<ConsoleQuery, ConsoleAnswer>(TOOLS[1], "Console messages; errors and warnings unless told otherwise"),
        tool::<NetworkQuery, NetworkAnswer>(TOOLS[2], "Requests, failed ones first"),
        tool::<DomQuery, DomAnswer>(TOOLS[3], "A part of the page as a tree"),
        tool::<HtmlQuery, HtmlAnswer>(TOOLS[4], "A part of the page as cleaned HTML"),
        tool::<TextQuery, TextAnswer>(TOOLS[5], "A part of the page as text"),
    ]
}

/// Answers queries.
pub struct Inspector {
    limits: Limits,
    presets: Presets,
    key: CursorKey,
    usage: BTreeMap<(&'static str, String), u64>,
    hits: u64,
    console: Cache<ConsoleAnswer>,
    network: Cache<NetworkAnswer>,
    dom: Cache<DomAnswer>,
    summary: Cache<SummaryAnswer>,
}

impl std::fmt::Debug for Inspector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inspector").field("limits", &self.limits).field("hits", &self.hits).finish_non_exhaustive()
    }
}

impl Inspector {
    /// Makes an inspector; cursors are signed with the key.
    pub fn new(limits: Limits, key: CursorKey) -> Self {
        let most = limits.cached_answers;
        Self {
            limits,
            presets: Presets::default(),
            key,
            usage: BTreeMap::new(),
            hits: 0,
            console: Cache::new(most),
            network: Cache::new(most),
            dom: Cache::new(most),
            summary: Cache::new(most),
        }
    }

    /// Uses these presets.
    #[must_use]
    pub fn with_presets(mut self, presets: Presets) -> Self {
        self.presets = presets;
        self
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns how often each filter of each tool was used.
    pub fn usage(&self) -> impl Iterator<Item = (&'static str, &str, u64)> {
        self.usage.iter().map(|((tool, filter), count)| (*tool, filter.as_str(), *count))
    }

    /// Returns how many answers were remembered ones.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    fn note<Q: Serialize>(&mut self, tool: &'static str, query: &Q) -> Result<(), InspectError> {
        if let Value::Object(fields) = serde_json::to_value(query)? {
            for (name, _) in fields {
                *self.usage.entry((tool, name)).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Returns console messages.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn console(
        &mut self,
        source: &mut dyn PageSource,
        query: &ConsoleQuery,
        now: UnixMillis,
    ) -> Result<ConsoleAnswer, InspectError> {
        const TOOL: &str = TOOLS[1];
        self.note(TOOL, query)?;
        let query = presets::with_preset(query, query.preset.as_ref(), Tool::Console, &self.presets)?;
        let checked = console::check(&query, source, &self.limits)?;
        let paging = Paging {
            tool: TOOL,
            noun: "console messages",
            filter: &checked.filter,
            unfiltered: &checked.unfiltered,
            phases: &[None],
            size: checked.size,
            cursor: query.cursor.as_deref(),
        };
        let cursors = self.cursors(TOOL, &checked.shown, source, now)?;
        let (key, place) = paging.begin(&cursors, source)?;
        let found = match self.console.get(&key) {
            Some(found) => {
                self.hits += 1;
                found
            }
            None => {
                let (tab, mut own) = (checked.filter.tab, None);
                let found = paging.page(source, place, checked.shown, |source, events, _, cuts| {
                    let own = match console::has_stacks(&events) {
                        true => own.get_or_insert_with(|| own_host(source, tab)).as_str(),
                        false => "",
                    };
                    Ok(console::rows(&events, own, &self.limits, cuts))
                })?;
                self.console.put(key, &found);
                found
            }
        };
        let cursors = self.cursors(TOOL, &found.answer.filters, source, now)?;
        signed(&cursors, found)
    }

    /// Returns requests.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn network(
        &mut self,
        source: &mut dyn PageSource,
        query: &NetworkQuery,
        now: UnixMillis,
    ) -> Result<NetworkAnswer, InspectError> {
        const TOOL: &str = TOOLS[2];
        self.note(TOOL, query)?;
        let query = presets::with_preset(query, query.preset.as_ref(), Tool::Network, &self.presets)?;
        let checked = network::check(&query, source, &self.limits)?;
        let paging = Paging {
            tool: TOOL,
            noun: "requests",
            filter: &checked.filter,
            unfiltered: &checked.unfiltered,
            phases: checked.phases,
            size: checked.size,
            cursor: query.cursor.as_deref(),
        };
        let cursors = self.cursors(TOOL, &checked.shown, source, now)?;
        let (key, place) = paging.begin(&cursors, source)?;
        let found = match self.network.get(&key) {
            Some(found) => {
                self.hits += 1;
                found
            }
            None => {
                let sizes = checked.bodies.sizes();
                let found = paging.page(source, place, checked.shown, |source, events, is_shown, cuts| {
                    let bodies = if is_shown { &checked.bodies } else { &sizes };
                    network::rows(source, events, bodies, &self.limits, cuts)
                })?;
                self.network.put(key, &found);
                found
            }
        };
        let cursors = self.cursors(TOOL, &found.answer.filters, source, now)?;
        signed(&cursors, found)
    }

    /// Returns a part of the page as a tree.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::NoMatch`] if its selector
    /// matches nothing, [`InspectError::Source`] if the source fails.
    pub fn dom(
        &mut self,
        source: &mut dyn PageSource,
        query: &DomQuery,
        now: UnixMillis,
    ) -> Result<DomAnswer, InspectError> {
        const TOOL: &str = TOOLS[3];
        self.note(TOOL, query)?;
        let query = presets::with_preset(query, query.preset.as_ref(), Tool::Dom, &self.presets)?;
        let mut checked = dom::check(&query, &self.limits)?;
        let cursors = self.cursors(TOOL, &checked.filters(), source, now)?;
        let place = query.cursor.as_deref().map(|cursor| cursors.read(cursor)).transpose()?;
        if let Some(place) = &place {
            checked.go_on(&query, place)?;
        }
        let filters = checked.filters();
        let passed = place.as_ref().and_then(|place| place.after);
        let key = version(source).map(|version| query::hash(TOOL, &(&checked.shown, version, passed))).transpose()?;
        let found = match key.and_then(|key| self.dom.get(&key)) {
            Some(found) => {
                self.hits += 1;
                found
            }
            None => {
                let (mut page, capture) = seen(source, query.tab_id)?;
                if checked.shows_code()
                    && let Ok(with_code) = Page::parse_with_code(&capture)
                {
                    page = Arc::new(with_code);
                }
                let (answer, next) = checked.answer(&page, &self.limits, place.as_ref())?;
                let found = Remembered { answer, next, newer: None };
                if let Some(key) = key {
                    self.dom.put(key, &found);
                }
                found
            }
        };
        let cursors = self.cursors(TOOL, &filters, source, now)?;
        signed(&cursors, found)
    }

    /// Returns a part of the page as cleaned HTML.
    ///
    /// # Errors
    /// As [`Inspector::dom`].
    pub fn html(
        &mut self,
        source: &mut dyn PageSource,
        query: &HtmlQuery,
        now: UnixMillis,
    ) -> Result<HtmlAnswer, InspectError> {
        const TOOL: &str = TOOLS[4];
        self.note(TOOL, query)?;
        dom::selector(query.selector.as_ref())?;
        let shown = HtmlQuery { cursor: None, ..query.clone() };
        let cursors = self.cursors(TOOL, &shown, source, now)?;
        let place = query.cursor.as_deref().map(|cursor| cursors.read(cursor)).transpose()?;
        let page = page(source, query.tab_id)?;
        let (answer, next) = markup::html(&page, query, &self.limits, place.as_ref())?;
        let cursors = self.cursors(TOOL, &shown, source, now)?;
        signed(&cursors, Remembered { answer, next, newer: None })
    }

    /// Returns a part of the page as text.
    ///
    /// # Errors
    /// As [`Inspector::dom`].
    pub fn text(
        &mut self,
        source: &mut dyn PageSource,
        query: &TextQuery,
        now: UnixMillis,
    ) -> Result<TextAnswer, InspectError> {
        const TOOL: &str = TOOLS[5];
        self.note(TOOL, query)?;
        dom::selector(query.selector.as_ref())?;
        let shown = TextQuery { cursor: None, ..query.clone() };
        let cursors = self.cursors(TOOL, &shown, source, now)?;
        let place = query.cursor.as_deref().map(|cursor| cursors.read(cursor)).transpose()?;
        let page = page(source, query.tab_id)?;
        let (answer, next) = markup::text(&page, query, &self.limits, place.as_ref())?;
        let cursors = self.cursors(TOOL, &shown, source, now)?;
        signed(&cursors, Remembered { answer, next, newer: None })
    }

    /// Returns counts of everything, from which to drill down.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn summary(
        &mut self,
        source: &mut dyn PageSource,
        query: &SummaryQuery,
    ) -> Result<SummaryAnswer, InspectError> {
        const TOOL: &str = TOOLS[0];
        self.note(TOOL, query)?;
        let key = version(source).map(|version| query::hash(TOOL, &(query, version))).transpose()?;
        if let Some(found) = key.and_then(|key| self.summary.get(&key)) {
            self.hits += 1;
            return Ok(found.answer);
        }
        let answer = summary::summary(source, query, &self.limits)?;
        if let Some(key) = key {
            self.summary.put(key, &Remembered { answer: answer.clone(), next: None, newer: None });
        }
        Ok(answer)
    }

    /// Answers a call by name with JSON arguments, as an MCP server gets it.
    ///
    /// # Errors
    /// As the tools, and [`InspectError::UnknownTool`].
    pub fn call(
        &mut self,
        source: &mut dyn PageSource,
        tool: &str,
        arguments: Value,
        now: UnixMillis,
    ) -> Result<Value, InspectError> {
        fn json<A: Serialize>(answer: A) -> Result<Value, InspectError> {
            Ok(serde_json::to_value(answer)?)
        }
        match tool {
            "get_summary" => json(self.summary(source, &query::read(arguments)?)?),
            "get_console_messages" => json(self.console(source, &query::read(arguments)?, now)?),
            "get_network_requests" => json(self.network(source, &query::read(arguments)?, now)?),
            "get_dom_snapshot" => json(self.dom(source, &query::read(arguments)?, now)?),
            "get_html" => json(self.html(source, &query::read(arguments)?, now)?),
            "get_text" => json(self.text(source, &query::read(arguments)?, now)?),
            name => Err(InspectError::UnknownTool { name: name.to_owned(), known: TOOLS.join(", ") }),
        }
    }

    fn cursors<F: Serialize>(
        &self,
        tool: &str,
        shown: &F,
        source: &dyn PageSource,
        now: UnixMillis,
    ) -> Result<Cursors<'_>, InspectError> {
        Ok(Cursors {
            key: &self.key,
            now,
            life_ms: self.limits.cursor_life_ms,
            query: query::hash(tool, shown)?,
            source: source_tag(source.identity()),
        })
    }
}

/// Returns a number that is another whenever what a trace shows is another; none for a live page,
/// which may change at any time.
fn version(source: &dyn PageSource) -> Option<(Short, u32)> {
    match source.identity() {
        id @ SourceId::Trace(_) => Some((source_tag(id), source.step().0)),
        SourceId::Live(_) => None,
    }
}

fn page(source: &mut dyn PageSource, tab: Option<i64>) -> Result<Arc<Page>, InspectError> {
    Ok(seen(source, tab)?.0)
}

fn seen(source: &mut dyn PageSource, tab: Option<i64>) -> Result<(Arc<Page>, Arc<Capture>), InspectError> {
    let tab = query::tab(tab, || Ok(source.tabs()?))?;
    let found = match tab {
        None => source.page(),
        Some(tab) => source.page_of(tab),
    };
    Ok(found?)
}

/// Host of the page whose code counts as its own; empty if there is no page to ask.
fn own_host(source: &mut dyn PageSource, tab: Option<u32>) -> String {
    let found: Result<_, SourceError> = match tab {
        None => source.page(),
        Some(tab) => source.page_of(tab),
    };
    found.map(|(page, _)| host_of(page.url()).to_owned()).unwrap_or_default()
}

fn signed<D, F>(cursors: &Cursors<'_>, found: Remembered<Answer<D, F>>) -> Result<Answer<D, F>, InspectError> {
    let Remembered { mut answer, next, newer } = found;
    answer.next_cursor = next.map(|place| cursors.write(&place)).transpose()?;
    answer.newer = newer
        .map(|place| Ok::<_, InspectError>(Newer { count: place.total, cursor: cursors.write(&place)? }))
        .transpose()?;
    Ok(answer)
}
