//! Records as files: JSON lines, and a seal.
//!
//! In: a header, calls, an end, as they come. Out: a file that can be read after every line, and
//! whose last line is the BLAKE3 of all before it. Invariants: a line is on its way to the disk
//! before the next is begun; an existing file is never written to; secrets never reach a line.

use crate::Redactor;
use crate::agents::AgentsError;
use crate::agents::record::{Call, End, FORMAT, Header, RunRecord, TextTokens, VERSION};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
struct Seal {
    seal: String,
}

/// Writes one record, line by line.
pub struct RunWriter {
    path: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    redactor: Redactor,
    calls: u32,
}

impl RunWriter {
    /// Begins a record at a path where nothing is.
    ///
    /// # Errors
    /// [`AgentsError::Io`] if something is there, or the folder cannot be written.
    pub fn create(path: &Path, header: Header, redactor: Redactor) -> Result<Self, AgentsError> {
        let file = File::create_new(path).map_err(AgentsError::io(path, "create"))?;
        let mut writer = Self { path: path.to_owned(), file, hasher: blake3::Hasher::new(), redactor, calls: 0 };
        writer.line(&Header { format: FORMAT.to_owned(), version: VERSION, ..header })?;
        Ok(writer)
    }

    /// Adds a call; its number and its tokens are those of what is written.
    ///
    /// # Errors
    /// [`AgentsError::Io`] if it cannot be written.
    pub fn call(&mut self, mut call: Call) -> Result<(), AgentsError> {
        self.calls += 1;
        call.call = self.calls;
        let mut value = self.redacted(&call)?;
        let tokens = TextTokens::of(value["answer"].as_str().unwrap_or_default());
        value["tokens"] = serde_json::to_value(tokens).map_err(|error| self.failed(error.into()))?;
        self.write(&value)
    }

    /// Ends the record and seals it.
    ///
    /// # Errors
    /// [`AgentsError::Io`] if it cannot be written.
    pub fn finish(mut self, end: &End) -> Result<(), AgentsError> {
        self.line(end)?;
        let seal = Seal { seal: self.hasher.finalize().to_hex().to_string() };
        self.line(&seal)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), AgentsError> {
        let value = self.redacted(value)?;
        self.write(&value)
    }

    fn redacted(&self, value: &impl Serialize) -> Result<Value, AgentsError> {
        let mut value = serde_json::to_value(value).map_err(|error| self.failed(error.into()))?;
        redact(&self.redactor, &mut value);
        Ok(value)
    }

    fn write(&mut self, value: &Value) -> Result<(), AgentsError> {
        let line = format!("{value}\n");
        self.hasher.update(line.as_bytes());
        self.file.write_all(line.as_bytes()).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> AgentsError {
        AgentsError::Io { path: self.path.clone(), action: "write", source }
    }
}

/// Replaces secrets in every text of a value, however deep; keys are ours or the tool's.
fn redact(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => redactor.redact_string(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(redactor, item)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) => redact_member(redactor, name, text),
                    member => redact(redactor, member),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces secrets in a text under a name: `password` says more than what stands there.
fn redact_member(redactor: &Redactor, name: &str, text: &mut String) {
    let mut pair = serde_json::json!({ name: text.as_str() }).to_string();
    redactor.redact_string(&mut pair);
    match serde_json::from_str::<Value>(&pair) {
        Ok(Value::Object(mut members)) => {
            if let Some(Value::String(redacted)) = members.remove(name) {
                *text = redacted;
            }
        }
        _ => redactor.redact_string(text),
    }
}

impl RunRecord {
    /// Writes the record at a path where nothing is.
    ///
    /// # Errors
    /// [`AgentsError::Io`] if something is there, or the folder cannot be written.
    pub fn write(&self, path: &Path, redactor: Redactor) -> Result<(), AgentsError> {
        let mut writer = RunWriter::create(path, self.header.clone(), redactor)?;
        for call in &self.calls {
            writer.call(call.clone())?;
        }
        match &self.end {
            Some(end) => writer.finish(end),
            None => Ok(()),
        }
    }

    /// Reads a record. One that ends early, as that of a run which was killed, holds what was
    /// written, and says in [`RunRecord::cut`] where it ends.
    ///
    /// # Errors
    /// [`AgentsError`] if it cannot be read, is no record, is of a newer format, has a line that is
    /// none before its last, or was changed after it was sealed.
    pub fn read(path: &Path) -> Result<Self, AgentsError> {
        let bytes = std::fs::read(path).map_err(AgentsError::io(path, "read"))?;
        Self::parse(path, &bytes)
    }

    /// Reads a record from the bytes of its file; the path is for errors.
    ///
    /// # Errors
    /// As [`RunRecord::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, AgentsError> {
        let path_of = || path.to_owned();
        let mut lines = (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
        let (_, begins) = lines.next().unwrap_or_default();
        let first = serde_json::from_slice::<Value>(begins).ok().filter(|first| first["format"] == FORMAT);
        let first = first.ok_or_else(|| AgentsError::NoRecord(path_of()))?;
        let version = first["version"].as_u64().and_then(|version| u32::try_from(version).ok()).unwrap_or(u32::MAX);
        if version > VERSION {
            return Err(AgentsError::Newer { path: path_of(), version });
        }
        let wrong = |line, what: String| AgentsError::Line { path: path_of(), line, what };
        let header = serde_json::from_value(first).map_err(|error| wrong(1, error.to_string()))?;
        let mut record = Self { header, ..Self::default() };
        let mut at = begins.len();
        for (number, line) in lines {
            let before = at;
            at += line.len();
            let Some(line) = line.strip_suffix(b"\n") else {
                // A line without its end is one that was being written.
                record.cut = Some(record.ended(Some(number)));
                return Ok(record);
            };
            let value: Value =
                serde_json::from_slice(line).map_err(|error| wrong(number, format!("no JSON: {error}")))?;
            let part = |error: serde_json::Error| wrong(number, error.to_string());
            if value.get("seal").is_some() {
                let seal: Seal = serde_json::from_value(value).map_err(part)?;
                let is_last = at == bytes.len();
                if !is_last || record.end.is_none() || seal.seal != blake3::hash(&bytes[..before]).to_hex().as_str() {
                    return Err(AgentsError::BrokenSeal(path_of()));
                }
                return Ok(record);
            }
            if record.end.is_some() {
                return Err(wrong(number, "a line behind the end of the run".to_owned()));
            }
            if value.get("end").is_some() {
                record.end = Some(serde_json::from_value(value).map_err(part)?);
                continue;
            }
            let call: Call = serde_json::from_value(value).map_err(part)?;
            let last = record.calls.last().map_or((0, 0), |last| (last.call, last.turn));
            if call.call != last.0 + 1 || call.turn < last.1.max(1) {
                let (call, turn) = (call.call, call.turn);
                let what = format!("call {call} of turn {turn} behind call {} of turn {}", last.0, last.1);
                return Err(wrong(number, what));
            }
            record.calls.push(call);
        }
        record.cut = Some(record.ended(None));
        Ok(record)
    }

    fn ended(&self, line: Option<usize>) -> String {
        let place = match (self.calls.len(), &self.end) {
            (_, Some(_)) => "ends without its seal".to_owned(),
            (0, None) => "ends before the first call".to_owned(),
            (calls, None) => format!("ends after call {calls}"),
        };
        line.map_or(place.clone(), |line| format!("{place}, within line {line}"))
    }
}
