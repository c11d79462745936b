//! The tables of a trace file, as numbered migrations that are only ever appended.
//!
//! In: an empty SQLite file. Out: the tables of the newest format. Invariants: a migration that was
//! released is never changed; every row of every table carries a seal over its other columns (see
//! [`crate::rows`]); integer keys are explicit, so that `VACUUM` and pruning keep them.
//!
//! Table `blob` stands last: `VACUUM` writes tables in this order, so that a truncated file loses
//! bodies and not the rows that list them; only what searches look at comes after it, which is made
//! from the rest. Why request and response bodies, entity lists and payloads share the `blob`
//! table: they repeat from step to step, and one place compresses and checks them.

use rusqlite::Connection;
use std::sync::OnceLock;

/// `BLns` in ASCII: marks an SQLite file as a trace.
pub(crate) const APPLICATION_ID: i64 = 0x424c_6e73;

/// The newest format that this build writes and reads.
pub const FORMAT_VERSION: i64 = MIGRATIONS.len() as i64;

/// Format of a trace that does not say where it was imported from: all that was recorded. Format 4
/// has one table more, and only imports need it.
pub(crate) const RECORDED_VERSION: i64 = 3;

/// What makes an empty file a trace of the newest format; entry `n` leads from format `n` to format
/// `n + 1`.
const MIGRATIONS: [&str; 4] = [V1, V2, V3, V4];

/// Small pages: a trace has many small tables and a few large blobs, and bundled traces should stay
/// small.
pub(crate) const PAGE_SIZE: i64 = 1024;

/// Makes the table of bodies, which traces and peers' files have alike.
macro_rules! blob_table {
    () => {
        "CREATE TABLE blob (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    length   INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    prefix   INTEGER REFERENCES blob (id),
    chain    INTEGER NOT NULL,
    data     BLOB NOT NULL,
    seal     BLOB NOT NULL
) STRICT;
"
    };
}
pub(crate) use blob_table;

