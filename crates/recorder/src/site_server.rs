//! Serves a bundled site on a loopback port.
//!
//! In: `traces/sites/<site>/` with its `site.toml`. Out: HTTP on 127.0.0.1, reached under the
//! site's host names because Chromium's resolver maps them there. Invariants: only files below the
//! site's folder and `_shared` are served, whatever the path; answers carry no time of the machine,
//! so two recordings see the same bytes.

mod clock;

pub(crate) use clock::SiteClock;

use crate::error::RecordError;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use browserlens_core::sync::locked;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Every answer is dated to the recording's epoch: the date is a header that pages can read.
const DATE: &str = "Thu, 15 Jan 2026 09:00:00 GMT";
const HTML: &str = "text/html; charset=utf-8";
/// Names of this machine, one a host of a watched site: other origins stay other origins.
const OWN_HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteFile {
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default, rename = "route")]
    routes: Vec<Route>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Route {
    #[serde(default = "get")]
    method: String,
    path: String,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default = "html", rename = "type")]
    content_type: String,
    body: Option<String>,
    file: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

fn get() -> String {
    "GET".to_owned()
}
fn ok() -> u16 {
    200
}
fn html() -> String {
    HTML.to_owned()
}

/// A request that a page of a watched site made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRequest {
    /// Method, in capitals.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The body as text; what is no UTF-8 is replaced.
    pub body: String,
}

/// Longest body of a request that is kept, in bytes; a longer one is refused.
const MOST_BODY: usize = 1 << 20;

/// What is done for who watches a site: its pages are served to any browser, so its host names are
/// made addresses of this machine, and what they ask for is kept.
#[derive(Debug)]
struct Watched {
    /// HTML that is put at the head of every page.
    head: String,
    /// Host names as pages write them, and the addresses in their place.
    hosts: Vec<(String, String)>,
    requests: Mutex<Vec<SiteRequest>>,
    under_way: AtomicUsize,
}

impl Watched {
    /// Puts the watcher's part and the addresses of this machine into a text of the site.
    fn told(&self, content_type: &str, body: Vec<u8>) -> Vec<u8> {
        if !["text/html", "text/javascript", "application/json"].iter().any(|kind| content_type.starts_with(kind)) {
            return body;
        }
        let mut text = match String::from_utf8(body) {
            Ok(text) => text,
            Err(error) => return error.into_bytes(),
        };
        for (name, address) in &self.hosts {
            text = text.replace(name, address);
        }
        if content_type.starts_with("text/html") {
            // Before every script of the page, and behind the doctype, without which the page is
            // laid out in another way.
            let after = |tag: &str| text.find(tag).map(|at| at + tag.len());
            let at = after("<head>").or_else(|| after(">")).unwrap_or(0);
            text.insert_str(at, &self.head);
        }
        text.into_bytes()
    }
}

#[derive(Debug)]
struct Site {
    folder: PathBuf,
    shared: PathBuf,
    routes: Vec<Route>,
    clock: Option<Arc<SiteClock>>,
    watched: Option<Watched>,
}

