//! Corpora made of bundled traces, counted and split; each damaged trace in one is a row that names file, place and
//! remedy.

use browserlens_core::page::{NodeKind, Page, PayloadKind};
use browserlens_core::strategy::StepIndex;
use browserlens_trace::corpus::{
    CorpusError, Failed, MakeOptions, MakeProgress, MakeReport, Quiet, find_traces, make, split, stats, write_links,
    write_lists,
};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{ExitClass, Trace, verify};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

fn bundled(stems: &[&str]) -> Vec<PathBuf> {
    stems.iter().map(|stem| traces().join(format!("{stem}.trace"))).collect()
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn options(out: &Path, from: &[&str], steps: u64, seed: u64) -> MakeOptions<'static> {
    MakeOptions {
        out: out.to_owned(),
        steps,
        seed,
        from: bundled(from),
        scenarios_dir: traces().join("scenarios"),
        pixels: true,
        bodies: true,
        threads: 2,
        progress: &Quiet,
        cancel: &NEVER,
    }
}

fn made(out: &Path, from: &[&str], steps: u64, seed: u64) -> MakeReport {
    make(&options(out, from, steps, seed)).expect("is made")
}

const TINY: &str = "tiny-newsletter-signup";
const LOGIN: &str = "login-wrong-then-right";
const SPA: &str = "spa-sign-off-a-release";

/// Every file below a folder, by its path, with its bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("lists") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").display().to_string();
                found.push((name, std::fs::read(&path).expect("reads")));
            }
        }
    }
    found.sort();
    found
}

fn pages(path: &Path) -> Vec<Page> {
    let trace = Trace::open(path).expect("opens");
    (0..trace.len()).map(|step| trace.page(StepIndex(step)).expect("parses").0).collect()
}

fn text_of(page: &Page) -> String {
    let texts = page.nodes().filter(|node| node.kind() == NodeKind::Text && node.is_visible());
    texts.flat_map(|node| node.text().split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("folder");
    let (a, b, c) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
    let report = made(&a, &[TINY, LOGIN], 30, 7);
    assert!(report.steps >= 30 && report.traces >= 4, "{report:?}");
    make(&MakeOptions { threads: 1, ..options(&b, &[TINY, LOGIN], 30, 7) }).expect("is made");
    assert_eq!(files(&a), files(&b));
    made(&c, &[TINY, LOGIN], 30, 8);
    let names = |files: Vec<(String, Vec<u8>)>| files.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(files(&a)), names(files(&c)));
    let same = files(&a).into_iter().zip(files(&c)).filter(|(a, c)| a == c).count();
    assert_eq!(same, 0, "another seed gives other bytes everywhere");
}