const V1: &str = concat!(
    "
CREATE TABLE meta (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    scenario        TEXT NOT NULL,
    goal            TEXT NOT NULL,
    site            TEXT,
    source          TEXT NOT NULL,
    viewport_width  INTEGER NOT NULL,
    viewport_height INTEGER NOT NULL,
    viewport_scale  REAL NOT NULL,
    locale          TEXT NOT NULL,
    timezone        TEXT NOT NULL,
    browser         TEXT NOT NULL,
    tool            TEXT NOT NULL,
    recorded_at     TEXT,
    outcome         TEXT NOT NULL,
    outcome_reason  TEXT NOT NULL,
    steps           INTEGER,
    seal            BLOB NOT NULL
) STRICT;

CREATE TABLE tab (
    number     INTEGER PRIMARY KEY,
    first_step INTEGER NOT NULL,
    seal       BLOB NOT NULL
) STRICT;

CREATE TABLE frame (
    number     INTEGER PRIMARY KEY,
    parent     INTEGER,
    tab        INTEGER NOT NULL REFERENCES tab (number),
    first_step INTEGER NOT NULL,
    seal       BLOB NOT NULL
) STRICT;

CREATE TABLE document (
    number     INTEGER PRIMARY KEY,
    frame      INTEGER NOT NULL REFERENCES frame (number),
    url        TEXT NOT NULL,
    first_step INTEGER NOT NULL,
    seal       BLOB NOT NULL
) STRICT;

CREATE TABLE step (
    number            INTEGER PRIMARY KEY,
    tab               INTEGER NOT NULL REFERENCES tab (number),
    settled_quiet     INTEGER NOT NULL,
    settled_waited_ms INTEGER NOT NULL,
    settled_reason    TEXT NOT NULL,
    torn_retries      INTEGER NOT NULL,
    timings           TEXT NOT NULL,
    contents          BLOB NOT NULL,
    seal              BLOB NOT NULL
) STRICT;

CREATE TABLE action (
    step        INTEGER PRIMARY KEY REFERENCES step (number),
    kind        TEXT NOT NULL,
    taken       TEXT NOT NULL,
    intent      TEXT NOT NULL,
    resolved_in INTEGER NOT NULL,
    point_x     REAL,
    point_y     REAL,
    seal        BLOB NOT NULL
) STRICT;

CREATE TABLE action_node (
    id         INTEGER PRIMARY KEY,
    step       INTEGER NOT NULL REFERENCES step (number),
    frame      INTEGER NOT NULL,
    document   INTEGER NOT NULL,
    node       INTEGER NOT NULL,
    is_target  INTEGER NOT NULL,
    acceptable INTEGER NOT NULL,
    seal       BLOB NOT NULL
) STRICT;
CREATE INDEX action_node_by_step ON action_node (step);

CREATE TABLE capture (
    step     INTEGER PRIMARY KEY REFERENCES step (number),
    payloads INTEGER NOT NULL,
    seal     BLOB NOT NULL
) STRICT;

CREATE TABLE payload (
    id    INTEGER PRIMARY KEY,
    step  INTEGER NOT NULL REFERENCES capture (step),
    kind  TEXT NOT NULL,
    frame INTEGER NOT NULL,
    node  INTEGER NOT NULL,
    blob  INTEGER NOT NULL REFERENCES blob (id),
    seal  BLOB NOT NULL
) STRICT;
CREATE INDEX payload_by_step ON payload (step);

CREATE TABLE console (
    position INTEGER PRIMARY KEY,
    step     INTEGER NOT NULL REFERENCES step (number),
    tab      INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    level    TEXT NOT NULL,
    text     TEXT NOT NULL,
    url      TEXT NOT NULL,
    line     INTEGER NOT NULL,
    stack    TEXT NOT NULL,
    seal     BLOB NOT NULL
) STRICT;

CREATE TABLE request (
    position         INTEGER PRIMARY KEY,
    step             INTEGER NOT NULL REFERENCES step (number),
    tab              INTEGER NOT NULL,
    at_ms            INTEGER NOT NULL,
    id               INTEGER NOT NULL,
    method           TEXT NOT NULL,
    url              TEXT NOT NULL,
    resource_type    TEXT NOT NULL,
    status           INTEGER NOT NULL,
    mime_type        TEXT NOT NULL,
    request_headers  TEXT NOT NULL,
    response_headers TEXT NOT NULL,
    request_body     INTEGER REFERENCES blob (id),
    response_body    INTEGER REFERENCES blob (id),
    response_bytes   INTEGER NOT NULL,
    failure          TEXT NOT NULL,
    duration_ms      INTEGER NOT NULL,
    seal             BLOB NOT NULL
) STRICT;

CREATE TABLE dialog (
    position INTEGER PRIMARY KEY,
    step     INTEGER NOT NULL REFERENCES step (number),
    tab      INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    message  TEXT NOT NULL,
    accepted INTEGER,
    typed    TEXT NOT NULL,
    seal     BLOB NOT NULL
) STRICT;

CREATE TABLE tab_event (
    position INTEGER PRIMARY KEY,
    step     INTEGER NOT NULL REFERENCES step (number),
    tab      INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    what     TEXT NOT NULL,
    url      TEXT NOT NULL,
    title    TEXT NOT NULL,
    seal     BLOB NOT NULL
) STRICT;

CREATE TABLE download (
    position  INTEGER PRIMARY KEY,
    step      INTEGER NOT NULL REFERENCES step (number),
    tab       INTEGER NOT NULL,
    at_ms     INTEGER NOT NULL,
    url       TEXT NOT NULL,
    file_name TEXT NOT NULL,
    bytes     INTEGER NOT NULL,
    state     TEXT NOT NULL,
    seal      BLOB NOT NULL
) STRICT;

CREATE TABLE entity_list (
    step     INTEGER PRIMARY KEY REFERENCES step (number),
    entities INTEGER NOT NULL,
    blob     INTEGER NOT NULL REFERENCES blob (id),
    seal     BLOB NOT NULL
) STRICT;

CREATE TABLE file_seal (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    value BLOB NOT NULL
) STRICT;

",
    blob_table!()
);

