//! How a change names an item of the shown state.
//!
//! In: a tree that is being changed. Out: a [`Locator`] that the text alone resolves again.
//! Invariant: `scratch.find(&scratch.locate(id)) == Some(id)` for every item of the tree. An item
//! with a ref or a handle is found by that; any other by role and name. Where that does not say
//! whose it is, its owner is named, and the first such behind that is meant; without an owner its
//! number among those alike in document order.

use super::{Child, owner};
use crate::tree::{Handle, Item, NONE, ROOT, StateSet, Tree};
use browserlens_core::page::text::beginning;
use browserlens_core::strategy::Ref;
use std::collections::HashMap;

/// Longest name that a locator spells out, in characters; of longer ones the beginning stands for
/// the whole.
const LONGEST_NAME: usize = 48;
/// Texts of an item of which one says which it is.
const MOST_TEXTS: usize = 4;
/// Items below a child among which a ref is looked for that names it.
const MOST_SEARCHED: usize = 64;
/// The same where the last one is looked for: of more, one of these names it.
const MOST_SEARCHED_BACK: usize = 4096;
/// How much of a longer name stands for the whole, in characters.
const SHORT_NAME: usize = 32;

/// Names whose an item is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Ref of the owner, if it has one; it alone is decisive then.
    pub reference: Option<Ref>,
    /// Name of the owner, or its beginning.
    pub name: String,
    /// Whether `name` is only the beginning.
    pub begins: bool,
    /// Name of the column that the item stands in; empty if none. It helps the reader and decides
    /// nothing.
    pub column: String,
}

/// Names one item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locator {
    /// Role; `page` for the root, empty for a mark and where the ref stands alone.
    pub role: String,
    /// Name, or its beginning.
    pub name: String,
    /// Whether `name` is only the beginning.
    pub begins: bool,
    /// Ref, if the item has one; it alone is decisive then.
    pub reference: Option<Ref>,
    /// Handle, if the item is a mark.
    pub handle: Option<Handle>,
    /// Beginning of one of the first texts in an item without a name, the first that says which it
    /// is; empty if it is not said.
    pub holds: String,
    /// Number among those alike, counted from 1, behind the owner where there is one; none for the
    /// first with an owner, or the only one.
    pub number: Option<u32>,
    /// Whose the item is, where it does not say so itself.
    pub owner: Option<Owner>,
}

impl Locator {
    fn fits(&self, tree: &Tree, id: u32) -> bool {
        let item = tree.item(id);
        // The name first: most differ in their length, which costs no look at the text.
        (if self.begins { item.name.starts_with(&self.name) } else { *item.name == *self.name })
            && *item.role == *self.role
            && item.mark.is_none()
            && (self.holds.is_empty() || texts(tree, id).any(|text| text.starts_with(&self.holds)))
    }
}

/// Returns the first items below one that say something.
fn spoken(tree: &Tree, id: u32) -> impl Iterator<Item = &Item> {
    tree.subtree(id).skip(1).map(|below| tree.item(below)).filter(|item| !item.name.is_empty()).take(MOST_TEXTS)
}

/// Returns the first texts below an item that are read.
fn texts(tree: &Tree, id: u32) -> impl Iterator<Item = &str> {
    spoken(tree, id).map(|item| &*item.name)
}

/// Returns what an item without a name goes by: a dialog by its heading, which what closes or sizes
/// it often comes before.
fn first_text(tree: &Tree, id: u32) -> &str {
    let is_dialog = matches!(&*tree.item(id).role, "dialog" | "alertdialog");
    let mut headings = spoken(tree, id).filter(|item| &*item.role == "heading");
    let heading = if is_dialog { headings.next() } else { None };
    heading.or_else(|| spoken(tree, id).next()).map_or("", |item| &item.name)
}

/// Returns a name as locators say it, and whether it is only the beginning.
fn shortened(name: &str) -> (&str, bool) {
    if name.char_indices().nth(LONGEST_NAME).is_none() {
        return (name, false);
    }
    (beginning(name, SHORT_NAME), true)
}

