//! What of a view is shown: cuts, the marks that say so, and the ranking that decides when a budget
//! bites.
//!
//! In: a [`View`] and which of its items are kept. Out: a [`Target`]: the tree that the shown state
//! is to become, with a mark for each run of siblings that is left out. Invariants: a kept item's
//! ancestors are kept; each mark says how many siblings it stands for; equal runs keep their handle
//! from step to step.

use crate::differ::Side;
use crate::extract::View;
use crate::format::Style;
use crate::format::fold::row_controls;
use crate::refs::RefTable;
use crate::tree::{Cut, Elided, Handle, Item, Mark, NONE, ROOT, StateSet, Tree};
use browserlens_core::page::NodeKey;
use browserlens_core::page::text::beginning;
use browserlens_core::strategy::Ref;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Which items of a view are shown, and which names are cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts {
    /// By index in the view; an item that is not kept is elided with all below it.
    pub kept: Vec<bool>,
    /// Longest name, in characters, where names are cut at all; and how much of a longer one is
    /// shown.
    pub longest_name: Option<(usize, usize)>,
    /// Items whose names are told to their end whatever their length.
    pub whole_names: HashSet<u32>,
}

impl Cuts {
    /// Keeps everything.
    pub fn nothing(view: &View) -> Self {
        Self { kept: vec![true; view.tree.len()], longest_name: None, whole_names: HashSet::new() }
    }

    /// Keeps nothing but the root.
    pub fn everything(view: &View) -> Self {
        let mut kept = vec![false; view.tree.len()];
        kept[0] = true;
        Self { kept, longest_name: None, whole_names: HashSet::new() }
    }

    /// Keeps texts that are no longer than the mark that would stand for them.
    pub fn keep_short(&mut self, view: &View) {
        let kept = self.kept.clone();
        for (id, _) in view.tree.items().filter(|(id, _)| kept[*id as usize]) {
            let siblings = view.tree.children(id);
            if !siblings.iter().any(|sibling| kept[*sibling as usize]) {
                continue;
            }
            for run in siblings.chunk_by(|a, b| kept[*a as usize] == kept[*b as usize]) {
                let items = || run.iter().map(|id| view.tree.item(*id));
                let is_short = || items().map(|item| item.name.len() + 4).sum::<usize>() <= A_MARK;
                if !kept[run[0] as usize] && items().all(Item::is_text) && is_short() {
                    run.iter().for_each(|id| self.kept[*id as usize] = true);
                }
            }
        }
    }

    /// Keeps an item and its ancestors.
    pub fn keep(&mut self, view: &View, id: u32) {
        self.kept[id as usize] = true;
        for above in view.tree.ancestors(id) {
            if std::mem::replace(&mut self.kept[above as usize], true) {
                break;
            }
        }
    }
}

/// How long a mark is, in bytes: `, … 1 off-screen @m12`.
const A_MARK: usize = 24;

/// A ref that has no number yet.
const UNNUMBERED: Ref = Ref { number: u32::MAX, part: 0 };

/// Hands out handles, and remembers which stood for what.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    last: u32,
    /// Handle of the mark that an item was elided under, or under which its name was cut.
    elided: HashMap<NodeKey, Handle>,
    cut: HashMap<NodeKey, Handle>,
    by_nature: Vec<(Elided, Handle)>,
}

/// What the shown state is to become.
#[derive(Clone, Debug)]
pub struct Target {
    /// The tree; indices are document order.
    pub tree: Tree,
    /// Index in the view of each item; [`NONE`] for marks of cuts.
    pub from: Vec<u32>,
    /// Identity of each item; none for marks.
    pub keys: Vec<Option<NodeKey>>,
    /// What each mark of a cut stands for: items of the view.
    pub runs: Vec<(Handle, Vec<u32>)>,
    /// Items of the view whose names are cut.
    pub cut_names: Vec<(Handle, u32)>,
    /// The handles that it uses.
    pub handles: Handles,
}

