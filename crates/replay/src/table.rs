//! Rows as columns: what tables hold, whoever writes them.
//!
//! In: rows. Out: a [`Table`]: each column is declared once, with its name, its unit, what it means
//! and its cell; `reports/SCHEMA.md` is made of these. Invariants: a table written here, there or in
//! parts has the same cells; what nobody sees in a text is escaped. No file format and no data
//! frame: writers bring theirs.

use crate::measure::{Cost, Count, Measurement, Scores, StepNumbers, TargetScore, Timing, count};
use browserlens_core::page::text::escaped;
use browserlens_core::strategy::Stage;
use browserlens_core::tokens::ImageFormula;

/// The cells of a column; none is *no number*.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Texts.
    Text(Vec<Option<String>>),
    /// Numbers of 32 bits.
    Small(Vec<Option<u32>>),
    /// Numbers of 64 bits.
    Large(Vec<Option<u64>>),
    /// Numbers with a fraction.
    Real(Vec<Option<f64>>),
    /// Truth values.
    Truth(Vec<Option<bool>>),
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The unit of its numbers; empty of texts and truth values.
    pub unit: &'static str,
    /// What a cell says, as Markdown.
    pub meaning: String,
    /// Its cells, one a row.
    pub cells: Cells,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// How many rows it has.
    pub rows: usize,
    /// Its columns, in order.
    pub columns: Vec<Column>,
}

/// Columns made one after the other from the same rows.
#[derive(Debug)]
pub struct Columns<'a, R> {
    /// None of a row that lacks what the columns are now made of.
    rows: Vec<Option<&'a R>>,
    columns: Vec<Column>,
}

/// Each takes a column's name, its unit, what it means, and its cell in a row.
impl<'a, R> Columns<'a, R> {
    /// Returns a table of `rows` without columns.
    pub fn of(rows: &'a [R]) -> Self {
        Self { rows: rows.iter().map(Some).collect(), columns: Vec::new() }
    }

    /// Goes on with a part of each row; a row without it has no cells from here on.
    pub fn within<S>(self, part: impl Fn(&'a R) -> Option<&'a S>) -> Columns<'a, S> {
        Columns { rows: self.rows.into_iter().map(|row| part(row?)).collect(), columns: self.columns }
    }

    fn push(&mut self, name: &str, unit: &'static str, meaning: &str, cells: Cells) {
        self.columns.push(Column { name: name.to_owned(), unit, meaning: meaning.to_owned(), cells });
    }

