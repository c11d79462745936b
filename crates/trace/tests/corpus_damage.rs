//! Damaged traces among a thousand: each is a row that names file, place and remedy, and every
//! other trace is counted.

use browserlens_trace::Trace;
use browserlens_trace::corpus::{MakeOptions, Quiet, find_traces, make, stats};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const MANY: usize = 1000;

type Damage = fn(&Path);

fn sql(path: &Path, statements: &str) {
    let database = Connection::open(path).expect("opens");
    database.execute_batch(&format!("PRAGMA foreign_keys = OFF; {statements}")).expect("runs");
}

fn bytes(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut content = std::fs::read(path).expect("reads");
    change(&mut content);
    std::fs::write(path, content).expect("writes");
}

/// How a trace is damaged, and words of its row.
const DAMAGE: [(&str, Damage, &str); 10] = [
    ("altered", |path| sql(path, "CREATE TABLE extra (x)"), "the file was changed after it was finished"),
    ("changed-row", |path| sql(path, "UPDATE action SET intent = '{}' WHERE step = 1"), "table action, row 1"),
    ("empty", |path| bytes(path, Vec::clear), "not a trace: the file is empty"),
    (
        "flipped-byte",
        |path| bytes(path, |bytes| bytes.iter_mut().rev().nth(9000).into_iter().for_each(|byte| *byte ^= 1)),
        "",
    ),
    ("foreign", |path| sql(path, "PRAGMA application_id = 7"), "not a trace: "),
    (
        "link-to-nothing",
        |path| {
            std::fs::remove_file(path).expect("removes");
            std::os::unix::fs::symlink("nowhere.trace", path).expect("links");
        },
        "No such file",
    ),
    (
        "missing-row",
        |path| sql(path, "DELETE FROM step WHERE number = 2; DELETE FROM payload WHERE step = 2"),
        "table step, row 2 is missing",
    ),
    ("newer", |path| sql(path, "PRAGMA user_version = 99"), "trace format 99, this build reads up to "),
    ("text", |path| std::fs::write(path, "no trace").expect("writes"), "it is not an SQLite file"),
    ("truncated", |path| bytes(path, |bytes| bytes.truncate(bytes.len() / 2)), "truncated: "),
];

/// A synthetic trace without pictures.
fn synthetic(folder: &Path) -> PathBuf {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    make(&MakeOptions {
        out: folder.to_owned(),
        steps: 1,
        seed: 1,
        from: vec![traces.join("tiny-newsletter-signup.trace")],
        scenarios_dir: traces.join("scenarios"),
        pixels: false,
        bodies: false,
        threads: 1,
        progress: &Quiet,
        cancel: &AtomicBool::new(false),
    })
    .expect("is made");
    find_traces(folder).expect("traces").remove(0)
}

#[cfg(unix)]
#[test]
fn damaged_traces_among_a_thousand_are_rows_and_the_rest_is_counted() {
    let folder = tempfile::tempdir().expect("folder");
    let whole = synthetic(&folder.path().join("source"));
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus).expect("folder");
    for number in DAMAGE.len()..MANY {
        std::fs::hard_link(&whole, corpus.join(format!("{number:04}.trace"))).expect("links");
    }
    for (number, (name, damage, _)) in DAMAGE.iter().enumerate() {
        let path = corpus.join(format!("{:04}-{name}.trace", number * 97));
        std::fs::copy(&whole, &path).expect("copies");
        damage(&path);
    }
    let traces = find_traces(&corpus).expect("traces");
    assert_eq!(traces.len(), MANY);
    let counted = stats(&traces, 2, &|_| ()).expect("counts");
    let steps = u64::from(Trace::open(&whole).expect("opens").len());
    let good = (MANY - DAMAGE.len()) as u64;
    assert_eq!((counted.traces, counted.steps), (good, good * steps));
    assert_eq!(counted.bytes, good * std::fs::metadata(&whole).expect("is there").len());
    let failed: BTreeMap<String, &browserlens_trace::corpus::Failed> = counted
        .failures
        .iter()
        .map(|failed| (failed.path.file_stem().expect("a name").to_string_lossy()[5..].to_owned(), failed))
        .collect();
    assert_eq!(failed.len(), DAMAGE.len());
    for (name, _, words) in DAMAGE {
        let failed = failed[name];
        assert!(failed.error.starts_with(&failed.path.display().to_string()), "{name}: {}", failed.error);
        assert!(failed.error.contains(words), "{name}: {}", failed.error);
        assert!(!failed.hint.is_empty(), "{name}");
    }
}