/// A tree that is being changed, with what finds items in it.
#[derive(Clone, Debug)]
pub struct Scratch {
    tree: Tree,
    by_ref: HashMap<Ref, u32>,
    by_handle: HashMap<Handle, u32>,
    cuts: HashMap<Handle, u32>,
}

impl Scratch {
    /// Starts from a tree.
    pub fn new(tree: Tree) -> Self {
        let mut scratch = Self { tree, by_ref: HashMap::new(), by_handle: HashMap::new(), cuts: HashMap::new() };
        for id in 0..scratch.tree.len() as u32 {
            scratch.index(id);
        }
        scratch
    }

    /// Returns the tree as it is now; indices need not be document order.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the tree as it is at last.
    pub(crate) fn into_tree(self) -> Tree {
        self.tree
    }

    /// Returns the tree to change it; items that are added are indexed by [`Scratch::index`].
    pub fn tree_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// Makes an item findable.
    pub fn index(&mut self, id: u32) {
        let item = self.tree.item(id);
        if let Some(reference) = item.reference {
            self.by_ref.insert(reference, id);
        }
        if let Some(handle) = item.mark.and_then(|mark| mark.handle) {
            self.by_handle.insert(handle, id);
        }
        if let Some(cut) = item.cut {
            self.cuts.insert(cut.handle, id);
        }
    }

    fn attached(&self, id: u32) -> bool {
        id == ROOT || self.tree.parent(id) != NONE && self.tree.ancestors(id).last() == Some(ROOT)
    }

    /// Returns the item with a ref.
    pub fn with_ref(&self, reference: Ref) -> Option<u32> {
        self.by_ref.get(&reference).copied().filter(|id| self.attached(*id))
    }

    /// Returns the mark with a handle.
    pub fn with_handle(&self, handle: Handle) -> Option<u32> {
        self.by_handle.get(&handle).copied().filter(|id| self.attached(*id))
    }

    /// Returns the item whose name was cut under a handle.
    pub fn with_cut(&self, handle: Handle) -> Option<u32> {
        self.cuts.get(&handle).copied().filter(|id| self.attached(*id))
    }

    /// Returns the position of each child of an item.
    pub(crate) fn positions(&self, parent: u32) -> HashMap<u32, usize> {
        self.tree.children(parent).iter().enumerate().map(|(at, child)| (*child, at)).collect()
    }

    /// Returns the position of the child of `parent` that is named so.
    pub(crate) fn place_of(&self, parent: u32, child: Child, positions: &HashMap<u32, usize>) -> Option<usize> {
        match child {
            Child::At(position) => {
                (position as usize).checked_sub(1).filter(|at| *at < self.tree.children(parent).len())
            }
            Child::With(reference) => positions.get(&self.child_with(parent, reference)?).copied(),
        }
    }

    /// Returns the child of `parent` that has a ref, or in which the item is that has it.
    pub(crate) fn child_with(&self, parent: u32, reference: Ref) -> Option<u32> {
        let id = self.with_ref(reference)?;
        std::iter::once(id).chain(self.tree.ancestors(id)).find(|above| self.tree.parent(*above) == parent)
    }

    /// Returns the refs in the first items of a subtree, of those that find what they are on.
    fn refs_in(&self, id: u32, most: usize) -> impl Iterator<Item = Ref> {
        let finds = move |below: u32| {
            self.tree.item(below).reference.filter(|reference| self.by_ref.get(reference) == Some(&below))
        };
        self.tree.subtree(id).take(most).filter_map(finds)
    }

    /// Returns the last ref in an item, of those that find what they are on.
    pub(crate) fn last_ref(&self, id: u32) -> Option<Ref> {
        self.refs_in(id, MOST_SEARCHED_BACK).last()
    }

