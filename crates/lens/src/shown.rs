//! What the text emitted so far, parsed alone, says about the page.
//!
//! In: the texts of observations, in order. Out: nodes with role, name, value, states, ref, text and path; marks; and
//! whether a text can be read. Invariants: nothing but emitted text ever goes in; an observation that does not apply
//! leaves the state as it was. The reader of `replay` uses this and nothing else of the lens.
//!
//! ```
//! use browserlens_lens::ShownState;
//! let mut shown = ShownState::default();
//! shown.apply("[FULL PAGE STATE] Shop | https://shop.test/\n- main: \"Showing\", link \"3\" @e1 \"of 142\"").unwrap();
//! assert!(shown.find_text("Showing 3 of 142"));
//! shown.apply("[DELTA 0→1: 1 change]\nCHANGED: link \"3\" @e1 → \"4\"").unwrap();
//! assert_eq!(shown.nodes().nth(2).unwrap().name(), "4");
//! ```

use crate::format::{Entry, EventNote, GrammarError, Head, ImageNote, Locator, Observed, Scratch, parse};
use crate::tree::{Elided, Handle, Item, Mark, ROOT, StateSet, Tree};
use browserlens_strategy::Ref;

/// An observation that cannot be applied to what was shown before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
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

/// What the text emitted so far says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShownState {
    head: Option<Head>,
    tree: Tree,
    images: Vec<ImageNote>,
    events: Vec<EventNote>,
}

impl ShownState {
    /// Applies the text of the next observation.
    ///
    /// # Errors
    /// [`ApplyError`] if the text is not in the grammar or names what is not shown; the state is unchanged then.
    pub fn apply(&mut self, text: &str) -> Result<Observed, ApplyError> {
        let observed = parse(text)?;
        self.apply_observed(&observed)?;
        Ok(observed)
    }

    /// Applies an observation that is parsed already.
    ///
    /// # Errors
    /// [`ApplyError::NotShown`] if a change names what is not shown; the state is unchanged then.
    pub fn apply_observed(&mut self, observed: &Observed) -> Result<(), ApplyError> {
        match observed {
            Observed::Full { head, events, images, tree, .. } => {
                self.head.clone_from(head);
                self.tree = tree.clone();
                self.images.clone_from(images);
                self.events.clone_from(events);
            }
            Observed::Nothing(handle) => {
                let mark = Mark { handle: *handle, count: None, what: Elided::Items };
                *self = Self::default();
                self.tree.push(ROOT, Item::elided(mark));
            }
            Observed::Delta { entries, images, .. } | Observed::Answer { entries, images, .. } => {
                let mut head = self.head.clone();
                let mut scratch = Scratch::new(self.tree.clone());
                for (index, entry) in entries.iter().enumerate() {
                    apply_entry(&mut scratch, &mut head, entry)
                        .map_err(|what| ApplyError::NotShown { index: index + 1, what })?;
                }
                self.head = head;
                self.tree = scratch.tree().compact().0;
                self.images.extend(images.iter().cloned());
                if let Observed::Delta { events, .. } = observed {
                    self.events.clone_from(events);
                }
            }
        }
        Ok(())
    }

    /// Returns the tree of what is shown.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns title and URL; none if they were not told.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Returns which regions the images since the last full observation show.
    pub fn images(&self) -> &[ImageNote] {
        &self.images
    }

    /// Returns what happened beside the page in the step observed last.
    pub fn events(&self) -> &[EventNote] {
        &self.events
    }

    /// Returns every node and run of text in document order; marks and the page itself are left out.
    pub fn nodes(&self) -> impl Iterator<Item = ShownNode<'_>> {
        let tree = &self.tree;
        tree.items().skip(1).filter(|(_, item)| item.mark.is_none()).map(move |(id, _)| ShownNode { tree, id })
    }

    /// Returns the node with a ref.
    pub fn with_ref(&self, reference: Ref) -> Option<ShownNode<'_>> {
        self.nodes().find(|node| node.reference() == Some(reference))
    }

    /// Returns the elided marks in document order, cut names included.
    pub fn elided(&self) -> Vec<ElidedMark> {
        let mut marks = Vec::new();
        for (id, item) in self.tree.items() {
            let within = || ShownNode { tree: &self.tree, id }.path();
            if let Some(mark) = item.mark {
                marks.push(ElidedMark {
                    handle: mark.handle,
                    count: mark.count,
                    what: ElidedWhat::Siblings(mark.what),
                    within: within(),
                });
            }
            if let Some(cut) = item.cut {
                let what = ElidedWhat::Characters { of: id };
                marks.push(ElidedMark { handle: Some(cut.handle), count: Some(cut.chars), what, within: within() });
            }
        }
        marks
    }

    /// Returns the nodes whose text may be old.
    pub fn volatile(&self) -> impl Iterator<Item = ShownNode<'_>> {
        self.nodes().filter(|node| node.is_volatile())
    }

    /// Returns whether an agent can read `text` here: white space is normalised, and a text may run over items that
    /// stand side by side (text, a link, text again; the cells of a row), but not over marks, nor from one block
    /// of text to the next.
    pub fn find_text(&self, text: &str) -> bool {
        let wanted: Vec<char> = crate::extract::collapse(text).chars().collect();
        if wanted.is_empty() {
            return true;
        }
        let told = self.events.iter().flat_map(EventNote::texts);
        readable(&self.tree).iter().any(|run| run_holds(run, &wanted))
            || told
                .map(|text| crate::extract::collapse(text).chars().collect())
                .any(|run: Vec<char>| run_holds(&run, &wanted))
    }
}

