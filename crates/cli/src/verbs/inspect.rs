//! `inspect`: what happened beside a page, and what is in it; of a trace, or of a live page.

mod tables;

use super::is_url;
use crate::args::{InspectSource, InspectWhat, LimitArgs, option_of};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::NodeKey;
use browserlens_core::page::text::escaped;
use browserlens_core::strategy::{PageSource, StepIndex};
use browserlens_inspect::{
    Answer, CursorKey, DomQuery, HtmlQuery, InspectError, Inspector, LimitError, Limits, Presets, TextQuery,
    UnixMillis, compact, har, read_query, stream, tools,
};
use browserlens_snapshot::node_of;
use browserlens_trace::{Mask, Trace};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{BufWriter, Write, stdout};
use tables::{console_table, network_table, summary_table, tree};

/// Where the key of cursors stands; they work from one call to the next in any case.
const KEY: &str = "BROWSERLENS_CURSOR_KEY";
/// Most steps of a trace whose pages are read for what their secret fields held.
const MOST_STEPS: u32 = 50;

/// Prints the tools with the schemas of their arguments and answers.
pub(super) fn tool_schemas() -> Ended {
    let listed: Vec<_> = tools()
        .into_iter()
        .map(|tool| {
            json!({
                "name": tool.name, "description": tool.why, "inputSchema": tool.arguments,
                "outputSchema": (tool.answer)(),
            })
        })
        .collect();
    output::pretty(&listed)
}

pub(crate) fn run(asked: &InspectWhat) -> Ended {
    let InspectWhat { source, tool, arguments, stream } = asked;
    let is_of_the_page = matches!(tool, Some("get_dom_snapshot" | "get_html" | "get_text"));
    let mut asked = Asked::open(source, is_of_the_page)?;
    let node = asked.node(arguments)?;
    let ended = match tool {
        None => asked.har(),
        Some("get_console_messages") if *stream => asked.stream(arguments, "messages", stream::console),
        Some("get_network_requests") if *stream => asked.stream(arguments, "requests", stream::network),
        Some("get_console_messages") => asked.told(arguments, Inspector::console, console_table),
        Some("get_network_requests") => asked.told(arguments, Inspector::network, network_table),
        Some("get_dom_snapshot") => {
            let dom = |inspector: &Inspector, pages: &mut dyn PageSource, query: &DomQuery, now| {
                inspector.dom(pages, &DomQuery { node, ..query.clone() }, now)
            };
            asked.told(arguments, dom, |answer| {
                let mut out = String::new();
                answer.data.iter().for_each(|node| tree(node, 0, &mut out));
                out
            })
        }
        Some("get_text") => {
            let part = |inspector: &Inspector, pages: &mut dyn PageSource, query: &TextQuery, now| {
                inspector.text(pages, &TextQuery { node, ..query.clone() }, now)
            };
            asked.told(arguments, part, |answer| format!("{}\n", answer.data))
        }
        Some("get_html") => {
            let html = |inspector: &Inspector, pages: &mut dyn PageSource, query: &HtmlQuery, now| {
                inspector.html(pages, &HtmlQuery { node, ..query.clone() }, now)
            };
            let answer = asked.answer(arguments, html)?;
            // It says how many unseen characters it holds.
            asked.print(answer, |answer| format!("{}\n", answer.data))
        }
        Some(_) => {
            let summary =
                |inspector: &Inspector, pages: &mut dyn PageSource, query: &_, _| inspector.summary(pages, query);
            asked.told(arguments, summary, |answer| summary_table(&answer.data))
        }
    }?;
    super::say_step(&source.source, source.step, !is_of_the_page);
    Ok(ended)
}

/// Messages name tools and their arguments; here these are words of the command.
pub(super) fn in_words_of_the_command(message: String) -> String {
    let words = [
        ("nextCursor gives more", "the next gives more"),
        ("get_console_messages tells", "`console` tells"),
        ("get_network_requests with failedOnly tells", "`network --failed-only` tells"),
        ("its preset slow", "`network --preset slow`"),
    ];
    words.iter().fold(message, |said, (tool, word)| said.replace(tool, word))
}

