//! What a session says as values, for who has it in a program: observations, text, answers.
//!
//! In: what is wanted, typed. Out: what the tools would say, unfenced. Invariant: what was seen of
//! secrets is masked here too.

use super::Session;
use crate::error::ToolError;
use browserlens_core::strategy::{Observation, Request, TakenAction};
use browserlens_reading::ReadOptions;
use serde_json::Value;

impl Session {
    /// Returns what is to be shown of the page as it stands: in full first, or if `full` is asked
    /// for, then what changed. `action` is what somebody else did to it since, for strategies that
    /// say so.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone or the lens cannot show it.
    pub fn observation(&mut self, full: bool, action: Option<&TakenAction>) -> Result<Observation, ToolError> {
        if full {
            self.lens.forget();
            self.pending.clear();
        }
        self.begin_step()?;
        self.look_by(action, true, false)?;
        let mut observation = self.pending.take_one().ok_or_else(|| ToolError::Internal("nothing seen".to_owned()))?;
        self.mask.mask(&mut observation.text);
        Ok(observation)
    }

    /// Returns what an elided mark of what was shown last stands for; of a list the items from
    /// `from` to `to`, counted from 1.
    ///
    /// # Errors
    /// [`ToolError::Part`] if the lens has no such handle.
    pub fn expansion(&mut self, handle: &str, from: Option<u32>, to: Option<u32>) -> Result<Observation, ToolError> {
        let handle = handle.to_owned();
        let request = match (from, to) {
            (None, None) => Request::Expand { handle },
            (from, to) => Request::More { handle, from: from.unwrap_or(1), to: to.unwrap_or(u32::MAX) },
        };
        let mut observation = self.lens.request(&request)?;
        self.mask.mask(&mut observation.text);
        Ok(observation)
    }

    /// Reads the page's text.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone or its text has not what is asked for.
    pub fn read(&mut self, options: &ReadOptions) -> Result<browserlens_reading::Answer, ToolError> {
        let (extraction, _) = self.extraction(options)?;
        let mut answer = browserlens_reading::answer_of(&extraction, &self.searcher, options)?;
        self.mask.mask(&mut answer.text);
        Ok(answer)
    }

    /// Asks the console, the network or the DOM by one of the `get_…` tools: an answer as JSON whose
    /// rows are objects.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone, a field of the query is wrong or nothing matches.
    pub fn inspection(&mut self, tool: &str, query: Value) -> Result<String, ToolError> {
        let answer = self.inspected(tool, query)?.to_string();
        Ok(self.masked_json(&answer))
    }
}
