//! Which model is asked where no recording tells.

use crate::exit::{Exit, Failure};
use browserlens_knowledge::gaps::PROMPT_VERSION;
use browserlens_llm::{Answers, Cassette};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ModelArgs {
    /// Ask this model where no recording tells what lies between two actions; needs --cassette
    #[arg(long, value_name = "NAME", requires = "cassette")]
    pub(crate) model: Option<String>,
    /// Keep answers of the model in this file, and take them from it
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) cassette: Option<PathBuf>,
    /// Ask an OpenAI-compatible endpoint, such as <http://localhost:8000/v1>
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) base_url: Option<String>,
    /// The endpoint speaks Gemini's `generateContent`
    #[arg(long, requires = "base_url")]
    pub(crate) gemini: bool,
    /// Take the key of the endpoint from this environment variable
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub(crate) key_env: String,
}

impl ModelArgs {
    /// Returns the model's name and what answers for it; none if no model is named. `timeout` is
    /// how long an answer is waited for, in seconds.
    pub(crate) fn asked(&self, timeout: u32) -> Result<Option<(String, Answers)>, Failure> {
        let (Some(model), Some(path)) = (&self.model, &self.cassette) else { return Ok(None) };
        let cassette =
            Cassette::open(path, PROMPT_VERSION).map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
        let answers = match &self.base_url {
            None => Answers::replayed(cassette),
            Some(url) => self.live(url, timeout, cassette)?,
        };
        Ok(Some((model.clone(), answers)))
    }

    #[cfg(feature = "llm")]
    fn live(&self, url: &str, timeout: u32, cassette: Cassette) -> Result<Answers, Failure> {
        use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions};
        let usage = |error: browserlens_llm::EndpointError| Failure::new(Exit::Usage, &error, error.hint());
        let key = std::env::var(&self.key_env).ok().and_then(|key| ApiKey::new(&key));
        let url = if self.gemini { BaseUrl::gemini(url) } else { BaseUrl::parse(url) };
        let timeout = std::time::Duration::from_secs(timeout.into());
        let client = Client::new(ClientOptions { timeout, ..ClientOptions::new(url.map_err(usage)?, key) });
        Ok(Answers::live(cassette, Box::new(client.map_err(usage)?)))
    }

    #[cfg(not(feature = "llm"))]
    fn live(&self, _: &str, _: u32, _: Cassette) -> Result<Answers, Failure> {
        let _only_for_endpoints = (&self.key_env, self.gemini);
        let message = "this build replays cassettes and speaks to no endpoint";
        Err(Failure::words(Exit::Usage, message, "build the command with its default features"))
    }
}
