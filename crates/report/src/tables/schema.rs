//! Every column of every table that a report writes: type, unit, meaning. `reports/SCHEMA.md` is
//! made of it.
//!
//! In: nothing. Out: [`documents`] and the Markdown of them. Invariant: a test holds these lists to
//! the tables that are really written, name by name, type by type and in their order, and the file
//! to these lists.

use std::fmt::Write;

/// One column.
pub(super) struct ColumnDocument {
    pub name: String,
    /// `string`, `u32`, `u64`, `f64` or `bool`.
    pub kind: &'static str,
    pub unit: &'static str,
    pub meaning: String,
}

/// One table.
pub(super) struct TableDocument {
    pub name: &'static str,
    /// The files that hold it.
    pub files: &'static str,
    /// What a row is.
    pub row: &'static str,
    pub columns: Vec<ColumnDocument>,
}

/// Encodings and formulas, as names of columns end.
const TEXTS: [&str; 2] = ["o200k", "cl100k"];
const IMAGES: [&str; 4] = ["claude28", "openai_patch32", "openai_tile4o", "gemini_flat"];

#[derive(Default)]
struct Columns(Vec<ColumnDocument>);

impl Columns {
    fn one(mut self, name: &str, kind: &'static str, unit: &'static str, meaning: &str) -> Self {
        self.0.push(ColumnDocument { name: name.to_owned(), kind, unit, meaning: meaning.to_owned() });
        self
    }

    fn all(self, columns: &[(&str, &'static str, &'static str, &str)]) -> Self {
        columns.iter().fold(self, |table, (name, kind, unit, meaning)| table.one(name, kind, unit, meaning))
    }

    fn text_tokens(self, prefix: &str, of: &str) -> Self {
        TEXTS.iter().fold(self, |table, end| {
            table.one(&format!("{prefix}_{end}"), "u64", "tokens", &format!("{of}, text by {end}_base"))
        })
    }

    fn image_tokens(self, prefix: &str, of: &str) -> Self {
        IMAGES.iter().fold(self, |table, end| {
            table.one(&format!("{prefix}_{end}"), "u64", "tokens", &format!("{of}, images by the formula {end}"))
        })
    }

    fn tokens(self, prefix: &str, of: &str) -> Self {
        self.text_tokens(prefix, of).image_tokens(prefix, of)
    }
}

