//! Events as rows: one table a kind, one position for all.
//!
//! In: [`Event`]s. Out: rows, and the events that a filter lets pass, in order of position.
//! Invariant: SQLite filters what it can (kind, step, level, status, position); only `contains` is compared here, because
//! SQLite folds the case of ASCII alone.

use crate::blob::{BlobReader, BlobWriter, Storage};
use crate::error::{Place, TraceError};
use crate::rows;
use crate::schema::{CONSOLE, DIALOG, DOWNLOAD, REQUEST, TAB_EVENT, Table};
use browserlens_strategy::{
    ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventFilter, EventKind, RequestEvent, TabEvent,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::path::Path;
use std::sync::Arc;

/// The tables of events, by the name of their kind.
pub(crate) const EVENT_TABLES: [(&str, &Table); 5] =
    [("console", &CONSOLE), ("request", &REQUEST), ("dialog", &DIALOG), ("tab", &TAB_EVENT), ("download", &DOWNLOAD)];

pub(crate) fn int(number: impl TryInto<i64>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn headers_to_json(headers: &[(String, String)]) -> Value {
    Value::Text(serde_json::to_string(headers).unwrap_or_default())
}

/// Writes one event, already redacted.
pub(crate) fn insert(
    connection: &Connection,
    path: &Path,
    blobs: &mut BlobWriter,
    event: &Event,
) -> Result<(), TraceError> {
    let mut values = vec![int(event.position), int(event.step), int(event.tab), int(event.at_ms)];
    let table = match &event.kind {
        EventKind::Console(message) => {
            values.extend([
                text(&message.level),
                text(&message.text),
                text(&message.url),
                int(message.line),
                text(&message.stack),
            ]);
            &CONSOLE
        }
        EventKind::Request(request) => {
            let mut body = |body: &Option<String>| -> Result<Value, TraceError> {
                let Some(body) = body else { return Ok(Value::Null) };
                let bytes: Arc<[u8]> = body.as_bytes().into();
                Ok(Value::Integer(blobs.store(connection, path, &bytes, Storage::Zstd, None)?.id))
            };
            let bodies = [body(&request.request_body)?, body(&request.response_body)?];
            values.extend([
                int(request.id),
                text(&request.method),
                text(&request.url),
                text(&request.resource_type),
                int(request.status),
                text(&request.mime_type),
                headers_to_json(&request.request_headers),
                headers_to_json(&request.response_headers),
            ]);
            values.extend(bodies);
            values.extend([int(request.response_bytes), text(&request.failure), int(request.duration_ms)]);
            &REQUEST
        }
        EventKind::Dialog(dialog) => {
            let accepted = dialog.accepted.map_or(Value::Null, |accepted| int(i64::from(accepted)));
            values.extend([text(dialog_kind_name(dialog.kind)), text(&dialog.message), accepted, text(&dialog.typed)]);
            &DIALOG
        }
        EventKind::Tab(tab) => {
            values.extend([text(&tab.what), text(&tab.url), text(&tab.title)]);
            &TAB_EVENT
        }
        EventKind::Download(download) => {
            values.extend([text(&download.url), text(&download.file_name), int(download.bytes), text(&download.state)]);
            &DOWNLOAD
        }
    };
    rows::insert(connection, path, table, values)
}

fn dialog_kind_name(kind: DialogKind) -> &'static str {
    match kind {
        DialogKind::Alert => "alert",
        DialogKind::Confirm => "confirm",
        DialogKind::Prompt => "prompt",
        DialogKind::BeforeUnload => "before_unload",
    }
}

fn dialog_kind(name: &str) -> Option<DialogKind> {
    [DialogKind::Alert, DialogKind::Confirm, DialogKind::Prompt, DialogKind::BeforeUnload]
        .into_iter()
        .find(|kind| dialog_kind_name(*kind) == name)
}

/// Reads the events that pass a filter.
pub(crate) struct Query<'q> {
    pub connection: &'q Connection,
    pub path: &'q Path,
    pub filter: &'q EventFilter,
    pub after: Option<u64>,
    pub limit: usize,
}

