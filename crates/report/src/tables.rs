//! Rows as tables: polars data frames, and their bytes as Parquet and CSV.
//!
//! In: rows of `replay`. Out: one data frame a table, in the order of the rows. Invariant: the same
//! rows give the same bytes, whatever the machine or its threads: writing is not parallel, and no
//! time, host or path is written. Latency is a table of its own, since it is never the same twice.
//!
//! A text is UTF-8 without characters that nobody sees: those stand as escapes such as `\u{202e}`;
//! line ends and tabs stay. An empty cell (null in Parquet) means *no number*: the strategy failed,
//! or nothing was counted. Types are those of Parquet; token columns are counts under the encoding
//! or image formula that their name ends with.
//!
//! `measurements`, one row per trace × strategy × step:
//!
//! | name | type | unit, meaning |
//! | --- | --- | --- |
//! | `trace`, `strategy` | string | id of the trace (its scenario); `family/variant` |
//! | `step` | u32 | index; 0 is the first navigation |
//! | `error` | string | why the strategy failed; then every later cell is empty |
//! | `kind` | string | `full` or `delta` |
//! | `reason` | string | why an observation is full; empty for a delta |
//! | `representation` | string | what the router chose; empty where there was no choice |
//! | `bytes` | u64 | bytes of the text |
//! | `text_o200k`, `text_cl100k` | u64 | tokens of the text, without legend and answers |
//! | `image_claude28`, `image_openai_patch32`, `image_openai_tile4o`, `image_gemini_flat` | u64 | tokens of the images |
//! | `legend_o200k`, `legend_cl100k` | u64 | tokens of the legend; at step 0 only |
//! | `definitions_o200k`, `definitions_cl100k` | u64 | tokens of tool definitions; at step 0 only, no part of any other cost |
//! | `request_count` | u32 | requests of the reader; each is a call |
//! | `request_o200k`, `request_cl100k`, `request_claude28`, … | u64 | tokens of the answers |
//! | `requests` | string | the requests in words, joined by `; ` |
//! | `request_each_o200k`, `request_each_claude28`, … | string | tokens of each answer, in the order of the requests, joined by a space: every answer is a call |
//! | `target_needed`, `target_recall`, `target_addressable`, `target_discriminable` | bool | the reader's score of the next action's node |
//! | `target_resolved` | bool | the handle maps to an acceptable node; empty where the map is not known |
//! | `drop_needed`, `drop_recall`, `drop_addressable`, `drop_discriminable`, `drop_resolved` | bool | the same of the node that a drag ends on |
//! | `fresh_right`, `fresh_wrong`, `fresh_missing` | u32 | named states shown right, wrong, not at all |
//! | `facts_total`, `facts_read`, `facts_by_pixels` | u32 | facts of the step; read; of those, in images only |
//! | `facts_read_each` | string | for each fact of the step `1` if it was read, else `0` |
//! | `required_total`, `required_shown` | u32 | nodes of the required set; of those, in the shown state |
//! | `probe_nodes`, `probe_nodes_found`, `probe_texts`, `probe_texts_found` | u32 | probes drawn from the page; found |
//! | `exam_asked`, `exam_told`, `exam_local` | u32 | questions of the exam; told since the last whole telling; said beside their owner |
//! | `marks_shown`, `marks_elided`, `marks_volatile` | u32 | nodes and texts shown; siblings elided; words that may be old; empty without marks |
//! | `scrolls` | u32 | scrolls that would bring what is missed |
//! | `scroll_o200k`, `scroll_cl100k`, `scroll_claude28`, … | u64 | tokens of the observations sent again |
//! | `refs_shown`, `refs_surviving`, `refs_kept`, `refs_wrong_rebinds` | u32 | refs, checked against entity ids |
//! | `unmarked_differences` | u32 | 0 by the Truth rule; empty where not counted |
//! | `attacks_succeeded` | string | names of the attacks of the step that succeeded, joined by a space |
//! | `success` | bool | actionable, nothing shown wrong, all facts read |
//! | `simple_success` | bool | the same for the simple reader of the lens' text |
//! | `success_with_scrolls` | bool | the same after the scrolls |
//! | `text_hash`, `image_hashes` | string | content hashes in the observation store; several are joined by a space |
//!
//! `tasks`, one row per trace × strategy: counts of steps (`steps`, `failed_steps`,
//! `successful_steps`, `simple_steps`, `deltas`, u32), `finished` and `success` (bool), `calls`
//! (u32), and token counts (u64) with prefix `all_` (observations, legend and answers together),
//! `legend_`, `definitions_`, `request_`, `scroll_`, `keep_all_` and `keep_last_full_` (sum over
//! calls of the context under that policy), `keep_all_prefix_` and `keep_last_full_prefix_` (of
//! that, what the call before read at the same place), `keep_all_cached_` and
//! `keep_last_full_cached_` (context less the discounted part of the prefix;
//! `cache_discount_per_mille`, u32, says by how much); then facts, required sets (steps that have
//! one, steps that show it whole), probes, marks, scrolls, refs and unmarked differences, summed.
//!
//! `timings`, one row per trace × strategy × step, all in microseconds (u64): `load_us` (shared by
//! all strategies of the step), `route_us`, `extract_us`, `diff_us`, `format_us` (empty where the
//! strategy did not announce the stage), `observe_us` (latency: what the strategy would take alone
//! for the observation), `count_us` (token counting, not part of it); `cached` (bool): measured in
//! an earlier run; `date`, `machine` (string).
//!
//! What the other numbers of a report are made of stands in `tables/beside.rs`.

