//! The harness: the process that holds a real tool and is asked for what it shows.
//!
//! In: requests. Out: answers, one line of JSON each. Invariants: no answer is waited for longer
//! than its limit, and a harness that misses it is ended with everything that it started; nothing
//! that it prints can break the protocol: a line that is no answer to the request under way is
//! passed over, and what it writes is bounded.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Longest line that is read: a page of 100,000 elements makes some 20 MB.
const LONGEST_LINE: u64 = 256 << 20;
/// How much of its standard error is kept to say why it ended.
const LAST_WORDS: usize = 2_000;

/// Why the harness gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HarnessError {
    /// It could not be started.
    #[error("{program} could not be started: {source}")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
    /// It took too long and was ended.
    #[error("{method} was not answered within {} s; the tool was ended", .limit.as_secs())]
    Hung { method: String, limit: Duration },
    /// It ended.
    #[error("it ended during {method}{}", last_words(.said))]
    Ended { method: String, said: String },
    /// It said that it cannot.
    #[error("{method}: {message}")]
    Refused { method: String, message: String },
    /// It answered something that cannot be read.
    #[error("{method} was answered with something that is not in the protocol: {reason}")]
    Garbled { method: String, reason: String },
}

fn last_words(said: &str) -> String {
    let words: Vec<&str> = said.split_whitespace().collect();
    if words.is_empty() { String::new() } else { format!("; its last words: {}", words.join(" ")) }
}

/// One text that a tool says, as the harness gives it.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) micros: u64,
    #[serde(default)]
    pub(crate) refs: Option<Vec<RawRef>>,
}

/// One text of an observation.
#[derive(Debug, Deserialize)]
pub(crate) struct Output {
    pub(crate) variant: String,
    #[serde(flatten)]
    pub(crate) said: Said,
}

/// Handle, raw backend node id, raw frame id.
pub(crate) type RawRef = (String, Option<i64>, String);

#[derive(Debug, Deserialize)]
pub(crate) struct Observed {
    pub(crate) outputs: Vec<Output>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Events {
    pub(crate) console: Said,
    pub(crate) network: Said,
}

/// A harness under way.
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
    /// Collects its standard error; taken once it has ended.
    errors: Option<tokio::task::JoinHandle<String>>,
    next_id: u64,
}

impl Process {
    /// Starts a program with its arguments.
    pub(crate) fn start(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Self, HarnessError> {
        let failed = |source| HarnessError::Start { program: program.display().to_string(), source };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own, so that it can be ended with everything that it started.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let missing = || failed(std::io::Error::other("its standard streams are missing"));
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let errors = tokio::spawn(async move {
            let mut last = String::new();
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                last.push_str(&line);
                last.push('\n');
                if last.len() > 2 * LAST_WORDS {
                    let cut = last.len() - LAST_WORDS;
                    let cut = (cut..last.len()).find(|at| last.is_char_boundary(*at)).unwrap_or(0);
                    last.drain(..cut);
                }
            }
            last
        });
        Ok(Self { child, stdin: Some(stdin), lines: BufReader::new(stdout), errors: Some(errors), next_id: 0 })
    }

