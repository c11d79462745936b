//! Serves one page of MiniWoB++ for one run, and takes its reward.
//!
//! In: the package's `html` folder, the name of a page, a seed. Out: HTTP on a loopback port, and
//! the page's own raw reward. Invariants: only that page and the package's shared folders are
//! served; the first reward counts. Why not the reward that falls with time: it would measure the
//! machine.

use crate::error::TasksError;
use crate::loopback::served;
use crate::served_task::Verdict;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use browserlens_core::sync::locked;
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::task::AbortOnDropHandle;

/// Goes behind the package's `core.js`; `scripts/miniwob` puts the same there.
const EPISODE: &str = include_str!("../../../scripts/miniwob_episode.js");
/// Longest word of the page on its reward, in bytes.
const MOST_SAID: usize = 64 << 10;

#[derive(Clone, Debug, Deserialize)]
struct Ended {
    reward: f64,
    #[serde(default)]
    reason: Option<String>,
}

struct Shared {
    html: PathBuf,
    page: String,
    seed: String,
    ended: Mutex<Option<Ended>>,
}

/// A served page; dropping it ends the server.
pub(crate) struct MiniwobServer {
    port: u16,
    shared: Arc<Shared>,
    _task: AbortOnDropHandle<()>,
}

impl MiniwobServer {
    pub(crate) async fn start(html: &Path, page: &str, seed: u64) -> Result<Self, TasksError> {
        if !html.join("core/core.js").is_file() {
            return Err(TasksError::NoMiniwob(html.to_owned()));
        }
        let failed = |why: String| TasksError::Site { site: format!("miniwob {page}"), why };
        if !html.join("miniwob").join(format!("{page}.html")).is_file() {
            return Err(failed("the package has no such page".to_owned()));
        }
        let seed = format!("{page} {seed}");
        let shared = Arc::new(Shared { html: html.to_owned(), page: page.to_owned(), seed, ended: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let (port, _task) = served(router).await.map_err(|error| failed(error.to_string()))?;
        Ok(Self { port, shared, _task })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/miniwob/{}.html", self.port, self.shared.page)
    }

    /// Returns what the page said, and whether it may still say something.
    pub(crate) fn verdict(&self) -> (Verdict, bool) {
        let ended = locked(&self.shared.ended).clone();
        let unmet = match &ended {
            None => vec!["the episode did not end".to_owned()],
            Some(ended) if ended.reward >= 1.0 => Vec::new(),
            Some(ended) => vec![format!("the page says: {}", ended.reason.as_deref().unwrap_or("no reason"))],
        };
        let is_open = ended.is_none();
        (Verdict { reward: ended.map_or(0.0, |ended| ended.reward), unmet }, is_open)
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if request.method() == Method::POST && path == "/ended/1" {
        let said = axum::body::to_bytes(request.into_body(), MOST_SAID).await.unwrap_or_default();
        if let Ok(said) = serde_json::from_slice(&said) {
            locked(&shared.ended).get_or_insert(said);
        }
        return response(StatusCode::NO_CONTENT, "text/plain", Vec::new());
    }
    let relative = Path::new(path.trim_start_matches('/'));
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let is_page = path == format!("/miniwob/{}.html", shared.page);
    let is_served = is_page || path.starts_with("/core/") || path.starts_with("/common/");
    let body = if is_plain && is_served { tokio::fs::read(shared.html.join(relative)).await.ok() } else { None };
    let Some(mut body) = body else { return response(StatusCode::NOT_FOUND, "text/plain", Vec::new()) };
    if path == "/core/core.js" {
        let seed = serde_json::Value::from(shared.seed.as_str()).to_string();
        body.extend_from_slice(EPISODE.replace("SEED", &seed).replace("RUN", "1").as_bytes());
    }
    let kind = match relative.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    };
    response(StatusCode::OK, kind, body)
}

fn response(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], body).into_response()
}
