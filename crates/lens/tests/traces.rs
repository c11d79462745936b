//! What the lens says of the bundled traces and of sites that are made up, by digest: a change of a
//! cost, a limit or a rule that no other test of this crate names shows here, in seconds. The texts
//! themselves are pinned by the tests of `replay`, which also say what `bench --accept` has to
//! explain.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Page, SecondLook};
use browserlens_core::strategy::{Request, Run, StepIndex};
use browserlens_lens::extract::Grade;
use browserlens_lens::{Lens, LensOptions, Representation, ShownState, Style};
use common::witness::{second_look, story};
use common::{a11y, traces, try_observe};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::fmt::Write as _;
use std::sync::Arc;

/// What an agent reads of pages, each with what was learned of it a moment later: every observation,
/// and after it what the first mark hides and what a question finds.
fn read(pages: impl IntoIterator<Item = (Arc<Page>, Option<SecondLook>)>, options: &LensOptions) -> blake3::Hash {
    let mut lens = Lens::new(options.clone());
    let mut shown = ShownState::default();
    let mut look = None;
    let mut said = blake3::Hasher::new();
    for (step, (page, next)) in pages.into_iter().enumerate() {
        match try_observe(&mut lens, step as u32, &page, look.as_ref()) {
            Ok(observation) => {
                shown.apply(&observation.text).unwrap();
                said.update(observation.text.as_bytes());
            }
            Err(error) => drop(said.update(error.to_string().as_bytes())),
        }
        look = next;
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
            let pages = (0..trace.len()).map(|step| {
                let step = StepIndex(step);
                (Arc::new(trace.page(step).unwrap().0), trace.second_look(step).unwrap())
            });
            write!(line, " {way} {}", &read(pages, options).to_hex()[..12]).unwrap();
        }
        lines.push(line);
    }
    lines.sort();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn sites_that_are_made_up_are_read_as_before() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Default::default(), rng);
    let dom = |grade| LensOptions { representation: Some(Representation::Dom), grade, ..LensOptions::default() };
    let ways = [
        LensOptions::default(),
        LensOptions { delta_limit_percent: 100_000, ..a11y() },
        LensOptions { budget: Some(60), delta_limit_percent: 100_000, ..a11y() },
        LensOptions { budget: Some(150), style: Style::SEED, ..a11y() },
        LensOptions { budget: Some(400), longest_name: Some(20), ..a11y() },
        LensOptions { delta_limit_percent: 100_000, ..dom(Grade::ALL[0]) },
        LensOptions { budget: Some(600), ..dom(Grade::ALL[1]) },
    ];
    let mut lines: Vec<String> = Vec::new();
    for at in 0..200 {
        let (mut site, ops) = story().new_tree(&mut runner).unwrap().current();
        let mut pages = Vec::new();
        for step in 0..=ops.len() {
            ops[..step].last().into_iter().flatten().for_each(|op| site.apply(op));
            let page = site.render().0;
            let look = second_look(&page, at % 8);
            pages.push((page, Some(look)));
        }
        let mut digest = blake3::Hasher::new();
        for options in &ways {
            digest.update(read(pages.iter().cloned(), options).as_bytes());
        }
        lines.push(digest.finalize().to_hex()[..12].to_owned());
    }
    let lines: Vec<String> = lines.chunks(8).map(|line| line.join(" ")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
