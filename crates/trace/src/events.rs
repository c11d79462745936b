//! Events as rows: one table a kind, one position for all.
//!
//! In: [`Event`]s. Out: rows, and the events that a filter lets pass, in order of position.
//! Invariant: SQLite filters what it can; only `contains` is compared here, because SQLite folds
//! the case of ASCII alone. What passes is what [`EventFilter::passes`] lets pass.
//!
//! Where the file has indices (format 2), a query is split into lanes, in each of which an index
//! gives rows in order of position, so that a page of answers costs the rows it shows and not those
//! it leaves out. A search in a large table goes through its chunks (format 3, [`crate::search`])
//! instead; every row that they name is read and asked again.

mod conditions;

use crate::blob::{BlobReader, BlobWriter, Storage};
use crate::error::{Location, TraceError};
use crate::rows::{self, int, text};
use crate::schema::{CONSOLE, DIALOG, DOWNLOAD, EVENT_TABLES, FAILED, HOST, REQUEST, TAB_EVENT, Table};
use crate::search::{self, Without, searched_columns};
use browserlens_core::strategy::{
    ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventFilter, EventKind, EventTally, RequestEvent,
    RequestParts, TabEvent,
};
use conditions::{EVERYTHING, Needle, Where};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Whether the indices of the file can be used: they are there, and the file is sealed.
    pub indexed: bool,
    /// Whether chunks for searches can be used where they are there.
    pub searchable: bool,
    pub without: &'q Mutex<Without>,
}

/// A part of a table whose rows an index gives in order of position.
enum Lane {
    /// The table itself.
    All,
    Level(String),
    Failed(bool),
}

