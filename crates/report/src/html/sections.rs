//! The sections of the page, one function each; [`all`] is their order and the table of contents.
//!
//! In: a run and its [`Summary`]. Out: markup below a heading. Invariants: a section without
//! anything to show is not there and has no entry in the contents; a new one is a function and a
//! line in [`all`].

use super::agents;
use super::escape::escape;
use super::headline;
use super::site_map;
use super::table::{breakable, folded, hint, opening, table};
use crate::ReportInput;
use crate::aggregate::{Cell, StrategySummary, Summary};
use crate::answers::Answers;
use crate::attacks::Attacks;
use crate::charts::Charts;
use crate::fidelity::table_of_markdown;
use crate::imported::Imported;
use crate::knowledge::Known;
use crate::llm;
use crate::numbers::{NONE, average, percent_interval, rounded_or_none, thousands};
use crate::quality::Metric;
use crate::reading::Reading;
use crate::scenario_tables::{ROUTERS_NOTE, routers_table};
use crate::seed_tables::SeedTables;
use crate::summary::{ATTACKS_IN_WORDS, error_lines, notes};
use crate::sweeps::{self, SWEEPS_NOTE};
use crate::text_table::Tabled;
use crate::tiers::{TIERS_NOTE, Tiers};
use browserlens_replay::llm::LlmResults;
use std::fmt::Write;

/// What sections are made of.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub input: &'a ReportInput<'a>,
    pub summary: &'a Summary,
    pub charts: &'a Charts,
    pub llm: Option<&'a LlmResults>,
    /// What the step viewer lacks, in words.
    pub left_out: &'a [String],
}

/// One section: its id, its heading, what it shows; none if that is nothing.
pub(super) struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub content: fn(&Parts<'_>) -> Option<String>,
}

/// Every section, in the order of the page.
pub(super) fn all() -> Vec<Section> {
    let section = |id, title, content| Section { id, title, content };
    vec![
        section("summary", "Summary", |parts| Some(headline::section(parts.input, parts.summary))),
        section("pareto", "Cost against success", pareto),
        section("tokens", "Tokens over steps", tokens),
        section("steps", "Step viewer", |_| Some(VIEWER.to_owned())),
        section("scenarios", "Scenarios", scenarios),
        section("tiers", "Results by model tier", tiers),
        section("sweeps", "Sweeps", sweeps_section),
        section("agents", "Agents", agents::section),
        section("latency", "Latency by stage", latency),
        section("routers", "Routers", routers),
        section("fidelity", "Fidelity of peers", fidelity),
        section("attacks", "Survived attacks", attacks),
        section("snapshot", "Snapshot", snapshot),
        section("inspect", "Inspect", inspect),
        section("reading", "Reading", reading),
        section("knowledge", "Knowledge", knowledge),
        section("site-maps", "Site maps", |parts| site_map::content(parts.input.knowledge)),
        section("llm", "LLM reader", |parts| llm::section(parts.llm?)),
        section("imported", "Imported traces", imported),
        section("run", "About this run", run),
        section("notes", "Notes", notes_section),
    ]
}

/// The frame of a chart that the script draws, and the picture that says the same in print and in
/// papers.
pub(super) fn chart(id: &str, label: &str, caption: &str, file: &str, tools: &str) -> String {
    format!(
        "<figure>\n{tools}<div class=\"chart\" id=\"{id}\" data-label=\"{}\"><noscript><p class=\"hint\">This chart \
            needs the script of this page; {} holds it as a picture.</p></noscript></div>\n<figcaption>{} <span \
            class=\"file\">As a picture: <code>{}</code></span></figcaption>\n</figure>\n",
        escape(label),
        escape(file),
        escape(caption),
        escape(file)
    )
}

fn pareto(parts: &Parts<'_>) -> Option<String> {
    let tools = "<div class=\"tools\"><label>Success of <select \
        id=\"pareto-success\"><option>tasks</option><option>steps</option></select></label><label><input \
        type=\"checkbox\" id=\"pareto-intervals\"> intervals</label></div>\n";
    let caption = "Mean tokens per task (logarithmic) against the share that succeeds. What the stepped line touches \
        is the Pareto front: nothing is cheaper and as successful. Point at a mark, or step through them with the Tab \
        key, for its numbers.";
    Some(chart("pareto-chart", "Cost against success", caption, parts.charts.pareto.file, tools))
}

fn tokens(parts: &Parts<'_>) -> Option<String> {
    let tools = "<div class=\"tools\" id=\"tokens-strategies\"></div>\n";
    let caption = "Tokens that each step adds: text and images, with the legend at step 0 and the answers to requests. \
        Logarithmic axis, the same in every panel; a gap is a step on which the strategy failed.";
    Some(chart("tokens-chart", "Tokens over steps", caption, parts.charts.steps.file, tools))
}

