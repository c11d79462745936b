//! Reading: how many questions about pages are answered, by how much text.
//!
//! In: what came of the questions about each trace. Out: a table (one block a way of reading: all
//! sites, then each), one of the bars, and sentences; none where nothing was asked. Invariants: all
//! ways are counted over the same questions; shares stay counts until they are printed; what misses
//! a bar is said to. A figure of another kind (what the cache saves, text that stands twice) is one
//! more [`Bar`].

use crate::ReportInput;
use crate::numbers::{fraction, percent, percent_range};
use crate::share::Share;
use crate::text_table::{Tabled, TextTable};
use browserlens_replay::{ASKED_DEPTH, AskedInfo, FUSED_WAY, Wording};
use std::fmt::Write as _;

/// With how many sections an answer is looked for.
const DEPTHS: [usize; 3] = [1, 3, 5];

/// How many sections an agent gets if it does not say how many, and the depth that bars are about.
const DEFAULT_DEPTH: usize = 3;

/// Recall that the fused ranking must reach at the default depth, in percent.
const RECALL_BAR: u64 = 90;

/// How much of a page's text its answers may cost at the default depth, in percent.
const TOKENS_BAR: u64 = 15;

const ALL_SITES: &str = "all";

/// Stands in the place of a site for the questions that nothing may be tuned by.
const HELD_OUT: &str = "held out";

const _: () = assert!(DEPTHS[2] <= ASKED_DEPTH && DEFAULT_DEPTH <= ASKED_DEPTH);

/// One way of reading over the questions of some pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ReadingRow {
    way: String,
    /// The site; all of them if it is empty.
    site: String,
    /// Answers that are there at each of [`DEPTHS`], of the questions that their page answers.
    recall: [Share; DEPTHS.len()],
    /// Recall at the default depth by wording: in the page's words, in other ones.
    by_words: [Share; 2],
    /// Tokens of what is read at the default depth, of those of the pages.
    tokens: Share,
    /// Questions that their page does not answer and for which something was found, of all such.
    made_up: Share,
    /// Questions that are not answered at the default depth, by trace.
    missed: Vec<(String, Vec<String>)>,
}

/// What a bar asks, and what was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bar {
    what: String,
    measured: Share,
    bar: Limit,
}

/// A limit in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    AtLeast(u64),
    AtMost(u64),
}

impl Bar {
    fn is_met(&self) -> bool {
        let Share { part, whole } = self.measured;
        match self.bar {
            Limit::AtLeast(percent) => whole > 0 && part * 100 >= whole * percent,
            Limit::AtMost(percent) => whole > 0 && part * 100 <= whole * percent,
        }
    }
}

/// How many questions are answered, by how much text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    rows: Vec<ReadingRow>,
}

impl Reading {
    /// Counts the questions of a run; none if nothing was asked.
    pub fn of(input: &ReportInput<'_>) -> Option<Self> {
        let mut rows: Vec<ReadingRow> = Vec::new();
        for trace in input.traces {
            let site = trace.id.split('/').next().unwrap_or_default();
            for asked in &trace.asked {
                for at in 0..asked.ways.len() {
                    // What is held out is in no other row.
                    let rows_of = if asked.held_out { &[HELD_OUT][..] } else { &["", site][..] };
                    for site in rows_of {
                        row_of(&mut rows, &asked.ways[at].way, site).add(&trace.id, asked, at);
                    }
                }
            }
        }
        // One block a way, in the order of ways; all sites stand first, then each in the order of
        // traces.
        let order: Vec<String> = rows.iter().filter(|row| row.site.is_empty()).map(|row| row.way.clone()).collect();
        rows.sort_by_key(|row| (order.iter().position(|way| *way == row.way), row.site == HELD_OUT));
        (!rows.is_empty()).then_some(Self { rows })
    }

    /// One row a way of reading and site.
    pub fn table(&self) -> TextTable {
        self.headed(["recall@", "other words", "tokens@"])
    }

    /// The same with heads that a terminal has room for.
    pub fn narrow_table(&self) -> TextTable {
        self.headed(["@", "other %", "text@"])
    }

    fn headed(&self, [first, other, tokens]: [&str; 3]) -> TextTable {
        let mut headers = vec!["reading".to_owned(), "pages".to_owned(), "n".to_owned()];
        for depth in DEPTHS {
            headers.push(if depth == DEPTHS[0] { format!("{first}{depth} %") } else { format!("@{depth} %") });
            if depth == DEFAULT_DEPTH {
                headers.extend(["95 %".to_owned(), other.to_owned()]);
            }
        }
        headers.extend([format!("{tokens}{DEFAULT_DEPTH} %"), "made up".to_owned()]);
        let mut table = TextTable::new(headers);
        for row in &self.rows {
            let is_total = row.site.is_empty();
            let mut cells = vec![
                if is_total { row.way.clone() } else { String::new() },
                if is_total { ALL_SITES.to_owned() } else { row.site.clone() },
                row.recall[0].whole.to_string(),
            ];
            for (depth, share) in DEPTHS.into_iter().zip(row.recall) {
                cells.push(percent(share));
                if depth == DEFAULT_DEPTH {
                    cells.extend([percent_range(share.wilson()), percent(row.by_words[1])]);
                }
            }
            cells.extend([percent_of(row.tokens), fraction(row.made_up)]);
            table.row(cells);
        }
        table
    }

