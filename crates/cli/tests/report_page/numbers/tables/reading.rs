//! Tables of answers, of reading and of knowledge.

use super::*;

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
    let rows: Vec<_> = run.files.table("answers")?.rows().collect();
    let whole: BTreeMap<&str, (u64, u64)> = rows
        .iter()
        .filter(|row| row.text("answers") == "unfiltered")
        .map(|row| (row.text("trace"), (row.sum(&["console"]), row.sum(&["network"]))))
        .collect();
    let mut kinds: Vec<(&str, Answer)> = Vec::new();
    for row in &rows {
        let name = row.text("answers");
        let (_, sum) = among(&mut kinds, |(known, _)| *known == name, || (name, Answer::default()));
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
    for row in run.files.table("questions")?.rows() {
        let trace = row.text("trace");
        let site = trace.split('/').next().unwrap_or_default();
        let places = if row.is("held_out") { vec!["held out"] } else { vec!["all", site] };
        for pages in places {
            let way = row.text("way");
            let is_it = |line: &Read<'_>| line.way == way && line.pages == pages;
            let line = among(&mut lines, is_it, || Read { way, pages, ..Read::default() });
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
    for row in run.files.table("knowledge")?.rows() {
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