impl Query<'_> {
    /// Returns at most `limit` events in order of position.
    pub(crate) fn run(&self, blobs: &mut BlobReader) -> Result<Vec<Event>, TraceError> {
        let mut events = Vec::new();
        for table in self.tables() {
            if self.has_chunks(table)? {
                self.run_chunks(table, blobs, &mut events)?;
                continue;
            }
            for lane in self.lanes(table)? {
                self.run_lane(table, &lane, blobs, &mut events)?;
            }
        }
        events.sort_by_key(|event| event.position);
        events.truncate(self.limit);
        Ok(events)
    }

    /// Counts the events that pass; the limit is not read.
    pub(crate) fn tally(&self) -> Result<EventTally, TraceError> {
        let mut tally = EventTally::default();
        for table in self.tables() {
            let wrap = || TraceError::sqlite(self.path, Location::table(table.name));
            let (conditions, values) = self.conditions(table, &Lane::All);
            let mut add = |count: i64, last: Option<i64>| {
                tally.count += u64::try_from(count).unwrap_or(0);
                tally.last = tally.last.max(last.and_then(|last| u64::try_from(last).ok()));
            };
            if self.has_chunks(table)? {
                search::passing(
                    self.connection,
                    self.path,
                    table,
                    (self.filter, self.after),
                    &mut self.without(),
                    |position| {
                        add(1, i64::try_from(position).ok());
                        Ok(true)
                    },
                )?;
            } else if let Some(needle) = self.filter.contains.as_deref().map(Needle::new) {
                let [one, other] = searched_columns(table);
                for lane in self.lanes(table)? {
                    let (conditions, values) = self.conditions(table, &lane);
                    let sql = format!(
                        "SELECT position, {one}, {other} FROM {} {} WHERE {conditions}",
                        table.name,
                        self.hint(table, !matches!(lane, Lane::All))
                    );
                    let mut statement = self.connection.prepare_cached(&sql).map_err(wrap())?;
                    let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(wrap())?;
                    while let Some(row) = rows.next().map_err(wrap())? {
                        let text = |column| row.get_ref(column).map(|value| value.as_str().unwrap_or_default());
                        if needle.is_in(text(1).map_err(wrap())?) || needle.is_in(text(2).map_err(wrap())?) {
                            add(1, row.get(0).map_err(wrap())?);
                        }
                    }
                }
            } else {
                // After a position near the end the table itself has fewer rows to look at.
                let hint = self.hint(table, self.after.is_none());
                // Without conditions both are read off the tree, each by itself.
                let sql = if conditions == EVERYTHING {
                    format!("SELECT (SELECT count(*) FROM {0}), (SELECT max(position) FROM {0})", table.name)
                } else {
                    format!("SELECT count(*), max(position) FROM {} {hint} WHERE {conditions}", table.name)
                };
                let (count, last) = self
                    .connection
                    .prepare_cached(&sql)
                    .and_then(|mut statement| {
                        statement.query_row(rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))
                    })
                    .map_err(wrap())?;
                add(count, last);
            }
        }
        Ok(tally)
    }

    /// The tables that may hold what is wanted: a filter on a field that only one kind has lets
    /// only that kind pass.
    fn tables(&self) -> impl Iterator<Item = &'static Table> + use<'_> {
        let filter = self.filter;
        EVENT_TABLES
            .into_iter()
            .filter(|(kind, _)| filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted == kind))
            .map(|(_, table)| table)
            .filter(|table| !filter.is_about_console() || table.name == CONSOLE.name)
            .filter(|table| !filter.is_about_requests() || table.name == REQUEST.name)
    }

    fn without(&self) -> MutexGuard<'_, Without> {
        self.without.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_chunks(&self, table: &Table) -> Result<bool, TraceError> {
        let is_search = self.searchable && self.filter.contains.is_some();
        Ok(is_search && search::has_chunks(self.connection, self.path, table)?)
    }

    fn hint(&self, table: &Table, by_index: bool) -> &'static str {
        match table.name {
            "console" if self.indexed && by_index => "INDEXED BY console_by_level",
            "request" if self.indexed && by_index => "INDEXED BY request_by_outcome",
            "console" | "request" => "NOT INDEXED",
            _ => "",
        }
    }

    /// Splits what is wanted into parts that an index gives in order.
    fn lanes(&self, table: &Table) -> Result<Vec<Lane>, TraceError> {
        let filter = self.filter;
        Ok(match table.name {
            "console" if self.indexed && filter.is_about_console() => {
                let wrap = || TraceError::sqlite(self.path, Location::table(table.name));
                let mut statement = self
                    .connection
                    .prepare_cached("SELECT min(level) FROM console INDEXED BY console_by_level WHERE level > ?1")
                    .map_err(wrap())?;
                // From one level to the next: each is one step into the index, however many rows
                // have it.
                let mut found: Vec<String> = Vec::new();
                let mut next: Option<String> = statement.query_row([""], |row| row.get(0)).map_err(wrap())?;
                while let Some(level) = next {
                    next = statement.query_row([&level], |row| row.get(0)).map_err(wrap())?;
                    found.push(level);
                }
                if self.has_empty_level().map_err(wrap())? {
                    found.push(String::new());
                }
                let wanted = |level: &String| {
                    (filter.levels.is_empty() || filter.levels.contains(level))
                        && !filter.without_levels.contains(level)
                };
                found.into_iter().filter(wanted).map(Lane::Level).collect()
            }
            "request" if self.indexed && filter.is_about_requests() => [true, false]
                .into_iter()
                .filter(|lane| filter.failed.is_none_or(|failed| failed == *lane))
                .map(Lane::Failed)
                .collect(),
            _ => vec![Lane::All],
        })
    }

    fn has_empty_level(&self) -> rusqlite::Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM console INDEXED BY console_by_level WHERE level = '')";
        self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
    }

    fn conditions(&self, table: &Table, lane: &Lane) -> (String, Vec<Value>) {
        let filter = self.filter;
        let mut where_ = Where::default();
        match lane {
            Lane::All => {
                where_.one_of("level", filter.levels.iter().map(|level| text(level)), "IN");
                where_.one_of("level", filter.without_levels.iter().map(|level| text(level)), "NOT IN");
                if let Some(failed) = filter.failed {
                    where_.that(&format!("{FAILED} = ?"), [int(i64::from(failed))]);
                }
            }
            Lane::Level(level) => where_.that("level = ?", [text(level)]),
            Lane::Failed(failed) => where_.that(&format!("{FAILED} = ?"), [int(i64::from(*failed))]),
        }
        let bounds = [
            ("position > ?", self.after),
            ("position <= ?", filter.to_position),
            ("step >= ?", filter.from_step.map(u64::from)),
            ("step <= ?", filter.to_step.map(u64::from)),
            ("tab = ?", filter.tab.map(u64::from)),
            ("at_ms >= ?", filter.since_ms),
        ];
        for (condition, bound) in bounds {
            if let Some(bound) = bound {
                where_.that(condition, [int(bound)]);
            }
        }
        if table.name == REQUEST.name {
            if let Some(status) = filter.min_status {
                where_.that("status >= ?", [int(status)]);
            }
            if !filter.statuses.is_empty() {
                let ranges = vec!["status BETWEEN ? AND ?"; filter.statuses.len()].join(" OR ");
                let ends = filter.statuses.iter().flat_map(|(from, to)| [int(*from), int(*to)]);
                where_.that(&format!("({ranges})"), ends);
            }
            where_.one_of("method COLLATE NOCASE", filter.methods.iter().map(|method| text(method)), "IN");
            where_.one_of("resource_type COLLATE NOCASE", filter.resource_types.iter().map(|kind| text(kind)), "IN");
            if let Some(least) = filter.min_duration_ms {
                where_.that("duration_ms >= ?", [int(least)]);
            }
            if let Some(domain) = &filter.domain {
                let pattern = domain.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
                where_.that(&format!("{HOST} LIKE ? ESCAPE '\\'"), [Value::Text(format!("%{pattern}%"))]);
            }
        }
        where_.finish()
    }

    fn run_lane(
        &self,
        table: &'static Table,
        lane: &Lane,
        blobs: &mut BlobReader,
        events: &mut Vec<Event>,
    ) -> Result<(), TraceError> {
        let (conditions, values) = self.conditions(table, lane);
        let hint = self.hint(table, !matches!(lane, Lane::All));
        let sql = format!(
            "SELECT {} FROM {} {hint} WHERE {conditions} ORDER BY position",
            table.columns.join(", "),
            table.name
        );
        let wrap = || TraceError::sqlite(self.path, Location::table(table.name));
        let mut statement = self.connection.prepare_cached(&sql).map_err(wrap())?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(wrap())?;
        let needle = self.filter.contains.as_deref().map(Needle::new);
        let column = |name: &str| table.columns.iter().position(|column| *column == name).unwrap_or(0);
        let searched = searched_columns(table).map(column);
        let mut found = 0;
        while found < self.limit {
            let Some(row) = rows.next().map_err(wrap())? else { break };
            if let Some(needle) = &needle {
                // Looked at before an event is made of the row: most rows do not hold what is
                // searched for.
                let text = |column: usize| row.get_ref(column).map(|value| value.as_str().unwrap_or_default());
                let [one, other] = searched;
                if !needle.is_in(text(one).map_err(wrap())?) && !needle.is_in(text(other).map_err(wrap())?) {
                    continue;
                }
            }
            events.push(self.event(row, table, blobs)?);
            found += 1;
        }
        Ok(())
    }

    /// Reads the rows that chunks name.
    fn run_chunks(
        &self,
        table: &'static Table,
        blobs: &mut BlobReader,
        events: &mut Vec<Event>,
    ) -> Result<(), TraceError> {
        let wrap = || TraceError::sqlite(self.path, Location::table(table.name));
        let sql = format!("SELECT {} FROM {} WHERE position = ?1", table.columns.join(", "), table.name);
        let mut statement = self.connection.prepare_cached(&sql).map_err(wrap())?;
        let mut left = self.limit;
        if left == 0 {
            return Ok(());
        }
        search::passing(self.connection, self.path, table, (self.filter, self.after), &mut self.without(), |position| {
            let mut rows = statement.query([int(position)]).map_err(wrap())?;
            if let Some(row) = rows.next().map_err(wrap())? {
                let event = self.event(row, table, blobs)?;
                if self.filter.passes(&event) {
                    events.push(event);
                    left -= 1;
                }
            }
            Ok(left > 0)
        })
    }

    /// Makes an event of a row that was selected by the columns of its table.
    fn event(&self, row: &Row<'_>, table: &'static Table, blobs: &mut BlobReader) -> Result<Event, TraceError> {
        let wrap = || TraceError::sqlite(self.path, Location::table(table.name));
        let position: i64 = row.get(0).map_err(wrap())?;
        let place = Location::row(table.name, position);
        let event = read(row, table, self.filter.parts).map_err(TraceError::sqlite(self.path, place.clone()))?;
        let Some(mut event) = event else {
            return Err(TraceError::damaged(self.path, place, "a field holds a value that its kind does not have"));
        };
        if let EventKind::Request(request) = &mut event.kind
            && self.filter.parts == RequestParts::Whole
        {
            let mut body = |column: usize| -> Result<Option<String>, TraceError> {
                let id: Option<i64> = row.get(column).map_err(wrap())?;
                let Some(id) = id else { return Ok(None) };
                let bytes = blobs.read(self.connection, self.path, id, &place)?;
                let text = String::from_utf8(bytes.to_vec());
                text.map(Some).map_err(|_| {
                    TraceError::damaged(self.path, Location::row("blob", id), "a body that should be text is not UTF-8")
                })
            };
            request.request_body = body(12)?;
            request.response_body = body(13)?;
        }
        Ok(event)
    }
}

fn read(row: &Row<'_>, table: &Table, parts: RequestParts) -> rusqlite::Result<Option<Event>> {
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
                if parts == RequestParts::Line {
                    return Ok(Some(Vec::new()));
                }
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
