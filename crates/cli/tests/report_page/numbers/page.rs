//! `index.html` as tables, sentences and data, and whether each is what the Parquet files make of
//! it.
//!
//! The page is parsed by Chromium as a document that runs nothing; what its script draws is drawn
//! from the data that is compared here. Not numbers of the report, and not looked at: boxes of
//! nodes and refs, and the words of pages, scenarios and strategies.

mod viewer;

use super::agents;
use super::formula::*;
use super::markdown;
use super::models;
use super::prose::Prose;
use super::routers::routers;
use super::run::{FIXED, Part, Run, Scored, step_tokens};
use super::tables::{self, Cells, cell};
use browserlens_core::tokens::Encoding;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use viewer::{check_maps, check_viewer};

#[derive(Deserialize)]
pub struct Page {
    tables: Vec<PageTable>,
    sentences: Vec<Sentence>,
    figures: Vec<(String, String)>,
    maps: Vec<Map>,
    scenarios: Vec<Block>,
    /// Pictures that steps refer to, and those of them that are not there.
    pictures: (u64, u64),
    lead: String,
    data: Value,
}

/// A cell and what stands small below it.
type Cell = (String, String);

#[derive(Deserialize)]
struct PageTable {
    section: String,
    title: String,
    headers: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Deserialize)]
struct Sentence {
    section: String,
    kind: String,
    name: String,
    text: String,
}

/// A site map.
#[derive(Deserialize)]
struct Map {
    summary: String,
    name: String,
    lines: Vec<String>,
    screens: Vec<Vec<String>>,
    numbers: Vec<String>,
}

/// What the step viewer unpacks of a scenario.
#[derive(Deserialize)]
struct Block {
    steps: Vec<Step>,
    texts: Vec<Text>,
    all: u64,
    cut: u64,
}