impl Target {
    /// Builds the target of a view. Refs that are not known yet are numbered in document order from
    /// the next free number on, as [`Target::give_refs`] will give them.
    pub fn build(view: &View, cuts: &Cuts, refs: &RefTable, handles: &Handles, style: Style) -> Self {
        let mut this = Self {
            tree: Tree::default(),
            from: vec![ROOT],
            keys: vec![Some(view.meta[0].key)],
            runs: Vec::new(),
            cut_names: Vec::new(),
            handles: handles.as_of(&Handles::default()),
        };
        let mut used = HashSet::new();
        // Items of the view with their parents here; a run of elided ones stands as its first.
        let mut stack = vec![];
        push_children(view, cuts, ROOT, ROOT, &mut stack);
        while let Some((id, run, parent)) = stack.pop() {
            if run > 0 {
                let siblings = view.tree.children(view.tree.parent(id));
                let first = siblings.partition_point(|sibling| *sibling < id);
                this.elide(view, &siblings[first..first + run], parent, handles, &mut used);
                continue;
            }
            let mut item = view.tree.item(id).clone();
            if let Some(mark) = &mut item.mark {
                mark.handle = Some(this.handles.by_nature(mark.what));
            } else if refs.wants(id) {
                item.reference = refs.get(id).or(Some(UNNUMBERED));
            }
            if let Some((longest, shown)) = cuts.longest_name
                && !cuts.whole_names.contains(&id)
            {
                this.cut_name(&mut item, view, id, (longest, shown), handles);
            }
            let here = this.push(parent, item, id, Some(view.meta[id as usize].key));
            push_children(view, cuts, id, here, &mut stack);
        }
        number(&mut this.tree, refs, style);
        this
    }

    fn push(&mut self, parent: u32, item: Item, from: u32, key: Option<NodeKey>) -> u32 {
        self.from.push(from);
        self.keys.push(key.filter(|_| item.mark.is_none()));
        self.tree.push(parent, item)
    }

    fn elide(&mut self, view: &View, run: &[u32], parent: u32, before: &Handles, used: &mut HashSet<Handle>) {
        let keys = run.iter().map(|id| view.meta[*id as usize].key);
        let known =
            keys.clone().filter_map(|key| before.elided.get(&key).copied()).find(|handle| !used.contains(handle));
        let handle = known.unwrap_or_else(|| self.handles.new_handle());
        used.insert(handle);
        for key in keys {
            self.handles.elided.insert(key, handle);
        }
        let in_viewport = |id: &u32| view.tree.subtree(*id).any(|below| view.meta[below as usize].in_viewport);
        let what = if run.iter().any(in_viewport) { Elided::Items } else { Elided::OffScreen };
        let mark = Mark { handle: Some(handle), count: Some(run.len() as u32), what };
        self.push(parent, Item::elided(mark), NONE, None);
        self.runs.push((handle, run.to_vec()));
    }

    fn cut_name(&mut self, item: &mut Item, view: &View, id: u32, (longest, shown): (usize, usize), before: &Handles) {
        let chars = item.name.chars().count();
        if chars <= longest || item.mark.is_some() {
            return;
        }
        let key = view.meta[id as usize].key;
        let handle = before.cut.get(&key).copied().unwrap_or_else(|| self.handles.new_handle());
        self.handles.cut.insert(key, handle);
        item.cut = Some(Cut { handle, chars: (chars - shown.min(chars)) as u32 });
        item.name = Arc::from(beginning(&item.name, shown));
        self.cut_names.push((handle, id));
    }

    /// Gives the refs that this target shows.
    pub fn give_refs(&self, refs: &mut RefTable) {
        for (here, item) in self.tree.items() {
            if let (None, Some(reference)) = (item.mark, item.reference) {
                refs.give(self.from[here as usize], reference);
            }
        }
    }

    /// Returns it as a side of a diff.
    pub fn side(&self) -> Side {
        Side::new(self.tree.clone(), self.keys.clone())
    }
}

/// Numbers the new refs in document order. The controls of a folded row share a number: a new one,
/// or that of those which are known.
fn number(tree: &mut Tree, refs: &RefTable, style: Style) {
    let new: Vec<u32> = tree.items().filter(|(_, item)| item.reference == Some(UNNUMBERED)).map(|(id, _)| id).collect();
    if new.is_empty() {
        return;
    }
    let rows = if style.fold && !style.every_ref { row_controls(tree) } else { HashMap::new() };
    // The number of each row that is known in part; none where its controls share none.
    let mut known: HashMap<u32, Option<u32>> = HashMap::new();
    for (id, (first, _)) in &rows {
        let Some(reference) = tree.item(*id).reference.filter(|reference| *reference != UNNUMBERED) else { continue };
        let number = known.entry(*first).or_insert(Some(reference.number));
        *number = number.filter(|number| *number == reference.number);
    }
    let (mut next, mut parts) = (refs.next(), HashMap::new());
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    for id in new {
        let row = rows.get(&id).copied();
        if let Some(number) = row.and_then(|(first, _)| known.get(&first).copied().flatten())
            && let free = parts.entry(number).or_insert_with(|| refs.next_part(number))
            && let Some(part) = *free
        {
            tree.item_mut(id).reference = Some(Ref { number, part });
            *free = part.checked_add(1);
            continue;
        }
        // What is alone shares its number with nothing.
        let (first, part) = row.filter(|(first, _)| !known.contains_key(first)).unwrap_or((id, 0));
        let number = *numbers.entry(first).or_insert_with(|| {
            next += 1;
            next - 1
        });
        tree.item_mut(id).reference = Some(Ref { number, part });
    }
}

