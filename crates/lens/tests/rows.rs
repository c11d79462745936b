//! Rows are one thing each, on every bundled page; on others where `BROWSERLENS_TRACES` names their
//! folder (`./just wild-bench`).

use browserlens_lens::extract::{ExtractOptions, extract};
use browserlens_lens::mixed_rows;
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
use std::collections::HashSet;
use std::path::Path;

#[test]
fn no_row_of_a_page_mixes_two_things() {
    let others = std::env::var("BROWSERLENS_TRACES").ok();
    let traces = others.as_deref().unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces"));
    let mut steps = 0;
    let mut mixed = Vec::new();
    for entry in std::fs::read_dir(traces).expect("the folder of the traces") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "trace") {
            continue;
        }
        let trace = Trace::open(&path).expect("opens");
        for step in 0..trace.len() {
            let page = trace.page(StepIndex(step)).expect("a page").0;
            let view = extract(&page, &HashSet::new(), &ExtractOptions::default());
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            mixed.extend(mixed_rows(&page, &view).into_iter().map(|row| format!("{}@{step}: {row:?}", name(&path))));
            steps += 1;
        }
    }
    assert!(others.is_some() || steps > 150, "{steps} steps");
    assert!(mixed.is_empty(), "{} mixed rows:\n{}", mixed.len(), mixed[..mixed.len().min(20)].join("\n"));
}
