//! Exit codes: all of them, in one file.
//!
//! In: what a verb returned. Out: the code that the process ends with. Invariant: a code never
//! changes its meaning.

use browserlens_core::page::text::escaped_line;
use std::fmt;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Success,
    /// 1: a regression against the accepted run was found.
    Regression,
    /// 2: bad usage: unknown flag, strategy, scenario key.
    Usage,
    /// 3: unreadable input: missing, damaged, of a newer format.
    Input,
    /// 4: verification failed.
    Verification,
    /// 5: the browser is missing or died.
    Browser,
    /// 6: what was asked of a page was not done.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only pages that are acted on can refuse"))]
    NotDone,
}

impl Exit {
    /// Returns the number.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Regression => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Verification => 4,
            Self::Browser => 5,
            Self::NotDone => 6,
        }
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
    pub hint: Option<String>,
}

impl Failure {
    /// Returns a failure from an error and its causes.
    pub fn new(exit: Exit, error: &dyn std::error::Error, hint: impl Into<String>) -> Self {
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
        Self { exit, message, hint: Some(hint.into()) }
    }

    /// Returns a failure in words.
    pub fn words(exit: Exit, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: Some(hint.into()) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line each: messages carry names from traces, which must not forge lines on a
        // terminal.
        write!(f, "error: {}", escaped_line(&self.message))?;
        if let Some(hint) = &self.hint {
            write!(f, "\n hint: {}", escaped_line(hint))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_forge_lines_or_colours() {
        let failure = Failure::words(Exit::Input, "a\nerror: b\u{1b}[31m", "c");
        assert_eq!(failure.to_string(), "error: a\\nerror: b\\u{1b}[31m\n hint: c");
    }

    #[test]
    fn codes_are_as_documented() {
        use Exit::{Browser, Input, NotDone, Regression, Success, Usage, Verification};
        let codes = [Success, Regression, Usage, Input, Verification, Browser, NotDone].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6]);
    }
}
