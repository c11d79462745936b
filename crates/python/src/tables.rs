//! Tables as Arrow, over the PyCapsule interface.
//!
//! In: columns. Out: a [`Table`] whose columns polars, pandas and DuckDB take without a copy.
//! Invariant: a table never changes; whoever has taken it keeps its columns alive.

use crate::errors::{Raised, Result};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::ArrowError;
use browserlens_core::page::Page;
use browserlens_core::page::text::escaped;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// A table of Arrow columns.
#[pyclass(frozen, module = "browserlens")]
pub struct Table {
    batch: RecordBatch,
}

fn broken(error: &ArrowError) -> Raised {
    Raised::mistake(format!("the table cannot be made: {error}"))
}

impl Table {
    /// Makes a table of columns of equal length.
    pub(crate) fn of(columns: Vec<(&str, ArrayRef)>) -> Result<Self> {
        let batch = RecordBatch::try_from_iter(columns).map_err(|error| broken(&error))?;
        Ok(Self { batch })
    }

    /// Makes a table of columns of equal length that may have gaps, whether these do or not: parts
    /// of a table then have one schema.
    pub(crate) fn with_gaps(columns: Vec<(String, ArrayRef)>) -> Result<Self> {
        let columns = columns.into_iter().map(|(name, cells)| (name, cells, true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| broken(&error))?;
        Ok(Self { batch })
    }
}

#[pymethods]
impl Table {
    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<Table {} rows, columns {}>", self.batch.num_rows(), self.column_names().join(", "))
    }

    /// The schema, as the Arrow PyCapsule interface asks for it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(|error| broken(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The columns, as the Arrow PyCapsule interface asks for them; a schema that is asked for is
    /// not converted to.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let schema = self.batch.schema();
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}

/// What one observation of a live lens took.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Look {
    step: u32,
    url: String,
    kind: String,
    way: String,
    representation: Option<String>,
    images: u32,
    tokens: u32,
    calls: u32,
    total_us: u64,
    native_us: u64,
    browser_us: u64,
    transport_us: u64,
}

/// Makes a table of what observations took, one row each; rows are dicts that have every column.
#[pyfunction]
pub(crate) fn looks(rows: Vec<Look>) -> PyResult<Table> {
    let said = |of: fn(&Look) -> &str| texts(rows.iter().map(of));
    let counts = |of: fn(&Look) -> u32| -> ArrayRef { Arc::new(UInt32Array::from_iter_values(rows.iter().map(of))) };
    let micros = |of: fn(&Look) -> u64| -> ArrayRef { Arc::new(UInt64Array::from_iter_values(rows.iter().map(of))) };
    let chosen: StringArray = rows.iter().map(|row| row.representation.as_deref()).collect();
    Ok(Table::with_gaps(vec![
        ("step".to_owned(), counts(|row| row.step)),
        ("url".to_owned(), said(|row| &row.url)),
        ("kind".to_owned(), said(|row| &row.kind)),
        ("way".to_owned(), said(|row| &row.way)),
        ("representation".to_owned(), Arc::new(chosen)),
        ("images".to_owned(), counts(|row| row.images)),
        ("tokens".to_owned(), counts(|row| row.tokens)),
        ("calls".to_owned(), counts(|row| row.calls)),
        ("total_us".to_owned(), micros(|row| row.total_us)),
        ("native_us".to_owned(), micros(|row| row.native_us)),
        ("browser_us".to_owned(), micros(|row| row.browser_us)),
        ("transport_us".to_owned(), micros(|row| row.transport_us)),
    ])?)
}

/// A column of texts, what nobody sees in them escaped.
pub(crate) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values.map(escaped)))
}

/// Every node of a page, in document order.
pub(crate) fn nodes(page: &Page) -> Result<Table> {
    let all = || page.nodes();
    let numbers = |values: Vec<u32>| -> ArrayRef { Arc::new(UInt32Array::from(values)) };
    let floats = |values: Vec<f32>| -> ArrayRef { Arc::new(Float32Array::from(values)) };
    let flags = |values: Vec<bool>| -> ArrayRef { Arc::new(BooleanArray::from(values)) };
    let parents: UInt32Array = all().map(|node| node.parent().map(|parent| parent.id().0)).collect();
    let keys: Vec<String> = all().map(|node| node.key().to_string()).collect();
    Table::of(vec![
        ("node", numbers(all().map(|node| node.id().0).collect())),
        ("parent", Arc::new(parents)),
        ("depth", numbers(all().map(|node| node.depth()).collect())),
        ("key", texts(keys.iter().map(String::as_str))),
        ("tag", texts(all().map(|node| node.tag()))),
        ("role", texts(all().map(|node| node.role()))),
        ("name", texts(all().map(|node| node.name()))),
        ("value", texts(all().map(|node| node.value()))),
        ("text", texts(all().map(|node| node.text()))),
        ("x", floats(all().map(|node| node.bounds().x).collect())),
        ("y", floats(all().map(|node| node.bounds().y).collect())),
        ("width", floats(all().map(|node| node.bounds().width).collect())),
        ("height", floats(all().map(|node| node.bounds().height).collect())),
        ("visible", flags(all().map(|node| node.is_visible()).collect())),
        ("in_viewport", flags(all().map(|node| node.in_viewport()).collect())),
        ("interactive", flags(all().map(|node| node.is_interactive()).collect())),
    ])
}
