//! What the text emitted so far, parsed alone, says about the page.
//!
//! In: the texts of observations, in order. Out: nodes with role, name, value, states, ref, text
//! and path; marks; and whether a text can be read. Invariants: nothing but emitted text ever goes
//! in; an observation that does not apply leaves the state as it was. The reader of `replay` uses
//! this and nothing else of the lens.
//!
//! ```
//! use browserlens_lens::ShownState;
//! let mut shown = ShownState::default();
//! shown.apply("[FULL PAGE STATE] Shop | https://shop.test/\n- main: \"Showing\", link \"3\" @e1 \"of 142\"").unwrap();
//! assert!(shown.find_text("Showing 3 of 142"));
//! shown.apply("[DELTA 0→1: 1 change]\nCHANGED: link \"3\" @e1 → \"4\"").unwrap();
//! assert_eq!(shown.nodes().nth(2).unwrap().name(), "4");
//! ```

mod node;

pub use node::{ElidedMark, ElidedWhat, ShownNode};

use crate::format::{
    Child, Entry, EventNote, GrammarError, Head, ImageNote, Locator, Observed, Patterns, Position, Scratch, Sibling,
    ValueChange, ValuePart, parse_after,
};
use crate::tree::{Elided, Handle, Item, Mark, NONE, ROOT, Tree};
use browserlens_core::strategy::Ref;
use std::collections::VecDeque;
use std::sync::Arc;

/// An observation that cannot be applied to what was shown before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// A delta starts from a step that is not remembered.
    #[error("the delta starts from step {0}, which is not remembered")]
    NotRemembered(u32),
    /// The text is not in the grammar.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A change names an item that was not shown.
    #[error("change {index} names {what}, which is not shown")]
    NotShown {
        /// Which change, counted from 1.
        index: usize,
        /// The item in words.
        what: String,
    },
}

/// States before the last that are kept, for deltas that start from one of them.
pub(crate) const MOST_EARLIER: usize = 12;

/// What the text emitted so far says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownState {
    now: Arc<Shown>,
    /// What was shown before, oldest first; only states that have a number.
    earlier: VecDeque<Arc<Shown>>,
    patterns: Patterns,
}

/// What one text led to.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    /// The step, if the texts say it.
    step: Option<u32>,
    head: Option<Head>,
    tree: Tree,
    images: Vec<ImageNote>,
    events: Vec<EventNote>,
}

impl ShownState {
    /// Applies the text of the next observation.
    ///
    /// # Errors
    /// [`ApplyError`] if the text is not in the grammar or names what is not shown; the state is
    /// unchanged then.
    pub fn apply(&mut self, text: &str) -> Result<Observed, ApplyError> {
        let (observed, tells) = parse_after(text, &self.patterns)?;
        self.apply_observed(&observed)?;
        self.patterns.learn(tells);
        Ok(observed)
    }

    /// Returns the patterns that were told so far and are named by a row that is shown: what is gone
    /// is not looked up.
    pub fn patterns(&self) -> Patterns {
        let numbers = self.now.tree.items().filter_map(|(_, item)| item.reference).map(|shown| shown.number);
        self.patterns.of(&numbers.collect())
    }

    /// Applies an observation that is parsed already.
    ///
    /// # Errors
    /// [`ApplyError::NotShown`] if a change names what is not shown, [`ApplyError::NotRemembered`]
    /// if a delta starts from a state that is not known; the state is unchanged then.
    pub fn apply_observed(&mut self, observed: &Observed) -> Result<(), ApplyError> {
        match observed {
            Observed::Full { step, head, events, images, tree, .. } => {
                let (head, tree, images, events) = (head.clone(), tree.clone(), images.clone(), events.clone());
                self.follow(Shown { step: *step, head, tree, images, events });
            }
            Observed::Nothing(handle) => {
                let mark = Mark { handle: *handle, count: None, what: Elided::Items };
                let mut nothing = Shown::default();
                nothing.tree.push(ROOT, Item::elided(mark));
                self.follow(nothing);
            }
            Observed::Delta { steps, events, entries, images, .. } => {
                let base = match steps {
                    Some((from, _)) => self.at_step(*from).ok_or(ApplyError::NotRemembered(*from))?,
                    None => &self.now,
                };
                let mut next = base.changed(entries, images)?;
                next.step = steps.map(|(_, to)| to);
                next.events.clone_from(events);
                self.follow(next);
            }
            Observed::Answer { entries, images, .. } => self.now = Arc::new(self.now.changed(entries, images)?),
        }
        Ok(())
    }

