//! One damaged file per error; and no damage goes unseen.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "common/written.rs"]
mod written;

use browserlens_core::page::{Capture, NodeKey};
use browserlens_core::strategy::*;
use browserlens_trace::*;
use common::*;
use rusqlite::Connection;
use std::path::Path;
use written::Written;

fn error_of(path: &Path) -> TraceError {
    let error = Trace::open(path).and_then(|trace| everything(&trace)).unwrap_err();
    assert!(error.to_string().starts_with(path.to_str().unwrap()), "names the file: {error}");
    assert!(!error.hint().is_empty());
    error
}

type All = (Vec<StepRow>, Vec<Capture>, Vec<Event>, Vec<Vec<(NodeKey, String)>>);

fn everything(trace: &Trace) -> Result<All, TraceError> {
    let indices = || (0..trace.len()).map(StepIndex);
    let captures = indices().map(|step| trace.capture(step)).collect::<Result<_, _>>()?;
    let entities = indices().map(|step| trace.entities(step)).collect::<Result<_, _>>()?;
    Ok((trace.steps()?, captures, trace.events(&EventFilter::default(), None, usize::MAX)?, entities))
}

#[test]
fn an_empty_file_a_text_and_a_foreign_database_are_no_traces() {
    let written = Written::new(1);
    let reason = |path: &Path| error_of(path).to_string();
    assert!(reason(written.with(|bytes| bytes.clear())).ends_with("not a trace: the file is empty"));
    assert!(
        reason(written.with(|bytes| *bytes = b"hello, this is a text of some length".to_vec()))
            .ends_with("it is not an SQLite file")
    );
    let foreign = written.beside("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("PRAGMA application_id = 7; CREATE TABLE t (x);").unwrap();
    let error = error_of(&foreign);
    assert!(matches!(error.fault, Fault::NotATrace { .. }) && error.to_string().contains("0x00000007"), "{error}");
    assert_eq!(error.exit_class(), ExitClass::Unreadable);
    let missing = written.beside("missing.trace");
    assert!(matches!(error_of(&missing).fault, Fault::Io { .. }));
    assert!(!missing.exists(), "reading makes no file");
}

#[test]
fn a_newer_format_is_named_with_both_versions() {
    let written = Written::new(1);
    let error = error_of(written.with_sql("PRAGMA user_version = 99"));
    assert!(
        error.to_string().ends_with(&format!("trace format 99, this build reads up to {FORMAT_VERSION}")),
        "{error}"
    );
    assert!(matches!(error.fault, Fault::TooNew { .. }));
}

#[test]
fn a_truncated_file_is_named_with_what_is_missing() {
    let written = Written::new(3);
    let whole = written.bytes.len();
    for length in [50, 99, 100, 1024, 5000, whole / 2, whole - 1024, whole - 1] {
        let error = error_of(written.with(|bytes| bytes.truncate(length)));
        assert!(matches!(&error.fault, Fault::Truncated { found, .. } if *found == length as u64), "{length}: {error}");
    }
    // A longer file was changed as well.
    assert!(matches!(error_of(written.with(|bytes| bytes.extend([0; 7]))).fault, Fault::Altered));
}

#[test]
fn a_flipped_byte_in_a_payload_names_table_and_row() {
    for written in [Written::new(3), Written::unfinished(3)] {
        let sql = "SELECT id, data FROM blob WHERE encoding = 'zstd' AND length(data) BETWEEN 100 AND 900 \
            ORDER BY length(data) DESC LIMIT 1";
        let (id, data): (i64, Vec<u8>) =
            Connection::open(&written.path).unwrap().query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let tail = &data[data.len() - 60..];
        let path = written.with(|bytes| {
            let at = bytes.windows(60).position(|window| window == tail).unwrap();
            bytes[at + 30] ^= 0x10;
        });
        let error = error_of(path);
        let place = Location { table: "blob", row: Some(id) };
        assert!(matches!(&error.fault, Fault::Damaged { place: found, .. } if *found == place), "{error}");
        let named = |error: &TraceError| error.to_string().contains(&format!("table blob, row {id}:"));
        assert!(named(&error) && verify(path).unwrap().findings.iter().any(named), "{error}");
    }
}

#[test]
fn a_changed_row_is_named() {
    let unfinished = Written::unfinished(2);
    let finished = Written::new(2);
    for (sql, place) in [
        ("UPDATE console SET text = 'other' WHERE position = 10", "table console, row 10"),
        ("UPDATE step SET settled_waited_ms = 7 WHERE number = 1", "table step, row 1"),
        ("UPDATE payload SET blob = 1 WHERE id = 9", "table payload, row 9"),
        ("UPDATE meta SET goal = 'other'", "table meta, row 1"),
        ("UPDATE action SET intent = '{}' WHERE step = 1", "table action, row 1"),
        ("UPDATE request SET response_headers = 'x' WHERE position = 11", "table request, row 11"),
        ("UPDATE blob SET length = 999999999999 WHERE id = 2", "table blob, row 2"),
    ] {
        for written in [&unfinished, &finished] {
            let error = error_of(written.with_sql(sql)).to_string();
            assert!(error.contains(place), "{sql}: {error}");
        }
    }
}

#[test]
fn a_missing_row_is_named() {
    let unfinished = Written::unfinished(3);
    for (sql, place) in [
        ("DELETE FROM payload WHERE id = 9", "table step, row 1"),
        ("DELETE FROM console WHERE position = 10", "table step, row 1"),
        ("DELETE FROM step WHERE number = 1", "table step, row 1 is missing"),
        ("DELETE FROM meta", "table meta, row 1 is missing"),
        ("DELETE FROM blob WHERE id = 3", "table blob, row 3 is missing"),
        ("DELETE FROM capture WHERE step = 2", "table step, row 2"),
    ] {
        let path = unfinished.with_sql(sql);
        assert!(Trace::open(path).and_then(|trace| everything(&trace)).is_err(), "{sql}");
        let error = error_of(path).to_string();
        assert!(error.contains(place), "{sql}: {error}");
    }
    let finished = Written::new(3);
    let error = error_of(finished.with_sql("DELETE FROM step WHERE number = 2; DELETE FROM payload WHERE step = 2"))
        .to_string();
    assert!(error.contains("table step, row 2 is missing"), "{error}");
    assert!(matches!(
        error_of(finished.with_sql("DELETE FROM file_seal")).fault,
        Fault::Damaged { .. } | Fault::Altered
    ));
    assert!(matches!(error_of(finished.with_sql("CREATE TABLE extra (x)")).fault, Fault::Altered));
}

#[test]
fn a_body_that_claims_too_much_is_refused_without_taking_the_memory() {
    let written = Written::unfinished(1);
    let path = written.with_sql("UPDATE blob SET length = 1 << 40 WHERE id = 1");
    let assert_finds = |path: &Path, said: &str| {
        let findings = verify(path).unwrap().findings;
        assert!(findings.iter().any(|finding| finding.to_string().contains(said)), "{findings:?}");
    };
    assert_finds(path, "claims 1099511627776 bytes");
    // A bomb: one gigabyte of zeros in a few kilobytes, under a claim of ten bytes.
    let bomb = zstd::stream::encode_all(std::io::Read::take(std::io::repeat(0), 1 << 30), 1).unwrap();
    let bombed = "UPDATE blob SET data = ?1, prefix = NULL, length = 10 WHERE id = 1";
    written.edit(|connection| assert_eq!(connection.execute(bombed, [&bomb]).unwrap(), 1));
    assert_finds(&written.path, "claims 10 bytes");
}

/// Places drawn without a clock or a generator: the hash of a counter.
fn places(count: u64, length: usize) -> impl Iterator<Item = (usize, u8)> {
    (0..count).map(move |index| {
        let hash = blake3::hash(&index.to_le_bytes());
        let word = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap());
        ((word % length as u64) as usize, 1 << (hash.as_bytes()[8] % 8))
    })
}

