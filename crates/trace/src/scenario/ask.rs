//! Questions about the pages of a scenario: what an agent would ask a page, and the text on it that
//! answers.
//!
//! In: the file of questions beside a scenario (`shop/laptop-to-cart.ask.toml`). Out:
//! [`Question`]s. Invariants: each has an id of its own, names a step that there is, and has either
//! a text that answers it or the word that the page does not say. Why not tables in the scenario:
//! its hash is part of the key of every measured unit, and no strategy is shown a question.

use crate::scenario::ScenarioError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// How many words a text that answers may have: fewer stand anywhere, more are cut by sections that
/// are cut elsewhere.
const ANSWER_WORDS: RangeInclusive<usize> = 3..=25;

/// What the name of a file of questions ends with.
const ENDING: &str = ".ask.toml";

/// In whose words a question is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wording {
    /// In those of the page: a search for words would find it.
    Page,
    /// In other ones, as somebody asks who has not read the page.
    Other,
}

/// A question about a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name among the questions of the scenario.
    pub id: String,
    /// The step whose page is asked; 0 is the first navigation.
    pub step: u32,
    /// The question.
    pub ask: String,
    /// In whose words it is put.
    pub words: Wording,
    /// The text on the page that answers it, whitespace collapsed; none if the page does not say.
    pub text: Option<String>,
    /// Whether it is counted apart, as one that nothing may be tuned by.
    pub held_out: bool,
    /// Whether the page is about what it does not say.
    pub near: bool,
    /// Whether it is there for fitting how sure an answer is, and in no table of reading.
    pub relevance: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawQuestions {
    #[schemars(with = "Vec<RawQuestion>")]
    ask: Vec<Spanned<RawQuestion>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    id: String,
    step: u32,
    ask: String,
    words: Wording,
    text: Option<String>,
    #[serde(default)]
    absent: bool,
    #[serde(default)]
    held_out: bool,
    /// The page is about that, and does not say it.
    #[serde(default)]
    near: bool,
    /// For fitting how sure an answer is, and in no table of reading.
    #[serde(default)]
    relevance: bool,
}

/// Returns the file in which the questions of a scenario stand, where it has any.
pub(crate) fn questions_path(scenario: &Path) -> PathBuf {
    scenario.with_extension(ENDING.trim_start_matches('.'))
}

/// Returns whether a file holds questions, and the scenario that they belong to.
pub(crate) fn scenario_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
    Some(path.with_file_name(format!("{name}.toml")))
}

/// Reads questions; `steps` is how many steps follow the first navigation.
pub(crate) fn parse(text: &str, path: &Path, steps: usize) -> Result<Vec<Question>, ScenarioError> {
    let line_at = |offset: usize| text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
    let raw: RawQuestions = toml::from_str(text).map_err(|error| ScenarioError::BadQuestion {
        path: path.to_owned(),
        line: error.span().map_or(1, |span| line_at(span.start)),
        message: error.message().to_owned(),
    })?;
    let mut questions: Vec<Question> = Vec::with_capacity(raw.ask.len());
    for raw in raw.ask {
        let line = line_at(raw.span().start);
        let question = Question::of(raw.into_inner(), steps, &questions)
            .map_err(|message| ScenarioError::BadQuestion { path: path.to_owned(), line, message })?;
        questions.push(question);
    }
    Ok(questions)
}

/// Checks what any question has: an id that is its own, and a step that there is.
pub(crate) fn check_place<'q>(
    id: &str,
    step: u32,
    steps: usize,
    mut known: impl Iterator<Item = &'q str>,
) -> Result<(), String> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        return Err(format!("the id {id:?} must be of small letters, digits and -"));
    }
    if known.any(|known| known == id) {
        return Err(format!("the id {id:?} stands here for the second time"));
    }
    if step as usize > steps {
        return Err(format!("{id}: there is no step {step}: the last is {steps}"));
    }
    Ok(())
}