fn failure(source: &InspectSource, error: &InspectError) -> Failure {
    let exit = match error {
        InspectError::BadField { .. } | InspectError::NoMatch { .. } | InspectError::UnknownTool { .. } => Exit::Usage,
        InspectError::Source(_) | InspectError::Write(_) | InspectError::Json(_) => Exit::Input,
    };
    let hint = match error {
        InspectError::BadField { field, .. } if field == "cursor" => "ask again without --cursor",
        InspectError::BadField { .. } => "correct the option, or leave it out to take its default",
        InspectError::NoMatch { .. } => {
            "take a selector of what is on the page: `page SOURCE dom` without one shows it"
        }
        error => error.hint(),
    };
    let mut failure = Failure::new(exit, error, hint);
    if let Some(field) = error.field()
        && let Some(rest) = failure.message.strip_prefix(field)
    {
        failure.message = format!("--{}{rest}", option_of(field));
    }
    failure.message = format!("{}: {}", source.source, failure.message);
    failure
}

/// Returns the limits of answers: the defaults, then those of a file, of the environment, of
/// options.
pub(crate) fn limits(args: &LimitArgs) -> Result<Limits, Failure> {
    let mut limits = Limits::default();
    let configured = || Some(super::configuration_folder()?.join("limits.toml")).filter(|path| path.is_file());
    if let Some(path) = args.limits.clone().or_else(configured) {
        let bad = |reason: String| {
            let hint = "write lines such as `max_html_size = 20000`";
            Failure::usage(format!("{}: {reason}", path.display()), hint)
        };
        let text = std::fs::read_to_string(&path).map_err(|error| bad(error.to_string()))?;
        limits.add_toml(&text).map_err(|error| bad(error.to_string()))?;
    }
    let bad = |error: LimitError| Failure::new(Exit::Usage, &error, "give a number within the bounds");
    limits.add_env(|name| std::env::var(name).ok()).map_err(bad)?;
    for (name, value) in args.given() {
        limits.set(name, value, &format!("--{}", option_of(name))).map_err(bad)?;
    }
    Ok(limits)
}

/// Masks what passes to another writer, line by line.
struct Masked<W> {
    out: W,
    line: Vec<u8>,
    mask: Mask,
}

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.line.extend_from_slice(bytes);
            return Ok(bytes.len());
        };
        self.line.extend_from_slice(&bytes[..=end]);
        let text = String::from_utf8_lossy(&self.line);
        self.out.write_all(self.mask.text(&text).as_bytes())?;
        self.line.clear();
        self.line.extend_from_slice(&bytes[end + 1..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let text = String::from_utf8_lossy(&self.line);
        self.out.write_all(self.mask.text(&text).as_bytes())?;
        self.line.clear();
        self.out.flush()
    }
}

/// What is asked, and whom.
struct Asked<'a> {
    source: &'a InspectSource,
    pages: Box<dyn PageSource>,
    inspector: Inspector,
    /// When page time was 0.
    began: UnixMillis,
    now: UnixMillis,
}

impl<'a> Asked<'a> {
    fn open(source: &'a InspectSource, is_of_the_page: bool) -> Result<Self, Failure> {
        let mut presets = Presets::default();
        if let Some(path) = &source.presets {
            let bad = |reason: String| {
                Failure::usage(format!("{}: {reason}", path.display()), "see the presets in the guide of `inspect`")
            };
            let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
            presets.add_toml(&text).map_err(|error| bad(error.to_string()))?;
        }
        let secret = std::env::var(KEY).unwrap_or_else(|_| "browserlens".to_owned());
        let limits = limits(&source.limits)?;
        let inspector = Inspector::new(limits, CursorKey::new(secret.as_bytes())).with_presets(presets);
        let now = u64::try_from(Utc::now().timestamp_millis()).unwrap_or(0);
        let (pages, began) =
            if is_url(&source.source) { live(source, now)? } else { recorded(source, is_of_the_page)? };
        Ok(Self { source, pages, inspector, began: UnixMillis(began), now: UnixMillis(now) })
    }

