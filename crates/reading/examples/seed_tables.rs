//! Measures the two tables of the design this crate follows, "Benchmark Data (Estimated)" and
//! "Performance Comparison", on pages of its five sizes, and prints them as Markdown beside its
//! estimates.
//!
//! `cargo run --release -p browserlens-reading --example seed_tables`; with `--write`, the tables
//! of the README and `seed_tables.json`, which reports read, are replaced.

#![allow(clippy::print_stdout, reason = "what it measures goes to standard output")]

#[path = "../benches/synthetic/counts.rs"]
mod counts;
#[path = "../benches/synthetic/mod.rs"]
mod synthetic;
#[path = "../benches/synthetic/workload.rs"]
mod workload;

use browserlens_core::page::visible_text;
use browserlens_core::tokens::Encoding;
use browserlens_reading::embed::Lexical;
use browserlens_reading::graph::{ContentGraph, PageGraph, RELATED_CONCEPT, RELATED_LIMIT, SeenAt};
use browserlens_reading::retrieval::{PageIndex, SearchOptions, answer};
use browserlens_reading::{Cache, CacheOptions, Cut, Outcome, extract};
use counts::{PageCounts, percent_fewer};
use serde::Serialize;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use synthetic::{SIZES, Size, topic};
use workload::{Pattern, measured};

const BEGIN: &str = "<!-- seed tables: begin -->\n";
const END: &str = "<!-- seed tables: end -->";

/// The tables as reports read them.
#[derive(Serialize)]
struct Tables {
    /// How and where they were measured.
    measured: String,
    tables: Vec<Table>,
}

/// A table, the first column of words and the rest as they are.
#[derive(Serialize)]
struct Table {
    title: &'static str,
    headers: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let headers: Vec<String> = self.headers.iter().map(|name| (*name).to_owned()).collect();
        let is_number = |at: usize| {
            self.rows
                .iter()
                .all(|row| row[at].starts_with(|c: char| c.is_ascii_digit() || c == '≈') && row[at].len() < 24)
        };
        let rules: Vec<String> =
            (0..headers.len()).map(|at| if is_number(at) { "--:".to_owned() } else { "---".to_owned() }).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        [line(&headers), line(&rules), rows].concat()
    }
}

struct Measured {
    size: Size,
    counts: PageCounts,
    baseline: Duration,
    extraction: Duration,
    miss: Duration,
    hit: Duration,
    by_url: Duration,
    index: Duration,
    query: Duration,
    graph: Duration,
    concepts: Duration,
}

/// A run that takes longer than this is interrupted on a machine with other work, every time.
const UNDISTURBED: Duration = Duration::from_millis(2);

/// The least of eleven or more runs, for at least a fifth of a second: what else the machine does
/// only adds to a run. Of long ones, what the processor spent on each if that is less.
fn least(mut run: impl FnMut() -> Result<Duration, Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let (start, spent) = (Instant::now(), processor_time());
    let mut times = Vec::new();
    while times.len() < 11 || (start.elapsed() < Duration::from_millis(200) && times.len() < 1_001) {
        times.push(run()?);
    }
    let least = times.iter().min().copied().unwrap_or_default();
    let each = spent.zip(processor_time()).map(|(before, after)| (after - before) / times.len() as u32);
    Ok(each.filter(|_| least > UNDISTURBED).map_or(least, |each| each.min(least)))
}

/// How long this thread has run, where the system tells.
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn timed<T>(run: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(T, Duration), Box<dyn Error>> {
    let start = Instant::now();
    let made = black_box(run()?);
    Ok((made, start.elapsed()))
}

fn measure(size: Size) -> Result<Measured, Box<dyn Error>> {
    let url = synthetic::address(size);
    let page = synthetic::page(&url, size.name, size.nodes, size.text);
    let extraction = extract(&page, Cut::All);
    let folder = tempfile::tempdir()?;
    let mut cache = Cache::open(&folder.path().join("pages.cache"), CacheOptions::default())?;
    let miss = least(|| Ok(timed(|| Ok(cache.read_anew(black_box(&page), Cut::All, 0)?))?.1))?;
    let hit = least(|| {
        let (reading, time) = timed(|| Ok(cache.read(black_box(&page), Cut::All, 1)?))?;
        if reading.outcome != Outcome::Hit { Err("no hit")? } else { Ok(time) }
    })?;
    let reading = cache.read(&page, Cut::All, 1)?;
    cache.visit(&url, &reading, 1)?;
    let by_url = least(|| Ok(timed(|| Ok(cache.latest(black_box(&url), Cut::All, 1)?))?.1))?;
    let indexed = || -> Result<PageIndex, Box<dyn Error>> {
        Ok(PageIndex::of(Arc::new(Lexical::default()), &url, &extraction.sections, &[])?)
    };
    let index = least(|| Ok(timed(indexed)?.1))?;
    let ready = indexed()?;
    let query = counts::question(&extraction);
    let ask =
        || -> Result<String, Box<dyn Error>> { Ok(answer(&query, &ready.search(&query, &SearchOptions::default())?)) };
    Ok(Measured {
        size,
        counts: counts::of(size)?,
        baseline: least(|| Ok(timed(|| Ok(visible_text(black_box(&page))))?.1))?,
        extraction: least(|| Ok(timed(|| Ok(extract(black_box(&page), Cut::All)))?.1))?,
        miss,
        hit,
        by_url,
        index,
        query: least(|| Ok(timed(ask)?.1))?,
        graph: least(|| Ok(timed(|| Ok(ContentGraph::of(&url, "", black_box(&extraction.blocks))))?.1))?,
        concepts: least(|| {
            let mut pages = PageGraph::new(Arc::new(Lexical::default()));
            Ok(timed(|| Ok(pages.add_blocks(&page, &extraction.blocks, SeenAt(0))?))?.1)
        })?,
    })
}

fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1_000.0;
    match ms {
        ..0.1 => format!("{ms:.3}"),
        ..1.0 => format!("{ms:.2}"),
        _ => format!("{ms:.1}"),
    }
}

