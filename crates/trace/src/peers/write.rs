//! Writing a peers' file, whole.

use super::schema::{APPLICATION_ID, CREATE, FORMAT_VERSION, META, OUTPUT, PASS};
use super::{PeerPass, PeerText};
use crate::blob::{BlobWriter, Storage, Stored};
use crate::error::{Location, TraceError};
use crate::file::journal_of;
use crate::record::TraceHash;
use crate::redact::Redactor;
use crate::rows::{self, int, text};
use crate::schema::PAGE_SIZE;
use crate::writer::{beside, open_for_writing, remove_if_there};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Writes the peers' file of a trace; what stands there is replaced once the new one is whole.
///
/// Passes are in the order in which they shall be listed. `redactor` replaces the secret values
/// that it knows.
///
/// # Errors
/// [`TraceError::Io`] or [`TraceError::DiskFull`] if it cannot be written; the file that stood
/// there is then untouched.
pub fn write_peers(
    path: &Path,
    trace: TraceHash,
    scenario: &str,
    passes: &[PeerPass],
    redactor: &Redactor,
) -> Result<(), TraceError> {
    let new = beside(path)?;
    let journal = journal_of(&new);
    let written = fill(&new, path, trace, scenario, passes, redactor)
        .and_then(|()| new.persist(path).map_err(|failed| TraceError::io(path, "put the file in place")(failed.error)));
    if written.is_err() {
        // The first error is the one to report.
        let _ = remove_if_there(&journal);
    }
    written
}

fn fill(
    new: &Path,
    path: &Path,
    trace: TraceHash,
    scenario: &str,
    passes: &[PeerPass],
    redactor: &Redactor,
) -> Result<(), TraceError> {
    let wrap = || TraceError::sqlite(path, Location::table("sqlite_schema"));
    let mut connection = open_for_writing(new, path)?;
    connection.pragma_update(None, "page_size", PAGE_SIZE).map_err(wrap())?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(wrap())?;
    let transaction = connection.transaction().map_err(wrap())?;
    transaction.execute_batch(CREATE).map_err(wrap())?;
    transaction.pragma_update(None, "user_version", FORMAT_VERSION).map_err(wrap())?;
    let meta = vec![
        Value::Integer(1),
        Value::Blob(trace.0.to_vec()),
        text(scenario),
        text(concat!("browserlens ", env!("CARGO_PKG_VERSION"))),
        int(passes.len() as u64),
    ];
    rows::insert(&transaction, path, &META, meta)?;
    let mut filling = Filling { connection: &transaction, path, redactor, blobs: BlobWriter::default(), outputs: 0 };
    for (number, pass) in (1u64..).zip(passes) {
        filling.pass(number, pass)?;
    }
    transaction.commit().map_err(wrap())?;
    connection.execute_batch("VACUUM").map_err(wrap())?;
    connection.close().map_err(|(_, error)| wrap()(error))
}

struct Filling<'a> {
    connection: &'a Connection,
    path: &'a Path,
    redactor: &'a Redactor,
    blobs: BlobWriter,
    outputs: u64,
}

impl Filling<'_> {
    fn pass(&mut self, number: u64, pass: &PeerPass) -> Result<(), TraceError> {
        let tools = match &pass.tools {
            Some(tools) => Value::Integer(self.store(tools, None)?.id),
            None => Value::Null,
        };
        let row = vec![
            int(number),
            text(&pass.peer),
            text(&pass.browser),
            pass.failure.as_deref().map_or(Value::Null, |failure| text(&self.redactor.known_only(failure))),
            tools,
            int(pass.rows.len() as u64),
        ];
        rows::insert(self.connection, self.path, &PASS, row)?;
        // Each text against the one of the step before of the same kind.
        let mut last: HashMap<(PeerText, &str), Stored> = HashMap::new();
        let mut last_refs: HashMap<&str, Stored> = HashMap::new();
        for output in &pass.rows {
            let key = (output.kind, output.variant.as_str());
            let body = match output.dropped {
                Some(_) => Value::Null,
                None => {
                    let clean = self.redactor.known_only(&output.text).into_owned();
                    let stored = self.store(&clean, last.get(&key))?;
                    let id = stored.id;
                    last.insert(key, stored);
                    Value::Integer(id)
                }
            };
            let refs = if output.refs.is_empty() {
                Value::Null
            } else {
                let lines: Vec<String> = output.refs.iter().map(|(handle, key)| format!("{key} {handle}")).collect();
                let stored = self.store(&lines.join("\n"), last_refs.get(output.variant.as_str()))?;
                let id = stored.id;
                last_refs.insert(&output.variant, stored);
                Value::Integer(id)
            };
            self.outputs += 1;
            let row = vec![
                int(self.outputs),
                int(number),
                int(u64::from(output.step)),
                text(output.kind.name()),
                text(&output.variant),
                body,
                int(output.micros),
                output.dropped.as_deref().map_or(Value::Null, text),
                refs,
            ];
            rows::insert(self.connection, self.path, &OUTPUT, row)?;
        }
        Ok(())
    }

    fn store(&mut self, body: &str, before: Option<&Stored>) -> Result<Stored, TraceError> {
        let body: Arc<[u8]> = body.as_bytes().into();
        self.blobs.store(self.connection, self.path, &body, Storage::Zstd, before)
    }
}
