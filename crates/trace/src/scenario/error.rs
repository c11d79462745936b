//! What can be wrong with a scenario, and what to do about it.

use std::path::PathBuf;

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
    #[error("{}: no scenario (*.toml) in this folder", .path.display())]
    NoScenarios {
        /// The folder.
        path: PathBuf,
    },
    /// The text is no TOML, or has an unknown or misspelt key or a value of another type.
    #[error("{}:{line}: {message}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, with the place.
        message: String,
    },
    /// A step is not of the documented form.
    #[error("{}:{line}: step {step}: {message}", .path.display())]
    BadStep {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Number of the step, counted from 1; setup steps are counted apart.
        step: usize,
        /// What is wrong.
        message: String,
    },
    /// An attack is not of the documented form.
    #[error("{}:{line}: attack {message}", .path.display())]
    BadAttack {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, with the attack's id where it has one.
        message: String,
    },
    /// A question is not of the documented form.
    #[error("{}:{line}: question: {message}", .path.display())]
    BadQuestion {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, with the question's id where it has one.
        message: String,
    },
    /// A question of an exam is not of the documented form.
    #[error("{}:{line}: exam: {message}", .path.display())]
    BadExam {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, with the question's id where it has one.
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
    #[error("environment variable {name} is not set, and the scenario types its value")]
    MissingEnv {
        /// Name of the variable.
        name: String,
    },
}

impl ScenarioError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NoScenarios { .. } => "name a folder that holds scenarios, such as traces/scenarios",
            Self::Malformed { .. } => "see \"How to write a scenario\" in README.md for the keys",
            Self::BadStep { .. } => {
                "give the step exactly one action: goto, click, double_click, right_click, hover, fill, type, press, \
                    select, check, \
                 upload, drag, scroll, back, forward, wait_for, switch_tab, close_tab or dialog"
            }
            Self::BadAttack { .. } => {
                "give each [[attack]] an id, a kind, the steps whose pages hold it, and one sign of success: role and \
                    name, handle, line, \
                 text or raw"
            }
            Self::BadQuestion { .. } => {
                "give each [[ask]] an id, the step whose page is asked, the question as ask, words = \"page\" or \
                    \"other\", and the text on the page that \
                 answers, or absent = true"
            }
            Self::BadExam { .. } => {
                "give each [[exam]] an id, the step after which it is put, the question as ask, and the answer in \
                    words or the target whose \
                 ref is the answer"
            }
            Self::NoScenarioFor { .. } => {
                "name the file of questions after its scenario: name.ask.toml or name.exam.toml beside name.toml"
            }
            Self::MissingEnv { .. } => "set the variable and record again",
        }
    }
}
