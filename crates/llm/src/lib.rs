//! A chat client for OpenAI-compatible endpoints and for Gemini whose every answer is kept in a
//! cassette.
//!
//! In: [`ChatRequest`]s. Out: [`Answer`]s, from the [`Cassette`] where it holds them, else from an
//! endpoint through a [`Client`] that retries, waits and keeps to a rate. Invariants: what a cassette
//! holds is never asked for again, so a replay equals the live run; the key of the endpoint stands in
//! no cassette, error or debug output; time comes through [`Clock`] alone.
//!
//! Which part should I use?
//! - answers that may be replayed: [`Answers`], which joins a cassette and, if there is one, a
//!   client
//! - a bare endpoint, or embeddings: [`Client`]
//! - JSON out of what a model said: [`json_object`]
//!
//! Why blocking: requests go one after the other under a rate limit, and the bench holds no async
//! runtime otherwise.

mod answers;
mod anthropic;
mod cassette;
mod chat;
mod client;
mod clock;
mod endpoint;
mod error;
mod gemini;
mod json;

pub use answers::{Answers, Ask};
pub use cassette::{CASSETTE_VERSION, Cassette};
pub use chat::{Answer, ChatRequest, Completion, Message, Part, RequestHash, ResponseFormat, Role, Schema};
pub use client::{Client, ClientOptions, RetryPolicy};
pub use clock::{Clock, SystemClock};
pub use endpoint::{ApiKey, BaseUrl, Protocol};
pub use error::{CassetteError, EndpointError, LlmError};
pub use json::json_object;
