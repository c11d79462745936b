//! `lab corpus make`, `stats` and `split` by the command alone: what they print and write, how they
//! end, and that `bench` reads what they wrote.

mod common;

use common::{browserlens_alone, root};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Runs the command in `folder` with an environment of its own.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    browserlens_alone().args(arguments).current_dir(folder).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs it; it must succeed.
fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Exit code and standard error, the folders' paths taken out.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let said = text(&output.stderr)
        .replace(&folder.display().to_string(), "[folder]")
        .replace(&root().display().to_string(), "[root]");
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), said.trim_end())
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
fn made(folder: &Path, steps: &str, more: &[&str]) -> String {
    let root = root().display().to_string();
    let (tiny, login) =
        (format!("{root}/traces/tiny-newsletter-signup.trace"), format!("{root}/traces/login-wrong-then-right.trace"));
    let scenarios = format!("{root}/traces/scenarios");
    let arguments = [
        "lab", "corpus", "make", "--out", "corpus", "--steps", steps, "--seed", "7", "--from", &tiny, &login,
        "--scenarios-dir", &scenarios,
    ];
    good(folder, &[&arguments, more].concat())
}

#[test]
fn a_corpus_is_made_counted_split_and_its_parts_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(made(folder, "25", &["--no-pixels", "--no-bodies"]), "corpus\n");
    let again: Value =
        serde_json::from_str(&made(folder, "25", &["--no-pixels", "--no-bodies", "--json"])).expect("JSON");
    assert_eq!((&again["traces"], &again["resumed"], &again["steps_written"]), (&4.into(), &4.into(), &0.into()));
    good(folder, &["trace", "verify", "corpus/tiny-newsletter-signup-0000000.trace"]);

    insta::assert_snapshot!(masked(&good(folder, &["lab", "corpus", "stats", "corpus"])));
    let stats: Value =
        serde_json::from_str(&good(folder, &["lab", "corpus", "stats", "corpus", "--threads", "1", "--json"]))
            .expect("JSON");
    assert_eq!(
        (&stats["traces"], &stats["steps"], &stats["failures"]),
        (&4.into(), &again["steps"], &serde_json::json!([]))
    );

    let said = good(folder, &["lab", "corpus", "split", "corpus", "--held-back", "0.5", "--seed", "3"]);
    let lists: Vec<String> = ["train", "held-back"]
        .iter()
        .map(|part| std::fs::read_to_string(folder.join(format!("corpus/{part}.txt"))).expect("the list is there"))
        .collect();
    let sites = |list: &str| (list.matches("login-").count(), list.matches("tiny-").count());
    assert!(matches!((sites(&lists[0]), sites(&lists[1])), ((2, 0), (0, 2)) | ((0, 2), (2, 0))), "{lists:?}");
    assert!(
        said.starts_with("corpus/train.txt: 2 traces of ") && said.contains("corpus/held-back.txt: 2 traces of "),
        "{said}"
    );
    let split: Value = serde_json::from_str(&good(
        folder,
        &[
            "lab", "corpus", "split", "corpus", "--held-back", "0.5", "--seed", "3", "--links", "--out", "parts",
            "--json",
        ],
    ))
    .expect("JSON");
    let held = split["held_back"]["traces"].as_array().expect("traces").len();
    assert_eq!(held, 2);

    let strategies = root().join("traces/strategies.toml").display().to_string();
    let stored = good(
        folder,
        &[
            "bench", "--no-report", "parts/held-back", "--strategies", "read-text/visible", "--strategies-file",
            &strategies, "--runs-dir", "runs", "--cache-dir", "cache",
        ],
    );
    let run: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join(stored.trim()).join("run.json")).expect("a run"))
            .expect("JSON");
    assert_eq!(
        run["header"]["traces"].as_array().or(run["traces"].as_array()).map(Vec::len),
        Some(2),
        "{}",
        run["header"]
    );
}

#[test]
fn a_damaged_trace_is_a_row_and_the_exit_code_of_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    made(folder, "1", &["--no-pixels", "--no-bodies"]);
    made(folder, "25", &["--no-pixels", "--no-bodies"]);
    std::fs::write(folder.join("corpus/broken.trace"), "no trace").expect("writes");
    for verb in [&["lab", "corpus", "stats", "corpus"][..], &["lab", "corpus", "split", "corpus", "--out", "parts"]] {
        let output = run(folder, verb);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let rows = "1 cannot be read\ncorpus/broken.trace: not a trace: it is not an SQLite file\n  hint: pass a \
            *.trace file that `record` wrote\n";
        assert!(said.ends_with(rows), "{said}");
    }
    let stats: Value =
        serde_json::from_str(&text(&run(folder, &["lab", "corpus", "stats", "corpus", "--json"]).stdout))
            .expect("JSON");
    assert_eq!((&stats["traces"], stats["failures"][0]["path"].as_str()), (&4.into(), Some("corpus/broken.trace")));
}

#[test]
fn what_cannot_be_done_is_said_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    insta::assert_snapshot!("no_trace", refused(folder, &["lab", "corpus", "stats", "empty"]));
    insta::assert_snapshot!("no_folder", refused(folder, &["lab", "corpus", "split", "nowhere"]));
    insta::assert_snapshot!(
        "no_source",
        refused(folder, &["lab", "corpus", "make", "--out", "corpus", "--steps", "1", "--from", "empty"])
    );
    made(folder, "1", &[]);
    insta::assert_snapshot!("one_site", refused(folder, &["lab", "corpus", "split", "corpus"]));
    insta::assert_snapshot!("odd_share", refused(folder, &["lab", "corpus", "split", "corpus", "--held-back", "1.5"]));
    let tiny = root().join("traces/tiny-newsletter-signup.trace").display().to_string();
    let scenarios = root().join("traces/scenarios").display().to_string();
    let other = [
        "lab", "corpus", "make", "--out", "corpus", "--steps", "1", "--seed", "8", "--from", &tiny, "--scenarios-dir",
        &scenarios,
    ];
    insta::assert_snapshot!("another_corpus", refused(folder, &other));
}