impl Question {
    /// Makes a question of a table; `known` are the questions before it.
    fn of(raw: RawQuestion, steps: usize, known: &[Self]) -> Result<Self, String> {
        let RawQuestion { id, step, ask, words, text, absent, held_out, near, relevance } = raw;
        check_place(&id, step, steps, known.iter().map(|question| &*question.id))?;
        if ask.trim().is_empty() {
            return Err(format!("{id}: the question must not be empty"));
        }
        let text = match (text, absent) {
            (Some(text), false) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            (None, true) => None,
            (Some(_), true) => return Err(format!("{id}: give text or absent = true, not both")),
            (None, false) => {
                return Err(format!("{id}: give the text that answers, or absent = true if the page does not say"));
            }
        };
        if near && text.is_some() {
            return Err(format!("{id}: near = true goes with absent = true"));
        }
        let words_of_text = text.as_deref().map(|text| text.split(' ').count());
        if let Some(count) = words_of_text.filter(|count| !ANSWER_WORDS.contains(count)) {
            let (least, most) = (ANSWER_WORDS.start(), ANSWER_WORDS.end());
            return Err(format!("{id}: the text that answers has {count} words; it must have {least} to {most}"));
        }
        Ok(Self { id, step, ask, words, text, held_out, near, relevance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "id = \"a-1\"\nstep = 1\nask = \"How  long?\"\nwords = \"other\"\ntext = \"up to\\n 19   hours\"\n";

    fn questions(tables: &[&str]) -> Result<Vec<Question>, ScenarioError> {
        let text: String = tables.iter().map(|table| format!("[[ask]]\n{table}\n")).collect();
        parse(&text, Path::new("a/b.ask.toml"), 2)
    }

    fn error(table: &str) -> String {
        let error = questions(&[table]).expect_err("an error");
        assert!(error.hint().contains("[[ask]]"), "{}", error.hint());
        error.to_string()
    }

    #[test]
    fn a_question_has_a_text_with_its_whitespace_collapsed_or_none() {
        let absent = "id = \"b\"\nstep = 0\nask = \"Why?\"\nwords = \"page\"\nabsent = true\n";
        let found = questions(&[GOOD, absent]).expect("parses");
        assert_eq!(found[0].text.as_deref(), Some("up to 19 hours"));
        assert_eq!((found[0].step, found[0].words, found[0].ask.as_str()), (1, Wording::Other, "How  long?"));
        assert_eq!((found[1].id.as_str(), found[1].words, &found[1].text), ("b", Wording::Page, &None));
        let apart = questions(&[&format!("{GOOD}held_out = true")]).expect("parses");
        assert_eq!((found[0].held_out, apart[0].held_out), (false, true));
    }

    #[test]
    fn ids_are_small_letters_digits_and_dashes() {
        for id in ["", "A", "a b", "a_b", "ä"] {
            let message = error(&GOOD.replace("a-1", id));
            assert_eq!(
                message,
                format!("a/b.ask.toml:1: question: the id {id:?} must be of small letters, digits and -")
            );
        }
    }

    #[test]
    fn an_id_stands_once() {
        let message = questions(&[GOOD, GOOD]).expect_err("an error").to_string();
        assert_eq!(message, "a/b.ask.toml:8: question: the id \"a-1\" stands here for the second time");
    }

    #[test]
    fn a_step_that_there_is_not_is_named_with_the_last_one() {
        assert_eq!(
            error(&GOOD.replace("step = 1", "step = 3")),
            "a/b.ask.toml:1: question: a-1: there is no step 3: the last is 2"
        );
        assert!(questions(&[&GOOD.replace("step = 1", "step = 2")]).is_ok(), "the last step is a step");
    }

    #[test]
    fn an_empty_question_is_refused() {
        assert_eq!(
            error(&GOOD.replace("How  long?", " ")),
            "a/b.ask.toml:1: question: a-1: the question must not be empty"
        );
    }

    #[test]
    fn a_question_says_whether_the_page_answers() {
        let neither = GOOD.lines().take(4).collect::<Vec<_>>().join("\n");
        let wants = "give the text that answers, or absent = true if the page does not say";
        assert!(error(&neither).ends_with(wants), "{}", error(&neither));
        assert!(error(&format!("{neither}\nabsent = false")).ends_with(wants));
        assert!(error(&format!("{GOOD}absent = true")).ends_with("a-1: give text or absent = true, not both"));
    }

    #[test]
    fn an_answer_is_neither_so_short_that_it_stands_anywhere_nor_so_long_that_sections_cut_it() {
        let with = |count: usize| GOOD.replace("up to\\n 19   hours", &"word ".repeat(count));
        assert!(error(&with(2)).ends_with("a-1: the text that answers has 2 words; it must have 3 to 25"));
        assert!(error(&with(26)).ends_with("a-1: the text that answers has 26 words; it must have 3 to 25"));
        assert!(error(&with(0)).ends_with("it must have 3 to 25"));
        assert!(questions(&[&with(3)]).is_ok() && questions(&[&with(25)]).is_ok());
    }

    #[test]
    fn misspelt_and_missing_keys_and_values_are_named_with_their_line() {
        assert!(error(&format!("{GOOD}txt = \"x\"")).starts_with("a/b.ask.toml:7: question: unknown field `txt`"));
        assert!(error(&GOOD.replace("ask =", "question =")).contains("unknown field `question`"));
        assert!(error(&GOOD.replace("words = \"other\"\n", "")).contains("missing field `words`"));
        assert!(error(&GOOD.replace("\"other\"", "\"own\"")).contains("unknown variant `own`"));
        let nothing = parse("", Path::new("b.ask.toml"), 2).expect_err("an error").to_string();
        assert!(nothing.contains("missing field `ask`"), "{nothing}");
    }

    #[test]
    fn a_file_of_questions_and_its_scenario_find_each_other() {
        let (scenario, questions) = (Path::new("s/shop/buy.toml"), Path::new("s/shop/buy.ask.toml"));
        assert_eq!(questions_path(scenario), questions);
        assert_eq!(scenario_of(questions).as_deref(), Some(scenario));
        assert_eq!(scenario_of(scenario), None);
    }
}
