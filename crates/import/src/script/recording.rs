//! Recordings of ours become scenarios: what a person or an agent did once is recorded again by
//! itself.
//!
//! In: a trace. Out: a [`Script`], with facts to choose from: headings, alerts and statuses that
//! were new after a step. Invariant: a target means, on the page that was recorded, the node that
//! was acted on, or the step is left out and said.

use super::{MOST_STEPS, Script, selector};
use crate::error::ImportError;
use crate::plan::stem;
use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, NodeKey, Page};
use browserlens_core::strategy::{ActionKind, StepIndex};
use browserlens_trace::scenario::Target;
use browserlens_trace::{ActionRecord, Trace};
use std::collections::BTreeSet;
use std::path::Path;
use toml::Table;

/// Roles whose texts tell what a page came to.
const TELLING: [&str; 4] = ["heading", "alert", "status", "dialog"];
/// Most facts of a step, and how long they may be, in characters.
const MOST_FACTS: usize = 4;
const FACT_CHARS: std::ops::RangeInclusive<usize> = 3..=120;

pub(crate) fn read(path: &Path) -> Result<Vec<Script>, ImportError> {
    let trace = Trace::open(path)?;
    let (meta, rows) = (trace.meta().clone(), trace.steps()?);
    if rows.len() > MOST_STEPS {
        return Err(ImportError::too_large(path, "the trace", "its number of steps", MOST_STEPS as u64));
    }
    let mut script = Script::new(&stem(path, "imported"), "a recording");
    if !meta.goal.trim().is_empty() {
        script.goal.clone_from(&meta.goal);
    }
    script.why = "What was recorded once; its facts are headings and messages that were new: keep those that tell \
        whether the task is done."
        .to_owned();
    script.viewport = Some((meta.viewport.width, meta.viewport.height));
    script.site.clone_from(&meta.site);
    let mut before: Option<Page> = None;
    for row in &rows {
        let page = page(&trace, row.index)?;
        if let (Some(action), Some(was)) = (&row.action, &before) {
            one(&mut script, row.index.0 as usize, action, was);
        }
        let new = telling(&page, before.as_ref());
        if before.is_none() {
            page.url().clone_into(&mut script.url);
            script.start_facts = new;
        } else {
            for fact in new {
                script.fact(&fact);
            }
        }
        before = Some(page);
    }
    Ok(vec![script])
}

fn page(trace: &Trace, step: StepIndex) -> Result<Page, ImportError> {
    let capture = trace.capture(step)?;
    Page::parse(&capture)
        .map_err(|error| ImportError::malformed(trace.path(), format!("step {}", step.0), format!("its page: {error}")))
}

/// Texts that tell something and were not on the page before.
fn telling(page: &Page, before: Option<&Page>) -> Vec<String> {
    let of = |page: &Page| -> Vec<String> {
        let telling = page.nodes().filter(|node| node.is_visible() && TELLING.contains(&node.role()));
        let text = |node: browserlens_core::page::NodeRef<'_>| {
            let own = if node.role() == "dialog" { node.name().to_owned() } else { node.visible_text() };
            folded(&own)
        };
        telling.map(text).filter(|text| FACT_CHARS.contains(&text.chars().count())).collect()
    };
    let known: BTreeSet<String> = before.map(of).unwrap_or_default().into_iter().collect();
    let mut new = Vec::new();
    for text in of(page) {
        if !known.contains(&text) && !new.contains(&text) && new.len() < MOST_FACTS {
            new.push(text);
        }
    }
    new
}

fn one(script: &mut Script, at: usize, action: &ActionRecord, page: &Page) {
    use ActionKind as K;
    let (taken, text) = (&action.taken, action.taken.text.as_str());
    let kind = taken.kind.name();
    if taken.error.is_some() {
        return script.gap(at, kind, "it failed when it was recorded");
    }
    match (taken.kind, action.target) {
        (K::Goto, _) => script.open(text),
        (K::Press, None) => script.step("press", text),
        (K::Scroll, None) => scroll(script, at, "page", text),
        (K::Back | K::Forward | K::CloseTab, _) => script.step(kind, true),
        (K::SwitchTab, _) => match text.parse::<i64>() {
            Ok(tab) => script.step("switch_tab", tab),
            Err(_) => script.gap(at, kind, "it does not say to which"),
        },
        (K::Dialog, _) => script.step("dialog", text),
        (K::Drag, _) => script.gap(at, kind, "where it ends is not in a recording"),
        (_, None) => script.gap(at, kind, "it has no node"),
        (_, Some(key)) => match target(page, key) {
            Some(target) => on(script, at, action, target, page),
            None => script.gap(at, kind, "its node has no role and name, or is not on the page before"),
        },
    }
}

