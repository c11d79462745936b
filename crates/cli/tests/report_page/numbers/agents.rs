//! The part on agents, made again from `runs.parquet`, `calls.parquet` and the measurements.

use super::formula::*;
use super::parquet::Row;
use super::run::{Part, Run, Task};
use super::tables::Cells;
use std::collections::{BTreeMap, BTreeSet};

/// What the refused calls of a run are counted by, as columns and in words.
const REFUSED: [(&str, &str); 5] = [
    ("not_found", "not found"),
    ("not_actionable", "not actionable"),
    ("timeout", "timeout"),
    ("bad_call", "bad call"),
    ("other", "other"),
];

fn rows<'t>(run: &Run<'t>) -> Vec<Row<'t>> {
    run.files.rows("runs").collect()
}

fn by_tool<'t>(run: &Run<'t>) -> BTreeMap<&'t str, Vec<Row<'t>>> {
    let mut tools: BTreeMap<&str, Vec<Row<'t>>> = BTreeMap::new();
    rows(run).into_iter().for_each(|row| tools.entry(row.text("tool")).or_default().push(row));
    tools
}

fn is_judged(row: &Row<'_>) -> bool {
    !row.lacks("reward")
}

fn judged(rows: &[Row<'_>]) -> Part {
    let judged: Vec<&Row<'_>> = rows.iter().filter(|row| is_judged(row)).collect();
    let part = judged.iter().filter(|row| row.real("reward") >= 1.0).count() as u64;
    Part { part, whole: judged.len() as u64 }
}

/// Milliseconds of the whole run, else of the tool; none where a run does not say.
fn milliseconds_of(rows: &[Row<'_>]) -> Option<Vec<u64>> {
    rows.iter().map(|row| row.count("ms").or_else(|| row.count("tool_ms"))).collect()
}

/// The calls of each run are counted in two files, and must agree.
fn check_calls(run: &Run<'_>) {
    let mut sums: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for call in run.files.rows("calls") {
        let sum = sums.entry(call.text("run")).or_default();
        sum[0] += 1;
        sum[1] += call.sum(&["answered"]);
        sum[2] += call.sum(&["own"]);
        sum[3] += u64::from(!call.lacks("waste"));
    }
    for row in rows(run) {
        let wasted = row.sum(&REFUSED.map(|(column, _)| column)) + row.sum(&["repeated", "no_effect"]);
        let expected = [row.sum(&["calls"]), row.sum(&["answered"]), row.sum(&["own"]), wasted];
        let found = sums.get(row.text("run")).copied().unwrap_or_default();
        // What the model said when it stopped is its own, and no call's.
        assert!(found[2] <= expected[2], "{}", row.text("run"));
        assert_eq!([found[0], found[1], found[3]], [expected[0], expected[1], expected[3]], "{}", row.text("run"));
    }
}

/// A row a tool.
pub fn table(run: &Run<'_>) -> Option<Cells> {
    run.files.table("runs")?;
    check_calls(run);
    let headers = ["tool", "runs", "succeeded", "95 %", "calls", "answered", "read", "new", "s"];
    let mut table = Cells::new(headers.into_iter().chain(["refused", "repeated", "no effect"]));
    for (tool, rows) in by_tool(run) {
        let n = rows.len() as f64;
        let sum = |columns: &[&str]| rows.iter().map(|row| row.sum(columns)).sum::<u64>();
        let share = judged(&rows);
        let seconds = milliseconds_of(&rows).map(|all| all.iter().sum::<u64>() as f64 / 1_000.0 / n);
        table.row(vec![
            tool.to_owned(),
            thousands(rows.len() as u64),
            if share.whole == 0 { NONE.to_owned() } else { format!("{} of {}", share.part, share.whole) },
            range(wilson(share.part, share.whole)),
            format!("{:.1}", sum(&["calls"]) as f64 / n),
            rounded(sum(&["answered"]) as f64 / n),
            rounded(sum(&["read"]) as f64 / n),
            rounded(sum(&["new"]) as f64 / n),
            seconds.map_or(NONE.to_owned(), |seconds| format!("{seconds:.1}")),
            thousands(sum(&REFUSED.map(|(column, _)| column))),
            thousands(sum(&["repeated"])),
            thousands(sum(&["no_effect"])),
        ]);
    }
    Some(table)
}

/// The numbers of the sentence below the table.
pub fn notes(run: &Run<'_>) -> Vec<String> {
    let rows = rows(run);
    let sum = |column: &str| rows.iter().map(|row| row.sum(&[column])).sum::<u64>();
    let mut numbers: Vec<u64> = REFUSED.iter().map(|(column, _)| sum(column)).filter(|count| *count > 0).collect();
    let count = |column: &str| rows.iter().filter(|row| row.is(column)).count() as u64;
    let assumed = count("own_assumed");
    if assumed > 0 {
        numbers.extend([assumed, 60]);
    }
    numbers.extend(["bare", "failed"].map(count).into_iter().filter(|count| *count > 0));
    let cut = rows.iter().filter(|row| !row.lacks("cut")).count() as u64;
    numbers.extend([cut, sum("images_without_size")].into_iter().filter(|count| *count > 0));
    numbers.iter().map(u64::to_string).collect()
}

/// The strategy that a tool is set beside.
fn strategy_of<'t>(run: &Run<'t>, tool: &str) -> Option<&'t str> {
    let plain = |text: &str| {
        let spaced: String =
            text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
        format!(" {} ", spaced.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let names = || run.strategies.iter().map(|one| one.name);
    if plain(tool).starts_with(" browserlens ") {
        return names().find(|name| *name == "lens/delta");
    }
    let mut found: Vec<&str> = names()
        .filter(|name| {
            let product = name.split('/').next().unwrap_or_default();
            product.contains('@') && plain(tool).contains(&plain(product))
        })
        .collect();
    found.sort_by_key(|name| {
        let bare = name.trim_end_matches(":recorded");
        (bare == *name, !bare.ends_with("/full"), *name)
    });
    found.first().copied()
}

/// Steps for the strict reader and for the simple one, the exam: of a task.
fn scores(task: &Task<'_>) -> [Part; 3] {
    let steps = task.rows.len() as u64;
    let count = |column: &str| task.rows.iter().filter(|row| row.is(column)).count() as u64;
    let sum = |column: &str| task.rows.iter().map(|row| row.sum(&[column])).sum::<u64>();
    [
        Part { part: count("success"), whole: steps },
        Part { part: count("simple_success"), whole: steps },
        Part { part: sum("exam_local"), whole: sum("exam_asked") },
    ]
}

const SCORES: [&str; 3] = ["offline success", "simple reader", "exam"];

fn average_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Rewards by tool and task; none where nobody judged.
fn rewards<'t>(run: &Run<'t>) -> Option<BTreeMap<(&'t str, &'t str), Vec<f64>>> {
    let mut rewards: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in rows(run).iter().filter(|row| is_judged(row)) {
        rewards.entry((row.text("tool"), row.text("task"))).or_default().push(row.real("reward").clamp(0.0, 1.0));
    }
    (!rewards.is_empty() && !run.strategies.is_empty()).then_some(rewards)
}

type Line<'t> = (&'t str, Option<&'t str>, Vec<f64>, [Part; 3]);
type Pairs = (&'static str, &'static str, Vec<(f64, f64)>);

/// Each tool beside its strategy: its rewards, and the scores over all tasks as shares of sums.
fn lines<'t>(run: &Run<'t>) -> Option<Vec<Line<'t>>> {
    let rewards = rewards(run)?;
    let tools: BTreeSet<&str> = rewards.keys().map(|(tool, _)| *tool).collect();
    let line = |tool: &&'t str| {
        let strategy = strategy_of(run, tool);
        let own =
            rewards.iter().filter(|((other, _), _)| other == tool).flat_map(|(_, values)| values.clone()).collect();
        let mut sums = [Part::default(); 3];
        for task in strategy.iter().flat_map(|name| run.strategy(name).by_trace.iter().flatten()) {
            scores(task).iter().zip(&mut sums).for_each(|(one, sum)| sum.add(one.part, one.whole));
        }
        (*tool, strategy, own, sums)
    };
    Some(tools.iter().map(line).collect())
}

