//! Writing a peers' file, whole.

use super::schema::{APPLICATION_ID, CREATE, FORMAT_VERSION, META, OUTPUT, PASS};
use super::{PeerPass, PeerText};
use crate::blob::{BlobWriter, Storage, Stored};
use crate::db::Db;
use crate::error::{Location, TraceError};
use crate::file::journal_of;
use crate::record::TraceHash;
use crate::redact::Redactor;
use crate::rows::{int, text};
use crate::schema::PAGE_SIZE;
use crate::writer::{beside, open_for_writing, remove_if_there};
use rusqlite::types::Value;
use std::collections::HashMap;
use std::path::Path;

/// Writes the peers' file of a trace; what stands there is replaced once the new one is whole.
///
/// Passes are in the order in which they shall be listed. `redactor` replaces the secret values
/// that it knows.
///
/// # Errors
/// [`Fault::Io`](crate::Fault::Io) or [`Fault::DiskFull`](crate::Fault::DiskFull) if it cannot be
/// written; the file that stood there is then untouched.
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
    let db = open_for_writing(new, path)?;
    let run = |sql: &str| db.connection.execute_batch(sql).map_err(db.failed(Location::FILE));
    run(&format!("PRAGMA page_size = {PAGE_SIZE}; PRAGMA application_id = {APPLICATION_ID};"))?;
    db.transaction(Location::FILE, || {
        run(CREATE)?;
        run(&format!("PRAGMA user_version = {FORMAT_VERSION};"))?;
        let meta = vec![
            int(1),
            Value::Blob(trace.0.to_vec()),
            text(scenario),
            text(concat!("browserlens ", env!("CARGO_PKG_VERSION"))),
            int(passes.len()),
        ];
        db.insert(&META, meta)?;
        let mut filling = Filling { db: &db, redactor, blobs: BlobWriter::default(), outputs: 0 };
        (1u64..).zip(passes).try_for_each(|(number, pass)| filling.pass(number, pass))
    })?;
    run("VACUUM")?;
    db.close(Location::FILE)
}

struct Filling<'a> {
    db: &'a Db,
    redactor: &'a Redactor,
    blobs: BlobWriter,
    outputs: u64,
}

impl Filling<'_> {
    fn pass(&mut self, number: u64, pass: &PeerPass) -> Result<(), TraceError> {
        let tools = match &pass.tools {
            Some(tools) => int(self.store(tools, None)?.id),
            None => Value::Null,
        };
        let row = vec![
            int(number),
            text(&pass.peer),
            text(&pass.browser),
            pass.failure.as_deref().map_or(Value::Null, |failure| text(&self.redactor.known_only(failure))),
            tools,
            int(pass.rows.len()),
        ];
        self.db.insert(&PASS, row)?;
        // Each text against the one of the step before of the same kind.
        let mut last: HashMap<(PeerText, &str), Stored> = HashMap::new();
        let mut last_refs: HashMap<&str, Stored> = HashMap::new();
        for output in &pass.rows {
            let variant = output.variant.as_str();
            let body = if output.dropped.is_some() {
                Value::Null
            } else {
                let key = (output.kind, variant);
                let stored = self.store(&self.redactor.known_only(&output.text), last.get(&key))?;
                int(last.entry(key).insert_entry(stored).get().id)
            };
            let refs = if output.refs.is_empty() {
                Value::Null
            } else {
                let lines: Vec<String> = output.refs.iter().map(|(handle, key)| format!("{key} {handle}")).collect();
                let stored = self.store(&lines.join("\n"), last_refs.get(variant))?;
                int(last_refs.entry(variant).insert_entry(stored).get().id)
            };
            self.outputs += 1;
            let row = vec![
                int(self.outputs),
                int(number),
                int(output.step),
                text(output.kind.name()),
                text(variant),
                body,
                int(output.micros),
                output.dropped.as_deref().map_or(Value::Null, text),
                refs,
            ];
            self.db.insert(&OUTPUT, row)?;
        }
        Ok(())
    }

    fn store(&mut self, body: &str, before: Option<&Stored>) -> Result<Stored, TraceError> {
        self.blobs.store(self.db, &body.as_bytes().into(), Storage::Zstd, before)
    }
}
