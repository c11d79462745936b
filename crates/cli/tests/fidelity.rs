//! `reports/fidelity.md` is what `lab fidelity` writes today over the bundled traces.
//!
//! `UPDATE_FIDELITY=1 cargo test -p browserlens --test fidelity` writes it anew.

mod common;

use common::{browserlens, root};
use std::path::Path;
use std::process::Output;

fn fidelity(cache: &Path, out: &Path, more: &[&str]) -> Output {
    browserlens()
        .args(["lab", "fidelity", "--cache-dir"])
        .arg(cache)
        .arg("--out")
        .arg(out)
        .args(more)
        .current_dir(root())
        .output()
        .expect("the command starts")
}

#[test]
fn the_fidelity_file_says_what_is_found_today() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("fidelity.md");
    let output = fidelity(&folder.path().join("cache"), &out, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let now = std::fs::read_to_string(&out).expect("it was written");
    let path = root().join("reports/fidelity.md");
    let advice = "run `UPDATE_FIDELITY=1 cargo test -p browserlens --test fidelity`";
    if std::env::var_os("UPDATE_FIDELITY").is_some() {
        std::fs::write(&path, now).expect("writes");
        return;
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}: {advice}", path.display()));
    for (number, (stands, now)) in (1..).zip(stands.lines().zip(now.lines())) {
        assert_eq!(stands, now, "line {number}: {advice}");
    }
    assert_eq!(stands, now, "{advice}");
}

#[test]
fn check_compares_with_the_file_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, out) = (folder.path().join("cache"), folder.path().join("reports/fidelity.md"));
    let one = ["traces/login-wrong-then-right.trace", "--strategies", "agent-browser@0.41.2/full"];
    let checked = [&one[..], &["--check"]].concat();
    let said = |output: &Output| (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());

    let (code, words) = said(&fidelity(&cache, &out, &checked));
    assert!(code == Some(3) && words.contains("hint: write it with `browserlens lab fidelity`"), "{code:?} {words}");
    let written = fidelity(&cache, &out, &[&one[..], &["--threads", "1"]].concat());
    assert_eq!(said(&written).0, Some(0));
    assert!(String::from_utf8_lossy(&written.stdout).contains("agent-browser@0.41.2/full"));
    let (code, words) = said(&fidelity(&cache, &out, &checked));
    assert!(code == Some(0) && words.contains("unchanged"), "{code:?} {words}");

    let text = std::fs::read_to_string(&out).expect("it was written") + "more\n";
    std::fs::write(&out, &text).expect("writes");
    let (code, words) = said(&fidelity(&cache, &out, &checked));
    assert!(code == Some(1) && words.contains("says something else"), "{code:?} {words}");
    assert_eq!(std::fs::read_to_string(&out).expect("is there"), text);

    let json = fidelity(&cache, &folder.path().join("json.md"), &[&one[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("is JSON");
    assert_eq!(json["peers"][0]["name"], "agent-browser@0.41.2/full");
}

#[test]
fn strategies_without_a_recorded_output_of_their_name_are_bad_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = fidelity(folder.path(), &folder.path().join("f.md"), &["--strategies", "lens/full"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
