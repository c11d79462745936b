//! Canonical form of `DOMSnapshot.captureSnapshot`.

use super::{CanonicalError, Canonicalizer, frame_id};
use crate::json::{JsonError, Scanner, Token, rewrite, unescape};
use std::collections::HashMap;

/// Members of a document whose numbers mean something to us; told apart once for each, not for
/// every number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Part {
    #[default]
    Other,
    /// `frameId` of the document.
    FrameId,
    /// `nodes.nodeName`.
    NodeName,
    /// `nodes.backendNodeId`.
    BackendNodeId,
    /// `nodes.attributes`.
    Attributes,
    /// `nodes.inputValue` and `nodes.textValue`.
    Value,
}

impl Part {
    fn of(top: &str, of_document: &str, of_part: &str) -> Self {
        match (top, of_document, of_part) {
            ("documents", "frameId", _) => Self::FrameId,
            ("documents", "nodes", "nodeName") => Self::NodeName,
            ("documents", "nodes", "backendNodeId") => Self::BackendNodeId,
            ("documents", "nodes", "attributes") => Self::Attributes,
            ("documents", "nodes", "inputValue" | "textValue") => Self::Value,
            _ => Self::Other,
        }
    }
}

/// Where a token stands in a snapshot.
#[derive(Default)]
pub(crate) struct SnapshotPlace<'a> {
    /// Member of the whole: `documents` or `strings`.
    pub top: &'a str,
    /// Member of a document: `frameId`, `nodes`, `layout`, …
    pub of_document: &'a str,
    /// Member of that: `backendNodeId`, `attributes`, …
    pub of_part: &'a str,
    /// Index of the document.
    pub document: usize,
    /// The three members above, told apart.
    pub part: Part,
    documents_begun: usize,
}

impl<'a> SnapshotPlace<'a> {
    /// Takes the token that `scanner` gave last.
    pub(crate) fn take(&mut self, scanner: &Scanner<'_>, token: Token<'a>) {
        match (token, scanner.depth()) {
            (Token::Key(key), 1) => self.top = key,
            (Token::Key(key), 3) => (self.of_document, self.of_part) = (key, ""),
            (Token::Key(key), 4) => self.of_part = key,
            (Token::OpenObject, 3) if self.top == "documents" => {
                self.document = self.documents_begun;
                self.documents_begun += 1;
                (self.of_document, self.of_part) = ("", "");
            }
            _ => return,
        }
        self.part = Part::of(self.top, self.of_document, self.of_part);
    }

    /// Whether a text is an entry of the string table.
    pub(crate) fn is_string(&self, scanner: &Scanner<'_>) -> bool {
        scanner.depth() == 2 && self.top == "strings"
    }
}

/// Returns, per document, the index of its frame id in the string table, and that table.
pub(crate) fn frame_ids(json: &str) -> Result<(Vec<Option<usize>>, Vec<&str>), JsonError> {
    find_frame_ids(json, false)
}

/// With `skips`, what cannot hold them is passed over, and need not be JSON.
fn find_frame_ids(json: &str, skips: bool) -> Result<(Vec<Option<usize>>, Vec<&str>), JsonError> {
    let (mut scanner, mut place) = (Scanner::new(json), SnapshotPlace::default());
    let (mut ids, mut strings) = (Vec::new(), Vec::new());
    while let Some(token) = scanner.next()? {
        place.take(&scanner, token);
        match token {
            Token::OpenObject if scanner.depth() == 3 && place.top == "documents" => ids.push(None),
            Token::Plain(index) if scanner.depth() == 3 && place.part == Part::FrameId => {
                if let Some(id) = ids.last_mut() {
                    *id = index.parse::<usize>().ok();
                }
            }
            Token::OpenObject if skips && scanner.depth() == 4 && place.top == "documents" => scanner.skip_rest(),
            Token::Text(text) if place.is_string(&scanner) => strings.push(text),
            _ => {}
        }
    }
    Ok((ids, strings))
}

