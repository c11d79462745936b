//! Requests.
//!
//! In: rows of a page. Out: [`NetworkRow`]s, with bodies where they were asked for. Invariant:
//! without bodies none is read.

use crate::answer::{Answer, Cuts, json_bytes};
use crate::body::{self, Body, Wanted};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::pages::Asked;
use crate::query::{self, NetworkQuery, OneOrMany};
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::{BodySide, Event, EventFilter, EventKind, PageSource, RequestParts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A request and its response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRow {
    /// Method.
    pub method: String,
    /// URL.
    pub url: String,
    /// Status; 0 if no response came.
    pub status: u16,
    /// Resource type, in lower case.
    #[serde(rename = "type")]
    pub resource_type: String,
    /// Position in the recording.
    pub position: u64,
    /// Page time when it was sent, in milliseconds.
    pub at_ms: u64,
    /// Page time from request to end, in milliseconds.
    pub duration_ms: u64,
    /// Bytes of the response's body.
    pub bytes: u64,
    /// MIME type of the response.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mime: String,
    /// Why it failed, where it did without a status.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Tab, where it is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<u32>,
    /// What was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<Body>,
    /// What came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_body: Option<Body>,
}

/// The answer of `get_network_requests`.
pub type NetworkAnswer = Answer<Vec<NetworkRow>, NetworkQuery>;

/// Resource types of the protocol, in lower case.
pub(crate) const RESOURCE_TYPES: [&str; 19] = [
    "document", "stylesheet", "image", "media", "font", "script", "texttrack", "xhr", "fetch", "prefetch",
    "eventsource", "websocket", "manifest", "signedexchange", "ping", "cspviolationreport", "preflight", "fedcm",
    "other",
];

/// What is wanted of bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    pub request: Option<Wanted>,
    pub response: Option<Wanted>,
}

impl Bodies {
    /// The same bodies, of which only the sizes are wanted.
    pub(crate) fn sizes(&self) -> Self {
        let size = |of: &Option<Wanted>| of.as_ref().map(|_| Wanted::default());
        Self { request: size(&self.request), response: size(&self.response) }
    }
}

pub(crate) fn check(
    query: &NetworkQuery,
    source: &mut dyn PageSource,
    limits: &Limits,
) -> Result<(Asked<NetworkQuery>, Bodies), InspectError> {
    let size = query::page_size(query.page_size, limits.max_network_requests, limits)?;
    let methods = query.method.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
    if let Some(bad) = methods.iter().find(|method| !is_method(method)) {
        let allowed = "a method such as GET, POST, PUT, PATCH, DELETE, or a list of these";
        return Err(InspectError::bad("method", format!("{bad:?} is no method"), allowed));
    }
    let statuses = query.status.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
    let statuses = statuses.iter().map(query::StatusFilter::range).collect::<Result<Vec<_>, _>>()?;
    let types = query.resource_type.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
    let types = query::words("resourceType", types, &RESOURCE_TYPES)?;
    let domain = query::search("domain", query.domain.as_ref())?;
    let contains = query::search("searchTerm", query.search_term.as_ref())?;
    let slow = query::number("minDurationMs", query.min_duration_ms, 0, 0, u32::MAX as usize)? as u64;
    let path = body::path(query.body_path.as_ref())?;
    let tab = query::tab(query.tab_id, source)?;
    let since = query::since(query.since, source)?;
    let unfiltered =
        EventFilter { kinds: vec!["request".to_owned()], tab, parts: RequestParts::Line, ..EventFilter::default() };
    let failed_only = query.failed_only.unwrap_or(false);
    let failed_first = query.failed_first.unwrap_or(true);
    let filter = EventFilter {
        methods: methods.iter().map(|method| method.to_ascii_uppercase()).collect(),
        statuses,
        resource_types: types.into_iter().map(str::to_owned).collect(),
        domain,
        contains,
        failed: failed_only.then_some(true),
        min_duration_ms: (slow > 0).then_some(slow),
        since_ms: since,
        ..unfiltered.clone()
    };
    let shape = query.body_shape.unwrap_or(false);
    let requests = query.include_request_bodies.unwrap_or(false);
    let responses = query.include_response_bodies.unwrap_or(false) || (!requests && (shape || path.is_some()));
    let wanted = |limit| Wanted { path: path.clone(), shape, limit, parse_limit: limits.max_parsed_body_size };
    let bodies = Bodies {
        request: requests.then(|| wanted(limits.max_request_body_size)),
        response: responses.then(|| wanted(limits.max_response_body_size)),
    };
    let shown = NetworkQuery {
        failed_only: Some(failed_only),
        failed_first: Some(failed_first),
        page_size: None,
        cursor: None,
        ..query.clone()
    };
    let phases: &'static [Option<bool>] = match (failed_only, failed_first) {
        (true, _) => &[Some(true)],
        (false, true) => &[Some(true), Some(false)],
        (false, false) => &[None],
    };
    Ok((Asked { noun: "requests", shown, filter, unfiltered, phases, size }, bodies))
}

fn is_method(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

/// Makes the rows of a page out of its events.
pub(crate) fn rows(
    source: &mut dyn PageSource,
    events: Vec<Event>,
    bodies: &Bodies,
    limits: &Limits,
    cuts: &mut Cuts,
) -> Result<Vec<NetworkRow>, InspectError> {
    let mut rows = Vec::with_capacity(events.len());
    for event in events {
        let Event { position, tab, at_ms, kind: EventKind::Request(request), .. } = event else { continue };
        let at = rows.len();
        let (mut whole, mut given) = (0, 0);
        let mut body = |side, wanted: &Option<Wanted>, name: &str| -> Result<Option<Body>, InspectError> {
            let Some(wanted) = wanted else { return Ok(None) };
            let body = body::of(source, position, &request, side, wanted)?;
            if let Some(body) = &body {
                let returned = body.returned();
                whole += body.bytes;
                given += returned;
                // What was not kept was not cut; what a path or a shape leaves out was asked to be
                // left out.
                let original = if body.truncated { body.bytes.max(returned + 1) } else { returned };
                cuts.note(original, returned, || format!("data[{at}].{name}"));
            }
            Ok(body)
        };
        let request_body = body(BodySide::Request, &bodies.request, "requestBody")?;
        let response_body = body(BodySide::Response, &bodies.response, "responseBody")?;
        let seen = |text: &str| escaped_line(text).into_owned();
        let mut row = NetworkRow {
            method: seen(&request.method),
            url: seen(&request.url),
            status: request.status,
            resource_type: seen(&request.resource_type.to_lowercase()),
            position,
            at_ms,
            duration_ms: request.duration_ms,
            bytes: request.response_bytes,
            mime: seen(&request.mime_type),
            failure: seen(&request.failure),
            tab_id: (tab > 0).then_some(tab),
            request_body: None,
            response_body: None,
        };
        cuts.original_bytes += json_bytes(&row) + 1 + whole;
        cuts.text(&mut row.url, limits.max_url_size, || format!("data[{at}].url"));
        cuts.returned_bytes += json_bytes(&row) + 1 + given;
        rows.push(NetworkRow { request_body, response_body, ..row });
    }
    Ok(rows)
}
