//! Rows as tables: polars data frames, and their bytes as Parquet and CSV.
//!
//! In: rows of `replay`. Out: one data frame a table, in the order of the rows. Invariant: the same
//! rows give the same bytes, whatever the machine or its threads: writing is not parallel, and no
//! time, host or path is written. Latency is a table of its own, since it is never the same twice.
//!
//! Columns, their units and what they mean are declared where their cells are made: in
//! `browserlens_replay::table`, here for tasks, and in `tables/detail.rs`; `reports/SCHEMA.md` is
//! made of these declarations.

mod detail;
#[cfg(test)]
mod schema;

pub(crate) use detail::every;

use crate::ReportError;
use browserlens_replay::table::{Cells, Columns, Table};
use browserlens_replay::{PerMille, Scores, TaskMeasurement};
use polars::prelude::{
    Column, CsvWriter, DataFrame, NamedFrom, ParquetCompression, ParquetWriter, PolarsError, SerWriter, Series,
};

/// Makes the table of tasks.
pub(crate) fn tasks(rows: &[TaskMeasurement], discount: PerMille) -> Table {
    let mut table = Columns::of(rows);
    table.text("trace", "", "id of the trace; key with `strategy`", |row| Some(&row.trace));
    table.text("strategy", "", "name", |row| Some(&row.strategy));
    table.small("steps", "steps", "steps of the trace", |row| row.steps);
    table.small("failed_steps", "steps", "steps on which the strategy failed", |row| row.failed);
    table.truth("finished", "no step failed: only then do rankings count the task", |row| row.finished);
    table.truth("success", "every step succeeded and the recording is complete", |row| row.success);
    table.small("successful_steps", "steps", "steps that succeeded", |row| row.successful_steps);
    table.small("simple_steps", "steps", "steps that succeeded for the simple reader", |row| row.simple_steps);
    table.small("deltas", "steps", "steps with a delta", |row| row.deltas);
    let scrolled = "every step succeeds, with scrolls where they help";
    table.truth("success_with_scrolls", scrolled, |row| row.success_with_scrolls);
    let likewise = "steps that succeed, likewise";
    table.small("successful_steps_with_scrolls", "steps", likewise, |row| row.successful_steps_with_scrolls);
    table.small("calls", "requests", "requests of the reader", |row| row.calls);
    table.tokens("all", "everything shown: observations, legend, answers", |row| row.cost);
    table.tokens("legend", "of that, the legend", |row| row.legend);
    table.tokens("request", "of that, the answers", |row| row.requests);
    table.tokens("definitions", "tool definitions; no part of `all_*`", |row| row.definitions);
    table.tokens("scroll", "observations sent again by scrolls; no part of `all_*`", |row| row.scroll_cost);
    let prefix = "of that, what the call before read at the same place";
    let all = "sum over calls of the context when everything shown is kept";
    table.tokens("keep_all", all, |row| row.context_keep_all);
    table.tokens("keep_all_prefix", prefix, |row| row.prefix_keep_all);
    let last_full = "sum over calls of the context when only the legend, the last full observation and what followed \
        it are kept";
    table.tokens("keep_last_full", last_full, |row| row.context_keep_last_full);
    table.tokens("keep_last_full_prefix", prefix, |row| row.prefix_keep_last_full);
    let assumed = "what a prompt cache is assumed to take off a prefix";
    table.small("cache_discount_per_mille", "1/1000", assumed, |_| discount.thousandths());
    let all = "`keep_all_*` less the discounted part of its prefix";
    table.tokens("keep_all_cached", all, |row| row.context_keep_all.discounted(row.prefix_keep_all, discount));
    let last_full = "`keep_last_full_*` less the discounted part of its prefix";
    table.tokens("keep_last_full_cached", last_full, |row| {
        row.context_keep_last_full.discounted(row.prefix_keep_last_full, discount)
    });
    Scores::columns(&mut table, Some("summed over steps, as in `measurements`"), |row| &row.scores);
    table.small("required_sets", "steps", "steps that have a required set", |row| row.required.total);
    table.small("required_covered", "steps", "of those, the ones that show it whole", |row| row.required.shown);
    table.small("scrolls", "scrolls", "summed over steps", |row| row.scrolls);
    table.finish()
}

