//! What the lens says of the bundled traces, by digest: a change of a cost, a limit or a rule that
//! no other test of this crate names shows here, in seconds. The texts themselves are pinned by the
//! tests of `replay`, which also say what `bench --accept` has to explain.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::strategy::{Request, Run, StepIndex};
use browserlens_lens::{Lens, LensOptions, ShownState, Style};
use browserlens_trace::Trace;
use common::{a11y, traces, try_observe};
use std::fmt::Write as _;
use std::sync::Arc;

/// What an agent reads of a trace: every observation, and after it what the first mark hides and
/// what a question finds.
fn read(trace: &Trace, options: &LensOptions) -> blake3::Hash {
    let mut lens = Lens::new(options.clone());
    let mut shown = ShownState::default();
    let mut look = None;
    let mut said = blake3::Hasher::new();
    for step in 0..trace.len() {
        let page = Arc::new(trace.page(StepIndex(step)).unwrap().0);
        match try_observe(&mut lens, step, &page, look.as_ref()) {
            Ok(observation) => {
                shown.apply(&observation.text).unwrap();
                said.update(observation.text.as_bytes());
            }
            Err(error) => drop(said.update(error.to_string().as_bytes())),
        }
        look = trace.second_look(StepIndex(step)).unwrap();
        let mark = shown.elided().into_iter().find_map(|mark| mark.handle);
        let expand = mark.map(|handle| Request::Expand { handle: handle.to_string() });
        for request in expand.into_iter().chain([Request::Query { text: "save the order".to_owned() }]) {
            if let Ok(answer) = lens.request(&request) {
                shown.apply(&answer.text).unwrap();
                said.update(answer.text.as_bytes());
            }
        }
    }
    said.finalize()
}

#[test]
fn every_bundled_trace_is_read_as_before() {
    let (bundled, traces) = traces();
    if !bundled {
        return;
    }
    let ways = [
        ("delta", LensOptions::default()),
        ("budget 1500", LensOptions { budget: Some(1_500), ..LensOptions::default() }),
        ("budget 400", LensOptions { budget: Some(400), ..a11y() }),
        ("seed", LensOptions { style: Style::SEED, ..a11y() }),
    ];
    let mut lines: Vec<String> = Vec::new();
    for (name, trace) in &traces {
        let mut line = format!("{name}:");
        for (way, options) in &ways {
            write!(line, " {way} {}", &read(trace, options).to_hex()[..12]).unwrap();
        }
        lines.push(line);
    }
    lines.sort();
    insta::assert_snapshot!(lines.join("\n"));
}
