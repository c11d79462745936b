//! One saved page: its acceptable nodes get their marks, and what would lead elsewhere goes.
//!
//! In: HTML, and what was done on it. Out: HTML with marks of ours. Invariants: the page is passed
//! through once, however many candidates and marks there are; it cannot lead to another page by
//! itself, and brings no marks of its own.

use super::{Done, MOST_CANDIDATES};
use crate::plan::{ALSO, TARGET};
use aho_corasick::AhoCorasick;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What is looked for, whatever its case: two that are made harmless, and two that may carry a
/// mark.
const WORDS: [&str; 4] = ["http-equiv", crate::html::OURS, "backend_node_id=\"", "data_pw_testid_buckeye=\""];

fn words() -> Option<&'static AhoCorasick> {
    static FOUND: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    FOUND.get_or_init(|| AhoCorasick::builder().ascii_case_insensitive(true).build(WORDS).ok()).as_ref()
}

/// Marks the acceptable nodes of a page; returns it, and whether there was one.
pub(super) fn marked(html: &str, done: &Done) -> (String, bool) {
    let mut marks: HashMap<&str, &str> = HashMap::new();
    for candidate in done.candidates.iter().take(MOST_CANDIDATES) {
        let mark = marks.entry(candidate.backend_node_id.0.as_str()).or_insert(ALSO);
        if candidate.is_original_target {
            *mark = TARGET;
        }
    }
    let mut out = String::with_capacity(html.len() + 1024);
    let (mut from, mut found) = (0, false);
    for word in words().into_iter().flat_map(|words| words.find_iter(html)) {
        if word.start() < from {
            continue;
        }
        out.push_str(&html[from..word.start()]);
        from = word.start();
        if word.pattern().as_usize() < 2 {
            out.push_str("x-");
            continue;
        }
        // Nobody's id is long.
        let Some(length) = html.as_bytes()[word.end()..].iter().take(200).position(|byte| *byte == b'"') else {
            continue;
        };
        let value = &html[word.end()..word.end() + length];
        let mark = match word.pattern().as_usize() {
            2 => marks.get(value).copied().filter(|_| !value.is_empty()),
            _ => (!value.is_empty() && value == done.uid).then_some(TARGET),
        };
        if let Some(mark) = mark {
            let end = word.end() + length + 1;
            out.push_str(&html[from..end]);
            out.push_str(&format!(" browserlens-mark=\"{mark}\""));
            (from, found) = (end, true);
        }
    }
    out.push_str(&html[from..]);
    (out, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mind2web::{Candidate, Text};

    fn done(uid: &str, ids: &[(&str, bool)]) -> Done {
        let candidate = |(id, is_original_target): &(&str, bool)| Candidate {
            backend_node_id: Text((*id).to_owned()),
            is_original_target: *is_original_target,
        };
        Done { uid: uid.to_owned(), candidates: ids.iter().map(candidate).collect(), ..Done::default() }
    }

    #[test]
    fn a_page_cannot_bring_marks_along() {
        let (html, found) = marked("<a BrowserLens-mark=target Ähttp-equiv>", &Done::default());
        assert_eq!((html.as_str(), found), ("<a x-BrowserLens-mark=target Äx-http-equiv>", false));
    }

    #[test]
    fn a_candidate_that_is_named_often_marks_once() {
        let html = "<a backend_node_id=\"7\" data_pw_testid_buckeye=\"u\"><b backend_node_id=\"8\"><i \
            backend_node_id=\"\" data_pw_testid_buckeye=\"";
        let (marked, found) =
            marked(html, &done("u", &[("7", false), ("7", true), ("7", false), ("", true), ("8", false)]));
        assert!(found);
        assert_eq!(
            marked,
            "<a backend_node_id=\"7\" browserlens-mark=\"target\" data_pw_testid_buckeye=\"u\" \
                browserlens-mark=\"target\">\
             <b backend_node_id=\"8\" browserlens-mark=\"also\"><i backend_node_id=\"\" data_pw_testid_buckeye=\""
        );
    }

    #[test]
    fn a_page_of_nothing_but_marks_takes_no_longer_than_it_is_long() {
        let html = "<a backend_node_id=\"1\">http-equiv".repeat(100_000);
        let many: Vec<String> = (0..1_000).map(|id| (id % 5).to_string()).collect();
        let many: Vec<(&str, bool)> = many.iter().map(|id| (id.as_str(), false)).collect();
        let (marked, _) = marked(&html, &done("", &many));
        assert!(marked.len() < html.len() * 3, "{}", marked.len());
    }
}
