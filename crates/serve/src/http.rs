//! HTTP: the tools under `/v1`, knowledge, MCP under `/mcp`, and what operators need.
//!
//! In: requests. Out: JSON. Invariants: every request passes [`crate::gate`] first; at most so many
//! are answered at once, each within a time; sessions that nobody uses end, and their browsers with
//! them.

use crate::desk::Desk;
use crate::gate::{Access, DEEPEST, depth};
use crate::guide::{guide, told};
use crate::mcp::McpClient;
use crate::openapi;
use crate::seats::{Seat, Seats};
use crate::stdio::ServeError;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use browserlens_core::page::text::escaped_json;
use browserlens_session::{AgentInstruction, Answer, Nothing, Shared, ToolError, allowed, read_arguments};
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Where a client reads what there is.
const SEE: &str = "GET / tells what there is, /openapi.json every schema";

/// Header that names a session of the HTTP API.
pub const SESSION: &str = "browserlens-session";

/// Limits of a server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Who may speak to it.
    pub access: Access,
    /// Most bytes of a request's body.
    pub most_bytes: usize,
    /// Most requests that are answered at once.
    pub most_requests: usize,
    /// Most clients at once, of MCP and HTTP together.
    pub most_clients: u32,
    /// Longest time for a call.
    pub call_limit: Duration,
    /// After how long a session that nobody uses ends.
    pub idle: Duration,
    /// Where clients can be looked at; none where nobody may.
    pub desk: Option<Arc<Desk>>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            access: Access::default(),
            most_bytes: 1 << 20,
            most_requests: 256,
            most_clients: 64,
            call_limit: Duration::from_secs(120),
            idle: Duration::from_secs(30 * 60),
            desk: None,
        }
    }
}

/// A name in a path; one that is no text is refused in JSON.
type Named = Result<Path<String>, PathRejection>;

/// An answer, or a refusal.
type Answered = Result<Response, Response>;

type Sessions = HashMap<String, (Seat, Instant)>;

struct Server {
    seats: Seats,
    options: HttpOptions,
    running: Semaphore,
    sessions: Mutex<Sessions>,
}

impl Server {
    fn sessions(&self) -> std::sync::MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Listening {
    /// Where.
    pub address: SocketAddr,
    task: tokio::task::JoinHandle<Result<(), std::io::Error>>,
}

impl Listening {
    /// Waits until the server was stopped and its clients are gone.
    ///
    /// # Errors
    /// [`ServeError::Io`].
    pub async fn finished(self) -> Result<(), ServeError> {
        Ok(self.task.await.map_err(std::io::Error::other)??)
    }
}

/// Listens on an address until `stop` is cancelled; then no request is taken any more, those under
/// way end, and so do all clients.
///
/// # Errors
/// [`ServeError::Listen`], and [`ServeError::Options`] for an address that is not loopback without
/// a token.
pub async fn serve(
    shared: Arc<Shared>,
    address: SocketAddr,
    mut options: HttpOptions,
    stop: CancellationToken,
) -> Result<Listening, ServeError> {
    if !address.ip().is_loopback() && options.access.token.as_ref().is_none_or(|token| token.len() < 16) {
        return Err(ServeError::Options(format!(
            "{address} can be reached by others: a bearer token of at least 16 characters is needed"
        )));
    }
    options.access.only_loopback = address.ip().is_loopback();
    let listen = |source| ServeError::Listen { address: address.to_string(), source };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let seats = Seats::new(shared, options.call_limit, options.most_clients).watched(options.desk.clone());
    let running = Semaphore::new(options.most_requests);
    let server = Arc::new(Server { seats, options, running, sessions: Mutex::default() });
    let router = router(&server, &stop);
    let sweeper = tokio::spawn(sweep(Arc::clone(&server), stop.clone()));
    let task = tokio::spawn(async move {
        let graceful = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
        let served = graceful.into_future();
        tokio::pin!(served);
        let ended = tokio::select! {
            ended = &mut served => ended,
            // Streams that clients leave open must not keep the server.
            () = async { stop.cancelled().await; tokio::time::sleep(Duration::from_secs(5)).await } => Ok(()),
        };
        sweeper.abort();
        server.sessions().clear();
        server.seats.all_gone(Duration::from_secs(15)).await;
        ended
    });
    Ok(Listening { address, task })
}

fn router(server: &Arc<Server>, stop: &CancellationToken) -> Router {
    let seats = server.seats.clone();
    let config = StreamableHttpServerConfig::default()
        .with_cancellation_token(stop.child_token())
        .with_max_request_body_bytes(server.options.most_bytes)
        // Host and Origin are checked for the whole server.
        .disable_allowed_hosts();
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(server.options.idle);
    let mcp = StreamableHttpService::new(move || Ok(McpClient::new(seats.seat("mcp"))), Arc::new(manager), config);
    Router::new()
        .route("/", get(help))
        .route("/help", get(help))
        .route("/help/{tool}", get(help_of))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(document))
        .route("/v1/sessions", post(begin))
        .route("/v1/sessions/{id}", delete(end))
        .route("/v1/{tool}", post(call))
        .route("/knowledge/{id}/query", post(knowledge))
        .route_service("/mcp", mcp)
        .fallback(any(nowhere))
        .method_not_allowed_fallback(not_so)
        .layer(from_fn_with_state(Arc::clone(server), gate))
        .with_state(Arc::clone(server))
}

