//! Sweeps: families of strategies that differ in numbers, and the curve that they make of tokens
//! against success.
//!
//! In: a [`Summary`] and what strategies say of themselves. Out: families with their points, in the
//! order of their values. Invariant: every number is one of the summary's rows.

use crate::ReportInput;
use crate::aggregate::{StrategySummary, Summary};
use crate::numbers::{fraction, ratio, rounded_or_none};
use crate::text_table::{Tabled, TextTable};
use browserlens_replay::SweepPoint;

/// How to read the table and the chart.
pub(crate) const SWEEPS_NOTE: &str = "A family is one entry of strategies.toml with a sweep: its members differ in \
    nothing but these numbers. Tokens and success are those of the tables above.";

/// One family.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its members, in the order of their values.
    pub members: Vec<(&'a SweepPoint, &'a StrategySummary)>,
}

/// Returns every family that was run, in the order of the file of strategies.
pub(crate) fn families<'a>(input: &ReportInput<'a>, summary: &'a Summary) -> Vec<Family<'a>> {
    let mut families: Vec<Family<'a>> = Vec::new();
    for point in input.strategies.iter().filter_map(|info| Some((info, info.sweep.as_ref()?))) {
        let (info, point) = point;
        let Some(row) = summary.strategies.iter().find(|row| row.strategy == info.name) else { continue };
        match families.iter_mut().find(|family| family.name == point.family) {
            Some(family) => family.members.push((point, row)),
            None => families.push(Family { name: &point.family, members: vec![(point, row)] }),
        }
    }
    for family in &mut families {
        family.members.sort_by(|(a, _), (b, _)| {
            let values = |point: &SweepPoint| {
                point.parameters.values().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>()
            };
            let pairs = values(a).into_iter().zip(values(b)).map(|(a, b)| a.total_cmp(&b));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
    }
    families
}

/// Tokens and success of every member.
pub(crate) fn table(families: &[Family<'_>]) -> TextTable {
    let members =
        families.iter().flat_map(|family| family.members.iter().map(move |(point, row)| (family.name, point, row)));
    members.table([
        ("family", &|(family, ..)| (*family).to_owned()),
        ("values", &|(_, point, _)| point.values()),
        ("tasks succeeded", &|(.., row)| fraction(row.tasks)),
        ("steps succeeded", &|(.., row)| fraction(row.steps)),
        ("tokens per task", &|(.., row)| rounded_or_none(row.tokens_per_task)),
        ("ratio", &|(.., row)| ratio(row.ratio.map(|ratio| ratio.value))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{made_up, summary_markdown};
    use browserlens_replay::StrategyInfo;
    use std::collections::BTreeMap;

    /// A run in which two strategies are members of a family.
    fn swept() -> made_up::Run {
        let mut run = made_up::run();
        let member = |name: &str, budget: u32| StrategyInfo {
            sweep: Some(SweepPoint {
                family: "lens/<b>family".into(),
                parameters: BTreeMap::from([("budget".to_owned(), budget.into())]),
            }),
            ..made_up::strategy(name)
        };
        run.strategies = vec![member("playwright-mcp/full", 3_000), member("lens/delta", 900), member("gone/x", 1)];
        run
    }

    #[test]
    fn members_stand_in_the_order_of_their_values_and_bear_the_numbers_of_the_summary() {
        let run = swept();
        let summary = Summary::of(&run.input());
        let input = run.input();
        let families = families(&input, &summary);
        assert_eq!(families.len(), 1);
        let names: Vec<&str> = families[0].members.iter().map(|(_, row)| row.strategy.as_str()).collect();
        assert_eq!(names, ["lens/delta", "playwright-mcp/full"], "what was not run is not there");
        let markdown = summary_markdown(&input, &summary);
        let line = markdown.lines().find(|line| line.contains("budget=900")).expect("a row");
        let tokens = rounded_or_none(
            summary.strategies.iter().find(|row| row.strategy == "lens/delta").expect("row").tokens_per_task,
        );
        assert!(line.contains(&tokens) && !line.contains("<b>"), "{line}");
    }

    #[test]
    fn a_run_with_a_family_has_its_curve_and_one_without_has_none() {
        let root = tempfile::tempdir().unwrap();
        let with = crate::write_report(&swept().input(), &root.path().join("with")).unwrap();
        let svg = std::fs::read_to_string(with.folder.join("sweeps.svg")).unwrap();
        assert!(svg.contains(", by budget") && svg.contains("\n900\n") && !svg.contains("<b>"), "{svg}");
        assert!(std::fs::read_to_string(&with.index).unwrap().contains("id=\"sweeps\""));
        let without = crate::write_report(&made_up::run().input(), &root.path().join("without")).unwrap();
        assert!(!without.folder.join("sweeps.svg").exists());
        assert!(!std::fs::read_to_string(&without.index).unwrap().contains("id=\"sweeps\""));
    }
}
