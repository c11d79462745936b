//! Where a task is played: its pages, served afresh for one run, and what they say of the result.
//!
//! In: a task. Out: the URL that it begins at, and whether it is done. Invariant: each run has a
//! port, and with it an origin, of its own, so that nothing of another run is in any storage.

use crate::error::TasksError;
use crate::listener::Listener;
use crate::miniwob::MiniwobServer;
use crate::task::{Environment, SiteTask, Task};
use browserlens_recorder::SiteServer;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STATE: &str = include_str!("state.js");
/// When the sites' recordings begin, in milliseconds of Unix time: 2026-01-15, 09:00 UTC.
const SITES_BEGIN_MS: i64 = 1_768_467_600_000;
/// How often the state is asked for while something is waited for.
const OFTEN: Duration = Duration::from_millis(60);
/// How long nothing must be under way for a state to be the last.
const QUIET: Duration = Duration::from_millis(250);

/// Where things lie.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The bundled sites.
    pub sites: PathBuf,
    /// The applications made with component libraries.
    pub wild: PathBuf,
    /// The `html` folder of MiniWoB++.
    pub miniwob: PathBuf,
}

/// A task's pages, served for one run.
pub struct ServedTask {
    served: Served,
}

enum Served {
    Site { server: SiteServer, listener: Listener, task: Box<SiteTask> },
    Miniwob(MiniwobServer),
}

/// What the pages say of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// 1 is all of it; 0 where a page that judges by itself had no word to say.
    pub reward: f64,
    /// What is not as it must be, in words.
    pub unmet: Vec<String>,
}

impl Verdict {
    /// Returns whether the task is done.
    pub fn is_done(&self) -> bool {
        self.reward >= 1.0
    }
}

impl ServedTask {
    /// Serves the pages of a task; `seed` is MiniWoB's.
    ///
    /// # Errors
    /// [`TasksError::Site`] or [`TasksError::NoMiniwob`].
    pub async fn set(task: &Task, folders: &Folders, seed: u64) -> Result<Self, TasksError> {
        let served = match &task.place {
            Environment::Miniwob { page } => Served::Miniwob(MiniwobServer::start(&folders.miniwob, page, seed).await?),
            Environment::Site(task) => {
                let failed = |why: String| TasksError::Site { site: task.site.clone(), why };
                let listener = Listener::start().await.map_err(|error| failed(error.to_string()))?;
                let head = head(&listener, task);
                let (sites, site) = match task.site.strip_prefix("wild/") {
                    Some(name) if !folders.wild.join(name).join("site.toml").is_file() => {
                        return Err(TasksError::NoApplication(folders.wild.join(name)));
                    }
                    Some(name) => (&folders.wild, name),
                    None => (&folders.sites, task.site.as_str()),
                };
                let server = SiteServer::start_watched(sites, site, head).await;
                let server = server.map_err(|error| failed(error.to_string()))?;
                Served::Site { server, listener, task: Box::new(task.clone()) }
            }
        };
        Ok(Self { served })
    }

    /// Returns the URL that the task begins at.
    pub fn url(&self) -> String {
        match &self.served {
            Served::Site { server, task, .. } => server.own_url(&task.start),
            Served::Miniwob(server) => server.url(),
        }
    }

    /// Returns the URL of a path of the task's pages.
    pub fn url_of(&self, path: &str) -> String {
        match &self.served {
            Served::Site { server, .. } => server.own_url(path),
            Served::Miniwob(server) => server.url(),
        }
    }

    /// Returns the state as checks see it.
    pub async fn state(&self) -> Value {
        let Served::Site { server, listener, .. } = &self.served else { return Value::Null };
        let mut state = listener.state().await;
        if state.is_null() {
            state = json!({});
        }
        let sent = server.requests().0.into_iter().map(|request| {
            let body = serde_json::from_str(&request.body).unwrap_or(Value::String(request.body));
            json!({ "method": request.method, "path": request.path, "body": body })
        });
        state["sent"] = sent.collect();
        state
    }

    /// Judges the run as it stands: at once when it is done, else when nothing is under way any
    /// more, or after `patience`.
    pub async fn judge(&self, patience: Duration) -> Verdict {
        let began = Instant::now();
        let mut quiet_since = None;
        let mut before = (Value::Null, 0);
        loop {
            let (verdict, now, is_under_way) = match &self.served {
                Served::Miniwob(server) => {
                    let (verdict, is_open) = server.verdict();
                    (verdict, (Value::Null, 0), is_open)
                }
                Served::Site { server, task, .. } => {
                    let state = self.state().await;
                    let unmet = task.unmet(&state);
                    let reward = if unmet.is_empty() { 1.0 } else { 0.0 };
                    let (requests, is_under_way) = server.requests();
                    let now = (json!([state["path"], state["local"], state["session"]]), requests.len());
                    (Verdict { reward, unmet }, now, is_under_way)
                }
            };
            if verdict.is_done() || began.elapsed() >= patience {
                return verdict;
            }
            if is_under_way || now != before {
                quiet_since = None;
                before = now;
            } else if quiet_since.get_or_insert_with(Instant::now).elapsed() >= QUIET {
                return verdict;
            }
            tokio::time::sleep(OFTEN).await;
        }
    }

    /// Returns the folder that files of steps lie in.
    pub fn files(&self) -> Option<&Path> {
        match &self.served {
            Served::Site { task, .. } => task.file.parent(),
            Served::Miniwob(_) => None,
        }
    }
}

/// Returns what stands at the head of every page.
fn head(listener: &Listener, task: &SiteTask) -> String {
    let now = chrono::Utc::now().timestamp_millis();
    let settings = json!({ "port": listener.port(), "shift": SITES_BEGIN_MS - now, "tell": task.tell });
    // An end tag within a text would end the script.
    let settings = settings.to_string().replace("</", "<\\/");
    format!("<script>{}</script>", STATE.replacen("= SETTINGS", &format!("= {settings}"), 1))
}
