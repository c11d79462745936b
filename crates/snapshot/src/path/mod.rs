//! Semantic paths: where a part of a page stands, in the page's own words.
//!
//! In: a [`browserlens_core::page::Page`]. Out: a [`Paths`]: for each element that means something its
//! [`Path`], and for each path its element. Invariants: `resolve(path(node)) == node`; a path has
//! at most [`MOST_STEPS`] steps, however deep the page nests; one forward pass, no recursion.
//!
//! ```text
//! path  = "/" | 1*( "/" step )
//! step  = "#document" | "#shadow-root" | tag [ "#" name | "." name ] [ "[" N "]" ]
//! tag   = a lower-case letter, then letters, digits, "-"            name = a letter, then letters, digits, "-", "_"
//! ```
//!
//! A step names an element by its tag, or by the tag that its ARIA role stands for
//! (`<div role="main">` is `main`), and by its id or the first class of it that says what it is
//! ([`crate::class`]). Elements without meaning are no steps: `html`, `body`, `div` and `span`
//! without such an id or class, inline formatting. `[n]` counts the siblings that are spelled alike
//! below the same step, in document order; the first goes without a number, except of what comes in
//! series (`article`, `li`, `tr`, …), where it has one if there are several. Content of a frame
//! lies below `iframe/#document`, content of a shadow tree below its host and `#shadow-root`; what
//! is slotted lies below the host itself, as in the document. Landmarks (`main`, `header`,
//! `footer`, `nav`, `aside`) do not count below a `div`, and sections (`section`, `article`,
//! `form`, `dialog`) not below one that only a class names: a wrapper says nothing of them.
//!
//! Containers named by a class alone are steps of what lies in them down to the third step, others
//! down to the last but one; what lies deeper counts from there. An element with an id that would
//! have two steps or more above it (a section three) counts below its landmark. So a path stays
//! short, and still leads to one element.

mod index;
mod name;
#[cfg(test)]
mod tests;

pub use index::Paths;

use std::fmt;
use std::str::FromStr;

/// Most steps of a path.
pub const MOST_STEPS: usize = 7;
/// Steps down to which a container that only a class names is a step of what lies in it.
const MOST_STEPS_BY_CLASS: usize = 3;
/// Steps from which an element with an id counts below its landmark; one more for sections.
const MOST_STEPS_ABOVE_ID: usize = 2;
/// Longest text that is parsed as a path, in bytes.
const LONGEST_TEXT: usize = 4_096;

/// How a step names its element beside the tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Label<T = String> {
    /// Not at all.
    #[default]
    None,
    /// By its id.
    Id(T),
    /// By a class.
    Class(T),
}

impl<T> Label<T> {
    fn map<'a, U>(&'a self, name: impl FnOnce(&'a T) -> U) -> Label<U> {
        match self {
            Self::None => Label::None,
            Self::Id(id) => Label::Id(name(id)),
            Self::Class(class) => Label::Class(name(class)),
        }
    }
}

/// What a step names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The document in a frame.
    Document,
    /// The shadow tree of a host.
    ShadowRoot,
    /// An element.
    Element {
        /// Tag, or the tag that the role stands for.
        tag: String,
        /// Id or class.
        label: Label,
    },
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it names.
    pub kind: Kind,
    /// Which of the siblings spelled alike, counted from 1; none where the number is not written,
    /// which means the first.
    pub index: Option<u32>,
}

/// A semantic path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    /// The steps from the page down; none for the page itself.
    pub steps: Vec<Step>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Document => f.write_str("#document")?,
            Kind::ShadowRoot => f.write_str("#shadow-root")?,
            Kind::Element { tag, label } => {
                f.write_str(tag)?;
                match label {
                    Label::None => {}
                    Label::Id(id) => write!(f, "#{id}")?,
                    Label::Class(class) => write!(f, ".{class}")?,
                }
            }
        }
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("/");
        }
        self.steps.iter().try_for_each(|step| write!(f, "/{step}"))
    }
}

/// A text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no path at character {at}: {expected}")]
pub struct MalformedPath {
    /// Where, in characters from 1.
    pub at: usize,
    /// What is expected there.
    pub expected: &'static str,
}

impl FromStr for Path {
    type Err = MalformedPath;

    fn from_str(text: &str) -> Result<Self, MalformedPath> {
        let wrong = |byte: usize, expected| MalformedPath {
            at: text.get(..byte).map_or(0, |before| before.chars().count()) + 1,
            expected,
        };
        if text.len() > LONGEST_TEXT {
            return Err(wrong(0, "a path of at most 4,096 bytes"));
        }
        let Some(rest) = text.strip_prefix('/') else { return Err(wrong(0, "a path begins with \"/\"")) };
        if rest.is_empty() {
            return Ok(Self::default());
        }
        let mut steps = Vec::new();
        let mut at = 1;
        for part in rest.split('/') {
            steps.push(step(part).map_err(|(inner, expected)| wrong(at + inner, expected))?);
            at += part.len() + 1;
        }
        Ok(Self { steps })
    }
}

fn step(part: &str) -> Result<Step, (usize, &'static str)> {
    let (spelled, index) = match part.split_once('[') {
        None => (part, None),
        Some((spelled, number)) => {
            let at = spelled.len() + 1;
            let expected = "a number from 1 on and \"]\"";
            let digits = number.strip_suffix(']').ok_or((part.len(), expected))?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
            let index = digits.parse::<u32>().ok().filter(|_| plain).ok_or((at, expected))?;
            (spelled, Some(index))
        }
    };
    let kind = match spelled {
        "#document" => Kind::Document,
        "#shadow-root" => Kind::ShadowRoot,
        _ => {
            let end = spelled.find(['#', '.']).unwrap_or(spelled.len());
            let (tag, label) = spelled.split_at(end);
            if !is_tag(tag) {
                return Err((0, "a tag in lower case, \"#document\" or \"#shadow-root\""));
            }
            let name = label.get(1..).unwrap_or("");
            if !label.is_empty() && !is_name(name) {
                return Err((end + 1, "a name of letters, digits, \"-\" and \"_\" that begins with a letter"));
            }
            let label = match label.as_bytes().first() {
                None => Label::None,
                Some(b'#') => Label::Id(name.to_owned()),
                Some(_) => Label::Class(name.to_owned()),
            };
            Kind::Element { tag: tag.to_owned(), label }
        }
    };
    Ok(Step { kind, index })
}

fn is_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_name(name: &str) -> bool {
    name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}