/// Narrow copies of the columns that queries about console and requests filter by: without them a
/// page of answers out of a hundred thousand rows reads every row. They stand under no row seal:
/// only readers of a sealed file use them.
const V2: &str = "
CREATE INDEX console_by_level ON console (level, position, step, tab, at_ms);
CREATE INDEX request_by_outcome ON request (
    (status >= 400 OR failure <> ''),
    position, step, tab, at_ms, status, method, resource_type, duration_ms,
    (CASE instr(url, '://') WHEN 0 THEN '' ELSE substr(url, instr(url, '://') + 3, instr(substr(url, instr(url, '://') \
    + 3) || '/', '/') - 1) END)
);
";

/// What searches look at (see [`crate::search`]). It stands after table `blob`: it is made anew
/// from the rest.
const V3: &str = "
CREATE TABLE search (
    id            INTEGER PRIMARY KEY,
    source        TEXT NOT NULL,
    from_position INTEGER NOT NULL,
    to_position   INTEGER NOT NULL,
    events        INTEGER NOT NULL,
    packed        BLOB NOT NULL,
    seal          BLOB NOT NULL
) STRICT;
";

/// Where an imported trace comes from (see [`crate::Origin`]).
const V4: &str = "
CREATE TABLE origin (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    format   TEXT NOT NULL,
    source   TEXT NOT NULL,
    licence  TEXT NOT NULL,
    importer TEXT NOT NULL,
    rendered INTEGER NOT NULL,
    gaps     TEXT NOT NULL,
    seal     BLOB NOT NULL
) STRICT;
";

/// Whether a request failed, spelled as in its index.
pub(crate) const FAILED: &str = "(status >= 400 OR failure <> '')";

/// Host and port of a request, spelled as in its index.
pub(crate) const HOST: &str = "(CASE instr(url, '://') WHEN 0 THEN '' ELSE substr(url, instr(url, '://') + 3, \
    instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1) END)";

/// The format from which on [`FAILED`], [`HOST`] and levels are indexed.
pub(crate) const INDEXED_FROM: i64 = 2;

/// The format from which on large tables of events have chunks in table `search`.
pub(crate) const SEARCHED_FROM: i64 = 3;

/// A table as the row seals see it.
#[derive(Debug)]
pub(crate) struct Table {
    /// Name.
    pub name: &'static str,
    /// The SQL that makes it.
    made_by: &'static str,
    columns: OnceLock<Vec<&'static str>>,
}

impl Table {
    pub(crate) const fn new(name: &'static str, made_by: &'static str) -> Self {
        Self { name, made_by, columns: OnceLock::new() }
    }

    /// Returns every column under the seal; the first is the integer key, by which rows are ordered.
    pub(crate) fn columns(&self) -> &[&'static str] {
        self.columns.get_or_init(|| {
            let (_, lines) = self.made_by.split_once(&format!("CREATE TABLE {} (", self.name)).unwrap_or_default();
            let names = lines.lines().filter_map(|line| line.split_whitespace().next());
            names.take_while(|name| !matches!(*name, "data" | "seal")).collect()
        })
    }

    /// Returns the name of the integer key.
    pub(crate) fn key(&self) -> &'static str {
        self.columns()[0]
    }

    /// Returns the columns as SQL lists them.
    pub(crate) fn list(&self) -> String {
        self.columns().join(", ")
    }

    /// Returns whether each row is part of a step.
    pub(crate) fn is_of_step(&self) -> bool {
        self.columns().contains(&"step")
    }
}

pub(crate) static META: Table = Table::new("meta", V1);
pub(crate) static TAB: Table = Table::new("tab", V1);
pub(crate) static FRAME: Table = Table::new("frame", V1);
pub(crate) static DOCUMENT: Table = Table::new("document", V1);
pub(crate) static BLOB: Table = Table::new("blob", V1);
pub(crate) static STEP: Table = Table::new("step", V1);
pub(crate) static ACTION: Table = Table::new("action", V1);
pub(crate) static ACTION_NODE: Table = Table::new("action_node", V1);
pub(crate) static CAPTURE: Table = Table::new("capture", V1);
pub(crate) static PAYLOAD: Table = Table::new("payload", V1);
pub(crate) static CONSOLE: Table = Table::new("console", V1);
pub(crate) static REQUEST: Table = Table::new("request", V1);
pub(crate) static DIALOG: Table = Table::new("dialog", V1);
pub(crate) static TAB_EVENT: Table = Table::new("tab_event", V1);
pub(crate) static DOWNLOAD: Table = Table::new("download", V1);
pub(crate) static ENTITY_LIST: Table = Table::new("entity_list", V1);
/// What searches look at: of no step, and nothing that was recorded.
pub(crate) static SEARCH: Table = Table::new("search", V3);
/// Where an imported trace comes from.
pub(crate) static ORIGIN: Table = Table::new("origin", V4);