impl Query<'_> {
    /// Returns at most `limit` events in order of position.
    pub(crate) fn run(&self, blobs: &mut BlobReader) -> Result<Vec<Event>, TraceError> {
        let mut events = Vec::new();
        for (kind, table) in EVENT_TABLES {
            if self.filter.kinds.is_empty() || self.filter.kinds.iter().any(|wanted| wanted == kind) {
                self.run_table(table, blobs, &mut events)?;
            }
        }
        events.sort_by_key(|event| event.position);
        events.truncate(self.limit);
        Ok(events)
    }

    fn conditions(&self, table: &Table) -> Option<(String, Vec<Value>)> {
        let mut sql = "position > ?1 AND step >= ?2 AND step <= ?3".to_owned();
        let after = self.after.map_or(Value::Integer(-1), int);
        let mut values =
            vec![after, int(self.filter.from_step.unwrap_or(0)), int(self.filter.to_step.unwrap_or(u32::MAX))];
        // A filter on a field that only one kind has lets only that kind pass.
        if !self.filter.levels.is_empty() {
            if table.name != CONSOLE.name {
                return None;
            }
            let marks: Vec<String> =
                (0..self.filter.levels.len()).map(|index| format!("?{}", values.len() + 1 + index)).collect();
            sql.push_str(&format!(" AND level IN ({})", marks.join(", ")));
            values.extend(self.filter.levels.iter().map(|level| text(level)));
        }
        if let Some(status) = self.filter.min_status {
            if table.name != REQUEST.name {
                return None;
            }
            values.push(int(status));
            sql.push_str(&format!(" AND status >= ?{}", values.len()));
        }
        Some((sql, values))
    }

    fn run_table(
        &self,
        table: &'static Table,
        blobs: &mut BlobReader,
        events: &mut Vec<Event>,
    ) -> Result<(), TraceError> {
        let Some((conditions, values)) = self.conditions(table) else { return Ok(()) };
        let sql =
            format!("SELECT {} FROM {} WHERE {conditions} ORDER BY position", table.columns.join(", "), table.name);
        let wrap = || TraceError::sqlite(self.path, Place::table(table.name));
        let mut statement = self.connection.prepare_cached(&sql).map_err(wrap())?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(wrap())?;
        let needle = self.filter.contains.as_deref().map(str::to_lowercase);
        let mut found = 0;
        while found < self.limit {
            let Some(row) = rows.next().map_err(wrap())? else { break };
            let position: i64 = row.get(0).map_err(wrap())?;
            let place = Place::row(table.name, position);
            let mut event = read(row, table).map_err(TraceError::sqlite(self.path, place.clone()))?;
            let Some(event) = event.as_mut() else {
                return Err(TraceError::damaged(self.path, place, "a field holds a value that its kind does not have"));
            };
            if needle.as_deref().is_some_and(|needle| !mentions(&event.kind, needle)) {
                continue;
            }
            if let EventKind::Request(request) = &mut event.kind {
                let mut body = |column: usize| -> Result<Option<String>, TraceError> {
                    let id: Option<i64> = row.get(column).map_err(wrap())?;
                    let Some(id) = id else { return Ok(None) };
                    let bytes = blobs.read(self.connection, self.path, id, &place)?;
                    let text = String::from_utf8(bytes.to_vec());
                    text.map(Some).map_err(|_| {
                        TraceError::damaged(
                            self.path,
                            Place::row("blob", id),
                            "a body that should be text is not UTF-8",
                        )
                    })
                };
                request.request_body = body(12)?;
                request.response_body = body(13)?;
            }
            events.push(event.clone());
            found += 1;
        }
        Ok(())
    }
}

/// Returns whether the message or URL of an event holds a text, which is in lower case.
fn mentions(kind: &EventKind, needle: &str) -> bool {
    let fields: [&str; 2] = match kind {
        EventKind::Console(message) => [&message.text, &message.url],
        EventKind::Request(request) => [&request.url, &request.failure],
        EventKind::Dialog(dialog) => [&dialog.message, &dialog.typed],
        EventKind::Tab(tab) => [&tab.url, &tab.title],
        EventKind::Download(download) => [&download.url, &download.file_name],
    };
    fields.iter().any(|field| field.to_lowercase().contains(needle))
}

fn read(row: &Row<'_>, table: &Table) -> rusqlite::Result<Option<Event>> {
    let kind = match table.name {
        "console" => EventKind::Console(ConsoleMessage {
            level: row.get(4)?,
            text: row.get(5)?,
            url: row.get(6)?,
            line: row.get(7)?,
            stack: row.get(8)?,
        }),
        "request" => {
            let headers = |column: usize| -> rusqlite::Result<Option<Vec<(String, String)>>> {
                let json: String = row.get(column)?;
                Ok(serde_json::from_str(&json).ok())
            };
            let (Some(request_headers), Some(response_headers)) = (headers(10)?, headers(11)?) else { return Ok(None) };
            EventKind::Request(Box::new(RequestEvent {
                id: row.get(4)?,
                method: row.get(5)?,
                url: row.get(6)?,
                resource_type: row.get(7)?,
                status: row.get(8)?,
                mime_type: row.get(9)?,
                request_headers,
                response_headers,
                request_body: None,
                response_body: None,
                response_bytes: unsigned(row, 14)?,
                failure: row.get(15)?,
                duration_ms: unsigned(row, 16)?,
            }))
        }
        "dialog" => {
            let Some(kind) = dialog_kind(&row.get::<_, String>(4)?) else { return Ok(None) };
            EventKind::Dialog(DialogEvent { kind, message: row.get(5)?, accepted: row.get(6)?, typed: row.get(7)? })
        }
        "tab_event" => EventKind::Tab(TabEvent { what: row.get(4)?, url: row.get(5)?, title: row.get(6)? }),
        "download" => EventKind::Download(DownloadEvent {
            url: row.get(4)?,
            file_name: row.get(5)?,
            bytes: unsigned(row, 6)?,
            state: row.get(7)?,
        }),
        _ => return Ok(None),
    };
    Ok(Some(Event { position: unsigned(row, 0)?, step: row.get(1)?, tab: row.get(2)?, at_ms: unsigned(row, 3)?, kind }))
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}
