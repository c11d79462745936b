//! Which model is asked, by `knowledge gaps`, `serve` and `agents run`.

use crate::exit::Failure;
use browserlens_llm::{Answers, Ask, Cassette};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ModelArgs {
    /// Ask this model: `agents run --agent model` what to do, `knowledge gaps` and `fill_action_gaps`
    /// where no recording tells; needs --base-url or --cassette
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Keep answers of the model in this file, and take them from it
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) cassette: Option<PathBuf>,
    /// Ask this endpoint: an OpenAI-compatible one, such as <http://localhost:8000/v1>;
    /// <https://api.anthropic.com/v1> with --anthropic,
    /// <https://generativelanguage.googleapis.com/v1beta> with --gemini
    #[arg(long, value_name = "URL", requires = "model")]
    pub(crate) base_url: Option<String>,
    /// The endpoint speaks Gemini's `generateContent`
    #[arg(long, requires = "base_url", conflicts_with = "anthropic")]
    pub(crate) gemini: bool,
    /// The endpoint speaks Anthropic's messages
    #[arg(long, requires = "base_url")]
    pub(crate) anthropic: bool,
    /// Take the key of the endpoint from this environment variable [default: `OPENAI_API_KEY`,
    /// `ANTHROPIC_API_KEY` or `GEMINI_API_KEY`, by what the endpoint speaks]
    #[arg(long, value_name = "NAME")]
    pub(crate) key_env: Option<String>,
}

/// Whatever answers for a model.
pub(crate) type Asked = Box<dyn Ask + Send>;

impl ModelArgs {
    /// Returns the model's name and what answers for it; none if no model is named. `timeout` is
    /// how long an answer is waited for, in seconds; `prompt` the version of the prompts.
    pub(crate) fn asked(&self, timeout: u32, prompt: &str) -> Result<Option<(String, Asked)>, Failure> {
        let Some(model) = &self.model else { return Ok(None) };
        let endpoint = self.base_url.as_deref().map(|url| self.endpoint(url, timeout)).transpose()?;
        let cassette = self.cassette.as_ref().map(|path| Cassette::open(path, prompt)).transpose()?;
        let asked: Asked = match (cassette, endpoint) {
            (Some(cassette), Some(endpoint)) => Box::new(Answers::live(cassette, endpoint)),
            (Some(cassette), None) => Box::new(Answers::replayed(cassette)),
            (None, Some(endpoint)) => endpoint,
            (None, None) => {
                let hint = "give --base-url URL, or --cassette FILE with answers";
                return Err(Failure::usage("--model: nothing answers for the model", hint));
            }
        };
        Ok(Some((model.clone(), asked)))
    }

    fn endpoint(&self, url: &str, timeout: u32) -> Result<Asked, Failure> {
        use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions};
        let (url, usual) = match (self.gemini, self.anthropic) {
            (true, _) => (BaseUrl::gemini(url), "GEMINI_API_KEY"),
            (_, true) => (BaseUrl::anthropic(url), "ANTHROPIC_API_KEY"),
            _ => (BaseUrl::parse(url), "OPENAI_API_KEY"),
        };
        let variable = self.key_env.as_deref().unwrap_or(usual);
        let key = std::env::var(variable).ok().and_then(|key| ApiKey::new(&key));
        if self.key_env.is_some() && key.is_none() {
            let hint = "name a variable that holds the key, or leave the option out where none is needed";
            return Err(Failure::usage(format!("--key-env: {variable} holds no key"), hint));
        }
        let timeout = std::time::Duration::from_secs(timeout.into());
        Ok(Box::new(Client::new(ClientOptions { timeout, ..ClientOptions::new(url?, key) })?))
    }
}