#[derive(Deserialize)]
struct Step {
    step: u64,
    rows: Vec<Value>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
    heat: Vec<u32>,
    unseen: u64,
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl PageTable {
    /// The table without what stands small in it.
    fn cells(&self) -> Cells {
        let plain = |row: &Vec<Cell>| row.iter().map(|(text, _)| text.clone()).collect();
        Cells { headers: plain(&self.headers), rows: self.rows.iter().map(plain).collect() }
    }
}

fn squeezed(table: &Cells) -> Cells {
    let row = |row: &Vec<String>| row.iter().map(|text| words(text)).collect();
    Cells { headers: row(&table.headers), rows: table.rows.iter().map(row).collect() }
}

/// Checks everything; returns how many numbers and cells were compared.
pub fn check(page: &Page, run: &Run<'_>) -> usize {
    let all = page.scenarios.iter().map(|block| block.all).sum();
    let cut = page.scenarios.iter().map(|block| block.cut).sum();
    let prose = Prose::of(run, Some((all, cut)), Some(page.pictures));
    let mut compared = page.tables.iter().map(|table| check_table(table, run)).sum::<usize>();
    prose.check(&page.lead);
    for sentence in &page.sentences {
        match (sentence.section.as_str(), sentence.kind.as_str()) {
            // What the run says of itself: versions, revision, machine, folders.
            ("run", "dd") => assert!(
                ["Tool", "Git revision", "Command", "Date", "Machine", "Tokenizer", "Observations"]
                    .contains(&sentence.name.as_str()),
                "{}: {}",
                sentence.name,
                sentence.text
            ),
            ("site-maps", "summary") => {}
            ("notes", "li") if prose.is_error(&sentence.text) => {}
            _ => prose.check(&sentence.text),
        }
        compared += 1;
    }
    compared += check_figures(page, run) + check_maps(page, run) + check_data(&page.data, run);
    compared + check_viewer(page, run)
}

fn check_table(table: &PageTable, run: &Run<'_>) -> usize {
    let found = table.cells();
    let size = found.rows.iter().map(Vec::len).sum::<usize>();
    let title = table.title.as_str();
    let one = |made: Option<Cells>| Some(made.unwrap_or_else(|| panic!("{title:?} is there without its data")));
    let expected = match (table.section.as_str(), title) {
        ("summary", "Strategies") => return check_headline(table, run) + size,
        ("run", "Strategies") => {
            // Names, versions and reasons, as the strategies say them.
            assert!(found.rows.iter().all(|row| run.strategies.iter().any(|one| one.name == row[0])), "{title}");
            return 0;
        }
        ("run", "Traces") => one(Some(traces(run))),
        ("fidelity", "Fidelity per tool") => one(fidelity("## Per tool")),
        ("fidelity", _) => one(fidelity("## Per scenario")),
        ("snapshot", _) => one(Some(snapshots(run))),
        ("scenarios", _) => one(Some(scenarios(run))),
        ("attacks", title) if title.starts_with("Survived") => one(tables::attacks(run).map(|(by_kind, _)| by_kind)),
        ("attacks", _) => one(tables::attacks(run).map(|(_, one_by_one)| one_by_one)),
        ("tiers", "What each tier gets") => one(Some(tables::tiers(run).0)),
        ("tiers", _) => one(Some(tables::tiers(run).1)),
        ("sweeps", _) => one(tables::sweeps(run)),
        ("routers", _) => one(tables::router_table(run)),
        ("inspect", _) => one(tables::answers(run)),
        ("llm", _) => one(models::table(run)),
        ("reading", "Questions about recorded pages") => one(tables::reading(run)),
        ("reading", "What is asked, and what was measured") => one(tables::bars(run)),
        ("reading", title) => tables::seeds().1.into_iter().find(|(known, _)| known == title).map(|(_, table)| table),
        ("agents", "Runs by tool") => one(agents::table(run)),
        ("agents", "Tools beside their strategies") => one(agents::tools(run)),
        ("agents", "Rank correlation with rewards") => one(agents::correlations(run)),
        ("knowledge", _) => one(tables::knowledge(run)),
        ("summary", title) if title.starts_with("Averages") => one(Some(tables::averages(run))),
        ("summary", title) if title.starts_with("Against") => one(tables::differences(run)),
        ("summary", "What else a task costs") => one(Some(tables::costs(run))),
        ("summary", "What else is shown") => one(Some(tables::shown(run))),
        _ => None,
    };
    let expected = expected.unwrap_or_else(|| panic!("nobody can make {title:?} of {:?} again", table.section));
    assert!(
        table.headers.iter().chain(table.rows.iter().flatten()).all(|(_, below)| below.is_empty()),
        "{title}: something stands small in it"
    );
    markdown::compare(title, &found, &squeezed(&expected), false);
    size
}

fn check_headline(table: &PageTable, run: &Run<'_>) -> usize {
    let ranked = run.common.len();
    let n = |metric: usize| format!("n = {} scenarios", run.most(|row| row.averages[metric]));
    let steps = format!("n = {} steps", run.steps);
    let headers = [
        ("strategy", String::new()),
        ("tokens per task", format!("n = {ranked} tasks")),
        ("ratio to the baseline", format!("n = {ranked} tasks")),
        ("tasks succeeded", format!("n = {} scenarios", run.traces.len())),
        ("steps succeeded", steps.clone()),
        ("target recall %", n(1)),
        ("fact recall %", n(3)),
        ("probe recall %", n(4)),
        ("median ms per step", steps),
    ];
    let headers: Vec<Cell> = headers.into_iter().map(|(name, below)| (name.to_owned(), below)).collect();
    assert_eq!(table.headers, headers, "headers of the first table");
    let or_nothing = |text: String| if text == NONE { String::new() } else { text };
    for (found, row) in table.rows.iter().zip(&run.strategies) {
        let metric = |at: usize| {
            let value = row.averages[at].map_or(NONE.to_owned(), |found| percent_of(found.value));
            (value, or_nothing(range(row.averages[at].and_then(|found| found.interval))))
        };
        let interval_of_tasks = or_nothing(range(row.averages[0].and_then(|found| found.interval)));
        let tasks_below = if interval_of_tasks.is_empty() { String::new() } else { format!("{interval_of_tasks} %") };
        let ratio_n =
            row.ratio.filter(|found| found.n != ranked).map_or(String::new(), |found| format!(" n = {}", found.n));
        let latency = if row.is_recorded() || row.observe.len() < 2 {
            String::new()
        } else {
            let at = |percent| milliseconds(percentile(&row.observe, percent).map(|micros| micros as f64));
            format!("{}–{}", at(5), at(95))
        };
        let expected = vec![
            (rounded_or_none(row.tokens_per_task), String::new()),
            (ratio_or_none(row.ratio), words(&format!("{}{ratio_n}", or_nothing(ratio_range(row.ratio))))),
            (fraction(row.tasks.part, row.tasks.whole), tasks_below),
            (fraction(row.steps.part, row.steps.whole), String::new()),
            metric(1),
            metric(3),
            metric(4),
            (milliseconds(row.median()), latency),
        ];
        assert_eq!(found[0].0, row.name);
        let note = if !row.ranked {
            "not ranked"
        } else if run.baseline == Some(row.name) {
            "baseline"
        } else {
            ""
        };
        assert_eq!(found[0].1, note, "{}", row.name);
        assert_eq!(found[1..], expected, "{}", row.name);
    }
    assert_eq!(table.rows.len(), run.strategies.len());
    table.rows.len() * 8
}

/// The key figures above the table.
fn check_figures(page: &Page, run: &Run<'_>) -> usize {
    let Some(first) = run.strategies.first().filter(|first| first.ranked) else {
        assert!(page.figures.is_empty());
        return 0;
    };
    let values: Vec<&str> = page.figures.iter().map(|(value, _)| value.as_str()).collect();
    let expected = [
        fraction(first.tasks.part, first.tasks.whole),
        rounded_or_none(first.tokens_per_task),
        ratio_or_none(first.ratio),
        format!("{} ms", milliseconds(first.median())),
    ];
    assert_eq!(values, expected);
    let prose = Prose::of(run, None, None);
    page.figures.iter().for_each(|(_, name)| prose.check(name));
    expected.len()
}

fn traces(run: &Run<'_>) -> Cells {
    let rows = run.files.rows("traces").map(|row| {
        let complete = if row.is("complete") { "yes" } else { "no" };
        [row.text("trace"), &row.sum(&["steps"]).to_string(), row.text("browser"), row.text("hash"), complete]
            .map(str::to_owned)
            .to_vec()
    });
    let headers = ["trace", "steps", "browser", "hash of the trace file", "recorded to its end"];
    Cells { headers: headers.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// A table of the file that `browserlens lab fidelity` writes, which a test of its own makes again.
fn fidelity(heading: &str) -> Option<Cells> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/fidelity.md");
    let text = std::fs::read_to_string(path).ok()?;
    let (_, below) = text.split_once(&format!("{heading}\n"))?;
    let lines: Vec<&str> =
        below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).collect();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\\', "")).collect()
    };
    Some(Cells { headers: cells(lines[0]), rows: lines[2..].iter().map(|line| cells(line)).collect() })
}

