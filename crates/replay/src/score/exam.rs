//! Whether what an exam asks for is told where it can be found: *local*.
//!
//! In: the observations since the last whole telling, line by line; the questions that are put
//! after the step. Out: an [`ExamScore`]. Rules: an answer is *told* if its texts (or a handle that
//! means its control) stand in these lines, and *local* if one observation says them together with
//! whose they are, at most one line apart. That something is gone is told if a reader of the lines
//! does not believe it to be there any more. A question without a text to look for is not counted,
//! nor one for a ref where it is not known what handles mean.

use crate::measure::ExamScore;
use crate::reader::{Haystack, Reading};
use crate::steps::resolve;
use browserlens_core::page::{NodeKey, Page};
use browserlens_trace::scenario::{ExamAnswer, ExamQuestion};
use std::collections::BTreeMap;

/// How many lines an answer may stand from its owner.
const BESIDE: usize = 1;

/// The observations since the last whole telling.
#[derive(Debug, Default)]
pub(crate) struct Told {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    observation: usize,
    text: String,
    words: Haystack,
}

impl Told {
    /// Takes observations in order; `also` says what a line stands for besides its own text (a row,
    /// for a pattern).
    pub fn new(texts: &[String], also: impl Fn(usize) -> Vec<String>) -> Self {
        let mut lines = Vec::new();
        for (observation, text) in texts.iter().enumerate() {
            for line in text.lines() {
                let mut words = Haystack::default();
                words.push(&readable(line));
                also(lines.len()).iter().for_each(|text| {
                    words.push(text);
                });
                lines.push(Line { observation, text: line.to_owned(), words });
            }
        }
        Self { lines }
    }

    /// Scores questions, and gives the ids of those that are not local; `lines_of` finds the lines
    /// of a handle where they do not show it as it is, and `believed` is what a reader takes for
    /// shown.
    pub fn exam<'q>(
        &self,
        questions: impl Iterator<Item = &'q ExamQuestion>,
        page: &Page,
        handles: &BTreeMap<String, NodeKey>,
        lines_of: impl Fn(&str) -> Vec<usize>,
        believed: &Reading,
    ) -> (ExamScore, Vec<String>) {
        let (mut score, mut missed) = (ExamScore::default(), Vec::new());
        let words = believed.haystack();
        for question in questions {
            let about = question.about.as_deref();
            let (told, local) = match (&question.answer, about) {
                (ExamAnswer::Words { says, .. }, _) if says.is_empty() => continue,
                (ExamAnswer::Words { says, absent: true, .. }, about) => {
                    let is_state = |text: &str| {
                        let of = believed.nodes.iter().filter(|node| Some(node.name.as_str()) == about);
                        of.flat_map(|node| &node.states).any(|state| state == text)
                    };
                    let known = !says.iter().any(|gone| words.holds(gone) || is_state(gone));
                    (known, known)
                }
                (ExamAnswer::Words { says, .. }, about) => {
                    let places: Vec<Vec<usize>> = says.iter().map(|text| self.places(text)).collect();
                    (places.iter().all(|places| !places.is_empty()), self.is_local(&places, about))
                }
                // Where it is not known what handles mean, or there are none, refs are not asked
                // for.
                (ExamAnswer::Ref(_), _) if handles.is_empty() => continue,
                (ExamAnswer::Ref(target), about) => {
                    let keys: Vec<NodeKey> = resolve(target, page).into_iter().map(|id| page.node(id).key()).collect();
                    let known = handles.iter().filter(|(_, key)| keys.contains(key));
                    let places: Vec<usize> = known
                        .flat_map(|(handle, _)| lines_of(handle).into_iter().chain(self.places_of_handle(handle)))
                        .collect();
                    (!places.is_empty(), self.is_local(&[places], about))
                }
            };
            score.asked += 1;
            score.told += u32::from(told);
            score.local += u32::from(local);
            if !local {
                missed.push(question.id.clone());
            }
        }
        (score, missed)
    }

    fn places(&self, text: &str) -> Vec<usize> {
        (0..self.lines.len()).filter(|at| self.lines[*at].words.holds(text)).collect()
    }

    fn places_of_handle(&self, handle: &str) -> Vec<usize> {
        // Tools write `[ref=e5]`, `@e5`, `[12]`, `uid=1_12`, `"backendDOMNodeId":12`, whatever they
        // take.
        let bare = handle.trim_start_matches(['@', '[']).trim_end_matches(']');
        let bare = bare.rsplit_once('=').map_or(bare, |(_, bare)| bare);
        let is_number = bare.bytes().all(|byte| byte.is_ascii_digit());
        let stands = |line: &str| {
            line.match_indices(bare).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + bare.len()..].chars().next();
                let marked = match before {
                    Some('[' | '=' | '@' | ':') => true,
                    // A number alone is a number.
                    Some(' ' | '"') | None => !is_number,
                    _ => false,
                };
                marked
                    && !bare.is_empty()
                    && !after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
            })
        };
        (0..self.lines.len()).filter(|at| stands(&self.lines[*at].text)).collect()
    }

    /// Whether one observation says all of it within a line of whose it is.
    fn is_local(&self, places: &[Vec<usize>], about: Option<&str>) -> bool {
        let observations = self.lines.last().map_or(0, |line| line.observation + 1);
        let owners = about.map(|about| self.places(about));
        (0..observations).any(|observation| {
            let within = |at: &&usize| self.lines.get(**at).is_some_and(|line| line.observation == observation);
            places.iter().all(|places| {
                places.iter().filter(within).any(|place| match &owners {
                    None => true,
                    Some(owners) => owners.iter().filter(within).any(|owner| owner.abs_diff(*place) <= BESIDE),
                })
            })
        })
    }
}