    /// Returns how to name a child: by its ref or the first below it that finds it, else by its
    /// position.
    pub(crate) fn child(&self, id: u32, position: usize) -> Child {
        self.refs_in(id, MOST_SEARCHED).next().map_or(Child::At(position as u32 + 1), Child::With)
    }

    /// Returns the item that a locator names.
    pub fn find(&self, locator: &Locator) -> Option<u32> {
        if let Some(reference) = locator.reference {
            return self.with_ref(reference);
        }
        if let Some(handle) = locator.handle {
            return self.with_handle(handle);
        }
        if locator.role == crate::tree::PAGE {
            return Some(ROOT);
        }
        let number = locator.number.unwrap_or(1).max(1) as usize;
        let owner = locator.owner.as_ref().map_or(Some(ROOT), |owner| self.owner(owner))?;
        self.behind(owner).filter(|id| locator.fits(&self.tree, *id)).nth(number - 1)
    }

    /// Returns what follows an item in document order: what is in it, then what is behind it.
    fn behind(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        self.tree.subtree(ROOT).skip_while(move |at| *at != id).skip(1)
    }

    /// Returns the item that an owner names.
    fn owner(&self, owner: &Owner) -> Option<u32> {
        if let Some(reference) = owner.reference {
            return self.with_ref(reference);
        }
        let named = |id: &u32| {
            let name = &*self.tree.item(*id).name;
            if owner.begins { name.starts_with(&owner.name) } else { *name == *owner.name }
        };
        self.tree.subtree(ROOT).skip(1).find(named)
    }

    /// Returns the locator of an item, with whose it is and what it holds where its role and name
    /// do not say enough.
    pub(crate) fn locate_owned(&self, id: u32) -> Locator {
        let mut locator = self.locate(id);
        let item = self.tree.item(id);
        if id == ROOT || locator.reference.is_some() || locator.handle.is_some() {
            return locator;
        }
        if item.name.is_empty() && !item.is_text() && locator.number.is_some() {
            // The first of its texts that no other has; rows may all begin with the same control.
            let said: Vec<String> = texts(&self.tree, id).map(|text| beginning(text, SHORT_NAME).to_owned()).collect();
            let numbered = |holds: &String| {
                let locator = Locator { holds: holds.clone(), ..locator.clone() };
                let number = self.number(&locator, ROOT, id);
                number.filter(|number| *number > 1 || self.behind(id).any(|other| locator.fits(&self.tree, other)))
            };
            let alone = said.iter().find(|holds| numbered(holds).is_none());
            let holds = alone.or(said.first()).cloned().unwrap_or_default();
            locator.number = numbered(&holds);
            locator.holds = holds;
        }
        let speaks = owner::says_its_subject(item) || item.name.is_empty();
        if speaks && locator.number.is_none() {
            return locator;
        }
        let column = beginning(owner::column(&self.tree, id), SHORT_NAME);
        let mut best = locator.number.map_or(u32::MAX, |number| number.max(2));
        for candidate in owner::owners(&self.tree, id) {
            let reference = self.tree.item(candidate.id).reference;
            let (name, begins) = shortened(candidate.name);
            let owner = Owner { reference, name: name.to_owned(), begins, column: column.to_owned() };
            if self.owner(&owner) != Some(candidate.id) {
                continue;
            }
            let Some(number) = self.number(&locator, candidate.id, id) else { continue };
            if number <= best {
                best = number;
                locator.number = (number > 1).then_some(number);
                locator.owner = Some(owner);
            }
            if number == 1 {
                break;
            }
        }
        locator
    }

    /// Returns the locator of an item that goes, with what it says.
    pub(crate) fn locate_told(&self, id: u32) -> Locator {
        let mut locator = self.locate_owned(id);
        let is_bare = locator.name.is_empty() && locator.holds.is_empty() && locator.reference.is_none();
        if is_bare && locator.handle.is_none() && id != ROOT {
            beginning(first_text(&self.tree, id), SHORT_NAME).clone_into(&mut locator.holds);
        }
        locator
    }

