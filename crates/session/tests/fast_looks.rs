//! A fast look sees what a whole capture sees, in every field that the lens reads.
//!
//! By default on a part of the bundled steps: two small sites, and one scenario more, drawn by
//! `FAST_LOOKS_SEED`. All of them take some minutes:
//! `cargo test -p browserlens-session --test fast_looks -- --ignored`.

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::PageSource;
use browserlens_recorder::{LiveBrowser, LiveOptions};
use common::{Differences, looks_of, traces};
use std::path::PathBuf;
use std::time::Duration;

/// Every bundled scenario.
fn bundled() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for site in std::fs::read_dir(traces().join("scenarios")).expect("scenarios").flatten() {
        let files = std::fs::read_dir(site.path()).expect("a folder").flatten().map(|file| file.path());
        found.extend(files.filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".toml") && !name.ends_with(".ask.toml") && !name.ends_with(".exam.toml")
        }));
    }
    found.sort();
    found
}

fn hold(scenarios: &[PathBuf]) -> Differences {
    let mut found = Differences::default();
    for path in scenarios {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for look in looks_of(path) {
            found.add(&look, &name);
        }
    }
    assert_eq!(found.telling(), Vec::<String>::new());
    assert_eq!(found.other_text, Vec::<String>::new());
    found
}

#[test]
fn a_fast_look_equals_the_whole_capture_in_every_field_that_the_lens_reads() {
    let all = bundled();
    let seed: usize = std::env::var("FAST_LOOKS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let small = ["newsletter-signup", "wrong-then-right"];
    let (mut part, rest): (Vec<PathBuf>, Vec<PathBuf>) =
        all.into_iter().partition(|path| small.iter().any(|name| path.to_string_lossy().contains(name)));
    assert!(part.len() == 2 && rest.len() > 8, "{part:?} {rest:?}");
    part.push(rest[seed % rest.len()].clone());
    let found = hold(&part);
    assert!(found.steps > 6 && found.nodes > 500, "{} steps, {} nodes", found.steps, found.nodes);
}

#[test]
fn a_frame_is_not_called_focused_when_what_is_in_it_was_or_is() {
    let options = LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() };
    let mut browser = LiveBrowser::open("about:blank", &options).expect("opens");
    let frame = "new Promise((done) => { document.body.innerHTML = '<button>Outside</button><iframe \
        srcdoc=\"<button>Inside</button>\"></iframe>'; \
                 document.querySelector('iframe').onload = () => done(1) })";
    browser.evaluate(frame).expect("a frame");
    let inside = "document.querySelector('iframe').contentDocument.querySelector('button')";
    for (deed, focused) in [("focus()", Some("Inside")), ("blur()", None)] {
        browser.evaluate(&format!("{inside}.{deed}")).expect("runs");
        let name = |page: &Page| page.focused().map(|node| node.name().to_owned());
        let fast = browser.look_afresh().expect("a page");
        let (whole, _) = browser.page().expect("a page");
        assert_eq!(name(&whole).as_deref(), focused, "{deed}");
        assert_eq!(name(&fast), name(&whole), "{deed}");
    }
}

#[test]
#[ignore = "takes some minutes: every bundled scenario in Chromium"]
fn a_fast_look_equals_the_whole_capture_on_every_bundled_step() {
    let found = hold(&bundled());
    assert!(found.steps > 150 && found.nodes > 110_000, "{} steps, {} nodes", found.steps, found.nodes);
}
