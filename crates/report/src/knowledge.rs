//! Knowledge: what recordings make known, asked about recordings that it was not made of.
//!
//! In: what came of each trace and its variants. Out: a table (all sites, then each), and
//! sentences; none where nothing was measured. Invariants: shares stay counts until they are
//! printed; what was not measured is a dash, not a zero; what misses a bar is said to.

use crate::ReportInput;
use crate::numbers::{NONE, fraction, percent};
use crate::share::Share;
use crate::text_table::{Tabled, TextTable};
use browserlens_replay::{KnownInfo, SeenCount};

/// Least share of pages whose screen is recognised, in percent.
const SCREENS_BAR: u64 = 95;
/// Most pages that are taken for another screen, in percent.
const WRONG_BAR: u64 = 1;
/// Least share of removed actions that are recovered, in percent.
const GAPS_BAR: u64 = 80;

/// One site, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SiteRow {
    site: String,
    recordings: u64,
    /// Recognised, of the pages whose screen is known: steps held back, whole recordings held back.
    right: [Share; 2],
    /// Taken for another screen, of all pages that were held back.
    wrong: Share,
    /// Actions that each profile can say.
    said: [Share; 2],
    recovered: Share,
    /// Removed actions that are known from elsewhere at all.
    knowable: Share,
    /// Actions that were inferred and had not been there.
    made_up: u64,
}

/// What recordings make known of each site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// All sites first.
    rows: Vec<SiteRow>,
}

impl Known {
    /// Counts the traces of a run; none if nothing was measured.
    pub fn of(input: &ReportInput<'_>) -> Option<Self> {
        let mut rows = vec![SiteRow { site: "all".to_owned(), ..SiteRow::default() }];
        for (trace, known) in input.traces.iter().filter_map(|info| Some((&info.id, info.known.as_ref()?))) {
            let site = trace.split('/').next().unwrap_or_default();
            if rows.iter().skip(1).all(|row| row.site != site) {
                rows.push(SiteRow { site: site.to_owned(), ..SiteRow::default() });
            }
            for row in rows.iter_mut().enumerate().filter(|(at, row)| *at == 0 || row.site == site) {
                row.1.add(known);
            }
        }
        (rows.len() > 1).then_some(Self { rows })
    }

    /// One row a site.
    pub fn table(&self) -> TextTable {
        let made_up = |row: &SiteRow| if row.recovered.whole > 0 { row.made_up.to_string() } else { NONE.to_owned() };
        self.rows.iter().table([
            ("knowledge", &|row| row.site.clone()),
            ("traces", &|row| row.recordings.to_string()),
            ("steps %", &|row| percent(row.right[0])),
            ("whole %", &|row| percent(row.right[1])),
            ("wrong %", &|row| percent(row.wrong)),
            ("seed %", &|row| percent(row.said[0])),
            ("browser-use %", &|row| percent(row.said[1])),
            ("gaps %", &|row| percent(row.recovered)),
            ("known %", &|row| percent(row.knowable)),
            ("made up", &|row| made_up(row)),
        ])
    }

    /// Says what was counted, and which bars are met.
    pub fn in_words(&self) -> String {
        let all = &self.rows[0];
        let bar = |share: Share, met: bool, asked: &str| {
            format!("{} ({asked}: {})", fraction(share), if met { "met" } else { "not met" })
        };
        let at_least = |share: Share, percent: u64| share.whole > 0 && share.part * 100 >= share.whole * percent;
        let screens = |share: Share| bar(share, at_least(share, SCREENS_BAR), &format!("at least {SCREENS_BAR} %"));
        let wrong = all.wrong.whole > 0 && all.wrong.part * 100 <= all.wrong.whole * WRONG_BAR;
        format!(
            "What recordings, variants of the same task among them, make known of a site, asked about what was held \
                back from them. Screens recognised, of the pages whose screen was known: \
             every second step held back {}, whole recordings held back {}; taken for another screen above the \
             threshold, of all pages: {}. Recorded actions that the knowledge can say in the \
             tools of each profile. Gaps: one to three steps taken out of each place of a recording of which there are \
             others; recovered in order with tool, screen, target and kinds of parameters: {}; known: those that stand \
             in another recording at all; made up: actions that were inferred and had not been there.",
            screens(all.right[0]),
            screens(all.right[1]),
            bar(all.wrong, wrong, &format!("at most {WRONG_BAR} %")),
            bar(all.recovered, at_least(all.recovered, GAPS_BAR), &format!("at least {GAPS_BAR} %")),
        )
    }
}

impl SiteRow {
    fn add(&mut self, known: &KnownInfo) {
        self.recordings += u64::from(known.recordings);
        for (share, count) in self.right.iter_mut().zip([known.steps, known.whole]) {
            let SeenCount { pages, asked, right, wrong } = count;
            share.add(u64::from(right), u64::from(asked));
            self.wrong.add(u64::from(wrong), u64::from(pages));
        }
        let translated = known.translated;
        for (share, said) in self.said.iter_mut().zip([translated.seed, translated.browser_use]) {
            share.add(u64::from(said), u64::from(translated.actions));
        }
        self.recovered.add(u64::from(known.gaps.recovered), u64::from(known.gaps.removed));
        self.knowable.add(u64::from(known.gaps.known), u64::from(known.gaps.removed));
        self.made_up += u64::from(known.gaps.made_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::{HoleCount, TranslatedCount};

    fn known() -> Known {
        let mut run = made_up::run();
        assert_eq!(Known::of(&run.input()), None, "a run without knowledge has no table");
        run.traces.truncate(2);
        run.traces[0].id = "docs/a".to_owned();
        run.traces[0].known = Some(KnownInfo {
            recordings: 4,
            steps: SeenCount { pages: 100, asked: 80, right: 76, wrong: 2 },
            whole: SeenCount { pages: 100, asked: 50, right: 40, wrong: 0 },
            translated: TranslatedCount { actions: 10, seed: 9, browser_use: 10 },
            gaps: HoleCount { holes: 5, removed: 10, known: 9, recovered: 8, made_up: 3, ..HoleCount::default() },
        });
        run.traces[1].id = "shop/b".to_owned();
        run.traces[1].known = Some(KnownInfo {
            recordings: 1,
            steps: SeenCount { pages: 20, asked: 20, right: 20, wrong: 0 },
            translated: TranslatedCount { actions: 10, seed: 10, browser_use: 10 },
            ..KnownInfo::default()
        });
        Known::of(&run.input()).expect("something was measured")
    }

    #[test]
    fn each_site_is_counted_and_all_of_them_and_what_was_not_measured_is_a_dash() {
        let table = known().table();
        let (_, rows) = table.cells();
        assert_eq!(rows[0], ["all", "5", "96.0", "80.0", "0.9", "95.0", "100.0", "80.0", "90.0", "3"]);
        assert_eq!(rows[1], ["docs", "4", "95.0", "80.0", "1.0", "90.0", "100.0", "80.0", "90.0", "3"]);
        assert_eq!(rows[2], ["shop", "1", "100.0", "–", "0.0", "100.0", "100.0", "–", "–", "–"]);
        assert!(table.width() <= 100, "fits a terminal: {}", table.width());
    }

    #[test]
    fn words_say_which_bars_are_met() {
        let words = known().in_words();
        for said in [
            "96/100 (at least 95 %: met)",
            "40/50 (at least 95 %: not met)",
            "2/220 (at most 1 %: met)",
            "8/10 (at least 80 %: met)",
        ] {
            assert!(words.contains(said), "{said}: {words}");
        }
    }
}
