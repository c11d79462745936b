//! A trace in a folder of its own, to be read, changed and damaged.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "shared by test files that each use a part")]

use super::common::*;
use browserlens_trace::{StepRecord, Trace};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A trace in a folder of its own.
pub struct Written {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub steps: Vec<StepRecord>,
}

impl Written {
    pub fn by(steps: Vec<StepRecord>, write: impl FnOnce(&Path, &[StepRecord])) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        write(&path, &steps);
        Self { bytes: std::fs::read(&path).unwrap(), folder, path, steps }
    }

    pub fn new(count: u32) -> Self {
        Self::by(steps(count), write)
    }

    /// A recording that was never finished, so that it has no seal.
    pub fn unfinished(count: u32) -> Self {
        Self::by(steps(count), |path, steps| drop(begin(path, redactor(), steps)))
    }

    pub fn open(&self) -> Trace {
        Trace::open(&self.path).unwrap()
    }

    /// A path in the same folder.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.path.with_file_name(name)
    }

    pub fn with(&self, change: impl FnOnce(&mut Vec<u8>)) -> &Path {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        std::fs::write(&self.path, bytes).unwrap();
        &self.path
    }

    pub fn edit(&self, change: impl FnOnce(&Connection)) -> &Path {
        std::fs::write(&self.path, &self.bytes).unwrap();
        let connection = Connection::open(&self.path).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        change(&connection);
        &self.path
    }

    pub fn with_sql(&self, sql: &str) -> &Path {
        self.edit(|connection| connection.execute_batch(sql).unwrap())
    }
}
