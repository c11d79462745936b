//! The gate: a run against the accepted run.
//!
//! In: a [`RunResult`] and the [`AcceptedRun`] kept in version control. Out: a [`GateReport`].
//! Rules: more tokens on a step, or a success that is no more (step, task, a fact, a ref, an
//! unmarked difference, an error that is new), is a regression, exactly, unless [`Tolerances`] name
//! it; fewer tokens or more success is said as an improvement; rows that are new or gone are said.
//! Latency is judged by its [`History`] alone. Texts of `lens/*` are kept whole, so that what
//! changed can be shown; of the rest only hashes. Invariant: [`accept`] writes the same bytes for
//! the same run.

mod changes;
mod history;
mod tolerance;

pub use changes::{ChangeExample, ChangeGroup, ChangedText, group_changes};
pub use history::{History, LEAST_RUNS, Measured, PastRun, Slower};
pub use tolerance::Tolerances;

use crate::error::ReplayError;
use crate::measure::{Cost, Measurement, TaskMeasurement};
use crate::run::RunResult;
use crate::store::{content_hash, read_json, to_json, write_atomically};
use browserlens_core::tokens::ImageFormula;
use browserlens_trace::whole;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

const ACCEPTED_FILE: &str = "accepted.json";
const TEXTS: &str = "texts";
/// Version of the files of an accepted run.
const ACCEPTED_VERSION: u32 = 1;

/// What the gate compares against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedRun {
    /// Version of the form.
    pub version: u32,
    /// Version of the metrics; rows of another version are not compared.
    pub metric_version: u32,
    /// One row a trace, strategy and step.
    pub rows: Vec<AcceptedRow>,
    /// One row a trace and strategy.
    pub tasks: Vec<AcceptedTask>,
    /// The folder it was loaded from.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One accepted step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedRow {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// The numbers that are compared; none where the strategy failed.
    pub numbers: Option<AcceptedNumbers>,
}

/// The numbers of a step that are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedNumbers {
    /// Everything that the step cost.
    pub cost: Cost,
    /// Requests of the reader.
    pub calls: u32,
    /// Whether an acceptable node is in the shown state.
    pub recall: bool,
    /// Whether the agent could act.
    pub actionable: bool,
    /// Facts that can be read.
    pub facts: u32,
    /// States shown wrong.
    pub shown_wrong: u32,
    /// Wrong rebinds.
    pub wrong_rebinds: u32,
    /// Entities that were shown at the step before and are under another ref now.
    #[serde(default)]
    pub churned: u32,
    /// Unmarked differences.
    pub unmarked: Option<u32>,
    /// Whether the step succeeded.
    pub success: bool,
    /// Content hash of the text.
    pub text: String,
    /// Content hashes of the images, joined and hashed; empty if none.
    pub images: String,
}

/// One accepted task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedTask {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Everything that the task cost.
    pub cost: Cost,
    /// Whether every step succeeded.
    pub success: bool,
}

/// One difference to the accepted run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step; none for a whole task.
    pub step: Option<u32>,
    /// What is compared, such as `o200k tokens` or `facts read`.
    pub what: String,
    /// The accepted value.
    pub accepted: String,
    /// The value now.
    pub now: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.trace, self.strategy)?;
        if let Some(step) = self.step {
            write!(f, " step {step}")?;
        }
        write!(f, ": {} {} → {}", self.what, self.accepted, self.now)
    }
}

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// Tokens that rose, success that fell.
    pub regressions: Vec<Finding>,
    /// What would be a regression, and why it is let pass.
    pub tolerated: Vec<(Finding, String)>,
    /// Strategies that are slower than their history explains.
    pub slower: Vec<Slower>,
    /// Tokens that fell, success that rose.
    pub improvements: Vec<Finding>,
    /// Rows that the accepted run does not have: (trace, strategy, step).
    pub new_rows: Vec<(String, String, u32)>,
    /// Rows that are gone: (trace, strategy, step).
    pub removed_rows: Vec<(String, String, u32)>,
    /// Steps whose text or images changed: (trace, strategy, step).
    pub changed_texts: Vec<(String, String, u32)>,
    /// What changed in those texts, as far as both are kept: by edit, the most frequent first.
    pub changes: Vec<ChangeGroup>,
    /// Why nothing was compared; none if it was.
    pub incomparable: Option<String>,
}

