//! Prints a snapshot of a step.
#![allow(missing_docs, clippy::unwrap_used)]
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let trace = browserlens_trace::Trace::open(&args[1]).unwrap();
    let page = browserlens_page::Page::parse(&trace.capture(browserlens_strategy::StepIndex(args[2].parse().unwrap())).unwrap()).unwrap();
    let mode: browserlens_snapshot::Mode = args[3].parse().unwrap();
    let text = browserlens_snapshot::snapshot(&std::sync::Arc::new(page), &browserlens_snapshot::SnapshotOptions::of(mode)).unwrap();
    use std::io::Write;
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}
