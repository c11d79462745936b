//! The page of a report: one file that opens from disk, without network.
//!
//! In: a run, its summary and charts. Out: HTML. Invariants: everything that comes from a page, a
//! scenario or a strategy stands in the markup as escaped text only, or in data blocks that the
//! page's one script puts into the document as text nodes; the content security policy lets that
//! script and that style sheet be used by their hashes and nothing else; images are JPEG written by
//! us. The page stays below [`LARGEST_PAGE`] bytes: what does not fit is cut or left out, and the
//! page says so. How the data lies in the page, and why so, stands in this crate's README.

mod agents;
mod embed;
mod escape;
mod headline;
mod overview;
mod runs;
mod sections;
mod site_map;
mod table;
mod viewer;

#[cfg(test)]
mod tests;

pub(crate) use escape::escape;
pub(crate) use table::table;

use crate::aggregate::Summary;
use crate::charts::Charts;
use crate::summary::headline as headline_in_words;
use crate::{ReportError, ReportInput};
use browserlens_core::page::text::escaped_json;
use browserlens_replay::llm::LlmResults;
use sections::Parts;
use std::fmt::Write;

/// No page is larger, in bytes.
const LARGEST_PAGE: usize = 14_500_000;
/// The step viewer has at least this room, in bytes, however large the tables are.
const LEAST_VIEWER: usize = 2_000_000;
/// The viewer of runs has this room, in bytes: the step viewer needs the rest.
const LARGEST_RUNS: usize = 1_500_000;
const STYLE: &str = concat!(
    include_str!("page/base.css"),
    include_str!("page/charts.css"),
    include_str!("page/viewer.css"),
    include_str!("page/runs.css")
);
/// The parts share one scope, so that the policy names one hash.
const SCRIPT: &str = concat!(
    include_str!("page/core.js"),
    include_str!("page/tables.js"),
    include_str!("page/pareto.js"),
    include_str!("page/steps_chart.js"),
    include_str!("page/bars.js"),
    include_str!("page/observation.js"),
    include_str!("page/verdict.js"),
    include_str!("page/viewer.js"),
    include_str!("page/keys.js"),
    include_str!("page/runs.js"),
);

/// Writes the page.
///
/// # Errors
/// [`ReportError::Viewer`] or [`ReportError::Packing`] if the step viewer's data cannot be written.
pub(crate) fn page(
    input: &ReportInput<'_>,
    summary: &Summary,
    charts: &Charts,
    llm: Option<&LlmResults>,
) -> Result<String, ReportError> {
    let parts = Parts { input, summary, charts, llm, left_out: &[] };
    let bare = sections(&parts);
    let numbers: usize = overview::json(input, summary, &[], [0, 0])?.len();
    let runs = runs::collect(input, LARGEST_RUNS)?;
    let fixed = bare.1.len()
        + STYLE.len()
        + SCRIPT.len()
        + numbers * 2
        + summary.scenarios.len() * 8_000
        + runs.blocks.len()
        + 50_000;
    let mut data = viewer::collect(input, summary, LARGEST_PAGE.saturating_sub(fixed).max(LEAST_VIEWER))?;
    data.left_out.extend(runs.left_out);
    let (contents, main) = sections(&Parts { left_out: &data.left_out, ..parts });
    let overview =
        escape::escape_json_block(&escaped_json(&overview::json(input, summary, &data.scenarios, data.shown)?));

    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        escape::source_of(STYLE),
        escape::source_of(SCRIPT)
    );
    let mut out = String::with_capacity(fixed + data.blocks.len() + runs.blocks.len());
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
            http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" \
         content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>BrowserLens report</title>\n<link rel=\"icon\" \
         href=\"data:,\">\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the summary</a>\n<div \
         class=\"page\">\n"
    );
    out.push_str(&header(input, summary));
    let _ = write!(
        out,
        "<nav class=\"contents\" aria-label=\"Contents\">\n<ol>\n{contents}</ol>\n</nav>\n<main \
            id=\"main\">\n{main}</main>\n</div>\n\
         <script type=\"application/json\" id=\"data\">{overview}</script>\n"
    );
    out.push_str(&data.blocks);
    out.push_str(&runs.blocks);
    let _ = write!(out, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    Ok(out)
}

fn header(input: &ReportInput<'_>, summary: &Summary) -> String {
    let about = input.about;
    let made: Vec<String> = [&about.tool, &about.revision, &about.date, &about.machine]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| escape(part))
        .collect();
    format!(
        "<header>\n<div class=\"bar\"><h1>BrowserLens <span>report</span></h1>\n<button type=\"button\" id=\"theme\" \
            hidden>Dark</button></div>\n\
         <p class=\"lead\">{}</p>\n<p class=\"made\">{}</p>\n</header>\n",
        escape(&headline_in_words(summary)),
        made.join(" · ")
    )
}

/// Returns the table of contents and the sections.
fn sections(parts: &Parts<'_>) -> (String, String) {
    let (mut contents, mut main) = (String::new(), String::new());
    for section in sections::all() {
        let Some(content) = (section.content)(parts) else { continue };
        let (id, title) = (section.id, section.title);
        let _ = writeln!(contents, "<li><a href=\"#{id}\">{title}</a></li>");
        let _ = write!(
            main,
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 \
                id=\"{id}-title\">{title}</h2>\n{content}</section>\n"
        );
    }
    (contents, main)
}