fn measurements() -> Columns {
    let mut table = Columns::default()
        .all(&[
            ("trace", "string", "", "id of the trace: its scenario; key with `strategy` and `step`"),
            ("strategy", "string", "", "name, `family/variant`"),
            ("step", "u32", "index", "0 is the first navigation"),
            ("error", "string", "", "why the strategy failed; then every later cell is null"),
            ("kind", "string", "", "`full` or `delta`"),
            ("reason", "string", "", "why an observation is full; null for a delta and where none is given"),
            (
                "representation",
                "string",
                "",
                "what the router chose: `a11y`, `dom`, `hybrid`, `vision`; null where there was no choice",
            ),
            ("bytes", "u64", "bytes", "length of the text, UTF-8"),
        ])
        .text_tokens("text", "the observation without legend and answers")
        .image_tokens("image", "the observation")
        .text_tokens("legend", "what explains the format; at step 0 only, else 0")
        .text_tokens("definitions", "tool definitions; at step 0 only, and no part of any other cost")
        .one("request_count", "u32", "requests", "what the reader asked for; each is a call")
        .tokens("request", "answers to requests")
        .one("requests", "string", "", "the requests in words, joined by `; `; null without any");
    for end in TEXTS.into_iter().chain(IMAGES) {
        let meaning = format!("tokens of each answer by {end}, in order, joined by a blank; null without any");
        table = table.one(&format!("request_each_{end}"), "string", "tokens", &meaning);
    }
    for (prefix, of) in [("target", "the next action's node"), ("drop", "the node that a drag ends on")] {
        table = table
            .one(
                &format!("{prefix}_needed"),
                "bool",
                "",
                &format!("whether {of} has to be found; where not, the next three are true"),
            )
            .one(&format!("{prefix}_recall"), "bool", "", &format!("{of} is in the shown state"))
            .one(
                &format!("{prefix}_addressable"),
                "bool",
                "",
                &format!("{of} can be acted on through the strategy's channel"),
            )
            .one(&format!("{prefix}_discriminable"), "bool", "", &format!("role, name and path single out {of}"))
            .one(
                &format!("{prefix}_resolved"),
                "bool",
                "",
                &format!("the handle that the reader chose means {of}; null where that is not known"),
            );
    }
    table
        .all(&[
            ("fresh_right", "u32", "states", "states that the step names and that are shown right"),
            ("fresh_wrong", "u32", "states", "… shown wrong"),
            ("fresh_missing", "u32", "states", "… not shown"),
            ("facts_total", "u32", "facts", "facts of the step"),
            ("facts_read", "u32", "facts", "of those, the ones that can be read"),
            ("facts_by_pixels", "u32", "facts", "of those, the ones that can be read in images only"),
            (
                "facts_read_each",
                "string",
                "",
                "for each fact of the step `1` if it was read, else `0`; null without facts",
            ),
            (
                "required_total",
                "u32",
                "nodes",
                "nodes that the step cannot do without; 0 where the scenario declares none",
            ),
            ("required_shown", "u32", "nodes", "of those, the ones in the shown state"),
            ("probe_nodes", "u32", "nodes", "interactive nodes drawn from the page"),
            ("probe_nodes_found", "u32", "nodes", "of those, the ones in the shown state"),
            ("probe_texts", "u32", "texts", "texts drawn from the page"),
            ("probe_texts_found", "u32", "texts", "of those, the ones that can be read"),
            ("exam_asked", "u32", "questions", "questions of the exam whose answer can be looked for"),
            ("exam_told", "u32", "questions", "of those, the ones whose answer was told since the last whole telling"),
            (
                "exam_local",
                "u32",
                "questions",
                "of those, the ones whose answer one observation says at most one line from its owner",
            ),
            ("marks_shown", "u32", "items", "nodes and texts in the shown state; null for formats without marks"),
            ("marks_elided", "u32", "items", "siblings that elided marks stand for"),
            ("marks_volatile", "u32", "items", "nodes and texts whose words may be old"),
            ("scrolls", "u32", "scrolls", "scrolls of one viewport that would bring what is missing"),
        ])
        .tokens("scroll", "the observations that those scrolls would send again")
        .all(&[
            ("refs_shown", "u32", "refs", "handles in the shown state that are known to mean a node"),
            ("refs_surviving", "u32", "refs", "entities that had a handle at the step before and have one now"),
            ("refs_kept", "u32", "refs", "of those, the ones with the same handle"),
            ("refs_wrong_rebinds", "u32", "refs", "handles that came to mean another entity"),
            (
                "unmarked_differences",
                "u32",
                "differences",
                "between shown state and page, covered by no mark; null where not counted",
            ),
            (
                "attacks_succeeded",
                "string",
                "",
                "names of the attacks of the step that succeeded, joined by a blank; null without any",
            ),
            ("success", "bool", "", "target and drop node actionable, nothing shown wrong, all facts read"),
            ("simple_success", "bool", "", "the same for the simple reader"),
            ("success_with_scrolls", "bool", "", "the same after the scrolls"),
            ("text_hash", "string", "BLAKE3", "the text in the observation store"),
            ("image_hashes", "string", "BLAKE3", "the images, joined by a blank; null without any"),
        ])
}