/// A served site; dropping it ends the server.
#[derive(Debug)]
pub struct SiteServer {
    hosts: Vec<String>,
    port: u16,
    site: Arc<Site>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SiteServer {
    /// Serves the site of a folder name below `sites_dir`, on a free port.
    ///
    /// # Errors
    /// [`RecordError::Site`] if the folder or its `site.toml` cannot be used.
    pub async fn start(sites_dir: &Path, site: &str) -> Result<Self, RecordError> {
        Self::start_as(sites_dir, site, None, None).await
    }

    /// Serves a site whose answers wait for the page's clock.
    pub(crate) async fn start_on_page_time(sites_dir: &Path, site: &str) -> Result<Self, RecordError> {
        Self::start_as(sites_dir, site, Some(Arc::default()), None).await
    }

    /// Serves a site to browsers that know nothing of its host names, with HTML of the watcher's at
    /// the head of every page, and keeps what its pages ask for. Recordings are never made of it.
    ///
    /// # Errors
    /// As [`SiteServer::start`]; also if the site has more than two hosts.
    pub async fn start_watched(sites_dir: &Path, site: &str, head: String) -> Result<Self, RecordError> {
        Self::start_as(sites_dir, site, None, Some(head)).await
    }

    async fn start_as(
        sites_dir: &Path,
        site: &str,
        clock: Option<Arc<SiteClock>>,
        head: Option<String>,
    ) -> Result<Self, RecordError> {
        let folder = sites_dir.join(site);
        let file = folder.join("site.toml");
        let bad = |reason: String| RecordError::Site { path: file.clone(), reason };
        if site.is_empty() || Path::new(site).components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(bad(format!("{site:?} is no folder name of a site")));
        }
        let text = std::fs::read_to_string(&file).map_err(|error| bad(format!("cannot be read: {error}")))?;
        let parsed: SiteFile = toml::from_str(&text).map_err(|error| bad(error.message().to_owned()))?;
        for route in &parsed.routes {
            check(route, &folder).map_err(|reason| bad(format!("route {}: {reason}", route.path)))?;
        }
        let hosts = if parsed.hosts.is_empty() { vec![format!("{site}.test")] } else { parsed.hosts };
        if let Some(host) = hosts.iter().find(|host| !host.ends_with(".test")) {
            return Err(bad(format!("host {host:?} does not end in .test")));
        }
        if head.is_some() && hosts.len() > OWN_HOSTS.len() {
            return Err(bad(format!("{} hosts: this machine has names for {}", hosts.len(), OWN_HOSTS.len())));
        }
        let io = |source| RecordError::Io { context: "cannot open a loopback port for the site".to_owned(), source };
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(io)?;
        let port = listener.local_addr().map_err(io)?.port();
        let watched = head.map(|head| Watched {
            head,
            hosts: (hosts.iter().zip(OWN_HOSTS))
                .map(|(host, own)| (format!("http://{host}"), format!("http://{own}:{port}")))
                .collect(),
            requests: Mutex::default(),
            under_way: AtomicUsize::new(0),
        });
        let shared = sites_dir.join("_shared");
        let site = Arc::new(Site { folder, shared, routes: parsed.routes, clock, watched });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&site));
        let task = tokio::spawn(async move {
            // The listener only fails when the process is out of sockets; the browser then reports
            // failed requests.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { hosts, port, site, task })
    }

    /// Returns the URL of a path for browsers that know nothing of the site's host names.
    pub fn own_url(&self, path: &str) -> String {
        format!("http://{}:{}/{}", OWN_HOSTS[0], self.port, path.trim_start_matches('/'))
    }

    /// Returns what pages asked for, in order, and whether an answer is still to come; nothing of a
    /// site that is not watched.
    pub fn requests(&self) -> (Vec<SiteRequest>, bool) {
        let Some(watched) = &self.site.watched else { return (Vec::new(), false) };
        (locked(&watched.requests).clone(), watched.under_way.load(Ordering::Relaxed) > 0)
    }

    /// Returns the URL of a path on the site's first host; URLs stay as they are.
    pub fn url(&self, path: &str) -> String {
        if path.contains("://") {
            return path.to_owned();
        }
        let host = self.hosts.first().map_or("", String::as_str);
        format!("http://{host}/{}", path.trim_start_matches('/'))
    }

    /// Returns the loopback port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the clock that answers wait for.
    pub(crate) fn clock(&self) -> Option<Arc<SiteClock>> {
        self.site.clock.clone()
    }

    /// Returns the resolver rule that brings the site's hosts here and every other host nowhere.
    pub(crate) fn resolver_rules(&self) -> String {
        format!("MAP *.test 127.0.0.1:{}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", self.port)
    }
}

fn check(route: &Route, folder: &Path) -> Result<(), String> {
    StatusCode::from_u16(route.status).map_err(|error| error.to_string())?;
    Method::from_bytes(route.method.as_bytes()).map_err(|error| error.to_string())?;
    HeaderValue::from_str(&route.content_type).map_err(|error| format!("type: {error}"))?;
    for (name, value) in &route.headers {
        HeaderName::from_bytes(name.as_bytes()).map_err(|error| format!("header {name:?}: {error}"))?;
        HeaderValue::from_str(value).map_err(|error| format!("header {name:?}: {error}"))?;
    }
    match (&route.body, &route.file) {
        (Some(_), Some(_)) => Err("has both body and file".to_owned()),
        (None, Some(file)) if inside(folder, file).is_none_or(|path| !path.is_file()) => {
            Err(format!("file {file:?} is not there"))
        }
        _ => Ok(()),
    }
}

/// Returns the path below a folder, unless it would leave it.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.trim_start_matches('/'));
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    (plain && !path.contains('\0')).then(|| folder.join(relative))
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "html" => HTML,
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn response(status: u16, content_type: &str, headers: &BTreeMap<String, String>, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let map = response.headers_mut();
    map.insert(header::DATE, HeaderValue::from_static(DATE));
    // A cached answer would make the second visit of a page differ from the first by chance of
    // eviction.
    map.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::from_str(content_type) {
        map.insert(header::CONTENT_TYPE, value);
    }
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            map.insert(name, value);
        }
    }
    response
}

fn refusal(status: u16, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", &BTreeMap::new(), text.into())
}

async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response<Body> {
    let Some(watched) = &site.watched else { return answer_of(&site, request.method(), request.uri().path()).await };
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MOST_BODY).await else { return refusal(413, "body too long") };
    locked(&watched.requests).push(SiteRequest {
        method: parts.method.to_string(),
        path: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    watched.under_way.fetch_add(1, Ordering::Relaxed);
    // Dropped early when the browser gives the request up.
    let _guard = UnderWay(&watched.under_way);
    let answered = answer_of(&site, &parts.method, parts.uri.path()).await;
    let (mut head, body) = answered.into_parts();
    let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default().to_vec();
    let body = watched.told(content_type, body);
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(body))
}

