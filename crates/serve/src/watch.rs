//! One local page that shows what agents do in the sessions of `page` and at servers: each page with
//! its refs, what was told of it, what that cost; and lets a person hold a client and go on by hand.
//!
//! In: a folder of sockets: of the background process of `page`, and of servers that may be looked
//! at. Out: a page, server-sent events, pictures. Invariants:
//! only who knows the address's secret part is answered, and only on loopback; text of a page is
//! set as text, never as markup, and no script but the page's own runs; looking changes nothing
//! that an agent knows.

use crate::desk::Watched;
use crate::gate::Access;
use crate::http::json_response;
use crate::sessions::{Reply, Request, ask};
use crate::stdio::ServeError;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request as HttpRequest, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How often it is asked what was told.
const EVERY: Duration = Duration::from_millis(300);

/// How long a process may take to say how its clients stand.
const PATIENCE: Duration = Duration::from_secs(2);

/// How the names of the sockets of servers begin.
const SERVER: &str = "serve-";

/// What no page of ours needs, and what it needs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A page that waits for who looks on.
#[derive(Debug)]
pub struct Watching {
    listener: TcpListener,
    address: SocketAddr,
    secret: String,
}

impl Watching {
    /// Listens on this machine; port 0 is any that is free.
    ///
    /// # Errors
    /// [`ServeError`] if the port is taken, or there is no random number.
    pub async fn on(port: u16) -> Result<Self, ServeError> {
        let wanted = SocketAddr::from(([127, 0, 0, 1], port));
        let listen = |source| ServeError::Listen { address: wanted.to_string(), source };
        let listener = TcpListener::bind(wanted).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let mut secret = [0; 18];
        getrandom::fill(&mut secret).map_err(|error| listen(io::Error::other(error.to_string())))?;
        Ok(Self { listener, address, secret: URL_SAFE_NO_PAD.encode(secret) })
    }

    /// Returns the address to open, with its secret part.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.secret)
    }
}

struct Looking {
    folder: PathBuf,
    report: Option<PathBuf>,
    access: Access,
}

/// Serves the page until `stop` is cancelled; the processes whose sockets lie in `folder` may come and
/// go meanwhile. The files of the folder `report`, such as its `index.html`, are served below
/// `report/`.
///
/// # Errors
/// [`ServeError`] if the server fails.
pub async fn serve_watch(
    watching: Watching,
    folder: PathBuf,
    report: Option<PathBuf>,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let Watching { listener, address, secret } = watching;
    let origins = vec![format!("http://{address}"), format!("http://localhost:{}", address.port())];
    let access = Access { origins, only_loopback: true, ..Access::default() };
    let looking = Arc::new(Looking { folder, report, access });
    let file =
        |kind: &'static str, text: &'static str| get(move || async move { ([(header::CONTENT_TYPE, kind)], text) });
    let below = |path: &str| format!("/{secret}/{path}");
    let router = Router::new()
        .route(&below(""), file("text/html; charset=utf-8", include_str!("watch/page.html")))
        .route(&below("page.js"), file("text/javascript; charset=utf-8", include_str!("watch/page.js")))
        .route(&below("page.css"), file("text/css; charset=utf-8", include_str!("watch/page.css")))
        .route(&below("events"), get(events))
        .route(&below("view/{id}"), get(view))
        .route(&below("do"), post(step))
        .route(&below("report/{name}"), get(report_file))
        .layer(from_fn_with_state(Arc::clone(&looking), guarded))
        .with_state(looking);
    let served = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    // Whoever looks on would keep it for ever.
    tokio::select! {
        served = served.into_future() => served,
        () = async { stop.cancelled().await; tokio::time::sleep(Duration::from_millis(200)).await } => Ok(()),
    }
    .map_err(|source| ServeError::Listen { address: address.to_string(), source })
}

async fn guarded(State(looking): State<Arc<Looking>>, request: HttpRequest, next: Next) -> Response {
    if let Err(refusal) = looking.access.check(request.headers(), true) {
        return (StatusCode::FORBIDDEN, refusal.message).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A file of the report: its page brings a policy of its own, by which nothing it shows runs.
async fn report_file(State(looking): State<Arc<Looking>>, Path(name): Path<String>) -> Response {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')) && !name.starts_with('.');
    let path = looking.report.as_ref().filter(|_| is_plain).map(|folder| folder.join(&name));
    let Some(Ok(body)) = path.map(std::fs::read) else { return StatusCode::NOT_FOUND.into_response() };
    let kind = match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" | "csv" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let policy = if kind.starts_with("text/html") { "frame-ancestors 'none'" } else { POLICY };
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, policy)], body).into_response()
}

