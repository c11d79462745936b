//! Sessions that stay between commands: one background process a user, spoken to through a socket.
//!
//! In: one JSON [`Request`] a connection. Out: one [`Reply`]. Invariants: only the user who started
//! it is answered; the calls of one session run one after the other, each browser ends with its
//! session, and a session that nobody uses ends by itself, as does the process when none is left.

use crate::desk::Desk;
use crate::stdio::ServeError;
use crate::worker::Worker;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::escaped_line;
use browserlens_session::{Answer, Shared, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

/// Most bytes of a request.
const MOST_BYTES: u64 = 4 << 20;

/// Most sessions at once: each may have a browser.
const MOST_SESSIONS: usize = 32;

/// For how long the process waits for a session when it has none.
const ALONE: Duration = Duration::from_secs(3);

/// What a command asks of the background process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// Opens a session, or goes to another page in the one that is there.
    Open {
        /// Its name.
        session: String,
        /// What is opened: a URL, or the path of a trace.
        source: String,
        /// How, in the words of whoever opens; null where nothing is said.
        options: Value,
    },
    /// Calls a tool.
    Call {
        /// The session.
        session: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// Lists the sessions.
    Sessions,
    /// Ends a session, or all.
    Close {
        /// The session.
        session: Option<String>,
    },
    /// Says how the sessions stand, and what each was told since; answered by a
    /// [`Watched`](crate::Watched) a session, as JSON.
    Watch {
        /// By the id of a session: the last call that is known of it.
        behind: BTreeMap<String, u64>,
    },
    /// Shows a session's page to somebody who looks on: a [`View`](browserlens_session::View) as JSON, and a picture.
    View {
        /// The session.
        session: String,
    },
    /// Holds what an agent does next in a session, or lets it go on.
    Hold {
        /// The session.
        session: String,
        /// Whether it is held.
        on: bool,
    },
    /// Calls a tool for somebody who looks on, also where the session is held.
    Step {
        /// The session.
        session: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// What the background process answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// What a tool says.
    Answer {
        /// The text, what nobody sees escaped.
        text: String,
        /// Images: PNG in base64.
        images: Vec<String>,
        /// Whether a part of what was asked for was not done, as the text says.
        is_undone: bool,
    },
    /// Why it was not done.
    Error {
        /// A short name of the kind, as in HTTP answers.
        kind: String,
        /// What is wrong, in one line.
        message: String,
        /// What to do.
        hint: String,
    },
}

impl Reply {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Answer { text: text.into(), images: Vec::new(), is_undone: false }
    }

    /// Says why something was not done.
    pub fn error(kind: &str, message: impl Into<String>, hint: &str) -> Self {
        Self::Error { kind: kind.to_owned(), message: message.into(), hint: hint.to_owned() }
    }
}

impl From<ToolError> for Reply {
    fn from(error: ToolError) -> Self {
        Self::error(error.kind(), error.message(), error.hint())
    }
}

/// Makes what a session looks at, of source and options as [`Request::Open`] has them, and says the
/// longest time for a call.
pub type Open = dyn Fn(&str, Value) -> Result<(Shared, Duration), Reply> + Send + Sync;

struct Kept {
    worker: Arc<Worker>,
    source: String,
    is_live: bool,
    used: Instant,
    /// Tells it from another of its name, before or after it.
    number: u64,
}

struct Host {
    open: Box<Open>,
    sessions: Mutex<BTreeMap<String, Kept>>,
    desk: Desk,
    /// Since when there is no session.
    alone: Mutex<Option<Instant>>,
}

impl Host {
    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: Request) -> Reply {
        match request {
            Request::Open { session, source, options } => {
                self.open(session, source, options).await.unwrap_or_else(|refused| refused)
            }
            Request::Call { session, tool, arguments } => self.call(&session, &tool, arguments).await,
            Request::Sessions => self.list(),
            Request::Close { session } => self.close(session).await,
            request => self.desk.answer(request).await,
        }
    }

    async fn open(&self, session: String, source: String, options: Value) -> Result<Reply, Reply> {
        let is_named = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if session.is_empty() || session.len() > 64 || !session.chars().all(is_named) {
            let message = "the name of a session is at most 64 letters, digits, dots, dashes and underscores";
            return Err(Reply::error("arguments", message, "give another name with -s"));
        }
        let there = self.sessions().get(&session).map(|kept| (kept.is_live, kept.source == source));
        // A trace is named by its whole path.
        let is_url = !source.is_empty() && !Path::new(&source).is_absolute();
        match there {
            Some((true, _)) if is_url && options.is_null() => return Ok(self.go_on(&session, source).await),
            Some((_, true)) if options.is_null() => {
                return Ok(self.call(&session, "observe", json!({ "full": true })).await);
            }
            Some(_) => {
                let message = format!("session {session:?} is open with something else");
                return Err(Reply::error("not_there", message, "close it first, or give another name with -s"));
            }
            None => {}
        }
        let (shared, limit) = (self.open)(&source, options)?;
        let is_live = shared.opener.is_live();
        let worker = Worker::start(Arc::new(shared), limit, ())?;
        let number = {
            let mut sessions = self.sessions();
            if sessions.len() >= MOST_SESSIONS {
                let message = format!("{MOST_SESSIONS} sessions are open");
                return Err(Reply::error("full", message, "close one that is not needed; `page sessions` lists them"));
            }
            if sessions.contains_key(&session) {
                let message = format!("session {session:?} was opened meanwhile");
                return Err(Reply::error("busy", message, "go on in it, or give another name with -s"));
            }
            let number = self.desk.come(&session, &source, is_live, &worker);
            let kept = Kept { worker, source, is_live, used: Instant::now(), number };
            sessions.insert(session.clone(), kept);
            number
        };
        let reply = self.call(&session, "observe", Value::Null).await;
        if matches!(reply, Reply::Error { .. }) {
            // Nothing was opened: the name is free again, unless somebody took it meanwhile.
            let mut sessions = self.sessions();
            if sessions.get(&session).is_some_and(|kept| kept.number == number) {
                sessions.remove(&session);
            }
        }
        Ok(reply)
    }

    /// Goes to another page in a session that is there: whoever opens it may know nothing of what it told others.
    async fn go_on(&self, session: &str, source: String) -> Reply {
        let used = self.sessions().get(session).map_or(0, |kept| kept.used.elapsed().as_secs());
        let reply = self.call(session, "navigate", json!({ "url": &source })).await;
        let Reply::Answer { .. } = reply else { return reply };
        let before = self.sessions().get_mut(session).map(|kept| std::mem::replace(&mut kept.source, source));
        // Who named a session means it.
        let before = before.filter(|_| session == "default");
        let mut reply = self.call(session, "observe", json!({ "full": true })).await;
        if let (Reply::Answer { text, .. }, Some(before)) = (&mut reply, before) {
            let before = escaped_line(&before);
            let note = format!(
                "session {session:?} was open already, with {before} at first, used {used} s ago; -s NAME or \
                    BROWSERLENS_SESSION begins another\n"
            );
            text.insert_str(0, &note);
        }
        reply
    }

    async fn call(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        let found = self.sessions().get(session).map(|kept| (Arc::clone(&kept.worker), kept.number));
        let Some((worker, number)) = found else {
            let message = format!("session {session:?} is not open");
            return Reply::error("no_session", message, "begin with `page open URL`");
        };
        let reply = said(worker.call(tool, arguments).await);
        if let Some(kept) = self.sessions().get_mut(session).filter(|kept| kept.number == number) {
            kept.used = Instant::now();
        }
        reply
    }

    /// Waits while what is asked has to wait because a session is held.
    async fn turn(&self, request: &Request) {
        let Request::Call { session, .. } = request else { return };
        let worker = self.sessions().get(session).map(|kept| Arc::clone(&kept.worker));
        if let Some(worker) = worker {
            worker.may_go().await;
        }
    }

    fn list(&self) -> Reply {
        let mut lines = String::new();
        for (name, kept) in self.sessions().iter() {
            let source = escaped_line(&kept.source);
            let held = if kept.worker.feed().is_held() { ", paused by `watch`" } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{name}  {source}  used {} s ago{held}", kept.used.elapsed().as_secs());
        }
        Reply::text(lines)
    }

    async fn close(&self, session: Option<String>) -> Reply {
        let closed: BTreeMap<String, Kept> = {
            let mut sessions = self.sessions();
            match session {
                Some(name) => match sessions.remove_entry(&name) {
                    Some(one) => BTreeMap::from([one]),
                    None => {
                        let message = format!("session {name:?} is not open");
                        return Reply::error("no_session", message, "`page sessions` lists those that are");
                    }
                },
                None => std::mem::take(&mut *sessions),
            }
        };
        let told: String = closed.keys().map(|name| format!("closed {name}\n")).collect();
        ended(closed.into_values().collect()).await;
        Reply::text(told)
    }

    /// Takes out sessions that nobody used for long; returns them, and whether the process is needed.
    fn sweep(&self, idle: Duration) -> (Vec<Kept>, bool) {
        let (left, is_alone) = {
            let mut sessions = self.sessions();
            let is_unused = |kept: &Kept| !kept.worker.feed().is_busy() && kept.used.elapsed() >= idle;
            let left: Vec<Kept> = sessions.extract_if(.., |_, kept| is_unused(kept)).map(|(_, kept)| kept).collect();
            (left, sessions.is_empty())
        };
        let mut alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        *alone = if is_alone { Some(alone.unwrap_or_else(Instant::now)) } else { None };
        (left, alone.is_none_or(|since| since.elapsed() < ALONE))
    }
}

