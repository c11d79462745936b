//! A run as its Parquet files tell it, and what METHODOLOGY.md makes of it.
//!
//! In: the folder of a report. Out: a [`Run`] with one [`Scored`] a strategy, in the order of the
//! tables. Nothing is read but `*.parquet`.

use super::formula::{Statistic, average, mean, median, ratio_of, share_interval};
use super::parquet::{Row, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub const BASELINE: &str = "playwright-mcp@0.0.83/full";
pub const RECORDED: &str = ":recorded";
/// What a prompt cache takes off, in thousandths, as `bench` assumes it.
const DISCOUNT: u64 = 900;
/// The strategies that show one representation, in the order of the table of routers.
pub const FIXED: [(&str, &str); 4] =
    [("lens/a11y", "a11y"), ("lens/dom", "dom"), ("lens/hybrid", "hybrid"), ("lens/vision", "vision")];

/// The files of a report: tables by name.
pub struct Files(BTreeMap<&'static str, Table>);

/// Those that each has come first.
const TABLES: [&str; 14] = [
    "measurements", "timings", "traces", "strategies", "attacks", "answers", "questions", "knowledge", "recorded",
    "screens", "ways", "llm", "runs", "calls",
];

impl Files {
    pub fn read(folder: &Path) -> Self {
        let read = |name| Some((name, Table::read(&folder.join(format!("{name}.parquet")))?));
        let files = Self(TABLES.into_iter().filter_map(read).collect());
        TABLES[..3].iter().for_each(|name| assert!(files.table(name).is_some(), "{name}"));
        files
    }

    /// A table; none where the report has none of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        assert!(TABLES.contains(&name), "{name}");
        self.0.get(name)
    }

    /// The rows of a table, and no row where the report has none of that name.
    pub fn rows<'t>(&'t self, name: &str) -> impl Iterator<Item = Row<'t>> + use<'t> {
        self.table(name).into_iter().flat_map(Table::rows)
    }
}

/// What is averaged, in the order of the table of averages.
pub const METRICS: [&str; 6] = ["tasks", "target", "addressable", "facts", "probes", "required sets"];
/// Those that are compared with the baseline.
pub const COMPARED: [usize; 4] = [0, 1, 3, 4];

/// The one of some that is wanted; made and put behind the others where it is not among them.
pub fn among<T>(all: &mut Vec<T>, is_wanted: impl Fn(&T) -> bool, made: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(is_wanted).unwrap_or(all.len());
    if at == all.len() {
        all.push(made());
    }
    &mut all[at]
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    pub part: u64,
    pub whole: u64,
}

impl Part {
    pub fn add(&mut self, part: u64, whole: u64) {
        self.part += part;
        self.whole += whole;
    }

    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }
}

/// One strategy on one trace: the rows of its steps, in order.
pub struct Task<'t> {
    pub rows: Vec<Row<'t>>,
    complete: bool,
}

/// Text and image tokens of a row under the encoding and formula of the tables.
fn tokens(row: &Row<'_>, prefixes: &[&str]) -> u64 {
    let columns = prefixes.iter().flat_map(|prefix| match *prefix {
        "text" => vec!["text_o200k".to_owned(), "image_claude28".to_owned()],
        "legend" | "definitions" => vec![format!("{prefix}_o200k")],
        prefix => vec![format!("{prefix}_o200k"), format!("{prefix}_claude28")],
    });
    columns.filter_map(|column| row.count(&column)).sum()
}

/// What a step added: observation, legend, answers.
pub fn step_tokens(row: &Row<'_>) -> Option<u64> {
    row.lacks("error").then(|| tokens(row, &["text", "legend", "request"]))
}

