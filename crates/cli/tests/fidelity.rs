//! `reports/fidelity.md` is what `lab fidelity` writes today over the bundled traces.
//!
//! `UPDATE_FIDELITY=1 cargo test -p browserlens --test fidelity` writes it anew.

mod common;

use common::{Ran, root, run};
use std::path::Path;

fn fidelity(folder: &Path, out: &str, more: &str) -> Ran {
    let at = folder.display();
    run(&format!("lab fidelity --cache-dir {at}/cache --out {at}/{out} {more}"))
}

#[test]
fn the_fidelity_file_says_what_is_found_today() {
    let folder = tempfile::tempdir().expect("a folder");
    fidelity(folder.path(), "fidelity.md", "").good();
    let now = std::fs::read_to_string(folder.path().join("fidelity.md")).expect("it was written");
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
    let out = folder.path().join("reports/fidelity.md");
    let one = "traces/login-wrong-then-right.trace --strategies agent-browser@0.41.2/full";
    let ran = |more: &str| fidelity(folder.path(), "reports/fidelity.md", &format!("{one} {more}"));

    ran("--check").ends(3, &["hint: write it with `browserlens lab fidelity`"]);
    assert!(ran("--threads 1").good().contains("agent-browser@0.41.2/full"));
    ran("--check").ends(0, &["unchanged"]);

    let text = std::fs::read_to_string(&out).expect("it was written") + "more\n";
    std::fs::write(&out, &text).expect("writes");
    ran("--check").ends(1, &["says something else"]);
    assert_eq!(std::fs::read_to_string(&out).expect("is there"), text);

    let json = fidelity(folder.path(), "json.md", &format!("{one} --json")).json();
    assert_eq!(json["peers"][0]["name"], "agent-browser@0.41.2/full");
}

#[test]
fn strategies_without_a_recorded_output_of_their_name_are_bad_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    fidelity(folder.path(), "f.md", "--strategies lens/full").ends(2, &[]);
}
