//! Tables of the page: every one can be sorted by its headers, and scrolls in a frame of its own
//! that the keyboard reaches.
//!
//! In: a [`TextTable`], or cells with a second line. Out: markup. Invariant: every cell is escaped
//! text.

use super::escape::escape;
use crate::text_table::TextTable;
use std::fmt::Write;

/// A value and what stands small below it (an interval, an n).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub value: String,
    pub below: String,
}

impl Value {
    pub fn of(value: impl Into<String>) -> Self {
        Self { value: value.into(), below: String::new() }
    }

    pub fn with(value: impl Into<String>, below: impl Into<String>) -> Self {
        Self { value: value.into(), below: below.into() }
    }
}

/// A row: its class, its name, what stands small beside the name, its cells.
#[derive(Clone, Debug, Default)]
pub(super) struct TableRow {
    pub class: &'static str,
    pub name: String,
    pub note: &'static str,
    pub cells: Vec<Value>,
}

/// Writes a table of rows.
pub(super) fn table_of(label: &str, headers: &[Value], rows: &[TableRow]) -> String {
    let mut out = opening(label);
    for header in headers {
        let below = below(&header.below);
        let _ = write!(out, "<th scope=\"col\">{}{below}</th>", escape(&header.value));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let class = if row.class.is_empty() { String::new() } else { format!(" class=\"{}\"", row.class) };
        let note = if row.note.is_empty() { String::new() } else { format!(" <small>{}</small>", row.note) };
        let _ = write!(out, "<tr{class}><th scope=\"row\">{}{note}</th>", breakable(&row.name));
        for cell in &row.cells {
            let _ = write!(out, "<td>{}{}</td>", escape(&cell.value), below(&cell.below));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    out
}

/// Writes a [`TextTable`].
pub(crate) fn table(label: &str, table: &TextTable) -> String {
    let (headers, rows) = table.cells();
    let headers: Vec<Value> = headers.map(|name| Value::of(name.trim())).collect();
    let rows: Vec<TableRow> = rows
        .iter()
        .map(|row| TableRow {
            name: row.first().cloned().unwrap_or_default(),
            cells: row.iter().skip(1).map(|cell| Value::of(cell.as_str())).collect(),
            ..TableRow::default()
        })
        .collect();
    table_of(label, &headers, &rows)
}

/// A table that opens and closes.
pub(super) fn folded(title: &str, content: &TextTable, open: bool) -> String {
    let open = if open { " open" } else { "" };
    format!("<details{open}>\n<summary>{}</summary>\n{}</details>\n", escape(title), table(title, content))
}

pub(super) fn opening(label: &str) -> String {
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table \
            class=\"sortable\">\n<thead><tr>",
        escape(label)
    )
}

fn below(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<small class=\"below\">{}</small>", escape(text)) }
}

/// Writes how to read what stands beside it.
pub(super) fn hint(text: &str) -> String {
    format!("<p class=\"hint\">{}</p>\n", escape(text))
}

/// Lets a name break after its slash.
pub(super) fn breakable(name: &str) -> String {
    escape(name).replace('/', "/<wbr>")
}
