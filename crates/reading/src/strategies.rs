//! The strategies that show a part of a page's text.
//!
//! - `read-text/section-search`: the sections that the goal means (BM25 and the lexical embedder,
//!   fused).
//! - `search/embedding-sections`: the same by the embedder alone.
//! - `read-text/graph-summary`: the headings of levels 2 and 3, each with its first paragraph;
//!   then, on request, all that stands under one.
//!
//! In: a page, the goal, and requests of the reader, whose words come from goal and intent. Out:
//! markdown. Invariants: an observation is a function of its page, the query, and which texts the
//! pages of its site seen so far repeat; those are left out of searches. Nothing else outlives a
//! step but the page that requests are about, and its index.

use crate::BoilerplateIndex;
use crate::embed::Lexical;
use crate::graph::{ContentGraph, summary};
use crate::retrieval::{By, PageIndex, SearchOptions, answer, for_page};
use crate::sections::Extraction;
use crate::shared::{self, Read};
use browserlens_core::page::Page;
use browserlens_core::page::text::escaped;
use browserlens_core::strategy::{
    ActionChannel, NoClock, Observation, ObservationKind, OptionsError, OptionsReader, Request, Run, Stage, StageClock,
    StepCache, StepInput, Strategy, StrategyError, Task, TextFormat,
};
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) const SECTION_SEARCH: &str = "read-text/section-search";
pub(crate) const GRAPH_SUMMARY: &str = "read-text/graph-summary";
pub(crate) const EMBEDDING_SECTIONS: &str = "search/embedding-sections";

/// Longest summary, in characters.
const LONGEST_SUMMARY: usize = 4_000;

/// Builds the strategy of a name; none if the name is not one of this module.
pub(crate) fn build(name: &str, options: &serde_json::Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    let (name, by) = match name {
        SECTION_SEARCH => (SECTION_SEARCH, By::Fused),
        EMBEDDING_SECTIONS => (EMBEDDING_SECTIONS, By::Vectors),
        GRAPH_SUMMARY => (GRAPH_SUMMARY, By::Fused),
        _ => return None,
    };
    let search = read_options(options).map(|search| SearchOptions { by, ..search });
    Some(search.map(|search| Box::new(Parts { name, search }) as Box<dyn Strategy>))
}

fn read_options(options: &serde_json::Value) -> Result<SearchOptions, OptionsError> {
    let default = SearchOptions::default();
    let mut reader = OptionsReader::new(options)?;
    let top_k = reader.number("sections", default.top_k)?;
    let min_similarity = reader.share("min_similarity", default.min_similarity)?;
    let max_bytes = reader.number("max_bytes", default.max_bytes)?;
    reader.finish()?;
    Ok(SearchOptions { top_k, min_similarity, max_bytes, ..default })
}

/// A strategy that shows parts of a page's text.
#[derive(Clone)]
struct Parts {
    name: &'static str,
    search: SearchOptions,
}

impl Strategy for Parts {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> &str {
        "8"
    }

    fn channel(&self) -> ActionChannel {
        ActionChannel::None
    }

    fn format(&self) -> TextFormat {
        TextFormat::MARKDOWN
    }

    fn start(&self, task: &Task) -> Box<dyn Run> {
        let (parts, goal, site) = (self.clone(), task.goal.clone(), BoilerplateIndex::default());
        Box::new(PartsRun { parts, goal, last: None, embedder: Arc::default(), site })
    }
}

struct PartsRun {
    parts: Parts,
    goal: String,
    last: Option<Last>,
    /// Remembers the words of earlier pages.
    embedder: Arc<Lexical>,
    site: BoilerplateIndex,
}

/// What was read last.
struct Last {
    page: Arc<Page>,
    read: Arc<Read>,
    shared: Arc<StepCache>,
    /// Its index, once something was asked of it.
    index: Option<Arc<Result<PageIndex, String>>>,
}

impl PartsRun {
    fn found(&mut self, clock: &dyn StageClock, query: &str) -> Result<(String, bool), String> {
        let Some(Last { page, read, shared, index }) = &mut self.last else { return Ok((answer(query, &[]), false)) };
        let own = || self.site.own_sections_of(&read.extraction, &read.texts);
        let index = index.get_or_insert_with(|| shared::index(shared, clock, page, own(), &self.embedder));
        let index = Result::as_ref(index).map_err(String::clone)?;
        let options = for_page(&read.extraction, &self.parts.search);
        let hits = index.search(query, &options).map_err(|error| error.to_string())?;
        Ok((answer(query, &hits), !hits.is_empty()))
    }
}

impl Run for PartsRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let read = shared::read(input.shared, input.clock, input.page);
        self.site.add_texts(&read.extraction.url, &read.texts);
        input.clock.enter(Some(Stage::Format));
        let page = Arc::clone(&read.extraction);
        let (of, shared) = (Arc::clone(input.page), Arc::clone(input.shared));
        self.last = Some(Last { page: of, read, shared, index: None });
        let text = if self.parts.name == GRAPH_SUMMARY {
            summary(&ContentGraph::of(&page.url, &page.title, &page.blocks), LONGEST_SUMMARY)
        } else {
            let goal = self.goal.clone();
            let found = self.found(input.clock, &goal);
            found.map_err(|message| StrategyError::Failed { step: input.step, message })?.0
        };
        input.clock.enter(None);
        Ok(Observation::full_text(text, "every observation is full"))
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let refused =
            |reason: &str| StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() };
        let text = match request {
            Request::Section { name } => {
                let under = self.last.as_ref().and_then(|last| under(&last.read.extraction, name));
                under.ok_or_else(|| refused("no heading is called that"))?
            }
            Request::Query { text } => {
                let (found, any) = self.found(&NoClock, text).map_err(|error| refused(&error))?;
                if !any {
                    return Err(refused("no section matches it"));
                }
                found
            }
            Request::Expand { .. } | Request::More { .. } => {
                return Err(refused("only sections and queries are answered"));
            }
        };
        Ok(Observation { kind: ObservationKind::Answer, ..Observation::full_text(text, "") })
    }
}

