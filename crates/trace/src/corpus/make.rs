//! Writes synthetic corpora: copies of traces with new words, ids and orders.
//!
//! In: traces, a number of steps, a seed. Out: a folder of traces, with their scenarios below
//! `scenarios/`, and a description in `corpus.json`. Invariants: the same seed, options and sources
//! give the same bytes, for any number of threads; a trace that stands at its place is whole, and a
//! `make` that was stopped goes on with the first that is missing; memory holds one step a thread,
//! and the words and ids of one source.
//!
//! Why copies and not pages from a grammar: strategies are compared on what sites look like, and a
//! generator would know only what its author knew. What a copy shares with its source is structure;
//! words, ids and the order of lists are its own.

use crate::corpus::error::CorpusError;
use crate::corpus::rewrite::{self, Orders, Sink};
use crate::corpus::scenario;
use crate::corpus::source::{Profile, Source};
use crate::corpus::words::Words;
use crate::{CreateOptions, Origin, Redactor, Trace, TraceWriter, whole};
use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::StepIndex;
use browserlens_core::sync::locked;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Name of the folder in which scenarios lie beside the traces.
pub const SCENARIOS: &str = "scenarios";

/// Name of the file that describes a corpus.
pub const DESCRIPTION: &str = "corpus.json";

/// Where traces are until they are whole.
const IN_WORK: &str = ".making";

/// Raised when other bytes come of the same seed.
const RECIPE: u32 = 1;

/// How many copies of one source a thread makes in a row: the source's words are read once for
/// them.
const BATCH: usize = 8;

/// How many sources give words to the others, and how many words.
const LENDING_SOURCES: usize = 32;
const LENT_WORDS: usize = 20_000;

/// Is told how far a `make` is; may be called from any thread.
pub trait MakeProgress: Sync {
    /// The work is known: so many traces and steps.
    fn planned(&self, _traces: usize, _steps: u64) {}
    /// A trace was written, or stood there already.
    fn trace_done(&self, _path: &Path, _steps: u32) {}
}

/// A [`MakeProgress`] that says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl MakeProgress for Quiet {}

/// What to make, of what.
pub struct MakeOptions<'a> {
    /// The folder.
    pub out: PathBuf,
    /// How many steps at least; traces are copied whole.
    pub steps: u64,
    /// From which everything is drawn.
    pub seed: u64,
    /// The traces that are copied in turn.
    pub from: Vec<PathBuf>,
    /// The folder below which a source's scenario is `<name>.toml`.
    pub scenarios_dir: PathBuf,
    /// Whether screenshots and crops are copied.
    pub pixels: bool,
    /// Whether bodies of requests are copied.
    pub bodies: bool,
    /// Number of threads; 0 for as many as there are processors.
    pub threads: usize,
    /// Is told how far it is.
    pub progress: &'a dyn MakeProgress,
    /// Stops it when set; whole traces stay.
    pub cancel: &'a AtomicBool,
}

/// What a corpus was made of: two with the same description have the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Version of the recipe.
    pub recipe: u32,
    /// The seed.
    pub seed: u64,
    /// Whether there are screenshots and crops.
    pub pixels: bool,
    /// Whether there are bodies of requests.
    pub bodies: bool,
    /// The sources: scenario and BLAKE3 hash, in turn.
    pub sources: Vec<(String, String)>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakeReport {
    /// The folder.
    pub out: PathBuf,
    /// The folder of scenarios.
    pub scenarios: PathBuf,
    /// How many traces there are.
    pub traces: u64,
    /// How many of them stood there before.
    pub resumed: u64,
    /// How many steps there are.
    pub steps: u64,
    /// How many bytes the traces have.
    pub bytes: u64,
    /// How many steps were written now, for rates.
    pub steps_written: u64,
    /// Nodes that came to stand elsewhere in a list, over all that was written now.
    pub moved_nodes: u64,
}

/// One synthetic trace.
struct Copy {
    /// Number in the corpus.
    number: u64,
    /// Index of the source.
    source: usize,
    name: String,
    stem: String,
}

