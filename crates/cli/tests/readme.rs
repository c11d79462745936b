//! The table in README.md is what `bench` prints today, but for latency, which differs from run to run.
//!
//! `UPDATE_README=1 cargo test -p browserlens --test readme` writes it anew. `BROWSERLENS_BENCH` names a binary that was built for
//! speed, as `./just test` does: unoptimised, the whole bench takes minutes.

use std::path::Path;
use std::process::Command;

const BEGIN: &str = "<!-- bench table: begin -->\n```text\n";
const END: &str = "\n```\n<!-- bench table: end -->";

/// The first table of the output, its last column (milliseconds) taken away.
fn table(output: &str) -> String {
    let rows: Vec<&str> = output.lines().take_while(|line| !line.trim().is_empty()).collect();
    let header = rows.first().expect("the bench prints a table");
    let width = header.strip_suffix("ms/step").expect("latency is the last column").trim_end().chars().count();
    let cut = |row: &&str| row.chars().take(width).collect::<String>().trim_end().to_owned();
    rows.iter().map(cut).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readme_shows_the_last_bench() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let binary = std::env::var_os("BROWSERLENS_BENCH").unwrap_or_else(|| env!("CARGO_BIN_EXE_browserlens").into());
    let output = Command::new(binary)
        .args(["bench", "--cache-dir", &at("cache"), "--runs-dir", &at("runs"), "--out", &at("report")])
        .current_dir(&root)
        .output()
        .expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let widest = printed.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
    assert!(widest.chars().count() <= 100, "wider than a terminal: {widest}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains(['\r', '\u{1b}']), "no bar where nobody looks: {said:?}");
    let table = table(&printed);
    let path = root.join("README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md is there");
    let begin = readme.find(BEGIN).expect("the table's begin mark") + BEGIN.len();
    let end = begin + readme[begin..].find(END).expect("the table's end mark");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &readme[..begin], &readme[end..])).expect("writes");
    } else {
        assert_eq!(readme[begin..end], table, "run `UPDATE_README=1 cargo test -p browserlens --test readme`");
    }
}