    /// Asks for something and reads the answer's result.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<T, HarnessError> {
        let id = self.send(method, params).await?;
        read(self.answered(id, method, limit).await?, method)
    }

    /// Asks for an action; returns when it is answered, or when the tool waits for the page to
    /// settle.
    pub(crate) async fn begin(&mut self, method: &str, params: Value, limit: Duration) -> Result<Begun, HarnessError> {
        let id = self.send(method, params).await?;
        self.hear(id, method, limit).await
    }

    /// Tells a tool that waits that the page has settled, and reads the answer to what was begun.
    pub(crate) async fn settled<T: DeserializeOwned>(
        &mut self,
        begun: Begun,
        method: &str,
        limit: Duration,
    ) -> Result<T, HarnessError> {
        let value = match begun {
            Begun::Answered(value) => value,
            Begun::Acted(id) => {
                self.write(method, &json!({ "method": "settled" })).await?;
                self.answered(id, method, limit).await?
            }
        };
        read(value, method)
    }

    async fn answered(&mut self, id: u64, method: &str, limit: Duration) -> Result<Value, HarnessError> {
        loop {
            // Its word that it waits for the page is for those who listen for it.
            if let Begun::Answered(value) = self.hear(id, method, limit).await? {
                return Ok(value);
            }
        }
    }

    async fn send(&mut self, method: &str, params: Value) -> Result<u64, HarnessError> {
        self.next_id += 1;
        let id = self.next_id;
        self.write(method, &json!({ "id": id, "method": method, "params": params })).await?;
        Ok(id)
    }

    async fn write(&mut self, method: &str, message: &Value) -> Result<(), HarnessError> {
        let line = format!("{message}\n");
        let written = match &mut self.stdin {
            Some(stdin) => stdin.write_all(line.as_bytes()).await.is_ok() && stdin.flush().await.is_ok(),
            None => false,
        };
        if written { Ok(()) } else { Err(self.ended(method).await) }
    }

    async fn hear(&mut self, id: u64, method: &str, limit: Duration) -> Result<Begun, HarnessError> {
        match tokio::time::timeout(limit, self.listen(id, method)).await {
            Ok(heard) => heard,
            Err(_) => {
                self.end();
                Err(HarnessError::Hung { method: method.to_owned(), limit })
            }
        }
    }

    async fn listen(&mut self, id: u64, method: &str) -> Result<Begun, HarnessError> {
        loop {
            let mut bytes = Vec::new();
            let read = (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut bytes).await;
            if !matches!(read, Ok(1..)) {
                return Err(self.ended(method).await);
            }
            if bytes.last() != Some(&b'\n') {
                let reason = format!("a line of more than {LONGEST_LINE} bytes, or without an end");
                return Err(HarnessError::Garbled { method: method.to_owned(), reason });
            }
            // What a library prints to standard output is no answer.
            let Ok(answer) = serde_json::from_slice::<Answer>(&bytes) else { continue };
            if answer.event.as_deref() == Some("acted") {
                return Ok(Begun::Acted(id));
            }
            if answer.id != Some(id) {
                continue;
            }
            if answer.ok {
                return Ok(Begun::Answered(answer.result));
            }
            let message = one_line(answer.error.as_deref().unwrap_or("it gives no reason"));
            return Err(HarnessError::Refused { method: method.to_owned(), message });
        }
    }

    async fn ended(&mut self, method: &str) -> HarnessError {
        let status = tokio::time::timeout(Duration::from_secs(2), self.child.wait()).await;
        self.end();
        let mut said = String::new();
        if let Some(errors) = self.errors.take()
            && let Ok(Ok(words)) = tokio::time::timeout(Duration::from_secs(2), errors).await
        {
            said = words;
        }
        if let Ok(Ok(status)) = status
            && let Some(signal) = status.signal()
        {
            said.push_str(&format!(" (signal {signal})"));
        }
        let said: String = one_line(&said).chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
        HarnessError::Ended { method: method.to_owned(), said }
    }

    /// Lets it close, and sees to it that nothing of it is left.
    pub(crate) async fn close(mut self) {
        drop(self.ask::<Value>("close", json!({}), Duration::from_secs(5)).await);
        drop(self.stdin.take());
        drop(tokio::time::timeout(Duration::from_secs(3), self.child.wait()).await);
        self.end();
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.child.try_wait().is_ok_and(|status| status.is_none()) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends it and everything in its group.
    fn end(&mut self) {
        drop(self.stdin.take());
        if let Some(group) = self.child.id() {
            // `kill` with a negative id reaches the whole group.
            drop(std::process::Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).output());
        }
        drop(self.child.start_kill());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

#[derive(Deserialize)]
struct Answer {
    id: Option<u64>,
    #[serde(default)]
    ok: bool,
    #[serde(default)]
    result: Value,
    error: Option<String>,
    event: Option<String>,
}

/// What became of an action that was begun.
pub(crate) enum Begun {
    /// The tool is done.
    Answered(Value),
    /// The tool has acted and waits for the page; the number is that of the request.
    Acted(u64),
}

fn read<T: DeserializeOwned>(value: Value, method: &str) -> Result<T, HarnessError> {
    serde_json::from_value(value)
        .map_err(|error| HarnessError::Garbled { method: method.to_owned(), reason: error.to_string() })
}

fn one_line(text: &str) -> String {
    browserlens_core::page::text::one_line(text).chars().take(600).collect()
}
