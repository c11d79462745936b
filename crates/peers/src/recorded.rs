//! What a tool really said, as recorded beside the trace.
//!
//! In: the step's recorded peer output. Out: the same text, verbatim but for secrets, with what its
//! handles mean as far as the tool tells. Invariants: nothing is computed from the page; a step at
//! which the tool saw another page, or said nothing, is an error and no numbers.

use browserlens_core::strategy::{
    ActionChannel, Observation, ObservationKind, Run, StepInput, Strategy, StrategyError, Task, TextFormat,
};
use browserlens_reading::{OptionsError, OptionsReader};
use serde_json::Value;

/// What is known of one output of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    name: &'static str,
    format: TextFormat,
}

/// Every output that the recorder asks for. Their agents act by the handles in the text.
const KNOWN: [Known; 10] = [
    Known { name: "playwright-mcp@0.0.83/full:recorded", format: TextFormat::PlaywrightAria },
    Known { name: "playwright-mcp@0.0.68/incremental:recorded", format: TextFormat::PlaywrightIncremental },
    Known { name: "agent-browser@0.41.2/full:recorded", format: TextFormat::AgentBrowser },
    Known { name: "agent-browser@0.41.2/interactive:recorded", format: TextFormat::AgentBrowser },
    Known { name: "agent-browser@0.41.2/delta:recorded", format: TextFormat::AgentBrowserDelta },
    Known { name: "agent-browser@0.41.2/interactive-delta:recorded", format: TextFormat::AgentBrowserDelta },
    Known { name: "chrome-devtools-mcp@1.11.0/full:recorded", format: TextFormat::ChromeDevtools },
    Known { name: "stagehand@3.7.3/full:recorded", format: TextFormat::Stagehand },
    Known { name: "browser-use@0.13.14/dom:recorded", format: TextFormat::BrowserUse },
    Known { name: "browsergym@0.14.3/axtree:recorded", format: TextFormat::BrowserGym },
];

/// What a recorded strategy's name ends in.
pub const RECORDED_SUFFIX: &str = ":recorded";

/// Returns the names of the recorded strategies: `tool@version/variant:recorded`.
pub fn recorded_names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// The strategy that shows what a tool really said; its name ends in `:recorded`.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    known: Known,
}

impl Recorded {
    /// Returns the strategy of a name, if the recorder asks for such an output.
    pub fn new(name: &str) -> Option<Self> {
        KNOWN.iter().find(|known| known.name == name).map(|known| Self { known: *known })
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

impl Known {
    fn output(self) -> &'static str {
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
        self.known.format
    }

    fn viewport_margin(&self) -> Option<f32> {
        (self.known.format == TextFormat::BrowserUse).then_some(crate::browser_use::VIEWPORT_THRESHOLD)
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(RecordedRun { known: self.known, began: false })
    }
}

struct RecordedRun {
    known: Known,
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
        let kind = if is_delta(self.known.format, &output.text) {
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

/// Returns whether a text changes what was shown before, by the tool's own form.
fn is_delta(format: TextFormat, text: &str) -> bool {
    match format {
        // A reply without a snapshot, or with changed parts only.
        TextFormat::PlaywrightIncremental => {
            let Some((_, snapshot)) = text.split_once("### Snapshot") else { return true };
            snapshot
                .lines()
                .skip_while(|line| !line.starts_with("```yaml"))
                .nth(1)
                .is_none_or(|line| line.starts_with("- <changed>") || line.starts_with("```") || line.is_empty())
        }
        TextFormat::AgentBrowserDelta => text.starts_with('{') || text.starts_with("unchanged"),
        _ => false,
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
        for (format, text, expected) in [
            (TextFormat::PlaywrightIncremental, incremental("- generic [ref=e2]:\n"), false),
            (TextFormat::PlaywrightIncremental, incremental("- <changed> generic [ref=e2]:\n"), true),
            (TextFormat::PlaywrightIncremental, incremental(""), true),
            (TextFormat::PlaywrightIncremental, "### Ran Playwright code\n```js\n```".to_owned(), true),
            (TextFormat::AgentBrowserDelta, "unchanged (revision 4)".to_owned(), true),
            (TextFormat::AgentBrowserDelta, "{ \"baseRevision\": 2 }".to_owned(), true),
            (TextFormat::AgentBrowserDelta, "- button \"Go\" [ref=e1]".to_owned(), false),
            (TextFormat::Stagehand, "{".to_owned(), false),
        ] {
            assert_eq!(is_delta(format, &text), expected, "{format:?} {text}");
        }
    }
}
