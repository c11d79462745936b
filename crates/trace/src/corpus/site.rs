//! Which site a trace is of.
//!
//! In: a trace. Out: a name. Invariant: traces of one site have one name, whatever their scenario.

use crate::{Trace, TraceError};
use browserlens_core::strategy::StepIndex;

/// Returns the bundled site, or the host of the first page; of a page without one, the first part
/// of the scenario's name.
pub(crate) fn site_of(trace: &Trace) -> Result<String, TraceError> {
    if let Some(site) = &trace.meta().site {
        return Ok(site.clone());
    }
    let scenario = &trace.meta().scenario;
    let of_scenario = || scenario.split('/').next().unwrap_or(scenario).to_owned();
    if trace.is_empty() {
        return Ok(of_scenario());
    }
    let (page, _) = trace.page(StepIndex(0))?;
    Ok(host(page.url()).map_or_else(of_scenario, str::to_ascii_lowercase))
}

/// Returns host and port of an address, without who asks.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_stands_between_user_and_path() {
        assert_eq!(host("https://me:secret@shop.test:8080/a?b#c"), Some("shop.test:8080"));
        assert_eq!(host("http://shop.test?x"), Some("shop.test"));
        assert_eq!(host("about:blank"), None);
        assert_eq!(host("file:///home/x"), None);
    }
}
