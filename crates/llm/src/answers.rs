//! A cassette and, if there is one, an endpoint, as one thing to ask.
//!
//! In: requests. Out: answers, from the cassette where it has them. Invariant: an answer is in the
//! cassette before it is returned.

use crate::cassette::Cassette;
use crate::chat::{Answer, ChatRequest};
use crate::error::{CassetteError, LlmError};

/// Answers requests.
pub trait Ask {
    /// Returns the answer to a request.
    ///
    /// # Errors
    /// [`LlmError`] if there is none.
    fn ask(&mut self, request: &ChatRequest) -> Result<Answer, LlmError>;
}

/// A cassette, and the endpoint that fills it; without one it is replayed only.
pub struct Answers {
    cassette: Cassette,
    endpoint: Option<Box<dyn Ask + Send>>,
}

impl Answers {
    /// Replays a cassette.
    pub fn replayed(cassette: Cassette) -> Self {
        Self { cassette, endpoint: None }
    }

    /// Joins a cassette and what answers the rest.
    pub fn live(cassette: Cassette, endpoint: Box<dyn Ask + Send>) -> Self {
        Self { cassette, endpoint: Some(endpoint) }
    }

    /// Returns the cassette.
    pub fn cassette(&self) -> &Cassette {
        &self.cassette
    }
}

impl Ask for Answers {
    fn ask(&mut self, request: &ChatRequest) -> Result<Answer, LlmError> {
        let hash = request.hash();
        if let Some(answer) = self.cassette.get(&hash) {
            return Ok(answer.clone());
        }
        let Some(endpoint) = &mut self.endpoint else {
            return Err(CassetteError::Missing { path: self.cassette.path().to_owned(), request: hash }.into());
        };
        let answer = endpoint.ask(request)?;
        self.cassette.keep(&hash, &request.model, &answer)?;
        Ok(answer)
    }
}
