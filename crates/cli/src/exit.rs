//! Exit codes: all of them, in one file.
//!
//! In: what a verb returned. Out: the code that the process ends with. Invariant: a code never
//! changes its meaning.

use browserlens_core::page::text::escaped_line;
#[cfg(feature = "record")]
use browserlens_import::ImportError;
use browserlens_knowledge::KnowledgeError;
use browserlens_llm::{CassetteError, EndpointError};
use browserlens_reading::CacheError;
#[cfg(feature = "record")]
use browserlens_recorder::RecordError;
use browserlens_replay::llm::LlmReadError;
use browserlens_replay::{ReplayError, StrategiesError};
use browserlens_report::ReportError;
#[cfg(feature = "record")]
use browserlens_tasks::TasksError;
use browserlens_trace::agents::AgentsError;
use browserlens_trace::corpus::CorpusError;
use browserlens_trace::scenario::ScenarioError;
use browserlens_trace::{ExitClass, TraceError};
use std::fmt;
use std::path::Path;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Success = 0,
    /// 1: a regression against the accepted run was found.
    Regression = 1,
    /// 2: bad usage: unknown flag, strategy, scenario key.
    Usage = 2,
    /// 3: unreadable input: missing, damaged, of a newer format.
    Input = 3,
    /// 4: verification failed.
    Verification = 4,
    /// 5: the browser is missing or died.
    Browser = 5,
    /// 6: what was asked of a page was not done.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only pages that are acted on can refuse"))]
    NotDone = 6,
}

impl Exit {
    /// Returns the number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// An error on its way out: what happened, what to do, and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What happened, with file and place.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Joins an error with its causes; what is said already is not said again.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !message.contains(&inner_text) {
            message.push_str(": ");
            message.push_str(&inner_text);
        }
        cause = inner.source();
    }
    message
}

impl Failure {
    /// Returns a failure from an error and its causes.
    pub fn new(exit: Exit, error: &dyn std::error::Error, hint: impl Into<String>) -> Self {
        Self::words(exit, with_causes(error), hint)
    }

    /// Returns a failure in words.
    pub fn words(exit: Exit, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: hint.into() }
    }

    /// Returns bad usage in words.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::words(Exit::Usage, message, hint)
    }

    /// Returns unreadable input in words.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::words(Exit::Input, message, hint)
    }

    /// Returns what becomes of an error where a file or a folder cannot be `done`: read, written, made.
    pub fn file<'p>(done: &'p str, path: &'p Path, hint: &'p str) -> impl Fn(std::io::Error) -> Self + Copy + 'p {
        move |error| Self::input(format!("{}: cannot be {done}: {error}", path.display()), hint)
    }

    /// Returns trouble with a browser in words.
    #[cfg(any(feature = "record", feature = "serve"))]
    pub fn browser(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::words(Exit::Browser, message, hint)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line each: messages carry names from traces, which must not forge lines on a
        // terminal.
        write!(f, "error: {}\n hint: {}", escaped_line(&self.message), escaped_line(&self.hint))
    }
}

impl From<ExitClass> for Exit {
    fn from(class: ExitClass) -> Self {
        match class {
            ExitClass::BadUsage => Self::Usage,
            ExitClass::Unreadable => Self::Input,
            ExitClass::VerificationFailed => Self::Verification,
        }
    }
}

/// Errors of other crates, each with the exit code and the hint with which it ends a command.
macro_rules! failures {
    ($($(#[$when:meta])* $kind:ty: |$error:ident| $exit:expr, $hint:expr;)+) => {$(
        $(#[$when])*
        impl From<$kind> for Failure {
            fn from($error: $kind) -> Self {
                Self::new($exit, &$error, $hint)
            }
        }
    )+};
}

failures! {
    TraceError: |error| error.exit_class().into(), error.hint();
    ReplayError: |error| error.exit_class().into(), error.hint();
    LlmReadError: |error| error.exit_class().into(), error.hint();
    CorpusError: |error| error.exit_class().into(), error.hint();
    StrategiesError: |error| Exit::Usage, error.hint();
    EndpointError: |error| Exit::Usage, error.hint();
    CassetteError: |error| Exit::Input, error.hint();
    CacheError: |error| Exit::Input, error.hint();
    ReportError: |error| Exit::Input, "name a folder that can be written";
    serde_json::Error: |error| Exit::Input, "this is a mistake in the tool: report it with the command";
    AgentsError: |error| if error.is_broken_promise() { Exit::Verification } else { Exit::Input }, error.hint();
    ScenarioError: |error| match error {
        ScenarioError::Unreadable { .. } | ScenarioError::NoScenarios { .. } => Exit::Input,
        _ => Exit::Usage,
    }, error.hint();
    KnowledgeError: |error| match &error {
        KnowledgeError::NoKnowledge { .. } => Exit::Usage,
        KnowledgeError::Trace(error) => error.exit_class().into(),
        _ => Exit::Input,
    }, error.hint();
    #[cfg(feature = "record")]
    ImportError: |error| error.exit_class().map_or(Exit::Browser, Exit::from), error.hint();
    #[cfg(feature = "record")]
    RecordError: |error| match error.exit_code() {
        2 => Exit::Usage,
        4 => Exit::Verification,
        5 => Exit::Browser,
        _ => Exit::Input,
    }, error.hint();
    #[cfg(feature = "record")]
    TasksError: |error| match error {
        TasksError::Malformed { .. } | TasksError::Unreadable { .. } | TasksError::Record(_) => Exit::Input,
        TasksError::NotInstalled { .. } | TasksError::NoMiniwob(_) | TasksError::NoApplication(_) => Exit::Usage,
        TasksError::Site { .. } | TasksError::Tool { .. } | TasksError::Agent(_) => Exit::Browser,
    }, error.hint();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_forge_lines_or_colours() {
        let failure = Failure::input("a\nerror: b\u{1b}[31m", "c");
        assert_eq!(failure.to_string(), "error: a\\nerror: b\\u{1b}[31m\n hint: c");
    }

    #[test]
    fn codes_are_as_documented() {
        use Exit::{Browser, Input, NotDone, Regression, Success, Usage, Verification};
        let codes = [Success, Regression, Usage, Input, Verification, Browser, NotDone].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6]);
    }
}
