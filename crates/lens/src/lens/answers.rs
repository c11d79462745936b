//! Answers to what the reader asks after an observation.
//!
//! In: a [`Request`] about the page observed last. Out: an observation that adds to the shown state
//! what was cut. Invariants: an answer is a delta to the same page with less cut, within the same
//! budget; what of it does not fit is elided again, with a mark; a handle that is not shown is
//! refused.

use super::fitting::Subject;
use super::{Current, Draft, Lens, Notes, images, shared};
use crate::budget::{Cuts, largest, ranking};
use crate::differ::emit::{EmitOptions, emit};
use crate::differ::{Change, diff};
use crate::extract::{ExtractOptions, Grade, View};
use crate::format::{Head, Observed, handle_of};
use crate::reference::Reference;
use crate::tree::Elided;
use browserlens_core::page::{NodeKey, role};
use browserlens_core::strategy::{NoClock, Observation, ObservationKind, Ref, Request, StageClock, StrategyError};
use std::collections::HashSet;
use std::sync::Arc;

/// Most items that a query brings.
const MOST_FOUND: usize = 20;

/// What a request asks for, as items of the view.
#[derive(Default)]
struct Wanted {
    /// Items to show, with what is below them, best first.
    items: Vec<u32>,
    /// Items whose names are to be told to their end.
    names: Vec<u32>,
}

impl Lens {
    /// Returns a ref that no item has: for what is named elsewhere than in an observation.
    pub fn spare_ref(&mut self) -> Ref {
        self.refs.spare()
    }

    /// Returns the node that an item of what was told last stands for.
    pub fn key_of(&self, item: u32) -> Option<NodeKey> {
        self.memory.told.as_ref()?.side.keys.get(item as usize).copied().flatten()
    }

    pub(super) fn answer(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let Some(mut current) = self.memory.current.take() else {
            return Err(refuse(request, "nothing was observed yet"));
        };
        let nature = match request {
            Request::Expand { handle } => handle_of(handle).and_then(|handle| self.handles.nature_of(handle)),
            _ => None,
        };
        let answer = match nature {
            Some(Elided::Images) => self.images_of(&current, request),
            Some(Elided::Fields | Elided::Texts) => self.whole_dom(&mut current, request),
            _ => match wanted(&current, request) {
                Ok(wanted) => self.reveal(&mut current, request, &wanted),
                Err(reason) => Err(refuse(request, &reason)),
            },
        };
        self.memory.current = Some(current);
        answer
    }

    /// Shows more of the page, as much as the budget allows.
    fn reveal(
        &mut self,
        current: &mut Current,
        request: &Request,
        wanted: &Wanted,
    ) -> Result<Observation, StrategyError> {
        let view = &current.view;
        // All of the first wanted item before the rest, in document order, each once.
        let mut seen = HashSet::new();
        let below = wanted.items.iter().flat_map(|id| view.tree.subtree(*id));
        let order: Vec<u32> = below.filter(|id| seen.insert(*id)).collect();
        self.whole_names.extend(wanted.names.iter().map(|id| view.meta[*id as usize].key));
        let attempt = |n: usize| {
            let mut cuts = current.cuts.clone();
            for id in order.iter().take(n) {
                cuts.keep(view, *id);
            }
            cuts.whole_names.extend(wanted.names.iter().copied());
            self.answer_with(request, view, cuts, &current.reference, &[]).filter(|draft| self.fits(&draft.text))
        };
        let best = match self.options.budget {
            None => attempt(order.len()),
            Some(budget) => largest(order.len().min(budget as usize), attempt),
        };
        let draft = best.map_or_else(|| self.nothing(view, &current.reference), Ok)?;
        (current.cuts, current.target) = (draft.cuts.clone(), draft.target.clone());
        Ok(self.emit(draft, ObservationKind::Answer, Vec::new(), current.representation, current.step))
    }

