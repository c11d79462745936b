//! Turns what is to be said into a text that is checked and fits the budget.
//!
//! In: an observation as data, or a view and its cuts. Out: a [`Draft`]. Invariants: the text of a draft was parsed again
//! and leads where it should; a draft costs at most the budget, from one token up: first less is kept, best last; then less of the
//! header is said; then nothing but a mark.

use super::{Draft, Lens, Notes};
use crate::budget::{Cuts, Target, largest, ranking};
use crate::extract::{Representation, View};
use crate::format::{Head, Observed, write, write_after};
use crate::reference::{Reference, unmarked_differences};
use crate::tree::Tree;
use browserlens_page::NodeKey;
use browserlens_strategy::StrategyError;
use std::collections::HashSet;

impl Lens {
    /// Writes an observation and checks that its text alone leads to `expected`; none if it does not.
    pub(super) fn draft(
        &self,
        observed: Observed,
        expected: Option<&Tree>,
        keys: Vec<Option<NodeKey>>,
        target: Target,
        cuts: Cuts,
        reference: &Reference,
    ) -> Option<Draft> {
        let mut state = self.told.as_ref().map(|told| told.state.clone()).unwrap_or_default();
        let text = write_after(&observed, self.options.style, state.patterns());
        let read = state.apply(&text).ok()?;
        let faithful = read == observed && expected.is_none_or(|expected| expected == state.tree());
        if !faithful || keys.len() != state.tree().len() {
            return None;
        }
        let unmarked = unmarked_differences(&state, reference);
        (unmarked == 0).then_some(Draft { text, observed, state, keys, target, cuts, unmarked })
    }

    pub(super) fn full(
        &self,
        view: &View,
        head: &Head,
        representation: Representation,
        notes: Notes<'_>,
        reason: Option<&str>,
        reference: &Reference,
    ) -> Result<Draft, StrategyError> {
        let mut cuts =
            if representation == Representation::Vision { Cuts::everything(view) } else { Cuts::nothing(view) };
        if self.options.longest_name.is_some() {
            self.limit_names(view, &mut cuts, true, &self.handles);
        }
        self.full_with(view, head, notes, reason, cuts, reference)
    }

    pub(super) fn full_with(
        &self,
        view: &View,
        head: &Head,
        notes: Notes<'_>,
        reason: Option<&str>,
        cuts: Cuts,
        reference: &Reference,
    ) -> Result<Draft, StrategyError> {
        let mut handles = self.handles.clone();
        handles.forget();
        let target = Target::build(view, &cuts, &self.refs, &handles, self.options.style);
        let observed = Observed::Full {
            step: self.numbers_steps().then_some(self.now),
            reason: reason.map(str::to_owned),
            head: (!self.leaves_out_head(head)).then(|| head.clone()),
            events: notes.events.to_vec(),
            images: notes.images.to_vec(),
            tree: target.tree.clone(),
        };
        let mut state = self.told.as_ref().map(|told| told.state.clone()).unwrap_or_default();
        let text = write_after(&observed, self.options.style, state.patterns());
        let keys = target.keys.clone();
        let failed = |message: String| StrategyError::Failed { step: Default::default(), message };
        let read = state.apply(&text).map_err(|error| failed(format!("the observation does not parse: {error}")))?;
        if read != observed {
            return Err(failed("the observation does not say what it was written from".to_owned()));
        }
        let unmarked = unmarked_differences(&state, reference);
        Ok(Draft { text, observed, state, keys, target, cuts, unmarked })
    }

    /// Returns why a delta is not sent, if it is not.
    pub(super) fn why_not(&self, delta: &Draft, full: &Draft) -> Option<&'static str> {
        if !self.fits(&delta.text) {
            return Some("over budget");
        }
        let (cost, whole) = (u64::from(self.count(&delta.text)), u64::from(self.count(&full.text)));
        (cost * 100 >= whole * u64::from(self.options.delta_limit_percent)).then_some("delta not smaller")
    }

    /// Cuts a full observation until it fits the budget.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one observation")]
    pub(super) fn fit(
        &self,
        full: Draft,
        view: &View,
        head: &Head,
        representation: Representation,
        notes: Notes<'_>,
        reason: &str,
        new: &HashSet<u32>,
        reference: &Reference,
    ) -> Result<Draft, StrategyError> {
        let reason = (!reason.is_empty()).then_some(reason);
        let full = match (&full.observed, reason) {
            (Observed::Full { reason: None, .. }, Some(_)) => {
                self.full(view, head, representation, notes, reason, reference)?
            }
            _ => full,
        };
        let Some(budget) = self.options.budget else { return Ok(full) };
        if self.fits(&full.text) {
            return Ok(full);
        }
        let order = if representation == Representation::Vision { Vec::new() } else { ranking(view, new) };
        let limit = order.len().min(budget as usize);
        let attempt =
            |n: usize, head: &Head, notes: Notes<'_>, reason: Option<&str>| -> Result<Option<Draft>, StrategyError> {
                let mut cuts = Cuts::everything(view);
                for id in &order[..n] {
                    cuts.keep(view, *id);
                }
                self.limit_names(view, &mut cuts, true, &self.handles);
                let draft = self.full_with(view, head, notes, reason, cuts, reference)?;
                Ok(self.fits(&draft.text).then_some(draft))
            };
        let mut failure = None;
        let best = largest(limit, |n| {
            attempt(n, head, notes, reason).unwrap_or_else(|error| {
                failure = Some(error);
                None
            })
        });
        if let Some(error) = failure {
            return Err(error);
        }
        if let Some(best) = best {
            return Ok(best);
        }
        // Not even the header fits: less and less of it, then nothing but marks.
        let short = Head { title: first_chars(&head.title, 24), url: first_chars(&head.url, 40), cut: true };
        let events = Notes { images: &[], events: notes.events };
        for (head, notes, reason) in
            [(head, notes, None), (&short, notes, None), (&short, events, None), (&short, Notes::default(), None)]
        {
            if let Some(draft) = attempt(0, head, notes, reason)? {
                return Ok(draft);
            }
        }
        self.nothing(view, reference)
    }

    /// The shortest honest texts: a mark for everything, with and without its handle.
    pub(super) fn nothing(&self, view: &View, reference: &Reference) -> Result<Draft, StrategyError> {
        let cuts = Cuts::everything(view);
        let mut handles = self.handles.clone();
        handles.forget();
        let target = Target::build(view, &cuts, &self.refs, &handles, self.options.style);
        let handle = target.runs.first().map(|(handle, _)| *handle);
        let mut draft = None;
        for observed in [Observed::Nothing(handle), Observed::Nothing(None)] {
            let text = write(&observed, self.options.style);
            let mut state = self.told.as_ref().map(|told| told.state.clone()).unwrap_or_default();
            state
                .apply_observed(&observed)
                .map_err(|error| StrategyError::Failed { step: Default::default(), message: error.to_string() })?;
            let keys = vec![Some(view.meta[0].key), None];
            let unmarked = unmarked_differences(&state, reference);
            let fits = self.fits(&text);
            draft = Some(Draft { text, observed, state, keys, target: target.clone(), cuts: cuts.clone(), unmarked });
            if fits {
                break;
            }
        }
        draft.ok_or_else(|| StrategyError::Failed {
            step: Default::default(),
            message: "no text fits the budget".to_owned(),
        })
    }
}

fn first_chars(text: &str, count: usize) -> String {
    let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text[..end].trim_end().to_owned()
}