pub fn tools(run: &Run<'_>) -> Option<Cells> {
    let headers = ["tool", "strategy", "judged runs", "mean reward"].map(str::to_owned).to_vec();
    let mut table = Cells::new(headers.into_iter().chain(SCORES.map(|name| format!("{name} %"))));
    for (tool, strategy, rewards, sums) in lines(run)? {
        let mut cells = vec![
            tool.to_owned(),
            strategy.unwrap_or(NONE).to_owned(),
            thousands(rewards.len() as u64),
            format!("{:.2}", average_of(&rewards)),
        ];
        cells.extend(sums.map(|sum| percent(sum.part, sum.whole)));
        table.row(cells);
    }
    Some(table)
}

type Pair<'t> = (&'t str, &'t str, f64, f64);

/// Means of both sides by one key, over the values of the other that all have.
fn grouped(pairs: &[Pair<'_>], by_tool: bool) -> Vec<(f64, f64)> {
    let keys = |pair: &Pair<'_>| {
        if by_tool { (pair.0.to_owned(), pair.1.to_owned()) } else { (pair.1.to_owned(), pair.0.to_owned()) }
    };
    let mut groups: BTreeMap<String, BTreeMap<String, (f64, f64)>> = BTreeMap::new();
    for pair in pairs {
        let (group, over) = keys(pair);
        groups.entry(group).or_default().insert(over, (pair.2, pair.3));
    }
    let shared: BTreeSet<String> = groups
        .values()
        .flat_map(BTreeMap::keys)
        .filter(|value| groups.values().all(|own| own.contains_key(*value)))
        .cloned()
        .collect();
    groups
        .values()
        .filter(|_| !shared.is_empty())
        .map(|own| {
            let values: Vec<(f64, f64)> = shared.iter().map(|value| own[value]).collect();
            let side = |of: fn(&(f64, f64)) -> f64| average_of(&values.iter().map(of).collect::<Vec<_>>());
            (side(|pair| pair.0), side(|pair| pair.1))
        })
        .collect()
}

