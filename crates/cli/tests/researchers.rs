//! What researchers do by the command alone: a strategy of their own, a sweep, patterns; and what
//! they are told when a pattern matches nothing.

mod common;

use browserlens_core::schema::Schema;
use common::{Ran, at_root, root, run, run_in};
use std::path::PathBuf;

/// A folder with one bundled trace, a strategy of one's own and a sweep.
struct World(tempfile::TempDir);

const STRATEGIES: &str = r#"
[[external]]
name = "mine/lister"
why = "controls and texts"
command = ["python3", "lister.py"]
format = "playwright-aria"
timeout_ms = 120000
start_timeout_ms = 120000

[[strategy]]
name = "lens/delta"
why = "what a budget saves"
[strategy.sweep]
budget = [60, 2000]

[[strategy]]
name = "lens/small"
why = "for weaker models"
[strategy.options]
kind = "delta"
tier = "small"
"#;

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = root();
        let copy = |from: &str, to: &str| {
            std::fs::copy(root.join(from), folder.path().join(to)).unwrap_or_else(|error| panic!("{from}: {error}"));
        };
        copy("traces/tiny-newsletter-signup.trace", "tiny.trace");
        copy("crates/replay/examples/lister.py", "lister.py");
        std::fs::write(folder.path().join("strategies.toml"), STRATEGIES).expect("written");
        Self(folder)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> Ran {
        run_in(self.0.path(), line)
    }

    /// Runs what replays, with what every replay needs here.
    fn replay(&self, line: &str) -> Ran {
        let places = format!("--strategies-file strategies.toml --scenarios-dir {}", at_root("traces/scenarios"));
        self.run(&format!("{line} {places}"))
    }
}

#[test]
fn a_strategy_of_ones_own_a_sweep_and_tiers_stand_in_the_report() {
    let world = World::new();
    let table = world.replay("bench . --out report").good();
    assert!(table.contains("mine/lister"), "{table}");
    let report = world.at("report");
    let summary = std::fs::read_to_string(report.join("summary.md")).expect("written");
    let row =
        |name: &str| summary.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {summary}"));
    assert!(row("| mine/lister").contains("1/1"), "the example succeeds: {}", row("| mine/lister"));
    assert!(row("| lens/delta ").contains("budget=60") && summary.contains("budget=2000"), "{summary}");
    for heading in ["## Sweeps", "## Results by model tier"] {
        assert!(summary.contains(heading), "{heading}");
    }
    let made_for = summary
        .lines()
        .filter(|line| line.starts_with("| lens/small"))
        .any(|line| line.trim_end().ends_with(" small |"));
    assert!(made_for, "{summary}");
    for file in ["sweeps.svg", "strategies.parquet", "measurements.parquet"] {
        assert!(report.join(file).is_file(), "{file}");
    }
    let page = std::fs::read_to_string(report.join("index.html")).expect("written");
    assert!(page.contains("id=\"sweeps\"") && page.contains("id=\"tiers\""));
}

#[test]
fn patterns_choose_and_one_that_matches_nothing_says_what_there_is() {
    let world = World::new();
    let stored = world.replay("bench --no-report . --strategies lens/delta:* --scenarios tiny/*");
    stored.ends(0, &["1 traces × 2 strategies"]);
    let run = stored.out.trim();
    let strategy = ["no strategy matches \"lenz/*\"", "lens/delta:budget=2000"];
    let scenario = ["no scenario matches \"shop/*\"", "known: tiny/newsletter-signup"];
    for verb in ["bench --no-report .", "bench .", "lab fidelity ."] {
        world.replay(&format!("{verb} --strategies lenz/*")).ends(2, &strategy);
        world.replay(&format!("{verb} --scenarios shop/*")).ends(2, &scenario);
    }
    for verb in [format!("compare {run} {run}"), format!("lab llm {run} --model m --estimate")] {
        world.run(&format!("{verb} --strategies lenz/*")).ends(2, &strategy);
        world.run(&format!("{verb} --scenarios shop/*")).ends(2, &scenario);
    }
    let table = world.run(&format!("compare {run} {run} --strategies lens/delta:budget=60")).good();
    assert!(table.contains("budget=60") && !table.contains("budget=2000"), "{table}");
}

