//! Deltas: which states they may start from, how each is made, and which is sent.
//!
//! In: what was told before, and the view of the page now. Out: deltas that were written and
//! checked, the cheapest first. Invariant: what was left out before stays left out, dialogs,
//! alerts, errors and what was scrolled into view apart; nothing but noise since the last look is
//! hidden.

use super::fitting::Written;
use super::{Draft, Lens, Notes, Told};
use crate::budget::{Cuts, Handles, Target, largest, ranking};
use crate::differ::emit::{EmitOptions, Emitted, emit};
use crate::differ::{Change, Matching, Side, diff};
use crate::extract::{Representation, View};
use crate::format::{Head, Observed};
use crate::reference::Reference;
use crate::tree::{NONE, ROOT};
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::StepInput;
use std::collections::HashSet;

/// Earlier states that a delta is really made from, the most alike first.
const MOST_TRIED: usize = 2;

/// What turning back to an earlier state costs the reader, in tokens, beside half of what is told:
/// what came and went since is not told at all. Where another document is as it was then, nothing.
const TURNING_BACK: u32 = 50;

/// What it costs where the same document is as it was then: what little went again is told.
const TURNING_BACK_ON_A_PAGE: u32 = 20;

/// Most items that are told because they were scrolled into view.
const MOST_SCROLLED: usize = 400;

/// Bytes of an item beside its words, and of a token at least: what is shorter fits without being
/// written.
const OF_AN_ITEM: usize = 16;
const LEAST_OF_A_TOKEN: usize = 2;

/// What came of trying a delta.
pub(super) enum Tried {
    Not(&'static str),
    /// From the last state first.
    Deltas(Vec<Delta>),
}

/// A delta before it is written.
pub(super) struct Delta {
    /// The step that it starts from.
    from: u32,
    emitted: Emitted,
    target: Target,
    side: Side,
    cuts: Cuts,
    matching: Matching,
}

impl Delta {
    /// Returns the items of the view that are new or changed to the agent.
    pub(super) fn changed_items(&self) -> HashSet<u32> {
        let said = self.matching.changes.iter().filter_map(|change| match *change {
            Change::Said { new, .. } => Some(self.target.from[new as usize]),
            _ => None,
        });
        let mut changed: HashSet<u32> = said.filter(|item| ![NONE, ROOT].contains(item)).collect();
        changed.extend(self.added_items());
        changed
    }

    /// Returns about how long what is new or changed is, in bytes.
    fn size(&self, view: &View) -> usize {
        let items = self.changed_items().into_iter().map(|id| view.tree.item(id));
        items.map(|item| item.name.len() + item.value.len() + OF_AN_ITEM).sum()
    }

    /// Returns the items of the view that were not there.
    fn added_items(&self) -> HashSet<u32> {
        let added = self.matching.changes.iter().filter_map(|change| match *change {
            Change::Added { new } => Some(self.target.tree.subtree(new)),
            _ => None,
        });
        let items = added.flatten().map(|id| self.target.from[id as usize]);
        items.filter(|item| ![NONE, ROOT].contains(item)).collect()
    }
}

impl Lens {
    /// What stays cut when the next page is told as a delta: what was elided before stays elided,
    /// alerts and dialogs apart.
    pub(super) fn inherited_cuts(&self, view: &View, handles: &Handles) -> Cuts {
        let mut cuts = Cuts::nothing(view);
        for id in 1..view.tree.len() as u32 {
            let parent = view.tree.parent(id);
            let elided = handles.is_elided(view.meta[id as usize].key) && view.tree.item(id).mark.is_none();
            cuts.kept[id as usize] = cuts.kept[parent as usize] && !elided;
        }
        let hidden: Vec<u32> = (1..view.tree.len() as u32).filter(|id| !cuts.kept[*id as usize]).collect();
        for id in hidden {
            if !cuts.kept[id as usize] && view.tree.item(id).is_urgent() {
                for below in view.tree.subtree(id) {
                    cuts.keep(view, below);
                }
            }
        }
        self.limit_names(view, &mut cuts, self.options.longest_name.is_some(), handles);
        cuts
    }

