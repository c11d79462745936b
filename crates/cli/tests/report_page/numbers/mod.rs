//! Every number of `summary.md` and `index.html`, made again from the Parquet files beside them by
//! code that shares nothing with the report's.
//!
//! In: the folder of a report. Out: nothing, or a failed test that names the table and the row. A
//! table, a sentence or a field that nobody knows how to make again fails too, if there is a number
//! in it.

mod agents;
mod formula;
pub mod markdown;
mod models;
pub mod page;
mod parquet;
mod prose;
mod routers;
pub mod run;
mod tables;

use crate::browser::Opened;
use std::path::Path;

/// Checks every number of a report; returns how many: cells of the summary; cells, sentences and
/// data of the page.
pub async fn of(folder: &Path, deep: bool) -> (usize, usize) {
    let files = run::Files::read(folder);
    let run = run::Run::of(&files);
    let summary = std::fs::read_to_string(folder.join("summary.md")).expect("a summary");
    let in_summary = markdown::check(&summary, &run);
    let page = folder.join("index.html");
    let html = std::fs::read_to_string(&page).expect("a page");
    let literal = serde_json::to_string(&html).expect("JSON");
    let script = include_str!("read_page.js");
    // The page comes last: it is long enough to hold any word.
    let script = script.replacen("DEEP", &deep.to_string(), 1).replacen("HTML", &literal, 1);
    let (opened, _) = Opened::file(&page).await;
    let read: page::Page = opened.evaluate(&script).await;
    opened.close().await;
    let in_page = page::check(&read, &run);
    (in_summary, in_page)
}