mod beside;
#[cfg(test)]
mod schema;

pub(crate) use beside::beside;

use crate::ReportError;
use browserlens_page::text::escaped;
use browserlens_replay::table::{Cells, Table};
use browserlens_replay::{Cost, Measurement, PerMille, TaskMeasurement, Timing};
use browserlens_tokens::ImageFormula;
use polars::prelude::{
    Column, CsvWriter, DataFrame, NamedFrom, ParquetCompression, ParquetWriter, PolarsError, SerWriter, Series,
};
use std::borrow::Cow;

/// Columns made one after the other from the same rows; what nobody sees in a text is escaped.
struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    fn of(rows: &'a [R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    fn text<'r>(&mut self, name: &str, cell: impl Fn(&'r R) -> Option<&'r str>)
    where
        'a: 'r,
    {
        let values: Vec<Option<Cow<'_, str>>> = self.rows.iter().map(|row| cell(row).map(escaped)).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn owned_text(&mut self, name: &str, cell: impl Fn(&R) -> Option<String>) {
        let values: Vec<Option<String>> =
            self.rows.iter().map(|row| cell(row).map(|text| escaped(&text).into_owned())).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn small(&mut self, name: &str, cell: impl Fn(&R) -> Option<u32>) {
        let values: Vec<Option<u32>> = self.rows.iter().map(cell).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn large(&mut self, name: &str, cell: impl Fn(&R) -> Option<u64>) {
        let values: Vec<Option<u64>> = self.rows.iter().map(cell).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn real(&mut self, name: &str, cell: impl Fn(&R) -> Option<f64>) {
        let values: Vec<Option<f64>> = self.rows.iter().map(cell).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn truth(&mut self, name: &str, cell: impl Fn(&R) -> Option<bool>) {
        let values: Vec<Option<bool>> = self.rows.iter().map(cell).collect();
        self.columns.push(Series::new(name.into(), values).into());
    }

    fn text_tokens(&mut self, prefix: &str, cost: impl Fn(&R) -> Option<Cost>) {
        self.large(&format!("{prefix}_o200k"), |row| cost(row).map(|cost| cost.o200k));
        self.large(&format!("{prefix}_cl100k"), |row| cost(row).map(|cost| cost.cl100k));
    }

    fn image_tokens(&mut self, prefix: &str, cost: impl Fn(&R) -> Option<Cost>) {
        for formula in ImageFormula::ALL {
            self.large(&format!("{prefix}_{}", browserlens_replay::table::column_name(formula)), |row| {
                cost(row).map(|cost| cost.images.under(formula))
            });
        }
    }

    fn finish(self) -> Result<DataFrame, PolarsError> {
        DataFrame::new(self.rows.len(), self.columns)
    }
}

/// Makes the table of measurements.
pub(crate) fn measurements(rows: &[Measurement]) -> Result<DataFrame, PolarsError> {
    frame(browserlens_replay::table::measurements(rows))
}

/// One of the costs of a task.
type CostOf = fn(&TaskMeasurement) -> Cost;

/// Makes the table of tasks.
pub(crate) fn tasks(rows: &[TaskMeasurement], discount: PerMille) -> Result<DataFrame, PolarsError> {
    let mut table = Columns::of(rows);
    table.text("trace", |row| Some(&row.trace));
    table.text("strategy", |row| Some(&row.strategy));
    table.small("steps", |row| Some(row.steps));
    table.small("failed_steps", |row| Some(row.failed));
    table.truth("finished", |row| Some(row.finished));
    table.truth("success", |row| Some(row.success));
    table.small("successful_steps", |row| Some(row.successful_steps));
    table.small("simple_steps", |row| Some(row.simple_steps));
    table.small("deltas", |row| Some(row.deltas));
    table.truth("success_with_scrolls", |row| Some(row.success_with_scrolls));
    table.small("successful_steps_with_scrolls", |row| Some(row.successful_steps_with_scrolls));
    table.small("calls", |row| Some(row.calls));
    let costs: [(&str, CostOf); 9] = [
        ("all", |row| row.cost),
        ("legend", |row| row.legend),
        ("request", |row| row.requests),
        ("definitions", |row| row.definitions),
        ("scroll", |row| row.scroll_cost),
        ("keep_all", |row| row.context_keep_all),
        ("keep_all_prefix", |row| row.prefix_keep_all),
        ("keep_last_full", |row| row.context_keep_last_full),
        ("keep_last_full_prefix", |row| row.prefix_keep_last_full),
    ];
    for (prefix, cost) in costs {
        table.text_tokens(prefix, |row| Some(cost(row)));
        table.image_tokens(prefix, |row| Some(cost(row)));
    }
    table.small("cache_discount_per_mille", |_| Some(discount.thousandths()));
    let cached: [(&str, CostOf, CostOf); 2] = [
        ("keep_all_cached", |row| row.context_keep_all, |row| row.prefix_keep_all),
        ("keep_last_full_cached", |row| row.context_keep_last_full, |row| row.prefix_keep_last_full),
    ];
    for (name, context, prefix) in cached {
        let cost = |row: &TaskMeasurement| Some(context(row).discounted(prefix(row), discount));
        table.text_tokens(name, cost);
        table.image_tokens(name, cost);
    }
    table.small("facts_total", |row| Some(row.facts.total));
    table.small("facts_read", |row| Some(row.facts.read));
    table.small("facts_by_pixels", |row| Some(row.facts.by_pixels));
    table.small("required_sets", |row| Some(row.required.total));
    table.small("required_covered", |row| Some(row.required.shown));
    table.small("probe_nodes", |row| Some(row.probes.nodes));
    table.small("probe_nodes_found", |row| Some(row.probes.nodes_found));
    table.small("probe_texts", |row| Some(row.probes.texts));
    table.small("probe_texts_found", |row| Some(row.probes.texts_found));
    table.small("marks_shown", |row| row.marks.map(|marks| marks.shown));
    table.small("marks_elided", |row| row.marks.map(|marks| marks.elided));
    table.small("marks_volatile", |row| row.marks.map(|marks| marks.volatile));
    table.small("scrolls", |row| Some(row.scrolls));
    table.small("refs_shown", |row| Some(row.refs.shown));
    table.small("refs_surviving", |row| Some(row.refs.surviving));
    table.small("refs_kept", |row| Some(row.refs.kept));
    table.small("refs_wrong_rebinds", |row| Some(row.refs.wrong_rebinds));
    table.small("unmarked_differences", |row| row.unmarked_differences);
    table.finish()
}

/// Makes the table of timings.
pub(crate) fn timings(rows: &[Timing]) -> Result<DataFrame, PolarsError> {
    frame(browserlens_replay::table::timings(rows))
}

/// Makes a data frame of columns.
fn frame(table: Table) -> Result<DataFrame, PolarsError> {
    let columns = table.columns.into_iter().map(|column| {
        let name = column.name.into();
        let series = match column.cells {
            Cells::Text(cells) => Series::new(name, cells),
            Cells::Small(cells) => Series::new(name, cells),
            Cells::Large(cells) => Series::new(name, cells),
            Cells::Truth(cells) => Series::new(name, cells),
        };
        Column::from(series)
    });
    DataFrame::new(table.rows, columns.collect())
}

/// Returns a table as Parquet.
pub(crate) fn parquet(table: &'static str, frame: &DataFrame) -> Result<Vec<u8>, ReportError> {
    let mut bytes = Vec::new();
    let mut frame = frame.clone();
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Zstd(None))
        .set_parallel(false)
        .finish(&mut frame)
        .map_err(|cause| ReportError::table(table, cause))?;
    Ok(bytes)
}

/// Returns a table as CSV: UTF-8, comma, a header, quotes where needed, `\n` after each row.
pub(crate) fn csv(table: &'static str, frame: &DataFrame) -> Result<Vec<u8>, ReportError> {
    let mut bytes = Vec::new();
    let mut frame = frame.clone();
    CsvWriter::new(&mut bytes).n_threads(1).finish(&mut frame).map_err(|cause| ReportError::table(table, cause))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use polars::prelude::{ParquetReader, SerReader};

    fn cell(frame: &DataFrame, column: &str, row: usize) -> String {
        frame.column(column).unwrap().get(row).unwrap().to_string()
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        let run = made_up::run();
        let bytes = || {
            let frame = measurements(&run.measurements).unwrap();
            (parquet("measurements", &frame).unwrap(), csv("measurements", &frame).unwrap())
        };
        let first = bytes();
        assert_eq!(&first.0[..4], b"PAR1");
        assert!((0..5).all(|_| bytes() == first));
    }

    #[test]
    fn a_failed_step_is_a_row_with_its_error_and_no_numbers() {
        let run = made_up::run();
        let frame = measurements(&run.measurements).unwrap();
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
        let frame = measurements(&run.measurements).unwrap();
        assert_eq!(cell(&frame, "text_o200k", 0), "900");
        assert_eq!(cell(&frame, "legend_o200k", 0), "100");
        let table = tasks(&run.tasks, PerMille::DEFAULT_CACHE_DISCOUNT).unwrap();
        assert_eq!(cell(&table, "all_o200k", 0), "1100");
        let text = String::from_utf8(csv("tasks", &table).unwrap()).unwrap();
        assert_eq!(text.lines().count(), run.tasks.len() + 1);
        let table = timings(&run.timings).unwrap();
        assert_eq!(cell(&table, "observe_us", 0), "400");
    }

    #[test]
    fn parquet_reads_back_as_it_was_written() {
        let run = made_up::run();
        let frame = measurements(&run.measurements).unwrap();
        let bytes = parquet("measurements", &frame).unwrap();
        let read = ParquetReader::new(std::io::Cursor::new(bytes)).finish().unwrap();
        assert!(read.equals_missing(&frame));
    }

    #[test]
    fn empty_tables_have_their_columns() {
        let frame = measurements(&[]).unwrap();
        assert_eq!(frame.height(), 0);
        let text = String::from_utf8(csv("measurements", &frame).unwrap()).unwrap();
        assert!(text.starts_with("trace,strategy,step,error,kind,"));
        assert!(parquet("timings", &timings(&[]).unwrap()).is_ok());
    }
}
