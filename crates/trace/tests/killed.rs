//! A recorder that is killed leaves a trace that opens, whenever it is.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::strategy::StepIndex;
use browserlens_trace::*;
use common::*;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PATH: &str = "BROWSERLENS_TEST_KILLED_PATH";
const SYNC_AT_END: &str = "BROWSERLENS_TEST_KILLED_SYNC_AT_END";

/// The victim: records until it is killed. Does nothing when the tests run it themselves.
#[test]
fn victim() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let mut writer = TraceWriter::create(path, &meta(), redactor()).unwrap();
    if std::env::var_os(SYNC_AT_END).is_some() {
        writer.sync_at_end().unwrap();
    }
    for step in steps(400) {
        writer.write_step(step).unwrap();
    }
    writer.finish(Outcome::Complete).unwrap();
}

#[test]
fn every_finished_step_survives_a_kill_at_any_moment() {
    survives_kills(&[]);
}

#[test]
fn waiting_for_the_disk_at_the_end_makes_kills_no_worse() {
    survives_kills(&[(SYNC_AT_END, "1")]);
}

fn survives_kills(settings: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let written = steps(400);
    let mut lengths = Vec::new();
    for moment in 0..20u64 {
        let path = folder.path().join(format!("{moment}.trace"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "victim"])
            .env(PATH, &path)
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while !path.exists() && begun.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(moment * moment * 1700));
        child.kill().unwrap();
        child.wait().unwrap();
        let trace = Trace::open(&path).unwrap();
        for index in (0..trace.len()).map(StepIndex) {
            assert_eq!(trace.capture(index).unwrap(), written[index.0 as usize].capture);
            assert_eq!(trace.step(index).unwrap().action, written[index.0 as usize].action);
        }
        assert_eq!(trace.is_complete(), trace.len() == 400 && trace.incomplete_reason().is_none());
        assert!(verify(&path).unwrap().is_ok(), "moment {moment}");
        lengths.push(trace.len());
    }
    assert!(lengths.iter().any(|length| *length > 0), "{lengths:?}");
}