fn on(script: &mut Script, at: usize, action: &ActionRecord, target: Table, page: &Page) {
    use ActionKind as K;
    let (taken, text) = (&action.taken, action.taken.text.as_str());
    let is_secret = action.target.and_then(|key| page.find(key)).is_some_and(|node| node.flags().has(Flags::SECRET));
    if action.point.is_some() {
        script.gap(at, taken.kind.name(), "it was done at a point, and is done in the middle now");
    }
    match taken.kind {
        K::Fill | K::Type => script.enter(taken.kind.name(), at, target, text, is_secret),
        K::Press => script.step_with("press", text, "on", target),
        K::Select => {
            let mut options: Vec<toml::Value> = text.lines().map(Into::into).collect();
            let chosen = if options.len() == 1 { options.remove(0) } else { toml::Value::Array(options) };
            script.step_with("select", target, "option", chosen);
        }
        K::Check => script.step_with("check", target, "checked", text != "false"),
        K::Upload => {
            script.step_with("upload", target, "files", text.lines().collect::<Vec<_>>());
            script.gap(at, "its files", "only their names are in a recording: write where they lie");
        }
        K::Scroll => scroll(script, at, target, text),
        kind => script.step(kind.name(), target),
    }
}

fn scroll(script: &mut Script, at: usize, what: impl Into<toml::Value>, by: &str) {
    let by: Vec<f64> = by.split(',').filter_map(|side| side.trim().parse().ok()).collect();
    match by[..] {
        [x, y] => script.scroll(what, x, y),
        _ => script.gap(at, "scroll", "it does not say how far"),
    }
}

/// Returns what means a node on its page: role and name, and which one of several.
fn target(page: &Page, key: NodeKey) -> Option<Table> {
    let node = page.find(key)?;
    if node.role().is_empty() || node.name().trim().is_empty() {
        return None;
    }
    let all = Target::role(node.role(), node.name()).matches(page);
    let nth = all.iter().position(|id| *id == node.id())?;
    let mut target = selector::role(node.role(), node.name());
    if all.len() > 1 {
        target.insert("nth".to_owned(), (nth as i64).into());
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_trace::scenario::Scenario;

    #[test]
    fn a_recording_becomes_the_scenario_that_it_was_made_by() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
        let path = root.join("login-wrong-then-right.trace");
        let script = read(&path).expect("reads").remove(0);
        let toml = script.toml(Path::new("again.toml")).expect("a scenario");
        let made = Scenario::parse(&toml, Path::new("again.toml")).expect("parses");
        let original = std::fs::read_to_string(root.join("scenarios/login/wrong-then-right.toml")).expect("is there");
        let original = Scenario::parse(&original, Path::new("wrong-then-right.toml")).expect("parses");
        assert_eq!((&made.goal, &made.site, made.viewport), (&original.goal, &original.site, original.viewport));
        let done = |scenario: &Scenario| -> Vec<String> {
            scenario
                .steps
                .iter()
                .map(|step| format!("{} {:?}", step.action.kind().name(), step.action.target()))
                .collect()
        };
        assert_eq!(done(&made), done(&original));
        assert!(toml.contains("Sign in to Fernway") && toml.contains("Email and password do not match"), "{toml}");
        // Of what was typed into a password field there is only a placeholder.
        assert!(toml.contains("SECRET_1") && !toml.contains("silver-heron"), "{toml}");
    }

    #[test]
    fn what_is_no_trace_says_so() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "no database").expect("writes");
        let error = read(file.path()).expect_err("no trace");
        assert!(error.to_string().contains(&*file.path().to_string_lossy()), "{error}");
    }
}