    pub(super) fn try_delta(
        &self,
        input: &StepInput<'_>,
        view: &View,
        head: &Head,
        representation: Representation,
        without_pictures: bool,
        notes: Notes<'_>,
    ) -> Tried {
        let Some(told) = &self.memory.told else { return Tried::Not("first observation") };
        if !self.options.delta {
            return Tried::Not("deltas are off");
        }
        if representation == Representation::Vision {
            return Tried::Not(if told.representation == representation {
                "new screenshot"
            } else {
                "other representation"
            });
        }
        let nothing_told = told.state.head().is_none() && !self.leaves_out_head(head);
        let pixels_told = told.representation == Representation::Vision;
        let first = (!nothing_told && !pixels_told).then(|| {
            let in_view = self.scrolled_into_view(view);
            let make = |count: usize| self.delta_from(told, input, view, head, (&in_view[..count], &[]));
            let fits = |delta: Delta| self.fits(&self.draft(delta, notes).text);
            // Of what was scrolled into view, as much is told as there is room for.
            let all = in_view.len();
            let count = match all == 0 || fits(make(all)) {
                true => all,
                false => largest(all - 1, |count| fits(make(count)).then_some(count)).unwrap_or(0),
            };
            let whole = make(count);
            let is_same = told.side.keys[0] == Some(view.meta[0].key);
            let budget = self.options.budget.unwrap_or(u32::MAX) as usize;
            if count > 0 || !is_same || whole.size(view) < budget.saturating_mul(LEAST_OF_A_TOKEN) || fits(make(0)) {
                return whole;
            }
            // Of what came, too: a list that grew is not told from its beginning again.
            let added = whole.added_items();
            let order: Vec<u32> = ranking(view, &added).into_iter().filter(|id| added.contains(id)).collect();
            let part = |count: usize| {
                let kept: HashSet<u32> = order[..count].iter().copied().collect();
                let kept = |id: u32| view.tree.subtree(id).any(|below| kept.contains(&below));
                let left_out: Vec<u32> = added.iter().copied().filter(|id| !kept(*id)).collect();
                self.delta_from(told, input, view, head, (&[], &left_out))
            };
            let most = order.len().min(budget);
            let count = (most > 0).then(|| largest(most - 1, |count| fits(part(count)).then_some(count))).flatten();
            count.map_or(whole, part)
        });
        let earlier = match &first {
            _ if !without_pictures => Vec::new(),
            Some(delta) => self.earlier_bases(&delta.side, told.shares(&delta.side)),
            None => {
                let cuts = self.inherited_cuts(view, &self.handles);
                self.earlier_bases(&self.target(view, &cuts, &self.handles).side(), 0)
            }
        };
        let earlier = earlier.into_iter().map(|told| self.delta_from(told, input, view, head, (&[], &[])));
        let deltas: Vec<Delta> = first.into_iter().chain(earlier).collect();
        match deltas.is_empty() {
            true => Tried::Not(if nothing_told { "nothing shown before" } else { "other representation" }),
            false => Tried::Deltas(deltas),
        }
    }

    /// Returns the earlier states that are more like a page than one that shares `least` items with
    /// it, the most alike first.
    fn earlier_bases(&self, side: &Side, least: usize) -> Vec<&Told> {
        let Some(last) = self.memory.told.as_ref().filter(|_| self.numbers_steps() && least < side.tree.len()) else {
            return Vec::new();
        };
        let without_images = |told: &Told| told.state.images().is_empty();
        if !without_images(last) {
            return Vec::new();
        }
        let usable = self.memory.earlier.iter().rev().filter(|told| {
            told.state.head().is_some()
                && told.representation != Representation::Vision
                && last.state.remembers(told.step)
                && without_images(told)
        });
        let mut alike: Vec<(usize, &Told)> =
            usable.map(|told| (told.shares(side), told)).filter(|(shared, _)| *shared > least).collect();
        alike.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        alike.into_iter().take(MOST_TRIED).map(|(_, told)| told).collect()
    }

