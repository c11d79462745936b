//! A run in parts: what is put together is what one machine would have made.

mod common;

use browserlens_core::tokens::Encoding;
use browserlens_replay::{
    ConfiguredStrategy, Decided, Merge, Part, PlannedTrace, ReplayError, ReplayOptions, Store, Tokenizer, decide,
    merge, read_parts,
};
use common::{Behaviour, Request, World, configured, configured_version, pages};
use std::path::{Path, PathBuf};

/// Plans, decides and makes every part in a cache of its own, as machines do that share nothing.
fn parts(world: &World, traces: &[PathBuf], strategies: &[ConfiguredStrategy], store: Option<&Store>) -> Vec<Part> {
    let scenarios = world.path("scenarios");
    let planned: Vec<PlannedTrace> =
        traces.iter().map(|trace| PlannedTrace::open(trace, &scenarios).expect("plans")).collect();
    let Decided { ids, strategies: names } = decide(&planned, strategies).expect("decides");
    assert_eq!(names.len(), strategies.len());
    let made = traces.iter().zip(&ids).enumerate().map(|(at, (trace, id))| {
        let cache = format!("cache-{at}");
        world.pack(trace, &cache, &pages());
        let folder = world.path("elsewhere");
        let options = ReplayOptions {
            cache_dir: world.path(&cache),
            date: "2026-01-02".to_owned(),
            machine: "elsewhere".to_owned(),
            ..ReplayOptions::new(Vec::new(), scenarios.clone(), strategies, &folder)
        };
        let part = Part::make(trace, id, &options).expect("is made");
        if let Some(store) = store {
            part.keep_observations(&world.path(&cache), store).expect("kept");
        }
        part
    });
    made.collect()
}

fn traces(world: &World) -> Vec<PathBuf> {
    let lamp = world.task("shop/lamp");
    let copy = world.path("traces/lamp-again.trace");
    std::fs::copy(&lamp, &copy).expect("copied");
    vec![world.task("shop/other"), lamp, copy]
}

fn how<'a>(out_dir: &'a Path, store: Option<&'a Store>) -> Merge<'a> {
    Merge { out_dir, observations: store, traces: None, cache_dir: out_dir, notes: Vec::new() }
}

#[test]
fn parts_put_together_are_the_run_that_one_machine_makes() {
    let world = World::new();
    let traces = traces(&world);
    let strategies = [configured("test/good", Behaviour::Good), configured("test/fails", Behaviour::FailsAtOne)];
    let local = world.replay(Request::new(&traces, &strategies)).expect("replays");
    let store = Store::open(world.path("observations"));
    let mut parts = parts(&world, &traces, &strategies, Some(&store));
    parts.reverse();
    let scenarios = world.path("scenarios");
    let out = world.path("merged");
    let how = Merge { traces: Some((&traces, &scenarios)), ..how(&out, Some(&store)) };
    let merged = merge(parts.into_iter().map(Ok), &how).expect("merges");
    let bytes = |folder: &Path| std::fs::read(folder.join("run.json")).expect("is there");
    assert!(bytes(&local.folder) == bytes(&merged.folder), "run.json differs");
    assert_eq!(local.folder.file_name(), merged.folder.file_name());
    assert_eq!(merged.timings.len(), merged.measurements.len());
    for row in merged.measurements.iter().filter(|row| row.error().is_none()) {
        let shown = |run: &browserlens_replay::RunResult| {
            run.observation(&row.trace, &row.strategy, row.step).expect("is stored")
        };
        assert_eq!(shown(&merged), shown(&local));
    }
}

#[test]
fn what_is_left_out_is_said() {
    let world = World::new();
    let traces = traces(&world);
    let strategies = [configured("test/good", Behaviour::Good)];
    let local = world.replay(Request::new(&traces, &strategies)).expect("replays");
    let out = world.path("merged");
    let how = Merge { notes: vec!["one trace is damaged".to_owned()], ..how(&out, None) };
    let merged = merge(parts(&world, &traces, &strategies, None).into_iter().map(Ok), &how).expect("merges");
    assert_eq!(merged.measurements, local.measurements);
    assert_eq!(merged.tasks, local.tasks);
    let notes = &merged.header.notes;
    assert_eq!(notes[0], "one trace is damaged");
    assert!(notes[1].contains("what other recordings make known"), "{notes:?}");
    assert!(notes[2].contains("the texts and images that the strategies showed"), "{notes:?}");
    assert!(!merged.folder.join("observations").exists());
    let again = browserlens_replay::RunResult::load(&merged.folder).expect("loads");
    assert_eq!(&again.header.notes, notes);
    assert_ne!(merged.folder.file_name(), local.folder.file_name(), "a run that lacks something is another run");
}

