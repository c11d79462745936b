//! Wall time of an observation against Playwright MCP's `browser_snapshot`, on one live browser, as
//! paired medians: `speed <cli.js of @playwright/mcp> [pairs] [seconds]`.
//!
//! Each pair changes the page, then asks both, in turns first and second, so that what else the
//! machine does hits both alike. The server is spoken to over stdio, as agents do, and looks at the
//! same tab. It ends after the seconds (150 if none are said), with what it measured until then.

use browserlens_core::strategy::{ActionKind, Actor as _, PageSource as _, TakenAction};
use browserlens_recorder::{LiveBrowser, LiveOptions, SiteServer};
use browserlens_session::Session;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Longest that one answer of the server is waited for.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    calls: u64,
}

impl Server {
    fn start(cli: &str, endpoint: &str) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new("node")
            .args([cli, "--cdp-endpoint", endpoint])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut server = Self { child, input, lines, calls: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "speed", "version": "1" } });
        server.call("initialize", &hello)?;
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.calls += 1;
        let id = self.calls;
        writeln!(self.input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        self.input.flush()?;
        let until = Instant::now() + ANSWER_LIMIT;
        loop {
            let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now()));
            let answer: Value = serde_json::from_str(&line.map_err(|_| format!("{method}: no answer in time"))?)?;
            if answer["id"] == id {
                return Ok(answer["result"].clone());
            }
        }
    }

    fn snapshot(&mut self) -> Result<(), Box<dyn Error>> {
        let answer = self.call("tools/call", &json!({ "name": "browser_snapshot", "arguments": {} }))?;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        if !text.contains("[ref=") {
            return Err(format!("that is no snapshot: {}", text.chars().take(200).collect::<String>()).into());
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn browser(session: &mut Session) -> Result<&mut LiveBrowser, Box<dyn Error>> {
    Ok(session.browser().ok_or("there is no browser")?)
}

/// Makes a list anew, in another order.
const RENDER: &str = "(() => { const l = [...document.querySelectorAll('main ul, main ol')].sort((a, b) => \
    b.children.length - a.children.length)[0]; \
                            l.append(...[...l.children].reverse().map((c) => { const n = c.cloneNode(true); \
                            c.remove(); return n })) })()";

/// How long a page is let alone that is looked at as agents do, who act, wait until it is quiet,
/// and look.
const QUIET: Duration = Duration::from_millis(500);

/// What is done to the page before a pair, as a script, and how long it is let alone then;
/// `NAVIGATE` loads it anew.
const CHANGES: [(&str, &str, Duration); 6] = [
    ("nothing", "0", Duration::ZERO),
    (
        "a text",
        "(() => { const h = document.querySelector('h1, h2'); h.textContent = 'Changed ' + \
            Math.round(performance.now()) })()",
        Duration::ZERO,
    ),
    (
        "a row added",
        "(() => { const l = [...document.querySelectorAll('main ul, main ol')].sort((a, b) => b.children.length - \
            a.children.length)[0]; \
                       l.append(l.children[0].cloneNode(true)) })()",
        Duration::ZERO,
    ),
    ("list re-rendered", RENDER, Duration::ZERO),
    ("list re-rendered, and quiet again", RENDER, QUIET),
    ("navigation", "NAVIGATE", Duration::ZERO),
];

/// Milliseconds that this process and all that it started (the browser, the server) have had on a
/// core, where the system says so.
fn on_core() -> f64 {
    let text = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let mut open = vec![std::process::id()];
    let mut sum = 0.0;
    while let Some(id) = open.pop() {
        for thread in std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten() {
            let thread = thread.path().display().to_string();
            let spent = text(format!("{thread}/schedstat"));
            sum += spent.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e6;
            open.extend(text(format!("{thread}/children")).split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    sum
}

/// Runs something; returns its milliseconds by the clock, and on cores.
fn timed(run: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<[f64; 2], Box<dyn Error>> {
    // Reading the times takes time.
    let reading = {
        let before = on_core();
        on_core() - before
    };
    let before = on_core();
    let began = Instant::now();
    run()?;
    let clock = began.elapsed().as_secs_f64() * 1e3;
    Ok([clock, (on_core() - before - reading).max(0.0)])
}

/// Milliseconds of one kind of observation, pair by pair: by the clock, and on cores, which other
/// load on the machine does not stretch.
#[derive(Default)]
struct Pairs {
    ours: Vec<[f64; 2]>,
    theirs: Vec<[f64; 2]>,
    /// Of ours, the browser's answers, and all that the page took before the lens.
    browser: Vec<f64>,
    look: Vec<f64>,
    /// How ours came about.
    ways: BTreeSet<String>,
}

impl Pairs {
    fn add(&mut self, session: &mut Session, full: bool, server: &mut Server) -> Result<(), Box<dyn Error>> {
        let mut ours = |pairs: &mut Self| -> Result<(), Box<dyn Error>> {
            pairs.ours.push(timed(|| {
                session.observation(full, None)?;
                Ok(())
            })?);
            let browser = browser(session)?;
            let (waited, page) = browser.look_micros();
            pairs.browser.push(waited as f64 / 1e3);
            pairs.look.push(page as f64 / 1e3);
            pairs.ways.insert(format!("{:?}", browser.look_way()));
            // What the browser still notes for the next look is not to stand in the other's way.
            browser.look()?;
            Ok(())
        };
        if self.theirs.len().is_multiple_of(2) {
            ours(self)?;
            self.theirs.push(timed(|| server.snapshot())?);
        } else {
            self.theirs.push(timed(|| server.snapshot())?);
            ours(self)?;
        }
        Ok(())
    }

    fn tell(&self, what: &str, out: &mut impl Write) -> std::io::Result<()> {
        let of = |pairs: &[[f64; 2]], at: usize| median(&pairs.iter().map(|pair| pair[at]).collect::<Vec<_>>());
        let ratio = |at: usize| {
            let ratios: Vec<f64> = self.ours.iter().zip(&self.theirs).map(|(a, b)| a[at] / b[at]).collect();
            median(&ratios)
        };
        let ways: Vec<&str> = self.ways.iter().map(String::as_str).collect();
        writeln!(
            out,
            "  {what}: ours {:.1} ms (page {:.1}, of it the browser {:.1}), browser_snapshot {:.1} ms, ratio {:.3}; on \
                cores {:.1} and {:.1} ms, ratio {:.3}; {} pairs, {}",
            of(&self.ours, 0),
            median(&self.look),
            median(&self.browser),
            of(&self.theirs, 0),
            ratio(0),
            of(&self.ours, 1),
            of(&self.theirs, 1),
            ratio(1),
            self.ours.len(),
            ways.join(", ")
        )?;
        out.flush()
    }
}

fn open(session: &mut Session, url: &str, grow: Option<u32>) -> Result<(), Box<dyn Error>> {
    // The browser alone: the session looks when it is timed.
    let goto = TakenAction { kind: ActionKind::Goto, node: None, text: url.to_owned(), error: None };
    browser(session)?.act(&goto, None)?;
    if let Some(count) = grow {
        let script = format!(
            "(() => {{ const main = document.querySelector('main') ?? document.body; const copy = [...main.children]; \
             while (document.querySelectorAll('*').length < {count}) main.append(...copy.map((child) => \
             child.cloneNode(true))) }})()"
        );
        browser(session)?.evaluate(&script)?;
    }
    Ok(())
}

fn measure(
    session: &mut Session,
    server: &mut Server,
    (url, grow): (&str, Option<u32>),
    pairs: usize,
    until: Instant,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    open(session, url, grow)?;
    let elements = browser(session)?.evaluate("document.querySelectorAll('*').length")?;
    writeln!(out, "{url}: {elements} elements")?;
    let mut first = Pairs::default();
    while first.ours.len() < pairs && Instant::now() < until {
        open(session, url, grow)?;
        first.add(session, true, server)?;
    }
    first.tell("first observation", out)?;
    for (name, change, pause) in CHANGES {
        if Instant::now() > until {
            writeln!(out, "  later, {name}: no time left")?;
            continue;
        }
        open(session, url, grow)?;
        session.observation(true, None)?;
        let mut later = Pairs::default();
        while later.ours.len() < pairs && (later.ours.is_empty() || Instant::now() < until) {
            if change == "NAVIGATE" {
                open(session, url, grow)?;
            } else {
                browser(session)?.evaluate(change)?;
            }
            std::thread::sleep(pause);
            later.add(session, false, server)?;
        }
        later.tell(&format!("later, {name}"), out)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cli = arguments.first().ok_or("usage: speed <cli.js of @playwright/mcp> [pairs] [seconds]")?;
    let pairs = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(7);
    let seconds = arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(150);
    let began = Instant::now();
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let shop = runtime.block_on(SiteServer::start(&sites, "shop"))?;
    let mut out = std::io::stdout();
    let listing = format!("http://127.0.0.1:{}/search?q=laptop", shop.port());
    // Pages are given a moment only: what is measured begins when they stand.
    let options = LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() };
    let mut session = Session::over(LiveBrowser::open(&listing, &options)?, options)?;
    session.use_strategy("lens/delta", &Value::Null)?;
    let mut server = Server::start(cli, &browser(&mut session)?.protocol_address())?;
    server.snapshot()?;
    let until = |share: u64| began + Duration::from_secs(seconds * share / 10);
    measure(&mut session, &mut server, (&listing, None), pairs, until(4), &mut out)?;
    measure(&mut session, &mut server, (&listing, Some(20_000)), pairs.div_ceil(2), until(10), &mut out)?;
    Ok(())
}