/// The trace that is a task's: the bench calls it `site/name`.
fn place_of(run: &Run<'_>, task: &str) -> Option<usize> {
    run.traces.iter().position(|trace| **trace == *task || trace.replace('/', "-") == task)
}

/// The pairs of each row: a score, what they are, the values.
fn pairs_of(run: &Run<'_>) -> Option<Vec<Pairs>> {
    let (rewards, lines) = (rewards(run)?, lines(run)?);
    let mut all = Vec::new();
    for (at, score) in SCORES.into_iter().enumerate() {
        let mut pairs: Vec<Pair<'_>> = Vec::new();
        for ((tool, task), values) in &rewards {
            let place = place_of(run, task);
            let found = strategy_of(run, tool).zip(place);
            let offline =
                found.and_then(|(name, place)| scores(run.strategy(name).by_trace[place].as_ref()?)[at].value());
            if let Some(offline) = offline {
                pairs.push((tool, task, offline, average_of(values)));
            }
        }
        let other = lines.iter().filter_map(|(_, _, own, sums)| Some((sums[at].value()?, average_of(own)))).collect();
        all.push((score, "tools, any tasks", other));
        all.push((score, "tools × tasks", pairs.iter().map(|pair| (pair.2, pair.3)).collect()));
        all.push((score, "tools, same tasks", grouped(&pairs, true)));
        all.push((score, "tasks", grouped(&pairs, false)));
    }
    Some(all)
}

pub fn correlations(run: &Run<'_>) -> Option<Cells> {
    let mut table = Cells::new(["offline", "pairs are", "pairs", "ρ", "95 %"]);
    let spelled = |value: f64| format!("{value:.2}").replace('-', "−");
    for (score, what, pairs) in pairs_of(run)? {
        let found = rank_correlation(&pairs);
        table.row(vec![
            score.to_owned(),
            what.to_owned(),
            pairs.len().to_string(),
            found.map_or(NONE.to_owned(), |found| spelled(found.value)),
            found
                .and_then(|found| found.interval)
                .map_or(NONE.to_owned(), |(low, high)| format!("{} to {}", spelled(low), spelled(high))),
        ]);
    }
    Some(table)
}

