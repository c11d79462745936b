//! Writes a plan as a trace.
//!
//! In: a [`Plan`] and, step by step, the capture of its page with the marked nodes. Out: a trace
//! file. Invariants: steps are written in order; the nodes of an action are those that were marked
//! in the capture before it; a trace that ends early says why.

use crate::error::ImportError;
use crate::har::{self, Visit};
use crate::plan::{ALSO, Marks, Plan, TARGET};
use browserlens_core::page::text::cut;
use browserlens_core::page::{Capture, NodeKey, Page};
use browserlens_core::strategy::{Event, Intent, StepIndex, TakenAction};
use browserlens_trace::scenario::in_words;
use browserlens_trace::{
    ActionRecord, CreateOptions, Outcome, RedactionKey, RedactionOptions, Redactor, Settled, StepRecord, TraceMeta,
    TraceSource, TraceWriter,
};
use std::path::Path;
use std::sync::Arc;

/// A captured page of a plan.
pub(crate) struct Captured {
    pub(crate) capture: Capture,
    /// The page of the capture.
    pub(crate) page: Arc<Page>,
    pub(crate) marks: Marks,
    pub(crate) quiet: bool,
    pub(crate) timings: Vec<(String, u64)>,
    pub(crate) gaps: Vec<String>,
}

/// Writes a trace as its steps come.
pub(crate) struct Writing<'p> {
    plan: &'p Plan,
    writer: TraceWriter,
    next: u32,
    next_event: u64,
    before: Option<(Arc<Page>, Marks)>,
    visits: Vec<Visit>,
    /// Steps whose action has a node.
    pub(crate) with_node: u32,
    pub(crate) gaps: Vec<String>,
}

impl<'p> Writing<'p> {
    pub(crate) fn create(
        plan: &'p Plan,
        out: &Path,
        browser: Option<&str>,
        key: RedactionKey,
        force: bool,
    ) -> Result<Self, ImportError> {
        let meta = TraceMeta {
            scenario: plan.name.clone(),
            goal: plan.goal.clone(),
            site: None,
            source: TraceSource::Imported,
            viewport: plan.viewport,
            locale: plan.locale.clone(),
            timezone: plan.timezone.clone(),
            browser: match browser {
                Some(browser) => format!("{}; rendered by {browser}", plan.browser),
                None => plan.browser.clone(),
            },
            tool: concat!("browserlens ", env!("CARGO_PKG_VERSION")).to_owned(),
            recorded_at: plan.recorded_at.clone(),
        };
        let redactor = Redactor::new(RedactionOptions { key, known: plan.secrets.clone(), public: Vec::new() });
        let mut writer = TraceWriter::create_with(out, &meta, redactor, CreateOptions { force })?;
        writer.sync_at_end()?;
        Ok(Self {
            plan,
            writer,
            next: 0,
            next_event: 0,
            before: None,
            visits: plan.visits.clone(),
            with_node: 0,
            gaps: Vec::new(),
        })
    }

    /// Writes the next step.
    pub(crate) fn step(&mut self, captured: Captured) -> Result<(), ImportError> {
        let index = StepIndex(self.next);
        let Some(planned) = self.plan.steps.get(self.next as usize) else { return Ok(()) };
        let page = captured.page;
        let action = planned.action.as_ref().map(|planned| {
            let mut acceptable: Vec<NodeKey> = Vec::new();
            let (mut hint, mut point) = (None, None);
            if let Some((before, marks)) = &self.before {
                for wanted in [TARGET, ALSO] {
                    acceptable.extend(marks.iter().filter(|(mark, _)| mark == wanted).map(|(_, key)| *key));
                }
                acceptable.retain(|key| before.find(*key).is_some());
                acceptable.dedup();
                let scroll = before.scroll();
                point = planned.point.map(|(x, y)| (x + scroll.x, y + scroll.y));
                hint = acceptable.first().and_then(|key| in_words(before, *key));
            }
            let (kind, text) = (planned.kind, planned.text.clone());
            ActionRecord {
                taken: TakenAction { kind, node: hint.clone(), text: text.clone(), error: planned.error.clone() },
                intent: Intent { action: kind, node: hint, text },
                target: acceptable.first().copied(),
                acceptable,
                resolved_in: StepIndex(index.0.saturating_sub(1)),
                point,
            }
        });
        self.with_node += u32::from(action.as_ref().is_some_and(|action| action.target.is_some()));
        let is_last = self.next as usize + 1 == self.plan.steps.len();
        let taken = har::taken(&mut self.visits, page.url(), is_last);
        let own = self.plan.events.iter().filter(|event| event.step == index.0);
        let own = own.map(|event| (event.tab, event.at_ms, event.kind.clone()));
        let all = own.chain(taken.into_iter().map(|(at_ms, kind)| (planned.tab, at_ms, kind)));
        let event = |(position, (tab, at_ms, kind))| Event { position, step: index.0, tab, at_ms, kind };
        let events: Vec<Event> = (self.next_event..).zip(all).map(event).collect();
        self.next_event += events.len() as u64;
        let reason = if captured.quiet { "as it was recorded" } else { "it was still loading when it was captured" };
        self.writer.write_step(StepRecord {
            index,
            tab: planned.tab,
            action,
            capture: captured.capture,
            events,
            entities: Vec::new(),
            timings: captured.timings,
            settled: Settled { quiet: captured.quiet, waited_ms: 0, reason: reason.to_owned() },
            torn_retries: 0,
        })?;
        self.gaps.extend(captured.gaps);
        self.before = Some((page, captured.marks));
        self.next += 1;
        Ok(())
    }

    /// Ends the trace, early where something went wrong, and passes that on. Returns how many steps have an action with
    /// a node, how many there are, and the gaps.
    pub(crate) fn finish(
        mut self,
        rendered: bool,
        written: Result<(), ImportError>,
    ) -> Result<(u32, u32, Vec<String>), ImportError> {
        let mut origin = self.plan.origin.clone();
        origin.rendered = rendered;
        origin.gaps.append(&mut self.gaps);
        origin.gaps = bounded(origin.gaps);
        self.writer.set_origin(&origin)?;
        let outcome = match &written {
            Ok(()) => Outcome::Complete,
            Err(error) => Outcome::Incomplete { reason: error.to_string() },
        };
        self.writer.finish(outcome)?;
        written?;
        Ok((self.with_node, self.next, origin.gaps))
    }
}

/// Gaps in order, each once, no more and no longer than a person reads.
fn bounded(mut gaps: Vec<String>) -> Vec<String> {
    const MOST: usize = 1_000;
    const LONGEST: usize = 500;
    gaps.iter_mut().for_each(|gap| *gap = cut(gap, LONGEST));
    gaps.sort();
    gaps.dedup();
    let more = gaps.len().saturating_sub(MOST);
    if more > 0 {
        gaps.truncate(MOST);
        gaps.push(format!("… and {more} gaps more"));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn gaps_are_as_many_and_as_long_as_a_person_reads() {
        let many = (0..5_000).map(|number| format!("{number}: {}", "ä".repeat(9_000))).collect();
        let kept = bounded(many);
        assert_eq!((kept.len(), kept.last().map(String::as_str)), (1_001, Some("… and 4000 gaps more")));
        assert!(kept.iter().all(|gap| gap.chars().count() <= 501));
        assert_eq!(bounded(vec!["b".into(), "a".into(), "b".into()]), ["a", "b"]);
    }
}