    /// What was shown at a step; where no state has that number, what was shown last, if it has
    /// none.
    fn at_step(&self, step: u32) -> Option<&Shown> {
        let mut known = std::iter::once(&self.now).chain(self.earlier.iter().rev());
        let shown = known.find(|shown| shown.step == Some(step));
        shown.or_else(|| self.now.step.is_none().then_some(&self.now)).map(|shown| &**shown)
    }

    fn follow(&mut self, next: Shown) {
        let before = std::mem::replace(&mut self.now, Arc::new(next));
        if before.step.is_some() {
            self.earlier.push_back(before);
            if self.earlier.len() > MOST_EARLIER {
                self.earlier.pop_front();
            }
        }
    }

    /// Returns whether a delta can start from what was shown at a step.
    pub fn remembers(&self, step: u32) -> bool {
        self.now.step == Some(step) || self.earlier.iter().any(|shown| shown.step == Some(step))
    }

    /// Returns the tree of what is shown.
    pub fn tree(&self) -> &Tree {
        &self.now.tree
    }

    /// Returns title and URL; none if they were not told.
    pub fn head(&self) -> Option<&Head> {
        self.now.head.as_ref()
    }

    /// Returns which regions the images since the last full observation show.
    pub fn images(&self) -> &[ImageNote] {
        &self.now.images
    }

    /// Returns what happened beside the page in the step observed last.
    pub fn events(&self) -> &[EventNote] {
        &self.now.events
    }

    /// Returns every node and run of text in document order; marks and the page itself are left
    /// out.
    pub fn nodes(&self) -> impl Iterator<Item = ShownNode<'_>> {
        let tree = &self.now.tree;
        tree.items().skip(1).filter(|(_, item)| item.mark.is_none()).map(move |(id, _)| ShownNode { tree, id })
    }

    /// Returns the node with a ref.
    pub fn with_ref(&self, reference: Ref) -> Option<ShownNode<'_>> {
        self.nodes().find(|node| node.reference() == Some(reference))
    }

    /// Returns the elided marks in document order, cut names included.
    pub fn elided(&self) -> Vec<ElidedMark> {
        let marks_of = |(id, item): (u32, &Item)| {
            let mark = item.mark.map(|mark| (mark.handle, mark.count, ElidedWhat::Siblings(mark.what)));
            let cut = item.cut.map(|cut| (Some(cut.handle), Some(cut.chars), ElidedWhat::Characters { of: id }));
            let within = move || ShownNode { tree: &self.now.tree, id }.path();
            let said = mark.into_iter().chain(cut);
            said.map(move |(handle, count, what)| ElidedMark { handle, count, what, within: within() })
        };
        self.now.tree.items().flat_map(marks_of).collect()
    }

    /// Returns the nodes whose text may be old.
    pub fn volatile(&self) -> impl Iterator<Item = ShownNode<'_>> {
        self.nodes().filter(|node| node.is_volatile())
    }

    /// Returns whether an agent can read `text` here: white space is normalised, and a text may run
    /// over items that stand side by side (text, a link, text again; the cells of a row), but not
    /// over marks, nor from one block of text to the next.
    pub fn find_text(&self, text: &str) -> bool {
        let wanted: Vec<char> = crate::extract::collapse(text).chars().collect();
        if wanted.is_empty() {
            return true;
        }
        let told = self.now.events.iter().flat_map(EventNote::texts);
        let told = told.map(|text| crate::extract::collapse(text).chars().collect());
        readable(&self.now.tree).into_iter().chain(told).any(|run: Vec<char>| run_holds(&run, &wanted))
    }
}

impl Shown {
    /// Returns what changes lead to.
    fn changed(&self, entries: &[Entry], images: &[ImageNote]) -> Result<Self, ApplyError> {
        let mut head = self.head.clone();
        let mut scratch = Scratch::new(self.tree.clone());
        for (index, entry) in entries.iter().enumerate() {
            apply_entry(&mut scratch, &mut head, entry)
                .map_err(|what| ApplyError::NotShown { index: index + 1, what })?;
        }
        let images = self.images.iter().chain(images).cloned().collect();
        Ok(Self { step: self.step, head, tree: scratch.tree().compact().0, images, events: self.events.clone() })
    }
}

