//! Every number of `summary.md` and `index.html`, made again from the Parquet files beside them by code that shares nothing with the report's.
//!
//! In: the folder of a report. Out: nothing, or a failed test that names the table and the row. A table, a sentence or a field that nobody knows how to make
//! again fails too, if there is a number in it.

mod formula;
pub mod markdown;
pub mod page;
mod parquet;
mod prose;
mod routers;
pub mod run;
mod tables;
