//! Turns changes into entries of the grammar by carrying them out.
//!
//! In: the shown state, its target and the [`Matching`]. Out: the entries, in the order in which
//! they apply, and the state that they lead to, with its keys. Invariant: each entry is made
//! against the state that the entries before it led to, so that names and positions mean there what
//! they meant here.

mod placing;

use super::plan::{Plan, plan};
use super::replaced::{replaced, whole};
use super::together::together;
use super::{Change, Matching, Side};
use crate::format::{Child, ChildRun, Entry, Gone, Head, Locator, Scratch, escape};
use crate::tree::{NONE, ROOT, StateSet, Tree};
use browserlens_core::page::text::beginning;
use browserlens_core::page::{NodeKey, role};
use std::collections::{BTreeSet, HashSet};

/// Longest old value that a change repeats, in characters.
const LONGEST_OLD_VALUE: usize = 40;
/// Most items that went and are named one by one.
pub(super) const MOST_NAMED: usize = 3;
/// Most items that went each by itself and are told by what they say.
pub(super) const MOST_TOLD: usize = 8;
/// Of so many roles that go is said how many of each go.
const MOST_ROLES: usize = 6;
/// Most parts of the page that the line of what is unchanged names.
const MOST_UNCHANGED: usize = 6;

/// What a delta says, and where it leads.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The entries.
    pub entries: Vec<Entry>,
    /// How many changes they tell.
    pub changes: u32,
    /// How many changes are hidden.
    pub hidden: u32,
    /// The state that they lead to; indices are document order.
    pub tree: Tree,
    /// Identity of its items.
    pub keys: Vec<Option<NodeKey>>,
}

/// How changes are told.
#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    /// Changes that are hidden; what they are about is marked volatile.
    pub hidden: HashSet<usize>,
    /// New title and URL, if they changed.
    pub head: Option<Head>,
    /// Whether old values are left out: they were shown.
    pub without_old_values: bool,
    /// Whether what is said elsewhere is left out: role and name of an item with a ref, states that
    /// a new state puts an end to, the option that a value selects.
    pub brief: bool,
    /// Whether the line of what is unchanged names headings and ends as the seed's does.
    pub seed_unchanged: bool,
    /// Whether there is a line of what is unchanged at all.
    pub unchanged: bool,
    /// Whether every change is told by itself, as in the seed: no order lists, nothing written
    /// anew.
    pub itemised: bool,
}

struct Emitter<'a> {
    old: &'a Side,
    new: &'a Side,
    scratch: Scratch,
    /// Identity by index in the scratch tree.
    keys: Vec<Option<NodeKey>>,
    /// Item of the scratch tree that stands for a new item; [`NONE`] if it is not there.
    here: Vec<u32>,
    entries: Vec<Entry>,
    /// Of items with a ref that are covered or inert, or no more.
    blocked: Vec<Entry>,
    changes: u32,
    brief: bool,
    /// Items whose children were put in order: what stands last among them was not told.
    reordered: HashSet<u32>,
    /// Items that are still to be moved: nothing stands beside them for long.
    waiting: HashSet<u32>,
}

