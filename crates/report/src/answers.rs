//! Inspect: what answers about console and requests cost, and whether they tell what they must.
//!
//! In: the answers of each trace. Out: a table and a sentence; none where no trace has any.
//! Invariants: the sum of a row is over the same traces as the unfiltered answer it is compared
//! with; a claim stands beside what was measured.

use crate::ReportInput;
use crate::numbers::{NONE, fraction, thousands};
use crate::share::Share;
use crate::text_table::{Tabled, TextTable};
use browserlens_replay::{ANSWERS_WITHOUT_BODIES, AnswerInfo, DEFAULT_ANSWERS, UNFILTERED_ANSWERS};

/// What the contract of the tools claims their answers save, in percent.
const CLAIMED: u64 = 90;

/// One kind of answer over all traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AnswerRow {
    sum: AnswerInfo,
    /// Tokens of the unfiltered answers on the same traces: console, network.
    whole: (u64, u64),
    traces: u64,
}

/// What answers about console and requests cost, and tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    rows: Vec<AnswerRow>,
}

/// Returns how much of `whole` is saved, in tenths of a percent; negative where more is said.
fn saved(part: u64, whole: u64) -> Option<i64> {
    let (part, whole) = (i64::try_from(part).ok()?, i64::try_from(whole).ok()?);
    (whole > 0).then(|| ((whole - part) * 1_000 + whole / 2 * (whole - part).signum()) / whole)
}

fn percent(tenths: Option<i64>) -> String {
    tenths.map_or_else(
        || NONE.to_owned(),
        |tenths| {
            let sign = if tenths < 0 { "-" } else { "" };
            format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
        },
    )
}

impl Answers {
    /// Sums the answers of a run; none if it has none.
    pub fn of(input: &ReportInput<'_>) -> Option<Self> {
        let mut rows: Vec<AnswerRow> = Vec::new();
        for trace in input.traces {
            let whole = trace.answers.iter().find(|info| info.answers == UNFILTERED_ANSWERS);
            let whole = whole.map_or((0, 0), |whole| (whole.console, whole.network));
            for info in &trace.answers {
                let at = rows.iter().position(|row| row.sum.answers == info.answers).unwrap_or_else(|| {
                    rows.push(AnswerRow {
                        sum: AnswerInfo { answers: info.answers.clone(), ..AnswerInfo::default() },
                        ..AnswerRow::default()
                    });
                    rows.len() - 1
                });
                let row = &mut rows[at];
                row.sum.console += info.console;
                row.sum.network += info.network;
                row.sum.told += info.told;
                row.sum.facts += info.facts;
                row.whole = (row.whole.0 + whole.0, row.whole.1 + whole.1);
                row.traces += 1;
            }
        }
        (!rows.is_empty()).then_some(Self { rows })
    }

    /// One row a kind of answer.
    pub fn table(&self) -> TextTable {
        let saved_of = |part, whole| percent(saved(part, whole));
        self.rows.iter().table([
            ("answers", &|row| row.sum.answers.clone()),
            ("traces", &|row| row.traces.to_string()),
            ("console", &|row| thousands(row.sum.console)),
            ("saved %", &|row| saved_of(row.sum.console, row.whole.0)),
            ("network", &|row| thousands(row.sum.network)),
            ("saved %", &|row| saved_of(row.sum.network, row.whole.1)),
            ("facts told", &|row| fraction(Share { part: row.sum.told.into(), whole: row.sum.facts.into() })),
        ])
    }

    /// Says what was claimed and what was measured.
    pub fn in_words(&self) -> String {
        let mut words =
            "Tokens of what is answered after each step, summed over steps and traces. Unfiltered is every \
            message and request so far with headers and bodies, as JSON; other tools tell only what came since the \
            last navigation, and no times."
                .to_owned();
        if let Some(row) = self.rows.iter().find(|row| row.sum.answers == DEFAULT_ANSWERS) {
            let both = saved(row.sum.console + row.sum.network, row.whole.0 + row.whole.1);
            words.push_str(&format!(
                " Claimed: about {CLAIMED} % smaller by default; measured: {} % over both, {} % for console, {} % for \
                    network.",
                percent(both),
                percent(saved(row.sum.console, row.whole.0)),
                percent(saved(row.sum.network, row.whole.1))
            ));
            let light = self.rows.iter().find(|row| row.sum.answers == ANSWERS_WITHOUT_BODIES);
            if let Some(AnswerRow { sum: light, .. }) = light {
                let both = saved(row.sum.console + row.sum.network, light.console + light.network);
                words.push_str(&format!(" Against what is unfiltered but without bodies: {} %.", percent(both)));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    fn info(answers: &str, console: u64, network: u64, told: u32) -> AnswerInfo {
        AnswerInfo { answers: answers.to_owned(), console, network, told, facts: 2 }
    }

    #[test]
    fn a_row_is_compared_with_the_unfiltered_answers_of_its_own_traces() {
        let mut run = made_up::run();
        assert_eq!(Answers::of(&run.input()), None, "a run without answers has no table");
        run.traces.truncate(2);
        run.traces[0].answers =
            vec![info("unfiltered", 1_000, 8_000, 2), info("default", 300, 1_000, 2), info("tool@1", 10, 100, 1)];
        run.traces[1].answers = vec![info("unfiltered", 0, 2_000, 2), info("default", 50, 1_000, 1)];
        let answers = Answers::of(&run.input()).expect("there are answers");
        let table = answers.table();
        let (_, rows) = table.cells();
        assert_eq!(rows[0], ["unfiltered", "2", "1,000", "0.0", "10,000", "0.0", "4/4"]);
        assert_eq!(rows[1], ["default", "2", "350", "65.0", "2,000", "80.0", "3/4"]);
        assert_eq!(rows[2], ["tool@1", "1", "10", "99.0", "100", "98.8", "1/2"]);
        assert!(
            answers.in_words().ends_with(
                "Claimed: about 90 % smaller by default; measured: 78.6 % over both, 65.0 \
            % for console, 80.0 % for network."
            ),
            "{}",
            answers.in_words()
        );
    }

    #[test]
    fn an_answer_that_says_more_than_there_is_saves_less_than_nothing() {
        assert_eq!(percent(saved(150, 100)), "-50.0");
        assert_eq!(percent(saved(1, 0)), NONE);
        assert_eq!((percent(saved(1, 3)), percent(saved(2, 3))), ("66.7".to_owned(), "33.3".to_owned()));
    }
}
