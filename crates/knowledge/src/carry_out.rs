//! Does in a live browser what a recording did, such as signing in before a crawl.
//!
//! In: a recording and whatever can act on a page. Out: how many steps were carried out.
//! Invariants: each node is looked for by its words on the live page, and none or several are an
//! error that names the step; nothing after the wanted step is done; no address of the recording
//! leads off the origin that is open.
//!
//! A trace keeps a secret as a placeholder of the same form, which nothing tells from the secret:
//! what a field really needs has to be given.

use crate::error::KnowledgeError;
use crate::translate::{ActionType, Wanted, resolve, shown};
use browserlens_core::strategy::{ActError, ActionKind, Actor, TakenAction};
use browserlens_trace::Trace;
use url::Url;

/// Carries out the steps of a recording up to one of them, all if none is named. `secret` gives
/// what is typed into a field, by the field's name, where it is not what was typed then. Addresses
/// of the recording's origin are taken to the origin that is open.
///
/// # Errors
/// [`KnowledgeError`] naming the step that cannot be carried out.
pub fn carry_out(
    actor: &mut impl Actor,
    trace: &Trace,
    until: Option<u32>,
    secret: &dyn Fn(&str) -> Option<String>,
) -> Result<u32, KnowledgeError> {
    let last = until.unwrap_or(u32::MAX);
    let mut recorded: Option<Url> = None;
    let mut done = 0;
    for row in trace.steps()? {
        if recorded.is_none() {
            recorded = Url::parse(trace.page(row.index)?.0.url()).ok();
        }
        let step = row.index.0;
        let Some(action) =
            row.action.as_ref().filter(|action| step > 0 && step <= last && action.taken.error.is_none())
        else {
            continue;
        };
        let wrong = |problem: String| KnowledgeError::Invalid {
            kind: "step",
            id: format!("{step} of {}", shown(&trace.meta().scenario)),
            problem,
        };
        let (page, _) = actor.page()?;
        let mut taken = TakenAction { error: None, ..action.taken.clone() };
        let mut key = None;
        if let Some(hint) = &taken.node {
            let kind = ActionType::parse(taken.kind.name()).map_err(|error| wrong(error.to_string()))?;
            let wanted = Wanted { target: Some(hint.into()), ..Wanted::default() };
            key = Some(resolve(&page, kind, &wanted).map_err(|error| wrong(error.to_string()))?.key());
            if matches!(taken.kind, ActionKind::Fill | ActionKind::Type)
                && let Some(text) = secret(&hint.name)
            {
                taken.text = text;
            }
        }
        if taken.kind == ActionKind::Goto {
            taken.text = moved(&taken.text, recorded.as_ref(), page.url());
        }
        actor.act(&taken, key).map_err(|error| match error {
            ActError::Source(error) => KnowledgeError::Source(error),
            other => wrong(other.to_string()),
        })?;
        done += 1;
    }
    Ok(done)
}

/// Returns an address at the origin that is open, if it was one of the recording's.
fn moved(url: &str, recorded: Option<&Url>, open: &str) -> String {
    let (Ok(open), Some(recorded)) = (Url::parse(open), recorded) else { return url.to_owned() };
    match recorded.join(url) {
        Ok(wanted) if wanted.origin() == recorded.origin() => {
            let mut to = open;
            to.set_path(wanted.path());
            to.set_query(wanted.query());
            to.set_fragment(wanted.fragment());
            to.to_string()
        }
        Ok(elsewhere) => elsewhere.to_string(),
        Err(_) => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_recording_are_taken_to_the_origin_that_is_open() {
        let recorded = Url::parse("http://shop.test/").ok();
        let at = |url: &str| moved(url, recorded.as_ref(), "http://127.0.0.1:8080/start?x=1");
        assert_eq!(at("http://shop.test/cart?a=1#b"), "http://127.0.0.1:8080/cart?a=1#b");
        assert_eq!(at("/cart"), "http://127.0.0.1:8080/cart");
        assert_eq!(at("https://elsewhere.test/x"), "https://elsewhere.test/x");
        assert_eq!(at("http://shop.test//evil.test/x"), "http://127.0.0.1:8080//evil.test/x");
    }
}