    /// Returns how an item that goes is told: what it is and what it says.
    pub(crate) fn told(&self, id: u32) -> Locator {
        let item = self.tree.item(id);
        let (name, begins) = match shortened(&item.name) {
            ("", _) => shortened(first_text(&self.tree, id)),
            said => said,
        };
        Locator {
            role: item.role.to_string(),
            name: name.to_owned(),
            begins,
            reference: item.reference,
            ..Locator::default()
        }
    }

    /// Returns the number of an item among those behind an owner that its locator fits.
    fn number(&self, locator: &Locator, owner: u32, id: u32) -> Option<u32> {
        let mut alike = self.behind(owner).filter(|other| *other == id || locator.fits(&self.tree, *other));
        alike.position(|other| other == id).map(|before| before as u32 + 1)
    }

    /// Returns the shortest locator of an item: its ref alone, where it has one.
    pub fn locate_briefly(&self, id: u32) -> Locator {
        let locator = self.locate_owned(id);
        match locator.reference {
            Some(_) => Locator { reference: locator.reference, ..Locator::default() },
            None => locator,
        }
    }

    /// Returns the locator of an item.
    pub fn locate(&self, id: u32) -> Locator {
        let item = self.tree.item(id);
        let (name, begins) = if id == ROOT { ("", false) } else { shortened(&item.name) };
        let mut locator = Locator {
            role: item.role.to_string(),
            name: name.to_owned(),
            begins,
            reference: item.reference,
            handle: item.mark.and_then(|mark| mark.handle),
            ..Locator::default()
        };
        if id == ROOT || locator.reference.is_some() || locator.handle.is_some() {
            return locator;
        }
        let fitting = (1..self.tree.len() as u32).filter(|other| locator.fits(&self.tree, *other));
        if fitting.filter(|other| self.attached(*other)).nth(1).is_none() {
            return locator;
        }
        let mut alike = self.tree.subtree(ROOT).skip(1).filter(|other| locator.fits(&self.tree, *other));
        let before = alike.position(|other| other == id).unwrap_or(0);
        if before > 0 || alike.next().is_some() {
            locator.number = Some(before as u32 + 1);
        }
        locator
    }

    /// Gives an item a value. Of the options of a combobox that have no ref the one of the old
    /// value is selected no more, and the one of the new value is. Returns the two, if that changed
    /// them.
    pub(crate) fn choose(&mut self, id: u32, value: &str) -> Option<[u32; 2]> {
        let old = std::mem::replace(&mut self.tree.item_mut(id).value, value.into());
        if &*self.tree.item(id).role != "combobox" {
            return None;
        }
        let options = self.tree.children(id).to_vec();
        let named = |tree: &Tree, name: &str| -> Option<u32> {
            let mut alike = options.iter().copied().filter(|option| {
                let item = tree.item(*option);
                &*item.role == "option" && &*item.name == name && item.reference.is_none()
            });
            // Two options of one name say nothing.
            alike.next().filter(|_| alike.next().is_none())
        };
        let selected = |tree: &Tree, option: &u32| tree.item(*option).states.has(StateSet::SELECTED);
        let (from, to) = (named(&self.tree, &old)?, named(&self.tree, value)?);
        if from == to || !selected(&self.tree, &from) || selected(&self.tree, &to) {
            return None;
        }
        self.tree.item_mut(from).states.remove(StateSet::SELECTED);
        self.tree.item_mut(to).states.add(StateSet::SELECTED);
        Some([from, to])
    }

    /// Gives the focus to an item, or to none.
    pub fn focus(&mut self, id: Option<u32>) {
        for index in 0..self.tree.len() as u32 {
            self.tree.item_mut(index).states.remove(StateSet::FOCUSED);
        }
        if let Some(id) = id {
            self.tree.item_mut(id).states.add(StateSet::FOCUSED);
        }
    }
}