/// Makes the entries of a delta.
pub fn emit(old: &Side, new: &Side, matching: &Matching, options: &EmitOptions) -> Emitted {
    let mut here = vec![NONE; new.tree.len()];
    let mut keys = old.keys.clone();
    let to_new = matching.to_new(old.tree.len());
    for (s, t) in to_new.iter().enumerate().filter(|(_, t)| **t != NONE) {
        here[*t as usize] = s as u32;
        keys[s] = new.keys[*t as usize];
    }
    let mut emitter = Emitter {
        old,
        new,
        scratch: Scratch::new(old.tree.clone()),
        keys,
        here,
        entries: Vec::new(),
        blocked: Vec::new(),
        changes: 0,
        brief: options.brief,
        reordered: HashSet::new(),
        waiting: HashSet::new(),
    };
    if let Some(head) = &options.head {
        emitter.tell(Entry::Page(head.clone()));
    }
    let plan = if options.itemised { Plan::itemised(matching) } else { plan(old, new, matching, &options.hidden) };
    for t in &plan.added {
        for below in new.tree.subtree(*t) {
            emitter.here[below as usize] = NONE;
        }
    }
    let mut hidden_changes = 0;
    let mut volatile = Vec::new();
    let mut places: BTreeSet<u32> = BTreeSet::new();
    let mut moved: HashSet<u32> = HashSet::new();
    let mut hidden_new: HashSet<u32> = HashSet::new();
    let mut gone = Vec::new();
    for (index, change) in matching.changes.iter().enumerate().filter(|(index, _)| !plan.absorbed[*index]) {
        let hidden = options.hidden.contains(&index);
        hidden_changes += u32::from(hidden);
        match *change {
            Change::Said { old: s, .. } if hidden => volatile.push(s),
            Change::Said { old: s, new: t } => emitter.said(s, t, options.without_old_values),
            Change::Added { new: t } if hidden => {
                hidden_new.insert(t);
                volatile.push(emitter.here[new.tree.parent(t) as usize]);
            }
            Change::Removed { old: s } => gone.push(s),
            Change::Added { new: t } => {
                places.insert(new.tree.parent(t));
            }
            Change::Moved { old: s, new: t } => {
                moved.insert(s);
                places.insert(new.tree.parent(t));
            }
        }
    }
    gone.extend(&plan.removed);
    places.extend(plan.added.iter().map(|t| new.tree.parent(*t)));
    // What lies under something else is told together, behind what changed itself.
    let alike = if emitter.brief { together(&mut emitter.entries) } else { Vec::new() };
    emitter.entries.extend(alike);
    emitter.entries.append(&mut emitter.blocked);
    let leftover = emitter.remove(&gone);
    for (s, t) in &plan.rewritten {
        emitter.rewrite(*s, *t);
    }
    for (s, t) in &plan.ordered {
        emitter.order(*s, *t, &to_new);
    }
    emitter.waiting = moved;
    for parent in places {
        emitter.place(parent, &hidden_new, &leftover);
    }
    for s in leftover {
        if emitter.scratch.tree().parent(s) != NONE {
            let locator = emitter.scratch.locate(s);
            emitter.scratch.tree_mut().detach(s);
            emitter.entries.push(Entry::Removed(vec![locator]));
        }
    }
    emitter.volatile(&volatile);
    emitter.focus();
    if options.unchanged {
        emitter.unchanged(matching, &plan, options.seed_unchanged);
    }
    let (tree, origin) = emitter.scratch.into_tree().into_compact();
    let keys = origin.iter().map(|id| emitter.keys[*id as usize]).collect();
    Emitted { entries: emitter.entries, changes: emitter.changes, hidden: hidden_changes, tree, keys }
}

