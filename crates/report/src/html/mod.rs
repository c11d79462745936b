//! The page of a report: one file that opens from disk, without network.
//!
//! In: a run, its summary and charts. Out: HTML. Invariants: everything that comes from a page, a scenario or a strategy stands in the
//! markup as escaped text only, or in a JSON data block that the page's one script puts into the document as text nodes; the
//! content security policy lets that script run by its hash and nothing else; images are data URLs that begin as PNG.
//! The page stays below [`LARGEST_PAGE`] bytes: what does not fit is cut or left out, and the page says so.

mod embed;
mod escape;
mod viewer;

#[cfg(test)]
mod tests;

pub(crate) use escape::escape;

use crate::aggregate::{Cell, StrategySummary, Summary};
use crate::answers::Answers;
use crate::attacks::Attacks;
use crate::charts::{Chart, Charts};
use crate::known::Known;
use crate::numbers::{NONE, fraction, milliseconds, ratio, rounded_or_none, thousands};
use crate::scenario_tables::{
    ROUTERS_NOTE, averages_table, costs_table, differences_table, routers_table, shown_table,
};
use crate::summary::{ATTACKS_IN_WORDS, HEADLINE, error_lines, headline, notes};
use crate::text_table::TextTable;
use crate::{ReportError, ReportInput};
use std::fmt::Write;

/// No page is larger, in bytes.
const LARGEST_PAGE: usize = 14_500_000;
/// The step viewer has at least this room, in bytes, however large the tables are.
const LEAST_VIEWER: usize = 2_000_000;
const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");

/// Writes the page.
///
/// # Errors
/// [`ReportError::Viewer`] if the step viewer's data cannot be written as JSON.
pub(crate) fn page(input: &ReportInput<'_>, summary: &Summary, charts: &Charts) -> Result<String, ReportError> {
    let tables = format!(
        "{}{}{}{}{}{}",
        summary_section(summary),
        chart_section(charts),
        scenario_section(summary),
        attack_section(input, summary),
        answer_section(input),
        known_section(input)
    );
    let fixed = tables.len() + STYLE.len() + SCRIPT.len() + 100_000;
    let data = viewer::collect(input, summary, LARGEST_PAGE.saturating_sub(fixed).max(LEAST_VIEWER))?;
    let mut out = String::with_capacity(fixed + data.json.len());
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {}; base-uri 'none'; form-action 'none'",
        escape::script_source(SCRIPT)
    );
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>BrowserLens report</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the summary</a>\n"
    );
    out.push_str(&header(input, summary));
    out.push_str("<main id=\"main\">\n");
    out.push_str(&tables);
    out.push_str(VIEWER);
    out.push_str(&notes_section(input, summary, &data.left_out));
    out.push_str("</main>\n");
    let _ = write!(
        out,
        "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        data.json
    );
    Ok(out)
}

fn header(input: &ReportInput<'_>, summary: &Summary) -> String {
    let about = input.about;
    let made: Vec<String> = [&about.tool, &about.date, &about.machine]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| escape(part))
        .collect();
    format!(
        "<header>\n<div class=\"bar\"><h1>BrowserLens <span>report</span></h1>\n<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a><a href=\"#charts\">Charts</a>\
         <a href=\"#scenarios\">Scenarios</a><a href=\"#steps\">Steps</a><a href=\"#notes\">Notes</a></nav></div>\n\
         <p class=\"lead\">{}</p>\n<p class=\"made\">{}</p>\n</header>\n",
        escape(&headline(summary)),
        made.join(" · ")
    )
}

