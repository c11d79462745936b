//! What a tool really said, as recorded beside the trace.
//!
//! In: the step's recorded peer output. Out: the same text, verbatim but for secrets, with what its
//! handles mean as far as the tool tells. Invariants: nothing is computed from the page; a step at
//! which the tool saw another page, or said nothing, is an error and no numbers.

use crate::TOOLS;
use crate::tool::RecordedOutput;
use browserlens_core::strategy::{
    ActionChannel, Observation, ObservationKind, OptionsError, OptionsReader, Run, StepInput, Strategy, StrategyError,
    Task, TextFormat,
};
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

/// The strategy that shows what a tool really said; its name ends in `:recorded`.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    known: &'static RecordedOutput,
}

impl Recorded {
    /// Returns the strategy of a name, if the recorder asks for such an output.
    pub fn new(name: &str) -> Option<Self> {
        outputs().find(|output| output.name == name).map(|known| Self { known })
    }

    /// As [`Recorded::new`], for a strategy that is configured: there are no options.
    pub(crate) fn from_options(name: &str, options: &Value) -> Option<Result<Self, OptionsError>> {
        Self::new(name).map(|strategy| OptionsReader::new(options).and_then(OptionsReader::finish).map(|()| strategy))
    }

    /// Returns the name of the output in a recording, such as `playwright-mcp@0.0.83/full`.
    pub fn output(&self) -> &'static str {
        self.known.output()
    }
}

impl RecordedOutput {
    /// The name in a recording, without the suffix.
    fn output(&self) -> &'static str {
        self.name.strip_suffix(RECORDED_SUFFIX).unwrap_or(self.name)
    }
}

impl Strategy for Recorded {
    fn name(&self) -> &str {
        self.known.name
    }

    fn version(&self) -> &str {
        let tool = self.output().split('/').next().unwrap_or_default();
        tool.split_once('@').map_or("", |(_, version)| version)
    }

    fn channel(&self) -> ActionChannel {
        ActionChannel::Ref
    }

    fn format(&self) -> TextFormat {
        self.known.format.text_format()
    }

    fn viewport_margin(&self) -> Option<f32> {
        self.known.viewport_margin
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(RecordedRun { known: self.known, began: false })
    }
}

struct RecordedRun {
    known: &'static RecordedOutput,
    began: bool,
}

impl Run for RecordedRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let output = input.peers.iter().find(|output| output.peer == self.known.output()).ok_or_else(|| {
            let what = "recorded output of this tool at this step".to_owned();
            StrategyError::Missing { step: input.step, what, strategy: self.known.name.to_owned() }
        })?;
        if let Some(reason) = &output.dropped {
            let message = format!("the tool saw another page: {reason}");
            return Err(StrategyError::Failed { step: input.step, message });
        }
        let kind = if (self.known.format.is_delta)(&output.text) {
            ObservationKind::Delta
        } else {
            let reason = if self.began { "as the tool gave it" } else { "first observation" };
            ObservationKind::Full { reason: reason.to_owned() }
        };
        self.began = true;
        Ok(Observation {
            text: output.text.clone(),
            images: Vec::new(),
            kind,
            refs: output.refs.clone(),
            representation: None,
            unmarked_differences: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Step;
    use browserlens_core::page::{PageBuilder, Viewport};

    fn run(output: &str) -> Box<dyn Run> {
        let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
        Recorded::new(&format!("{output}{RECORDED_SUFFIX}")).expect("is known").start(&task)
    }

    #[test]
    fn the_tools_own_text_is_shown_and_the_name_says_so() {
        let strategy = Recorded::new("stagehand@3.7.3/full:recorded").expect("is known");
        assert_eq!((strategy.name(), strategy.version()), ("stagehand@3.7.3/full:recorded", "3.7.3"));
        let step = Step::new(PageBuilder::outline("main")).with_recorded("stagehand@3.7.3/full", "[0-1] main");
        assert_eq!(step.observe(&mut *run("stagehand@3.7.3/full")).text, "[0-1] main");
    }

    #[test]
    fn a_step_without_output_or_of_another_page_is_an_error() {
        let name = "browsergym@0.14.3/axtree";
        let step = Step::new(PageBuilder::outline("main")).with_recorded("stagehand@3.7.3/full", "[0-1] main");
        let error = step.try_observe(&mut *run(name)).expect_err("nothing was recorded");
        assert!(error.to_string().contains("recorded output"), "{error}");
        let step = Step::new(PageBuilder::outline("main")).with_dropped(name, "node 4 differs");
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
