//! The background process of a user: where its socket lies, how it is started and asked.

use crate::exit::{Exit, Failure};
use browserlens_serve::{Reply, Request, ask};
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// For how long a process that was started may take until it answers.
const STARTS: Duration = Duration::from_secs(10);

/// How long it may take to say which sessions there are.
const ANSWERS: Duration = Duration::from_secs(5);

/// Returns the folder of the user's sockets, which nobody else can look into.
pub(in crate::verbs) fn folder_of_user() -> Result<PathBuf, Failure> {
    Endpoint::of_user().map(|place| place.folder)
}

/// Where the background process of a user listens.
pub(super) struct Endpoint {
    pub folder: PathBuf,
    pub socket: PathBuf,
}

impl Endpoint {
    /// Returns the place of the user: a folder that nobody else can look into.
    pub fn of_user() -> Result<Self, Failure> {
        let user = std::fs::metadata("/proc/self").map(|data| data.uid());
        let user = user.or_else(|_| {
            std::env::home_dir()
                .ok_or(io::ErrorKind::NotFound)
                .and_then(|home| std::fs::metadata(home).map(|data| data.uid()).map_err(|error| error.kind()))
        });
        let user =
            user.map_err(|error| Failure::input(format!("it cannot be told which user this is: {error}"), "set HOME"))?;
        let folder = match std::env::var_os("XDG_RUNTIME_DIR") {
            Some(folder) if Path::new(&folder).is_absolute() => PathBuf::from(folder).join("browserlens"),
            _ => std::env::temp_dir().join(format!("browserlens-{user}")),
        };
        let cannot = |error: io::Error| {
            let message = format!("{}: {error}", folder.display());
            Failure::input(message, "set XDG_RUNTIME_DIR to a folder of your own")
        };
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(cannot(error)),
            _ => {}
        }
        let data = std::fs::symlink_metadata(&folder).map_err(cannot)?;
        if !data.is_dir() || data.uid() != user || data.mode() & 0o077 != 0 {
            let message = format!("{} is not a folder of yours alone", folder.display());
            return Err(Failure::input(message, "remove it, or set XDG_RUNTIME_DIR to a folder of your own"));
        }
        // Programs of two versions do not speak to each other.
        let socket = folder.join(format!("{}.socket", version()));
        Ok(Self { folder, socket })
    }

    /// Starts the process unless somebody else does, and waits until it answers.
    pub fn start(&self) -> Result<(), Failure> {
        let cannot = |what: &str, error: &dyn std::fmt::Display| {
            let message = format!("the background process was not started: {what}: {error}");
            Failure::browser(message, format!("see {}", self.folder.join("log").display()))
        };
        let private =
            |name: &str| OpenOptions::new().create(true).append(true).mode(0o600).open(self.folder.join(name));
        let lock = private("lock").map_err(|error| cannot("its lock", &error))?;
        lock.lock().map_err(|error| cannot("its lock", &error))?;
        // Whoever had the lock before may have started it.
        if asked(&self.socket, &Request::Sessions).is_ok() {
            return Ok(());
        }
        drop(std::fs::remove_file(self.folder.join("log")));
        let log = private("log").map_err(|error| cannot("its log", &error))?;
        let mut keep = Command::new(crate::program());
        keep.args(["page", "keep"]).arg(&self.socket);
        if let Some(seconds) = std::env::var_os("BROWSERLENS_IDLE") {
            keep.arg("--idle").arg(seconds);
        }
        // Its own group: what ends this command by the terminal does not end it.
        keep.process_group(0).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let mut child = keep.spawn().map_err(|error| cannot("this program", &error))?;
        let began = Instant::now();
        loop {
            match asked(&self.socket, &Request::Sessions) {
                Ok(_) => return Ok(()),
                Err(error) if began.elapsed() > STARTS => return Err(cannot("it does not answer", &error)),
                Err(_) => {}
            }
            if let Ok(Some(status)) = child.try_wait() {
                return Err(cannot("it ended", &status));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Returns what tells this program from another build of it.
fn version() -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    if let Ok(data) = std::fs::metadata(crate::program_file()) {
        for number in [data.ino(), data.len(), data.mtime() as u64, data.mtime_nsec() as u64] {
            hash.update(&number.to_le_bytes());
        }
    }
    hash.finalize().to_hex()[..16].to_owned()
}

pub(super) fn asked(socket: &Path, request: &Request) -> io::Result<Reply> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match request {
            // Nothing is waited for: a process that does not answer this answers nothing.
            Request::Sessions => tokio::time::timeout(ANSWERS, ask(socket, request)).await?,
            _ => ask(socket, request).await,
        }
    })
}

/// Returns whether a process ended while it was asked.
pub(super) fn ended(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

/// Returns whether nobody listens at a socket.
pub(super) fn nobody(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

pub(super) fn lost(error: &io::Error) -> Failure {
    if nobody(error) {
        return Failure::words(
            Exit::NotDone,
            "no session is open",
            "begin with `browserlens page open URL`, or ask once: `browserlens page SOURCE …`",
        );
    }
    let message = format!("the background process did not answer: {error}");
    Failure::browser(message, "begin again with `browserlens page open URL`")
}
