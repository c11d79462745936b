//! What is written is read back; killed recorders leave what they finished.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "common/written.rs"]
mod written;

use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::*;
use browserlens_trace::*;
use common::*;
use std::path::Path;
use written::Written;

fn journal(path: &Path) -> std::path::PathBuf {
    path.with_file_name(format!("{}-journal", path.file_name().unwrap().to_str().unwrap()))
}

/// Does what a recorder does that is killed while its pages go to the file: journal written, half of the pages new.
fn half_written(path: &Path, more: &str) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    let settings = "PRAGMA foreign_keys = OFF; PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN;";
    let change = format!("{settings} UPDATE blob SET data = zeroblob(length(data)); {more}");
    connection.execute_batch(&change).unwrap();
    connection
}

fn copy_with_journal(path: &Path, to: &Path) {
    std::fs::copy(path, to).unwrap();
    std::fs::copy(journal(path), journal(to)).unwrap();
}

fn assert_holds(trace: &Trace, written: &[StepRecord]) {
    assert_eq!(trace.len() as usize, written.len());
    for (row, step) in trace.steps().unwrap().iter().zip(written) {
        assert_eq!((row.index, row.tab, row.torn_retries), (step.index, step.tab, step.torn_retries));
        assert_eq!(row.action, step.action);
        assert_eq!((&row.settled, &row.timings), (&step.settled, &step.timings));
        assert_eq!(trace.capture(step.index).unwrap(), step.capture);
        let filter =
            EventFilter { from_step: Some(step.index.0), to_step: Some(step.index.0), ..EventFilter::default() };
        assert_eq!(trace.events(&filter, None, 100).unwrap(), step.events);
        assert_eq!(trace.entities(step.index).unwrap(), step.entities);
        assert_eq!(trace.second_look(step.index).unwrap().unwrap().waited_ms, 10_000);
    }
}

#[test]
fn a_trace_gives_back_what_was_written() {
    let Written { folder, path, steps: written, .. } = Written::new(20);
    let trace = Trace::open(&path).unwrap();
    assert_eq!(trace.meta(), &meta());
    assert!(trace.is_complete() && trace.incomplete_reason().is_none());
    assert_holds(&trace, &written);
    // Steps out of order decode through their key frames as well.
    let fresh = Trace::open(&path).unwrap();
    for index in [15, 3, 19, 0] {
        assert_eq!(fresh.capture(StepIndex(index)).unwrap(), written[index as usize].capture);
    }
    assert_eq!(trace.hash().0, *blake3::hash(&std::fs::read(&path).unwrap()).as_bytes());
    let report = verify(&path).unwrap();
    assert!(report.is_ok() && report.sealed && report.complete, "{:?}", report.findings);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.trace"], "a finished trace is one file");
}

#[test]
fn steps_that_change_little_take_little_room() {
    let [one, eight] = [1, 8].map(|count| Written::new(count).bytes.len());
    assert!(eight < 2 * one, "{one} and {eight}");
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    assert_eq!(Written::new(3).open().hash(), Written::new(3).open().hash());
}

