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
use crate::db::{Db, RowError};
use crate::error::TraceError;
use crate::rows::{int, json, text};
use crate::schema::{CONSOLE, DIALOG, DOWNLOAD, EVENT_TABLES, FAILED, HOST, REQUEST, TAB_EVENT, Table};
use crate::search::{self, Without, searched_columns};
use browserlens_core::strategy::{
    ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventFilter, EventKind, EventTally, RequestEvent,
    RequestParts, TabEvent,
};
use browserlens_core::sync::locked;
use conditions::{EVERYTHING, Needle, Where};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use std::sync::{Arc, Mutex, MutexGuard};

/// Writes one event, already redacted.
pub(crate) fn insert(db: &Db, blobs: &mut BlobWriter, event: &Event) -> Result<(), TraceError> {
    let mut values = vec![int(event.position), int(event.step), int(event.tab), int(event.at_ms)];
    let table = match &event.kind {
        EventKind::Console(ConsoleMessage { level, text: said, url, line, stack }) => {
            values.extend([text(level), text(said), text(url), int(*line), text(stack)]);
            &CONSOLE
        }
        EventKind::Request(request) => {
            let mut body = |body: &Option<String>| -> Result<Value, TraceError> {
                let Some(body) = body else { return Ok(Value::Null) };
                let bytes: Arc<[u8]> = body.as_bytes().into();
                Ok(int(blobs.store(db, &bytes, Storage::Zstd, None)?.id))
            };
            values.extend([
                int(request.id),
                text(&request.method),
                text(&request.url),
                text(&request.resource_type),
                int(request.status),
                text(&request.mime_type),
                json(&request.request_headers),
                json(&request.response_headers),
                body(&request.request_body)?,
                body(&request.response_body)?,
                int(request.response_bytes),
                text(&request.failure),
                int(request.duration_ms),
            ]);
            &REQUEST
        }
        EventKind::Dialog(dialog) => {
            let accepted = dialog.accepted.map_or(Value::Null, |accepted| int(i64::from(accepted)));
            values.extend([text(dialog.kind.name()), text(&dialog.message), accepted, text(&dialog.typed)]);
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
    db.insert(table, values)
}

/// Reads the events that pass a filter.
pub(crate) struct Query<'q> {
    pub db: &'q Db,
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
        if self.limit == 0 {
            return Ok(events);
        }
        for table in self.tables() {
            if self.has_chunks(table)? {
                self.run_chunks(table, blobs, &mut events)?;
                continue;
            }
            for lane in self.lanes(table)? {
                let until = events.len().saturating_add(self.limit);
                self.each(table, &lane, table.columns(), |row| {
                    events.push(self.event(row, table, blobs)?);
                    Ok(events.len() < until)
                })?;
            }
        }
        events.sort_by_key(|event| event.position);
        events.truncate(self.limit);
        Ok(events)
    }

    /// Counts the events that pass; the limit is not read.
    pub(crate) fn tally(&self) -> Result<EventTally, TraceError> {
        let mut tally = EventTally::default();
        let mut add = |count: u64, last: Option<u64>| {
            tally.count += count;
            tally.last = tally.last.max(last);
        };
        for table in self.tables() {
            if self.has_chunks(table)? {
                search::passing(self.db, table, (self.filter, self.after), &mut self.without(), |position| {
                    add(1, Some(position));
                    Ok(true)
                })?;
            } else if self.filter.contains.is_some() {
                for lane in self.lanes(table)? {
                    self.each(table, &lane, &["position"], |row| {
                        add(1, u64::try_from(row.get::<_, i64>(0)?).ok());
                        Ok(true)
                    })?;
                }
            } else {
                let (conditions, values) = self.conditions(table, &Lane::All);
                // After a position near the end the table itself has fewer rows to look at.
                let hint = self.hint(table, self.after.is_none());
                // Without conditions both are read off the tree, each by itself.
                let sql = if conditions == EVERYTHING {
                    format!("SELECT (SELECT count(*) FROM {0}), (SELECT max(position) FROM {0})", table.name)
                } else {
                    format!("SELECT count(*), max(position) FROM {} {hint} WHERE {conditions}", table.name)
                };
                self.db.each(table.place(), &sql, params_from_iter(values), |row| {
                    let (count, last): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
                    add(u64::try_from(count).unwrap_or(0), last.and_then(|last| u64::try_from(last).ok()));
                    Ok(false)
                })?;
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
        locked(self.without)
    }

    fn has_chunks(&self, table: &Table) -> Result<bool, TraceError> {
        let is_search = self.searchable && self.filter.contains.is_some();
        Ok(is_search && search::has_chunks(self.db, table)?)
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
                // From one level to the next: each is one step into the index, however many rows
                // have it.
                let next = "SELECT min(level) FROM console INDEXED BY console_by_level WHERE level > ?1";
                let next = |after: &str| self.db.first(CONSOLE.place(), next, [after], |row| row.get(0));
                let mut found: Vec<String> = Vec::new();
                while let Some(level) = next(found.last().map_or("", String::as_str))?.flatten() {
                    found.push(level);
                }
                let empty = "SELECT EXISTS (SELECT 1 FROM console INDEXED BY console_by_level WHERE level = '')";
                if self.db.first(CONSOLE.place(), empty, [], |row| row.get(0))? == Some(true) {
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

    /// Gives the columns of the rows of a lane that pass to `take`, in order of position, until that returns false.
    fn each(
        &self,
        table: &Table,
        lane: &Lane,
        columns: &[&str],
        mut take: impl FnMut(&Row<'_>) -> Result<bool, RowError>,
    ) -> Result<(), TraceError> {
        let (conditions, values) = self.conditions(table, lane);
        let hint = self.hint(table, !matches!(lane, Lane::All));
        let needle = self.filter.contains.as_deref().map(Needle::new);
        let searched = if needle.is_some() { searched_columns(table).to_vec() } else { Vec::new() };
        let selected = [columns, &searched].concat().join(", ");
        let sql = format!("SELECT {selected} FROM {} {hint} WHERE {conditions} ORDER BY position", table.name);
        self.db.each(table.place(), &sql, params_from_iter(values), |row| {
            if let Some(needle) = &needle {
                // Looked at before an event is made of the row: most rows do not hold what is searched for.
                let mut holds = false;
                for column in columns.len()..columns.len() + searched.len() {
                    holds = holds || needle.is_in(row.get_ref(column)?.as_str().unwrap_or_default());
                }
                if !holds {
                    return Ok(true);
                }
            }
            take(row)
        })
    }

    /// Reads the rows that chunks name.
    fn run_chunks(&self, table: &Table, blobs: &mut BlobReader, events: &mut Vec<Event>) -> Result<(), TraceError> {
        let sql = format!("SELECT {} FROM {} WHERE position = ?1", table.list(), table.name);
        let until = events.len().saturating_add(self.limit);
        search::passing(self.db, table, (self.filter, self.after), &mut self.without(), |position| {
            self.db.each(table.place(), &sql, [int(position)], |row| {
                events.extend(Some(self.event(row, table, blobs)?).filter(|event| self.filter.passes(event)));
                Ok(false)
            })?;
            Ok(events.len() < until)
        })
    }

    /// Makes an event of a row that was selected by the columns of its table.
    fn event(&self, row: &Row<'_>, table: &Table, blobs: &mut BlobReader) -> Result<Event, RowError> {
        let place = table.row(row.get::<_, i64>(0)?);
        let event = read(row, table, self.filter.parts).map_err(self.db.failed(place))?;
        let mut event =
            event.ok_or_else(|| self.db.damaged(place, "a field holds a value that its kind does not have"))?;
        if let EventKind::Request(request) = &mut event.kind
            && self.filter.parts == RequestParts::Whole
        {
            let mut body = |column: usize| -> Result<Option<String>, RowError> {
                let Some(id) = row.get(column)? else { return Ok(None) };
                Ok(Some(blobs.text(self.db, id, place, "a body that should be text is not UTF-8")?))
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
            let Some(kind) = DialogKind::from_name(&row.get::<_, String>(4)?) else { return Ok(None) };
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
