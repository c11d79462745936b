//! The example session of the prompt is what the snapshots really say.

mod common;

use browserlens_snapshot::{Format, GrepOptions, Mode, PROMPT, SnapshotOptions, snapshot};
use common::documentation;

/// The value of `name: '…'` in a call.
fn value<'t>(call: &'t str, name: &str) -> Option<&'t str> {
    call.split_once(&format!("{name}: '"))?.1.split_once('\'').map(|(value, _)| value)
}

#[test]
fn the_example_session_is_true() {
    let session = PROMPT.split_once("Example session:").expect("it has one").1;
    let page = documentation();
    let mut calls = 0;
    for part in session.split("\n> ").skip(1) {
        let (call, rest) = part.split_once("\n\n").expect("an answer follows the call");
        let answer = rest.split_once("\n\nAgent: ").expect("the agent goes on").0;
        let options = SnapshotOptions {
            mode: Some(value(call, "mode").expect("a mode").parse::<Mode>().expect("a known mode")),
            grep: value(call, "grep").map(GrepOptions::from),
            format: value(call, "format").map_or(Format::Tree, |format| format.parse().expect("a known format")),
            ..SnapshotOptions::default()
        };
        assert_eq!(snapshot(&page, &options).expect("taken"), answer, "{call}");
        calls += 1;
    }
    assert_eq!(calls, 2);
}

#[test]
fn the_patterns_that_the_prompt_recommends_find_something_where_they_should() {
    for pattern in ["article|main", "section.reviews|comments", "h[1-2]", "/main/"] {
        assert!(PROMPT.contains(&format!("'{pattern}'")), "{pattern}");
        let options = SnapshotOptions { grep: Some(pattern.into()), ..SnapshotOptions::of(Mode::Outline) };
        let text = snapshot(&common::article(), &options).expect("taken");
        assert!(text.lines().count() > 3, "{pattern}: {text}");
    }
}