/// Makes a data frame of columns.
pub(crate) fn frame(table: Table) -> Result<DataFrame, PolarsError> {
    let columns = table.columns.into_iter().map(|column| {
        let name = column.name.into();
        let series = match column.cells {
            Cells::Text(cells) => Series::new(name, cells),
            Cells::Small(cells) => Series::new(name, cells),
            Cells::Large(cells) => Series::new(name, cells),
            Cells::Real(cells) => Series::new(name, cells),
            Cells::Truth(cells) => Series::new(name, cells),
        };
        Column::from(series)
    });
    DataFrame::new(table.rows, columns.collect())
}

/// Format of a file that holds a table.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    Parquet,
    /// UTF-8, comma, a header, quotes where needed, `\n` after each row.
    Csv,
}

impl Format {
    /// Returns how names of files end.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }

    /// Returns a table in this format; `table` is its name.
    pub fn bytes(self, table: &'static str, frame: &DataFrame) -> Result<Vec<u8>, ReportError> {
        let mut bytes = Vec::new();
        let mut frame = frame.clone();
        let written = match self {
            Self::Parquet => {
                let writer = ParquetWriter::new(&mut bytes).with_compression(ParquetCompression::Zstd(None));
                writer.set_parallel(false).finish(&mut frame).map(drop)
            }
            Self::Csv => CsvWriter::new(&mut bytes).n_threads(1).finish(&mut frame),
        };
        written.map_err(|cause| ReportError::table(table, cause))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use polars::prelude::{ParquetReader, SerReader};

    fn written(name: &str, run: &made_up::Run) -> DataFrame {
        let table = every(&run.input(), None).into_iter().find(|table| table.name == name);
        frame(table.expect("it is there").table).unwrap()
    }

    fn cell(frame: &DataFrame, column: &str, row: usize) -> String {
        frame.column(column).unwrap().get(row).unwrap().to_string()
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        let run = made_up::run();
        let bytes = || {
            let frame = written("measurements", &run);
            (Format::Parquet.bytes("measurements", &frame).unwrap(), Format::Csv.bytes("measurements", &frame).unwrap())
        };
        let first = bytes();
        assert_eq!(&first.0[..4], b"PAR1");
        assert!((0..5).all(|_| bytes() == first));
    }

    #[test]
    fn a_failed_step_is_a_row_with_its_error_and_no_numbers() {
        let run = made_up::run();
        let frame = written("measurements", &run);
        let failed = run.measurements.iter().position(|row| row.error().is_some()).unwrap();
        assert_eq!(cell(&frame, "error", failed), "\"step 1: the capture has no ax payload\"");
        let empty = frame
            .columns()
            .iter()
            .skip(4)
            .filter(|column| !column.get(failed).unwrap().is_null())
            .map(|c| c.name().to_string());
        assert_eq!(empty.collect::<Vec<_>>(), Vec::<String>::new());
        assert_eq!(frame.height(), run.measurements.len());
    }

    #[test]
    fn numbers_arrive_in_their_columns() {
        let run = made_up::run();
        let frame = written("measurements", &run);
        assert_eq!(cell(&frame, "text_o200k", 0), "900");
        assert_eq!(cell(&frame, "legend_o200k", 0), "100");
        let table = written("tasks", &run);
        assert_eq!(cell(&table, "all_o200k", 0), "1100");
        let text = String::from_utf8(Format::Csv.bytes("tasks", &table).unwrap()).unwrap();
        assert_eq!(text.lines().count(), run.tasks.len() + 1);
        let table = written("timings", &run);
        assert_eq!(cell(&table, "observe_us", 0), "400");
    }

    #[test]
    fn parquet_reads_back_as_it_was_written() {
        let run = made_up::run();
        let frame = written("measurements", &run);
        let bytes = Format::Parquet.bytes("measurements", &frame).unwrap();
        let read = ParquetReader::new(std::io::Cursor::new(bytes)).finish().unwrap();
        assert!(read.equals_missing(&frame));
    }

    #[test]
    fn empty_tables_have_their_columns() {
        let run = made_up::Run { measurements: Vec::new(), ..made_up::run() };
        let frame = written("measurements", &run);
        assert_eq!(frame.height(), 0);
        let text = String::from_utf8(Format::Csv.bytes("measurements", &frame).unwrap()).unwrap();
        assert!(text.starts_with("trace,strategy,step,error,kind,"));
        assert!(Format::Parquet.bytes("measurements", &frame).is_ok());
    }
}
