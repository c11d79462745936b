//! The one request policy of the reader, the same for all strategies.
//!
//! In: the shown state, the intent of the next action, the goal. Out: the next [`Request`], or
//! none.
//!
//! 1. Nothing is asked while the intent's node is in the shown state, nor for an action without a
//!    node.
//! 2. Else the elided mark whose label shares most with the intent's words (name and `within` count
//!    twice, the role once) is expanded; of equal marks the one that hides most, then the first.
//! 3. Else the rest of a list or cut text is asked for (`more`), at most [`MORE_ITEMS`] items, the
//!    mark that hides most first.
//! 4. Else one query is made of the intent's words and the goal's.
//! 5. At most [`MAX_REQUESTS`] a step; a mark is asked for once a step. A request that the strategy
//!    does not answer is no call, and a kind of request that it does not know is not tried again in
//!    this step.
//!
//! Invariant: facts and the action node are not known here.

use super::find;
use super::text::words;
use super::{Mark, Reading};
use browserlens_core::strategy::{NodeHint, Request};
use std::cmp::Reverse;

/// Most requests at one step.
pub const MAX_REQUESTS: usize = 3;
/// Most items that one `more` asks for.
pub const MORE_ITEMS: u32 = 50;

/// What was asked at this step.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    handles: Vec<String>,
    answered: usize,
    queried: bool,
    refused_expand: bool,
    refused_more: bool,
}

impl Asked {
    /// Notes what became of a request.
    pub fn note(&mut self, request: &Request, answered: bool) {
        self.answered += usize::from(answered);
        match request {
            Request::Expand { handle } => {
                self.handles.push(handle.clone());
                self.refused_expand |= !answered;
            }
            Request::More { handle, .. } => {
                self.handles.push(handle.clone());
                self.refused_more |= !answered;
            }
            Request::Section { .. } | Request::Query { .. } => self.queried = true,
        }
    }

    fn is_new(&self, mark: &Mark) -> bool {
        !mark.handle.is_empty() && !self.handles.contains(&mark.handle)
    }
}

/// Returns the next request, if the policy has one.
pub fn next(reading: &Reading, hint: &NodeHint, goal: &str, asked: &Asked) -> Option<Request> {
    if asked.answered >= MAX_REQUESTS || !find::find(reading, hint).candidates.is_empty() {
        return None;
    }
    let new = || reading.marks.iter().filter(|mark| asked.is_new(mark));
    if !asked.refused_expand {
        let likely = new().map(|mark| (likeness(&mark.label, hint), mark)).filter(|(likeness, _)| *likeness > 0);
        if let Some((_, mark)) = likely.min_by_key(|(likeness, mark)| Reverse((*likeness, mark.count))) {
            return Some(Request::Expand { handle: mark.handle.clone() });
        }
    }
    if !asked.refused_more {
        let cut = new().filter_map(|mark| Some((mark, mark.more_from?)));
        if let Some((mark, from)) = cut.min_by_key(|(mark, _)| Reverse(mark.count)) {
            let items = if mark.count == 0 { MORE_ITEMS } else { mark.count.min(MORE_ITEMS) };
            return Some(Request::More { handle: mark.handle.clone(), from, to: from.saturating_add(items - 1) });
        }
    }
    if asked.queried {
        return None;
    }
    let mut said = words(&hint.name);
    let mut more = words(&hint.role);
    more.extend(hint.within.iter().flat_map(|within| words(&within.name)));
    more.extend(words(goal));
    for word in more {
        if !said.contains(&word) {
            said.push(word);
        }
    }
    (!said.is_empty()).then(|| Request::Query { text: said.join(" ") })
}

fn likeness(label: &str, hint: &NodeHint) -> usize {
    let label = words(label);
    let shared =
        |text: &str| words(text).iter().filter(|word| label.iter().any(|known| is_form_of(known, word))).count();
    let hints = std::iter::successors(Some(hint), |hint| hint.within.as_deref());
    hints.map(|hint| 2 * shared(&hint.name) + shared(&hint.role)).sum()
}

/// Returns whether a label's word is the word itself or its plural (`links` for `link`).
fn is_form_of(label: &str, word: &str) -> bool {
    label == word || label.strip_suffix('s') == Some(word) || label.strip_suffix("es") == Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::reading_of;

    fn hint(role: &str, name: &str) -> NodeHint {
        NodeHint { role: role.into(), name: name.into(), ..NodeHint::default() }
    }

    fn mark(handle: &str, label: &str, count: u32, more_from: Option<u32>) -> Mark {
        Mark { handle: handle.into(), label: label.into(), count, more_from }
    }

    fn ask(reading: &Reading, hint: &NodeHint, refuse: &[usize]) -> Vec<String> {
        let mut asked = Asked::default();
        let mut requests = Vec::new();
        while let Some(request) = next(reading, hint, "put a Laptop into the cart", &asked) {
            asked.note(&request, !refuse.contains(&requests.len()));
            requests.push(request.to_string());
            assert!(requests.len() < 20, "the policy ends");
        }
        requests
    }

    #[test]
    fn nothing_is_asked_while_the_node_is_shown() {
        let mut reading = reading_of("playwright-aria", "- button \"Go\" [ref=e1]");
        reading.marks.push(mark("@m1", "80 buttons", 80, None));
        assert!(ask(&reading, &hint("button", "Go"), &[]).is_empty());
    }

    #[test]
    fn expands_the_likest_mark_then_more_then_a_query_and_stops_at_three() {
        let reading = Reading {
            nodes: Vec::new(),
            marks: vec![
                mark("@m1", "footer (60 links)", 60, None),
                mark("@m2", "results: 40 links Thicket", 40, None),
                mark("@m3", "", 92, Some(51)),
                mark("@m4", "12 images", 12, None),
            ],
            ..Reading::default()
        };
        let requests = ask(&reading, &hint("link", "Thicket 14"), &[]);
        assert_eq!(requests, ["expand @m2", "expand @m1", "more @m3 51-100"]);
    }

    #[test]
    fn a_strategy_that_answers_nothing_is_asked_each_kind_once() {
        let reading = Reading {
            nodes: Vec::new(),
            marks: vec![mark("@m1", "links", 5, None), mark("@m2", "links", 9, None), mark("@m3", "", 3, Some(4))],
            ..Reading::default()
        };
        let requests = ask(&reading, &hint("link", "Cart"), &[0, 1, 2, 3]);
        assert_eq!(requests, ["expand @m2", "more @m3 4-6", "query \"cart link put a laptop into the\""]);
    }
}
