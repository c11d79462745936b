//! What a snapshot shows, and how: the options of [`crate::snapshot`].
//!
//! In: nothing; plain types with the defaults of the design. Out: errors that name what is wrong
//! and where. Invariant: the deprecated switches mean a mode, and never two at once.

use crate::grep::{GrepOptions, MalformedPattern};
use browserlens_core::named;
use browserlens_core::page::select::MalformedSelector;
use std::str::FromStr;

named! {
    /// What a snapshot is for.
    #[derive(Default)]
    pub enum Mode {
        /// Finding what can be acted on.
        #[default]
        Interactive = "interactive",
        /// Understanding how the page is built.
        Outline = "outline",
        /// Reading it.
        Content = "content",
    }
}

named! {
    /// How a snapshot is written.
    #[derive(Default)]
    pub enum Format {
        /// One line an element.
        #[default]
        Tree = "tree",
        /// Cleaned HTML.
        Html = "html",
        /// Markdown.
        Markdown = "markdown",
    }
}

named! {
    /// How refs are written in interactive snapshots.
    #[derive(Default)]
    pub enum RefStyle {
        /// `@e5`, as in the lens, and rows of one shape said once.
        #[default]
        Lens = "lens",
        /// `@ref:5`: the same numbers, one line an item or run of items.
        Seed = "seed",
    }
}

macro_rules! read_by_name {
    ($($type:ident: $what:literal),+) => {$(
        impl FromStr for $type {
            type Err = UnknownName;
            fn from_str(text: &str) -> Result<Self, UnknownName> {
                Self::from_name(text).ok_or_else(|| UnknownName {
                    what: $what,
                    name: text.to_owned(),
                    known: Self::ALL.map(Self::name).join(", "),
                })
            }
        }
    )+};
}

read_by_name!(Mode: "mode", Format: "format", RefStyle: "style of refs");

/// A name that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} {name:?}: there are {known}")]
pub struct UnknownName {
    /// What it was to name.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: String,
}

/// What a snapshot shows, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Only what this finds: a CSS selector, or a ref, `@e5` or `@ref:5`. Of nested elements that
    /// match, the outer one counts.
    pub selector: Option<String>,
    /// Deepest nesting that is shown, from 0: of lines in an outline, of items in interactive mode,
    /// of elements below what is selected in HTML; in content, sections whose path has more steps
    /// are left out.
    pub max_depth: Option<usize>,
    /// Whether hidden nodes are shown. Interactive mode shows what can be acted on, which hidden
    /// nodes cannot: it takes no notice.
    pub include_hidden: bool,
    /// Only elements whose path, and lines whose text, this keeps.
    pub grep: Option<GrepOptions>,
    /// The mode; [`Mode::Interactive`] if nothing is said.
    pub mode: Option<Mode>,
    /// The format.
    pub format: Format,
    /// Most characters a section of content, or of an element that is selected in HTML; none for no
    /// limit. What is left is told. An error in other modes.
    pub max_length: Option<usize>,
    /// Whether links are told with their targets, in content; an error where they cannot be.
    pub include_links: bool,
    /// Whether images are told, in content; an error where they cannot be.
    pub include_images: bool,
    /// Whether markdown of content tells above each section the headings that it lies below, as
    /// [`crate::chunk::documents`] reads them.
    pub headings: bool,
    /// How refs are written.
    pub refs: RefStyle,
    /// Deprecated: `true` is mode `interactive`; `false` says nothing.
    pub interactive: Option<bool>,
    /// Deprecated: `true` is mode `outline`, which lines up the whole page as `all` did; `false` is
    /// mode `interactive`.
    pub all: Option<bool>,
}

impl SnapshotOptions {
    /// Returns the options of a mode.
    pub fn of(mode: Mode) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }

    /// Returns whether refs are shown or asked for, so that the lens must look at the page: the
    /// slow part of a snapshot.
    ///
    /// # Errors
    /// As [`SnapshotOptions::mode`].
    pub fn needs_refs(&self) -> Result<bool, SnapshotError> {
        let by_ref = self.selector.as_deref().is_some_and(|selector| selector.trim_start().starts_with('@'));
        Ok(by_ref || self.mode()? == Mode::Interactive)
    }

    /// Returns the mode, the deprecated switches taken into account.
    ///
    /// # Errors
    /// [`SnapshotError::Switches`] if they ask for another mode than the one that is set, or for
    /// two.
    pub fn mode(&self) -> Result<Mode, SnapshotError> {
        let by_interactive = self.interactive.filter(|on| *on).map(|_| Mode::Interactive);
        let by_all = self.all.map(|on| if on { Mode::Outline } else { Mode::Interactive });
        let asked = [self.mode, by_interactive, by_all];
        let mut modes = asked.into_iter().flatten();
        let Some(first) = modes.next() else { return Ok(Mode::Interactive) };
        match modes.find(|mode| *mode != first) {
            None => Ok(first),
            Some(other) => Err(SnapshotError::Switches { first, other }),
        }
    }
}

