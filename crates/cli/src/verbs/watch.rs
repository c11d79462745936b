//! `watch`: a local page that shows the sessions of `page`, and the clients of `serve --watch`.
//!
//! In: a port. Out: the page's address on standard output; it is served until the command is ended.

use super::page::folder_of_user;
use crate::Ended;
use crate::args::WatchArgs;
use crate::exit::{Exit, Failure};
use browserlens_serve::{Watching, serve_watch};
use tokio_util::sync::CancellationToken;

pub(crate) fn run(args: &WatchArgs) -> Ended {
    let folder = folder_of_user()?;
    let runtime = tokio::runtime::Runtime::new();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Input, &error, "free some memory or threads"))?;
    let cannot = |error| Failure::new(Exit::Input, &error, "give another port by --port, or none");
    runtime.block_on(async {
        let watching = Watching::on(args.port).await.map_err(cannot)?;
        crate::output::data(&format!("{}\n", watching.url()))?;
        crate::output::status("open it in a browser; end it with Ctrl+C");
        let stop = CancellationToken::new();
        tokio::spawn(super::serve::stop_when_asked(stop.clone()));
        serve_watch(watching, folder, stop).await.map_err(cannot)
    })?;
    Ok(Exit::Success)
}