#[test]
fn traces_verify_and_keep_shape_states_and_boxes_but_no_words_and_ids() {
    let folder = tempfile::tempdir().expect("folder");
    let sources = [TINY, LOGIN, SPA];
    made(folder.path(), &sources, 20, 3);
    for (number, source) in sources.iter().enumerate() {
        let name = Trace::open(bundled(&[source])[0].clone()).expect("opens").meta().scenario.clone();
        let path = folder.path().join(format!("{}-{number:07}.trace", name.replace('/', "-")));
        let report = verify(&path).expect("is read");
        assert!(report.is_ok(), "{:?}", report.findings);
        assert!(Trace::open(&path).expect("opens").origin().expect("origin").is_some());
        for (old, new) in pages(&bundled(&[source])[0]).iter().zip(pages(&path)) {
            assert_eq!(old.len(), new.len());
            let roles = |page: &Page| {
                let mut roles: Vec<String> = page.nodes().map(|node| node.role().to_owned()).collect();
                roles.sort();
                roles
            };
            assert_eq!(roles(old), roles(&new), "{source}");
            let boxes = |page: &Page| page.nodes().filter(|node| node.kind() == NodeKind::Element).count();
            assert_eq!(boxes(old), boxes(&new));
            let (before, after) = (text_of(old), text_of(&new));
            assert_eq!(before.chars().count(), after.chars().count(), "{source}");
            let words = |text: &str| {
                text.split(' ')
                    .filter(|word| word.len() > 3 && word.chars().all(char::is_alphabetic))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            if words(&before).len() > 20 {
                let same = words(&before).iter().zip(words(&after)).filter(|(old, new)| **old == *new).count();
                assert!(same * 5 < words(&before).len(), "{same} of {} words stayed: {after}", words(&before).len());
            }
        }
    }
}

#[test]
fn facts_and_action_nodes_are_where_they_were() {
    let folder = tempfile::tempdir().expect("folder");
    let sources = [TINY, LOGIN, SPA];
    made(folder.path(), &sources, 20, 11);
    for trace in find_traces(folder.path()).expect("traces") {
        let opened = Trace::open(&trace).expect("opens");
        let name = &opened.meta().scenario;
        let scenario = Scenario::load(&folder.path().join("scenarios").join(format!("{name}.toml"))).expect("loads");
        assert_eq!(scenario.name, *name);
        assert_eq!(scenario.goal, opened.meta().goal);
        let source_name = &name[..name.len() - 8];
        let source = traces().join(format!("{}.trace", source_name.replace('/', "-")));
        let source_scenario =
            Scenario::load(&traces().join("scenarios").join(format!("{source_name}.toml"))).expect("loads");
        let (old, new) = (pages(&source), pages(&trace));
        for (step, page) in new.iter().enumerate() {
            let (before, after) = (text_of(&old[step]), text_of(page));
            let facts = source_scenario.facts_at(step as u32).iter().zip(scenario.facts_at(step as u32));
            for (fact, new) in facts {
                let (was, is) = (before.contains(&fact.text), after.contains(&new.text));
                assert_eq!(was, is, "{name}, step {step}: {}", new.text);
            }
        }
        for row in opened.steps().expect("steps") {
            let Some(action) = row.action else { continue };
            let page = &new[action.resolved_in.0 as usize];
            for key in &action.acceptable {
                let node = page.find(*key).unwrap_or_else(|| panic!("{name}, step {}: {key}", row.index));
                let hint = action.intent.node.as_ref().expect("an action with nodes names one");
                assert_eq!(node.role(), hint.role, "{name}, step {}", row.index);
            }
            if let (Some(hint), Some(target)) = (&action.intent.node, action.target.and_then(|key| page.find(key))) {
                assert!(["", &hint.name].contains(&target.name()), "{name}: {:?} is no {:?}", target.name(), hint.name);
            }
        }
    }
}

#[test]
fn lists_come_in_another_order_and_everything_in_them_goes_along() {
    let folder = tempfile::tempdir().expect("folder");
    let report = made(folder.path(), &["results-find-the-archive-entry"], 1, 5);
    assert!(report.moved_nodes > 0, "{report:?}");
    let path = find_traces(folder.path()).expect("traces").remove(0);
    assert!(verify(&path).expect("is read").is_ok());
    let source = bundled(&["results-find-the-archive-entry"]).remove(0);
    for (old, new) in pages(&source).iter().zip(pages(&path)) {
        // Names of nodes stand in the same subtrees: a node's name says as often what stands in it
        // as before.
        let told = |page: &Page| {
            let named = page.nodes().filter(|node| !node.name().is_empty() && node.role() == "link");
            named.filter(|node| node.visible_text().split_whitespace().eq(node.name().split_whitespace())).count()
        };
        assert_eq!(told(old), told(&new));
        let inside = |page: &Page| {
            let elements = page.nodes().filter(|node| node.kind() == NodeKind::Element && node.bounds().area() > 0.0);
            let above = elements.filter_map(|node| Some((node.parent()?.bounds(), node.bounds())));
            above.filter(|(outer, inner)| outer.contains_box(*inner, 0.5)).count()
        };
        assert_eq!(inside(old), inside(&new), "boxes lie in those of their parents as before");
    }
}

#[test]
fn values_of_secret_fields_stay_wherever_they_stand() {
    let folder = tempfile::tempdir().expect("folder");
    made(folder.path(), &[LOGIN], 1, 9);
    let path = find_traces(folder.path()).expect("traces").remove(0);
    let counted = |path: &Path, secret: &str| {
        let trace = Trace::open(path).expect("opens");
        let in_payloads: usize = (0..trace.len())
            .flat_map(|step| trace.capture(StepIndex(step)).expect("reads").payloads)
            .filter(|payload| payload.kind.is_text())
            .map(|payload| String::from_utf8(payload.body.to_vec()).expect("UTF-8").matches(secret).count())
            .sum();
        let actions = trace.steps().expect("steps").into_iter().filter_map(|row| row.action);
        let typed = actions.filter(|action| action.intent.text.contains(secret)).count();
        (in_payloads, typed, trace.meta().goal.contains(secret))
    };
    for secret in ["silver-heron-21", "river-otter-58"] {
        let before = counted(&bundled(&[LOGIN])[0], secret);
        assert!(before.0 > 0 && before.1 > 0, "{before:?}");
        assert_eq!(before, counted(&path, secret));
    }
}

/// Stops after so many traces.
struct StopAfter<'a>(AtomicU64, &'a AtomicBool);

