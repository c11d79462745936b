//! The live page as a [`PageSource`]: what is looked at is captured when it may have changed.

use super::{LiveBrowser, gone, unavailable};
use browserlens_core::page::{BoxInDocument, Capture, Page};
use browserlens_core::strategy::{
    BodyHead, BodySide, CaptureImage, Event, EventFilter, EventKind, EventTally, PageSource, SourceError, SourceId,
    StepIndex,
};
use std::sync::Arc;

fn blocked() -> SourceError {
    unavailable("a page that a dialog blocks")
}

/// The events behind a position that pass a filter.
fn passing<'e>(events: &'e [Event], filter: &EventFilter, after: Option<u64>) -> impl Iterator<Item = &'e Event> {
    let later = move |event: &&Event| after.is_none_or(|after| event.position > after);
    events.iter().filter(later).filter(|event| filter.passes(event))
}

impl PageSource for LiveBrowser {
    fn step(&self) -> StepIndex {
        StepIndex(self.step)
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if self.stale && !self.stage.is_blocked() {
            self.runtime.block_on(self.stage.capture()).map_err(gone)?;
            self.stale = false;
        }
        let seen = self.stage.last.as_ref().ok_or_else(blocked)?;
        Ok((Arc::clone(&seen.page), Arc::new(seen.capture.clone())))
    }

    /// Does not read again what has not changed since the last such call; leaves out the document's
    /// rendered text.
    fn look(&mut self) -> Result<Arc<Page>, SourceError> {
        if !self.stage.is_blocked() {
            self.runtime.block_on(self.stage.fast_look()).map_err(gone)?;
        }
        let seen = self.stage.current.as_ref().ok_or_else(blocked)?;
        Ok(Arc::clone(&seen.page))
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        self.take_events();
        Ok(passing(&self.events, filter, after).take(limit).map(|event| filter.parts.of(event)).collect())
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        self.take_events();
        Ok(passing(&self.events, filter, after).fold(EventTally::default(), |tally, event| EventTally {
            count: tally.count + 1,
            last: tally.last.max(Some(event.position)),
        }))
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        let found = self.events.binary_search_by_key(&position, |event| event.position).ok();
        let Some(EventKind::Request(request)) = found.map(|at| &self.events[at].kind) else { return Ok(None) };
        let body = match side {
            BodySide::Request => &request.request_body,
            BodySide::Response => &request.response_body,
        };
        let head = |body: &String| body.as_bytes()[..limit.min(body.len())].to_vec();
        Ok(body.as_ref().map(|body| BodyHead { head: head(body), bytes: body.len() as u64 }))
    }

    fn identity(&self) -> SourceId {
        SourceId::Live(self.session)
    }

    fn now_ms(&mut self) -> Result<u64, SourceError> {
        Ok(self.stage.driver.browser.read().now())
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        self.take_events();
        let mut tabs: Vec<u32> = self.events.iter().map(|event| event.tab).collect();
        tabs.push(self.stage.driver.tab);
        tabs.sort_unstable();
        tabs.dedup();
        Ok(tabs)
    }

    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if tab == self.stage.driver.tab {
            return self.page();
        }
        Err(unavailable(format!("the page of tab {tab}, which is not in front,")))
    }

    fn crop(&mut self, bounds: BoxInDocument) -> Result<CaptureImage, SourceError> {
        if bounds.is_empty() || self.stage.is_blocked() {
            return Err(unavailable("a crop of an empty box or a blocked page"));
        }
        let (page, _) = self.page()?;
        self.crop_of(&page, bounds)
    }
}