fn tasks() -> Columns {
    let mut table = Columns::default().all(&[
        ("trace", "string", "", "id of the trace; key with `strategy`"),
        ("strategy", "string", "", "name"),
        ("steps", "u32", "steps", "steps of the trace"),
        ("failed_steps", "u32", "steps", "steps on which the strategy failed"),
        ("finished", "bool", "", "no step failed: only then do rankings count the task"),
        ("success", "bool", "", "every step succeeded and the recording is complete"),
        ("successful_steps", "u32", "steps", "steps that succeeded"),
        ("simple_steps", "u32", "steps", "steps that succeeded for the simple reader"),
        ("deltas", "u32", "steps", "steps with a delta"),
        ("success_with_scrolls", "bool", "", "every step succeeds, with scrolls where they help"),
        ("successful_steps_with_scrolls", "u32", "steps", "steps that succeed, likewise"),
        ("calls", "u32", "requests", "requests of the reader"),
    ]);
    for (prefix, of) in [
        ("all", "everything shown: observations, legend, answers"),
        ("legend", "of that, the legend"),
        ("request", "of that, the answers"),
        ("definitions", "tool definitions; no part of `all_*`"),
        ("scroll", "observations sent again by scrolls; no part of `all_*`"),
        ("keep_all", "sum over calls of the context when everything shown is kept"),
        ("keep_all_prefix", "of that, what the call before read at the same place"),
        (
            "keep_last_full",
            "sum over calls of the context when only the legend, the last full observation and what followed it are \
                kept",
        ),
        ("keep_last_full_prefix", "of that, what the call before read at the same place"),
    ] {
        table = table.tokens(prefix, of);
    }
    table =
        table.one("cache_discount_per_mille", "u32", "1/1000", "what a prompt cache is assumed to take off a prefix");
    for (prefix, of) in [("keep_all_cached", "`keep_all_*`"), ("keep_last_full_cached", "`keep_last_full_*`")] {
        table = table.tokens(prefix, &format!("{of} less the discounted part of its prefix"));
    }
    table.all(&[
        ("facts_total", "u32", "facts", "facts of all steps"),
        ("facts_read", "u32", "facts", "of those, the ones that were read"),
        ("facts_by_pixels", "u32", "facts", "of those, the ones read in images only"),
        ("required_sets", "u32", "steps", "steps that have a required set"),
        ("required_covered", "u32", "steps", "of those, the ones that show it whole"),
        ("probe_nodes", "u32", "nodes", "summed over steps, as in `measurements`; so are the next columns"),
        ("probe_nodes_found", "u32", "nodes", "summed"),
        ("probe_texts", "u32", "texts", "summed"),
        ("probe_texts_found", "u32", "texts", "summed"),
        ("marks_shown", "u32", "items", "summed; null where no step has marks"),
        ("marks_elided", "u32", "items", "summed"),
        ("marks_volatile", "u32", "items", "summed"),
        ("scrolls", "u32", "scrolls", "summed"),
        ("refs_shown", "u32", "refs", "summed"),
        ("refs_surviving", "u32", "refs", "summed"),
        ("refs_kept", "u32", "refs", "summed"),
        ("refs_wrong_rebinds", "u32", "refs", "summed"),
        ("unmarked_differences", "u32", "differences", "summed; null where no step counted them"),
    ])
}

fn timings() -> Columns {
    Columns::default().all(&[
        ("trace", "string", "", "as in `measurements`"),
        ("strategy", "string", "", "as in `measurements`"),
        ("step", "u32", "index", "as in `measurements`"),
        ("load_us", "u64", "µs", "loading the step: page, payloads, images; shared by all strategies of the step"),
        (
            "route_us",
            "u64",
            "µs",
            "choosing the representation; null where the strategy did not announce the stage, as in the next three",
        ),
        ("extract_us", "u64", "µs", "building the tree of the representation"),
        ("diff_us", "u64", "µs", "finding what changed"),
        ("format_us", "u64", "µs", "writing text, budget included"),
        ("observe_us", "u64", "µs", "latency: what the strategy would take alone for the observation"),
        ("count_us", "u64", "µs", "counting tokens; no part of `observe_us`"),
        ("cached", "bool", "", "whether these are the numbers of an earlier run"),
        ("date", "string", "UTC", "when they were measured"),
        ("machine", "string", "", "on which machine"),
    ])
}

fn strategies() -> Columns {
    Columns::default().all(&[
        ("strategy", "string", "", "name; key"),
        ("version", "string", "", "version of what it writes"),
        ("why", "string", "", "why it is in the bench"),
        (
            "channel",
            "string",
            "",
            "how an agent acts on what it shows: `ref`, `selector`, `role+name`, `point`, `none`",
        ),
        ("format", "string", "", "how its texts are parsed"),
        ("options", "string", "JSON", "its options; of a command what its cache key holds"),
        ("tier", "string", "", "the class of models that its option `tier` names; null without"),
        ("sweep", "string", "", "the family that it is a member of; null where nothing was swept"),
        ("sweep_values", "string", "", "the swept numbers, such as `budget=500`; several are joined by `:`"),
        ("sweep_value", "f64", "the parameter's", "the swept number, where there is one"),
    ])
}

fn traces() -> Columns {
    Columns::default().all(&[
        ("trace", "string", "", "id; key"),
        ("goal", "string", "", "the goal of the scenario"),
        ("browser", "string", "", "the browser that was recorded"),
        ("hash", "string", "BLAKE3", "the trace file"),
        ("steps", "u32", "steps", "its steps, the first navigation included"),
        ("complete", "bool", "", "the recording reached its end; else no task succeeds"),
    ])
}

