//! The strategies of the family `snapshot/*`.
//!
//! In: a name and options, as `traces/strategies.toml` has them. Out: a [`Strategy`]. Invariants:
//! an option that is not known is an error that names it; a run sees pages, goal and requests,
//! never facts or action nodes; the second call of `outline-then-content` is an answer to a
//! request, so that it is counted as one.
//!
//! Which should I use? `snapshot/interactive` to act; `snapshot/outline` to see how a page is built
//! for the price of some lines; `snapshot/content-markdown` to read all of it;
//! `snapshot/outline-then-content` to read what a query means: an outline first, then, when the
//! reader asks with its query (made of the goal's and the intent's words), the sections that rank
//! first.

use crate::content::{self, ContentOptions, Header, Section};
use crate::interactive::{InteractiveOptions, RefLens, interactive};
use crate::markdown::Block;
use crate::options::RefStyle;
use crate::outline::{self, OutlineOptions};
use crate::path::Paths;
use crate::rank::rank;
use browserlens_core::named;
use browserlens_core::page::text::escaped;
use browserlens_core::page::{NodeId, Page};
use browserlens_core::strategy::{
    ActionChannel, Observation, ObservationKind, OptionsError, OptionsReader, Request, Run, Stage, StepInput, Strategy,
    StrategyError, Task, TextFormat,
};
use browserlens_lens::LEGEND;
use serde_json::Value;
use std::sync::Arc;

/// Version of what these strategies write; part of every cache key.
const VERSION: &str = "5";
const NAMES: &[&str] = &[Kind::Outline.name(), Kind::Interactive.name(), Kind::Content.name(), Kind::Both.name()];
/// Sections that the second call brings.
const SECTIONS: usize = 3;

/// Returns the names that [`build`] knows.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Builds the strategy of a name from its options; none if the name is not one of this crate.
///
/// An unknown option, or a value of the wrong kind, is an [`OptionsError`].
pub fn build(name: &str, options: &Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    let kind = Kind::from_name(name)?;
    Some(configure(kind, options).map(|strategy| Box::new(strategy) as Box<dyn Strategy>))
}

fn configure(kind: Kind, options: &Value) -> Result<Snapshots, OptionsError> {
    let mut reader = OptionsReader::new(options)?;
    let mut strategy = Snapshots { kind, content: ContentOptions::default(), sections: SECTIONS };
    if matches!(strategy.kind, Kind::Content | Kind::Both) {
        strategy.content.include_links = reader.flag("include_links", false)?;
        strategy.content.include_images = reader.flag("include_images", false)?;
        let length = reader.number("max_length", usize::MAX)?;
        strategy.content.max_length = (length != usize::MAX).then_some(length);
    }
    if strategy.kind == Kind::Both {
        strategy.sections = reader.number("sections", SECTIONS)?;
    }
    reader.finish()?;
    Ok(strategy)
}

named! {
    /// What a strategy shows.
    pub enum Kind {
        /// How a page is built.
        Outline = "snapshot/outline",
        /// What can be acted on.
        Interactive = "snapshot/interactive",
        /// What it says.
        Content = "snapshot/content-markdown",
        /// How it is built, then what it says.
        Both = "snapshot/outline-then-content",
    }
}

#[derive(Clone, Debug)]
struct Snapshots {
    kind: Kind,
    content: ContentOptions,
    sections: usize,
}

impl Strategy for Snapshots {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn version(&self) -> &str {
        VERSION
    }

    fn channel(&self) -> ActionChannel {
        if self.kind == Kind::Interactive { ActionChannel::Ref } else { ActionChannel::None }
    }

    fn format(&self) -> TextFormat {
        match self.kind {
            Kind::Outline => TextFormat::PLAIN,
            Kind::Interactive => TextFormat::LENS,
            Kind::Content | Kind::Both => TextFormat::MARKDOWN,
        }
    }

    fn legend(&self) -> Option<&str> {
        (self.kind == Kind::Interactive).then_some(LEGEND)
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        match self.kind {
            Kind::Interactive => Box::new(Acting(RefLens::new())),
            _ => Box::new(Reading { how: self.clone(), page: None }),
        }
    }
}

const EVERY: &str = "every observation is full";

/// A run that shows what can be acted on.
struct Acting(RefLens);

impl Run for Acting {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        self.0.observe(input)?;
        input.clock.enter(Some(Stage::Format));
        let paths = Paths::of(input.page);
        let options = InteractiveOptions { style: RefStyle::Lens, ..InteractiveOptions::default() };
        let shown = interactive(input.page, &paths, &self.0, options)
            .map_err(|error| StrategyError::Failed { step: input.step, message: error.to_string() })?;
        input.clock.enter(None);
        Ok(Observation { refs: shown.refs, ..Observation::full_text(shown.text, EVERY) })
    }
}

/// A run that shows how a page is built, what it says, or both.
struct Reading {
    how: Snapshots,
    page: Option<Arc<Page>>,
}

