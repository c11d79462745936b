//! Every table of a report, made again from a [`Run`]: the same titles, headers and cells.

use super::formula::*;
use super::routers::{Router, routers};
use super::run::{COMPARED, METRICS, Part, Run, Scored, Task};
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
        let mut rows = run.files.strategies.iter().flat_map(|table| table.rows());
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
    let members: Vec<_> =
        run.files.strategies.iter().flat_map(|table| table.rows()).filter(|row| !row.lacks("sweep")).collect();
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
    for row in run.files.attacks.as_ref()?.rows() {
        let (trace, name, step) = (row.text("trace"), row.text("attack"), row.count("step").expect("a step"));
        match attacks.iter_mut().find(|known| known.trace == trace && known.name == name) {
            Some(known) => known.steps.push(step),
            None => attacks.push(Attack {
                trace,
                name,
                kind: row.text("kind"),
                kind_name: row.text("kind_name"),
                steps: vec![step],
            }),
        }
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

/// Tokens of one kind of answer, and of the unfiltered ones on the same traces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    pub traces: u64,
    pub console: u64,
    pub network: u64,
    pub whole: (u64, u64),
    told: Part,
}

/// Percent that is saved, with one decimal; negative where more is said.
pub fn saved(part: u64, whole: u64) -> String {
    if whole == 0 {
        return NONE.to_owned();
    }
    let tenths = ((whole as f64 - part as f64) * 1_000.0 / whole as f64).round() as i64;
    format!("{}{}.{}", if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10)
}

/// Answers by kind, in the order in which they are first told of.
pub fn answers_of<'t>(run: &Run<'t>) -> Option<Vec<(&'t str, Answer)>> {
    let rows: Vec<_> = run.files.answers.as_ref()?.rows().collect();
    let whole: BTreeMap<&str, (u64, u64)> = rows
        .iter()
        .filter(|row| row.text("answers") == "unfiltered")
        .map(|row| (row.text("trace"), (row.sum(&["console"]), row.sum(&["network"]))))
        .collect();
    let mut kinds: Vec<(&str, Answer)> = Vec::new();
    for row in &rows {
        let name = row.text("answers");
        if !kinds.iter().any(|(known, _)| *known == name) {
            kinds.push((name, Answer::default()));
        }
        let (_, sum) = kinds.iter_mut().find(|(known, _)| *known == name).expect("it was added");
        let (console, network) = whole.get(row.text("trace")).copied().unwrap_or_default();
        sum.traces += 1;
        sum.console += row.sum(&["console"]);
        sum.network += row.sum(&["network"]);
        sum.whole = (sum.whole.0 + console, sum.whole.1 + network);
        sum.told.add(row.sum(&["told"]), row.sum(&["facts"]));
    }
    Some(kinds)
}

pub fn answers(run: &Run<'_>) -> Option<Cells> {
    let mut table = Cells::new(["answers", "traces", "console", "saved %", "network", "saved %", "facts told"]);
    for (name, sum) in answers_of(run)? {
        table.row(vec![
            name.to_owned(),
            sum.traces.to_string(),
            thousands(sum.console),
            saved(sum.console, sum.whole.0),
            thousands(sum.network),
            saved(sum.network, sum.whole.1),
            of(sum.told),
        ]);
    }
    Some(table)
}

/// One way of reading over the questions of some pages.
#[derive(Clone, Debug, Default)]
pub struct Read<'t> {
    pub way: &'t str,
    /// `all`, a site, or `held out`.
    pub pages: &'t str,
    /// Answers with 1, 3 and 5 sections.
    pub recall: [Part; 3],
    /// With three: in the page's words, in other ones.
    pub by_words: [Part; 2],
    pub tokens: Part,
    made_up: Part,
    pub missed: Vec<(&'t str, &'t str)>,
}

/// Ways of reading in order; of each: all sites, each site, what is held out.
pub fn reading_of<'t>(run: &Run<'t>) -> Option<Vec<Read<'t>>> {
    let mut lines: Vec<Read<'t>> = Vec::new();
    for row in run.files.questions.as_ref()?.rows() {
        let trace = row.text("trace");
        let site = trace.split('/').next().unwrap_or_default();
        let places = if row.is("held_out") { vec!["held out"] } else { vec!["all", site] };
        for pages in places {
            let way = row.text("way");
            if !lines.iter().any(|line| line.way == way && line.pages == pages) {
                lines.push(Read { way, pages, ..Read::default() });
            }
            let line = lines.iter_mut().find(|line| line.way == way && line.pages == pages).expect("it was added");
            if !row.is("answerable") {
                line.made_up.add(row.is("found").into(), 1);
                continue;
            }
            for (share, told) in line.recall.iter_mut().zip(["told_1", "told_3", "told_5"]) {
                share.add(row.is(told).into(), 1);
            }
            line.by_words[usize::from(row.text("words") == "other")].add(row.is("told_3").into(), 1);
            line.tokens.add(row.sum(&["tokens_3"]), row.sum(&["page_o200k"]));
            if !row.is("told_3") {
                line.missed.push((trace, row.text("question")));
            }
        }
    }
    let ways: Vec<&str> = lines.iter().filter(|line| line.pages == "all").map(|line| line.way).collect();
    lines.sort_by_key(|line| (ways.iter().position(|way| *way == line.way), line.pages == "held out"));
    Some(lines)
}