#[test]
fn a_part_is_named_by_everything_that_its_rows_depend_on() {
    let world = World::new();
    let traces = traces(&world);
    let scenarios = world.path("scenarios");
    let open = |trace: &Path| PlannedTrace::open(trace, &scenarios).expect("plans");
    let name = |trace: &PlannedTrace, id: &str, version: &'static str, encoding: Encoding| {
        let strategies = [configured_version("test/good", version, Behaviour::Good).describe()];
        trace.part_name(id, &strategies, encoding, Tokenizer::Fast)
    };
    let (lamp, other) = (open(&traces[1]), open(&traces[0]));
    let first = name(&lamp, "shop/lamp", "1", Encoding::O200kBase);
    assert_eq!(first, name(&open(&traces[1]), "shop/lamp", "1", Encoding::O200kBase));
    assert!(first.starts_with(&lamp.hash[..16]));
    for changed in [
        name(&other, "shop/lamp", "1", Encoding::O200kBase),
        name(&lamp, "shop/lamp (lamp)", "1", Encoding::O200kBase),
        name(&lamp, "shop/lamp", "2", Encoding::O200kBase),
        name(&lamp, "shop/lamp", "1", Encoding::Cl100kBase),
    ] {
        assert_ne!(first, changed);
    }
    let scenario = world.path("scenarios/shop/lamp.toml");
    let text = std::fs::read_to_string(&scenario).expect("read");
    std::fs::write(&scenario, text.replace("3 of 142", "4 of 142")).expect("written");
    assert_ne!(first, name(&open(&traces[1]), "shop/lamp", "1", Encoding::O200kBase));
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let world = World::new();
    let traces = traces(&world);
    let made = |version: &'static str| {
        parts(&world, &traces, &[configured_version("test/good", version, Behaviour::Good)], None)
    };
    let out = world.path("merged");
    let mixed: Vec<Part> = made("1").into_iter().take(1).chain(made("2").into_iter().skip(1)).collect();
    let error = merge(mixed.into_iter().map(Ok), &how(&out, None)).expect_err("other strategies").to_string();
    assert!(error.contains("was made with other strategies than"), "{error}");
    let twice: Vec<Part> = made("1").into_iter().chain(made("1").into_iter().take(1)).collect();
    let error = merge(twice.into_iter().map(Ok), &how(&out, None)).expect_err("twice").to_string();
    assert!(error.contains("shop/other has more than one part"), "{error}");
    assert!(matches!(merge([], &how(&out, None)), Err(ReplayError::NoTraces { .. })));
    assert!(!out.exists());
}

#[test]
fn parts_are_read_from_files_and_a_damaged_one_is_named() {
    let world = World::new();
    let traces = traces(&world);
    let made = parts(&world, &traces, &[configured("test/good", Behaviour::Good)], None);
    let folder = world.path("parts");
    std::fs::create_dir_all(&folder).expect("made");
    for (at, part) in made.iter().enumerate() {
        std::fs::write(folder.join(format!("{at}.part")), part.to_bytes().expect("written")).expect("written");
    }
    std::fs::write(folder.join(".3.part.1.tmp"), b"half").expect("written");
    let read: Vec<Part> = read_parts(&folder).expect("lists").collect::<Result<_, _>>().expect("reads");
    assert_eq!(read, made);
    let bytes = made[0].to_bytes().expect("written");
    std::fs::write(folder.join("0.part"), &bytes[..bytes.len() / 2]).expect("written");
    let error = read_parts(&folder).expect("lists").find_map(Result::err).expect("is damaged").to_string();
    assert!(error.starts_with(&folder.join("0.part").display().to_string()), "{error}");
}
