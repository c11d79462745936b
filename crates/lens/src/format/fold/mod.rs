//! Repetition said once: siblings of one shape as a pattern and its rows.
//!
//! In: a tree. Out: groups of its siblings, each as a [`Pattern`] and a [`FoldedRow`] a repetition, and
//! from these the same items again. Invariants: a group is used only after its rows were expanded
//! again and gave exactly the items that they stand for; so folding changes tokens and nothing
//! else. Text of the page stands literally in its row (or, where all rows share it, in the
//! pattern); a unit that all values of a column share may stand in the pattern. Only a control's
//! name may be made of the columns of its row.

mod columns;
mod find;
mod patterns;
mod text;

pub(super) use columns::fold_rows;
pub use find::folded_rows;
pub(crate) use find::{Kind, groups, row_controls};
pub(super) use patterns::NONE_TOLD;
pub use patterns::Patterns;
pub(super) use text::{leaf_entries, pattern, read_leaves, read_pattern, read_row, rows};

use crate::tree::{Item, StateSet, Tree};
use browserlens_core::strategy::Ref;
use std::sync::Arc;

/// A piece of a name, text or value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Literal(String),
    /// What the row says in a column, counted from 0.
    Column(usize),
}

/// A name, text or value of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub segments: Vec<Segment>,
    /// The column that says otherwise where it says anything.
    pub unless: Option<usize>,
}

/// How a part gets its ref.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RefAt {
    #[default]
    None,
    /// The row's number, and this part of it.
    Row(u16),
    /// One of the refs that the row lists, counted from 0.
    Listed(usize),
}

/// Whether a part is there, where what it belongs to is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Presence {
    #[default]
    Always,
    /// Where the column says something.
    Given(usize),
    /// Usually (or usually not), unless the column says `-` (or `+`).
    Unless { usual: bool, column: usize },
}

/// One node of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub depth: usize,
    pub role: Arc<str>,
    pub name: Words,
    pub value: Words,
    pub states: StateSet,
    pub volatile: bool,
    /// The column that says other states where it says anything.
    pub states_unless: Option<usize>,
    pub reference: RefAt,
    /// The column that says another ref (or `-` for none) where it says anything.
    pub reference_unless: Option<usize>,
    pub presence: Presence,
}

/// What the rows of a group share; its parts are in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    pub parts: Vec<Part>,
    pub columns: usize,
    /// How many refs each row lists behind its number.
    pub listed: usize,
}

impl Pattern {
    /// Returns how many of its parts come and go, or have other states or another ref in some rows.
    fn conditions(&self) -> usize {
        let of = |part: &Part| {
            let otherwise = usize::from(part.states_unless.is_some()) + usize::from(part.reference_unless.is_some());
            otherwise + usize::from(part.presence != Presence::Always)
        };
        self.parts.iter().map(of).sum()
    }
}

/// What one row says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FoldedRow {
    /// Number of the row's refs.
    pub number: Option<u32>,
    /// Refs that have another number; none where the row has no such part.
    pub listed: Vec<Option<Ref>>,
    /// By column; none where the row says nothing.
    pub values: Vec<Option<String>>,
}

/// The word for no state at all.
const NO_STATE: &str = "-";

/// Returns states and volatility as words.
pub(super) fn state_words(states: StateSet, volatile: bool) -> String {
    let mut words: Vec<&str> = states.words().collect();
    if volatile {
        words.push("volatile");
    }
    if words.is_empty() { NO_STATE.to_owned() } else { words.join(" ") }
}

/// What an item's states are besides those that all of a group share.
#[derive(Clone, Copy, Default)]
pub(super) struct Own {
    /// States that it has besides; one that cannot be beside a shared one takes its place.
    pub on: StateSet,
    /// Shared states that it has not.
    pub off: StateSet,
    pub volatile: bool,
}

/// A state that an item has not is a token longer than one that it has.
const DENIED: usize = 4;
const SAID: usize = 3;

/// Returns the states that leaves share in their head; each says what is otherwise.
pub(super) fn shared_states<'t>(items: impl Iterator<Item = &'t Item> + Clone) -> Option<(StateSet, bool)> {
    let (usual, _) = columns::commonest(items.clone().map(plain_states))?;
    let count =
        |says: &dyn Fn(StateSet) -> bool| items.clone().map(plain_states).filter(|states| says(*states)).count();
    let mut shared = usual;
    for state in (0..u32::BITS).map(|bit| StateSet(usual.0 & 1 << bit)).filter(|state| *state != StateSet::NONE) {
        let having = count(&|states| states.has(state));
        let lacking = count(&|states| !states.with(states.without(usual).ends()).has(state));
        if lacking * DENIED > having * SAID {
            shared = shared.without(state);
        }
    }
    Some((shared, items.clone().all(|item| item.volatile)))
}

