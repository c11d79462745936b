//! Measures in Chromium what the plain text tool costs on pages of the five sizes of the reading crate's tables: the call as a
//! tool makes it, the script alone, and beside it the capture that the crate reads instead.
//!
//! `cargo run --release -p browserlens-recorder --example read_text_cost`; with `--write`, the table of the reading crate's
//! README is replaced.

#![allow(clippy::print_stdout, reason = "what it measures goes to standard output")]

#[path = "../../reading/benches/synthetic/mod.rs"]
mod synthetic;

use browserlens_page::Page;
use browserlens_reading::READ_TEXT_SCRIPT;
use browserlens_recorder::{LiveBrowser, LiveOptions};
use browserlens_strategy::PageSource;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};
use synthetic::SIZES;

const BEGIN: &str = "<!-- seed tables in Chromium: begin -->\n";
const END: &str = "<!-- seed tables in Chromium: end -->";

const RUNS: usize = 11;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut table = String::from(
        "| page | estimate: time | call | script alone | first call | capture | parsing the capture |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    for size in SIZES {
        let page = synthetic::page("https://example.test/", size.name, size.nodes, size.text);
        let path = folder.path().join("page.html");
        std::fs::write(&path, synthetic::html(&page))?;
        let mut live = LiveBrowser::open(&format!("file://{}", path.display()), &LiveOptions::default())?;
        let start = Instant::now();
        let text = live.evaluate(READ_TEXT_SCRIPT)?;
        let first = millis(start.elapsed());
        let read = text.as_str().map_or(0, str::len);
        if read * 10 < size.text * 9 {
            Err(format!("{}: {read} characters were read of {}", size.name, size.text))?;
        }
        let (mut call, mut script, mut capture, mut parse) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let start = Instant::now();
            live.evaluate(READ_TEXT_SCRIPT)?;
            call.push(millis(start.elapsed()));
            let timed = format!(
                "(() => {{ const start = performance.now(); let times = 0;
                   do {{ {READ_TEXT_SCRIPT}; times++; }} while (performance.now() - start < 50);
                   return (performance.now() - start) / times; }})()"
            );
            script.push(live.evaluate(&timed)?.as_f64().ok_or("no number")?);
            // Evaluating may have changed the page, so this captures it anew.
            let start = Instant::now();
            let (_, taken) = live.page()?;
            capture.push(millis(start.elapsed()));
            let start = Instant::now();
            Page::parse(&taken)?;
            parse.push(millis(start.elapsed()));
        }
        table.push_str(&format!(
            "| {} | {} ms | {:.1} | {:.2} | {first:.1} | {:.0} | {:.1} |\n",
            size.name,
            size.seed_ms,
            median(call),
            median(script),
            median(capture),
            median(parse)
        ));
    }
    println!("{table}");
    if std::env::args().any(|argument| argument == "--write") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reading/README.md");
        let readme = std::fs::read_to_string(&path)?;
        let (before, rest) = readme.split_once(BEGIN).ok_or("the README has no mark where the table begins")?;
        let (_, after) = rest.split_once(END).ok_or("the README has no mark where the table ends")?;
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}"))?;
    }
    Ok(())
}
