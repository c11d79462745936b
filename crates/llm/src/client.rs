//! The client: one request in, one answer out, however many attempts it takes.
//!
//! In: a [`ChatRequest`], or texts to embed. Out: an [`Answer`] or vectors, or an error after which
//! asking on makes no sense. What is tried again: 408, 425, 429 and 5xx, time-outs, broken
//! connections, bodies that are not what was asked for; after `Retry-After` where the endpoint says
//! so in seconds, else after a doubling pause. What is not: any other 4xx. A refusal of this very
//! request (too long, filtered) is an answer; of every request (key, model, parameters, nothing
//! left to spend) an error. Invariants: no more requests a minute than allowed, attempts included;
//! a redirect is not followed, so the key goes nowhere else.

use crate::answers::Ask;
use crate::chat::{Answer, ChatRequest, Completion};
use crate::clock::{Clock, SystemClock};
use crate::endpoint::{ApiKey, BaseUrl, Protocol};
use crate::error::{EndpointError, LlmError};
use crate::{anthropic, gemini};
use serde_json::Value;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// Longest answer that is read, in bytes.
const LONGEST_BODY: u64 = 16 << 20;
/// Most characters of an endpoint's message that an error repeats.
const LONGEST_MESSAGE: usize = 300;

/// How often and after which pauses an attempt is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts, the first included.
    pub attempts: u32,
    /// Pause after the first attempt; doubled after each further one.
    pub first_pause: Duration,
    /// Longest pause that is chosen here.
    pub longest_pause: Duration,
    /// Longest pause that an endpoint may ask for; a longer one ends the attempts.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let [first_pause, longest_pause, longest_asked] = [1, 60, 300].map(Duration::from_secs);
        Self { attempts: 5, first_pause, longest_pause, longest_asked }
    }
}

impl RetryPolicy {
    fn pause(&self, attempt: u32) -> Duration {
        let doubled =
            1u32.checked_shl(attempt.saturating_sub(1)).and_then(|factor| self.first_pause.checked_mul(factor));
        doubled.map_or(self.longest_pause, |pause| pause.min(self.longest_pause))
    }
}

/// How an endpoint is reached.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Where it is.
    pub base_url: BaseUrl,
    /// Its key, if it wants one.
    pub key: Option<ApiKey>,
    /// Longest time for one attempt, from connecting to the end of the body.
    pub timeout: Duration,
    /// When to try again.
    pub retry: RetryPolicy,
    /// Most requests a minute, attempts included; none for no limit.
    pub max_requests_per_minute: Option<NonZeroU32>,
    /// Address of a proxy; the environment is not asked.
    pub proxy: Option<String>,
}

impl ClientOptions {
    /// Returns the usual options for an endpoint: two minutes an attempt, five attempts, no rate
    /// limit.
    pub fn new(base_url: BaseUrl, key: Option<ApiKey>) -> Self {
        let (timeout, retry) = (Duration::from_secs(120), RetryPolicy::default());
        Self { base_url, key, timeout, retry, max_requests_per_minute: None, proxy: None }
    }
}

/// Talks to one endpoint.
pub struct Client {
    options: ClientOptions,
    agent: ureq::Agent,
    clock: Arc<dyn Clock>,
    /// No attempt begins before this time of the clock.
    not_before: Duration,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Where a request goes, what it says, and how the answer is read.
struct Call<'a, T> {
    url: &'a str,
    body: &'a str,
    /// What the answer should be, in words.
    expected: &'static str,
    read: &'a dyn Fn(&Value) -> Option<T>,
}

/// What came of a request.
enum Outcome<T> {
    Answered(T),
    /// The endpoint refuses this very request.
    Refused {
        status: u16,
        message: String,
    },
}

/// What one attempt came to.
enum Attempt<T> {
    Done(Outcome<T>),
    /// Not yet: why, and after which pause the endpoint wants to be asked again.
    Again(String, Option<Duration>),
    Fatal(EndpointError),
}

impl Client {
    /// Makes a client on the machine's clock.
    ///
    /// # Errors
    /// [`EndpointError::BadProxy`] if the proxy has no usable address.
    pub fn new(options: ClientOptions) -> Result<Self, EndpointError> {
        Self::with_clock(options, Arc::new(SystemClock::default()))
    }

