//! `lab corpus make`, `stats` and `split` by the command alone: what they print and write, how they
//! end, and that `bench` reads what they wrote.

mod common;

use common::{at_root, root, run_alone};
use serde_json::{Value, json};
use std::path::Path;

/// Exit code and standard error, the folders' paths taken out.
fn refused(folder: &Path, line: &str) -> String {
    let ended = run_alone(folder, line).ended();
    ended.replace(&folder.display().to_string(), "[folder]").replace(&root().display().to_string(), "[root]")
}

/// Bytes differ with each recording of a source.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut cells: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match cells.first().map(String::as_str) {
            Some("bytes") => cells = vec!["bytes".to_owned(), "…".to_owned()],
            Some("login" | "tiny") => cells[3] = "…".to_owned(),
            _ => (),
        }
        out += &(cells.join(" ") + "\n");
    }
    out
}

/// Makes a corpus of two sites in `corpus`; returns what was printed.
fn made(folder: &Path, steps: u32, more: &str) -> String {
    let traces = at_root("traces");
    let from = format!("{traces}/tiny-newsletter-signup.trace {traces}/login-wrong-then-right.trace");
    let options = format!("--out corpus --steps {steps} --seed 7 --from {from} --scenarios-dir {traces}/scenarios");
    run_alone(folder, &format!("lab corpus make {options} {more}")).good()
}

#[test]
fn a_corpus_is_made_counted_split_and_its_parts_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let run = |line: &str| run_alone(folder, line);
    assert_eq!(made(folder, 25, "--no-pixels --no-bodies"), "corpus\n");
    let again: Value = serde_json::from_str(&made(folder, 25, "--no-pixels --no-bodies --json")).expect("JSON");
    assert_eq!((&again["traces"], &again["resumed"], &again["steps_written"]), (&4.into(), &4.into(), &0.into()));
    run("trace verify corpus/tiny-newsletter-signup-0000000.trace").good();

    insta::assert_snapshot!(masked(&run("lab corpus stats corpus").good()));
    let stats = run("lab corpus stats corpus --threads 1 --json").json();
    assert_eq!((&stats["traces"], &stats["steps"], &stats["failures"]), (&4.into(), &again["steps"], &json!([])));

    let said = run("lab corpus split corpus --held-back 0.5 --seed 3").good();
    let lists = ["train", "held-back"]
        .map(|part| std::fs::read_to_string(folder.join(format!("corpus/{part}.txt"))).expect("the list is there"));
    let sites = lists.each_ref().map(|list| (list.matches("login-").count(), list.matches("tiny-").count()));
    assert!([[(2, 0), (0, 2)], [(0, 2), (2, 0)]].contains(&sites), "{lists:?}");
    assert!(
        said.starts_with("corpus/train.txt: 2 traces of ") && said.contains("corpus/held-back.txt: 2 traces of "),
        "{said}"
    );
    let split = run("lab corpus split corpus --held-back 0.5 --seed 3 --links --out parts --json").json();
    assert_eq!(split["held_back"]["traces"].as_array().map(Vec::len), Some(2));

    let options = format!("--strategies read-text/visible --strategies-file {}", at_root("traces/strategies.toml"));
    let stored = run(&format!("bench --no-report parts/held-back {options} --runs-dir runs --cache-dir cache")).good();
    let text = std::fs::read_to_string(folder.join(stored.trim()).join("run.json")).expect("a run");
    let run: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(run["header"]["traces"].as_array().map(Vec::len), Some(2), "{}", run["header"]);
}

#[test]
fn a_damaged_trace_is_a_row_and_the_exit_code_of_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder, 1, "--no-pixels --no-bodies");
    made(folder, 25, "--no-pixels --no-bodies");
    std::fs::write(folder.join("corpus/broken.trace"), "no trace").expect("writes");
    for verb in ["stats corpus", "split corpus --out parts"] {
        let ran = run_alone(folder, &format!("lab corpus {verb}"));
        assert_eq!(ran.code, 4, "{}", ran.err);
        let rows = "1 cannot be read\ncorpus/broken.trace: not a trace: it is not an SQLite file\n  hint: pass a \
            *.trace file that `record` wrote\n";
        assert!(ran.out.ends_with(rows), "{}", ran.out);
    }
    let stats = run_alone(folder, "lab corpus stats corpus --json").out;
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!((&stats["traces"], stats["failures"][0]["path"].as_str()), (&4.into(), Some("corpus/broken.trace")));
}

#[test]
fn what_cannot_be_done_is_said_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    insta::assert_snapshot!("no_trace", refused(folder, "lab corpus stats empty"));
    insta::assert_snapshot!("no_folder", refused(folder, "lab corpus split nowhere"));
    insta::assert_snapshot!("no_source", refused(folder, "lab corpus make --out corpus --steps 1 --from empty"));
    made(folder, 1, "");
    insta::assert_snapshot!("one_site", refused(folder, "lab corpus split corpus"));
    insta::assert_snapshot!("odd_share", refused(folder, "lab corpus split corpus --held-back 1.5"));
    let traces = at_root("traces");
    let other = format!("--seed 8 --from {traces}/tiny-newsletter-signup.trace --scenarios-dir {traces}/scenarios");
    let other = format!("lab corpus make --out corpus --steps 1 {other}");
    insta::assert_snapshot!("another_corpus", refused(folder, &other));
}