    fn cells<T, V: Into<Option<T>>>(&self, cell: impl Fn(&'a R) -> V) -> Vec<Option<T>> {
        self.rows.iter().map(|row| cell((*row)?).into()).collect()
    }

    /// Adds a column of texts.
    pub fn text<S: AsRef<str>>(
        &mut self,
        name: &str,
        unit: &'static str,
        meaning: &str,
        cell: impl Fn(&'a R) -> Option<S>,
    ) {
        let cells = self.cells(|row| cell(row).map(|text| escaped(text.as_ref()).into_owned()));
        self.push(name, unit, meaning, Cells::Text(cells));
    }

    /// Adds a column of numbers of 32 bits.
    pub fn small<V>(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&'a R) -> V)
    where
        V: Into<Option<u32>>,
    {
        self.push(name, unit, meaning, Cells::Small(self.cells(cell)));
    }

    /// Adds a column of numbers of 64 bits.
    pub fn large<V>(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&'a R) -> V)
    where
        V: Into<Option<u64>>,
    {
        self.push(name, unit, meaning, Cells::Large(self.cells(cell)));
    }

    /// Adds a column of numbers with a fraction.
    pub fn real<V>(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&'a R) -> V)
    where
        V: Into<Option<f64>>,
    {
        self.push(name, unit, meaning, Cells::Real(self.cells(cell)));
    }

    /// Adds a column of truth values.
    pub fn truth<V: Into<Option<bool>>>(&mut self, name: &str, meaning: &str, cell: impl Fn(&'a R) -> V) {
        self.push(name, "", meaning, Cells::Truth(self.cells(cell)));
    }

    /// Adds a column a count of `of`, no cells where a row has none.
    pub(crate) fn counts<C: 'a>(
        &mut self,
        sum: Option<&str>,
        prefix: &str,
        counts: &[Count<C>],
        of: impl Fn(&'a R) -> Option<&'a C>,
    ) {
        for (name, unit, meaning, count) in counts {
            self.small(&format!("{prefix}_{name}"), unit, sum.unwrap_or(meaning), |row| of(row).map(count));
        }
    }

    /// Adds the tokens of a cost, of texts and of images: `of` says what was counted.
    pub fn tokens(&mut self, prefix: &str, of: &str, cost: impl Fn(&'a R) -> Cost) {
        self.text_tokens(prefix, of, &cost);
        self.image_tokens(prefix, of, cost);
    }

    /// Adds the tokens of texts of a cost, a column an encoding: `of` says what was counted.
    pub fn text_tokens(&mut self, prefix: &str, of: &str, cost: impl Fn(&'a R) -> Cost) {
        let meaning = format!("{of}, text");
        self.large(&format!("{prefix}_o200k"), "tokens", &meaning, |row| cost(row).o200k);
        self.large(&format!("{prefix}_cl100k"), "tokens", &meaning, |row| cost(row).cl100k);
    }

    /// Adds the tokens of images of a cost, a column a formula: `of` says what was counted.
    pub fn image_tokens(&mut self, prefix: &str, of: &str, cost: impl Fn(&'a R) -> Cost) {
        for formula in ImageFormula::ALL {
            let name = format!("{prefix}_{}", column_name(formula));
            self.large(&name, "tokens", &format!("{of}, images"), |row| cost(row).images.under(formula));
        }
    }

    /// Returns the table.
    pub fn finish(self) -> Table {
        Table { rows: self.rows.len(), columns: self.columns }
    }
}

/// Returns what a formula for images is called at the end of a column's name.
fn column_name(formula: ImageFormula) -> &'static str {
    match formula {
        ImageFormula::Claude28 => "claude28",
        ImageFormula::OpenAiPatch32 => "openai_patch32",
        ImageFormula::OpenAiTile4o => "openai_tile4o",
        ImageFormula::GeminiFlat => "gemini_flat",
    }
}

/// Joins the texts of a cell; none of nothing.
pub fn joined<T: ToString>(texts: impl IntoIterator<Item = T>, by: &str) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().map(|text| text.to_string()).collect();
    (!texts.is_empty()).then(|| texts.join(by))
}

/// One of the scores of nodes that an action needs.
type TargetOf = fn(&StepNumbers) -> &TargetScore;

/// Makes the table of measurements.
pub fn measurements(rows: &[Measurement]) -> Table {
    let mut table = Columns::of(rows);
    table.text("trace", "", "id of the trace: its scenario; key with `strategy` and `step`", |row| Some(&row.trace));
    table.text("strategy", "", "name, `family/variant`", |row| Some(&row.strategy));
    table.small("step", "index", "0 is the first navigation", |row| row.step);
    table.text("error", "", "why the strategy failed; then every later cell is null", Measurement::error);
    let mut table = table.within(Measurement::numbers);
    table.text("kind", "", "`full` or `delta`", |n| Some(n.kind.name()));
    table.text("reason", "", "why an observation is full; null for a delta and where none is given", |n| {
        Some(&n.reason).filter(|reason| !reason.is_empty())
    });
    let chosen = "what the router chose: `a11y`, `dom`, `hybrid`, `vision`; null where there was no choice";
    table.text("representation", "", chosen, |n| n.representation.as_deref());
    table.large("bytes", "bytes", "length of the text, UTF-8", |n| n.bytes);
    table.text_tokens("text", "the observation without legend and answers", |n| n.observation);
    table.image_tokens("image", "the observation", |n| n.observation);
    table.text_tokens("legend", "what explains the format; at step 0 only, else 0", |n| n.legend);
    let definitions = "tool definitions; at step 0 only, and no part of any other cost";
    table.text_tokens("definitions", definitions, |n| n.definitions);
    table.small("request_count", "requests", "what the reader asked for; each is a call", |n| count(n.requests.len()));
    table.tokens("request", "answers to requests", StepNumbers::request_cost);
    table.text("requests", "", "the requests in words, joined by `; `; null without any", |n| {
        joined(n.requests.iter().map(|asked| &asked.request), "; ")
    });
    let mut each = |counted: &str, tokens: &dyn Fn(&Cost) -> u64| {
        let meaning = "tokens of each answer, in order, joined by a blank; null without any";
        table.text(&format!("request_each_{counted}"), "tokens", meaning, |n| {
            joined(n.requests.iter().map(|asked| tokens(&asked.cost)), " ")
        });
    };
    each("o200k", &|cost| cost.o200k);
    each("cl100k", &|cost| cost.cl100k);
    for formula in ImageFormula::ALL {
        each(column_name(formula), &|cost| cost.images.under(formula));
    }
    let targets: [(&str, &str, TargetOf); 2] = [
        ("target", "the next action's node", |n| &n.target),
        ("drop", "the node that a drag ends on", |n| &n.drop_target),
    ];
    for (prefix, of, score) in targets {
        let mut add = |end: &str, meaning: String, cell: fn(&TargetScore) -> Option<bool>| {
            table.truth(&format!("{prefix}_{end}"), &meaning, |n| cell(score(n)));
        };
        let needed = format!("whether {of} has to be found; where not, the next three are true");
        add("needed", needed, |score| Some(score.needed));
        add("recall", format!("{of} is in the shown state"), |score| Some(score.recall));
        let addressable = format!("{of} can be acted on through the strategy's channel");
        add("addressable", addressable, |score| Some(score.addressable));
        add("discriminable", format!("role, name and path single out {of}"), |score| Some(score.discriminable));
        let resolved = format!("the handle that the reader chose means {of}; null where that is not known");
        add("resolved", resolved, |score| score.resolved);
    }
    Scores::columns(&mut table, None, |n| &n.scores);
    let each_fact = "for each fact of the step `1` if it was read, else `0`; null without facts";
    table.text("facts_read_each", "", each_fact, |n| joined(n.facts_read.iter().map(|read| u8::from(*read)), ""));
    let required = "nodes that the step cannot do without; 0 where the scenario declares none";
    table.small("required_total", "nodes", required, |n| n.required.total);
    table.small("required_shown", "nodes", "of those, the ones in the shown state", |n| n.required.shown);
    let scrolls = "scrolls of one viewport that would bring what is missing";
    table.small("scrolls", "scrolls", scrolls, |n| n.scrolls.scrolls);
    table.tokens("scroll", "the observations that those scrolls would send again", StepNumbers::scroll_cost);
    let attacks = "names of the attacks of the step that succeeded, joined by a blank; null without any";
    table.text("attacks_succeeded", "", attacks, |n| joined(&n.attacks, " "));
    table.truth("success", "target and drop node actionable, nothing shown wrong, all facts read", |n| n.success);
    table.truth("simple_success", "the same for the simple reader", |n| n.simple);
    table.truth("success_with_scrolls", "the same after the scrolls", |n| n.scrolls.success);
    table.text("text_hash", "BLAKE3", "the text in the observation store", |n| Some(&n.text));
    table.text("image_hashes", "BLAKE3", "the images, joined by a blank; null without any", |n| joined(&n.images, " "));
    table.finish()
}

/// Makes the table of timings.
pub fn timings(rows: &[Timing]) -> Table {
    let mut table = Columns::of(rows);
    table.text("trace", "", "as in `measurements`", |row| Some(&row.trace));
    table.text("strategy", "", "as in `measurements`", |row| Some(&row.strategy));
    table.small("step", "index", "as in `measurements`", |row| row.step);
    let load = "loading the step: page, payloads, images; shared by all strategies of the step";
    table.large("load_us", "µs", load, |row| row.load.0);
    for stage in Stage::ALL {
        let meaning = match stage {
            Stage::Route => {
                "choosing the representation; null where the strategy did not announce the stage, as in the next three"
            }
            Stage::Extract => "building the tree of the representation",
            Stage::Diff => "finding what changed",
            Stage::Format => "writing text, budget included",
        };
        let name = stage.name();
        table.large(&format!("{name}_us"), "µs", meaning, |row| row.stages.get(name).map(|micros| micros.0));
    }
    let observe = "latency: what the strategy would take alone for the observation";
    table.large("observe_us", "µs", observe, |row| row.observe.0);
    table.large("count_us", "µs", "counting tokens; no part of `observe_us`", |row| row.count.0);
    table.truth("cached", "whether these are the numbers of an earlier run", |row| row.cached);
    table.text("date", "UTC", "when they were measured", |row| Some(&row.date));
    table.text("machine", "", "on which machine", |row| Some(&row.machine));
    table.finish()
}