/// Where one readable item ends and the next begins: a blank or nothing, as the page has it.
const JOINT: char = '\u{0}';

/// Returns the runs of readable text of a tree.
fn readable(tree: &Tree) -> Vec<Vec<char>> {
    let mut runs: Vec<Vec<char>> = vec![Vec::new()];
    // Items to enter; none: a block ends.
    let mut stack: Vec<Option<u32>> = tree.children(ROOT).iter().rev().map(|id| Some(*id)).collect();
    let mut after_text = false;
    while let Some(next) = stack.pop() {
        let Some(id) = next else {
            runs.push(Vec::new());
            after_text = false;
            continue;
        };
        let item = tree.item(id);
        // Two runs of text side by side are two blocks: inline text is one run.
        let block = item.mark.is_some() || ends_run(item) || (item.is_text() && after_text);
        if block && !runs.last().is_some_and(Vec::is_empty) {
            runs.push(Vec::new());
        }
        if let Some(run) = runs.last_mut() {
            if !run.is_empty() && !item.name.is_empty() {
                run.push(JOINT);
            }
            run.extend(item.name.chars().map(|c| if c == JOINT { '\u{fffd}' } else { c }));
        }
        after_text = item.is_text();
        if ends_run(item) || item.cut.is_some() {
            stack.push(None);
        }
        stack.extend(tree.children(id).iter().rev().map(|child| Some(*child)));
        // A value is read by itself.
        if !item.value.is_empty() {
            let at = runs.len().saturating_sub(1);
            runs.insert(at, item.value.chars().collect());
        }
    }
    runs
}

fn ends_run(item: &Item) -> bool {
    browserlens_core::page::role::is_landmark(&item.role)
        || [
            "heading", "listitem", "row", "article", "dialog", "alertdialog", "alert", "status", "table", "grid",
            "list", "group",
        ]
        .contains(&&*item.role)
}

/// Returns whether `wanted` stands in a run; a joint fits a blank or nothing.
fn run_holds(run: &[char], wanted: &[char]) -> bool {
    (0..run.len()).any(|start| {
        let (mut at, mut found) = (start, 0);
        while found < wanted.len() {
            match run.get(at) {
                Some(&JOINT) => {
                    found += usize::from(wanted[found] == ' ');
                    at += 1;
                }
                Some(c) if *c == wanted[found] || (c.is_whitespace() && wanted[found] == ' ') => {
                    at += 1;
                    found += 1;
                }
                _ => return false,
            }
        }
        true
    })
}

fn words_of(locator: &Locator) -> String {
    match (locator.reference, locator.handle) {
        (Some(reference), _) => reference.to_string(),
        (None, Some(handle)) => handle.to_string(),
        (None, None) => format!("{} {:?}", locator.role, locator.name),
    }
}

