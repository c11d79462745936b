//! `knowledge build --crawl`: a real Chromium on a bundled site, behind a recorded sign-in, and on
//! a site that is a trap.

#![cfg(feature = "record")]

mod common;

use common::{browserlens, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn knowledge(arguments: &[&str]) -> Output {
    browserlens()
        .arg("knowledge")
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .output()
        .expect("the command starts")
}

fn done(arguments: &[&str]) -> (String, String) {
    let output = knowledge(arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
    (out.into_owned(), err.into_owned())
}

/// Paths of the pages that a store's screens were seen at.
fn paths(store: &str) -> BTreeSet<String> {
    let known: Value = serde_json::from_str(&done(&["export", "--store", store]).0).expect("is JSON");
    let screens = known["screens"].as_object().expect("screens").values();
    let sources = screens.flat_map(|screen| screen["provenance"].as_array().expect("sources").clone());
    let urls: Vec<String> = sources.filter_map(|source| source["url"].as_str().map(str::to_owned)).collect();
    urls.iter()
        .map(|url| {
            url.split_once("//").and_then(|(_, rest)| rest.find('/').map(|at| rest[at..].to_owned())).expect("a path")
        })
        .collect()
}

#[test]
fn a_bundled_site_is_explored_behind_a_sign_in_that_a_trace_holds() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let sites = root().join("traces/sites");
    let server = runtime.block_on(browserlens_recorder::SiteServer::start(&sites, "login")).expect("serves");
    let url = format!("http://127.0.0.1:{}/", server.port());
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();

    // Without signing in, the workspace sends everybody back to the form.
    let account = format!("{url}account");
    let (_, told) = done(&["build", "--store", &at("out.sqlite"), "--crawl", &account, "--crawl-pages", "5"]);
    assert!(told.contains("pages opened"), "{told}");
    let seen = paths(&at("out.sqlite"));
    assert!(seen.iter().all(|path| !path.starts_with("/account")), "{seen:?}");

    let inside = at("in.sqlite");
    let (_, told) = done(&[
        "build",
        "--store",
        &inside,
        "--crawl",
        &url,
        "--sign-in",
        "traces/login-wrong-then-right.trace",
        "--crawl-pages",
        "8",
        "--crawl-depth",
        "2",
    ]);
    assert!(told.contains("5 steps were done before the crawl"), "{told}");
    let seen = paths(&inside);
    let account: Vec<&String> = seen.iter().filter(|path| path.starts_with("/account")).collect();
    assert!(account.len() >= 3, "{seen:?}");

    let answer: Value =
        serde_json::from_str(&done(&["query", "--store", &inside, "explore_website", &url]).0).expect("is JSON");
    let screens = answer["metadata"]["screens"].as_array().expect("screens");
    assert!(screens.len() >= 2 && screens.len() <= 8, "{}", screens.len());
    assert!(answer["metadata"]["transitions"].as_u64().expect("a number") >= 2);

    // The field asks for a text that is not set.
    let output = knowledge(&[
        "build",
        "--store",
        &at("x.sqlite"),
        "--crawl",
        &url,
        "--sign-in",
        "traces/login-wrong-then-right.trace",
        "--secret",
        "Password=NO_SUCH_VARIABLE_HERE",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("NO_SUCH_VARIABLE_HERE"));
}

type Answers = fn(&str, &str) -> String;

/// Serves what a function answers to a path (and the other server's address), and keeps the paths
/// that were asked for.
fn serve(answers: Answers, other: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://127.0.0.1:{}", listener.local_addr().expect("an address").port());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (kept, other) = (Arc::clone(&kept), other.clone());
            std::thread::spawn(move || answer(stream, answers, &other, &kept));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, answers: Answers, other: &str, kept: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a second handle")).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    // The head ends with an empty line; there is no body.
    lines.find(String::is_empty);
    let reply = answers(&path, other);
    kept.lock().expect("no panic before").push(path);
    let _gone = stream.write_all(reply.as_bytes());
}

fn page(title: &str, links: &[String]) -> String {
    let links: String = links.iter().map(|href| format!("<li><a href=\"{href}\">{href}</a></li>")).collect();
    let body = format!(
        "<!doctype html><html lang=en><title>{title}</title><link rel=icon \
            href=data:,><h1>{title}</h1><ul>{links}</ul></html>"
    );
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A calendar without end, paths that grow, a session in each address, a circle, a way off the
/// site, a sign-out.
fn trap(path: &str, other: &str) -> String {
    let number = |text: &str| text.rsplit(['=', '/']).next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
    let all = |links: &[&str]| links.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    match path {
        "/out" => {
            format!("HTTP/1.1 302 Found\r\nLocation: {other}/secret\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        "/back" => "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
        "/sign-out" => page("You are signed out", &[]),
        _ if path.starts_with("/calendar") => {
            let next = number(path) + 1;
            page("Calendar", &[format!("/calendar?month={next}"), format!("/calendar/2026/{next}")])
        }
        _ if path.starts_with("/deep") => page("Deep", &[format!("{path}/more"), format!("{path}/again")]),
        _ if path.starts_with("/s") => page("Session", &[format!("/s?sid={:x}", number(path).wrapping_mul(31) + 7)]),
        _ => page("Start", &all(&["/calendar?month=1", "/deep", "/s?sid=1", "/out", "/back", "/", "/sign-out"])),
    }
}

fn elsewhere(_: &str, _: &str) -> String {
    page("Another website", &[])
}

#[test]
fn traps_end_and_other_origins_are_left_alone() {
    let (other, _) = serve(elsewhere, String::new());
    let (url, asked) = serve(trap, other);
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("k.sqlite").display().to_string();
    let began = Instant::now();
    let (_, told) = done(&["build", "--store", &store, "--crawl", &url, "--crawl-depth", "3", "--crawl-pages", "60"]);
    assert!(began.elapsed() < Duration::from_secs(400));
    // It ends by itself, below its limits: forms of addresses and depth bound it.
    assert!(told.contains("nothing is left to open"), "{told}");
    assert!(told.contains("/out: it leads to another website"), "{told}");
    let seen = paths(&store);
    assert!(seen.len() <= 24 && seen.iter().any(|path| path.starts_with("/calendar")), "{seen:?}");
    assert!(!seen.iter().any(|path| path == "/secret" || path == "/sign-out"), "{seen:?}");
    let asked = asked.lock().expect("no panic before").clone();
    assert!(!asked.iter().any(|path| path == "/sign-out"), "a link that ends the session is not followed");

    let (_, told) = done(&["build", "--store", &store, "--crawl", &url, "--crawl-pages", "3"]);
    assert!(told.contains("3 pages opened") && told.contains("the limit of pages was reached"), "{told}");
    let (_, told) = done(&["build", "--store", &store, "--crawl", &url, "--crawl-seconds", "0"]);
    assert!(told.contains("1 pages opened") && told.contains("the limit of time was reached"), "{told}");
    let (_, told) = done(&["build", "--store", &store, "--crawl", &url, "--crawl-depth", "0"]);
    assert!(told.contains("1 pages opened") && told.contains("nothing is left to open"), "{told}");
}