impl GateReport {
    /// Returns whether the run may pass: nothing got worse, and the two could be compared.
    pub fn passes(&self) -> bool {
        self.regressions.is_empty()
            && self.slower.is_empty()
            && self.removed_rows.is_empty()
            && self.incomparable.is_none()
    }

    /// Returns whether nothing at all changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Moves regressions that the tolerances name to what is let pass.
    pub fn tolerate(&mut self, tolerances: &Tolerances) {
        let all = std::mem::take(&mut self.regressions);
        for finding in all {
            match tolerances.reason(&finding) {
                Some(reason) => self.tolerated.push((finding, reason.to_owned())),
                None => self.regressions.push(finding),
            }
        }
    }

    /// Finds out what changed in the texts of two runs, where both are kept.
    ///
    /// # Errors
    /// [`ReplayError`] if a text that should be kept cannot be read.
    pub fn explain(&mut self, run: &RunResult, earlier: &dyn EarlierTexts) -> Result<(), ReplayError> {
        let mut changed = Vec::new();
        for (trace, strategy, step) in &self.changed_texts {
            let Some((before, was)) = earlier.text(trace, strategy, *step)? else { continue };
            let Some((after, is)) = run.text(trace, strategy, *step)? else { continue };
            changed.push(ChangedText {
                trace: trace.clone(),
                strategy: strategy.clone(),
                step: *step,
                before,
                after,
                tokens: (was, is),
            });
        }
        self.changes = group_changes(&changed);
        Ok(())
    }
}

/// Texts of an earlier run, as far as they are kept.
pub trait EarlierTexts {
    /// Returns what was shown at a step, and the tokens (o200k_base) of the step; none if it is not
    /// kept.
    ///
    /// # Errors
    /// [`ReplayError`] if it should be kept and cannot be read.
    fn text(&self, trace: &str, strategy: &str, step: u32) -> Result<Option<(String, u64)>, ReplayError>;
}

impl EarlierTexts for RunResult {
    fn text(&self, trace: &str, strategy: &str, step: u32) -> Result<Option<(String, u64)>, ReplayError> {
        let Some(numbers) = self.measurement(trace, strategy, step).and_then(Measurement::numbers) else {
            return Ok(None);
        };
        Ok(Some((self.store().text(&numbers.text)?, numbers.cost().o200k)))
    }
}

/// The texts of a strategy on a trace, by step.
type Texts = BTreeMap<u32, String>;

/// The texts of an accepted run; each file is read once.
#[derive(Debug)]
pub struct AcceptedTexts<'a> {
    run: &'a AcceptedRun,
    read: RefCell<HashMap<(String, String), Option<Texts>>>,
    tokens: HashMap<(&'a str, &'a str, u32), u64>,
}

impl<'a> AcceptedTexts<'a> {
    /// Returns the texts of a run; nothing is read yet.
    pub fn of(run: &'a AcceptedRun) -> Self {
        let tokens = |row: &'a AcceptedRow| {
            let numbers = row.numbers.as_ref()?;
            Some(((row.trace.as_str(), row.strategy.as_str(), row.step), numbers.cost.o200k))
        };
        Self { run, read: RefCell::default(), tokens: run.rows.iter().filter_map(tokens).collect() }
    }
}