/// A line without the backslashes that keep its characters from being taken for marks.
fn readable(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some('"' | '\\' | '@' | '|' | '[' | ']' | '…') if c == '\\' => {}
            Some('n' | 't' | 'r') if c == '\\' => {
                chars.next();
                out.push(' ');
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;
    use browserlens_trace::scenario::Target;

    fn words(says: &[&str], about: Option<&str>) -> ExamQuestion {
        let says = says.iter().map(|text| (*text).to_owned()).collect();
        let answer = ExamAnswer::Words { right: vec!["x".into()], says, absent: false };
        ExamQuestion { id: "q".into(), step: 1, ask: "?".into(), answer, about: about.map(Into::into) }
    }

    fn score(texts: &[&str], question: &ExamQuestion) -> (u32, u32, u32) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let page = PageBuilder::outline("main\n  button \"Buy\" #12\n  button \"Sell\" #13");
        let key = |backend| NodeKey { frame: 1, loader: 1, backend };
        let handles = BTreeMap::from([("@e1".to_owned(), key(12)), ("7".to_owned(), key(13))]);
        let told = Told::new(&texts, |_| Vec::new());
        let mut simple = crate::reader::SimpleText::default();
        texts.iter().for_each(|text| simple.read(&format!("[DELTA 0→1]\n{text}"), false));
        let believed = simple.reading();
        let (score, missed) = told.exam([question].into_iter(), &page, &handles, |_| Vec::new(), &believed);
        assert_eq!(missed.len() as u32, score.asked - score.local);
        (score.asked, score.told, score.local)
    }

    #[test]
    fn an_answer_is_local_beside_its_owner_in_one_observation() {
        let texts = ["a\n- row \"Tea\": \"5\"\n- \"9\"", "b\n- text \"5\" of @e1 \"Tea\" → \"7\"\nc\nd\n- \"11\""];
        assert_eq!(score(&texts, &words(&["7"], Some("Tea"))), (1, 1, 1));
        assert_eq!(score(&texts, &words(&["9"], Some("Tea"))), (1, 1, 1), "one line apart");
        assert_eq!(score(&texts, &words(&["11"], Some("Tea"))), (1, 1, 0), "too far");
        assert_eq!(score(&texts, &words(&["9", "7"], Some("Tea"))), (1, 1, 0), "in two observations");
        assert_eq!(score(&texts, &words(&["11"], None)), (1, 1, 1), "it speaks for itself");
        assert_eq!(score(&texts, &words(&["12"], Some("Tea"))), (1, 0, 0));
    }

    #[test]
    fn what_is_gone_is_known_to_be() {
        let gone = |says: &[&str], about| ExamQuestion {
            answer: ExamAnswer::Words {
                right: Vec::new(),
                says: says.iter().map(|text| (*text).to_owned()).collect(),
                absent: true,
            },
            ..words(&[], about)
        };
        let told = ["- alert: \"Not saved\"\n- button \"Pay\" disabled"];
        assert_eq!(score(&told, &gone(&["Saved"], None)), (1, 1, 1));
        assert_eq!(score(&told, &gone(&["Not saved"], None)), (1, 0, 0));
        assert_eq!(score(&told, &gone(&["disabled"], Some("Pay"))), (1, 0, 0));
        assert_eq!(score(&told, &gone(&["disabled"], Some("Buy"))), (1, 1, 1));
        assert_eq!(score(&told, &gone(&[], None)), (0, 0, 0), "nothing to look for");
    }

    #[test]
    fn handles_are_found_as_tools_write_them() {
        let told = |line: &str, handle: &str| {
            let told = Told::new(&[line.to_owned()], |_| Vec::new());
            told.places_of_handle(handle).len()
        };
        for (line, handle) in [
            ("- button \"Buy\" [ref=e5]", "e5"),
            ("- button \"Buy\" [ref=e5]", "@e5"),
            ("- button \"Buy\" [level=2, ref=e5]", "ref=e5"),
            ("[12]<button />", "12"),
            ("uid=1_12 button", "1_12"),
            ("uid=1_12 button", "uid=1_12"),
            ("[0-12] button: Buy", "0-12"),
            ("{\"backendDOMNodeId\":12,\"x\":1}", "12"),
        ] {
            assert_eq!(told(line, handle), 1, "{handle} in {line}");
        }
        for (line, handle) in [("- 12 items", "12"), ("[ref=e55]", "e5"), ("[121]<b>", "12"), ("uid=1_123", "1_12")] {
            assert_eq!(told(line, handle), 0, "{handle} in {line}");
        }
    }

    #[test]
    fn a_ref_is_local_where_its_line_says_whose_it_is() {
        let by = |name: &str, about: &str| ExamQuestion {
            answer: ExamAnswer::Ref(Target::role("button", name)),
            ..words(&[], Some(about))
        };
        let texts = ["- row \"Tea\"\n- button \"Buy\" @e1\nx\n- 7 items\n- [7] button \"Sell\""];
        assert_eq!(score(&texts, &by("Buy", "Tea")), (1, 1, 1));
        assert_eq!(score(&texts, &by("Sell", "Tea")), (1, 1, 0), "a bare number is no handle");
        assert_eq!(score(&texts, &by("Sell", "Sell")), (1, 1, 1));
        assert_eq!(score(&["- [8] x"], &by("Sell", "Sell")), (1, 0, 0));
    }
}