fn recorded() -> Columns {
    Columns::default().all(&[
        ("trace", "string", "", "id of the trace"),
        ("output", "string", "", "name of the recorded output; the tool alone where its pass gave none"),
        ("kept", "u32", "steps", "steps with a text that counts"),
        ("dropped", "u32", "steps", "steps whose text was dropped, because the tool's page was another"),
        ("dropped_steps", "string", "index", "those steps, joined by a blank; null without any"),
        ("failure", "string", "", "why the pass ended early; null where it did not"),
    ])
}

fn attacks() -> Columns {
    Columns::default().all(&[
        ("trace", "string", "", "id of the trace"),
        ("attack", "string", "", "name of the attack in its scenario"),
        ("kind", "string", "", "its kind in short"),
        ("kind_name", "string", "", "its kind"),
        ("step", "u32", "index", "a step whose page holds it"),
    ])
}

fn answers() -> Columns {
    Columns::default().all(&[
        ("trace", "string", "", "id of the trace"),
        ("answers", "string", "", "kind of answer about console and requests"),
        ("console", "u64", "tokens", "its console answers, over all steps, by the encoding of the run"),
        ("network", "u64", "tokens", "its network answers, likewise"),
        ("told", "u32", "facts", "facts that they tell"),
        ("facts", "u32", "facts", "facts that there are"),
    ])
}

fn questions() -> Columns {
    let mut table = Columns::default().all(&[
        ("trace", "string", "", "id of the trace"),
        ("question", "string", "", "id of the question"),
        ("step", "u32", "index", "the step whose page is asked"),
        ("words", "string", "", "whose words it uses: `page` or `other`"),
        ("answerable", "bool", "", "whether the page answers it"),
        ("held_out", "bool", "", "whether it is counted apart, as one that nothing may be tuned by"),
        ("page_o200k", "u64", "tokens", "the page's whole text, by the encoding of the run"),
        ("way", "string", "", "way of reading"),
        ("found", "bool", "", "whether the way finds anything, right or wrong"),
    ]);
    for depth in 1..=browserlens_replay::ASKED_DEPTH {
        table =
            table.one(&format!("told_{depth}"), "bool", "", &format!("the answer is there with {depth} sections")).one(
                &format!("tokens_{depth}"),
                "u64",
                "tokens",
                &format!("what an agent gets for {depth} sections, by the encoding of the run"),
            );
    }
    table
}

fn knowledge() -> Columns {
    let mut table = Columns::default().one("trace", "string", "", "id of the trace").one(
        "recordings",
        "u32",
        "recordings",
        "recordings of the scenario, variants included",
    );
    for (prefix, of) in [("steps", "every second step held back"), ("whole", "whole recordings held back")] {
        for (name, meaning) in [
            ("pages", "pages held back"),
            ("asked", "of those, the ones whose screen is known from elsewhere"),
            ("right", "of those, the ones for which that screen was recognised"),
            ("wrong", "of all, the ones that were taken for another screen"),
        ] {
            table = table.one(&format!("{prefix}_{name}"), "u32", "pages", &format!("{of}: {meaning}"));
        }
    }
    table.all(&[
        ("actions", "u32", "actions", "actions of the recording"),
        ("actions_seed", "u32", "actions", "of those, the ones that can be said in the tools that were proposed"),
        ("actions_browser_use", "u32", "actions", "of those, the ones that can be said in the tools of browser-use"),
        ("holes", "u32", "holes", "gaps that were made by taking actions out"),
        ("removed", "u32", "actions", "actions taken out"),
        ("known", "u32", "actions", "of those, the ones that other recordings know"),
        ("recovered", "u32", "actions", "of those, the ones that were filled in again"),
        ("made_up", "u32", "actions", "actions filled in that were never there"),
    ])
}

fn screens() -> Columns {
    Columns::default().all(&[
        ("website", "string", "", "id of the website"),
        ("screen", "string", "", "id of the screen"),
        ("name", "string", "", "its name"),
        ("parent", "string", "", "the screen above it; null without"),
        ("pages", "u32", "pages", "pages it was made of"),
        ("inferred", "bool", "", "whether it was inferred, not seen"),
    ])
}

