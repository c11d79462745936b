//! What every parser of the reader gives: nodes in the order of the text, and the text that can be
//! read.
//!
//! In: the lines of one observation. Out: a [`Reading`]. Invariant: a node's parent stands before
//! it, so that walks up end; what the text does not say is empty, never guessed from the page.

use super::text::Haystack;

/// One node as the text tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadNode {
    /// Role, as in the accessibility tree; `text` for loose text, empty if the text does not say.
    pub role: String,
    /// The name that the text gives it.
    pub name: String,
    /// Whether the name only repeats text of nodes below it, which are in the reading themselves.
    pub named_by_content: bool,
    /// Other words that an agent would know it by: placeholder, title, the label text before it.
    pub also: Vec<String>,
    /// Value.
    pub value: String,
    /// Whether an empty value tells nothing: the format writes none for such a node.
    pub value_unsaid: bool,
    /// States, such as `checked`, `disabled`, `expanded=false`.
    pub states: Vec<String>,
    /// The handle to act by, as written.
    pub handle: Option<String>,
    /// Index of the parent in the reading; the path to the root is the chain of these.
    pub parent: Option<usize>,
    /// Text that belongs to it beside name and value.
    pub text: String,
}

/// Longest text that is put together of what a node holds, in bytes.
pub(crate) const LONGEST_JOINED: usize = 400;

impl ReadNode {
    /// Text that stands by itself.
    pub fn loose(text: impl Into<String>) -> Self {
        Self { role: "text".to_owned(), text: text.into(), ..Self::default() }
    }

    /// Takes words of what it holds into its name, unless the text gives it another.
    pub(crate) fn name_by(&mut self, words: &str) {
        if self.name.is_empty() || self.named_by_content {
            join(&mut self.name, words);
            self.named_by_content = true;
        }
    }

    /// Returns whether a state stands there in this word.
    pub(crate) fn has_state(&self, word: &str) -> bool {
        self.states.iter().any(|state| state == word)
    }
}

/// Appends words to a text that is not too long already.
pub(crate) fn join(text: &mut String, words: &str) {
    if text.len() < LONGEST_JOINED {
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(words);
    }
}

/// An elided mark: something that is not shown and the handle that brings it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The handle as written.
    pub handle: String,
    /// What the mark says about what is missing.
    pub label: String,
    /// How many items are missing; 0 if not said.
    pub count: u32,
    /// First item missing, counted from 1, where the mark stands for the rest of a list.
    pub more_from: Option<u32>,
}

/// What can be read in the shown state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The nodes, in the order of the text.
    pub nodes: Vec<ReadNode>,
    /// The elided marks, in the order of the text.
    pub marks: Vec<Mark>,
    /// States that the format never writes: their absence tells nothing.
    pub silent: &'static [&'static str],
}

impl Reading {
    /// Returns the places of the ancestors of a node, nearest first.
    pub fn above(&self, index: usize) -> impl Iterator<Item = usize> {
        // A parent stands before its child; anything else is no path.
        std::iter::successors(Some(index), |at| self.nodes.get(*at)?.parent.filter(|parent| parent < at)).skip(1)
    }

    /// Returns the ancestors of a node, nearest first.
    pub fn path(&self, index: usize) -> impl Iterator<Item = &ReadNode> {
        self.above(index).map(|at| &self.nodes[at])
    }

    /// Returns everything that can be read, in order, each piece with the place of its node.
    fn pieces(&self) -> impl Iterator<Item = (usize, &str)> {
        let own = self.nodes.iter().enumerate().flat_map(|(at, node)| {
            let name = (!node.named_by_content).then_some(&node.name);
            let value = (node.value != node.name).then_some(&node.value);
            [name, value, Some(&node.text)].into_iter().flatten().map(move |words| (at, words.as_str()))
        });
        // Apart from the rest, so that they do not stand between two pieces that are read together.
        let nodes = self.nodes.iter().enumerate();
        own.chain(nodes.flat_map(|(at, node)| node.also.iter().map(move |words| (at, words.as_str()))))
    }

    /// Returns everything that can be read, in order, for finding facts.
    pub fn haystack(&self) -> Haystack {
        self.haystack_with_owners().0
    }

    /// Returns the same, and of each piece the place of the node it came from.
    pub fn haystack_with_owners(&self) -> (Haystack, Vec<usize>) {
        let mut haystack = Haystack::default();
        let owners = self.pieces().filter(|(_, words)| haystack.push(words)).map(|(at, _)| at).collect();
        (haystack, owners)
    }

    /// Appends what an answer adds.
    pub fn extend(&mut self, other: Self) {
        let base = self.nodes.len();
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            node.parent = node.parent.map(|parent| parent + base);
            node
        }));
        self.marks.extend(other.marks);
        if self.silent.is_empty() {
            self.silent = other.silent;
        }
    }
}