#[test]
fn filters_narrow_and_positions_page() {
    let written = Written::new(4);
    let trace = written.open();
    let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let all = EventFilter::default;
    for (filter, expected) in [
        (all(), 20),
        (EventFilter { kinds: own(&["dialog", "tab"]), ..all() }, 8),
        (EventFilter { levels: own(&["error"]), ..all() }, 4),
        (EventFilter { levels: own(&["log"]), ..all() }, 0),
        (EventFilter { statuses: vec![(200, u16::MAX)], ..all() }, 4),
        (EventFilter { statuses: vec![(201, u16::MAX)], ..all() }, 0),
        (EventFilter { contains: Some("GRÖSSE".into()), ..all() }, 0),
        (EventFilter { contains: Some("GRÖßE 2".into()), ..all() }, 1),
        (EventFilter { from_step: Some(1), to_step: Some(2), ..all() }, 10),
    ] {
        assert_eq!(trace.events(&filter, None, 100).unwrap().len(), expected, "{filter:?}");
    }
    let mut seen = Vec::new();
    while let Some(event) = trace.events(&EventFilter::default(), seen.last().copied(), 1).unwrap().first() {
        seen.push(event.position);
    }
    assert_eq!(seen.len(), 20);
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_writer_that_is_dropped_leaves_its_finished_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let written = steps(3);
    let mut writer = TraceWriter::create(&path, &meta(), redactor()).unwrap();
    assert!(Trace::open(&path).unwrap().is_empty(), "a trace opens before its first step");
    for (index, step) in written.iter().enumerate() {
        writer.write_step(step.clone()).unwrap();
        assert_eq!(
            Trace::open(&path).unwrap().len() as usize,
            index + 1,
            "a reader sees steps while the recorder works"
        );
    }
    drop(writer);
    let trace = Trace::open(&path).unwrap();
    assert!(!trace.is_complete() && trace.incomplete_reason().is_some());
    assert_holds(&trace, &written);
    assert!(verify(&path).unwrap().is_ok());
}

#[test]
fn a_file_copied_in_the_middle_of_a_transaction_opens_with_the_steps_before() {
    let Written { folder, path, steps: written, .. } = Written::unfinished(2);
    let connection = half_written(&path, "DELETE FROM step WHERE number = 1;");
    let copy = folder.path().join("copy.trace");
    copy_with_journal(&path, &copy);
    assert_ne!(std::fs::metadata(journal(&copy)).unwrap().len(), 0);
    let without = folder.path().join("without.trace");
    std::fs::copy(&path, &without).unwrap();
    drop(connection);
    assert!(
        Trace::open(&without).is_err() || verify(&without).map_or(true, |report| !report.is_ok()),
        "without its journal the copy is damaged"
    );
    let trace = Trace::open(&copy).unwrap();
    assert_holds(&trace, &written);
    assert!(!trace.is_complete());
    assert!(!journal(&copy).exists(), "the journal was rolled back");
}

#[cfg(unix)]
#[test]
fn a_journal_that_cannot_be_rolled_back_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    write(&path, &steps(2));
    let _open = half_written(&path, "");
    let copy = folder.path().join("copy.trace");
    copy_with_journal(&path, &copy);
    let mut permissions = std::fs::metadata(&copy).unwrap().permissions();
    permissions.set_mode(0o444);
    std::fs::set_permissions(&copy, permissions).unwrap();
    match Trace::open(&copy) {
        Err(error) if matches!(error.fault, Fault::JournalLocked) => assert!(error.hint().contains("writable")),
        // A user who may write anything is not kept from rolling back.
        other => assert_eq!(other.unwrap().len(), 2),
    }
}

#[test]
fn a_step_that_fails_leaves_no_trace_of_itself_and_can_be_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let written = steps(2);
    let mut writer = begin(&path, redactor(), &written[..1]);
    let error = writer.write_step(written[0].clone()).unwrap_err();
    assert!(matches!(error.fault, Fault::OutOfOrder { .. }), "{error}");
    let mut twice = written[1].clone();
    twice.events[1].position = twice.events[0].position;
    assert!(matches!(writer.write_step(twice).unwrap_err().fault, Fault::EventOutOfOrder { .. }));
    let mut raw = written[1].clone();
    raw.capture.payloads[0].body = std::sync::Arc::from(RawPage::default().payloads().frames.as_bytes());
    assert!(matches!(writer.write_step(raw).unwrap_err().fault, Fault::NotCanonical { .. }));
    writer.write_step(written[1].clone()).unwrap();
    writer.finish(Outcome::Complete).unwrap();
    assert_holds(&Trace::open(&path).unwrap(), &written);
}