/// Ends sessions that nobody used for long.
async fn sweep(server: Arc<Server>, stop: CancellationToken) {
    let idle = server.options.idle;
    let every = (idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(30));
    while !stop.is_cancelled() {
        tokio::time::sleep(every).await;
        server.sessions().retain(|_, (_, used)| used.elapsed() < idle);
    }
}

fn failure(status: u16, kind: &str, message: &str, hint: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({ "error": { "kind": kind, "message": message, "hint": hint } });
    let mut response = json_response(status, &body);
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

pub(crate) fn json_response(status: StatusCode, body: &Value) -> Response {
    written(status, "application/json", body.to_string())
}

fn written(status: StatusCode, kind: &'static str, body: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, body).into_response()
}

fn failed(error: ToolError) -> Response {
    failure(error.status(), error.kind(), &error.message(), error.hint())
}

/// Lets through what may come in, reads bodies within their limits, and gives up what takes too
/// long.
async fn gate(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let metrics = Arc::clone(server.seats.metrics());
    let refuse = |status, kind, message: &str, hint| {
        metrics.refused.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(status, kind, "refused");
        failure(status, kind, message, hint)
    };
    if let Err(why) = server.options.access.check(request.headers(), path == "/health") {
        let hint = "see the server's options --token-env, --host-name and --allow-origin";
        return refuse(why.status, why.kind, why.message, hint);
    }
    let Ok(_running) = server.running.try_acquire() else {
        return refuse(429, "busy", "too many requests at once", "wait for those under way");
    };
    let is_mcp = path == "/mcp";
    let request = if *request.method() == Method::POST {
        let (parts, body) = request.into_parts();
        let most = server.options.most_bytes;
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: usize| length > most) {
            return refuse(413, "too_large", "the body is too large", "send less");
        }
        let read = tokio::time::timeout(Duration::from_secs(30), to_bytes(body, most)).await;
        let body = match read {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return refuse(413, "too_large", "the body is too large or ended early", "send less"),
            Err(_) => return refuse(408, "slow", "the body did not come within 30 s", "send it at once"),
        };
        if depth(&body) > DEEPEST {
            return refuse(400, "too_deep", "the JSON is nested too deep", "send flatter JSON");
        }
        Request::from_parts(parts, Body::from(body))
    } else {
        request
    };
    if is_mcp {
        // Streams stay open; their calls have limits of their own.
        return next.run(request).await;
    }
    let limit = server.options.call_limit + Duration::from_secs(10);
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => failed(ToolError::TimedOut(limit.as_secs())),
    }
}

fn no_name(_: PathRejection) -> Response {
    failure(404, "not_found", "the path is no text", SEE)
}

async fn nowhere() -> Response {
    failure(404, "not_found", "there is nothing under this path", SEE)
}

async fn not_so() -> Response {
    failure(405, "method", "this path does not take that method", SEE)
}

fn text(text: String) -> Response {
    written(StatusCode::OK, "text/plain; charset=utf-8", text)
}

async fn help(State(server): State<Arc<Server>>) -> Response {
    text(guide(&server.seats.shared().policy))
}

async fn help_of(State(server): State<Arc<Server>>, tool: Named) -> Answered {
    let Path(name) = tool.map_err(no_name)?;
    let tool = allowed(&server.seats.shared().policy).into_iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| failure(404, "not_found", "there is no such tool", SEE))?;
    Ok(text(told(&tool)))
}

async fn health() -> Response {
    json_response(StatusCode::OK, &json!({ "status": "ok" }))
}