impl MakeProgress for StopAfter<'_> {
    fn trace_done(&self, _path: &Path, _steps: u32) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn what_was_stopped_goes_on_and_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().expect("folder");
    let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
    made(&whole, &[TINY], 40, 2);
    let cancel = AtomicBool::new(false);
    let (threads, progress) = (1, &StopAfter(AtomicU64::new(2), &cancel));
    let error = make(&MakeOptions { threads, progress, cancel: &cancel, ..options(&stopped, &[TINY], 40, 2) })
        .expect_err("was stopped");
    assert!(matches!(error, CorpusError::Cancelled), "{error}");
    assert_eq!(find_traces(&stopped).expect("traces").len(), 2);
    for trace in find_traces(&stopped).expect("traces") {
        assert!(verify(trace).expect("is read").is_ok());
    }
    // A killed process leaves what it was at: it is no trace of the corpus, and goes.
    let half = stopped.join(".making/tiny-newsletter-signup-0000002.trace");
    std::fs::create_dir_all(stopped.join(".making")).expect("folder");
    std::fs::write(&half, &std::fs::read(&bundled(&[TINY])[0]).expect("reads")[..4000]).expect("writes");
    assert_eq!(find_traces(&stopped).expect("traces").len(), 2);
    let report = made(&stopped, &[TINY], 40, 2);
    assert_eq!(report.resumed, 2);
    assert_eq!(files(&whole), files(&stopped));
    // A larger corpus of the same seed begins with the smaller one.
    assert_eq!(made(&stopped, &[TINY], 60, 2).resumed, report.traces);
}

#[test]
fn of_those_who_make_one_corpus_at_once_each_trace_is_made_by_one() {
    let folder = tempfile::tempdir().expect("folder");
    let (alone, together) = (folder.path().join("alone"), folder.path().join("together"));
    made(&alone, &[TINY], 20, 2);
    let reports: Vec<MakeReport> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..4).map(|_| scope.spawn(|| made(&together, &[TINY], 20, 2))).collect();
        makers.into_iter().map(|maker| maker.join().expect("is made")).collect()
    });
    assert_eq!(files(&alone), files(&together));
    let traces = reports[0].traces;
    assert_eq!(reports.iter().map(|report| report.traces - report.resumed).sum::<u64>(), traces, "{reports:?}");
    // A run that was stopped while it waits for its turn ends.
    let held = std::fs::File::open(&together).expect("opens");
    held.lock().expect("locks");
    let cancel = &AtomicBool::new(true);
    let error = make(&MakeOptions { cancel, ..options(&together, &[TINY], 20, 2) }).expect_err("was stopped");
    assert!(matches!(error, CorpusError::Cancelled), "{error}");
}

