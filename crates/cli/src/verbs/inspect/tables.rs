//! Answers of `inspect` as tables and trees.

use browserlens_core::page::text::{escaped_json, escaped_line};
use browserlens_inspect::{ConsoleAnswer, DomNode, NetworkAnswer, Summary};
use serde_json::json;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Lays rows out in columns; the last column takes what is left of the terminal's width.
fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let width = |text: &str| UnicodeWidthStr::width(text);
    let widths: Vec<usize> = (0..headers.len())
        .map(|at| rows.iter().map(|row| width(&row[at])).chain([width(headers[at])]).max().unwrap_or(0))
        .collect();
    let room = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let taken: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
    let mut out = String::new();
    let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
    for row in std::iter::once(&headers).chain(rows) {
        let Some((last, before)) = row.split_last() else { continue };
        for (cell, column) in before.iter().zip(&widths) {
            out.push_str(cell);
            out.extend(std::iter::repeat_n(' ', column - width(cell) + 2));
        }
        out.push_str(&room.map_or_else(|| last.clone(), |room| fitting(last, room.saturating_sub(taken).max(20))));
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

fn fitting(text: &str, room: usize) -> String {
    if UnicodeWidthStr::width(text) <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            used += UnicodeWidthChar::width(*c).unwrap_or(0);
            used <= room
        })
        .collect();
    kept.push('…');
    kept
}

pub(super) fn console_table(answer: &ConsoleAnswer) -> String {
    let rows: Vec<Vec<String>> = answer
        .data
        .iter()
        .map(|row| {
            let source = row.source.as_deref().unwrap_or_default();
            let times = row.times.map_or_else(String::new, |times| format!("×{times}"));
            let place = if source.is_empty() { String::new() } else { format!("  ({source})") };
            let text = escaped_line(&format!("{}{place}", row.text)).into_owned();
            vec![row.level.name().to_owned(), row.at_ms.to_string(), times, text]
        })
        .collect();
    table(&["level", "at ms", "", "message"], &rows)
}

pub(super) fn network_table(answer: &NetworkAnswer) -> String {
    let rows: Vec<Vec<String>> = answer
        .data
        .iter()
        .map(|row| {
            let status = if row.status == 0 { "–".to_owned() } else { row.status.to_string() };
            let mut url = row.url.clone();
            if !row.failure.is_empty() {
                url.push_str(&format!("  ({})", row.failure));
            }
            let mut cells = vec![status, row.method.clone(), row.resource_type.clone(), row.at_ms.to_string()];
            cells.extend([row.duration_ms.to_string(), row.bytes.to_string(), escaped_line(&url).into_owned()]);
            cells
        })
        .collect();
    let mut out = table(&["status", "method", "type", "at ms", "ms", "bytes", "url"], &rows);
    for row in &answer.data {
        for (what, body) in [("sent", &row.request_body), ("came back", &row.response_body)] {
            let Some(body) = body else { continue };
            let (mut said, bytes) = (String::new(), body.bytes);
            said.extend(body.text.as_deref().map(|text| escaped_line(text).into_owned()));
            said.extend(body.json.as_ref().map(|found| escaped_json(&json!(found).to_string()).into_owned()));
            said.extend(body.shape.as_ref().map(|shape| shape.to_string()));
            said.extend(body.note.as_ref().map(|note| format!("({note})")));
            let url = escaped_line(&row.url);
            out.push_str(&format!("\n{} {url}, {what}, {bytes} bytes:\n  {said}\n", row.method));
        }
    }
    out
}

pub(super) fn summary_table(summary: &Summary) -> String {
    let mut rows = Vec::new();
    let parts = [
        ("console", &summary.console),
        ("errors", &summary.errors),
        ("status", &summary.status),
        ("types", &summary.types),
        ("domains", &summary.domains),
        ("failed", &summary.failed),
        ("slowest, ms", &summary.slowest),
        ("largest, bytes", &summary.largest),
    ];
    for (name, counted) in parts {
        for (at, counted) in counted.iter().enumerate() {
            let name = if at == 0 { name.to_owned() } else { String::new() };
            rows.push(vec![name, counted.n.to_string(), escaped_line(&counted.what).into_owned()]);
        }
    }
    if let Some(durations) = summary.durations {
        let said = format!("median {}, 95 % within {}, longest {}", durations.median, durations.p95, durations.max);
        rows.push(vec!["durations, ms".to_owned(), String::new(), said]);
    }
    table(&["", "n", "what"], &rows)
}

pub(super) fn tree(node: &DomNode, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let attributes: String =
        node.attributes.iter().map(|(name, value)| format!(" {name}={:?}", escaped_line(value))).collect();
    let text = node.text.as_ref().map_or_else(String::new, |text| format!(" {:?}", escaped_line(text)));
    let value = node.value.as_ref().map_or_else(String::new, |value| format!(" value: {:?}", escaped_line(value)));
    let hidden = if node.hidden { " (hidden)" } else { "" };
    let cut = node
        .cut
        .map_or_else(String::new, |cut| format!(" … {cut} {} cut", if cut == 1 { "child" } else { "children" }));
    if let Some(under) = &node.under {
        out.push_str(&format!("{indent}in {under}:\n"));
    }
    out.push_str(&format!("{indent}{}{attributes}{text}{value}{hidden}{cut}\n", escaped_line(&node.tag)));
    for (name, value) in &node.styles {
        out.push_str(&format!("{indent}  {name}: {}\n", escaped_line(value)));
    }
    node.children.iter().for_each(|child| tree(child, depth + 1, out));
}