#[test]
fn old_names_of_verbs_do_the_same_with_a_note() {
    let world = World::new();
    let verbs = [("replay", "bench --no-report"), ("report", "bench --from"), ("fidelity", "lab fidelity")];
    let moved = [("llm", "lab llm"), ("exam", "lab exam"), ("scenario", "lab scenario"), ("corpus", "lab corpus")];
    for (old, now) in verbs.into_iter().chain(moved) {
        let help = world.run(&format!("{old} --help"));
        assert_eq!((help.code, help.err), (0, format!("note: 'browserlens {old}' is now 'browserlens {now}'\n")));
        let usage = format!("Usage: browserlens {}", now.split(" --").next().expect("a verb"));
        assert!(help.out.contains(&usage), "{old}: {}", help.out);
    }
    for (old, now) in [
        ("snapshot", "page SOURCE outline|content|controls"),
        ("chunks", "page SOURCE chunks"),
        ("read", "page SOURCE text"),
        ("inspect", "page SOURCE summary|console|network|dom|html|har"),
    ] {
        let help = world.run(&format!("{old} --help"));
        assert_eq!((help.code, help.err), (0, format!("note: 'browserlens {old}' is now 'browserlens {now}'\n")));
    }
    let stored = world.replay("replay . --strategies lens/delta:*").good();
    assert_eq!(stored, world.replay("bench --no-report . --strategies lens/delta:*").out);
    let report = |verb: &str, out: &str| {
        assert_eq!(world.replay(&format!("{verb} --out {out}")).good(), format!("{out}/index.html\n"));
        std::fs::read_to_string(world.at(out).join("index.html")).expect("written")
    };
    let run = stored.trim();
    let now = report(&format!("bench --from {run} ."), "now");
    assert!(now == report(&format!("report --traces . {run}"), "old"), "the same page");
    assert!(now == report(&format!("report {run} --traces=."), "older"), "the same page");
    assert!(now != report(&format!("report {run}"), "bare"), "without the traces no refs are drawn");
    world.run("report --out none").ends(2, &["--from <RUN>"]);
    world.run(&format!("bench --from {run} --check")).ends(2, &["cannot be used with"]);
}

#[test]
fn a_declaration_that_cannot_be_is_one_line_with_its_place() {
    let world = World::new();
    let broken = STRATEGIES.replace("mine/lister", "lens/lister");
    std::fs::write(world.at("strategies.toml"), broken).expect("written");
    let place = "strategies.toml:3: external \"lens/lister\": field \"name\": the family \"lens\" is";
    world.replay("bench --no-report .").ends(2, &[place]);
}

#[test]
fn what_is_bundled_fits_the_schemas_that_are_printed() {
    let schema = |of: &str| Schema::new(&run(&format!("schema {of}")).json()).expect("a schema");
    let files = |folder: &str| {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
    };
    let bundled = [
        ("strategies", vec![root().join("traces/strategies.toml")]),
        ("tasks", files("tasks").collect()),
        (
            "scenario",
            files("traces/scenarios/login").filter(|path| path.with_extension("").extension().is_none()).collect(),
        ),
        ("exam", vec![root().join("traces/scenarios/login/wrong-then-right.exam.toml")]),
        ("ask", files("traces/scenarios/docs").filter(|path| path.to_string_lossy().ends_with(".ask.toml")).collect()),
    ];
    for (of, paths) in bundled {
        assert!(!paths.is_empty(), "{of}");
        let schema = schema(of);
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("text");
            let mut value = serde_json::to_value(toml::from_str::<toml::Value>(&text).expect("TOML")).expect("JSON");
            let errors: Vec<String> = schema.misfits(&value).iter().map(|one| one.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", path.display());
            value["misspelt"] = serde_json::Value::from(1);
            assert!(!schema.fits(&value), "{}", path.display());
        }
    }
}

#[test]
fn what_new_writes_works_and_replaces_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let run = |line: &str| run_in(folder.path(), line);
    // Each line that is printed is run as it stands.
    let begin = |what: &str| -> Vec<String> {
        let next = run(&format!("new {what}")).good();
        assert_eq!(run(&format!("new {what}")).code, 3, "it is replaced");
        next.lines().map(|line| line.strip_prefix("browserlens ").expect("a command").to_owned()).collect()
    };
    let next = begin("scenario my/first.toml");
    run(&next[0]).good();
    assert!(at("my/first.trace").is_file());
    let table = run(&format!("{} --strategies lens/delta --out report", next[1])).good();
    assert!(table.contains("lens/delta") && table.contains("1/1"), "every fact is told: {table}");
    let (next, traces) = (begin("strategy mine"), at("my").display().to_string());
    let table = run(&format!("{} {traces} --scenarios-dir {traces} --out report-2", next[0])).good();
    assert!(table.contains("mine/lister"), "{table}");
    let next = begin("tasks tasks/some.toml");
    assert!(run(&next[0]).good().contains("some-language"));
    run("new scenario 'a name.txt'").ends(2, &[]);
}