fn percent_over(part: Part) -> String {
    match part.value() {
        Some(value) if value > 1.0 => format!("{:.1}", value * 100.0),
        _ => percent(part.part, part.whole),
    }
}

pub fn reading(run: &Run<'_>) -> Option<Cells> {
    let headers =
        ["reading", "pages", "n", "recall@1 %", "@3 %", "95 %", "other words", "@5 %", "tokens@3 %", "made up"];
    let mut table = Cells::new(headers);
    for line in reading_of(run)? {
        let share = |part: Part| percent(part.part, part.whole);
        table.row(vec![
            if line.pages == "all" { line.way.to_owned() } else { String::new() },
            line.pages.to_owned(),
            line.recall[0].whole.to_string(),
            share(line.recall[0]),
            share(line.recall[1]),
            range(wilson(line.recall[1].part, line.recall[1].whole)),
            share(line.by_words[1]),
            share(line.recall[2]),
            percent_over(line.tokens),
            of(line.made_up),
        ]);
    }
    Some(table)
}

/// What is asked of the fused ranking, and what it does.
pub fn bars(run: &Run<'_>) -> Option<Cells> {
    let lines = reading_of(run)?;
    let fused = lines.iter().find(|line| line.way == "fused" && line.pages == "all")?;
    let mut table = Cells::new(["bar", "measured %", "asked %", "met"]);
    let met = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let (recall, tokens) = (fused.recall[1], fused.tokens);
    let reached = recall.part * 100 >= recall.whole * 90;
    table.row(vec!["recall@3 of fused".into(), percent_over(recall), "≥ 90".into(), met(reached)]);
    let cheap = tokens.part * 100 <= tokens.whole * 15;
    let what = "tokens@3 of fused, of the pages' full text".to_owned();
    table.row(vec![what, percent_over(tokens), "≤ 15".into(), met(cheap)]);
    Some(table)
}

/// What is known of a site, or of all.
#[derive(Clone, Debug, Default)]
pub struct Known<'t> {
    pub site: &'t str,
    recordings: u64,
    pub right: [Part; 2],
    pub wrong: Part,
    said: [Part; 2],
    pub recovered: Part,
    knowable: Part,
    made_up: u64,
}

pub fn knowledge_of<'t>(run: &Run<'t>) -> Option<Vec<Known<'t>>> {
    let mut lines: Vec<Known<'t>> = vec![Known { site: "all", ..Known::default() }];
    for row in run.files.knowledge.as_ref()?.rows() {
        let site = row.text("trace").split('/').next().unwrap_or_default();
        if !lines[1..].iter().any(|line| line.site == site) {
            lines.push(Known { site, ..Known::default() });
        }
        for (at, line) in lines.iter_mut().enumerate() {
            if at > 0 && line.site != site {
                continue;
            }
            let count = |column: &str| row.sum(&[column]);
            line.recordings += count("recordings");
            line.right[0].add(count("steps_right"), count("steps_asked"));
            line.right[1].add(count("whole_right"), count("whole_asked"));
            line.wrong.add(row.sum(&["steps_wrong", "whole_wrong"]), row.sum(&["steps_pages", "whole_pages"]));
            line.said[0].add(count("actions_seed"), count("actions"));
            line.said[1].add(count("actions_browser_use"), count("actions"));
            line.recovered.add(count("recovered"), count("removed"));
            line.knowable.add(count("known"), count("removed"));
            line.made_up += count("made_up");
        }
    }
    Some(lines)
}

pub fn knowledge(run: &Run<'_>) -> Option<Cells> {
    let headers = [
        "knowledge", "traces", "steps %", "whole %", "wrong %", "seed %", "browser-use %", "gaps %", "known %",
        "made up",
    ];
    let mut table = Cells::new(headers);
    for line in knowledge_of(run)? {
        let shares =
            [line.right[0], line.right[1], line.wrong, line.said[0], line.said[1], line.recovered, line.knowable];
        let made_up = if line.recovered.whole > 0 { line.made_up.to_string() } else { NONE.to_owned() };
        let cells = shares.map(|part| percent(part.part, part.whole));
        let name = [line.site.to_owned(), line.recordings.to_string()];
        table.row(name.into_iter().chain(cells).chain([made_up]).collect());
    }
    Some(table)
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