/// A snapshot could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The switches ask for two modes.
    #[error("options ask for the modes {first} and {other} at once")]
    Switches {
        /// The mode that was asked for first.
        first: Mode,
        /// Another.
        other: Mode,
    },
    /// The mode cannot be written in the format.
    #[error("mode {mode} has no format {format}")]
    NoFormat {
        /// The mode.
        mode: Mode,
        /// The format.
        format: Format,
    },
    /// The option says nothing in the mode.
    #[error("option {option} does nothing in mode {mode} and format {format}")]
    NoUse {
        /// The option, in words.
        option: &'static str,
        /// The mode.
        mode: Mode,
        /// The format.
        format: Format,
    },
    /// The selector is none.
    #[error("selector {selector:?}: {reason}")]
    BadSelector {
        /// The selector.
        selector: String,
        /// What is wrong, and where.
        #[source]
        reason: MalformedSelector,
    },
    /// The selector looks like a ref and is none.
    #[error("selector {selector:?}: no ref: expected \"@e\" or \"@ref:\" and a number, such as \"@e5\" or \"@ref:5\"")]
    BadRef {
        /// The selector.
        selector: String,
    },
    /// Nothing matches the selector.
    #[error("selector {selector:?}: nothing on the page matches")]
    NoMatch {
        /// The selector.
        selector: String,
    },
    /// The ref means nothing on this page.
    #[error("selector {selector:?}: the ref is not on the page: {what} are")]
    RefGone {
        /// The selector.
        selector: String,
        /// Which refs are there.
        what: String,
    },
    /// The pattern is none.
    #[error("grep {pattern:?}: {reason}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong, and where.
        #[source]
        reason: MalformedPattern,
    },
    /// Nothing is left of the page by the pattern.
    #[error("grep {pattern:?}: {}", nothing(*.mode, *.invert, .nearest))]
    NothingMatches {
        /// The pattern.
        pattern: String,
        /// The mode.
        mode: Mode,
        /// Whether what does not match was asked for.
        invert: bool,
        /// What comes nearest to the pattern, as it is told: quoted names, paths.
        nearest: Vec<String>,
    },
    /// The lens could not say what can be acted on.
    #[error("the page cannot be shown: {reason}")]
    Lens {
        /// Why.
        reason: String,
    },
}

fn nothing(mode: Mode, invert: bool, nearest: &[String]) -> String {
    let what = if invert { "everything" } else { "nothing" };
    let near = match nearest {
        [] => String::new(),
        [one] => format!("; nearest is {one}"),
        several => format!("; nearest are {}", several.join(", ")),
    };
    let left = if invert { ", so that nothing is left" } else { "" };
    format!("{what} in mode {mode} matches{left}{near}")
}

impl SnapshotError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Switches { .. } => "leave the deprecated switches out and set the mode",
            Self::NoFormat { .. } => "choose format tree or html, or mode content for markdown",
            Self::NoUse { .. } => "leave it out, or use mode content",
            Self::BadSelector { .. } => "mend the selector at the place that is named",
            Self::BadRef { .. } => "copy the ref from an interactive snapshot",
            Self::NoMatch { .. } => "take an outline of the page and choose from what is there",
            Self::RefGone { .. } => "take an interactive snapshot: refs of what left the page are never used again",
            Self::BadPattern { .. } => {
                "mend the pattern at the place that is named, or look for plain text with fixed strings"
            }
            Self::NothingMatches { invert: true, .. } => "make the pattern narrower, or do not invert it",
            Self::NothingMatches { mode: Mode::Content, .. } => {
                "take one of those that are named, ignore case, or take an outline and choose from what is there"
            }
            Self::NothingMatches { .. } => {
                "take one of those that are named, ignore case, or use mode content, which searches all text"
            }
            Self::Lens { .. } => "take an outline instead",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deprecated_switches_are_modes() {
        let mode =
            |mode, interactive, all| SnapshotOptions { mode, interactive, all, ..SnapshotOptions::default() }.mode();
        assert_eq!(mode(None, None, None), Ok(Mode::Interactive));
        assert_eq!(mode(None, Some(true), None), Ok(Mode::Interactive));
        assert_eq!(mode(None, None, Some(true)), Ok(Mode::Outline));
        assert_eq!(mode(None, Some(false), Some(true)), Ok(Mode::Outline));
        assert_eq!(mode(Some(Mode::Content), Some(false), None), Ok(Mode::Content));
        assert_eq!(mode(None, Some(true), Some(false)), Ok(Mode::Interactive));
        let error = mode(Some(Mode::Content), None, Some(true)).expect_err("two modes");
        assert_eq!(error.to_string(), "options ask for the modes content and outline at once");
        assert!(mode(None, Some(true), Some(true)).is_err());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for mode in Mode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
        }
        let error = "outlines".parse::<Mode>().expect_err("no mode").to_string();
        assert_eq!(error, "no mode \"outlines\": there are interactive, outline, content");
    }
}
