//! What is noise: each pass by itself, what it may never hide, and how it is switched off.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Page, Viewport};
use browserlens_core::strategy::{PageAlone, Task};
use browserlens_lens::build;
use browserlens_lens::differ::FilterPass;
use common::laws::{self, NOISE, Noise};
use common::page;
use serde_json::json;
use std::sync::Arc;

fn noise(pass: FilterPass) -> &'static Noise {
    NOISE.iter().find(|noise| noise.pass == pass).unwrap()
}

#[test]
fn every_pass_has_a_page_of_its_noise() {
    assert_eq!(NOISE.each_ref().map(|noise| noise.pass), FilterPass::ALL);
}

#[test]
fn what_looks_saw_change_by_itself_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Evidence)).unwrap();
}

#[test]
fn a_countdown_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Timers)).unwrap();
}

#[test]
fn how_many_look_on_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Onlookers)).unwrap();
}

#[test]
fn a_slide_of_a_carousel_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Carousels)).unwrap();
}

#[test]
fn an_advertisement_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Ads)).unwrap();
}

#[test]
fn what_scrolling_alone_changes_is_hidden_counted_and_marked() {
    laws::a_pass_hides_counts_and_marks_its_noise(noise(FilterPass::Scroll)).unwrap();
}

#[test]
fn without_its_pass_noise_is_told() {
    laws::a_pass_that_is_off_hides_nothing().unwrap();
}

#[test]
fn errors_states_and_controls_in_noise_are_told() {
    laws::noise_that_matters_survives().unwrap();
}

/// A page that looks like noise by its words alone is none.
#[test]
fn a_word_that_sounds_like_noise_makes_none() {
    let at = |slide: &str, total: &str, upload: &str, guests: &str| {
        let links: String = (0..20).map(|n| format!("link \"Topic number {n}\" #{}\n", 100 + n)).collect();
        let outline = format!(
            "group \"Slides and ads\" class=\"header adapt address\" #2\n  text \"{slide}\" #3\nstatus #4\n  text \
                \"{total}\" #5\nprogressbar \"Upload\" value=\"{upload}\" #6\ntext \"{guests}\" #7\n{links}"
        );
        page("https://a.test/", "Shop", 1, &outline)
    };
    let texts = common::run(
        common::a11y(),
        &[at("One", "3 results", "10", "Table for 2 people"), at("Two", "4 results", "60", "Table for 4 people")],
    );
    assert!(!texts[1].contains("hidden"), "{}", texts[1]);
    for said in ["\"Two\"", "4 results", "\"60\"", "Table for 4 people"] {
        assert!(texts[1].contains(said), "{said}: {}", texts[1]);
    }
}

/// The last text of a strategy as it is configured, over a page whose carousel turns.
fn configured(options: serde_json::Value) -> String {
    let strategy = build("lens/mine", &options).unwrap().unwrap();
    let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
    let mut run = strategy.start(&task);
    let links: String = (0..20).map(|n| format!("link \"Topic number {n}\" #{}\n", 100 + n)).collect();
    let slide = |step: u32| -> Arc<Page> {
        let slide = format!("group \"Deals\" aria-roledescription=carousel #50\n  text \"Slide {step}\" #51\n");
        page("https://a.test/", "Shop", 1, &format!("{links}{slide}"))
    };
    let mut last = String::new();
    for step in 0..3 {
        let alone = PageAlone::default();
        let page = slide(step);
        let input = alone.input(step, &page);
        last = run.observe(&input).unwrap().text;
    }
    last
}

#[test]
fn passes_are_switched_off_by_the_options_of_a_strategy() {
    assert_eq!(configured(json!({"kind": "delta"})), "[DELTA 1→2, 1 volatile hidden]");
    let some = json!({"kind": "delta", "filters": ["evidence", "timers", "ads", "scroll"]});
    for options in [some, json!({"kind": "delta", "filters": []})] {
        assert_eq!(configured(options), "[DELTA 1→2]\nNOW in group \"Deals\":\n  - \"Slide 2\"");
    }
}
