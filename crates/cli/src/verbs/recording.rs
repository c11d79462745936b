//! What both ways of recording need: a runtime, Ctrl-C, and how failures end the command.
//!
//! In: nothing. Out: parts of the options of a recording. Invariant: knows neither verb.

use crate::exit::{Exit, Failure};
use browserlens_recorder::{Cancel, RecordError};

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::words(Exit::Browser, format!("cannot start the runtime: {error}"), "free some memory or threads")
    })
}

/// Asked to end (Ctrl-C): finished steps stay, our Chromium goes.
pub(super) fn cancelled_by_ctrl_c(runtime: &tokio::runtime::Runtime) -> Cancel {
    let cancel = Cancel::default();
    runtime.spawn({
        let cancel = cancel.clone();
        async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        }
    });
    cancel
}

pub(super) fn plain_failure(error: &RecordError) -> Failure {
    let exit = match error.exit_code() {
        2 => Exit::Usage,
        4 => Exit::Verification,
        5 => Exit::Browser,
        _ => Exit::Input,
    };
    Failure::new(exit, error, error.hint())
}
