//! The table of the README, measured on the bundled traces;
//! `UPDATE_README=1 cargo test -p browserlens-reading --test readme` writes it anew.

#[path = "../benches/synthetic/workload.rs"]
mod workload;

use std::path::Path;
use workload::{Pattern, measured};

const BEGIN: &str = "<!-- hit rate: begin -->\n";
const END: &str = "<!-- hit rate: end -->";

#[test]
fn the_hit_rate_in_the_readme_is_what_is_measured() {
    let tasks = workload::tasks().expect("traces");
    assert!(!tasks.is_empty());
    let mut table = String::from(
        "| reading | readings | by URL and content | read anew: changed | read anew: new | by URL alone | of these \
            wrong |\n| --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
    for pattern in Pattern::ALL {
        let counts = measured(&tasks, pattern).expect("reads");
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
