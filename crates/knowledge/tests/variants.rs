//! The bundled recordings and their variants: whole recordings held back from what the others of
//! the same website make known.

mod common;

use browserlens_knowledge::score::{Given, HeldBack, score_by_website};
use browserlens_knowledge::{KnowledgeError, Recording, extract};
use browserlens_trace::{Fault, Trace};
use common::{labels, told};
use std::path::PathBuf;
use std::sync::LazyLock;

static RECORDINGS: LazyLock<Vec<Recording>> =
    LazyLock::new(|| common::recordings(&[common::traces(), common::variants()].concat()));

#[test]
fn screens_of_whole_recordings_are_recognised_by_what_other_recordings_show() {
    let scores = score_by_website(&RECORDINGS, &labels()).expect("scores");
    println!("{}", scores.iter().map(told).collect::<String>());
    for found in scores.iter().filter(|score| score.given == Given::Page) {
        assert!(found.accuracy() >= 0.95, "{}", told(found));
        assert!(found.wrong() <= 0.01, "{}", told(found));
        let least = if found.held_back == HeldBack::Recording { 200 } else { 340 };
        assert!(found.rows.len() > least, "{}", found.rows.len());
    }
}

#[test]
fn no_screen_mixes_what_people_call_differently() {
    common::called(&extract("all", &RECORDINGS), &RECORDINGS);
}

#[test]
fn every_variant_has_its_scenario_and_labels() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../traces/variants/scenarios");
    let scenarios = browserlens_trace::scenario::Scenario::load_all(&folder).expect("scenarios");
    let recorded: Vec<String> = common::variants()
        .iter()
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let mut named: Vec<String> = scenarios.iter().map(|scenario| scenario.name.replace('/', "-")).collect();
    named.sort();
    assert_eq!(named, recorded);
    for scenario in &scenarios {
        assert_eq!(labels()[&scenario.name].len(), scenario.steps.len() + 1, "{}", scenario.name);
    }
    let bytes: u64 = common::variants().iter().map(|path| path.metadata().expect("a file").len()).sum();
    assert!(bytes < 10_000_000, "{bytes}");
}

#[test]
fn a_recording_without_labels_or_with_too_few_is_named() {
    let mut labels = labels();
    labels.get_mut("tiny/newsletter-signup/other-order").expect("labels").pop();
    let error = score_by_website(&RECORDINGS, &labels).expect_err("a label is missing");
    assert!(
        matches!(&error, KnowledgeError::Invalid { id, .. } if id == "tiny/newsletter-signup/other-order"),
        "{error}"
    );
    assert!(error.to_string().contains("it has 5 steps and 4 labels"), "{error}");
}

#[test]
fn a_variant_that_is_missing_damaged_or_newer_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("variant.trace");
    let error = Trace::open(&path).expect_err("there is none");
    assert!(error.to_string().contains("variant.trace"), "{error}");
    let whole = std::fs::read(&common::variants()[0]).expect("a variant");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let error = Trace::open(&path).expect_err("half of it");
    assert!(error.to_string().contains("variant.trace") && !error.hint().is_empty(), "{error}");
    // `user_version` stands at byte 60 of an SQLite file.
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&path, newer).expect("written");
    let error = Trace::open(&path).expect_err("of a newer format");
    assert!(matches!(error.fault, Fault::TooNew { .. }), "{error}");
}
