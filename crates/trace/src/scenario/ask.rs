//! Questions about the pages of a scenario: what an agent would ask a page, and the text on it that
//! answers.
//!
//! In: the file of questions beside a scenario (`shop/laptop-to-cart.ask.toml`). Out:
//! [`Question`]s. Invariants: each has an id of its own, names a step that there is, and has either
//! a text that answers it or the word that the page does not say. Why not tables in the scenario:
//! its hash is part of the key of every measured unit, and no strategy is shown a question.

use crate::scenario::ScenarioError;
use crate::scenario::error::{Part, Source, check_id, check_step};
use browserlens_core::page::text::folded;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::Path;
use toml::Spanned;

/// How many words a text that answers may have: fewer stand anywhere, more are cut by sections that
/// are cut elsewhere.
const ANSWER_WORDS: RangeInclusive<usize> = 3..=25;

/// What the name of a file of questions ends with.
pub(crate) const ENDING: &str = "ask.toml";

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

/// Reads questions; `steps` is how many steps follow the first navigation.
pub(crate) fn parse(text: &str, path: &Path, steps: usize) -> Result<Vec<Question>, ScenarioError> {
    let source = Source { text, path };
    let raw: RawQuestions = source.read(Part::Question)?;
    source.each(raw.ask, |_| Part::Question, |raw, known| Question::of(raw, steps, known))
}

impl Question {
    /// Makes a question of a table; `known` are the questions before it.
    fn of(raw: RawQuestion, steps: usize, known: &[Self]) -> Result<Self, String> {
        let RawQuestion { id, step, ask, words, text, absent, held_out, near, relevance } = raw;
        check_id(&id, known.iter().map(|question| &question.id))?;
        check_step(&id, step, steps)?;
        if ask.trim().is_empty() {
            return Err(format!("{id}: the question must not be empty"));
        }
        let text = match (text, absent) {
            (Some(text), false) => Some(folded(&text)),
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
    fn what_is_wrong_is_named_with_its_line() {
        let id = |id: &str| {
            let message = format!("the id {id:?} must be of small letters, digits and -");
            (GOOD.replace("a-1", id), message)
        };
        let told = |change: (&str, &str), message: &str| (GOOD.replace(change.0, change.1), format!("a-1: {message}"));
        let neither = GOOD.lines().take(4).collect::<Vec<_>>().join("\n");
        let wants = "a-1: give the text that answers, or absent = true if the page does not say".to_owned();
        let words = |count: usize, given: usize| {
            let message = format!("a-1: the text that answers has {given} words; it must have 3 to 25");
            (GOOD.replace("up to\\n 19   hours", &"word ".repeat(count)), message)
        };
        for (table, message) in [
            id(""),
            id("A"),
            id("a b"),
            id("a_b"),
            id("ä"),
            told(("step = 1", "step = 3"), "there is no step 3: the last is 2"),
            told(("How  long?", " "), "the question must not be empty"),
            (neither.clone(), wants.clone()),
            (format!("{neither}\nabsent = false"), wants),
            (format!("{GOOD}absent = true"), "a-1: give text or absent = true, not both".to_owned()),
            words(2, 2),
            words(26, 26),
            words(0, 1),
        ] {
            assert_eq!(error(&table), format!("a/b.ask.toml:1: question: {message}"));
        }
        let twice = questions(&[GOOD, GOOD]).expect_err("an error").to_string();
        assert_eq!(twice, "a/b.ask.toml:8: question: the id \"a-1\" stands here for the second time");
        let last_step = GOOD.replace("step = 1", "step = 2");
        let [(shortest, _), (longest, _)] = [words(3, 3), words(25, 25)];
        assert!([last_step, shortest, longest].iter().all(|table| questions(&[table]).is_ok()));
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
}