async fn metrics(State(server): State<Arc<Server>>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, server.seats.metrics().text()).into_response()
}

async fn document(State(server): State<Arc<Server>>) -> Response {
    let needs_token = server.options.access.token.is_some();
    json_response(StatusCode::OK, &openapi::document(needs_token, &server.seats.shared().policy))
}

async fn begin(State(server): State<Arc<Server>>, headers: HeaderMap, body: Bytes) -> Answered {
    json_body(&headers, &body, true).and_then(read_arguments::<Nothing>).map_err(failed)?;
    let mut id = [0; 18];
    getrandom::fill(&mut id).map_err(|_| failed(ToolError::Internal("no random number".to_owned())))?;
    let id = URL_SAFE_NO_PAD.encode(id);
    let seat = server.seats.seat("http");
    seat.take().await.map_err(failed)?;
    server.sessions().insert(id.clone(), (seat, Instant::now()));
    Ok(json_response(StatusCode::CREATED, &json!({ "session": id })))
}

async fn end(State(server): State<Arc<Server>>, id: Named) -> Answered {
    let Path(id) = id.map_err(no_name)?;
    let (seat, _) = server.sessions().remove(&id).ok_or_else(no_session)?;
    seat.end().await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn no_session() -> Response {
    let hint = "POST /v1/sessions, and send its `session` in the header Browserlens-Session";
    failure(404, "no_session", "there is no such session", hint)
}

async fn call(State(server): State<Arc<Server>>, tool: Named, headers: HeaderMap, body: Bytes) -> Answered {
    let Path(tool) = tool.map_err(no_name)?;
    let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else {
        let missing = "the header Browserlens-Session is missing: POST /v1/sessions gives its value";
        return Err(failed(ToolError::Arguments(missing.to_owned())));
    };
    let arguments = json_body(&headers, &body, true).map_err(failed)?;
    let seat = server.sessions().get_mut(id).map(|(seat, used)| {
        *used = Instant::now();
        seat.clone()
    });
    let answer = seat.ok_or_else(no_session)?.call(&tool, arguments).await.map_err(failed)?;
    Ok(json_response(StatusCode::OK, &answer_json(&answer)))
}

fn answer_json(answer: &Answer) -> Value {
    let images: Vec<Value> =
        answer.images.iter().map(|png| json!({ "mime_type": "image/png", "base64": STANDARD.encode(png) })).collect();
    let mut body = json!({ "images": images, "done": !answer.is_undone, "untrusted": true });
    match serde_json::from_str::<Value>(&answer.text) {
        Ok(value) if answer.is_json => body["json"] = value,
        _ => body["text"] = Value::from(answer.text.as_str()),
    }
    body
}

async fn knowledge(State(server): State<Arc<Server>>, id: Named, headers: HeaderMap, body: Bytes) -> Answered {
    let Path(id) = id.map_err(no_name)?;
    let began = Instant::now();
    let shared = Arc::clone(server.seats.shared());
    let work = move || {
        let instruction = json_body(&headers, &body, false).and_then(read_arguments::<AgentInstruction>)?;
        shared.knowledge.query(&id, &instruction)
    };
    let joined = tokio::task::spawn_blocking(work).await;
    let answered = joined.unwrap_or_else(|_| Err(ToolError::Internal("the query failed".to_owned())));
    let metrics = server.seats.metrics();
    metrics.called("query_knowledge_for_agent", "http", began.elapsed(), answered.as_ref().err());
    let response = answered.map_err(|error| match error {
        ToolError::NotThere { hint, .. } => failure(404, "not_there", &error.message(), hint),
        error => failed(error),
    })?;
    let json = serde_json::to_string(&response).map_err(|error| failed(ToolError::Internal(error.to_string())))?;
    Ok(written(StatusCode::OK, "application/json", escaped_json(&json).into_owned()))
}

/// Reads a body as JSON; an empty one is nothing, where that is allowed.
fn json_body(headers: &HeaderMap, body: &Bytes, may_be_empty: bool) -> Result<Value, ToolError> {
    if body.is_empty() && may_be_empty {
        return Ok(Value::Null);
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(ToolError::MediaType);
    }
    let wrong = match serde_json::from_slice(body) {
        Ok(Value::Null) => "the body is null, expected an object".to_owned(),
        Ok(value) => return Ok(value),
        // Where the mistake is, not what stands there.
        Err(error) => format!("the body is no JSON: line {}, column {}", error.line(), error.column()),
    };
    Err(ToolError::Arguments(wrong))
}
