//! The tools, over any source.
//!
//! In: a source, a query, the time. Out: answers. Invariants: an answer does not depend on what was
//! asked before; the clock and the key are the caller's.

use crate::console::{self, ConsoleAnswer};
use crate::cursor::{CursorKey, Cursors, Position, UnixMillis, source_tag};
use crate::dom::{self, DomAnswer};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::markup::{self, HtmlAnswer, TextAnswer};
use crate::network::{self, NetworkAnswer};
use crate::presets::{Presets, with_preset};
use crate::query::{self, ConsoleQuery, DomQuery, HtmlQuery, NetworkQuery, SummaryQuery, TextQuery};
use crate::schema;
use crate::summary::{self, SummaryAnswer};
use browserlens_core::page::{Capture, NodeKey, Page};
use browserlens_core::strategy::{PageSource, SourceError, host_of};
use serde::Serialize;
use serde_json::Value;
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
    /// Makes the schema of the answer.
    pub answer: fn() -> Value,
}

/// Returns every tool with its schemas.
pub fn tools() -> Vec<ToolSchema> {
    fn tool<Q: schemars::JsonSchema, A: schemars::JsonSchema>(name: &'static str, why: &'static str) -> ToolSchema {
        ToolSchema { name, why, arguments: schema::of::<Q>(), answer: || schemars::schema_for!(A).to_value() }
    }
    vec![
        tool::<SummaryQuery, SummaryAnswer>(TOOLS[0], "Counts of console messages and requests"),
        tool::<ConsoleQuery, ConsoleAnswer>(TOOLS[1], "Console messages; errors and warnings unless told otherwise"),
        tool::<NetworkQuery, NetworkAnswer>(TOOLS[2], "Requests, failed ones first"),
        tool::<DomQuery, DomAnswer>(TOOLS[3], "DOM below a selector"),
        tool::<HtmlQuery, HtmlAnswer>(TOOLS[4], "Cleaned HTML below a selector"),
        tool::<TextQuery, TextAnswer>(TOOLS[5], "Plain text below a selector"),
    ]
}

/// Answers queries.
#[derive(Debug)]
pub struct Inspector {
    limits: Limits,
    presets: Presets,
    key: CursorKey,
}

impl Inspector {
    /// Makes an inspector; cursors are signed with the key.
    pub fn new(limits: Limits, key: CursorKey) -> Self {
        Self { limits, presets: Presets::default(), key }
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

    /// Returns console messages.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn console(
        &self,
        source: &mut dyn PageSource,
        query: &ConsoleQuery,
        now: UnixMillis,
    ) -> Result<ConsoleAnswer, InspectError> {
        let query = with_preset(query, query.preset.as_ref(), |preset| &preset.console, &self.presets)?;
        let asked = console::check(&query, source, &self.limits)?;
        let (cursors, place) = self.begin(TOOLS[1], &asked.shown, query.cursor.as_ref(), source, now)?;
        let (tab, mut own) = (asked.filter.tab, None);
        asked.page(source, place, &cursors, |source, events, _, cuts| {
            let own = match console::has_stacks(&events) {
                true => own.get_or_insert_with(|| own_host(source, tab)).as_str(),
                false => "",
            };
            Ok(console::rows(&events, own, &self.limits, cuts))
        })
    }

