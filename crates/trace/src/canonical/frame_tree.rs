//! Canonical form of `Page.getFrameTree`.

use super::{CanonicalError, Canonicalizer, frame_id};
use crate::json::{JsonError, Scanner, Token, rewrite, unescape};
use std::borrow::Cow;

/// The ids of one `frame` object of a frame tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameObject<'a> {
    pub id: Cow<'a, str>,
    pub parent: Option<Cow<'a, str>>,
    pub loader: Cow<'a, str>,
    pub url: Cow<'a, str>,
}

/// Follows which tokens are direct members of a `frame` object.
#[derive(Default)]
struct TokenPosition<'a> {
    key: &'a str,
    /// Depth of the `frame` object that is being read, 0 outside of one.
    inside: usize,
}

impl<'a> TokenPosition<'a> {
    /// Takes a token; returns whether it opened a `frame` object.
    fn take(&mut self, scanner: &Scanner<'_>, token: Token<'a>) -> bool {
        match token {
            Token::Key(key) => self.key = key,
            Token::OpenObject if self.inside == 0 && self.key == "frame" => {
                self.inside = scanner.depth();
                return true;
            }
            Token::CloseObject if scanner.depth() < self.inside => {
                self.inside = 0;
                self.key = "";
            }
            _ => {}
        }
        false
    }

    fn is_member(&self, scanner: &Scanner<'_>) -> bool {
        self.inside > 0 && scanner.depth() == self.inside
    }
}

/// Returns the `frame` objects of a frame tree, in document order.
pub(crate) fn frame_objects(json: &str) -> Result<Vec<FrameObject<'_>>, JsonError> {
    let (mut scanner, mut place) = (Scanner::new(json), TokenPosition::default());
    let mut objects: Vec<FrameObject<'_>> = Vec::new();
    while let Some(token) = scanner.next()? {
        if place.take(&scanner, token) {
            objects.push(FrameObject::default());
        }
        let (Token::Text(value), true, Some(object)) = (token, place.is_member(&scanner), objects.last_mut()) else {
            continue;
        };
        match place.key {
            "id" => object.id = unescape(value),
            "parentId" => object.parent = Some(unescape(value)),
            "loaderId" => object.loader = unescape(value),
            "url" => object.url = unescape(value),
            _ => {}
        }
    }
    Ok(objects)
}

impl Canonicalizer {
    /// Canonicalises the result of `Page.getFrameTree` of one session. `parent` is the raw id of
    /// the frame that holds the session's root frame: of an out-of-process iframe; it becomes the
    /// root's `parentId` where the result has none.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no JSON, or has no frame.
    pub fn frames(&mut self, raw: &str, parent: Option<&str>) -> Result<String, CanonicalError> {
        const METHOD: &str = "Page.getFrameTree";
        let objects = frame_objects(raw).map_err(CanonicalError::new(METHOD))?;
        if objects.is_empty() || objects.iter().any(|object| object.id.is_empty()) {
            return Err(CanonicalError { method: METHOD, reason: "it has no frame, or one without an id".to_owned() });
        }
        let numbers: Vec<(u32, u32)> = objects
            .iter()
            .map(|object| {
                let frame = self.frame_number(&object.id);
                (frame, self.loader_number(frame, &object.loader))
            })
            .collect();
        let (mut place, mut seen) = (TokenPosition::default(), 0);
        let rewritten = rewrite(raw, |scanner, token, writer| {
            seen += usize::from(place.take(scanner, token));
            let (frame, loader) = seen.checked_sub(1).and_then(|index| numbers.get(index)).copied().unwrap_or_default();
            match (token, place.key) {
                (Token::Text(_), "id") if place.is_member(scanner) => {
                    writer.text(&frame_id(frame));
                    let lacks_parent = seen == 1 && objects[0].parent.is_none();
                    if let (true, Some(parent)) = (lacks_parent, parent) {
                        writer.token(Token::Key("parentId"));
                        writer.text(&frame_id(self.frame_number(parent)));
                    }
                }
                (Token::Text(value), "parentId") if place.is_member(scanner) => {
                    writer.text(&frame_id(self.frame_number(&unescape(value))));
                }
                (Token::Text(_), "loaderId") if place.is_member(scanner) => writer.text(&format!("L{loader}")),
                _ => writer.token(token),
            }
            Ok(())
        });
        rewritten.map_err(CanonicalError::new(METHOD))
    }
}
