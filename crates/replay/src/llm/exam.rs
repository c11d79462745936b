//! The exam put to a model: one request a question, with the observations of one strategy in order
//! and never ahead.
//!
//! In: a run, its scenarios' exams, something that answers. Out: an [`ExamReader`] with one row a
//! question. Rules: an answer in words is right if it says one of the accepted spellings as whole
//! words and at most [`MORE_WORDS`] words besides; a ref is right if it means the control that was
//! asked for, by what the handles of that step meant.

use super::error::LlmReadError;
use super::question::Unit;
use super::reader::{Estimate, LlmRun};
use super::results::{self, Settings};
use super::truth::Truth;
use crate::error::ReplayError;
use crate::reader::Haystack;
use browserlens_llm::{Answer, Ask, Cassette, ChatRequest, Part, Schema, json_object};
use browserlens_trace::scenario::{ExamAnswer, ExamQuestion, Scenario};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// How many words an answer may have besides an accepted spelling.
pub const MORE_WORDS: usize = 8;
/// Version of the form of `exam.json`.
pub const EXAM_RESULTS_VERSION: u32 = 1;
const FILE: &str = "exam.json";

/// What became of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamRow {
    /// Id of the trace in the run.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// The step after which it was put.
    pub step: u32,
    /// Id of the question.
    pub question: String,
    /// Whether a ref was asked for.
    pub is_ref: bool,
    /// The answer; none if there was none.
    pub answer: Option<String>,
    /// Whether it is right.
    pub right: bool,
}

/// One model's exam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExamReader {
    /// Name of the model.
    pub model: String,
    /// Version of the prompt.
    pub prompt: String,
    /// Settings.
    pub settings: Settings,
    /// One row a question.
    pub rows: Vec<ExamRow>,
}

/// Every exam of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExamResults {
    /// [`EXAM_RESULTS_VERSION`].
    pub format: u32,
    /// The models, in the order in which they first sat the exam.
    pub readers: Vec<ExamReader>,
}

impl ExamResults {
    /// Adds an exam to those of a run's folder; one of the same model, prompt and settings is
    /// replaced, strategy by strategy.
    ///
    /// # Errors
    /// [`LlmReadError`] if the file cannot be read or written.
    pub fn add(folder: &Path, reader: ExamReader) -> Result<Self, LlmReadError> {
        let path = folder.join(FILE);
        let mut results = results::load(&path, EXAM_RESULTS_VERSION)?
            .unwrap_or(Self { format: EXAM_RESULTS_VERSION, readers: Vec::new() });
        let is_same = |known: &&mut ExamReader| {
            (&known.model, &known.prompt, &known.settings) == (&reader.model, &reader.prompt, &reader.settings)
        };
        match results.readers.iter_mut().find(is_same) {
            None => results.readers.push(reader),
            Some(known) => {
                let is_new = |row: &ExamRow| {
                    reader.rows.iter().any(|new| (&new.trace, &new.strategy) == (&row.trace, &row.strategy))
                };
                known.rows.retain(|row| !is_new(row));
                known.rows.extend(reader.rows);
            }
        }
        results::save(&path, &results)?;
        Ok(results)
    }
}

/// What is done with a question; its request is none where the strategy showed nothing.
type Each<'e> = dyn FnMut(&Unit<'_>, &ExamQuestion, Option<ChatRequest>) -> Result<(), LlmReadError> + 'e;

/// A model about to sit the exam.
#[derive(Debug)]
pub struct Exam<'a> {
    run: LlmRun<'a>,
    questions: BTreeMap<String, Vec<ExamQuestion>>,
}

impl<'a> Exam<'a> {
    /// Takes the questions of the scenarios of a run; `run` says which strategies are read, and
    /// how.
    ///
    /// # Errors
    /// [`LlmReadError::NoExam`] if no scenario of the run has an exam, [`LlmReadError::Replay`] if
    /// one cannot be read.
    pub fn new(run: LlmRun<'a>, scenarios_dir: &Path) -> Result<Self, LlmReadError> {
        let mut questions = BTreeMap::new();
        for (trace, _) in &run.pairs {
            let path = scenarios_dir.join(format!("{}.toml", trace.scenario));
            // A trace without a scenario has no exam, and of one that passed optional steps over it
            // is not known which step is which.
            if !path.is_file() || questions.contains_key(&trace.id) {
                continue;
            }
            let scenario = Scenario::load(&path).map_err(ReplayError::from)?;
            if !scenario.exam.is_empty() && scenario.steps.len() + 1 == trace.steps as usize {
                questions.insert(trace.id.clone(), scenario.exam);
            }
        }
        if questions.is_empty() {
            return Err(LlmReadError::NoExam { folder: run.run.folder.clone() });
        }
        Ok(Self { run, questions })
    }

