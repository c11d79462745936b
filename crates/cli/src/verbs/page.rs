//! `page`: one command a tool, on a session that stays, or once on any source.
//!
//! In: a tool's words. Out: its answer. Sessions live in one background process a user, which is
//! started when the first is opened and ends with the last. Invariants: its socket lies in a folder
//! of the user's own; of commands that begin at once one starts it.

mod background;

pub(super) use background::folder_of_user;

use super::inspect::in_words_of_the_command;
use super::serve::{Sourced, shared};
use crate::Ended;
use crate::args::{BrowserArgs, Call, KeepArgs, OpenArgs, PageArgs, PageCommand, command_of};
use crate::exit::{Exit, Failure};
use background::{Endpoint, asked, ended, lost, nobody};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browserlens_serve::{Reply, Request, ServeError, serve_socket};
use browserlens_session::{Session, Shared, ToolError, tools};
use browserlens_trace::Trace;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// How a session is opened, as the background process is told it.
#[derive(Serialize, Deserialize)]
struct Options {
    browser: BrowserArgs,
    step: u32,
}

pub(crate) fn run(args: PageArgs) -> Ended {
    let PageArgs { session, on, step, command } = args;
    match (command, on) {
        (PageCommand::Keep(args), _) => keep(&args),
        (PageCommand::Call(call), Some(source)) => once(&source, step, call),
        (_, Some(_)) => {
            let message = "--on goes with what is asked of a page, not with sessions";
            Err(Failure::usage(message, "leave out --on, or ask: `page --on FILE.trace find save`"))
        }
        (PageCommand::Open(args), None) => open(session, *args, step.unwrap_or(0)),
        (PageCommand::Sessions, None) => match asked(&Endpoint::of_user()?.socket, &Request::Sessions) {
            Err(error) if nobody(&error) => none_open(),
            answered => said(answered.map_err(|error| lost(&error))?, "sessions", None),
        },
        (PageCommand::Close(args), None) if args.all => close_all(),
        (PageCommand::Close(_), None) => in_session(&Request::Close { session: Some(session) }, "close", None),
        (PageCommand::Call(_), None) if step.is_some() => {
            let hint = "leave it out; `page open TRACE --step K` begins there, `page TRACE … --step K` asks once";
            Err(Failure::usage("--step: a session goes on by what is done in it", hint))
        }
        (PageCommand::Call(Call { tool, mut arguments, out }), None) => {
            whole_url(tool, &mut arguments);
            whole_files(tool, &mut arguments);
            in_session(&Request::Call { session, tool: tool.to_owned(), arguments }, command_of(tool), out)
        }
    }
}

/// Makes a URL of what is written without its scheme, as `open` does.
fn whole_url(tool: &str, arguments: &mut Value) {
    let name = match tool {
        "navigate" => "url",
        "tabs" => "open",
        _ => return,
    };
    let Some(url) = arguments.get_mut(name) else { return };
    let whole = url.as_str().and_then(|url| resolved(url).ok()).filter(|whole| !Path::new(whole).is_absolute());
    if let Some(whole) = whole {
        *url = Value::from(whole);
    }
}

/// Files begin at the folder of the command; what is not there may lie below the session's folder for uploads.
fn whole_files(tool: &str, arguments: &mut Value) {
    let files = (tool == "upload").then(|| arguments["files"].as_array_mut()).flatten();
    for file in files.into_iter().flatten() {
        let whole = file.as_str().and_then(|file| std::fs::canonicalize(file).ok());
        if let Some(whole) = whole.as_ref().and_then(|whole| whole.to_str()) {
            *file = Value::from(whole);
        }
    }
}

