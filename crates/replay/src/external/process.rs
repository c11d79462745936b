//! The child: its process group, its three streams, and how long it may take.
//!
//! In: lines to write. Out: lines it wrote, or what became of it instead. Three threads serve the
//! streams, because each of them may block for ever: what is written waits for a child that does
//! not read, what is read for one that does not write. Invariants: a line that is longer than the
//! limit is never held; of standard error only the end is kept; nobody waits longer than the limit
//! that was given; the group is ended with the child, and a stream that somebody outside of it
//! holds open keeps a thread waiting, never the caller.

use browserlens_core::page::text::one_line;
use browserlens_core::sync::locked;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of standard error that are kept.
const LAST_WORDS: usize = 2_000;
/// Characters of it that a message shows.
const SHOWN_WORDS: usize = 300;
/// How long a child that closed its streams has to end, so that its status can be told.
const GRACE: Duration = Duration::from_secs(1);

/// What became of a question.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("{program:?} cannot be started: {reason}")]
    Start { program: String, reason: String },
    #[error("it took longer than {} ms and was ended{said}", .limit.as_millis())]
    TooSlow { limit: Duration, said: String },
    #[error("it wrote more than {limit} bytes without the end of a line and was ended{said}")]
    TooLong { limit: usize, said: String },
    #[error("it ended ({status}){said}")]
    Ended { status: String, said: String },
    #[error("it closed its standard {stream} and was ended{said}")]
    Closed { stream: &'static str, said: String },
}

/// What the threads say.
enum PipeEvent {
    Line(Vec<u8>),
    TooLong,
    /// Standard output is at its end.
    Silent,
    /// Standard input takes nothing any more.
    Deaf,
}

/// The end of standard error, and whether more may come.
#[derive(Debug, Default)]
struct LastWords {
    bytes: Mutex<(Vec<u8>, bool)>,
    is_whole: Condvar,
}

/// A child under way.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Lines to write; dropped when there are no more.
    lines: Option<SyncSender<Vec<u8>>>,
    said: Receiver<PipeEvent>,
    last_words: Arc<LastWords>,
    is_over: Arc<AtomicBool>,
    longest: usize,
}

