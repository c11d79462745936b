//! What searches look at: where it stands, that it is checked, and that nothing it says is taken
//! for true.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "common/written.rs"]
mod written;

use browserlens_core::strategy::*;
use browserlens_trace::*;
use common::*;
use rusqlite::Connection;
use std::path::Path;
use written::Written;

/// Console messages and requests by turns, in two steps.
fn recording(rows: u32) -> Vec<StepRecord> {
    let mut steps = steps(2);
    steps.iter_mut().for_each(|step| step.events.clear());
    for n in 0..rows {
        let kind = if n % 2 == 0 {
            let (level, text) = (["log", "error"][n as usize / 2 % 2], format!("Item {n} was not found"));
            EventKind::Console(ConsoleMessage { url: "http://shop.test/cart.js".into(), ..console(level, &text) })
        } else {
            let status = if n % 3 == 0 { 404 } else { 200 };
            EventKind::Request(Box::new(RequestEvent {
                status,
                ..request(&format!("http://shop.test/Item/{n}?found"))
            }))
        };
        let half = n * 2 / rows;
        steps[half as usize].events.push(event(u64::from(n), half, kind));
    }
    steps
}

fn chunks(path: &Path) -> Vec<(String, i64)> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare("SELECT source, events FROM search ORDER BY id").unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
}

/// A recording in chunks of eight rows, and what happened in it.
struct Chunked {
    written: Written,
    events: Vec<Event>,
}

impl Chunked {
    fn new() -> Self {
        let options = SearchOptions { from_rows: 1, rows: 8, ..SearchOptions::default() };
        let written = Written::by(recording(60), |path, steps| write_searched(path, steps, options));
        let events = written.steps.iter().flat_map(|step| step.events.clone()).collect();
        Self { written, events }
    }

    /// Seals the file again, as somebody who means harm can.
    fn seal(&self) {
        let value = file_seal(&self.written.path);
        let mut bytes = std::fs::read(&self.written.path).unwrap();
        let at = bytes.windows(48).position(|window| window == value).unwrap();
        bytes[at + 16..at + 48].fill(0);
        let hash = *blake3::hash(&bytes).as_bytes();
        bytes[at + 16..at + 48].copy_from_slice(&hash);
        std::fs::write(&self.written.path, bytes).unwrap();
    }

    /// Makes it a file whose recorder was killed before the seal.
    fn break_off(&self) {
        let open = [b"browserlens-open".as_slice(), &[7; 32]].concat();
        Connection::open(&self.written.path).unwrap().execute("UPDATE file_seal SET value = ?1", [open]).unwrap();
    }

    fn truth(&self, filter: &EventFilter) -> Vec<Event> {
        self.events.iter().filter(|event| filter.passes(event)).cloned().collect()
    }
}

fn file_seal(path: &Path) -> Vec<u8> {
    Connection::open(path).unwrap().query_row("SELECT value FROM file_seal", [], |row| row.get(0)).unwrap()
}

fn filters() -> Vec<EventFilter> {
    let search = |term: &str| EventFilter { contains: Some(term.into()), ..EventFilter::default() };
    vec![
        search("ITEM"),
        search("found"),
        search("m 14 w"),
        EventFilter { levels: vec!["error".into()], ..search("not") },
        EventFilter { failed: Some(true), domain: Some("shop".into()), methods: vec!["get".into()], ..search("/item") },
        EventFilter { from_step: Some(1), min_duration_ms: Some(0), statuses: vec![(200, 299)], ..search("?") },
        search("nowhere"),
    ]
}

#[test]
fn a_large_table_gets_chunks_and_so_does_a_copy_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let [path, pruned, damaged, salvaged] = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
    let mut steps = recording(9_000);
    write_searched(&path, &steps, SearchOptions::default());
    let expected: Vec<(String, i64)> = ["console", "request"]
        .into_iter()
        .flat_map(|table| [1024, 1024, 1024, 1024, 404].map(|rows| (table.to_owned(), rows)))
        .collect();
    assert_eq!(chunks(&path), expected);
    assert!(verify(&path).unwrap().is_ok());
    prune(&path, &pruned, &PruneOptions { drop_bodies: true, ..PruneOptions::default() }).unwrap();
    assert_eq!(chunks(&pruned), expected);
    assert!(verify(&pruned).unwrap().is_ok());
    std::fs::copy(&path, &damaged).unwrap();
    Connection::open(&damaged)
        .unwrap()
        .execute_batch(
            "UPDATE search SET packed = x'00' WHERE id < 3; UPDATE console SET text = 'x' WHERE position = 2",
        )
        .unwrap();
    assert!(Trace::open(&damaged).is_err());
    let report = salvage(&damaged, &salvaged).unwrap();
    assert_eq!((report.events, report.lost_events), (8_999, 1));
    let of_console: i64 = chunks(&salvaged).iter().filter(|(table, _)| table == "console").map(|(_, rows)| rows).sum();
    assert_eq!(of_console, 4_499);
    assert!(verify(&salvaged).unwrap().is_ok());
    // One step of it is small.
    let pruned = folder.path().join("e");
    prune(&path, &pruned, &PruneOptions { steps: Some(1), ..PruneOptions::default() }).unwrap();
    assert_eq!(chunks(&pruned), []);
    steps.truncate(1);
    let filter = EventFilter { contains: Some("ITEM 14 W".into()), ..EventFilter::default() };
    let found = Trace::open(&pruned).unwrap().events(&filter, None, 10).unwrap();
    assert_eq!(found.iter().map(|event| event.position).collect::<Vec<_>>(), [14]);
}

