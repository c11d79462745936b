//! `knowledge build --crawl`: a real Chromium on a bundled site, behind a recorded sign-in, and on
//! a site that is a trap.

#![cfg(feature = "record")]

mod common;

use common::{Asked, Ran, root, run, serve};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn knowledge(line: &str) -> Ran {
    run(&format!("knowledge {line}"))
}

/// Returns the status that was said; it must have succeeded.
fn done(line: &str) -> String {
    let ran = knowledge(line);
    assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    ran.err
}

/// Paths of the pages that a store's screens were seen at.
fn paths(store: &str) -> BTreeSet<String> {
    let known = knowledge(&format!("export --store {store}")).json();
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
    let told = done(&format!("build --store {} --crawl {url}account --crawl-pages 5", at("out.sqlite")));
    assert!(told.contains("pages opened"), "{told}");
    let seen = paths(&at("out.sqlite"));
    assert!(seen.iter().all(|path| !path.starts_with("/account")), "{seen:?}");

    let inside = at("in.sqlite");
    let signed_in = format!("--crawl {url} --sign-in traces/login-wrong-then-right.trace");
    let told = done(&format!("build --store {inside} {signed_in} --crawl-pages 8 --crawl-depth 2"));
    assert!(told.contains("5 steps were done before the crawl"), "{told}");
    let seen = paths(&inside);
    let account: Vec<&String> = seen.iter().filter(|path| path.starts_with("/account")).collect();
    assert!(account.len() >= 3, "{seen:?}");

    let answer = knowledge(&format!("query --store {inside} explore_website {url}")).json();
    let screens = answer["metadata"]["screens"].as_array().expect("screens");
    assert!(screens.len() >= 2 && screens.len() <= 8, "{}", screens.len());
    assert!(answer["metadata"]["transitions"].as_u64().expect("a number") >= 2);

    // The field asks for a text that is not set.
    let secret = format!("build --store {} {signed_in} --secret Password=NO_SUCH_VARIABLE_HERE", at("x.sqlite"));
    knowledge(&secret).ends(2, &["NO_SUCH_VARIABLE_HERE"]);
}

type Reply = (String, Vec<u8>);

fn page(title: &str, links: &[String]) -> Reply {
    let links: String = links.iter().map(|href| format!("<li><a href=\"{href}\">{href}</a></li>")).collect();
    let body = format!(
        "<!doctype html><html lang=en><title>{title}</title><link rel=icon \
            href=data:,><h1>{title}</h1><ul>{links}</ul></html>"
    );
    ("200 OK\r\nContent-Type: text/html".to_owned(), body.into_bytes())
}

/// A calendar without end, paths that grow, a session in each address, a circle, a way off the
/// site, a sign-out.
fn trap(path: &str, other: &str) -> Reply {
    let number = |text: &str| text.rsplit(['=', '/']).next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
    let all = |links: &[&str]| links.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    match path {
        "/out" => (format!("302 Found\r\nLocation: {other}/secret"), Vec::new()),
        "/back" => ("302 Found\r\nLocation: /".to_owned(), Vec::new()),
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

#[test]
fn traps_end_and_other_origins_are_left_alone() {
    let other = serve(|_| page("Another website", &[]));
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let kept = Arc::clone(&asked);
    let url = serve(move |asked: &Asked| {
        kept.lock().expect("no panic before").push(asked.path.clone());
        trap(&asked.path, &other)
    });
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("k.sqlite").display().to_string();
    let began = Instant::now();
    let crawled = |options: &str| done(&format!("build --store {store} --crawl {url} {options}"));
    let told = crawled("--crawl-depth 3 --crawl-pages 60");
    assert!(began.elapsed() < Duration::from_secs(400));
    // It ends by itself, below its limits: forms of addresses and depth bound it.
    assert!(told.contains("nothing is left to open"), "{told}");
    assert!(told.contains("/out: it leads to another website"), "{told}");
    let seen = paths(&store);
    assert!(seen.len() <= 24 && seen.iter().any(|path| path.starts_with("/calendar")), "{seen:?}");
    assert!(!seen.iter().any(|path| path == "/secret" || path == "/sign-out"), "{seen:?}");
    let asked = asked.lock().expect("no panic before").clone();
    assert!(!asked.iter().any(|path| path == "/sign-out"), "a link that ends the session is not followed");

    for (options, opened, end) in [
        ("--crawl-pages 3", 3, "the limit of pages was reached"),
        ("--crawl-seconds 0", 1, "the limit of time was reached"),
        ("--crawl-depth 0", 1, "nothing is left to open"),
    ] {
        let told = crawled(options);
        assert!(told.contains(&format!("{opened} pages opened")) && told.contains(end), "{told}");
    }
}
