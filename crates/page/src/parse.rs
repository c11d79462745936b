//! placeholder
use crate::{Capture, Page, PageBuilder};
/// A capture that is no page.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub String);
impl Page {
    /// Parses a capture.
    ///
    /// # Errors
    /// [`ParseError`].
    pub fn parse(_capture: &Capture) -> Result<Self, ParseError> { Ok(PageBuilder::bare().finish()) }
}