#[test]
fn a_full_disk_is_named_and_loses_no_finished_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let mut written = steps(2);
    let noise: Vec<u8> = (0u32..2000).flat_map(|index| *blake3::hash(&index.to_le_bytes()).as_bytes()).collect();
    written[1].capture.payloads[5].body = std::sync::Arc::from([PNG, &noise].concat());
    let mut writer = begin(&path, redactor(), &written[..1]);
    let pages = std::fs::metadata(&path).unwrap().len() / 1024;
    writer.limit_pages(pages + 4).unwrap();
    let error = writer.write_step(written[1].clone()).unwrap_err();
    assert!(matches!(error.fault, Fault::DiskFull { .. }), "{error}");
    assert!(error.to_string().starts_with(path.to_str().unwrap()) && !error.hint().is_empty());
    assert_holds(&Trace::open(&path).unwrap(), &written[..1]);
    // Room again: the same step goes in.
    writer.limit_pages(1 << 20).unwrap();
    writer.write_step(written[1].clone()).unwrap();
    writer.finish(Outcome::Complete).unwrap();
    assert_holds(&Trace::open(&path).unwrap(), &written);
}

#[test]
fn a_trace_takes_no_other_files_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let create = |force| TraceWriter::create_with(&path, &meta(), redactor(), CreateOptions { force });
    write(&path, &steps(1));
    assert!(matches!(create(false).unwrap_err().fault, Fault::Exists));
    drop(create(true).unwrap());
    assert!(Trace::open(&path).unwrap().is_empty());
    std::fs::write(&path, "my thesis").unwrap();
    assert!(matches!(create(true).unwrap_err().fault, Fault::NotATrace { .. }));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my thesis");
    let nowhere = folder.path().join("missing/a.trace");
    assert!(TraceWriter::create(nowhere, &meta(), redactor()).is_err());
}

#[test]
fn a_trace_whose_place_is_taken_is_kept_until_the_new_one_is_complete() {
    let Written { folder: _folder, path, steps: good, .. } = Written::new(3);
    let create = || TraceWriter::create_with(&path, &meta(), redactor(), CreateOptions { force: true }).unwrap();
    // Killed, failed, killed again: the good one is kept through all of it.
    drop(create());
    assert_holds(&Trace::open(before_of(&path)).unwrap(), &good);
    create().finish(Outcome::Incomplete { reason: "step 0 failed".to_owned() }).unwrap();
    drop(create());
    assert_holds(&Trace::open(before_of(&path)).unwrap(), &good);
    let new = steps(1);
    let mut writer = create();
    writer.write_step(new[0].clone()).unwrap();
    writer.finish(Outcome::Complete).unwrap();
    assert_holds(&Trace::open(&path).unwrap(), &new);
    assert!(!before_of(&path).exists());
}

#[test]
fn a_journal_that_was_left_behind_is_not_rolled_back_into_a_new_trace() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.trace");
    write(&old, &steps(20));
    let _open = half_written(&old, "DELETE FROM step; PRAGMA user_version = 1;");
    for force in [false, true] {
        let path = folder.path().join(format!("{force}.trace"));
        std::fs::copy(journal(&old), journal(&path)).unwrap();
        assert_ne!(std::fs::metadata(journal(&path)).unwrap().len(), 0);
        let written = steps(3);
        let mut writer = TraceWriter::create_with(&path, &meta(), redactor(), CreateOptions { force }).unwrap();
        assert!(Trace::open(&path).unwrap().is_empty(), "force: {force}");
        for step in &written {
            writer.write_step(step.clone()).unwrap();
        }
        writer.finish(Outcome::Complete).unwrap();
        assert_holds(&Trace::open(&path).unwrap(), &written);
    }
}

