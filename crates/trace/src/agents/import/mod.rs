//! Transcripts of other programs to records.
//!
//! In: the text of a file and its format, or none to look for it. Out: one [`RunRecord`] a run.
//! Invariants: nothing in a transcript is executed or opened; what a transcript does not say is
//! left empty, not guessed; every count of a record is made of what the record holds.

mod axi;
mod browser_use;
mod claude_code;
mod codex;
mod lines;
mod otel;

use crate::agents::AgentsError;
use crate::agents::record::{Call, End, EndReason, RunRecord, Usage};
use base64::Engine;
use browserlens_core::named;
use browserlens_core::tokens::ImageSize;
use serde_json::Value;
use std::path::Path;

named! {
    /// A format of transcripts, in the order in which a file is tried.
    pub enum Format {
        /// JSON lines of ours: a line a run, a line a call.
        Lines = "lines",
        /// A session of Claude Code.
        ClaudeCode = "claude-code",
        /// A rollout of Codex.
        Codex = "codex",
        /// Published results of AXI's browser benchmark.
        Axi = "axi",
        /// A saved history of browser-use.
        BrowserUse = "browser-use",
        /// OpenTelemetry spans of GenAI, as OTLP JSON.
        Otel = "otel",
    }
}

/// Tells whether a transcript is of a format.
type Told = fn(&Values) -> bool;
/// Reads a transcript of a format.
type Reader = fn(&Values) -> Runs;

impl Format {
    fn importer(self) -> (Told, Reader) {
        match self {
            Self::Lines => (lines::is_it, lines::read),
            Self::ClaudeCode => (claude_code::is_it, claude_code::read),
            Self::Codex => (codex::is_it, codex::read),
            Self::Axi => (axi::is_it, axi::read),
            Self::BrowserUse => (browser_use::is_it, browser_use::read),
            Self::Otel => (otel::is_it, otel::read),
        }
    }
}

/// What a transcript does not say, and the caller knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The task, in the place of the transcript's; its file name where neither says one.
    pub task: Option<String>,
    /// How hard the task is.
    pub level: Option<u8>,
    /// The tool, in the place of the transcript's.
    pub tool: Option<String>,
    /// What the page or the site said of the result.
    pub reward: Option<f64>,
    /// Only calls of these functions count: one whose name begins with one of these, or a command
    /// line whose first word is one. Empty for all.
    pub only: Vec<String>,
}

/// Most bytes of a transcript.
const MOST_BYTES: u64 = 1 << 29;

/// A transcript as values: each JSON value of the file with the line on which it begins; one at least.
type Values = [(usize, Value)];

/// What an importer returns: the runs, or the line and what is wrong with it; line 0 is the whole
/// file.
type Runs = Result<Vec<RunRecord>, (usize, String)>;

/// Reads the runs of a transcript.
///
/// A transcript that ends within a value, as that of a session which is still going on, gives what
/// was whole; its last run has no end then.
///
/// # Errors
/// [`AgentsError`] if it cannot be read, has no format that is known or not that which is named, or
/// is not what its format says.
pub fn import(path: &Path, format: Option<Format>, given: &Given) -> Result<Vec<RunRecord>, AgentsError> {
    let hint = "check that the file is whole, and that --format fits it";
    let wrong = |what: String| AgentsError::Wrong { path: path.to_owned(), what, hint };
    let size = std::fs::metadata(path).map_err(AgentsError::io(path, "read"))?.len();
    if size > MOST_BYTES {
        return Err(wrong(format!("larger than {} MB", MOST_BYTES >> 20)));
    }
    let text = std::fs::read_to_string(path).map_err(AgentsError::io(path, "read"))?;
    let at = |line, what| AgentsError::Line { path: path.to_owned(), line, what };
    let (values, is_whole) = values(&text).map_err(|(line, what)| at(line, what))?;
    let Some((_, first)) = values.first() else { return Err(wrong("empty".to_owned())) };
    if first["format"] == crate::agents::FORMAT {
        return Err(AgentsError::IsRecord(path.to_owned()));
    }
    let format = format
        .or_else(|| Format::ALL.into_iter().find(|format| (format.importer().0)(&values)))
        .ok_or_else(|| AgentsError::UnknownFormat(path.to_owned()))?;
    let mut runs =
        (format.importer().1)(&values).map_err(|(line, what)| if line == 0 { wrong(what) } else { at(line, what) })?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for run in &mut runs {
        finish(run, format, given, &name);
    }
    if let (false, Some(last)) = (is_whole, runs.last_mut()) {
        last.end = None;
        last.cut = Some(format!("the transcript ends after call {}", last.calls.len()));
    }
    Ok(runs)
}