    /// Returns the node of a selector that is a ref, as `observe` and `find` give them at this step.
    fn node(&mut self, arguments: &Value) -> Result<Option<NodeKey>, Failure> {
        let given = arguments["selector"].as_str().map(str::trim);
        let Some(reference) = given.filter(|given| given.starts_with('@')) else { return Ok(None) };
        let source = self.source.source.as_str();
        let (lens, page) = if self.is_live() {
            let page = self.pages.look().map_err(|error| failure(self.source, &error.into()))?;
            (super::snapshot::looked(source, &page)?, page)
        } else {
            super::snapshot::recorded(source, Some(self.pages.step().0), true)?
        };
        let node = node_of(Some(&lens), &page, reference);
        node.map(|node| Some(node.key())).map_err(|error| super::snapshot::failure(source, &error))
    }

    fn answer<Q: DeserializeOwned, A>(
        &mut self,
        arguments: &Value,
        ask: impl FnOnce(&Inspector, &mut dyn PageSource, &Q, UnixMillis) -> Result<A, InspectError>,
    ) -> Result<A, Failure> {
        let answer =
            read_query(arguments.clone()).and_then(|query| ask(&self.inspector, self.pages.as_mut(), &query, self.now));
        answer.map_err(|error| failure(self.source, &error))
    }

    /// Asks, and prints the answer as text, where nothing stands that nobody sees.
    fn told<Q: DeserializeOwned, D: Serialize, F: Serialize>(
        &mut self,
        arguments: &Value,
        ask: impl FnOnce(&Inspector, &mut dyn PageSource, &Q, UnixMillis) -> Result<Answer<D, F>, InspectError>,
        text: impl FnOnce(&Answer<D, F>) -> String,
    ) -> Ended {
        let answer = self.answer(arguments, ask)?;
        self.print(answer, |answer| escaped(&text(answer)).into_owned())
    }

    /// Writes every row that passes.
    fn stream<Q: DeserializeOwned>(
        &mut self,
        arguments: &Value,
        what: &str,
        write: impl FnOnce(&mut dyn PageSource, &Q, &Limits, &mut dyn Write) -> Result<u64, InspectError>,
    ) -> Ended {
        let mut out = self.lines();
        let query = read_query(arguments.clone());
        let written = query.and_then(|query| write(self.pages.as_mut(), &query, self.inspector.limits(), &mut out));
        self.streamed(written, what)
    }

    fn is_live(&self) -> bool {
        is_url(&self.source.source)
    }

    /// Returns the mask of what is secret: for a trace what the fields of its pages held until
    /// then, which reads them.
    fn mask(&mut self) -> Mask {
        let mut mask = Mask::default();
        if self.is_live() {
            if let Ok(page) = self.pages.look() {
                mask.learn_page(&page);
            }
            return mask;
        }
        let last = self.pages.step().0;
        let pages = Trace::open(&self.source.source).and_then(Trace::into_pages);
        let Ok(mut pages) = pages else { return mask };
        for step in last.saturating_sub(MOST_STEPS - 1)..=last {
            if pages.set_step(StepIndex(step)).is_ok()
                && let Ok(page) = pages.look()
            {
                mask.learn_page(&page);
            }
        }
        mask
    }

    /// Returns a text as it may be shown: values of parameters are masked, and what is known to be
    /// secret.
    fn shown(&mut self, text: String) -> String {
        // Without a parameter or a body nothing that a field held stands in it.
        if !text.contains(['=', '{']) && !self.is_live() {
            return text;
        }
        self.mask().text(&text).into_owned()
    }