impl Task<'_> {
    pub fn finished(&self) -> bool {
        self.rows.iter().all(|row| row.lacks("error"))
    }

    pub fn success(&self) -> bool {
        self.complete && self.rows.iter().all(|row| row.is("success"))
    }

    fn success_with_scrolls(&self) -> bool {
        self.complete && self.rows.iter().all(|row| row.is("success_with_scrolls"))
    }

    pub fn tokens(&self) -> u64 {
        self.rows.iter().filter_map(step_tokens).sum()
    }

    /// The largest context of its calls; none where a step failed. What `lens/*` tells of a change
    /// may start from any earlier state, so that nothing is thrown away.
    pub fn largest_context(&self, strategy: &str) -> Option<u64> {
        let needs_all = strategy.starts_with("lens/") && self.rows.iter().any(|row| row.text("kind") == "delta");
        let mut contexts = Vec::new();
        let (mut legend, mut since) = (0, 0);
        for row in &self.rows {
            legend += tokens(row, &["legend"]);
            let own = step_tokens(row)? - tokens(row, &["legend"]);
            since = if row.text("kind") == "full" && !needs_all { own } else { since + own };
            contexts.push(legend + since);
        }
        contexts.into_iter().max()
    }

    /// Context read over all calls, with its prefixes: text and images apart, since discounts are
    /// rounded down for each. `keep_all`: everything stays; else a full observation throws away all
    /// but the legend.
    fn contexts(&self, keep_all: bool, text: bool) -> (u64, u64) {
        let (observation, each) =
            if text { ("text_o200k", "request_each_o200k") } else { ("image_claude28", "request_each_claude28") };
        let legend_of = |row: &Row<'_>| if text { row.count("legend_o200k").unwrap_or(0) } else { 0 };
        let (mut context, mut read, mut prefixes, mut legend) = (0, 0, 0, 0);
        let mut call = |context: &mut u64, stays: u64, added: u64| {
            *context = stays + added;
            read += *context;
            prefixes += stays;
        };
        for row in self.rows.iter().filter(|row| row.lacks("error")) {
            let stays = if keep_all || row.text("kind") == "delta" { context } else { legend };
            call(&mut context, stays, legend_of(row) + row.count(observation).unwrap_or(0));
            for answer in row.text(each).split_whitespace() {
                let stays = context;
                call(&mut context, stays, answer.parse().expect("a count"));
            }
            legend += legend_of(row);
        }
        (read, prefixes)
    }

    fn context(&self, keep_all: bool) -> u64 {
        self.contexts(keep_all, true).0 + self.contexts(keep_all, false).0
    }

    fn context_cached(&self, keep_all: bool) -> u64 {
        let discounted = |(read, prefix): (u64, u64)| read - prefix * DISCOUNT / 1_000;
        discounted(self.contexts(keep_all, true)) + discounted(self.contexts(keep_all, false))
    }

    /// Costs in the order of the table: calls, scrolls, tokens of scrolls, definitions, contexts.
    fn costs(&self) -> [u64; 8] {
        let sum = |column: &str| self.rows.iter().filter_map(|row| row.count(column)).sum::<u64>();
        [
            sum("request_count"),
            sum("scrolls"),
            // Each scroll is charged one more observation of this step's size.
            self.rows.iter().map(|row| row.count("scrolls").unwrap_or(0) * tokens(row, &["text"])).sum(),
            self.rows.iter().map(|row| tokens(row, &["definitions"])).sum(),
            self.context(true),
            self.context_cached(true),
            self.context(false),
            self.context_cached(false),
        ]
    }
}

/// One strategy over the run.
#[derive(Default)]
pub struct Scored<'t> {
    pub name: &'t str,
    pub ranked: bool,
    /// By the trace's place; none where it was not run.
    pub by_trace: Vec<Option<Task<'t>>>,
    pub tasks: Part,
    pub steps: Part,
    pub tasks_with_scrolls: Part,
    pub steps_with_scrolls: Part,
    /// By metric, then trace.
    pub shares: [Vec<Part>; 6],
    pub averages: [Option<Statistic>; 6],
    pub tokens_per_task: Option<f64>,
    pub ratio: Option<Statistic>,
    /// Means per task.
    pub costs: Option<[f64; 8]>,
    pub elided: Part,
    pub volatile: Part,
    pub wrong_rebinds: u64,
    pub unmarked: Option<u64>,
    /// Time of each timed step, in microseconds.
    pub observe: Vec<u64>,
}

impl Scored<'_> {
    pub fn is_recorded(&self) -> bool {
        self.name.ends_with(RECORDED)
    }

    pub fn median(&self) -> Option<f64> {
        if self.is_recorded() { None } else { median(&self.observe) }
    }

    /// Of the share of steps: scenarios are drawn, and their steps summed.
    pub fn steps_interval(&self) -> Option<(f64, f64)> {
        let of =
            |task: &Task<'_>| (task.rows.iter().filter(|row| row.is("success")).count() as u64, task.rows.len() as u64);
        share_interval(&self.by_trace.iter().flatten().map(of).collect::<Vec<_>>())
    }

    /// Of the mean of tokens over the scenarios that count.
    pub fn tokens_interval(&self, common: &[usize]) -> Option<(f64, f64)> {
        let tokens = common.iter().filter_map(|at| self.by_trace[*at].as_ref()).map(|task| task.tokens() as f64);
        average(&tokens.collect::<Vec<_>>())?.interval
    }

    /// The paired difference of a metric to another strategy.
    pub fn difference(&self, other: &Self, metric: usize) -> Option<Statistic> {
        let pairs = self.shares[metric].iter().zip(&other.shares[metric]);
        let values: Vec<f64> = pairs.filter_map(|(own, other)| Some(own.value()? - other.value()?)).collect();
        average(&values)
    }
}

