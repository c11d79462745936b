//! Every table of a report, made again from a [`Run`]: the same titles, headers and cells.

mod reading;

use super::formula::*;
use super::routers::{Router, routers};
use super::run::{COMPARED, METRICS, Part, Run, Scored, Task, among};
pub use reading::{answers, answers_of, bars, knowledge, knowledge_of, reading, reading_of, saved};
use std::collections::BTreeMap;

/// A table as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    pub headers: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Cells {
    pub fn new<S: Into<String>>(headers: impl IntoIterator<Item = S>) -> Self {
        Self { headers: headers.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

fn of(part: Part) -> String {
    fraction(part.part, part.whole)
}

fn value(found: Option<Statistic>) -> String {
    found.map_or(NONE.to_owned(), |found| percent_of(found.value))
}

fn interval(found: Option<Statistic>) -> String {
    range(found.and_then(|found| found.interval))
}

/// Says how many scenarios a cell is made of where its column says another number.
fn own_n(cell: String, found: Option<Statistic>, n: usize) -> String {
    match found {
        Some(found) if found.n != n => format!("{cell} n={}", found.n),
        _ => cell,
    }
}

fn in_brackets(value: String, interval: String) -> String {
    if interval == NONE { value } else { format!("{value} ({interval})") }
}

pub fn headline(run: &Run<'_>) -> Cells {
    let mut table = Cells::new([
        "strategy", "tasks succeeded", "steps succeeded", "target recall %", "fact recall %", "probe recall %",
        "tokens per task", "ratio", "median ms per step",
    ]);
    for row in &run.strategies {
        table.row(vec![
            if row.ranked { row.name.to_owned() } else { format!("{} (not ranked)", row.name) },
            of(row.tasks),
            of(row.steps),
            value(row.averages[1]),
            value(row.averages[3]),
            value(row.averages[4]),
            rounded_or_none(row.tokens_per_task),
            ratio_or_none(row.ratio),
            milliseconds(row.median()),
        ]);
    }
    table
}

pub fn averages(run: &Run<'_>) -> Cells {
    let n = |metric: usize| run.most(|row| row.averages[metric]);
    let n_of_ratio = run.most(|row| row.ratio);
    let names = METRICS.iter().enumerate().map(|(at, name)| format!("{name} % (n = {})", n(at)));
    let mut table =
        Cells::new(["strategy".to_owned()].into_iter().chain(names).chain([format!("ratio (n = {n_of_ratio})")]));
    for row in &run.strategies {
        let metrics = (0..METRICS.len()).map(|at| {
            let found = row.averages[at];
            own_n(in_brackets(value(found), interval(found)), found, n(at))
        });
        let ratio = own_n(in_brackets(ratio_or_none(row.ratio), ratio_range(row.ratio)), row.ratio, n_of_ratio);
        table.row([row.name.to_owned()].into_iter().chain(metrics).chain([ratio]).collect());
    }
    table
}

/// Against the baseline; none where it was not run.
pub fn differences(run: &Run<'_>) -> Option<Cells> {
    let base = run.strategy(run.baseline?);
    let others: Vec<&Scored<'_>> = run.strategies.iter().filter(|row| row.name != base.name).collect();
    let n = |metric: usize| {
        others.iter().filter_map(|row| row.difference(base, metric)).map(|found| found.n).max().unwrap_or(0)
    };
    let names = COMPARED.map(|metric| format!("{}, points (n = {})", METRICS[metric], n(metric)));
    let mut table = Cells::new(["strategy".to_owned()].into_iter().chain(names));
    for row in &others {
        let cells = COMPARED.map(|metric| {
            let found = row.difference(base, metric);
            own_n(points(found), found, n(metric))
        });
        table.row([row.name.to_owned()].into_iter().chain(cells).collect());
    }
    Some(table)
}

/// Windows of the classes of models.
const TIERS: [(&str, u64); 3] = [("small", 8_192), ("mid", 32_768), ("large", 131_072)];

/// What each class of models gets, and what every strategy does in each window.
pub fn tiers(run: &Run<'_>) -> (Cells, Cells) {
    let made_for = |name: &str| {
        let mut rows = run.files.rows("strategies");
        rows.find(|row| row.text("strategy") == name).map_or("", |row| row.text("tier"))
    };
    let done = |row: &Scored<'_>, window: u64| {
        let fits =
            |task: &&Task<'_>| task.success() && task.largest_context(row.name).is_some_and(|needed| needed <= window);
        row.by_trace.iter().flatten().filter(fits).count() as u64
    };
    let largest =
        |row: &Scored<'_>| row.by_trace.iter().flatten().filter_map(|task| task.largest_context(row.name)).max();
    let all = run.traces.len() as u64;
    let or_none = |number: Option<u64>| number.map_or(NONE.to_owned(), thousands);
    let mut table = Cells::new([
        "tier",
        "window",
        "first by tasks, then tokens",
        "tasks",
        "tokens/task",
        "largest context",
        "first of recorded tools",
        "tasks",
        "tokens/task",
    ]);
    for (tier, window) in TIERS {
        let mut cells = vec![tier.to_owned(), thousands(window)];
        for only_recorded in [false, true] {
            let mut able: Vec<&Scored<'_>> = run
                .strategies
                .iter()
                .filter(|row| row.ranked && done(row, window) > 0 && (row.is_recorded() || !only_recorded))
                .filter(|row| ["", tier].contains(&made_for(row.name)))
                .collect();
            able.sort_by(|a, b| {
                let tokens = |row: &Scored<'_>| row.tokens_per_task.unwrap_or(f64::INFINITY);
                done(b, window).cmp(&done(a, window)).then(tokens(a).total_cmp(&tokens(b))).then(a.name.cmp(b.name))
            });
            match able.first() {
                None => cells.extend([NONE; 3].map(str::to_owned)),
                Some(row) => cells.extend([
                    row.name.to_owned(),
                    fraction(done(row, window), all),
                    rounded_or_none(row.tokens_per_task),
                ]),
            }
            if !only_recorded {
                cells.push(or_none(able.first().and_then(|row| largest(row))));
            }
        }
        table.row(cells);
    }
    let names = TIERS.map(|(tier, window)| format!("tasks, {tier} ({})", thousands(window)));
    let mut by_strategy = Cells::new(
        ["strategy".to_owned()].into_iter().chain(names).chain(["largest context".into(), "made for".into()]),
    );
    for row in &run.strategies {
        let mut cells = vec![row.name.to_owned()];
        cells.extend(TIERS.map(|(_, window)| fraction(done(row, window), all)));
        cells.extend([or_none(largest(row)), made_for(row.name).to_owned()]);
        by_strategy.row(cells);
    }
    (table, by_strategy)
}

/// Families of strategies that differ in numbers; none where nothing was swept.
pub fn sweeps(run: &Run<'_>) -> Option<Cells> {
    let members: Vec<_> = run.files.rows("strategies").filter(|row| !row.lacks("sweep")).collect();
    let mut families: Vec<&str> = Vec::new();
    for member in &members {
        if !families.contains(&member.text("sweep")) {
            families.push(member.text("sweep"));
        }
    }
    let mut table = Cells::new(["family", "values", "tasks succeeded", "steps succeeded", "tokens per task", "ratio"]);
    for family in families {
        let mut own: Vec<_> = members.iter().filter(|row| row.text("sweep") == family).collect();
        own.sort_by(|a, b| a.real("sweep_value").total_cmp(&b.real("sweep_value")));
        for member in own {
            let row = run.strategy(member.text("strategy"));
            table.row(vec![
                family.to_owned(),
                member.text("sweep_values").to_owned(),
                of(row.tasks),
                of(row.steps),
                rounded_or_none(row.tokens_per_task),
                ratio_or_none(row.ratio),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

pub fn costs(run: &Run<'_>) -> Cells {
    let mut table = Cells::new([
        format!("per task (n = {})", run.common.len()),
        "calls".into(),
        "scrolls".into(),
        "tokens of scrolls".into(),
        "tool definitions".into(),
        "context, keep all".into(),
        "… cached".into(),
        "context, keep last full".into(),
        "… cached".into(),
    ]);
    for row in &run.strategies {
        let cells = (0..8).map(|at| match row.costs {
            None => NONE.to_owned(),
            Some(costs) if at < 2 => format!("{:.1}", costs[at]),
            Some(costs) => rounded(costs[at]),
        });
        table.row([row.name.to_owned()].into_iter().chain(cells).collect());
    }
    table
}

pub fn shown(run: &Run<'_>) -> Cells {
    let mut table = Cells::new([
        "strategy", "tasks with scrolls", "steps with scrolls", "elided %", "volatile %", "wrong rebinds",
        "unmarked differences",
    ]);
    for row in &run.strategies {
        table.row(vec![
            row.name.to_owned(),
            of(row.tasks_with_scrolls),
            of(row.steps_with_scrolls),
            percent(row.elided.part, row.elided.whole),
            percent(row.volatile.part, row.volatile.whole),
            row.wrong_rebinds.to_string(),
            row.unmarked.map_or(NONE.to_owned(), |count| count.to_string()),
        ]);
    }
    table
}

/// Routers; none where they cannot be compared.
pub fn router_table(run: &Run<'_>) -> Option<Cells> {
    let lines = routers(run)?;
    let n = lines.iter().map(|line| line.steps).max().unwrap_or(0);
    let mut table = Cells::new([
        format!("chooses (n = {n} steps)"),
        "a11y/dom/hybrid/vision".into(),
        "tasks".into(),
        "tokens/task".into(),
        "extra/task".into(),
        "missed".into(),
        "best".into(),
    ]);
    for line in &lines {
        let Router { name, chosen, steps, tasks, tokens, extra, missed, agreed, hopeless } = line;
        let own = if *steps == n { String::new() } else { format!(" n={steps}") };
        table.row(vec![
            format!("{name}{own}"),
            chosen.map(|count| count.to_string()).join("/"),
            format!("{}/{}", tasks.0, tasks.1),
            rounded(line.per_task(*tokens)),
            rounded(line.per_task(*extra)),
            missed.to_string(),
            format!("{agreed}/{}", steps - hopeless),
        ]);
    }
    Some(table)
}

/// What a strategy did on a trace, as the table of scenarios spells it.
pub fn cell(task: Option<&Task<'_>>) -> String {
    match task {
        None => NONE.to_owned(),
        Some(task) if !task.finished() => "error".to_owned(),
        Some(task) if task.success() => format!("{} ✓", thousands(task.tokens())),
        Some(task) => thousands(task.tokens()),
    }
}

/// Tokens per task by scenario; names of strategies may be cut in the report.
pub fn scenarios(run: &Run<'_>) -> Cells {
    let mut table = Cells::new([&"strategy"].into_iter().chain(&run.traces).map(|name| (*name).to_owned()));
    for row in &run.strategies {
        let cells = row.by_trace.iter().map(|task| cell(task.as_ref()));
        table.row([row.name.to_owned()].into_iter().chain(cells).collect());
    }
    table
}

/// An attack: its trace, name, kind, and the steps whose pages hold it.
struct Attack<'t> {
    trace: &'t str,
    name: &'t str,
    kind: &'t str,
    kind_name: &'t str,
    steps: Vec<u64>,
}

/// Kinds in the order of the table.
const KINDS: [&str; 10] = [
    "forged-node", "forged-ref", "forged-line", "forged-header", "forged-fence", "forged-event", "hidden-text",
    "characters", "oversized", "order",
];

/// Survived attacks by kind, and attack by attack; none where there are none.
pub fn attacks(run: &Run<'_>) -> Option<(Cells, Cells)> {
    let mut attacks: Vec<Attack<'_>> = Vec::new();
    for row in run.files.table("attacks")?.rows() {
        let (trace, name, step) = (row.text("trace"), row.text("attack"), row.count("step").expect("a step"));
        let (kind, kind_name) = (row.text("kind"), row.text("kind_name"));
        let made = || Attack { trace, name, kind, kind_name, steps: Vec::new() };
        among(&mut attacks, |known| known.trace == trace && known.name == name, made).steps.push(step);
    }
    // Survived, or not, or on no page that was shown.
    let outcome = |strategy: &Scored<'_>, attack: &Attack<'_>| -> Option<bool> {
        let at = run.traces.iter().position(|trace| *trace == attack.trace)?;
        let rows = strategy.by_trace[at].as_ref()?.rows.iter();
        let shown = rows.filter(|row| row.lacks("error") && attack.steps.contains(&row.count("step").expect("a step")));
        let fooled: Vec<bool> =
            shown.map(|row| row.text("attacks_succeeded").split(' ').any(|name| name == attack.name)).collect();
        (!fooled.is_empty()).then(|| !fooled.contains(&true))
    };
    let kinds: Vec<&Attack<'_>> =
        KINDS.iter().filter_map(|kind| attacks.iter().find(|attack| attack.kind_name == *kind)).collect();
    let names = kinds.iter().map(|attack| attack.kind.to_owned());
    let mut by_kind = Cells::new(["strategy".to_owned(), "survived".to_owned()].into_iter().chain(names));
    for strategy in &run.strategies {
        let share = |kind: Option<&str>| {
            let of_kind = attacks.iter().filter(|attack| kind.is_none_or(|kind| kind == attack.kind_name));
            let known: Vec<bool> = of_kind.filter_map(|attack| outcome(strategy, attack)).collect();
            fraction(known.iter().filter(|survived| **survived).count() as u64, known.len() as u64)
        };
        let cells = kinds.iter().map(|attack| share(Some(attack.kind_name)));
        by_kind.row([strategy.name.to_owned(), share(None)].into_iter().chain(cells).collect());
    }
    let mut one_by_one = Cells::new(["attack", "kind", "n", "succeeds against"]);
    for attack in &attacks {
        let outcomes: Vec<(&str, bool)> =
            run.strategies.iter().filter_map(|one| Some((one.name, outcome(one, attack)?))).collect();
        let fooled: Vec<&str> = outcomes.iter().filter(|(_, survived)| !survived).map(|(name, _)| *name).collect();
        one_by_one.row(vec![
            format!("{}: {}", attack.trace, attack.name),
            attack.kind_name.to_owned(),
            outcomes.len().to_string(),
            if fooled.is_empty() { "none".to_owned() } else { fooled.join(", ") },
        ]);
    }
    Some((by_kind, one_by_one))
}

/// The tables of the design that reading follows, as they are stored.
pub fn seeds() -> (String, Vec<(String, Cells)>) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../reading/seed_tables.json");
    let stored: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("stored tables")).expect("JSON");
    let texts = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let tables = stored["tables"].as_array().expect("tables").iter().map(|table| {
        let rows = table["rows"].as_array().expect("rows").iter().map(texts).collect();
        (table["title"].as_str().expect("a title").to_owned(), Cells { headers: texts(&table["headers"]), rows })
    });
    (stored["measured"].as_str().expect("a text").to_owned(), tables.collect())
}