    fn print<D: Serialize, F: Serialize>(
        &mut self,
        mut answer: Answer<D, F>,
        table: impl FnOnce(&Answer<D, F>) -> String,
    ) -> Ended {
        if self.is_live() && answer.next_cursor.take().is_some() {
            // The browser ends with this command, and the cursor with the browser.
            answer.message = answer.message.replace("nextCursor gives more", "there is more");
            answer.message.push_str("; pages of a live page are given in a session: `browserlens page open URL`");
        }
        if self.source.json || self.source.compact {
            let value = serde_json::to_value(&answer)?;
            let text = if self.source.compact {
                compact(value).to_string()
            } else {
                // Field by field in the order of the answer, which a value does not keep.
                serde_json::to_string_pretty(&answer)?
            };
            // Only bodies and HTML hold unseen characters, and say so.
            let text = self.shown(text);
            output::as_it_is(&format!("{text}\n"))?;
        } else {
            let text = self.shown(table(&answer));
            output::as_it_is(&text)?;
            output::status(&in_words_of_the_command(answer.message));
            if let Some(cursor) = &answer.next_cursor {
                output::status(&format!("next: --cursor {cursor}"));
            }
        }
        Ok(Exit::Success)
    }

    /// Returns where lines go whose number is not known.
    fn lines(&mut self) -> Masked<BufWriter<std::io::Stdout>> {
        Masked { out: BufWriter::new(stdout()), line: Vec::new(), mask: self.mask() }
    }

    fn har(&mut self) -> Ended {
        let limits = self.inspector.limits().clone();
        let mut out = self.lines();
        let written = har::write(self.pages.as_mut(), self.began, &limits, &mut out);
        self.streamed(written, "requests")
    }

    /// A reader that closed the pipe has had enough and is no failure.
    fn streamed(&self, written: Result<u64, InspectError>, what: &str) -> Ended {
        match written {
            Ok(count) => output::status(&format!("{count} {what}")),
            Err(InspectError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            Err(InspectError::Json(error)) if error.io_error_kind() == Some(std::io::ErrorKind::BrokenPipe) => {}
            Err(error) => return Err(failure(self.source, &error)),
        }
        Ok(Exit::Success)
    }
}

/// A source, and when its page time was 0.
type Opened = (Box<dyn PageSource>, u64);

/// Opens a trace: where nothing else is said, at its first page, or with all that happened.
fn recorded(source: &InspectSource, is_of_the_page: bool) -> Result<Opened, Failure> {
    let trace = Trace::open(&source.source)?;
    let last = trace.len().saturating_sub(1);
    let unsaid = if is_of_the_page { 0 } else { last };
    let began = trace.meta().recorded_at.as_deref().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    let began = began.and_then(|at| u64::try_from(at.timestamp_millis()).ok()).unwrap_or(0);
    let mut pages = trace.into_pages()?;
    pages.set_step(StepIndex(source.step.unwrap_or(unsaid)))?;
    Ok((Box::new(pages), began))
}

#[cfg(feature = "record")]
fn live(source: &InspectSource, now: u64) -> Result<Opened, Failure> {
    use browserlens_recorder::{LiveBrowser, LiveOptions};
    super::no_steps(&source.source, source.step)?;
    let options =
        LiveOptions { chrome: source.chrome.clone(), no_sandbox: source.no_sandbox, ..LiveOptions::default() };
    let browser = LiveBrowser::open(&source.source, &options);
    let browser = browser.map_err(|error| not_opened(&source.source, error))?;
    Ok((Box::new(browser), now))
}

/// Says why a page could not be opened, and what to do: nothing of a recording.
#[cfg(feature = "record")]
fn not_opened(url: &str, error: browserlens_recorder::RecordError) -> Failure {
    use browserlens_recorder::RecordError;
    match error {
        RecordError::NotActionable { ref reason, .. } => {
            Failure::browser(format!("{url}: the page cannot be opened: {reason}"), error.hint())
        }
        error => error.into(),
    }
}

#[cfg(not(feature = "record"))]
fn live(source: &InspectSource, _: u64) -> Result<Opened, Failure> {
    let _ = (&source.chrome, source.no_sandbox);
    Err(super::not_live(&source.source))
}