fn latency(parts: &Parts<'_>) -> Option<String> {
    let chart_of = &parts.charts.latency;
    Some(chart("latency-chart", chart_of.title, &chart_of.caption, chart_of.file, ""))
}

fn routers(parts: &Parts<'_>) -> Option<String> {
    let routers = parts.summary.routers.as_ref()?;
    let caption = "How often each representation was chosen, with what the choices cost over hindsight. Hindsight \
        takes the cheapest with which the step succeeds.";
    let mut out = match &parts.charts.routers {
        Some(picture) => chart("routers-chart", "Choices of routers", caption, picture.file, ""),
        None => String::new(),
    };
    out.push_str(&folded("Routers against hindsight", &routers_table(routers, usize::MAX), true));
    out.push_str(&hint(ROUTERS_NOTE));
    Some(out)
}

fn tiers(parts: &Parts<'_>) -> Option<String> {
    let tiers = Tiers::of(parts.input, parts.summary)?;
    let by_strategy = folded("Tasks in each window, by strategy", &tiers.by_strategy(), false);
    Some(hint(TIERS_NOTE) + &folded("What each tier gets", &tiers.table(), true) + &by_strategy)
}

fn sweeps_section(parts: &Parts<'_>) -> Option<String> {
    let families = sweeps::families(parts.input, parts.summary);
    if families.is_empty() {
        return None;
    }
    let picture = parts.charts.sweeps.as_ref().map_or_else(String::new, |chart| {
        format!("<p class=\"hint\">The curves as a picture: <code>{}</code></p>\n", escape(chart.file))
    });
    let table = folded("Tokens and success by member", &sweeps::table(&families), true);
    Some(hint(SWEEPS_NOTE) + &table + &picture)
}

