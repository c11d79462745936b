//! Knowledge in one SQLite file.
//!
//! In: a [`Knowledge`]. Out: the same, equal. Invariants: a save is one transaction, so that a
//! store holds all of it or what was there before; foreign keys are on; rows from before content
//! types were told apart read as `unknown`, and none of that kind is added; a store of a newer
//! version is not touched.

use crate::error::KnowledgeError;
use crate::model::{ContentType, Knowledge, KnowledgeId, ScreenDefinition, ScreenId};
use crate::validate::validate;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `BLkn` in ASCII: marks an SQLite file as a knowledge store.
const APPLICATION_ID: i64 = 0x424c_6b6e;

/// Version that this build writes, and the newest that it reads.
pub const STORE_VERSION: i64 = MIGRATIONS.len() as i64;

/// How long another process that writes is waited for: on a slow disk each of its turns may take a
/// second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Entry `n` leads from version `n` to version `n + 1`; released ones are never changed.
const MIGRATIONS: [&str; 2] = [V1, V2];

/// The old shape: screens without content type.
const V1: &str = "
CREATE TABLE knowledge (
    id TEXT PRIMARY KEY CHECK (id <> '')
) STRICT;

CREATE TABLE screen (
    knowledge TEXT NOT NULL REFERENCES knowledge (id) ON DELETE CASCADE,
    id        TEXT NOT NULL CHECK (id <> ''),
    website   TEXT NOT NULL,
    parent    TEXT,
    body      TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (knowledge, id),
    FOREIGN KEY (knowledge, parent) REFERENCES screen (knowledge, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE action (
    knowledge TEXT NOT NULL REFERENCES knowledge (id) ON DELETE CASCADE,
    id        TEXT NOT NULL CHECK (id <> ''),
    website   TEXT NOT NULL,
    body      TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (knowledge, id)
) STRICT;

CREATE TABLE action_screen (
    knowledge TEXT NOT NULL,
    action    TEXT NOT NULL,
    screen    TEXT NOT NULL,
    PRIMARY KEY (knowledge, action, screen),
    FOREIGN KEY (knowledge, action) REFERENCES action (knowledge, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (knowledge, screen) REFERENCES screen (knowledge, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE transition (
    knowledge TEXT NOT NULL REFERENCES knowledge (id) ON DELETE CASCADE,
    id        TEXT NOT NULL CHECK (id <> ''),
    from_id   TEXT NOT NULL,
    to_id     TEXT NOT NULL,
    action    TEXT,
    body      TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (knowledge, id),
    FOREIGN KEY (knowledge, from_id) REFERENCES screen (knowledge, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (knowledge, to_id) REFERENCES screen (knowledge, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (knowledge, action) REFERENCES action (knowledge, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE task (
    knowledge TEXT NOT NULL REFERENCES knowledge (id) ON DELETE CASCADE,
    id        TEXT NOT NULL CHECK (id <> ''),
    website   TEXT NOT NULL,
    body      TEXT NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (knowledge, id)
) STRICT;
";

/// Screens say what kind of source they describe.
const V2: &str = "
ALTER TABLE screen ADD COLUMN content_type TEXT NOT NULL DEFAULT 'unknown'
    CHECK (content_type IN ('web_ui', 'documentation', 'video_transcript', 'api_docs', 'unknown'));
ALTER TABLE screen ADD COLUMN is_actionable INTEGER NOT NULL DEFAULT 1 CHECK (is_actionable IN (0, 1));
CREATE INDEX screen_by_kind ON screen (knowledge, website, content_type, is_actionable);
CREATE INDEX transition_by_from ON transition (knowledge, from_id);
";

/// A knowledge store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens a store, or makes an empty one; an older version is brought up to this one.
    ///
    /// # Errors
    /// [`KnowledgeError`] if the file is no store, of a newer version, or damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, KnowledgeError> {
        let path = path.as_ref().to_owned();
        let is_new = std::fs::metadata(&path).map_or(true, |file| file.len() == 0);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self::prepared(Connection::open_with_flags(&path, flags), path, is_new)
    }

    /// Makes an empty store in memory.
    ///
    /// # Errors
    /// [`KnowledgeError::Sqlite`] if there is no memory for it.
    pub fn in_memory() -> Result<Self, KnowledgeError> {
        Self::prepared(Connection::open_in_memory(), PathBuf::from(":memory:"), true)
    }

    fn prepared(
        opened: Result<Connection, rusqlite::Error>,
        path: PathBuf,
        is_new: bool,
    ) -> Result<Self, KnowledgeError> {
        let connection = opened.map_err(|error| told(&path, "open it", error))?;
        let mut store = Self { path, connection };
        store.prepare(is_new)?;
        Ok(store)
    }

    fn prepare(&mut self, is_new: bool) -> Result<(), KnowledgeError> {
        self.connection.busy_timeout(PATIENCE).map_err(self.wrap("open it"))?;
        let pragma = |name: &str| {
            let value = self.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            value.map_err(self.wrap("read its header"))
        };
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        if !is_new && application != APPLICATION_ID {
            let reason = format!("it is an SQLite file of another application (id {application:#010x})");
            return Err(KnowledgeError::NotAStore { path: self.path.clone(), reason });
        }
        if version > STORE_VERSION {
            return Err(KnowledgeError::TooNew { path: self.path.clone(), found: version, supported: STORE_VERSION });
        }
        if version < 0 {
            return Err(self.damaged(format!("its version is {version}")));
        }
        if !is_new {
            self.check()?;
        }
        let setup = "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;";
        self.connection.execute_batch(setup).map_err(self.wrap("turn foreign keys on"))?;
        if version < STORE_VERSION {
            let wrap = self.wrap("migrate it");
            self.migrate().map_err(wrap)?;
        }
        Ok(())
    }

    fn migrate(&mut self) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again: another process may have been faster.
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version >= STORE_VERSION {
            return Ok(());
        }
        for migration in MIGRATIONS.iter().skip(version as usize) {
            transaction.execute_batch(migration)?;
        }
        let marks = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {STORE_VERSION};");
        transaction.execute_batch(&marks)?;
        transaction.commit()
    }

    /// Looks for damage that SQLite finds, and for rows that refer to nothing.
    fn check(&self) -> Result<(), KnowledgeError> {
        let first = |sql| self.connection.query_row(sql, [], |row| row.get::<_, String>(0)).optional();
        let answer = first("PRAGMA quick_check(1)").map_err(self.wrap("check it"))?;
        if let Some(damage) = answer.filter(|answer| answer != "ok") {
            return Err(self.damaged(damage));
        }
        match first("PRAGMA foreign_key_check").map_err(self.wrap("check it"))? {
            Some(table) => Err(self.damaged(format!("table {table} has a row that refers to nothing"))),
            None => Ok(()),
        }
    }

    fn damaged(&self, reason: String) -> KnowledgeError {
        KnowledgeError::Damaged { path: self.path.clone(), reason }
    }

    fn wrap(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> KnowledgeError + use<> {
        let path = self.path.clone();
        move |error| told(&path, doing, error)
    }

    /// Returns the ids of the knowledge that is stored, sorted; none in an empty store.
    ///
    /// # Errors
    /// [`KnowledgeError::Sqlite`] if it cannot be read.
    pub fn knowledge_ids(&self) -> Result<Vec<KnowledgeId>, KnowledgeError> {
        self.rows("list what it holds", "SELECT id FROM knowledge ORDER BY id", [], |row| row.get(0).map(KnowledgeId))
    }

    /// Reads the rows of a query.
    fn rows<T>(
        &self,
        doing: &'static str,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> Result<T, rusqlite::Error>,
    ) -> Result<Vec<T>, KnowledgeError> {
        let read = || -> Result<Vec<T>, rusqlite::Error> {
            self.connection.prepare(sql)?.query_map(parameters, read)?.collect()
        };
        read().map_err(self.wrap(doing))
    }

    /// Reads one body of knowledge.
    ///
    /// # Errors
    /// [`KnowledgeError::NoKnowledge`] if there is none of that id, [`KnowledgeError::Damaged`] if
    /// a row cannot be read.
    pub fn load(&self, id: &KnowledgeId) -> Result<Knowledge, KnowledgeError> {
        let known = self.knowledge_ids()?;
        if !known.contains(id) {
            let known = known.into_iter().map(|id| id.0).collect();
            return Err(KnowledgeError::NoKnowledge { id: id.0.clone(), path: self.path.clone(), known });
        }
        Ok(Knowledge {
            knowledge_id: id.clone(),
            screens: by_id(self.screens(id)?, |screen| screen.screen_id.clone()),
            actions: by_id(self.bodies("action", id)?, |action| action.action_id.clone()),
            transitions: by_id(self.bodies("transition", id)?, |way| way.transition_id.clone()),
            tasks: by_id(self.bodies("task", id)?, |task| task.task_id.clone()),
        })
    }

    fn screens(&self, id: &KnowledgeId) -> Result<Vec<ScreenDefinition>, KnowledgeError> {
        let sql = "SELECT id, body, content_type, is_actionable FROM screen WHERE knowledge = ?1 ORDER BY id";
        type Columns = (String, String, String, bool);
        let rows: Vec<Columns> = self.rows("read its screens", sql, [id.as_str()], |row| row.try_into())?;
        let screen = |(id, body, kind, is_actionable): Columns| {
            let screen: ScreenDefinition = self.parse("screen", &id, &body)?;
            // Rows of the old shape say neither in their body.
            let content_type = ContentType::from_name(&kind)
                .ok_or_else(|| self.damaged(format!("screen {id:?} is of content type {kind:?}")))?;
            Ok(ScreenDefinition { content_type, is_actionable, ..screen })
        };
        rows.into_iter().map(screen).collect()
    }

    fn bodies<T: DeserializeOwned>(&self, table: &'static str, id: &KnowledgeId) -> Result<Vec<T>, KnowledgeError> {
        let sql = format!("SELECT id, body FROM {table} WHERE knowledge = ?1 ORDER BY id");
        let rows: Vec<(String, String)> = self.rows("read its rows", &sql, [id.as_str()], |row| row.try_into())?;
        rows.into_iter().map(|(id, body)| self.parse(table, &id, &body)).collect()
    }

    fn parse<T: DeserializeOwned>(&self, kind: &str, id: &str, body: &str) -> Result<T, KnowledgeError> {
        let mut reader = serde_json::Deserializer::from_str(body);
        serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| self.damaged(format!("{kind} {id:?} cannot be read: {error}")))
    }

    /// Stores a body of knowledge in place of what was there of that id.
    ///
    /// # Errors
    /// [`KnowledgeError`] if something in it does not make sense; then nothing is changed.
    pub fn save(&mut self, knowledge: &Knowledge) -> Result<(), KnowledgeError> {
        if knowledge.knowledge_id.as_str().trim().is_empty() {
            let problem = "its id is empty".to_owned();
            return Err(KnowledgeError::Invalid { kind: "knowledge", id: String::new(), problem });
        }
        let wrap = self.wrap("write to it");
        let of_old_shape = self.of_old_shape(&knowledge.knowledge_id)?;
        validate(knowledge, &of_old_shape)?;
        let transaction = self.connection.transaction().map_err(&wrap)?;
        write(&transaction, knowledge).map_err(&wrap)?;
        transaction.commit().map_err(&wrap)
    }

    fn of_old_shape(&self, id: &KnowledgeId) -> Result<BTreeSet<ScreenId>, KnowledgeError> {
        let sql = "SELECT id FROM screen WHERE knowledge = ?1 AND content_type = 'unknown'";
        let ids = self.rows("read its screens", sql, [id.as_str()], |row| row.get(0).map(ScreenId))?;
        Ok(ids.into_iter().collect())
    }
}

fn by_id<K: Ord, T>(rows: Vec<T>, id: impl Fn(&T) -> K) -> BTreeMap<K, T> {
    rows.into_iter().map(|row| (id(&row), row)).collect()
}

fn write(transaction: &Transaction<'_>, knowledge: &Knowledge) -> Result<(), rusqlite::Error> {
    let id = knowledge.knowledge_id.as_str();
    transaction.execute("DELETE FROM knowledge WHERE id = ?1", [id])?;
    transaction.execute("INSERT INTO knowledge (id) VALUES (?1)", [id])?;
    let mut screens = transaction.prepare(
        "INSERT INTO screen (knowledge, id, website, parent, body, content_type, is_actionable) VALUES (?1, ?2, ?3, \
            ?4, ?5, ?6, ?7)",
    )?;
    for screen in knowledge.screens.values() {
        let (own, website) = (screen.screen_id.as_str(), screen.website_id.as_str());
        let parent = screen.parent_screen_id.as_ref().map(|parent| parent.as_str());
        let (kind, is_actionable) = (screen.content_type.name(), screen.is_actionable);
        screens.execute(params![id, own, website, parent, json(screen)?, kind, is_actionable])?;
    }
    let mut actions =
        transaction.prepare("INSERT INTO action (knowledge, id, website, body) VALUES (?1, ?2, ?3, ?4)")?;
    let mut places =
        transaction.prepare("INSERT OR IGNORE INTO action_screen (knowledge, action, screen) VALUES (?1, ?2, ?3)")?;
    for action in knowledge.actions.values() {
        actions.execute(params![id, action.action_id.as_str(), action.website_id.as_str(), json(action)?])?;
        for screen in &action.screen_ids {
            places.execute(params![id, action.action_id.as_str(), screen.as_str()])?;
        }
    }
    let mut transitions = transaction.prepare(
        "INSERT INTO transition (knowledge, id, from_id, to_id, action, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for transition in knowledge.transitions.values() {
        let action = transition.action_id.as_ref().map(|action| action.as_str());
        let (from, to) = (transition.from_screen_id.as_str(), transition.to_screen_id.as_str());
        transitions.execute(params![id, transition.transition_id.as_str(), from, to, action, json(transition)?])?;
    }
    let mut tasks = transaction.prepare("INSERT INTO task (knowledge, id, website, body) VALUES (?1, ?2, ?3, ?4)")?;
    for task in knowledge.tasks.values() {
        tasks.execute(params![id, task.task_id.as_str(), task.website_id.as_str(), json(task)?])?;
    }
    Ok(())
}

fn json<T: Serialize>(value: &T) -> Result<String, rusqlite::Error> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn told(path: &Path, doing: &'static str, error: rusqlite::Error) -> KnowledgeError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            KnowledgeError::NotAStore { path, reason: "it is not an SQLite file".to_owned() }
        }
        Some(ErrorCode::DatabaseCorrupt) => KnowledgeError::Damaged { path, reason: error.to_string() },
        _ => KnowledgeError::Sqlite { path, doing, source: error },
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
