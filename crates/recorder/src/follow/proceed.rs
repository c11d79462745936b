//! Which step is under way, and when it is over.
//!
//! In: open actions. Out: the pending step, closed when the next action begins. Invariant: no
//! action is lost, and each stands in a step of its own.

use super::capture::Shot;
use super::group::Act;
use super::{Following, Pending, TICK, is_blank};
use crate::error::RecordError;
use crate::options::Progress;
use crate::step_writer::StepWriter;
use browserlens_core::strategy::ActionKind;
use std::time::{Duration, Instant};

impl Following<'_> {
    /// A button was pressed on something: the page is captured before the click, if no capture has
    /// it yet.
    pub(super) async fn look_ahead(&mut self) -> Result<(), RecordError> {
        match self.aimed.take() {
            Some(act) if act.tab == self.stage.driver.tab && self.open.len() == usize::from(self.begun) => {
                self.supply(Some(&act)).await
            }
            _ => Ok(()),
        }
    }

    /// Lets actions begin that came: the step before each is written, with the best capture that
    /// there is.
    pub(super) async fn proceed(&mut self) -> Result<(), RecordError> {
        loop {
            if !self.begun {
                let Some(act) = self.open.first() else { return Ok(()) };
                if act.may_be_held() {
                    return Ok(());
                }
                if self.is_first_goto(act) {
                    // A recording begins with its first navigation.
                    self.stage.driver.tab = act.tab;
                    self.pending = Pending::new(act.began);
                    self.open.remove(0);
                    continue;
                }
                if act.tab != self.stage.driver.tab && !matches!(act.kind, ActionKind::Goto | ActionKind::SwitchTab) {
                    let switch = Act::new(ActionKind::SwitchTab, act.tab, None, act.tab.to_string());
                    self.open.insert(0, switch);
                }
                let act = self.open[0].clone();
                self.supply(Some(&act)).await?;
                self.flush().await?;
                self.stage.driver.tab = act.tab;
                self.stage.driver.step = self.writer.as_ref().map_or(0, StepWriter::next);
                self.pending = Pending::new(act.began);
                self.begun = true;
                let index = self.stage.driver.step;
                self.tell(&Progress::Step { index, action: act.kind.to_string() });
            }
            if self.open.len() < 2 || self.open[1].may_be_held() {
                return Ok(());
            }
            let next = self.open[1].clone();
            self.supply(Some(&next)).await?;
            self.close();
        }
    }

    /// Returns whether an action is the navigation that a recording begins with: nothing was seen
    /// before it but an empty page, or its own page, which can come into a capture that had begun
    /// before it was heard of.
    fn is_first_goto(&self, act: &Act) -> bool {
        let begins = |shot: &Shot| is_blank(shot.seen.page.url()) || shot.shows_what_came_of(act);
        let first = self.writer.is_none() && self.pending.act.is_none() && act.kind == ActionKind::Goto;
        first && self.pending.shot.as_ref().is_none_or(begins)
    }

    /// The first open action is over: what it brought is seen.
    pub(super) fn close(&mut self) {
        self.pending.act = Some(self.open.remove(0));
        self.begun = false;
    }

    pub(super) async fn tick(&mut self) -> Result<(), RecordError> {
        self.proceed().await?;
        let driver = &mut self.stage.driver;
        let other = {
            let state = driver.browser.read();
            (!state.is_open(driver.tab)).then(|| state.open_tabs().next().map(|(tab, _)| tab))
        };
        if let Some(next) = other {
            driver.tab = next.unwrap_or(driver.tab);
            return Ok(());
        }
        if self.begun || self.pending.shot.is_none() { self.settle().await } else { self.look_again().await }
    }

    /// Writes what is left.
    pub(super) async fn end(&mut self) -> Result<(), RecordError> {
        let gone = self.stage.driver.browser.read().gone;
        if !gone {
            let limit = Instant::now() + Duration::from_secs(5);
            while (self.begun || !self.open.is_empty() || self.pending.shot.is_none()) && Instant::now() < limit {
                match self.tick().await {
                    Err(error @ RecordError::Trace(_)) => return Err(error),
                    _ => tokio::time::sleep(TICK).await,
                }
            }
        }
        while self.begun || !self.open.is_empty() {
            if !self.begun {
                self.supply(None).await?;
                self.flush().await?;
                self.pending = Pending::new(self.open[0].began);
                self.begun = true;
            }
            self.supply(None).await?;
            self.close();
        }
        if self.pending.shot.is_none() && self.before.is_none() {
            return Ok(());
        }
        self.supply(None).await?;
        self.flush().await
    }

    /// Tells of progress, if anyone listens.
    pub(super) fn tell(&self, progress: &Progress) {
        if let Some(callback) = &self.options.progress {
            callback(progress);
        }
    }
}
