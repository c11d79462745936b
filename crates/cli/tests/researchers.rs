//! What researchers do by the command alone: a strategy of their own, a sweep, patterns; and what
//! they are told when a pattern matches nothing.

mod common;

use common::{browserlens, root};
use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = browserlens();
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("the command starts")
}

/// A folder with one bundled trace, a strategy of one's own and a sweep.
struct World {
    folder: tempfile::TempDir,
    scenarios: String,
}

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
        Self { folder, scenarios: root.join("traces/scenarios").display().to_string() }
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = run(self.folder.path(), arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Arguments that every replay needs here.
    fn with<'a>(&'a self, verb: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
        let common = ["--strategies-file", "strategies.toml", "--scenarios-dir", &self.scenarios];
        verb.iter().copied().chain(common).chain(more.iter().copied()).collect()
    }
}

#[test]
fn a_strategy_of_ones_own_a_sweep_and_tiers_stand_in_the_report() {
    let world = World::new();
    let (code, table, said) = world.run(&world.with(&["bench", "."], &["--out", "report"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(table.contains("mine/lister"), "{table}");
    let report = world.folder.path().join("report");
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
    let (code, run, said) = world
        .run(&world.with(&["bench", "--no-report", "."], &["--strategies", "lens/delta:*", "--scenarios", "tiny/*"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 traces × 2 strategies"), "{said}");
    let run = run.trim();
    let nothing = |arguments: &[&str], expected: &str, known: &str| {
        let (code, _, said) = world.run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expected) && said.contains(known), "{arguments:?}: {said}");
    };
    let strategy = "no strategy matches \"lenz/*\"";
    let scenario = "no scenario matches \"shop/*\"";
    let (members, trace) = ("lens/delta:budget=2000", "known: tiny/newsletter-signup");
    for verb in [&["bench", "--no-report", "."][..], &["bench", "."], &["lab", "fidelity", "."]] {
        nothing(&world.with(verb, &["--strategies", "lenz/*"]), strategy, members);
        nothing(&world.with(verb, &["--scenarios", "shop/*"]), scenario, trace);
    }
    nothing(&["compare", run, run, "--strategies", "lenz/*"], strategy, members);
    nothing(&["compare", run, run, "--scenarios", "shop/*"], scenario, trace);
    nothing(&["lab", "llm", run, "--model", "m", "--estimate", "--strategies", "lenz/*"], strategy, members);
    nothing(&["lab", "llm", run, "--model", "m", "--estimate", "--scenarios", "shop/*"], scenario, trace);
    let (code, table, said) = world.run(&["compare", run, run, "--strategies", "lens/delta:budget=60"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(table.contains("budget=60") && !table.contains("budget=2000"), "{table}");
}

#[test]
fn old_names_of_verbs_do_the_same_with_a_note() {
    let world = World::new();
    let verbs = [("replay", "bench --no-report"), ("report", "bench --from"), ("fidelity", "lab fidelity")];
    let moved = [("llm", "lab llm"), ("exam", "lab exam"), ("scenario", "lab scenario"), ("corpus", "lab corpus")];
    for (old, now) in verbs.into_iter().chain(moved) {
        let (code, help, said) = world.run(&[old, "--help"]);
        assert_eq!((code, said), (Some(0), format!("note: 'browserlens {old}' is now 'browserlens {now}'\n")));
        let usage = format!("Usage: browserlens {}", now.split(" --").next().expect("a verb"));
        assert!(help.contains(&usage), "{old}: {help}");
    }
    for (old, now) in [
        ("snapshot", "page SOURCE outline|content|controls"),
        ("chunks", "page SOURCE chunks"),
        ("read", "page SOURCE text"),
        ("inspect", "page SOURCE summary|console|network|dom|html|har"),
    ] {
        let (code, _, said) = world.run(&[old, "--help"]);
        assert_eq!((code, said), (Some(0), format!("note: 'browserlens {old}' is now 'browserlens {now}'\n")));
    }
    let chosen = ["--strategies", "lens/delta:*"];
    let (code, stored, said) = world.run(&world.with(&["replay", "."], &chosen));
    assert_eq!(
        (code, stored.as_str()),
        (Some(0), world.run(&world.with(&["bench", "--no-report", "."], &chosen)).1.as_str()),
        "{said}"
    );
    let report = |verb: &[&str], out: &str| {
        let (code, index, said) = world.run(&world.with(verb, &["--out", out]));
        assert_eq!((code, index), (Some(0), format!("{out}/index.html\n")), "{said}");
        std::fs::read_to_string(world.folder.path().join(out).join("index.html")).expect("written")
    };
    let run = stored.trim();
    let now = report(&["bench", "--from", run, "."], "now");
    assert!(now == report(&["report", "--traces", ".", run], "old"), "the same page");
    assert!(now == report(&["report", run, "--traces=."], "older"), "the same page");
    assert!(now != report(&["report", run], "bare"), "without the traces no refs are drawn");
    let (code, _, said) = world.run(&["report", "--out", "none"]);
    assert!(code == Some(2) && said.contains("--from <RUN>"), "{said}");
    let (code, _, said) = world.run(&["bench", "--from", run, "--check"]);
    assert!(code == Some(2) && said.contains("cannot be used with"), "{said}");
}

#[test]
fn a_declaration_that_cannot_be_is_one_line_with_its_place() {
    let world = World::new();
    let broken = STRATEGIES.replace("mine/lister", "lens/lister");
    std::fs::write(world.folder.path().join("strategies.toml"), broken).expect("written");
    let (code, _, said) = world.run(&world.with(&["bench", "--no-report", "."], &[]));
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("strategies.toml:3: external \"lens/lister\": field \"name\": the family \"lens\" is"),
        "{said}"
    );
}

#[test]
fn what_is_bundled_fits_the_schemas_that_are_printed() {
    let schema = |of: &str| {
        let output = browserlens().args(["schema", of]).output().expect("the command starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let schema = serde_json::from_slice(&output.stdout).expect("JSON");
        jsonschema::validator_for(&schema).expect("a schema")
    };
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
            let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", path.display());
            value["misspelt"] = serde_json::Value::from(1);
            assert!(!schema.is_valid(&value), "{}", path.display());
        }
    }
}

#[test]
fn what_new_writes_works_and_replaces_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    // Each line that is printed is run as it stands.
    let begin = |arguments: &[&str]| {
        let output = run(folder.path(), &[&["new"], arguments].concat());
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let next = String::from_utf8(output.stdout).expect("text");
        let again = run(folder.path(), &[&["new"], arguments].concat());
        assert_eq!(again.status.code(), Some(3), "it is replaced: {again:?}");
        next.lines().map(|line| line.split(' ').skip(1).map(str::to_owned).collect()).collect::<Vec<Vec<String>>>()
    };
    let ends = |words: &[String], more: &[&str]| {
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let output = run(folder.path(), &words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        String::from_utf8(output.stdout).expect("text")
    };
    let next = begin(&["scenario", "my/first.toml"]);
    ends(&next[0], &[]);
    assert!(at("my/first.trace").is_file());
    let table = ends(&next[1], &["--strategies", "lens/delta", "--out", "report"]);
    assert!(table.contains("lens/delta") && table.contains("1/1"), "every fact is told: {table}");
    let next = begin(&["strategy", "mine"]);
    let (traces, scenarios) = (at("my").display().to_string(), at("my").display().to_string());
    let table = ends(&next[0], &[&traces, "--scenarios-dir", &scenarios, "--out", "report-2"]);
    assert!(table.contains("mine/lister"), "{table}");
    let next = begin(&["tasks", "tasks/some.toml"]);
    assert!(ends(&next[0], &[]).contains("some-language"));
    let refused = run(folder.path(), &["new", "scenario", "a name.txt"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}
