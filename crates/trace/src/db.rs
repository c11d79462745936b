//! One SQLite file: its connection, and its path, which every error names.
//!
//! In: SQL, and what is made of each row. Out: the same, or an error with file, table and row. Statements are prepared
//! once.

use crate::error::{Fault, Location, TraceError};
use rusqlite::{Connection, Params, Row};
use std::path::{Path, PathBuf};

/// A file that is open.
pub(crate) struct Db {
    pub connection: Connection,
    pub path: PathBuf,
}

/// Why a row could not be taken: an error of SQLite gets its place where the query is made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum RowError {
    Sqlite(#[from] rusqlite::Error),
    Told(#[from] TraceError),
}

impl Db {
    /// Takes a connection; errors name `path`.
    pub fn new(connection: Connection, path: &Path) -> Self {
        connection.set_prepared_statement_cache_capacity(64);
        Self { connection, path: path.to_owned() }
    }

    pub fn error(&self, fault: Fault) -> TraceError {
        TraceError::new(&self.path, fault)
    }

    pub fn damaged(&self, place: Location, reason: impl Into<String>) -> TraceError {
        self.error(Fault::Damaged { place, reason: reason.into() })
    }

    pub fn missing(&self, place: Location, reason: String) -> TraceError {
        self.error(Fault::Missing { place, reason })
    }

    /// Makes an error of this file of one of SQLite.
    pub fn failed(&self, place: Location) -> impl FnOnce(rusqlite::Error) -> TraceError {
        TraceError::sqlite(&self.path, place)
    }

    fn at(&self, place: Location) -> impl FnOnce(RowError) -> TraceError {
        move |error| match error {
            RowError::Sqlite(error) => self.failed(place)(error),
            RowError::Told(error) => error,
        }
    }

    /// Gives each row to `take`, until that returns false.
    pub fn each(
        &self,
        place: Location,
        sql: &str,
        values: impl Params,
        mut take: impl FnMut(&Row<'_>) -> Result<bool, RowError>,
    ) -> Result<(), TraceError> {
        let walk = || -> Result<(), RowError> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(values)?;
            while let Some(row) = rows.next()? {
                if !take(row)? {
                    break;
                }
            }
            Ok(())
        };
        walk().map_err(self.at(place))
    }

    /// Returns what `read` makes of each row.
    pub fn all<T>(
        &self,
        place: Location,
        sql: &str,
        values: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T, RowError>,
    ) -> Result<Vec<T>, TraceError> {
        let mut found = Vec::new();
        self.each(place, sql, values, |row| {
            found.push(read(row)?);
            Ok(true)
        })?;
        Ok(found)
    }

    /// Returns what `read` makes of the first row; none if there is no row.
    pub fn first<T>(
        &self,
        place: Location,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, TraceError> {
        let (mut read, mut found) = (Some(read), None);
        self.each(place, sql, values, |row| {
            found = read.take().map(|read| read(row)).transpose()?;
            Ok(false)
        })?;
        Ok(found)
    }

    /// Returns the one number that a query always gives, as `count` and `max` of an empty table do too.
    pub fn number(&self, place: Location, sql: &str, values: impl Params) -> Result<Option<u64>, TraceError> {
        let found: Option<Option<i64>> = self.first(place, sql, values, |row| row.get(0))?;
        Ok(found.flatten().and_then(|number| u64::try_from(number).ok()))
    }

    /// Does `work` in one transaction: all of it, or nothing if it fails.
    pub fn transaction(
        &self,
        place: Location,
        work: impl FnOnce() -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let transaction = self.connection.unchecked_transaction().map_err(self.failed(place))?;
        work()?;
        transaction.commit().map_err(self.failed(place))
    }

    /// Closes the file.
    pub fn close(self, place: Location) -> Result<(), TraceError> {
        let Self { connection, path } = self;
        connection.close().map_err(|(_, error)| TraceError::sqlite(&path, place)(error))
    }
}