/// Values, each with its line from 1.
type Numbered = Vec<(usize, Value)>;

/// Returns every JSON value of a text, and whether its last one is whole.
fn values(text: &str) -> Result<(Numbered, bool), (usize, String)> {
    let mut values = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let (mut at, mut line) = (0, 1);
    loop {
        // Blanks before a value belong to no line of its own.
        let begins = text[at..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |blanks| at + blanks);
        line += text[at..begins].matches('\n').count();
        match stream.next() {
            None => return Ok((values, true)),
            Some(Ok(value)) => values.push((line, value)),
            Some(Err(error)) if error.is_eof() && !values.is_empty() => return Ok((values, false)),
            Some(Err(error)) => return Err((line, format!("no JSON: {error}"))),
        }
        at = stream.byte_offset();
        line += text[begins..at].matches('\n').count();
    }
}

/// Puts in what the caller knows, keeps the calls that count, and numbers them.
fn finish(run: &mut RunRecord, format: Format, given: &Given, name: &str) {
    run.header.format = crate::agents::FORMAT.to_owned();
    run.header.version = crate::agents::VERSION;
    run.header.imported = Some(format.name().to_owned());
    if let Some(task) = &given.task {
        run.header.task.clone_from(task);
    } else if run.header.task.is_empty() {
        name.clone_into(&mut run.header.task);
    }
    run.header.level = given.level.or(run.header.level);
    if let Some(tool) = &given.tool {
        run.header.tool.clone_from(tool);
    }
    if !given.only.is_empty() {
        run.calls.retain(|call| given.only.iter().any(|only| is_of(call, only)));
    }
    if run.header.tool.is_empty() {
        run.header.tool = run.calls.first().map_or_else(|| "unknown".to_owned(), tool_of);
    }
    if let (Some(reward), Some(end)) = (given.reward, &mut run.end) {
        end.reward = Some(reward);
    }
    for (at, call) in run.calls.iter_mut().enumerate() {
        call.call = u32::try_from(at + 1).unwrap_or(u32::MAX);
    }
}

/// Returns the words of a command line that a call runs; none of another function.
fn command(call: &Call) -> Option<&str> {
    call.arguments.get("command").or_else(|| call.arguments.get("cmd")).and_then(Value::as_str)
}

fn is_of(call: &Call, only: &str) -> bool {
    call.name.starts_with(only) || command(call).is_some_and(|line| line.split_whitespace().next() == Some(only))
}

/// Returns the tool that a call is of: the server of an MCP function, the program of a command.
fn tool_of(call: &Call) -> String {
    if let Some(server) = call.name.strip_prefix("mcp__").and_then(|rest| rest.split("__").next()) {
        return server.to_owned();
    }
    command(call).and_then(|line| line.split_whitespace().next()).unwrap_or(&call.name).to_owned()
}

/// What a run is put together from: turns of a model, calls and, later, their answers.
#[derive(Default)]
struct Builder {
    run: RunRecord,
    turns: Vec<Turn>,
    /// The id of each call that waits for its answer, and its place.
    open: Vec<(String, usize)>,
}

#[derive(Default)]
struct Turn {
    said: String,
    usage: Option<Usage>,
}

impl Builder {
    /// Begins a turn.
    fn begin_turn(&mut self) {
        self.turns.push(Turn::default());
    }

    /// Returns the present turn; the first one begins by itself.
    fn turn(&mut self) -> &mut Turn {
        if self.turns.is_empty() {
            self.begin_turn();
        }
        self.turns.last_mut().expect("there is one")
    }

    /// Adds words of the model to the present turn.
    fn say(&mut self, words: &str) {
        join(&mut self.turn().said, words);
    }

