//! Answers to what the reader asks after an observation.
//!
//! In: a [`Request`] about the page observed last. Out: an observation that adds to the shown state
//! what was cut. Invariants: an answer is a delta to the same page with less cut, within the same
//! budget; what of it does not fit is elided again, with a mark; a handle that is not shown is
//! refused.

use super::fitting::Subject;
use super::{Draft, Lens, Notes, images, shared};
use crate::budget::{Cuts, Target, largest, ranking};
use crate::differ::emit::{EmitOptions, emit};
use crate::differ::{Side, diff};
use crate::extract::{Grade, Representation, View};
use crate::format::Observed;
use crate::reference::Reference;
use crate::tree::{Elided, Handle, ROOT};
use browserlens_core::page::role;
use browserlens_core::strategy::{
    NoClock, Observation, ObservationKind, ObservedImage, Request, StageClock, StrategyError,
};
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
    pub(super) fn answer(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let refuse =
            |reason: &str| StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() };
        if self.current.is_none() {
            return Err(refuse("nothing was observed yet"));
        }
        if let Request::Expand { handle } = request
            && let Some(handle) = handle_of(handle)
        {
            match self.handles.nature_of(handle) {
                Some(Elided::Images) => return self.images_of(request),
                Some(Elided::Fields | Elided::Texts) => return self.whole_dom(request),
                _ => {}
            }
        }
        let wanted = self.wanted(request).map_err(|reason| refuse(&reason))?;
        self.reveal(request, &wanted)
    }

    fn wanted(&self, request: &Request) -> Result<Wanted, String> {
        let Some(current) = &self.current else { return Err("nothing was observed yet".to_owned()) };
        let view = &current.view;
        match request {
            Request::Expand { handle } | Request::More { handle, .. } => {
                let wanted = handle_of(handle)
                    .ok_or_else(|| format!("{handle:?} is not a handle: expected one such as \"@m3\""))?;
                if let Some((_, run)) = current.target.runs.iter().find(|(known, _)| *known == wanted) {
                    let items = match request {
                        Request::More { from, to, .. } => {
                            let from = (*from).max(1) as usize - 1;
                            run.get(from..(*to as usize).min(run.len())).unwrap_or(&[]).to_vec()
                        }
                        _ => run.clone(),
                    };
                    if items.is_empty() {
                        return Err(format!("{handle} stands for {} items", run.len()));
                    }
                    return Ok(Wanted { items, names: Vec::new() });
                }
                if let Some((_, item)) = current.target.cut_names.iter().find(|(known, _)| *known == wanted) {
                    return Ok(Wanted { items: Vec::new(), names: vec![*item] });
                }
                Err(format!("no mark {handle} is shown"))
            }
            Request::Section { name } => {
                let items = section(view, name);
                if items.is_empty() {
                    Err(format!("no section {name:?} is on the page"))
                } else {
                    Ok(Wanted { items, names: Vec::new() })
                }
            }
            Request::Query { text } => Ok(Wanted { items: found(view, &current.cuts, text), names: Vec::new() }),
        }
    }

    /// Shows more of the page, as much as the budget allows.
    fn reveal(&mut self, request: &Request, wanted: &Wanted) -> Result<Observation, StrategyError> {
        let Some(current) = self.current.take() else {
            return Err(StrategyError::Unanswerable {
                request: request.to_string(),
                reason: "nothing was observed yet".to_owned(),
            });
        };
        let view = &current.view;
        let order = reveal_order(view, &wanted.items);
        let limit = self.options.budget.map_or(order.len(), |budget| order.len().min(budget as usize));
        let all = self.options.budget.is_none();
        for id in &wanted.names {
            self.whole_names.insert(view.meta[*id as usize].key);
        }
        let attempt = |n: usize| {
            let mut cuts = current.cuts.clone();
            for id in order.iter().take(n) {
                cuts.keep(view, *id);
            }
            cuts.whole_names.extend(wanted.names.iter().copied());
            self.answer_with(request, view, cuts, &current.reference, &[]).filter(|draft| self.fits(&draft.text))
        };
        let best = if all { attempt(order.len()) } else { largest(limit, attempt) };
        let draft = match best {
            Some(draft) => Ok(draft),
            None => self.nothing(view, &current.reference),
        };
        let result = draft.map(|draft| {
            let (cuts, target) = (draft.cuts.clone(), draft.target.clone());
            let observation =
                self.emit(draft, ObservationKind::Answer, Vec::new(), current.representation, current.step);
            (observation, cuts, target)
        });
        match result {
            Ok((observation, cuts, target)) => {
                self.current = Some(super::Current { cuts, target, ..current });
                Ok(observation)
            }
            Err(error) => {
                self.current = Some(current);
                Err(error)
            }
        }
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
        let told = self.told.as_ref()?;
        let current_page = self.told.as_ref().map(|told| &told.state)?;
        if current_page.head().is_none()
            && told.side.tree.len() == 2
            && told.side.tree.item(1).mark.is_some_and(|mark| mark.count.is_none())
        {
            return self.answer_to_nothing(view, cuts, reference);
        }
        let target = Target::build(view, &cuts, &self.refs, &self.handles, self.options.style);
        let side = Side::new(target.tree.clone(), target.keys.clone());
        let matching = diff(&told.side, &side);
        // What the filter hid in the observation stays hidden in the answer: the mark says so
        // already.
        let hidden: HashSet<usize> = matching
            .changes
            .iter()
            .enumerate()
            .filter(|(_, change)| match change {
                crate::differ::Change::Said { old, .. } => told.side.tree.item(*old).volatile,
                crate::differ::Change::Added { new } => {
                    let parent = side.tree.parent(*new);
                    matching.pairs.iter().any(|(s, t)| *t == parent && told.side.tree.item(*s).volatile)
                }
                _ => false,
            })
            .map(|(index, _)| index)
            .collect();
        let emitted =
            emit(&told.side, &side, &matching, &EmitOptions { hidden, itemised: true, ..EmitOptions::default() });
        let notes = pictures.iter().zip(1..).map(|(picture, number)| picture.note(number)).collect();
        let observed = Observed::Answer { request: request.to_string(), images: notes, entries: emitted.entries };
        self.checked(self.written(observed, emitted.tree, emitted.keys, target, cuts), reference)
    }

    /// Where everything was one mark, the answer is a full observation.
    fn answer_to_nothing(&self, view: &View, cuts: Cuts, reference: &Reference) -> Option<Draft> {
        let head = crate::format::Head { title: reference.title.clone(), url: reference.url.clone(), cut: false };
        let representation = self.told.as_ref()?.representation;
        // What had no room before is told now, if there is.
        let events = Notes { images: &[], events: &self.events };
        [events, Notes::default()].into_iter().find_map(|notes| {
            let subject = Subject { view, head: &head, representation, notes, reference };
            self.full_within(subject, Some("expanded"), cuts.clone())
        })
    }

    /// Shows the pixels behind the mark for images; the mark stays, since text still cannot tell
    /// them.
    fn images_of(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let refuse =
            |reason: &str| StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() };
        let Some(current) = &self.current else { return Err(refuse("nothing was observed yet")) };
        let formula = self.options.image_formula;
        let shown = (current.screenshot.as_ref(), &*current.crops);
        let pictures = images::crops((&current.shared, &NoClock), &current.page, &current.view.regions, shown, formula);
        if pictures.is_empty() {
            return Err(refuse("there are no pixels of these regions"));
        }
        let (representation, step) = (current.representation, current.step);
        let draft = self.answer_with(request, &current.view, current.cuts.clone(), &current.reference, &pictures);
        let draft =
            draft.filter(|draft| self.fits(&draft.text)).ok_or_else(|| refuse("the answer does not fit the budget"))?;
        let images: Vec<ObservedImage> = pictures.into_iter().map(|picture| picture.image).collect();
        Ok(self.emit(draft, ObservationKind::Answer, images, representation, step))
    }

    /// Shows the whole distilled DOM where a grade left out a part of it by nature, until the next
    /// document.
    fn whole_dom(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let Some(current) = self.current.take() else {
            return Err(StrategyError::Unanswerable {
                request: request.to_string(),
                reason: "nothing was observed yet".to_owned(),
            });
        };
        let document = current.page.frames().first().map_or(0, |frame| frame.loader);
        self.grade = Some((document, Grade::All));
        let shared = Arc::clone(&current.shared);
        let known = (&*shared, &NoClock as &dyn StageClock);
        let view = self.view(known, &current.page, Representation::Dom, Grade::All, 0);
        let reference = shared::reference(known, &current.page, Representation::Dom, Grade::All, 0);
        let order = ranking(&view, &HashSet::new());
        let mut cuts = Cuts::everything(&view);
        for (id, item) in view.tree.items() {
            // What was shown stays shown; the rest is what was asked for.
            if id != ROOT && (item.mark.is_some() || self.is_shown(view.meta[id as usize].key)) {
                cuts.keep(&view, id);
            }
        }
        self.limit_names(&view, &mut cuts, self.options.longest_name.is_some(), &self.handles);
        let target = current.target.clone();
        self.current = Some(super::Current { view, reference, cuts, target, ..current });
        self.reveal(request, &Wanted { items: order, names: Vec::new() })
    }

    fn is_shown(&self, key: browserlens_core::page::NodeKey) -> bool {
        self.told.as_ref().is_some_and(|told| told.side.keys.contains(&Some(key)))
    }
}

fn handle_of(text: &str) -> Option<Handle> {
    let digits = text.strip_prefix("@m")?;
    let plain = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok().map(Handle) } else { None }
}

/// Returns items and all below them: the first of each wanted item's tree before the rest, in
/// document order.
fn reveal_order(view: &View, items: &[u32]) -> Vec<u32> {
    let mut seen = HashSet::new();
    items.iter().flat_map(|id| view.tree.subtree(*id)).filter(|id| seen.insert(*id)).collect()
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
        if matches!(&*view.tree.item(parent).role, "row" | "listitem" | "article") { parent } else { id }
    };
    scored.into_iter().take(MOST_FOUND).map(|(_, id)| row(id)).collect()
}
