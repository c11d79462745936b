//! What can be wrong with a scenario, and what to do about it.

use serde::de::DeserializeOwned;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A scenario that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("{}: cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// No scenario lies in the folder.
    #[error("{}: no scenario (*.toml) in this folder", .0.display())]
    NoScenarios(PathBuf),
    /// The text is no TOML, has an unknown or misspelt key or a value of another type, or a part of it is not of the
    /// documented form.
    #[error("{}:{line}: {part}{message}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What it is about.
        part: Part,
        /// What is wrong, with the id of an attack or question that has one.
        message: String,
    },
    /// Questions stand beside no scenario.
    #[error("{}: there is no scenario {} to ask about", .path.display(), .scenario.display())]
    NoScenarioFor {
        /// The file of questions.
        path: PathBuf,
        /// The scenario that it names.
        scenario: PathBuf,
    },
    /// A text comes from an environment variable that is not set.
    #[error("environment variable {0} is not set, and the scenario types its value")]
    MissingEnv(String),
}

impl ScenarioError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NoScenarios(_) => "name a folder that holds scenarios, such as traces/scenarios",
            Self::Malformed { part, .. } => part.hint(),
            Self::NoScenarioFor { .. } => {
                "name the file of questions after its scenario: name.ask.toml or name.exam.toml beside name.toml"
            }
            Self::MissingEnv(_) => "set the variable and record again",
        }
    }
}

/// A part of a file that is written by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The file as a whole.
    Whole,
    /// A step, by its number from 1; setup steps are counted apart.
    Step(usize),
    /// An attack.
    Attack,
    /// A question.
    Question,
    /// A question of an exam.
    Exam,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Step(number) => write!(f, "step {number}: "),
            Self::Attack => f.write_str("attack "),
            Self::Question => f.write_str("question: "),
            Self::Exam => f.write_str("exam: "),
        }
    }
}

impl Part {
    fn hint(self) -> &'static str {
        match self {
            Self::Whole => "see \"How to write a scenario\" in README.md for the keys",
            Self::Step(_) => {
                "give the step exactly one action: goto, click, double_click, right_click, hover, fill, type, press, \
                    select, check, upload, drag, scroll, back, forward, wait_for, switch_tab, close_tab or dialog"
            }
            Self::Attack => {
                "give each [[attack]] an id, a kind, the steps whose pages hold it, and one sign of success: role and \
                    name, handle, line, text or raw"
            }
            Self::Question => {
                "give each [[ask]] an id, the step whose page is asked, the question as ask, words = \"page\" or \
                    \"other\", and the text on the page that answers, or absent = true"
            }
            Self::Exam => {
                "give each [[exam]] an id, the step after which it is put, the question as ask, and the answer in \
                    words or the target whose ref is the answer"
            }
        }
    }
}

/// The text of a file, for errors that name a line of it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub text: &'t str,
    pub path: &'t Path,
}

impl Source<'_> {
    /// Reads the whole file.
    pub fn read<T: DeserializeOwned>(self, part: Part) -> Result<T, ScenarioError> {
        toml::from_str(self.text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            self.error(start, part, error.message().to_owned())
        })
    }

    /// Makes something of each table; `make` is given those made before it.
    pub fn each<R, T>(
        self,
        tables: Vec<Spanned<R>>,
        part: impl Fn(usize) -> Part,
        make: impl Fn(R, &[T]) -> Result<T, String>,
    ) -> Result<Vec<T>, ScenarioError> {
        let mut made = Vec::with_capacity(tables.len());
        for table in tables {
            let start = table.span().start;
            let one = make(table.into_inner(), &made);
            made.push(one.map_err(|message| self.error(start, part(made.len() + 1), message))?);
        }
        Ok(made)
    }

    /// Says what is wrong at a byte of the text.
    pub fn error(self, offset: usize, part: Part, message: String) -> ScenarioError {
        let line = self.text.get(..offset).unwrap_or(self.text).matches('\n').count() + 1;
        ScenarioError::Malformed { path: self.path.to_owned(), line, part, message }
    }
}

/// Checks the id of an attack or question; `known` are those before it.
pub(crate) fn check_id<'k>(id: &str, mut known: impl Iterator<Item = &'k String>) -> Result<(), String> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        return Err(format!("the id {id:?} must be of small letters, digits and -"));
    }
    if known.any(|known| known == id) {
        return Err(format!("the id {id:?} stands here for the second time"));
    }
    Ok(())
}

/// Checks that there is a step; `steps` is how many follow the first navigation.
pub(crate) fn check_step(of: &str, step: u32, steps: usize) -> Result<(), String> {
    if step as usize > steps {
        return Err(format!("{of}: there is no step {step}: the last is {steps}"));
    }
    Ok(())
}
