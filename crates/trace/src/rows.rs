//! Rows under a seal: SQLite itself does not notice a flipped byte in a row.
//!
//! In: values for a table's columns. Out: rows whose `seal` is a BLAKE3 hash over table name and
//! values, and the check of it. Invariant: a row that passes [`Db::check_table`] holds what was
//! written. Finished files carry a seal over all their bytes as well (see [`crate::file`]); row
//! seals tell *where* a damaged file is damaged, and guard unfinished ones.

use crate::db::Db;
use crate::error::{Location, TraceError};
use crate::schema::Table;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Row, params_from_iter};
use std::collections::BTreeSet;

/// Truncated BLAKE3: this guards against damage, not against forgery.
pub(crate) type Seal = [u8; 16];

/// A number as a column takes it; one that is too large is the largest.
pub(crate) fn int(number: impl TryInto<i64>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}

/// A text as a column takes it.
pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// What is there as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> Value {
    Value::Text(serde_json::to_string(value).unwrap_or_default())
}

fn hash_value(hasher: &mut blake3::Hasher, value: ValueRef<'_>) {
    let (tag, bytes): (u8, &[u8]) = match &value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => (1, &number.to_le_bytes()),
        ValueRef::Real(number) => (2, &number.to_le_bytes()),
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(bytes) => (4, bytes),
    };
    hasher.update(&[tag]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn truncate(hasher: &blake3::Hasher) -> Seal {
    let mut seal = Seal::default();
    seal.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    seal
}

fn seal_of<'v>(table: &Table, values: impl Iterator<Item = ValueRef<'v>>) -> Seal {
    let mut hasher = blake3::Hasher::new();
    hasher.update(table.name.as_bytes());
    values.for_each(|value| hash_value(&mut hasher, value));
    truncate(&hasher)
}

/// Returns whether a row that was selected as `SELECT <columns>, seal` holds what was written.
fn row_is_whole(table: &Table, row: &Row<'_>) -> rusqlite::Result<bool> {
    let count = table.columns().len();
    let values: Vec<ValueRef<'_>> = (0..count).map(|index| row.get_ref(index)).collect::<Result<_, _>>()?;
    let seal = seal_of(table, values.into_iter());
    Ok(row.get_ref(count)? == ValueRef::Blob(&seal))
}

impl Db {
    /// Inserts one row. `values` are in the order of the table's columns.
    pub(crate) fn insert(&self, table: &Table, values: Vec<Value>) -> Result<(), TraceError> {
        self.write(table, "INSERT", values, None)
    }

    /// As [`Db::insert`]; a row with the same key gives way.
    pub(crate) fn replace(&self, table: &Table, values: Vec<Value>) -> Result<(), TraceError> {
        self.write(table, "INSERT OR REPLACE", values, None)
    }

    /// Writes one row by a verb of SQL; `data` is for the unsealed column of that name, whose hash is among the sealed
    /// ones.
    pub(crate) fn write(
        &self,
        table: &Table,
        verb: &str,
        mut values: Vec<Value>,
        data: Option<Vec<u8>>,
    ) -> Result<(), TraceError> {
        debug_assert_eq!(values.len(), table.columns().len(), "{}", table.name);
        let key = match values.first() {
            Some(Value::Integer(key)) => Some(*key),
            _ => None,
        };
        let seal = seal_of(table, values.iter().map(ValueRef::from));
        let mut columns = table.list();
        columns.push_str(", seal");
        values.push(Value::Blob(seal.to_vec()));
        if let Some(data) = data {
            columns.push_str(", data");
            values.push(Value::Blob(data));
        }
        let marks = vec!["?"; values.len()].join(", ");
        self.connection
            .prepare_cached(&format!("{verb} INTO {} ({columns}) VALUES ({marks})", table.name))
            .and_then(|mut statement| statement.execute(params_from_iter(values)))
            .map_err(self.failed(Location { table: table.name, row: key }))?;
        Ok(())
    }

    /// Checks every row of a table; adds each damaged one to `findings`.
    pub(crate) fn check_table(&self, table: &Table, findings: &mut Vec<TraceError>) -> Result<(), TraceError> {
        let sql = format!("SELECT {}, seal FROM {} ORDER BY {}", table.list(), table.name, table.key());
        let mut here = table.place();
        let mut statement = self.connection.prepare(&sql).map_err(self.failed(here))?;
        let mut rows = statement.query([]).map_err(self.failed(here))?;
        // What cannot be read comes after the row read last.
        while let Some(row) = rows.next().map_err(self.failed(here))? {
            here.row = row.get(0).ok();
            match row_is_whole(table, row) {
                Ok(true) => {}
                Ok(false) => findings.push(self.damaged(here, "the row does not match its seal")),
                Err(error) => findings.push(self.failed(here)(error)),
            }
        }
        Ok(())
    }

    /// Returns how many rows a table has.
    pub(crate) fn count(&self, table: &Table) -> Result<u64, TraceError> {
        let count = self.number(table.place(), &format!("SELECT count(*) FROM {}", table.name), [])?;
        Ok(count.unwrap_or(0))
    }

    /// Returns whether the row with this key can be read and holds what was written.
    pub(crate) fn is_whole(&self, table: &Table, key: i64) -> bool {
        let sql = format!("SELECT {}, seal FROM {} WHERE {} = ?1", table.list(), table.name, table.key());
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([key], |row| row_is_whole(table, row)))
            .unwrap_or(false)
    }

    /// Returns the keys of a table that can be read, in order: from both ends up to the damaged pages between.
    pub(crate) fn readable_keys(&self, table: &Table) -> BTreeSet<i64> {
        let mut keys = BTreeSet::new();
        for order in ["ASC", "DESC"] {
            let sql = format!("SELECT {0} FROM {1} ORDER BY {0} {order}", table.key(), table.name);
            // What was read before the damage is what is wanted.
            let _ = self.each(table.place(), &sql, [], |row| {
                keys.extend(row.get::<_, i64>(0));
                Ok(true)
            });
        }
        keys
    }

    /// Returns a hash over the seals of all rows of a step, in the order of tables and keys: it tells
    /// when a row is gone.
    pub(crate) fn contents(&self, tables: &[&Table], step: i64) -> Result<Seal, TraceError> {
        let mut hasher = blake3::Hasher::new();
        for table in tables.iter().filter(|table| table.is_of_step()) {
            let sql = format!("SELECT seal FROM {} WHERE step = ?1 ORDER BY {}", table.name, table.key());
            self.each(table.place(), &sql, [step], |row| {
                hasher.update(table.name.as_bytes()).update(&row.get::<_, Vec<u8>>(0)?);
                Ok(true)
            })?;
        }
        Ok(truncate(&hasher))
    }
}
