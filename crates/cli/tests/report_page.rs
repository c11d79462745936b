//! The page of a report in a real Chromium: it opens from disk without a complaint or a request,
//! its charts have data, its viewer is walked by keyboard, what recorded pages try on readers does
//! nothing in it, and axe finds no fault.

#[path = "report_page/browser.rs"]
mod browser;
mod common;
#[path = "report_page/copies.rs"]
mod copies;
#[path = "report_page/model.rs"]
mod model;
#[path = "report_page/numbers/mod.rs"]
mod numbers;

use browser::Opened;
use browserlens_core::tokens::ImageFormula;
use browserlens_replay::{Measurement, PerMille, RunResult, StepInfo as RecordedStep, TaskMeasurement, TraceInfo};
use browserlens_report::{
    About, AgentPage, AgentRun, EventInfo, FactInfo, ReportInput, StepInfo, StrategyRefs, write_report,
};
use browserlens_trace::agents::{Call, End, Header, RunRecord};
use common::{Ran, browserlens, root};
use copies::Copies;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Tries what markup, addresses and attributes can try.
const HOSTILE: &str = "\"'><img src=x onerror=\"pwned=1\"><svg \
    onload=pwned=1></svg></script><script>pwned=1</script><a href=\"javascript:pwned=1\">x</a>";
const STRATEGIES: &str = "lens/full,lens/delta,lens/a11y,lens/dom,lens/hybrid,lens/vision,lens/budget-1500,\
    snapshot/outline,raw/html,playwright-mcp@0.0.83/full*";

/// A report of two recorded traces, one of them hostile, which two models have read too, and the
/// run that it is about; made once.
struct Made {
    folder: PathBuf,
    run: PathBuf,
}

impl Made {
    fn page(&self) -> PathBuf {
        self.folder.join("report/index.html")
    }
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report_page");
        let _ = std::fs::remove_dir_all(&folder);
        let at = |name: &str| folder.join(name).display().to_string();
        let run = |arguments: &[&str]| {
            let mut program = browserlens();
            Ran::of(program.args(arguments).current_dir(root()).env_remove("OPENAI_API_KEY")).good()
        };
        let chosen = ["--scenarios", "hostile/*,tiny/*", "--strategies", STRATEGIES];
        let kept = ["--cache-dir", &at("cache"), "--runs-dir", &at("runs"), "--out", &at("first")];
        run(&[&["bench"], &chosen[..], &kept[..]].concat());
        let mut runs = std::fs::read_dir(folder.join("runs")).expect("runs").map(|entry| entry.expect("lists").path());
        let stored_run = runs.find(|path| path.is_dir()).expect("one run");
        let (stored, endpoint) = (stored_run.display().to_string(), model::start());
        for (name, tier) in [("no-model-7b", "small"), ("no-model-70b", "large")] {
            let reader = ["lab", "llm", &stored, "--model", name, "--tier", tier, "--base-url", &endpoint, "--yes"];
            run(&[&reader[..], &["--cassette", &at(name), "--strategies", "lens/delta,lens/full"]].concat());
        }
        run(&["bench", "--from", &stored, "--cache-dir", &at("cache"), "--out", &at("report")]);
        Made { folder, run: stored_run }
    })
}