#[test]
fn pixels_and_bodies_can_be_left_out() {
    let folder = tempfile::tempdir().expect("folder");
    let (with, without) = (folder.path().join("with"), folder.path().join("without"));
    let all = made(&with, &[SPA], 1, 4);
    let less = make(&MakeOptions { pixels: false, bodies: false, ..options(&without, &[SPA], 1, 4) }).expect("is made");
    assert!(less.bytes * 10 < all.bytes * 9, "{} of {}", less.bytes, all.bytes);
    let trace = Trace::open(find_traces(&without).expect("traces").remove(0)).expect("opens");
    let capture = trace.capture(StepIndex(1)).expect("reads");
    assert!(
        capture.payloads.iter().all(|payload| !matches!(payload.kind, PayloadKind::Screenshot | PayloadKind::Crop))
    );
    let error = make(&options(&without, &[SPA], 1, 4)).expect_err("other options");
    insta::assert_snapshot!(error.to_string().replace(&without.display().to_string(), "OUT"), @"OUT/corpus.json: \
        another corpus stands there: its pixels differs");
    assert_eq!(error.exit_class(), ExitClass::BadUsage);
}

#[test]
fn every_bad_input_is_said_with_its_place() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name);
    let said = |options: &MakeOptions<'_>| {
        let error = make(options).expect_err("is refused");
        assert!(!error.hint().is_empty());
        error
            .to_string()
            .replace(&folder.path().display().to_string(), "DIR")
            .replace(&traces().display().to_string(), "TRACES")
    };
    let base = |name: &str| options(&at(name), &[TINY], 1, 1);
    std::fs::create_dir_all(at("full")).expect("folder");
    std::fs::write(at("full/mine.txt"), "x").expect("writes");
    insta::assert_snapshot!(said(&base("full")), @"DIR/full: another corpus stands there: files that no corpus has");
    std::fs::create_dir_all(at("garbled")).expect("folder");
    std::fs::write(at("garbled/corpus.json"), "{").expect("writes");
    insta::assert_snapshot!(said(&base("garbled")), @"DIR/garbled/corpus.json: another corpus stands there: EOF while \
        parsing an object at line 1 column 1");
    insta::assert_snapshot!(said(&MakeOptions { from: Vec::new(), ..base("a") }), @"--from: there is no trace");
    insta::assert_snapshot!(said(&MakeOptions { scenarios_dir: at("none"), ..base("b") }),
        @"TRACES/tiny-newsletter-signup.trace: its scenario tiny/newsletter-signup is not at \
            DIR/none/tiny/newsletter-signup.toml");
    let mut bytes = std::fs::read(&bundled(&[TINY])[0]).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(at("flipped.trace"), bytes).expect("writes");
    let flipped = said(&MakeOptions { from: vec![at("flipped.trace")], ..base("c") });
    assert!(flipped.starts_with("DIR/flipped.trace: "), "{flipped}");
    std::fs::create_dir_all(at("scenarios/tiny")).expect("folder");
    std::fs::write(at("scenarios/tiny/newsletter-signup.toml"), "name = 1").expect("writes");
    let malformed = said(&MakeOptions { scenarios_dir: at("scenarios"), ..base("d") });
    assert!(malformed.contains("newsletter-signup.toml"), "{malformed}");
    assert!(matches!(find_traces(&at("full")), Err(CorpusError::NoTraces { .. })));
    assert!(matches!(find_traces(&at("gone")), Err(CorpusError::Io { .. })));
}

