//! Survived attacks: how often page text passed for something else, by strategy and kind of attack.
//!
//! In: the rows of a run and the attacks that the scenarios declare. Out: text tables; none where
//! no scenario declares any. Invariants: an attack that succeeds at one step has succeeded; one
//! whose pages a strategy never showed, because it failed there, counts neither way, so every cell
//! says of how many it is.

use crate::aggregate::{StrategySummary, Summary};
use crate::input::{ReportInput, of_each};
use crate::labels::strategy_label;
use crate::numbers::fraction;
use crate::share::Share;
use crate::text_table::TextTable;
use browserlens_replay::{AttackInfo, AttackKind};

/// What became of every attack under every strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attacks<'a> {
    /// The attacks, as the scenarios list them, each with its trace.
    attacks: Vec<(&'a str, &'a AttackInfo)>,
    /// By strategy, in the summary's order: for each attack whether it was survived; none where no
    /// page that holds it was shown.
    rows: Vec<(&'a str, Vec<Option<bool>>)>,
}

impl<'a> Attacks<'a> {
    /// Collects the attacks of a run; none if its scenarios declare none.
    pub fn of(input: &ReportInput<'a>, summary: &'a Summary) -> Option<Self> {
        let attacks = of_each(input.traces, |info| &info.attacks);
        let outcomes = |row: &'a StrategySummary| (row.strategy.as_str(), outcomes(input, &row.strategy, &attacks));
        let rows = summary.strategies.iter().map(outcomes).collect();
        (!attacks.is_empty()).then_some(Self { attacks, rows })
    }

    fn kinds(&self) -> Vec<AttackKind> {
        let is_there = |kind: &AttackKind| self.attacks.iter().any(|(_, attack)| attack.kind == *kind);
        AttackKind::ALL.into_iter().filter(is_there).collect()
    }

    /// Attacks survived, of those that were made: one row a strategy, one column a kind; names are
    /// cut at `longest` characters.
    pub fn table(&self, longest: Option<usize>) -> TextTable {
        let kinds = self.kinds();
        let names = kinds.iter().map(|kind| kind.short_name().to_owned());
        let mut table = TextTable::new(["strategy".to_owned(), "survived".to_owned()].into_iter().chain(names));
        for (strategy, outcomes) in &self.rows {
            let share = |kind: Option<AttackKind>| {
                let all = self.attacks.iter().zip(outcomes);
                let of_kind = all.filter(|((_, attack), _)| kind.is_none_or(|kind| kind == attack.kind));
                let known: Vec<bool> = of_kind.filter_map(|(_, outcome)| *outcome).collect();
                Share { part: known.iter().filter(|survived| **survived).count() as u64, whole: known.len() as u64 }
            };
            let mut cells =
                vec![longest.map_or_else(|| (*strategy).to_owned(), |limit| strategy_label(strategy, limit))];
            cells.push(fraction(share(None)));
            cells.extend(kinds.iter().map(|kind| fraction(share(Some(*kind)))));
            table.row(cells);
        }
        table
    }

    /// Which strategies each attack succeeds against.
    pub fn by_attack(&self) -> TextTable {
        let mut table = TextTable::new(["attack", "kind", "n", "succeeds against"]);
        for (at, (trace, attack)) in self.attacks.iter().enumerate() {
            let outcomes = || self.rows.iter().filter_map(move |(strategy, all)| Some((*strategy, (*all.get(at)?)?)));
            let fooled: Vec<&str> =
                outcomes().filter(|(_, survived)| !survived).map(|(strategy, _)| strategy).collect();
            table.row(vec![
                format!("{trace}: {}", attack.id),
                attack.kind.name().to_owned(),
                outcomes().count().to_string(),
                if fooled.is_empty() { "none".to_owned() } else { fooled.join(", ") },
            ]);
        }
        table
    }
}

fn outcomes(input: &ReportInput<'_>, strategy: &str, attacks: &[(&str, &AttackInfo)]) -> Vec<Option<bool>> {
    let rows: Vec<_> = input.measurements.iter().filter(|row| row.strategy == strategy).collect();
    let outcome = |(trace, attack): &(&str, &AttackInfo)| {
        let shown = rows.iter().filter(|row| row.trace == *trace && attack.steps.contains(&row.step));
        let found: Vec<bool> = shown.filter_map(|row| Some(row.numbers()?.attacks.contains(&attack.id))).collect();
        (!found.is_empty()).then(|| !found.contains(&true))
    };
    attacks.iter().map(outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::{Measurement, Outcome};

    fn attack(id: &str, kind: AttackKind, steps: &[u32]) -> AttackInfo {
        AttackInfo { id: id.to_owned(), kind, steps: steps.to_vec() }
    }

    fn succeed(rows: &mut [Measurement], strategy: &str, step: u32, id: &str) {
        for row in rows.iter_mut().filter(|row| row.strategy == strategy && row.step == step) {
            if let Outcome::Observed(numbers) = &mut row.outcome {
                numbers.attacks.push(id.to_owned());
            }
        }
    }

    #[test]
    fn an_attack_that_succeeds_once_has_succeeded_and_a_failed_step_counts_neither_way() {
        let mut run = made_up::run();
        let (trace, strategy) = {
            let row = run.measurements.iter().find(|row| row.numbers().is_some()).expect("a row");
            (row.trace.clone(), row.strategy.clone())
        };
        let info = run.traces.iter_mut().find(|info| info.id == trace).expect("what is said of it");
        info.attacks = vec![
            attack("yaml", AttackKind::ForgedNode, &[0, 1]),
            attack("opacity", AttackKind::HiddenText, &[0]),
            attack("late", AttackKind::HiddenText, &[900]),
        ];
        run.measurements.retain(|row| row.trace == trace);
        succeed(&mut run.measurements, &strategy, 0, "yaml");
        let input = run.input();
        let summary = Summary::of(&input);
        let attacks = Attacks::of(&input, &summary).expect("there are attacks");
        let table = attacks.table(None);
        let (names, rows) = table.cells();
        assert_eq!(names.collect::<Vec<_>>(), ["strategy", "survived", "node", "hidden"]);
        let row = rows.iter().find(|row| row[0] == strategy).expect("its row");
        assert_eq!(row[1..], ["1/2", "0/1", "1/1"]);
        let table = attacks.by_attack();
        let (_, rows) = table.cells();
        assert_eq!(rows[0][3], strategy);
        assert_eq!(rows[2][2..], ["0", "none"]);
    }

    #[test]
    fn a_run_without_attacks_has_no_table() {
        let run = made_up::run();
        let input = run.input();
        assert_eq!(Attacks::of(&input, &Summary::of(&input)), None);
    }
}
