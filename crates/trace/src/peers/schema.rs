//! The tables of a peers' file.

use crate::schema::Table;

/// `BLps` in ASCII: marks an SQLite file as a peers' file.
pub(super) const APPLICATION_ID: i64 = 0x424c_7073;

/// Format that this build writes, and the only one so far.
pub(super) const FORMAT_VERSION: i64 = 1;

pub(super) const CREATE: &str = "
CREATE TABLE peers_meta (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    trace_hash BLOB NOT NULL CHECK (length(trace_hash) = 32),
    scenario   TEXT NOT NULL,
    tool       TEXT NOT NULL,
    passes     INTEGER NOT NULL,
    seal       BLOB NOT NULL
) STRICT;
CREATE TABLE peer_pass (
    id      INTEGER PRIMARY KEY,
    peer    TEXT NOT NULL UNIQUE,
    browser TEXT NOT NULL,
    failure TEXT,
    tools   INTEGER REFERENCES blob (id),
    rows    INTEGER NOT NULL,
    seal    BLOB NOT NULL
) STRICT;
CREATE TABLE peer_output (
    id      INTEGER PRIMARY KEY,
    pass    INTEGER NOT NULL REFERENCES peer_pass (id),
    step    INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    variant TEXT NOT NULL,
    body    INTEGER REFERENCES blob (id),
    micros  INTEGER NOT NULL,
    dropped TEXT,
    refs    INTEGER REFERENCES blob (id),
    seal    BLOB NOT NULL
) STRICT;
CREATE INDEX peer_output_by_step ON peer_output (step);
CREATE TABLE blob (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    length   INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    prefix   INTEGER REFERENCES blob (id),
    chain    INTEGER NOT NULL,
    data     BLOB NOT NULL,
    seal     BLOB NOT NULL
) STRICT;
";

pub(super) const META: Table = Table::new("peers_meta", &["id", "trace_hash", "scenario", "tool", "passes"]);
pub(super) const PASS: Table = Table::new("peer_pass", &["id", "peer", "browser", "failure", "tools", "rows"]);
pub(super) const OUTPUT: Table =
    Table::new("peer_output", &["id", "pass", "step", "kind", "variant", "body", "micros", "dropped", "refs"]);
pub(super) const TABLES: [&Table; 4] = [&META, &PASS, &OUTPUT, &crate::schema::BLOB];
