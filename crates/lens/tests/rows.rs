//! Rows are one thing each, on every bundled page; on others where `BROWSERLENS_TRACES` names their
//! folder (`./just wild-bench`).

mod common;

use browserlens_core::strategy::StepIndex;
use browserlens_lens::extract::{ExtractOptions, extract};
use browserlens_lens::mixed_rows;
use std::collections::HashSet;

#[test]
fn no_row_of_a_page_mixes_two_things() {
    let (are_bundled, traces) = common::traces();
    let mut steps = 0;
    let mut mixed = Vec::new();
    for (name, trace) in traces {
        for step in 0..trace.len() {
            let page = trace.page(StepIndex(step)).expect("a page").0;
            let view = extract(&page, &HashSet::new(), &ExtractOptions::default());
            mixed.extend(mixed_rows(&page, &view).into_iter().map(|row| format!("{name}@{step}: {row:?}")));
            steps += 1;
        }
    }
    assert!(!are_bundled || steps > 150, "{steps} steps");
    assert!(mixed.is_empty(), "{} mixed rows:\n{}", mixed.len(), mixed[..mixed.len().min(20)].join("\n"));
}
