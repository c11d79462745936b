//! `serve`: pages for agents, over MCP and HTTP, from a live browser or a trace.

use crate::Ended;
use crate::args::{BrowserArgs, ServeArgs};
use crate::exit::{Exit, Failure};
use browserlens_knowledge::gaps::PROMPT_VERSION;
use browserlens_serve::{Access, Desk, HttpOptions, ServeError, serve_desk, serve_http, serve_stdio};
use browserlens_session::{KnowledgeBase, Opener, Policy, Shared, TraceOpener, WitnessMaker};
#[cfg(feature = "record")]
use browserlens_session::{RecordingOptions, recording};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(crate) fn run(args: &ServeArgs) -> Ended {
    log(args.log_json);
    let token = args.token_env.as_deref().map(token).transpose()?;
    let opener = match &args.trace {
        Some(path) => Sourced::Trace { path, step: 0 },
        None => Sourced::Browser { url: args.url.clone() },
    };
    if let Some(store) = args.browser.knowledge.as_ref().filter(|store| !store.exists()) {
        crate::output::status(&format!(
            "{}: not there yet: questions are refused until `browserlens knowledge build --store` makes it",
            store.display()
        ));
    }
    let mut shared = shared(opener, &args.browser, args.http.is_none())?;
    // No group is all of them.
    shared.policy.groups = args.tools.iter().copied().collect::<Option<_>>().unwrap_or_default();
    let desk = args.watch.then(Arc::<Desk>::default);
    let shared = Arc::new(shared);
    let runtime = super::runtime()?;
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    runtime.spawn(stop_when_asked(stop.clone()));
    if let Some(desk) = desk.clone() {
        let socket = super::page::folder_of_user()?.join(format!("serve-{}.socket", std::process::id()));
        let stop = stop.clone();
        runtime.spawn(async move {
            if let Err(error) = serve_desk(&socket, desk, stop).await {
                tracing::warn!(%error, "it cannot be looked on");
            }
        });
    }
    let limit = Duration::from_secs(args.browser.timeout);
    let served = runtime.block_on(async {
        match args.http {
            None => serve_stdio(shared, limit, stop, desk).await,
            Some(address) => {
                let access = Access {
                    token,
                    host_names: args.host_name.clone(),
                    origins: args.allow_origin.clone(),
                    ..Access::default()
                };
                let options = HttpOptions {
                    access,
                    most_clients: args.max_clients,
                    call_limit: limit,
                    idle: Duration::from_secs(args.idle * 60),
                    desk,
                    ..HttpOptions::default()
                };
                let listening = serve_http(shared, address, options, stop).await?;
                tracing::info!(address = %listening.address, "listening");
                crate::output::status(&format!("listening on http://{}, MCP under /mcp", listening.address));
                listening.finished().await
            }
        }
    });
    // Whoever looks on has nothing left to look at.
    stopped.cancel();
    // A read of standard input that is under way cannot be ended.
    runtime.shutdown_background();
    served.map(|()| Exit::Success).map_err(|error| {
        let (exit, hint) = match &error {
            ServeError::Options(_) => (Exit::Usage, "put it into an environment variable and name that by --token-env"),
            ServeError::Listen { .. } => (Exit::Usage, "choose another address or port"),
            _ => (Exit::Input, "see the log above"),
        };
        Failure::new(exit, &error, hint)
    })
}

pub(crate) fn log(as_json: bool) {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_target(false);
    // A log that is set already stays.
    drop(if as_json { log.json().try_init() } else { log.try_init() });
}

pub(crate) async fn stop_when_asked(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
    }
    stop.cancel();
}

fn token(name: &str) -> Result<String, Failure> {
    std::env::var(name).ok().filter(|token| !token.is_empty()).ok_or_else(|| {
        Failure::usage(format!("the environment variable {name} is not set"), "set it to a long random text")
    })
}

/// What a client looks at.
pub(crate) enum Sourced<'a> {
    /// A trace, from one of its steps on.
    Trace { path: &'a Path, step: u32 },
    /// A browser, perhaps at a URL.
    Browser { url: Option<String> },
}

/// Makes what clients share; this machine's own pages may be opened where it is said.
pub(crate) fn shared(source: Sourced<'_>, args: &BrowserArgs, loopback: bool) -> Result<Shared, Failure> {
    let policy = Policy {
        private: args.allow_private,
        loopback,
        evaluate: args.allow_evaluate,
        hosts: args.allow_host.clone(),
        schemes: args.allow_scheme.clone(),
        upload_root: args.upload_root.clone(),
        ..Policy::default()
    };
    let (opener, start_url): (Box<dyn Opener>, _) = match source {
        Sourced::Trace { path, step } => (Box::new(TraceOpener::new(path, step)?), None),
        Sourced::Browser { url } => (browser(args, &policy)?, url),
    };
    let model = args.model.asked(args.timeout.try_into().unwrap_or(u32::MAX), PROMPT_VERSION)?;
    let made = Shared::new(opener, policy).map_err(|error| Failure::new(Exit::Input, &error, "try again"))?;
    Ok(Shared {
        knowledge: KnowledgeBase::new(args.knowledge.clone()).with_model(model),
        reading_cache: args.cache.clone(),
        limits: super::inspect::limits(&args.limits)?,
        start_url,
        witness: witness(args)?,
        ..made
    })
}

#[cfg(feature = "record")]
fn witness(args: &BrowserArgs) -> Result<Option<Box<WitnessMaker>>, Failure> {
    let Some(out) = &args.record else { return Ok(None) };
    if out.is_dir() || out.file_stem().is_none() {
        let message = format!("--record: {} is a folder", out.display());
        return Err(Failure::usage(message, "name the file: --record run.trace"));
    }
    let options = RecordingOptions {
        force: args.force,
        goal: args.goal.clone(),
        redaction_key: super::key_of_user()?,
        now: Some(Box::new(super::replay::now)),
        ..RecordingOptions::new(out)
    };
    recording(options).map(Some).map_err(Failure::from)
}

#[cfg(not(feature = "record"))]
fn witness(_: &BrowserArgs) -> Result<Option<Box<WitnessMaker>>, Failure> {
    Ok(None)
}

#[cfg(feature = "record")]
fn browser(args: &BrowserArgs, policy: &Policy) -> Result<Box<dyn Opener>, Failure> {
    use browserlens_recorder::{AttachTab, LiveOptions};
    use browserlens_session::LiveOpener;
    if let Some(address) = &args.cdp {
        let tab = args.tab.clone().map_or(AttachTab::New, AttachTab::Named);
        return Ok(Box::new(LiveOpener::attached(address.clone(), tab, LiveOptions::default())));
    }
    browserlens_recorder::find_chrome(args.chrome.as_deref())?;
    let is_root = super::is_root();
    if args.no_sandbox || is_root {
        tracing::warn!(no_sandbox = args.no_sandbox, is_root, "Chromium runs without its sandbox");
    }
    let options = LiveOptions { chrome: args.chrome.clone(), no_sandbox: args.no_sandbox, ..LiveOptions::default() };
    let opener = LiveOpener::new(options, policy).map_err(|error| {
        Failure::browser(format!("cannot start the proxy for Chromium: {error}"), "free some ports or threads")
    })?;
    Ok(Box::new(opener))
}

#[cfg(not(feature = "record"))]
fn browser(_: &BrowserArgs, _: &Policy) -> Result<Box<dyn Opener>, Failure> {
    Err(Failure::usage("this build has no live browser", "name a trace by --trace, or build with `--features record`"))
}
