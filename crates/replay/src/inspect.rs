//! One strategy at one step of one trace, for looking at.
//!
//! In: a trace, its scenario, a strategy, a step. Out: what was shown there, and what is shown then
//! with what its handles mean. Invariant: the same as a replay of the whole trace gives at that
//! step, requests of the reader included; later steps are not read.

use crate::error::ReplayError;
use crate::measure::{Measurement, StepNumbers};
use crate::run::StoredObservation;
use crate::steps::TracePlan;
use crate::store::Store;
use crate::strategies::ConfiguredStrategy;
use crate::unit;
use browserlens_core::page::NodeKey;
use browserlens_lens::ShownState;
use std::collections::BTreeMap;
use std::path::Path;

/// What a strategy showed at a step.
#[derive(Debug)]
pub struct Inspected {
    /// The row of the step.
    pub row: Measurement,
    /// What is shown after it, where the strategy writes the grammar of the lens.
    pub shown: Option<ShownState>,
    /// Why it is shown as it is, in lines of words; none of a strategy that has no choice.
    pub why: Option<String>,
    /// Which node each handle means, as far as the strategy tells.
    pub handles: BTreeMap<String, NodeKey>,
    store: Store,
}

impl Inspected {
    /// Runs a strategy over a trace up to a step; `scratch` is a folder for what is stored on the
    /// way. None if the trace has no such step.
    ///
    /// # Errors
    /// [`ReplayError`] if trace or scenario cannot be read, or the folder cannot be written.
    pub fn at(
        trace: &Path,
        scenarios_dir: &Path,
        configured: &ConfiguredStrategy,
        step: u32,
        scratch: &Path,
    ) -> Result<Option<Self>, ReplayError> {
        let plan = TracePlan::open(trace, scenarios_dir)?;
        let store = Store::open(scratch.join("observations"));
        let units = unit::look(&plan, &[configured], step, scratch, &store, |_, _| ())?;
        let inspected = units.into_iter().next().and_then(|mut unit| {
            let row = unit.rows.pop().filter(|row| row.step == step)?;
            let (shown, handles) = (unit.shown().cloned(), unit.handles().clone());
            Some(Self { row, shown, why: unit.why(), handles, store })
        });
        Ok(inspected)
    }

    /// Returns what was counted and scored; none if the strategy failed.
    pub fn numbers(&self) -> Option<&StepNumbers> {
        self.row.numbers()
    }

    /// Returns what was shown; none if the strategy failed.
    ///
    /// # Errors
    /// [`ReplayError`] if the store lost it.
    pub fn observation(&self) -> Result<Option<StoredObservation>, ReplayError> {
        self.numbers().map(|numbers| StoredObservation::of(numbers, &self.store)).transpose()
    }

    /// Returns the PNG of an image of the observation by its content hash.
    ///
    /// # Errors
    /// [`ReplayError`] if the store lost it.
    pub fn image(&self, hash: &str) -> Result<Vec<u8>, ReplayError> {
        self.store.image(hash)
    }
}