#[test]
fn no_flipped_byte_of_a_finished_trace_goes_unseen() {
    let written = Written::new(4);
    let truth = everything(&Trace::open(&written.path).unwrap()).unwrap();
    assert_eq!(truth.0.len(), written.steps.len());
    for (at, bit) in places(200, written.bytes.len()) {
        let path = written.with(|bytes| bytes[at] ^= bit);
        let error = Trace::open(path).map(drop).expect_err("a flipped byte");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "byte {at}: {error}");
        if let Ok(report) = verify(path) {
            assert!(!report.is_ok(), "byte {at}");
        }
    }
}

#[test]
fn no_flipped_byte_of_an_unfinished_trace_gives_wrong_data() {
    let written = Written::unfinished(4);
    let truth = everything(&Trace::open(&written.path).unwrap()).unwrap();
    let mut refused = 0;
    for (at, bit) in places(200, written.bytes.len()) {
        let path = written.with(|bytes| bytes[at] ^= bit);
        match Trace::open(path).and_then(|trace| everything(&trace)) {
            Ok(all) => {
                // The flip met bytes that nothing uses, or cut off whole steps at the end.
                let steps = all.0.len();
                assert!(all.0[..] == truth.0[..steps] && all.1[..] == truth.1[..steps], "byte {at}");
                assert!(all.2.iter().all(|event| truth.2.contains(event)), "byte {at}");
                assert!(all.3[..] == truth.3[..steps], "byte {at}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn salvage_of_a_truncated_file_keeps_what_can_be_read() {
    let written = Written::new(6);
    let to = written.beside("saved.trace");
    let mut kept = Vec::new();
    for part in [90, 70, 50] {
        let _ = std::fs::remove_file(&to);
        let from = written.with(|bytes| bytes.truncate(bytes.len() * part / 100));
        let before = std::fs::read(from).unwrap();
        let report = match salvage(from, &to) {
            Ok(report) => report,
            Err(error) => {
                assert!(matches!(error.fault, Fault::NotATrace { .. }), "{error}");
                kept.push(0);
                continue;
            }
        };
        assert_eq!(std::fs::read(from).unwrap(), before, "the damaged file is not touched");
        let saved = Trace::open(&to).unwrap();
        assert!(!saved.is_complete());
        assert_eq!(saved.len(), report.steps);
        for index in (0..saved.len()).map(StepIndex) {
            for payload in &saved.capture(index).unwrap().payloads {
                let own = &written.steps[index.0 as usize].capture.payloads;
                assert!(own.contains(payload), "a payload of step {index} is not its own");
            }
        }
        kept.push(report.payloads);
    }
    assert!(kept[0] > 0 && kept[0] >= kept[1] && kept[1] >= kept[2], "{kept:?}");
    let leftover = std::fs::read_dir(written.path.parent().unwrap())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().contains("salvaging"));
    assert_eq!(leftover.count(), 0);
}

#[test]
fn a_file_cut_off_in_its_list_of_tables_is_no_trace_to_salvage() {
    let written = Written::new(1);
    let to = written.beside("saved.trace");
    let mut cuts = 0;
    for pages in 1..written.bytes.len() / 1024 {
        let from = written.with(|bytes| bytes.truncate(pages * 1024));
        if let Err(error) = salvage(from, &to) {
            cuts += 1;
            assert!(matches!(error.fault, Fault::NotATrace { .. }), "{pages}: {error}");
            assert!(error.to_string().starts_with(from.to_str().unwrap()), "{error}");
        }
        let _ = std::fs::remove_file(&to);
    }
    assert!(cuts > 0);
}

#[test]
fn salvage_loses_only_the_damaged_row() {
    let written = Written::new(4);
    let to = written.beside("saved.trace");
    let from = written.with_sql(
        "UPDATE console SET text = 'other' WHERE position = 10; UPDATE blob SET data = x'00' \
        WHERE id = (SELECT blob FROM payload WHERE step = 2 AND kind = 'listeners')",
    );
    let report = salvage(from, &to).unwrap();
    assert_eq!((report.steps, report.lost_events, report.events, report.meta), (4, 1, 19, true));
    assert!(report.lost_payloads >= 1 && report.empty_steps.is_empty(), "{report:?}");
    let saved = Trace::open(&to).unwrap();
    assert_eq!(saved.meta(), &meta());
    assert_eq!(saved.capture(StepIndex(0)).unwrap().payloads.len() as u32 + report.lost_payloads.min(4) / 4, 7);
    assert_eq!(saved.steps().unwrap()[3].action, written.steps[3].action);
    assert!(matches!(salvage(from, &to).unwrap_err().fault, Fault::Exists));
    assert!(matches!(
        salvage(written.with(|bytes| *bytes = b"no trace".to_vec()), to.with_extension("x")).unwrap_err().fault,
        Fault::NotATrace { .. }
    ));
}

#[test]
fn salvage_never_panics_and_never_makes_up_data() {
    let written = Written::new(3);
    let to = written.beside("saved.trace");
    for (at, bit) in places(60, written.bytes.len()) {
        let _ = std::fs::remove_file(&to);
        if let Ok(report) = salvage(written.with(|bytes| bytes[at] ^= bit), &to) {
            let saved = Trace::open(&to).unwrap();
            for index in (0..report.steps).map(StepIndex) {
                for payload in &saved.capture(index).unwrap().payloads {
                    assert!(written.steps[index.0 as usize].capture.payloads.contains(payload), "byte {at}");
                }
            }
        }
    }
}

#[test]
fn stored_files_of_each_format_are_read_without_a_write() {
    (1..=FORMAT_VERSION).for_each(a_stored_file_is_read_without_a_write);
}

fn a_stored_file_is_read_without_a_write(format: i64) {
    let name = format!("format-{format}.trace");
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(&name);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::copy(&stored, &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let trace = Trace::open(&path).unwrap();
    assert_eq!(trace.format_version(), format);
    let written = steps(2);
    assert_eq!(trace.meta(), &meta());
    assert_eq!(trace.steps().unwrap()[1].action, written[1].action);
    for step in &written {
        assert_eq!(trace.capture(step.index).unwrap(), step.capture);
    }
    assert_eq!(trace.events(&EventFilter::default(), None, 100).unwrap().len(), 10);
    let search = EventFilter { contains: Some("GRÖSSE 1".to_lowercase()), ..EventFilter::default() };
    assert_eq!(trace.tally(&search, None).unwrap().count, 0);
    let search = EventFilter { contains: Some("GRÖßE 1".into()), ..EventFilter::default() };
    assert_eq!(trace.events(&search, None, 100).unwrap(), written[1].events[..1]);
    assert_eq!(trace.origin().unwrap(), (format >= 4).then(origin));
    assert!(verify(&path).unwrap().is_ok());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

fn origin() -> Origin {
    Origin {
        format: "playwright-trace 8".into(),
        source: "trace.zip".into(),
        licence: "CC-BY-4.0".into(),
        importer: "browserlens-import 0.1.0".into(),
        rendered: true,
        gaps: vec!["one frame was not there".into(), "two".into()],
    }
}

#[test]
fn a_recorded_trace_keeps_its_format_and_an_imported_one_says_where_it_comes_from() {
    let recorded = Written::new(2).open();
    assert_eq!((recorded.format_version(), recorded.origin().unwrap()), (3, None));
    let written = Written::by(steps(2), |path, steps| {
        let mut writer = begin(path, redactor(), steps);
        writer.set_origin(&origin()).unwrap();
        writer.finish(Outcome::Complete).unwrap();
    });
    let pruned = written.beside("pruned.trace");
    prune(&written.path, &pruned, &PruneOptions::default()).unwrap();
    for path in [&written.path, &pruned] {
        let imported = Trace::open(path).unwrap();
        assert_eq!(imported.origin().unwrap(), Some(origin()));
        assert_eq!(imported.info().unwrap().origin, Some(origin()));
        assert!(verify(path).unwrap().is_ok());
    }
}

#[test]
#[ignore = "writes the stored file of the current format; run once for each new format, never again for an old one"]
fn store_a_file_of_the_current_format() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/format-{FORMAT_VERSION}.trace"));
    assert!(!path.exists(), "a stored file is never replaced");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer = TraceWriter::create(&path, &meta(), redactor()).unwrap();
    writer.set_search(SearchOptions { from_rows: 1, ..SearchOptions::default() });
    writer.set_origin(&origin()).unwrap();
    steps(2).into_iter().for_each(|step| writer.write_step(step).unwrap());
    writer.finish(Outcome::Complete).unwrap();
}
