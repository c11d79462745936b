//! Parquet files as rows of plain values.
//!
//! In: a file. Out: a [`Table`]. Invariant: a column that is asked for and not there, or holds
//! another type, is a failed test.

use polars::prelude::{AnyValue, ParquetReader, SerReader};
use std::collections::HashMap;
use std::path::Path;

/// One cell.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    None,
    Count(u64),
    Real(f64),
    Truth(bool),
    Text(String),
}

/// A table by columns.
pub struct Table {
    name: String,
    height: usize,
    columns: HashMap<String, Vec<Value>>,
}

/// One row of a table.
#[derive(Clone, Copy)]
pub struct Row<'t> {
    table: &'t Table,
    at: usize,
}

impl Table {
    /// Reads a file; none if it is not there.
    pub fn read(path: &Path) -> Option<Self> {
        let file = std::fs::File::open(path).ok()?;
        let frame = ParquetReader::new(file).finish().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let columns = frame.columns().iter().map(|column| {
            let cells = (0..frame.height()).map(|at| match column.get(at).expect("a cell") {
                AnyValue::Null => Value::None,
                AnyValue::UInt32(count) => Value::Count(count.into()),
                AnyValue::UInt64(count) => Value::Count(count),
                AnyValue::Float64(real) => Value::Real(real),
                AnyValue::Boolean(truth) => Value::Truth(truth),
                AnyValue::String(text) => Value::Text(text.to_owned()),
                AnyValue::StringOwned(text) => Value::Text(text.to_string()),
                other => panic!("{}: a cell of another type: {other:?}", path.display()),
            });
            (column.name().to_string(), cells.collect())
        });
        let (name, height) = (path.display().to_string(), frame.height());
        Some(Self { name, height, columns: columns.collect() })
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.height).map(|at| Row { table: self, at })
    }
}

impl<'t> Row<'t> {
    fn cell(&self, column: &str) -> &'t Value {
        let cells = self.table.columns.get(column).unwrap_or_else(|| panic!("{}: no column {column}", self.table.name));
        &cells[self.at]
    }

    /// A count; none of an empty cell.
    pub fn count(&self, column: &str) -> Option<u64> {
        match self.cell(column) {
            Value::None => None,
            Value::Count(count) => Some(*count),
            other => panic!("{column}: {other:?} is no count"),
        }
    }

    /// A count; 0 of an empty cell.
    pub fn sum(&self, columns: &[&str]) -> u64 {
        columns.iter().filter_map(|column| self.count(column)).sum()
    }

    pub fn real(&self, column: &str) -> f64 {
        match self.cell(column) {
            Value::Real(real) => *real,
            other => panic!("{column}: {other:?} is no number"),
        }
    }

    /// A truth; none of an empty cell.
    pub fn truth(&self, column: &str) -> Option<bool> {
        match self.cell(column) {
            Value::None => None,
            Value::Truth(truth) => Some(*truth),
            other => panic!("{column}: {other:?} is no truth"),
        }
    }

    pub fn is(&self, column: &str) -> bool {
        self.truth(column) == Some(true)
    }

    /// A text; empty of an empty cell.
    pub fn text(&self, column: &str) -> &'t str {
        match self.cell(column) {
            Value::None => "",
            Value::Text(text) => text,
            other => panic!("{column}: {other:?} is no text"),
        }
    }

    /// Whether the cell is empty.
    pub fn lacks(&self, column: &str) -> bool {
        *self.cell(column) == Value::None
    }
}