/// Ends the sessions of every program of the user: one that was replaced since has its own socket.
fn close_all() -> Ended {
    let place = Endpoint::of_user()?;
    let mut closed = String::new();
    let files = std::fs::read_dir(&place.folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for socket in files.filter(|path| path.extension().is_some_and(|end| end == "socket")) {
        match asked(&socket, &Request::Close { session: None }) {
            Ok(Reply::Answer { text, .. }) => closed.push_str(&text),
            Err(error) if !nobody(&error) => return Err(lost(&error)),
            _ => {}
        }
    }
    if closed.is_empty() {
        return none_open();
    }
    crate::output::data(&closed)
}

fn none_open() -> Ended {
    crate::output::status("no session is open");
    Ok(Exit::Success)
}

/// Asks once, without a session.
fn once(source: &str, step: Option<u32>, Call { tool, mut arguments, out }: Call) -> Ended {
    let source = resolved(source)?;
    whole_url(tool, &mut arguments);
    let is_of_messages = matches!(tool, "get_summary" | "get_console_messages" | "get_network_requests");
    let unsaid = if step.is_none() && is_of_messages && Path::new(&source).is_absolute() {
        Trace::open(&source)?.len().saturating_sub(1)
    } else {
        0
    };
    let refused = |error: ToolError| failed(error.into(), command_of(tool));
    let shared = made(&source, BrowserArgs::default(), step.unwrap_or(unsaid))?;
    let mut session = Session::new(Arc::new(shared)).map_err(refused)?;
    // Refs and handles are those of the first observation; a screenshot needs a page.
    if !matches!(tool, "observe" | "navigate") {
        session.call("observe", Value::Null).map_err(refused)?;
    }
    let answer = session.call(tool, arguments).map_err(refused)?;
    let images = answer.images.iter().map(|png| png.to_vec()).collect();
    let ended = told(command_of(tool), &answer.text, images, answer.is_undone, out)?;
    super::say_step(&source, step, is_of_messages);
    Ok(ended)
}

fn open(session: String, args: OpenArgs, step: u32) -> Ended {
    let OpenArgs { source, mut browser } = args;
    let source = source.as_deref().map_or(Ok(String::new()), resolved)?;
    let is_recorded = Path::new(&source).is_absolute();
    let unfit = if is_recorded {
        browser.of_browsers()
    } else if step > 0 {
        Some("--step")
    } else {
        None
    };
    if let Some(option) = unfit {
        let message = format!("{option} is not for {}", if is_recorded { "a trace" } else { "a browser" });
        return Err(Failure::usage(message, "leave it out"));
    }
    browser.begin_here();
    let options = if browser.is_default() && step == 0 { None } else { Some(Options { browser, step }) };
    let options = serde_json::to_value(options)
        .map_err(|error| Failure::new(Exit::Usage, &error, "name files and folders whose names are text"))?;
    let request = Request::Open { session, source, options };
    let place = Endpoint::of_user()?;
    let reply = match asked(&place.socket, &request) {
        // Nobody is there, or was about to end.
        Err(error) if nobody(&error) || ended(&error) => {
            place.start()?;
            asked(&place.socket, &request)
        }
        answered => answered,
    };
    let lost = |error: io::Error| {
        let message = format!("the background process did not answer: {error}");
        Failure::browser(message, format!("see {}", place.folder.join("log").display()))
    };
    said(reply.map_err(lost)?, "open", None)
}

impl Default for BrowserArgs {
    fn default() -> Self {
        use clap::{Args as _, FromArgMatches as _};
        let matches = Self::augment_args(clap::Command::new("page")).get_matches_from(["page"]);
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

impl BrowserArgs {
    /// Returns an option that is given and says something of a browser.
    fn of_browsers(&self) -> Option<&'static str> {
        #[cfg(feature = "record")]
        let given = [
            ("--cdp", self.cdp.is_some()),
            ("--record", self.record.is_some()),
            ("--chrome", self.chrome.is_some()),
            ("--no-sandbox", self.no_sandbox),
        ];
        #[cfg(not(feature = "record"))]
        let given: [(&str, bool); 0] = [];
        given.into_iter().chain([("--allow-evaluate", self.allow_evaluate)]).find_map(|(name, is)| is.then_some(name))
    }

    fn is_default(&self) -> bool {
        serde_json::to_value(self).ok() == serde_json::to_value(Self::default()).ok()
    }

    /// Lets paths begin at the folder of the command, not of the process that opens them.
    fn begin_here(&mut self) {
        let paths = [&mut self.upload_root, &mut self.knowledge, &mut self.model.cassette, &mut self.cache];
        #[cfg(feature = "record")]
        let paths = paths.into_iter().chain([&mut self.record, &mut self.chrome]);
        for path in paths.into_iter().flatten() {
            if let Ok(whole) = std::path::absolute(&*path) {
                *path = whole;
            }
        }
    }
}

/// Returns what is opened: a URL, also of a page in a file, or the whole path of a trace.
fn resolved(source: &str) -> Result<String, Failure> {
    if source.contains("://") || source.starts_with("about:") || source.starts_with("data:") {
        return Ok(source.to_owned());
    }
    let path = Path::new(source);
    if let Ok(path) = std::path::absolute(path)
        && path.is_file()
    {
        let Some(text) = path.to_str() else {
            return Err(Failure::usage("the name of the file is no text", "rename it"));
        };
        if is_trace(&path) {
            return Ok(text.to_owned());
        }
        return Ok(url::Url::from_file_path(&path).map_err(|()| no_source(source))?.into());
    }
    if path.is_dir() {
        return Err(Failure::input(format!("{source} is a folder"), "name a file in it, or a URL"));
    }
    // As in the address line of a browser.
    let (host, port) = match source.split(['/', '?', '#']).next().unwrap_or_default() {
        whole if whole.starts_with('[') => (whole.split(']').next().unwrap_or_default(), None),
        whole => whole.split_once(':').map_or((whole, None), |(host, port)| (host, Some(port))),
    };
    let is_here = ["localhost", "[::1", "0.0.0.0"].contains(&host.to_ascii_lowercase().as_str())
        || host.starts_with("127.")
        || host.to_ascii_lowercase().ends_with(".localhost");
    let has_port = port.is_some_and(|port| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    let is_path = source.starts_with(['/', '.', '~']);
    let has_host = is_here || has_port || host.contains('.') && (host.len() < source.len() || !names_a_file(path));
    if !is_path && has_host && !source.contains(char::is_whitespace) {
        return Ok(format!("{}://{source}", if is_here { "http" } else { "https" }));
    }
    if is_path || names_a_file(path) {
        return Err(Failure::input(format!("{source} is not there"), "name a file that is there, or a URL"));
    }
    Err(no_source(source))
}

/// Returns whether a source that is not there is a file by its name, and not a host.
fn names_a_file(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
    ["trace", "html", "htm", "xhtml", "svg", "xml", "txt", "md", "json", "pdf", "png", "php"].contains(&end.as_str())
}

fn no_source(source: &str) -> Failure {
    let message = format!("{source:?} is no URL and no file");
    Failure::usage(message, "give a URL such as https://example.com, a page, or a trace")
}

/// Returns whether a file is a trace: a database of SQLite.
fn is_trace(path: &Path) -> bool {
    let mut start = [0; 15];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"SQLite format 3"
}

fn made(source: &str, mut browser: BrowserArgs, step: u32) -> Result<Shared, Failure> {
    // Whoever runs commands can read the files anyway, and names those that are uploaded.
    browser.allow_scheme.push("file".to_owned());
    browser.upload_root.get_or_insert_with(|| PathBuf::from(std::path::MAIN_SEPARATOR_STR));
    let path = Path::new(source);
    let source = match source {
        "" => Sourced::Browser { url: None },
        _ if path.is_absolute() => Sourced::Trace { path, step },
        url => Sourced::Browser { url: Some(url.to_owned()) },
    };
    shared(source, &browser, true)
}

/// Is the background process.
fn keep(args: &KeepArgs) -> Ended {
    super::serve::log(false);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Browser, &error, "free some memory or threads"))?;
    let stop = CancellationToken::new();
    runtime.spawn(super::serve::stop_when_asked(stop.clone()));
    let open = |source: &str, options: Value| {
        let refused = |error: Failure| {
            let kind = match error.exit {
                Exit::Browser => "no_browser",
                Exit::Usage => "arguments",
                Exit::Input => "input",
                _ => "not_there",
            };
            Reply::error(kind, error.message, &error.hint)
        };
        let options: Option<Options> = serde_json::from_value(options)
            .map_err(|error| Reply::error("arguments", error.to_string(), "see --help"))?;
        let Options { browser, step } = options.unwrap_or_else(|| Options { browser: BrowserArgs::default(), step: 0 });
        let limit = Duration::from_secs(browser.timeout);
        Ok((made(source, browser, step).map_err(refused)?, limit))
    };
    let served = runtime.block_on(serve_socket(&args.socket, Duration::from_secs(args.idle), Box::new(open), stop));
    let ended = SystemTime::now();
    runtime.shutdown_background();
    // Pictures that were told of go with the sessions; those of a process that took over meanwhile stay.
    let files = args.socket.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    for picture in files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "png")) {
        if picture.metadata().and_then(|of| of.modified()).is_ok_and(|written| written < ended) {
            drop(std::fs::remove_file(picture));
        }
    }
    served.map(|()| Exit::Success).map_err(|error: ServeError| {
        Failure::new(Exit::Input, &error, "see whether the folder of the socket can be written to")
    })
}

