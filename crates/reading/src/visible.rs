//! `read-text/visible`: every rendered text node of the main document, one a line.
//!
//! In: a step. Out: what [`crate::read_text`] reads of its capture, cut at 20,000 UTF-16 units.
//! Where a page has no capture (one that was built, not recorded), [`visible_text`] reads the page
//! itself, which differs from the script as far as a page differs from its DOM: text is as
//! rendered, and what has no box is not told apart. Invariant: frames and shadow trees give
//! nothing: the recipe is a script in the main document, and a tree walker does not enter them.
//! Slotted text is in the document and counts.

use crate::{BaselineError, read_text};
use browserlens_core::page::{utf16_prefix, visible_text};
use browserlens_core::strategy::{
    ActionChannel, Observation, OptionsError, OptionsReader, Run, Stage, StepInput, Strategy, StrategyError, Task,
    TextFormat,
};

/// Name of the strategy.
pub(crate) const NAME: &str = "read-text/visible";

/// Where the recipe cuts, in UTF-16 units.
pub const MAX_CHARS: usize = 20_000;

/// The strategy.
#[derive(Clone, Copy)]
struct ReadTextVisible {
    /// Where the text is cut, in UTF-16 units.
    max_chars: usize,
}

/// Builds the strategy from its options: `max_chars`.
pub(crate) fn build(options: &serde_json::Value) -> Result<Box<dyn Strategy>, OptionsError> {
    let mut reader = OptionsReader::new(options)?;
    let max_chars = reader.number("max_chars", MAX_CHARS)?;
    reader.finish()?;
    Ok(Box::new(ReadTextVisible { max_chars }))
}

impl Strategy for ReadTextVisible {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> &str {
        "2"
    }

    fn channel(&self) -> ActionChannel {
        ActionChannel::None
    }

    fn format(&self) -> TextFormat {
        TextFormat::PLAIN
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(*self)
    }
}

impl Run for ReadTextVisible {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let frame = input.page.frames().first().map_or(0, |frame| frame.number);
        let mut text = match read_text(input.capture, frame) {
            Ok(text) => text,
            Err(BaselineError::Missing { .. }) => visible_text(input.page),
            Err(error @ BaselineError::Malformed(_)) => {
                return Err(StrategyError::Failed { step: input.step, message: error.to_string() });
            }
        };
        input.clock.enter(Some(Stage::Format));
        text.truncate(utf16_prefix(&text, self.max_chars).len());
        input.clock.enter(None);
        Ok(Observation::full_text(text, "every observation is full"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{NodeSpec, Page, PageBuilder, js_trim};
    use browserlens_core::strategy::PageAlone;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn observe(page: Page, max_chars: usize) -> String {
        let page = Arc::new(page);
        let alone = PageAlone::default();
        let input = alone.input(0, &page);
        ReadTextVisible { max_chars }.observe(&input).expect("never fails").text
    }

    #[test]
    fn text_is_cut_at_the_limit() {
        let long = "word ".repeat(9_000);
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
        builder.text(&long);
        let page = builder.finish();
        assert_eq!(observe(page.clone(), MAX_CHARS).len(), 20_000);
        assert_eq!(observe(page, 7), "word wo");
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_cut_without_a_panic(text in "\\PC{0,60}", limit in 0usize..80) {
            let mut builder = PageBuilder::new("https://test.test/", "Test");
            builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
            builder.text(&text);
            let read = observe(builder.finish(), limit);
            prop_assert!(js_trim(&text).starts_with(&read));
            prop_assert!(read.encode_utf16().count() <= limit);
        }
    }
}
