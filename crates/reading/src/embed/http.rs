//! Embeddings of an OpenAI-compatible endpoint.
//!
//! In: texts. Out: what `POST /embeddings` gives for them, in batches, retried and paced by
//! [`Client`]. Invariants: blank texts are not sent and have the zero vector; every vector is checked
//! (count, dimension, finite numbers); the key stands in no id and no message. It comes with the
//! options: whoever makes them reads it from the environment.

use super::{EmbedError, Embedder, checked};
use browserlens_llm::{Client, ClientOptions};
use std::sync::{Mutex, PoisonError};

/// Which model embeds, and how it is asked.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where, with which key, how long and how often.
    pub client: ClientOptions,
    /// Name of the model, as the endpoint knows it.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimension: usize,
    /// Whether the endpoint is asked for that dimension: for models that offer several.
    pub asks_for_dimension: bool,
    /// Most texts of one request.
    pub batch: usize,
}

impl HttpOptions {
    /// Returns the usual options for a model: 64 texts a request.
    pub fn new(client: ClientOptions, model: &str, dimension: usize) -> Self {
        Self { client, model: model.to_owned(), dimension, asks_for_dimension: false, batch: 64 }
    }
}

/// Embeds by an endpoint.
#[derive(Debug)]
pub struct Http {
    options: HttpOptions,
    client: Mutex<Client>,
}

impl Http {
    /// Makes an embedder on the machine's clock.
    ///
    /// # Errors
    /// [`EmbedError::Endpoint`] if the proxy's address cannot be used.
    pub fn new(options: HttpOptions) -> Result<Self, EmbedError> {
        let client = Client::new(options.client.clone())?;
        Ok(Self::with_client(options, client))
    }

    /// Makes an embedder on a client that is there.
    pub fn with_client(options: HttpOptions, client: Client) -> Self {
        Self { options, client: Mutex::new(client) }
    }
}

impl Embedder for Http {
    fn id(&self) -> String {
        let HttpOptions { client, model, dimension, .. } = &self.options;
        format!("http/1/{}/{model}/{dimension}", client.base_url.embeddings())
    }

    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let HttpOptions { model, dimension, asks_for_dimension, batch, .. } = &self.options;
        let mut vectors = vec![vec![0.0; *dimension]; texts.len()];
        let said: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        for batch in said.chunks((*batch).max(1)) {
            let asked: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
            // A client is not left half changed by a panic.
            let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
            let answered = client.embeddings(model, asks_for_dimension.then_some(*dimension), &asked)?;
            for (at, vector) in batch.iter().zip(checked(answered, asked.len(), *dimension)?) {
                vectors[*at] = vector;
            }
        }
        Ok(vectors)
    }
}
