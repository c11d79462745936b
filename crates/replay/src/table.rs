//! Rows as columns: what tables hold, whoever writes them.
//!
//! In: rows. Out: a [`Table`], whose columns have the names, the types and the order that
//! `reports/SCHEMA.md` documents. Invariants: this is the only place where they are made, so that a
//! table written here, there or in parts has the same cells; what nobody sees in a text is escaped.
//! No file format and no data frame: writers bring theirs.

use crate::clock::stage_name;
use crate::measure::{Cost, Measurement, RowKind, StepNumbers, Timing};
use browserlens_page::text::escaped;
use browserlens_strategy::Stage;
use browserlens_tokens::ImageFormula;

/// The cells of a column; none is *no number*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Texts.
    Text(Vec<Option<String>>),
    /// Numbers of 32 bits.
    Small(Vec<Option<u32>>),
    /// Numbers of 64 bits.
    Large(Vec<Option<u64>>),
    /// Truth values.
    Truth(Vec<Option<bool>>),
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its cells, one a row.
    pub cells: Cells,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// How many rows it has.
    pub rows: usize,
    /// Its columns, in order.
    pub columns: Vec<Column>,
}

/// Columns made one after the other from the same rows.
struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    fn of(rows: &'a [R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    fn push(&mut self, name: &str, cells: Cells) {
        self.columns.push(Column { name: name.to_owned(), cells });
    }

    fn text<'r>(&mut self, name: &str, cell: impl Fn(&'r R) -> Option<&'r str>)
    where
        'a: 'r,
    {
        let cells = self.rows.iter().map(|row| cell(row).map(|text| escaped(text).into_owned())).collect();
        self.push(name, Cells::Text(cells));
    }

    fn owned_text(&mut self, name: &str, cell: impl Fn(&R) -> Option<String>) {
        let cells = self.rows.iter().map(|row| cell(row).map(|text| escaped(&text).into_owned())).collect();
        self.push(name, Cells::Text(cells));
    }

    fn small(&mut self, name: &str, cell: impl Fn(&R) -> Option<u32>) {
        self.push(name, Cells::Small(self.rows.iter().map(cell).collect()));
    }

    fn large(&mut self, name: &str, cell: impl Fn(&R) -> Option<u64>) {
        self.push(name, Cells::Large(self.rows.iter().map(cell).collect()));
    }

    fn truth(&mut self, name: &str, cell: impl Fn(&R) -> Option<bool>) {
        self.push(name, Cells::Truth(self.rows.iter().map(cell).collect()));
    }

    fn text_tokens(&mut self, prefix: &str, cost: impl Fn(&R) -> Option<Cost>) {
        self.large(&format!("{prefix}_o200k"), |row| cost(row).map(|cost| cost.o200k));
        self.large(&format!("{prefix}_cl100k"), |row| cost(row).map(|cost| cost.cl100k));
    }

    fn image_tokens(&mut self, prefix: &str, cost: impl Fn(&R) -> Option<Cost>) {
        for formula in ImageFormula::ALL {
            self.large(&format!("{prefix}_{}", column_name(formula)), |row| {
                cost(row).map(|cost| cost.images.under(formula))
            });
        }
    }

    fn finish(self) -> Table {
        Table { rows: self.rows.len(), columns: self.columns }
    }
}

/// Returns what a formula for images is called at the end of a column's name.
pub fn column_name(formula: ImageFormula) -> &'static str {
    match formula {
        ImageFormula::Claude28 => "claude28",
        ImageFormula::OpenAiPatch32 => "openai_patch32",
        ImageFormula::OpenAiTile4o => "openai_tile4o",
        ImageFormula::GeminiFlat => "gemini_flat",
    }
}

