//! Everything that a recording needs before its first step: server, browser, trace file.
//!
//! In: a [`Scenario`] and [`RecordOptions`]. Out: a [`CaptureSession`] with its server, and a writer.
//! Invariant: secrets are known to the redactor before anything is written.

use crate::capture_session::CaptureSession;
use crate::chrome::ChromeOptions;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use crate::options::RecordOptions;
use crate::site_server::SiteServer;
use crate::step_writer::StepWriter;
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{Canonicalizer, RedactionKey, RedactionOptions, Redactor, TraceMeta, TraceSource};
use std::time::Duration;

/// Longest real time for a page of a bundled site to come to rest.
const SITE_CEILING: Duration = Duration::from_secs(20);

/// Starts server and browser.
pub(crate) async fn open(
    scenario: &Scenario,
    options: &RecordOptions,
) -> Result<(CaptureSession, Option<SiteServer>), RecordError> {
    let unusable = |reason: &str| RecordError::Unusable { scenario: scenario.name.clone(), reason: reason.to_owned() };
    if scenario.site.is_none() && scenario.url.is_none() {
        return Err(unusable("it names neither a site nor a url"));
    }
    let mut secrets = Vec::new();
    for step in scenario.setup.iter().chain(&scenario.steps) {
        let text = step.action.text();
        if text.is_secret() {
            secrets.push(text.resolve(&*options.env)?);
        }
    }
    let server = match &scenario.site {
        Some(site) => Some(SiteServer::start_on_page_time(&options.sites_dir, site).await?),
        None => None,
    };
    let limit = Duration::from_millis(scenario.timeout_ms);
    let ceiling = options.ceiling.unwrap_or(if server.is_some() { limit.min(SITE_CEILING) } else { limit });
    let looked_at = options.fast_looks.is_some() || options.beside.is_some();
    let chrome = ChromeOptions {
        path: options.chrome.clone(),
        no_sandbox: options.no_sandbox,
        host_rules: server.as_ref().map(SiteServer::resolver_rules),
        tells_roles: looked_at,
        ..ChromeOptions::default()
    };
    let setup = SessionSetup {
        clock_seed: server.is_some().then_some(scenario.seed),
        viewport: scenario.viewport,
        locale: scenario.locale.clone(),
        timezone: scenario.timezone.clone(),
        tree_anew: looked_at,
        ..SessionSetup::default()
    };
    let driver = Driver::start(&chrome, setup, ceiling, server.as_ref().and_then(SiteServer::clock)).await?;
    let stage = CaptureSession::new(driver, Canonicalizer::new(), secrets, scenario.viewport.scale);
    Ok((stage, server))
}

pub(crate) fn create_writer(
    scenario: &Scenario,
    options: &RecordOptions,
    browser: &str,
    secrets: &[String],
) -> Result<StepWriter, RecordError> {
    let bundled = scenario.site.is_some();
    let meta = TraceMeta {
        scenario: scenario.name.clone(),
        goal: scenario.goal.clone(),
        site: scenario.site.clone(),
        source: TraceSource::Recorded,
        viewport: scenario.viewport,
        locale: scenario.locale.clone(),
        timezone: scenario.timezone.clone(),
        browser: browser.to_owned(),
        recorded_at: options.recorded_at.clone().filter(|_| !bundled),
        ..TraceMeta::default()
    };
    StepWriter::create(&options.out, options.force, meta, redactor(scenario, options, secrets))
}

pub(crate) fn redactor(scenario: &Scenario, options: &RecordOptions, secrets: &[String]) -> Redactor {
    let key = if scenario.site.is_some() { RedactionKey::Fixed } else { options.redaction_key.clone() };
    Redactor::new(RedactionOptions { key, known: secrets.to_vec(), public: scenario.public.clone() })
}
