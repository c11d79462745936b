//! What a report shows of a trace beside what a run keeps: the viewport, where the nodes of refs
//! lie, what the browser said.
//!
//! In: a trace, its scenario, the strategies whose refs are wanted. Out: one [`StepView`] a step.
//! Invariant: refs are those of a replay of the same trace by the same strategies, requests of the
//! reader included; nothing that is measured is changed. Why not keep boxes with the run: they are
//! four numbers a ref, step and strategy, which only one page of a report ever asks for.

use crate::cache::Cache;
use crate::error::ReplayError;
use crate::steps::TracePlan;
use crate::strategies::ConfiguredStrategy;
use crate::unit::{self, Unit};
use browserlens_core::page::BoxInViewport;
use browserlens_core::strategy::Event;
use std::path::Path;

/// One step of a trace, for looking at.
#[derive(Clone, Debug)]
pub struct StepView {
    /// Index of the step.
    pub step: u32,
    /// Width and height of the viewport, in CSS px.
    pub viewport: (u32, u32),
    /// For each strategy, in the order that was asked: its handles and where their nodes lie. Nodes
    /// without a box are left out.
    pub refs: Vec<Vec<(String, BoxInViewport)>>,
    /// What the browser said during the step.
    pub events: Vec<Event>,
}

/// Looks at every step of a trace.
///
/// # Errors
/// [`ReplayError`] if trace or scenario cannot be read, or the cache cannot be written.
pub fn views(
    trace: &Path,
    scenarios_dir: &Path,
    strategies: &[&ConfiguredStrategy],
    cache_dir: &Path,
) -> Result<Vec<StepView>, ReplayError> {
    let plan = TracePlan::open(trace, scenarios_dir)?;
    let cache = Cache::open(cache_dir);
    let mut views = Vec::with_capacity(plan.rows.len());
    unit::look(&plan, strategies, u32::MAX, cache_dir, &cache.store, |step, units| {
        let (viewport, scroll) = (step.page.viewport(), step.page.scroll());
        let boxes = |unit: &Unit<'_>| {
            let lying = unit.handles().iter().filter_map(|(handle, key)| {
                let bounds = step.page.find(*key)?.bounds();
                (!bounds.is_empty()).then(|| (handle.clone(), bounds.to_viewport(scroll)))
            });
            lying.collect()
        };
        views.push(StepView {
            step: step.index.0,
            viewport: (viewport.width, viewport.height),
            refs: units.iter().map(boxes).collect(),
            events: step.events.clone(),
        });
    })?;
    Ok(views)
}