    fn fused(&self) -> Option<&ReadingRow> {
        self.rows.iter().find(|row| row.way == FUSED_WAY && row.site.is_empty())
    }

    fn bars(&self) -> Vec<Bar> {
        let mut bars = Vec::new();
        if let Some(fused) = self.fused() {
            bars.push(Bar {
                what: format!("recall@{DEFAULT_DEPTH} of {FUSED_WAY}"),
                measured: recall(fused),
                bar: Limit::AtLeast(RECALL_BAR),
            });
            bars.push(Bar {
                what: format!("tokens@{DEFAULT_DEPTH} of {FUSED_WAY}, of the pages' full text"),
                measured: fused.tokens,
                bar: Limit::AtMost(TOKENS_BAR),
            });
        }
        bars
    }

    /// One row a bar; none where there is nothing that one is about.
    pub fn bars_table(&self) -> Option<TextTable> {
        let bars = self.bars();
        let asked = |bar: &Bar| match bar.bar {
            Limit::AtLeast(percent) => format!("≥ {percent}"),
            Limit::AtMost(percent) => format!("≤ {percent}"),
        };
        let table = bars.iter().table([
            ("bar", &|bar| bar.what.clone()),
            ("measured %", &|bar| percent_of(bar.measured)),
            ("asked %", &|bar| asked(bar)),
            ("met", &|bar| if bar.is_met() { "yes" } else { "no" }.to_owned()),
        ]);
        (!bars.is_empty()).then_some(table)
    }

    /// Says what was counted, and what the fused ranking missed.
    pub fn in_words(&self) -> String {
        let mut words = format!(
            "Questions about recorded pages, written before there was any retrieval; recall@k is the share of those \
                whose answer stands, word for word, in what an agent gets for k sections \
             (95 % interval of Wilson; other words: recall@{DEFAULT_DEPTH} of those that are not put in the page's \
             words), tokens@{DEFAULT_DEPTH} what it gets for {DEFAULT_DEPTH}, of the tokens of the pages' full text, \
             summed over questions. Made up: questions that the page does not \
             answer, for which something was found. Held out: questions on all sites in other words, written after a \
             first retrieval by words, that nothing may be tuned by; they are in no other row."
        );
        if let Some(fused) = self.fused() {
            let [page, other] = fused.by_words.map(fraction);
            let _ = write!(
                words,
                " By {FUSED_WAY} at {DEFAULT_DEPTH}: {page} of the questions in the page's words, {other} of those in \
                    other words."
            );
            if !fused.missed.is_empty() {
                let missed = fused.missed.iter().map(|(trace, ids)| format!("{trace} {}", ids.join(", ")));
                let _ = write!(words, " Missed: {}.", missed.collect::<Vec<_>>().join("; "));
            }
        }
        words
    }
}

/// Writes a ratio in percent with one decimal; it may be more than 100, since ways of reading join
/// lines and cells in their own way.
fn percent_of(share: Share) -> String {
    match share.value() {
        Some(value) if value > 1.0 => format!("{:.1}", value * 100.0),
        _ => percent(share),
    }
}

fn recall(row: &ReadingRow) -> Share {
    DEPTHS.iter().position(|depth| *depth == DEFAULT_DEPTH).map(|at| row.recall[at]).unwrap_or_default()
}

fn row_of<'a>(rows: &'a mut Vec<ReadingRow>, way: &str, site: &str) -> &'a mut ReadingRow {
    let at = rows.iter().position(|row| row.way == way && row.site == site).unwrap_or_else(|| {
        rows.push(ReadingRow { way: way.to_owned(), site: site.to_owned(), ..ReadingRow::default() });
        rows.len() - 1
    });
    &mut rows[at]
}