/// An elided mark and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElidedMark {
    /// The handle that brings what is elided.
    pub handle: Option<Handle>,
    /// How much is elided, if it is said.
    pub count: Option<u32>,
    /// What is elided.
    pub what: ElidedWhat,
    /// Role and name of the ancestors, nearest first.
    pub within: Vec<(String, String)>,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElidedWhat {
    /// Siblings.
    Siblings(Elided),
    /// The rest of a name, in characters.
    Characters {
        /// Index of the item in the tree.
        of: u32,
    },
}

/// View of one node of a [`ShownState`].
#[derive(Clone, Copy, Debug)]
pub struct ShownNode<'s> {
    tree: &'s Tree,
    id: u32,
}

impl<'s> ShownNode<'s> {
    fn item(&self) -> &'s Item {
        self.tree.item(self.id)
    }

    /// Returns the index in the tree; document order.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the role; `text` for a run of text, `clickable` for a node without role that can be acted on.
    pub fn role(&self) -> &'s str {
        &self.item().role
    }

    /// Returns the accessible name, or the text of a run; empty where the text below says the same.
    pub fn name(&self) -> &'s str {
        &self.item().name
    }

    /// Returns the value; empty if none.
    pub fn value(&self) -> &'s str {
        &self.item().value
    }

    /// Returns the words of the states.
    pub fn states(&self) -> impl Iterator<Item = &'static str> {
        self.item().states.words()
    }

    /// Returns whether a state is shown, by its word.
    pub fn has_state(&self, word: &str) -> bool {
        StateSet::from_word(word).is_some_and(|state| self.item().states.has(state))
    }

    /// Returns the ref.
    pub fn reference(&self) -> Option<Ref> {
        self.item().reference
    }

    /// Returns whether name and value may be old.
    pub fn is_volatile(&self) -> bool {
        self.item().volatile
    }

    /// Returns whether the name is only the beginning.
    pub fn is_cut(&self) -> bool {
        self.item().cut.is_some()
    }

    /// Returns what can be read of the node: its name and the names below it, joined by blanks.
    pub fn text(&self) -> String {
        let names = self.tree.subtree(self.id).map(|id| &*self.tree.item(id).name).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Returns the ancestors, nearest first; the page itself is left out.
    pub fn ancestors(&self) -> impl Iterator<Item = ShownNode<'s>> + use<'s> {
        let tree = self.tree;
        tree.ancestors(self.id).filter(|id| *id != ROOT).map(move |id| ShownNode { tree, id })
    }

    /// Returns role and name of the ancestors, nearest first.
    pub fn path(&self) -> Vec<(String, String)> {
        self.ancestors().map(|node| (node.role().to_owned(), node.name().to_owned())).collect()
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
    browserlens_page::role::is_landmark(&item.role)
        || matches!(
            &*item.role,
            "heading"
                | "listitem"
                | "row"
                | "article"
                | "dialog"
                | "alertdialog"
                | "alert"
                | "status"
                | "table"
                | "grid"
                | "list"
                | "group"
        )
}

/// Returns whether `wanted` stands in a run; a joint fits a blank or nothing.
fn run_holds(run: &[char], wanted: &[char]) -> bool {
    (0..run.len()).any(|start| {
        let (mut at, mut found) = (start, 0);
        while found < wanted.len() {
            match run.get(at) {
                Some(&JOINT) => {
                    if wanted[found] == ' ' {
                        found += 1;
                    }
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
    match entry {
        Entry::Page(new) => *head = Some(new.clone()),
        Entry::Changed { at, name, value, on, off } => {
            let id = find(scratch, at)?;
            let item = scratch.tree_mut().item_mut(id);
            if let Some((name, cut)) = name {
                item.name = name.as_str().into();
                item.cut = *cut;
            }
            if let Some((_, _, new)) = value {
                item.value = new.as_str().into();
            }
            item.states = item.states.without(*off).with(*on);
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
            let inside = parent == crate::tree::NONE
                || parent == id
                || scratch.tree().ancestors(parent).any(|above| above == id);
            if inside {
                return Err(format!("a place for {} outside of itself", words_of(at)));
            }
            scratch.tree_mut().detach(id);
            scratch.tree_mut().attach(id, parent, (*to as usize).saturating_sub(1));
        }
        Entry::Added { parent, at, items } => {
            let parent = find(scratch, parent)?;
            let at = at.map_or(usize::MAX, |at| (at as usize).saturating_sub(1));
            graft(scratch, parent, at, items);
        }
        Entry::Expanded { handle, items } => {
            let mark = scratch.with_handle(*handle).ok_or_else(|| handle.to_string())?;
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
            let handle = new.handle.ok_or_else(|| "a mark without a handle".to_owned())?;
            let id = scratch.with_handle(handle).ok_or_else(|| handle.to_string())?;
            scratch.tree_mut().item_mut(id).mark = Some(*new);
        }
        Entry::Focus(at) => {
            let id = at.as_ref().map(|at| find(scratch, at)).transpose()?;
            scratch.focus(id);
        }
        Entry::Volatile(at) => {
            let id = find(scratch, at)?;
            scratch.tree_mut().item_mut(id).volatile = true;
        }
        Entry::Unchanged(_) => {}
    }
    Ok(())
}

fn graft(scratch: &mut Scratch, parent: u32, at: usize, items: &Tree) {
    let at = at.min(scratch.tree().children(parent).len());
    let mut new = Vec::new();
    for (index, child) in items.children(ROOT).iter().enumerate() {
        scratch.tree_mut().graft(parent, at + index, items, *child, |_, id| new.push(id));
    }
    for id in new {
        scratch.index(id);
    }
}