/// Whole-page snapshots beside the page's HTML.
fn snapshots(run: &Run<'_>) -> Cells {
    let html = run.strategies.iter().find(|row| row.name == "raw/html").and_then(|row| row.tokens_per_task);
    let is_one = |row: &&Scored<'_>| {
        row.name.starts_with("snapshot/") || row.name.starts_with("markdown/") || row.name.starts_with("raw/html")
    };
    let rows = run.strategies.iter().filter(is_one).map(|row| {
        let share =
            row.tokens_per_task.zip(html).map_or(NONE.to_owned(), |(own, html)| format!("{:.1}", own / html * 100.0));
        let metric = |at: usize| {
            let value = row.averages[at].map_or(NONE.to_owned(), |found| percent_of(found.value));
            format!("{value} ({})", range(row.averages[at].and_then(|found| found.interval)))
        };
        vec![row.name.to_owned(), rounded_or_none(row.tokens_per_task), share, metric(3), metric(4), metric(1)]
    });
    let headers = ["snapshot mode", "tokens/task", "of raw HTML %", "facts %", "probes %", "target %"];
    Cells { headers: headers.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// Tokens by scenario, as the page writes them: a mark that nobody sees keeps the numbers in line.
fn scenarios(run: &Run<'_>) -> Cells {
    let mut table = tables::scenarios(run);
    for (cells, row) in table.rows.iter_mut().zip(&run.strategies) {
        for (text, task) in cells[1..].iter_mut().zip(&row.by_trace) {
            let is_lost = task.as_ref().is_some_and(|task| task.finished() && !task.success());
            *text = if is_lost { format!("{} ✓", cell(task.as_ref())) } else { cell(task.as_ref()) };
        }
    }
    table
}

pub fn same(found: &Value, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: {found} is no number"));
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

pub fn same_range(found: &Value, expected: Option<(f64, f64)>, what: &str) {
    match expected {
        None => assert!(found.is_null(), "{what}: {found}"),
        Some((low, high)) => {
            same(&found[0], low, what);
            same(&found[1], high, what);
        }
    }
}

/// The data that the page's charts are drawn of.
fn check_data(data: &Value, run: &Run<'_>) -> usize {
    let known = [
        "strategies", "shown", "store", "scenarios", "points", "tokens", "stages", "latency", "representations",
        "routers", "agents", "runs",
    ];
    let object = data.as_object().expect("an object");
    assert!(object.keys().all(|key| known.contains(&key.as_str())), "{:?}: data that nobody knows", object.keys());
    let names: Vec<&str> = run.strategies.iter().map(|row| row.name).collect();
    assert_eq!(data["strategies"], serde_json::json!(names));
    let scenarios = data["scenarios"].as_array().expect("scenarios");
    for (scenario, trace) in scenarios.iter().zip(&run.traces) {
        assert_eq!(scenario["name"], **trace);
        let rows = run
            .strategies
            .iter()
            .filter_map(|row| row.by_trace[run.traces.iter().position(|one| one == trace)?].as_ref());
        same(&scenario["steps"], rows.map(|task| task.rows.len()).max().unwrap_or(0) as f64, trace);
    }
    let mut compared = scenarios.len();
    // Every step of every scenario under every strategy.
    for (at, scenario) in data["tokens"].as_array().expect("tokens").iter().enumerate() {
        for (row, steps) in run.strategies.iter().zip(scenario.as_array().expect("a list")) {
            let tokens: Vec<Option<u64>> =
                row.by_trace[at].as_ref().map_or_else(Vec::new, |task| task.rows.iter().map(step_tokens).collect());
            assert_eq!(*steps, serde_json::json!(tokens), "{} on {}", row.name, run.traces[at]);
            compared += tokens.len();
        }
    }
    // Points, and which of them lie on the front.
    let ranked: Vec<&Scored<'_>> =
        run.strategies.iter().filter(|row| row.ranked && row.tokens_per_task.is_some()).collect();
    let points = data["points"].as_array().expect("points");
    assert_eq!(points.len(), ranked.len());
    for (point, row) in points.iter().zip(&ranked) {
        let tokens = |row: &Scored<'_>| row.tokens_per_task.unwrap_or(0.0).max(1.0);
        assert_eq!(names[point["strategy"].as_u64().expect("a place") as usize], row.name);
        same(&point["tokens"], tokens(row), row.name);
        let shares = |row: &Scored<'_>| [row.tasks, row.steps].map(|part: Part| part.value().unwrap_or(0.0));
        for kind in 0..2 {
            same(&point["success"][kind], shares(row)[kind], row.name);
            let beaten = ranked.iter().any(|other| {
                let (cost, success) = (tokens(other), shares(other)[kind]);
                cost <= tokens(row)
                    && success >= shares(row)[kind]
                    && (cost < tokens(row) || success > shares(row)[kind])
            });
            assert_eq!(point["front"][kind], !beaten, "{}", row.name);
        }
        assert_eq!(point["tasks"], serde_json::json!([row.tasks.part, row.tasks.whole]));
        assert_eq!(point["steps"], serde_json::json!([row.steps.part, row.steps.whole]));
        same_range(&point["interval"][0], row.averages[0].and_then(|found| found.interval), row.name);
        same_range(&point["interval"][1], row.steps_interval(), row.name);
        same_range(&point["tokens_interval"], row.tokens_interval(&run.common), row.name);
        same_range(&point["ratio_interval"], row.ratio.and_then(|found| found.interval), row.name);
        match row.ratio {
            None => assert!(point["ratio"].is_null()),
            Some(found) => same(&point["ratio"], found.value, row.name),
        }
        match row.median() {
            None => assert!(point["milliseconds"].is_null()),
            Some(micros) => same(&point["milliseconds"], micros / 1_000.0, row.name),
        }
        compared += 18;
    }
    compared + check_latency(data, run) + check_routers(data, run) + agents::check_data(data, run)
}

/// Median milliseconds of a step, divided as the time of all steps divides among the stages; the
/// rest of it is the last part.
fn check_latency(data: &Value, run: &Run<'_>) -> usize {
    assert_eq!(data["stages"], serde_json::json!(["route", "extract", "diff", "format", "other"]));
    let bars = data["latency"].as_array().expect("bars");
    let timed = run.strategies.iter().filter(|row| row.median().is_some()).count();
    assert_eq!(bars.len(), timed, "a bar a timed strategy");
    for bar in bars {
        let row = &run.strategies[bar["strategy"].as_u64().expect("a place") as usize];
        let rows: Vec<_> = run.files.rows("timings").filter(|timing| timing.text("strategy") == row.name).collect();
        let mean_of =
            |column: &str| mean(&rows.iter().map(|timing| timing.sum(&[column])).collect::<Vec<_>>()).unwrap_or(0.0);
        let stages = ["route_us", "extract_us", "diff_us", "format_us"].map(mean_of);
        let staged: f64 = stages.iter().sum();
        let all = mean_of("observe_us").max(staged);
        let median = row.median().unwrap_or(0.0);
        let scale = if all > 0.0 { median / all } else { 0.0 };
        for (part, micros) in stages.into_iter().chain([all - staged]).enumerate() {
            same(&bar["parts"][part], micros * scale / 1_000.0, row.name);
        }
        same(&bar["total"], median / 1_000.0, row.name);
        assert_eq!(bar["cached"], rows.iter().all(|timing| timing.is("cached")), "{}", row.name);
    }
    bars.len() * 7
}

fn check_routers(data: &Value, run: &Run<'_>) -> usize {
    assert_eq!(data["representations"], serde_json::json!(FIXED.map(|(_, name)| name)));
    let lines = routers(run).unwrap_or_default();
    let drawn = data["routers"].as_array().expect("routers");
    assert_eq!(drawn.len(), lines.len());
    for (router, line) in drawn.iter().zip(&lines) {
        assert_eq!(router["name"], line.name);
        assert_eq!(router["chosen"], serde_json::json!(line.chosen));
        assert_eq!(router["tasks"], serde_json::json!([line.tasks.0, line.tasks.1]));
        same(&router["tokens"], line.per_task(line.tokens), &line.name);
        same(&router["extra"], line.per_task(line.extra), &line.name);
        assert_eq!(router["missed"], line.missed);
    }
    drawn.len() * 6
}