    /// Makes a client on any clock.
    ///
    /// # Errors
    /// [`EndpointError::BadProxy`] if the proxy has no usable address.
    pub fn with_clock(options: ClientOptions, clock: Arc<dyn Clock>) -> Result<Self, EndpointError> {
        let proxy = options.proxy.as_deref().map(ureq::Proxy::new).transpose().map_err(|_| EndpointError::BadProxy)?;
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("browserlens/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy)
            .build();
        Ok(Self { options, agent: config.new_agent(), clock, not_before: Duration::ZERO })
    }

    /// Returns one vector a text, as the endpoint gives them: their number and dimensions are not
    /// checked, and what is no number is NaN. `dimensions` asks a model that can for vectors of
    /// that size.
    ///
    /// # Errors
    /// [`EndpointError::Refused`] if the endpoint refuses the request, [`EndpointError::NoAnswer`]
    /// if no attempt brought one.
    pub fn embeddings(
        &mut self,
        model: &str,
        dimensions: Option<usize>,
        texts: &[&str],
    ) -> Result<Vec<Vec<f32>>, EndpointError> {
        let mut body = serde_json::json!({ "model": model, "input": texts, "encoding_format": "float" });
        if let Some(dimensions) = dimensions {
            body["dimensions"] = dimensions.into();
        }
        let url = self.options.base_url.embeddings().to_owned();
        let call = Call { url: &url, body: &body.to_string(), expected: "list of embeddings", read: &vectors };
        match self.tried(&call)? {
            Outcome::Answered(vectors) => Ok(vectors),
            Outcome::Refused { status, message } => Err(EndpointError::Refused { url, status, message }),
        }
    }

    /// Makes as many attempts as it takes.
    fn tried<T>(&mut self, call: &Call<'_, T>) -> Result<Outcome<T>, EndpointError> {
        let no_answer = |attempts, last| EndpointError::NoAnswer { url: call.url.to_owned(), attempts, last };
        let mut last = String::new();
        let most = self.options.retry.attempts.max(1);
        for attempt in 1..=most {
            self.keep_rate();
            let (why, asked) = match self.attempt(call) {
                Attempt::Done(outcome) => return Ok(outcome),
                Attempt::Fatal(error) => return Err(error),
                Attempt::Again(why, asked) => (why, asked),
            };
            last = why;
            if attempt == most {
                break;
            }
            let pause = asked.unwrap_or_else(|| self.options.retry.pause(attempt));
            if asked.is_some() && pause > self.options.retry.longest_asked {
                last = format!("{last}; the endpoint asks for a pause of {} s", pause.as_secs());
                return Err(no_answer(attempt, last));
            }
            self.clock.sleep(pause);
        }
        Err(no_answer(most, last))
    }

    fn keep_rate(&mut self) {
        let Some(limit) = self.options.max_requests_per_minute else { return };
        let now = self.clock.now();
        if let Some(pause) = self.not_before.checked_sub(now).filter(|pause| !pause.is_zero()) {
            self.clock.sleep(pause);
        }
        self.not_before = now.max(self.not_before) + Duration::from_secs(60) / limit.get();
    }

    fn attempt<T>(&self, call: &Call<'_, T>) -> Attempt<T> {
        let protocol = self.options.base_url.protocol();
        let mut post = self.agent.post(call.url).header("content-type", "application/json");
        if protocol == Protocol::Anthropic {
            post = post.header("anthropic-version", anthropic::VERSION);
        }
        if let Some(key) = &self.options.key {
            post = match protocol {
                Protocol::Gemini => post.header("x-goog-api-key", key.bare()),
                Protocol::Anthropic => post.header("x-api-key", key.bare()),
                Protocol::OpenAi => post.header("authorization", key.header()),
            };
        }
        let mut response = match post.send(call.body) {
            Ok(response) => response,
            Err(ureq::Error::Http(_) | ureq::Error::BadUri(_)) => {
                let reason = "the key or the address holds a character that no header may hold";
                return Attempt::Fatal(EndpointError::BadUrl { url: call.url.to_owned(), reason });
            }
            Err(error) => return Attempt::Again(self.message(&error.to_string()), None),
        };
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").and_then(|value| {
            let seconds = value.to_str().ok()?.trim().parse().ok()?;
            Duration::try_from_secs_f64(seconds).ok()
        });
        let text = match response.body_mut().with_config().limit(LONGEST_BODY).read_to_vec() {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                return Attempt::Again(self.message(&format!("status {status}, then {error}")), retry_after);
            }
        };
        let parsed = serde_json::from_str::<Value>(&text);
        if status == 200 {
            return match parsed.ok().as_ref().and_then(call.read) {
                Some(answer) => Attempt::Done(Outcome::Answered(answer)),
                None => Attempt::Again(self.message(&format!("the body is no {}: {text}", call.expected)), retry_after),
            };
        }
        let error = parsed.ok().map(|body| ErrorBody::of(&body)).unwrap_or_default();
        let message = self.message(if error.message.is_empty() { &text } else { &error.message });
        let is_again = matches!(status, 408 | 425 | 429) || status >= 500;
        if is_again && !error.is_about_money() {
            return Attempt::Again(format!("status {status}: {message}"), retry_after);
        }
        if status == 413 || (matches!(status, 400 | 422) && error.is_about_this_request()) {
            return Attempt::Done(Outcome::Refused { status, message });
        }
        Attempt::Fatal(EndpointError::Refused { url: call.url.to_owned(), status, message })
    }

    /// Where a request goes, and what is sent.
    fn addressed(&self, request: &ChatRequest) -> Result<(String, String), LlmError> {
        let base = self.options.base_url.chat();
        match self.options.base_url.protocol() {
            Protocol::OpenAi => return Ok((base.to_owned(), request.canonical())),
            Protocol::Anthropic => return Ok((base.to_owned(), anthropic::body(request).to_string())),
            Protocol::Gemini => {}
        }
        if !gemini::is_model_name(&request.model) {
            let reason = "the model's name holds a character that no model's name may hold";
            return Err(EndpointError::BadUrl { url: base.to_owned(), reason }.into());
        }
        let model = request.model.strip_prefix("models/").unwrap_or(&request.model);
        Ok((format!("{base}/models/{model}:generateContent"), gemini::body(request).to_string()))
    }

    fn scrub(&self, text: &str) -> String {
        self.options.key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    fn scrubbed(&self, said: Completion) -> Completion {
        let call = |call: Value| serde_json::from_str(&self.scrub(&call.to_string())).unwrap_or_default();
        Completion {
            content: self.scrub(&said.content),
            finish_reason: self.scrub(&said.finish_reason),
            tool_calls: said.tool_calls.into_iter().map(call).collect(),
            ..said
        }
    }

    /// Makes an endpoint's words fit a message: without the key, one line, not too long.
    fn message(&self, text: &str) -> String {
        let line = self.scrub(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut short: String = line.chars().take(LONGEST_MESSAGE).collect();
        if short.len() < line.len() {
            short.push('…');
        }
        short
    }
}

impl Ask for Client {
    /// Returns the answer to a request.
    ///
    /// # Errors
    /// [`EndpointError::Refused`] if the endpoint refuses every request like it,
    /// [`EndpointError::NoAnswer`] if no attempt brought one.
    fn ask(&mut self, request: &ChatRequest) -> Result<Answer, LlmError> {
        let (url, body) = self.addressed(request)?;
        let read: &dyn Fn(&Value) -> Option<Answer> = match self.options.base_url.protocol() {
            Protocol::Gemini => &gemini::answer,
            Protocol::Anthropic => &anthropic::answer,
            Protocol::OpenAi => &|body| said(body).map(Answer::Said),
        };
        let call = Call { url: &url, body: &body, expected: "chat completion", read };
        Ok(match self.tried(&call)? {
            Outcome::Answered(Answer::Said(said)) => Answer::Said(self.scrubbed(said)),
            Outcome::Answered(Answer::Refused { status, message }) => {
                Answer::Refused { status, message: self.message(&message) }
            }
            Outcome::Refused { status, message } => Answer::Refused { status, message },
        })
    }
}

/// Returns the vectors of an answer in the order of the texts; none if the value is no list of
/// embeddings.
fn vectors(body: &Value) -> Option<Vec<Vec<f32>>> {
    let data = body.get("data")?.as_array()?;
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; data.len()];
    for (at, item) in data.iter().enumerate() {
        let numbers = item.get("embedding")?.as_array()?;
        let at = item.get("index").map_or(Some(at as u64), Value::as_u64)?;
        let place = vectors.get_mut(usize::try_from(at).ok()?)?;
        *place = Some(numbers.iter().map(|number| number.as_f64().map_or(f32::NAN, |number| number as f32)).collect());
    }
    vectors.into_iter().collect()
}

