//! A live browser for each client.
//!
//! In: options. Out: an [`Opener`] whose sources are browsers. Invariant: a client's browser ends with the client.

use crate::error::{ToolError, with_causes};
use crate::source::{Act, Opener, Source, Undone};
use browserlens_recorder::{LiveBrowser, LiveOptions, RecordError};
use browserlens_strategy::{Actor as _, PageSource};

/// Starts a Chromium for each client.
#[derive(Debug)]
pub struct LiveOpener {
    options: LiveOptions,
}

impl LiveOpener {
    /// Takes how browsers are started.
    pub fn new(options: LiveOptions) -> Self {
        Self { options }
    }
}

impl Opener for LiveOpener {
    fn is_live(&self) -> bool {
        true
    }

    fn open(&self, url: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError> {
        let Some(url) = url else { return Ok(None) };
        let browser = LiveBrowser::open(url, &self.options).map_err(|error| opening(&error))?;
        Ok(Some(Box::new(LiveSource { browser })))
    }
}

fn opening(error: &RecordError) -> ToolError {
    match error {
        RecordError::NotActionable { reason, .. } => ToolError::NotThere {
            message: format!("the page cannot be opened: {reason}"),
            hint: "check the URL, then call `navigate` again",
        },
        error => ToolError::Internal(format!("{}; {}", with_causes(error), error.hint())),
    }
}

#[derive(Debug)]
struct LiveSource {
    browser: LiveBrowser,
}

impl Source for LiveSource {
    fn pages(&mut self) -> &mut dyn PageSource {
        &mut self.browser
    }

    fn is_live(&self) -> bool {
        true
    }

    fn refresh(&mut self) {
        self.browser.refresh();
    }

    fn act(&mut self, act: &Act) -> Result<(), Undone> {
        Ok(self.browser.act(&act.taken, act.node)?)
    }
}
