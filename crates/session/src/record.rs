//! Records what clients do: one trace a client, which replays and benchmarks like any other.
//!
//! In: the actions of clients, with the page before and after each. Out: traces. Invariants: a
//! client that opened no page leaves no file; the first one that does writes the file that was
//! named, the next ones `name-2`, `name-3`, …; a trace ends with its client, and says so where
//! something is missing from it; recording never stops a client.

use crate::shared::{Witness, WitnessMaker};
use crate::source::{Act, Source, takes_secret, types};
use browserlens_core::page::Page;
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::{ActionKind, TakenAction};
use browserlens_recorder::{ClientRecorder, ClientRecorderOptions, RecordError};
use browserlens_trace::{Fault, Outcome, RedactionKey, TraceError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How clients are recorded.
pub struct RecordingOptions {
    /// The trace of the first client.
    pub out: PathBuf,
    /// Whether traces that stand there are replaced.
    pub force: bool,
    /// What the clients want to do, if it is known.
    pub goal: String,
    /// Key of the placeholders of secrets.
    pub redaction_key: RedactionKey,
    /// Says when it is, as RFC 3339; a trace is dated by when it begins.
    pub now: Option<Box<dyn Fn() -> String + Send + Sync>>,
}

impl RecordingOptions {
    /// Returns options that write to `out`.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        let redaction_key = RedactionKey::Fixed;
        Self { out: out.into(), force: false, goal: String::new(), redaction_key, now: None }
    }
}

browserlens_core::opaque_debug!(self: RecordingOptions { out: self.out, force: self.force });

/// The recording of a server's clients.
#[derive(Debug)]
struct Recording {
    options: RecordingOptions,
    /// How many traces there are.
    begun: Mutex<u32>,
}

/// Returns what makes a witness for each client.
///
/// # Errors
/// [`Fault::Exists`] if a trace stands there that is not to be replaced.
pub fn recording(options: RecordingOptions) -> Result<Box<WitnessMaker>, TraceError> {
    if options.out.exists() && !options.force {
        return Err(TraceError::new(options.out, Fault::Exists));
    }
    let recording = Arc::new(Recording { options, begun: Mutex::default() });
    Ok(Box::new(move || {
        let recording = Arc::clone(&recording);
        Some(Box::new(Recorded { recording, recorder: None, missing: None, failed: false }))
    }))
}

impl Recording {
    fn begin(&self, source: &mut dyn Source) -> Result<ClientRecorder, RecordError> {
        let setting = source.setting();
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = *begun + 1;
        while at > 1 && !self.options.force && numbered(&self.options.out, at).exists() {
            at += 1;
        }
        let mut options = ClientRecorderOptions::new(numbered(&self.options.out, at));
        options.force = self.options.force;
        options.goal.clone_from(&self.options.goal);
        options.redaction_key = self.options.redaction_key.clone();
        options.recorded_at = self.options.now.as_ref().map(|now| now());
        options.locale = setting.locale;
        options.timezone = setting.timezone;
        options.browser = setting.browser;
        if let Some(viewport) = setting.viewport {
            options.viewport = viewport;
        }
        let recorder = ClientRecorder::create(&options, source.pages())?;
        *begun = at;
        tracing::info!(path = %options.out.display(), "recording");
        Ok(recorder)
    }
}

/// Returns the path of the trace of a client, counted from 1.
fn numbered(out: &Path, at: u32) -> PathBuf {
    if at <= 1 {
        return out.to_owned();
    }
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    match out.extension() {
        Some(extension) => out.with_file_name(format!("{stem}-{at}.{}", extension.to_string_lossy())),
        None => out.with_file_name(format!("{stem}-{at}")),
    }
}

/// One client's recording.
struct Recorded {
    recording: Arc<Recording>,
    recorder: Option<ClientRecorder>,
    /// What is missing from the trace.
    missing: Option<String>,
    /// Whether no trace could be made.
    failed: bool,
}

impl Recorded {
    /// Does something with the trace, which begins with the first call; what fails is said in the
    /// log and at its end.
    fn with(
        &mut self,
        source: &mut dyn Source,
        begins: bool,
        then: impl FnOnce(&mut ClientRecorder, &mut dyn Source) -> Result<(), RecordError>,
    ) {
        if self.failed {
            return;
        }
        let tab = source.tabs().ok().and_then(|tabs| tabs.into_iter().find(|tab| tab.is_current));
        let done = match &mut self.recorder {
            Some(recorder) => {
                if let Some(tab) = tab {
                    recorder.set_tab(tab.index);
                }
                then(recorder, source)
            }
            None => match self.recording.begin(source) {
                Ok(recorder) => {
                    let recorder = self.recorder.insert(recorder);
                    if begins { Ok(()) } else { then(recorder, source) }
                }
                Err(error) => {
                    self.failed = true;
                    Err(error)
                }
            },
        };
        if let Err(error) = done {
            tracing::error!(error = %escaped_line(&error.to_string()), hint = error.hint(), "a step was not recorded");
            self.missing.get_or_insert(error.to_string());
        }
    }
}

impl Witness for Recorded {
    fn before(&mut self, source: &mut dyn Source, act: &Act) {
        // The navigation that a recording begins with has no page before it.
        if self.recorder.is_none() && act.taken.kind == ActionKind::Goto {
            return;
        }
        self.with(source, false, |recorder, source| {
            recorder.before(source.pages(), act.node)?;
            let takes = |page: Arc<Page>| takes_secret(&page, act.node);
            if types(act.taken.kind) && source.pages().look().is_ok_and(takes) {
                recorder.learn_secret(&act.taken.text);
            }
            Ok(())
        });
    }

    fn after(&mut self, source: &mut dyn Source, act: &Act) {
        self.with(source, true, |recorder, source| recorder.after(source.pages(), &as_told(&act.taken), act.node));
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let Some(recorder) = self.recorder.take() else { return };
        let outcome = self.missing.take().map_or(Outcome::Complete, |reason| Outcome::Incomplete { reason });
        match recorder.finish(outcome) {
            Ok(steps) => tracing::info!(steps = steps.len(), "recorded"),
            Err(error) => {
                tracing::error!(error = %escaped_line(&error.to_string()), hint = error.hint(), "the trace was not \
                    finished")
            }
        }
    }
}

/// An action as a trace tells it: of files only their names, not where they lie on this machine.
fn as_told(taken: &TakenAction) -> TakenAction {
    let mut told = taken.clone();
    if told.kind == ActionKind::Upload {
        let name = |path: &str| Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        told.text = told.text.split(", ").map(name).collect::<Vec<_>>().join(", ");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_traces_of_further_clients_are_numbered() {
        let path = |at| numbered(Path::new("/tmp/run.trace"), at).display().to_string();
        assert_eq!([path(1), path(2), path(3)], ["/tmp/run.trace", "/tmp/run-2.trace", "/tmp/run-3.trace"]);
        assert_eq!(numbered(Path::new("run"), 2), Path::new("run-2"));
    }

    #[test]
    fn where_files_lie_on_this_machine_is_not_told() {
        let taken = crate::source::taken(ActionKind::Upload, "/home/ann/in/a.txt, /home/ann/in/b.txt");
        assert_eq!(as_told(&taken).text, "a.txt, b.txt");
    }
}
