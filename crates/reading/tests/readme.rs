//! The table of the README, measured on the bundled traces;
//! `UPDATE_README=1 cargo test -p browserlens-reading --test readme` writes it anew.

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_reading::{Cache, CacheOptions, Counts, Pattern, TASK_MS, workload};
use browserlens_trace::Trace;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- hit rate: begin -->\n";
const END: &str = "<!-- hit rate: end -->";

/// The pages of every bundled trace, trace by trace.
fn tasks() -> Vec<Vec<Page>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut traces: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("traces").flatten().map(|entry| entry.path()).collect();
    traces.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    traces.sort();
    assert!(!traces.is_empty());
    let page =
        |trace: &Trace, step: u32| Page::parse(&trace.capture(StepIndex(step)).expect("a capture")).expect("a page");
    let pages = |path: &PathBuf| {
        let trace = Trace::open(path).expect("opens");
        (0..trace.len()).map(|step| page(&trace, step)).collect()
    };
    traces.iter().map(pages).collect()
}

fn measured(tasks: &[Vec<Page>], pattern: Pattern) -> Counts {
    let folder = tempfile::tempdir().expect("a folder");
    let mut cache = Cache::open(&folder.path().join("pages.cache"), CacheOptions::default()).expect("opens");
    let mut counts = Counts::default();
    for (number, pages) in tasks.iter().enumerate() {
        let start = number as u64 * TASK_MS;
        counts.add(&workload(&mut cache, pages, pattern, start).expect("reads"));
    }
    counts
}

#[test]
fn the_hit_rate_in_the_readme_is_what_is_measured() {
    let tasks = tasks();
    let mut table = String::from(
        "| reading | readings | by URL and content | read anew: changed | read anew: new | by URL alone | of these \
            wrong |\n| --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
    for pattern in Pattern::ALL {
        let counts = measured(&tasks, pattern);
        assert_eq!(counts.hits + counts.revalidated + counts.changed + counts.misses, counts.readings);
        // A cache by URL alone is hit more often, by what it gets wrong.
        assert!(counts.by_url_stale <= counts.by_url);
        table.push_str(&format!(
            "| {} | {} | {:.0} % | {} | {} | {:.0} % | {:.0} % |\n",
            pattern.name(),
            counts.readings,
            100.0 * counts.hit_rate(),
            counts.changed,
            counts.misses,
            percent(counts.by_url, counts.readings),
            percent(counts.by_url_stale, counts.by_url),
        ));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).expect("the README");
    let begin = readme.find(BEGIN).expect("the table begins") + BEGIN.len();
    let end = readme.find(END).expect("the table ends");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &readme[..begin], &readme[end..])).expect("writes");
    } else {
        assert_eq!(readme[begin..end], table, "run `UPDATE_README=1 cargo test -p browserlens-reading --test readme`");
    }
}
