//! What the gate found, for people: in words, as Markdown for the summary of a CI step, and as the
//! entry of an accepted change.
//!
//! In: a [`GateReport`]. Out: text. Invariants: every finding is counted, the first ones of a kind
//! are shown whole; a text of a page stands in a code block that it cannot end, or on one line
//! without control characters.

mod accepted;
mod junit;
mod strategies;

pub use accepted::{add_change, change_entry};
pub use junit::gate_junit;

use crate::numbers::thousands;
use crate::text_table::{TextTable, one_line};
use browserlens_replay::{ChangeGroup, Finding, GateReport};
use strategies::by_strategy;

/// Most findings of a kind that are written out.
const MOST: usize = 20;
/// Most groups of changed texts that are written out.
const MOST_GROUPS: usize = 8;

/// The heading above changed texts in Markdown.
const TEXTS_HEADING: &str = "### What changed in texts";

/// Returns what the gate found, for a terminal.
pub fn gate_words(gate: &GateReport) -> String {
    let mut lines = Vec::new();
    if let Some(why) = &gate.incomparable {
        lines.push(format!("gate: nothing was compared: {}", one_line(why)));
    }
    let mut list = |what: &str, all: Vec<String>, summed: &[Finding]| {
        if !all.is_empty() {
            lines.push(format!("gate: {} {what}", all.len()));
            lines.extend(by_strategy(summed).iter().map(|(strategy, own)| format!("  {}", own.in_words(strategy))));
            lines.extend(all.iter().take(MOST).map(|finding| format!("  {}", one_line(finding))));
            if all.len() > MOST {
                lines.push(format!("  … and {} more", all.len() - MOST));
            }
        }
    };
    list("regressions", gate.regressions.iter().map(Finding::to_string).collect(), &gate.regressions);
    list("slower than their history explains", gate.slower.iter().map(ToString::to_string).collect(), &[]);
    list("tolerated", gate.tolerated.iter().map(|(finding, why)| format!("{finding} ({why})")).collect(), &[]);
    list("improvements", gate.improvements.iter().map(Finding::to_string).collect(), &gate.improvements);
    for (what, rows) in row_lists(gate) {
        if let Some((trace, strategy, step)) = rows.first() {
            lines.push(format!("gate: {} {what}, first {} {strategy} step {step}", rows.len(), one_line(trace)));
        }
    }
    lines.extend(groups_in_words(&gate.changes));
    if lines.is_empty() {
        lines.push("gate: nothing changed against the accepted run".to_owned());
    }
    if gate.passes() && !gate.improvements.is_empty() {
        lines.push("gate: passed; `bench --accept --why …` makes this run the accepted one".to_owned());
    }
    lines.join("\n")
}

/// Rows: trace, strategy, step.
type Rows = [(String, String, u32)];

fn row_lists(gate: &GateReport) -> [(&'static str, &Rows); 3] {
    [("new rows", &gate.new_rows), ("rows gone", &gate.removed_rows), ("texts changed", &gate.changed_texts)]
}

fn groups_in_words(groups: &[ChangeGroup]) -> Vec<String> {
    let mut lines = Vec::new();
    if !groups.is_empty() {
        lines.push(format!("what changed in texts: {} kinds of edit", groups.len()));
    }
    for group in groups.iter().take(MOST_GROUPS) {
        lines.push(format!("  {}", headline(group)));
        let example = &group.example;
        lines.push(format!("    {} {} step {}:", one_line(&example.trace), example.strategy, example.step));
        lines.extend(example.diff.lines().map(|line| format!("    {}", one_line(line))));
    }
    if groups.len() > MOST_GROUPS {
        lines.push(format!("  … and {} more kinds", groups.len() - MOST_GROUPS));
    }
    lines
}

/// Returns an edit in one line: what became what, where, and the tokens of those steps.
fn headline(group: &ChangeGroup) -> String {
    let quoted = |text: &str| format!("{text:?}");
    let edit = match (group.removed.as_str(), group.added.as_str()) {
        (was, is) if was == is => format!("another value of {}", quoted(was)),
        ("", is) => format!("added {}", quoted(is)),
        (was, "") => format!("removed {}", quoted(was)),
        (was, is) => format!("{} → {}", quoted(was), quoted(is)),
    };
    let (scenarios, strategies) = (group.traces.len(), group.strategies.len());
    format!(
        "{}: {} steps of {scenarios} scenarios and {strategies} strategies, {} places; these steps {} → {} tokens",
        one_line(&edit),
        thousands(u64::from(group.steps)),
        thousands(u64::from(group.places)),
        thousands(group.tokens.0),
        thousands(group.tokens.1),
    )
}

/// Returns what the gate found as Markdown.
pub fn gate_markdown(gate: &GateReport) -> String {
    let mut out = String::from("## BrowserLens gate: ");
    out.push_str(match (&gate.incomparable, gate.passes()) {
        (Some(_), _) => "nothing was compared\n\n",
        (None, true) if gate.is_empty() => "nothing changed\n",
        (None, true) => "passed\n\n",
        (None, false) => "regression\n\n",
    });
    if let Some(why) = &gate.incomparable {
        out.push_str(&format!("{}\n", one_line(why)));
    }
    findings(&mut out, "Regressions", &gate.regressions);
    if !gate.slower.is_empty() {
        let mut table = TextTable::new(["slower", "stage", "now, µs", "usual, µs", "limit, µs", "earlier runs"]);
        for slower in &gate.slower {
            let numbers = [slower.now, slower.usual, slower.limit, slower.runs as u64].map(thousands);
            let stage = slower.stage.clone().unwrap_or_else(|| "all".to_owned());
            table.row([slower.strategy.clone(), stage].into_iter().chain(numbers).collect());
        }
        out.push_str(&format!("### Slower than their history explains\n\n{}\n", table.markdown()));
    }
    if !gate.tolerated.is_empty() {
        let mut table = TextTable::new(["tolerated", "why"]);
        for (finding, why) in gate.tolerated.iter().take(MOST) {
            table.row(vec![finding.to_string(), why.clone()]);
        }
        out.push_str(&format!("### Tolerated: {}\n\n{}\n", gate.tolerated.len(), table.markdown()));
    }
    findings(&mut out, "Improvements", &gate.improvements);
    for (what, rows) in row_lists(gate).into_iter().filter(|(_, rows)| !rows.is_empty()) {
        out.push_str(&format!("{} {what}. ", thousands(rows.len() as u64)));
    }
    if !gate.changed_texts.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&groups_markdown(&gate.changes));
    out
}