#[test]
fn a_corpus_is_counted_and_a_corrupt_trace_is_a_row() {
    let folder = tempfile::tempdir().expect("folder");
    made(folder.path(), &[TINY, LOGIN], 25, 1);
    std::fs::write(folder.path().join("broken.trace"), "no trace").expect("writes");
    let traces = find_traces(folder.path()).expect("traces");
    let seen = AtomicU64::new(0);
    let mut counted = stats(&traces, 2, &|_| {
        seen.fetch_add(1, Ordering::Relaxed);
    })
    .expect("counts");
    assert_eq!(seen.into_inner(), traces.len() as u64);
    let bytes: u64 = traces.iter().map(|path| std::fs::metadata(path).expect("is there").len()).sum();
    assert_eq!(counted.bytes + 8, bytes);
    assert_eq!(counted, stats(&traces, 1, &|_| ()).expect("counts"));
    counted.bytes = 0;
    counted.sites.values_mut().for_each(|site| site.bytes = 0);
    counted.failures[0].path = PathBuf::from("broken.trace");
    counted.failures[0].error = counted.failures[0].error.replace(&folder.path().display().to_string(), "DIR");
    insta::assert_snapshot!(serde_json::to_string_pretty(&counted).expect("JSON"));
}

#[test]
fn a_split_has_each_site_on_one_side_as_lists_and_as_links() {
    let folder = tempfile::tempdir().expect("folder");
    let (corpus, parts) = (folder.path().join("corpus"), folder.path().join("parts"));
    made(&corpus, &[TINY, LOGIN, SPA], 60, 1);
    std::fs::write(corpus.join("broken.trace"), "no trace").expect("writes");
    let traces = find_traces(&corpus).expect("traces");
    let halves = split(&corpus, &traces, 0.3, 1).expect("splits");
    assert_eq!(halves.failures.len(), 1);
    assert_eq!(halves.train.traces.len() + halves.held_back.traces.len() + 1, traces.len());
    assert!(halves.train.sites.iter().all(|site| !halves.held_back.sites.contains(site)));
    let [train, held] = write_lists(&halves, &parts).expect("writes");
    let lines =
        |path: &Path| std::fs::read_to_string(path).expect("reads").lines().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!((lines(&train), lines(&held)), (halves.train.traces.clone(), halves.held_back.traces.clone()));
    let [train, held] = write_links(&halves, &corpus, &parts).expect("links");
    assert_eq!(find_traces(&train).expect("traces").len(), halves.train.traces.len());
    assert_eq!(find_traces(&held).expect("traces").len(), halves.held_back.traces.len());
    assert!(held.join("scenarios").is_dir());
    assert!(matches!(write_links(&halves, &corpus, &parts), Err(CorpusError::Other { .. })));
    let one: Vec<PathBuf> = traces.iter().filter(|path| path.display().to_string().contains("tiny")).cloned().collect();
    insta::assert_snapshot!(split(Path::new("DIR"), &one, 0.3, 1).expect_err("one site"), @"DIR: all traces are of one \
        site (tiny)");
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(matches!(split(&corpus, &traces, share, 1), Err(CorpusError::Share { .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_site_is_on_both_sides_whatever_the_order_of_the_traces(seed in 0u64..1000, share in 0.05f64..0.95,
        turn in 0usize..15) {
        let mut traces = find_traces(&traces()).expect("traces");
        traces.retain(|path| !path.display().to_string().contains("variants"));
        traces.truncate(6);
        let halves = split(Path::new("DIR"), &traces, share, seed).expect("splits");
        let sites = |part: &browserlens_trace::corpus::Part| part.sites.iter().cloned().collect::<BTreeSet<_>>();
        prop_assert!(sites(&halves.train).is_disjoint(&sites(&halves.held_back)));
        prop_assert!(!halves.train.traces.is_empty() && !halves.held_back.traces.is_empty());
        let count = traces.len();
        traces.rotate_left(turn % count);
        prop_assert_eq!(halves, split(Path::new("DIR"), &traces, share, seed).expect("splits"));
    }
}

#[cfg(unix)]
mod damaged {
    use super::*;
    use rusqlite::Connection;
    use std::collections::BTreeMap;

    /// Traces among which damaged ones are looked for.
    const MANY: usize = 1000;

    type Damage = fn(&Path);

    fn sql(path: &Path, statements: &str) {
        let database = Connection::open(path).expect("opens");
        database.execute_batch(&format!("PRAGMA foreign_keys = OFF; {statements}")).expect("runs");
    }

    fn bytes(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut content = std::fs::read(path).expect("reads");
        change(&mut content);
        std::fs::write(path, content).expect("writes");
    }

    /// How a trace is damaged, and words of its row.
    const DAMAGE: [(&str, Damage, &str); 10] = [
        ("altered", |path| sql(path, "CREATE TABLE extra (x)"), "the file was changed after it was finished"),
        ("changed-row", |path| sql(path, "UPDATE action SET intent = '{}' WHERE step = 1"), "table action, row 1"),
        ("empty", |path| bytes(path, Vec::clear), "not a trace: the file is empty"),
        (
            "flipped-byte",
            |path| bytes(path, |bytes| bytes.iter_mut().rev().nth(9000).into_iter().for_each(|byte| *byte ^= 1)),
            "",
        ),
        ("foreign", |path| sql(path, "PRAGMA application_id = 7"), "not a trace: "),
        (
            "link-to-nothing",
            |path| {
                std::fs::remove_file(path).expect("removes");
                std::os::unix::fs::symlink("nowhere.trace", path).expect("links");
            },
            "No such file",
        ),
        (
            "missing-row",
            |path| sql(path, "DELETE FROM step WHERE number = 2; DELETE FROM payload WHERE step = 2"),
            "table step, row 2 is missing",
        ),
        ("newer", |path| sql(path, "PRAGMA user_version = 99"), "trace format 99, this build reads up to "),
        ("text", |path| std::fs::write(path, "no trace").expect("writes"), "it is not an SQLite file"),
        ("truncated", |path| bytes(path, |bytes| bytes.truncate(bytes.len() / 2)), "truncated: "),
    ];

    #[test]
    fn damaged_traces_among_a_thousand_are_rows_and_the_rest_is_counted() {
        let folder = tempfile::tempdir().expect("folder");
        let (source, corpus) = (folder.path().join("source"), folder.path().join("corpus"));
        make(&MakeOptions { pixels: false, bodies: false, ..options(&source, &[TINY], 1, 1) }).expect("is made");
        let whole = find_traces(&source).expect("traces").remove(0);
        std::fs::create_dir(&corpus).expect("folder");
        for number in DAMAGE.len()..MANY {
            std::fs::hard_link(&whole, corpus.join(format!("{number:04}.trace"))).expect("links");
        }
        for (number, (name, damage, _)) in DAMAGE.iter().enumerate() {
            let path = corpus.join(format!("{:04}-{name}.trace", number * 97));
            std::fs::copy(&whole, &path).expect("copies");
            damage(&path);
        }
        let traces = find_traces(&corpus).expect("traces");
        assert_eq!(traces.len(), MANY);
        let counted = stats(&traces, 2, &|_| ()).expect("counts");
        let steps = u64::from(Trace::open(&whole).expect("opens").len());
        let good = (MANY - DAMAGE.len()) as u64;
        assert_eq!((counted.traces, counted.steps), (good, good * steps));
        assert_eq!(counted.bytes, good * std::fs::metadata(&whole).expect("is there").len());
        let failed: BTreeMap<String, &Failed> = counted
            .failures
            .iter()
            .map(|failed| (failed.path.file_stem().expect("a name").to_string_lossy()[5..].to_owned(), failed))
            .collect();
        assert_eq!(failed.len(), DAMAGE.len());
        for (name, _, words) in DAMAGE {
            let failed = failed[name];
            assert!(failed.error.starts_with(&failed.path.display().to_string()), "{name}: {}", failed.error);
            assert!(failed.error.contains(words), "{name}: {}", failed.error);
            assert!(!failed.hint.is_empty(), "{name}");
        }
    }
}
