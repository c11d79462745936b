//! Observations: text, images, and the refs in them.
//!
//! In: what a run wrote. Out: typed refs and requests. Invariant: a [`Ref`] is well formed wherever
//! it is held.

use crate::page::{BoxInDocument, BoxInViewport, NodeKey, Page};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Short handle of an entity in an observation, written `@e12`; of a further control of a folded
/// row, `@e12.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Ref {
    /// Number, given once in a run.
    pub number: u32,
    /// Which control of the row with that number; 0 for the row's first and for whatever is no part
    /// of a row.
    pub part: u16,
}

impl Ref {
    /// Returns the ref of a number that is no part of a row.
    pub fn new(number: u32) -> Self {
        Self { number, part: 0 }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(f, "@e{}", self.number),
            part => write!(f, "@e{}.{part}", self.number),
        }
    }
}

/// A text that is no ref.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a ref: expected \"@e\" and a number, such as \"@e12\" or \"@e12.3\"")]
pub struct MalformedRef {
    /// The text as given.
    pub text: String,
}

impl std::str::FromStr for Ref {
    type Err = MalformedRef;
    fn from_str(text: &str) -> Result<Self, MalformedRef> {
        let malformed = || MalformedRef { text: text.to_owned() };
        let plain = |digits: &str| {
            !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'))
        };
        let digits = text.strip_prefix("@e").ok_or_else(malformed)?;
        let (number, part) = digits.split_once('.').unwrap_or((digits, "0"));
        if !plain(number) || !plain(part) || (digits.contains('.') && part == "0") {
            return Err(malformed());
        }
        match (number.parse(), part.parse()) {
            (Ok(number), Ok(part)) => Ok(Self { number, part }),
            _ => Err(malformed()),
        }
    }
}

/// Which node a handle of an observation means, so that the reader's answer can be checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RefTarget {
    /// The handle as it is written in the text (`@e12`, `e5`, `240791`).
    pub handle: String,
    /// The node it means.
    pub key: NodeKey,
}

/// Where the pixels of an image lie.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ImageSpace {
    /// A part of the viewport at the time of the capture.
    Viewport(BoxInViewport),
    /// A part of the document.
    Document(BoxInDocument),
}

impl ImageSpace {
    /// Returns where in the document of its page that is.
    pub fn in_document(self, page: &Page) -> BoxInDocument {
        match self {
            Self::Document(bounds) => bounds,
            Self::Viewport(BoxInViewport { x, y, width, height }) => {
                let scroll = page.scroll();
                BoxInDocument { x: x + scroll.x, y: y + scroll.y, width, height }
            }
        }
    }
}

/// One image that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedImage {
    /// PNG bytes.
    pub png: Arc<[u8]>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Which part of the page it shows.
    pub space: ImageSpace,
}

impl ObservedImage {
    /// Returns the PNG in base64 (RFC 4648, padded, one line), as APIs of models take images.
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.png)
    }

    /// Returns the PNG as a `data:` URL.
    pub fn data_url(&self) -> String {
        format!("data:image/png;base64,{}", self.base64())
    }
}

/// Whether an observation stands alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObservationKind {
    /// Stands alone; says why it is full where a delta was possible.
    Full {
        /// The reason in words, such as `first observation`.
        reason: String,
    },
    /// Changes the shown state.
    Delta,
    /// An answer to a request: adds to the shown state.
    Answer,
}

/// What the agent is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The text.
    pub text: String,
    /// The images.
    pub images: Vec<ObservedImage>,
    /// Whether it stands alone.
    pub kind: ObservationKind,
    /// What the handles in the text mean, as far as the strategy knows; never shown.
    pub refs: Vec<RefTarget>,
    /// Name of the representation it was made from (`a11y`, `dom`, `vision`, `hybrid`), if there
    /// was a choice.
    pub representation: Option<String>,
    /// Differences between shown state and page that no mark covers; 0 by the Truth rule, none
    /// where not counted.
    pub unmarked_differences: Option<u32>,
}

impl Observation {
    /// Returns a full observation of text alone.
    pub fn full_text(text: String, reason: &str) -> Self {
        let kind = ObservationKind::Full { reason: reason.to_owned() };
        Self { text, images: Vec::new(), kind, refs: Vec::new(), representation: None, unmarked_differences: None }
    }
}

/// What the reader may ask for after an observation, at most three times a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Request {
    /// What an elided mark with this handle stands for.
    Expand {
        /// The handle as written.
        handle: String,
    },
    /// More of a list or a cut text: items from `from` to `to`, counted from 1.
    More {
        /// The handle as written.
        handle: String,
        /// First item.
        from: u32,
        /// Last item.
        to: u32,
    },
    /// A section by its heading or landmark.
    Section {
        /// Its name.
        name: String,
    },
    /// What matches words of the goal and the intent.
    Query {
        /// The words.
        text: String,
    },
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expand { handle } => write!(f, "expand {handle}"),
            Self::More { handle, from, to } => write!(f, "more {handle} {from}-{to}"),
            Self::Section { name } => write!(f, "section {name:?}"),
            Self::Query { text } => write!(f, "query {text:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_base64_where_an_api_wants_it() {
        let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0 });
        let image = ObservedImage { png: b"\x89PNG\r\n".as_slice().into(), width: 1, height: 1, space };
        assert_eq!(image.base64(), "iVBORw0K");
        assert_eq!(image.data_url(), "data:image/png;base64,iVBORw0K");
    }

    #[test]
    fn refs_parse_exactly_as_they_print() {
        assert_eq!("@e12".parse(), Ok(Ref::new(12)));
        assert_eq!("@e12.3".parse(), Ok(Ref { number: 12, part: 3 }));
        assert_eq!(Ref::new(12).to_string(), "@e12");
        assert_eq!(Ref { number: 12, part: 3 }.to_string(), "@e12.3");
        for bad in ["", "@e", "e12", "@e012", "@e1x", "@e-1", "@e99999999999", " @e1"] {
            assert!(bad.parse::<Ref>().is_err(), "{bad:?}");
        }
    }
}
