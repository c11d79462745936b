//! The bundled exams: questions enough, of both kinds, on every scenario.

use browserlens_trace::scenario::{ExamAnswer, Scenario};
use std::path::Path;

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/scenarios");

#[test]
fn every_bundled_scenario_has_an_exam() {
    let scenarios = Scenario::load_all(Path::new(SCENARIOS)).expect("load");
    let (mut words, mut refs) = (0, 0);
    for scenario in &scenarios {
        assert!(scenario.exam.len() >= 3, "{}: {} questions", scenario.name, scenario.exam.len());
        for question in &scenario.exam {
            match &question.answer {
                ExamAnswer::Words { right, .. } => {
                    let split = |text: &str| format!(" {} ", text.to_lowercase().replace(['?', ',', '.'], " "));
                    let (ask, first) = (split(&question.ask), split(&right[0]));
                    // A question that holds its answer asks for nothing; a choice of two may name
                    // both.
                    assert!(!ask.contains(&first) || ask.contains(" or "), "{} {}", scenario.name, question.id);
                    words += 1;
                }
                ExamAnswer::Ref(_) => refs += 1,
            }
        }
    }
    assert!(words >= 108 && refs >= 100, "{words} in words, {refs} refs");
}

#[test]
fn an_exam_leaves_the_hash_of_its_scenario_alone_and_is_found_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("buy.toml");
    let text = "name = \"buy\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"shop\"\n";
    std::fs::write(&path, text).expect("writes");
    let before = Scenario::load(&path).expect("loads");
    let exam = folder.path().join("buy.exam.toml");
    std::fs::write(&exam, "[[exam]]\nid = \"a\"\nstep = 0\nask = \"How much?\"\nanswer = \"$5\"\n").expect("writes");
    let after = Scenario::load(&path).expect("loads");
    assert_eq!((before.exam.len(), after.exam.len()), (0, 1));
    assert_eq!(before.hash(), after.hash());
    assert_eq!(Scenario::load_all(folder.path()).expect("loads").len(), 1, "an exam is no scenario");
    std::fs::write(&exam, "[[exam]]\nid = \"a\"\nstep = 4\nask = \"How much?\"\nanswer = \"$5\"\n").expect("writes");
    let error = Scenario::load(&path).expect_err("refused").to_string();
    assert!(error.ends_with("buy.exam.toml:1: exam: a: there is no step 4: the last is 0"), "{error}");
}
