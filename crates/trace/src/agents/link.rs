//! Which call of a run told of which page: a record and the trace of the same run.
//!
//! In: a record, and the trace that was recorded while it was made. Out: the record with
//! [`Call::step`] of each call whose answer tells of a page. Invariant: every step of the trace is
//! some call's, and every call that acts has a step; where that cannot be had in the order of both,
//! nothing is linked, since a wrong link would give wrong numbers unseen.

use crate::agents::AgentsError;
use crate::agents::call_cost::words_of;
use crate::agents::record::{Call, RunRecord};
use crate::{StepRow, Trace, TraceError};
use browserlens_core::strategy::{ActionKind, TakenAction};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Words of functions that show a page whole.
const SHOWS: [&str; 4] = ["observe", "snapshot", "screenshot", "state"];

const HINT: &str =
    "take the trace that was recorded with the run; counterfactual looks beside the record and in --traces";

/// Links a record with its trace: says which call told of which step.
///
/// # Errors
/// [`AgentsError::Wrong`] if the trace cannot be read, has a step that no call led to, or lacks one
/// that a call did.
pub fn link(record: &mut RunRecord, trace: &Path) -> Result<(), AgentsError> {
    let wrong = |what: String| AgentsError::Wrong { path: trace.to_owned(), what, hint: HINT };
    let unreadable = |error: TraceError| wrong(error.to_string());
    let name = trace.file_name().and_then(|name| name.to_str()).ok_or_else(|| wrong("no file of that name".into()))?;
    let opened = Trace::open(trace).map_err(unreadable)?;
    let steps = opened.steps().map_err(unreadable)?;
    let found = linked(&record.calls, &steps).map_err(wrong)?;
    for (call, step) in record.calls.iter_mut().zip(found) {
        call.step = step;
    }
    record.header.trace = Some(name.to_owned());
    if let Some(end) = &mut record.end {
        end.trace_hash = Some(opened.hash().to_string());
    }
    Ok(())
}

/// Returns the trace of a record's run: beside the record, else in one of the folders; none if the
/// record names none.
///
/// # Errors
/// [`AgentsError::Wrong`] if the record names a place instead of a file, a file that is nowhere, or
/// one that is not the trace of the run by its hash or its number of steps.
pub fn trace_of(record: &RunRecord, path: &Path, folders: &[PathBuf]) -> Result<Option<PathBuf>, AgentsError> {
    let wrong = |what: String| AgentsError::Wrong { path: path.to_owned(), what, hint: HINT };
    let Some(name) = &record.header.trace else { return Ok(None) };
    // Records come from others: a name is a file here, and no way to another place.
    if Path::new(name).file_name().is_none_or(|file| file != name.as_str()) || name.contains(['/', '\\']) {
        return Err(wrong(format!("names the trace {name:?}, which is no file name")));
    }
    let beside = path.parent().unwrap_or(Path::new(""));
    let mut places = std::iter::once(beside).chain(folders.iter().map(PathBuf::as_path)).map(|at| at.join(name));
    let Some(found) = places.find(|place| place.is_file()) else {
        return Err(wrong(format!("its trace {name:?} is not there")));
    };
    let trace = Trace::open(&found).map_err(|error| wrong(error.to_string()))?;
    let hash = record.end.as_ref().and_then(|end| end.trace_hash.as_deref());
    if hash.is_some_and(|hash| hash != trace.hash().to_string()) {
        return Err(wrong(format!("{} is not the trace of this run", found.display())));
    }
    let last = record.calls.iter().filter_map(|call| call.step).max();
    if last.is_some_and(|step| step >= trace.len()) {
        let steps = trace.len();
        return Err(wrong(format!("tells of step {} of {}, which has {steps}", last.unwrap_or(0), found.display())));
    }
    Ok(Some(found))
}