impl Emitter<'_> {
    fn said(&mut self, s: u32, t: u32, without_old_values: bool) {
        let is = self.new.tree.item(t).clone();
        let was = self.scratch.tree().item(s).clone();
        if was.mark != is.mark {
            if let Some(mark) = is.mark {
                self.scratch.tree_mut().item_mut(s).mark = is.mark;
                self.tell(Entry::Elided(mark));
            }
            return;
        }
        let (before, now) = (was.states.without(StateSet::FOCUSED), is.states.without(StateSet::FOCUSED));
        // What has a ref is always told with it.
        if let (Some(cut), None, None) = (was.cut, is.cut, is.reference)
            && is.name.starts_with(&*was.name)
            && was.value == is.value
            && before == now
        {
            self.tell(Entry::Uncut { handle: cut.handle, name: is.name.to_string() });
            let item = self.scratch.tree_mut().item_mut(s);
            (item.name, item.cut) = (is.name, None);
            return;
        }
        let at = match (was.name == is.name, self.brief) {
            (false, _) => self.name(s),
            (true, true) => self.scratch.locate_owned(s),
            (true, false) => self.scratch.locate(s),
        };
        let name = (was.name != is.name || was.cut != is.cut).then(|| (is.name.to_string(), is.cut));
        let value = (was.value != is.value).then(|| {
            let replaced = if self.brief { replaced(&was.value, &is.value) } else { None };
            replaced.unwrap_or_else(|| whole(&was.value, &is.value, without_old_values))
        });
        let (mut on, mut off) = (now.without(before), before.without(now));
        if name.is_none() && value.is_none() && on == off {
            return;
        }
        if self.brief {
            // What stays although a new state would put an end to it is said with it.
            while now.0 & on.ends().0 != 0 {
                on = StateSet(on.0 | (now.0 & on.ends().0));
            }
            off = off.without(on.ends());
        }
        let chosen = if value.is_some() { self.scratch.choose(s, &is.value) } else { None };
        let item = self.scratch.tree_mut().item_mut(s);
        item.name = is.name;
        item.cut = is.cut;
        item.value = is.value;
        item.states = now.with(StateSet(item.states.0 & StateSet::FOCUSED.0));
        self.scratch.index(s);
        if self.brief && name.is_none() && value.is_none() && at.reference.is_some() && only_blocks(on.with(off)) {
            let at = Locator { reference: at.reference, ..Locator::default() };
            self.blocked.push(Entry::Changed { at, name, value, on, off });
            self.changes += 1;
            return;
        }
        self.tell(Entry::Changed { at, name, value, on, off });
        // Where the page has it otherwise, the options say so themselves.
        let selected = |tree: &Tree, id: u32| tree.item(id).states.has(StateSet::SELECTED);
        for option in chosen.into_iter().flatten() {
            let child = self.new.tree.children(t).iter().find(|child| self.here[**child as usize] == option);
            if let Some(child) = child
                && selected(&self.new.tree, *child) != selected(self.scratch.tree(), option)
            {
                self.said(option, *child, without_old_values);
            }
        }
    }

    /// Adds an entry that tells one change.
    fn tell(&mut self, entry: Entry) {
        self.entries.push(entry);
        self.changes += 1;
    }

    /// Names an item that is shown.
    fn name(&self, id: u32) -> Locator {
        if self.brief { self.scratch.locate_briefly(id) } else { self.scratch.locate(id) }
    }

    /// Removes what went; returns the marks that what came may stand in place of.
    fn remove(&mut self, gone: &[u32]) -> Vec<u32> {
        let kept_handles: HashSet<_> =
            self.new.tree.items().filter_map(|(_, item)| item.mark).filter_map(|mark| mark.handle).collect();
        let mut leftover = Vec::new();
        let mut locators = Vec::new();
        let few = gone.len() <= MOST_TOLD;
        for s in gone {
            let mark = self.old.tree.item(*s).mark;
            let replaceable = mark.is_some_and(|mark| {
                mark.what.is_cut() && mark.handle.is_some_and(|handle| !kept_handles.contains(&handle))
            });
            if replaceable {
                leftover.push(*s);
                continue;
            }
            locators.push(if few && self.brief { self.scratch.locate_told(*s) } else { self.name(*s) });
            self.scratch.tree_mut().detach(*s);
            self.changes += 1;
        }
        if !locators.is_empty() {
            self.entries.push(Entry::Removed(locators));
        }
        leftover
    }

    /// Whether the leaves of a matched item already say what they are to say: a value selected its
    /// option.
    fn is_there(&self, s: u32, t: u32) -> bool {
        let (is, wanted) = (self.scratch.tree(), &self.new.tree);
        let leaf = |(id, child): (&u32, &u32)| {
            self.here[*child as usize] == *id
                && is.children(*id).is_empty()
                && wanted.children(*child).is_empty()
                && is.item(*id).says_same(wanted.item(*child))
        };
        let (shown, children) = (is.children(s), wanted.children(t));
        shown.len() == children.len() && shown.iter().zip(children).all(leaf)
    }

    /// Writes anew all that is below a matched item.
    fn rewrite(&mut self, s: u32, t: u32) {
        if self.is_there(s, t) {
            return;
        }
        let at = self.name(s);
        let gone = self.messages_gone(s, t);
        let (items, order) = self.copy(self.new.tree.children(t));
        self.scratch.tree_mut().take_children(s);
        self.graft(s, 0, &items, &order);
        self.tell(Entry::Now { at, gone, items });
    }

    /// Names the children of a matched item that remain, in their new order.
    fn order(&mut self, s: u32, t: u32, to_new: &[u32]) {
        let positions = self.scratch.positions(s);
        let remains = self.new.tree.children(t).iter().map(|child| self.here[*child as usize]);
        let mut order: Vec<u32> = remains.filter(|id| positions.contains_key(id)).collect();
        // What is to move elsewhere is still here.
        let kept: HashSet<u32> = order.iter().copied().collect();
        let leaves = |id: &u32| !kept.contains(id) && to_new.get(*id as usize).is_some_and(|new| *new != NONE);
        order.extend(self.scratch.tree().children(s).to_vec().iter().copied().filter(leaves));
        if order == self.scratch.tree().children(s) {
            return;
        }
        let at = self.name(s);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for id in &order {
            let position = positions[id];
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == position => *last = position,
                _ => runs.push((position, position)),
            }
        }
        let gone = self.gone(s, &kept);
        let is_new = gone.is_empty() || !order.is_sorted_by_key(|id| positions[id]);
        let before = self.scratch.tree().children(s);
        let name = |position: usize| self.scratch.child(before[position], position);
        let mut named = Vec::new();
        for (first, last) in runs {
            if last - first < 2 {
                named.extend((first..=last).map(|at| ChildRun { from: name(at), to: None }));
                continue;
            }
            let (from, to) = match (name(first), name(last)) {
                // `@e187-4` reads as a ref.
                (Child::With(_), to @ Child::At(_)) => (Child::At(first as u32 + 1), to),
                ends => ends,
            };
            named.push(ChildRun { from, to: Some(to) });
        }
        self.scratch.tree_mut().reorder(s, order);
        self.reordered.insert(s);
        self.tell(Entry::Order { at, is_new, gone, kept: named });
    }

    /// Says which children of an item go: few by what they say, many by their number, messages
    /// always by their text.
    fn gone(&self, s: u32, kept: &HashSet<u32>) -> Vec<Gone> {
        let tree = self.scratch.tree();
        let went: Vec<u32> =
            tree.children(s).iter().copied().filter(|id| !kept.contains(id) && tree.item(*id).mark.is_none()).collect();
        if went.len() <= MOST_NAMED {
            return went.iter().map(|id| Gone::Named(self.scratch.told(*id))).collect();
        }
        let messages: Vec<u32> =
            went.iter().flat_map(|id| tree.subtree(*id)).filter(|id| is_message(tree, *id)).take(MOST_NAMED).collect();
        let mut roles: Vec<(&str, Vec<u32>)> = Vec::new();
        for id in went.iter().copied().filter(|id| !messages.contains(id)) {
            let role = &*tree.item(id).role;
            match roles.iter_mut().find(|(known, _)| *known == role) {
                Some((_, ids)) => ids.push(id),
                None => roles.push((role, vec![id])),
            }
        }
        let rest = roles.split_off(roles.len().min(MOST_ROLES));
        let rest = rest.iter().map(|(_, ids)| ids.len()).sum::<usize>();
        let many = |count: usize, role: &str| Gone::Many { count: count as u32, role: role.to_owned() };
        roles
            .iter()
            .map(|(role, ids)| match ids[..] {
                [one] => Gone::Named(self.scratch.told(one)),
                _ => many(ids.len(), role),
            })
            .chain((rest > 0).then(|| many(rest, "item")))
            .chain(messages.iter().map(|id| Gone::Named(self.scratch.told(*id))))
            .collect()
    }

    /// Says which messages below an item go with what is written anew.
    fn messages_gone(&self, s: u32, t: u32) -> Vec<Gone> {
        // Of another page nobody expects them.
        if !self.brief || self.entries.iter().any(|entry| matches!(entry, Entry::Page(_))) {
            return Vec::new();
        }
        let tree = self.scratch.tree();
        let stays = |told: &Locator| {
            self.new.tree.subtree(t).any(|id| self.new.tree.item(id).name.starts_with(told.name.as_str()))
        };
        let messages = tree.subtree(s).skip(1).filter(|id| is_message(tree, *id)).map(|id| self.scratch.told(id));
        messages.filter(|told| !stays(told)).take(MOST_NAMED).map(Gone::Named).collect()
    }

    fn volatile(&mut self, items: &[u32]) {
        let mut locators = Vec::new();
        for id in items {
            if *id == NONE || self.scratch.tree().item(*id).volatile {
                continue;
            }
            let locator = self.name(*id);
            self.scratch.tree_mut().item_mut(*id).volatile = true;
            locators.push(locator);
        }
        if !locators.is_empty() {
            self.entries.push(Entry::Volatile(locators));
        }
    }

    fn focus(&mut self) {
        let wanted = self.new.tree.focused().map(|t| self.here[t as usize]).filter(|id| *id != NONE);
        let is =
            self.scratch.tree().subtree(ROOT).find(|id| self.scratch.tree().item(*id).states.has(StateSet::FOCUSED));
        if wanted != is {
            let locator = wanted.map(|id| self.name(id));
            self.scratch.focus(wanted);
            self.tell(Entry::Focus(locator));
        }
    }

    /// Says which landmarks stayed as they were, and how much is in them.
    fn unchanged(&mut self, matching: &Matching, plan: &Plan, seed: bool) {
        let tree = &self.old.tree;
        let mut same: Vec<u32> = Vec::new();
        for (s, _, items) in &matching.same {
            if plan.rewritten.iter().any(|(above, _)| tree.ancestors(*s).any(|id| id == *above)) {
                continue;
            }
            let end = s + items;
            let mut at = *s;
            while at < end {
                let role = &*tree.item(at).role;
                let is_named = role::is_landmark(role) || seed && role == "heading";
                same.extend(is_named.then_some(at));
                at += if is_named { self.old.sizes[at as usize] } else { 1 };
            }
        }
        same.sort_unstable();
        let mut words: Vec<String> = Vec::new();
        for id in same.iter().take(MOST_UNCHANGED) {
            let item = tree.item(*id);
            let mut said = item.role.to_string();
            if !item.name.is_empty() && !seed {
                said.push(' ');
                escape::quote(&mut said, &shorten(&item.name).0);
            }
            let acting = tree.subtree(*id).skip(1).map(|id| tree.item(id)).filter(|item| item.reference.is_some());
            let (mut count, mut links) = (0, 0);
            for item in acting {
                count += 1;
                links += usize::from(&*item.role == "link");
            }
            match (count, count == links) {
                (0, _) => {}
                (1, true) => said.push_str(" (1 link)"),
                (_, true) => said.push_str(&format!(" ({count} links)")),
                (_, false) => said.push_str(&format!(" ({count})")),
            }
            words.push(said);
        }
        if same.len() > MOST_UNCHANGED {
            words.push(format!("{} more", same.len() - MOST_UNCHANGED));
        }
        if !words.is_empty() {
            let end = if seed { " — all stable" } else { "" };
            self.entries.push(Entry::Unchanged(words.join(", ") + end));
        }
    }
}

/// Whether an item is a message that says something.
fn is_message(tree: &Tree, id: u32) -> bool {
    let item = tree.item(id);
    matches!(&*item.role, "alert" | "status" | "alertdialog")
        && tree.subtree(id).any(|below| !tree.item(below).name.is_empty())
}

/// Whether states say nothing but that something lies over an item.
pub(super) fn only_blocks(states: StateSet) -> bool {
    states.without(StateSet::COVERED.with(StateSet::INERT)) == StateSet::NONE
}

pub(super) fn shorten(text: &str) -> (String, bool) {
    let short = beginning(text, LONGEST_OLD_VALUE);
    (short.to_owned(), short.len() < text.len())
}