fn sizes_tables(rows: &[Measured]) -> [Table; 2] {
    let times = rows.iter().map(|row| {
        let counts = &row.counts;
        let mut cells = vec![row.size.name.to_owned(), counts.nodes.to_string(), counts.text_in_kb()];
        cells.extend([format!("{} ms", row.size.seed_ms), row.size.seed_lost.to_owned()]);
        cells.extend([ms(row.baseline), counts.lost_in_kb()]);
        let times = [row.extraction, row.miss, row.hit, row.by_url, row.index, row.query, row.graph, row.concepts];
        cells.extend(times.map(ms));
        cells
    });
    #[rustfmt::skip]
    let headers = vec![
        "page", "nodes", "text", "estimate: time", "estimate: truncated?", "plain text", "truncated", "sections",
        "miss", "hit", "hit by URL", "index", "query", "graph", "concepts",
    ];
    let times =
        Table { title: "Benchmark Data: what reading a page takes, in milliseconds", headers, rows: times.collect() };
    let tokens = rows.iter().map(|row| row.counts.cells(row.size.name)).collect();
    [times, Table { title: counts::TITLE, headers: counts::HEADERS.to_vec(), rows: tokens }]
}

/// The least and the greatest of some figures.
fn range(rows: &[Measured], of: impl Fn(&Measured) -> f64, digits: usize, unit: &str) -> String {
    let least = rows.iter().map(&of).fold(f64::INFINITY, f64::min);
    let most = rows.iter().map(&of).fold(0.0, f64::max);
    let (least, most) = (format!("{least:.digits$}"), format!("{most:.digits$}"));
    if least == most { format!("{least}{unit}") } else { format!("{least}–{most}{unit}") }
}

