//! `reports/SCHEMA.md`: made of the columns as they are declared.

use super::detail::Described;
use super::{Format, every};
use crate::made_up;
use browserlens_replay::table::{Cells, Column};
use std::fmt::Write;
use std::path::Path;

fn add_table(out: &mut String, described: &Described) {
    let file = |format: &Format| format!("`{}.{}`", described.name, format.ending());
    let mut files: Vec<String> = described.formats.iter().map(file).collect();
    files.extend(Some(described.when.to_owned()).filter(|when| !when.is_empty()));
    let _ = write!(
        out,
        "\n## `{}`\n\n{}. One row: {}.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n",
        described.name,
        files.join(", "),
        described.row
    );
    let kind = |column: &Column| match column.cells {
        Cells::Text(_) => "string",
        Cells::Small(_) => "u32",
        Cells::Large(_) => "u64",
        Cells::Real(_) => "f64",
        Cells::Truth(_) => "bool",
    };
    // What differs by how it was counted only, and in its name, is one row: the end of the name says
    // what of a text, and what of images, is counted.
    let meaning = |column: &Column| {
        let counted = [", text", ", images"].iter().find_map(|of| column.meaning.strip_suffix(of));
        counted.unwrap_or(&column.meaning).to_owned()
    };
    let like = |a: &Column, b: &Column| (kind(a), a.unit, meaning(a)) == (kind(b), b.unit, meaning(b));
    for columns in described.table.columns.chunk_by(like) {
        let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
        let one = &columns[0];
        let _ = writeln!(out, "| {} | {} | {} | {} |", names.join(", "), kind(one), one.unit, meaning(one));
    }
}

/// The tables of the document stand between these; what is around them is written by hand.
const BEGIN: &str = "<!-- tables: begin -->\n";
const END: &str = "<!-- tables: end -->\n";

#[test]
fn the_document_says_every_column_that_is_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/SCHEMA.md");
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    let (head, rest) = stands.split_once(BEGIN).expect("the tables have a beginning");
    let (_, examples) = rest.split_once(END).expect("the tables have an end");
    let mut text = format!("{head}{BEGIN}");
    for table in every(&made_up::run().input(), None) {
        add_table(&mut text, &table);
    }
    text.push_str(&format!("\n{END}{examples}"));
    if std::env::var_os("BROWSERLENS_WRITE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == text, "{}: write it with BROWSERLENS_WRITE=1", path.display());
    assert!(text.lines().all(|line| !line.contains("| |  |")), "no cell of a table is forgotten");
}
