//! Every bad input of the documentation: one clear line that names file, place and remedy, the
//! documented exit code, and nothing lost.

mod common;

use common::{Ran, at_home, at_root, root, run_alone};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit code and standard error, the machine's paths taken out.
fn ended(folder: &Path, ran: &Ran) -> String {
    ran.ended().replace(&folder.display().to_string(), "[folder]").replace(&root().display().to_string(), "[root]")
}

fn bundled() -> PathBuf {
    let path = root().join("traces/login-wrong-then-right.trace");
    assert!(path.exists(), "{} is missing: record it with `just record`", path.display());
    path
}

/// A folder with one trace, changed as the test likes.
fn with_trace(change: impl FnOnce(&mut Vec<u8>)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = std::fs::read(bundled()).expect("reads");
    change(&mut bytes);
    std::fs::write(folder.path().join("a.trace"), bytes).expect("writes");
    folder
}

fn bench(folder: &Path) -> String {
    let traces = at_root("traces");
    let places = format!("--scenarios-dir {traces}/scenarios --strategies-file {traces}/strategies.toml");
    ended(folder, &run_alone(folder, &format!("bench . {places} --strategies read-text/visible")))
}

/// Text with every number of two or more digits masked, its width kept: sizes and rows change with
/// each recording.
fn masked(text: &str) -> String {
    let digits = |c: char| c.is_ascii_digit();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(digits) {
        let run = rest[at..].find(|c| !digits(c)).unwrap_or(rest.len() - at);
        out.push_str(&rest[..at]);
        out.push_str(&if run > 1 { "#".repeat(run) } else { rest[at..at + run].to_owned() });
        rest = &rest[at + run..];
    }
    out + rest
}

#[test]
fn a_truncated_trace_is_named() {
    let folder = with_trace(|bytes| bytes.truncate(bytes.len() / 2));
    insta::assert_snapshot!(masked(&bench(folder.path())));
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing was left behind");
}

#[test]
fn a_flipped_byte_is_found_and_verify_names_the_row() {
    let folder = with_trace(|bytes| {
        let middle = bytes.len() * 3 / 4;
        bytes[middle] ^= 0x20;
    });
    insta::assert_snapshot!("flipped_bench", masked(&bench(folder.path())));
    let verified = run_alone(folder.path(), "trace verify a.trace");
    assert!(verified.code == 4 && verified.out.contains("table ") && verified.out.contains("row "), "{verified:?}");
    run_alone(folder.path(), "trace salvage a.trace b.trace").good();
    run_alone(folder.path(), "trace verify b.trace").good();
}

#[test]
fn what_cannot_be_read_is_named() {
    // `user_version` is a big-endian number at byte 60 of an SQLite file.
    let newer = with_trace(|bytes| bytes[60..64].copy_from_slice(&99u32.to_be_bytes()));
    let text = with_trace(|bytes| *bytes = b"just text".to_vec());
    let empty = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!("a_newer_format_is_named", bench(newer.path()));
    insta::assert_snapshot!("a_file_that_is_no_trace_is_named", bench(text.path()));
    insta::assert_snapshot!("an_empty_folder_is_named", bench(empty.path()));
}

#[test]
fn an_unknown_strategy_is_named_with_those_that_are_known() {
    let folder = with_trace(|_| ());
    let show = format!("show a.trace --strategy lens/delt --strategies-file {}", at_root("traces/strategies.toml"));
    insta::assert_snapshot!("unknown_strategy_show", ended(folder.path(), &run_alone(folder.path(), &show)));
    let two = "[[strategy]]\nname = \"lens/nope\"\nwhy = \"x\"\n[[strategy]]\nname = \"nope/x\"\nwhy = \"y\"\n";
    std::fs::write(folder.path().join("s.toml"), two).expect("writes");
    run_alone(folder.path(), "bench . --strategies-file s.toml").ends(2, &["s.toml:2"]);
}

#[test]
fn a_scenario_with_a_misspelt_action_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario =
        "name = \"a\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"fixtures\"\n\n[[step]]\nklick = { role = \"button\" }\n";
    std::fs::write(folder.path().join("a.toml"), scenario).expect("writes");
    let ran = run_alone(folder.path(), "record a.toml");
    ran.ends(2, &["\n hint: see \"How to write a scenario\""]);
    let start = "error: a.toml:7: unknown field `klick`, expected one of `goto`, `click`";
    assert!(ran.err.starts_with(start), "{}", ran.err);
}

/// Records a scenario of one click on a fixture page.
fn record_click(target: &str, extra: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = format!(
        "name = \"a\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"fixtures\"\nstart = \"/action-click\"\n\n[[step]]\nclick = \
            {target}\n"
    );
    std::fs::write(folder.path().join("a.toml"), scenario).expect("writes");
    let record = format!("record a.toml --sites-dir {} --out . {extra}", at_root("traces/sites"));
    let ran = run_alone(folder.path(), &record);
    if folder.path().join("a.trace").exists() {
        let info = run_alone(folder.path(), "trace info a.trace");
        assert_eq!(info.code, 0, "the steps before the error stay readable");
    }
    ended(folder.path(), &ran)
}

#[test]
fn a_missing_chromium_is_said_with_how_to_install_it() {
    insta::assert_snapshot!(record_click("{ role = \"button\" }", "--chrome no/such/chromium"));
}

#[test]
fn an_action_node_that_matches_none_or_several_lists_candidates() {
    for (name, snapshot) in [
        ("No such", "an_action_node_that_matches_none_lists_candidates"),
        ("Same", "an_action_node_that_matches_several_lists_them"),
    ] {
        let text = record_click(&format!("{{ role = \"button\", name = \"{name}\" }}"), "");
        insta::assert_snapshot!(snapshot, text.lines().take(3).collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn a_full_disk_is_named() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = with_trace(|_| ());
    let mut shell = at_home(Command::new("sh"));
    shell.args(["-c", "exec \"$0\" trace info a.trace >/dev/full", env!("CARGO_BIN_EXE_browserlens")]);
    insta::assert_snapshot!(ended(folder.path(), &Ran::of(shell.current_dir(folder.path()))));
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    for verb in ["bench", "record", "compare", "show", "snapshot", "trace", "completions"] {
        assert!(run_alone(folder.path(), &format!("{verb} --help")).good().contains("Examples:"), "{verb}");
    }
    let help = run_alone(folder.path(), "--help").out;
    assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains("5 browser trouble"));
    run_alone(folder.path(), "bench --no-such-flag").ends(2, &[]);
}
