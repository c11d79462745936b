//! Files of questions and exams beside scenarios, made up and bundled.

use browserlens_trace::scenario::{ExamAnswer, Scenario, ScenarioError, Wording};
use std::path::{Path, PathBuf};

const SCENARIO: &str = "name = \"a/b\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"a\"\n[[step]]\nback = true\n";
const QUESTION: &str =
    "[[ask]]\nid = \"x\"\nstep = 1\nask = \"Where?\"\nwords = \"page\"\ntext = \"on the last page\"\n";
const EXAM: &str = "[[exam]]\nid = \"x\"\nstep = 1\nask = \"How much?\"\nanswer = \"$5\"\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("makes a folder");
    folder
}

#[test]
fn questions_come_with_the_scenario_leave_its_hash_alone_and_name_its_steps() {
    let asked = |scenario: &Scenario| (scenario.questions.len(), scenario.exam.len());
    let cases = [("ask", QUESTION, (1, 0), "question"), ("exam", EXAM, (0, 1), "exam")];
    for (kind, text, expected, part) in cases {
        let folder = folder(kind);
        let (path, beside) = (folder.join("b.toml"), folder.join(format!("b.{kind}.toml")));
        std::fs::write(&path, SCENARIO).expect("writes");
        let without = Scenario::load(&path).expect("loads");
        std::fs::write(&beside, text).expect("writes");
        let with = Scenario::load(&path).expect("loads");
        assert_eq!((asked(&without), asked(&with)), ((0, 0), expected));
        let at = |step| {
            let questions = with.questions_at(step).map(|question| &question.id);
            questions.chain(with.exam_at(step).map(|question| &question.id)).collect::<Vec<_>>()
        };
        assert!(at(0).is_empty() && at(1) == ["x"], "{kind}");
        assert_eq!(with.hash(), without.hash());
        let all = Scenario::load_all(&folder).expect("a file of questions is no scenario");
        assert_eq!(all, [with]);
        std::fs::write(&beside, text.replace("step = 1", "step = 2")).expect("writes");
        let error = Scenario::load(&path).expect_err("an error").to_string();
        assert!(error.ends_with(&format!("b.{kind}.toml:1: {part}: x: there is no step 2: the last is 1")), "{error}");
    }
}

#[test]
fn questions_beside_no_scenario_are_found() {
    let folder = folder("alone");
    std::fs::write(folder.join("c.toml"), SCENARIO).expect("writes");
    for name in ["b.ask.toml", "b.exam.toml"] {
        std::fs::write(folder.join(name), QUESTION).expect("writes");
        let error = Scenario::load_all(&folder).expect_err("an error");
        let is_named = matches!(&error, ScenarioError::NoScenarioFor { path, scenario }
            if path.ends_with(name) && scenario.ends_with("b.toml"));
        assert!(is_named, "{name}: {error}");
        std::fs::remove_file(folder.join(name)).expect("removes");
    }
}

fn bundled() -> Vec<Scenario> {
    Scenario::load_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/scenarios")).expect("loads")
}

#[test]
fn every_bundled_scenario_has_an_exam_with_questions_enough_of_both_kinds() {
    let (mut words, mut refs) = (0, 0);
    for scenario in bundled() {
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
fn three_bundled_sites_have_questions_enough_and_most_are_not_in_the_pages_words() {
    let scenarios = bundled();
    for site in ["docs", "shop", "portal"] {
        let of_site = scenarios.iter().filter(|scenario| scenario.site.as_deref() == Some(site));
        let questions: Vec<_> = of_site.flat_map(|scenario| &scenario.questions).collect();
        let answered = questions.iter().filter(|question| question.text.is_some() && !question.held_out);
        let other = answered.clone().filter(|question| question.words == Wording::Other).count();
        let answered = answered.count();
        assert!(answered >= 22, "{site}: {answered}");
        assert!(other * 2 >= answered, "{site}: {other} of {answered}");
        let absent = questions.iter().filter(|question| question.text.is_none()).count();
        assert!(absent >= 3, "{site}: questions that the page does not answer");
    }
}
