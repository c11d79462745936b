//! The text of an observation: what it says as data, how that is written, and how it is read back.
//!
//! In: an [`Observed`]. Out: text in the grammar of `GRAMMAR.md`, and from such text the same
//! [`Observed`] again: `parse(write(x)) == x` for every style. Invariant: whatever the page says,
//! it is quoted and escaped, so that it cannot look like structure, a ref or a mark.

pub mod escape;
mod event;
pub(crate) mod fold;
mod items;
mod lines;
mod locate;
mod owner;
mod parse;
mod scan;
mod style;
mod write;

pub use event::{CutText, DialogState, DownloadState, EventNote, TabChange, write_events};
pub use fold::Patterns;
#[doc(hidden)]
pub use fold::folded_rows;
pub use lines::GrammarError;
pub use locate::{Locator, Owner, Scratch};
pub use parse::{parse, parse_after};
pub(crate) use scan::handle_of;
pub use style::Style;
pub use write::{write, write_after, write_item, write_items};

use crate::tree::{Cut, Handle, Mark, StateSet, Tree};
use browserlens_core::strategy::Ref;

/// The text that explains the grammar to an LLM; counted once a task.
pub const LEGEND: &str = include_str!("../../legend.txt");

/// Title and URL of a page, as far as they were told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
    /// Whether either was cut.
    pub cut: bool,
}

impl Head {
    /// Returns scheme and host of the URL; none if it does not go beyond them.
    fn origin(&self) -> Option<&str> {
        let host = self.url.find("://")? + 3;
        self.url[host..].find('/').map(|path| &self.url[..host + path])
    }

    /// Returns this head as it is said after another: without the origin, where that stays.
    #[must_use]
    pub fn after(&self, before: &Self) -> Self {
        let path = before.origin().filter(|_| !before.cut).and_then(|origin| self.url.strip_prefix(origin));
        match path.filter(|path| path.starts_with('/') && !self.cut) {
            Some(path) => Self { url: path.to_owned(), ..self.clone() },
            None => self.clone(),
        }
    }

    /// Returns the head that is meant by this one after another.
    #[must_use]
    pub fn resolved(&self, before: Option<&Self>) -> Self {
        let origin = before.filter(|_| self.url.starts_with('/')).and_then(Self::origin);
        Self { url: format!("{}{}", origin.unwrap_or(""), self.url), ..self.clone() }
    }
}

/// Says which region an image shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageNote {
    /// Position among the images of the observation, counted from 1.
    pub number: u32,
    /// Whether it shows only what changed of the region; earlier images show the rest as it still
    /// is.
    pub changed: bool,
    /// `canvas`, `image` or `page`.
    pub role: String,
    /// Name of the region.
    pub name: String,
    /// Left edge, top edge, width and height in whole CSS px of the document.
    pub bounds: [i64; 4],
}

/// What one observation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The whole state.
    Full {
        /// The step, for deltas that start from it later; none in the seed's style.
        step: Option<u32>,
        /// Why it is full where a delta was possible.
        reason: Option<String>,
        /// Title and URL; none if the style leaves them out.
        head: Option<Head>,
        /// What happened beside the page.
        events: Vec<EventNote>,
        /// Which regions the images show.
        images: Vec<ImageNote>,
        /// The items.
        tree: Tree,
    },
    /// Changes of the shown state, carried out in order.
    Delta {
        /// From which step to which; none in the seed's style.
        steps: Option<(u32, u32)>,
        /// How many changes were counted.
        changes: u32,
        /// How many changes of volatile values were hidden.
        hidden: u32,
        /// What happened beside the page.
        events: Vec<EventNote>,
        /// Which regions the images show.
        images: Vec<ImageNote>,
        /// The changes.
        entries: Vec<Entry>,
    },
    /// The answer to a request: changes of the shown state, carried out in order.
    Answer {
        /// The request in words.
        request: String,
        /// Which regions the images show.
        images: Vec<ImageNote>,
        /// The changes.
        entries: Vec<Entry>,
    },
    /// Nothing but a mark: everything is elided.
    Nothing(Option<Handle>),
}

/// Names one child of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// The child that has this ref, or holds what has it.
    With(Ref),
    /// The position, counted from 1.
    At(u32),
}

/// Names neighbours among the children of an item: from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildRun {
    /// The first.
    pub from: Child,
    /// The last; none if there is one only.
    pub to: Option<Child>,
}