fn scenarios(parts: &Parts<'_>) -> Option<String> {
    let summary = parts.summary;
    let mut out = format!(
        "<p class=\"hint\">Tokens per task. <span class=\"good\">✓</span> every step of the task succeeded. Goals \
            stand in the step viewer.</p>\n{}<th scope=\"col\">strategy</th>",
        opening("Tokens per task, by scenario")
    );
    for scenario in &summary.scenarios {
        let _ = write!(out, "<th scope=\"col\">{}</th>", breakable(scenario));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &summary.strategies {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", breakable(&row.strategy));
        for at in 0..summary.scenarios.len() {
            let _ = match row.cells.get(at) {
                Some(Cell::Finished { tokens, success: true }) => {
                    write!(out, "<td>{} <span class=\"good\">✓</span></td>", thousands(*tokens))
                }
                Some(Cell::Finished { tokens, success: false }) => {
                    write!(
                        out,
                        "<td class=\"lost\">{} <span aria-hidden=\"true\" class=\"none\">✓</span></td>",
                        thousands(*tokens)
                    )
                }
                Some(Cell::Failed) => write!(out, "<td class=\"bad\">error</td>"),
                Some(Cell::NotRun) | None => write!(out, "<td class=\"lost\">{NONE}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    Some(out)
}

fn fidelity(parts: &Parts<'_>) -> Option<String> {
    let per_tool = table_of_markdown(&parts.input.about.fidelity, "## Per tool")?;
    let mut out = String::from(
        "<p class=\"hint\">Our re-implementations of other tools against what those tools really said about the same \
            pages, as <code>browserlens lab fidelity</code> wrote it. The strategies above that end in :recorded are \
            those tools' own words, where fidelity is no question.</p>\n",
    );
    out.push_str(&table("Fidelity per tool", &per_tool));
    if let Some(per_scenario) = table_of_markdown(&parts.input.about.fidelity, "## Per scenario") {
        out.push_str(&folded("Per scenario: token ratio, equal lines in percent", &per_scenario, false));
    }
    Some(out)
}

fn attacks(parts: &Parts<'_>) -> Option<String> {
    let attacks = Attacks::of(parts.input, parts.summary)?;
    let survived = folded("Survived, of those that were made, by kind", &attacks.table(None), true);
    Some(hint(ATTACKS_IN_WORDS) + &survived + &folded("Attack by attack", &attacks.by_attack(), false))
}

/// Families of whole-page snapshots, and what they are set against.
const SNAPSHOTS: [&str; 3] = ["snapshot/", "markdown/", "raw/html"];

fn snapshot(parts: &Parts<'_>) -> Option<String> {
    let rows: Vec<_> = parts
        .summary
        .strategies
        .iter()
        .filter(|row| SNAPSHOTS.iter().any(|family| row.strategy.starts_with(family)))
        .collect();
    rows.iter().find(|row| row.strategy.starts_with("snapshot/"))?;
    let html = rows.iter().find(|row| row.strategy == "raw/html").and_then(|row| row.tokens_per_task);
    let share = |row: &StrategySummary| {
        let share = row.tokens_per_task.zip(html).filter(|(_, html)| *html > 0.0);
        share.map_or_else(|| NONE.to_owned(), |(own, html)| format!("{:.1}", own / html * 100.0))
    };
    let with_interval = |row: &StrategySummary, metric| {
        let estimate = row.quality.average(metric);
        format!("{} ({})", average(estimate), percent_interval(estimate))
    };
    let table_of = rows.iter().table([
        ("snapshot mode", &|row| row.strategy.clone()),
        ("tokens/task", &|row| rounded_or_none(row.tokens_per_task)),
        ("of raw HTML %", &|row| share(row)),
        ("facts %", &|row| with_interval(row, Metric::Facts)),
        ("probes %", &|row| with_interval(row, Metric::Probes)),
        ("target %", &|row| with_interval(row, Metric::Target)),
    ]);
    let n = parts.summary.ranked_scenarios.len();
    let words = format!(
        "Whole-page snapshots as an agent would ask for them at every step; tokens over n = {n} tasks, 95 % intervals \
        over scenarios."
    );
    Some(hint(&words) + &table("Snapshot modes", &table_of))
}

fn inspect(parts: &Parts<'_>) -> Option<String> {
    let answers = Answers::of(parts.input)?;
    let table = folded("Answers about console and requests, after each step", &answers.table(), true);
    Some(hint(&answers.in_words()) + &table)
}

fn reading(parts: &Parts<'_>) -> Option<String> {
    let reading = Reading::of(parts.input)?;
    let mut out = folded("Questions about recorded pages", &reading.table(), true);
    if let Some(bars) = reading.bars_table() {
        out.push_str(&folded("What is asked, and what was measured", &bars, true));
    }
    out.push_str(&hint(&reading.in_words()));
    if let Some(seed) = SeedTables::stored() {
        for (title, table) in seed.tables() {
            out.push_str(&folded(title, &table, false));
        }
        out.push_str(&hint(&seed.in_words()));
    }
    Some(out)
}

fn knowledge(parts: &Parts<'_>) -> Option<String> {
    let known = Known::of(parts.input)?;
    let table = folded("What recordings make known of what was held back from them", &known.table(), true);
    Some(hint(&known.in_words()) + &table)
}

fn imported(parts: &Parts<'_>) -> Option<String> {
    let imported = Imported::of(parts.input)?;
    let sources = folded("Where they come from", &imported.table(), true);
    Some(hint(imported.in_words()) + &sources)
}

fn run(parts: &Parts<'_>) -> Option<String> {
    let (input, about) = (parts.input, parts.input.about);
    let facts = [
        ("Tool", about.tool.as_str()),
        ("Git revision", &about.revision),
        ("Command", &about.command),
        ("Date", &about.date),
        ("Machine", &about.machine),
        ("Tokenizer", &about.tokenizer),
        ("Observations", &about.store),
    ];
    let mut out = String::from("<dl class=\"facts\">\n");
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escape(value));
    }
    out.push_str("</dl>\n");
    if !input.traces.is_empty() {
        let traces = input.traces.iter().table([
            ("trace", &|info| info.id.clone()),
            ("steps", &|info| info.steps.to_string()),
            ("browser", &|info| info.browser.clone()),
            ("hash of the trace file", &|info| info.hash.clone()),
            ("recorded to its end", &|info| if info.complete { "yes" } else { "no" }.to_owned()),
        ]);
        out.push_str(&folded("Traces", &traces, false));
    }
    if !input.strategies.is_empty() {
        let strategies = input.strategies.iter().table([
            ("strategy", &|strategy| strategy.name.clone()),
            ("version", &|strategy| strategy.version.clone()),
            ("why it is here", &|strategy| strategy.why.clone()),
        ]);
        out.push_str(&folded("Strategies", &strategies, false).replacen(
            "<table class=\"sortable\"",
            "<table class=\"sortable words\"",
            1,
        ));
    }
    Some(out)
}

fn notes_section(parts: &Parts<'_>) -> Option<String> {
    let mut out = String::from("<ul class=\"notes\">\n");
    for note in notes(parts.summary, parts.input.about).iter().chain(parts.left_out) {
        let _ = writeln!(out, "<li>{}</li>", escape(note));
    }
    out.push_str("</ul>\n");
    if !parts.summary.errors.is_empty() {
        out.push_str("<h3>Error rows</h3>\n<ul class=\"errors\">\n");
        for line in error_lines(parts.summary) {
            let _ = writeln!(out, "<li>{}</li>", escape(&line));
        }
        out.push_str("</ul>\n");
    }
    Some(out)
}

/// The frame of the step viewer; the script fills it.
const VIEWER: &str = include_str!("page/viewer.html");
