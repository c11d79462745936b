//! What both ways of recording need: a runtime, Ctrl-C, the user's key, and how failures end the
//! command.
//!
//! In: nothing. Out: parts of the options of a recording. Invariant: knows neither verb.

use crate::exit::{Exit, Failure};
use browserlens_recorder::{Cancel, RecordError};
use browserlens_trace::{RedactionKey, TraceError};
use std::path::{Path, PathBuf};

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

/// The user's key of placeholders, made when it is first needed; it never stands in a trace.
pub(super) fn key_of_user() -> Result<RedactionKey, Failure> {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".config")))
        .ok_or_else(|| {
            Failure::words(
                Exit::Input,
                "neither XDG_CONFIG_HOME nor HOME is set",
                "set one: the key that hides secrets is kept there",
            )
        })?;
    let path = config.join("browserlens").join("redaction.key");
    RedactionKey::load_or_make(&path).map_err(|error: TraceError| super::trace_failure(&error))
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