/// Puts what is below an item of the view on the stack, runs of elided siblings as one.
fn push_children(view: &View, cuts: &Cuts, id: u32, here: u32, stack: &mut Vec<(u32, usize, u32)>) {
    let bottom = stack.len();
    let mut run: Option<(u32, usize)> = None;
    for child in view.tree.children(id) {
        if cuts.kept[*child as usize] {
            stack.extend(run.take().map(|(first, length)| (first, length, here)));
            stack.push((*child, 0, here));
        } else {
            let (first, length) = run.unwrap_or((*child, 0));
            run = Some((first, length + 1));
        }
    }
    stack.extend(run.map(|(first, length)| (first, length, here)));
    stack[bottom..].reverse();
}

impl Handles {
    fn new_handle(&mut self) -> Handle {
        self.last += 1;
        Handle(self.last)
    }

    fn by_nature(&mut self, what: Elided) -> Handle {
        if let Some((_, handle)) = self.by_nature.iter().find(|(known, _)| *known == what) {
            return *handle;
        }
        let handle = self.new_handle();
        self.by_nature.push((what, handle));
        handle
    }

    /// Returns whether an item with this identity was elided in what was shown last.
    pub fn is_elided(&self, key: NodeKey) -> bool {
        self.elided.contains_key(&key)
    }

    /// Returns whether an item of a view, or one that it is in, was elided in what was shown last.
    pub fn is_elided_within(&self, view: &View, id: u32) -> bool {
        let is_elided = |id: u32| self.is_elided(view.meta[id as usize].key);
        is_elided(id) || view.tree.ancestors(id).any(is_elided)
    }

    /// Returns whether the name of an item with this identity was cut in what was shown last.
    pub fn is_cut(&self, key: NodeKey) -> bool {
        self.cut.contains_key(&key)
    }

    /// Returns what the mark with this handle leaves out by nature, if it is such a mark.
    pub fn nature_of(&self, handle: Handle) -> Option<Elided> {
        self.by_nature.iter().find(|(_, known)| *known == handle).map(|(what, _)| *what)
    }

    /// Returns these handles with what was elided in another state; numbers go on from here.
    #[must_use]
    pub fn as_of(&self, then: &Self) -> Self {
        Self { elided: then.elided.clone(), cut: then.cut.clone(), ..self.clone() }
    }

    /// Goes on counting after the handles of another.
    pub fn after(&mut self, other: &Self) {
        self.last = self.last.max(other.last);
    }
}

/// Siblings of one role of which those that follow are the rest of a list.
const FIRST_OF_LIST: usize = 12;

/// Returns the items of a view in the order in which they are worth their tokens: dialogs, alerts
/// and errors; what reports (a status), and what is `new` to the agent and in the viewport; what
/// can be acted on in the viewport; what is new elsewhere; what else is in the viewport, then what
/// is not; last the rest of long lists. What is covered or inert can be acted on no more than text;
/// options of a select are as good as out of the viewport, since the chosen one is its value. Items
/// of a kind stand in document order.
pub fn ranking(view: &View, new: &HashSet<u32>) -> Vec<u32> {
    let mut urgent = vec![false; view.tree.len()];
    let mut reports = vec![false; view.tree.len()];
    let mut in_field = vec![false; view.tree.len()];
    let mut blocked = vec![false; view.tree.len()];
    let mut rest = rest_of_lists(&view.tree);
    let mut order: Vec<(u8, u32)> = Vec::with_capacity(view.tree.len());
    for (id, item) in view.tree.items().skip(1) {
        let (at, above) = (id as usize, view.tree.parent(id) as usize);
        let meta = view.meta[at];
        urgent[at] = item.is_urgent() || urgent[above];
        reports[at] = matches!(&*item.role, "status" | "alert") || reports[above];
        blocked[at] = item.states.any(StateSet::COVERED.with(StateSet::INERT)) || blocked[above];
        in_field[at] = in_field[above] || &*item.role == "option" && !meta.interactive;
        let seen = meta.in_viewport && !in_field[at];
        rest[at] |= rest[above];
        // A container that says nothing itself is kept with the first thing in it.
        if item.name.is_empty() && !meta.interactive && !view.tree.children(id).is_empty() {
            continue;
        }
        let class = match (seen, new.contains(&id)) {
            _ if urgent[at] => 0,
            _ if reports[at] => 1,
            (true, true) => 1,
            (true, false) if meta.interactive && !blocked[at] => 2,
            (false, true) if !rest[at] => 3,
            (true, false) => 4,
            (false, false) if !rest[at] => 5,
            (false, true) => 6,
            (false, false) => 7,
        };
        order.push((class, id));
    }
    order.sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}

