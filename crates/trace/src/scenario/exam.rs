//! The exam: questions to which whoever read the observations of a scenario in order must know the
//! answer.
//!
//! In: the file beside a scenario (`shop/laptop-to-cart.exam.toml`). Out: [`ExamQuestion`]s.
//! Invariants: each has an id of its own, names a step that there is, and is answered either in
//! words or by the control to act on. Why not tables in the scenario: the same as of the questions
//! for retrieval ([`crate::scenario::Question`]).

use crate::scenario::error::{Part, Source, check_id, check_step};
use crate::scenario::raw::{RawTarget, target_of};
use crate::scenario::{ScenarioError, Target};
use browserlens_core::page::text::folded;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;

/// What the name of an exam's file ends with.
pub(crate) const ENDING: &str = "exam.toml";

/// A question of an exam.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamQuestion {
    /// Its name among the questions of the scenario.
    pub id: String,
    /// The step after which it is put; 0 is the first navigation.
    pub step: u32,
    /// The question.
    pub ask: String,
    /// What is right.
    pub answer: ExamAnswer,
    /// Text on the page that says whose the answer is; none where the answer speaks for itself.
    pub about: Option<String>,
}

/// What is right.
#[derive(Clone, Debug, PartialEq)]
pub enum ExamAnswer {
    /// Words.
    Words {
        /// All that is right, the first as it is shown.
        right: Vec<String>,
        /// Texts of the page that say it, all needed.
        says: Vec<String>,
        /// Whether the answer is that these texts are not there, or not any more.
        absent: bool,
    },
    /// The ref of a control.
    Ref(Target),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawExam {
    #[schemars(with = "Vec<RawQuestion>")]
    exam: Vec<Spanned<RawQuestion>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    id: String,
    step: u32,
    ask: String,
    answer: Option<String>,
    #[serde(default)]
    accept: Vec<String>,
    about: Option<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    absent: bool,
    target: Option<RawTarget>,
}

/// Reads an exam; `steps` is how many steps follow the first navigation.
pub(crate) fn parse(text: &str, path: &Path, steps: usize) -> Result<Vec<ExamQuestion>, ScenarioError> {
    let source = Source { text, path };
    let raw: RawExam = source.read(Part::Exam)?;
    source.each(raw.exam, |_| Part::Exam, |raw, known| ExamQuestion::of(raw, steps, known))
}

impl ExamQuestion {
    fn of(raw: RawQuestion, steps: usize, known: &[Self]) -> Result<Self, String> {
        let RawQuestion { id, step, ask, answer, accept, about, says, absent, target } = raw;
        check_id(&id, known.iter().map(|question| &question.id))?;
        check_step(&id, step, steps)?;
        let texts = [Some(&ask), answer.as_ref(), about.as_ref()].into_iter().flatten().chain(&accept).chain(&says);
        if texts.into_iter().any(|text| text.trim().is_empty()) {
            return Err(format!("{id}: no text may be empty"));
        }
        let words = !accept.is_empty() || !says.is_empty() || absent;
        let answer = match (answer, target) {
            (Some(_), Some(_)) => return Err(format!("{id}: give an answer or a target, not both")),
            (None, None) => return Err(format!("{id}: give the answer, or the target whose ref is the answer")),
            (None, Some(_)) if words => {
                return Err(format!("{id}: accept, says and absent belong to an answer in words"));
            }
            (None, Some(target)) => ExamAnswer::Ref(target_of(target).map_err(|error| format!("{id}: {error}"))?),
            (Some(answer), None) => {
                let says = match says.is_empty() {
                    true if absent => Vec::new(),
                    true => vec![folded(&answer)],
                    false => says.iter().map(|text| folded(text)).collect(),
                };
                ExamAnswer::Words { right: std::iter::once(answer).chain(accept).collect(), says, absent }
            }
        };
        Ok(Self { id, step, ask, answer, about: about.map(|text| folded(&text)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "id = \"a-1\"\nstep = 1\nask = \"How many?\"\nanswer = \"0\"\nabout = \"1 TB  SSD\"\n";
    const REF: &str = "id = \"b\"\nstep = 2\nask = \"Which?\"\ntarget = { role = \"button\", name = \"Buy\" }\n";

    fn exam(tables: &[&str]) -> Result<Vec<ExamQuestion>, ScenarioError> {
        let text: String = tables.iter().map(|table| format!("[[exam]]\n{table}\n")).collect();
        parse(&text, Path::new("a/b.exam.toml"), 2)
    }

    fn error(table: &str) -> String {
        let error = exam(&[table]).expect_err("an error");
        assert!(error.hint().contains("[[exam]]"), "{}", error.hint());
        error.to_string()
    }

    #[test]
    fn an_answer_is_words_or_a_control() {
        let more = WORDS.replace("a-1", "c") + "accept = [\"none\"]\nsays = [\"(0)\"]\n";
        let absent = WORDS.replace("a-1", "d") + "absent = true\n";
        let gone = absent.replace("\"d\"", "\"e\"") + "says = [\"Not saved\"]\n";
        let found = exam(&[WORDS, REF, &more, &absent, &gone]).expect("parses");
        let words = |right: &[&str], says: &[&str], absent| ExamAnswer::Words {
            absent,
            right: right.iter().map(|text| (*text).to_owned()).collect(),
            says: says.iter().map(|text| (*text).to_owned()).collect(),
        };
        assert_eq!(found[0].answer, words(&["0"], &["0"], false), "what says it is the answer itself");
        assert_eq!(found[0].about.as_deref(), Some("1 TB SSD"));
        assert_eq!(found[1].answer, ExamAnswer::Ref(Target::role("button", "Buy")));
        assert_eq!(found[2].answer, words(&["0", "none"], &["(0)"], false));
        assert_eq!(found[3].answer, words(&["0"], &[], true), "nothing says what is absent");
        assert_eq!(found[4].answer, words(&["0"], &["Not saved"], true), "what is there no more");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (table, message) in [
            (WORDS.replace("a-1", "A"), "a/b.exam.toml:1: exam: the id \"A\" must be of small letters, digits and -"),
            (WORDS.replace("step = 1", "step = 3"), "a/b.exam.toml:1: exam: a-1: there is no step 3: the last is 2"),
            (WORDS.replace("How many?", " "), "a/b.exam.toml:1: exam: a-1: no text may be empty"),
            (format!("{WORDS}target = {{ role = \"x\" }}\n"), "a-1: give an answer or a target, not both"),
            (WORDS.replace("answer = \"0\"\n", ""), "a-1: give the answer, or the target whose ref is the answer"),
            (format!("{REF}absent = true\n"), "b: accept, says and absent belong to an answer in words"),
            (REF.replace("role = \"button\", ", ""), "b: a target needs role, css or text"),
            (format!("{WORDS}why = \"x\"\n"), "unknown field `why`"),
        ] {
            let error = error(&table);
            assert!(error.contains(message), "{error}");
        }
        let twice = exam(&[WORDS, WORDS]).expect_err("an error").to_string();
        assert_eq!(twice, "a/b.exam.toml:8: exam: the id \"a-1\" stands here for the second time");
    }
}