/// Returns the step of each call, or what does not fit.
fn linked(calls: &[Call], steps: &[StepRow]) -> Result<Vec<Option<u32>>, String> {
    let mut found = Vec::with_capacity(calls.len());
    let words: Vec<Vec<String>> = calls.iter().map(words_of).collect();
    let is_opening = |at: usize| fits(&calls[at], &words[at], ActionKind::Goto, "");
    let first = (0..calls.len()).find(|at| acts(&words[*at]) && !calls[*at].is_error);
    let taken_at = |step: usize| steps.get(step).and_then(|row| row.action.as_ref()).map(|action| &action.taken);
    // The first page is there when the first call is made, or the first call that acts opens it.
    let opens_next = |at: usize| {
        taken_at(1).is_some_and(|taken| taken.kind == ActionKind::Goto && says(&calls[at].arguments, &taken.text))
    };
    let opens = first.is_some_and(|at| is_opening(at) && !opens_next(at));
    let mut next = usize::from(!opens && !steps.is_empty());
    for (at, call) in calls.iter().enumerate() {
        let mut step = None;
        if Some(at) == first && opens {
            step = (!steps.is_empty()).then_some(0);
            next = 1;
        } else {
            let mut left = fields_of(call);
            while let Some(taken) = taken_at(next) {
                // What the tool refused led nowhere, unless the trace says that it failed too.
                let is_its = !call.is_error || taken.error.is_some();
                if !is_its
                    || !fits(call, &words[at], taken.kind, &taken.text)
                    || left == 0
                    || (step.is_some() && !is_many(taken))
                {
                    break;
                }
                step = Some(next);
                next += 1;
                left -= 1;
            }
        }
        let current = next.checked_sub(1).filter(|_| !call.is_error);
        if step.is_none() && acts(&words[at]) && !may_be_unseen(&words[at]) && !call.is_error {
            let waits = taken_at(next).map_or_else(|| "the trace ends".to_owned(), in_words);
            return Err(format!("call {} ({}) has no step: next in the trace is: {waits}", call.call, call.name));
        }
        let shown = step.or_else(|| current.filter(|_| has(&words[at], &SHOWS)));
        found.push(shown.and_then(|step| u32::try_from(step).ok()));
    }
    match taken_at(next) {
        Some(taken) => Err(format!("step {next} ({}) is no call's", in_words(taken))),
        None => Ok(found),
    }
}

/// Whether one call may lead to several steps of this kind: a form that is filled.
fn is_many(taken: &TakenAction) -> bool {
    matches!(taken.kind, ActionKind::Fill | ActionKind::Check | ActionKind::Select)
}

/// How many fields a call may set: those of a list in its arguments, or of a command line.
fn fields_of(call: &Call) -> usize {
    let fields = |member: &Value| match member {
        Value::Array(items) => items.len(),
        Value::String(command) => command.split_whitespace().filter(|word| word.contains('=')).count(),
        _ => 1,
    };
    let most = match &call.arguments {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.values().map(fields).max().unwrap_or(1),
        _ => 1,
    };
    most.max(1)
}

fn in_words(taken: &TakenAction) -> String {
    let node = taken.node.as_ref().map_or_else(String::new, |node| format!(" {} {:?}", node.role, node.name));
    format!("{}{node}", taken.kind)
}

/// Words of functions that lead to a kind of action.
fn words_for(kind: ActionKind) -> &'static [&'static str] {
    match kind {
        ActionKind::Goto => &["navigate", "goto", "open", "visit"],
        ActionKind::Click => &["click", "check", "uncheck", "tap"],
        ActionKind::DoubleClick => &["click", "dblclick"],
        ActionKind::RightClick => &["click"],
        ActionKind::Hover => &["hover"],
        ActionKind::Fill | ActionKind::Type => &["fill", "type", "input"],
        ActionKind::Press => &["press", "key"],
        ActionKind::Select => &["select", "fill", "click", "choose"],
        ActionKind::Check => &["check", "uncheck", "fill", "click"],
        ActionKind::Upload => &["upload"],
        ActionKind::Drag => &["drag"],
        ActionKind::Scroll => &["scroll"],
        ActionKind::Back => &["back", "navigate"],
        ActionKind::Forward => &["forward", "navigate"],
        ActionKind::WaitFor => &["wait"],
        ActionKind::SwitchTab | ActionKind::CloseTab => &["tab", "tabs"],
        ActionKind::Dialog => &["dialog"],
    }
}

fn has(words: &[String], of: &[&str]) -> bool {
    words.iter().any(|word| of.contains(&word.as_str()))
}

fn acts(words: &[String]) -> bool {
    !has(words, &SHOWS) && ActionKind::ALL.into_iter().any(|kind| has(words, words_for(kind)))
}

/// What a recorder may leave out, since no page need change by it.
fn may_be_unseen(words: &[String]) -> bool {
    has(words, &["wait", "scroll", "tab", "tabs", "dialog", "hover"])
}

/// Whether a call may have led to an action: its name says so, and what was typed stands in its
/// arguments.
fn fits(call: &Call, words: &[String], kind: ActionKind, text: &str) -> bool {
    let types = matches!(kind, ActionKind::Fill | ActionKind::Type);
    // A secret stands in both in its own way.
    let is_said = || text.is_empty() || text.contains("redacted") || says(&call.arguments, text);
    has(words, words_for(kind)) && (!types || is_said())
}