    /// Writes the answer that leads to these cuts; none if its text does not lead there.
    fn answer_with(
        &self,
        request: &Request,
        view: &View,
        cuts: Cuts,
        reference: &Reference,
        pictures: &[images::Picture],
    ) -> Option<Draft> {
        let told = self.memory.told.as_ref()?;
        if told.state.head().is_none()
            && told.side.tree.len() == 2
            && told.side.tree.item(1).mark.is_some_and(|mark| mark.count.is_none())
        {
            return self.answer_to_nothing(view, cuts, reference);
        }
        let target = self.target(view, &cuts, &self.handles);
        let side = target.side();
        let matching = diff(&told.side, &side);
        // What the filter hid in the observation stays hidden in the answer: the mark says so
        // already.
        let is_volatile = |old: u32| told.side.tree.item(old).volatile;
        let hidden = matching.indices(|change| match change {
            Change::Said { old, .. } => is_volatile(old),
            Change::Added { new } => {
                let parent = side.tree.parent(new);
                matching.pairs.iter().any(|(s, t)| *t == parent && is_volatile(*s))
            }
            _ => false,
        });
        let emitted =
            emit(&told.side, &side, &matching, &EmitOptions { hidden, itemised: true, ..EmitOptions::default() });
        let images = images::notes(pictures);
        let observed = Observed::Answer { request: request.to_string(), images, entries: emitted.entries };
        self.checked(self.written(observed, emitted.tree, emitted.keys, target, cuts), reference)
    }

    /// Where everything was one mark, the answer is a full observation.
    fn answer_to_nothing(&self, view: &View, cuts: Cuts, reference: &Reference) -> Option<Draft> {
        let head = Head { title: reference.title.clone(), url: reference.url.clone(), cut: false };
        let representation = self.memory.told.as_ref()?.representation;
        // What had no room before is told now, if there is.
        let events = Notes { images: &[], events: &self.memory.events };
        [events, Notes::default()].into_iter().find_map(|notes| {
            let subject = Subject { view, head: &head, representation, notes, reference };
            self.full_within(subject, Some("expanded"), cuts.clone())
        })
    }

    /// Shows the pixels behind the mark for images; the mark stays, since text still cannot tell
    /// them.
    fn images_of(&mut self, current: &Current, request: &Request) -> Result<Observation, StrategyError> {
        let shown = (current.screenshot.as_ref(), &*current.crops);
        let known = (&*current.shared, &NoClock as &dyn StageClock);
        let pictures = images::crops(known, &current.page, &current.view.regions, shown, self.options.image_formula);
        if pictures.is_empty() {
            return Err(refuse(request, "there are no pixels of these regions"));
        }
        let draft = self.answer_with(request, &current.view, current.cuts.clone(), &current.reference, &pictures);
        let draft = draft.filter(|draft| self.fits(&draft.text));
        let draft = draft.ok_or_else(|| refuse(request, "the answer does not fit the budget"))?;
        let images = pictures.into_iter().map(|picture| picture.image).collect();
        Ok(self.emit(draft, ObservationKind::Answer, images, current.representation, current.step))
    }

    /// Shows the whole distilled DOM where a grade left out a part of it by nature, until the next
    /// document.
    fn whole_dom(&mut self, current: &mut Current, request: &Request) -> Result<Observation, StrategyError> {
        self.memory.grade = Some((current.page.document().1, Grade::All));
        let shared = Arc::clone(&current.shared);
        let known = (&*shared, &NoClock as &dyn StageClock);
        let form = ExtractOptions { from_dom: true, ..ExtractOptions::default() };
        let view = self.view(known, &current.page, form);
        let mut cuts = Cuts::everything(&view);
        let is_shown = |key| self.memory.told.as_ref().is_some_and(|told| told.side.keys.contains(&Some(key)));
        for (id, item) in view.tree.items().skip(1) {
            // What was shown stays shown; the rest is what was asked for.
            if item.mark.is_some() || is_shown(view.meta[id as usize].key) {
                cuts.keep(&view, id);
            }
        }
        self.limit_names(&view, &mut cuts, self.options.longest_name.is_some(), &self.handles);
        let items = ranking(&view, &HashSet::new());
        current.reference = shared::reference(known, &current.page, form);
        (current.view, current.cuts) = (view, cuts);
        self.reveal(current, request, &Wanted { items, names: Vec::new() })
    }
}

