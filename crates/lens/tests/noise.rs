//! What is noise: each pass by itself, what it may never hide, and how it is switched off.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{Page, Viewport};
use browserlens_core::strategy::{PageAlone, Task};
use browserlens_lens::differ::{FilterPass, SemanticFilter};
use browserlens_lens::{Lens, LensOptions, build};
use common::{a11y, lines, look, page, read, run, says, try_observe};
use serde_json::json;
use std::sync::Arc;

/// One kind of noise: the pass that knows it, the part of a page that says it, and what that says.
type Noise = (FilterPass, &'static str, [&'static str; 4]);

const NOISE: [Noise; 6] = [
    (
        FilterPass::Evidence,
        "group \"Room\" #50\n  text \"{}\" #51\n",
        ["Ada is here", "Ben is here", "Cleo is here", "Dora is here"],
    ),
    (
        FilterPass::Timers,
        "timer #50\n  text \"{}\" #51\n",
        ["Ends in 0:59", "Ends in 0:47", "Ends in 0:12", "Ends in 0:05"],
    ),
    (
        FilterPass::Onlookers,
        "group \"Visitors\" #50\n  text \"{}\" #51\n",
        ["998 people are here", "1,004 people are here", "999 people are here", "31 people are here"],
    ),
    (
        FilterPass::Carousels,
        "group \"Deals\" aria-roledescription=carousel #50\n  text \"{}\" #51\n",
        ["Summer sale", "New shoes", "Free delivery", "Last chance"],
    ),
    (
        FilterPass::Ads,
        "group \"Partner\" class=\"ad slot\" #50\n  text \"{}\" #51\n",
        ["Buy a car", "Drink more water", "Sleep better", "Fly away"],
    ),
    (
        FilterPass::Scroll,
        "group \"Article\" #50\n  progressbar \"Reading progress\" value=\"{}\" #51\n",
        ["1", "35", "80", "95"],
    ),
];

/// A page of links and one part.
fn with_links(part: &str) -> Arc<Page> {
    let links = lines(20, |n| format!("link \"Topic number {n}\" #{}\n", 100 + n));
    page("https://a.test/", "Noise", 1, &format!("heading \"Auction\" #2\n{links}{part}"))
}

/// The texts of four steps in which noise changed, under a filter; in it stand an alert, where one
/// is given, and a button with states.
fn told((pass, around, values): Noise, passes: &[FilterPass], alerts: [&str; 4], buttons: [&str; 4]) -> Vec<String> {
    let mut lens = Lens::new(LensOptions { filter: SemanticFilter { passes: passes.to_vec() }, ..a11y() });
    let seen_changing: &[u32] = if pass == FilterPass::Evidence { &[51, 53, 54] } else { &[] };
    let mut tell = |step: usize| {
        let mut part = around.replace("{}", values[step]);
        if !alerts[step].is_empty() {
            part += &format!("  alert #52\n    text \"{}\" #53\n", alerts[step]);
        }
        part += &format!("  button \"Bid\" {}#54\n", buttons[step]);
        let told = try_observe(&mut lens, step as u32, &with_links(&part), Some(&look(seen_changing))).unwrap();
        assert_eq!(told.unmarked_differences, Some(0), "{}", told.text);
        told.text
    };
    (0..4).map(&mut tell).collect()
}

#[test]
fn each_pass_alone_hides_its_noise_counts_it_and_marks_it_once() {
    assert_eq!(NOISE.map(|(pass, ..)| pass), FilterPass::ALL);
    for noise in NOISE {
        let told = told(noise, &[noise.0], [""; 4], [""; 4]);
        assert_eq!(told[3], "[DELTA 2→3, 1 volatile hidden]", "{}", told.join("\n\n"));
        let marked = told.iter().filter(|text| text.contains("\nVOLATILE: ")).count();
        assert_eq!(marked, 1, "{}", told.join("\n\n"));
    }
}

#[test]
fn without_its_pass_noise_is_told() {
    for noise in NOISE {
        let others: Vec<FilterPass> = FilterPass::ALL.into_iter().filter(|pass| *pass != noise.0).collect();
        for passes in [&others[..], &[]] {
            for (text, new) in told(noise, passes, [""; 4], [""; 4]).iter().zip(noise.2).skip(1) {
                assert!(text.contains(new) && !text.contains("hidden"), "{:?}: {text}", noise.0);
            }
        }
    }
}

/// An error in the noise, and the button that it disables, are told; so are states of what says
/// something else each time.
#[test]
fn errors_states_and_controls_in_noise_are_told() {
    for noise in NOISE {
        let buttons = ["", "", "disabled ", ""];
        let told = told(noise, &FilterPass::ALL, ["", "", "You were outbid", "The auction is closed"], buttons);
        says(&told[2], "You were outbid");
        says(&told[3], "The auction is closed");
        for (step, text) in told.iter().enumerate() {
            let shown = read(told[..=step].iter().map(String::as_str));
            let button = shown.nodes().find(|node| node.name() == "Bid").unwrap();
            assert_eq!((button.has_state("disabled"), button.is_volatile()), (step == 2, false), "{text}");
        }
    }
    // A state that changes together with what a pass knows is told.
    let bar = |value: u32, state: &str| {
        with_links(&format!("progressbar \"Reading progress\" {state}value=\"{value}\" #51\n"))
    };
    says(&run(a11y(), &[bar(1, ""), bar(2, ""), bar(3, "disabled ")])[2], "+disabled");
}

/// A page that looks like noise by its words alone is none.
#[test]
fn a_word_that_sounds_like_noise_makes_none() {
    let at = |slide: &str, total: &str, upload: &str, guests: &str| {
        with_links(&format!(
            "group \"Slides and ads\" class=\"header adapt address\" #2\n  text \"{slide}\" #3\nstatus #4\n  text \
                \"{total}\" #5\nprogressbar \"Upload\" value=\"{upload}\" #6\ntext \"{guests}\" #7\n"
        ))
    };
    let pages =
        [at("One", "3 results", "10", "Table for 2 people"), at("Two", "4 results", "60", "Table for 4 people")];
    let told = run(a11y(), &pages).remove(1);
    assert!(!told.contains("hidden"), "{told}");
    for said in ["\"Two\"", "4 results", "\"60\"", "Table for 4 people"] {
        says(&told, said);
    }
}

/// The last text of a strategy as it is configured, over a page whose carousel turns.
fn configured(options: serde_json::Value) -> String {
    let strategy = build("lens/mine", &options).unwrap().unwrap();
    let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
    let mut run = strategy.start(&task);
    let mut tell = |step: u32| {
        let slide = format!("group \"Deals\" aria-roledescription=carousel #50\n  text \"Slide {step}\" #51\n");
        run.observe(&PageAlone::default().input(step, &with_links(&slide))).unwrap().text
    };
    (0..3).map(&mut tell).last().unwrap()
}

#[test]
fn passes_are_switched_off_by_the_options_of_a_strategy() {
    assert_eq!(configured(json!({"kind": "delta"})), "[DELTA 1→2, 1 volatile hidden]");
    let some = json!({"kind": "delta", "filters": ["evidence", "timers", "ads", "scroll"]});
    for options in [some, json!({"kind": "delta", "filters": []})] {
        assert_eq!(configured(options), "[DELTA 1→2]\nNOW in group \"Deals\":\n  - \"Slide 2\"");
    }
}
