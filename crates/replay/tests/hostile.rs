//! The attacks of the bundled hostile trace against what was shown of it.
//!
//! In: `traces/hostile-moderate-a-post.trace`, its scenario, the strategies of
//! `traces/strategies.toml`. Out: nothing of ours is fooled beyond what is listed here with its
//! reason, and the attacks are real: they fool others.

use browserlens_replay::{ReplayOptions, RunResult, replay, strategies};
use std::collections::BTreeSet;
use std::path::Path;

/// Attacks that succeed against strategies of ours, and why.
const KNOWN: [(&str, &str); 2] = [
    ("hidden-behind", "what covers a text is not looked for: a dialog in front of the page covers it too"),
    ("appeal", "without a budget nothing is cut"),
];

fn run() -> RunResult {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let folder = tempfile::tempdir().expect("a folder");
    let strategies = strategies::load(&traces.join("strategies.toml")).expect("the bundled file loads");
    let trace = traces.join("hostile-moderate-a-post.trace");
    let options = ReplayOptions::new(vec![trace], traces.join("scenarios"), &strategies, folder.path());
    replay(&options).expect("the trace replays")
}

#[test]
fn page_text_passes_for_nothing_else_in_ours() {
    let run = run();
    let successes = |strategy: &str| -> BTreeSet<&str> {
        let rows = run.measurements.iter().filter(|row| row.strategy == strategy);
        rows.filter_map(|row| row.numbers()).flat_map(|numbers| &numbers.attacks).map(String::as_str).collect()
    };
    let mut fooled = 0;
    let mut ours: Vec<String> = Vec::new();
    for info in &run.header.strategies {
        let all = successes(&info.name);
        println!("{:40} {:3} {}", info.name, all.len(), all.iter().copied().collect::<Vec<_>>().join(" "));
        if info.name.starts_with("lens/") {
            let unknown = all.iter().filter(|id| !KNOWN.iter().any(|(known, _)| known == *id));
            ours.extend(unknown.map(|id| format!("{} by {id}", info.name)));
        } else {
            fooled += all.len();
        }
    }
    assert!(ours.is_empty(), "fooled: {ours:?}");
    let unmarked = run.measurements.iter().filter_map(|row| row.numbers()?.scores.unmarked_differences).sum::<u32>();
    assert_eq!(unmarked, 0, "every difference to the page is covered by a mark");
    assert!(successes("lens/budget-1500").is_disjoint(&BTreeSet::from(["appeal"])), "a budget cuts");
    assert!(fooled > 20, "attacks that fool nobody prove nothing");
    assert_eq!(run.header.traces[0].attacks.len(), 82);
}
