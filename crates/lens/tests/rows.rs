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

#[test]
fn rows_that_stand_closer_to_the_next_than_together_are_found() {
    let at = |button: u32| {
        let rows: String = (0..6)
            .map(|row| {
                let (y, below) = (row * 200, row * 200 + button);
                format!(
                    "  link \"Lamp {row}\" #{} box=0,{y},90,20\n  button \"Buy {row}\" #{} box=0,{below},90,20\n",
                    10 + row,
                    30 + row
                )
            })
            .collect();
        let page = common::page("https://a.test/", "Lamps", 1, &format!("main #2\n{rows}"));
        mixed_rows(&page, &extract(&page, &HashSet::new(), &ExtractOptions::default())).len()
    };
    assert_eq!((at(22), at(170)), (0, 5));
}
