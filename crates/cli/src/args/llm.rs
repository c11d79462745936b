//! What `lab llm` and `lab exam` are given.

use super::one_of;
use browserlens_llm::ResponseFormat;
use clap::Args;
use std::path::PathBuf;

/// How an endpoint is told that the answer is JSON.
pub(super) const RESPONSE_FORMATS: [(&str, &str, ResponseFormat); 3] = [
    ("json-schema", "By `response_format` with the schema", ResponseFormat::JsonSchema),
    ("json-object", "By `response_format` without it", ResponseFormat::JsonObject),
    ("plain", "By the prompt alone", ResponseFormat::Plain),
];

/// Whom is asked, and how: what both have in common.
#[derive(Args)]
pub(crate) struct EndpointArgs {
    /// Ask this OpenAI-compatible endpoint; without one the cassette is replayed
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Take the key of the endpoint from this environment variable
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub key_env: String,
    /// Keep answers in this file [default: cassette.jsonl for llm, exam-cassette.jsonl for exam, in
    /// the run's folder]
    #[arg(long, value_name = "FILE")]
    pub cassette: Option<PathBuf>,
    /// Ask only about strategies that match one of these patterns (`*` stands for anything)
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Ask only about scenarios that match one of these patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scenarios: Vec<String>,
    /// Send at most so many requests a minute, repeated ones included
    #[arg(long, value_name = "N")]
    pub max_requests_per_minute: Option<std::num::NonZeroU32>,
    /// Wait at most so many seconds for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
    /// Go through this proxy
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Tell the endpoint in this way that the answer is JSON
    #[arg(long, default_value = "json-schema", value_parser = one_of(RESPONSE_FORMATS))]
    pub response_format: ResponseFormat,
    /// Let an answer have at most so many tokens
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub max_tokens: u32,
    /// Ask at this temperature
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub temperature: f64,
    /// Add these parameters to every request; null takes one out, as in '{"temperature": null}'
    #[arg(long, value_name = "JSON")]
    pub extra: Option<String>,
    /// Price of a million input tokens, for the estimate
    #[arg(long, value_name = "PRICE")]
    pub price_in: Option<f64>,
    /// Price of a million output tokens, for the estimate
    #[arg(long, value_name = "PRICE")]
    pub price_out: Option<f64>,
    /// Say what would be sent, and stop
    #[arg(long)]
    pub estimate: bool,
    /// Send what the estimate says
    #[arg(long)]
    pub yes: bool,
    /// Look here for the traces that the run was made from
    #[arg(long, value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
}

#[derive(Args)]
pub(crate) struct LlmArgs {
    /// Folder of a stored run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Ask this model
    #[arg(long, value_name = "NAME")]
    pub model: String,
    /// Say which class of models this one stands for, such as small or large
    #[arg(long, value_name = "LABEL")]
    pub tier: Option<String>,
    /// Use this prompt instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,
    /// Send the images of observations too
    #[arg(long)]
    pub images: bool,
    #[command(flatten)]
    pub endpoint: EndpointArgs,
}

#[derive(Args)]
pub(crate) struct ExamArgs {
    /// Folder of a stored run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Put the questions to this model; without one only what can be computed is said
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// List the questions whose answer is not told beside its owner, or not answered right
    #[arg(long)]
    pub missed: bool,
    #[command(flatten)]
    pub endpoint: EndpointArgs,
}
