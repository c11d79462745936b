//! Python's objects as JSON text.
//!
//! In: what Playwright made of an answer of the browser. Out: the JSON that it was made of, but for
//! white space and the spelling of numbers. And the parameters of calls as objects. Why not
//! Python's `json`: a snapshot has a million numbers, and this is three times as fast.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::Value;

/// Deepest nesting: a described subtree is as deep as its page.
const DEEPEST: usize = 200_000;

enum Open<'py> {
    List(pyo3::types::list::BoundListIterator<'py>),
    Dict(pyo3::types::dict::BoundDictIterator<'py>),
}

fn plain(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) -> PyResult<()> {
    serde_json::to_writer(out, value).map_err(|error| PyTypeError::new_err(error.to_string()))
}

fn text(value: &Bound<'_, PyString>, out: &mut Vec<u8>) -> PyResult<()> {
    // What is no Unicode (half a surrogate pair) is replaced, as the browser's own UTF-8 has it.
    plain(&*value.to_string_lossy(), out)
}

/// Writes an object as JSON.
pub(crate) fn write(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let out = write_within(value, usize::MAX)?;
    out.ok_or_else(|| PyTypeError::new_err("too large"))
}

/// Writes an object as JSON if that has about so many bytes at the most; iterative, since pages may
/// be nested deep.
pub(crate) fn write_within(value: &Bound<'_, PyAny>, most: usize) -> PyResult<Option<String>> {
    let mut out = Vec::new();
    let mut open: Vec<(Open<'_>, bool)> = Vec::new();
    let mut next = Some(value.clone());
    loop {
        if let Some(value) = next.take() {
            if let Ok(number) = value.cast_exact::<PyInt>() {
                match number.extract::<i64>() {
                    Ok(number) => plain(&number, &mut out)?,
                    Err(_) => out.extend_from_slice(number.str()?.to_string_lossy().as_bytes()),
                }
            } else if let Ok(string) = value.cast::<PyString>() {
                text(string, &mut out)?;
            } else if let Ok(list) = value.cast::<PyList>() {
                out.push(b'[');
                open.push((Open::List(list.iter()), false));
            } else if let Ok(dict) = value.cast::<PyDict>() {
                out.push(b'{');
                open.push((Open::Dict(dict.iter()), false));
            } else if let Ok(number) = value.cast::<PyFloat>() {
                plain(&number.value(), &mut out)?;
            } else if let Ok(bool) = value.cast::<PyBool>() {
                plain(&bool.is_true(), &mut out)?;
            } else if value.is_none() {
                out.extend_from_slice(b"null");
            } else if let Ok(tuple) = value.cast::<PyTuple>() {
                out.push(b'[');
                open.push((Open::List(tuple.to_list().iter()), false));
            } else {
                return Err(PyTypeError::new_err(format!("{} is no JSON", value.get_type().name()?)));
            }
            if open.len() > DEEPEST {
                return Err(PyTypeError::new_err("nested too deep"));
            }
            if out.len() > most {
                return Ok(None);
            }
        }
        let Some((items, begun)) = open.last_mut() else { return Ok(Some(String::from_utf8(out)?)) };
        let (found, end) = match items {
            Open::List(items) => (items.next().map(|item| (None, item)), b']'),
            Open::Dict(items) => (items.next().map(|(key, item)| (Some(key), item)), b'}'),
        };
        let Some((key, item)) = found else {
            out.push(end);
            open.pop();
            continue;
        };
        if std::mem::replace(begun, true) {
            out.push(b',');
        }
        if let Some(key) = key {
            text(key.cast::<PyString>()?, &mut out)?;
            out.push(b':');
        }
        next = Some(item);
    }
}

/// Makes an object of parameters of a call; they are as shallow as the recorder writes them.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => truth.into_bound_py_any(py)?,
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py)?,
            (None, Some(number)) => number.into_bound_py_any(py)?,
            (None, None) => number.as_f64().into_bound_py_any(py)?,
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let items = items.iter().map(|item| object(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| Ok((name, object(py, field)?)));
            fields.collect::<PyResult<Vec<_>>>()?.into_py_dict(py)?.into_any()
        }
    })
}