impl Canonicalizer {
    /// Canonicalises the result of `DOMSnapshot.captureSnapshot` of one session.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no JSON.
    pub fn snapshot(&mut self, raw: &str) -> Result<String, CanonicalError> {
        const METHOD: &str = "DOMSnapshot.captureSnapshot";
        let wrap = CanonicalError::new(METHOD);
        // The pass that writes reads everything.
        let (ids, strings) = find_frame_ids(raw, true).map_err(&wrap)?;
        // Per document its number, and per string that is a frame id what stands in its place.
        let mut replaced: HashMap<usize, String> = HashMap::new();
        let mut loaders: Vec<u32> = Vec::with_capacity(ids.len());
        for id in ids {
            let raw_frame = id.and_then(|index| strings.get(index)).map(|raw| unescape(raw)).unwrap_or_default();
            let frame = self.frame_number(&raw_frame);
            loaders.push(self.document_of(frame));
            if let Some(index) = id {
                replaced.insert(index, frame_id(frame));
            }
        }
        let (mut place, mut string) = (SnapshotPlace::default(), 0);
        let rewritten = rewrite(raw, |scanner, token, writer| {
            place.take(scanner, token);
            match token {
                Token::Plain(number) if scanner.depth() == 5 && place.part == Part::BackendNodeId => {
                    match number.parse::<i64>().ok().zip(loaders.get(place.document)) {
                        Some((backend, loader)) => writer.number(u64::from(self.number_in(*loader, backend))),
                        None => writer.token(token),
                    }
                }
                Token::Text(_) if place.is_string(scanner) => {
                    match replaced.get(&string) {
                        Some(frame) => writer.text(frame),
                        None => writer.token(token),
                    }
                    string += 1;
                }
                token => writer.token(token),
            }
            Ok(())
        });
        rewritten.map_err(wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    const SNAPSHOT: &str = concat!(
        r##"{"documents":[{"documentURL":0,"frameId":1,"nodes":{"parentIndex":[-1,0],"nodeName":[3,4],"##,
        r##""backendNodeId":[7,9],"attributes":[[],[4,5]],"inputValue":{"index":[1],"value":[5]},"a]}\"":{}},"##,
        r##""layout":{"nodeIndex":[0],"bounds":[[0,0,1.5e2,-0]]}},{"nodes":{"backendNodeId":[7]},"frameId":2}],"##,
        r##""strings":["http://a.test/","MAIN","CHILD","#document","B","c\"}]"]}"##
    );

    /// What is passed over when frame ids are looked for is read by the pass that writes: nothing
    /// that is no JSON gets through, and looking with and without passing over finds the same.
    #[track_caller]
    fn assert_refused_or_read(text: &str) {
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        assert_eq!(Canonicalizer::new().snapshot(text).is_ok(), is_json, "{text}");
        assert_eq!(frame_ids(text).is_ok(), is_json, "{text}");
        if is_json {
            assert_eq!(find_frame_ids(text, true), frame_ids(text), "{text}");
        }
    }

    #[test]
    fn a_damaged_byte_is_found_wherever_it_is() {
        assert_refused_or_read(SNAPSHOT);
        assert_eq!(frame_ids(SNAPSHOT).expect("is JSON").0, [Some(1), Some(2)]);
        for at in 0..SNAPSHOT.len() {
            assert_refused_or_read(&SNAPSHOT[..at]);
            for with in ["", "[", "]", "{", "}", "\"", "\\", ",", ":", "0", "x", " "] {
                assert_refused_or_read(&format!("{}{with}{}", &SNAPSHOT[..at], &SNAPSHOT[at + 1..]));
                assert_refused_or_read(&format!("{}{with}{}", &SNAPSHOT[..at], &SNAPSHOT[at..]));
            }
        }
    }

    proptest! {
        #[test]
        fn parts_that_change_places_are_read_or_refused(mut at in proptest::array::uniform3(0..SNAPSHOT.len())) {
            at.sort_unstable();
            let [from, middle, to] = at;
            assert_refused_or_read(&[&SNAPSHOT[..from], &SNAPSHOT[middle..to], &SNAPSHOT[from..middle],
                &SNAPSHOT[to..]].concat());
        }
    }
}