/// Carries out one change; the error is the item that is not shown, in words.
pub(crate) fn apply_entry(scratch: &mut Scratch, head: &mut Option<Head>, entry: &Entry) -> Result<(), String> {
    let find = |scratch: &Scratch, locator: &Locator| scratch.find(locator).ok_or_else(|| words_of(locator));
    let marked = |scratch: &Scratch, handle: Handle| scratch.with_handle(handle).ok_or_else(|| handle.to_string());
    match entry {
        Entry::Page(new) => *head = Some(new.resolved(head.as_ref())),
        Entry::Changed { at, name, value, on, off } => {
            let id = find(scratch, at)?;
            match value {
                Some(ValueChange { old, of: ValuePart::Replaced, new }) => {
                    let value = &*scratch.tree().item(id).value;
                    if old.is_empty() || value.matches(old.as_str()).count() != 1 {
                        return Err(format!("a value that holds {old:?} once"));
                    }
                    let value = value.replacen(old.as_str(), new, 1);
                    scratch.choose(id, &value);
                }
                Some(ValueChange { new, .. }) => drop(scratch.choose(id, new)),
                None => {}
            }
            let item = scratch.tree_mut().item_mut(id);
            if let Some((name, cut)) = name {
                item.name = name.as_str().into();
                item.cut = *cut;
            }
            item.states = item.states.without(off.with(on.ends())).with(*on);
            scratch.index(id);
        }
        Entry::Removed(locators) => {
            for locator in locators {
                let id = find(scratch, locator)?;
                if id == ROOT {
                    return Err("the page itself".to_owned());
                }
                scratch.tree_mut().detach(id);
            }
        }
        Entry::Moved { at, to, parent } => {
            let id = find(scratch, at)?;
            let parent = match parent {
                Some(parent) => find(scratch, parent)?,
                None => scratch.tree().parent(id),
            };
            let is_inside = |parent: u32| parent == id || scratch.tree().ancestors(parent).any(|above| above == id);
            if parent == NONE || is_inside(parent) {
                return Err(format!("a place for {} outside of itself", words_of(at)));
            }
            scratch.tree_mut().detach(id);
            let to = place(scratch, parent, to)?;
            scratch.tree_mut().attach(id, parent, to);
        }
        Entry::Added { parent, at, items } => {
            let parent = find(scratch, parent)?;
            let at = place(scratch, parent, at)?;
            graft(scratch, parent, at, items);
        }
        Entry::Now { at, items, .. } => {
            let id = find(scratch, at)?;
            scratch.tree_mut().take_children(id);
            graft(scratch, id, 0, items);
        }
        Entry::Order { at, kept, .. } => {
            let id = find(scratch, at)?;
            let before = scratch.tree().children(id).to_vec();
            let mut order: Vec<u32> = Vec::with_capacity(before.len());
            let positions = scratch.positions(id);
            for run in kept {
                let place = |child: Child| {
                    scratch.place_of(id, child, &positions).ok_or_else(|| match child {
                        Child::With(reference) => reference.to_string(),
                        Child::At(position) => format!("child {position}"),
                    })
                };
                let from = place(run.from)?;
                let to = run.to.map_or(Ok(from), place)?;
                order.extend(before.get(from..=to).ok_or("a run that ends before it begins")?);
            }
            if !scratch.tree_mut().reorder(id, order) {
                return Err("an order that names a child twice".to_owned());
            }
        }
        Entry::Expanded { handle, items } => {
            let mark = marked(scratch, *handle)?;
            let (parent, at) = (scratch.tree().parent(mark), scratch.tree().position(mark));
            scratch.tree_mut().detach(mark);
            graft(scratch, parent, at, items);
        }
        Entry::Uncut { handle, name } => {
            let id = scratch.with_cut(*handle).ok_or_else(|| handle.to_string())?;
            let item = scratch.tree_mut().item_mut(id);
            item.name = name.as_str().into();
            item.cut = None;
        }
        Entry::Elided(new) => {
            let id = marked(scratch, new.handle.ok_or("a mark without a handle")?)?;
            scratch.tree_mut().item_mut(id).mark = Some(*new);
        }
        Entry::Focus(at) => {
            scratch.focus(at.as_ref().map(|at| find(scratch, at)).transpose()?);
        }
        Entry::Volatile(locators) => {
            for at in locators {
                let id = find(scratch, at)?;
                scratch.tree_mut().item_mut(id).volatile = true;
            }
        }
        Entry::Unchanged(_) => {}
    }
    Ok(())
}

/// Returns the position, from 0, that a place among the children of an item is.
fn place(scratch: &Scratch, parent: u32, place: &Position) -> Result<usize, String> {
    let beside = |beside: &Sibling| {
        let child = scratch.child_with(parent, beside.reference);
        let at = child.and_then(|child| scratch.tree().children(parent).iter().position(|other| *other == child));
        at.ok_or_else(|| beside.reference.to_string())
    };
    match place {
        Position::End => Ok(usize::MAX),
        Position::At(position) => Ok((*position as usize).saturating_sub(1)),
        Position::After(before, after) => match (beside(before)? + 1, after) {
            (at, Some(after)) if beside(after)? != at => {
                Err(format!("{} directly behind {}", after.reference, before.reference))
            }
            (at, _) => Ok(at),
        },
        Position::Before(after) => beside(after),
    }
}

fn graft(scratch: &mut Scratch, parent: u32, at: usize, items: &Tree) {
    let mut new = Vec::new();
    scratch.tree_mut().graft_all(parent, at, items, items.children(ROOT), |_, id| new.push(id));
    for id in new {
        scratch.index(id);
    }
}
