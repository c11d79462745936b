//! The numbers in the sentences of a report: each sentence is known by how it begins, and its
//! numbers are made again.
//!
//! A sentence that nobody knows fails the test if there is a number in it. Names (strategies,
//! traces, questions, the machine) may hold digits: they are taken out before numbers are looked
//! for. Constants of a sentence (95 % intervals, bars) stand here as such.

use super::agents;
use super::formula::*;
use super::models;
use super::run::{Run, Scored};
use super::tables::{answers_of, knowledge_of, reading_of, saved, seeds};
use std::collections::BTreeMap;

/// What sentences may be about.
pub struct Prose<'r, 't> {
    run: &'r Run<'t>,
    names: Vec<String>,
    /// What the page says of its own texts: how many, how many of them cut, after how many bytes at
    /// most.
    cut: Option<(u64, u64)>,
    /// Its pictures: how many, and how many of them are not in it.
    pictures: Option<(u64, u64)>,
}

/// Sentences that begin so, and the numbers in them, which are the same in every report.
const CONSTANT: [(&str, &[&str]); 12] = [
    ("Tokens: text under ", &["28", "28", "28", "1,568", "1"]),
    ("Gap: ", &[]),
    ("Left out of rankings: ", &[]),
    ("Not ranked, since ", &[]),
    ("Ratio: tokens ÷ tokens of ", &["1"]),
    ("Latency: time to make an observation", &[]),
    ("Made by ", &[]),
    ("Metrics of Mind2Web (arXiv:2306.06070)", &["2", "2306.06070"]),
    ("A tier is a window for observations: ", &["8,192", "32,768", "131,072"]),
    ("Click a header to sort.", &["95", "5", "95"]),
    ("Averages over scenarios, with 95 % intervals", &["95"]),
    ("Tokens that each step adds: ", &["0"]),
];

/// Cuts a dropped text's cause off.
fn place_of(sentence: &str) -> &str {
    let from = "Dropped: ".len();
    sentence[from..].find(": ").map_or(sentence, |at| &sentence[..from + at])
}

impl<'r, 't> Prose<'r, 't> {
    pub fn of(run: &'r Run<'t>, cut: Option<(u64, u64)>, pictures: Option<(u64, u64)>) -> Self {
        let mut names: Vec<String> = run.strategies.iter().map(|one| one.name.to_owned()).collect();
        names.extend(run.traces.iter().map(|trace| (*trace).to_owned()));
        for row in run.files.rows("traces") {
            names.extend([row.text("goal"), row.text("browser"), row.text("hash")].map(str::to_owned));
        }
        for row in run.files.rows("timings") {
            names.extend([row.text("machine"), row.text("date")].map(str::to_owned));
        }
        names.extend(run.files.rows("questions").map(|row| row.text("question").to_owned()));
        names.extend(run.files.rows("recorded").map(|row| row.text("output").to_owned()));
        for row in run.files.rows("llm") {
            names.extend([row.text("model"), row.text("tier"), row.text("prompt")].map(str::to_owned));
        }
        names.push(format!("browserlens {}", env!("CARGO_PKG_VERSION")));
        names.push("o200k_base".to_owned());
        names.retain(|name| name.chars().any(|c| c.is_ascii_digit()));
        // Long names first: one may stand within another.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names.dedup();
        Self { run, names, cut, pictures }
    }

    /// The numbers of a sentence, names apart.
    pub fn numbers(&self, sentence: &str) -> Vec<String> {
        let plain = self.names.iter().fold(sentence.to_owned(), |text, name| text.replace(name.as_str(), " "));
        numbers_in(&plain)
    }

    /// Checks one sentence.
    pub fn check(&self, sentence: &str) {
        // Where the whole texts lie is an address, and why a tool's text is not there is that
        // tool's own word.
        let sentence = sentence.split("; the full texts lie in ").next().unwrap_or_default();
        let sentence = sentence.split(" ended early: ").next().unwrap_or_default();
        let sentence = if sentence.starts_with("Dropped: ") { place_of(sentence) } else { sentence };
        let found = self.numbers(sentence);
        match self.expected(sentence) {
            Some(expected) => assert_eq!(found, expected, "the numbers of: {sentence}"),
            None => assert!(found.is_empty(), "nobody knows how to make the numbers of: {sentence}"),
        }
    }

    fn expected(&self, sentence: &str) -> Option<Vec<String>> {
        let run = self.run;
        let (traces, ranked) = (run.traces.len() as u64, run.common.len() as u64);
        let says = |start: &str| sentence.starts_with(start);
        if let Some((_, constants)) = CONSTANT.iter().find(|(start, _)| says(start)) {
            return Some(constants.iter().map(|number| (*number).to_owned()).collect());
        }
        Some(match sentence {
            _ if sentence.contains(" strategies on ") && sentence.contains(" scenarios with ") => self.headline(),
            _ if says("n = ") => vec![thousands(traces), thousands(run.steps)],
            _ if says("Tokens per task are means over all scenarios") => {
                assert_eq!(traces, ranked, "all scenarios are ranked");
                Vec::new()
            }
            _ if says("Tokens per task are means over the ") => vec![ranked.to_string()],
            _ if says("Intervals: paired percentile bootstrap") => {
                vec!["95".into(), "10,000".into(), thousands(traces), thousands(ranked)]
            }
            _ if says("Recorded tools: ") => self.recorded(),
            _ if says("Dropped: ") => vec![self.dropped_step(sentence)],
            _ if says("Refs that came to mean another entity: ") => self.refs(),
            _ if says("Tokens of what is answered after each step") => self.answers(),
            _ if says("Questions about recorded pages, ") => self.reading(),
            _ if says("Generated pages of five sizes") => self.numbers(&seeds().0),
            _ if says("What recordings, variants") => self.knowledge(),
            _ if says("Means a run; refused, repeated and without effect") => agents::notes(run),
            _ if sentence.contains(" tasks that agents were judged on, ") => agents::worth(run),
            _ if says("Whole-page snapshots as an agent") => vec![ranked.to_string(), "95".into()],
            _ if sentence.contains(" images are not in the page") => {
                let (all, missing) = self.pictures?;
                vec![thousands(missing), thousands(all)]
            }
            _ if sentence.contains(" texts are cut after ") => {
                let (all, cut) = self.cut?;
                // How long the rest is depends on the room of the page; how many were cut, on nothing
                // but its texts.
                let bytes = numbers_in(sentence).get(2).cloned()?;
                vec![thousands(cut), thousands(all), bytes]
            }
            _ => return models::counted(run, sentence),
        })
    }

