#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use browserlens_reading::{Cut, extract};
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
fn main() {
    for path in std::env::args().skip(1) {
        let trace = Trace::open(&path).unwrap();
        let mut seen = std::collections::HashSet::new();
        for step in 0..trace.len() {
            let (page, _) = trace.page(StepIndex(step)).unwrap();
            let e = extract(&page, Cut::All);
            if seen.insert(e.full_text.clone()) {
                let tokens = browserlens_tokens::Encoding::O200kBase.count(&e.full_text);
                println!("##### {path}@{step} {} | {} | {} words {} tokens {} sections", e.url, e.title, e.word_count, tokens.0, e.sections.len());
                if std::env::var("FULL").is_ok() {
                for s in &e.sections {
                    println!("=== {} {} [{}] {}", s.position, s.level, s.heading, s.content.chars().take(900).collect::<String>());
                } }
            }
        }
    }
}