struct UnderWay<'c>(&'c AtomicUsize);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn answer_of(site: &Site, method: &Method, path: &str) -> Response<Body> {
    let none = BTreeMap::new();
    if let Some(route) = site.routes.iter().find(|route| route.path == path && route.method == method.as_str()) {
        match &site.clock {
            _ if route.delay_ms == 0 => {}
            Some(clock) => clock.hold(route.delay_ms).await,
            None => tokio::time::sleep(Duration::from_millis(route.delay_ms)).await,
        }
        let body = match (&route.body, route.file.as_ref().and_then(|file| inside(&site.folder, file))) {
            (Some(body), _) => body.clone().into_bytes(),
            (None, Some(file)) => tokio::fs::read(file).await.unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        return response(route.status, &route.content_type, &route.headers, body);
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return refusal(405, "method not allowed");
    }
    let found = decoded(path).and_then(|path| match path.strip_prefix("/_shared/") {
        Some(shared) => inside(&site.shared, shared).filter(|file| file.is_file()),
        None => file_of(&site.folder, &path),
    });
    if let Some(file) = found
        && let Ok(bytes) = tokio::fs::read(&file).await
    {
        return response(200, content_type(&file), &none, bytes);
    }
    let own = tokio::fs::read(site.folder.join("404.html")).await;
    response(404, HTML, &none, own.unwrap_or_else(|_| b"<!doctype html><title>404</title><p>Not found</p>".to_vec()))
}

fn file_of(folder: &Path, path: &str) -> Option<PathBuf> {
    let trimmed = path.trim_matches('/');
    if trimmed.is_empty() {
        return Some(folder.join("index.html")).filter(|file| file.is_file());
    }
    let base = inside(folder, trimmed).filter(|base| !base.ends_with("site.toml"))?;
    let candidates = [base.clone(), base.with_added_extension("html"), base.join("index.html")];
    candidates.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("temporary folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            std::fs::write(path, text).expect("write");
        };
        write("secret.txt", "outside");
        write(
            "s/site.toml",
            "hosts = [\"s.test\"]\n[[route]]\npath = \"/api\"\nbody = \"{}\"\nstatus = 201\nheaders = { X-A = \"b\" \
                }\n",
        );
        write("s/index.html", "home");
        write("s/about.html", "about");
        write("s/deep/index.html", "deep");
        folder
    }

    #[test]
    fn paths_become_files_by_the_documented_rules_and_never_leave_the_folder() {
        let folder = site();
        let root = folder.path().join("s");
        let file = |path: &str| {
            file_of(&root, path).map(|file| file.strip_prefix(&root).expect("inside").to_string_lossy().into_owned())
        };
        assert_eq!(file("/").as_deref(), Some("index.html"));
        assert_eq!(file("/about").as_deref(), Some("about.html"));
        assert_eq!(file("/about.html").as_deref(), Some("about.html"));
        assert_eq!(file("/deep").as_deref(), Some("deep/index.html"));
        assert_eq!(file("/deep/").as_deref(), Some("deep/index.html"));
        for outside in ["/../secret.txt", "/deep/../../secret.txt", "/site.toml", "/nothing", "/./about"] {
            assert_eq!(file(outside), None, "{outside}");
        }
        assert_eq!(decoded("/%2e%2e/secret.txt").as_deref(), Some("/../secret.txt"));
        assert_eq!(decoded("/%zz"), None);
    }

    #[tokio::test]
    async fn routes_come_before_files_and_an_unknown_key_names_the_file() {
        let folder = site();
        let server = SiteServer::start(folder.path(), "s").await.expect("starts");
        let raw = raw_get(server.port, "/api").await;
        assert!(raw.starts_with("HTTP/1.1 201"), "{raw}");
        assert!(raw.to_ascii_lowercase().contains("x-a: b"), "{raw}");
        assert!(raw_get(server.port, "/%2e%2e/secret.txt").await.starts_with("HTTP/1.1 404"));
        std::fs::write(folder.path().join("s/site.toml"), "host = []").expect("write");
        let error = SiteServer::start(folder.path(), "s").await.expect_err("misspelt");
        assert!(error.to_string().contains("site.toml") && error.to_string().contains("host"), "{error}");
    }

    #[tokio::test]
    async fn a_watched_site_keeps_requests_and_tells_pages_this_machines_addresses() {
        let folder = site();
        let home = "<!doctype html><html><head><title>t</title></head><a href=http://s.test/about>x</a></html>";
        std::fs::write(folder.path().join("s/index.html"), home).expect("write");
        let head = "<script>1</script>".to_owned();
        let server = SiteServer::start_watched(folder.path(), "s", head).await.expect("starts");
        let raw = raw_get(server.port, "/?q=1").await;
        assert!(raw.contains("<head><script>1</script><title>"), "{raw}");
        assert!(raw.contains(&format!("href=http://127.0.0.1:{}/about", server.port)), "{raw}");
        let (requests, is_under_way) = server.requests();
        assert_eq!((requests.len(), requests[0].path.as_str(), is_under_way), (1, "/?q=1", false));
    }

    async fn raw_get(port: u16, path: &str) -> String {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("connects");
        let request = format!("GET {path} HTTP/1.1\r\nHost: s.test\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("writes");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("reads");
        text
    }
}