#[test]
fn a_chunk_ends_where_its_texts_are_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let mut one = step(0, steps(1).remove(0).capture);
    one.events =
        (0..10).map(|n| event(n, 0, EventKind::Console(console("log", &format!("{n}{}", "Ä".repeat(500)))))).collect();
    write_searched(&path, &[one], SearchOptions { from_rows: 1, rows: 1_000, bytes: 3_000 });
    assert_eq!(chunks(&path).iter().map(|(_, rows)| *rows).collect::<Vec<_>>(), [3, 3, 3, 1]);
    let filter = EventFilter { contains: Some("ääää".into()), ..EventFilter::default() };
    assert_eq!(Trace::open(&path).unwrap().tally(&filter, Some(3)).unwrap(), EventTally { count: 6, last: Some(9) });
}

#[test]
fn a_sealed_file_whose_chunks_lie_shows_no_row_that_does_not_match() {
    let chunked = Chunked::new();
    let written = &chunked.written;
    let of_row = |id: i64| -> Vec<u8> {
        std::fs::write(&written.path, &written.bytes).unwrap();
        let connection = Connection::open(&written.path).unwrap();
        connection.query_row("SELECT packed FROM search WHERE id = ?1", [id], |row| row.get(0)).unwrap()
    };
    let mut lies: Vec<(String, Vec<u8>)> = Vec::new();
    for id in [1, 5, 8] {
        let packed = of_row(id);
        let set = format!("UPDATE search SET packed = ?1 WHERE id = {id}");
        for at in (0..packed.len()).step_by(3) {
            let mut packed = packed.clone();
            packed[at] ^= [0x01, 0x80][at % 2];
            lies.push((set.clone(), packed));
        }
        lies.extend((0..packed.len()).step_by(23).map(|length| (set.clone(), packed[..length].to_vec())));
        lies.push((set.clone(), [packed.as_slice(), &[0]].concat()));
        lies.push((format!("UPDATE search SET packed = ?1 WHERE id = {}", id % 8 + 1), packed));
    }
    for sql in [
        "events = 9223372036854775807",
        "events = -1",
        "events = 0",
        "events = 9",
        "from_position = -1",
        "to_position = 9223372036854775807",
        "source = 'request'",
        "source = 'blob'",
        "id = 100 - id",
    ] {
        lies.push((format!("UPDATE search SET {sql} WHERE id <> 7 OR ?1 = 1"), Vec::new()));
    }
    lies.push(("DELETE FROM search WHERE id = 3 OR ?1 = 1".to_owned(), Vec::new()));
    let (mut refused, mut answered) = (0, 0);
    for (number, (sql, packed)) in lies.iter().enumerate() {
        written.edit(|connection| _ = connection.execute(sql, [packed]).unwrap());
        chunked.seal();
        let trace = Trace::open(&written.path).unwrap();
        for filter in filters() {
            let truth = chunked.truth(&filter);
            let _ = trace.tally(&filter, None);
            match trace.events(&filter, None, 100) {
                Ok(found) => {
                    answered += 1;
                    assert!(found.is_sorted_by(|one, other| one.position < other.position), "{sql}");
                    assert!(found.iter().all(|event| truth.contains(event)), "{sql}: {filter:?}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("table search"), "{error}");
                }
            }
        }
        if number % 50 == 0 || number + 12 > lies.len() {
            let report = verify(&written.path).unwrap();
            assert!(
                report.sealed && report.findings.iter().any(|found| found.to_string().contains("table search")),
                "{sql}"
            );
        }
    }
    assert!(refused > 100 && answered > 100, "{refused} refused, {answered} answered");
}

#[test]
fn chunks_of_a_file_without_a_seal_are_not_used() {
    let chunked = Chunked::new();
    let written = &chunked.written;
    let rows = |trace: &Trace, filter: &EventFilter| trace.events(filter, None, 100).unwrap();
    // What is gone hides rows of a sealed file, and verify says so.
    written.with_sql("DELETE FROM search WHERE id = 1");
    chunked.seal();
    let filter = &filters()[0];
    assert!(rows(&Trace::open(&written.path).unwrap(), filter).len() < chunked.truth(filter).len());
    let report = verify(&written.path).unwrap();
    assert!(report.findings[0].to_string().contains("it holds 22 rows of table console, 30 are there"), "{report:?}");
    chunked.break_off();
    let trace = Trace::open(&written.path).unwrap();
    for filter in filters() {
        assert_eq!(rows(&trace, &filter), chunked.truth(&filter));
        assert_eq!(trace.tally(&filter, None).unwrap().count, chunked.truth(&filter).len() as u64);
    }
    // A changed one is named.
    written.with_sql("UPDATE search SET packed = x'00' WHERE id = 2");
    chunked.break_off();
    let error = Trace::open(&written.path).unwrap_err().to_string();
    assert!(error.contains("table search, row 2"), "{error}");
}

#[test]
fn a_recording_without_room_for_chunks_is_searched_by_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let mut writer = begin(&path, redactor(), &recording(2_000));
    let pages = std::fs::metadata(&path).unwrap().len() / 1024;
    writer.limit_pages(pages + 20).unwrap();
    writer.set_search(SearchOptions { from_rows: 1, ..SearchOptions::default() });
    writer.finish(Outcome::Complete).unwrap();
    assert_eq!(chunks(&path), []);
    assert!(verify(&path).unwrap().is_ok());
    let filter = EventFilter { contains: Some("/ITEM/".into()), ..EventFilter::default() };
    assert_eq!(Trace::open(&path).unwrap().tally(&filter, None).unwrap().count, 1_000);
}