/// Makes a corpus, or what is missing of it.
///
/// # Errors
/// [`CorpusError`] if a source or its scenario cannot be read, the folder holds another corpus, or
/// nothing can be written.
pub fn make(options: &MakeOptions<'_>) -> Result<MakeReport, CorpusError> {
    let mut sources = Vec::with_capacity(options.from.len());
    let mut described = Vec::with_capacity(options.from.len());
    for path in &options.from {
        let source = Source::open(path, &options.scenarios_dir)?;
        described.push((source.meta.scenario.clone(), hash_of(&source)?));
        sources.push(source);
    }
    if sources.is_empty() {
        return Err(CorpusError::NoTraces(PathBuf::from("--from")));
    }
    let description = Description {
        recipe: RECIPE,
        seed: options.seed,
        pixels: options.pixels,
        bodies: options.bodies,
        sources: described,
    };
    let _turn = turn(options)?;
    begin(&options.out, &description)?;
    let copies = plan(&sources, options.steps);
    let steps = copies.iter().map(|copy| u64::from(sources[copy.source].steps)).sum();
    options.progress.planned(copies.len(), steps);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .thread_name(|index| format!("corpus-{index}"))
        .build()
        .map_err(|error| CorpusError::Threads { threads: options.threads, reason: error.to_string() })?;
    let (out, scenarios) = (options.out.clone(), options.out.join(SCENARIOS));
    let report = Mutex::new(MakeReport { out, scenarios, steps, ..MakeReport::default() });
    pool.install(|| {
        let lent = lent_words(&sources)?;
        let work = Work { options, sources: &sources, lent: &lent, report: &report };
        batches(copies).into_par_iter().with_max_len(1).try_for_each(|batch| work.batch(&batch))
    })?;
    // Only now is nobody at work there.
    remove_folder(&options.out.join(IN_WORK))?;
    Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn hash_of(source: &Source) -> Result<String, CorpusError> {
    let scenario = source.scenario.as_deref().unwrap_or("");
    let trace = std::fs::read(&source.path).map_err(CorpusError::io(&source.path, "read the file"))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(&trace).as_bytes()).update(scenario.as_bytes());
    Ok(hasher.finalize().to_hex().to_string())
}

/// Makes the folder and waits until no other process makes a corpus there: then what it made stands
/// there, and is not made again.
///
/// The folder itself is what is locked, so nothing is left in it, and a process that is killed
/// locks nothing.
fn turn(options: &MakeOptions<'_>) -> Result<Option<std::fs::File>, CorpusError> {
    let out = &options.out;
    std::fs::create_dir_all(out).map_err(CorpusError::io(out, "make the folder"))?;
    if !cfg!(unix) {
        return Ok(None);
    }
    let folder = std::fs::File::open(out).map_err(CorpusError::io(out, "open the folder"))?;
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if options.cancel.load(Ordering::Relaxed) => {
                return Err(CorpusError::Cancelled);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
            // Where a file system has no locks, one at a time may make a corpus.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(CorpusError::io(out, "lock the folder")(error)),
        }
    }
}

/// Writes the description of the folder, or checks the one that is there.
fn begin(out: &Path, description: &Description) -> Result<(), CorpusError> {
    let path = out.join(DESCRIPTION);
    let other = |reason: String| CorpusError::Other { path: path.clone(), reason };
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let found: Description = serde_json::from_str(&text).map_err(|error| other(error.to_string()))?;
            let named = [
                ("seed", found.seed == description.seed),
                ("pixels", found.pixels == description.pixels),
                ("bodies", found.bodies == description.bodies),
                ("sources", found.sources == description.sources),
                ("version of the recipe", found.recipe == description.recipe),
            ];
            if let Some((what, _)) = named.iter().find(|(_, same)| !same) {
                return Err(other(format!("its {what} differs")));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let mut entries = std::fs::read_dir(out).map_err(CorpusError::io(out, "list the folder"))?;
            if entries.next().is_some() {
                return Err(CorpusError::Other { path: out.to_owned(), reason: "files that no corpus has".to_owned() });
            }
            let text = serde_json::to_string_pretty(description).map_err(|error| other(error.to_string()))?;
            whole::replace(&path, (text + "\n").as_bytes()).map_err(CorpusError::io(&path, "write the file"))?;
        }
        Err(error) => return Err(CorpusError::io(&path, "read the file")(error)),
    }
    // What an earlier run left half-written is nothing.
    let in_work = out.join(IN_WORK);
    remove_folder(&in_work)?;
    for folder in [in_work, out.join(SCENARIOS)] {
        std::fs::create_dir_all(&folder).map_err(CorpusError::io(&folder, "make the folder"))?;
    }
    Ok(())
}

fn remove_folder(path: &Path) -> Result<(), CorpusError> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(CorpusError::io(path, "remove the folder")(error))
        }
        _ => Ok(()),
    }
}

/// Lists the copies: every source in turn until there are steps enough. So a larger corpus of the
/// same seed begins with the smaller one.
fn plan(sources: &[Source], steps: u64) -> Vec<Copy> {
    let (mut copies, mut planned) = (Vec::new(), 0);
    while planned < steps {
        let number = copies.len() as u64;
        let source = copies.len() % sources.len();
        let scenario = &sources[source].meta.scenario;
        let name = format!("{scenario}-{number:07}");
        let stem: String =
            name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect();
        planned += u64::from(sources[source].steps);
        copies.push(Copy { number, source, name, stem });
    }
    copies
}

/// Puts copies of one source together, a few at a time, in the order of their first.
fn batches(copies: Vec<Copy>) -> Vec<Vec<Copy>> {
    let mut open: BTreeMap<usize, Vec<Copy>> = BTreeMap::new();
    let mut batches = Vec::new();
    for copy in copies {
        let batch = open.entry(copy.source).or_default();
        batch.push(copy);
        if batch.len() == BATCH {
            batches.push(std::mem::take(batch));
        }
    }
    batches.extend(open.into_values().filter(|batch| !batch.is_empty()));
    batches
}

