//! The tables of a store of graphs, as numbered migrations that are only ever appended, and what
//! can go wrong with a store.
//!
//! In: an empty SQLite file. Out: the tables of the newest version, [`StoreError`]. Invariants: a
//! migration that was released is never changed; every error names the file and has a hint that
//! says what to do next.

use std::path::PathBuf;

/// `BLgr` in ASCII: marks an SQLite file as a store of graphs.
pub(super) const APPLICATION_ID: i64 = 0x424c_6772;

/// Format that this build writes, and the newest that it reads.
pub const STORE_VERSION: i64 = MIGRATIONS.len() as i64;

/// What makes an empty file a store; entry `n` leads from version `n` to version `n + 1`.
pub(super) const MIGRATIONS: [&str; 2] = [V1, V2];

const V1: &str = "
CREATE TABLE page (
    id      INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE,
    url     TEXT NOT NULL,
    title   TEXT NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX page_by_age ON page (seen_at, id);

CREATE TABLE text (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE node (
    page     INTEGER NOT NULL REFERENCES page (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    level    INTEGER,
    xpath    TEXT NOT NULL,
    PRIMARY KEY (page, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_text (
    page     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    part     INTEGER NOT NULL,
    text     INTEGER NOT NULL REFERENCES text (id),
    PRIMARY KEY (page, position, part),
    FOREIGN KEY (page, position) REFERENCES node (page, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX node_text_by_text ON node_text (text);

CREATE TABLE edge (
    page     INTEGER NOT NULL,
    target   INTEGER NOT NULL,
    relation TEXT NOT NULL,
    source   INTEGER NOT NULL,
    PRIMARY KEY (page, target, relation),
    FOREIGN KEY (page, target) REFERENCES node (page, position) ON DELETE CASCADE,
    FOREIGN KEY (page, source) REFERENCES node (page, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE concept (
    id     INTEGER PRIMARY KEY,
    text   TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE concept_vector (
    concept  INTEGER NOT NULL REFERENCES concept (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    vector   BLOB NOT NULL,
    PRIMARY KEY (concept, embedder)
) STRICT, WITHOUT ROWID;

CREATE TABLE mention (
    page     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    concept  INTEGER NOT NULL REFERENCES concept (id),
    kind     TEXT NOT NULL,
    weight   INTEGER NOT NULL,
    target   TEXT,
    PRIMARY KEY (page, position, concept, kind),
    FOREIGN KEY (page, position) REFERENCES node (page, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_by_concept ON mention (concept);
";

/// The landmark beside the main text that a node lies in.
const V2: &str = "ALTER TABLE node ADD COLUMN side INTEGER NOT NULL DEFAULT 0;";

/// A store of graphs could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refused.
    #[error("{}: {source}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The file is something else, or broken.
    #[error("{}: not a store of graphs, or damaged: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A later build wrote the file.
    #[error("{}: store version {found}, this build reads up to {STORE_VERSION}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: i64,
    },
    /// An embedder failed, or gave vectors that are none.
    #[error("embedder {embedder}: {reason}")]
    Embedder {
        /// Its name.
        embedder: String,
        /// What went wrong.
        reason: String,
    },
    /// The file system refused to move a damaged file aside.
    #[error("{}: cannot move the damaged file aside: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

impl StoreError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "check that the folder can be written and that no other program holds the file",
            Self::Damaged { .. } => "move the file away; pages are added again as they are read",
            Self::TooNew { .. } => "update this tool, or give another file",
            Self::Embedder { .. } => "check the embedder's settings, or use the built-in one",
            Self::Io { .. } => "check that the folder can be written",
        }
    }
}