fn refuse(request: &Request, reason: &str) -> StrategyError {
    StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() }
}

/// Returns what a request asks for of what is shown; the error is why there is nothing.
fn wanted(current: &Current, request: &Request) -> Result<Wanted, String> {
    let view = &current.view;
    let items = match request {
        Request::Expand { handle } | Request::More { handle, .. } => {
            let wanted =
                handle_of(handle).ok_or_else(|| format!("{handle:?} is not a handle: expected one such as \"@m3\""))?;
            if let Some((_, item)) = current.target.cut_names.iter().find(|(known, _)| *known == wanted) {
                return Ok(Wanted { items: Vec::new(), names: vec![*item] });
            }
            let run = current.target.runs.iter().find(|(known, _)| *known == wanted).map(|(_, run)| run);
            let run = run.ok_or_else(|| format!("no mark {handle} is shown"))?;
            let range = match request {
                Request::More { from, to, .. } => (*from).max(1) as usize - 1..(*to as usize).min(run.len()),
                _ => 0..run.len(),
            };
            let items = run.get(range).filter(|items| !items.is_empty());
            items.ok_or_else(|| format!("{handle} stands for {} items", run.len()))?.to_vec()
        }
        Request::Section { name } => {
            let items = section(view, name);
            (!items.is_empty()).then_some(items).ok_or_else(|| format!("no section {name:?} is on the page"))?
        }
        Request::Query { text } => found(view, &current.cuts, text),
    };
    Ok(Wanted { items, names: Vec::new() })
}

/// Returns a landmark, region or dialog of that name or role, or a heading and what follows it up
/// to the next.
fn section(view: &View, name: &str) -> Vec<u32> {
    let fits = |text: &str| text.eq_ignore_ascii_case(name.trim());
    for (id, item) in view.tree.items().skip(1) {
        if &*item.role == "heading" && fits(&item.name) {
            let siblings = view.tree.children(view.tree.parent(id));
            let after = siblings.iter().copied().skip_while(|sibling| *sibling != id);
            let rest = after.clone().skip(1).take_while(|sibling| &*view.tree.item(*sibling).role != "heading");
            return std::iter::once(id).chain(rest).collect();
        }
        let titled = role::is_landmark(&item.role)
            || matches!(&*item.role, "dialog" | "alertdialog" | "tabpanel" | "group" | "list" | "table");
        if titled && (fits(&item.name) || fits(&item.role)) {
            return vec![id];
        }
    }
    Vec::new()
}

/// Returns what is elided and holds words of the query, most words first; of a row, all of it.
fn found(view: &View, cuts: &Cuts, text: &str) -> Vec<u32> {
    let words: HashSet<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect();
    let mut scored: Vec<(usize, u32)> = Vec::new();
    for (id, item) in view.tree.items().skip(1) {
        if cuts.kept[id as usize] || item.mark.is_some() {
            continue;
        }
        let said = format!("{} {}", item.name, item.value).to_lowercase();
        let parts: HashSet<&str> = said.split(|c: char| !c.is_alphanumeric()).collect();
        let score = words.iter().filter(|word| parts.contains(word.as_str())).count();
        if score > 0 {
            scored.push((words.len() - score, id));
        }
    }
    scored.sort_unstable();
    let row = |id: u32| {
        let parent = view.tree.parent(id);
        if role::is_item(&view.tree.item(parent).role) { parent } else { id }
    };
    scored.into_iter().take(MOST_FOUND).map(|(_, id)| row(id)).collect()
}
