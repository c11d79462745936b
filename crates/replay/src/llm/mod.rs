//! The LLM reader: a model in the place of the deterministic reader, over a stored run.
//!
//! In: a [`RunResult`](crate::RunResult) and something that answers chat requests. Out:
//! [`LlmResults`]: per trace × strategy × step what the model would have done, scored as Mind2Web
//! does (Deng et al., 2023, arXiv:2306.06070, §4): element accuracy, operation F1, step and task
//! success, macro over tasks. Invariants: the model gets the goal, the actions so far in words and
//! the observations, never intent, facts or action node; results depend on the run, the answers and
//! the prompt alone, so a replay from a cassette equals the live run; a run without results has no
//! LLM section in its report.
//!
//! Which module does what? `prompt` is what the model is told; `question` makes one request a step;
//! `answer` parses what it said; `truth` finds out what the handles meant; `score` compares; `exam`
//! puts the questions of the scenarios instead; `results` is the file; [`LlmRun`] does all of this.
//!
//! What is asked: every step whose recorded next action acts on an element, as in Mind2Web;
//! `wait_for` does nothing and is passed over. Strategies whose text cannot be acted on (channel
//! `none`) are left out, and those that show only pixels where images are not sent.

mod answer;
mod error;
mod exam;
mod prompt;
mod question;
mod reader;
mod results;
mod score;
mod truth;

pub use answer::{NextAction, NoAnswer, parse as parse_answer};
pub use error::LlmReadError;
pub use exam::{EXAM_RESULTS_VERSION, Exam, ExamReader, ExamResults, ExamRow, MORE_WORDS};
pub use prompt::Prompt;
pub use question::ReaderOptions;
pub use reader::{Estimate, LlmRun};
pub use results::{
    LLM_RESULTS_VERSION, LeftOut, LlmReader, LlmResults, LlmRow, LlmSummary, RowOutcome, Settings, summarise,
};
pub use score::{ElementScore, OperationScore, ResolvedBy};
pub use truth::{Truth, TruthSource};
