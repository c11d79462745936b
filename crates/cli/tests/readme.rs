//! The bench of everything that is bundled: the table in README.md is what it prints today, but for
//! latency, which differs from run to run, every number of its report is made again from the
//! Parquet files, and what it showed is pinned.
//!
//! `UPDATE_README=1 cargo test -p browserlens --test readme` writes it anew.

// What the tests of the page need and these do not.
#[allow(dead_code)]
#[path = "report_page/browser.rs"]
mod browser;
mod common;
#[path = "report_page/numbers/mod.rs"]
mod numbers;
#[path = "readme/observations.rs"]
mod observations;

use common::{Ran, root};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const BEGIN: &str = "<!-- bench table: begin -->\n```text\n";
const END: &str = "\n```\n<!-- bench table: end -->";

/// The first table of the output.
fn table(output: &str) -> String {
    output.lines().take_while(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// A table without its last column: milliseconds differ from run to run.
fn without_latency(table: &str) -> String {
    let rows: Vec<&str> = table.lines().collect();
    let header = rows.first().expect("the bench prints a table");
    let width = header.strip_suffix("ms/step").expect("latency is the last column").trim_end().chars().count();
    let cut = |row: &&str| row.chars().take(width).collect::<String>().trim_end().to_owned();
    rows.iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// One bench of everything, from nothing.
struct Bench {
    report: PathBuf,
    runs: PathBuf,
    printed: String,
    said: String,
    _turn: Option<std::fs::File>,
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        // One place, so that no run leaves another behind; whoever runs the tests at the same time
        // waits until this process ends.
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
        std::fs::create_dir_all(&place).expect("a folder");
        let turn = browserlens_trace::whole::locked(&place).expect("the folder is locked");
        let folder = place.join("bench");
        let _ = std::fs::remove_dir_all(&folder);
        let at = |name: &str| folder.join(name).display().to_string();
        let mut bench = common::browserlens();
        bench.args(["bench", "--cache-dir", &at("cache"), "--runs-dir", &at("runs"), "--out", &at("report")]);
        let ran = Ran::of(bench.current_dir(root()));
        ran.ends(0, &[]);
        Bench { report: folder.join("report"), runs: folder.join("runs"), printed: ran.out, said: ran.err, _turn: turn }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_of_the_report_is_made_again() {
    let (in_summary, in_page) = numbers::of(&bench().report, false).await;
    assert!(in_summary > 3_000 && in_page > 90_000, "{in_summary}, {in_page}");
}

#[test]
fn the_printed_chart_names_every_strategy_that_is_ranked() {
    let svg = std::fs::read_to_string(bench().report.join("pareto.svg")).expect("a chart");
    let csv = std::fs::read_to_string(bench().report.join("tasks.csv")).expect("tasks");
    let column = csv.lines().next().and_then(|head| head.split(',').position(|name| name == "strategy"));
    let column = column.expect("a column of strategies");
    let names: std::collections::BTreeSet<&str> =
        csv.lines().skip(1).filter_map(|row| row.split(',').nth(column)).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        assert!(svg.contains(&name.replace(":recorded", "*")), "{name} is not in the key");
    }
}

#[test]
fn the_readme_shows_the_last_bench() {
    let Bench { printed, said, .. } = bench();
    let widest = printed.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
    assert!(widest.chars().count() <= 100, "wider than a terminal: {widest}");
    assert!(!said.contains(['\r', '\u{1b}']), "no bar where nobody looks: {said:?}");
    let table = table(printed);
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md is there");
    let begin = readme.find(BEGIN).expect("the table's begin mark") + BEGIN.len();
    let end = begin + readme[begin..].find(END).expect("the table's end mark");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &readme[..begin], &readme[end..])).expect("writes");
    } else {
        let (told, now) = (without_latency(&readme[begin..end]), without_latency(&table));
        assert_eq!(told, now, "run `UPDATE_README=1 cargo test -p browserlens --test readme`");
    }
}

/// The documents of the project, without those of installed tools.
fn documents() -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/decisions", "reports"].map(|folder| root().join(folder)) {
        found.extend(std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()));
    }
    for crate_folder in std::fs::read_dir(root().join("crates")).expect("crates").flatten() {
        found.extend(std::fs::read_dir(crate_folder.path()).expect("a crate").flatten().map(|entry| entry.path()));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut links = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("reads");
        for (at, _) in text.match_indices("](") {
            let Some(target) = text[at + 2..].split([')', '#', '\n']).next() else { continue };
            let is_file = target.contains(['.', '/']) && !target.contains([' ', '…']);
            if !is_file || target.contains("://") {
                continue;
            }
            assert!(path.parent().expect("a folder").join(target).exists(), "{}: {target}", path.display());
            links += 1;
        }
    }
    assert!(links > 35, "{links} links");
}

#[test]
fn the_readme_is_read_in_a_minute_or_two() {
    let words = std::fs::read_to_string(root().join("README.md")).expect("reads").split_whitespace().count();
    assert!(words <= 1_200, "{words} words");
}