/// What went without a change of its own; it tells the reader what the change means and changes
/// nothing itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gone {
    /// One item.
    Named(Locator),
    /// Several of a role.
    Many {
        /// How many.
        count: u32,
        /// Their role.
        role: String,
    },
}

impl Gone {
    /// Returns the role of one that is named.
    pub(crate) fn role(&self) -> Option<&str> {
        match self {
            Self::Named(locator) => Some(&locator.role),
            Self::Many { .. } => None,
        }
    }
}

/// What something stands beside: an item that has a ref, or has one in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The ref; it alone is decisive.
    pub reference: Ref,
    /// What the item is called or says first, or its beginning; empty if it is not said.
    pub name: String,
    /// Whether `name` is only the beginning.
    pub begins: bool,
}

/// Where something stands among the children of its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// Behind all others.
    End,
    /// At this position, counted from 1.
    At(u32),
    /// Directly behind the first, and directly before the second where that is said.
    After(Sibling, Option<Sibling>),
    /// Before this one.
    Before(Sibling),
}

/// How a value changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueChange {
    /// The old value or its beginning, or what of it was replaced; empty if it is not told.
    pub old: String,
    /// How much of the old value that is.
    pub of: ValuePart,
    /// The new value, or what stands in place of what was replaced.
    pub new: String,
}

/// Which part of an old value is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuePart {
    /// All of it.
    Whole,
    /// Its beginning.
    Beginning,
    /// What was replaced, which stands in it once; the rest of a long value stays as it is.
    Replaced,
}

/// One change of the shown state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Title and URL are now these.
    Page(Head),
    /// An item says something else.
    Changed {
        /// The item.
        at: Locator,
        /// Its new name, if that changed.
        name: Option<(String, Option<Cut>)>,
        /// Its old and its new value, if that changed.
        value: Option<ValueChange>,
        /// States that it has now.
        on: StateSet,
        /// States that it has no more.
        off: StateSet,
    },
    /// Items went, with all below them.
    Removed(Vec<Locator>),
    /// An item is now at another place.
    Moved {
        /// The item.
        at: Locator,
        /// Its place among the children, itself not counted.
        to: Position,
        /// Its parent, if that is another one.
        parent: Option<Locator>,
    },
    /// Items came.
    Added {
        /// Their parent.
        parent: Locator,
        /// The place of the first among the children.
        at: Position,
        /// The items, below the root of this tree.
        items: Tree,
    },
    /// Everything below an item is now exactly this.
    Now {
        /// The item.
        at: Locator,
        /// Messages that went.
        gone: Vec<Gone>,
        /// What is below it, below the root of this tree.
        items: Tree,
    },
    /// The children of an item that remain; the others went.
    Order {
        /// The item.
        at: Locator,
        /// Whether those that remain stand in another order than before, or nothing is said to go.
        is_new: bool,
        /// Which children went.
        gone: Vec<Gone>,
        /// The children, as runs of neighbours of the order before.
        kept: Vec<ChildRun>,
    },
    /// Items stand where a mark stood.
    Expanded {
        /// The mark.
        handle: Handle,
        /// The items, below the root of this tree.
        items: Tree,
    },
    /// A cut name is now told to its end.
    Uncut {
        /// The handle of the cut.
        handle: Handle,
        /// The whole name.
        name: String,
    },
    /// A mark stands for another number of items.
    Elided(Mark),
    /// The focus is on this item, or on none.
    Focus(Option<Locator>),
    /// What these items say may be old from now on.
    Volatile(Vec<Locator>),
    /// What stayed as it was, in words; changes nothing.
    Unchanged(String),
}

impl Entry {
    /// Returns the ref and the states of a change that tells nothing else.
    pub(crate) fn states_alone(&self) -> Option<(Ref, StateSet, StateSet)> {
        match self {
            Self::Changed { at, name: None, value: None, on, off } => Some((at.reference?, *on, *off)),
            _ => None,
        }
    }

    /// Returns how many changes entries tell.
    pub fn count(entries: &[Self]) -> u32 {
        let one = |entry: &Self| match entry {
            Self::Removed(locators) => locators.len(),
            Self::Added { items, .. } | Self::Expanded { items, .. } => items.children(crate::tree::ROOT).len(),
            Self::Volatile(_) | Self::Unchanged(_) => 0,
            _ => 1,
        };
        entries.iter().map(one).sum::<usize>() as u32
    }
}