    /// Returns what was left out and is in the viewport now, and was not before.
    fn scrolled_into_view(&self, view: &View) -> Vec<u32> {
        let Some(before) = self.memory.current.as_ref().filter(|_| self.options.budget.is_some()) else {
            return Vec::new();
        };
        let unseen: HashSet<NodeKey> =
            before.view.meta.iter().filter(|meta| !meta.in_viewport).map(|meta| meta.key).collect();
        let elided = |id: &u32| {
            let meta = view.meta[*id as usize];
            meta.in_viewport && unseen.contains(&meta.key) && self.handles.is_elided_within(view, *id)
        };
        (1..view.tree.len() as u32).filter(elided).take(MOST_SCROLLED).collect()
    }

    /// Makes the delta from a shown state to the page; `more` of what was left out is told, and of
    /// what came `less` is left out.
    fn delta_from(
        &self,
        told: &Told,
        input: &StepInput<'_>,
        view: &View,
        head: &Head,
        (more, less): (&[u32], &[u32]),
    ) -> Delta {
        let handles = self.handles.as_of(&told.handles);
        let mut cuts = self.inherited_cuts(view, &handles);
        for id in more {
            cuts.keep(view, *id);
        }
        for id in less {
            cuts.kept[*id as usize] = false;
        }
        if !less.is_empty() {
            cuts.keep_short(view);
        }
        let target = self.target(view, &cuts, &handles);
        let side = target.side();
        let matching = diff(&told.side, &side);
        // An earlier state may be old in what has been told since: of that, nothing is hidden.
        let is_last = self.memory.told.as_ref().is_some_and(|last| std::ptr::eq(last, told));
        let filter = &self.options.filter;
        let hidden = matching.indices(|change| {
            is_last && filter.hides(change, &told.side, &side, &target.from, view, input.page).is_some()
        });
        let style = self.options.style;
        // Who goes back to an earlier page is told where that is, though nothing in it changed.
        let is_elsewhere = |from: Option<&Head>| from != Some(head);
        let last = self.memory.told.as_ref().and_then(|last| last.state.head());
        let is_other_page = is_elsewhere(told.state.head()) || (!is_last && is_elsewhere(last));
        let options = EmitOptions {
            head: match told.state.head() {
                _ if !is_other_page => None,
                None if self.leaves_out_head(head) => None,
                Some(before) if !style.seed_phrases => Some(head.after(before)),
                _ => Some(head.clone()),
            },
            without_old_values: true,
            brief: !style.seed_phrases,
            seed_unchanged: style.seed_phrases,
            unchanged: self.options.unchanged || style.seed_phrases,
            itemised: style.seed_phrases,
            hidden,
        };
        let emitted = emit(&told.side, &side, &matching, &options);
        Delta { from: told.step, emitted, target, side, cuts, matching }
    }

    fn draft(&self, delta: Delta, notes: Notes<'_>) -> Written {
        let Delta { from, emitted, target, cuts, .. } = delta;
        let observed = Observed::Delta {
            steps: (!self.options.style.seed_phrases).then_some((from, self.now)),
            changes: emitted.changes,
            hidden: emitted.hidden,
            events: notes.events.to_vec(),
            images: notes.images.to_vec(),
            entries: emitted.entries,
        };
        self.written(observed, emitted.tree, emitted.keys, target, cuts)
    }

    /// Writes the deltas and returns the cheapest that passes its check, with its tokens.
    pub(super) fn cheapest(&self, tried: Vec<Delta>, notes: Notes<'_>, reference: &Reference) -> Option<(u32, Draft)> {
        let write = |delta: Delta| {
            // An earlier state must be worth the reader's turning back.
            let told = self.memory.told.as_ref();
            let last = told.is_some_and(|told| told.step == delta.from);
            let is_elsewhere = told.is_some_and(|told| told.side.keys[0] != delta.side.keys[0]);
            let turning_back = match (delta.emitted.changes, is_elsewhere) {
                (0, true) => 0,
                (0, false) => TURNING_BACK_ON_A_PAGE,
                _ => TURNING_BACK,
            };
            let delta = self.draft(delta, notes);
            let cost = self.count(&delta.text);
            (if last { cost } else { 2 * cost + turning_back }, cost, delta)
        };
        let mut written: Vec<(u32, u32, Written)> = tried.into_iter().map(write).collect();
        written.sort_by_key(|(weighed, ..)| *weighed);
        written.into_iter().find_map(|(_, cost, delta)| Some((cost, self.checked(delta, reference)?)))
    }
}
