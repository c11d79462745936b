//! What both ways of recording need: to be ended by Ctrl-C.
//!
//! In: nothing. Out: parts of the options of a recording. Invariant: knows neither verb.

use browserlens_recorder::Cancel;

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