impl EarlierTexts for AcceptedTexts<'_> {
    fn text(&self, trace: &str, strategy: &str, step: u32) -> Result<Option<(String, u64)>, ReplayError> {
        let Some(tokens) = self.tokens.get(&(trace, strategy, step)).copied() else { return Ok(None) };
        let key = (trace.to_owned(), strategy.to_owned());
        let mut read = self.read.borrow_mut();
        let texts = match read.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.run.texts(trace, strategy)?),
        };
        Ok(texts.as_ref().and_then(|texts| texts.get(&step)).map(|text| (text.clone(), tokens)))
    }
}

impl AcceptedRow {
    fn of(row: &Measurement) -> Self {
        let numbers = row.numbers().map(|numbers| AcceptedNumbers {
            cost: numbers.cost(),
            calls: numbers.requests.len() as u32,
            recall: numbers.target.recall,
            actionable: numbers.target.is_actionable(),
            facts: numbers.scores.facts.read,
            shown_wrong: numbers.scores.fresh.wrong,
            wrong_rebinds: numbers.scores.refs.wrong_rebinds,
            churned: numbers.scores.refs.churned(),
            unmarked: numbers.scores.unmarked_differences,
            success: numbers.success,
            text: numbers.text.clone(),
            images: if numbers.images.is_empty() {
                String::new()
            } else {
                content_hash(numbers.images.join(" ").as_bytes())
            },
        });
        Self { trace: row.trace.clone(), strategy: row.strategy.clone(), step: row.step, numbers }
    }

    fn key(&self) -> (String, String, u32) {
        (self.trace.clone(), self.strategy.clone(), self.step)
    }
}

impl AcceptedTask {
    fn of(task: &TaskMeasurement) -> Self {
        Self { trace: task.trace.clone(), strategy: task.strategy.clone(), cost: task.cost, success: task.success }
    }
}

impl AcceptedRun {
    /// Takes the numbers of a run.
    pub fn of(run: &RunResult) -> Self {
        Self {
            version: ACCEPTED_VERSION,
            metric_version: run.header.metric_version,
            rows: run.measurements.iter().map(AcceptedRow::of).collect(),
            tasks: run.tasks.iter().map(AcceptedTask::of).collect(),
            folder: PathBuf::new(),
        }
    }

    /// Loads the accepted run from its folder; none if nothing was accepted yet.
    ///
    /// # Errors
    /// [`ReplayError`] if the file cannot be read or is of another form.
    pub fn load(folder: &Path) -> Result<Option<Self>, ReplayError> {
        let path = folder.join(ACCEPTED_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let mut run: Self = read_json(&path, "read the accepted run")?;
        if run.version != ACCEPTED_VERSION {
            let wrong = format!("the accepted run has form {}, this build reads {ACCEPTED_VERSION}", run.version);
            return Err(ReplayError::damaged(&path)(wrong));
        }
        folder.clone_into(&mut run.folder);
        Ok(Some(run))
    }

    /// Returns the texts of a `lens/*` strategy; none if they were not kept.
    fn texts(&self, trace: &str, strategy: &str) -> Result<Option<Texts>, ReplayError> {
        let path = texts_path(&self.folder, trace, strategy);
        if !path.exists() {
            return Ok(None);
        }
        let packed = std::fs::read(&path).map_err(ReplayError::file(&path, "read the accepted texts"))?;
        let json = zstd::decode_all(&packed[..]).map_err(ReplayError::file(&path, "decompress the accepted texts"))?;
        serde_json::from_slice(&json).map(Some).map_err(ReplayError::damaged(&path))
    }

    /// Keeps only the rows that a run with fewer traces or strategies should have.
    pub fn only(&mut self, wanted: impl Fn(&str, &str) -> bool) {
        self.rows.retain(|row| wanted(&row.trace, &row.strategy));
        self.tasks.retain(|task| wanted(&task.trace, &task.strategy));
    }
}

fn texts_path(folder: &Path, trace: &str, strategy: &str) -> PathBuf {
    let plain = |name: &str| {
        name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '.' }).collect::<String>()
    };
    folder.join(TEXTS).join(plain(trace)).join(format!("{}.json.zst", plain(strategy)))
}