fn comparison_table(rows: &[Measured]) -> Result<Table, Box<dyn Error>> {
    let millis = |time: Duration| time.as_secs_f64() * 1_000.0;
    let (simple, complex) = rows.split_at(1);
    let rates = hit_rates()?;
    let faster = |row: &Measured| millis(row.miss) / millis(row.hit);
    let lost: Vec<&Measured> = rows.iter().filter(|row| row.counts.lost > 0).collect();
    let shares: Vec<f64> = lost.iter().map(|row| 100.0 * row.counts.lost as f64 / row.counts.text as f64).collect();
    let (fewest, most) = (shares.iter().copied().fold(100.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
    let mut table: Vec<Vec<String>> = Vec::new();
    let mut row = |metric: &str, before: &str, after: &str, measured_before: String, measured_after: String| {
        table.push(vec![metric.to_owned(), before.to_owned(), after.to_owned(), measured_before, measured_after]);
    };
    let base = |rows: &[Measured]| range(rows, |row| millis(row.baseline), 3, " ms");
    row(
        "time, simple page",
        "20–50 ms",
        "–",
        base(simple),
        range(simple, |row| millis(row.extraction), 2, " ms in sections"),
    );
    row(
        "time, complex pages",
        "100–500 ms",
        "–",
        base(complex),
        range(complex, |row| millis(row.extraction), 2, " ms in sections"),
    );
    row(
        "time, cache hit",
        "–",
        "0–5 ms, 10–100x faster",
        "no cache".into(),
        format!(
            "{} with the page at hand, {} by URL alone; {} faster than a miss",
            range(rows, |row| millis(row.hit), 2, " ms"),
            range(rows, |row| millis(row.by_url), 2, " ms"),
            range(rows, faster, 1, "x")
        ),
    );
    row(
        "time, cache miss",
        "–",
        "150–600 ms",
        "–".into(),
        format!(
            "{}; with index and vectors {}",
            range(rows, |row| millis(row.miss), 1, " ms"),
            range(rows, |row| millis(row.miss + row.index), 1, " ms")
        ),
    );
    row("cache hit rate", "0 %", "60–80 %", "0 %".into(), rates);
    row(
        "semantic search",
        "not supported",
        "supported",
        "not supported".into(),
        format!("a query takes {}", range(rows, |row| millis(row.query), 2, " ms")),
    );
    row(
        "truncation loss",
        "50–90 % on long pages",
        "0 %",
        format!("{fewest:.0}–{most:.0} % on the {} long pages", lost.len()),
        "0 %: the full text is stored".into(),
    );
    row(
        "token efficiency",
        "low",
        "80–95 % fewer",
        "all text".into(),
        format!(
            "answers {} fewer than the full text, what stands under a heading {}",
            range(rows, |row| percent_fewer(row.counts.answer, row.counts.full), 1, " %"),
            range(rows, |row| percent_fewer(row.counts.section, row.counts.full), 1, " %")
        ),
    );
    row("cross-page intelligence", "not supported", "supported", "not supported".into(), across(rows)?);
    let headers = vec!["metric", "estimate before", "estimate after", "measured before", "measured after"];
    Ok(Table { title: "Performance Comparison", headers, rows: table })
}

/// Hit rates of the workloads over the bundled traces.
fn hit_rates() -> Result<String, Box<dyn Error>> {
    let tasks = workload::tasks()?;
    let mut rates = Vec::new();
    for pattern in Pattern::ALL {
        let counts = measured(&tasks, pattern)?;
        rates.push(format!("{:.0} % ({})", 100.0 * counts.hit_rate(), pattern.name()));
    }
    Ok(rates.join(", "))
}

/// What the graph over the five pages answers, and how fast.
fn across(rows: &[Measured]) -> Result<String, Box<dyn Error>> {
    let mut pages = PageGraph::new(Arc::new(Lexical::default()));
    for (at, row) in rows.iter().enumerate() {
        let url = format!("https://site{at}.test/");
        pages.add_page(&synthetic::page(&url, row.size.name, row.size.nodes, row.size.text), SeenAt(0))?;
    }
    let (aspect, subject) = topic(1);
    let query = format!("{aspect} of {subject}");
    let found = pages.find_related_pages(&query, RELATED_CONCEPT, RELATED_LIMIT)?.len();
    if found != rows.len() {
        Err(format!("{query:?} is on {} pages and found on {found}", rows.len()))?;
    }
    let related = least(|| Ok(timed(|| Ok(pages.find_related_pages(&query, RELATED_CONCEPT, RELATED_LIMIT)?))?.1))?;
    let (other_aspect, other_subject) = topic(2);
    let other = format!("The {other_aspect} of {other_subject}");
    let from = format!("The {query}");
    let path = pages.find_concept_path(&from, &other)?.ok_or("no path")?;
    let walked = least(|| Ok(timed(|| Ok(pages.find_concept_path(&from, &other)?))?.1))?;
    Ok(format!(
        "related pages in {} ms ({found} of {found}), a path of {} steps in {} ms",
        ms(related),
        path.links.len(),
        ms(walked)
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    Encoding::warm_up();
    let rows: Vec<Measured> = SIZES.into_iter().map(measure).collect::<Result<_, _>>()?;
    let cores = std::thread::available_parallelism()?;
    let [times, tokens] = sizes_tables(&rows);
    let tables = Tables {
        measured: format!(
            "Milliseconds, the least of at least eleven runs (above 2 ms, the processor time of a run if that is \
                less), one thread on a machine of {cores} cores, version {}; tokens are o200k_base.",
            env!("CARGO_PKG_VERSION")
        ),
        tables: vec![times, tokens, comparison_table(&rows)?],
    };
    let markdown: Vec<String> = tables.tables.iter().map(Table::markdown).collect();
    let markdown = format!("{}\n\n{}", tables.measured, markdown.join("\n"));
    println!("{markdown}");
    if std::env::args().any(|argument| argument == "--write") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = folder.join("README.md");
        let readme = std::fs::read_to_string(&path)?;
        let (before, rest) = readme.split_once(BEGIN).ok_or("the README has no mark where the tables begin")?;
        let (_, after) = rest.split_once(END).ok_or("the README has no mark where the tables end")?;
        std::fs::write(&path, format!("{before}{BEGIN}{markdown}{END}{after}"))?;
        std::fs::write(folder.join("seed_tables.json"), serde_json::to_string_pretty(&tables)? + "\n")?;
    }
    Ok(())
}
