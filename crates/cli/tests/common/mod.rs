//! The program as the tests start it: with a home of its own, so that nothing of whoever runs the
//! tests is read or written. And a small server for pages and models that a test makes.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// Folders that count before those below the home.
const OTHER_FOLDERS: [&str; 5] =
    ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

thread_local! {
    /// One a test, for each has a thread; it goes with the thread.
    static HOME: TempDir = tempfile::tempdir().expect("a home");
}

/// Returns the folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Returns the whole path of a file of the workspace.
pub fn at_root(name: &str) -> String {
    root().join(name).display().to_string()
}

/// Returns the program, in the environment of the tests.
pub fn browserlens() -> Command {
    at_home(Command::new(env!("CARGO_BIN_EXE_browserlens")))
}

/// Returns the program, with nothing of the environment but what finds and starts other programs.
pub fn browserlens_alone() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_browserlens"));
    command.env_clear().env("NO_COLOR", "1");
    for kept in ["PATH", "TMPDIR", "CHROME"] {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    at_home(command)
}

/// Gives a command the home of this test.
pub fn at_home(mut command: Command) -> Command {
    for name in OTHER_FOLDERS {
        command.env_remove(name);
    }
    HOME.with(|home| _ = command.env("HOME", home.path()));
    command
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Ran {
    pub fn of(command: &mut Command) -> Self {
        command.output().expect("the command starts").into()
    }

    /// Returns what it printed; it must have succeeded.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "{}", self.said());
        self.out
    }

    /// Returns the JSON that it printed; it must have succeeded.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.good()).expect("is JSON")
    }

    /// Returns what it said on both outputs.
    pub fn said(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Checks how it ended, and that each of some parts stands on standard error.
    #[track_caller]
    pub fn ends(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}", self.said());
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is missing: {}", self.err);
        }
    }

    /// Returns exit code and standard error as a snapshot holds them.
    pub fn ended(&self) -> String {
        format!("exit {}\n{}", self.code, self.err.trim_end())
    }
}

/// Parts a command line at blanks; what stands between two `'` is one word.
pub fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let own = |(at, part): (usize, &str)| -> Vec<String> {
        if at % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
    };
    parts.flat_map(own).collect()
}

/// Runs a command line in a folder.
pub fn run_in(folder: &Path, line: &str) -> Ran {
    Ran::of(browserlens().args(words(line)).current_dir(folder).env("NO_COLOR", "1"))
}

/// Runs a command line in the folder of the workspace.
pub fn run(line: &str) -> Ran {
    run_in(&root(), line)
}

/// Runs a command line in a folder, with an environment of its own.
pub fn run_alone(folder: &Path, line: &str) -> Ran {
    Ran::of(browserlens_alone().args(words(line)).current_dir(folder))
}

/// An MCP client over standard input and output of a server; the server is ended with it.
pub struct Mcp {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Mcp {
    /// Starts a server by a command, and begins as clients do.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
        let mut client = Self { child, input, lines };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } });
        client.ask("initialize", &hello);
        client
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.input.as_ref().expect("it is not ended"), "{message}").expect("it reads");
        self.lines.next().expect("an answer").expect("a line")
    }

    /// Calls a tool, which must succeed.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer.contains("\"result\"") && !answer.contains("\"isError\":true"), "{answer}");
        answer
    }

    /// Ends its input, and returns how the server ended.
    pub fn end(&mut self) -> ExitStatus {
        drop(self.input.take());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request to a server of a test.
pub struct Asked {
    pub path: String,
    pub body: String,
}

/// Serves on loopback until the process ends, each request in a thread; `answer` gives the status with
/// further headers, and the body. Returns the server's URL, without a slash at its end.
pub fn serve(answer: impl Fn(&Asked) -> (String, Vec<u8>) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("is bound"));
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A client that has gone is not missed.
            std::thread::spawn(move || drop(answered(stream, &*answer)));
        }
    });
    url
}

/// The same of one page of HTML; whatever else is asked for is not there.
pub fn serve_page(html: &'static str) -> String {
    serve(move |asked| match asked.path.as_str() {
        "/" => ("200 OK\r\nContent-Type: text/html".to_owned(), html.into()),
        _ => ("404 Not Found\r\nContent-Type: text/html".to_owned(), html.into()),
    })
}

fn answered(mut stream: TcpStream, answer: &dyn Fn(&Asked) -> (String, Vec<u8>)) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut path, mut length) = (String::new(), String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or("/").to_owned();
        }
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (head, reply) = answer(&Asked { path, body: String::from_utf8_lossy(&body).into_owned() });
    write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", reply.len())?;
    stream.write_all(&reply)
}