fn axe() -> String {
    let path = root().join(".tools/axe/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}: run scripts/install-axe", path.display()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_opens_without_a_complaint_and_every_chart_has_data() {
    let (opened, _) = Opened::file(&made().page()).await;
    for (chart, marks, at_least) in [
        ("pareto-chart", ".point", 8),
        ("tokens-chart", ".panel .series circle", 60),
        ("latency-chart", ".row rect.bar", 16),
        ("routers-chart", ".row rect.bar", 4),
        ("agents-chart", ".point", 3),
    ] {
        let found: usize = opened.evaluate(&format!("document.querySelectorAll('#{chart} {marks}').length")).await;
        assert!(found >= at_least, "{chart}: {found} of {marks}");
    }
    let there: Vec<String> =
        opened.evaluate("[...document.querySelectorAll('main > section')].map((one) => one.id)").await;
    // The contents name every section.
    opened.is("[...document.querySelectorAll('nav.contents a')].map((link) => link.hash.slice(1))", &there[..]).await;
    for id in [
        "summary", "pareto", "tokens", "steps", "scenarios", "agents", "latency", "routers", "fidelity", "attacks",
        "inspect", "llm", "run", "notes",
    ] {
        assert!(there.iter().any(|other| other == id), "no section {id}");
    }

    // Sorting by a header, and back.
    let column = "[...document.getElementById('headline').tBodies[0].rows].map((row) => \
        Number(row.cells[1].firstChild.data.replaceAll(',', '')))";
    opened.run("document.querySelectorAll('#headline button.sort')[1].click()").await;
    let tokens: Vec<f64> = opened.evaluate(column).await;
    assert!(tokens.is_sorted(), "{tokens:?}");
    opened.run("document.querySelectorAll('#headline button.sort')[1].click()").await;
    let tokens: Vec<f64> = opened.evaluate(column).await;
    assert!(tokens.iter().rev().is_sorted(), "{tokens:?}");

    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_viewer_walks_a_trace_by_keyboard() {
    let (opened, _) = Opened::file(&made().page()).await;
    let position = "document.getElementById('position').textContent";
    opened.run("document.getElementById('timeline').focus()").await;
    opened.is(position, "Step 0 · 1 of 8").await;
    assert!(opened.evaluate::<bool>("document.querySelector('#screen img').complete").await);

    let mut texts = Vec::new();
    for step in 1..8 {
        opened.press("ArrowRight").await;
        opened.is(position, format!("Step {step} · {} of 8", step + 1)).await;
        texts.push(opened.evaluate::<String>("document.querySelector('#left-pane pre').textContent").await);
        let shown: usize = opened.evaluate("document.querySelectorAll('.pane pre').length").await;
        assert!(shown >= 2, "two strategies side by side at step {step}");
    }
    texts.dedup();
    assert!(texts.len() > 4, "each step shows its own text");
    opened.press("ArrowRight").await;
    opened.is(position, "Step 7 · 8 of 8").await;
    opened.press("Home").await;
    opened.is(position, "Step 0 · 1 of 8").await;

    // Where the next action's node and the refs lie, and what a line costs.
    let count = |selector: &str| format!("document.querySelectorAll('{selector}').length");
    assert!(opened.evaluate::<usize>(&count("#screen .mark-target")).await >= 1);
    opened.run("viewer.choose('left', overview.strategies.indexOf('lens/full'))").await;
    assert!(opened.evaluate::<usize>(&count("#screen .mark-ref")).await >= 3);
    opened.press("n").await;
    assert!(opened.evaluate::<usize>(&count("#screen .pointed")).await == 1);
    opened.press("r").await;
    opened.is(&count("#screen .mark-ref"), 0).await;
    let heat: Vec<u64> = opened
        .evaluate("[...document.querySelectorAll('#left-pane .heat')].map((strip) => Number(strip.dataset.tokens))")
        .await;
    assert!(heat.iter().sum::<u64>() > 20, "{heat:?}");

    // Before and after, a delta's changes, the help, another scenario.
    opened.press("ArrowRight").await;
    opened.press("b").await;
    opened.is("document.getElementById('shot-title').textContent", "Page before the action").await;
    opened.run("viewer.choose('left', overview.strategies.indexOf('lens/delta'))").await;
    let lines = ["changed", "added", "removed", "moved"].map(|kind| format!("#left-pane .line.{kind}")).join(", ");
    assert!(opened.evaluate::<usize>(&count(&lines)).await > 0);
    opened.press("?").await;
    assert!(opened.evaluate::<bool>("document.getElementById('help').open").await);
    opened.run("document.getElementById('help-close').click()").await;
    opened.press("]").await;
    opened.until("document.getElementById('position').textContent.endsWith('of 7')").await;
    let events: usize = opened.evaluate(&count("#events li")).await;
    assert!(events > 0, "the first page was requested");

    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_an_agent_is_walked_call_by_call() {
    let (opened, _) = Opened::file(&made().page()).await;
    opened.until("document.getElementById('runs').dataset.ready === '0'").await;
    opened.is("document.getElementById('run').options.length", 72).await;
    // A run whose tool refused a call, and whose calls say how long they took.
    let wanted = "overview.runs.findIndex((run) => run.name === 'wild-antd-book--browserlens-serve-mcp')";
    opened.run(&format!("runs.open({wanted})")).await;
    opened.until(&format!("document.getElementById('runs').dataset.ready === String({wanted})")).await;
    opened.is("document.querySelectorAll('#calls li').length", 6).await;
    let shares: f64 = opened
        .evaluate(
            "[...document.querySelectorAll('#calls .share:not(.carried)')].reduce((sum, bar) => sum + \
             Number(bar.style.getPropertyValue('--share')), 0)",
        )
        .await;
    assert!((shares - 1.0).abs() < 1e-6, "the shares of time are those of the whole: {shares}");
    opened.run("document.getElementById('calls').focus()").await;
    let shown = "document.querySelector('#call .cost strong').textContent";
    opened.is(shown, "1 navigate").await;
    opened.press("ArrowDown").await;
    opened.is(shown, "2 fill").await;
    opened.press("End").await;
    opened.is(shown, "6 click").await;
    let answer: String = opened.evaluate("[...document.querySelectorAll('#call pre')].at(-1).textContent").await;
    assert!(answer.contains("Skye"), "{answer}");
    opened.run("runs.go(1)").await;
    opened.until("document.querySelector('#call .chip.bad')?.textContent === '✗ refused: not actionable'").await;
    // The records of all four tools say how long their calls took.
    opened
        .run(
            "document.getElementById('agents-cost').selectedIndex = 1; \
              document.getElementById('agents-cost').dispatchEvent(new Event('change'))",
        )
        .await;
    opened.until("document.querySelectorAll('#agents-chart .point').length === 4").await;
    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_paper_stand_the_tables_that_were_folded_and_the_open_step() {
    let (opened, _) = Opened::file(&made().page()).await;
    opened.run("viewer.go(2)").await;
    opened
        .run(
            "window.onbeforeprint = () => { window.printed = document.querySelectorAll('main \
        section:not(#site-maps) details:not([open])').length; }",
        )
        .await;
    opened.print_media().await;
    let shown = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].filter((one) => one.checkVisibility()).length")
    };
    for hidden in ["nav.contents", ".tools", "#timeline", ".switches", "#previous"] {
        opened.is(&shown(hidden), 0).await;
    }
    opened.is(&shown("#screen img"), 1).await;
    // Which step it is.
    opened.is(&shown("#position"), 1).await;
    assert!(opened.evaluate::<usize>(&shown(".pane pre")).await >= 2, "both observations");
    // None of them ends where a screen would.
    let cut = "[...document.querySelectorAll('.pane pre')].filter((one) => one.scrollHeight > one.clientHeight + 1)";
    opened.is(&format!("{cut}.length"), 0).await;
    let bytes = opened.pdf().await;
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 50_000, "{}", bytes.len());
    // Everything that was folded was open while it was printed, and is folded again.
    opened.is("window.printed", 0).await;
    opened.is("document.querySelector('main section:not(#site-maps) details:not([open])') !== null", true).await;
    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_fault_wide_and_narrow_in_light_and_dark() {
    let (opened, _) = Opened::file(&made().page()).await;
    let axe = axe();
    for (width, colours) in [(1_280, "light"), (1_280, "dark"), (360, "light"), (2_560, "dark")] {
        opened.look(width, 900, colours).await;
        opened.run("viewer.go(2)").await;
        let wide: u32 = opened.evaluate("document.documentElement.scrollWidth").await;
        assert!(i64::from(wide) <= width, "the page is {wide} px wide at {width}");
        assert_eq!(opened.violations(&axe).await, Vec::<String>::new(), "{width} px, {colours}");
    }
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_is_made_again_from_the_parquet_files() {
    let (in_summary, in_page) = numbers::of(&made().folder.join("report"), true).await;
    assert!(in_summary > 800 && in_page > 3_000, "{in_summary}, {in_page}");
}

#[test]
fn a_number_that_is_wrong_anywhere_in_the_summary_is_seen() {
    let folder = made().folder.join("report");
    let files = numbers::run::Files::read(&folder);
    let run = numbers::run::Run::of(&files);
    let summary = std::fs::read_to_string(folder.join("summary.md")).expect("a summary");
    let lines: Vec<&str> = summary.lines().collect();
    let is_heading = |line: &&str| line.starts_with('#');
    let mut tried = 0;
    // The last number of the first row, or of the first sentence, below every heading.
    for from in (0..lines.len()).filter(|at| is_heading(&lines[*at])) {
        let below = lines[from + 1..].iter().take_while(|line| !is_heading(line));
        let Some(at) = below.clone().position(|line| line.contains(|c: char| c.is_ascii_digit())) else { continue };
        let at = from
            + 1
            + at
            + usize::from(lines[from + 1 + at].contains("n = ") && lines[from + 1 + at].starts_with('|')) * 2;
        let line = lines[at];
        let Some(digit) = line.rfind(|c: char| c.is_ascii_digit()) else { continue };
        let other = if line.as_bytes()[digit] == b'7' { "8" } else { "7" };
        let wrong = format!("{}{other}{}", &line[..digit], &line[digit + 1..]);
        let changed = [&lines[..at], &[wrong.as_str()], &lines[at + 1..]].concat().join("\n");
        let seen = std::panic::catch_unwind(|| numbers::markdown::check(&changed, &run));
        assert!(seen.is_err(), "nobody saw that this is wrong: {wrong}");
        tried += 1;
    }
    assert!(tried >= 10, "{tried}");
    let more = format!("{summary}\nAll of 3 more numbers.\n");
    assert!(std::panic::catch_unwind(|| numbers::markdown::check(&more, &run)).is_err());
}

/// Takes the pictures of the README: `./just picture` names the report and the folder.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes pictures: name a report in BROWSERLENS_REPORT and a folder in BROWSERLENS_PICTURES"]
async fn pictures_of_the_main_views() {
    let named = |name: &str| {
        root().join(PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} names a folder"))))
    };
    let (report, pictures) = (named("BROWSERLENS_REPORT"), named("BROWSERLENS_PICTURES"));
    let (opened, _) = Opened::file(&report.join("index.html")).await;
    opened.look(1_280, 1_500, "light").await;
    // A delta beside what another tool says, on a page where something changed.
    opened
        .run("viewer.open(Math.max(0, overview.scenarios.findIndex((one) => one.name.startsWith('shop/'))), 3)")
        .await;
    opened.until("document.querySelector('#screen img')?.complete").await;
    opened.run("document.activeElement?.blur()").await;
    for (view, name) in [("", "report.png"), ("#pareto", "report-pareto.png"), ("#steps", "report-steps.png")] {
        let bytes = opened.picture(view, (1_280, 1_500)).await;
        assert!(bytes.len() > 20_000, "{name}: {} bytes", bytes.len());
        std::fs::write(pictures.join(name), bytes).expect("writes");
        println!("{}", pictures.join(name).display());
    }
    opened.close().await;
}

/// The page of a whole suite is there before one has thought of something else.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a report: name its folder in BROWSERLENS_REPORT"]
async fn a_given_report_opens_in_less_than_two_seconds() {
    let folder =
        root().join(PathBuf::from(std::env::var_os("BROWSERLENS_REPORT").expect("BROWSERLENS_REPORT names a folder")));
    let page = folder.join("index.html");
    let bytes = std::fs::metadata(&page).expect("a page").len();
    let mut all = Vec::new();
    for _ in 0..3 {
        let (opened, ready) = Opened::file(&page).await;
        let [paint, load] = opened.opening().await;
        println!(
            "{bytes} bytes: first paint {paint:.0} ms, load {load:.0} ms, first step shown {} ms after the command to \
                open",
            ready.as_millis()
        );
        all.push(paint.max(load));
        opened.close().await;
    }
    let best = all.into_iter().fold(f64::INFINITY, f64::min);
    assert!(best < 2_000.0, "{best} ms");
    assert!(bytes < 15_000_000, "{bytes}");
}

/// The same of any report:
/// `BROWSERLENS_REPORT=reports/report-… cargo test --workspace --test report_page -- --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a report: name its folder in BROWSERLENS_REPORT"]
async fn every_number_of_a_given_report_is_made_again() {
    let folder = PathBuf::from(std::env::var_os("BROWSERLENS_REPORT").expect("BROWSERLENS_REPORT names a folder"));
    let (in_summary, in_page) = numbers::of(&root().join(folder), false).await;
    println!("{in_summary} cells in the summary; {in_page} cells, sentences and data in the page");
    assert!(in_summary > 0 && in_page > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pages_and_names_try_does_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = Copies::of(&made().run, 1, HOSTILE).write(folder.path());
    let (opened, _) = Opened::file(&page).await;
    // Every scenario, every step, every strategy on the left.
    let walked: usize = opened
        .evaluate(
            "(async () => { let walked = 0; for (let at = 0; at < viewer.count; at += 1) { await viewer.open(at, 0); \
             for (let left = 0; left < overview.strategies.length; left += 1) { viewer.choose('left', left); \
             for (let step = 0; step < overview.scenarios[at].steps; step += 1) { viewer.go(step); walked += 1; } } } \
             return walked; })()",
        )
        .await;
    assert!(walked >= 15 * 8, "{walked}");
    opened.run("runs.open(0).then(() => { runs.go(0); runs.go(1); })").await;
    opened.until("document.getElementById('run-page').textContent.includes('javascript:pwned')").await;
    // Pointing at what shows its words elsewhere.
    opened
        .run(
            "document.querySelectorAll('.point, .row, .panel').forEach((mark) => ['mouseenter', 'mousemove', \
                'focus'].forEach((kind) => mark.dispatchEvent(new MouseEvent(kind))))",
        )
        .await;
    // Its words are shown, and nothing else.
    opened.is("document.body.textContent.includes('onerror=\"pwned=1\"')", true).await;
    opened.is("'pwned' in window", false).await;
    let bad = "[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name, value }) => \
        name.startsWith('on') || /^\\s*javascript:/i.test(value) || (name === 'src' && \
        !value.startsWith('data:image/jpeg;base64,')))).length";
    opened.is(bad, 0).await;
    opened.is("[...document.scripts].filter((one) => one.type === '').length", 1).await;
    let foreign = "iframe, object, embed, base, form, foreignObject, use, animate";
    opened.is(&format!("document.querySelectorAll('{foreign}').length"), 0).await;
    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_of_2_000_steps_still_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let copies = Copies::of(&made().run, 134, "");
    let steps = copies.steps.len();
    assert!(steps >= 2_000, "{steps}");
    let page = copies.write(folder.path());
    let bytes = std::fs::metadata(&page).expect("the page").len();
    assert!(bytes < 15_000_000, "{bytes}");
    let (opened, took) = Opened::file(&page).await;
    println!("{steps} steps: {bytes} bytes, opened in {took:?}");
    opened.run("viewer.open(viewer.count - 1, 3)").await;
    opened.until("document.querySelectorAll('.pane pre').length >= 2").await;
    assert!(opened.evaluate::<bool>("document.getElementById('viewer-trouble').hidden").await);
    opened.end().await;
}