/// All that stands under a heading, other headings in it included.
fn under(page: &Extraction, name: &str) -> Option<String> {
    let wanted = name.trim().to_lowercase();
    let called = |exactly: bool| {
        page.sections.iter().find(|section| {
            let heading = section.heading.to_lowercase();
            !wanted.is_empty() && if exactly { heading == wanted } else { heading.contains(&wanted) }
        })
    };
    let found = called(true).or_else(|| called(false))?;
    let mut text = String::new();
    for section in &page.sections {
        if section.position == found.position || section.trail.contains(&found.position) {
            let gap = if text.is_empty() { "" } else { "\n\n" };
            if section.part > 0 {
                let _ = write!(text, "{gap}{}", escaped(&section.content));
                continue;
            }
            let marks = "#".repeat(usize::from(section.level.clamp(1, 6)));
            let _ = write!(text, "{gap}{marks} {}\n\n{}", escaped(&section.heading), escaped(&section.content));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{Page, PageBuilder, Viewport};
    use browserlens_core::strategy::PageAlone;
    use serde_json::json;
    use std::sync::Arc;

    fn page() -> Arc<Page> {
        Arc::new(PageBuilder::outline(
            r#"
            main
              heading "Help" level=1 block
                text "Help"
              heading "Shipping" level=2 block
                text "Shipping"
              paragraph block
                text "Parcels leave our store within two working days."
              paragraph block
                text "Islands take longer."
              heading "Express" level=3 block
                text "Express"
              paragraph block
                text "Orders before noon arrive on the next day."
              heading "Returns" level=2 block
                text "Returns"
              paragraph block
                text "Send it back within 30 days, the refund follows in a week."
            "#,
        ))
    }

    fn run(name: &str, goal: &str) -> (Box<dyn Run>, String) {
        let strategy = build(name, &json!({})).expect("known").expect("default options are fine");
        let task = Task { goal: goal.to_owned(), viewport: Viewport::default(), locale: "en-US".to_owned() };
        let mut run = strategy.start(&task);
        let (page, alone) = (page(), PageAlone::default());
        let input = alone.input(0, &page);
        let text = run.observe(&input).expect("never fails").text;
        assert_eq!(run.observe(&input).expect("never fails").text, text, "the same page again says the same");
        (run, text)
    }

    #[test]
    fn the_goal_finds_its_sections() {
        insta::assert_snapshot!(run(SECTION_SEARCH, "Find out how refunds are paid").1, @r"
        ## Returns

        Send it back within 30 days, the refund follows in a week.

        (Relevance: 71%)
        ");
        let by_vectors = run(EMBEDDING_SECTIONS, "send it back for a refund").1;
        assert!(by_vectors.starts_with("## Returns\n\nSend it back within 30 days"), "{by_vectors}");
        assert_eq!(run(SECTION_SEARCH, "zebra").1, "No content found matching query: \"zebra\"");
    }

    #[test]
    fn a_summary_tells_the_headings_and_their_first_paragraphs() {
        insta::assert_snapshot!(run(GRAPH_SUMMARY, "").1, @r"
        Test
        ## Shipping
        Parcels leave our store within two working days.
        ### Express
        Orders before noon arrive on the next day.
        ## Returns
        Send it back within 30 days, the refund follows in a week.
        ");
    }

    #[test]
    fn a_section_is_answered_with_what_stands_under_it() {
        let (mut run, _) = run(GRAPH_SUMMARY, "");
        let answer = run.request(&Request::Section { name: "shipping".to_owned() }).expect("answered");
        assert_eq!(answer.kind, ObservationKind::Answer);
        insta::assert_snapshot!(answer.text, @r"
        ## Shipping

        Parcels leave our store within two working days.

        Islands take longer.

        ### Express

        Orders before noon arrive on the next day.
        ");
        assert!(run.request(&Request::Section { name: "Careers".to_owned() }).is_err());
        assert!(run.request(&Request::Section { name: " ".to_owned() }).is_err());
    }

    #[test]
    fn a_query_is_answered_or_refused() {
        let (mut run, _) = run(SECTION_SEARCH, "returns");
        let answer = run.request(&Request::Query { text: "express orders".to_owned() }).expect("answered");
        assert!(answer.text.contains("before noon"), "{}", answer.text);
        assert!(run.request(&Request::Query { text: "zebra".to_owned() }).is_err());
        assert!(run.request(&Request::Expand { handle: "@m1".to_owned() }).is_err());
    }

    #[test]
    fn options_are_read_and_unknown_ones_named() {
        let error = |options| build(SECTION_SEARCH, &options).expect("known").err().expect("an error").to_string();
        assert_eq!(
            error(json!({ "k": 2 })),
            "option \"k\": is not known; known are \"sections\", \"min_similarity\", \"max_bytes\""
        );
        assert_eq!(
            error(json!({ "min_similarity": 2 })),
            "option \"min_similarity\": is 2, expected a number from 0 to 1"
        );
        assert!(build("search/other", &json!({})).is_none());
    }
}