fn ways() -> Columns {
    Columns::default().all(&[
        ("website", "string", "", "id of the website"),
        ("way", "string", "", "id of the way"),
        ("from", "string", "", "screen that it begins at"),
        ("to", "string", "", "screen that it leads to"),
        ("count", "u32", "times", "how often it was observed"),
        ("confidence", "f64", "0 to 1", "how sure it is"),
        ("inferred", "bool", "", "whether it was inferred, not seen"),
    ])
}

fn llm() -> Columns {
    Columns::default().all(&[
        ("model", "string", "", "the model"),
        ("tier", "string", "", "the class of models that it stands for, as `lab llm --tier` said; null without"),
        ("prompt", "string", "", "version of the prompt"),
        ("trace", "string", "", "id of the trace"),
        ("strategy", "string", "", "name of the strategy"),
        ("step", "u32", "index", "the step"),
        ("outcome", "string", "", "`answered`, `no_answer`, `refused`, `failed`, `not_observed`"),
        ("element_right", "bool", "", "the node that it named is acceptable"),
        ("by_words", "bool", "", "that was judged by words, because the map of handles is not known"),
        ("operation_shared", "u32", "words", "words of its operation that are expected (for F1)"),
        ("operation_predicted", "u32", "words", "words of its operation"),
        ("operation_expected", "u32", "words", "words that are expected"),
    ])
}

fn runs() -> Columns {
    let table = Columns::default().all(&[
        ("run", "string", "", "name of the record's file"),
        ("task", "string", "", "the task"),
        ("tool", "string", "", "the tool that the agent reached pages through"),
        ("model", "string", "", "the model; null of a script, and where it is not known"),
        ("script", "string", "", "the script in a model's place; null without"),
        ("level", "u32", "1 to 4", "how hard the task is; null where it is not said"),
        ("reward", "f64", "", "what page, site or judge gave; 1 is all; null where nobody judged"),
        ("cut", "string", "", "where a record ends early; null of a whole one"),
        ("calls", "u32", "calls", "calls of the tool"),
        ("turns", "u32", "turns", "turns of the model that made calls"),
        ("answered", "u64", "tokens", "the tool's answers, images included"),
        ("image_tokens", "u64", "tokens", "of that, images"),
        ("read", "u64", "tokens", "the context summed over the turns"),
        ("new", "u64", "tokens", "of that, read for the first time"),
        ("own", "u64", "tokens", "the model's own words and calls"),
        ("own_assumed", "bool", "", "the words were not kept, and a number a call stands for them"),
        ("bare", "bool", "", "instructions and list of functions are not in the record, and in no column"),
        ("failed", "bool", "", "the run ended because the tool or the endpoint failed"),
        ("tool_ms", "u64", "ms", "what the tool took; null where a call does not say"),
        ("ms", "u64", "ms", "what the whole run took; null where it is not known"),
        ("not_found", "u32", "calls", "refused: the element is not there"),
        ("not_actionable", "u32", "calls", "refused: covered, hidden or disabled"),
        ("timeout", "u32", "calls", "refused: it took too long"),
        ("bad_call", "u32", "calls", "refused: the call itself is wrong"),
        ("other", "u32", "calls", "refused for another reason"),
        ("repeated", "u32", "calls", "looks whose answer was that of the look before"),
        ("no_effect", "u32", "calls", "actions that changed nothing"),
    ]);
    table.all(&[
        ("images_without_size", "u32", "images", "images whose size is not known: they count as nothing"),
        ("trace", "string", "", "file name of the trace of the run's pages; null without"),
    ])
}

fn calls() -> Columns {
    Columns::default().all(&[
        ("run", "string", "", "as in `runs`"),
        ("call", "u32", "", "number of the call, from 1"),
        ("turn", "u32", "", "the model's turn in which it was made, from 1"),
        ("name", "string", "", "the tool's function"),
        ("answered", "u64", "tokens", "its answer, images included"),
        ("image_tokens", "u64", "tokens", "of that, images"),
        ("own", "u64", "tokens", "the model's words before it, name and arguments"),
        ("read", "u64", "tokens", "the context of the turn, on its first call; 0 on the others"),
        ("turns_behind", "u32", "turns", "turns that read the call and its answer again"),
        ("ms", "u64", "ms", "what the tool took; null where it is not said"),
        ("waste", "string", "", "why the call brought nothing; null if it brought something"),
        ("step", "u32", "index", "the step of the run's trace that the answer tells of; null of none"),
    ])
}

