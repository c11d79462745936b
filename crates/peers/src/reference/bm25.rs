//! `search/bm25-lines`: the lines of an observation that words of the goal speak for.
//!
//! In: BrowserGym's tree and the goal; with a request, its words too. Out: the best lines in page
//! order, within `budget` tokens (o200k_base). Invariants: a line is whole or absent, with its own
//! indentation; ancestors are not added, and nothing says where lines are left out; lines of one
//! score stand in page order, so what is left of the budget goes to the beginning of the page.

use super::truncate::{read_budget, still_shown};
use crate::browsergym::{self, BrowserGymRun};
use crate::tool::PeerStrategy;
use browserlens_core::bm25::bm25;
use browserlens_core::strategy::{
    Observation, ObservationKind, OptionsError, OptionsReader, RefTarget, Request, Run, Stage, StepInput, StrategyError,
};
use browserlens_core::tokens::{Encoding, Tokens};

pub(crate) const NAME: &str = "search/bm25-lines";

/// Option `budget`: the most tokens that are shown.
pub(super) fn strategy(options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    let mut reader = OptionsReader::new(options)?;
    let budget = read_budget(&mut reader)?;
    reader.finish()?;
    Ok(PeerStrategy::new(NAME, "1", &browsergym::TREE, move |task| SearchRun::new(budget, &task.goal)))
}

struct SearchRun {
    budget: Tokens,
    goal: String,
    of: BrowserGymRun,
    /// What was observed last, whole.
    text: String,
    refs: Vec<RefTarget>,
}

impl SearchRun {
    fn new(budget: Tokens, goal: &str) -> Self {
        let (text, refs) = (String::new(), Vec::new());
        Self { budget, goal: goal.to_owned(), of: BrowserGymRun::default(), text, refs }
    }

    /// The lines of what was observed last that speak for a query.
    fn found(&self, query: &str) -> Observation {
        let mut observation = Observation::full_text(best_lines(&self.text, query, self.budget), crate::REPRODUCED);
        observation.refs = still_shown(&observation.text, self.refs.clone());
        observation
    }
}

impl Run for SearchRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        (self.text, self.refs) = Default::default();
        let whole = self.of.observe(input).map_err(|error| match error {
            StrategyError::Missing { step, what, .. } => {
                StrategyError::Missing { step, what, strategy: NAME.to_owned() }
            }
            other => other,
        })?;
        (self.text, self.refs) = (whole.text, whole.refs);
        input.clock.enter(Some(Stage::Format));
        let observation = self.found(&self.goal);
        input.clock.enter(None);
        Ok(observation)
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let Request::Query { text } = request else {
            return Err(StrategyError::Unanswerable {
                request: request.to_string(),
                reason: format!("{NAME} answers queries only"),
            });
        };
        let found = self.found(&format!("{} {text}", self.goal));
        Ok(Observation { kind: ObservationKind::Answer, ..found })
    }
}

/// The lines that fit into the budget, best first chosen, in the order of the text.
fn best_lines(text: &str, query: &str, budget: Tokens) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let scores = scores(&lines, query);
    let mut ranked: Vec<usize> = (0..lines.len()).collect();
    ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut chosen = Vec::new();
    let mut spent = Tokens(0);
    for line in ranked {
        // Even the shortest line and its break are two tokens.
        if spent + Tokens(1) >= budget {
            break;
        }
        if let Some(cost) = Encoding::O200kBase.count_within(&format!("{}\n", lines[line]), Tokens(budget.0 - spent.0))
        {
            spent += cost;
            chosen.push(line);
        }
    }
    loop {
        let mut kept = chosen.clone();
        kept.sort_unstable();
        let shown = kept.iter().map(|line| lines[*line]).collect::<Vec<_>>().join("\n");
        // Together lines may break into other tokens than alone.
        if Encoding::O200kBase.count_within(&shown, budget).is_some() || chosen.pop().is_none() {
            return shown;
        }
    }
}

/// Lower-cased words of a line; its bid is a handle and no word.
fn words(line: &str) -> impl Iterator<Item = String> {
    let body = line.trim_start();
    let body = body.strip_prefix('[').and_then(|marked| Some(marked.split_once("] ")?.1)).unwrap_or(body);
    body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn scores(lines: &[&str], query: &str) -> Vec<f64> {
    let lines: Vec<Vec<String>> = lines.iter().map(|line| words(line).collect()).collect();
    bm25(&lines, words(query))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_best_lines_stand_in_page_order_and_within_the_budget() {
        let text =
            "main ''\n\t[1] link 'Help'\n\t[2] button 'Add laptop'\n\t[3] link 'Laptop bags'\n\t[4] link 'Contact'";
        let shown = best_lines(text, "laptop add", Tokens(19));
        assert_eq!(shown, "\t[2] button 'Add laptop'\n\t[3] link 'Laptop bags'");
        assert_eq!(best_lines(text, "laptop", Tokens(0)), "");
        assert_eq!(best_lines(text, "laptop", Tokens(500)), text);
    }

    #[test]
    fn handles_are_not_words_of_a_line() {
        let scores = scores(&["[16] link 'x'", "link '16 GB'"], "16");
        assert!(scores[0] <= 0.0 && scores[1] > 0.0);
    }

    #[test]
    fn a_query_is_answered_with_its_words_too() {
        let step = crate::browsergym::example();
        let mut run = SearchRun::new(Tokens(45), "newsletter");
        insta::assert_snapshot!(step.observe(&mut run).text, @r"
        RootWebArea 'Test', focused, url='https://test.test/'
        	[2] heading 'Newsletter', visible
        		InlineTextBox 'Newsletter'
        	[3] paragraph '', visible
        ");
        let answer = run.request(&Request::Query { text: "go now".to_owned() }).expect("is answered");
        assert_eq!(answer.kind, ObservationKind::Answer);
        insta::assert_snapshot!(answer.text, @r"
        [2] heading 'Newsletter', visible
        	InlineTextBox 'Newsletter'
        [3] paragraph '', visible
        	StaticText 'Go'
        		InlineTextBox 'Go'
        ");
        assert!(answer.refs.iter().all(|target| answer.text.contains(&format!("[{}]", target.handle))));
        let other = run.request(&Request::Expand { handle: "1".to_owned() }).expect_err("is no query");
        assert!(other.to_string().contains("answers queries only"), "{other}");
    }

    #[test]
    fn a_capture_without_the_tree_is_an_error_in_its_own_name() {
        let step = crate::testing::Step::new(crate::testing::outline("main"));
        let error = step.try_observe(&mut SearchRun::new(Tokens(10), "x")).expect_err("nothing to search");
        assert_eq!(error.to_string(), "step 0: the capture has no DOM snapshot, which search/bm25-lines reads");
        assert!(strategy(&json!({ "k1": 2 })).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_never_costs_more_than_the_budget(text in "([a-z\\t\\[\\] \
            é'0-9]{0,30}\\n){0,20}", query in "[a-z ]{0,20}", budget in 0u32..80) {
            let shown = best_lines(&text, &query, Tokens(budget));
            prop_assert!(Encoding::O200kBase.count(&shown) <= Tokens(budget));
            let mut lines = text.lines();
            prop_assert!(shown.lines().all(|line| lines.any(|known| known == line)));
        }
    }
}