/// The states of a leaf without the one that its name has a mark for.
fn plain_states(item: &Item) -> StateSet {
    if item.name.is_empty() { item.states } else { item.states.without(StateSet::DERIVED) }
}

impl Own {
    /// Returns what a leaf has to say besides what is shared.
    pub fn of(item: &Item, (shared, volatile): (StateSet, bool)) -> Self {
        let states = plain_states(item);
        let on = states.without(shared);
        // A state that a new one would end although both are there is said again.
        let on = on.with(StateSet(states.0 & shared.0 & on.ends().0));
        Self { on, off: shared.without(states).without(on.ends()), volatile: item.volatile && !volatile }
    }

    /// Returns the states of a leaf of a group that shares some.
    pub fn beside(self, shared: StateSet) -> StateSet {
        shared.without(self.on.ends()).without(self.off).with(self.on)
    }

    pub fn words(self) -> String {
        let on = self.on.words().map(str::to_owned);
        let off = self.off.words().map(|word| format!("-{word}"));
        on.chain(self.volatile.then(|| "volatile".to_owned())).chain(off).collect::<Vec<_>>().join(" ")
    }

    pub fn read(words: &str) -> Option<Self> {
        let mut own = Self::default();
        for word in words.split(' ') {
            match word.strip_prefix('-') {
                Some(word) => own.off = own.off.with(StateSet::from_word(word)?),
                None if word == "volatile" => own.volatile = true,
                None => own.on = own.on.with(StateSet::from_word(word)?),
            }
        }
        Some(own)
    }
}

/// Returns states and volatility of words.
pub(super) fn states_of(words: &str) -> Option<(StateSet, bool)> {
    if words == NO_STATE {
        return Some((StateSet::NONE, false));
    }
    let (mut states, mut volatile) = (StateSet::NONE, false);
    for word in words.split(' ') {
        match word {
            "volatile" => volatile = true,
            _ => states = states.with(StateSet::from_word(word)?),
        }
    }
    Some((states, volatile))
}

impl Words {
    pub fn literal(text: &str) -> Self {
        let segments = if text.is_empty() { Vec::new() } else { vec![Segment::Literal(text.to_owned())] };
        Self { segments, unless: None }
    }

    fn of(&self, row: &FoldedRow) -> String {
        if let Some(said) = self.unless.and_then(|column| row.value(column)) {
            return said.to_owned();
        }
        self.segments.iter().map(|segment| segment.of(row)).collect()
    }
}

impl Segment {
    fn of<'a>(&'a self, row: &'a FoldedRow) -> &'a str {
        match self {
            Self::Literal(literal) => literal,
            Self::Column(column) => row.value(*column).unwrap_or(""),
        }
    }
}

impl FoldedRow {
    /// Returns how many fields are written: up to the last that says something.
    fn fields(&self) -> usize {
        self.values.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }

    pub fn value(&self, column: usize) -> Option<&str> {
        self.values.get(column)?.as_deref()
    }
}

impl Pattern {
    /// Appends the items of a row below `parent`; none if the row says what its pattern does not
    /// mean.
    pub fn expand(&self, row: &FoldedRow, tree: &mut Tree, parent: u32) -> Option<()> {
        // The items that parts of each depth belong to; none below a part that is not there.
        let mut open: Vec<Option<u32>> = vec![Some(parent)];
        for part in &self.parts {
            open.truncate(part.depth + 1);
            let Some(above) = *open.get(part.depth)? else {
                open.push(None);
                continue;
            };
            let there = match part.presence {
                Presence::Always => true,
                Presence::Given(column) => row.value(column).is_some(),
                Presence::Unless { usual, column } => match row.value(column) {
                    None => usual,
                    Some("+") => true,
                    Some("-") => false,
                    Some(_) => return None,
                },
            };
            if !there {
                open.push(None);
                continue;
            }
            let (states, volatile) = match part.states_unless.and_then(|column| row.value(column)) {
                Some(words) => states_of(words)?,
                None => (part.states, part.volatile),
            };
            let other = part.reference_unless.and_then(|column| row.value(column));
            let reference = match part.reference {
                _ if other == Some("-") => None,
                _ if other.is_some() => Some(other?.parse::<Ref>().ok()?),
                RefAt::None => None,
                RefAt::Row(part) => Some(Ref { number: row.number?, part }),
                RefAt::Listed(index) => row.listed.get(index).copied().flatten(),
            };
            let item = Item {
                value: part.value.of(row).into(),
                states,
                reference,
                volatile,
                ..Item::new(part.role.clone(), part.name.of(row))
            };
            let id = tree.push(above, item);
            open.push(Some(id));
        }
        Some(())
    }
}