    /// Returns requests.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn network(
        &self,
        source: &mut dyn PageSource,
        query: &NetworkQuery,
        now: UnixMillis,
    ) -> Result<NetworkAnswer, InspectError> {
        let query = with_preset(query, query.preset.as_ref(), |preset| &preset.network, &self.presets)?;
        let (asked, bodies) = network::check(&query, source, &self.limits)?;
        let (cursors, place) = self.begin(TOOLS[2], &asked.shown, query.cursor.as_ref(), source, now)?;
        let sizes = bodies.sizes();
        asked.page(source, place, &cursors, |source, events, is_shown, cuts| {
            network::rows(source, events, if is_shown { &bodies } else { &sizes }, &self.limits, cuts)
        })
    }

    /// Returns a part of the page as a tree.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::NoMatch`] if its selector
    /// matches nothing, [`InspectError::Source`] if the source fails.
    pub fn dom(
        &self,
        source: &mut dyn PageSource,
        query: &DomQuery,
        now: UnixMillis,
    ) -> Result<DomAnswer, InspectError> {
        let filled = with_preset(query, query.preset.as_ref(), |preset| &preset.dom, &self.presets)?;
        let query = DomQuery { node: query.node, ..filled };
        let mut checked = dom::check(&query, &self.limits)?;
        let (cursors, place) = self.begin(TOOLS[3], &checked.filters(), query.cursor.as_ref(), source, now)?;
        if let Some(place) = &place {
            checked.go_on(&query, place)?;
        }
        let (mut page, capture) = seen(source, query.tab_id)?;
        if checked.shows_code()
            && let Ok(with_code) = Page::parse_with_code(&capture)
        {
            page = Arc::new(with_code);
        }
        checked.answer(&page, &self.limits, place.as_ref(), &cursors)
    }

    /// Returns a part of the page as cleaned HTML.
    ///
    /// # Errors
    /// As [`Inspector::dom`].
    pub fn html(
        &self,
        source: &mut dyn PageSource,
        query: &HtmlQuery,
        now: UnixMillis,
    ) -> Result<HtmlAnswer, InspectError> {
        let below = dom::Below::read(query.selector.as_ref(), query.node)?;
        let shown = HtmlQuery { cursor: None, ..query.clone() };
        let (cursors, place) = self.begin(TOOLS[4], &shown, query.cursor.as_ref(), source, now)?;
        let (page, _) = seen(source, query.tab_id)?;
        markup::Asked { page: &page, below, limits: &self.limits, cursors, place }.html(shown)
    }

    /// Returns a part of the page as text.
    ///
    /// # Errors
    /// As [`Inspector::dom`].
    pub fn text(
        &self,
        source: &mut dyn PageSource,
        query: &TextQuery,
        now: UnixMillis,
    ) -> Result<TextAnswer, InspectError> {
        let below = dom::Below::read(query.selector.as_ref(), query.node)?;
        let shown = TextQuery { cursor: None, ..query.clone() };
        let (cursors, place) = self.begin(TOOLS[5], &shown, query.cursor.as_ref(), source, now)?;
        let (page, _) = seen(source, query.tab_id)?;
        markup::Asked { page: &page, below, limits: &self.limits, cursors, place }.text(shown)
    }

    /// Returns counts of everything, from which to drill down.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if the query is wrong, [`InspectError::Source`] if the source
    /// fails.
    pub fn summary(&self, source: &mut dyn PageSource, query: &SummaryQuery) -> Result<SummaryAnswer, InspectError> {
        summary::summary(source, query, &self.limits)
    }

    /// Answers a call by name with JSON arguments, as an MCP server gets it.
    ///
    /// # Errors
    /// As the tools, and [`InspectError::UnknownTool`].
    pub fn call(
        &self,
        source: &mut dyn PageSource,
        tool: &str,
        arguments: Value,
        now: UnixMillis,
    ) -> Result<Value, InspectError> {
        self.call_below(source, tool, arguments, None, now)
    }

    /// Answers a call whose selector is a ref, if a node is given: that of the ref.
    ///
    /// # Errors
    /// As [`Inspector::call`].
    pub fn call_below(
        &self,
        source: &mut dyn PageSource,
        tool: &str,
        arguments: Value,
        node: Option<NodeKey>,
        now: UnixMillis,
    ) -> Result<Value, InspectError> {
        fn json<A: Serialize>(answer: A) -> Result<Value, InspectError> {
            Ok(serde_json::to_value(answer)?)
        }
        match tool {
            "get_summary" => json(self.summary(source, &query::read(arguments)?)?),
            "get_console_messages" => json(self.console(source, &query::read(arguments)?, now)?),
            "get_network_requests" => json(self.network(source, &query::read(arguments)?, now)?),
            "get_dom_snapshot" => json(self.dom(source, &DomQuery { node, ..query::read(arguments)? }, now)?),
            "get_html" => json(self.html(source, &HtmlQuery { node, ..query::read(arguments)? }, now)?),
            "get_text" => json(self.text(source, &TextQuery { node, ..query::read(arguments)? }, now)?),
            name => Err(InspectError::UnknownTool { name: name.to_owned(), known: TOOLS.join(", ") }),
        }
    }

    /// Returns what makes and reads the cursors of a query, and the place that it goes on from.
    fn begin<F: Serialize>(
        &self,
        tool: &str,
        shown: &F,
        cursor: Option<&String>,
        source: &dyn PageSource,
        now: UnixMillis,
    ) -> Result<(Cursors<'_>, Option<Position>), InspectError> {
        let (query, source) = (query::hash(tool, shown)?, source_tag(source.identity()));
        let cursors = Cursors { key: &self.key, now, life_ms: self.limits.cursor_life_ms, query, source };
        let place = cursor.map(|cursor| cursors.read(cursor)).transpose()?;
        Ok((cursors, place))
    }
}

fn seen(source: &mut dyn PageSource, tab: Option<i64>) -> Result<(Arc<Page>, Arc<Capture>), InspectError> {
    let tab = query::tab(tab, source)?;
    Ok(page_of(source, tab)?)
}

fn page_of(source: &mut dyn PageSource, tab: Option<u32>) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
    match tab {
        None => source.page(),
        Some(tab) => source.page_of(tab),
    }
}

/// Host of the page whose code counts as its own; empty if there is no page to ask.
fn own_host(source: &mut dyn PageSource, tab: Option<u32>) -> String {
    page_of(source, tab).map(|(page, _)| host_of(page.url()).to_owned()).unwrap_or_default()
}
