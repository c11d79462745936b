//! Python's objects as JSON text.
//!
//! In: what Playwright made of an answer of the browser. Out: the JSON that it was made of, but for white space and the spelling of numbers.
//! Why not Python's `json`: a snapshot has a million numbers, and this is three times as fast.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;

/// Deepest nesting: a described subtree is as deep as its page.
const DEEPEST: usize = 200_000;

enum Open<'py> {
    List(pyo3::types::list::BoundListIterator<'py>, bool),
    Dict(pyo3::types::dict::BoundDictIterator<'py>, bool),
}

fn plain(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) -> PyResult<()> {
    serde_json::to_writer(out, value).map_err(|error| PyTypeError::new_err(error.to_string()))
}

fn text(value: &Bound<'_, PyString>, out: &mut Vec<u8>) -> PyResult<()> {
    // What is no Unicode (half a surrogate pair) is replaced, as the browser's own UTF-8 has it.
    plain(&*value.to_string_lossy(), out)
}

/// Writes an object as JSON; iterative, since pages may be nested deep.
pub(crate) fn write(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
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
                open.push(Open::List(list.iter(), false));
            } else if let Ok(dict) = value.cast::<PyDict>() {
                out.push(b'{');
                open.push(Open::Dict(dict.iter(), false));
            } else if let Ok(number) = value.cast::<PyFloat>() {
                plain(&number.value(), &mut out)?;
            } else if let Ok(bool) = value.cast::<PyBool>() {
                plain(&bool.is_true(), &mut out)?;
            } else if value.is_none() {
                out.extend_from_slice(b"null");
            } else if let Ok(tuple) = value.cast::<PyTuple>() {
                out.push(b'[');
                open.push(Open::List(tuple.to_list().iter(), false));
            } else {
                return Err(PyTypeError::new_err(format!("{} is no JSON", value.get_type().name()?)));
            }
            if open.len() > DEEPEST {
                return Err(PyTypeError::new_err("nested too deep"));
            }
        }
        match open.last_mut() {
            None => return Ok(String::from_utf8(out)?),
            Some(Open::List(items, begun)) => match items.next() {
                Some(item) => {
                    if std::mem::replace(begun, true) {
                        out.push(b',');
                    }
                    next = Some(item);
                }
                None => {
                    out.push(b']');
                    open.pop();
                }
            },
            Some(Open::Dict(items, begun)) => match items.next() {
                Some((key, item)) => {
                    if std::mem::replace(begun, true) {
                        out.push(b',');
                    }
                    text(key.cast::<PyString>()?, &mut out)?;
                    out.push(b':');
                    next = Some(item);
                }
                None => {
                    out.push(b'}');
                    open.pop();
                }
            },
        }
    }
}
