//! Embedders: texts as vectors whose angle tells how near two texts are.
//!
//! In: texts. Out: one vector a text, of unit length (or all zero, where a text has nothing to
//! embed). Invariants: every vector of an embedder has its dimension and only finite numbers;
//! vectors of embedders with different ids are never compared.
//!
//! Which should I use?
//! - [`Lexical`]: built in, needs nothing, the same everywhere; it knows spellings, not meanings.
//! - [`Http`]: any OpenAI-compatible endpoint.
//! - `browserlens_embedding::Local`: a sentence-transformers folder of the user's, on the CPU.

mod http;
mod lexical;
mod vector_cache;

pub use http::{Http, HttpOptions};
pub use lexical::Lexical;
pub use vector_cache::VectorCache;

use crate::terms::Term;
use std::path::PathBuf;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns name, version and dimension, and whatever else decides what the vectors are. Vectors
    /// of different ids never mix.
    fn id(&self) -> String;

    /// Returns how many numbers a vector has.
    fn dimension(&self) -> usize;

    /// Returns one vector a text, in order.
    ///
    /// # Errors
    /// [`EmbedError`] if a model or an endpoint does not give them.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns the vector of a query. `rarity` tells how rare a term is where the query is asked;
    /// embedders that know a language by themselves do not need it.
    ///
    /// # Errors
    /// As [`Self::embed`].
    fn embed_query(&self, query: &str, rarity: &dyn Fn(&Term) -> f32) -> Result<Vec<f32>, EmbedError> {
        let _ = rarity;
        let found = self.embed(&[query])?.pop();
        found.ok_or(EmbedError::Count { expected: 1, found: 0 })
    }

    /// Returns whether this is the embedder that relevance
    /// ([`DEFAULT_RELEVANCE`](crate::retrieval::DEFAULT_RELEVANCE)) was measured with.
    fn is_built_in(&self) -> bool {
        false
    }

    /// Returns the similarity, 0 to 1, that a cosine means. The seed's threshold of 0.5 was chosen
    /// for cosines of trained models, which are taken as they are; an embedder whose cosines lie
    /// lower scales them, so that 0.5 says "hardly by chance" for it too.
    fn similarity(&self, cosine: f32) -> f32 {
        cosine.clamp(0.0, 1.0)
    }
}

/// Texts were not embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The number of vectors is not that of the texts.
    #[error("{found} vectors came for {expected} texts")]
    Count {
        /// How many texts there are.
        expected: usize,
        /// How many vectors came.
        found: usize,
    },
    /// A vector has another dimension.
    #[error("a vector of {found} numbers came where {expected} were expected")]
    Dimension {
        /// The embedder's dimension.
        expected: usize,
        /// What came.
        found: usize,
    },
    /// A vector holds something that is no number.
    #[error("vector {at} holds a number that is not finite")]
    NotFinite {
        /// Which vector, counted from 0.
        at: usize,
    },
    /// The endpoint gave no answer.
    #[error(transparent)]
    Endpoint(#[from] browserlens_llm::EndpointError),
    /// The cache of vectors cannot be used.
    #[error("{}: the cache of vectors: {source}", .path.display())]
    Cache {
        /// The file; empty if it is in memory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// A model's folder cannot be used.
    #[error("{}: {reason}", .path.display())]
    Model {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl EmbedError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Count { .. } | Self::Dimension { .. } | Self::NotFinite { .. } => {
                "check the name of the model and that it makes embeddings; give its dimension if it can be chosen"
            }
            Self::Endpoint(error) => error.hint(),
            Self::Cache { .. } => "name another file, or delete this one: its vectors are asked for again",
            Self::Model { .. } => {
                "name a sentence-transformers folder of a BERT model: config.json, tokenizer.json, model.safetensors, \
                    1_Pooling/config.json"
            }
        }
    }
}

/// Brings a vector to unit length; one without length stays as it is.
pub fn to_unit_length(vector: &mut [f32]) {
    // In f64: squares of large components overflow f32.
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x = (f64::from(*x) / length) as f32;
        }
    }
}

/// Checks what an embedder was given by something that it does not control, and brings it to unit
/// length.
///
/// # Errors
/// [`EmbedError`] if the count, a dimension or a number is wrong.
pub fn checked(mut vectors: Vec<Vec<f32>>, count: usize, dimension: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
    if vectors.len() != count {
        return Err(EmbedError::Count { expected: count, found: vectors.len() });
    }
    for (at, vector) in vectors.iter_mut().enumerate() {
        if vector.len() != dimension {
            return Err(EmbedError::Dimension { expected: dimension, found: vector.len() });
        }
        if vector.iter().any(|x| !x.is_finite()) {
            return Err(EmbedError::NotFinite { at });
        }
        to_unit_length(vector);
    }
    Ok(vectors)
}