    /// Adds a call of the present turn.
    fn call(&mut self, id: &str, name: &str, arguments: Value) -> &mut Call {
        self.turn();
        self.open.push((id.to_owned(), self.run.calls.len()));
        let turn = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        self.run.calls.push(Call { turn, name: name.to_owned(), arguments, ..Call::default() });
        self.run.calls.last_mut().expect("one was just added")
    }

    /// Returns the call that has an id and waits for its answer.
    fn waiting(&mut self, id: &str) -> Option<&mut Call> {
        let (_, at) = self.open.iter().rev().find(|(open, _)| open == id)?;
        self.run.calls.get_mut(*at)
    }

    /// Returns the same call, which waits no longer.
    fn answered(&mut self, id: &str) -> Result<&mut Call, String> {
        let at = self.open.iter().rposition(|(open, _)| open == id);
        let call = at.and_then(|at| self.run.calls.get_mut(self.open.remove(at).1));
        call.ok_or_else(|| format!("an answer to call {id:?}, which nobody made"))
    }

    /// Ends the run. The first call of a turn bears its words and counts; those of a turn without
    /// a call go to the next one, and behind the last call to the end.
    fn end(mut self, reason: EndReason) -> RunRecord {
        let mut carried = Turn::default();
        let mut calls = self.run.calls.iter_mut().peekable();
        for (at, turn) in (1..).zip(self.turns) {
            join(&mut carried.said, &turn.said);
            if let Some(usage) = turn.usage {
                *carried.usage.get_or_insert_default() += usage;
            }
            if let Some(first) = calls.next_if(|call| call.turn == at) {
                let turn = std::mem::take(&mut carried);
                (first.said, first.usage) = (Some(turn.said), turn.usage);
                while calls.next_if(|call| call.turn == at).is_some() {}
            }
        }
        let said = Some(carried.said).filter(|said| !said.is_empty());
        self.run.end = Some(End { end: reason, said, usage: carried.usage, ..End::default() });
        self.run
    }
}

/// Adds words to others, on a line of their own.
fn join(said: &mut String, words: &str) {
    if !said.is_empty() && !words.is_empty() {
        said.push('\n');
    }
    said.push_str(words);
}

/// Returns the text at a key; empty where there is none.
fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the list at a key; an empty one where there is none.
fn list_at<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the count at a key; none where there is none.
fn count_at(value: &Value, key: &str) -> Option<u64> {
    value[key].as_u64()
}

/// Returns the text and the images of a message's content: a text, or a list of blocks.
fn content(value: &Value) -> (String, Vec<ImageSize>) {
    let blocks = match value {
        Value::String(text) => return (text.clone(), Vec::new()),
        Value::Array(blocks) => blocks.as_slice(),
        _ => return (String::new(), Vec::new()),
    };
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        if let Some(text) = block["text"].as_str() {
            texts.push(text);
        } else if text_at(block, "type").contains("image") {
            // Claude's, MCP's and OpenAI's spelling of the same.
            let data = block["source"]["data"].as_str().or(block["data"].as_str()).or(block["image_url"].as_str());
            images.push(image_size(data.unwrap_or_default()));
        }
    }
    (texts.join("\n"), images)
}

/// Returns the size of an image in base64 or as a data URL, read from its first bytes; 0 × 0 where
/// it cannot be told.
pub fn image_size(data: &str) -> ImageSize {
    let base64 = data.rsplit_once("base64,").map_or(data, |(_, base64)| base64);
    let head = base64.get(..base64.len().min(1 << 16) & !3).unwrap_or_default();
    let size = || {
        let bytes = base64::engine::general_purpose::STANDARD.decode(head).ok()?;
        let reader = image::ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format().ok()?;
        reader.into_dimensions().ok()
    };
    let (width, height) = size().unwrap_or_default();
    ImageSize { width, height }
}

/// Returns seconds as milliseconds; none of what is no duration.
fn ms_of(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1_000.0).round() as u64)
}

/// Returns the milliseconds between two times in RFC 3339.
fn ms_between(from: &str, to: &str) -> Option<u64> {
    let at = |text| chrono::DateTime::parse_from_rfc3339(text).ok();
    u64::try_from((at(to)? - at(from)?).num_milliseconds()).ok()
}
