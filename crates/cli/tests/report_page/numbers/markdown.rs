//! `summary.md` as tables and sentences, and whether each is what the Parquet files make of it.

use super::agents;
use super::models;
use super::prose::Prose;
use super::run::Run;
use super::tables::{self, Cells};
use std::collections::BTreeMap;

/// Everything below one heading.
#[derive(Debug, Default)]
struct Section {
    title: String,
    tables: Vec<Cells>,
    lines: Vec<String>,
}

/// Takes back what keeps a text from being markup.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&#58;", ":").replace("&amp;", "&")
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.trim().trim_start_matches('|').chars();
    while let Some(c) = chars.next() {
        match c {
            '|' => cells.push(String::new()),
            '\\' => {
                let cell = cells.last_mut().expect("one at least");
                cell.push(c);
                cell.extend(chars.next());
            }
            c => cells.last_mut().expect("one at least").push(c),
        }
    }
    cells.pop();
    cells.iter().map(|cell| plain(cell.trim())).collect()
}

fn sections(markdown: &str) -> Vec<Section> {
    let mut all = vec![Section::default()];
    let mut in_table = false;
    for line in markdown.lines() {
        let current = all.last_mut().expect("one at least");
        if let Some(title) = line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")) {
            all.push(Section { title: plain(title), ..Section::default() });
        } else if line.starts_with("|:") {
            continue;
        } else if line.starts_with("| :") || line.starts_with("| -") {
            // The rule below the headers.
        } else if line.starts_with('|') {
            if in_table {
                current.tables.last_mut().expect("its headers came first").rows.push(cells(line));
            } else {
                current.tables.push(Cells { headers: cells(line), rows: Vec::new() });
            }
        } else if !line.trim().is_empty() {
            current.lines.push(plain(line.strip_prefix("- ").unwrap_or(line)));
        }
        in_table = line.starts_with('|');
    }
    all
}

/// Which tables stand below which heading.
pub fn expected(run: &Run<'_>) -> BTreeMap<String, Vec<Cells>> {
    let mut all: BTreeMap<String, Vec<Cells>> = BTreeMap::new();
    let mut put = |title: &str, tables: Vec<Option<Cells>>| {
        let tables: Vec<Cells> = tables.into_iter().flatten().collect();
        if !tables.is_empty() {
            all.insert(title.to_owned(), tables);
        }
    };
    put("", vec![Some(tables::headline(run))]);
    put("Averages over scenarios", vec![Some(tables::averages(run))]);
    put(&format!("Against {}, scenario by scenario", run.baseline.unwrap_or_default()), vec![tables::differences(run)]);
    put("What else a task costs", vec![Some(tables::costs(run))]);
    put("What else is shown", vec![Some(tables::shown(run))]);
    let (tiers, by_strategy) = tables::tiers(run);
    put("Results by model tier", vec![Some(tiers), Some(by_strategy)]);
    put("Sweeps", vec![tables::sweeps(run)]);
    put("Routers against hindsight", vec![tables::router_table(run)]);
    let (by_kind, one_by_one) = tables::attacks(run).unzip();
    put("Survived attacks", vec![by_kind, one_by_one]);
    put("Inspect", vec![tables::answers(run)]);
    put("Reading", vec![tables::reading(run), tables::bars(run)]);
    if run.files.table("questions").is_some() {
        for (title, table) in tables::seeds().1 {
            put(&title, vec![Some(table)]);
        }
    }
    put("LLM reader", vec![models::table(run)]);
    put("Knowledge", vec![tables::knowledge(run)]);
    put("Agents", vec![agents::table(run), agents::tools(run), agents::correlations(run)]);
    put("Tokens per task, by scenario", vec![Some(tables::scenarios(run))]);
    all
}

/// Compares tables; names of strategies may be cut where `cut` says so.
pub fn compare(title: &str, found: &Cells, expected: &Cells, cut: bool) {
    assert_eq!(found.headers, expected.headers, "headers of {title:?}");
    assert_eq!(found.rows.len(), expected.rows.len(), "rows of {title:?}");
    for (found, expected) in found.rows.iter().zip(&expected.rows) {
        let from = usize::from(cut);
        assert_eq!(found[from..], expected[from..], "{title:?}: the row {:?}", expected[0]);
    }
}

/// Checks every table and every sentence; returns how many cells were compared.
pub fn check(markdown: &str, run: &Run<'_>) -> usize {
    let mut expected = expected(run);
    let prose = Prose::of(run, None, None);
    let mut compared = 0;
    let mut errors = 0;
    for section in sections(markdown) {
        let title = section.title.as_str();
        let tables = expected.remove(title).unwrap_or_default();
        assert_eq!(
            section.tables.len(),
            tables.len(),
            "tables below {title:?}: one that nobody can make again, or one too few"
        );
        for (found, expected) in section.tables.iter().zip(&tables) {
            compare(title, found, expected, title == "Tokens per task, by scenario");
            compared += found.rows.iter().map(Vec::len).sum::<usize>();
        }
        for line in section.lines.iter().filter(|line| *line != "# BrowserLens report") {
            if title == "Error rows" {
                assert!(prose.is_error(line) || line.starts_with("… and "), "{line}");
                errors += 1;
            } else {
                prose.check(line);
            }
        }
    }
    assert!(expected.is_empty(), "not in the summary: {:?}", expected.keys());
    assert_eq!(errors, if run.errors > 20 { 21 } else { run.errors }, "error rows");
    compared
}