    fn headline(&self) -> Vec<String> {
        let run = self.run;
        let mut numbers =
            vec![thousands(run.strategies.len() as u64), thousands(run.traces.len() as u64), thousands(run.steps)];
        if let Some(first) = run.strategies.first().filter(|first| first.ranked) {
            numbers.extend([first.tasks.part, first.tasks.whole].map(thousands));
            numbers.extend(numbers_in(&rounded_or_none(first.tokens_per_task)));
            if run.baseline.is_some_and(|baseline| baseline != first.name) {
                numbers.extend(numbers_in(&ratio_or_none(first.ratio)));
            }
        }
        numbers
    }

    fn recorded(&self) -> Vec<String> {
        let rows: Vec<_> = self.run.files.rows("recorded").collect();
        let mut outputs: Vec<&str> =
            rows.iter().map(|row| row.text("output")).filter(|output| output.contains('/')).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let sum = |column: &str| rows.iter().filter_map(|row| row.count(column)).sum::<u64>();
        [outputs.len() as u64, self.run.traces.len() as u64, sum("kept"), sum("dropped")]
            .map(|count| count.to_string())
            .to_vec()
    }

    /// The step of a text that was dropped; what the tool's page said is no number of ours.
    fn dropped_step(&self, sentence: &str) -> String {
        let place = sentence.trim_start_matches("Dropped: ");
        let rows = self.run.files.rows("recorded");
        let row = rows
            .filter(|row| place.starts_with(&format!("{} on {} step ", row.text("output"), row.text("trace"))))
            .last()
            .unwrap_or_else(|| panic!("nothing was dropped at {place}"));
        let step = place.rsplit(' ').next().unwrap_or_default();
        assert!(row.text("dropped_steps").split(' ').any(|other| other == step), "{sentence}");
        step.to_owned()
    }

    fn refs(&self) -> Vec<String> {
        let rows = &self.run.strategies;
        let told = |of: &dyn Fn(&Scored<'_>) -> u64| {
            let each: Vec<u64> = rows.iter().map(of).filter(|count| *count > 0).collect();
            [each.iter().sum::<u64>()].into_iter().chain(each).map(thousands).collect::<Vec<_>>()
        };
        let mut numbers = told(&|row| row.wrong_rebinds);
        numbers.extend(told(&|row| row.unmarked.unwrap_or(0)));
        let counted = rows.iter().filter(|row| row.unmarked.is_some()).count();
        numbers.extend([counted.to_string(), rows.len().to_string()]);
        numbers
    }

    fn answers(&self) -> Vec<String> {
        let kinds: BTreeMap<&str, _> = answers_of(self.run).into_iter().flatten().collect();
        let mut numbers = Vec::new();
        if let Some(default) = kinds.get("default") {
            let (part, whole) = (default.console + default.network, default.whole.0 + default.whole.1);
            numbers.push("90".to_owned());
            numbers.push(saved(part, whole));
            numbers.push(saved(default.console, default.whole.0));
            numbers.push(saved(default.network, default.whole.1));
            if let Some(light) = kinds.get("unfiltered, without bodies") {
                numbers.push(saved(part, light.console + light.network));
            }
        }
        numbers.iter().flat_map(|number| numbers_in(number)).collect()
    }

    fn reading(&self) -> Vec<String> {
        let mut numbers = ["95", "3", "3", "3"].map(str::to_owned).to_vec();
        let lines = reading_of(self.run).unwrap_or_default();
        if let Some(fused) = lines.iter().find(|line| line.way == "fused" && line.pages == "all") {
            numbers.push("3".to_owned());
            numbers.extend(fused.by_words.iter().flat_map(|part| [part.part, part.whole]).map(thousands));
        }
        numbers
    }

    fn knowledge(&self) -> Vec<String> {
        let lines = knowledge_of(self.run).expect("knowledge");
        let all = &lines[0];
        [(all.right[0], "95"), (all.right[1], "95"), (all.wrong, "1"), (all.recovered, "80")]
            .into_iter()
            .flat_map(|(part, bar)| [thousands(part.part), thousands(part.whole), bar.to_owned()])
            .collect()
    }

    /// Whether an error row of the report is one of the run.
    pub fn is_error(&self, line: &str) -> bool {
        self.run.strategies.iter().any(|one| line.contains(&format!(" @ {}: ", one.name)))
    }
}
