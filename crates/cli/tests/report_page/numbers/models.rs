//! What models made of a run: the metrics of Mind2Web out of `llm.parquet`, written once more.

use super::formula::{NONE, fraction, thousands};
use super::parquet::Row;
use super::run::{Run, among};
use super::tables::Cells;
use std::collections::BTreeMap;

/// A model, its tier and the version of its prompt.
type Reader<'t> = (&'t str, &'t str, &'t str);
/// Its rows by strategy.
type ByStrategy<'t> = Vec<(&'t str, Vec<Row<'t>>)>;

/// Readers by tier, otherwise as they come; of each, strategies as they come.
fn readers<'t>(run: &Run<'t>) -> Option<Vec<(Reader<'t>, ByStrategy<'t>)>> {
    let mut all: Vec<(Reader<'t>, ByStrategy<'t>)> = Vec::new();
    for row in run.files.table("llm")?.rows() {
        let reader = (row.text("model"), row.text("tier"), row.text("prompt"));
        let (_, strategies) = among(&mut all, |(known, _)| *known == reader, || (reader, Vec::new()));
        let name = row.text("strategy");
        among(strategies, |(known, _)| *known == name, || (name, Vec::new())).1.push(row);
    }
    all.sort_by_key(|((_, tier, _), _)| *tier);
    Some(all)
}

fn operation(row: &Row<'_>) -> (u64, u64, u64) {
    let count = |column: &str| row.count(&format!("operation_{column}")).expect("a count");
    (count("shared"), count("predicted"), count("expected"))
}

fn f1(row: &Row<'_>) -> f64 {
    let (shared, predicted, expected) = operation(row);
    if predicted + expected == 0 { 0.0 } else { 2.0 * shared as f64 / (predicted + expected) as f64 }
}

fn is_right(row: &Row<'_>) -> bool {
    let (shared, predicted, expected) = operation(row);
    row.is("element_right") && shared == predicted && shared == expected
}

fn truth(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}

/// In percent; whole and nothing only where it is so.
fn rate(value: f64) -> String {
    match value * 100.0 {
        all if all >= 100.0 => "100.0".to_owned(),
        none if none <= 0.0 => "0.0".to_owned(),
        some => format!("{:.1}", some.clamp(0.1, 99.9)),
    }
}

pub fn table(run: &Run<'_>) -> Option<Cells> {
    let mut table = Cells::new([
        "model", "tier", "strategy", "element accuracy %", "operation F1 %", "step SR %", "task SR", "steps",
        "no answer",
    ]);
    for ((model, tier, _), strategies) in readers(run)? {
        for (strategy, rows) in strategies {
            let mut tasks: BTreeMap<&str, Vec<&Row<'_>>> = BTreeMap::new();
            for row in &rows {
                tasks.entry(row.text("trace")).or_default().push(row);
            }
            let mean = |value: &dyn Fn(&Row<'_>) -> f64| {
                let of_task = |task: &Vec<&Row<'_>>| task.iter().map(|row| value(row)).sum::<f64>() / task.len() as f64;
                rate(tasks.values().map(of_task).sum::<f64>() / tasks.len() as f64)
            };
            let whole = tasks.values().filter(|task| task.iter().all(|row| is_right(row))).count();
            let silent = rows.iter().filter(|row| row.text("outcome") != "answered").count();
            table.row(vec![
                model.to_owned(),
                if tier.is_empty() { NONE.to_owned() } else { tier.to_owned() },
                strategy.to_owned(),
                mean(&|row| truth(row.is("element_right"))),
                mean(&f1),
                mean(&|row| truth(is_right(row))),
                fraction(whole as u64, tasks.len() as u64),
                thousands(rows.len() as u64),
                thousands(silent as u64),
            ]);
        }
    }
    Some(table)
}

/// The numbers of a sentence about one model; none where it is about something else.
pub fn counted(run: &Run<'_>, sentence: &str) -> Option<Vec<String>> {
    for ((model, ..), strategies) in readers(run)? {
        let Some(said) = sentence.strip_prefix(model).and_then(|rest| rest.strip_prefix(": ")) else { continue };
        let count = |wanted: &dyn Fn(&Row<'_>) -> bool| {
            let rows = strategies.iter().flat_map(|(_, rows)| rows);
            Some(vec![thousands(rows.filter(|row| wanted(row)).count() as u64)])
        };
        if said.starts_with("prompt ") {
            // Every reader here is asked at temperature 0, which is the default.
            return Some(vec!["0".to_owned()]);
        } else if said.starts_with("the endpoint never answered ") {
            return count(&|row| row.text("outcome") == "failed");
        } else if said.starts_with("the element of ") {
            return count(&|row| row.is("by_words"));
        }
    }
    None
}