/// Says why something was not done, in the words of this door.
fn failed(reply: Reply, command: &str) -> Failure {
    let Reply::Error { kind, message, hint } = reply else {
        return Failure::words(Exit::NotDone, "nothing was answered", "try again");
    };
    let message = match kind.as_str() {
        "arguments" => {
            // Its help lists what it takes, in the words of this door.
            let tool = tools().into_iter().find(|tool| command_of(tool.name) == command);
            let list = tool.and_then(|tool| message.find(&format!("; {} takes ", tool.name)));
            crate::args::with_options(&message[..list.unwrap_or(message.len())])
        }
        _ => message,
    };
    let (exit, hint) = match kind.as_str() {
        "arguments" if command == "open" => (Exit::Usage, hint),
        "arguments" if message.contains("is no ref such as") => {
            (Exit::Usage, "`browserlens page find TEXT` gives the ref of what says so".to_owned())
        }
        "arguments" | "unknown_tool" => (Exit::Usage, format!("see `browserlens page {command} --help`")),
        "input" => (Exit::Input, hint),
        "browser_gone" | "no_browser" | "timed_out" => (Exit::Browser, hint),
        // The session is not there.
        _ if command == "open" => (Exit::NotDone, hint.replace("call `navigate` again", "open it again")),
        // Its options are those of the command that opened the session.
        _ => {
            let opened = "open the page by `page open SOURCE --upload-root FOLDER`";
            let hint = hint.replace("start the server with --upload-root FOLDER", opened);
            (Exit::NotDone, hint.replace("the server's option", "`page open`'s option"))
        }
    };
    Failure::words(exit, message, hint)
}