fn says(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(items) => items.iter().any(|item| says(item, text)),
        Value::Object(members) => members.values().any(|member| says(member, text)),
        Value::Number(number) => number.to_string() == text,
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionRecord;
    use browserlens_core::strategy::{Intent, StepIndex};
    use serde_json::json;

    fn call(name: &str, arguments: Value) -> Call {
        Call { name: name.to_owned(), arguments, ..Call::default() }
    }

    fn steps(kinds: &[(ActionKind, &str)]) -> Vec<StepRow> {
        let row = |at: usize, action: Option<(ActionKind, &str)>| StepRow {
            index: StepIndex(u32::try_from(at).expect("few")),
            action: action.map(|(kind, text)| ActionRecord {
                taken: TakenAction { kind, node: None, text: text.to_owned(), error: None },
                intent: Intent { action: kind, node: None, text: text.to_owned() },
                target: None,
                acceptable: Vec::new(),
                resolved_in: StepIndex(0),
                point: None,
            }),
            ..StepRow::default()
        };
        let rest = kinds.iter().enumerate().map(|(at, action)| row(at + 1, Some(*action)));
        std::iter::once(row(0, None)).chain(rest).collect()
    }

    #[test]
    fn each_call_that_acts_or_shows_has_the_step_that_it_told_of() {
        let refused = Call { is_error: true, ..call("click", json!({ "ref": "@e9" })) };
        let calls = [
            call("navigate", json!({ "url": "http://x.test" })),
            call("find", json!({ "text": "lamp" })),
            refused,
            call("fill", json!({ "fields": [{ "ref": "@e1", "value": "Mira" }, { "ref": "@e2", "value": "true" }] })),
            call("browser_snapshot", json!({})),
            call("Bash", json!({ "command": "agent-browser click @e3" })),
        ];
        let recorded = steps(&[(ActionKind::Fill, "Mira"), (ActionKind::Check, ""), (ActionKind::Click, "")]);
        assert_eq!(linked(&calls, &recorded), Ok(vec![Some(0), None, None, Some(2), Some(2), Some(3)]));
        // One call a field: none takes the next one's step.
        let calls = ["navigate", "fill", "check"].map(|name| call(name, json!({ "text": "Mira" })));
        let recorded = steps(&[(ActionKind::Fill, "Mira"), (ActionKind::Check, "")]);
        assert_eq!(linked(&calls, &recorded), Ok(vec![Some(0), Some(1), Some(2)]));
        // A session that begins on a page.
        let calls = [call("observe", json!({})), call("press", json!({ "key": "Tab" }))];
        assert_eq!(linked(&calls, &steps(&[(ActionKind::Press, "Tab")])), Ok(vec![Some(0), Some(1)]));
    }

    #[test]
    fn what_does_not_fit_is_said_and_nothing_is_linked() {
        let calls = [call("navigate", json!({ "url": "http://x.test" })), call("click", json!({ "ref": "@e1" }))];
        let said = |kinds: &[(ActionKind, &str)]| linked(&calls, &steps(kinds)).unwrap_err();
        assert_eq!(said(&[]), "call 0 (click) has no step: next in the trace is: the trace ends");
        assert_eq!(said(&[(ActionKind::Fill, "a")]), "call 0 (click) has no step: next in the trace is: fill");
        assert_eq!(said(&[(ActionKind::Click, ""), (ActionKind::Back, "")]), "step 2 (back) is no call's");
        let typed = [call("type", json!({ "text": "one" }))];
        assert!(linked(&typed, &steps(&[(ActionKind::Fill, "two")])).is_err());
    }

    #[test]
    fn a_record_names_a_file_and_no_other_place() {
        let mut record = RunRecord::default();
        let at = Path::new("runs/a.run");
        assert!(matches!(trace_of(&record, at, &[]), Ok(None)));
        for hostile in ["../a.trace", "/etc/passwd", "..", "a/b.trace", "", "c:\\a.trace"] {
            record.header.trace = Some(hostile.to_owned());
            let error = trace_of(&record, at, &[]).unwrap_err();
            assert!(error.to_string().contains("is no file name"), "{error}");
        }
        record.header.trace = Some("a.trace".to_owned());
        assert_eq!(
            trace_of(&record, at, &[]).unwrap_err().to_string(),
            "runs/a.run: its trace \"a.trace\" is not there"
        );
    }
}