impl ReadingRow {
    /// Counts what a way gave for a question.
    fn add(&mut self, trace: &str, asked: &AskedInfo, at: usize) {
        let read = &asked.ways[at];
        if !asked.answerable {
            self.made_up.add(u64::from(read.found), 1);
            return;
        }
        let is_there = |depth: usize| read.told[depth - 1];
        for (share, depth) in self.recall.iter_mut().zip(DEPTHS) {
            share.add(u64::from(is_there(depth)), 1);
        }
        let words = match asked.words {
            Wording::Page => 0,
            Wording::Other => 1,
        };
        self.by_words[words].add(u64::from(is_there(DEFAULT_DEPTH)), 1);
        self.tokens.add(read.tokens[DEFAULT_DEPTH - 1], asked.page);
        if !is_there(DEFAULT_DEPTH) {
            match self.missed.last_mut().filter(|(known, _)| known == trace) {
                Some((_, ids)) => ids.push(asked.id.clone()),
                None => self.missed.push((trace.to_owned(), vec![asked.id.clone()])),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::ReadInfo;

    fn asked(id: &str, words: Wording, answerable: bool, ways: &[(&str, Option<u32>, bool, u64)]) -> AskedInfo {
        let read = |(way, rank, found, tokens): &(&str, Option<u32>, bool, u64)| ReadInfo {
            way: (*way).to_owned(),
            told: std::array::from_fn(|at| rank.is_some_and(|rank| rank as usize <= at + 1)),
            found: *found,
            tokens: std::array::from_fn(|at| tokens * (at as u64 + 1)),
        };
        let ways = ways.iter().map(read).collect();
        AskedInfo { id: id.to_owned(), step: 0, words, answerable, held_out: id.starts_with("late"), page: 1_000, ways }
    }

    fn reading() -> Reading {
        let mut run = made_up::run();
        assert_eq!(Reading::of(&run.input()), None, "a run without questions has no table");
        run.traces.truncate(2);
        let plain = |rank| ("plain", rank, true, 300);
        run.traces[0].id = "docs/a".to_owned();
        run.traces[0].asked = vec![
            asked("x", Wording::Page, true, &[plain(Some(1)), (FUSED_WAY, Some(1), true, 40)]),
            asked("y", Wording::Other, true, &[plain(None), (FUSED_WAY, Some(3), true, 50)]),
            asked("late-a", Wording::Other, true, &[plain(Some(1)), (FUSED_WAY, None, true, 100)]),
        ];
        run.traces[1].id = "shop/b".to_owned();
        run.traces[1].asked = vec![
            asked("z", Wording::Other, true, &[plain(Some(1)), (FUSED_WAY, Some(4), true, 30)]),
            asked("none", Wording::Other, false, &[plain(None), (FUSED_WAY, None, false, 9_999)]),
        ];
        Reading::of(&run.input()).expect("something was asked")
    }

    #[test]
    fn each_way_is_counted_over_all_sites_and_over_each() {
        let table = reading().table();
        let (headers, rows) = table.cells();
        let headers: Vec<_> = headers.collect();
        let expected =
            ["reading", "pages", "n", "recall@1 %", "@3 %", "95 %", "other words", "@5 %", "tokens@3 %", "made up"];
        assert_eq!(headers, expected);
        assert_eq!(rows.len(), 8, "two ways over all, two sites and what is held out");
        assert_eq!(rows[0], ["plain", "all", "3", "66.7", "66.7", "20.8–93.9", "50.0", "66.7", "90.0", "1/1"]);
        assert_eq!(rows[1][..5], ["", "docs", "2", "50.0", "50.0"]);
        assert_eq!(rows[3][..5], ["", "held out", "1", "100.0", "100.0"]);
        assert_eq!(rows[4], [FUSED_WAY, "all", "3", "33.3", "66.7", "20.8–93.9", "50.0", "100.0", "12.0", "0/1"]);
        assert_eq!(rows[5], ["", "docs", "2", "50.0", "100.0", "34.2–100.0", "100.0", "100.0", "13.5", "0/0"]);
        assert_eq!(rows[6], ["", "shop", "1", "0.0", "0.0", "0.0–79.3", "0.0", "100.0", "9.0", "0/1"]);
        assert_eq!(rows[7][..5], ["", "held out", "1", "0.0", "0.0"]);
        assert!(table.width() <= 100, "fits a terminal: {}", table.width());
    }

    #[test]
    fn the_longest_names_and_numbers_still_fit_a_terminal() {
        let mut run = made_up::run();
        run.traces.truncate(1);
        run.traces[0].id = "portal/a".to_owned();
        let way = ("first 20,000 characters", Some(1), true, 300);
        run.traces[0].asked = (0..120).map(|at| asked(&format!("q{at}"), Wording::Other, true, &[way])).collect();
        let table = Reading::of(&run.input()).expect("something was asked").narrow_table();
        assert!(table.width() <= 100, "{}", table.terminal());
    }

    #[test]
    fn bars_stand_beside_what_was_measured_and_say_whether_they_are_met() {
        let table = reading().bars_table().expect("there is a fused ranking");
        let (_, rows) = table.cells();
        assert_eq!(rows[0][1..], ["66.7", "≥ 90", "no"]);
        assert_eq!(rows[1][1..], ["12.0", "≤ 15", "yes"]);
        let bar = |part, whole, bar| Bar { what: String::new(), measured: Share { part, whole }, bar }.is_met();
        assert!(bar(90, 100, Limit::AtLeast(90)) && !bar(899, 1_000, Limit::AtLeast(90)));
        assert!(bar(15, 100, Limit::AtMost(15)) && !bar(151, 1_000, Limit::AtMost(15)));
        assert_eq!(
            (percent_of(Share { part: 1_061, whole: 1_000 }), percent_of(Share::default())),
            ("106.1".into(), "–".into())
        );
        assert!(!bar(0, 0, Limit::AtMost(15)), "what was not measured meets nothing");
    }

    #[test]
    fn words_name_what_was_missed_and_how_wording_matters() {
        let words = reading().in_words();
        assert!(
            words.ends_with("1/1 of the questions in the page's words, 1/2 of those in other words. Missed: shop/b z."),
            "{words}"
        );
    }
}