fn summary_section(summary: &Summary) -> String {
    let mut out = String::from(
        "<section id=\"summary\" aria-labelledby=\"summary-title\">\n<h2 id=\"summary-title\">Summary</h2>\n",
    );
    if let Some(best) = summary.strategies.first().filter(|best| best.ranked) {
        out.push_str(&key_figures(summary, best));
    }
    out.push_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Strategies\">\n<table>\n<thead><tr><th scope=\"col\">strategy</th>");
    for (name, _, _) in HEADLINE {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &summary.strategies {
        let class = if !row.ranked {
            " class=\"unranked\""
        } else if Some(&row.strategy) == summary.baseline.as_ref() {
            " class=\"baseline\""
        } else {
            ""
        };
        let _ = write!(out, "<tr{class}><th scope=\"row\">{}{}</th>", escape(&row.strategy), mark(summary, row));
        for (_, _, cell) in HEADLINE {
            let _ = write!(out, "<td>{}</td>", escape(&cell(row)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    out.push_str(&more_table("Averages over scenarios, with 95 % intervals", &averages_table(summary), true));
    if let (Some(baseline), Some(table)) = (&summary.baseline, differences_table(summary)) {
        out.push_str(&more_table(&format!("Against {baseline}, scenario by scenario"), &table, false));
    }
    out.push_str(&more_table("What else a task costs", &costs_table(summary), false));
    out.push_str(&more_table("What else is shown", &shown_table(summary), false));
    if let Some(routers) = &summary.routers {
        out.push_str(&more_table("Routers against hindsight", &routers_table(routers, usize::MAX), false));
        let _ = writeln!(out, "<p class=\"hint\">{}</p>", escape(ROUTERS_NOTE));
    }
    out.push_str("</section>\n");
    out
}

/// A table that opens and closes.
fn more_table(title: &str, table: &TextTable, open: bool) -> String {
    let (headers, rows) = table.cells();
    let mut out = format!(
        "<details{open}>\n<summary>{title}</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n<table>\n<thead><tr>",
        open = if open { " open" } else { "" },
        title = escape(title)
    );
    for name in headers {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            let _ = match at {
                0 => write!(out, "<tr><th scope=\"row\">{}</th>", escape(cell)),
                _ => write!(out, "<td>{}</td>", escape(cell)),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n</details>\n");
    out
}

fn mark(summary: &Summary, row: &StrategySummary) -> &'static str {
    if !row.ranked {
        " <small>not ranked</small>"
    } else if Some(&row.strategy) == summary.baseline.as_ref() {
        " <small>baseline</small>"
    } else {
        ""
    }
}

fn key_figures(summary: &Summary, best: &StrategySummary) -> String {
    let baseline = summary
        .baseline
        .as_deref()
        .map_or_else(|| "no baseline was run".to_owned(), |name| format!("of the tokens of {name}"));
    let figures = [
        (fraction(best.tasks), "tasks succeed".to_owned()),
        (rounded_or_none(best.tokens_per_task), "tokens per task".to_owned()),
        (ratio(best.ratio.map(|ratio| ratio.value)), baseline),
        (format!("{} ms", milliseconds(best.median_micros)), "median per step".to_owned()),
    ];
    let mut out = format!(
        "<div class=\"figures\" role=\"group\" aria-label=\"First of the table\">\n<p class=\"who\">{}</p>\n",
        escape(&best.strategy)
    );
    for (value, name) in figures {
        let _ = writeln!(out, "<div><strong>{}</strong><span>{}</span></div>", escape(&value), escape(&name));
    }
    out.push_str("</div>\n");
    out
}

fn chart_section(charts: &Charts) -> String {
    let mut out =
        String::from("<section id=\"charts\" aria-labelledby=\"charts-title\">\n<h2 id=\"charts-title\">Charts</h2>\n");
    for chart in charts.all() {
        out.push_str(&figure(chart));
    }
    out.push_str("</section>\n");
    out
}

fn figure(chart: &Chart) -> String {
    format!(
        "<figure>\n<h3 class=\"visually-hidden\">{title}</h3>\n<div class=\"chart\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\n{}</div>\n<figcaption>{} <code>{}</code></figcaption>\n</figure>\n",
        chart.svg,
        escape(&chart.caption),
        escape(chart.file),
        title = escape(chart.title)
    )
}

fn scenario_section(summary: &Summary) -> String {
    let mut out = String::from(
        "<section id=\"scenarios\" aria-labelledby=\"scenarios-title\">\n<h2 id=\"scenarios-title\">Tokens per task, by scenario</h2>\n\
         <p class=\"hint\"><span class=\"good\">✓</span> every step of the task succeeded</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Tokens per task\">\n<table>\n<thead><tr><th scope=\"col\">scenario</th>",
    );
    for row in &summary.strategies {
        let _ = write!(out, "<th scope=\"col\">{}</th>", breakable(&row.strategy));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (at, scenario) in summary.scenarios.iter().enumerate() {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(scenario));
        for row in &summary.strategies {
            match row.cells.get(at) {
                Some(Cell::Finished { tokens, success: true }) => {
                    let _ = write!(
                        out,
                        "<td>{} <span class=\"good\" title=\"every step succeeded\">✓</span></td>",
                        thousands(*tokens)
                    );
                }
                Some(Cell::Finished { tokens, success: false }) => {
                    let _ = write!(
                        out,
                        "<td class=\"lost\">{} <span aria-hidden=\"true\" class=\"none\">✓</span></td>",
                        thousands(*tokens)
                    );
                }
                Some(Cell::Failed) => out.push_str("<td class=\"bad\">error</td>"),
                Some(Cell::NotRun) | None => {
                    let _ = write!(out, "<td class=\"lost\">{NONE}</td>");
                }
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    out
}

fn attack_section(input: &ReportInput<'_>, summary: &Summary) -> String {
    let Some(attacks) = Attacks::of(input, summary) else { return String::new() };
    format!(
        "<section id=\"attacks\" aria-labelledby=\"attacks-title\">\n<h2 id=\"attacks-title\">Survived attacks</h2>\n<p class=\"hint\">{}</p>\n{}{}</section>\n",
        escape(ATTACKS_IN_WORDS),
        more_table("Survived, of those that were made, by kind", &attacks.table(None), true),
        more_table("Attack by attack", &attacks.by_attack(), false)
    )
}

fn answer_section(input: &ReportInput<'_>) -> String {
    let Some(answers) = Answers::of(input) else { return String::new() };
    format!(
        "<section id=\"inspect\" aria-labelledby=\"inspect-title\">\n<h2 id=\"inspect-title\">Inspect</h2>\n<p class=\"hint\">{}</p>\n{}</section>\n",
        escape(&answers.in_words()),
        more_table("Answers about console and requests, after each step", &answers.table(), true)
    )
}

fn known_section(input: &ReportInput<'_>) -> String {
    let Some(known) = Known::of(input) else { return String::new() };
    format!(
        "<section id=\"knowledge\" aria-labelledby=\"knowledge-title\">\n<h2 id=\"knowledge-title\">Knowledge</h2>\n<p class=\"hint\">{}</p>\n{}</section>\n",
        escape(&known.in_words()),
        more_table("What recordings make known of what was held back from them", &known.table(), true)
    )
}

/// Lets a name break after its slash.
fn breakable(name: &str) -> String {
    escape(name).replace('/', "/<wbr>")
}

/// The frame of the step viewer; the script fills it.
const VIEWER: &str = r#"<section id="steps" aria-labelledby="steps-title">
<h2 id="steps-title">Steps</h2>
<noscript><p class="hint">The step viewer needs the script of this page. The tables and charts above do not.</p></noscript>
<div id="viewer" hidden>
<div class="controls">
<label>Scenario <select id="scenario"></select></label>
<div class="stepper" role="group" aria-label="Step"><button type="button" id="previous">← Previous</button><output id="position" aria-live="polite"></output><button type="button" id="next">Next →</button></div>
</div>
<p id="goal" class="hint"></p>
<ol id="step-list" aria-label="Steps of the scenario"></ol>
<div class="stage">
<div class="shot"><h3>Page</h3><div id="screenshot"></div><dl id="page"></dl><div id="facts"></div></div>
<div class="pane"><label><span class="visually-hidden">Left strategy</span><select id="left"></select></label><div id="left-pane"></div></div>
<div class="pane"><label><span class="visually-hidden">Right strategy</span><select id="right"></select></label><div id="right-pane"></div></div>
</div>
</div>
</section>
"#;

fn notes_section(input: &ReportInput<'_>, summary: &Summary, left_out: &[String]) -> String {
    let mut out = String::from(
        "<section id=\"notes\" aria-labelledby=\"notes-title\">\n<h2 id=\"notes-title\">Notes</h2>\n<ul>\n",
    );
    for note in notes(summary, input.about).iter().chain(left_out) {
        let _ = writeln!(out, "<li>{}</li>", escape(note));
    }
    out.push_str("</ul>\n");
    if !input.strategies.is_empty() {
        out.push_str("<h3>Strategies</h3>\n<dl class=\"strategies\">\n");
        for strategy in input.strategies {
            let version = if strategy.version.is_empty() {
                String::new()
            } else {
                format!(" <small>{}</small>", escape(&strategy.version))
            };
            let _ = writeln!(out, "<dt>{}{version}</dt><dd>{}</dd>", escape(&strategy.name), escape(&strategy.why));
        }
        out.push_str("</dl>\n");
    }
    if !summary.errors.is_empty() {
        out.push_str("<h3>Error rows</h3>\n<ul class=\"errors\">\n");
        for line in error_lines(summary) {
            let _ = writeln!(out, "<li>{}</li>", escape(&line));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
    out
}