/// What there was to find at a step: target, facts, probes, a required set.
#[derive(Clone, Copy, Default)]
struct Sought {
    target: bool,
    facts: u64,
    probes: u64,
    required: bool,
}

/// Everything that the tables are made of.
pub struct Run<'t> {
    pub files: &'t Files,
    pub traces: Vec<&'t str>,
    pub steps: u64,
    /// Places of the traces that every ranked strategy finished.
    pub common: Vec<usize>,
    pub baseline: Option<&'t str>,
    /// In the order of the tables.
    pub strategies: Vec<Scored<'t>>,
    pub errors: usize,
}

impl<'t> Run<'t> {
    pub fn of(files: &'t Files) -> Self {
        let complete: BTreeMap<&str, bool> =
            files.rows("traces").map(|row| (row.text("trace"), row.is("complete"))).collect();
        let mut tasks: BTreeMap<(&str, &str), Vec<Row<'t>>> = BTreeMap::new();
        let mut sought: BTreeMap<(&str, u64), Sought> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        let mut errors = 0;
        for row in files.rows("measurements") {
            let (trace, strategy) = (row.text("trace"), row.text("strategy"));
            let step = row.count("step").expect("a step");
            if !order.contains(&strategy) {
                order.push(strategy);
            }
            tasks.entry((strategy, trace)).or_default().push(row);
            if row.lacks("error") {
                let known = sought.entry((trace, step)).or_default();
                known.target |= row.is("target_needed");
                known.facts = known.facts.max(row.sum(&["facts_total"]));
                known.probes = known.probes.max(row.sum(&["probe_nodes", "probe_texts"]));
                known.required |= row.sum(&["required_total"]) > 0;
            } else {
                errors += 1;
            }
        }
        let traces: Vec<&str> = tasks.keys().map(|(_, trace)| *trace).collect::<BTreeSet<_>>().into_iter().collect();
        let steps = traces.iter().map(|trace| {
            let rows = tasks.iter().filter(|((_, other), _)| other == trace).map(|(_, rows)| rows.len());
            rows.max().unwrap_or(0) as u64
        });
        let steps = steps.sum();
        let mut all: BTreeMap<&str, Vec<Option<Task<'t>>>> = BTreeMap::new();
        for name in &order {
            let task = |trace: &&str| {
                let mut rows = tasks.get(&(*name, *trace))?.clone();
                rows.sort_by_key(|row| row.count("step"));
                Some(Task { rows, complete: complete.get(trace).copied().unwrap_or(true) })
            };
            all.insert(name, traces.iter().map(task).collect());
        }
        let finished = |tasks: &[Option<Task<'t>>], at: usize| tasks[at].as_ref().is_some_and(Task::finished);
        let ranked: BTreeSet<&str> = all
            .iter()
            .filter(|(_, tasks)| {
                let done = (0..traces.len()).filter(|at| finished(tasks, *at)).count();
                done > 0 && done * 2 >= traces.len()
            })
            .map(|(name, _)| *name)
            .collect();
        let common: Vec<usize> = (0..traces.len())
            .filter(|at| !ranked.is_empty() && ranked.iter().all(|name| finished(&all[name], *at)))
            .collect();
        let is_baseline = |name: &&&str| name.strip_suffix(RECORDED) == Some(BASELINE);
        let baseline = order.iter().find(is_baseline).or_else(|| order.iter().find(|name| **name == BASELINE)).copied();
        let base: Option<Vec<Option<u64>>> =
            baseline.map(|name| all[name].iter().map(|task| task.as_ref().map(Task::tokens)).collect());
        let mut strategies: Vec<Scored<'t>> = Vec::new();
        for (name, by_trace) in all {
            let own: Vec<(&Task<'t>, Option<u64>)> = if ranked.contains(name) {
                let pair = |at: &usize| Some((by_trace[*at].as_ref()?, base.as_ref().and_then(|base| base[*at])));
                common.iter().filter_map(pair).collect()
            } else {
                Vec::new()
            };
            let pairs: Option<Vec<(u64, u64)>> =
                own.iter().map(|(task, base)| Some((task.tokens(), (*base)?))).collect();
            let tokens: Vec<u64> = own.iter().map(|(task, _)| task.tokens()).collect();
            let costs: Vec<[u64; 8]> = own.iter().map(|(task, _)| task.costs()).collect();
            let cost = |at: usize| mean(&costs.iter().map(|of_task| of_task[at]).collect::<Vec<_>>());
            let costs = (!costs.is_empty()).then(|| std::array::from_fn(|at| cost(at).unwrap_or(0.0)));
            let mut scored = Scored {
                name,
                ranked: ranked.contains(name),
                tasks: Part { part: 0, whole: traces.len() as u64 },
                tasks_with_scrolls: Part { part: 0, whole: traces.len() as u64 },
                shares: std::array::from_fn(|_| vec![Part::default(); traces.len()]),
                tokens_per_task: mean(&tokens),
                ratio: pairs.and_then(|pairs| ratio_of(&pairs)),
                costs,
                observe: files
                    .rows("timings")
                    .filter(|row| row.text("strategy") == name)
                    .map(|row| row.sum(&["observe_us"]))
                    .collect(),
                ..Scored::default()
            };
            for (at, task) in by_trace.iter().enumerate() {
                let Some(task) = task else { continue };
                scored.tasks.part += u64::from(task.success());
                scored.tasks_with_scrolls.part += u64::from(task.success_with_scrolls());
                scored.shares[0][at].add(task.success().into(), 1);
                for row in &task.rows {
                    scored.steps.add(row.is("success").into(), 1);
                    scored.steps_with_scrolls.add(row.is("success_with_scrolls").into(), 1);
                    scored.wrong_rebinds += row.sum(&["refs_wrong_rebinds"]);
                    if let Some(unmarked) = row.count("unmarked_differences") {
                        *scored.unmarked.get_or_insert(0) += unmarked;
                    }
                    let whole = row.sum(&["marks_shown", "marks_elided"]);
                    scored.elided.add(row.sum(&["marks_elided"]), whole);
                    scored.volatile.add(row.sum(&["marks_volatile"]), whole);
                    // What a failed step had to find is missed: its row has no numbers.
                    let step = row.count("step").expect("a step");
                    let wanted = sought.get(&(traces[at], step)).copied().unwrap_or_default();
                    let all =
                        row.sum(&["required_total"]) > 0 && row.count("required_total") == row.count("required_shown");
                    let found = [
                        (row.is("target_recall").into(), wanted.target.into()),
                        (row.is("target_addressable").into(), wanted.target.into()),
                        (row.sum(&["facts_read"]), wanted.facts),
                        (row.sum(&["probe_nodes_found", "probe_texts_found"]), wanted.probes),
                        (all.into(), wanted.required.into()),
                    ];
                    for (metric, (part, whole)) in found.into_iter().enumerate() {
                        scored.shares[metric + 1][at].add(if whole > 0 { part } else { 0 }, whole);
                    }
                }
            }
            let values =
                |metric: usize| scored.shares[metric].iter().filter_map(|share| share.value()).collect::<Vec<f64>>();
            scored.averages = std::array::from_fn(|metric| average(&values(metric)));
            scored.by_trace = by_trace;
            strategies.push(scored);
        }
        // Ranked ones first; then more tasks, more steps, fewer tokens, the name.
        strategies.sort_by(|a, b| {
            let key = |one: &Scored<'_>| (!one.ranked, u64::MAX - one.tasks.part, u64::MAX - one.steps.part);
            let cost = |one: &Scored<'_>| one.tokens_per_task.unwrap_or(f64::INFINITY);
            key(a).cmp(&key(b)).then(cost(a).total_cmp(&cost(b))).then(a.name.cmp(b.name))
        });
        Self { files, traces, steps, common, baseline, strategies, errors }
    }

    pub fn strategy(&self, name: &str) -> &Scored<'t> {
        self.strategies.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no strategy {name}"))
    }

    /// The largest n of one statistic of all strategies.
    pub fn most(&self, of: impl Fn(&Scored<'t>) -> Option<Statistic>) -> usize {
        self.strategies.iter().filter_map(of).map(|found| found.n).max().unwrap_or(0)
    }
}