/// What the last event said, and the last calls that are known.
#[derive(Default)]
struct Known {
    behind: BTreeMap<String, u64>,
    sessions: Option<Vec<Watched>>,
}

async fn events(State(looking): State<Arc<Looking>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let next = |(looking, mut known): (Arc<Looking>, Known)| async move {
        loop {
            if known.sessions.is_some() {
                tokio::time::sleep(EVERY).await;
            }
            let sessions = watched(&looking, &known.behind).await;
            let bare: Vec<Watched> = sessions.iter().map(|one| Watched { told: Vec::new(), ..one.clone() }).collect();
            let is_news = sessions.iter().any(|one| !one.told.is_empty()) || known.sessions.as_ref() != Some(&bare);
            if is_news {
                known.behind = sessions.iter().map(|one| (one.id.clone(), one.calls)).collect();
                known.sessions = Some(bare);
                let data = json!(sessions).to_string();
                return Some((Ok(Event::default().data(data)), (looking, known)));
            }
        }
    };
    Sse::new(unfold((looking, Known::default()), next)).keep_alive(KeepAlive::default())
}

/// Returns how all clients stand; their ids begin with whose they are.
async fn watched(looking: &Looking, behind: &BTreeMap<String, u64>) -> Vec<Watched> {
    let files = std::fs::read_dir(&looking.folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sockets: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "socket")).collect();
    sockets.sort();
    let mut all = Vec::new();
    for socket in sockets {
        let Some(of) = socket.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let own = |(id, number): (&String, &u64)| Some((id.strip_prefix(of)?.strip_prefix(':')?.to_owned(), *number));
        let request = Request::Watch { behind: behind.iter().filter_map(own).collect() };
        let sessions: Vec<Watched> = match tokio::time::timeout(PATIENCE, ask(&socket, &request)).await {
            Ok(Ok(Reply::Answer { text, .. })) => serde_json::from_str(&text).unwrap_or_default(),
            // Of a server that was killed its socket is left.
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused && of.starts_with(SERVER) => {
                drop(std::fs::remove_file(&socket));
                continue;
            }
            // One that hangs, or an older program that cannot be looked at.
            _ => continue,
        };
        all.extend(sessions.into_iter().map(|one| Watched {
            id: format!("{of}:{}", one.id),
            name: if of.starts_with(SERVER) { format!("{of} {}", one.name) } else { one.name },
            ..one
        }));
    }
    all
}

/// Returns the socket of a client's process, and its name there.
fn found(looking: &Looking, id: &str) -> Option<(PathBuf, String)> {
    let (of, id) = id.split_once(':')?;
    let (name, _) = id.rsplit_once('#')?;
    let is_plain = of.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_plain.then(|| (looking.folder.join(format!("{of}.socket")), name.to_owned()))
}

async fn view(State(looking): State<Arc<Looking>>, Path(id): Path<String>) -> Response {
    let made = |text: String, images: Vec<String>| {
        let mut view: Value = serde_json::from_str(&text).unwrap_or_default();
        view["picture"] = json!(images.first());
        view
    };
    match found(&looking, &id) {
        Some((socket, session)) => told(ask(&socket, &Request::View { session }).await, made),
        None => told(Err(io::ErrorKind::NotFound.into()), made),
    }
}

/// What a person does who looks on, to the client of an id.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Step {
    Hold { id: String, hold: bool },
    Call { id: String, tool: String, arguments: Value },
}

async fn step(State(looking): State<Arc<Looking>>, body: Bytes) -> Response {
    let step: Step = match serde_json::from_slice(&body) {
        Ok(step) => step,
        Err(error) => return json_response(StatusCode::BAD_REQUEST, &json!({ "error": error.to_string() })),
    };
    let (Step::Hold { id, .. } | Step::Call { id, .. }) = &step;
    let made = |text, _| json!({ "text": text });
    let Some((socket, session)) = found(&looking, id) else {
        return told(Err(io::ErrorKind::NotFound.into()), made);
    };
    let request = match step {
        Step::Hold { hold, .. } => Request::Hold { session, on: hold },
        Step::Call { tool, arguments, .. } => Request::Step { session, tool, arguments },
    };
    told(ask(&socket, &request).await, made)
}

/// Answers the page. What was refused is an answer too: as a status it would stand in the console.
fn told(reply: io::Result<Reply>, made: impl FnOnce(String, Vec<String>) -> Value) -> Response {
    let body = match reply {
        Ok(Reply::Answer { text, images, .. }) => made(text, images),
        Ok(Reply::Error { message, hint, .. }) => json!({ "error": message, "hint": hint }),
        Err(_) => json!({ "error": "it is not there any more", "hint": "choose another" }),
    };
    json_response(StatusCode::OK, &body)
}
