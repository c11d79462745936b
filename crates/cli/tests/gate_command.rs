//! The gate through the command: a deliberate change of the formatter (rows are no longer folded)
//! fails it and says what, where, how much and how it looks; taken back, it is an improvement that
//! suggests to be accepted.

mod common;

use browserlens_replay::AcceptedRun;
use common::{Ran, browserlens, root, run};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One whose pages have rows that are folded, and one that has none: what does not change is not
/// named.
const TRACES: [&str; 2] = ["portal-offer-for-a-shift.trace", "tiny-newsletter-signup.trace"];
const STRATEGIES: &str = "[[strategy]]\nname = \"lens/full\"\nwhy = \"whole\"\n\n[[strategy]]\nname = \
    \"lens/delta\"\nwhy = \"changes\"\n\n[[strategy]]\nname = \"raw/ax-tree\"\nwhy = \"nothing of it is ours to \
    fold\"\n";

/// A folder with two traces, three strategies and an accepted run of its own.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let traces = folder.path().join("traces");
        std::fs::create_dir(&traces).expect("makes");
        for name in TRACES {
            run(&format!("trace prune --last-step 2 traces/{name} {}", traces.join(name).display())).good();
        }
        std::fs::write(folder.path().join("strategies.toml"), STRATEGIES).expect("writes");
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the bench; with rows apart it has a cache of its own, since no version says that the
    /// formatter changed.
    fn run(&self, name: &str, rows_apart: bool, args: &[&str]) -> Ran {
        let mut command = browserlens();
        command.arg("bench").arg(self.at("traces")).current_dir(root());
        command.arg("--strategies-file").arg(self.at("strategies.toml"));
        command.arg("--accepted-dir").arg(self.at("reports/accepted"));
        command.arg("--tolerances").arg(self.at("tolerances.toml"));
        command.arg("--runs-dir").arg(self.at("runs")).arg("--out").arg(self.at(name));
        command.arg("--cache-dir").arg(self.at(if rows_apart { "cache-apart" } else { "cache" }));
        command.args(args).env_remove("BROWSERLENS_TEST_ROWS_APART");
        if rows_apart {
            command.env("BROWSERLENS_TEST_ROWS_APART", "1");
        }
        Ran::of(&mut command)
    }

    /// Tokens of each step of the accepted run.
    fn accepted(&self) -> BTreeMap<(String, String, u32), u64> {
        let run = AcceptedRun::load(&self.at("reports/accepted")).expect("reads").expect("is there");
        let rows = run.rows.into_iter();
        rows.filter_map(|row| Some(((row.strategy, row.trace, row.step), row.numbers?.cost.o200k))).collect()
    }
}

#[test]
fn a_report_is_kept_until_something_that_it_is_made_of_changes() {
    let bench = Bench::new();
    let bench_to = |args: &[&str]| {
        let mut command = browserlens();
        command.arg("bench").arg(bench.at("traces")).current_dir(root());
        command.arg("--strategies-file").arg(bench.at("strategies.toml"));
        command.arg("--runs-dir").arg(bench.at("reports/runs")).arg("--cache-dir").arg(bench.at("cache")).args(args);
        let ran = Ran::of(&mut command);
        ran.ends(0, &["report: "]);
        let report = ran.err.lines().find_map(|line| line.strip_prefix("report: ")).expect("it is named");
        (ran.out, PathBuf::from(report))
    };
    let (printed, first) = bench_to(&[]);
    assert_eq!(bench_to(&[]), (printed.clone(), first.clone()));
    let json = bench_to(&["--json"]);
    assert!(json.0.starts_with('[') && json.1 == first, "{json:?}");
    let named = bench.at("named");
    let (_, own) = bench_to(&["--out", &named.display().to_string()]);
    assert_eq!(own, named.join("index.html"), "who names a folder gets a report there");
    // Another price is another report.
    assert_ne!(bench_to(&["--cache-discount", "0.5"]).1, first);
    // So is one whose strategies' file was written again, and one of whose files is gone.
    std::fs::write(bench.at("strategies.toml"), format!("{STRATEGIES}\n")).expect("writes");
    let second = bench_to(&[]).1;
    assert_ne!(second, first);
    std::fs::remove_file(second.with_file_name("summary.md")).expect("was there");
    assert_ne!(bench_to(&[]).1, second);
}

fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[test]
fn a_dearer_formatter_fails_with_names_numbers_and_a_diff_and_a_cheaper_one_suggests_to_be_accepted() {
    let bench = Bench::new();
    bench.run("first", false, &["--accept"]).ends(0, &[]);
    let folded = bench.accepted();

    let (markdown, junit) = (bench.at("summary.md"), bench.at("gate.xml"));
    let files = ["--check", "--markdown", &markdown.display().to_string(), "--junit", &junit.display().to_string()];
    bench.run("same", false, &files).ends(0, &["gate: nothing changed against the accepted run"]);

    // Dearer: exit code 1, and everything that one needs to see why.
    let dearer = bench.run("dearer", true, &files);
    dearer.ends(1, &[]);
    let told = dearer.err;
    // What it should say, from the runs themselves: accept the dearer one and compare.
    // A change is not accepted without a reason.
    bench.run("accept-dearer", true, &["--accept"]).ends(2, &[]);
    bench.run("accept-dearer-2", true, &["--accept", "--why", "rows stand one by one"]).ends(0, &[]);
    let apart = bench.accepted();
    for strategy in ["lens/full", "lens/delta"] {
        let dearer: Vec<_> = folded
            .iter()
            .filter(|((of, ..), _)| of == strategy)
            .filter_map(|(key, tokens)| apart.get(key).filter(|now| *now > tokens).map(|now| (key, *tokens, *now)))
            .collect();
        assert!(!dearer.is_empty(), "{strategy} folds rows on these pages");
        let (was, now) = dearer.iter().fold((0, 0), |(was, now), (_, a, b)| (was + a, now + b));
        let sum = format!(
            "{strategy}: +{} tokens ({} → {}) on {} steps",
            thousands(now - was),
            thousands(was),
            thousands(now),
            dearer.len()
        );
        assert!(told.contains(&sum), "{sum}\n{told}");
        for ((_, scenario, step), was, now) in &dearer {
            let line = told.lines().find(|line| line.contains(&format!("  {strategy}: +"))).expect("a line a strategy");
            assert!(line.contains(scenario.as_str()), "{scenario}: {line}");
            let finding = format!("{scenario} {strategy} step {step}: o200k tokens {was} → {now}");
            assert!(told.contains(&finding) || told.contains("… and "), "{finding}\n{told}");
        }
    }
    assert!(!told.contains("raw/ax-tree") && !told.contains("tiny/"), "what did not change is not named: {told}");
    let diff: Vec<&str> = told.lines().map(str::trim_start).filter(|line| line.starts_with(['-', '+'])).collect();
    assert!(diff.iter().any(|line| line.starts_with("-") && line.contains(" × ")), "a folded line goes: {diff:?}");
    assert!(diff.iter().any(|line| line.starts_with("+") && line.contains("link \"")), "lines come: {diff:?}");

    // The same in the files that a CI shows.
    let summary = std::fs::read_to_string(&markdown).expect("a summary");
    assert!(summary.starts_with("## BrowserLens gate: nothing changed\n"), "each check adds to the file: {summary}");
    assert!(summary.contains("## BrowserLens gate: regression") && summary.contains("```diff"), "{summary}");
    let junit = std::fs::read_to_string(&junit).expect("an XML");
    let failed = junit.matches("<failure").count();
    assert!(junit.contains("lens/full") && failed >= 2, "{failed}: {junit}");

    let changes = std::fs::read_to_string(bench.at("reports/CHANGES.md")).expect("what was accepted is written down");
    assert!(changes.contains("rows stand one by one") && changes.contains("lens/full"), "{changes}");

    // Cheaper: passes, and says how to keep it.
    let passed = "gate: passed; `bench --accept --why …` makes this run the accepted one";
    bench.run("cheaper", false, &["--check"]).ends(0, &[" improvements", "lens/full: −", passed]);
}