/// Words of the first sources: a trace of few words has others to draw from.
fn lent_words(sources: &[Source]) -> Result<Words, CorpusError> {
    let lending: Vec<Result<Profile, CorpusError>> =
        sources[..sources.len().min(LENDING_SOURCES)].par_iter().with_max_len(1).map(Source::profile).collect();
    let mut lent = Words::default();
    for profile in lending {
        lent.add_some(&profile?.words, LENT_WORDS);
    }
    Ok(lent)
}

struct Work<'a> {
    options: &'a MakeOptions<'a>,
    sources: &'a [Source],
    lent: &'a Words,
    report: &'a Mutex<MakeReport>,
}

impl Work<'_> {
    fn batch(&self, batch: &[Copy]) -> Result<(), CorpusError> {
        let mut profile = None;
        for copy in batch {
            if self.options.cancel.load(Ordering::Relaxed) {
                return Err(CorpusError::Cancelled);
            }
            let source = &self.sources[copy.source];
            let path = self.options.out.join(format!("{}.trace", copy.stem));
            let mut moved = None;
            if !path.is_file() {
                let profile = match &profile {
                    Some(profile) => profile,
                    None => profile.insert(source.profile()?),
                };
                moved = Some(self.copy(copy, source, profile, &path)?);
            }
            let bytes = std::fs::metadata(&path).map_err(CorpusError::io(&path, "look at the file"))?.len();
            let mut report = locked(self.report);
            report.traces += 1;
            report.bytes += bytes;
            report.resumed += u64::from(moved.is_none());
            report.steps_written += moved.map_or(0, |_| u64::from(source.steps));
            report.moved_nodes += moved.unwrap_or(0);
            drop(report);
            self.options.progress.trace_done(&path, source.steps);
        }
        Ok(())
    }

    /// Writes the scenario, then the trace beside its place, and moves it there when it is whole.
    /// Returns how many nodes came to stand elsewhere.
    fn copy(&self, copy: &Copy, source: &Source, profile: &Profile, path: &Path) -> Result<u64, CorpusError> {
        let options = self.options;
        let mut replaced = profile.draw(options.seed, &copy.name, self.lent);
        if let Some(text) = &source.scenario {
            let text = scenario::rewrite(text, &copy.name, &mut replaced);
            let text = text.map_err(|reason| source.scenario_form(reason))?;
            let path = options.out.join(SCENARIOS).join(format!("{}.toml", copy.name));
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(CorpusError::io(folder, "make the folder"))?;
            }
            whole::replace(&path, text.as_bytes()).map_err(CorpusError::io(&path, "write the file"))?;
        }
        let mut meta = source.meta.clone();
        meta.scenario.clone_from(&copy.name);
        meta.goal = replaced.text(&meta.goal);
        let in_work = options.out.join(IN_WORK).join(format!("{}.trace", copy.stem));
        let orders = Orders {
            seed: options.seed,
            trace: copy.name.clone(),
            viewport: (f64::from(meta.viewport.width), f64::from(meta.viewport.height)),
            facts: source.facts.clone(),
        };
        let orders = source.may_reorder.then_some(&orders);
        // What is secret was replaced when the source was written.
        let redactor = Redactor::done_before();
        let mut writer = TraceWriter::create_with(&in_work, &meta, redactor, CreateOptions { force: true })?;
        writer.set_origin(&self.origin(copy, source))?;
        let trace = Trace::open(&source.path)?;
        let mut moved = 0;
        for step in 0..source.steps {
            let mut record = trace.record(StepIndex(step))?;
            if !options.pixels {
                let is_picture = |kind| matches!(kind, PayloadKind::Screenshot | PayloadKind::Crop);
                record.capture.payloads.retain(|payload| !is_picture(payload.kind));
            }
            if !options.bodies {
                record.drop_bodies();
            }
            moved += rewrite::step(&mut record, orders, &mut replaced, &source.path)?;
            writer.write_step(record)?;
        }
        writer.finish(source.outcome.clone())?;
        std::fs::rename(&in_work, path).map_err(CorpusError::io(path, "move the trace to its place"))?;
        Ok(moved as u64)
    }

    fn origin(&self, copy: &Copy, source: &Source) -> Origin {
        let mut gaps = source.origin.as_ref().map_or_else(Vec::new, |origin| origin.gaps.clone());
        let kept = if self.options.pixels {
            "pictures and requests are those of the source"
        } else {
            "requests are those of the source, pictures are left out"
        };
        gaps.push(format!("made up: other words, node ids and orders than were recorded; {kept}"));
        Origin {
            format: "browserlens corpus".to_owned(),
            source: format!("{}, seed {}, number {}", source.meta.scenario, self.options.seed, copy.number),
            licence: source.origin.as_ref().map_or_else(String::new, |origin| origin.licence.clone()),
            importer: concat!("browserlens-corpus ", env!("CARGO_PKG_VERSION")).to_owned(),
            rendered: source.origin.as_ref().is_some_and(|origin| origin.rendered),
            gaps,
        }
    }
}