/// Every sealed table, in the order in which formats brought them; parents before those that refer to them.
pub(crate) static TABLES: &[&Table] = &[
    &META, &TAB, &FRAME, &DOCUMENT, &BLOB, &STEP, &ACTION, &ACTION_NODE, &CAPTURE, &PAYLOAD, &CONSOLE, &REQUEST,
    &DIALOG, &TAB_EVENT, &DOWNLOAD, &ENTITY_LIST, &SEARCH, &ORIGIN,
];

/// The tables of events, by the name of their kind.
pub(crate) static EVENT_TABLES: [(&str, &Table); 5] =
    [("console", &CONSOLE), ("request", &REQUEST), ("dialog", &DIALOG), ("tab", &TAB_EVENT), ("download", &DOWNLOAD)];

/// Returns the sealed tables of a format; none for a format that this build does not read.
///
/// This is the reading path of older formats: a later format adds its tables at the end (and new columns as a table of
/// its own), while files of format 1 keep being read by the first of the list, without a write.
pub(crate) fn tables_of(version: i64) -> Option<&'static [&'static Table]> {
    match version {
        // Format 2 adds indexes only.
        1 | 2 => Some(&TABLES[..16]),
        3 => Some(&TABLES[..17]),
        4 => Some(TABLES),
        _ => None,
    }
}

/// Applies the migrations that a file lacks up to a format, each in a transaction of its own with
/// its number.
pub(crate) fn migrate(connection: &Connection, from: i64, to: i64) -> rusqlite::Result<()> {
    let lacking = (1i64..).zip(MIGRATIONS).filter(|(number, _)| *number > from && *number <= to);
    for (number, sql) in lacking {
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrated() -> Connection {
        let connection = Connection::open_in_memory().expect("opens");
        migrate(&connection, 0, FORMAT_VERSION).expect("migrates");
        connection
    }

    #[test]
    fn every_column_but_blob_data_stands_under_the_seal() {
        let connection = migrated();
        for table in TABLES {
            let mut statement = connection.prepare(&format!("SELECT * FROM {}", table.name)).expect("prepares");
            let found: Vec<String> =
                statement.column_names().map(str::to_owned).filter(|name| name != "seal" && name != "data").collect();
            assert_eq!(found, table.columns(), "{}", table.name);
            assert!(statement.query([]).is_ok());
        }
        let mut names: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .expect("lists");
        names.retain(|name| name != "file_seal");
        assert_eq!(names.len(), TABLES.len());
    }

    #[test]
    fn migrations_count_up_to_the_format_version() {
        let connection = migrated();
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("version");
        assert_eq!(version, FORMAT_VERSION);
        migrate(&connection, version, FORMAT_VERSION).expect("nothing is left to do");
        assert!((1..=FORMAT_VERSION).all(|version| tables_of(version).is_some()));
        assert!(tables_of(FORMAT_VERSION + 1).is_none());
    }

    #[test]
    fn a_released_migration_never_changes() {
        let hashes = MIGRATIONS.map(|sql| blake3::hash(sql.as_bytes()).to_hex().to_string());
        assert_eq!(
            hashes,
            [
                "6fd57a7a17312bc8c0cb4cbfcda2aa714b185b7ec471546c9da5e983b0fc7577",
                "0c678dc999502ae0253ec4c9a0d4b07c5bbfc53a8fb50da8b6e59f5e53c1e276",
                "78b6bbf565b33449916cc0201546b322cf4586628ba1e6266b75ac1150386f46",
                "23806b46261f7582a814f11ee8f42cce838ad307f53812957692c0ff798b0121"
            ],
            "a released migration is never changed: append another"
        );
    }

    #[test]
    fn indices_are_spelled_as_queries_spell_them() {
        assert!(V2.contains(FAILED) && V2.contains(HOST));
    }
}
