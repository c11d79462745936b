//! Rows as columns: what tables hold, whoever writes them.
//!
//! In: rows. Out: a [`Table`]: each column is declared once, with its name, its unit, what it means
//! and its cell; `reports/SCHEMA.md` is made of these. Invariants: a table written here, there or in
//! parts has the same cells; what nobody sees in a text is escaped. No file format and no data
//! frame: writers bring theirs.

use crate::clock::stage_name;
use crate::measure::{Cost, Measurement, RowKind, StepNumbers, TargetScore, Timing};
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
    rows: &'a [R],
    columns: Vec<Column>,
}

/// Each takes a column's name, its unit, what it means, and its cell in a row.
impl<'a, R> Columns<'a, R> {
    /// Returns a table of `rows` without columns.
    pub fn of(rows: &'a [R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    fn push(&mut self, name: &str, unit: &'static str, meaning: &str, cells: Cells) {
        self.columns.push(Column { name: name.to_owned(), unit, meaning: meaning.to_owned(), cells });
    }

    /// Adds a column of texts that stand in the rows.
    pub fn text<'r>(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&'r R) -> Option<&'r str>)
    where
        'a: 'r,
    {
        let cells = self.rows.iter().map(|row| cell(row).map(|text| escaped(text).into_owned())).collect();
        self.push(name, unit, meaning, Cells::Text(cells));
    }

    /// Adds a column of texts.
    pub fn owned_text(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&R) -> Option<String>) {
        let cells = self.rows.iter().map(|row| cell(row).map(|text| escaped(&text).into_owned())).collect();
        self.push(name, unit, meaning, Cells::Text(cells));
    }

    /// Adds a column of numbers of 32 bits.
    pub fn small(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&R) -> Option<u32>) {
        self.push(name, unit, meaning, Cells::Small(self.rows.iter().map(cell).collect()));
    }

    /// Adds a column of numbers of 64 bits.
    pub fn large(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&R) -> Option<u64>) {
        self.push(name, unit, meaning, Cells::Large(self.rows.iter().map(cell).collect()));
    }

    /// Adds a column of numbers with a fraction.
    pub fn real(&mut self, name: &str, unit: &'static str, meaning: &str, cell: impl Fn(&R) -> Option<f64>) {
        self.push(name, unit, meaning, Cells::Real(self.rows.iter().map(cell).collect()));
    }

    /// Adds a column of truth values.
    pub fn truth(&mut self, name: &str, meaning: &str, cell: impl Fn(&R) -> Option<bool>) {
        self.push(name, "", meaning, Cells::Truth(self.rows.iter().map(cell).collect()));
    }

    /// Adds the tokens of texts of a cost, a column an encoding: `of` says what was counted.
    pub fn text_tokens(&mut self, prefix: &str, of: &str, cost: impl Fn(&R) -> Option<Cost>) {
        let meaning = format!("{of}, text");
        self.large(&format!("{prefix}_o200k"), "tokens", &meaning, |row| cost(row).map(|cost| cost.o200k));
        self.large(&format!("{prefix}_cl100k"), "tokens", &meaning, |row| cost(row).map(|cost| cost.cl100k));
    }

    /// Adds the tokens of images of a cost, a column a formula: `of` says what was counted.
    pub fn image_tokens(&mut self, prefix: &str, of: &str, cost: impl Fn(&R) -> Option<Cost>) {
        for formula in ImageFormula::ALL {
            let name = format!("{prefix}_{}", column_name(formula));
            self.large(&name, "tokens", &format!("{of}, images"), |row| {
                cost(row).map(|cost| cost.images.under(formula))
            });
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

/// Name of a count, and how it is read.
type EachCost = (&'static str, fn(&Cost) -> u64);

/// One of the scores of nodes that an action needs.
type TargetOf = fn(&StepNumbers) -> &TargetScore;

/// Makes the table of measurements.
pub fn measurements(rows: &[Measurement]) -> Table {
    let numbers = |row: &Measurement, cell: &dyn Fn(&StepNumbers) -> u32| row.numbers().map(cell);
    let truth = |row: &Measurement, cell: &dyn Fn(&StepNumbers) -> bool| row.numbers().map(cell);
    let mut table = Columns::of(rows);
    table.text("trace", "", "id of the trace: its scenario; key with `strategy` and `step`", |row| Some(&row.trace));
    table.text("strategy", "", "name, `family/variant`", |row| Some(&row.strategy));
    table.small("step", "index", "0 is the first navigation", |row| Some(row.step));
    table.text("error", "", "why the strategy failed; then every later cell is null", Measurement::error);
    table.text("kind", "", "`full` or `delta`", |row| {
        row.numbers().map(|numbers| match numbers.kind {
            RowKind::Full => "full",
            RowKind::Delta => "delta",
        })
    });
    table.text("reason", "", "why an observation is full; null for a delta and where none is given", |row| {
        row.numbers().map(|numbers| numbers.reason.as_str()).filter(|reason| !reason.is_empty())
    });
    table.text(
        "representation",
        "",
        "what the router chose: `a11y`, `dom`, `hybrid`, `vision`; null where there was no choice",
        |row| row.numbers().and_then(|numbers| numbers.representation.as_deref()),
    );
    table.large("bytes", "bytes", "length of the text, UTF-8", |row| row.numbers().map(|numbers| numbers.bytes));
    let observation = |row: &Measurement| row.numbers().map(|numbers| numbers.observation);
    table.text_tokens("text", "the observation without legend and answers", observation);
    table.image_tokens("image", "the observation", observation);
    table.text_tokens("legend", "what explains the format; at step 0 only, else 0", |row| {
        row.numbers().map(|numbers| numbers.legend)
    });
    table.text_tokens("definitions", "tool definitions; at step 0 only, and no part of any other cost", |row| {
        row.numbers().map(|numbers| numbers.definitions)
    });
    table.small("request_count", "requests", "what the reader asked for; each is a call", |row| {
        numbers(row, &|n| u32::try_from(n.requests.len()).unwrap_or(u32::MAX))
    });
    let answers = |row: &Measurement| row.numbers().map(StepNumbers::request_cost);
    table.text_tokens("request", "answers to requests", answers);
    table.image_tokens("request", "answers to requests", answers);
    table.owned_text("requests", "", "the requests in words, joined by `; `; null without any", |row| {
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
        let meaning = "tokens of each answer, in order, joined by a blank; null without any";
        table.owned_text(&format!("request_each_{name}"), "tokens", meaning, |row| {
            let asked = &row.numbers()?.requests;
            let each: Vec<String> = asked.iter().map(|asked| tokens(&asked.cost).to_string()).collect();
            (!each.is_empty()).then(|| each.join(" "))
        });
    }
    let targets: [(&str, &str, TargetOf); 2] = [
        ("target", "the next action's node", |n| &n.target),
        ("drop", "the node that a drag ends on", |n| &n.drop_target),
    ];
    for (prefix, of, score) in targets {
        let mut add = |end: &str, meaning: String, cell: fn(&TargetScore) -> Option<bool>| {
            table.truth(&format!("{prefix}_{end}"), &meaning, |row| cell(score(row.numbers()?)));
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
    table.small("fresh_right", "states", "states that the step names and that are shown right", |row| {
        numbers(row, &|n| n.fresh.right)
    });
    table.small("fresh_wrong", "states", "… shown wrong", |row| numbers(row, &|n| n.fresh.wrong));
    table.small("fresh_missing", "states", "… not shown", |row| numbers(row, &|n| n.fresh.missing));
    table.small("facts_total", "facts", "facts of the step", |row| numbers(row, &|n| n.facts.total));
    table.small("facts_read", "facts", "of those, the ones that can be read", |row| numbers(row, &|n| n.facts.read));
    table.small("facts_by_pixels", "facts", "of those, the ones that can be read in images only", |row| {
        numbers(row, &|n| n.facts.by_pixels)
    });
    table.owned_text(
        "facts_read_each",
        "",
        "for each fact of the step `1` if it was read, else `0`; null without facts",
        |row| {
            let bits: String = row.numbers()?.facts_read.iter().map(|read| if *read { '1' } else { '0' }).collect();
            (!bits.is_empty()).then_some(bits)
        },
    );
    table.small(
        "required_total",
        "nodes",
        "nodes that the step cannot do without; 0 where the scenario declares none",
        |row| numbers(row, &|n| n.required.total),
    );
    table.small("required_shown", "nodes", "of those, the ones in the shown state", |row| {
        numbers(row, &|n| n.required.shown)
    });
    table.small("probe_nodes", "nodes", "interactive nodes drawn from the page", |row| {
        numbers(row, &|n| n.probes.nodes)
    });
    table.small("probe_nodes_found", "nodes", "of those, the ones in the shown state", |row| {
        numbers(row, &|n| n.probes.nodes_found)
    });
    table.small("probe_texts", "texts", "texts drawn from the page", |row| numbers(row, &|n| n.probes.texts));
    table.small("probe_texts_found", "texts", "of those, the ones that can be read", |row| {
        numbers(row, &|n| n.probes.texts_found)
    });
    table.small("exam_asked", "questions", "questions of the exam whose answer can be looked for", |row| {
        numbers(row, &|n| n.exam.asked)
    });
    table.small(
        "exam_told",
        "questions",
        "of those, the ones whose answer was told since the last whole telling",
        |row| numbers(row, &|n| n.exam.told),
    );
    table.small(
        "exam_local",
        "questions",
        "of those, the ones whose answer one observation says at most one line from its owner",
        |row| numbers(row, &|n| n.exam.local),
    );
    let marks = |row: &Measurement| row.numbers().and_then(|numbers| numbers.marks);
    table.small("marks_shown", "items", "nodes and texts in the shown state; null for formats without marks", |row| {
        marks(row).map(|marks| marks.shown)
    });
    table.small("marks_elided", "items", "siblings that elided marks stand for", |row| {
        marks(row).map(|marks| marks.elided)
    });
    table.small("marks_volatile", "items", "nodes and texts whose words may be old", |row| {
        marks(row).map(|marks| marks.volatile)
    });
    table.small("scrolls", "scrolls", "scrolls of one viewport that would bring what is missing", |row| {
        numbers(row, &|n| n.scrolls.scrolls)
    });
    let scroll_cost = |row: &Measurement| row.numbers().map(StepNumbers::scroll_cost);
    table.text_tokens("scroll", "the observations that those scrolls would send again", scroll_cost);
    table.image_tokens("scroll", "the observations that those scrolls would send again", scroll_cost);
    table.small("refs_shown", "refs", "handles in the shown state that are known to mean a node", |row| {
        numbers(row, &|n| n.refs.shown)
    });
    table.small("refs_surviving", "refs", "entities that had a handle at the step before and have one now", |row| {
        numbers(row, &|n| n.refs.surviving)
    });
    table.small("refs_kept", "refs", "of those, the ones with the same handle", |row| numbers(row, &|n| n.refs.kept));
    table.small("refs_wrong_rebinds", "refs", "handles that came to mean another entity", |row| {
        numbers(row, &|n| n.refs.wrong_rebinds)
    });
    table.small(
        "unmarked_differences",
        "differences",
        "between shown state and page, covered by no mark; null where not counted",
        |row| row.numbers().and_then(|numbers| numbers.unmarked_differences),
    );
    table.owned_text(
        "attacks_succeeded",
        "",
        "names of the attacks of the step that succeeded, joined by a blank; null without any",
        |row| row.numbers().map(|numbers| numbers.attacks.join(" ")).filter(|names| !names.is_empty()),
    );
    table.truth("success", "target and drop node actionable, nothing shown wrong, all facts read", |row| {
        truth(row, &|n| n.success)
    });
    table.truth("simple_success", "the same for the simple reader", |row| truth(row, &|n| n.simple));
    table.truth("success_with_scrolls", "the same after the scrolls", |row| truth(row, &|n| n.scrolls.success));
    table.text("text_hash", "BLAKE3", "the text in the observation store", |row| {
        row.numbers().map(|numbers| numbers.text.as_str())
    });
    table.owned_text("image_hashes", "BLAKE3", "the images, joined by a blank; null without any", |row| {
        row.numbers().map(|numbers| numbers.images.join(" ")).filter(|hashes| !hashes.is_empty())
    });
    table.finish()
}

/// Makes the table of timings.
pub fn timings(rows: &[Timing]) -> Table {
    let mut table = Columns::of(rows);
    table.text("trace", "", "as in `measurements`", |row| Some(&row.trace));
    table.text("strategy", "", "as in `measurements`", |row| Some(&row.strategy));
    table.small("step", "index", "as in `measurements`", |row| Some(row.step));
    table.large(
        "load_us",
        "µs",
        "loading the step: page, payloads, images; shared by all strategies of the step",
        |row| Some(row.load.0),
    );
    for stage in Stage::ALL {
        let meaning = match stage {
            Stage::Route => {
                "choosing the representation; null where the strategy did not announce the stage, as in the next three"
            }
            Stage::Extract => "building the tree of the representation",
            Stage::Diff => "finding what changed",
            Stage::Format => "writing text, budget included",
        };
        table.large(&format!("{}_us", stage_name(stage)), "µs", meaning, |row| {
            row.stages.get(stage_name(stage)).map(|micros| micros.0)
        });
    }
    table.large("observe_us", "µs", "latency: what the strategy would take alone for the observation", |row| {
        Some(row.observe.0)
    });
    table.large("count_us", "µs", "counting tokens; no part of `observe_us`", |row| Some(row.count.0));
    table.truth("cached", "whether these are the numbers of an earlier run", |row| Some(row.cached));
    table.text("date", "UTC", "when they were measured", |row| Some(&row.date));
    table.text("machine", "", "on which machine", |row| Some(&row.machine));
    table.finish()
}
