//! Embeddings of an OpenAI-compatible endpoint.
//!
//! In: texts. Out: what `POST /embeddings` gives for them, in batches, retried and paced by
//! [`Client`], kept in a [`VectorCache`] if there is one. Invariants: a text that is in the cache
//! is not sent; blank texts are not sent and have the zero vector; every vector is checked (count,
//! dimension, finite numbers) before it is kept; the key stands in no id, message or cache. It
//! comes with the options: whoever makes them reads it from the environment.

use super::{EmbedError, Embedder, VectorCache, checked};
use browserlens_core::sync::locked;
use browserlens_llm::{Client, ClientOptions};
use std::sync::Mutex;

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
    cache: Option<Mutex<VectorCache>>,
}

impl Http {
    /// Makes an embedder on the machine's clock.
    ///
    /// # Errors
    /// [`EmbedError::Endpoint`] if the proxy's address cannot be used.
    pub fn new(options: HttpOptions, cache: Option<VectorCache>) -> Result<Self, EmbedError> {
        let client = Client::new(options.client.clone())?;
        Ok(Self::with_client(options, client, cache))
    }

    /// Makes an embedder on a client that is there.
    pub fn with_client(options: HttpOptions, client: Client, cache: Option<VectorCache>) -> Self {
        Self { options, client: Mutex::new(client), cache: cache.map(Mutex::new) }
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let HttpOptions { model, dimension, asks_for_dimension, .. } = &self.options;
        let vectors = locked(&self.client).embeddings(model, asks_for_dimension.then_some(*dimension), texts)?;
        checked(vectors, texts.len(), *dimension)
    }
}

impl Embedder for Http {
    fn id(&self) -> String {
        format!("http/1/{}/{}/{}", self.options.client.base_url.embeddings(), self.options.model, self.dimension())
    }

    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let id = self.id();
        let mut vectors: Vec<Option<Vec<f32>>> = Vec::with_capacity(texts.len());
        for text in texts {
            vectors.push(match &self.cache {
                _ if text.trim().is_empty() => Some(vec![0.0; self.dimension()]),
                Some(cache) => locked(cache).get(&id, text, self.dimension())?,
                None => None,
            });
        }
        let missing: Vec<usize> = (0..texts.len()).filter(|at| vectors[*at].is_none()).collect();
        for batch in missing.chunks(self.options.batch.max(1)) {
            let asked: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
            let answered = self.ask(&asked)?;
            // Batch by batch: what was answered before an error is not asked for again.
            if let Some(cache) = &self.cache {
                locked(cache).keep(&id, asked.iter().copied().zip(&answered))?;
            }
            for (at, vector) in batch.iter().zip(answered) {
                vectors[*at] = Some(vector);
            }
        }
        let found = vectors.iter().flatten().count();
        vectors.into_iter().collect::<Option<_>>().ok_or(EmbedError::Count { expected: texts.len(), found })
    }
}