/// Waits until browsers are gone, but not for ever.
async fn ended(sessions: Vec<Kept>) {
    sessions.iter().for_each(|kept| kept.worker.feed().end());
    let gone: Vec<_> = sessions.iter().map(|kept| kept.worker.ended()).collect();
    drop(sessions);
    for gone in gone {
        drop(tokio::time::timeout(Duration::from_secs(15), gone).await);
    }
}

pub(crate) fn said(answer: Result<Answer, ToolError>) -> Reply {
    match answer {
        Ok(answer) => {
            let images = answer.images.iter().map(|png| STANDARD.encode(png)).collect();
            Reply::Answer { text: answer.text, images, is_undone: answer.is_undone }
        }
        Err(error) => error.into(),
    }
}

/// Answers at a socket until `stop` is cancelled, or nobody has a session for a while. The socket
/// is made, for its user alone, and taken away at the end; what stood there is replaced, so the
/// caller makes sure that nobody answers there.
///
/// # Errors
/// [`ServeError`] if the socket cannot be made.
pub async fn serve_socket(
    socket: &Path,
    idle: Duration,
    open: Box<Open>,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let door = Door::open(socket)?;
    let host = Arc::new(Host { open, sessions: Mutex::default(), desk: Desk::default(), alone: Mutex::default() });
    let every = (idle / 4).clamp(Duration::from_millis(100), Duration::from_secs(2));
    let mut sweep = tokio::time::interval(every);
    let tasks = tokio_util::task::TaskTracker::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = sweep.tick() => {
                let (left, is_needed) = host.sweep(idle);
                if !left.is_empty() {
                    tasks.spawn(ended(left));
                } else if !is_needed && tasks.is_empty() {
                    break;
                }
            }
            stream = door.next() => {
                let host = Arc::clone(&host);
                tasks.spawn(async move {
                    let turn = async |request: &Request| host.turn(request).await;
                    drop(answer_one(stream, turn, async |request| host.answer(request).await).await);
                });
            }
        }
    }
    drop(door);
    tasks.close();
    drop(tokio::time::timeout(Duration::from_secs(5), tasks.wait()).await);
    host.close(None).await;
    Ok(())
}

