//! `watch`: what a person sees of the sessions, and does in them.

use super::browser::Opened;
use super::{Place, TRACE};
use crate::common::{Mcp, Ran, root};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};

/// A `watch` that is running.
struct Watch {
    child: Child,
    url: String,
}

impl Watch {
    fn of(place: &Place) -> Self {
        Self::with(place, &[])
    }

    fn with(place: &Place, words: &[&str]) -> Self {
        let mut command = place.verb("watch");
        command.args(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut url).expect("an address");
        let url = url.trim().to_owned();
        assert!(url.starts_with("http://127.0.0.1:") && url.ends_with(['/', 'l', 't', 's']), "{url}");
        Self { child, url }
    }

    async fn open(&self) -> Opened {
        let own = self.url.clone();
        let opened = Opened::blank(move |url| url.starts_with(&own)).await;
        opened.page.goto(&self.url).await.expect("it opens");
        opened
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A page whose words try to be markup.
fn hostile(folder: &std::path::Path) {
    let page = "<title><img src=x onerror=document.title=1></title><h1>&lt;script&gt;bad()&lt;/script&gt;</h1>\
        <button onclick='document.body.append(\"pressed \"); this.textContent=\"Once more\"'>Press \
        &lt;img src=x onerror=alert(1)&gt;</button>\
        <label>Name <input id=name oninput='document.title=this.value'></label>\
        <label>Secret <input type=password></label>";
    std::fs::write(folder.join("index.html"), page).expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_what_an_agent_sees_holds_it_and_goes_on_by_hand() {
    let (place, folder) = (Place::new(), tempfile::tempdir().expect("a folder"));
    hostile(folder.path());
    let watch = Watch::of(&place);
    let opened = watch.open().await;
    opened.until("document.getElementById('state').textContent.startsWith('No session is open')").await;
    let address = folder.path().join("index.html").display().to_string();
    let says = async |words: &[&str]| {
        let mut command = place.command(words);
        tokio::task::spawn_blocking(move || Ran::of(&mut command).said()).await.expect("runs")
    };
    let first = says(&["open", &address]).await;
    // The text that the agent was told stands there, letter by letter.
    opened.until("document.querySelector('#told pre')").await;
    let shown: String = opened.evaluate("document.querySelector('#told pre').textContent").await;
    assert_eq!(shown.trim_end(), first.trim_end());
    opened
        .until(
            "document.querySelectorAll('#refs button').length === 3 && \
        document.getElementById('picture').naturalWidth > 0",
        )
        .await;
    // The frame of the button lies where the button is drawn.
    opened
        .is(
            "(() => { const frame = [...document.querySelectorAll('#refs button')].find((one) => \
             one.title.includes('Press')), all = document.getElementById('shot').getBoundingClientRect(), \
             at = frame.getBoundingClientRect(); return at.width > 20 && at.height > 4 && at.left >= all.left && \
             at.bottom <= all.bottom && frame.disabled; })()",
            true,
        )
        .await;
    // It is not held.
    opened.is("!document.getElementById('by-hand').offsetParent", true).await;
    let secret = says(&["type", &super::reference(&first, "Secret"), "hunter2secret"]).await;
    assert!(!secret.contains("hunter2secret"), "{secret}");
    opened.until("document.querySelectorAll('#told li').length === 2").await;
    let body: String = opened.evaluate("document.body.textContent").await;
    assert!(!body.contains("hunter2secret"), "{body}");
    // Held, the agent waits; the person presses, and types into what has the focus.
    opened.run("document.getElementById('hold').click()").await;
    opened
        .until("!document.querySelector('#refs button').disabled && document.getElementById('by-hand').offsetParent")
        .await;
    let waits = tokio::spawn({
        let mut command = place.command(&["find", "pressed"]);
        async move { tokio::task::spawn_blocking(move || Ran::of(&mut command)).await.expect("runs") }
    });
    opened
        .run("[...document.querySelectorAll('#refs button')].find((one) => one.title.includes('Press')).click()")
        .await;
    opened
        .until("[...document.querySelectorAll('#told .cost')].some((one) => one.textContent.includes('by hand'))")
        .await;
    assert!(!waits.is_finished(), "the agent went on");
    let name = "[...document.querySelectorAll('#refs button')].find((one) => one.title.includes('Name'))";
    opened.until(name).await;
    opened.run(&format!("{name}.click()")).await;
    opened.until("document.querySelectorAll('#told li').length === 4").await;
    opened
        .run("document.getElementById('text').value = 'Ada'; document.querySelector('#by-hand [type=submit]').click()")
        .await;
    opened.until("[...document.querySelectorAll('#told pre')].some((one) => one.textContent.includes('Ada'))").await;
    opened.run("document.getElementById('hold').click()").await;
    // Then the agent is told first what was done by hand, in order.
    let found = waits.await.expect("ends").out;
    let [press, typed, own] = ["[BY HAND: click {", "[BY HAND: type {\"text\":\"Ada\"}]", "1 found"]
        .map(|part| found.find(part).unwrap_or_else(|| panic!("{part}: {found}")));
    assert!(press < typed && typed < own && found.contains("Once more"), "{found}");
    let later = says(&["find", "pressed"]).await;
    assert!(!later.contains("BY HAND"), "it is told once: {later}");
    // By hand only where it is held.
    opened.run("step({ tool: 'press', arguments: { key: 'Tab' } })").await;
    opened.until("document.getElementById('refused').textContent.includes('pause it first')").await;
    let axe = std::fs::read_to_string(root().join(".tools/axe/node_modules/axe-core/axe.min.js"))
        .expect("scripts/install-axe");
    for (width, colours) in [(1_280, "light"), (400, "dark")] {
        opened.look(width, 900, colours).await;
        assert_eq!(opened.violations(&axe).await, Vec::<String>::new(), "{width} px, {colours}");
    }
    if let Some(file) = std::env::var_os("BROWSERLENS_PICTURE") {
        opened.look(1_440, 900, "light").await;
        std::fs::write(file, opened.picture("", (1_440, 900)).await).expect("written");
    }
    says(&["close"]).await;
    opened
        .until("document.querySelectorAll('#sessions button').length === 0 && document.getElementById('page').hidden")
        .await;
    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_gives_up_while_a_session_is_held_has_done_nothing_and_a_close_ends_who_waits() {
    let (place, folder) = (Place::new(), tempfile::tempdir().expect("a folder"));
    hostile(folder.path());
    let watch = Watch::of(&place);
    let opened = watch.open().await;
    let page = folder.path().join("index.html").display().to_string();
    let first = place.says(&["open", &page]);
    let button = super::reference(&first, "Press");
    opened.until("sessions.length === 1").await;
    let hold = "document.getElementById('hold').click()";
    opened.run(hold).await;
    opened.until("sessions[0].is_held").await;
    assert!(place.says(&["sessions"]).contains("paused by `watch`"));
    let mut gives_up = place.command(&["click", &button]).stdout(Stdio::null()).spawn().expect("starts");
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    gives_up.kill().expect("is killed");
    gives_up.wait().expect("ends");
    tokio::time::sleep(std::time::Duration::from_millis(2_000)).await;
    opened.run(hold).await;
    opened.until("!sessions[0].is_held").await;
    let found = place.says(&["find", "Once more"]);
    assert_eq!(found.trim(), "nothing found", "nobody pressed");
    opened.run(hold).await;
    opened.until("sessions[0].is_held").await;
    let waits = place.command(&["find", "Name"]).stderr(Stdio::piped()).spawn().expect("starts");
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    place.says(&["close"]);
    let refused = waits.wait_with_output().expect("ends");
    assert_eq!(refused.status.code(), Some(6), "{refused:?}");
    super::until("its browser ends", || place.browsers().is_empty());
    opened.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_sessions_of_a_hundred_steps_do_not_grow() {
    let place = Place::new();
    let watch = Watch::of(&place);
    let opened = watch.open().await;
    let names: Vec<String> = (0..30).map(|number| format!("s{number}")).collect();
    for name in &names {
        place.says(&["-s", name, "open", TRACE]);
    }
    let socket = place.sockets().pop().expect("a socket");
    let steps = async |count: usize| {
        for name in &names {
            for _ in 0..count {
                let request = json!({ "do": "call", "session": name, "tool": "find", "arguments": { "role": "link" } });
                let mut stream = tokio::net::UnixStream::connect(&socket).await.expect("listens");
                tokio::io::AsyncWriteExt::write_all(&mut stream, request.to_string().as_bytes()).await.expect("writes");
                tokio::io::AsyncWriteExt::shutdown(&mut stream).await.expect("ends");
                let mut said = String::new();
                tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut said).await.expect("reads");
                assert!(said.contains("@e"), "{said}");
            }
        }
    };
    let size = async || -> (usize, usize) {
        opened
            .evaluate(
                "[document.querySelectorAll('*').length, [...told.values()].reduce((all, calls) => all + \
            calls.length, 0)]",
            )
            .await
    };
    steps(100).await;
    opened.until("sessions.length === 30 && sessions.every((session) => session.calls === 101)").await;
    let (elements, calls) = size().await;
    assert_eq!(calls, 30 * 100);
    steps(20).await;
    opened.until("sessions.every((session) => session.calls === 121)").await;
    assert_eq!(size().await, (elements, calls), "it grows");
    opened.is("document.querySelectorAll('#told li').length", 100).await;
    opened.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_a_server_is_shown_if_the_server_lets_it() {
    let place = Place::new();
    let watch = Watch::of(&place);
    let opened = watch.open().await;
    let begun = |more: &[&str]| {
        let mut command = place.verb("serve");
        Mcp::start(command.args(["--trace", TRACE]).args(more).stderr(Stdio::null()))
    };
    let (mut shown, mut hidden) = (begun(&["--watch"]), begun(&[]));
    let said: serde_json::Value = serde_json::from_str(&shown.call("observe", &json!({}))).expect("JSON");
    hidden.call("observe", &json!({}));
    opened.until("document.querySelector('#told pre')").await;
    let text = said["result"]["content"][0]["text"].as_str().expect("a text");
    opened.is("document.querySelector('#told pre').textContent", text).await;
    let name = format!("serve-{} stdio", shown.child.id());
    opened.is("sessions.map((session) => session.name).join()", name).await;
    opened.until("document.getElementById('picture').naturalWidth > 0").await;
    let sockets = || place.sockets().len();
    assert_eq!(sockets(), 1);
    // One that ends by itself takes its socket along; of one that is killed whoever looks on does.
    for server in [&mut shown, &mut hidden] {
        server.child.kill().expect("is killed");
        server.child.wait().expect("ends");
    }
    opened.until("sessions.length === 0").await;
    // Who died while it was asked is found out when it is asked again.
    super::until("the sockets of the killed go", || sockets() == 0);
    let mut ends = begun(&["--watch"]);
    ends.call("observe", &json!({}));
    assert_eq!(sockets(), 1);
    assert!(ends.end().success());
    super::until("the socket goes with its server", || sockets() == 0);
    opened.end().await;
}

#[test]
fn only_who_knows_the_address_is_answered_and_no_web_page() {
    use std::io::Read as _;
    let place = Place::new();
    let watch = Watch::of(&place);
    let rest = watch.url.trim_start_matches("http://").to_owned();
    let (address, path) = rest.split_once('/').expect("a path");
    let asks = |method: &str, path: &str, more: &str| {
        let mut stream = std::net::TcpStream::connect(address).expect("listens");
        write!(stream, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{more}\r\n").expect("writes");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("reads");
        said
    };
    let host = format!("Host: {address}\r\n");
    let page = asks("GET", &format!("/{path}"), &host);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'"), "{page}");
    for refused in [
        asks("GET", "/", &host),
        asks("GET", "/events", &host),
        asks("GET", &format!("/{path}"), "Host: evil.example\r\n"),
        asks("POST", &format!("/{path}do"), &format!("{host}Origin: https://evil.example\r\nContent-Length: 0\r\n")),
    ] {
        assert!(["HTTP/1.1 404", "HTTP/1.1 403"].iter().any(|start| refused.starts_with(start)), "{refused}");
    }
    let port = address.rsplit(':').next().expect("a port");
    Ran::of(place.verb("watch").args(["--port", port])).ends(3, &["--port"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_and_a_run_are_stepped_through() {
    let place = Place::new();
    let watch = Watch::with(&place, &[&root().join(TRACE).display().to_string()]);
    assert!(watch.url.ends_with("/report/index.html"), "{}", watch.url);
    let opened = watch.open().await;
    opened.until("document.getElementById('viewer').dataset.ready !== undefined").await;
    let run = root().join("traces/runs");
    let record = std::fs::read_dir(run).expect("records").filter_map(|entry| Some(entry.ok()?.path()));
    let record = record.filter(|path| path.extension().is_some_and(|end| end == "run")).min().expect("a record");
    let watch = Watch::with(&place, &[&record.display().to_string()]);
    let opened = watch.open().await;
    opened.until("document.body.innerText.startsWith('task ') && document.body.innerText.includes(' → ')").await;
    // A run whose pages were recorded is gone through with the page beside each call.
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let mut play = place.verb("agents");
    play.current_dir(root()).args(["run", "--agent", "way", "--record", "--out", &out, "tiny-sign-up"]);
    Ran::of(&mut play).good();
    let record = folder.path().join("tiny-sign-up--browserlens-serve-mcp.run");
    let watch = Watch::with(&place, &[&record.display().to_string()]);
    assert!(watch.url.ends_with("/report/index.html#runs"), "{}", watch.url);
    let opened = watch.open().await;
    opened.until("document.querySelector('#run-page img') !== null").await;
    opened.until("document.getElementById('calls').childElementCount > 5").await;
    Ran::of(place.verb("watch").arg("nowhere.trace")).ends(3, &[]);
}
