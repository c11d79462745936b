//! What a performance does at each step when a peer looks on, where a recording captures and
//! writes.
//!
//! In: the stage after an action settled. Out: the pass has its rows. Invariant: page time passes
//! as in a recording, the second look included.

use super::process::HarnessError;
use crate::capture_session::CaptureSession;
use crate::error::RecordError;
use crate::options::Progress;
use crate::record::{Recording, Taker};
use browserlens_core::strategy::StepIndex;
use browserlens_trace::Settled;
use std::time::Duration;

impl Recording<'_> {
    /// What a pass does where a recording captures and writes.
    pub(crate) async fn finish_for_peer(&mut self, index: u32, rest: &Settled) -> Result<(), RecordError> {
        let blocked = self.stage.is_blocked();
        if !(blocked && self.stage.last.is_some()) {
            self.stage.look_on().await?;
        }
        let mut seen = self.last_seen()?;
        let Taker::Peer(pass) = &mut self.taker else { return Ok(()) };
        let expected = pass.trace.page(StepIndex(index));
        if let Ok((expected, _)) = &expected
            && pass.peer.acts
            && !blocked
            && expected.scroll() != seen.page.scroll()
        {
            // The tool scrolls in its own way before it acts.
            let scrolled = self.stage.scroll_to(expected.scroll()).await;
            scrolled.map_err(|error| RecordError::Protocol {
                step: index,
                method: "scrolling as in the trace".to_owned(),
                message: error.to_string(),
            })?;
            seen = self.stage.look_on().await?.clone();
        }
        let dropped = match expected {
            Ok((expected, _)) => pass.difference(index, &seen, &expected),
            Err(error) => Some(format!("the trace has no such step: {error}")),
        };
        let looked = tokio::select! {
            looked = pass.look(index, dropped, blocked, &self.stage.canonicalizer) => looked,
            gone = crashed(self.stage) => Err(gone),
        };
        if let Err(error) = looked {
            let message = error.to_string();
            pass.failure.get_or_insert(format!("step {index}: {message}"));
            return Err(RecordError::Protocol { step: index, method: pass.peer.name.to_owned(), message });
        }
        if self.server.is_some() && self.options.second_look && !blocked && rest.quiet {
            self.stage.second_look().await?;
            self.after_second_look(index).await?;
        }
        self.options.tell(Progress::Finished { index, millis: 0 });
        Ok(())
    }
}

/// Returns when the browser, or the page in it, is gone: the tool may wait for it without end.
async fn crashed(stage: &CaptureSession) -> HarnessError {
    let day = std::time::Instant::now() + Duration::from_secs(24 * 3600);
    let why = stage
        .driver
        .browser
        .wait_for(day, |state| if state.gone { Some("Chromium ended".to_owned()) } else { state.crashed.clone() });
    let reason = why.await.unwrap_or_else(|| "the page did not answer".to_owned());
    HarnessError::Ended { method: "observe: the page crashed".to_owned(), said: reason }
}