/// Compares a run with the accepted run.
pub fn check(run: &RunResult, accepted: &AcceptedRun) -> GateReport {
    let mut report = GateReport::default();
    if accepted.metric_version != run.header.metric_version {
        report.incomparable = Some(format!(
            "the accepted run has metrics of version {}, this run of version {}: accept it again",
            accepted.metric_version, run.header.metric_version
        ));
        return report;
    }
    let now = AcceptedRun::of(run);
    let before: BTreeMap<_, _> = accepted.rows.iter().map(|row| (row.key(), row)).collect();
    let after: BTreeMap<_, _> = now.rows.iter().map(|row| (row.key(), row)).collect();
    report.removed_rows.extend(before.keys().filter(|key| !after.contains_key(*key)).cloned());
    for row in &now.rows {
        match before.get(&row.key()) {
            None => report.new_rows.push(row.key()),
            Some(accepted) => compare_rows(accepted, row, &mut report),
        }
    }
    for task in &now.tasks {
        if let Some(accepted) =
            accepted.tasks.iter().find(|known| known.trace == task.trace && known.strategy == task.strategy)
        {
            let mut compare = Compare { report: &mut report, trace: &task.trace, strategy: &task.strategy, step: None };
            compare.should_not_fall("task success", accepted.success, task.success);
        }
    }
    report
}

struct Compare<'a> {
    report: &'a mut GateReport,
    trace: &'a str,
    strategy: &'a str,
    step: Option<u32>,
}

impl Compare<'_> {
    fn should_not_rise<N: Into<u64>>(&mut self, what: &str, accepted: N, now: N) {
        let (accepted, now) = (accepted.into(), now.into());
        self.judge(what, accepted, now, now.cmp(&accepted));
    }

    fn should_not_fall<N: Into<u64>>(&mut self, what: &str, accepted: N, now: N) {
        let (accepted, now) = (accepted.into(), now.into());
        self.judge(what, accepted, now, accepted.cmp(&now));
    }

    /// Says that something is worse (`Greater`) or better (`Less`) than it was.
    fn judge(&mut self, what: &str, accepted: impl fmt::Display, now: impl fmt::Display, worse: Ordering) {
        let findings = match worse {
            Ordering::Greater => &mut self.report.regressions,
            Ordering::Less => &mut self.report.improvements,
            Ordering::Equal => return,
        };
        findings.push(Finding {
            trace: self.trace.to_owned(),
            strategy: self.strategy.to_owned(),
            step: self.step,
            what: what.to_owned(),
            accepted: accepted.to_string(),
            now: now.to_string(),
        });
    }
}

fn compare_rows(accepted: &AcceptedRow, now: &AcceptedRow, report: &mut GateReport) {
    let mut compare = Compare { report, trace: &now.trace, strategy: &now.strategy, step: Some(now.step) };
    let (was, is) = match (&accepted.numbers, &now.numbers) {
        (Some(was), Some(is)) => (was, is),
        (Some(_), None) => return compare.judge("outcome", "observed", "failed", Ordering::Greater),
        (None, Some(_)) => return compare.judge("outcome", "failed", "observed", Ordering::Less),
        (None, None) => return,
    };
    if (&was.text, &was.images) != (&is.text, &is.images) {
        compare.report.changed_texts.push(now.key());
    }
    compare.should_not_rise("o200k tokens", was.cost.o200k, is.cost.o200k);
    compare.should_not_rise("cl100k tokens", was.cost.cl100k, is.cost.cl100k);
    for formula in ImageFormula::ALL {
        let what = format!("image tokens ({})", formula.name());
        compare.should_not_rise(&what, was.cost.images.under(formula), is.cost.images.under(formula));
    }
    compare.should_not_rise("calls", was.calls, is.calls);
    compare.should_not_rise("states shown wrong", was.shown_wrong, is.shown_wrong);
    compare.should_not_rise("wrong rebinds", was.wrong_rebinds, is.wrong_rebinds);
    compare.should_not_rise("refs that changed", was.churned, is.churned);
    match (was.unmarked, is.unmarked) {
        (Some(was), Some(is)) => compare.should_not_rise("unmarked differences", was, is),
        (Some(was), None) => compare.judge("unmarked differences", was, "not counted", Ordering::Greater),
        (None, _) => {}
    }
    compare.should_not_fall("facts read", was.facts, is.facts);
    compare.should_not_fall("target recall", was.recall, is.recall);
    compare.should_not_fall("actionable", was.actionable, is.actionable);
    compare.should_not_fall("step success", was.success, is.success);
}