    /// Counts what has to be asked, beside what a cassette holds; `steps` of the estimate are
    /// questions.
    ///
    /// # Errors
    /// [`LlmReadError::Replay`] if an observation of the run cannot be read.
    pub fn estimate(&self, cassette: &Cassette) -> Result<Estimate, LlmReadError> {
        let mut estimate = Estimate::default();
        let mut seen = HashSet::new();
        self.each(&mut |_, _, request| {
            estimate.steps += 1;
            if let Some(request) = request {
                estimate.add(&request, cassette, &mut seen);
            }
            Ok(())
        })?;
        Ok(estimate)
    }

    /// Puts every question and scores the answers; `progress` is told after each how many are done.
    ///
    /// # Errors
    /// [`LlmReadError`] if an answer is missing in a cassette without an endpoint, or the endpoint
    /// gives none.
    pub fn sit(
        &self,
        truth: &Truth,
        asked: &mut dyn Ask,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ExamReader, LlmReadError> {
        let mut rows = Vec::new();
        self.each(&mut |unit, question, request| {
            let (trace, strategy) = (unit.trace.id.clone(), unit.strategy.name.clone());
            let answer = match request {
                None => None,
                Some(request) => match asked.ask(&request)? {
                    Answer::Said(said) => json_object(&said.content).and_then(|object| {
                        let answer = object.get("answer")?;
                        answer.as_str().map(str::to_owned).or_else(|| Some(answer.to_string()))
                    }),
                    Answer::Refused { .. } => None,
                },
            };
            let right = answer.as_deref().is_some_and(|answer| match &question.answer {
                ExamAnswer::Words { right, .. } => is_right(answer, right),
                ExamAnswer::Ref(_) => truth.means(&trace, &strategy, question, answer),
            });
            let is_ref = matches!(question.answer, ExamAnswer::Ref(_));
            let (step, question) = (question.step, question.id.clone());
            rows.push(ExamRow { trace, strategy, step, question, is_ref, answer, right });
            progress(rows.len() as u64);
            Ok(())
        })?;
        Ok(ExamReader {
            model: self.run.options.model.clone(),
            prompt: self.run.prompt.version().to_owned(),
            settings: self.run.settings(),
            rows,
        })
    }

    fn each(&self, what: &mut Each<'_>) -> Result<(), LlmReadError> {
        for (trace, strategy) in &self.run.pairs {
            let Some(questions) = self.questions.get(&trace.id) else { continue };
            let unit = Unit::load(self.run.run, &self.run.store, trace, strategy)?;
            for question in questions {
                let Some(at) = unit.steps.iter().position(|step| step.info.step == question.step) else { continue };
                let request = unit.steps[at].shown.is_ok().then(|| self.request(&unit, at, question));
                what(&unit, question, request)?;
            }
        }
        Ok(())
    }

    fn request(&self, unit: &Unit<'_>, at: usize, question: &ExamQuestion) -> ChatRequest {
        let legend = self.run.legends.get(&unit.strategy.name).map(String::as_str);
        let mut text = String::new();
        for (index, shown) in unit.context(at) {
            let step = unit.steps[index].info.step;
            text.push_str(&format!("## Observation {step}\n\n{}\n\n", shown.stored.text.trim_end()));
            for (request, answer) in &shown.stored.answers {
                text.push_str(&format!("> {request}\n{}\n\n", answer.trim_end()));
            }
        }
        text.push_str(&format!("The question about the page as it is now: {}\n\nThe answer, as JSON:", question.ask));
        let schema = json!({
            "type": "object",
            "properties": { "answer": { "type": "string" } },
            "required": ["answer"],
            "additionalProperties": false,
        });
        let schema = Schema { name: "exam_answer".to_owned(), schema };
        self.run.options.request(self.run.prompt.render_exam(legend), vec![Part::Text(text)], schema)
    }
}

fn is_right(answer: &str, right: &[String]) -> bool {
    // Where two things are asked for, a comma between them is as good as a semicolon.
    let plain = |text: &str| text.to_lowercase().replace([',', ';'], " ");
    let mut words = Haystack::default();
    let answer = plain(answer);
    words.push(&answer);
    right.iter().map(|spelling| plain(spelling)).any(|spelling| {
        let more = answer.split_whitespace().count().saturating_sub(spelling.split_whitespace().count());
        more <= MORE_WORDS && words.holds(spelling.trim_end_matches('.'))
    })
}
