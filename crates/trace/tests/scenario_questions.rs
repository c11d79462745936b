//! Files of questions beside scenarios, made up and bundled.

use browserlens_trace::scenario::{Scenario, ScenarioError, Wording};
use std::path::{Path, PathBuf};

const SCENARIO: &str = "name = \"a/b\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"a\"\n[[step]]\nback = true\n";
const QUESTION: &str =
    "[[ask]]\nid = \"x\"\nstep = 1\nask = \"Where?\"\nwords = \"page\"\ntext = \"on the last page\"\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("makes a folder");
    folder
}

#[test]
fn questions_come_with_the_scenario_and_leave_its_hash_alone() {
    let folder = folder("with");
    let path = folder.join("b.toml");
    std::fs::write(&path, SCENARIO).expect("writes");
    let without = Scenario::load(&path).expect("loads");
    assert!(without.questions.is_empty());
    std::fs::write(folder.join("b.ask.toml"), QUESTION).expect("writes");
    let with = Scenario::load(&path).expect("loads");
    assert_eq!(with.questions_at(1).map(|question| question.id.as_str()).collect::<Vec<_>>(), ["x"]);
    assert_eq!(with.questions_at(0).count(), 0);
    assert_eq!(with.hash(), without.hash());
    let all = Scenario::load_all(&folder).expect("a file of questions is no scenario");
    assert_eq!(all, [with]);
}

#[test]
fn a_step_beyond_the_scenarios_last_is_refused_when_it_is_loaded() {
    let folder = folder("beyond");
    std::fs::write(folder.join("b.toml"), SCENARIO).expect("writes");
    std::fs::write(folder.join("b.ask.toml"), QUESTION.replace("step = 1", "step = 2")).expect("writes");
    let error = Scenario::load(&folder.join("b.toml")).expect_err("an error").to_string();
    assert!(error.ends_with("b.ask.toml:1: question: x: there is no step 2: the last is 1"), "{error}");
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

#[test]
fn three_bundled_sites_have_questions_enough_and_most_are_not_in_the_pages_words() {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/scenarios");
    let scenarios = Scenario::load_all(&bundled).expect("loads");
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