impl Process {
    /// Starts a command in a folder, as the leader of a process group of its own.
    pub fn start(command: &[String], folder: &Path, longest: usize) -> Result<Self, Trouble> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(Trouble::Start { program: String::new(), reason: "no command was given".to_owned() });
        };
        let failed = |reason: std::io::Error| Trouble::Start { program: program.clone(), reason: reason.to_string() };
        // A relative program is looked for in the folder, whatever the caller's is.
        let resolved = if program.contains('/') {
            std::path::absolute(folder.join(program)).map_err(failed)?.into_os_string()
        } else {
            program.into()
        };
        let mut child = Command::new(resolved)
            .args(arguments)
            .current_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (lines, to_write) = sync_channel(1);
        let (tell, said) = sync_channel(1);
        let is_over = Arc::new(AtomicBool::new(false));
        let last_words = Arc::new(LastWords::default());
        let process = Self { child, lines: Some(lines), said, last_words, is_over, longest };
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(failed(std::io::Error::other("its standard streams are missing")));
        };
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(format!("external-{name}")).spawn(work).map(drop).map_err(failed)
        };
        let told = tell.clone();
        spawn("in", Box::new(move || write_lines(stdin, &to_write, &told)))?;
        spawn("out", Box::new(move || read_lines(stdout, longest, &tell)))?;
        let (words, over) = (Arc::clone(&process.last_words), Arc::clone(&process.is_over));
        spawn("err", Box::new(move || keep_last_words(stderr, &words, &over)))?;
        Ok(process)
    }

    /// Writes a line and returns the next one that the child writes.
    ///
    /// After any error the child is ended.
    pub fn ask(&mut self, line: Vec<u8>, limit: Duration) -> Result<Vec<u8>, Trouble> {
        let deadline = Instant::now() + limit;
        if let Some(lines) = &self.lines {
            // The writer holds at most one line, and only while the child does not read: then the
            // answer does not come either.
            drop(lines.try_send(line));
        }
        match self.said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(PipeEvent::Line(line)) => Ok(line),
            Ok(PipeEvent::TooLong) => {
                self.end();
                Err(Trouble::TooLong { limit: self.longest, said: self.words() })
            }
            Ok(PipeEvent::Silent) | Err(RecvTimeoutError::Disconnected) => Err(self.gone("output")),
            Ok(PipeEvent::Deaf) => Err(self.gone("input")),
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                Err(Trouble::TooSlow { limit, said: self.words() })
            }
        }
    }

    /// Says why nothing comes: the child ended, or it closed a stream.
    fn gone(&mut self, stream: &'static str) -> Trouble {
        let status = self.wait(GRACE);
        self.end();
        match status {
            Some(status) => Trouble::Ended { status: in_words(status), said: self.words() },
            None => Trouble::Closed { stream, said: self.words() },
        }
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Closes its standard input, so that it can end by itself, and ends it where it does not
    /// within the limit.
    pub fn close(mut self, limit: Duration) {
        self.lines = None;
        self.wait(limit);
        // Dropping ends what is left.
    }

    /// Ends the child and everything in its group.
    fn end(&mut self) {
        if self.is_over.swap(true, Ordering::Relaxed) {
            return;
        }
        self.lines = None;
        // `kill` with a negative id reaches the whole group, also where its leader has ended.
        let killed = Command::new("kill")
            .args(["-KILL", "--", &format!("-{}", self.child.id())])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        drop(killed);
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// Returns the end of standard error, as the end of a sentence.
    fn words(&self) -> String {
        // What was written just before the end may still be on its way; a stream that somebody else
        // holds open has none.
        let words = locked(&self.last_words.bytes);
        let waited = self.last_words.is_whole.wait_timeout_while(words, GRACE, |(_, is_whole)| !*is_whole);
        let (words, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let line = one_line(&String::from_utf8_lossy(&words.0));
        if line.is_empty() {
            return String::new();
        }
        let letters: Vec<char> = line.chars().collect();
        let from = letters.len().saturating_sub(SHOWN_WORDS);
        let cut = if from > 0 { "…" } else { "" };
        format!("; its standard error ends: {cut}{}", letters[from..].iter().collect::<String>())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no status".to_owned(),
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>, tell: &SyncSender<PipeEvent>) {
    while let Ok(line) = lines.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            drop(tell.send(PipeEvent::Deaf));
            return;
        }
    }
}

fn read_lines(mut stdout: ChildStdout, longest: usize, tell: &SyncSender<PipeEvent>) {
    let mut chunk = vec![0_u8; 64 * 1024];
    let mut line: Vec<u8> = Vec::new();
    loop {
        let read = match stdout.read(&mut chunk) {
            Ok(read) if read > 0 => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Ok(_) | Err(_) => {
                drop(tell.send(PipeEvent::Silent));
                return;
            }
        };
        let mut rest = &chunk[..read];
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let is_long = line.len() > longest;
            let said = if is_long { PipeEvent::TooLong } else { PipeEvent::Line(std::mem::take(&mut line)) };
            if tell.send(said).is_err() || is_long {
                return;
            }
        }
        line.extend_from_slice(rest);
        if line.len() > longest {
            drop(tell.send(PipeEvent::TooLong));
            return;
        }
    }
}

fn keep_last_words(mut stderr: ChildStderr, words: &LastWords, is_over: &AtomicBool) {
    let mut chunk = [0_u8; 8 * 1024];
    while let Ok(read @ 1..) = stderr.read(&mut chunk) {
        let mut words = locked(&words.bytes);
        words.0.extend_from_slice(&chunk[..read]);
        let over = words.0.len().saturating_sub(LAST_WORDS);
        words.0.drain(..over);
        if is_over.load(Ordering::Relaxed) && over > 0 {
            break;
        }
    }
    locked(&words.bytes).1 = true;
    words.is_whole.notify_all();
}
