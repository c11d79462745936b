//! Writes an outline: as the tree of the grammar, as a list in markdown, as bare HTML.
//!
//! In: an [`Outline`]. Out: text without a line end at the end. Invariant: text of the page is
//! quoted and escaped; a line is one line.

use super::{Line, Meta, Outline, Role, Totals};
use crate::path::{Kind, Label};
use browserlens_core::page::text::escaped_line;
use browserlens_lens::format::escape;
use std::fmt::Write as _;

/// Returns the text of an outline.
pub fn write(outline: &Outline) -> String {
    let mut out = header(outline);
    if !outline.lines.is_empty() || outline.deeper.is_some() {
        out.push('\n');
    }
    for line in &outline.lines {
        out.push('\n');
        write_line(&mut out, line);
    }
    out.extend(outline.cut().map(|cut| format!("\nCUT [{cut}]")));
    out
}

/// Returns the two lines that stand before the outline.
fn header(outline: &Outline) -> String {
    let mut out = String::from("PAGE: ");
    escape::bare(&mut out, &outline.url);
    out.push_str(" | ");
    escape::bare(&mut out, &outline.title);
    let (width, height) = outline.viewport;
    let _ = write!(out, " | viewport={width}x{height}\nOUTLINE: {}", told(outline.totals));
    if !outline.grep.is_empty() {
        // As it was written, so that it can be copied; only what would end the line is escaped.
        out.push_str(" grep=");
        out.push_str(&escaped_line(&outline.grep));
    }
    out
}

fn told(Totals { landmarks, sections, headings, words }: Totals) -> String {
    format!("landmarks={landmarks} sections={sections} headings={headings} words={words}")
}

/// Appends one line.
pub(crate) fn write_line(out: &mut String, line: &Line) {
    out.extend(std::iter::repeat_n("  ", line.depth));
    words(out, line);
    if let Some(path) = &line.path {
        let _ = write!(out, " {path}");
    }
}

fn words(out: &mut String, line: &Line) {
    out.push_str(line.role.name());
    if let Some(level) = line.level {
        let _ = write!(out, " level={level}");
    }
    if !line.name.is_empty() {
        out.push(' ');
        escape::quote(out, &line.name);
    }
    for (at, meta) in line.meta.iter().enumerate() {
        out.push_str(if at == 0 { " [" } else { ", " });
        write_meta(out, *meta);
    }
    if !line.meta.is_empty() {
        out.push(']');
    }
}

fn write_meta(out: &mut String, meta: Meta) {
    let _ = match meta {
        Meta::Words(n) => write!(out, "{n} words"),
        Meta::Items(n) => write!(out, "{n} items"),
        Meta::Paragraphs(n) => write!(out, "{n} paragraphs"),
        Meta::Links(n) => write!(out, "{n} links"),
        Meta::Lines(n) => write!(out, "{n} lines"),
        Meta::Preview => write!(out, "preview"),
    };
}

/// Returns the outline as a nested list in markdown, each path as code.
pub fn write_markdown(outline: &Outline) -> String {
    let mut out = String::from("<!-- source: ");
    comment(&mut out, &outline.url);
    let _ = writeln!(out, " -->\n<!-- outline: {} -->", told(outline.totals));
    for line in &outline.lines {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", line.depth));
        out.push_str("- ");
        let mut text = String::new();
        words(&mut text, line);
        for c in text.chars() {
            if matches!(c, '*' | '_' | '`' | '<' | '>' | '&' | '[' | ']' | '#' | '|' | '~') {
                out.push('\\');
            }
            out.push(c);
        }
        if let Some(path) = &line.path {
            let _ = write!(out, " `{path}`");
        }
    }
    out.extend(outline.cut().map(|cut| format!("\n\n<!-- cut: {cut} -->")));
    out
}

/// Appends text inside a comment, which nothing in it may end.
pub(crate) fn comment(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '-' if out.ends_with('-') => out.push_str("%2D"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            c if c.is_control() => drop(write!(out, "%{:02X}", c as u32)),
            c => out.push(c),
        }
    }
}

/// Returns the outline as bare HTML: its elements with id and class, headings with their text,
/// counts as comments.
pub fn write_html(outline: &Outline) -> String {
    let mut out = String::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in &outline.lines {
        while open.last().is_some_and(|(depth, _)| *depth >= line.depth) {
            close(&mut out, &mut open);
        }
        indent(&mut out, open.len());
        let Some(path) = &line.path else {
            out.push_str("<!-- ");
            comment(&mut out, &line.name);
            out.push_str(" -->");
            continue;
        };
        let (tag, label) = match path.steps.last().map(|step| &step.kind) {
            Some(Kind::Element { tag, label }) => (tag.as_str(), label),
            _ => ("div", &Label::None),
        };
        let _ = write!(out, "<{tag}");
        match label {
            Label::None => {}
            Label::Id(id) => drop(write!(out, " id=\"{id}\"")),
            Label::Class(class) => drop(write!(out, " class=\"{class}\"")),
        }
        if !line.name.is_empty() && line.role != Role::Heading {
            out.push_str(" aria-label=\"");
            browserlens_core::page::html::escape_attribute(&mut out, &line.name);
            out.push('"');
        }
        out.push('>');
        if !line.meta.is_empty() {
            out.push_str("<!-- ");
            for (at, meta) in line.meta.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_meta(&mut out, *meta);
            }
            out.push_str(" -->");
        }
        if line.role == Role::Heading {
            browserlens_core::page::html::escape_text(&mut out, &line.name);
        }
        if line.role.is_part() || matches!(line.role, Role::List | Role::Table) {
            open.push((line.depth, tag.to_owned()));
        } else if tag != "img" && tag != "hr" && tag != "input" {
            let _ = write!(out, "</{tag}>");
        }
    }
    while !open.is_empty() {
        close(&mut out, &mut open);
    }
    out.extend(outline.cut().map(|cut| format!("\n<!-- cut: {cut} -->")));
    out
}

fn indent(out: &mut String, depth: usize) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.extend(std::iter::repeat_n("  ", depth));
}

fn close(out: &mut String, open: &mut Vec<(usize, String)>) {
    if let Some((_, tag)) = open.pop() {
        // An element without lines in it closes on its own line.
        let is_on_its_line = out.rsplit('\n').next().is_some_and(|line| {
            line.trim_start().starts_with(&format!("<{tag}"))
                && line.matches('<').count() <= 2
                && line.len() - line.trim_start().len() == open.len() * 2
        });
        if !is_on_its_line {
            indent(out, open.len());
        }
        let _ = write!(out, "</{tag}>");
    }
}
