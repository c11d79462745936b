//! What a trace holds, in numbers.
//!
//! In: a [`Trace`]. Out: [`TraceInfo`], for `trace info` to print. Invariant: no body is decoded.

use crate::error::TraceError;
use crate::origin::Origin;
use crate::reader::Trace;
use crate::record::{TraceHash, TraceMeta};
use crate::schema::{BLOB, DOCUMENT, EVENT_TABLES, FRAME, PAYLOAD, Table};
use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::{ActionKind, StepIndex};
use rusqlite::{Params, Row};
use serde::Serialize;
use std::path::PathBuf;

/// What a trace holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// The file.
    pub path: PathBuf,
    /// Format of the file.
    pub format: i64,
    /// Size of the file.
    pub bytes: u64,
    /// Hash of the file, in hexadecimal.
    #[serde(serialize_with = "as_hex")]
    pub hash: TraceHash,
    /// What it is a recording of.
    pub meta: TraceMeta,
    /// Where it was imported from; none if it was recorded here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Whether the recording reached its end.
    pub complete: bool,
    /// Why it did not.
    pub incomplete_reason: Option<String>,
    /// Frames seen.
    pub frames: u64,
    /// Documents seen.
    pub documents: u64,
    /// Its steps.
    pub steps: Vec<StepInfo>,
    /// Its payloads, by kind.
    pub kinds: Vec<KindInfo>,
    /// Its events: how many of each kind.
    pub events: Vec<(String, u64)>,
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepInfo {
    /// Index of the step.
    pub index: StepIndex,
    /// The action that led there.
    pub action: Option<ActionKind>,
    /// Payloads in its capture.
    pub payloads: u64,
    /// Bytes of its payloads.
    pub bytes: u64,
    /// Whether the page was quiet.
    pub quiet: bool,
}

/// The payloads of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindInfo {
    /// The kind.
    pub kind: PayloadKind,
    /// How many there are.
    pub payloads: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that they take in the file, each body counted once.
    pub stored_bytes: u64,
}

fn as_hex<S: serde::Serializer>(hash: &TraceHash, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(hash)
}

impl Trace {
    /// Counts what the trace holds.
    ///
    /// # Errors
    /// [`TraceError`] if a row cannot be read.
    pub fn info(&self) -> Result<TraceInfo, TraceError> {
        const BODIES: &str = "SELECT count(*), coalesce(sum(blob.length), 0) FROM payload \
            JOIN blob ON blob.id = payload.blob WHERE";
        let mut steps = Vec::new();
        for step in self.steps()? {
            let sql = format!("{BODIES} payload.step = ?1");
            let [payloads, bytes] = self.counts(&PAYLOAD, &sql, [step.index.0])?;
            let action = step.action.map(|action| action.taken.kind);
            steps.push(StepInfo { index: step.index, action, payloads, bytes, quiet: step.settled.quiet });
        }
        let mut kinds = Vec::new();
        for kind in PayloadKind::ALL {
            let [payloads, bytes] = self.counts(&PAYLOAD, &format!("{BODIES} kind = ?1"), [kind.name()])?;
            let sql = "SELECT count(*), coalesce(sum(length(data)), 0) FROM blob WHERE id IN (SELECT blob FROM payload \
                WHERE kind = ?1)";
            let [_, stored_bytes] = self.counts(&BLOB, sql, [kind.name()])?;
            if payloads > 0 {
                kinds.push(KindInfo { kind, payloads, bytes, stored_bytes });
            }
        }
        let events = EVENT_TABLES.into_iter().map(|(kind, table)| Ok((kind.to_owned(), self.db().count(table)?)));
        let events = events.collect::<Result<_, TraceError>>()?;
        let (frames, documents) = (self.db().count(&FRAME)?, self.db().count(&DOCUMENT)?);
        Ok(TraceInfo {
            path: self.path().to_owned(),
            format: self.format_version(),
            bytes: self.bytes(),
            hash: self.hash(),
            meta: self.meta().clone(),
            origin: self.origin()?,
            complete: self.is_complete(),
            incomplete_reason: self.incomplete_reason().map(str::to_owned),
            frames,
            documents,
            steps,
            kinds,
            events,
        })
    }

    fn counts(&self, table: &Table, sql: &str, values: impl Params) -> Result<[u64; 2], TraceError> {
        let read = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?].map(|count: i64| u64::try_from(count).unwrap_or(0)));
        self.db().first(table.place(), sql, values, read).map(Option::unwrap_or_default)
    }
}