/// Writes a run as the accepted one, over the earlier one: texts first, whole, then the rows; of
/// two that do so at once, the second waits.
///
/// # Errors
/// [`ReplayError`] if it cannot be written, or the run's store lacks a text.
pub fn accept(run: &RunResult, folder: &Path) -> Result<AcceptedRun, ReplayError> {
    let mut accepted = AcceptedRun::of(run);
    folder.clone_into(&mut accepted.folder);
    let path = folder.join(ACCEPTED_FILE);
    let (rows, tasks) = (lines(&accepted.rows, &path)?, lines(&accepted.tasks, &path)?);
    let json = format!(
        "{{\"version\":{},\"metric_version\":{},\"rows\":[\n{rows}\n],\"tasks\":[\n{tasks}\n]}}\n",
        accepted.version, accepted.metric_version
    );
    let store = run.store();
    let mut texts: BTreeMap<(&str, &str), Texts> = BTreeMap::new();
    for row in run.measurements.iter().filter(|row| row.strategy.starts_with("lens/")) {
        if let Some(numbers) = row.numbers() {
            texts.entry((&row.trace, &row.strategy)).or_default().insert(row.step, store.text(&numbers.text)?);
        }
    }
    std::fs::create_dir_all(folder).map_err(ReplayError::file(folder, "make the folder"))?;
    let _turn = whole::locked(folder).map_err(ReplayError::file(folder, "lock the folder"))?;
    // Made beside their place, under a name that nobody else has; the earlier ones go with it.
    let beside = tempfile::Builder::new().prefix(".texts-").tempdir_in(folder);
    let beside = beside.map_err(ReplayError::file(folder, "make a folder"))?;
    let new = beside.path().join(TEXTS);
    std::fs::create_dir_all(&new).map_err(ReplayError::file(&new, "make the folder"))?;
    for ((trace, strategy), steps) in &texts {
        let path = texts_path(beside.path(), trace, strategy);
        let packed = pack(&to_json(steps, &path)?).map_err(ReplayError::file(&path, "compress the texts"))?;
        write_atomically(&path, &packed)?;
    }
    let place = folder.join(TEXTS);
    if let Err(error) = std::fs::rename(&place, beside.path().join("earlier"))
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(ReplayError::file(&place, "move the earlier texts away")(error));
    }
    std::fs::rename(&new, &place).map_err(ReplayError::file(&place, "put the texts in place"))?;
    write_atomically(&path, json.as_bytes())?;
    Ok(accepted)
}

/// Returns rows as JSON, one a line: version control shows which rows changed.
fn lines<T: Serialize>(rows: &[T], path: &Path) -> Result<String, ReplayError> {
    let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
    Ok(lines.map_err(ReplayError::damaged(path))?.join(",\n"))
}

/// Compresses with a window over the whole text: the steps of a task repeat each other at a
/// distance.
fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 19)?;
    encoder.long_distance_matching(true)?;
    encoder.window_log(24)?;
    std::io::Write::write_all(&mut encoder, bytes)?;
    encoder.finish()
}
