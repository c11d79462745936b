//! A look that only read what changed sees what a look that reads everything sees, whatever
//! changed: random changes on bundled sites.

mod common;

use browserlens_core::strategy::{ActionKind, Actor as _, PageSource, TakenAction};
use browserlens_recorder::{FastLook, LiveBrowser, LiveOptions, LookWay, SiteServer};
use common::{Differences, traces};
use std::collections::BTreeMap;
use std::time::Duration;

/// Does one change to the page, drawn by a number; returns what it did.
const CHANGE: &str = include_str!("patched_looks/change.js");

/// How many mutations the page had since this was asked first.
const MUTATIONS: &str = "(globalThis.mutationsSoFar ??= (() => { let count = 0; const add = (records) => { count += \
    records.length; }; \
    const observer = new MutationObserver(add); observer.observe(document, { subtree: true, childList: true, \
    attributes: true, characterData: true }); \
    return () => { add(observer.takeRecords()); return count; }; })())()";

const PAGES: [(&str, &str); 10] = [
    ("tiny", "index.html"),
    ("login", "login.html"),
    ("docs", "index.html"),
    ("shop", "cart.html"),
    ("shop", "index.html"),
    // A large one.
    ("shop", "search?q=laptop"),
    ("portal", "index.html"),
    ("table", "index.html"),
    ("results", "index.html"),
    ("intl", "index.html"),
];

fn number(name: &str, otherwise: u32) -> u32 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn what_is_patched_equals_what_is_read_whole() {
    let rounds = number("PATCH_ROUNDS", 5);
    let seed = number("PATCH_SEED", 1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let options = LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() };
    let mut browser = LiveBrowser::open("about:blank", &options).expect("opens");
    let mut found = Differences::default();
    let mut ways: BTreeMap<String, u32> = BTreeMap::new();
    let mut undecided = 0;
    for (at, (site, page)) in PAGES.iter().enumerate() {
        let server = runtime.block_on(SiteServer::start(&traces().join("sites"), site)).expect("serves");
        let url = format!("http://127.0.0.1:{}/{page}", server.port());
        go(&mut browser, &url);
        browser.look_afresh().expect("a page");
        for round in 0..rounds {
            let mut done = Vec::new();
            // Changes are written into what changes were written into.
            for change in 0..3_u32 {
                let drawn = seed.wrapping_mul(7919).wrapping_add(at as u32 * 1_000_003 + round * 101 + change * 7);
                done.push(browser.evaluate(&format!("{CHANGE}({drawn})")).expect("changes").to_string());
                browser.look().expect("a page");
                let way = match browser.look_way() {
                    LookWay::Again(reason) => format!("whole: {reason}"),
                    other => format!("{other:?}"),
                };
                *ways.entry(way).or_default() += 1;
            }
            let before = browser.evaluate(MUTATIONS).expect("counts");
            let patched = browser.look().expect("a page");
            let fresh = browser.look_afresh().expect("a page");
            if before != browser.evaluate(MUTATIONS).expect("counts") {
                // The page went on by itself meanwhile.
                undecided += 1;
                continue;
            }
            let look = FastLook { step: round, whole: fresh, fast: patched, fallbacks: 0, micros: (0, 0) };
            found.add(&look, &format!("{site}/{page} {done:?}"));
        }
    }
    assert_eq!(found.telling(), Vec::<String>::new());
    assert_eq!(found.other_text, Vec::<String>::new());
    println!("{} steps, {undecided} undecided, {ways:?}", found.steps);
    let patched = ways.get("Patched").copied().unwrap_or(0);
    assert!(patched * 3 > ways.values().sum::<u32>(), "hardly anything is patched: {ways:?}");
    assert!(found.steps * 4 > rounds * PAGES.len() as u32 * 3, "{undecided} pages went on by themselves");
}

fn go(browser: &mut LiveBrowser, url: &str) {
    let goto = TakenAction { kind: ActionKind::Goto, node: None, text: url.to_owned(), error: None };
    browser.act(&goto, None).expect("went");
}

/// Shows a page of a bundled site; the site is served as long as the first two are kept.
fn shown(site: &str, page: &str) -> (tokio::runtime::Runtime, SiteServer, LiveBrowser) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let server = runtime.block_on(SiteServer::start(&traces().join("sites"), site)).expect("serves");
    let mut browser = LiveBrowser::open("about:blank", &LiveOptions::default()).expect("opens");
    go(&mut browser, &format!("http://127.0.0.1:{}/{page}", server.port()));
    (runtime, server, browser)
}

#[test]
fn a_rule_that_a_script_edits_in_place_is_seen() {
    let (_runtime, _server, mut browser) = shown("tiny", "index.html");
    browser
        .evaluate(
            "document.head.append(Object.assign(document.createElement('style'), { textContent: 'h1 { color: \
        red }' })), 1",
        )
        .expect("adds");
    browser.look_afresh().expect("a page");
    assert!(browser.look().is_ok());
    browser.evaluate("[...document.styleSheets].at(-1).cssRules[0].style.color = 'rgb(1, 2, 3)'").expect("edits");
    let page = browser.look().expect("a page");
    assert_eq!(browser.look_way(), LookWay::Again("other style sheets".to_owned()));
    let heading = page.nodes().find(|node| node.tag() == "h1").expect("a heading");
    assert_eq!(heading.style("color"), Some("rgb(1, 2, 3)"));
}

#[test]
fn a_new_drawing_has_its_own_styles_and_not_those_of_the_one_like_it() {
    let (_runtime, _server, mut browser) = shown("shop", "search?q=laptop");
    browser.look_afresh().expect("a page");
    browser.look().expect("a page");
    let add = "(() => { const drawing = document.querySelector('main li button svg, main article button svg'); const \
        item = drawing.closest('li, article'); \
        const copy = item.cloneNode(true); copy.querySelector('button:has(svg)').style.cursor = 'wait'; \
        item.parentElement.append(copy); \
        return copy.querySelector('button:has(svg)').querySelectorAll('*').length; })()";
    let below = browser.evaluate(add).expect("adds").as_u64().expect("a count") as usize;
    let waiting =
        |page: &browserlens_core::page::Page| page.nodes().filter(|node| node.style("cursor") == Some("wait")).count();
    let patched = waiting(&browser.look().expect("a page"));
    assert_eq!(browser.look_way(), LookWay::Patched);
    assert_eq!(patched, waiting(&browser.look_afresh().expect("a page")));
    assert!(below >= 2 && patched > below, "{patched} nodes, of which {below} lie in the button");
}