impl Run for Reading {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let paths = Paths::of(input.page);
        let text = if self.how.kind == Kind::Content {
            let sections = sections(input.page, &paths, &self.how.content);
            input.clock.enter(Some(Stage::Format));
            escaped(&content::write_markdown(&Header::of(input.page), &sections)).into_owned()
        } else {
            let built = outline::build(input.page, &paths, &OutlineOptions::default());
            input.clock.enter(Some(Stage::Format));
            outline::write(&built.outline)
        };
        input.clock.enter(None);
        self.page = (self.how.kind == Kind::Both).then(|| Arc::clone(input.page));
        Ok(Observation::full_text(text, EVERY))
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let refused =
            |reason: &str| StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() };
        let Request::Query { text: query } = request else { return Err(refused("only queries are answered")) };
        let page = self.page.as_ref().ok_or_else(|| refused("this strategy answers no requests"))?;
        let paths = Paths::of(page);
        let sections = sections(page, &paths, &self.how.content);
        let texts: Vec<String> = sections.iter().map(words_of).collect();
        let mut best = rank(&texts, query);
        best.truncate(self.how.sections);
        if best.is_empty() {
            return Err(refused("no section shares a word with it"));
        }
        best.sort_unstable();
        let chosen: Vec<Section> = best.iter().map(|at| sections[*at].clone()).collect();
        let text = content::write_markdown(&Header::of(page), &chosen);
        Ok(Observation { kind: ObservationKind::Answer, ..Observation::full_text(escaped(&text).into_owned(), "") })
    }
}

fn sections(page: &Page, paths: &Paths<'_>, options: &ContentOptions) -> Vec<Section> {
    content::sections(page, &[NodeId::ROOT], options, |node| paths.path_near(node.id()).to_string())
}

/// What a section is ranked by: its text, and its path, which names it.
fn words_of(section: &Section) -> String {
    let mut text = section.path.clone();
    for block in &section.blocks {
        text.push(' ');
        text.push_str(&Block::plain_text(block));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{PageBuilder, Viewport};
    use browserlens_core::strategy::PageAlone;
    use serde_json::json;

    fn page() -> Arc<Page> {
        Arc::new(PageBuilder::outline(
            r#"
            main
              heading "Shop" level=1 block
                text "Shop"
              region "Fees" tag=section block id="fees"
                heading "Fees" level=2 block
                  text "Fees"
                paragraph block
                  text "Shipping costs 4 euros"
              region "Returns" tag=section block id="returns"
                paragraph block
                  text "Send it back within 30 days"
                button "Start a return"
                  text "Start a return"
            "#,
        ))
    }

    fn run(name: &str, page: &Arc<Page>) -> (Box<dyn Run>, Observation) {
        let strategy = build(name, &json!({})).expect("known").expect("default options are fine");
        let task = Task { goal: "ship".to_owned(), viewport: Viewport::default(), locale: "en-US".to_owned() };
        let mut run = strategy.start(&task);
        let alone = PageAlone::default();
        let input = alone.input(0, page);
        let observation = run.observe(&input).expect("never fails");
        (run, observation)
    }

    #[test]
    fn every_name_builds_bears_its_name_and_shows_the_page() {
        let page = page();
        for name in names() {
            let strategy = build(name, &json!({})).expect("known").expect("default options are fine");
            assert_eq!(strategy.name(), *name);
            let (_, observation) = run(name, &page);
            let acts = strategy.channel() == ActionChannel::Ref;
            assert_eq!(observation.refs.len(), usize::from(acts), "{name}");
            assert!(
                observation.text.contains(if acts { "Start a return" } else { "Fees" }),
                "{name}: {}",
                observation.text
            );
        }
        assert!(build("snapshot/other", &json!({})).is_none());
    }

    #[test]
    fn the_second_call_brings_the_sections_that_the_query_means() {
        let page = page();
        let (mut run, first) = run("snapshot/outline-then-content", &page);
        assert!(first.text.contains("REGION \"fees\"") && !first.text.contains("4 euros"), "{}", first.text);
        let answer = run.request(&Request::Query { text: "what shipping costs".to_owned() }).expect("answered");
        assert_eq!(answer.kind, ObservationKind::Answer);
        assert!(answer.text.contains("Shipping costs 4 euros") && !answer.text.contains("30 days"), "{}", answer.text);
        let none = run.request(&Request::Query { text: "zebra".to_owned() }).expect_err("nothing");
        assert!(none.to_string().contains("no section shares a word"), "{none}");
        assert!(run.request(&Request::Expand { handle: "@m1".to_owned() }).is_err());
    }

    #[test]
    fn options_are_read_and_unknown_ones_named() {
        let error =
            |name: &str, options: Value| build(name, &options).expect("known").err().expect("an error").to_string();
        assert_eq!(
            error("snapshot/outline", json!({ "sections": 2 })),
            "option \"sections\": is not known; known are none"
        );
        assert!(error("snapshot/content-markdown", json!({ "links": true })).contains("known are \"include_links\""));
        assert!(
            build("snapshot/outline-then-content", &json!({ "sections": 1, "max_length": 80 })).expect("known").is_ok()
        );
    }
}
