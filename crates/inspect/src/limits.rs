//! Every limit, in one place.
//!
//! In: nothing. Out: [`Limits`]. Invariant: a limit that is not named here does not exist.

use serde::{Deserialize, Serialize};

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
    /// How many answers are remembered.
    pub cached_answers: usize,
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
            cached_answers: 64,
        }
    }
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
}
