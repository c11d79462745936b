//! Turns what is to be said into a text that is checked and fits the budget.
//!
//! In: an observation as data, or a view and its cuts. Out: a [`Draft`]. Invariants: the text of a
//! draft was parsed again and leads where it should; a draft costs at most the budget, from one
//! token up: first less is kept, best last; then less of the header is said; then nothing but a
//! mark.

use super::{Base, Draft, Lens, Notes};
use crate::budget::{Cuts, Handles, Target, largest, ranking};
use crate::extract::{Representation, View};
use crate::format::{Head, Observed, write, write_after};
use crate::reference::{Reference, unmarked_differences};
use crate::tree::{Handle, Tree};
use browserlens_core::page::NodeKey;
use browserlens_core::page::text::beginning;
use browserlens_core::strategy::{StepIndex, StrategyError};
use browserlens_core::tokens::Tokens;
use std::collections::HashSet;

/// Most items that one token of a full text is taken to tell. Where equal rows fold to even less,
/// the delta that is sent is right, only not the shortest.
const ITEMS_A_TOKEN: u64 = 2;

/// A text that was not checked yet.
pub(super) struct Written {
    pub text: String,
    observed: Observed,
    /// What a delta is to lead to.
    expected: Option<Tree>,
    keys: Vec<Option<NodeKey>>,
    pub target: Target,
    cuts: Cuts,
}

/// What a full observation tells.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub view: &'a View,
    pub head: &'a Head,
    pub representation: Representation,
    pub notes: Notes<'a>,
    pub reference: &'a Reference,
}

impl Lens {
    /// Writes an observation with the patterns that were told before; where readers keep nothing
    /// but the last state, without them.
    fn write(&self, observed: &Observed) -> String {
        match &self.memory.told {
            Some(told) if self.options.base == Base::Any => {
                write_after(observed, self.options.style, &told.state.patterns())
            }
            _ => write(observed, self.options.style),
        }
    }

    /// Writes a delta or an answer.
    pub(super) fn written(
        &self,
        observed: Observed,
        expected: Tree,
        keys: Vec<Option<NodeKey>>,
        target: Target,
        cuts: Cuts,
    ) -> Written {
        let text = self.write(&observed);
        Written { text, observed, expected: Some(expected), keys, target, cuts }
    }

    /// Checks that a text alone leads to what it was written from.
    fn check(&self, written: Written, reference: &Reference) -> Result<Draft, StrategyError> {
        let Written { text, observed, expected, keys, target, cuts } = written;
        let failed = |message: String| StrategyError::Failed { step: StepIndex(self.now), message };
        let mut state = self.memory.told.as_ref().map(|told| told.state.clone()).unwrap_or_default();
        let read = state.apply(&text).map_err(|error| failed(format!("the observation does not parse: {error}")))?;
        if read != observed {
            return Err(failed("the observation does not say what it was written from".to_owned()));
        }
        if expected.is_some_and(|expected| expected != *state.tree()) || keys.len() != state.tree().len() {
            return Err(failed("the observation leads elsewhere".to_owned()));
        }
        let unmarked = unmarked_differences(&state, reference);
        Ok(Draft { text, observed, state, keys, target, cuts, unmarked })
    }

    /// Returns a delta or an answer whose text leads where it should, and leaves no difference from
    /// the page without a mark.
    pub(super) fn checked(&self, written: Written, reference: &Reference) -> Option<Draft> {
        self.check(written, reference).ok().filter(|draft| draft.unmarked == 0)
    }

    /// Writes a full observation of everything.
    pub(super) fn full(&self, subject: Subject<'_>, reason: Option<&str>) -> Written {
        let view = subject.view;
        let mut cuts = match subject.representation {
            Representation::Vision => Cuts::everything(view),
            _ => Cuts::nothing(view),
        };
        if self.options.longest_name.is_some() {
            self.limit_names(view, &mut cuts, true, &self.handles);
        }
        self.full_with(subject, reason, cuts)
    }

