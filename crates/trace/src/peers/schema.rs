//! The tables of a peers' file.

use crate::schema::{Table, blob_table};

/// `BLps` in ASCII: marks an SQLite file as a peers' file.
pub(super) const APPLICATION_ID: i64 = 0x424c_7073;

/// Format that this build writes, and the only one so far.
pub(super) const FORMAT_VERSION: i64 = 1;

pub(super) const CREATE: &str = concat!(
    "
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
",
    blob_table!()
);

pub(super) static META: Table = Table::new("peers_meta", CREATE);
pub(super) static PASS: Table = Table::new("peer_pass", CREATE);
pub(super) static OUTPUT: Table = Table::new("peer_output", CREATE);
pub(super) static TABLES: [&Table; 4] = [&META, &PASS, &OUTPUT, &crate::schema::BLOB];
