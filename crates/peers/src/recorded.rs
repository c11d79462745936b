//! What a tool really said, as recorded beside the trace.
//!
//! In: the step's recorded peer output. Out: the same text, verbatim but for secrets, with what its
//! handles mean as far as the tool tells. Invariants: nothing is computed from the page; a step at
//! which the tool saw another page, or said nothing, is an error and no numbers.

use crate::TOOLS;
use crate::tool::{PeerStrategy, RecordedOutput, missing, no_options};
use browserlens_core::strategy::{Observation, ObservationKind, OptionsError, Run, StepInput, StrategyError, Task};
use serde_json::Value;

/// What a recorded strategy's name ends in.
pub const RECORDED_SUFFIX: &str = ":recorded";

/// Returns the names of the recorded strategies: `tool@version/variant:recorded`.
pub fn recorded_names() -> impl Iterator<Item = &'static str> {
    outputs().map(|output| output.name)
}

fn outputs() -> impl Iterator<Item = &'static RecordedOutput> {
    TOOLS.iter().flat_map(|tool| tool.recorded)
}

/// Builds the strategy that shows what a tool really said; none if the recorder asks for no output
/// of this name. There are no options.
pub(crate) fn strategy(name: &str, options: &Value) -> Option<Result<PeerStrategy, OptionsError>> {
    let known = outputs().find(|output| output.name == name)?;
    let tool = known.output().split('/').next().unwrap_or_default();
    let version = tool.split_once('@').map_or("", |(_, version)| version);
    let run = move |_: &Task| RecordedRun { known, began: false };
    let strategy = PeerStrategy::new(known.name, version, known.format, run);
    Some(no_options(options).map(|()| PeerStrategy { viewport_margin: known.viewport_margin, ..strategy }))
}

impl RecordedOutput {
    /// The name in a recording, without the suffix.
    fn output(&self) -> &'static str {
        self.name.strip_suffix(RECORDED_SUFFIX).unwrap_or(self.name)
    }
}

struct RecordedRun {
    known: &'static RecordedOutput,
    began: bool,
}

impl Run for RecordedRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let output = input.peers.iter().find(|output| output.peer == self.known.output());
        let output =
            output.ok_or_else(|| missing(input, "recorded output of this tool at this step", self.known.name))?;
        if let Some(reason) = &output.dropped {
            let message = format!("the tool saw another page: {reason}");
            return Err(StrategyError::Failed { step: input.step, message });
        }
        let began = std::mem::replace(&mut self.began, true);
        let reason = if began { "as the tool gave it" } else { "first observation" };
        let mut observation = Observation::full_text(output.text.clone(), reason);
        if (self.known.format.is_delta)(&output.text) {
            observation.kind = ObservationKind::Delta;
        }
        observation.refs.clone_from(&output.refs);
        Ok(observation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Step;
    use browserlens_core::page::{PageBuilder, Viewport};
    use browserlens_core::strategy::{Strategy, TextFormat};

    fn known(name: &str) -> PeerStrategy {
        strategy(name, &Value::Null).expect("is known").expect("there are no options")
    }

    fn run(output: &str) -> Box<dyn Run> {
        let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
        known(&format!("{output}{RECORDED_SUFFIX}")).start(&task)
    }

    #[test]
    fn the_tools_own_text_is_shown_and_the_name_says_so() {
        let strategy = known("stagehand@3.7.3/full:recorded");
        assert_eq!((strategy.name(), strategy.version()), ("stagehand@3.7.3/full:recorded", "3.7.3"));
        let step = Step::new(PageBuilder::outline("main")).with_recorded("stagehand@3.7.3/full", "[0-1] main", None);
        assert_eq!(step.observe(&mut *run("stagehand@3.7.3/full")).text, "[0-1] main");
    }

    #[test]
    fn a_step_without_output_or_of_another_page_is_an_error() {
        let name = "browsergym@0.14.3/axtree";
        let step = Step::new(PageBuilder::outline("main")).with_recorded("stagehand@3.7.3/full", "[0-1] main", None);
        let error = step.try_observe(&mut *run(name)).expect_err("nothing was recorded");
        assert!(error.to_string().contains("recorded output"), "{error}");
        let step = Step::new(PageBuilder::outline("main")).with_recorded(name, "", Some("node 4 differs"));
        let error = step.try_observe(&mut *run(name)).expect_err("it was dropped");
        assert!(error.to_string().contains("the tool saw another page: node 4 differs"), "{error}");
    }

    #[test]
    fn deltas_are_told_from_full_texts_by_the_tools_own_form() {
        let incremental = |snapshot: &str| format!("### Page\n- Page URL: x\n### Snapshot\n```yaml\n{snapshot}```");
        for (name, text, expected) in [
            ("playwright-incremental", incremental("- generic [ref=e2]:\n"), false),
            ("playwright-incremental", incremental("- <changed> generic [ref=e2]:\n"), true),
            ("playwright-incremental", incremental(""), true),
            ("playwright-incremental", "### Ran Playwright code\n```js\n```".to_owned(), true),
            ("agent-browser-delta", "unchanged (revision 4)".to_owned(), true),
            ("agent-browser-delta", "{ \"baseRevision\": 2 }".to_owned(), true),
            ("agent-browser-delta", "- button \"Go\" [ref=e1]".to_owned(), false),
            ("stagehand", "{".to_owned(), false),
        ] {
            let format = crate::format(&TextFormat::named(name)).expect("is known");
            assert_eq!((format.is_delta)(&text), expected, "{name} {text}");
        }
    }
}
