//! Wall time of an observation against Playwright MCP's `browser_snapshot`, on one live browser, as paired medians:
//! `speed <cli.js of @playwright/mcp> [pairs]`.
//!
//! Each pair changes the page, then asks both, in turns first and second. The server is spoken to over stdio, as agents do.

use browserlens_live::{LiveLens, Session};
use browserlens_page::Viewport;
use browserlens_recorder::{LiveOptions, SiteServer};
use browserlens_strategy::{PageSource, Task};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
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
        let mut server = Self { child, input, output, calls: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "speed", "version": "1" } });
        server.call("initialize", &hello)?;
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.calls += 1;
        let id = self.calls;
        writeln!(self.input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        self.input.flush()?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                return Ok(answer["result"].clone());
            }
        }
    }

    fn snapshot(&mut self) -> Result<(f64, usize), Box<dyn Error>> {
        let began = Instant::now();
        let answer = self.call("tools/call", &json!({ "name": "browser_snapshot", "arguments": {} }))?;
        let millis = began.elapsed().as_secs_f64() * 1e3;
        Ok((millis, answer["content"][0]["text"].as_str().map_or(0, str::len)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn session() -> Result<Session, Box<dyn Error>> {
    let task = Task { goal: String::new(), viewport: Viewport::default(), locale: "en-US".to_owned() };
    Ok(Session::named("lens/delta", &Value::Null, task)?)
}

/// What is done to the page before a pair, as a script; `NAVIGATE` loads it anew.
const CHANGES: [(&str, &str); 4] = [
    ("nothing", "0"),
    (
        "small change",
        "(() => { const h = document.querySelector('h1, h2'); h.textContent = 'Changed ' + Math.round(performance.now()) })()",
    ),
    (
        "list re-rendered",
        "(() => { const l = [...document.querySelectorAll('ul, ol, [role=list], main, main div')].sort((a, b) => b.children.length - a.children.length)[0]; \
                          l.append(...[...l.children].reverse().map((c) => { const n = c.cloneNode(true); c.remove(); return n })) })()",
    ),
    ("navigation", "NAVIGATE"),
];

fn measure(
    lens: &mut LiveLens,
    server: &mut Server,
    url: &str,
    grow: Option<u32>,
    pairs: usize,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let open = |lens: &mut LiveLens| -> Result<(), Box<dyn Error>> {
        lens.act(&browserlens_live::Action::Navigate { url: url.to_owned() })?;
        if let Some(count) = grow {
            let script = format!(
                "(() => {{ const main = document.querySelector('main') ?? document.body; const copy = [...main.children]; \
                 while (document.querySelectorAll('*').length < {count}) main.append(...copy.map((child) => child.cloneNode(true))) }})()"
            );
            lens.browser().evaluate(&script)?;
        }
        Ok(())
    };
    open(lens)?;
    let elements = lens.browser().evaluate("document.querySelectorAll('*').length")?;
    writeln!(out, "{url}: {elements} elements")?;
    let (mut first, mut of_first) = (Vec::new(), Vec::new());
    let (mut reads, mut browser) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        open(lens)?;
        let mut fresh = session()?;
        let mut ours = || -> Result<(f64, f64), Box<dyn Error>> {
            let began = Instant::now();
            lens.browser().look()?;
            let read = began.elapsed().as_secs_f64() * 1e3;
            fresh.observe(lens.browser(), None)?;
            Ok((began.elapsed().as_secs_f64() * 1e3, read))
        };
        let (mine, theirs) = if pair % 2 == 0 {
            (ours()?, server.snapshot()?)
        } else {
            let theirs = server.snapshot()?;
            (ours()?, theirs)
        };
        first.push(mine.0);
        reads.push(mine.1);
        browser.push(lens.browser().browser_micros() as f64 / 1e3);
        of_first.push(theirs.0);
    }
    let line = |out: &mut dyn Write, what: &str, ours: &mut [f64], theirs: &mut [f64]| {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs.iter()).map(|(a, b)| a / b).collect();
        let ratio = median(&mut ratios);
        writeln!(
            out,
            "  {what}: ours {:.1} ms, browser_snapshot {:.1} ms, ratio {ratio:.3}",
            median(ours),
            median(theirs)
        )
    };
    line(out, "first observation", &mut first, &mut of_first)?;
    writeln!(
        out,
        "    of it reading the page {:.1} ms, of that the browser's answers {:.1} ms",
        median(&mut reads),
        median(&mut browser)
    )?;
    for (name, change) in CHANGES {
        open(lens)?;
        let mut reader = session()?;
        reader.observe(lens.browser(), None)?;
        let (mut ours, mut theirs, mut reads, mut browser) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for pair in 0..pairs {
            if change == "NAVIGATE" {
                open(lens)?;
            } else {
                lens.browser().evaluate(change)?;
            }
            let mut mine = || -> Result<(f64, f64), Box<dyn Error>> {
                let began = Instant::now();
                lens.browser().look()?;
                let read = began.elapsed().as_secs_f64() * 1e3;
                reader.observe(lens.browser(), None)?;
                Ok((began.elapsed().as_secs_f64() * 1e3, read))
            };
            let (a, b) = if pair % 2 == 0 {
                (mine()?, server.snapshot()?)
            } else {
                let b = server.snapshot()?;
                (mine()?, b)
            };
            ours.push(a.0);
            reads.push(a.1);
            browser.push(lens.browser().browser_micros() as f64 / 1e3);
            theirs.push(b.0);
        }
        line(out, &format!("later, {name}"), &mut ours, &mut theirs)?;
        writeln!(
            out,
            "    of it reading the page {:.1} ms, of that the browser's answers {:.1} ms",
            median(&mut reads),
            median(&mut browser)
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cli = arguments.first().ok_or("usage: speed <cli.js of @playwright/mcp> [pairs]")?;
    let pairs = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(7);
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let shop = runtime.block_on(SiteServer::start(&sites, "shop"))?;
    let mut out = std::io::stdout();
    let page = |path: &str| format!("http://127.0.0.1:{}/{path}", shop.port());
    let mut lens = LiveLens::open(&page("search?q=laptop"), &LiveOptions::default())?;
    let mut server = Server::start(cli, &lens.browser().protocol_address())?;
    server.snapshot()?;
    measure(&mut lens, &mut server, &page("search?q=laptop"), None, pairs, &mut out)?;
    measure(&mut lens, &mut server, &page("search?q=laptop"), Some(20_000), pairs, &mut out)?;
    Ok(())
}