/// Lets the clients of a server be looked at by a socket, until `stop` is cancelled.
///
/// # Errors
/// [`ServeError`] if the socket cannot be made.
pub async fn serve_desk(socket: &Path, desk: Arc<Desk>, stop: CancellationToken) -> Result<(), ServeError> {
    let door = Door::open(socket)?;
    loop {
        let stream = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            stream = door.next() => stream,
        };
        let desk = Arc::clone(&desk);
        tokio::spawn(async move {
            drop(answer_one(stream, async |_: &Request| {}, async |request| desk.answer(request).await).await);
        });
    }
}

/// A socket for its user alone, which goes when this does.
struct Door {
    listener: UnixListener,
    socket: PathBuf,
    /// Tells its file from what another process put there.
    own: u64,
    user: u32,
}

impl Door {
    fn open(socket: &Path) -> Result<Self, ServeError> {
        let listen = |source| ServeError::Listen { address: socket.display().to_string(), source };
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(listen(error)),
            _ => {}
        }
        let listener = UnixListener::bind(socket).map_err(listen)?;
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(listen)?;
        let user = own_user().map_err(listen)?;
        let own = std::fs::metadata(socket).map_err(listen)?.ino();
        Ok(Self { listener, socket: socket.to_owned(), own, user })
    }

    /// Returns the next who comes, of this user.
    async fn next(&self) -> UnixStream {
        loop {
            match self.listener.accept().await {
                // A socket of mode 600 is enough on most systems; its other end is asked as well.
                Ok((stream, _)) if stream.peer_cred().is_ok_and(|peer| peer.uid() == self.user) => return stream,
                Ok(_) => tracing::warn!("refused another user"),
                // As many files are open as may be: some will be closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // First nobody finds it any more, then it ends. What another process put there stays.
        if std::fs::metadata(&self.socket).is_ok_and(|data| data.ino() == self.own) {
            drop(std::fs::remove_file(&self.socket));
        }
    }
}

/// Answers one request when it is its turn, unless whoever asked has gone by then.
async fn answer_one(
    stream: UnixStream,
    turn: impl AsyncFnOnce(&Request),
    answer: impl AsyncFnOnce(Request) -> Reply,
) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut body = Vec::new();
    let limited = &mut read.take(MOST_BYTES + 1);
    tokio::time::timeout(Duration::from_secs(30), limited.read_to_end(&mut body)).await??;
    let reply = if body.len() as u64 > MOST_BYTES {
        Reply::error("too_large", "the request is too large", "send less")
    } else {
        match serde_json::from_slice(&body) {
            Ok(request) => {
                tokio::select! {
                    () = turn(&request) => {}
                    () = gone(&write) => return Ok(()),
                }
                answer(request).await
            }
            Err(error) => Reply::error("arguments", format!("no request: {error}"), "ask by the command `page`"),
        }
    };
    write.write_all(&serde_json::to_vec(&reply)?).await?;
    write.shutdown().await
}

/// Waits until the other end is closed, not only told that nothing more comes.
async fn gone(write: &OwnedWriteHalf) {
    loop {
        match write.ready(Interest::WRITABLE).await {
            Ok(ready) if !ready.is_write_closed() => tokio::time::sleep(Duration::from_millis(200)).await,
            _ => return,
        }
    }
}

/// Asks the background process that listens at a socket.
///
/// # Errors
/// If nobody listens, it is another user's, or it ends before it answers.
pub async fn ask(socket: &Path, request: &Request) -> io::Result<Reply> {
    let mut stream = UnixStream::connect(socket).await?;
    if stream.peer_cred()?.uid() != own_user()? {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user listens there"));
    }
    stream.write_all(&serde_json::to_vec(request)?).await?;
    stream.shutdown().await?;
    let mut body = Vec::new();
    stream.read_to_end(&mut body).await?;
    if body.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended before it answered"));
    }
    Ok(serde_json::from_slice(&body)?)
}

/// Returns the number of the user: both ends of a pair of sockets are ours.
fn own_user() -> io::Result<u32> {
    let (one, _other) = UnixStream::pair()?;
    Ok(one.peer_cred()?.uid())
}