    fn full_with(&self, subject: Subject<'_>, reason: Option<&str>, cuts: Cuts) -> Written {
        let Subject { view, head, notes, .. } = subject;
        let target = self.target(view, &cuts, &self.handles.as_of(&Handles::default()));
        let observed = Observed::Full {
            step: self.numbers_steps().then_some(self.now),
            reason: reason.map(str::to_owned),
            head: (!self.leaves_out_head(head)).then(|| head.clone()),
            events: notes.events.to_vec(),
            images: notes.images.to_vec(),
            tree: target.tree.clone(),
        };
        let text = self.write(&observed);
        Written { text, observed, expected: None, keys: target.keys.clone(), target, cuts }
    }

    /// Returns a full observation with these cuts, if it fits and can be told.
    pub(super) fn full_within(&self, subject: Subject<'_>, reason: Option<&str>, cuts: Cuts) -> Option<Draft> {
        let written = self.full_with(subject, reason, cuts);
        if self.fits(&written.text) { self.check(written, subject.reference).ok() } else { None }
    }

    /// Returns why a delta of a cost (less what images it saves) is not sent instead of a full
    /// text, if it is not.
    pub(super) fn why_not(&self, delta: &Draft, cost: u32, subject: Subject<'_>) -> Option<&'static str> {
        if !self.fits(&delta.text) {
            return Some("over budget");
        }
        // The full text of so many items is longer: it need not be written to know that.
        let items = subject.view.tree.len() as u64;
        if u64::from(cost) * ITEMS_A_TOKEN < items * u64::from(self.options.delta_limit_percent) / 100 {
            return None;
        }
        let full = &self.full(subject, None).text;
        // The full text is counted no further than to where the delta is worth it.
        let enough = u64::from(cost) * 100 / u64::from(self.options.delta_limit_percent.max(1));
        let enough = Tokens(u32::try_from(enough).unwrap_or(u32::MAX));
        self.options.encoding.count_within(full, enough).map(|_| "delta not smaller")
    }

    /// Makes a full observation, cut until it fits the budget.
    pub(super) fn fit(
        &self,
        subject: Subject<'_>,
        reason: Option<&str>,
        new: &HashSet<u32>,
    ) -> Result<Draft, StrategyError> {
        let Subject { view, head, representation, notes, reference } = subject;
        let full = self.full(subject, reason);
        let Some(budget) = self.options.budget else { return self.check(full, reference) };
        if self.fits(&full.text) {
            return self.check(full, reference);
        }
        let order = if representation == Representation::Vision { Vec::new() } else { ranking(view, new) };
        let limit = order.len().min(budget as usize);
        let attempt = |n: usize, head: &Head, notes: Notes<'_>, reason: Option<&str>| {
            let mut cuts = Cuts::everything(view);
            for id in &order[..n] {
                cuts.keep(view, *id);
            }
            cuts.keep_short(view);
            self.limit_names(view, &mut cuts, true, &self.handles);
            let written = self.full_with(Subject { head, notes, ..subject }, reason, cuts);
            self.fits(&written.text).then_some(written)
        };
        if let Some(best) = largest(limit, |n| attempt(n, head, notes, reason)) {
            return self.check(best, reference);
        }
        // Not even the header fits: less and less of it, then nothing but marks.
        let short = |text: &str, most| beginning(text, most).trim_end().to_owned();
        let short = Head { title: short(&head.title, 24), url: short(&head.url, 40), cut: true };
        let events = Notes { images: &[], events: notes.events };
        for (head, notes) in [(head, notes), (&short, notes), (&short, events), (&short, Notes::default())] {
            if let Some(written) = attempt(0, head, notes, None) {
                return self.check(written, reference);
            }
        }
        self.nothing(view, reference)
    }

    /// The shortest honest texts: a mark for everything, with and without its handle.
    pub(super) fn nothing(&self, view: &View, reference: &Reference) -> Result<Draft, StrategyError> {
        let cuts = Cuts::everything(view);
        let target = self.target(view, &cuts, &self.handles.as_of(&Handles::default()));
        let write = |handle: Option<Handle>| write(&Observed::Nothing(handle), self.options.style);
        let handle = target.runs.first().map(|(handle, _)| *handle).filter(|handle| self.fits(&write(Some(*handle))));
        let (text, observed, keys) = (write(handle), Observed::Nothing(handle), vec![Some(view.meta[0].key), None]);
        self.check(Written { text, observed, expected: None, keys, target, cuts }, reference)
    }
}
