//! One item of a tree: its role, name, states, marks and handle.

use super::{StateSet, TEXT};
use browserlens_core::named;
use browserlens_core::strategy::Ref;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

impl StateSet {
    /// States of which an item has one at most; what it gets of such a group takes the place of
    /// what it had.
    const EXCLUSIVE: [Self; 5] = [
        Self(Self::CHECKED.0 | Self::UNCHECKED.0),
        Self(Self::CHECKED.0 | Self::MIXED.0 | Self::PRESSED.0),
        Self(Self::UNCHECKED.0 | Self::MIXED.0 | Self::UNPRESSED.0),
        Self(Self::PRESSED.0 | Self::UNPRESSED.0),
        Self(Self::EXPANDED.0 | Self::COLLAPSED.0),
    ];

    /// Returns the states that these put an end to by themselves: who is checked is no more
    /// unchecked.
    #[must_use]
    pub fn ends(self) -> Self {
        let groups = Self::EXCLUSIVE.iter().filter(|group| group.0 & self.0 != 0);
        Self(groups.fold(0, |ends, group| ends | group.0)).without(self)
    }

    /// Returns the states without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Adds the states of `other`.
    pub fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Takes the states of `other` away.
    pub fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }

    /// Returns the words of the states, in the order in which they are written.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.iter().filter(move |(state, _)| self.has(*state)).map(|(_, word)| *word)
    }

    /// Returns the state of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(state, _)| *state)
    }
}

named! {
    /// What an elided mark stands for.
    pub enum Elided {
        /// Items that were cut.
        Items = "more",
        /// Items that were cut, none of which lies in the viewport.
        OffScreen = "off-screen",
        /// Images and canvases, which text cannot tell.
        Images = "images",
        /// Nodes that this grade of the distilled DOM leaves out by nature.
        Fields = "fields",
        /// Text that this grade of the distilled DOM leaves out by nature.
        Texts = "texts",
    }
}

impl Elided {
    /// Returns whether siblings stand behind it that a budget cut.
    pub fn is_cut(self) -> bool {
        matches!(self, Self::Items | Self::OffScreen)
    }
}

/// Handle of an elided mark, written `@m3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@m{}", self.0)
    }
}

/// Says that siblings were left out, how many, and the handle that brings them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The handle; none only in the shortest text of all, `…`.
    pub handle: Option<Handle>,
    /// How many siblings; none where not even the count fitted.
    pub count: Option<u32>,
    /// What they are.
    pub what: Elided,
}

/// Says that a long string was cut, by how much, and the handle that brings it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// The handle.
    pub handle: Handle,
    /// Characters that are missing.
    pub chars: u32,
}

/// One shown thing: a node, a run of text, or a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Role; [`TEXT`] for a run of text, [`super::PAGE`] for the root, empty for a mark.
    pub role: Arc<str>,
    /// Accessible name, or the text of a run.
    pub name: Arc<str>,
    /// Value; empty if none.
    pub value: Arc<str>,
    /// States.
    pub states: StateSet,
    /// Ref, of what can be acted on.
    pub reference: Option<Ref>,
    /// Whether name and value (and, of a container, what cannot be acted on below it) may be old.
    pub volatile: bool,
    /// Whether the name was cut.
    pub cut: Option<Cut>,
    /// Whether the item is an elided mark.
    pub mark: Option<Mark>,
}

impl Item {
    /// Returns an item of a role and a name.
    pub fn new(role: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self {
            role: role.into(),
            name: name.into(),
            value: Arc::from(""),
            states: StateSet::NONE,
            reference: None,
            volatile: false,
            cut: None,
            mark: None,
        }
    }

    /// Returns an elided mark.
    pub fn elided(mark: Mark) -> Self {
        Self { mark: Some(mark), ..Self::new("", "") }
    }

    /// Returns whether the item is a run of text.
    pub fn is_text(&self) -> bool {
        &*self.role == TEXT
    }

    /// Returns whether the item must not be missed: a dialog, an alert, a field in error.
    pub fn is_urgent(&self) -> bool {
        matches!(&*self.role, "dialog" | "alertdialog" | "alert") || self.states.has(StateSet::INVALID)
    }

    /// Returns whether both say the same, refs and marks included, the focus left out.
    pub fn says_same(&self, other: &Self) -> bool {
        self.role == other.role
            && self.name == other.name
            && self.value == other.value
            && self.states.without(StateSet::FOCUSED) == other.states.without(StateSet::FOCUSED)
            && self.reference == other.reference
            && self.volatile == other.volatile
            && self.cut == other.cut
            && self.mark == other.mark
    }

    pub(super) fn feed(&self, hasher: &mut DefaultHasher) {
        // Few and long writes: a page has ten thousand items, and most have neither value, cut nor
        // mark. Lengths keep texts apart.
        let lengths = (self.name.len() as u64) << 32 ^ self.value.len() as u64;
        let has = [self.volatile, self.cut.is_some(), self.mark.is_some(), self.reference.is_some()];
        let has = has.into_iter().fold(0_u64, |bits, has| bits << 1 | u64::from(has));
        hasher.write_u64(u64::from(self.states.0) | has << 32);
        hasher.write_u64(lengths);
        self.role.hash(hasher);
        hasher.write(self.name.as_bytes());
        hasher.write(self.value.as_bytes());
        if let Some(reference) = self.reference {
            hasher.write_u64(u64::from(reference.number) << 16 | u64::from(reference.part));
        }
        if self.cut.is_some() || self.mark.is_some() {
            (self.cut, self.mark).hash(hasher);
        }
    }
}

/// Role of a node without one that can be clicked.
pub const CLICKABLE: &str = "clickable";