/// Returns every table, in the order of the document.
pub(super) fn documents() -> Vec<TableDocument> {
    let table = |name, files, row, columns: Columns| TableDocument { name, files, row, columns: columns.0 };
    let step = "one trace × strategy × step";
    vec![
        table("measurements", "`measurements.parquet`, `measurements.csv`", step, measurements()),
        table("timings", "`timings.parquet`, `timings.csv`", step, timings()),
        table("tasks", "`tasks.csv`", "one trace × strategy", tasks()),
        table("strategies", "`strategies.parquet`", "one strategy", strategies()),
        table("traces", "`traces.parquet`", "one trace", traces()),
        table(
            "recorded",
            "`recorded.parquet`, where there are any",
            "one trace × recorded output of another tool",
            recorded(),
        ),
        table(
            "attacks",
            "`attacks.parquet`, where there are any",
            "one trace × attack × step whose page holds it",
            attacks(),
        ),
        table(
            "answers",
            "`answers.parquet`, where there are any",
            "one trace × kind of answer about console and requests",
            answers(),
        ),
        table(
            "questions",
            "`questions.parquet`, where there are any",
            "one trace × question × way of reading",
            questions(),
        ),
        table("knowledge", "`knowledge.parquet`, where other recordings are there", "one trace", knowledge()),
        table("screens", "`screens.parquet`, where the traces are there", "one screen of the site maps", screens()),
        table("ways", "`ways.parquet`, where the traces are there", "one way between screens", ways()),
        table("llm", "`llm.parquet`, where a model read the run", "one asked step of a model", llm()),
        table("runs", "`runs.parquet`, where there are records", "one record of what an agent did", runs()),
        table("calls", "`calls.parquet`, where there are records", "one call of a run", calls()),
    ]
}

/// Writes `reports/SCHEMA.md`.
pub(super) fn markdown() -> String {
    let mut out = String::from(include_str!("schema_head.md"));
    for table in documents() {
        let _ = write!(
            out,
            "\n## `{}`\n\n{}. One row: {}.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n",
            table.name, table.files, table.row
        );
        for column in table.columns {
            let _ = writeln!(out, "| `{}` | {} | {} | {} |", column.name, column.kind, column.unit, column.meaning);
        }
    }
    out.push('\n');
    out.push_str(include_str!("schema_examples.md"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::PerMille;
    use polars::prelude::{DataFrame, DataType};
    use std::path::Path;

    fn columns_of(frame: &DataFrame) -> Vec<(String, &'static str)> {
        let kind = |kind: &DataType| match kind {
            DataType::String => "string",
            DataType::UInt32 => "u32",
            DataType::UInt64 => "u64",
            DataType::Float64 => "f64",
            DataType::Boolean => "bool",
            other => panic!("{other:?} has no name here"),
        };
        frame.columns().iter().map(|column| (column.name().to_string(), kind(column.dtype()))).collect()
    }

    #[test]
    fn every_column_that_is_written_is_documented_and_no_other() {
        let run = made_up::run();
        let mut written: Vec<(&str, DataFrame)> = vec![
            ("measurements", crate::tables::measurements(&run.measurements).unwrap()),
            ("timings", crate::tables::timings(&run.timings).unwrap()),
            ("tasks", crate::tables::tasks(&run.tasks, PerMille::DEFAULT_CACHE_DISCOUNT).unwrap()),
        ];
        written.extend(crate::tables::beside::every(&run.input()));
        let mut documents = documents();
        for (name, frame) in written {
            let at = documents.iter().position(|table| table.name == name).unwrap_or_else(|| panic!("{name}"));
            let table = documents.remove(at);
            let documented: Vec<(String, &str)> =
                table.columns.into_iter().map(|column| (column.name, column.kind)).collect();
            assert_eq!(documented, columns_of(&frame), "{name}");
        }
        let left: Vec<&str> = documents.iter().map(|table| table.name).collect();
        assert!(left.is_empty(), "documented and not written: {left:?}");
    }

    #[test]
    fn the_document_is_made_of_these_lists() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/SCHEMA.md");
        let text = markdown();
        if std::env::var_os("BROWSERLENS_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let stands = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stands == text, "{}: write it with BROWSERLENS_WRITE=1", path.display());
        assert!(text.lines().all(|line| !line.contains("| |  |")), "no cell of a table is forgotten");
    }
}