/// Returns what a chat completion says; none if the value is none.
fn said(body: &Value) -> Option<Completion> {
    let choice = body["choices"].as_array()?.first()?;
    let message = choice["message"].as_object()?;
    let tokens = |name: &str| body["usage"][name].as_u64();
    Some(Completion {
        content: message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        finish_reason: choice["finish_reason"].as_str().unwrap_or_default().to_owned(),
        prompt_tokens: tokens("prompt_tokens"),
        completion_tokens: tokens("completion_tokens"),
        tool_calls: message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default(),
    })
}

/// What an error body says.
#[derive(Default)]
struct ErrorBody {
    message: String,
    code: String,
}

impl ErrorBody {
    fn of(body: &Value) -> Self {
        let error = body.get("error").unwrap_or(body);
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let message = error.as_str().unwrap_or_else(|| text("message")).to_owned();
        Self { message, code: format!("{} {}", text("code"), text("type")).to_lowercase() }
    }

    /// Whether waiting will not help, although the status says so.
    fn is_about_money(&self) -> bool {
        self.code.contains("insufficient_quota") || self.code.contains("billing")
    }

    /// Whether another request might pass: this one is too long, or was stopped by a filter.
    fn is_about_this_request(&self) -> bool {
        let message = self.message.to_lowercase();
        self.code.contains("context_length")
            || self.code.contains("content_filter")
            || self.code.contains("content_policy")
            || (message.contains("context") && ["length", "window", "exceed"].iter().any(|word| message.contains(word)))
            || message.contains("prompt is too long")
    }
}
