//! The log of accepted changes: what a newly accepted run changed, and why.
//!
//! In: the accepted runs before and after, the gate's findings between them, and a reason. Out: an
//! entry of `reports/CHANGES.md`, the newest first. Invariant: an entry that changed nothing is not
//! made; older entries keep their reason and their counts, only the newest shows tables and texts.

use super::{TEXTS_HEADING, groups_markdown};
use crate::error::ReportError;
use crate::numbers::thousands;
use crate::text_table::{TextTable, one_line};
use browserlens_replay::{AcceptedRun, GateReport};
use std::collections::BTreeMap;
use std::path::Path;

const HEAD: &str = "# Accepted changes\n\nWhat each newly accepted run changed, the newest first. `browserlens bench \
    --accept --why …` writes this file.\n";

/// Returns the entry of a newly accepted run; none if nothing changed.
pub fn change_entry(
    before: &AcceptedRun,
    now: &AcceptedRun,
    gate: &GateReport,
    title: &str,
    why: &str,
) -> Option<String> {
    if gate.is_empty() {
        return None;
    }
    let mut out = format!("## {}\n\n{}\n\n", one_line(title), one_line(why));
    if let Some(incomparable) = &gate.incomparable {
        out.push_str(&format!("{}\n\n", one_line(incomparable)));
    }
    let (was, is) = (totals(before), totals(now));
    let mut table = TextTable::new(["strategy", "tasks", "tokens", "before", "tasks succeed", "before"]);
    for (strategy, total) in &is {
        let earlier = was.get(strategy);
        if earlier == Some(total) {
            continue;
        }
        let known =
            |number: &dyn Fn(&Total) -> u64| earlier.map_or_else(|| "–".to_owned(), |total| thousands(number(total)));
        table.row(vec![
            (*strategy).to_owned(),
            total.tasks.to_string(),
            thousands(total.tokens),
            known(&|total| total.tokens),
            total.successes.to_string(),
            known(&|total| total.successes),
        ]);
    }
    if !table.cells().1.is_empty() {
        out.push_str(&format!("{}\n", table.markdown()));
    }
    let gone: Vec<&str> = was.keys().filter(|strategy| !is.contains_key(*strategy)).copied().collect();
    if !gone.is_empty() {
        out.push_str(&format!("No longer there: {}.\n\n", one_line(&gone.join(", "))));
    }
    let counts = [
        ("findings that are worse", gate.regressions.len() + gate.tolerated.len()),
        ("that are better", gate.improvements.len()),
        ("new rows", gate.new_rows.len()),
        ("rows gone", gate.removed_rows.len()),
        ("texts changed", gate.changed_texts.len()),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{} {what}", thousands(*count as u64)))
        .collect();
    if !counts.is_empty() {
        out.push_str(&format!("{}.\n", counts.join(", ")));
    }
    let groups = groups_markdown(&gate.changes);
    if !groups.is_empty() {
        out.push_str(&format!("\n{groups}"));
    }
    Some(out)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    tasks: u64,
    tokens: u64,
    successes: u64,
}

fn totals(run: &AcceptedRun) -> BTreeMap<&str, Total> {
    let mut totals: BTreeMap<&str, Total> = BTreeMap::new();
    for task in &run.tasks {
        let total = totals.entry(&task.strategy).or_default();
        total.tasks += 1;
        total.tokens += task.cost.o200k + task.cost.images.claude28;
        total.successes += u64::from(task.success);
    }
    totals
}

/// Puts an entry at the top of the file, which is made where it is missing.
///
/// # Errors
/// [`ReportError`] if the file cannot be read or written.
pub fn add_change(path: &Path, entry: &str) -> Result<(), ReportError> {
    let io = |doing| move |cause| ReportError::Io { path: path.to_owned(), doing, cause };
    let old = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io("read it")(error)),
    };
    let mut text = format!("{HEAD}\n{}\n", entry.trim_end());
    let mut is_text = false;
    for line in old.strip_prefix(HEAD).unwrap_or(&old).trim_start_matches('\n').split_inclusive('\n') {
        if line.starts_with("## ") {
            is_text = false;
            text.truncate(text.trim_end().len());
            text.push_str("\n\n");
        }
        is_text |= line.starts_with(TEXTS_HEADING);
        if is_text || line.starts_with('|') {
            continue;
        }
        // Two empty lines stood around what went.
        if line.trim().is_empty() && text.ends_with("\n\n") {
            continue;
        }
        text.push_str(line);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    browserlens_replay::whole::write(path, text.as_bytes()).map_err(io("write it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::tests::found;
    use browserlens_replay::{AcceptedTask, Cost};

    fn accepted(tokens: u64, success: bool) -> AcceptedRun {
        let cost = Cost { o200k: tokens, ..Cost::default() };
        let task = |strategy: &str, cost| AcceptedTask {
            trace: "shop/lamp".to_owned(),
            strategy: strategy.to_owned(),
            cost,
            success,
        };
        AcceptedRun {
            tasks: vec![task("lens/full", cost), task("raw/html", Cost { o200k: 1, ..Cost::default() })],
            ..AcceptedRun::default()
        }
    }

    #[test]
    fn an_entry_tells_what_changed_and_why() {
        let entry = change_entry(&accepted(1_000, false), &accepted(900, true), &found(), "2026-01-02", "shorter rows");
        insta::assert_snapshot!(entry.expect("changed"));
        assert_eq!(change_entry(&accepted(1, true), &accepted(1, true), &GateReport::default(), "t", "w"), None);
    }

    #[test]
    fn the_newest_entry_stands_on_top_and_the_others_are_kept_without_tables_and_texts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("CHANGES.md");
        let texts = format!("{TEXTS_HEADING}\n\n```diff\n-old\n+new\n```\n");
        add_change(&path, &format!("## Zero\n\nnaught\n\n{texts}")).expect("written");
        add_change(&path, "## One\n\nfirst\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n3 texts changed.\n").expect("written");
        add_change(&path, &format!("## Two\n\nsecond\n\n{texts}")).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(
            text,
            format!("{HEAD}\n## Two\n\nsecond\n\n{texts}\n## One\n\nfirst\n\n3 texts changed.\n\n## Zero\n\nnaught\n")
        );
    }
}