#[test]
fn pruning_keeps_what_is_left_as_it_was() {
    let Written { folder, path: from, steps: written, .. } = Written::new(3);
    let to = folder.path().join("b.trace");
    prune(&from, &to, &PruneOptions { steps: Some(2), drop: vec![PayloadKind::Screenshot], drop_bodies: true })
        .unwrap();
    let trace = Trace::open(&to).unwrap();
    assert_eq!(trace.incomplete_reason(), Some("pruned to 2 of 3 steps"));
    let capture = trace.capture(StepIndex(1)).unwrap();
    assert!(capture.screenshot().is_none());
    assert_eq!(capture.get(PayloadKind::Ax, 1), written[1].capture.get(PayloadKind::Ax, 1));
    let all = trace.events(&EventFilter::default(), None, 100).unwrap();
    assert_eq!(all.len(), 10);
    assert!(
        all.iter().all(|event| !matches!(&event.kind, EventKind::Request(request) if request.response_body.is_some()))
    );
    assert!(matches!(prune(&from, &to, &PruneOptions::default()).unwrap_err().fault, Fault::Exists));
    let same = folder.path().join("c.trace");
    prune(&from, &same, &PruneOptions::default()).unwrap();
    assert_eq!(Trace::open(&from).unwrap().hash(), Trace::open(&same).unwrap().hash());
}

#[test]
fn an_export_is_one_file_a_payload() {
    let Written { folder, path, steps: written, .. } = Written::new(2);
    let out = folder.path().join("out");
    let report = export(&path, &out).unwrap();
    assert_eq!(report.files, 3 + 2 * 7);
    assert_eq!(std::fs::read(out.join("step-001/ax-f1.json")).unwrap(), written[1].capture.payloads[2].body[..]);
    assert_eq!(std::fs::read(out.join("step-000/screenshot.png")).unwrap(), PNG);
    let events: Vec<Event> = serde_json::from_slice(&std::fs::read(out.join("events.json")).unwrap()).unwrap();
    assert_eq!(events.len(), 10);
    assert!(matches!(export(&path, &out).unwrap_err().fault, Fault::Exists));
}

#[test]
fn info_counts_without_decoding() {
    let info = Written::new(3).open().info().unwrap();
    assert_eq!((info.steps.len(), info.frames, info.documents), (3, 2, 2));
    assert_eq!(info.steps[1].action, Some(ActionKind::Click));
    let ax = info.kinds.iter().find(|kind| kind.kind == PayloadKind::Ax).unwrap();
    assert!(ax.payloads == 3 && ax.stored_bytes > 0 && ax.stored_bytes < ax.bytes);
    assert_eq!(info.events[0], ("console".to_owned(), 3));
    assert!(serde_json::to_string(&info).is_ok());
}

#[test]
fn a_source_of_pages_tells_nothing_of_later_steps() {
    let mut pages = Written::new(3).open().into_pages().unwrap();
    pages.set_step(StepIndex(1)).unwrap();
    assert_eq!(PageSource::step(&pages), StepIndex(1));
    assert!(pages.events(&EventFilter::default(), None, 100).unwrap().iter().all(|event| event.step <= 1));
    assert!(matches!(pages.set_step(StepIndex(3)).unwrap_err().fault, Fault::NoStep { .. }));
    assert!(pages.page().is_ok());
}

#[test]
fn of_many_who_create_one_trace_at_once_one_writes_it_and_the_others_are_told() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        let start = std::sync::Barrier::new(8);
        let written: usize = std::thread::scope(|scope| {
            let write = || {
                start.wait();
                match TraceWriter::create(&path, &meta(), redactor()) {
                    Ok(mut writer) => {
                        steps(2).into_iter().for_each(|step| writer.write_step(step).unwrap());
                        writer.finish(Outcome::Complete).unwrap();
                        1
                    }
                    Err(TraceError { fault: Fault::Exists, .. }) => 0,
                    Err(error) => panic!("{error}"),
                }
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(write)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(written, 1);
        assert_eq!(Trace::open(&path).unwrap().len(), 2);
        let left = std::fs::read_dir(folder.path()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.trace"]);
    }
}