/// Name of a count, and how it is read.
type EachCost = (&'static str, fn(&Cost) -> u64);

/// Makes the table of measurements.
pub fn measurements(rows: &[Measurement]) -> Table {
    let numbers = |row: &Measurement, cell: &dyn Fn(&StepNumbers) -> u32| row.numbers().map(cell);
    let truth = |row: &Measurement, cell: &dyn Fn(&StepNumbers) -> bool| row.numbers().map(cell);
    let mut table = Columns::of(rows);
    table.text("trace", |row| Some(&row.trace));
    table.text("strategy", |row| Some(&row.strategy));
    table.small("step", |row| Some(row.step));
    table.text("error", Measurement::error);
    table.text("kind", |row| {
        row.numbers().map(|numbers| match numbers.kind {
            RowKind::Full => "full",
            RowKind::Delta => "delta",
        })
    });
    table
        .text("reason", |row| row.numbers().map(|numbers| numbers.reason.as_str()).filter(|reason| !reason.is_empty()));
    table.text("representation", |row| row.numbers().and_then(|numbers| numbers.representation.as_deref()));
    table.large("bytes", |row| row.numbers().map(|numbers| numbers.bytes));
    let observation = |row: &Measurement| row.numbers().map(|numbers| numbers.observation);
    table.text_tokens("text", observation);
    table.image_tokens("image", observation);
    table.text_tokens("legend", |row| row.numbers().map(|numbers| numbers.legend));
    table.text_tokens("definitions", |row| row.numbers().map(|numbers| numbers.definitions));
    table.small("request_count", |row| numbers(row, &|n| u32::try_from(n.requests.len()).unwrap_or(u32::MAX)));
    let answers = |row: &Measurement| row.numbers().map(StepNumbers::request_cost);
    table.text_tokens("request", answers);
    table.image_tokens("request", answers);
    table.owned_text("requests", |row| {
        let asked = &row.numbers()?.requests;
        (!asked.is_empty()).then(|| asked.iter().map(|asked| asked.request.to_string()).collect::<Vec<_>>().join("; "))
    });
    let each: [EachCost; 6] = [
        ("o200k", |cost| cost.o200k),
        ("cl100k", |cost| cost.cl100k),
        ("claude28", |cost| cost.images.claude28),
        ("openai_patch32", |cost| cost.images.openai_patch32),
        ("openai_tile4o", |cost| cost.images.openai_tile4o),
        ("gemini_flat", |cost| cost.images.gemini_flat),
    ];
    for (name, tokens) in each {
        table.owned_text(&format!("request_each_{name}"), |row| {
            let asked = &row.numbers()?.requests;
            let each: Vec<String> = asked.iter().map(|asked| tokens(&asked.cost).to_string()).collect();
            (!each.is_empty()).then(|| each.join(" "))
        });
    }
    table.truth("target_needed", |row| truth(row, &|n| n.target.needed));
    table.truth("target_recall", |row| truth(row, &|n| n.target.recall));
    table.truth("target_addressable", |row| truth(row, &|n| n.target.addressable));
    table.truth("target_discriminable", |row| truth(row, &|n| n.target.discriminable));
    table.truth("target_resolved", |row| row.numbers().and_then(|numbers| numbers.target.resolved));
    table.truth("drop_needed", |row| truth(row, &|n| n.drop_target.needed));
    table.truth("drop_recall", |row| truth(row, &|n| n.drop_target.recall));
    table.truth("drop_addressable", |row| truth(row, &|n| n.drop_target.addressable));
    table.truth("drop_discriminable", |row| truth(row, &|n| n.drop_target.discriminable));
    table.truth("drop_resolved", |row| row.numbers().and_then(|numbers| numbers.drop_target.resolved));
    table.small("fresh_right", |row| numbers(row, &|n| n.fresh.right));
    table.small("fresh_wrong", |row| numbers(row, &|n| n.fresh.wrong));
    table.small("fresh_missing", |row| numbers(row, &|n| n.fresh.missing));
    table.small("facts_total", |row| numbers(row, &|n| n.facts.total));
    table.small("facts_read", |row| numbers(row, &|n| n.facts.read));
    table.small("facts_by_pixels", |row| numbers(row, &|n| n.facts.by_pixels));
    table.owned_text("facts_read_each", |row| {
        let bits: String = row.numbers()?.facts_read.iter().map(|read| if *read { '1' } else { '0' }).collect();
        (!bits.is_empty()).then_some(bits)
    });
    table.small("required_total", |row| numbers(row, &|n| n.required.total));
    table.small("required_shown", |row| numbers(row, &|n| n.required.shown));
    table.small("probe_nodes", |row| numbers(row, &|n| n.probes.nodes));
    table.small("probe_nodes_found", |row| numbers(row, &|n| n.probes.nodes_found));
    table.small("probe_texts", |row| numbers(row, &|n| n.probes.texts));
    table.small("probe_texts_found", |row| numbers(row, &|n| n.probes.texts_found));
    table.small("exam_asked", |row| numbers(row, &|n| n.exam.asked));
    table.small("exam_told", |row| numbers(row, &|n| n.exam.told));
    table.small("exam_local", |row| numbers(row, &|n| n.exam.local));
    let marks = |row: &Measurement| row.numbers().and_then(|numbers| numbers.marks);
    table.small("marks_shown", |row| marks(row).map(|marks| marks.shown));
    table.small("marks_elided", |row| marks(row).map(|marks| marks.elided));
    table.small("marks_volatile", |row| marks(row).map(|marks| marks.volatile));
    table.small("scrolls", |row| numbers(row, &|n| n.scrolls.scrolls));
    let scroll_cost = |row: &Measurement| row.numbers().map(StepNumbers::scroll_cost);
    table.text_tokens("scroll", scroll_cost);
    table.image_tokens("scroll", scroll_cost);
    table.small("refs_shown", |row| numbers(row, &|n| n.refs.shown));
    table.small("refs_surviving", |row| numbers(row, &|n| n.refs.surviving));
    table.small("refs_kept", |row| numbers(row, &|n| n.refs.kept));
    table.small("refs_wrong_rebinds", |row| numbers(row, &|n| n.refs.wrong_rebinds));
    table.small("unmarked_differences", |row| row.numbers().and_then(|numbers| numbers.unmarked_differences));
    table.owned_text("attacks_succeeded", |row| {
        row.numbers().map(|numbers| numbers.attacks.join(" ")).filter(|names| !names.is_empty())
    });
    table.truth("success", |row| truth(row, &|n| n.success));
    table.truth("simple_success", |row| truth(row, &|n| n.simple));
    table.truth("success_with_scrolls", |row| truth(row, &|n| n.scrolls.success));
    table.text("text_hash", |row| row.numbers().map(|numbers| numbers.text.as_str()));
    table.owned_text("image_hashes", |row| {
        row.numbers().map(|numbers| numbers.images.join(" ")).filter(|hashes| !hashes.is_empty())
    });
    table.finish()
}

/// Makes the table of timings.
pub fn timings(rows: &[Timing]) -> Table {
    let mut table = Columns::of(rows);
    table.text("trace", |row| Some(&row.trace));
    table.text("strategy", |row| Some(&row.strategy));
    table.small("step", |row| Some(row.step));
    table.large("load_us", |row| Some(row.load.0));
    for stage in Stage::ALL {
        table.large(&format!("{}_us", stage_name(stage)), |row| {
            row.stages.get(stage_name(stage)).map(|micros| micros.0)
        });
    }
    table.large("observe_us", |row| Some(row.observe.0));
    table.large("count_us", |row| Some(row.count.0));
    table.truth("cached", |row| Some(row.cached));
    table.text("date", |row| Some(&row.date));
    table.text("machine", |row| Some(&row.machine));
    table.finish()
}