fn findings(out: &mut String, title: &str, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    out.push_str(&format!(
        "### {title}: {}\n\n{}\n",
        thousands(findings.len() as u64),
        strategies::table(findings).markdown()
    ));
    let mut table = TextTable::new(["scenario", "strategy", "step", "what", "accepted", "now"]);
    for finding in findings.iter().take(MOST) {
        let step = finding.step.map_or_else(|| "all".to_owned(), |step| step.to_string());
        let (what, accepted, now) = (finding.what.clone(), finding.accepted.clone(), finding.now.clone());
        table.row(vec![finding.trace.clone(), finding.strategy.clone(), step, what, accepted, now]);
    }
    out.push_str(&format!("{}\n", table.markdown()));
    if findings.len() > MOST {
        out.push_str(&format!("… and {} more\n\n", findings.len() - MOST));
    }
}

/// Returns groups of changed texts as Markdown, with an example each.
fn groups_markdown(groups: &[ChangeGroup]) -> String {
    let mut out = String::new();
    if groups.is_empty() {
        return out;
    }
    out.push_str(&format!("{TEXTS_HEADING}\n\n"));
    for group in groups.iter().take(MOST_GROUPS) {
        let example = &group.example;
        let place = format!("{} {} step {}", one_line(&example.trace), example.strategy, example.step);
        out.push_str(&format!(
            "{}\n{}",
            code_block("", &format!("{}\n{place}", headline(group))),
            code_block("diff", &example.diff)
        ));
        out.push('\n');
    }
    if groups.len() > MOST_GROUPS {
        out.push_str(&format!("… and {} more kinds of edit\n", groups.len() - MOST_GROUPS));
    }
    out
}

/// Returns text in a code block whose fence is longer than any in it.
fn code_block(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = text.lines().map(one_line).collect();
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use browserlens_replay::{ChangedText, Slower, group_changes};

    pub(crate) fn found() -> GateReport {
        let finding = |trace: &str, step, what: &str, accepted: &str, now: &str| Finding {
            trace: trace.to_owned(),
            strategy: "lens/full".to_owned(),
            step,
            what: what.to_owned(),
            accepted: accepted.to_owned(),
            now: now.to_owned(),
        };
        let changed = |step: u32, before: &str, after: &str| ChangedText {
            trace: "hostile/post".to_owned(),
            strategy: "lens/full".to_owned(),
            step,
            before: before.to_owned(),
            after: after.to_owned(),
            tokens: (10, 12),
        };
        GateReport {
            regressions: vec![
                finding("shop/lamp", Some(2), "o200k tokens", "100", "104"),
                finding("shop/</testcase>|\u{1b}[31m", None, "task success", "1", "0"),
            ],
            tolerated: vec![(finding("docs/a", Some(1), "calls", "1", "2"), "asks once more".to_owned())],
            slower: vec![Slower {
                strategy: "lens/full".to_owned(),
                stage: None,
                now: 200,
                usual: 100,
                limit: 120,
                runs: 6,
            }],
            improvements: vec![finding("shop/cart", Some(0), "o200k tokens", "90", "80")],
            new_rows: vec![("shop/new".to_owned(), "lens/full".to_owned(), 0)],
            changed_texts: vec![("hostile/post".to_owned(), "lens/full".to_owned(), 0)],
            changes: group_changes(&[
                changed(0, "- text \"````\n# no heading\n", "- text \"````\n# still none\n"),
                changed(1, "- link \"A\"\n", "- link \"A\" [new]\n"),
            ]),
            ..GateReport::default()
        }
    }

    #[test]
    fn what_was_found_in_words() {
        insta::assert_snapshot!(gate_words(&found()));
        assert_eq!(gate_words(&GateReport::default()), "gate: nothing changed against the accepted run");
    }

    #[test]
    fn what_was_found_as_markdown() {
        insta::assert_snapshot!(gate_markdown(&found()));
        assert_eq!(gate_markdown(&GateReport::default()), "## BrowserLens gate: nothing changed\n");
    }

    #[test]
    fn an_improvement_suggests_to_accept() {
        let gate = GateReport { improvements: found().improvements, ..GateReport::default() };
        assert!(gate.passes() && gate_words(&gate).contains("`bench --accept --why …`"));
    }
}