/// Asks the background process, and prints what it answers.
fn in_session(request: &Request, command: &str, out: Option<PathBuf>) -> Ended {
    said(asked(&Endpoint::of_user()?.socket, request).map_err(|error| lost(&error))?, command, out)
}

fn said(reply: Reply, command: &str, out: Option<PathBuf>) -> Ended {
    match reply {
        Reply::Answer { text, images, is_undone } => {
            let images: Result<Vec<_>, _> = images.iter().map(|image| STANDARD.decode(image)).collect();
            let images = images.map_err(|error| Failure::new(Exit::Browser, &error, "take it again"))?;
            told(command, &text, images, is_undone, out)
        }
        error @ Reply::Error { .. } => Err(failed(error, command)),
    }
}

/// Prints an answer; images go into files, which are named.
fn told(command: &str, text: &str, images: Vec<Vec<u8>>, is_undone: bool, mut out: Option<PathBuf>) -> Ended {
    let mut text = text.trim_end().to_owned();
    if command == "summary"
        && let Ok(answer) = serde_json::from_str::<Value>(&text)
        && let Some(said) = answer["message"].as_str()
    {
        // Only what the answer says of itself, never what it holds of the page.
        let member = |said: &str| format!("\"message\":{}", Value::from(said));
        let (before, now) = (member(said), member(&in_words_of_the_command(said.to_owned())));
        if let Some(at) = text.rfind(&before) {
            text.replace_range(at..at + before.len(), &now);
        }
    }
    for image in images {
        let path = match out.take() {
            Some(path) => path,
            None => Endpoint::of_user()?.folder.join(format!("{}.png", &blake3::hash(&image).to_hex()[..12])),
        };
        std::fs::write(&path, image)
            .map_err(|error| Failure::input(format!("{}: {error}", path.display()), "give another file by --out"))?;
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("image: {}", path.display()));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    // What nobody sees in it is escaped already, but in HTML and bodies, which are asked for as they are.
    crate::output::as_it_is(&text)?;
    Ok(if is_undone { Exit::NotDone } else { Exit::Success })
}
