//! Python's objects as JSON text.
//!
//! In: what Playwright made of an answer of the browser. Out: the JSON that it was made of, but for white space and the spelling of numbers.
//! Why not Python's `json`: a snapshot has a million numbers, and this is three times as fast.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::fmt::Write;

/// Deepest nesting: a described subtree is as deep as its page.
const DEEPEST: usize = 200_000;

enum Open<'py> {
    List(pyo3::types::list::BoundListIterator<'py>, bool),
    Dict(pyo3::types::dict::BoundDictIterator<'py>, bool),
}

fn text(value: &Bound<'_, PyString>, out: &mut String) -> PyResult<()> {
    // What is no Unicode (half a surrogate pair) is replaced, as the browser's own UTF-8 has it.
    let text = value.to_string_lossy();
    let quoted = serde_json::to_string(&*text).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    out.push_str(&quoted);
    Ok(())
}

/// Writes an object as JSON; iterative, since pages may be nested deep.
pub(crate) fn write(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = String::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value.clone());
    loop {
        if let Some(value) = next.take() {
            if let Ok(number) = value.cast_exact::<PyInt>() {
                match number.extract::<i64>() {
                    Ok(number) => drop(write!(out, "{number}")),
                    Err(_) => out.push_str(&number.str()?.to_string_lossy()),
                }
            } else if let Ok(string) = value.cast::<PyString>() {
                text(string, &mut out)?;
            } else if let Ok(list) = value.cast::<PyList>() {
                out.push('[');
                open.push(Open::List(list.iter(), false));
            } else if let Ok(dict) = value.cast::<PyDict>() {
                out.push('{');
                open.push(Open::Dict(dict.iter(), false));
            } else if let Ok(number) = value.cast::<PyFloat>() {
                let number = number.value();
                match serde_json::Number::from_f64(number) {
                    Some(number) => drop(write!(out, "{number}")),
                    None => out.push_str("null"),
                }
            } else if let Ok(bool) = value.cast::<PyBool>() {
                out.push_str(if bool.is_true() { "true" } else { "false" });
            } else if value.is_none() {
                out.push_str("null");
            } else if let Ok(tuple) = value.cast::<PyTuple>() {
                out.push('[');
                open.push(Open::List(tuple.to_list().iter(), false));
            } else {
                return Err(PyTypeError::new_err(format!("{} is no JSON", value.get_type().name()?)));
            }
            if open.len() > DEEPEST {
                return Err(PyTypeError::new_err("nested too deep"));
            }
        }
        match open.last_mut() {
            None => return Ok(out),
            Some(Open::List(items, begun)) => match items.next() {
                Some(item) => {
                    if std::mem::replace(begun, true) {
                        out.push(',');
                    }
                    next = Some(item);
                }
                None => {
                    out.push(']');
                    open.pop();
                }
            },
            Some(Open::Dict(items, begun)) => match items.next() {
                Some((key, item)) => {
                    if std::mem::replace(begun, true) {
                        out.push(',');
                    }
                    text(key.cast::<PyString>()?, &mut out)?;
                    out.push(':');
                    next = Some(item);
                }
                None => {
                    out.push('}');
                    open.pop();
                }
            },
        }
    }
}