/// The numbers of the sentence below the correlations.
pub fn worth(run: &Run<'_>) -> Vec<String> {
    let (Some(rewards), Some(pairs)) = (rewards(run), pairs_of(run)) else { return Vec::new() };
    let judged: BTreeSet<&str> = rewards.keys().map(|(_, task)| *task).collect();
    let is_both = |task: &&&str| {
        let place = place_of(run, task);
        let tools = rewards.keys().filter(|(_, own)| *own == **task).map(|(tool, _)| *tool);
        place.is_some_and(|place| {
            tools.filter_map(|tool| strategy_of(run, tool)).any(|name| run.strategy(name).by_trace[place].is_some())
        })
    };
    let both = judged.iter().filter(is_both).count();
    let others = pairs.iter().filter(|(_, what, _)| *what == "tools, any tasks").map(|(_, _, pairs)| pairs.len()).max();
    let mut numbers = vec![judged.len().to_string(), both.to_string()];
    numbers.extend(others.filter(|others| *others >= 3).map(|others| others.to_string()));
    numbers.push("95".to_owned());
    numbers
}

/// Points and the list of runs, as the page's script is given them; returns how many numbers.
pub fn check_data(data: &serde_json::Value, run: &Run<'_>) -> usize {
    let points = data["agents"].as_array().expect("points");
    let tools: Vec<(&str, Vec<Row<'_>>)> =
        by_tool(run).into_iter().filter(|(_, rows)| judged(rows).whole > 0).collect();
    assert_eq!(points.len(), tools.len(), "a point a tool that was judged");
    let costs: Vec<[Option<Statistic>; 2]> = tools
        .iter()
        .map(|(_, rows)| {
            let read: Vec<f64> = rows.iter().map(|row| row.sum(&["read"]) as f64).collect();
            let seconds = milliseconds_of(rows).unwrap_or_default();
            let seconds: Vec<f64> = seconds.iter().map(|ms| *ms as f64 / 1_000.0).collect();
            [average(&read), average(&seconds)]
        })
        .collect();
    let success = |at: usize| judged(&tools[at].1).value().unwrap_or(0.0);
    for (at, (point, (tool, rows))) in points.iter().zip(&tools).enumerate() {
        let share = judged(rows);
        assert_eq!(point["tool"], **tool);
        assert_eq!(point["runs"], serde_json::json!([share.part, share.whole, rows.len()]));
        super::page::same(&point["success"], success(at), tool);
        super::page::same_range(&point["interval"], wilson(share.part, share.whole), tool);
        for kind in 0..2 {
            let own = costs[at][kind];
            match own {
                None => assert!(point["cost"][kind].is_null(), "{tool}"),
                Some(own) => super::page::same(&point["cost"][kind], own.value, tool),
            }
            super::page::same_range(&point["cost_interval"][kind], own.and_then(|own| own.interval), tool);
            let is_beaten = own.is_none_or(|own| {
                (0..tools.len()).any(|other| {
                    costs[other][kind].is_some_and(|cost| {
                        cost.value <= own.value
                            && success(other) >= success(at)
                            && (cost.value < own.value || success(other) > success(at))
                    })
                })
            });
            assert_eq!(point["front"][kind], !is_beaten, "{tool}");
        }
    }
    let listed = data["runs"].as_array().expect("runs");
    let rows = rows(run);
    assert_eq!(listed.len(), rows.len());
    for (item, row) in listed.iter().zip(&rows) {
        for column in ["task", "tool"] {
            assert_eq!(item[column], row.text(column));
        }
        assert_eq!(item["name"], row.text("run"));
        assert_eq!(item["calls"], row.sum(&["calls"]));
        let success = is_judged(row).then(|| row.real("reward") >= 1.0);
        assert_eq!(item["success"], serde_json::json!(success), "{}", row.text("run"));
    }
    points.len() * 10 + listed.len() * 2
}