/// Tells of each item whether it is one of many siblings of its role, and not among the first of
/// them; a text is where what it follows is.
fn rest_of_lists(tree: &Tree) -> Vec<bool> {
    let mut rest = vec![false; tree.len()];
    for (id, _) in tree.items() {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut in_rest = false;
        for child in tree.children(id) {
            let item = tree.item(*child);
            if !item.is_text() {
                let count = counts.entry(&*item.role).or_default();
                *count += 1;
                in_rest = *count > FIRST_OF_LIST;
            }
            rest[*child as usize] = in_rest;
        }
    }
    rest
}

/// Returns the greatest `n` up to `limit` for which `fits(n)`, taking `fits` for monotone, and what
/// that gave; none if not even 0 fits.
pub fn largest<T>(limit: usize, mut fits: impl FnMut(usize) -> Option<T>) -> Option<T> {
    let mut best = fits(0)?;
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match fits(middle) {
            Some(better) => {
                best = better;
                low = middle;
            }
            None => high = middle - 1,
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{ExtractOptions, extract};
    use crate::format::write_items;
    use browserlens_core::page::{Flags, NodeSpec, Page, PageBuilder};

    fn view_of(page: &Page) -> View {
        extract(page, &HashSet::new(), &ExtractOptions::default())
    }

    fn page() -> Page {
        let off_screen = || NodeSpec { flags: Flags::BLOCK, ..NodeSpec::default() };
        let mut page = PageBuilder::new("https://test.test/", "Test");
        page.leaf(NodeSpec {
            flags: Flags::IN_VIEWPORT.with(Flags::COVERED),
            ..NodeSpec::with_role("button", "Under")
        });
        page.open(NodeSpec::with_role("combobox", "Country"));
        page.leaf(NodeSpec::with_role("option", "Austria"));
        page.close();
        page.leaf(NodeSpec { flags: Flags::NONE, ..NodeSpec::with_role("link", "Far") });
        page.text("In sight");
        page.leaf(NodeSpec::with_role("button", "Go"));
        page.open(off_screen());
        page.leaf(NodeSpec { flags: Flags::NONE, ..NodeSpec::text_node("Further down") });
        page.close();
        page.open(off_screen());
        page.leaf(NodeSpec { flags: Flags::NONE, ..NodeSpec::text_node("At the end") });
        page.finish()
    }

    #[test]
    fn what_can_be_used_now_comes_first_and_options_and_what_is_off_screen_last() {
        let view = view_of(&page());
        let ranked = ranking(&view, &HashSet::new());
        let names: Vec<&str> = ranked.iter().map(|id| &*view.tree.item(*id).name).collect();
        assert_eq!(
            names,
            ["Country", "Go", "Under", "In sight", "Austria", "Far", "Further down", "At the end"],
            "in the viewport and free; else in the viewport; the rest"
        );
    }

    #[test]
    fn a_mark_says_that_nothing_behind_it_is_in_the_viewport() {
        let view = view_of(&page());
        let mut cuts = Cuts::everything(&view);
        let go = view.tree.items().find(|(_, item)| &*item.name == "Go").map(|(id, _)| id).expect("a button");
        cuts.keep(&view, go);
        let target = Target::build(&view, &cuts, &RefTable::default(), &Handles::default(), Style::DEFAULT);
        assert_eq!(
            write_items(&target.tree, Style::DEFAULT),
            "- … 4 more items @m1, button \"Go\", … 2 off-screen @m2"
        );
    }
}
